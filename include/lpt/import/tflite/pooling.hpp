// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/tflite/convolution.hpp>

/// Windows and reductions.
namespace lpt::inline LPT_ABI::tflite {

template <class Pool>
Pool pool_of(network& net, const windowed_data& from) {
    Pool result;
    result.kernel = size_options(net, "filter_height", "filter_width");
    const window over = window_of(net, from, result.kernel, {1, 1});
    result.strides = over.strides;
    result.pads_begin = over.pads_begin.empty() ? integers{0, 0} : over.pads_begin;
    result.pads_end = over.pads_end.empty() ? integers{0, 0} : over.pads_end;
    result.auto_pad = over.rule;
    return result;
}

inline void make_average_pool_2d(network& net) {
    const windowed_data from{net.real_input(0, axes::channels_first), {}};
    auto what = pool_of<op::avg_pool>(net, from);
    what.exclude_pad = true;
    net.give(activated(net, net.make().add(what, {from.data}, 1)), axes::channels_first);
}
/// Zeros around the pixels are padding that never wins where no pixel is less than zero.
inline void make_max_pool_2d(network& net) {
    const tensor_info& info = net.input_info(0);
    const bool zero_is_least = is_quantized(info) && info.quantized.scales.size() == 1 &&
                               zero_point_of(info) == facts(element_of(info.type)).lowest;
    const windowed_data from = zero_is_least ? windowed_input(net, size_options(net, "filter_height", "filter_width"))
                                             : windowed_data{net.real_input(0, axes::channels_first), {}};
    const output_ref result = net.make().add(pool_of<op::max_pool>(net, from), {from.data}, 1);
    if (net.op().activation() == activation::none) {
        net.give_moved(result, axes::channels_first, 0);
    } else {
        net.give(activated(net, result), axes::channels_first);
    }
}

/// The order of axes in which a reduction gives what it gives in the file's.
inline axes order_of_reduction(network& net, const integers& along, std::size_t rank, bool keeps) {
    if (rank != 4 || net.order_for_all({0}) == axes::as_in_file) {
        return axes::as_in_file;
    }
    bool reduced[4] = {};
    for (const std::int64_t each : along) {
        const std::int64_t axis = normalized_axis(each, rank);
        if (axis >= 0) {
            reduced[axis] = true;
        }
    }
    const bool channels_stay_behind_pixels = !reduced[3] && (!reduced[1] || !reduced[2]);
    return keeps || !channels_stay_behind_pixels ? axes::channels_first : axes::as_in_file;
}

template <class Reduction>
void make_reduction(network& net) {
    const bool keeps = net.op().flag("keep_dims");
    const integers along = net.integers_input(1, "axes");
    const std::size_t rank = net.input_info(0).dimensions.rank();
    const axes order = order_of_reduction(net, along, rank, keeps);
    integers places;
    for (const std::int64_t each : along) {
        const std::int64_t place = net.axis_in(each, rank, order);
        if (!places.contains(place)) {
            places.push_back(place);
        }
    }
    Reduction what;
    what.keep_dims = keeps;
    const output_ref result = net.make().add(what, {net.real_input(0, order), net.make().indices(places)});
    const bool is_choice = std::is_same_v<Reduction, op::reduce_max> || std::is_same_v<Reduction, op::reduce_min>;
    const axes given = keeps ? order : axes::as_in_file;
    if (is_choice) {
        net.give_moved(result, given, 0);
    } else {
        net.give(result, given);
    }
}

/// The index of the greatest or least value along an axis.
template <op::top_k_mode Mode>
void make_arg(network& net) {
    const integers along = net.integers_input(1, "axis");
    const std::size_t rank = net.input_info(0).dimensions.rank();
    if (along.size() != 1) {
        net.wrong("its axis must be one number, not ", along.size());
    }
    op::top_k what;
    what.axis = net.axis_in(along[0], rank, axes::as_in_file);
    what.mode = Mode;
    what.sort = op::top_k_sort::value;
    what.stable = true;  // the first of equal values
    const auto type = element_of(static_cast<tensor_type>(net.op().integer("output_type")));
    what.index_element_type = type == i64 ? i64 : i32;
    const node_id found = net.make().add_node(what, {net.real_input(0), net.make().integer(1)});
    net.give(net.make().add(op::squeeze{}, {output_ref(found, 1), net.make().indices({what.axis})}));
}

inline void make_topk_v2(network& net) {
    op::top_k what;
    what.axis = -1;
    what.sort = op::top_k_sort::value;
    what.stable = true;
    what.index_element_type = i32;
    output_ref count = net.real_input(1);
    if (net.make().shape_of(count).rank() != 0) {
        count = net.make().add(op::reshape{}, {count, net.make().indices(integers{})});
    }
    const node_id found = net.make().add_node(what, {net.real_input(0), count});
    net.give_moved(output_ref(found, 0), axes::as_in_file, 0, 0);
    net.give(output_ref(found, 1), axes::as_in_file, 1);
}

}  // namespace lpt::inline LPT_ABI::tflite
