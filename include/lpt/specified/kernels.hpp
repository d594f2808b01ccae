// SPDX-License-Identifier: Apache-2.0
// The kernel of each operator, by its number in a file.
#pragma once

#include <lpt/specified/gather.hpp>
#include <lpt/specified/kernel_elementwise.hpp>
#include <lpt/specified/kernel_matrices.hpp>
#include <lpt/specified/kernel_windows.hpp>
#include <lpt/specified/lookup.hpp>
#include <lpt/specified/normalization.hpp>
#include <lpt/specified/recurrent.hpp>
#include <lpt/specified/resize.hpp>
#include <lpt/specified/selection.hpp>
#include <lpt/specified/single_precision.hpp>

namespace lpt::inline LPT_ABI::specified {

/// The kernel of an operation in an arithmetic. Raises an error that names the operation where its operator, its types, its options or its
/// quantization are none that the arithmetic defines.
template <class Arithmetic>
step make_step(const operation& op) {
    using tflite::builtin;
    if constexpr (Arithmetic::in_single_precision) {
        if (step made = make_single_precision_step<Arithmetic>(op)) return made;
    }
    switch (op.code()) {
        case builtin::add:
        case builtin::sub: return make_sum_on_kernels<Arithmetic>(op, make_sum<Arithmetic>(op));
        case builtin::mul: return make_product_on_kernels<Arithmetic>(op, make_product<Arithmetic>(op));
        case builtin::div: return make_quotient<Arithmetic>(op);
        case builtin::squared_difference: return make_squared_difference<Arithmetic>(op);
        case builtin::maximum:
        case builtin::minimum: return make_extreme(op);
        case builtin::less:
        case builtin::less_equal:
        case builtin::greater:
        case builtin::greater_equal:
        case builtin::equal:
        case builtin::not_equal: return make_comparison<Arithmetic>(op);
        case builtin::prelu: return make_prelu<Arithmetic>(op);
        case builtin::select:
        case builtin::select_v2: return make_selection(op);
        case builtin::logistic:
        case builtin::tanh:
        case builtin::elu:
        case builtin::exp:
        case builtin::log:
        case builtin::gelu: return make_real_function<Arithmetic>(op);
        case builtin::sqrt: return make_root(op);
        case builtin::abs: return make_absolute<Arithmetic>(op);
        case builtin::relu:
        case builtin::relu6:
        case builtin::relu_n1_to_1:
        case builtin::relu_0_to_1: return make_rectifier<Arithmetic>(op);
        case builtin::leaky_relu: return make_leaky_rectifier<Arithmetic>(op);
        case builtin::rsqrt: return make_inverse_root<Arithmetic>(op);
        case builtin::hard_swish: return make_hard_swish<Arithmetic>(op);
        case builtin::quantize: return make_quantization<Arithmetic>(op);
        case builtin::dequantize: return make_dequantization(op);
        case builtin::conv_2d: return make_convolution_on_kernels<Arithmetic>(op, make_convolution<Arithmetic>(op));
        case builtin::depthwise_conv_2d:
            return make_convolution_on_kernels<Arithmetic>(op, make_depthwise_convolution<Arithmetic>(op));
        case builtin::fully_connected:
            return make_fully_connected_on_kernels<Arithmetic>(op, make_fully_connected<Arithmetic>(op));
        case builtin::transpose_conv:
            return make_transposed_convolution_on_kernels<Arithmetic>(op, make_transposed_convolution<Arithmetic>(op));
        case builtin::batch_matmul:
            return make_matrix_product_on_kernels<Arithmetic>(op, make_matrix_product<Arithmetic>(op));
        case builtin::average_pool_2d:
        case builtin::max_pool_2d: return make_pooling_on_kernels(op, make_pooling(op));
        case builtin::mean: return make_mean_on_kernels<Arithmetic>(op, make_mean<Arithmetic>(op));
        case builtin::sum: return make_total_on_kernels<Arithmetic>(op, make_total<Arithmetic>(op));
        case builtin::reduce_max:
        case builtin::reduce_min: return make_extreme_along(op);
        case builtin::reduce_prod: return make_product_along<Arithmetic>(op);
        case builtin::arg_max:
        case builtin::arg_min: return make_position(op);
        case builtin::softmax: return make_softmax<Arithmetic>(op);
        case builtin::log_softmax: return make_log_softmax<Arithmetic>(op);
        case builtin::l2_normalization: return make_l2_normalization<Arithmetic>(op);
        case builtin::resize_bilinear: return make_bilinear_on_kernels(op, make_bilinear(op));
        case builtin::resize_nearest_neighbor: return make_nearest(op);
        case builtin::reshape: return make_reshape(op);
        case builtin::squeeze: return make_squeeze(op);
        case builtin::expand_dims: return make_expansion(op);
        case builtin::transpose: return make_transposition(op);
        case builtin::concatenation: return make_concatenation(op);
        case builtin::pack: return make_packing(op);
        case builtin::unpack: return make_unpacking(op);
        case builtin::split: return make_split(op);
        case builtin::split_v: return make_uneven_split(op);
        case builtin::slice: return make_slice(op);
        case builtin::pad:
        case builtin::padv2: return make_padding(op);
        case builtin::space_to_batch_nd: return make_space_to_batch(op);
        case builtin::batch_to_space_nd: return make_batch_to_space(op);
        case builtin::space_to_depth:
        case builtin::depth_to_space: return make_depth_exchange(op);
        case builtin::strided_slice: return make_strided_slice(op);
        case builtin::reverse_v2: return make_reversal(op);
        case builtin::mirror_pad: return make_mirror_padding(op);
        case builtin::tile: return make_tiling(op);
        case builtin::broadcast_to: return make_broadcast(op);
        case builtin::fill: return make_fill(op);
        case builtin::shape: return make_shape(op);
        case builtin::gather: return make_gather(op);
        case builtin::gather_nd: return make_gather_nd(op);
        case builtin::embedding_lookup: return make_embedding(op);
        case builtin::scatter_nd: return make_scatter(op);
        case builtin::dynamic_update_slice: return make_update(op);
        case builtin::topk_v2: return make_top(op);
        case builtin::svdf: return make_svdf<Arithmetic>(op);
        case builtin::unidirectional_sequence_lstm: return make_lstm<Arithmetic>(op);
        default: op.wrong("this operator has no specified arithmetic in 8 bits");
    }
}

}  // namespace lpt::inline LPT_ABI::specified
