// SPDX-License-Identifier: Apache-2.0
#include "examples/conformance/judge.hpp"

#include <doctest/doctest.h>

namespace {

using lpt::conformance::compare_graphs;
using lpt::conformance::json;
using lpt::conformance::read_attribute_text;

const json all_flags = {"precisions", "constant_values", "names", "attribute_keys", "attribute_values"};

/// Parameter -> Multiply(Constant) 'last' -> Result, and the same Parameter -> Relu -> Result.
json sample() {
    return json::parse(R"([
      {"op": "Parameter", "version": 0, "name": "in", "out": [{"type": "u8", "shape": [1, 3, -1]}]},
      {"op": "Constant", "version": 0, "out": [{"type": "f32", "shape": [3, 1]}], "value": [0.5, 0.25, "inf"]},
      {"op": "Multiply", "version": 1, "name": "last", "in": [[0, 0], [1, 0]], "attrs": {"auto_broadcast": "numpy"},
       "out": [{"type": "f32", "shape": [1, 3, -1]}], "attributes": {"DisableCleanup": ""}},
      {"op": "Relu", "version": 0, "name": "other", "in": [[0, 0]], "attrs": {"alpha": 0.5, "axes": [1, 2], "flag": true},
       "out": [{"type": "u8", "shape": [1, 3, -1], "attributes": {"Precisions": "precisions: {u8, i8} #0"}}],
       "attributes": {"PrecisionPreserved": "value: true #0"},
       "in_attributes": [{"IntervalsAlignment":
           "levels: 256, combined: { -1.28, 2.55 }, min: { 0, 2.55 }, minLevels: 256, preferablePrecisions: {i8, u8} #0"}]},
      {"op": "Result", "version": 0, "in": [[2, 0]], "out": [{"type": "f32", "shape": [1, 3, -1]}]},
      {"op": "Result", "version": 0, "in": [[3, 0]], "out": [{"type": "u8", "shape": [1, 3, -1]}]}
    ])");
}

std::string judged(const json& answer, const json& flags = all_flags) {
    return compare_graphs(sample(), answer, flags);
}

bool starts_with(const std::string& text, const std::string& head) { return text.rfind(head, 0) == 0; }

}  // namespace

TEST_CASE("a graph equals itself") { CHECK(judged(sample()).empty()); }

TEST_CASE("node order carries no meaning, constants may be copied, other nodes must be shared alike") {
    const json moved = json::parse(R"([
      {"op": "Constant", "version": 0, "out": [{"type": "f32", "shape": []}], "value": [2]},
      {"op": "Parameter", "version": 0, "out": [{"type": "f32", "shape": [2]}]},
      {"op": "Relu", "version": 0, "in": [[1, 0]], "out": [{"type": "f32", "shape": [2]}]},
      {"op": "Add", "version": 1, "in": [[2, 0], [0, 0]], "out": [{"type": "f32", "shape": [2]}]},
      {"op": "Add", "version": 1, "in": [[2, 0], [0, 0]], "out": [{"type": "f32", "shape": [2]}]},
      {"op": "Result", "version": 0, "in": [[3, 0]], "out": [{"type": "f32", "shape": [2]}]},
      {"op": "Result", "version": 0, "in": [[4, 0]], "out": [{"type": "f32", "shape": [2]}]}])");
    json copied = moved;
    copied.push_back(moved[0]);
    copied[4]["in"][1][0] = 7;
    CHECK(compare_graphs(moved, copied, all_flags).empty());
    CHECK(compare_graphs(copied, moved, all_flags).empty());
    json unshared = moved;
    unshared.push_back(moved[2]);
    unshared[4]["in"][0][0] = 7;
    CHECK(starts_with(compare_graphs(moved, unshared, all_flags), "sharing of Relu"));
    CHECK(starts_with(compare_graphs(unshared, moved, all_flags), "sharing of Relu"));
}

TEST_CASE("operations, versions and numbers of ends must agree") {
    json answer = sample();
    answer[3]["op"] = "PRelu";
    CHECK(judged(answer) == "op Relu-0 vs PRelu-0 at Result 1: /Result[0]");
    answer = sample();
    answer[2]["version"] = 0;
    CHECK(judged(answer) == "op Multiply-1 vs Multiply-0 at Result 0: /Result[0]");
    answer = sample();
    answer.erase(5);
    CHECK(judged(answer) == "Results 2 vs 1");
}

TEST_CASE("types are compared on request, shapes always, a dynamic size equals only a dynamic one") {
    json answer = sample();
    answer[3]["out"][0]["type"] = "i8";
    CHECK(judged(answer) == "type u8 vs i8 at Result 1: /Result[0]/Relu");
    CHECK(judged(answer, json::array()).empty());
    answer = sample();
    answer[0]["out"][0]["shape"][2] = 4;
    CHECK(judged(answer, json::array()) == "shape [1,3,-1] vs [1,3,4] at Parameter 0: /Parameter");
    answer = sample();
    answer[0]["out"][0]["shape"] = nullptr;
    CHECK_FALSE(judged(answer, json::array()).empty());
}

