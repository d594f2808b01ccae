#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# rules.sh [ROOT]   Checks the headers below ROOT/include/lpt against the rules of docs/design.md:
#  - includes go upwards only: a folder uses its own headers and those of the folders it may use (table below);
#  - an outside library is included in one place only, and the core includes no expensive standard header;
#  - lpt.hpp reaches the core folders only;
#  - every include is <lpt/folder/file.hpp> and exists; every header has its licence line and #pragma once;
#  - no header has #pragma GCC optimize, nor _Pragma of it: GCC's manual calls it unfit for production.
# Prints a line per violation, "FILE:LINE: what", and exits 1 when there is one.
set -euo pipefail
root=${1:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$root/include"

if [ ! -d lpt ]; then
    echo "$root/include/lpt: no such folder"
    exit 1
fi
find lpt -name '*.hpp' -print0 | LC_ALL=C sort -z | xargs -0 -r awk '
BEGIN {
    # folder: the folders that it may use; what those may use comes with them.
    uses["base"] = ""
    uses["tensor"] = "base"
    uses["op"] = "tensor"
    uses["graph"] = "op"
    uses["reference"] = "graph"
    uses["constant"] = "graph"
    uses["attribute"] = "graph"
    uses["spec"] = "op"
    uses["restriction"] = "attribute spec"
    uses["transformation"] = "restriction constant"
    uses["rule"] = "transformation"
    uses["target"] = "transformation"
    uses["pipeline"] = "target"
    uses["optimization"] = "pipeline rule"
    uses["import"] = "graph"
    uses["check"] = "import spec"
    uses["export"] = "pipeline"
    uses["kernel"] = "tensor"
    uses["specified"] = "import kernel"
    uses["plan"] = "reference"
    uses["runtime"] = "plan kernel"
    uses["embedded"] = "kernel"
    # Headers that lie directly in lpt/ gather those of folders.
    uses["lpt.hpp"] = "pipeline"
    uses["reference.hpp"] = "reference"
    uses["import.hpp"] = "import"
    uses["export.hpp"] = "export"
    uses["runtime.hpp"] = "runtime"
    uses["kernels.hpp"] = "kernel"
    # Plain data of the kernels that planning may see.
    exception["plan", "lpt/kernel/rows.hpp"] = 1
    # Memory as kernels like it, and places in an arena.
    exception["specified", "lpt/plan/zeroed_memory.hpp"] = 1
    exception["specified", "lpt/plan/free_memory.hpp"] = 1

    for (changed = 1; changed; ) {   # transitive closure
        changed = 0
        for (folder in uses) {
            count = split(uses[folder], direct, " ")
            for (i = 1; i <= count; i++) {
                changed += allow(folder, direct[i])
                for (other in uses)
                    if ((direct[i], other) in may_use) changed += allow(folder, other)
            }
        }
    }

    split("base tensor op graph constant attribute spec restriction transformation rule target pipeline lpt.hpp", names, " ")
    for (i in names) core[names[i]] = 1
    split("memory functional ranges regex iostream filesystem complex string vector map algorithm cmath", names, " ")
    for (i in names) expensive[names[i]] = 1
}
function allow(folder, other) {
    if ((folder, other) in may_use) return 0
    may_use[folder, other] = 1
    return 1
}
function report(what) {
    printf "include/%s:%d: %s\n", FILENAME, FNR, what
    violations++
}
function only_in(condition, what, where) {
    if (!condition) report("<" what "> belongs into " where " only")
}
function finish_file() {
    if (previous != "" && !has_pragma) { printf "include/%s:1: #pragma once is missing\n", previous; violations++ }
}
FNR == 1 {
    finish_file()
    previous = FILENAME
    has_pragma = 0
    depth = split(FILENAME, part, "/")
    folder = part[2]                # of a header directly in lpt/ its own name
    if (!(folder in uses)) report("\"" folder "\" is not in the table of folders")
    if ($0 != "// SPDX-License-Identifier: Apache-2.0") report("the first line is not the licence line")
}
/^[ \t]*#[ \t]*pragma[ \t]+once/ { has_pragma = 1 }
/^[ \t]*#[ \t]*pragma[ \t]+GCC[ \t]+optimize/ || /_Pragma[ \t]*\([ \t]*"[ \t]*GCC[ \t]+optimize/ {
    report("#pragma GCC optimize: how code is optimised is for the compiler options to say")
}
/^[ \t]*#[ \t]*include/ {
    if (!match($0, /<[^>]*>/)) { report("expected #include <...>"); next }
    header = substr($0, RSTART + 1, RLENGTH - 2)
    if (header ~ /^lpt\//) {
        if ((getline unused < header) < 0) report("<" header "> does not exist")
        close(header)
        split(header, target, "/")
        if (target[2] != folder && !((folder, target[2]) in may_use) && !((folder, header) in exception))
            report("\"" folder "\" may not use <" header ">")
    }
    else if (header ~ /^boost\//)                only_in(FILENAME ~ /^lpt\/(base\/hana|op\/hana_struct|restriction\/intersection)\.hpp$/, header, "base/hana.hpp and what few programs include")
    else if (header ~ /^xsimd\//)                only_in(FILENAME == "lpt/kernel/xsimd.hpp", header, "kernel/xsimd.hpp")
    else if (header ~ /^(immintrin|arm_neon)/)   only_in(folder == "kernel", header, "kernel")
    else if (header ~ /^(sys\/|unistd|sched|pthread|fcntl|features|dlfcn|cpuid|windows)/)
        only_in(FILENAME ~ /^lpt\/(base\/platform|plan\/large_pages|runtime\/platform|runtime\/processor_affinity|import\/file_contents|kernel\/isa)\.hpp$/,
            header, "the headers that ask the operating system")
    else if (header ~ /^(pugixml|protozero|flatbuffers)/) only_in(folder == "import", header, "import")
    else if (header ~ /^(oneapi|tbb)\//)         only_in(folder == "runtime", header, "runtime")
    else if (header ~ /^(doctest|nlohmann|CLI|benchmark)\//) report("<" header "> belongs into tests, examples and bench only")
    else if ((folder in core) && (header in expensive)) report("<" header "> is too expensive for the core")
}
END {
    finish_file()
    if (violations) { printf "%d violations of the header rules\n", violations; exit 1 }
    print "header rules hold"
}' || exit 1
