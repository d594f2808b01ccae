// SPDX-License-Identifier: Apache-2.0
#include "tests/optimization/networks.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::testing;

namespace {

output_ref quantized(graph& model, output_ref data, double low, double high) {
    op::fake_quantize what;
    what.levels = 256;
    return model.add(
        what, {data, scalar_of(model, low), scalar_of(model, high), scalar_of(model, low), scalar_of(model, high)});
}
/// A product of two quantized inputs; the zero point of the second is 100 in steps of 1/32, but for `off` of them.
graph product(double off = 0) {
    graph model;
    const output_ref a = quantized(model, model.parameter(f32, {2, 3, 4}, "a"), 0, 255.0 / 64);
    const output_ref b = quantized(model, model.parameter(f32, {2, 4, 5}, "b"), (-100 + off) / 32, (155 + off) / 32);
    model.result(model.add(op::mat_mul{}, {a, b}, "product"));
    return model;
}
element type_below(const graph& model, std::size_t port) {
    output_ref from = model[model.producer(model.results()[0], 0)].input(port);
    while (model.type(from) == f32 && model[from.node].inputs() != 0) {
        from = model[from.node].input(0);
    }
    return model.type(from);
}

}  // namespace

TEST_CASE("A product of two quantized tensors takes their bytes, with a zero point on either") {
    graph model = product();
    optimize(model);
    CHECK(type_below(model, 0) == u8);
    CHECK(type_below(model, 1) == u8);
    CHECK(change_of_results(product()).greatest < 1e-5);
}

TEST_CASE("Zero points that are no whole numbers stay in floats") {
    CHECK(optimized_operations_of(product(0.25)) ==
          kinds{op::kind::fake_quantize, op::kind::fake_quantize, op::kind::mat_mul});
}

TEST_CASE("What others than products read stays real numbers") {
    graph model = product();
    model.result(model.add(op::relu{}, {model[model.producer(model.results()[0], 0)].input(1)}));
    optimize(model);
    CHECK(type_below(model, 0) == f32);
}

TEST_CASE("A FakeQuantize of bytes that gives each its level becomes a dequantization") {
    const auto make = [](double low) {
        graph model;
        const output_ref bytes = model.parameter(u8, {2, 8}, "bytes");
        op::fake_quantize what;
        what.levels = 256;
        const output_ref real = model.add_relaxed(
            what,
            {bytes, scalar_of(model, low), scalar_of(model, 255), scalar_of(model, -3.5), scalar_of(model, 60.25)},
            {{f32}, {f32}});
        model.result(model.add(op::relu{}, {real}));
        return model;
    };
    CHECK(optimized_operations_of(make(0)) ==
          kinds{op::kind::convert, op::kind::subtract, op::kind::multiply, op::kind::relu});
    CHECK(optimized_operations_of(make(1)) == kinds{op::kind::fake_quantize, op::kind::relu});
}
