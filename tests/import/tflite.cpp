// SPDX-License-Identifier: Apache-2.0
#include <lpt/graph/verify.hpp>
#include <lpt/import/tflite.hpp>

#include "tests/import/tflite_file.hpp"
#include "tests/support/reference.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::testing;
using tflite::builtin;
using tflite::stored;
using tflite::tensor_type;

namespace {

graph import_network(const std::vector<tflite_subgraph>& subgraphs) {
    graph result = tflite::make_graph(read_tflite(tflite_writer().write(subgraphs)));
    verify(result);
    return result;
}
graph import_network(const tflite_subgraph& network) { return import_network(std::vector<tflite_subgraph>{network}); }

std::string refusal_of(const tflite_subgraph& network) {
    try {
        static_cast<void>(import_network(network));
    } catch (const error& raised) {
        return without_byte(raised.what());
    }
    return "";
}

template <class Operation>
std::size_t count_of(const graph& model) {
    std::size_t result = 0;
    for (const node_id id : topological_order(model)) {
        result += model[id].is<Operation>() ? 1 : 0;
    }
    return result;
}

std::vector<double> values_of(const tensor& from) {
    const seq<double> reals = reals_of(from);
    return {reals.begin(), reals.end()};
}
std::vector<double> run(const graph& model, const tensor& input) {
    return values_of(reference::evaluate<float>(model, {input}).at(0));
}
tensor i8_tensor(const shape& dimensions, const std::vector<double>& values) {
    return make_tensor(i8, dimensions, {values.data(), values.size()});
}
tensor f32_tensor(const shape& dimensions, const std::vector<double>& values) {
    return make_tensor(f32, dimensions, {values.data(), values.size()});
}
tflite_tensor i8_activation(const std::vector<std::int32_t>& shape, float scale, std::int64_t zero_point) {
    return {tensor_type::int8, shape, {scale}, {zero_point}};
}

constexpr unsigned short conv_padding = 0, conv_stride_w = 1, conv_stride_h = 2, conv_activation = 3;

/// Two by two pixels of two channels; a convolution with weights of one pixel for three outputs.
tflite_subgraph convolution(std::int64_t output_zero = 0, int activation = 0) {
    tflite_subgraph result;
    result.tensors = {i8_activation({1, 2, 2, 2}, 0.5F, 1),
                      {tensor_type::int8,
                       {3, 1, 1, 2},
                       {0.5F, 0.25F, 1.0F},
                       {0, 0, 0},
                       0,
                       std::string("\x02\x04\x04\x04\x01\xff", 6)},
                      {tensor_type::int32, {3}, {0.25F, 0.125F, 0.5F}, {0, 0, 0}, 0, packed<std::int32_t>({4, -8, 2})},
                      i8_activation({1, 2, 2, 3}, 0.5F, output_zero)};
    result.operators = {{builtin::conv_2d,
                         {0, 1, 2},
                         {3},
                         {{conv_padding, stored::padding, 1},
                          tflite_whole(conv_stride_w, 1),
                          tflite_whole(conv_stride_h, 1),
                          {conv_activation, stored::activation, static_cast<double>(activation)}}}};
    result.inputs = {0};
    result.outputs = {3};
    return result;
}
tensor pixels() { return i8_tensor({1, 2, 2, 2}, {1, 1, 3, 1, 1, 3, 5, 9}); }

}  // namespace

TEST_CASE("a quantized convolution takes and gives the integers of the file") {
    const graph model = import_network(convolution());
    const node& input = model[model.parameters()[0]];
    const node& output = model[model.results()[0]];
    CHECK(input.type() == i8);
    CHECK(input.shape() == shape{1, 2, 2, 2});
    CHECK(output.type() == i8);
    CHECK(output.shape() == shape{1, 2, 2, 3});
    // x = (0, 0), (1, 0), (0, 1), (2, 4); w = (1, 2), (1, 1), (1, -1); b = 1, -1, 1; steps of 0.5
    CHECK(run(model, pixels()) == std::vector<double>{2, -2, 2, 4, 0, 4, 6, 0, 0, 22, 10, -2});
}

