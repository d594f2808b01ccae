// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/set.hpp>
#include <lpt/transformation/eltwise.hpp>
#include <lpt/transformation/pattern.hpp>
#include <lpt/transformation/quantization_details.hpp>

namespace lpt::inline LPT_ABI {

/// Moves the dequantization of one branch of an Add behind it; the other branch takes what is left.
///
/// before: y = s1 * (x1 - z1) + s2 * (x2 - z2)
/// after:  y = s2 * (s1 / s2 * (x1 - (z1 + s2 * z2 / s1)) + x2)
/// where branch 1 stays in floating point (see `choose_full_path`) and branch 2 is read in low precision. With a constant
/// branch: x * a + b = (x + b / a) * a, the sum as a Subtract (one with that of the dequantization) unless it is a bias.
struct add_transformation {
    static constexpr text_view name = "AddTransformation";
    using may_read = attribute::set<attribute::bias>;
    using pattern = lpt::pattern<op::add>;

    [[gnu::cold]] static constexpr verdict can_transform(const auto& r, node_id id) {
        return can_transform(r, id, {find_dequantization(r, id, 0), find_dequantization(r, id, 1)});
    }
    [[gnu::cold]] static constexpr bool transform(auto& r, node_id id) {
        dequantization branches[2] = {find_dequantization(r, id, 0), find_dequantization(r, id, 1)};
        if (const verdict why = can_transform(r, id, branches); !why) {
            return r.refused(id, name, why);
        }
        node_id add = id;
        if (!stands_alone(r.model, branches[0]) || !stands_alone(r.model, branches[1])) {
            add = separate_in_standalone_branch(r, id);
            branches[0] = find_dequantization(r, add, 0);
            branches[1] = find_dequantization(r, add, 1);
        }
        const full_path path = choose_full_path(r, branches[0], branches[1]);
        return path == full_path::constant ? transform_constant(r, add, branches)
                                           : transform_branches(r, add, branches, static_cast<int>(path));
    }

private:
    static constexpr verdict can_transform(const auto& r, node_id id, view<dequantization> branches) {
        for (const std::size_t port : {std::size_t{0}, std::size_t{1}}) {
            const verdict scale = scale_is_not_zero(r.model, branches[port], static_cast<int>(port));
            if (!scale) {
                return scale;
            }
        }
        return eltwise_precondition(r, id, branches);
    }

    /// True if all data that a type, or the output range of a FakeQuantize, allows stays a float when it is scaled. Data of
    /// which nothing is known counts as small.
    template <int Once = 0>
    static constexpr bool stays_finite(const graph& model, output_ref data, const tensor& scale) {
        const element type = model.type(data);
        double greatest = is_real(type) ? 1 : math::maximum(-facts(type).lowest, facts(type).highest);
        if (is_real(type) && model[data.node].is<op::fake_quantize>() && has_constant_ranges(model, data.node, 3)) {
            for (const std::size_t port : {std::size_t{3}, std::size_t{4}}) {
                greatest =
                    math::maximum(greatest, greatest_magnitude(*model.constant_value(model[data.node].input(port))));
            }
        }
        return greatest * greatest_magnitude(scale) < facts(f32).highest;
    }
    template <int Once = 0>
    static constexpr double greatest_magnitude(const tensor& values) {
        const detail::value_extent extent = detail::extent_of(values);
        return math::maximum(0.0, math::maximum(-extent.least, extent.greatest));
    }

