// SPDX-License-Identifier: Apache-2.0
// Sums of products: CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED, TRANSPOSE_CONV, BATCH_MATMUL.
// The sum is exact in 32 bits, acc = bias + sum((q_i - z_i) q_w); it is scaled once, by a multiplier for each output channel.
#pragma once

#include <lpt/specified/broadcast.hpp>
#include <lpt/specified/window.hpp>

namespace lpt::inline LPT_ABI::specified {

/// From sums to codes: T(acc, M(s_i s_w[c] / s_o)) + z_o, within the range that the fused activation leaves. In single precision
/// round_half_even(acc (s_i s_w[c] / s_o)) + z_o.
template <class Arithmetic>
struct requantization {
    std::vector<arithmetic::multiplier> by;  // one per channel
    std::vector<double> exactly;  // the same as real numbers
    std::vector<float> singly;  // (s_i s_w[c]) / s_o in single precision
    std::int32_t zero_point = 0;
    code_range range;

    requantization() = default;
    requantization(const operation& op, float input_scale, const std::vector<double>& weight_scales) {
        const quantized output = op.out();
        for (const double scale : weight_scales) {
            exactly.push_back(static_cast<double>(input_scale) * scale / static_cast<double>(output.scale));
            by.push_back(Arithmetic::of(exactly.back()));
            singly.push_back(input_scale * static_cast<float>(scale) / output.scale);
        }
        zero_point = output.zero_point;
        range = op.activated();
    }
    std::int8_t operator()(std::int32_t sum, std::size_t channel) const {
        if constexpr (Arithmetic::in_single_precision) {
            return static_cast<std::int8_t>(Arithmetic::requantize(static_cast<float>(sum), singly[channel], zero_point,
                                                                   range.lowest, range.highest));
        }
        return static_cast<std::int8_t>(range.clamp(std::int64_t{Arithmetic::scale(sum, by[channel])} + zero_point));
    }
    /// Rounded once, where the arithmetic says so.
    std::int8_t dense(std::int32_t sum, std::size_t channel) const {
        if constexpr (Arithmetic::rounds_once) {
            return static_cast<std::int8_t>(
                range.clamp(std::int64_t{Arithmetic::scale_once(sum, exactly[channel])} + zero_point));
        } else {
            return (*this)(sum, channel);
        }
    }
};

namespace detail {

/// Sums wrap around in 32 bits, as they do in the reference.
constexpr std::int32_t wrapped(std::int64_t sum) { return static_cast<std::int32_t>(sum); }

/// The bias as numbers of 64 bits, zeros where there is none.
inline std::vector<std::int64_t> bias_of(const operands& run, std::size_t index, std::int64_t channels) {
    if (!run.has_input(index)) return std::vector<std::int64_t>(static_cast<std::size_t>(channels), 0);
    if (run.in(index).elements() != channels)
        fail({"a bias of ", run.in(index).elements(), " elements, expected ", channels});
    return run.in(index).integers();
}

/// The shape of the weights, which must be the declared one when they are computed, too: scales and windows are made for it.
inline const shape& declared_weights(const operands& run, const shape& declared, text_view name) {
    const shape& given = run.in(1).dimensions;
    if (given != declared) fail({name, ": weights of shape ", given, ", but the file declares ", declared});
    return given;
}

/// The zero point of a tensor with one scale; 0 where there are several.
inline std::int32_t common_zero_point(const operation& op, const tflite::tensor_info& tensor) {
    return tensor.quantized.scales.size() == 1 ? op.usable_zero_point(tensor, 0) : 0;
}

/// Its sums have a scale for each channel: what a bias says of scales has no part in them, but must be one, or one for each index of an axis.
inline void expect_bias(const operation& op, std::size_t index) {
    if (!op.has_input(index)) return;
    const tflite::tensor_info& bias = op.input(index);
    op.expect_type(bias, i32);
    const std::size_t scales = bias.quantized.scales.size();
    const std::int64_t axis = bias.quantized.axis;
    if (scales < 2) return;
    if (axis < 0 || axis >= static_cast<std::int64_t>(bias.dimensions.rank()))
        op.wrong("tensor '", bias.name, "' has its scales along axis ", axis, ", expected 0 to ",
                 static_cast<std::int64_t>(bias.dimensions.rank()) - 1);
    const dimension along = bias.dimensions[static_cast<std::size_t>(axis)];
    if (along != static_cast<dimension>(scales))
        op.wrong("tensor '", bias.name, "' has ", scales, " scales, expected 1 or ", along);
}

/// The sizes of a convolution as the loops read them.
struct image_loops {
    std::int64_t batch, height, width, channels;  // of the input
    std::int64_t rows, columns;  // of the output
    std::int64_t top, left;  // padding

