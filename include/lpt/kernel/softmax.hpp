// SPDX-License-Identifier: Apache-2.0
// Softmax and its logarithm.
#pragma once

#include <lpt/kernel/parallel.hpp>
#include <lpt/kernel/sixteen.hpp>
#include <lpt/kernel/unary.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// The softmax of rows that are dense in memory.
template <class Isa>
struct softmax_row {
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    using numbers = sixteen<Isa>;

    [[gnu::always_inline]] static float largest(const float* from, std::int64_t length) noexcept {
        const float least = -__builtin_inff();
        numbers most = numbers::broadcast(least);
        std::int64_t i = 0;
        for (; i + numbers::width <= length; i += numbers::width)
            most = numbers::larger(numbers::load(from + i), most);
        if (i < length) most = numbers::larger(numbers::load_first(from + i, length - i, least), most);
        return most.largest();
    }

    /// Writes exp(x - most), where `to` is not null, and gives their sum. Sums of 1024 are added up, so that long ones keep their last bits.
    [[gnu::always_inline]] static float exponentials(const float* from, float* to, std::int64_t length,
                                                     float most) noexcept {
        constexpr std::int64_t piece = 1024;
        const numbers middle = numbers::broadcast(most);
        numbers sum = numbers::broadcast(0);
        for (std::int64_t begin = 0; begin < length; begin += piece) {
            const std::int64_t end = begin + piece < length ? begin + piece : length;
            numbers part = numbers::broadcast(0);
            for (std::int64_t i = begin; i < end; i += numbers::width) {
                const std::int64_t count = end - i;
                const numbers x = numbers::load_first(from + i, count, -__builtin_inff());
                const numbers power = (x - middle).map([](floats v) { return unary<Isa>::exp_of_negative(v); });
                if (to != nullptr) power.store_first(to + i, count);
                part = part + power;
            }
            sum = sum + part;
        }
        return sum.sum();
    }

    static void run(const float* from, float* to, std::int64_t length) noexcept {
        const float sum = exponentials(from, to, length, largest(from, length));
        const numbers factor = numbers::broadcast(1.0f / sum);
        for (std::int64_t i = 0; i < length; i += numbers::width)
            (numbers::load_first(to + i, length - i, 0) * factor).store_first(to + i, length - i);
    }

    static void logarithm(const float* from, float* to, std::int64_t length) noexcept {
        const float most = largest(from, length);
        float sum[simd::width];
        simd::store(sum, unary<Isa>::log(simd::broadcast(exponentials(from, nullptr, length, most))));
        const numbers middle = numbers::broadcast(most);
        const numbers shift = numbers::broadcast(sum[0]);
        for (std::int64_t i = 0; i < length; i += numbers::width) {
            const numbers x = numbers::load_first(from + i, length - i, 0);
            (x - middle - shift).store_first(to + i, length - i);
        }
    }
};

template <class Isa>
struct kernel_of<Isa, softmax_problem> {
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    static constexpr std::int64_t least_elements = 4096;  // worth a task

    static void run(const softmax_problem& p, const parallel_for& parallel) noexcept {
        if (p.length <= 0) return;
        const std::int64_t rows_of_task = least_elements / p.length + 1;
        if (p.inner == 1) {
            share_out<Isa>(parallel, p.outer, rows_of_task, [&p](std::int64_t begin, std::int64_t end, int) {
                for (std::int64_t row = begin; row < end; ++row) {
                    const float* const from = p.input + p.input_rows.begin(row, p.length);
                    float* const to = p.output + p.output_rows.begin(row, p.length);
                    if (p.logarithm)
                        softmax_row<Isa>::logarithm(from, to, p.length);
                    else
                        softmax_row<Isa>::run(from, to, p.length);
                }
            });
            return;
        }
        const std::int64_t blocks = (p.inner + simd::width - 1) / simd::width;
        share_out<Isa>(
            parallel, p.outer * blocks, rows_of_task, [&p, blocks](std::int64_t begin, std::int64_t end, int) {
                for (std::int64_t i = begin; i < end; ++i) {
                    const std::int64_t first = i % blocks * simd::width;
                    const std::int64_t row = i / blocks;
                    run_columns(p, p.input + p.input_rows.begin(row, p.length * p.inner) + first,
                                p.output + p.output_rows.begin(row, p.length * p.inner) + first, p.inner - first);
                }
            });
    }

    /// Columns next to each other, one in each lane, of which `count` are inside.
    static void run_columns(const softmax_problem& p, const float* from, float* to, std::int64_t count) noexcept {
        floats most = simd::broadcast(-__builtin_inff());
        for (std::int64_t i = 0; i < p.length; ++i)
            most = simd::at_least(load_part<Isa>(from + i * p.inner, count), most);
        floats sum = simd::broadcast(0);
        for (std::int64_t i = 0; i < p.length; ++i) {
            const floats x = load_part<Isa>(from + i * p.inner, count);
            const floats power = unary<Isa>::exp_of_negative(simd::subtract(x, most));
            if (!p.logarithm) store_part<Isa>(to + i * p.inner, power, count);
            sum = simd::add(sum, power);
        }
        const floats shift = p.logarithm ? unary<Isa>::log(sum) : simd::divide(simd::broadcast(1.0f), sum);
        for (std::int64_t i = 0; i < p.length; ++i) {
            const floats x = load_part<Isa>((p.logarithm ? from : to) + i * p.inner, count);
            const floats result =
                p.logarithm ? simd::subtract(simd::subtract(x, most), shift) : simd::multiply(x, shift);
            store_part<Isa>(to + i * p.inner, result, count);
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
