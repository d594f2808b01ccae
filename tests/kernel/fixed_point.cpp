// SPDX-License-Identifier: Apache-2.0
#include "tests/kernel/requantization.hpp"

#include <lpt/specified/kernel_elementwise.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace kernel_test;

namespace {

k::epilogue finish_with(const lpt::specified::fixed_numbers& numbers) {
    k::epilogue result;
    result.output_type = k::element_kind::i8;
    result.quant_low = -120;
    result.quant_high = 117;
    result.fixed = numbers.view();
    return result;
}

guarded<std::uint8_t> convolve(const k::kernel_table& table, k::convolution_problem problem,
                               const guarded<std::uint8_t>& input, const guarded<std::uint8_t>& weights,
                               std::int64_t bytes, int thread_count) {
    const k::convolution_shape& s = problem.shape;
    k::convolution_weights unpacked;
    unpacked.data = weights.data();
    const std::int64_t of_group = s.in_channels / s.groups;
    const std::int64_t taps = s.kernel[1] * s.kernel[2];
    unpacked.out_stride = taps * of_group;
    unpacked.group_stride = s.out_channels / s.groups * taps * of_group;
    unpacked.in_stride = 1;
    unpacked.tap_stride = of_group;
    std::vector<unsigned char> packed(table.packed_convolution_bytes(s, k::element_kind::i8));
    std::vector<unsigned char> scratch(table.convolution_scratch_bytes(s, k::element_kind::i8, thread_count));
    table.pack_convolution(s, unpacked, packed.data(), {});
    guarded<std::uint8_t> output(static_cast<std::size_t>(bytes));
    problem.input = input.data();
    problem.input_type = k::element_kind::i8;
    problem.input_pixel_stride = s.in_channels;
    problem.output_pixel_stride = s.out_channels;
    problem.packed_weights = packed.data();
    problem.scratch = scratch.data();
    problem.output = output.data();
    table.convolution(problem, threads(thread_count));
    return output;
}

k::convolution_shape image(std::int64_t size, std::int64_t in, std::int64_t out, std::int64_t kernel,
                           std::int64_t stride, std::int64_t groups) {
    k::convolution_shape s;
    s.in_channels = in;
    s.out_channels = out;
    s.groups = groups;
    for (std::size_t i = 1; i < 3; ++i) {
        s.in[i] = size;
        s.kernel[i] = kernel;
        s.stride[i] = stride;
        s.pad_begin[i] = kernel / 2;
        s.out[i] = (size + 2 * (kernel / 2) - kernel) / stride + 1;
    }
    return s;
}

/// Convolutions with weights of zeros, whose sums are the biases, on every instruction set.
void check_biases(generator& random, const random_requantization& wanted) {
    const auto channels = static_cast<std::int64_t>(wanted.bias.size());
    lpt::specified::fixed_numbers numbers;
    numbers.set(wanted.to, wanted.bias, false);
    REQUIRE(numbers.view() != nullptr);
    REQUIRE(numbers.view()->shifts);
    for (const bool depthwise : {false, true}) {
        CAPTURE(depthwise);
        k::convolution_problem problem;
        problem.shape = depthwise ? image(3, channels, channels, 3, 1, channels) : image(2, 4, channels, 1, 1, 1);
        problem.finish = finish_with(numbers);
        const k::convolution_shape& s = problem.shape;
        const auto input = random_bytes(random, s.in[1] * s.in[2] * s.in_channels);
        guarded<std::uint8_t> weights(
            static_cast<std::size_t>(s.kernel[1] * s.kernel[2] * s.in_channels / s.groups * s.out_channels));
        std::memset(weights.data(), 0, weights.size());
        const std::int64_t elements = s.out[1] * s.out[2] * channels;
        for (const k::isa set : instruction_sets()) {
            CAPTURE(std::string(k::name_of(set)));
            const auto found = convolve(k::table_for(set), problem, input, weights, elements, 1);
            std::int64_t different = 0;
            for (std::size_t i = 0; i < found.size(); ++i) {
                const std::int8_t code = wanted.code(0, i % static_cast<std::size_t>(channels), false);
                different += static_cast<std::int8_t>(found[i]) != code ? 1 : 0;
            }
            CHECK(different == 0);
        }
    }
}

}  // namespace

