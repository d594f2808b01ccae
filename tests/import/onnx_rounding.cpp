// SPDX-License-Identifier: Apache-2.0
#include "tests/import/onnx_results.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

/// How QuantizeLinear rounds and DequantizeLinear scales, whatever stands around them.
namespace {

using namespace lpt;
using namespace lpt::testing::onnx_file;

constexpr std::int64_t u16_type = 4;
constexpr std::int64_t i16_type = 5;
constexpr std::int64_t f16_type = 10;
constexpr std::int64_t f64_type = 11;
constexpr std::int64_t bf16_type = 16;

constexpr double step = 2;
constexpr double odd_zero = 3;

double code(double x) { return std::clamp(std::nearbyint(x / step) + odd_zero, 0.0, 255.0); }

std::string untyped(const std::string& name) {
    return message([&](pbf_writer& to) { to.add_string(1, name); });
}
std::string i64_tensor(const std::string& name, const numbers& all) {
    return raw_tensor(name, {static_cast<std::int64_t>(all.size())}, i64_type,
                      {reinterpret_cast<const char*>(all.data()), all.size() * 8});
}
/// What QuantizeLinear gives behind other nodes, which make "r" of "x".
values quantized_behind(const words& nodes, const words& constants, const numbers& sizes, const values& x,
                        std::int64_t type = float_type) {
    parts net{nodes, constants, {value("x", sizes, type)}, {untyped("y")}};
    net.nodes.push_back(make_node("QuantizeLinear", {"r", "step", "zero"}, {"y"}));
    net.initializers.push_back(floats("step", {}, {static_cast<float>(step)}));
    net.initializers.push_back(small("zero", {}, {static_cast<int>(odd_zero)}));
    const element wanted = onnx::element_of(type);
    return results_of(make_model(net, 13), {make_tensor(wanted, shape(view<dimension>(sizes.data(), sizes.size())),
                                                        view<double>(x.data(), x.size()))})[0];
}
/// Each in the middle between two codes.
const values middles{-7, -5, -3, -1, 1, 3, 5, 7};
values codes_of(values all) {
    std::transform(all.begin(), all.end(), all.begin(), code);
    return all;
}

}  // namespace

TEST_CASE("What lies between two codes becomes the even step behind every operation on real numbers") {
    const values codes = codes_of(middles);
    CHECK(quantized_behind({make_node("ReduceMax", {"x"}, {"r"}, {list("axes", {1}), integer("keepdims", 0)})}, {},
                           {8, 1}, middles) == codes);
    CHECK(quantized_behind({make_node("ReduceMean", {"x"}, {"r"}, {list("axes", {1}), integer("keepdims", 0)})}, {},
                           {8, 1}, middles) == codes);
    CHECK(quantized_behind({make_node("Greater", {"x", "none"}, {"c"}), make_node("Neg", {"x"}, {"n"}),
                            make_node("Where", {"c", "x", "n"}, {"r"})},
                           {floats("none", {}, {0})}, {8}, middles) == codes_of({7, 5, 3, 1, 1, 3, 5, 7}));
    CHECK(quantized_behind({make_node("Resize", {"x", "", "scales"}, {"r"}, {word_attribute("mode", "linear")})},
                           {floats("scales", {4}, {1, 1, 1, 2})}, {1, 1, 1, 2}, {1, 9}) == codes_of({1, 3, 7, 9}));
    CHECK(quantized_behind({make_node("AveragePool", {"x"}, {"r"}, {list("kernel_shape", {1, 2})})}, {}, {1, 1, 1, 4},
                           {1, 5, 9, 1}) == codes_of({3, 7, 5}));
    CHECK(quantized_behind({make_node("BatchNormalization", {"x", "scale", "add", "mean", "variance"}, {"r"},
                                      {message([](pbf_writer& to) {
                                          to.add_string(1, "epsilon");
                                          to.add_float(2, 0);
                                          to.add_int32(20, 1);
                                      })})},
                           {floats("scale", {1}, {2}), floats("add", {1}, {1}), floats("mean", {1}, {0}),
                            floats("variance", {1}, {1})},
                           {1, 1, 4}, {-3, 0, 1, 2}) == codes_of({-5, 1, 3, 5}));
    CHECK(quantized_behind({make_node("Cast", {"x"}, {"r"}, {integer("to", float_type)})}, {}, {8}, middles,
                           f64_type) == codes);
    CHECK(quantized_behind({make_node("Cast", {"x"}, {"r"}, {integer("to", float_type)})}, {}, {4}, {1, 3, 5, 7},
                           u8_type) == codes_of({1, 3, 5, 7}));
    CHECK(quantized_behind({make_node("Conv", {"x", "w"}, {"r"})}, {floats("w", {1, 1, 1, 1}, {3})}, {1, 1, 1, 4},
                           {-1, 1, 3, 5}) == codes_of({-3, 3, 9, 15}));
    CHECK(quantized_behind({make_node("MatMul", {"x", "w"}, {"r"})}, {floats("w", {2, 1}, {1, 2})}, {3, 2},
                           {1, 0, 1, 1, -1, -1}) == codes_of({1, 3, -3}));
    CHECK(quantized_behind({make_node("Concat", {"x", "x"}, {"r"}, {integer("axis", 0)})}, {}, {2}, {1, 5}) ==
          codes_of({1, 5, 1, 5}));
    CHECK(quantized_behind({make_node("Gather", {"x", "places"}, {"r"})}, {i64_tensor("places", {1, 0})}, {2},
                           {1, 5}) == codes_of({5, 1}));
}

