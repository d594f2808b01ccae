// SPDX-License-Identifier: Apache-2.0
#include "examples/conformance/case_runner.hpp"
#include "examples/conformance/judge.hpp"

#include <lpt/graph/verify.hpp>

#include <doctest/doctest.h>

namespace {

using namespace lpt;
using conformance::graph_reader;
using conformance::json;

const json everything = {"precisions", "constant_values", "names", "attribute_keys", "attribute_values"};

/// u8 data, dequantized, through MaxPool.
json pooling_case() {
    return json::parse(
        R"({"case": "sample/0", "suite": "sample", "params": {}, "compare": ["precisions", "constant_values"],
      "pipeline": ["TypeRelaxedReplacer", ["MaxPoolTransformation"]],
      "before": [
        {"op": "Parameter", "version": 0, "out": [{"type": "u8", "shape": [1, 3, 8, 8]}]},
        {"op": "Constant", "version": 0, "out": [{"type": "f32", "shape": []}], "value": [0.5]},
        {"op": "Multiply", "version": 1, "in": [[0, 0], [1, 0]], "out": [{"type": "f32", "shape": [1, 3, 8, 8]}],
         "attrs": {"auto_broadcast": "numpy"}},
        {"op": "MaxPool", "version": 1, "name": "pool", "in": [[2, 0]], "out": [{"type": "f32", "shape": [1, 3, 4, 4]}],
         "attrs": {"strides": [2, 2], "kernel": [2, 2], "pads_begin": [0, 0], "pads_end": [0, 0], "rounding_type": "floor",
                   "auto_pad": "explicit"}},
        {"op": "Result", "version": 0, "in": [[3, 0]], "out": [{"type": "f32", "shape": [1, 3, 4, 4]}]}]})");
}

text message_of(const json& conformance_case) {
    try {
        conformance::run_case(conformance_case);
    } catch (const error& raised) {
        return raised.message();
    }
    return "no error";
}

}  // namespace

TEST_CASE("a graph that was read is written as it was") {
    const json before = pooling_case()["before"];
    const graph model = graph_reader::read(before);
    CHECK_NOTHROW(verify(model));
    CHECK(conformance::compare_graphs(before, conformance::write_graph(model, conformance::order_of_case(model)),
                                      everything)
              .empty());
}

TEST_CASE("a node whose type is not what its inputs imply becomes relaxed, others stay plain") {
    const graph model = graph_reader::read(pooling_case()["before"]);
    const node& multiply = model[id_at(2)];
    REQUIRE(multiply.is<op::multiply>());
    CHECK(multiply.relaxed());
    REQUIRE(multiply.own_types() != nullptr);
    CHECK(multiply.own_types()->input_types == seq<element, 2>{f32, f32});
    CHECK(multiply.own_types()->output_types == seq<element, 2>{f32});
    CHECK_FALSE(model[id_at(3)].relaxed());
}

TEST_CASE("a pipeline of a step and a rewrite runs") {
    const json answer = conformance::run_case(pooling_case());
    const auto pool =
        std::find_if(answer.begin(), answer.end(), [](const json& node) { return node["op"] == "MaxPool"; });
    REQUIRE(pool != answer.end());
    CHECK((*pool)["out"][0]["type"] == "u8");
    CHECK((*pool)["in"][0][0] == 0);
}

TEST_CASE("callbacks keep transformations away") {
    json skipped = pooling_case();
    skipped["callbacks"] = {{{"transformation", "MaxPoolTransformation"}, {"skip_if", "always"}}};
    CHECK(conformance::compare_graphs(skipped["before"], conformance::run_case(skipped), everything).empty());
    skipped["callbacks"][0]["skip_if"] = "asymmetric_quantization";
    CHECK_FALSE(conformance::compare_graphs(skipped["before"], conformance::run_case(skipped), everything).empty());
}

