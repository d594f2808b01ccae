// SPDX-License-Identifier: Apache-2.0
#include "../prerequisites/rewritten.hpp"

#include <lpt/graph/verify.hpp>
#include <lpt/transformation/preparation/convert_quantize_dequantize.hpp>
#include <lpt/transformation/preparation/convert_subtract_constant.hpp>
#include <lpt/transformation/preparation/weights_dequantize_to_fake_quantize.hpp>

#include <doctest/doctest.h>

#include <utility>

using namespace lpt;
using testing::rewritten;

namespace {

/// in -> FakeQuantize to the whole range of a type -> Convert -> Convert -> [Subtract] -> Multiply -> Result.
struct quantized_pair : rewritten {
    node_id quantize = node_id::none;
    node_id low = node_id::none;
    node_id multiply = node_id::none;

    constexpr explicit quantized_pair(element type = u8, std::int64_t levels = 256, bool stored_zero_point = false) {
        const double least = facts(type).lowest;
        const double most = facts(type).highest;
        quantize = model.add(op::fake_quantize{levels},
                             {input({1, 3, 2, 2}), constant({-2}), constant({2}), constant({least}), constant({most})});
        low = model.add(op::convert{type}, {quantize});
        node_id zero_point = constant({3}, {}, stored_zero_point ? type : f32);
        if (stored_zero_point) {
            zero_point = model.add(op::convert{f32}, {zero_point});
            model.set_mark(zero_point, mark::disabled_constant_folding);
        }
        multiply = dequantize(low, zero_point, constant({0.1, 0.2, 0.3}, {1, 3, 1, 1}));
        model.result(multiply);
    }
    constexpr bool convert() { return run<convert_quantize_dequantize>(multiply); }
};

constexpr bool becomes_one_fake_quantize() {
    quantized_pair net;
    const bool changed = net.convert();
    const node_id quantize = net.output();
    return changed && net.model[quantize].is<op::fake_quantize>() && net.model[quantize].name() == "dequantized" &&
           net.value(quantize, 3).dimensions() == shape{1, 3, 1, 1} && net.value(quantize, 4).real(1) > 50.39 &&
           net.value(quantize, 4).real(1) < 50.41;
}
static_assert(becomes_one_fake_quantize());

/// Constant [2,3] -> Convert -> [Subtract] -> Multiply -> Result.
struct stored_number : rewritten {
    node_id convert = node_id::none;
    node_id multiply = node_id::none;
    constexpr stored_number(view<double> weights, double zero_point, view<double> scale, shape scale_shape,
                            element type = i8) {
        convert = model.add(op::convert{f32}, {constant(weights, {2, 3}, type)});
        output_ref last = convert;
        if (zero_point != 0) {
            last = model.add(op::subtract{}, {last, constant({zero_point})});
        }
        multiply = model.add(op::multiply{}, {last, constant(scale, std::move(scale_shape))}, "weights");
        model.result(multiply);
    }
};

constexpr bool weights_become_levels() {
    stored_number net({-127, -1, 0, 1, 2, 127}, 1, {0.5}, {});
    const bool changed = net.run<weights_dequantize_to_fake_quantize>(net.multiply);
    const node_id quantize = net.output();
    return changed && net.model[quantize].as<op::fake_quantize>().levels == 255 &&
           net.value(quantize, 1).real(0) == -127 && net.value(quantize, 3).real(0) == -64 &&
           net.value(quantize, 4).real(0) == 63 && net.above(quantize) == net.convert &&
           net.model[quantize].name() == "weights";
}
static_assert(weights_become_levels());

}  // namespace

TEST_CASE("a pair of quantize and dequantize as one FakeQuantize gives the same values, for each type") {
    for (const element type : {u8, i8, u16, i16}) {
        for (const bool stored_zero_point : {false, true}) {
            quantized_pair net(type, type == u8 || type == i8 ? 256 : 65536, stored_zero_point);
            CHECK(net.convert());
            verify(net.model);
            REQUIRE(net.model[net.output()].is<op::fake_quantize>());
            CHECK(net.value(net.output(), 3).type() ==
                  f32);  // folded, also where the zero point is marked against folding
            CHECK(net.difference() < 0.01);
        }
    }
}

TEST_CASE("a pair with other levels, ranges or types stays") {
    quantized_pair levels(u8, 255);
    CHECK_FALSE(levels.convert());
    CHECK(levels.why() == reason::unsupported_levels);

    quantized_pair range;
    range.model.set_input(range.quantize, 4, range.constant({254}));
    CHECK_FALSE(range.convert());
    CHECK(range.why() == reason::not_per_tensor);

    quantized_pair type;
    type.options.arguments.push_back({convert_quantize_dequantize::name, {i8}});
    CHECK_FALSE(type.convert());
}

TEST_CASE("a pair stays where a step has another reader") {
    quantized_pair net;
    net.model.result(net.low);
    CHECK_FALSE(net.convert());
}

TEST_CASE("the range of a pair whose scale is no Constant is computed at run time") {
    quantized_pair net;
    net.model.set_input(net.multiply, 1, net.input({1, 3, 1, 1}));
    CHECK(net.convert());
    verify(net.model);
    const node_id quantize = net.output();
    CHECK(net.model[quantize].is<op::fake_quantize>());
    CHECK(net.model[net.above(quantize, 4)].is<op::multiply>());
    CHECK(net.difference() < 0.01);
}

TEST_CASE("256 levels over the range of 16 bits are whole numbers, so the pair becomes one; 65536 over that of 8 bits "
          "are none") {
    quantized_pair coarse(u16, 256);
    CHECK(coarse.convert());
    verify(coarse.model);
    CHECK(coarse.difference() < 0.01);

    quantized_pair fine(u8, 65536);
    CHECK_FALSE(fine.convert());
    CHECK(fine.why() == reason::unsupported_levels);
}

