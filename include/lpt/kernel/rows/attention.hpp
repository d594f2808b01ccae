// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/kernel/rows/element_kind.hpp>
#include <lpt/kernel/rows/fields.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// What a mask does to the scores of an attention.
enum class attention_mask : std::uint8_t {
    none,  ///< nothing
    add,  ///< f32: is added to the score
    choose,  ///< bytes: places where it is 0 do not count
};

/// Matrices of an attention's heads: `type` u8, i8 or f32, a row each `row_stride` elements, dense rows; of head (h0, h1, …) the first is
/// sum of h * strides[axis] elements behind the beginning.
/// Bytes mean (byte - zero_point) * a scale that the problem holds for all.
struct attention_matrix {
    element_kind type = element_kind::f32;
    std::int32_t zero_point = 0;
    std::int64_t row_stride = 0;
    std::int64_t strides[8] = {};

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit visit) {
        visit("type", self.type);
        visit("zero_point", self.zero_point);
        visit("row_stride", self.row_stride);
        visit("strides", self.strides);
    }
};

/// For each head, with q [queries, depth], k [keys, depth] and v [keys, width]:
///   s = scale * q kᵀ, + mask;  p = exp(s - largest of the row);   out = value_scale * (p v) / (sum of p over the row).
/// `causal`: places with column > row do not count. A row of which no place counts gives zeros.
/// Products are fma(a, b, sum) for k = 0, 1, 2 … from 0; bytes are exact. Where a size is 0 nothing is written.
/// Mask: element (row, column) of a head is mask_row_stride * row + mask_column_stride * column behind its beginning; column stride 0 or 1.
/// `scratch`: `attention_scratch_bytes(problem)` for each of the tasks, as many as `parallel.threads`.
struct attention_problem {
    static constexpr int most_axes = 8;
    std::int64_t head_axes = 0;
    std::int64_t heads[most_axes] = {};  // sizes
    std::int64_t queries = 0;
    std::int64_t keys = 0;
    std::int64_t depth = 0;
    std::int64_t width = 0;
    float scale = 1;
    float value_scale = 1;
    bool causal = false;
    attention_mask mask_use = attention_mask::none;
    std::int64_t mask_row_stride = 0;
    std::int64_t mask_column_stride = 0;
    std::int64_t mask_strides[most_axes] = {};
    attention_matrix queries_at;
    attention_matrix keys_at;
    attention_matrix values_at;
    std::int64_t output_row_stride = 0;
    std::int64_t output_strides[most_axes] = {};
    const void* query = nullptr;
    const void* key = nullptr;
    const void* value = nullptr;
    const void* mask = nullptr;
    float* output = nullptr;
    scratch_memory scratch = {};

    static constexpr const char* name = "attention";
    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit visit) {
        visit("head_axes", self.head_axes);
        visit("heads", self.heads);
        visit("queries", self.queries);
        visit("keys", self.keys);
        visit("depth", self.depth);
        visit("width", self.width);
        visit("scale", self.scale);
        visit("value_scale", self.value_scale);
        visit("causal", self.causal);
        visit("mask_use", self.mask_use);
        visit("mask_row_stride", self.mask_row_stride);
        visit("mask_column_stride", self.mask_column_stride);
        visit("mask_strides", self.mask_strides);
        visit("queries_at", self.queries_at);
        visit("keys_at", self.keys_at);
        visit("values_at", self.values_at);
        visit("output_row_stride", self.output_row_stride);
        visit("output_strides", self.output_strides);
        visit("query", self.query);
        visit("key", self.key);
        visit("value", self.value);
        visit("mask", self.mask);
        visit("output", self.output);
        visit("scratch", self.scratch);
    }
};

/// True where values are read where they lie; others are copied as floats, with columns in multiples of 16.
constexpr bool reads_values_directly(const attention_problem& p) noexcept {
    return p.values_at.type == element_kind::f32 && p.width % 16 == 0;
}

/// True where scores are sums of products of bytes, so few that they are exact as floats, too: one order of summation for all.
constexpr bool multiplies_bytes(const attention_problem& p) noexcept {
    constexpr std::int64_t most_depth = 256;  // times 255 * 255: below 2^24
    const auto is_bytes = [](element_kind type) { return type == element_kind::u8 || type == element_kind::i8; };
    return is_bytes(p.queries_at.type) && is_bytes(p.keys_at.type) && p.depth <= most_depth;
}

/// How a task of an attention divides its scratch memory, in floats; each part is a multiple of 16.
struct attention_scratch {
    static constexpr std::int64_t block_rows = 32;  // queries at a time
    static constexpr std::int64_t panel = 64;  // keys next to each other in packed ones
    std::int64_t keys_padded = 0;
    std::int64_t width_padded = 0;
    std::int64_t packed_keys = 0;
    std::int64_t packed_values = 0;
    std::int64_t rows = 0;  // of queries
    std::int64_t scores = 0;
    std::int64_t bias = 0;
    std::int64_t sums = 0;  // of the block's products with values

    constexpr std::int64_t floats() const noexcept { return packed_keys + packed_values + rows + scores + bias + sums; }
};

constexpr attention_scratch scratch_of(const attention_problem& p) noexcept {
    const auto padded = [](std::int64_t count) { return (count + 15) / 16 * 16; };
    attention_scratch result;
    result.keys_padded = padded(p.keys);
    result.width_padded = padded(p.width);
    // Packed bytes: a header, a sum and a zero point of each key, and groups of up to eight elements.
    const std::int64_t bytes = 128 + result.keys_padded * (8 + (p.depth + 7) / 8 * 8);
    const std::int64_t floats = p.depth * result.keys_padded;  // of instruction sets without tiles, too
    result.packed_keys = multiplies_bytes(p) && bytes > floats * 4 ? padded((bytes + 3) / 4) : floats;
    result.packed_values = reads_values_directly(p) ? 0 : p.keys * result.width_padded;
    result.rows = padded(result.block_rows * p.depth);
    result.scores = result.block_rows * result.keys_padded;
    result.bias = result.keys_padded;
    result.sums = result.block_rows * result.width_padded;
    return result;
}

/// Bytes of scratch memory of one task.
constexpr std::int64_t attention_scratch_bytes(const attention_problem& p) noexcept {
    return scratch_of(p).floats() * 4;
}

}  // namespace lpt::inline LPT_ABI::kernel
