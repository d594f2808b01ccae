// SPDX-License-Identifier: Apache-2.0
#include "networks.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace lpt;
using namespace lpt::testing;
using names = std::vector<std::string>;

namespace {

const tensor weights = numbers(i8, shape{4, 3, 3, 3}, -100, 7, 100);
const tensor scales = numbers(f32, shape{1, 4, 1, 1}, 0.001, 0.0005, 1);
const tensor bias = numbers(f32, shape{1, 4, 1, 1}, -1, 0.7, 5);

bool has_pool(const plan::network& net) {
    bool result = false;
    for (const plan::step& each : net.steps) {
        result = result || std::holds_alternative<plan::pool_step>(each.work);
    }
    return result;
}

}  // namespace

TEST_CASE("A quantized convolution, its scale, bias, activation and requantization are one step") {
    graph model;
    const output_ref input = model.parameter(f32, shape{1, 3, 6, 6}, "x");
    output_ref value = convolved(model, quantize(model, input, u8, 0.1, 0), weights, 1);
    value = added(model, multiplied(model, value, scales), bias);
    value = quantize(model, model.add(op::relu{}, {value}), u8, 0.05, 0);
    model.result(multiplied(model, shifted(model, value, make_scalar(u8, 0)), make_scalar(f32, 0.05)));
    const plan::network net = plan_of(model);
    REQUIRE(kernels_of(net) ==
            names{"convert_scalar_U8", "reorder", "direct_scalar_I8", "reorder", "convert_scalar_U8"});
    CHECK(net.steps[2].nodes.size() == 5);
    CHECK(net.steps[0].precision == f32);  // what quantizes computes in real numbers
    CHECK(net.steps[2].precision == u8);
    CHECK(computing_type(net.steps[2], 0) == u8);
    for (std::size_t i = 1; i < 5; ++i) {
        CHECK(computing_type(net.steps[2], i) == f32);  // the epilogue
    }
    CHECK(net.steps[4].precision == f32);  // what dequantizes, too
    const auto& work = std::get<plan::convolution_step>(net.steps[2].work);
    CHECK(work.finish.posts.empty());  // Relu is the lower end of the stored range
    CHECK(work.finish.low == 0);
    CHECK(work.finish.scale.values.size() == 4);
}

TEST_CASE("A chain of functions from bytes to bytes is a table on 8 bits, arithmetic on two tensors is in f32") {
    graph model;
    const output_ref data = model.parameter(u8, shape{2, 8}, "x");
    const output_ref real = multiplied(model, model.add(op::convert{f32}, {data}), make_scalar(f32, 0.1));
    model.result(quantize(model, model.add(op::sigmoid{}, {real}), u8, 0.01, 0));
    const output_ref other = model.parameter(u8, shape{2, 8}, "y");
    model.result(model.add_relaxed(op::add{}, {data, other}, {{f32, f32}, {f32}}));
    const plan::network net = plan_of(model);
    REQUIRE(kernels_of(net) == names{"binary_scalar_U8", "lookup_scalar_U8"});
    CHECK(computing_type(net.steps[0], 0) == f32);
    CHECK(net.steps[1].nodes.size() == 2);
    CHECK(computing_type(net.steps[1], 0) == u8);
    CHECK(computing_type(net.steps[1], 1) == u8);
}

TEST_CASE("A function that reads the same bytes twice is one table") {
    graph model;
    const output_ref data = model.parameter(u8, shape{2, 8}, "x");
    const output_ref real = multiplied(model, model.add(op::convert{f32}, {data}), make_scalar(f32, 0.1));
    const output_ref gated = model.add(op::multiply{}, {real, model.add(op::sigmoid{}, {real})});
    model.result(quantize(model, gated, u8, 0.125, 3));
    const plan::network net = plan_of(model);
    REQUIRE(kernels_of(net) == names{"lookup_scalar_U8"});
    CHECK(net.steps[0].reads.size() == 1);
    const auto& work = std::get<plan::lookup_step>(net.steps[0].work);
    for (int byte = 0; byte < 256; ++byte) {
        const double x = 0.1 * byte;
        const double wanted = math::minimum(x / (1 + std::exp(-x)) / 0.125 + 3, 255.0);
        CHECK(math::absolute(work.table[static_cast<std::size_t>(byte)] - wanted) < 0.501);
    }
}

