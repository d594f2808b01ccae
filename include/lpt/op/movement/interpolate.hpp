// SPDX-License-Identifier: Apache-2.0
// The input resampled.
#pragma once

#include <lpt/op/movement/port_values.hpp>

namespace lpt::inline LPT_ABI::op {

/// The interpolation formula.
enum class interpolate_mode { nearest, linear, linear_onnx, cubic, area, bilinear_pillow, bicubic_pillow };
inline constexpr text_view interpolate_mode_words[] = {"nearest", "linear",          "linear_onnx",   "cubic",
                                                       "area",    "bilinear_pillow", "bicubic_pillow"};
constexpr view<text_view> words_of(interpolate_mode) { return interpolate_mode_words; }

/// Which input the output size follows from.
enum class shape_calculation_mode { sizes, scales };
inline constexpr text_view shape_calculation_mode_words[] = {"sizes", "scales"};
constexpr view<text_view> words_of(shape_calculation_mode) { return shape_calculation_mode_words; }

/// How places in the output map to places in the input.
enum class coordinate_transformation_mode {
    half_pixel,
    pytorch_half_pixel,
    asymmetric,
    tf_half_pixel_for_nn,
    align_corners
};
inline constexpr text_view coordinate_transformation_mode_words[] = {"half_pixel", "pytorch_half_pixel", "asymmetric",
                                                                     "tf_half_pixel_for_nn", "align_corners"};
constexpr view<text_view> words_of(coordinate_transformation_mode) { return coordinate_transformation_mode_words; }

/// Which neighbour `nearest` takes.
enum class nearest_mode { round_prefer_floor, round_prefer_ceil, floor, ceil, simple };
inline constexpr text_view nearest_mode_words[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil",
                                                   "simple"};
constexpr view<text_view> words_of(nearest_mode) { return nearest_mode_words; }

/// The input resampled along some axes to another size.
///
/// Inputs, version 0: x, output sizes of `axes`; version 4: x, sizes, scales, optional axes; version 11: x, sizes or
/// scales, optional axes. All axes when none are given. The input is padded by `pads_begin`, `pads_end` (0 when
/// short) first; with `scales` the size is floor(padded size * scale). `cube_coeff` belongs to mode cubic. Source:
/// OpenVINO operation set, Interpolate-1, -4, -11.
struct interpolate {
    static constexpr auto number = kind::interpolate;
    static constexpr text_view name = "Interpolate";
    static constexpr versions opsets{0, 4, 11};
    static constexpr ports inputs{2, 4};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits =
        trait::precision_preserved | trait::relaxable | trait::reads_values | trait::quantizable;

    bool align_corners = true;
    integers axes{};
    op::interpolate_mode mode = op::interpolate_mode::nearest;
    op::shape_calculation_mode shape_calculation_mode = op::shape_calculation_mode::sizes;
    op::coordinate_transformation_mode coordinate_transformation_mode = op::coordinate_transformation_mode::half_pixel;
    op::nearest_mode nearest_mode = op::nearest_mode::round_prefer_floor;
    bool antialias = false;
    integers pads_begin{};
    integers pads_end{};
    double cube_coeff = -0.75;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("align_corners", self.align_corners, in_versions{0, 3});
        visit("axes", self.axes, in_versions{0, 3});
        visit("mode", self.mode);
        visit("shape_calculation_mode", self.shape_calculation_mode, in_versions{4});
        visit("coordinate_transformation_mode", self.coordinate_transformation_mode, in_versions{4});
        visit("nearest_mode", self.nearest_mode, in_versions{4});
        visit("antialias", self.antialias);
        visit("pads_begin", self.pads_begin);
        visit("pads_end", self.pads_end);
        visit("cube_coeff", self.cube_coeff, in_versions{4});
    }
    static constexpr void infer(const interpolate& self, inference& facts);
    friend constexpr bool operator==(const interpolate&, const interpolate&) = default;
};

namespace detail {

/// The axes that Interpolate resizes, at `port` or all; false if they are not known.
constexpr bool resized_axes(const inference& facts, std::size_t port, std::size_t rank, integers& axes) {
    if (port < facts.inputs()) {
        if (!known_axes(facts, port, rank, axes)) {
            return false;
        }
        if (has_duplicates(axes)) {
            facts.wrong({"an axis is named twice"});
        }
        return true;
    }
    for (std::size_t axis = 0; axis < rank; ++axis) {
        axes.push_back(static_cast<std::int64_t>(axis));
    }
    return true;
}

constexpr void check_resize_count(const inference& facts, std::size_t port, std::size_t count, std::size_t axes) {
    // Version 0 takes the first sizes of a longer list.
    if (facts.version() < 4 ? count < axes : count != axes) {
        facts.wrong({"input ", port, " has ", count, " values for ", axes, " axes"});
    }
}

/// Gives `axes` of `result` the sizes that arrive at `port`.
constexpr void resize_to(const inference& facts, std::size_t port, const integers& axes, shape& result) {
    integers sizes;
    const bool counted = counted_values(facts, port, sizes);
    if (counted) {
        check_resize_count(facts, port, sizes.size(), axes.size());
    }
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::int64_t size = counted ? sizes[i] : unknown_value;
        if (size != unknown_value && size < 1) {
            facts.wrong({"asks for a size of ", size});
        }
        result[static_cast<std::size_t>(axes[i])] = known_or_dynamic(size);
    }
}

