// SPDX-License-Identifier: Apache-2.0
// Sums and products of codes in fixed point.
#pragma once

#include <lpt/kernel/fixed_point.hpp>
#include <lpt/kernel/parallel.hpp>

namespace lpt::inline LPT_ABI::kernel {

template <class Isa>
struct kernel_of<Isa, fixed_binary_problem> {
    using simd = lanes<Isa>;
    using ints = typename simd::ints;
    using scaling = fixed_scaling<simd>;
    static constexpr std::int64_t width = simd::width;
    static constexpr std::int64_t least_elements = 4096;  // of a task

    static void run(const fixed_binary_problem& problem, const parallel_for& parallel) noexcept {
        fixed_binary_problem p = problem;
        const bool dense = p.a_step == 1 && p.b_step == 1 && p.a_row_stride == p.columns && p.b_row_stride == p.columns;
        if (dense || p.rows == 1) {
            p.columns *= p.rows;
            share_out<Isa>(parallel, p.columns, least_elements, [&](std::int64_t begin, std::int64_t end, int) {
                run_row(p, p.a + begin * p.a_step, p.b + begin * p.b_step, end - begin, p.output + begin);
            });
            return;
        }
        const std::int64_t grain = p.columns > 0 ? (least_elements + p.columns - 1) / p.columns : 1;
        share_out<Isa>(parallel, p.rows, grain, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t r = begin; r < end; ++r)
                run_row(p, p.a + r * p.a_row_stride, p.b + r * p.b_row_stride, p.columns, p.output + r * p.columns);
        });
    }

