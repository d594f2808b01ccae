// SPDX-License-Identifier: Apache-2.0
#include "network.hpp"

#include <lpt/transformation/markup/align_quantization_intervals.hpp>

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::test;

namespace {

constexpr const attribute::intervals_alignment* interval_of(marked_network& net, node_id id) {
    return net.attributes.of<attribute::intervals_alignment>().find_node(id);
}

constexpr bool concat_combines() {
    marked_network net;
    const node_id left = net.fake_quantize(net.data(), 0, 2);
    const node_id right = net.fake_quantize(net.data(), -1, 1);
    const node_id joined = net.concat(left, right);
    net.model.result(joined);
    net.run<markup_precisions, align_quantization_intervals>();
    return interval_of(net, joined)->combined == attribute::interval{-1, 2} &&
           interval_of(net, joined) == interval_of(net, left) && interval_of(net, joined) == interval_of(net, right);
}
static_assert(concat_combines());

}  // namespace

TEST_CASE("A FakeQuantize starts with its own interval, levels and preferred type") {
    marked_network net;
    const node_id quantized = net.fake_quantize(net.data(), 0, 2.55);
    net.model.result(quantized);
    net.run<markup_precisions, align_quantization_intervals>();
    const attribute::intervals_alignment* found = interval_of(net, quantized);
    REQUIRE(found != nullptr);
    CHECK(found->combined == attribute::interval{0, 2.55f});
    CHECK(found->shortest == found->combined);
    CHECK(found->least_levels == 256);
    CHECK(found->preferred_types == seq<element, 8>{u8});
}

TEST_CASE("Unsupported levels, per-channel and infinite bounds have no interval") {
    marked_network net;
    const node_id levels = net.fake_quantize(net.data(), 0, 1, 100);
    const double highs[] = {1, 2, 3};
    const node_id low = net.number(0);
    const node_id high = net.model.constant(make_tensor(f32, {1, 3, 1, 1}, highs));
    const node_id channels = net.model.add(op::fake_quantize{256}, {net.data(), low, high, low, high});
    const node_id unbounded = net.fake_quantize(net.data(), 0, math::infinity);
    for (const node_id id : {levels, channels, unbounded}) {
        net.model.result(id);
    }
    net.run<markup_precisions, align_quantization_intervals>();
    for (const node_id id : {levels, channels, unbounded}) {
        CHECK(interval_of(net, id) == nullptr);
    }
}

TEST_CASE("The scale of the only dequantization below counts") {
    marked_network net;
    const node_id quantized = net.fake_quantize(net.data(), 0, 255);
    net.model.relax_output(quantized, u8);
    const node_id real = net.model.add(op::convert{f32}, {quantized});
    net.model.result(net.model.add(op::multiply{}, {real, net.number(0.5)}));
    net.run<markup_precisions, align_quantization_intervals>();
    REQUIRE(interval_of(net, quantized) != nullptr);
    CHECK(interval_of(net, quantized)->combined == attribute::interval{0, 127.5f});
}

TEST_CASE("Integers of a quantize-dequantize pair count with its scale and zero point, unless upstream is followed") {
    for (const bool follows : {true, false}) {
        marked_network net;
        net.options.follow_upstream_errors = follows;
        const node_id quantized = net.fake_quantize(net.data(), 0, 255);
        const node_id narrow = net.model.add(op::convert{u8}, {quantized});
        const node_id real = net.model.add(op::convert{f32}, {narrow});
        const node_id shifted = net.model.add(op::subtract{}, {real, net.number(55)});
        net.model.result(net.model.add(op::multiply{}, {shifted, net.number(0.5)}));
        net.run<markup_precisions, align_quantization_intervals>();
        REQUIRE(interval_of(net, quantized) != nullptr);
        CHECK(interval_of(net, quantized)->combined ==
              (follows ? attribute::interval{0, 255} : attribute::interval{-27.5f, 100}));
    }
}

TEST_CASE("A quantize-dequantize pair with a scale for each channel has no interval, unless upstream is followed") {
    for (const bool follows : {true, false}) {
        marked_network net;
        net.options.follow_upstream_errors = follows;
        const node_id quantized = net.fake_quantize(net.data(), -128, 127);
        const node_id real = net.model.add(op::convert{f32}, {net.model.add(op::convert{i8}, {quantized})});
        const node_id scales = net.model.constant(make_tensor(f32, {1, 3, 1, 1}, view<double>({0.5, 0.25, 0.125})));
        net.model.result(net.model.add(op::multiply{}, {real, scales}));
        net.run<markup_precisions, align_quantization_intervals>();
        CHECK((interval_of(net, quantized) != nullptr) == follows);
    }
}
