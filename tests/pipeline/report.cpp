// SPDX-License-Identifier: Apache-2.0
#include "tests/support/bodies.hpp"
#include "tests/support/report_rows.hpp"

#include <lpt/pipeline/transform.hpp>
#include <lpt/target/cpu_x86.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>

using namespace lpt;
using test::row_of;

namespace {

using relu_only = pipeline<stage<>, stage<>, stage<relu_transformation>, stage<>, stage<>>;

struct networks {
    graph before;
    graph after;
};
/// A network of two operations, of which the first becomes low precision and loses its name to what stands behind it.
constexpr networks changed_network() {
    graph model;
    const node_id input = model.parameter(f32, shape{1, 4}, "x");
    const node_id first = model.add(op::relu{}, {input}, "first");
    const node_id second = model.add(op::softmax{1}, {first}, "second");
    model.result(second);
    const graph before = model;
    const node_id quantized = model.parameter(u8, shape{1, 4});
    const node_id moved = model.add(op::relu{}, {quantized}, "first_original");
    const node_id back = model.add(op::convert{f32}, {moved}, "first");
    model.replace_uses(first, back);
    model.collect();
    return {before, model};
}
constexpr report report_of_changed_network() {
    const networks both = changed_network();
    return make_report<relu_only>(both.before, both.after, {});
}

constexpr output_ref fake_quantize(graph& model, output_ref data, double low, double high, text_view name,
                                   std::int64_t levels = 256) {
    const node_id least = model.constant(make_scalar(f32, low));
    const node_id most = model.constant(make_scalar(f32, high));
    return model.add(op::fake_quantize{levels}, {data, least, most, least, most}, name);
}
tensor some_weights(shape dimensions) {
    tensor_builder values(f32, std::move(dimensions));
    for (std::size_t i = 0; i < values.elements(); ++i) {
        values.real(i, static_cast<double>((i * 5) % 7) * 0.3 - 0.9);
    }
    return values.finish();
}
node_id convolve(graph& model, output_ref data, output_ref weights, text_view name) {
    return model.add(op::convolution{.strides = {1, 1}, .dilations = {1, 1}, .pads_begin = {0, 0}, .pads_end = {0, 0}},
                     {data, weights}, name);
}
output_ref some_quantized_weights(graph& model, shape dimensions) {
    return fake_quantize(model, model.constant(some_weights(std::move(dimensions))), -1.27, 1.27, {}, 255);
}

}  // namespace

TEST_CASE("An operation is found by its name, or by its name when that moved on") {
    const report result = report_of_changed_network();
    REQUIRE(result.operations.size() == 2);
    CHECK(result.operations[0].name == "first");
    CHECK(result.operations[0].precision == u8);
    CHECK(result.operations[0].outputs == seq<element, 2>{u8});
    CHECK(result.operations[0].reason.empty());
    CHECK(result.count_of_bytes(op::kind::relu) == 1);
    static_assert(report_of_changed_network().operations[0].precision == u8);
}

TEST_CASE("Operations that no transformation is about say so; without a pipeline there are no reasons") {
    const report result = report_of_changed_network();
    CHECK(result.operations[1].why.why.why == reason::operation_not_handled);
    const networks both = changed_network();
    CHECK(make_report(both.before, both.after, {}, dispatch_view()).operations[1].reason.empty());
}

TEST_CASE("Operations that are gone have no precision") {
    graph model;
    const node_id input = model.parameter(f32, shape{2}, "x");
    const node_id relu = model.add(op::relu{}, {input}, "a");
    model.result(relu);
    const graph before = model;
    model.replace_uses(relu, input);
    model.collect();
    const report result = make_report<relu_only>(before, model, {});
    CHECK(result.operations[0].node == node_id::none);
    CHECK(result.operations[0].precision == dynamic);
    CHECK(result.operations[0].what == role::none);
}

TEST_CASE("A verdict says what it is about") {
    static_assert(
        text_of({reason::not_per_tensor, 1, u8, -1, 0.5}) ==
        text_view("one scale and one zero point for the whole tensor are needed, input 1, type u8, value 0.5"));
    static_assert(text_of(refuse_value(reason::zero_or_denormal_scale, 0, 0)) ==
                  text_view("a scale is zero or too small, input 0, value 0"));
}