private:
    using floats = typename simd::floats;

    /// What a result is in single precision: of sums a * of_a + b * of_b + constant, which includes the zero point; of products
    /// a * b * of_a +- half_step.
    struct near_numbers {
        floats of_a, of_b, constant, half_step;
        floats limit;  // farther from an integer than this it may be wrong
        bool are_usable = false;

        near_numbers(const fixed_binary_problem& p) noexcept {
            const double of_result = real(p.of_result);
            const float half = p.of_result.below != 0 ? 1 / power_of_two(p.of_result.right + 2) : 0;
            double a = of_result, b = 0, error = static_cast<double>(error_of_codes);
            if (p.function != fixed_function::multiply) {
                a = real(p.of_a) * of_result;
                b = real(p.of_b) * (p.function == fixed_function::add ? of_result : -of_result);
                // Operands are at most one step from what they stand for; single precision rounds six numbers of up to 256 (a + b), and the zero
                // point with them, by 2^-24. The half step of sums, which have 20 bits more than codes, is not worth its instructions.
                error += 2 * of_result + (a + (b < 0 ? -b : b)) * error_of_codes * 2 + static_cast<double>(half);
            }
            of_a = simd::broadcast(static_cast<float>(a));
            of_b = simd::broadcast(static_cast<float>(b));
            constant =
                simd::broadcast(static_cast<float>(p.of_result.offset - (p.a_zero_point * a + p.b_zero_point * b)));
            half_step = simd::broadcast(half);
            limit = simd::broadcast(static_cast<float>(0.5 - error));
            are_usable = error < 1.0 / 64;
        }
        static float power_of_two(int exponent) noexcept { return static_cast<float>(std::int64_t{1} << exponent); }
        static double real(const fixed_scale& by) noexcept {
            const int right = 31 + (by.below != 0 ? by.right + 1 : 0);
            return by.multiplier * static_cast<double>(power_of_two(by.left)) /
                   static_cast<double>(power_of_two(right));
        }
    };
    struct numbers {
        scaling of_a, of_b, of_result;
        ints a_zero, b_zero;
        typename fixed_store<Isa>::limits limit;
    };

    template <fixed_function Function>
    [[gnu::always_inline]] static ints near_code(const numbers& n, const near_numbers& near, ints a, ints b,
                                                 floats& farthest) noexcept {
        if constexpr (Function == fixed_function::multiply) {
            const ints x = simd::multiply_int(simd::subtract_int(a, n.a_zero), simd::subtract_int(b, n.b_zero));
            const floats product = simd::multiply(simd::to_float(x), near.of_a);
            const floats moved = simd::add(product, simd::with_sign_of(near.half_step, product));
            return n.of_result.with_offset(simd::round_noting(moved, farthest));
        } else {
            const floats of_b = simd::fma(simd::to_float(b), near.of_b, near.constant);
            return simd::round_noting(simd::fma(simd::to_float(a), near.of_a, of_b), farthest);
        }
    }

    [[gnu::always_inline]] static ints load(const std::int8_t* from, std::int32_t step, std::int64_t count) noexcept {
        if (step == 0) return simd::broadcast_int(*from);
        return load_part_of_bytes<Isa, true>(reinterpret_cast<const unsigned char*>(from), count);
    }

    template <fixed_function Function>
    [[gnu::always_inline]] static ints code(const numbers& n, ints a, ints b) noexcept {
        a = simd::subtract_int(a, n.a_zero);
        b = simd::subtract_int(b, n.b_zero);
        ints x;
        if constexpr (Function == fixed_function::multiply) {
            x = simd::multiply_int(a, b);
        } else {
            a = n.of_a.template code<true>(a);
            b = n.of_b.template code<true>(b);
            x = Function == fixed_function::add ? simd::add_int(a, b) : simd::subtract_int(a, b);
        }
        return n.of_result.template code<false>(x);
    }

    /// Four vectors of codes by single precision; false where one of them may be another (fixed_point.hpp).
    template <fixed_function Function>
    [[gnu::always_inline]] static bool nearly(const fixed_binary_problem& p, const numbers& n, const near_numbers& near,
                                              const std::int8_t* a, const std::int8_t* b, ints (&q)[4]) noexcept {
        if constexpr (rounds_noting<simd>) {
            if (!near.are_usable) return false;
            floats farthest = simd::broadcast(0);
#pragma GCC unroll 4
            for (int v = 0; v < 4; ++v)
                q[v] = near_code<Function>(n, near, load(a + v * width * p.a_step, p.a_step, width),
                                           load(b + v * width * p.b_step, p.b_step, width), farthest);
            return simd::all_below(farthest, near.limit);
        } else {
            return false;
        }
    }

    /// Limited as bytes, where there are vectors of these.
    [[gnu::always_inline]] static void store_four(const fixed_binary_problem& p, const numbers& n, std::uint8_t* to,
                                                  const ints (&q)[4]) noexcept {
        if constexpr (byte_lanes<simd>) {
            const auto packed = simd::template pack<true>(q[0], q[1], q[2], q[3]);
            simd::store_first(to, simd::template limit<true>(packed, p.low, p.high), 4 * width);
        } else {
            simd::template store_bytes<true>(to, n.limit(q[0]), n.limit(q[1]), n.limit(q[2]), n.limit(q[3]));
        }
    }

    template <fixed_function Function>
    static void run_as(const fixed_binary_problem& p, const std::int8_t* a, const std::int8_t* b, std::int64_t count,
                       std::int8_t* output) noexcept {
        const numbers n{scaling(p.of_a),
                        scaling(p.of_b),
                        scaling(p.of_result),
                        simd::broadcast_int(p.a_zero_point),
                        simd::broadcast_int(p.b_zero_point),
                        {simd::broadcast_int(p.low), simd::broadcast_int(p.high)}};
        const near_numbers near(p);
        auto* const to = reinterpret_cast<std::uint8_t*>(output);
        std::int64_t i = 0;
        for (; i + 4 * width <= count; i += 4 * width) {
            ints q[4];
            if (!nearly<Function>(p, n, near, a + i * p.a_step, b + i * p.b_step, q)) {
#pragma GCC unroll 4
                for (int v = 0; v < 4; ++v) {
                    const std::int64_t at = i + v * width;
                    q[v] = code<Function>(n, load(a + at * p.a_step, p.a_step, width),
                                          load(b + at * p.b_step, p.b_step, width));
                }
            }
            store_four(p, n, to + i, q);
        }
        for (; i < count; i += width) {
            const ints q = code<Function>(n, load(a + i * p.a_step, p.a_step, count - i),
                                          load(b + i * p.b_step, p.b_step, count - i));
            fixed_store<Isa>::store_one(to + i, n.limit(q), count - i);
        }
    }

    static void run_row(const fixed_binary_problem& p, const std::int8_t* a, const std::int8_t* b, std::int64_t count,
                        std::int8_t* output) noexcept {
        switch (p.function) {
            case fixed_function::add: run_as<fixed_function::add>(p, a, b, count, output); break;
            case fixed_function::subtract: run_as<fixed_function::subtract>(p, a, b, count, output); break;
            case fixed_function::multiply: run_as<fixed_function::multiply>(p, a, b, count, output); break;
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
