// SPDX-License-Identifier: Apache-2.0
// From accumulators to memory: scale and bias, post operations, rounding, saturation, store.
#pragma once

#include <lpt/kernel/fixed_point.hpp>
#include <lpt/kernel/unary.hpp>

namespace lpt::inline LPT_ABI::kernel {

template <class Isa>
    requires vector_lanes<lanes<Isa>>
struct finish {
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    using ints = typename simd::ints;
    static constexpr std::int64_t width = simd::width;

    /// Up to `width` elements from `index` on as floats; lanes past `count` are zero, nothing past them is read.
    [[gnu::always_inline]] static floats load_elements(const void* data, element_kind kind, std::int64_t index,
                                                       std::int64_t count) noexcept {
        const std::int64_t size = bytes_of(kind);
        const unsigned char* from = static_cast<const unsigned char*>(data) + index * size;
        unsigned char whole[width * 4] = {};
        if (count < width) {
            std::memcpy(whole, from, count > 0 ? static_cast<std::size_t>(count * size) : 0);
            from = whole;
        }
        switch (kind) {
            case element_kind::u8: return simd::to_float(simd::load_u8(from));
            case element_kind::i4:
            case element_kind::i8: return simd::to_float(simd::load_i8(reinterpret_cast<const std::int8_t*>(from)));
            case element_kind::i32: return simd::to_float(simd::load_int(reinterpret_cast<const std::int32_t*>(from)));
            case element_kind::f32: break;
        }
        return simd::load(reinterpret_cast<const float*>(from));
    }

    /// The same for u8 or i8 elements, as integers.
    [[gnu::always_inline]] static ints load_bytes(const void* data, element_kind kind, std::int64_t index,
                                                  std::int64_t count) noexcept {
        const unsigned char* from = static_cast<const unsigned char*>(data) + index;
        unsigned char whole[width];
        if (count < width) {
            for (std::int64_t i = 0; i < width; ++i)
                whole[i] = i < count ? from[i] : static_cast<unsigned char>(0);
            from = whole;
        }
        return kind == element_kind::u8 ? simd::load_u8(from)
                                        : simd::load_i8(reinterpret_cast<const std::int8_t*>(from));
    }

    /// The value of an operation at `index`: an array's elements, or one number for all.
    [[gnu::always_inline]] static floats load_or(const float* array, float all, std::int64_t index,
                                                 std::int64_t count) noexcept {
        return array != nullptr ? load_part<Isa>(array + index, count) : simd::broadcast(all);
    }

    /// A post operation with the numbers of one channel as numbers of all.
    static post_operation of_channel(post_operation step, std::int64_t channel) noexcept {
        if (step.per_channel_a != nullptr) step.alpha = step.per_channel_a[channel];
        if (step.per_channel_b != nullptr) step.beta = step.per_channel_b[channel];
        step.per_channel_a = step.per_channel_b = nullptr;
        return step;
    }

    /// v = fma(v, scale, bias) for `columns` channels from `channel` on.
    static void scale_and_shift(const float* scale, float scale_all, const float* shift, float shift_all, float* v,
                                std::int64_t channel, std::int64_t columns) noexcept {
        for (std::int64_t i = 0; i < columns; i += width) {
            const floats a = load_or(scale, scale_all, channel + i, columns - i);
            const floats b = load_or(shift, shift_all, channel + i, columns - i);
            simd::store(v + i, simd::fma(simd::load(v + i), a, b));
        }
    }

    /// Everything after x: `v` holds `columns` (<= finish_columns) values x of row `row` from channel `channel` on, with finite
    /// padding up to a multiple of the width.
    static void row(const epilogue& e, const float* v, std::int64_t row_index, std::int64_t channel,
                    std::int64_t columns, unsigned char* output) noexcept {
        finish_row(e, row_index, channel, columns, output,
                   [v](std::int64_t i) __attribute__((always_inline)) { return simd::load(v + i); });
    }