TEST_CASE("values of constants have a tolerance that depends on their type") {
    json answer = sample();
    answer[1]["value"][0] = 0.50004;
    CHECK(judged(answer).empty());
    answer[1]["value"][0] = 0.5001;
    CHECK(starts_with(judged(answer), "value [0.5,0.25,\"inf\"] vs"));
    CHECK(judged(answer, {"precisions"}).empty());
    answer[1]["value"][0] = 0.5;
    answer[1]["value"][2] = 3.4e38;
    CHECK_FALSE(judged(answer).empty());

    const auto same = [](const char* type, const json& left, const json& right, const json& shape) {
        return lpt::conformance::same_values(left, right, type, shape);
    };
    CHECK(same("f16", {1.0}, {1.0 + 1.0 / 1024}, {}));
    CHECK_FALSE(same("f16", {1.0}, {1.0 + 2.0 / 1024}, {}));
    CHECK_FALSE(same("f32", {1.0}, {1.0 + 1.0 / 1024}, {}));
    CHECK(same("bf16", {1.0}, {1.0 + 1.0 / 128}, {}));
    CHECK(same("f32", {0.0}, {9e-7}, {}));
    CHECK(same("f32", {"nan"}, {"nan"}, {}));
    CHECK_FALSE(same("f32", {"inf"}, {"-inf"}, {}));
    CHECK_FALSE(same("i64", {10000000}, {10000001}, {}));
    CHECK(same("u8", {7}, {7, 7, 7}, {3}));
    CHECK_FALSE(same("u8", {7, 7}, {7, 7, 7}, {3}));
    CHECK(same("u8", json::array(), json::array(), {0}));
    CHECK_FALSE(same("u8", {1}, {1}, {0}));
}

TEST_CASE("attributes of operations are compared where both graphs have them") {
    json answer = sample();
    answer[3]["attrs"].erase("alpha");
    answer[3]["attrs"]["new"] = 1;
    CHECK(judged(answer).empty());
    answer[3]["attrs"]["axes"] = {1, 3};
    CHECK(judged(answer) == "attr axes: [1,2] vs [1,3] at Result 1: /Result[0]/Relu");
    answer = sample();
    answer[3]["attrs"]["alpha"] = 0.50001;
    CHECK(judged(answer).empty());
    answer[3]["attrs"]["alpha"] = "0.5";
    CHECK_FALSE(judged(answer).empty());
    answer = sample();
    answer[3]["attrs"]["flag"] = 1;
    CHECK(judged(answer).empty());
}

TEST_CASE("the name of the node that feeds a result is compared where the right answer has one") {
    json answer = sample();
    answer[2]["name"] = "wrong";
    CHECK(judged(answer) == "name \"last\" vs \"wrong\" at Result 0: ");
    answer[2].erase("name");
    CHECK(judged(answer) == "name \"last\" vs none at Result 0: ");
    CHECK(judged(answer, {"precisions"}).empty());
    CHECK(compare_graphs(answer, sample(), all_flags).empty());
}

TEST_CASE("run-time attributes are compared by name, or by name and text") {
    json answer = sample();
    answer[3]["attributes"].erase("PrecisionPreserved");
    CHECK(judged(answer) == "attributes [\"PrecisionPreserved\"] vs [] on node of Result 1: /Result[0]/Relu");
    answer = sample();
    answer[3]["out"][0]["attributes"]["Precisions"] = "precisions: {i8, u8} #0";
    CHECK(starts_with(judged(answer),
                      "attribute Precisions: precisions: {u8, i8} #0 vs precisions: {i8, u8} #0 on output 0"));
    CHECK(judged(answer, {"precisions", "attribute_keys"}).empty());
    answer = sample();
    answer[3].erase("in_attributes");
    CHECK(starts_with(judged(answer), "attributes [\"IntervalsAlignment\"] vs [] on input 0"));
}

TEST_CASE("marks are compared on every node, quantization attributes not where copies may lie, others nowhere") {
    json answer = sample();
    answer[2]["attributes"]["Precisions"] = "precisions: {} #4";
    answer[3]["attributes"]["SomethingElse"] = "1";
    CHECK(judged(answer).empty());
    answer[2]["attributes"].erase("DisableCleanup");
    CHECK(
        starts_with(judged(answer), "attributes [\"DisableCleanup\"] vs [] on node of Result 0: /Result[0]/Multiply"));
}

