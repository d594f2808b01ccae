// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/memory_errors.hpp>
#include <lpt/graph/fold.hpp>
#include <lpt/import/mapped_file.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lpt::inline LPT_ABI {

/// A node as a file has it: what messages and names are made of.
struct source_node {
    static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

    std::string name;
    std::string type;
    std::size_t byte = nowhere;  // of the file, where the node begins
    const char* kind = "node";  // what else a file may have: an input, an initializer …
};

/// What a reader of a file format makes a graph with: operations with names that are unique, constants as windows into the mapped file,
/// and errors that say where in the file they are about.
///
/// A node of a file may become several operations. Between `begin` and `finish` all that is added belongs to it: the operation that does its
/// work takes its name, the others that name with a slash and their own type behind it.
class model_builder {
    graph model_;
    std::string file_;
    source_node now_;
    std::vector<node_id> made_;  // of the node that was begun
    std::unordered_map<std::string, int> names_;  // and the number that the next of the same name gets

    text place() const {
        text words(text_view(file_.c_str()));
        if (now_.byte == source_node::nowhere && now_.type.empty()) {
            return words;
        }
        words.append(": ").append(now_.kind).append(" '").append(now_.name.c_str()).append("'");
        if (!now_.type.empty()) {
            words.append(" (").append(now_.type.c_str()).append(")");
        }
        if (now_.byte != source_node::nowhere) {
            words.append(" at byte ").append(now_.byte);
        }
        return words;
    }
    /// What an operation that is made of the current node says of itself, without the name, which the place has already.
    std::string without_name(const text& message) const {
        const std::string words = message.c_str();
        const std::string named = " '" + now_.name + "': ";
        const std::size_t end = words.find(' ');
        if (end == std::string::npos || words.compare(end, named.size(), named) != 0) {
            return words;
        }
        const std::string operation = words.substr(0, end);
        return (operation == now_.type ? "" : operation + ": ") + words.substr(end + named.size());
    }
    /// Runs what makes nodes; what it raises gets the place in front.
    template <class Action>
    auto at_place(Action&& action) {
        try {
            return action();
        } catch (const error& raised) {
            fail({place(), ": ", without_name(raised.message()).c_str()});
        }
    }
    static bool does_the_work(const node& each) {
        return op::has(each.attributes().number() == op::kind::none ? op::trait::none
                                                                    : op::row_of(each.attributes()).traits,
                       op::trait::byte_factors) ||
               each.is<op::max_pool>() || each.is<op::avg_pool>() || each.bodies().size() != 0;
    }
    /// True for a matrix of small integers that is seen as real numbers.
    bool begins_dequantization(const node& each) const {
        if (!each.is<op::convert>() || !is_real(each.type())) {
            return false;
        }
        const element stored = model_.type(each.input(0));
        std::size_t long_axes = 0;
        for (const dimension size : each.shape().dimensions()) {
            long_axes += size > 1 ? 1 : 0;
        }
        return is_integral(stored) && stored != boolean && bit_width(stored) <= 8 && long_axes > 1;
    }
    std::string unique(const std::string& wanted) {
        const auto [found, is_new] = names_.try_emplace(wanted, 1);
        if (is_new) {
            return wanted;
        }
        int& next = found->second;
        std::string name;
        do {
            name = wanted + "_" + std::to_string(next++);
        } while (!names_.try_emplace(name, 1).second);
        return name;
    }

public:
    /// `file`: its name, for messages.
    explicit model_builder(std::string file) : file_(std::move(file)) {}

    graph& model() { return model_; }
    const graph& model() const { return model_; }
    const std::string& file() const { return file_; }
    const source_node& current() const { return now_; }

    /// Begins a node of the file.
    void begin(source_node next) {
        now_ = std::move(next);
        made_.clear();
    }
    /// Gives names to the operations that were made of the current node.
    void finish() {
        node_id main = node_id::none;
        for (const node_id each : made_) {
            if (model_.contains(each) && (main == node_id::none || !does_the_work(model_[main]))) {
                main = each;
            }
        }
        if (main != node_id::none) {
            model_.rename(main, text(unique(now_.name).c_str()));
        }
        for (const node_id each : made_) {
            if (each != main && model_.contains(each)) {
                const text_view type = model_[each].operation();
                model_.rename(each, text(unique(now_.name + "/" + std::string(type.data(), type.size())).c_str()));
            }
        }
        begin({});
    }

