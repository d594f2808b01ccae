// SPDX-License-Identifier: Apache-2.0
#include <lpt/import/tflite/read_model.hpp>

#include "tests/import/tflite_file.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using tflite::builtin;
using tflite::tensor_type;
using namespace lpt::testing;

namespace {

/// A tensor of four floats and its ReLU.
tflite_subgraph relu_network() {
    return {{{tensor_type::float32, {1, 4}}, {tensor_type::float32, {1, 4}}}, {{builtin::relu, {0}, {1}}}, {0}, {1}};
}
std::string full_message_for(const std::string& content) {
    try {
        static_cast<void>(read_tflite(content));
    } catch (const error& raised) {
        return raised.what();
    }
    return "";
}
std::string message_for(const std::string& content) { return without_byte(full_message_for(content)); }
std::string message_for(const tflite_subgraph& network) { return message_for(tflite_file(network)); }

}  // namespace

TEST_CASE("tensors have their name, type, shape, signature, quantization and value") {
    tflite_subgraph network = relu_network();
    network.tensors.push_back({tensor_type::int8, {2, 3}, {0.5F, 0.25F}, {1, -2}, 0, "\1\2\3\4\5\6"});
    network.tensors[0].signature = {-1, 4};
    const tflite::model read = read_tflite(tflite_file(network));
    const std::vector<tflite::tensor_info>& tensors = read.subgraphs[0].tensors;
    CHECK(tensors[0].name == "t0");
    CHECK(tensors[0].dimensions == shape{1, 4});
    CHECK(tensors[0].signature == shape{-1, 4});
    CHECK_FALSE(tensors[0].is_constant());
    CHECK_FALSE(tensors[0].quantized.is_present());
    CHECK(tensors[2].type == tensor_type::int8);
    CHECK(tensors[2].quantized.scales == std::vector<float>{0.5F, 0.25F});
    CHECK(tensors[2].quantized.zero_points == std::vector<std::int64_t>{1, -2});
    CHECK(tensors[2].value.type() == i8);
    CHECK(tensors[2].value.dimensions() == shape{2, 3});
    CHECK(tensors[2].value.integer(5) == 6);
}

TEST_CASE("an operator has its code, tensors and options, those that are absent with their defaults") {
    tflite_subgraph network = relu_network();
    network.operators[0] = {builtin::conv_2d, {0, -1}, {1}, {tflite_whole(1, 2), {3, tflite::stored::activation, 3}}};
    const tflite::model read = read_tflite(tflite_file(network));
    const tflite::operator_info& op = read.subgraphs[0].operators[0];
    CHECK(op.code == builtin::conv_2d);
    CHECK(op.name() == "CONV_2D");
    CHECK(op.inputs == std::vector<std::int64_t>{0, -1});
    CHECK(op.outputs == std::vector<std::int64_t>{1});
    CHECK(op.integer("stride_w") == 2);
    CHECK(op.integer("dilation_h_factor") == 1);
    CHECK(op.activation() == tflite::activation::relu6);
    CHECK(op.padding() == tflite::padding::same);
}

TEST_CASE("operator codes of 127 and more are in their newer field") {
    tflite_subgraph network = relu_network();
    network.operators[0].code = builtin::gelu;
    CHECK(read_tflite(tflite_file(network)).subgraphs[0].operators[0].code == builtin::gelu);
}

TEST_CASE("a custom operator has a name of its own") {
    tflite_subgraph network = relu_network();
    network.operators[0] = {builtin::custom, {0}, {1}, {}, -1, "MyOp"};
    CHECK(read_tflite(tflite_file(network)).subgraphs[0].operators[0].name() == "MyOp");
}

TEST_CASE("quantization that breaks the rules is read as it stands") {
    tflite_subgraph network = relu_network();
    network.tensors[0].type = tensor_type::int8;
    network.tensors[0].scales = {0.0F, -1.0F, 2.0F};
    network.tensors[0].zero_points = {1000};
    network.tensors[0].axis = 7;
    const tflite::quantization read = read_tflite(tflite_file(network)).subgraphs[0].tensors[0].quantized;
    CHECK(read.scales == std::vector<float>{0.0F, -1.0F, 2.0F});
    CHECK(read.zero_points == std::vector<std::int64_t>{1000});
    CHECK(read.axis == 7);
}

TEST_CASE("what is no TFLite file says so") {
    CHECK(message_for(std::string()) == "net.tflite: unknown format; expected TFLite, whose files have TFL3 at byte 4");
    CHECK(message_for(std::string("<?xml version=\"1.0\"?>")) ==
          "net.tflite: unknown format; expected TFLite, whose files have TFL3 at byte 4");
    CHECK(message_for(tflite_writer().write({relu_network()}, 2)) == "net.tflite: version 2 of the format, expected 3");
    CHECK(message_for(tflite_writer().write({})) == "net.tflite: has no subgraph");
}

