// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/prerequisites/stored_weights.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a Transpose of dequantized weights up into the weights: the dequantization then feeds the operation directly.
struct pull_transpose_through_dequantization {
    static constexpr text_view name = "PullTransposeThroughDequantization";
    using pattern = lpt::pattern<op::transpose, from<op::multiply>, from_constant>;

    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        if (!is_dequantized_weights(r.model, r.model[id].input(0), r.options.precisions_of(name, int8_precisions))) {
            return false;
        }
        const output_ref order = r.model[id].input(1);
        pull_to_constant(r, id, [&](node_id elementwise, const tensor& values) -> tensor {
            const std::size_t rank = r.model[elementwise].shape().rank();
            if (values.dimensions().rank() != rank && values.elements() != 1) {
                return {};
            }
            const tensor full(values, values.elements() == 1 ? shape::of_ones(rank) : values.dimensions());
            return constant_of(r.model, fold_operation(r.model, op::transpose{}, {r.model.constant(full), order}).node);
        });
        return true;
    }
};

}  // namespace lpt::inline LPT_ABI
