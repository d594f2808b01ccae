#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# lpt_run.sh [EMULATOR...] LPT_RUN   Tests the program's command line on the network of examples/data.
set -uo pipefail
cd "$(dirname "$0")/../.."
run=("$@")
network=examples/data/efficientnet-lite0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# expect NAME COMMAND...: the command must succeed.
expect() {
    local name=$1
    shift
    if ! "$@"; then
        echo "FAILED: $name"
        failed=1
    fi
}
# rejects WORDS ARGUMENT...: exit status 1, nothing on stdout, one line on stderr that contains the words.
rejects() {
    local words=$1 status=0
    shift
    "${run[@]}" "$@" >"$work/out" 2>"$work/err" || status=$?
    if [ $status != 1 ] || [ -s "$work/out" ] || [ "$(wc -l <"$work/err")" != 1 ] || ! grep -qF -- "$words" "$work/err"; then
        echo "FAILED: lpt_run $* must be rejected with: $words"
        sed 's/^/    /' "$work/err"
        failed=1
    fi
}
has() { grep -qF -- "$2" "$1"; }
quietly() { "${run[@]}" "$@" >"$work/table"; }

expect "a run with random inputs" quietly "$network/model.xml" --output "$work/one" --report "$work/report.json" \
    --html "$work/report.html" --repeat 2
expect "the table counts the operations in 8 bits" has "$work/table" "50 of 50 convolutions and matrix products run in 8 bits"
expect "the times are printed" has "$work/table" "median"
for key in operations import_ms transform_ms plan_ms run_ms peak_memory_bytes EXECUTED NOT_RUN execution_type fused real_us cpu_us; do
    expect "the report has $key" has "$work/report.json" "$key"
done
expect "the HTML report is complete" has "$work/report.html" "</html>"
expect "a run on two threads" quietly "$network/model.xml" --output "$work/two" --threads 2
expect "threads do not change the outputs" cmp "$work/one/0.npy" "$work/two/0.npy"
expect "a run without transformations" quietly "$network/model.xml" --precision f32 --output "$work/real"
expect "no operation is in 8 bits" has "$work/table" "0 of 50 convolutions"

dynamic=$work/dynamic/model.xml
mkdir "$work/dynamic"
sed 's/shape="1,3,224,224"/shape="?,3,?,?"/' "$network/model.xml" >"$dynamic"
cp "$network/model.bin" "$work/dynamic/model.bin"
expect "a run on the samples of the network" quietly "$network/model.xml" --input "$network/in0.npy" --output "$work/fixed"
expect "the inputs decide the shapes of a dynamic network" quietly "$dynamic" --input "$network/in0.npy" \
    --output "$work/open" --report "$work/open.json"
expect "dynamic and static shapes give the same outputs" cmp "$work/fixed/0.npy" "$work/open/0.npy"
expect "the table counts the operations of a dynamic network" has "$work/table" "50 of 50 convolutions"
expect "times of a dynamic network are reported" has "$work/open.json" "EXECUTED"

rejects "MODEL is required"
rejects "model.bin: unknown format" "$network/model.bin"
rejects "nowhere.xml" nowhere.xml
rejects "is not a .npy file" "$network/model.xml" --input "$network/model.xml"
rejects "must be f32[1,3,224,224], or a stack of such, not f32[1,1000]" "$network/model.xml" --input "$work/one/0.npy"
rejects "the network has no input 'wrong'" "$network/model.xml" --input "wrong=$network/in0.npy"
rejects "unknown instruction set best" "$network/model.xml" --isa best
rejects "--threads" "$network/model.xml" --threads 0
rejects "--precision" "$network/model.xml" --precision f16
rejects "--target" "$network/model.xml" --target toaster
rejects "cannot be written" "$network/model.xml" --output /proc/none

[ $failed = 0 ] && echo "all checks of lpt_run passed"
exit $failed
