// SPDX-License-Identifier: Apache-2.0
#include "tests/import/onnx_results.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>

/// Operators of detectors, recurrent networks with more than LSTMSequence has, transforms, determinants and bits.
namespace {

using namespace lpt;
using namespace lpt::testing::onnx_file;

constexpr std::int64_t i32_type = 6;
constexpr std::int64_t f64_type = 11;

std::string i64_tensor(const std::string& name, const numbers& dimensions, const numbers& all) {
    return raw_tensor(name, dimensions, i64_type, {reinterpret_cast<const char*>(all.data()), all.size() * 8});
}
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
void check_near(const values& given, const values& wanted) {
    REQUIRE(given.size() == wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        CAPTURE(i);
        CHECK(given[i] == doctest::Approx(wanted[i]).epsilon(1e-5));
    }
}

/// One number in, one state; the weights of the data and of the state are 0, so that gates see biases and peepholes only.
parts small_lstm(const words& attributes, const std::vector<float>& peepholes, std::int64_t directions = 1) {
    const std::vector<float> none(static_cast<std::size_t>(8 * directions), 0.0F);
    words all{integer("hidden_size", 1)};
    all.insert(all.end(), attributes.begin(), attributes.end());
    const words outputs{"y", "last", "cell"};
    return {{make_node("LSTM", {"x", "w", "r", "", "lengths", "h", "c", "p"}, outputs, all)},
            {floats("w", {directions, 4, 1}, {none.begin(), none.begin() + 4 * directions}),
             floats("r", {directions, 4, 1}, {none.begin(), none.begin() + 4 * directions}),
             floats("p", {directions, 3}, peepholes)},
            {value("x", {2, 2, 1}), value("lengths", {2}, i32_type), value("h", {directions, 2, 1}),
             value("c", {directions, 2, 1})},
            {value("y", {2, directions, 2, 1}), value("last", {directions, 2, 1}), value("cell", {directions, 2, 1})}};
}

}  // namespace

TEST_CASE("Outputs that a node leaves out are not what others leave out of their inputs") {
    const std::vector<float> weights(4, 0.0F);
    const parts net{{make_node("LSTM", {"x", "w", "r", "", "", "h", "c"}, {"", "last"}, {integer("hidden_size", 1)}),
                     make_node("Clip", {"last", "", "most"}, {"y"})},
                    {floats("w", {1, 4, 1}, weights), floats("r", {1, 4, 1}, weights), floats("most", {}, {0.25F})},
                    {value("x", {1, 1, 1}), value("h", {1, 1, 1}), value("c", {1, 1, 1})},
                    {value("y", {1, 1, 1})}};
    const tensor one = floats_of({1, 1, 1}, {8});
    CHECK(results_of(make_model(net), {one, one, one})[0] == values{0.25});
}

TEST_CASE("NonMaxSuppression gives images, classes and boxes, as many as the run finds") {
    const parts net{{make_node("NonMaxSuppression", {"boxes", "scores", "most", "overlap", "least"}, {"y"})},
                    {i64_tensor("most", {1}, {2}), floats("overlap", {1}, {0.5F}), floats("least", {1}, {0.25F})},
                    {value("boxes", {1, 3, 4}), value("scores", {1, 2, 3})},
                    {value("y", {-1, 3}, i64_type)}};
    const tensor boxes = floats_of({1, 3, 4}, {0, 0, 1, 1, 0, 0.1, 1, 1.1, 0, 5, 1, 6});
    CHECK(results_of(make_model(net, 11), {boxes, floats_of({1, 2, 3}, {0.9, 0.8, 0.3, 0.1, 0.7, 0.2})})[0] ==
          values{0, 0, 0, 0, 0, 2, 0, 1, 1});
    CHECK(results_of(make_model(net, 11), {boxes, floats_of({1, 2, 3}, {0, 0, 0, 0, 0, 0})})[0].empty());
}

TEST_CASE("NonMaxSuppression keeps nothing without a number of boxes, and looks at all scores without a threshold") {
    parts net{{make_node("NonMaxSuppression", {"boxes", "scores"}, {"y"}, {integer("center_point_box", 1)})},
              {i64_tensor("most", {1}, {2})},
              {value("boxes", {1, 1, 4}), value("scores", {1, 1, 1})},
              {value("y", {-1, 3}, i64_type)}};
    const std::vector<tensor> inputs{floats_of({1, 1, 4}, {0, 0, 1, 1}), floats_of({1, 1, 1}, {-3})};
    CHECK(results_of(make_model(net, 11), inputs)[0].empty());
    net.nodes = {make_node("NonMaxSuppression", {"boxes", "scores", "most"}, {"y"}, {integer("center_point_box", 1)})};
    CHECK(results_of(make_model(net, 11), inputs)[0] == values{0, 0, 0});
}

