// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/microsoft_attention.hpp>
#include <lpt/import/onnx/reduction.hpp>

/// Parts of transformers that ONNX Runtime fuses into operators of its domain `com.microsoft`.
namespace lpt::inline LPT_ABI::onnx {

/// Queries, keys and values, [batch, heads, length, size].
struct attention_operands {
    output_ref query;
    output_ref key;
    output_ref values;
};

/// One of several matrices side by side, [batch, length, heads, matrices, size].
inline output_ref packed_heads(operation& n, output_ref all, std::int64_t which) {
    return n.transpose(n.squeeze(n.slice(all, 3, which, which + 1), {3}), {0, 2, 1, 3});
}

/// Keys and values come by themselves, side by side in one tensor, or with the queries in one.
inline attention_operands read_attention_operands(operation& n, std::int64_t heads) {
    const output_ref first = n.in(0);
    if (n.rank(first) == 5) {
        return {packed_heads(n, first, 0), packed_heads(n, first, 1), packed_heads(n, first, 2)};
    }
    const output_ref query = heads_apart(n, first, heads);
    if (!n.has(1)) {
        n.wrong({"needs keys, or queries of five axes that hold them"});
    }
    if (n.rank(n.in(1)) == 5) {
        return {query, packed_heads(n, n.in(1), 0), packed_heads(n, n.in(1), 1)};
    }
    const auto part = [&](std::size_t port) {
        return n.rank(n.in(port)) == 4 ? n.in(port) : heads_apart(n, n.in(port), heads);
    };
    return {query, part(1), part(2)};
}

/// Adds the numbers of a bias of queries, keys and values, one behind the other; keys that have their heads apart already have none.
inline void add_attention_bias(operation& n, attention_operands& to, std::int64_t heads) {
    const output_ref bias = n.in(3);
    std::int64_t begin = 0;
    for (output_ref* const each : {&to.query, &to.key, &to.values}) {
        const dimension size = n.shape(*each)[3];
        if (size == dynamic_dimension) {
            n.wrong({"needs to know the size of a head"});
        }
        const output_ref part = n.slice(bias, 0, begin, begin + heads * size);
        *each = n.make(op::add{}, {*each, n.reshape(part, {heads, 1, size})});
        begin += heads * size;
    }
    const dimension width = n.size_of(bias, 0);
    if (width != dynamic_dimension && width != begin) {
        n.wrong({"has a bias of ", width, " numbers, expected ", begin});
    }
}

/// softmax(query * keys' * scale + masks) * values
inline void read_multi_head_attention(operation& n) {
    const std::int64_t heads = n.integer("num_heads", 0);
    if (heads < 1) {
        n.wrong({"num_heads must be positive, but is ", heads});
    }
    if (n.has(8) || n.has(9) || n.wants(3)) {
        n.wrong({"buffers that keys and values share, and scores as an output are not supported"});
    }
    attention_operands of = read_attention_operands(n, heads);
    if (n.has(3)) {
        if (n.has(1) && n.rank(n.in(1)) == 4) {
            n.wrong({"a bias of keys whose heads are apart is not supported"});
        }
        add_attention_bias(n, of, heads);
    }
    if (n.has(6)) {
        of.key = n.concat({n.in(6), of.key}, 2);
    }
    if (n.has(7)) {
        of.values = n.concat({n.in(7), of.values}, 2);
    }
    n.out(1, of.key);
    n.out(2, of.values);
    const dimension size = n.shape(of.query)[3];
    const double given = n.real("scale", 0);
    if (given == 0 && size == dynamic_dimension) {
        n.wrong({"needs to know the size of a head"});
    }
    const double scale = given != 0 ? given : 1 / math::sqrt(static_cast<double>(size));
    const double filling = n.real("mask_filter_value", -10000);
    op::mat_mul product;
    product.transpose_b = true;
    output_ref scores = n.make(product, {of.query, of.key});
    scores = n.make(op::multiply{}, {scores, n.like(scores, scale)});
    if (n.has(5)) {
        scores = n.make(op::add{}, {scores, n.in(5)});
    }
    if (n.has(4)) {
        scores = n.make(op::add{}, {scores, added_mask(n, 4, of.key, 2, filling)});
    }
    if (n.flag("unidirectional")) {
        const output_ref place = n.counted(n.size_along(of.query, 2));
        const output_ref past = n.make(op::subtract{}, {n.size_along(of.key, 2), n.size_along(of.query, 2)});
        const output_ref last = n.unsqueeze(n.make(op::add{}, {place, past}), {1});
        const output_ref is_before =
            n.make(op::less_equal{}, {n.unsqueeze(n.counted(n.size_along(of.key, 2)), {0}), last});
        scores = n.make(op::select{}, {is_before, scores, n.like(scores, facts(f32).lowest)});
    }
    n.out(0, heads_together(n, n.make(op::mat_mul{}, {n.softmax(scores, -1), of.values})));
}

/// The tables of an embedding, and what its sum is multiplied with and what is added then.
struct embedding {
    output_ref words;
    output_ref places;
    output_ref segments;  // perhaps none
    output_ref factor;
    output_ref shift;
};

/// Words, their places and, perhaps, their segments, added and normalized.
inline void out_embedding(operation& n, const embedding& of, output_ref places) {
    const output_ref words = n.in(0);
    output_ref sum = n.make(op::add{}, {n.gather(of.words, words, 0), n.gather(of.places, places, 0)});
    if (of.segments) {
        sum = n.make(op::add{}, {sum, n.gather(of.segments, n.in(1), 0)});
    }
    const output_ref result = normalized(n, sum, last_axes(n, sum, -1), epsilon_of(n, 1e-12));
    n.out(0, n.make(op::add{}, {n.make(op::multiply{}, {result, of.factor}), of.shift}));
    if (n.wants(1)) {
        n.out(1, n.has(7) ? n.reduce<op::reduce_sum>(n.convert(n.in(7), i32), {1}, false)
                          : n.broadcast(n.integer_constant(0, i32), n.size_along(words, 0)));
    }
    n.out(2, sum);
}
inline void read_embedding_normalization(operation& n) {
    const output_ref places = n.has(8) ? n.in(8) : n.counted(n.size_along(n.in(0), 1));
    out_embedding(n, {n.in(2), n.in(3), n.has(1) ? n.in(4) : output_ref(), n.in(5), n.in(6)}, places);
}
/// The same with all five tables in bytes: behind the mask come their scales, then their zero points.
inline void read_quantized_embedding_normalization(operation& n) {
    constexpr std::size_t scales = 8;
    constexpr std::size_t zeros = 13;
    const auto table = [&](std::size_t which) { return real_at(n, 2 + which, scales + which, zeros + which); };
    out_embedding(n, {table(0), table(1), n.has(1) ? table(2) : output_ref(), table(3), table(4)},
                  n.counted(n.size_along(n.in(0), 1)));
}

/// The standard's operator with places before the cosines and sines; one place is that of the first row.
inline void read_rotary_embedding_by_place(operation& n) {
    if (n.flag("is_packed_batching") || n.real("scale", 1) != 1) {
        n.wrong({"packed batches and scales are not supported"});
    }
    const output_ref x = n.in(0);
    const bool is_packed = n.rank(x) == 3;
    const lpt::shape cosines = n.static_shape(n.in(2));
    if (cosines.rank() != 2) {
        n.wrong({"needs cosines by place and pair, not of shape ", cosines});
    }
    std::int64_t heads = n.integer("num_heads", 0);
    if (is_packed && heads == 0) {
        const dimension width = n.shape(x)[2];
        if (width == dynamic_dimension || cosines[1] < 1 || width % (2 * cosines[1]) != 0) {
            n.wrong({"needs the number of heads"});
        }
        heads = width / (2 * cosines[1]);
    }
    const output_ref apart = is_packed ? heads_apart(n, x, heads) : x;
    output_ref places = n.convert(n.in(1), i64);
    if (n.rank(places) == 1) {
        places = n.unsqueeze(n.make(op::add{}, {n.counted(n.size_along(apart, 2)), places}), {0});
    }
    const auto by_place = [&](std::size_t port) { return n.unsqueeze(n.gather(n.in(port), places, 0), {1}); };
    const output_ref result = turned_pairs(n, apart, by_place(2), by_place(3), rotation::of(n));
    n.out(is_packed ? heads_together(n, result) : result);
}

inline constexpr operator_entry microsoft_transformer_operators[] = {
    {"com.microsoft", "MultiHeadAttention", read_multi_head_attention},
    {"com.microsoft", "EmbedLayerNormalization", read_embedding_normalization},
    {"com.microsoft", "QEmbedLayerNormalization", read_quantized_embedding_normalization},
    {"com.microsoft", "RotaryEmbedding", read_rotary_embedding_by_place},
};

}  // namespace lpt::inline LPT_ABI::onnx