namespace {

/// x * hsigmoid(x) on bytes, with the factor quantized, too.
output_ref gated_by_quantized(graph& model, output_ref data, output_ref& gate) {
    const output_ref real = multiplied(model, model.add(op::convert{f32}, {data}), make_scalar(f32, 0.05));
    gate = quantize(model, model.add(op::hsigmoid{}, {real}), u8, 1 / 255.0, 0);
    const output_ref factor = multiplied(model, model.add(op::convert{f32}, {gate}), make_scalar(f32, 1 / 255.0));
    return quantize(model, model.add(op::multiply{}, {real, factor}), u8, 0.05, 3);
}

}  // namespace

TEST_CASE(
    "Functions of the same bytes with a quantization between them are one table, which has all their operations") {
    graph model;
    output_ref gate;
    model.result(gated_by_quantized(model, model.parameter(u8, shape{2, 8}, "x"), gate));
    const plan::network net = plan_of(model);
    REQUIRE(kernels_of(net) == names{"lookup_scalar_U8"});
    CHECK(net.steps[0].reads == std::vector<plan::tensor_id>{net.inputs[0].tensor});
    const std::vector<node_id>& nodes = net.steps[0].nodes;
    CHECK(std::count(nodes.begin(), nodes.end(), gate.node) == 1);
    const auto& work = std::get<plan::lookup_step>(net.steps[0].work);
    for (int byte = 0; byte < 256; ++byte) {
        const double x = 0.05 * byte;
        const double factor = std::round(255 * math::minimum(math::maximum(x + 3, 0.0), 6.0) / 6) / 255;
        const double wanted = math::minimum(x * factor / 0.05 + 3, 255.0);
        CHECK(math::absolute(work.table[static_cast<std::size_t>(byte)] - wanted) < 0.501 + 0.004 * x / 0.05);
    }
}

TEST_CASE("A table that others lead past stays where something else reads it") {
    graph model;
    output_ref gate;
    model.result(gated_by_quantized(model, model.parameter(u8, shape{2, 8}, "x"), gate));
    model.result(gate);
    const plan::network net = plan_of(model);
    REQUIRE(kernels_of(net) == names{"lookup_scalar_U8", "lookup_scalar_U8"});
    for (const plan::step& each : net.steps) {
        CHECK(each.reads == std::vector<plan::tensor_id>{net.inputs[0].tensor});
    }
}

TEST_CASE("A table that several others include is gone, and its operations are those of each; tables include any "
          "number of others") {
    graph model;
    const output_ref data = model.parameter(u8, shape{2, 8}, "x");
    const output_ref real = multiplied(model, model.add(op::convert{f32}, {data}), make_scalar(f32, 0.05));
    const output_ref gate = quantize(model, model.add(op::hsigmoid{}, {real}), u8, 1 / 255.0, 0);
    const output_ref factor = multiplied(model, model.add(op::convert{f32}, {gate}), make_scalar(f32, 1 / 255.0));
    const output_ref product = quantize(model, model.add(op::multiply{}, {real, factor}), u8, 0.05, 3);
    const output_ref again = multiplied(model, model.add(op::convert{f32}, {product}), make_scalar(f32, 0.05));
    model.result(quantize(model, model.add(op::multiply{}, {again, factor}), u8, 0.05, 0));
    const plan::network net = plan_of(model);
    REQUIRE(kernels_of(net) == names{"lookup_scalar_U8"});
    for (const node_id id : {gate.node, product.node}) {
        CHECK(std::count(net.steps[0].nodes.begin(), net.steps[0].nodes.end(), id) == 1);
    }
    model.result(quantize(model, model.add(op::subtract{}, {real, factor}), u8, 0.05, 0));
    const plan::network two = plan_of(model);
    REQUIRE(kernels_of(two) == names{"lookup_scalar_U8", "lookup_scalar_U8"});
    for (const plan::step& each : two.steps) {
        CHECK(std::count(each.nodes.begin(), each.nodes.end(), gate.node) == 1);
    }
}

