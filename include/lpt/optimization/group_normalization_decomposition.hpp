// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

/// GroupNormalization becomes the MVN of its groups, for which there is a kernel, and a scale and a shift for each channel:
/// y = reshape(MVN(reshape(x, [batch, groups, rest]))) * scale + bias.
///
/// Results differ by the rounding of the intermediate values.
struct group_normalization_decomposition {
    static constexpr text_view name = "GroupNormalizationDecomposition";
    using pattern = lpt::pattern<op::group_normalization>;

    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        graph& model = r.model;
        const output_ref x = model[id].input(0);
        if (!model.shape(id).is_static() || model.type(x) != f32 || model.shape(id).elements() == 0) {
            return false;
        }
        const op::group_normalization self = model[id].as<op::group_normalization>();
        op::mvn normalization;
        normalization.eps = self.epsilon;
        const output_ref groups = reshaped(model, x, {0, self.num_groups, -1});
        const output_ref normal =
            model.add(lpt::move(normalization), {groups, model.constant(make_indices(integers{2}))});
        integers sizes;
        integers of_channels;
        for (std::size_t axis = 0; axis < model.shape(id).rank(); ++axis) {
            sizes.push_back(model.shape(id)[axis]);
            of_channels.push_back(axis == 1 ? -1 : 1);
        }
        const output_ref scale = reshaped(model, model[id].input(1), of_channels);
        const output_ref scaled = model.add(op::multiply{}, {reshaped(model, normal, sizes), scale});
        const output_ref bias = reshaped(model, model[id].input(2), of_channels);
        replace_and_name(r, id, model.add(op::add{}, {scaled, bias}));
        return true;
    }

private:
    /// A tensor with other sizes: 0 keeps that of the axis, -1 is what is left.
    static constexpr output_ref reshaped(graph& model, output_ref data, const integers& sizes) {
        return try_fold(model, model.add(op::reshape{true}, {data, model.constant(make_indices(sizes))}));
    }
};

}  // namespace lpt::inline LPT_ABI
