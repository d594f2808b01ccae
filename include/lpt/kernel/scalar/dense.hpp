// SPDX-License-Identifier: Apache-2.0
// The definition of matrix multiplication and convolution: one output after the other, one product after the other.
#pragma once

#include <lpt/kernel/convolution.hpp>

namespace lpt::inline LPT_ABI::kernel {

namespace detail {

/// Weights of one output, zero points subtracted: int16 values, or floats.
/// In memory: [output][k], 4 bytes per value for floats and 2 otherwise.
struct scalar_weights {
    static std::int64_t value_bytes(element_kind type) noexcept { return type == element_kind::f32 ? 4 : 2; }

    static void put(void* packed, std::int64_t index, const void* data, element_kind type, std::int64_t from,
                    std::int32_t zero_point) noexcept {
        const unsigned char* bytes = static_cast<const unsigned char*>(data) + from * bytes_of(type);
        unsigned char* to = static_cast<unsigned char*>(packed) + index * value_bytes(type);
        if (type == element_kind::f32) {
            std::memcpy(to, bytes, 4);
            return;
        }
        const std::int32_t raw = type == element_kind::u8 ? static_cast<std::int32_t>(*bytes)
                                                          : static_cast<std::int32_t>(static_cast<std::int8_t>(*bytes));
        const std::int16_t value = static_cast<std::int16_t>(raw - zero_point);
        std::memcpy(to, &value, sizeof value);
    }
};

/// One output's sum, integer or float; `add` takes the products in order.
struct scalar_sum {
    const unsigned char* input;
    element_kind type;
    std::int32_t zero_point;
    const unsigned char* weights;
    std::uint32_t integer = 0;
    float real = 0;

    /// Adds input[at] * weights[k]; `at` < 0 is padding.
    void add(std::int64_t at, std::int64_t k) noexcept {
        if (type == element_kind::f32) {
            float a = 0;
            float w;
            if (at >= 0) std::memcpy(&a, input + at * 4, sizeof a);
            std::memcpy(&w, weights + k * 4, sizeof w);
            real = __builtin_fmaf(a, w, real);
            return;
        }
        if (at < 0) return;
        std::int16_t w;
        std::memcpy(&w, weights + k * 2, sizeof w);
        const std::int32_t raw = type == element_kind::i8
                                     ? static_cast<std::int32_t>(static_cast<std::int8_t>(input[at]))
                                     : static_cast<std::int32_t>(input[at]);
        integer +=
            static_cast<std::uint32_t>(raw - zero_point) * static_cast<std::uint32_t>(static_cast<std::int32_t>(w));
    }

    void finish_into(const epilogue& e, std::int64_t row, std::int64_t channel, void* output,
                     std::int64_t output_stride) const noexcept {
        unsigned char* to =
            static_cast<unsigned char*>(output) + (row * output_stride + channel) * bytes_of(e.output_type);
        if (type == element_kind::f32) {
            finish<on::scalar>::tile(e, &real, 1, 1, row, channel, 1, to, output_stride);
        } else {
            const std::int32_t sum = static_cast<std::int32_t>(integer);
            finish<on::scalar>::tile(e, &sum, 1, 1, row, channel, 1, to, output_stride);
        }
    }
};

} // namespace detail

template <>
struct gemm<on::scalar> {
    static std::size_t packed_bytes(element_kind type, std::int64_t k, std::int64_t n) noexcept {
        return static_cast<std::size_t>(k * n * detail::scalar_weights::value_bytes(type));
    }

    static void pack(const gemm_weights& weights, void* packed, const parallel_for&) noexcept {
        for (std::int64_t n = 0; n < weights.n; ++n) {
            const std::int64_t zero_index = weights.zero_point_count > 1 ? n : 0;
            const std::int32_t zero = weights.zero_point_count > 0 ? weights.zero_points[zero_index] : 0;
            for (std::int64_t k = 0; k < weights.k; ++k) {
                detail::scalar_weights::put(packed, n * weights.k + k, weights.data, weights.type,
                                            k * weights.k_stride + n * weights.n_stride, zero);
            }
        }
    }

