// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/set.hpp>
#include <lpt/transformation/fake_quantize/decompose_weights.hpp>
#include <lpt/transformation/matrix_operand.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

/// Moves the scales of both operands behind a MatMul, which then works on 8-bit integers.
///
///     s_a (q_a - z_a) x s_b q_b  =  s_a s_b (q_a x q_b - z_a x q_b)
/// Scales must not vary over the axis that is summed. b has no zero point (it would ask for sums over a, known only at run time), or one that rounds
/// to 0, which is dropped. Where a has one, b must be computed from constants, so that z_a x q_b does not depend on data; it is folded where it can
/// be, and z_a is not rounded. The product of scales is f32. A FakeQuantize as second operand is decomposed first, and stays so where z_a x q_b then
/// becomes infinite and the rule refuses.
struct mat_mul_transformation {
    static constexpr text_view name = "MatMulTransformation";
    using may_read = attribute::set<attribute::precisions>;
    using pattern = lpt::pattern<op::mat_mul, from<op::multiply>, from<op::multiply, op::fake_quantize>>;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        return first_refusal<output_rank_is_known, has_scale, has_low_precision, scale_is_uniform_over_summed_axis,
                             second_operand_fits, zero_point_meets_constant_path>(r, id);
    }
    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        graph& model = r.model;
        // A scale that a Convert gives is folded first: the conditions look for a Constant.
        if (model[model.producer(id, 1)].is<op::multiply>()) {
            detail::fold_converted_scale(r, model.producer(id, 1));
        }
        if (const verdict why = can_transform(r, id); !why) {
            return r.refused(id, name, why);
        }
        // Nothing is unshared: the product gets constants of its own.
        decompose_second_operand(r, id);
        const dequantization a = normalize_dequantization(r, find_dequantization(r, id, 0));
        const dequantization b = normalize_dequantization(r, find_dequantization(r, id, 1));
        // Without update_precisions a FakeQuantize stays.
        const output_ref weights = b.empty() ? model[id].input(1) : b.data;
        output_ref term;
        if (a.has_subtract()) {
            term = zero_point_term(r, id, a, weights);
            const tensor* known = model.constant_value(term);
            if (!r.follows(quirk::overflowing_range) && known != nullptr && !is_finite(*known)) {
                return r.refused(id, name, refuse(reason::infinite_constant, 0));
            }
        }
        const element computed = r.computed_type();
        const tensor scale = product_of_scales(model, id, a, b);
        rewriting product(r, id);
        product.reads({a.data, weights}, {{computed, computed}, {computed}});
        if (a.has_subtract()) {
            product.minus(term, "/DequantizationSubtract");
        }
        const element given = model[a.multiply].type();
        return product.times(model.constant(scale), {{computed, computed}, {given}}, "/DequantizationMultiply")
            .finish();
    }

private:
    static constexpr detail::matrix_operand operand_of(const graph& model, node_id id, int port) {
        const op::mat_mul& self = model[id].as<op::mat_mul>();
        return {port, port == 0 ? self.transpose_a : self.transpose_b};
    }

    static constexpr verdict scale_is_uniform_over_summed_axis(const rewrite& r, node_id id,
                                                               const dequantization& found) {
        return operand_of(r.model, id, found.port).scale_is_uniform_over_summed_axis(r.model, found);
    }
    static constexpr verdict zero_point_meets_constant_path(const rewrite& r, node_id id, const dequantization& found) {
        return !found.has_subtract() || is_constant_path(r.model, r.model.producer(id, 1))
                   ? yes
                   : refuse_zero_point(r.model, found);
    }
    static constexpr verdict zero_point_is_negligible(const rewrite& r, node_id, const dequantization& found) {
        return !found.has_subtract() ||
                       is_negligible_zero_point(r, constant_of(r.model, found.zero_point), r.model.type(found.data))
                   ? yes
                   : refuse_zero_point(r.model, found);
    }
    static constexpr verdict second_operand_fits(const rewrite& r, node_id id, const dequantization&) {
        const node_id fake_quantize = r.model.producer(id, 1);
        if (!r.model[fake_quantize].is<op::fake_quantize>()) {
            return first_refusal<has_scale, has_low_precision, zero_point_is_negligible,
                                 scale_is_uniform_over_summed_axis>(r, id, find_dequantization(r, id, 1));
        }
        if (!has_constant_ranges(r.model, fake_quantize)) {
            return refuse_because_of(reason::ranges_not_constant, 1, fake_quantize);
        }
        const data_precision precision = weights_precision_of(r, fake_quantize);
        const detail::matrix_operand operand = operand_of(r.model, id, 1);
        const shape& dimensions = r.model[fake_quantize].shape();
        return !precision                 ? refuse_levels(r.model, fake_quantize, reason::precision_not_chosen, 1)
               : precision.has_zero_point ? refuse_because_of(reason::has_zero_point, 1, fake_quantize)
               : operand.extends_over_summed_axis(output_range_shape(r.model, fake_quantize), dimensions)
                   ? refuse_axis(reason::varies_over_axis, 1, operand.summed_axis(dimensions), fake_quantize)
                   : yes;
    }

    /// z_a x q_b, with the zero point repeated over the axis that is summed.
    static constexpr output_ref zero_point_term(rewrite& r, node_id product, const dequantization& found,
                                                output_ref weights) {
        graph& model = r.model;
        const tensor& zero_point = constant_of(model, found.zero_point);
        const shape& data = model[found.subtract].shape();
        const shape& second = model.shape(weights);
        const element computed = r.computed_type();
        const bool uniform = is_scalar_like(zero_point);
        const tensor* values = model.constant_value(weights);
        if (uniform && values != nullptr && (values->type() == i8 || values->type() == u8) && second.rank() == 2 &&
            data.rank() >= 2) {
            return model.constant(detail::uniform_zero_point_term(*values, operand_of(model, product, 1).transposed,
                                                                  convert_value(computed, zero_point.real(0)), computed,
                                                                  data.rank()));
        }
        shape dimensions = zero_point.dimensions().padded_left(data.rank());
        if (uniform) {
            dimensions = shape::of_ones(data.rank());
        }
        dimensions[operand_of(model, product, 0).summed_axis(data)] =
            second[operand_of(model, product, 1).summed_axis(second)];
        const constant repeated = constant(broadcast_values(to_scalar(zero_point), dimensions)).as(computed);
        const output_ref term =
            fold_operation(model, model[product].attributes(),
                           {repeated.in(model), fold_convert(model, weights, computed)}, model[product].version());
        return is_constant(model, term) ? output_ref(model.constant(to_scalar(constant_of(model, term.node)))) : term;
    }

    /// s_a s_b, each transposed as its operand is, in the shape of the product.
    static constexpr tensor product_of_scales(const graph& model, node_id product, const dequantization& a,
                                              const dequantization& b) {
        tensor left = constant_of(model, a.scale);
        if (operand_of(model, product, 0).extends_over_summed_axis(left.dimensions(), model[a.multiply].shape())) {
            left = to_scalar(left);  // its values are equal, or the scale was refused
        }
        tensor right = make_scalar(f32, 1);
        if (b.has_multiply()) {
            right = operand_of(model, product, 1).transposed_with_operand(to_scalar(constant_of(model, b.scale)));
        }
        if (right.dimensions().rank() != 0) {
            right = tensor(right, right.dimensions().padded_left(model.shape(model[product].input(0)).rank()));
        }
        return to_scalar(constant(operand_of(model, product, 0).transposed_with_operand(left)).as(f32) *
                         constant(right).as(f32));
    }
};

}  // namespace lpt::inline LPT_ABI
