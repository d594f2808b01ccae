// SPDX-License-Identifier: Apache-2.0
// Which operations of graphs the rows of the TensorFlow Lite 8-bit quantization specification are about.
#pragma once

#include <lpt/base/null.hpp>
#include <lpt/op/kind.hpp>
#include <lpt/spec/table.hpp>

namespace lpt::inline LPT_ABI::spec {

/// An operation of graphs and the row that it corresponds to.
///
/// QUANTIZE has none: in graphs it is a FakeQuantize or a dequantization, what the others are described by. Nor has ARG_MAX.
struct correspondence {
    lpt::op::kind operation = lpt::op::kind::none;
    text_view row;
};

// GroupConvolution: CONV_2D where a group has several input channels. MatMul: with constant weights.
inline constexpr correspondence correspondences[] = {
    {lpt::op::kind::add, op::add::name},
    {lpt::op::kind::avg_pool, op::average_pool_2d::name},
    {lpt::op::kind::concat, op::concatenation::name},
    {lpt::op::kind::convolution, op::conv_2d::name},
    {lpt::op::kind::group_convolution, op::depthwise_conv_2d::name},
    {lpt::op::kind::mat_mul, op::fully_connected::name},
    {lpt::op::kind::normalize_l2, op::l2_normalization::name},
    {lpt::op::kind::sigmoid, op::logistic::name},
    {lpt::op::kind::max_pool, op::max_pool_2d::name},
    {lpt::op::kind::multiply, op::mul::name},
    {lpt::op::kind::reshape, op::reshape::name},
    {lpt::op::kind::interpolate, op::resize_bilinear::name},
    {lpt::op::kind::softmax, op::softmax::name},
    {lpt::op::kind::space_to_depth, op::space_to_depth::name},
    {lpt::op::kind::tanh, op::tanh::name},
    {lpt::op::kind::pad, op::pad::name},
    {lpt::op::kind::gather, op::gather::name},
    {lpt::op::kind::batch_to_space, op::batch_to_space_nd::name},
    {lpt::op::kind::space_to_batch, op::space_to_batch_nd::name},
    {lpt::op::kind::transpose, op::transpose::name},
    {lpt::op::kind::reduce_mean, op::mean::name},
    {lpt::op::kind::subtract, op::sub::name},
    {lpt::op::kind::reduce_sum, op::sum::name},
    {lpt::op::kind::squeeze, op::squeeze::name},
    {lpt::op::kind::log_softmax, op::log_softmax::name},
    {lpt::op::kind::maximum, op::maximum::name},
    {lpt::op::kind::minimum, op::minimum::name},
    {lpt::op::kind::less, op::less::name},
    {lpt::op::kind::greater, op::greater::name},
    {lpt::op::kind::greater_equal, op::greater_equal::name},
    {lpt::op::kind::less_equal, op::less_equal::name},
    {lpt::op::kind::slice, op::slice::name},
    {lpt::op::kind::equal, op::equal::name},
    {lpt::op::kind::not_equal, op::not_equal::name},
    {lpt::op::kind::shape_of, op::shape::name},
};

/// The row that an operation of graphs corresponds to; null where the document has none.
constexpr const row* find(lpt::op::kind operation) {
    for (const correspondence& each : correspondences) {
        if (each.operation == operation) return find(each.row);
    }
    return nullptr;
}

/// The first input port of an operation of graphs that carries a part; -1 for what is no input there: the output, and the bias, which an
/// Add behind the operation adds.
constexpr int port_of(operand role) {
    switch (role) {
        case operand::input_0:
        case operand::every_input: return 0;
        case operand::input_1:
        case operand::weight: return 1;
        case operand::input_2: return 2;
        case operand::bias:
        case operand::output_0: break;
    }
    return -1;
}

namespace detail {
constexpr bool all_correspondences_have_rows() {
    for (const correspondence& each : correspondences) {
        if (is_null(find(each.row))) return false;
    }
    return true;
}
static_assert(all_correspondences_have_rows());
}  // namespace detail

}  // namespace lpt::inline LPT_ABI::spec
