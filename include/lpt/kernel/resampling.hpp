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

    /// The places of outer row `outer` of the input, row `middle` of each.
    static source row_of(const resampling_problem& p, std::int64_t outer, std::int64_t middle = 0) noexcept {
        return {p.input + p.input_rows.begin(outer * p.input_length * p.middle + middle, p.inner),
                p.input_rows.begin(p.middle, p.inner)};
    }
    /// Where a place of an outer row goes; without planes and `middle`.
    static float* place_of(const resampling_problem& p, std::int64_t outer, std::int64_t place) noexcept {
        return p.output + p.output_rows.begin(outer * p.length + place, p.inner);
    }

    /// One place with the few elements next to it.
    static void sum_elements(const resampling_problem& p, std::int64_t place, const source& from, float* to) noexcept {
        for (std::int64_t i = 0; i < p.inner; ++i) {
            float sum = 0;
            for (std::int32_t tap = p.first_taps[place]; tap < p.first_taps[place + 1]; ++tap)
                sum += p.weights[tap] * from.at(p.places[tap])[i];
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
        const source from = row_of(p, outer);
        const std::int64_t plane = p.plane_rows * p.length;
        const std::int64_t row = outer / p.plane_rows * p.inner * plane + outer % p.plane_rows * p.length;
        const std::int64_t places = p.length - first < block ? p.length - first : block;
        alignas(64) float tile[block * block];
        for (std::int64_t i = 0; i < p.inner; i += block) {
            const std::int64_t count = p.inner - i < block ? p.inner - i : block;
            for (std::int64_t place = 0; place < places; ++place)
                sum_rows(p, first + place, from.advanced(i), count, tile + place * block);
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

    /// Elements from outer row to outer row, where that is the same for all.
    static std::int64_t row_step(const row_layout& places, std::int64_t length, std::int64_t inner) noexcept {
        return places.begin(length, inner);
    }
    static bool has_equal_rows(const resampling_problem& p) noexcept {
        const auto is_equal = [](const row_layout& places, std::int64_t length) {
            return places.together <= 1 || places.together == length;
        };
        return is_equal(p.input_rows, p.input_length) && is_equal(p.output_rows, p.length);
    }
    /// What a tile reads of `count` outer rows, transposed.
    static void collect(const resampling_problem& p, std::int64_t outer, std::int64_t count, const tile_places& part,
                        float* tile) noexcept {
        const source from = row_of(p, outer);
        const std::int64_t row = row_step(p.input_rows, p.input_length, p.inner);
        const std::int64_t together = from.stride == p.inner ? part.high - part.low : 1;
        for (std::int64_t place = part.low; place < part.high; place += together)
            transpose<Isa>::template run_part<float>(from.at(place), row, tile + (place - part.low) * p.inner * block,
                                                     block, count, together * p.inner);
    }
    /// Places [first, end) of a tile to `count` outer rows.
    static void spread(const resampling_problem& p, std::int64_t outer, std::int64_t count, std::int64_t first,
                       std::int64_t end, const float* tile) noexcept {
        const std::int64_t row = row_step(p.output_rows, p.length, p.inner);
        const std::int64_t together = p.output_rows.step(p.inner) == p.inner ? end - first : 1;
        for (std::int64_t place = first; place < end; place += together)
            transpose<Isa>::template run_part<float>(tile + (place - first) * p.inner * block, block,
                                                     place_of(p, outer, place), row, together * p.inner, count);
    }

    /// Places [first, last) of `count` outer rows with few elements next to each place: vectors run across the rows, which are transposed before and after.
    static void run_across(const resampling_problem& p, std::int64_t outer, std::int64_t count, std::int64_t first,
                           std::int64_t last) noexcept {
        alignas(64) float input[block * block];
        alignas(64) float output[block * block];
        while (first < last) {
            const tile_places part = places_of_tile(p, first, last);
            if (part.end == first) {
                for (std::int64_t row = outer; row < outer + count; ++row)
                    sum_elements(p, first, row_of(p, row), place_of(p, row, first));
                ++first;
                continue;
            }
            if (part.low < part.high) collect(p, outer, count, part, input);
            for (std::int64_t place = first; place < part.end; ++place) {
                for (std::int64_t i = 0; i < p.inner; ++i)
                    sum_rows(p, place, {input + i * block, p.inner * block, part.low}, count,
                             output + ((place - first) * p.inner + i) * block);
            }
            spread(p, outer, count, first, part.end, output);
            first = part.end;
        }
    }

    /// What is next to a place as one row, if there are no gaps in it.
    static resampling_problem joined(resampling_problem p) noexcept {
        const auto is_dense = [&p](const row_layout& rows, std::int64_t length) {
            return rows.together % (length * p.middle) == 0;
        };
        if (is_dense(p.input_rows, p.input_length) && is_dense(p.output_rows, p.length)) {
            p.input_rows.together /= p.middle;
            p.output_rows.together /= p.middle;
            p.inner *= p.middle;
            p.middle = 1;
        }
        return p;
    }

    static void run(const resampling_problem& problem, const parallel_for& parallel) noexcept {
        const resampling_problem p = joined(problem);
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
        if (p.middle == 1 && p.inner < width && p.outer >= least_rows && has_equal_rows(p)) {
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
        share_out<Isa>(parallel, p.outer * p.length * p.middle, grain, [&p](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t i = begin; i < end; ++i) {
                const std::int64_t place = i / p.middle % p.length;
                const source from = row_of(p, i / p.middle / p.length, i % p.middle);
                float* const to = p.output + p.output_rows.begin(i, p.inner);
                if (p.inner == 1)
                    sum_elements(p, place, from, to);
                else
                    sum_rows(p, place, from, p.inner, to);
            }
        });
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
