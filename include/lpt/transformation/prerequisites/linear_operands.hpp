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
    const int second = detail::constant_port(model, outer, false);
    if (second < 0) {
        return {};
    }
    const node_id inner = model[outer].input(second == 1 ? 0 : 1).node;
    if (!model[inner].is<Inner>() || model.use_count({inner, 0}) != 1) {
        return {};
    }
    const int first = detail::constant_port(model, inner, false);
    if (first < 0) {
        return {};
    }
    return {inner, model[inner].input(first == 1 ? 0 : 1), model[inner].input(static_cast<std::size_t>(first)),
            model[outer].input(static_cast<std::size_t>(second))};
}

}  // namespace lpt::inline LPT_ABI
