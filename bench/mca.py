#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How well the inner loops of the AArch64 kernels use a processor's multipliers, by llvm-mca's model of it.

Compiles the kernels of an instruction set to assembly, takes from each tile its innermost loop, and compares the cycles of one iteration
with those of its multiply instructions alone, back to back. 1.00 means that nothing but them bounds the loop. Memory is taken to be in
the L1 cache. Needs a compiler for AArch64 (the default is Debian's cross compiler) and llvm-mca.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
multiplies = {
    "neon": ["smull", "smull2", "sadalp"],
    "neon_dot": ["sdot"],
    "neon_i8mm": ["smmla", "usmmla"],
}
flags = {
    "neon": [],
    "neon_dot": ["-march=armv8.2-a+dotprod"],
    "neon_i8mm": ["-march=armv8.2-a+dotprod+i8mm"],
}
# Cores that have the instruction set.
cores = {
    "neon": ["neoverse-n1", "neoverse-v1", "apple-m1"],
    "neon_dot": ["neoverse-n1", "neoverse-v1", "apple-m1"],
    "neon_i8mm": ["neoverse-v1", "neoverse-n2", "neoverse-v2", "apple-m2"],
}


def assembly_of(isa, options, folder):
    source = folder / (isa + ".cpp")
    target = folder / (isa + ".s")
    source.write_text("#include <lpt/kernel/table.hpp>\n"
                      f"template const lpt::kernel::kernel_table& lpt::kernel::table_of<lpt::kernel::on::{isa}>() noexcept;\n")
    subprocess.run(options.compiler.split() + ["-std=c++20", "-O2", "-ffp-contract=off", "-fno-exceptions", "-S", "-I",
                                               str(root / "include"), *options.flag, *flags[isa], str(source), "-o", str(target)],
                   check=True)
    return target.read_text()


def functions_of(assembly):
    """(name, lines) of each function."""
    name, lines = None, []
    for line in assembly.splitlines():
        start = re.match(r"(_Z\w+):", line)
        if start:
            name, lines = start[1], []
        elif line.strip().startswith(".size") and name:
            yield name, lines
            name = None
        elif name:
            lines.append(line)


def instruction_of(line):
    text = line.split("//")[0].strip()
    return "" if not text or text.startswith((".", "#")) or text.endswith(":") else text


def inner_loops(lines):
    """Runs of instructions without a label inside, from a label to a branch back to it."""
    label, body = None, []
    for line in lines:
        found = re.match(r"(\.\w+):", line)
        if found:
            label, body = found[1], []
            continue
        text = instruction_of(line)
        if not text:
            continue
        body.append(text)
        if re.match(r"(b\.?[a-z]*|cbn?z|tbn?z)\s", text) and label and text.split()[-1] == label:
            yield list(body)


def count(body, names):
    return sum(text.split()[0] in names for text in body)


def cycles_of(body, core, options):
    """Cycles of one iteration, or None if llvm-mca does not know the core or an instruction."""
    iterations = 200
    result = subprocess.run([options.mca, "-mtriple=aarch64", f"-mcpu={core}", f"-iterations={iterations}"],
                            input="\n".join(body) + "\n", capture_output=True, text=True)
    found = re.search(r"Total Cycles:\s+(\d+)", result.stdout)
    return int(found[1]) / iterations if found else None


def back_to_back(body, names):
    """The multiply instructions of a loop, each with registers of its own."""
    chosen = [text.split()[0] for text in body if text.split()[0] in names]
    made = []
    for i, name in enumerate(chosen):
        to = i % 24
        if name == "sadalp":
            made.append(f"sadalp v{to}.4s, v30.8h")
        elif name == "smull":
            made.append(f"smull v{to}.8h, v30.8b, v31.8b")
        elif name == "smull2":
            made.append(f"smull2 v{to}.8h, v30.16b, v31.16b")
        else:
            made.append(f"{name} v{to}.4s, v30.16b, v31.16b")
    return made


def readable(name):
    if "dense_tile" not in name:
        return None
    text = subprocess.run(["c++filt", name], capture_output=True, text=True).stdout
    found = re.search(r"::run<(\d+), (\d+)(?:, (true|false))?>", text)
    if "dense_tile" not in text or "integer_arithmetic" not in text or not found:
        return None
    return f"{found[1]} rows x {found[2]} vectors" + (", four bits" if found[3] == "true" else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", default="aarch64-linux-gnu-g++-12")
    parser.add_argument("--flag", action="append", default=None, help="of the compiler; default: those of cmake/lpt_kernels.cmake for g++")
    parser.add_argument("--mca", default="llvm-mca-19")
    parser.add_argument("--isa", action="append", choices=list(cores), default=[])
    parser.add_argument("--core", action="append", default=[], help="in place of the usual ones")
    parser.add_argument("--all", action="store_true", help="every tile, not only the highest of the full width")
    parser.add_argument("--assembly", help="keep the loops in this folder")
    options = parser.parse_args()
    if options.flag is None:
        options.flag = ["-fno-schedule-insns"] if "g++" in options.compiler else []
    with tempfile.TemporaryDirectory() as folder:
        for isa in options.isa or list(cores):
            report(isa, assembly_of(isa, options, pathlib.Path(folder)), options)
    return 0


def sizes_of(tile):
    """Vectors, then rows."""
    found = re.match(r"(\d+) rows x (\d+) vectors", tile)
    return int(found[2]), int(found[1])


def report(isa, assembly, options):
    rows = {}
    for name, lines in functions_of(assembly):
        tile = readable(name)
        if tile is None:
            continue
        loops = [body for body in inner_loops(lines) if count(body, multiplies[isa]) > 0]
        for body in loops:
            rows.setdefault(tile, []).append(body)
    if not rows:
        sys.exit(f"{isa}: no inner loop found")
    full = max(rows, key=lambda tile: ("bits" not in tile, *sizes_of(tile)))
    for tile, loops in sorted(rows.items()):
        if not options.all and not tile.startswith(full):
            continue
        for number, body in enumerate(loops):
            if count(body, multiplies[isa]) < max(count(each, multiplies[isa]) for each in loops):
                continue  # the rest of a loop that takes several k groups at a time
            if options.assembly:
                to = pathlib.Path(options.assembly)
                to.mkdir(parents=True, exist_ok=True)
                (to / f"{isa}_{tile.replace(' ', '_')}_{number}.s").write_text("\n".join(body) + "\n")
            used = sorted({text.split()[0] for text in body if text.split()[0] in multiplies[isa]})
            print(f"{isa}, {tile}: {count(body, multiplies[isa])} {'/'.join(used)} of {len(body)} instructions")
            for core in options.core or cores[isa]:
                cycles = cycles_of(body, core, options)
                least = cycles_of(back_to_back(body, multiplies[isa]), core, options)
                if cycles is None or least is None:
                    print(f"  {core:14s} unknown to {options.mca}")
                else:
                    print(f"  {core:14s} {cycles:6.2f} cycles, {least:6.2f} of them for products: {least / cycles:.2f}")


if __name__ == "__main__":
    sys.exit(main())