TEST_CASE("weights stay integers below their dequantization, one scale a channel") {
    const graph model = import_network(convolution());
    bool found = false;
    for (const node_id id : topological_order(model)) {
        if (model[id].is<op::convolution>()) {
            const node& scaled = model[model[id].input(1).node];
            REQUIRE(scaled.is<op::multiply>());
            const node& converted = model[scaled.input(0).node];
            REQUIRE(converted.is<op::convert>());
            CHECK(model.type(converted.input(0)) == i8);
            CHECK(model.shape(scaled.input(1)) == shape{3, 1, 1, 1});
            found = true;
        }
    }
    CHECK(found);
}

TEST_CASE("weights have their inputs in front of rows and columns, and stay in the file where that moves nothing") {
    tflite_subgraph network = convolution();
    network.tensors[0] = i8_activation({1, 2, 2, 2}, 1.0F, 0);
    network.tensors[1] = {tensor_type::int8, {1, 2, 2, 2}, {1.0F}, {0}, 0, std::string("\1\2\3\4\5\6\7\10", 8)};
    network.tensors[3] = i8_activation({1, 1, 1, 1}, 3.0F, 0);
    network.operators[0].inputs = {0, 1, -1};
    CHECK(run(import_network(network), i8_tensor({1, 2, 2, 2}, {1, 2, 3, 5, 7, 11, 13, 16})) ==
          std::vector<double>{118});
    const tensor pixels_of_one = make_tensor(i8, shape{3, 1, 1, 2}, view<double>({1, 2, 3, 4, 5, 6}));
    CHECK(tflite::transposed(pixels_of_one, {0, 3, 1, 2}).data() == pixels_of_one.data());
}

TEST_CASE("a bias has the scale that its tensor says") {
    tflite_subgraph network = convolution();
    network.tensors[2].scales = {2.0F, 2.0F, 2.0F};
    const graph model = import_network(network);
    CHECK(run(model, pixels())[0] == 16);
}

TEST_CASE("a bias without a scale has that of the sums") {
    tflite_subgraph network = convolution();
    network.tensors[2].scales = {};
    network.tensors[2].zero_points = {};
    CHECK(run(import_network(network), pixels()) == run(import_network(convolution()), pixels()));
}

TEST_CASE("a bias may have 64 bits") {
    tflite_subgraph network = convolution();
    network.tensors[2].type = tensor_type::int64;
    network.tensors[2].data = packed<std::int64_t>({4, -8, 2});
    CHECK(run(import_network(network), pixels()) == run(import_network(convolution()), pixels()));
}

TEST_CASE("a fused activation is an operation of its own unless the output's quantization does the same") {
    const graph needed = import_network(convolution(0, 1));
    CHECK(count_of<op::relu>(needed) == 1);
    CHECK(run(needed, pixels()) == std::vector<double>{2, 0, 2, 4, 0, 4, 6, 0, 0, 22, 10, 0});
    CHECK(count_of<op::relu>(import_network(convolution(-128, 1))) == 0);
    CHECK(count_of<op::clamp>(import_network(convolution(-128, 3))) == 1);
}

TEST_CASE("TANH changes nothing where kernels fuse activations as limits, and is a function elsewhere") {
    constexpr double tanh_activation = 4;
    CHECK(count_of<op::tanh>(import_network(convolution(0, 4))) == 0);
    tflite_subgraph network;
    network.tensors = {{tensor_type::float32, {1, 2}}, {tensor_type::float32, {1, 2}}};
    network.operators = {{builtin::add, {0, 0}, {1}, {{0, stored::activation, tanh_activation}}}};
    network.inputs = {0};
    network.outputs = {1};
    CHECK(run(import_network(network), f32_tensor({1, 2}, {1, -2})) == std::vector<double>{2, -4});
    network.tensors = {{tensor_type::float32, {1, 1}},
                       {tensor_type::float32, {1, 1}, {}, {}, 0, packed<float>({1})},
                       {tensor_type::float32, {1, 1}}};
    network.operators = {{builtin::fully_connected, {0, 1, -1}, {2}, {{0, stored::activation, tanh_activation}}}};
    network.outputs = {2};
    CHECK(count_of<op::tanh>(import_network(network)) == 1);
}

