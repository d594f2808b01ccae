// SPDX-License-Identifier: Apache-2.0
#include "rewritten.hpp"

#include <lpt/graph/verify.hpp>
#include <lpt/transformation/prerequisites/move_fake_quantize.hpp>

#include <doctest/doctest.h>

#include <utility>

using namespace lpt;
using testing::rewritten;

namespace {

/// Two inputs of 1 and 2 channels -> Concat -> [Relu] -> FakeQuantize -> Result.
struct concatenated : rewritten {
    node_id concat = node_id::none;
    node_id relu = node_id::none;
    node_id quantize = node_id::none;

    constexpr explicit concatenated(bool with_relu = false, bool per_channel = false, std::int64_t axis = 1,
                                    shape second = {1, 2, 2, 2}) {
        concat = model.add(op::concat{axis}, {input({1, 1, 2, 2}), input(std::move(second))}, "joined");
        output_ref last = concat;
        if (with_relu) {
            relu = model.add(op::relu{}, {last}, "relu");
            last = relu;
        }
        const node_id low = per_channel ? constant({-1, -2, -3}, {1, 3, 1, 1}) : constant({-1});
        const node_id high = per_channel ? constant({1, 2, 3}, {1, 3, 1, 1}) : constant({1});
        quantize = model.add(op::fake_quantize{256}, {last, low, high, low, high}, "fq");
    }
    /// Convert to u8 and back, with a zero point and a scale.
    constexpr node_id dequantization(bool per_channel) {
        const node_id low = model.add(op::convert{u8}, {quantize}, "low");
        const node_id scale = per_channel ? constant({0.1, 0.2, 0.3}, {1, 3, 1, 1}) : constant({0.1});
        return dequantize(low, per_channel ? constant({1, 2, 3}, {1, 3, 1, 1}) : constant({1}), scale);
    }
    constexpr bool move() { return run<move_fake_quantize>(quantize); }
};

constexpr bool every_branch_gets_its_own() {
    concatenated net(true, true);
    net.model.result(net.quantize);
    const bool changed = net.move();
    const node_id concat = net.output();
    const node_id second = net.above(concat, 1);
    return changed && net.model[concat].is<op::concat>() && net.model[net.above(concat)].name() == "fq_1" &&
           net.model[second].name() == "fq_2" && net.value(second, 1).dimensions() == shape{1, 2, 1, 1} &&
           net.value(second, 1).real(1) == -3 && net.value(net.above(concat), 1).real(0) == -1 &&
           net.model[net.above(second)].is<op::relu>() && net.model[net.above(second)].name() == "relu_2";
}
static_assert(every_branch_gets_its_own());

}  // namespace

TEST_CASE("a FakeQuantize above the Concat gives the same values") {
    for (const bool with_relu : {false, true}) {
        for (const bool per_channel : {false, true}) {
            concatenated net(with_relu, per_channel);
            net.model.result(net.quantize);
            CHECK(net.move());
            verify(net.model);
            CHECK(net.difference() == 0);
        }
    }
}

TEST_CASE("ranges of more axes than the data are split along the axis of the Concat, too") {
    concatenated net(false, true);
    for (const std::size_t port : {1u, 2u, 3u, 4u}) {
        const tensor range = net.value(net.quantize, port);
        net.model.set_constant(net.quantize, port, tensor(range, range.dimensions().padded_left(6)));
    }
    net.model.result(net.quantize);
    CHECK(net.move());
    verify(net.model);
    CHECK(net.value(net.above(net.output(), 1), 2).real(1) == 3);
    CHECK(net.difference() == 0);
}

TEST_CASE("Convert and dequantization below move along, per channel too") {
    for (const bool per_channel : {false, true}) {
        concatenated net(false, per_channel);
        net.model.result(net.dequantization(per_channel));
        CHECK(net.move());
        verify(net.model);
        CHECK(net.model[net.output()].is<op::concat>());
        CHECK(net.model[net.above(net.output(), 1)].is<op::multiply>());
        CHECK(net.difference() < 1e-6);
    }
}

TEST_CASE("a zero point without a scale moves along") {
    for (const bool per_channel : {false, true}) {
        concatenated net(false, per_channel);
        const node_id low = net.model.add(op::convert{u8}, {net.quantize}, "low");
        const node_id real = net.model.add(op::convert{f32}, {low});
        net.model.result(net.model.add(op::subtract{},
                                       {real, per_channel ? net.constant({1, 2, 3}, {1, 3, 1, 1}) : net.constant({1})},
                                       "shifted"));
        CHECK(net.move());
        verify(net.model);
        CHECK(net.model[net.above(net.output())].is<op::subtract>());
        CHECK(net.difference() < 1e-6);
    }
}

