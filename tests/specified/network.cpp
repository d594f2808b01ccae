// SPDX-License-Identifier: Apache-2.0
#include <lpt/import/tflite/use_signature.hpp>

#include "tests/specified/models.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

using namespace lpt;
using namespace specified_test;
using tflite::builtin;
using tflite::tensor_type;

namespace {

using micro = specified::basic_network<arithmetic::tflite_micro>;

std::string message_of(const tflite::model& model, std::initializer_list<std::int8_t> codes) {
    try {
        static_cast<void>(run(model, codes));
    } catch (const error& raised) {
        return raised.what();
    }
    return "";
}

/// A vector of two codes by the matrix (1, 1), with an output scale that multiplies sums by `scale`.
tflite::model dense(float scale) {
    return model_of(builtin::fully_connected,
                    {tensor_of({1, 2}, 1, 0), constant_of<std::int8_t>({1, 2}, 1, {1, 1}, tensor_type::int8),
                     constant_of<std::int32_t>({1}, 1, {0}, tensor_type::int32), tensor_of({1, 1}, 1 / scale, 0)},
                    {whole("keep_num_dims", 0)});
}

}  // namespace

TEST_CASE("a bias has one scale, or one for each index of an axis") {
    tflite::model model =
        model_of(builtin::fully_connected,
                 {tensor_of({1, 1}, 1, 0), constant_of<std::int8_t>({2, 1}, 1, {1, 2}, tensor_type::int8),
                  constant_of<std::int32_t>({2}, 1, {3, 4}, tensor_type::int32), tensor_of({1, 2}, 1, 0)});
    CHECK(run(model, {5}) == std::vector<int>{8, 14});
    tflite::quantization& bias = model.subgraphs[0].tensors[2].quantized;
    bias.scales = {1, 1};
    CHECK(run(model, {5}) == std::vector<int>{8, 14});
    bias.axis = 1;
    CHECK(message_of(model, {5}) ==
          "test: operator 0 (FULLY_CONNECTED): tensor 't' has its scales along axis 1, expected 0 to 0");
    bias.axis = 0;
    bias.scales = {1, 1, 1};
    CHECK(message_of(model, {5}) == "test: operator 0 (FULLY_CONNECTED): tensor 't' has 3 scales, expected 1 or 2");
}

TEST_CASE("the subgraph of a signature is the network, by the signature's names") {
    tflite::model model = model_of(builtin::relu, {tensor_of({1}, 1, 0), tensor_of({1}, 1, 0)});
    model.subgraphs.push_back(model_of(builtin::abs, {tensor_of({1}, 1, 0), tensor_of({1}, 1, 0)}).subgraphs[0]);
    model.signatures = {{"size", 1, {{"of", 0}}, {{"is", 1}}}};
    CHECK(run(model, {-5}) == std::vector<int>{0});
    tflite::use_signature(model, "size");
    CHECK(run(model, {-5}) == std::vector<int>{5});
    const specified::network net(model);
    CHECK(net.subgraph().input_name(0) == "of");
    CHECK(net.subgraph().output_name(0) == "is");
}

TEST_CASE("a sum of two tensors is scaled to the output") {
    const tflite::model model =
        model_of(builtin::add, {tensor_of({3}, 0.5F, 1), tensor_of({3}, 0.25F, -2), tensor_of({3}, 1, 5)});
    tflite::model both = model;
    both.subgraphs[0].operators[0].inputs = {0, 0};
    CHECK(run(both, {1, 3, -128}) == std::vector<int>{5, 7, -124});
}

TEST_CASE("shapes are broadcast, and those that do not fit are an error that names the operation") {
    tflite::model model =
        model_of(builtin::mul, {tensor_of({2, 2}, 1, 0), constant_of<std::int8_t>({2}, 1, {1, -3}, tensor_type::int8),
                                tensor_of({2, 2}, 1, 0)});
    CHECK(run(model, {1, 2, 3, 4}) == std::vector<int>{1, -6, 3, -12});
    model.subgraphs[0].tensors[1] = constant_of<std::int8_t>({3}, 1, {1, 2, 3}, tensor_type::int8);
    CHECK(message_of(model, {1, 2, 3, 4}) == "test: operator 0 (MUL): shapes [2,2] and [3] do not fit together");
}

