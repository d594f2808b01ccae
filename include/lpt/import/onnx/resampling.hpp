// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/pooling.hpp>

/// Resampling: Resize in all its forms, and at places that another tensor gives.
namespace lpt::inline LPT_ABI::onnx {

/// What Resize does along one axis.
struct resampled_axis {
    std::int64_t axis = 0;
    std::int64_t size = 0;      // of the input
    std::int64_t wanted = 0;    // of the output
    double scale = 1;
    double begin = 0;           // of the region that tf_crop_and_resize takes, as parts of the axis
    double end = 1;
};

/// The place in the input of place `i` of the output.
inline double place_in_input(std::string_view mode, const resampled_axis& one, double i) {
    const auto size = static_cast<double>(one.size);
    const double length = size * one.scale;
    if (mode == "asymmetric") {
        return i / one.scale;
    }
    if (mode == "align_corners") {
        return length <= 1 ? 0 : i * (size - 1) / (length - 1);
    }
    if (mode == "tf_crop_and_resize") {
        const auto wanted = static_cast<double>(one.wanted);
        return wanted > 1 ? one.begin * (size - 1) + i * (one.end - one.begin) * (size - 1) / (wanted - 1)
                          : 0.5 * (one.begin + one.end) * (size - 1);
    }
    if (mode == "pytorch_half_pixel" && length <= 1) {
        return 0;
    }
    const double place = (i + 0.5) / one.scale - 0.5;
    if (mode == "half_pixel_symmetric") {
        return size / 2 * (1 - static_cast<double>(one.wanted) / length) + place;
    }
    return place;
}

inline double cubic_weight(double distance, double a) {
    const double t = math::absolute(distance);
    if (t <= 1) {
        return ((a + 2) * t - (a + 3)) * t * t + 1;
    }
    return t < 2 ? ((a * t - 5 * a) * t + 8 * a) * t - 4 * a : 0;
}

/// The weights of input elements for one place: taps beside it, spread out where an axis shrinks and `antialias` is set.
inline void add_weights(operation& n, const resampled_axis& one, double place, double* row) {
    const bool cubic = n.words("mode", "nearest") == "cubic";
    const double shrink = n.flag("antialias") ? math::minimum(one.scale, 1.0) : 1.0;
    const double reach = (cubic ? 2 : 1) / shrink;
    const double a = n.real("cubic_coeff_a", -0.75);
    const double below = math::floor(place);
    const auto first = static_cast<std::int64_t>(math::floor(-reach)) + 1;
    const std::int64_t last = 1 - first;
    double sum = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (std::int64_t tap = first; tap <= last; ++tap) {
            const double distance = (static_cast<double>(tap) - (place - below)) * shrink;
            double weight = cubic ? cubic_weight(distance, a) : math::maximum(0.0, 1 - math::absolute(distance));
            const std::int64_t at = static_cast<std::int64_t>(below) + tap;
            if (n.flag("exclude_outside") && (at < 0 || at >= one.size)) {
                weight = 0;
            }
            if (pass == 0) {
                sum += weight;
            } else if (sum != 0) {
                row[math::maximum<std::int64_t>(0, math::minimum(at, one.size - 1))] += weight / sum;
            }
        }
    }
}

inline double nearest_place(operation& n, double place) {
    const std::string_view mode = n.words("nearest_mode", "round_prefer_floor");
    if (mode == "round_prefer_floor") {
        return math::ceil(place - 0.5);
    }
    if (mode == "round_prefer_ceil") {
        return math::floor(place + 0.5);
    }
    return mode == "floor" ? math::floor(place) : math::ceil(place);
}

