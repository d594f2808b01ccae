// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/main/pad.hpp>

#include "dequantized.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace lpt;
using namespace lpt::testing;

namespace {

struct margins {
    integers begin;
    integers end;
};
constexpr margins rows{{0, 0, 2, 0}, {0, 0, 1, 0}};
constexpr margins channels_too{{0, 1, 0, 0}, {0, 1, 0, 0}};

constexpr dequantized padded(const scale_and_zero_point& constants, const margins& pads, op::pad_mode mode,
                             double value = 0, shape dimensions = {1, 3, 4, 5}) {
    dequantized net(std::move(dimensions), constants);
    net.add(op::pad{mode}, {net.indices(pads.begin), net.indices(pads.end), net.number(value)});
    return net;
}
constexpr bool zero_point_is_padded() {
    dequantized net = padded(single(0.1, 128), {{0, 0, 2, 0}, {0, 0, 1, 0}}, op::pad_mode::constant);
    return net.run<pad_transformation>() && net.quantized_type() == u8 &&
           net.zero_point().dimensions() == shape{1, 1, 7, 1} && net.zero_point().real(1) == 0 &&
           net.zero_point().real(2) == 128;
}
static_assert(zero_point_is_padded());

reason why(const scale_and_zero_point& constants, const margins& pads, op::pad_mode mode, double value = 0) {
    dequantized net = padded(constants, pads, mode, value);
    CHECK_FALSE(net.run<pad_transformation>());
    return net.why();
}

}  // namespace

TEST_CASE("in mode constant the margin keeps the pad value") {
    for (const scale_and_zero_point& constants : {single(0.1), single(0.1, 128)}) {
        for (const double value : {0.0, 2.0}) {
            for (const margins& pads : {rows, channels_too}) {
                dequantized net = padded(constants, pads, op::pad_mode::constant, value);
                CHECK(net.run<pad_transformation>());
                CHECK(net.model[net.quantized()].is<op::pad>());
                CHECK(net.quantized_type() == u8);
                CHECK(net.difference() < 1e-6);
            }
        }
    }
}

TEST_CASE("an axis of one element has constants of its own in the margin, unless upstream is followed") {
    for (const bool follows : {false, true}) {
        for (const double value : {0.0, 2.0}) {
            for (const margins& pads : {channels_too, margins{{2, 0, 0, 0}, {0, 0, 0, 0}}}) {
                dequantized net = padded(single(0.1, 128), pads, op::pad_mode::constant, value, {1, 1, 4, 5});
                net.options.follow_upstream_errors = follows;
                CHECK(net.run<pad_transformation>());
                CHECK(net.quantized_type() == u8);
                CHECK((net.difference() < 1e-6) == !follows);
            }
        }
    }
}

TEST_CASE("constants per channel follow a Pad of the channels") {
    for (const op::pad_mode mode : {op::pad_mode::constant, op::pad_mode::edge, op::pad_mode::symmetric}) {
        dequantized net = padded(channels_with_zero_points(), channels_too, mode);
        CHECK(net.run<pad_transformation>());
        CHECK(net.quantized_type() == u8);
        CHECK(net.difference() < 1e-6);
    }
}

TEST_CASE("constants per channel stay where other axes are padded from the data") {
    for (const op::pad_mode mode : {op::pad_mode::edge, op::pad_mode::symmetric, op::pad_mode::reflect}) {
        dequantized net = padded(channels_with_zero_points(), rows, mode);
        CHECK(net.run<pad_transformation>());
        CHECK(net.scale().dimensions() == shape{1, 3, 1, 1});
        CHECK(net.difference() < 1e-6);
    }
}

TEST_CASE("a Pad that only crops needs no care") {
    for (const margins& pads : {margins{{0, 0, -1, 0}, {0, 0, 0, -2}}, margins{{0, -1, 0, 0}, {0, 0, 0, 0}}}) {
        dequantized net = padded(channels_with_zero_points(), pads, op::pad_mode::constant);
        CHECK(net.run<pad_transformation>());
        CHECK(net.quantized_type() == u8);
        CHECK(net.difference() < 1e-6);
    }
}

TEST_CASE("Pad stays in floating point") {
    CHECK(why(channels_with_zero_points(), rows, op::pad_mode::constant) == reason::varies_over_axis);
    CHECK(why(channels(), rows, op::pad_mode::constant, 1) == reason::varies_over_axis);
    CHECK(why(single(0.1, 128), {{0, 1, 1, 0}, {0, 0, 0, 0}}, op::pad_mode::constant) == reason::varies_over_axis);
    CHECK(why(channels(), channels_too, op::pad_mode::reflect) == reason::varies_over_axis);
    CHECK(why(single(0.1), rows, op::pad_mode::constant, -2) == reason::unsupported_padding);
    CHECK(why(single(0.1), rows, op::pad_mode::constant, 256) == reason::unsupported_padding);
    CHECK(why({}, rows, op::pad_mode::constant) == reason::none);
    dequantized no_dequantization = padded(channels(), rows, op::pad_mode::edge, 0, {1, 1, 4, 5});
    CHECK_FALSE(no_dequantization.run<pad_transformation>());
    CHECK(no_dequantization.why() == reason::no_dequantization);
    dequantized unknown_size = padded(single(0.1, 128), rows, op::pad_mode::constant, 0, {1, 3, -1, 5});
    CHECK_FALSE(unknown_size.run<pad_transformation>());
    CHECK(unknown_size.why() == reason::varies_over_axis);
}

TEST_CASE("where the rank is not known, Pad stays in floating point") {
    dequantized net = padded(single(0.1), rows, op::pad_mode::constant, 0, shape::of_dynamic_rank());
    CHECK_FALSE(net.run<pad_transformation>());
    CHECK(net.why() == reason::dynamic_rank);
}
