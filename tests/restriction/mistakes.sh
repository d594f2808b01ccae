#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Restrictions that cannot be meant do not compile, and the first error line names the mistake, the operation, the port and the type.
# Usage: mistakes.sh COMPILER INCLUDE_DIRECTORY...
set -euo pipefail
compiler=$1
shift
includes=("${@/#/-I}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

compile() { # RESTRICTIONS: compiles a target of them; messages go to $folder/messages
  cat > "$folder/target.cpp" <<SOURCE
#include <lpt/restriction/restriction.hpp>
namespace op = lpt::op;
using namespace lpt;
constexpr auto target = restrictions<$1>{};
SOURCE
  LC_ALL=C "$compiler" -std=c++20 "${includes[@]}" -fsyntax-only -fdiagnostics-color=never "$folder/target.cpp" \
    > "$folder/messages" 2>&1
}
accepts() { # RESTRICTIONS
  if ! compile "$1"; then
    echo "must compile: $1"
    cat "$folder/messages"
    failures=$((failures + 1))
  fi
}
refuses() { # RESTRICTIONS SENTENCE
  if compile "$1"; then
    echo "must not compile: $1"
    failures=$((failures + 1))
    return
  fi
  local errors
  errors=$(grep -c ' error: ' "$folder/messages")
  if [ "$errors" != 1 ] || ! grep ' error: ' "$folder/messages" | sed 's/lpt::op:://g; s/lpt::element:://g' | grep -qF "mistake::$2"; then
    echo "must be one error that says '$2': $1"
    cat "$folder/messages"
    failures=$((failures + 1))
  fi
}

accepts 'precisions<op::convolution, on<0, u8>, on<1, i8>>, per_tensor<op::convolution, 0>'
accepts 'precisions<op::lstm_sequence, on<ports<0, 1>, u8>>, precisions<op::gru_sequence>'
refuses 'precisions<op::softmax, on<0, u8>>' 'no_transformation_handles_operation<softmax>'
refuses 'precisions<op::convolution, on<7, u8>>' 'operation_has_no_such_input_port<convolution, 7>'
refuses 'precisions<op::convolution, on<0, u8>, on<ports<1, 0>, i8>>' 'input_port_is_restricted_twice<convolution, 0>'
refuses 'precisions<op::convolution, on<0, u8>, on<1, i16>>' 'input_port_cannot_take_element_type<convolution, 1, i16>'
refuses 'precisions<in_version<op::max_pool, 2>, on<0, u8>>' 'operation_has_no_such_version<max_pool, 2>'
refuses 'per_tensor<op::mat_mul, 2>' 'operation_has_no_such_input_port<mat_mul, 2>'
refuses 'precisions<op::add, on<0, u8>>, precisions<op::add, on<1, u8>>' 'operation_is_restricted_twice<add>'

[ "$failures" = 0 ]
