// SPDX-License-Identifier: Apache-2.0
#include "tests/import/network_file.hpp"
#include "tests/import/onnx_file.hpp"
#include "tests/support/reference.hpp"

#include <lpt/import/import.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using namespace lpt;
using namespace lpt::testing::onnx_file;
using lpt::testing::temporary_folder;

lpt::graph import_content(const std::string& content) {
    const temporary_folder folder;
    return lpt::import(folder.write("net.onnx", content));
}
/// What the import says of a model that is wrong, without the name of the folder.
std::string complaint(const std::string& content) {
    try {
        static_cast<void>(import_content(content));
    } catch (const error& raised) {
        const std::string message = raised.what();
        return message.substr(message.find("net.onnx"));
    }
    return "no complaint";
}
std::vector<double> run(const lpt::graph& model, const std::vector<tensor>& inputs) {
    const std::vector<tensor> results = reference::evaluate<float>(model, view<tensor>(inputs.data(), inputs.size()));
    std::vector<double> values;
    for (std::size_t i = 0; i < results[0].elements(); ++i) {
        values.push_back(results[0].real(i));
    }
    return values;
}
tensor row(const std::vector<double>& values) {
    return make_tensor(f32, shape{1, static_cast<dimension>(values.size())},
                       view<double>(values.data(), values.size()));
}
/// One node from "x" [1, 4] to "y".
parts one_node(const std::string& made, const words& initializers = {}) {
    return {{made}, initializers, {value("x", {1, 4})}, {value("y", {1, 4})}};
}

TEST_CASE("A model becomes a graph with the names of its nodes, inputs and outputs") {
    const lpt::graph model = import_content(make_model(one_node(make_node("Relu", {"x"}, {"y"}))));
    REQUIRE(model.parameters().size() == 1);
    CHECK(model[model.parameters()[0]].name() == "x");
    const node_id result = model.results()[0];
    CHECK(model[result].name() == "y");
    CHECK(model[model.producer(result, 0)].is<op::relu>());
    CHECK(run(model, {row({-1, 2, -3, 4})}) == std::vector<double>{0, 2, 0, 4});
}

TEST_CASE("Nodes may stand in any order") {
    parts net = one_node(make_node("Relu", {"middle"}, {"y"}));
    net.nodes.push_back(make_node("Neg", {"x"}, {"middle"}));
    CHECK(run(import_content(make_model(net)), {row({-1, 2, -3, 4})}) == std::vector<double>{1, 0, 3, 0});
}

TEST_CASE("QuantizeLinear and DequantizeLinear become one FakeQuantize") {
    const words numbers_of{floats("s", {}, {0.5f}), small("z", {}, {128})};
    parts net = one_node(make_node("QuantizeLinear", {"x", "s", "z"}, {"q"}), numbers_of);
    net.nodes.push_back(make_node("DequantizeLinear", {"q", "s", "z"}, {"y"}));
    const lpt::graph model = import_content(make_model(net));
    const node_id quantize = model.producer(model.results()[0], 0);
    REQUIRE(model[quantize].is<op::fake_quantize>());
    CHECK(model[quantize].as<op::fake_quantize>().levels == 256);
    CHECK(run(model, {row({0.3, -0.6, 1000, -1000})}) == std::vector<double>{0.5, -0.5, 63.5, -64});
}

TEST_CASE("What lies in the middle between two steps is rounded before the zero point is added") {
    const words numbers_of{floats("s", {}, {2}), small("z", {}, {3})};
    parts net = one_node(make_node("QuantizeLinear", {"x", "s", "z"}, {"q"}), numbers_of);
    net.nodes.push_back(make_node("DequantizeLinear", {"q", "s", "z"}, {"y"}));
    const lpt::graph model = import_content(make_model(net));
    CHECK(run(model, {row({1, 3, 5, -1})}) == std::vector<double>{0, 4, 4, 0});
    CHECK(run(model, {row({7, 9, -3, -5})}) == std::vector<double>{8, 8, -4, -4});
}