    image_loops(const shape& input, const window& of)
        : batch(input[0]),
          height(input[1]),
          width(input[2]),
          channels(input[3]),
          rows(of.rows.outputs(input[1])),
          columns(of.columns.outputs(input[2])),
          top(of.rows.padding(input[1])),
          left(of.columns.padding(input[2])) {}
};

}  // namespace detail

/// CONV_2D: weights [out, kh, kw, in / groups], a scale for each output channel along dimension 0.
template <class Arithmetic>
step make_convolution(const operation& op) {
    op.expect_codes(2);
    detail::expect_bias(op, 2);
    const shape& weights = op.input(1).dimensions;
    expect_image(weights);
    expect_positive(weights);
    const window of = window_of(op, weights[1], weights[2]);
    const quantized from = op.in(0);
    const requantization<Arithmetic> to(op, from.scale, op.channel_scales(op.input(1), 0, weights[0]));
    return [=](const operands& run) {
        const value& input = run.in(0);
        const shape& kernel = detail::declared_weights(run, weights, "CONV_2D");
        expect_image(input.dimensions);
        const detail::image_loops at(input.dimensions, of);
        if (at.channels == 0 || kernel[3] == 0 || at.channels % kernel[3] != 0 ||
            kernel[0] % (at.channels / kernel[3]) != 0)
            fail({"CONV_2D: an input of ", at.channels, " channels and weights ", kernel});
        const std::int64_t depth = kernel[3];
        const std::int64_t channels_of_group = kernel[0] / (at.channels / depth);
        value& output = run.out();
        output.reshape(shape{at.batch, at.rows, at.columns, kernel[0]});
        const std::vector<std::int64_t> bias = detail::bias_of(run, 2, kernel[0]);
        const std::int8_t* codes = input.as<std::int8_t>();
        const std::int8_t* weight = run.in(1).template as<std::int8_t>();
        std::int8_t* result = output.to<std::int8_t>();
        const auto sum_of = [&](std::int64_t b, std::int64_t y, std::int64_t x, std::int64_t channel) {
            std::int64_t sum = bias[static_cast<std::size_t>(channel)];
            for (std::int64_t ky = 0; ky < kernel[1]; ++ky) {
                const std::int64_t row = y * of.rows.stride - at.top + ky * of.rows.dilation;
                if (row < 0 || row >= at.height) continue;
                for (std::int64_t kx = 0; kx < kernel[2]; ++kx) {
                    const std::int64_t column = x * of.columns.stride - at.left + kx * of.columns.dilation;
                    if (column < 0 || column >= at.width) continue;
                    const std::int8_t* q = codes + ((b * at.height + row) * at.width + column) * at.channels +
                                           channel / channels_of_group * depth;
                    const std::int8_t* w = weight + ((channel * kernel[1] + ky) * kernel[2] + kx) * depth;
                    std::int32_t part = 0;
                    for (std::int64_t c = 0; c < depth; ++c)
                        part += (q[c] - from.zero_point) * w[c];
                    sum += part;
                }
            }
            return detail::wrapped(sum);
        };
        for (std::int64_t b = 0; b < at.batch; ++b) {
            for (std::int64_t y = 0; y < at.rows; ++y) {
                for (std::int64_t x = 0; x < at.columns; ++x) {
                    for (std::int64_t channel = 0; channel < kernel[0]; ++channel)
                        *result++ = to(sum_of(b, y, x, channel), static_cast<std::size_t>(channel));
                }
            }
        }
    };
}

/// DEPTHWISE_CONV_2D: weights [1, kh, kw, in * multiplier], output channel c reads input channel c / multiplier; scales along dimension 3.
/// Zero points of weights, which break the specification, are left out, as the reference kernel does.
template <class Arithmetic>
step make_depthwise_convolution(const operation& op) {
    op.expect_codes(2);
    detail::expect_bias(op, 2);
    const shape& weights = op.input(1).dimensions;
    expect_image(weights);
    expect_positive(weights);
    const window of = window_of(op, weights[1], weights[2]);
    const quantized from = op.in(0);
    const requantization<Arithmetic> to(op, from.scale, op.channel_scales(op.input(1), 3, weights[3], true));
    return [=](const operands& run) {
        const value& input = run.in(0);
        const shape& kernel = detail::declared_weights(run, weights, "DEPTHWISE_CONV_2D");
        expect_image(input.dimensions);
        const detail::image_loops at(input.dimensions, of);
        const std::int64_t channels = kernel[3];
        if (at.channels == 0 || channels % at.channels != 0)
            fail({"DEPTHWISE_CONV_2D: an input of ", at.channels, " channels and weights ", kernel});
        const std::int64_t multiplier = channels / at.channels;
        value& output = run.out();
        output.reshape(shape{at.batch, at.rows, at.columns, channels});
        const std::vector<std::int64_t> bias = detail::bias_of(run, 2, channels);
        const std::int8_t* codes = input.as<std::int8_t>();
        const std::int8_t* weight = run.in(1).template as<std::int8_t>();
        std::int8_t* result = output.to<std::int8_t>();
        std::vector<std::int64_t> sums(static_cast<std::size_t>(channels));
        const auto add_sums = [&](std::int64_t b, std::int64_t y, std::int64_t x) {
            for (std::int64_t ky = 0; ky < kernel[1]; ++ky) {
                const std::int64_t row = y * of.rows.stride - at.top + ky * of.rows.dilation;
                if (row < 0 || row >= at.height) continue;
                for (std::int64_t kx = 0; kx < kernel[2]; ++kx) {
                    const std::int64_t column = x * of.columns.stride - at.left + kx * of.columns.dilation;
                    if (column < 0 || column >= at.width) continue;
                    const std::int8_t* q = codes + ((b * at.height + row) * at.width + column) * at.channels;
                    const std::int8_t* w = weight + (ky * kernel[2] + kx) * channels;
                    for (std::int64_t c = 0; c < channels; ++c)
                        sums[static_cast<std::size_t>(c)] += (q[c / multiplier] - from.zero_point) * w[c];
                }
            }
        };
        for (std::int64_t b = 0; b < at.batch; ++b) {
            for (std::int64_t y = 0; y < at.rows; ++y) {
                for (std::int64_t x = 0; x < at.columns; ++x) {
                    sums = bias;
                    add_sums(b, y, x);
                    for (std::size_t c = 0; c < sums.size(); ++c)
                        *result++ = to(detail::wrapped(sums[c]), c);
                }
            }
        }
    };
}

/// FULLY_CONNECTED: weights [out, in], a scale for each output along dimension 0 or one; the input is rows of `in` elements.
/// Zero points of weights break the specification; as in the reference kernel one for all counts, and those of channels are left out.
/// Without keep_num_dims the output is [rows, out], else it keeps all axes of the input but the last.
template <class Arithmetic>
step make_fully_connected(const operation& op) {
    op.expect_codes(2);
    detail::expect_bias(op, 2);
    if (op.has_option("weights_format") && op.option("weights_format") != 0)
        op.wrong("weights in another order than the default");
    const shape& weights = op.input(1).dimensions;
    if (weights.rank() != 2) op.wrong("weights of shape ", weights, ", expected [outputs, inputs]");
    expect_positive(weights);
    const bool keeps_axes = op.has_option("keep_num_dims") && op.option("keep_num_dims") != 0;
    const quantized from = op.in(0);
    const requantization<Arithmetic> to(op, from.scale, op.channel_scales(op.input(1), 0, weights[0], true));
    const std::int32_t weight_zero = detail::common_zero_point(op, op.input(1));
    return [=](const operands& run) {
        const value& input = run.in(0);
        const shape& kernel = detail::declared_weights(run, weights, "FULLY_CONNECTED");
        const std::int64_t channels = kernel[0];
        const std::int64_t depth = kernel[1];
        if (input.elements() % depth != 0 ||
            (keeps_axes && (input.dimensions.rank() == 0 || input.dimensions[input.dimensions.rank() - 1] != depth)))
            fail({"FULLY_CONNECTED: an input ", input.dimensions, " and weights ", kernel});
        const std::int64_t rows = input.elements() / depth;
        shape wanted{rows, channels};
        if (keeps_axes) {
            wanted = input.dimensions;
            wanted[wanted.rank() - 1] = channels;
        }
        value& output = run.out();
        output.reshape(move(wanted));
        const std::vector<std::int64_t> bias = detail::bias_of(run, 2, channels);
        const std::int8_t* codes = input.as<std::int8_t>();
        const std::int8_t* weight = run.in(1).template as<std::int8_t>();
        std::int8_t* result = output.to<std::int8_t>();
        for (std::int64_t row = 0; row < rows; ++row) {
            for (std::int64_t c = 0; c < channels; ++c) {
                std::int64_t sum = bias[static_cast<std::size_t>(c)];
                for (std::int64_t k = 0; k < depth; ++k)
                    sum += (codes[row * depth + k] - from.zero_point) * (weight[c * depth + k] - weight_zero);
                *result++ = to.dense(detail::wrapped(sum), static_cast<std::size_t>(c));
            }
        }
    };
}

/// TRANSPOSE_CONV: inputs are the output's shape, weights [out, kh, kw, in], the data, and a bias that may be absent.
template <class Arithmetic>
step make_transposed_convolution(const operation& op) {
    op.expect_type(op.input(1), i8);
    op.expect_type(op.input(2), i8);
    op.expect_type(op.output(0), i8);
    detail::expect_bias(op, 3);
    const shape& weights = op.input(1).dimensions;
    expect_image(weights);
    expect_positive(weights);
    const window of = window_of(op, weights[1], weights[2]);
    const quantized from = op.in(2);
    const requantization<Arithmetic> to(op, from.scale, op.channel_scales(op.input(1), 0, weights[0]));
    return [=](const operands& run) {
        const value& input = run.in(2);
        const shape& kernel = detail::declared_weights(run, weights, "TRANSPOSE_CONV");
        expect_image(input.dimensions);
        const std::vector<std::int64_t> sizes = run.in(0).integers();
        if (sizes.size() != 4 || sizes[0] != input.dimensions[0] || sizes[1] <= 0 || sizes[2] <= 0 ||
            sizes[3] != kernel[0] || input.dimensions[3] != kernel[3])
            fail({"TRANSPOSE_CONV: an input ", input.dimensions, ", weights ", kernel,
                  " and an output that does not fit them"});
        value& output = run.out();
        output.reshape(shape{sizes[0], sizes[1], sizes[2], sizes[3]});
        // Its padding is that of the convolution whose input is this output.
        const std::int64_t top = of.rows.padding(sizes[1]);
        const std::int64_t left = of.columns.padding(sizes[2]);
        const std::int64_t channels = kernel[0];
        const std::vector<std::int64_t> bias = detail::bias_of(run, 3, channels);
        std::vector<std::int64_t> sums(static_cast<std::size_t>(output.elements()));
        for (std::size_t i = 0; i < sums.size(); ++i)
            sums[i] = bias[i % static_cast<std::size_t>(channels)];
        const std::int8_t* weight = run.in(1).template as<std::int8_t>();
        const std::int8_t* q = input.as<std::int8_t>();
        const auto scatter = [&](std::int64_t b, std::int64_t y, std::int64_t x) {
            for (std::int64_t ky = 0; ky < kernel[1]; ++ky) {
                const std::int64_t row = y * of.rows.stride - top + ky;
                if (row < 0 || row >= sizes[1]) continue;
                for (std::int64_t kx = 0; kx < kernel[2]; ++kx) {
                    const std::int64_t column = x * of.columns.stride - left + kx;
                    if (column < 0 || column >= sizes[2]) continue;
                    std::int64_t* sum = sums.data() + ((b * sizes[1] + row) * sizes[2] + column) * channels;
                    for (std::int64_t c = 0; c < channels; ++c) {
                        const std::int8_t* w = weight + ((c * kernel[1] + ky) * kernel[2] + kx) * kernel[3];
                        for (std::int64_t k = 0; k < kernel[3]; ++k)
                            sum[c] += (q[k] - from.zero_point) * w[k];
                    }
                }
            }
        };
        for (std::int64_t b = 0; b < input.dimensions[0]; ++b) {
            for (std::int64_t y = 0; y < input.dimensions[1]; ++y) {
                for (std::int64_t x = 0; x < input.dimensions[2]; ++x, q += kernel[3])
                    scatter(b, y, x);
            }
        }
        std::int8_t* result = output.to<std::int8_t>();
        for (std::size_t i = 0; i < sums.size(); ++i)
            result[i] = to(detail::wrapped(sums[i]), i % static_cast<std::size_t>(channels));
    };
}

/// BATCH_MATMUL: acc = sum((q_1 - z_1) (q_2 - z_2)), batches broadcast; adj_x and adj_y transpose the last two axes.
template <class Arithmetic>
step make_matrix_product(const operation& op) {
    op.expect_codes(2);
    const bool transposes_left = op.option("adj_x") != 0;
    const bool transposes_right = op.option("adj_y") != 0;
    const quantized a = op.in(0), b = op.in(1);
    const requantization<Arithmetic> to(op, a.scale, {static_cast<double>(b.scale)});
    return [=](const operands& run) {
        const value& left = run.in(0);
        const value& right = run.in(1);
        const std::size_t rank = std::max<std::size_t>(2, std::max(left.dimensions.rank(), right.dimensions.rank()));
        const shape of_left = left.dimensions.padded_left(rank);
        const shape of_right = right.dimensions.padded_left(rank);
        const std::int64_t rows = of_left[rank - (transposes_left ? 1 : 2)];
        const std::int64_t depth = of_left[rank - (transposes_left ? 2 : 1)];
        const std::int64_t columns = of_right[rank - (transposes_right ? 2 : 1)];
        if (of_right[rank - (transposes_right ? 1 : 2)] != depth)
            fail({"BATCH_MATMUL: shapes ", left.dimensions, " and ", right.dimensions, " do not fit together"});
        const shape left_batch(view<dimension>(of_left.begin(), rank - 2));
        const shape right_batch(view<dimension>(of_right.begin(), rank - 2));
        const shape batch = broadcast(left_batch, right_batch);
        shape wanted = batch;
        wanted.push_back(rows);
        wanted.push_back(columns);
        value& output = run.out();
        output.reshape(move(wanted));
        std::int8_t* result = output.to<std::int8_t>();
        const auto multiply = [&](const std::int8_t* x, const std::int8_t* y, std::int8_t* to_matrix) {
            for (std::int64_t i = 0; i < rows; ++i) {
                for (std::int64_t j = 0; j < columns; ++j) {
                    std::int64_t sum = 0;
                    for (std::int64_t k = 0; k < depth; ++k) {
                        const std::int32_t p = x[transposes_left ? k * rows + i : i * depth + k] - a.zero_point;
                        sum += p * (y[transposes_right ? j * depth + k : k * columns + j] - b.zero_point);
                    }
                    *to_matrix++ = to(detail::wrapped(sum), 0);
                }
            }
        };
        for_each_row<2>(batch, {&left_batch, &right_batch},
                        [&](std::int64_t first, const std::int64_t* at, const std::int64_t* steps, std::int64_t count) {
                            for (std::int64_t i = 0; i < count; ++i)
                                multiply(left.as<std::int8_t>() + (at[0] + i * steps[0]) * rows * depth,
                                         right.as<std::int8_t>() + (at[1] + i * steps[1]) * depth * columns,
                                         result + (first + i) * rows * columns);
                        });
    };
}

}  // namespace lpt::inline LPT_ABI::specified
