// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/graph.hpp>
#include <lpt/import/openvino_ir/document.hpp>

/// What a file says of nodes beside how they are computed.
namespace lpt::inline LPT_ABI::openvino_ir {

/// Run-time information becomes annotations: the key is its name, the value all its other attributes.
inline void read_annotations(const pugi::xml_node& xml, graph& model, node_id id) {
    for (const pugi::xml_node& attribute : xml.child("rt_info").children("attribute")) {
        std::string value;
        for (const pugi::xml_attribute& each : attribute.attributes()) {
            const std::string_view key = each.name();
            if (key == "name" || key == "version") {
                continue;
            }
            if (!value.empty()) {
                value += ';';
            }
            if (key != "value") {
                value += key;
                value += '=';
            }
            value += each.value();
        }
        model.annotate(id, attribute.attribute("name").value(), text(value.c_str()));
    }
}

/// Raises an error where the file declares an output that the operation cannot give; `made`: what it gives.
inline void check_outputs(view<output_description> outputs, const place& where, const graph& model,
                          view<output_ref> made) {
    if (outputs.size() > made.size()) {
        wrong(where, "declares ", outputs.size(), " outputs, but the operation has ", made.size());
    }
    for (std::size_t port = 0; port < outputs.size(); ++port) {
        const output_description& declared = outputs[port];
        const element type = model.type(made[port]);
        if (declared.type != dynamic && type != dynamic && declared.type != type) {
            wrong(where, "output ", port, " is declared as ", name(declared.type), ", but the operation gives ",
                  name(type));
        }
        // A dynamic rank is written as no dimensions at all, like a scalar.
        if (declared.dimensions.rank() == 0) {
            continue;
        }
        shape merged = model.shape(made[port]);
        if (!merge_shape(merged, declared.dimensions)) {
            wrong(where, "output ", port, " is declared with shape ", to_text(declared.dimensions),
                  ", but the operation gives ", to_text(model.shape(made[port])));
        }
    }
}

}  // namespace lpt::inline LPT_ABI::openvino_ir
