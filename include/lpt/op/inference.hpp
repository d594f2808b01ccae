// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/tensor/tensor.hpp>

namespace lpt::op {

/// Stands for an integer that is not known yet, in a list of values of which some are.
inline constexpr std::int64_t unknown_value = INT64_MIN;

struct input_facts {
    element type = dynamic;
    const shape* dimensions = nullptr;
    const tensor* constant = nullptr;   // the value, where the producer is a Constant
    const integers* values = nullptr;   // the values, some perhaps `unknown_value`, where the operation reads them
};
struct output_facts {
    element type = dynamic;
    shape dimensions;
};

/// Everything that shape and type inference of one node may look at, and the place for its answer.
class inference {
    text_view operation_;
    text_view node_;
    int version_;
    view<input_facts> inputs_;
    seq<output_facts, 2> outputs_;

public:
    constexpr inference(text_view operation, text_view node, int version, view<input_facts> inputs)
        : operation_(operation), node_(node), version_(version), inputs_(inputs) {}

    constexpr int version() const { return version_; }
    constexpr std::size_t inputs() const { return inputs_.size(); }
    constexpr element type(std::size_t port) const { return inputs_[port].type; }
    constexpr const shape& dimensions(std::size_t port) const { return *inputs_[port].dimensions; }
    /// The value of an input that a Constant produces; null for other inputs and for ports that the node does not have.
    constexpr const tensor* constant(std::size_t port) const {
        return port < inputs_.size() ? inputs_[port].constant : nullptr;
    }
    /// The integers that are known to arrive at a port (axes, shapes, orders …); false if not even their number is
    /// known. Single values may be `unknown_value`.
    constexpr bool values(std::size_t port, integers& result) const {
        if (port >= inputs_.size()) {
            return false;
        }
        if (inputs_[port].values != nullptr) {
            result = *inputs_[port].values;
            return true;
        }
        if (inputs_[port].constant != nullptr) {
            result = integers_of(*inputs_[port].constant);
            return true;
        }
        return false;
    }
    /// Like `values`, but only if every single value is known.
    constexpr bool known_values(std::size_t port, integers& result) const {
        return values(port, result) && !result.contains(unknown_value);
    }
    /// Appends the next output.
    constexpr void output(element type, shape dimensions) {
        outputs_.resize(outputs_.size() + 1);
        outputs_.back().type = type;
        outputs_.back().dimensions = lpt::move(dimensions);
    }
    constexpr const seq<output_facts, 2>& outputs() const { return outputs_; }
    constexpr seq<output_facts, 2>& outputs() { return outputs_; }
    constexpr seq<output_facts, 2> take_outputs() { return lpt::move(outputs_); }

    /// Raises an error that names the node: for inputs and attributes that the operation cannot have.
    template <int Once = 0>
    [[noreturn]] constexpr void wrong(text_pieces message) const {
        fail({operation_, " '", node_, "': ", join(message)});
    }
};

}  // namespace lpt::op
