// SPDX-License-Identifier: Apache-2.0
#include "examples/run/compare.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace lpt;

namespace {

/// 1 × 2 × 1 × 50 numbers from -1 to 1, those of the second channel times `second`.
tensor values(double second) {
    tensor_builder result(f32, shape{1, 2, 1, 50});
    for (std::size_t i = 0; i < 100; ++i) {
        result.real(i, (static_cast<double>(i % 50) - 24.5) / 24.5 * (i < 50 ? 1 : second));
    }
    return result.finish();
}
/// x -> FakeQuantize of these bounds -> Relu
graph quantized(double bound, std::int64_t levels) {
    graph model;
    const node_id low = model.constant(make_scalar(f32, -bound));
    const node_id high = model.constant(make_scalar(f32, bound));
    const node_id x = model.parameter(f32, shape{1, 2, 1, 50}, "x");
    const node_id data = model.add(op::fake_quantize{levels}, {x, low, high, low, high}, "data");
    model.result(model.add(op::relu{}, {data}, "positive"));
    return model;
}
/// What is said of the FakeQuantize, behind the row of the output.
run::compared_operation quantization_of(double bound, std::int64_t levels, double second = 1) {
    const graph model = quantized(bound, levels);
    executable net = compile(model);
    return run::compare_with_real(model, net, {}, {{values(second)}})[1];
}

}  // namespace

TEST_CASE("A quantization that keeps the values has nothing to improve") {
    const run::compared_operation row = quantization_of(1, 255);
    CHECK(row.name == "data");
    CHECK(row.own.decibels() > 40);
    CHECK(run::improvement_of(row).empty());
}

TEST_CASE("Noise is what the definition says") {
    // Steps of 2/3 from -1 to 1: each value goes to the nearest of four.
    run::noise_sums expected;
    const tensor x = values(1);
    for (std::size_t i = 0; i < x.elements(); ++i) {
        expected.add(x.real(i), std::nearbyint((x.real(i) + 1) * 1.5) / 1.5 - 1);
    }
    CHECK(quantization_of(1, 4).own.decibels() == doctest::Approx(expected.decibels()).epsilon(1e-3));
}

TEST_CASE("Values outside of the range ask for a wider one") {
    CHECK(run::improvement_of(quantization_of(0.5, 255)) == "values lie outside of its range: widen it");
}

TEST_CASE("A range that is hardly used should be narrower") {
    CHECK(run::improvement_of(quantization_of(20, 255)) == "values use 5 % of its range: narrow it");
}

TEST_CASE("Channels of other sizes in one range are told apart") {
    CHECK(run::improvement_of(quantization_of(1, 31, 0.05)) ==
          "channels differ much in size: balance them with the weights behind them");
}

TEST_CASE("Steps that are too coarse are said to be so") {
    CHECK(run::improvement_of(quantization_of(1, 16)) ==
          "its steps are coarse for these values: keep what reads it in more than 8 bits");
}

TEST_CASE("A range that begins at zero is a Relu of the network, one from 0 to 6 a Relu6, and no loss") {
    const auto rows_of = [](double top, double second) {
        graph model;
        const node_id low = model.constant(make_scalar(f32, 0));
        const node_id high = model.constant(make_scalar(f32, top));
        const node_id x = model.parameter(f32, shape{1, 2, 1, 50}, "x");
        model.result(model.add(op::fake_quantize{256}, {x, low, high, low, high}, "data"));
        executable net = compile(model);
        return run::compare_with_real(model, net, {}, {{values(second)}});
    };
    for (const auto& rows : {rows_of(1, 1), rows_of(6, 10)}) {
        REQUIRE(rows.size() == 2);
        for (const run::compared_operation& row : rows) {
            CHECK(row.all.decibels() > 40);
            CHECK(run::improvement_of(row).empty());
        }
    }
    CHECK(run::improvement_of(rows_of(5, 10)[1]) == "values lie outside of its range: widen it");
}

TEST_CASE("Operations behind a quantization have its noise, and no advice of their own") {
    const graph model = quantized(0.5, 255);
    executable net = compile(model);
    const std::vector<run::compared_operation> rows = run::compare_with_real(model, net, {}, {{values(1)}});
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].type == "output");
    CHECK(rows[2].name == "positive");
    CHECK(rows[2].all.decibels() < 10);
    CHECK(rows[0].all.decibels() == doctest::Approx(rows[2].all.decibels()));
    CHECK(run::improvement_of(rows[2]).empty());
}
