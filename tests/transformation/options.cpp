// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/options.hpp>

#include "fake_quantize/network.hpp"
#include "main/dequantized.hpp"
#include <lpt/transformation/cleanup/eliminate_fake_quantize.hpp>
#include <lpt/transformation/cleanup/fuse_multiply_to_fake_quantize.hpp>
#include <lpt/transformation/main/depth_to_space.hpp>
#include <lpt/transformation/main/fake_quantize_decomposition.hpp>
#include <lpt/transformation/main/mvn.hpp>
#include <lpt/transformation/main/normalize_l2.hpp>
#include <lpt/transformation/main/pad.hpp>
#include <lpt/transformation/main/space_to_batch.hpp>

#include <doctest/doctest.h>

using namespace lpt;
using lpt::testing::dequantized;
using lpt::testing::quantized_input;
using lpt::testing::scale_and_zero_point;
using lpt::testing::single;
using lpt::testing::small_network;

namespace {

/// Runs a transformation on a network with upstream's errors and without; gives whether each changed it.
template <class Transformation>
struct both_ways {
    dequantized followed;
    dequantized corrected;
    bool followed_changes = false;
    bool corrected_changes = false;

    explicit both_ways(const dequantized& net) : followed(net), corrected(net) {
        followed.options.follow_upstream_errors = true;
        followed_changes = followed.run<Transformation>();
        corrected_changes = corrected.run<Transformation>();
    }
};

small_network decomposed(std::int64_t levels, double low, double high, element type, bool follow) {
    small_network net = quantized_input(levels, {low}, {high});
    net.options.follow_upstream_errors = follow;
    net.allow(net.output(), {type});
    net.run<fake_quantize_decomposition_transformation>(net.output());
    return net;
}
node_id quantizing(const small_network& net) {
    node_id each = net.output();
    while (!net.model[each].is<op::fake_quantize>() && !net.model[each].is<op::constant>()) {
        each = net.above(each);
    }
    return each;
}

}  // namespace

TEST_CASE("DepthToSpace: equal constants per channel become scalars, or keep a shape that no longer fits") {
    op::depth_to_space attributes;
    attributes.block_size = 2;
    dequantized net({1, 4, 2, 2}, {seq<double, 4>(4, 0.5), {1, 4, 1, 1}, seq<double, 4>(4, 3.0), {1, 4, 1, 1}});
    net.add(attributes);
    const both_ways<depth_to_space_transformation> result(net);
    CHECK(result.followed_changes);
    CHECK(!result.followed.difference().is_measured());
    CHECK(result.corrected_changes);
    CHECK(result.corrected.difference() == 0);
}

TEST_CASE("SpaceToBatch: margins hold 0, or the quantized 0") {
    const auto spread = [](const scale_and_zero_point& constants, std::int64_t margin) {
        dequantized net({1, 3, 4, 4}, constants);
        net.add(op::space_to_batch{},
                {net.indices({1, 1, 2, 2}), net.indices({0, 0, margin, 0}), net.indices({0, 0, margin, 0})});
        return net;
    };
    const both_ways<space_to_batch_transformation> with_margin(spread(single(0.5, 4), 1));
    CHECK(with_margin.followed_changes);
    CHECK(with_margin.followed.difference() == 2);
    CHECK_FALSE(with_margin.corrected_changes);
    CHECK(with_margin.corrected.why() == reason::unsupported_padding);
    for (const dequantized& net : {spread(single(0.5, 4), 0), spread(single(0.5), 1)}) {
        const both_ways<space_to_batch_transformation> without(net);
        CHECK(without.corrected_changes);
        CHECK(without.corrected.difference() == 0);
    }
}

TEST_CASE("Pad: a value that the type does not have stays, or loses its fraction") {
    const auto padded = [](double value, op::pad_mode mode) {
        dequantized net({1, 3, 4, 4}, single(0.5));
        net.add(op::pad{mode}, {net.indices({0, 0, 1, 0}), net.indices({0, 0, 0, 0}), net.number(value)});
        return net;
    };
    const both_ways<pad_transformation> fraction(padded(2.5, op::pad_mode::constant));
    CHECK(fraction.followed_changes);
    CHECK(fraction.followed.difference() == 0.5);
    CHECK_FALSE(fraction.corrected_changes);
    CHECK(fraction.corrected.why() == reason::unsupported_padding);
    CHECK(both_ways<pad_transformation>(padded(2, op::pad_mode::constant)).corrected_changes);
    CHECK(both_ways<pad_transformation>(padded(2.5, op::pad_mode::edge)).corrected_changes);
}

