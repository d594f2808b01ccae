// SPDX-License-Identifier: Apache-2.0
#include "tests/import/onnx_results.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

/// Models that contradict themselves or the standard, and what is said of them.
namespace {

using namespace lpt;
using namespace lpt::testing::onnx_file;
using lpt::testing::temporary_folder;

constexpr std::int64_t i32_type = 6;
constexpr std::int64_t string_type = 8;
constexpr std::int64_t f16_type = 10;
constexpr std::int64_t f64_type = 11;

/// What the import says of a model that is wrong, without the name of the folder.
std::string complaint(const std::string& content, const words& beside = {}) {
    const temporary_folder folder;
    for (const std::string& each : beside) {
        folder.write("weights.bin", each);
    }
    try {
        static_cast<void>(lpt::import(folder.write("net.onnx", content)));
    } catch (const error& raised) {
        const std::string message = raised.what();
        return message.substr(message.find("net.onnx"));
    }
    return "no complaint";
}
/// The same for a part of the file, whose place in it must be what is said.
std::string complaint_about(const std::string& content, const std::string& part, const words& beside = {}) {
    const std::string place = " at byte " + std::to_string(content.find(part)) + ": ";
    const std::string said = complaint(content, beside);
    const std::size_t at = said.find(place);
    REQUIRE_MESSAGE(at != std::string::npos, said << ", but expected" << place);
    return said.substr(std::string("net.onnx: ").size(), at - std::string("net.onnx: ").size()) + ": " +
           said.substr(at + place.size());
}
parts one_node(const std::string& made, const words& initializers = {}) {
    return {{made}, initializers, {value("x", {1, 4})}, {value("y", {1, 4})}};
}
std::string external(const std::vector<std::pair<std::string, std::string>>& entries) {
    return message([&](pbf_writer& to) {
        to.add_int64(1, 4);
        to.add_int32(2, float_type);
        to.add_string(8, "w");
        to.add_int32(14, 1);
        for (const auto& [key, given] : entries) {
            to.add_message(13, message([&](pbf_writer& entry) {
                               entry.add_string(1, key);
                               entry.add_string(2, given);
                           }));
        }
    });
}
std::string strings(const std::string& name) {
    return message([&](pbf_writer& to) {
        to.add_int64(1, 1);
        to.add_int32(2, static_cast<std::int32_t>(string_type));
        to.add_bytes(6, "word");
        to.add_string(8, name);
    });
}
const std::string add_weights = make_node("Add", {"x", "w"}, {"y"});

}  // namespace

TEST_CASE("An error about an initializer says which, and its byte") {
    const auto said = [](const std::string& tensor) {
        return complaint_about(make_model(one_node(add_weights, {tensor})), tensor);
    };
    CHECK(said(raw_tensor("w", {4}, float_type, "abc")) ==
          "initializer 'w': a tensor of type f32 and shape [4] has 16 bytes, not 3");
    CHECK(said(raw_tensor("w", {-4}, float_type, "abc")) ==
          "initializer 'w': a tensor has a size of -4 or more than 64 axes");
    CHECK(said(raw_tensor("w", {1LL << 40, 1LL << 40}, float_type, "abc"))
              .starts_with("initializer 'w': a tensor cannot have the shape"));
    CHECK(said(raw_tensor("w", {4}, 99, "abc")) == "initializer 'w': the element type number 99 is not supported");
}

TEST_CASE("An error about external data says which initializer has it, and which file") {
    const auto said = [](const std::vector<std::pair<std::string, std::string>>& entries, const words& beside = {}) {
        const std::string tensor = external(entries);
        return complaint_about(make_model(one_node(add_weights, {tensor})), tensor, beside);
    };
    CHECK(said({}) == "initializer 'w': external data has no location");
    CHECK(said({{"location", "weights.bin"}}).starts_with("initializer 'w': external data in 'weights.bin': "));
    CHECK(said({{"location", "weights.bin"}}).ends_with("cannot be opened: No such file or directory"));
    CHECK(said({{"location", "weights.bin"}, {"offset", "4"}}, {std::string(16, '\0')}) ==
          "initializer 'w': external data in 'weights.bin': 16 bytes from byte 4 on lie outside of the file, which has "
          "16 bytes");
    CHECK(said({{"location", "weights.bin"}, {"offset", "-4"}}, {std::string(16, '\0')}) ==
          "initializer 'w': external data has the offset '-4', expected a number from 0 on");
    CHECK(said({{"location", "../outside.bin"}})
              .starts_with("initializer 'w': external data in '../outside.bin' lies outside the folder of the model"));
}

