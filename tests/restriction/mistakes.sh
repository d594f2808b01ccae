#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Restrictions that cannot be meant do not compile, and the first error line names the mistake, the operation, the port and the type.
# Usage: mistakes.sh COMPILER INCLUDE_DIRECTORY...
set -euo pipefail
source "$(dirname "$0")/../support/mistakes.sh"
prelude='#include <lpt/restriction/restriction.hpp>
namespace op = lpt::op;
using namespace lpt;'
begin "$@"

accepts 'auto t = restrictions<precisions<op::convolution, on<0, u8>, on<1, i8>>, per_tensor<op::convolution, 0>>{};'
accepts 'auto t = restrictions<precisions<op::lstm_sequence, on<ports<0, 1>, u8>>, precisions<op::gru_sequence>>{};'
refuses 'auto t = restrictions<precisions<op::softmax, on<0, u8>>>{};' 'no_transformation_handles_operation<softmax>'
refuses 'auto t = restrictions<precisions<op::convolution, on<7, u8>>>{};' 'operation_has_no_such_input_port<convolution, 7>'
refuses 'auto t = restrictions<precisions<op::convolution, on<0, u8>, on<ports<1, 0>, i8>>>{};' 'input_port_is_restricted_twice<convolution, 0>'
refuses 'auto t = restrictions<precisions<op::convolution, on<0, u8>, on<1, i16>>>{};' 'input_port_cannot_take_element_type<convolution, 1, i16>'
refuses 'auto t = restrictions<precisions<in_version<op::max_pool, 2>, on<0, u8>>>{};' 'operation_has_no_such_version<max_pool, 2>'
refuses 'auto t = restrictions<per_tensor<op::mat_mul, 2>>{};' 'operation_has_no_such_input_port<mat_mul, 2>'
refuses 'auto t = restrictions<precisions<op::add, on<0, u8>>, precisions<op::add, on<1, u8>>>{};' 'operation_is_restricted_twice<add>'

finish
