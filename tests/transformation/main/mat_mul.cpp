// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/main/mat_mul.hpp>

#include "two_inputs.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::testing;

namespace {

constexpr two_inputs product(const scale_and_zero_point& first, const scale_and_zero_point& second,
                             op::mat_mul what = {}, element type = u8, element second_type = i8) {
    two_inputs net;
    const output_ref a = net.activations(what.transpose_a ? shape{2, 4, 3} : shape{2, 3, 4}, first, type);
    net.add(what, {a, net.weights(what.transpose_b ? shape{5, 4} : shape{4, 5}, second, second_type)});
    return net;
}

constexpr bool mat_mul_reads_integers() {
    two_inputs net = product(single(0.1, 3), single(0.5));
    if (!net.run<mat_mul_transformation>()) {
        return false;
    }
    const node_id subtract = net.model.producer(net.output(), 0);
    const node_id multiplied = net.model.producer(subtract, 0);
    return net.model[subtract].is<op::subtract>() && net.value(subtract, 1).dimensions() == shape{1, 1, 5} &&
           net.model[multiplied].is<op::mat_mul>() && net.model.type(net.model[multiplied].input(0)) == u8 &&
           net.model.type(net.model[multiplied].input(1)) == i8 && net.model[multiplied].type() == f32;
}
static_assert(mat_mul_reads_integers());

}  // namespace

TEST_CASE("scales of both operands move behind MatMul, whichever way the operands are turned") {
    for (const bool transpose_a : {false, true}) {
        for (const bool transpose_b : {false, true}) {
            for (const scale_and_zero_point& first :
                 {single(0.1), single(0.1, 128),
                  scale_and_zero_point{{0.1, 0.2, 0.3}, transpose_a ? shape{1, 1, 3} : shape{1, 3, 1}},
                  scale_and_zero_point{{0.1}, {}, {1, 2, 3}, transpose_a ? shape{1, 1, 3} : shape{1, 3, 1}},
                  scale_and_zero_point{{0.1}, {}, {1, 2, 3, 4}, transpose_a ? shape{1, 4, 1} : shape{1, 1, 4}}}) {
                for (const scale_and_zero_point& second :
                     {single(0.5), scale_and_zero_point{{1, 2, 3, 4, 5}, transpose_b ? shape{5, 1} : shape{1, 5}}}) {
                    two_inputs net = product(first, second, {transpose_a, transpose_b});
                    CHECK(net.run<mat_mul_transformation>());
                    CHECK(net.difference() < 1e-5);
                }
            }
        }
    }
}

TEST_CASE("both operands may be activations") {
    two_inputs net;
    const output_ref a = net.activations({2, 3, 4}, single(0.1));
    net.add(op::mat_mul{}, {a, net.activations({2, 4, 5}, single(0.5), i8)});
    CHECK(net.run<mat_mul_transformation>());
    CHECK(net.difference() < 1e-5);
}

TEST_CASE("a FakeQuantize on the second operand becomes integers") {
    two_inputs net;
    const output_ref a = net.activations({2, 3, 4}, single(0.1, 3));
    net.add(op::mat_mul{}, {a, net.fake_quantized(net.numbers({4, 5}, f32), 255, {-20, -10, -20, -30, -40},
                                                  {20, 10, 20, 30, 40}, {1, 5})});
    CHECK(net.run<mat_mul_transformation>());
    const node_id subtract = net.model.producer(net.output(), 0);
    CHECK(net.input(net.model.producer(subtract, 0), 1).type() == i8);
    CHECK(net.difference() < 1e-5);
}

TEST_CASE("a zero point of the second operand that rounds to 0 goes away") {
    two_inputs net = product(single(0.1), single(0.5, 0.2));
    CHECK(net.run<mat_mul_transformation>());
    CHECK(net.input(net.model.producer(net.output(), 0), 1).is<op::constant>());
}

TEST_CASE("a zero point outside the type of the second operand keeps MatMul in floating point; upstream lets it wrap "
          "around") {
    const auto runs = [](double zero_point, bool follow) {
        two_inputs net;
        net.options.follow_upstream_errors = follow;
        const output_ref a = net.activations({2, 3, 4}, single(0.1));
        net.add(op::mat_mul{}, {a, net.activations({2, 4, 5}, single(0.5, zero_point), u8)});
        const bool changed = net.run<mat_mul_transformation>();
        CHECK(net.why() == (changed ? reason::none : reason::has_zero_point));
        return changed;
    };
    for (const bool follow : {true, false}) {
        CHECK(runs(0.4, follow));
        CHECK_FALSE(runs(-28, follow));
        CHECK_FALSE(runs(300, follow));
        CHECK(runs(-256, follow) == follow);
        CHECK(runs(255.6, follow) == follow);
    }
}