TEST_CASE("An error about an input or an output says which, and its byte") {
    const std::string relu = make_node("Relu", {"x"}, {"y"});
    const auto about_input = [&](const std::string& input) {
        return complaint_about(make_model({{relu}, {}, {input}, {value("y", {4})}}), input);
    };
    CHECK(about_input(value("x", {4}, string_type)) == "input 'x': the element type STRING is not supported");
    CHECK(about_input(message([](pbf_writer& to) {
              to.add_string(1, "x");
              to.add_message(2, message([](pbf_writer& kind) { kind.add_message(4, std::string()); }));
          })) == "input 'x': is a sequence, which is not supported");
    const std::string broken = value("x", {1, -7});
    CHECK(complaint(make_model({{relu}, {}, {broken}, {value("y", {4})}})) ==
          "net.onnx: input 'x' at byte " + std::to_string(make_model({{relu}, {}, {broken}, {}}).find(broken)) +
              ": has a size of -7, expected at most 140737488355328, or -1 where it is open");
    const std::string output = value("other", {4});
    CHECK(complaint_about(make_model({{relu}, {}, {value("x", {4})}, {output}}), output) ==
          "output 'other': is given by no node, initializer or input");
}

TEST_CASE("Two inputs, two initializers that differ, or two nodes that give one value are refused") {
    const std::string again = value("x", {1, 4, 1});
    parts net = one_node(make_node("Relu", {"x"}, {"y"}));
    net.inputs.push_back(again);
    CHECK(complaint_about(make_model(net), again) == "input 'x': has the name of another input");
    const std::string one = floats("w", {4}, {1, 2, 3, 4});
    const std::string other = floats("w", {4}, {1, 2, 3, 5});
    CHECK(complaint_about(make_model(one_node(add_weights, {one, other})), other) ==
          "initializer 'w': has the name of another initializer or input, which is not the same");
    CHECK(results_of(make_model(one_node(add_weights, {one, one})), {floats_of({1, 4}, {1, 1, 1, 1})})[0] ==
          values{2, 3, 4, 5});
    net = one_node(make_node("Relu", {"x"}, {"y"}));
    net.nodes.push_back(make_node("Neg", {"x"}, {"y"}));
    CHECK(complaint(make_model(net)).ends_with("gives 'y', which was given before"));
    net = one_node(add_weights, {one});
    net.nodes.push_back(make_node("Neg", {"x"}, {"w"}));
    CHECK(complaint(make_model(net)).ends_with("gives 'w', which was given before"));
}

TEST_CASE("A function gives no value that was given before, and reads none that nothing gives") {
    const std::string function = message([](pbf_writer& to) {
        to.add_string(1, "Mine");
        to.add_string(4, "in");
        to.add_string(5, "out");
        to.add_message(7, make_node("Neg", {"in"}, {"out"}));
        to.add_message(9, operator_set(21));
        to.add_string(10, "own");
    });
    CHECK(complaint(make_model(one_node(make_node("Mine", {"x"}, {"x"}, {}, "own")), 21, {function}))
              .ends_with("leads round in a circle to what it reads"));
    parts twice = one_node(make_node("Relu", {"x"}, {"y"}));
    twice.nodes.push_back(make_node("Mine", {"x"}, {"y"}, {}, "own"));
    CHECK(complaint(make_model(twice, 21, {function})).ends_with("gives 'y', which was given before"));
    CHECK(complaint(make_model(one_node(make_node("Mine", {"z"}, {"y"}, {}, "own")), 21, {function}))
              .ends_with("input 0 is 'z', which no node, initializer or input gives"));
}

TEST_CASE("An input with an initializer has its type and shape") {
    parts net = one_node(add_weights, {floats("w", {4}, {1, 2, 3, 4})});
    net.inputs.push_back(value("w", {4}, i32_type));
    CHECK(complaint_about(make_model(net), net.inputs[1]) == "input 'w': is declared as INT32, but is f32");
    net.inputs[1] = value("w", {3});
    CHECK(complaint_about(make_model(net), net.inputs[1]) ==
          "input 'w': is declared with shape [3], but its initializer has [4]");
    net.inputs[1] = value("w", {-1});
    CHECK(complaint(make_model(net)) == "no complaint");
}

