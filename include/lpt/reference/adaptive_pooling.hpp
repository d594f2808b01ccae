// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/reference/activation.hpp>

#include <vector>

namespace lpt::inline LPT_ABI::reference {

namespace detail {

/// The elements of an axis that a bin has: from `begin` to before `end`.
struct axis_bin {
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// Along an axis bin i of `count` begins at floor(i * size / count) and ends before ceil((i + 1) * size / count).
inline std::vector<axis_bin> bins_of(std::size_t size, std::size_t count) {
    std::vector<axis_bin> result;
    for (std::size_t i = 0; i < count; ++i) {
        result.push_back({i * size / count, ((i + 1) * size + count - 1) / count});
    }
    return result;
}

/// Calls `visit(bin, places)` for each bin of a channel in row-major order; `places(visit)` calls that with each element of the bin.
template <class Visit>
void for_each_bin(const shape& data, const shape& output, Visit visit) {
    std::size_t size[3] = {1, 1, 1};
    std::vector<axis_bin> bins[3] = {{{0, 1}}, {{0, 1}}, {{0, 1}}};
    const std::size_t axes = data.rank() - 2;
    for (std::size_t i = 0; i < axes; ++i) {
        size[3 - axes + i] = static_cast<std::size_t>(data[i + 2]);
        bins[3 - axes + i] = bins_of(size[3 - axes + i], static_cast<std::size_t>(output[i + 2]));
    }
    std::size_t bin = 0;
    for (const axis_bin& depth : bins[0]) {
        for (const axis_bin& row : bins[1]) {
            for (const axis_bin& column : bins[2]) {
                visit(bin++, [&](auto each) {
                    for (std::size_t d = depth.begin; d < depth.end; ++d) {
                        for (std::size_t h = row.begin; h < row.end; ++h) {
                            for (std::size_t w = column.begin; w < column.end; ++w) {
                                each((d * size[1] + h) * size[2] + w);
                            }
                        }
                    }
                });
            }
        }
    }
}

template <class Number>
void adaptive_max_pool(const call& node, seq<tensor>& outputs) {
    const shape& data = node.dimensions(0);
    const shape& output = node.output().dimensions;
    const std::size_t from_size = elements_between(data, 2, data.rank());
    const std::size_t to_size = elements_between(output, 2, output.rank());
    const operand<Number> x(node.input(0));
    outcome<Number> values(node.output(0));
    outcome<std::int64_t> places(node.output(1));
    for (std::size_t channel = 0; channel < elements_between(data, 0, 2); ++channel) {
        const Number* from = x.data() + channel * from_size;
        for_each_bin(data, output, [&](std::size_t bin, auto for_each_place) {
            std::size_t most = from_size;  // none yet
            for_each_place([&](std::size_t place) {
                if (most == from_size || from[place] > from[most]) {
                    most = place;
                }
            });
            values[channel * to_size + bin] = from[most];
            places[channel * to_size + bin] = static_cast<std::int64_t>(most);
        });
    }
    outputs.push_back(values.finish());
    outputs.push_back(places.finish());
}

template <class Number>
tensor adaptive_avg_pool(const call& node) {
    const shape& data = node.dimensions(0);
    const shape& output = node.output().dimensions;
    const std::size_t from_size = elements_between(data, 2, data.rank());
    const std::size_t to_size = elements_between(output, 2, output.rank());
    const operand<Number> x(node.input(0));
    outcome<Number> result(node.output());
    for (std::size_t channel = 0; channel < elements_between(data, 0, 2); ++channel) {
        const Number* from = x.data() + channel * from_size;
        for_each_bin(data, output, [&](std::size_t bin, auto for_each_place) {
            double sum = 0;
            double count = 0;
            for_each_place([&](std::size_t place) {
                sum += static_cast<double>(from[place]);
                ++count;
            });
            result[channel * to_size + bin] = static_cast<Number>(sum / count);
        });
    }
    return result.finish();
}

}  // namespace detail

/// AdaptiveMaxPool and AdaptiveAvgPool. A mean is summed in double, and rounded towards zero where it is whole; the first of equal greatest values wins.
[[gnu::cold]] inline bool evaluate_adaptive_pooling(const call& node, seq<tensor>& outputs) {
    detail::with_number(node.input(0).type(), [&](auto zero) {
        if (node.kind() == op::kind::adaptive_max_pool) {
            detail::adaptive_max_pool<decltype(zero)>(node, outputs);
        } else {
            outputs.push_back(detail::adaptive_avg_pool<decltype(zero)>(node));
        }
    });
    return true;
}

}  // namespace lpt::inline LPT_ABI::reference
