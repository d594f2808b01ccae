// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/main/fake_quantize_decomposition.hpp>

#include "../fake_quantize/network.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace lpt;
using decomposition = fake_quantize_decomposition_transformation;
using testing::quantized_input;
using testing::small_network;

namespace {

constexpr small_network decomposed(std::int64_t levels, double low, double high, seq<element, 8> types) {
    small_network net = quantized_input(levels, {low}, {high});
    net.allow(net.output(), std::move(types));
    net.run<decomposition>(net.output());
    return net;
}

constexpr bool unsigned_range_has_no_zero_point() {
    const small_network net = decomposed(256, 0, 2.55, {u8});
    const node_id multiply = net.output();
    const node_id convert = net.above(multiply);
    const node_id quantized = net.above(convert);
    return net.changed && net.model[multiply].is<op::multiply>() && net.model[convert].is<op::convert>() &&
           net.model[quantized].type() == u8 && net.model[multiply].type() == f32 &&
           net.value(quantized, 4).real(0) == 255 && math::absolute(net.value(multiply, 1).real(0) - 0.01) < 1e-8;
}
static_assert(unsigned_range_has_no_zero_point());

constexpr double zero_point_of(std::int64_t levels, double low, double high, element type) {
    const small_network net = decomposed(levels, low, high, {type});
    const node_id subtract = net.above(net.output());
    return net.model[subtract].is<op::subtract>() ? net.value(subtract, 1).real(0) : 0;
}
static_assert(zero_point_of(256, -1.28, 1.27, i8) == 0);
static_assert(zero_point_of(256, 0, 2.55, i8) == -128);
static_assert(math::absolute(zero_point_of(256, -1.28, 1.27, u8) - 128) < 1e-4);
static_assert(math::absolute(zero_point_of(256, -1.27, 1.27, u8) - 127.5) < 1e-4);

}  // namespace

TEST_CASE("a range that begins at zero becomes u8 without zero point") { CHECK(unsigned_range_has_no_zero_point()); }

TEST_CASE("the dequantization takes the name that feeds a result") {
    const small_network net = decomposed(256, 0, 2.55, {u8});
    CHECK(net.model[net.output()].name() == "fq");
    CHECK(net.model[net.above(net.output())].name() == "fq/DequantizationConvert");
    CHECK(net.model[net.above(net.above(net.output()))].name() == "fq_original");
}

TEST_CASE("the chosen type is written back for the other members of the group") {
    small_network net = quantized_input(256, {0}, {2.55});
    const node_id fake_quantize = net.output();
    net.allow(fake_quantize, {u8, i8});
    net.run<decomposition>(fake_quantize);
    CHECK(net.attributes.of<attribute::precisions>().find_output(fake_quantize, 0)->types == seq<element, 8>{u8});
}

TEST_CASE("each channel of the range gets its scale and zero point") {
    small_network net = quantized_input(256, {-1.28, 0, -12.8}, {1.27, 2.55, 12.7});
    net.allow(net.output(), {u8});
    CHECK(net.run<decomposition>(net.output()));
    const node_id multiply = net.output();
    const node_id subtract = net.above(multiply);
    CHECK(net.value(multiply, 1).real(2) == doctest::Approx(0.1));
    CHECK(net.value(subtract, 1).real(0) == doctest::Approx(128));
    CHECK(net.value(subtract, 1).real(1) == 0);
    const node_id quantized = net.above(net.above(subtract));
    CHECK(net.value(quantized, 3).dimensions() == shape{});
}

TEST_CASE("a channel with equal bounds keeps them and has scale 1") {
    small_network net = quantized_input(256, {0, 0, 0}, {2.55, 0, 255});
    net.allow(net.output(), {u8});
    CHECK(net.run<decomposition>(net.output()));
    CHECK(net.value(net.output(), 1).real(1) == 1);
    const node_id quantized = net.above(net.above(net.output()));
    CHECK(net.value(quantized, 4).dimensions() == shape{1, 3, 1, 1});
    CHECK(net.value(quantized, 4).real(1) == 0);
}

TEST_CASE("equal bounds in all channels become a constant of 1, and their value the scale") {
    const small_network net = decomposed(256, 2, 2, {u8});
    const node_id convert = net.above(net.output());
    CHECK(net.model[net.above(convert)].is<op::constant>());
    CHECK(net.value(convert, 0).type() == u8);
    CHECK(net.value(convert, 0).real(11) == 1);
    CHECK(net.value(net.output(), 1).real(0) == 2);
}

