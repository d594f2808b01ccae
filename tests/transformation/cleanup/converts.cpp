// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/cleanup/fold_convert.hpp>
#include <lpt/transformation/cleanup/fuse_convert.hpp>

#include "../fake_quantize/network.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace lpt;
using testing::small_network;

namespace {

/// u8 data -> Convert -> operation with a constant.
struct converted {
    small_network net;
    node_id data = node_id::none;
    node_id operation = node_id::none;

    constexpr converted(op::attributes what, double constant, element from = u8, element to = f32) {
        data = net.model.parameter(from, shape{1, 3, 2, 2}, "in");
        const node_id convert = net.model.add(op::convert{to}, {data});
        operation = net.model.add(std::move(what), {convert, net.constant({constant}, to)}, "out");
        net.model.result(operation);
    }
    constexpr bool fuse() { return net.run<fuse_convert_transformation>(operation); }
};

constexpr bool multiply_reads_the_integers() {
    converted c(op::multiply{}, 0.5);
    const bool fused = c.fuse();
    const node& multiply = c.net.model[c.net.output()];
    return fused && c.net.above(c.net.output()) == c.data && multiply.type() == f32 && multiply.relaxed() &&
           multiply.name() == "out";
}
static_assert(multiply_reads_the_integers());

constexpr node_id subtract_converted(small_network& net, std::size_t port) {
    const node_id data = net.model.parameter(f32, shape{1, 3, 2, 2}, "in");
    const node_id zero_point = net.model.add(op::convert{f32}, {net.constant({7}, u8)});
    const node_id subtract = port == 1 ? net.model.add(op::subtract{}, {data, zero_point})
                                       : net.model.add(op::subtract{}, {zero_point, data});
    net.model.result(subtract);
    return subtract;
}

}  // namespace

TEST_CASE("FuseConvert lets Multiply, Add and Subtract read the integers") {
    CHECK(multiply_reads_the_integers());
    converted add(op::add{}, -1);
    CHECK(add.fuse());
    converted subtract(op::subtract{}, 1);
    CHECK(subtract.fuse());
    CHECK(subtract.net.model[subtract.net.output()].own_types()->input_types[0] == f32);
}

TEST_CASE("FuseConvert leaves a Subtract of a negative constant from unsigned data") {
    converted unsigned_data(op::subtract{}, -1);
    CHECK_FALSE(unsigned_data.fuse());
    CHECK(unsigned_data.net.why() == reason::zero_point_does_not_fit);
    converted signed_data(op::subtract{}, -1, i8);
    CHECK(signed_data.fuse());
}

TEST_CASE("FuseConvert leaves a Convert to an integer type") {
    converted c(op::multiply{}, 3, f32, i32);
    CHECK_FALSE(c.fuse());
    CHECK(c.net.why() == reason::types_do_not_match);
}

TEST_CASE("FuseConvert leaves marked operations") {
    converted c(op::multiply{}, 0.5);
    c.net.model.set_mark(c.operation, mark::disable_cleanup);
    CHECK_FALSE(c.fuse());
    CHECK(c.net.why() == reason::disabled_by_mark);
}

TEST_CASE("FuseConvert folds the Convert of a Constant, above a FakeQuantize too") {
    small_network net;
    const node_id weights = net.model.add(op::convert{f32}, {net.constant({1, 2, 3}, i8)});
    const node_id fake_quantize = net.fake_quantize(weights, 255, {-1}, {1}, {-1}, {1});
    net.model.result(fake_quantize);
    CHECK(net.run<fuse_convert_transformation>(fake_quantize));
    CHECK(net.value(fake_quantize, 0).type() == f32);
    CHECK(net.value(fake_quantize, 0).real(2) == 3);
}

TEST_CASE("FoldConvert folds the Convert of a zero point on either input of a Subtract") {
    for (const std::size_t port : {std::size_t{0}, std::size_t{1}}) {
        small_network net;
        const node_id subtract = subtract_converted(net, port);
        CHECK(net.run<fold_convert_transformation>(subtract));
        CHECK(net.value(subtract, port).type() == f32);
        CHECK(net.value(subtract, port).real(0) == 7);
    }
}

TEST_CASE("FoldConvert refuses where there is none, and on marked operations") {
    small_network net;
    const node_id subtract = subtract_converted(net, 1);
    net.model.set_mark(subtract, mark::disable_cleanup);
    CHECK_FALSE(net.run<fold_convert_transformation>(subtract));
    CHECK(net.why() == reason::disabled_by_mark);
    converted c(op::subtract{}, 1);
    CHECK_FALSE(c.net.run<fold_convert_transformation>(c.operation));
    CHECK(c.net.why() == reason::nothing_to_do);
}
