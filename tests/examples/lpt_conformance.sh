#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# lpt_conformance.sh CASES.jsonl [EMULATOR...] LPT_CONFORMANCE   Tests the program's command line on two of the cases.
set -uo pipefail
cases=$1
shift
conformance=("$@")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# gives STATUS WORDS ARGUMENT...: this exit status, and the words on stdout, or for status 1 and 2 in the one line on stderr.
gives() {
    local expected=$1 words=$2 status=0
    shift 2
    "${conformance[@]}" "$@" >"$work/out" 2>"$work/err" || status=$?
    [ "$expected" = 0 ] || { [ "$(wc -l <"$work/err")" = 1 ] && cp "$work/err" "$work/out"; }
    if [ $status != "$expected" ] || ! grep -qF -- "$words" "$work/out"; then
        echo "FAILED: lpt_conformance $* must end with status $expected and say: $words"
        sed 's/^/    /' "$work/out" "$work/err"
        failed=1
    fi
}

mkdir "$work/none" "$work/some"
head -n 2 "$cases" >"$work/some/cases.jsonl"
name=$(head -n 1 "$work/some/cases.jsonl" | grep -oE '"case": ?"[^"]*"' | cut -d'"' -f4)
gives 0 "2 passed, 0 failed" "$work/some"
gives 0 "2 passed, 0 failed" "$work/some/cases.jsonl"
gives 0 "1 passed, 0 failed" "$work/some" --print "$name"
gives 1 "no case found in $work/none" "$work/none"
gives 1 "no case found in $work/none" "$work/some" "$work/none"
: >"$work/none/empty.jsonl"
gives 1 "no case found in $work/none" "$work/none"
gives 1 "no case nowhere found among 2" "$work/some" --print nowhere
gives 1 "cannot read $work/missing.jsonl" "$work/missing.jsonl"
gives 1 "cannot write $work/no/answers" "$work/some" --answers "$work/no/answers"
gives 2 "usage: lpt_conformance"
gives 2 "usage: lpt_conformance" --wrong
gives 0 "a path has no case" --help
gives 0 "2 a wrong command line" --help

# A case that fails is no error of the program, whose status says it all the same.
echo broken >"$work/broken.jsonl"
status=0
"${conformance[@]}" "$work/broken.jsonl" >"$work/out" 2>"$work/err" || status=$?
{ [ $status = 1 ] && [ ! -s "$work/err" ] && grep -qx "0 passed, 1 failed" "$work/out"; } || { echo "FAILED: a case that fails"; failed=1; }

# What is printed arrives, or the program fails.
if [ -w /dev/full ]; then
    for arguments in "$work/some" --help "$work/some --answers /dev/full"; do
        status=0
        # shellcheck disable=SC2086
        "${conformance[@]}" $arguments 2>"$work/err" >/dev/full || status=$?
        if [ $status != 1 ] || ! grep -qE "^lpt_conformance: (standard output cannot be written|cannot write /dev/full)$" "$work/err"; then
            echo "FAILED: lpt_conformance $arguments must fail where its output is lost"
            failed=1
        fi
    done
fi
exit $failed
