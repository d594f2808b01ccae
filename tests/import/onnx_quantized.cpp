// SPDX-License-Identifier: Apache-2.0
#include <lpt/check/graph.hpp>

#include "tests/import/onnx_results.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

/// Operators on quantized tensors, against their definitions: dequantize, compute in real numbers, quantize.
namespace {

using namespace lpt;
using namespace lpt::testing::onnx_file;

const std::string microsoft = "com.microsoft";
constexpr std::int64_t i32_type = 6;

struct step {
    float scale;
    int zero;
    double lowest = 0;
    double highest = 255;

    double real(double code) const { return (code - zero) * static_cast<double>(scale); }
    double code(double number) const {
        return std::clamp(std::nearbyint(number / static_cast<double>(scale)) + zero, lowest, highest);
    }
};

constexpr step of_x{0.04F, 128};
constexpr step of_b{0.03F, 120};
constexpr step of_y{0.05F, 115};
const values x_codes{0, 7, 100, 128, 131, 200, 254, 255};
const values b_codes{255, 3, 60, 128, 125, 9, 17, 0};

words constants_of(const std::string& name, const step& of) {
    return {floats(name + "s", {}, {of.scale}), small(name + "z", {}, {of.zero}, of.lowest < 0 ? i8_type : u8_type)};
}
words operator+(words all, const words& more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
}
tensor bytes_of(shape dimensions, const values& codes) {
    return make_tensor(u8, std::move(dimensions), view<double>(codes.data(), codes.size()));
}
/// What one node gives for an input `x` of bytes.
values result_of(const std::string& node, const words& constants, const numbers& sizes, const values& x) {
    const parts net{
        {node}, constants, {value("x", sizes, u8_type)}, {message([](pbf_writer& to) { to.add_string(1, "y"); })}};
    return results_of(make_model(net), {bytes_of(shape(view<dimension>(sizes.data(), sizes.size())), x)})[0];
}
template <class Function>
values each(const values& codes, const Function& function) {
    values result;
    for (const double code : codes) {
        result.push_back(function(code));
    }
    return result;
}
std::string real_attribute(const std::string& name, float number) {
    return message([&](pbf_writer& to) {
        to.add_string(1, name);
        to.add_float(2, number);
        to.add_int32(20, 1);
    });
}
std::string i32_tensor(const std::string& name, const numbers& dimensions, const std::vector<std::int32_t>& all) {
    return raw_tensor(name, dimensions, i32_type, {reinterpret_cast<const char*>(all.data()), all.size() * 4});
}

}  // namespace

TEST_CASE("QLinearAdd and QLinearMul compute with what their codes stand for") {
    const std::vector<int> b(b_codes.begin(), b_codes.end());
    const words constants =
        words{small("b", {8}, b)} + constants_of("x", of_x) + constants_of("b", of_b) + constants_of("y", of_y);
    const auto computed = [&](const std::string& type) {
        return result_of(make_node(type, {"x", "xs", "xz", "b", "bs", "bz", "ys", "yz"}, {"y"}, {}, microsoft),
                         constants, {8}, x_codes);
    };
    values sums;
    values products;
    for (std::size_t i = 0; i < x_codes.size(); ++i) {
        sums.push_back(of_y.code(of_x.real(x_codes[i]) + of_b.real(b_codes[i])));
        products.push_back(of_y.code(of_x.real(x_codes[i]) * of_b.real(b_codes[i])));
    }
    CHECK(computed("QLinearAdd") == sums);
    CHECK(computed("QLinearMul") == products);
}

TEST_CASE("QLinearConcat gives each part the scale and zero point of the output") {
    const std::vector<int> b(b_codes.begin(), b_codes.end());
    const words constants =
        words{small("b", {8}, b)} + constants_of("x", of_x) + constants_of("b", of_b) + constants_of("y", of_y);
    values wanted = each(x_codes, [](double code) { return of_y.code(of_x.real(code)); });
    for (const double code : b_codes) {
        wanted.push_back(of_y.code(of_b.real(code)));
    }
    CHECK(result_of(make_node("QLinearConcat", {"ys", "yz", "x", "xs", "xz", "b", "bs", "bz"}, {"y"},
                              {integer("axis", 0)}, microsoft),
                    constants, {8}, x_codes) == wanted);
}

