// SPDX-License-Identifier: Apache-2.0
#include "tests/optimization/networks.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::testing;

namespace {

output_ref quantized(graph& model, output_ref data, const shape& bounds) {
    const auto bound = [&](double value) {
        tensor_builder values(f32, bounds);
        for (std::size_t i = 0; i < values.elements(); ++i) {
            values.real(i, value);
        }
        return output_ref(model.constant(values.finish()));
    };
    return model.add(op::fake_quantize{256}, {data, bound(-1), bound(1), bound(-1), bound(1)});
}

}  // namespace

TEST_CASE("A FakeQuantize with one range goes before the movements that it reads, with the same result") {
    for (const shape& bounds : {shape{}, shape{1, 1, 1, 1}}) {
        graph model;
        const output_ref data = model.add(op::abs{}, {model.parameter(f32, {2, 15, 8}, "x")});
        const output_ref parts = model.add(op::reshape{}, {data, indices(model, {2, 3, 5, 8})});
        const output_ref order = indices(model, {0, 2, 1, 3});
        const output_ref moved = model.add(op::transpose{}, {parts, order});
        model.result(model.add(op::negative{}, {quantized(model, moved, bounds)}), "y");
        CHECK(optimized_operations_of(model) == kinds{op::kind::abs, op::kind::fake_quantize, op::kind::reshape,
                                                      op::kind::transpose, op::kind::negative});
        CHECK(change_of_results(model) == 0);
    }
}

TEST_CASE("Axes of one element that are taken away or added are passed, too") {
    graph model;
    const output_ref data = model.add(op::abs{}, {model.parameter(f32, {2, 1, 8}, "x")});
    const output_ref narrow = model.add(op::squeeze{}, {data, indices(model, {1})});
    const output_ref wide = model.add(op::unsqueeze{}, {narrow, indices(model, {0, 3})});
    model.result(model.add(op::negative{}, {quantized(model, wide, {1})}), "y");
    CHECK(optimized_operations_of(model) ==
          kinds{op::kind::abs, op::kind::fake_quantize, op::kind::squeeze, op::kind::unsqueeze, op::kind::negative});
    CHECK(change_of_results(model) == 0);
}

TEST_CASE("A FakeQuantize stays behind what others read, and where it has ranges for channels or gives a result") {
    graph model;
    const output_ref data = model.add(op::abs{}, {model.parameter(f32, {2, 3, 8}, "x")});
    const output_ref order = indices(model, {1, 0, 2});
    const output_ref moved = model.add(op::transpose{}, {data, order});
    const kinds before{op::kind::abs, op::kind::transpose, op::kind::fake_quantize, op::kind::negative};
    SUBCASE("others read it") {
        model.result(model.add(op::negative{}, {quantized(model, moved, {})}), "y");
        model.result(model.add(op::exp{}, {moved}), "z");
        CHECK(operations_of(model) == optimized_operations_of(model));
    }
    SUBCASE("ranges for channels") {
        model.result(model.add(op::negative{}, {quantized(model, moved, {3, 1, 1})}), "y");
        CHECK(optimized_operations_of(model) == before);
    }
    SUBCASE("a result") {
        model.result(quantized(model, moved, {}), "y");
        CHECK(operations_of(model) == optimized_operations_of(model));
    }
    CHECK(change_of_results(model) == 0);
}

TEST_CASE("Bytes that a FakeQuantize gives are moved as bytes") {
    graph model;
    const output_ref data = model.add(op::abs{}, {model.parameter(f32, {2, 3, 8}, "x")});
    const output_ref moved = model.add(op::transpose{}, {data, indices(model, {1, 0, 2})});
    const auto bound = [&](double value) { return scalar_of(model, value); };
    const node_id bytes =
        model.add_relaxed(op::fake_quantize{256}, {moved, bound(-1), bound(1), bound(0), bound(255)}, {{}, {u8}});
    model.result(model.add(op::convert{f32}, {bytes}), "y");
    graph optimized = model;
    optimize(optimized);
    for (const node_id id : topological_order(optimized)) {
        if (optimized[id].is<op::transpose>()) {
            CHECK(optimized[id].type() == u8);
            CHECK(optimized[optimized[id].input(0).node].is<op::fake_quantize>());
        }
    }
    CHECK(change_of_results(model) == 0);
}
