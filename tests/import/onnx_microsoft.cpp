// SPDX-License-Identifier: Apache-2.0
#include "tests/import/onnx_results.hpp"

#include <doctest/doctest.h>

#include <cmath>

/// Operators of ONNX Runtime's domain that move elements, and attention with heads in groups.
namespace {

using namespace lpt;
using namespace lpt::testing::onnx_file;

const std::string microsoft = "com.microsoft";
constexpr std::int64_t i32_type = 6;

std::string i64_tensor(const std::string& name, const numbers& dimensions, const numbers& all) {
    return raw_tensor(name, dimensions, i64_type, {reinterpret_cast<const char*>(all.data()), all.size() * 8});
}
std::string i32_tensor(const std::string& name, const numbers& dimensions, const std::vector<std::int32_t>& all) {
    return raw_tensor(name, dimensions, i32_type, {reinterpret_cast<const char*>(all.data()), all.size() * 4});
}
/// What one operator gives for one real input `x` and constants.
std::vector<values> result_of(const std::string& type, const words& inputs, const words& constants,
                              const numbers& sizes, const values& x, const words& attributes = {}) {
    const parts net{{make_node(type, inputs, {"y"}, attributes, microsoft)},
                    constants,
                    {value("x", sizes)},
                    {message([](pbf_writer& to) { to.add_string(1, "y"); })}};
    shape dimensions;
    for (const std::int64_t size : sizes) {
        dimensions.push_back(size);
    }
    return results_of(make_model(net), {floats_of(dimensions, x)});
}

}  // namespace

TEST_CASE("Pad of com.microsoft takes margins as a list or as one row") {
    CHECK(result_of("Pad", {"x", "p", "v"}, {i64_tensor("p", {2}, {1, 2}), floats("v", {1}, {7})}, {2}, {1, 2})[0] ==
          values{7, 1, 2, 7, 7});
    CHECK(result_of("Pad", {"x", "p"}, {i64_tensor("p", {1, 2}, {-1, 1})}, {3}, {1, 2, 3},
                    {word_attribute("mode", "edge")})[0] == values{2, 3, 3});
    CHECK_THROWS_WITH_AS(result_of("Pad", {"x", "p"}, {i64_tensor("p", {3}, {1, 2, 3})}, {2}, {1, 2}),
                         doctest::Contains("has 3 margins for 1 axes"), error);
}

TEST_CASE("ExpandDims, Trilu, GatherND and Inverse of com.microsoft are those of the library") {
    CHECK(result_of("ExpandDims", {"x", "a"}, {i32_tensor("a", {}, {-1})}, {2}, {1, 2})[0] == values{1, 2});
    CHECK(result_of("Trilu", {"x"}, {}, {2, 2}, {1, 2, 3, 4})[0] == values{1, 2, 0, 4});
    CHECK(result_of("GatherND", {"x", "i"}, {i64_tensor("i", {2, 2}, {0, 1, 1, -1})}, {2, 2}, {1, 2, 3, 4})[0] ==
          values{2, 4});
    CHECK(result_of("Inverse", {"x"}, {}, {2, 2}, {0, 2, 4, 0})[0] == values{0, 0.25, 0.5, 0});
}

TEST_CASE("Range of com.microsoft has a step of 1 where none is given") {
    CHECK(result_of("Range", {"x", "e"}, {floats("e", {1}, {4})}, {1}, {1.5})[0] == values{1.5, 2.5, 3.5});
    CHECK(result_of("Range", {"x", "e", "s"}, {floats("e", {1}, {4}), floats("s", {1}, {2})}, {1}, {1})[0] ==
          values{1, 3});
}

TEST_CASE("CDist gives distances of rows, squared or not") {
    const words constants{floats("b", {2, 2}, {0, 0, 3, 5})};
    CHECK(result_of("CDist", {"x", "b"}, constants, {1, 2}, {3, 4})[0] == values{25, 1});
    CHECK(result_of("CDist", {"x", "b"}, constants, {1, 2}, {3, 4}, {word_attribute("metric", "euclidean")})[0] ==
          values{5, 1});
    CHECK_THROWS_WITH_AS(
        result_of("CDist", {"x", "b"}, constants, {1, 2}, {3, 4}, {word_attribute("metric", "manhattan")}),
        doctest::Contains("metric 'manhattan' is not known"), error);
}