TEST_CASE("operations between convolutions need no Transpose") {
    tflite_subgraph network = convolution();
    network.tensors.push_back(i8_activation({1, 2, 2, 3}, 0.5F, 0));
    network.tensors.push_back(i8_activation({1, 2, 2, 3}, 0.5F, 0));
    network.tensors.push_back({tensor_type::int8, {3, 1, 1, 3}, {1.0F}, {0}, 0, std::string("\1\0\0\0\1\0\0\0\1", 9)});
    network.operators.push_back({builtin::add, {3, 3}, {4}});
    network.operators.push_back(network.operators[0]);
    network.operators[2].inputs = {4, 6, -1};
    network.operators[2].outputs = {5};
    network.outputs = {5};
    const graph model = import_network(network);
    CHECK(count_of<op::transpose>(model) == 2);  // of the input and of the output
    CHECK(run(model, pixels())[0] == 4);
}

TEST_CASE("a depthwise convolution has a group for each channel of its input") {
    tflite_subgraph network = convolution();
    network.tensors[1] = {tensor_type::int8,         {1, 1, 1, 4}, {0.5F, 0.5F, 1.0F, 1.0F}, {0, 0, 0, 0}, 3,
                          std::string("\2\4\1\2", 4)};
    network.tensors[3] = i8_activation({1, 2, 2, 4}, 1.0F, 0);
    network.operators = {{builtin::depthwise_conv_2d,
                          {0, 1, -1},
                          {3},
                          {{0, stored::padding, 1}, tflite_whole(1, 1), tflite_whole(2, 1), tflite_whole(3, 2)}}};
    const graph model = import_network(network);
    CHECK(count_of<op::group_convolution>(model) == 1);
    CHECK(run(model, pixels()) == std::vector<double>{0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 1, 2, 2, 4, 4, 8});
}

TEST_CASE("padding SAME puts the odd pixel at the end") {
    tflite_subgraph network;
    network.tensors = {{tensor_type::float32, {1, 2, 2, 1}},
                       {tensor_type::float32, {1, 2, 2, 1}, {}, {}, 0, packed<float>({1, 10, 100, 1000})},
                       {tensor_type::float32, {1, 2, 2, 1}}};
    network.operators = {{builtin::conv_2d, {0, 1, -1}, {2}, {tflite_whole(1, 1), tflite_whole(2, 1)}}};
    network.inputs = {0};
    network.outputs = {2};
    CHECK(run(import_network(network), f32_tensor({1, 2, 2, 1}, {1, 2, 3, 4})) ==
          std::vector<double>{4321, 402, 43, 4});
}

TEST_CASE("a fully connected layer flattens its data, or keeps their axes") {
    tflite_subgraph network;
    network.tensors = {{tensor_type::float32, {1, 2, 2}},
                       {tensor_type::int8, {1, 2}, {0.5F}, {0}, 0, "\2\4"},  // float data, 8-bit weights
                       {tensor_type::float32, {2, 1}}};
    network.operators = {{builtin::fully_connected, {0, 1, -1}, {2}}};
    network.inputs = {0};
    network.outputs = {2};
    const tensor data = f32_tensor({1, 2, 2}, {1, 2, 3, 4});
    CHECK(run(import_network(network), data) == std::vector<double>{5, 11});
    network.tensors[2].shape = {1, 2, 1};
    network.operators[0].options = {tflite_flag(2, true)};
    const graph kept = import_network(network);
    CHECK(kept[kept.results()[0]].shape() == shape{1, 2, 1});
}

TEST_CASE("weights of 8 bits beside real data are signed bytes without a zero point, whatever their type says") {
    const tensor data = f32_tensor({1, 1, 1, 2}, {1, 10});
    for (const tensor_type type : {tensor_type::int8, tensor_type::uint8}) {
        for (const std::int64_t zero : {0, 100}) {
            CAPTURE(zero);
            tflite_subgraph network;
            network.tensors = {{tensor_type::float32, {1, 1, 1, 2}},
                               {type, {1, 1, 1, 2}, {0.5F}, {zero}, 0, "\2\xfe"},
                               {tensor_type::float32, {1}, {}, {}, 0, packed<float>({0.25F})},
                               {tensor_type::float32, {1, 1, 1, 1}}};
            network.operators = {{builtin::conv_2d, {0, 1, 2}, {3}, {tflite_whole(1, 1), tflite_whole(2, 1)}}};
            network.inputs = {0};
            network.outputs = {3};
            CHECK(run(import_network(network), data) == std::vector<double>{-8.75});
            network.tensors[1].shape = {1, 2};
            network.tensors[3].shape = {1, 1};
            network.operators = {{builtin::fully_connected, {0, 1, 2}, {3}}};
            CHECK(run(import_network(network), data) == std::vector<double>{-8.75});
        }
    }
}

