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
    --html "$work/report.html" --dot "$work/network.dot" --repeat 2
expect "one line says how much runs on integers" has "$work/table" "on integers: 49 of 49 convolutions, 1 of 1 matrix products, 1 of "
expect "the times are printed" has "$work/table" "median"
for key in operations import_ms transform_ms plan_ms run_ms peak_memory_bytes EXECUTED NOT_RUN execution_type fused real_us cpu_us role step summary; do
    expect "the report has $key" has "$work/report.json" "$key"
done
expect "the HTML report is complete" has "$work/report.html" "</html>"
expect "the picture has convolutions on integers" grep -q 'label="Convolution.*fillcolor="#8fd19e"' "$work/network.dot"
expect "the HTML report says how much runs on integers" has "$work/report.html" "on integers: 49 of 49 convolutions"

# rows TYPE: the rows of this type in the JSON report, one a line.
rows() { tr -d '\n' <"$work/report.json" | sed 's/{ *"cpu_us"/\n&/g' | grep -F "\"type\": \"$1\""; }
# all_rows TYPE WORDS: there are such rows, and the words are in each.
all_rows() { [ -n "$(rows "$1")" ] && ! grep -qvF -- "$2" <<<"$(rows "$1")"; }
# any_row TYPE WORDS, no_row TYPE WORDS
any_row() { grep -qF -- "$2" <<<"$(rows "$1")"; }
no_row() { ! any_row "$@"; }
for type in Add Clamp; do
    expect "$type computes in f32 behind a convolution" all_rows $type '"precision": "f32"'
    expect "$type says why it is not on integers" all_rows $type '"reason": '
    expect "$type says in which step it is" all_rows $type '"step": '
done
# in_bytes TYPE: each such row computes in u8 or i8; the target of the CPU chooses which.
in_bytes() { [ -n "$(rows "$1")" ] && ! rows "$1" | grep -qvE '"precision": "[ui]8"'; }
for type in Convolution GroupConvolution MatMul ReduceMean; do
    expect "$type computes in 8 bits" in_bytes $type
    expect "$type is arithmetic" all_rows $type '"role": "arithmetic"'
    expect "$type has no reason to be in real numbers" no_row $type '"reason"'
done
expect "a FakeQuantize that gives bytes is marked" any_row FakeQuantize '"role": "quantization"'
for type in u8 i8; do
    expect "no FakeQuantize counts as integer arithmetic" no_row FakeQuantize "\"precision\": \"$type\""
done
expect "a Reshape moves bytes" all_rows Reshape '"role": "movement"'
expect "what was folded has no role" no_row Convert '"role"'

# Names are any bytes: a report is JSON all the same, and a terminal gets no commands.
mkdir "$work/names"
cp examples/data/digits/model.bin "$work/names/model.bin"
sed $'s/name="maxpool_7"/name="pool\\&#27;[31m\xff"/' examples/data/digits/model.xml >"$work/names/model.xml"
expect "a run of operations with odd names" quietly "$work/names/model.xml" --report "$work/names/report.json"
expect "the name is printed without its control characters" has "$work/table" "pool?[31m"
expect "the report has a replacement for what is not UTF-8" has "$work/names/report.json" $'\xef\xbf\xbd'