TEST_CASE("Images and what arithmetic makes of inputs are divided before they are rounded") {
    const words numbers_of{floats("s", {}, {0.3F}), small("z", {}, {3})};
    const std::vector<double> codes{0, 1, 3, 3, 7, 255};
    const float s = 0.3F;
    // In the middle between two steps, where that is a float: 1.5 * s and -0.5 * s divide to it.
    const std::vector<double> data{-1000,
                                   static_cast<double>(-2.5F * s),
                                   static_cast<double>(-0.5F * s),
                                   static_cast<double>(0.5F * s),
                                   static_cast<double>(3.5F * s),
                                   1000};
    parts image{{make_node("QuantizeLinear", {"x", "s", "z"}, {"y"})},
                numbers_of,
                {value("x", {1, 1, 2, 3})},
                {value("y", {1, 1, 2, 3}, u8_type)}};
    CHECK(run(import_content(make_model(image)),
              {make_tensor(f32, {1, 1, 2, 3}, view<double>(data.data(), data.size()))}) == codes);
    parts behind = image;
    behind.nodes = {make_node("Neg", {"x"}, {"n"}), make_node("QuantizeLinear", {"n", "s", "z"}, {"y"})};
    std::vector<double> negated;
    for (const double each : data) {
        negated.push_back(-each);
    }
    CHECK(run(import_content(make_model(behind)),
              {make_tensor(f32, {1, 1, 2, 3}, view<double>(negated.data(), negated.size()))}) == codes);
}

TEST_CASE("A quantized tensor that several nodes read as real numbers is quantized once") {
    const words numbers_of{floats("s", {}, {0.5f}), small("z", {}, {128})};
    parts net = one_node(make_node("QuantizeLinear", {"x", "s", "z"}, {"q"}), numbers_of);
    for (const std::string name : {"a", "b"}) {
        net.nodes.push_back(make_node("DequantizeLinear", {"q", "s", "z"}, {name}));
    }
    net.nodes.push_back(make_node("Add", {"a", "b"}, {"y"}));
    const lpt::graph model = import_content(make_model(net));
    const node_id sum = model.producer(model.results()[0], 0);
    CHECK(model.producer(sum, 0) == model.producer(sum, 1));
}

TEST_CASE("Operators that move elements keep the quantization of what they move") {
    const words numbers_of{floats("s", {}, {0.5f}), small("z", {}, {128}),
                           raw_tensor("shape", {1}, i64_type, std::string("\4\0\0\0\0\0\0\0", 8))};
    parts net = one_node(make_node("QuantizeLinear", {"x", "s", "z"}, {"q"}), numbers_of);
    net.nodes.push_back(make_node("Reshape", {"q", "shape"}, {"moved"}));
    net.nodes.push_back(make_node("DequantizeLinear", {"moved", "s", "z"}, {"y"}));
    net.outputs = {value("y", {4})};
    const lpt::graph model = import_content(make_model(net));
    const node_id moved = model.producer(model.results()[0], 0);
    CHECK(model[moved].is<op::reshape>());
    CHECK(model[model.producer(moved, 0)].is<op::fake_quantize>());
}

TEST_CASE("An output that is quantized has integers") {
    const words numbers_of{floats("s", {}, {2}), small("z", {}, {128})};
    parts net = one_node(make_node("QuantizeLinear", {"x", "s", "z"}, {"y"}), numbers_of);
    net.outputs = {value("y", {1, 4}, u8_type)};
    const lpt::graph model = import_content(make_model(net));
    CHECK(model[model.results()[0]].type() == u8);
    CHECK(run(model, {row({3, -5, 1000, -1000})}) == std::vector<double>{130, 126, 255, 0});
}

