// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>

namespace lpt::inline LPT_ABI {

namespace detail {

/// One of the two operands of a MatMul, whose last two axes may be exchanged: `[.., rows, summed]` x `[.., summed, columns]`.
struct matrix_operand {
    int port;
    bool transposed;

    /// The axis that is summed; 0 where there are fewer than two axes or their number is not known.
    constexpr std::size_t summed_axis(const shape& dimensions) const {
        if (dimensions.rank_is_dynamic() || dimensions.rank() < 2) {
            return 0;
        }
        return dimensions.rank() - ((port == 1) != transposed ? 2 : 1);
    }
    /// True if a constant of this shape has several values along the summed axis, or along any axis of an operand that has one axis only.
    constexpr bool varies_over_summed_axis(const shape& constant, const shape& dimensions) const {
        if (constant.elements() == 1) {
            return false;
        }
        return dimensions.rank_is_dynamic() || dimensions.rank() < 2 ||
               constant.padded_left(dimensions.rank())[summed_axis(dimensions)] != 1;
    }
    /// Refuses a scale with different values along the summed axis.
    constexpr verdict scale_is_constant(const graph& model, const dequantization& found) const {
        const shape& dimensions = model[found.multiply].shape();
        return is_scalar_like(model, found.scale) || !varies_over_summed_axis(model[found.scale].shape(), dimensions)
                   ? yes
                   : refuse_axis(reason::varies_over_axis, port, summed_axis(dimensions), found.scale);
    }
    /// The scale of the operand as it stands at the product: turned as the operand is. It has one value along the summed axis.
    constexpr tensor turned(const tensor& scale) const {
        const std::size_t rank = scale.dimensions().rank();
        if (!transposed || scale.elements() == 1) {
            return scale;
        }
        shape exchanged = scale.dimensions();
        if (rank < 2) {
            exchanged = shape{scale.dimensions()[0], 1};
        } else {
            swap_values(exchanged[rank - 2], exchanged[rank - 1]);
        }
        return tensor(scale, exchanged);
    }
};

/// A Multiply that reads a converted Constant on input 1, which is where a scale stands, gets the converted values instead. With
/// `quirk::weights_taken_for_scale` also where the scale stands on input 0: then the weights are real numbers, and the MatMul stays.
constexpr void fold_converted_scale(rewrite& r, node_id multiply) {
    const output_ref source = r.model[multiply].input(1);
    if (is_converted_constant(r.model, source) && is_real(r.model.type(source)) &&
        (!is_constant(r.model, r.model[multiply].input(0)) || r.follows(quirk::weights_taken_for_scale))) {
        r.model.set_input(multiply, 1, try_fold(r.model, source.node));
    }
}

}  // namespace detail

}  // namespace lpt::inline LPT_ABI
