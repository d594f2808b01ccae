// SPDX-License-Identifier: Apache-2.0
// Numbers of any size in attributes, sizes and values: each operation gives a possible shape, or an error that names it.
#include "inferred.hpp"

#include <lpt/op/all.hpp>
#include <lpt/op/fields.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

using namespace lpt;
using namespace lpt::test;

namespace {

constexpr std::int64_t huge = INT64_MAX;
constexpr std::int64_t half_the_range = std::int64_t{1} << 62;

constexpr std::int64_t hostile[] = {huge,
                                    INT64_MIN,
                                    INT64_MIN + 1,
                                    half_the_range,
                                    -half_the_range,
                                    std::int64_t{1} << 32,
                                    most_elements,
                                    INT32_MAX,
                                    INT32_MIN,
                                    -2,
                                    -1,
                                    0};

/// Every how-many-th attempt is made; LPT_HOSTILE_STRIDE=1, or nothing, makes all.
bool is_taken(int attempt) {
    static const char* const words = std::getenv("LPT_HOSTILE_STRIDE");
    static const long stride = words == nullptr ? 1 : std::max(1L, std::strtol(words, nullptr, 10));
    return attempt % stride == 0;
}

/// True where inference gives possible shapes or an error that begins with the operation; what else it does is a failure.
bool is_harmless(const op::attributes& what, int version, view<input> inputs) {
    const op::row& row = op::row_of(what);
    seq<op::input_facts> known;
    for (const input& each : inputs) {
        known.push_back(facts_of(each));
    }
    op::inference facts(row.name, "node", version, known);
    try {
        row.infer(what, facts);
    } catch (const error& raised) {
        return std::string_view(raised.what()).starts_with(std::string_view(row.name.data(), row.name.size()));
    }
    bool possible = true;
    for (const op::output_facts& each : facts.outputs()) {
        possible = possible && each.dimensions.is_possible();
    }
    return possible;
}

/// Inputs of an operation: data with four axes, then what most operations read behind it.
std::vector<std::vector<input>> plain_inputs(std::size_t count) {
    std::vector<std::vector<input>> all;
    for (const shape& data : {shape{2, 4, 6, 6}, shape{0, 4, 0, 6}, shape{1, most_elements}, shape{2, 3, 4},
                              shape::of_rank(4), shape::of_dynamic_rank(), shape{}}) {
        for (const input& rest : {of(f32, {4, 4, 3, 3}), indices({1, 2, 2, 1}), indices({1}), index(1), of(i64, {4}),
                                  of(i64, {most_elements}), of(f32, {2, 2, 2, 3, 3}), anything()}) {
            std::vector<input> inputs(count, rest);
            if (!inputs.empty()) {
                inputs[0] = of(f32, data);
            }
            all.push_back(inputs);
        }
    }
    return all;
}

/// Calls `visit(attributes, version)` for the attributes of an operation, one number of one attribute at a time hostile.
template <class Visit>
void for_each_hostile_attribute(op::kind kind, int version, Visit visit) {
    const op::field_row& row = op::fields_of(kind);
    const seq<op::named_value> usual = row.read(row.make({}, version, "test"), version);
    for (std::size_t i = 0; i < usual.size(); ++i) {
        for (const std::int64_t value : hostile) {
            for (const std::size_t length : {std::size_t{1}, std::size_t{2}, std::size_t{9}, std::size_t{18}}) {
                seq<op::named_value> values = usual;
                using form = op::attribute_value::form;
                if (values[i].value.holds == form::integer) {
                    values[i].value = op::to_value(value);
                } else if (values[i].value.holds == form::integers) {
                    integers list(length, 1);
                    list.back() = value;
                    values[i].value = op::to_value(list);
                } else {
                    continue;
                }
                try {
                    visit(row.make(values, version, "test"), version);
                } catch (const error&) {  // not even an attribute: port maps, for instance
                }
            }
        }
    }
}

constexpr bool rows_are_in_order() {
    for (int place = 0; place < op::kind_count; ++place) {
        if (op::rows.values[place].number != static_cast<op::kind>(place)) {
            return false;
        }
    }
    return true;
}
static_assert(rows_are_in_order(), "`op::all` is not in the order of `op::kind`");

}  // namespace

