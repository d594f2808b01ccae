// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/traverse.hpp>
#include <lpt/op/fields.hpp>

#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

/// Writes a network as an OpenVINO IR, so that another engine can be timed on the very same one.
namespace bench {

/// Networks without bodies and without type-relaxed nodes, as they are before any transformation.
class ir_writer {
    const lpt::graph& model_;
    std::ofstream xml_;
    std::ofstream bin_;
    std::size_t offset_ = 0;

    template <class List>
    static std::string joined(const List& values) {
        std::string result;
        for (const auto& each : values)
            result += (result.empty() ? "" : ", ") + std::to_string(each);
        return result;
    }
    static std::string word_of(const lpt::op::attribute_value& value) {
        using form = lpt::op::attribute_value::form;
        switch (value.holds) {
            case form::boolean: return value.integer != 0 ? "true" : "false";
            case form::integer: return std::to_string(value.integer);
            case form::real: return std::to_string(value.real);
            case form::word:
            case form::element_type: return value.word.c_str();
            case form::integers: return joined(value.integers);
            case form::reals: return joined(value.reals);
            case form::dimensions: return joined(value.dimensions);
            default: throw std::runtime_error("an attribute of this kind cannot be written");
        }
    }
    static std::string precision_of(lpt::element type) {
        std::string word = lpt::name(type).data();
        if (word[0] == 'f') return "FP" + word.substr(1);
        for (char& each : word)
            each = static_cast<char>(each >= 'a' && each <= 'z' ? each - 'a' + 'A' : each);
        return word;
    }

    void write_constant(const lpt::tensor& value) {
        xml_ << "<data element_type=\"" << lpt::name(value.type()).data() << "\" shape=\"" << joined(value.dimensions())
             << "\" offset=\"" << offset_ << "\" size=\"" << value.size_in_bytes() << "\"/>";
        bin_.write(reinterpret_cast<const char*>(value.data()), static_cast<std::streamsize>(value.size_in_bytes()));
        offset_ += value.size_in_bytes();
    }
    void write_attributes(const lpt::node& each) {
        if (each.is<lpt::op::constant>()) return write_constant(each.as<lpt::op::constant>().value);
        xml_ << "<data";
        for (const lpt::op::named_value& field :
             lpt::op::fields_of(each.kind()).read(each.attributes(), each.version()))
            xml_ << ' ' << field.name.c_str() << "=\"" << word_of(field.value) << '"';
        xml_ << "/>";
    }
    void write_port(std::size_t number, lpt::output_ref output) {
        xml_ << "<port id=\"" << number << "\" precision=\"" << precision_of(model_.type(output)) << "\">";
        for (const lpt::dimension each : model_.shape(output))
            xml_ << "<dim>" << each << "</dim>";
        xml_ << "</port>";
    }
    void write_layer(std::size_t number, lpt::node_id id) {
        const lpt::node& each = model_[id];
        const bool is_constant = each.is<lpt::op::constant>();
        xml_ << "<layer id=\"" << number << "\" name=\"" << each.name().c_str() << "\" type=\""
             << (is_constant ? "Const" : each.operation().data()) << "\" version=\"opset"
             << (each.version() < 1 ? 1 : each.version()) << "\">";
        write_attributes(each);
        if (each.inputs() != 0) {
            xml_ << "<input>";
            for (std::size_t port = 0; port < each.inputs(); ++port)
                write_port(port, each.input(port));
            xml_ << "</input>";
        }
        if (!each.is<lpt::op::result>()) {
            xml_ << "<output>";
            for (std::size_t port = 0; port < each.outputs(); ++port)
                write_port(each.inputs() + port, {id, static_cast<std::int32_t>(port)});
            xml_ << "</output>";
        }
        xml_ << "</layer>\n";
    }

public:
    ir_writer(const lpt::graph& model, const std::string& stem)
        : model_(model), xml_(stem + ".xml"), bin_(stem + ".bin", std::ios::binary) {}

    void write() {
        const lpt::seq<lpt::node_id> order = lpt::topological_order(model_);
        std::vector<std::size_t> numbers(model_.id_bound());
        xml_ << "<?xml version=\"1.0\"?>\n<net name=\"generated\" version=\"11\">\n<layers>\n";
        for (std::size_t i = 0; i < order.size(); ++i) {
            numbers[lpt::index_of(order[i])] = i;
            write_layer(i, order[i]);
        }
        xml_ << "</layers>\n<edges>\n";
        for (const lpt::node_id id : order) {
            for (std::size_t port = 0; port < model_[id].inputs(); ++port) {
                const lpt::output_ref from = model_[id].input(port);
                xml_ << "<edge from-layer=\"" << numbers[lpt::index_of(from.node)] << "\" from-port=\""
                     << model_[from.node].inputs() + static_cast<std::size_t>(from.port) << "\" to-layer=\""
                     << numbers[lpt::index_of(id)] << "\" to-port=\"" << port << "\"/>\n";
            }
        }
        xml_ << "</edges>\n</net>\n";
        xml_.close();
        bin_.close();
        if (!xml_ || !bin_) throw std::runtime_error("the network cannot be written");
    }
};

}  // namespace bench
