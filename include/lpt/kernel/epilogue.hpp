// SPDX-License-Identifier: Apache-2.0
// From accumulators to memory: scale and bias, post operations, rounding, saturation, store.
#pragma once

#include <lpt/kernel/unary.hpp>

namespace lpt::kernel {

/// The most columns that one call of `finish` takes; its buffers live on the stack.
inline constexpr int finish_columns = 256;

template <class Isa>
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
            std::memcpy(whole, from, static_cast<std::size_t>(count * size));
            from = whole;
        }
        switch (kind) {
            case element_kind::u8: return simd::to_float(simd::load_u8(from));
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

    /// v = fma(v, scale, bias) for `columns` channels from `channel` on.
    static void scale_and_shift(const float* scale, float scale_all, const float* shift, float shift_all, float* v,
                                std::int64_t channel, std::int64_t columns) noexcept {
        for (std::int64_t i = 0; i < columns; i += width) {
            const floats a = load_or(scale, scale_all, channel + i, columns - i);
            const floats b = load_or(shift, shift_all, channel + i, columns - i);
            simd::store(v + i, simd::fma(simd::load(v + i), a, b));
        }
    }

    /// One post operation on one row.
    static void apply(const post_operation& step, float* v, std::int64_t row, std::int64_t channel,
                      std::int64_t columns) noexcept {
        const floats alpha = simd::broadcast(step.alpha);
        const floats beta = simd::broadcast(step.beta);
        const std::int64_t first = row * step.residual_row_stride + channel;
        switch (step.kind) {
            case post_kind::clamp:
                for (std::int64_t i = 0; i < columns; i += width)
                    simd::store(v + i, simd::at_most(simd::at_least(simd::load(v + i), alpha), beta));
                break;
            case post_kind::prelu:
                for (std::int64_t i = 0; i < columns; i += width) {
                    const floats x = simd::load(v + i);
                    const floats slope = load_or(step.per_channel_a, step.alpha, channel + i, columns - i);
                    simd::store(v + i, simd::select(simd::less(x, simd::broadcast(0.0f)), simd::multiply(x, slope), x));
                }
                break;
            case post_kind::scale_shift:
                scale_and_shift(step.per_channel_a, step.alpha, step.per_channel_b, step.beta, v, channel, columns);
                break;
            case post_kind::add_residual:
                for (std::int64_t i = 0; i < columns; i += width) {
                    const floats r = load_elements(step.residual, step.residual_type, first + i, columns - i);
                    simd::store(v + i, simd::fma(r, alpha, simd::load(v + i)));
                }
                break;
            case post_kind::multiply_residual:
                for (std::int64_t i = 0; i < columns; i += width) {
                    const floats r = load_elements(step.residual, step.residual_type, first + i, columns - i);
                    simd::store(v + i, simd::multiply(simd::load(v + i), simd::fma(r, alpha, beta)));
                }
                break;
            case post_kind::unary: {
                const std::int64_t padded = (columns + width - 1) / width * width;
                unary<Isa>::apply(step.function, v, padded, step.alpha, step.beta);
                break;
            }
        }
    }

    /// Copies `count` (< width) bytes in at most four moves; a loop over the bytes would cost more than the arithmetic.
    [[gnu::always_inline]] static void copy_tail(unsigned char* to, const std::uint8_t* from,
                                                 std::int64_t count) noexcept {
        std::int64_t done = 0;
        if constexpr (width > 8) {
            if ((count & 8) != 0) {
                std::memcpy(to, from, 8);
                done = 8;
            }
        }
        if constexpr (width > 4) {
            if ((count & 4) != 0) {
                std::memcpy(to + done, from + done, 4);
                done += 4;
            }
        }
        if constexpr (width > 2) {
            if ((count & 2) != 0) {
                std::memcpy(to + done, from + done, 2);
                done += 2;
            }
        }
        if ((count & 1) != 0) to[done] = from[done];
    }

    /// Rounds, saturates and stores `columns` values to `output`, the address of the first one.
    static void store(const epilogue& e, const float* v, std::int64_t columns, unsigned char* output) noexcept {
        if (e.output_type == element_kind::f32) {
            std::memcpy(output, v, static_cast<std::size_t>(columns) * sizeof(float));
            return;
        }
        const floats low = simd::broadcast(e.quant_low);
        const floats high = simd::broadcast(e.quant_high);
        const auto quantize = [low, high](const float* from) {
            return simd::round_to_int(simd::at_most(simd::at_least(simd::load(from), low), high));
        };
        std::int64_t i = 0;
        for (; i + 4 * width <= columns; i += 4 * width) {
            const ints a = quantize(v + i);
            const ints b = quantize(v + i + width);
            const ints c = quantize(v + i + 2 * width);
            const ints d = quantize(v + i + 3 * width);
            if (e.output_type == element_kind::i8)
                simd::template store_bytes<true>(output + i, a, b, c, d);
            else
                simd::template store_bytes<false>(output + i, a, b, c, d);
        }
        for (; i + width <= columns; i += width)
            simd::store_byte(output + i, quantize(v + i));
        if (i < columns) {
            std::uint8_t tail[width];
            simd::store_byte(tail, quantize(v + i));
            copy_tail(output + i, tail, columns - i);
        }
    }

    /// Everything after x: `v` holds `columns` (<= finish_columns) values x of row `row` from channel `channel` on, with finite
    /// padding up to a multiple of the width, and is used as working space.
    static void row(const epilogue& e, float* v, std::int64_t row_index, std::int64_t channel, std::int64_t columns,
                    unsigned char* output) noexcept {
        scale_and_shift(e.scale, e.scale_all, e.bias, e.bias_all, v, channel, columns);
        for (int k = 0; k < e.post_count; ++k)
            apply(e.post[k], v, row_index, channel, columns);
        store(e, v, columns, output);
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
        } else if (e.post_count == 0 && e.output_type != element_kind::f32) {
            requantize(e, sums, stride, rows, channel, columns, output, row_bytes);
        } else {
            alignas(64) float v[finish_columns];
            for (std::int64_t r = 0; r < rows; ++r) {
                for (std::int64_t i = 0; i < columns; i += width)
                    simd::store(v + i, simd::to_float(simd::load_int(sums + r * stride + i)));
                row(e, v, first_row + r, channel, columns, output + r * row_bytes);
            }
        }
    }

    /// The same for float accumulators.
    static void tile(const epilogue& e, const float* sums, std::int64_t stride, std::int64_t rows,
                     std::int64_t first_row, std::int64_t channel, std::int64_t columns, unsigned char* output,
                     std::int64_t output_stride) noexcept {
        const std::int64_t row_bytes = output_stride * bytes_of(e.output_type);
        alignas(64) float v[finish_columns];
        for (std::int64_t r = 0; r < rows; ++r) {
            for (std::int64_t i = 0; i < columns; i += width)
                simd::store(v + i, simd::load(sums + r * stride + i));
            row(e, v, first_row + r, channel, columns, output + r * row_bytes);
        }
    }

private:
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
                    copy_tail(to, tail, count);
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

}  // namespace lpt::kernel
