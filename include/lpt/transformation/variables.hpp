// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization/rewriting.hpp>

/// The variables of a network, which ReadValue reads and Assign writes.
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
    const auto uses = [&](const node& each) {
        return (each.is<op::assign>() && each.as<op::assign>().variable_id == variable) ||
               (each.is<op::read_value>() && each.as<op::read_value>().variable_id == variable);
    };
    return for_any(0, model.id_bound(), [&](std::size_t i) {
        const node_id each = id_at(i);
        return each != assign && each != read && model.contains(each) && uses(model[each]);
    });
}

/// A ReadValue like another one, of a variable with this element type, which begins with what `first` gives.
constexpr node_id add_read_value(rewrite& r, node_id like, view<output_ref> first, element type) {
    op::read_value facts = r.model[like].as<op::read_value>();
    if (r.model[like].version() >= 6) {
        facts.variable_type = type;
    }
    const node_id made = r.model.add(lpt::move(facts), first, r.model[like].name(), r.model[like].version());
    copy_information(r, like, made);
    return made;
}
/// A new Assign in the place of an old one, which writes `data` and waits for other operations.
constexpr void replace_assign(rewrite& r, node_id id, output_ref data, const seq<node_id>& waits_for) {
    graph& model = r.model;
    op::assign facts = model[id].as<op::assign>();
    if (model[id].version() >= 6) {
        facts.variable_type = model.type(data);
    }
    const node_id made = model.add(lpt::move(facts), {data}, model[id].name(), model[id].version());
    copy_information(r, id, made);
    for (const node_id on : waits_for) {
        model.add_control_dependency(made, on);
    }
    model.replace_uses(id, model[id].input(0));
    model.remove(id);  // the new one stands last among the sinks
}

}  // namespace lpt::inline LPT_ABI
