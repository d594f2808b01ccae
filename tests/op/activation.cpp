// SPDX-License-Identifier: Apache-2.0
#include "inferred.hpp"

#include <lpt/op/activation.hpp>

using namespace lpt;
using namespace lpt::test;

static_assert(inferred(op::relu{}, of(u8, {1, 3, -1})) == "u8[1,3,?]");
static_assert(op::has(op::relu::traits, op::trait::precision_preserved));
static_assert(!op::has(op::sigmoid::traits, op::trait::precision_preserved));
static_assert(op::has(op::clamp::traits, op::trait::relaxable) && op::has(op::prelu::traits, op::trait::relaxable));
static_assert(survives_reading(op::clamp{{}, -1, 6}, 0));
static_assert(attribute_names<op::gelu>(0) == "" && attribute_names<op::gelu>(7) == "approximation_mode");
static_assert(attribute_names<op::elu>(0) == "alpha");

TEST_CASE_TEMPLATE("a function of one tensor keeps element type and shape", Op, op::relu, op::sigmoid, op::tanh,
                   op::elu, op::gelu, op::hswish, op::hsigmoid, op::mish, op::soft_plus, op::soft_sign, op::exp,
                   op::log, op::sqrt, op::abs, op::negative, op::sign, op::erf, op::floor, op::ceiling, op::round,
                   op::sin, op::cos) {
    CHECK(inferred(Op{}, of(f16, {1, -1, 4})) == "f16[1,?,4]");
    CHECK(inferred(Op{}, anything()) == "dynamic?");
}

TEST_CASE("activation attributes are read from the published words") {
    CHECK(read<op::gelu>(7, {word("approximation_mode", "TANH")}).approximation_mode == op::gelu_approximation::tanh);
    CHECK(read<op::round>(5, {word("mode", "half_away_from_zero")}).mode == op::round_mode::half_away_from_zero);
    CHECK((read<op::clamp>(0, {word("min", "-1.5"), word("max", "6")}) == op::clamp{{}, -1.5, 6}));
    CHECK(read<op::elu>(0, {word("alpha", "0.25")}).alpha == 0.25);
    LPT_CHECK_WRONG(read<op::round>(5, {word("mode", "up")}), "attribute 'mode'");
}

TEST_CASE("Gelu of version 0 has no mode: the exact one is meant") {
    CHECK(read<op::gelu>(0, {word("approximation_mode", "TANH")}).approximation_mode == op::gelu_approximation::erf);
}

TEST_CASE("Clamp keeps element type and shape and refuses limits in the wrong order") {
    CHECK(inferred(op::clamp{{}, 0, 6}, of(f32, {1, 3})) == "f32[1,3]");
    CHECK(inferred(op::clamp{{}, 2, 2}, of(f32, {1, 3})) == "f32[1,3]");
    LPT_CHECK_WRONG(inferred(op::clamp{{}, 6, 0}, of(f32, {1, 3})), "min 6 must not be greater than max 0");
}

TEST_CASE("PRelu takes a slope for each channel, for each element or one for all") {
    const input data = of(f32, {1, 3, 4, 5});
    CHECK(inferred(op::prelu{}, data, of(f32, {3})) == "f32[1,3,4,5]");
    CHECK(inferred(op::prelu{}, data, of(f32, {5})) == "f32[1,3,4,5]");
    CHECK(inferred(op::prelu{}, data, of(f32, {1})) == "f32[1,3,4,5]");
    CHECK(inferred(op::prelu{}, data, of(f32, {})) == "f32[1,3,4,5]");
    CHECK(inferred(op::prelu{}, data, of(f32, {3, 1, 1})) == "f32[1,3,4,5]");
    CHECK(inferred(op::prelu{}, of(f32, {-1, -1, 4}), of(f32, {7})) == "f32[?,?,4]");
    CHECK(inferred(op::prelu{}, anything(), of(f32, {7})) == "dynamic?");
    CHECK(inferred(op::prelu{}, of(f32, {6}), of(f32, {6})) == "f32[6]");
}

TEST_CASE("PRelu refuses slopes that would change the shape of the data") {
    LPT_CHECK_WRONG(inferred(op::prelu{}, of(f32, {1, 3, 4}), of(f32, {2})), "slope of shape [2] does not fit");
    LPT_CHECK_WRONG(inferred(op::prelu{}, of(f32, {1, 3, 4}), of(f32, {2, 3, 4})),
                    "slope of shape [2,3,4] does not fit");
    LPT_CHECK_WRONG(inferred(op::prelu{}, of(f32, {3}), of(f32, {2, 3})), "slope of shape [2,3] does not fit");
}

TEST_CASE_TEMPLATE("parameters of HardSigmoid and Selu are single numbers of the type of the data", Op,
                   op::hard_sigmoid, op::selu) {
    CHECK(inferred(Op{}, of(f32, {2, 3}), of(f32, {}), of(f32, {1})) == "f32[2,3]");
    LPT_CHECK_WRONG(inferred(Op{}, of(f32, {2, 3}), of(f32, {}), of(f32, {3})), "input 2 must be a single number");
    LPT_CHECK_WRONG(inferred(Op{}, of(f32, {2, 3}), of(f16, {}), of(f32, {})), "type f32 of input 0, not f16");
}

TEST_CASE("Swish has its factor as an input or not at all") {
    CHECK(inferred(op::swish{}, of(f32, {2, 3})) == "f32[2,3]");
    CHECK(inferred(op::swish{}, of(f32, {2, 3}), of(f32, {})) == "f32[2,3]");
    LPT_CHECK_WRONG(inferred(op::swish{}, of(f32, {2, 3}), of(f32, {3})), "input 1 must be a single number");
}
