// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/fold/elementwise.hpp>

namespace lpt::inline LPT_ABI::evaluation {

namespace detail {

constexpr float value_of(op::kind kind, float a, float b) {
    switch (kind) {
        case op::kind::add: return a + b;
        case op::kind::subtract: return a - b;
        case op::kind::multiply: return a * b;
        default: return a / b;
    }
}

/// How an operation on two tensors broadcasts; `none` for all but sums, differences, products and quotients.
constexpr op::auto_broadcast rule_of(const op::attributes& what) {
    switch (what.number()) {
        case op::kind::add: return what.as<op::add>().auto_broadcast;
        case op::kind::subtract: return what.as<op::subtract>().auto_broadcast;
        case op::kind::multiply: return what.as<op::multiply>().auto_broadcast;
        case op::kind::divide: return what.as<op::divide>().auto_broadcast;
        default: return op::auto_broadcast::none;
    }
}

}  // namespace detail

/// The sum, difference, product or quotient of two small tensors of floats of one shape, or of one of them and a single number,
/// by numpy's rule, without asking for shapes: most constants of dequantizations are such. No tensor for anything else.
[[gnu::noinline]] constexpr tensor combine_few_floats(op::kind kind, const tensor& a, const tensor& b) {
    std::size_t few = 64;
    if (!lpt::is_constant_evaluated()) {  // more are not computed at once
        few = late_from - 1;
    }
    if (a.type() != f32 || b.type() != f32 || a.elements() > few || b.elements() > few) {
        return {};
    }
    const shape& left = a.dimensions();
    const shape& right = b.dimensions();
    const bool left_spreads = a.elements() == 1 && left.rank() <= right.rank();
    const bool right_spreads = b.elements() == 1 && right.rank() <= left.rank();
    if (!left_spreads && !right_spreads && !(left == right)) {
        const std::size_t rank = math::maximum(left.rank(), right.rank());
        if (lpt::is_constant_evaluated() || left.rank() == right.rank()) {
            return {};
        }
        return combine_few_floats(kind, tensor(a, left.padded_left(rank)), tensor(b, right.padded_left(rank)));
    }
    const shape& dimensions = right_spreads ? left : right;
    const std::byte* from_a = a.data();
    const std::byte* from_b = b.data();
    if (a.elements() == 1 && b.elements() == 1) {
        const auto x = lpt::detail::load<float>(from_a);
        return tensor::of_float(detail::value_of(kind, x, lpt::detail::load<float>(from_b)), dimensions);
    }
    if (!lpt::is_constant_evaluated()) {
        const operand<float> first(a);
        const operand<float> second(b);
        outcome<float> result(f32, dimensions);
        detail::arithmetic_row<float>(kind, true)(first.data(), left_spreads ? 0 : 1, second.data(),
                                                  right_spreads ? 0 : 1, result.data(), result.elements(), kind);
        return result.finish();
    }
    tensor_builder result(f32, dimensions);
    const std::size_t step_a = left_spreads ? 0 : 4;
    const std::size_t step_b = right_spreads ? 0 : 4;
    for (std::size_t i = 0; i < result.elements(); ++i) {
        const auto x = lpt::detail::load<float>(from_a + i * step_a);
        const auto y = lpt::detail::load<float>(from_b + i * step_b);
        lpt::detail::store(result.data() + 4 * i, detail::value_of(kind, x, y));
    }
    return result.finish();
}
/// `combine_few_floats` of an operation; no tensor where it is another operation, or does not broadcast by numpy's rule.
constexpr tensor evaluate_few_floats(const op::attributes& what, const tensor& a, const tensor& b) {
    if (detail::rule_of(what) != op::auto_broadcast::numpy) {
        return {};
    }
    return combine_few_floats(what.number(), a, b);
}

}  // namespace lpt::inline LPT_ABI::evaluation
