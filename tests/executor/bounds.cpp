// SPDX-License-Identifier: Apache-2.0
#include "tests/executor/bounds.hpp"

#include <lpt/constant/folded.hpp>
#include <lpt/plan/plan.hpp>
#include <lpt/reference/normalization.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace lpt::testing {

namespace {

constexpr double unit = 0x1p-24;  // half the distance of two numbers of f32 near 1, as `u` below
constexpr double unit_of_f16 = 0x1p-11;
constexpr double roundings = 4;  // of an operation: its constant, its result, and those of a joined one
constexpr double smallest = 0x1p-149 * 8;  // what a few results below the normal numbers lose
constexpr double largest = std::numeric_limits<float>::max();
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Function>
tensor map(const tensor& from, Function function) {
    tensor_builder result(f64, from.dimensions());
    for (std::size_t i = 0; i < result.elements(); ++i) {
        result.real(i, function(from.real(i)));
    }
    return result.finish();
}
template <class Function>
tensor map(const tensor& left, const tensor& right, Function function) {
    tensor_builder result(f64, left.dimensions());
    for (std::size_t i = 0; i < result.elements(); ++i) {
        result.real(i, function(left.real(i), right.real(i)));
    }
    return result.finish();
}
tensor filled(const shape& dimensions, double value) { return make_tensor(f64, dimensions, {value}); }
double either_nan(double left, double right, double otherwise) {
    return std::isnan(left) ? left : std::isnan(right) ? right : otherwise;
}
double smaller_of(double a, double b) { return either_nan(a, b, std::min(a, b)); }
double larger_of(double a, double b) { return either_nan(a, b, std::max(a, b)); }
tensor magnitude(const bounds& of) {
    return map(of.low, of.high, [](double low, double high) { return larger_of(std::abs(low), std::abs(high)); });
}
double largest_of(const tensor& of) {
    double result = 0;
    for (std::size_t i = 0; i < of.elements(); ++i) {
        result = larger_of(result, std::abs(of.real(i)));
    }
    return result;
}
bool is_point(const bounds& of) { return of.low.data() == of.high.data() || of.low == of.high; }

/// The values of a tensor at the elements of a shape that it broadcasts to.
tensor spread(const tensor& from, const shape& dimensions) {
    const shape wide = from.dimensions().padded_left(dimensions.rank());
    tensor_builder result(f64, dimensions);
    std::vector<std::size_t> place(dimensions.rank(), 0);
    for (std::size_t i = 0; i < result.elements(); ++i) {
        std::size_t at = 0;
        for (std::size_t axis = 0; axis < place.size(); ++axis) {
            at = at * static_cast<std::size_t>(wide[axis]) + (wide[axis] == 1 ? 0 : place[axis]);
        }
        result.real(i, from.real(at));
        for (std::size_t axis = place.size(); axis-- > 0;) {
            if (++place[axis] < static_cast<std::size_t>(dimensions[axis])) {
                break;
            }
            place[axis] = 0;
        }
    }
    return result.finish();
}

/// A number times a gate that is 0 for large negative numbers: NaN where the number may be infinite.
bounds gated(const bounds& result, const bounds& input) {
    return {map(result.low, input.low, [](double value, double low) { return low > -largest ? value : std::nan(""); }),
            result.high};
}

/// Numbers that f32 does not hold may be its largest, or infinite.
double within_f32(double end, bool is_low) {
    if (end > largest) {
        return is_low ? largest : infinity;
    }
    if (end < -largest) {
        return is_low ? -infinity : -largest;
    }
    return end;
}
/// Moves the ends apart by `by`, element by element.
bounds widened(const bounds& from, const tensor& by) {
    const auto end = [&](const tensor& of, double sign) {
        tensor_builder result(f64, of.dimensions());
        for (std::size_t i = 0; i < result.elements(); ++i) {
            const double value = of.real(i);
            result.real(i, std::isinf(value) ? value : within_f32(value + sign * (by.real(i) + smallest), sign < 0));
        }
        return result.finish();
    };
    return {end(from.low, -1), end(from.high, 1)};
}
/// Where nothing is known, all numbers of the type; from here on NaN is none of the ends.
bounds opened(const bounds& of, element type) {
    const bool is_byte = is_integral(type) && bit_width(type) <= 32;
    const double least = is_byte ? facts(type).lowest : -infinity;
    const double most = is_byte ? facts(type).highest : infinity;
    bool is_known = true;
    for (std::size_t i = 0; i < of.low.elements(); ++i) {
        is_known = is_known && !std::isnan(of.low.real(i)) && !std::isnan(of.high.real(i));
    }
    if (is_known) {
        return of;
    }
    const auto or_else = [&](double otherwise) {
        return [otherwise](double low, double high) { return std::isnan(low) || std::isnan(high) ? otherwise : low; };
    };
    return {map(of.low, of.high, or_else(least)), map(of.high, of.low, or_else(most))};
}
/// True where nothing is known of a number, so that it may be NaN.
bool may_be_nan(const bounds& of, std::size_t i) {
    const double low = of.low.real(i);
    const double high = of.high.real(i);
    return std::isnan(low) || std::isnan(high) || (low == -infinity && high == infinity);
}
/// Comparisons and functions with finite ends may keep NaN or drop it: what is made of an element that may be NaN may be anything.
/// An operation that is not elementwise is open everywhere then.
bounds opened_by_nan(const bounds& result, const std::vector<bounds>& inputs, bool is_elementwise) {
    const shape& dimensions = result.low.dimensions();
    tensor low = result.low;
    for (const bounds& input : inputs) {
        bool has_nan = false;
        const tensor flags = [&] {
            tensor_builder flag(f64, input.low.dimensions());
            for (std::size_t i = 0; i < flag.elements(); ++i) {
                const bool is_nan = may_be_nan(input, i);
                has_nan = has_nan || is_nan;
                flag.real(i, is_nan ? std::nan("") : 0);
            }
            return flag.finish();
        }();
        if (!has_nan) {
            continue;
        }
        const bool by_element = is_elementwise && broadcasts_to(flags.dimensions(), dimensions);
        const tensor wide = by_element ? spread(flags, dimensions) : filled(dimensions, std::nan(""));
        low = map(low, wide, [](double value, double flag) { return std::isnan(flag) ? flag : value; });
    }
    return {low, result.high};
}
/// Integers in their own type again.
tensor stored(const tensor& of, element type) {
    return is_integral(type) && of.type() == f64 ? evaluation::convert_tensor(of, type) : of;
}
bounds stored(const bounds& of, element type) { return {stored(of.low, type), stored(of.high, type)}; }
bounds in_order(const tensor& a, const tensor& b) { return {map(a, b, smaller_of), map(a, b, larger_of)}; }

}  // namespace

