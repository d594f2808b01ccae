// SPDX-License-Identifier: Apache-2.0
// Pooling, sums and means by the library's kernels for bytes.
#pragma once

#include <lpt/specified/kernel_numbers.hpp>
#include <lpt/specified/pooling.hpp>
#include <lpt/specified/reduction.hpp>

#include <memory>
#include <optional>

namespace lpt::inline LPT_ABI::specified {

namespace detail {

/// A step with one problem for the shapes of its operands. `plan(run, problem)` fills it and gives the output its shape; false where a kernel
/// cannot take it: then `otherwise` runs.
template <class Problem, class Plan>
step make_windows(const operation& op, std::vector<std::size_t> values, const Plan& plan, const step& otherwise) {
    struct planned {
        Problem problem;
        bool fits = false;
    };
    const auto known = std::make_shared<for_shapes<planned>>(lpt::move(values));
    const kernel::kernel_table* const kernels = op.kernels();
    const kernel::parallel_for parallel = op.parallel();
    return [=](const operands& run) {
        planned& of = known->of(run, [&](planned& made) { made.fits = plan(run, made.problem); });
        if (!of.fits) return otherwise(run);
        if (run.out().memory.empty()) return;
        if constexpr (std::is_same_v<Problem, kernel::pool_problem>)
            kernels->pool(of.problem, parallel);
        else
            kernels->run(of.problem, parallel);
    };
}

/// The codes that sums of at most so many elements become: those of kernels hold 32 bits.
inline bool sums_fit(std::int64_t elements) { return elements < (std::int64_t{1} << 23); }

/// A reduction of axes that lie side by side, as [outer, elements, inner].
inline std::optional<std::array<std::int64_t, 3>> side_by_side(const shape& from,
                                                               const std::vector<std::int64_t>& axes) {
    std::vector<bool> is_reduced(from.rank(), false);
    for (const std::int64_t axis : axes)
        is_reduced[axis_of(axis, from.rank())] = true;
    std::array<std::int64_t, 3> result{1, 1, 1};
    std::size_t part = 0;
    for (std::size_t axis = 0; axis < from.rank(); ++axis) {
        if (from[axis] == 1) continue;
        const std::size_t wanted = is_reduced[axis] ? 1 : part == 0 ? 0 : 2;
        if (wanted < part) return std::nullopt;
        part = wanted;
        result[part] *= from[axis];
    }
    return result;
}

/// The sums of a reduction as windows, each as large as its image; false where its axes do not lie side by side, or hold too much.
inline bool plan_sums(const operands& run, bool keeps, kernel::fixed_sum_problem& problem) {
    const shape& from = run.in(0).dimensions;
    const std::vector<std::int64_t> axes = run.in(1).integers();
    const reduction of(from, axes, keeps);
    run.out().reshape(of.result);
    const auto sizes = side_by_side(from, axes);
    if (!sizes || from.elements() == 0 || !sums_fit((*sizes)[1])) return false;
    problem.batch = (*sizes)[0];
    problem.in[1] = problem.kernel[1] = (*sizes)[1];
    problem.channels = (*sizes)[2];
    problem.input = run.in(0).as<std::int8_t>();
    problem.output = run.out().to<std::int8_t>();
    return true;
}

}  // namespace detail

/// MEAN.
template <class Arithmetic>
step make_mean_on_kernels(const operation& op, step otherwise) {
    if (op.kernels() == nullptr) return otherwise;
    const quantized from = op.in(0), to = op.out();
    const arithmetic::multiplier by = Arithmetic::of(static_cast<double>(from.scale) / static_cast<double>(to.scale));
    const bool keeps = op.option("keep_dims") != 0;
    const auto plan = [=](const operands& run, kernel::fixed_sum_problem& problem) {
        if (!detail::plan_sums(run, keeps, problem)) return false;
        const split_multiplier split(detail::divided(by, problem.kernel[1]), to.zero_point);
        problem.zero_point = from.zero_point;
        problem.scale = split.numbers;
        return split.fits;
    };
    return detail::make_windows<kernel::fixed_sum_problem>(op, {1}, plan, otherwise);
}

/// SUM.
template <class Arithmetic>
step make_total_on_kernels(const operation& op, step otherwise) {
    if (op.kernels() == nullptr) return otherwise;
    const quantized from = op.in(0), to = op.out();
    const double exactly = static_cast<double>(from.scale) / static_cast<double>(to.scale);
    const split_multiplier split(Arithmetic::of(exactly), to.zero_point);
    const bool keeps = op.option("keep_dims") != 0;
    if (!Arithmetic::rounds_once && !split.fits) return otherwise;
    const auto plan = [=](const operands& run, kernel::fixed_sum_problem& problem) {
        problem.zero_point = from.zero_point;
        problem.scale = split.numbers;
        problem.scale.offset = to.zero_point;
        if (Arithmetic::rounds_once) problem.real = exactly;
        return detail::plan_sums(run, keeps, problem);
    };
    return detail::make_windows<kernel::fixed_sum_problem>(op, {1}, plan, otherwise);
}

/// AVERAGE_POOL_2D and MAX_POOL_2D: of the largest code the clamp of the fused activation is the kernel's saturation.
inline step make_pooling_on_kernels(const operation& op, step otherwise) {
    if (op.kernels() == nullptr) return otherwise;
    const window of = window_of(op, op.positive_option("filter_height"), op.positive_option("filter_width"));
    const code_range range = op.activated();
    const auto reshape_output = [=](const operands& run) {
        const shape& from = run.in(0).dimensions;
        expect_image(from);
        expect_positive(from);
        run.out().reshape(shape{from[0], of.rows.outputs(from[1]), of.columns.outputs(from[2]), from[3]});
    };
    const auto of_axes = [=](const operands& run, std::size_t first, auto& problem) {
        const shape& from = run.in(0).dimensions;
        const shape& to = run.out().dimensions;
        problem.batch = from[0];
        problem.channels = from[3];
        const window_axis axes[] = {of.rows, of.columns};
        for (std::size_t i = 0; i < 2; ++i) {
            problem.in[first + i] = from[i + 1];
            problem.out[first + i] = to[i + 1];
            problem.kernel[first + i] = axes[i].size;
            problem.stride[first + i] = axes[i].stride;
            problem.pad_begin[first + i] = axes[i].padding(from[i + 1]);
        }
    };
    if (op.code() == tflite::builtin::average_pool_2d) {
        const auto plan = [=](const operands& run, kernel::fixed_sum_problem& problem) {
            reshape_output(run);
            of_axes(run, 0, problem);
            problem.averages = true;
            problem.low = range.lowest;
            problem.high = range.highest;
            problem.input = run.in(0).as<std::int8_t>();
            problem.output = run.out().to<std::int8_t>();
            return detail::sums_fit(problem.in[0] * problem.in[1]);
        };
        return detail::make_windows<kernel::fixed_sum_problem>(op, {}, plan, otherwise);
    }
    const auto plan = [=](const operands& run, kernel::pool_problem& problem) {
        reshape_output(run);
        of_axes(run, 1, problem);
        problem.input = run.in(0).data();
        problem.input_type = kernel::element_kind::i8;
        problem.input_pixel_stride = problem.channels;
        problem.output = run.out().memory.data();
        problem.output_pixel_stride = problem.channels;
        problem.finish.output_type = kernel::element_kind::i8;
        problem.finish.quant_low = static_cast<float>(range.lowest);
        problem.finish.quant_high = static_cast<float>(range.highest);
        return true;
    };
    return detail::make_windows<kernel::pool_problem>(op, {}, plan, otherwise);
}

}  // namespace lpt::inline LPT_ABI::specified
