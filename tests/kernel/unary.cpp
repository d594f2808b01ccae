// SPDX-License-Identifier: Apache-2.0
#include "tests/kernel/support.hpp"

#include <doctest/doctest.h>

using namespace kernel_test;

namespace {

constexpr float alpha = 0.75f;
constexpr float beta = 1.25f;
constexpr int function_count = static_cast<int>(k::unary_function::cube) + 1;

/// The functions of `values`, computed by the post operation of a conversion.
std::vector<float> apply(const k::kernel_table& table, k::unary_function function, const std::vector<float>& values) {
    k::post_operation step;
    step.kind = k::post_kind::unary;
    step.function = function;
    step.alpha = alpha;
    step.beta = beta;
    // A conversion would turn NaN into its lower bound before the function, an elementwise operation does not.
    const float zero = 0;
    k::binary_problem p;
    p.function = k::binary_function::subtract;
    p.rows = 1;
    p.channels = static_cast<std::int64_t>(values.size());
    p.a.data = values.data();
    p.a.type = k::element_kind::f32;
    p.b.data = &zero;
    p.b.type = k::element_kind::f32;
    p.b.channel_stride = 0;
    p.finish.output_type = k::element_kind::f32;
    p.finish.bias_all = -0.0f;
    p.a.shift_all = -0.0f;
    p.finish.post = &step;
    p.finish.post_count = 1;
    std::vector<float> out(values.size());
    p.output = out.data();
    table.binary(p, threads(1));
    return out;
}

double exact(k::unary_function function, double v) {
    const double ramp = std::fmin(std::fmax(v + 3, 0), 6);
    switch (function) {
        case k::unary_function::sigmoid: return 1 / (1 + std::exp(-v));
        case k::unary_function::tanh: return std::tanh(v);
        case k::unary_function::hswish: return v * ramp / 6;
        case k::unary_function::hsigmoid: return ramp / 6;
        case k::unary_function::hard_sigmoid:
            return std::fmin(std::fmax(v * static_cast<double>(alpha) + static_cast<double>(beta), 0), 1);
        case k::unary_function::gelu_erf: return v * std::erfc(-v / std::sqrt(2.0)) / 2;
        case k::unary_function::gelu_tanh:
            return v / (1 + std::exp(-2 * std::sqrt(2 / 3.14159265358979323846) * (v + 0.044715 * v * v * v)));
        case k::unary_function::swish: return v / (1 + std::exp(-static_cast<double>(alpha) * v));
        case k::unary_function::mish: return v * std::tanh(std::log1p(std::exp(v)));
        case k::unary_function::elu: return v >= 0 ? v : static_cast<double>(alpha) * std::expm1(v);
        case k::unary_function::selu:
            return static_cast<double>(beta) * (v > 0 ? v : static_cast<double>(alpha) * std::expm1(v));
        case k::unary_function::softplus: return std::fmax(v, 0) + std::log1p(std::exp(-std::fabs(v)));
        case k::unary_function::softsign: return v / (1 + std::fabs(v));
        case k::unary_function::exp: return std::exp(v);
        case k::unary_function::log: return std::log(v);
        case k::unary_function::erf: return std::erf(v);
        case k::unary_function::sqrt: return std::sqrt(v);
        case k::unary_function::abs: return std::fabs(v);
        case k::unary_function::negative: return -v;
        case k::unary_function::floor: return std::floor(v);
        case k::unary_function::ceiling: return std::ceil(v);
        case k::unary_function::round_even: return std::nearbyint(v);
        case k::unary_function::round_away: return std::round(v);
        case k::unary_function::sign: return v > 0 ? 1 : v < 0 ? -1 : 0;
        case k::unary_function::reciprocal: return 1 / v;
        case k::unary_function::square: return v * v;
        case k::unary_function::cube: return v * v * v;
    }
    return 0;
}

std::vector<float> sample() {
    std::vector<float> values;
    for (int i = -16000; i <= 16000; ++i)
        values.push_back(static_cast<float>(i) * 0.005f);
    for (float x = 1e-30f; x < 1e30f; x *= 1.37f) {
        values.push_back(x);
        values.push_back(-x);
    }
    for (const float x :
         {0.0f, -0.0f, 0.5f, 1.5f, 2.5f, -0.5f, 88.7f, 88.72284f, 88.8f, 100.0f, -87.0f, -87.3f, -104.0f, 8388609.0f})
        values.push_back(x);
    return values;
}

} // namespace

