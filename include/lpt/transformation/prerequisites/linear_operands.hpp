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
    constexpr explicit operator bool() const { return inner != node_id::none; }
};

/// The operands of two linear operations in a row; empty if `outer` is not the only reader of an `Inner` with a constant.
template <class Inner>
constexpr linear_operands find_linear_operands(const graph& model, node_id outer) {
    const detail::operands_with_constant below = detail::operands_of(model, outer);
    const node_id inner = below.data.node;
    if (!below || !model[inner].is<Inner>() || model.use_count({inner, 0}) != 1) {
        return {};
    }
    const detail::operands_with_constant above = detail::operands_of(model, inner);
    return above ? linear_operands{inner, above.data, above.constant, below.constant} : linear_operands{};
}

/// A rule that makes one operation, or two others, of an `Inner` with a constant and the operation with one that alone reads it.
template <class Rule, class Inner>
struct linear_fusion {
    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        const linear_operands found = find_linear_operands<Inner>(r.model, id);
        return found && Rule::fuse(r, id, found);
    }
};

}  // namespace lpt::inline LPT_ABI
