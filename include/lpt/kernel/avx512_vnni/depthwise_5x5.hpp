// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution by 5 x 5 taps in 512 bits, at stride 1 and 2: sums stay in registers.
#pragma once

#if defined(__AVX512VNNI__) && defined(__AVX512VL__) && defined(__AVX512BW__)

#include <lpt/kernel/avx512_vnni/depthwise_rows.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// Two output rows, four columns at a time, by dot products of four bytes. Both rows read input rows 1 to 4, whose bytes lie side by
/// side: five dot products, one for each column of taps. The first output row has a line of taps left, in input row 0. Of this one
/// four columns lie side by side, and five columns, wherever they begin, meet two such quads: two dot products.
/// Stride 1: the second output row has a line of taps left in input row 5, likewise. Seven dot products for each of the 25 taps' sums.
/// Stride 2: it has two lines left, in input rows 5 and 6, of which quads are two rows of two columns: three dot products.
/// Input columns are interleaved in groups of four, of which the last ones are kept in memory. The four vectors of interleaved bytes
/// have their turn one after the other: eight sums and ten weights of input rows 1 to 4, each for four columns, fit in the registers.
/// Parts of vectors, and what is left to `depthwise_dots`: as in `depthwise_3x3`.
template <>
struct depthwise_5x5<on::avx512_vnni> : private detail::depthwise_rows<on::avx512_vnni> {
    static constexpr bool exists = true;

    static bool fits(const convolution_problem& problem) noexcept {
        return depthwise_rows::fits(problem, 5) && problem.shape.out[1] >= 2;
    }

    /// `full` and `rest`: the channels of the two packings.
    static void run(const convolution_problem& problem, const channel_span& full, const unsigned char* packed_full,
                    const channel_span& rest, const unsigned char* packed_rest, const unsigned char* outside,
                    const parallel_for& parallel) noexcept {
        share(problem, true, {full, packed_full, rest, packed_rest}, parallel,
              [&]<int Parts>(const work& job, const packed_channels& from) {
                  if (problem.shape.stride[2] == 1)
                      run_channels<Parts, 1>(problem, job, from, outside);
                  else
                      run_channels<Parts, 2>(problem, job, from, outside);
              });
    }

private:
    /// The weights of one of four vectors. A line that is left over is read from `4 / Stride` places of a group of columns on.
    template <int Stride>
    struct vector_weights {
        static constexpr int places = 4 / Stride;
        __m512i middle[2][5];  // of input rows 1 to 4
        __m512i above[places][2];  // of input row 0
        __m512i below[Stride == 1 ? 2 * places : 3];
    };

    template <int Stride>
    struct weighted_constants : constants {
        vector_weights<Stride> weights[4];
    };

    /// Four input columns, interleaved.
    template <int Stride>
    struct group {
        __m512i middle[4][4];  // columns of input rows 1 to 4
        __m512i above[4];  // input row 0
        __m512i below[Stride][4];  // input row 5; or rows 5 and 6 of two columns and of two more
    };

    template <int Parts, int Stride>
    struct input_rows {
        static constexpr int count = 5 + Stride;
        image_row row[count][Parts];
        const unsigned char* outside;
        std::int64_t width;
    };

    /// Taps from packed weights, whose bytes are lines 0 to 3 of a column of taps, and line 4.
    template <int Parts, int Stride>
    static void pack_weights(const packed_channels& from, vector_weights<Stride> (&to)[4]) noexcept {
        const __m512i byte = _mm512_set1_epi32(0xff);
        for (int v = 0; v < 4; ++v) {
            __m512i first[5], last[5], top[5];
#pragma GCC unroll 5
            for (int k = 0; k < 5; ++k) {
                first[k] = load_slots<Parts>(from, from.weights + 4 * k * from.vector_bytes, v);
                last[k] = load_slots<Parts>(from, from.weights + 4 * (5 + k) * from.vector_bytes, v);
                top[k] = _mm512_and_si512(first[k], byte);
                to[v].middle[0][k] = join<8>(first[k], last[k]);
                to[v].middle[1][k] = Stride == 1 ? first[k] : _mm512_slli_epi32(first[k], 8);
            }
            pack_line<Stride>(top, to[v].above);
            if constexpr (Stride == 1) {
                __m512i quads[4][2];
                pack_line<Stride>(last, quads);
#pragma GCC unroll 8
                for (int i = 0; i < 8; ++i)
                    to[v].below[i] = quads[i / 2][i % 2];
            } else {
                __m512i pair[6];  // of lines 3 and 4
#pragma GCC unroll 5
                for (int k = 0; k < 5; ++k)
                    pair[k] = _mm512_or_si512(_mm512_srli_epi32(first[k], 24), _mm512_slli_epi32(last[k], 8));
                pair[5] = _mm512_setzero_si512();
#pragma GCC unroll 3
                for (int i = 0; i < 3; ++i)
                    to[v].below[i] = _mm512_or_si512(pair[2 * i], _mm512_slli_epi32(pair[2 * i + 1], 16));
            }
        }
    }

