// SPDX-License-Identifier: Apache-2.0
#include <lpt/graph/verify.hpp>

#include "network_file.hpp"
#include "tests/support/reference.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>

using namespace lpt;
using testing::dims;
using testing::edge;
using testing::layer;
using testing::port;
using testing::small_network;
using testing::temporary_folder;

namespace {

void replace(std::string& in, const std::string& what, const std::string& by) {
    const std::size_t at = in.find(what);
    REQUIRE(at != std::string::npos);
    in.replace(at, what.size(), by);
}
bool contains(const std::string& whole, const std::string& part) { return whole.find(part) != std::string::npos; }

/// Imports whatever the files hold: a graph that is in order, or an error of one line that begins with the file's name.
bool imports(const temporary_folder& folder, const std::string& xml) {
    const std::string path = folder.write("model.xml", xml);
    try {
        const graph model = import_openvino_ir(path);
        verify(model);
        return true;
    } catch (const error& raised) {
        const std::string message = raised.what();
        INFO(message);
        CHECK(message.rfind(folder.file("model"), 0) == 0);
        CHECK_FALSE(contains(message, "\n"));
        return false;
    }
}

/// A constant of these values as the only layer before a Result.
graph import_constant(const std::string& type, const std::string& precision, const std::string& bytes, int count) {
    const temporary_folder folder;
    folder.write("model.bin", bytes);
    const std::string data = "<data element_type=\"" + type + "\" shape=\"" + std::to_string(count) +
                             "\" offset=\"0\" size=\"" + std::to_string(bytes.size()) + "\"/>";
    return import_openvino_ir(
        folder.write("model.xml", testing::net(layer(0, "Const", "c", data, "", port(0, dims({count}), precision)) +
                                                   layer(1, "Result", "r", "", port(0, dims({count}), precision), ""),
                                               edge(0, 0, 1, 0))));
}
std::vector<double> values_of(const graph& model) {
    const tensor& value = *model.constant_value(model[model.results()[0]].input(0));
    const seq<double> reals = reals_of(value);
    return {reals.begin(), reals.end()};
}

}  // namespace

TEST_CASE("a network comes with its names, tensor names and run-time information") {
    const graph model = small_network().import();
    verify(model);
    CHECK(model.name() == "small");
    CHECK(model.size() == 5);
    REQUIRE(model.parameters().size() == 1);
    REQUIRE(model.results().size() == 1);
    const node_id relu = model.producer(model.results()[0], 0);
    const node_id add = model.producer(relu, 0);
    CHECK(model[relu].is<op::relu>());
    CHECK(model[relu].name() == "positive");
    CHECK(model[relu].version() == 0);
    CHECK(model[add].version() == 1);
    REQUIRE(model[add].annotations().size() == 1);
    CHECK(model[add].annotations()[0].key == "fused_names");
    CHECK(model[add].annotations()[0].value == "a,b");
    const seq<text>& names = model[model.parameters()[0]].tensor_names();
    REQUIRE(names.size() == 2);
    CHECK(names[0] == "x");
    CHECK(names[1] == "y,z");
}

TEST_CASE("weights are windows on the file, which live as long as the network and its copies") {
    graph copy;
    {
        const graph model = small_network().import();  // the files are gone, their mapping is not
        copy = model;
        const node_id add = model.producer(model.producer(model.results()[0], 0), 0);
        CHECK(copy.constant_value(copy[add].input(1))->shares_bytes_with(*model.constant_value(model[add].input(1))));
    }
    const node_id add = copy.producer(copy.producer(copy.results()[0], 0), 0);
    CHECK(copy.constant_value(copy[add].input(1))->real(2) == 3);
}

TEST_CASE("two constants of one place in the file have the same bytes in memory") {
    const temporary_folder folder;
    folder.write("model.bin", testing::raw<float>({5}));
    const std::string data = R"(<data element_type="f32" shape="" offset="0" size="4"/>)";
    const graph model = import_openvino_ir(
        folder.write("model.xml", testing::net(layer(0, "Const", "a", data, "", port(0)) +
                                                   layer(1, "Const", "b", data, "", port(0)) +
                                                   layer(2, "Add", "sum", "", port(0) + port(1), port(2)) +
                                                   layer(3, "Result", "r", "", port(0), ""),
                                               edge(0, 0, 2, 0) + edge(1, 0, 2, 1) + edge(2, 2, 3, 0))));
    const node_id add = model.producer(model.results()[0], 0);
    CHECK(model.constant_value(model[add].input(0))->data() == model.constant_value(model[add].input(1))->data());
}