TEST_CASE("Quantized weights stay integers in the file's memory") {
    parts net = one_node(make_node("DequantizeLinear", {"w", "s"}, {"weights"}),
                         {small("w", {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}, i8_type), floats("s", {}, {0.5f})});
    net.nodes.push_back(make_node("MatMul", {"x", "weights"}, {"y"}));
    net.outputs = {value("y", {1, 2})};
    const lpt::graph model = import_content(make_model(net));
    bool found = false;
    for (std::size_t i = 0; i < model.id_bound(); ++i) {
        const tensor* stored = model.contains(id_at(i)) ? model.constant_value(id_at(i)) : nullptr;
        if (stored != nullptr && stored->type() == i8) {
            found = true;
            CHECK(stored->is_window());
        }
    }
    CHECK(found);
    CHECK(run(model, {row({1, 1, 1, 1})}) == std::vector<double>{8, 10});
}

TEST_CASE("Axes, shapes and pads may be computed from constants") {
    parts net = one_node(make_node("Shape", {"x"}, {"s"}));
    net.nodes.push_back(make_node("Gather", {"s", "one"}, {"size"}));
    net.nodes.push_back(make_node("Reshape", {"x", "size"}, {"y"}));
    net.initializers = {raw_tensor("one", {1}, i64_type, std::string("\1\0\0\0\0\0\0\0", 8))};
    net.outputs = {value("y", {4})};
    const lpt::graph model = import_content(make_model(net));
    CHECK(model[model.results()[0]].shape() == shape{4});
}

TEST_CASE("Functions of the model are written out, with the attributes that the caller gives") {
    const std::string reference = message([](pbf_writer& to) {
        to.add_string(1, "axis");
        to.add_string(21, "along");
        to.add_int32(20, 2);
    });
    const std::string function = message([&](pbf_writer& to) {
        to.add_string(1, "Mine");
        to.add_string(4, "in");
        to.add_string(5, "out");
        to.add_message(7, make_node("Softmax", {"in"}, {"out"}, {reference}));
        to.add_message(9, operator_set(21));
        to.add_string(10, "own");
    });
    const lpt::graph model = import_content(
        make_model(one_node(make_node("Mine", {"x"}, {"y"}, {integer("along", 0)}, "own")), 21, {function}));
    const node_id made = model.producer(model.results()[0], 0);
    REQUIRE(model[made].is<op::softmax>());
    CHECK(model[made].as<op::softmax>().axis == 0);
    CHECK(model[made].name() == "y/out");
}

TEST_CASE("Of functions with the same name a node calls the one of its overload") {
    const auto function = [](const char* overload, const char* type) {
        return message([&](pbf_writer& to) {
            to.add_string(1, "Mine");
            to.add_string(4, "in");
            to.add_string(5, "out");
            to.add_message(7, make_node(type, {"in"}, {"out"}));
            to.add_message(9, operator_set(21));
            to.add_string(10, "own");
            to.add_string(13, overload);
        });
    };
    const auto call = [](const char* overload) {
        std::string node = make_node("Mine", {"x"}, {"y"}, {}, "own");
        pbf_writer(node).add_string(8, overload);
        return node;
    };
    for (const char* overload : {"first", "second"}) {
        const lpt::graph model = import_content(
            make_model(one_node(call(overload)), 21, {function("first", "Neg"), function("second", "Relu")}));
        CHECK(run(model, {row({1, -2, 3, -4})}) ==
              (overload == std::string("first") ? std::vector<double>{-1, 2, -3, 4} : std::vector<double>{1, 0, 3, 0}));
    }
    CHECK(complaint(make_model(one_node(call("third")), 21, {function("first", "Neg")}))
              .ends_with("the operator own.Mine is not supported"));
}

