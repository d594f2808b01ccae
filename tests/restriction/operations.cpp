// SPDX-License-Identifier: Apache-2.0
#include <lpt/restriction/operations.hpp>

#include <doctest/doctest.h>

using namespace lpt;
using op::kind;

TEST_CASE("What low precision can do with an operation stands in the operation's row") {
    CHECK(is_quantizable(kind::convolution));
    CHECK(is_quantizable(kind::gather));
    CHECK_FALSE(is_quantizable(kind::gather_nd));
    CHECK_FALSE(is_quantizable(kind::softmax));
    CHECK(preserves_precision(kind::reshape));
    CHECK_FALSE(preserves_precision(kind::avg_pool));
    CHECK_FALSE(preserves_precision(kind::tile));
}

TEST_CASE("Data is on port 0, unless an operation's row says where") {
    CHECK(carries_data(kind::relu, 0));
    CHECK(carries_data(kind::reshape, 0));
    CHECK_FALSE(carries_data(kind::reshape, 1));
    CHECK(carries_data(kind::mat_mul, 1));
    CHECK_FALSE(carries_data(kind::mat_mul, 2));
    CHECK(carries_data(kind::concat, 40));
    CHECK(carries_data(kind::lstm_sequence, 5));
    CHECK_FALSE(carries_data(kind::lstm_sequence, 3));
    CHECK(carries_data(kind::gru_sequence, 3));
    CHECK_FALSE(carries_data(kind::gru_sequence, 5));
}

TEST_CASE("Products take 8-bit factors, other operations every type of quantized data") {
    CHECK(can_take(kind::mat_mul, 0, u8));
    CHECK_FALSE(can_take(kind::mat_mul, 0, u16));
    CHECK(can_take(kind::add, 0, u16));
    CHECK_FALSE(can_take(kind::add, 0, f32));
    CHECK_FALSE(can_take(kind::reshape, 1, u8));
}

TEST_CASE("Of a number that is no operation of the library nothing is said") {
    constexpr op::kind own = op::user_kind("Own");
    CHECK_FALSE(is_quantizable(own));
    CHECK_FALSE(preserves_precision(own));
    CHECK(carries_data(own, 0));
    CHECK_FALSE(carries_data(own, 1));
    CHECK_FALSE(is_quantizable(kind::none));
}
