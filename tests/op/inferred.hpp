// SPDX-License-Identifier: Apache-2.0
// Inference and attributes as texts, for operations with several outputs, versions and words.
#pragma once

#include "infer.hpp"

#include <doctest/doctest.h>

#include <utility>

namespace lpt::test {

constexpr input of(element type, shape dimensions) { return {.type = type, .dimensions = std::move(dimensions)}; }
/// An input of which nothing is known.
constexpr input anything() { return unknown_rank(dynamic); }
/// An input whose value a Constant gives.
constexpr input constant(const tensor& value) {
    return {.type = value.type(), .dimensions = value.dimensions(), .constant = value};
}
constexpr input number(element type, double value) { return constant(make_scalar(type, value)); }

/// Element types and shapes of the outputs, as in `f32[1,3,?] i64[4]`; raises the error that inference raises.
template <class Op, std::same_as<input>... Inputs>
constexpr text inferred(const Op& operation, int version, const Inputs&... inputs) {
    seq<op::input_facts> known;
    (known.push_back(facts_of(inputs)), ...);
    op::inference facts(Op::name, "node", version, known);
    op::make_row<Op>().infer(op::attributes(operation), facts);
    text result;
    for (const op::output_facts& each : facts.outputs()) {
        result.append(result.empty() ? text_view() : text_view(" "));
        result.append(name(each.type)).append(to_text(each.dimensions));
    }
    return result;
}
template <class Op, std::same_as<input>... Inputs>
constexpr text inferred(const Op& operation, const Inputs&... inputs) {
    return inferred(operation, Op::opsets.newest(), inputs...);
}

/// The attributes as a file would bring them: names and words.
template <class Op>
constexpr Op read(int version, std::initializer_list<op::named_value> values) {
    return op::make_field_row<Op>().make(seq<op::named_value>(values), version, "node").template as<Op>();
}
constexpr op::named_value word(text_view name, text_view value) { return {name, op::to_value(text(value))}; }

/// The published names of the attributes of a version, as in `axis mode`.
template <class Op>
constexpr text attribute_names(int version) {
    text result;
    for (const op::named_value& each : op::make_field_row<Op>().read(op::attributes(Op{}), version)) {
        result.append(result.empty() ? text_view() : text_view(" ")).append(each.name);
    }
    return result;
}

}  // namespace lpt::test

template <>
struct doctest::StringMaker<lpt::text> {
    static doctest::String convert(const lpt::text& value) { return value.c_str(); }
};

/// The expression raises an lpt::error whose message contains the sentence.
#define LPT_CHECK_WRONG(expression, sentence) \
    CHECK_THROWS_WITH_AS(static_cast<void>(expression), doctest::Contains(sentence), lpt::error)