/// Resamples one axis as a gather or a product with a matrix, and takes a number instead for what lies outside.
inline output_ref resampled(operation& n, output_ref x, const resampled_axis& one) {
    constexpr std::int64_t most = 1 << 24;
    if (one.wanted < 1 || one.size < 1 || one.wanted > most / one.size) {
        n.wrong({"cannot resize ", one.size, " elements to ", one.wanted, " in this mode"});
    }
    const std::string_view mode = n.words("coordinate_transformation_mode", "half_pixel");
    const bool nearest = n.words("mode", "nearest") == "nearest";
    lpt::integers places;
    seq<double> weights;
    seq<double> inside;
    weights.resize(nearest ? 0 : static_cast<std::size_t>(one.wanted * one.size), 0.0);
    bool all_inside = true;
    for (std::int64_t i = 0; i < one.wanted; ++i) {
        const double place = place_in_input(mode, one, static_cast<double>(i));
        const bool is_inside =
            mode != "tf_crop_and_resize" || (place >= 0 && place <= static_cast<double>(one.size - 1));
        all_inside = all_inside && is_inside;
        inside.push_back(is_inside ? 1 : 0);
        if (nearest) {
            const auto at = static_cast<std::int64_t>(nearest_place(n, place));
            places.push_back(math::maximum<std::int64_t>(0, math::minimum(at, one.size - 1)));
        } else {
            add_weights(n, one, place, weights.data() + i * one.size);
        }
    }
    output_ref result;
    if (nearest) {
        result = n.gather(x, n.indices(places), one.axis);
    } else {
        lpt::integers order;
        for (std::size_t axis = 0; axis < n.rank(x); ++axis) {
            order.push_back(static_cast<std::int64_t>(axis));
        }
        std::swap(order[static_cast<std::size_t>(one.axis)], order[order.size() - 1]);
        op::mat_mul product;
        product.transpose_b = true;
        const element type = n.type(x);
        const element computing = is_real(type) ? type : f32;
        const output_ref matrix =
            n.builder().constant(make_tensor(computing, lpt::shape{one.wanted, one.size}, weights));
        result = n.transpose(n.make(product, {n.transpose(n.convert(x, computing), order), matrix}), order);
        result = n.convert(result, type);
    }
    if (!all_inside) {
        lpt::shape dimensions = lpt::shape::of_ones(n.rank(x));
        dimensions[static_cast<std::size_t>(one.axis)] = one.wanted;
        const output_ref condition = n.builder().constant(make_tensor(boolean, dimensions, inside));
        result = n.make(op::select{}, {condition, result, n.like(result, n.real("extrapolation_value", 0))});
    }
    return result;
}

/// The axes that Resize changes, and how.
inline std::vector<resampled_axis> resampled_axes(operation& n, const lpt::integers& axes) {
    const bool by_sizes = n.has(3);
    const tensor& target = n.known_input(by_sizes ? 3 : 2);
    const lpt::shape& sizes = n.static_shape(n.in(0));
    const std::string_view policy = n.words("keep_aspect_ratio_policy", "stretch");
    const bool crops = n.words("coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize";
    std::vector<resampled_axis> result;
    if (target.elements() != axes.size() || (crops && n.known_input(1).elements() != 2 * axes.size())) {
        n.wrong({"has ", target.elements(), " sizes or scales for ", axes.size(), " axes"});
    }
    double common = policy == "not_larger" ? math::infinity : 0;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        resampled_axis one;
        one.axis = axes[i];
        one.size = sizes[static_cast<std::size_t>(axes[i])];
        const auto size = static_cast<double>(one.size);
        one.scale = by_sizes ? target.real(i) / size : target.real(i);
        if (!(one.scale > 0) || one.scale > 1e9) {
            n.wrong({"cannot be scaled by ", one.scale});
        }
        one.wanted = by_sizes ? target.integer(i) : static_cast<std::int64_t>(math::floor(size * one.scale));
        if (crops) {
            one.begin = n.known_input(1).real(i);
            one.end = n.known_input(1).real(i + axes.size());
        }
        common = policy == "not_larger" ? math::minimum(common, one.scale) : math::maximum(common, one.scale);
        result.push_back(one);
    }
    for (resampled_axis& one : result) {
        if (by_sizes && policy != "stretch") {
            one.scale = common;
            one.wanted = static_cast<std::int64_t>(math::floor(common * static_cast<double>(one.size) + 0.5));
        }
    }
    return result;
}

/// True for forms that Interpolate does not have, or has with other places.
inline bool needs_matrices(operation& n) {
    if (n.version() < 11) {
        return false;
    }
    const std::string_view mode = n.words("coordinate_transformation_mode", "half_pixel");
    const bool other_places =
        mode == "half_pixel_symmetric" || mode == "tf_crop_and_resize" || (mode == "align_corners" && !n.has(3));
    return other_places || n.flag("antialias") || n.flag("exclude_outside") ||
           n.words("keep_aspect_ratio_policy", "stretch") != "stretch";
}