    /// `rows` rows of `columns` (<= finish_columns) integer accumulators, `stride` apart and readable up to a multiple of the width.
    /// `output` is the address of (row `first_row`, channel `channel`), `output_stride` counts elements.
    static void tile(const epilogue& e, const std::int32_t* sums, std::int64_t stride, std::int64_t rows,
                     std::int64_t first_row, std::int64_t channel, std::int64_t columns, unsigned char* output,
                     std::int64_t output_stride) noexcept {
        const std::int64_t row_bytes = output_stride * bytes_of(e.output_type);
        if (e.output_type == element_kind::i32) {
            for (std::int64_t r = 0; r < rows; ++r)
                std::memcpy(output + r * row_bytes, sums + r * stride,
                            static_cast<std::size_t>(columns) * sizeof(std::int32_t));
        } else if (e.fixed != nullptr) {
            fixed_store<Isa>::tile(e, sums, stride, rows, channel, columns, output, row_bytes);
        } else if (e.post_count == 0 && e.output_type != element_kind::f32) {
            requantize(e, sums, stride, rows, channel, columns, output, row_bytes);
        } else {
            for (std::int64_t r = 0; r < rows; ++r) {
                const std::int32_t* const from = sums + r * stride;
                finish_row(e, first_row + r, channel, columns, output + r * row_bytes,
                           [from](std::int64_t i)
                               __attribute__((always_inline)) { return simd::to_float(simd::load_int(from + i)); });
            }
        }
    }

    /// The same for float accumulators.
    static void tile(const epilogue& e, const float* sums, std::int64_t stride, std::int64_t rows,
                     std::int64_t first_row, std::int64_t channel, std::int64_t columns, unsigned char* output,
                     std::int64_t output_stride) noexcept {
        const std::int64_t row_bytes = output_stride * bytes_of(e.output_type);
        for (std::int64_t r = 0; r < rows; ++r)
            row(e, sums + r * stride, first_row + r, channel, columns, output + r * row_bytes);
    }

    /// Whether sums are stored as they are; those of floats with the sign of their zeros.
    template <bool AreFloats>
    static bool keeps_sums(const epilogue& e) noexcept {
        if (!AreFloats) return e.output_type == element_kind::i32;
        const bool scales = e.scale != nullptr || e.scale_all != 1;
        const bool shifts = e.bias != nullptr || e.bias_all != 0 || !__builtin_signbit(e.bias_all);
        return e.output_type == element_kind::f32 && e.post_count == 0 && !scales && !shifts;
    }

    /// Whether 32-bit sums of channels [begin, end) can become bytes without a clamp before they are rounded: no post operations, and
    /// scales and biases so small that what is rounded fits in 32 bits. `products`: how many a sum has at most, each of two bytes less
    /// their zero points.
    static bool requantizes_directly(const epilogue& e, std::int64_t begin, std::int64_t end,
                                     std::int64_t products) noexcept {
        constexpr float largest_product = 255.0f * 383.0f;
        const float largest_sum = largest_product * static_cast<float>(products);
        const float largest_scale =
            largest_sum < 4294967296.0f ? 1073741824.0f / largest_sum : 0.25f;  // sums are of 32 bits
        const bool bytes = e.output_type == element_kind::u8 || e.output_type == element_kind::i8;
        if (e.fixed != nullptr) return false;
        return e.post_count == 0 && bytes && stays_small(e.scale, e.scale_all, largest_scale, begin, end) &&
               stays_small(e.bias, e.bias_all, 536870912.0f, begin, end);
    }

private:
    /// Whether the magnitudes of all numbers of channels [begin, end) are at most `limit`.
    static bool stays_small(const float* array, float all, float limit, std::int64_t begin, std::int64_t end) noexcept {
        if (array == nullptr) return all >= -limit && all <= limit;
        return greatest_magnitude<Isa>(array + begin, end - begin) <= limit;
    }

    /// A part of a row: `columns` channels are left from `channel` on.
    struct row_part {
        std::int64_t row;
        std::int64_t channel;
        std::int64_t columns;
    };

    /// A row, four vectors at a time, which stay in registers from x to the store. `x(i)` is the vector of x from column i on.
    template <class Values>
    [[gnu::always_inline]] static void finish_row(const epilogue& e, std::int64_t row_index, std::int64_t channel,
                                                  std::int64_t columns, unsigned char* output,
                                                  const Values& x) noexcept {
        const std::int64_t size = bytes_of(e.output_type);
        std::int64_t i = 0;
        for (; i + 4 * width <= columns; i += 4 * width)
            finish_vectors<4, true>(e, {row_index, channel + i, columns - i}, output + i * size,
                                    [&x, i](int j) __attribute__((always_inline)) { return x(i + j * width); });
        for (; i < columns; i += width)
            finish_vectors<1, false>(e, {row_index, channel + i, columns - i}, output + i * size,
                                     [&x, i](int) __attribute__((always_inline)) { return x(i); });
    }

