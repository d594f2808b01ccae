#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# lpt_check.sh [EMULATOR...] LPT_CHECK   Tests the program's command line.
set -uo pipefail
cd "$(dirname "$0")/../.."
check=("$@")
models=tests/data/spec
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# gives STATUS WORDS ARGUMENT...: this exit status, and the words on stdout, or for status 1 in the one line on stderr.
gives() {
    local expected=$1 words=$2 status=0
    shift 2
    "${check[@]}" "$@" >"$work/out" 2>"$work/err" || status=$?
    [ "$expected" != 1 ] || { [ ! -s "$work/out" ] && [ "$(wc -l <"$work/err")" = 1 ] && cp "$work/err" "$work/out"; }
    if [ $status != "$expected" ] || ! grep -qF -- "$words" "$work/out"; then
        echo "FAILED: lpt_check $* must end with status $expected and say: $words"
        sed 's/^/    /' "$work/out" "$work/err"
        failed=1
    fi
}

gives 0 "1 operations, 0 violations" "$models/conforming.tflite"
gives 2 "bias-scale, expected scale" "$models/wrong_bias_scale.tflite"
gives 2 "to mend: quantize the bias" "$models/wrong_bias_scale.tflite"
gives 0 '"conforms": true' "$models/conforming.tflite" --json
gives 2 '"rule": "bias-scale"' "$models/wrong_bias_scale.tflite" --json
gives 0 "| 38 | QUANTIZE (Requantization) |" --specification
head -c 200 "$models/conforming.tflite" >"$work/cut.tflite"
gives 1 "cut.tflite" "$work/cut.tflite"
gives 1 "none.tflite" "$work/none.tflite"
gives 0 " operations, 0 violations" examples/data/digits/model.xml
gives 0 " operations, 0 violations" examples/data/digits-onnx/model.onnx
gives 2 "per-tensor, expected one scale" examples/data/efficientnet-lite0/model.xml
gives 1 "expected a model"
gives 1 "--wrong" --wrong
# The specification is asked for alone: a model beside it would seem to be checked.
gives 1 "MODEL excludes --specification" --specification "$models/conforming.tflite"
gives 1 "--json excludes --specification" --specification --json
# What is printed arrives, or the program fails.
if [ -w /dev/full ]; then
    for arguments in "$models/conforming.tflite" "$models/wrong_bias_scale.tflite --json" --specification --help; do
        status=0
        # shellcheck disable=SC2086
        "${check[@]}" $arguments 2>"$work/err" >/dev/full || status=$?
        if [ $status != 1 ] || [ "$(cat "$work/err")" != "lpt_check: standard output cannot be written" ]; then
            echo "FAILED: lpt_check $arguments must fail where its output is lost"
            failed=1
        fi
    done
fi
exit $failed
