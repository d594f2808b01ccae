#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Pipelines that cannot be meant do not compile, and the error names the mistake and both transformations.
# Usage: mistakes.sh COMPILER INCLUDE_DIRECTORY...
set -euo pipefail
source "$(dirname "$0")/../support/mistakes.sh"
prelude='#include <lpt/pipeline/low_precision.hpp>
#include <lpt/rule/rule.hpp>
using namespace lpt;
struct t0 { using writes = attribute::set<attribute::bias>; static constexpr text_view name = "T0";
            static constexpr void run(rewrite&) {} };
struct t1 { using reads = attribute::set<attribute::bias>; static constexpr text_view name = "T1";
            static constexpr void run(rewrite&) {} };
struct t2 { using may_read = attribute::set<attribute::precisions, attribute::bias>;
            static constexpr text_view name = "T2"; static constexpr void run(rewrite&) {} };
struct wide : rule<"Wide", expression<op::add, any<0>, any<1>>, expression<op::subtract, any<0>, any<1>>> {};
struct narrow : rule<"Narrow", expression<op::add, any<0>, literal<1>>, any<0>> {};
struct back : rule<"Back", expression<op::subtract, any<0>, any<1>>, expression<op::add, any<0>, any<1>>> {};
struct other : rule<"Other", expression<op::subtract, any<0>, any<1>>, expression<op::multiply, any<0>, any<1>>> {};
template <class Markup, class Main> using of_two = pipeline<stage<>, Markup, Main, stage<>, stage<>>;
template <class P> constexpr auto size = sizeof(P);'
begin "$@"

accepts 'auto s = size<of_two<stage<t0, t1, t2>, stage<narrow, wide, other>>>;'
refuses 'auto s = size<of_two<stage<t1, t0>, stage<>>>;' 'transformation_reads_attribute_before_its_writer<t1, bias, t0>'
refuses 'auto s = size<of_two<stage<t2, t0>, stage<>>>;' 'transformation_reads_attribute_before_its_writer<t2, bias, t0>'
refuses 'auto s = size<of_two<stage<t1>, stage<>>>;' 'transformation_reads_attribute_that_nobody_writes<t1, bias>'
accepts 'auto s = size<of_two<stage<t2>, stage<>>>;'
refuses 'auto s = size<of_two<stage<>, stage<narrow, wide, narrow>>>;' 'transformation_is_twice_in_the_stage<narrow>'
refuses 'auto s = size<of_two<stage<>, stage<wide, narrow>>>;' 'transformation_is_never_reached_because_of<narrow, wide>'
refuses 'auto s = size<of_two<stage<>, stage<wide, back>>>;' 'rules_undo_each_other<wide, back>'

accepts 'auto s = size<default_pipeline::before<add_transformation, narrow>>;'
refuses 'auto s = size<default_pipeline::after<add_transformation, add_transformation>>;' \
  'transformation_is_twice_in_the_stage<add_transformation>'
refuses 'auto s = size<default_pipeline::with_main<op::add>>;' 'pipeline_has_member_that_is_no_transformation<add>'
refuses 'auto s = size<of_two<stage<t0, int>, stage<>>>;' 'pipeline_has_member_that_is_no_transformation<int>'
refuses 'auto s = size<default_pipeline::replace<narrow, wide>>;' 'pipeline_has_no_such_transformation<narrow>'
refuses 'auto s = size<default_pipeline::without<markup_bias, narrow>>;' 'pipeline_has_no_such_transformation<narrow>'
refuses 'auto s = size<default_pipeline::without<markup_can_be_quantized, markup_precisions, propagate_precisions>>;' \
  'transformation_reads_attribute_that_nobody_writes<resolve_precision_attribute, precisions>'

finish
