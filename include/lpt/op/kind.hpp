// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/version.hpp>

namespace lpt::inline LPT_ABI::op {

/// The number of an operation type. Types of users come after `count`.
enum class kind : int {
    // model
    parameter,
    result,
    constant,
    convert,
    convert_like,
    fake_quantize,
    fake_convert,
    // binary
    add,
    subtract,
    multiply,
    divide,
    power,
    maximum,
    minimum,
    squared_difference,
    mod,
    floor_mod,
    // comparison
    equal,
    not_equal,
    greater,
    greater_equal,
    less,
    less_equal,
    logical_and,
    logical_or,
    logical_xor,
    logical_not,
    select,
    is_nan,
    is_inf,
    is_finite,
    // bitwise
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    bitwise_left_shift,
    bitwise_right_shift,
    bitwise_not,
    // activation
    relu,
    prelu,
    clamp,
    sigmoid,
    tanh,
    elu,
    gelu,
    hswish,
    hsigmoid,
    hard_sigmoid,
    swish,
    mish,
    soft_plus,
    soft_sign,
    selu,
    exp,
    log,
    sqrt,
    abs,
    negative,
    sign,
    erf,
    floor,
    ceiling,
    round,
    sin,
    cos,
    // trigonometry
    tan,
    asin,
    acos,
    atan,
    sinh,
    cosh,
    asinh,
    acosh,
    atanh,
    // convolution
    convolution,
    group_convolution,
    convolution_backprop_data,
    group_convolution_backprop_data,
    deformable_convolution,
    mat_mul,
    fully_connected_compressed,
    // pooling
    max_pool,
    avg_pool,
    adaptive_max_pool,
    adaptive_avg_pool,
    // movement
    concat,
    split,
    variadic_split,
    strided_slice,
    slice,
    gather,
    gather_nd,
    reshape,
    squeeze,
    unsqueeze,
    transpose,
    depth_to_space,
    space_to_depth,
    batch_to_space,
    space_to_batch,
    shuffle_channels,
    broadcast,
    tile,
    pad,
    interpolate,
    reverse_sequence,
    roll,
    gather_elements,
    // sampling
    grid_sample,
    // normalization
    mvn,
    normalize_l2,
    softmax,
    log_softmax,
    batch_norm_inference,
    lrn,
    group_normalization,
    // reduction
    reduce_max,
    reduce_min,
    reduce_mean,
    reduce_sum,
    reduce_prod,
    reduce_l1,
    reduce_l2,
    reduce_logical_and,
    reduce_logical_or,
    // indexing
    shape_of,
    range,
    top_k,
    cum_sum,
    one_hot,
    non_zero,
    // scatter
    scatter_nd_update,
    scatter_update,
    scatter_elements_update,
    // detection
    non_max_suppression,
    roi_align,
    // signal
    dft,
    idft,
    rdft,
    irdft,
    // linear_algebra
    inverse,
    // attention
    scaled_dot_product_attention,
    // recurrent
    lstm_cell,
    gru_cell,
    lstm_sequence,
    gru_sequence,
    // state
    read_value,
    assign,
    // control_flow
    tensor_iterator,
    loop,
    if_else,
    count,
    none = -1,
};

inline constexpr int kind_count = static_cast<int>(kind::count);

/// The number of a user's operation type, from its name: a hash, so that types of different authors need no common list.
///
/// Two names with the same number cannot be used together; lists of operation types find that when they are compiled.
consteval kind user_kind(const char* name) {
    unsigned long long hash = 1469598103934665603u;
    for (; *name != 0; ++name) {
        hash = (hash ^ static_cast<unsigned char>(*name)) * 1099511628211u;
    }
    constexpr unsigned long long numbers = 0x7fffffffu - static_cast<unsigned>(kind_count);
    return static_cast<kind>(kind_count + static_cast<int>((hash ^ hash >> 32) % numbers));
}
constexpr bool is_of_user(kind number) { return number >= kind::count; }

}  // namespace lpt::inline LPT_ABI::op