TEST_CASE("A function of bytes and of the same bytes turned is no table") {
    graph model;
    const output_ref data = model.parameter(u8, shape{4, 4}, "x");
    const output_ref real = multiplied(model, model.add(op::convert{f32}, {data}), make_scalar(f32, 0.1));
    const output_ref turned = model.add(op::transpose{}, {real, model.constant(make_indices({1, 0}))});
    model.result(quantize(model, model.add(op::multiply{}, {real, turned}), u8, 0.5, 0));
    const plan::network net = plan_of(model);
    for (const plan::step& each : net.steps) {
        CHECK_FALSE(std::holds_alternative<plan::lookup_step>(each.work));
    }
}

TEST_CASE("The reference computes in the type of its real data, moving steps have the type that they move") {
    graph model;
    const output_ref data = model.parameter(f8e4m3, shape{2, 8}, "x");
    const output_ref bytes = model.parameter(u8, shape{2, 8}, "y");
    model.result(model.add(op::greater{}, {data, data}));
    model.result(model.add(op::reduce_max{}, {bytes, model.constant(make_indices({1}))}));
    model.result(model.add(op::transpose{}, {bytes, model.constant(make_indices({1, 0}))}));
    const plan::network net = plan_of(model);
    REQUIRE(kernels_of(net) == names{"gather_U8", "reference_U8", "reference_FP32"});
    CHECK(net.steps[0].precision == u8);
    CHECK(net.steps[1].precision == u8);
    CHECK(net.steps[2].precision == f8e4m3);
}

TEST_CASE("Kernels for any numbers compute in the type of their real data, or of what they give") {
    graph model;
    const output_ref data = model.parameter(f32, shape{2, 8}, "x");
    const output_ref counts = model.parameter(i64, shape{2, 8}, "n");
    const node_id is_larger = model.add(op::greater{}, {data, data});
    model.result(model.add(op::select{}, {is_larger, counts, model.add(op::negative{}, {counts})}));
    const plan::network net = plan_of(model);
    REQUIRE(kernels_of(net) == names{"pointwise_scalar_FP32", "pointwise_scalar_FP32", "pointwise_scalar_FP32"});
    std::vector<element> types;
    for (const plan::step& each : net.steps) {
        types.push_back(each.precision);
    }
    CHECK(std::count(types.begin(), types.end(), f32) == 1);
    CHECK(std::count(types.begin(), types.end(), i64) == 2);
}

TEST_CASE("Two readers of an intermediate value end a step before them") {
    graph model;
    const output_ref input = model.parameter(f32, shape{1, 3, 6, 6}, "x");
    const output_ref value =
        multiplied(model, convolved(model, quantize(model, input, u8, 0.1, 0), weights, 1), scales);
    model.result(model.add(op::relu{}, {value}));
    model.result(model.add(op::sigmoid{}, {value}));
    const plan::network net = plan_of(model);
    CHECK(net.steps[2].nodes.size() == 2);
    CHECK(net.steps.size() == 6);
}

TEST_CASE("A residual sum is part of the convolution's step, and reads the low precision tensor") {
    graph model;
    const output_ref input = model.parameter(f32, shape{1, 3, 6, 6}, "x");
    const output_ref data = quantize(model, input, u8, 0.1, 0);
    const tensor square = numbers(i8, shape{3, 3, 1, 1}, -100, 29, 100);
    const output_ref value = multiplied(model, convolved(model, data, square, 0), make_scalar(f32, 0.01));
    const output_ref other = multiplied(model, shifted(model, data, make_scalar(u8, 3)), make_scalar(f32, 0.1));
    model.result(quantize(model, model.add(op::add{}, {value, other}), i8, 0.05, 0));
    const plan::network net = plan_of(model);
    REQUIRE(kernels_of(net) == names{"convert_scalar_U8", "reorder", "direct_scalar_I8", "reorder"});
    const auto& work = std::get<plan::convolution_step>(net.steps[2].work);
    REQUIRE(work.finish.posts.size() == 2);
    CHECK(work.finish.posts[0].kind == kernel::post_kind::add_residual);
    CHECK(work.finish.posts[0].residual.tensor == work.input);
    CHECK(work.finish.posts[0].a.values[0] == doctest::Approx(0.1));
    CHECK(work.finish.bias.values[0] == doctest::Approx(-0.3));
}

