// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/constant/facts.hpp>
#include <lpt/constant/folded.hpp>

namespace lpt::inline LPT_ABI {

/// A constant as a value, which rules compute with: `kept.zero_point + moved.zero_point * moved.scale / kept.scale`.
///
/// Each step takes operands of one element type, is computed at least as widely as that type, and is rounded once, to nearest even. Shapes
/// broadcast by numpy's rule; errors are those of `evaluate`. Steps enter no graph: `in` makes a Constant of the last one.
class constant {
    tensor values_;
    node_id place_ = node_id::none;

public:
    constexpr constant(tensor values) : values_(lpt::move(values)) {}
    /// That of a Constant in a graph, which stands for it there as long as no step changes it.
    constexpr constant(const graph& model, node_id place) : values_(constant_of(model, place)), place_(place) {}

    constexpr const tensor& values() const { return values_; }
    constexpr operator const tensor&() const { return values_; }
    constexpr const shape& dimensions() const { return values_.dimensions(); }
    constexpr element type() const { return values_.type(); }
    constexpr node_id in(graph& model) const { return place_ != node_id::none ? place_ : model.constant(values_); }

    /// Without axes where all values are equal.
    constexpr constant to_scalar() const {
        if (values_.dimensions().rank() == 0 || !is_scalar_like(values_)) {
            return *this;
        }
        return make_scalar(values_.type(), values_.real(0));
    }
    /// With another element type; many elements are converted when they are read.
    constexpr constant as(element type) const {
        if (values_.type() == type) {
            return *this;
        }
        return evaluation::convert_late(values_, type);
    }
};

namespace detail {

template <class Op>
[[gnu::noinline]] constexpr tensor combine(const tensor& a, const tensor& b) {
    if (!a.waits() && !b.waits()) {
        if (tensor few = evaluation::combine_few_floats(Op::number, a, b)) {
            return few;
        }
    }
    const tensor operands[] = {a, b};
    return evaluate_values(Op{}, view<tensor>(operands, 2));
}

template <class Number>
constexpr tensor quotients(const tensor& over, const tensor& under, element type, const shape& dimensions) {
    const auto quotient = [](auto x, auto y) {
        const decltype(x) zero{};
        const auto zeros = (x == zero) & (y == zero);
        return zeros ? zero : x / y;
    };
    const evaluation::operand<Number> a(over);
    const evaluation::operand<Number> b(under);
    evaluation::outcome<Number> result(type, dimensions);
    evaluation::detail::binary_row<decltype(quotient), Number, Number>(a.data(), over.elements() == 1 ? 0 : 1, b.data(),
                                                                       under.elements() == 1 ? 0 : 1, result.data(),
                                                                       result.elements(), op::kind::divide);
    return result.finish();
}
/// The values for each element of a shape, or the one that counts for all; the shape may have fewer axes of size 1.
constexpr tensor spread(const tensor& values, const shape& dimensions) {
    if (values.elements() == 1) {
        return values;
    }
    if (values.elements() == dimensions.elements()) {
        return tensor(values, dimensions);
    }
    return broadcast_values(values, dimensions);
}

}  // namespace detail

constexpr constant operator+(const constant& a, const constant& b) { return detail::combine<op::add>(a, b); }
constexpr constant operator-(const constant& a, const constant& b) { return detail::combine<op::subtract>(a, b); }
constexpr constant operator*(const constant& a, const constant& b) { return detail::combine<op::multiply>(a, b); }
constexpr constant operator/(const constant& a, const constant& b) { return detail::combine<op::divide>(a, b); }
constexpr constant operator-(const constant& a) {
    if (lpt::is_constant_evaluated() || a.type() != f32 || a.values().waits()) {
        return evaluate_values(op::negative{}, view<tensor>(&a.values(), 1));
    }
    const evaluation::operand<float> from(a);
    evaluation::outcome<float> result(f32, a.dimensions());
    for (std::size_t i = 0; i < result.elements(); ++i) {
        result[i] = -from[i];
    }
    return result.finish();
}

/// b / a in the type of a, with 0 / 0 = 0. The shape is that of the constant with more values, of a where both have as many.
constexpr constant quotient_or_zero(const tensor& b, const tensor& a) {
    shape dimensions = a.dimensions();
    const std::size_t rank = math::maximum(a.dimensions().rank(), b.dimensions().rank());
    if (b.elements() != 1 && !(a.dimensions().padded_left(rank) == b.dimensions().padded_left(rank))) {
        if (a.elements() == 1) {
            dimensions = b.dimensions();
        } else if (!broadcast_shapes(a.dimensions(), b.dimensions(), dimensions)) {
            fail({"constants of shapes ", a.dimensions(), " and ", b.dimensions(), " do not broadcast"});
        }
    }
    const tensor over = detail::spread(b, dimensions);
    const tensor under = detail::spread(a, dimensions);
    if (a.type() == f32 && b.type() == f32) {
        return detail::quotients<float>(over, under, f32, dimensions);
    }
    return detail::quotients<double>(over, under, a.type(), dimensions);
}

/// Of every `step` values the first one, `times` times.
constexpr constant first_of_every(const tensor& values, std::size_t step, std::size_t times) {
    if (step == 1 && times == 1) {
        return values;
    }
    const std::size_t count = values.elements() / step * times;
    tensor_builder result(values.type(), shape{static_cast<dimension>(count)});
    for (std::size_t i = 0; i < count; ++i) {
        result.real(i, values.real(i / times * step));
    }
    return result.finish();
}

}  // namespace lpt::inline LPT_ABI
