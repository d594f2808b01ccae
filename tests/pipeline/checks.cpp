// SPDX-License-Identifier: Apache-2.0
#include <lpt/pipeline/checks.hpp>
#include <lpt/pipeline/registry.hpp>
#include <lpt/pipeline/transform.hpp>

#include <doctest/doctest.h>

using namespace lpt;

namespace {

/// What the error says; empty if there is none. The network must be as it was.
text refusal_of(const restriction_table& restrictions, const transformation_options& options) {
    graph model;
    const node_id data = model.parameter(f32, shape{1, 3});
    const node_id low = model.constant(make_scalar(f32, 0));
    const node_id high = model.constant(make_scalar(f32, 2.55));
    model.result(model.add(op::fake_quantize{256}, {data, low, high, low, high}));
    const std::size_t size = model.size();
    try {
        transform(model, restrictions, options);
    } catch (const error& wrong) {
        CHECK(model.size() == size);
        return text(text_view(wrong.what()));
    }
    return {};
}
text refusal_of(const transformation_options& options) { return refusal_of({}, options); }
text refusal_of(const precision_row& row) {
    restriction_table table;
    table.precisions.push_back(row);
    return refusal_of(table, {});
}
bool never(const graph&, node_id, const void*) { return false; }

struct my_transformation {
    static constexpr text_view name = "MyTransformation";
    using pattern = lpt::pattern<op::relu>;
    static constexpr bool transform(rewrite&, node_id) { return false; }
};

}  // namespace

TEST_CASE("every published name of the library may stand in the options") {
    for (const pass_row& each : pass_rows<all_transformations>) {
        transformation_options options;
        options.disabled.push_back(each.name);
        CHECK(refusal_of(options) == text());
    }
}

TEST_CASE("names that no transformation has are refused") {
    transformation_options options;
    options.callbacks.push_back({"ConvTransformation", never});
    CHECK(refusal_of(options) ==
          "callback for 'ConvTransformation': no transformation of the library or the pipeline has this name");
    options = {};
    options.disabled.push_back("MyTransformation");
    CHECK(refusal_of(options) ==
          "disabled transformation 'MyTransformation': no transformation of the library or the pipeline has this name");
    graph model;
    model.result(model.parameter(f32, shape{1}));
    CHECK_NOTHROW(run_pipeline<default_pipeline::with_main<my_transformation>>(model, {}, options));
    options = {};
    options.arguments.push_back({"Marks", {}});
    CHECK(refusal_of(options) ==
          "arguments of 'Marks': no transformation of the library or the pipeline has this name");
    options = {};
    options.callbacks.push_back({"AddTransformation"});
    CHECK(refusal_of(options) == "callback for 'AddTransformation': it has no function");
}

TEST_CASE("types that dequantization and quantized tensors cannot have are refused") {
    transformation_options options;
    options.dequantization_precision = i8;
    CHECK(refusal_of(options) == "dequantization precision i8: expected f32, f16 or bf16");
    options.dequantization_precision = f16;
    options.default_precisions = {u8, boolean};
    CHECK(refusal_of(options) == "default precision boolean: expected integers of 4 to 32 bits or floating point "
                                 "numbers of 8 to 32");
    options.default_precisions = {i64};
    CHECK_FALSE(refusal_of(options).empty());
    options.default_precisions = {f8e4m3, f8e5m2};
    CHECK(refusal_of(options).empty());
}

TEST_CASE("restrictions that cannot be meant are refused") {
    const precision_row good{op::kind::convolution, any_version, {{0}, {u8}}};
    CHECK(refusal_of(good).empty());
    CHECK(refusal_of({op::kind::softmax, any_version, {{0}, {u8}}}) ==
          "restriction of Softmax: no transformation brings this operation to low precision");
    CHECK(refusal_of({op::kind::convolution, 3, {{0}, {u8}}}) ==
          "restriction of Convolution: there is no version 3 of it");
    CHECK(refusal_of({op::kind::convolution, any_version, {{2}, {u8}}}) ==
          "restriction of Convolution: it has no input port 2, expected a number from 0 to 1");
    CHECK(refusal_of({op::kind::convolution, any_version, {{0, 0}, {u8}}}) ==
          "restriction of Convolution: input port 0 is named twice");
    CHECK(refusal_of({op::kind::convolution, any_version, {{1}, {i16}}}) ==
          "restriction of Convolution: input port 1 cannot take the element type i16");
    restriction_table table;
    table.precisions = {good, good};
    CHECK(refusal_of(table, {}) == "restriction of Convolution: input port 0 is named twice");
    table = {};
    table.granularities.push_back({op::kind::mat_mul, any_version, {2}});
    CHECK(refusal_of(table, {}) == "restriction of MatMul: it has no input port 2, expected a number from 0 to 1");
}

TEST_CASE("what a rule answers for a node is looked at, too") {
    precision_row row;
    row.operation = op::kind::fake_quantize;
    row.rule = [](const graph&, node_id) { return seq<port_types>{port_types{{0}, {f32}}}; };
    CHECK(refusal_of(row) == "restriction of FakeQuantize: input port 0 cannot take the element type f32");
}
