// SPDX-License-Identifier: Apache-2.0
// Operations that only move elements: they move bytes of any type.
#pragma once

#include <lpt/plan/movement_kinds.hpp>
#include <lpt/plan/places.hpp>
#include <lpt/plan/planner.hpp>

#include <utility>

namespace lpt::inline LPT_ABI::plan {

/// Another shape for the same elements in the same order, or, for a Transpose that only moves the channels, the same bytes in the other layout.
inline bool planner::make_view(node_id id) {
    const node& each = model()[id];
    const op::kind kind = each.kind();
    const output_ref input = each.inputs() != 0 ? each.input(0) : output_ref();
    for (const layout from : {layout_of(id), other_layout(layout_of(id))}) {
        if (detail::moves_channels(model(), each, from) &&
            (exists(input, from) || !exists(input, other_layout(from)))) {
            define(id, add_view_of(tensor_of(input, from), each.shape(), other_layout(from)));
            return true;
        }
    }
    const bool reshapes = kind == op::kind::reshape || kind == op::kind::squeeze || kind == op::kind::unsqueeze ||
                          (kind == op::kind::convert && model().type(input) == each.type()) ||
                          (kind == op::kind::broadcast && model().shape(input) == each.shape());
    if (!reshapes || model().type(input) != each.type() || !each.shape().is_static()) {
        return false;
    }
    const tensor_id from = tensor_of(input, layout::plain);
    if (at(from).dimensions.elements() !=
        each.shape().elements()) {  // a pattern that copies sizes is taken at its word
        fail({each.operation(), " '", each.name(), "': an input of shape ", at(from).dimensions, " cannot be seen as ",
              each.shape()});
    }
    define(id, add_view_of(from, each.shape(), layout::plain));
    return true;
}

inline bool planner::make_concat(node_id id) {
    const node& each = model()[id];
    if (!each.is<op::concat>() || !each.shape().is_static() || bit_width(each.type()) < 8) {
        return false;
    }
    const std::size_t rank = each.shape().rank();
    const std::int64_t axis = normalized_axis(each.as<op::concat>().axis, rank);
    for (std::size_t port = 0; port < each.inputs(); ++port) {
        const output_ref input = each.input(port);
        if (model().type(input) != each.type() || axis < 0) {
            return false;
        }
    }
    const layout order = layout_of(id);
    concat_step work;
    step made;
    const auto inner_of = [&](const shape& dimensions) {
        std::size_t inner = byte_size(each.type(), 1);
        bool inside = false;
        for (const std::size_t one : memory_order(rank, order)) {
            inside = inside || one == static_cast<std::size_t>(axis);
            inner *= inside ? static_cast<std::size_t>(dimensions[one]) : 1;
        }
        return inner;
    };
    for (std::size_t port = 0; port < each.inputs(); ++port) {
        if (model().shape(each.input(port)).elements() == 0) {
            continue;
        }
        work.inputs.push_back(tensor_of(each.input(port), order));
        work.lengths.push_back(inner_of(model().shape(each.input(port))));
    }
    work.output = add_tensor(each.type(), each.shape(), order);
    const std::size_t row = inner_of(each.shape());
    work.rows = row == 0 ? 0 : at(work.output).bytes() / row;
    made.nodes = {id};
    made.kernel = std::string("concat") + suffix_of(each.type());
    made.precision = each.type();
    made.reads = work.inputs;
    made.writes = {work.output};
    define(id, work.output);
    made.work = std::move(work);
    add_step(std::move(made));
    return true;
}

namespace detail {

/// The bytes that making the tables of a gather takes for each element: numbers, their copies in the order of memory, and the blocks.
inline constexpr std::size_t gather_bytes_per_element = 16;

/// True if the tables for all outputs of a node can be made with so much memory.
inline bool fits_gather(const node& each, std::size_t memory_limit) {
    std::size_t left = memory_limit / gather_bytes_per_element;
    for (std::size_t port = 0; port < each.outputs(); ++port) {
        const std::size_t elements = each.shape(port).elements();
        if (elements > left) {
            return false;
        }
        left -= elements;
    }
    return true;
}

}  // namespace detail

/// A step that takes a part out of each row of a tensor, from element `first` on; gives its output.
inline tensor_id planner::add_row_part(node_id id, tensor_id from, const spaced_rows& rows, std::int32_t first,
                                       const shape& dimensions, layout order) {
    const element type = at(from).type;
    concat_step work;
    work.takes_part = true;
    const std::size_t element_bytes = byte_size(type, 1);
    work.inputs = {add_view_of(from, dimensions, order, static_cast<std::size_t>(first) * element_bytes)};
    at(work.inputs[0]).rows = rows;
    work.lengths = {static_cast<std::size_t>(rows.length) * element_bytes};
    work.rows = static_cast<std::size_t>(rows.count);
    work.output = add_tensor(type, dimensions, order);
    step made;
    made.nodes = {id};
    made.kernel = std::string("gather") + suffix_of(type);
    made.precision = type;
    made.reads = work.inputs;
    made.writes = {work.output};
    const tensor_id result = work.output;
    made.work = std::move(work);
    add_step(std::move(made));
    return result;
}

/// Learns where each output element comes from by moving the numbers of the input's elements.
inline bool planner::make_gather(node_id id) {
    const node& each = model()[id];
    const op::kind kind = each.kind();
    if (!detail::moves_elements(kind)) {
        return false;
    }
    const output_ref input = each.input(0);
    const shape& dimensions = model().shape(input);
    const element type = model().type(input);
    const std::size_t count = dimensions.is_static() ? dimensions.elements() : 0;
    const bool interpolates = kind == op::kind::interpolate;  // on real numbers alone
    if (count == 0 || count > 0x7FFFFFF0 || bit_width(type) < 8 || detail::is_weighted_interpolate(each)) {
        return false;
    }
    const bool constant_pad = kind != op::kind::pad || each.as<op::pad>().pad_mode == op::pad_mode::constant;
    for (std::size_t port = 0; port < each.outputs(); ++port) {
        if (each.type(port) != type || !detail::has_elements(each.shape(port))) {
            return false;
        }
    }
    if (!detail::fits_gather(each, options_.memory_limit)) {
        return false;
    }
    // The numbers of a large table take time and memory: not before all else is known to be constant.
    seq<tensor> inputs;
    inputs.push_back({});
    for (std::size_t port = 1; port < each.inputs(); ++port) {
        const tensor* value = model().constant_value(each.input(port));
        if (value == nullptr) {
            return false;
        }
        inputs.push_back(*value);
    }
    inputs[0] = interpolates ? detail::numbers_from_one<double>(f64, dimensions)
                             : detail::numbers_from_one<std::int32_t>(i32, dimensions);
    std::vector<std::byte> fill(byte_size(type, 1));
    if (kind == op::kind::pad && constant_pad) {
        if (inputs.size() > 3) {
            for (std::size_t i = 0; i < fill.size(); ++i) {
                fill[i] = inputs[3].data()[i];
            }
            inputs.pop_back();
        }
        inputs.push_back(make_scalar(i32, 0));
    }
    seq<tensor> moved;
    seq<op::output_facts, 2> outputs;
    if (!evaluation::infer_outputs(each.attributes(), each.version(), inputs, outputs, each.name()) ||
        !reference::detail::evaluate_any({each.attributes(), each.version(), inputs, outputs}, moved)) {
        return false;
    }
    for (std::size_t port = 0; port < moved.size(); ++port) {
        const output_ref output(id, static_cast<std::int32_t>(port));
        const shape& result = each.shape(port);
        const layout order = layout_of(id);
        gather_step work;
        work.input = tensor_of(input, order);
        work.element_bytes = bit_width(type) / 8;
        work.fill = fill;
        const std::vector<std::int32_t> from = detail::places_of(dimensions, at(work.input).order);
        const std::vector<std::int32_t> to = detail::places_of(result, order);
        const std::vector<std::int32_t> numbers =
            interpolates ? detail::numbers_in<double>(moved[port]) : detail::numbers_in<std::int32_t>(moved[port]);
        std::vector<std::int32_t> sources(to.size());
        for (std::size_t i = 0; i < to.size(); ++i) {
            const std::int32_t number = numbers[i];
            sources[static_cast<std::size_t>(to[i])] = number == 0 ? -1 : from[static_cast<std::size_t>(number - 1)];
        }
        if (detail::follow_one_another(sources)) {
            const auto first = static_cast<std::size_t>(sources[0]) * static_cast<std::size_t>(work.element_bytes);
            define(output, add_view_of(work.input, result, order, first));
            continue;
        }
        if (const spaced_rows rows = detail::rows_taken_out(sources); rows.exist()) {
            define(output, add_row_part(id, work.input, rows, sources[0], result, order));
            continue;
        }
        work.output = add_tensor(type, result, order);
        work.block = detail::block_of(sources);
        const kernel::transpose_problem matrices = detail::transposition_of(sources, work.block, work.element_bytes);
        step made;
        made.nodes = {id};
        made.kernel = std::string("gather") + suffix_of(type);
        made.precision = type;
        made.reads = {work.input};
        made.writes = {work.output};
        define(output, work.output);
        if (matrices.rows > 0) {
            made.work = transpose_step{matrices, work.input, work.output};
        } else {
            std::vector<std::int32_t> of_blocks;
            for (std::size_t i = 0; i < sources.size(); i += static_cast<std::size_t>(work.block)) {
                of_blocks.push_back(sources[i]);
            }
            detail::set_sources(work, std::move(of_blocks));
            made.work = std::move(work);
        }
        add_step(std::move(made));
    }
    return true;
}

namespace detail {

/// What GatherElements along the last axis chooses, where the other axes of data and indices are the same: for each row elements of that row.
inline bool choose_elements(const node& each, const shape& data, const shape& indices, choice_step& work) {
    const std::size_t last = data.rank() == 0 ? 0 : data.rank() - 1;
    if (data.rank() == 0 || indices.rank() != data.rank() ||
        normalized_axis(each.as<op::gather_elements>().axis, data.rank()) != static_cast<std::int64_t>(last)) {
        return false;
    }
    for (std::size_t axis = 0; axis < last; ++axis) {
        if (data[axis] != indices[axis]) {
            return false;
        }
        work.parts *= data[axis];
    }
    work.size = data[last];
    work.count = indices[last];
    return true;
}

}  // namespace detail

/// Gather, and GatherElements along the last axis, with indices that are computed.
inline bool planner::make_choice(node_id id) {
    const node& each = model()[id];
    if (each.is<op::gather_elements>()) {
        const element type = each.type();
        const element index_type = model().type(each.input(1));
        choice_step work;
        work.block_bytes = byte_size(type, 1);
        return type == model().type(each.input(0)) && bit_width(type) >= 8 &&
               (index_type == i32 || index_type == i64) && detail::has_elements(each.shape()) &&
               detail::has_elements(model().shape(each.input(0))) &&
               detail::choose_elements(each, model().shape(each.input(0)), model().shape(each.input(1)), work) &&
               add_choice(id, work);
    }
    const tensor* where = each.is<op::gather>() ? model().constant_value(each.input(2)) : nullptr;
    if (where == nullptr || each.type() != model().type(each.input(0)) || bit_width(each.type()) < 8 ||
        !detail::has_elements(each.shape()) || !detail::has_elements(model().shape(each.input(0)))) {
        return false;
    }
    const element type = model().type(each.input(1));
    const shape& data = model().shape(each.input(0));
    const shape& indices = model().shape(each.input(1));
    const std::int64_t axis = normalized_axis(where->integer(0), data.rank());
    const std::int64_t given = each.version() >= 7 ? each.as<op::gather>().batch_dims : 0;
    const std::int64_t batch = given < 0 ? given + static_cast<std::int64_t>(indices.rank()) : given;
    if ((type != i32 && type != i64) || axis < 0) {
        return false;
    }
    choice_step work;
    work.block_bytes = byte_size(each.type(), 1);
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(data.rank()); ++i) {
        const dimension size = data[static_cast<std::size_t>(i)];
        work.parts *= i < axis ? size : 1;
        work.parts_of_batch *= i >= batch && i < axis ? size : 1;
        work.block_bytes *= i > axis ? static_cast<std::size_t>(size) : 1;
    }
    work.size = data[static_cast<std::size_t>(axis)];
    for (std::size_t i = static_cast<std::size_t>(batch); i < indices.rank(); ++i) {
        work.count *= indices[i];
    }
    return add_choice(id, work);
}

/// The step of a choice among the blocks of input 0 by the indices of input 1.
inline bool planner::add_choice(node_id id, choice_step work) {
    const node& each = model()[id];
    work.input = tensor_at_any_address(each.input(0));
    work.indices = tensor_of(each.input(1), layout::plain);
    work.output = add_tensor(each.type(), each.shape(), layout::plain);
    define(id, work.output);
    step made;
    made.nodes = {id};
    made.kernel = std::string("gather") + suffix_of(each.type());
    made.precision = each.type();
    made.reads = {work.input, work.indices};
    made.writes = {work.output};
    made.work = work;
    add_step(std::move(made));
    return true;
}

inline bool planner::make_movement(node_id id) {
    return make_view(id) || make_concat(id) || make_gather(id) || make_choice(id);
}

}  // namespace lpt::inline LPT_ABI::plan
