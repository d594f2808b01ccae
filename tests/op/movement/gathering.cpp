// SPDX-License-Identifier: Apache-2.0
#include "tests/op/inferred.hpp"

#include <lpt/op/movement/gathering.hpp>

using namespace lpt;
using namespace lpt::test;

TEST_CASE("GatherElements has the shape of its indices, which differ from the data along one axis only") {
    const op::gather_elements along_last{-1};
    CHECK(inferred(along_last, of(u8, {4, 5}), of(i32, {4, 9})) == "u8[4,9]");
    CHECK(inferred(along_last, of(u8, {4, 5}), of(i32, {-1, 9})) == "u8[4,9]");
    CHECK(inferred(along_last, of(u8, {4, 5}), anything()) == "u8[4,?]");
    LPT_CHECK_WRONG(inferred(along_last, of(u8, {4, 5}), of(i32, {3, 9})),
                    "indices of shape [3,9] do not fit data of shape [4,5]");
    LPT_CHECK_WRONG(inferred(along_last, of(u8, {4, 5}), of(i32, {4})), "do not fit data of shape [4,5]");
    LPT_CHECK_WRONG(inferred(op::gather_elements{2}, of(u8, {4, 5}), of(i32, {4, 5})),
                    "axis 2 is outside the 2 axes of the input");
    LPT_CHECK_WRONG(inferred(along_last, of(u8, {4, 5}), of(f32, {4, 5})),
                    "input 1 must be of an integer type, not f32");
}
