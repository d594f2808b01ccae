// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/attention.hpp>

/// Attention of language models, whose heads of queries share heads of keys and values, and whose keys and values are kept from call to call.
namespace lpt::inline LPT_ABI::onnx {

/// Sizes and places of one call; single numbers are [1], those of the batch [batch, 1].
struct kept_places {
    output_ref length;  // of the queries, and of what is new
    output_ref begin;  // where the new places of each sample begin
    output_ref total;  // how many places are kept afterwards
};

/// A tensor of what was kept, [batch, heads, places, size], with the new places in it, as long as `places.total`.
inline output_ref with_new_places(operation& n, output_ref past, output_ref fresh, const kept_places& places) {
    const output_ref place = n.make(op::subtract{}, {n.unsqueeze(n.counted(places.total), {0}), places.begin});
    const output_ref zero = n.integer_constant(0);
    const output_ref is_new = n.make(
        op::logical_and{}, {n.make(op::greater_equal{}, {place, zero}), n.make(op::less{}, {place, places.length})});
    const output_ref last = n.make(op::subtract{}, {places.length, n.integer_constant(1)});
    const output_ref which = n.make(op::minimum{}, {n.make(op::maximum{}, {place, zero}), last});
    op::gather take;
    take.batch_dims = 1;
    const output_ref moved = n.make(take, {fresh, which, n.integer_constant(2)}, 8);
    output_ref before = n.like(fresh, 0);
    if (past) {
        const output_ref room = n.make(op::subtract{}, {places.total, n.size_along(past, 2)});
        const output_ref none = n.indices({0, 0, 0, 0});
        const output_ref behind = n.concat({n.indices({0, 0}), room, n.indices({0})}, 0);
        before = n.make(op::pad{}, {past, none, behind, n.like(past, 0)}, 12);
    }
    return n.make(op::select{}, {n.unsqueeze(is_new, {1, 3}), moved, before});
}

/// Which keys the queries may look at, [batch, 1, queries, keys]: those before them and themselves, perhaps no farther away than a window.
inline output_ref visible_keys(operation& n, const kept_places& places) {
    const output_ref row = n.make(op::add{}, {n.unsqueeze(n.counted(places.length), {0}), places.begin});
    const output_ref query = n.unsqueeze(row, {2});
    const output_ref key = n.counted(places.total);
    output_ref result = n.make(op::less_equal{}, {key, query});
    if (const std::int64_t window = n.integer("local_window_size", -1); window > 0) {
        const output_ref farthest = n.make(op::subtract{}, {query, n.integer_constant(window)});
        result = n.make(op::logical_and{}, {result, n.make(op::greater{}, {key, farthest})});
    }
    return n.unsqueeze(result, {1});
}

/// What is added to scores, for as many places as are kept: those behind the last key count for nothing.
inline output_ref bias_of_places(operation& n, output_ref bias, const kept_places& places) {
    if (n.rank(bias) != 4) {
        n.wrong({"needs a bias of four axes, not of shape ", n.shape(bias)});
    }
    const output_ref room = n.make(op::subtract{}, {places.total, n.size_along(bias, 3)});
    const output_ref behind = n.concat({n.indices({0, 0, 0}), room}, 0);
    return n.make(op::pad{}, {bias, n.indices({0, 0, 0, 0}), behind, n.like(bias, 0)}, 12);
}

/// Softmax of scores [batch, heads, queries, keys] beside one more score, of 0 or of its own for each head, whose weight counts for nothing.
inline output_ref softmax_beside(operation& n, output_ref scores, output_ref other) {
    const output_ref shape = n.shape_of(scores);
    const output_ref sizes = n.concat({n.slice(shape, 0, 0, 3), n.indices({1})}, 0);
    const output_ref column = n.broadcast(other, sizes);
    const output_ref weights = n.softmax(n.concat({scores, column}, 3), -1);
    return n.slice(weights, 3, 0, -1);
}

inline void require_plain_group_query_attention(operation& n) {
    if (n.wants(3) || n.has(12) || n.has(13) || n.words("k_quant_type", "NONE") != "NONE" ||
        n.words("v_quant_type", "NONE") != "NONE") {
        n.wrong({"scores as an output, and keys and values that are kept as integers are not supported"});
    }
}

/// softmax(query * keys' * scale + bias) * values over the keys that each query may look at. Where all places are new, those of all samples begin at
/// 0; else those of a sample end at its number of keys.
inline void read_group_query_attention(operation& n) {
    require_plain_group_query_attention(n);
    const std::int64_t heads = n.integer("num_heads", 0);
    const std::int64_t key_heads = n.integer("kv_num_heads", 0);
    constexpr std::int64_t most_heads = 1 << 20;
    if (heads < 1 || key_heads < 1 || heads > most_heads || key_heads > heads || heads % key_heads != 0) {
        n.wrong(
            {"num_heads ", heads, " must be a positive multiple of kv_num_heads ", key_heads, " up to ", most_heads});
    }
    output_ref query;
    output_ref key;
    output_ref values;
    if (n.has(1)) {
        query = heads_apart(n, n.in(0), heads);
        key = heads_apart(n, n.in(1), key_heads);
        values = heads_apart(n, n.in(2), key_heads);
    } else {
        const output_ref all = heads_apart(n, n.in(0), heads + 2 * key_heads);
        query = n.slice(all, 1, 0, heads);
        key = n.slice(all, 1, heads, heads + key_heads);
        values = n.slice(all, 1, heads + key_heads, heads + 2 * key_heads);
    }
    const dimension size = n.size_of(query, 3);
    if (size == dynamic_dimension || size < 1) {
        n.wrong({"needs to know the size of a head"});
    }
    const output_ref past_key = n.has(3) ? n.in(3) : output_ref();
    const output_ref past_values = n.has(4) ? n.in(4) : output_ref();
    kept_places places;
    places.length = n.size_along(query, 2);
    const output_ref given_total = n.reshape(n.convert(n.in(6), i64), {1});
    const output_ref lengths = n.reshape(n.convert(n.in(5), i64), {-1, 1});
    const output_ref end = n.make(op::add{}, {lengths, n.integer_constant(1)});
    const output_ref is_first = n.make(op::equal{}, {given_total, places.length});
    places.begin =
        n.make(op::select{}, {is_first, n.integer_constant(0), n.make(op::subtract{}, {end, places.length})});
    places.total = past_key ? n.make(op::maximum{}, {given_total, n.size_along(past_key, 2)}) : given_total;
    if (n.flag("do_rotary")) {
        output_ref place = n.make(op::add{}, {n.unsqueeze(n.counted(places.length), {0}), places.begin});
        place = n.has(9) ? n.convert(n.in(9), i64) : place;
        const auto by_place = [&](std::size_t port) { return n.unsqueeze(n.gather(n.in(port), place, 0), {1}); };
        const std::int64_t turned = 2 * n.static_size_of(n.in(7), 1);
        const rotation how{turned, n.flag("rotary_interleaved")};
        query = turned_pairs(n, query, by_place(7), by_place(8), how);
        key = turned_pairs(n, key, by_place(7), by_place(8), how);
    }
    key = with_new_places(n, past_key, key, places);
    values = with_new_places(n, past_values, values, places);
    n.out(1, key);
    n.out(2, values);
    const element type = n.type(query);
    const element computing = type == f64 ? f64 : f32;
    const double given_scale = n.real("scale", 0);
    const double scale = given_scale != 0 ? given_scale : 1 / math::sqrt(static_cast<double>(size));
    query = n.convert(query, computing);
    key = n.convert(repeated_heads(n, key, heads / key_heads), computing);
    values = n.convert(repeated_heads(n, values, heads / key_heads), computing);
    const output_ref none = n.like(query, -math::infinity);
    const output_ref bias = n.has(10) ? bias_of_places(n, n.convert(n.in(10), computing), places) : n.like(query, 0);
    const output_ref mask = n.make(op::select{}, {visible_keys(n, places), bias, none});
    const double cap = n.real("softcap", 0);
    const bool is_smooth = n.flag("smooth_softmax") || n.has(11);
    output_ref result;
    if (cap <= 0 && !is_smooth) {
        result = n.make(op::scaled_dot_product_attention{}, {query, key, values, mask, n.like(query, scale)});
    } else {
        op::mat_mul product;
        product.transpose_b = true;
        output_ref scores = n.make(op::multiply{}, {n.make(product, {query, key}), n.like(query, scale)});
        if (cap > 0) {
            const output_ref small = n.make(op::tanh{}, {n.make(op::divide{}, {scores, n.like(scores, cap)})});
            scores = n.make(op::multiply{}, {small, n.like(scores, cap)});
        }
        scores = n.make(op::add{}, {scores, mask});
        const output_ref other =
            n.has(11) ? n.reshape(n.convert(n.in(11), computing), {1, -1, 1, 1}) : n.like(scores, 0);
        const output_ref weights = is_smooth ? softmax_beside(n, scores, other) : n.softmax(scores, -1);
        result = n.make(op::mat_mul{}, {weights, values});
    }
    n.out(0, heads_together(n, n.convert(result, type)));
}

inline constexpr operator_entry group_query_attention_operators[] = {
    {"com.microsoft", "GroupQueryAttention", read_group_query_attention},
};

}  // namespace lpt::inline LPT_ABI::onnx
