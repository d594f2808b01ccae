// SPDX-License-Identifier: Apache-2.0
#include "tests/executor/check.hpp"
#include "tests/plan/networks.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::testing;

namespace {

output_ref transposed(graph& model, output_ref data, const seq<std::int64_t>& order) {
    const shape count{static_cast<dimension>(order.size())};
    return model.add(op::transpose{}, {data, model.constant(make_integer_tensor(i64, count, order))});
}

/// Bytes [batch, places, heads, depth] of real numbers.
output_ref quantized(graph& model, output_ref data) { return quantize(model, data, i8, 0.02, 3); }
output_ref dequantized(graph& model, output_ref bytes) {
    return multiplied(model, shifted(model, bytes, make_scalar(i8, 3)), make_scalar(f32, 0.02));
}

constexpr dimension places = 19;
const shape input_shape{2, places, 3, 8};

struct attention_network {
    graph model;
    output_ref query = model.parameter(f32, input_shape, "q");
    output_ref key = model.parameter(f32, input_shape, "k");
    output_ref value = model.parameter(f32, input_shape, "v");

    /// Queries and values of bytes, keys of bytes that two Transposes move; `masks`: numbers that are added.
    output_ref attend(bool masks) {
        const output_ref q = dequantized(model, transposed(model, quantized(model, query), {0, 2, 1, 3}));
        const output_ref columns = transposed(model, quantized(model, key), {0, 2, 3, 1});
        const output_ref k = dequantized(model, transposed(model, columns, {0, 1, 3, 2}));
        const output_ref v = transposed(model, value, {0, 2, 1, 3});
        if (!masks) {
            return model.add(op::scaled_dot_product_attention{true}, {q, k, v}, {}, 13);
        }
        const tensor mask = numbers(f32, shape{2, 1, 1, places}, -1, 0.3, 1);
        return model.add(op::scaled_dot_product_attention{}, {q, k, v, model.constant(mask)}, {}, 13);
    }
};

runnable runnable_of(const graph& model) {
    std::vector<tensor> inputs;
    for (int i = 0; i < 3; ++i) {
        inputs.push_back(numbers(f32, input_shape, -2 + i, 0.137 + 0.01 * i, 2));
    }
    return {"attention", model, {inputs, inputs}};
}

std::size_t steps_of(const plan::network& net, const std::string& kernel) {
    std::size_t result = 0;
    for (const plan::step& each : net.steps) {
        result += each.kernel.rfind(kernel, 0) == 0 ? 1 : 0;
    }
    return result;
}

/// Attention whose heads of queries share `heads` of keys and values, so many times each; queries, keys and values of a type.
struct shared_heads {
    enum class change { none, other_reader, named_axes, types, values };

    std::int64_t heads;
    dimension queries;
    element type;
    change what = change::none;
    std::int64_t times = 3;
    graph model{};

    output_ref read(const char* name, const shape& sizes) {
        const output_ref data = model.parameter(f32, sizes, name);
        return type == i8 ? quantized(model, data) : data;
    }
    output_ref real(output_ref data) { return type == i8 ? dequantized(model, data) : data; }
    output_ref repeated(output_ref apart) {
        const shape wide{2, heads, times, places, 8};
        const output_ref sizes = model.constant(make_indices({2, heads, times, places, 8}));
        op::broadcast how;
        how.mode = what == change::named_axes ? op::broadcast_mode::explicit_axes : op::broadcast_mode::bidirectional;
        seq<output_ref> inputs{apart, sizes};
        if (what == change::named_axes) {
            inputs.push_back(model.constant(make_indices({1, 0, 2, 3, 4})));
        }
        const node_id broad = what == change::types ? model.add_relaxed(how, inputs, {{f32, i64}, {f16}}, {}, 3)
                                                    : model.add(how, inputs, {}, 3);
        const output_ref target = model.constant(make_indices({2, heads * times, places, 8}));
        return what == change::types ? model.add_relaxed(op::reshape{}, {broad, target}, {{f16, i64}, {f32}})
                                     : model.add(op::reshape{}, {broad, target});
    }
    void attend(const shape& mask, bool causal = false) {
        const shape apart{2, heads, 1, places, 8};
        const output_ref q = real(read("q", shape{2, heads * times, queries, 8}));
        const output_ref keys = repeated(read("k", apart));
        const output_ref values =
            what == change::values ? read("v", shape{2, heads * times, places, 8}) : repeated(read("v", apart));
        seq<output_ref> inputs{q, real(keys), real(values)};
        if (mask.rank() != 0) {
            inputs.push_back(model.constant(numbers(f32, mask, -1, 0.3, 1)));
        }
        model.result(model.add(op::scaled_dot_product_attention{causal}, inputs, {}, 13));
        if (what == change::other_reader) {
            model.result(model.add(op::relu{}, {keys}));
        }
    }
    std::size_t gathers() const { return steps_of(plan_of(model), "gather"); }
    std::size_t references() const { return steps_of(plan_of(model), "reference"); }
    std::string difference() const {
        std::vector<tensor> data;
        for (const node_id parameter : model.parameters()) {
            data.push_back(numbers(f32, model.shape(parameter), -2, 0.137, 2));
        }
        check_counts counts;
        return check_network({"shared heads", model, {data}}, 1, counts);
    }
};

}  // namespace