TEST_CASE("Operators on dequantized integers of the network stay such that they can be computed on integers") {
    const parts net{{make_node("DequantizeLinear", {"x", "step", "zero"}, {"a"}), make_node("Add", {"a", "a"}, {"b"}),
                     make_node("QuantizeLinear", {"b", "step", "zero"}, {"q"}),
                     make_node("DequantizeLinear", {"q", "step", "zero"}, {"y"})},
                    {floats("step", {}, {2}), small("zero", {}, {3})},
                    {value("x", {4}, u8_type)},
                    {value("y", {4})}};
    const lpt::graph model = import_content(make_model(net));
    const node_id quantize = model.producer(model.results()[0], 0);
    REQUIRE(model[quantize].is<op::fake_quantize>());
    CHECK(model[model.producer(quantize, 0)].is<op::add>());
}

TEST_CASE("Behind operators on dequantized integers, too, what lies between two codes becomes the even step") {
    const words constants{floats("half", {}, {1}), small("five", {}, {5})};
    const std::string dequantize = make_node("DequantizeLinear", {"x", "half", "five"}, {"a"});
    const values codes{0, 2, 4, 6, 8, 10, 12};  // each stands for a half of a step
    const values reals{-5, -3, -1, 1, 3, 5, 7};
    CHECK(quantized_behind({dequantize, make_node("Relu", {"a"}, {"r"})}, constants, {7}, codes, u8_type) ==
          codes_of({0, 0, 0, 1, 3, 5, 7}));
    CHECK(quantized_behind({dequantize, make_node("MaxPool", {"a"}, {"r"}, {list("kernel_shape", {1})})}, constants,
                           {1, 1, 7}, codes, u8_type) == codes_of(reals));
    CHECK(quantized_behind({dequantize, make_node("Conv", {"a", "w"}, {"r"})},
                           {constants[0], constants[1], floats("w", {1, 1, 1}, {1})}, {1, 1, 7}, codes,
                           u8_type) == codes_of(reals));
    CHECK(quantized_behind({dequantize, make_node("Add", {"a", "a"}, {"r"})},
                           {floats("half", {}, {0.5F}), constants[1]}, {7}, codes, u8_type) == codes_of(reals));
}

TEST_CASE("A function of dequantized integers of the network is divided by its scale, not multiplied with the inverse "
          "of it") {
    constexpr float scale = 0.003921569F;  // 1 / 255, as quantizers write it
    const parts net{
        {make_node("DequantizeLinear", {"x", "step", "zero"}, {"a"}), make_node("Sigmoid", {"a"}, {"b"}),
         make_node("QuantizeLinear", {"b", "scale", "none"}, {"y"})},
        {floats("step", {}, {0.5F}), small("zero", {}, {7}), floats("scale", {}, {scale}), small("none", {}, {0})},
        {value("x", {1}, u8_type)},
        {value("y", {1}, u8_type)}};
    REQUIRE(std::nearbyint(0.5F / scale) == 127);
    CHECK(results_of(make_model(net), {make_tensor(u8, {1}, {7})})[0] == values{127});
    parts quantized = net;
    quantized.nodes.insert(quantized.nodes.begin(), make_node("QuantizeLinear", {"r", "step", "zero"}, {"x"}));
    quantized.inputs = {value("r", {1})};
    CHECK(results_of(make_model(quantized), {floats_of({1}, {0})})[0] == values{127});
}

TEST_CASE("A network whose zero points are odd keeps them as zero levels") {
    const parts net{{make_node("DequantizeLinear", {"x", "step", "zero"}, {"a"}), make_node("Relu", {"a"}, {"b"}),
                     make_node("QuantizeLinear", {"b", "step", "zero"}, {"y"})},
                    {floats("step", {}, {2}), small("zero", {}, {-3}, i8_type)},
                    {value("x", {4}, i8_type)},
                    {value("y", {4}, i8_type)}};
    const lpt::graph model = import_content(make_model(net));
    const node_id convert = model.producer(model.results()[0], 0);
    const node_id quantize = model.producer(convert, 0);
    REQUIRE(model[quantize].is<op::fake_quantize>());
    CHECK(model[quantize].as<op::fake_quantize>().zero_level == 125);
}