# On a terminal there are the steps, and the reasons; --width asks for that anywhere.
digits=examples/data/digits/model.xml
# fits FILE WIDTH: no line but the last two is longer, in characters.
fits() { ! head -n -2 "$1" | LC_ALL=C sed 's/\xc3\x97/x/g; s/\xe2\x80\xa6/x/g' | LC_ALL=C grep -E "^.{$(($2 + 1))}"; }
expect "where stdout is no terminal every operation has a row" quietly "$digits"
expect "those without a step of their own, too" has "$work/table" "NOT_RUN"
expect "the step that computes them is named" grep -qE ' NOT_RUN +quantization +f32 +f32[,f32]* > [ui]8 +in [^ ]+ ' "$work/table"
expect "the steps in lines of 90 characters" quietly "$digits" --width 90
expect "the steps have shares of the time" grep -qE '^ *[0-9]+\.[0-9]% .* Convolution ' "$work/table"
expect "no operation without a step is among them" eval '! has "$work/table" NOT_RUN'
expect "reasons are grouped" grep -qE '^ *[0-9]+ × ' "$work/table"
expect "the line about integers is there" has "$work/table" "on integers: 5 of 5 convolutions"
expect "lines are not longer" fits "$work/table" 90
expect "--all asks for every operation" quietly "$digits" --width 90 --all
expect "--all gives every operation" has "$work/table" "NOT_RUN"
if [ ${#run[@]} = 1 ] && script -qec true /dev/null >/dev/null 2>&1; then
    script -qec "$(printf '%q ' "${run[@]}" "$digits")" /dev/null >"$work/table" </dev/null
    expect "a terminal gets the steps" grep -qE '^ *share ' "$work/table"
    expect "a terminal gets no operation without a step" eval '! has "$work/table" NOT_RUN'
fi
expect "a run on two threads" quietly "$network/model.xml" --output "$work/two" --threads 2
expect "threads do not change the outputs" cmp "$work/one/0.npy" "$work/two/0.npy"
expect "a run without transformations" quietly "$network/model.xml" --precision f32 --output "$work/real"
expect "no operation is in 8 bits" has "$work/table" "on integers: 0 of 49 convolutions"
expect "options of transformations are said to have no effect there" eval \
    'quietly "$digits" --precision f32 --target gpu 2>"$work/notes" && has "$work/notes" "lpt_run: note: --target: without effect, as --precision f32"'

dynamic=$work/dynamic/model.xml
mkdir "$work/dynamic"
sed 's/shape="1,3,224,224"/shape="?,3,?,?"/' "$network/model.xml" >"$dynamic"
cp "$network/model.bin" "$work/dynamic/model.bin"
expect "a run on the samples of the network" quietly "$network/model.xml" --input "$network/in0.npy" --output "$work/fixed"
expect "the inputs decide the shapes of a dynamic network" quietly "$dynamic" --input "$network/in0.npy" \
    --output "$work/open" --report "$work/open.json"
expect "dynamic and static shapes give the same outputs" cmp "$work/fixed/0.npy" "$work/open/0.npy"
expect "a run with upstream's errors" quietly "$network/model.xml" --input "$network/in0.npy" --follow-upstream \
    --output "$work/followed"
expect "it has as many operations on integers" has "$work/table" "on integers: 49 of 49 convolutions, 1 of 1 matrix products"
expect "it gives other outputs" eval '! cmp -s "$work/fixed/0.npy" "$work/followed/0.npy"'
expect "the table counts the operations of a dynamic network" has "$work/table" "on integers: 49 of 49 convolutions"
expect "times of a dynamic network are reported" has "$work/open.json" "EXECUTED"

cat >"$work/doubles.xml" <<'XML'
<net name="doubles" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data element_type="f64" shape="2"/><output><port id="0"/></output></layer>
<layer id="1" name="power" type="Exp" version="opset1"><input><port id="0"/></input><output><port id="1"/></output></layer>
<layer id="2" name="y" type="Result" version="opset1"><input><port id="0"/></input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/><edge from-layer="1" from-port="1" to-layer="2" to-port="0"/></edges></net>
XML
expect "what has no kernel runs within the limit" quietly "$work/doubles.xml" --evaluation-limit 1
# Every byte of the reference kernels.
expect "a run in specified arithmetic" quietly examples/data/digits-tflite/model.tflite --input examples/data/digits-tflite/in0.npy \
    --arithmetic specified --output "$work/specified"
expect "specified arithmetic is exact" cmp "$work/specified/0.npy" examples/data/digits-tflite/out0.npy
# Networks whose operations all are int8 run as specified, if nothing else is asked for.
digits_tflite=examples/data/digits-tflite/model.tflite
expect "a network of int8 runs in specified arithmetic" quietly "$digits_tflite" --input examples/data/digits-tflite/in0.npy --output "$work/default"
expect "it says so" has "$work/table" "arithmetic: that of the 8-bit specification"
expect "it says how much runs on integers, by classes, and the share of time" \
    grep -qE '^on integers: 5 of 5 convolutions, 1 of 1 matrix products, 3 of 3 others; [0-9]+ % of the time$' "$work/table"
expect "every operator has a row with its types" grep -qE ' CONV_2D +EXECUTED +arithmetic +i8 +i8,i8,i32 > i8 +specified_I8 ' "$work/table"
expect "its outputs are those of specified arithmetic" cmp "$work/default/0.npy" "$work/specified/0.npy"
expect "real inputs and outputs that are quantized at once change nothing" quietly tests/fuzz/corpus/tflite/float_io.tflite
expect "it runs as specified, too" has "$work/table" "arithmetic: that of the 8-bit specification"
# What only prints or limits leaves the arithmetic as it is.
for option in --all "--width 80" "--dot $work/specified.dot" "--report $work/specified.json" "--html $work/specified.html" \
    "--iterations 5" "--evaluation-limit 5" "--folding-limit 5" "--folding-steps 5" "--on-reference refuse" "--memory-limit 100" \
    "--repeat 2 --sessions 2" "--threads 2"; do
    expect "$option does not choose the arithmetic" eval 'quietly "$digits_tflite" $option 2>"$work/notes"'
    expect "the network runs as specified with $option" has "$work/table" "arithmetic: that of the 8-bit specification"
    case $option in
        --iterations* | --evaluation* | --folding* | --on-reference*)
            expect "$option is said to have no effect" has "$work/notes" "lpt_run: note: ${option% *}: without effect" ;;
        --dot*) expect "the picture is said to be of another network" has "$work/notes" "shows the transformed network, not this run" ;;
        *) expect "there is nothing to say of $option" [ ! -s "$work/notes" ] ;;
    esac