    static constexpr bool transform_branches(auto& r, node_id add, view<dequantization> branches, int full) {
        graph& model = r.model;
        const auto full_port = static_cast<std::size_t>(full);
        const std::size_t empty_port = 1 - full_port;
        dequantization empty = branches[empty_port];
        if (r.options.update_precisions && !empty.empty() && !is_low_precision(model, empty)) {
            return r.refused(
                add, name,
                refuse_type(reason::not_low_precision, static_cast<int>(empty_port), model.type(empty.data)));
        }
        empty = normalize_dequantization(r, fold_dequantization(r, add, empty_port));
        const dequantization kept = normalize_dequantization(r, fold_dequantization(r, add, full_port));
        const dequantization_values moved = values_of(r, empty);
        const dequantization_values old = values_of(r, kept);
        const output_ref shift = fold_operation(
            model, op::divide{}, {fold_operation(model, op::multiply{}, {moved.zero_point, moved.scale}), old.scale});
        const output_ref zero_point = fold_operation(model, op::add{}, {old.zero_point, shift});
        const output_ref scale = fold_operation(model, op::divide{}, {old.scale, moved.scale});
        output_ref data = floating_point_data(kept);
        if (!is_finite(constant_of(model, zero_point.node)) || !is_finite(constant_of(model, scale.node)) ||
            !is_finite(constant_of(model, moved.scale.node)) ||
            !stays_finite(model, kept.data, constant_of(model, scale.node))) {
            return r.refused(add, name, refuse(reason::infinite_constant, full));
        }
        if (model.type(data) != r.computed_type()) {
            data = model.add(op::convert{r.computed_type()}, {data});
        }
        if (!is_zero(constant_of(model, zero_point.node))) {
            data = model.add(op::subtract{}, {data, zero_point});
        }
        output_ref inputs[2];
        inputs[full_port] = model.add(op::multiply{}, {data, scale});
        inputs[empty_port] = empty.data;
        const element output = r.options.scaling_mode ? model[add].type() : f32;
        const element given = model[add].type();
        const seq<input_ref, 4> readers = model.uses({add, 0});
        renew_relaxed(r, add, inputs, {{output, output}, {output}});
        const node_id multiply = model.add_relaxed(op::multiply{}, {add, moved.scale}, {{output, output}, {given}});
        insert_dequantization(r, readers, multiply, add);
        fold_dequantization(r, add, full_port);
        update_output_name(r, multiply, add);
        return true;
    }

    static constexpr bool transform_constant(auto& r, node_id add, view<dequantization> branches) {
        graph& model = r.model;
        const constant_branch branch = find_constant_branch(r, add, branches);
        if (branch.multiply < 0) {
            fold_dequantization(r, add, 0);
            fold_dequantization(r, add, 1);
            return r.refused(add, name, refuse(reason::nothing_to_do));
        }
        const auto port = static_cast<std::size_t>(branch.multiply);
        fold_dequantization(r, add, 1 - port);
        const output_ref summand = model[add].input(1 - port);
        if (!is_constant(model, summand)) {
            return r.refused(add, name,
                             refuse_type(reason::types_do_not_match, static_cast<int>(1 - port), model.type(summand)));
        }
        const node_id multiply = model.producer(add, port);
        const auto data_port = static_cast<std::size_t>(branch.data);
        const output_ref data = model[multiply].input(data_port);
        const output_ref scale = model[multiply].input(1 - data_port);
        tensor quotient = divide(constant_of(model, summand.node), constant_of(model, scale.node));
        if (const std::size_t rank = model.shape(summand).rank();
            model.shape(data).rank_is_static() && rank > model.shape(data).rank()) {
            quotient =
                tensor(quotient, quotient.dimensions().padded_left(rank));  // the sum has all axes of the summand
        }
        const bool may_overflow = quotient.type() != f32 && r.follows(quirk::overflowing_range);
        if (!may_overflow && becomes_infinite(constant_of(model, summand.node), quotient)) {
            return r.refused(add, name, refuse(reason::infinite_constant, static_cast<int>(1 - port)));
        }

        const seq<input_ref, 4> readers = model.uses({add, 0});
        become_sum_before_scale(r, add, data, quotient);
        const node_id scaled = model.add_relaxed(op::multiply{}, {add, scale}, {{f32, f32}, {model[multiply].type()}},
                                                 model[multiply].name());
        copy_information(r, multiply, scaled);
        for (const input_ref reader : readers) {
            model.set_input(reader.node, static_cast<std::size_t>(reader.port), scaled);
        }
        update_output_name(r, scaled, add);
        return true;
    }

    /// b / a of floats, with 0 / 0 = 0: what their quotient in double, rounded to float, is.
    template <int Once = 0>
    static constexpr tensor divide_floats(const tensor& b, const tensor& a, const shape& dimensions) {
        const evaluation::operand<float> dividend(b);
        const evaluation::operand<float> divisor(a);
        evaluation::outcome<float> result(f32, dimensions);
        const float* over = dividend.data();
        const float* under = divisor.data();
        const std::size_t over_step = b.elements() == 1 ? 0 : 1;
        const std::size_t under_step = a.elements() == 1 ? 0 : 1;
        divide_row(over, over_step, under, under_step, result.data(), result.elements());
        return result.finish();
    }
    template <int Once = 0>
    [[gnu::noinline]] static constexpr void divide_row(const float* over, std::size_t over_step, const float* under,
                                                       std::size_t under_step, float* to, std::size_t count) {
        const auto quotient = [](auto x, auto y) {
            const decltype(x) zero{};
            const auto zeros = (x == zero) & (y == zero);
            return zeros ? zero : x / y;
        };
        evaluation::detail::binary_row<decltype(quotient), float, float>(over, over_step, under, under_step, to, count,
                                                                         op::kind::divide);
    }

