// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/tflite/activation.hpp>

/// Parts of tensors, and tensors put together.
namespace lpt::inline LPT_ABI::tflite {

inline std::vector<std::size_t> all_inputs(const network& net) {
    std::vector<std::size_t> result;
    for (std::size_t port = 0; port < net.op().inputs.size(); ++port) {
        result.push_back(port);
    }
    return result;
}
/// The order of axes in which an operator on its first inputs works where it takes four axes in either.
inline axes movable_order(network& net, const std::vector<std::size_t>& ports) {
    return net.input_info(ports.at(0)).dimensions.rank() == 4 ? net.order_for_all(ports) : axes::as_in_file;
}

inline void make_concatenation(network& net) {
    const std::vector<std::size_t> ports = all_inputs(net);
    if (ports.empty()) {
        net.wrong("has no inputs");
    }
    const axes order = movable_order(net, ports);
    op::concat what;
    what.axis = net.axis_in(net.op().integer("axis"), net.input_info(0).dimensions.rank(), order);
    seq<output_ref, 5> inputs;
    bool same = net.op().activation() == activation::none;
    for (const std::size_t port : ports) {
        inputs.push_back(net.real_input(port, order));
        same = same && same_quantization(net.input_info(port), net.output_info());
    }
    net.give(activated(net, net.make().add(what, inputs)), order, 0, same);
}

/// The two columns of a matrix with a row for each axis.
struct margins {
    integers begin;
    integers end;
};
inline margins margins_input(network& net, std::size_t port, std::size_t axes_count) {
    const integers values = net.integers_input(port, "margins");
    if (values.size() != 2 * axes_count) {
        net.wrong("its margins (input ", port, ") are ", values.size(), " numbers, expected ", 2 * axes_count);
    }
    margins result;
    for (std::size_t axis = 0; axis < axes_count; ++axis) {
        result.begin.push_back(values[2 * axis]);
        result.end.push_back(values[2 * axis + 1]);
    }
    return result;
}

/// Leaves zeros around pixels to their reader; false where there are other margins.
inline bool postpone_margin(network& net, op::pad_mode mode, const margins& by) {
    const auto pads_pixels = [](const integers& each) {
        return each.size() == 4 && each[0] == 0 && each[1] >= 0 && each[2] >= 0 && each[3] == 0;
    };
    if (mode != op::pad_mode::constant || net.has_input(2) || !pads_pixels(by.begin) || !pads_pixels(by.end) ||
        !same_quantization(net.input_info(0), net.output_info())) {
        return false;
    }
    net.postpone(net.op().outputs[0], {net.input(0), {by.begin[1], by.begin[2]}, {by.end[1], by.end[2]}});
    return true;
}

inline void make_padded(network& net, op::pad_mode mode) {
    const bool is_known = net.make().value_of(net.codes(net.input(1), axes::as_in_file)) != nullptr;
    if (is_known && postpone_margin(net, mode, margins_input(net, 1, net.input_info(0).dimensions.rank()))) {
        return;
    }
    const axes order = is_known ? movable_order(net, {0}) : axes::as_in_file;
    seq<output_ref, 5> inputs{net.real_input(0, order)};
    if (is_known) {
        const margins by = margins_input(net, 1, net.input_info(0).dimensions.rank());
        inputs.push_back(net.make().indices(in_order(by.begin, order)));
        inputs.push_back(net.make().indices(in_order(by.end, order)));
    } else {
        for (const std::int64_t column : {0, 1}) {
            inputs.push_back(
                net.make().add(op::gather{}, {net.real_input(1), net.make().integer(column), net.make().integer(1)}));
        }
    }
    if (mode == op::pad_mode::constant) {
        inputs.push_back(net.has_input(2) ? net.folded_input(2) : net.make().real(0, net.make().type_of(inputs[0])));
        if (net.make().shape_of(inputs[3]).rank() != 0) {
            inputs[3] = net.make().add(op::reshape{}, {inputs[3], net.make().indices(integers{})});
        }
    }
    const output_ref result = net.make().add(op::pad{mode}, inputs);
    if (net.has_input(2) && !same_quantization(net.input_info(0), net.input_info(2))) {
        net.give(result, order);
    } else {
        net.give_moved(result, order, 0);
    }
}
inline void make_pad(network& net) { make_padded(net, op::pad_mode::constant); }
inline void make_mirror_pad(network& net) {
    make_padded(net, net.op().integer("mode") == 0 ? op::pad_mode::reflect : op::pad_mode::symmetric);
}

/// True if all of some inputs are known; else operators take them as they are computed.
inline bool are_known(network& net, const std::vector<std::size_t>& ports) {
    return std::all_of(ports.begin(), ports.end(), [&](std::size_t port) {
        return net.make().value_of(net.codes(net.input(port), axes::as_in_file)) != nullptr;
    });
}

/// A slice whose begin and size are computed; -1 is the rest of an axis.
inline void make_computed_slice(network& net) {
    model_builder& make = net.make();
    const output_ref begin = make.add(op::convert{i64}, {net.real_input(1)});
    const output_ref size = make.add(op::convert{i64}, {net.real_input(2)});
    const output_ref is_rest = make.add(op::equal{}, {size, make.integer(-1)});
    const output_ref end =
        make.add(op::select{}, {is_rest, make.integer(most_elements), make.add(op::add{}, {begin, size})});
    const output_ref step = make.indices(integers(shape::of_ones(net.input_info(0).dimensions.rank()).dimensions()));
    net.give_moved(make.add(op::slice{}, {net.real_input(0), begin, end, step}), axes::as_in_file, 0);
}

inline void make_slice(network& net) {
    if (!are_known(net, {1, 2})) {
        return make_computed_slice(net);
    }
    const axes order = movable_order(net, {0});
    const std::size_t rank = net.input_info(0).dimensions.rank();
    const integers begin = net.integers_input(1, "begin");
    const integers size = net.integers_input(2, "size");
    if (begin.size() != rank || size.size() != rank) {
        net.wrong("its begin and size have ", begin.size(), " and ", size.size(), " numbers for ", rank, " axes");
    }
    integers end;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        const checked last = checked(begin[axis]) + checked(size[axis]);
        if (begin[axis] < 0 || size[axis] < -1 || !last.fits()) {
            net.wrong("cannot take ", size[axis], " elements from ", begin[axis], " on");
        }
        end.push_back(size[axis] == -1 ? most_elements : last.value());
    }
    net.give_moved(net.make().add(op::slice{}, {net.real_input(0, order), net.make().indices(in_order(begin, order)),
                                                net.make().indices(in_order(end, order)),
                                                net.make().indices(integers(shape::of_ones(rank).dimensions()))}),
                   order, 0);
}