tensor step_bounds::evaluate(node_id id, const seq<tensor>& inputs, std::int32_t port) const {
    return reference::evaluate_node<double>(model_, id, inputs)[static_cast<std::size_t>(port)];
}
/// Half the distance of two numbers near 1 of the narrowest type in which a node may compute.
double step_bounds::unit_of(node_id id) const { return computes_in_f16(model_, id) ? unit_of_f16 : unit; }
seq<tensor> step_bounds::lows(const std::vector<bounds>& inputs) const {
    seq<tensor> result;
    for (const bounds& each : inputs) {
        result.push_back(each.low);
    }
    return result;
}
seq<tensor> step_bounds::highs(const std::vector<bounds>& inputs) const {
    seq<tensor> result;
    for (const bounds& each : inputs) {
        result.push_back(each.high);
    }
    return result;
}

/// A function that does not fall: the values at the ends, each with an error of `roundings_of_it` u times itself.
bounds step_bounds::monotone(node_id id, const std::vector<bounds>& inputs, double roundings_of_it,
                             double absolute_error) const {
    const bounds ends = in_order(evaluate(id, lows(inputs)), evaluate(id, highs(inputs)));
    if (roundings_of_it == 0) {
        return ends;
    }
    const tensor size = magnitude(ends);
    return widened(ends, map(size, [&](double v) { return v * roundings_of_it * unit + absolute_error; }));
}

/// Add and Subtract.
bounds step_bounds::sum(node_id id, const std::vector<bounds>& inputs) const {
    const bool falls = model_[id].is<op::subtract>();
    const tensor low = evaluate(id, {inputs[0].low, falls ? inputs[1].high : inputs[1].low});
    const tensor high = evaluate(id, {inputs[0].high, falls ? inputs[1].low : inputs[1].high});
    const auto negated = [](double v) { return -v; };
    const tensor second = magnitude(inputs[1]);
    const tensor size = evaluate(id, {magnitude(inputs[0]), falls ? map(second, negated) : second});
    const double meant = falls ? whole_zero_point_error(id, inputs[1]) : 0;
    return widened({low, high}, map(size, [&](double v) { return roundings * unit_of(id) * v + meant; }));
}

/// Kernels take a zero point of integers within 1e-5 of a whole number for that number.
double step_bounds::whole_zero_point_error(node_id id, const bounds& zero_points) const {
    const node_id above = model_.producer(id, 0);
    const output_ref data = model_[above].is<op::convert>() ? model_[above].input(0) : model_[id].input(0);
    double result = 0;
    for (std::size_t i = 0; is_integral(model_.type(data)) && i < zero_points.low.elements(); ++i) {
        const double value = zero_points.low.real(i);
        const double off = std::abs(value - std::nearbyint(value));
        result = off < 1e-5 ? std::max(result, off) : result;
    }
    return result;
}

