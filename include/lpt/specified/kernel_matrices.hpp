// SPDX-License-Identifier: Apache-2.0
// TRANSPOSE_CONV and BATCH_MATMUL by the library's kernels for bytes.
#pragma once

#include <lpt/specified/kernel_products.hpp>

namespace lpt::inline LPT_ABI::specified {

/// TRANSPOSE_CONV with constant weights and a constant shape of the output.
template <class Arithmetic>
step make_transposed_convolution_on_kernels(const operation& op, step otherwise) {
    const tflite::tensor_info& weights = op.input(1);
    const tflite::tensor_info& sizes = op.input(0);
    const shape of_input = op.input(2).dimensions;
    const shape kernel_of = weights.dimensions;
    if (op.kernels() == nullptr || !weights.is_constant() || !sizes.is_constant() || sizes.value.elements() != 4 ||
        of_input.rank() != 4 || of_input.elements() == 0)
        return otherwise;
    shape of_output;
    for (std::size_t i = 0; i < 4; ++i)
        of_output.push_back(load_integer(sizes.value.type(), sizes.value.data(), i));
    if (of_output[0] != of_input[0] || of_output[1] <= 0 || of_output[2] <= 0 || of_output[3] != kernel_of[0] ||
        of_input[3] != kernel_of[3] || !of_output.is_possible())
        return otherwise;  // which says what is wrong
    const window of = window_of(op, kernel_of[1], kernel_of[2]);
    // Its padding is that of the convolution whose input is this output.
    kernel::convolution_shape geometry = detail::shape_of(of_output, of_input, of, 1);
    geometry.transposed = true;
    for (std::size_t i = 1; i < 3; ++i)
        std::swap(geometry.in[i], geometry.out[i]);
    geometry.in_channels = of_input[3];
    geometry.out_channels = of_output[3];
    geometry.dilation[1] = geometry.dilation[2] = 1;
    const std::int64_t taps = kernel_of[1] * kernel_of[2];
    kernel::convolution_weights unpacked;
    unpacked.data = weights.value.data();
    unpacked.out_stride = taps * kernel_of[3];
    unpacked.group_stride = unpacked.out_stride * kernel_of[0];
    unpacked.in_stride = 1;
    unpacked.tap_stride = kernel_of[3];
    const requantization<Arithmetic> to(op, op.in(2).scale, op.channel_scales(weights, 0, kernel_of[0]));
    return detail::make_convolution_step(op, geometry, unpacked, of_output, to, {2, 3}, otherwise);
}

namespace detail {

/// The matrices of a BATCH_MATMUL: which go together, and one packed.
struct matrix_products {
    struct pair {
        std::int64_t left, right, result;  // elements before the matrices
    };
    std::vector<pair> pairs;
    kernel::gemm_weights weights;
    kernel::gemm_problem problem;
    plan::zeroed_memory packed;
    kernel::transpose_problem
        turning;  // of the left matrices, which the kernel reads by rows; none (batch 0) without adj_x
    plan::zeroed_memory turned;
    fixed_numbers numbers;
    bool fits = false;

