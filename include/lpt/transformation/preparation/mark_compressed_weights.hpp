// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/pattern.hpp>
#include <lpt/transformation/rewrite.hpp>

namespace lpt::inline LPT_ABI {

/// Marks weights of 4 bits that only MatMul and Gather read, so that folding leaves them as they are: Constant -> Convert -> … -> MatMul | Gather.
///
/// Between them may stand a dequantization, a Reshape, a Slice and a second Convert. Weights of 8 bits are `mark_dequantization`'s.
struct mark_compressed_weights {
    static constexpr text_view name = "MarkCompressedWeights";
    using pattern = lpt::pattern<op::convert>;

    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        graph& model = r.model;
        const tensor* codes = model.constant_value(model[id].input(0));
        if (!is_null(codes) && (codes->type() == u4 || codes->type() == i4) && is_real(model.type(id)) &&
            reaches_product(model, id)) {
            model.set_mark(id, mark::disabled_constant_folding);
        }
        return false;
    }

private:
    static constexpr int most_between = 8;

    /// True if all that reads a node is one of these operations, or is behind those between.
    static constexpr bool reaches_product(const graph& model, node_id id, int depth = 0) {
        for (input_ref user = model.first_use(id); user.node != node_id::none; user = model.next_use(user)) {
            const node& next = model[user.node];
            const bool reads = (next.is<op::mat_mul>() && user.port == 1) || (next.is<op::gather>() && user.port == 0);
            if (!reads && !(is_between(next.kind(), user.port) && depth < most_between &&
                            reaches_product(model, user.node, depth + 1))) {
                return false;
            }
        }
        return model.use_count(id) != 0;
    }
    static constexpr bool is_between(op::kind kind, std::int32_t port) {
        return kind == op::kind::subtract || kind == op::kind::multiply ||
               (port == 0 && (kind == op::kind::convert || kind == op::kind::reshape || kind == op::kind::slice));
    }
};

}  // namespace lpt::inline LPT_ABI
