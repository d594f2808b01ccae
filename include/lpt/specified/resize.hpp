// SPDX-License-Identifier: Apache-2.0
// RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR of [batch, height, width, channels]; the second input holds the new height and width.
#pragma once

#include <lpt/specified/movement.hpp>
#include <lpt/specified/window.hpp>

namespace lpt::inline LPT_ABI::specified {

namespace detail {

/// How positions of an output lie in an input.
struct sampling {
    bool align_corners = false;
    bool half_pixel_centers = false;

    explicit sampling(const operation& op)
        : align_corners(op.option("align_corners") != 0), half_pixel_centers(op.option("half_pixel_centers") != 0) {}
};

/// Two neighbours along an axis and the weight of the second, in fractional bits of whoever counts them.
struct neighbours {
    std::int64_t lower, upper, weight;
};

/// For each position v of the output, with 10 fractional bits: p = v * scale, with half pixel centers + scale / 2 - 512.
inline std::vector<kernel::resize_neighbours> neighbours_along(const sampling& of, std::int64_t input,
                                                               std::int64_t output) {
    constexpr std::int64_t one = 1024;
    std::int64_t scale = (one * input + output / 2) / output;
    if (of.align_corners && output > 1) scale = (one * (input - 1) + (output - 1) / 2) / (output - 1);
    std::vector<kernel::resize_neighbours> result;
    for (std::int64_t v = 0; v < output; ++v) {
        const std::int64_t p = v * scale + (of.half_pixel_centers ? scale / 2 - one / 2 : 0);
        const std::int64_t lower = std::min(std::max<std::int64_t>(p / one, 0), input - 1);
        const std::int64_t upper = std::max<std::int64_t>(0, std::min((p + one - 1) / one, input - 1));
        result.push_back({lower, upper, lower == upper ? 0 : static_cast<std::int32_t>(p - one * lower)});
    }
    return result;
}

/// For each position of the output the nearest of the input, in single precision.
inline std::vector<std::int64_t> nearest_along(const sampling& of, std::int64_t input, std::int64_t output) {
    const float scale = of.align_corners && output > 1 ? static_cast<float>(input - 1) / static_cast<float>(output - 1)
                                                       : static_cast<float>(input) / static_cast<float>(output);
    const float offset = of.half_pixel_centers ? 0.5F : 0.0F;
    std::vector<std::int64_t> result;
    for (std::int64_t v = 0; v < output; ++v) {
        const float p = (static_cast<float>(v) + offset) * scale;
        const auto nearest = static_cast<std::int64_t>(of.align_corners ? std::round(p) : std::floor(p));
        result.push_back(std::max<std::int64_t>(0, std::min(nearest, input - 1)));
    }
    return result;
}

/// The shape of the result, after checks.
inline shape resized(const operands& run) {
    const value& input = run.in(0);
    expect_image(input.dimensions);
    expect_positive(input.dimensions);
    const std::vector<std::int64_t> sizes = run.in(1).integers();
    if (sizes.size() != 2 || sizes[0] <= 0 || sizes[1] <= 0) fail({"a new size that is not two positive numbers"});
    return shape{input.dimensions[0], sizes[0], sizes[1], input.dimensions[3]};
}

}  // namespace detail

/// RESIZE_BILINEAR: the four codes around a position, weighted with 10 bits along each axis, their sum rounded half away; codes keep their
/// quantization.
inline step make_bilinear(const operation& op) {
    op.expect_codes(1);
    const detail::sampling of(op);
    return [=](const operands& run) {
        const value& input = run.in(0);
        value& output = run.out();
        output.reshape(detail::resized(run));
        const std::int64_t height = input.dimensions[1], width = input.dimensions[2], channels = input.dimensions[3];
        const auto rows = detail::neighbours_along(of, height, output.dimensions[1]);
        const auto columns = detail::neighbours_along(of, width, output.dimensions[2]);
        const std::int8_t* codes = input.as<std::int8_t>();
        std::int8_t* result = output.to<std::int8_t>();
        for (std::int64_t b = 0; b < input.dimensions[0]; ++b) {
            const std::int8_t* image = codes + b * height * width * channels;
            for (const kernel::resize_neighbours& row : rows) {
                const std::int8_t* upper = image + row.lower * width * channels;
                const std::int8_t* lower = image + row.upper * width * channels;
                for (const kernel::resize_neighbours& column : columns) {
                    const std::int64_t left = column.lower * channels, right = column.upper * channels;
                    for (std::int64_t c = 0; c < channels; ++c) {
                        const std::int64_t above =
                            upper[left + c] * (1024 - column.weight) + upper[right + c] * column.weight;
                        const std::int64_t below =
                            lower[left + c] * (1024 - column.weight) + lower[right + c] * column.weight;
                        const std::int64_t sum = above * (1024 - row.weight) + below * row.weight;
                        *result++ = static_cast<std::int8_t>((sum + (sum > 0 ? 1 << 19 : -(1 << 19))) / (1 << 20));
                    }
                }
            }
        }
    };
}

/// The same by a kernel.
inline step make_bilinear_on_kernels(const operation& op, step otherwise) {
    if (op.kernels() == nullptr) return otherwise;
    const detail::sampling of(op);
    struct planned {
        kernel::fixed_resize_problem problem;
        std::vector<kernel::resize_neighbours> neighbours[2];
    };
    const auto known = std::make_shared<for_shapes<planned>>(std::vector<std::size_t>{1});
    const kernel::kernel_table* const kernels = op.kernels();
    const kernel::parallel_for parallel = op.parallel();
    return [=](const operands& run) {
        const auto plan = [&](planned& made) {
            run.out().reshape(detail::resized(run));
            const shape& from = run.in(0).dimensions;
            kernel::fixed_resize_problem& problem = made.problem;
            problem.batch = from[0];
            problem.channels = from[3];
            for (std::size_t i = 0; i < 2; ++i) {
                problem.in[i] = from[i + 1];
                problem.out[i] = run.out().dimensions[i + 1];
                made.neighbours[i] = detail::neighbours_along(of, problem.in[i], problem.out[i]);
                problem.neighbours[i] = made.neighbours[i].data();
            }
            problem.input = run.in(0).as<std::int8_t>();
            problem.output = run.out().to<std::int8_t>();
        };
        kernels->run(known->of(run, plan).problem, parallel);
    };
}

/// RESIZE_NEAREST_NEIGHBOR: elements of any type are copied.
inline step make_nearest(const operation& op) {
    const detail::sampling of(op);
    detail::expect_same_type(op, 0);
    struct planned {
        std::vector<std::int64_t> rows, columns;
    };
    const auto known = std::make_shared<for_shapes<planned>>(std::vector<std::size_t>{1});
    const kernel::parallel_for parallel = op.parallel();
    return [=](const operands& run) {
        const planned& from = known->of(run, [&](planned& made) {
            run.out().reshape(detail::resized(run));
            made.rows = detail::nearest_along(of, run.in(0).dimensions[1], run.out().dimensions[1]);
            made.columns = detail::nearest_along(of, run.in(0).dimensions[2], run.out().dimensions[2]);
        });
        const value& input = run.in(0);
        const std::int64_t height = input.dimensions[1], width = input.dimensions[2];
        const auto pixel = static_cast<std::int64_t>(input.bytes_of(input.dimensions[3]));
        const auto rows = static_cast<std::int64_t>(from.rows.size());
        const std::int64_t line = static_cast<std::int64_t>(from.columns.size()) * pixel;
        std::byte* const result = run.out().to<std::byte>();
        share(parallel, input.dimensions[0] * rows, line, [&](std::int64_t row) {
            std::byte* to = result + row * line;
            const std::int64_t source = row / rows * height + from.rows[static_cast<std::size_t>(row % rows)];
            const std::byte* const first = input.data() + source * width * pixel;
            for (const std::int64_t column : from.columns) {
                copy_bytes(to, first + column * pixel, static_cast<std::size_t>(pixel));
                to += pixel;
            }
        });
    };
}

}  // namespace lpt::inline LPT_ABI::specified
