// SPDX-License-Identifier: Apache-2.0
// Runs after the first ask for no memory.
#include "tests/specified/models.hpp"
#include "tests/support/counted_allocations.hpp"

#include <lpt/kernel/dispatch.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>

using namespace specified_test;

namespace {

tflite::tensor_info bytes_of(shape dimensions) { return tensor_of(lpt::move(dimensions), 0.05F, 3); }

/// Integers that say where something goes.
tflite::tensor_info numbers_of(std::initializer_list<std::int32_t> numbers) {
    return constant_of<std::int32_t>({static_cast<dimension>(numbers.size())}, 1, numbers, tensor_type::int32);
}

tflite::tensor_info weights_of(shape dimensions) {
    tflite::tensor_info result = tensor_of(dimensions, 0.01F, 0);
    seq<std::byte> content(dimensions.elements(), std::byte{1});
    result.value = tensor(i8, dimensions, bytes(lpt::move(content)));
    return result;
}

tflite::model with_outputs(tflite::model model, std::size_t count) {
    tflite::subgraph& net = model.subgraphs[0];
    tflite::operator_info& op = net.operators[0];
    for (std::size_t i = 1; i < count; ++i) {
        net.tensors.push_back(net.tensors.back());
        op.outputs.push_back(static_cast<std::int64_t>(net.tensors.size() - 1));
    }
    net.outputs = op.outputs;
    return model;
}

std::vector<tflite::option> window() {
    return {whole("padding", 0), whole("stride_h", 1), whole("stride_w", 1), whole("filter_height", 2),
            whole("filter_width", 2)};
}

}  // namespace

