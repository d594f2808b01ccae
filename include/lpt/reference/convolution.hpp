// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/reference/activation.hpp>

namespace lpt::inline LPT_ABI::reference {

namespace detail {

inline constexpr std::size_t spatial_axes = 3;

/// A convolution or pooling over exactly three spatial axes; shorter ones have axes of size 1 in front.
struct window_geometry {
    std::int64_t input[spatial_axes] = {1, 1, 1};
    std::int64_t output[spatial_axes] = {1, 1, 1};
    op::window_axis window[spatial_axes];

    constexpr std::size_t input_size() const { return static_cast<std::size_t>(input[0] * input[1] * input[2]); }
    constexpr std::size_t output_size() const { return static_cast<std::size_t>(output[0] * output[1] * output[2]); }
    constexpr std::size_t kernel_size() const {
        return static_cast<std::size_t>(window[0].kernel * window[1].kernel * window[2].kernel);
    }
    /// True if the output's places are the input's places: a product of matrices needs no rearrangement.
    constexpr bool is_pointwise() const {
        bool result = kernel_size() == 1;
        for (std::size_t axis = 0; axis < spatial_axes; ++axis) {
            const op::window_axis& each = window[axis];
            result = result && each.stride == 1 && each.pad_begin == 0 && input[axis] == output[axis];
        }
        return result;
    }
};

/// `kernel_first` is the place of the first kernel axis in `kernel`.
constexpr window_geometry make_geometry(const shape& data, const shape& result, const shape& kernel,
                                        std::size_t kernel_first, const op::detail::window_attributes& window) {
    window_geometry geometry;
    const std::size_t axes = data.rank() - 2;
    for (std::size_t axis = 0; axis < axes; ++axis) {
        const std::size_t to = spatial_axes - axes + axis;
        geometry.input[to] = data[axis + 2];
        geometry.output[to] = result[axis + 2];
        geometry.window[to] =
            op::padded_window(window.axis(axis, kernel[kernel_first + axis]), window.rule, data[axis + 2]);
    }
    return geometry;
}

/// Writes `count` elements of a row of `size`, from place `first` on, each `stride` after the one before; zero outside the row.
template <class Number>
constexpr void copy_places(const Number* row, std::int64_t first, std::int64_t stride, std::int64_t size,
                           std::int64_t count, Number* to) {
    const std::int64_t begin = first < 0 ? math::minimum(count, (-first + stride - 1) / stride) : 0;
    const std::int64_t end = first < size ? math::minimum(count, (size - first + stride - 1) / stride) : 0;
    for (std::int64_t i = 0; i < begin; ++i) {
        to[i] = 0;
    }
    if (stride == 1) {
        for (std::int64_t i = begin; i < end; ++i) {
            to[i] = row[first + i];
        }
    } else {
        for (std::int64_t i = begin; i < end; ++i) {
            to[i] = row[first + i * stride];
        }
    }
    for (std::int64_t i = math::maximum(begin, end); i < count; ++i) {
        to[i] = 0;
    }
}

/// Writes what one kernel element of one channel meets at output places `first` to before `last`, zero for padding.
template <class Number>
constexpr void unfold_row(const Number* channel, const window_geometry& g, const std::int64_t (&k)[spatial_axes],
                          std::size_t first, std::size_t last, Number* to) {
    const op::window_axis& w = g.window[2];
    const std::int64_t shift = k[2] * w.dilation - w.pad_begin;
    auto place = static_cast<std::int64_t>(first);
    const auto end = static_cast<std::int64_t>(last);
    while (place < end) {
        const std::int64_t row = place / g.output[2];
        const std::int64_t begin = place % g.output[2];
        const std::int64_t count = math::minimum(g.output[2] - begin, end - place);
        const std::int64_t d =
            row / g.output[1] * g.window[0].stride + k[0] * g.window[0].dilation - g.window[0].pad_begin;
        const std::int64_t h =
            row % g.output[1] * g.window[1].stride + k[1] * g.window[1].dilation - g.window[1].pad_begin;
        if (d < 0 || d >= g.input[0] || h < 0 || h >= g.input[1]) {
            for (std::int64_t i = 0; i < count; ++i) {
                to[i] = 0;
            }
        } else {
            copy_places(channel + (d * g.input[1] + h) * g.input[2], begin * w.stride + shift, w.stride, g.input[2],
                        count, to);
        }
        to += count;
        place += count;
    }
}

/// Writes what the windows at output places `first` to before `last` see: `channels * kernel` rows, one place a column.
template <class Number>
constexpr void unfold(const Number* data, std::size_t channels, const window_geometry& g, std::size_t first,
                      std::size_t last, Number* to) {
    for (std::size_t channel = 0; channel < channels; ++channel) {
        std::int64_t k[spatial_axes] = {};
        for (std::size_t i = 0; i < g.kernel_size(); ++i) {
            unfold_row(data + channel * g.input_size(), g, k, first, last, to);
            to += last - first;
            for (std::size_t axis = spatial_axes; axis-- > 0;) {
                if (++k[axis] < g.window[axis].kernel) {
                    break;
                }
                k[axis] = 0;
            }
        }
    }
}

/// Memory that one convolution uses again for each sample and group.
template <class Number>
struct convolution_memory {
    seq<Number> columns;
    seq<Number> sums;

