#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# first.sh [EMULATOR...] FIRST_EXAMPLE   README's program is examples/first.cpp to the letter, transforms a network and runs it.
set -euo pipefail
cd "$(dirname "$0")/../.."
shown=$(sed -n '/^```cpp$/,/^```$/p' README.md | sed -n '2,/^```$/p' | sed '$d')
if [ "$shown" != "$(tail -n +2 examples/first.cpp)" ]; then
    echo "README.md shows another program than examples/first.cpp:"
    diff <(echo "$shown") <(tail -n +2 examples/first.cpp)
    exit 1
fi
for model in digits-onnx/model.onnx digits/model.xml; do
    printed=$("$@" "examples/data/$model")
    grep -q '^conv_1.*Convolution.*[ui]8' <<<"$printed" || { echo "$printed"; echo "$model: no 8-bit convolution in the report"; exit 1; }
    [ "$(tail -n 1 <<<"$printed")" = "1 output" ] || { echo "$printed"; echo "$model: the network did not run"; exit 1; }
done
