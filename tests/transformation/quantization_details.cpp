// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/quantization_details.hpp>

#include <doctest/doctest.h>

using namespace lpt;

namespace {

constexpr precision_details details(std::int64_t levels, float low, float high) {
    return precision_details_of(levels, view<float>(&low, 1), view<float>(&high, 1));
}
constexpr element preferred(std::int64_t levels, float low, float high) { return details(levels, low, high).preferred; }

static_assert(preferred(256, 0.0f, 2.55f) == u8);
static_assert(preferred(256, -1.28f, 1.27f) == i8);
static_assert(preferred(255, -1.27f, 1.27f) == i8);
static_assert(preferred(16, -8.0f, 7.0f) == i8);
static_assert(preferred(1 << 16, 0.0f, 1.0f) == u16);
static_assert(preferred(std::int64_t{1} << 32, 0.0f, 1.0f) == u32);
static_assert(preferred(15, 0.0f, 1.0f) == dynamic);

}  // namespace

TEST_CASE("a range whose bounds are not in the ratio of the type's needs a zero point") {
    CHECK(preferred(256, -1.27f, 1.27f) == dynamic);
    CHECK(details(256, -1.27f, 1.27f).has_zero_point);
    CHECK(preferred(256, -1.28f, 1.2675f) == i8);
    CHECK(preferred(256, 1.0f, 2.0f) == dynamic);
    CHECK(preferred(256, -2.0f, -1.0f) == dynamic);
    CHECK(preferred(256, -2.55f, 0.0f) == dynamic);
}

TEST_CASE("tiny ranges say nothing, and alone they go by their sign") {
    CHECK(preferred(256, -1e-7f, 1e-7f) == i8);
    CHECK(preferred(256, 0.0f, 1e-7f) == u8);
    const float lows[] = {0.0f, -1e-7f};
    const float highs[] = {2.55f, 1e-7f};
    CHECK(precision_details_of(256, lows, highs).preferred == u8);
}

TEST_CASE("signed and unsigned channels together prefer no type") {
    const float lows[] = {-1.28f, 0.0f};
    const float highs[] = {1.27f, 2.55f};
    CHECK(precision_details_of(256, lows, highs).preferred == dynamic);
    CHECK_FALSE(precision_details_of(256, lows, highs).has_zero_point);
}

TEST_CASE("one channel among many counts as it does among two, wherever it is") {
    const float plain[][2] = {{0.0f, 2.55f}, {-1.28f, 1.27f}};
    const float others[][2] = {{0.0f, 1e-7f}, {-1e-7f, 0.0f},   {-1.28f, 1.27f}, {-1.27f, 1.27f}, {0.1f, 1.0f},
                               {0.0f, -1.0f}, {-1.28f, 1.273f}, {-0.0f, 1.0f},   {1.0f, -1.0f},   {-1.0f, 0.0f}};
    for (const auto& usual : plain) {
        for (const auto& other : others) {
            const float two_lows[] = {usual[0], other[0]};
            const float two_highs[] = {usual[1], other[1]};
            const precision_details expected = precision_details_of(256, two_lows, two_highs);
            for (std::size_t place = 0; place < 11; ++place) {
                seq<float, 2> lows(11, usual[0]);
                seq<float, 2> highs(11, usual[1]);
                lows[place] = other[0];
                highs[place] = other[1];
                const precision_details found = precision_details_of(256, lows, highs);
                CHECK(found.preferred == expected.preferred);
                CHECK(found.has_zero_point == expected.has_zero_point);
                CHECK(found.has_negative_values == expected.has_negative_values);
            }
        }
    }
}

TEST_CASE("the range of a type depends on the levels") {
    CHECK(range_of_type(u8, 256) == data_precision{u8, 0.0f, 255.0f, false});
    CHECK(range_of_type(u8, 16).high == 15.0f);
    CHECK(range_of_type(i8, 255).low == -127.0f);
    CHECK(range_of_type(i8, 16) == data_precision{i8, -8.0f, 7.0f, false});
    CHECK_FALSE(range_of_type(i16, 256));
    CHECK_FALSE(range_of_type(f32, 256));
    CHECK_FALSE(range_of_type(i64, 256));
}

TEST_CASE("weights take the preferred type if it is allowed, else the first with a zero point") {
    const quantization_details symmetric{255, {-1.27f}, {1.27f}};
    const element both[] = {u8, i8};
    const element unsigned_only[] = {u8};
    CHECK(precision_of_weights(symmetric, both) == data_precision{i8, -127.0f, 127.0f, false});
    CHECK(precision_of_weights(symmetric, unsigned_only) == data_precision{u8, 0.0f, 255.0f, true});
    CHECK(precision_of_weights(symmetric, {}).type == i8);
}

TEST_CASE("weights of 16 levels fit no 8-bit type") {
    const element both[] = {u8, i8};
    CHECK_FALSE(precision_of_weights({16, {-8.0f}, {7.0f}}, both));
}

TEST_CASE("activations take a candidate of their levels") {
    const element all[] = {u8, i8, u16, i16};
    CHECK(precision_of_activations({256, {-1.28f}, {1.27f}}, all) == i8);
    CHECK(precision_of_activations({1 << 16, {0.0f}, {1.0f}}, all) == u16);
    CHECK(precision_of_activations({256, {-1.0f}, {2.0f}}, all) == u8);
    const element wide[] = {u16, i16};
    CHECK(precision_of_activations({256, {0.0f}, {1.0f}}, wide) == dynamic);
    const element single[] = {u8};
    CHECK(precision_of_activations({1 << 16, {0.0f}, {1.0f}}, single) == u8);
}

TEST_CASE("bounds of different shapes are broadcast to each other") {
    graph model;
    const node_id data = model.parameter(f32, shape{1, 2, 2, 2});
    const node_id low = model.constant(make_scalar(f32, 0));
    const node_id high = model.constant(make_tensor(f32, shape{2, 1, 1}, {1, 2}));
    const node_id fake_quantize = model.add(op::fake_quantize{256}, {data, low, high, low, high});
    const quantization_details found = details_of(model, fake_quantize);
    CHECK(found.lows == seq<float, 2>{0.0f, 0.0f});
    CHECK(found.highs == seq<float, 2>{1.0f, 2.0f});
}