    template <int Count, bool Whole, class Values>
    [[gnu::always_inline]] static void finish_vectors(const epilogue& e, const row_part& at, unsigned char* output,
                                                      const Values& x) noexcept {
        floats v[Count];
#pragma GCC unroll 4
        for (int j = 0; j < Count; ++j)
            v[j] =
                simd::fma(x(j), number<Whole>(e.scale, e.scale_all, at, j), number<Whole>(e.bias, e.bias_all, at, j));
        for (int k = 0; k < e.post_count; ++k)
            apply<Count, Whole>(e.post[k], v, at);
        store<Count, Whole>(e, v, at.columns, output);
    }

    /// The numbers of vector j: an array's elements, or one number for all.
    template <bool Whole>
    [[gnu::always_inline]] static floats number(const float* array, float all, const row_part& at, int j) noexcept {
        if (array == nullptr) return simd::broadcast(all);
        const float* const from = array + at.channel + j * width;
        return Whole ? simd::load(from) : load_part<Isa>(from, at.columns - j * width);
    }
    template <bool Whole>
    [[gnu::always_inline]] static floats residual(const post_operation& step, const row_part& at, int j) noexcept {
        const std::int64_t index = at.row * step.residual_row_stride + at.channel + j * width;
        return load_elements(step.residual, step.residual_type, index, Whole ? width : at.columns - j * width);
    }

    /// One post operation.
    template <int Count, bool Whole>
    [[gnu::always_inline]] static void apply(const post_operation& step, floats (&v)[Count],
                                             const row_part& at) noexcept {
        const floats alpha = simd::broadcast(step.alpha);
        const floats beta = simd::broadcast(step.beta);
        switch (step.kind) {
            case post_kind::clamp:
#pragma GCC unroll 4
                for (int j = 0; j < Count; ++j)
                    v[j] = simd::at_most(simd::at_least(v[j], alpha), beta);
                break;
            case post_kind::prelu:
#pragma GCC unroll 4
                for (int j = 0; j < Count; ++j) {
                    const floats slope = number<Whole>(step.per_channel_a, step.alpha, at, j);
                    v[j] = simd::select(simd::less(v[j], simd::broadcast(0.0f)), simd::multiply(v[j], slope), v[j]);
                }
                break;
            case post_kind::divide:
#pragma GCC unroll 4
                for (int j = 0; j < Count; ++j)
                    v[j] = simd::divide(v[j], number<Whole>(step.per_channel_a, step.alpha, at, j));
                break;
            case post_kind::scale_shift:
#pragma GCC unroll 4
                for (int j = 0; j < Count; ++j) {
                    v[j] = simd::fma(v[j], number<Whole>(step.per_channel_a, step.alpha, at, j),
                                     number<Whole>(step.per_channel_b, step.beta, at, j));
                }
                break;
            case post_kind::add_residual:
#pragma GCC unroll 4
                for (int j = 0; j < Count; ++j)
                    v[j] = simd::fma(residual<Whole>(step, at, j), alpha, v[j]);
                break;
            case post_kind::multiply_residual:
#pragma GCC unroll 4
                for (int j = 0; j < Count; ++j)
                    v[j] = simd::multiply(v[j], simd::fma(residual<Whole>(step, at, j), alpha, beta));
                break;
            case post_kind::unary: {
                alignas(64) float values[Count * width];
#pragma GCC unroll 4
                for (int j = 0; j < Count; ++j)
                    simd::store(values + j * width, v[j]);
                unary<Isa>::apply(step.function, values, Count * width, step.alpha, step.beta);
#pragma GCC unroll 4
                for (int j = 0; j < Count; ++j)
                    v[j] = simd::load(values + j * width);
                break;
            }
        }
    }

