// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/rule/pieces.hpp>

namespace lpt::inline LPT_ABI {

namespace fusion {

/// The order of axes that a constant stands for; none stands for all axes reversed.
constexpr integers order_of(const tensor& constant, std::size_t rank) {
    integers result = integers_of(constant);
    for (std::size_t axis = rank; result.size() < rank && axis-- > 0;) {
        result.push_back(static_cast<std::int64_t>(axis));
    }
    return result;
}
/// Transposed by literal 1, then by literal 2.
constexpr integers order_of_both(const match& found) {
    const std::size_t rank = found.dimensions(0).rank();
    const integers first = order_of(found.constant(1), rank);
    integers result;
    for (const std::int64_t axis : order_of(found.constant(2), rank)) {
        result.push_back(first[static_cast<std::size_t>(axis)]);
    }
    return result;
}
constexpr bool is_identity(const integers& order) {
    for (std::size_t axis = 0; axis < order.size(); ++axis) {
        if (order[axis] != static_cast<std::int64_t>(axis)) {
            return false;
        }
    }
    return true;
}
constexpr tensor indices_of_both(const match& found) { return make_indices(order_of_both(found)); }

struct has_known_rank {
    static constexpr text_view name = "HasKnownRank";
    static constexpr bool holds(const match& found) { return found.dimensions(0).rank_is_static(); }
};
struct cancel_each_other {
    static constexpr text_view name = "CancelEachOther";
    static constexpr bool holds(const match& found) { return is_identity(order_of_both(found)); }
};
struct keeps_the_order {
    static constexpr text_view name = "KeepsTheOrder";
    static constexpr bool holds(const match& found) {
        return is_identity(order_of(found.constant(1), found.dimensions(0).rank()));
    }
};
using two_transposes =
    expression<op::transpose, many_readers<expression<op::transpose, any<0>, literal<1>>>, literal<2>>;

}  // namespace fusion

/// A Transpose that leaves all axes where they are goes away.
struct transpose_elimination : rule<"TransposeElimination", expression<op::transpose, any<0>, literal<1>>, any<0>,
                                    when<fusion::has_known_rank, fusion::keeps_the_order>> {};

/// Two Transposes in a row that undo each other go away.
struct transpose_cancellation : rule<"TransposeCancellation", fusion::two_transposes, any<0>,
                                     when<fusion::has_known_rank, fusion::cancel_each_other>> {};

/// Two Transposes in a row become one. The first one stays for its other readers.
struct transpose_fusion
    : rule<"TransposeFusion", fusion::two_transposes,
           expression<op::transpose, any<0>, made_constant<&fusion::indices_of_both>>, when<fusion::has_known_rank>> {};

}  // namespace lpt::inline LPT_ABI