TEST_CASE("a run after the first allocates nothing") {
    const shape image{1, 4, 6, 8};
    const tflite::option axis_1 = whole("axis", 1);
    const std::vector<tflite::option> masks = {whole("begin_mask", 0), whole("end_mask", 0), whole("ellipsis_mask", 0),
                                               whole("new_axis_mask", 0), whole("shrink_axis_mask", 0)};
    tflite::model split = model_of(builtin::split, {bytes_of(image), numbers_of({1}), bytes_of({1, 2, 6, 8})});
    std::swap(split.subgraphs[0].operators[0].inputs[0], split.subgraphs[0].operators[0].inputs[1]);
    split.subgraphs[0].tensors[1].dimensions = {};
    const std::pair<const char*, tflite::model> models[] = {
        {"RESHAPE", model_of(builtin::reshape, {bytes_of(image), numbers_of({1, 24, 8}), bytes_of({1, 24, 8})})},
        {"SQUEEZE", model_of(builtin::squeeze, {bytes_of(image), bytes_of({4, 6, 8})})},
        {"TRANSPOSE",
         model_of(builtin::transpose, {bytes_of(image), numbers_of({0, 3, 2, 1}), bytes_of({1, 8, 6, 4})})},
        {"CONCATENATION", model_of(builtin::concatenation,
                                   {bytes_of(image), weights_of({1, 2, 6, 8}), bytes_of({1, 6, 6, 8})}, {axis_1})},
        {"PACK", model_of(builtin::pack, {bytes_of(image), weights_of(image), bytes_of({1, 2, 4, 6, 8})}, {axis_1})},
        {"UNPACK", with_outputs(model_of(builtin::unpack, {bytes_of(image), bytes_of({1, 6, 8})}, {axis_1}), 4)},
        {"SPLIT", with_outputs(split, 2)},
        {"SLICE", model_of(builtin::slice, {bytes_of(image), numbers_of({0, 1, 2, 0}), numbers_of({1, 2, -1, 8}),
                                            bytes_of({1, 2, 4, 8})})},
        {"STRIDED_SLICE", model_of(builtin::strided_slice,
                                   {bytes_of(image), numbers_of({0, 1, 0, 0}), numbers_of({1, 4, 6, 8}),
                                    numbers_of({1, 1, 2, 1}), bytes_of({1, 3, 3, 8})},
                                   masks)},
        {"REVERSE_V2", model_of(builtin::reverse_v2, {bytes_of(image), numbers_of({2}), bytes_of(image)})},
        {"DEPTH_TO_SPACE",
         model_of(builtin::depth_to_space, {bytes_of(image), bytes_of({1, 8, 12, 2})}, {whole("block_size", 2)})},
        {"PAD",
         model_of(builtin::pad,
                  {bytes_of(image), constant_of<std::int32_t>({4, 2}, 1, {0, 0, 1, 1, 0, 2, 0, 0}, tensor_type::int32),
                   bytes_of({1, 6, 8, 8})})},
        {"CONV_2D",
         model_of(builtin::conv_2d, {bytes_of(image), weights_of({16, 3, 3, 8}), bytes_of({1, 4, 6, 16})}, window())},
        {"DEPTHWISE_CONV_2D",
         model_of(builtin::depthwise_conv_2d, {bytes_of(image), weights_of({1, 3, 3, 8}), bytes_of(image)}, window())},
        {"FULLY_CONNECTED",
         model_of(builtin::fully_connected, {bytes_of({3, 8}), weights_of({5, 8}), bytes_of({3, 5})})},
        {"ADD", model_of(builtin::add, {bytes_of(image), weights_of(image), bytes_of(image)})},
        {"MUL", model_of(builtin::mul, {bytes_of(image), weights_of(image), bytes_of(image)})},
        {"MAX_POOL_2D", model_of(builtin::max_pool_2d, {bytes_of(image), bytes_of(image)}, window())},
        {"MEAN",
         model_of(builtin::mean, {bytes_of(image), numbers_of({1, 2}), bytes_of({1, 8})}, {whole("keep_dims", 0)})},
        {"SUM",
         model_of(builtin::sum, {bytes_of(image), numbers_of({3}), bytes_of({1, 4, 6, 1})}, {whole("keep_dims", 1)})},
        {"REDUCE_MAX", model_of(builtin::reduce_max, {bytes_of(image), numbers_of({2}), bytes_of({1, 4, 8})},
                                {whole("keep_dims", 0)})},
        {"LOGISTIC", model_of(builtin::logistic, {bytes_of(image), bytes_of(image)})},
        {"QUANTIZE", model_of(builtin::quantize, {bytes_of(image), bytes_of(image)})},
    };
    for (const auto& [name, model] : models) {
        CAPTURE(std::string(name));
        specified::network net(model, &kernel::table_for(kernel::best_isa()));
        net.run();
        const auto output = [&] { return std::vector(net.output(0).memory.begin(), net.output(0).memory.end()); };
        const std::vector<std::byte> first = output();
        const std::size_t before = support::allocations;
        net.run();
        net.run();
        CHECK(support::allocations == before);
        CHECK(output() == first);
    }
}

TEST_CASE("an output that a file leaves out has no shape to remember") {
    tflite::model model =
        model_of(builtin::mean, {bytes_of({1, 4, 8}), numbers_of({1}), bytes_of({1, 8})}, {whole("keep_dims", 0)});
    model.subgraphs[0].operators[0].outputs.push_back(-1);
    specified::network net(model);
    net.run();
    net.run();
    CHECK(net.output(0).dimensions == shape{1, 8});
}

TEST_CASE("a movement whose shape is computed follows it from run to run") {
    tflite::model model =
        model_of(builtin::reshape, {tensor_of({2}, 1, 0, tensor_type::int32), weights_of({2, 6}), bytes_of({3, 4})});
    std::swap(model.subgraphs[0].operators[0].inputs[0], model.subgraphs[0].operators[0].inputs[1]);
    specified::network net(model);
    for (const auto& wanted : {shape{3, 4}, shape{6, 2}, shape{2, 6}, shape{2, 6}}) {
        const std::int32_t sizes[2] = {static_cast<std::int32_t>(wanted[0]), static_cast<std::int32_t>(wanted[1])};
        net.set_input(0, view<std::byte>(reinterpret_cast<const std::byte*>(sizes), sizeof sizes));
        net.run();
        CHECK(net.output(0).dimensions == wanted);
        CHECK(net.output(0).integer(11) == 1);
    }
}