TEST_CASE("Sums become codes in fixed point as the arithmetic says, on every instruction set and thread count") {
    generator random(21);
    const k::convolution_shape shapes[] = {
        image(5, 3, 7, 1, 1, 1),    image(9, 24, 70, 1, 1, 1),   image(12, 8, 24, 3, 1, 1),
        image(7, 3, 33, 5, 2, 1),   image(9, 24, 24, 3, 1, 24),  image(11, 70, 70, 3, 2, 70),
        image(8, 96, 96, 5, 1, 96), image(6, 8, 16, 3, 1, 4),    image(13, 20, 150, 3, 1, 1),
        image(1, 64, 65, 1, 1, 1),  image(10, 40, 40, 3, 1, 40), image(11, 42, 42, 5, 2, 42),
    };
    for (const k::convolution_shape& s : shapes) {
        CAPTURE(s.in_channels);
        CAPTURE(s.out_channels);
        CAPTURE(s.kernel[1]);
        const std::int64_t elements = s.out[1] * s.out[2] * s.out_channels;
        const auto input = random_bytes(random, s.in[1] * s.in[2] * s.in_channels);
        const auto weights =
            random_bytes(random, s.kernel[1] * s.kernel[2] * s.in_channels / s.groups * s.out_channels);
        k::convolution_problem problem;
        problem.shape = s;
        problem.input_zero_point = static_cast<std::int32_t>(random.below(256)) - 128;
        problem.finish.output_type = k::element_kind::i32;
        const auto sums = convolve(k::table_for(k::isa::scalar), problem, input, weights, elements * 4, 1);
        struct rounding {
            bool once, shifts;
        };
        for (const auto [once, shifts] : {rounding{false, false}, rounding{false, true}, rounding{true, false}}) {
            const random_requantization wanted(random, s.out_channels, shifts);
            CAPTURE(shifts);
            lpt::specified::fixed_numbers numbers;
            numbers.set(wanted.to, wanted.bias, once);
            REQUIRE(numbers.view() != nullptr);
            if (shifts) REQUIRE(numbers.view()->shifts);
            problem.finish = finish_with(numbers);
            for (const k::isa set : instruction_sets()) {
                for (const int count : {1, 3}) {
                    CAPTURE(std::string(k::name_of(set)));
                    const auto found = convolve(k::table_for(set), problem, input, weights, elements, count);
                    std::int64_t different = 0;
                    for (std::size_t i = 0; i < found.size(); ++i) {
                        std::int32_t sum = 0;
                        std::memcpy(&sum, sums.data() + 4 * i, sizeof sum);
                        const std::size_t c = i % static_cast<std::size_t>(s.out_channels);
                        different += static_cast<std::int8_t>(found[i]) != wanted.code(sum, c, once) ? 1 : 0;
                    }
                    CHECK(different == 0);
                }
            }
        }
    }
}

TEST_CASE(
    "Both roundings are those of the arithmetic at ties, at extremes and at every shift, on every instruction set") {
    generator random(25);
    // Weights are zeros, so that the bias is what is scaled.
    random_requantization wanted(random, 0, true);
    const auto add = [&](std::int64_t x, std::int32_t significand, int right) {
        if (x < INT32_MIN || x > INT32_MAX) return;
        wanted.bias.push_back(x);
        wanted.to.by.push_back({significand, -right});
        wanted.to.exactly.push_back(0);
    };
    const std::int32_t significands[] = {
        1 << 30,   (1 << 30) + 1,    3 << 29,    (3 << 29) + (1 << 20),
        INT32_MAX, INT32_MAX - 1023, 1518500250, 1073741824 + static_cast<std::int32_t>(random.below(1 << 30))};
    for (int right = 1; right <= 31; ++right) {
        for (const std::int32_t significand : significands) {
            for (const std::int64_t x : {0, 1, 2, 3, 255, 65536, 1 << 29, 1 << 30, INT32_MAX})
                for (const std::int64_t each : {x, -x, -x - 1})
                    add(each, significand, right);
            // Where the quotient is next to a tie, as far as there are such numbers.
            for (int i = 0; i < 24; ++i) {
                const double code = static_cast<double>(random.below(261)) - 130 + 0.5;
                const auto x = static_cast<std::int64_t>(std::round(code * std::ldexp(1.0, 31 + right) / significand));
                for (std::int64_t each = x - 2; each <= x + 2; ++each)
                    add(each, significand, right);
            }
            for (int i = 0; i < 8; ++i)
                add(static_cast<std::int64_t>(random.below(1 << 30)) * 4 - (std::int64_t{1} << 31), significand, right);
        }
    }
    REQUIRE(wanted.bias.size() > 20000);
    check_biases(random, wanted);
}