TEST_CASE("a zero point's term that f16 does not hold is infinite, or f32 where upstream is not followed") {
    for (const bool follow : {true, false}) {
        two_inputs net;
        net.options.follow_upstream_errors = follow;
        net.options.dequantization_precision = f16;
        const output_ref a = net.activations({2, 3, 8}, single(0.1, 250));
        const output_ref b = net.dequantize(net.model.constant(make_tensor(i8, {8, 2}, {127.0})), single(0.5));
        net.add(op::mat_mul{}, {a, b});
        CHECK(net.run<mat_mul_transformation>());
        CHECK((net.difference() < 1e-2) == !follow);
    }
}

TEST_CASE("the term of a zero point waits until many weights are read, unless it may be one value") {
    for (const bool transposed : {false, true}) {
        for (const bool equal : {false, true}) {
            two_inputs net;
            op::mat_mul what;
            what.transpose_b = transposed;
            const output_ref a = net.activations({1, 3, 128}, single(0.01, 3));
            const shape sizes = transposed ? shape{40, 128} : shape{128, 40};
            tensor_builder weights(i8, sizes);
            for (std::size_t i = 0; i < weights.elements(); ++i) {
                const std::size_t column = transposed ? i / 128 : i % 40;
                weights.integer(i, equal ? 5 : static_cast<std::int64_t>(column) - 20);
            }
            const output_ref b = net.model.constant(weights.finish());
            net.add(what, {a, net.dequantize(b, single(0.5))});
            CHECK(net.run<mat_mul_transformation>());
            const tensor& term = net.value(net.model.producer(net.output(), 0), 1);
            CHECK(term.waits() == !equal);
            CHECK(term.dimensions() == (equal ? shape{} : shape{1, 1, 40}));
            CHECK(net.difference() < 1e-3);
            CHECK_FALSE(term.waits());
        }
    }
}

TEST_CASE("simple questions about a term that waits, and about sums and products with it, do not compute it") {
    tensor_builder bytes(i8, shape{128, 40});
    for (std::size_t i = 0; i < bytes.elements(); ++i) {
        bytes.integer(i, static_cast<std::int64_t>(i % 40) - 20);
    }
    tensor_builder shift(f32, shape{40});
    for (std::size_t i = 0; i < 40; ++i) {
        shift.real(i, static_cast<double>(i) * 0.5);
    }
    graph model;
    const node_id term =
        model.constant(detail::uniform_zero_point_term(bytes.finish(), false, -3, f32, 3));  // 1 x 1 x 40
    const node_id shifts = model.constant(shift.finish());
    const node_id half = model.constant(make_scalar(f32, 0.5));
    const tensor results[] = {constant_of(model, term), evaluate_constants(model, op::add{}, {term, shifts}),
                              evaluate_constants(model, op::subtract{}, {shifts, term}),
                              evaluate_constants(model, op::multiply{}, {half, term}),
                              evaluate_constants(model, op::divide{}, {term, half})};
    for (const tensor& each : results) {
        const bool is_quotient = &each == &results[4];
        REQUIRE(each.waits());
        const late_facts known = each.facts_while_waiting();
        if (!is_quotient) {
            CHECK(is_finite(each));
            CHECK_FALSE(is_scalar_like(each));
            CHECK_FALSE(is_zero(each));
            CHECK(each.waits());
            CHECK(known.first == each.real(0));
            CHECK(known.second == each.real(1));
        }
        CHECK(is_finite(each));
        CHECK_FALSE(is_scalar_like(each));
        CHECK_FALSE(each.waits());
        for (std::size_t i = 0; i < each.elements(); ++i) {
            CHECK(math::absolute(each.real(i)) <= known.bound);
        }
    }
}

TEST_CASE("a scale with equal values along the axis that is summed counts as one value") {
    two_inputs net = product({{0.1}, {1, 1, 4}}, {{0.5}, {4, 1}});
    CHECK(net.run<mat_mul_transformation>());
    CHECK(net.value(net.output(), 1).dimensions() == shape{});
    CHECK(net.difference() < 1e-5);
}

TEST_CASE("a converted scale of the second operand is folded") {
    two_inputs net;
    const output_ref a = net.activations({2, 3, 4}, single(0.1));
    const output_ref scale =
        net.model.add(op::convert{f32}, {net.model.constant(make_tensor(f16, {1, 5}, view<double>({1, 2, 3, 4, 5})))});
    const output_ref converted = net.model.add(op::convert{f32}, {net.numbers({4, 5})});
    net.add(op::mat_mul{}, {a, net.model.add(op::multiply{}, {converted, scale})});
    CHECK(net.run<mat_mul_transformation>());
    CHECK(net.difference() < 1e-5);
}

