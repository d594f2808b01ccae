// SPDX-License-Identifier: Apache-2.0
// Chains of elementwise operations that one step computes together.
#pragma once

#include <lpt/kernel/rows.hpp>
#include <lpt/plan/source.hpp>

#include <utility>

namespace lpt::inline LPT_ABI::plan {

/// One function of a chain; v is the value so far.
struct chain_function {
    enum class form {
        affine,    // scale * v + shift
        divide,    // v / scale
        clamp,     // between low and high
        prelu,     // v < 0 ? scale * v : v
        unary,     // function with low and high as its alpha and beta
        add,       // v + low * other
        multiply,  // v * (low * other + high)
    };
    form what = form::affine;
    spread scale = spread::of(1);
    spread shift = spread::of(no_shift);
    double low = 0;
    double high = 0;
    kernel::unary_function function = kernel::unary_function::abs;
    bool is_zero_point =
        false;  // an affine function that takes one off, exactly: it stays apart from the scaling behind it
    output_ref other;  // a stored tensor of the chain's shape, or one with size 1 on all axes from 2 on

    bool rounds_to_even() const { return what == form::unary && function == kernel::unary_function::round_even; }
};

/// What a step computes after its kernel proper: functions one after the other, and the type that is stored.
struct chain {
    lpt::shape dimensions;
    /// The axis along which constants may vary; -1: none, -2: any.
    int axis = any_axis;
    bool channels_last = false;  // one number a channel and image may come from another tensor
    std::vector<chain_function> functions;
    std::vector<node_id> nodes;
    output_ref tail;
    element type = f32;
    double low = 0;   // of a stored integer
    double high = 0;

    static constexpr int any_axis = -2;
    static constexpr int no_axis = -1;

    bool allows(const spread& numbers) const {
        return numbers.is_one() || axis == any_axis ||
               (axis >= 0 && numbers.varies_only_along(static_cast<std::size_t>(axis)));
    }

