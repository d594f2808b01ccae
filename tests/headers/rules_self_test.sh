#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests rules.sh: a tree that keeps the rules passes, and each way to break one is found, at its file and line.
set -euo pipefail
rules=$(cd "$(dirname "$0")" && pwd)/rules.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
licence='// SPDX-License-Identifier: Apache-2.0'
failed=0
passed=0

# header PATH LINE...: a header with these lines after the licence and the pragma, so the first of them is line 3.
header() {
    local path=$work/include/lpt/$1
    shift
    mkdir -p "$(dirname "$path")"
    printf '%s\n' "$licence" '#pragma once' "$@" >"$path"
}

good_tree() {
    rm -rf "$work/include"
    header base/version.hpp '#include <cstddef>'
    header base/platform.hpp '#include <sched.h>' '#include <sys/single_threaded.h>'
    header base/hana.hpp '#include <boost/hana/type.hpp>'
    header tensor/shape.hpp '#include <lpt/base/version.hpp>' '  #  include <lpt/tensor/extent.hpp>'
    header tensor/extent.hpp
    header op/add.hpp '#include <lpt/tensor/shape.hpp>' '#include <lpt/base/version.hpp>'
    header graph/graph.hpp '#include <lpt/op/add.hpp>'
    header reference/add.hpp '#include <lpt/graph/graph.hpp>' '#include <cmath>'
    header kernel/rows.hpp '#include <cstdint>'
    header kernel/xsimd.hpp '#include <xsimd/xsimd.hpp>' '#include <immintrin.h>'
    header plan/plan.hpp '#include <lpt/kernel/rows.hpp>' '#include <lpt/graph/graph.hpp>' '#include <vector>'
    header runtime/executor.hpp '#include <lpt/kernel/xsimd.hpp>' '#include <lpt/reference/add.hpp>'
    header transformation/main/add.hpp '#include <lpt/graph/graph.hpp>'
    header pipeline/pipeline.hpp '#include <lpt/transformation/main/add.hpp>'
    header import/ir.hpp '#include <pugixml.hpp>' '#include <lpt/graph/graph.hpp>'
    header lpt.hpp '#include <lpt/pipeline/pipeline.hpp>' '#include <lpt/base/version.hpp>'
    header runtime.hpp '#include <lpt/runtime/executor.hpp>'
}

verdict() {  # NAME ok|not: counts, and shows what rules.sh said when it was not as expected
    if [ "$2" = ok ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: %s; rules.sh said:\n%s\n' "$1" "$output"
    fi
}

# finds NAME PLACE: the tree as it stands breaks exactly one rule, at PLACE.
finds() {
    if output=$("$BASH" "$rules" "$work" 2>&1); then
        verdict "$1" not
    elif [ "$(grep -c '^include/' <<<"$output")" = 1 ] && grep -qF "include/lpt/$2: " <<<"$output"; then
        verdict "$1" ok
    else
        verdict "$1" not
    fi
    good_tree
}

good_tree
if output=$("$BASH" "$rules" "$work" 2>&1); then verdict "a tree that keeps the rules passes" ok; else verdict "a tree that keeps the rules passes" not; fi

header base/version.hpp '#include <lpt/tensor/shape.hpp>'
finds "an include that goes downwards" base/version.hpp:3
header op/add.hpp '' '#include <lpt/graph/graph.hpp>'
finds "an include that goes downwards, on a later line" op/add.hpp:4
header kernel/rows.hpp '#include <lpt/op/add.hpp>'
finds "a folder above that may not be used" kernel/rows.hpp:3
header plan/plan.hpp '#include <lpt/kernel/xsimd.hpp>'
finds "plan using a kernel header other than rows.hpp" plan/plan.hpp:3
header pipeline/pipeline.hpp '#include <lpt/reference/add.hpp>'
finds "the core using the reference" pipeline/pipeline.hpp:3
header lpt.hpp '#include <lpt/runtime/executor.hpp>'
finds "lpt.hpp using the runtime" lpt.hpp:3
header op/add.hpp '#include <vector>'
finds "an expensive standard header in the core" op/add.hpp:3
header tensor/shape.hpp '#include <boost/hana.hpp>'
finds "Hana outside base/hana.hpp" tensor/shape.hpp:3
header kernel/gemm.hpp '#include <xsimd/xsimd.hpp>'
finds "xsimd outside kernel/xsimd.hpp" kernel/gemm.hpp:3
header plan/plan.hpp '#include <immintrin.h>'
finds "intrinsics outside kernel" plan/plan.hpp:3
header tensor/shape.hpp '#include <sched.h>'
finds "a header of the operating system in the core" tensor/shape.hpp:3
header import/ir.hpp '#include <sys/mman.h>'
finds "a header of the operating system in the import" import/ir.hpp:3
header graph/graph.hpp '#include <pugixml.hpp>'
finds "a format reader outside import" graph/graph.hpp:3
header graph/graph.hpp '#include <doctest/doctest.h>'
finds "a test library in a public header" graph/graph.hpp:3
header tensor/shape.hpp '#include "extent.hpp"'
finds "an include in quotes" tensor/shape.hpp:3
header tensor/shape.hpp '#include <lpt/tensor/missing.hpp>'
finds "an include of a header that does not exist" tensor/shape.hpp:3
header tensor/shape.hpp '' '#  pragma GCC optimize "O1"'
finds "a region of other optimisation" tensor/shape.hpp:4
header tensor/shape.hpp '_Pragma("GCC optimize (1)")'
finds "a region of other optimisation by the operator" tensor/shape.hpp:3
header attic/old.hpp
finds "a folder that the table does not know" attic/old.hpp:1
printf '%s\n' '#pragma once' >"$work/include/lpt/tensor/extent.hpp"
finds "a missing licence line" tensor/extent.hpp:1
printf '%s\n' "$licence" >"$work/include/lpt/tensor/extent.hpp"
finds "a missing #pragma once" tensor/extent.hpp:1

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
