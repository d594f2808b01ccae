// SPDX-License-Identifier: Apache-2.0
// From sums to codes in fixed point: integers and explicit roundings, so that every instruction set gives the same bits.
#pragma once

#include <lpt/kernel/lanes.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// The numbers of `fixed_point` for a vector of channels.
template <class Simd>
struct fixed_columns {
    using ints = typename Simd::ints;
    ints bias, multiplier, right, offset, below;

    [[gnu::always_inline]] static fixed_columns load(const fixed_point& f, std::int64_t channel) noexcept {
        return {Simd::load_int(f.bias + channel), Simd::load_int(f.multiplier + channel),
                Simd::load_int(f.right + channel), Simd::load_int(f.offset + channel),
                Simd::load_int(f.below + channel)};
    }
    /// The same numbers for all elements, and no bias.
    [[gnu::always_inline]] static fixed_columns of_all(const fixed_scale& f) noexcept {
        return {Simd::broadcast_int(0), Simd::broadcast_int(f.multiplier), Simd::broadcast_int(f.right),
                Simd::broadcast_int(f.offset), Simd::broadcast_int(f.below)};
    }
    /// What a sum that has its bias becomes.
    [[gnu::always_inline]] ints scaled(ints x) const noexcept {
        const ints high = Simd::doubling_high_product(x, multiplier);
        const ints twice = Simd::shift_right(Simd::add_int(high, Simd::and_int(Simd::sign(high), below)), right);
        const ints halves = Simd::subtract_int(Simd::broadcast_int(0), below);  // 1 or 0
        return Simd::add_int(Simd::shift_right(Simd::add_int(twice, halves), halves), offset);
    }
    [[gnu::always_inline]] ints code(ints sum) const noexcept { return scaled(Simd::add_int(sum, bias)); }
};

/// The numbers of `fixed_point` for the channels of a block, in memory and in an order of their own.
template <int Columns>
struct fixed_slots {
    alignas(64) std::int32_t bias[Columns];
    alignas(64) std::int32_t multiplier[Columns];
    alignas(64) std::int32_t right[Columns];
    alignas(64) std::int32_t offset[Columns];
    alignas(64) std::int32_t below[Columns];

    /// `put(from, to)` writes the numbers of the block's channels from an array of `fixed_point` to their slots.
    template <class Put>
    void fill(const fixed_point& f, const Put& put) noexcept {
        put(f.bias, bias);
        put(f.multiplier, multiplier);
        put(f.right, right);
        put(f.offset, offset);
        put(f.below, below);
    }
    template <class Simd>
    [[gnu::always_inline]] fixed_columns<Simd> load(std::int64_t slot) const noexcept {
        return {Simd::load_int(bias + slot), Simd::load_int(multiplier + slot), Simd::load_int(right + slot),
                Simd::load_int(offset + slot), Simd::load_int(below + slot)};
    }
};

/// The store of i8 codes.
template <class Isa>
struct fixed_store {
    using simd = lanes<Isa>;
    using ints = typename simd::ints;
    using columns_type = fixed_columns<simd>;
    static constexpr std::int64_t width = simd::width;

    /// Integers of 32 bits, limited and stored.
    struct limits {
        ints low, high;
        [[gnu::always_inline]] ints operator()(ints q) const noexcept {
            return simd::min_int(simd::max_int(q, low), high);
        }
    };

    [[gnu::always_inline]] static void store_one(std::uint8_t* to, ints q, std::int64_t count) noexcept {
        if (count >= width) return simd::store_byte(to, q);
        std::uint8_t tail[width];
        simd::store_byte(tail, q);
        copy_few<Isa, width>(to, tail, count);
    }

    /// `rows` rows of `columns` sums, `stride` apart and readable up to a multiple of the width, of channels from `channel` on.
    static void tile(const epilogue& e, const std::int32_t* sums, std::int64_t stride, std::int64_t rows,
                     std::int64_t channel, std::int64_t columns, unsigned char* output,
                     std::int64_t row_bytes) noexcept {
        const limits limit{simd::broadcast_int(static_cast<std::int32_t>(e.quant_low)),
                           simd::broadcast_int(static_cast<std::int32_t>(e.quant_high))};
        const fixed_point& f = *e.fixed;
        if (f.real != nullptr) return rounded_once(f, limit, sums, stride, rows, channel, columns, output, row_bytes);
        std::int64_t i = 0;
        for (; i + 4 * width <= columns; i += 4 * width) {
            columns_type column[4];
#pragma GCC unroll 4
            for (int v = 0; v < 4; ++v)
                column[v] = columns_type::load(f, channel + i + v * width);
            for (std::int64_t r = 0; r < rows; ++r) {
                const std::int32_t* const from = sums + r * stride + i;
                const auto code = [&](int v) __attribute__((always_inline)) {
                    return limit(column[v].code(simd::load_int(from + v * width)));
                };
                simd::template store_bytes<true>(output + r * row_bytes + i, code(0), code(1), code(2), code(3));
            }
        }
        for (; i < columns; i += width) {
            const columns_type column = columns_type::load(f, channel + i);
            for (std::int64_t r = 0; r < rows; ++r)
                store_one(output + r * row_bytes + i, limit(column.code(simd::load_int(sums + r * stride + i))),
                          columns - i);
        }
    }

private:
    static void rounded_once(const fixed_point& f, const limits& limit, const std::int32_t* sums, std::int64_t stride,
                             std::int64_t rows, std::int64_t channel, std::int64_t columns, unsigned char* output,
                             std::int64_t row_bytes) noexcept {
        const ints zero = simd::broadcast_int(f.zero_point);
        for (std::int64_t i = 0; i < columns; i += width) {
            const ints bias = simd::load_int(f.bias + channel + i);
            for (std::int64_t r = 0; r < rows; ++r) {
                const ints x = simd::add_int(simd::load_int(sums + r * stride + i), bias);
                const ints q = simd::add_int(simd::rounded_products(x, f.real + channel + i), zero);
                store_one(output + r * row_bytes + i, limit(q), columns - i);
            }
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
