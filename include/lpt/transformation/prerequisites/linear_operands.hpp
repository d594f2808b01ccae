// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

/// An elementwise operation on a constant, below another one that only it reads: outer(inner(data, first), second).
struct linear_operands {
    node_id inner = node_id::none;
    output_ref data;
    output_ref first;   // constant of the inner operation
    output_ref second;  // constant of the outer operation
};

/// A rule that makes one operation, or two others, of an `Inner` with a constant and the operation with one that alone reads it.
template <class Rule, class Inner>
struct linear_fusion {
    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        const detail::operands_with_constant below = detail::operands_of(r.model, id);
        const node_id inner = below.data.node;
        if (!below || !r.model[inner].template is<Inner>() || r.model.use_count({inner, 0}) != 1) {
            return false;
        }
        const detail::operands_with_constant above = detail::operands_of(r.model, inner);
        return above && Rule::fuse(r, id, {inner, above.data, above.constant, below.constant});
    }
};

}  // namespace lpt::inline LPT_ABI
