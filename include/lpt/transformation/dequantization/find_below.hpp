// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization/find.hpp>

/// The dequantization of an output, instead of an input.
namespace lpt::inline LPT_ABI {

/// A dequantization below an output, found by following its only consumers; empty where there is none.
///
/// Convert (from i8 or u8, or to f32) -> Subtract constant -> Multiply constant, each optional, each read by one consumer only;
/// constants must not broadcast the data.
[[gnu::noinline]] constexpr dequantization find_dequantization_below(const graph& model, output_ref source,
                                                                     bool convert_is_mandatory = false) {
    dequantization result;
    const input_ref first = model.first_use(source);
    if (first.node == node_id::none) {
        return {};
    }
    result.data = source;
    node_id at = first.node;
    // The next operation, if what we stand on has this single consumer.
    const auto step_down = [&](node_id from) {
        if (model.use_count({from, 0}) != 1) {
            return node_id::none;
        }
        return model.first_use({from, 0}).node;
    };
    if (model[at].is<op::convert>()) {
        const element from = model.type(model[at].input(0));
        if (from != i8 && from != u8 && model[at].type() != f32) {
            return {};
        }
        result.convert = at;
        at = step_down(at);
        if (at == node_id::none) {
            return {};
        }
    } else if (convert_is_mandatory) {
        return {};
    }
    if (model[at].is<op::subtract>()) {
        if (detail::constant_port(model, at, true) != 1 || !detail::keeps_data_shape(model, at, 1)) {
            return {};
        }
        const node_id zero_point = model[at].input(1).node;
        result.subtract = at;
        result.zero_point_convert = model[zero_point].is<op::convert>() ? zero_point : node_id::none;
        result.zero_point = model[zero_point].is<op::convert>() ? model.producer(zero_point, 0) : zero_point;
        at = step_down(at);
        if (at == node_id::none) {
            return {};
        }
    }
    if (model[at].is<op::multiply>()) {
        const int port = detail::constant_port(model, at, false);
        if (port < 0 || !detail::keeps_data_shape(model, at, port)) {
            return {};
        }
        result.multiply = at;
        result.scale = model[at].input(static_cast<std::size_t>(port)).node;
    } else if (!result.has_subtract()) {
        return {};
    }
    result.channel_axis = detail::channel_axis_of(model, source);
    return result;
}

}  // namespace lpt::inline LPT_ABI
