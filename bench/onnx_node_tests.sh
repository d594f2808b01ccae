#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bench/onnx_node_tests.sh [LPT_RUN [--write]]   Runs the onnx package's own node tests in floats, prints what fails, by reason, and how many pass.
# With --write the list of docs/formats.md is written anew.
# The package comes into a Python environment of its own, build/onnx_venv; the tests' files into build/onnx_node_tests.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
program=${1:-$top/build/release/bin/lpt_run}
environment=$top/build/onnx_venv
cases=$top/build/onnx_node_tests
if [ ! -x "$environment/bin/python" ] || ! "$environment/bin/python" -c 'import onnx' 2>/dev/null; then
    python3 -m venv "$environment"
    "$environment/bin/pip" install -q onnx==1.23.2 numpy ml_dtypes
fi
if [ ! -d "$cases" ]; then
    "$environment/bin/python" "$top/bench/onnx/write_cases.py" "$cases.new"
    mv "$cases.new" "$cases"
fi
write=()
if [ "${2:-}" = --write ]; then
    write=(--write "$top/docs/formats.md")
fi
"$environment/bin/python" "$top/bench/onnx/run_cases.py" "$program" "$cases" "${write[@]}"
