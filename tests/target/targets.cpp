// SPDX-License-Identifier: Apache-2.0
#include <lpt/target/composition.hpp>
#include <lpt/target/cpu_arm.hpp>
#include <lpt/target/cpu_x86.hpp>
#include <lpt/target/cpu_x86_amx.hpp>
#include <lpt/target/gpu.hpp>
#include <lpt/target/tflite.hpp>

#include <lpt/pipeline/transform.hpp>

#include <doctest/doctest.h>

#include "tests/support/report_rows.hpp"

using namespace lpt;

namespace {

seq<element, 8> accepted(const restriction_table& table, op::kind operation, int port) {
    const port_types* found = table.precisions_on(operation, port);
    return found == nullptr ? seq<element, 8>() : found->types;
}

using types = seq<element, 8>;

}  // namespace

TEST_CASE("x86: convolutions take u8, with matrix units i8 too") {
    CHECK(accepted(cpu_x86, op::kind::convolution, 0) == types{u8});
    CHECK(accepted(cpu_x86, op::kind::group_convolution, 0) == types{u8});
    CHECK(accepted(cpu_x86, op::kind::convolution_backprop_data, 0) == types{u8, i8});
    CHECK(accepted(cpu_x86_amx, op::kind::convolution, 0) == types{u8, i8});
    CHECK(accepted(cpu_x86_amx, op::kind::group_convolution, 0) == types{u8, i8});
    CHECK(accepted(cpu_x86, op::kind::mat_mul, 1) == types{i8});
}

TEST_CASE("gpu: recurrent sequences are not quantized, matrix products not restricted") {
    CHECK(gpu.table().excludes(op::kind::lstm_sequence));
    CHECK(gpu.table().excludes(op::kind::gru_sequence));
    CHECK_FALSE(gpu.table().restricts(op::kind::mat_mul));
}

TEST_CASE("ARM: both inputs of a matrix product have one signed type") {
    const restriction_table table = cpu_arm;
    REQUIRE(table.precisions_on(op::kind::mat_mul, 0) != nullptr);
    CHECK(table.precisions_on(op::kind::mat_mul, 0)->ports == seq<std::int32_t, 8>{0, 1});
    CHECK(accepted(cpu_arm, op::kind::mat_mul, 0) == types{i8});
    CHECK(accepted(cpu_arm, op::kind::mat_mul, 1) == types{i8});
}

TEST_CASE("tflite: operations with a row take i8, as far as low precision reaches them") {
    constexpr auto table = &tflite_restrictions;
    static_assert(table().restricts(op::kind::convolution) && table().restricts(op::kind::concat));
    CHECK(accepted(table(), op::kind::convolution, 0) == types{i8});
    CHECK(accepted(table(), op::kind::convolution, 1) == types{i8});
    CHECK(accepted(table(), op::kind::add, 1) == types{i8});
    CHECK(accepted(table(), op::kind::max_pool, 0) == types{i8});
    CHECK_FALSE(table().restricts(op::kind::softmax));  // stays in floating point anyway
    CHECK_FALSE(table().restricts(op::kind::convolution_backprop_data));  // has no row
    CHECK_NOTHROW(check_restrictions(table()));
}

TEST_CASE("tflite: activations have one scale, weights as many as the row allows") {
    for (const granularity_row& row : tflite_restrictions().granularities) {
        CHECK(row.value == attribute::granularity::per_tensor);
        if (row.operation == op::kind::convolution) {
            CHECK(row.ports == seq<std::int32_t, 8>{0});
        }
    }
}

TEST_CASE("tflite: a Concat takes i8 on all of its inputs") {
    graph model;
    const node_id data = model.parameter(f32, shape{1, 2}, "in");
    const node_id joined = model.add(op::concat{1}, {data, data, data});
    seq<port_types> found;
    CHECK(tflite_restrictions().precisions_of(model, joined, found));
    REQUIRE(found.size() == 1);
    CHECK(found[0].ports == seq<std::int32_t, 8>{0, 1, 2});
    CHECK(found[0].types == types{i8});
}

TEST_CASE("All targets want convolution inputs quantized per tensor") {
    const restriction_table tables[] = {cpu_x86, cpu_x86_amx, cpu_arm, gpu};
    for (const restriction_table& table : tables) {
        CHECK(table.granularities[0].operation == op::kind::convolution);
        CHECK(table.granularities[0].ports == seq<std::int32_t, 8>{0});
    }
}

