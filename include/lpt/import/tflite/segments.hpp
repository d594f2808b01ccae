// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/composer.hpp>
#include <lpt/import/tflite/scatter.hpp>

/// Reductions of the rows that have the same number.
namespace lpt::inline LPT_ABI::tflite {

/// How many axes of some data a row has numbers for.
inline std::size_t numbered_axes(const network& net, std::size_t most) {
    const shape& data = net.input_info(0).dimensions;
    const shape& numbers = net.input_info(1).dimensions;
    bool fits = numbers.rank() >= 1 && numbers.rank() <= math::minimum(most, data.rank());
    for (std::size_t axis = 0; fits && axis < numbers.rank(); ++axis) {
        fits = numbers[axis] == data[axis];
    }
    if (!fits) {
        net.wrong("segment numbers of shape ", numbers, " do not fit data of shape ", data);
    }
    return numbers.rank();
}

/// Rows reduced onto those of the same number. `rows`: how many there are at first, one number; they hold `first`.
inline output_ref segments(network& net, output_ref rows, output_ref numbers, double first,
                           op::scatter_reduction reduction) {
    composer n(net.make());
    const output_ref data = net.real_input(0);
    const auto axes = static_cast<std::int64_t>(net.input_info(1).dimensions.rank());
    const auto rank = static_cast<std::int64_t>(net.input_info(0).dimensions.rank());
    output_ref sizes = n.reshape(n.convert(rows, i64), {1});
    if (axes < rank) {
        sizes = n.concat({sizes, n.slice(n.shape_of(data), 0, axes, rank)}, 0);
    }
    return n.make(op::scatter_nd_update{reduction},
                  {filled(net, n.like(data, first), sizes), n.unsqueeze(numbers, {axes}), data});
}

/// Inputs: data, and for each row its number, in rising order. There are as many sums as the last number says.
inline void make_segment_sum(network& net) {
    composer n(net.make());
    numbered_axes(net, 1);
    const output_ref numbers = net.real_input(1);
    const element type = n.type(numbers);
    const output_ref none = net.make().constant(make_integer_tensor(type, {1}, integers{-1}));
    const output_ref last = n.reduce<op::reduce_max>(n.concat({none, numbers}, 0), {0});
    const output_ref rows = n.make(op::add{}, {last, n.integer_constant(1, type)});
    net.give(segments(net, rows, numbers, 0, op::scatter_reduction::sum));
}

/// Inputs: data, the numbers of their first axes, how many segments there are. Rows with a negative number count nowhere; segments without
/// rows have `first`.
inline void make_unsorted_segments(network& net, double first, op::scatter_reduction reduction) {
    composer n(net.make());
    numbered_axes(net, net.input_info(0).dimensions.rank());
    const output_ref count = n.reshape(n.convert(net.real_input(2), i64), {1});
    const output_ref numbers = n.convert(net.real_input(1), i64);
    // A row more takes what counts nowhere; numbers that are too great stay outside of it.
    const output_ref zero = n.integer_constant(0);
    const output_ref beyond = n.make(op::add{}, {count, n.integer_constant(1)});
    const output_ref inside = n.make(op::select{}, {n.make(op::less{}, {numbers, count}), numbers, beyond});
    const output_ref places = n.make(op::select{}, {n.make(op::less{}, {numbers, zero}), count, inside});
    const output_ref all = segments(net, beyond, places, first, reduction);
    net.give(n.make(op::slice{}, {all, n.indices({0}), count, n.indices({1}), n.indices({0})}));
}
inline double limit_of_input(const network& net, bool lowest) {
    const element_facts& limits = facts(element_of(net.input_info(0).type));
    return lowest ? limits.lowest : limits.highest;
}
inline void make_unsorted_segment_sum(network& net) { make_unsorted_segments(net, 0, op::scatter_reduction::sum); }
inline void make_unsorted_segment_prod(network& net) { make_unsorted_segments(net, 1, op::scatter_reduction::prod); }
inline void make_unsorted_segment_max(network& net) {
    make_unsorted_segments(net, limit_of_input(net, true), op::scatter_reduction::max);
}
inline void make_unsorted_segment_min(network& net) {
    make_unsorted_segments(net, limit_of_input(net, false), op::scatter_reduction::min);
}

}  // namespace lpt::inline LPT_ABI::tflite
