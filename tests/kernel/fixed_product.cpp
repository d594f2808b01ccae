// SPDX-License-Identifier: Apache-2.0
#include "tests/kernel/requantization.hpp"

#include <doctest/doctest.h>

using namespace kernel_test;

namespace small_product_test {

inline k::fixed_product_shape image(std::int64_t rows, std::int64_t columns, std::int64_t in, std::int64_t out) {
    k::fixed_product_shape s;
    s.in[0] = rows;
    s.in[1] = columns;
    s.in_channels = in;
    s.out_channels = out;
    return s;
}

/// With a window, and outputs as SAME (`padded`) or VALID padding has them.
inline k::fixed_product_shape windowed(k::fixed_product_shape s, std::int64_t rows, std::int64_t columns,
                                       std::int64_t stride, std::int64_t dilation, bool padded) {
    s.kernel[0] = rows;
    s.kernel[1] = columns;
    for (int axis = 0; axis < 2; ++axis) {
        s.stride[axis] = stride;
        s.dilation[axis] = s.kernel[axis] == 1 ? 1 : dilation;
        const std::int64_t reach = (s.kernel[axis] - 1) * s.dilation[axis] + 1;
        s.out[axis] = padded ? (s.in[axis] + stride - 1) / stride : (s.in[axis] - reach) / stride + 1;
        const std::int64_t missing = (s.out[axis] - 1) * stride + reach - s.in[axis];
        s.pad_begin[axis] = padded && missing > 0 ? missing / 2 : 0;
    }
    return s;
}

inline k::fixed_product_shape depthwise(k::fixed_product_shape s) {
    s.depthwise = true;
    return s;
}

struct operands {
    k::fixed_product_shape shape;
    guarded<std::uint8_t> input, weights;
    std::int32_t zero_point;

    operands(generator& random, const k::fixed_product_shape& s)
        : shape(s),
          input(random_bytes(random, s.batch * s.in[0] * s.in[1] * s.in_channels)),
          weights(random_bytes(random, s.kernel[0] * s.kernel[1] * s.out_channels * (s.depthwise ? 1 : s.in_channels))),
          zero_point(static_cast<std::int32_t>(random.below(256)) - 128) {}

    std::int64_t elements() const { return shape.batch * shape.out[0] * shape.out[1] * shape.out_channels; }

