// SPDX-License-Identifier: Apache-2.0
#include "tests/support/spoil.hpp"
#include "tests/support/tensor_difference.hpp"
#include <lpt/transformation/cleanup/eliminate_fake_quantize.hpp>
#include <lpt/transformation/cleanup/fuse_convert.hpp>
#include <lpt/transformation/cleanup/fuse_multiply_to_fake_quantize.hpp>
#include <lpt/transformation/cleanup/fuse_subtract_to_fake_quantize.hpp>
#include <lpt/transformation/fake_quantize/decompose_weights.hpp>
#include <lpt/transformation/main/fake_convert_decomposition.hpp>
#include <lpt/transformation/main/fake_quantize.hpp>
#include <lpt/transformation/main/fake_quantize_decomposition.hpp>

#include "network.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using testing::small_network;

namespace {

/// The greatest difference between the outputs of two networks on 12 values spread over [low, high].
support::tensor_difference difference(const graph& before, const graph& after, double low, double high) {
    const node_id parameter = before.parameters()[0];
    tensor_builder input(before[parameter].type(), before[parameter].shape());
    for (std::size_t i = 0; i < input.elements(); ++i) {
        // Steps that no level count of the tests divides: no value lies halfway between two levels.
        input.real(i, low + (high - low) * (static_cast<double>((i * 7) % 12) + 0.137) / 12.0);
    }
    return support::difference_of<float>(before, after, std::vector<tensor>{input.finish()});
}

/// 255 levels spread over the 256 values of u8 do not fall on whole numbers: rounding moves them by up to half a step.
bool off_grid(element type, std::int64_t levels) { return type == u8 && levels == 255; }
double half_step(double range) { return 0.501 * range / 255; }

small_network chain_above_fake_quantize(element type) {
    small_network net;
    const node_id data = net.model.parameter(type, shape{1, 3, 2, 2}, "in");
    const node_id converted = net.model.add(op::convert{f32}, {data});
    const node_id shifted = net.model.add(op::subtract{}, {converted, net.constant({100, 90, 80})});
    const node_id scaled = net.model.add(op::multiply{}, {shifted, net.constant({0.01, 0.02, 0.03})});
    net.model.result(net.fake_quantize(scaled, 256, {-0.5}, {2.05}, {-0.5}, {2.05}));
    return net;
}

}  // namespace

TEST_CASE("decomposition gives the same values for every type and range") {
    const struct {
        double low, high;
        std::int64_t levels;
    } ranges[] = {{0, 2.55, 256}, {-1.28, 1.27, 256}, {-1.27, 1.27, 255}, {-1, 2, 256},
                  {0.5, 3, 256},  {-3, -0.5, 256},    {2.55, 0, 256}};
    for (const auto& range : ranges) {
        for (const element type : {u8, i8}) {
            CAPTURE(range.low);
            CAPTURE(range.high);
            CAPTURE(static_cast<int>(type));
            small_network net = testing::quantized_input(range.levels, {range.low}, {range.high});
            const graph before = net.model;
            net.allow(net.output(), {type});
            CHECK(net.run<fake_quantize_decomposition_transformation>(net.output()));
            const double tolerance = off_grid(type, range.levels) ? half_step(range.high - range.low) : 1e-5;
            CHECK(difference(before, net.model, range.low - 0.3, range.high + 0.3) < tolerance);
        }
    }
}

TEST_CASE("decomposition per channel gives the same values") {
    small_network net = testing::quantized_input(256, {-1.28, 0, -12.8}, {1.27, 2.55, 12.7});
    const graph before = net.model;
    net.allow(net.output(), {u8});
    CHECK(net.run<fake_quantize_decomposition_transformation>(net.output()));
    CHECK(difference(before, net.model, -13, 13) < 1e-4);
}

TEST_CASE("decomposition without precision update gives the same values") {
    small_network net = testing::quantized_input(256, {-1}, {2});
    net.options.update_precisions = false;
    const graph before = net.model;
    net.allow(net.output(), {u8});
    CHECK(net.run<fake_quantize_decomposition_transformation>(net.output()));
    CHECK(difference(before, net.model, -1.2, 2.3) < 1e-5);
}

