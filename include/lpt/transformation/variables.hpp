// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/graph.hpp>

/// Questions about the variables of a network, which ReadValue reads and Assign writes.
namespace lpt::inline LPT_ABI {

/// The ReadValue of the variable that an Assign writes: the first operation that it waits for; `none` for another one.
constexpr node_id read_value_of(const graph& model, node_id assign) {
    const seq<node_id>& waits_for = model[assign].control_dependencies();
    if (waits_for.empty() || !model[waits_for[0]].is<op::read_value>()) {
        return node_id::none;
    }
    const bool same =
        model[waits_for[0]].as<op::read_value>().variable_id == model[assign].as<op::assign>().variable_id;
    return same ? waits_for[0] : node_id::none;
}

/// True if other operations than this pair use the variable that an Assign writes. Linear in the number of nodes.
constexpr bool is_variable_used_elsewhere(const graph& model, node_id assign, node_id read) {
    const text& variable = model[assign].as<op::assign>().variable_id;
    for (std::size_t i = 0; i < model.id_bound(); ++i) {
        const node_id each = id_at(i);
        if (each == assign || each == read || !model.contains(each)) {
            continue;
        }
        if ((model[each].is<op::assign>() && model[each].as<op::assign>().variable_id == variable) ||
            (model[each].is<op::read_value>() && model[each].as<op::read_value>().variable_id == variable)) {
            return true;
        }
    }
    return false;
}

}  // namespace lpt::inline LPT_ABI