TEST_CASE("Integers in f32 weights are weights of 8 bits with a zero point a channel") {
    plan::integer_weights result;
    const tensor values = make_tensor(f32, shape{2, 2}, {0, 255, -130, 0});
    REQUIRE(plan::integer_weights_of(values, 2, [](std::size_t i) { return i / 2; }, result));
    CHECK(result.values.type() == i8);
    CHECK(result.zero_points == std::vector<std::int32_t>{-128, 2});
    CHECK(reals_of(result.values) == seq<double>{-128, 127, -128, 2});
    REQUIRE(plan::integer_weights_of(
        make_tensor(f32, shape{2, 2}, {20, 150, -200, -30}), 2, [](std::size_t i) { return i / 2; }, result));
    CHECK(result.zero_points == std::vector<std::int32_t>{-23, 72});
    CHECK(reals_of(result.values) == seq<double>{-3, 127, -128, 42});
    CHECK_FALSE(
        plan::integer_weights_of(make_tensor(f32, shape{2}, {0.5, 1}), 1, [](std::size_t) { return 0u; }, result));
    CHECK_FALSE(
        plan::integer_weights_of(make_tensor(f32, shape{2}, {0, 256}), 1, [](std::size_t) { return 0u; }, result));
}

TEST_CASE("Integers that fit into 4 bits are weights of 4 bits, with one zero point where one is enough") {
    plan::integer_weights result;
    const auto channel = [](std::size_t i) { return i / 2; };
    REQUIRE(plan::integer_weights_of(make_tensor(i4, shape{2, 2}, {-8, 7, 0, 3}), 2, channel, result));
    CHECK(result.four_bits);
    CHECK(result.zero_points.empty());
    CHECK(reals_of(result.values) == seq<double>{-8, 7, 0, 3});
    REQUIRE(plan::integer_weights_of(make_tensor(u4, shape{2, 2}, {0, 15, 3, 9}), 2, channel, result));
    CHECK(result.four_bits);
    CHECK(result.zero_points == std::vector<std::int32_t>{-8, -8});
    CHECK(reals_of(result.values) == seq<double>{-8, 7, -5, 1});
    REQUIRE(plan::integer_weights_of(make_tensor(f32, shape{2, 2}, {-15, 0, -1, 14}), 2, channel, result));
    CHECK(result.four_bits);
    CHECK(result.zero_points == std::vector<std::int32_t>{7, -7});
    CHECK(reals_of(result.values) == seq<double>{-8, 7, -8, 7});
    REQUIRE(plan::integer_weights_of(make_tensor(i8, shape{2, 2}, {-9, 0, 1, 2}), 2, channel, result));
    CHECK_FALSE(result.four_bits);
    REQUIRE(plan::integer_weights_of(
        make_tensor(f32, shape{2, 2}, {-9, 0, 1, 8}), 1, [](std::size_t) { return 0u; }, result));
    CHECK_FALSE(result.four_bits);
}

TEST_CASE("Zero points of channels become a margin") {
    graph model;
    const output_ref input = model.parameter(f32, shape{1, 3, 6, 6}, "x");
    const tensor zero_points = make_tensor(u8, shape{1, 3, 1, 1}, {3, 100, 255});
    const output_ref data = shifted(model, quantize(model, input, u8, 0.1, 0), zero_points);
    model.result(multiplied(model, convolved(model, data, weights, 1), scales));
    CHECK(kernels_of(plan_of(model)) ==
          names{"convert_scalar_U8", "reorder", "margin_U8", "direct_scalar_I8", "reorder"});
}