TEST_CASE("inputs and outputs keep the order of the file, whatever the order of the layers that connect them") {
    const temporary_folder folder;
    const auto parameter = [](int id, const std::string& name) {
        return layer(id, "Parameter", name, R"(<data shape="2" element_type="f32"/>)", "", port(0, dims({2})));
    };
    const auto result = [](int id, const std::string& name) {
        return layer(id, "Result", name, "", port(0, dims({2})), "");
    };
    const graph model = import_openvino_ir(
        folder.write("model.xml", testing::net(result(0, "first out") + parameter(1, "first in") +
                                                   result(2, "second out") + parameter(3, "second in"),
                                               edge(3, 0, 0, 0) + edge(1, 0, 2, 0))));
    CHECK(model[model.parameters()[0]].name() == "first in");
    CHECK(model[model.results()[0]].name() == "first out");
    CHECK(model.producer(model.results()[0], 0) == model.parameters()[1]);
}

TEST_CASE("constants of every width") {
    CHECK(values_of(import_constant("f16", "FP16", testing::raw<std::uint16_t>({0x3C00, 0xC000}), 2)) ==
          std::vector<double>{1, -2});
    CHECK(values_of(import_constant("bf16", "BF16", testing::raw<std::uint16_t>({0x3F80}), 1)) ==
          std::vector<double>{1});
    CHECK(values_of(import_constant("i4", "I4", std::string("\xF1\x08", 2), 3)) == std::vector<double>{1, -1, -8});
    CHECK(values_of(import_constant("u4", "U4", std::string("\xF1", 1), 2)) == std::vector<double>{1, 15});
    CHECK(values_of(import_constant("boolean", "BOOL", std::string("\1\0", 2), 2)) == std::vector<double>{1, 0});
    CHECK(values_of(import_constant("i8", "I8", std::string("\x80\x7F", 2), 2)) == std::vector<double>{-128, 127});
    CHECK(values_of(import_constant("u8", "U8", std::string("\x80\x7F", 2), 2)) == std::vector<double>{128, 127});
    CHECK(values_of(import_constant("i64", "I64", testing::raw<std::int64_t>({-5}), 1)) == std::vector<double>{-5});
    CHECK(values_of(import_constant("f64", "FP64", testing::raw<double>({0.1}), 1)) == std::vector<double>{0.1});
    CHECK(values_of(import_constant("f32", "FP32", "", 0)).empty());
}

TEST_CASE("dynamic sizes and ranks") {
    const auto shape_of_parameter = [](const std::string& attribute, const std::string& declared) {
        const temporary_folder folder;
        const graph model = import_openvino_ir(folder.write(
            "model.xml",
            testing::net(layer(0, "Parameter", "in", "<data shape=\"" + attribute + "\" element_type=\"f32\"/>", "",
                               port(0, declared)) +
                             layer(1, "Result", "r", "", port(0, declared), ""),
                         edge(0, 0, 1, 0))));
        return model[model.parameters()[0]].shape();
    };
    CHECK(shape_of_parameter("?,3", dims({-1, 3})) == shape{-1, 3});
    CHECK(shape_of_parameter("1..8,3", dims({-1, 3})) == shape{-1, 3});
    CHECK(shape_of_parameter("-1,3", dims({-1, 3})) == shape{-1, 3});
    CHECK(shape_of_parameter("...", "").rank_is_dynamic());
    CHECK(shape_of_parameter("", "") == shape{});
}

TEST_CASE("every operation set up to 16 gives the version in which the operation was last defined") {
    const auto version_of = [](const std::string& opset) {
        small_network file;
        replace(file.relu, "type=\"ReLU\" version=\"opset1\"", "type=\"Softmax\" version=\"" + opset + "\"");
        replace(file.relu, "<input>", "<data axis=\"1\"/><input>");
        const graph model = file.import();
        return model[model.producer(model.results()[0], 0)].version();
    };
    CHECK(version_of("opset1") == 1);
    CHECK(version_of("opset7") == 1);
    CHECK(version_of("opset8") == 8);
    CHECK(version_of("opset16") == 8);
}