/// Multiply, Divide, SquaredDifference, PRelu: at the ends of both inputs, and at 0 where the function turns there.
bounds step_bounds::best_of_corners(node_id id, const std::vector<bounds>& inputs) const {
    const node& each = model_[id];
    const auto at = [&](bool first_high, bool second_high) {
        return evaluate(id,
                        {first_high ? inputs[0].high : inputs[0].low, second_high ? inputs[1].high : inputs[1].low});
    };
    bounds result = in_order(at(false, false), at(true, false));
    if (!is_point(inputs[1])) {
        const bounds others = in_order(at(false, true), at(true, true));
        result = {map(result.low, others.low, smaller_of), map(result.high, others.high, larger_of)};
        if (each.is<op::divide>()) {  // there is no bound where the divisor may be zero
            const tensor divisor = map(inputs[1].low, inputs[1].high, [](double low, double high) {
                return low <= 0 && high >= 0 ? std::nan("") : 0.0;
            });
            const tensor wide = spread(divisor, result.low.dimensions());
            result = {map(result.low, wide, larger_of), map(result.high, wide, larger_of)};
        }
    }
    if (each.is<op::squared_difference>() || each.is<op::prelu>()) {
        const auto zero = [](double v) { return std::isnan(v) ? v : 0.0; };
        const tensor middle = map(result.low, zero);
        const bool point = is_point(inputs[0]) && is_point(inputs[1]);
        result = point ? result : bounds{map(result.low, middle, smaller_of), map(result.high, middle, larger_of)};
    }
    double times = roundings;
    tensor size = magnitude(result);
    if (each.is<op::squared_difference>()) {  // of operands that are dequantized: |a - b| (|a| + |b|)
        const tensor whole =
            evaluate(id, {magnitude(inputs[0]), map(magnitude(inputs[1]), [](double v) { return -v; })});
        size = map(size, whole, [](double a, double b) { return std::sqrt(a) * std::sqrt(b); });
        times = 2 * roundings;
    }
    return widened(result, map(size, [&](double v) { return times * unit_of(id) * v; }));
}

/// How many products or elements one output adds up, at most.
double step_bounds::terms_of(const node& each, const std::vector<bounds>& inputs) const {
    const shape& data = inputs[0].low.dimensions();
    double result = 1;
    if (each.is<op::mat_mul>()) {
        const std::size_t from_end = each.as<op::mat_mul>().transpose_a && data.rank() > 1 ? 2 : 1;
        return static_cast<double>(data[data.rank() - from_end]);
    }
    if (evaluation::is_reduction(each.kind())) {
        return static_cast<double>(data.elements()) / static_cast<double>(each.shape().elements());
    }
    if (each.is<op::avg_pool>()) {
        for (const std::int64_t size : each.as<op::avg_pool>().kernel) {
            result *= static_cast<double>(size);
        }
        return result;
    }
    return static_cast<double>(inputs[1].low.elements());
}

/// An integer kernel takes the nearest whole number for a zero point that dequantization constants leave inexact: what that can change in
/// each element of the data.
double step_bounds::error_of_zero_point(const node& each, std::size_t port) const {
    const plan::quantized_source from = plan::source_of(model_, each.input(port));
    double result = 0;
    for (std::size_t i = 0; i < from.shift.values.size(); ++i) {
        const double scale = from.scale.is_one() ? from.scale.one() : 1;
        const double zero = from.shift.values[i] / scale;
        result = std::max(result, std::abs(scale) * std::abs(zero - std::nearbyint(zero)));
    }
    return result;
}

