// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/composer.hpp>

namespace lpt::inline LPT_ABI::composed {

/// The order in which numbers of one axis rise; equal ones stay in theirs.
inline node_id sorted(composer& n, output_ref numbers) {
    op::top_k what;
    what.mode = op::top_k_mode::min;
    what.sort = op::top_k_sort::value;
    what.index_element_type = i64;
    what.stable = true;
    return n.make_node(what, {numbers, n.squeeze(n.size_along(numbers, 0), {0})}, 11);
}

/// For each row, [rows, columns], how many are less, column by column from the first on, or equal and before it.
inline output_ref ranks_of_rows(composer& n, output_ref rows) {
    const output_ref real = n.convert(rows, f64);
    const output_ref difference =
        n.make(op::sign{}, {n.make(op::subtract{}, {n.unsqueeze(real, {1}), n.unsqueeze(real, {0})})});
    op::cum_sum before;
    before.exclusive = true;
    const output_ref differs = n.make(before, {n.make(op::abs{}, {difference}), n.integer_constant(2)});
    const output_ref is_first = n.convert(n.make(op::equal{}, {differs, n.like(differs, 0)}), f64);
    const output_ref order = n.reduce<op::reduce_sum>(n.make(op::multiply{}, {difference, is_first}), {2}, false);
    const output_ref place = n.counted(n.size_along(rows, 0));
    const output_ref is_before = n.make(op::greater{}, {n.unsqueeze(place, {1}), n.unsqueeze(place, {0})});
    const output_ref zero = n.like(order, 0);
    const output_ref counts =
        n.make(op::select{}, {n.make(op::equal{}, {order, zero}), is_before, n.make(op::greater{}, {order, zero})});
    return n.reduce<op::reduce_sum>(n.convert(counts, i64), {1}, false);
}

/// What `unique` gives: the different elements or slices, where each is first, which of them each was, and how often each occurs.
struct unique_elements {
    output_ref values;
    output_ref first;
    output_ref which;
    output_ref counts;
};

/// The different elements, or slices along an axis: sorted, or in the order in which they come. `axis`: null for elements.
inline unique_elements unique(composer& n, output_ref given, const std::int64_t* along, bool is_sorted) {
    const element type = n.type(given);
    const bool by_slices = along != nullptr && n.rank(given) > 1;
    const std::int64_t axis = along != nullptr ? n.axis_of(*along, n.rank(given)) : 0;
    integers order;
    for (std::size_t i = 0; i < n.rank(given); ++i) {
        order.push_back(static_cast<std::int64_t>(i));
    }
    if (by_slices) {
        std::swap(order[0], order[static_cast<std::size_t>(axis)]);
    }
    const output_ref slices = by_slices ? n.transpose(given, order) : n.reshape(given, {-1});
    const output_ref comparable = type == bf16 || type == f16 ? n.convert(slices, f32) : slices;
    const output_ref rows = by_slices ? n.reshape(comparable, {0, -1}, true) : n.unsqueeze(comparable, {1});
    const output_ref places(sorted(n, by_slices ? ranks_of_rows(n, rows) : comparable), 1);
    const output_ref in_order = n.gather(rows, places, 0);
    const output_ref count = n.size_along(rows, 0);
    const output_ref place = n.counted(count);
    const output_ref zero = n.integer_constant(0);
    const output_ref earlier = n.make(op::maximum{}, {n.make(op::subtract{}, {place, n.integer_constant(1)}), zero});
    const output_ref changes = n.reduce<op::reduce_logical_or>(
        n.make(op::not_equal{}, {in_order, n.gather(in_order, earlier, 0)}), {1}, false);
    const output_ref is_new = n.make(op::logical_or{}, {n.make(op::equal{}, {place, zero}), changes});
    output_ref group = n.make(op::cum_sum{}, {n.convert(is_new, i64), zero});
    group = n.make(op::subtract{}, {group, n.integer_constant(1)});
    output_ref inverse = n.gather(group, output_ref(sorted(n, places), 1), 0);
    const output_ref begins = n.reshape(n.make(op::non_zero{i64}, {is_new}), {-1});
    const output_ref one = n.indices({1});
    const output_ref most = n.indices({9223372036854775807});
    const output_ref rest = n.make(op::slice{}, {begins, one, most, one, n.indices({0})});
    output_ref counts = n.make(op::subtract{}, {n.concat({rest, count}, 0), begins});
    output_ref first = n.gather(places, begins, 0);
    if (!is_sorted) {
        const output_ref by_appearance(sorted(n, first), 1);
        inverse = n.gather(output_ref(sorted(n, by_appearance), 1), inverse, 0);
        counts = n.gather(counts, by_appearance, 0);
        first = n.gather(first, by_appearance, 0);
    }
    const output_ref result = n.gather(slices, first, 0);
    return {by_slices ? n.transpose(result, order) : result, first, inverse, counts};
}

}  // namespace lpt::inline LPT_ABI::composed
