// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/mutate/dice.hpp"
#include "tests/fuzz/mutate/mutate.hpp"

#include <algorithm>
#include <pugixml.hpp>
#include <sstream>

namespace lpt::fuzz {

namespace {

std::string text_of(const pugi::xml_document& document) {
    std::ostringstream stream;
    document.save(stream, "", pugi::format_raw);
    return stream.str();
}

/// A number that no child has; ids that were mutated to be very large do not count.
long new_id(const pugi::xml_node& parent) {
    long result = 0;
    for (const pugi::xml_node& each : parent.children()) {
        const long long id = each.attribute("id").as_llong();
        result = id < 1000000 ? std::max<long>(result, static_cast<long>(id) + 1) : result;
    }
    return result;
}

class network_mutator {
    pugi::xml_document& document_;
    dice& random_;

    /// One of the nodes of an XPath, or a null one.
    pugi::xml_node any(const char* path) {
        const pugi::xpath_node_set found = document_.select_nodes(path);
        return found.empty() ? pugi::xml_node() : found[random_.below(found.size())].node();
    }
    pugi::xml_attribute any_attribute(const char* path) {
        const pugi::xpath_node_set found = document_.select_nodes(path);
        return found.empty() ? pugi::xml_attribute() : found[random_.below(found.size())].attribute();
    }

    bool change_value(pugi::xml_attribute attribute) {
        if (!attribute) {
            return false;
        }
        const std::string value = attribute.value();
        if (looks_like_number(value) && !random_.once_in(20)) {
            const char separator = std::string(attribute.name()) == "values" ? ' ' : ',';
            attribute = changed_list(value, separator, random_).c_str();
        } else {
            attribute = random_.one_of(other_words()).c_str();
        }
        return true;
    }
    bool change_dimension() {
        const pugi::xml_node dimension = any("//dim");
        return dimension && dimension.text().set(changed_number(dimension.text().get(), random_).c_str());
    }
    /// All element types of one kind become another.
    bool change_type() {
        const pugi::xml_attribute chosen = any_attribute("//@element_type");
        if (!chosen) {
            return false;
        }
        const std::string from = chosen.value();
        const std::string to = other_words()[random_.below(17)];
        for (const pugi::xpath_node& each : document_.select_nodes("//@element_type")) {
            if (from == each.attribute().value()) {
                each.attribute() = to.c_str();
            }
        }
        return true;
    }
    bool change_operation() {
        pugi::xml_node layer = any("//layer");
        layer.attribute("type") = random_.one_of(operation_names()).c_str();
        if (random_.once_in(2)) {
            layer.attribute("version") = ("opset" + std::to_string(random_.below(18))).c_str();
        }
        return !layer.empty();
    }
    /// An edge comes from another layer of its network.
    bool change_edge() {
        pugi::xml_node edge = any("//edge");
        const auto ports = edge.parent().parent().child("layers").select_nodes("layer/output/port");
        if (ports.empty()) {
            return false;
        }
        const pugi::xml_node port = ports[random_.below(ports.size())].node();
        edge.attribute("from-layer") = port.parent().parent().attribute("id").value();
        edge.attribute("from-port") = port.attribute("id").value();
        return true;
    }
    bool remove_something() {
        static const char* const paths[] = {"//layer", "//edge", "//port", "//dim", "//data", "//data", "//port_map/*"};
        pugi::xml_node node = any(random_.one_of(paths));
        if (std::string(node.name()) == "data" && node.first_attribute()) {
            const auto attributes = node.select_nodes("@*");
            return node.remove_attribute(attributes[random_.below(attributes.size())].attribute());
        }
        return node && node.parent().remove_child(node);
    }
    /// A port or dimension twice, or a layer, whose copy takes over the readers of the first.
    bool repeat_something() {
        static const char* const paths[] = {"//layer", "//layer", "//port", "//dim", "//port_map/*"};
        const pugi::xml_node node = any(random_.one_of(paths));
        pugi::xml_node parent = node.parent();
        if (!node) {
            return false;
        }
        const long id = new_id(parent);
        pugi::xml_node copy = parent.insert_copy_after(node, node);
        if (!copy.attribute("id")) {
            return true;
        }
        const std::string old = node.attribute("id").value();
        copy.attribute("id") = static_cast<long long>(id);
        pugi::xml_node edges = parent.parent().child("edges");
        if (std::string(node.name()) == "layer" && edges) {
            for (pugi::xml_node& edge : std::vector<pugi::xml_node>(edges.begin(), edges.end())) {
                if (old == edge.attribute("to-layer").value()) {
                    edges.append_copy(edge).attribute("to-layer") = static_cast<long long>(id);
                } else if (old == edge.attribute("from-layer").value() && random_.once_in(2)) {
                    edge.attribute("from-layer") = static_cast<long long>(id);
                }
            }
        }
        return true;
    }
    /// A layer of one input and one output between the ends of an edge.
    bool insert_layer() {
        pugi::xml_node edge = any("//edge");
        pugi::xml_node layers = edge.parent().parent().child("layers");
        if (!layers) {
            return false;
        }
        const std::string id = std::to_string(new_id(layers));
        pugi::xml_node layer = layers.append_child("layer");
        layer.append_attribute("id") = id.c_str();
        layer.append_attribute("name") = ("new" + id).c_str();
        layer.append_attribute("type") = random_.one_of(operation_names()).c_str();
        layer.append_attribute("version") = ("opset" + std::to_string(1 + random_.below(16))).c_str();
        layer.append_child("input").append_child("port").append_attribute("id") = 0;
        layer.append_child("output").append_child("port").append_attribute("id") = 1;
        pugi::xml_node in = edge.parent().insert_copy_after(edge, edge);
        in.attribute("to-layer") = id.c_str();
        in.attribute("to-port") = 0;
        edge.attribute("from-layer") = id.c_str();
        edge.attribute("from-port") = 1;
        return true;
    }
    /// What files declare of outputs is checked; without it, changes reach further.
    bool forget_declarations() {
        for (const pugi::xpath_node& each : document_.select_nodes("//output/port")) {
            each.node().remove_children();
            each.node().remove_attribute("precision");
        }
        return true;
    }

public:
    network_mutator(pugi::xml_document& document, dice& random) : document_(document), random_(random) {}

