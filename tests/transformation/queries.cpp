// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/queries.hpp>

#include <doctest/doctest.h>

#include "tests/support/small_graph.hpp"

#include <utility>

using namespace lpt;
using test::scalar;

namespace {

constexpr bool asymmetric(graph& model, output_ref weights) {
    const op::convolution window{.strides = {1, 1}, .dilations = {1, 1}, .pads_begin = {0, 0}, .pads_end = {0, 0}};
    const node_id layer = model.add(window, {model.parameter(f32, shape{1, 3, 4, 4}), weights});
    const std::size_t size = model.size();
    const bool result = is_asymmetric_on_weights(model, layer, int8_precisions);
    return result && model.size() == size;  // a question changes nothing
}
constexpr bool quantized_is_asymmetric(std::int64_t levels, double low, double high) {
    graph model;
    const node_id least = scalar(model, low);
    const node_id most = scalar(model, high);
    return asymmetric(model, model.add(op::fake_quantize{levels},
                                       {model.constant(make_tensor(f32, shape{6, 3, 1, 1}, view<double>({1}))), least,
                                        most, least, most}));
}
enum class zero_point_form { none, real, converted };
constexpr bool stored_is_asymmetric(zero_point_form form, double value, element stored = i8) {
    graph model;
    output_ref last = model.constant(make_tensor(stored, shape{6, 3, 1, 1}, view<double>({5})));
    if (stored != f32) {
        last = model.add(op::convert{f32}, {last});
    }
    if (form == zero_point_form::real) {
        last = model.add(op::subtract{}, {last, scalar(model, value)});
    } else if (form == zero_point_form::converted) {
        last = model.add(op::subtract{}, {last, model.add(op::convert{f32}, {scalar(model, value, stored)})});
    }
    return asymmetric(model, model.add(op::multiply{}, {last, scalar(model, 0.1)}));
}

/// The questions about a Multiply of data by a constant of these shapes.
struct scaled_constant {
    graph model;
    node_id multiply = node_id::none;
    constexpr scaled_constant(shape data, shape constant, bool constant_first = false) {
        const node_id left = model.parameter(f32, std::move(data));
        const node_id right = model.constant(make_tensor(f32, std::move(constant), view<double>({2})));
        if (constant_first) {
            multiply = model.add(op::multiply{}, {right, left});
        } else {
            multiply = model.add(op::multiply{}, {left, right});
        }
    }
    constexpr bool can_be_convolution() const { return can_be_transformed_to_group_convolution(model, multiply); }
    constexpr bool is_scalar() const { return is_dynamic_or_scalar(model, multiply); }
};
static_assert(scaled_constant({1, 3, 4, 4}, {1, 3, 1, 1}).can_be_convolution());

}  // namespace

TEST_CASE("weights of a FakeQuantize are asymmetric where no type has the form of their range") {
    CHECK_FALSE(quantized_is_asymmetric(256, -1.28, 1.27));
    CHECK_FALSE(quantized_is_asymmetric(255, -1.27, 1.27));
    CHECK(quantized_is_asymmetric(256, -1.27, 1.27));
    CHECK_FALSE(quantized_is_asymmetric(256, 0, 2.55));
    CHECK(quantized_is_asymmetric(256, -1, 2));
    CHECK_FALSE(quantized_is_asymmetric(100, -1, 2));  // not quantized at all
}

TEST_CASE("stored weights are asymmetric if their zero point does not round to zero") {
    CHECK_FALSE(stored_is_asymmetric(zero_point_form::none, 0));
    CHECK_FALSE(stored_is_asymmetric(zero_point_form::real, 0));
    CHECK_FALSE(stored_is_asymmetric(zero_point_form::real, 0.3));
    CHECK(stored_is_asymmetric(zero_point_form::real, 3));
    CHECK_FALSE(stored_is_asymmetric(zero_point_form::converted, 0));
    CHECK(stored_is_asymmetric(zero_point_form::converted, 3));
    CHECK(stored_is_asymmetric(zero_point_form::real, 0, f32));  // nothing rounds it
}

