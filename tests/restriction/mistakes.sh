#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Restrictions that cannot be meant do not compile, and the first error line names the mistake, the operation, the port and the type.
# Usage: mistakes.sh COMPILER INCLUDE_DIRECTORY...
set -euo pipefail
source "$(dirname "$0")/../support/mistakes.sh"
prelude='#include <lpt/op/user.hpp>
#include <lpt/restriction/restriction.hpp>
struct own {
  static constexpr lpt::text_view name = "Own";
  static constexpr auto number = lpt::op::user_kind("Own");
  static constexpr lpt::op::versions opsets{1};
  static constexpr lpt::op::ports inputs{2, 2};
  static constexpr lpt::op::ports outputs{1, 1};
  static constexpr lpt::op::trait traits = lpt::op::trait::none;
  static constexpr lpt::op::low_precision low_precision{.rule = lpt::op::dequantization_rule::same, .types = {lpt::u8}};
  static constexpr void infer(const own&, lpt::op::inference& facts) { facts.output(facts.type(0), facts.dimensions(0)); }
  friend constexpr bool operator==(const own&, const own&) = default;
};
namespace op = lpt::op;
using namespace lpt;'
begin "$@"

accepts 'auto t = restrictions<precisions<op::convolution, on<0, u8>, on<1, i8>>, per_tensor<op::convolution, 0>>{};'
accepts 'auto t = restrictions<precisions<op::lstm_sequence, on<ports<0, 1>, u8>>, precisions<op::gru_sequence>>{};'
refuses 'auto t = restrictions<precisions<op::add, on<0, u8>>, op::convolution>{};' 'restrictions_have_member_that_is_no_restriction<convolution>'
refuses 'auto t = restrictions<int>{};' 'restrictions_have_member_that_is_no_restriction<int>'
refuses 'auto t = restrictions<precisions<op::softmax, on<0, u8>>>{};' 'no_transformation_handles_operation<softmax>'
refuses 'auto t = restrictions<precisions<op::convolution, on<7, u8>>>{};' 'operation_has_no_such_input_port<convolution, 7>'
refuses 'auto t = restrictions<precisions<op::convolution, on<0, u8>, on<ports<1, 0>, i8>>>{};' 'input_port_is_restricted_twice<convolution, 0>'
refuses 'auto t = restrictions<precisions<op::convolution, on<0, u8>, on<1, i16>>>{};' 'input_port_cannot_take_element_type<convolution, 1, i16>'
refuses 'auto t = restrictions<precisions<in_version<op::max_pool, 2>, on<0, u8>>>{};' 'operation_has_no_such_version<max_pool, 2>'
refuses 'auto t = restrictions<per_tensor<op::mat_mul, 2>>{};' 'operation_has_no_such_input_port<mat_mul, 2>'
refuses 'auto t = restrictions<precisions<op::add, on<0, u8>>, precisions<op::add, on<1, u8>>>{};' 'operation_is_restricted_twice<add>'

accepts 'auto t = restrictions<precisions<own, on<0, u8>>, per_tensor<own, 0>>{};'
refuses 'auto t = restrictions<precisions<own, on<0, i8>>>{};' 'input_port_cannot_take_element_type<own, 0, i8>'
refuses 'auto t = restrictions<precisions<own, on<1, u8>>>{};' 'input_port_cannot_take_element_type<own, 1, u8>'
refuses 'auto t = restrictions<precisions<own, on<2, u8>>>{};' 'operation_has_no_such_input_port<own, 2>'
refuses 'auto t = restrictions<precisions<in_version<own, 2>, on<0, u8>>>{};' 'operation_has_no_such_version<own, 2>'
refuses 'auto t = restrictions<per_tensor<own, 1>>{};' 'input_port_has_no_granularity<own, 1>'

refuses 'auto t = restrictions<precisions<op::add, on<ports<>, u8>>>{};' 'restriction_names_no_input_port<add>'
refuses 'auto t = restrictions<precisions<op::add, on<0, u8, i8, u8>>>{};' 'input_port_accepts_element_type_twice<add, 0, u8>'
accepts 'auto t = restrictions<per_tensor<op::reshape, 0>>{};'
refuses 'auto t = restrictions<per_tensor<op::reshape, 1>>{};' 'input_port_has_no_granularity<reshape, 1>'
refuses 'auto t = restrictions<per_tensor<op::add, 0, 0>>{};' 'input_port_is_restricted_twice<add, 0>'

# Tables that a function computes.
prelude+='
#include <lpt/restriction/composition.hpp>
constexpr restriction_table two(precision_row one, precision_row other, granularity_row more = {op::kind::add}) {
  return {{one, other}, {more}};
}
constexpr precision_row plain{op::kind::add, any_version, {{0}, {u8}}};
constexpr precision_row of_own{own::number, any_version, {{0}, {u8}}};'
accepts 'auto t = computed_restrictions<[] { return two(plain, of_own); }, own>{};'
refuses 'auto t = computed_restrictions<[] { return two(plain, {op::kind::softmax}); }>{};' 'no_transformation_handles_operation<softmax>'
refuses 'auto t = computed_restrictions<[] { return two(plain, {op::kind::convolution, any_version, {{1}, {i16}}}); }>{};' 'input_port_cannot_take_element_type<convolution, 1, i16>'
refuses 'auto t = computed_restrictions<[] { return two(plain, {op::kind::add, 1, {{1, 0}, {i8}}}); }>{};' 'input_port_is_restricted_twice<add, 0>'
refuses 'auto t = computed_restrictions<[] { return two(plain, {op::kind::add}); }>{};' 'restrictions_of_operation_contradict_each_other<add>'
refuses 'auto t = computed_restrictions<[] { return two(plain, {}); }>{};' 'restriction_names_no_operation<none>'
refuses 'auto t = computed_restrictions<[] { return two(plain, plain, {op::kind::add}); }>{};' 'input_port_is_restricted_twice<add, 0>'
refuses 'auto t = computed_restrictions<[] { return two(plain, of_own, {own::number, any_version, {1}}); }, own>{};' 'input_port_has_no_granularity<own, 1>'
refuses 'auto t = computed_restrictions<[] { return two(plain, of_own); }>{};' 'computed_restrictions_do_not_know_operation_type_of_user<'

# Lists as Hana tuples.
prelude+='
#include <lpt/base/hana.hpp>
template <class... Members> constexpr auto tuple = hana::make_basic_tuple(hana::type_c<Members>...);'
accepts 'auto t = from_hana<restrictions>(tuple<precisions<op::concat, on<0, u8>>, precisions<op::add, on<1, u8>>>);'
refuses 'auto t = from_hana<restrictions>(tuple<precisions<op::concat, on<0, u8>>, precisions<op::add, on<2, u8>>>);' 'operation_has_no_such_input_port<add, 2>'
refuses 'auto t = from_hana<restrictions>(tuple<precisions<op::mat_mul, on<0, u8>, on<1, i16>>>);' 'input_port_cannot_take_element_type<mat_mul, 1, i16>'

finish
