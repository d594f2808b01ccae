// SPDX-License-Identifier: Apache-2.0
// What operations do when a network runs, and the element types in which they do it.
#pragma once

#include <lpt/pipeline/explain.hpp>

namespace lpt::inline LPT_ABI {

/// What an operation does when a network runs.
enum class role : unsigned char {
    none,            // nothing: it is gone
    arithmetic,      // computes values
    quantization,    // makes low precision data, of real numbers or with another scale
    dequantization,  // makes real numbers of low precision data
    movement,        // keeps values: gives them another order, shape or type, or remembers them
    bodies,          // runs the graphs inside it
};

/// The name of a role, as reports have it.
constexpr text_view name(role what) {
    switch (what) {
        case role::none: return "none";
        case role::arithmetic: return "arithmetic";
        case role::quantization: return "quantization";
        case role::dequantization: return "dequantization";
        case role::movement: return "movement";
        case role::bodies: return "bodies";
    }
    return {};
}

/// How summaries count arithmetic.
enum class arithmetic_class : unsigned char { convolution, matrix_product, recurrent_cell, other };

/// The class of an operation type: convolutions of any form, MatMul, cells and sequences of LSTM and GRU, and all others.
constexpr arithmetic_class class_of(op::kind operation) {
    switch (operation) {
        case op::kind::convolution:
        case op::kind::group_convolution:
        case op::kind::convolution_backprop_data:
        case op::kind::group_convolution_backprop_data: return arithmetic_class::convolution;
        case op::kind::mat_mul:
        case op::kind::fully_connected_compressed: return arithmetic_class::matrix_product;
        case op::kind::lstm_cell:
        case op::kind::gru_cell:
        case op::kind::lstm_sequence:
        case op::kind::gru_sequence: return arithmetic_class::recurrent_cell;
        default: return arithmetic_class::other;
    }
}

/// True for the types that 8-bit integer arithmetic computes in.
constexpr bool is_8_bit_integer(element type) { return type == u8 || type == i8; }

namespace detail {

constexpr bool takes_two_tensors(op::kind kind) {
    return kind == op::kind::add || kind == op::kind::subtract || kind == op::kind::multiply;
}
/// True for a Subtract or Multiply of low precision data and constants.
constexpr bool undoes_quantization(const graph& model, const node& each) {
    for (std::size_t port = 0; port < 2; ++port) {
        if (quantized_type(model, each.input(port)) != dynamic && !model[each.input(1 - port).node].reads_data()) {
            return is_real(each.type());
        }
    }
    return false;
}

}  // namespace detail

/// What an operation of a graph does when the graph runs.
///
/// A FakeQuantize that gives low precision data quantizes, and a Convert of real numbers to such; a Convert of low precision data to real numbers, and a Subtract or Multiply of low precision data and constants, dequantize. A FakeQuantize that gives real numbers is arithmetic.
constexpr role role_of(const graph& model, const node& each) {
    const bool has_types = each.inputs() != 0 && each.outputs() != 0;
    const bool from_real =
        has_types && is_real(model.type(each.input(0))) && !is_low_precision(model.type(each.input(0)));
    switch (each.kind()) {
        case op::kind::fake_quantize: return is_low_precision(each.type()) ? role::quantization : role::arithmetic;
        case op::kind::convert:
        case op::kind::convert_like:
            return from_real && is_low_precision(each.type()) ? role::quantization
                   : has_types && is_low_precision(model.type(each.input(0))) && is_real(each.type())
                       ? role::dequantization
                       : role::movement;
        case op::kind::subtract:
        case op::kind::multiply:
            return detail::undoes_quantization(model, each) ? role::dequantization : role::arithmetic;
        case op::kind::interpolate:
            return each.as<op::interpolate>().mode == op::interpolate_mode::nearest ? role::movement : role::arithmetic;
        case op::kind::read_value:
        case op::kind::assign: return role::movement;
        default: {
            const op::trait traits = op::row_of(each.attributes()).traits;
            return op::has(traits, op::trait::has_bodies) ? role::bodies
                   : op::has(traits, op::trait::movement) ? role::movement
                                                          : role::arithmetic;
        }
    }
}

/// The element type in which an operation of a graph computes, as far as the graph says it; what moves values has theirs.
///
/// That of its low precision data, if all its data is of low precision (weights may be real numbers); else that of its real data; else, of an
/// operation without either, that of its output. What quantizes computes in the type that it takes, what dequantizes in the type that it
/// gives. An executor may compute in real numbers what the graph allows in integers. `dynamic` if there is no output.
constexpr element computing_type(const graph& model, const node& each) {
    if (each.outputs() == 0 || each.is<op::shape_of>()) {
        return each.outputs() == 0 ? dynamic : each.type();
    }
    const role what = role_of(model, each);
    if (what == role::quantization || what == role::dequantization) {
        return what == role::quantization ? model.type(each.input(0)) : each.type();
    }
    element result = dynamic;
    for (std::size_t port = 0; port < each.inputs(); ++port) {
        if (!carries_data(each.kind(), static_cast<int>(port))) {
            continue;
        }
        const element given = model.type(each.input(port));
        const element data = detail::quantized_type(model, each.input(port));
        if (data == dynamic && is_real(given) &&
            (detail::takes_two_tensors(each.kind()) || model[each.input(port).node].reads_data())) {
            return given;
        }
        result = result == dynamic ? data : result;
    }
    return result == dynamic ? each.type() : result;
}

}  // namespace lpt::inline LPT_ABI
