// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/integer_products.hpp>
#include <lpt/import/onnx/reduction.hpp>

#include <algorithm>

/// Operators of ONNX Runtime's domain `com.microsoft`.
namespace lpt::inline LPT_ABI::onnx {

template <class Op>
void read_quantized_binary(operation& n) {
    const output_ref a = real_at(n, 0, 1, 2);
    const output_ref b = real_at(n, 3, 4, 5);
    out_quantized(n, n.make(Op{}, {a, b}), 6, 7);
}

inline void read_quantized_global_average_pool(operation& n) {
    const output_ref x = channels_first(n, real_at(n, 0, 1, 2));
    out_quantized(n, channels_as_given(n, n.reduce<op::reduce_mean>(x, spatial_axes(n, x), true)), 3, 4);
}

inline void read_quantized_average_pool(operation& n) {
    op::avg_pool what;
    read_pool_window(n, what);
    what.exclude_pad = !n.flag("count_include_pad");
    const bool plain = what.rounding_type == op::rounding_type::floor;
    if (plain) {
        what.dilations = {};
    }
    const output_ref x = channels_first(n, real_at(n, 0, 1, 2));
    out_quantized(n, channels_as_given(n, n.make_node(what, {x}, plain ? 1 : 16)), 3, 4);
}

inline void read_quantized_mean(operation& n) {
    const output_ref x = real_at(n, 0, 1, 2);
    const lpt::integers axes = n.has_attribute("axes") ? n.list("axes") : all_axes(n, x);
    out_quantized(n, n.reduce<op::reduce_mean>(x, axes, n.flag("keepdims", true)), 3, 4);
}

/// Elements of one input or the other, by a condition.
inline void read_quantized_where(operation& n) {
    out_quantized(n, n.make(op::select{}, {n.in(0), real_at(n, 1, 2, 3), real_at(n, 4, 5, 6)}), 7, 8);
}

/// Max pooling of data whose channels come last.
inline void read_max_pool_of_channels_last(operation& n) {
    op::max_pool what;
    read_pool_window(n, what);
    const output_ref x = n.in(0);
    const std::size_t rank = n.rank(x);
    if (rank != what.kernel.size() + 2) {
        n.wrong({"has a window of ", what.kernel.size(), " axes for data of ", rank});
    }
    const channel_orders orders(rank);
    what.index_element_type = i64;
    const node_id made = n.make_node(what, {n.transpose(x, orders.to_front)}, 14);
    n.out(n.transpose(made, orders.to_back));
}

/// Scale and zero point of the output, then three inputs for each part.
inline void read_quantized_concat(operation& n) {
    seq<output_ref> parts;
    for (std::size_t port = 2; port + 2 < n.inputs(); port += 3) {
        parts.push_back(real_at(n, port, port + 1, port + 2));
    }
    out_quantized(n, n.concat(parts, n.integer("axis", 1)), 0, 1);
}

template <class Op>
void read_quantized_unary(operation& n) {
    out_quantized(n, n.make(Op{}, {real_at(n, 0, 1, 2)}), 3, 4);
}
inline void read_quantized_leaky_relu(operation& n) {
    const output_ref x = real_at(n, 0, 1, 2);
    out_quantized(
        n, n.make(op::prelu{}, {x, n.like(x, static_cast<double>(static_cast<float>(n.real("alpha", 0.01))))}), 3, 4);
}
/// Along an axis; before version 13 of the standard operators over all axes from that one on.
inline void read_quantized_softmax(operation& n) {
    const output_ref x = real_at(n, 0, 1, 2);
    const std::int64_t axis = n.axis_of(n.integer("axis", -1), n.rank(x));
    if (n.integer("opset", 13) < 13 && axis + 1 != static_cast<std::int64_t>(n.rank(x))) {
        n.wrong({"axis ", axis, " is not the last, which opset ", n.integer("opset", 13), " needs here"});
    }
    out_quantized(n, n.softmax(x, axis), 3, 4);
}

/// A * B + C on quantized data; the output is real where no scale is given for it.
inline void read_quantized_gemm(operation& n) {
    op::mat_mul what;
    what.transpose_a = n.flag("transA");
    what.transpose_b = n.flag("transB");
    const output_ref a = real_at(n, 0, 1, 2);
    const output_ref b = real_at(n, 3, 4, 5, what.transpose_b ? 0 : 1);
    output_ref result = n.make(what, {a, b});
    const double alpha = n.real("alpha", 1);
    if (alpha != 1) {
        result = n.make(op::multiply{}, {result, n.like(result, alpha)});
    }
    if (output_ref bias = bias_of(n, 6, 1, 4)) {
        if (alpha != 1) {
            bias = n.make(op::multiply{}, {bias, n.like(bias, alpha)});
        }
        result = n.make(op::add{}, {result, bias});
    }
    if (n.has(7)) {
        out_quantized(n, result, 7, 8);
    } else {
        n.out(result);
    }
}

/// (a - zero point) * (b - zero point) on integers, times both scales, perhaps plus a bias.
inline void read_product_of_integers_to_real(operation& n) {
    check_scale(n, 2, scale_use::dequantizes);
    check_scale(n, 3, scale_use::dequantizes);
    const output_ref scale = n.make(op::multiply{}, {n.in(2), n.in(3)});
    const output_ref sum = whole_of(n, product_of_integers(n, 4, 5));
    const output_ref result = n.make(op::multiply{}, {sum, scale});
    n.out(n.has(6) ? n.make(op::add{}, {result, n.in(6)}) : result);
}

/// The same with data that is quantized by its range first.
inline void read_product_of_range(operation& n) {
    check_scale(n, 2, scale_use::dequantizes);
    const dynamically_quantized a = quantize_by_range(n, n.in(0));
    const tensor& weights = n.known_input(1);
    if (weights.dimensions().rank() != 2 || bit_width(weights.type()) != 8) {
        n.wrong({"needs a matrix of 8-bit weights, not ", lpt::name(weights.type()), " ", weights.dimensions()});
    }
    const tensor zeros = n.has(3) ? n.known_input(3) : tensor();
    const output_ref product = product_of_bytes(n, a.bytes, a.zero_point, centred(n, n.in(1), 3, -1), weights, zeros);
    const output_ref result = n.make(op::multiply{}, {product, n.make(op::multiply{}, {a.scale, n.in(2)})});
    n.out(n.has(4) ? n.make(op::add{}, {result, n.in(4)}) : result);
}

/// The function that a fused operator applies last.
inline output_ref activated(operation& n, output_ref x) {
    const std::string_view name = n.words("activation", "");
    const std::vector<float> numbers = n.reals("activation_params");
    // FusedConv has its numbers in a list, FusedGemm in attributes.
    const auto number = [&](std::size_t i, double otherwise) {
        if (i < numbers.size()) {
            return static_cast<double>(numbers[i]);
        }
        return n.real(i == 0 ? "activation_alpha" : "activation_beta", otherwise);
    };
    if (name.empty()) {
        return x;
    }
    if (name == "Relu") {
        return n.make(op::relu{}, {x});
    }
    if (name == "Sigmoid") {
        return n.make(op::sigmoid{}, {x});
    }
    if (name == "Tanh") {
        return n.make(op::tanh{}, {x});
    }
    if (name == "LeakyRelu") {
        return n.make(op::prelu{}, {x, n.like(x, number(0, 0.01))});
    }
    if (name == "Clip") {
        return n.clamp(x, number(0, facts(f32).lowest), number(1, facts(f32).highest));
    }
    if (name == "HardSigmoid") {
        return n.make(op::hard_sigmoid{}, {x, n.like(x, number(0, 0.2)), n.like(x, number(1, 0.5))});
    }
    n.wrong({"activation '", shown(name), "' is not supported"});
}

inline void read_fused_convolution(operation& n) {
    output_ref result = convolved(n, n.in(0), n.in(1), n.has(2) ? n.in(2) : output_ref());
    result = n.has(3) ? n.make(op::add{}, {result, n.in(3)}) : result;
    n.out(activated(n, result));
}
/// The same for data whose channels come last; weights are as everywhere.
inline void read_fused_convolution_of_channels_last(operation& n) {
    const channel_orders orders(n.rank(n.in(0)));
    output_ref result = convolved(n, n.transpose(n.in(0), orders.to_front), n.in(1), n.has(2) ? n.in(2) : output_ref());
    result = n.transpose(result, orders.to_back);
    result = n.has(3) ? n.make(op::add{}, {result, n.in(3)}) : result;
    n.out(activated(n, result));
}

/// A matrix operand whose rows come before its batch axes, where a flag says so: the first axis moves behind those.
inline output_ref with_batch_in_front(operation& n, std::size_t port, const char* flag) {
    const output_ref given = n.in(port);
    if (!n.flag(flag) || n.rank(given) < 3) {
        return given;
    }
    lpt::integers order;
    for (std::size_t axis = 1; axis + 1 < n.rank(given); ++axis) {
        order.push_back(static_cast<std::int64_t>(axis));
    }
    order.push_back(0);
    order.push_back(static_cast<std::int64_t>(n.rank(given)) - 1);
    return n.transpose(given, order);
}

inline void read_fused_mat_mul(operation& n) {
    op::mat_mul what;
    what.transpose_a = n.flag("transA");
    what.transpose_b = n.flag("transB");
    const output_ref result =
        n.make(what, {with_batch_in_front(n, 0, "transBatchA"), with_batch_in_front(n, 1, "transBatchB")});
    const double alpha = n.real("alpha", 1);
    n.out(alpha == 1 ? result : n.make(op::multiply{}, {result, n.like(result, alpha)}));
}

inline void read_fused_gemm(operation& n) {
    op::mat_mul what;
    what.transpose_a = n.flag("transA");
    what.transpose_b = n.flag("transB");
    output_ref result = n.make(what, {n.in(0), n.in(1)});
    result = n.make(op::multiply{}, {result, n.like(result, n.real("alpha", 1))});
    if (n.has(2)) {
        result = n.make(op::add{}, {result, n.make(op::multiply{}, {n.in(2), n.like(result, n.real("beta", 1))})});
    }
    n.out(activated(n, result));
}

inline constexpr operator_entry microsoft_operators[] = {
    {"com.microsoft", "QLinearAdd", read_quantized_binary<op::add>},
    {"com.microsoft", "QLinearMul", read_quantized_binary<op::multiply>},
    {"com.microsoft", "QLinearGlobalAveragePool", read_quantized_global_average_pool},
    {"com.microsoft", "QLinearAveragePool", read_quantized_average_pool},
    {"com.microsoft", "QLinearConcat", read_quantized_concat},
    {"com.microsoft", "QLinearReduceMean", read_quantized_mean},
    {"com.microsoft", "QLinearWhere", read_quantized_where},
    {"com.microsoft", "NhwcMaxPool", read_max_pool_of_channels_last, true},
    {"com.microsoft", "QLinearSigmoid", read_quantized_unary<op::sigmoid>},
    {"com.microsoft", "QLinearLeakyRelu", read_quantized_leaky_relu},
    {"com.microsoft", "QLinearSoftmax", read_quantized_softmax},
    {"com.microsoft", "QGemm", read_quantized_gemm},
    {"com.microsoft", "QLinearConv", read_quantized_convolution},
    {"com.microsoft", "MatMulIntegerToFloat", read_product_of_integers_to_real},
    {"com.microsoft", "DynamicQuantizeMatMul", read_product_of_range},
    {"com.microsoft", "FusedConv", read_fused_convolution},
    {"com.microsoft", "NhwcFusedConv", read_fused_convolution_of_channels_last},
    {"com.microsoft", "FusedMatMul", read_fused_mat_mul},
    {"com.microsoft", "TransposeMatMul", read_fused_mat_mul},
    {"com.microsoft", "FusedGemm", read_fused_gemm},
};

}  // namespace lpt::inline LPT_ABI::onnx
