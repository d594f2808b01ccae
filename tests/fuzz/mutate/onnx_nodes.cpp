// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/mutate/onnx_mutator.hpp"

#include <lpt/import/onnx/attributes.hpp>
#include <lpt/import/onnx/most_inputs.hpp>

namespace lpt::fuzz {

namespace {

std::string words_in(const message_field& outer, unsigned tag) {
    const std::vector<std::size_t> found = indices_of(outer, tag);
    return found.empty() ? std::string() : outer.inside[found.back()].bytes;
}

/// The attributes of a list that one version has.
std::vector<std::string> names_in(std::string_view listed, std::int64_t version) {
    std::vector<std::string> result;
    onnx::detail::visit_words(listed, [&](std::string_view word) {
        if (const onnx::detail::listed_attribute each(word); each.is_in(version)) {
            result.emplace_back(each.name);
        }
    });
    return result;
}

}  // namespace

/// The version of a set of operators; a new one where the model does not say it.
std::int64_t onnx_mutator::version_of(std::string_view domain) {
    constexpr std::int64_t newest = 23;
    for (const field_place& place : places_) {
        if (place.get().is == message::opset && words_in(place.get(), opset_domain) == domain) {
            return static_cast<std::int64_t>(number_in(place.get(), version));
        }
    }
    return newest;
}

void onnx_mutator::fit_inputs(message_field& node, std::string_view domain, std::string_view type) {
    std::vector<std::size_t> found = indices_of(node, node_input);
    message_fields more;
    while (found.size() + more.size() < onnx::least_inputs(domain, type)) {
        more.push_back(bytes_field(node_input, any_name()));
    }
    for (const std::optional<std::size_t> most = onnx::most_inputs(domain, type); most && found.size() > *most;) {
        node.inside.erase(node.inside.begin() + static_cast<std::ptrdiff_t>(found.back()));
        found.pop_back();
    }
    node.inside.insert(node.inside.end(), more.begin(), more.end());
}

/// An attribute that an operator does not have gets the name of one that it has, or goes.
void onnx_mutator::fit_attributes(message_field& node, std::string_view listed, std::int64_t in) {
    const std::vector<std::string> own = names_in(listed, in);
    const auto is_foreign = [&](const message_field& each) {
        return each.is == message::attribute && !onnx::has_attribute(listed, words_in(each, attribute_name), in);
    };
    for (message_field& each : node.inside) {
        if (!own.empty() && is_foreign(each)) {
            for (const std::size_t at : indices_of(each, attribute_name)) {
                each.inside[at].bytes = random_.one_of(own);
            }
        }
    }
    std::erase_if(node.inside, is_foreign);
}

void onnx_mutator::forget_types_of_outputs() {
    places_ = all_fields(model_);
    for (const field_place& output : all(message::graph, graph_output)) {
        std::erase_if(output.get().inside, [](const message_field& each) { return each.tag == value_type; });
    }
}

void onnx_mutator::fit_nodes() {
    // What fits a node moves the fields in it and may drop a body with nodes, so that places are found anew for the next.
    const auto nodes = [&] {
        places_ = all_fields(model_);
        return all(message::graph, graph_node);
    };
    std::vector<field_place> found = nodes();
    for (std::size_t i = 0; i < found.size(); ++i, found = nodes()) {
        message_field& node = found[i].get();
        const std::string type = words_in(node, node_type);
        std::string domain = words_in(node, node_domain);
        domain = domain == "ai.onnx" ? "" : domain;
        const std::int64_t in = version_of(domain);
        fit_inputs(node, domain, type);
        if (const std::optional<std::string_view> listed = onnx::attributes_of(domain, type)) {
            fit_attributes(node, *listed, in);
        }
    }
}

}  // namespace lpt::fuzz