TEST_CASE("weights of 16 bits that DEQUANTIZE reads are real numbers") {
    tflite_subgraph network;
    network.tensors = {{tensor_type::float32, {2}},
                       {tensor_type::float16, {2}, {}, {}, 0, std::string("\x00\x3c\x00\x40", 4)},
                       {tensor_type::float32, {2}},
                       {tensor_type::float32, {2}}};
    network.operators = {{builtin::dequantize, {1}, {2}}, {builtin::add, {0, 2}, {3}}};
    network.inputs = {0};
    network.outputs = {3};
    CHECK(run(import_network(network), f32_tensor({2}, {1, 1})) == std::vector<double>{2, 3});
}

TEST_CASE("activations of 16 bits are quantized to 65536 levels") {
    tflite_subgraph network;
    network.tensors = {{tensor_type::float32, {2}}, {tensor_type::int16, {2}, {0.25F}, {0}}};
    network.operators = {{builtin::quantize, {0}, {1}}};
    network.inputs = {0};
    network.outputs = {1};
    CHECK(run(import_network(network), f32_tensor({2}, {3, -9000})) == std::vector<double>{12, -32768});
}

TEST_CASE("what only moves elements is not quantized again") {
    tflite_subgraph network;
    network.tensors = {i8_activation({1, 4}, 0.5F, 3),
                       {tensor_type::int32, {2}, {}, {}, 0, packed<std::int32_t>({2, 2})},
                       i8_activation({2, 2}, 0.5F, 3)};
    network.operators = {{builtin::reshape, {0, 1}, {2}}};
    network.inputs = {0};
    network.outputs = {2};
    CHECK(run(import_network(network), i8_tensor({1, 4}, {-128, 0, 3, 127})) == std::vector<double>{-128, 0, 3, 127});
}

TEST_CASE("resource variables begin with what CALL_ONCE's subgraph assigns, and keep what is assigned to them") {
    tflite_subgraph start;
    start.tensors = {{tensor_type::resource, {1}}, {tensor_type::float32, {2}, {}, {}, 0, packed<float>({10, 20})}};
    start.operators = {{builtin::var_handle, {}, {0}, {{1, stored::words, 0, "v"}}},
                       {builtin::assign_variable, {0, 1}, {}}};
    tflite_subgraph network;
    network.tensors = {{tensor_type::float32, {2}},
                       {tensor_type::resource, {1}},
                       {tensor_type::float32, {2}},
                       {tensor_type::float32, {2}}};
    network.operators = {{builtin::call_once, {}, {}, {tflite_whole(0, 1)}},
                         {builtin::var_handle, {}, {1}, {{1, stored::words, 0, "v"}}},
                         {builtin::read_variable, {1}, {2}},
                         {builtin::add, {0, 2}, {3}},
                         {builtin::assign_variable, {1, 3}, {}}};
    network.inputs = {0};
    network.outputs = {3};
    const graph model = import_network({network, start});
    reference::state states;
    const tensor one = f32_tensor({2}, {1, 1});
    CHECK(values_of(reference::evaluate<float>(model, {one}, states, {}).at(0)) == std::vector<double>{11, 21});
    CHECK(values_of(reference::evaluate<float>(model, {one}, states, {}).at(0)) == std::vector<double>{12, 22});
}

TEST_CASE("a variable tensor begins with zeros and keeps from run to run what an operator writes to it") {
    tflite_subgraph network;
    network.tensors = {{tensor_type::float32, {2}},
                       {tensor_type::float32, {2}},
                       {tensor_type::float32, {2}},
                       {tensor_type::float32, {2}}};
    network.tensors[1].is_variable = true;
    network.operators = {{builtin::add, {0, 1}, {3}}, {builtin::abs, {3}, {1}}, {builtin::mul, {1, 0}, {2}}};
    network.inputs = {0};
    network.outputs = {2};
    const graph model = import_network(network);
    CHECK(count_of<op::read_value>(model) == 1);
    reference::state states;
    const auto next = [&](const std::vector<double>& data) {
        return values_of(reference::evaluate<float>(model, {f32_tensor({2}, data)}, states, {}).at(0));
    };
    CHECK(next({1, 2}) == std::vector<double>{1, 4});    // the sums are 1, 2
    CHECK(next({3, 4}) == std::vector<double>{12, 24});  // 4, 6
    CHECK(next({1, 1}) == std::vector<double>{5, 7});
    states = {};
    CHECK(next({1, 2}) == std::vector<double>{1, 4});
}