inline integers bits_of(std::int64_t mask, std::size_t count) {
    integers result;
    for (std::size_t bit = 0; bit < count; ++bit) {
        result.push_back(bit < 31 ? (mask >> bit) & 1 : 0);
    }
    return result;
}
/// Masks as bits, the lowest for the first of `count` numbers.
inline op::strided_slice strided_slice_of(const network& net, std::size_t count) {
    op::strided_slice what;
    what.begin_mask = bits_of(net.op().integer("begin_mask"), count);
    what.end_mask = bits_of(net.op().integer("end_mask"), count);
    what.new_axis_mask = bits_of(net.op().integer("new_axis_mask"), count);
    what.shrink_axis_mask = bits_of(net.op().integer("shrink_axis_mask"), count);
    what.ellipsis_mask = bits_of(net.op().integer("ellipsis_mask"), count);
    return what;
}
inline void make_computed_strided_slice(network& net) {
    const shape& numbers = net.input_info(1).signature;
    if (numbers.rank() != 1 || !numbers.is_static()) {
        net.wrong("its begin must have one axis of known size, not the shape ", numbers);
    }
    const output_ref begin = net.real_input(1);
    const output_ref end =
        net.op().flag("offset") ? net.make().add(op::add{}, {net.real_input(2), begin}) : net.real_input(2);
    net.give_moved(net.make().add(strided_slice_of(net, static_cast<std::size_t>(numbers[0])),
                                  {net.real_input(0), begin, end, net.real_input(3)}),
                   axes::as_in_file, 0);
}

