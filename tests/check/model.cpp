// SPDX-License-Identifier: Apache-2.0
#include <lpt/check/model.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <string>

using namespace lpt;
using tflite::builtin;
using tflite::tensor_type;

namespace {

tflite::tensor_info activation(const char* name, float scale, std::int64_t zero_point) {
    tflite::tensor_info result;
    result.name = name;
    result.type = tensor_type::int8;
    result.dimensions = shape{1, 4, 4, 2};
    result.quantized = {{scale}, {zero_point}};
    return result;
}

tflite::option whole(text_view name, std::int64_t value) {
    tflite::option result;
    result.name = name;
    result.whole = value;
    return result;
}

/// A convolution with two output channels, in which a test breaks something.
tflite::subgraph convolution() {
    tflite::subgraph net;
    net.tensors = {activation("input", 0.5F, 3), activation("weights", 0, 0), activation("bias", 0, 0),
                   activation("output", 2, -5)};
    net.tensors[1].dimensions = shape{2, 1, 1, 2};
    net.tensors[1].quantized = {{0.25F, 0.125F}, {0, 0}};
    net.tensors[1].value = tensor(i8, shape{2, 1, 1, 2}, bytes(seq<std::byte>(4, std::byte{0x81})));
    net.tensors[2].type = tensor_type::int32;
    net.tensors[2].dimensions = shape{2};
    net.tensors[2].quantized = {{0.125F, 0.0625F}, {0, 0}};
    net.inputs = {0};
    net.outputs = {3};
    tflite::operator_info op;
    op.code = builtin::conv_2d;
    op.inputs = {0, 1, 2};
    op.outputs = {3};
    op.options = {whole("stride_w", 1), whole("stride_h", 1)};
    net.operators = {op};
    return net;
}

/// Role and rule of everything that is broken.
std::string broken(const tflite::subgraph& net) {
    std::string result;
    for (const check::violation& each : check::violations_of(net))
        result += (result.empty() ? "" : ", ") + std::string(each.role.c_str()) + " " + spec::name(each.rule).data();
    return result;
}

/// What is broken after `change`.
template <class Change>
std::string broken_after(Change change) {
    tflite::subgraph net = convolution();
    change(net);
    return broken(net);
}

}  // namespace

TEST_CASE("a convolution as the row asks conforms, with or without a bias") {
    CHECK(broken(convolution()) == "");
    CHECK(broken_after([](auto& net) { net.operators[0].inputs[2] = -1; }) == "");
    CHECK(broken_after([](auto& net) { net.operators[0].inputs.pop_back(); }) == "");
}

TEST_CASE("one scale for all channels conforms") {
    CHECK(broken_after([](auto& net) {
              net.tensors[1].quantized = {{0.25F}, {0}};
              net.tensors[2].quantized = {{0.125F}, {0}};
          }) == "");
}

TEST_CASE("types other than the row's are reported, and then nothing else of the tensor") {
    CHECK(broken_after([](auto& net) {
              net.tensors[0].type = tensor_type::uint8;
              net.tensors[0].quantized = {};
          }) == "input0 dtype");
    CHECK(broken_after([](auto& net) { net.tensors[2].type = tensor_type::int64; }) == "bias dtype");
}

TEST_CASE("a missing quantization is reported") {
    CHECK(broken_after([](auto& net) { net.tensors[3].quantized = {}; }) == "output0 quant-missing");
}