    /// Raises an error that says file, node and byte.
    [[noreturn]] void wrong(text_pieces message) const { fail({place(), ": ", join(message)}); }

    /// Adds an operation; an error that it raises says file, node and byte. `version`: -1 for the newest.
    node_id add_node(op::attributes what, view<output_ref> inputs, int version = -1) {
        const node_id id =
            at_place([&] { return model_.add(std::move(what), inputs, text_view(now_.name.c_str()), version); });
        made_.push_back(id);
        return id;
    }
    /// The same for an operation of one output, folded where it computes few known values: shapes, axes, parameters; not weights in bytes,
    /// whose dequantization transformations look for.
    output_ref add(op::attributes what, view<output_ref> inputs, int version = -1) {
        constexpr std::int64_t few = 4096;
        const node_id id = add_node(std::move(what), inputs, version);
        const shape& dimensions = model_[id].shape();
        if (!dimensions.is_static() || static_cast<std::int64_t>(dimensions.elements()) > few ||
            begins_dequantization(model_[id])) {
            return id;
        }
        seq<output_ref> values;
        return at_place([&] { return fold(model_, id, values); }) ? values[0] : output_ref(id);
    }
    output_ref constant(tensor value) { return model_.constant(std::move(value)); }
    /// A whole number, a list of them, a real number.
    output_ref integer(std::int64_t value, element type = i64) {
        return constant(make_integer_tensor(type, shape{}, view<std::int64_t>(&value, 1)));
    }
    output_ref indices(view<std::int64_t> values) { return constant(make_indices(values)); }
    output_ref real(double value, element type = f32) { return constant(make_scalar(type, value)); }

    /// The value of a Constant; null for what is computed.
    const tensor* value_of(output_ref source) const { return model_.constant_value(source); }
    element type_of(output_ref source) const { return model_.type(source); }
    const shape& shape_of(output_ref source) const { return model_.shape(source); }

    /// A tensor whose bytes are those of the file, from byte `offset` on: not copied.
    tensor stored(const mapped_file& from, element type, shape dimensions, std::size_t offset, std::size_t size) const {
        if (!dimensions.is_static() || !dimensions.is_possible()) {
            wrong({"a tensor cannot have the shape ", dimensions});
        }
        if (byte_size(type, dimensions.elements()) != size) {
            wrong({"a tensor of type ", lpt::name(type), " and shape ", dimensions, " has ",
                   byte_size(type, dimensions.elements()), " bytes, not ", size});
        }
        if (!from.has(offset, size)) {
            wrong({"bytes ", offset, " to ", offset, " + ", size, " lie outside of the file, which has ", from.size(),
                   " bytes"});
        }
        return tensor(type, std::move(dimensions), from.window(offset, size));
    }

    /// The finished graph.
    graph take() { return std::move(model_); }
};

/// The numbers from 0 to `count`, each behind those that it reads from. In the order of the numbers where that will do.
///
/// `for_each_source(number, visit)` calls `visit` with the numbers that one reads from; `circle(number)` is called, and must raise an error, where
/// they lead round in a circle. Linear time, no recursion.
template <class Sources, class Circle>
std::vector<std::size_t> order_by_sources(std::size_t count, Sources&& for_each_source, Circle&& circle) {
    enum class state : unsigned char { unseen, open, done };
    std::vector<state> states(count, state::unseen);
    std::vector<std::size_t> order;
    std::vector<std::size_t> stack;
    order.reserve(count);
    for (std::size_t first = 0; first < count; ++first) {
        stack.push_back(first);
        while (!stack.empty()) {
            const std::size_t each = stack.back();
            if (states[each] == state::unseen) {
                states[each] = state::open;
                for_each_source(each, [&](std::size_t source) {
                    if (states[source] == state::open) {
                        circle(source);
                    } else if (states[source] == state::unseen) {
                        stack.push_back(source);
                    }
                });
                continue;
            }
            if (states[each] == state::open) {
                states[each] = state::done;
                order.push_back(each);
            }
            stack.pop_back();
        }
    }
    return order;
}

}  // namespace lpt::inline LPT_ABI
