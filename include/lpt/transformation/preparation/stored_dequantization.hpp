// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

/// A constant of a dequantization as a file has it: value -> [Convert] -> [Reshape | Unsqueeze] -> user.
struct stored_constant {
    output_ref value;
    node_id convert = node_id::none;
    node_id reshape = node_id::none;

    static constexpr stored_constant find(const graph& model, output_ref source) {
        stored_constant result{source};
        if (model[source.node].is<op::reshape>() || model[source.node].is<op::unsqueeze>()) {
            result.reshape = source.node;
            result.value = model[source.node].input(0);
        }
        if (model[result.value.node].is<op::convert>()) {
            result.convert = result.value.node;
            result.value = model[result.convert].input(0);
        }
        return result;
    }
};

/// A dequantization as a file has it: Multiply([Subtract](Convert(data), zero point), scale), where data has one of the
/// types that are looked for and only one operation reads the Convert.
struct stored_dequantization {
    node_id convert = node_id::none;
    node_id subtract = node_id::none;
    node_id multiply = node_id::none;
    stored_constant zero_point;
    stored_constant scale;
    constexpr explicit operator bool() const { return multiply != node_id::none; }
};

/// The dequantization that ends in a Multiply, of data of one of the `precisions`; empty if there is none.
constexpr stored_dequantization find_stored_dequantization(const graph& model, node_id multiply,
                                                           view<element> precisions) {
    for (const std::size_t port : {0u, 1u}) {
        stored_dequantization result;
        output_ref data = model[multiply].input(port);
        if (model[data.node].is<op::subtract>()) {
            result.subtract = data.node;
            result.zero_point = stored_constant::find(model, model[data.node].input(1));
            data = model[data.node].input(0);
        }
        if (model[data.node].is<op::convert>() && model.use_count(data) == 1 &&
            precisions.contains(model.type(model[data.node].input(0)))) {
            result.convert = data.node;
            result.multiply = multiply;
            result.scale = stored_constant::find(model, model[multiply].input(1 - port));
            return result;
        }
    }
    return {};
}

}  // namespace lpt::inline LPT_ABI
