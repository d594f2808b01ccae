#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# examples/run.sh [NETWORK...]   Transforms the networks of examples/data (all of them, or those named) to 8-bit
# integers, runs them, prints which operation ran in which precision, and compares the outputs with stored ones.
# Installs what the build needs on a Debian 12 machine. Exit 0 when all outputs are within the network's limits.
set -euo pipefail
cd "$(dirname "$0")/.."
source cmake/packages.sh

echo "== packages"
install_packages "${lpt_build_packages[@]}"

echo "== build"
build release --target lpt_run compare_outputs

# limit FOLDER NAME: the number that stands after NAME in the folder's file `limits`.
limit() {
    awk -v name="$2" '$1 == name { print $2; found = 1 } END { exit !found }' "$1/limits"
}

outputs=$(mktemp -d)
trap 'rm -rf "$outputs"' EXIT

# run_network NAME: exit 0 when every stored output was matched.
run_network() {
    local folder=examples/data/$1 inputs=() reference k model
    model=$(find "$folder" -name 'model.xml' -o -name 'model.onnx' -o -name 'model.tflite')
    mkdir -p "$outputs/$1"
    for ((k = 0; ; k++)); do
        [ -f "$folder/in$k.npy" ] || break
        inputs+=(--input "$folder/in$k.npy")
    done
    build/release/bin/lpt_run "$model" "${inputs[@]}" \
        --output "$outputs/$1" --report "$outputs/$1/report.json" || return 1
    for ((k = 0; ; k++)); do
        reference=$folder/out$k.npy
        [ -f "$reference" ] || break
        echo "output $k against the stored reference:"
        build/release/bin/compare_outputs "$outputs/$1/$k.npy" "$reference" \
            --max-rmse-over-std "$(limit "$folder" max_rmse_over_std)" \
            --max-top1-misses "$(limit "$folder" max_top1_misses)" || return 1
    done
    if [ "$k" = 0 ]; then
        echo "$folder has no stored output out0.npy"
        return 1
    fi
}

passed=0
failed=0
if [ $# = 0 ]; then
    for folder in examples/data/*/; do
        set -- "$@" "$(basename "$folder")"
    done
fi
for network in "$@"; do
    echo "== $network"
    if run_network "$network"; then
        passed=$((passed + 1))
    else
        echo "$network FAILED"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
