#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what compiling the library costs: includes, look-ups, dispatch tables, transformations in constant expressions,
programs that transform a graph.

Times are user and system time of the compiler, the least of some runs that take turns with <vector>, because a busy machine
only ever adds to a time. Steps are the least bound of constant evaluation with which the program compiles, found by
bisection to 1 %: the same on every machine.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

root = Path(__file__).resolve().parents[2]
parts = ["includes", "look-ups", "dispatch", "transform", "programs"]
ceilings = {  # of `check`: steps of clang's constant evaluation and operations of g++'s; 1,048,576 is clang's default bound
    "one look-up by name": {"clang": 1200, "g++": 6900},
    "77 nodes built": {"clang": 100000, "g++": 1100000},
    "77 nodes built, transformed and reported": {"clang": 1048576, "g++": 9000000},
}
# Of `check` with g++: seconds of a program that transforms a graph, at -O2, as ratios to -O2 of <vector>, which takes 0.1 s. Far
# above what is measured (180, 14 and 15), because a ratio to something so short swings; they find what makes such programs twice as slow.
program_ceilings = {"header-only": 360, "with lpt::compiled": 30, "with copied headers, implemented elsewhere": 30}


class Compiler:
    def __init__(self, program):
        self.program = program
        self.is_clang = "clang" in program
        self.limit = "-fconstexpr-steps=" if self.is_clang else "-fconstexpr-ops-limit="
        self.unit = "steps" if self.is_clang else "operations"

    def run(self, code, *options):
        """Compiles without output, without code unless options ask for it; (success, seconds, bytes)."""
        with tempfile.NamedTemporaryFile("w", suffix=".cpp") as file:
            file.write(code)
            file.flush()
            output = ["-c", "-o", "/dev/null"] if "-O2" in options else ["-fsyntax-only"]
            words = [self.program, "-std=c++20", *output, f"-I{root}/include", f"-I{root}", *options, file.name]
            with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                _, status, used = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
        return process.returncode == 0, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024

    def least(self, codes, runs, *options):
        """Least seconds and bytes of several programs that take turns."""
        best = [(float("inf"), 0)] * len(codes)
        for _ in range(runs):
            for i, code in enumerate(codes):
                fits, seconds, memory = self.run(code, self.limit + "2000000000", *options)
                if not fits:
                    sys.exit(f"{self.program} does not compile:\n{code}")
                best[i] = min(best[i], (seconds, memory))
        return best

    def steps(self, code):
        """The least bound of constant evaluation with which the program compiles."""
        low, high = 1000, 2000000000
        if not self.run(code, self.limit + str(high))[0]:
            sys.exit(f"{self.program} does not compile:\n{code}")
        while high > low * 1.01:
            middle = int((low * high) ** 0.5)
            if self.run(code, self.limit + str(middle))[0]:
                high = middle
            else:
                low = middle
        return high

    def fits(self, code, steps):
        return self.run(code, self.limit + str(steps))[0]


vector = "#include <vector>\n"


def row(name, seconds, memory, base):
    print(f"  {name:<60} {seconds:7.3f} s {seconds / base:6.2f} x {memory / 2**20:7.0f} MiB", flush=True)


def public_headers():
    folder = root / "include"
    isa_folders = {"avx2", "avx_vnni", "avx512_vnni", "neon", "neon_dot", "neon_i8mm"}
    return sorted(str(each.relative_to(folder)) for each in folder.rglob("*.hpp") if each.parent.name not in isa_folders)


def measure_includes(compiler, given):
    print("Includes: time, ratio to <vector>, memory")
    base = compiler.least([vector], given.runs)[0]
    row("<vector>", *base, base[0])
    for header in public_headers():
        if given.header in header:
            again, cost = compiler.least([vector, f"#include <{header}>\n"], given.runs)
            row(f"<{header}>", *cost, min(again[0], base[0]))


def look_up_code(count):
    names = ["If", "Convolution", "Parameter", "Loop", "Assign", "GRUSequence", "TensorIterator", "ReadValue"]
    code = "#include <lpt/op/all.hpp>\nusing namespace lpt;\nconstexpr bool all_found() {\n"
    for i in range(count):
        code += f'    if (op::parse_kind("{names[i % len(names)]}") == op::kind::none) return false;\n'
    return code + "    return true;\n}\n" + ("static_assert(all_found());\n" if count else "")