TEST_CASE("A refusal has the transformation, port, axis, types and shapes, and what would have to change") {
    graph model;
    const node_id scale = model.constant(make_tensor(f32, shape{1, 3, 1, 1}, {0.5, 0.25, 1}));
    const node_id real = model.add(op::convert{f32}, {model.parameter(u8, shape{1, 3, 4, 4}, "x")});
    const node_id data = model.add(op::multiply{}, {real, scale});
    const node_id order = model.constant(make_indices({0, 2, 3, 1}));
    model.result(model.add(op::transpose{}, {data, order}, "turn"));
    const report all = transform(model, cpu_x86);
    const report_row& row = row_of(all, "turn");
    CHECK(row.why.transformation == "TransposeTransformation");
    CHECK(row.why.why.why == reason::varies_over_axis);
    CHECK(row.why.why.port == 0);
    CHECK(row.why.why.axis == 1);
    CHECK(row.why.facts->input_shape == shape{1, 3, 4, 4});
    CHECK(row.why.facts->constant_shape == shape{1, 3, 1, 1});
    CHECK(row.reason ==
          "scale or zero point varies over an axis that the operation mixes, input 0, axis 1, which is f32[1,3,4,4], "
          "constant f32[1,3,1,1]");
    CHECK(row.remedy == words_of(reason::varies_over_axis).remedy);
}

TEST_CASE("Unquantized data is told by the operation that it comes from, unquantized weights by the port") {
    graph model;
    const node_id input = model.parameter(f32, shape{1, 2, 4, 4}, "x");
    const node_id soft = model.add(op::softmax{1}, {input}, "soft");
    const node_id first = convolve(model, soft, some_quantized_weights(model, shape{3, 2, 1, 1}), "first");
    const output_ref second_data = fake_quantize(model, first, 0, 2.55, "values");
    model.result(convolve(model, second_data, model.constant(some_weights(shape{2, 3, 1, 1})), "second"));
    const report all = transform(model, cpu_x86);
    const report_row& unquantized = row_of(all, "first");
    CHECK(unquantized.why.why.why == reason::no_dequantization);
    CHECK(unquantized.why.facts->other_name == "soft");
    CHECK(row_of(all, "second").why.why.why == reason::weights_not_quantized);
    CHECK(row_of(all, "second").why.why.port == 1);
    CHECK(row_of(all, "values").why.why.why == reason::fused_back);
    CHECK(row_of(all, "values").what == role::arithmetic);
    CHECK(row_of(all, "values").why.facts->other_name == "second");
}

TEST_CASE("A FakeQuantize whose readers have no type in common names the reader that took the last one") {
    graph model;
    const node_id input = model.parameter(f32, shape{1, 2, 4, 4}, "x");
    const output_ref values = fake_quantize(model, input, 0, 2.55, "values");
    model.result(convolve(model, values, some_quantized_weights(model, shape{3, 2, 1, 1}), "one"));
    const node_id tensors = model.add(op::mat_mul{}, {values, some_quantized_weights(model, shape{4, 4})}, "two");
    model.result(tensors);
    const auto apart = restrictions<precisions<op::convolution, on<0, u8>>, precisions<op::mat_mul, on<0, i8>>>{};
    const report all = transform(model, apart);
    CHECK(row_of(all, "values").why.why.why == reason::no_precision_left);
    CHECK(row_of(all, "values").why.why.port == 0);
    CHECK(
        (row_of(all, "values").why.facts->other_name == "two" || row_of(all, "values").why.facts->other_name == "one"));
    CHECK(row_of(all, "one").why.why.why == reason::no_dequantization);
    CHECK(row_of(all, "one").why.facts->other_name == "values");
}

TEST_CASE("Levels without a type, options and switched off transformations are reasons of their own") {
    const auto network = [] {
        graph model;
        const node_id input = model.parameter(f32, shape{1, 2, 4, 4}, "x");
        const output_ref values = fake_quantize(model, input, 0, 2.55, "values");
        model.result(convolve(model, values, some_quantized_weights(model, shape{3, 2, 1, 1}), "one"));
        return model;
    };
    graph odd;
    odd.result(fake_quantize(odd, odd.parameter(f32, shape{2}, "x"), 0, 1, "odd", 100));
    const report levels = transform(odd, cpu_x86);
    CHECK(row_of(levels, "odd").why.why.why == reason::unsupported_levels);
    CHECK(row_of(levels, "odd").why.why.value == 100);

    transformation_options options;
    options.update_precisions = false;
    graph model = network();
    CHECK(row_of(transform(model, cpu_x86.table(), options), "one").why.why.why == reason::precisions_not_updated);
    options = {};
    options.disabled.push_back(convolution_transformation::name);
    model = network();
    CHECK(row_of(transform(model, cpu_x86.table(), options), "one").why.why.why == reason::disabled_by_user);
    model = network();
    const report without = transform<default_pipeline::without<convolution_transformation>>(model, cpu_x86.table());
    CHECK(row_of(without, "one").why.why.why == reason::not_in_pipeline);
}