    /// True if a finite constant has no finite quotient: the type of the scale is too narrow for it.
    template <int Once = 0>
    static constexpr bool becomes_infinite(const tensor& constant, const tensor& quotient) {
        return !is_finite(quotient) && is_finite(constant);
    }

    /// The values for each element of a shape, or the one that counts for all; the shape may have fewer axes of size 1.
    template <int Once = 0>
    static constexpr tensor spread_values(const tensor& values, const shape& dimensions) {
        if (values.elements() == 1) {
            return values;
        }
        if (values.elements() == dimensions.elements()) {
            return tensor(values, dimensions);
        }
        return broadcast_values(values, dimensions);
    }
    /// b / a in the type of a, with 0 / 0 = 0; the shape is that of the constant with more values, of a where both have as many.
    template <int Once = 0>
    static constexpr tensor divide(const tensor& b, const tensor& a) {
        shape dimensions;
        const std::size_t rank = math::maximum(a.dimensions().rank(), b.dimensions().rank());
        if (b.elements() == 1 || a.dimensions().padded_left(rank) == b.dimensions().padded_left(rank)) {
            dimensions = a.dimensions();
        } else if (a.elements() == 1) {
            dimensions = b.dimensions();
        } else if (!broadcast_shapes(a.dimensions(), b.dimensions(), dimensions)) {
            fail({"constants of shapes ", a.dimensions(), " and ", b.dimensions(), " do not broadcast"});
        }
        const tensor divisor = spread_values(a, dimensions);
        const tensor dividend = spread_values(b, dimensions);
        if (divisor.type() == f32 && dividend.type() == f32) {
            return divide_floats(dividend, divisor, dimensions);
        }
        tensor_builder result(a.type(), dimensions);
        const std::size_t dividend_step = dividend.elements() == 1 ? 0 : 1;
        const std::size_t divisor_step = divisor.elements() == 1 ? 0 : 1;
        for (std::size_t i = 0; i < result.elements(); ++i) {
            const double over = dividend.real(i * dividend_step);
            const double under = divisor.real(i * divisor_step);
            result.real(i, over == 0 && under == 0 ? 0 : over / under);
        }
        return result.finish();
    }

    /// a - b, of floats that are there at once.
    template <int Once = 0>
    static constexpr output_ref minus(graph& model, output_ref a, const tensor& b) {
        if (const tensor& known = constant_of(model, a.node); !known.waits()) {
            if (tensor few = evaluation::combine_few_floats(op::kind::subtract, known, b)) {
                return model.constant(lpt::move(few));
            }
        }
        return fold_operation(model, op::subtract{}, {a, model.constant(b)});
    }
    template <int Once = 0>
    static constexpr output_ref negative(graph& model, const tensor& values) {
        if (lpt::is_constant_evaluated() || values.type() != f32) {
            return fold_operation(model, op::negative{}, {model.constant(values)});
        }
        const evaluation::operand<float> from(values);
        evaluation::outcome<float> result(f32, values.dimensions());
        const float* each = from.data();
        float* to = result.data();
        for (std::size_t i = 0; i < values.elements(); ++i) {
            to[i] = -each[i];
        }
        return model.constant(result.finish());
    }

    /// The Add becomes data + summand: a Subtract, one with a Subtract by a constant that gives the data; an Add if it is a bias.
    static constexpr void become_sum_before_scale(auto& r, node_id add, output_ref data, const tensor& summand) {
        graph& model = r.model;
        bool subtracts = false;
        output_ref constant;
        const element type = is_real(model.type(data)) ? model.type(data) : f32;
        const node& above = model[data.node];
        if (above.is<op::subtract>() && is_constant(model, above.input(1))) {
            const output_ref zero_point = fold_convert(model, above.input(1), summand.type());
            constant = minus(model, zero_point, summand);
            data = above.input(0);
            subtracts = true;
        } else if (!model[add].has(mark::bias)) {
            constant = negative(model, summand);
            subtracts = true;
        } else {
            constant = model.constant(summand);
        }
        model.renew(add, {data, constant});
        if (subtracts) {
            r.attributes.drop_ports(add);
            model.become(add, op::subtract{}, op::subtract::opsets.newest());
        }
        model.relax(add, {{f32, f32}, {type}});
    }
};

}  // namespace lpt::inline LPT_ABI