namespace {

/// u8 data with a scale -> ConvolutionBackpropData with weights [8, 16, 3, 3] -> Result.
graph transposed_convolution(double weights_zero_point, dimension channels = 8) {
    graph model;
    const node_id data = model.parameter(u8, shape{1, channels, 4, 4}, "in");
    const node_id scaled =
        model.add(op::multiply{}, {model.add(op::convert{f32}, {data}), model.constant(make_scalar(f32, 0.5))});
    tensor_builder values(i8, shape{channels, 16, 3, 3});
    for (std::size_t i = 0; i < values.elements(); ++i) {
        values.integer(i, static_cast<std::int64_t>(i % 11) - 5);
    }
    output_ref weights = model.add(op::convert{f32}, {model.constant(values.finish())});
    if (weights_zero_point != 0) {
        weights = model.add(op::subtract{}, {weights, model.constant(make_scalar(f32, weights_zero_point))});
    }
    weights = model.add(op::multiply{}, {weights, model.constant(make_scalar(f32, 0.25))});
    const op::convolution_backprop_data window{
        .strides = {1, 1}, .dilations = {1, 1}, .pads_begin = {0, 0}, .pads_end = {0, 0}};
    model.result(model.add(window, {scaled, weights}, "layer"));
    return model;
}

text reason_of(const report& all, text_view name) { return test::row_of(all, name).reason; }

/// Quantized data -> MaxPool -> Result.
graph pooled() {
    graph model;
    const node_id data = model.parameter(u8, shape{1, 2, 4, 4}, "in");
    const node_id scaled =
        model.add(op::multiply{}, {model.add(op::convert{f32}, {data}), model.constant(make_scalar(f32, 0.5))});
    const op::max_pool window{.strides = {2, 2}, .pads_begin = {0, 0}, .pads_end = {0, 0}, .kernel = {2, 2}};
    model.result(model.add(window, {scaled}, "pool", 1));
    return model;
}

bool always(const rewrite&, node_id) { return true; }
void scaling(transformation_options& options) { options.scaling_mode = true; }

}  // namespace

TEST_CASE(
    "x86: a transposed convolution with a zero point on its weights stays in floating point, and the report says why") {
    graph symmetric = transposed_convolution(0);
    CHECK(reason_of(transform(symmetric, cpu_x86), "layer").empty());
    graph asymmetric = transposed_convolution(3);
    CHECK(reason_of(transform(asymmetric, cpu_x86), "layer") ==
          "a callback keeps ConvolutionBackpropDataTransformation away");
    graph everywhere = transposed_convolution(3);
    CHECK(reason_of(transform(everywhere, cpu_x86.table()), "layer").empty());  // its restrictions alone
}

TEST_CASE("gpu: transposed convolutions need whole vectors of channels") {
    graph whole = transposed_convolution(0);
    CHECK(reason_of(transform(whole, gpu), "layer").empty());
    graph odd = transposed_convolution(0, 6);
    CHECK(reason_of(transform(odd, gpu), "layer") == "a callback keeps ConvolutionBackpropDataTransformation away");
}

TEST_CASE("ARM: pooling is disabled, and the report names what is disabled") {
    graph model = pooled();
    CHECK(reason_of(transform(model, cpu_arm), "pool") == "MaxPoolTransformation is disabled");
    graph other = pooled();
    CHECK(reason_of(transform(other, cpu_arm.enabling<max_pool_transformation>()), "pool").empty());
}

TEST_CASE("a target of one's own: rows replaced, others kept") {
    constexpr auto mine =
        cpu_x86.restricting<precisions<op::convolution, on<0, i8>, on<1, i8>>, precisions<op::avg_pool, on<0, u8>>>();
    CHECK(accepted(mine, op::kind::convolution, 0) == types{i8});
    CHECK(accepted(mine, op::kind::avg_pool, 0) == types{u8});
    CHECK(accepted(mine, op::kind::group_convolution, 0) == types{u8});
    CHECK(mine.table().granularities.size() == 2);  // another sort of restriction of the same operations
    CHECK(mine.options().callbacks.size() == cpu_x86.options().callbacks.size());
    constexpr auto fewer = mine.not_restricting<op::convolution, op::lstm_sequence>();
    CHECK_FALSE(fewer.table().restricts(op::kind::convolution));
    CHECK(fewer.table().granularities.size() == 1);
}

