// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/helpers.hpp"

using namespace lpt;
using lpt::test::check_first;
using lpt::test::f32_of;

TEST_CASE("MVN subtracts the mean and divides by the deviation, with eps inside or outside the root") {
    const tensor x = f32_of({1, 2, 2}, {1, 3, 10, 20});
    op::mvn inside;
    inside.eps = 3;
    op::mvn outside = inside;
    outside.eps_mode = op::mvn_eps_mode::outside_sqrt;
    op::mvn mean_only = inside;
    mean_only.normalize_variance = false;
    const tensor axes = make_indices({-1});
    check_first(inside, {x, axes}, {1, 2, 2}, {-0.5, 0.5, -0.944911183, 0.944911183}, 6);
    check_first(outside, {x, axes}, {1, 2, 2}, {-0.25, 0.25, -0.625, 0.625}, 6);
    check_first(mean_only, {x, axes}, {1, 2, 2}, {-1, 1, -5, 5}, 6);
}

TEST_CASE("the first MVN reduces all axes but the batch, and the channel unless across_channels") {
    const tensor x = f32_of({1, 2, 1, 2}, {1, 3, 5, 11});
    op::mvn across;
    across.normalize_variance = false;
    op::mvn by_channel = across;
    by_channel.across_channels = false;
    check_first(across, {x}, {1, 2, 1, 2}, {-4, -2, 0, 6}, 0);
    check_first(by_channel, {x}, {1, 2, 1, 2}, {-1, 1, -3, 3}, 0);
}

TEST_CASE("NormalizeL2 adds eps or takes it as the least") {
    const tensor x = f32_of({1, 2}, {3, 4});
    op::normalize_l2 add;
    add.eps = 11;
    op::normalize_l2 max = add;
    max.eps_mode = op::normalize_eps_mode::max;
    check_first(add, {x, make_indices({1})}, {1, 2}, {0.5, 4.0 / 6});
    check_first(max, {x, make_indices({1})}, {1, 2}, {0.6, 0.8});
    check_first(max, {x, make_indices({})}, {1, 2}, {3 / 3.3166247904, 1});
}

TEST_CASE("Softmax and LogSoftmax along an axis, safe for large values") {
    const tensor x = f32_of({2, 2}, {1000, 0, 1000, 0.6931471806});
    check_first(op::softmax{0}, {x}, {2, 2}, {0.5, 1.0 / 3, 0.5, 2.0 / 3});
    check_first(op::softmax{-1}, {x}, {2, 2}, {1, 0, 1, 0});
    check_first(op::log_softmax{0}, {x}, {2, 2}, {-0.6931471806, -1.0986122887, -0.6931471806, -0.4054651081});
}

TEST_CASE("BatchNormInference knows the order of inputs of both versions") {
    const tensor x = f32_of({1, 2, 1}, {1, 2});
    const tensor gamma = f32_of({2}, {2, 3});
    const tensor beta = f32_of({2}, {10, 20});
    const tensor mean = f32_of({2}, {0, 1});
    const tensor variance = f32_of({2}, {3, 15});
    op::batch_norm_inference norm;
    norm.epsilon = 1;
    check_first(norm, {x, gamma, beta, mean, variance}, {1, 2, 1}, {11, 20.75}, 5);
    check_first(norm, {gamma, beta, x, mean, variance}, {1, 2, 1}, {11, 20.75}, 0);
}

TEST_CASE("LRN divides by a power of the squares around each element") {
    op::lrn lrn;
    lrn.alpha = 3;
    lrn.beta = 0.5;
    lrn.bias = 4;
    lrn.size = 3;
    check_first(lrn, {f32_of({1, 3}, {2, 2, 2}), make_indices({1})}, {1, 3}, {2 / 3.4641016151, 0.5, 2 / 3.4641016151});
}

TEST_CASE("GroupNormalization normalises groups of channels and scales channels") {
    op::group_normalization norm;
    norm.num_groups = 2;
    norm.epsilon = 3;
    check_first(norm, {f32_of({1, 4, 1}, {1, 3, 5, 7}), f32_of({4}, {1, 2, 3, 4}), f32_of({4}, {0, 0, 10, 0})},
                {1, 4, 1}, {-0.5, 1, 8.5, 2});
}