TEST_CASE("no attribute of any operation, however large, makes inference give a shape that cannot be") {
    int tried = 0;
    for (int place_of = 0; place_of < op::kind_count; ++place_of) {
        const auto kind = static_cast<op::kind>(place_of);
        const op::row& row = op::row_of(kind);
        for (int place = 0; place < row.opsets.count; ++place) {
            for_each_hostile_attribute(kind, row.opsets.values[place], [&](const op::attributes& what, int version) {
                const auto least = static_cast<std::size_t>(row.inputs.least);
                for (const std::vector<input>& inputs : plain_inputs(least)) {
                    if (is_taken(++tried)) {
                        CHECK_MESSAGE(is_harmless(what, version, view<input>(inputs.data(), inputs.size())),
                                      std::string_view(row.name.data(), row.name.size()));
                    }
                }
            });
        }
    }
    CHECK(tried > 10000);
}

TEST_CASE("no value that an operation reads, however large, makes inference give a shape that cannot be") {
    int tried = 0;
    for (int place_of = 0; place_of < op::kind_count; ++place_of) {
        const auto kind = static_cast<op::kind>(place_of);
        const op::row& row = op::row_of(kind);
        const int most = row.inputs.most > 5 ? 5 : row.inputs.most;
        const op::attributes what = op::fields_of(kind).make({}, row.opsets.newest(), "test");
        for (int count = row.inputs.least; count <= most; ++count) {
            for (std::vector<input> inputs : plain_inputs(static_cast<std::size_t>(count))) {
                for (std::size_t port = 1; port < inputs.size(); ++port) {
                    const input usual = inputs[port];
                    for (const std::int64_t value : hostile) {
                        for (const integers& values : {integers{value}, integers{1, value, value, 1}}) {
                            inputs[port] = indices(values);
                            if (is_taken(++tried)) {
                                CHECK_MESSAGE(
                                    is_harmless(what, row.opsets.newest(), view<input>(inputs.data(), inputs.size())),
                                    std::string_view(row.name.data(), row.name.size()));
                            }
                        }
                    }
                    for (const double value : {math::infinity, -math::infinity, math::not_a_number, 1e300, -1e300}) {
                        inputs[port] = number(f32, value);
                        CHECK(is_harmless(what, row.opsets.newest(), view<input>(inputs.data(), inputs.size())));
                    }
                    inputs[port] = usual;
                }
            }
        }
    }
    CHECK(tried > 10000);
}

TEST_CASE("an output may have 2^47 elements, and not more") {
    CHECK(inferred(op::parameter{u8, {most_elements}}) == "u8[140737488355328]");
    LPT_CHECK_WRONG(inferred(op::parameter{u8, {std::int64_t{1} << 32, std::int64_t{1} << 32}}),
                    "output 0 cannot have the shape [4294967296,4294967296]");
}

TEST_CASE("strides, dilations and margins of windows reach to 2^31 - 1") {
    const input data = of(f32, {1, 1, 8});
    const input weights = of(f32, {1, 1, 1});
    CHECK(inferred(op::convolution{.strides = {INT32_MAX}}, data, weights) == "f32[1,1,1]");
    CHECK(inferred(op::convolution{.pads_end = {INT32_MAX}}, data, weights) == "f32[1,1,2147483655]");
    LPT_CHECK_WRONG(inferred(op::convolution{.pads_begin = {INT32_MAX + std::int64_t{1}}}, data, weights),
                    "pads_begin must be at most 2147483647, not 2147483648");
    LPT_CHECK_WRONG(inferred(op::convolution{.dilations = {huge}}, data, weights),
                    "dilations must be at most 2147483647");
}

TEST_CASE("a window whose reach leaves the largest tensor is refused, though kernel and dilation are possible") {
    LPT_CHECK_WRONG(inferred(op::convolution{.dilations = {INT32_MAX}, .pads_end = {INT32_MAX}}, of(f32, {1, 1, 8}),
                             of(f32, {1, 1, std::int64_t{1} << 40})),
                    "is too large on spatial axis 0");
}