namespace {

struct numbers_of_16_bits {
    double lowest;
    double highest;
    std::int64_t type;
    int zero;
};
std::string zero_of_16_bits(const numbers_of_16_bits& of) {
    const std::string bytes{static_cast<char>(of.zero & 0xFF), static_cast<char>((of.zero >> 8) & 0xFF)};
    return raw_tensor("zero", {}, of.type, bytes);
}
constexpr numbers_of_16_bits both[] = {{0, 65535, u16_type, 32780}, {-32768, 32767, i16_type, -12345}};

}  // namespace

TEST_CASE("What 16 bits stand for is counted from the zero point, which is exactly 0") {
    constexpr float scale = 0.1F;
    for (const numbers_of_16_bits& of : both) {
        const values steps{0, 1, -1, 7, 100, -100, 1000, of.lowest - of.zero, of.highest - of.zero};
        values codes;
        values reals;
        values wanted;
        for (const double each : steps) {
            codes.push_back(of.zero + each);
            reals.push_back(static_cast<double>(static_cast<float>(each) * scale + 0.02F));
            wanted.push_back(static_cast<double>(static_cast<float>(each) * scale));
        }
        parts net{{make_node("DequantizeLinear", {"x", "step", "zero"}, {"y"})},
                  {floats("step", {}, {scale}), zero_of_16_bits(of)},
                  {value("x", {9}, of.type)},
                  {value("y", {9})}};
        const tensor stored = make_tensor(onnx::element_of(of.type), {9}, view<double>(codes.data(), codes.size()));
        CHECK(results_of(make_model(net), {stored})[0] == wanted);
        net.nodes = {make_node("QuantizeLinear", {"x", "step", "zero"}, {"q"}),
                     make_node("DequantizeLinear", {"q", "step", "zero"}, {"y"})};
        net.inputs = {value("x", {9})};
        CHECK(results_of(make_model(net), {floats_of({9}, reals)})[0] == wanted);
        net.outputs = {value("q", {9}, of.type)};
        CHECK(results_of(make_model(net), {floats_of({9}, reals)})[0] == codes);
    }
}

namespace {

/// A number as one of 16 bits, as a raw tensor.
std::string half(const std::string& name, double number, std::int64_t type) {
    const element stored = onnx::element_of(type);
    const tensor made = make_scalar(stored, number);
    return raw_tensor(name, {}, type, {reinterpret_cast<const char*>(made.data()), 2});
}

}  // namespace

TEST_CASE("Scales of 16 bits quantize as those of 32 do, and the network keeps its types") {
    for (const std::int64_t type : {f16_type, bf16_type}) {
        const element small_real = onnx::element_of(type);
        const parts net{{make_node("QuantizeLinear", {"x", "step", "zero"}, {"q"}),
                         make_node("DequantizeLinear", {"q", "step", "zero"}, {"a"}),
                         make_node("DequantizeLinear", {"w", "unit"}, {"b"}), make_node("MatMul", {"a", "b"}, {"y"})},
                        {half("step", 0.02, type), small("zero", {}, {3}), small("w", {2, 1}, {1, -2}, i8_type),
                         half("unit", 0.5, type)},
                        {value("x", {3, 2}, type)},
                        {value("y", {3, 1}, type)}};
        const lpt::graph model = import_content(make_model(net));
        CHECK(model[model.parameters()[0]].type() == small_real);
        CHECK(model[model.results()[0]].type() == small_real);
        const node_id product = model.producer(model.producer(model.results()[0], 0), 0);
        REQUIRE(model[product].is<op::mat_mul>());
        CHECK(model[product].type() == f32);
        CHECK(model[model.producer(product, 0)].is<op::fake_quantize>());
        const values x{0.5, 1.25, -0.0625, 3, 2.5, -0.25};
        const tensor given = make_tensor(small_real, {3, 2}, view<double>(x.data(), x.size()));
        const double scale = make_scalar(small_real, 0.02).real(0);
        const auto real = [&](double number) {
            return (std::clamp(std::nearbyint(number / scale) + 3, 0.0, 255.0) - 3) * scale;
        };
        const values made = results_of(make_model(net), {given})[0];
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(made[i] == doctest::Approx(0.5 * real(x[2 * i]) - real(x[2 * i + 1])).epsilon(1.0 / 256));
        }
    }
}

TEST_CASE("The division of QuantizeLinear is of 16 bits where its precision says so, else of 32") {
    // 0.3 is 0.300048828125 in f16, of which 7.05078125 is 23.4988 times as much: 23.5 in f16.
    const double x = 7.05078125;
    const auto code_of = [&](const words& attributes) {
        const parts net{{make_node("QuantizeLinear", {"x", "step", "zero"}, {"y"}, attributes)},
                        {half("step", 0.3, f16_type), small("zero", {}, {3})},
                        {value("x", {1}, f16_type)},
                        {value("y", {1}, u8_type)}};
        return results_of(make_model(net, 23), {make_tensor(f16, {1}, view<double>(&x, 1))})[0];
    };
    CHECK(code_of({integer("precision", f16_type)}) == values{24 + 3});
    CHECK(code_of({integer("precision", float_type)}) == values{23 + 3});
    CHECK(code_of({}) == values{23 + 3});
}
