// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/helpers.hpp"

using namespace lpt;
using lpt::test::check_first;
using lpt::test::counting;
using lpt::test::f32_of;

namespace {

template <class Op>
Op with_window(integers strides, integers pads_begin, integers pads_end, integers dilations) {
    Op result;
    result.strides = strides;
    result.pads_begin = pads_begin;
    result.pads_end = pads_end;
    result.dilations = dilations;
    return result;
}

}  // namespace

TEST_CASE("a convolution sums over channels and kernel, with zeros for the padding") {
    const tensor x = counting({1, 2, 2, 2});
    const tensor w = f32_of({1, 2, 2, 2}, {1, 0, 0, 0, 0, 0, 0, 1});
    check_first(op::convolution{}, {x, w}, {1, 1, 1, 1}, {7});
    const auto padded = with_window<op::convolution>({1, 1}, {1, 1}, {0, 0}, {1, 1});
    check_first(padded, {x, w}, {1, 1, 2, 2}, {4, 5, 6, 7});
}

TEST_CASE("strides and dilations of a convolution") {
    const tensor x = counting({1, 1, 7});
    const tensor w = f32_of({1, 1, 2}, {1, 10});
    check_first(with_window<op::convolution>({2}, {0}, {0}, {3}), {x, w}, {1, 1, 2}, {30, 52});
}

TEST_CASE("same_upper puts the odd element of padding at the end, same_lower at the beginning") {
    const tensor x = f32_of({1, 1, 2}, {1, 2});
    const tensor w = f32_of({1, 1, 2}, {1, 10});
    op::convolution upper;
    upper.auto_pad = op::auto_pad::same_upper;
    op::convolution lower;
    lower.auto_pad = op::auto_pad::same_lower;
    check_first(upper, {x, w}, {1, 1, 2}, {21, 2});
    check_first(lower, {x, w}, {1, 1, 2}, {10, 21});
}

TEST_CASE("a group of output channels sees its own input channels") {
    const tensor x = counting({1, 4, 1});
    const tensor w = f32_of({2, 1, 2, 1}, {1, 10, 100, 1000});
    check_first(op::group_convolution{}, {x, w}, {1, 2, 1}, {10, 3200});
    const tensor depthwise = f32_of({4, 1, 1, 1}, {1, 2, 3, 4});
    check_first(op::group_convolution{}, {x, depthwise}, {1, 4, 1}, {0, 2, 6, 12});
}

TEST_CASE("convolutions over three spatial axes") {
    const tensor x = counting({1, 1, 2, 2, 2});
    const tensor w = f32_of({1, 1, 2, 2, 2}, {1, 1, 1, 1, 1, 1, 1, 1});
    check_first(op::convolution{}, {x, w}, {1, 1, 1, 1, 1}, {28});
}

TEST_CASE("a transposed convolution adds up what overlaps") {
    const tensor x = f32_of({1, 1, 2}, {1, 2});
    const tensor w = f32_of({1, 1, 3}, {1, 10, 100});
    check_first(op::convolution_backprop_data{}, {x, w}, {1, 1, 4}, {1, 12, 120, 200});
    auto strided = with_window<op::convolution_backprop_data>({2}, {1}, {0}, {1});
    strided.output_padding = {1};
    check_first(strided, {x, w}, {1, 1, 5}, {10, 102, 20, 200, 0});
}

TEST_CASE("the padding of a transposed convolution follows from the output shape that is asked for") {
    const tensor x = f32_of({1, 1, 2}, {1, 2});
    const tensor w = f32_of({1, 1, 3}, {1, 10, 100});
    op::convolution_backprop_data upper;
    upper.auto_pad = op::auto_pad::same_upper;
    op::convolution_backprop_data lower;
    lower.auto_pad = op::auto_pad::same_lower;
    check_first(upper, {x, w, make_indices({3})}, {1, 1, 3}, {12, 120, 200});
    check_first(lower, {x, w, make_indices({3})}, {1, 1, 3}, {1, 12, 120});
}

TEST_CASE("a transposed convolution in groups") {
    const tensor x = f32_of({1, 2, 1}, {1, 2});
    const tensor w = f32_of({2, 1, 2, 1}, {1, 10, 100, 1000});
    check_first(op::group_convolution_backprop_data{}, {x, w}, {1, 4, 1}, {1, 10, 200, 2000});
}

TEST_CASE("a large convolution equals its definition, place by place") {
    // Larger than one block of places, with sizes that are no multiples of a tile.
    seq<double> values;
    for (int i = 0; i < 3 * 37 * 41; ++i) {
        values.push_back((i * 37 % 101) - 50);
    }
    seq<double> weights;
    for (int i = 0; i < 5 * 3 * 3 * 3; ++i) {
        weights.push_back((i * 13 % 17) - 8);
    }
    const tensor x = f32_of({1, 3, 37, 41}, values);
    const tensor w = f32_of({5, 3, 3, 3}, weights);
    const auto what = with_window<op::convolution>({1, 1}, {1, 1}, {1, 1}, {1, 1});
    const tensor result = lpt::test::run(what, {x, w})[0];
    REQUIRE(result.dimensions() == shape{1, 5, 37, 41});
    int wrong = 0;
    for (int o = 0; o < 5; ++o) {
        for (int y = 0; y < 37; ++y) {
            for (int p = 0; p < 41; ++p) {
                double sum = 0;
                for (int k = 0; k < 27; ++k) {
                    const int row = y + k / 3 % 3 - 1;
                    const int column = p + k % 3 - 1;
                    if (row >= 0 && row < 37 && column >= 0 && column < 41) {
                        sum += values[static_cast<std::size_t>((k / 9 * 37 + row) * 41 + column)] *
                               weights[static_cast<std::size_t>(o * 27 + k)];
                    }
                }
                wrong += result.real(static_cast<std::size_t>((o * 37 + y) * 41 + p)) == sum ? 0 : 1;
            }
        }
    }
    CHECK(wrong == 0);
}
