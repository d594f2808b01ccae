// SPDX-License-Identifier: Apache-2.0
// Scaled dot product attention: a task has whole heads, whose keys it packs once.
#pragma once

#include <lpt/kernel/gemm.hpp>
#include <lpt/kernel/sixteen.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// Products of small matrices of floats whose right one has columns in multiples of 16: c[m, n] = a[m, k] b[k, n], each sum begun with 0 and
/// continued by fma for k = 0, 1, 2 …, so that no tile matters.
template <class Isa>
struct small_product {
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    static constexpr int most_columns = simd::width == 16 ? 64 : 16;

    template <int Rows, int Columns>
    [[gnu::always_inline]] static void tile(const float* a, std::int64_t a_stride, const float* b,
                                            std::int64_t b_stride, std::int64_t k, float* c,
                                            std::int64_t c_stride) noexcept {
        constexpr int vectors = Columns / simd::width;
        floats sums[Rows][vectors];
#pragma GCC unroll 4
        for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 16
            for (int v = 0; v < vectors; ++v)
                sums[r][v] = simd::broadcast(0);
        }
        for (std::int64_t i = 0; i < k; ++i, b += b_stride) {
            floats right[vectors];
#pragma GCC unroll 16
            for (int v = 0; v < vectors; ++v)
                right[v] = simd::load(b + v * simd::width);
#pragma GCC unroll 4
            for (int r = 0; r < Rows; ++r) {
                const floats left = simd::broadcast(a[r * a_stride + i]);
#pragma GCC unroll 16
                for (int v = 0; v < vectors; ++v)
                    sums[r][v] = simd::fma(left, right[v], sums[r][v]);
            }
        }
#pragma GCC unroll 4
        for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 16
            for (int v = 0; v < vectors; ++v)
                simd::store(c + r * c_stride + v * simd::width, sums[r][v]);
        }
    }

    template <int Columns>
    static void rows(const float* a, std::int64_t a_stride, const float* b, std::int64_t b_stride, std::int64_t m,
                     std::int64_t k, float* c, std::int64_t c_stride) noexcept {
        std::int64_t r = 0;
        for (; r + 4 <= m; r += 4)
            tile<4, Columns>(a + r * a_stride, a_stride, b, b_stride, k, c + r * c_stride, c_stride);
        for (; r < m; ++r)
            tile<1, Columns>(a + r * a_stride, a_stride, b, b_stride, k, c + r * c_stride, c_stride);
    }

    static void run(const float* a, std::int64_t a_stride, const float* b, std::int64_t b_stride, std::int64_t m,
                    std::int64_t n, std::int64_t k, float* c, std::int64_t c_stride) noexcept {
        std::int64_t column = 0;
        for (; column + most_columns <= n; column += most_columns)
            rows<most_columns>(a, a_stride, b + column, b_stride, m, k, c + column, c_stride);
        if constexpr (most_columns > 32) {
            for (; column + 32 <= n; column += 32)
                rows<32>(a, a_stride, b + column, b_stride, m, k, c + column, c_stride);
        }
        for (; column < n; column += 16)
            rows<16>(a, a_stride, b + column, b_stride, m, k, c + column, c_stride);
    }
};

template <class Isa>
struct kernel_of<Isa, attention_problem> {
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    using numbers = sixteen<Isa>;
    static constexpr std::int64_t block_rows = attention_scratch::block_rows;
    static constexpr std::int64_t panel = attention_scratch::panel;

    /// The memory of one task.
    struct parts {
        float* keys;
        float* values;
        float* rows;
        float* scores;
        float* bias;
        float* sums;
    };
    /// Where the matrices of one head begin, in elements.
    struct head {
        std::int64_t query = 0;
        std::int64_t key = 0;
        std::int64_t value = 0;
        std::int64_t mask = 0;
        std::int64_t output = 0;
    };