/// Raises an error where an axis that gets a size has no elements to take it from.
constexpr void check_resizable(const inference& facts, const shape& padded, const integers& axes) {
    for (const std::int64_t axis : axes) {
        if (padded[static_cast<std::size_t>(axis)] == 0) {
            facts.wrong({"axis ", axis, " has no elements to resize"});
        }
    }
}

/// Multiplies `axes` of `result` by the scales that arrive at `port`, rounded down.
constexpr void resize_by(const inference& facts, std::size_t port, const integers& axes, shape& result) {
    const tensor* scales = facts.constant(port);
    if (scales != nullptr) {
        check_resize_count(facts, port, scales->elements(), axes.size());
    }
    for (std::size_t i = 0; i < axes.size(); ++i) {
        dimension& size = result[static_cast<std::size_t>(axes[i])];
        if (scales == nullptr) {
            size = dynamic_dimension;
            continue;
        }
        const double scale = scales->real(i);
        if (!(scale > 0)) {
            facts.wrong({"a scale must be positive, not ", scale});
        }
        // A scale is often a rounded quotient of two sizes; the small addend lets it reach the size that was meant.
        if (size != dynamic_dimension) {
            const double resized = math::floor(static_cast<double>(size) * (scale + 1e-6));
            if (!(resized <= static_cast<double>(most_elements))) {
                facts.wrong({"an axis of size ", size, " cannot be scaled by ", scale});
            }
            size = static_cast<dimension>(resized);
        }
    }
}

/// `data` with the padding of Interpolate; lists shorter than the rank go on with 0.
constexpr shape padded_for_resize(const inference& facts, const shape& data, const integers& begin,
                                  const integers& end) {
    if (begin.size() > data.rank() || end.size() > data.rank()) {
        facts.wrong(
            {"pads_begin and pads_end have ", begin.size(), " and ", end.size(), " values for ", data.rank(), " axes"});
    }
    shape result = data;
    for (std::size_t axis = 0; axis < data.rank(); ++axis) {
        result[axis] = with_margins(facts, data[axis], axis < begin.size() ? begin[axis] : 0,
                                    axis < end.size() ? end[axis] : 0, 1);
    }
    return result;
}

/// Version 0: the axes are an attribute, the padding does not change the shape.
constexpr shape infer_first_interpolate(const inference& facts, const interpolate& self) {
    shape result = facts.dimensions(0);
    if (result.rank_is_dynamic()) {
        return result;
    }
    if (self.axes.empty()) {
        facts.wrong({"has no axes"});
    }
    integers axes;
    for (const std::int64_t axis : self.axes) {
        axes.push_back(static_cast<std::int64_t>(checked_axis(facts, axis, result.rank())));
    }
    if (has_duplicates(axes)) {
        facts.wrong({"an axis is named twice"});
    }
    check_resizable(facts, padded_for_resize(facts, result, self.pads_begin, self.pads_end), axes);
    resize_to(facts, 1, axes, result);
    return result;
}

constexpr shape infer_interpolate(const inference& facts, const interpolate& self) {
    const bool has_one_target = facts.version() >= 11;
    const std::size_t axes_port = has_one_target ? 2 : 3;
    if (facts.inputs() < axes_port || facts.inputs() > axes_port + 1) {
        facts.wrong({"has ", facts.inputs(), " inputs, not ", axes_port, " or ", axes_port + 1});
    }
    const shape& data = facts.dimensions(0);
    if (data.rank_is_dynamic()) {
        return data;
    }
    integers axes;
    if (!resized_axes(facts, axes_port, data.rank(), axes)) {
        return same_rank(data);
    }
    shape result = padded_for_resize(facts, data, self.pads_begin, self.pads_end);
    if (self.shape_calculation_mode == shape_calculation_mode::sizes) {
        check_resizable(facts, result, axes);
        resize_to(facts, 1, axes, result);
    } else {
        resize_by(facts, has_one_target ? 1 : 2, axes, result);
    }
    return result;
}

}  // namespace detail

constexpr void interpolate::infer(const interpolate& self, inference& facts) {
    facts.output(facts.type(0), facts.version() < 4 ? detail::infer_first_interpolate(facts, self)
                                                    : detail::infer_interpolate(facts, self));
}

}  // namespace lpt::inline LPT_ABI::op