TEST_CASE("operators read a variable tensor as it is when they run") {
    tflite_subgraph network;
    network.tensors = {{tensor_type::float32, {1}},
                       {tensor_type::float32, {1}},
                       {tensor_type::float32, {1}},
                       {tensor_type::float32, {1}}};
    network.tensors[1].is_variable = true;
    network.operators = {
        {builtin::abs, {1}, {2}}, {builtin::neg, {0}, {1}}, {builtin::abs, {1}, {3}}, {builtin::add, {0, 0}, {1}}};
    network.inputs = {0};
    network.outputs = {2, 3};
    const graph model = import_network(network);
    reference::state states;
    const auto next = [&](double data) {
        const auto outputs = reference::evaluate<float>(model, {f32_tensor({1}, {data})}, states, {});
        return std::vector<double>{outputs.at(0).real(0), outputs.at(1).real(0)};
    };
    CHECK(next(3) == std::vector<double>{0, 3});
    CHECK(next(5) == std::vector<double>{6, 5});
}

TEST_CASE("a quantized variable tensor begins with the code of zero in int8, and with the code 0 in uint8") {
    const auto network = [](tensor_type type, std::int64_t zero) {
        tflite_subgraph result;
        result.tensors.assign(4, {type, {1}, {0.5F}, {zero}});
        result.tensors[1].is_variable = true;
        result.operators = {{builtin::reshape, {1}, {2}, {{0, stored::list, 0, {}, {1}}}},
                            {builtin::add, {0, 1}, {3}},
                            {builtin::maximum, {3, 3}, {1}}};
        result.inputs = {0};
        result.outputs = {2};
        return import_network(result);
    };
    const auto two_runs = [](const graph& model, element type, double code) {
        reference::state states;
        std::vector<double> result;
        for (int i = 0; i < 2; ++i) {
            const tensor data = make_tensor(type, {1}, view<double>({code}));
            result.push_back(reference::evaluate<float>(model, {data}, states, {}).at(0).real(0));
        }
        return result;
    };
    CHECK(two_runs(network(tensor_type::int8, 3), i8, 7) == std::vector<double>{3, 7});
    CHECK(two_runs(network(tensor_type::uint8, 3), u8, 7) == std::vector<double>{0, 4});
}

TEST_CASE("an operator does not write the variable tensor that it reads") {
    tflite_subgraph network;
    network.tensors = {{tensor_type::float32, {2}}, {tensor_type::float32, {2}}};
    network.tensors[1].is_variable = true;
    network.operators = {{builtin::add, {0, 1}, {1}}};
    network.inputs = {0};
    network.outputs = {1};
    CHECK(refusal_of(network) ==
          "net.tflite: subgraph 0: operator 0 (ADD): output 0 is tensor 1 't1', which is an input, too");
}

TEST_CASE("resource variables that nobody initializes begin with zeros") {
    tflite_subgraph network;
    network.tensors = {{tensor_type::float32, {2}},
                       {tensor_type::resource, {1}},
                       {tensor_type::float32, {2}},
                       {tensor_type::float32, {2}}};
    network.operators = {{builtin::var_handle, {}, {1}, {{1, stored::words, 0, "v"}}},
                         {builtin::read_variable, {1}, {2}},
                         {builtin::add, {0, 2}, {3}},
                         {builtin::assign_variable, {1, 3}, {}}};
    network.inputs = {0};
    network.outputs = {3};
    const graph model = import_network(network);
    reference::state states;
    const tensor one = f32_tensor({2}, {1, 2});
    CHECK(values_of(reference::evaluate<float>(model, {one}, states, {}).at(0)) == std::vector<double>{1, 2});
    CHECK(values_of(reference::evaluate<float>(model, {one}, states, {}).at(0)) == std::vector<double>{2, 4});
}

TEST_CASE("what reads or writes a variable without its handle is refused") {
    tflite_subgraph network;
    network.tensors = {{tensor_type::resource, {1}}, {tensor_type::float32, {2}}};
    network.operators = {{builtin::read_variable, {0}, {1}}};
    network.inputs = {0};
    network.outputs = {1};
    CHECK(refusal_of(network) == "net.tflite: subgraph 0: input 't0' has the type resource, which is not supported");
    network.inputs = {1};
    network.tensors.push_back({tensor_type::float32, {2}});
    network.operators = {{builtin::read_variable, {1}, {2}}};
    network.outputs = {2};
    CHECK(refusal_of(network) ==
          "net.tflite: subgraph 0: operator 0 (READ_VARIABLE): input 0 is no handle of a variable");
}

