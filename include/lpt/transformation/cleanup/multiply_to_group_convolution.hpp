// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/set.hpp>
#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/guarded.hpp>

namespace lpt::inline LPT_ABI {

/// Puts a GroupConvolution that changes nothing above a Multiply by a constant that has found no operation to join: one
/// 1 x 1 kernel of 1 for each channel. Engines run it in 8 bits and make the Multiply part of it.
///
/// before: y = scale * (x - zero_point);  after: y = scale * (group_convolution(x, 1) + (-zero_point))
/// For data `[N, C, H, W]` or `[N, C, D, H, W]` with known C on one input, the constant on the other; on input 0 it needs two axes
/// or more. With `update_precisions` the weights have the first type
/// that the target accepts on input 1 of GroupConvolution, else on the constant input of the Multiply, else the first
/// default precision; and the data must have a type that the target accepts on input 0.
struct multiply_to_group_convolution_transformation : guarded<multiply_to_group_convolution_transformation> {
    static constexpr text_view name = "MultiplyToGroupConvolutionTransformation";
    using may_read = attribute::set<attribute::precisions>;
    using pattern = lpt::pattern<op::multiply>;

    static constexpr bool is_about(const rewrite& r, node_id id) {
        return static_cast<bool>(detail::operands_of(r.model, id));
    }
    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        const graph& model = r.model;
        if (model[id].has(mark::disable_cleanup)) {
            return refuse(reason::disabled_by_mark);
        }
        const detail::operands_with_constant operands = detail::operands_of(model, id);
        if (!operands) {
            return refuse(reason::nothing_to_do, 1);
        }
        const int port = operands.port == 1 ? 0 : 1;
        if (is_constant(model, operands.data) ||
            (model[operands.data.node].is<op::subtract>() && is_constant(model, model[operands.data.node].input(0)))) {
            return refuse(reason::constant_path, port);
        }
        if (const verdict shapes = shapes_verdict(model, id, operands); !shapes) {
            return shapes;
        }
        const output_ref data = source_of(r, id).data;
        if (!data) {
            return refuse(reason::no_dequantization, port);
        }
        const element type = model.type(data);
        const port_types* accepted = r.restrictions.precisions_on(op::kind::group_convolution, 0);
        const bool is_restricted =
            r.options.update_precisions && accepted != nullptr && !accepted->types.contains(type);
        return !is_real(model.type(operands.constant)) ? refuse(reason::types_do_not_match, 1 - port)
               : is_restricted                         ? refuse_type(reason::restricted_by_target, port, type)
               : weights_type(r, id, type) == dynamic  ? refuse(reason::no_precision_left, 1)
                                                       : yes;
    }
    [[gnu::cold]] static constexpr bool apply(rewrite& r, node_id id) {
        graph& model = r.model;
        const dequantization found = source_of(r, id);
        const shape& result = model[id].shape();
        shape kernels = shape::of_ones(result.rank() + 1);
        kernels[0] = result[1];
        const element type = weights_type(r, id, model.type(found.data));
        const node_id weights = model.constant(make_tensor(type, kernels, {1.0}));
        const integers ones(result.rank() - 2, 1);
        const integers zeros(result.rank() - 2, 0);
        const node_id convolution =
            model.add_relaxed(op::group_convolution{ones, zeros, zeros, ones}, {found.data, weights},
                              {{f32, f32}, {f32}}, join({model[id].name(), "/GroupConvolution"}).view());
        node_id last = convolution;
        if (found.has_subtract()) {
            const output_ref negative =
                fold_operation(model, op::negative{}, {fold_convert(model, found.zero_point, f32)});
            last = model.add(op::add{}, {convolution, negative}, join({model[convolution].name(), "/Add"}).view());
        }
        return replace_and_name(r, id, scaled(r, id, last, detail::operands_of(model, id).constant));
    }

private:
    /// What the convolution reads: the data below Convert and Subtract; a further Multiply is left where it is.
    static constexpr dequantization source_of(const rewrite& r, node_id id) {
        const std::size_t port = 1 - detail::operands_of(r.model, id).port;
        dequantization found = find_dequantization(r, id, port);
        if (found.has_multiply()) {
            found = {};
            found.data = r.model[id].input(port);
        }
        return found;
    }

    static constexpr verdict shapes_verdict(const graph& model, node_id id,
                                            const detail::operands_with_constant& operands) {
        const int port = operands.port == 1 ? 0 : 1;
        const shape& data = model.shape(operands.data);
        const shape& constant = model.shape(operands.constant);
        const shape& result = model[id].shape();
        const bool keeps_channels = data.rank() > 1 && result.rank() == data.rank() && result[1] == data[1];
        const auto is_channel = [](std::size_t axis) { return axis < 2; };  // upstream does not align them
        return data.rank_is_dynamic()                                  ? refuse(reason::dynamic_rank, port)
               : data.rank() != 4 && data.rank() != 5                  ? refuse(reason::shapes_do_not_match, port)
               : !data.is_static(1)                                    ? refuse(reason::dynamic_channel, port)
               : !keeps_channels || (port == 1 && constant.rank() < 2) ? refuse(reason::shapes_do_not_match, 1 - port)
               : varies_only_where(constant, is_channel)               ? yes
                                                         : refuse(reason::not_per_tensor_or_per_channel, 1 - port);
    }

    /// The type of the weights; dynamic where none is allowed.
    static constexpr element weights_type(const rewrite& r, node_id id, element data) {
        if (!r.options.update_precisions) {
            return data;
        }
        const port_types* accepted = r.restrictions.precisions_on(op::kind::group_convolution, 1);
        if (accepted != nullptr && !accepted->types.empty()) {
            return accepted->types.front();
        }
        const auto* marked =
            attributes_of<attribute::precisions>(r).find_input(id, detail::operands_of(r.model, id).port);
        const view<element> types =
            marked != nullptr ? view<element>(marked->types) : view<element>(r.options.default_precisions);
        return types.empty() ? dynamic : types.front();
    }

    static constexpr node_id scaled(rewrite& r, node_id like, node_id data, output_ref scale) {
        graph& model = r.model;
        const element type = model.type(scale);
        if (model[like].relaxed() || type != model.type(data)) {
            return model.add_relaxed(model[like].attributes(), {data, scale}, {{type, type}, {model[like].type()}}, {},
                                     model[like].version());
        }
        return model.add(model[like].attributes(), {data, scale}, {}, model[like].version());
    }
};

}  // namespace lpt::inline LPT_ABI