TEST_CASE("equal bounds of a tensor of unknown size are broadcast at run time") {
    small_network net;
    const node_id data = net.model.parameter(f32, shape{-1, 3, -1, -1}, "in");
    const node_id fake_quantize = net.fake_quantize(data, 256, {0}, {2.55}, {2.55}, {2.55});
    net.model.result(fake_quantize);
    net.allow(fake_quantize, {i8});
    CHECK(net.run<decomposition>(fake_quantize));
    const node_id convert = net.above(net.above(net.output()));
    CHECK(net.model[convert].type() == i8);
    CHECK(net.model[net.above(convert)].is<op::broadcast>());
}

TEST_CASE("ranges of more axes than the data give the dequantization no more axes than the data") {
    const shape wide{1, 1, 1, 3};
    for (const shape& dimensions : {shape{2, 3}, shape{3}}) {
        small_network net;
        graph& model = net.model;
        const node_id data = model.parameter(f32, dimensions, "in");
        const node_id low = model.constant(make_tensor(f32, wide, {-1, -1, -1}));
        const node_id high = model.constant(make_tensor(f32, wide, {1, 2, 3}));
        const node_id one = model.constant(make_tensor(f32, shape{1, 1, 1}, {-1}));
        for (const node_id output_low : {low, one}) {  // bounds of one shape, and of two
            const node_id made = model.add(op::fake_quantize{256}, {data, low, high, output_low, high});
            model.relax(made);
            model.result(made);
            net.allow(made, {u8});
        }
        for (const std::size_t which : {0u, 1u}) {
            CAPTURE(which);
            CHECK(net.run<decomposition>(net.output(which)));
            const node_id multiply = net.output(which);
            const shape channels{1, 3};
            CHECK(model[multiply].shape() == dimensions);
            CHECK(net.value(multiply, 1).dimensions() == channels.trimmed_left(dimensions.rank()));
            CHECK(net.value(multiply, 1).real(2) == doctest::Approx(4.0 / 255));
            CHECK(net.value(net.above(multiply), 1).real(2) == doctest::Approx(63.75));
        }
    }
}

TEST_CASE("equal bounds of more axes than the data become values of its shape") {
    for (const shape& dimensions : {shape{2, 3}, shape{-1, 3}}) {
        small_network net;
        net.options.followed_quirks = quirk::constant_in_low_precision;  // bounds stay bounds of channels
        const node_id data = net.model.parameter(f32, dimensions, "in");
        const node_id bound = net.model.constant(make_tensor(f32, shape{1, 1, 1, 3}, {1, 2, 3}));
        const node_id made = net.model.add(op::fake_quantize{256}, {data, bound, bound, bound, bound});
        net.model.relax(made);
        net.model.result(made);
        net.allow(made, {u8});
        CHECK(net.run<decomposition>(made));
        CHECK(net.model[net.output()].shape() == dimensions);
        const node_id convert = net.above(net.output());
        const bool is_known = net.model[net.above(convert)].is<op::constant>();
        CHECK(is_known == dimensions.is_static());
    }
}

TEST_CASE("data of unknown type is not quantized: its readers could get another one") {
    small_network net;
    const node_id data = net.model.parameter(dynamic, shape{1, 3, 2, 2}, "in");
    const node_id made = net.fake_quantize(data, 256, {0}, {2.55}, {0}, {2.55});
    net.model.result(made);
    net.allow(made, {u8});
    CHECK_FALSE(net.run<decomposition>(made));
    CHECK(net.why() == reason::types_do_not_match);
}

TEST_CASE("without precision update the integers stay in floating point") {
    small_network net = quantized_input(256, {0}, {2.55});
    net.options.update_precisions = false;
    net.allow(net.output(), {u8});
    CHECK(net.run<decomposition>(net.output()));
    CHECK(net.model[net.above(net.output())].is<op::fake_quantize>());
    CHECK(net.model[net.above(net.output())].type() == f32);
}

TEST_CASE("a FakeQuantize that already gives integers in floating point is left alone without precision update") {
    small_network net = quantized_input(256, {0}, {255});
    net.options.update_precisions = false;
    net.allow(net.output(), {u8});
    CHECK_FALSE(net.run<decomposition>(net.output()));
    CHECK(net.why() == reason::nothing_to_do);
}

TEST_CASE("a single reader that converts to u8 is merged") {
    small_network net;
    const node_id data = net.model.parameter(f32, shape{1, 3, 2, 2}, "in");
    const node_id fake_quantize = net.fake_quantize(data, 256, {0}, {2.55}, {0}, {255});
    const node_id convert = net.model.add(op::convert{u8}, {fake_quantize}, "q");
    const node_id back = net.model.add(op::convert{f32}, {convert});
    const node_id scale = net.constant({0.01});
    net.model.result(net.model.add(op::multiply{}, {back, scale}, "dq"));
    net.allow(fake_quantize, {u8});
    CHECK(net.run<decomposition>(fake_quantize));
    CHECK(net.above(back) == fake_quantize);
    CHECK(net.model[fake_quantize].type() == u8);
    CHECK(net.model[fake_quantize].name() == "q");
}