TEST_CASE("decomposition aligned with a wider group stays within half a step of the group") {
    small_network net;
    const node_id data = net.model.parameter(f32, shape{1, 3, 2, 2}, "in");
    const node_id fake_quantize = net.fake_quantize(data, 256, {0}, {1.275}, {0}, {1.275});
    const node_id reader = net.model.add(op::relu{}, {fake_quantize});
    net.model.result(reader);
    const graph before = net.model;
    net.allow(fake_quantize, {u8});
    net.attributes.of<attribute::quantization_alignment>().set_node(reader, {true});
    net.attributes.of<attribute::intervals_alignment>().set_node(fake_quantize, {{0, 2.55f}, {0, 1.275f}, 128, {u8}},
                                                                 {256});
    CHECK(net.run<fake_quantize_decomposition_transformation>(fake_quantize));
    CHECK(difference(before, net.model, 0, 1.275) < 0.01);
}

TEST_CASE("a Q/DQ pair that is done anew gives the same values") {
    small_network net;
    const node_id data = net.model.parameter(f32, shape{1, 3, 2, 2}, "in");
    const node_id fake_quantize = net.fake_quantize(data, 256, {0}, {2.55}, {0}, {255});
    const node_id convert = net.model.add(op::convert{u8}, {fake_quantize}, "q");
    const node_id back = net.model.add(op::convert{f32}, {convert});
    const node_id subtract = net.model.add(op::subtract{}, {back, net.constant({10})});
    net.model.result(net.model.add(op::multiply{}, {subtract, net.constant({0.01})}, "dq"));
    const graph before = net.model;
    net.allow(fake_quantize, {i8});
    CHECK(net.run<fake_quantize_decomposition_transformation>(fake_quantize));
    CHECK(difference(before, net.model, -0.2, 3) < 1e-5);
}

TEST_CASE("taking operations into the input range gives the same values") {
    for (const element type : {f32, u8, i8}) {
        small_network net = chain_above_fake_quantize(type);
        const graph before = net.model;
        CHECK(net.run<fake_quantize_transformation>(net.output()));
        CHECK(difference(before, net.model, 0, 120) < 1e-5);
    }
}

TEST_CASE("fusing Subtract and Multiply into the output range gives the same values") {
    small_network net;
    const node_id data = net.model.parameter(f32, shape{1, 3, 2, 2}, "in");
    const node_id fake_quantize = net.fake_quantize(data, 256, {0}, {2.55}, {0}, {255});
    net.model.relax_output(fake_quantize, u8);
    const node_id converted = net.model.add(op::convert{f32}, {fake_quantize});
    const node_id subtract = net.model.add(op::subtract{}, {converted, net.constant({128, 0, 3})});
    net.model.relax(subtract);
    const node_id multiply = net.model.add(op::multiply{}, {subtract, net.constant({0.01, 0.02, -0.03})});
    net.model.result(multiply);
    const graph before = net.model;
    CHECK(net.run<fuse_convert_transformation>(subtract));
    CHECK(difference(before, net.model, 0, 2.55) < 1e-5);
    CHECK(net.run<fuse_subtract_to_fake_quantize_transformation>(net.above(multiply)));
    CHECK(net.run<fuse_multiply_to_fake_quantize_transformation>(multiply));
    CHECK(net.model[net.output()].is<op::fake_quantize>());
    CHECK(difference(before, net.model, 0, 2.55) < 1e-5);
}

TEST_CASE("a FakeQuantize that is eliminated gave its input") {
    small_network net;
    const node_id data = net.model.parameter(u8, shape{1, 3, 2, 2}, "in");
    const node_id fake_quantize = net.fake_quantize(data, 256, {0.4}, {255.4}, {0}, {255});
    net.model.relax_input(fake_quantize, f32, 0);
    net.model.relax_output(fake_quantize, u8);
    net.model.result(net.model.add(op::convert{f32}, {fake_quantize}));
    const graph before = net.model;
    CHECK(net.run<eliminate_fake_quantize_transformation>(fake_quantize));
    CHECK(difference(before, net.model, 0, 255) == 0);
}

TEST_CASE("FakeConvert gives the same values decomposed") {
    for (const element type : {f8e4m3, f8e5m2}) {
        small_network net;
        const node_id data = net.model.parameter(f32, shape{1, 3, 2, 2}, "in");
        net.model.result(
            net.model.add(op::fake_convert{type}, {data, net.constant({0.5, 2, 1}), net.constant({1.5})}, "fc"));
        const graph before = net.model;
        CHECK(net.run<fake_convert_decomposition_transformation>(net.output()));
        CHECK(difference(before, net.model, -700, 700) < 1e-3);
    }
}

