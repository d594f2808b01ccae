#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# first.sh [EMULATOR...] FIRST_EXAMPLE   README's program is examples/first.cpp to the letter, transforms a network of each format and
# runs it, and says in one line what it cannot read; README's target and pipeline are those of examples/lists.cpp.
set -euo pipefail
cd "$(dirname "$0")/../.."
# block NUMBER: of README's C++.
block() { awk -v wanted="$1" '/^```cpp$/ { inside = ++count == wanted; next } /^```$/ { inside = 0 } inside' README.md; }
shown=$(block 1)
if [ "$shown" != "$(tail -n +2 examples/first.cpp)" ]; then
    echo "README.md shows another program than examples/first.cpp:"
    diff <(echo "$shown") <(tail -n +2 examples/first.cpp)
    exit 1
fi
while IFS= read -r line; do
    grep -qxF -- "$line" examples/lists.cpp || { echo "README.md, but not examples/lists.cpp: $line"; exit 1; }
done < <(block 2)
for model in digits-onnx/model.onnx digits-tflite/model.tflite digits/model.xml; do
    printed=$("$@" "examples/data/$model")
    grep -q '^conv_1.*  Convolution  [ui]8' <<<"$printed" || { echo "$printed"; echo "$model: no 8-bit convolution in the report"; exit 1; }
    tail -n 1 <<<"$printed" | grep -qE '^output:( [-+.e0-9]+){10}$' || { echo "$printed"; echo "$model: the network did not run"; exit 1; }
done

# refuses EXPECTED [FILE]: the program ends with 1, and says this line alone.
refuses() {
    local expected=$1 said status=0
    shift
    said=$("${program[@]}" "$@" 2>&1) || status=$?
    if [ "$status" != 1 ] || [ "$said" != "$expected" ]; then
        echo "$said"
        echo "status $status; expected status 1 and: $expected"
        exit 1
    fi
}
program=("$@")
refuses "README.md: unknown format; expected OpenVINO IR (an XML document), ONNX or TFLite" README.md
refuses "nowhere.tflite: cannot be opened: No such file or directory" nowhere.tflite
refuses "model.onnx: cannot be opened: No such file or directory"