    static head head_at(const attention_problem& p, std::int64_t index) noexcept {
        head result;
        for (std::int64_t axis = p.head_axes; axis-- > 0;) {
            const std::int64_t place = index % p.heads[axis];
            index /= p.heads[axis];
            result.query += place * p.queries_at.strides[axis];
            result.key += place * p.keys_at.strides[axis];
            result.value += place * p.values_at.strides[axis];
            result.mask += place * p.mask_strides[axis];
            result.output += place * p.output_strides[axis];
        }
        return result;
    }

    /// The first `count` elements from `index` on as floats, zeros up to `padded`.
    static void to_floats(const void* data, const attention_matrix& at, std::int64_t index, std::int64_t count,
                          std::int64_t padded, float* to) noexcept {
        const floats zero_point = simd::broadcast(static_cast<float>(at.zero_point));
        const auto* const from = static_cast<const unsigned char*>(data) + index * bytes_of(at.type);
        std::int64_t i = 0;
        for (; i < count; i += simd::width) {
            const floats all = finish<Isa>::load_elements(from, at.type, i, count - i);
            const floats value = at.type == element_kind::f32 ? all : simd::subtract(all, zero_point);
            store_part<Isa>(to + i, value, count - i);
        }
        for (i = count; i < padded; ++i)
            to[i] = 0;
    }

    static constexpr bool has_tiles = simd::width > 1;

    /// Keys as the kernel of matrix products takes them, if queries and keys are bytes.
    static void pack_bytes(const attention_problem& p, const head& at, void* to) noexcept {
        gemm_weights weights;
        weights.data = static_cast<const unsigned char*>(p.key) + at.key;
        weights.type = p.keys_at.type;
        weights.k = p.depth;
        weights.n = p.keys;
        weights.k_stride = 1;
        weights.n_stride = p.keys_at.row_stride;
        weights.zero_points = &p.keys_at.zero_point;
        weights.zero_point_count = 1;
        gemm<Isa>::pack(weights, to, {});
    }
    /// The sums of bytes, which are exact as floats, for at least `reach` keys.
    static void score_bytes(const attention_problem& p, const head& at, const attention_scratch& sizes,
                            const parts& memory, std::int64_t first, std::int64_t count, std::int64_t reach) noexcept {
        using engine = dense<Isa, integer_arithmetic<Isa>>;
        epilogue plain;
        plain.output_type = element_kind::f32;
        typename engine::call call;
        call.shape = gemm<Isa>::template shape_of<integer_arithmetic<Isa>>(p.depth, p.keys);
        call.packed = reinterpret_cast<const unsigned char*>(memory.keys);
        call.rows = count;
        call.signed_rows = p.queries_at.type == element_kind::i8;
        call.zero_point = p.queries_at.zero_point;
        call.finish = &plain;
        call.output = reinterpret_cast<unsigned char*>(memory.scores);
        call.output_stride = sizes.keys_padded;
        const matrix_rows<Isa> rows{static_cast<const unsigned char*>(p.query) + at.query +
                                        first * p.queries_at.row_stride,
                                    p.queries_at.row_stride, count};
        const unsigned char* pointers[block_rows];
        constexpr std::int64_t columns = engine::layout::panel_columns;
        engine::run(call, rows, 0, count, 0, (reach + columns - 1) / columns, pointers);
    }

    /// Panels of up to 64 keys next to each other, [depth][keys of the panel]; what is missing from multiples of 16 is 0.
    static void pack_keys(const attention_problem& p, const head& at, std::int64_t padded,
                          const parts& memory) noexcept {
        for (std::int64_t first = 0; first < padded; first += panel) {
            const std::int64_t columns = padded - first < panel ? padded - first : panel;
            const std::int64_t count = p.keys - first < columns ? p.keys - first : columns;
            float* const packed = memory.keys + first * p.depth;
            if (count < columns) std::memset(packed, 0, static_cast<std::size_t>(columns * p.depth) * sizeof(float));
            for (std::int64_t r = 0; r < count; ++r) {
                const std::int64_t key = at.key + (first + r) * p.keys_at.row_stride;
                to_floats(p.key, p.keys_at, key, p.depth, p.depth, memory.rows);
                for (std::int64_t c = 0; c < p.depth; ++c)
                    packed[c * columns + r] = memory.rows[c];
            }
        }
    }
    static void pack_values(const attention_problem& p, const head& at, std::int64_t padded, float* to) noexcept {
        for (std::int64_t r = 0; r < p.keys; ++r)
            to_floats(p.value, p.values_at, at.value + r * p.values_at.row_stride, p.width, padded, to + r * padded);
    }

