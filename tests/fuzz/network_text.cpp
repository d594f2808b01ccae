// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/network_text.hpp"

#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/fuzz/way.hpp"

#include <lpt/import/openvino_ir.hpp>

#include <cstdlib>
#include <sstream>
#include <vector>

namespace lpt::fuzz {

namespace {

constexpr std::size_t most_weights = std::size_t{1} << 20;  // bytes, of all constants together

std::vector<std::string> words_of(const std::string& list) {
    std::vector<std::string> result;
    std::istringstream stream(list);
    for (std::string word; stream >> word;) {
        result.push_back(word);
    }
    return result;
}

/// Type and shape of a constant that is small enough to be written out.
bool read_form(const pugi::xml_node& data, element& type, shape& dimensions) {
    type = parse_element(data.attribute("element_type").value());
    const op::attribute_value sizes = op::to_value(text(data.attribute("shape").value()));
    if (type == dynamic || !op::from_value(sizes, dimensions) || !dimensions.is_static()) {
        return false;
    }
    std::size_t elements = 1;
    for (const dimension each : dimensions) {
        if (each < 0 || each > static_cast<dimension>(most_weights)) {
            return false;
        }
        elements *= static_cast<std::size_t>(each);
        if (elements > most_weights / 8) {
            return false;
        }
    }
    return true;
}

void write_values(const pugi::xml_node& data, std::string& weights) {
    element type = dynamic;
    shape dimensions;
    const std::vector<std::string> words = words_of(data.attribute("values").value());
    if (words.empty() || !read_form(data, type, dimensions)) {
        return;
    }
    tensor_builder values(type, dimensions);
    for (std::size_t i = 0; i < values.elements(); ++i) {
        const std::string& word = words[i % words.size()];
        if (is_real(type)) {
            values.real(i, std::strtod(word.c_str(), nullptr));
        } else {
            values.integer(i, std::strtoll(word.c_str(), nullptr, 10));
        }
    }
    const tensor value = values.finish();
    if (weights.size() + value.size_in_bytes() <= most_weights) {
        weights.append(reinterpret_cast<const char*>(value.data()), value.size_in_bytes());
    }
}

/// Sizes and places that a file gives are its own affair, right or wrong.
void set_missing(pugi::xml_node data, const char* name, std::size_t value) {
    if (!data.attribute(name)) {
        data.append_attribute(name) = static_cast<unsigned long long>(value);
    }
}

}  // namespace

network_text read_network_text(std::string_view content) {
    network_text result{std::string(content), {}, "cpu_x86", {}};
    pugi::xml_document document;
    if (!document.load_buffer(content.data(), content.size())) {
        return result;
    }
    for (const pugi::xpath_node& each : document.select_nodes("//layer/data[@values]")) {
        const std::size_t begin = result.weights.size();
        write_values(each.node(), result.weights);
        set_missing(each.node(), "offset", begin);
        set_missing(each.node(), "size", result.weights.size() - begin);
    }
    const pugi::xml_node net = document.child("net");
    result.target = net.attribute("target").as_string("cpu_x86");
    result.isa = net.attribute("isa").value();
    std::ostringstream stream;
    document.save(stream, "", pugi::format_raw);
    result.xml = stream.str();
    return result;
}

std::optional<graph> import_network(const network_text& network) {
    std::optional<graph> result;
    allow_errors([&] {
        const memory_file file(network.weights);
        const mapped_file weights(file.path().c_str());
        const text_view xml(network.xml.data(), network.xml.size());
        result = openvino_ir::read_network(xml, &weights, "model.xml", "model.bin");
        result->set_folding_budget({.bytes = 1 << 26, .steps = 1 << 26});
    });
    if (result) {
        check_graph(*result, "import");
    }
    return result;
}

}  // namespace lpt::fuzz