TEST_CASE("CropAndResize samples regions, with a value of its own outside of the image") {
    const words constants{floats("r", {2, 4}, {0, 0, 1, 1, 0, 0.5F, 1, 1.5F}), i32_tensor("b", {2}, {0, 0}),
                          i32_tensor("s", {2}, {2, 3})};
    const std::string outside = message([](pbf_writer& to) {
        to.add_string(1, "extrapolation_value");
        to.add_float(2, 9);
        to.add_int32(20, 1);
    });
    CHECK(result_of("CropAndResize", {"x", "r", "b", "s"}, constants, {1, 1, 2, 3}, {0, 1, 2, 3, 4, 5}, {outside})[0] ==
          values{0, 1, 2, 3, 4, 5, 1, 2, 9, 4, 5, 9});
}

TEST_CASE("CropAndResize takes the nearest element, of two that are as near the later one") {
    const words constants{floats("r", {1, 4}, {0, 0.25F, 1, 0.75F}), i32_tensor("b", {1}, {0}),
                          i32_tensor("s", {2}, {1, 2})};
    CHECK(result_of("CropAndResize", {"x", "r", "b", "s"}, constants, {1, 1, 1, 3}, {1, 2, 3},
                    {word_attribute("mode", "nearest")})[0] == values{2, 3});
}

TEST_CASE("GatherBlockQuantized dequantizes what it gathers, two numbers of four bits to a byte") {
    const auto gathered = [](const words& inputs, const words& more) {
        words constants{small("d", {2, 2}, {0x10, 0x98, 0x32, 0xFA}), floats("s", {2, 2}, {1, 10, 2, 3})};
        constants.insert(constants.end(), more.begin(), more.end());
        const parts net{{make_node("GatherBlockQuantized", inputs, {"y"}, {integer("block_size", 2)}, microsoft)},
                        constants,
                        {value("i", {1}, i64_type)},
                        {value("y", {1, 4})}};
        return results_of(make_model(net), {make_integer_tensor(i64, shape{1}, {1})})[0];
    };
    CHECK(gathered({"d", "i", "s"}, {}) == values{-12, -10, 6, 21});
    CHECK(gathered({"d", "i", "s", "z"}, {small("z", {2, 1}, {0, 0x21})}) == values{2, 4, 24, 39});
}

namespace {

struct call {
    words inputs{"q", "k", "v", "pk", "pv", "n", "t"};
    words constants;
    words attributes;
    std::int64_t heads = 2;
};

/// One sample with keys of one number, two new places and room for what was kept; queries of zero see the mean of values.
std::vector<values> attended(const call& what, const tensor& query, const tensor& kept, int last_key, int total) {
    words all{integer("num_heads", what.heads), integer("kv_num_heads", 1)};
    all.insert(all.end(), what.attributes.begin(), what.attributes.end());
    const std::int64_t before = kept.dimensions()[2];
    words constants{i32_tensor("n", {1}, {last_key}), i32_tensor("t", {1}, {total})};
    constants.insert(constants.end(), what.constants.begin(), what.constants.end());
    const parts net{{make_node("GroupQueryAttention", what.inputs, {"y", "key", "values"}, all, microsoft)},
                    constants,
                    {value("q", {1, 2, what.heads}), value("k", {1, 2, 1}), value("v", {1, 2, 1}),
                     value("pk", {1, 1, before, 1}), value("pv", {1, 1, before, 1})},
                    {value("y", {1, 2, what.heads}), value("key", {1, 1, -1, 1}), value("values", {1, 1, -1, 1})}};
    return results_of(make_model(net),
                      {query, floats_of({1, 2, 1}, {1, 2}), floats_of({1, 2, 1}, {30, 60}), kept, kept});
}
const values zeros(4, 0);

}  // namespace

