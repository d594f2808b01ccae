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
    static constexpr std::int64_t block = 64;  // places, and what lies next to them, of a tile that is transposed
    static constexpr std::int64_t least_rows = 4;  // that are worth transposing

    /// What lies next to the places of the input from `first` on.
    struct source {
        const float* elements;
        std::int64_t stride;  // from place to place
        std::int64_t first = 0;

        [[gnu::always_inline]] const float* at(std::int64_t place) const noexcept {
            return elements + (place - first) * stride;
        }
        source advanced(std::int64_t count) const noexcept { return {elements + count, stride, first}; }
    };

    /// One place with the few elements next to it.
    static void sum_elements(const resampling_problem& p, std::int64_t place, const float* from, float* to) noexcept {
        for (std::int64_t i = 0; i < p.inner; ++i) {
            float sum = 0;
            for (std::int32_t tap = p.first_taps[place]; tap < p.first_taps[place + 1]; ++tap)
                sum += p.weights[tap] * from[p.places[tap] * p.inner + i];
            to[i] = sum;
        }
    }
    /// Vectors of sums of one place; of the last one `count` elements.
    template <int Vectors>
    [[gnu::always_inline]] static void sum_vectors(const resampling_problem& p, std::int64_t place, const source& from,
                                                   std::int64_t count, float* to) noexcept {
        floats sums[Vectors];
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v)
            sums[v] = simd::broadcast(0);
        for (std::int32_t tap = p.first_taps[place]; tap < p.first_taps[place + 1]; ++tap) {
            const floats weight = simd::broadcast(p.weights[tap]);
            const float* const row = from.at(p.places[tap]);
#pragma GCC unroll 4
            for (int v = 0; v < Vectors; ++v)
                sums[v] = simd::add(sums[v], simd::multiply(weight, load_part<Isa>(row + v * width, count)));
        }
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v)
            store_part<Isa>(to + v * width, sums[v], count);
    }
    /// One place with `count` elements that are next to it.
    static void sum_rows(const resampling_problem& p, std::int64_t place, const source& from, std::int64_t count,
                         float* to) noexcept {
        std::int64_t i = 0;
        for (; i + 4 * width <= count; i += 4 * width)
            sum_vectors<4>(p, place, from.advanced(i), width, to + i);
        for (; i < count; i += width)
            sum_vectors<1>(p, place, from.advanced(i), count - i, to + i);
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
                sum_rows(p, first + place, {from + i, p.inner}, count, tile + place * block);
            transpose<Isa>::template run_part<float>(tile, block, p.output + row + first + i * plane, plane, places,
                                                     count);
        }
    }

    /// Places [first, end) whose taps lie in [low, high).
    struct tile_places {
        std::int64_t end;
        std::int64_t low;
        std::int64_t high;
    };
    /// As many places of [first, last) as a tile holds together with what they read; none if even the first reads more than a tile holds.
    static tile_places places_of_tile(const resampling_problem& p, std::int64_t first, std::int64_t last) noexcept {
        const std::int64_t most = block / p.inner;
        tile_places result{first, p.input_length, 0};
        for (; result.end < last && result.end - first < most; ++result.end) {
            std::int64_t low = result.low;
            std::int64_t high = result.high;
            for (std::int32_t tap = p.first_taps[result.end]; tap < p.first_taps[result.end + 1]; ++tap) {
                low = p.places[tap] < low ? p.places[tap] : low;
                high = p.places[tap] >= high ? p.places[tap] + 1 : high;
            }
            if (high - low > most) break;
            result.low = low;
            result.high = high;
        }
        return result;
    }

    /// Places [first, last) of `count` outer rows with few elements next to each place: vectors run across the rows, which are transposed before and after.
    static void run_across(const resampling_problem& p, std::int64_t outer, std::int64_t count, std::int64_t first,
                           std::int64_t last) noexcept {
        const std::int64_t input_row = p.input_length * p.inner;
        const std::int64_t output_row = p.length * p.inner;
        const float* const from = p.input + outer * input_row;
        float* const to = p.output + outer * output_row;
        alignas(64) float input[block * block];
        alignas(64) float output[block * block];
        while (first < last) {
            const tile_places part = places_of_tile(p, first, last);
            if (part.end == first) {
                for (std::int64_t row = 0; row < count; ++row)
                    sum_elements(p, first, from + row * input_row, to + row * output_row + first * p.inner);
                ++first;
                continue;
            }
            if (part.low < part.high)
                transpose<Isa>::template run_part<float>(from + part.low * p.inner, input_row, input, block, count,
                                                         (part.high - part.low) * p.inner);
            for (std::int64_t place = first; place < part.end; ++place) {
                for (std::int64_t i = 0; i < p.inner; ++i)
                    sum_rows(p, place, {input + i * block, p.inner * block, part.low}, count,
                             output + ((place - first) * p.inner + i) * block);
            }
            transpose<Isa>::template run_part<float>(output, block, to + first * p.inner, output_row,
                                                     (part.end - first) * p.inner, count);
            first = part.end;
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
        if (p.inner < width && p.outer >= least_rows) {
            const std::int64_t rows = (p.outer + block - 1) / block;
            const std::int64_t places = block / p.inner;
            const std::int64_t parts = (p.length + places - 1) / places;
            share_out<Isa>(parallel, rows * parts, 1, [&p, places, parts](std::int64_t begin, std::int64_t end, int) {
                for (std::int64_t i = begin; i < end; ++i) {
                    const std::int64_t outer = i / parts * block;
                    const std::int64_t first = i % parts * places;
                    run_across(p, outer, p.outer - outer < block ? p.outer - outer : block, first,
                               p.length - first < places ? p.length : first + places);
                }
            });
            return;
        }
        share_out<Isa>(parallel, p.outer * p.length, grain, [&p](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t i = begin; i < end; ++i) {
                const float* const from = p.input + i / p.length * p.input_length * p.inner;
                if (p.inner == 1)
                    sum_elements(p, i % p.length, from, p.output + i);
                else
                    sum_rows(p, i % p.length, {from, p.inner}, p.inner, p.output + i * p.inner);
            }
        });
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
