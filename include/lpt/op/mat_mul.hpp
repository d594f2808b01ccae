// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/op/product_type.hpp>

namespace lpt::inline LPT_ABI::op {

/// Matrix product over the last two axes; the axes before them broadcast.
///
/// y[…, i, j] = sum over k of a[…, i, k] * b[…, k, j]
/// Inputs: a `[…, I, K]`, `[…, K, I]` with `transpose_a`; b `[…, K, J]`, `[…, J, K]` with `transpose_b`. A vector is
/// a row on the left and a column on the right, is not transposed, and its axis is left out of the output.
/// Raises an error when the inner sizes differ or the outer axes do not broadcast. Source: OpenVINO operation set,
/// MatMul-1.
struct mat_mul {
    static constexpr auto number = kind::mat_mul;
    static constexpr text_view name = "MatMul";
    static constexpr versions opsets{0};
    static constexpr ports inputs{2, 2};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::quantizable | trait::byte_factors | data_on(0, 1);

    bool transpose_a = false;
    bool transpose_b = false;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("transpose_a", self.transpose_a);
        visit("transpose_b", self.transpose_b);
    }
    static constexpr void infer(const mat_mul& self, inference& facts);
    friend constexpr bool operator==(const mat_mul&, const mat_mul&) = default;
};

namespace detail {

/// A matrix operand as `[…, rows, columns]` after its transposition; a vector becomes a row or a column.
constexpr shape matrix_operand(const shape& operand, bool transpose, bool is_left) {
    shape result = operand;
    if (operand.rank() == 1) {
        result.insert(is_left ? 0 : 1, 1);
    } else if (transpose) {
        const std::size_t last = operand.rank() - 1;
        result[last - 1] = operand[last];
        result[last] = operand[last - 1];
    }
    return result;
}

constexpr shape infer_matrix_product(const inference& facts, bool transpose_a, bool transpose_b) {
    const shape& left = facts.dimensions(0);
    const shape& right = facts.dimensions(1);
    for (std::size_t port = 0; port < 2; ++port) {
        if (facts.dimensions(port).rank_is_static() && facts.dimensions(port).rank() == 0) {
            facts.wrong({"input ", port, " must not be a scalar"});
        }
    }
    if (left.rank_is_dynamic() || right.rank_is_dynamic()) {
        return shape::of_dynamic_rank();
    }
    shape a = matrix_operand(left, transpose_a, true);
    shape b = matrix_operand(right, transpose_b, false);
    dimension inner = a[a.rank() - 1];
    if (!merge_dimension(inner, b[b.rank() - 2])) {
        facts.wrong({"inner sizes ", a[a.rank() - 1], " and ", b[b.rank() - 2], " of shapes ", left, " and ", right,
                     " differ"});
    }
    const dimension rows = a[a.rank() - 2];
    const dimension columns = b[b.rank() - 1];
    for (int i = 0; i < 2; ++i) {
        a.erase(a.rank() - 1);
        b.erase(b.rank() - 1);
    }
    shape result;
    if (!broadcast_shapes(a, b, result)) {
        facts.wrong(
            {"the outer axes of shapes ", to_text(left), " and ", to_text(right), " do not broadcast to each other"});
    }
    if (left.rank() != 1) {
        result.push_back(rows);
    }
    if (right.rank() != 1) {
        result.push_back(columns);
    }
    return result;
}

}  // namespace detail

constexpr void mat_mul::infer(const mat_mul& self, inference& facts) {
    const element type = detail::infer_product_type(facts);
    facts.output(type, detail::infer_matrix_product(facts, self.transpose_a, self.transpose_b));
}

}  // namespace lpt::inline LPT_ABI::op