TEST_CASE("branches share the Convert of a zero point that is theirs in common") {
    concatenated net;
    const node_id low = net.model.add(op::convert{u8}, {net.quantize}, "low");
    const node_id zero_point = net.model.add(op::convert{f32}, {net.constant({1}, {}, u8)});
    net.model.result(net.dequantize(low, zero_point, net.constant({0.1})));
    CHECK(net.move());
    verify(net.model);
    const node_id first = net.above(net.above(net.output(), 0));
    const node_id second = net.above(net.above(net.output(), 1));
    CHECK(net.model[first].is<op::subtract>());
    CHECK(net.above(first, 1) == net.above(second, 1));
    CHECK(net.difference() < 1e-6);
}

TEST_CASE("a Convert without a dequantization moves along") {
    concatenated net;
    net.model.result(net.model.add(op::convert{i8}, {net.quantize}, "low"));
    CHECK(net.move());
    CHECK(net.model[net.output()].is<op::concat>());
    CHECK(net.model[net.output()].type() == i8);
    CHECK(net.difference() == 0);
}

TEST_CASE("a Concat along another axis leaves constants of the channels whole") {
    rewritten net;
    const node_id concat = net.model.add(op::concat{0}, {net.input({1, 3, 2, 2}), net.input({2, 3, 2, 2})});
    const node_id low = net.constant({-1, -2, -3}, {1, 3, 1, 1});
    const node_id high = net.constant({1, 2, 3}, {1, 3, 1, 1});
    const node_id quantize = net.model.add(op::fake_quantize{256}, {concat, low, high, low, high});
    net.model.result(quantize);
    CHECK(net.run<move_fake_quantize>(quantize));
    CHECK(net.value(net.above(net.output(), 1), 1).dimensions() == shape{1, 3, 1, 1});
    CHECK(net.difference() == 0);
}

TEST_CASE("it stays where something else reads Concat; what else reads Relu keeps that") {
    concatenated net;
    net.model.result(net.quantize);
    net.model.result(net.concat);
    CHECK_FALSE(net.move());
    concatenated below(true);
    below.model.result(below.quantize);
    below.model.result(below.relu);
    CHECK(below.move());
    verify(below.model);
    CHECK(below.model[below.output(1)].is<op::relu>());
    CHECK(below.difference() == 0);
}

TEST_CASE("it stays where nothing reads it, and where one operation gives all branches") {
    concatenated unread;
    CHECK_FALSE(unread.move());
    CHECK(unread.why() == reason::nothing_to_do);

    rewritten net;
    const node_id split = net.model.add(
        op::split{2}, {net.input({1, 4, 2, 2}), net.model.constant(make_integer_tensor(i64, shape{}, {1}))});
    const node_id concat = net.model.add(op::concat{1}, {output_ref(split, 0), output_ref(split, 1)});
    const node_id quantize = net.model.add(
        op::fake_quantize{256}, {concat, net.constant({0}), net.constant({1}), net.constant({0}), net.constant({1})});
    net.model.result(quantize);
    CHECK_FALSE(net.run<move_fake_quantize>(quantize));
    CHECK(net.why() == reason::nothing_to_do);
}

TEST_CASE("it stays where the rank, or the size of a branch that its constants vary over, is not known") {
    concatenated dynamic_size(false, true, 1, {1, -1, 2, 2});
    dynamic_size.model.result(dynamic_size.quantize);
    CHECK_FALSE(dynamic_size.move());
    CHECK(dynamic_size.why() == reason::dynamic_channel);
    concatenated dequantized(false, false, 1, {1, -1, 2, 2});
    dequantized.model.result(dequantized.dequantization(true));
    CHECK_FALSE(dequantized.move());
    CHECK(dequantized.why() == reason::dynamic_channel);
    concatenated whole(false, false, 1, {1, -1, 2, 2});
    whole.model.result(whole.quantize);
    CHECK(whole.move());

    rewritten net;
    const node_id concat =
        net.model.add(op::concat{1}, {net.input(shape::of_dynamic_rank()), net.input(shape::of_dynamic_rank())});
    const node_id quantize = net.model.add(
        op::fake_quantize{256}, {concat, net.constant({0}), net.constant({1}), net.constant({0}), net.constant({1})});
    net.model.result(quantize);
    CHECK_FALSE(net.run<move_fake_quantize>(quantize));
    CHECK(net.why() == reason::dynamic_rank);
}