TEST_CASE("Outputs and values have the type that the file declares; shapes are those that are inferred") {
    parts net = one_node(make_node("Relu", {"x"}, {"y"}));
    net.outputs = {value("y", {1, 4}, i32_type)};
    CHECK(complaint_about(make_model(net), net.outputs[0]) == "output 'y': is declared as INT32, but is f32");
    net.outputs = {value("y", {1, 5})};
    const lpt::graph model = import_content(make_model(net));
    CHECK(model[model.results()[0]].shape() == shape{1, 4});
    net = one_node(make_node("Relu", {"x"}, {"middle"}));
    net.nodes.push_back(make_node("Neg", {"middle"}, {"y"}));
    const std::string declared = value("middle", {1, 4}, u8_type);
    const std::string content = message([&](pbf_writer& to) {
        to.add_int64(1, 8);
        to.add_message(8, operator_set(21));
        to.add_message(7, net.content() + message([&](pbf_writer& more) { more.add_message(13, declared); }));
    });
    CHECK(complaint_about(content, declared) == "value 'middle': is declared as UINT8, but is f32");
}

TEST_CASE("Initializers of types that the library does not have are an error only where they are read") {
    CHECK(results_of(make_model(one_node(make_node("Relu", {"x"}, {"y"}), {strings("words")})),
                     {floats_of({1, 4}, {-1, 2, -3, 4})})[0] == values{0, 2, 0, 4});
    const std::string content = make_model(one_node(add_weights, {strings("w")}));
    CHECK(complaint(content) == "net.onnx: node 'y' (Add) at byte 12: reads the initializer at byte " +
                                    std::to_string(content.find(strings("w"))) +
                                    ", whose element type STRING is not supported");
}

TEST_CASE("kernel_shape is the shape of the weights") {
    const auto said = [](const std::string& type, const std::string& kernel) {
        const parts net{{make_node(type, {"x", "w"}, {"y"}, {kernel})},
                        {floats("w", {1, 1, 3, 3}, std::vector<float>(9, 1))},
                        {value("x", {1, 1, 5, 5})},
                        {message([](pbf_writer& to) { to.add_string(1, "y"); })}};
        return complaint(make_model(net));
    };
    const std::string of_reals = message([](pbf_writer& to) {
        to.add_string(1, "kernel_shape");
        to.add_float(7, 3);
        to.add_float(7, 3);
        to.add_int32(20, 6);
    });
    for (const std::string type : {"Conv", "ConvTranspose"}) {
        CHECK(said(type, list("kernel_shape", {3, 3})) == "no complaint");
        CHECK(said(type, list("kernel_shape", {2, 3}))
                  .ends_with("kernel_shape is [2,3], but the weights have the shape [1,1,3,3]"));
        CHECK(said(type, list("kernel_shape", {3}))
                  .ends_with("kernel_shape is [3], but the weights have the shape [1,1,3,3]"));
        CHECK(said(type, of_reals).ends_with("attribute 'kernel_shape' has the type FLOATS, expected INTS"));
    }
}

TEST_CASE("Data and weights have one type") {
    for (const std::string type : {"Conv", "ConvTranspose", "MatMul", "Gemm"}) {
        const bool is_product = type == "MatMul" || type == "Gemm";
        const numbers sizes = is_product ? numbers{5, 1} : numbers{1, 1, 5, 5};
        const numbers weights = is_product ? numbers{1, 1} : numbers{1, 1, 1, 1};
        const parts net{{make_node(type, {"x", "w"}, {"y"})},
                        {raw_tensor("w", weights, f64_type, std::string(8, '\0'))},
                        {value("x", sizes)},
                        {message([](pbf_writer& to) { to.add_string(1, "y"); })}};
        CHECK(complaint(make_model(net)).ends_with("has data of type f32, but weights of type f64"));
    }
}

TEST_CASE("A bias has one number for each channel") {
    const parts net{{make_node("Conv", {"x", "w", "b"}, {"y"})},
                    {floats("w", {2, 1, 1, 1}, {1, 2}), floats("b", {1}, {1})},
                    {value("x", {1, 1, 5, 5})},
                    {value("y", {1, 2, 5, 5})}};
    CHECK(complaint(make_model(net)).ends_with("has a bias of shape [1], expected one number for each of 2 channels"));
}

