// SPDX-License-Identifier: Apache-2.0
// A FakeQuantize as functions of a chain.
#pragma once

#include <lpt/plan/chain.hpp>

#include <cmath>
#include <utility>

namespace lpt::inline LPT_ABI::plan::detail {

inline bool finite(const spread& numbers) {
    return numbers.all([](double v) { return math::is_finite(static_cast<float>(v)); });
}

/// A factor of at most 9 digits that lies as near as the rounding of bounds to floats makes it, or the factor itself.
///
/// Only such factors can put integers in the middle between two others; products with longer ones do so only where they are too large for what
/// is stored.
struct short_factor {
    double value;
    bool is_short;

    explicit short_factor(double factor) {
        constexpr int most_digits = 9;
        int exponent = 0;
        const double digits = std::frexp(factor, &exponent);
        const double rounded = std::ldexp(std::round(std::ldexp(digits, most_digits)), -most_digits);
        is_short = math::absolute(rounded - digits) <= 0x1p-22;
        value = is_short ? std::ldexp(rounded, exponent) : factor;
    }
};
/// A whole number that lies as near as the rounding of bounds makes it, or the number itself.
inline double settled_shift(double shift) {
    const double whole = std::round(shift);
    return math::absolute(shift - whole) <= 0x1p-14 ? whole : shift;
}

/// The map from numbers to levels or the stored integers that these are, joined with what is scaled before, so that halves are found where the
/// definition has them. With `odd_halves` one is added, which is to be taken off behind the rounding; gives whether that was done.
inline bool append_level_map(chain& to, const spread& scale, const spread& shift, bool odd_halves) {
    to.affine(scale, shift);
    const bool is_joined = !to.functions.empty() && to.functions.back().what == chain_function::form::affine &&
                           !to.functions.back().is_zero_point;
    if (!is_joined && !odd_halves) {
        return false;
    }
    if (!is_joined) {
        to.functions.emplace_back();  // numbers are levels already, but perhaps not whole ones
    }
    chain_function& map = to.functions.back();
    const std::size_t count = to.functions.size();
    const bool is_whole = count > 1 && map.scale.is(1) && to.functions[count - 2].rounds_to_even();
    const bool gives_halves = !map.scale.all([](double v) { return !short_factor(v).is_short; });
    map.scale = map.scale.map([](double v) { return short_factor(v).value; });
    map.shift = map.shift.map([](double v) { return settled_shift(v); });
    if (!odd_halves || !gives_halves || is_whole) {
        return false;
    }
    map.shift = map.shift.map([](double v) { return v + 1; });
    return true;
}

/// What the ranges of a FakeQuantize say: the number of x's level is scale * x + shift, and that of level q is step * q + low.
struct level_maps {
    double steps;
    spread scale;
    spread shift;
    spread step;
    spread low;
    spread high;

    /// True if levels are whole numbers in the order of integers, up or down.
    bool are_integers() const {
        return low.is_one() && step.is_one() && (step.one() == 1 || step.one() == -1) &&
               math::truncate(low.one()) == low.one();
    }
};

/// False for ranges that no chain computes with.
inline bool read_level_maps(const chain& to, const graph& model, const node& each, level_maps& result) {
    spread range[4];
    for (std::size_t i = 0; i < 4; ++i) {
        const tensor* value = model.constant_value(each.input(i + 1));
        if (value == nullptr || !spread_of(*value, each.shape(), range[i]) || !to.allows(range[i]) ||
            !finite(range[i])) {
            return false;
        }
    }
    const double steps = static_cast<double>(each.as<op::fake_quantize>().levels - 1);
    const auto difference = [](double low, double high) { return high - low; };
    spread in_width;
    spread out_width;
    if (!combine(range[0], range[1], in_width, difference) || !combine(range[2], range[3], out_width, difference) ||
        !in_width.all([](double v) { return v > 1e-30; }) ||
        !out_width.all([](double v) { return v == 0 || math::absolute(v) > 1e-30; })) {  // a step of few digits
        return false;
    }
    result.steps = steps;
    result.scale = in_width.map([&](double width) { return steps / width; });
    result.step = out_width.map([&](double width) { return width / steps; });
    result.low = range[2];
    result.high = range[3];
    return combine(range[0], result.scale, result.shift, [](double low, double by) { return -low * by; }) &&
           finite(result.scale) && finite(result.shift);
}

/// Levels as integers of the stored type.
inline void store_levels(chain& to, const level_maps& maps, element type, bool odd_halves) {
    const double sign = maps.step.one();
    const double low = maps.low.one();
    const spread scale = maps.scale.map([&](double v) { return v * sign; });
    const auto of_integers = [&](double v) { return v * sign + low; };
    const spread shift = maps.shift.map([&](double v) { return of_integers(v) == 0 ? no_shift : of_integers(v); });
    const bool are_even = math::truncate(low / 2) * 2 == low;  // integers where levels are
    if (append_level_map(to, scale, shift, odd_halves == are_even)) {
        to.unary(kernel::unary_function::round_even);
        to.affine(spread::of(1), spread::of(-1));
    }
    const double high = maps.high.one();
    to.store(type, math::maximum(math::minimum(low, high), facts(type).lowest),
             math::minimum(math::maximum(low, high), facts(type).highest));
}

/// Whether a level stands for 0, as near as bounds say it.
inline bool stands_for_zero(const level_maps& maps, double level) {
    spread rest;
    const auto distance = [&](double low, double step) { return math::absolute((low + level * step) / step); };
    return level >= 0 && combine(maps.low, maps.step, rest, distance) &&
           rest.all([](double v) { return v <= 0x1p-12; });
}

/// q = round(clamp((x - il) / (ih - il) * (levels - 1))), y = q * (oh - ol) / (levels - 1) + ol
///
/// Halves that go to the odd level are rounded one level higher, which is then taken off. A zero level gives 0 exactly: what functions make of it often
/// lies next to the middle between two integers.
inline bool extend_by_fake_quantize(chain& to, const graph& model, const node& each) {
    const op::fake_quantize& what = each.as<op::fake_quantize>();
    const bool odd_halves = what.zero_level % 2 == 1;
    level_maps maps;
    if (!read_level_maps(to, model, each, maps)) {
        return false;
    }
    if (is_byte(each.type()) && maps.are_integers()) {
        store_levels(to, maps, each.type(), odd_halves);
        return true;
    }
    const double raised = append_level_map(to, maps.scale, maps.shift, odd_halves) ? 1 : 0;
    to.clamp(raised, maps.steps + raised);
    to.unary(kernel::unary_function::round_even);
    const double zero_level = static_cast<double>(what.zero_level);
    if (stands_for_zero(maps, zero_level)) {
        if (zero_level + raised != 0) {
            to.take_off(spread::of(-zero_level - raised));
        }
        to.affine(maps.step, spread::of(no_shift));
    } else {
        to.affine(spread::of(1), spread::of(raised != 0 ? -raised : no_shift));
        to.affine(maps.step, maps.low);
    }
    if (is_byte(each.type())) {
        to.store(each.type(), facts(each.type()).lowest, facts(each.type()).highest);
    }
    return true;
}

}  // namespace lpt::inline LPT_ABI::plan::detail