    static constexpr Number* at_least(seq<Number>& values, std::size_t count) {
        if (values.size() < count) {
            values.resize(count);
        }
        return values.data();
    }
};

/// One sample and one group: `outputs` channels of `inputs` channels. Sums run over input channels, then kernel elements in row-major order.
template <class Number>
constexpr void convolve(const Number* data, const Number* weights, Number* to, std::size_t inputs, std::size_t outputs,
                        const window_geometry& g, convolution_memory<Number>& memory) {
    const std::size_t depth = inputs * g.kernel_size();
    const std::size_t places = g.output_size();
    using matrix = evaluation::detail::matrix<Number>;
    if (g.is_pointwise()) {
        return evaluation::multiply_matrices(matrix{weights, depth, 1}, matrix{data, places, 1}, to, outputs, places,
                                             depth);
    }
    // As many places at a time as stay in the cache with all that they see, in whole tiles.
    const std::size_t wanted = 65536 / math::maximum<std::size_t>(depth, 1) / 64 * 64;
    const std::size_t block = math::minimum(places, math::maximum<std::size_t>(wanted, 64));
    Number* columns = memory.at_least(memory.columns, depth * block);
    Number* sums = block == places ? to : memory.at_least(memory.sums, outputs * block);
    for (std::size_t first = 0; first < places; first += block) {
        const std::size_t count = math::minimum(block, places - first);
        unfold(data, inputs, g, first, first + count, columns);
        evaluation::multiply_matrices(matrix{weights, depth, 1}, matrix{columns, count, 1}, sums, outputs, count,
                                      depth);
        for (std::size_t channel = 0; block != places && channel < outputs; ++channel) {
            for (std::size_t i = 0; i < count; ++i) {
                to[channel * places + first + i] = sums[channel * count + i];
            }
        }
    }
}

template <class Number>
constexpr tensor convolution(const call& node, const op::detail::window_attributes& window, bool grouped) {
    const shape& data = node.dimensions(0);
    const shape& weights = node.dimensions(1);
    const shape& dimensions = node.output().dimensions;
    const window_geometry geometry = make_geometry(data, dimensions, weights, grouped ? 3 : 2, window);
    const auto groups = static_cast<std::size_t>(grouped ? weights[0] : 1);
    const auto outputs = static_cast<std::size_t>(weights[grouped ? 1 : 0]);
    const auto inputs = static_cast<std::size_t>(weights[grouped ? 2 : 1]);
    operand<Number> x(node.input(0));
    operand<Number> w(node.input(1));
    outcome<Number> result(node.output());
    convolution_memory<Number> memory;
    for (std::size_t i = 0; i < static_cast<std::size_t>(data[0]) * groups; ++i) {
        convolve(x.data() + i * inputs * geometry.input_size(),
                 w.data() + i % groups * outputs * inputs * geometry.kernel_size(),
                 result.data() + i * outputs * geometry.output_size(), inputs, outputs, geometry, memory);
    }
    return result.finish();
}

/// Adds what one kernel element gives to the places of one output channel.
template <class Number>
constexpr void fold_back(const Number* values, const window_geometry& g, const std::int64_t (&k)[spatial_axes],
                         Number* channel) {
    for (std::int64_t d = 0; d < g.input[0]; ++d) {
        for (std::int64_t h = 0; h < g.input[1]; ++h) {
            for (std::int64_t x = 0; x < g.input[2]; ++x, ++values) {
                const std::int64_t at[spatial_axes] = {d, h, x};
                std::int64_t place = 0;
                bool inside = true;
                for (std::size_t axis = 0; axis < spatial_axes; ++axis) {
                    const op::window_axis& w = g.window[axis];
                    const std::int64_t p = at[axis] * w.stride + k[axis] * w.dilation - w.pad_begin;
                    inside = inside && p >= 0 && p < g.output[axis];
                    place = place * g.output[axis] + p;
                }
                if (inside) {
                    channel[place] = evaluation::detail::plus(channel[place], *values);
                }
            }
        }
    }
}

/// One sample and one group of a transposed convolution.
template <class Number>
constexpr void convolve_back(const Number* data, const Number* weights, Number* to, std::size_t inputs,
                             std::size_t outputs, const window_geometry& g) {
    using matrix = evaluation::detail::matrix<Number>;
    const std::size_t places = g.input_size();
    const std::size_t kernel = g.kernel_size();
    for (std::size_t i = 0; i < outputs * g.output_size(); ++i) {
        to[i] = 0;
    }
    if (inputs == 0) {  // then neither data nor weights say how large the loops below may be
        return;
    }
    seq<Number> columns(kernel * places, Number(0));
    for (std::size_t channel = 0; channel < outputs; ++channel) {
        evaluation::multiply_matrices(matrix{weights + channel * kernel, 1, outputs * kernel}, matrix{data, places, 1},
                                      columns.data(), kernel, places, inputs);
        std::int64_t k[spatial_axes] = {};
        for (std::size_t i = 0; i < kernel; ++i) {
            fold_back(columns.data() + i * places, g, k, to + channel * g.output_size());
            for (std::size_t axis = spatial_axes; axis-- > 0;) {
                if (++k[axis] < g.window[axis].kernel) {
                    break;
                }
                k[axis] = 0;
            }
        }
    }
}

/// The padding of a transposed convolution: as given, none (valid), or what the sizes leave, the odd element at the beginning (`same_upper`)
/// or at the end (`same_lower`): the other way round than for a convolution, whose reverse this is.
constexpr void pad_transposed(window_geometry& geometry, op::auto_pad rule, const integers& output_padding,
                              std::size_t axes) {
    for (std::size_t axis = 0; axis < axes; ++axis) {
        const std::size_t at = spatial_axes - axes + axis;
        op::window_axis& window = geometry.window[at];
        if (rule == op::auto_pad::valid) {
            window.pad_begin = 0;
        } else if (rule != op::auto_pad::explicit_pads) {
            const std::int64_t total = math::maximum<std::int64_t>(
                0, (geometry.input[at] - 1) * window.stride + window.extent() +
                       op::detail::spatial_value(output_padding, axis, 0) - geometry.output[at]);
            window.pad_begin = rule == op::auto_pad::same_upper ? total - total / 2 : total / 2;
        }
    }
}

template <class Number>
constexpr tensor transposed_convolution(const call& node, const op::detail::window_attributes& window,
                                        const integers& output_padding, bool grouped) {
    const shape& data = node.dimensions(0);
    const shape& weights = node.dimensions(1);
    const op::detail::window_attributes as_given{window.strides, window.dilations, window.pads_begin, window.pads_end,
                                                 op::auto_pad::explicit_pads};
    window_geometry geometry = make_geometry(data, node.output().dimensions, weights, grouped ? 3 : 2, as_given);
    pad_transposed(geometry, window.rule, output_padding, data.rank() - 2);
    const auto groups = static_cast<std::size_t>(grouped ? weights[0] : 1);
    const auto inputs = static_cast<std::size_t>(weights[grouped ? 1 : 0]);
    const auto outputs = static_cast<std::size_t>(weights[grouped ? 2 : 1]);
    operand<Number> x(node.input(0));
    operand<Number> w(node.input(1));
    outcome<Number> result(node.output());
    for (std::size_t i = 0; i < static_cast<std::size_t>(data[0]) * groups; ++i) {
        convolve_back(x.data() + i * inputs * geometry.input_size(),
                      w.data() + i % groups * outputs * inputs * geometry.kernel_size(),
                      result.data() + i * outputs * geometry.output_size(), inputs, outputs, geometry);
    }
    return result.finish();
}

template <class Op>
constexpr op::detail::window_attributes window_of(const Op& self) {
    return {self.strides, self.dilations, self.pads_begin, self.pads_end, self.auto_pad};
}

template <class Op>
constexpr tensor convolution_of(const call& node, bool grouped) {
    return with_number(node.output().type,
                       [&](auto zero) { return convolution<decltype(zero)>(node, window_of(node.as<Op>()), grouped); });
}
template <class Op>
constexpr tensor transposed_convolution_of(const call& node, bool grouped) {
    return with_number(node.output().type, [&](auto zero) {
        return transposed_convolution<decltype(zero)>(node, window_of(node.as<Op>()), node.as<Op>().output_padding,
                                                      grouped);
    });
}

}  // namespace detail

/// Convolutions in the number type of their output. Sums run over input channels, then kernel elements in row-major order; integers
/// wrap around.
[[gnu::cold]] inline bool evaluate_convolution(const call& node, seq<tensor>& outputs) {
    switch (node.kind()) {
        case op::kind::convolution:
            outputs.push_back(detail::convolution_of<op::convolution>(node, false));
            return true;
        case op::kind::group_convolution:
            outputs.push_back(detail::convolution_of<op::group_convolution>(node, true));
            return true;
        case op::kind::convolution_backprop_data:
            outputs.push_back(detail::transposed_convolution_of<op::convolution_backprop_data>(node, false));
            return true;
        case op::kind::group_convolution_backprop_data:
            outputs.push_back(detail::transposed_convolution_of<op::group_convolution_backprop_data>(node, true));
            return true;
        default: return false;
    }
}

}  // namespace lpt::inline LPT_ABI::reference