TEST_CASE("numbers inside texts have a tolerance, levels have none, preferable precisions are a set") {
    const auto with = [](const char* text) {
        json answer = sample();
        answer[3]["in_attributes"][0]["IntervalsAlignment"] = text;
        return judged(answer);
    };
    CHECK(with("levels: 256, combined: { -1.28001, 2.55 }, min: { 0, 2.55 }, minLevels: 256, preferablePrecisions: "
               "{u8,  i8} #5")
              .empty());
    CHECK_FALSE(
        with("levels: 256.001, combined: { -1.28, 2.55 }, min: { 0, 2.55 }, minLevels: 256, preferablePrecisions: "
             "{i8, u8} #0")
            .empty());
    CHECK_FALSE(
        with("levels: 256, combined: { -1.28, 2.56 }, min: { 0, 2.55 }, minLevels: 256, preferablePrecisions: {i8, "
             "u8} #0")
            .empty());
    CHECK_FALSE(
        with("levels: 256, combined: { -1.28, 2.55 }, min: { 0, 2.55 }, minLevels: 256, preferablePrecisions: {i8} "
             "#0")
            .empty());
    CHECK_FALSE(
        with("levels: 256, combined: { -1.28, 2.55 }, min: { 0, 2.55 }, minLevels: 256, preferablePrecisions: {i8, "
             "u8}")
            .empty());
}

TEST_CASE("texts are taken apart into words, numbers and the number of the shared value") {
    const auto text = read_attribute_text("min: { -1.5e-3, inf } x2 u8 3.  #12 ");
    CHECK(text.body == "min:{@,@}x2u8@");
    CHECK(text.numbers == std::vector<std::string>{"-1.5e-3", "inf", "3."});
    REQUIRE(text.group.has_value());
    CHECK(*text.group == "12");
    CHECK_FALSE(read_attribute_text("PerTensor").group.has_value());
    CHECK(read_attribute_text("a-5 1e5x 7e").numbers == std::vector<std::string>{"5"});
}

TEST_CASE("numbers of shared values are a renaming, one to one") {
    const json twins = json::parse(R"([
      {"op": "Parameter", "version": 0, "out": [{"type": "f32", "shape": []}]},
      {"op": "Relu", "version": 0, "in": [[0, 0]], "out": [{"type": "f32", "shape": []}], "attributes": {"Precisions": "p #0"}},
      {"op": "Relu", "version": 0, "in": [[1, 0]], "out": [{"type": "f32", "shape": []}], "attributes": {"Precisions": "p #0"}},
      {"op": "Relu", "version": 0, "in": [[2, 0]], "out": [{"type": "f32", "shape": []}], "attributes": {"Precisions": "p #1"}},
      {"op": "Result", "version": 0, "in": [[3, 0]], "out": [{"type": "f32", "shape": []}]}])");
    const auto with = [&](const char* first, const char* second, const char* third) {
        json answer = twins;
        answer[1]["attributes"]["Precisions"] = first;
        answer[2]["attributes"]["Precisions"] = second;
        answer[3]["attributes"]["Precisions"] = third;
        return compare_graphs(twins, answer, all_flags);
    };
    CHECK(with("p #7", "p #7", "p #0").empty());
    CHECK_FALSE(with("p #7", "p #8", "p #9").empty());
    CHECK_FALSE(with("p #7", "p #7", "p #7").empty());
}

TEST_CASE("control dependencies are compared through the pairing") {
    const json state = json::parse(R"([
      {"op": "Parameter", "version": 0, "out": [{"type": "f32", "shape": []}]},
      {"op": "ReadValue", "version": 6, "in": [[0, 0]], "out": [{"type": "f32", "shape": []}]},
      {"op": "Assign", "version": 6, "in": [[1, 0]], "out": [{"type": "f32", "shape": []}], "control": [1]},
      {"op": "Result", "version": 0, "in": [[1, 0]], "out": [{"type": "f32", "shape": []}]}])");
    CHECK(compare_graphs(state, state, all_flags).empty());
    json answer = state;
    answer[2]["control"] = {0};
    CHECK(starts_with(compare_graphs(state, answer, all_flags), "control"));
    answer[2].erase("control");
    CHECK(starts_with(compare_graphs(state, answer, all_flags), "control"));
}

TEST_CASE("an answer that is no graph is a difference, not a crash") {
    CHECK(starts_with(judged(json::array()), "Parameters 1 vs 0"));
    json answer = sample();
    answer[2]["in"][0][0] = 77;
    CHECK(starts_with(judged(answer), "malformed graph: "));
    answer = sample();
    answer[3].erase("out");
    CHECK(starts_with(judged(answer), "malformed graph: "));
    answer = sample();
    answer[1]["value"] = "x";
    CHECK_FALSE(judged(answer).empty());
    CHECK_FALSE(judged("not a graph").empty());
}
