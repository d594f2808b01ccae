// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/prerequisites/stored_weights.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a Reshape of dequantized weights up into the weights: the dequantization then feeds the operation directly.
///
/// A Reshape whose first reader is a GroupConvolution stays: the groups are found by it later.
struct pull_reshape_through_dequantization {
    static constexpr text_view name = "PullReshapeThroughDequantization";
    using pattern = lpt::pattern<op::reshape, from<op::multiply>, from_constant>;

    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        graph& model = r.model;
        if (!is_dequantized_weights(model, model[id].input(0), r.options.precisions_of(name, int8_precisions)) ||
            model[id].shape().is_dynamic()) {
            return false;
        }
        const node_id reader = model.first_use(id).node;
        if (reader != node_id::none && model[reader].is<op::group_convolution>()) {
            return r.refused(id, name, refuse(reason::nothing_to_do));
        }
        const shape target = model[id].shape();
        pull_to_constant(r, id, [&](node_id elementwise, const tensor& values) {
            return reshaped_constant(values, model[elementwise].shape(), target);
        });
        return true;
    }

    /// The constant of an elementwise operation of shape `from`, for the same operation on data of shape `target`.
    ///
    /// Along the axes of `target` that an axis of `from` becomes, the constant is as long as `target` where it was as long
    /// as `from`, and 1 where it was broadcast. No tensor if there is no such constant.
    static constexpr tensor reshaped_constant(const tensor& values, const shape& from, const shape& target) {
        if (values.elements() == 1) {
            return tensor(values, shape{});
        }
        if (values.dimensions().rank() == target.rank() && broadcasts_to(values.dimensions(), target)) {
            return values;
        }
        const shape own = values.dimensions().padded_left(from.rank());
        shape derived = target;
        std::size_t axis = 0;
        for (std::size_t i = 0; i < from.rank(); ++i) {
            dimension product = 1;
            while (axis < target.rank()) {
                product *= target[axis];
                derived[axis] = own[i] == from[i] ? target[axis] : 1;
                ++axis;
                if (product == from[i]) {
                    break;
                }
            }
        }
        if (derived.elements() != values.elements()) {
            return {};
        }
        return tensor(values, derived);
    }
};

}  // namespace lpt::inline LPT_ABI
