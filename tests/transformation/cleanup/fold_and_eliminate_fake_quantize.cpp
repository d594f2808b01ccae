// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/cleanup/eliminate_fake_quantize.hpp>
#include <lpt/transformation/cleanup/fold_fake_quantize.hpp>

#include "../fake_quantize/network.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using testing::small_network;
using eliminate = eliminate_fake_quantize_transformation;
using fold_step = fold_fake_quantize_transformation;

namespace {

constexpr bool folds_constant_data() {
    small_network net;
    const node_id data = net.constant({0.5, 1.5, 2.5, 3.5});
    net.model.result(net.fake_quantize(data, 5, {0}, {4}, {0}, {4}));
    const bool changed = net.run<fold_step>(net.output());
    const tensor* value = net.model.constant_value(net.output());
    return changed && value != nullptr && value->real(0) == 0 && value->real(1) == 2 && value->real(2) == 2 &&
           value->real(3) == 4 && net.model[net.output()].name() == "fq";
}
static_assert(folds_constant_data());

/// Low precision data -> FakeQuantize of the same type -> Convert -> Result.
struct requantized {
    small_network net;
    node_id data = node_id::none;
    node_id fake_quantize = node_id::none;

    constexpr requantized(element type, std::int64_t levels, double in_low, double in_high, double low, double high) {
        data = net.model.parameter(type, shape{1, 3, 2, 2}, "in");
        fake_quantize = net.fake_quantize(data, levels, {in_low}, {in_high}, {low}, {high});
        net.model.relax_output(fake_quantize, type);
        net.model.result(net.model.add(op::convert{f32}, {fake_quantize}));
    }
    constexpr bool goes() { return net.run<eliminate>(fake_quantize) && net.above(net.output()) == data; }
};
constexpr bool goes(element type, std::int64_t levels, double in_low, double in_high, double low, double high) {
    return requantized(type, levels, in_low, in_high, low, high).goes();
}
static_assert(goes(u8, 256, 0, 255, 0, 255));

}  // namespace

TEST_CASE("FakeQuantize of a Constant is folded, halves to even") { CHECK(folds_constant_data()); }

TEST_CASE("Axes that a FakeQuantize quantizes are checked when they become known") {
    for (const double axis : {1.0, 7.0}) {
        small_network net;
        const node_id axes = net.model.constant(make_tensor(i8, shape{1}, {axis}));
        const node_id quantized = net.fake_quantize(axes, 256, {0}, {255}, {0}, {255});
        net.model.result(net.model.add(op::mvn{}, {net.model.parameter(f32, shape{1, 2}, "in"), quantized}, {}, 6));
        CAPTURE(axis);
        if (axis == 1) {
            CHECK(net.run<fold_step>(quantized));
        } else {
            CHECK_THROWS_AS(net.run<fold_step>(quantized), lpt::error);
        }
    }
}

TEST_CASE("a FakeQuantize of f16 data that gives f32 is folded in f32") {
    small_network net;
    const node_id data = net.model.constant(make_tensor(f16, shape{2}, {0.3, -0.7}));
    const node_id quantized = net.fake_quantize(data, 255, {-1}, {1}, {-0.1}, {0.1});
    net.model.relax_output(quantized, f32);
    net.model.result(quantized);
    CHECK(net.run<fold_step>(quantized));
    const tensor* value = net.model.constant_value(net.output());
    REQUIRE(value != nullptr);
    CHECK(value->type() == f32);
    CHECK(value->real(0) == doctest::Approx(0.1 * 38 / 127).epsilon(1e-6));  // f16 would be off by 1e-4
}

TEST_CASE("equal output bounds give a constant of the data's shape, whatever the data") {
    small_network net = testing::quantized_input(256, {1, 2, 3}, {1, 2, 3});
    CHECK(net.run<fold_step>(net.output()));
    const tensor* value = net.model.constant_value(net.output());
    REQUIRE(value != nullptr);
    CHECK(value->dimensions() == shape{1, 3, 2, 2});
    CHECK(value->real(4) == 2);
}

TEST_CASE("equal output bounds give a constant whatever the input range, also one that is not known") {
    small_network net = testing::quantized_input(256, {1, 2, 3}, {1, 2, 3});
    net.model.set_input(net.output(), 1, net.model.parameter(f32, shape{}, "low"));
    CHECK(net.run<fold_step>(net.output()));
    const tensor* value = net.model.constant_value(net.output());
    REQUIRE(value != nullptr);
    CHECK(value->real(11) == 3);

    small_network other = testing::quantized_input(256, {1, 2, 3}, {1, 2, 4});
    other.model.set_input(other.output(), 1, other.model.parameter(f32, shape{}, "low"));
    CHECK_FALSE(other.run<fold_step>(other.output()));
}

