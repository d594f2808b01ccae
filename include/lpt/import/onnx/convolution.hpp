// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/dequantized_weights.hpp>
#include <lpt/import/onnx/quantization.hpp>

/// Convolutions and matrix products, in real numbers and on integers.
namespace lpt::inline LPT_ABI::onnx {

inline op::auto_pad auto_pad_of(operation& n) {
    const std::string_view word = n.words("auto_pad", "NOTSET");
    if (word == "SAME_UPPER") {
        return op::auto_pad::same_upper;
    }
    if (word == "SAME_LOWER") {
        return op::auto_pad::same_lower;
    }
    if (word != "NOTSET" && word != "VALID" && !word.empty()) {
        n.wrong({"auto_pad '", shown(word), "' is not known"});
    }
    return word == "VALID" ? op::auto_pad::valid : op::auto_pad::explicit_pads;
}

/// Fills what convolutions and pooling have in common from the attributes. Pads come as all beginnings, then all ends.
template <class Window>
void read_window(operation& n, Window& to, std::size_t axes) {
    to.auto_pad = auto_pad_of(n);
    to.strides = n.list("strides");
    to.dilations = n.list("dilations");
    const lpt::integers pads = n.list("pads");
    if (!pads.empty() && pads.size() != 2 * axes) {
        n.wrong({"pads has ", pads.size(), " values for ", axes, " spatial axes"});
    }
    if (to.auto_pad == op::auto_pad::explicit_pads) {
        for (std::size_t i = 0; i < pads.size(); ++i) {
            (i < axes ? to.pads_begin : to.pads_end).push_back(pads[i]);
        }
    }
    for (lpt::integers* each : {&to.strides, &to.dilations, &to.pads_begin, &to.pads_end}) {
        if (each->empty()) {
            each->resize(axes, each == &to.strides || each == &to.dilations ? 1 : 0);
        }
    }
}

/// Raises an error for data and weights of different types, which no operator of the standard multiplies.
inline void check_same_type(operation& n, output_ref data, output_ref weights) {
    const element type = n.type(data);
    const element other = n.type(weights);
    if (type != other && type != dynamic && other != dynamic) {
        n.wrong({"has data of type ", lpt::name(type), ", but weights of type ", lpt::name(other)});
    }
}

/// Raises an error where `kernel_shape` is given, but is not the shape that the weights have along the spatial axes.
inline void check_kernel(operation& n, const lpt::shape& weights) {
    const lpt::integers kernel = n.list("kernel_shape");
    if (kernel.empty() || !weights.rank_is_static()) {
        return;
    }
    bool fits = kernel.size() + 2 == weights.rank();
    for (std::size_t i = 0; fits && i < kernel.size(); ++i) {
        fits = weights[i + 2] == dynamic_dimension || weights[i + 2] == kernel[i];
    }
    if (!fits) {
        n.wrong({"kernel_shape is ", lpt::shape(kernel), ", but the weights have the shape ", weights});
    }
}

/// Weights of a convolution in groups: the first axis in two. Where they are dequantized integers, the integers are seen so.
inline output_ref grouped(operation& n, output_ref weights, std::int64_t groups) {
    const lpt::shape own = n.static_shape(weights);
    if (groups < 1 || own.rank() < 3 || own[0] % groups != 0) {
        n.wrong({"weights of shape ", own, " cannot be in ", groups, " groups"});
    }
    lpt::shape wanted = own;
    wanted[0] = own[0] / groups;
    wanted.insert(0, groups);
    const output_ref made = with_sources_moved(n, weights, [&](output_ref from) -> output_ref {
        const tensor* known = n.known(from);
        if (known == nullptr || known->elements() == 1) {
            return known == nullptr ? output_ref() : from;
        }
        lpt::shape dimensions = known->dimensions();
        if (dimensions.rank() != own.rank() || dimensions[0] != own[0]) {
            return {};
        }
        dimensions[0] = own[0] / groups;
        dimensions.insert(0, groups);
        return n.builder().constant(tensor(*known, dimensions));
    });
    return made ? made : n.reshape(weights, wanted.dimensions());
}

/// Raises an error for a bias that is not one number a channel.
inline void check_bias(operation& n, const lpt::shape& bias, dimension channels) {
    if (bias.is_static() && channels != dynamic_dimension && !(bias == lpt::shape{channels})) {
        n.wrong({"has a bias of shape ", bias, ", expected one number for each of ", channels, " channels"});
    }
}

/// A bias of one number a channel, as it broadcasts to the output.
inline output_ref with_bias(operation& n, output_ref result, output_ref bias, std::size_t axes) {
    if (const lpt::shape& given = n.shape(result); given.rank_is_static() && given.rank() > 1) {
        check_bias(n, n.shape(bias), given[1]);
    }
    lpt::integers sizes{1, -1};
    for (std::size_t i = 0; i < axes; ++i) {
        sizes.push_back(1);
    }
    return n.make(op::add{}, {result, n.reshape(bias, sizes)});
}

/// A convolution of real numbers in groups of channels.
inline output_ref convolved_in_groups(operation& n, output_ref x, output_ref weights, output_ref bias,
                                      std::int64_t groups) {
    const std::size_t rank = n.rank(weights);
    if (rank < 3) {
        n.wrong({"weights of shape ", n.shape(weights), " have no spatial axes"});
    }
    check_kernel(n, n.shape(weights));
    check_same_type(n, x, weights);
    output_ref result;
    if (groups == 1) {
        op::convolution what;
        read_window(n, what, rank - 2);
        result = n.make(what, {x, weights});
    } else {
        op::group_convolution what;
        read_window(n, what, rank - 2);
        result = n.make(what, {x, grouped(n, weights, groups)});
    }
    return bias ? with_bias(n, result, bias, rank - 2) : result;
}

inline output_ref convolved(operation& n, output_ref x, output_ref weights, output_ref bias) {
    return convolved_in_groups(n, x, weights, bias, n.integer("group", 1));
}

inline void read_convolution(operation& n) { n.out(convolved(n, n.in(0), n.in(1), n.has(2) ? n.in(2) : output_ref())); }

/// The padding that gives an output of the wanted size; what is missing at the end is added there.
template <class Transposed>
void pad_for_size(operation& n, Transposed& to, const lpt::shape& data, const lpt::shape& kernel,
                  const lpt::integers& wanted) {
    const bool upper = to.auto_pad == op::auto_pad::same_upper;
    to.auto_pad = op::auto_pad::explicit_pads;
    for (std::size_t i = 0; i < to.strides.size(); ++i) {
        const checked reach = checked(kernel[kernel.rank() - to.strides.size() + i] - 1) * to.dilations[i];
        const checked whole = checked(data[i + 2] - 1) * to.strides[i] + reach + to.output_padding[i] + 1 - wanted[i];
        if (!whole.is_within(-op::most_step, op::most_step)) {
            n.wrong({"cannot have an output of size ", wanted[i]});
        }
        const std::int64_t total = whole.value();
        if (total < 0) {
            to.output_padding[i] -= total;
        }
        const std::int64_t padding = math::maximum<std::int64_t>(total, 0);
        to.pads_begin[i] = upper ? padding / 2 : padding - padding / 2;
        to.pads_end[i] = padding - to.pads_begin[i];
    }
}

/// Transposed convolution: `output_shape`, or a size of stride times the input's, decides the padding where they are given.
inline void read_transposed_convolution(operation& n) {
    const output_ref x = n.in(0);
    const std::int64_t groups = n.integer("group", 1);
    const std::size_t rank = n.rank(n.in(1));
    const auto fill = [&](auto what, output_ref weights) {
        read_window(n, what, rank - 2);
        what.output_padding = n.list("output_padding");
        if (what.output_padding.empty()) {
            what.output_padding.resize(rank - 2, 0);
        }
        if (what.output_padding.size() != rank - 2 || what.strides.size() != rank - 2 ||
            what.dilations.size() != rank - 2) {
            n.wrong({"strides, dilations and output_padding must have one value for each of ", rank - 2, " axes"});
        }
        lpt::integers wanted = n.list("output_shape");
        while (wanted.size() > rank - 2) {
            wanted.erase(0);
        }
        if (what.auto_pad == op::auto_pad::same_upper || what.auto_pad == op::auto_pad::same_lower) {
            for (std::size_t axis = 2; wanted.size() < rank - 2; ++axis) {
                wanted.push_back(n.static_shape(x)[axis] * what.strides[axis - 2]);
            }
        }
        if (!wanted.empty()) {
            if (wanted.size() != rank - 2 || n.static_shape(x).rank() != rank) {
                n.wrong({"output_shape must have one value for each of ", rank - 2, " axes"});
            }
            pad_for_size(n, what, n.static_shape(x), n.static_shape(n.in(1)), wanted);
        }
        return n.make(what, {x, weights});
    };
    if (rank < 3) {
        n.wrong({"weights of shape ", n.shape(n.in(1)), " have no spatial axes"});
    }
    check_kernel(n, n.shape(n.in(1)));
    check_same_type(n, x, n.in(1));
    const output_ref result = groups == 1 ? fill(op::convolution_backprop_data{}, n.in(1))
                                          : fill(op::group_convolution_backprop_data{}, grouped(n, n.in(1), groups));
    n.out(n.has(2) ? with_bias(n, result, n.in(2), rank - 2) : result);
}

/// alpha * A * B + beta * C, with A and B perhaps transposed. Transposing is left to the product.
inline void read_gemm(operation& n) {
    op::mat_mul what;
    what.transpose_a = n.flag("transA");
    what.transpose_b = n.flag("transB");
    check_same_type(n, n.in(0), n.in(1));
    output_ref result = n.make(what, {n.in(0), n.in(1)});
    if (const double alpha = n.real("alpha", 1); alpha != 1) {
        result = n.make(op::multiply{}, {result, n.like(result, alpha)});
    }
    if (n.has(2)) {
        output_ref addend = n.in(2);
        if (const double beta = n.real("beta", 1); beta != 1) {
            addend = n.make(op::multiply{}, {addend, n.like(addend, beta)});
        }
        result = n.make(op::add{}, {result, addend});
    }
    n.out(result);
}

/// Integers are multiplied as numbers that hold them exactly.
inline void read_mat_mul(operation& n) {
    const element type = n.type(n.in(0));
    check_same_type(n, n.in(0), n.in(1));
    if (!is_integral(type)) {
        n.out(n.make(op::mat_mul{}, {n.in(0), n.in(1)}));
        return;
    }
    const output_ref product = n.make(op::mat_mul{}, {n.convert(n.in(0), f64), n.convert(n.in(1), f64)});
    n.out(n.convert(product, type));
}

/// Orders of axes that bring channels from the end behind the batch, and back.
struct channel_orders {
    lpt::integers to_front{0};
    lpt::integers to_back{0};

