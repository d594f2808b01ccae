// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/composed/unique.hpp>
#include <lpt/import/tflite/spectrum.hpp>

/// Other shapes for the same elements, and tensors made of shapes and indices.
namespace lpt::inline LPT_ABI::tflite {

inline element type_option(const network& net, text_view name) {
    const element type = element_of(static_cast<tensor_type>(net.op().integer(name)));
    return type == i64 ? i64 : i32;
}

/// The input with the shape that its output is declared with; with the one that the operator says where that leaves sizes open.
inline void make_reshaped(network& net, const integers& as_said) {
    const tensor_info& output = net.output_info();
    const bool declared = output.signature.is_static() && output.dimensions.rank() != 0;
    const integers& wanted = declared ? output.dimensions.dimensions() : as_said;
    net.give_moved(net.make().add(op::reshape{}, {net.real_input(0), net.make().indices(wanted)}), axes::as_in_file, 0);
}
inline void make_reshape(network& net) {
    if (has_spectrum(net)) {
        return make_reshaped_spectrum(net);
    }
    integers wanted;
    if (net.has_input(1)) {
        const output_ref sizes = net.codes(net.input(1), axes::as_in_file);
        if (net.make().value_of(sizes) == nullptr) {
            net.give_moved(net.make().add(op::reshape{}, {net.real_input(0), sizes}), axes::as_in_file, 0);
            return;
        }
        wanted = integers_of(*net.make().value_of(sizes));
    } else {
        for (const std::int64_t each : net.op().list("new_shape")) {
            wanted.push_back(each);
        }
    }
    make_reshaped(net, wanted);
}
inline void make_squeeze(network& net) {
    if (has_spectrum(net)) {
        return make_squeezed_spectrum(net);
    }
    integers gone;
    for (const std::int64_t each : net.op().list("squeeze_dims")) {
        gone.push_back(each);
    }
    const output_ref data = net.real_input(0);
    const output_ref result = gone.empty() ? net.make().add(op::squeeze{}, {data})
                                           : net.make().add(op::squeeze{}, {data, net.make().indices(gone)});
    net.give_moved(result, axes::as_in_file, 0);
}
inline void make_expand_dims(network& net) {
    if (has_spectrum(net)) {
        return make_reshaped_spectrum(net);
    }
    const integers axis = net.integers_input(1, "axis");
    net.give_moved(net.make().add(op::unsqueeze{}, {net.real_input(0), net.make().indices(axis)}), axes::as_in_file, 0);
}
inline void make_transpose(network& net) {
    const integers order = net.integers_input(1, "order of axes");
    if (order.size() != net.input_info(0).dimensions.rank()) {
        net.wrong("its order of axes has ", order.size(), " numbers for ", net.input_info(0).dimensions.rank(),
                  " axes");
    }
    const axes from = order.size() == 4 ? net.order_for_all({0}) : axes::as_in_file;
    integers places;
    for (const std::int64_t each : order) {
        places.push_back(net.axis_in(each, order.size(), from));
    }
    net.give_moved(net.make().add(op::transpose{}, {net.real_input(0, from), net.make().indices(places)}),
                   axes::as_in_file, 0);
}

inline void make_shape(network& net) {
    op::shape_of what;
    what.output_type = type_option(net, "out_type");
    net.give(net.make().add(what, {net.real_input(0)}));
}
inline void make_rank(network& net) {
    net.give(net.make().integer(static_cast<std::int64_t>(net.input_info(0).dimensions.rank()), i32));
}
inline void make_fill(network& net) {
    net.give_moved(net.make().add(op::broadcast{}, {net.real_input(1), net.real_input(0)}, 3), axes::as_in_file, 1);
}
inline void make_broadcast_to(network& net) {
    net.give_moved(net.make().add(op::broadcast{}, {net.real_input(0), net.real_input(1)}, 3), axes::as_in_file, 0);
}
inline void make_tile(network& net) {
    net.give_moved(net.make().add(op::tile{}, {net.real_input(0), net.real_input(1)}), axes::as_in_file, 0);
}
inline void make_range(network& net) {
    op::range what;
    what.output_type = element_of(net.input_info(0).type);
    net.give(net.make().add(what, {net.real_input(0), net.real_input(1), net.real_input(2)}, 4));
}
inline void make_one_hot(network& net) {
    op::one_hot what;
    what.axis = net.op().integer("axis");
    net.give(net.make().add(what, {net.real_input(0), net.real_input(1), net.real_input(2), net.real_input(3)}, 1));
}
inline void make_cumsum(network& net) {
    op::cum_sum what;
    what.exclusive = net.op().flag("exclusive");
    what.reverse = net.op().flag("reverse");
    net.give(net.make().add(what, {net.real_input(0), net.real_input(1)}));
}
/// The places of what is true, one a row.
inline void make_where(network& net) {
    op::non_zero what;
    what.output_type = i64;
    const output_ref places = net.make().add(what, {net.real_input(0)});
    net.give(net.make().add(op::transpose{}, {places, net.make().indices({1, 0})}));
}

/// The different elements in the order in which they come, and which of them each is.
inline void make_unique(network& net) {
    composer n(net.make());
    if (net.input_info(0).dimensions.rank() != 1) {
        net.wrong("its data have the shape ", net.input_info(0).dimensions, ", expected 1 axis");
    }
    const composed::unique_elements made =
        composed::unique(n, net.codes(net.input(0), axes::as_in_file), nullptr, false);
    net.give_codes(made.values);
    if (net.op().outputs.size() > 1 && net.op().outputs[1] != operator_info::none) {
        net.give(n.convert(made.which, element_of(net.info(net.op().outputs[1]).type)), axes::as_in_file, 1);
    }
}

}  // namespace lpt::inline LPT_ABI::tflite
