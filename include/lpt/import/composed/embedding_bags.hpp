// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/composer.hpp>

namespace lpt::inline LPT_ABI::composed {

/// Rows of a table, [rows, numbers…], put together by bags.
struct embedding_bags {
    output_ref table;
    output_ref indices;      // [count]: which rows
    output_ref bags;         // [count], i64: the bag that each row belongs to; one below 0 belongs to none
    output_ref bag_count;    // [1], i64
    output_ref otherwise;    // which row an empty bag has, -1 for zeros; or none, for zeros
    output_ref row_weights;  // [count], or none
    bool is_mean = false;
};

/// The axes of a table behind the first one, as many 1s, with `first` in front.
inline output_ref along_rows(composer& n, output_ref table, output_ref numbers) {
    integers sizes;
    sizes.resize(n.rank(table), 1);
    sizes[0] = -1;
    return n.reshape(numbers, sizes);
}

/// Sums or means of the rows of each bag, [bags, numbers…].
inline output_ref sums_of_bags(composer& n, const embedding_bags& from) {
    if (n.rank(from.table) < 1 || n.rank(from.indices) != 1) {
        n.wrong(
            {"needs a table of rows and a list of indices, not ", n.shape(from.table), " and ", n.shape(from.indices)});
    }
    const element type = n.type(from.table);
    output_ref rows = n.gather(from.table, from.indices, 0);
    if (from.row_weights) {
        rows = n.make(op::multiply{}, {rows, along_rows(n, from.table, from.row_weights)});
    }
    // The first place takes what belongs to no bag.
    const auto one = n.indices({1});
    const output_ref places = n.unsqueeze(n.make(op::add{}, {from.bags, one}), {1});
    const output_ref place_count = n.make(op::add{}, {from.bag_count, one});
    const output_ref most = n.indices({INT64_MAX});
    const auto scattered = [&](output_ref updates, output_ref sizes) {
        const output_ref zeros = n.broadcast(n.like(updates, 0), sizes);
        const output_ref sums = n.make(op::scatter_nd_update{op::scatter_reduction::sum}, {zeros, places, updates});
        return n.make(op::slice{}, {sums, one, most, one, n.indices({0})});
    };
    const auto rank = static_cast<std::int64_t>(n.rank(from.table));
    const output_ref row_sizes = n.slice(n.shape_of(from.table), 0, 1, rank);
    output_ref result = scattered(rows, rank == 1 ? place_count : n.concat({place_count, row_sizes}, 0));
    if (!from.is_mean && !from.otherwise) {
        return result;
    }
    const output_ref ones = n.broadcast(n.integer_constant(1), n.shape_of(from.indices));
    const output_ref counts = along_rows(n, from.table, scattered(ones, place_count));
    if (from.is_mean) {
        const output_ref divisor = n.make(op::maximum{}, {counts, n.integer_constant(1)});
        result = n.make(op::divide{}, {result, n.convert(divisor, type)});
    }
    if (from.otherwise) {
        const output_ref which = n.reshape(n.convert(from.otherwise, i64), {1});
        const output_ref row = n.gather(from.table, n.make(op::maximum{}, {which, n.indices({0})}), 0);
        const output_ref is_row = along_rows(n, from.table, n.make(op::greater_equal{}, {which, n.indices({0})}));
        const output_ref filling = n.make(op::select{}, {is_row, row, n.like(row, 0)});
        const output_ref is_empty = n.make(op::equal{}, {counts, n.integer_constant(0)});
        result = n.make(op::select{}, {is_empty, filling, result});
    }
    return result;
}

}  // namespace lpt::inline LPT_ABI::composed
