// SPDX-License-Identifier: Apache-2.0
#include <lpt/pipeline/prepare.hpp>

#include <lpt/graph/compare.hpp>
#include <lpt/graph/verify.hpp>

#include <doctest/doctest.h>

#include "tests/support/small_graph.hpp"

#include <utility>

using namespace lpt;
using test::output, test::scalar;

namespace {

/// in -> FakeQuantize -> Convert u8 -> Convert f32 -> [Subtract] -> Multiply.
constexpr node_id quantize_dequantize(graph& model, output_ref data, double zero_point, view<double> scale,
                                      shape scale_shape) {
    const node_id quantize = model.add(
        op::fake_quantize{256}, {data, scalar(model, 0), scalar(model, 1), scalar(model, 0), scalar(model, 255)});
    output_ref last = model.add(op::convert{f32}, {model.add(op::convert{u8}, {quantize})});
    if (zero_point != 0) {
        last = model.add(op::subtract{}, {last, model.add(op::convert{f32}, {scalar(model, zero_point, u8)})});
    }
    return model.add(op::multiply{}, {last, model.constant(make_tensor(f32, std::move(scale_shape), scale))},
                     "dequantized");
}

/// Weights i8 [2,3] -> Convert -> Subtract f32 zero point -> Multiply.
constexpr node_id weights(graph& model, double zero_point) {
    const node_id stored = model.constant(make_tensor(i8, shape{2, 3}, {1, 2, 3, 4, 5, 6}));
    const node_id convert = model.add(op::convert{f32}, {stored});
    return model.add(op::multiply{},
                     {model.add(op::subtract{}, {convert, scalar(model, zero_point)}), scalar(model, 0.5)});
}

constexpr bool quantized_weights_stay() {
    graph model;
    model.result(model.add(op::mat_mul{}, {model.parameter(f32, shape{1, 2}), weights(model, 1)}));
    prepare(model);
    const node_id multiply = model.producer(output(model), 1);
    const node_id subtract = model.producer(multiply, 0);
    const node_id zero_point = model.producer(subtract, 1);
    return model[multiply].is<op::multiply>() && model[subtract].is<op::subtract>() &&
           model.type(model[model.producer(subtract, 0)].input(0)) == i8 && model[zero_point].is<op::convert>() &&
           model.type(model[zero_point].input(0)) == i8;
}
static_assert(quantized_weights_stay());

}  // namespace

TEST_CASE("newer versions become those that the rules match, and constants fold") {
    graph model;
    const node_id data = model.parameter(f32, shape{1, 2, 4, 4});
    const node_id pool = model.add(
        op::max_pool{.strides = {2, 2}, .pads_begin = {0, 0}, .pads_end = {0, 0}, .kernel = {2, 2}}, {data}, "pool", 8);
    const node_id sum = model.add(op::add{}, {scalar(model, 1), scalar(model, 2)});
    model.result(model.add(op::multiply{}, {pool, sum}));
    prepare(model);
    verify(model);
    CHECK(model[model.producer(output(model), 0)].version() == 1);
    CHECK(model.constant_value(model[output(model)].input(1))->real(0) == 3);
}

TEST_CASE("a pair of quantize and dequantize that the rules can use stays, another becomes one FakeQuantize") {
    graph usable;
    usable.result(quantize_dequantize(usable, usable.parameter(f32, shape{1, 3, 2, 2}), 3, {0.1}, {}));
    prepare(usable);
    CHECK(usable[output(usable)].is<op::multiply>());
    CHECK(usable[output(usable)].has(mark::dequantization_node));

    graph other;  // 16 bits: no rule uses the pair, a FakeQuantize can be executed
    const node_id quantize =
        other.add(op::fake_quantize{65536}, {other.parameter(f32, shape{1, 3, 2, 2}), scalar(other, 0),
                                             scalar(other, 1), scalar(other, 0), scalar(other, 65535)});
    const node_id low = other.add(op::convert{u16}, {quantize});
    const node_id subtract = other.add(
        op::subtract{}, {other.add(op::convert{f32}, {low}), other.add(op::convert{f32}, {scalar(other, 3, u16)})});
    other.result(other.add(op::multiply{}, {subtract, scalar(other, 0.1)}, "dequantized"));
    prepare(other);
    verify(other);
    REQUIRE(other[output(other)].is<op::fake_quantize>());
    CHECK(other[output(other)].name() == "dequantized");
    for (std::size_t port = 1; port < 5; ++port) {
        CHECK(other.constant_value(other[output(other)].input(port)) != nullptr);
    }
}

TEST_CASE("shapes that follow from folded constants are known afterwards") {
    graph model;
    const node_id sizes =
        model.add(op::power{}, {model.constant(make_indices({2, 3})), model.constant(make_indices({1}))});
    const node_id reshaped = model.add(op::reshape{}, {model.parameter(f32, shape{6}), sizes}, "reshaped");
    model.result(reshaped);
    CHECK(model.shape(reshaped).is_dynamic());
    prepare(model);
    verify(model);
    CHECK(model.shape(reshaped) == shape{2, 3});
}

TEST_CASE("values that are folded and that an operation cannot take are an error, and the graph stays as it was") {
    graph model;
    const node_id axis = model.add(op::power{}, {scalar(model, 2, i64), scalar(model, 7, i64)});
    model.result(model.add(op::cum_sum{}, {model.parameter(f32, shape{1, 3}), axis}, "sums"));
    const std::size_t size = model.size();
    CHECK_THROWS_WITH_AS(prepare(model), "CumSum 'sums': axis 128 is outside the rank of data of shape [1,3]", error);
    CHECK(model.size() == size);
    verify(model);
}

TEST_CASE("preparing twice changes nothing more") {
    graph model;
    model.result(model.add(op::mat_mul{}, {quantize_dequantize(model, model.parameter(f32, shape{1, 2}), 3, {0.1}, {}),
                                           weights(model, 1)}));
    prepare(model);
    graph again = model;
    prepare(again);
    CHECK(again.size() == model.size());
    CHECK(difference(model, again).empty());
}

TEST_CASE("what the user switches off does not run") {
    graph model;
    const node_id data = model.parameter(f32, shape{1, 2, 4, 4});
    const node_id pool = model.add(
        op::max_pool{.strides = {2, 2}, .pads_begin = {0, 0}, .pads_end = {0, 0}, .kernel = {2, 2}}, {data}, "pool", 8);
    model.result(pool);
    transformation_options options;
    options.disabled.push_back(convert_max_pool::name);
    prepare(model, options);
    CHECK(model[output(model)].version() == 8);
}
