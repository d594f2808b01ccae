// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/helpers.hpp"

using namespace lpt;
using lpt::test::check_first;
using lpt::test::f32_of;

TEST_CASE("functions of one element have their textbook values") {
    const tensor x = f32_of({3}, {-1, 0, 2});
    check_first(op::sigmoid{}, {x}, {3}, {0.2689414214, 0.5, 0.8807970780});
    check_first(op::tanh{}, {x}, {3}, {-0.7615941560, 0, 0.9640275801});
    check_first(op::elu{{}, 2}, {x}, {3}, {-1.2642411177, 0, 2});
    check_first(op::hswish{}, {x}, {3}, {-1.0 / 3, 0, 5.0 / 3});
    check_first(op::hsigmoid{}, {x}, {3}, {1.0 / 3, 0.5, 5.0 / 6});
    check_first(op::hard_sigmoid{}, {x, make_scalar(f32, 0.5), make_scalar(f32, 0.25)}, {3}, {0, 0.25, 1});
    check_first(op::swish{}, {x}, {3}, {-0.2689414214, 0, 1.7615941560});
    check_first(op::swish{}, {x, make_scalar(f32, 2)}, {3}, {-0.1192029220, 0, 1.9640275801});
    check_first(op::mish{}, {x}, {3}, {-0.3034014613, 0, 1.9439589595});
    check_first(op::soft_plus{}, {x}, {3}, {0.3132616875, 0.6931471806, 2.1269280110});
    check_first(op::soft_sign{}, {x}, {3}, {-0.5, 0, 2.0 / 3});
    check_first(op::selu{}, {x, make_scalar(f32, 2), make_scalar(f32, 3)}, {3}, {-3.7927233530, 0, 6});
    check_first(op::exp{}, {x}, {3}, {0.3678794412, 1, 7.3890560989});
    check_first(op::erf{}, {x}, {3}, {-0.8427007929, 0, 0.9953222650});
    check_first(op::sin{}, {x}, {3}, {-0.8414709848, 0, 0.9092974268});
    check_first(op::cos{}, {x}, {3}, {0.5403023059, 1, -0.4161468365});
    check_first(op::log{}, {f32_of({2}, {1, 4})}, {2}, {0, 1.3862943611});
    check_first(op::sqrt{}, {f32_of({2}, {1, 9})}, {2}, {1, 3});
}

TEST_CASE("Gelu is exact or by tanh, and exact in its first version") {
    const tensor x = f32_of({2}, {-1, 2});
    op::gelu by_tanh;
    by_tanh.approximation_mode = op::gelu_approximation::tanh;
    check_first(op::gelu{}, {x}, {2}, {-0.1586552539, 1.9544997361}, 7);
    check_first(by_tanh, {x}, {2}, {-0.1588080094, 1.9545976400}, 7);
    check_first(by_tanh, {x}, {2}, {-0.1586552539, 1.9544997361}, 0);
}

TEST_CASE("simple functions keep element types and round as they say") {
    const tensor x = f32_of({4}, {-1.5, -0.5, 0.5, 2.5});
    op::round away;
    away.mode = op::round_mode::half_away_from_zero;
    check_first(op::relu{}, {x}, {4}, {0, 0, 0.5, 2.5});
    check_first(op::clamp{{}, -1, 1}, {x}, {4}, {-1, -0.5, 0.5, 1});
    check_first(op::floor{}, {x}, {4}, {-2, -1, 0, 2});
    check_first(op::ceiling{}, {x}, {4}, {-1, 0, 1, 3});
    check_first(op::round{}, {x}, {4}, {-2, 0, 0, 2});
    check_first(away, {x}, {4}, {-2, -1, 1, 3});
    check_first(op::sign{}, {x}, {4}, {-1, -1, 1, 1});
    check_first(op::abs{}, {make_tensor(i8, {2}, {-128, 5})}, {2}, {-128, 5});  // wraps around
    CHECK(lpt::test::run(op::relu{}, {make_tensor(i8, {1}, {-3})})[0].type() == i8);
}

TEST_CASE("the slope of PRelu belongs to channels or broadcasts") {
    const tensor x = f32_of({1, 2, 2}, {-1, 2, -3, -4});
    check_first(op::prelu{}, {x, f32_of({2}, {10, 100})}, {1, 2, 2}, {-10, 2, -300, -400});
    check_first(op::prelu{}, {x, f32_of({1}, {10})}, {1, 2, 2}, {-10, 2, -30, -40});
    check_first(op::prelu{}, {x, f32_of({1, 1, 2}, {10, 100})}, {1, 2, 2}, {-10, 2, -30, -400});
}

TEST_CASE("FakeConvert rounds to 8-bit floating point values and saturates") {
    const tensor x = f32_of({4}, {1.06, 1000, -0.3, 17});
    check_first(op::fake_convert{f8e4m3}, {x, make_scalar(f32, 1)}, {4}, {1, 448, -0.3125, 16});
    check_first(op::fake_convert{f8e5m2}, {x, make_scalar(f32, 2), make_scalar(f32, 1)}, {4}, {1, 1024.5, -0.25, 16.5});
}

TEST_CASE("circular and hyperbolic functions have their textbook values") {
    const tensor x = f32_of({3}, {-0.5, 0, 1});
    check_first(op::tan{}, {x}, {3}, {-0.5463024898, 0, 1.5574077247});
    check_first(op::asin{}, {x}, {3}, {-0.5235987756, 0, 1.5707963268});
    check_first(op::acos{}, {x}, {3}, {2.0943951024, 1.5707963268, 0});
    check_first(op::atan{}, {x}, {3}, {-0.4636476090, 0, 0.7853981634});
    check_first(op::sinh{}, {x}, {3}, {-0.5210953055, 0, 1.1752011936});
    check_first(op::cosh{}, {x}, {3}, {1.1276259652, 1, 1.5430806348});
    check_first(op::asinh{}, {x}, {3}, {-0.4812118251, 0, 0.8813735870});
    check_first(op::acosh{}, {f32_of({2}, {1, 2})}, {2}, {0, 1.3169578969});
    check_first(op::atanh{}, {f32_of({2}, {-0.5, 0.25})}, {2}, {-0.5493061443, 0.2554128119});
}

TEST_CASE("IsNaN, IsInf and IsFinite ask about each element") {
    const double infinite = math::infinity;
    const tensor x = f32_of({4}, {1, math::not_a_number, infinite, -infinite});
    check_first(op::is_nan{}, {x}, {4}, {0, 1, 0, 0});
    check_first(op::is_finite{}, {x}, {4}, {1, 0, 0, 0});
    check_first(op::is_inf{}, {x}, {4}, {0, 0, 1, 1});
    check_first(op::is_inf{{}, false, true}, {x}, {4}, {0, 0, 1, 0});
    check_first(op::is_inf{{}, true, false}, {x}, {4}, {0, 0, 0, 1});
    check_first(op::is_inf{{}, false, false}, {x}, {4}, {0, 0, 0, 0});
}
