// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/reference/activation.hpp>

#include <vector>

namespace lpt::inline LPT_ABI::reference {

namespace detail {

/// The elements along one axis that a sample is made of, and their weights; -1 for an element that counts as 0.
template <class Real>
struct grid_taps {
    std::int64_t places[4] = {};
    Real weights[4] = {};
    std::size_t count = 0;
};

/// What stands for an element outside of an axis.
constexpr std::int64_t padded_place(std::int64_t place, std::int64_t size, const op::grid_sample& self) {
    if (place >= 0 && place < size) {
        return place;
    }
    if (self.padding_mode == op::grid_sample_padding::zeros) {
        return -1;
    }
    if (self.padding_mode == op::grid_sample_padding::border) {
        return place < 0 ? 0 : size - 1;
    }
    // Mirrored at the outermost elements, or at their outer edges.
    const std::int64_t period = self.align_corners ? math::maximum<std::int64_t>(2 * (size - 1), 1) : 2 * size;
    const std::int64_t turn = (place % period + period) % period;
    return turn < size ? turn : period - turn - (self.align_corners ? 0 : 1);
}

template <class Real>
constexpr grid_taps<Real> taps_at(Real given, std::int64_t size, const op::grid_sample& self) {
    constexpr Real farthest = Real(1 << 30);  // beyond it, every element is outside
    const Real length = static_cast<Real>(size);
    Real place = self.align_corners ? (given + 1) / 2 * (length - 1) : ((given + 1) * length - 1) / 2;
    place = math::is_nan(place) ? -farthest : math::minimum(math::maximum(place, -farthest), farthest);
    grid_taps<Real> result;
    const auto add = [&](std::int64_t at, Real weight) {
        result.places[result.count] = padded_place(at, size, self);
        result.weights[result.count++] = weight;
    };
    if (self.mode == op::grid_sample_mode::nearest) {
        add(static_cast<std::int64_t>(math::round_half_even(place)), 1);
        return result;
    }
    const auto below = static_cast<std::int64_t>(math::floor(place));
    const Real rest = place - static_cast<Real>(below);
    if (self.mode == op::grid_sample_mode::bilinear) {
        add(below, 1 - rest);
        add(below + 1, rest);
        return result;
    }
    constexpr Real a = Real(-0.75);
    const auto near = [](Real t) { return ((a + 2) * t - (a + 3)) * t * t + 1; };
    const auto far = [](Real t) { return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a; };
    add(below - 1, far(1 + rest));
    add(below, near(rest));
    add(below + 1, near(1 - rest));
    add(below + 2, far(2 - rest));
    return result;
}

/// The elements of a plane that some samples are made of: those of sample i stand from `begin[i]` to before `begin[i + 1]`.
template <class Real>
struct plane_taps {
    std::vector<std::size_t> begin{0};
    std::vector<std::size_t> places;
    std::vector<Real> weights;

    void add(const grid_taps<Real>& down, const grid_taps<Real>& across, std::int64_t columns) {
        for (std::size_t row = 0; row < down.count; ++row) {
            for (std::size_t column = 0; column < across.count; ++column) {
                if (down.places[row] >= 0 && across.places[column] >= 0) {
                    places.push_back(static_cast<std::size_t>(down.places[row] * columns + across.places[column]));
                    weights.push_back(down.weights[row] * across.weights[column]);
                }
            }
        }
        begin.push_back(places.size());
    }
    void write(const Real* from, Real* to) const {
        for (std::size_t i = 0; i + 1 < begin.size(); ++i) {
            Real sum = 0;
            for (std::size_t tap = begin[i]; tap < begin[i + 1]; ++tap) {
                sum += weights[tap] * from[places[tap]];
            }
            to[i] = sum;
        }
    }
};

template <class Real>
tensor grid_sample(const call& node) {
    constexpr std::size_t block = 1024;  // samples whose taps are kept for all channels
    const auto& self = node.as<op::grid_sample>();
    const shape& data = node.dimensions(0);
    const shape& grid = node.dimensions(1);
    const operand<Real> x(node.input(0));
    const operand<Real> given(node.input(1));
    outcome<Real> result(node.output());
    const auto channels = static_cast<std::size_t>(data[1]);
    const std::size_t plane = elements_between(data, 2, 4);
    const std::size_t samples = elements_between(grid, 1, 3);
    for (std::size_t image = 0; image < static_cast<std::size_t>(data[0]); ++image) {
        for (std::size_t first = 0; first < samples; first += block) {
            plane_taps<Real> taps;
            for (std::size_t i = first; i < math::minimum(first + block, samples); ++i) {
                const Real* const place = given.data() + 2 * (image * samples + i);
                taps.add(taps_at(place[1], data[2], self), taps_at(place[0], data[3], self), data[3]);
            }
            for (std::size_t channel = image * channels; channel < (image + 1) * channels; ++channel) {
                taps.write(x.data() + channel * plane, result.data() + channel * samples + first);
            }
        }
    }
    return result.finish();
}

}  // namespace detail

/// GridSample, in the number type of the data. A place that is not a number lies before the image.
[[gnu::cold]] inline bool evaluate_grid_sample(const call& node, seq<tensor>& outputs) {
    outputs.push_back(
        detail::with_real(node.output().type, [&](auto zero) { return detail::grid_sample<decltype(zero)>(node); }));
    return true;
}

}  // namespace lpt::inline LPT_ABI::reference