    explicit channel_orders(std::size_t rank) {
        const auto last = static_cast<std::int64_t>(rank) - 1;
        to_front.push_back(last);
        for (std::int64_t axis = 1; axis < last; ++axis) {
            to_front.push_back(axis);
            to_back.push_back(axis + 1);
        }
        to_back.push_back(1);
    }
};

/// Data whose channels `channels_last` says to be at the end, with channels behind the batch.
inline output_ref channels_first(operation& n, output_ref x) {
    return n.flag("channels_last") ? n.transpose(x, channel_orders(n.rank(x)).to_front) : x;
}
/// What became of such data, with channels where it had them.
inline output_ref channels_as_given(operation& n, output_ref x) {
    return n.flag("channels_last") ? n.transpose(x, channel_orders(n.rank(x)).to_back) : x;
}

/// The bias of a quantized operator: integers whose unit is the product of the scales of data and weights.
inline output_ref bias_of(operation& n, std::size_t port, std::size_t data_scale, std::size_t weight_scale) {
    if (!n.has(port)) {
        return {};
    }
    if (n.type(n.in(port)) != i32) {
        n.wrong({"input ", port, ", the bias, has the type ", lpt::name(n.type(n.in(port))), ", expected i32"});
    }
    const output_ref unit =
        n.make(op::multiply{}, {n.convert(n.in(data_scale), f32), n.convert(n.in(weight_scale), f32)});
    const output_ref flat = n.reshape(unit, {-1});
    return n.make(op::multiply{}, {n.convert(n.in(port), f32), flat});
}

inline void read_quantized_convolution(operation& n) {
    for (const std::size_t port : {1u, 2u, 6u, 7u}) {
        check_is_one_number(n, port);
    }
    for (const std::size_t scale : {1u, 4u, 6u}) {
        if (n.type(n.in(scale)) != f32) {
            n.wrong({"input ", scale, ", a scale, has the type ", lpt::name(n.type(n.in(scale))), ", expected f32"});
        }
    }
    const output_ref x = channels_first(n, real_at(n, 0, 1, 2));
    const output_ref weights = real_at(n, 3, 4, 5, 0);
    if (n.has(8) && n.shape(weights).rank_is_static() && n.shape(weights).rank() > 0) {
        check_bias(n, n.shape(n.in(8)), n.shape(weights)[0]);
    }
    out_quantized(n, channels_as_given(n, convolved(n, x, weights, bias_of(n, 8, 1, 4))), 6, 7);
}

inline void read_quantized_product(operation& n) {
    const output_ref a = real_at(n, 0, 1, 2, -2);
    const output_ref b = real_at(n, 3, 4, 5, -1, operand::second);
    out_quantized(n, n.make(op::mat_mul{}, {a, b}), 6, 7);
}

inline constexpr operator_entry convolution_operators[] = {
    {"", "Conv", read_convolution},
    {"", "ConvTranspose", read_transposed_convolution},
    {"", "Gemm", read_gemm},
    {"", "MatMul", read_mat_mul},
    {"", "QLinearConv", read_quantized_convolution},
    {"", "QLinearMatMul", read_quantized_product},
};

}  // namespace lpt::inline LPT_ABI::onnx
