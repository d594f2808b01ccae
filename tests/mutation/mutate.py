#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Do the tests notice? Changes rules, folding, planner and kernels in random small ways and runs the tests that could see each change.

    tests/mutation/mutate.py [--seed N] [--count N] [--first N] [--area NAME]... [--work DIR] [--jobs N] [--list]

Works in copies of the tree below --work (build/mutation). A mutant is one small change of one line of a header: a comparison or its bound,
a sign, a constant by one, a minimum for a maximum, `and` for `or`, a condition negated, a `continue` left out, a rounding. One build holds all
of them (weave.py), and the environment chooses one when a test program runs; each program runs what those before did not notice. What none of them
notices, and what cannot be woven in, is built alone: then checks that the compiler makes count, too. A mutant is noticed when a test
program fails, runs into the time limit, or does not compile because of a static_assert. Mutants that do not compile for other reasons are
left out and replaced by the next ones. Those that change nothing that anybody could observe are listed in equivalent.txt, a line each:
path | the line of source | the mutated line | why.

One line a mutant, then `N of M noticed`; exit status 0 when all were. --list shows the mutants and runs nothing.
"""
import argparse
import itertools
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import time

import weave

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASES = "{build}/test_data/conformance"

# area: (share of the mutants, folders and files, programs that could see a change, those first that are soon built and see most: (target, arguments, environment))
CONFORMANCE = ("lpt_conformance", ["--list", CASES], {})


def tests_of(folder, **environment):
    return "lpt_test_" + folder, ["--abort-after=1"], environment


PROPERTY = tests_of("property", LPT_RANDOM_NETWORKS="300", LPT_DEGENERATE_STRIDE="5")
EXECUTOR = tests_of("executor", LPT_RANDOM_NETWORKS="400", LPT_CASE_STRIDE="16")
AREAS = {
    "rules": (6, ["transformation"],
              [CONFORMANCE, tests_of("proof", LPT_PROOF_STRIDE="7"), PROPERTY, tests_of("pipeline"), tests_of("transformation")]),
    "folding": (2, ["graph/evaluate.hpp", "graph/fold.hpp", "graph/fold"],
                [tests_of("graph"), CONFORMANCE, PROPERTY, tests_of("reference")]),
    "planner": (3, ["plan"],
                [tests_of("plan"), EXECUTOR, tests_of("runtime")]),
    "kernels": (4, ["kernel"],
                [tests_of("kernel"), EXECUTOR, tests_of("specified"), tests_of("runtime")]),
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

    def __init__(self, path, jobs):
        self.path, self.jobs = path, jobs
        self.build = self.path / "build/release"
        files = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
        for name in filter(None, files.split("\0")):
            source = ROOT / name
            if source.is_file():
                self.write(name, source.read_bytes())

    def write(self, name, data):
        """Leaves files alone that hold this already, so that nothing is compiled twice."""
        target = self.path / name
        if not (target.exists() and target.read_bytes() == data):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)

    def configure(self):
        # Tests run once, so compiling is what takes time; kernels are optimised whatever the build says.
        self.must(["cmake", "--preset", "release", "-DLPT_COMPILED_PROFILE=OFF", "-DLPT_WARNINGS_AS_ERRORS=OFF", "-DLPT_BUILD_BENCH=OFF",
                   "-DCMAKE_CXX_FLAGS=-w", "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG", "-DLPT_COMPILED_OPTIMIZATION=-O1",
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
    return any(words in output for words in ("static assertion failed", "for static assertion", "not a constant expression"))


def first_words(output):
    """What a program that failed says first."""
    for line in output.splitlines():
        if re.search(r"ERROR: |error: |FATAL|differs|[a-z_]+/\d+ ", line):
            return re.sub(r"\s+", " ", line.strip())[:100]
    return "no words"


class Programs:
    """The test programs of each area in one copy; none judges a mutant before it has passed without one."""

    def __init__(self, tree):
        self.tree, self.seconds = tree, {}  # of those that passed
        made = tree.configure()
        tree.must(["cmake", "--build", "build/release", "--parallel", str(tree.jobs), "--target", "lpt_test_data"])
        self.of = {area: [each for each in row[2] if each[0] in made] for area, row in AREAS.items()}

    def run(self, target, arguments, environment, limit=None):
        command = [str(self.tree.build / "bin" / target)] + [each.format(build=self.tree.build) for each in arguments]
        return self.tree.run(command, limit=limit, **environment)

    def passes(self, target, arguments, environment):
        began = time.monotonic()
        result = self.run(target, arguments, environment)
        if result.returncode != 0:
            sys.exit(f"{target} fails without any mutant:\n{result.stdout[-3000:]}")
        self.seconds[target] = time.monotonic() - began

    def fails(self, target, arguments, environment):
        """How a program notices the mutant that it runs with; empty if it does not."""
        try:
            result = self.run(target, arguments, environment, limit=30 + 5 * self.seconds[target])
        except subprocess.TimeoutExpired:
            return f"{target}: no end"
        return f"{target}: {first_words(result.stdout)}" if result.returncode != 0 else ""


class Woven(Programs):
    """Programs that hold all mutants."""

    def __init__(self, tree, mutants):
        headers = {str(header): (tree.path / header).read_text() for _, _, header, _, _, _ in mutants}
        self.weave = weave.Weave([(number + 1, str(header), line, after) for number, _, header, line, _, after in mutants], headers)
        super().__init__(tree)
        tree.write(weave.HOOK_PATH, weave.HOOK.encode())
        self.write()

    def write(self):
        for header in self.weave.sources:
            self.tree.write(header, self.weave.text_of(header).encode())

    def make(self, target):
        """Builds a program; mutants that do not compile give way."""
        while (made := self.tree.make(target)).returncode != 0:
            given = self.weave.give_way(made.stdout)
            if not given:
                sys.exit(f"{target} does not compile with the mutants in it:\n{made.stdout[-3000:]}")
            print(f"# woven otherwise: {', '.join(str(number - 1) for number in given)}", flush=True)
            self.write()

    def judge(self, number, program):
        """By what the program of an area notices the mutant; empty if by nothing, or if the mutant cannot be woven in."""
        target, arguments, environment = program
        if target not in self.seconds:
            self.make(target)
            self.passes(target, arguments, environment)
        if not self.weave.choices[number + 1]:
            return ""
        return self.fails(target, arguments, {**environment, "LPT_MUTANT": str(number + 1)})


class Alone(Programs):
    """Programs that are built for each mutant."""

    def judge(self, area, header, line, after):
        """(verdict, by what); verdict: noticed, not noticed, does not compile."""
        source = (ROOT / header).read_text()
        lines = source.splitlines(keepends=True)
        lines[line] = after + "\n"
        changed = "".join(lines)
        try:
            for target, arguments, environment in self.of[area]:
                if target not in self.seconds:
                    self.tree.write(header, source.encode())
                    self.tree.must(["cmake", "--build", "build/release", "--parallel", str(self.tree.jobs), "--target", target])
                    self.passes(target, arguments, environment)
                self.tree.write(header, changed.encode())
                built = self.tree.make(target)
                if built.returncode != 0:
                    return ("noticed", f"{target}: the compiler") if by_the_compiler(built.stdout) else ("does not compile", target)
                if by := self.fails(target, arguments, environment):
                    return "noticed", by
        finally:
            self.tree.write(header, source.encode())
        return "not noticed", ", ".join(target for target, _, _ in self.of[area])


class Run:
    """Judges mutants and prints how."""

    def __init__(self, work, jobs, mutants):
        self.work, self.jobs = work, jobs
        self.woven = Woven(Tree(work / "woven", jobs), mutants)
        self.alone = None
        self.noticed = self.total = 0

    def print(self, verdict, by, mutant, began):
        number, area, header, line, before, after = mutant
        self.noticed += verdict == "noticed"
        self.total += verdict != "does not compile"
        print(f"{number} {verdict} ({by}) {area} {header}:{line + 1} `{before.strip()}` -> `{after.strip()}` "
              f"{time.monotonic() - began:.0f} s", flush=True)

    def judge_woven(self, mutants):
        """All mutants by the first program of their area, those that are left by the second, and so on. Gives those that none noticed."""
        for turn in range(max(len(programs) for programs in self.woven.of.values())):
            missed = []
            for mutant in mutants:
                began = time.monotonic()
                programs = self.woven.of[mutant[1]]
                by = self.woven.judge(mutant[0], programs[turn]) if turn < len(programs) else ""
                if by:
                    self.print("noticed", by, mutant, began)
                else:
                    missed.append(mutant)
            mutants = missed
        return mutants

    def judge(self, mutants, count):
        """Judges `count` of the mutants, the first that compile."""
        left = list(mutants)
        while left and self.total < count:
            chosen = left[:count - self.total]
            left = left[len(chosen):]
            missed = self.judge_woven(chosen)
            if missed:
                print(f"# to be built alone: {', '.join(str(each[0]) for each in missed)}", flush=True)
            for mutant in missed:
                self.alone = self.alone or Alone(Tree(self.work / "alone", self.jobs))
                began = time.monotonic()
                number, area, header, line, before, after = mutant
                self.print(*self.alone.judge(area, header, line, after), mutant, began)


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
    known = equivalent_mutants()
    drawn_here = ((number, *each) for number, each in enumerate(drawn(ROOT, options.area or sorted(AREAS), options.seed)))
    unlike = (each for each in drawn_here
              if each[0] >= options.first and (str(each[2]), each[4].strip(), each[5].strip()) not in known)
    spare = 0 if options.list else options.count // 4 + 2  # in place of those that do not compile
    mutants = list(itertools.islice(unlike, options.count + spare))
    if options.list:
        for number, area, header, line, before, after in mutants:
            print(f"{number} {area} {header}:{line + 1}\n  - {before.strip()}\n  + {after.strip()}")
        return 0
    run = Run(options.work.resolve(), options.jobs, mutants)
    run.judge(mutants, options.count)
    print(f"{run.noticed} of {run.total} noticed")
    return 0 if run.noticed == run.total else 1


if __name__ == "__main__":
    sys.exit(main())
