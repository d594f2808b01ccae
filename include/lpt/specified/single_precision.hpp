// SPDX-License-Identifier: Apache-2.0
// Operations in single precision, as XNNPACK has them: their scale is an f32 number, or one of 8 or 20 bits made of it. What XNNPACK refuses,
// such as scales too far apart, is left to the reference's arithmetic.
#pragma once

#include <lpt/specified/lookup.hpp>
#include <lpt/specified/product.hpp>
#include <lpt/specified/reduction.hpp>
#include <lpt/specified/resize.hpp>

namespace lpt::inline LPT_ABI::specified {

namespace detail {

/// A ratio of scales as an integer with `bits` bits behind the point, ties to even.
inline std::int32_t in_fixed_point(float ratio, int bits) {
    return static_cast<std::int32_t>(std::nearbyint(std::ldexp(static_cast<double>(ratio), bits)));
}

inline bool is_within(float ratio, float lowest, float highest) { return ratio >= lowest && ratio < highest; }

/// The nearest code to a real number divided by the output's scale, the zero point added before it is rounded to even.
inline std::int32_t rounded_with_zero_point(float scaled, std::int32_t zero_point) {
    const float code = scaled + static_cast<float>(zero_point);
    return arithmetic::xnnpack::round_half_even(!(code > -128.0F) ? -128.0F : std::min(code, 127.0F));
}

/// ADD, SUB: r_k = s_k / s_o, n = 20 - floor(log2(max(r_1, r_2))), m_k = round_half_even(2^n r_k);
/// (m_1 (q_1 - z_1) +- m_2 (q_2 - z_2) + 2^(n - 1)) >> n, + z_o. Empty where a ratio is not in [2^-10, 2^8).
inline step make_single_precision_sum(const operation& op) {
    op.expect_codes(2);
    const quantized a = op.in(0), b = op.in(1), o = op.out();
    const float ratio_a = a.scale / o.scale, ratio_b = b.scale / o.scale;
    constexpr float lowest = 1.0F / 1024.0F, highest = 256.0F;
    if (!is_within(ratio_a, lowest, highest) || !is_within(ratio_b, lowest, highest)) return {};
    const int bits = 20 - std::ilogb(std::max(ratio_a, ratio_b));
    const std::int64_t by_a = in_fixed_point(ratio_a, bits);
    const std::int64_t by_b = in_fixed_point(ratio_b, bits) * (op.code() == tflite::builtin::sub ? -1 : 1);
    const std::int64_t half = std::int64_t{1} << (bits - 1);
    const code_range range = op.activated();
    return [=](const operands& run) {
        apply<std::int8_t, std::int8_t, std::int8_t>(run, 0, 1, [&](std::int8_t x, std::int8_t y) {
            const std::int64_t sum = by_a * (x - a.zero_point) + by_b * (y - b.zero_point);
            return range.clamp(((sum + half) >> bits) + o.zero_point);
        });
    };
}

/// MUL: round_half_even((q_1 - z_1) (q_2 - z_2) (s_1 s_2 / s_o)) + z_o. Empty where the ratio is not in [2^-16, 2^8).
template <class Arithmetic>
step make_single_precision_product(const operation& op) {
    op.expect_codes(2);
    const quantized a = op.in(0), b = op.in(1), o = op.out();
    const float by = a.scale * b.scale / o.scale;
    if (!is_within(by, 1.0F / 65536.0F, 256.0F)) return {};
    const code_range range = op.activated();
    return [=](const operands& run) {
        apply<std::int8_t, std::int8_t, std::int8_t>(run, 0, 1, [&](std::int8_t x, std::int8_t y) {
            const auto product = static_cast<float>((x - a.zero_point) * (y - b.zero_point));
            return Arithmetic::requantize(product, by, o.zero_point, range.lowest, range.highest);
        });
    };
}

/// QUANTIZE of int8 codes, LEAKY_RELU: m = round_half_even(2^8 s_i / s_o), of codes below z_i times alpha; (m (q - z_i) + 2^7) >> 8, + z_o.
/// Empty where a ratio is not in [2^-8, 2^7].
inline step make_coarse_affine(const operation& op, float alpha) {
    op.expect_codes(1);
    const quantized from = op.in(0), to = op.out();
    const float ratio = from.scale / to.scale;
    constexpr float lowest = 1.0F / 256.0F, highest = 128.0F;
    if (!(ratio >= lowest && ratio <= highest)) return {};
    if (!(std::fabs(ratio * alpha) >= lowest && std::fabs(ratio * alpha) <= highest)) return {};
    constexpr int bits = 8;
    const std::int32_t above = in_fixed_point(ratio, bits), below = in_fixed_point(ratio * alpha, bits);
    return make_lookup(op, code_table<std::int8_t>::made_of([&](int code) {
                           const std::int32_t centred = code - from.zero_point;
                           const std::int32_t scaled = centred * (centred >= 0 ? above : below) + (1 << (bits - 1));
                           return code_range().clamp((scaled >> bits) + to.zero_point);
                       }));
}

/// QUANTIZE of real numbers: round_half_even(x (1 / s_o)) + z_o.
template <class Arithmetic>
step make_single_precision_quantization(const operation& op) {
    const element from_type = op.type_of_input(0), to_type = op.type_of_output(0);
    if (from_type == i8 && to_type == i8) return make_coarse_affine(op, 1);
    if (from_type != f32 || to_type != i8) return {};
    const quantized to = op.out();
    const float inverse = 1.0F / to.scale;
    return [=](const operands& run) {
        const value& input = run.in(0);
        value& output = run.out();
        output.reshape(input.dimensions);
        const float* numbers = input.as<float>();
        std::int8_t* codes = output.to<std::int8_t>();
        const std::int64_t count = input.elements();
        for (std::int64_t i = 0; i < count; ++i)
            codes[i] = static_cast<std::int8_t>(Arithmetic::requantize(numbers[i], inverse, to.zero_point, -128, 127));
    };
}

/// MEAN, SUM: round_half_even(sum(q - z_i) (s_i / s_o / n) + z_o) in single precision, n of SUM is 1.
inline step make_single_precision_reduction(const operation& op) {
    op.expect_codes(1);
    const bool averages = op.code() == tflite::builtin::mean;
    const quantized from = op.in(0), to = op.out();
    const known_reduction known(op.option("keep_dims") != 0);
    return [=](const operands& run) {
        reduction& of = known.of(run);
        value& output = run.out();
        const std::vector<std::int64_t>& sums = centred_sums(run.in(0), output, of, from.zero_point);
        const float count = averages ? static_cast<float>(std::max<std::int64_t>(1, of.reduced)) : 1.0F;
        const float by = from.scale / to.scale / count;
        std::int8_t* codes = output.to<std::int8_t>();
        for (const std::int64_t sum : sums)
            *codes++ = static_cast<std::int8_t>(rounded_with_zero_point(static_cast<float>(sum) * by, to.zero_point));
    };
}

/// LOGISTIC, TANH, ELU: round_half_even(f(s_i (q - z_i)) (1 / s_o) + z_o); f rounded to single precision.
template <class Function>
step make_single_precision_function(const operation& op, Function function) {
    op.expect_codes(1);
    const quantized from = op.in(0), to = op.out();
    const float inverse = 1.0F / to.scale;
    return make_lookup(op, code_table<std::int8_t>::made_of([&](int code) {
                           const float x = from.scale * static_cast<float>(code - from.zero_point);
                           return rounded_with_zero_point(function(x) * inverse, to.zero_point);
                       }));
}

inline float logistic_of(float x) { return static_cast<float>(1.0 / (1.0 + std::exp(-static_cast<double>(x)))); }

/// Positions of RESIZE_BILINEAR in single precision, the weight of the second neighbour with 11 bits, ties to even.
inline std::vector<neighbours> weighted_neighbours_along(const sampling& of, std::int64_t input, std::int64_t output) {
    const std::int64_t corner = of.align_corners && output > 1 ? 1 : 0;
    const float scale = static_cast<float>(input - corner) / static_cast<float>(output - corner);
    const float offset = of.half_pixel_centers && !of.align_corners ? 0.5F * scale - 0.5F : 0.0F;
    std::vector<neighbours> result;
    for (std::int64_t v = 0; v < output; ++v) {
        const float p = static_cast<float>(v) * scale + offset;
        const float position = std::min(std::max(p, 0.0F), static_cast<float>(input - 1));
        const auto lower = static_cast<std::int64_t>(position);
        const float beyond = position - static_cast<float>(lower);
        result.push_back({lower, std::min(lower + 1, input - 1), in_fixed_point(beyond, 11)});
    }
    return result;
}

/// RESIZE_BILINEAR: along columns, then along rows, 2^11 first + (second - first) weight; the sum rounded half up at 22 bits.
inline step make_single_precision_bilinear(const operation& op) {
    op.expect_codes(1);
    const sampling of(op);
    return [=](const operands& run) {
        const value& input = run.in(0);
        value& output = run.out();
        output.reshape(resized(run));
        const std::int64_t height = input.dimensions[1], width = input.dimensions[2], channels = input.dimensions[3];
        const auto rows = weighted_neighbours_along(of, height, output.dimensions[1]);
        const auto columns = weighted_neighbours_along(of, width, output.dimensions[2]);
        std::int8_t* result = output.to<std::int8_t>();
        const auto between = [](std::int64_t first, std::int64_t second, std::int64_t weight) {
            return first * (1 << 11) + (second - first) * weight;
        };
        for (std::int64_t b = 0; b < input.dimensions[0]; ++b) {
            const std::int8_t* image = input.as<std::int8_t>() + b * height * width * channels;
            for (const neighbours& row : rows) {
                const std::int8_t* upper = image + row.lower * width * channels;
                const std::int8_t* lower = image + row.upper * width * channels;
                for (const neighbours& column : columns) {
                    const std::int64_t left = column.lower * channels, right = column.upper * channels;
                    for (std::int64_t c = 0; c < channels; ++c) {
                        const std::int64_t above = between(upper[left + c], upper[right + c], column.weight);
                        const std::int64_t below = between(lower[left + c], lower[right + c], column.weight);
                        const std::int64_t sum = between(above, below, row.weight) + (1 << 21);
                        *result++ = static_cast<std::int8_t>(sum >> 22);
                    }
                }
            }
        }
    };
}

}  // namespace detail

/// The kernel of an operation that XNNPACK computes in an arithmetic of its own; empty: it is the reference's, or XNNPACK refuses it.
template <class Arithmetic>
step make_single_precision_step(const operation& op) {
    using tflite::builtin;
    switch (op.code()) {
        case builtin::add:
        case builtin::sub: return detail::make_single_precision_sum(op);
        case builtin::mul: return detail::make_single_precision_product<Arithmetic>(op);
        case builtin::quantize: return detail::make_single_precision_quantization<Arithmetic>(op);
        case builtin::leaky_relu: return detail::make_coarse_affine(op, static_cast<float>(op.real_option("alpha")));
        case builtin::mean:
        case builtin::sum: return detail::make_single_precision_reduction(op);
        case builtin::logistic: return detail::make_single_precision_function(op, detail::logistic_of);
        case builtin::tanh: return detail::make_single_precision_function(op, detail::rounded<std::tanh>);
        case builtin::elu:
            return detail::make_single_precision_function(
                op, [](float x) { return x < 0 ? detail::rounded<std::expm1>(x) : x; });
        case builtin::resize_bilinear: return detail::make_single_precision_bilinear(op);
        case builtin::conv_2d: return make_convolution<Arithmetic>(op);
        case builtin::depthwise_conv_2d: return make_depthwise_convolution<Arithmetic>(op);
        case builtin::fully_connected: return make_fully_connected<Arithmetic>(op);
        default: return {};  // TRANSPOSE_CONV and BATCH_MATMUL have no other kernels
    }
}

}  // namespace lpt::inline LPT_ABI::specified