    /// `low`, less its first `Bits`, and behind it the first ones of `high`.
    template <int Bits>
    [[gnu::always_inline]] static __m512i join(__m512i low, __m512i high) noexcept {
        return _mm512_or_si512(_mm512_srli_epi32(low, Bits), _mm512_slli_epi32(high, 32 - Bits));
    }

    /// A line of taps, in the two quads that it meets from each place on.
    template <int Stride>
    static void pack_line(const __m512i (&tap)[5], __m512i (&to)[4 / Stride][2]) noexcept {
        const __m512i low = _mm512_or_si512(tap[0], _mm512_slli_epi32(tap[1], 8));
        const __m512i high = _mm512_or_si512(tap[2], _mm512_slli_epi32(tap[3], 8));
        const __m512i quad = _mm512_or_si512(low, _mm512_slli_epi32(high, 16));
        to[0][0] = quad;
        to[0][1] = tap[4];
#pragma GCC unroll 3
        for (int place = 1; place < 4 / Stride; ++place) {
            const unsigned bits = static_cast<unsigned>(8 * Stride * place);
            to[place][0] = _mm512_slli_epi32(quad, bits);
            to[place][1] = _mm512_or_si512(_mm512_srli_epi32(quad, 32 - bits), _mm512_slli_epi32(tap[4], bits));
        }
    }

