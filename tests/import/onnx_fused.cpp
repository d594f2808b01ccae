// SPDX-License-Identifier: Apache-2.0
#include "tests/import/onnx_results.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

/// Operators that ONNX Runtime fuses, against their definitions.
namespace {

using namespace lpt;
using namespace lpt::testing::onnx_file;

const std::string microsoft = "com.microsoft";

void check_near(const values& made, const values& wanted) {
    REQUIRE(made.size() == wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        CHECK(made[i] == doctest::Approx(wanted[i]).epsilon(2e-6));
    }
}
std::string untyped(const std::string& name) {
    return message([&](pbf_writer& to) { to.add_string(1, name); });
}
std::string reals_attribute(const std::string& name, const std::vector<float>& all) {
    return message([&](pbf_writer& to) {
        to.add_string(1, name);
        to.add_packed_float(7, all.begin(), all.end());
        to.add_int32(20, 6);
    });
}
double gelu(double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); }

}  // namespace

TEST_CASE("FusedConv adds its bias and another tensor before the activation") {
    const values x{1, -2, 3, -4, 5, -6, 7, -8, 9};
    const double weights[2][2] = {{1, 2}, {-1, 1}};
    const values added{1, -20, 3, -4};
    using function = std::function<double(double)>;
    const std::vector<std::pair<words, function>> activations{
        {{}, [](double v) { return v; }},
        {{word_attribute("activation", "Relu")}, [](double v) { return std::max(v, 0.0); }},
        {{word_attribute("activation", "Tanh")}, [](double v) { return std::tanh(v); }},
        {{word_attribute("activation", "Sigmoid")}, [](double v) { return 1 / (1 + std::exp(-v)); }},
        {{word_attribute("activation", "LeakyRelu"), reals_attribute("activation_params", {0.1F})},
         [](double v) { return v < 0 ? static_cast<double>(0.1F) * v : v; }},
        {{word_attribute("activation", "Clip"), reals_attribute("activation_params", {-2, 5})},
         [](double v) { return std::clamp(v, -2.0, 5.0); }},
        {{word_attribute("activation", "HardSigmoid"), reals_attribute("activation_params", {0.125F, 0.5F})},
         [](double v) { return std::clamp(0.125 * v + 0.5, 0.0, 1.0); }},
    };
    for (const auto& [attributes, applied] : activations) {
        const parts net{{make_node("FusedConv", {"x", "w", "b", "z"}, {"y"}, attributes, microsoft)},
                        {floats("w", {1, 1, 2, 2}, {1, 2, -1, 1}), floats("b", {1}, {0.5F}),
                         floats("z", {1, 1, 2, 2}, {1, -20, 3, -4})},
                        {value("x", {1, 1, 3, 3})},
                        {untyped("y")}};
        values wanted;
        for (std::size_t row = 0; row < 2; ++row) {
            for (std::size_t column = 0; column < 2; ++column) {
                double sum = 0.5 + added[row * 2 + column];
                for (std::size_t i = 0; i < 2; ++i) {
                    for (std::size_t j = 0; j < 2; ++j) {
                        sum += x[(row + i) * 3 + column + j] * weights[i][j];
                    }
                }
                wanted.push_back(applied(sum));
            }
        }
        check_near(results_of(make_model(net), {floats_of({1, 1, 3, 3}, x)})[0], wanted);
    }
}

TEST_CASE("SkipLayerNormalization normalizes the sum of two tensors and a bias, which it gives, too") {
    const values x{1, 2, 3, 6, 0, -1, 4, 2};
    const values skip{0.5, -1, 0, 1, 1, 1, -2, 3};
    const values gamma{1, 2, 0.5, 1};
    const values beta{0, 0.25, -0.125, 1};
    const values bias{0.125, 0.25, 0.375, 0.5};
    const auto constant = [](const std::string& name, const values& all) {
        return floats(name, {static_cast<std::int64_t>(all.size())}, std::vector<float>(all.begin(), all.end()));
    };
    const std::string epsilon = message([](pbf_writer& to) {
        to.add_string(1, "epsilon");
        to.add_float(2, 0.001F);
        to.add_int32(20, 1);
    });
    const parts net{
        {make_node("SkipLayerNormalization", {"x", "s", "g", "o", "b"}, {"y", "", "", "sum"}, {epsilon}, microsoft)},
        {constant("g", gamma), constant("o", beta), constant("b", bias)},
        {value("x", {1, 2, 4}), value("s", {1, 2, 4})},
        {untyped("y"), untyped("sum")}};
    values sums;
    values wanted;
    for (std::size_t row = 0; row < 2; ++row) {
        double mean = 0;
        double variance = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            sums.push_back(x[row * 4 + i] + skip[row * 4 + i] + bias[i]);
            mean += sums.back() / 4;
        }
        for (std::size_t i = 0; i < 4; ++i) {
            variance += (sums[row * 4 + i] - mean) * (sums[row * 4 + i] - mean) / 4;
        }
        for (std::size_t i = 0; i < 4; ++i) {
            wanted.push_back((sums[row * 4 + i] - mean) / std::sqrt(variance + static_cast<double>(0.001F)) * gamma[i] +
                             beta[i]);
        }
    }
    const std::vector<values> result =
        results_of(make_model(net), {floats_of({1, 2, 4}, x), floats_of({1, 2, 4}, skip)});
    check_near(result[0], wanted);
    check_near(result[1], sums);
}

TEST_CASE("Gelu and BiasGelu are x * P(X <= x) of the normal distribution, the latter of a sum") {
    const values x{-3, -1, -0.125, 0, 0.5, 2};
    const auto computed = [&](const std::string& type, const words& inputs) {
        const parts net{{make_node(type, inputs, {"y"}, {}, microsoft)},
                        {floats("b", {3}, {1, -1, 0.5F})},
                        {value("x", {2, 3})},
                        {untyped("y")}};
        return results_of(make_model(net), {floats_of({2, 3}, x)})[0];
    };
    const double bias[] = {1, -1, 0.5};
    values plain;
    values of_sums;
    for (std::size_t i = 0; i < x.size(); ++i) {
        plain.push_back(gelu(x[i]));
        of_sums.push_back(gelu(x[i] + bias[i % 3]));
    }
    check_near(computed("Gelu", {"x"}), plain);
    check_near(computed("BiasGelu", {"x", "b"}), of_sums);
}
