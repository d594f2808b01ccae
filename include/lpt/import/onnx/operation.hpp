// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/composer.hpp>
#include <lpt/import/onnx/reader.hpp>

namespace lpt::inline LPT_ABI::onnx {

/// A node of the file that becomes operations: its inputs and attributes, and what makes operations of the graph.
class operation : public composer {
    graph_reader& reader_;
    scope& names_;
    const node_description& node_;
    std::int64_t version_;
    std::shared_ptr<quantized_tensor> kept_;  // the quantization that the outputs have, too

    friend class graph_reader;

public:
    operation(graph_reader& reader, scope& names, const node_description& node, std::int64_t version)
        : composer(reader.builder()), reader_(reader), names_(names), node_(node), version_(version) {}

    graph_reader& reader() { return reader_; }
    scope& names() { return names_; }
    const node_description& node() const { return node_; }
    /// The version of the operator set that the operator is taken from.
    std::int64_t version() const { return version_; }

    // ---- inputs and outputs

    std::size_t inputs() const { return node_.inputs.size(); }
    std::size_t outputs() const { return node_.outputs.size(); }
    bool has(std::size_t port) const { return port < node_.inputs.size() && !node_.inputs[port].empty(); }
    bool wants(std::size_t port) const { return port < node_.outputs.size() && !node_.outputs[port].empty(); }
    value value_at(std::size_t port) {
        if (!has(port)) {
            wrong({"needs input ", port});
        }
        const value* found = names_.find(node_.inputs[port]);
        if (found == nullptr) {
            wrong({"input ", port, " is '", shown(node_.inputs[port]), "', which no node, initializer or input gives"});
        }
        return reader_.here(*found);
    }
    output_ref in(std::size_t port) {
        const value found = value_at(port);
        if (found.sequence) {
            wrong({"input ", port, " is a sequence, but must be a tensor"});
        }
        return kept_ && found.quantized ? reader_.real_of(found) : reader_.plain_of(found);
    }
    /// The input, or a number of the same type as input 0 where it is left out.
    output_ref in_or(std::size_t port, double otherwise) { return has(port) ? in(port) : like(in(0), otherwise); }
    void out_value(std::size_t port, value result) {
        if (port >= node_.outputs.size() || node_.outputs[port].empty()) {
            return;
        }
        if (!names_.values.emplace(node_.outputs[port], std::move(result)).second) {
            wrong({"gives '", shown(node_.outputs[port]), "', which was given before"});
        }
    }
    void out(std::size_t port, output_ref result) {
        if (kept_) {
            auto moved =
                std::make_shared<quantized_tensor>(quantized_tensor{kept_->how, result, true, false, result, {}});
            return out_value(port, {&reader_, {}, std::move(moved), nullptr});
        }
        out_value(port, reader_.of(result));
    }
    void out(output_ref result) { out(0, result); }

    // ---- attributes

    const attribute* find(std::string_view name, std::int64_t type) {
        const attribute* found = node_.find(name);
        if (found != nullptr && found->type != 0 && found->type != type) {
            wrong({"attribute '", shown(name), "' has the type ", name_of_attribute_type(found->type).c_str(),
                   ", expected ", name_of_attribute_type(type).c_str()});
        }
        return found;
    }
    std::int64_t integer(std::string_view name, std::int64_t otherwise) {
        const attribute* found = find(name, 2);
        return found != nullptr ? found->integer : otherwise;
    }
    bool flag(std::string_view name, bool otherwise = false) {
        const std::int64_t given = integer(name, otherwise ? 1 : 0);
        if (given != 0 && given != 1) {
            wrong({"attribute '", shown(name), "' is ", given, ", expected 0 or 1"});
        }
        return given != 0;
    }
    double real(std::string_view name, double otherwise) {
        const attribute* found = find(name, 1);
        return found != nullptr ? static_cast<double>(found->real) : otherwise;
    }
    std::string_view words(std::string_view name, std::string_view otherwise) {
        const attribute* found = find(name, 3);
        return found != nullptr ? found->words : otherwise;
    }
    bool has_attribute(std::string_view name) const { return node_.find(name) != nullptr; }
    lpt::integers list(std::string_view name) {
        lpt::integers result;
        if (const attribute* found = find(name, 7)) {
            for (const std::int64_t each : found->integers) {
                result.push_back(each);
            }
        }
        return result;
    }
    std::vector<float> reals(std::string_view name) {
        const attribute* found = find(name, 6);
        return found != nullptr ? found->reals : std::vector<float>();
    }
    /// The element type that an attribute names.
    element type_attribute(std::string_view name, element otherwise) {
        const std::int64_t type = integer(name, 0);
        return type == 0 ? otherwise : reader_.shared().as_read(known_element_of(type, builder()));
    }

    bool is_known(std::size_t port) { return has(port) && known(in(port)) != nullptr; }
    /// The values of an input that must be a constant.
    const tensor& known_input(std::size_t port) {
        const tensor* found = known(in(port));
        if (found == nullptr) {
            wrong({"input ", port, " must be known when the network is read"});
        }
        return *found;
    }
    lpt::integers known_integers(std::size_t port) { return integers_of(known_input(port)); }
};

}  // namespace lpt::inline LPT_ABI::onnx
