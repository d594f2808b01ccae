// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/compiled.hpp>
#include <lpt/op/activation.hpp>
#include <lpt/op/adaptive_pooling.hpp>
#include <lpt/op/attention.hpp>
#include <lpt/op/binary.hpp>
#include <lpt/op/bitwise.hpp>
#include <lpt/op/comparison.hpp>
#include <lpt/op/control_flow.hpp>
#include <lpt/op/convolution.hpp>
#include <lpt/op/deformable_convolution.hpp>
#include <lpt/op/detection.hpp>
#include <lpt/op/fully_connected.hpp>
#include <lpt/op/grid_sample.hpp>
#include <lpt/op/indexing.hpp>
#include <lpt/op/linear_algebra.hpp>
#include <lpt/op/mat_mul.hpp>
#include <lpt/op/model.hpp>
#include <lpt/op/movement.hpp>
#include <lpt/op/normalization.hpp>
#include <lpt/op/pooling.hpp>
#include <lpt/op/recurrent.hpp>
#include <lpt/op/reduction.hpp>
#include <lpt/op/row.hpp>
#include <lpt/op/scatter.hpp>
#include <lpt/op/signal.hpp>
#include <lpt/op/state.hpp>
#include <lpt/op/trigonometry.hpp>
#include <lpt/op/user_row.hpp>

namespace lpt::inline LPT_ABI::op {

/// Every operation type of the library, in the order of `kind`.
using all =
    list<parameter, result, constant, convert, convert_like, fake_quantize, fake_convert, add, subtract, multiply,
         divide, power, maximum, minimum, squared_difference, mod, floor_mod, equal, not_equal, greater, greater_equal,
         less, less_equal, logical_and, logical_or, logical_xor, logical_not, select, is_nan, is_inf, is_finite,
         bitwise_and, bitwise_or, bitwise_xor, bitwise_left_shift, bitwise_right_shift, bitwise_not, relu, prelu, clamp,
         sigmoid, tanh, elu, gelu, hswish, hsigmoid, hard_sigmoid, swish, mish, soft_plus, soft_sign, selu, exp, log,
         sqrt, abs, negative, sign, erf, floor, ceiling, round, sin, cos, tan, asin, acos, atan, sinh, cosh, asinh,
         acosh, atanh, convolution, group_convolution, convolution_backprop_data, group_convolution_backprop_data,
         deformable_convolution, mat_mul, fully_connected_compressed, max_pool, avg_pool, adaptive_max_pool,
         adaptive_avg_pool, concat, split, variadic_split, strided_slice, slice, gather, gather_nd, reshape, squeeze,
         unsqueeze, transpose, depth_to_space, space_to_depth, batch_to_space, space_to_batch, shuffle_channels,
         broadcast, tile, pad, interpolate, reverse_sequence, roll, gather_elements, grid_sample, mvn, normalize_l2,
         softmax, log_softmax, batch_norm_inference, lrn, group_normalization, reduce_max, reduce_min, reduce_mean,
         reduce_sum, reduce_prod, reduce_l1, reduce_l2, reduce_logical_and, reduce_logical_or, shape_of, range, top_k,
         cum_sum, one_hot, non_zero, scatter_nd_update, scatter_update, scatter_elements_update, non_max_suppression,
         roi_align, dft, idft, rdft, irdft, inverse, scaled_dot_product_attention, lstm_cell, gru_cell, lstm_sequence,
         gru_sequence, read_value, assign, tensor_iterator, loop, if_else>;

namespace detail {
template <compiled = once>
inline constexpr table<kind_count> row_table = table_of<all>;
#ifdef LPT_COMPILED
LPT_COMPILED template const table<kind_count> row_table<>;
#endif
}  // namespace detail

/// What the graph needs to know about each operation type, by its number.
inline constexpr const table<kind_count>& rows = detail::row_table<>;

constexpr const row& row_of(kind number) {
    if (static_cast<int>(number) < 0) {
        __builtin_unreachable();  // or g++ 12 warns of a row before the first, where it sees that a kind may be `none`
    }
    return rows.values[static_cast<int>(number)];
}
/// The same for operation types of users, too.
constexpr const row& row_of(const attributes& what) {
    return is_of_user(what.number()) ? static_cast<const row&>(*what.facts_of_user()) : row_of(what.number());
}
/// The published name; types of users have theirs in the row of their attributes.
constexpr text_view name(kind number) {
    return is_of_user(number) ? text_view("an operation of the user") : row_of(number).name;
}
constexpr text_view name(const attributes& what) { return row_of(what).name; }

/// The operation type with a published name; `kind::none` where there is none.
constexpr kind parse_kind(text_view name) {
    for (const row& each : rows.values) {
        if (each.name == name) {
            return each.number;
        }
    }
    return kind::none;
}

}  // namespace lpt::inline LPT_ABI::op
