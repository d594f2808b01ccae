// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/convolution.hpp>

/// Pooling and resizing.
namespace lpt::inline LPT_ABI::onnx {

template <class Pool>
void read_pool_window(operation& n, Pool& to) {
    to.kernel = n.list("kernel_shape");
    if (to.kernel.empty()) {
        n.wrong({"has no kernel_shape"});
    }
    read_window(n, to, to.kernel.size());
    if (n.flag("ceil_mode")) {
        to.rounding_type = op::rounding_type::ceil_torch;
    }
}

/// Places that count over a tensor as if the first of the axes behind the channels changed fastest.
inline output_ref first_axis_fastest(operation& n, output_ref places, const lpt::shape& sizes) {
    std::int64_t image = 1;
    for (std::size_t axis = 2; axis < sizes.rank(); ++axis) {
        image *= sizes[axis];
    }
    const auto number = [&](std::int64_t value) { return n.integer_constant(value); };
    output_ref rest = n.make(op::floor_mod{}, {places, number(image)});
    output_ref result = n.make(op::subtract{}, {places, rest});
    std::int64_t step = image;
    for (std::size_t axis = sizes.rank(); axis-- > 2;) {
        step /= sizes[axis];
        const output_ref along = n.make(op::floor_mod{}, {rest, number(sizes[axis])});
        result = n.make(op::add{}, {result, n.make(op::multiply{}, {along, number(step)})});
        rest = n.make(op::divide{}, {rest, number(sizes[axis])});
    }
    return result;
}

inline void read_max_pool(operation& n) {
    op::max_pool what;
    read_pool_window(n, what);
    what.index_element_type = i64;
    // Places count over the whole tensor.
    what.axis = 0;
    const output_ref x = n.in(0);
    bool plain = !n.wants(1);
    for (const std::int64_t dilation : what.dilations) {
        plain = plain && dilation == 1;
    }
    if (plain && what.rounding_type == op::rounding_type::floor) {
        what.dilations = {};
        n.out(n.make_node(what, {x}, 1));
        return;
    }
    const node_id made = n.make_node(what, {x}, 14);
    n.out(0, made);
    n.out(1, n.flag("storage_order") ? first_axis_fastest(n, output_ref(made, 1), n.static_shape(x))
                                     : output_ref(made, 1));
}

inline void read_average_pool(operation& n) {
    op::avg_pool what;
    read_pool_window(n, what);
    what.exclude_pad = !n.flag("count_include_pad");
    bool plain = what.rounding_type == op::rounding_type::floor;
    for (const std::int64_t dilation : what.dilations) {
        plain = plain && dilation == 1;
    }
    if (plain) {
        what.dilations = {};
    }
    n.out(n.make_node(what, {n.in(0)}, plain ? 1 : 16));
}

/// The axes behind batch and channels.
inline lpt::integers spatial_axes(operation& n, output_ref x) {
    lpt::integers axes;
    for (std::size_t axis = 2; axis < n.rank(x); ++axis) {
        axes.push_back(static_cast<std::int64_t>(axis));
    }
    return axes;
}
template <class Reduction>
void read_global_pool(operation& n) {
    n.out(n.reduce<Reduction>(n.in(0), spatial_axes(n, n.in(0)), true));
}

/// (sum of |x|^p)^(1/p) over the axes.
inline output_ref norm_of(operation& n, output_ref x, double p, view<std::int64_t> axes) {
    if (p == 1) {
        return n.reduce<op::reduce_l1>(x, axes, true);
    }
    if (p == 2) {
        return n.reduce<op::reduce_l2>(x, axes, true);
    }
    const output_ref powers = n.make(op::power{}, {n.make(op::abs{}, {x}), n.like(x, p)});
    return n.make(op::power{}, {n.reduce<op::reduce_sum>(powers, axes, true), n.like(x, 1 / p)});
}
inline double norm_degree(operation& n) { return static_cast<double>(n.integer("p", 2)); }

inline void read_global_lp_pool(operation& n) { n.out(norm_of(n, n.in(0), norm_degree(n), spatial_axes(n, n.in(0)))); }

/// The mean of |x|^p in each window, times its size, to the power of 1 / p.
inline void read_lp_pool(operation& n) {
    op::avg_pool what;
    read_pool_window(n, what);
    const output_ref x = n.in(0);
    const double p = norm_degree(n);
    double size = 1;
    for (const std::int64_t each : what.kernel) {
        size *= static_cast<double>(each);
    }
    const output_ref powers = n.make(op::power{}, {n.make(op::abs{}, {x}), n.like(x, p)});
    const output_ref sum = n.make(op::multiply{}, {n.make_node(what, {powers}, 16), n.like(x, size)});
    n.out(n.make(op::power{}, {sum, n.like(x, 1 / p)}));
}

/// Fills the interpolation's attributes from those of Resize.
inline op::interpolate resize_attributes(operation& n) {
    op::interpolate what;
    const std::string_view mode = n.words("mode", "nearest");
    const std::string_view place =
        n.words("coordinate_transformation_mode", n.version() < 11 ? "asymmetric" : "half_pixel");
    const std::string_view nearest = n.words("nearest_mode", n.version() < 11 ? "simple" : "round_prefer_floor");
    const auto find = [&](auto words, std::string_view word, text_view attribute) {
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (words[i] == shown(word)) {
                return i;
            }
        }
        n.wrong({attribute, " '", shown(word), "' is not supported"});
    };
    what.mode = mode == "linear" ? op::interpolate_mode::linear_onnx
                                 : static_cast<op::interpolate_mode>(find(words_of(what.mode), mode, "mode"));
    what.coordinate_transformation_mode = static_cast<op::coordinate_transformation_mode>(
        find(words_of(what.coordinate_transformation_mode), place, "coordinate_transformation_mode"));
    what.nearest_mode = static_cast<op::nearest_mode>(find(words_of(what.nearest_mode), nearest, "nearest_mode"));
    what.cube_coeff = n.real("cubic_coeff_a", -0.75);
    what.antialias = n.flag("antialias");
    return what;
}

