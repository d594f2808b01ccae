// SPDX-License-Identifier: Apache-2.0
#include "tests/optimization/networks.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::testing;

namespace {

output_ref bound_of(graph& model, const shape& dimensions, double value) {
    tensor_builder values(f32, dimensions);
    for (std::size_t i = 0; i < values.elements(); ++i) {
        values.real(i, value);
    }
    return model.constant(values.finish());
}
/// A FakeQuantize that gives bytes, and real numbers made of them.
output_ref quantized(graph& model, output_ref data, const shape& bounds) {
    const auto bound = [&](double value) { return bound_of(model, bounds, value); };
    const node_id bytes =
        model.add_relaxed(op::fake_quantize{256}, {data, bound(-1), bound(1), bound(0), bound(255)}, {{}, {u8}});
    return model.add(op::convert{f32}, {bytes});
}
/// The node that gives what the only node of a kind reads first.
const node& above(const graph& model, op::kind kind) {
    node_id found = node_id::none;
    for (const node_id id : topological_order(model)) {
        if (model[id].kind() == kind) {
            REQUIRE(found == node_id::none);
            found = id;
        }
    }
    REQUIRE(found != node_id::none);
    return model[model[found].input(0).node];
}

}  // namespace

TEST_CASE("A FakeQuantize that gives bytes goes before the movements that it reads, with the same result") {
    for (const shape& bounds : {shape{}, shape{1, 1, 1, 1}}) {
        graph model;
        const output_ref data = model.add(op::abs{}, {model.parameter(f32, {2, 15, 8}, "x")});
        const output_ref parts = model.add(op::reshape{}, {data, indices(model, {2, 3, 5, 8})});
        const output_ref moved = model.add(op::transpose{}, {parts, indices(model, {0, 2, 1, 3})});
        model.result(model.add(op::negative{}, {quantized(model, moved, bounds)}), "y");
        CHECK(optimized_operations_of(model) == kinds{op::kind::abs, op::kind::fake_quantize, op::kind::reshape,
                                                      op::kind::transpose, op::kind::convert, op::kind::negative});
        CHECK(change_of_results(model) == 0);
        optimize(model);
        CHECK(above(model, op::kind::transpose).type() == u8);
    }
}

TEST_CASE("Axes of one element that are taken away or added are passed, too, and those of unknown size") {
    for (const dimension rows : {dimension(2), dynamic_dimension}) {
        graph model;
        const output_ref data = model.add(op::abs{}, {model.parameter(f32, {rows, 1, 8}, "x")});
        const output_ref narrow = model.add(op::squeeze{}, {data, indices(model, {1})});
        const output_ref wide = model.add(op::unsqueeze{}, {narrow, indices(model, {0, 3})});
        model.result(model.add(op::negative{}, {quantized(model, wide, {1})}), "y");
        CHECK(optimized_operations_of(model) == kinds{op::kind::abs, op::kind::fake_quantize, op::kind::squeeze,
                                                      op::kind::unsqueeze, op::kind::convert, op::kind::negative});
        if (rows == 2) {
            CHECK(change_of_results(model) == 0);
        }
    }
}

TEST_CASE("Bounds that two of them share stay those of both") {
    graph model;
    const output_ref bounds[] = {bound_of(model, {1, 1, 1}, -1), bound_of(model, {1, 1, 1}, 1),
                                 bound_of(model, {1, 1, 1}, 0), bound_of(model, {1, 1, 1}, 255)};
    for (const char* const name : {"x", "y"}) {
        const output_ref data = model.add(op::abs{}, {model.parameter(f32, {2, 3, 8}, name)});
        const output_ref moved = model.add(op::transpose{}, {data, indices(model, {1, 0, 2})});
        const node_id bytes =
            model.add_relaxed(op::fake_quantize{256}, {moved, bounds[0], bounds[1], bounds[2], bounds[3]}, {{}, {u8}});
        model.result(model.add(op::convert{f32}, {bytes}));
    }
    CHECK(change_of_results(model) == 0);
}

TEST_CASE("What others read, ranges for channels, results of the network and real numbers stay behind the movement") {
    graph model;
    const output_ref data = model.add(op::abs{}, {model.parameter(f32, {2, 3, 8}, "x")});
    const output_ref moved = model.add(op::transpose{}, {data, indices(model, {1, 0, 2})});
    SUBCASE("others read it") {
        model.result(model.add(op::negative{}, {quantized(model, moved, {})}), "y");
        model.result(model.add(op::exp{}, {moved}), "z");
    }
    SUBCASE("ranges for channels") {
        model.result(model.add(op::negative{}, {quantized(model, moved, {3, 1, 1})}), "y");
    }
    SUBCASE("a result") {
        const auto bound = [&](double value) { return scalar_of(model, value); };
        model.result(
            model.add_relaxed(op::fake_quantize{256}, {moved, bound(-1), bound(1), bound(0), bound(255)}, {{}, {u8}}),
            "y");
    }
    SUBCASE("real numbers") {
        const auto bound = [&](double value) { return scalar_of(model, value); };
        const node_id real = model.add(op::fake_quantize{256}, {moved, bound(-1), bound(1), bound(-1), bound(1)});
        model.result(model.add(op::negative{}, {real}), "y");
    }
    CHECK(optimized_operations_of(model) == operations_of(model));
    CHECK(change_of_results(model) == 0);
}

TEST_CASE("Factors of a product are quantized before they are moved where the product lets them give bytes") {
    graph model;
    const auto factor = [&](const char* name, std::initializer_list<std::int64_t> order) {
        const output_ref data = model.add(op::abs{}, {model.parameter(f32, {2, 4, 3, 8}, name)});
        const output_ref moved = model.add(op::transpose{}, {data, indices(model, order)});
        const auto bound = [&](double value) { return scalar_of(model, value); };
        return output_ref(model.add(op::fake_quantize{256}, {moved, bound(-1), bound(1.55), bound(-1), bound(1.55)}));
    };
    const output_ref left = factor("x", {0, 2, 1, 3});
    model.result(model.add(op::mat_mul{}, {left, factor("y", {0, 2, 3, 1})}), "product");
    const support::tensor_difference change = change_of_results(model);
    CHECK(change < 1e-4);
    optimize(model);
    std::size_t moved_bytes = 0;
    for (const node_id id : topological_order(model)) {
        if (model[id].is<op::transpose>()) {
            moved_bytes += model[model[id].input(0).node].is<op::fake_quantize>() && model[id].type() == u8 ? 1 : 0;
        }
    }
    CHECK(moved_bytes == 2);
}