namespace {

std::string reals_of_64_bits(const std::string& name, double number) {
    return raw_tensor(name, {}, f64_type, {reinterpret_cast<const char*>(&number), 8});
}
/// What is said of one operator between an input of some type and an output.
std::string said_of(const std::string& type, std::int64_t from, const words& constants, const words& names,
                    const words& attributes = {}) {
    const parts net{{make_node(type, names, {"y"}, attributes)},
                    constants,
                    {value("x", {1, 4}, from)},
                    {message([](pbf_writer& to) { to.add_string(1, "y"); })}};
    const std::string said = complaint(make_model(net, 23));
    const std::string place = "at byte 12: ";
    return said.find(place) == std::string::npos ? said : said.substr(said.find(place) + place.size());
}

}  // namespace

TEST_CASE("QuantizeLinear and DequantizeLinear take only the types that the standard gives them") {
    const std::string scale = floats("s", {}, {0.5F});
    const std::string zero = small("z", {}, {3});
    CHECK(said_of("DequantizeLinear", float_type, {scale}, {"x", "s"}) ==
          "input 0 has the type f32, expected quantized integers or floats of 8 bits");
    CHECK(said_of("DequantizeLinear", i64_type, {scale}, {"x", "s"})
              .ends_with("expected quantized integers or floats of 8 bits"));
    CHECK(said_of("DequantizeLinear", i8_type, {scale, zero}, {"x", "s", "z"}) ==
          "input 2, the zero point, has the type u8, expected i8, that of input 0");
    CHECK(said_of("DequantizeLinear", u8_type, {reals_of_64_bits("s", 0.5), zero}, {"x", "s", "z"}) ==
          "input 1 has the type f64, expected f32, f16 or bf16");
    CHECK(said_of("QuantizeLinear", float_type, {reals_of_64_bits("s", 0.5), zero}, {"x", "s", "z"}) ==
          "input 1 has the type f64, expected f32, f16 or bf16");
    CHECK(said_of("QuantizeLinear", f64_type, {scale, zero}, {"x", "s", "z"}) ==
          "input 0 has the type f64, expected f32, f16 or bf16");
    CHECK(said_of("QuantizeLinear", float_type, {scale, floats("z", {}, {3})}, {"x", "s", "z"}) ==
          "quantizes to f32, expected integers of at most 16 bits");
    CHECK(said_of("QuantizeLinear", float_type, {scale, zero}, {"x", "s", "z"}, {integer("output_dtype", i8_type)}) ==
          "output_dtype is INT8, but the zero point has the type u8");
    for (const std::int64_t type : {float_type, f16_type, i32_type}) {
        CHECK(said_of("QuantizeLinear", type, {scale, zero}, {"x", "s", "z"}) == "no complaint");
    }
}

namespace {

/// QLinearConv of two channels, with other constants in place of some of it.
std::string said_of_convolution(const words& others) {
    words constants{floats("xs", {}, {0.5F}),
                    small("xz", {}, {3}),
                    small("w", {2, 1, 1, 1}, {1, 2}),
                    floats("ws", {}, {0.5F}),
                    small("wz", {}, {3}),
                    floats("ys", {}, {0.5F}),
                    small("yz", {}, {3}),
                    raw_tensor("b", {2}, i32_type, std::string(8, '\1'))};
    const auto name_of = [](const std::string& tensor) { return onnx::name_of_tensor({tensor, tensor.data()}); };
    for (const std::string& each : others) {
        for (std::string& constant : constants) {
            constant = name_of(constant) == name_of(each) ? each : constant;
        }
    }
    const parts net{{make_node("QLinearConv", {"x", "xs", "xz", "w", "ws", "wz", "ys", "yz", "b"}, {"y"})},
                    constants,
                    {value("x", {1, 1, 2, 2}, u8_type)},
                    {message([](pbf_writer& to) { to.add_string(1, "y"); })}};
    return complaint(make_model(net));
}

}  // namespace