inline void read_resize(operation& n) {
    op::interpolate what = resize_attributes(n);
    const output_ref x = n.in(0);
    const std::size_t scales_port = n.version() < 11 ? 1 : 2;
    lpt::integers axes = n.list("axes");
    if (axes.empty()) {
        for (std::size_t axis = 0; axis < n.rank(x); ++axis) {
            axes.push_back(static_cast<std::int64_t>(axis));
        }
    }
    for (std::int64_t& axis : axes) {
        axis = n.axis_of(axis, n.rank(x));
    }
    const bool by_sizes = n.version() >= 11 && n.has(3);
    const std::vector<float> stored = n.version() < 9 ? n.reals("scales") : std::vector<float>();  // of Upsample
    if (!by_sizes && !n.has(scales_port) && stored.empty()) {
        n.wrong({"has neither scales nor sizes"});
    }
    output_ref target;
    if (stored.empty()) {
        target = by_sizes ? n.in(3) : n.in(scales_port);
    } else {
        seq<double> scales;
        for (const float each : stored) {
            scales.push_back(static_cast<double>(each));
        }
        target = n.builder().constant(make_tensor(f32, lpt::shape{static_cast<dimension>(scales.size())}, scales));
    }
    // Axes that keep their size are left out: fewer axes are interpolated faster, and more kinds of interpolation take them.
    if (const tensor* known = n.known(target); known != nullptr && n.shape(x).is_static()) {
        lpt::integers kept;
        seq<double> values;
        for (std::size_t i = 0; i < axes.size() && i < known->elements(); ++i) {
            const auto size = static_cast<double>(n.shape(x)[static_cast<std::size_t>(axes[i])]);
            if (known->real(i) != (by_sizes ? size : 1.0)) {
                kept.push_back(axes[i]);
                values.push_back(known->real(i));
            }
        }
        if (kept.empty()) {
            return n.out(x);
        }
        target = n.builder().constant(
            make_tensor(by_sizes ? i64 : f32, lpt::shape{static_cast<dimension>(kept.size())}, values));
        axes = kept;
    }
    const output_ref none = by_sizes ? n.builder().constant(make_tensor(
                                           f32, lpt::shape{static_cast<dimension>(axes.size())}, view<double>({1.0})))
                                     : n.indices(lpt::integers(axes.size(), 1));
    what.shape_calculation_mode = by_sizes ? op::shape_calculation_mode::sizes : op::shape_calculation_mode::scales;
    const output_ref sizes = by_sizes ? n.convert(target, i64) : none;
    const output_ref scales = by_sizes ? none : target;
    n.out(n.make(what, {x, sizes, scales, n.indices(axes)}, 4));
}

inline constexpr operator_entry pooling_operators[] = {
    {"", "MaxPool", read_max_pool, true},
    {"", "AveragePool", read_average_pool},
    {"", "GlobalAveragePool", read_global_pool<op::reduce_mean>},
    {"", "GlobalMaxPool", read_global_pool<op::reduce_max>, true},
    {"", "GlobalLpPool", read_global_lp_pool},
    {"", "LpPool", read_lp_pool},
    {"", "Upsample", read_resize},
};

}  // namespace lpt::inline LPT_ABI::onnx
