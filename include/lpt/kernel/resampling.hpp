// SPDX-License-Identifier: Apache-2.0
// Weighted sums of places along an axis: Interpolate, one axis after the other.
#pragma once

#include <lpt/kernel/lanes.hpp>
#include <lpt/kernel/parallel.hpp>
#include <lpt/kernel/transpose.hpp>

namespace lpt::inline LPT_ABI::kernel {

template <class Isa>
struct kernel_of<Isa, resampling_problem> {
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    static constexpr std::int64_t width = simd::width;
    static constexpr std::int64_t block = 64;  // places, and what lies next to them, of a tile that becomes planes

    /// One place where the axis is the innermost.
    static float sum_of_place(const resampling_problem& p, std::int64_t place, const float* row) noexcept {
        float sum = 0;
        for (std::int32_t tap = p.first_taps[place]; tap < p.first_taps[place + 1]; ++tap)
            sum += p.weights[tap] * row[p.places[tap]];
        return sum;
    }
    /// Vectors of sums of one place; of the last one `count` elements.
    template <int Vectors>
    [[gnu::always_inline]] static void sum_vectors(const resampling_problem& p, std::int64_t place, const float* from,
                                                   std::int64_t count, float* to) noexcept {
        floats sums[Vectors];
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v)
            sums[v] = simd::broadcast(0);
        for (std::int32_t tap = p.first_taps[place]; tap < p.first_taps[place + 1]; ++tap) {
            const floats weight = simd::broadcast(p.weights[tap]);
            const float* const row = from + p.places[tap] * p.inner;
#pragma GCC unroll 4
            for (int v = 0; v < Vectors; ++v)
                sums[v] = simd::add(sums[v], simd::multiply(weight, load_part<Isa>(row + v * width, count)));
        }
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v)
            store_part<Isa>(to + v * width, sums[v], count);
    }
    /// One place with `count` elements that are next to it.
    static void sum_rows(const resampling_problem& p, std::int64_t place, const float* from, std::int64_t count,
                         float* to) noexcept {
        std::int64_t i = 0;
        for (; i + 4 * width <= count; i += 4 * width)
            sum_vectors<4>(p, place, from + i, width, to + i);
        for (; i < count; i += width)
            sum_vectors<1>(p, place, from + i, count - i, to + i);
    }

    /// Some places of row `outer`, to planes.
    static void run_tile(const resampling_problem& p, std::int64_t outer, std::int64_t first) noexcept {
        const float* const from = p.input + outer * p.input_length * p.inner;
        const std::int64_t plane = p.plane_rows * p.length;
        const std::int64_t row = outer / p.plane_rows * p.inner * plane + outer % p.plane_rows * p.length;
        const std::int64_t places = p.length - first < block ? p.length - first : block;
        alignas(64) float tile[block * block];
        for (std::int64_t i = 0; i < p.inner; i += block) {
            const std::int64_t count = p.inner - i < block ? p.inner - i : block;
            for (std::int64_t place = 0; place < places; ++place)
                sum_rows(p, first + place, from + i, count, tile + place * block);
            transpose<Isa>::template run_part<float>(tile, block, p.output + row + first + i * plane, plane, places,
                                                     count);
        }
    }

    static void run(const resampling_problem& p, const parallel_for& parallel) noexcept {
        const std::int64_t grain = 1 + 4096 / p.inner;
        if (p.plane_rows != 0) {
            const std::int64_t tiles = (p.length + block - 1) / block;
            share_out<Isa>(parallel, p.outer * tiles, 1 + grain / block,
                           [&p, tiles](std::int64_t begin, std::int64_t end, int) {
                               for (std::int64_t i = begin; i < end; ++i)
                                   run_tile(p, i / tiles, i % tiles * block);
                           });
            return;
        }
        share_out<Isa>(parallel, p.outer * p.length, grain, [&p](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t i = begin; i < end; ++i) {
                const float* const from = p.input + i / p.length * p.input_length * p.inner;
                if (p.inner == 1)
                    p.output[i] = sum_of_place(p, i % p.length, from);
                else
                    sum_rows(p, i % p.length, from, p.inner, p.output + i * p.inner);
            }
        });
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