TEST_CASE("a transposed convolution is refused where its input spreads over more than the largest tensor") {
    const input data = of(f32, {1, 1, std::int64_t{1} << 20});
    CHECK(inferred(op::convolution_backprop_data{.strides = {std::int64_t{1} << 20}}, data, of(f32, {1, 1, 1})) ==
          "f32[1,1,1099510579201]");
    LPT_CHECK_WRONG(inferred(op::convolution_backprop_data{.strides = {INT32_MAX}}, data, of(f32, {1, 1, 1})),
                    "gives too large an output");
}

TEST_CASE("FakeQuantize has up to 2^32 levels") {
    const auto with = [](std::int64_t levels) {
        return inferred(op::fake_quantize{levels}, of(f32, {3}), of(f32, {}), of(f32, {}), of(f32, {}), of(f32, {}));
    };
    CHECK(with(op::fake_quantize::most_levels) == "f32[3]");
    LPT_CHECK_WRONG(with(op::fake_quantize::most_levels + 1), "levels must be at most 4294967296");
}

TEST_CASE("constants of FakeConvert have no more axes than the data, ranges of FakeQuantize may") {
    const input data = of(f32, {2, 3});
    const input wide = of(f32, {1, 1, 1});
    CHECK(inferred(op::fake_quantize{2}, data, wide, wide, wide, wide) == "f32[2,3]");
    CHECK(inferred(op::fake_convert{}, data, of(f32, {1, 3}), of(f32, {})) == "f32[2,3]");
    LPT_CHECK_WRONG(inferred(op::fake_convert{}, data, wide), "input 1 of shape [1,1,1] does not broadcast to [2,3]");
}

TEST_CASE("Split has up to 65536 outputs, also of an axis of which nothing is known") {
    CHECK(inferred(op::split{2}, of(f32, {0}), index(0)) == "f32[0] f32[0]");
    LPT_CHECK_WRONG(inferred(op::split{huge}, of(f32, {0}), index(0)), "num_splits must be at most 65536");
}

TEST_CASE("an attention whose scores are more than a tensor can have is refused") {
    const input rows = of(f32, {std::int64_t{1} << 30, 0});
    LPT_CHECK_WRONG(inferred(op::scaled_dot_product_attention{}, rows, rows, rows), "are too many");
}

TEST_CASE("a sink of attention must broadcast to one value a row") {
    const input rows = of(f32, {2, 3});
    const input scale = of(f32, {});
    const input mask = of(f32, {2, 2});
    CHECK(inferred(op::scaled_dot_product_attention{}, rows, rows, rows, mask, scale, of(f32, {2, 1})) == "f32[2,3]");
    LPT_CHECK_WRONG(inferred(op::scaled_dot_product_attention{}, rows, rows, rows, mask, scale, of(f32, {2, 2, 1})),
                    "a sink of");
}

TEST_CASE("Interpolate cannot make elements of an axis that has none") {
    const op::interpolate self{.shape_calculation_mode = op::shape_calculation_mode::sizes};
    LPT_CHECK_WRONG(inferred(self, 11, of(f32, {1, 0}), indices({1, 5})), "axis 1 has no elements to resize");
}

TEST_CASE("Interpolate resizes an axis once") {
    const op::interpolate self{.shape_calculation_mode = op::shape_calculation_mode::sizes};
    LPT_CHECK_WRONG(inferred(self, 11, of(f32, {1, 3}), indices({5, 5}), indices({1, -1})), "an axis is named twice");
    LPT_CHECK_WRONG(inferred(op::interpolate{.axes = {0, 0}}, 0, of(f32, {1, 3}), indices({5, 5})),
                    "an axis is named twice");
}

TEST_CASE("an integer of a file that 64 bits do not hold is no value of an attribute") {
    CHECK(read<op::concat>(0, {word("axis", "9223372036854775807")}).axis == huge);
    CHECK(read<op::concat>(0, {word("axis", "-9223372036854775808")}).axis == INT64_MIN);
    CHECK_THROWS_AS(read<op::concat>(0, {word("axis", "9223372036854775808")}), error);
    CHECK_THROWS_AS(read<op::concat>(0, {word("axis", "18446744073709551617")}), error);
    CHECK_THROWS_AS(read<op::concat>(0, {{"axis", op::to_value(1e30)}}), error);
    CHECK_THROWS_AS(read<op::concat>(0, {{"axis", op::to_value(math::not_a_number)}}), error);
}
