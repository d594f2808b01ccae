// SPDX-License-Identifier: Apache-2.0
#include <lpt/constant/constant.hpp>

#include <doctest/doctest.h>

#include <vector>

using namespace lpt;

namespace {

constexpr tensor row(element type, view<double> values) {
    return make_tensor(type, shape{1, static_cast<dimension>(values.size())}, values);
}
/// What the graph says of an operation on two constants.
template <class Op>
tensor folded(const tensor& a, const tensor& b) {
    graph model;
    const output_ref left = model.constant(a);
    const output_ref right = model.constant(b);
    return constant_of(model, fold_operation(model, Op{}, {left, right}).node);
}

}  // namespace

static_assert((constant(make_scalar(f32, 3)) * constant(row(f32, {1, 2}))).values() == row(f32, {3, 6}));
static_assert((constant(row(f32, {6, 1})) / constant(row(f32, {3, 4})) - constant(row(f32, {1, 1}))).values() ==
              row(f32, {1, -0.75}));
static_assert((-constant(row(f32, {6, -1}))).values() == row(f32, {-6, 1}));

TEST_CASE("a step of constants is what folding the operation gives") {
    for (const element type : {f16, f32, f64}) {
        for (const std::size_t count : {1u, 3u, 5u, 64u, 5000u}) {
            std::vector<double> numbers;
            for (std::size_t i = 0; i < count; ++i) {
                numbers.push_back(0.37 * static_cast<double>(i) - 3.1);
            }
            const tensor many = row(type, view<double>(numbers.data(), count));
            for (const tensor& other : {make_scalar(type, 0.7), many, row(type, {1e-3})}) {
                const constant a(many);
                const constant b(other);
                CHECK((a + b).values() == folded<op::add>(many, other));
                CHECK((a - b).values() == folded<op::subtract>(many, other));
                CHECK((a * b).values() == folded<op::multiply>(many, other));
                CHECK((b / a).values() == folded<op::divide>(other, many));
            }
            CHECK((-constant(many)).values().real(count - 1) == -many.real(count - 1));
        }
    }
    CHECK_THROWS((constant(make_scalar(f16, 1)) + constant(make_scalar(f32, 1))));
    CHECK_THROWS((constant(row(f32, {1, 2})) + constant(row(f32, {1, 2, 3}))));
}

TEST_CASE("steps on values that wait wait, too") {
    const tensor many(f32, shape{5000}, bytes(seq<std::byte>(20000, std::byte{})));
    const constant late = constant(many).as(f16).as(f32);
    REQUIRE(late.values().waits());
    const constant sum = late * late + late;
    CHECK(sum.values().waits());
    CHECK((-late).values().waits());
    CHECK(sum.values().real(4999) == 0);
}

TEST_CASE("a constant that no step changed stays the node that it was") {
    graph model;
    const node_id scale = model.constant(row(f32, {2, 2}), "scale");
    const constant value(model, scale);
    CHECK(value.as(f32).in(model) == scale);
    CHECK(value.as(f16).in(model) != scale);
    CHECK(value.to_scalar().in(model) != scale);
    CHECK(value.to_scalar().values() == make_scalar(f32, 2));
    const node_id mixed = model.constant(row(f32, {2, 3}));
    CHECK(constant(model, mixed).to_scalar().in(model) == mixed);
}

TEST_CASE("a quotient of zeros is 0, and has the shape of the constant with more values") {
    CHECK(quotient_or_zero(row(f32, {0, 1}), row(f32, {0, 4})).values() == row(f32, {0, 0.25}));
    CHECK(quotient_or_zero(row(f32, {0, 1, 0, 3, 0}), make_scalar(f32, 0)).values().real(1) == math::infinity);
    CHECK(quotient_or_zero(row(f32, {0, 1, 0, 3, 0}), make_scalar(f32, 0)).values().real(4) == 0);
    CHECK(quotient_or_zero(row(f32, {6}), make_scalar(f16, 3)).values() == make_scalar(f16, 2));
    CHECK(quotient_or_zero(row(f16, {6, 9}), make_scalar(f16, 3)).values() == row(f16, {2, 3}));
    CHECK(quotient_or_zero(row(f16, {1}), row(f16, {3, 7})).values() == row(f16, {1.0 / 3, 1.0 / 7}));
    CHECK_THROWS(quotient_or_zero(row(f32, {1, 2}), row(f32, {1, 2, 3})));
}

TEST_CASE("every second value twice") {
    CHECK(first_of_every(row(f32, {1, 2, 3, 4}), 2, 2).values() == make_tensor(f32, shape{4}, {1, 1, 3, 3}));
    CHECK(first_of_every(row(f32, {1, 2}), 1, 1).values() == row(f32, {1, 2}));
}