TEST_CASE("Codes that single precision only just knows are those of the arithmetic on every instruction set") {
    generator random(26);
    random_requantization wanted(random, 0, true);
    // One of 64 channels is near half way between two codes.
    for (int block = 0; block < 2000; ++block) {
        const double size = std::exp2(static_cast<double>(random.real(-20, -12)));
        const std::int64_t near = random.below(64);
        for (std::int64_t i = 0; i < 64; ++i) {
            const int right = 21 + static_cast<int>(random.below(3));
            const std::int32_t significand = (1 << 30) + static_cast<std::int32_t>(random.below(1 << 30));
            const double distance = i == near ? (block % 2 == 0 ? size : -size) : 0.25;
            const double code = static_cast<double>(random.below(250)) - 125 + 0.5 + distance;
            wanted.bias.push_back(
                static_cast<std::int64_t>(std::round(code * std::ldexp(1.0, 31 + right) / significand)));
            wanted.to.by.push_back({significand, -right});
            wanted.to.exactly.push_back(0);
        }
    }
    check_biases(random, wanted);
}

TEST_CASE("A multiplier that kernels cannot take is left out") {
    generator random(22);
    random_requantization wanted(random, 3, false);
    lpt::specified::fixed_numbers numbers;
    wanted.to.by[1] = arithmetic_type::of(1.5);
    numbers.set(wanted.to, wanted.bias, false);
    CHECK(numbers.view() == nullptr);
}

TEST_CASE("Rows that share an operand are those that each gives alone") {
    generator random(29);
    constexpr std::int64_t rows = 3;
    constexpr std::int64_t columns = 70;
    const auto a = random_bytes(random, rows * columns);
    const auto b = random_bytes(random, columns);
    for (const k::isa set : instruction_sets()) {
        k::fixed_binary_problem problem;
        problem.columns = columns;
        problem.of_a = problem.of_b = lpt::specified::split_multiplier(arithmetic_type::of(0.5), 0).numbers;
        problem.of_a.left = problem.of_b.left = 20;
        problem.of_result = lpt::specified::split_multiplier(arithmetic_type::of(std::ldexp(1.3, -20)), -7).numbers;
        problem.a = reinterpret_cast<const std::int8_t*>(a.data());
        problem.b = reinterpret_cast<const std::int8_t*>(b.data());
        guarded<std::uint8_t> expected(rows * columns);
        for (std::int64_t row = 0; row < rows; ++row) {
            k::fixed_binary_problem alone = problem;
            alone.a += row * columns;
            alone.output = reinterpret_cast<std::int8_t*>(expected.data()) + row * columns;
            k::table_for(set).run(alone, threads(1));
        }
        guarded<std::uint8_t> output(rows * columns);
        problem.rows = rows;
        problem.a_row_stride = columns;
        problem.output = reinterpret_cast<std::int8_t*>(output.data());
        k::table_for(set).run(problem, threads(2));
        CAPTURE(std::string(k::name_of(set)));
        CHECK(std::memcmp(output.data(), expected.data(), rows * columns) == 0);
    }
}