    /// Rounds, saturates and stores. `columns` values are left.
    template <int Count, bool Whole>
    [[gnu::always_inline]] static void store(const epilogue& e, const floats (&v)[Count], std::int64_t columns,
                                             unsigned char* output) noexcept {
        if (e.output_type == element_kind::f32) {
            if (Whole || columns >= width) {
#pragma GCC unroll 4
                for (int j = 0; j < Count; ++j)
                    simd::store(reinterpret_cast<float*>(output) + j * width, v[j]);
            } else {
                float tail[width];
                simd::store(tail, v[0]);
                std::memcpy(output, tail, static_cast<std::size_t>(columns) * sizeof(float));
            }
            return;
        }
        const floats low = simd::broadcast(e.quant_low);
        const floats high = simd::broadcast(e.quant_high);
        ints q[Count];
#pragma GCC unroll 4
        for (int j = 0; j < Count; ++j)
            q[j] = simd::round_to_int(simd::at_most(simd::at_least(v[j], low), high));
        if constexpr (Count == 4) {
            if (e.output_type == element_kind::i8)
                simd::template store_bytes<true>(output, q[0], q[1], q[2], q[3]);
            else
                simd::template store_bytes<false>(output, q[0], q[1], q[2], q[3]);
        } else if (columns >= width) {
            simd::store_byte(output, q[0]);
        } else {
            std::uint8_t tail[width];
            simd::store_byte(tail, q[0]);
            copy_few<Isa, width>(output, tail, columns);
        }
    }

    [[gnu::always_inline]] static ints quantized(const std::int32_t* sums, floats scale, floats bias, floats low,
                                                 floats high) noexcept {
        const floats x = simd::to_float(simd::load_int(sums));
        return simd::round_to_int(simd::at_most(simd::at_least(simd::fma(x, scale, bias), low), high));
    }

    /// The case that matters most, without a detour through memory: scale, bias, round, saturate. Columns outermost, so that the
    /// constants of a column stay in registers.
    static void requantize(const epilogue& e, const std::int32_t* sums, std::int64_t stride, std::int64_t rows,
                           std::int64_t channel, std::int64_t columns, unsigned char* output,
                           std::int64_t row_bytes) noexcept {
        std::int64_t i = 0;
        for (; i + 4 * width <= columns; i += 4 * width) {
            if (e.output_type == element_kind::i8)
                requantize_four<true>(e, sums + i, stride, rows, channel + i, output + i, row_bytes);
            else
                requantize_four<false>(e, sums + i, stride, rows, channel + i, output + i, row_bytes);
        }
        const floats low = simd::broadcast(e.quant_low);
        const floats high = simd::broadcast(e.quant_high);
        for (; i < columns; i += width) {
            const std::int64_t count = columns - i;
            const floats scale = load_or(e.scale, e.scale_all, channel + i, count);
            const floats bias = load_or(e.bias, e.bias_all, channel + i, count);
            for (std::int64_t r = 0; r < rows; ++r) {
                const ints q = quantized(sums + r * stride + i, scale, bias, low, high);
                unsigned char* to = output + r * row_bytes + i;
                if (count >= width) {
                    simd::store_byte(to, q);
                } else {
                    std::uint8_t tail[width];
                    simd::store_byte(tail, q);
                    copy_few<Isa, width>(to, tail, count);
                }
            }
        }
    }

    /// Four vectors of columns, which one store takes.
    template <bool Signed>
    static void requantize_four(const epilogue& e, const std::int32_t* sums, std::int64_t stride, std::int64_t rows,
                                std::int64_t channel, unsigned char* output, std::int64_t row_bytes) noexcept {
        const floats low = simd::broadcast(e.quant_low);
        const floats high = simd::broadcast(e.quant_high);
        floats scale[4];
        floats bias[4];
#pragma GCC unroll 4
        for (int v = 0; v < 4; ++v) {
            scale[v] = load_or(e.scale, e.scale_all, channel + v * width, width);
            bias[v] = load_or(e.bias, e.bias_all, channel + v * width, width);
        }
        for (std::int64_t r = 0; r < rows; ++r) {
            const std::int32_t* from = sums + r * stride;
            const ints a = quantized(from, scale[0], bias[0], low, high);
            const ints b = quantized(from + width, scale[1], bias[1], low, high);
            const ints c = quantized(from + 2 * width, scale[2], bias[2], low, high);
            const ints d = quantized(from + 3 * width, scale[3], bias[3], low, high);
            simd::template store_bytes<Signed>(output + r * row_bytes, a, b, c, d);
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
