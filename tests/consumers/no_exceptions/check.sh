#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/consumers/no_exceptions/check.sh [COMPILER]...   (g++ clang++-19) lpt.hpp without exceptions and type information: a pipeline runs, errors
# reach the user's handler or end the program with their line, and with a handler nothing is thrown by compilers that have exceptions.
set -euo pipefail
cd "$(dirname "$0")/../../.."
[ $# != 0 ] || set -- g++ clang++-19
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
source=tests/consumers/no_exceptions/main.cpp
common=(-std=c++20 -O0 -ffp-contract=off -Wall -Wextra -Wpedantic -Werror -Iinclude)

fails() { # fails WORD STATUS LINE: the program ends so, with this line
    local status=0
    said=$("$folder/program" "$1" 2>&1) || status=$?
    if [ "$status" != "$2" ] || [ "$said" != "$3" ]; then
        printf '%s: expected status %s and\n%s\nnot %s and\n%s\n' "$1" "$2" "$3" "$status" "$said"
        exit 1
    fi
}
ulimit -c 0
wrong="Add '': shapes [1,3,8,8] and [1,5,8,8] do not broadcast to each other"
memory='15.9 EiB of memory cannot be allocated'
for compiler in "$@"; do
    if ! command -v "$compiler" >/dev/null; then
        echo "skipped: lpt.hpp without exceptions with $compiler (it is not installed)"
        continue
    fi
    "$compiler" "${common[@]}" -fno-exceptions -fno-rtti "$source" -o "$folder/program"
    "$folder/program" >/dev/null
    fails wrong 3 "handler: $wrong"
    fails memory 3 "handler: $memory"
    "$compiler" "${common[@]}" -fno-exceptions -fno-rtti -DWITHOUT_HANDLER "$source" -o "$folder/program"
    "$folder/program" >/dev/null
    fails wrong 134 "$wrong"
    fails memory 134 "$memory"
    "$compiler" "${common[@]}" -c "$source" -o "$folder/program.o"
    if nm "$folder/program.o" | grep -E '__cxa_(throw|allocate_exception|rethrow)$|__dynamic_cast'; then
        echo "with LPT_FAIL, $compiler's code for lpt.hpp throws"
        exit 1
    fi
    echo "without exceptions: passed with $compiler"
done
