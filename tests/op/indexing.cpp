// SPDX-License-Identifier: Apache-2.0
#include "inferred.hpp"

#include <lpt/op/indexing.hpp>

using namespace lpt;
using namespace lpt::test;

static_assert(inferred(op::shape_of{.output_type = i32}, of(f32, {1, -1, 4})) == "i32[3]");
// In a function, because g++ 12 cannot compare addresses of temporaries outside of one.
static_assert([] { return inferred(op::top_k{.axis = 1}, of(f32, {2, 10}), number(i64, 3)) == "f32[2,3] i32[2,3]"; }());
static_assert(attribute_names<op::shape_of>(0) == "" && attribute_names<op::shape_of>(3) == "output_type");
static_assert(attribute_names<op::top_k>(3) == "axis mode sort index_element_type");
static_assert(attribute_names<op::top_k>(11) == "axis mode sort index_element_type stable");
static_assert(attribute_names<op::one_hot>(1) == "axis");
static_assert(survives_reading(op::top_k{-1, op::top_k_mode::min, op::top_k_sort::value, i64, true}, 11));
static_assert(survives_reading(op::one_hot{.axis = 1, .negative_indices_mode = op::one_hot_negative_indices::normalize},
                               16));
static_assert(survives_reading(op::cum_sum{.exclusive = true, .reverse = true}, 0));

TEST_CASE("indexing attributes are read from the published words") {
    const auto top = read<op::top_k>(11, {word("axis", "1"), word("mode", "min"), word("sort", "index"),
                                          word("index_element_type", "i64"), word("stable", "true")});
    CHECK((top == op::top_k{1, op::top_k_mode::min, op::top_k_sort::index, i64, true}));
    CHECK(read<op::range>(4, {word("output_type", "f32")}).output_type == f32);
}

TEST_CASE("ShapeOf gives one size for each axis") {
    CHECK(inferred(op::shape_of{}, 0, of(f32, {2, 3})) == "i64[2]");
    CHECK(inferred(op::shape_of{}, 3, of(f32, {})) == "i64[0]");
    CHECK(inferred(op::shape_of{}, 3, anything()) == "i64[?]");
    LPT_CHECK_WRONG(inferred(op::shape_of{.output_type = f32}, 3, of(f32, {2})),
                    "output_type must be i32 or i64, not f32");
}

TEST_CASE("Range has as many values as steps fit before the stop") {
    const op::range real{.output_type = f32};
    CHECK(inferred(real, 4, number(f32, 0), number(f32, 1), number(f32, 0.25)) == "f32[4]");
    CHECK(inferred(real, 4, number(f32, 0), number(f32, 1.1), number(f32, 0.5)) == "f32[3]");
    CHECK(inferred(real, 4, number(f32, 5), number(f32, 1), number(f32, -2)) == "f32[2]");
    CHECK(inferred(real, 4, number(f32, 5), number(f32, 1), number(f32, 2)) == "f32[0]");
    CHECK(inferred(op::range{}, 0, number(i32, 1), number(i32, 6), number(i32, 2)) == "i32[3]");
}

TEST_CASE("Range with integer output rounds its inputs towards zero first") {
    const op::range whole{.output_type = i64};
    CHECK(inferred(whole, 4, number(f32, 0.9), number(f32, 3.9), number(f32, 1.9)) == "i64[3]");
}

TEST_CASE("Range has an unknown size as long as one of its values is unknown") {
    const op::range whole{.output_type = i64};
    input stop = partly({7});
    stop.dimensions = {};
    CHECK(inferred(whole, 4, number(i64, 2), stop, number(i64, 1)) == "i64[5]");
    stop.values = {op::unknown_value};
    CHECK(inferred(whole, 4, number(i64, 2), stop, number(i64, 1)) == "i64[?]");
    CHECK(inferred(op::range{}, 0, of(f32, {}), anything(), of(f32, {})) == "f32[?]");
}

TEST_CASE("Range refuses a step of 0, infinite ranges, tensors and, in version 0, different types") {
    const op::range whole{.output_type = i64};
    const op::range real{.output_type = f32};
    LPT_CHECK_WRONG(inferred(whole, 4, number(i64, 2), of(i64, {}), number(i64, 0)), "step must not be 0");
    LPT_CHECK_WRONG(inferred(whole, 4, number(f32, 2), of(f32, {}), number(f32, 0.5)), "step must not be 0");
    LPT_CHECK_WRONG(inferred(real, 4, number(f32, 0), number(f32, math::infinity), number(f32, 1)),
                    "do not give a finite number of values");
    LPT_CHECK_WRONG(inferred(real, 4, of(f32, {2}), of(f32, {}), of(f32, {})), "input 0 must be a single number");
    LPT_CHECK_WRONG(inferred(op::range{}, 0, of(f32, {}), of(i32, {}), of(f32, {})), "not f32 and i32");
}

