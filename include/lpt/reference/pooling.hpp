// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/reference/convolution.hpp>

#include <type_traits>

namespace lpt::inline LPT_ABI::reference {

namespace detail {

/// The part of a window along one axis that lies in the input: kernel elements from `first` to before `last`.
struct window_part {
    std::int64_t start = 0;  // input place of kernel element 0, negative in the padding
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::int64_t padded =
        0;  // kernel elements in the input or its padding: what lies beyond the padding does not count
};

/// How many elements of a kernel whose first lies at `start` lie before `limit`.
constexpr std::int64_t elements_before(const op::window_axis& window, std::int64_t start, std::int64_t limit) {
    return start >= limit ? 0 : math::minimum(window.kernel, (limit - start - 1) / window.dilation + 1);
}

constexpr window_part part_of_window(const op::window_axis& window, std::int64_t place, std::int64_t input) {
    window_part part;
    part.start = place * window.stride - window.pad_begin;
    part.first = elements_before(window, part.start, 0);
    part.last = math::maximum(part.first, elements_before(window, part.start, input));
    part.padded = elements_before(window, part.start, input + window.pad_end);
    return part;
}

/// Calls `visit(output place, parts)` for each output place of one channel.
template <class Visit>
constexpr void for_each_window(const window_geometry& g, Visit visit) {
    std::size_t place = 0;
    window_part parts[spatial_axes];
    seq<window_part> columns;
    for (std::int64_t w = 0; w < g.output[2]; ++w) {
        columns.push_back(part_of_window(g.window[2], w, g.input[2]));
    }
    for (std::int64_t d = 0; d < g.output[0]; ++d) {
        parts[0] = part_of_window(g.window[0], d, g.input[0]);
        for (std::int64_t h = 0; h < g.output[1]; ++h) {
            parts[1] = part_of_window(g.window[1], h, g.input[1]);
            for (const window_part& column : columns) {
                parts[2] = column;
                visit(place++, parts);
            }
        }
    }
}

/// Calls `visit(input place)` for each element of a window that lies in the input, in row-major order.
template <class Visit>
constexpr void for_each_seen(const window_geometry& g, const window_part (&parts)[spatial_axes], Visit visit) {
    for (std::int64_t d = parts[0].first; d < parts[0].last; ++d) {
        for (std::int64_t h = parts[1].first; h < parts[1].last; ++h) {
            const std::int64_t row =
                ((parts[0].start + d * g.window[0].dilation) * g.input[1] + parts[1].start + h * g.window[1].dilation) *
                    g.input[2] +
                parts[2].start;
            for (std::int64_t w = parts[2].first; w < parts[2].last; ++w) {
                visit(static_cast<std::size_t>(row + w * g.window[2].dilation));
            }
        }
    }
}

constexpr shape kernel_shape(const integers& kernel) { return shape(kernel); }

template <class Number>
constexpr void max_pool(const call& node, seq<tensor>& outputs) {
    const auto& self = node.as<op::max_pool>();
    const shape& data = node.dimensions(0);
    const integers none;
    const window_geometry g = make_geometry(
        data, node.output().dimensions, kernel_shape(self.kernel), 0,
        {self.strides, node.version >= 8 ? self.dilations : none, self.pads_begin, self.pads_end, self.auto_pad});
    const std::size_t channels = elements_between(data, 0, 2);
    const bool has_places = node.outputs.size() > 1;
    const std::size_t axis = has_places ? evaluation::detail::axis_of(self.axis, data.rank()) : 0;
    const std::size_t counted =
        elements_between(data, axis, data.rank());  // places are counted inside blocks of so many elements
    operand<Number> from(node.input(0));
    outcome<Number> result(node.output());
    seq<std::int64_t> places(has_places ? result.elements() : 0, 0);
    for (std::size_t channel = 0; channel < channels; ++channel) {
        const std::size_t base = channel * g.input_size();
        for_each_window(g, [&](std::size_t place, const window_part(&parts)[spatial_axes]) {
            Number most = evaluation::detail::utmost<Number>(false);
            std::size_t where = 0;
            bool any = false;
            for_each_seen(g, parts, [&](std::size_t at) {
                const Number value = from[base + at];
                if (!any || value > most) {
                    most = value;
                    where = at;
                    any = true;
                }
            });
            result[channel * g.output_size() + place] = most;
            if (has_places) {
                places[channel * g.output_size() + place] = static_cast<std::int64_t>((base + where) % counted);
            }
        });
    }
    outputs.push_back(result.finish());
    if (has_places) {
        outputs.push_back(make_integer_tensor(self.index_element_type, node.output(1).dimensions, places));
    }
}

template <class Number>
constexpr tensor avg_pool(const call& node) {
    const auto& self = node.as<op::avg_pool>();
    const shape& data = node.dimensions(0);
    const integers none;
    const window_geometry g = make_geometry(
        data, node.output().dimensions, kernel_shape(self.kernel), 0,
        {self.strides, node.version >= 16 ? self.dilations : none, self.pads_begin, self.pads_end, self.auto_pad});
    const std::size_t channels = elements_between(data, 0, 2);
    operand<Number> from(node.input(0));
    outcome<Number> result(node.output());
    for (std::size_t channel = 0; channel < channels; ++channel) {
        const Number* values = from.data() + channel * g.input_size();
        for_each_window(g, [&](std::size_t place, const window_part(&parts)[spatial_axes]) {
            double sum = 0;
            double seen = 1;  // beyond 64 bits for the largest kernels
            double padded = 1;
            for (const window_part& part : parts) {
                seen *= static_cast<double>(part.last - part.first);
                padded *= static_cast<double>(part.padded);
            }
            for_each_seen(g, parts, [&](std::size_t at) { sum += static_cast<double>(values[at]); });
            const double count = self.exclude_pad ? seen : padded;
            double mean = count == 0 ? 0 : sum / count;
            if constexpr (std::is_integral_v<Number>) {
                mean = math::round_half_even(mean);
            }
            result[channel * g.output_size() + place] = static_cast<Number>(mean);
        });
    }
    return result.finish();
}

}  // namespace detail

/// MaxPool and AvgPool. A mean is summed in double; of integers it is rounded, halves to even. Without `exclude_pad` the padding counts,
/// but not what a window covers beyond it. The first of equal greatest values wins.
[[gnu::cold]] inline bool evaluate_pooling(const call& node, seq<tensor>& outputs) {
    detail::with_number(node.input(0).type(), [&](auto zero) {
        if (node.kind() == op::kind::max_pool) {
            detail::max_pool<decltype(zero)>(node, outputs);
        } else {
            outputs.push_back(detail::avg_pool<decltype(zero)>(node));
        }
    });
    return true;
}

}  // namespace lpt::inline LPT_ABI::reference
