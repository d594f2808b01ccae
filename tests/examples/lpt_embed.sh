#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# lpt_embed.sh [EMULATOR...] LPT_EMBED   Tests the program's command line.
set -uo pipefail
cd "$(dirname "$0")/../.."
embed=("$@")
network=tests/examples/embed
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# rejects WORDS ARGUMENT...: exit status 1, nothing on stdout, one line on stderr that contains the words, no header.
rejects() {
    local words=$1 status=0
    shift
    "${embed[@]}" "$@" >"$work/out" 2>"$work/err" || status=$?
    if [ $status != 1 ] || [ -s "$work/out" ] || [ "$(wc -l <"$work/err")" != 1 ] || ! grep -qF -- "$words" "$work/err" ||
        [ -e "$work/bad.hpp" ]; then
        echo "FAILED: lpt_embed $* must be rejected with: $words"
        sed 's/^/    /' "$work/err"
        failed=1
    fi
}

"${embed[@]}" "$network/model.xml" -o "$work/one.hpp" || failed=1
"${embed[@]}" "$network/model.xml" -o "$work/two.hpp" --name one || failed=1
cmp "$work/one.hpp" "$work/two.hpp" || failed=1
"${embed[@]}" examples/data/efficientnet-lite0/model.xml -o "$work/right.hpp" --name efficientnet || failed=1
"${embed[@]}" examples/data/efficientnet-lite0/model.xml -o "$work/followed.hpp" --name efficientnet --follow-upstream || failed=1
cmp -s "$work/right.hpp" "$work/followed.hpp" && { echo "FAILED: upstream's errors are not followed"; failed=1; }
"${embed[@]}" "$network/model.xml" -o "$work/real.hpp" --precision f32 --name other || failed=1
grep -q '^struct other {' "$work/real.hpp" || { echo "FAILED: the name is not taken"; failed=1; }
"${embed[@]}" "$network/model.xml" -o "$work/real.hpp" --precision f32 --name other --target gpu 2>"$work/note" || failed=1
grep -q '^lpt_embed: note: --precision f32 leaves out the transformations' "$work/note" || { echo "FAILED: a target without effect is not said"; failed=1; }
"${embed[@]}" "$network/model.xml" -o "$work/planned.hpp" --executor --isa scalar || failed=1
grep -q 'using isa = lpt::kernel::on::scalar;' "$work/planned.hpp" || { echo "FAILED: no plan for the scalar kernels"; failed=1; }

# A row of constants, sixteen times in a row: what folds it makes more than there was.
{
    echo '<net name="growing" version="11"><layers>
        <layer id="0" name="ramp" type="Const" version="opset1"><data element_type="f32" shape="1, 512" offset="0" size="2048"/>
            <output><port id="0" precision="FP32"><dim>1</dim><dim>512</dim></port></output></layer>
        <layer id="1" name="data" type="Parameter" version="opset1"><data shape="1,8192" element_type="f32"/>
            <output><port id="0" precision="FP32"><dim>1</dim><dim>8192</dim></port></output></layer>
        <layer id="2" name="rows" type="Concat" version="opset1"><data axis="1"/><input>'
    for port in {0..15}; do echo "<port id=\"$port\" precision=\"FP32\"><dim>1</dim><dim>512</dim></port>"; done
    echo '</input><output><port id="16" precision="FP32"><dim>1</dim><dim>8192</dim></port></output></layer>
        <layer id="3" name="sum" type="Add" version="opset1"><data auto_broadcast="numpy"/><input>
            <port id="0" precision="FP32"><dim>1</dim><dim>8192</dim></port><port id="1" precision="FP32"><dim>1</dim><dim>8192</dim></port></input>
            <output><port id="2" precision="FP32"><dim>1</dim><dim>8192</dim></port></output></layer>
        <layer id="4" name="result" type="Result" version="opset1"><input><port id="0" precision="FP32"><dim>1</dim><dim>8192</dim></port></input></layer>
        </layers><edges>'
    for port in {0..15}; do echo "<edge from-layer=\"0\" from-port=\"0\" to-layer=\"2\" to-port=\"$port\"/>"; done
    echo '<edge from-layer="1" from-port="0" to-layer="3" to-port="0"/><edge from-layer="2" from-port="16" to-layer="3" to-port="1"/>
        <edge from-layer="3" from-port="2" to-layer="4" to-port="0"/></edges></net>'
} >"$work/growing.xml"
cp "$network/model.bin" "$work/growing.bin"
"${embed[@]}" "$work/growing.xml" -o "$work/folded.hpp" || failed=1
"${embed[@]}" "$work/growing.xml" -o "$work/kept.hpp" --folding-limit 0 --folding-steps 0 || failed=1
[ "$(wc -c <"$work/folded.hpp")" -gt $((2 * $(wc -c <"$work/kept.hpp"))) ] || { echo "FAILED: folding has no limit"; failed=1; }

rejects "--folding-limit" "$network/model.xml" -o "$work/bad.hpp" --folding-limit much
rejects "MODEL is required" -o "$work/bad.hpp"
rejects "--output is required" "$network/model.xml"
for name in 9lives "two words" "a::b" "a-b"; do
    rejects "'$name' is no name of a type: expected a C++ identifier of letters, digits and underscores" "$network/model.xml" \
        -o "$work/bad.hpp" --name "$name"
done
for name in class co_await and int; do
    rejects "'$name' is no name of a type: expected an identifier that is no keyword of C++" "$network/model.xml" -o "$work/bad.hpp" --name $name
done
for name in _net two__words _Net; do
    rejects "'$name' is no name of a type: expected an identifier that C++ does not reserve" "$network/model.xml" -o "$work/bad.hpp" --name $name
done
rejects "'std' is no name of a type: expected an identifier that is no namespace" "$network/model.xml" -o "$work/bad.hpp" --name std
rejects "'make' is no name of a type: expected an identifier that no member of the header has" "$network/model.xml" -o "$work/bad.hpp" --name make
rejects "'isa' is no name of a type: expected an identifier that no member of the header has" "$network/model.xml" -o "$work/bad.hpp" --name isa --executor
rejects "'class' is no name of a type: expected an identifier that is no keyword of C++; give one with --name" "$network/model.xml" -o "$work/class.hpp"
rejects "unknown format" "$network/model.bin" -o "$work/bad.hpp"
rejects "cannot be written" "$network/model.xml" -o "$work/no/folder/bad.hpp"
rejects "--isa requires --executor" "$network/model.xml" -o "$work/bad.hpp" --isa scalar
rejects "unknown instruction set abacus" "$network/model.xml" -o "$work/bad.hpp" --executor --isa abacus
rejects "--target" "$network/model.xml" -o "$work/bad.hpp" --target toaster
if [ -w /dev/full ]; then
    status=0
    "${embed[@]}" --help 2>"$work/err" >/dev/full || status=$?
    { [ $status = 1 ] && grep -qxF "lpt_embed: standard output cannot be written" "$work/err"; } || { echo "FAILED: lost help is no error"; failed=1; }
fi
exit $failed
