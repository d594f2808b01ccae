// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/plan/spread.hpp>

namespace lpt::inline LPT_ABI::plan {

/// What an output of the graph is: scale * base + shift, element by element.
///
/// A dequantization is not computed where its readers can take the low precision tensor and its constants instead.
struct source {
    output_ref base;
    spread scale = spread::of(1);
    spread shift = spread::of(no_shift);

    bool is_plain() const { return scale.is(1) && shift.is(0); }
};

inline bool is_byte(element type) { return type == u8 || type == i8; }

/// The number of the input of an elementwise operation of two inputs that is not the Constant with these numbers; -1 if there is
/// no such Constant.
inline int data_port(const graph& model, const node& each, spread& constant) {
    for (const int port : {1, 0}) {
        const tensor* value = model.constant_value(each.input(static_cast<std::size_t>(port)));
        if (value != nullptr && spread_of(*value, each.shape(), constant) &&
            model.shape(each.input(static_cast<std::size_t>(1 - port))) == each.shape()) {
            return 1 - port;
        }
    }
    return -1;
}

namespace detail {

/// Puts one more operation behind a source; false if it is not a sum or product with known numbers.
inline bool apply_to_source(const graph& model, node_id id, source& of) {
    const node& each = model[id];
    if (each.is<op::convert>()) {
        return true;
    }
    spread constant;
    const int port = data_port(model, each, constant);
    if (port < 0) {
        return false;
    }
    const auto product = [](double a, double b) { return a * b; };
    const auto sum = [](double a, double b) { return a + b; };
    switch (each.kind()) {
        case op::kind::multiply:
            return combine(of.scale, constant, of.scale, product) &&
                   combine(of.shift, constant, of.shift, scaled_shift);
        case op::kind::add: return combine(of.shift, constant, of.shift, sum);
        case op::kind::subtract:
            return port == 0 && combine(of.shift, constant.map([](double v) { return -v; }), of.shift, sum);
        default: return false;
    }
}

/// The input of a node that may be a step of a dequantization; -1 if it cannot be, or has no elements, which no kernel takes.
inline int dequantization_port(const graph& model, node_id id) {
    const node& each = model[id];
    if (each.outputs() != 1 || each.type() != f32 || each.shape().dimensions().contains(0)) {
        return -1;
    }
    switch (each.kind()) {
        case op::kind::convert: return 0;
        case op::kind::multiply:
        case op::kind::add:
        case op::kind::subtract: {
            spread constant;
            return data_port(model, each, constant);
        }
        default: return -1;
    }
}

}  // namespace detail

/// So many operations in a row may be one dequantization: everybody who asks for its source walks up to it.
inline constexpr std::size_t longest_dequantization = 16;

/// The u8 or i8 tensor that an output is a dequantization of, and its constants; the output itself where it is none.
inline source source_of(const graph& model, output_ref output) {
    std::vector<node_id> above;
    output_ref base = output;
    while (!is_byte(model.type(base))) {
        const int port = above.size() < longest_dequantization ? detail::dequantization_port(model, base.node) : -1;
        if (port < 0) {
            return {output, spread::of(1), spread::of(no_shift)};
        }
        above.push_back(base.node);
        base = model[base.node].input(static_cast<std::size_t>(port));
    }
    source result{base, spread::of(1), spread::of(no_shift)};
    for (std::size_t i = above.size(); i-- > 0;) {
        if (!detail::apply_to_source(model, above[i], result)) {
            return {output, spread::of(1), spread::of(no_shift)};
        }
    }
    return result;
}

/// True if the output is a dequantization: it is made only for readers that cannot take the low precision tensor.
inline bool is_dequantization(const graph& model, output_ref output) {
    return !(source_of(model, output).base == output);
}

}  // namespace lpt::inline LPT_ABI::plan
