// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/cleanup/fuse_multiply_to_fake_quantize.hpp>
#include <lpt/transformation/cleanup/fuse_subtract_to_fake_quantize.hpp>

#include "../fake_quantize/network.hpp"

#include <doctest/doctest.h>

#include <array>
#include <utility>

using namespace lpt;
using testing::small_network;
using fuse_multiply = fuse_multiply_to_fake_quantize_transformation;
using fuse_subtract = fuse_subtract_to_fake_quantize_transformation;

namespace {

struct quantized {
    small_network net;
    node_id fake_quantize = node_id::none;
    node_id elementwise = node_id::none;

    constexpr quantized(op::attributes what, view<double> constant, bool with_convert) {
        const node_id data = net.model.parameter(f32, shape{1, 3, 2, 2}, "in");
        fake_quantize = net.fake_quantize(data, 256, {0}, {2.55}, {0}, {255});
        output_ref last = fake_quantize;
        if (with_convert) {
            net.model.relax_output(fake_quantize, u8);
            last = net.model.add(op::convert{f32}, {last});
        }
        elementwise = net.model.add(std::move(what), {last, net.constant(constant)}, "out");
        net.model.result(elementwise);
    }
    constexpr double bound(std::size_t port, std::size_t channel = 0) const {
        return net.value(net.output(), port).real(channel);
    }
};

constexpr bool multiply_scales_the_bounds() {
    quantized q(op::multiply{}, {0.5}, true);
    return q.net.run<fuse_multiply>(q.elementwise) && q.bound(4) == 127.5 &&
           q.net.model[q.net.output()].type() == f32 && q.net.model[q.net.output()].name() == "out";
}
static_assert(multiply_scales_the_bounds());

}  // namespace

TEST_CASE("a Multiply scales the output bounds, through a Convert too, and hands its name on") {
    CHECK(multiply_scales_the_bounds());
}

TEST_CASE("a Subtract shifts the output bounds") {
    quantized q(op::subtract{}, {128}, false);
    CHECK(q.net.run<fuse_subtract>(q.elementwise));
    CHECK(q.bound(3) == -128);
    CHECK(q.bound(4) == 127);
}

TEST_CASE("a constant per channel, also with zeros and negative values, makes bounds per channel") {
    quantized q(op::multiply{}, {-1, 2, 0}, false);
    CHECK(q.net.run<fuse_multiply>(q.elementwise));
    CHECK(q.bound(4, 0) == -255);
    CHECK(q.bound(4, 1) == 510);
    CHECK(q.bound(4, 2) == 0);
}

TEST_CASE("a constant that makes a bound infinite stays where it is, whichever channel it belongs to") {
    for (const auto& [constant, fits] :
         {std::pair(std::array{3e38, 1.0, 1.0}, false), std::pair(std::array{1.0, 1.0, 3e38}, false),
          std::pair(std::array{1e3, 1.0, 1.0}, true)}) {
        quantized q(op::multiply{}, {constant[0], constant[1], constant[2]}, false);
        CAPTURE(constant[0]);
        CHECK(q.net.run<fuse_multiply>(q.elementwise) == fits);
        CHECK((q.net.why() == reason::infinite_constant) == !fits);
    }
}

TEST_CASE("all ranges get the dequantization precision") {
    quantized q(op::multiply{}, {0.5}, false);
    q.net.options.dequantization_precision = f16;
    CHECK(q.net.run<fuse_multiply>(q.elementwise));
    CHECK(q.net.value(q.net.output(), 1).type() == f16);
    CHECK(q.net.value(q.net.output(), 4).type() == f16);
}

TEST_CASE("a constant below the normal numbers of f16, or too large for it, stays where it is if ranges have f16") {
    for (const auto& [constant, fits] : {std::pair(1e-5, false), std::pair(1e-4, true), std::pair(1e5, false)}) {
        quantized in_f16(op::multiply{}, {constant}, false);
        in_f16.net.options.dequantization_precision = f16;
        CAPTURE(constant);
        CHECK(static_cast<bool>(in_f16.net.run<fuse_multiply>(in_f16.elementwise)) == fits);
        quantized in_f32(op::multiply{}, {constant}, false);
        CHECK(in_f32.net.run<fuse_multiply>(in_f32.elementwise));
    }
}

TEST_CASE("levels that an alignment reduced are restored by the Multiply where that quirk is followed") {
    quantized q(op::multiply{}, {0.5}, false);
    q.net.options.followed_quirks = quirk::levels_of_neighbour;
    q.net.attributes.of<attribute::intervals_alignment>().set_node(q.fake_quantize, {{0, 2.55f}, {0, 1.0f}, 100, {u8}},
                                                                   {255});
    CHECK(q.net.run<fuse_multiply>(q.elementwise));
    CHECK(q.net.model[q.net.output()].as<op::fake_quantize>().levels == 255);
}

TEST_CASE("refusals name their reason") {
    quantized q(op::multiply{}, {0.5}, true);
    SUBCASE("a second reader of the FakeQuantize") {
        q.net.model.result(q.fake_quantize);
        CHECK_FALSE(q.net.run<fuse_multiply>(q.elementwise));
        CHECK(q.net.why() == reason::shared_producer);
    }
    SUBCASE("marked") {
        q.net.model.set_mark(q.elementwise, mark::disable_cleanup);
        CHECK_FALSE(q.net.run<fuse_multiply>(q.elementwise));
        CHECK(q.net.why() == reason::disabled_by_mark);
    }
    SUBCASE("no FakeQuantize above") {
        const node_id data = q.net.model.parameter(u8, shape{1, 3, 2, 2}, "in2");
        const node_id convert = q.net.model.add(op::convert{f32}, {data});
        const node_id multiply = q.net.model.add(op::multiply{}, {convert, q.net.constant({0.5})});
        q.net.model.result(multiply);
        CHECK_FALSE(q.net.run<fuse_multiply>(multiply));
        CHECK(q.net.why() == reason::nothing_to_do);
    }
    SUBCASE("a constant that varies over other axes than the first two") {
        const node_id wide = q.net.model.constant(make_tensor(f32, shape{1, 1, 1, 2}, {1, 2}));
        q.net.model.set_input(q.elementwise, 1, wide);
        CHECK_FALSE(q.net.run<fuse_multiply>(q.elementwise));
    }
}

TEST_CASE("a constant that gives the data more axes is not fused: FakeQuantize gives its data's shape") {
    quantized q(op::multiply{}, {0.5}, false);
    const auto multiply_by = [&](std::size_t rank) {
        const node_id constant = q.net.model.constant(make_tensor(f32, shape::of_ones(rank), {0.5}));
        const node_id made = q.net.model.add(op::multiply{}, {q.fake_quantize, constant});
        q.net.model.set_input(q.net.model.results()[0], 0, made);
        q.net.model.collect();
        return q.net.run<fuse_multiply>(made);
    };
    CHECK_FALSE(multiply_by(5));
    CHECK(q.net.why() == reason::nothing_to_do);
    CHECK(multiply_by(4));
}

TEST_CASE("a bound that is not constant is multiplied when the network runs") {
    quantized q(op::multiply{}, {0.5}, true);
    const node_id bound = q.net.model.parameter(f32, shape{}, "bound");
    q.net.model.set_input(q.fake_quantize, 4, bound);
    CHECK(q.net.run<fuse_multiply>(q.elementwise));
    const node_id made = q.net.output();
    REQUIRE(q.net.model[made].is<op::fake_quantize>());
    CHECK(q.net.model[q.net.model.producer(made, 4)].is<op::multiply>());
}
