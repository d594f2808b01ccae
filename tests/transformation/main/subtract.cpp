// SPDX-License-Identifier: Apache-2.0
#include <lpt/pipeline/pass.hpp>
#include <lpt/transformation/main/convert.hpp>
#include <lpt/transformation/main/subtract.hpp>

#include <doctest/doctest.h>

#include "tests/support/small_graph.hpp"
#include "tests/support/spoil.hpp"
#include "tests/support/tensor_difference.hpp"

#include <utility>

using namespace lpt;
using test::output, test::scalar;

namespace {

constexpr output_ref constant(graph& model, tensor value) { return model.constant(std::move(value)); }

/// x (u8 [1, 3, 2]) -> Convert -> [Subtract 3] -> Multiply -> Subtract -> Result.
constexpr graph shifted(double scale, tensor shift, bool zero_point, element type = u8) {
    graph model;
    output_ref last = model.add(op::convert{f32}, {model.parameter(type, shape{1, 3, 2}, "x")});
    if (zero_point) {
        last = model.add(op::subtract{}, {last, scalar(model, 3)});
    }
    last = model.add(op::multiply{}, {last, scalar(model, scale)});
    model.result(model.add(op::subtract{}, {last, constant(model, std::move(shift))}, "difference"));
    return model;
}
template <class Transformation>
constexpr reason run(graph& model) {
    attribute::tables attributes;
    const transformation_options options;
    const restriction_table restrictions;
    rewrite r(model, attributes, options, restrictions);
    drive(r, dispatch_table<Transformation>);
    return r.refusals().empty() ? reason::none : r.refusals()[0].why.why;
}

constexpr bool takes_shift_when_compiled() {
    graph model = shifted(0.5, make_scalar(f32, 2), true);
    run<subtract_transformation>(model);
    const node_id scaled = output(model);
    const node_id difference = model.producer(scaled, 0);
    return model[scaled].is<op::multiply>() && model[scaled].name() == "difference" &&
           model[difference].is<op::subtract>() && model.constant_value(model[difference].input(1))->real(0) == 7;
}
static_assert(takes_shift_when_compiled());

support::tensor_difference largest_difference(const graph& before, const graph& after) {
    tensor_builder values(before[before.parameters()[0]].type(), shape{1, 3, 2});
    for (std::size_t i = 0; i < values.elements(); ++i) {
        values.integer(i, static_cast<std::int64_t>(i * 37 % 101));
    }
    return support::difference_of<double>(before, after, std::vector<tensor>{values.finish()});
}

}  // namespace

TEST_CASE("a constant that is subtracted behind the scale becomes a part of the zero point") {
    for (const bool zero_point : {false, true}) {
        for (const tensor& shift : {make_scalar(f32, 1.5), make_tensor(f32, shape{1, 3, 1}, {1, -2, 0.5})}) {
            graph model = shifted(0.25, shift, zero_point);
            const graph before = model;
            CHECK(run<subtract_transformation>(model) == reason::none);
            CHECK(model[output(model)].is<op::multiply>());
            CHECK(model[output(model)].type() == f32);
            CHECK(largest_difference(before, model) == 0);
        }
    }
}

TEST_CASE("subtractions that a dequantization cannot take up are refused") {
    graph zero = shifted(0, make_scalar(f32, 1), false);
    CHECK(run<subtract_transformation>(zero) == reason::zero_or_denormal_scale);
    graph large = shifted(1e-30, make_scalar(f32, 1e30), false);
    CHECK(run<subtract_transformation>(large) == reason::infinite_constant);
    graph each = shifted(0.5, make_tensor(f32, shape{1, 3, 2}, {1, 2, 3, 4, 5, 6}), false);
    CHECK(run<subtract_transformation>(each) == reason::not_per_tensor_or_per_channel);
    graph real = shifted(0.5, make_scalar(f32, 1), false, f32);
    CHECK(run<subtract_transformation>(real) == reason::not_low_precision);
}

TEST_CASE("the Convert of low precision data becomes a Subtract of zero") {
    graph model;
    model.result(model.add(op::convert{f32}, {model.parameter(u8, shape{1, 3, 2}, "x")}, "real"));
    const graph before = model;
    CHECK(run<convert_transformation>(model) == reason::none);
    const node_id subtract = output(model);
    REQUIRE(model[subtract].is<op::subtract>());
    CHECK(model[subtract].name() == "real");
    CHECK(model[subtract].type() == f32);
    CHECK(model.type(model[subtract].input(0)) == u8);
    CHECK(largest_difference(before, model) == 0);
}

TEST_CASE("other Converts stay") {
    graph integers_to_real;
    integers_to_real.result(integers_to_real.add(op::convert{f32}, {integers_to_real.parameter(i64, shape{1, 3, 2})}));
    CHECK(run<convert_transformation>(integers_to_real) == reason::not_low_precision);
    graph to_integers;
    to_integers.result(to_integers.add(op::convert{i32}, {to_integers.parameter(u8, shape{1, 3, 2})}));
    CHECK(run<convert_transformation>(to_integers) == reason::types_do_not_match);
    graph constants;
    constants.result(constants.add(op::convert{f32}, {constants.constant(make_scalar(u8, 2))}));
    CHECK(run<convert_transformation>(constants) == reason::constant_path);
}

TEST_CASE("the comparison notices NaN, other shapes, other types, and another number of results") {
    CHECK(support::notices_all_damages(shifted(0.25, make_scalar(f32, 1.5), true), largest_difference));
}