/// Convolutions and matrix products.
bounds step_bounds::product(node_id id, const std::vector<bounds>& inputs) const {
    const node& each = model_[id];
    const auto middle = [](const bounds& of) {
        return map(of.low, of.high, [](double low, double high) { return low == high ? low : low / 2 + high / 2; });
    };
    const auto radius = [](const bounds& of) {
        return map(of.low, of.high, [](double low, double high) { return low == high ? 0 : high / 2 - low / 2; });
    };
    const tensor a = middle(inputs[0]);
    const tensor b = middle(inputs[1]);
    const tensor value = evaluate(id, {a, b});
    const tensor a_size = magnitude(inputs[0]);
    const tensor b_size = magnitude(inputs[1]);
    const tensor size = evaluate(id, {a_size, b_size});
    tensor error;
    if (is_integer_) {
        // Exact but for the zero point, and where zero points of channels are taken away from the sum: these are 255 steps at most.
        const plan::quantized_source from = plan::source_of(model_, each.input(0));
        const double step = from.scale.is_one() ? std::abs(from.scale.one()) : 0;
        const double of_data = from.shift.is_one() ? 0 : 510 * step * roundings * unit;
        // What is taken away holds the zero points of the margin, too, which the sum of an element at the border does not show.
        const bool has_margin = plan::detail::is_convolution(each.kind()) && of_data != 0;
        const double shift = error_of_zero_point(each, 0) + (has_margin ? 0 : of_data);
        error = evaluate(id, {filled(a.dimensions(), shift), b_size});
        if (has_margin) {
            const double taps = static_cast<double>(b.elements()) / static_cast<double>(each.shape()[1]);
            const double most = largest_of(b_size);
            error = map(error, [&](double e) { return e + of_data * taps * most; });
        }
        if (!is_point(inputs[1])) {
            const tensor other = evaluate(id, {a_size, filled(b.dimensions(), error_of_zero_point(each, 1))});
            error = map(error, other, [](double x, double y) { return x + y; });
        }
        const bool scales = step != 1 || !is_point(inputs[1]);
        error = map(error, value, [&](double e, double v) {
            return e + (scales || std::abs(v) >= 0x1p24 ? roundings * unit * std::abs(v) : 0);
        });
        error = map(error, size, [](double e, double s) { return e + 0x1p-48 * s; });
    } else {
        const double terms = terms_of(each, inputs);
        const tensor from_data = evaluate(id, {radius(inputs[0]), b_size});
        const tensor from_weights = evaluate(id, {a_size, radius(inputs[1])});
        error = map(from_data, from_weights, [](double x, double y) { return x + y; });
        error =
            map(error, size, [&](double e, double s) { return e + (terms + 2) * unit * 1.01 * s + terms * smallest; });
        // A partial sum may pass the largest number.
        const auto overflows = [](double v, double s) { return s > largest / 2 ? std::nan("") : v; };
        return widened({map(value, size, overflows), map(value, size, overflows)}, error);
    }
    return widened({value, value}, error);
}

/// AvgPool and ReduceMean.
bounds step_bounds::average(node_id id, const std::vector<bounds>& inputs) const {
    seq<tensor> sizes = lows(inputs);
    sizes[0] = magnitude(inputs[0]);
    const double terms = terms_of(model_[id], inputs);
    const tensor size = evaluate(id, sizes);
    const double times = is_integer_ ? 2 : terms + 2;
    const auto overflows = [&](double v, double s) { return s > largest / terms / 2 ? std::nan("") : v; };
    return widened(
        {map(evaluate(id, lows(inputs)), size, overflows), map(evaluate(id, highs(inputs)), size, overflows)},
        map(size, [&](double s) { return times * unit * s; }));
}

/// A function whose slope is at most `slope`.
bounds step_bounds::smooth(node_id id, const std::vector<bounds>& inputs, double slope, double absolute_error) const {
    // An end that may have overflown: the value may be infinite, too, or that of the largest number.
    const auto inside = [](double end) { return std::clamp(end, -largest, largest); };
    seq<tensor> middle = lows(inputs);
    middle[0] = map(inputs[0].low, inputs[0].high,
                    [&](double low, double high) { return low == high ? low : inside(low) / 2 + inside(high) / 2; });
    const tensor value = evaluate(id, middle);
    const tensor size = map(magnitude(inputs[0]), inside);
    tensor error = map(inputs[0].low, inputs[0].high, [&](double low, double high) {
        return low == high ? 0 : (inside(high) / 2 - inside(low) / 2) * slope;
    });
    error = map(error, size, [&](double e, double s) { return e + absolute_error + 16 * unit * s; });
    bounds result = widened({value, value}, error);
    const tensor may_overflow = map(inputs[0].low, inputs[0].high, [](double low, double high) {
        return low != high && (std::isinf(low) || std::isinf(high)) ? 1 : 0;
    });
    result.high = map(result.high, may_overflow, [](double end, double may) { return may != 0 ? infinity : end; });
    return result;
}

/// Softmax and LogSoftmax, along one axis: what `kernel/rows/softmax.hpp` says.
bounds step_bounds::softmax(node_id id, const std::vector<bounds>& inputs) const {
    const node& each = model_[id];
    const bool is_log = each.is<op::log_softmax>();
    const shape& dimensions = each.shape();
    const std::int64_t axis = is_log ? each.as<op::log_softmax>().axis : each.as<op::softmax>().axis;
    const double length =
        dimensions.rank() == 0
            ? 1
            : static_cast<double>(dimensions[static_cast<std::size_t>(normalized_axis(axis, dimensions.rank()))]);
    const tensor value = evaluate(id, {inputs[0].low});
    return widened({value, value}, map(value, [&](double v) {
                       const double error = (length + 200) * unit;
                       return is_log ? error + roundings * unit * std::abs(v) : error * std::abs(v) + 0x1p-125;
                   }));
}