TEST_CASE("GroupQueryAttention looks at what was kept and at the new places up to each query") {
    const std::vector<values> made = attended({}, floats_of({1, 2, 2}, zeros), floats_of({1, 1, 1, 1}, {6}), 2, 3);
    CHECK(made[0] == values{18, 18, 32, 32});
    CHECK(made[1] == values{6, 1, 2});
    CHECK(made[2] == values{6, 30, 60});
}

TEST_CASE("GroupQueryAttention puts new places behind those that a sample has, in buffers that are longer") {
    const std::vector<values> made =
        attended({}, floats_of({1, 2, 2}, zeros), floats_of({1, 1, 5, 1}, {6, 12, 500, 600, 700}), 3, 4);
    CHECK(made[2] == values{6, 12, 30, 60, 700});
    CHECK(made[0] == values{16, 16, 27, 27});
}

TEST_CASE("GroupQueryAttention looks no farther back than its window") {
    call what;
    what.attributes = {integer("local_window_size", 2)};
    CHECK(attended(what, floats_of({1, 2, 2}, zeros), floats_of({1, 1, 1, 1}, {6}), 2, 3)[0] == values{18, 18, 45, 45});
}

TEST_CASE("GroupQueryAttention scales, limits and smooths scores") {
    call what;
    what.heads = 1;
    const tensor ones = floats_of({1, 2, 1}, {1, 1});
    const tensor none = floats_of({1, 1, 0, 1}, {});
    const auto second = [&] { return attended(what, ones, none, 1, 2)[0][1]; };
    const auto weighted = [](double a, double b, double other) {
        return (30 * std::exp(a) + 60 * std::exp(b)) / (std::exp(a) + std::exp(b) + other);
    };
    CHECK(second() == doctest::Approx(weighted(1, 2, 0)));
    const auto real = [](const std::string& name, float number) {
        return message([&](pbf_writer& to) {
            to.add_string(1, name);
            to.add_float(2, number);
            to.add_int32(20, 1);
        });
    };
    what.attributes = {real("scale", 0.5F)};
    CHECK(second() == doctest::Approx(weighted(0.5, 1, 0)));
    what.attributes = {real("softcap", 1)};
    CHECK(second() == doctest::Approx(weighted(std::tanh(1.0), std::tanh(2.0), 0)));
    what.attributes = {integer("smooth_softmax", 1)};
    CHECK(second() == doctest::Approx(weighted(1, 2, 1)));
}

TEST_CASE("GroupQueryAttention turns pairs by their places, new ones behind what was kept") {
    // Keys [1, 0] and [0, 1] at places 0 and 1, turned by 90 degrees a place: [1, 0] and [-1, 0].
    const parts net{
        {make_node("GroupQueryAttention", {"q", "k", "v", "", "", "n", "t", "c", "s"}, {"y", "key"},
                   {integer("num_heads", 1), integer("kv_num_heads", 1), integer("do_rotary", 1)}, microsoft)},
        {i32_tensor("n", {1}, {1}), i32_tensor("t", {1}, {2}), floats("c", {3, 1}, {1, 0, -1}),
         floats("s", {3, 1}, {0, 1, 0})},
        {value("q", {1, 2, 2}), value("k", {1, 2, 2}), value("v", {1, 2, 2})},
        {value("y", {1, 2, 2}), value("key", {1, 1, 2, 2})}};
    const tensor keys = floats_of({1, 2, 2}, {1, 0, 0, 1});
    CHECK(results_of(make_model(net), {keys, keys, keys})[1] == values{1, 0, -1, 0});
}

TEST_CASE("GroupQueryAttention refuses numbers of heads that do not fit") {
    const parts net{{make_node("GroupQueryAttention", {"q", "k", "v", "", "", "n", "t"}, {"y"},
                               {integer("num_heads", 4), integer("kv_num_heads", 3)}, microsoft)},
                    {i32_tensor("n", {1}, {1}), i32_tensor("t", {1}, {2})},
                    {value("q", {1, 2, 4}), value("k", {1, 2, 3}), value("v", {1, 2, 3})},
                    {value("y", {1, 2, 4})}};
    CHECK_THROWS_WITH_AS(import_content(make_model(net)),
                         doctest::Contains("num_heads 4 must be a positive multiple of kv_num_heads 3"), error);
}