TEST_CASE("MVN: eps follows the scale, or stays") {
    const auto normalized = [](const scale_and_zero_point& constants, op::mvn_eps_mode mode) {
        dequantized net({1, 3, 4, 4}, constants, i8);
        op::mvn attributes;
        attributes.eps = 0.5;
        attributes.eps_mode = mode;
        net.add(attributes, {net.indices({2, 3})}, 6);
        return net;
    };
    for (const op::mvn_eps_mode mode : {op::mvn_eps_mode::inside_sqrt, op::mvn_eps_mode::outside_sqrt}) {
        const both_ways<mvn_transformation> result(normalized(single(-0.0078125), mode));
        CHECK(result.followed.difference() > 0.1);
        CHECK(result.corrected_changes);
        CHECK(result.corrected.difference() < 1e-12);
    }
    const both_ways<mvn_transformation> channels(normalized(lpt::testing::channels(), op::mvn_eps_mode::inside_sqrt));
    CHECK(channels.followed_changes);
    CHECK_FALSE(channels.corrected_changes);
    CHECK(channels.corrected.why() == reason::not_per_tensor);
}

TEST_CASE("NormalizeL2: eps follows the scale, or stays") {
    for (const op::normalize_eps_mode mode : {op::normalize_eps_mode::add, op::normalize_eps_mode::max}) {
        dequantized net({1, 3, 4, 4}, single(-0.0078125), i8);
        net.add(op::normalize_l2{1.0, mode}, {net.indices({1})});
        const both_ways<normalize_l2_transformation> result(net);
        CHECK(result.followed.difference() > 0.1);
        CHECK(result.corrected_changes);
        CHECK(result.corrected.difference() < 1e-12);
    }
    dequantized zero({1, 3, 4, 4}, single(0), i8);
    zero.add(op::normalize_l2{1.0, op::normalize_eps_mode::add}, {zero.indices({1})});
    const both_ways<normalize_l2_transformation> result(zero);
    CHECK(result.followed_changes);
    CHECK_FALSE(result.corrected_changes);
    CHECK(result.corrected.why() == reason::zero_or_denormal_scale);
}

TEST_CASE("FakeQuantize: its levels are whole numbers, or spread over the range of the type") {
    const auto high = [](std::int64_t levels, double low, double upper, element type, bool follow) {
        const small_network net = decomposed(levels, low, upper, type, follow);
        return net.value(quantizing(net), 4).real(0);
    };
    CHECK(high(255, 0, 2.54, u8, true) == 255);
    CHECK(high(255, 0, 2.54, u8, false) == 254);
    CHECK(high(15, 0, 1.4, u8, true) == 255);
    CHECK(high(15, 0, 1.4, u8, false) == 14);
    CHECK(high(15, -0.7, 0.7, i8, true) == 127);
    CHECK(high(15, -0.7, 0.7, i8, false) == 7);
    CHECK(high(255, -1.27, 1.27, i8, false) == 127);
    CHECK(high(256, 0, 2.55, u8, false) == 255);
    CHECK(high(65536, 0, 2.55, u8, true) == 255);
    CHECK(high(65536, 0, 2.55, u8, false) ==
          doctest::Approx(2.55));  // more levels than the type has: stays in floating point
    const auto zero_point = [](bool follow) {
        const small_network net = decomposed(255, -1.984375, 1.984375, u8, follow);
        return net.value(net.above(net.output()), 1).real(0);
    };
    CHECK(zero_point(true) == 127.5);
    CHECK(zero_point(false) == 127);
}

TEST_CASE("FakeQuantize: zero points of 16 bits are computed in double, or in float") {
    const auto zero_point = [](bool follow) {
        const small_network net = decomposed(65536, -1.00390625, 0.996063232421875, u16, follow);
        return net.value(net.above(net.output()), 1).real(0);
    };
    CHECK(zero_point(true) != 32896);
    CHECK(zero_point(false) == 32896);
}