/// Interpolate of numbers that are known; `kernel/rows/resampling.hpp`. Where sums on the way may pass the largest number, nothing is known.
bounds step_bounds::interpolate(node_id id, const std::vector<bounds>& inputs) const {
    const node& each = model_[id];
    seq<reference::detail::resampling> taps;
    if (!plan::detail::known_resamplings(model_, each, taps)) {
        fail({"Interpolate '", each.name(), "' has a kernel, but says its weights only when it runs"});
    }
    const tensor size = magnitude(inputs[0]);
    shape now = size.dimensions();
    seq<double> sizes;
    for (std::size_t i = 0; i < size.elements(); ++i) {
        sizes.push_back(size.real(i));
    }
    double terms = 0;
    for (std::size_t axis = 0; axis < now.rank(); ++axis) {
        std::size_t most = 0;
        for (seq<reference::detail::tap>& place : taps[axis]) {
            most = std::max(most, place.size());
            for (reference::detail::tap& tap : place) {
                tap.weight = std::abs(tap.weight);
            }
        }
        if (most != 0) {
            sizes = reference::detail::resample_axis(sizes, taps[axis], evaluation::elements_between(now, 0, axis),
                                                     evaluation::elements_between(now, axis + 1, now.rank()),
                                                     static_cast<std::size_t>(now[axis]));
            now[axis] = each.shape()[axis];
            terms += static_cast<double>(most + 2);
        }
    }
    tensor_builder errors(f64, now);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        errors.real(i, sizes[i] < largest / 2 ? terms * (unit * sizes[i] + 0x1p-149) : std::nan(""));
    }
    const tensor error = errors.finish();
    const tensor value =
        map(evaluate(id, lows(inputs)), error, [](double v, double e) { return std::isnan(e) ? e : v; });
    return widened({value, value}, error);
}

/// Reductions of numbers that are known, but ReduceMean and those that round nothing; `kernel/rows/groups.hpp`.
bounds step_bounds::reduction(node_id id, const std::vector<bounds>& inputs) const {
    const node& each = model_[id];
    const double terms = terms_of(each, inputs);
    const tensor value = evaluate(id, lows(inputs));
    seq<tensor> sizes = lows(inputs);
    sizes[0] = magnitude(inputs[0]);
    if (each.is<op::reduce_l2>()) {  // squares may be too large for f32, or too small
        const double most = std::sqrt(largest / terms);
        const tensor known = map(value, [&](double v) { return v > most / 2 ? std::nan("") : v; });
        return widened({known, known},
                       map(known, [&](double v) { return (terms + 4) * unit * v + std::sqrt(terms) * 0x1p-70; }));
    }
    if (each.is<op::reduce_prod>()) {
        // Parts of the product may be too large or too small: those of the numbers above 1, and of those below.
        sizes[0] = map(magnitude(inputs[0]), [](double v) { return v > 1 || std::isnan(v) ? v : 1; });
        const tensor above = evaluate(id, sizes);
        sizes[0] = map(magnitude(inputs[0]), [](double v) { return v < 1 ? v : 1; });
        const tensor below = evaluate(id, sizes);
        const auto known = map(map(value, above, [](double v, double a) { return a < largest ? v : std::nan(""); }),
                               below, [](double v, double b) { return b > 0x1p-120 ? v : std::nan(""); });
        return widened({known, known}, map(known, [&](double v) { return (terms + 4) * unit * std::abs(v); }));
    }
    const tensor size = evaluate(id, sizes);
    const tensor known = map(value, size, [](double v, double s) { return s < largest / 2 ? v : std::nan(""); });
    return widened({known, known}, map(size, [&](double s) { return (terms + 2) * unit * s; }));
}

