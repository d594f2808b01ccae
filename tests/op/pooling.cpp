// SPDX-License-Identifier: Apache-2.0
#include "infer.hpp"

#include <lpt/op/pooling.hpp>

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::test;

namespace {

constexpr op::max_pool by_two(op::rounding_type rounding = op::rounding_type::floor) {
    return {.strides = {2, 2}, .kernel = {2, 2}, .rounding_type = rounding};
}

static_assert(infer_shape(by_two(), 1, of({1, 3, 8, 9})) == shape{1, 3, 4, 4});
static_assert(op::has(op::max_pool::traits, op::trait::precision_preserved));
static_assert(op::has(op::avg_pool::traits, op::trait::relaxable));
static_assert(survives_reading(by_two(op::rounding_type::ceil_torch), 14));
static_assert(survives_reading(op::avg_pool{.kernel = {2, 2}, .dilations = {2, 2}, .exclude_pad = true}, 16));

}  // namespace

TEST_CASE("MaxPool: the number of windows is rounded as asked") {
    CHECK(infer_shape(by_two(op::rounding_type::ceil), 1, of({1, 3, 8, 9})) == shape{1, 3, 4, 5});
    op::max_pool padded = by_two(op::rounding_type::ceil);
    padded.kernel = {3, 3};
    padded.pads_begin = {1, 1};
    padded.pads_end = {1, 1};
    padded.strides = {3, 3};
    CHECK(infer_shape(padded, 14, of({1, 3, 5, 6})) == shape{1, 3, 3, 3});
    padded.rounding_type = op::rounding_type::ceil_torch;
    CHECK(infer_shape(padded, 14, of({1, 3, 5, 6})) == shape{1, 3, 2, 3});
}

TEST_CASE("MaxPool: automatic padding") {
    op::max_pool same = by_two();
    same.auto_pad = op::auto_pad::same_lower;
    CHECK(infer_shape(same, 1, of({1, 3, 7, 8})) == shape{1, 3, 4, 4});
    op::max_pool valid{.pads_begin = {9}, .pads_end = {9}, .kernel = {3}, .auto_pad = op::auto_pad::valid};
    CHECK(infer_shape(valid, 1, of({1, 3, 7})) == shape{1, 3, 5});
}

TEST_CASE("MaxPool: from version 8 on the places are a second output, and dilations count") {
    op::max_pool pool{.dilations = {2, 2}, .kernel = {2, 2}, .index_element_type = i32};
    CHECK(infer(pool, 1, of({1, 3, 8, 8})).size() == 1);
    CHECK(infer_shape(pool, 1, of({1, 3, 8, 8})) == shape{1, 3, 7, 7});
    const auto outputs = infer(pool, 8, of({1, 3, 8, 8}, u8));
    REQUIRE(outputs.size() == 2);
    CHECK(outputs[0].type == u8);
    CHECK(outputs[1].type == i32);
    CHECK(outputs[1].dimensions == shape{1, 3, 6, 6});
}

TEST_CASE("MaxPool: what is not known stays dynamic") {
    CHECK(infer_shape(by_two(), 1, of({unknown, 3, unknown, 8})) == shape{unknown, 3, unknown, 4});
    CHECK(infer_shape(by_two(), 1, unknown_rank()) == shape::of_rank(4));
}

TEST_CASE("MaxPool: windows that cannot be are refused") {
    CHECK(infer_error(op::max_pool{}, 1, of({1, 3, 8, 8})).view() == "MaxPool 'node': has no kernel");
    CHECK_FALSE(infer_error(by_two(), 1, of({1, 3, 8})).empty());
    CHECK_FALSE(infer_error(by_two(), 1, of({1, 3, 1, 8})).empty());
    CHECK_FALSE(infer_error(by_two(op::rounding_type::ceil_torch), 8, of({1, 3, 8, 8})).empty());
    op::max_pool pool = by_two();
    pool.pads_end = {2, 2};
    CHECK_FALSE(infer_error(pool, 1, of({1, 3, 8, 8})).empty());
    pool = by_two();
    pool.index_element_type = f32;
    CHECK_FALSE(infer_error(pool, 8, of({1, 3, 8, 8})).empty());
    pool = by_two();
    pool.axis = 4;
    CHECK_FALSE(infer_error(pool, 8, of({1, 3, 8, 8})).empty());
}

TEST_CASE("AvgPool: dilations count from version 16 on") {
    const op::avg_pool pool{.kernel = {2, 2}, .dilations = {3, 3}, .pads_begin = {1, 1}, .pads_end = {0, 0}};
    CHECK(infer_shape(pool, 1, of({1, 3, 8, 8})) == shape{1, 3, 8, 8});
    CHECK(infer_shape(pool, 16, of({1, 3, 8, 8})) == shape{1, 3, 6, 6});
    CHECK(infer(pool, 1, of({1, 3, 8, 8}, i8))[0].type == i8);
    CHECK_FALSE(infer_error(op::avg_pool{}, 1, of({1, 3, 8, 8})).empty());
}

TEST_CASE("AvgPool: the attribute exclude-pad keeps its published name") {
    const op::field_row row = op::make_field_row<op::avg_pool>();
    const auto values = row.read(op::attributes(op::avg_pool{.kernel = {2}, .exclude_pad = true}), 1);
    bool found = false;
    for (const op::named_value& each : values) {
        CHECK_FALSE(each.name == "dilations");
        found = found || (each.name == "exclude-pad" && each.value.integer == 1);
    }
    CHECK(found);
}
