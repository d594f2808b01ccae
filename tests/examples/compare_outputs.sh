#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# compare_outputs.sh PROGRAM...   (an emulator may stand before the program)  Tests the exit status and the figures of the program compare_outputs.
set -euo pipefail
program=("$@")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# npy FILE DESCR ORDER SHAPE HEX...: a .npy file of format version 1; HEX are the bytes of the values, 2 digits each.
npy() {
    local file=$work/$1 header="{'descr': '$2', 'fortran_order': $3, 'shape': ($4), }"
    shift 4
    {
        printf '\x93NUMPY\x01\x00'
        printf "\\x$(printf %02x ${#header})\\x00%s" "$header"
        printf '%b' "${@/#/\\x}"
    } >"$file"
}

# expect STATUS TEXT ARGUMENT...: the program ends with STATUS and prints TEXT.
expect() {
    local status=0 output
    output=$("${program[@]}" "${@:3}" 2>&1) || status=$?
    if [ "$status" = "$1" ] && grep -qF -- "$2" <<<"$output"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: %s\n  expected status %s and "%s", got status %s: %s\n' "${*:3}" "$1" "$2" "$status" "$output"
    fi
}

one=(00 00 80 3f) two=(00 00 00 40) nan=(00 00 c0 7f)
npy a.npy '<f4' False '2, 2' "${one[@]}" "${two[@]}" "${two[@]}" "${one[@]}"
npy b.npy '<f4' False '2, 2' "${one[@]}" "${two[@]}" "${one[@]}" "${two[@]}"
npy nan.npy '<f4' False '2, 2' "${one[@]}" "${two[@]}" "${nan[@]}" "${one[@]}"
npy vector.npy '<f4' False '4,' "${one[@]}" "${two[@]}" "${two[@]}" "${one[@]}"
npy short.npy '<f4' False '2, 2' "${one[@]}" "${two[@]}" "${two[@]}"
npy huge.npy '<f4' False '4294967296, 4294967296' "${one[@]}"
npy fortran.npy '<f4' True '2, 2' "${one[@]}" "${two[@]}" "${two[@]}" "${one[@]}"
npy double.npy '<f8' False '1,' "${one[@]}" "${two[@]}"
npy signed.npy '|i1' False '2, 2' ff 02 02 ff
npy unsigned.npy '|u1' False '2, 2' ff 02 02 ff
npy empty.npy '<f4' False '0, 2'
head -c 40 "$work/a.npy" >"$work/cut.npy"
cd "$work"

expect 0 "rmse_over_std 0 " a.npy a.npy --max-rmse-over-std 0 --max-top1-misses 0
# Half of the values differ by 1, and the reference's standard deviation is 0.5: sqrt(0.5) / 0.5.
expect 0 "rmse_over_std 1.414 " a.npy b.npy --max-rmse-over-std 1.42 --max-top1-misses 1
expect 0 "top-1 agreement 1/2" a.npy b.npy
expect 1 "NOT within limits" a.npy b.npy --max-rmse-over-std 1.41
expect 1 "NOT within limits" a.npy b.npy --max-top1-misses 0
expect 1 "NOT within limits" nan.npy a.npy --max-rmse-over-std 100
expect 1 "NOT within limits" nan.npy a.npy
expect 1 "max_abs nan " nan.npy a.npy
expect 1 "max_abs nan " nan.npy nan.npy
expect 0 "max_abs 256 " signed.npy unsigned.npy
expect 2 "has shape [4], expected [2, 2]" vector.npy a.npy
expect 2 "has fewer values than its shape says" short.npy a.npy
expect 2 "has fewer values than its shape says" huge.npy a.npy
expect 2 "expected C order" fortran.npy a.npy
expect 2 "holds neither little-endian 32-bit floats" double.npy a.npy
expect 2 "holds no values" empty.npy empty.npy
expect 2 "ends within its header" cut.npy a.npy
expect 2 "missing.npy: cannot be opened" missing.npy a.npy
expect 2 "expected two files" a.npy
expect 2 "takes a number" a.npy b.npy --max-top1-misses many
expect 2 "unknown option --quiet" a.npy b.npy --quiet

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