TEST_CASE("an error names the byte of the table that it is about") {
    tflite_subgraph network = relu_network();
    network.operators[0].inputs = {9};
    const std::string content = tflite_file(network);
    using table = flatbuffers::Table;
    using tables = flatbuffers::Vector<flatbuffers::Offset<table>>;
    const auto first = [](const table* of, unsigned short field) {
        return of->GetPointer<const tables*>(static_cast<flatbuffers::voffset_t>(4 + 2 * field))->Get(0);
    };
    const table* const graph = first(flatbuffers::GetRoot<table>(content.data()), tflite::field::model::subgraphs);
    const auto byte_of = [&](const table* at) {
        return std::to_string(reinterpret_cast<const char*>(at) - content.data());
    };
    CHECK(full_message_for(content) == "net.tflite: subgraph 0: operator 0 (RELU) at byte " +
                                           byte_of(first(graph, tflite::field::subgraph::operators)) +
                                           ": input 0 is tensor 9, expected 0 to 1");
    network = relu_network();
    network.outputs = {-1};
    const std::string other = tflite_file(network);
    CHECK(full_message_for(other).starts_with("net.tflite: subgraph 0 at byte "));
    CHECK(read_tflite(tflite_file(relu_network())).subgraphs[0].tensors[0].byte != tflite::unknown_byte);
}

TEST_CASE("no beginning of a file is taken for the whole") {
    tflite_subgraph network = relu_network();
    network.tensors.push_back({tensor_type::int32, {3}, {}, {}, 0, packed<std::int32_t>({1, 2, 3})});
    const std::string whole = tflite_file(network);
    for (std::size_t size = 0; size < whole.size() - 8; ++size) {
        const std::string message = message_for(whole.substr(0, size));
        INFO(size, ": ", message);
        CHECK(message.rfind("net.tflite: ", 0) == 0);
    }
}

TEST_CASE("indices that lead nowhere are refused by name") {
    tflite_subgraph network = relu_network();
    network.operators[0].inputs = {9};
    CHECK(message_for(network) == "net.tflite: subgraph 0: operator 0 (RELU): input 0 is tensor 9, expected 0 to 1");
    network = relu_network();
    network.outputs = {-1};
    CHECK(message_for(network) == "net.tflite: subgraph 0: output 0 is tensor -1, expected 0 to 1");
    network = relu_network();
    network.tensors[1].buffer = 77;
    CHECK(message_for(network) == "net.tflite: subgraph 0: tensor 1 't1': buffer 77, but the file has 1");
    network = relu_network();
    network.operators[0] = {builtin::call_once, {}, {}, {tflite_whole(0, 5)}};
    network.outputs = {0};
    CHECK(message_for(network) ==
          "net.tflite: subgraph 0: operator 0 (CALL_ONCE): callee 0 is subgraph 5, expected 0 to 0");
}

TEST_CASE("types and enumerations that there are not are refused") {
    tflite_subgraph network = relu_network();
    network.tensors[0].type = static_cast<tensor_type>(99);
    CHECK(message_for(network) == "net.tflite: subgraph 0: tensor 0 't0': unknown type 99, expected 0 to 18");
    network = relu_network();
    network.operators[0].code = static_cast<builtin>(999);
    CHECK(message_for(network) == "net.tflite: subgraph 0: operator 0 (?): unknown operator 999, expected 0 to 208");
    network = relu_network();
    network.operators[0] = {builtin::add, {0, 0}, {1}, {{0, tflite::stored::activation, 17}}};
    CHECK(message_for(network) ==
          "net.tflite: subgraph 0: operator 0 (ADD): option fused_activation_function is 17, expected 0 to 5");
    network.operators[0] = {builtin::add, {0, 0}, {1}, {}, 44};
    CHECK(message_for(network) == "net.tflite: subgraph 0: operator 0 (ADD): has options of the kind 44, expected 11");
}

TEST_CASE("a buffer has the size that shape and type ask for") {
    tflite_subgraph network = relu_network();
    network.tensors.push_back({tensor_type::int32, {3}, {}, {}, 0, "12345678"});
    CHECK(message_for(network) ==
          "net.tflite: subgraph 0: tensor 2 't2': its buffer has 8 bytes, but type int32 and shape [3] need 12");
}

TEST_CASE("impossible shapes are refused") {
    tflite_subgraph network = relu_network();
    network.tensors[0].shape = {1, -4};
    CHECK(message_for(network) == "net.tflite: subgraph 0: tensor 0 't0': a tensor cannot have the shape [1,-4]");
    network.tensors[0].shape = {2147483647, 2147483647, 2147483647};
    CHECK(message_for(network) ==
          "net.tflite: subgraph 0: tensor 0 't0': a tensor cannot have the shape [2147483647,2147483647,2147483647]");
    network.tensors[0].shape = {1, 4};
    network.tensors[0].signature = {4};
    CHECK(message_for(network) ==
          "net.tflite: subgraph 0: tensor 0 't0': its shape signature [4] has another rank than its shape [1,4]");
}

