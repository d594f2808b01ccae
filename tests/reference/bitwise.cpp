// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/helpers.hpp"

using namespace lpt;
using lpt::test::run;

namespace {

integers results(const op::attributes& what, view<tensor> inputs) { return integers_of(run(what, inputs)[0]); }

}  // namespace

TEST_CASE("functions of bits give what the type holds, and broadcast") {
    const tensor a = make_integer_tensor(i8, {3}, {12, -1, -128});
    const tensor b = make_integer_tensor(i8, {1}, {10});
    CHECK(results(op::bitwise_and{}, {a, b}) == integers{8, 10, 0});
    CHECK(results(op::bitwise_or{}, {a, b}) == integers{14, -1, -118});
    CHECK(results(op::bitwise_xor{}, {a, b}) == integers{6, -11, -118});
    CHECK(results(op::bitwise_not{}, {a}) == integers{-13, 0, 127});
    CHECK(results(op::bitwise_not{}, {make_integer_tensor(u8, {2}, {0, 254})}) == integers{255, 1});
}

TEST_CASE("functions of bits on booleans are the logical ones") {
    const tensor a = make_integer_tensor(boolean, {4}, {0, 0, 1, 1});
    const tensor b = make_integer_tensor(boolean, {4}, {0, 1, 0, 1});
    CHECK(results(op::bitwise_and{}, {a, b}) == integers{0, 0, 0, 1});
    CHECK(results(op::bitwise_or{}, {a, b}) == integers{0, 1, 1, 1});
    CHECK(results(op::bitwise_xor{}, {a, b}) == integers{0, 1, 1, 0});
    CHECK(results(op::bitwise_not{}, {a}) == integers{1, 1, 0, 0});
}

TEST_CASE("shifts lose what leaves the type, and keep the sign to the right") {
    const tensor x = make_integer_tensor(i8, {4}, {3, -3, -128, 127});
    const tensor one = make_integer_tensor(i8, {}, {1});
    CHECK(results(op::bitwise_left_shift{}, {x, one}) == integers{6, -6, 0, -2});
    CHECK(results(op::bitwise_right_shift{}, {x, one}) == integers{1, -2, -64, 63});
    const tensor bytes = make_integer_tensor(u8, {2}, {200, 7});
    CHECK(results(op::bitwise_right_shift{}, {bytes, make_integer_tensor(u8, {}, {1})}) == integers{100, 3});
    const tensor wide = make_integer_tensor(u64, {1}, {-1});
    CHECK(results(op::bitwise_right_shift{}, {wide, make_integer_tensor(u64, {}, {60})}) == integers{15});
}

TEST_CASE("shifts by negative numbers, or by as many bits as there are or more, leave nothing but the sign") {
    const tensor x = make_integer_tensor(i32, {2}, {5, -5});
    for (const std::int64_t count : {-1, 32, 2147483647}) {
        const tensor by = make_integer_tensor(i32, {}, {count});
        CHECK(results(op::bitwise_left_shift{}, {x, by}) == integers{0, 0});
        CHECK(results(op::bitwise_right_shift{}, {x, by}) == integers{0, -1});
    }
}
