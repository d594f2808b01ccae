// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/reference/activation.hpp>

namespace lpt::inline LPT_ABI::reference {

namespace detail {

/// One input place that an output place is made of, and its share.
struct tap {
    std::int64_t place = 0;
    double weight = 0;
};
/// For each place along an output axis the input places that it is made of.
using resampling = seq<seq<tap>>;

/// Sizes and scale of one axis.
struct axis_resize {
    std::int64_t input = 0;
    std::int64_t output = 0;
    float scale = 1;
};

/// What Interpolate does, in the terms of version 4 (version 0 says the same in other words).
struct resize_rule {
    op::interpolate_mode mode = op::interpolate_mode::nearest;
    op::coordinate_transformation_mode coordinates = op::coordinate_transformation_mode::half_pixel;
    op::nearest_mode nearest = op::nearest_mode::round_prefer_floor;
    bool antialias = false;
    double cube_coeff = -0.75;
};

/// The place in the input that an output place shows by the rule; may be anything where the scale is tiny.
constexpr float free_place(const resize_rule& rule, const axis_resize& axis, std::int64_t place) {
    using enum op::coordinate_transformation_mode;
    const auto x = static_cast<float>(place);
    if (axis.scale == 1.0f || axis.input == axis.output) {
        return x;
    }
    switch (rule.coordinates) {
        case half_pixel: return (x + 0.5f) / axis.scale - 0.5f;
        case pytorch_half_pixel: return axis.output > 1 ? (x + 0.5f) / axis.scale - 0.5f : 0.0f;
        case asymmetric: return x / axis.scale;
        case tf_half_pixel_for_nn: return (x + 0.5f) / axis.scale;
        default:
            return axis.output == 1 ? 0.0f
                                    : x * static_cast<float>(axis.input - 1) / static_cast<float>(axis.output - 1);
    }
}

/// The place in the input that an output place shows; computed in float, as the places that `nearest` takes depend on it.
/// Beyond 2^48, where no input has places, it stops; where a scale is too small for a float, 0 / 0 is 0.
constexpr float source_place(const resize_rule& rule, const axis_resize& axis, std::int64_t place) {
    constexpr float limit = 281474976710656.0f;
    const float free = free_place(rule, axis, place);
    return math::is_nan(free) ? 0.0f : math::maximum(math::minimum(free, limit), -limit);
}

constexpr std::int64_t nearest_place(op::nearest_mode mode, float x, bool shrinks) {
    const float below = math::floor(x);
    switch (mode) {
        case op::nearest_mode::round_prefer_floor:
            return static_cast<std::int64_t>(x - below <= 0.5f ? below : below + 1);
        case op::nearest_mode::round_prefer_ceil:
            return static_cast<std::int64_t>(x - below < 0.5f ? below : below + 1);
        case op::nearest_mode::floor: return static_cast<std::int64_t>(below);
        case op::nearest_mode::ceil: return static_cast<std::int64_t>(math::ceil(x));
        default: return static_cast<std::int64_t>(shrinks ? math::ceil(x) : math::truncate(x));
    }
}

constexpr std::int64_t inside(std::int64_t place, std::int64_t size) {
    return math::minimum(math::maximum<std::int64_t>(place, 0), size - 1);
}

constexpr seq<tap> linear_onnx_taps(float x, std::int64_t size) {
    const float place = math::minimum(math::maximum(x, 0.0f), static_cast<float>(size - 1));
    const std::int64_t low = inside(static_cast<std::int64_t>(place), size);
    const double part = static_cast<double>(place - static_cast<float>(low));
    return {{low, 1 - part}, {inside(low + 1, size), part}};
}

constexpr seq<tap> linear_taps(float x, const axis_resize& axis, bool antialias) {
    const double slope = antialias ? static_cast<double>(axis.scale) : 1.0;
    const auto reach = static_cast<std::int64_t>(
        axis.scale > 1 ? 2.0 : math::minimum(math::ceil(2.0 / slope), static_cast<double>(most_elements)));
    const auto middle = static_cast<std::int64_t>(math::round_half_away(x));
    const std::int64_t first = math::maximum<std::int64_t>(0, middle - reach);
    const std::int64_t last = math::minimum(axis.input - 1, middle + reach);
    seq<tap> taps;
    double sum = 0;
    for (std::int64_t place = first; place <= last; ++place) {
        const double weight = 1 - math::absolute(slope * static_cast<double>(x - static_cast<float>(place)));
        if (weight > 0) {
            taps.push_back({place, weight});
            sum += weight;
        }
    }
    for (tap& each : taps) {
        each.weight /= sum;
    }
    return taps;
}

constexpr double cubic_weight(double distance, double a) {
    const double x = math::absolute(distance);
    if (x <= 1) {
        return ((a + 2) * x - (a + 3)) * x * x + 1;
    }
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

constexpr seq<tap> cubic_taps(float x, std::int64_t size, double a) {
    const float below = math::floor(x);
    const double part = static_cast<double>(x - below);
    seq<tap> taps;
    for (int i = -1; i <= 2; ++i) {
        taps.push_back({inside(static_cast<std::int64_t>(below) + i, size), cubic_weight(part - i, a)});
    }
    return taps;
}

/// The filters of the image library Pillow: the filter is widened when the image shrinks, and cut off at the border.
constexpr seq<tap> pillow_taps(std::int64_t place, const axis_resize& axis, bool cubic, double a) {
    const double step = static_cast<double>(axis.input) / static_cast<double>(axis.output);
    const double width = math::maximum(step, 1.0);
    const double reach = (cubic ? 2.0 : 1.0) * width;
    const double middle = (static_cast<double>(place) + 0.5) * step;
    const auto first = math::maximum<std::int64_t>(0, static_cast<std::int64_t>(math::truncate(middle - reach + 0.5)));
    const auto last = math::minimum(axis.input, static_cast<std::int64_t>(math::truncate(middle + reach + 0.5)));
    seq<tap> taps;
    double sum = 0;
    for (std::int64_t i = first; i < last; ++i) {
        const double distance = (static_cast<double>(i) - middle + 0.5) / width;
        const double weight = cubic ? cubic_weight(distance, a) : math::maximum(0.0, 1 - math::absolute(distance));
        taps.push_back({i, weight});
        sum += weight;
    }
    for (tap& each : taps) {
        each.weight /= sum;
    }
    return taps;
}

/// The mean of the input that an output place covers.
constexpr seq<tap> area_taps(std::int64_t place, const axis_resize& axis) {
    const double step = static_cast<double>(axis.input) / static_cast<double>(axis.output);
    const double begin = static_cast<double>(place) * step;
    const double end = begin + step;
    seq<tap> taps;
    for (auto i = static_cast<std::int64_t>(begin); i < axis.input && static_cast<double>(i) < end; ++i) {
        const double covered =
            math::minimum(end, static_cast<double>(i + 1)) - math::maximum(begin, static_cast<double>(i));
        taps.push_back({i, covered / step});
    }
    return taps;
}

constexpr seq<tap> taps_of(const resize_rule& rule, const axis_resize& axis, std::int64_t place) {
    const float x = source_place(rule, axis, place);
    switch (rule.mode) {
        case op::interpolate_mode::nearest:
            return {{inside(nearest_place(rule.nearest, x, axis.scale < 1), axis.input), 1.0}};
        case op::interpolate_mode::linear: return linear_taps(x, axis, rule.antialias);
        case op::interpolate_mode::linear_onnx: return linear_onnx_taps(x, axis.input);
        case op::interpolate_mode::cubic: return cubic_taps(x, axis.input, rule.cube_coeff);
        case op::interpolate_mode::bilinear_pillow: return pillow_taps(place, axis, false, rule.cube_coeff);
        case op::interpolate_mode::bicubic_pillow: return pillow_taps(place, axis, true, rule.cube_coeff);
        default: return area_taps(place, axis);
    }
}

constexpr resize_rule rule_of(const op::interpolate& self, int version) {
    if (version >= 4) {
        return {self.mode, self.coordinate_transformation_mode, self.nearest_mode, self.antialias, self.cube_coeff};
    }
    const auto mode = self.mode == op::interpolate_mode::linear ? op::interpolate_mode::linear_onnx : self.mode;
    const auto coordinates = self.align_corners ? op::coordinate_transformation_mode::align_corners
                                                : op::coordinate_transformation_mode::asymmetric;
    return {mode, coordinates, op::nearest_mode::simple, self.antialias, -0.75};
}

/// The input that says which axes are resampled; version 0 has an attribute.
constexpr std::size_t axes_port(int version) { return version >= 11 ? 2 : 3; }

/// The axes that are resampled, in the order of sizes and scales. `named`: the values of `axes_port`, null where there is no such input: then it
/// is all axes, as for a version 0 without axes.
constexpr integers resized_axes(const op::interpolate& self, int version, const tensor* named, std::size_t rank) {
    if (version != 0 && named != nullptr) {
        return integers_of(*named);
    }
    if (version == 0 && !self.axes.empty()) {
        return self.axes;
    }
    integers all;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        all.push_back(static_cast<std::int64_t>(axis));
    }
    return all;
}

constexpr tensor with_margin(const call& node, const op::interpolate& self) {
    integers begin = self.pads_begin;
    integers end = self.pads_end;
    shape dimensions = node.dimensions(0);
    begin.resize(dimensions.rank(), 0);
    end.resize(dimensions.rank(), 0);
    for (std::size_t axis = 0; axis < dimensions.rank(); ++axis) {
        dimensions[axis] += begin[axis] + end[axis];
    }
    if (dimensions == node.dimensions(0)) {
        return node.input(0);
    }
    constexpr std::size_t most = std::size_t{1} << 29;  // elements that have room in double beside a large output
    if (!dimensions.is_possible() || dimensions.elements() > most) {
        fail({"Interpolate pads its input to the shape ", dimensions, ", more than ", most,
              " elements, which is too large to be evaluated"});
    }
    return evaluation::detail::padded(node.input(0), begin, dimensions, op::pad_mode::constant, nullptr);
}

/// Resamples one axis of `from`, whose other axes are `outer` before and `inner` after it.
constexpr seq<double> resample_axis(const seq<double>& from, const resampling& taps, std::size_t outer,
                                    std::size_t inner, std::size_t input) {
    seq<double> to(outer * taps.size() * inner, 0.0);
    double* row = to.data();
    for (std::size_t i = 0; i < outer; ++i) {
        for (const seq<tap>& place : taps) {
            for (const tap& each : place) {
                const double* source = from.data() + (i * input + static_cast<std::size_t>(each.place)) * inner;
                for (std::size_t k = 0; k < inner; ++k) {
                    row[k] += each.weight * source[k];
                }
            }
            row += inner;
        }
    }
    return to;
}

constexpr tensor interpolate_nearest(const tensor& data, const shape& dimensions, const seq<resampling>& taps) {
    const integers strides = evaluation::strides_of(data.dimensions());
    seq<evaluation::axis_source> sources = evaluation::detail::identity_sources(data.dimensions());
    for (std::size_t axis = 0; axis < taps.size(); ++axis) {
        if (taps[axis].empty()) {
            continue;
        }
        sources[axis].clear();
        for (const seq<tap>& place : taps[axis]) {
            sources[axis].push_back(place[0].place * strides[axis]);
        }
    }
    return evaluation::rearrange(data, dimensions, sources);
}

/// How each axis is resampled; nothing for axes that are not. `data`: the input with its margin; `scales`: the input that says them, null where
/// sizes do.
constexpr seq<resampling> resamplings_of(const resize_rule& rule, const shape& data, const shape& output,
                                         const integers& axes, const tensor* scales) {
    seq<resampling> taps(output.rank(), resampling{});
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::size_t axis = evaluation::detail::axis_of(axes[i], output.rank());
        axis_resize resize{data[axis], output[axis], 1};
        resize.scale = scales != nullptr ? static_cast<float>(scales->real(i))
                                         : static_cast<float>(resize.output) / static_cast<float>(resize.input);
        for (std::int64_t place = 0; place < resize.output; ++place) {
            taps[axis].push_back(taps_of(rule, resize, place));
        }
    }
    return taps;
}
constexpr bool is_resized_by_scales(const op::interpolate& self, int version) {
    return version >= 4 && self.shape_calculation_mode == op::shape_calculation_mode::scales;
}
/// The input that says scales, or sizes for them.
constexpr std::size_t scale_port(int version) { return version >= 11 ? 1 : 2; }

/// True if the sums of an axis are computed.
constexpr bool is_resampled(const resize_rule& rule, const resampling& taps, std::int64_t input, std::int64_t output) {
    return !taps.empty() && (input != output || rule.mode != op::interpolate_mode::linear_onnx);
}

constexpr tensor interpolate(const call& node) {
    const auto& self = node.as<op::interpolate>();
    const shape& dimensions = node.output().dimensions;
    const resize_rule rule = rule_of(self, node.version);
    const tensor data = with_margin(node, self);
    const tensor* scales = is_resized_by_scales(self, node.version) ? &node.input(scale_port(node.version)) : nullptr;
    const std::size_t port = axes_port(node.version);
    const integers axes =
        resized_axes(self, node.version, node.has(port) ? &node.input(port) : nullptr, data.dimensions().rank());
    const seq<resampling> taps = resamplings_of(rule, data.dimensions(), dimensions, axes, scales);
    for (std::size_t axis = 0; axis < dimensions.rank(); ++axis) {
        // Version 0 pads without telling the output's shape.
        if (taps[axis].empty() && data.dimensions()[axis] != dimensions[axis]) {
            fail({"Interpolate pads axis ", axis, ", which it does not resize, from ", dimensions[axis], " to ",
                  data.dimensions()[axis], " elements, but its output has ", dimensions[axis]});
        }
    }
    if (rule.mode == op::interpolate_mode::nearest || dimensions.elements() == 0) {
        return interpolate_nearest(data, dimensions, taps);
    }
    seq<double> values = reals_of(data);
    shape now = data.dimensions();
    for (std::size_t axis = 0; axis < dimensions.rank(); ++axis) {
        if (is_resampled(rule, taps[axis], now[axis], dimensions[axis])) {
            values = resample_axis(values, taps[axis], elements_between(now, 0, axis),
                                   elements_between(now, axis + 1, now.rank()), static_cast<std::size_t>(now[axis]));
            now[axis] = dimensions[axis];
        }
    }
    evaluation::raw_output to(node.output().type, dimensions);
    if (is_integral(node.output().type)) {
        for (double& value : values) {
            value = math::round_half_even(value);
        }
    }
    evaluation::store_values(values.data(), values.size(), to.type(), to.data());
    return to.finish();
}

}  // namespace detail

/// Interpolate in all modes. Each axis is resampled in turn: every mode is a product of weights along the axes.
///
/// Coordinates are computed in float, weights and sums in double; of integers the result is rounded, halves to even. Version 0: `linear` is
/// `linear_onnx`, `nearest` takes `simple`, coordinates are `align_corners` or `asymmetric`, `area` is the mean of what an output place covers.
[[gnu::cold]] inline bool evaluate_interpolate(const call& node, seq<tensor>& outputs) {
    outputs.push_back(detail::interpolate(node));
    return true;
}

}  // namespace lpt::inline LPT_ABI::reference
