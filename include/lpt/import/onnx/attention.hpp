// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/convolution.hpp>

/// Attention and what language models have around it.
namespace lpt::inline LPT_ABI::onnx {

/// [batch, length, heads * size] as [batch, heads, length, size].
inline output_ref heads_apart(operation& n, output_ref x, std::int64_t heads) {
    if (heads <= 0) {
        n.wrong({"needs the numbers of heads for inputs of three axes"});
    }
    const dimension width = n.size_of(x, 2);
    const std::int64_t size = width == dynamic_dimension ? -1 : width / heads;
    return n.transpose(n.reshape(x, {0, 0, heads, size}, true), {0, 2, 1, 3});
}
inline output_ref heads_together(operation& n, output_ref x) {
    return n.reshape(n.transpose(x, {0, 2, 1, 3}), {0, 0, -1}, true);
}

/// Each head `times` times, one after the other.
inline output_ref repeated_heads(operation& n, output_ref x, std::int64_t times) {
    if (times == 1) {
        return x;
    }
    op::broadcast what;
    what.mode = op::broadcast_mode::bidirectional;
    const output_ref apart = n.unsqueeze(x, {2});
    const output_ref wide = n.make(what, {apart, n.indices({1, 1, times, 1, 1})}, 3);
    const lpt::shape& own = n.shape(x);
    return n.reshape(
        wide, {0, own[1] == dynamic_dimension ? -1 : own[1] * times, own[2] == dynamic_dimension ? -1 : own[2], own[3]},
        true);
}

/// Which keys a query may look at: boolean masks that must all hold, and numbers that are added.
struct attention_mask {
    output_ref allowed;
    output_ref added;