TEST_CASE("docs/formats.md lists the operations that are read") {
    std::ifstream file(LPT_EXAMPLE_DATA_DIR "/../../docs/formats.md");
    std::stringstream content;
    content << file.rdbuf();
    const std::string page = content.str();
    const std::size_t section = page.find("## OpenVINO IR\n");
    REQUIRE(section != std::string::npos);
    const std::string title = "\nOperations: ";
    const std::size_t begin = page.find(title, section) + title.size();
    std::istringstream listed(page.substr(begin, page.find('.', begin) - begin));
    std::vector<std::string> names;
    for (std::string word; listed >> word;) {
        names.push_back(word.ends_with(',') ? word.substr(0, word.size() - 1) : word);
    }
    std::vector<std::string> read;
    for (const op::row& each : op::rows.values) {
        read.emplace_back(each.name.data(), each.name.size());
    }
    for (const openvino_ir::composition& each : openvino_ir::compositions) {
        read.emplace_back(each.type.data(), each.type.size());
    }
    std::sort(read.begin(), read.end());
    CHECK(names == read);
}

TEST_CASE("variables: Assign depends on the ReadValue of its variable, and stays although nothing reads it") {
    const temporary_folder folder;
    const std::string variable = R"(<data variable_id="state" variable_type="f32" variable_shape="1,2"/>)";
    const graph model = import_openvino_ir(folder.write(
        "model.xml",
        testing::net(
            layer(0, "Parameter", "in", R"(<data shape="1,2" element_type="f32"/>)", "", port(0, dims({1, 2}))) +
                layer(1, "ReadValue", "read", variable, port(0, dims({1, 2})), port(1, dims({1, 2})), "opset6") +
                layer(2, "Add", "sum", "", port(0, dims({1, 2})) + port(1, dims({1, 2})), port(2, dims({1, 2}))) +
                layer(3, "Assign", "write", variable, port(0, dims({1, 2})), port(1, dims({1, 2})), "opset6") +
                layer(4, "Result", "r", "", port(0, dims({1, 2})), ""),
            edge(0, 0, 1, 0) + edge(0, 0, 2, 0) + edge(1, 1, 2, 1) + edge(2, 2, 3, 0) + edge(2, 2, 4, 0))));
    verify(model);
    REQUIRE(model.sinks().size() == 1);
    const node& assign = model[model.sinks()[0]];
    REQUIRE(assign.control_dependencies().size() == 1);
    CHECK(model[assign.control_dependencies()[0]].is<op::read_value>());
    CHECK(assign.as<op::assign>().variable_id == "state");
}

TEST_CASE("files that cannot be read are named") {
    const temporary_folder folder;
    CHECK_THROWS_WITH_AS(import_openvino_ir(folder.file("none.xml")),
                         (folder.file("none.xml") + ": cannot be opened: No such file or directory").c_str(), error);
    CHECK_THROWS_WITH_AS(import_openvino_ir(folder.file("")), (folder.file("") + ": is not a regular file").c_str(),
                         error);
    REQUIRE(::mkfifo(folder.file("pipe.xml").c_str(), 0600) == 0);
    CHECK_THROWS_WITH_AS(import_openvino_ir(folder.file("pipe.xml")),
                         (folder.file("pipe.xml") + ": is not a regular file").c_str(), error);
    const std::string path = folder.write("alone.xml", small_network().xml());
    CHECK_THROWS_WITH_AS(
        import_openvino_ir(path),
        (path + ": layer 'bias' (Const): needs weights, but " + folder.file("alone.bin") + " does not exist").c_str(),
        error);
}

TEST_CASE("the weights are the file beside the network, also where only a folder has a dot in its name") {
    const temporary_folder folder;
    std::filesystem::create_directory(folder.file("v1.2"));
    folder.write("v1.2/model.bin", small_network().weights);
    CHECK_NOTHROW(import_openvino_ir(folder.write("v1.2/model", small_network().xml())));
    folder.write("elsewhere", small_network().weights);
    CHECK_NOTHROW(import_openvino_ir(folder.write("other.xml", small_network().xml()), folder.file("elsewhere")));
}

TEST_CASE("a document that memory cannot hold is not called broken") {
    const temporary_folder folder;
    const std::string path = folder.write("model.xml", small_network().xml());
    const pugi::allocation_function allocate = pugi::get_memory_allocation_function();
    const pugi::deallocation_function release = pugi::get_memory_deallocation_function();
    std::string said;
    pugi::set_memory_management_functions([](std::size_t) -> void* { return nullptr; }, release);
    try {
        import_openvino_ir(path);
    } catch (const error& raised) {
        said = raised.what();
    }
    pugi::set_memory_management_functions(allocate, release);
    CHECK(said ==
          path + ": out of memory for the document of " + std::to_string(small_network().xml().size()) + " bytes");
}

