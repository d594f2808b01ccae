#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run_cases.py LPT_RUN FOLDER [CASE]…   Runs cases that write_cases.py wrote, and prints what fails, by reason.

A case passes if each output has the type and shape of the one that the package gives and lies within the package's own tolerance. With names of
cases, only these. Last line: "N of M cases pass (P %)". A program that ends by a signal is named first: that must never be.
"""
import collections
import concurrent.futures
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np


def difference(got, wanted, tolerance):
    if wanted.dtype == object or got.shape != wanted.shape or got.dtype != wanted.dtype:
        return f"gives {got.dtype}{list(got.shape)}, not {wanted.dtype}{list(wanted.shape)}"
    relative, absolute = tolerance
    if not np.allclose(got.astype(np.float64), wanted.astype(np.float64), rtol=relative, atol=absolute, equal_nan=True):
        return "gives other values"
    return None


def run(program, case):
    """What is wrong; None if nothing."""
    with tempfile.TemporaryDirectory() as folder:
        inputs = sorted(case.glob("in*.npy"), key=lambda file: int(file.stem[2:]))
        command = [program, case / "model.onnx", "--precision", "f32", "--output", folder]
        for file in inputs:
            command += ["--input", file]
        try:
            ended = subprocess.run(command, capture_output=True, text=True, timeout=60, errors="replace")
        except subprocess.TimeoutExpired:
            return "takes more than a minute"
        if ended.returncode < 0:
            return f"ends by signal {-ended.returncode}"
        if ended.returncode != 0:
            lines = ended.stderr.strip().splitlines()
            return lines[0] if len(lines) == 1 else f"{len(lines)} lines of errors: {lines[:2]}"
        tolerance = [float(word) for word in (case / "tolerance").read_text().split()]
        for file in sorted(case.glob("out*.npy")):
            made = Path(folder) / (file.stem[3:] + ".npy")
            if not made.exists():
                return "gives too few outputs"
            wrong = difference(np.load(made), np.load(file, allow_pickle=True), tolerance)
            if wrong:
                return f"output {file.stem[3:]} {wrong}"
    return None


def reason_of(line):
    """A line of an error without the names of file and node."""
    line = re.sub(r"^lpt_run: \S+: ", "", line)
    line = re.sub(r"node '[^']*' \((\w+)\) at byte \d+: ", r"\1: ", line)
    return re.sub(r" '[^']*'", "", line)


def main(program, folder, names):
    cases = [folder / name for name in names] if names else sorted(case for case in folder.iterdir() if case.is_dir())
    failed = collections.defaultdict(list)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for case, wrong in zip(cases, pool.map(lambda case: run(program, case), cases)):
            if wrong:
                failed[reason_of(wrong)].append(case.name)
    for why, which in sorted(failed.items(), key=lambda entry: ("signal" not in entry[0], -len(entry[1]), entry[0])):
        print(f"{len(which):4} {why}: {', '.join(which)}")
    count = sum(len(which) for which in failed.values())
    print(f"{len(cases) - count} of {len(cases)} cases pass ({100 * (1 - count / len(cases)):.1f} %)")


main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:])
