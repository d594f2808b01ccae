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
"${embed[@]}" "$network/model.xml" -o "$work/plan.hpp" --executor --isa scalar || failed=1
grep -q 'using isa = lpt::kernel::on::scalar;' "$work/plan.hpp" || { echo "FAILED: no plan for the scalar kernels"; failed=1; }

rejects "MODEL is required" -o "$work/bad.hpp"
rejects "--output is required" "$network/model.xml"
rejects "'9lives' is no name of a type" "$network/model.xml" -o "$work/bad.hpp" --name 9lives
rejects "unknown format" "$network/model.bin" -o "$work/bad.hpp"
rejects "cannot be written" "$network/model.xml" -o "$work/no/folder/bad.hpp"
rejects "--isa requires --executor" "$network/model.xml" -o "$work/bad.hpp" --isa scalar
rejects "unknown instruction set abacus" "$network/model.xml" -o "$work/bad.hpp" --executor --isa abacus
rejects "--target" "$network/model.xml" -o "$work/bad.hpp" --target toaster
exit $failed
