// SPDX-License-Identifier: Apache-2.0
#include "tests/optimization/compressed.hpp"

#include <lpt/runtime/executable.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <string>

using namespace lpt;
using namespace lpt::testing;

namespace {

constexpr dimension inner = 640;
constexpr dimension columns = 450;

/// x times weights of few bits in blocks of 128, for any number of rows.
graph product_of(element type, bool has_zero_points, dimension rows = dynamic_dimension, bool asks_for_bytes = false) {
    graph model;
    const output_ref x = model.parameter(f32, shape{rows, inner}, "x");
    const dimension blocks = inner / 128;
    const output_ref weights = dequantized_weights(model, type, {columns, blocks, 128}, {columns, blocks, 1},
                                                   has_zero_points, {columns, inner}, 1e-3);
    const node_id product = model.add(op::mat_mul{false, true}, {x, weights});
    if (asks_for_bytes) {
        model.set_mark(product, mark::may_round_data);
    }
    model.result(product);
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

tensor identity() {
    tensor_builder values(f32, shape{inner, inner});
    for (dimension i = 0; i < inner; ++i) {
        values.real(static_cast<std::size_t>(i * inner + i), 1);
    }
    return values.finish();
}

/// What rounding the rows of `x` can change in element (row, column) of their product with `weights`, [inner][columns]: half a unit for each number.
double bound_of_rounding(const tensor& x, const tensor& weights, dimension row, dimension column) {
    double bound = 0;
    for (dimension part = 0; part < inner; part += 128) {
        double greatest = 0;
        double sum = 0;
        for (dimension k = part; k < part + 128; ++k) {
            greatest = std::fmax(greatest, std::abs(x.real(static_cast<std::size_t>(row * inner + k))));
            sum += std::abs(weights.real(static_cast<std::size_t>(k * columns + column)));
        }
        bound += greatest / 254 * sum;
    }
    return bound * 1.001 + 1e-5;  // what f32 loses besides
}

tensor output_of(const graph& model, data_rounding which, const tensor& x) {
    compile_options options;
    options.dynamic_quantization = which;
    return compile(model, options).run({x})[0];
}

bool same_bits(const tensor& a, const tensor& b) {
    return a.size_in_bytes() == b.size_in_bytes() && std::memcmp(a.data(), b.data(), a.size_in_bytes()) == 0;
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

TEST_CASE("The codes behind the end of a block that is longer than the rows belong to no column") {
    constexpr dimension used = inner - 5;
    graph model;
    const output_ref weights =
        dequantized_weights(model, u4, {columns, 1, inner}, {columns, 1, 1}, false, {columns, inner}, 1e-3);
    const output_ref of_rows =
        model.add(op::slice{}, {weights, model.constant(make_indices({0})), model.constant(make_indices({used})),
                                model.constant(make_indices({1})), model.constant(make_indices({1}))});
    model.result(model.add(op::mat_mul{false, true}, {model.parameter(f32, shape{3, used}, "x"), of_rows}));
    prepare(model);
    graph optimized = model;
    optimize(optimized);
    REQUIRE(optimized[optimized[optimized.results()[0]].input(0).node].is<op::fully_connected_compressed>());
    tensor_builder x(f32, shape{3, used});
    for (std::size_t i = 0; i < x.elements(); ++i) {
        x.real(i, std::sin(static_cast<double>(i)));
    }
    const tensor input = x.finish();
    CHECK(is_near(compile(optimized).run({input})[0], compile(model).run({input})[0]));
}

TEST_CASE("Data that is rounded to bytes changes products by half a unit for each number at most") {
    for (const element type : {u4, i4, u8, i8}) {
        for (const bool has_zero_points : {false, true}) {
            graph model = product_of(type, has_zero_points);
            const tensor weights = compile(model).run({identity()})[0];
            optimize(model);
            for (const dimension rows : {1, 6, 70}) {
                CAPTURE(std::string(name(type).data(), name(type).size()));
                CAPTURE(rows);
                const tensor x = input_of(rows);
                const tensor exact = output_of(model, data_rounding::none, x);
                const tensor rounded = output_of(model, data_rounding::all, x);
                bool is_inside = rounded.elements() == exact.elements();
                for (std::size_t i = 0; is_inside && i < exact.elements(); ++i) {
                    const auto at = static_cast<dimension>(i);
                    is_inside = std::abs(rounded.real(i) - exact.real(i)) <=
                                bound_of_rounding(x, weights, at / columns, at % columns);
                }
                CHECK(is_inside);
                CHECK(!same_bits(rounded, exact));
            }
        }
    }
}

TEST_CASE("Products round their data where the file or the user asks for it") {
    const tensor x = input_of(3);
    for (const bool asks_for_bytes : {false, true}) {
        graph model = product_of(u4, false, 3, asks_for_bytes);
        optimize(model);
        const tensor exact = output_of(model, data_rounding::none, x);
        const tensor rounded = output_of(model, data_rounding::all, x);
        CHECK(!same_bits(exact, rounded));
        CHECK(same_bits(output_of(model, data_rounding::allowed, x), asks_for_bytes ? rounded : exact));
    }
}

TEST_CASE("The step of a product that rounds its data computes in i8") {
    graph model = product_of(u4, false, 3, true);
    optimize(model);
    const plan::network made = plan::make_plan(model, {&kernel::table_for(kernel::isa::scalar), 1});
    REQUIRE(made.steps.size() == 1);
    CHECK(made.steps[0].kernel == "compressed_product_scalar_I8");
    CHECK(made.steps[0].precision == i8);
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