TEST_CASE("QLinearConv has one scale and zero point for its data, and integers of 32 bits as its bias") {
    CHECK(said_of_convolution({}) == "no complaint");
    CHECK(said_of_convolution({floats("ys", {1}, {1})}) == "no complaint");
    CHECK(said_of_convolution({floats("ws", {2}, {1, 2}), small("wz", {2}, {1, 2})}) == "no complaint");
    CHECK(said_of_convolution({floats("ys", {2}, {1, 2})}).ends_with("input 6 has the shape [2], expected one number"));
    CHECK(said_of_convolution({small("yz", {2}, {1, 2})}).ends_with("input 7 has the shape [2], expected one number"));
    CHECK(said_of_convolution({floats("xs", {2}, {1, 2})}).ends_with("input 1 has the shape [2], expected one number"));
    CHECK(
        said_of_convolution({reals_of_64_bits("ys", 1)}).ends_with("input 6, a scale, has the type f64, expected f32"));
    CHECK(said_of_convolution({small("wz", {}, {1}, i8_type)})
              .ends_with("input 5, the zero point, has the type i8, expected u8, that of input 3"));
    CHECK(
        said_of_convolution({floats("b", {2}, {1, 2})}).ends_with("input 8, the bias, has the type f32, expected i32"));
    CHECK(said_of_convolution({raw_tensor("b", {1}, i32_type, std::string(4, '\1'))})
              .ends_with("has a bias of shape [1], expected one number for each of 2 channels"));
}

TEST_CASE("A zero point of QuantizeLinear and DequantizeLinear has the shape of the scale") {
    for (const auto& [type, from] : {std::pair("QuantizeLinear", float_type), std::pair("DequantizeLinear", u8_type)}) {
        const auto said = [&, op_type = type, stored = from](const std::string& scale, const std::string& zero) {
            return said_of(op_type, stored, {scale, zero}, {"x", "s", "z"}, {integer("axis", 1)});
        };
        const std::string scales = floats("s", {4}, {1, 2, 3, 4});
        CHECK(said(scales, small("z", {4}, {1, 2, 3, 4})) == "no complaint");
        CHECK(said(floats("s", {1}, {1}), small("z", {}, {1})) == "no complaint");
        CHECK(said(floats("s", {}, {1}), small("z", {1}, {1})) == "no complaint");
        CHECK(said(scales, small("z", {}, {1})) ==
              "input 2, the zero point, has the shape [], expected [4], that of the scale");
        CHECK(said(scales, small("z", {1}, {1})) ==
              "input 2, the zero point, has the shape [1], expected [4], that of the scale");
        CHECK(said(floats("s", {}, {1}), small("z", {4}, {1, 2, 3, 4})) ==
              "input 2, the zero point, has the shape [4], expected [], that of the scale");
    }
}

TEST_CASE("Weights with a scale for each channel may have one zero point for all in QLinearConv") {
    CHECK(said_of_convolution({floats("ws", {2}, {1, 2})}) == "no complaint");
}

TEST_CASE("Scales are finite and positive; those that only multiply may be 0, and those of blocks negative") {
    constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
    constexpr float infinite = std::numeric_limits<float>::infinity();
    const auto quantized = [](float scale) {
        return said_of("QuantizeLinear", float_type, {floats("s", {}, {scale})}, {"x", "s"});
    };
    const auto dequantized = [](float scale, const words& attributes = {}) {
        const numbers sizes = attributes.empty() ? numbers{4} : numbers{1, 2};
        const std::vector<float> scales =
            attributes.empty() ? std::vector<float>{1, 1, scale, 1} : std::vector{1, scale};
        return said_of("DequantizeLinear", u8_type, {floats("s", sizes, scales)}, {"x", "s"}, attributes);
    };
    const words blocks{integer("axis", 1), integer("block_size", 2)};
    CHECK(quantized(0) == "input 1, the scale, has the value 0, expected a finite number above 0");
    CHECK(quantized(-0.5F) == "input 1, the scale, has the value -0.5, expected a finite number above 0");
    CHECK(quantized(not_a_number) == "input 1, the scale, has the value nan, expected a finite number above 0");
    CHECK(quantized(infinite) == "input 1, the scale, has the value inf, expected a finite number above 0");
    CHECK(dequantized(0) == "no complaint");
    CHECK(dequantized(-0.5F) == "input 1, the scale, has the value -0.5, expected a finite number from 0 on");
    CHECK(dequantized(not_a_number) == "input 1, the scale, has the value nan, expected a finite number from 0 on");
    CHECK(dequantized(-0.5F, blocks) == "no complaint");
    CHECK(dequantized(infinite, blocks) == "input 1, the scale, has the value inf, expected a finite number");
    CHECK(said_of_convolution({floats("ws", {2}, {1, 0}), small("wz", {2}, {1, 2})}) == "no complaint");
    CHECK(said_of_convolution({floats("ws", {2}, {1, -1}), small("wz", {2}, {1, 2})})
              .ends_with("input 4, the scale, has the value -1, expected a finite number from 0 on"));
    CHECK(said_of_convolution({floats("ys", {}, {0})})
              .ends_with("input 6, the scale, has the value 0, expected a finite number above 0"));
}