TEST_CASE("QLinearSigmoid, QLinearLeakyRelu and QLinearSoftmax are functions of what the codes stand for") {
    const auto computed = [](const std::string& type, const step& to, const words& attributes) {
        return result_of(make_node(type, {"x", "xs", "xz", "ys", "yz"}, {"y"}, attributes, microsoft),
                         constants_of("x", of_x) + constants_of("y", to), {1, 8}, x_codes);
    };
    constexpr step fraction{1.0F / 256, 0};
    CHECK(computed("QLinearSigmoid", fraction, {}) ==
          each(x_codes, [&](double code) { return fraction.code(1 / (1 + std::exp(-of_x.real(code)))); }));
    constexpr step bent{0.03F, 60};
    CHECK(computed("QLinearLeakyRelu", bent, {real_attribute("alpha", 0.2F)}) == each(x_codes, [&](double code) {
              const double number = of_x.real(code);
              return bent.code(number < 0 ? number * static_cast<double>(0.2F) : number);
          }));
    double sum = 0;
    for (const double code : x_codes) {
        sum += std::exp(of_x.real(code));
    }
    CHECK(computed("QLinearSoftmax", fraction, {integer("axis", -1), integer("opset", 13)}) ==
          each(x_codes, [&](double code) { return fraction.code(std::exp(of_x.real(code)) / sum); }));
}

namespace {

/// Two channels of 3 by 3 codes.
values image_codes() {
    values result;
    for (int i = 0; i < 18; ++i) {
        result.push_back(i * 13 % 256);
    }
    return result;
}
double pixel(const values& image, int channel, int row, int column) {
    return of_x.real(image[static_cast<std::size_t>(channel * 9 + row * 3 + column)]);
}

}  // namespace

TEST_CASE("QLinearAveragePool leaves the border out, QLinearGlobalAveragePool takes all of a channel") {
    const words constants = constants_of("x", of_x) + constants_of("y", of_y);
    const values image = image_codes();
    values windows;
    values channels;
    for (int channel = 0; channel < 2; ++channel) {
        double all = 0;
        for (const int row : {0, 2}) {
            for (const int column : {0, 2}) {
                double sum = 0;
                int count = 0;
                for (int i = row; i < std::min(row + 2, 3); ++i) {
                    for (int j = column; j < std::min(column + 2, 3); ++j) {
                        sum += pixel(image, channel, i, j);
                        ++count;
                    }
                }
                windows.push_back(of_y.code(sum / count));
                all += sum;
            }
        }
        channels.push_back(of_y.code(all / 9));
    }
    const words names{"x", "xs", "xz", "ys", "yz"};
    CHECK(result_of(make_node("QLinearAveragePool", names, {"y"},
                              {list("kernel_shape", {2, 2}), list("strides", {2, 2}), list("pads", {0, 0, 1, 1})},
                              microsoft),
                    constants, {1, 2, 3, 3}, image) == windows);
    CHECK(result_of(make_node("QLinearGlobalAveragePool", names, {"y"}, {}, microsoft), constants, {1, 2, 3, 3},
                    image) == channels);
}

namespace {

/// A matrix of weights with a scale and zero point for each column, and what the products with it need.
struct products {
    const values data{10, 200, 128, 0, 255, 60};
    const int weights[3][2] = {{3, -7}, {100, -128}, {127, 5}};
    const step columns[2] = {{0.02F, 2, -128, 127}, {0.01F, -3, -128, 127}};
    const std::int32_t bias[2] = {100, -50};
    const step result{0.1F, 99};
    words constants = words{small("w", {3, 2}, {3, -7, 100, -128, 127, 5}, i8_type), floats("ws", {2}, {0.02F, 0.01F}),
                            small("wz", {2}, {2, -3}, i8_type), i32_tensor("c", {2}, {100, -50})} +
                      constants_of("x", of_x) + constants_of("y", result);

    double sum(int row, int column) const {
        double all = 0;
        for (int k = 0; k < 3; ++k) {
            all += of_x.real(data[static_cast<std::size_t>(row * 3 + k)]) * columns[column].real(weights[k][column]);
        }
        return all;
    }
    /// The bias counts in products of the scales of data and weights.
    double added(int column) const {
        return bias[column] * static_cast<double>(of_x.scale) * static_cast<double>(columns[column].scale);
    }
};

}  // namespace

TEST_CASE("QLinearMatMul and QGemm multiply with a scale and zero point for each column") {
    const products of;
    values plain;
    values with_bias;
    values reals;
    for (int row = 0; row < 2; ++row) {
        for (int column = 0; column < 2; ++column) {
            plain.push_back(of.result.code(of.sum(row, column)));
            reals.push_back(of.sum(row, column) + of.added(column));
            with_bias.push_back(of.result.code(reals.back()));
        }
    }
    CHECK(result_of(make_node("QLinearMatMul", {"x", "xs", "xz", "w", "ws", "wz", "ys", "yz"}, {"y"}), of.constants,
                    {2, 3}, of.data) == plain);
    CHECK(result_of(make_node("QGemm", {"x", "xs", "xz", "w", "ws", "wz", "c", "ys", "yz"}, {"y"}, {}, microsoft),
                    of.constants, {2, 3}, of.data) == with_bias);
    const values real = result_of(make_node("QGemm", {"x", "xs", "xz", "w", "ws", "wz", "c"}, {"y"}, {}, microsoft),
                                  of.constants, {2, 3}, of.data);
    REQUIRE(real.size() == reals.size());
    for (std::size_t i = 0; i < reals.size(); ++i) {
        CHECK(real[i] == doctest::Approx(reals[i]).epsilon(1e-6));
    }
}