def measure_look_ups(compiler, given):
    print(f"Look-ups of operations by name in one constant expression: {compiler.unit}, time, ratio to <vector>, memory")
    for count in [0, 8, 64, 512]:
        code = look_up_code(count)
        base, cost = compiler.least([vector, code], given.runs)
        row(f"{count} look-ups: {compiler.steps(code)} {compiler.unit} in the largest expression", *cost, base[0])


dispatch_include = "#include <lpt/lpt.hpp>\nusing namespace lpt;\n"
# What the tables name: functions of all transformations, which a program compiles with or without tables.
dispatch_functions = """
template <class> struct functions;
template <class... T> struct functions<stage<T...>> {
    static constexpr bool (*matches[])(const graph&, node_id) = {&detail::pattern_matches<T>...};
    static constexpr bool (*transforms[])(rewrite&, node_id) = {&detail::apply<T>...};
    static constexpr std::size_t count = sizeof matches / sizeof *matches + sizeof transforms / sizeof *transforms;
};
static_assert(functions<default_pipeline::prerequisites>::count + functions<default_pipeline::main>::count +
              functions<default_pipeline::cleanup>::count > 50);
"""
dispatch_tables = """
template <class> struct tables;
template <class... T> struct tables<stage<T...>> {
    static constexpr std::size_t rows = dispatch_table<T...>.rows.size();
};
static_assert(tables<default_pipeline::prerequisites>::rows + tables<default_pipeline::main>::rows +
              tables<default_pipeline::cleanup>::rows > 50);
"""


def measure_dispatch(compiler, given):
    print("Dispatch tables of the default pipeline: time, ratio to <vector>, memory")
    functions = dispatch_include + dispatch_functions
    base, included, named, tables = compiler.least(
        [vector, dispatch_include, functions, functions + dispatch_tables], given.runs)
    row("<lpt/lpt.hpp>", *included, base[0])
    row("and the functions of all transformations", *named, base[0])
    row("and the dispatch tables", *tables, base[0])
    print(f"  the tables alone: {tables[0] - named[0]:.3f} s")


network = '#include "bench/compile/network.hpp"\nusing namespace lpt;\n'
stages = {
    "built": "static_assert(bench::make_network({n}).size() > 0);\n",
    "built, frozen": "static_assert(freeze(bench::make_network({n})).size() > 0);\n",
    "built, frozen, thawed": "constexpr bool back() {{ const auto words = freeze(bench::make_network({n})); "
    "return thaw(words).size() > 0; }}\nstatic_assert(back());\n",
    "built, transformed for cpu_x86, with report": "constexpr std::size_t low() {{ graph model = bench::make_network({n}); "
    "return transform(model, cpu_x86).int8_operations(); }}\nstatic_assert(low() == {n});\n",
    "transformed in parts": "struct made {{ static constexpr graph make() {{ return bench::make_network({n}); }} }};\n"
    "static_assert(transform(network<made>{{}}, cpu_x86).int8_operations() == {n});\n",
}


def measure_transform(compiler, given):
    print(f"Networks in constant expressions: {compiler.unit} of the largest one, time, ratio to <vector>, memory")
    for name, code in stages.items():
        for blocks in given.blocks:
            program = network + code.format(n=blocks)
            base, cost = compiler.least([vector, program], given.runs)
            steps = compiler.steps(program)
            row(f"{blocks * 15 + 2} nodes {name}: {steps}", *cost, base[0])


program = """#include <lpt/lpt.hpp>
int main() {
    lpt::graph model;
    lpt::prepare(model);
    const lpt::report result = lpt::transform(model, lpt::cpu_x86);
    return static_cast<int>(result.int8_operations());
}
"""
whole_way = """#include <lpt/import.hpp>
#include <lpt/lpt.hpp>
#include <lpt/runtime.hpp>
int main(int, char** words) {
    lpt::graph model = lpt::import(words[1]);
    lpt::prepare(model);
    const lpt::report result = lpt::transform(model, lpt::cpu_x86);
    lpt::executable network = lpt::compile(model);
    return static_cast<int>(network.run(std::vector<lpt::tensor>()).size() + result.int8_operations());
}
"""