    void require(operation& n, output_ref condition) {
        allowed = allowed ? n.make(op::logical_and{}, {allowed, condition}) : condition;
    }
    /// 0 or the numbers where allowed, minus infinity elsewhere.
    output_ref bias(operation& n, output_ref like) const {
        const output_ref numbers = added ? added : n.like(like, 0);
        return allowed ? n.make(op::select{}, {allowed, numbers, n.like(like, -math::infinity)}) : numbers;
    }
};

inline attention_mask read_attention_mask(operation& n, output_ref query, output_ref key, output_ref past) {
    attention_mask mask;
    const output_ref columns = n.counted(n.size_along(key, 2));
    const output_ref rows = n.unsqueeze(n.counted(n.size_along(query, 2)), {1});
    if (n.has(3)) {
        output_ref given = n.in(3);
        const bool is_condition = n.type(given) == boolean;
        const dimension width = n.size_of(given, n.rank(given) - 1);
        const dimension wanted = n.shape(key)[2];
        if (width != wanted && width != 1 && width != dynamic_dimension && wanted != dynamic_dimension) {
            lpt::integers begin;
            begin.resize(n.rank(given), 0);
            lpt::integers end = begin;
            end[end.size() - 1] = wanted - width;
            const output_ref filling = is_condition ? n.like(given, 0) : n.like(given, -math::infinity);
            given = n.make(op::pad{}, {given, n.indices(begin), n.indices(end), filling}, 12);
        }
        if (is_condition) {
            mask.require(n, given);
        } else {
            mask.added = n.convert(given, n.type(query));
        }
    }
    const std::int64_t left = n.integer("left_window_size", -1);
    const std::int64_t right = n.integer("right_window_size", -1);
    output_ref offset = past ? n.size_along(past, 2) : n.indices({0});
    if (n.has(6)) {
        const output_ref lengths = n.reshape(n.convert(n.in(6), i64), {-1, 1, 1, 1});
        mask.require(n, n.make(op::less{}, {columns, lengths}));
        offset = n.make(op::subtract{}, {lengths, n.size_along(query, 2)});
    }
    const output_ref place = n.make(op::add{}, {rows, offset});
    if (n.flag("is_causal")) {
        mask.require(n, n.make(op::less_equal{}, {columns, place}));
    }
    if (left >= 0) {
        mask.require(n,
                     n.make(op::greater_equal{}, {columns, n.make(op::subtract{}, {place, n.integer_constant(left)})}));
    }
    if (right >= 0) {
        mask.require(n, n.make(op::less_equal{}, {columns, n.make(op::add{}, {place, n.integer_constant(right)})}));
    }
    return mask;
}

/// Softmax of scores with a bias; rows that may look at nothing are 0.
inline output_ref masked_softmax(operation& n, output_ref scores, output_ref bias, bool may_be_empty) {
    const output_ref result = n.softmax(scores, -1);
    if (!may_be_empty) {
        return result;
    }
    const output_ref most = n.reduce<op::reduce_max>(bias, {-1});
    const output_ref empty = n.make(op::equal{}, {most, n.like(bias, -math::infinity)});
    return n.make(op::select{}, {empty, n.like(result, 0), result});
}

inline void read_attention(operation& n) {
    const element type = n.type(n.in(0));
    const bool packed = n.rank(n.in(0)) == 3;
    const std::int64_t query_heads = n.integer("q_num_heads", 0);
    const std::int64_t key_heads = n.integer("kv_num_heads", 0);
    const auto part = [&](std::size_t port, std::int64_t heads) {
        return packed ? heads_apart(n, n.in(port), heads) : n.in(port);
    };
    output_ref query = part(0, query_heads);
    output_ref key = part(1, key_heads);
    output_ref values = part(2, key_heads);
    if (n.has(4)) {
        key = n.concat({n.in(4), key}, 2);
    }
    if (n.has(5)) {
        values = n.concat({n.in(5), values}, 2);
    }
    for (const output_ref each : {query, key, values}) {
        if (n.rank(each) != 4) {
            n.wrong({"needs queries, keys and values of 3 or 4 axes, not ", n.shape(each)});
        }
    }
    n.out(1, key);
    n.out(2, values);
    const dimension size = n.shape(query)[3];
    double scale = n.real("scale", 0);
    if (!n.has_attribute("scale")) {
        if (size == dynamic_dimension) {
            n.wrong({"needs to know the size of a head"});
        }
        scale = 1 / math::sqrt(static_cast<double>(size));
    }
    const output_ref past = n.has(4) ? n.in(4) : output_ref();
    const element computing = type == f64 ? f64 : f32;
    query = n.convert(query, computing);
    const attention_mask mask = read_attention_mask(n, query, key, past);
    const std::int64_t groups = n.shape(query)[1] / math::maximum<std::int64_t>(n.shape(key)[1], 1);
    key = n.convert(repeated_heads(n, key, groups), computing);
    values = n.convert(repeated_heads(n, values, groups), computing);
    const double cap = n.real("softcap", 0);
    output_ref result;
    if (!mask.allowed && !mask.added && cap <= 0 && !n.wants(3)) {
        const output_ref none = n.builder().real(0, computing);
        result = n.make(op::scaled_dot_product_attention{}, {query, key, values, none, n.like(query, scale)});
    } else {
        const output_ref root = n.like(query, math::sqrt(scale));
        op::mat_mul product;
        product.transpose_b = true;
        output_ref scores =
            n.make(product, {n.make(op::multiply{}, {query, root}), n.make(op::multiply{}, {key, root})});
        const output_ref plain = scores;
        if (cap > 0) {
            const output_ref small = n.make(op::tanh{}, {n.make(op::divide{}, {scores, n.like(scores, cap)})});
            scores = n.make(op::multiply{}, {small, n.like(scores, cap)});
        }
        const output_ref bias = mask.bias(n, scores);
        const output_ref biased = n.make(op::add{}, {scores, bias});
        const output_ref weights = masked_softmax(n, biased, bias, mask.allowed || mask.added);
        const output_ref stages[] = {plain, scores, biased, weights};
        const std::int64_t mode = n.integer("qk_matmul_output_mode", 0);
        if (mode < 0 || mode > 3) {
            n.wrong({"qk_matmul_output_mode must be 0 to 3, not ", mode});
        }
        if (n.wants(3)) {
            n.out(3, n.convert(stages[mode], type));
        }
        result = n.make(op::mat_mul{}, {weights, values});
    }
    result = n.convert(result, type);
    n.out(0, packed ? heads_together(n, result) : result);
}

/// How many numbers of a head are turned, 0 for all, and whether those of a pair lie side by side.
struct rotation {
    std::int64_t turned = 0;
    bool is_interleaved = false;