TEST_CASE("scales that are 0, negative, infinite or no number are reported") {
    for (const float scale :
         {0.0F, -1.0F, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
        CHECK(broken_after([&](auto& net) { net.tensors[3].quantized.scales[0] = scale; }) == "output0 scale-positive");
        CHECK(broken_after([&](auto& net) { net.tensors[1].quantized.scales[1] = scale; }) == "weights scale-positive");
        CHECK(broken_after([&](auto& net) { net.tensors[2].quantized.scales[1] = scale; }) == "bias bias-scale");
    }
}

TEST_CASE("zero points outside the type, of weights and of biases are reported") {
    CHECK(broken_after([](auto& net) { net.tensors[0].quantized.zero_points[0] = 128; }) == "input0 zero-point-range");
    CHECK(broken_after([](auto& net) { net.tensors[0].quantized.zero_points[0] = INT64_MIN; }) ==
          "input0 zero-point-range");
    CHECK(broken_after([](auto& net) { net.tensors[1].quantized.zero_points[1] = 1; }) == "weights weight-zero-point");
    CHECK(broken_after([](auto& net) { net.tensors[2].quantized.zero_points[1] = 1; }) == "bias bias-zero-point");
}

TEST_CASE("scales along another axis or of another number are reported, whatever the axis is") {
    CHECK(broken_after([](auto& net) { net.tensors[1].quantized.axis = 3; }) == "weights per-axis-dim");
    CHECK(broken_after([](auto& net) { net.tensors[1].quantized.axis = -7; }) == "weights per-axis-dim");
    CHECK(broken_after([](auto& net) { net.tensors[1].quantized = {{0.25F, 0.125F, 1}, {0, 0, 0}}; }) ==
          "weights per-axis-count");
    CHECK(broken_after([](auto& net) { net.tensors[1].dimensions = shape{}; }) == "weights per-axis-count");
    CHECK(broken_after([](auto& net) { net.tensors[0].quantized.scales.push_back(1); }) == "input0 per-tensor");
    CHECK(broken_after([](auto& net) { net.tensors[2].quantized = {{0.125F}, {0}}; }) == "bias bias-granularity");
}

TEST_CASE("missing zero points are 0") {
    CHECK(broken_after([](auto& net) { net.tensors[1].quantized.zero_points.clear(); }) == "");
}

TEST_CASE("the code -128 in constant weights is reported") {
    CHECK(broken_after([](auto& net) {
              net.tensors[1].value = tensor(i8, shape{2, 1, 1, 2}, bytes(seq<std::byte>(4, std::byte{0x80})));
          }) == "weights weight-range");
}

TEST_CASE("a violation says where it is, what was expected and what was found") {
    tflite::subgraph net = convolution();
    net.tensors[2].quantized.scales[1] = 0.5F;
    const seq<check::violation, 0> found = check::violations_of(net);
    REQUIRE(found.size() == 1);
    CHECK(found[0].operation == 0);
    CHECK(found[0].tensor == 2);
    CHECK(found[0].in_words() == "CONV_2D 0, bias 'bias': bias-scale, expected scale 0.0625, found scale 0.5");
}

TEST_CASE("operations of real numbers and those without a row break nothing") {
    CHECK(broken_after([](auto& net) {
              for (tflite::tensor_info& each : net.tensors)
                  each.type = tensor_type::float32;
          }) == "");
    CHECK(broken_after([](auto& net) {
              net.operators[0].code = builtin::hard_swish;
              net.tensors[3].quantized = {};
          }) == "");
}

TEST_CASE("operations with fewer tensors than their row names are checked as far as they go") {
    CHECK(broken_after([](auto& net) { net.operators[0].inputs = {}; }) == "");
    CHECK(broken_after([](auto& net) { net.operators[0].outputs = {}; }) == "");
}

TEST_CASE("zero points of another number than scales are reported") {
    CHECK(broken_after([](auto& net) { net.tensors[0].quantized.zero_points.push_back(3); }) ==
          "input0 zero-point-count");
    CHECK(broken_after([](auto& net) { net.tensors[1].quantized.zero_points.pop_back(); }) ==
          "weights zero-point-count");
    CHECK(broken_after([](auto& net) { net.tensors[2].quantized.zero_points.push_back(0); }) ==
          "bias zero-point-count");
}

TEST_CASE("an option without which an operation computes nothing is reported where it is absent or 0") {
    CHECK(broken_after([](auto& net) { net.operators[0].options.clear(); }) == "options option-missing");
    CHECK(broken_after([](auto& net) { net.operators[0].options[1].whole = 0; }) == "options option-missing");
    tflite::subgraph net = convolution();
    net.operators[0].options.pop_back();
    const seq<check::violation, 0> found = check::violations_of(net);
    REQUIRE(found.size() == 1);
    CHECK(found[0].tensor == -1);
    CHECK(found[0].in_words() == "CONV_2D 0, options: option-missing, expected stride_h above 0, found none");
}

TEST_CASE("options that have a default may be absent") {
    CHECK(broken_after([](auto& net) {
              net.operators[0].code = builtin::add;
              net.operators[0].inputs = {0, 3};
              net.operators[0].options.clear();
          }) == "");
}

TEST_CASE("all subgraphs are looked at, in their order and that of their operations") {
    tflite::model model;
    model.subgraphs = {convolution(), convolution(), convolution()};
    model.subgraphs[2].operators.resize(3, model.subgraphs[2].operators[0]);
    for (const std::size_t each : {std::size_t{0}, std::size_t{2}})
        model.subgraphs[each].tensors[2].quantized.scales[1] = 0.5F;
    const seq<check::violation, 0> found = check::violations_of(model);
    REQUIRE(found.size() == 4);
    CHECK(found[0].subgraph == 0);
    for (int i = 0; i < 3; ++i) {
        CHECK(found[static_cast<std::size_t>(i + 1)].subgraph == 2);
        CHECK(found[static_cast<std::size_t>(i + 1)].operation == i);
    }
    CHECK(found[1].in_words() ==
          "subgraph 2: CONV_2D 0, bias 'bias': bias-scale, expected scale 0.0625, found scale 0.5");
}

TEST_CASE("a violation is one line, whatever characters a name has") {
    tflite::subgraph net = convolution();
    net.tensors[2].quantized.scales[1] = 0.5F;
    net.tensors[2].name = "a\nb";
    CHECK(check::violations_of(net)[0].in_words().view().substr(0, 23) == "CONV_2D 0, bias 'a b': ");
}