def copied(code):
    """The same program with the headers of single_include."""
    return code.replace("#include <lpt/", f"#include <{root}/single_include/lpt/")


programs = {  # and the goals, where there are some: seconds with g++ 12
    "header-only": (program, 25),
    "with lpt::compiled": ("#define LPT_SHARED_IMPLEMENTATION\n" + program, 2),
    "with copied headers, implemented elsewhere": ("#define LPT_SHARED_IMPLEMENTATION\n" + copied(program), 2),
    "that imports and runs, too, header-only": (whole_way, None),
    "the same with lpt::compiled, _import and _runtime": ("#define LPT_SHARED_IMPLEMENTATION\n" + whole_way, None),
}


def measure_programs(compiler, given):
    print("Programs that use the default pipeline, at -O2: time, ratio to <vector>, memory")
    codes = [code for code, _ in programs.values()]
    base, *costs = compiler.least([vector, *codes], given.runs, "-O2")
    for (name, (_, goal)), cost in zip(programs.items(), costs):
        row(name + (f" (goal: {goal} s)" if goal else ""), *cost, base[0])


def check_programs(compiler):
    """Ratios of whole programs to <vector>, least times of at most three rounds; true if one is above its ceiling in all."""
    codes = [programs[name][0] for name in program_ceilings]
    best = [float("inf")] * (len(codes) + 1)
    for _ in range(3):
        now = compiler.least([vector] * 5 + codes, 1, "-O2")
        least_vector = min(seconds for seconds, _ in now[:5])
        best = [min(old, new) for old, new in zip(best, [least_vector] + [seconds for seconds, _ in now[5:]])]
        ratios = [seconds / best[0] for seconds in best[1:]]
        if all(ratio <= ceiling for ratio, ceiling in zip(ratios, program_ceilings.values())):
            break
    failed = False
    for (name, ceiling), ratio, seconds in zip(program_ceilings.items(), ratios, best[1:]):
        holds = ratio <= ceiling
        print(f"{'holds' if holds else 'FAILED'}: a program that transforms, {name}: {seconds:.1f} s "
              f"(goal: {programs[name][1]} s), {ratio:.0f} x <vector> <= {ceiling}", flush=True)
        failed = failed or not holds
    return failed


def check(compiler):
    """Ceilings of constant evaluation, which are the same on every machine, and of programs; true if one does not hold."""
    codes = [look_up_code(1), network + stages["built"].format(n=5),
                network + stages["built, transformed for cpu_x86, with report"].format(n=5)]
    failed = False
    for (name, all_ceilings), code in zip(ceilings.items(), codes):
        ceiling = all_ceilings["clang" if compiler.is_clang else "g++"]
        fits = compiler.fits(code, ceiling)
        print(f"{'holds' if fits else 'FAILED'}: {name} <= {ceiling} {compiler.unit}", flush=True)
        failed = failed or not fits
    return failed if compiler.is_clang else check_programs(compiler) or failed


def main():
    parser = argparse.ArgumentParser(prog="bench/compile/run.sh", description=__doc__)
    parser.add_argument("what", nargs="*", help=f"{', '.join(parts)}: all unless named; check: ceilings only")
    parser.add_argument("--compiler", action="append", help="default: g++ and clang++-19, where there is one")
    parser.add_argument("--runs", type=int, default=3, help="runs of which the least time counts")
    parser.add_argument("--blocks", type=int, nargs="*", default=[1, 4, 16], help="sizes of networks, 15 nodes each")
    parser.add_argument("--header", default="", help="only headers with these letters in their path")
    given = parser.parse_args()
    for each in given.what:
        if each not in parts + ["check"]:
            parser.error(f"no part '{each}': there are {', '.join(parts)} and check")
    compilers = given.compiler or [each for each in ["g++", "clang++-19"] if shutil.which(each)]
    failed = False
    for name in compilers:
        compiler = Compiler(name)
        print(f"== {name}", flush=True)
        if "check" in given.what:
            failed = check(compiler) or failed
            continue
        for part, measure in zip(parts, [measure_includes, measure_look_ups, measure_dispatch, measure_transform,
                                        measure_programs]):
            if not given.what or part in given.what:
                measure(compiler, given)
    sys.exit(1 if failed else 0)


main()
