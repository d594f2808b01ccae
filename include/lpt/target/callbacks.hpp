// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/compiled.hpp>
#include <lpt/target/target.hpp>
#include <lpt/transformation/queries.hpp>

/// The callbacks of the ready targets.
namespace lpt::inline LPT_ABI::callback {

/// True if activations (input 0) or weights (input 1) have a zero point.
///
/// Weights of a FakeQuantize are looked at with the integer type that the restrictions of the operation leave them.
template <compiled = once>
[[gnu::noinline]] constexpr bool is_asymmetric(const rewrite& r, node_id id) {
    return is_asymmetric_quantization(r.model, id, r.options.default_precisions) || is_asymmetric_on_weights(r, id);
}

/// True for an Add that adds a bias: engines make it part of the operation above, in floating point.
constexpr bool is_bias(const rewrite& r, node_id id) { return r.model[id].has(mark::bias); }

namespace detail {

/// True if Reshape, Transpose and Convert operations lead from an output to a MatMul and nowhere else.
constexpr bool leads_to_mat_mul_only(const graph& model, node_id id) {
    for (;;) {
        if (model.use_count(id) != 1) {
            return false;
        }
        const input_ref user = model.first_use({id, 0});
        switch (model[user.node].kind()) {
            case op::kind::mat_mul: return true;
            case op::kind::reshape:
            case op::kind::transpose:
            case op::kind::convert: id = user.node; break;
            default: return false;
        }
        if (user.port != 0) {
            return false;
        }
    }
}

}  // namespace detail

/// True for a Subtract or Multiply that makes real numbers of the stored weights of a MatMul that computes in floating point:
/// engines keep such weights compressed and convert them when they compute.
template <compiled = once>
[[gnu::noinline]] constexpr bool is_decompression_for_mat_mul(const rewrite& r, node_id id) {
    const graph& model = r.model;
    if (!is_constant_path(model, id)) {
        return false;
    }
    if (model[id].is<op::subtract>()) {
        if (model.use_count(id) != 1) {
            return false;
        }
        id = model.first_use({id, 0}).node;
    }
    return model[id].is<op::multiply>() && detail::leads_to_mat_mul_only(model, id);
}

/// True for a Multiply that cannot become a GroupConvolution.
template <compiled = once>
[[gnu::noinline]] constexpr bool is_multiply_without_convolution(const rewrite& r, node_id id) {
    return r.model[id].is<op::multiply>() && !can_be_transformed_to_group_convolution(r.model, id);
}

/// True for a Multiply that an engine computes together with the operation above it, which nothing else reads, or that has
/// one number for all channels.
template <compiled = once>
[[gnu::noinline]] constexpr bool is_fused_multiply(const rewrite& r, node_id id) {
    const graph& model = r.model;
    const dequantization found = find_dequantization_at(model, id, r.options.default_precisions);
    return (!found.empty() && model.use_count(found.data) == 1) || is_dynamic_or_scalar(model, id);
}

/// True for a ConvolutionBackpropData that vector kernels of graphics processors do not cover: input channels not a multiple of
/// 4, output channels not of 16, unknown sizes, or zero points.
template <compiled = once>
[[gnu::noinline]] constexpr bool is_unsuitable_backprop(const rewrite& r, node_id id) {
    const shape& data = r.model.shape(r.model[id].input(0));
    const shape& result = r.model[id].shape();
    if (data.rank_is_dynamic() || data.rank() < 2 || !data.is_static(1) || data[1] % 4 != 0 ||
        result.rank_is_dynamic() || result.rank() < 2 || !result.is_static(1) || result[1] % 16 != 0) {
        return true;
    }
    return is_asymmetric(r, id);
}

/// True for a Transpose that is read by ScaledDotProductAttention, which engines compute together with it.
constexpr bool feeds_attention(const rewrite& r, node_id id) {
    for (const input_ref user : r.model.uses(id)) {
        if (r.model[user.node].is<op::scaled_dot_product_attention>()) {
            return true;
        }
    }
    return false;
}

/// True for a MatMul whose second input is not constant weights of rank 2 or 3.
constexpr bool has_unsuitable_weights(const rewrite& r, node_id id) {
    const output_ref weights = r.model[id].input(1);
    const shape& dimensions = r.model.shape(weights);
    const bool fits = dimensions.rank_is_static() && (dimensions.rank() == 2 || dimensions.rank() == 3);
    return !fits || !is_constant_path(r.model, weights.node);
}

#ifdef LPT_COMPILED
LPT_COMPILED template bool is_asymmetric<>(const rewrite&, node_id);
LPT_COMPILED template bool is_decompression_for_mat_mul<>(const rewrite&, node_id);
LPT_COMPILED template bool is_multiply_without_convolution<>(const rewrite&, node_id);
LPT_COMPILED template bool is_fused_multiply<>(const rewrite&, node_id);
LPT_COMPILED template bool is_unsuitable_backprop<>(const rewrite&, node_id);
#endif

}  // namespace lpt::inline LPT_ABI::callback
