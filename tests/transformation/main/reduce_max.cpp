// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/main/reduce_max.hpp>

#include "dequantized.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace lpt;
using namespace lpt::testing;

namespace {

constexpr dequantized reduced_by_max(shape dimensions, const scale_and_zero_point& constants, view<std::int64_t> axes,
                                     bool keep_dims = true) {
    dequantized net(std::move(dimensions), constants);
    op::reduce_max reduce;
    reduce.keep_dims = keep_dims;
    net.add(reduce, {net.indices(axes)});
    return net;
}
constexpr bool reduce_max_moves_behind() {
    dequantized net = reduced_by_max({1, 3, 4, 4}, single(0.1, 128), {2, 3});
    return net.run<reduce_max_transformation>() && net.model[net.quantized()].is<op::reduce_max>() &&
           net.quantized_type() == u8;
}
static_assert(reduce_max_moves_behind());

reason why_not_reduce_max(shape dimensions, const scale_and_zero_point& constants, view<std::int64_t> axes) {
    dequantized net = reduced_by_max(std::move(dimensions), constants, axes);
    CHECK_FALSE(net.run<reduce_max_transformation>());
    return net.why();
}

}  // namespace

TEST_CASE("the dequantization moves behind ReduceMax") {
    const scale_and_zero_point all[] = {single(0.1),
                                        single(0.1, 128),
                                        channels(),
                                        channels_with_zero_points(),
                                        {{0.1, 0.2, 0.3}, {3, 1, 1}, {5}, {1}},
                                        {{0.1, 0.2, 0.3}, {1, 3, 1, 1}, {1, 2, 3}, {1, 3, 1, 1}, true}};
    for (const scale_and_zero_point& constants : all) {
        for (const bool keep_dims : {true, false}) {
            dequantized net = reduced_by_max({2, 3, 4, 4}, constants, {2, -1}, keep_dims);
            CHECK(net.run<reduce_max_transformation>());
            CHECK(net.model.type(net.model[net.quantized()].input(0)) == u8);
            CHECK(net.quantized_type() == u8);
            CHECK(net.difference() < 1e-4);
        }
    }
}

TEST_CASE("a single scale allows a reduction of all axes") {
    dequantized net = reduced_by_max({2, 3, 4, 4}, single(0.1, 128), {0, 1, 2, 3}, false);
    CHECK(net.run<reduce_max_transformation>());
    CHECK(net.difference() < 1e-4);
}

TEST_CASE("ReduceMax stays in floating point") {
    CHECK(why_not_reduce_max({1, 1, 4, 4}, channels(), {2, 3}) == reason::no_dequantization);
    CHECK(why_not_reduce_max({1, 3, 4, 4}, channels(), {1}) == reason::varies_over_axis);
    CHECK(why_not_reduce_max({1, 3, 4, 4}, {{0.1}, {}, {1, 2, 3}, {1, 3, 1, 1}}, {1, 2}) == reason::varies_over_axis);
    CHECK(why_not_reduce_max({1, 3, 4, 4}, {{0.1, 0.2, 0.3, 0.4}, {4}}, {3}) == reason::varies_over_axis);
    CHECK(why_not_reduce_max(shape::of_dynamic_rank(), single(0.1), {0}) == reason::dynamic_rank);
    CHECK(why_not_reduce_max({1, 3, 4, 4}, single(-0.1), {2, 3}) == reason::negative_scale);
}
