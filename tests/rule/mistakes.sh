#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Declarative rules that cannot be meant do not compile, and the error names the mistake and what it is about.
# Usage: mistakes.sh COMPILER INCLUDE_DIRECTORY...
set -euo pipefail
source "$(dirname "$0")/../support/mistakes.sh"
prelude='#include <lpt/rule/rule.hpp>
using namespace lpt;'
begin "$@"

accepts 'struct r : rule<"R", expression<op::relu, any<0>>, expression<op::abs, any<0>>> {};'
refuses 'struct r : rule<"R", expression<op::relu, any<0>, any<1>>, any<0>> {};' \
  'operation_does_not_take_this_number_of_inputs<relu, 2>'
refuses 'struct r : rule<"R", expression<op::relu, any<0>>, expression<op::add, any<0>>> {};' \
  'operation_does_not_take_this_number_of_inputs<add, 1>'
refuses 'struct r : rule<"R", expression<op::add, of_type<any<0>, u8>, of_type<any<1>, i8, f32>>, any<0>> {};' \
  'inputs_have_no_element_type_in_common<add>'
accepts 'struct r : rule<"R", expression<op::add, of_type<any<0>, u8, f32>, of_type<any<1>, i8, f32>>, any<0>> {};'
refuses 'struct r : rule<"R", any<0>, expression<op::relu, any<0>>> {};' 'rule_does_not_begin_with_an_operation<'
refuses 'struct r : rule<"R", expression<op::relu, any<0>>, expression<op::abs, any<1>>> {};' \
  'replacement_uses_a_number_that_the_rule_does_not_find<rule_name<2>{"R"}, 1>'
refuses 'struct r : rule<"R", expression<op::relu, any<0>>, like<3, any<0>>> {};' \
  'replacement_uses_a_number_that_the_rule_does_not_find<rule_name<2>{"R"}, 3>'
accepts 'struct r : rule<"R", expression<op::relu, labelled<3, expression<op::abs, any<0>>>>, like<3, any<0>>> {};'
refuses 'struct r : rule<"R", expression<op::relu, any<16>>, any<16>> {};' 'number_is_not_below_sixteen<'
refuses 'struct r : rule<"R", expression<op::equal, any<0>, any<1>>, expression<op::add, of_type<any<0>, f32>, any<1>>> {};' \
  'replacement_has_another_element_type<'
refuses 'struct r : rule<"R", expression<op::add, any<0>, literal<1>>, computed<op::add, any<0>, literal<1>>> {};' \
  'computed_operation_has_an_input_that_is_not_constant<add>'
refuses 'struct r : rule<"R", expression<op::relu, any<0>>, expression<op::max_pool, any<0>>> {};' \
  'replacement_does_not_say_the_attributes_of<max_pool>'
refuses 'struct r : rule<"R", expression<op::add, any<0>, any<1>>, expression<op::add, any<1>, any<0>>> {};' \
  'rule_matches_its_own_result<'

finish
