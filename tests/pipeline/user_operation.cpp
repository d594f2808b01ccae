// SPDX-License-Identifier: Apache-2.0
#include <lpt/lpt.hpp>

#include <lpt/transformation/declared.hpp>

#include <doctest/doctest.h>

#include "tests/support/own_operations.hpp"
#include "tests/support/report_rows.hpp"
#include "tests/support/spoil.hpp"
#include "tests/support/tensor_difference.hpp"

#include <utility>

using namespace lpt;
using test::row_of;

namespace {

using only = pipeline<stage<>, stage<>,
                      stage<declared_transformation<own::channel_roll>, declared_transformation<own::own_product>,
                            declared_transformation<own::own_larger>>,
                      stage<>, stage<>>;
using with_own = default_pipeline::with_operations<own::channel_roll, own::own_product, own::own_larger>;

static_assert(declared_transformation<own::channel_roll>::name == "ChannelRollTransformation");

/// q -> Convert -> [Subtract] -> Multiply, with q a new parameter.
constexpr output_ref dequantized(graph& model, element type, tensor scale, double zero_point = 0) {
    output_ref last = model.add(op::convert{f32}, {model.parameter(type, shape{1, 3, 2})});
    if (zero_point != 0) {
        last = model.add(op::subtract{}, {last, model.constant(make_scalar(f32, zero_point))});
    }
    return model.add(op::multiply{}, {last, model.constant(std::move(scale))});
}
constexpr output_ref dequantized(graph& model, element type, double scale, double zero_point = 0) {
    return dequantized(model, type, make_scalar(f32, scale), zero_point);
}
constexpr graph of(op::attributes what, bool two, element type, double scale, double zero_point = 0,
                   double other_scale = 0.5) {
    graph model;
    const output_ref first = dequantized(model, type, scale, zero_point);
    if (two) {
        model.result(model.add(std::move(what), {first, dequantized(model, type, other_scale, zero_point)}, "own"));
    } else {
        model.result(model.add(std::move(what), {first}, "own"));
    }
    return model;
}
node_id find_own(const graph& model) {
    for (const node_id id : topological_order(model)) {
        if (op::is_of_user(model[id].kind())) {
            return id;
        }
    }
    return node_id::none;
}
constexpr reason first_refusal(graph& model) {
    const seq<refusal> all = run_pipeline<only>(model);
    return all.empty() ? reason::none : all[0].why.why;
}
support::tensor_difference difference_of_values(const graph& before, const graph& after) {
    std::vector<tensor> inputs;
    for (const node_id id : before.parameters()) {
        tensor_builder values(before[id].type(), before[id].shape());
        for (std::size_t i = 0; i < values.elements(); ++i) {
            const auto number = static_cast<double>((i * 37 + inputs.size() * 11) % 97);
            values.real(i, is_real(before[id].type()) ? number * 0.031 - 0.4 : number);
        }
        inputs.push_back(values.finish());
    }
    return support::difference_of<double>(before, after, inputs);
}

constexpr bool moves_when_compiled() {
    graph model = of(own::channel_roll{2}, false, u8, 0.25, 3);
    run_pipeline<only>(model);
    const node_id last = model.producer(model.results()[0], 0);
    return model[last].is<op::multiply>() && model[last].name() == "own";
}
static_assert(moves_when_compiled());

}  // namespace

TEST_CASE("rule same: the operation computes on integers and gives them, scale and zero point move behind") {
    graph model = of(own::channel_roll{2}, false, u8, 0.25, 3);
    const graph before = model;
    run_pipeline<only>(model);
    verify(model);
    const node_id rolled = find_own(model);
    CHECK(model.type(model[rolled].input(0)) == u8);
    CHECK(model[rolled].type() == u8);
    CHECK(model[rolled].name() == "own_original");
    CHECK(difference_of_values(before, model) == 0);
}

TEST_CASE("rule same with two ports: only what means the same may be compared as integers") {
    graph equal = of(own::own_larger{}, true, u8, 0.5, 3);
    const graph before = equal;
    CHECK(first_refusal(equal) == reason::none);
    CHECK(equal[find_own(equal)].type() == u8);
    CHECK(difference_of_values(before, equal) == 0);
    graph scales = of(own::own_larger{}, true, u8, 0.25, 3);
    CHECK(first_refusal(scales) == reason::not_per_tensor);
    graph negative = of(own::own_larger{}, true, u8, -0.5, 0, -0.5);
    CHECK(first_refusal(negative) == reason::negative_scale);
    graph one_side;
    one_side.result(
        one_side.add(own::own_larger{}, {dequantized(one_side, u8, 0.5), one_side.parameter(f32, shape{1, 3, 2})}));
    CHECK(first_refusal(one_side) == reason::no_dequantization);
}

TEST_CASE("rule scaled: the operation computes on integers and gives real numbers, the scales multiply") {
    graph model = of(own::own_product{}, true, i8, 0.25);
    const graph before = model;
    CHECK(first_refusal(model) == reason::none);
    verify(model);
    const node_id product = find_own(model);
    CHECK(model.type(model[product].input(0)) == i8);
    CHECK(model.type(model[product].input(1)) == i8);
    CHECK(model[product].type() == f32);
    const node_id last = model.producer(model.results()[0], 0);
    CHECK(model.constant_value(model[last].input(1))->real(0) == 0.125);
    CHECK(difference_of_values(before, model) == 0);
    graph shifted = of(own::own_product{}, true, i8, 0.25, 3);
    CHECK(first_refusal(shifted) == reason::has_zero_point);
}

