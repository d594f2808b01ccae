// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/operation.hpp>

/// Quantized tensors: QuantizeLinear as FakeQuantize, and dequantization.
namespace lpt::inline LPT_ABI::onnx::detail {

/// A scale or zero point in the form that broadcasts to data of this rank.
inline tensor along_axis(const tensor& numbers, std::int64_t axis, std::size_t rank) {
    if (numbers.elements() == 1) {
        return tensor(numbers, shape{});
    }
    shape dimensions = shape::of_ones(rank);
    dimensions[static_cast<std::size_t>(axis)] = static_cast<dimension>(numbers.elements());
    return tensor(numbers, dimensions);
}

inline double zero_point_of(const quantization& how, std::size_t channel) {
    if (!how.zero_point) {
        return 0;
    }
    return how.zero_point.real(how.zero_point.elements() == 1 ? 0 : channel);
}

/// The bounds of a FakeQuantize that quantizes so.
///
/// The lower one is what lies so many steps below the upper one that dividing their distance by the number of steps gives the scale to the last bit.
struct quantization_bounds {
    tensor low;
    tensor high;
    tensor least;  // the numbers as which the bounds are stored
    tensor greatest;
    op::fake_quantize what;
};

/// The level that all zero points are, or none.
inline std::int64_t zero_level_of(const quantization& how, std::size_t count) {
    const double level = zero_point_of(how, 0) - facts(how.type).lowest;
    for (std::size_t i = 1; i < count; ++i) {
        if (zero_point_of(how, i) != zero_point_of(how, 0)) {
            return op::fake_quantize::no_level;
        }
    }
    return static_cast<std::int64_t>(level);
}

inline quantization_bounds bounds_of(const quantization& how, std::size_t rank) {
    const element_facts& limits = facts(how.type);
    const std::size_t count = math::maximum(how.scale.elements(), how.zero_point ? how.zero_point.elements() : 1);
    const double steps = limits.highest - limits.lowest;
    seq<double> low;
    seq<double> high;
    for (std::size_t i = 0; i < count; ++i) {
        const double scale = how.scale.real(how.scale.elements() == 1 ? 0 : i);
        const double zero = zero_point_of(how, i);
        if (zero == limits.highest) {
            high.push_back(0);
        } else {
            high.push_back(static_cast<double>(static_cast<float>((limits.highest - zero) * scale)));
        }
        low.push_back(zero == limits.lowest ? 0 : high.back() - steps * scale);
    }
    shape dimensions;
    if (count != 1) {
        dimensions = shape::of_ones(rank);
        dimensions[static_cast<std::size_t>(how.axis)] = static_cast<dimension>(count);
    }
    return {make_tensor(f32, dimensions, low),
            make_tensor(f32, dimensions, high),
            make_scalar(f32, limits.lowest),
            make_scalar(f32, limits.highest),
            {.levels = static_cast<std::int64_t>(steps) + 1, .zero_level = zero_level_of(how, count)}};
}

/// The same where what is quantized are whole steps already: bounds that are whole numbers, with nothing to round.
inline quantization_bounds counted_bounds_of(const quantization& how, std::size_t rank) {
    quantization steps = how;
    steps.scale = make_scalar(f32, 1);
    return bounds_of(steps, rank);
}

inline std::size_t rank_of(const model_builder& to, output_ref of) {
    const shape& dimensions = to.shape_of(of);
    return dimensions.rank_is_static() ? dimensions.rank() : 0;
}

/// The quantized integers: a FakeQuantize that gives them as real numbers, and a Convert.
inline output_ref quantized_integers(model_builder& to, const quantized_tensor& from) {
    const std::size_t rank = rank_of(to, from.real);
    const quantization_bounds bounds = from.is_counted ? counted_bounds_of(from.how, rank) : bounds_of(from.how, rank);
    const output_ref inputs[] = {from.real, to.constant(bounds.low), to.constant(bounds.high),
                                 to.constant(bounds.least), to.constant(bounds.greatest)};
    const output_ref rounded = to.add_node(bounds.what, view<output_ref>(inputs, 5));
    return to.add_node(op::convert{from.how.type}, view<output_ref>(&rounded, 1));
}

/// Whole steps of 16 bits as the standard writes them: limited, times the scale. Nothing computes with such integers, and the formula of a FakeQuantize
/// would add a last digit of its range to small numbers. No value where zero points differ.
inline output_ref limited_steps(model_builder& to, const quantized_tensor& from) {
    if (!from.is_counted || bit_width(from.how.type) != 16 ||
        (from.how.zero_point && from.how.zero_point.elements() != 1)) {
        return {};
    }
    const element_facts& limits = facts(from.how.type);
    const double zero = zero_point_of(from.how, 0);
    const op::clamp limit{{}, limits.lowest - zero, limits.highest - zero};
    const output_ref steps = to.add_node(limit, view<output_ref>(&from.real, 1));
    const output_ref scale = to.constant(along_axis(from.how.scale, from.how.axis, rank_of(to, from.real)));
    return to.add_node(op::multiply{}, view<output_ref>({steps, scale}));
}

/// The real numbers that the quantized integers stand for.
inline output_ref quantized_and_back(model_builder& to, const quantized_tensor& from) {
    if (from.is_rounded) {
        return from.real;
    }
    if (const output_ref limited = limited_steps(to, from)) {
        return limited;
    }
    quantization_bounds bounds = bounds_of(from.how, rank_of(to, from.real));
    const output_ref low = to.constant(bounds.low);
    const output_ref high = to.constant(bounds.high);
    output_ref inputs[] = {from.real, low, high, low, high};
    if (from.is_counted) {
        const quantization_bounds steps = counted_bounds_of(from.how, rank_of(to, from.real));
        inputs[1] = to.constant(steps.low);
        inputs[2] = to.constant(steps.high);
        bounds.what = steps.what;
    }
    return to.add_node(bounds.what, view<output_ref>(inputs, 5));
}

/// The quantization that input 0 has, and all other quantized inputs, too; nothing where there is none, or one per axis.
inline std::shared_ptr<quantized_tensor> common_quantization(operation& n) {
    std::shared_ptr<quantized_tensor> found;
    for (std::size_t port = 0; port < n.inputs(); ++port) {
        if (!n.has(port)) {
            continue;
        }
        const value each = n.value_at(port);
        if (!each.quantized) {
            if (port == 0 || n.node().type == "Concat") {
                return nullptr;
            }
            continue;
        }
        const bool fits = each.quantized->how.scale.elements() == 1 && (!found || found->how == each.quantized->how);
        if (!fits) {
            return nullptr;
        }
        found = each.quantized;
    }
    return found;
}

/// (x - zero point) * scale, as transformations look for it; nothing of it is folded.
inline output_ref dequantized(model_builder& to, output_ref from, const quantization& how, element type) {
    const std::size_t rank = rank_of(to, from);
    output_ref result = to.add_node(op::convert{type}, view<output_ref>(&from, 1));
    if (!how.is_symmetric()) {
        const tensor zero = evaluation::convert_tensor(along_axis(how.zero_point, how.axis, rank), type);
        result = to.add_node(op::subtract{}, view<output_ref>({result, to.constant(zero)}));
    }
    const tensor scale = evaluation::convert_tensor(along_axis(how.scale, how.axis, rank), type);
    return to.add_node(op::multiply{}, view<output_ref>({result, to.constant(scale)}));
}

}  // namespace lpt::inline LPT_ABI::onnx::detail
