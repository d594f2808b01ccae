// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/composer.hpp>
#include <lpt/op/attribute_value.hpp>

#include <pugixml.hpp>

namespace lpt::inline LPT_ABI::openvino_ir {

/// A layer of the file that becomes several operations: its inputs, attributes and outputs, and what makes operations of the graph.
class composed_layer : public composer {
    pugi::xml_node data_;
    view<output_ref> inputs_;
    seq<output_ref, 2> outputs_;

public:
    /// `data`: what has the attributes of the layer; perhaps there is none.
    composed_layer(model_builder& builder, pugi::xml_node data, view<output_ref> inputs)
        : composer(builder), data_(data), inputs_(inputs) {}

    std::size_t inputs() const { return inputs_.size(); }
    view<output_ref> all_inputs() const { return inputs_; }
    bool has(std::size_t port) const { return port < inputs_.size(); }
    output_ref in(std::size_t port) {
        if (!has(port)) {
            wrong({"needs input ", port});
        }
        return inputs_[port];
    }
    /// An input that may be left out.
    output_ref in_or_none(std::size_t port) { return has(port) ? inputs_[port] : output_ref(); }
    /// The values of an input that must be a constant.
    lpt::integers known_integers(std::size_t port) {
        const tensor* found = known(in(port));
        if (found == nullptr) {
            wrong({"input ", port, " must be known when the network is read"});
        }
        return integers_of(*found);
    }
    /// The next output.
    void out(output_ref result) { outputs_.push_back(result); }
    view<output_ref> outputs() const { return outputs_; }

    /// An attribute of the layer; `otherwise` where there is none.
    template <class Value>
    Value attribute(const char* name, Value otherwise) {
        const pugi::xml_attribute found = data_.attribute(name);
        if (found && !op::from_value(op::to_value(text(found.value())), otherwise)) {
            wrong({"attribute '", name, "' cannot be '", found.value(), "'"});
        }
        return otherwise;
    }
    bool flag(const char* name, bool otherwise) { return attribute(name, otherwise); }
    /// An attribute that is i32 or i64.
    element index_type(const char* name) {
        const element type = attribute(name, i64);
        if (type != i32 && type != i64) {
            wrong({"attribute '", name, "' must be i32 or i64, not ", lpt::name(type)});
        }
        return type;
    }
};

/// How a type of layer becomes operations.
struct composition {
    text_view type;
    int opset = 1;  // in which it is new
    std::size_t least_inputs = 1;
    std::size_t most_inputs = 1;
    void (*compose)(composed_layer&) = nullptr;
};

}  // namespace lpt::inline LPT_ABI::openvino_ir