TEST_CASE("broken documents") {
    const temporary_folder folder;
    const auto complaint = [&](const std::string& xml) {
        try {
            import_openvino_ir(folder.write("model.xml", xml));
        } catch (const error& raised) {
            return std::string(raised.what()).substr(folder.file("").size());
        }
        return std::string();
    };
    const std::string unknown = "model.xml: unknown format; expected OpenVINO IR, whose topology is an XML document";
    CHECK(complaint("") == unknown);
    CHECK(complaint("   ") == unknown);
    CHECK(complaint(std::string("\x08\x09\x12\x07pytorch", 11)) == unknown);
    CHECK(complaint(std::string("\x1c\0\0\0TFL3", 8)) == unknown);
    CHECK(complaint("\xEF\xBB\xBF <net/>") == "model.xml: <net> has no <layers>");
    CHECK(complaint("<net><layers>") == "model.xml: broken XML at byte 12: Start-end tags mismatch");
    CHECK(complaint("<model/>") == "model.xml: is not a network: the document has no <net>");
    CHECK(complaint("<net/>") == "model.xml: <net> has no <layers>");
}

TEST_CASE("layers that are not what they should be") {
    small_network file;
    SUBCASE("unknown operation") {
        replace(file.relu, "type=\"ReLU\"", "type=\"Frobnicate\"");
        CHECK(file.complaint() == "model.xml: layer 'positive' (Frobnicate): unknown operation");
    }
    SUBCASE("unknown operation set") {
        replace(file.relu, "opset1", "opset17");
        CHECK(file.complaint() ==
              "model.xml: layer 'positive' (ReLU): unknown operation set 'opset17'; expected opset1 to opset16");
    }
    SUBCASE("operation set that does not have the operation yet") {
        replace(file.relu, "type=\"ReLU\"", "type=\"HSwish\"");
        CHECK(file.complaint() == "model.xml: layer 'positive' (HSwish): operation HSwish is not in opset1");
    }
    SUBCASE("id that is no number") {
        replace(file.relu, "id=\"3\"", "id=\"three\"");
        CHECK(contains(file.complaint(), "needs an integer attribute 'id', not 'three'"));
    }
    SUBCASE("the id of another layer") {
        replace(file.relu, "id=\"3\"", "id=\"2\"");
        CHECK(file.complaint() == "model.xml: layer 'positive' (ReLU): another layer has its id 2, too");
    }
    SUBCASE("attribute with an impossible value") {
        replace(file.add, "numpy", "sideways");
        CHECK(file.complaint() ==
              "model.xml: layer 'sum' (Add): attribute 'auto_broadcast' has a value that it cannot have: sideways");
    }
    SUBCASE("two ports of one id") {
        replace(file.add, "port id=\"1\"", "port id=\"0\"");
        CHECK(file.complaint() == "model.xml: layer 'sum' (Add): two of its input ports have the id 0");
    }
    SUBCASE("precision of a port") {
        replace(file.relu, "FP32", "FP33");
        CHECK(file.complaint() == "model.xml: layer 'positive' (ReLU): unknown precision 'FP33' of a port");
    }
    SUBCASE("size of a dimension") {
        replace(file.relu, "<dim>3</dim>", "<dim>many</dim>");
        CHECK(file.complaint() == "model.xml: layer 'positive' (ReLU): 'many' is not the size of a dimension");
    }
    SUBCASE("too few inputs") {
        replace(file.add, port(1, dims({1, 3})), "");
        replace(file.edges, edge(1, 0, 2, 1), "");
        CHECK(file.complaint() == "model.xml: Add 'sum' cannot have 1 inputs");
    }
    SUBCASE("a line break in a name does not break the message") {
        replace(file.relu, "type=\"ReLU\"", "type=\"Frob&#10;nicate\"");
        CHECK(file.complaint() == "model.xml: layer 'positive' (Frob nicate): unknown operation");
    }
}