TEST_CASE("weights are decomposed to a constant with the same values") {
    for (const element type : {i8, u8}) {
        small_network net;
        tensor_builder values(f32, shape{3, 1, 2, 2});
        for (std::size_t i = 0; i < 12; ++i) {
            values.real(i, static_cast<double>(i) * 0.213 - 1.3);
        }
        const node_id low = net.model.constant(make_tensor(f32, shape{3, 1, 1, 1}, {-1.27, -0.64, -2}));
        const node_id high = net.model.constant(make_tensor(f32, shape{3, 1, 1, 1}, {1.27, 0.63, 2}));
        const node_id weights = net.model.constant(values.finish());
        const node_id fake_quantize = net.model.add(op::fake_quantize{255}, {weights, low, high, low, high}, "weights");
        const node_id data = net.model.parameter(f32, shape{1, 3, 2, 2}, "in");
        net.model.result(net.model.add(
            op::add{}, {data, net.model.add(op::reshape{}, {fake_quantize, net.model.constant(make_indices(
                                                                               view<std::int64_t>({1, 3, 2, 2})))})}));
        const graph before = net.model;
        net.allow(fake_quantize, {type});
        rewrite r(net.model, net.attributes, net.options, net.restrictions);
        const fake_quantize_parts parts = decompose_weights(r, fake_quantize);
        REQUIRE(parts);
        CHECK(parts.is_constant(net.model));
        CHECK(net.model.type(parts.quantized) == type);
        CHECK(difference(before, net.model, 0, 1) < (off_grid(type, 255) ? half_step(4) : 1e-5));
    }
}

TEST_CASE("weights whose levels fit no type are left as they are") {
    small_network net;
    const node_id weights = net.model.constant(make_tensor(f32, shape{3, 1, 1, 1}, {1}));
    const node_id fake_quantize = net.fake_quantize(weights, 16, {-1}, {1}, {-1}, {1});
    net.model.result(fake_quantize);
    rewrite r(net.model, net.attributes, net.options, net.restrictions);
    CHECK_FALSE(decompose_weights(r, fake_quantize));
    CHECK(net.output() == fake_quantize);
}

TEST_CASE("bounds of 16-bit floats that hold the limits of no type with so many levels keep a FakeQuantize as it is") {
    for (const bool follows : {false, true}) {
        graph model;
        const auto bound = [&](double value) { return model.constant(make_scalar(f16, value)); };
        const node_id data = model.parameter(f16, shape{1, 3, 2, 2}, "in");
        const output_ref low = bound(0);
        const output_ref high = bound(2);
        const node_id fake_quantize = model.add(op::fake_quantize{65535}, {data, low, high, low, high});
        model.result(model.add(op::mat_mul{}, {data, fake_quantize}));
        attribute::tables attributes;
        transformation_options options;
        options.update_precisions = false;
        options.follow_upstream_errors = follows;
        options.default_precisions = {u16};
        const restriction_table restrictions;
        rewrite r(model, attributes, options, restrictions);
        decompose_second_operand(r, model.producer(model.results()[0], 0));
        const node_id quantizes = follows ? model.producer(model.producer(model.results()[0], 0), 1) : fake_quantize;
        CHECK(model[quantizes].is<op::fake_quantize>() == !follows);
    }
}

TEST_CASE("a Convert that a FakeQuantize takes up leaves all four of its ranges in f32") {
    small_network net;
    const node_id bytes = net.model.parameter(u8, shape{1, 3, 2, 2}, "in");
    const node_id convert = net.model.add(op::convert{f16}, {bytes});
    const auto bound = [&](double value) { return net.model.constant(make_scalar(f16, value)); };
    const node_id fake_quantize =
        net.model.add(op::fake_quantize{256}, {convert, bound(0), bound(255), bound(0), bound(2)});
    net.model.result(fake_quantize);
    rewrite r(net.model, net.attributes, net.options, net.restrictions);
    REQUIRE(fuse_above_fake_quantize(r, fake_quantize));
    CHECK(net.model.producer(net.output(), 0) == bytes);
    for (std::size_t port = 1; port < 5; ++port) {
        CHECK(net.value(net.output(), port).type() == f32);
    }
}

TEST_CASE("weights that are not known are an error that names them") {
    small_network net = testing::quantized_input(255, {-1}, {1});
    rewrite r(net.model, net.attributes, net.options, net.restrictions);
    CHECK_THROWS_WITH(decompose_weights(r, net.output()),
                      "FakeQuantize 'fq' on weights cannot be folded to a constant: its input must be known");
}

TEST_CASE("the comparison notices NaN, other shapes, other types, and another number of results") {
    const auto compare = [](const graph& before, const graph& after) { return difference(before, after, 0, 255); };
    CHECK(support::notices_all_damages(chain_above_fake_quantize(u8).model, compare));
}