TEST_CASE("the new operations have names that come from MatMul's") {
    two_inputs net = product(single(0.1, 3), single(0.5));
    CHECK(net.run<mat_mul_transformation>());
    CHECK(net.model[net.output()].name() == "operation");
    CHECK(net.input(net.output(), 0).name() == "operation/DequantizationSubtract");
    CHECK(net.input(net.model.producer(net.output(), 0), 0).name() == "operation_original");
}

TEST_CASE("MatMul stays in floating point") {
    SUBCASE("scales vary over the axis that is summed, in the first operand") {
        two_inputs net = product({{1, 2, 3, 4}, {1, 1, 4}}, single(0.5));
        CHECK_FALSE(net.run<mat_mul_transformation>());
        CHECK(net.why() == reason::varies_over_axis);
        CHECK(net.refusals.back().why.port == 0);
    }
    SUBCASE("a scale of fewer axes varies over it too") {
        two_inputs net = product({{1, 2, 3, 4}, {4}}, single(0.5));
        CHECK_FALSE(net.run<mat_mul_transformation>());
        CHECK(net.why() == reason::varies_over_axis);
    }
    SUBCASE("scales vary over the axis that is summed, in the second operand") {
        two_inputs net = product(single(0.1), {{1, 2, 3, 4}, {4, 1}});
        CHECK_FALSE(net.run<mat_mul_transformation>());
        CHECK(net.why() == reason::varies_over_axis);
        CHECK(net.refusals.back().why.port == 1);
    }
    SUBCASE("the second operand has a zero point") {
        two_inputs net = product(single(0.1), single(0.5, 3));
        CHECK_FALSE(net.run<mat_mul_transformation>());
        CHECK(net.why() == reason::has_zero_point);
    }
    SUBCASE("the first operand has a zero point and the second one is not constant") {
        two_inputs net;
        const output_ref a = net.activations({2, 3, 4}, single(0.1, 3));
        net.add(op::mat_mul{}, {a, net.activations({2, 4, 5}, single(0.5), i8)});
        CHECK_FALSE(net.run<mat_mul_transformation>());
        CHECK(net.why() == reason::has_zero_point);
        CHECK(net.refusals.back().why.port == 0);
    }
    SUBCASE("an operand is real") {
        two_inputs net = product(single(0.1), single(0.5), {}, f32);
        CHECK_FALSE(net.run<mat_mul_transformation>());
        CHECK(net.why() == reason::not_low_precision);
        two_inputs second = product(single(0.1), single(0.5), {}, u8, f32);
        CHECK_FALSE(second.run<mat_mul_transformation>());
        CHECK(second.refusals.back().why.port == 1);
    }
    SUBCASE("the FakeQuantize on the second operand needs a zero point") {
        two_inputs net;
        const output_ref a = net.activations({2, 3, 4}, single(0.1));
        net.add(op::mat_mul{}, {a, net.fake_quantized(net.numbers({4, 5}, f32), 255, {-10}, {20})});
        CHECK_FALSE(net.run<mat_mul_transformation>());
        CHECK(net.why() == reason::has_zero_point);
    }
    SUBCASE("the rank is not known") {
        two_inputs net;
        const output_ref a = net.activations(shape::of_dynamic_rank(), single(0.1));
        net.add(op::mat_mul{}, {a, net.weights({4, 5}, single(0.5))});
        CHECK_FALSE(net.run<mat_mul_transformation>());
        CHECK(net.why() == reason::dynamic_rank);
    }
}

TEST_CASE("columns of bytes are summed in words and one by one, whichever way the matrix is turned") {
    for (const element type : {i8, u8}) {
        for (const bool transposed : {false, true}) {
            const dimension rows = 301;
            const dimension columns = 3;
            tensor_builder values(type, transposed ? shape{columns, rows} : shape{rows, columns});
            std::int64_t expected[3] = {};
            for (std::size_t i = 0; i < values.elements(); ++i) {
                const std::int64_t value = static_cast<std::int64_t>(i * 71 % 256) - (type == i8 ? 128 : 0);
                values.integer(i, value);
                expected[transposed ? i / 301 : i % 3] += value;
            }
            const seq<std::int64_t> sums = lpt::detail::sums_of_columns(values.finish(), transposed);
            REQUIRE(sums.size() == 3);
            for (std::size_t column = 0; column < 3; ++column) {
                CHECK(sums[column] == expected[column]);
            }
        }
    }
}
