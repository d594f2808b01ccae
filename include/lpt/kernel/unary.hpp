// SPDX-License-Identifier: Apache-2.0
// The functions of one number that an epilogue can apply: one definition for all instruction sets, made of correctly rounded
// operations in a fixed order, so every instruction set gives the same bits.
#pragma once

#include <lpt/kernel/lanes.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// `unary<Isa>::apply(function, values, count, alpha, beta)`. For |v| < 80 results are within 4 ulp of the exact function of v, except:
/// gelu_erf (within 3e-7, absolute), gelu_tanh and swish (the rounding of their inner argument y adds |y| / 2 ulp), and results below
/// 2^-126, which may be zero; swish of numbers below -87.33 is. NaN gives NaN except where a clamp is part of the definition.
template <class Isa>
    requires vector_lanes<lanes<Isa>>
struct unary {
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    using ints = typename simd::ints;

    [[gnu::always_inline]] static floats constant(float value) noexcept { return simd::broadcast(value); }
    [[gnu::always_inline]] static floats absolute(floats v) noexcept {
        return simd::from_bits(simd::and_int(simd::bits(v), simd::broadcast_int(0x7fffffff)));
    }
    [[gnu::always_inline]] static floats sign_bit(floats v) noexcept {
        return simd::from_bits(simd::and_int(simd::bits(v), simd::broadcast_int(-0x7fffffff - 1)));
    }
    [[gnu::always_inline]] static floats with_sign(floats magnitude, floats sign) noexcept {
        return simd::from_bits(simd::or_int(simd::bits(magnitude), simd::bits(sign)));
    }
    [[gnu::always_inline]] static floats negate(floats v) noexcept { return simd::subtract(constant(-0.0f), v); }
    [[gnu::always_inline]] static floats keep_nan(floats v, floats result) noexcept {
        return simd::select(simd::equal(v, v), result, v);
    }
    /// c[0] x^n + ... + c[n]
    template <int Count>
    [[gnu::always_inline]] static floats polynomial(floats x, const float (&c)[Count]) noexcept {
        floats sum = constant(c[0]);
#pragma GCC unroll 16
        for (int i = 1; i < Count; ++i)
            sum = simd::fma(sum, x, constant(c[i]));
        return sum;
    }

    /// v = n ln 2 + r with |r| <= ln 2 / 2; gives exp(r) - 1 and n. v must be in [-88, 89].
    [[gnu::always_inline]] static floats reduced_expm1(floats v, floats& n) noexcept {
        n = simd::round_even(simd::multiply(v, constant(1.44269504f)));
        floats r = simd::fma(n, constant(-0.693359375f), v);  // exact: 9 bits of ln 2 times an integer below 2^8
        r = simd::fma(n, constant(2.12194440e-4f), r);  // the rest of ln 2
        const float c[] = {0.000198911034f, 0.00139337514f, 0.00833331082f, 0.0416664640f, 0.166666667f, 0.5f};
        const floats high = polynomial(r, c);  // (exp(r) - 1 - r) / r^2
        return simd::fma(simd::multiply(r, r), high, r);
    }
    /// 2^n for integral n in [-126, 127]
    [[gnu::always_inline]] static floats power_of_two(floats n) noexcept {
        return simd::from_bits(simd::shift_left_23(simd::add_int(simd::round_to_int(n), simd::broadcast_int(127))));
    }