    bool change_something() {
        switch (random_.below(22)) {
            case 0: return change_dimension();
            case 1: return change_type();
            case 2: return change_operation();
            case 3:
            case 4: return change_edge();
            case 5: return remove_something();
            case 6: return repeat_something();
            case 7: return insert_layer();
            case 8: return forget_declarations();
            case 9: return change_value(any_attribute("//@*"));
            case 10: return change_value(any_attribute("//edge/@*"));
            case 11: return change_value(any_attribute("//layer/@version"));
            case 12: return change_value(any_attribute("//port_map/*/@* | //back_edges/*/@*"));
            case 13:
            case 14: return change_value(any_attribute("//layer[@type='Parameter']/data/@shape"));
            case 15:
            case 16:
            case 17: return change_value(any_attribute("//data/@values"));
            default: return change_value(any_attribute("//layer[not(@type='Const' or @type='Parameter')]/data/@*"));
        }
    }
};

/// Adds the layers and edges of another network, with numbers of their own.
void append_network(pugi::xml_node to, const pugi::xml_node& from, long first_id) {
    const auto renumber = [&](pugi::xml_attribute id) {
        id = static_cast<long long>(id.as_int() % 1000000 + first_id);
    };
    for (const pugi::xml_node& layer : from.child("layers").children("layer")) {
        renumber(to.child("layers").append_copy(layer).attribute("id"));
    }
    for (const pugi::xml_node& edge : from.child("edges").children("edge")) {
        pugi::xml_node copy = to.child("edges").append_copy(edge);
        renumber(copy.attribute("from-layer"));
        renumber(copy.attribute("to-layer"));
    }
}

/// Gives an input of a network to an output of the other one.
void join(pugi::xml_node net, std::size_t own_edges, dice& random) {
    const auto edges = net.select_nodes("edges/edge");
    if (own_edges == 0 || own_edges >= edges.size()) {
        return;
    }
    const pugi::xml_node source = edges[random.below(own_edges)].node();
    const pugi::xml_node reader = edges[own_edges + random.below(edges.size() - own_edges)].node();
    reader.attribute("from-layer") = source.attribute("from-layer").value();
    reader.attribute("from-port") = source.attribute("from-port").value();
}

/// Takes the attributes of a layer of the same type.
bool take_attributes(const pugi::xml_document& document, const pugi::xml_document& other, dice& random) {
    const auto layers = document.select_nodes("//layer[data]");
    if (layers.empty()) {
        return false;
    }
    pugi::xml_node layer = layers[random.below(layers.size())].node();
    const std::string path = "//layer[@type='" + std::string(layer.attribute("type").value()) + "']/data";
    const auto found =
        path.find_first_of("\"\n") == std::string::npos ? other.select_nodes(path.c_str()) : pugi::xpath_node_set();
    if (found.empty()) {
        return false;
    }
    layer.insert_copy_before(found[random.below(found.size())].node(), layer.child("data"));
    layer.remove_child(layer.child("data").next_sibling("data"));
    return true;
}

bool load(pugi::xml_document& document, std::string_view content) {
    return document.load_buffer(content.data(), content.size()) && document.child("net");
}

}  // namespace

std::string mutate_network(std::string_view content, unsigned seed) {
    pugi::xml_document document;
    dice random(seed);
    if (!load(document, content)) {
        return {};
    }
    network_mutator mutator(document, random);
    for (std::size_t left = random.once_in(3) ? 2 + random.below(2) : 1, tries = 20; left != 0 && tries != 0; --tries) {
        try {
            left -= mutator.change_something() ? 1 : 0;
        } catch (const pugi::xpath_exception&) {
            return {};
        }
    }
    return text_of(document);
}

std::string cross_networks(std::string_view content, std::string_view other, unsigned seed) {
    pugi::xml_document document;
    pugi::xml_document second;
    dice random(seed);
    if (!load(document, content) || !load(second, other)) {
        return {};
    }
    try {
        if (random.once_in(2) && take_attributes(document, second, random)) {
            return text_of(document);
        }
    } catch (const pugi::xpath_exception&) {
        return {};  // a type with a quotation mark in it
    }
    const long first_id = new_id(document.child("net").child("layers"));
    const auto own_edges = document.child("net").select_nodes("edges/edge").size();
    append_network(document.child("net"), second.child("net"), first_id);
    join(document.child("net"), own_edges, random);
    return text_of(document);
}

}  // namespace lpt::fuzz
