#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Do the tests notice? Changes rules, folding, planner and kernels in random small ways and runs the tests that could see each change.

    tests/mutation/mutate.py [--seed N] [--count N] [--first N] [--area NAME]... [--work DIR] [--jobs N] [--list]

Works in a copy of the tree below --work (build/mutation), one mutant after another. A mutant is one small change of one line of a header:
a comparison or its bound, a sign, a constant by one, a minimum for a maximum, `and` for `or`, a condition negated, a `continue` left out, a
rounding. It is noticed when a test program fails, runs into the time limit, or does not compile because of a static_assert. Mutants that
do not compile for other reasons are left out and replaced by the next ones. Those that change nothing that anybody could observe are listed
in equivalent.txt, a line each: path | the line of source | the mutated line | why.

One line a mutant, then `N of M noticed`; exit status 0 when all were. --list shows the mutants and runs nothing.
"""
import argparse
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASES = "{build}/test_data/conformance"

# area: (share of the mutants, folders and files, programs that could see a change, cheapest first: (target, arguments, environment))
CONFORMANCE = ("lpt_conformance", ["--list", CASES], {})
AREAS = {
    "rules": (6, ["transformation"],
              [CONFORMANCE, ("lpt_test_transformation", [], {}), ("lpt_test_proof", [], {"LPT_PROOF_STRIDE": "7"}),
               ("lpt_test_pipeline", [], {}), ("lpt_test_property", [], {})]),
    "folding": (2, ["graph/fold.hpp", "graph/fold"],
                [("lpt_test_graph", [], {}), CONFORMANCE, ("lpt_test_reference", [], {}), ("lpt_test_property", [], {})]),
    "planner": (3, ["plan"],
                [("lpt_test_plan", [], {}), ("lpt_test_runtime", [], {}), ("lpt_test_executor", [], {})]),
    "kernels": (4, ["kernel"],
                [("lpt_test_kernel", [], {}), ("lpt_test_runtime", [], {}), ("lpt_test_executor", [], {})]),
}

# What is replaced by what; each match is one place. Spaces keep templates, references and shifts apart from comparisons.
OPERATORS = [
    (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "),
    (r" == ", " != "), (r" != ", " == "),
    (r" \+ ", " - "), (r" - ", " + "), (r" \+= ", " -= "), (r" -= ", " += "), (r" \* ", " + "), (r" / ", " * "), (r" % ", " / "),
    (r" && ", " || "), (r" \|\| ", " && "),
    (r"\bminimum\(", "maximum("), (r"\bmaximum\(", "minimum("), (r"\bmin\(", "max("), (r"\bmax\(", "min("),
    (r"\bround_half_even\(", "floor("), (r"\bround_half_away\(", "round_half_even("), (r"\bfloor\(", "ceil("), (r"\bceil\(", "floor("),
    (r"\breturn true;", "return false;"), (r"\breturn false;", "return true;"), (r"\bcontinue;", ";"),
    (r"(?<![\w.])(\d+)(?![\w.'>])", "+1"), (r"(?<![\w.])([1-9]\d*)(?![\w.'>])", "-1"),
    (r"\bif \((?!constexpr)", "negate"), (r"\(!(?=[a-z])", "("),
]
# Lines that decide nothing: declarations of names, messages, checks by the compiler, annotations.
SKIPPED = re.compile(r"static_assert|^\s*#|^\s*//|^\s*template\b|^\s*using\b|^\s*namespace\b|text_view name|fail\(|wrong\(|refuse|reserve\(|"
                     r"\breason::|int Once|\[\[|^\s*\"|^\s*(friend|struct|class|enum)\b|prefetch|concept|requires")


def without_comments_and_strings(line):
    """The line with comments and literals blanked, so that places keep their columns."""
    line = re.sub(r'"(?:[^"\\]|\\.)*"', lambda m: "\0" * len(m[0]), line)
    line = re.sub(r"'(?:[^'\\]|\\.)'", lambda m: "\0" * len(m[0]), line)
    return re.sub(r"//.*", lambda m: "\0" * len(m[0]), line)


def closing_parenthesis(text, start):
    depth = 0
    for i in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return i
    return -1


def mutations_of(line):
    """All mutants of a line, as lines."""
    plain = without_comments_and_strings(line)
    if SKIPPED.search(plain):
        return
    for pattern, replacement in OPERATORS:
        for match in re.finditer(pattern, plain):
            start, end = match.span()
            if replacement in ("+1", "-1"):
                changed = str(int(match[1]) + int(replacement))
            elif replacement == "negate":
                close = closing_parenthesis(plain, end - 1)
                if close < 0 or "=" in re.sub(r"[=!<>]=", "", plain[end:close]) or ";" in plain[end:close]:
                    continue
                yield line[:start] + "if (!(" + line[end:close] + "))" + line[close + 1:]
                continue
            else:
                changed = replacement
            yield line[:start] + changed + line[end:]


def instruction_sets_not_here():
    """Folders of kernels that this processor does not run."""
    try:
        flags = set(pathlib.Path("/proc/cpuinfo").read_text().split())
    except OSError:
        flags = set()
    here = {"avx2": "avx2" in flags, "avx_vnni": "avx_vnni" in flags, "avx512_vnni": "avx512_vnni" in flags,
            "neon": "asimd" in flags, "neon_dot": "asimddp" in flags, "neon_i8mm": "i8mm" in flags}
    return {name for name, runs in here.items() if not runs}


def headers_of(tree, area):
    not_here = instruction_sets_not_here()
    for place in AREAS[area][1]:
        path = tree / "include/lpt" / place
        for header in sorted(path.rglob("*.hpp")) if path.is_dir() else [path]:
            if not not_here & set(header.relative_to(tree).parts):
                yield header


def all_mutants(tree, area):
    for header in headers_of(tree, area):
        lines = header.read_text().splitlines()
        for number, line in enumerate(lines):
            for mutated in mutations_of(line):
                yield header.relative_to(tree), number, line, mutated


def equivalent_mutants():
    path = pathlib.Path(__file__).with_name("equivalent.txt")
    rows = [row.split(" | ") for row in path.read_text().splitlines() if row and not row.startswith("#")] if path.exists() else []
    return {(row[0], row[1], row[2]) for row in rows}


def drawn(tree, areas, seed):
    """Mutants without end: areas by their shares, in each area the places in random order."""
    source = random.Random(seed)
    pools = {}
    for area in areas:
        pools[area] = list(all_mutants(tree, area))
        source.shuffle(pools[area])
    shares = [AREAS[area][0] for area in areas]
    while any(pools.values()):
        area = source.choices(areas, shares)[0]
        if pools[area]:
            yield (area, *pools[area].pop())


def small():
    """For a program that may be wrong: 8 GiB."""
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))


class Tree:
    """A copy of the sources with a build of its own."""

    def __init__(self, work, jobs):
        self.path, self.jobs = work / "tree", jobs
        self.build = self.path / "build/release"
        files = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
        for name in filter(None, files.split("\0")):
            source, target = ROOT / name, self.path / name
            if source.is_file() and not (target.exists() and target.read_bytes() == source.read_bytes()):
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, target)

    def configure(self):
        # What is compiled anew for each mutant is compiled without optimisation, but for the kernels.
        self.must(["cmake", "--preset", "release", "-DLPT_COMPILED_PROFILE=OFF", "-DLPT_COMPILED_OPTIMIZATION=-O0",
                   "-DLPT_PROGRAM_OPTIMIZATION=-O0"])
        targets = (self.build / "build.ninja").read_text()
        return {target for area in AREAS.values() for target, _, _ in area[2] if f"build {target}: " in targets}

    def run(self, command, limit=None, **environment):
        return subprocess.run(command, cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                              timeout=limit, env={**os.environ, **environment}, preexec_fn=small if limit else None)

    def must(self, command):
        result = self.run(command)
        if result.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))} failed without any mutant:\n{result.stdout[-3000:]}")

    def make(self, target):
        return self.run(["cmake", "--build", "build/release", "--parallel", str(self.jobs), "--target", target])


def by_the_compiler(output):
    """True if a check that the compiler makes failed: a test that was seen."""
    return "static assertion failed" in output or "not a constant expression" in output


def first_words(output):
    """What a program that failed says first."""
    for line in output.splitlines():
        if re.search(r"ERROR: |error: |FATAL|differs|[a-z_]+/\d+ ", line):
            return re.sub(r"\s+", " ", line.strip())[:100]
    return "no words"


class Programs:
    """The test programs of each area; none judges a mutant before it has passed without one."""

    def __init__(self, tree):
        self.tree, self.seconds = tree, {}  # of those that passed
        made = tree.configure()
        tree.must(["cmake", "--build", "build/release", "--parallel", str(tree.jobs), "--target", "lpt_test_data"])
        self.of = {area: [each for each in row[2] if each[0] in made] for area, row in AREAS.items()}

    def command(self, target, arguments):
        return [str(self.tree.build / "bin" / target)] + [each.format(build=self.tree.build) for each in arguments]

    def passes(self, target, arguments, environment):
        self.tree.must(["cmake", "--build", "build/release", "--parallel", str(self.tree.jobs), "--target", target])
        began = time.monotonic()
        result = self.tree.run(self.command(target, arguments), **environment)
        if result.returncode != 0:
            sys.exit(f"{target} fails without any mutant:\n{result.stdout[-3000:]}")
        self.seconds[target] = time.monotonic() - began

    def judge(self, area, mutated):
        """(verdict, by what); verdict: noticed, not noticed, does not compile."""
        for target, arguments, environment in self.of[area]:
            if target not in self.seconds:
                mutated.take_back()
                self.passes(target, arguments, environment)
            mutated.put_in()
            built = self.tree.make(target)
            if built.returncode != 0:
                return ("noticed", f"{target}: the compiler") if by_the_compiler(built.stdout) else ("does not compile", target)
            try:
                result = self.tree.run(self.command(target, arguments), limit=60 + 10 * self.seconds[target], **environment)
            except subprocess.TimeoutExpired:
                return "noticed", f"{target}: no end"
            if result.returncode != 0:
                return "noticed", f"{target}: {first_words(result.stdout)}"
        return "not noticed", ", ".join(target for target, _, _ in self.of[area])


class Mutated:
    """A header of the copy that has one line changed, or not."""

    def __init__(self, tree, header, line, after):
        self.copy = tree.path / header
        self.source = self.copy.read_text()
        lines = self.source.splitlines(keepends=True)
        lines[line] = after + "\n"
        self.changed = "".join(lines)

    def write(self, text):
        if self.copy.read_text() != text:
            self.copy.write_text(text)

    def put_in(self):
        self.write(self.changed)

    def take_back(self):
        self.write(self.source)


def main():
    parse = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parse.add_argument("--seed", type=int, default=1)
    parse.add_argument("--count", type=int, default=60)
    parse.add_argument("--first", type=int, default=0, help="how many mutants of this seed to pass over, for a run that is continued")
    parse.add_argument("--area", action="append", choices=sorted(AREAS))
    parse.add_argument("--work", type=pathlib.Path, default=ROOT / "build/mutation")
    parse.add_argument("--jobs", type=int, default=1)
    parse.add_argument("--list", action="store_true")
    options = parse.parse_args()
    areas = options.area or sorted(AREAS)
    known = equivalent_mutants()
    tree = None if options.list else Tree(options.work.resolve(), options.jobs)
    drawn_here = drawn(tree.path if tree else ROOT, areas, options.seed)
    mutants = ((number, *each) for number, each in enumerate(drawn_here) if number >= options.first)
    if options.list:
        for number, area, header, line, before, after in mutants:
            if number >= options.first + options.count:
                return 0
            print(f"{number} {area} {header}:{line + 1}\n  - {before.strip()}\n  + {after.strip()}")
        return 0
    programs = Programs(tree)
    noticed = total = 0
    for number, area, header, line, before, after in mutants:
        if total == options.count:
            break
        if (str(header), before.strip(), after.strip()) in known:
            continue
        mutated = Mutated(tree, header, line, after)
        began = time.monotonic()
        try:
            verdict, by = programs.judge(area, mutated)
        finally:
            mutated.take_back()
        if verdict != "does not compile":
            total += 1
            noticed += verdict == "noticed"
        print(f"{number} {verdict} ({by}) {area} {header}:{line + 1} `{before.strip()}` -> `{after.strip()}` {time.monotonic() - began:.0f} s",
              flush=True)
    print(f"{noticed} of {total} noticed")
    return 0 if noticed == total else 1


if __name__ == "__main__":
    sys.exit(main())
