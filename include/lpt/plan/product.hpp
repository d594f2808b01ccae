// SPDX-License-Identifier: Apache-2.0
// Matrix products.
#pragma once

#include <lpt/plan/planner.hpp>

#include <utility>

namespace lpt::inline LPT_ABI::plan {

namespace detail {

/// One operand of a matrix product: sizes and strides (elements) of its two inner axes, and of the outer ones.
struct matrix_operand {
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    std::int64_t row_stride = 0;
    std::int64_t column_stride = 0;
    shape outer;
};

inline matrix_operand matrix_operand_of(const shape& dimensions, bool transposed, bool is_left) {
    matrix_operand result;
    const std::size_t rank = dimensions.rank();
    if (rank == 1) {
        result.rows = is_left ? 1 : dimensions[0];
        result.columns = is_left ? dimensions[0] : 1;
        result.row_stride = is_left ? dimensions[0] : 1;
        result.column_stride = 1;
        return result;
    }
    result.rows = dimensions[rank - 2];
    result.columns = dimensions[rank - 1];
    result.row_stride = result.columns;
    result.column_stride = 1;
    if (transposed) {
        std::swap(result.rows, result.columns);
        std::swap(result.row_stride, result.column_stride);
    }
    for (std::size_t axis = 0; axis + 2 < rank; ++axis) {
        result.outer.push_back(dimensions[axis]);
    }
    return result;
}

/// Where the matrices of each batch begin, in elements, for outer axes that broadcast to `batch`.
inline std::vector<std::int64_t> batch_offsets(const shape& outer, const shape& batch, std::int64_t matrix) {
    std::vector<std::int64_t> strides(batch.rank(), 0);
    std::int64_t stride = matrix;
    for (std::size_t i = 0; i < outer.rank(); ++i) {
        const dimension size = outer[outer.rank() - 1 - i];
        strides[batch.rank() - 1 - i] = size == 1 ? 0 : stride;
        stride *= size;
    }
    std::vector<std::int64_t> result(batch.elements(), 0);
    std::vector<std::int64_t> at(batch.rank(), 0);
    for (std::int64_t& each : result) {
        for (std::size_t axis = 0; axis < batch.rank(); ++axis) {
            each += at[axis] * strides[axis];
        }
        for (std::size_t axis = batch.rank(); axis-- > 0;) {
            if (++at[axis] < batch[axis]) {
                break;
            }
            at[axis] = 0;
        }
    }
    return result;
}

}  // namespace detail

inline void planner::make_product(const group& made) {
    const node& each = model()[made.anchor];
    const auto& self = each.as<op::mat_mul>();
    detail::matrix_operand a = detail::matrix_operand_of(model().shape(each.input(0)), self.transpose_a, true);
    const detail::matrix_operand b = detail::matrix_operand_of(model().shape(each.input(1)), self.transpose_b, false);
    const std::int64_t a_matrix = a.rows * a.columns;
    product_step work;
    work.m = a.rows;
    work.k = a.columns;
    work.n = b.columns;
    work.b_k_stride = b.row_stride;
    work.b_n_stride = b.column_stride;

    const quantized_source& left = made.operands[0];
    const quantized_source& right = made.operands[1];
    const tensor* constant = model().constant_value(each.input(1));
    integer_weights integers;
    bool is_integer = constant == nullptr && left.has_one_zero_point() && right.has_one_zero_point();
    if (constant != nullptr && left.has_one_zero_point()) {
        const auto column = [&](std::size_t i) {
            const std::int64_t inside = static_cast<std::int64_t>(i) % (work.k * work.n);
            return static_cast<std::size_t>(b.column_stride == 1 && work.n != 1 ? inside % work.n : inside / work.k);
        };
        is_integer = integer_weights_of(*constant, static_cast<std::size_t>(work.n), column, integers);
    }
    const double scale = is_integer ? left.scale.one() * (constant == nullptr ? right.scale.one() : 1) : 1;
    const chain functions = after_affine(made.functions, spread::of(scale), spread::of(no_shift));
    step result;
    result.precision = is_integer ? model().type(left.base) : f32;
    work.a = tensor_of(is_integer ? left.base : each.input(0), layout::plain);
    work.a = is_integer ? work.a : make_f32(work.a);
    result.reads = {work.a};
    if (a.column_stride != 1 && a.columns != 1) {
        work.a = make_transposed(
            work.a, a_matrix == 0 ? 1 : static_cast<std::int64_t>(at(work.a).dimensions.elements()) / a_matrix,
            a.columns, a.rows);
        result.reads = {work.a};
        a.row_stride = a.columns;
    }
    work.a_row_stride = a.columns == 1 ? 1 : a.row_stride;
    if (a.columns == 1) {
        work.a_row_stride = 1;
    }
    work.a_zero_point = is_integer ? left.zero_point() : 0;

    shape batch;
    broadcast_shapes(a.outer, b.outer, batch);
    const bool one_b = b.outer.elements() == 1;
    if (one_b && a.row_stride == a.columns) {
        work.m *= static_cast<std::int64_t>(batch.elements());
        work.a_offsets = {0};
        work.b_offsets = {0};
    } else {
        work.a_offsets = detail::batch_offsets(a.outer, batch, a_matrix);
        work.b_offsets = detail::batch_offsets(b.outer, batch, work.k * work.n);
    }
    kernel::gemm_weights packing;
    packing.k = work.k;
    packing.n = work.n;
    packing.k_stride = work.b_k_stride;
    packing.n_stride = work.b_n_stride;
    if (constant != nullptr) {
        const tensor weights = is_integer ? integers.values : as_f32(*constant);
        packing.type = integers.packs_four_bits(work.m) ? kernel::element_kind::i4 : kind_of(weights.type());
        packing.zero_points = integers.zero_points.data();
        packing.zero_point_count = static_cast<std::int64_t>(integers.zero_points.size());
        const std::size_t size = kernels().packed_gemm_bytes(packing.type, work.k, work.n);
        work.packed_matrix_bytes = (size + 63) / 64 * 64;
        const auto matrices = static_cast<std::size_t>(b.outer.elements());
        std::string form = "matrix";
        for (const std::int64_t number : {static_cast<std::int64_t>(packing.type), work.k, work.n, work.b_k_stride,
                                          work.b_n_stride, packing.zero_point_count}) {
            form += " " + std::to_string(number);
        }
        work.weights =
            packed_weights().find_or_pack(*constant, form, work.packed_matrix_bytes * matrices, [&](std::byte* to) {
                const std::size_t matrix = byte_size(weights.type(), static_cast<std::size_t>(work.k * work.n));
                for (std::size_t i = 0; i < matrices; ++i) {
                    packing.data = weights.data() + i * matrix;
                    kernels().pack_gemm(packing, to + i * work.packed_matrix_bytes, options_.parallel);
                }
            });
        for (std::int64_t& offset : work.b_offsets) {
            offset /= work.k * work.n;
        }
    } else {
        work.b = tensor_of(is_integer ? right.base : each.input(1), layout::plain);
        work.b = is_integer ? work.b : make_f32(work.b);
        result.reads.push_back(work.b);
        work.b_zero_point = is_integer ? right.zero_point() : 0;
        const std::size_t size = kernels().packed_gemm_bytes(kind_of(at(work.b).type), work.k, work.n);
        work.scratch = add_tensor(u8, shape{static_cast<dimension>(size)}, layout::plain);
    }
    work.finish = channel_finish(functions, layout::plain, work.n);
    read_residuals(result, work.finish);
    work.output = add_tensor(functions.type, functions.dimensions, layout::plain);
    result.nodes = functions.nodes;
    result.kernel =
        std::string("gemm_") + kernel::name_of(kernels().instruction_set) + suffix_of(is_integer ? i8 : f32);
    result.writes = {work.output};
    if (work.scratch != tensor_id::none) {
        result.writes.push_back(work.scratch);
    }
    define(functions.tail, work.output);
    result.work = std::move(work);
    add_step(std::move(result));
}

}  // namespace lpt::inline LPT_ABI::plan
