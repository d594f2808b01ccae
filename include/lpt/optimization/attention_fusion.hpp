// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/optimization/numbers.hpp>

namespace lpt::inline LPT_ABI {

namespace fusion {

/// The products of queries and keys, scaled.
using products = labelled<0, expression<op::mat_mul, any<0>, any<1>>>;
using scores =
    either<expression<op::multiply, products, literal<4>>, expression<op::divide, products, literal<5>>, products>;
template <class Scores>
using weighted_values = labelled<2, expression<op::mat_mul, labelled<1, expression<op::softmax, Scores>>, any<2>>>;
using masked_attention = weighted_values<expression<op::add, scores, any<3>>>;
using plain_attention = weighted_values<scores>;

/// One factor for all scores.
struct scales_by_one_number {
    static constexpr text_view name = "ScalesByOneNumber";
    static constexpr bool holds(const match& found) {
        return (!found[4] || found.constant(4).elements() == 1) &&
               (!found[5] || (found.constant(5).elements() == 1 && found.constant(5).real(0) != 0));
    }
};
/// Softmax goes over the keys; a mask does not enlarge the scores; queries, keys and values have the same number of axes.
struct attends_over_keys {
    static constexpr text_view name = "AttendsOverKeys";
    static constexpr bool holds(const match& found) {
        const shape& all = found.model()[found.labelled_node(0)].shape();
        const node& softmax = found.model()[found.labelled_node(1)];
        const std::size_t rank = all.rank();
        return all.is_static() && rank > 2 && softmax.shape() == all && found.dimensions(0).rank() == rank &&
               found.dimensions(1).rank() == rank && found.dimensions(2).rank() == rank &&
               normalized_axis(softmax.as<op::softmax>().axis, rank) == static_cast<std::int64_t>(rank) - 1;
    }
};
/// Whether the second factor of the scores has its places last but one, as attention takes them.
template <bool Expected>
struct has_keys_in_rows {
    static constexpr text_view name = "HasKeysInRows";
    static constexpr bool holds(const match& found) {
        const op::mat_mul& first = found.as<op::mat_mul>(0);
        const op::mat_mul& second = found.as<op::mat_mul>(2);
        return !first.transpose_a && first.transpose_b == Expected && !second.transpose_a && !second.transpose_b;
    }
};

constexpr op::scaled_dot_product_attention attention(const match&) { return {}; }
constexpr tensor scale_of(const match& found) {
    const double scale = found[4] ? found.constant(4).real(0) : found[5] ? 1 / found.constant(5).real(0) : 1.0;
    return make_scalar(found.type(0), scale);
}
constexpr tensor nothing_masked(const match& found) { return make_scalar(found.type(0), 0); }
/// All axes where they are, but for the last two, which are exchanged.
constexpr tensor rows_as_columns(const match& found) {
    integers order;
    const std::size_t rank = found.dimensions(1).rank();
    for (std::size_t axis = 0; axis < rank; ++axis) {
        const std::size_t from = axis + 2 < rank ? axis : axis + 2 == rank ? rank - 1 : rank - 2;
        order.push_back(static_cast<std::int64_t>(from));
    }
    return make_indices(order);
}

using keys_in_rows = any<1>;
using keys_in_columns = expression<op::transpose, any<1>, made_constant<&rows_as_columns>>;
template <class Keys, class Mask>
using attention_of = made<&attention, any<0>, Keys, any<2>, Mask, made_constant<&scale_of>>;
template <bool Expected>
using attention_conditions = when<is_f32<0>, has_keys_in_rows<Expected>, attends_over_keys, scales_by_one_number>;

}  // namespace fusion

/// softmax(scale * Q * transposed(K) + mask) * V becomes ScaledDotProductAttention, with a mask or without, keys in rows or in columns.
///
/// Only where all of it is computed in f32: products of quantized tensors stay. Results differ by the rounding of the intermediate
/// values.
struct masked_attention_fusion
    : rule<"MaskedAttentionFusion", fusion::masked_attention, fusion::attention_of<fusion::keys_in_rows, any<3>>,
           fusion::attention_conditions<true>> {};
struct masked_attention_fusion_of_columns
    : rule<"MaskedAttentionFusionOfColumns", fusion::masked_attention,
           fusion::attention_of<fusion::keys_in_columns, any<3>>, fusion::attention_conditions<false>> {};
struct attention_fusion : rule<"AttentionFusion", fusion::plain_attention,
                               fusion::attention_of<fusion::keys_in_rows, made_constant<&fusion::nothing_masked>>,
                               fusion::attention_conditions<true>> {};
struct attention_fusion_of_columns
    : rule<"AttentionFusionOfColumns", fusion::plain_attention,
           fusion::attention_of<fusion::keys_in_columns, made_constant<&fusion::nothing_masked>>,
           fusion::attention_conditions<false>> {};

}  // namespace lpt::inline LPT_ABI