/// MVN and NormalizeL2 of numbers that are known. With d = x - mean, of n numbers, d is wrong by a few roundings of it and by the error of
/// the mean, which is found as that of distances from a first mean; that, in turn, is wrong by n roundings of the numbers' size.
bounds step_bounds::normalization(node_id id, const std::vector<bounds>& inputs) const {
    const node& each = model_[id];
    const bool is_mvn = each.is<op::mvn>();
    integers axes;
    if (is_mvn && each.version() < 6) {
        axes = each.as<op::mvn>().reduction_axes;
        for (std::size_t axis = each.as<op::mvn>().across_channels ? 1 : 2;
             each.as<op::mvn>().reduction_axes.empty() && axis < each.shape().rank(); ++axis) {
            axes.push_back(static_cast<std::int64_t>(axis));
        }
    } else {
        for (std::size_t i = 0; i < inputs[1].low.elements(); ++i) {
            axes.push_back(inputs[1].low.integer(i));
        }
    }
    const tensor& x = inputs[0].low;
    const reference::detail::element_groups groups(x.dimensions(), axes);
    seq<double> mean(groups.count(), 0.0);
    seq<double> size(groups.count(), 0.0);
    seq<double> most(groups.count(), 0.0);
    seq<double> squares(groups.count(), 0.0);
    groups.for_each([&](std::size_t i, std::size_t group) {
        mean[group] += is_mvn ? x.real(i) / groups.size() : 0;
        size[group] += std::abs(x.real(i)) / groups.size();
        most[group] = larger_of(most[group], std::abs(x.real(i)));
    });
    groups.for_each([&](std::size_t i, std::size_t group) {
        squares[group] += (x.real(i) - mean[group]) * (x.real(i) - mean[group]);
    });
    const tensor value = evaluate(id, lows(inputs));
    const double n = groups.size();
    tensor_builder known(f64, x.dimensions());
    tensor_builder error(f64, x.dimensions());
    groups.for_each([&](std::size_t i, std::size_t group) {
        const double y = value.real(i);
        const double distance = std::abs(x.real(i) - mean[group]);
        const double times = 4 * (n + 16) * unit;
        const double deviation = std::sqrt(squares[group] / n);
        const double of_distance = is_mvn ? times * (distance + deviation + n * unit * size[group]) + smallest : 0;
        double divisor = 1;
        if (is_mvn && each.as<op::mvn>().normalize_variance) {
            const double eps = each.as<op::mvn>().eps;
            const bool outside = each.version() >= 6 && each.as<op::mvn>().eps_mode == op::mvn_eps_mode::outside_sqrt;
            divisor = outside ? deviation + eps : std::sqrt(squares[group] / n + eps);
        }
        const bool fits = most[group] * std::max(1.0, most[group]) < largest / n / 8;
        known.real(i, fits ? y : std::nan(""));
        error.real(i, of_distance / divisor * (1 + of_distance / divisor) + times * std::abs(y) + smallest);
    });
    const tensor result = known.finish();
    return widened({result, result}, error.finish());
}

/// ScaledDotProductAttention of numbers that are known, or dequantized: scores as a product of matrices, a softmax, and a product with its
/// results.
bounds step_bounds::attention(node_id id, const std::vector<bounds>& inputs) const {
    const node& each = model_[id];
    seq<tensor> given = lows(inputs);
    const tensor value = evaluate(id, given);
    const shape& query = given[0].dimensions();
    const shape& values = given[2].dimensions();
    const double depth = static_cast<double>(query[query.rank() - 1]);
    const double keys = static_cast<double>(values[values.rank() - 2]);
    const double scale = each.inputs() > 4 ? std::abs(given[4].real(0)) : 1 / std::sqrt(depth);
    const double score = scale * depth * largest_of(given[0]) * largest_of(given[1]);
    const auto without_infinities = [](double v) { return std::isinf(v) ? 0 : v; };
    const bool adds = each.inputs() > 3 && model_.type(each.input(3)) != boolean;
    const double mask = adds ? largest_of(map(given[3], without_infinities)) : 0;
    // An error of a score is a relative one of its power, and once more of the sum.
    const double most = largest_of(given[2]);
    double of_zero_points[3];
    for (std::size_t port = 0; port < 3; ++port) {
        of_zero_points[port] = error_of_zero_point(each, port);
    }
    const double of_scores =
        2 * unit * ((depth + 3 * roundings) * score + roundings * mask) +
        scale * depth *
            (of_zero_points[0] * largest_of(given[1]) + of_zero_points[1] * (largest_of(given[0]) + of_zero_points[0]));
    const double relative = 2 * std::expm1(of_scores) + (2 * keys + 300) * unit;
    const bool fits = score < largest / 4 && most * keys < largest / 4 && relative < 1;
    const tensor known = map(value, [&](double v) { return fits ? v : std::nan(""); });
    return widened({known, known},
                   map(value, [&](double) { return (2 * relative + 0x1p-120) * most + of_zero_points[2]; }));
}

namespace {

/// Numbers of levels, the least and the most, that x in [x_low, x_high] comes to in ranges whose ends lie within these intervals.
/// `shift_error`: of a shift that was added before the rounding.
std::pair<double, double> levels_of(double x_low, double x_high, const std::pair<double, double>& from,
                                    const std::pair<double, double>& to, double steps, double shift_error) {
    const auto inside = [&](double x, double in_low, double in_high, double direction) {
        const double scale = steps / (in_high - in_low);
        const double error =
            std::isinf(x) ? 0 : roundings * unit * std::abs(scale) * (std::abs(x) + std::abs(in_low)) + shift_error;
        const double place = (x - in_low) * scale + direction * error;
        return std::isnan(place) ? place : std::nearbyint(std::clamp(place, 0.0, steps));
    };
    if (from.second < to.first) {
        return {inside(x_low, from.second, to.second, -1), inside(x_high, from.first, to.first, 1)};
    }
    for (const double end : {from.first, from.second, to.first, to.second, x_low, x_high}) {
        if (std::isnan(end)) {
            return {end, end};
        }
    }
    if (from.first != from.second || to.first != to.second || x_low != x_high) {
        return {0, steps};
    }
    // Below a range whose ends are equal or in the wrong order is its first level, above it the last.
    if (x_low <= to.first) {
        return {0, 0};
    }
    if (x_low > from.first) {
        return {steps, steps};
    }
    return {inside(x_low, from.first, to.first, -1), inside(x_low, from.first, to.first, 1)};
}

}  // namespace