TEST_CASE("what else reads the FakeQuantize of a pair goes on reading it, beside the new one") {
    quantized_pair net;
    const node_id other = net.model.add(op::relu{}, {net.quantize});
    net.model.result(other);
    CHECK(net.convert());
    verify(net.model);
    CHECK(net.above(other) == net.quantize);
    CHECK(net.value(net.quantize, 4).real(0) == 255);
    CHECK(net.model[net.output()].is<op::fake_quantize>());
    CHECK(net.output() != net.quantize);
    CHECK(net.difference() < 0.01);
}

TEST_CASE("one FakeQuantize that two dequantizations follow becomes two") {
    quantized_pair net;
    const node_id low = net.model.add(op::convert{u8}, {net.quantize});
    const node_id second = net.dequantize(low, node_id::none, net.constant({0.5}));
    net.model.result(second);
    CHECK(net.convert());
    CHECK(net.run<convert_quantize_dequantize>(second));
    verify(net.model);
    const node_id outputs[] = {net.output(), net.model.producer(net.model.results()[1], 0)};
    for (const node_id each : outputs) {
        CHECK(net.model[each].is<op::fake_quantize>());
    }
    CHECK(net.value(outputs[1], 4).real(0) == 127.5);
    CHECK(net.difference() < 0.01);
}

TEST_CASE("a scale that would broadcast the data keeps the pair") {
    rewritten net;
    const node_id quantize =
        net.model.add(op::fake_quantize{256},
                      {net.input({1}), net.constant({0}), net.constant({1}), net.constant({0}), net.constant({255})});
    const node_id multiply =
        net.dequantize(net.model.add(op::convert{u8}, {quantize}), node_id::none, net.constant({0.1, 0.2}, {2}));
    net.model.result(multiply);
    CHECK_FALSE(net.run<convert_quantize_dequantize>(multiply));
    CHECK(net.why() == reason::shapes_do_not_match);
}

TEST_CASE("weights as FakeQuantize have the values that they had") {
    for (const double lowest : {-128.0, -127.0}) {
        for (const double zero_point : {0.0, 1.0, -7.0}) {
            stored_number net({lowest, -1, 0, 1, 2, 127}, zero_point, {0.5, -0.25}, {2, 1});
            CHECK(net.run<weights_dequantize_to_fake_quantize>(net.multiply));
            verify(net.model);
            CHECK(net.model[net.output()].as<op::fake_quantize>().levels == (lowest == -128 ? 256 : 255));
            CHECK(net.difference() < 2e-5);
        }
    }
}

TEST_CASE("weights of other types, unknown ones and scales that broadcast stay") {
    stored_number type({1, 2, 3, 4, 5, 6}, 1, {0.5}, {}, u8);
    CHECK_FALSE(type.run<weights_dequantize_to_fake_quantize>(type.multiply));
    stored_number broadcast({1, 2, 3, 4, 5, 6}, 1, {0.5, 1}, {2, 1, 1});
    CHECK_FALSE(broadcast.run<weights_dequantize_to_fake_quantize>(broadcast.multiply));
    CHECK(broadcast.why() == reason::shapes_do_not_match);
    rewritten net;
    const node_id multiply = net.dequantize(net.input({2}, i8), node_id::none, net.constant({0.5}));
    net.model.result(multiply);
    CHECK_FALSE(net.run<weights_dequantize_to_fake_quantize>(multiply));
}

TEST_CASE("a zero point of weights takes their type, rounded; one of zero goes away") {
    stored_number net({1, 2, 3, 4, 5, 6}, 1.2, {0.5}, {});
    CHECK(net.run<convert_subtract_constant>(net.multiply));
    const node_id subtract = net.above(net.output());
    const node_id convert = net.above(subtract, 1);
    CHECK(net.model[convert].is<op::convert>());
    CHECK(net.model[convert].has(mark::disabled_constant_folding));
    CHECK(net.value(convert, 0) == make_scalar(i8, 1));
    CHECK(net.difference() < 0.11);  // 0.2 steps of 0.5

    stored_number small({1, 2, 3, 4, 5, 6}, 0.4, {0.5}, {});
    CHECK(small.run<convert_subtract_constant>(small.multiply));
    CHECK(small.above(small.output()) == small.convert);
}

TEST_CASE(
    "a zero point outside of the type of the weights stays, and so do weights of other types or with other readers") {
    stored_number outside({1, 2, 3, 4, 5, 6}, -3, {0.5}, {}, u8);
    CHECK_FALSE(outside.run<convert_subtract_constant>(outside.multiply));
    CHECK(outside.why() == reason::zero_point_does_not_fit);
    stored_number type({1, 2, 3, 4, 5, 6}, 1, {0.5}, {}, i16);
    CHECK_FALSE(type.run<convert_subtract_constant>(type.multiply));
    stored_number read({1, 2, 3, 4, 5, 6}, 1, {0.5}, {});
    read.model.result(read.convert);
    CHECK_FALSE(read.run<convert_subtract_constant>(read.multiply));
}

TEST_CASE("a zero point that gives weights more axes stays, as it does where it is zero") {
    for (const double value : {0.0, 1.0}) {
        rewritten net;
        const node_id weights = net.constant({1, 2, 3, 4, 5, 6}, {2, 3}, i8);
        const node_id multiply = net.dequantize(weights, net.constant({value}, {1, 1, 1, 1}), net.constant({0.5}));
        net.model.result(multiply);
        CHECK_FALSE(net.run<convert_subtract_constant>(multiply));
    }
}
