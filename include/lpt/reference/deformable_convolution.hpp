// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/reference/activation.hpp>

namespace lpt::inline LPT_ABI::reference {

namespace detail {

/// The number between the elements of an image, at a place that may lie outside.
template <class Real>
constexpr Real sampled(const Real* image, const std::int64_t (&sizes)[2], Real row, Real column, bool fades_out) {
    const auto height = static_cast<Real>(sizes[0]);
    const auto width = static_cast<Real>(sizes[1]);
    const bool inside = fades_out ? row > -1 && row < height && column > -1 && column < width
                                  : row >= 0 && row < height && column >= 0 && column < width;
    if (!inside) {  // NaN, too
        return 0;
    }
    const auto top = static_cast<std::int64_t>(math::floor(row));
    const auto left = static_cast<std::int64_t>(math::floor(column));
    const Real down = row - static_cast<Real>(top);
    const Real right = column - static_cast<Real>(left);
    const auto element = [&](std::int64_t y, std::int64_t x) -> Real {
        if (!fades_out) {
            y = math::minimum(y, sizes[0] - 1);
            x = math::minimum(x, sizes[1] - 1);
        }
        return y < 0 || x < 0 || y >= sizes[0] || x >= sizes[1] ? Real(0) : image[y * sizes[1] + x];
    };
    return (1 - down) * ((1 - right) * element(top, left) + right * element(top, left + 1)) +
           down * ((1 - right) * element(top + 1, left) + right * element(top + 1, left + 1));
}

template <class Real>
constexpr tensor deformable_convolution(const call& node) {
    const auto& self = node.as<op::deformable_convolution>();
    const op::detail::window_attributes window{self.strides, self.dilations, self.pads_begin, self.pads_end,
                                               self.auto_pad};
    const shape& data = node.dimensions(0);
    const shape& filters = node.dimensions(2);
    const shape& all = node.output().dimensions;
    const std::int64_t sizes[2] = {data[2], data[3]};
    op::window_axis along[2];
    for (std::size_t axis = 0; axis < 2; ++axis) {
        along[axis] = op::padded_window(window.axis(axis, filters[axis + 2]), self.auto_pad, data[axis + 2]);
    }
    const operand<Real> x(node.input(0));
    const operand<Real> offsets(node.input(1));
    const operand<Real> weights(node.input(2));
    const operand<Real> mask(node.input(node.has(3) ? 3 : 0));
    outcome<Real> result(node.output());
    const auto channels = static_cast<std::size_t>(data[1]);
    const auto outputs = static_cast<std::size_t>(all[1]);
    const std::size_t kernel = elements_between(filters, 2, 4);
    const std::size_t plane = elements_between(all, 2, 4);
    const std::size_t columns = elements_between(filters, 1, 4);
    const std::size_t outputs_in_group = outputs / static_cast<std::size_t>(self.group);
    const auto deformable = static_cast<std::size_t>(self.deformable_group);
    const bool fades_out = node.version >= 8 && self.bilinear_interpolation_pad;
    seq<Real> seen(channels * kernel, Real(0));
    for (std::size_t place = 0; place < static_cast<std::size_t>(all[0]) * plane; ++place) {
        const std::size_t image = place / plane;
        const std::size_t pixel = place % plane;
        const auto row = static_cast<std::int64_t>(pixel) / all[3] * along[0].stride - along[0].pad_begin;
        const auto column = static_cast<std::int64_t>(pixel) % all[3] * along[1].stride - along[1].pad_begin;
        for (std::size_t i = 0; i < seen.size(); ++i) {
            const std::size_t channel = i / kernel;
            const std::size_t k = i % kernel;
            const std::size_t moved = (image * deformable + channel / (channels / deformable)) * kernel + k;
            const std::int64_t y = row + static_cast<std::int64_t>(k) / filters[3] * along[0].dilation;
            const std::int64_t z = column + static_cast<std::int64_t>(k) % filters[3] * along[1].dilation;
            const Real value =
                sampled<Real>(x.data() + (image * channels + channel) * elements_between(data, 2, 4), sizes,
                              static_cast<Real>(y) + offsets[2 * moved * plane + pixel],
                              static_cast<Real>(z) + offsets[(2 * moved + 1) * plane + pixel], fades_out);
            seen[i] = node.has(3) ? value * mask[moved * plane + pixel] : value;
        }
        for (std::size_t output = 0; output < outputs; ++output) {
            const Real* from = seen.data() + output / outputs_in_group * columns;
            Real sum = 0;
            for (std::size_t i = 0; i < columns; ++i) {
                sum += weights[output * columns + i] * from[i];
            }
            result[(image * outputs + output) * plane + pixel] = sum;
        }
    }
    return result.finish();
}

}  // namespace detail

/// DeformableConvolution: sums of products in the number type of the data, in the order of channels and kernel elements.
[[gnu::cold]] inline bool evaluate_deformable_convolution(const call& node, seq<tensor>& outputs) {
    outputs.push_back(detail::with_real(
        node.output().type, [&](auto zero) { return detail::deformable_convolution<decltype(zero)>(node); }));
    return true;
}

}  // namespace lpt::inline LPT_ABI::reference