    static rotation of(operation& n) { return {n.integer("rotary_embedding_dim", 0), n.flag("interleaved")}; }
};

/// The pairs of numbers in heads, [batch, heads, length, size], turned by angles of these cosines and sines, [batch or 1, 1, length, pairs].
inline output_ref turned_pairs(operation& n, output_ref apart, output_ref cosine, output_ref sine,
                               const rotation& how) {
    const dimension size = n.size_of(apart, 3);
    if (size == dynamic_dimension) {
        n.wrong({"needs to know the size of a head"});
    }
    const std::int64_t turned = how.turned == 0 ? size : how.turned;
    if (turned < 0 || turned > size) {
        n.wrong({"cannot turn ", turned, " of ", size, " numbers of a head"});
    }
    const bool interleaved = how.is_interleaved;
    const output_ref first = interleaved ? n.slice(apart, 3, 0, turned, 2) : n.slice(apart, 3, 0, turned / 2);
    const output_ref second = interleaved ? n.slice(apart, 3, 1, turned, 2) : n.slice(apart, 3, turned / 2, turned);
    const output_ref real =
        n.make(op::subtract{}, {n.make(op::multiply{}, {cosine, first}), n.make(op::multiply{}, {sine, second})});
    const output_ref imaginary =
        n.make(op::add{}, {n.make(op::multiply{}, {sine, first}), n.make(op::multiply{}, {cosine, second})});
    output_ref result;
    if (interleaved) {
        const output_ref pairs = n.concat({n.unsqueeze(real, {4}), n.unsqueeze(imaginary, {4})}, 4);
        result = n.reshape(pairs, {0, 0, 0, turned}, true);
    } else {
        result = n.concat({real, imaginary}, 3);
    }
    if (turned != size) {
        result = n.concat({result, n.slice(apart, 3, turned, size)}, 3);
    }
    return result;
}

/// The pairs of numbers in a head are turned by angles, whose cosines and sines are given by position.
inline void read_rotary_embedding(operation& n) {
    const output_ref x = n.in(0);
    const bool packed = n.rank(x) == 3;
    const output_ref apart = packed ? heads_apart(n, x, n.integer("num_heads", 0)) : x;
    const auto cache = [&](std::size_t port) {
        const output_ref by_place = n.has(3) ? n.gather(n.in(port), n.in(3), 0) : n.in(port);
        return n.unsqueeze(by_place, {1});
    };
    const output_ref result = turned_pairs(n, apart, cache(1), cache(2), rotation::of(n));
    n.out(packed ? heads_together(n, result) : result);
}

/// Swish of the first input times the second.
inline void read_swiglu(operation& n) {
    const output_ref a = n.in(0);
    const double alpha = n.real("alpha", 1);
    const output_ref gate = n.make(op::sigmoid{}, {n.make(op::multiply{}, {a, n.like(a, alpha)})});
    n.out(n.make(op::multiply{}, {n.make(op::multiply{}, {a, gate}), n.in(1)}));
}

/// A convolution of each channel with what came before it; the last places are kept for the next call.
inline void read_causal_convolution(operation& n) {
    const output_ref x = n.in(0);
    const output_ref weights = n.in(1);
    const lpt::shape own = n.static_shape(weights);
    if (own.rank() != 3) {
        n.wrong({"weights must have three axes, not shape ", own});
    }
    const std::int64_t before = own[2] - 1;
    output_ref whole;
    if (n.has(3)) {
        whole = n.concat({n.in(3), x}, 2);
    } else {
        whole = n.make(op::pad{}, {x, n.indices({0, 0, before}), n.indices({0, 0, 0}), n.like(x, 0)}, 12);
    }
    op::group_convolution what;
    what.strides = {1};
    what.dilations = {1};
    what.pads_begin = {0};
    what.pads_end = {0};
    output_ref result = n.make(what, {whole, n.unsqueeze(weights, {1})});
    result = n.has(2) ? with_bias(n, result, n.in(2), 1) : result;
    const std::string_view activation = n.words("activation", "none");
    if (activation == "silu" || activation == "swish") {
        result = n.make(op::multiply{}, {result, n.make(op::sigmoid{}, {result})});
    } else if (activation != "none") {
        n.wrong({"activation '", shown(activation), "' is not known"});
    }
    n.out(0, result);
    const output_ref length = n.size_along(whole, 2);
    const output_ref begin = n.make(op::subtract{}, {length, n.indices({before})});
    n.out(1, n.make(op::slice{}, {whole, begin, length, n.indices({1}), n.indices({2})}));
}

/// Attention without softmax: a state of each head that every place in turn decays, corrects, adds to and reads.
inline void read_linear_attention(operation& n) {
    const element type = n.type(n.in(0));
    const std::int64_t heads = n.integer("kv_num_heads", 0);
    const std::int64_t groups = heads == 0 ? 1 : n.integer("q_num_heads", 0) / heads;
    const auto part = [&](std::size_t port, std::int64_t count) {
        return n.convert(heads_apart(n, n.in(port), count), f32);
    };
    const output_ref query = part(0, n.integer("q_num_heads", 0));
    const output_ref key = part(1, heads);
    const output_ref values = part(2, heads);
    const lpt::shape rows = n.static_shape(key);
    const std::string_view rule = n.words("update_rule", "gated_delta");
    const bool decays = rule == "gated" || rule == "gated_delta";
    const bool corrects = rule == "delta" || rule == "gated_delta";
    const output_ref decay = decays ? part(4, heads) : output_ref();
    const output_ref beta = corrects ? part(5, n.size_of(n.in(5), 2) == 1 ? 1 : heads) : output_ref();
    constexpr std::int64_t most_places = 512;
    if (rows[2] > most_places) {
        n.wrong({"has ", rows[2], " places, more than ", most_places});
    }
    const double given = n.real("scale", 0);
    const double scale = given == 0 ? 1 / math::sqrt(static_cast<double>(rows[3])) : given;
    const output_ref sizes = n.indices({rows[0], heads, rows[3], n.static_shape(values)[3]});
    output_ref state = n.has(3) ? n.convert(n.in(3), f32) : n.broadcast(n.builder().real(0), sizes);
    seq<output_ref> results;
    const auto at = [&](output_ref from, std::int64_t place) { return n.slice(from, 2, place, place + 1); };
    for (std::int64_t place = 0; place < rows[2]; ++place) {
        const output_ref column = n.transposed(at(key, place));
        output_ref addend = at(values, place);
        if (decays) {
            state = n.make(op::multiply{}, {state, n.transposed(n.make(op::exp{}, {at(decay, place)}))});
        }
        if (corrects) {
            const output_ref read = n.make(op::mat_mul{}, {at(key, place), state});
            addend = n.make(op::multiply{}, {at(beta, place), n.make(op::subtract{}, {addend, read})});
        }
        state = n.make(op::add{}, {state, n.make(op::multiply{}, {column, addend})});
        results.push_back(n.make(op::mat_mul{}, {at(query, place), repeated_heads(n, state, groups)}));
    }
    const output_ref all = n.make(op::multiply{}, {n.concat(results, 2), n.builder().real(scale)});
    n.out(0, n.convert(heads_together(n, all), type));
    n.out(1, n.convert(state, n.has(3) ? n.type(n.in(3)) : type));
}

inline constexpr operator_entry attention_operators[] = {
    {"", "Attention", read_attention},
    {"", "RotaryEmbedding", read_rotary_embedding},
    {"", "SwiGLU", read_swiglu},
    {"", "CausalConvWithState", read_causal_convolution},
    {"", "LinearAttention", read_linear_attention},
};

}  // namespace lpt::inline LPT_ABI::onnx
