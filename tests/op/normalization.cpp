// SPDX-License-Identifier: Apache-2.0
#include "inferred.hpp"

#include <lpt/op/normalization.hpp>

using namespace lpt;
using namespace lpt::test;

// In a function, because g++ 12 cannot compare addresses of temporaries outside of one.
static_assert([] { return inferred(op::mvn{}, of(f32, {1, 3, -1, 4}), indices({2, 3})) == "f32[1,3,?,4]"; }());
static_assert(op::has(op::mvn::traits, op::trait::relaxable) &&
              op::has(op::normalize_l2::traits, op::trait::relaxable));
static_assert(attribute_names<op::mvn>(0) == "eps across_channels normalize_variance reduction_axes");
static_assert(attribute_names<op::mvn>(6) == "eps normalize_variance eps_mode");
static_assert(attribute_names<op::batch_norm_inference>(5) == "epsilon");
static_assert(survives_reading(op::mvn{.eps = 1e-5, .across_channels = false, .reduction_axes = {2, 3}}, 0));
static_assert(survives_reading(op::mvn{.normalize_variance = false, .eps_mode = op::mvn_eps_mode::outside_sqrt}, 6));
static_assert(survives_reading(op::lrn{.alpha = 1e-4, .beta = 0.75, .bias = 2, .size = 5}, 0));
static_assert(survives_reading(op::group_normalization{.num_groups = 4, .epsilon = 1e-3}, 12));

TEST_CASE("normalization attributes are read from the published words") {
    CHECK(read<op::mvn>(6, {word("eps_mode", "OUTSIDE_SQRT")}).eps_mode == op::mvn_eps_mode::outside_sqrt);
    const auto norm = read<op::normalize_l2>(0, {word("eps", "1e-06"), word("eps_mode", "max")});
    CHECK(norm.eps == doctest::Approx(1e-6));
    CHECK(norm.eps_mode == op::normalize_eps_mode::max);
    CHECK(read<op::softmax>(8, {word("axis", "-1")}).axis == -1);
}

TEST_CASE("MVN keeps the shape and checks its axes, which are an attribute in version 0 and an input in version 6") {
    CHECK(inferred(op::mvn{}, 0, of(f16, {1, 3, 4, 4})) == "f16[1,3,4,4]");
    CHECK(inferred(op::mvn{}, 6, anything(), indices({9})) == "dynamic?");
    LPT_CHECK_WRONG(inferred(op::mvn{.reduction_axes = {4}}, 0, of(f32, {1, 3, 4, 4})), "axis 4 is outside the rank");
    LPT_CHECK_WRONG(inferred(op::mvn{}, 6, of(f32, {1, 3}), indices({-3})), "axis -3 is outside the rank");
    LPT_CHECK_WRONG(inferred(op::mvn{}, 6, of(f32, {1, 3}), of(f32, {1})),
                    "input 1 must be of an integer type, not f32");
    LPT_CHECK_WRONG(inferred(op::mvn{}, 6, of(f32, {1, 3})), "version 6 has 2 inputs, not 1");
    LPT_CHECK_WRONG(inferred(op::mvn{}, 0, of(f32, {1, 3}), indices({1})), "version 0 has 1 inputs, not 2");
}

TEST_CASE("NormalizeL2 keeps the shape and checks its axes") {
    CHECK(inferred(op::normalize_l2{.eps = 1e-6}, of(f32, {-1, 3}), indices({})) == "f32[?,3]");
    LPT_CHECK_WRONG(inferred(op::normalize_l2{}, of(f32, {1, 3}), number(i64, 2)), "axis 2 is outside the rank");
    LPT_CHECK_WRONG(inferred(op::normalize_l2{}, of(f32, {1, 3}), of(f32, {1})),
                    "input 1 must be of an integer type, not f32");
}

TEST_CASE("Softmax counts axes from the back only from version 8 on") {
    CHECK(inferred(op::softmax{.axis = -1}, 8, of(f32, {1, 10})) == "f32[1,10]");
    CHECK(inferred(op::softmax{}, 1, of(f32, {1, -1})) == "f32[1,?]");
    LPT_CHECK_WRONG(inferred(op::softmax{.axis = -1}, 1, of(f32, {1, 10})), "version 1 does not allow");
    LPT_CHECK_WRONG(inferred(op::softmax{.axis = 2}, 8, of(f32, {1, 10})), "axis 2 is outside the rank");
}

TEST_CASE("LogSoftmax checks its axis") {
    CHECK(inferred(op::log_softmax{.axis = -2}, of(f32, {1, 10})) == "f32[1,10]");
    LPT_CHECK_WRONG(inferred(op::log_softmax{.axis = -3}, of(f32, {1, 10})), "axis -3 is outside the rank");
}

TEST_CASE("BatchNormInference has its data on port 0, in version 0 on port 2, and learns the number of channels") {
    const input vector = of(f32, {3});
    const input data = of(f32, {-1, -1, 8});
    CHECK(inferred(op::batch_norm_inference{}, 5, data, vector, vector, vector, vector) == "f32[?,3,8]");
    CHECK(inferred(op::batch_norm_inference{}, 0, vector, vector, data, vector, vector) == "f32[?,3,8]");
    CHECK(inferred(op::batch_norm_inference{}, 5, anything(), vector, vector, vector, vector) == "dynamic?");
}

TEST_CASE("BatchNormInference refuses disagreeing channels, data without channels and negative epsilon") {
    const op::batch_norm_inference norm;
    const input vector = of(f32, {3});
    const input data = of(f32, {1, 3, 8});
    LPT_CHECK_WRONG(inferred(norm, 5, data, vector, of(f32, {4}), vector, vector),
                    "input 2 must have shape [3], not [4]");
    LPT_CHECK_WRONG(inferred(norm, 5, data, vector, vector, of(f32, {3, 1}), vector),
                    "input 3 must have shape [3], not [3,1]");
    LPT_CHECK_WRONG(inferred(norm, 5, vector, vector, vector, vector, vector), "a channel axis");
    LPT_CHECK_WRONG(inferred(op::batch_norm_inference{.epsilon = -1}, 5, data, vector, vector, vector, vector),
                    "epsilon must not be negative");
}

TEST_CASE("LRN keeps the shape and refuses an empty window") {
    CHECK(inferred(op::lrn{.size = 5}, of(f32, {1, 3, 4, 4}), indices({1})) == "f32[1,3,4,4]");
    LPT_CHECK_WRONG(inferred(op::lrn{.size = 0}, of(f32, {1, 3}), indices({1})), "size must be at least 1, not 0");
}

TEST_CASE("GroupNormalization learns the number of channels, which the groups divide") {
    const input vector = of(f32, {6});
    CHECK(inferred(op::group_normalization{.num_groups = 3}, of(f32, {2, -1, 5}), vector, vector) == "f32[2,6,5]");
    LPT_CHECK_WRONG(inferred(op::group_normalization{.num_groups = 4}, of(f32, {2, 6, 5}), vector, vector),
                    "num_groups 4 does not divide");
    LPT_CHECK_WRONG(inferred(op::group_normalization{.num_groups = 0}, of(f32, {2, 6, 5}), vector, vector),
                    "num_groups must be at least 1, not 0");
    LPT_CHECK_WRONG(inferred(op::group_normalization{.num_groups = 3}, of(f32, {2, 3, 5}), vector, vector),
                    "input 1 must have shape [3], not [6]");
}