TEST_CASE("Sums, differences and products of codes are those of the arithmetic on every instruction set") {
    generator random(23);
    for (const auto function : {k::fixed_function::add, k::fixed_function::subtract, k::fixed_function::multiply}) {
        for (const std::int64_t columns : {1, 15, 16, 63, 64, 200, 9000}) {
            for (const std::int32_t step : {0, 1}) {
                const auto a = random_bytes(random, columns);
                const auto b = random_bytes(random, columns);
                const lpt::arithmetic::multiplier of_a = arithmetic_type::of(0.5);
                const lpt::arithmetic::multiplier of_b =
                    arithmetic_type::of(static_cast<double>(random.real(0.01f, 0.5f)));
                const bool multiplies = function == k::fixed_function::multiply;
                const lpt::arithmetic::multiplier of_result = arithmetic_type::of(
                    multiplies ? 0.0123 : std::ldexp(static_cast<double>(random.real(0.6f, 3)), -20));
                k::fixed_binary_problem problem;
                problem.function = function;
                problem.columns = columns;
                problem.a_row_stride = columns;
                problem.b_row_stride = columns;
                problem.b_step = step;
                problem.a_zero_point = 5;
                problem.b_zero_point = -128;
                problem.of_a = lpt::specified::split_multiplier(of_a, 0).numbers;
                problem.of_b = lpt::specified::split_multiplier(of_b, 0).numbers;
                problem.of_a.left = problem.of_b.left = 20;
                problem.of_result = lpt::specified::split_multiplier(of_result, -7).numbers;
                problem.low = -120;
                problem.high = 117;
                problem.a = reinterpret_cast<const std::int8_t*>(a.data());
                problem.b = reinterpret_cast<const std::int8_t*>(b.data());
                for (const k::isa set : instruction_sets()) {
                    guarded<std::uint8_t> output(static_cast<std::size_t>(columns));
                    problem.output = reinterpret_cast<std::int8_t*>(output.data());
                    k::table_for(set).run(problem, threads(2));
                    std::int64_t different = 0;
                    for (std::int64_t i = 0; i < columns; ++i) {
                        const std::int32_t x = problem.a[i] - 5, y = problem.b[i * step] + 128;
                        const std::int32_t left = arithmetic_type::scale(x * (1 << 20), of_a);
                        const std::int32_t right = arithmetic_type::scale(y * (1 << 20), of_b);
                        const std::int32_t value = multiplies                           ? x * y
                                                   : function == k::fixed_function::add ? left + right
                                                                                        : left - right;
                        const std::int8_t code = limited(std::int64_t{arithmetic_type::scale(value, of_result)} - 7);
                        different += problem.output[i] != code ? 1 : 0;
                    }
                    CAPTURE(std::string(k::name_of(set)));
                    CAPTURE(columns);
                    CHECK(different == 0);
                }
            }
        }
    }
}