    static void run(const gemm_problem& problem, const parallel_for& parallel) noexcept {
        split<on::scalar>(parallel, problem.m, 1, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t m = begin; m < end; ++m) {
                for (std::int64_t n = 0; n < problem.n; ++n)
                    run_output(problem, m, n);
            }
        });
    }

    static void run_output(const gemm_problem& p, std::int64_t m, std::int64_t n) noexcept {
        const unsigned char* weights = static_cast<const unsigned char*>(p.packed_b);
        detail::scalar_sum sum{static_cast<const unsigned char*>(p.a), p.a_type, p.a_zero_point,
                               weights + n * p.k * detail::scalar_weights::value_bytes(p.a_type)};
        for (std::int64_t k = 0; k < p.k; ++k)
            sum.add(m * p.a_row_stride + k, k);
        sum.finish_into(p.finish, m, n, p.c, p.c_row_stride);
    }
};

template <>
struct convolution<on::scalar> {
    using geometry = convolution_geometry<on::scalar>;

    static std::int64_t values_per_output(const convolution_shape& s) noexcept {
        return geometry::taps(s) * geometry::group_in(s);
    }

    static std::size_t packed_bytes(const convolution_shape& s, element_kind type) noexcept {
        return static_cast<std::size_t>(s.out_channels * values_per_output(s) *
                                        detail::scalar_weights::value_bytes(type));
    }

    static void pack(const convolution_shape& s, const convolution_weights& weights, void* packed,
                     const parallel_for&) noexcept {
        std::int64_t index = 0;
        for (std::int64_t o = 0; o < s.out_channels; ++o) {
            const std::int64_t g = o / geometry::group_out(s);
            const std::int64_t zero_index = weights.zero_point_count > 1 ? o : 0;
            const std::int32_t zero = weights.zero_point_count > 0 ? weights.zero_points[zero_index] : 0;
            for (std::int64_t t = 0; t < geometry::taps(s); ++t) {
                for (std::int64_t i = 0; i < geometry::group_in(s); ++i, ++index) {
                    const std::int64_t from = g * weights.group_stride +
                                              o % geometry::group_out(s) * weights.out_stride + i * weights.in_stride +
                                              t * weights.tap_stride;
                    detail::scalar_weights::put(packed, index, weights.data, weights.type, from, zero);
                }
            }
        }
    }

    static std::size_t scratch_bytes(const convolution_shape&, element_kind, int) noexcept { return 0; }
    static convolution_method method(const convolution_shape&) noexcept { return convolution_method::direct; }

    static void run(const convolution_problem& problem, const parallel_for& parallel) noexcept {
        split<on::scalar>(parallel, geometry::pixels(problem.shape), 1, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t row = begin; row < end; ++row) {
                for (std::int64_t o = 0; o < problem.shape.out_channels; ++o)
                    run_output(problem, row, o);
            }
        });
    }

    static void run_output(const convolution_problem& p, std::int64_t row, std::int64_t o) noexcept {
        const convolution_shape& s = p.shape;
        const std::int64_t channels = geometry::group_in(s);
        const std::int64_t first = o / geometry::group_out(s) * channels;
        const unsigned char* weights = static_cast<const unsigned char*>(p.packed_weights);
        detail::scalar_sum sum{static_cast<const unsigned char*>(p.input), p.input_type, p.input_zero_point,
                               weights + o * values_per_output(s) * detail::scalar_weights::value_bytes(p.input_type)};
        geometry::for_each_tap(s, row, [&](std::int64_t tap, std::int64_t pixel) {
            for (std::int64_t i = 0; i < channels; ++i)
                sum.add(pixel < 0 ? -1 : pixel * p.input_pixel_stride + first + i, tap * channels + i);
        });
        sum.finish_into(p.finish, row, o, p.output, p.output_pixel_stride);
    }
};

} // namespace lpt::inline LPT_ABI::kernel