inline void make_strided_slice(network& net) {
    if (!are_known(net, {1, 2, 3})) {
        return make_computed_strided_slice(net);
    }
    const std::size_t rank = net.input_info(0).dimensions.rank();
    integers begin = net.integers_input(1, "begin");
    integers end = net.integers_input(2, "end");
    integers step = net.integers_input(3, "step");
    if (end.size() != begin.size() || step.size() != begin.size()) {
        net.wrong("its begin, end and step have ", begin.size(), ", ", end.size(), " and ", step.size(), " numbers");
    }
    for (std::size_t i = 0; net.op().flag("offset") && i < begin.size(); ++i) {
        end[i] += begin[i];
    }
    op::strided_slice what = strided_slice_of(net, begin.size());
    const bool keeps_axes = begin.size() == rank && net.op().integer("new_axis_mask") == 0 &&
                            net.op().integer("shrink_axis_mask") == 0 && net.op().integer("ellipsis_mask") == 0;
    const axes order = keeps_axes ? movable_order(net, {0}) : axes::as_in_file;
    if (order == axes::channels_first) {
        for (integers* each : {&begin, &end, &step, &what.begin_mask, &what.end_mask, &what.new_axis_mask,
                               &what.shrink_axis_mask, &what.ellipsis_mask}) {
            *each = in_order(*each, order);
        }
    }
    net.give_moved(net.make().add(what, {net.real_input(0, order), net.make().indices(begin), net.make().indices(end),
                                         net.make().indices(step)}),
                   order, 0);
}

/// Parts of `lengths` along an axis, or so many equal ones.
inline void make_parts(network& net, std::size_t port, std::int64_t axis, const integers& lengths, std::int64_t count) {
    const axes order = movable_order(net, {port});
    const std::int64_t place = net.axis_in(axis, net.input_info(port).dimensions.rank(), order);
    const output_ref data = net.real_input(port, order);
    const output_ref along = net.make().integer(place);
    const node_id parts = lengths.empty()
                              ? net.make().add_node(op::split{count}, {data, along})
                              : net.make().add_node(op::variadic_split{}, {data, along, net.make().indices(lengths)});
    for (std::size_t i = 0; i < net.make().model()[parts].outputs(); ++i) {
        net.give_moved(output_ref(parts, static_cast<std::int32_t>(i)), order, port, i);
    }
}
inline std::int64_t one_integer(network& net, std::size_t port, text_view role) {
    const integers values = net.integers_input(port, role);
    if (values.size() != 1) {
        net.wrong("its ", role, " must be one number, not ", values.size());
    }
    return values[0];
}
inline void make_split(network& net) {
    make_parts(net, 1, one_integer(net, 0, "axis"), {}, net.op().integer("num_splits"));
}
inline void make_split_v(network& net) {
    make_parts(net, 0, one_integer(net, 2, "axis"), net.integers_input(1, "lengths"), 0);
}

inline void make_pack(network& net) {
    seq<output_ref, 5> inputs;
    bool same = true;
    const auto rank = static_cast<std::int64_t>(net.input_info(0).dimensions.rank());
    const std::int64_t axis =
        net.op().integer("axis") < 0 ? net.op().integer("axis") + rank + 1 : net.op().integer("axis");
    for (const std::size_t port : all_inputs(net)) {
        inputs.push_back(net.make().add(op::unsqueeze{}, {net.real_input(port), net.make().indices({axis})}));
        same = same && same_quantization(net.input_info(port), net.output_info());
    }
    net.give(net.make().add(op::concat{axis}, inputs), axes::as_in_file, 0, same);
}
inline void make_unpack(network& net) {
    const std::int64_t axis =
        net.axis_in(net.op().integer("axis"), net.input_info(0).dimensions.rank(), axes::as_in_file);
    const node_id parts =
        net.make().add_node(op::split{net.op().integer("num")}, {net.real_input(0), net.make().integer(axis)});
    for (std::size_t i = 0; i < net.make().model()[parts].outputs(); ++i) {
        const output_ref part(parts, static_cast<std::int32_t>(i));
        net.give_moved(net.make().add(op::squeeze{}, {part, net.make().indices({axis})}), axes::as_in_file, 0, i);
    }
}

