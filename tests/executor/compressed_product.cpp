// SPDX-License-Identifier: Apache-2.0
#include "tests/optimization/compressed.hpp"

#include <lpt/runtime/executable.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <string>

using namespace lpt;
using namespace lpt::testing;

namespace {

constexpr dimension inner = 640;
constexpr dimension columns = 450;

/// x times weights of few bits in blocks of 128, for any number of rows.
graph product_of(element type, bool has_zero_points, dimension rows = dynamic_dimension) {
    graph model;
    const output_ref x = model.parameter(f32, shape{rows, inner}, "x");
    const dimension blocks = inner / 128;
    const output_ref weights = dequantized_weights(model, type, {columns, blocks, 128}, {columns, blocks, 1},
                                                   has_zero_points, {columns, inner}, 1e-3);
    model.result(model.add(op::mat_mul{false, true}, {x, weights}));
    prepare(model);
    return model;
}

tensor input_of(dimension count) {
    tensor_builder values(f32, shape{count, inner});
    for (std::size_t i = 0; i < values.elements(); ++i) {
        values.real(i, std::sin(static_cast<double>(i)));
    }
    return values.finish();
}

bool is_near(const tensor& a, const tensor& b) {
    if (!(a.dimensions() == b.dimensions())) {
        return false;
    }
    for (std::size_t i = 0; i < a.elements(); ++i) {
        if (!(std::abs(a.real(i) - b.real(i)) < 1e-4 * (1 + std::abs(b.real(i))))) {
            return false;
        }
    }
    return true;
}

}  // namespace

TEST_CASE("Networks with weights of few bits give what they give with weights of floats, for any number of rows") {
    for (const element type : {u4, i4, u8, i8}) {
        for (const bool has_zero_points : {false, true}) {
            const graph model = product_of(type, has_zero_points);
            graph optimized = model;
            optimize(optimized);
            executable compressed = compile(optimized);
            executable expanded = compile(model);
            for (const dimension rows : {1, 3, 12, 70}) {
                CAPTURE(std::string(name(type).data(), name(type).size()));
                CAPTURE(rows);
                CHECK(is_near(compressed.run({input_of(rows)})[0], expanded.run({input_of(rows)})[0]));
            }
        }
    }
}

TEST_CASE("Weights of few bits take about their own bytes") {
    graph model = product_of(u4, false, 1);
    optimize(model);
    plan::weight_store weights;
    plan::plan_options options{&kernel::table_for(kernel::isa::scalar), 1};
    options.weights = &weights;
    plan::make_plan(model, options);
    CHECK(weights.size() == 1);
    CHECK(weights.bytes() < static_cast<std::size_t>(columns * inner * 5 / 8));
}
