// SPDX-License-Identifier: Apache-2.0
#include <lpt/import/import.hpp>

#include "tests/import/network_file.hpp"
#include "tests/import/tflite_file.hpp"
#include "tests/support/reference.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::testing;
using tflite::builtin;
using tflite::tensor_type;

namespace {

/// Two numbers in, what an operator makes of them out.
tflite_subgraph of_two(builtin code) {
    return {{{tensor_type::float32, {1}}, {tensor_type::float32, {1}}, {tensor_type::float32, {1}}},
            {{code, {0, 1}, {2}}},
            {0, 1},
            {2}};
}
/// The sum of two numbers; their difference, whose second input is named first.
std::string sum_and_difference() {
    return tflite_writer().write({of_two(builtin::add), of_two(builtin::sub)}, 3,
                                 {{"sum", 0, {{"a", 0}, {"b", 1}}, {{"result", 2}}},
                                  {"difference", 1, {{"less", 1}, {"from", 0}}, {{"remains", 2}}}});
}
tensor number(double value) { return make_tensor(f32, {1}, {&value, 1}); }
double run(const graph& model, double first, double second) {
    return reference::evaluate<float>(model, {number(first), number(second)}).at(0).real(0);
}
std::string refusal_of(const std::string& content, const char* key) {
    tflite::model file = read_tflite(content);
    try {
        tflite::use_signature(file, key);
    } catch (const error& raised) {
        return without_byte(raised.what());
    }
    return "";
}

}  // namespace

TEST_CASE("without a signature the first subgraph is the network, by the names of its tensors") {
    const temporary_folder folder;
    const graph model = import_tflite(folder.write("net.tflite", sum_and_difference()));
    CHECK(run(model, 7, 2) == 9);
    CHECK(model[model.parameters()[0]].name() == "t0");
}

TEST_CASE("a signature's subgraph is the network, with inputs and outputs in its order and by its names") {
    const temporary_folder folder;
    const graph model = import_tflite(folder.write("net.tflite", sum_and_difference()), "difference");
    CHECK(model[model.parameters()[0]].name() == "less");
    CHECK(model[model.parameters()[1]].name() == "from");
    CHECK(model[model.results()[0]].name() == "remains/Result");
    CHECK(run(model, 2, 7) == 5);
}

TEST_CASE("a signature is chosen for files of any format, and refused for those that have none") {
    const temporary_folder folder;
    CHECK(run(import(folder.write("net.tflite", sum_and_difference()), {.signature = "difference"}), 2, 7) == 5);
    const std::string other = folder.write("net.xml", "<?xml version=\"1.0\"?><net/>");
    CHECK_THROWS_WITH_AS(import(other, {.signature = "f"}),
                         (other + ": has no signature 'f': only TFLite files have signatures").c_str(), error);
}

TEST_CASE("inputs that a signature does not name stand behind those that it names, outputs are left out") {
    tflite_subgraph network = of_two(builtin::sub);
    network.tensors.push_back({tensor_type::float32, {1}});
    network.operators.push_back({builtin::add, {0, 1}, {3}});
    network.outputs = {2, 3};
    tflite::model file = read_tflite(tflite_writer().write({network}, 3, {{"f", 0, {{"b", 1}}, {{"sum", 3}}}}));
    tflite::use_signature(file, "f");
    CHECK(file.subgraphs[0].inputs == std::vector<std::int64_t>{1, 0});
    CHECK(file.subgraphs[0].input_name(1) == "t0");
    CHECK(file.subgraphs[0].outputs == std::vector<std::int64_t>{3});
}

TEST_CASE("a signature that the file does not have is refused with those that it has") {
    CHECK(refusal_of(sum_and_difference(), "product") ==
          "net.tflite: has no signature 'product'; its signatures are 'sum', 'difference'");
    CHECK(refusal_of(tflite_file(of_two(builtin::add)), "sum") == "net.tflite: has no signature 'sum', nor any other");
}

TEST_CASE("a signature names inputs and outputs of its subgraph, each input once") {
    const auto file = [](const tflite_signature& each) {
        return tflite_writer().write({of_two(builtin::add)}, 3, {each});
    };
    CHECK(refusal_of(file({"f", 0, {{"a", 2}}, {{"y", 2}}}), "f") ==
          "net.tflite: subgraph 0: signature 'f': input 'a' is tensor 2, expected one that the subgraph has among its "
          "inputs");
    CHECK(refusal_of(file({"f", 0, {{"a", 0}}, {{"y", 1}}}), "f") ==
          "net.tflite: subgraph 0: signature 'f': output 'y' is tensor 1, expected one that the subgraph has among its "
          "outputs");
    CHECK(refusal_of(file({"f", 0, {{"a", 0}, {"b", 0}}, {{"y", 2}}}), "f") ==
          "net.tflite: subgraph 0: signature 'f': input 'b' is tensor 0, as another one is; expected a tensor of its "
          "own");
}
