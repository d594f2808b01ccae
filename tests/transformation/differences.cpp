// SPDX-License-Identifier: Apache-2.0
// What the tests of transformations compare values with.
#include "main/two_inputs.hpp"
#include "prerequisites/rewritten.hpp"
#include "tests/support/spoil.hpp"
#include "tests/support/tensor_difference.hpp"

#include <doctest/doctest.h>

#include <sstream>

using namespace lpt;
using namespace lpt::support;

namespace {

constexpr double not_a_number = math::not_a_number;
constexpr double infinite = math::infinity;

tensor values(view<double> numbers, element type = f32) {
    return make_tensor(type, shape{static_cast<dimension>(numbers.size())}, numbers);
}
/// True where no comparison with a limit holds.
bool passes_nothing(const tensor_difference& found) {
    return !found.is_measured() && !(found < infinite) && !(found <= infinite) && !(found > 0) && !(found == 0) &&
           !found.where.empty();
}

/// What a helper with `before` and `model` says of a network and what became of it.
template <class Helper>
auto comparison_by(Helper& helper) {
    return [&](const graph& before, const graph& after) {
        helper.before = before;
        helper.model = after;
        return helper.difference();
    };
}

}  // namespace

TEST_CASE("equal values have no difference, others the greatest one, with its place and that of the first") {
    CHECK(difference_of(values({1, 2, infinite}), values({1, 2, infinite})) == 0);
    CHECK(difference_of(values({1, 2}), values({1, 2})).where.empty());
    const tensor_difference found = difference_of(values({1, 2, 3, 4}), values({1, 2.5, 3, 7}));
    CHECK(found == 3);
    CHECK(found > 2.5);
    CHECK_FALSE(found < 3);
    CHECK(found.where == "element 3: 7 instead of 4; the first is element 1: 2.5 instead of 2");
    CHECK(difference_of(values({1, 100}), values({1, 90}), nan_values::wrong, measure::relative) == 0.1);
    CHECK(difference_of(values({infinite}), values({5})) == infinite);
    CHECK(difference_of(values({5}), values({-infinite}), nan_values::wrong, measure::relative) == infinite);
}

TEST_CASE("a NaN passes only where it is expected, and only on both sides") {
    CHECK(passes_nothing(difference_of(values({1, 2}), values({1, not_a_number}))));
    CHECK(passes_nothing(difference_of(values({1, 2}), values({not_a_number, not_a_number}))));
    CHECK(passes_nothing(difference_of(values({not_a_number, 2}), values({1, 2}))));
    CHECK(passes_nothing(difference_of(values({not_a_number}), values({not_a_number}))));
    CHECK(difference_of(values({not_a_number, 2}), values({not_a_number, 2}), nan_values::expected) == 0);
    CHECK(passes_nothing(difference_of(values({1, 2}), values({1, not_a_number}), nan_values::expected)));
    CHECK(passes_nothing(difference_of(values({not_a_number, 2}), values({1, 2}), nan_values::expected)));
}

TEST_CASE("another shape, type or number of results passes nothing") {
    CHECK(passes_nothing(difference_of(values({1, 2}), values({1, 2, 3}))));
    CHECK(passes_nothing(difference_of(values({1, 2}), make_tensor(f32, {2, 1}, {1, 2}))));
    CHECK(passes_nothing(difference_of(values({1, 2}), values({1, 2}, f16))));
    CHECK(passes_nothing(difference_of(std::vector{values({1})}, std::vector{values({1}), values({1})})));
    CHECK(passes_nothing(
        difference_of(std::vector{values({5}), values({1})}, std::vector{values({1}), values({not_a_number})})));
    CHECK(passes_nothing(
        difference_of(std::vector{values({not_a_number}), values({1})}, std::vector{values({1}), values({9})})));
}

TEST_CASE("large integers that are one number in double differ") {
    const auto whole = [](std::int64_t value) { return make_integer_tensor(i64, {1}, {value}); };
    CHECK(difference_of(whole((1ll << 60) + 1), whole(1ll << 60)) == 1);
    CHECK(difference_of(whole(1ll << 60), whole(1ll << 60)) == 0);
}

TEST_CASE("a difference is printed with its place") {
    std::ostringstream out;
    out << difference_of(values({1}), values({2}));
    CHECK(out.str() == "1 (element 0: 2 instead of 1)");
}

TEST_CASE("the networks of the tests of transformations are compared strictly") {
    testing::rewritten rewritten;
    const node_id data = rewritten.input({1, 3, 4}, f32);
    rewritten.model.result(rewritten.model.add(op::relu{}, {data}));
    CHECK(notices_all_damages(graph(rewritten.model), comparison_by(rewritten)));

    testing::dequantized dequantized({1, 4, 2, 2}, testing::single(0.5));
    dequantized.add(op::relu{});
    CHECK(notices_all_damages(graph(dequantized.model), comparison_by(dequantized)));

    testing::two_inputs two;
    const testing::scale_and_zero_point halves = testing::single(0.5);
    two.add(op::add{}, {two.activations({1, 3}, halves), two.activations({1, 3}, halves)});
    CHECK(notices_all_damages(graph(two.model), comparison_by(two)));
}