TEST_CASE("FULLY_CONNECTED rounds once, in TensorFlow Lite Micro's arithmetic twice") {
    CHECK(run(dense(0.5F), {1, 2}) == std::vector<int>{2});
    CHECK(run(dense(0.5F), {-1, -2}) == std::vector<int>{-2});
    int differences = 0;
    for (int i = 1; i < 100; ++i) {
        const float scale = 0.001F * static_cast<float>(i) + 0.0004999F;
        const auto code = static_cast<std::int8_t>(i);
        const int once = run(dense(scale), {code, 100})[0];
        const int twice = run<micro>(dense(scale), {code, 100})[0];
        CHECK(std::abs(once - twice) <= 1);
        differences += once != twice ? 1 : 0;
    }
    CHECK(differences < 10);
}

TEST_CASE("SUM rounds once, in TensorFlow Lite Micro's arithmetic twice") {
    const auto total_of = [](float output_scale) {
        return model_of(builtin::sum,
                        {tensor_of({1, 2}, 1, 0), constant_of<std::int32_t>({1}, 1, {1}, tensor_type::int32),
                         tensor_of({1, 1}, output_scale, 0)},
                        {whole("keep_dims", 1)});
    };
    CHECK(run<micro>(total_of(2), {3, 4}) == std::vector<int>{4});
    CHECK(run(total_of(2), {3, 4}) == std::vector<int>{4});
    int differences = 0;
    for (int i = 1; i < 100; ++i) {
        const float scale = 4.0F + 0.01F * static_cast<float>(i);
        const auto code = static_cast<std::int8_t>(i);
        const int once = run(total_of(scale), {code, 27})[0];
        const int twice = run<micro>(total_of(scale), {code, 27})[0];
        CHECK(std::abs(once - twice) <= 1);
        differences += once != twice ? 1 : 0;
    }
    CHECK(differences > 0);  // quarters are rounded first
    CHECK(differences < 25);
}

TEST_CASE("LOGISTIC and TANH are in TensorFlow Lite Micro's arithmetic one step off at most, where the input's scale "
          "is below 4") {
    for (const builtin function : {builtin::logistic, builtin::tanh}) {
        const bool is_logistic = function == builtin::logistic;
        for (const float scale : {1.0F / 256, 1.0F / 128, 0.05F}) {
            const tflite::model model =
                model_of(function, {tensor_of({5}, scale, 3),
                                    is_logistic ? tensor_of({5}, 1.0F / 256, -128) : tensor_of({5}, 1.0F / 128, 0)});
            const std::vector<int> real = run(model, {-128, -20, 3, 40, 127});
            const std::vector<int> fixed = run<micro>(model, {-128, -20, 3, 40, 127});
            for (std::size_t i = 0; i < real.size(); ++i)
                CHECK(std::abs(real[i] - fixed[i]) <= 1);
            CHECK(fixed[2] == 0);
        }
    }
    // Real numbers of 15 and more leave the 4 integer bits and are at the ends.
    const tflite::model wide = model_of(builtin::tanh, {tensor_of({3}, 4, 0), tensor_of({3}, 1.0F / 128, 0)});
    CHECK(run<micro>(wide, {-4, 0, 4}) == std::vector<int>{-128, 0, 127});
}

TEST_CASE("per-axis scales must be along the axis of output channels and as many as it is long") {
    tflite::model model = dense(1);
    model.subgraphs[0].tensors[1].quantized = {{1, 1}, {0, 0}};
    CHECK(message_of(model, {1, 1}) == "test: operator 0 (FULLY_CONNECTED): tensor 't' has 2 scales, expected 1");
    model.subgraphs[0].tensors[1].quantized.axis = 1;
    CHECK(message_of(model, {1, 1}) ==
          "test: operator 0 (FULLY_CONNECTED): tensor 't' has its scales along axis 1, expected 0");
}

