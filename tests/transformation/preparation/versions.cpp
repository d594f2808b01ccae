// SPDX-License-Identifier: Apache-2.0
#include "../prerequisites/rewritten.hpp"

#include <lpt/graph/verify.hpp>
#include <lpt/transformation/preparation/convert_adaptive_pool.hpp>
#include <lpt/transformation/preparation/convert_avg_pool.hpp>
#include <lpt/transformation/preparation/convert_interpolate.hpp>
#include <lpt/transformation/preparation/convert_max_pool.hpp>
#include <lpt/transformation/preparation/convert_pad.hpp>
#include <lpt/transformation/preparation/convert_squeeze.hpp>

#include <doctest/doctest.h>

#include <utility>

using namespace lpt;
using testing::rewritten;

namespace {

/// in [1,2,7,7] -> operation -> Result.
struct single_operation : rewritten {
    node_id operation = node_id::none;
    constexpr single_operation(op::attributes what, int version, view<seq<std::int64_t>> more = {},
                               shape data = {1, 2, 7, 7}) {
        seq<output_ref> inputs{input(std::move(data))};
        for (const seq<std::int64_t>& each : more) {
            inputs.push_back(indices(each));
        }
        operation = model.add(std::move(what), inputs, "operation", version);
        model.name_tensor(operation, "tensor");
        model.result(operation);
    }
    constexpr int version() const { return model[output()].version(); }
};

op::max_pool max_pool(op::rounding_type rounding, integers dilations = {1, 1}) {
    op::max_pool pool{};
    pool.kernel = {2, 2};
    pool.strides = {2, 2};
    pool.pads_begin = {0, 0};
    pool.pads_end = {0, 0};
    pool.dilations = std::move(dilations);
    pool.rounding_type = rounding;
    return pool;
}
op::avg_pool avg_pool(op::rounding_type rounding) {
    op::avg_pool pool{};
    pool.kernel = {2, 2};
    pool.strides = {2, 2};
    pool.pads_begin = {0, 0};
    pool.pads_end = {0, 0};
    pool.rounding_type = rounding;
    return pool;
}

constexpr bool squeeze_loses_its_version() {
    single_operation net(op::squeeze{}, 15, view<seq<std::int64_t>>({{0}}));
    const bool changed = net.run<convert_squeeze>(net.operation);
    return changed && net.version() == 0 && net.model[net.output()].name() == "operation" &&
           net.model[net.output()].tensor_names()[0] == "tensor" && net.model[net.output()].shape() == shape{2, 7, 7};
}
static_assert(squeeze_loses_its_version());

}  // namespace

TEST_CASE("MaxPool of newer versions becomes version 1 with the same values and names") {
    for (const int version : {8, 14}) {
        for (const op::rounding_type rounding : {op::rounding_type::floor, op::rounding_type::ceil}) {
            single_operation net(max_pool(rounding), version);
            CHECK(net.run<convert_max_pool>(net.operation));
            verify(net.model);
            CHECK(net.version() == 1);
            CHECK(net.model[net.output()].name() == "operation");
            CHECK(net.model[net.output()].tensor_names()[0] == "tensor");
            CHECK(net.difference() == 0);
        }
    }
}

TEST_CASE("MaxPool stays with dilations, and where something reads the indices") {
    single_operation dilated(max_pool(op::rounding_type::floor, {2, 2}), 8);
    CHECK_FALSE(dilated.run<convert_max_pool>(dilated.operation));
    CHECK(dilated.why() == reason::unsupported_mode);
    single_operation indices(max_pool(op::rounding_type::floor), 8);
    indices.model.result({indices.operation, 1});
    CHECK_FALSE(indices.run<convert_max_pool>(indices.operation));
    single_operation first(max_pool(op::rounding_type::floor), 1);
    CHECK_FALSE(first.run<convert_max_pool>(first.operation));
    CHECK(first.refusals.empty());
}

TEST_CASE("AvgPool of newer versions becomes version 1 where that gives the same") {
    for (const op::rounding_type rounding : {op::rounding_type::floor, op::rounding_type::ceil}) {
        single_operation net(avg_pool(rounding), 14);
        CHECK(net.run<convert_avg_pool>(net.operation));
        CHECK(net.version() == 1);
        CHECK(net.difference() < 1e-6);
    }
    // 7 columns in windows of 2: the last window of ceil_torch is cut off, which version 1 cannot say.
    single_operation cut(avg_pool(op::rounding_type::ceil_torch), 14);
    CHECK_FALSE(cut.run<convert_avg_pool>(cut.operation));
    CHECK(cut.why() == reason::unsupported_mode);
    single_operation whole(avg_pool(op::rounding_type::ceil_torch), 14, {}, {1, 2, 6, 6});
    CHECK(whole.run<convert_avg_pool>(whole.operation));
    CHECK(whole.difference() < 1e-6);
    single_operation unknown(avg_pool(op::rounding_type::ceil_torch), 14, {}, {1, 2, -1, 6});
    CHECK_FALSE(unknown.run<convert_avg_pool>(unknown.operation));
}