bounds step_bounds::fake_quantize(node_id id, const std::vector<bounds>& inputs) const {
    const node& each = model_[id];
    const shape& dimensions = inputs[0].low.dimensions();
    tensor lows[4];
    tensor highs[4];
    for (std::size_t i = 0; i < 4; ++i) {
        lows[i] = spread(inputs[i + 1].low, dimensions);
        highs[i] = spread(inputs[i + 1].high, dimensions);
    }
    const double steps = static_cast<double>(each.as<op::fake_quantize>().levels - 1);
    const element type = each.type();
    tensor_builder low(f64, dimensions);
    tensor_builder high(f64, dimensions);
    for (std::size_t i = 0; i < low.elements(); ++i) {
        const auto range = [&](std::size_t end) { return std::pair(lows[end].real(i), highs[end].real(i)); };
        const auto [out_low, out_high] = std::pair(range(2), range(3));
        // Integers get the first level before they are rounded: its constant and the sum are numbers of f32.
        const double shift_error =
            is_integral(type) ? 2 * unit * std::max(std::abs(out_low.first), std::abs(out_low.second)) : 0;
        const auto [first, last] =
            levels_of(inputs[0].low.real(i), inputs[0].high.real(i), range(0), range(1), steps, shift_error);
        const auto level = [&](double q, const tensor(&ends)[4]) {
            const double first_level = ends[2].real(i);
            return q * ((ends[3].real(i) - first_level) / steps) + first_level;
        };
        const double width =
            std::max(std::abs(out_high.second - out_low.first), std::abs(out_high.first - out_low.second));
        const double error =
            roundings * unit * (width + std::max(std::abs(out_low.first), std::abs(out_low.second))) + smallest;
        const double least = smaller_of(level(first, lows), level(last, lows)) - error;
        const double most = larger_of(level(first, highs), level(last, highs)) + error;
        if (is_integral(type)) {
            const auto stored = [&](double v) {
                return std::isnan(v) ? v : std::clamp(std::nearbyint(v), facts(type).lowest, facts(type).highest);
            };
            low.real(i, stored(least));
            high.real(i, stored(most));
        } else {
            low.real(i, within_f32(least, true));
            high.real(i, within_f32(most, false));
        }
    }
    return {low.finish(), high.finish()};
}

bool computes_in_f16(const graph& model, node_id id) {
    const node& each = model[id];
    const relaxation* own = each.own_types();
    bool result = each.type() == f16;
    for (std::size_t port = 0; port < each.inputs(); ++port) {
        result = result || model.type(each.input(port)) == f16 ||
                 (own != nullptr && port < own->input_types.size() && own->input_types[port] == f16);
    }
    return result;
}

bool bounds::allow(std::size_t i, double value) const {
    return std::isnan(value) ? is_open(i) : value >= low.real(i) && value <= high.real(i);
}
bool bounds::is_open(std::size_t i) const {
    return std::isnan(low.real(i)) || low.real(i) == -infinity || high.real(i) == infinity;
}

bounds step_bounds::of(output_ref output) {
    if (const tensor* value = model_.constant_value(output)) {
        return bounds::exactly(*value);
    }
    const auto key = std::pair(index_of(output.node), output.port);
    if (const auto found = made_.find(key); found != made_.end()) {
        return found->second;
    }
    const tensor* value = known_(output);
    const bounds result = value != nullptr ? bounds::exactly(*value)
                                           : stored(opened(compute(output), model_.type(output)), model_.type(output));
    made_.emplace(key, result);
    return result;
}