    /// Products of matrices, right ones packed as they come; those that stay the same are packed once.
    void run(const kernel::kernel_table& kernels, const kernel::parallel_for& parallel, const std::int8_t* left,
             const std::int8_t* right, std::int8_t* result) {
        if (turning.batch != 0) {
            turning.input = left;
            turning.output = turned.data();
            kernels.transpose(turning, parallel);
            left = reinterpret_cast<const std::int8_t*>(turned.data());
        }
        std::int64_t last = -1;
        for (const pair& each : pairs) {
            if (each.right != last) {
                weights.data = right + each.right;
                kernels.pack_gemm(weights, packed.data(), parallel);
                last = each.right;
            }
            problem.a = left + each.left;
            problem.c = result + each.result;
            kernels.gemm(problem, parallel);
        }
    }
};

}  // namespace detail

/// BATCH_MATMUL.
template <class Arithmetic>
step make_matrix_product_on_kernels(const operation& op, step otherwise) {
    if (op.kernels() == nullptr) return otherwise;
    const bool transposes = op.option("adj_y") != 0;
    const bool turns = op.option("adj_x") != 0;
    const quantized a = op.in(0), b = op.in(1);
    const requantization<Arithmetic> to(op, a.scale, {static_cast<double>(b.scale)});
    const auto known = std::make_shared<for_shapes<detail::matrix_products>>(std::vector<std::size_t>{});
    const kernel::kernel_table* const kernels = op.kernels();
    const kernel::parallel_for parallel = op.parallel();
    const auto zero_of_right = std::make_shared<const std::int32_t>(b.zero_point);
    const auto plan = [=](const operands& run, detail::matrix_products& made) {
        const shape& left = run.in(0).dimensions;
        const shape& right = run.in(1).dimensions;
        const std::size_t rank = std::max<std::size_t>(2, std::max(left.rank(), right.rank()));
        const shape of_left = left.padded_left(rank), of_right = right.padded_left(rank);
        const std::int64_t rows = of_left[rank - (turns ? 1 : 2)], depth = of_left[rank - (turns ? 2 : 1)];
        const std::int64_t columns = of_right[rank - (transposes ? 2 : 1)];
        if (of_right[rank - (transposes ? 1 : 2)] != depth || depth == 0 || columns == 0) return;
        const shape left_batch(view<dimension>(of_left.begin(), rank - 2));
        const shape right_batch(view<dimension>(of_right.begin(), rank - 2));
        const shape batch = broadcast(left_batch, right_batch);
        const auto channels = static_cast<std::size_t>(columns);
        requantization<Arithmetic> of_columns = to;
        of_columns.by.assign(channels, to.by[0]);
        of_columns.exactly.assign(channels, to.exactly[0]);
        made.numbers.set(of_columns, std::vector<std::int64_t>(channels, 0), false);
        if (made.numbers.view() == nullptr) return;
        for_each_row<2>(batch, {&left_batch, &right_batch},
                        [&](std::int64_t first, const std::int64_t* at, const std::int64_t* steps, std::int64_t count) {
                            for (std::int64_t i = 0; i < count; ++i)
                                made.pairs.push_back({(at[0] + i * steps[0]) * rows * depth,
                                                      (at[1] + i * steps[1]) * depth * columns,
                                                      (first + i) * rows * columns});
                        });
        made.weights.k = depth;
        made.weights.n = columns;
        made.weights.k_stride = transposes ? 1 : columns;
        made.weights.n_stride = transposes ? depth : 1;
        made.weights.zero_points = zero_of_right.get();
        made.weights.zero_point_count = *zero_of_right == 0 ? 0 : 1;
        made.turning.batch = turns ? static_cast<std::int64_t>(left_batch.elements()) : 0;
        if (made.turning.batch != 0) {
            made.turning.rows = depth;
            made.turning.columns = rows;
            made.turned.grow(static_cast<std::size_t>(made.turning.batch * rows * depth));
        }
        made.packed.grow(kernels->packed_gemm_bytes(kernel::element_kind::i8, depth, columns));
        kernel::gemm_problem& problem = made.problem;
        problem.m = rows;
        problem.n = columns;
        problem.k = depth;
        problem.a_type = kernel::element_kind::i8;
        problem.a_row_stride = depth;
        problem.a_zero_point = a.zero_point;
        problem.packed_b = made.packed.data();
        problem.c_row_stride = columns;
        problem.finish.output_type = kernel::element_kind::i8;
        problem.finish.quant_low = static_cast<float>(to.range.lowest);
        problem.finish.quant_high = static_cast<float>(to.range.highest);
        problem.finish.fixed = made.numbers.view();
        shape wanted = batch;
        wanted.push_back(rows);
        wanted.push_back(columns);
        run.out().reshape(wanted);
        made.fits = true;
    };
    return [=](const operands& run) {
        detail::matrix_products& of = known->of(run, [&](detail::matrix_products& made) { plan(run, made); });
        if (!of.fits) return otherwise(run);
        of.run(*kernels, parallel, run.in(0).template as<std::int8_t>(), run.in(1).template as<std::int8_t>(),
               run.out().template to<std::int8_t>());
    };
}

}  // namespace lpt::inline LPT_ABI::specified