    std::int32_t sum(std::int64_t element) const {
        const k::fixed_product_shape& s = shape;
        const std::int64_t o = element % s.out_channels, pixel = element / s.out_channels;
        const std::int64_t x = pixel % s.out[1], y = pixel / s.out[1] % s.out[0], b = pixel / s.out[1] / s.out[0];
        std::int64_t result = 0;
        for (std::int64_t ky = 0; ky < s.kernel[0]; ++ky) {
            for (std::int64_t kx = 0; kx < s.kernel[1]; ++kx) {
                const std::int64_t row = y * s.stride[0] - s.pad_begin[0] + ky * s.dilation[0];
                const std::int64_t column = x * s.stride[1] - s.pad_begin[1] + kx * s.dilation[1];
                if (row < 0 || row >= s.in[0] || column < 0 || column >= s.in[1]) continue;
                const std::int64_t at = ((b * s.in[0] + row) * s.in[1] + column) * s.in_channels;
                const std::int64_t tap = ky * s.kernel[1] + kx;
                for (std::int64_t c = s.depthwise ? o : 0; c < (s.depthwise ? o + 1 : s.in_channels); ++c) {
                    const std::int64_t weight = s.depthwise ? tap * s.out_channels + o
                                                            : (o * s.kernel[0] * s.kernel[1] + tap) * s.in_channels + c;
                    result += (static_cast<std::int8_t>(input[static_cast<std::size_t>(at + c)]) - zero_point) *
                              static_cast<std::int8_t>(weights[static_cast<std::size_t>(weight)]);
                }
            }
        }
        return static_cast<std::int32_t>(result);
    }
};

/// Codes of an instruction set; none where it leaves the shape to other kernels.
inline std::vector<std::int8_t> codes_of(const k::kernel_table& table, const operands& of,
                                         const k::fixed_point& numbers) {
    std::vector<unsigned char> packed(table.packed_fixed_product_bytes(of.shape));
    if (packed.empty()) return {};
    k::fixed_product_weights weights;
    weights.data = reinterpret_cast<const std::int8_t*>(of.weights.data());
    weights.bias = numbers.bias;
    weights.zero_point = of.zero_point;
    table.pack_fixed_product(of.shape, weights, packed.data());
    guarded<std::int8_t> output(static_cast<std::size_t>(of.elements()));
    k::fixed_product_problem problem;
    problem.shape = of.shape;
    problem.packed = packed.data();
    problem.numbers = &numbers;
    problem.low = -120;
    problem.high = 117;
    problem.input = reinterpret_cast<const std::int8_t*>(of.input.data());
    problem.output = output.data();
    table.run(problem, {});
    std::memset(output.data(), 0, output.size());
    table.run(problem, {});  // what it keeps is as before
    CHECK(output.front_is_intact());
    return std::vector<std::int8_t>(output.data(), output.data() + output.size());
}

TEST_CASE("Small products are those of the arithmetic on every instruction set") {
    generator random(31);
    std::vector<k::fixed_product_shape> shapes = {
        image(1, 1, 1, 1),   image(1, 1, 64, 64), image(1, 1, 320, 1),  image(1, 1, 33, 17),
        image(1, 1, 40, 49), image(1, 1, 7, 100), image(1, 1, 200, 33),
    };
    for (const std::int64_t rows : {2, 3, 4, 5, 9}) {
        shapes.push_back(windowed(image(1, rows, 20, 24), 1, 1, 1, 1, false));
        shapes.back().batch = rows % 2 + 1;
    }
    for (const std::int64_t channels : {1, 3, 16}) {
        shapes.push_back(windowed(image(8, 8, channels, 16), 3, 3, 1, 1, true));
        shapes.push_back(windowed(image(5, 7, channels, 34), 3, 2, 2, 1, true));
        shapes.push_back(windowed(image(5, 1, channels, 34), 5, 1, 1, 1, false));
        shapes.push_back(windowed(image(9, 4, channels, 7), 3, 1, 1, 2, true));
        shapes.back().batch = 2;
    }
    for (const std::int64_t channels : {1, 5, 16, 31, 32, 48, 64, 70, 130}) {
        shapes.push_back(depthwise(windowed(image(21, 1, channels, channels), 21, 1, 1, 1, false)));
        shapes.push_back(depthwise(windowed(image(5, 4, channels, channels), 2, 3, 1, 2, true)));
        shapes.push_back(depthwise(windowed(image(5, 3, channels, channels), 2, 2, 2, 1, true)));
        shapes.back().batch = 2;
        shapes.push_back(depthwise(image(1, 3, channels, channels)));
        shapes.back().out[1] = 3;
    }
    struct rounding {
        bool once, shifts;
    };
    std::size_t taken = 0;
    for (const k::fixed_product_shape& s : shapes) {
        CAPTURE(s.depthwise);
        CAPTURE(s.in_channels);
        CAPTURE(s.out_channels);
        CAPTURE(s.kernel[0]);
        CAPTURE(s.kernel[1]);
        const operands of(random, s);
        for (const auto [once, shifts] : {rounding{false, false}, rounding{false, true}, rounding{true, false}}) {
            const random_requantization wanted(random, s.out_channels, shifts);
            lpt::specified::fixed_numbers numbers;
            numbers.set(wanted.to, wanted.bias, once);
            REQUIRE(numbers.view() != nullptr);
            for (const k::isa set : instruction_sets()) {
                CAPTURE(std::string(k::name_of(set)));
                const std::vector<std::int8_t> found = codes_of(k::table_for(set), of, *numbers.view());
                if (found.empty() && set != k::isa::scalar) continue;  // other kernels are faster there
                REQUIRE(static_cast<std::int64_t>(found.size()) == of.elements());
                ++taken;
                std::int64_t different = 0;
                for (std::int64_t i = 0; i < of.elements(); ++i) {
                    const auto c = static_cast<std::size_t>(i % s.out_channels);
                    const std::int8_t code = wanted.code(of.sum(i), c, once);
                    different += found[static_cast<std::size_t>(i)] != code ? 1 : 0;
                }
                CHECK(different == 0);
            }
        }
    }
    CHECK(taken > shapes.size() * 3 * (instruction_sets().size() - 1));
}

TEST_CASE("Products that are not small, and sizes whose products 64 bits do not hold, are left to other kernels") {
    k::fixed_product_shape large = windowed(image(64, 64, 64, 64), 3, 3, 1, 1, true);
    k::fixed_product_shape huge = image(1, 1, 64, 64);
    huge.dilation[0] = std::int64_t{1} << 62;
    huge.kernel[0] = 3;
    huge.stride[1] = std::int64_t{1} << 61;
    for (const k::isa set : instruction_sets()) {
        CAPTURE(std::string(k::name_of(set)));
        CHECK(k::table_for(set).packed_fixed_product_bytes(large) == 0);
        CHECK(k::table_for(set).packed_fixed_product_bytes(huge) == 0);
    }
}

}  // namespace small_product_test
