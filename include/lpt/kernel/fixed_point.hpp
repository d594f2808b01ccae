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

/// The numbers of a `fixed_point` all of whose channels shift.
template <class Simd>
struct shifted_columns {
    using ints = typename Simd::ints;
    ints bias, offset;
    typename Simd::fixed_factors factors;

    [[gnu::always_inline]] static shifted_columns load(const fixed_point& f, std::int64_t channel) noexcept {
        return {Simd::load_int(f.bias + channel), Simd::broadcast_int(f.zero_point),
                Simd::factors_of(Simd::load_int(f.multiplier + channel), Simd::load_int(f.right + channel))};
    }
    [[gnu::always_inline]] ints code(ints sum) const noexcept {
        return Simd::add_int(Simd::rounded_twice(Simd::add_int(sum, bias), factors), offset);
    }
};

// Codes by single precision, where instructions say how far numbers are from integers.
//
// With Y = x * multiplier / 2^(32 + right), `rounded_twice` is the integer next to Y + h, of negative x that next to Y - h, where h is
// `half_step`, half of what one step of the first rounding is worth: floors of floors move the bounds of the second rounding by as much.
// Single precision gives such a sum with a known error. Where none of some numbers comes as near to half way between two integers, their
// codes are known; else they are computed exactly, which few are: one of 8192 numbers comes so near.
template <class Simd>
concept rounds_noting = requires(typename Simd::floats value) { Simd::round_noting(value, value); };

/// The error of x * scale + h below 256, where codes are not limited: of four roundings by 2^-24.
inline constexpr float error_of_codes = 0.00006103515625f;  // 2^-14

/// The codes of sums that have their bias, vector v by by[v % Period]; |zero| <= 128. What is beyond all bytes stays beyond.
template <class Simd, int Count, int Period = Count>
[[gnu::always_inline]] inline void codes_of(const typename Simd::ints (&sum)[Count],
                                            const typename Simd::fixed_factors* by, typename Simd::ints zero,
                                            typename Simd::ints (&code)[Count]) noexcept {
    bool are_known = false;
    if constexpr (rounds_noting<Simd>) {
        auto farthest = Simd::broadcast(0);
#pragma GCC unroll 4
        for (int v = 0; v < Count; ++v) {
            const auto x = Simd::to_float(sum[v]);
            code[v] = Simd::round_noting(
                Simd::fma(x, by[v % Period].scale, Simd::with_sign_of(by[v % Period].half_step, x)), farthest);
        }
        are_known = Simd::all_below(farthest, Simd::broadcast(0.5f - error_of_codes));
    }
    if (!are_known) [[unlikely]] {
#pragma GCC unroll 4
        for (int v = 0; v < Count; ++v)
            code[v] = Simd::rounded_twice(sum[v], by[v % Period]);
    }
#pragma GCC unroll 4
    for (int v = 0; v < Count; ++v)
        code[v] = Simd::add_int(code[v], zero);
}

/// The factors of vectors of channels from `channel` on; `start`, with which sums begin, gets the bias.
template <class Simd>
void start_fixed(const fixed_point& f, std::int64_t channel, std::int64_t vectors, std::int32_t* start,
                 typename Simd::fixed_factors* factors) noexcept {
    for (std::int64_t v = 0; v < vectors; ++v) {
        const std::int64_t from = channel + v * Simd::width;
        std::int32_t* const at = start + v * Simd::width;
        Simd::store_int(at, Simd::add_int(Simd::load_int(at), Simd::load_int(f.bias + from)));
        factors[v] = Simd::factors_of(Simd::load_int(f.multiplier + from), Simd::load_int(f.right + from));
    }
}

/// A number that scales all elements.
template <class Simd>
class fixed_scaling {
    using ints = typename Simd::ints;
    enum class form : std::uint8_t { keeps, shifts, any };
    form form_ = form::any;
    int left_;
    fixed_columns<Simd> columns_;
    typename Simd::fixed_factors factors_;

public:
    [[gnu::always_inline]] explicit fixed_scaling(const fixed_scale& f) noexcept
        : left_(f.left),
          columns_(fixed_columns<Simd>::of_all(f)),
          factors_(Simd::factors_of(columns_.multiplier, columns_.right)) {
        if (f.below != 0) {
            form_ = form::shifts;
        } else if (f.multiplier == 1 << 30 && f.left > 0) {  // halves an even number
            form_ = form::keeps;
            --left_;
        }
    }
    [[gnu::always_inline]] ints with_offset(ints q) const noexcept { return Simd::add_int(q, columns_.offset); }
    /// The code of `fixed_scale` for a number; `HasLeft` is false where its shift to the left is none.
    template <bool HasLeft>
    [[gnu::always_inline]] ints code(ints x) const noexcept {
        if constexpr (HasLeft) x = Simd::shift_left(x, left_);
        if (form_ == form::keeps) return Simd::add_int(x, columns_.offset);
        if (form_ == form::any) return columns_.scaled(x);
        return Simd::add_int(Simd::rounded_twice(x, factors_), columns_.offset);
    }
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
    /// The same as an operand, of which nothing past the slots is readable.
    fixed_point view() const noexcept {
        fixed_point result;
        result.bias = bias;
        result.multiplier = multiplier;
        result.right = right;
        result.offset = offset;
        result.below = below;
        return result;
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
        if (f.real != nullptr)
            rounded_once(f, limit, sums, stride, rows, channel, columns, output, row_bytes);
        else if (f.shifts)
            rounded_twice<shifted_columns<simd>>(f, limit, sums, stride, rows, channel, columns, output, row_bytes);
        else
            rounded_twice<fixed_columns<simd>>(f, limit, sums, stride, rows, channel, columns, output, row_bytes);
    }

private:
    template <class Column>
    static void rounded_twice(const fixed_point& f, const limits& limit, const std::int32_t* sums, std::int64_t stride,
                              std::int64_t rows, std::int64_t channel, std::int64_t columns, unsigned char* output,
                              std::int64_t row_bytes) noexcept {
        std::int64_t i = 0;
        for (; i + 4 * width <= columns; i += 4 * width) {
            Column column[4];
#pragma GCC unroll 4
            for (int v = 0; v < 4; ++v)
                column[v] = Column::load(f, channel + i + v * width);
            for (std::int64_t r = 0; r < rows; ++r) {
                const std::int32_t* const from = sums + r * stride + i;
                const auto code = [&](int v) __attribute__((always_inline)) {
                    return limit(column[v].code(simd::load_int(from + v * width)));
                };
                simd::template store_bytes<true>(output + r * row_bytes + i, code(0), code(1), code(2), code(3));
            }
        }
        for (; i < columns; i += width) {
            const Column column = Column::load(f, channel + i);
            for (std::int64_t r = 0; r < rows; ++r)
                store_one(output + r * row_bytes + i, limit(column.code(simd::load_int(sums + r * stride + i))),
                          columns - i);
        }
    }

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