TEST_CASE("targets override and intersect each other") {
    constexpr auto overridden = cpu_x86 | restrictions<precisions<op::convolution, on<0, i8>, on<1, i8>>>{};
    CHECK(overridden.table() == cpu_x86.restricting<precisions<op::convolution, on<0, i8>, on<1, i8>>>().table());
    CHECK(overridden.options().callbacks.size() == cpu_x86.options().callbacks.size());
    constexpr auto both = intersect(cpu_x86, cpu_x86_amx);
    CHECK(both.table() == cpu_x86.table());  // which is the narrower one
    CHECK(accepted(intersect(cpu_x86, cpu_arm), op::kind::mat_mul, 0) == types{i8});
    CHECK_NOTHROW(check_restrictions(intersect(cpu_x86, gpu)));
    CHECK(without<op::convolution>(cpu_x86).table() == cpu_x86.not_restricting<op::convolution>().table());
    CHECK((cpu_x86 | gpu).options().callbacks.size() ==
          cpu_x86.options().callbacks.size() + gpu.options().callbacks.size());
}

TEST_CASE("a target of one's own: callbacks, disabled transformations and options") {
    constexpr auto mine = cpu_x86.skipping<max_pool_transformation, always>()
                              .enabling<multiply_to_group_convolution_transformation>()
                              .disabling<mat_mul_transformation>()
                              .with_options<scaling>();
    const target all = mine;
    CHECK(all.options.scaling_mode);
    CHECK(all.options.disabled == seq<text_view, 8>{mat_mul_transformation::name});
    CHECK(all.options.callbacks.size() == cpu_x86.options().callbacks.size() + 1);
    const target less = mine.not_skipping<max_pool_transformation, add_transformation>();
    CHECK(less.options.callbacks.size() == all.options.callbacks.size() - 2);
    CHECK(less.options.disabled == all.options.disabled);
    graph model = pooled();
    CHECK(reason_of(transform(model, mine), "pool") == "a callback keeps MaxPoolTransformation away");
    graph other = pooled();
    CHECK(reason_of(transform(other, less), "pool").empty());
}

TEST_CASE("options of the user stand in the place of the target's, whose callbacks stay") {
    transformation_options own;
    own.update_precisions = false;
    graph model = pooled();
    CHECK(reason_of(transform(model, cpu_x86.skipping<max_pool_transformation, always>(), own), "pool") ==
          "a callback keeps MaxPoolTransformation away");
}

namespace {

/// i8 data with a scale -> Convolution with stored weights of one value -> Result.
graph convolution_of(std::int64_t weight, double weights_zero_point = 0) {
    graph model;
    const node_id data = model.parameter(i8, shape{1, 2, 4, 4}, "in");
    const node_id scaled =
        model.add(op::multiply{}, {model.add(op::convert{f32}, {data}), model.constant(make_scalar(f32, 0.5))});
    tensor_builder values(i8, shape{3, 2, 1, 1});
    for (std::size_t i = 0; i < values.elements(); ++i) {
        values.integer(i, weight);
    }
    output_ref weights = model.add(op::convert{f32}, {model.constant(values.finish())});
    if (weights_zero_point != 0) {
        weights = model.add(op::subtract{}, {weights, model.constant(make_scalar(f32, weights_zero_point))});
    }
    weights = model.add(op::multiply{}, {weights, model.constant(make_scalar(f32, 0.25))});
    const op::convolution window{.strides = {1, 1}, .dilations = {1, 1}, .pads_begin = {0, 0}, .pads_end = {0, 0}};
    model.result(model.add(window, {scaled, weights}, "layer"));
    return model;
}

}  // namespace

TEST_CASE("tflite: weights with a zero point or with the code -128 stay in floating point") {
    graph fits = convolution_of(-127);
    CHECK(reason_of(transform(fits, tflite_specification), "layer").empty());
    graph lowest = convolution_of(-128);
    CHECK(reason_of(transform(lowest, tflite_specification), "layer") ==
          "a callback keeps ConvolutionTransformation away");
    graph asymmetric = convolution_of(5, 3);
    CHECK(reason_of(transform(asymmetric, tflite_specification), "layer") ==
          "a callback keeps ConvolutionTransformation away");
}