    /// What is added to the scores of a row; null for nothing.
    static const float* bias_of(const attention_problem& p, const head& at, std::int64_t row, float* to) noexcept {
        if (p.mask_use == attention_mask::none) return nullptr;
        const std::int64_t first = at.mask + row * p.mask_row_stride;
        if (p.mask_use == attention_mask::add) {
            const float* const from = static_cast<const float*>(p.mask) + first;
            if (p.mask_column_stride == 1) return from;
            for (std::int64_t i = 0; i < p.keys; ++i)
                to[i] = *from;
            return to;
        }
        const unsigned char* const from = static_cast<const unsigned char*>(p.mask) + first;
        for (std::int64_t i = 0; i < p.keys; ++i)
            to[i] = from[i * p.mask_column_stride] != 0 ? 0.0f : -__builtin_inff();
        return to;
    }

    /// Turns the first `count` scores into powers, zeros up to `padded`; gives their sum, 0 where none counts.
    static float powers(float* row, std::int64_t count, std::int64_t padded, float scale, const float* bias) noexcept {
        const float least = -__builtin_inff();
        const numbers factor = numbers::broadcast(scale);
        numbers most = numbers::broadcast(least);
        for (std::int64_t i = 0; i < count; i += numbers::width) {
            const std::int64_t rest = count - i;
            numbers s = numbers::load_first(row + i, rest, 0) * factor;
            if (bias != nullptr) s = s + numbers::load_first(bias + i, rest, least);
            s.store(row + i);
            if (rest < numbers::width) {
                for (std::int64_t j = rest; j < numbers::width; ++j)
                    row[i + j] = least;
                s = numbers::load(row + i);
            }
            most = numbers::larger(s, most);
        }
        const float largest = most.largest();
        const bool nothing = largest == least && !has_nan(row, count);
        numbers sum = numbers::broadcast(0);
        const numbers middle = numbers::broadcast(nothing ? 0 : largest);
        std::int64_t i = 0;
        for (; i < count; i += numbers::width) {
            const numbers power =
                (numbers::load(row + i) - middle).map([](floats v) { return unary<Isa>::exp_of_negative(v); });
            power.store(row + i);
            sum = sum + power;
        }
        for (; i < padded; i += numbers::width)
            numbers::broadcast(0).store(row + i);
        return nothing ? 0 : sum.sum();
    }
    static bool has_nan(const float* row, std::int64_t count) noexcept {
        bool result = false;
        for (std::int64_t i = 0; i < count; ++i)
            result = result || row[i] != row[i];
        return result;
    }

    /// The queries of a block as floats, and the distance of their rows.
    static const float* rows_of(const attention_problem& p, const head& at, std::int64_t first, std::int64_t count,
                                float* to, std::int64_t& stride) noexcept {
        const std::int64_t begin = at.query + first * p.queries_at.row_stride;
        if (p.queries_at.type == element_kind::f32) {
            stride = p.queries_at.row_stride;
            return static_cast<const float*>(p.query) + begin;
        }
        stride = p.depth;
        for (std::int64_t r = 0; r < count; ++r)
            to_floats(p.query, p.queries_at, begin + r * p.queries_at.row_stride, p.depth, p.depth, to + r * stride);
        return to;
    }

    /// The products of queries and the first `padded` keys as floats.
    static void score_floats(const attention_problem& p, const head& at, const attention_scratch& sizes,
                             const parts& memory, std::int64_t first, std::int64_t count,
                             std::int64_t padded) noexcept {
        std::int64_t stride = 0;
        const float* const rows = rows_of(p, at, first, count, memory.rows, stride);
        for (std::int64_t key = 0; key < padded; key += panel) {
            const std::int64_t columns = sizes.keys_padded - key < panel ? sizes.keys_padded - key : panel;
            const std::int64_t wanted = padded - key < columns ? padded - key : columns;
            small_product<Isa>::run(rows, stride, memory.keys + key * p.depth, columns, count, wanted, p.depth,
                                    memory.scores + key, sizes.keys_padded);
        }
    }