TEST_CASE("Interpolate-11 becomes version 4 with the same values, by sizes and by scales") {
    for (const bool sizes : {true, false}) {
        op::interpolate what{};
        what.mode = op::interpolate_mode::nearest;
        what.shape_calculation_mode = sizes ? op::shape_calculation_mode::sizes : op::shape_calculation_mode::scales;
        rewritten net;
        const node_id target = sizes ? net.indices({14, 10}) : net.constant({2, 1.5}, {2});
        const node_id operation =
            net.model.add(what, {net.input({1, 2, 7, 7}), target, net.indices({2, 3})}, "resize", 11);
        net.model.result(operation);
        CHECK(net.run<convert_interpolate>(operation));
        verify(net.model);
        CHECK(net.model[net.output()].version() == 4);
        CHECK(net.model[net.output()].name() == "resize");
        CHECK(net.difference() == 0);
    }
}

TEST_CASE("Interpolate-11 stays in modes that only it has, and with an unknown number of sizes") {
    op::interpolate what{};
    what.mode = op::interpolate_mode::bilinear_pillow;
    what.shape_calculation_mode = op::shape_calculation_mode::sizes;
    single_operation mode(what, 11, view<seq<std::int64_t>>({{14, 10}, {2, 3}}));
    CHECK_FALSE(mode.run<convert_interpolate>(mode.operation));
    CHECK(mode.why() == reason::unsupported_mode);
    what.mode = op::interpolate_mode::nearest;
    rewritten net;
    const node_id operation = net.model.add(what, {net.input({1, 2, 7, 7}), net.input({-1}, i64)}, {}, 11);
    net.model.result(operation);
    CHECK_FALSE(net.run<convert_interpolate>(operation));
    CHECK(net.why() == reason::axes_not_constant);
}

TEST_CASE("Pad-12 becomes version 1 unless it takes away, or may") {
    single_operation net(op::pad{}, 12, view<seq<std::int64_t>>({{0, 0, 1, 2}, {0, 0, 0, 1}}));
    CHECK(net.run<convert_pad>(net.operation));
    CHECK(net.version() == 1);
    CHECK(net.difference() == 0);
    single_operation cropping(op::pad{}, 12, view<seq<std::int64_t>>({{0, 0, 1, 2}, {0, 0, -1, 0}}));
    CHECK_FALSE(cropping.run<convert_pad>(cropping.operation));
    CHECK(cropping.why() == reason::unsupported_padding);
    rewritten unknown;
    const node_id operation =
        unknown.model.add(op::pad{}, {unknown.input({1, 2}), unknown.input({2}, i64), unknown.indices({0, 0})}, {}, 12);
    unknown.model.result(operation);
    CHECK_FALSE(unknown.run<convert_pad>(operation));
    CHECK(unknown.why() == reason::axes_not_constant);
}

TEST_CASE("Squeeze-15 becomes version 0 unless it may skip axes") {
    single_operation net(op::squeeze{}, 15, view<seq<std::int64_t>>({{0}}));
    CHECK(net.run<convert_squeeze>(net.operation));
    CHECK(net.difference() == 0);
    op::squeeze skipping{};
    skipping.allow_axis_skip = true;
    single_operation other(skipping, 15, view<seq<std::int64_t>>({{0}}));
    CHECK_FALSE(other.run<convert_squeeze>(other.operation));
    CHECK(other.why() == reason::unsupported_mode);
}

TEST_CASE("adaptive pooling into bins of one size becomes pooling with windows side by side") {
    single_operation mean(op::adaptive_avg_pool{}, 8, view<seq<std::int64_t>>({{3, 2}}), {1, 2, 6, 8});
    CHECK(mean.run<convert_adaptive_avg_pool>(mean.operation));
    verify(mean.model);
    const node& pool = mean.model[mean.output()];
    REQUIRE(pool.is<op::avg_pool>());
    CHECK(pool.as<op::avg_pool>().kernel == integers{2, 4});
    CHECK(pool.as<op::avg_pool>().strides == integers{2, 4});
    CHECK(pool.shape() == shape{1, 2, 3, 2});
    CHECK(pool.name() == "operation");
    CHECK(pool.tensor_names()[0] == "tensor");
    single_operation most(op::adaptive_max_pool{}, 8, view<seq<std::int64_t>>({{1, 1}}));
    CHECK(most.run<convert_adaptive_max_pool>(most.operation));
    CHECK(most.model[most.output()].is<op::max_pool>());
    CHECK(most.model[most.output()].as<op::max_pool>().kernel == integers{7, 7});
}

TEST_CASE("adaptive pooling stays where bins differ, or where places are read") {
    single_operation mean(op::adaptive_avg_pool{}, 8, view<seq<std::int64_t>>({{3, 7}}));
    CHECK_FALSE(mean.run<convert_adaptive_avg_pool>(mean.operation));
    single_operation open(op::adaptive_avg_pool{}, 8, view<seq<std::int64_t>>({{1, 1}}), {1, 2, -1, 7});
    CHECK_FALSE(open.run<convert_adaptive_avg_pool>(open.operation));
    single_operation places(op::adaptive_max_pool{}, 8, view<seq<std::int64_t>>({{1, 1}}));
    places.model.result({places.operation, 1});
    CHECK_FALSE(places.run<convert_adaptive_max_pool>(places.operation));
}