TEST_CASE("RoiAlign moves regions by half an element from version 16 on") {
    const auto pooled = [](std::int64_t version, const words& attributes) {
        const parts net{{make_node("RoiAlign", {"x", "regions", "images"}, {"y"}, attributes)},
                        {i64_tensor("images", {1}, {0})},
                        {value("x", {1, 1, 2, 2}), value("regions", {1, 4})},
                        {value("y", {1, 1, 1, 1})}};
        return results_of(make_model(net, version),
                          {floats_of({1, 1, 2, 2}, {0, 1, 2, 3}), floats_of({1, 4}, {0, 0, 1, 1})})[0];
    };
    CHECK(pooled(10, {}) == values{1.5});
    CHECK(pooled(16, {}) == values{0});
    CHECK(pooled(16, {word_attribute("coordinate_transformation_mode", "output_half_pixel")}) == values{1.5});
    CHECK_THROWS_WITH_AS(pooled(16, {word_attribute("mode", "min")}), doctest::Contains("mode 'min' is not known"),
                         error);
    CHECK_THROWS_WITH_AS(pooled(16, {word_attribute("coordinate_transformation_mode", "none")}),
                         doctest::Contains("coordinate_transformation_mode 'none' is not known"), error);
}

TEST_CASE("DeformConv adds its bias, and elements fall to nothing over one element beyond the border") {
    const parts net{{make_node("DeformConv", {"x", "w", "offsets", "b"}, {"y"})},
                    {floats("w", {1, 1, 1, 1}, {2}), floats("b", {1}, {100})},
                    {value("x", {1, 1, 1, 2}), value("offsets", {1, 2, 1, 2})},
                    {value("y", {1, 1, 1, 2})}};
    CHECK(results_of(make_model(net), {floats_of({1, 1, 1, 2}, {4, 8}),
                                       floats_of({1, 2, 1, 2}, {0, 0, 0.5, 0.5})})[0] == values{112, 108});
}

TEST_CASE("Peepholes of LSTM: gates see the cell, that of the output sees the new one") {
    const values cell{2, -1};
    const values wanted_cell{sigmoid(0.5 * 2) * 2, sigmoid(0.5 * -1) * -1};
    values wanted;
    for (const double now : wanted_cell) {
        wanted.push_back(sigmoid(-3 * now) * std::tanh(now));
    }
    const std::vector<tensor> inputs{floats_of({2, 2, 1}, {1, 1, 1, 1}), make_tensor(i32, {2}, view<double>({1, 1})),
                                     floats_of({1, 2, 1}, {7, 8}), floats_of({1, 2, 1}, cell)};
    const std::vector<values> result = results_of(make_model(small_lstm({}, {0, -3, 0.5F}), 14), inputs);
    // Sequences end after the first step: then outputs are 0, and the states stay.
    check_near(result[0], {wanted[0], wanted[1], 0, 0});
    check_near(result[1], wanted);
    check_near(result[2], wanted_cell);
}

TEST_CASE("Coupled gates of LSTM forget what they do not take in, in both directions, each with its own peepholes") {
    const std::vector<tensor> inputs{floats_of({2, 2, 1}, {1, 1, 1, 1}), make_tensor(i32, {2}, view<double>({1, 0})),
                                     floats_of({2, 2, 1}, {0, 0, 0, 0}), floats_of({2, 2, 1}, {2, 3, 4, 5})};
    const std::vector<values> result =
        results_of(make_model(small_lstm({word_attribute("direction", "bidirectional"), integer("input_forget", 1)},
                                         {1, 0, 9, -1, 0, 9}, 2),
                              14),
                   inputs);
    check_near(result[2], {(1 - sigmoid(2)) * 2, 3, (1 - sigmoid(-4)) * 4, 5});
}

TEST_CASE("DFT along an axis that is computed gives what a known one gives, with lengths that are computed, too") {
    const values numbers_in{3, 1, -4, 1, 5, -9, 2, 6, -5, 3, 5, 8};
    const auto transformed = [&](const std::string& type_of_axis, const words& attributes, const numbers& sizes) {
        parts net{{make_node("DFT", {"x", "length", "axis"}, {"y"}, attributes)},
                  {},
                  {value("x", sizes)},
                  {value("y", {-1, -1, -1})}};
        std::vector<tensor> inputs{floats_of(shape(view<dimension>(sizes.data(), sizes.size())), numbers_in)};
        if (type_of_axis == "known") {
            net.initializers = {i64_tensor("length", {}, {3}), i64_tensor("axis", {}, {-2})};
        } else {
            net.inputs.push_back(value("length", {}, i64_type));
            net.inputs.push_back(value("axis", {}, i64_type));
            inputs.push_back(make_scalar(i64, 3));
            inputs.push_back(make_scalar(i64, -2));
        }
        return results_of(make_model(net, 20), inputs)[0];
    };
    const numbers complex{1, 6, 2};
    const numbers real{1, 12, 1};
    const std::string half = integer("onesided", 1);
    const std::string back = integer("inverse", 1);
    check_near(transformed("computed", {}, complex), transformed("known", {}, complex));
    check_near(transformed("computed", {back}, complex), transformed("known", {back}, complex));
    check_near(transformed("computed", {}, real), transformed("known", {}, real));
    check_near(transformed("computed", {half}, real), transformed("known", {half}, real));
    check_near(transformed("computed", {half, back}, complex), transformed("known", {half, back}, complex));
    CHECK_THROWS_AS(transformed("computed", {half}, complex), error);
    CHECK_THROWS_AS(transformed("known", {half, back}, real), error);
}

