// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization/values.hpp>

/// What a replacement takes over from what it replaces.
namespace lpt::inline LPT_ABI {

/// What a replacement takes over from the node that it replaces: run-time attributes (those of the ports only if it is the
/// same operation, and reads the same inputs), marks (not `disable_cleanup`), annotations.
constexpr void copy_information(rewrite& r, node_id from, node_id to, bool with_ports = true) {
    if (with_ports && r.model[from].kind() == r.model[to].kind()) {
        r.attributes.copy(from, to);
    } else {
        r.attributes.copy_node(from, to);
    }
    r.model.set_mark(to, r.model[from].marks() & ~mark::disable_cleanup);
    for (const annotation& each : r.model[from].annotations()) {
        bool known = false;
        for (const annotation& mine : r.model[to].annotations()) {
            known = known || mine.key == each.key;
        }
        if (!known) {
            r.model.annotate(to, each.key, each.value);
        }
    }
}
/// A clone on other inputs, with what `copy_information` takes over.
constexpr node_id clone_with_information(rewrite& r, node_id like, view<output_ref> inputs, text_view name = {}) {
    const node_id made = r.model.clone(like, inputs, name);
    copy_information(r, like, made);
    return made;
}
/// Puts `to` in the place of `from`: its readers, its name and what `copy_information` takes over. Gives true, as a rewrite does.
constexpr bool replace_and_name(rewrite& r, node_id from, node_id to) {
    copy_information(r, from, to);
    r.model.rename(to, r.model[from].name());
    r.model.replace(from, to);
    return true;
}
/// Puts the same operation of another version in the place of a node, with these attributes and inputs.
constexpr bool replace_by_version(rewrite& r, node_id id, op::attributes what, view<output_ref> inputs, int version) {
    const node_id made = r.model.add(lpt::move(what), inputs, {}, version);
    r.model.set_tensor_names(made, r.model[id].tensor_names());
    return replace_and_name(r, id, made);
}
/// The inputs of a node, the first ones replaced by others.
constexpr seq<output_ref, 5> inputs_of(const graph& model, node_id id, seq<output_ref, 5> first = {}) {
    for (std::size_t port = first.size(); port < model[id].inputs(); ++port) {
        first.push_back(model[id].input(port));
    }
    return first;
}
/// Lets readers read the last operation of a dequantization; a ShapeOf of version 0 reads what is dequantized, as a dequantization
/// does not enter the computation of shapes.
constexpr void hand_over(graph& model, view<input_ref> readers, output_ref last, output_ref data) {
    for (const input_ref user : readers) {
        const bool reads_shape = model[user.node].is<op::shape_of>() && model[user.node].version() == 0;
        model.set_input(user.node, static_cast<std::size_t>(user.port), reads_shape ? data : last);
    }
}
/// Where the last node of a moved dequantization feeds a Result, it takes the name of the operation, which becomes "<name>_original".
constexpr void update_output_name(rewrite& r, node_id last, node_id operation) {
    if (feeds_result(r.model, last)) {
        const text original = r.model[operation].name();
        r.model.rename(operation, join({original, "_original"}));
        r.model.rename(last, original);
    }
}

}  // namespace lpt::inline LPT_ABI
