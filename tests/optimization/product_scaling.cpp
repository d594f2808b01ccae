// SPDX-License-Identifier: Apache-2.0
#include "tests/optimization/compressed.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::testing;

namespace {

/// Dequantized bytes times weights of 4 bits.
graph product_of(const shape& codes, const shape& scale, bool transposed, element data_type = u8) {
    graph model;
    const output_ref bytes = model.parameter(data_type, shape{3, 16}, "x");
    output_ref x = data_type == f32 ? bytes : output_ref(model.add(op::convert{f32}, {bytes}));
    x = model.add(op::multiply{}, {x, model.constant(make_scalar(f32, 0.1))});
    output_ref weights = model.add(op::convert{f32}, {model.constant(codes_of(u4, codes))});
    weights = model.add(op::subtract{}, {weights, model.constant(make_scalar(f32, 8))});
    weights = model.add(op::multiply{}, {weights, model.constant(scales_of(scale))});
    model.result(model.add(op::mat_mul{false, transposed}, {x, weights}));
    prepare(model);
    return model;
}
/// Quantized real numbers times bytes with zero points.
graph product_of_quantized(double low_bound) {
    graph model;
    const output_ref data = model.parameter(f32, shape{3, 16}, "x");
    op::fake_quantize what;
    what.levels = 256;
    const output_ref low = model.constant(make_scalar(f32, low_bound));
    const output_ref high = model.constant(make_scalar(f32, low_bound + 2.55));
    const output_ref wider = model.constant(scales_of({1, 16}, 2.6));
    const output_ref x = model.add(what, {data, low, wider, low, high});
    const output_ref weights = dequantized_weights(model, u8, {20, 16}, {20, 1}, true, {20, 16}, 0.001);
    model.result(model.add(op::mat_mul{false, true}, {x, weights}));
    model.result(x);
    prepare(model);
    return model;
}
/// Whether the product reads no scaled weights any more.
bool scales_behind(graph model) {
    optimize(model);
    for (const node_id id : topological_order(model)) {
        if (model[id].is<op::mat_mul>()) {
            return !model[model.producer(id, 1)].is<op::multiply>();
        }
    }
    return false;
}

}  // namespace

TEST_CASE("Scales of columns move behind the product of quantized data with weights of 4 bits") {
    CHECK(scales_behind(product_of({20, 16}, {20, 1}, true)));
    CHECK(scales_behind(product_of({16, 20}, {1, 20}, false)));
    CHECK(change_of_results(product_of({20, 16}, {20, 1}, true)) < 1e-5);
    CHECK(change_of_results(product_of({16, 20}, {1, 20}, false)) < 1e-5);
}

TEST_CASE("A FakeQuantize whose zero point is whole gives bytes for weights that are bytes with zero points") {
    CHECK(scales_behind(product_of_quantized(-0.5)));
    CHECK(change_of_results(product_of_quantized(-0.5)) < 1e-5);
    CHECK_FALSE(scales_behind(product_of_quantized(-0.505)));
}

TEST_CASE("Scales of rows stay, and those of weights whose data is real") {
    CHECK_FALSE(scales_behind(product_of({20, 16}, {1, 16}, true)));
    CHECK_FALSE(scales_behind(product_of({20, 16}, {20, 1}, true, f32)));
}