inline void make_gather(network& net) {
    op::gather what;
    what.batch_dims = net.op().integer("batch_dims");
    const std::int64_t axis =
        net.axis_in(net.op().integer("axis"), net.input_info(0).dimensions.rank(), axes::as_in_file);
    net.give_moved(net.make().add(what, {net.real_input(0), net.real_input(1), net.make().integer(axis)}),
                   axes::as_in_file, 0);
}
/// A part of the first input becomes the second one; it begins at the third, moved so that it lies inside.
///
/// Along each axis the place in the second input is looked up; what has one on all axes is taken from there.
inline void make_dynamic_update_slice(network& net) {
    const shape whole = net.input_info(0).dimensions;
    const shape part = net.input_info(1).dimensions;
    if (part.rank() != whole.rank() || !net.input_info(0).signature.is_static() ||
        !net.input_info(1).signature.is_static()) {
        net.wrong("tensors of shapes ", net.input_info(0).signature, " and ", net.input_info(1).signature,
                  " do not fit");
    }
    model_builder& make = net.make();
    output_ref update = net.real_input(1);
    output_ref is_inside;
    for (std::size_t axis = 0; axis < whole.rank(); ++axis) {
        if (part[axis] > whole[axis]) {
            net.wrong("a part of shape ", part, " is larger than ", whole);
        }
        const auto place = static_cast<std::int64_t>(axis);
        const element type = make.type_of(net.real_input(2));
        output_ref start = make.add(op::gather{}, {net.real_input(2), make.integer(place), make.integer(0)});
        start = make.add(op::minimum{}, {make.add(op::maximum{}, {start, make.integer(0, type)}),
                                         make.integer(whole[axis] - part[axis], type)});
        op::range count;
        count.output_type = type;
        const output_ref places =
            make.add(count, {make.integer(0, type), make.integer(whole[axis], type), make.integer(1, type)}, 4);
        const output_ref from = make.add(op::subtract{}, {places, start});
        const output_ref last = make.integer(part[axis] - 1, type);
        const output_ref nearest =
            make.add(op::minimum{}, {make.add(op::maximum{}, {from, make.integer(0, type)}), last});
        update = make.add(op::gather{}, {update, nearest, make.integer(place)});
        shape along = shape::of_ones(whole.rank());
        along[axis] = whole[axis];
        const output_ref fits =
            make.add(op::reshape{}, {make.add(op::equal{}, {from, nearest}), make.indices(along.dimensions())});
        is_inside = is_inside ? make.add(op::logical_and{}, {is_inside, fits}) : fits;
    }
    if (!is_inside) {
        net.wrong("tensors without axes have no parts");
    }
    net.give_moved(make.add(op::select{}, {is_inside, update, net.real_input(0)}), axes::as_in_file, 0);
}
inline void make_gather_nd(network& net) {
    net.give_moved(net.make().add(op::gather_nd{}, {net.real_input(0), net.real_input(1)}), axes::as_in_file, 0);
}
/// Inputs: indices, rows.
inline void make_embedding_lookup(network& net) {
    net.give_moved(net.make().add(op::gather{}, {net.real_input(1), net.real_input(0), net.make().integer(0)}),
                   axes::as_in_file, 1);
}
inline void make_reverse_v2(network& net) {
    constexpr std::int64_t before_the_first = -most_elements;
    const integers along = net.integers_input(1, "axes");
    integers start;
    integers stop;
    for (std::size_t i = 0; i < along.size(); ++i) {
        start.push_back(-1);
        stop.push_back(before_the_first);
    }
    net.give_moved(net.make().add(op::slice{}, {net.real_input(0), net.make().indices(start), net.make().indices(stop),
                                                net.make().indices(start), net.make().indices(along)}),
                   axes::as_in_file, 0);
}
inline void make_reverse_sequence(network& net) {
    op::reverse_sequence what;
    what.seq_axis = net.op().integer("seq_dim");
    what.batch_axis = net.op().integer("batch_dim");
    net.give_moved(net.make().add(what, {net.real_input(0), net.real_input(1)}), axes::as_in_file, 0);
}

}  // namespace lpt::inline LPT_ABI::tflite