TEST_CASE("edges that lead nowhere, twice to one place, or round in a circle") {
    small_network file;
    SUBCASE("no edge") {
        replace(file.edges, edge(0, 0, 2, 0), "");
        CHECK(file.complaint() == "model.xml: layer 'sum' (Add): no edge leads to input port 0");
    }
    SUBCASE("two edges") {
        file.edges += edge(1, 0, 2, 0);
        CHECK(file.complaint() == "model.xml: two edges lead to port 0 of layer 2");
    }
    SUBCASE("unknown layer") {
        replace(file.edges, edge(2, 2, 3, 0), edge(9, 2, 3, 0));
        CHECK(contains(file.complaint(), "leads to layer 9, which does not exist"));
    }
    SUBCASE("unknown output port") {
        replace(file.edges, edge(2, 2, 3, 0), edge(2, 5, 3, 0));
        CHECK(file.complaint() == "model.xml: layer 'positive' (ReLU): an edge comes from port 5 of layer 'sum' (Add), "
                                  "which is not an output of it");
    }
    SUBCASE("unknown input port") {
        file.edges += edge(0, 0, 3, 8);
        CHECK(contains(file.complaint(), "leads to port 8, which is not an input of it"));
    }
    SUBCASE("circle") {
        replace(file.edges, edge(0, 0, 2, 0), edge(3, 1, 2, 0));
        CHECK(contains(file.complaint(), "the edges lead round in a circle through this layer"));
    }
    SUBCASE("circle of one") {
        replace(file.edges, edge(2, 2, 3, 0), edge(3, 1, 3, 0));
        CHECK(contains(file.complaint(), "layer 'positive' (ReLU): the edges lead round in a circle"));
    }
}

TEST_CASE("declared types and shapes that contradict the operation") {
    small_network file;
    SUBCASE("type") {
        replace(file.relu, "<port id=\"1\" precision=\"FP32\"", "<port id=\"1\" precision=\"I32\"");
        CHECK(file.complaint() ==
              "model.xml: layer 'positive' (ReLU): output 0 is declared as i32, but the operation gives f32");
    }
    SUBCASE("shape") {
        file.relu = layer(3, "ReLU", "positive", "", port(0, dims({1, 3})), port(1, dims({1, 4})));
        CHECK(
            file.complaint() ==
            "model.xml: layer 'positive' (ReLU): output 0 is declared with shape [1,4], but the operation gives [1,3]");
    }
    SUBCASE("number of outputs") {
        file.relu =
            layer(3, "ReLU", "positive", "", port(0, dims({1, 3})), port(1, dims({1, 3})) + port(2, dims({1, 3})));
        CHECK(file.complaint() == "model.xml: layer 'positive' (ReLU): declares 2 outputs, but the operation has 1");
    }
    SUBCASE("inputs that the operation cannot take") {
        replace(file.constant, "shape=\"1,3\"", "shape=\"3,1,1,1,1\"");
        replace(file.constant, dims({1, 3}), dims({3, 1, 1, 1, 1}));
        CHECK_FALSE(file.complaint().empty());
    }
}

TEST_CASE("weights outside of their file, or of another size than type and shape ask for") {
    small_network file;
    SUBCASE("behind the end") {
        replace(file.constant, "offset=\"4\"", "offset=\"5\"");
        CHECK(file.complaint() == "model.xml: layer 'bias' (Const): weights at byte 5 (12 bytes) lie outside of "
                                  "model.bin, which has 16 bytes");
    }
    SUBCASE("far behind the end") {
        replace(file.constant, "offset=\"4\"", "offset=\"9223372036854775807\"");
        CHECK(contains(file.complaint(), "lie outside of model.bin"));
    }
    SUBCASE("before the beginning") {
        replace(file.constant, "offset=\"4\"", "offset=\"-4\"");
        CHECK(contains(file.complaint(), "weights at byte -4 (12 bytes) lie outside"));
    }
    SUBCASE("wrong size") {
        replace(file.constant, "size=\"12\"", "size=\"8\"");
        CHECK(file.complaint() ==
              "model.xml: layer 'bias' (Const): 8 bytes of weights, but type f32 and shape [1,3] need 12");
    }
    SUBCASE("negative size") {
        replace(file.constant, "size=\"12\"", "size=\"-12\"");
        CHECK(contains(file.complaint(), "-12 bytes of weights"));
    }
    SUBCASE("a product of sizes that no machine can count") {
        replace(file.constant, "shape=\"1,3\"", "shape=\"4294967296,4294967296,4294967296\"");
        CHECK(contains(file.complaint(), "a constant cannot have the shape"));
    }
    SUBCASE("dynamic shape") {
        replace(file.constant, "shape=\"1,3\"", "shape=\"?,3\"");
        CHECK(contains(file.complaint(), "is not a list of sizes"));
    }
    SUBCASE("unknown element type") {
        replace(file.constant, "element_type=\"f32\"", "element_type=\"f31\"");
        CHECK(contains(file.complaint(), "unknown element type 'f31' of a constant"));
    }
    SUBCASE("empty file") {
        file.weights.clear();
        CHECK(contains(file.complaint(), "which has 0 bytes"));
    }
}

