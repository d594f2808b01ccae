// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/op/all.hpp>

/// Which operations low precision can reach at all, by their names: what restrictions and markup agree on.
namespace lpt {

namespace detail {

inline constexpr op::kind quantizable_operations[] = {
    op::kind::add,
    op::kind::avg_pool,
    op::kind::batch_to_space,
    op::kind::broadcast,
    op::kind::clamp,
    op::kind::concat,
    op::kind::convert,
    op::kind::convolution,
    op::kind::convolution_backprop_data,
    op::kind::depth_to_space,
    op::kind::fake_quantize,
    op::kind::interpolate,
    op::kind::group_convolution,
    op::kind::mat_mul,
    op::kind::max_pool,
    op::kind::multiply,
    op::kind::mvn,
    op::kind::normalize_l2,
    op::kind::pad,
    op::kind::prelu,
    op::kind::reduce_max,
    op::kind::reduce_mean,
    op::kind::reduce_min,
    op::kind::reduce_sum,
    op::kind::relu,
    op::kind::reshape,
    op::kind::slice,
    op::kind::space_to_batch,
    op::kind::squeeze,
    op::kind::shuffle_channels,
    op::kind::split,
    op::kind::strided_slice,
    op::kind::subtract,
    op::kind::transpose,
    op::kind::unsqueeze,
    op::kind::variadic_split,
    op::kind::lstm_sequence,
    op::kind::gru_sequence,
    op::kind::gather,
};

inline constexpr op::kind precision_preserving_operations[] = {
    op::kind::concat,        op::kind::depth_to_space,   op::kind::interpolate,
    op::kind::max_pool,      op::kind::reduce_max,       op::kind::reduce_min,
    op::kind::relu,          op::kind::batch_to_space,   op::kind::broadcast,
    op::kind::pad,           op::kind::reshape,          op::kind::slice,
    op::kind::squeeze,       op::kind::space_to_batch,   op::kind::split,
    op::kind::strided_slice, op::kind::shuffle_channels, op::kind::transpose,
    op::kind::unsqueeze,     op::kind::variadic_split,   op::kind::gather,
};

constexpr bool is_one_of(view<op::kind> all, op::kind operation) {
    for (const op::kind each : all) {
        if (each == operation) {
            return true;
        }
    }
    return false;
}

/// A set of operations of the library.
struct operation_set {
    bool has[static_cast<std::size_t>(op::kind::count)]{};

    constexpr operation_set() = default;
    constexpr explicit operation_set(view<op::kind> all) {
        for (const op::kind each : all) {
            add(each);
        }
    }
    /// Operation types of users are in no set.
    constexpr void add(op::kind operation) {
        if (operation >= op::kind{} && operation < op::kind::count) {
            has[static_cast<std::size_t>(operation)] = true;
        }
    }
    constexpr bool contains(op::kind operation) const {
        return operation >= op::kind{} && operation < op::kind::count && has[static_cast<std::size_t>(operation)];
    }
};
inline constexpr operation_set quantizable_set(quantizable_operations);
inline constexpr operation_set precision_preserving_set(precision_preserving_operations);

}  // namespace detail

/// True for operations, in any version, that a transformation can bring to low precision.
constexpr bool is_quantizable(op::kind operation) { return detail::quantizable_set.contains(operation); }

/// True for operations, in any version, whose output has the element type, scale and zero point of their input.
constexpr bool preserves_precision(op::kind operation) { return detail::precision_preserving_set.contains(operation); }

/// The same questions about the row of an operation type, of the library or of a user.
constexpr bool is_quantizable(const op::row& operation) {
    if (op::is_of_user(operation.number)) {
        return static_cast<const op::user_row&>(operation).low_precision.rule != op::dequantization_rule::stays;
    }
    return is_quantizable(operation.number);
}
constexpr bool preserves_precision(const op::row& operation) {
    if (op::is_of_user(operation.number)) {
        return static_cast<const op::user_row&>(operation).low_precision.rule == op::dequantization_rule::same;
    }
    return preserves_precision(operation.number);
}

/// True for input ports that carry data or weights, which can be quantized; the others carry axes, shapes, bounds and the like.
constexpr bool carries_data(op::kind operation, int port) {
    switch (operation) {
        case op::kind::concat: return true;
        case op::kind::add:
        case op::kind::subtract:
        case op::kind::multiply:
        case op::kind::convolution:
        case op::kind::group_convolution:
        case op::kind::convolution_backprop_data:
        case op::kind::mat_mul: return port <= 1;
        case op::kind::lstm_sequence: return port <= 1 || port == 4 || port == 5;
        case op::kind::gru_sequence: return port <= 1 || port == 3 || port == 4;
        default: return port == 0;
    }
}

/// True if the arithmetic of an operation can take this element type on this input port.
///
/// Products accumulate 8-bit factors; other operations take every type that a quantized tensor can have.
constexpr bool can_take(op::kind operation, int port, element type) {
    if (!carries_data(operation, port) || !is_low_precision(type)) {
        return false;
    }
    switch (operation) {
        case op::kind::convolution:
        case op::kind::group_convolution:
        case op::kind::convolution_backprop_data:
        case op::kind::mat_mul:
        case op::kind::lstm_sequence:
        case op::kind::gru_sequence: return bit_width(type) == 8;
        default: return true;
    }
}

/// The same questions about the row of an operation type, of the library or of a user.
constexpr bool carries_data(const op::row& operation, int port) {
    if (op::is_of_user(operation.number)) {
        return static_cast<const op::user_row&>(operation).low_precision.ports.contains(port);
    }
    return carries_data(operation.number, port);
}
constexpr bool can_take(const op::row& operation, int port, element type) {
    if (op::is_of_user(operation.number)) {
        const op::low_precision& declared = static_cast<const op::user_row&>(operation).low_precision;
        return declared.ports.contains(port) && declared.types.contains(type);
    }
    return can_take(operation.number, port, type);
}

}  // namespace lpt