TEST_CASE("operators read what was computed before them, and write what was not") {
    tflite_subgraph network = relu_network();
    network.tensors.push_back({tensor_type::float32, {1, 4}});
    network.operators = {{builtin::relu, {2}, {1}}, {builtin::relu, {0}, {2}}};
    CHECK(message_for(network) ==
          "net.tflite: subgraph 0: operator 0 (RELU): input 0 is tensor 2 't2', which no operator before it computes");
    network.operators = {{builtin::relu, {0}, {2}}, {builtin::relu, {0}, {2}}};
    CHECK(message_for(network) ==
          "net.tflite: subgraph 0: operator 1 (RELU): output 0 is tensor 2 't2', which has a value already");
    network.operators = {};
    CHECK(message_for(network) == "net.tflite: subgraph 0: tensor 1 't1': is an output, but no operator computes it");
}

TEST_CASE("subgraphs that run each other in circles are refused") {
    const auto caller = [](int of) {
        return tflite_subgraph{
            {{tensor_type::float32, {1}}}, {{builtin::call_once, {}, {}, {tflite_whole(0, of)}}}, {0}, {0}};
    };
    CHECK(message_for(tflite_writer().write({caller(1), caller(0)})) ==
          "net.tflite: subgraph 1: operator 0 (CALL_ONCE): runs subgraph 0, which runs this one");
}

TEST_CASE("signatures have their key, subgraph and the names of their tensors") {
    const std::string file =
        tflite_writer().write({relu_network(), relu_network()}, 3, {{"f", 1, {{"x", 0}}, {{"y", 1}, {"z", 1}}}});
    const std::vector<tflite::signature> read = read_tflite(file).signatures;
    REQUIRE(read.size() == 1);
    CHECK(read[0].key == "f");
    CHECK(read[0].subgraph == 1);
    REQUIRE(read[0].inputs.size() == 1);
    CHECK(read[0].inputs[0].name == "x");
    CHECK(read[0].inputs[0].tensor == 0);
    REQUIRE(read[0].outputs.size() == 2);
    CHECK(read[0].outputs[1].name == "z");
    CHECK(read[0].outputs[1].tensor == 1);
}

TEST_CASE("signatures of subgraphs and tensors that there are not are refused") {
    CHECK(message_for(tflite_writer().write({relu_network()}, 3, {{"f", 4, {{"x", 0}}, {{"y", 1}}}})) ==
          "net.tflite: signature 'f' is for subgraph 4, but the file has 1");
    CHECK(message_for(tflite_writer().write({relu_network()}, 3, {{"f", 0, {{"x", 9}}, {{"y", 1}}}})) ==
          "net.tflite: signature 'f' names tensor 9 'x', but the subgraph has 2");
}

TEST_CASE("buffers may lie behind the FlatBuffer") {
    tflite_subgraph network = relu_network();
    network.tensors.push_back({tensor_type::int32, {3}, {}, {}, 0, packed<std::int32_t>({1, 2, 3})});
    network.tensors.push_back({tensor_type::int8, {2}, {}, {}, 0, "\7\11"});
    network.tensors[2].is_outside = true;
    network.tensors[3].is_outside = true;
    const tflite::model read = read_tflite(tflite_file(network));
    const std::vector<tflite::tensor_info>& tensors = read.subgraphs[0].tensors;
    CHECK(tensors[2].value.type() == i32);
    CHECK(tensors[2].value.integer(0) == 1);
    CHECK(tensors[2].value.integer(2) == 3);
    CHECK(tensors[3].value.integer(1) == 9);
}

TEST_CASE("buffers behind the FlatBuffer end in the file") {
    tflite_subgraph network = relu_network();
    network.tensors.push_back({tensor_type::int32, {3}, {}, {}, 0, packed<std::int32_t>({1, 2, 3})});
    network.tensors[2].is_outside = true;
    const std::string whole = tflite_file(network);
    const std::string place = std::to_string(whole.size() - 12);
    CHECK(message_for(whole.substr(0, whole.size() - 4)) ==
          "net.tflite: subgraph 0: tensor 2 't2': buffer 1 has 12 bytes from byte " + place + " on, but the file has " +
              std::to_string(whole.size() - 4));
}

TEST_CASE("values of sparse tensors are the bytes of their buffers") {
    tflite_subgraph network = relu_network();
    network.tensors.push_back({tensor_type::float32, {2, 2}, {}, {}, 0, packed<float>({5})});
    network.tensors[2].is_sparse = true;
    const tflite::model read = read_tflite(tflite_file(network));
    CHECK(read.subgraphs[0].tensors[2].is_sparse);
    CHECK(read.subgraphs[0].tensors[2].value.type() == u8);
    CHECK(read.subgraphs[0].tensors[2].value.dimensions() == shape{4});
}
