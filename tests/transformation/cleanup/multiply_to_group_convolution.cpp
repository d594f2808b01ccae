// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/cleanup/multiply_to_group_convolution.hpp>

#include "../main/two_inputs.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace lpt;
using namespace lpt::testing;

namespace {

/// A dequantization whose Multiply is the operation of the test.
constexpr two_inputs scaled(shape dimensions, const scale_and_zero_point& constants, shape scale_shape = {1, 4, 1, 1},
                            element type = u8) {
    two_inputs net;
    seq<double, 4> values;
    for (std::size_t i = 0; i < scale_shape.elements(); ++i) {
        values.push_back(static_cast<double>(i + 1));
    }
    const output_ref data = net.activations(std::move(dimensions), constants, type);
    net.add(op::multiply{}, {data, net.model.constant(make_tensor(f32, scale_shape, values))});
    return net;
}
constexpr scale_and_zero_point shifts() { return {{}, {}, {1, 2, 3, 4}, {1, 4, 1, 1}}; }

constexpr bool gets_a_convolution() {
    two_inputs net = scaled({1, 4, 2, 2}, shifts());
    if (!net.run<multiply_to_group_convolution_transformation>()) {
        return false;
    }
    const node_id add = net.model.producer(net.output(), 0);
    const node_id convolution = net.model.producer(add, 0);
    return net.model[add].is<op::add>() && net.model[convolution].is<op::group_convolution>() &&
           net.input(convolution, 0).type() == u8 &&
           net.value(convolution, 1) == make_tensor(u8, {4, 1, 1, 1, 1}, view<double>({1}));
}
static_assert(gets_a_convolution());

}  // namespace

TEST_CASE("a Multiply without an operation to join gets a GroupConvolution that changes nothing") {
    for (const shape& dimensions : {shape{2, 4, 3, 3}, shape{1, 4, 2, 2, 2}}) {
        for (const bool zero_point : {false, true}) {
            scale_and_zero_point constants;
            if (zero_point) {
                constants.zero_point = {1, 2, 3, 4};
                constants.zero_point_shape = shape::of_ones(dimensions.rank());
                constants.zero_point_shape[1] = 4;
            }
            shape scale_shape = shape::of_ones(dimensions.rank());
            scale_shape[1] = 4;
            two_inputs net = scaled(dimensions, constants, scale_shape);
            CHECK(net.run<multiply_to_group_convolution_transformation>());
            CHECK(net.model[net.output()].name() == "operation");
            CHECK(net.difference() < 1e-6);
        }
    }
}

TEST_CASE("the weights have the type that the target or the defaults put first") {
    two_inputs by_target = scaled({1, 4, 2, 2}, {});
    by_target.restrictions.precisions.push_back({op::kind::group_convolution, any_version, {{0}, {u8}}});
    by_target.restrictions.precisions.push_back({op::kind::group_convolution, any_version, {{1}, {i8}}});
    CHECK(by_target.run<multiply_to_group_convolution_transformation>());
    CHECK(by_target.input(by_target.model.producer(by_target.output(), 0), 1).type() == i8);
    two_inputs by_default = scaled({1, 4, 2, 2}, {});
    by_default.options.default_precisions = {i8, u8};
    CHECK(by_default.run<multiply_to_group_convolution_transformation>());
    CHECK(by_default.input(by_default.model.producer(by_default.output(), 0), 1).type() == i8);
}

TEST_CASE("a Multiply above stays where it is") {
    two_inputs net = scaled({1, 4, 2, 2}, single(0.5, 3));
    CHECK(net.run<multiply_to_group_convolution_transformation>());
    CHECK(net.difference() < 1e-6);
}

TEST_CASE("the constant may come first, with two axes or more") {
    for (const shape& dimensions : {shape{1, 4, 1, 1}, shape{4, 1, 1}, shape{1, 1}, shape{1}, shape{}}) {
        for (const bool has_zero_point : {false, true}) {
            two_inputs net;
            const output_ref data =
                net.activations({1, 4, 2, 2}, has_zero_point ? shifts() : scale_and_zero_point(), u8);
            seq<double, 4> values;
            for (std::size_t i = 0; i < dimensions.elements(); ++i) {
                values.push_back(static_cast<double>(i + 1));
            }
            net.add(op::multiply{}, {net.model.constant(make_tensor(f32, dimensions, values)), data});
            CHECK(net.run<multiply_to_group_convolution_transformation>() == (dimensions.rank() > 1));
            CHECK(net.difference() < 1e-6);
        }
    }
}

TEST_CASE("a Multiply stays alone") {
    SUBCASE("marked DisableCleanup") {
        two_inputs net = scaled({1, 4, 2, 2}, {});
        net.model.set_mark(net.operation, mark::disable_cleanup);
        CHECK_FALSE(net.run<multiply_to_group_convolution_transformation>());
        CHECK(net.why() == reason::disabled_by_mark);
    }
    SUBCASE("the target takes no such data") {
        two_inputs net = scaled({1, 4, 2, 2}, {});
        net.restrictions.precisions.push_back({op::kind::group_convolution, any_version, {{0}, {i8}}});
        CHECK_FALSE(net.run<multiply_to_group_convolution_transformation>());
        CHECK(net.why() == reason::restricted_by_target);
    }
    SUBCASE("no type for weights is left") {
        two_inputs net = scaled({1, 4, 2, 2}, {});
        net.options.default_precisions = {};
        CHECK_FALSE(net.run<multiply_to_group_convolution_transformation>());
        CHECK(net.why() == reason::no_precision_left);
    }
    SUBCASE("three axes") {
        two_inputs net = scaled({1, 4, 2}, {}, {1, 4, 1});
        CHECK_FALSE(net.run<multiply_to_group_convolution_transformation>());
        CHECK(net.why() == reason::shapes_do_not_match);
    }
    SUBCASE("unknown channels") {
        two_inputs net = scaled({1, -1, 2, 2}, {});
        CHECK_FALSE(net.run<multiply_to_group_convolution_transformation>());
        CHECK(net.why() == reason::dynamic_channel);
    }
    SUBCASE("scales vary over space") {
        two_inputs net = scaled({1, 4, 2, 2}, {}, {1, 4, 2, 1});
        CHECK_FALSE(net.run<multiply_to_group_convolution_transformation>());
        CHECK(net.why() == reason::not_per_tensor_or_per_channel);
    }
    SUBCASE("the product is larger than the data") {
        two_inputs net = scaled({1, 1, 2, 2}, {});
        CHECK_FALSE(net.run<multiply_to_group_convolution_transformation>());
        CHECK(net.why() == reason::shapes_do_not_match);
    }
    SUBCASE("two tensors are multiplied above") {
        two_inputs net;
        const output_ref a = net.activations({1, 4, 2, 2}, {}, f32);
        const output_ref b = net.activations({1, 4, 2, 2}, {}, f32);
        net.add(op::multiply{}, {net.model.add(op::multiply{}, {a, b}), net.model.constant(make_scalar(f32, 2))});
        CHECK_FALSE(net.run<multiply_to_group_convolution_transformation>());
        CHECK(net.why() == reason::no_dequantization);
    }
}