TEST_CASE("Attributes are those of the operator in its version") {
    const auto said = [](const std::string& type, std::int64_t version, const words& attributes) {
        const std::string message = complaint(make_model(one_node(make_node(type, {"x"}, {"y"}, attributes)), version));
        return message.substr(0, message.find(" at byte ")) +
               message.substr(std::min(message.rfind(": "), message.size()));
    };
    CHECK(said("Relu", 17, {integer("foo", 1)}) ==
          "net.onnx: node 'y' (Relu): has the attribute 'foo', which Relu of version 17 does not have; it has none");
    CHECK(
        said("ArgMax", 11, {integer("select_last_index", 1)}) ==
        "net.onnx: node 'y' (ArgMax): has the attribute 'select_last_index', which ArgMax of version 11 does not have; "
        "it has axis, keepdims");
    CHECK(said("ArgMax", 12, {integer("select_last_index", 1)}).find("attribute") == std::string::npos);
    CHECK(said("Dropout", 11, {integer("seed", 1)}).find("the attribute 'seed'") != std::string::npos);
    CHECK(complaint(make_model(one_node(make_node("Relu", {"x"}, {"y"}, {integer("__mine", 1)})))) == "no complaint");
    CHECK(said("ReduceMax", 13, {integer("keepdims", 2)}) ==
          "net.onnx: node 'y' (ReduceMax): attribute 'keepdims' is 2, expected 0 or 1");
    CHECK(said_of("QuantizeLinear", float_type, {floats("s", {}, {1})}, {"x", "s"}, {integer("block_size", 0)}) ==
          "no complaint");
    const parts old{{make_node("QuantizeLinear", {"x", "s"}, {"y"}, {integer("block_size", 0)})},
                    {floats("s", {}, {1})},
                    {value("x", {1, 4})},
                    {value("y", {1, 4}, u8_type)}};
    CHECK(complaint(make_model(old, 17))
              .ends_with(
                  "has the attribute 'block_size', which QuantizeLinear of version 17 does not have; it has axis"));
}

TEST_CASE("A node has the inputs that its operator needs, and a call of a function no more than it has") {
    CHECK(complaint(make_model(one_node(make_node("Add", {"x"}, {"y"}))))
              .ends_with("Add has 1 inputs, expected at least 2"));
    const std::string function = message([](pbf_writer& to) {
        to.add_string(1, "Mine");
        to.add_string(4, "first");
        to.add_string(4, "second");
        to.add_string(5, "out");
        to.add_message(7, make_node("Sub", {"first", "second"}, {"out"}));
        to.add_message(9, operator_set(21));
        to.add_string(10, "own");
    });
    const auto said = [&](const words& inputs) {
        return complaint(make_model(one_node(make_node("Mine", inputs, {"y"}, {}, "own")), 21, {function}));
    };
    CHECK(said({"x", "x"}) == "no complaint");
    CHECK(said({"x"}).ends_with("needs input 1"));
    CHECK(said({"x", "x", ""}) == "no complaint");
    CHECK(said({"x", "x", "x"}).ends_with("gives 3 inputs to the function 'Mine', which has 2"));
}

