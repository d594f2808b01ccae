// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/tensor/tensor.hpp>

namespace lpt::inline LPT_ABI::op {

/// Stands for an integer that is not known yet, in a list of values of which some are.
inline constexpr std::int64_t unknown_value = INT64_MIN;

/// The integers of a Constant. The one that would look like `unknown_value` is taken for its neighbour, as impossible an axis or size.
constexpr integers known_integers_of(const tensor& values) {
    integers result = integers_of(values);
    for (std::int64_t& each : result) {
        each = each == unknown_value ? unknown_value + 1 : each;
    }
    return result;
}

/// The most that a stride, a dilation, a margin or the size of a kernel, block or group can be: 2^31 - 1.
inline constexpr std::int64_t most_step = INT32_MAX;
/// The most outputs that a node can have.
inline constexpr std::int64_t most_outputs = 65536;

struct input_facts {
    element type = dynamic;
    const shape* dimensions = nullptr;
    const tensor* constant = nullptr;  // the value, where the producer is a Constant
    const integers* values = nullptr;  // the values, some perhaps `unknown_value`, where the operation reads them
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
    /// Raises an error unless an input can have integers.
    constexpr void require_integers(std::size_t port) const {
        if (type(port) != dynamic && !is_integral(type(port))) {
            wrong({"input ", port, " must be of an integer type, not ", lpt::name(type(port))});
        }
    }
    /// The same for one that can have integers or booleans.
    constexpr void require_integers_or_booleans(std::size_t port) const {
        if (type(port) != boolean) {
            require_integers(port);
        }
    }
    /// The integers that are known to arrive at a port (axes, shapes, orders …); false if not even their number is
    /// known. Single values may be `unknown_value`. Raises an error for an input that cannot have integers.
    constexpr bool values(std::size_t port, integers& result) const {
        if (port >= inputs_.size()) {
            return false;
        }
        require_integers(port);
        if (inputs_[port].values != nullptr) {
            result = *inputs_[port].values;
            return true;
        }
        if (inputs_[port].constant != nullptr) {
            result = known_integers_of(*inputs_[port].constant);
            return true;
        }
        return false;
    }
    /// Like `values`, but only if every single value is known.
    constexpr bool known_values(std::size_t port, integers& result) const {
        return values(port, result) && !result.contains(unknown_value);
    }
    /// Raises an error unless an attribute is in [least, most].
    constexpr void require(text_view attribute, std::int64_t value, std::int64_t least, std::int64_t most) const {
        if (value < least) {
            wrong({attribute, " must be at least ", least, ", not ", value});
        }
        if (value > most) {
            wrong({attribute, " must be at most ", most, ", not ", value});
        }
    }
    /// Appends the next output. Raises an error for a shape that is not `is_possible`.
    constexpr void output(element type, shape dimensions) {
        if (!dimensions.is_possible()) {
            impossible(dimensions);
        }
        outputs_.resize(outputs_.size() + 1);
        outputs_.back().type = type;
        outputs_.back().dimensions = lpt::move(dimensions);
    }
    constexpr const seq<output_facts, 2>& outputs() const { return outputs_; }
    constexpr seq<output_facts, 2>& outputs() { return outputs_; }
    constexpr seq<output_facts, 2> take_outputs() { return lpt::move(outputs_); }

    /// Raises an error that names the node: for inputs and attributes that the operation cannot have.
    [[noreturn]] void wrong(text_pieces message) const { fail({operation_, " '", node_, "': ", join(message)}); }

private:
    [[noreturn, gnu::cold, gnu::noinline]] void impossible(const shape& dimensions) const {
        wrong({"output ", outputs_.size(), " cannot have the shape ", dimensions, ": a tensor has at most ", most_axes,
               " axes of sizes from 0 and ", most_elements, " elements"});
    }
};

}  // namespace lpt::inline LPT_ABI::op