TEST_CASE("Without a margin zero points of channels need no step of their own") {
    graph model;
    const output_ref input = model.parameter(f32, shape{1, 3, 6, 6}, "x");
    const tensor zero_points = make_tensor(u8, shape{1, 3, 1, 1}, {3, 100, 255});
    const output_ref data = shifted(model, quantize(model, input, u8, 0.1, 0), zero_points);
    model.result(multiplied(model, convolved(model, data, weights, 0), scales));
    CHECK(kernels_of(plan_of(model)) == names{"convert_scalar_U8", "reorder", "direct_scalar_I8", "reorder"});
}

TEST_CASE("Constants are folded, whatever their marks say") {
    graph model;
    const output_ref input = model.parameter(f32, shape{1, 2}, "x");
    const node_id sum = model.add(op::add{}, {scalar(model, 1), scalar(model, 2)});
    model.set_mark(sum, mark::disabled_constant_folding);
    const node_id softmax = model.add(op::softmax{0}, {model.constant(make_tensor(f32, shape{2}, {1, 1}))});
    model.result(model.add(op::multiply{}, {model.add(op::add{}, {input, sum}), softmax}));
    const plan::network net = plan_of(model);
    REQUIRE(kernels_of(net) == names{"convert_scalar_FP32"});
    const auto& work = std::get<plan::elementwise_step>(net.steps[0].work);
    CHECK(work.finish.scale.values[0] == 0.5f);
    CHECK(work.finish.bias.values[0] == 1.5f);
}

TEST_CASE("What cannot join a chain leaves it as it was") {
    graph model;
    const output_ref input = model.parameter(f32, shape{1, 64}, "x");
    const output_ref sum = added(model, model.add(op::relu{}, {input}), make_scalar(f32, 1));
    model.result(model.add(op::convert{u8}, {sum}));
    const plan::network net = plan_of(model);
    REQUIRE(net.steps.size() == 2);
    CHECK(net.steps[0].nodes.size() == 2);
    const auto& work = std::get<plan::elementwise_step>(net.steps[0].work);
    CHECK(work.finish.type == f32);
    CHECK(work.finish.posts.size() == 2);
}

TEST_CASE("No more than so many operations in a row are one dequantization") {
    for (const std::size_t count : {plan::longest_dequantization - 1, plan::longest_dequantization}) {
        graph model;
        output_ref value = model.add(op::convert{f32}, {model.parameter(u8, shape{1, 64}, "x")});
        for (std::size_t i = 0; i < count; ++i) {
            value = multiplied(model, value, make_scalar(f32, 1.5));
        }
        CHECK(plan::is_dequantization(model, value) == (count < plan::longest_dequantization));
    }
}

TEST_CASE("Blocks that live at the same time have bytes of their own, others share") {
    graph model;
    output_ref value = model.parameter(f32, shape{1, 1000}, "x");
    const output_ref axis = model.constant(make_integer_tensor(i64, shape{}, {1}));
    for (int i = 0; i < 6; ++i) {
        value = model.add(op::cum_sum{}, {value, axis});
    }
    model.result(value);
    const plan::network net = plan_of(model);
    CHECK(net.steps.size() == 6);
    CHECK(net.arena_bytes >= 2 * 4000);
    CHECK(net.arena_bytes < 3 * 4000);
    for (const plan::step& each : net.steps) {
        const plan::storage& from = net.storage_of(each.reads[0]);
        const plan::storage& to = net.storage_of(each.writes[0]);
        CHECK((from.where != plan::area::arena || from.offset != to.offset));
    }
}

TEST_CASE("Elementwise steps and softmaxes write where they read when nothing else reads there") {
    graph model;
    const output_ref value = model.add(op::softmax{1}, {model.parameter(f32, shape{1, 1000}, "x")});
    model.result(model.add(op::softmax{1}, {model.add(op::sigmoid{}, {value})}));
    CHECK(plan_of(model).arena_bytes < 2 * 4000);
}

