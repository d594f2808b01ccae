// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/attention.hpp>
#include <lpt/import/onnx/integer_products.hpp>

/// Attention of ONNX Runtime's domain `com.microsoft`: projections, scores and weighted values in one operator.
namespace lpt::inline LPT_ABI::onnx {

/// What is added to the scores, [batch or 1, heads or 1, queries or 1, keys]: a negative number where a key does not count. `port`: of the
/// mask, which may be the numbers of keys, or 1 for each key that counts; the keys lie along an axis of `places`.
inline output_ref added_mask(operation& n, std::size_t port, output_ref places, std::int64_t axis, double filling) {
    const output_ref given = n.in(port);
    const std::size_t rank = n.rank(given);
    output_ref counts;
    if (rank == 1) {
        const dimension batch = n.size_of(places, 0);
        if (batch != dynamic_dimension && n.shape(given)[0] != batch) {
            n.wrong({"a mask of shape ", n.shape(given), " for ", batch,
                     " samples is not supported, only one number of keys for each"});
        }
        const output_ref columns = n.counted(n.size_along(places, axis));
        counts = n.make(op::less{}, {columns, n.reshape(n.convert(given, i64), {-1, 1, 1, 1})});
    } else {
        counts = n.make(op::not_equal{}, {given, n.like(given, 0)});
        counts = rank == 2 ? n.unsqueeze(counts, {1, 2}) : rank == 3 ? n.unsqueeze(counts, {1}) : counts;
    }
    return n.make(op::select{}, {counts, n.builder().real(0), n.builder().real(filling)});
}

/// Attention of data [batch, places, width] with itself. `all` are queries, keys and values, one behind the other, without their `bias`, which the
/// data `x` was multiplied with `weights` for.
inline void out_self_attention(operation& n, output_ref x, output_ref weights, output_ref all, output_ref bias,
                               std::size_t mask) {
    const std::int64_t heads = n.integer("num_heads", 0);
    const lpt::shape sizes = n.static_shape(weights);
    if (n.wants(1) || !n.list("qkv_hidden_sizes").empty() || n.flag("do_rotary")) {
        n.wrong({"keys and values of before (output 1), sizes of values of their own (qkv_hidden_sizes) and turned "
                 "pairs (do_rotary) are not supported"});
    }
    if (n.rank(x) != 3 || sizes.rank() != 2 || heads < 1 || heads > sizes[1] || sizes[1] % (3 * heads) != 0) {
        n.wrong({"needs weights for three times ", heads, " heads, not of shape ", sizes});
    }
    all = bias ? n.make(op::add{}, {all, bias}) : all;
    const std::int64_t width = sizes[1] / 3;
    const auto part = [&](std::int64_t which) {
        return heads_apart(n, n.slice(all, 2, which * width, (which + 1) * width), heads);
    };
    const double given = n.real("scale", 0);
    const double scale = given != 0 ? given : 1 / math::sqrt(static_cast<double>(width / heads));
    const double filling = n.real("mask_filter_value", -10000);
    output_ref added = n.has(mask) ? added_mask(n, mask, x, 1, filling) : output_ref();
    if (n.flag("unidirectional")) {
        const output_ref place = n.counted(n.size_along(x, 1));
        const output_ref is_before = n.make(op::less_equal{}, {n.unsqueeze(place, {0}), n.unsqueeze(place, {1})});
        const output_ref later = n.make(op::select{}, {is_before, n.builder().real(0), n.builder().real(filling)});
        added = added ? n.make(op::add{}, {added, later}) : later;
    }
    op::mat_mul product;
    product.transpose_b = true;
    output_ref scores = n.make(op::multiply{}, {n.make(product, {part(0), part(1)}), n.builder().real(scale)});
    scores = added ? n.make(op::add{}, {scores, added}) : scores;
    n.out(heads_together(n, n.make(op::mat_mul{}, {n.softmax(scores, -1), part(2)})));
}

/// The product of data whose scale and zero point are known only in a run with known weights in bytes; nothing for any other.
inline output_ref projected_bytes(operation& n) {
    const known_weights weights(n, 7);
    const bool is_computed = n.has(6) && (!n.is_known(3) || !n.is_known(6));
    if (!is_computed || weights.bytes == nullptr || weights.bytes->dimensions().rank() != 2) {
        return {};
    }
    check_zero_point(n, 0, 6);
    check_zero_point(n, 1, 7);
    const output_ref zero = n.reshape(whole_of(n, n.value_at(6)), view<std::int64_t>());
    const output_ref product =
        product_of_bytes(n, n.in(0), zero, centred(n, n.in(1), 7, -1), *weights.bytes, weights.zeros);
    return n.make(op::multiply{}, {product, n.make(op::multiply{}, {n.in(3), n.in(4)})});
}

/// Data and weights as integers with scales and zero points; everything behind the projections is computed in real numbers.
inline void read_quantized_self_attention(operation& n) {
    if (n.has(8)) {
        n.wrong({"keys and values of before are not supported"});
    }
    const output_ref projected = projected_bytes(n);
    if (projected) {
        return out_self_attention(n, n.in(0), n.in(1), projected, n.in(2), 5);
    }
    const output_ref x = real_at(n, 0, 3, 6);
    const output_ref weights = real_at(n, 1, 4, 7, 1);
    out_self_attention(n, x, weights, n.make(op::mat_mul{}, {x, weights}), n.in(2), 5);
}
inline void read_self_attention(operation& n) {
    if (n.has(4) || n.has(5)) {
        n.wrong({"keys and values of before, and numbers added to scores are not supported"});
    }
    out_self_attention(n, n.in(0), n.in(1), n.make(op::mat_mul{}, {n.in(0), n.in(1)}),
                       n.has(2) ? n.in(2) : output_ref(), 3);
}

inline constexpr operator_entry microsoft_attention_operators[] = {
    {"com.microsoft", "QAttention", read_quantized_self_attention},
    {"com.microsoft", "Attention", read_self_attention},
};

}  // namespace lpt::inline LPT_ABI::onnx