    [[gnu::always_inline]] static floats exp(floats v) noexcept {
        const floats inside = simd::at_most(simd::at_least(v, constant(-87.0f)), constant(88.8f));
        floats n;
        const floats p = reduced_expm1(inside, n);
        // n can be 128, which is no exponent of a float: multiply by 2^(n - 1), then by 2.
        const floats half = power_of_two(simd::subtract(n, constant(1.0f)));
        floats result = simd::multiply(simd::fma(p, half, half), constant(2.0f));
        result = simd::select(simd::less(v, constant(-87.0f)), constant(0.0f), result);
        return keep_nan(v, result);
    }
    [[gnu::always_inline]] static floats expm1(floats v) noexcept {
        const floats inside = simd::at_most(simd::at_least(v, constant(-20.0f)), constant(88.0f));
        floats n;
        const floats p = reduced_expm1(inside, n);
        const floats scale = power_of_two(n);
        floats result = simd::fma(scale, p, simd::subtract(scale, constant(1.0f)));
        result = simd::select(simd::less(constant(88.0f), v), exp(v), result);
        return keep_nan(v, result);
    }
    /// ln(v); -infinity at 0, NaN below; v must be normal, smaller numbers count as 0.
    [[gnu::always_inline]] static floats log(floats v) noexcept {
        const ints whole = simd::bits(v);
        // Move the mantissa into [sqrt(1/2), sqrt(2)): subtract the bits of sqrt(1/2), what is above bit 23 is the exponent.
        const ints offset = simd::subtract_int(whole, simd::broadcast_int(0x3f3504f3));
        const ints exponent = simd::shift_right_23(offset);
        const floats m = simd::from_bits(simd::subtract_int(whole, simd::shift_left_23(exponent)));
        const floats n = simd::to_float(exponent);
        const floats f = simd::subtract(m, constant(1.0f));
        const floats s = simd::divide(f, simd::add(m, constant(1.0f)));
        const floats z = simd::multiply(s, s);
        const float c[] = {0.116684055f, 0.142752935f, 0.200000620f, 0.333333333f};
        // ln m = 2 atanh(s) = f - s (f - 2 z (1/3 + z/5 ...)) since 2 s = f - s f
        const floats tail = simd::multiply(simd::multiply(constant(2.0f), z), polynomial(z, c));
        const floats low = simd::fma(n, constant(-2.12194440e-4f), simd::multiply(s, simd::subtract(tail, f)));
        floats result = simd::fma(n, constant(0.693359375f), simd::add(f, low));
        result = simd::select(simd::less(v, constant(1.17549435e-38f)), constant(-__builtin_inff()), result);
        result = simd::select(simd::less(v, constant(0.0f)), constant(__builtin_nanf("")), result);
        result = simd::select(simd::equal(v, constant(__builtin_inff())), v, result);
        return keep_nan(v, result);
    }
    /// ln(1 + t) for t in [0, 1]
    [[gnu::always_inline]] static floats log1p_unit(floats t) noexcept {
        const floats u = simd::add(constant(1.0f), t);
        const floats lost = simd::subtract(t, simd::subtract(u, constant(1.0f)));
        return simd::add(log(u), simd::divide(lost, u));
    }
    [[gnu::always_inline]] static floats softplus(floats v) noexcept {
        const floats tail = log1p_unit(exp(negate(absolute(v))));
        return keep_nan(v, simd::add(simd::at_least(v, constant(0.0f)), tail));
    }
    /// exp(v) for v <= 0: what it need not know of large numbers is a fifth of `exp`. NaN stays.
    [[gnu::always_inline]] static floats exp_of_negative(floats v) noexcept {
        floats n;
        const floats p = reduced_expm1(simd::at_least(v, constant(-87.0f)), n);
        const floats scale = power_of_two(n);
        const floats result = simd::select(simd::less(v, constant(-87.0f)), constant(0.0f), simd::fma(p, scale, scale));
        return keep_nan(v, result);
    }
    [[gnu::always_inline]] static floats sigmoid(floats v) noexcept { return keep_nan(v, sigmoid_of_number(v)); }
    /// What it gives for NaN is a number.
    [[gnu::always_inline]] static floats sigmoid_of_number(floats v) noexcept {
        // Both tails keep their relative accuracy: 1 + e loses nothing of a large e, and the result nothing of a small one. At most 87.33, so
        // that no quotient is subnormal, not even in lanes that `select` drops: many processors take a hundred times as long for those.
        floats n;
        const floats inside = simd::at_most(simd::at_least(negate(v), constant(-87.0f)), constant(87.33f));
        const floats p = reduced_expm1(inside, n);
        const floats scale = power_of_two(n);
        const floats sum = simd::add(constant(1.0f), simd::fma(p, scale, scale));
        const floats result = simd::divide(constant(1.0f), sum);
        return simd::select(simd::less(v, constant(-87.33f)), constant(0.0f), result);
    }
    [[gnu::always_inline]] static floats tanh(floats v) noexcept {
        const floats magnitude = simd::at_most(absolute(v), constant(10.0f));  // tanh(10) rounds to 1
        const floats e = expm1(simd::add(magnitude, magnitude));
        return keep_nan(v, with_sign(simd::divide(e, simd::add(e, constant(2.0f))), sign_bit(v)));
    }
    [[gnu::always_inline]] static floats erf(floats v) noexcept {
        const floats x = simd::at_most(absolute(v), constant(4.0f));  // erf(4) rounds to 1
        const float small[] = {-9.66704457e-6f, 1.12659590e-4f, -8.48408041e-4f, 5.22103181e-3f,
                               -2.68654307e-2f, 1.12837825e-1f, -3.76126385e-1f, 1.12837917f};
        const float large[] = {1.63715141e-6f,  -4.60580427e-5f, 5.96805626e-4f, -4.75959629e-3f, 2.64211360e-2f,
                               -1.10080083e-1f, -6.31826052e-1f, -1.13023343f,   3.20138050e-4f};
        const floats near = simd::multiply(x, polynomial(simd::multiply(x, x), small));
        const floats far = simd::subtract(constant(1.0f), exp(polynomial(x, large)));  // 1 - erfc
        const floats result = simd::select(simd::less(x, constant(1.0f)), near, far);
        return keep_nan(v, with_sign(result, sign_bit(v)));
    }
    [[gnu::always_inline]] static floats ramp6(floats v) noexcept {
        return simd::at_most(simd::at_least(simd::add(v, constant(3.0f)), constant(0.0f)), constant(6.0f));
    }
    [[gnu::always_inline]] static floats hsigmoid(floats v) noexcept {
        return simd::multiply(ramp6(v), constant(0.166666667f));  // 1 from v = 3 on
    }
    [[gnu::always_inline]] static floats hswish(floats v) noexcept { return simd::multiply(v, hsigmoid(v)); }
    [[gnu::always_inline]] static floats swish(floats v, floats beta) noexcept {
        return simd::multiply(v, sigmoid_of_number(simd::multiply(beta, v)));  // NaN times a number stays
    }
    [[gnu::always_inline]] static floats gelu_erf(floats v) noexcept {
        // What is missing from max(v, 0) is |v| erfc(|v| / sqrt(2)) / 2; the polynomial is the eighth root of erfc / 2. Beyond 5.6, where less
        // than 1e-7 is missing, nothing is taken off.
        const floats x = absolute(v);
        const float c[] = {-2.958799712e-7f, 7.479527085e-6f,  -6.025749826e-5f, 3.429463322e-5f, 1.504363026e-3f,
                           -6.719562807e-4f, -3.192807734e-2f, -9.145741165e-2f, 9.170039892e-1f};
        floats power = polynomial(x, c);
        power = simd::multiply(power, power);
        power = simd::multiply(power, power);
        power = simd::multiply(power, power);
        const floats missing = simd::select(simd::less(constant(5.6f), x), constant(0.0f), simd::multiply(x, power));
        return keep_nan(v, simd::subtract(simd::at_least(v, constant(-0.0f)), missing));
    }
    [[gnu::always_inline]] static floats gelu_tanh(floats v) noexcept {
        // (1 + tanh(y)) / 2 = sigmoid(2 y), which does not cancel
        const floats cube = simd::multiply(simd::multiply(v, v), v);
        const floats twice = simd::multiply(constant(1.59576912f), simd::fma(cube, constant(0.044715f), v));
        const floats whole = simd::multiply(v, sigmoid(twice));
        return simd::select(simd::less(v, constant(-14.0f)), constant(-0.0f), whole);
    }
    [[gnu::always_inline]] static floats mish(floats v) noexcept {
        // tanh(ln(1 + e)) = (e^2 + 2 e) / (e^2 + 2 e + 2)
        const floats e = exp(simd::at_most(v, constant(20.0f)));
        const floats n = simd::multiply(e, simd::add(e, constant(2.0f)));
        const floats result = simd::multiply(v, simd::divide(n, simd::add(n, constant(2.0f))));
        return keep_nan(v, simd::select(simd::less(constant(20.0f), v), v, result));
    }
    [[gnu::always_inline]] static floats round_away(floats v) noexcept {
        const floats magnitude = absolute(v);
        const floats whole = simd::floor(magnitude);
        const floats rest = simd::subtract(magnitude, whole);
        const floats up = simd::select(simd::less(rest, constant(0.5f)), constant(0.0f), constant(1.0f));
        const floats result =
            simd::select(simd::less(magnitude, constant(8388608.0f)), simd::add(whole, up), magnitude);
        return with_sign(result, sign_bit(v));
    }
    [[gnu::always_inline]] static floats sign(floats v) noexcept {
        const floats positive = simd::select(simd::less(constant(0.0f), v), constant(1.0f), constant(0.0f));
        return simd::select(simd::less(v, constant(0.0f)), constant(-1.0f), positive);
    }