TEST_CASE("Bodies in a function know the attributes that its caller gives, and the inputs that it leaves out") {
    const std::string reference = message([](pbf_writer& to) {
        to.add_string(1, "alpha");
        to.add_string(21, "slope");
        to.add_int32(20, 1);
    });
    const parts branch{
        {make_node("LeakyRelu", {"in"}, {"bent"}, {reference}), make_node("Clip", {"bent", "least", "most"}, {"cut"})},
        {},
        {},
        {value("cut", {1, 4})}};
    const auto body = [&](const char* name) {
        return message([&](pbf_writer& to) {
            to.add_string(1, name);
            to.add_message(6, branch.content());
            to.add_int32(20, 5);
        });
    };
    const std::string function = message([&](pbf_writer& to) {
        to.add_string(1, "Mine");
        for (const char* input : {"in", "least", "most", "choice"}) {
            to.add_string(4, input);
        }
        to.add_string(5, "out");
        to.add_string(6, "slope");
        to.add_message(7, make_node("If", {"choice"}, {"out"}, {body("then_branch"), body("else_branch")}));
        to.add_message(9, operator_set(21));
        to.add_string(10, "own");
    });
    const std::string slope = message([](pbf_writer& to) {
        to.add_string(1, "slope");
        to.add_float(2, 0.5f);
        to.add_int32(20, 1);
    });
    parts net = one_node(make_node("Mine", {"x", "", "two", "c"}, {"y"}, {slope}, "own"), {floats("two", {}, {2})});
    net.inputs.push_back(value("c", {}, 9));
    const lpt::graph model = import_content(make_model(net, 21, {function}));
    for (const double choice : {0.0, 1.0}) {
        const tensor c = make_tensor(boolean, shape{}, view<double>(&choice, 1));
        CHECK(run(model, {row({1, -2, 3, -4}), c}) == std::vector<double>{1, -1, 2, -2});
    }
}

TEST_CASE("A function that calls itself is refused") {
    const std::string function = message([&](pbf_writer& to) {
        to.add_string(1, "Mine");
        to.add_string(4, "in");
        to.add_string(5, "out");
        to.add_message(7, make_node("Mine", {"in"}, {"out"}, {}, "own"));
        to.add_message(9, operator_set(21));
        to.add_string(10, "own");
    });
    const std::string said =
        complaint(make_model(one_node(make_node("Mine", {"x"}, {"y"}, {}, "own")), 21, {function}));
    CHECK(said.ends_with("functions and bodies lie more than 64 deep in each other"));
}

TEST_CASE("What is wrong in a file is said in one line, with node and byte") {
    CHECK(complaint(make_model(one_node(make_node("Nothing", {"x"}, {"y"})))) ==
          "net.onnx: node 'y' (Nothing) at byte 12: the operator Nothing is not supported");
    CHECK(complaint(make_model(one_node(make_node("Relu", {"z"}, {"y"})))) ==
          "net.onnx: node 'y' (Relu) at byte 12: input 0 is 'z', which no node, initializer or input gives");
    CHECK(complaint(make_model(one_node(make_node("Relu", {"y"}, {"y"})))) ==
          "net.onnx: node 'y' (Relu) at byte 12: what it gives leads round in a circle to what it reads");
    CHECK(complaint(make_model(one_node(make_node("Relu", {"x"}, {"y"})), 99)) ==
          "net.onnx: node 'y' (Relu) at byte 12: version 99 of the standard operators is not known; known are 7 to 28");
    CHECK(complaint(make_model(one_node(make_node("Relu", {"x"}, {"w"})))) ==
          "net.onnx: output 'y' at byte 52: is given by no node, initializer or input");
    CHECK(complaint(make_model(one_node(make_node("Transpose", {"x"}, {"y"}, {integer("perm", 1)})))) ==
          "net.onnx: node 'y' (Transpose) at byte 12: attribute 'perm' has the type INT, expected INTS");
    CHECK(complaint(make_model(one_node(make_node("Concat", {"x", "x"}, {"y"}, {integer("axis", 7)}))))
              .starts_with("net.onnx: node 'y' (Concat) at byte 12: axis 7"));
    CHECK(complaint(make_model({})) == "net.onnx: the graph has no outputs");
}

