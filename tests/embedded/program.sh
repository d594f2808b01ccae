#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# program.sh NM STRIP PROGRAM OBJECT;OBJECT...   A program with an embedded network: neither it nor its objects know the heap or exceptions,
# its steps carry their instruction set, and it is small. What is counted: the file on disk after strip, with the weights;
# the C library is linked dynamically.
set -euo pipefail
nm=$1 strip=$2 program=$3
IFS=';' read -r -a objects <<<"$4"
most_bytes=480000  # AArch64's files have pages of 64 KiB: its 398 KB of code and numbers take 461; 359 KB on x86-64
forbidden='(^|[^a-z])(malloc|calloc|realloc|aligned_alloc|free)(@|$)|_Zn[wa]|_Zd[la]|__cxa_(throw|rethrow|allocate|begin|end|guard)|__gxx_personality|_Unwind'
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# refers_to FILE OPTION...: the forbidden names that a file refers to.
refers_to() {
    local file=$1
    shift
    "$nm" "$@" --undefined-only "$file" | awk '{ print $NF }' | grep -E "$forbidden" || true
}

steps=0
for object in "${objects[@]}"; do
    found=$(refers_to "$object")
    [ -z "$found" ] || { echo "FAILED: $object refers to" $found; failed=1; }
    case $object in */lpt_embed/*) ;; *) continue ;; esac
    steps=$((steps + 1))
    # Functions that the linker could put in the place of others carry the tag of the instruction set, on::…. Of names as
    # the compiler writes them: nm does not know how clang spells template arguments of type auto.
    found=$("$nm" --defined-only "$object" | grep -E '^[0-9a-f]* W ' | grep -v '2on[1-9]' || true)
    [ -z "$found" ] || { printf 'FAILED: %s: weak functions without an instruction set:\n%s\n' "$object" "$found"; failed=1; }
    # Of the world outside the steps need functions of memory and, at most, of numbers; AArch64's compiler calls its own library to count atomically.
    found=$("$nm" --undefined-only "$object" | awk '{ print $NF }' |
        grep -vxE 'mem(cpy|set|move)|exp|log|sqrt|_GLOBAL_OFFSET_TABLE_|__aarch64_ldadd[1248]_relax' || true)
    [ -z "$found" ] || { echo "FAILED: $object needs" $found; failed=1; }
done
[ "$steps" = 1 ] || { echo "FAILED: $steps objects with steps"; failed=1; }

found=$(refers_to "$program" -D)
[ -z "$found" ] || { echo "FAILED: $program refers to" $found; failed=1; }
"$strip" -o "$work/stripped" "$program"
bytes=$(wc -c <"$work/stripped")
echo "$(basename "$program"): $bytes bytes, stripped, with its weights"
[ "$bytes" -lt "$most_bytes" ] || { echo "FAILED: $most_bytes are allowed"; failed=1; }
exit $failed
