// SPDX-License-Identifier: Apache-2.0
#include "tests/optimization/networks.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace lpt;
using namespace lpt::testing;

namespace {

tensor numbers_of(const shape& dimensions) {
    tensor_builder values(f32, dimensions);
    for (std::size_t i = 0; i < values.elements(); ++i) {
        values.real(i, static_cast<double>(i % 5) - 1.5);
    }
    return values.finish();
}
graph normalized(const shape& dimensions, std::int64_t groups, bool scales_are_known = true) {
    graph model;
    const output_ref x = model.parameter(f32, dimensions, "x");
    const shape channels{dimensions[1]};
    const output_ref scale = scales_are_known ? output_ref(model.constant(numbers_of(channels)))
                                              : output_ref(model.parameter(f32, channels, "scale"));
    const output_ref bias = model.constant(numbers_of(channels));
    model.result(model.add(op::group_normalization{.num_groups = groups, .epsilon = 1e-3}, {x, scale, bias}, "normal"));
    return model;
}

}  // namespace

TEST_CASE("GroupNormalization becomes the MVN of its groups, and a scale and a shift for each channel") {
    for (const shape& dimensions : {shape{2, 6, 4, 5}, shape{1, 6, 7}, shape{3, 6}, shape{1, 6, 2, 3, 2}}) {
        for (const std::int64_t groups : {1, 2, 3}) {
            const graph model = normalized(dimensions, groups);
            CHECK(optimized_operations_of(model) ==
                  kinds{op::kind::reshape, op::kind::mvn, op::kind::reshape, op::kind::multiply, op::kind::add});
            CHECK(change_of_results(model) < 1e-5);
        }
    }
}

TEST_CASE("Scales that are computed get the shape of channels when they are known") {
    const graph model = normalized({2, 6, 4, 5}, 3, false);
    const kinds made = optimized_operations_of(model);
    CHECK(std::find(made.begin(), made.end(), op::kind::group_normalization) == made.end());
    CHECK(change_of_results(model) < 1e-5);
}

TEST_CASE("GroupNormalization of an open size stays as it is") {
    CHECK(optimized_operations_of(normalized({dynamic_dimension, 6, 4}, 3)) == kinds{op::kind::group_normalization});
}