TEST_CASE("Tensors may lie in files of the model's folder, elsewhere only where the caller allows it") {
    const auto with = [](const std::string& tensor) {
        return make_model(one_node(make_node("Add", {"x", "w"}, {"y"}), {tensor}));
    };
    const auto external = [&](const std::string& place) {
        return with(message([&](pbf_writer& to) {
            to.add_int64(1, 4);
            to.add_int32(2, float_type);
            to.add_string(8, "w");
            to.add_int32(14, 1);
            to.add_message(13, message([&](pbf_writer& entry) {
                               entry.add_string(1, "location");
                               entry.add_string(2, place);
                           }));
        }));
    };
    CHECK(
        complaint(external("../outside.bin"))
            .ends_with("external data in '../outside.bin' lies outside the folder of the model; external_data_anywhere "
                       "(--allow-external-data of lpt_run and lpt_embed) allows it"));
    CHECK(complaint(external("/etc/passwd"))
              .ends_with("external data in '/etc/passwd' lies outside the folder of the model; external_data_anywhere "
                         "(--allow-external-data of lpt_run and lpt_embed) allows it"));
    const temporary_folder folder;
    folder.write("weights.bin", std::string(16, '\0'));
    const lpt::graph model = lpt::import(folder.write("net.onnx", external("weights.bin")));
    CHECK(run(model, {row({1, 2, 3, 4})}) == std::vector<double>{1, 2, 3, 4});
    const temporary_folder elsewhere;
    const std::string apart = elsewhere.write("net.onnx", external(folder.write("weights.bin", std::string(16, '\0'))));
    CHECK_THROWS_AS(lpt::import(apart), error);
    CHECK(run(lpt::import(apart, {.external_data_anywhere = true}), {row({1, 2, 3, 4})}) ==
          std::vector<double>{1, 2, 3, 4});
}

TEST_CASE("More inputs than an operator has are refused, those left out are not counted") {
    CHECK(complaint(make_model(one_node(make_node("Relu", {"x", "x"}, {"y"})))) ==
          "net.onnx: node 'y' (Relu) at byte 12: Relu has 2 inputs, expected at most 1");
    CHECK(complaint(make_model(one_node(make_node("Add", {"x", "x", "x"}, {"y"})))) ==
          "net.onnx: node 'y' (Add) at byte 12: Add has 3 inputs, expected at most 2");
    const lpt::graph model = import_content(make_model(one_node(make_node("Relu", {"x", "", ""}, {"y"}))));
    CHECK(run(model, {row({-1, 2, -3, 4})}) == std::vector<double>{0, 2, 0, 4});
}

TEST_CASE("What is no protocol buffer is refused with the byte where it is none") {
    const std::string whole = make_model(one_node(make_node("Relu", {"x"}, {"y"})));
    CHECK(complaint(whole + "\x7a\x05") == ("net.onnx: is cut off, or not an ONNX model: a field at byte " +
                                            std::to_string(whole.size() + 1) + " is longer than what it is part of"));
    const auto said = [&](const std::string& more) { return complaint(whole + more); };
    const std::string place = " at byte " + std::to_string(whole.size());
    CHECK(said(std::string(11, '\xff')) == "net.onnx: is not an ONNX model: a number of more than 10 bytes" + place);
    CHECK(said("\x0f") == "net.onnx: is not an ONNX model: a field of another wire type than 0, 1, 2 and 5" + place);
    CHECK(said("\x02") == "net.onnx: is not an ONNX model: a field with a number that fields cannot have" + place);
}

TEST_CASE("A file that ends too early, anywhere, is refused in one line or lacks only what was optional") {
    const std::string whole =
        make_model(one_node(make_node("Add", {"x", "w"}, {"y"}), {floats("w", {4}, {1, 2, 3, 4})}));
    for (std::size_t length = 0; length < whole.size(); ++length) {
        CAPTURE(length);
        const std::string said = complaint(whole.substr(0, length));
        CHECK(said.starts_with("net.onnx: "));
        CHECK(said.find('\n') == std::string::npos);
    }
}

TEST_CASE("A field of another wire type is refused") {
    const std::string wrong = message([](pbf_writer& to) {
        to.add_int64(1, 8);
        to.add_int64(7, 3);
    });
    CHECK(complaint(wrong).starts_with("net.onnx: field 7 at byte "));
}

}  // namespace