TEST_CASE("a document cut off anywhere is an error, never a part of a network") {
    const temporary_folder folder;
    folder.write("model.bin", small_network().weights);
    const std::string whole = small_network().xml();
    for (std::size_t length = 0; length + 8 < whole.size(); length += 3) {
        CAPTURE(length);
        CHECK_FALSE(imports(folder, whole.substr(0, length)));
    }
}

TEST_CASE("weights cut off anywhere") {
    const temporary_folder folder;
    const std::string path = folder.write("model.xml", small_network().xml());
    for (std::size_t length = 0; length < 16; ++length) {
        folder.write("model.bin", small_network().weights.substr(0, length));
        CHECK_THROWS_AS(import_openvino_ir(path), error);
    }
}

TEST_CASE("documents with random bytes changed give a network in order or an error of one line") {
    const temporary_folder folder;
    folder.write("model.bin", small_network().weights);
    const std::string whole = small_network().xml();
    std::mt19937 random(20240229);
    int good = 0;
    for (int round = 0; round < 3000; ++round) {
        std::string changed = whole;
        for (auto flips = 1 + random() % 3; flips > 0; --flips) {
            changed[random() % changed.size()] =
                static_cast<char>(random() % 4 == 0 ? random() % 256 : '0' + random() % 10);
        }
        good += imports(folder, changed) ? 1 : 0;
    }
    CHECK(good > 30);  // changes inside of names
    CHECK(good < 2000);
}

namespace {

std::vector<tensor> results_of(const graph& model, const std::vector<tensor>& inputs) {
    return reference::evaluate<float>(model, view<tensor>(inputs.data(), inputs.size()));
}

/// TensorIterator: in [4,2] is cut into rows, to which the body adds the sum of the rows before; gives all sums and the last.
struct iterating_network {
    std::string body_layers =
        layer(0, "Parameter", "row", R"(<data shape="1,2" element_type="f32"/>)", "", port(0, dims({1, 2}))) +
        layer(1, "Parameter", "before", R"(<data shape="1,2" element_type="f32"/>)", "", port(0, dims({1, 2}))) +
        layer(2, "Add", "sum", "", port(0, dims({1, 2})) + port(1, dims({1, 2})), port(2, dims({1, 2}))) +
        layer(3, "Result", "result", "", port(0, dims({1, 2})), "");
    std::string map = R"(<port_map>
        <input axis="0" external_port_id="0" internal_layer_id="0" part_size="1" stride="1" start="0" end="-1"/>
        <input external_port_id="1" internal_layer_id="1"/>
        <output axis="0" external_port_id="2" internal_layer_id="3" part_size="1" stride="1"/>
        <output external_port_id="3" internal_layer_id="3"/></port_map>)";
    std::string back_edges = R"(<back_edges><edge from-layer="3" to-layer="1"/></back_edges>)";

    std::string xml() const {
        const std::string body = "<body><layers>" + body_layers + "</layers><edges>" + edge(0, 0, 2, 0) +
                                 edge(1, 0, 2, 1) + edge(2, 2, 3, 0) + "</edges></body>";
        return testing::net(
            layer(0, "Parameter", "in", R"(<data shape="4,2" element_type="f32"/>)", "", port(0, dims({4, 2}))) +
                layer(1, "Parameter", "start", R"(<data shape="1,2" element_type="f32"/>)", "", port(0, dims({1, 2}))) +
                layer(2, "TensorIterator", "loop", map + back_edges + body,
                      port(0, dims({4, 2})) + port(1, dims({1, 2})), port(2, dims({4, 2})) + port(3, dims({1, 2}))) +
                layer(3, "Result", "all", "", port(0, dims({4, 2})), "") +
                layer(4, "Result", "last", "", port(0, dims({1, 2})), ""),
            edge(0, 0, 2, 0) + edge(1, 0, 2, 1) + edge(2, 2, 3, 0) + edge(2, 3, 4, 0));
    }
    std::string complaint() const {
        const temporary_folder folder;
        try {
            import_openvino_ir(folder.write("model.xml", xml()));
        } catch (const error& raised) {
            return std::string(raised.what()).substr(folder.file("").size());
        }
        return {};
    }
};

}  // namespace