TEST_CASE("types and scales for which the operation is not declared are refused") {
    graph type = of(own::channel_roll{2}, false, i8, 0.25);
    CHECK(first_refusal(type) == reason::not_low_precision);
    const tensor scales = make_tensor(f32, shape{1, 3, 1}, {0.5, 0.25, 2});
    graph channels;
    channels.result(channels.add(own::channel_roll{1}, {dequantized(channels, u8, scales)}));
    CHECK(first_refusal(channels) == reason::not_per_tensor);
    graph allowed;
    allowed.result(
        allowed.add(own::own_larger{}, {dequantized(allowed, u8, scales), dequantized(allowed, u8, scales)}));
    const graph before = allowed;
    CHECK(first_refusal(allowed) == reason::none);
    CHECK(difference_of_values(before, allowed) == 0);
}

namespace {

/// in -> FakeQuantize -> ChannelRoll -> FakeQuantize behind it, or a Convolution.
graph rolled_network(double low, double high) {
    graph model;
    const node_id data = model.parameter(f32, shape{1, 3, 4, 4}, "in");
    const node_id least = model.constant(make_scalar(f32, low));
    const node_id most = model.constant(make_scalar(f32, high));
    const node_id quantized = model.add(op::fake_quantize{256}, {data, least, most, least, most}, "quantized");
    const node_id rolled = model.add(own::channel_roll{1}, {quantized}, "rolled");
    const output_ref weights =
        model.add(op::convert{f32}, {model.constant(make_tensor(i8, shape{2, 3, 1, 1}, {1, -2, 3, -4, 5, -6}))});
    const node_id scaled = model.add(op::multiply{}, {weights, model.constant(make_scalar(f32, 0.125))});
    const op::convolution window{.strides = {1, 1}, .dilations = {1, 1}, .pads_begin = {0, 0}, .pads_end = {0, 0}};
    model.result(model.add(window, {rolled, scaled}, "convolution"));
    return model;
}

}  // namespace

TEST_CASE("precisions travel through it: what the Convolution asks for arrives at the FakeQuantize above") {
    // Without the operation's mark the signed range would become i8.
    graph model = rolled_network(-1.28, 1.27);
    const graph before = model;
    const report all = transform<with_own>(model, cpu_x86);
    verify(model);
    CHECK(row_of(all, "quantized").outputs[0] == u8);
    CHECK(row_of(all, "rolled").precision == u8);
    CHECK(row_of(all, "rolled").operation == "ChannelRoll");
    CHECK(difference_of_values(before, model) < 1e-4);
    graph positive = rolled_network(0, 2.55);
    CHECK(row_of(transform<with_own>(positive, cpu_x86), "convolution").precision == u8);
}

TEST_CASE("what the operation declares holds where the target says nothing; the target may say less") {
    graph model = rolled_network(-1.28, 1.27);
    const report declared = transform<with_own>(model, cpu_x86_amx);
    CHECK(row_of(declared, "quantized").outputs[0] == u8);  // the Convolution would take i8, too
    graph excluded = rolled_network(0, 2.55);
    const report none = transform<with_own>(excluded, cpu_x86.restricting<precisions<own::channel_roll>>());
    CHECK(row_of(none, "rolled").precision == f32);
    CHECK(row_of(none, "rolled").why.why.why == reason::restricted_by_target);
    CHECK(row_of(none, "rolled").why.why.port == 0);
    CHECK(row_of(none, "rolled").why.why.type == u8);
    CHECK(row_of(none, "quantized").outputs[0] == f32);
}

TEST_CASE("without its transformation in the pipeline it stays in floating point, and the report says so") {
    graph model = rolled_network(0, 2.55);
    const report all = transform(model, cpu_x86);
    CHECK(row_of(all, "rolled").precision == f32);
    CHECK(row_of(all, "rolled").reason == "no transformation brings operations of this type into low precision");
    transformation_options options;
    options.disabled.push_back("ChannelRollTransformation");
    graph other = rolled_network(0, 2.55);
    const report disabled = transform<with_own>(other, cpu_x86, options);
    CHECK(row_of(disabled, "rolled").reason == "ChannelRollTransformation is disabled");
}

TEST_CASE("an operation that declares nothing passes through everything and cuts precisions off") {
    graph model;
    const node_id data = model.parameter(f32, shape{1, 3, 4, 4}, "in");
    const node_id least = model.constant(make_scalar(f32, 0));
    const node_id most = model.constant(make_scalar(f32, 2.55));
    const node_id quantized = model.add(op::fake_quantize{256}, {data, least, most, least, most}, "quantized");
    model.result(model.add(own::opaque{}, {quantized}, "opaque"));
    prepare(model);
    const report all = transform(model, cpu_x86);
    verify(model);
    CHECK(row_of(all, "opaque").precision == f32);
    CHECK(row_of(all, "quantized").outputs[0] == f32);
}

TEST_CASE("the comparison notices NaN, other shapes, other types, and another number of results") {
    CHECK(support::notices_all_damages(of(own::channel_roll{2}, false, u8, 0.25, 3), difference_of_values));
}