TEST_CASE("MaxUnpool puts maxima into a larger tensor whose shape the run gives") {
    const parts net{
        {make_node("MaxUnpool", {"x", "places", "shape"}, {"y"}, {list("kernel_shape", {2}), list("strides", {2})})},
        {},
        {value("x", {1, 1, 2}), value("places", {1, 1, 2}, i64_type), value("shape", {3}, i64_type)},
        {value("y", {-1, -1, -1})}};
    const tensor places = make_integer_tensor(i64, {1, 1, 2}, {1, 2});
    CHECK(results_of(make_model(net), {floats_of({1, 1, 2}, {5, 6}), places, integers_of_list({1, 1, 6})})[0] ==
          values{0, 5, 6, 0, 0, 0});
    CHECK_THROWS_AS(results_of(make_model(net), {floats_of({1, 1, 2}, {5, 6}), places, integers_of_list({1, 1, 2})}),
                    error);
}

TEST_CASE("ScatterND adds up what comes to one place") {
    const parts net{{make_node("ScatterND", {"x", "places", "updates"}, {"y"}, {word_attribute("reduction", "add")})},
                    {},
                    {value("x", {3}), value("places", {3, 1}, i64_type), value("updates", {3})},
                    {value("y", {3})}};
    CHECK(results_of(make_model(net), {floats_of({3}, {1, 2, 3}), make_integer_tensor(i64, {3, 1}, {0, -1, 0}),
                                       floats_of({3}, {10, 20, 30})})[0] == values{41, 2, 23});
}

TEST_CASE("Det eliminates with the largest number, and is 0 where none is left") {
    const auto determinant = [](const numbers& sizes, const values& matrix) {
        const parts net{{make_node("Det", {"x"}, {"y"})}, {}, {value("x", sizes)}, {value("y", {})}};
        return results_of(make_model(net), {floats_of(shape(view<dimension>(sizes.data(), sizes.size())), matrix)})[0];
    };
    check_near(determinant({3, 3}, {0, 2, 1, 1, 0, 3, 4, 5, 0}), {29});
    CHECK(determinant({2, 2}, {0, 0, 0, 0}) == values{0});
    check_near(determinant({1, 1}, {-7}), {-7});
    CHECK_THROWS_WITH_AS(determinant({2, 3}, {1, 2, 3, 4, 5, 6}),
                         doctest::Contains("needs square matrices of at most 32 rows"), error);
}

TEST_CASE("BitCast gives the bits of real numbers and takes them back: zeros, subnormal numbers, infinities") {
    using limits = std::numeric_limits<float>;
    const std::vector<float> all{0.0F,
                                 -0.0F,
                                 1.5F,
                                 -3.25e-20F,
                                 limits::max(),
                                 limits::min(),
                                 limits::denorm_min(),
                                 -limits::min() / 4,
                                 limits::infinity(),
                                 -limits::infinity()};
    values bits;
    values reals;
    for (const float each : all) {
        bits.push_back(std::bit_cast<std::int32_t>(each));
        reals.push_back(static_cast<double>(each));
    }
    const auto cast = [](std::int64_t from, std::int64_t to, const tensor& x) {
        const parts net{{make_node("BitCast", {"x"}, {"y"}, {integer("to", to)})},
                        {},
                        {value("x", {10}, from)},
                        {value("y", {10}, to)}};
        return results_of(make_model(net, 26), {x})[0];
    };
    CHECK(cast(float_type, i32_type, floats_of({10}, reals)) == bits);
    const values back = cast(i32_type, float_type, make_tensor(i32, {10}, view<double>(bits.data(), bits.size())));
    CHECK(back == reals);
    CHECK(std::signbit(back[1]));
    const values nothing = cast(float_type, i32_type, floats_of({10}, values(10, std::nan(""))));
    CHECK(nothing == values(10, 0x7FC00000));
}

TEST_CASE("BitCast refuses types of other widths") {
    const parts net{{make_node("BitCast", {"x"}, {"y"}, {integer("to", f64_type)})},
                    {},
                    {value("x", {1})},
                    {value("y", {1}, f64_type)}};
    CHECK_THROWS_WITH_AS(import_content(make_model(net, 26)), doctest::Contains("bits of f32 as f64 are not supported"),
                         error);
}

TEST_CASE("A loop of an LSTM refuses data without three axes") {
    parts net = small_lstm({integer("layout", 1)}, {1, 1, 1});
    net.inputs[0] = value("x", {2, 1});
    CHECK_THROWS_WITH_AS(import_content(make_model(net, 14)), doctest::Contains("must have three axes"), error);
}
