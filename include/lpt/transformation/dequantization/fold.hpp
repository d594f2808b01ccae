// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/constant/folded.hpp>
#include <lpt/transformation/dequantization/separate.hpp>

/// Zero points rounded to their type; a dequantization folded into constant data, a Convert into a Subtract.
namespace lpt::inline LPT_ABI {

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

/// Folds the Convert of a zero point where there is a scale too. While the data of the dequantization that gives `last` is constant,
/// folds its Convert, Subtract and Multiply into it. Stops where the inputs of an operation differ in type.
[[gnu::noinline]] constexpr dequantization fold_dequantization_at(rewrite& r, output_ref last) {
    graph& model = r.model;
    const auto find = [&] { return find_dequantization_at(model, last, r.options.default_precisions); };
    dequantization found = find();
    if (found.empty() || !found.has_multiply()) {
        return found;
    }
    if (found.zero_point_convert != node_id::none &&
        model.type(model[found.subtract].input(0)) == model[found.zero_point_convert].type()) {
        model.replace_uses(found.zero_point_convert,
                           fold_convert(model, found.zero_point, model[found.zero_point_convert].type()));
        found = find();
    }
    if (!is_constant(model, found.data)) {
        return found;
    }
    const auto replace_by = [&](node_id old, output_ref folded) {
        copy_information_and_name(r, old, folded.node);
        model.replace_uses(old, folded);
        if (last == output_ref(old)) {
            last = folded;
        }
        found = find();
        return !found.empty();
    };
    if (found.has_convert()) {
        const output_ref folded = fold_convert(model, found.data, model[found.convert].type());
        if (is_constant(model, folded) && !replace_by(found.convert, folded)) {
            return found;
        }
    }
    for (const bool subtract : {true, false}) {
        const node_id each = subtract ? found.subtract : found.multiply;
        if (each == node_id::none) {
            continue;
        }
        output_ref left = model[each].input(0);
        output_ref right = model[each].input(1);
        if (model.type(left) != model.type(right)) {
            return found;
        }
        left = try_fold(model, left.node);
        right = try_fold(model, right.node);
        const output_ref folded = fold_operation(
            model, subtract ? op::attributes(op::subtract{}) : op::attributes(op::multiply{}), {left, right});
        if (!is_constant(model, folded) || !replace_by(each, fold_convert(model, folded, model[each].type()))) {
            return found;
        }
    }
    return found;
}
constexpr dequantization fold_dequantization(rewrite& r, node_id id, std::size_t port) {
    dequantization found = fold_dequantization_at(r, r.model[id].input(port));
    found.port = static_cast<int>(port);
    return found;
}

/// Turns Subtract(Convert(data), constant) into a Subtract of low precision data and constant that still gives the Convert's type. The zero point is
/// rounded, halves away from zero, and made a scalar where all its values are equal; a zero point of zero takes the Subtract away.
///
/// Gives the Subtract that is there afterwards; `none` if it went away. Without such a Convert nothing changes. A zero point that
/// is the same everywhere gets the shape `spread`, if there is one.
[[gnu::noinline]] constexpr node_id optimize_subtract(rewrite& r, node_id subtract, const shape* spread = nullptr) {
    graph& model = r.model;
    const node_id convert = model.producer(subtract, 0);
    if (!model[convert].is<op::convert>() || !is_real(model[convert].type())) {
        return subtract;
    }
    const output_ref data = model[convert].input(0);
    const element real_type = model[convert].type();
    const output_ref constant = try_fold(model, model[subtract].input(1).node);
    if (!is_constant(model, constant)) {
        return subtract;
    }
    tensor shifts = constant_of(model, constant.node);
    if (detail::round_alike(shifts)) {  // one value of many is quickly rounded
        shifts = make_scalar(f32, shifts.real(0));
    }
    tensor zero_point = to_scalar(round_zero_points(r, shifts, model.type(data)));
    if (zero_point.elements() == 1 && zero_point.real(0) == 0) {
        model.replace_uses(subtract, data);
        return node_id::none;
    }
    if (spread != nullptr && zero_point.dimensions().rank() == 0) {
        zero_point = make_tensor(zero_point.type(), *spread, view<double>({zero_point.real(0)}));
    }
    renew_relaxed(r, subtract, {data, model.constant(lpt::move(zero_point))}, {{real_type, real_type}, {real_type}});
    return subtract;
}

}  // namespace lpt::inline LPT_ABI
