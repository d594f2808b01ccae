// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/resampling.hpp>

/// Resize whose sizes, scales or region are known only when the network runs, in forms that Interpolate does not have.
namespace lpt::inline LPT_ABI::onnx {

/// Numbers of f64 that the graph computes, with the arithmetic of `operation`.
class computed_number {
    operation* n_;
    output_ref what_;

    computed_number with(op::attributes how, computed_number other) const {
        return {*n_, n_->make(std::move(how), {what_, other.what_})};
    }

public:
    computed_number(operation& n, output_ref what) : n_(&n), what_(n.convert(what, f64)) {}
    computed_number(operation& n, double what) : n_(&n), what_(n.builder().real(what, f64)) {}

    output_ref get() const { return what_; }
    computed_number number(double value) const { return {*n_, value}; }
    computed_number apply(op::attributes how) const { return {*n_, n_->make(std::move(how), {what_})}; }
    computed_number operator+(computed_number other) const { return with(op::add{}, other); }
    computed_number operator-(computed_number other) const { return with(op::subtract{}, other); }
    computed_number operator*(computed_number other) const { return with(op::multiply{}, other); }
    computed_number operator/(computed_number other) const { return with(op::divide{}, other); }
    computed_number at_most(computed_number other) const { return with(op::minimum{}, other); }
    computed_number at_least(computed_number other) const { return with(op::maximum{}, other); }
    output_ref is_less_or_equal(computed_number other) const {
        return n_->make(op::less_equal{}, {what_, other.what_});
    }
    /// This where a condition holds, else the other.
    computed_number where(output_ref condition, computed_number other) const {
        return {*n_, n_->make(op::select{}, {condition, what_, other.what_})};
    }
};

/// What Resize does along one axis.
struct computed_axis {
    std::int64_t axis;
    std::int64_t size;  // of the input
    computed_number wanted;
    computed_number scale;
    computed_number begin;
    computed_number end;
};

/// The places in the input of the places of the output.
inline computed_number places_in_input(operation& n, const computed_axis& one) {
    const std::string_view mode = n.words("coordinate_transformation_mode", "half_pixel");
    const auto number = [&](double value) { return one.scale.number(value); };
    const computed_number i(n, n.counted(n.convert(one.wanted.get(), i64)));
    const auto last = number(static_cast<double>(one.size - 1));
    const computed_number length = number(static_cast<double>(one.size)) * one.scale;
    const auto is_one = [&](computed_number what) { return what.is_less_or_equal(number(1)); };
    if (mode == "asymmetric") {
        return i / one.scale;
    }
    if (mode == "align_corners") {
        const computed_number steps = number(1).where(is_one(length), length - number(1));
        return i * number(0).where(is_one(length), last / steps);
    }
    if (mode == "tf_crop_and_resize") {
        const computed_number steps = number(1).where(is_one(one.wanted), one.wanted - number(1));
        const computed_number many = one.begin * last + i * (one.end - one.begin) * last / steps;
        return (number(0.5) * (one.begin + one.end) * last).where(is_one(one.wanted), many);
    }
    const computed_number place = (i + number(0.5)) / one.scale - number(0.5);
    if (mode == "pytorch_half_pixel") {
        return number(0).where(is_one(length), place);
    }
    if (mode == "half_pixel_symmetric") {
        return number(static_cast<double>(one.size) / 2) * (number(1) - one.wanted / length) + place;
    }
    if (mode != "half_pixel") {
        n.wrong({"coordinate_transformation_mode '", shown(mode), "' is not supported"});
    }
    return place;
}

inline computed_number nearest_of(operation& n, computed_number place) {
    const std::string_view mode = n.words("nearest_mode", "round_prefer_floor");
    const computed_number half = place.number(0.5);
    return mode == "round_prefer_floor"  ? (place - half).apply(op::ceiling{})
           : mode == "round_prefer_ceil" ? (place + half).apply(op::floor{})
           : mode == "floor"             ? place.apply(op::floor{})
                                         : place.apply(op::ceiling{});
}

/// The weights of elements at these distances.
inline computed_number weights_at(operation& n, computed_number distance) {
    const auto number = [&](double value) { return distance.number(value); };
    if (n.words("mode", "nearest") != "cubic") {
        return (number(1) - distance).at_least(number(0));
    }
    const double a = n.real("cubic_coeff_a", -0.75);
    const computed_number near = ((number(a + 2) * distance - number(a + 3)) * distance * distance) + number(1);
    const computed_number far =
        ((number(a) * distance - number(5 * a)) * distance + number(8 * a)) * distance - number(4 * a);
    const computed_number beyond = number(0);
    return near.where(distance.is_less_or_equal(number(1)), far.where(distance.is_less_or_equal(number(2)), beyond));
}

/// Places of input elements and, on both sides, of as many copies of the outermost as any window reaches.
inline lpt::integers places_with_margin(std::int64_t size, std::int64_t margin) {
    lpt::integers result;
    for (std::int64_t place = -margin; place < size + margin; ++place) {
        result.push_back(place);
    }
    return result;
}

/// One axis of the data multiplied by a matrix of weights, or gathered from the nearest places.
inline output_ref resampled(operation& n, output_ref x, const computed_axis& one) {
    const computed_number place = places_in_input(n, one);
    const auto number = [&](double value) { return place.number(value); };
    const computed_number last = number(static_cast<double>(one.size - 1));
    const element type = n.type(x);
    output_ref result;
    if (n.words("mode", "nearest") == "nearest") {
        const computed_number nearest = nearest_of(n, place).at_least(number(0)).at_most(last);
        result = n.gather(x, n.convert(nearest.get(), i64), one.axis);
    } else {
        const bool shrinks = n.flag("antialias");
        const computed_number shrink = shrinks ? one.scale.at_most(number(1)) : number(1);
        const lpt::integers at = places_with_margin(one.size, shrinks ? 2 * one.size + 2 : 2);
        lpt::integers inside;
        lpt::integers sources;
        for (const std::int64_t each : at) {
            sources.push_back(math::maximum<std::int64_t>(0, math::minimum(each, one.size - 1)));
            inside.push_back(sources.back() == each ? 1 : 0);
        }
        const computed_number from(
            n, n.unsqueeze(n.make(op::minimum{}, {place.at_least(number(-1)).get(), (last + number(1)).get()}), {1}));
        const computed_number distance = ((computed_number(n, n.indices(at)) - from) * shrink).apply(op::abs{});
        computed_number weights = weights_at(n, distance);
        if (n.flag("exclude_outside")) {
            weights = weights * computed_number(n, n.indices(inside));
        }
        weights = weights / computed_number(n, n.reduce<op::reduce_sum>(weights.get(), {1}));
        lpt::integers order;
        for (std::size_t axis = 0; axis < n.rank(x); ++axis) {
            order.push_back(static_cast<std::int64_t>(axis));
        }
        std::swap(order[static_cast<std::size_t>(one.axis)], order[order.size() - 1]);
        const element computing = is_real(type) ? type : f32;
        const output_ref wide = n.gather(n.convert(x, computing), n.indices(sources), one.axis);
        op::mat_mul product;
        product.transpose_b = true;
        result = n.make(product, {n.transpose(wide, order), n.convert(weights.get(), computing)});
        result = n.convert(n.transpose(result, order), type);
    }
    if (n.words("coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize") {
        const output_ref inside =
            n.make(op::logical_and{}, {number(0).is_less_or_equal(place), place.is_less_or_equal(last)});
        lpt::integers sizes;
        sizes.resize(n.rank(x), 1);
        sizes[static_cast<std::size_t>(one.axis)] = -1;
        result =
            n.make(op::select{}, {n.reshape(inside, sizes), result, n.like(result, n.real("extrapolation_value", 0))});
    }
    return result;
}

inline std::vector<computed_axis> computed_axes(operation& n, const lpt::integers& axes) {
    const bool by_sizes = n.has(3);
    const output_ref target = n.in(by_sizes ? 3 : 2);
    const bool crops = n.words("coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize";
    const lpt::shape& sizes = n.static_shape(n.in(0));
    const auto count = static_cast<std::int64_t>(axes.size());
    const auto has = [&](output_ref what, std::int64_t wanted) {
        const lpt::shape& own = n.shape(what);
        return own.rank_is_static() && own.rank() == 1 && (own[0] == wanted || own[0] == dynamic_dimension);
    };
    if (!has(target, count) || (crops && !has(n.in(1), 2 * count))) {
        n.wrong({"must have a size or scale for each of ", count, " axes, and two numbers where it crops"});
    }
    const std::string_view policy = n.words("keep_aspect_ratio_policy", "stretch");
    const auto given = [&](output_ref from, std::int64_t i) {
        return computed_number(n, n.squeeze(n.slice(from, 0, i, i + 1), {0}));
    };
    const computed_number all(n, target);
    seq<double> own_sizes;
    for (const std::int64_t axis : axes) {
        own_sizes.push_back(static_cast<double>(sizes[static_cast<std::size_t>(axis)]));
    }
    const computed_number own(n, n.builder().constant(make_tensor(f64, lpt::shape{count}, own_sizes)));
    const computed_number ratios = all / own;
    const output_ref common = policy == "not_larger" ? n.reduce<op::reduce_min>(ratios.get(), {0}, false)
                                                     : n.reduce<op::reduce_max>(ratios.get(), {0}, false);
    std::vector<computed_axis> result;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t axis = axes[static_cast<std::size_t>(i)];
        const std::int64_t size = sizes[static_cast<std::size_t>(axis)];
        const computed_number length(n, static_cast<double>(size));
        const computed_number one = given(target, i);
        computed_number scale = by_sizes ? one / length : one;
        computed_number wanted = by_sizes ? one : (length * one).apply(op::floor{});
        if (by_sizes && policy != "stretch") {
            scale = computed_number(n, common);
            wanted = (scale * length + length.number(0.5)).apply(op::floor{});
        }
        result.push_back({axis, size, wanted, scale, crops ? given(n.in(1), i) : length.number(0),
                          crops ? given(n.in(1), i + count) : length.number(1)});
    }
    return result;
}

inline void read_any_resize(operation& n) {
    const bool is_known = n.version() < 11 || n.is_known(n.has(3) ? 3 : 2);
    const bool crops = n.words("coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize";
    if (!needs_matrices(n) || (is_known && (!crops || n.is_known(1)))) {
        return read_resize_of_known_sizes(n);
    }
    output_ref result = n.in(0);
    for (const computed_axis& one : computed_axes(n, resized_axes(n))) {
        result = resampled(n, result, one);
    }
    n.out(result);
}

inline constexpr operator_entry resize_operators[] = {{"", "Resize", read_any_resize}};

}  // namespace lpt::inline LPT_ABI::onnx