    static void run_block(const attention_problem& p, const head& at, const attention_scratch& sizes,
                          const parts& memory, std::int64_t first, std::int64_t count) noexcept {
        const std::int64_t reach = p.causal && first + count < p.keys ? first + count : p.keys;
        const std::int64_t padded = (reach + 15) / 16 * 16;
        bool scored = false;
        if constexpr (has_tiles) {
            scored = multiplies_bytes(p);
            if (scored) score_bytes(p, at, sizes, memory, first, count, reach);
        }
        if (!scored) score_floats(p, at, sizes, memory, first, count, padded);
        float sums[block_rows];
        for (std::int64_t r = 0; r < count; ++r) {
            const std::int64_t limit = p.causal && first + r + 1 < p.keys ? first + r + 1 : p.keys;
            sums[r] = powers(memory.scores + r * sizes.keys_padded, limit, padded, p.scale,
                             bias_of(p, at, first + r, memory.bias));
        }
        const bool direct = reads_values_directly(p);
        const float* const values = direct ? static_cast<const float*>(p.value) + at.value : memory.values;
        small_product<Isa>::run(memory.scores, sizes.keys_padded, values,
                                direct ? p.values_at.row_stride : sizes.width_padded, count, sizes.width_padded, reach,
                                memory.sums, sizes.width_padded);
        for (std::int64_t r = 0; r < count; ++r) {
            const bool nothing = sums[r] == 0;
            const numbers divisor = numbers::broadcast(sums[r]);
            const numbers scale = numbers::broadcast(p.value_scale);
            float* const to = p.output + at.output + (first + r) * p.output_row_stride;
            for (std::int64_t c = 0; c < p.width; c += numbers::width) {
                const numbers sum = numbers::load(memory.sums + r * sizes.width_padded + c);
                const numbers result = nothing ? numbers::broadcast(0) : sum / divisor * scale;
                result.store_first(to + c, p.width - c);
            }
        }
    }

    static constexpr std::int64_t worth_of_piece = 2097152;  // products: some ten microseconds

    static void run(const attention_problem& p, const parallel_for& parallel) noexcept {
        const attention_scratch sizes = scratch_of(p);
        std::int64_t heads = 1;
        for (std::int64_t axis = 0; axis < p.head_axes; ++axis)
            heads *= p.heads[axis];
        const std::int64_t products = p.queries * p.keys * (p.depth + p.width);
        share_out<Isa>(parallel, heads, 1, 1 + worth_of_piece / (1 + products),
                       [&](std::int64_t begin, std::int64_t end, int task) {
                           parts memory;
                           memory.keys = static_cast<float*>(p.scratch.data) + task * sizes.floats();
                           memory.values = memory.keys + sizes.packed_keys;
                           memory.rows = memory.values + sizes.packed_values;
                           memory.scores = memory.rows + sizes.rows;
                           memory.bias = memory.scores + sizes.scores;
                           memory.sums = memory.bias + sizes.bias;
                           head before;
                           for (std::int64_t i = begin; i < end; ++i) {
                               const head at = head_at(p, i);
                               // Heads that share keys or values follow each other where these broadcast along the last axes.
                               if (i == begin || at.key != before.key) {
                                   if (has_tiles && multiplies_bytes(p))
                                       pack_bytes(p, at, memory.keys);
                                   else
                                       pack_keys(p, at, sizes.keys_padded, memory);
                               }
                               if (!reads_values_directly(p) && (i == begin || at.value != before.value))
                                   pack_values(p, at, sizes.width_padded, memory.values);
                               for (std::int64_t first = 0; first < p.queries; first += block_rows) {
                                   const std::int64_t rest = p.queries - first;
                                   run_block(p, at, sizes, memory, first, rest < block_rows ? rest : block_rows);
                               }
                               before = at;
                           }
                       });
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