TEST_CASE("TopK cuts its axis to k in both outputs") {
    const op::top_k by_rows{.axis = -1, .index_element_type = i64};
    CHECK(inferred(by_rows, of(f16, {-1, 10}), indices({4})) == "f16[?,4] i64[?,4]");
    CHECK(inferred(by_rows, of(f16, {3, 10}), of(i64, {})) == "f16[3,?] i64[3,?]");
    CHECK(inferred(by_rows, anything(), number(i32, 4)) == "dynamic? i64?");
}

TEST_CASE("TopK refuses impossible k, axes and index types") {
    const op::top_k by_rows{.axis = 1};
    const input data = of(f32, {2, 10});
    LPT_CHECK_WRONG(inferred(by_rows, data, number(i64, 11)), "k is 11, but axis 1 of the data has only size 10");
    LPT_CHECK_WRONG(inferred(by_rows, data, number(i64, -1)), "k must not be negative");
    LPT_CHECK_WRONG(inferred(by_rows, data, number(f32, 1)), "input 1 must be of an integer type, not f32");
    LPT_CHECK_WRONG(inferred(by_rows, data, indices({1, 2})), "input 1 must be a single number");
    LPT_CHECK_WRONG(inferred(op::top_k{.axis = 2}, data, number(i64, 1)), "axis 2 is outside the rank");
    LPT_CHECK_WRONG(inferred(op::top_k{.axis = 1, .index_element_type = u8}, data, number(i64, 1)),
                    "index_element_type must be i32 or i64, not u8");
}

TEST_CASE("CumSum keeps the shape and checks its axis") {
    CHECK(inferred(op::cum_sum{}, of(f32, {2, -1})) == "f32[2,?]");
    CHECK(inferred(op::cum_sum{}, of(f32, {2, 3}), number(i32, -2)) == "f32[2,3]");
    LPT_CHECK_WRONG(inferred(op::cum_sum{}, of(f32, {2, 3}), number(i32, 2)), "axis 2 is outside the rank");
    LPT_CHECK_WRONG(inferred(op::cum_sum{}, of(f32, {2, 3}), of(i32, {2})), "axis must be a single number");
    LPT_CHECK_WRONG(inferred(op::cum_sum{}, of(f32, {2, 3}), of(f32, {})),
                    "input 1 must be of an integer type, not f32");
}

TEST_CASE("OneHot inserts an axis of the given depth") {
    const input on = of(f32, {});
    CHECK(inferred(op::one_hot{}, 1, of(i64, {2, 3}), number(i64, 5), on, on) == "f32[2,3,5]");
    CHECK(inferred(op::one_hot{.axis = 0}, 16, of(i64, {2, -1}), number(i64, 5), on, on) == "f32[5,2,?]");
    CHECK(inferred(op::one_hot{.axis = -2}, 16, of(i64, {2, 3}), of(i64, {}), on, on) == "f32[2,?,3]");
    CHECK(inferred(op::one_hot{}, 16, of(i64, {}), number(i64, 5), on, on) == "f32[5]");
}

TEST_CASE("OneHot refuses impossible axes, depths and types") {
    const input on = of(f32, {});
    LPT_CHECK_WRONG(inferred(op::one_hot{.axis = 3}, of(i64, {2, 3}), number(i64, 5), on, on), "there is no place 3");
    LPT_CHECK_WRONG(inferred(op::one_hot{}, of(i64, {2}), number(i64, -5), on, on), "depth must not be negative");
    LPT_CHECK_WRONG(inferred(op::one_hot{}, of(f32, {2}), number(i64, 5), on, on),
                    "input 0 must be of an integer type");
    LPT_CHECK_WRONG(inferred(op::one_hot{}, of(i64, {2}), number(i64, 5), on, of(i8, {})), "not f32 and i8");
}

TEST_CASE("NonZero gives a row for each axis and an unknown number of columns") {
    CHECK(inferred(op::non_zero{}, of(f32, {2, 3, -1})) == "i64[3,?]");
    CHECK(inferred(op::non_zero{.output_type = i32}, of(f32, {2, 0})) == "i32[2,0]");
    CHECK(inferred(op::non_zero{}, anything()) == "i64[?,?]");
    LPT_CHECK_WRONG(inferred(op::non_zero{.output_type = f32}, of(f32, {2})), "output_type must be i32 or i64");
}