done
expect "sessions are timed as specified" eval 'quietly "$digits_tflite" --repeat 2 --sessions 2 && has "$work/table" "2 sessions at once"'
expect "the report names the arithmetic" has "$work/specified.json" '"arithmetic": "specified"'
expect "the report has the operators" has "$work/specified.json" '"execution_type": "specified_I8"'
expect "the HTML report names the arithmetic" has "$work/specified.html" "arithmetic: specified"
expect "the HTML report has them, too" has "$work/specified.html" "<td>specified_I8</td>"
expect "the picture is drawn" has "$work/specified.dot" "digraph"
expect "the operators fit a terminal" quietly "$digits_tflite" --width 80
expect "they have shares of the time" grep -qE '^ *[0-9]+\.[0-9]% .* specified_I8 CONV_2D ' "$work/table"
expect "no line of theirs is longer than the terminal's" eval '! head -n -2 "$work/table" | LC_ALL=C sed "s/\xe2\x80\xa6/x/g" | LC_ALL=C grep -E "^.{81}"'
# What asks for something of the transformations chooses theirs, and says so.
for option in "--target none" "--precision f32" --follow-upstream --as-transformed "--dynamic-quantization none" --compare; do
    expect "$option runs the transformed network" quietly "$digits_tflite" $option
    expect "$option is said to ask for it" has "$work/table" "arithmetic: transformed, asked for by ${option% *};"
    rejects "--arithmetic specified and ${option% *} exclude each other" "$digits_tflite" --arithmetic specified $option
done
expect "who asks for transformed arithmetic is told nothing" quietly "$digits_tflite" --arithmetic transformed
expect "there is no line about the arithmetic" eval '! has "$work/table" "arithmetic: "'
rejects "digits-onnx/model.onnx: is an ONNX model, and only the operations of TFLite models specify their arithmetic" \
    examples/data/digits-onnx/model.onnx --arithmetic specified
rejects "digits/model.xml: is an OpenVINO IR document, and only" "$digits" --arithmetic specified
# Violations of the 8-bit specification are warnings, a line each, in both arithmetics.
for arithmetic in specified transformed; do
    expect "a network with a wrong scale runs $arithmetic" eval \
        'quietly tests/data/spec/wrong_bias_scale.tflite --arithmetic $arithmetic 2>"$work/warnings"'
    expect "one warning names the rule, $arithmetic" grep -qE "^lpt_run: warning: [A-Z0-9_]+ 0, bias '.*': bias-scale, expected scale .*, found scale " "$work/warnings"
    expect "there is no other line, $arithmetic" [ "$(wc -l <"$work/warnings")" = 1 ]
    expect "a conforming network runs $arithmetic" eval 'quietly "$digits_tflite" --arithmetic $arithmetic 2>"$work/warnings"'
    expect "a conforming network is not warned about, $arithmetic" [ ! -s "$work/warnings" ]
done
rejects "lpt_run: $work/doubles.xml: Exp 'power' cannot be evaluated" "$work/doubles.xml" --evaluation-limit 0
rejects "(--evaluation-limit raises the limit)" "$work/doubles.xml" --evaluation-limit 0
expect "a network runs with a small budget for folding" quietly "$work/doubles.xml" --folding-limit 0 --folding-steps 0
rejects "--folding-limit" "$work/doubles.xml" --folding-limit much
rejects "--folding-steps" "$work/doubles.xml" --folding-steps many

