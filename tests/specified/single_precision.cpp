// SPDX-License-Identifier: Apache-2.0
#include "tests/specified/models.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace lpt;
using namespace specified_test;
using tflite::builtin;
using tflite::tensor_type;
using xnnpack = arithmetic::xnnpack;

namespace {

template <class Arithmetic>
std::vector<int> run_as(const tflite::model& model, std::initializer_list<std::int8_t> codes) {
    return run<specified::basic_network<Arithmetic>>(model, codes);
}

/// One operation on the code that is its input, twice.
tflite::model of_itself(builtin code, float scale, float output_scale) {
    tflite::model result =
        model_of(code, {tensor_of({4}, scale, 0), tensor_of({4}, scale, 0), tensor_of({4}, output_scale, 0)});
    result.subgraphs[0].operators[0].inputs = {0, 0};
    return result;
}

}  // namespace

TEST_CASE("requantization in single precision sends ties to the even integer") {
    CHECK(xnnpack::requantize(5, 0.5F, 0, -128, 127) == 2);
    CHECK(xnnpack::requantize(7, 0.5F, 0, -128, 127) == 4);
    CHECK(xnnpack::requantize(-5, 0.5F, 0, -128, 127) == -2);
    CHECK(xnnpack::requantize(5, 0.5F, 1, -128, 127) == 3);  // the zero point has no part in it
}

TEST_CASE("requantization in single precision limits numbers before it rounds them") {
    CHECK(xnnpack::requantize(1e30F, 1e30F, 3, -128, 127) == 127);
    CHECK(xnnpack::requantize(-1e30F, 1e30F, 3, -128, 127) == -128);
    CHECK(xnnpack::requantize(100, 1, 3, 3, 50) == 50);
    CHECK(xnnpack::requantize(std::numeric_limits<float>::quiet_NaN(), 1, 3, -7, 50) == -7);
}

TEST_CASE("sums of products end at the even code of a tie") {
    const tflite::model model =
        model_of(builtin::fully_connected,
                 {tensor_of({1, 2}, 1, 0), constant_of<std::int8_t>({1, 2}, 1, {1, 1}, tensor_type::int8),
                  constant_of<std::int32_t>({1}, 1, {0}, tensor_type::int32), tensor_of({1, 1}, 2, 0)},
                 {whole("keep_num_dims", 0)});
    CHECK(run_as<xnnpack>(model, {2, 3}) == std::vector<int>{2});
    CHECK(run_as<arithmetic::tflite_reference>(model, {2, 3}) == std::vector<int>{3});
}

TEST_CASE("ADD rounds half up, MUL to the even code") {
    CHECK(run_as<xnnpack>(of_itself(builtin::add, 1, 4), {1, 3, -1, -3}) == std::vector<int>{1, 2, 0, -1});
    CHECK(run_as<xnnpack>(of_itself(builtin::mul, 1, 2), {1, 3, 5, -1}) == std::vector<int>{0, 4, 12, 0});
}

TEST_CASE("scales that XNNPACK refuses leave the reference's arithmetic") {
    const tflite::model far_apart = of_itself(builtin::add, 1, 2048);
    CHECK(run_as<xnnpack>(far_apart, {127, -128, 0, 1}) ==
          run_as<arithmetic::tflite_reference>(far_apart, {127, -128, 0, 1}));
}

TEST_CASE("MEAN adds the zero point before it rounds to even") {
    const auto mean_to = [](std::int64_t zero_point) {
        return model_of(builtin::mean,
                        {tensor_of({1, 2}, 1, 0), constant_of<std::int32_t>({1}, 1, {1}, tensor_type::int32),
                         tensor_of({1, 1}, 1, zero_point)},
                        {whole("keep_dims", 1)});
    };
    CHECK(run_as<xnnpack>(mean_to(0), {2, 3}) == std::vector<int>{2});
    CHECK(run_as<xnnpack>(mean_to(1), {2, 3}) == std::vector<int>{4});
}

TEST_CASE("QUANTIZE of codes multiplies by a ratio of 8 bits") {
    const tflite::model model = model_of(builtin::quantize, {tensor_of({3}, 1, 0), tensor_of({3}, 3, 0)});
    // round(256 / 3) = 85; 127 / 3 = 42.33 and 85 * 127 / 256 = 42.17, 125 / 3 = 41.67 and 85 * 125 / 256 = 41.50.
    CHECK(run_as<xnnpack>(model, {127, 125, -128}) == std::vector<int>{42, 42, -42});
    CHECK(run_as<arithmetic::tflite_reference>(model, {127, 125, -128}) == std::vector<int>{43, 42, -43});
}

TEST_CASE("QUANTIZE of real numbers sends ties to the even code") {
    const tflite::model model =
        model_of(builtin::quantize, {tensor_of({4}, 1, 0, tensor_type::float32), tensor_of({4}, 2, 1)});
    CHECK(run<specified::basic_network<xnnpack>, float>(model, {1, 3, -1, 1e30F}) == std::vector<int>{1, 3, 1, 127});
}

TEST_CASE("RESIZE_BILINEAR weights neighbours with 11 bits and rounds half up") {
    const tflite::model model =
        model_of(builtin::resize_bilinear,
                 {tensor_of({1, 1, 2, 1}, 1, 0), constant_of<std::int32_t>({2}, 1, {1, 4}, tensor_type::int32),
                  tensor_of({1, 1, 4, 1}, 1, 0)},
                 {whole("align_corners", 0), whole("half_pixel_centers", 0)});
    CHECK(run_as<xnnpack>(model, {-3, 0}) == std::vector<int>{-3, -1, 0, 0});
    CHECK(run_as<arithmetic::tflite_reference>(model, {-3, 0}) == std::vector<int>{-3, -2, 0, 0});
}
