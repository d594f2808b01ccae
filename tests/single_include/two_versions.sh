#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/single_include/two_versions.sh [FOLDER]   Two versions in one program, as when two libraries that it links bring one each: they
# share no symbol of lpt, and both work. The other version is the same headers under another number, in FOLDER (build/single_include).
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${1:-build/single_include}
other=$folder/other_version
rm -rf "$other" && mkdir -p "$folder" && cp -r single_include "$other"
sed -i 's/^#define LPT_VERSION_PATCH .*/#define LPT_VERSION_PATCH 999/' "$other"/lpt/*.hpp

object() { # object NAME INCLUDE: compiles a file, and lists the symbols of the library that it defines
    g++ -std=c++20 -O0 -I"$2" -c "tests/single_include/two_versions/$1.cpp" -o "$folder/$1.o"
    nm --defined-only "$folder/$1.o" | awk '{ print $NF }' | grep 3lpt | sort -u >"$folder/$1.txt"
}
object this_version single_include
object other_version "$other"
comm -12 "$folder/this_version.txt" "$folder/other_version.txt" >"$folder/both_versions.txt"
if [ -s "$folder/both_versions.txt" ]; then
    echo "symbols that two versions share:"
    c++filt <"$folder/both_versions.txt" | head
    exit 1
fi
g++ "$folder/this_version.o" "$folder/other_version.o" -o "$folder/two_versions"
"$folder/two_versions"
echo "two versions, with $(wc -l <"$folder/this_version.txt") and $(wc -l <"$folder/other_version.txt") symbols, share none in one program"
