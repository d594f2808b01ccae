// SPDX-License-Identifier: Apache-2.0
#include "inferred.hpp"

#include <lpt/op/signal.hpp>

using namespace lpt;
using namespace lpt::test;

TEST_CASE("DFT keeps sizes but those that a length is given for") {
    CHECK(inferred(op::dft{}, 7, of(f32, {3, 6, 2}), indices({1})) == "f32[3,6,2]");
    CHECK(inferred(op::idft{}, 7, of(f32, {3, 6, 2}), indices({-1, 0}), indices({8, -1})) == "f32[3,8,2]");
    CHECK(inferred(op::dft{}, 7, of(f32, {3, 6, 2}), of(i64, {1})) == "f32[3,6,2]");
    CHECK(inferred(op::dft{}, 7, of(f32, {3, 6, 2}), of(i64, {1}), of(i64, {1})) == "f32[?,?,2]");
}

TEST_CASE("RDFT keeps half of the last axis, IRDFT makes twice as much of it") {
    CHECK(inferred(op::rdft{}, 9, of(f32, {4, 7}), indices({0, 1})) == "f32[4,4,2]");
    CHECK(inferred(op::rdft{}, 9, of(f32, {4, 7}), indices({1}), indices({9})) == "f32[4,5,2]");
    CHECK(inferred(op::rdft{}, 9, of(f32, {4, 7}), of(i64, {1})) == "f32[?,?,2]");
    CHECK(inferred(op::irdft{}, 9, of(f32, {4, 5, 2}), indices({0, 1})) == "f32[4,8]");
    CHECK(inferred(op::irdft{}, 9, of(f32, {4, 5, 2}), indices({1}), indices({9})) == "f32[4,9]");
}

TEST_CASE(
    "Fourier transforms refuse data without two parts, axes that are not there or twice, and lengths of nothing") {
    LPT_CHECK_WRONG(inferred(op::dft{}, 7, of(f32, {3, 6}), indices({0})),
                    "data of shape [3,6] has no complex numbers along its last axis");
    LPT_CHECK_WRONG(inferred(op::rdft{}, 9, of(f32, {}), indices({0})), "data of shape [] has no axis");
    LPT_CHECK_WRONG(inferred(op::dft{}, 7, of(f32, {3, 6, 2}), indices({2})),
                    "axis 2 is outside the 2 axes of the input");
    LPT_CHECK_WRONG(inferred(op::dft{}, 7, of(f32, {3, 6, 2}), indices({1, -1})),
                    "axes (input 1) must each be named once, and one at least");
    LPT_CHECK_WRONG(inferred(op::dft{}, 7, of(f32, {3, 6, 2}), indices({1}), indices({0})),
                    "signal size 0 must be positive, or -1 for the size of the data");
    LPT_CHECK_WRONG(inferred(op::dft{}, 7, of(f32, {3, 6, 2}), indices({1}), indices({4, 4})),
                    "signal sizes (input 2) must be 1 numbers, one for each axis, not 2");
    LPT_CHECK_WRONG(inferred(op::irdft{}, 9, of(f32, {3, 1, 2}), indices({1})),
                    "axis 1 of data of shape [3,1,2] has too few elements");
    LPT_CHECK_WRONG(inferred(op::dft{}, 7, of(i32, {3, 6, 2}), indices({1})),
                    "input 0 must be of a floating point type, not i32");
    LPT_CHECK_WRONG(inferred(op::dft{}, 7, of(f32, {3, 6, 2}), of(f32, {1})),
                    "input 1 must be of an integer type, not f32");
}