# Memory that cannot be had is an error that says what for and how much. (Sanitizers and emulators need more address space than any limit.)
within() { (ulimit -v "$1" && shift && "${run[@]}" "$@") >"$work/out" 2>"$work/err"; }
if [ ${#run[@]} = 1 ] && within 2000000 "$network/model.xml"; then
    refused=0
    for limit in $(seq 16000 2000 130000); do
        within "$limit" --help || continue
        within "$limit" "$network/model.xml" && continue
        refused=$((refused + 1))
        expect "one line says how much memory cannot be had within $limit KiB: $(cat "$work/err")" \
            grep -qE '^lpt_run: .+: (.*[0-9] (bytes cannot be mapped|(bytes|KiB|MiB) of memory)|out of memory for the document of [0-9]+ bytes)' "$work/err"
        expect "there is no other line within $limit KiB" [ "$(wc -l <"$work/err")" = 1 ]
    done
    expect "some limits are too small" [ $refused -gt 3 ]
else
    echo "skipped: memory that cannot be had (the program does not run within a limit)"
fi

rejects "MODEL is required"
rejects "model.bin: unknown format" "$network/model.bin"
rejects "nowhere.xml" nowhere.xml
head -c 900 examples/data/digits-onnx/model.onnx >"$work/cut.onnx"
rejects "cut.onnx: is cut off, or not an ONNX model" "$work/cut.onnx"
: >"$work/empty.onnx"
rejects "empty.onnx: is empty; expected OpenVINO IR" "$work/empty.onnx"
rejects "is not a .npy file" "$network/model.xml" --input "$network/model.xml"
rejects "must be f32[1,3,224,224], or a stack of such, not f32[1,1000]" "$network/model.xml" --input "$work/one/0.npy"
rejects "the network has no input 'wrong'" "$network/model.xml" --input "wrong=$network/in0.npy"
rejects "unknown instruction set best" "$network/model.xml" --isa best
rejects "--threads" "$network/model.xml" --threads 0
rejects "--width" "$network/model.xml" --width 10
rejects "--precision" "$network/model.xml" --precision f16
rejects "--target" "$network/model.xml" --target toaster
rejects "--sessions requires --repeat" "$digits" --sessions 2

loop=tests/fuzz/corpus/onnx/loop11.onnx
# Errors of a run name the file, the operation, and the option that raises the limit that they are about.
rejects "lpt_run: $loop: Loop 'res_y': it would run more than 0 iterations (--iterations raises the limit)" \
    "$loop" --iterations 0
# How much is needed depends on the processor's kernels.
for words in "lpt_run: $network/model.xml: FakeQuantize 'conv_42/fq_output_0': 1." \
    " MiB of memory would be needed, and the limit is 1.0 MiB (--memory-limit raises the limit)"; do
    rejects "$words" "$network/model.xml" --memory-limit 1
done
# A Gather from one row, whose indices, as they are random, are 0 and 1.
printf '\0\0\0\0\0\0\0\0' >"$work/gather.bin"
cat >"$work/gather.xml" <<'XML'
<net name="gather" version="11"><layers>
<layer id="0" name="rows" type="Parameter" version="opset1"><data element_type="f32" shape="1,2"/><output><port id="0"/></output></layer>
<layer id="1" name="which" type="Parameter" version="opset1"><data element_type="i64" shape="64"/><output><port id="0"/></output></layer>
<layer id="2" name="axis" type="Const" version="opset1"><data element_type="i64" shape="" offset="0" size="8"/><output><port id="0"/></output></layer>
<layer id="3" name="chosen" type="Gather" version="opset8"><data batch_dims="0"/><input><port id="0"/><port id="1"/><port id="2"/></input><output><port id="3"/></output></layer>
<layer id="4" name="y" type="Result" version="opset1"><input><port id="0"/></input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="3" to-port="0"/><edge from-layer="1" from-port="0" to-layer="3" to-port="1"/>
<edge from-layer="2" from-port="0" to-layer="3" to-port="2"/><edge from-layer="3" from-port="3" to-layer="4" to-port="0"/></edges></net>
XML
rejects "lpt_run: $work/gather.xml: Gather 'chosen': index 1 is outside an axis of size 1" "$work/gather.xml"

# Sizes that nothing decides are said, also where they are why a run fails.
cat >"$work/open.xml" <<'XML'
<net name="open" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data element_type="f32" shape="?,3"/><output><port id="0"/></output></layer>
<layer id="1" name="rest" type="Relu" version="opset1"><input><port id="0"/></input><output><port id="1"/></output></layer>
<layer id="2" name="y" type="Result" version="opset1"><input><port id="0"/></input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/><edge from-layer="1" from-port="1" to-layer="2" to-port="0"/></edges></net>
XML
sizes="open sizes of inputs are taken as 1: 'x' is [1,3]; --input NAME=FILE.npy gives others"
expect "open sizes are taken as 1" quietly "$work/open.xml" --output "$work/made"
expect "they are said, with the option that gives others" has "$work/table" "$sizes"
expect "an input decides them" quietly "$work/open.xml" --input "x=$work/made/0.npy"
expect "then there is nothing to say of them" eval '! has "$work/table" "open sizes"'
expect "sizes that are known are no matter" eval 'quietly "$digits" && ! has "$work/table" "open sizes"'
rejects "(open sizes of inputs are taken as 1: 'input' is [1,3,1,1]; --input NAME=FILE.npy gives others)" "$dynamic"

# What is printed arrives, or the program fails.
# lost COMMAND...: it must fail, with one line on stderr.
lost() {
    local status=0
    "$@" 2>"$work/err" || status=$?
    [ $status = 1 ] && [ "$(wc -l <"$work/err")" = 1 ] && grep -qxF "lpt_run: standard output cannot be written" "$work/err"
}
if [ -w /dev/full ]; then
    expect "a full device is an error" eval 'lost "${run[@]}" "$digits" >/dev/full'
    expect "for --help, too" eval 'lost "${run[@]}" --help >/dev/full'
    expect "in specified arithmetic, too" eval 'lost "${run[@]}" "$digits_tflite" >/dev/full'
fi
closed_pipe() { (trap "" PIPE; sleep 1; lost "${run[@]}" "$digits" && touch "$work/told") | true; }
closed_pipe
expect "a closed pipe is an error" [ -e "$work/told" ]

# Operations without a kernel: Power with a computed exponent.
without_kernel=tests/fuzz/corpus/openvino_ir/binary_f32.xml
"${run[@]}" "$without_kernel" --on-reference allow >"$work/allowed" 2>"$work/err"
expect "operations on the reference are allowed, without a word" test $? = 0 -a ! -s "$work/err"
expect "the table names the reference" grep -q "^power6 .* Power .* reference" "$work/allowed"
"${run[@]}" "$without_kernel" --on-reference report >"$work/reported" 2>"$work/err"
expect "operations on the reference are reported, and the network runs" test $? = 0 -a -s "$work/reported"
expect "the report names the operation" has "$work/err" "Power 'power6'"
rejects "Power 'power6' has no kernel, and the scalar reference is refused (on_reference)" "$without_kernel" --on-reference refuse
rejects "--on-reference" "$digits" --on-reference perhaps
rejects "--dynamic-quantization" "$digits" --dynamic-quantization perhaps
expect "a network may run with all products rounded" quietly "$digits" --dynamic-quantization all
expect "a network that needs no reference runs where that is refused" quietly "$digits" --on-reference refuse

# What quantization costs.
expect "a comparison with the network in real numbers" quietly "$digits" --compare
expect "the comparison says what its numbers are" has "$work/table" "signal to noise against the network without quantization, in dB"
compared=$(sed '1,/^ *values .*what would improve it/d' "$work/table")
expect "outputs and quantizations are compared, in decibels" grep -qE "^ *[0-9]+\.[0-9]+ +[0-9]+\.[0-9]+ +FakeQuantize" <<<"$compared"
expect "the quantization that costs most comes first" sort -cn <(awk '$3 == "FakeQuantize" { print $2 }' <<<"$compared")
random="these numbers are of random data"
expect "numbers of random data are said to be so" has "$work/table" "$random"
expect "a comparison on data of the network" quietly "$network/model.xml" --compare --input "$network/in0.npy"
expect "its numbers are not of random data" eval '! has "$work/table" "$random"'
expect "a comparison for a terminal" quietly "$digits" --compare --width 80
expect "its lines are not longer" eval '! grep -v "^on integers\|^import" "$work/table" | LC_ALL=C sed "s/\xc3\x97/x/g; s/\xe2\x80\xa6/x/g" | LC_ALL=C grep -E "^.{81}"'
rejects "cannot be written" "$network/model.xml" --output /proc/none

[ $failed = 0 ] && echo "all checks of lpt_run passed"
exit $failed