TEST_CASE("quantization that leaves open what is meant is an error of one line") {
    for (const float scale :
         {0.0F, -1.0F, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
        const std::string message =
            message_of(model_of(builtin::tanh, {tensor_of({1}, scale, 0), tensor_of({1}, 1, 0)}), {1});
        CHECK(message.find("TANH") != std::string::npos);
        CHECK(message.find("expected one that is finite and above 0") != std::string::npos);
        CHECK(message.find('\n') == std::string::npos);
    }
    CHECK(message_of(model_of(builtin::tanh, {tensor_of({1}, 1, 128), tensor_of({1}, 1, 0)}), {1}) ==
          "test: operator 0 (TANH): tensor 't' has the zero point 128, which i8 does not hold");
    tflite::model missing = model_of(builtin::tanh, {tensor_of({1}, 1, 0), tensor_of({1}, 1, 0)});
    missing.subgraphs[0].tensors[1].quantized = {};
    CHECK(message_of(missing, {1}) == "test: operator 0 (TANH): tensor 't' has no quantization");
}

TEST_CASE("missing options, missing inputs, other types and unknown operators are errors") {
    CHECK(message_of(model_of(builtin::softmax, {tensor_of({1}, 1, 0), tensor_of({1}, 1, 0)}), {1}) ==
          "test: operator 0 (SOFTMAX): option beta is missing");
    CHECK(message_of(model_of(builtin::add, {tensor_of({1}, 1, 0), tensor_of({1}, 1, 0)}), {1}) ==
          "test: operator 0 (ADD): input 1 is missing");
    CHECK(message_of(model_of(builtin::pad, {tensor_of({1}, 1, 0), tensor_of({1}, 1, 0)}), {1}) ==
          "test: operator 0 (PAD): input 1 is missing");
    CHECK(message_of(model_of(builtin::tanh, {tensor_of({1}, 1, 0, tensor_type::uint8), tensor_of({1}, 1, 0)}), {1}) ==
          "test: operator 0 (TANH): tensor 't' is uint8, expected i8");
    CHECK(message_of(model_of(builtin::sin, {tensor_of({1}, 1, 0), tensor_of({1}, 1, 0)}), {1}) ==
          "test: operator 0 (SIN): this operator has no specified arithmetic in 8 bits");
}

TEST_CASE("tensors whose elements no kernel can read are errors") {
    tflite::model model =
        model_of(builtin::add, {tensor_of({2}, 1, 0), constant_of<std::int8_t>({2}, 1, {1, 2}, tensor_type::int8),
                                tensor_of({2}, 1, 0)});
    model.subgraphs[0].tensors[1].is_sparse = true;
    CHECK(message_of(model, {1, 2}) ==
          "test: operator 0 (ADD): input 1 't' is a sparse constant of int8, which has no arithmetic here");
    model.subgraphs[0].tensors[1] = tensor_of({2}, 1, 0, tensor_type::variant);
    model.subgraphs[0].tensors[1].is_variable = true;
    CHECK(message_of(model, {1, 2}) ==
          "test: operator 0 (ADD): input 1 't' is a variable of variant, which has no arithmetic here");
    const tflite::tensor_info complex_number = tensor_of({2}, 1, 0, tensor_type::complex128);
    const tflite::tensor_info chosen = tensor_of({2}, 1, 0, tensor_type::boolean);
    CHECK(message_of(model_of(builtin::select, {chosen, complex_number, complex_number, complex_number}), {1, 2}) ==
          "test: operator 0 (SELECT): input 1 't' is a tensor of complex128, which has no arithmetic here");
    CHECK(message_of(model_of(builtin::cast, {tensor_of({2}, 1, 0), complex_number}), {1, 2}) ==
          "test: operator 0 (CAST): output 0 't' is a tensor of complex128, which has no arithmetic here");
}

TEST_CASE("elements are copied into tensors of their own type, and where they fill whole bytes") {
    const tflite::tensor_info size = constant_of<std::int32_t>({2}, 1, {4, 4}, tensor_type::int32);
    const std::vector<tflite::option> corners = {whole("align_corners", 0), whole("half_pixel_centers", 0)};
    const auto resized = [&](tensor_type from, tensor_type to, dimension channels) {
        return message_of(
            model_of(builtin::resize_nearest_neighbor,
                     {tensor_of({1, 1, 2, channels}, 1, 0, from), size, tensor_of({1, 4, 4, channels}, 1, 0, to)},
                     corners),
            {1, 2});
    };
    CHECK(resized(tensor_type::int8, tensor_type::int8, 1).empty());
    CHECK(resized(tensor_type::int8, tensor_type::int32, 1) ==
          "test: operator 0 (RESIZE_NEAREST_NEIGHBOR): tensor 't' is int32, expected i8");
    CHECK(resized(tensor_type::int4, tensor_type::int4, 2).empty());
    const tflite::tensor_info three = tensor_of({3, 1}, 1, 0, tensor_type::int4);
    const auto needs_bytes = [&](builtin code, const tflite::tensor_info& second, const shape& result,
                                 std::vector<tflite::option> options = {}) {
        return message_of(model_of(code, {three, second, tensor_of(result, 1, 0, tensor_type::int4)}, options), {1, 2})
                   .find("): 1 elements of i4 do not fill whole bytes") != std::string::npos;
    };
    CHECK(needs_bytes(builtin::transpose, constant_of<std::int32_t>({2}, 1, {1, 0}, tensor_type::int32), {1, 3}));
    CHECK(needs_bytes(builtin::gather, constant_of<std::int32_t>({1}, 1, {2}, tensor_type::int32), {1, 1},
                      {whole("axis", 0)}));
    // Of a tensor that stays as it is in memory, all bytes are copied.
    const auto moved_whole = [&](builtin code, const tflite::tensor_info& second, const shape& result) {
        return message_of(model_of(code, {three, second, tensor_of(result, 1, 0, tensor_type::int4)}), {1, 2});
    };
    CHECK(moved_whole(builtin::reshape, constant_of<std::int32_t>({1}, 1, {3}, tensor_type::int32), {3}).empty());
    CHECK(moved_whole(builtin::expand_dims, constant_of<std::int32_t>({1}, 1, {0}, tensor_type::int32), {1, 3, 1})
              .empty());
}

TEST_CASE("a scale for which the bounds of an activation have no code leaves the bounds of the type") {
    CHECK(run(model_of(builtin::relu6, {tensor_of({2}, 1, 0), tensor_of({2}, 1e-38F, 3)}), {-1, 1}) ==
          std::vector<int>{3, 127});
}

TEST_CASE("codes of real numbers and of wide types end at 32 bits") {
    for (const element type : {f32, i64, i32}) {
        CHECK(specified::range_of(type).lowest == INT32_MIN);
        CHECK(specified::range_of(type).highest == INT32_MAX);
    }
}

TEST_CASE("an input that an operation needs and the file leaves out is an error, also where a run finds it") {
    tflite::model mean = model_of(
        builtin::mean,
        {tensor_of({2}, 1, 0), constant_of<std::int32_t>({1}, 1, {0}, tensor_type::int32), tensor_of({1}, 1, 0)},
        {whole("keep_dims", 1)});
    CHECK(message_of(mean, {1, 3}).empty());
    mean.subgraphs[0].operators[0].inputs[1] = -1;
    CHECK(message_of(mean, {1, 3}).find("input 1 is missing") != std::string::npos);
}

TEST_CASE("a tensor that no operation gives a value is an error where it is read") {
    tflite::model model = model_of(builtin::add, {tensor_of({1}, 1, 0), tensor_of({1}, 1, 0), tensor_of({1}, 1, 0)});
    tflite::subgraph& net = model.subgraphs[0];
    tflite::operator_info handle;
    handle.code = builtin::var_handle;
    handle.outputs = {1};
    net.operators.insert(net.operators.begin(), handle);
    CHECK(message_of(model, {1}) == "test: operator 1 (ADD): input 1 has no value: no operation gives it one");
}

TEST_CASE("positions outside of a tensor are errors") {
    const tflite::model model = model_of(
        builtin::gather,
        {tensor_of({2}, 1, 0), constant_of<std::int32_t>({1}, 1, {2}, tensor_type::int32), tensor_of({1}, 1, 0)},
        {whole("axis", 0)});
    CHECK(message_of(model, {1, 2}) == "test: operator 0 (GATHER): GATHER: position 2 of 2");
}

TEST_CASE("slices without elements are copied nowhere") {
    const tflite::tensor_info position = constant_of<std::int32_t>({1, 1}, 1, {1}, tensor_type::int32);
    const tflite::tensor_info input = tensor_of({2, 0}, 1, 0), output = tensor_of({1, 0}, 1, 0);
    CHECK(run(model_of(builtin::gather_nd, {input, position, output}), {}).empty());
    CHECK(run(model_of(builtin::gather, {input, position, output}, {whole("axis", 0)}), {}).empty());
}

TEST_CASE("a filter without memory is an error") {
    tflite::tensor_info state = tensor_of({1, 0}, 1, 0, tensor_type::int16);
    state.is_variable = true;
    const tflite::model model =
        model_of(builtin::svdf,
                 {tensor_of({1, 1}, 1, 0), constant_of<std::int8_t>({1, 1}, 1, {1}, tensor_type::int8),
                  constant_of<std::int16_t>({1, 0}, 1, {}, tensor_type::int16),
                  constant_of<std::int32_t>({1}, 1, {0}, tensor_type::int32), state, tensor_of({1, 1}, 1, 0)},
                 {whole("rank", 1), whole("fused_activation_function", 0)});
    CHECK(message_of(model, {1}) == "test: operator 0 (SVDF): a memory of no entries");
}

TEST_CASE("an input of another size is an error") {
    CHECK(message_of(model_of(builtin::tanh, {tensor_of({2}, 1, 0), tensor_of({2}, 1, 0)}), {1}) ==
          "input 0: 1 bytes, expected 2 (i8[2])");
}

TEST_CASE("a convolution of an image without channels is an error") {
    const tflite::model model =
        model_of(builtin::conv_2d,
                 {tensor_of({1, 1, 1, 0}, 1, 0), constant_of<std::int8_t>({2, 1, 1, 1}, 1, {1, 1}, tensor_type::int8),
                  tensor_of({1, 1, 1, 2}, 1, 0)},
                 {whole("padding", 1), whole("stride_w", 1), whole("stride_h", 1), whole("dilation_w_factor", 1),
                  whole("dilation_h_factor", 1), whole("fused_activation_function", 0)});
    CHECK(message_of(model, {}) == "test: operator 0 (CONV_2D): CONV_2D: an input of 0 channels and weights [2,1,1,1]");
}

TEST_CASE("a reshape to sizes that no tensor can have is an error") {
    const auto reshaped_to = [](std::initializer_list<std::int32_t> sizes) {
        const shape rank{static_cast<dimension>(sizes.size())};
        return message_of(model_of(builtin::reshape,
                                   {tensor_of({4}, 1, 0), constant_of<std::int32_t>(rank, 1, sizes, tensor_type::int32),
                                    tensor_of({4}, 1, 0)}),
                          {1, 2, 3, 4});
    };
    CHECK(reshaped_to({-2, -2}) == "test: operator 0 (RESHAPE): a shape of 2 sizes that no tensor can have");
    CHECK(reshaped_to({1 << 30, 1 << 30, 1 << 30}) ==
          "test: operator 0 (RESHAPE): a shape of 3 sizes that no tensor can have");
}

TEST_CASE("a division by zero is an error") {
    CHECK(message_of(
              model_of(builtin::div, {tensor_of({1}, 1, 0), constant_of<std::int8_t>({1}, 1, {0}, tensor_type::int8),
                                      tensor_of({1}, 1, 0)}),
              {1}) == "test: operator 0 (DIV): DIV: a divisor is 0");
}

TEST_CASE("variables live from run to run, begin as their initialization says, and are reset to it") {
    tflite::model model = model_of(builtin::add, {tensor_of({2}, 1, 0), tensor_of({2}, 1, 0), tensor_of({2}, 1, 0)});
    tflite::subgraph& net = model.subgraphs[0];
    const auto words = [](const char* field, const char* content) {
        tflite::option result;
        result.name = field;
        result.words = content;
        return result;
    };
    tflite::operator_info handle;
    handle.code = builtin::var_handle;
    handle.outputs = {3};
    handle.options = {words("container", ""), words("shared_name", "sum")};
    tflite::operator_info read;
    read.code = builtin::read_variable;
    read.inputs = {3};
    read.outputs = {1};
    tflite::operator_info assign;
    assign.code = builtin::assign_variable;
    assign.inputs = {3, 2};
    tflite::operator_info once;
    once.code = builtin::call_once;
    once.options = {whole("init_subgraph_index", 1)};
    net.tensors.push_back(tensor_of({}, 1, 0, tensor_type::resource));
    net.operators = {once, handle, read, net.operators[0], assign};
    tflite::subgraph start;
    start.tensors = net.tensors;
    start.tensors[2] = constant_of<std::int8_t>({2}, 1, {10, 20}, tensor_type::int8);
    start.operators = {handle, assign};
    model.subgraphs.push_back(start);

    specified::network running(model);
    const std::int8_t codes[] = {1, 2};
    running.set_input(0, view<std::byte>(reinterpret_cast<const std::byte*>(codes), sizeof codes));
    running.run();
    CHECK(running.output(0).integers() == std::vector<std::int64_t>{11, 22});
    running.run();
    CHECK(running.output(0).integers() == std::vector<std::int64_t>{12, 24});
    running.reset();
    running.run();
    CHECK(running.output(0).integers() == std::vector<std::int64_t>{11, 22});
}

TEST_CASE("PRELU of real numbers runs between quantized operations") {
    tflite::model model = model_of(builtin::prelu, {tensor_of({2}, 1, 0, tensor_type::float32),
                                                    constant_of<float>({2}, 1, {0.5F, 0.25F}, tensor_type::float32),
                                                    tensor_of({2}, 1, 0, tensor_type::float32)});
    specified::network running(model);
    const float numbers[] = {-3, 4};
    running.set_input(0, view<std::byte>(reinterpret_cast<const std::byte*>(numbers), sizeof numbers));
    running.run();
    CHECK(running.output(0).as<float>()[0] == -1.5F);
    CHECK(running.output(0).as<float>()[1] == 4);
}

TEST_CASE("tensors take no more memory than the limit, and the operation that would is named") {
    const tflite::model model = dense(1);  // two codes, one code
    const std::int8_t codes[] = {1, 2};
    specified::network within(model, nullptr, {}, 3);
    within.set_input(0, view<std::byte>(reinterpret_cast<const std::byte*>(codes), sizeof codes));
    within.run();
    within.run();  // takes the same memory again
    CHECK(within.output(0).integer(0) == 3);

    specified::network beyond(model, nullptr, {}, 2);
    CHECK_THROWS_WITH_AS(beyond.run(), doctest::Contains("FULLY_CONNECTED"), error);
    CHECK_THROWS_WITH_AS(beyond.run(), doctest::Contains("3 bytes of memory would be needed, and the limit is 2 bytes"),
                         error);
    CHECK_THROWS_WITH_AS(specified::network(model, nullptr, {}, 1), doctest::Contains("tensor '"), error);
}