TEST_CASE("QLinearConv takes the border for 0, whatever the zero point is, and adds a bias to each channel") {
    const int weights[2][2][2] = {{{1, -2}, {3, 4}}, {{20, 15}, {-10, 5}}};
    const step channels[2] = {{0.02F, 1, -128, 127}, {0.01F, 0, -128, 127}};
    const std::int32_t bias[2] = {100, -50};
    const step result{0.1F, 99};
    const words constants =
        words{small("w", {2, 1, 2, 2}, {1, -2, 3, 4, 20, 15, -10, 5}, i8_type), floats("ws", {2}, {0.02F, 0.01F}),
              small("wz", {2}, {1, 0}, i8_type), i32_tensor("c", {2}, {100, -50})} +
        constants_of("x", of_x) + constants_of("y", result);
    const values image = image_codes();
    values wanted;
    for (int channel = 0; channel < 2; ++channel) {
        for (int row = 0; row < 3; ++row) {
            for (int column = 0; column < 3; ++column) {
                double sum =
                    bias[channel] * static_cast<double>(of_x.scale) * static_cast<double>(channels[channel].scale);
                for (int i = 0; i < 2; ++i) {
                    for (int j = 0; j < 2; ++j) {
                        if (row + i > 0 && column + j > 0) {
                            sum += pixel(image, 0, row + i - 1, column + j - 1) *
                                   channels[channel].real(weights[channel][i][j]);
                        }
                    }
                }
                wanted.push_back(result.code(sum));
            }
        }
    }
    CHECK(result_of(make_node("QLinearConv", {"x", "xs", "xz", "w", "ws", "wz", "ys", "yz", "c"}, {"y"},
                              {list("pads", {1, 1, 0, 0})}),
                    constants, {1, 1, 3, 3}, values(image.begin(), image.begin() + 9)) == wanted);
}

TEST_CASE("DynamicQuantizeLinear spreads the range of its data, which always holds 0, over all codes") {
    const auto computed = [](const std::vector<float>& data) {
        const auto size = static_cast<std::int64_t>(data.size());
        const parts net{{make_node("DynamicQuantizeLinear", {"x"}, {"y", "s", "z"})},
                        {},
                        {value("x", {size})},
                        {value("y", {size}, u8_type), value("s", {}), value("z", {}, u8_type)}};
        return results_of(make_model(net), {floats_of({size}, values(data.begin(), data.end()))});
    };
    const std::vector<std::vector<float>> ranges{{-1.5F, 0.3F, 2.7F, 1.1F}, {0.5F, 0.7F, 3}, {-2, -0.4F, -1}};
    for (const std::vector<float>& data : ranges) {
        const float least = std::min(0.0F, *std::min_element(data.begin(), data.end()));
        const float greatest = std::max(0.0F, *std::max_element(data.begin(), data.end()));
        const float scale = (greatest - least) / 255;
        const float zero = std::clamp(std::nearbyint((0 - least) / scale), 0.0F, 255.0F);
        values codes;
        for (const float number : data) {
            codes.push_back(static_cast<double>(std::clamp(std::nearbyint(number / scale) + zero, 0.0F, 255.0F)));
        }
        const std::vector<values> result = computed(data);
        CHECK(result[0] == codes);
        CHECK(result[1] == values{static_cast<double>(scale)});
        CHECK(result[2] == values{static_cast<double>(zero)});
    }
}

TEST_CASE("Channels with the scale 0 are zeros, and break the rule that scales are positive") {
    const parts net{{make_node("QLinearConv", {"x", "xs", "xz", "w", "ws", "wz", "ys", "yz"}, {"y"})},
                    constants_of("x", {0.5F, 0}) + constants_of("y", {0.5F, 10}) +
                        words{small("w", {2, 1, 1, 1}, {4, 5}, i8_type), floats("ws", {2}, {1, 0}),
                              small("wz", {2}, {0, 0}, i8_type)},
                    {value("x", {1, 1, 1, 2}, u8_type)},
                    {message([](pbf_writer& to) { to.add_string(1, "y"); })}};
    CHECK(results_of(make_model(net), {bytes_of({1, 1, 1, 2}, {1, 3})})[0] == values{14, 22, 10, 10});
    std::size_t broken = 0;
    for (const check::violation& each : check::violations_of(import_content(make_model(net)))) {
        broken += each.rule == spec::restriction::scale_positive ? 1 : 0;
    }
    CHECK(broken == 1);
}