TEST_CASE("Every pair of codes has the sum, difference and product of the arithmetic on every instruction set") {
    generator random(27);
    constexpr std::int64_t pairs = 65536;
    guarded<std::int8_t> a(pairs), b(pairs);
    for (std::int64_t i = 0; i < pairs; ++i) {
        a.data()[i] = static_cast<std::int8_t>(i / 256 - 128);
        b.data()[i] = static_cast<std::int8_t>(i % 256 - 128);
    }
    struct scales {
        double a, b, result;
    };
    std::vector<scales> all{{0.5, 0.5, 1}, {0.5, 0.25, 1}, {0.5, 0.5, 2}, {0.5, 0.125, 0.125}, {0.3, 0.5, 90}};
    for (int i = 0; i < 40; ++i)
        all.push_back({0.5, static_cast<double>(random.real(0.01f, 0.5f)), static_cast<double>(random.real(0.5f, 4))});
    for (const auto function : {k::fixed_function::add, k::fixed_function::subtract, k::fixed_function::multiply}) {
        for (const scales& each : all) {
            const bool multiplies = function == k::fixed_function::multiply;
            const lpt::arithmetic::multiplier of_a = arithmetic_type::of(each.a), of_b = arithmetic_type::of(each.b);
            const lpt::arithmetic::multiplier of_result =
                arithmetic_type::of(multiplies ? each.result / 128 : std::ldexp(each.result, -20));
            k::fixed_binary_problem problem;
            problem.function = function;
            problem.columns = problem.a_row_stride = problem.b_row_stride = pairs;
            problem.a_zero_point = static_cast<std::int32_t>(random.below(256)) - 128;
            problem.b_zero_point = static_cast<std::int32_t>(random.below(256)) - 128;
            problem.of_a = lpt::specified::split_multiplier(of_a, 0).numbers;
            problem.of_b = lpt::specified::split_multiplier(of_b, 0).numbers;
            problem.of_a.left = problem.of_b.left = 20;
            const std::int32_t zero_point = static_cast<std::int32_t>(random.below(256)) - 128;
            problem.of_result = lpt::specified::split_multiplier(of_result, zero_point).numbers;
            problem.low = -120;
            problem.high = 117;
            problem.a = a.data();
            problem.b = b.data();
            std::vector<std::int8_t> wanted(pairs);
            for (std::size_t i = 0; i < wanted.size(); ++i) {
                const std::int32_t x = a.data()[i] - problem.a_zero_point, y = b.data()[i] - problem.b_zero_point;
                const std::int32_t left = arithmetic_type::scale(x * (1 << 20), of_a);
                const std::int32_t right = arithmetic_type::scale(y * (1 << 20), of_b);
                const std::int32_t value = multiplies                           ? x * y
                                           : function == k::fixed_function::add ? left + right
                                                                                : left - right;
                wanted[i] = limited(std::int64_t{arithmetic_type::scale(value, of_result)} + zero_point);
            }
            for (const k::isa set : instruction_sets()) {
                guarded<std::int8_t> output(pairs);
                problem.output = output.data();
                k::table_for(set).run(problem, threads(1));
                CAPTURE(std::string(k::name_of(set)));
                CAPTURE(each.b);
                CAPTURE(each.result);
                CHECK(std::memcmp(output.data(), wanted.data(), wanted.size()) == 0);
            }
        }
    }
}

TEST_CASE("PRELU of codes by way of real numbers is that of single precision on every instruction set") {
    generator random(24);
    for (const std::int64_t channels : {1, 3, 16, 40, 64, 130}) {
        k::real_prelu_problem problem;
        problem.rows = 37;
        problem.channels = channels;
        problem.zero_point = -11;
        problem.scale = 0.0371f;
        problem.output_scale = 0.0185f;
        problem.output_zero_point = 23;
        const auto input = random_bytes(random, problem.rows * channels);
        const float greatest = channels % 2 == 0 ? 1.0f : 1.5f;
        auto slope = random_floats(random, channels, -1, 1);
        slope[0] = greatest;
        problem.input = reinterpret_cast<const std::int8_t*>(input.data());
        problem.slope = slope.data();
        const lpt::specified::detail::prelu_lines lines =
            lpt::specified::detail::lines_of_prelu({0.0371f, -11}, {0.0185f, 23}, slope.data(), channels);
        REQUIRE(lines.negative.size() == static_cast<std::size_t>(2 * channels));
        CHECK(lines.larger_is_code == (greatest == 1.0f));
        problem.positive = lines.positive.factor;
        problem.positive_offset = lines.positive.offset;
        for (const k::isa set : instruction_sets())
            for (const int way : {0, 1, 2}) {
                if (way == 2 && !lines.larger_is_code) continue;
                CAPTURE(way);
                problem.negative = way == 0 ? nullptr : lines.negative.data();
                problem.larger_is_code = way == 2;
                guarded<std::uint8_t> output(input.size());
                problem.output = reinterpret_cast<std::int8_t*>(output.data());
                k::table_for(set).run(problem, threads(2));
                std::int64_t different = 0;
                for (std::size_t i = 0; i < output.size(); ++i) {
                    const float x = problem.scale * static_cast<float>(problem.input[i] - problem.zero_point);
                    const float y = x >= 0 ? x : x * slope[i % static_cast<std::size_t>(channels)];
                    const auto code = static_cast<std::int64_t>(std::round(y / problem.output_scale)) + 23;
                    const auto wanted = std::min<std::int64_t>(std::max<std::int64_t>(code, -128), 127);
                    different += problem.output[i] != wanted ? 1 : 0;
                }
                CAPTURE(std::string(k::name_of(set)));
                CHECK(different == 0);
            }
    }
}
