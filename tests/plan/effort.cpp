// SPDX-License-Identifier: Apache-2.0
#include "networks.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::testing;

namespace {

/// Whether the one step of a network is short, where the plan asks for it or not.
bool is_short(const graph& model, bool asked = true) {
    plan::plan_options options;
    options.kernels = &kernel::table_for(kernel::isa::scalar);
    options.short_steps_alone = asked;
    const plan::network net = plan::make_plan(model, options);
    REQUIRE(net.steps.size() == 1);
    return net.steps[0].is_short;
}
graph product(std::int64_t rows, element type) {
    graph model;
    const output_ref data = model.parameter(type, shape{rows, 64}, "x");
    const output_ref weights = model.constant(numbers(type == f32 ? f32 : i8, shape{64, 32}, -9, 1, 9));
    const element inner = type == f32 ? dynamic : f32;
    model.result(model.add_relaxed(op::mat_mul{}, {data, weights}, {{inner, inner}, {f32}}));
    return model;
}
graph rectifier(std::int64_t size) {
    graph model;
    model.result(model.add(op::relu{}, {model.parameter(f32, shape{size}, "x")}));
    return model;
}

}  // namespace

TEST_CASE("Steps of few products or few bytes are short") {
    CHECK(is_short(product(1, u8)));
    CHECK_FALSE(is_short(product(128, u8)));
    CHECK(is_short(product(31, f32)));
    CHECK_FALSE(is_short(product(32, f32)));
    CHECK(is_short(rectifier(100)));
    CHECK_FALSE(is_short(rectifier(10000)));
}

TEST_CASE("No step is short where the plan does not ask for it") { CHECK_FALSE(is_short(rectifier(100), false)); }