TEST_CASE("Attention reads bytes and Transposes of its inputs itself, with the results of the operations apart") {
    for (const bool masks : {false, true}) {
        attention_network net;
        net.model.result(net.attend(masks));
        const plan::network planned = plan_of(net.model);
        CHECK(steps_of(planned, "attention") == 1);
        CHECK(steps_of(planned, "gather") == 0);
        CHECK(planned.steps.size() == 3);  // two quantizations
        check_counts counts;
        CHECK(check_network(runnable_of(net.model), 1, counts) == "");
        CHECK(counts.steps.without_bound == 0);
    }
}

TEST_CASE("Heads of keys and values that several heads of queries share are not repeated in memory") {
    for (const std::int64_t heads : {1, 2}) {
        for (const dimension queries : {1, 5}) {
            for (const element type : {f32, i8}) {
                for (const shape& mask :
                     {shape{}, shape{1, 3 * heads, queries, places}, shape{2, 1, 1, places}, shape{queries, places}}) {
                    shared_heads net{heads, queries, type};
                    net.attend(mask);
                    CHECK(net.gathers() == 0);
                    CHECK(net.difference() == "");
                }
                for (const std::int64_t times : {2, 3}) {
                    shared_heads causal{heads, queries, type, shared_heads::change::none, times};
                    causal.attend({}, true);
                    CHECK(causal.gathers() == 0);
                    CHECK(causal.difference() == "");
                }
            }
        }
    }
}

TEST_CASE("Repeated heads are repeated in memory where something else reads them, axes are named, types change, or "
          "values are not repeated") {
    using change = shared_heads::change;
    for (const change each : {change::other_reader, change::named_axes, change::types, change::values}) {
        CAPTURE(static_cast<int>(each));
        shared_heads net{2, 4, f32};
        net.what = each;
        net.attend({});
        CHECK(net.gathers() + net.references() >= 1);
        CHECK(net.difference() == "");
    }
}

TEST_CASE("A Transpose that something else reads, too, stays a step of its own") {
    attention_network net;
    const output_ref v = transposed(net.model, net.value, {0, 2, 1, 3});
    const output_ref q = transposed(net.model, net.query, {0, 2, 1, 3});
    const output_ref k = transposed(net.model, net.key, {0, 2, 1, 3});
    net.model.result(net.model.add(op::scaled_dot_product_attention{}, {q, k, v}, {}, 13));
    net.model.result(net.model.add(op::relu{}, {v}));
    const plan::network planned = plan_of(net.model);
    CHECK(steps_of(planned, "gather") == 1);
    CHECK(steps_of(planned, "attention") == 1);
    check_counts counts;
    CHECK(check_network(runnable_of(net.model), 2, counts) == "");
}

TEST_CASE("Gather with computed indices is a step that moves blocks; negative indices count from the back") {
    for (const element type : {i32, i64}) {
        graph model;
        const output_ref data = model.parameter(f32, shape{2, 5, 3}, "data");
        const output_ref where = model.parameter(type, shape{2, 4}, "where");
        const output_ref axis = model.constant(make_scalar(i64, 1));
        model.result(model.add(op::gather{}, {data, where, axis}, "rows", 8));
        model.result(model.add(op::gather{1}, {data, where, axis}, "rows", 8));
        CHECK(steps_of(plan_of(model), "gather") == 2);
        const std::vector<tensor> inputs{numbers(f32, shape{2, 5, 3}, 0, 1, 100),
                                         make_integer_tensor(type, shape{2, 4}, {0, -1, 3, -5, 4, 1, 1, 2})};
        check_counts counts;
        CHECK(check_network({"gather", model, {inputs}}, 1, counts) == "");
        executable net = compile(model);
        const std::vector<tensor> wrong{inputs[0], make_integer_tensor(type, shape{2, 4}, {0, 0, 0, 5, 0, 0, 0, 0})};
        CHECK_THROWS_WITH_AS(net.run(wrong), "Gather 'rows': index 5 is outside an axis of size 5", lpt::error);
    }
}
