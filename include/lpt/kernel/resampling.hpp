// SPDX-License-Identifier: Apache-2.0
// Weighted sums of places along an axis: Interpolate, one axis after the other.
#pragma once

#include <lpt/kernel/numbers.hpp>
#include <lpt/kernel/parallel.hpp>

namespace lpt::inline LPT_ABI::kernel {

template <class Isa>
struct kernel_of<Isa, resampling_problem> {
    static constexpr std::int64_t block = 64;  // neighbours whose sums are under way at once

    /// One place where the axis is the innermost.
    static float sum_of_place(const resampling_problem& p, std::int64_t place, const float* row) noexcept {
        float sum = 0;
        for (std::int32_t tap = p.first_taps[place]; tap < p.first_taps[place + 1]; ++tap)
            sum += p.weights[tap] * row[p.places[tap]];
        return sum;
    }
    /// One place with all that is next to it along the inner axes.
    static void sum_rows(const resampling_problem& p, std::int64_t place, const float* from, float* to) noexcept {
        for (std::int64_t first = 0; first < p.inner; first += block) {
            const std::int64_t count = p.inner - first < block ? p.inner - first : block;
            float sums[block] = {};
            for (std::int32_t tap = p.first_taps[place]; tap < p.first_taps[place + 1]; ++tap) {
                const float weight = p.weights[tap];
                const float* const row = from + p.places[tap] * p.inner + first;
                numbers_of<Isa>::for_each(count, [&](std::int64_t i)
                                                     __attribute__((always_inline)) { sums[i] += weight * row[i]; });
            }
            numbers_of<Isa>::for_each(count,
                                      [&](std::int64_t i) __attribute__((always_inline)) { to[first + i] = sums[i]; });
        }
    }

    static void run(const resampling_problem& p, const parallel_for& parallel) noexcept {
        const std::int64_t grain = 1 + 4096 / p.inner;
        split<Isa>(parallel, p.outer * p.length, grain, [&p](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t i = begin; i < end; ++i) {
                const float* const from = p.input + i / p.length * p.input_length * p.inner;
                if (p.inner == 1)
                    p.output[i] = sum_of_place(p, i % p.length, from);
                else
                    sum_rows(p, i % p.length, from, p.output + i * p.inner);
            }
        });
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
