// SPDX-License-Identifier: Apache-2.0
// The definition of small convolutions and matrix products of i8 codes.
#pragma once

#include <lpt/kernel/fixed_product.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// In memory: the zero point, the bias, the weights.
template <>
struct fixed_product<on::scalar> {
    using simd = lanes<on::scalar>;
    static constexpr std::int64_t most_products = 32768;

    /// Products of one output.
    static std::int64_t depth(const fixed_product_shape& s) noexcept {
        return s.kernel[0] * s.kernel[1] * (s.depthwise ? 1 : s.in_channels);
    }
    static std::size_t packed_bytes(const fixed_product_shape& s) noexcept {
        if (!has_small_sizes(s)) return 0;
        std::int64_t products = 1;
        for (const std::int64_t each : {s.batch, s.out[0], s.out[1], s.out_channels, s.kernel[0], s.kernel[1],
                                        s.depthwise ? std::int64_t{1} : s.in_channels}) {
            products *= each;
            if (products > most_products) return 0;
        }
        return static_cast<std::size_t>(4 + s.out_channels * (4 + depth(s)));
    }
    static void pack(const fixed_product_shape& s, const fixed_product_weights& from, void* packed) noexcept {
        unsigned char* const to = static_cast<unsigned char*>(packed);
        std::memcpy(to, &from.zero_point, 4);
        std::memcpy(to + 4, from.bias, static_cast<std::size_t>(s.out_channels * 4));
        std::memcpy(to + 4 + s.out_channels * 4, from.data, static_cast<std::size_t>(s.out_channels * depth(s)));
    }

    static void run(const fixed_product_problem& p) noexcept {
        const fixed_product_shape& s = p.shape;
        std::int8_t* to = p.output;
        for (std::int64_t b = 0; b < s.batch; ++b) {
            for (std::int64_t y = 0; y < s.out[0]; ++y) {
                for (std::int64_t x = 0; x < s.out[1]; ++x) {
                    for (std::int64_t o = 0; o < s.out_channels; ++o)
                        *to++ = code_of(p, sum_of(p, b, y, x, o), o);
                }
            }
        }
    }

private:
    static std::int32_t sum_of(const fixed_product_problem& p, std::int64_t b, std::int64_t y, std::int64_t x,
                               std::int64_t o) noexcept {
        const fixed_product_shape& s = p.shape;
        const auto* const packed = static_cast<const unsigned char*>(p.packed);
        const auto* const weights = reinterpret_cast<const std::int8_t*>(packed + 4 + s.out_channels * 4);
        std::int32_t zero_point, sum;
        std::memcpy(&zero_point, packed, sizeof zero_point);
        std::memcpy(&sum, packed + 4 + 4 * o, sizeof sum);
        for (std::int64_t ky = 0; ky < s.kernel[0]; ++ky) {
            const std::int64_t row = y * s.stride[0] - s.pad_begin[0] + ky * s.dilation[0];
            if (row < 0 || row >= s.in[0]) continue;
            for (std::int64_t kx = 0; kx < s.kernel[1]; ++kx) {
                const std::int64_t column = x * s.stride[1] - s.pad_begin[1] + kx * s.dilation[1];
                if (column < 0 || column >= s.in[1]) continue;
                const std::int8_t* const pixel = p.input + ((b * s.in[0] + row) * s.in[1] + column) * s.in_channels;
                const std::int64_t tap = ky * s.kernel[1] + kx;
                if (s.depthwise) {
                    sum = simd::add_int(sum, (pixel[o] - zero_point) * weights[tap * s.out_channels + o]);
                    continue;
                }
                for (std::int64_t c = 0; c < s.in_channels; ++c)
                    sum = simd::add_int(sum, (pixel[c] - zero_point) * weights[o * depth(s) + tap * s.in_channels + c]);
            }
        }
        return sum;
    }

    static std::int8_t code_of(const fixed_product_problem& p, std::int32_t sum, std::int64_t o) noexcept {
        const fixed_point& f = *p.numbers;
        const std::int32_t code = f.real != nullptr
                                      ? simd::add_int(simd::rounded_products(sum, f.real + o), f.zero_point)
                                      : fixed_columns<simd>::load(f, o).scaled(sum);
        return static_cast<std::int8_t>(code < p.low ? p.low : code > p.high ? p.high : code);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