TEST_CASE("sparse constants are refused by name") {
    tflite_subgraph network;
    network.tensors = {{tensor_type::float32, {1, 2}},
                       {tensor_type::float32, {1, 2}, {}, {}, 0, packed<float>({1})},
                       {tensor_type::float32, {1, 1}}};
    network.tensors[1].is_sparse = true;
    network.operators = {{builtin::fully_connected, {0, 1, -1}, {2}}};
    network.inputs = {0};
    network.outputs = {2};
    CHECK(refusal_of(network) == "net.tflite: subgraph 0: operator 0 (FULLY_CONNECTED): tensor 1 't1' is sparse, which "
                                 "is not supported");
}

TEST_CASE("zeros around pixels become the padding of the convolution behind them") {
    tflite_subgraph network = convolution();
    network.tensors.push_back({tensor_type::int32, {4, 2}, {}, {}, 0, packed<std::int32_t>({0, 0, 1, 0, 0, 1, 0, 0})});
    network.tensors.push_back(i8_activation({1, 3, 3, 2}, 0.5F, 1));
    network.tensors[1] = {tensor_type::int8, {1, 2, 2, 2}, {1.0F}, {0}, 0, std::string("\1\0\1\0\1\0\1\0", 8)};
    network.tensors[3] = i8_activation({1, 2, 2, 1}, 0.5F, 0);
    network.operators[0].inputs = {5, 1, -1};
    network.operators.insert(network.operators.begin(), {builtin::pad, {0, 4}, {5}});
    const graph model = import_network(network);
    CHECK(count_of<op::pad>(model) == 0);
    CHECK(run(model, pixels()) == std::vector<double>{2, 2, 6, 6});
}

TEST_CASE("zeros around pixels stay an operation for other readers") {
    tflite_subgraph network;
    network.tensors = {{tensor_type::float32, {1, 1, 1, 1}},
                       {tensor_type::int32, {4, 2}, {}, {}, 0, packed<std::int32_t>({0, 0, 0, 1, 0, 0, 0, 0})},
                       {tensor_type::float32, {1, 2, 1, 1}},
                       {tensor_type::float32, {1, 2, 1, 1}}};
    network.operators = {{builtin::pad, {0, 1}, {2}}, {builtin::cos, {2}, {3}}};
    network.inputs = {0};
    network.outputs = {3};
    const graph model = import_network(network);
    CHECK(count_of<op::pad>(model) == 1);
    CHECK(run(model, f32_tensor({1, 1, 1, 1}, {0})) == std::vector<double>{1, 1});
}

TEST_CASE("margins may be computed") {
    tflite_subgraph network;
    network.tensors = {{tensor_type::float32, {1, 2}}, {tensor_type::int32, {2, 2}}, {tensor_type::float32, {1, 5}}};
    network.tensors[2].signature = {-1, -1};
    network.operators = {{builtin::pad, {0, 1}, {2}}};
    network.inputs = {0, 1};
    network.outputs = {2};
    const tensor margins = make_integer_tensor(i32, {2, 2}, integers{0, 0, 1, 2});
    const std::vector<tensor> outputs =
        reference::evaluate<float>(import_network(network), {f32_tensor({1, 2}, {3, 4}), margins});
    CHECK(values_of(outputs[0]) == std::vector<double>{0, 3, 4, 0, 0});
}

TEST_CASE("a part of a tensor is replaced, where it lies inside") {
    tflite_subgraph network;
    network.tensors = {{tensor_type::float32, {2, 3}},
                       {tensor_type::float32, {1, 2}},
                       {tensor_type::int32, {2}},
                       {tensor_type::float32, {2, 3}}};
    network.operators = {{builtin::dynamic_update_slice, {0, 1, 2}, {3}}};
    network.inputs = {0, 1, 2};
    network.outputs = {3};
    const graph model = import_network(network);
    const tensor whole = f32_tensor({2, 3}, {1, 2, 3, 4, 5, 6});
    const tensor part = f32_tensor({1, 2}, {8, 9});
    const auto updated = [&](std::int64_t row, std::int64_t column) {
        const tensor start = make_integer_tensor(i32, {2}, integers{row, column});
        return values_of(reference::evaluate<float>(model, {whole, part, start}).at(0));
    };
    CHECK(updated(1, 0) == std::vector<double>{1, 2, 3, 8, 9, 6});
    CHECK(updated(0, 1) == std::vector<double>{1, 8, 9, 4, 5, 6});
    CHECK(updated(7, 7) == std::vector<double>{1, 2, 3, 4, 8, 9});
}