TEST_CASE("TensorIterator: the body is a graph of its own, and the port maps name its parameters and results") {
    const temporary_folder folder;
    const graph model = import_openvino_ir(folder.write("model.xml", iterating_network().xml()));
    verify(model);
    const node& iterator = model[model.producer(model.results()[0], 0)];
    REQUIRE(iterator.is<op::tensor_iterator>());
    REQUIRE(iterator.bodies().size() == 1);
    CHECK(iterator.bodies()[0].size() == 4);
    const op::tensor_iterator& what = iterator.as<op::tensor_iterator>();
    REQUIRE(what.input_map.size() == 2);
    CHECK(what.input_map[0].holds == op::body_input::form::sliced);
    CHECK(what.input_map[0].slice.part_size == 1);
    CHECK(what.input_map[1].holds == op::body_input::form::merged);
    CHECK(what.input_map[1].result == 0);
    CHECK(what.output_map[0].holds == op::body_output::form::concatenated);
    CHECK(what.output_map[1].holds == op::body_output::form::value);
    CHECK(iterator.shape(0) == shape{4, 2});
    CHECK(iterator.shape(1) == shape{1, 2});
    const std::vector<tensor> outputs = results_of(
        model, {make_tensor(f32, shape{4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), make_tensor(f32, shape{1, 2}, {10, 20})});
    CHECK(reals_of(outputs[0]) == seq<double>{11, 22, 14, 26, 19, 32, 26, 40});
    CHECK(reals_of(outputs[1]) == seq<double>{26, 40});
}

TEST_CASE("port maps that name what there is not, or leave something out") {
    iterating_network file;
    SUBCASE("port of the layer") {
        replace(file.map, "external_port_id=\"1\"", "external_port_id=\"7\"");
        CHECK(file.complaint() ==
              "model.xml: layer 'loop' (TensorIterator): a port map names port 7, which the layer does not have");
    }
    SUBCASE("layer of the body") {
        replace(file.map, "internal_layer_id=\"1\"", "internal_layer_id=\"2\"");
        CHECK(file.complaint() == "model.xml: layer 'loop' (TensorIterator): a port map names layer 2 of the body, "
                                  "which is not a parameter or result there");
    }
    SUBCASE("back edge") {
        replace(file.back_edges, "from-layer=\"3\"", "from-layer=\"2\"");
        CHECK(contains(file.complaint(), "names layer 2 of the body"));
    }
    SUBCASE("parameter without a value") {
        replace(file.map, "<input external_port_id=\"1\" internal_layer_id=\"1\"/>", "");
        CHECK(file.complaint() ==
              "model.xml: layer 'loop' (TensorIterator): no port map entry feeds the body's parameter with layer id 1");
    }
    SUBCASE("output without a value") {
        replace(file.map, "<output external_port_id=\"3\" internal_layer_id=\"3\"/>", "");
        CHECK(file.complaint() == "model.xml: layer 'loop' (TensorIterator): no port map entry gives output port 3");
    }
    SUBCASE("no body") {
        iterating_network without;
        std::string xml = without.xml();
        const temporary_folder folder;
        replace(xml, "<body>", "<torso>");
        replace(xml, "</body>", "</torso>");
        CHECK_THROWS_WITH_AS(import_openvino_ir(folder.write("model.xml", xml)),
                             (folder.file("model.xml") + ": layer 'loop' (TensorIterator): has no <body>").c_str(),
                             error);
    }
    SUBCASE("an error inside of a body names its layer") {
        replace(file.body_layers, "type=\"Add\"", "type=\"Frobnicate\"");
        CHECK(file.complaint() == "model.xml: layer 'sum' (Frobnicate): unknown operation");
    }
    SUBCASE("stride of nothing") {
        replace(file.map, "stride=\"1\" start", "stride=\"0\" start");
        CHECK(contains(file.complaint(), "cannot be sliced with stride 0"));
    }
}

TEST_CASE("documents with bodies, cut off or with random bytes changed") {
    const temporary_folder folder;
    const std::string whole = iterating_network().xml();
    CHECK(imports(folder, whole));
    for (std::size_t length = 0; length + 8 < whole.size(); length += 11) {
        CHECK_FALSE(imports(folder, whole.substr(0, length)));
    }
    std::mt19937 random(20240301);
    for (int round = 0; round < 2000; ++round) {
        std::string changed = whole;
        changed[random() % changed.size()] = static_cast<char>('0' + random() % 10);
        changed[random() % changed.size()] = static_cast<char>(random() % 256);
        imports(folder, changed);
    }
}

TEST_CASE("If has two bodies, Loop knows which parameter counts and which result goes on") {
    const temporary_folder folder;
    const auto body = [](const std::string& name, const std::string& type) {
        return "<" + name + "><layers>" +
               layer(0, "Parameter", "p", R"(<data shape="2" element_type="f32"/>)", "", port(0, dims({2}))) +
               layer(1, type, "f", "", port(0, dims({2})), port(1, dims({2}))) +
               layer(2, "Result", "r", "", port(0, dims({2})), "") + "</layers><edges>" + edge(0, 0, 1, 0) +
               edge(1, 1, 2, 0) + "</edges></" + name + ">";
    };
    const auto map = [](const std::string& name) {
        return "<" + name +
               R"(><input external_port_id="1" internal_layer_id="0"/><output external_port_id="2" internal_layer_id="2"/></)" +
               name + ">";
    };
    const std::string condition =
        layer(0, "Parameter", "condition", R"(<data shape="" element_type="boolean"/>)", "", port(0, "", "BOOL"));
    const std::string data =
        layer(1, "Parameter", "in", R"(<data shape="2" element_type="f32"/>)", "", port(0, dims({2})));
    const std::string result = layer(3, "Result", "r", "", port(0, dims({2})), "");
    const graph branches = import_openvino_ir(folder.write(
        "if.xml", testing::net(condition + data +
                                   layer(2, "If", "branch",
                                         map("then_port_map") + map("else_port_map") + body("then_body", "Exp") +
                                             body("else_body", "Abs"),
                                         port(0, "", "BOOL") + port(1, dims({2})), port(2, dims({2})), "opset8") +
                                   result,
                               edge(0, 0, 2, 0) + edge(1, 0, 2, 1) + edge(2, 2, 3, 0))));
    verify(branches);
    const node& branch = branches[branches.producer(branches.results()[0], 0)];
    REQUIRE(branch.bodies().size() == 2);
    CHECK(branch.as<op::if_else>().then_inputs[0].port == 1);
    const tensor two = make_tensor(f32, shape{2}, {-1, 0});
    CHECK(results_of(branches, {make_integer_tensor(boolean, shape{}, {1}), two})[0].real(1) == 1);
    CHECK(reals_of(results_of(branches, {make_integer_tensor(boolean, shape{}, {0}), two})[0]) == seq<double>{1, 0});

    const std::string loop_body =
        "<body><layers>" +
        layer(0, "Parameter", "i", R"(<data shape="" element_type="i64"/>)", "", port(0, "", "I64")) +
        layer(1, "Parameter", "p", R"(<data shape="2" element_type="f32"/>)", "", port(0, dims({2}))) +
        layer(2, "Result", "out", "", port(0, dims({2})), "") +
        layer(3, "Const", "go on", R"(<data element_type="boolean" shape="" offset="0" size="1"/>)", "",
              port(0, "", "BOOL")) +
        layer(4, "Result", "condition", "", port(0, "", "BOOL"), "") + "</layers><edges>" + edge(1, 0, 2, 0) +
        edge(3, 0, 4, 0) + "</edges></body>";
    folder.write("loop.bin", "\1");
    const graph loops = import_openvino_ir(folder.write(
        "loop.xml",
        testing::net(
            layer(0, "Parameter", "count", R"(<data shape="" element_type="i64"/>)", "", port(0, "", "I64")) + data +
                layer(2, "Loop", "loop",
                      R"(<port_map><input external_port_id="-1" internal_layer_id="0" purpose="current_iteration"/>
                                  <input external_port_id="2" internal_layer_id="1"/><output external_port_id="3" internal_layer_id="2"/>
                                  <output external_port_id="-1" internal_layer_id="4" purpose="execution_condition"/></port_map>)" +
                          loop_body,
                      port(0, "", "I64") + port(1, "", "BOOL") + port(2, dims({2})), port(3, dims({2})), "opset5") +
                result +
                layer(4, "Parameter", "first", R"(<data shape="" element_type="boolean"/>)", "", port(0, "", "BOOL")),
            edge(0, 0, 2, 0) + edge(4, 0, 2, 1) + edge(1, 0, 2, 2) + edge(2, 3, 3, 0))));
    verify(loops);
    const op::loop& what = loops[loops.producer(loops.results()[0], 0)].as<op::loop>();
    CHECK(what.current_iteration == 0);
    CHECK(what.execution_condition == 1);
    CHECK(what.input_map.size() == 1);
    CHECK(what.output_map.size() == 1);
}
