// SPDX-License-Identifier: Apache-2.0
#include "tests/optimization/networks.hpp"
#include "tests/support/bodies.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::testing;

namespace {

/// A quantized matrix product and functions around it, in a type of 16 bits.
graph half_network(element type) {
    graph model;
    const output_ref data = model.parameter(type, {2, 8}, "data");
    const auto number = [&](double value) { return output_ref(model.constant(make_scalar(type, value))); };
    const node_id quantized =
        model.add(op::fake_quantize{256}, {data, number(-4), number(4), number(-4), number(4)}, "quantized");
    tensor_builder weights(type, {8, 3});
    for (std::size_t i = 0; i < weights.elements(); ++i) {
        weights.real(i, static_cast<double>(i % 7) / 4 - 0.75);
    }
    const node_id product = model.add(op::mat_mul{}, {quantized, model.constant(weights.finish())}, "product");
    const node_id active = model.add(op::relu{}, {product}, "active");
    model.set_tensor_names(active, {"active:0"});
    model.result(active);
    const node_id positive = model.add(op::greater{}, {active, number(0.5)}, "positive");
    model.result(model.add(op::convert{i32}, {positive}), "count");
    return model;
}

std::vector<element> types_of_operations(const graph& model) {
    std::vector<element> result;
    for (const node_id id : topological_order(model)) {
        const node& each = model[id];
        if (!each.is<op::constant>() && !each.is<op::parameter>() && !each.is<op::result>() &&
            !each.is<op::convert>()) {
            result.push_back(each.type());
        }
    }
    return result;
}

}  // namespace

TEST_CASE("Operations on 16 bits compute in f32; inputs, outputs and their names stay") {
    for (const element type : {f16, bf16}) {
        graph model = half_network(type);
        optimize(model);
        verify(model);
        CHECK(types_of_operations(model) == std::vector<element>{f32, f32, f32, boolean});
        CHECK(model[model.parameters()[0]].type() == type);
        const node_id out = model.results()[0];
        CHECK(model[out].type() == type);
        CHECK(model[out].name() == text("active"));
        CHECK(model[model.producer(out, 0)].tensor_names() == seq<text>{"active:0"});
        CHECK(model[model.results()[1]].type() == i32);
    }
}

TEST_CASE("Results in f32 are those of 16 bits but for their rounding") {
    CHECK(change_of_results(half_network(f16)) < 0.02);
    CHECK(change_of_results(half_network(bf16)) < 0.2);
}

TEST_CASE("What overflowed in f16 is a number") {
    graph model;
    const output_ref data = model.parameter(f16, {1}, "data");
    const node_id square = model.add(op::multiply{}, {data, data});
    model.result(model.add(op::sqrt{}, {square}));
    const std::vector<tensor> large{make_tensor(f16, {1}, {1000})};
    const auto result = [&] { return reference::evaluate<float>(model, view<tensor>(large.data(), 1))[0].real(0); };
    CHECK(math::is_infinite(result()));
    optimize(model);
    CHECK(result() == 1000);
}

TEST_CASE("Variables and a Range of 16 bits keep what is seen of them outside") {
    graph model;
    const output_ref data = model.parameter(f16, {2}, "data");
    const node_id start = model.constant(make_tensor(f16, {2}, {1, 2}));
    const node_id before = model.add(op::read_value{"sum", f16, {2}}, {start});
    const node_id sum = model.add(op::add{}, {before, data}, "sum");
    model.add(op::assign{"sum", f16, {2}}, {sum});
    const auto index = [&](std::int64_t value) {
        return output_ref(model.constant(make_scalar(i64, static_cast<double>(value))));
    };
    model.result(sum);
    model.result(model.add(op::range{f16}, {index(0), index(3), index(1)}));
    graph optimized = model;
    optimize(optimized);
    verify(optimized);
    CHECK(optimized[optimized.results()[0]].type() == f16);
    CHECK(optimized[optimized.results()[1]].type() == f16);
    CHECK(change_of_results(model) == 0);
}

TEST_CASE("Bodies compute in f32 between inputs and outputs of 16 bits") {
    graph model;
    const output_ref data = model.parameter(f16, {2, 4, 1}, "data");
    const output_ref start = model.parameter(f16, {2, 1, 1}, "start");
    op::tensor_iterator what;
    what.input_map = {test::sliced(0, 0, {1, 0, 1, 1, -1}), test::fed_back(1, 1, 0)};
    what.output_map = {test::last(0, 0), test::concatenated(1, 1, {1, 0, 1, 1, -1})};
    what.declared_outputs = {{f16, {2, 1, 1}}, {f16, {2, 4, 1}}};
    const graph bodies[] = {test::summing_body(f16, {2, 1, 1})};
    const node_id sums = test::add_with_bodies(model, what, {data, start}, bodies, "sums");
    model.result(output_ref(sums, 0));
    model.result(model.add(op::relu{}, {output_ref(sums, 1)}, "positive"));
    graph optimized = model;
    optimize(optimized);
    verify(optimized);
    CHECK(types_of_operations(optimized) == std::vector<element>{f16, f32});
    CHECK(types_of_operations(optimized[optimized.producer(optimized.results()[0], 0)].bodies()[0]) ==
          std::vector<element>{f32, f32});
    CHECK(change_of_results(model) < 0.1);  // a step of f16 at 128
}

TEST_CASE("A network without numbers of 16 bits stays as it is") {
    graph model;
    model.result(model.add(op::relu{}, {model.parameter(f32, {2}, "data")}));
    CHECK(optimized_operations_of(model) == kinds{op::kind::relu});
}
