#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# specified.sh [EMULATOR...] SPECIFIED_EXAMPLE   The program gives the codes of LiteRT's reference kernels; what docs/arithmetics.md shows is
# part of it.
set -euo pipefail
cd "$(dirname "$0")/../.."
data=examples/data/digits-tflite
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

while IFS= read -r line; do
    grep -qF -- "${line%%;*}" examples/specified.cpp || { echo "docs/arithmetics.md, but not examples/specified.cpp: $line"; exit 1; }
done < <(awk '/^```cpp$/ { inside = ++count == 1; next } /^```$/ { inside = 0 } inside' docs/arithmetics.md)

# sample FILE BYTES NUMBER: the bytes of one sample of a file whose samples fill its end.
samples=500
sample() {
    local begin=$(($(stat -c %s "$1") - $2 * samples + $2 * $3))
    dd if="$1" iflag=skip_bytes,count_bytes skip=$begin count="$2" status=none
}
for number in 0 1 2 3 250 499; do
    sample $data/in0.npy 64 $number >"$work/input"
    given=$("$@" $data/model.tflite "$work/input")
    wanted=$(sample $data/out0.npy 10 $number | od -An -v -w10 -td1 | xargs)
    [ "$given" = "$wanted" ] || { echo "sample $number: $given, expected $wanted"; exit 1; }
done

status=0
"$@" examples/data/digits-onnx/model.onnx >"$work/out" 2>"$work/err" || status=$?
if [ $status != 1 ] || [ -s "$work/out" ] || [ "$(wc -l <"$work/err")" != 1 ]; then
    cat "$work/err"
    echo "an ONNX file: status $status; expected status 1 and one line"
    exit 1
fi