    /// Applies f to `count` numbers in place, `count` a multiple of the vector width.
    template <class Function>
    [[gnu::always_inline]] static void each(float* values, std::int64_t count, Function f) noexcept {
        for (std::int64_t i = 0; i < count; i += simd::width)
            simd::store(values + i, f(simd::load(values + i)));
    }

    /// Replaces `count` numbers by the function of them; `count` is a multiple of the vector width.
    static void apply(unary_function function, float* values, std::int64_t count, float alpha, float beta) noexcept {
        const floats a = constant(alpha);
        const floats b = constant(beta);
        switch (function) {
            case unary_function::sigmoid: each(values, count, [](floats v) { return sigmoid(v); }); break;
            case unary_function::tanh: each(values, count, [](floats v) { return tanh(v); }); break;
            case unary_function::hswish: each(values, count, [](floats v) { return hswish(v); }); break;
            case unary_function::hsigmoid: each(values, count, [](floats v) { return hsigmoid(v); }); break;
            case unary_function::hard_sigmoid:
                each(values, count, [a, b](floats v) {
                    return simd::at_most(simd::at_least(simd::fma(v, a, b), constant(0.0f)), constant(1.0f));
                });
                break;
            case unary_function::gelu_erf: each(values, count, [](floats v) { return gelu_erf(v); }); break;
            case unary_function::gelu_tanh: each(values, count, [](floats v) { return gelu_tanh(v); }); break;
            case unary_function::swish: each(values, count, [a](floats v) { return swish(v, a); }); break;
            case unary_function::mish: each(values, count, [](floats v) { return mish(v); }); break;
            case unary_function::elu:
                each(values, count, [a](floats v) {
                    return simd::select(simd::less(v, constant(0.0f)), simd::multiply(a, expm1(v)), v);
                });
                break;
            case unary_function::selu:
                each(values, count, [a, b](floats v) {
                    const floats negative = simd::multiply(b, simd::multiply(a, expm1(v)));
                    return simd::select(simd::less(constant(0.0f), v), simd::multiply(b, v), negative);
                });
                break;
            case unary_function::softplus: each(values, count, [](floats v) { return softplus(v); }); break;
            case unary_function::softsign:
                each(values, count, [](floats v) { return simd::divide(v, simd::add(constant(1.0f), absolute(v))); });
                break;
            case unary_function::exp: each(values, count, [](floats v) { return exp(v); }); break;
            case unary_function::log: each(values, count, [](floats v) { return log(v); }); break;
            case unary_function::erf: each(values, count, [](floats v) { return erf(v); }); break;
            case unary_function::sqrt: each(values, count, [](floats v) { return simd::sqrt(v); }); break;
            case unary_function::abs: each(values, count, [](floats v) { return absolute(v); }); break;
            case unary_function::negative:
                each(values, count, [](floats v) {
                    return simd::from_bits(simd::add_int(simd::bits(v), simd::broadcast_int(-0x7fffffff - 1)));
                });
                break;
            case unary_function::floor: each(values, count, [](floats v) { return simd::floor(v); }); break;
            case unary_function::ceiling: each(values, count, [](floats v) { return simd::ceiling(v); }); break;
            case unary_function::round_even: each(values, count, [](floats v) { return simd::round_even(v); }); break;
            case unary_function::round_away: each(values, count, [](floats v) { return round_away(v); }); break;
            case unary_function::sign: each(values, count, [](floats v) { return sign(v); }); break;
            case unary_function::reciprocal:
                each(values, count, [](floats v) { return simd::divide(constant(1.0f), v); });
                break;
            case unary_function::square: each(values, count, [](floats v) { return simd::multiply(v, v); }); break;
            case unary_function::cube:
                each(values, count, [](floats v) { return simd::multiply(simd::multiply(v, v), v); });
                break;
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