TEST_CASE("every function is close to the exact one, within 4 ulp and what rounding its inner argument costs") {
    const std::vector<float> values = sample();
    for (int f = 0; f < function_count; ++f) {
        const k::unary_function function = static_cast<k::unary_function>(f);
        const std::vector<float> found = apply(k::table_for(k::isa::scalar), function, values);
        double worst = 0;
        float worst_at = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double expected = exact(function, static_cast<double>(values[i]));
            if (!(std::fabs(expected) < 3e38) || !(std::fabs(static_cast<double>(values[i])) < 80)) continue;
            const double v = static_cast<double>(values[i]);
            double ulps = 4;
            if (function == k::unary_function::swish) ulps += std::fabs(v) / 2;
            if (function == k::unary_function::gelu_tanh) ulps += 3 * std::fabs(v) * (1 + 0.045 * v * v);
            double allowed = ulps * std::fabs(expected) * 1.1920929e-7 + 1e-36;
            if (function == k::unary_function::gelu_erf) allowed = std::fmax(allowed, 3e-7);
            if (function == k::unary_function::gelu_tanh && v < -14) allowed = 1e-20;
            const double error = std::fabs(static_cast<double>(found[i]) - expected);
            if (!(error / allowed <= worst)) {
                worst = error / allowed;
                worst_at = values[i];
            }
        }
        CAPTURE(f);
        CAPTURE(worst_at);
        CHECK(worst <= 1);
    }
}

TEST_CASE("every instruction set gives the scalar bits for every function, also outside its domain") {
    std::vector<float> values = sample();
    const float inf = std::numeric_limits<float>::infinity();
    for (const float x : {inf, -inf, std::numeric_limits<float>::quiet_NaN(), 1e-42f, -1e-42f, 3.4e38f})
        values.push_back(x);
    for (int f = 0; f < function_count; ++f) {
        const k::unary_function function = static_cast<k::unary_function>(f);
        const std::vector<float> expected = apply(k::table_for(k::isa::scalar), function, values);
        for (const k::isa set : instruction_sets()) {
            const std::vector<float> found = apply(k::table_for(set), function, values);
            std::size_t wrong = 0;
            float wrong_at = 0;
            for (std::size_t i = 0; i < values.size(); ++i) {
                const bool equal =
                    std::memcmp(&found[i], &expected[i], 4) == 0 || (std::isnan(found[i]) && std::isnan(expected[i]));
                if (!equal) wrong_at = values[i];
                wrong += !equal;
            }
            CAPTURE(f);
            CAPTURE(std::string(k::name_of(set)));
            CAPTURE(wrong_at);
            CHECK(wrong == 0);
        }
    }
}

TEST_CASE("functions keep infinities and NaN where mathematics has an answer") {
    const float inf = std::numeric_limits<float>::infinity();
    const std::vector<float> values = {inf, -inf, std::numeric_limits<float>::quiet_NaN()};
    const k::kernel_table& table = k::table_for(k::isa::scalar);
    const auto at = [&](k::unary_function function, std::size_t i) { return apply(table, function, values)[i]; };
    CHECK(at(k::unary_function::exp, 0) == inf);
    CHECK(at(k::unary_function::exp, 1) == 0);
    CHECK(at(k::unary_function::sigmoid, 0) == 1);
    CHECK(at(k::unary_function::sigmoid, 1) == 0);
    CHECK(at(k::unary_function::tanh, 1) == -1);
    CHECK(at(k::unary_function::erf, 0) == 1);
    CHECK(at(k::unary_function::softplus, 0) == inf);
    CHECK(at(k::unary_function::softplus, 1) == 0);
    CHECK(at(k::unary_function::log, 0) == inf);
    CHECK(std::isnan(at(k::unary_function::log, 1)));
    CHECK(at(k::unary_function::elu, 1) == -alpha);
    CHECK(at(k::unary_function::gelu_erf, 1) == 0);
    for (const k::unary_function f :
         {k::unary_function::exp, k::unary_function::sigmoid, k::unary_function::tanh, k::unary_function::erf,
          k::unary_function::softplus, k::unary_function::log, k::unary_function::mish, k::unary_function::sqrt,
          k::unary_function::elu, k::unary_function::gelu_erf, k::unary_function::hswish}) {
        CAPTURE(static_cast<int>(f));
        CHECK(std::isnan(at(f, 2)));
    }
}
