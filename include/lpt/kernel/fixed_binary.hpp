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
            split<Isa>(parallel, p.columns, least_elements, [&](std::int64_t begin, std::int64_t end, int) {
                run_row(p, p.a + begin * p.a_step, p.b + begin * p.b_step, end - begin, p.output + begin);
            });
            return;
        }
        const std::int64_t grain = p.columns > 0 ? (least_elements + p.columns - 1) / p.columns : 1;
        split<Isa>(parallel, p.rows, grain, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t r = begin; r < end; ++r)
                run_row(p, p.a + r * p.a_row_stride, p.b + r * p.b_row_stride, p.columns, p.output + r * p.columns);
        });
    }

private:
    struct numbers {
        scaling of_a, of_b, of_result;
        ints a_zero, b_zero;
        typename fixed_store<Isa>::limits limit;
    };

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
        auto* const to = reinterpret_cast<std::uint8_t*>(output);
        std::int64_t i = 0;
        for (; i + 4 * width <= count; i += 4 * width) {
            ints q[4];
#pragma GCC unroll 4
            for (int v = 0; v < 4; ++v) {
                const std::int64_t at = i + v * width;
                q[v] = code<Function>(n, load(a + at * p.a_step, p.a_step, width),
                                      load(b + at * p.b_step, p.b_step, width));
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