TEST_CASE("Nodes without a name are called by what they give, or by their number, where they form a circle") {
    const auto unnamed = [](const std::string& type, const words& inputs, const words& outputs) {
        return message([&](pbf_writer& to) {
            for (const std::string& each : inputs) {
                to.add_string(1, each);
            }
            for (const std::string& each : outputs) {
                to.add_string(2, each);
            }
            to.add_string(4, type);
        });
    };
    parts net = one_node(unnamed("Neg", {"x"}, {"first"}));
    net.nodes.push_back(unnamed("Add", {"first", "b"}, {"a"}));
    net.nodes.push_back(unnamed("Relu", {"a"}, {"b"}));
    CHECK(complaint_about(make_model(net), net.nodes[1]) ==
          "node 'a' (Add): what it gives leads round in a circle to what it reads");
    net.nodes = {unnamed("Neg", {"x"}, {"y"}), unnamed("Foreign", {"x"}, {})};
    CHECK(complaint_about(make_model(net), net.nodes[1]) ==
          "node 'number 1' (Foreign): the operator Foreign is not supported");
}

TEST_CASE("Nodes may stand in any order") {
    parts net = one_node(make_node("Neg", {"late"}, {"y"}));
    net.nodes.push_back(make_node("Relu", {"x"}, {"late"}));
    CHECK(results_of(make_model(net), {floats_of({1, 4}, {-1, 2, -3, 4})})[0] == values{0, -2, 0, -4});
}

TEST_CASE("Known places lie inside their axis, whatever lies behind it") {
    const std::int64_t beyond[] = {1, 4};
    const std::string places = raw_tensor("i", {1, 2}, i64_type, {reinterpret_cast<const char*>(beyond), 16});
    const auto said = [&](const parts& net) { return complaint(make_model(net)); };
    const words input{value("x", {3, 4})};
    const words output{message([](pbf_writer& to) { to.add_string(1, "y"); })};
    CHECK(said({{make_node("GatherElements", {"x", "i"}, {"y"}, {integer("axis", 1)})}, {places}, input, output})
              .ends_with("index 4 is outside an axis of size 4"));
    const std::string updates = floats("u", {1, 2}, {1, 2});
    CHECK(said({{make_node("ScatterElements", {"x", "i", "u"}, {"y"}, {integer("axis", 1)})},
                {places, updates},
                input,
                output})
              .ends_with("index 4 is outside an axis of size 4"));
    CHECK(said({{make_node("ScatterND", {"x", "i", "u"}, {"y"})}, {places, floats("u", {1}, {1})}, input, output})
              .ends_with("index 4 is outside an axis of size 4"));
}

TEST_CASE("Computed places beyond their axis are an error of the run, not places of the next row") {
    const parts gathered{{make_node("GatherElements", {"x", "i"}, {"y"}, {integer("axis", 1)})},
                         {},
                         {value("x", {3, 4}), value("i", {1, 2}, i64_type)},
                         {value("y", {1, 2})}};
    const tensor x = floats_of({3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    const auto places = [](std::int64_t last) { return make_integer_tensor(i64, {1, 2}, {1, last}); };
    CHECK(results_of(make_model(gathered), {x, places(-1)})[0] == values{1, 3});
    CHECK_THROWS_WITH_AS(results_of(make_model(gathered), {x, places(4)}),
                         "GatherElements 'y': index 4 is outside an axis of size 4", error);
    const parts scattered{{make_node("ScatterElements", {"x", "i", "u"}, {"y"}, {integer("axis", 1)})},
                          {floats("u", {1, 2}, {20, 30})},
                          {value("x", {3, 4}), value("i", {1, 2}, i64_type)},
                          {value("y", {3, 4})}};
    CHECK(results_of(make_model(scattered), {x, places(3)})[0] == values{0, 20, 2, 30, 4, 5, 6, 7, 8, 9, 10, 11});
    CHECK_THROWS_WITH_AS(results_of(make_model(scattered), {x, places(4)}),
                         "ScatterElementsUpdate 'y': index 4 is outside an axis of size 4", error);
    const parts tuples{{make_node("ScatterND", {"x", "i", "u"}, {"y"})},
                       {floats("u", {1}, {20})},
                       {value("x", {3, 4}), value("i", {1, 2}, i64_type)},
                       {value("y", {3, 4})}};
    CHECK(results_of(make_model(tuples), {x, places(3)})[0] == values{0, 1, 2, 3, 4, 5, 6, 20, 8, 9, 10, 11});
    CHECK_THROWS_WITH_AS(results_of(make_model(tuples), {x, places(4)}),
                         "ScatterNDUpdate 'y': index 4 is outside an axis of size 4", error);
}