TEST_CASE("what is said beforehand is what decomposition does: a Convert to u8 is merged whatever types are allowed") {
    const auto said = [](small_network& net, node_id fake_quantize) {
        rewrite r(net.model, net.attributes, net.options, net.restrictions);
        return decomposition::can_transform(r, fake_quantize).why;
    };
    small_network net = quantized_input(256, {0}, {2.55});
    const node_id fake_quantize = net.output();
    net.allow(fake_quantize, {u8});
    CHECK(said(net, fake_quantize) == reason::none);
    net.allow(fake_quantize, {});
    CHECK(said(net, fake_quantize) == reason::no_precision_left);
    const node_id convert = net.model.add(op::convert{u8}, {fake_quantize});
    net.model.set_input(net.model.results()[0], 0, convert);
    CHECK(said(net, fake_quantize) == reason::none);
}

TEST_CASE("a quantization to another type than the allowed one is done anew") {
    small_network net;
    const node_id data = net.model.parameter(f32, shape{1, 3, 2, 2}, "in");
    const node_id fake_quantize = net.fake_quantize(data, 256, {0}, {2.55}, {0}, {255});
    const node_id convert = net.model.add(op::convert{u8}, {fake_quantize}, "q");
    const node_id back = net.model.add(op::convert{f32}, {convert});
    const node_id subtract = net.model.add(op::subtract{}, {back, net.constant({10})});
    net.model.result(net.model.add(op::multiply{}, {subtract, net.constant({0.01})}, "dq"));
    net.allow(fake_quantize, {i8});
    CHECK(net.run<decomposition>(fake_quantize));
    CHECK(net.model[net.output()].name() == "dq");
    const node_id shifted = net.above(net.output());
    CHECK(net.value(shifted, 1).real(0) == doctest::Approx(-118));
    CHECK(net.value(net.above(net.above(shifted)), 3).real(0) == -128);
}

TEST_CASE("a pair without a scale is done anew, too; upstream lets go of its name") {
    for (const bool follows : {true, false}) {
        small_network net;
        const node_id data = net.model.parameter(f32, shape{1, 3, 2, 2}, "in");
        const node_id fake_quantize = net.fake_quantize(data, 256, {0}, {2.55}, {-128}, {127});
        const node_id convert = net.model.add(op::convert{i8}, {fake_quantize}, "q");
        const node_id back = net.model.add(op::convert{f32}, {convert});
        net.model.result(net.model.add(op::subtract{}, {back, net.constant({-128})}, "shifted"));
        net.allow(fake_quantize, {u8});
        net.options.follow_upstream_errors = follows;
        CHECK(net.run<decomposition>(fake_quantize));
        CHECK(net.model[net.output()].is<op::multiply>());
        CHECK(net.model[net.output()].name() == (follows ? "q" : "shifted"));
        CHECK(net.value(net.output(), 1).real(0) == 1);
    }
}

TEST_CASE("members of an aligned group share scale and zero point and lose levels") {
    small_network net;
    const node_id data = net.model.parameter(f32, shape{1, 3, 2, 2}, "in");
    const node_id fake_quantize = net.fake_quantize(data, 256, {0}, {1.275}, {0}, {1.275});
    const node_id reader = net.model.add(op::relu{}, {fake_quantize});
    net.model.result(reader);
    net.allow(fake_quantize, {u8});
    net.attributes.of<attribute::quantization_alignment>().set_node(reader, {true});
    net.attributes.of<attribute::intervals_alignment>().set_node(fake_quantize, {{0, 2.55f}, {0, 1.275f}, 128, {u8}},
                                                                 {256});
    CHECK(net.run<decomposition>(fake_quantize));
    CHECK(net.model[fake_quantize].as<op::fake_quantize>().levels == 129);
    CHECK(net.value(fake_quantize, 4).real(0) == 128);
    CHECK(net.value(net.above(reader), 1).real(0) == doctest::Approx(0.01));
}

TEST_CASE("an alignment that would leave two levels is refused") {
    small_network net;
    const node_id data = net.model.parameter(f32, shape{1, 3, 2, 2}, "in");
    const node_id fake_quantize = net.fake_quantize(data, 256, {0}, {0.001}, {0}, {0.001});
    const node_id reader = net.model.add(op::relu{}, {fake_quantize});
    net.model.result(reader);
    net.allow(fake_quantize, {u8});
    net.attributes.of<attribute::quantization_alignment>().set_node(reader, {true});
    net.attributes.of<attribute::intervals_alignment>().set_node(fake_quantize, {{0, 2.55f}, {0, 0.001f}, 1, {u8}},
                                                                 {256});
    CHECK_FALSE(net.run<decomposition>(fake_quantize));
    CHECK(net.why() == reason::too_few_levels);
}