TEST_CASE("Tables of where elements come from are made where there is memory for them") {
    constexpr std::size_t elements = 2000;
    for (const std::size_t limit : {16 * elements, 16 * elements - 1}) {
        graph model;
        const output_ref repeats = model.constant(make_indices({1, 1000}));
        model.result(model.add(op::tile{}, {model.parameter(f32, shape{1, 2}, "x"), repeats}));
        plan::plan_options options{&kernel::table_for(kernel::isa::scalar), 1};
        options.memory_limit = limit;
        const plan::network net = plan::make_plan(std::move(model), options);
        REQUIRE(net.steps.size() == 1);
        CHECK(std::holds_alternative<plan::gather_step>(net.steps[0].work) == (limit == 16 * elements));
    }
}

TEST_CASE("Sizes that are not known are refused by name") {
    graph model;
    model.result(model.add(op::relu{}, {model.parameter(f32, shape{-1, 2}, "data")}));
    CHECK_THROWS_WITH_AS(
        plan_of(model),
        "input 0 'data' has the type f32 and the shape [?,2]; a network is planned for known types and sizes", error);
}

TEST_CASE("Type-relaxed operations of a variable that take another type than the variable's are refused") {
    graph model;
    const op::read_value what{"v", f32, shape{2}};
    const output_ref halves = model.constant(make_tensor(f16, shape{2}, {1, 2}));
    model.result(model.add_relaxed(what, {halves}, {{f32}, {f32}}));
    CHECK_THROWS_WITH_AS(plan_of(model), "ReadValue: variable 'v' has the type f32, and elsewhere f16", error);

    graph writing;
    const output_ref bytes = writing.parameter(u8, shape{2}, "x");
    writing.result(writing.add_relaxed(op::assign{"v"}, {bytes}, {{f32}, {f32}}));
    CHECK_THROWS_WITH_AS(plan_of(writing), "Assign: variable 'v' has the type f32, and elsewhere u8", error);
}

TEST_CASE("Windows with so many taps that bytes leave 32 bits have no kernel") {
    for (const std::int64_t size : {std::int64_t{8}, (std::int64_t{1} << 23) + 1}) {
        graph model;
        op::avg_pool what;
        what.kernel = {size, 1};
        what.strides = {1, 1};
        what.pads_begin = {size - 1, 0};
        what.pads_end = {0, 0};
        model.result(model.add(what, {model.parameter(f32, shape{1, 3, 2, 2}, "x")}));
        const plan::network net = plan_of(model);
        CHECK(has_pool(net) == (size == 8));
    }
    for (const std::int64_t pixels : {1000, 4000}) {
        graph model;
        op::reduce_max what;
        what.keep_dims = true;
        model.result(model.add(
            what, {model.parameter(u8, shape{1, 1, pixels, pixels}, "x"), model.constant(make_indices({2, 3}))}));
        const plan::network net = plan_of(model);
        CHECK(has_pool(net) == (pixels == 1000));
    }
}

TEST_CASE("Padding of which kernels cannot count the bytes is refused with the operation's name") {
    graph model;
    op::convolution what;
    what.strides = {1, INT32_MAX};
    what.dilations = {1, 1};
    what.pads_begin = {0, INT32_MAX};
    what.pads_end = {0, INT32_MAX};
    const output_ref kernels = model.constant(make_tensor(f32, shape{1, 1, 1, 2}, {1}));
    model.result(model.add(what, {model.parameter(f32, shape{1, 1, std::int64_t{1} << 25, 8}, "x"), kernels}, "wide"));
    CHECK_THROWS_WITH_AS(plan_of(model), "Convolution 'wide': 15.9 EiB of memory cannot be allocated", error);
}

TEST_CASE("A pattern that copies sizes and asks for more elements than there are has no plan") {
    graph model;
    const node_id x = model.parameter(f32, shape{1, 4, 1, 1}, "x");
    model.result(model.add(op::reshape{.special_zero = true}, {x, model.constant(make_indices({0, 4, 281}))}, "more"));
    CHECK_THROWS_AS(plan_of(model), error);
}