TEST_CASE("in a run the type that markup left the weights decides") {
    graph model;
    const node_id least = scalar(model, 0);
    const node_id most = scalar(model, 2.55);
    const node_id quantize =
        model.add(op::fake_quantize{256},
                  {model.constant(make_tensor(f32, shape{6, 3, 1, 1}, view<double>({1}))), least, most, least, most});
    const op::convolution window{.strides = {1, 1}, .dilations = {1, 1}, .pads_begin = {0, 0}, .pads_end = {0, 0}};
    const node_id layer = model.add(window, {model.parameter(f32, shape{1, 3, 4, 4}), quantize});
    attribute::tables attributes;
    const transformation_options options;
    const restriction_table restrictions;
    rewrite r(model, attributes, options, restrictions);
    CHECK_FALSE(is_asymmetric_on_weights(r, layer));
    attributes.of<attribute::precisions>().set_output(quantize, 0, {{i8}});
    CHECK(is_asymmetric_on_weights(r, layer));
}

TEST_CASE("nothing is asymmetric on weights that are not quantized or not there") {
    graph model;
    const op::convolution window{.strides = {1, 1}, .dilations = {1, 1}, .pads_begin = {0, 0}, .pads_end = {0, 0}};
    const node_id data = model.parameter(f32, shape{1, 3, 4, 4});
    const node_id layer =
        model.add(window, {data, model.constant(make_tensor(f32, shape{6, 3, 1, 1}, view<double>({1})))});
    CHECK_FALSE(is_asymmetric_on_weights(model, layer, int8_precisions));
    CHECK_FALSE(is_asymmetric_on_weights(model, model.add(op::relu{}, {data}), int8_precisions));
}

TEST_CASE("a Multiply of rank 4 or 5 by a constant can become a GroupConvolution") {
    CHECK(scaled_constant({1, 3, 4, 4}, {1, 3, 1, 1}, true).can_be_convolution());
    CHECK(scaled_constant({1, 3, 4, 4}, {}).can_be_convolution());
    CHECK(scaled_constant({1, 3, 4, 4, 4}, {3, 1, 1, 1}).can_be_convolution());
    CHECK(scaled_constant({1, -1, -1, 4}, {1, 3, 1, 1}).can_be_convolution());
    CHECK_FALSE(scaled_constant({1, 3, 4}, {3, 1}).can_be_convolution());
    CHECK_FALSE(scaled_constant({1, 3, 4, 4, 2, 2}, {1, 3, 1, 1, 1, 1}).can_be_convolution());
    CHECK_FALSE(scaled_constant(shape::of_dynamic_rank(), {1, 3, 1, 1}).can_be_convolution());
    graph model;
    const node_id data = model.parameter(f32, shape{1, 3, 4, 4});
    CHECK_FALSE(can_be_transformed_to_group_convolution(model, model.add(op::multiply{}, {data, data})));
    CHECK_FALSE(can_be_transformed_to_group_convolution(model, model.add(op::add{}, {data, scalar(model, 1)})));
}

TEST_CASE("a Multiply by one number is scalar, whatever the shape of the number") {
    CHECK(scaled_constant({1, 3, 4, 4}, {}).is_scalar());
    CHECK(scaled_constant({1, 3, 4, 4}, {1, 1, 1, 1}, true).is_scalar());
    CHECK_FALSE(scaled_constant({1, 3, 4, 4}, {1, 3, 1, 1}).is_scalar());
    CHECK_FALSE(scaled_constant(shape::of_dynamic_rank(), {1, 3, 1, 1}).is_scalar());
    graph model;
    const node_id data = model.parameter(f32, shape{1, 3, 4, 4});
    CHECK_FALSE(is_dynamic_or_scalar(model, model.add(op::multiply{}, {data, data})));
}
