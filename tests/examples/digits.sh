#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# digits.sh [EMULATOR...] DIGITS_EXAMPLE   The digits that the program reads are those that the images show, and other files are refused.
set -euo pipefail
cd "$(dirname "$0")/../.."
data=examples/data/digits
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$@" "$data/in0.npy" >"$work/found"
tail -c 500 "$data/labels.npy" | od -An -v -tu1 -w1 | tr -d ' ' >"$work/shown"
right=$(paste -d ' ' "$work/found" "$work/shown" | awk '$1 == $2' | wc -l)
echo "$right of $(wc -l <"$work/found") digits are right"
[ "$(wc -l <"$work/found")" = 500 ] && [ "$right" -ge 495 ]

if "$@" "$data/labels.npy" 2>"$work/error"; then
    echo "FAILED: a file of another type must be refused"
    exit 1
fi
grep -q 'expected a file of f32 images' "$work/error"
