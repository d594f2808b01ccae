#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bench/peers.sh [OPTION of bench/peers/compare.py]…   Sets up other libraries in a Python environment of the build folder, and prints
# tables of ratios, ours against each: the same shapes, the same run, in turn, on one and two threads. Needs the network for the set-up.
# The environment variable LPT_PEERS_BUILD is the build folder (build/peers).
set -euo pipefail
cd "$(dirname "$0")/.."
build=${LPT_PEERS_BUILD:-build/peers}
mkdir -p "$build"

# oneDNN's build on OpenMP: the newer packages have a runtime that adds microseconds to each call.
if [ ! -x "$build/venv/bin/python" ]; then
    python3 -m venv "$build/venv"
fi
install() { "$build/venv/bin/pip" install --quiet --disable-pip-version-check "$@"; }
install onednn-cpu-gomp==2023.2.0 onednn-devel-cpu-gomp==2023.2.0 numpy
# The others are compared where they can be installed.
for peer in "onnx onnxruntime" openvino "ai-edge-litert flatbuffers"; do
    # shellcheck disable=SC2086
    install $peer || echo "not compared: $peer cannot be installed"
done

cmake -S . -B "$build/cmake" -G Ninja -DCMAKE_BUILD_TYPE=Release -DLPT_BUILD_BENCH=ON -DLPT_BUILD_TESTS=OFF \
    -DLPT_BUILD_EXAMPLES=OFF -DLPT_ONEDNN_ROOT="$(realpath "$build/venv")" >"$build/configure.log"
cmake --build "$build/cmake" --target lpt_peers >"$build/build.log" || { cat "$build/build.log"; exit 1; }
library=$(find "$build/cmake" -name 'liblpt_peers.so' -print -quit)

# Each of oneDNN's threads keeps its processor. Linux may else wake them all on one, where they wait for milliseconds.
export OMP_PROC_BIND=true
compare() { "$build/venv/bin/python" bench/peers/compare.py "$library" "$@"; }
if [ $# != 0 ]; then
    compare "$@"
    exit
fi
compare --isa avx512_vnni
ONEDNN_MAX_CPU_ISA=AVX2_VNNI compare --isa avx_vnni --peers onednn
ONEDNN_MAX_CPU_ISA=AVX2 compare --isa avx2 --peers onednn
