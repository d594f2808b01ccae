// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/composed/blocks_to_image.hpp>
#include <lpt/import/composed/einsum.hpp>
#include <lpt/import/composed/embedding_bags.hpp>
#include <lpt/import/composed/short_time_transform.hpp>
#include <lpt/import/composed/simple_recurrent.hpp>
#include <lpt/import/composed/unique.hpp>
#include <lpt/import/openvino_ir/composed_layer.hpp>

/// Layers that the library has no operation for: what it composes them of. Source: OpenVINO operation set, the operations of these names.
namespace lpt::inline LPT_ABI::openvino_ir {

inline void compose_einsum(composed_layer& n) {
    const text equation = n.attribute("equation", text());
    n.out(composed::einsum(n, equation.c_str(), n.all_inputs()));
}

// ---- recurrent

/// What RNNCell and RNNSequence have in common.
inline op::gru_sequence recurrent_attributes(composed_layer& n) {
    constexpr std::int64_t most = 1 << 24;
    op::gru_sequence what;
    what.hidden_size = n.attribute("hidden_size", std::int64_t{0});
    what.activations = n.attribute("activations", seq<text>{text("tanh")});
    what.activations_alpha = n.attribute("activations_alpha", seq<double>());
    what.activations_beta = n.attribute("activations_beta", seq<double>());
    what.clip = n.attribute("clip", 0.0);
    what.direction = n.attribute("direction", op::recurrent_direction::forward);
    if (what.hidden_size < 1 || what.hidden_size > most) {
        n.wrong({"hidden_size must be 1 to ", most, ", not ", what.hidden_size});
    }
    if (what.activations.size() != 1) {
        n.wrong({"needs one activation, not ", what.activations.size()});
    }
    return what;
}

inline void compose_recurrent_sequence(composed_layer& n) {
    const node_id made =
        composed::simple_recurrent(n, recurrent_attributes(n), {n.in(0), n.in(1), n.in(2), n.in(3), n.in(4), n.in(5)});
    n.out(made);
    n.out(output_ref(made, 1));
}

/// One step: h' = f(W * x + R * h + b), what goes into f clipped.
inline void compose_recurrent_cell(composed_layer& n) {
    const op::gru_sequence what = recurrent_attributes(n);
    op::mat_mul product;
    product.transpose_b = true;
    output_ref x = n.make(op::add{}, {n.make(product, {n.in(0), n.in(2)}), n.make(product, {n.in(1), n.in(3)})});
    x = n.has(4) ? n.make(op::add{}, {x, n.in(4)}) : x;
    x = what.clip > 0 ? n.clamp(x, -what.clip, what.clip) : x;
    const text& function = what.activations[0];
    if (function == "tanh") {
        n.out(n.make(op::tanh{}, {x}));
    } else if (function == "sigmoid") {
        n.out(n.make(op::sigmoid{}, {x}));
    } else if (function == "relu") {
        n.out(n.make(op::relu{}, {x}));
    } else {
        n.wrong({"activation '", function, "' must be tanh, sigmoid or relu"});
    }
}

// ---- indices

/// Ones on a diagonal of a matrix, zeros elsewhere; the same for each place of a batch.
inline void compose_eye(composed_layer& n) {
    const element type = n.attribute("output_type", f32);
    const auto sizes = [&](std::size_t port) { return n.reshape(n.convert(n.in(port), i64), {1}); };
    const output_ref row = n.make(op::add{}, {n.unsqueeze(n.counted(sizes(0)), {1}), sizes(2)});
    const output_ref column = n.unsqueeze(n.counted(sizes(1)), {0});
    const output_ref matrix = n.convert(n.make(op::equal{}, {row, column}), type);
    if (!n.has(3)) {
        return n.out(matrix);
    }
    const output_ref batch = n.reshape(n.convert(n.in(3), i64), {-1});
    n.out(n.broadcast(matrix, n.concat({batch, sizes(0), sizes(1)}, 0)));
}

/// Two tensors with numbers of one type, so that they can be compared.
inline void to_common_type(composed_layer& n, output_ref& a, output_ref& b) {
    if (n.type(a) != n.type(b)) {
        const element common = is_real(n.type(a)) || is_real(n.type(b)) ? f64 : i64;
        a = n.convert(a, common);
        b = n.convert(b, common);
    }
}
/// How many numbers of the last axis are less than each of others, or equal to it.
inline output_ref counted_below(composed_layer& n, output_ref numbers, output_ref limits, bool counts_equal,
                                element type) {
    const output_ref below =
        counts_equal ? n.make(op::less_equal{}, {numbers, limits}) : n.make(op::less{}, {numbers, limits});
    return n.reduce<op::reduce_sum>(n.convert(below, type), {-1}, false);
}
inline void compose_bucketize(composed_layer& n) {
    output_ref x = n.in(0);
    output_ref limits = n.in(1);
    to_common_type(n, x, limits);
    if (n.rank(limits) != 1) {
        n.wrong({"needs a list of limits, not the shape ", n.shape(limits)});
    }
    n.out(
        counted_below(n, limits, n.unsqueeze(x, {-1}), !n.flag("with_right_bound", true), n.index_type("output_type")));
}
inline void compose_search_sorted(composed_layer& n) {
    output_ref numbers = n.in(0);
    output_ref x = n.in(1);
    to_common_type(n, numbers, x);
    const bool is_one = n.rank(numbers) == 1;
    if (n.rank(numbers) < 1 || (!is_one && n.rank(numbers) != n.rank(x))) {
        n.wrong({"sorted numbers of shape ", n.shape(numbers), " do not fit values of shape ", n.shape(x)});
    }
    const output_ref sorted = is_one ? numbers : n.unsqueeze(numbers, {-2});
    n.out(counted_below(n, sorted, n.unsqueeze(x, {-1}), n.flag("right_mode", false), n.index_type("output_type")));
}

inline void compose_unique(composed_layer& n) {
    std::int64_t axis = 0;
    if (n.has(1)) {
        const lpt::integers given = n.known_integers(1);
        if (given.size() != 1) {
            n.wrong({"axis must be one number, not ", given.size()});
        }
        axis = given[0];
    }
    const composed::unique_elements made =
        composed::unique(n, n.in(0), n.has(1) ? &axis : nullptr, n.flag("sorted", true));
    const element index = n.index_type("index_element_type");
    n.out(made.values);
    n.out(n.convert(made.first, index));
    n.out(n.convert(made.which, index));
    n.out(n.convert(made.counts, n.index_type("count_element_type")));
}

// ---- embeddings

enum class bag_reduction { sum, mean };
inline constexpr text_view bag_reduction_words[] = {"sum", "mean"};
constexpr view<text_view> words_of(bag_reduction) { return bag_reduction_words; }

inline bool is_mean(composed_layer& n) { return n.attribute("reduction", bag_reduction::sum) == bag_reduction::mean; }
/// Bags begin at places of the list of indices.
inline void compose_bags_by_offsets(composed_layer& n) {
    const output_ref begin = n.convert(n.in(2), i64);
    const output_ref place = n.unsqueeze(n.counted(n.size_along(n.in(1), 0)), {1});
    const output_ref bag = n.make(op::subtract{}, {counted_below(n, begin, place, true, i64), n.integer_constant(1)});
    n.out(composed::sums_of_bags(
        n, {n.in(0), n.in(1), bag, n.size_along(begin, 0), n.in_or_none(3), n.in_or_none(4), is_mean(n)}));
}
/// Each row of indices is a bag.
inline void compose_packed_bags(composed_layer& n) {
    if (n.rank(n.in(1)) != 2) {
        n.wrong({"needs a row of indices for each bag, not the shape ", n.shape(n.in(1))});
    }
    const output_ref bag = n.unsqueeze(n.counted(n.size_along(n.in(1), 0)), {1});
    const output_ref bags = n.reshape(n.broadcast(bag, n.shape_of(n.in(1))), {-1});
    const output_ref weights = n.has(2) ? n.reshape(n.in(2), {-1}) : output_ref();
    n.out(composed::sums_of_bags(
        n, {n.in(0), n.reshape(n.in(1), {-1}), bags, n.size_along(n.in(1), 0), {}, weights, is_mean(n)}));
}
/// Each index has the number of its bag.
inline void compose_bags_by_numbers(composed_layer& n) {
    const output_ref count = n.reshape(n.convert(n.in(3), i64), {1});
    n.out(composed::sums_of_bags(
        n, {n.in(0), n.in(1), n.convert(n.in(2), i64), count, n.in_or_none(4), n.in_or_none(5), false}));
}

// ---- images and signals

inline void compose_blocks_to_image(composed_layer& n) {
    const auto numbers = [&](const char* name) { return n.attribute(name, lpt::integers()); };
    lpt::integers pads = numbers("pads_begin");
    lpt::integers behind = numbers("pads_end");
    const std::size_t axes = math::maximum(pads.size(), behind.size());
    pads.resize(axes, 0);
    behind.resize(axes, 0);
    for (const std::int64_t each : behind) {
        pads.push_back(each);
    }
    const bool has_batch = n.rank(n.in(0)) == 3;
    const output_ref x = has_batch ? n.in(0) : n.unsqueeze(n.in(0), {0});
    const output_ref image = composed::blocks_to_image(n, x, n.convert(n.in(1), i64), n.convert(n.in(2), i64),
                                                       numbers("strides"), numbers("dilations"), pads);
    n.out(has_batch ? image : n.squeeze(image, {0}));
}

/// The window stands in the middle of a frame.
inline void compose_short_time_transform(composed_layer& n) {
    const bool has_batch = n.rank(n.in(0)) == 2;
    if (!has_batch && n.rank(n.in(0)) != 1) {
        n.wrong({"needs a signal of one or two axes, not of shape ", n.shape(n.in(0))});
    }
    const output_ref signal = has_batch ? n.unsqueeze(n.in(0), {2}) : n.unsqueeze(n.in(0), {0, 2});
    const output_ref size = n.reshape(n.convert(n.in(2), i64), {1});
    const output_ref room = n.make(op::subtract{}, {size, n.size_along(n.in(1), 0)});
    const output_ref before = n.make(op::divide{}, {room, n.indices({2})});
    const output_ref behind = n.make(op::subtract{}, {room, before});
    const output_ref window = n.make(op::pad{}, {n.in(1), before, behind, n.like(n.in(1), 0)}, 12);
    output_ref result = composed::short_time_transform(n, signal, n.in(3), size, window, true);
    result = n.flag("transpose_frames", false) ? n.transpose(result, {0, 2, 1, 3}) : result;
    n.out(has_batch ? result : n.squeeze(result, {0}));
}

inline constexpr composition compositions[] = {
    {"Einsum", 7, 1, 64, compose_einsum},
    {"RNNSequence", 5, 6, 6, compose_recurrent_sequence},
    {"RNNCell", 1, 4, 5, compose_recurrent_cell},
    {"Eye", 9, 3, 4, compose_eye},
    {"Bucketize", 3, 2, 2, compose_bucketize},
    {"SearchSorted", 15, 2, 2, compose_search_sorted},
    {"Unique", 10, 1, 2, compose_unique},
    {"EmbeddingBagOffsetsSum", 3, 3, 5, compose_bags_by_offsets},
    {"EmbeddingBagOffsets", 15, 3, 5, compose_bags_by_offsets},
    {"EmbeddingBagPackedSum", 3, 2, 3, compose_packed_bags},
    {"EmbeddingBagPacked", 15, 2, 3, compose_packed_bags},
    {"EmbeddingSegmentsSum", 3, 4, 6, compose_bags_by_numbers},
    {"Col2Im", 15, 3, 3, compose_blocks_to_image},
    {"STFT", 15, 4, 4, compose_short_time_transform},
};

/// Null for layers that are operations of the library, or nothing that it knows.
inline const composition* find_composition(text_view type) {
    for (const composition& each : compositions) {
        if (each.type == type) {
            return &each;
        }
    }
    return nullptr;
}

}  // namespace lpt::inline LPT_ABI::openvino_ir