TEST_CASE("open sizes of the signature stay open") {
    tflite_subgraph network;
    network.tensors = {{tensor_type::float32, {1, 2}}, {tensor_type::float32, {1, 2}}};
    network.tensors[0].signature = {-1, 2};
    network.tensors[1].signature = {-1, 2};
    network.operators = {{builtin::relu, {0}, {1}}};
    network.inputs = {0};
    network.outputs = {1};
    const graph model = import_network(network);
    CHECK(model[model.parameters()[0]].shape() == shape{-1, 2});
    CHECK(run(model, f32_tensor({2, 2}, {1, -1, 2, -2})) == std::vector<double>{1, 0, 2, 0});
}

TEST_CASE("operators that are not known, custom or not, are refused by name") {
    tflite_subgraph network = convolution();
    network.operators = {{builtin::custom, {0}, {3}, {}, -1, "MyOp"}};
    CHECK(refusal_of(network) ==
          "net.tflite: subgraph 0: operator 0 (MyOp): is a custom operator; only builtin operators are supported");
    network.operators = {{builtin::hashtable, {0}, {3}}};
    CHECK(refusal_of(network) == "net.tflite: subgraph 0: operator 0 (HASHTABLE): is not supported");
}

TEST_CASE("quantization without sense is refused by name") {
    tflite_subgraph network = convolution();
    network.tensors[0].scales = {0.0F};
    CHECK(refusal_of(network) == "net.tflite: subgraph 0: tensor 0 't0': scale 0 is no positive number");
    network = convolution();
    network.tensors[3].zero_points = {200};
    CHECK(refusal_of(network) == "net.tflite: subgraph 0: tensor 3 't3': zero point 200 lies outside of int8");
    network = convolution();
    network.tensors[1].scales = {1.0F, 1.0F};
    network.tensors[1].zero_points = {0, 0};
    CHECK(refusal_of(network) == "net.tflite: subgraph 0: tensor 1 't1': has 2 scales, but its axis 0 has the size 3");
    network.tensors[1].zero_points = {0};
    CHECK(refusal_of(network) == "net.tflite: subgraph 0: tensor 1 't1': has 2 scales and 1 zero points");
}

TEST_CASE("zero points without scales are refused") {
    tflite_subgraph network = convolution();
    network.tensors[0].scales = {};
    CHECK(refusal_of(network) ==
          "net.tflite: subgraph 0: tensor 0 't0': has 1 zero points and no scale, expected as many scales");
    network = convolution();
    network.tensors[2].scales = {};
    CHECK(refusal_of(network) ==
          "net.tflite: subgraph 0: tensor 2 't2': has 3 zero points and no scale, expected as many scales");
}

TEST_CASE("short integers without a scale are refused where the operator computes on real numbers") {
    const auto without_scale = [](std::size_t tensor, std::uint8_t details = 0) {
        tflite_subgraph network = convolution();
        network.tensors[tensor].scales = {};
        network.tensors[tensor].zero_points = {};
        network.tensors[tensor].details = details;
        return refusal_of(network);
    };
    CHECK(without_scale(1, 2) == "net.tflite: subgraph 0: operator 0 (CONV_2D): its input 1 (tensor 1 't1') has the "
                                 "type int8 and no scale, expected one; "
                                 "scales of blocks and custom quantization are not supported");
    CHECK(without_scale(0) == "net.tflite: subgraph 0: operator 0 (CONV_2D): its input 0 (tensor 0 't0') has the type "
                              "int8 and no scale, expected one");
    CHECK(without_scale(1) == "net.tflite: subgraph 0: operator 0 (CONV_2D): its input 1 (tensor 1 't1') has the type "
                              "int8 and no scale, expected one");
    CHECK(without_scale(3) == "net.tflite: subgraph 0: operator 0 (CONV_2D): its output 0 (tensor 3 't3') has the type "
                              "int8 and no scale, expected one");
}