TEST_CASE("folding refuses with a reason") {
    SUBCASE("data of unknown shape") {
        small_network net;
        const node_id data = net.model.parameter(f32, shape{-1, 3, -1, -1}, "in");
        net.model.result(net.fake_quantize(data, 256, {0}, {1}, {1}, {1}));
        CHECK_FALSE(net.run<fold_step>(net.output()));
        CHECK(net.why() == reason::dynamic_axis);
    }
    SUBCASE("data that is not known") {
        small_network net = testing::quantized_input(256, {0}, {2.55});
        CHECK_FALSE(net.run<fold_step>(net.output()));
        CHECK(net.why() == reason::nothing_to_do);
    }
    SUBCASE("ranges that vary over two axes") {
        small_network net;
        const node_id data = net.model.constant(make_tensor(f32, shape{2, 2}, {1}));
        const node_id low = net.model.constant(make_tensor(f32, shape{2, 2}, {0, 1, 0, 1}));
        const node_id high = net.model.constant(make_tensor(f32, shape{2, 2}, {2, 4, 2, 4}));
        net.model.result(net.model.add(op::fake_quantize{256}, {data, low, high, low, high}));
        CHECK_FALSE(net.run<fold_step>(net.output()));
        CHECK(net.why() == reason::not_per_tensor_or_per_channel);
    }
    SUBCASE("ranges that are not constant") {
        small_network net;
        const node_id data = net.constant({1, 2, 3});
        const node_id bound = net.model.parameter(f32, shape{}, "bound");
        net.model.result(net.model.add(op::fake_quantize{256}, {data, bound, bound, bound, bound}));
        CHECK_FALSE(net.run<fold_step>(net.output()));
        CHECK(net.why() == reason::ranges_not_constant);
    }
}

TEST_CASE("a FakeQuantize over the whole range of its type goes") {
    CHECK(goes(u8, 256, 0, 255, 0, 255));
    CHECK(goes(i8, 256, -128, 127, -128, 127));
    CHECK(goes(u16, 65536, 0, 65535, 0, 65535));
}

TEST_CASE("a FakeQuantize of fewer levels than the type has values limits them, and stays") {
    CHECK_FALSE(goes(i8, 255, -127, 127, -127, 127));
    CHECK_FALSE(goes(u8, 16, 0, 15, 0, 15));
}

TEST_CASE("an input range that lies off by less than half a step rounds back") {
    CHECK(goes(u8, 256, 0.4, 255.4, 0, 255));
    CHECK(goes(u8, 256, -0.4, 254.6, 0, 255));
    CHECK_FALSE(goes(u8, 256, 1.1, 255, 0, 255));
}

TEST_CASE("another range than the type's stays") {
    CHECK_FALSE(goes(u8, 256, 0, 254, 0, 254));
    CHECK_FALSE(goes(u8, 256, 0, 255, 0, 254));
    CHECK_FALSE(goes(i8, 256, -127, 127, -127, 127));
    CHECK_FALSE(goes(i8, 256, 0, 255, 0, 255));
    CHECK_FALSE(goes(i8, 128, -127, 127, -127, 127));
}

TEST_CASE("eliminating refuses with a reason") {
    requantized q(u8, 256, 0, 255, 0, 255);
    SUBCASE("marked") {
        q.net.model.set_mark(q.fake_quantize, mark::disable_cleanup);
        CHECK_FALSE(q.goes());
        CHECK(q.net.why() == reason::disabled_by_mark);
    }
    SUBCASE("types differ") {
        q.net.model.relax_output(q.fake_quantize, i8);
        CHECK_FALSE(q.goes());
        CHECK(q.net.why() == reason::types_do_not_match);
    }
    SUBCASE("the input of the small_network cannot take the name of its output") {
        q.net.model.result(q.fake_quantize);
        CHECK_FALSE(q.goes());
        CHECK(q.net.why() == reason::name_has_no_place);
    }
}

TEST_CASE("a FakeQuantize of one output value is folded as far as the folding budget goes") {
    const auto folds = [](std::uint64_t bytes) {
        small_network net;
        const node_id data = net.model.parameter(f32, shape{1, 64, 64}, "in");
        const node_id quantized = net.fake_quantize(data, 256, {0}, {1}, {2}, {2});
        net.model.result(quantized);
        net.model.set_folding_budget({bytes, std::uint64_t{1} << 20});
        return net.run<fold_step>(quantized);
    };
    constexpr std::uint64_t needed = 64 * 64 * sizeof(float);
    CHECK(folds(needed));
    CHECK_FALSE(folds(needed - 1));
}
