// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization/values.hpp>

/// Constants computed from constants, and zero points rounded to their type.
namespace lpt::inline LPT_ABI {

/// Adds an operation and folds it: the folded Constant, or the operation itself where it cannot be folded. Where the
/// inputs are Constants only the result enters the graph.
[[gnu::noinline]] constexpr output_ref fold_operation(graph& model, op::attributes what, view<output_ref> inputs,
                                                      int version = -1) {
    if (tensor known = evaluate_constants(model, what, inputs, version)) {
        return model.constant(lpt::move(known));
    }
    return try_fold(model, model.add(lpt::move(what), inputs, {}, version));
}
/// A constant converted to another element type; the very same output if it has that type.
constexpr output_ref fold_convert(graph& model, output_ref source, element type) {
    if (model.type(source) == type) {
        return source;
    }
    if (const tensor* known = model.constant_value(source); known != nullptr && *known && type != dynamic) {
        return model.constant(evaluation::convert_late(*known, type));
    }
    return fold_operation(model, op::convert{type}, {source});
}
/// True if values of one shape broadcast to another shape, as it is.
constexpr bool broadcasts_to(const shape& values, const shape& dimensions) {
    shape merged;
    return broadcast_shapes(values, dimensions, merged) && merged == dimensions;
}
/// The values of a tensor repeated along the axes in which it has size 1; axes of size 1 before those of `dimensions` do not
/// count. Raises an error where it does not broadcast to `dimensions`.
constexpr tensor broadcast_values(const tensor& values, const shape& dimensions) {
    if (values.dimensions() == dimensions) {
        return values;
    }
    const shape own = values.dimensions().trimmed_left(dimensions.rank());
    if (!broadcasts_to(own, dimensions)) {
        fail({"values of shape ", values.dimensions(), " do not broadcast to shape ", dimensions});
    }
    if (values.elements() == 1) {
        return make_tensor(values.type(), dimensions, view<double>({values.real(0)}));
    }
    tensor_builder result(values.type(), dimensions);
    const evaluation::broadcast_walk<1> walk(dimensions, {&own});
    walk.for_each_row([&](const evaluation::broadcast_walk<1>::row& row) {
        for (std::size_t i = 0; i < row.length; ++i) {
            result.real(row.output + i, values.real(row.at[0] + i * row.step[0]));
        }
    });
    return result.finish();
}

/// Zero points as values of the data's type: rounded to the nearest integer, halves away from zero.
///
/// `wraps`: what lies outside the range of an integer type wraps around, -28 to 228 in u8, as in upstream; otherwise it saturates.
constexpr tensor round_zero_points(const tensor& values, element type, bool wraps) {
    tensor_builder result(type, values.dimensions());
    for (std::size_t i = 0; i < result.elements(); ++i) {
        const double whole = math::round_half_away(values.real(i));
        if (wraps && is_integral(type)) {
            // Beyond 64 bits conversions of processors differ; 0 is what is left of such numbers in 8 bits.
            const bool fits = math::absolute(whole) < 0x1p63;
            result.integer(i, fits ? static_cast<std::int64_t>(whole) : 0);
        } else {
            result.real(i, whole);
        }
    }
    return result.finish();
}
constexpr tensor round_zero_points(const rewrite& r, const tensor& values, element type) {
    return round_zero_points(values, type, r.follows(quirk::wrapped_zero_point));
}
/// True if a zero point says nothing to integers of a type; with `quirk::wrapped_zero_point` multiples of 256 say nothing to u8, too.
constexpr bool is_negligible_zero_point(const rewrite& r, const tensor& values, element type) {
    return is_zero(r.follows(quirk::wrapped_zero_point) ? round_zero_points(values, type, true)
                                                        : round_zero_points(values, f64, false));
}

/// A bound as it is behind a dequantization, (bound - zero_point) * scale, computed in `type`. Zero point and scale may be absent.
constexpr output_ref dequantized_bound(graph& model, output_ref bound, output_ref zero_point, output_ref scale,
                                       element type) {
    bound = fold_convert(model, bound, type);
    if (zero_point) {
        bound = fold_operation(model, op::subtract{}, {bound, fold_convert(model, zero_point, type)});
    }
    return scale ? fold_operation(model, op::multiply{}, {bound, fold_convert(model, scale, type)}) : bound;
}

}  // namespace lpt::inline LPT_ABI