TEST_CASE("FakeQuantize: equal output bounds are kept by the scale, or lost in the type") {
    const auto value = [](bool follow) {
        const small_network net = decomposed(256, -2.5, -2.5, u8, follow);
        const node_id constant = quantizing(net);
        REQUIRE(net.model[constant].is<op::constant>());
        return net.model[constant].as<op::constant>().value.real(0) * net.value(net.output(), 1).real(0);
    };
    CHECK(value(true) == 254);
    CHECK(value(false) == -2.5);
}

TEST_CASE("a FakeQuantize that limits integers stays, or goes") {
    const auto goes = [](element type, std::int64_t levels, double low, double high, bool follow) {
        small_network net;
        net.options.follow_upstream_errors = follow;
        const node_id data = net.model.parameter(type, shape{1, 3, 2, 2}, "in");
        const node_id limit = net.fake_quantize(data, levels, {low}, {high}, {low}, {high});
        net.model.relax_output(limit, type);
        net.model.result(net.model.add(op::convert{f32}, {limit}));
        return net.run<eliminate_fake_quantize_transformation>(limit);
    };
    const auto drops_range = [](double input_high, bool follow) {
        small_network net;
        net.options.follow_upstream_errors = follow;
        const node_id data = net.model.parameter(u8, shape{1, 3, 2, 2}, "in");
        const node_id stretch = net.fake_quantize(data, 256, {0}, {input_high}, {0}, {255});
        net.model.relax_output(stretch, u8);
        net.model.result(net.model.add(op::convert{f32}, {stretch}));
        return net.run<eliminate_fake_quantize_transformation>(stretch);
    };
    CHECK(goes(u8, 16, 0, 15, true));
    CHECK_FALSE(goes(u8, 16, 0, 15, false));
    CHECK(goes(i8, 255, -127, 127, true));
    CHECK_FALSE(goes(i8, 255, -127, 127, false));
    CHECK(goes(u8, 256, 0, 255, false));
    CHECK(goes(i8, 256, -128, 127, false));
    CHECK(drops_range(254.1, true));
    CHECK_FALSE(drops_range(254.1, false));
    CHECK(drops_range(254.6, false));
}

TEST_CASE("fusing a Multiply into a FakeQuantize keeps its levels, or takes those of an alignment") {
    for (const bool follow : {true, false}) {
        small_network net;
        net.options.follow_upstream_errors = follow;
        const node_id data = net.model.parameter(f32, shape{1, 3, 2, 2}, "in");
        const node_id quantize = net.fake_quantize(data, 129, {0}, {1.28}, {0}, {128});
        attribute::intervals_alignment alignment;
        alignment.least_levels = 256;
        net.attributes.of<attribute::intervals_alignment>().set(attribute::place::on_node(quantize), alignment, {256});
        const node_id multiply = net.model.add(op::multiply{}, {quantize, net.constant({0.5})});
        net.model.result(multiply);
        REQUIRE(net.run<fuse_multiply_to_fake_quantize_transformation>(multiply));
        CHECK(net.model[net.output()].as<op::fake_quantize>().levels == (follow ? 256 : 129));
    }
}

TEST_CASE("fusing into a FakeQuantize stops at ranges that f16 does not hold, or makes them infinite") {
    for (const bool follow : {true, false}) {
        small_network net;
        net.options.follow_upstream_errors = follow;
        net.options.dequantization_precision = f16;
        const node_id data = net.model.parameter(f32, shape{1, 3, 2, 2}, "in");
        const node_id quantize = net.fake_quantize(data, 256, {0}, {130560}, {0}, {255});
        const node_id multiply = net.model.add(op::multiply{}, {quantize, net.constant({0.5})});
        net.model.result(multiply);
        CHECK(net.run<fuse_multiply_to_fake_quantize_transformation>(multiply) == follow);
        if (follow) {
            CHECK(math::is_infinite(net.value(net.output(), 2).real(0)));
        } else {
            CHECK(net.why() == reason::infinite_constant);
        }
    }
}
