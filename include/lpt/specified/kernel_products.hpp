// SPDX-License-Identifier: Apache-2.0
// Sums of products by the library's kernels for bytes, which give the same 32-bit sums as the loops in product.hpp.
#pragma once

#include <lpt/specified/kernel_numbers.hpp>

#include <memory>

namespace lpt::inline LPT_ABI::specified {

namespace detail {

/// The numbers of a product whose bias, input `at`, is known; none where kernels cannot take them.
template <class Arithmetic>
void set_numbers(const operation& op, const requantization<Arithmetic>& to, bool once, fixed_numbers& numbers,
                 std::size_t at = 2) {
    const std::size_t channels = to.by.size();
    const bool has_bias = op.has_input(at);
    if (has_bias && (!op.input(at).is_constant() || op.input(at).value.elements() != channels)) return;
    std::vector<std::int64_t> bias(channels, 0);
    for (std::size_t c = 0; c < channels && has_bias; ++c)
        bias[c] = load_integer(i32, op.input(at).value.data(), c);
    numbers.set(to, bias, once);
}

/// What a small product keeps from run to run.
struct small_product {
    kernel::fixed_product_problem problem;
    plan::zeroed_memory packed;
    fixed_numbers numbers;
};

/// A product that takes a microsecond or two, as a step: an empty one where it is larger, or not of that kind. `otherwise` runs where the
/// input has another shape than that of the file.
template <class Arithmetic>
step make_small_product(const operation& op, const kernel::fixed_product_shape& geometry, const shape& of_output,
                        const requantization<Arithmetic>& to, bool once, const step& otherwise) {
    const auto state = std::make_shared<small_product>();
    set_numbers(op, to, once, state->numbers);
    const kernel::fixed_point* const numbers = state->numbers.view();
    const kernel::kernel_table* const kernels = op.kernels();
    const std::size_t bytes = kernels->packed_fixed_product_bytes(geometry);
    if (bytes == 0 || numbers == nullptr) return {};
    state->packed = op.memory(bytes);
    kernel::fixed_product_weights weights;
    weights.data = reinterpret_cast<const std::int8_t*>(op.input(1).value.data());
    weights.bias = numbers->bias;
    weights.zero_point = op.in(0).zero_point;
    kernels->pack_fixed_product(geometry, weights, state->packed.data());
    state->problem.shape = geometry;
    state->problem.packed = state->packed.data();
    state->problem.numbers = numbers;
    state->problem.low = to.range.lowest;
    state->problem.high = to.range.highest;
    const shape of_input = op.input(0).dimensions;
    return [=](const operands& run) {
        if (!(run.in(0).dimensions == of_input)) return otherwise(run);
        value& output = run.out();
        output.reshape(of_output);
        kernel::fixed_product_problem& problem = state->problem;
        problem.input = run.in(0).template as<std::int8_t>();
        problem.output = output.to<std::int8_t>();
        kernels->run(problem, {});
    };
}

/// What a product on kernels keeps from run to run: all of its problem but the addresses of tensors.
template <class Problem>
struct packed_product {
    Problem problem;
    const kernel::kernel_table* kernels = nullptr;
    plan::zeroed_memory weights;
    plan::zeroed_memory scratch;
    fixed_numbers numbers;
    std::vector<std::int32_t> sums;  // where kernels cannot make codes of them

