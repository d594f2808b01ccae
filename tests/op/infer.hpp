// SPDX-License-Identifier: Apache-2.0
// What tests of shape and type inference have in common.
#pragma once

#include <lpt/op/fields.hpp>
#include <lpt/op/row.hpp>

#include <concepts>
#include <utility>

namespace lpt::test {

constexpr dimension unknown = dynamic_dimension;

/// One input of an operation under test. It owns what inference points to.
struct input {
    element type = f32;
    shape dimensions;
    tensor constant{};
    bool has_values = false;
    integers values{};
};

constexpr input of(shape dimensions, element type = f32) { return {.type = type, .dimensions = std::move(dimensions)}; }
constexpr input unknown_rank(element type = f32) { return {.type = type, .dimensions = shape::of_dynamic_rank()}; }
/// A Constant of indices.
constexpr input indices(const integers& values) {
    return {.type = i64, .dimensions = {static_cast<dimension>(values.size())}, .constant = make_indices(values)};
}
/// A scalar Constant.
constexpr input index(std::int64_t value) {
    return {.type = i64, .dimensions = {}, .constant = make_scalar(i64, static_cast<double>(value))};
}
/// Values of which some are known; `op::unknown_value` stands for the others.
constexpr input partly(const integers& values) {
    return {.type = i64, .dimensions = {static_cast<dimension>(values.size())}, .has_values = true, .values = values};
}

constexpr op::input_facts facts_of(const input& one) {
    return {one.type, &one.dimensions, one.constant ? &one.constant : nullptr, one.has_values ? &one.values : nullptr};
}

/// What inference gives for an operation of a version on these inputs; by value, because g++ 12 cannot compare the address of a
/// temporary in a constant expression.
template <class Op, std::same_as<input>... Inputs>
constexpr seq<op::output_facts, 2> infer(const Op& operation, int version, Inputs... inputs) {
    seq<op::input_facts> facts;
    (facts.push_back(facts_of(inputs)), ...);
    op::inference inference(Op::name, "node", version, facts);
    Op::infer(operation, inference);
    return inference.outputs();
}

/// The shape of the first output.
template <class Op, std::same_as<input>... Inputs>
constexpr shape infer_shape(const Op& operation, int version, Inputs... inputs) {
    return infer(operation, version, inputs...)[0].dimensions;
}

/// The message of the error that inference raises; empty if it raises none.
template <class Op, std::same_as<input>... Inputs>
text infer_error(const Op& operation, int version, Inputs... inputs) {
    try {
        infer(operation, version, inputs...);
    } catch (const error& raised) {
        return raised.message();
    }
    return {};
}

/// True if an operation's attributes survive being shown and read again.
template <class Op>
constexpr bool survives_reading(const Op& operation, int version) {
    const op::field_row row = op::make_field_row<Op>();
    const op::attributes values(operation);
    return row.make(row.read(values, version), version, "test") == values;
}

}  // namespace lpt::test
