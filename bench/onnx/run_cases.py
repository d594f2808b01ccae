#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run_cases.py LPT_RUN FOLDER [--write FILE] [CASE]…   Runs cases that write_cases.py wrote, and prints what fails, by reason.

A case passes if each output has the type and shape of the one that the package gives and lies within the package's own tolerance. With names of
cases, only these. Last line: "N of M cases pass (P %)". A program that ends by a signal is named first: that must never be.
--write puts the same as a table into FILE, between the lines that begin "<!-- node tests" and "<!-- end of node tests". Why numbers differ is what
reasons.txt says of a case, one line each: a pattern for its name, a tab, the reason. Cases without one are written as not yet explained.
"""
import argparse
import collections
import concurrent.futures
import re
import subprocess
import tempfile
from pathlib import Path

import numpy as np

other_values = "gives other values"


def difference(got, wanted, tolerance):
    """What is wrong with an output, and by how much; None if nothing."""
    if wanted.dtype == object or got.shape != wanted.shape or got.dtype != wanted.dtype:
        return f"gives {got.dtype}{list(got.shape)}, not {wanted.dtype}{list(wanted.shape)}", None
    relative, absolute = tolerance
    got, wanted = got.astype(np.float64), wanted.astype(np.float64)
    near = np.isclose(got, wanted, rtol=relative, atol=absolute, equal_nan=True)
    if near.all():
        return None
    with np.errstate(invalid="ignore"):
        most = np.abs(got - wanted)[~near].max()
    return other_values, f"{(~near).sum()} of {near.size} numbers by at most {most:.2g}"


def run(program, case):
    """What is wrong, and by how much; None if nothing."""
    with tempfile.TemporaryDirectory() as folder:
        inputs = sorted(case.glob("in*.npy"), key=lambda file: int(file.stem[2:]))
        command = [program, case / "model.onnx", "--precision", "f32", "--output", folder]
        for file in inputs:
            command += ["--input", file]
        try:
            ended = subprocess.run(command, capture_output=True, text=True, timeout=60, errors="replace")
        except subprocess.TimeoutExpired:
            return "takes more than a minute", None
        if ended.returncode < 0:
            return f"ends by signal {-ended.returncode}", None
        if ended.returncode != 0:
            lines = ended.stderr.strip().splitlines()
            return lines[0] if len(lines) == 1 else f"{len(lines)} lines of errors: {lines[:2]}", None
        tolerance = [float(word) for word in (case / "tolerance").read_text().split()]
        for file in sorted(case.glob("out*.npy")):
            made = Path(folder) / (file.stem[3:] + ".npy")
            if not made.exists():
                return "gives too few outputs", None
            wrong = difference(np.load(made), np.load(file, allow_pickle=True), tolerance)
            if wrong:
                return f"output {file.stem[3:]} {wrong[0]}", wrong[1]
    return None


def said_of(line):
    """A line of an error without the names of file and node."""
    line = re.sub(r"^lpt_run: \S+: ", "", line)
    line = re.sub(r"node '[^']*' \((\w+)\) at byte \d+: ", r"\1: ", line)
    return re.sub(r" '[^']*'", "", line)


def known_reasons():
    """Pairs of a pattern and a reason."""
    lines = Path(__file__).with_name("reasons.txt").read_text().splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def reason_for(name, said, reasons):
    for pattern, why in reasons:
        if re.fullmatch(pattern, name):
            return why
    return "not yet explained" if other_values in said else ""


def table(failed, count):
    """The lines of the table: cases of one reason together. `failed`: (name, what is said, by how much)."""
    reasons = known_reasons()
    groups = collections.defaultdict(list)
    for name, said, much in failed:
        groups[said, reason_for(name, said, reasons)].append(name + (f" ({much})" if much else ""))
    lines = [f"{count - len(failed)} of {count} cases pass ({100 * (1 - len(failed) / count):.1f} %). What is missing:", ""]
    lines += ["| cases | what is said | why | which |", "|---:|---|---|---|"]
    for (said, why), names in sorted(groups.items(), key=lambda entry: (-len(entry[1]), entry[0])):
        lines.append(f"| {len(names)} | {said} | {why} | {', '.join(names)} |")
    return lines


def write_between_markers(file, lines):
    text = file.read_text()
    parts = re.fullmatch(r"(.*^<!-- node tests[^\n]*\n).*(^<!-- end of node tests.*)", text, re.DOTALL | re.MULTILINE)
    if parts is None:
        raise SystemExit(f'{file} has no lines "<!-- node tests" and "<!-- end of node tests"')
    file.write_text(parts[1] + "\n" + "\n".join(lines) + "\n\n" + parts[2])


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--write", type=Path)
    arguments.add_argument("names", nargs="*")
    given = arguments.parse_args()
    if given.write and given.names:
        raise SystemExit("--write writes what all cases give, not some")
    cases = [given.folder / name for name in given.names]
    cases = cases or sorted(case for case in given.folder.iterdir() if case.is_dir())
    failed = []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for case, wrong in zip(cases, pool.map(lambda case: run(given.program, case), cases)):
            if wrong:
                failed.append((case.name, said_of(wrong[0]), wrong[1]))
    by_what = collections.defaultdict(list)
    for name, said, much in failed:
        by_what[said].append(name + (f" ({much})" if much else ""))
    for said, names in sorted(by_what.items(), key=lambda entry: ("signal" not in entry[0], -len(entry[1]), entry[0])):
        print(f"{len(names):4} {said}: {', '.join(names)}")
    if given.write:
        write_between_markers(given.write, table(failed, len(cases)))
    print(f"{len(cases) - len(failed)} of {len(cases)} cases pass ({100 * (1 - len(failed) / len(cases)):.1f} %)")


main()