TEST_CASE("a Q/DQ pair in a group that would keep two levels is composed and left so") {
    small_network net;
    const node_id data = net.model.parameter(f32, shape{1, 3, 2, 2}, "in");
    const node_id fake_quantize = net.fake_quantize(data, 256, {0}, {0.001}, {0}, {255});
    const node_id convert = net.model.add(op::convert{u8}, {fake_quantize}, "q");
    const node_id back = net.model.add(op::convert{f32}, {convert});
    const node_id reader = net.model.add(op::relu{}, {net.model.add(op::multiply{}, {back, net.constant({0.001})})});
    net.model.result(reader);
    net.allow(fake_quantize, {i8});
    net.attributes.of<attribute::quantization_alignment>().set_node(reader, {true});
    net.attributes.of<attribute::intervals_alignment>().set_node(fake_quantize, {{0, 255}, {0, 0.255f}, 1, {u8}},
                                                                 {256});
    CHECK(net.run<decomposition>(fake_quantize));
    CHECK(net.above(reader) == fake_quantize);
    CHECK(net.model[fake_quantize].type() == f32);
    CHECK(net.value(fake_quantize, 4).real(0) == doctest::Approx(0.255));
}

TEST_CASE("refusals name their reason") {
    SUBCASE("levels that no type has") { CHECK(decomposed(128, 0, 2.55, {u8}).why() == reason::unsupported_levels); }
    SUBCASE("a type that has no range at these levels") {
        CHECK(decomposed(256, -1.28, 1.27, {i16}).why() == reason::unsupported_levels);
    }
    SUBCASE("a type that is not an integer") {
        CHECK(decomposed(256, -1.28, 1.27, {f8e4m3}).why() == reason::unsupported_levels);
    }
    SUBCASE("no type left") { CHECK(decomposed(256, 0, 2.55, {}).why() == reason::no_precision_left); }
    SUBCASE("no attribute") {
        small_network net = quantized_input(256, {0}, {2.55});
        CHECK_FALSE(net.run<decomposition>(net.output()));
        CHECK(net.why() == reason::no_precisions_attribute);
    }
    SUBCASE("weights") {
        small_network net;
        const node_id weights = net.model.constant(make_tensor(f32, shape{4, 1, 1, 1}, {1}));
        net.model.result(net.fake_quantize(weights, 255, {-1.27}, {1.27}, {-1.27}, {1.27}));
        net.allow(net.output(), {i8});
        CHECK_FALSE(net.run<decomposition>(net.output()));
        CHECK(net.why() == reason::constant_path);
    }
    SUBCASE("ranges that are not constant") {
        small_network net;
        const node_id data = net.model.parameter(f32, shape{1, 3, 2, 2}, "in");
        const node_id bound = net.model.parameter(f32, shape{}, "bound");
        const node_id fake_quantize = net.model.add(
            op::fake_quantize{256}, {data, net.constant({0}), bound, net.constant({0}), net.constant({2.55})}, "fq");
        net.model.result(fake_quantize);
        net.allow(fake_quantize, {u8});
        CHECK_FALSE(net.run<decomposition>(fake_quantize));
        CHECK(net.why() == reason::ranges_not_constant);
    }
    SUBCASE("already quantized to the allowed type") {
        small_network net = decomposed(256, 0, 2.55, {u8});
        const node_id quantized = net.above(net.above(net.output()));
        CHECK_FALSE(net.run<decomposition>(quantized));
        CHECK(net.why() == reason::nothing_to_do);
    }
}

TEST_CASE("a range with one infinite end is refused, also where scales are clamped") {
    for (const bool clamped : {false, true}) {
        small_network net;
        const node_id data = net.model.parameter(f32, shape{1, 3, 2, 2}, "in");
        net.model.result(net.fake_quantize(data, 256, {0}, {1}, {-math::infinity}, {1}));
        if (clamped) {
            net.options.followed_quirks = quirk::clamped_scale;
        }
        net.allow(net.output(), {u8});
        CHECK_FALSE(net.run<decomposition>(net.output()));
        CHECK(net.why() == reason::infinite_constant);
    }
}

TEST_CASE("without upstream's errors a type with fewer values than levels is refused") {
    for (const bool follows : {true, false}) {
        small_network net = quantized_input(65536, {0}, {2.55});
        net.options.follow_upstream_errors = follows;
        net.allow(net.output(), {u8});
        CHECK(net.run<decomposition>(net.output()) == follows);
        CHECK((net.why() == reason::unsupported_levels) == !follows);
    }
}
