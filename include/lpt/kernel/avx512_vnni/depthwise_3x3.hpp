// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution by 3 x 3 taps in 512 bits, at stride 1 and 2: interleaved bytes and sums stay in registers.
#pragma once

#if defined(__AVX512VNNI__) && defined(__AVX512VL__) && defined(__AVX512BW__)

#include <lpt/kernel/avx512_vnni/depthwise_rows.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// Walks along the columns of the input; each column is interleaved once and added to every sum that it belongs to.
/// Stride 1: four input rows, side by side in the four bytes of a dot product, serve two output rows and three output columns.
/// Stride 2: four bytes are a quad, two rows of two columns. An output pixel takes four quads, two of its row of quads and two of
/// the next one, which is kept in memory for the output row below.
/// A vector holds 64 channels; or 32 of each of two rows of the output that are apart; or up to 16 of each of four.
/// Sums become bytes without a detour; what else an epilogue may ask for is left to `depthwise_dots`, whose packed weights this reads.
template <>
struct depthwise_3x3<on::avx512_vnni> : private detail::depthwise_rows<on::avx512_vnni> {
    static constexpr bool exists = true;

    static constexpr std::int64_t most_columns =
        63;  // at stride 2, whose quads and the ones beside them fit in the buffer

    static bool fits(const convolution_problem& problem) noexcept {
        const convolution_shape& s = problem.shape;
        const std::int64_t stride = s.stride[2];
        // At most the first and the last column lie outside.
        const std::int64_t past = (s.out[2] - 1) * stride + 3 - s.pad_begin[2] - s.in[2];
        return depthwise_rows::fits(problem, 3) && (stride == 2 || s.out[1] >= 2) && s.pad_begin[2] <= 1 && past <= 1;
    }

    /// `full` and `rest`: the channels of the two packings.
    static void run(const convolution_problem& problem, const channel_span& full, const unsigned char* packed_full,
                    const channel_span& rest, const unsigned char* packed_rest, const unsigned char* outside,
                    const parallel_for& parallel) noexcept {
        const bool pairs = problem.shape.stride[2] == 1;
        share(problem, pairs, {full, packed_full, rest, packed_rest}, parallel,
              [&]<int Parts>(const work& job, const packed_channels& from) {
                  weighted_constants c;
                  prepare<Parts>(problem, from, outside, c);
                  pack_weights<Parts>(problem, from, c.weights);
                  for_each_range<Parts>(job, [&](const row_range& range, const part_rows& rows) {
                      if (pairs)
                          run_pairs<Parts>(problem, c, range, rows);
                      else
                          run_rows<Parts>(problem, c, range, rows);
                  });
              });
    }

private:
    struct weighted_constants : constants {
        alignas(64) unsigned char weights[24 * 64];
    };

    [[gnu::always_inline]] static __m512i weight(const weighted_constants& c, int i) noexcept {
        return _mm512_load_si512(c.weights + i * 64);
    }

    /// In the order in which a stride takes them.
    template <int Parts>
    static void pack_weights(const convolution_problem& problem, const packed_channels& from,
                             unsigned char* to) noexcept {
        const auto packed = [&](int i) __attribute__((always_inline)) {
            return load_slots<Parts>(from, from.weights + i / 4 * 4 * from.vector_bytes, i % 4);
        };
        const auto put = [to](int i, __m512i value)
                             __attribute__((always_inline)) { _mm512_store_si512(to + i * 64, value); };
        if (problem.shape.stride[2] == 1) {
#pragma GCC unroll 4
            for (int i = 0; i < 24; ++i)
                put(i, packed(i));
            return;
        }
        const __m512i byte = _mm512_set1_epi32(0xff);
        for (int v = 0; v < 4; ++v) {
            const __m512i left = packed(v), middle = packed(4 + v), right = packed(8 + v);  // columns of taps
            // Bytes l0 m0 l1 m1, l2 m2, r0 - r1, r2.
            const __m512 low = _mm512_castsi512_ps(_mm512_unpacklo_epi8(left, middle));
            const __m512 high = _mm512_castsi512_ps(_mm512_unpackhi_epi8(left, middle));
            put(v, _mm512_castps_si512(_mm512_shuffle_ps(low, high, 0x88)));
            put(4 + v, _mm512_castps_si512(_mm512_shuffle_ps(low, high, 0xdd)));
            const __m512i moved = _mm512_slli_epi32(_mm512_and_si512(_mm512_srli_epi32(right, 8), byte), 16);
            put(8 + v, _mm512_or_si512(_mm512_and_si512(right, byte), moved));
            put(12 + v, _mm512_and_si512(_mm512_srli_epi32(right, 16), byte));
        }
    }