TEST_CASE("weights of 8 bits without a scale are refused beside data of real numbers, too") {
    tflite_subgraph network;
    network.tensors = {
        {tensor_type::float32, {1, 2}}, {tensor_type::int8, {1, 2}, {}, {}, 0, "\2\4"}, {tensor_type::float32, {1, 1}}};
    network.operators = {{builtin::fully_connected, {0, 1, -1}, {2}}};
    network.inputs = {0};
    network.outputs = {2};
    CHECK(refusal_of(network) ==
          "net.tflite: subgraph 0: operator 0 (FULLY_CONNECTED): its input 1 (tensor 1 't1') has "
          "the type int8 and no scale, expected one");
}

TEST_CASE("integers of 16 bits without a scale are added as integers") {
    tflite_subgraph network;
    network.tensors = {{tensor_type::int16, {2}}, {tensor_type::int16, {2}}};
    network.operators = {{builtin::add, {0, 0}, {1}}};
    network.inputs = {0};
    network.outputs = {1};
    CHECK(run(import_network(network), make_tensor(i16, {2}, view<double>({300, -7}))) ==
          std::vector<double>{600, -14});
}

TEST_CASE("a bias has one value for each output, and one scale or one for each value") {
    tflite_subgraph network = convolution();
    network.tensors[2] = {tensor_type::int32, {1}, {0.25F}, {0}, 0, packed<std::int32_t>({4})};
    CHECK(refusal_of(network) ==
          "net.tflite: subgraph 0: operator 0 (CONV_2D): its bias (input 2) has 1 values, expected "
          "one for each of 3 outputs");
    network = convolution();
    network.tensors[1] = {tensor_type::int8, {4, 1, 1, 2}, {1.0F}, {0}, 0, std::string("\1\1\1\1\1\1\1\1", 8)};
    network.tensors[2] = {tensor_type::int32, {2, 2}, {0.25F, 0.5F}, {0, 0}, 1, packed<std::int32_t>({4, 4, 4, 4})};
    network.tensors[3] = i8_activation({1, 2, 2, 4}, 0.5F, 0);
    CHECK(refusal_of(network) ==
          "net.tflite: subgraph 0: operator 0 (CONV_2D): its bias has 2 scales, expected 1 or one "
          "for each of the bias's 4 values");
    network.tensors[2].scales = {0.25F};
    network.tensors[2].zero_points = {0};
    CHECK(refusal_of(network).empty());
}

TEST_CASE("a bias without a scale is refused beside data of several scales") {
    tflite_subgraph network = convolution();
    network.tensors[0].scales = {0.5F, 0.25F};
    network.tensors[0].zero_points = {0, 0};
    network.tensors[0].axis = 3;
    network.tensors[2].scales = {};
    network.tensors[2].zero_points = {};
    CHECK(refusal_of(network) ==
          "net.tflite: subgraph 0: operator 0 (CONV_2D): its data have 2 scales, expected 1, which "
          "that of the bias follows from");
}

TEST_CASE("an output that its operator cannot give is refused") {
    tflite_subgraph network = convolution();
    network.tensors[3].shape = {1, 2, 2, 4};
    CHECK(refusal_of(network) ==
          "net.tflite: subgraph 0: operator 0 (CONV_2D): its output is declared with shape [1,4,2,2], but "
          "it gives [1,3,2,2]");
}

TEST_CASE("the axis of a single scale means nothing") {
    tflite_subgraph network = convolution();
    network.tensors[0].axis = 20;
    CHECK(run(import_network(network), pixels()) == run(import_network(convolution()), pixels()));
}

TEST_CASE("pictures without four axes are refused") {
    tflite_subgraph network = convolution();
    network.tensors[0].shape = {2, 2, 2};
    CHECK(refusal_of(network) ==
          "net.tflite: subgraph 0: operator 0 (CONV_2D): takes tensors of 4 axes (batch, rows, columns, "
          "channels), not of 3");
}

TEST_CASE("strides of 0 are refused") {
    tflite_subgraph network = convolution();
    network.operators[0].options[1].value = 0;
    CHECK(
        refusal_of(network) ==
        "net.tflite: subgraph 0: operator 0 (CONV_2D): options stride_h and stride_w are 1 and 0, expected 1 or more");
}
