// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/main/fake_quantize.hpp>

#include "../fake_quantize/network.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace lpt;
using fake_quantize_fusion = fake_quantize_transformation;
using testing::small_network;

namespace {

struct chain {
    small_network net;
    node_id data = node_id::none;
    node_id fake_quantize = node_id::none;

    constexpr explicit chain(element type = f32, shape dimensions = {1, 3, 2, 2}) {
        data = net.model.parameter(type, std::move(dimensions), "in");
    }
    constexpr chain& then(op::attributes what, view<double> values) {
        const output_ref last = fake_quantize == node_id::none ? output_ref(data) : output_ref(fake_quantize);
        fake_quantize = net.model.add(std::move(what), {last, net.constant(values)});
        return *this;
    }
    constexpr chain& convert(element type) {
        fake_quantize = net.model.add(op::convert{type}, {fake_quantize == node_id::none ? data : fake_quantize});
        return *this;
    }
    constexpr bool fuse() {
        fake_quantize = net.fake_quantize(fake_quantize, 256, {0}, {2.55}, {0}, {2.55});
        net.model.result(fake_quantize);
        return net.run<fake_quantize_fusion>(fake_quantize);
    }
    constexpr bool reads_data() const { return net.above(fake_quantize) == data; }
    constexpr double bound(std::size_t port, std::size_t channel = 0) const {
        return net.value(fake_quantize, port).real(channel);
    }
};

constexpr bool takes_a_whole_dequantization_up() {
    chain c(u8);
    c.convert(f32).then(op::subtract{}, {-128}).then(op::multiply{}, {0.01});
    return c.fuse() && c.reads_data() && math::absolute(c.bound(1) + 128) < 1e-4 &&
           math::absolute(c.bound(2) - 127) < 1e-4 && c.net.model[c.fake_quantize].type() == f32;
}
static_assert(takes_a_whole_dequantization_up());

}  // namespace

TEST_CASE("a whole dequantization is taken up, and the output type stays") { CHECK(takes_a_whole_dequantization_up()); }

TEST_CASE("an Add is taken up unless it is a bias") {
    chain c;
    c.then(op::add{}, {1});
    CHECK(c.fuse());
    CHECK(c.bound(1) == -1);
    chain biased;
    biased.then(op::add{}, {1});
    biased.net.model.set_mark(biased.fake_quantize, mark::bias);
    CHECK_FALSE(biased.fuse());
    CHECK(biased.net.why() == reason::nothing_to_do);
}

TEST_CASE("a constant per channel makes the input range one per channel") {
    chain c;
    c.then(op::multiply{}, {0.01, 0.02, 0.03});
    CHECK(c.fuse());
    CHECK(c.bound(2, 1) == doctest::Approx(127.5));
    CHECK(c.net.value(c.fake_quantize, 2).dimensions() == shape{1, 3, 1, 1});
}

TEST_CASE("scales that are not positive, and bounds that would be infinite, stop it") {
    chain negative;
    negative.then(op::multiply{}, {-0.01});
    CHECK_FALSE(negative.fuse());
    chain zero;
    zero.then(op::multiply{}, {0.01, 0, 0.01});
    CHECK_FALSE(zero.fuse());
    chain tiny;
    tiny.then(op::multiply{}, {1e-39});
    CHECK_FALSE(tiny.fuse());
}

TEST_CASE("operations below one that stops it are taken up") {
    chain c;
    c.then(op::multiply{}, {-1}).then(op::subtract{}, {1});
    CHECK(c.fuse());
    CHECK(c.net.model[c.net.above(c.fake_quantize)].is<op::multiply>());
    CHECK(c.bound(2) == doctest::Approx(3.55));
}

TEST_CASE("a constant that broadcasts the data stops it") {
    chain c(f32, shape{1, -1, 2, 2});
    c.then(op::multiply{}, {0.1, 0.2, 0.3});
    CHECK_FALSE(c.fuse());
}

TEST_CASE("a Convert from i32 stays") {
    chain c(i32);
    c.convert(f32);
    CHECK_FALSE(c.fuse());
}

TEST_CASE("an operation marked against cleanup stays") {
    chain c;
    c.then(op::subtract{}, {1});
    c.net.model.set_mark(c.fake_quantize, mark::disable_cleanup);
    CHECK_FALSE(c.fuse());
    CHECK(c.net.why() == reason::disabled_by_mark);
}

TEST_CASE("without precision update a Convert of another type stays") {
    chain c(u8);
    c.convert(f32).then(op::multiply{}, {0.01});
    c.net.options.update_precisions = false;
    CHECK(c.fuse());
    CHECK(c.net.model[c.net.above(c.fake_quantize)].is<op::convert>());
}

TEST_CASE("ranges that are not constant refuse") {
    small_network net;
    const node_id data = net.model.parameter(f32, shape{1, 3, 2, 2}, "in");
    const node_id bound = net.model.parameter(f32, shape{}, "bound");
    const node_id sum = net.model.add(op::add{}, {data, net.constant({1})});
    const node_id fake_quantize =
        net.model.add(op::fake_quantize{256}, {sum, net.constant({0}), bound, net.constant({0}), net.constant({1})});
    net.model.result(fake_quantize);
    CHECK_FALSE(net.run<fake_quantize_fusion>(fake_quantize));
    CHECK(net.why() == reason::ranges_not_constant);
}