    /// v = scale * v + shift, joined with the function before where that is of the same form. A shift of `no_shift` keeps the sign
    /// of zeros: 0 times a negative number is -0.
    void affine(const spread& scale, const spread& shift) {
        if (scale.is(1) && shift.is_nothing_to_add()) {
            return;
        }
        if (!functions.empty() && functions.back().what == chain_function::form::affine &&
            !functions.back().is_zero_point) {
            chain_function& before = functions.back();
            spread joined_scale;
            spread moved;
            spread joined_shift;
            const auto product = [](double a, double b) { return a * b; };
            if (combine(before.scale, scale, joined_scale, product) &&
                combine(before.shift, scale, moved, scaled_shift) &&
                combine(moved, shift, joined_shift, [](double a, double b) { return a + b; })) {
                before.scale = std::move(joined_scale);
                before.shift = std::move(joined_shift);
                return;
            }
        }
        chain_function made;
        made.scale = scale;
        made.shift = shift;
        functions.push_back(std::move(made));
    }
    /// What the elements of a dequantization's base are: (q - zero point) * scale where that is its form, so that q = zero point gives 0.
    void dequantize(const quantized_source& from) {
        const bool has_zero_point = from.has_one_zero_point() && from.zero_point() != 0;
        if (!has_zero_point || !functions.empty() || !from.shift.is_one()) {
            affine(from.scale, from.shift);
            return;
        }
        take_off(spread::of(-from.zero_point()));
        affine(from.scale, spread::of(no_shift));
    }
    /// v + shift, apart from what follows: where the sum is 0, so is what it is scaled to.
    void take_off(const spread& shift) {
        chain_function taken_off;
        taken_off.shift = shift;
        taken_off.is_zero_point = true;
        functions.push_back(std::move(taken_off));
    }
    /// One function where a whole number is taken off what was rounded, which is then scaled: sums have kernels for that, and no last digit to lose.
    void join_rounded() {
        const std::size_t count = functions.size();
        if (count < 3 || !functions[count - 3].rounds_to_even() || !functions[count - 2].is_zero_point ||
            functions[count - 1].what != chain_function::form::affine) {
            return;
        }
        const chain_function last = std::move(functions.back());
        functions.pop_back();
        functions.back().is_zero_point = false;
        affine(last.scale, last.shift);
    }
    /// v / divisor, rounded once: not the product with a reciprocal, which was rounded before.
    void divide(const spread& divisor) {
        chain_function made;
        made.what = chain_function::form::divide;
        made.scale = divisor;
        functions.push_back(std::move(made));
    }
    void clamp(double least, double greatest) {
        chain_function made;
        made.what = chain_function::form::clamp;
        made.low = least;
        made.high = greatest;
        functions.push_back(std::move(made));
    }
    void unary(kernel::unary_function which, double alpha = 0, double beta = 0) {
        chain_function made;
        made.what = chain_function::form::unary;
        made.function = which;
        made.low = alpha;
        made.high = beta;
        functions.push_back(std::move(made));
    }
    /// Stores integers of a type, no smaller than `least` and no greater than `greatest`.
    void store(element as, double least, double greatest) {
        type = as;
        low = least;
        high = greatest;
        join_zero_point();
        narrow_by_clamp();
        complete_sum();
    }
    /// Goes on with the integers that would be stored.
    void compute_with_stored() {
        clamp(low, high);
        unary(kernel::unary_function::round_even);
        type = f32;
    }

private:
    /// Between integers a last digit does not count: one function where there are two.
    void join_zero_point() {
        if (functions.size() < 2 || !functions[0].is_zero_point || functions[1].what != chain_function::form::affine) {
            return;
        }
        for (const chain_function& each : functions) {
            if (each.what != chain_function::form::affine && each.what != chain_function::form::clamp) {
                return;
            }
        }
        const std::vector<chain_function> all = std::move(functions);
        functions.clear();
        for (const chain_function& each : all) {
            if (each.what == chain_function::form::affine) {
                affine(each.scale, each.shift);
            } else {
                functions.push_back(each);
            }
        }
    }
    /// A clamp before the last scaling, or at the end, can be done by narrowing the range of the stored integers, because
    /// rounding and scaling keep the order.
    void narrow_by_clamp() {
        const std::size_t count = functions.size();
        const bool scaled = count > 1 && functions.back().what == chain_function::form::affine;
        if (count < (scaled ? 2u : 1u)) {
            return;
        }
        const chain_function& clamp = functions[count - (scaled ? 2 : 1)];
        if (clamp.what != chain_function::form::clamp) {
            return;
        }
        spread least = spread::of(clamp.low);
        spread greatest = spread::of(clamp.high);
        if (scaled) {
            const chain_function& last = functions.back();
            if (!last.scale.all([](double v) { return v > 0 && v < 1e30; }) ||
                !scaled_limit(last, clamp.low, low, least) || !scaled_limit(last, clamp.high, high, greatest)) {
                return;
            }
        }
        const double narrow_low = math::round_half_even(math::minimum(math::maximum(least.one(), low), high));
        const double narrow_high = math::round_half_even(math::maximum(math::minimum(greatest.one(), high), low));
        low = narrow_low;
        high = narrow_high;
        const chain_function last = functions.back();
        functions.resize(count - (scaled ? 2 : 1));
        if (scaled) {
            affine(last.scale, last.shift);
        }
    }
    /// Tiles have a list for a quantized value plus a tensor, then the next scale. A scale of 1 is written out to fit it.
    void complete_sum() {
        using form = chain_function::form;
        const std::size_t first = !functions.empty() && functions[0].what == form::affine ? 1 : 0;
        if (functions.size() == first + 4 && functions[first].what == form::clamp &&
            functions[first + 1].rounds_to_even() && functions[first + 2].what == form::affine &&
            functions[first + 3].what == form::add) {
            functions.push_back({});
        }
    }
    /// The stored integer that a limit becomes; false if that is not one for all channels. Limits beyond what is stored are all the same.
    bool scaled_limit(const chain_function& last, double limit, double outside, spread& result) const {
        if (math::is_infinite(limit)) {
            result = spread::of(outside);
            return true;
        }
        const auto scaled = [&](double scale, double shift) {
            const double stored = math::round_half_even(static_cast<double>(
                __builtin_fmaf(static_cast<float>(limit), static_cast<float>(scale), static_cast<float>(shift))));
            return math::minimum(math::maximum(stored, low), high);
        };
        return combine(last.scale, last.shift, result, scaled) && result.is_one();
    }
};

}  // namespace lpt::inline LPT_ABI::plan
