// SPDX-License-Identifier: Apache-2.0
#include <lpt/tensor/tensor.hpp>

#include <doctest/doctest.h>

namespace {

using namespace lpt;

constexpr bool keeps_values(element type) {
    tensor_builder builder(type, {2, 3});
    for (std::size_t i = 0; i < 6; ++i) {
        builder.integer(i, type == boolean ? static_cast<std::int64_t>(i % 2) : static_cast<std::int64_t>(i));
    }
    const tensor values = builder.finish();
    for (std::size_t i = 0; i < 6; ++i) {
        const auto expected = type == boolean ? static_cast<std::int64_t>(i % 2) : static_cast<std::int64_t>(i);
        if (values.integer(i) != expected || values.real(i) != static_cast<double>(expected)) {
            return false;
        }
    }
    return values.size_in_bytes() == byte_size(type, 6);
}
static_assert(keeps_values(u4) && keeps_values(i4) && keeps_values(u8) && keeps_values(i8) && keeps_values(boolean));
static_assert(keeps_values(f16) && keeps_values(bf16) && keeps_values(f32) && keeps_values(f64) && keeps_values(i64));
static_assert(keeps_values(f8e4m3) && keeps_values(f8e5m2) && keeps_values(u16) && keeps_values(i32) &&
              keeps_values(u64));

static_assert(make_indices(view<std::int64_t>({1, -2})).dimensions() == shape{2});
static_assert(make_scalar(i8, 300).integer(0) == 127 && make_integer_tensor(i8, {}, {300}).integer(0) == 44);

}  // namespace

TEST_CASE("values of every element type are kept, four-bit ones packed two to a byte") {
    for (int i = 1; i < element_count; ++i) {
        INFO(name(static_cast<element>(i)).data());
        CHECK(keeps_values(static_cast<element>(i)));
    }
    const tensor nibbles = make_integer_tensor(i4, {3}, {-8, 7, -1});
    CHECK(nibbles.size_in_bytes() == 2);
    CHECK(integers_of(nibbles) == integers{-8, 7, -1});
}

TEST_CASE("integers of 64 bits keep all their bits") {
    const tensor values = make_integer_tensor(i64, {2}, {INT64_MAX, INT64_MIN});
    CHECK(values.integer(0) == INT64_MAX);
    CHECK(values.integer(1) == INT64_MIN);
}

TEST_CASE("real values that no 64-bit integer has are read as the nearest one, NaN as zero") {
    const tensor values = make_tensor(f64, {4}, view<double>({1e300, -1e300, math::not_a_number, -2.9}));
    CHECK(values.integer(0) == INT64_MAX);
    CHECK(values.integer(1) == INT64_MIN);
    CHECK(values.integer(2) == 0);
    CHECK(values.integer(3) == -2);
}

TEST_CASE("one value fills a whole shape, another number of values raises an error") {
    const tensor filled = make_tensor(f32, {2, 2}, view<double>({1.5}));
    CHECK(reals_of(filled) == seq<double>{1.5, 1.5, 1.5, 1.5});
    CHECK_THROWS_AS(make_tensor(f32, {2, 2}, view<double>({1, 2, 3})), error);
    CHECK_THROWS_AS(make_tensor(dynamic, {2}, view<double>({1})), error);
    CHECK_THROWS_AS(make_tensor(f32, {dynamic_dimension}, view<double>({1})), error);
    CHECK(make_tensor(f32, {0, 3}, view<double>({1})).elements() == 0);
}

TEST_CASE("a tensor can be seen with another shape and shares its bytes") {
    const tensor values = make_tensor(f32, {2, 3}, view<double>({1}));
    const tensor seen(values, shape{3, 2, 1});
    CHECK(seen.shares_bytes_with(values));
    CHECK_FALSE(seen == values);
    CHECK_THROWS_AS(tensor(values, shape{7}), error);
}

TEST_CASE("a tensor is a window on memory that it lets go when the last owner is gone") {
    static const float content[] = {1, 2, 3};
    int released = 0;
    {
        tensor window(f32, {3},
                      bytes(
                          reinterpret_cast<const std::byte*>(content), sizeof content,
                          [](void* counter) { ++*static_cast<int*>(counter); }, &released));
        const tensor copy = window;
        window = tensor();
        CHECK(copy.real(2) == 3);
        CHECK(static_cast<const void*>(copy.data()) == static_cast<const void*>(content));
        CHECK(released == 0);
    }
    CHECK(released == 1);
}

TEST_CASE("a number of bytes that type and shape do not ask for raises an error") {
    seq<std::byte> seven;
    seven.resize(7);
    CHECK_THROWS_AS(tensor(f32, {2}, bytes(seven)), error);
}

namespace {
/// A number that is computed when it is read, and how often that was.
struct late_number {
    float value = 0;
    int computed = 0;
    int forgotten = 0;

    static const std::byte* compute(void* mine) {
        late_number& all = *static_cast<late_number*>(mine);
        ++all.computed;
        all.value = 7;
        return reinterpret_cast<const std::byte*>(&all.value);
    }
    static void forget(void* mine) { ++static_cast<late_number*>(mine)->forgotten; }
};
}  // namespace

TEST_CASE("values that are still to be computed are computed once, when a copy of the tensor is read") {
    late_number number;
    {
        const tensor late(f32, {1}, bytes(new late_bytes(&number, &late_number::compute, &late_number::forget), 4));
        const tensor copy = late;
        const tensor reshaped(late, {1, 1});
        CHECK(late.elements() == 1);
        CHECK(late.size_in_bytes() == 4);
        CHECK(number.computed == 0);
        CHECK(copy.real(0) == 7);
        CHECK(reshaped.integer(0) == 7);
        CHECK(late == make_tensor(f32, {1}, {7.0}));
        CHECK(number.computed == 1);
        CHECK(number.forgotten == 0);
    }
    CHECK(number.forgotten == 1);
}

TEST_CASE("values that nobody reads are never computed") {
    late_number number;
    static_cast<void>(tensor(f32, {1}, bytes(new late_bytes(&number, &late_number::compute, &late_number::forget), 4)));
    CHECK(number.computed == 0);
    CHECK(number.forgotten == 1);
}

TEST_CASE("values of a shape that no tensor can have are not made") {
    CHECK_THROWS_AS(tensor_builder(f32, shape{-9223372036854775807, 1, 1}), error);
    CHECK_THROWS_AS(tensor_builder(u4, shape{most_elements, 2}), error);
}
