#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bench/networks.sh [--batch N] [OPTION of bench/networks/compare.py]… [NETWORK]…   Whole networks, ours against the engines that read the same
# files: sets these up in a Python environment of the build folder, builds lpt_run, and prints latency, ratio, time to load and memory, on one and two
# threads. A NETWORK is a file, or several joined by commas that are the same network in several formats; without one, those of examples/data and
# those that bench/networks/generate.py makes; of a batch of N, the latter alone.
# Needs the network for the set-up. The environment variable LPT_NETWORKS_BUILD is the build folder (build/networks), LPT_RUN a program to
# measure in place of the one that is built.
set -euo pipefail
here=$PWD
batch=1
if [ "${1:-}" = --batch ]; then
    batch=${2:?"--batch needs a number"}
    shift 2
fi
cd "$(dirname "$0")/.."
build=${LPT_NETWORKS_BUILD:-build/networks}
mkdir -p "$build"
build=$(realpath "$build")

if [ ! -x "$build/venv/bin/python" ]; then
    python3 -m venv "$build/venv"
fi
"$build/venv/bin/pip" install --quiet --disable-pip-version-check numpy onnx==1.23.2
for peer in openvino==2026.4.1 onnxruntime==1.31.1 ai-edge-litert==2.3.0; do
    "$build/venv/bin/pip" install --quiet --disable-pip-version-check "$peer" || echo "not compared: $peer cannot be installed"
done

program=${LPT_RUN:-}
if [ -z "$program" ]; then
    cmake -S . -B "$build/cmake" -G Ninja -DCMAKE_BUILD_TYPE=Release -DLPT_BUILD_TESTS=OFF -DLPT_BUILD_EXAMPLES=ON >"$build/configure.log"
    cmake --build "$build/cmake" --target lpt_run >"$build/build.log" || { cat "$build/build.log"; exit 1; }
    program=$(find "$build/cmake" -name lpt_run -type f -print -quit)
fi
top=$PWD
cd "$here"
program=$(realpath "$program")
generated=$build/generated/batch_$batch
"$build/venv/bin/python" "$top/bench/networks/generate.py" --batch "$batch" "$generated"
defaults=()
if [ "$batch" = 1 ]; then
    data=$top/examples/data
    defaults+=("$data/digits/model.xml,$data/digits-onnx/model.onnx,$data/digits-tflite/model.tflite" "$data/efficientnet-lite0/model.xml")
fi
defaults+=("$generated"/*.onnx)
"$build/venv/bin/python" "$top/bench/networks/compare.py" --lpt-run "$program" "${defaults[@]/#/--default=}" "$@"