    /// Lines of input rows and columns, from column `column` on, interleaved. `Inside`: no column is outside the image.
    template <int Parts, int Stride, bool Inside>
    [[gnu::always_inline]] static void mix(const constants& c, const input_rows<Parts, Stride>& rows,
                                           std::int64_t column, const int (&row)[4], const int (&place)[4],
                                           __m512i (&to)[4]) noexcept {
        __m512i line[4];
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) {
            const std::int64_t x = column + place[j];
            const auto at = [&](int part) __attribute__((always_inline)) {
                const image_row& from = rows.row[row[j]][part];
                const bool inside = Inside || (x >= 0 && x < rows.width);
                return inside ? from.start + x * from.pixel : rows.outside;
            };
            line[j] = load<Parts>(c, at);
        }
        interleave(c, line, to);
    }

    /// A quarter of a group: a column of input rows 1 to 4, and a share of the others.
    template <int Parts, int Stride, bool Inside>
    [[gnu::always_inline]] static void fill_quarter(const constants& c, const input_rows<Parts, Stride>& rows,
                                                    std::int64_t column, int quarter, group<Stride>& to) noexcept {
        const auto add =
            [&](const int(&row)[4], const int(&place)[4], __m512i(&mixed)[4])
                __attribute__((always_inline)) { mix<Parts, Stride, Inside>(c, rows, column, row, place, mixed); };
        add({1, 2, 3, 4}, {quarter, quarter, quarter, quarter}, to.middle[quarter]);
        if (quarter == 0) add({0, 0, 0, 0}, {0, 1, 2, 3}, to.above);
        if constexpr (Stride == 1) {
            if (quarter == 2) add({5, 5, 5, 5}, {0, 1, 2, 3}, to.below[0]);
        } else {
            if (quarter == 1) add({5, 6, 5, 6}, {0, 0, 1, 1}, to.below[0]);
            if (quarter == 3) add({5, 6, 5, 6}, {2, 2, 3, 3}, to.below[1]);
        }
    }

    template <int Parts, int Stride, bool Inside>
    [[gnu::noinline]] static void fill(const constants& c, const input_rows<Parts, Stride>& rows, std::int64_t column,
                                       group<Stride>& to) noexcept {
#pragma GCC unroll 4
        for (int quarter = 0; quarter < 4; ++quarter)
            fill_quarter<Parts, Stride, Inside>(c, rows, column, quarter, to);
    }

    template <int Parts, int Stride>
    static bool is_inside(const input_rows<Parts, Stride>& rows, std::int64_t column, std::int64_t count) noexcept {
        return column >= 0 && column + count <= rows.width;
    }

    template <int Parts, int Stride>
    static void fill(const constants& c, const input_rows<Parts, Stride>& rows, std::int64_t column,
                     group<Stride>& to) noexcept {
        if (is_inside(rows, column, 4))
            fill<Parts, Stride, true>(c, rows, column, to);
        else
            fill<Parts, Stride, false>(c, rows, column, to);
    }

    /// The groups that output columns read, and, behind them, as many as the next columns need in place of them.
    template <int Stride>
    struct group_ring {
        static constexpr int read = Stride + 1;
        group<Stride> memory[read + Stride];
        group<Stride>* at[read + Stride];

        group_ring() noexcept {
            for (int i = 0; i < read + Stride; ++i)
                at[i] = &memory[i];
        }
        void advance() noexcept {
            group<Stride>* free[Stride];
#pragma GCC unroll 2
            for (int i = 0; i < Stride; ++i)
                free[i] = at[i];
#pragma GCC unroll 3
            for (int i = 0; i < read; ++i)
                at[i] = at[Stride + i];
#pragma GCC unroll 2
            for (int i = 0; i < Stride; ++i)
                at[read + i] = free[i];
        }
    };

    /// The sums of one vector, of some columns of two output rows.
    template <int Columns>
    using sums = accumulator[2][Columns];

    template <int Stride, int Columns>
    [[gnu::always_inline]] static void add_middle(const vector_weights<Stride>& weights,
                                                  const group_ring<Stride>& groups, int v,
                                                  sums<Columns>& sum) noexcept {
        accumulator weight[2][5];  // settled, so that they are loaded once
#pragma GCC unroll 10
        for (int i = 0; i < 10; ++i) {
            weight[i / 5][i % 5] = reinterpret_cast<accumulator>(weights.middle[i / 5][i % 5]);
            dot::settle(weight[i / 5][i % 5]);
        }
#pragma GCC unroll 11
        for (int x = 0; x < (Columns - 1) * Stride + 5; ++x) {
            const __m512i bytes = groups.at[x / 4]->middle[x % 4][v];
#pragma GCC unroll 4
            for (int i = 0; i < Columns; ++i) {
                const int tap = x - i * Stride;
                if (tap < 0 || tap >= 5) continue;
                sum[0][i] = dot::step(sum[0][i], bytes, dot::bits(weight[0][tap]));
                sum[1][i] = dot::step(sum[1][i], bytes, dot::bits(weight[1][tap]));
            }
        }
    }

    template <int Stride, int Columns>
    [[gnu::always_inline]] static void add_outer(const vector_weights<Stride>& weights,
                                                 const group_ring<Stride>& groups, int v, sums<Columns>& sum) noexcept {
#pragma GCC unroll 4
        for (int i = 0; i < Columns; ++i) {
            const int quad = i * Stride / 4, place = i % (4 / Stride);
            sum[0][i] = dot::step(sum[0][i], groups.at[quad]->above[v], weights.above[place][0]);
            sum[0][i] = dot::step(sum[0][i], groups.at[quad + 1]->above[v], weights.above[place][1]);
            if constexpr (Stride == 1) {
                sum[1][i] = dot::step(sum[1][i], groups.at[quad]->below[0][v], weights.below[2 * place]);
                sum[1][i] = dot::step(sum[1][i], groups.at[quad + 1]->below[0][v], weights.below[2 * place + 1]);
            } else {
#pragma GCC unroll 3
                for (int k = 0; k < 3; ++k) {
                    const int pair = i + k;
                    sum[1][i] = dot::step(sum[1][i], groups.at[pair / 2]->below[pair % 2][v], weights.below[k]);
                }
            }
        }
    }

    /// The sums of a vector to bytes, of which those of four channels lie side by side for each column.
    template <int Columns>
    [[gnu::always_inline]] static __m512i bytes_of_columns(const constants& c, int v,
                                                           const accumulator (&sum)[Columns]) noexcept {
        simd::ints q[Columns];
        if (c.fixed) {
            simd::ints codes[Columns];  // in memory, unlike `q`
#pragma GCC unroll 4
            for (int i = 0; i < Columns; ++i)
                codes[i] = dot::bits(sum[i]);
            round_fixed<Columns>(c, v, codes);
#pragma GCC unroll 4
            for (int i = 0; i < Columns; ++i)
                q[i] = codes[i];
        } else {
            round<Columns>(c, v, sum, q);
        }
        constexpr int last = Columns - 1, second = last < 1 ? last : 1, third = last < 2 ? last : 2;
        __m512i bytes = c.is_signed ? simd::pack_in_parts<true>(q[0], q[second], q[third], q[last])
                                    : simd::pack_in_parts<false>(q[0], q[second], q[third], q[last]);
        if (c.limited)
            bytes = c.is_signed ? simd::limit<true>(bytes, c.low, c.high) : simd::limit<false>(bytes, c.low, c.high);
        return bytes;
    }

    template <int Columns>
    [[gnu::always_inline]] static void round(const constants& c, int v, const accumulator (&sum)[Columns],
                                             simd::ints (&q)[Columns]) noexcept {
        const __m512 scale = _mm512_load_ps(c.scale + 16 * v), bias = _mm512_load_ps(c.bias + 16 * v);
#pragma GCC unroll 4
        for (int i = 0; i < Columns; ++i)
            q[i] = _mm512_cvtps_epi32(_mm512_fmadd_ps(_mm512_cvtepi32_ps(dot::bits(sum[i])), scale, bias));
    }
    /// Sums become codes in fixed point. A function of its own: it is long, and what calls it is there many times.
    template <int Columns>
    [[gnu::noinline]] static void round_fixed(const constants& c, int v, simd::ints (&of_columns)[Columns]) noexcept {
        if (c.shifts) {
            simd::ints x[Columns];
            simd::fixed_factors factors[Columns];
#pragma GCC unroll 4
            for (int i = 0; i < Columns; ++i) {
                x[i] = of_columns[i];
                factors[i] = c.factors[v];
            }
            codes_of<simd>(x, factors, simd::broadcast_int(c.zero_point), of_columns);
            return;
        }
        const auto numbers = c.fixed_numbers.load<simd>(16 * v);
#pragma GCC unroll 4
        for (int i = 0; i < Columns; ++i)
            of_columns[i] = numbers.code(of_columns[i]);
    }

    /// From the bytes of four vectors, a column's after the other's, to those of each column.
    [[gnu::always_inline]] static void sort(const __m512i (&of_vector)[4], __m512i (&of_column)[4]) noexcept {
        const __m512i low01 = _mm512_unpacklo_epi32(of_vector[0], of_vector[1]);
        const __m512i high01 = _mm512_unpackhi_epi32(of_vector[0], of_vector[1]);
        const __m512i low23 = _mm512_unpacklo_epi32(of_vector[2], of_vector[3]);
        const __m512i high23 = _mm512_unpackhi_epi32(of_vector[2], of_vector[3]);
        of_column[0] = _mm512_unpacklo_epi64(low01, low23);
        of_column[1] = _mm512_unpackhi_epi64(low01, low23);
        of_column[2] = _mm512_unpacklo_epi64(high01, high23);
        of_column[3] = _mm512_unpackhi_epi64(high01, high23);
    }

    /// `Columns` columns of two output rows. `Fills`: the next groups, whose columns from `next` on are inside the image, are filled at
    /// the same time: interleaving and dot products keep different parts of a processor busy.
    template <int Parts, int Stride, int Columns, bool Fills>
    [[gnu::noinline]] static void run_columns(const weighted_constants<Stride>& c,
                                              const input_rows<Parts, Stride>& rows, std::int64_t next,
                                              const group_ring<Stride>& groups, target& out) noexcept {
        __m512i bytes[2][4];
        const auto run_vector = [&](int v) __attribute__((always_inline)) {
            sums<Columns> sum;
            const accumulator first = start(c, v);
#pragma GCC unroll 4
            for (int i = 0; i < Columns; ++i)
                sum[0][i] = sum[1][i] = first;
            add_middle<Stride, Columns>(c.weights[v], groups, v, sum);
            add_outer<Stride, Columns>(c.weights[v], groups, v, sum);
            bytes[0][v] = bytes_of_columns<Columns>(c, v, sum[0]);
            bytes[1][v] = bytes_of_columns<Columns>(c, v, sum[1]);
        };
        if constexpr (Fills) {
#pragma GCC unroll 4
            for (int v = 0; v < 4; ++v) {
#pragma GCC unroll 2
                for (int i = 0; i < Stride; ++i)
                    fill_quarter<Parts, Stride, true>(c, rows, next + 4 * i, v, *groups.at[groups.read + i]);
                run_vector(v);
            }
        } else {
#pragma GCC unroll 1
            for (int v = 0; v < 4; ++v)
                run_vector(v);
        }
#pragma GCC unroll 2
        for (int r = 0; r < 2; ++r) {
            __m512i pixels[4];
            sort(bytes[r], pixels);
#pragma GCC unroll 4
            for (int i = 0; i < Columns; ++i)
                store_parts<Parts>(c, pixels[i], out.to + r * out.row + i * out.pixel, out.apart);
        }
        out.to += Columns * out.pixel;
    }

    template <int Parts, int Stride>
    static void run_two_rows(const weighted_constants<Stride>& c, const input_rows<Parts, Stride>& rows,
                             std::int64_t pad, std::int64_t columns, target out) noexcept {
        group_ring<Stride> groups;
        const std::int64_t needed = ((columns - 1) * Stride + 5 + 3) / 4;
        std::int64_t filled = 0;
        for (; filled < needed && filled < groups.read; ++filled)
            fill(c, rows, 4 * filled - pad, *groups.at[filled]);
        for (std::int64_t left = columns; left > 0; left -= 4) {
            const std::int64_t next = 4 * filled - pad;
            if constexpr (Parts == 1) {  // all channels but the last few
                if (needed - filled >= Stride && is_inside(rows, next, 4 * Stride)) {
                    run_columns<Parts, Stride, 4, true>(c, rows, next, groups, out);
                    filled += Stride;
                    groups.advance();
                    continue;
                }
            }
            for (int i = 0; i < Stride && filled < needed; ++i, ++filled)
                fill(c, rows, 4 * filled - pad, *groups.at[groups.read + i]);
            switch (left) {
                case 1: run_columns<Parts, Stride, 1, false>(c, rows, next, groups, out); break;
                case 2: run_columns<Parts, Stride, 2, false>(c, rows, next, groups, out); break;
                case 3: run_columns<Parts, Stride, 3, false>(c, rows, next, groups, out); break;
                default: run_columns<Parts, Stride, 4, false>(c, rows, next, groups, out);
            }
            groups.advance();
        }
    }

    template <int Parts, int Stride>
    static void run_channels(const convolution_problem& problem, const work& job, const packed_channels& from,
                             const unsigned char* outside) noexcept {
        const convolution_shape& s = problem.shape;
        weighted_constants<Stride> c;
        prepare<Parts>(problem, from, outside, c);
        pack_weights<Parts, Stride>(from, c.weights);
        input_rows<Parts, Stride> input;
        input.outside = c.outside;
        input.width = s.in[2];
        for_each_range<Parts>(job, [&](const row_range& range, const part_rows& pairs) {
            for (std::int64_t i = range.begin; i < range.begin + pairs.count; ++i) {
                std::int64_t rows[Parts];
                for (int part = 0; part < Parts; ++part) {
                    rows[part] = row_of_pair(s, i + pairs.apart[part]);
                    const std::int64_t first = rows[part] * Stride - s.pad_begin[1];
                    for (int j = 0; j < input.count; ++j)
                        input.row[j][part] = find_row(problem, c, range.plane, first + j);
                }
                run_two_rows<Parts, Stride>(c, input, s.pad_begin[2], s.out[2],
                                            target_at<Parts>(problem, c, range.plane, rows, 0));
            }
        });
    }
};

}  // namespace lpt::inline LPT_ABI::kernel

#endif
