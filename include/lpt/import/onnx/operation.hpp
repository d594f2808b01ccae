// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/reader.hpp>

namespace lpt::inline LPT_ABI::onnx {

/// A node of the file that becomes operations: its inputs and attributes, and what makes operations of the graph.
class operation {
    graph_reader& reader_;
    scope& names_;
    const node_description& node_;
    std::int64_t version_;
    std::shared_ptr<quantized_tensor> kept_;  // the quantization that the outputs have, too

    friend class graph_reader;

public:
    operation(graph_reader& reader, scope& names, const node_description& node, std::int64_t version)
        : reader_(reader), names_(names), node_(node), version_(version) {}

    graph_reader& reader() { return reader_; }
    scope& names() { return names_; }
    model_builder& builder() { return reader_.builder(); }
    const node_description& node() const { return node_; }
    /// The version of the operator set that the operator is taken from.
    std::int64_t version() const { return version_; }
    [[noreturn]] void wrong(text_pieces message) { builder().wrong(message); }

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
            wrong({"attribute '", shown(name), "' has type ", found->type, ", not ", type});
        }
        return found;
    }
    std::int64_t integer(std::string_view name, std::int64_t otherwise) {
        const attribute* found = find(name, 2);
        return found != nullptr ? found->integer : otherwise;
    }
    bool flag(std::string_view name, bool otherwise = false) { return integer(name, otherwise ? 1 : 0) != 0; }
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
        return type == 0 ? otherwise : known_element_of(type, builder());
    }

    // ---- what is known

    element type(output_ref of) { return builder().type_of(of); }
    const lpt::shape& shape(output_ref of) { return builder().shape_of(of); }
    std::size_t rank(output_ref of) {
        if (shape(of).rank_is_dynamic()) {
            wrong({"needs to know how many axes its input has"});
        }
        return shape(of).rank();
    }
    const lpt::shape& static_shape(output_ref of) {
        if (!shape(of).is_static()) {
            wrong({"needs to know the shape of its input, which is ", shape(of)});
        }
        return shape(of);
    }
    /// The size of an axis, perhaps unknown; an error where there is no such axis.
    dimension size_of(output_ref of, std::size_t axis) {
        if (axis >= rank(of)) {
            wrong({"needs more axes than its input has, which is of shape ", shape(of)});
        }
        return shape(of)[axis];
    }
    /// The same for a tensor whose shape must be known.
    std::int64_t static_size_of(output_ref of, std::size_t axis) {
        static_shape(of);
        return size_of(of, axis);
    }
    std::int64_t axis_of(std::int64_t axis, std::size_t rank) {
        const std::int64_t result = normalized_axis(axis, rank);
        if (result < 0) {
            wrong({"axis ", axis, " is outside the ", rank, " axes of the input"});
        }
        return result;
    }
    const tensor* known(output_ref of) { return builder().value_of(of); }
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

    // ---- making

    output_ref make(op::attributes what, view<output_ref> from, int version = -1) {
        return builder().add(std::move(what), from, version);
    }
    output_ref make(op::attributes what, std::initializer_list<output_ref> from, int version = -1) {
        return make(std::move(what), view<output_ref>(from.begin(), from.size()), version);
    }
    node_id make_node(op::attributes what, std::initializer_list<output_ref> from, int version = -1) {
        return builder().add_node(std::move(what), view<output_ref>(from.begin(), from.size()), version);
    }
    output_ref integer_constant(std::int64_t number, element type = i64) { return builder().integer(number, type); }
    output_ref indices(view<std::int64_t> numbers) { return builder().indices(numbers); }
    output_ref indices(std::initializer_list<std::int64_t> numbers) {
        return indices(view<std::int64_t>(numbers.begin(), numbers.size()));
    }
    /// A number of the type that another value has.
    output_ref like(output_ref other, double number) {
        const element wanted = type(other);
        return builder().real(number, wanted == dynamic ? f32 : wanted);
    }
    output_ref convert(output_ref from, element to) { return type(from) == to ? from : make(op::convert{to}, {from}); }
    output_ref reshape(output_ref from, view<std::int64_t> sizes, bool special_zero = false) {
        return make(op::reshape{special_zero}, {from, indices(sizes)});
    }
    output_ref reshape(output_ref from, std::initializer_list<std::int64_t> sizes, bool special_zero = false) {
        return reshape(from, view<std::int64_t>(sizes.begin(), sizes.size()), special_zero);
    }
    output_ref transpose(output_ref from, view<std::int64_t> order) {
        return make(op::transpose{}, {from, indices(order)});
    }
    output_ref transpose(output_ref from, std::initializer_list<std::int64_t> order) {
        return transpose(from, view<std::int64_t>(order.begin(), order.size()));
    }
    /// The last two axes exchanged.
    output_ref transposed(output_ref from) {
        lpt::integers order;
        for (std::size_t i = 0; i < rank(from); ++i) {
            order.push_back(static_cast<std::int64_t>(i));
        }
        std::swap(order[order.size() - 1], order[order.size() - 2]);
        return transpose(from, order);
    }
    output_ref unsqueeze(output_ref from, std::initializer_list<std::int64_t> axes) {
        return make(op::unsqueeze{}, {from, indices(axes)});
    }
    output_ref squeeze(output_ref from, std::initializer_list<std::int64_t> axes) {
        return make(op::squeeze{}, {from, indices(axes)}, 0);
    }
    output_ref concat(view<output_ref> parts, std::int64_t axis) {
        op::concat what;
        what.axis = axis;
        return make(what, parts);
    }
    output_ref concat(std::initializer_list<output_ref> parts, std::int64_t axis) {
        return concat(view<output_ref>(parts.begin(), parts.size()), axis);
    }
    output_ref gather(output_ref from, output_ref places, std::int64_t axis) {
        return make(op::gather{}, {from, places, integer_constant(axis)}, 8);
    }
    output_ref slice(output_ref from, std::int64_t axis, std::int64_t begin, std::int64_t end, std::int64_t step = 1) {
        return make(op::slice{}, {from, indices({begin}), indices({end}), indices({step}), indices({axis})});
    }
    output_ref broadcast(output_ref from, output_ref target) {
        op::broadcast what;
        what.mode = op::broadcast_mode::bidirectional;
        return make(what, {from, target}, 3);
    }
    output_ref shape_of(output_ref from) { return make(op::shape_of{}, {from}); }
    output_ref size_along(output_ref from, std::int64_t axis) { return gather(shape_of(from), indices({axis}), 0); }
    output_ref clamp(output_ref from, double least, double most) {
        op::clamp what;
        what.min = least;
        what.max = most;
        return make(what, {from});
    }
    output_ref softmax(output_ref from, std::int64_t axis) {
        op::softmax what;
        what.axis = axis;
        return make(what, {from}, 8);
    }
    template <class Reduction>
    output_ref reduce(output_ref from, view<std::int64_t> axes, bool keep) {
        Reduction what;
        what.keep_dims = keep;
        return make(what, {from, indices(axes)});
    }
    template <class Reduction>
    output_ref reduce(output_ref from, std::initializer_list<std::int64_t> axes, bool keep = true) {
        return reduce<Reduction>(from, view<std::int64_t>(axes.begin(), axes.size()), keep);
    }
    /// 0, 1, 2 … along an axis whose size may only be known when the network runs.
    output_ref counted(output_ref size, element type = i64) {
        op::range what;
        what.output_type = type;
        const output_ref stop = shape(size).rank() == 0 ? size : squeeze(size, {0});
        return make(what, {integer_constant(0), stop, integer_constant(1)});
    }
};

}  // namespace lpt::inline LPT_ABI::onnx
