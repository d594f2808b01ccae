#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# compare_arithmetics.sh PROGRAM...   (an emulator may stand before the program)  Tests the exit status and the table of the program compare_arithmetics.
set -euo pipefail
program=("$@")
digits=$(dirname "$0")/../../examples/data/digits-tflite
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# expect STATUS TEXT ARGUMENT...: the program ends with STATUS and prints TEXT.
expect() {
    local status=0 output
    output=$("${program[@]}" "${@:3}" 2>&1) || status=$?
    if [ "$status" != "$1" ] || ! grep -qF -- "$2" <<<"$output"; then
        failed=1
        printf 'FAILED: %s\n  expected status %s and "%s", got status %s: %s\n' "${*:3}" "$1" "$2" "$status" "$output"
    fi
}

expect 1 'expected paths'
mkdir "$work/empty" "$work/digits"
expect 1 'neither cases nor models' "$work/empty"
cp "$digits/model.tflite" "$digits/in0.npy" "$work/digits"
expect 1 'neither cases nor models' "$work/digits"
cp "$digits/out0.npy" "$work/digits/out0.litert.default.npy"
expect 0 "compared with LiteRT's default" "$work"
expect 0 '| digits | 1 |' "$work/digits"
head -c 200 "$digits/out0.npy" >"$work/digits/out0.litert.default.npy"
expect 1 'out0.litert.default.npy' "$work"
exit $failed