/// The axes that sizes, scales and region are given for.
inline lpt::integers resized_axes(operation& n) {
    lpt::integers axes = n.list("axes");
    const std::size_t rank = n.rank(n.in(0));
    for (std::size_t axis = 0; !n.has_attribute("axes") && axis < rank; ++axis) {
        axes.push_back(static_cast<std::int64_t>(axis));
    }
    for (std::int64_t& axis : axes) {
        axis = n.axis_of(axis, rank);
    }
    return axes;
}

inline void read_resize_of_known_sizes(operation& n) {
    if (!needs_matrices(n)) {
        return read_resize(n);
    }
    output_ref result = n.in(0);
    const bool crops = n.words("coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize";
    for (const resampled_axis& one : resampled_axes(n, resized_axes(n))) {
        if (one.wanted != one.size || one.scale != 1 || (crops && (one.begin != 0 || one.end != 1))) {
            result = resampled(n, result, one);
        }
    }
    n.out(result);
}

/// A place brought back by reflections at both ends of [least, most].
inline output_ref reflected(operation& n, output_ref place, double least, double most) {
    const double width = most - least;
    if (width <= 0) {
        return n.make(op::multiply{}, {place, n.like(place, 0)});
    }
    const output_ref from_least = n.make(op::subtract{}, {place, n.like(place, least)});
    const output_ref turn = n.make(op::floor_mod{}, {from_least, n.like(place, 2 * width)});
    const output_ref folded = n.make(op::minimum{}, {turn, n.make(op::subtract{}, {n.like(place, 2 * width), turn})});
    return n.make(op::add{}, {folded, n.like(place, least)});
}

/// Samples of an image at places of a grid, in [-1, 1] from one end of each axis to the other: composed, or, where sizes are not known, as one operation.
inline void read_grid_sample_of_open_sizes(operation& n) {
    op::grid_sample what;
    const std::string_view mode = n.words("mode", "linear");
    const std::string_view padding = n.words("padding_mode", "zeros");
    what.align_corners = n.flag("align_corners");
    what.mode = mode == "cubic" || mode == "bicubic" ? op::grid_sample_mode::bicubic
                : mode == "nearest"                  ? op::grid_sample_mode::nearest
                                                     : op::grid_sample_mode::bilinear;
    what.padding_mode = padding == "border"       ? op::grid_sample_padding::border
                        : padding == "reflection" ? op::grid_sample_padding::reflection
                                                  : op::grid_sample_padding::zeros;
    n.out(n.make(what, {n.in(0), n.in(1)}));
}
inline void read_grid_sample(operation& n) {
    const output_ref x = n.in(0);
    if (n.rank(x) == 4 && (n.shape(x).is_dynamic() || n.shape(n.in(1)).is_dynamic())) {
        return read_grid_sample_of_open_sizes(n);
    }
    const lpt::shape sizes = n.static_shape(x);
    const lpt::shape grid = n.static_shape(n.in(1));
    const std::size_t axes = sizes.rank() - 2;
    if (sizes.rank() < 3 || grid.rank() != sizes.rank() || grid[grid.rank() - 1] != static_cast<dimension>(axes)) {
        n.wrong({"a grid of shape ", grid, " does not fit data of shape ", sizes});
    }
    const std::string_view mode = n.words("mode", "linear");
    const std::string_view padding = n.words("padding_mode", "zeros");
    const bool aligned = n.flag("align_corners");
    const bool cubic = mode == "cubic" || mode == "bicubic";
    const bool nearest = mode == "nearest";
    struct tap {
        output_ref place;
        output_ref weight;
    };
    std::vector<std::vector<tap>> taps(axes);
    const output_ref flat_grid = n.reshape(n.in(1), {0, -1, static_cast<std::int64_t>(axes)}, true);
    for (std::size_t i = 0; i < axes; ++i) {
        const auto size = static_cast<double>(sizes[i + 2]);
        const auto last = static_cast<std::int64_t>(axes - 1 - i);  // the grid names the last axis first
        const output_ref given = n.convert(n.squeeze(n.slice(flat_grid, 2, last, last + 1), {2}), f32);
        const auto number = [&](double value) { return n.like(given, value); };
        const output_ref moved = n.make(op::add{}, {given, number(1)});
        output_ref place =
            aligned ? n.make(op::multiply{}, {moved, number((size - 1) / 2)})
                    : n.make(op::subtract{}, {n.make(op::multiply{}, {moved, number(size / 2)}), number(0.5)});
        if (nearest) {
            place = n.make(op::round{}, {place});
        }
        const double least = aligned ? 0 : -0.5;
        const double most = aligned ? size - 1 : size - 0.5;
        const auto into = [&](output_ref at) {
            return padding == "reflection" ? n.clamp(reflected(n, at, least, most), 0, size - 1)
                                           : n.clamp(at, 0, size - 1);
        };
        if (padding == "border") {
            place = n.clamp(place, 0, size - 1);
        } else if (padding == "reflection") {
            place = reflected(n, place, least, most);
        }
        const output_ref below = n.make(op::floor{}, {nearest ? n.make(op::round{}, {place}) : place});
        const output_ref part = n.make(op::subtract{}, {place, below});
        for (int step = cubic ? -1 : 0; step <= (cubic ? 2 : nearest ? 0 : 1); ++step) {
            const output_ref at = n.make(op::add{}, {below, number(step)});
            output_ref weight;
            if (nearest) {
                weight = number(1);
            } else {
                const output_ref distance = n.make(op::abs{}, {n.make(op::subtract{}, {part, number(step)})});
                if (cubic) {
                    const double a = -0.75;
                    const auto polynomial = [&](std::initializer_list<double> coefficients) {
                        output_ref sum = number(0);
                        for (const double each : coefficients) {
                            sum = n.make(op::add{}, {n.make(op::multiply{}, {sum, distance}), number(each)});
                        }
                        return sum;
                    };
                    weight = step == 0 || step == 1 ? polynomial({a + 2, -(a + 3), 0, 1})
                                                    : polynomial({a, -5 * a, 8 * a, -4 * a});
                } else {
                    weight = n.make(op::subtract{}, {number(1), distance});
                }
            }
            const output_ref clamped = into(at);
            if (padding == "zeros") {
                const output_ref inside = n.convert(n.make(op::equal{}, {n.clamp(at, 0, size - 1), at}), f32);
                weight = n.make(op::multiply{}, {weight, inside});
            }
            taps[i].push_back({n.convert(n.make(op::round{}, {clamped}), i64), weight});
        }
    }
    const output_ref flat = n.reshape(x, {0, 0, -1}, true);
    output_ref sum;
    const std::size_t count = taps[0].size();
    std::size_t combinations = 1;
    for (std::size_t i = 0; i < axes; ++i) {
        combinations *= count;
    }
    op::gather take;
    take.batch_dims = 1;
    for (std::size_t which = 0; which < combinations; ++which) {
        output_ref place;
        output_ref weight;
        std::size_t rest = which;
        for (std::size_t i = 0; i < axes; ++i) {
            const tap& one = taps[i][rest % count];
            rest /= count;
            place = place ? n.make(op::add{},
                                   {n.make(op::multiply{}, {place, n.integer_constant(sizes[i + 2])}), one.place})
                          : one.place;
            weight = weight ? n.make(op::multiply{}, {weight, one.weight}) : one.weight;
        }
        const output_ref values = n.make(take, {flat, place, n.integer_constant(2)}, 8);
        const output_ref by_channel = n.shape(weight).rank() == 0 ? weight : n.unsqueeze(weight, {1});
        const output_ref weighted = n.make(op::multiply{}, {values, n.convert(by_channel, n.type(values))});
        sum = sum ? n.make(op::add{}, {sum, weighted}) : weighted;
    }
    lpt::integers wanted{0, 0};
    for (std::size_t i = 0; i < axes; ++i) {
        wanted.push_back(grid[i + 1]);
    }
    n.out(n.reshape(sum, wanted, true));
}

inline constexpr operator_entry resampling_operators[] = {
    {"", "GridSample", read_grid_sample},
    {"com.microsoft", "GridSample", read_grid_sample},
};

}  // namespace lpt::inline LPT_ABI::onnx