    /// What the kernel does to sums. Codes need a bias that is known.
    template <class Arithmetic>
    kernel::epilogue finish(const operation& op, const requantization<Arithmetic>& to, bool once, std::size_t elements,
                            std::size_t bias = 2) {
        set_numbers(op, to, once, numbers, bias);
        kernel::epilogue result;
        result.output_type = kernel::element_kind::i32;
        if (numbers.view() == nullptr) {
            sums.resize(elements);
            return result;
        }
        result.output_type = kernel::element_kind::i8;
        result.quant_low = static_cast<float>(to.range.lowest);
        result.quant_high = static_cast<float>(to.range.highest);
        result.fixed = numbers.view();
        return result;
    }
};

/// A small convolution as the kernels take it.
inline kernel::fixed_product_shape small_shape_of(const shape& input, const shape& output, const window& of,
                                                  bool depthwise) {
    kernel::fixed_product_shape result;
    result.depthwise = depthwise;
    result.batch = input[0];
    result.in_channels = input[3];
    result.out_channels = output[3];
    const window_axis axes[] = {of.rows, of.columns};
    for (std::size_t i = 0; i < 2; ++i) {
        result.in[i] = input[i + 1];
        result.out[i] = output[i + 1];
        result.kernel[i] = axes[i].size;
        result.stride[i] = axes[i].stride;
        result.dilation[i] = axes[i].dilation;
        result.pad_begin[i] = axes[i].padding(input[i + 1]);
    }
    return result;
}

/// From sums without bias, row by row, to codes.
template <class Convert>
void convert_sums(const std::vector<std::int32_t>& sums, const std::vector<std::int64_t>& bias, std::int8_t* result,
                  Convert convert) {
    const std::size_t channels = bias.size();
    for (std::size_t row = 0; row < sums.size(); row += channels) {
        for (std::size_t c = 0; c < channels; ++c)
            *result++ = convert(wrapped(sums[row + c] + bias[c]), c);
    }
}

/// A convolution or depthwise convolution as the kernels take it.
inline kernel::convolution_shape shape_of(const shape& input, const shape& output, const window& of,
                                          std::int64_t groups) {
    kernel::convolution_shape result;
    result.batch = input[0];
    result.in_channels = input[3];
    result.out_channels = output[3];
    result.groups = groups;
    const window_axis axes[] = {of.rows, of.columns};
    for (std::size_t i = 0; i < 2; ++i) {
        result.in[i + 1] = input[i + 1];
        result.out[i + 1] = output[i + 1];
        result.kernel[i + 1] = axes[i].size;
        result.stride[i + 1] = axes[i].stride;
        result.dilation[i + 1] = axes[i].dilation;
        result.pad_begin[i + 1] = axes[i].padding(input[i + 1]);
    }
    return result;
}

/// Which inputs of an operation are data and bias.
struct product_inputs {
    std::size_t data, bias;
};

/// The step of a convolution, transposed or not, whose weights lie as `unpacked` says.
template <class Arithmetic>
step make_convolution_step(const operation& op, const kernel::convolution_shape& geometry,
                           const kernel::convolution_weights& unpacked, const shape& of_output,
                           const requantization<Arithmetic>& to, product_inputs inputs, step otherwise) {
    const auto state = std::make_shared<packed_product<kernel::convolution_problem>>();
    state->kernels = op.kernels();
    state->weights = op.memory(state->kernels->packed_convolution_bytes(geometry, kernel::element_kind::i8));
    state->kernels->pack_convolution(geometry, unpacked, state->weights.data(), {});
    state->scratch.grow(
        state->kernels->convolution_scratch_bytes(geometry, kernel::element_kind::i8, op.parallel().threads));
    kernel::convolution_problem& made = state->problem;
    made.shape = geometry;
    made.input_type = kernel::element_kind::i8;
    made.input_pixel_stride = geometry.in_channels;
    made.input_zero_point = op.in(inputs.data).zero_point;
    made.packed_weights = state->weights.data();
    made.output_pixel_stride = geometry.out_channels;
    made.scratch = state->scratch.data();
    made.finish = state->finish(op, to, false, of_output.elements(), inputs.bias);
    const kernel::parallel_for parallel = op.parallel();
    const shape of_input = op.input(inputs.data).dimensions;
    return [=](const operands& run) {
        const value& input = run.in(inputs.data);
        if (!(input.dimensions == of_input)) return otherwise(run);
        value& output = run.out();
        output.reshape(of_output);
        kernel::convolution_problem& problem = state->problem;
        problem.input = input.data();
        problem.output = state->sums.empty() ? static_cast<void*>(output.memory.data()) : state->sums.data();
        state->kernels->convolution(problem, parallel);
        if (state->sums.empty()) return;
        convert_sums(state->sums, bias_of(run, inputs.bias, problem.shape.out_channels), output.to<std::int8_t>(), to);
    };
}

}  // namespace detail

/// CONV_2D and DEPTHWISE_CONV_2D. Weights are constants, and shapes those of the file; `otherwise` runs where at run time they are others.
template <class Arithmetic>
step make_convolution_on_kernels(const operation& op, step otherwise) {
    const bool depthwise = op.code() == tflite::builtin::depthwise_conv_2d;
    const tflite::tensor_info& weights = op.input(1);
    const shape of_input = op.input(0).dimensions;
    const shape kernel_of = weights.dimensions;
    if (op.kernels() == nullptr || !weights.is_constant() || of_input.rank() != 4 || of_input.elements() == 0)
        return otherwise;
    const window of = window_of(op, kernel_of[1], kernel_of[2]);
    const std::int64_t channels = kernel_of[depthwise ? 3 : 0];
    const std::int64_t groups = depthwise ? of_input[3] : of_input[3] / std::max<std::int64_t>(1, kernel_of[3]);
    const shape of_output{of_input[0], of.rows.outputs(of_input[1]), of.columns.outputs(of_input[2]), channels};
    if (groups == 0 || channels % groups != 0 || (!depthwise && groups * kernel_of[3] != of_input[3]) ||
        of_output.elements() == 0)
        return otherwise;
    const quantized from = op.in(0);
    const requantization<Arithmetic> to(op, from.scale,
                                        op.channel_scales(weights, depthwise ? 3 : 0, channels, depthwise));
    const bool is_plain = depthwise ? channels == of_input[3] : groups == 1;
    if (is_plain) {
        const auto small = detail::small_shape_of(of_input, of_output, of, depthwise);
        if (step made = detail::make_small_product(op, small, of_output, to, false, otherwise)) return made;
    }
    const kernel::convolution_shape geometry = detail::shape_of(of_input, of_output, of, groups);
    kernel::convolution_weights unpacked;
    unpacked.data = weights.value.data();
    const std::int64_t taps = kernel_of[1] * kernel_of[2];
    const std::int64_t of_group = channels / groups;
    if (depthwise) {
        unpacked.group_stride = of_group;
        unpacked.out_stride = 1;
        unpacked.in_stride = 1;
        unpacked.tap_stride = channels;
    } else {
        unpacked.group_stride = of_group * taps * kernel_of[3];
        unpacked.out_stride = taps * kernel_of[3];
        unpacked.in_stride = 1;
        unpacked.tap_stride = kernel_of[3];
    }
    return detail::make_convolution_step(op, geometry, unpacked, of_output, to, {0, 2}, otherwise);
}

/// FULLY_CONNECTED.
template <class Arithmetic>
step make_fully_connected_on_kernels(const operation& op, step otherwise) {
    const tflite::tensor_info& weights = op.input(1);
    if (op.kernels() == nullptr || !weights.is_constant()) return otherwise;
    const shape of_input = op.input(0).dimensions;
    const std::int64_t channels = weights.dimensions[0], depth = weights.dimensions[1];
    const auto rows = static_cast<std::int64_t>(of_input.elements()) / depth;
    const bool keeps_axes = op.has_option("keep_num_dims") && op.option("keep_num_dims") != 0;
    const bool fits = !keeps_axes || (of_input.rank() != 0 && of_input[of_input.rank() - 1] == depth);
    if (rows == 0 || rows * depth != static_cast<std::int64_t>(of_input.elements()) || !fits) return otherwise;
    shape of_output{rows, channels};
    if (keeps_axes) {
        of_output = of_input;
        of_output[of_output.rank() - 1] = channels;
    }
    const quantized from = op.in(0);
    const requantization<Arithmetic> to(op, from.scale, op.channel_scales(weights, 0, channels, true));
    const std::int32_t weight_zero = detail::common_zero_point(op, weights);
    kernel::fixed_product_shape of_rows;
    of_rows.in[1] = rows;
    of_rows.out[1] = rows;
    of_rows.in_channels = depth;
    of_rows.out_channels = channels;
    step small;
    if (weight_zero == 0)
        small = detail::make_small_product(op, of_rows, of_output, to, Arithmetic::rounds_once, otherwise);
    if (small) return small;
    const auto state = std::make_shared<detail::packed_product<kernel::gemm_problem>>();
    state->kernels = op.kernels();
    kernel::gemm_weights unpacked;
    unpacked.data = weights.value.data();
    unpacked.k = depth;
    unpacked.n = channels;
    unpacked.k_stride = 1;
    unpacked.n_stride = depth;
    unpacked.zero_points = &weight_zero;
    unpacked.zero_point_count = weight_zero == 0 ? 0 : 1;
    state->weights = op.memory(state->kernels->packed_gemm_bytes(kernel::element_kind::i8, depth, channels));
    state->kernels->pack_gemm(unpacked, state->weights.data(), {});
    kernel::gemm_problem& made = state->problem;
    made.m = rows;
    made.n = channels;
    made.k = depth;
    made.a_type = kernel::element_kind::i8;
    made.a_row_stride = depth;
    made.a_zero_point = from.zero_point;
    made.packed_b = state->weights.data();
    made.c_row_stride = channels;
    made.finish = state->finish(op, to, Arithmetic::rounds_once, of_output.elements());
    const kernel::parallel_for parallel = op.parallel();
    return [=](const operands& run) {
        const value& input = run.in(0);
        if (!(input.dimensions == of_input)) return otherwise(run);
        value& output = run.out();
        output.reshape(of_output);
        kernel::gemm_problem& problem = state->problem;
        problem.a = input.data();
        problem.c = state->sums.empty() ? static_cast<void*>(output.memory.data()) : state->sums.data();
        state->kernels->gemm(problem, parallel);
        if (state->sums.empty()) return;
        detail::convert_sums(state->sums, detail::bias_of(run, 2, channels), output.to<std::int8_t>(),
                             [&](std::int32_t sum, std::size_t c) { return to.dense(sum, c); });
    };
}

}  // namespace lpt::inline LPT_ABI::specified