TEST_CASE("restrictions are rows of the table that transformations read") {
    json restricted = pooling_case();
    restricted["precision_restrictions"] = json::parse(
        R"([{"op": "Convolution", "specifyVersion": false, "ports": [{"port": 0, "types": ["u8"]}, {"port": [1, 2], "types": []}]},
            {"op": "MatMul", "specifyVersion": true, "version": 0, "ports": []}])");
    restricted["per_tensor_restrictions"] =
        json::parse(R"([{"op": "Convolution", "specifyVersion": false, "ports": [0]}])");
    const restriction_table table = conformance::detail::read_restrictions(restricted);
    REQUIRE(table.precisions.size() == 3);
    CHECK(table.precisions[0].operation == op::kind::convolution);
    CHECK(table.precisions[0].version == any_version);
    CHECK(table.precisions[0].accepted.types == seq<element, 8>{u8});
    CHECK(table.precisions[1].accepted.ports == seq<std::int32_t, 8>{1, 2});
    CHECK(table.precisions[1].accepted.types.empty());
    CHECK(table.precisions[2].version == 0);
    CHECK(table.precisions[2].accepted.ports.empty());
    REQUIRE(table.granularities.size() == 1);
    CHECK(table.granularities[0].ports == seq<std::int32_t, 8>{0});
}

TEST_CASE("parameters of a case are options of the transformations") {
    transformation_options options;
    conformance::detail::read_options(
        json::parse(
            R"({"params": {"update_precisions": false, "dequantization_precision": "f16", "default_precisions": ["i8"]}})"),
        options);
    CHECK_FALSE(options.update_precisions);
    CHECK(options.dequantization_precision == f16);
    CHECK(options.default_precisions == seq<element, 8>{i8});
}

TEST_CASE("what cannot be run raises an error that says what") {
    json unknown = pooling_case();
    unknown["pipeline"] = {"NoSuchTransformation"};
    CHECK(message_of(unknown) == "no such pass NoSuchTransformation");
    unknown = pooling_case();
    unknown["pipeline"] = json::array({json::array({"TypeRelaxedReplacer"})});
    CHECK(message_of(unknown) == "the step TypeRelaxedReplacer cannot be part of a rewrite");
    unknown = pooling_case();
    unknown["before"][3]["op"] = "Nothing";
    CHECK(message_of(unknown) == "node 3 (Nothing-1) of `before`: there is no operation Nothing");
    unknown = pooling_case();
    unknown["before"][3]["version"] = 77;
    CHECK(message_of(unknown) == "node 3 (MaxPool-77) of `before`: there is no operation MaxPool-77");
    unknown = pooling_case();
    unknown["before"][3]["out"][0]["shape"] = {1, 3, 5, 5};
    CHECK(message_of(unknown) ==
          "node 3 (MaxPool-1) of `before`: MaxPool-1 has the shape [1,3,4,4], the case says [1,3,5,5]");
    unknown = pooling_case();
    unknown["before"][1]["value"] = {1, 2};
    CHECK(message_of(unknown) == "node 1 (Constant-0) of `before`: a Constant of 1 elements has 2 values");
}

TEST_CASE("a node reads outputs of nodes before it, and says no more outputs than it has") {
    const auto with = [](const json::json_pointer& place, const json& value) {
        json broken = pooling_case();
        broken[place] = value;
        return message_of(broken);
    };
    const json::json_pointer source("/before/3/in/0/0");
    const json::json_pointer port("/before/3/in/0/1");
    const auto node_3 = [](const std::string& wrong) {
        return text(("node 3 (MaxPool-1) of `before`: " + wrong).c_str());
    };
    CHECK(with(source, 4) == node_3("reads or waits for node 4, which does not stand before it"));
    CHECK(with(source, 3) == node_3("reads or waits for node 3, which does not stand before it"));
    CHECK(with(port, 1) == node_3("reads output 1 of a node that has 1"));
    CHECK(with(json::json_pointer("/before/3/control"), {7}) ==
          node_3("reads or waits for node 7, which does not stand before it"));
    json more = pooling_case();
    more["before"][3]["out"].push_back(more["before"][3]["out"][0]);
    CHECK(message_of(more) == node_3("MaxPool-1 has 1 outputs, the case says 2"));
    CHECK_THROWS_AS(with(source, -1), json::exception);
    CHECK_THROWS_AS(with(port, 1e300), json::exception);
    CHECK_THROWS_AS(with(json::json_pointer("/before/3/version"), 4294967297), json::exception);
}