    /// The sums of a column of two output rows.
    using two_rows = accumulator[2][4];

    /// An input column at stride 1 ends the output column before, adds to the one at it, and begins the next one. Near the left edge
    /// there are none of the first (`Before` < 2) or second (< 1).
    template <int Parts, int Before>
    [[gnu::always_inline]] static void add_column(const weighted_constants& c, line_places<Parts, 1>& places,
                                                  two_rows& ends, two_rows& goes_on, two_rows& begins,
                                                  target& out) noexcept {
        __m512i mixed[4];
        take_column<Parts, 1>(c, places, mixed);
        if constexpr (Before >= 2) {
            // First what has the longest way to go.
            add_taps(c, mixed, 8, ends);
            store<Parts, 2>(c, ends, out);
        }
        if constexpr (Before >= 1) add_taps(c, mixed, 4, goes_on);
#pragma GCC unroll 4
        for (int v = 0; v < 4; ++v) {
            accumulator first = start(c, v);
            dot::settle(first);
            begins[0][v] = first;
            begins[1][v] = first;
        }
        add_taps(c, mixed, 0, begins);
    }

    /// The taps of a column, whose weights start at `first` for the first of two rows.
    [[gnu::always_inline]] static void add_taps(const weighted_constants& c, const __m512i (&mixed)[4], int first,
                                                two_rows& sum) noexcept {
#pragma GCC unroll 4
        for (int v = 0; v < 4; ++v) {
            sum[0][v] = dot::step(sum[0][v], mixed[v], weight(c, first + v));
            sum[1][v] = dot::step(sum[1][v], mixed[v], weight(c, 12 + first + v));
        }
    }

    /// Two output rows at stride 1.
    template <int Parts>
    [[gnu::noinline]] static void run_two_rows(const weighted_constants& c, line_places<Parts, 1>& given,
                                               std::int64_t pad, std::int64_t columns, target out) noexcept {
        line_places<Parts, 1> places = given;
        two_rows a, b, d;
        places.go_to(-pad);
        add_column<Parts, 0>(c, places, d, d, a, out);
        places.go_to(1 - pad);
        add_column<Parts, 1>(c, places, d, a, b, out);
        places.go_to(2 - pad);
        const std::int64_t last = columns + 1 - pad;
        for (std::int64_t left = columns;;) {
            if (left == 1) places.go_to(last);
            add_column<Parts, 2>(c, places, a, b, d, out);
            if (--left == 0) return;
            if (left == 1) places.go_to(last);
            add_column<Parts, 2>(c, places, b, d, a, out);
            if (--left == 0) return;
            if (left == 1) places.go_to(last);
            add_column<Parts, 2>(c, places, d, a, b, out);
            if (--left == 0) return;
        }
    }

    /// A row of quads, to memory.
    template <int Parts>
    [[gnu::noinline]] static void put_quads(const weighted_constants& c, line_places<Parts, 2>& given,
                                            std::int64_t first, std::int64_t columns, unsigned char* quads) noexcept {
        line_places<Parts, 2> places = given;
        places.go_to(first);
        for (std::int64_t i = 0; i <= columns; ++i) {
            if (i == 1 || i == columns) places.go_to(first + 2 * i);
            __m512i mixed[4];
            take_column<Parts, 2>(c, places, mixed);
#pragma GCC unroll 4
            for (int v = 0; v < 4; ++v)
                _mm512_store_si512(quads + i * 256 + 64 * v, mixed[v]);
        }
    }