TEST_CASE("What computes on the result of a low precision operation before its scale is told so") {
    graph model;
    const node_id input = model.parameter(f32, shape{1, 2, 4, 4}, "x");
    const output_ref values = fake_quantize(model, input, 0, 2.55, "values");
    node_id last = convolve(model, values, some_quantized_weights(model, shape{3, 2, 1, 1}), "one");
    last = model.add(op::add{}, {last, model.constant(make_tensor(f32, shape{1, 3, 1, 1}, {1, 2, 3}))}, "bias");
    model.result(model.add(op::relu{}, {last}, "relu"));
    const report all = transform(model, cpu_x86.table());
    CHECK(row_of(all, "one").precision == u8);
    CHECK(row_of(all, "one").reason.empty());
    CHECK(row_of(all, "bias").why.why.why == reason::before_scale);
    CHECK(row_of(all, "relu").why.why.why == reason::before_scale);
}

TEST_CASE("A convolution whose data has a zero point counts as 8 bits") {
    graph model;
    const node_id input = model.parameter(f32, shape{1, 2, 4, 4}, "x");
    const output_ref values = fake_quantize(model, input, -0.5, 2.05, "values");
    model.result(convolve(model, values, some_quantized_weights(model, shape{3, 2, 1, 1}), "one"));
    const report all = transform(model, cpu_x86);
    CHECK(row_of(all, "one").precision == u8);
    CHECK(row_of(all, "one").reason.empty());
}

TEST_CASE("Integer arithmetic, quantizations and what only moves integers are counted apart") {
    graph model;
    const node_id input = model.parameter(f32, shape{1, 2, 4, 4}, "x");
    const output_ref values = fake_quantize(model, input, 0, 2.55, "values");
    const node_id joined = model.add(op::concat{1}, {values, values}, "joined");
    model.result(convolve(model, joined, some_quantized_weights(model, shape{3, 4, 1, 1}), "one"));
    const report all = transform(model, cpu_x86);
    CHECK(all.int8_operations() == 1);
    CHECK(all.quantizations() == 1);
    const report_row& quantization = row_of(all, "values");
    CHECK(quantization.what == role::quantization);
    CHECK(quantization.precision == f32);
    CHECK(quantization.outputs[0] == u8);
    CHECK(quantization.reason.empty());
    CHECK(row_of(all, "joined").what == role::movement);
    CHECK(row_of(all, "joined").precision == u8);
    CHECK(row_of(all, "one").what == role::arithmetic);
    const std::string words = to_text(all).c_str();
    CHECK(words.find("values  FakeQuantize  f32, quantization to u8\n") != std::string::npos);
}

namespace {

/// A body: FakeQuantize, Softmax, Convolution with quantized weights.
graph body_with_convolution() {
    graph body;
    const node_id input = body.parameter(f32, shape{1, 2, 4, 4}, "in");
    const node_id soft = body.add(op::softmax{1}, {fake_quantize(body, input, 0, 2.55, "values")}, "soft");
    body.result(convolve(body, soft, some_quantized_weights(body, shape{2, 2, 1, 1}), "layer"));
    return body;
}

}  // namespace

TEST_CASE("Operations inside bodies have rows named with a path, and refusals that say which body they are about") {
    graph model;
    const node_id chosen = model.parameter(boolean, shape{}, "condition");
    const node_id input = model.parameter(f32, shape{1, 2, 4, 4}, "x");
    op::if_else what;
    what.then_inputs = what.else_inputs = {test::whole(1, 0)};
    what.then_outputs = what.else_outputs = {test::last(0, 0)};
    what.declared_outputs = {test::unknown_output()};
    const graph branches[] = {body_with_convolution(), body_with_convolution()};
    const node_id id = test::add_with_bodies(model, what, {chosen, input}, branches, "choice");
    model.result(id);
    const report all = transform(model, cpu_x86.table());
    for (const text_view name : {text_view("choice/then_body/layer"), text_view("choice/else_body/layer")}) {
        const report_row& row = row_of(all, name);
        CHECK(row.precision == f32);
        CHECK(row.why.why.why == reason::no_dequantization);
        CHECK(row.why.facts->other_name == "soft");
    }
    bool told_of_second = false;
    for (const refusal& each : all.refusals) {
        told_of_second = told_of_second || each.body == body_path{{id, 1}};
    }
    CHECK(told_of_second);
}
