// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/op/all.hpp>

/// Which operations low precision can reach at all: what restrictions and markup agree on. It stands in the operations' rows.
namespace lpt::inline LPT_ABI {

namespace detail {

constexpr bool is_of_library(op::kind operation) { return operation >= op::kind{} && operation < op::kind::count; }
/// What an operation's row says of it; of a user's type, which brings its own row along, nothing.
constexpr op::trait traits_of(op::kind operation) {
    return is_of_library(operation) ? op::row_of(operation).traits : op::trait::none;
}

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

    /// Operation types of users are in no set.
    constexpr void add(op::kind operation) {
        if (is_of_library(operation)) {
            has[static_cast<std::size_t>(operation)] = true;
        }
    }
    constexpr bool contains(op::kind operation) const {
        return is_of_library(operation) && has[static_cast<std::size_t>(operation)];
    }
};

}  // namespace detail

/// True for operations, in any version, that a transformation can bring to low precision.
constexpr bool is_quantizable(op::kind operation) {
    return op::has(detail::traits_of(operation), op::trait::quantizable);
}

/// True for operations, in any version, whose output has the element type, scale and zero point of their input.
constexpr bool preserves_precision(op::kind operation) {
    return op::has(detail::traits_of(operation), op::trait::precision_preserved);
}

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
    return op::has_data_on(detail::traits_of(operation), port);
}

/// True if the arithmetic of an operation can take this element type on this input port.
///
/// Products accumulate 8-bit factors; other operations take every type that a quantized tensor can have.
constexpr bool can_take(op::kind operation, int port, element type) {
    return carries_data(operation, port) && is_low_precision(type) &&
           (bit_width(type) == 8 || !op::has(detail::traits_of(operation), op::trait::byte_factors));
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

}  // namespace lpt::inline LPT_ABI