    /// The next column of quads: the upper ones from memory, where the lower ones take their place.
    template <int Parts>
    [[gnu::always_inline]] static void take_quads(const weighted_constants& c, line_places<Parts, 2>& places,
                                                  unsigned char*& quads, __m512i (&upper)[4],
                                                  __m512i (&lower)[4]) noexcept {
        take_column<Parts, 2>(c, places, lower);
#pragma GCC unroll 4
        for (int v = 0; v < 4; ++v) {
            upper[v] = _mm512_load_si512(quads + 64 * v);
            _mm512_store_si512(quads + 64 * v, lower[v]);
        }
        quads += 256;
    }

    /// An output row at stride 2. `quads` has the upper row of quads, and then the lower one.
    template <int Parts>
    [[gnu::noinline]] static void run_row(const weighted_constants& c, line_places<Parts, 2>& given, std::int64_t first,
                                          std::int64_t columns, unsigned char* quads, target out) noexcept {
        line_places<Parts, 2> places = given;
        accumulator weights[16];  // settled, so that they are loaded once
#pragma GCC unroll 16
        for (int i = 0; i < 16; ++i) {
            weights[i] = reinterpret_cast<accumulator>(weight(c, i));
            dot::settle(weights[i]);
        }
        const auto add = [&weights](accumulator sum, __m512i bytes, int i)
                             __attribute__((always_inline)) { return dot::step(sum, bytes, dot::bits(weights[i])); };
        __m512i lower[4], upper[4];
        accumulator sum[1][4];
        const auto begin = [&]() __attribute__((always_inline)) {
#pragma GCC unroll 4
            for (int v = 0; v < 4; ++v)
                sum[0][v] = add(add(start(c, v), upper[v], v), lower[v], 4 + v);
        };
        const auto end = [&]() __attribute__((always_inline)) {
#pragma GCC unroll 4
            for (int v = 0; v < 4; ++v)
                sum[0][v] = add(add(sum[0][v], upper[v], 8 + v), lower[v], 12 + v);
            store<Parts, 1>(c, sum, out);
        };
        places.go_to(first);
        take_quads<Parts>(c, places, quads, upper, lower);
        begin();
        places.go_to(first + 2);
        for (std::int64_t i = 1; i < columns; ++i) {
            take_quads<Parts>(c, places, quads, upper, lower);
            end();
            begin();
        }
        places.go_to(first + 2 * columns);
        take_quads<Parts>(c, places, quads, upper, lower);
        end();
    }

    template <int Parts>
    static void run_pairs(const convolution_problem& problem, const weighted_constants& c, const row_range& range,
                          const part_rows& pairs) noexcept {
        const convolution_shape& s = problem.shape;
        for (std::int64_t i = range.begin; i < range.begin + pairs.count; ++i) {
            std::int64_t rows[Parts];
            line_places<Parts, 1> places;
            for (int part = 0; part < Parts; ++part) {
                rows[part] = row_of_pair(s, i + pairs.apart[part]);
                places.find(problem, c, part, range.plane, rows[part] - s.pad_begin[1]);
            }
            run_two_rows<Parts>(c, places, s.pad_begin[2], s.out[2],
                                target_at<Parts>(problem, c, range.plane, rows, 0));
        }
    }

    template <int Parts>
    static void run_rows(const convolution_problem& problem, const weighted_constants& c, const row_range& range,
                         const part_rows& part) noexcept {
        const convolution_shape& s = problem.shape;
        alignas(64) unsigned char quads[(most_columns + 1) * 256];
        std::int64_t rows[Parts];
        line_places<Parts, 2> places;
        const auto find = [&](std::int64_t quad_row) {
            for (int k = 0; k < Parts; ++k)
                places.find(problem, c, k, range.plane, 2 * (quad_row + part.apart[k]) - s.pad_begin[1]);
        };
        for (std::int64_t x = 0; x < s.out[2]; x += most_columns) {
            const std::int64_t columns = s.out[2] - x < most_columns ? s.out[2] - x : most_columns;
            const std::int64_t first = 2 * x - s.pad_begin[2];
            find(range.begin);
            put_quads<Parts>(c, places, first, columns, quads);
            for (std::int64_t i = range.begin; i < range.begin + part.count; ++i) {
                find(i + 1);
                for (int k = 0; k < Parts; ++k)
                    rows[k] = i + part.apart[k];
                run_row<Parts>(c, places, first, columns, quads, target_at<Parts>(problem, c, range.plane, rows, x));
            }
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel

#endif