bounds step_bounds::compute(output_ref output) {
    const node_id id = output.node;
    const node& each = model_[id];
    std::vector<bounds> inputs;
    for (std::size_t port = 0; port < each.inputs(); ++port) {
        bounds input = of(each.input(port));
        if (is_real(model_.type(each.input(port)))) {  // what is real is computed in double
            const auto same = [](double v) { return v; };
            input = {map(input.low, same), map(input.high, same)};
        }
        inputs.push_back(std::move(input));
    }
    switch (each.kind()) {
        case op::kind::add:
        case op::kind::subtract: return sum(id, inputs);
        case op::kind::multiply:
        case op::kind::divide:
        case op::kind::squared_difference:
        case op::kind::prelu: return best_of_corners(id, inputs);
        case op::kind::convolution:
        case op::kind::group_convolution:
        case op::kind::convolution_backprop_data:
        case op::kind::group_convolution_backprop_data:
        case op::kind::mat_mul: return product(id, inputs);
        case op::kind::avg_pool:
        case op::kind::reduce_mean: return average(id, inputs);
        case op::kind::softmax:
        case op::kind::log_softmax:
            if (is_point(inputs[0])) {
                return softmax(id, inputs);
            }
            break;
        case op::kind::interpolate:
            if (is_point(inputs[0]) && !is_whole_) {
                return interpolate(id, inputs);
            }
            break;
        case op::kind::lstm_cell:
        case op::kind::gru_cell:
        case op::kind::lstm_sequence:
        case op::kind::gru_sequence:
            if (inputs.size() <=
                6 + (each.is<op::lstm_sequence>() ? 1 : 0)) {  // with peephole weights there is no kernel
                return recurrent(output, inputs);
            }
            break;
        case op::kind::reduce_sum:
        case op::kind::reduce_prod:
        case op::kind::reduce_l1:
        case op::kind::reduce_l2:
            if (is_point(inputs[0])) {
                return reduction(id, inputs);
            }
            break;
        case op::kind::mvn:
        case op::kind::normalize_l2:
            if (is_point(inputs[0])) {
                return normalization(id, inputs);
            }
            break;
        case op::kind::transpose:
        case op::kind::broadcast:
        case op::kind::reshape:
            return {evaluate(id, lows(inputs), output.port), evaluate(id, highs(inputs), output.port)};
        case op::kind::scaled_dot_product_attention:
            if (!is_whole_) {
                return attention(id, inputs);
            }
            break;
        case op::kind::max_pool:
        case op::kind::reduce_max:
        case op::kind::reduce_min: return opened_by_nan(monotone(id, inputs, 0), inputs, false);
        default: break;
    }
    if (const std::optional<bounds> result = of_elements(id, inputs)) {
        return opened_by_nan(*result, inputs, true);
    }
    if (is_whole_) {
        return in_whole_network(output, inputs);
    }
    fail({"no bounds for ", each.operation(), " '", each.name(), "' in a step with a kernel"});
}

/// Operations that make each element of one of each input; none for all others.
std::optional<bounds> step_bounds::of_elements(node_id id, const std::vector<bounds>& inputs) const {
    switch (model_[id].kind()) {
        case op::kind::fake_quantize: return fake_quantize(id, inputs);
        case op::kind::clamp: return monotone(id, inputs, 1);  // its ends are numbers of f64
        case op::kind::relu:
        case op::kind::maximum:
        case op::kind::minimum:
        case op::kind::floor:
        case op::kind::ceiling:
        case op::kind::round:
        case op::kind::sign:
        case op::kind::negative:
        case op::kind::convert: return monotone(id, inputs, 0);
        case op::kind::abs: return smooth(id, inputs, 1, 0);
        case op::kind::sigmoid:
        case op::kind::tanh:
        case op::kind::erf:
        case op::kind::exp:
        case op::kind::log:
        case op::kind::sqrt:
        case op::kind::soft_plus:
        case op::kind::soft_sign:
        case op::kind::hsigmoid:
        case op::kind::hard_sigmoid: return monotone(id, inputs, 12, 0x1p-120);
        case op::kind::elu:
        case op::kind::selu:
            return monotone(id, inputs, 12, 1e-15);  // in double, exp(x) - 1 keeps that much of a small x
        case op::kind::hswish: return gated(smooth(id, inputs, 1.5, 0x1p-120), inputs[0]);
        case op::kind::gelu:
        case op::kind::swish:
        case op::kind::mish: return gated(smooth(id, inputs, 1.13, 1e-6), inputs[0]);
        case op::kind::power: {
            const double exponent = inputs[1].low.real(0);
            if (exponent == 1) {
                return inputs[0];
            }
            return monotone(id, inputs, exponent == 2 && !is_point(inputs[0]) ? std::nan("") : roundings);
        }
        default: return std::nullopt;
    }
}

/// Movement moves the ends; of others nothing is said.
bounds step_bounds::in_whole_network(output_ref output, const std::vector<bounds>& inputs) const {
    const node& each = model_[output.node];
    bool are_points = true;
    for (const bounds& input : inputs) {
        are_points = are_points && is_point(input);
    }
    const bool is_exact =
        each.is<op::shape_of>() || (are_points && is_integral(each.type(static_cast<std::size_t>(output.port))));
    const tensor low = evaluate(output.node, lows(inputs), output.port);
    if (op::has(op::row_of(each.attributes()).traits, op::trait::movement) || is_exact) {
        return {low, evaluate(output.node, highs(inputs), output.port)};
    }
    return bounds::exactly(filled(low.dimensions(), std::nan("")));
}

}  // namespace lpt::testing
