// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/model_builder.hpp>

#include <initializer_list>

namespace lpt::inline LPT_ABI {

/// What composes one node of a file of several operations: asks what is known of tensors, and makes operations with few words.
///
/// Readers of file formats add inputs and attributes of their nodes; what they share takes a composer.
class composer {
    model_builder& builder_;

public:
    explicit composer(model_builder& builder) : builder_(builder) {}

    model_builder& builder() { return builder_; }
    [[noreturn]] void wrong(text_pieces message) { builder().wrong(message); }

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

}  // namespace lpt::inline LPT_ABI
