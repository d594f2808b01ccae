// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution by 3 x 3 taps in 512 bits, at stride 1 and 2: interleaved bytes and sums stay in registers.
#pragma once

#if defined(__AVX512VNNI__) && defined(__AVX512VL__) && defined(__AVX512BW__)

#include <lpt/kernel/avx512_vnni/depthwise_lines.hpp>
#include <lpt/kernel/avx512_vnni/half_blocks.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// Walks along the columns of the input; each column is interleaved once and added to every sum that it belongs to.
/// Stride 1: four input rows, side by side in the four bytes of a dot product, serve two output rows and three output columns.
/// Stride 2: four bytes are a quad, two rows of two columns. An output pixel takes four quads, two of its row of quads and two of
/// the next one, which is kept in memory for the output row below.
/// A vector holds 64 channels; or 32 of each of two rows of the output that are apart; or up to 16 of each of four.
/// Sums become bytes without a detour; what else an epilogue may ask for is left to `depthwise_dots`, whose packed weights this reads.
template <>
struct depthwise_3x3<on::avx512_vnni> : private detail::depthwise_lines<on::avx512_vnni> {
    static constexpr bool exists = true;
    using packing = depthwise_dots<isa_type>;
    using half_packing = depthwise_dots<isa_type, half_blocks<isa_type>::dot, half_blocks<isa_type>::simd>;

    static constexpr std::int64_t most_columns =
        63;  // at stride 2, whose quads and the ones beside them fit in the buffer

    static bool fits(const convolution_problem& problem) noexcept {
        const convolution_shape& s = problem.shape;
        const std::int64_t stride = s.stride[2];
        const bool plane = s.kernel[0] == 1 && s.stride[0] == 1 && s.pad_begin[0] == 0 && s.in[0] == s.out[0];
        const bool taps = s.kernel[1] == 3 && s.kernel[2] == 3 && s.dilation[1] == 1 && s.dilation[2] == 1;
        const bool strides = s.stride[1] == stride && (stride == 1 ? s.out[1] >= 2 : stride == 2);
        // At most the first and the last column lie outside.
        const std::int64_t past = (s.out[2] - 1) * stride + 3 - s.pad_begin[2] - s.in[2];
        return plane && taps && strides && s.pad_begin[2] <= 1 && past <= 1 &&
               (is_fixed(problem.finish) ||
                finish<isa_type>::requantizes_directly(problem.finish, 0, s.out_channels, 9));
    }

    /// `full` and `rest`: the channels of the two packings.
    static void run(const convolution_problem& problem, const channel_span& full, const unsigned char* packed_full,
                    const channel_span& rest, const unsigned char* packed_rest, const unsigned char* outside,
                    const parallel_for& parallel) noexcept {
        const convolution_shape& s = problem.shape;
        const std::int64_t rows = s.stride[2] == 1 ? (s.out[1] + 1) / 2 : s.out[1];  // or pairs of them
        // The last two pairs of an odd height share a row, and so a task: no byte is written by two threads.
        const std::int64_t units = s.stride[2] == 1 ? s.out[1] / 2 : s.out[1];
        split<isa_type>(parallel, s.batch * s.out[0] * units, 1, [&](std::int64_t begin, std::int64_t end, int) {
            const auto row_of = [&](std::int64_t unit) { return unit / units * rows + unit % units; };
            const work job{problem, outside, rows, row_of(begin), row_of(end)};
            const auto run_channels = [&job](const packed_channels& from) {
                switch (from.parts) {
                    case 1: run_channels_as<1>(job, from); break;
                    case 2: run_channels_as<2>(job, from); break;
                    default: run_channels_as<4>(job, from); break;
                }
            };
            for (std::int64_t b = 0; b < packing::blocks(full); ++b)
                for_each_part(channels_of<packing>(s, full, packed_full, b), run_channels);
            for (std::int64_t b = 0; b < half_packing::blocks(rest); ++b)
                for_each_part(channels_of<half_packing>(s, rest, packed_rest, b), run_channels);
        });
    }

private:
    /// A task: output rows, or pairs of them, counting those of all planes, of which each has `rows`.
    struct work {
        const convolution_problem& problem;
        const unsigned char* outside;
        std::int64_t rows;
        std::int64_t begin;
        std::int64_t end;
    };

    /// Output rows, or pairs of them, of one plane.
    struct row_range {
        std::int64_t plane;
        std::int64_t begin;
        std::int64_t end;
    };

    /// The sums of a column of two output rows.
    using two_rows = accumulator[2][4];

    /// An input column at stride 1 ends the output column before, adds to the one at it, and begins the next one. Near the left edge
    /// there are none of the first (`Before` < 2) or second (< 1).
    template <int Parts, int Before>
    [[gnu::always_inline]] static void add_column(const constants& c, line_places<Parts, 1>& places, two_rows& ends,
                                                  two_rows& goes_on, two_rows& begins, target& out) noexcept {
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
    [[gnu::always_inline]] static void add_taps(const constants& c, const __m512i (&mixed)[4], int first,
                                                two_rows& sum) noexcept {
#pragma GCC unroll 4
        for (int v = 0; v < 4; ++v) {
            sum[0][v] = dot::step(sum[0][v], mixed[v], weight(c, first + v));
            sum[1][v] = dot::step(sum[1][v], mixed[v], weight(c, 12 + first + v));
        }
    }

    /// Two output rows at stride 1.
    template <int Parts>
    [[gnu::noinline]] static void run_two_rows(const constants& c, line_places<Parts, 1>& given, std::int64_t pad,
                                               std::int64_t columns, target out) noexcept {
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
    [[gnu::noinline]] static void put_quads(const constants& c, line_places<Parts, 2>& given, std::int64_t first,
                                            std::int64_t columns, unsigned char* quads) noexcept {
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
    [[gnu::always_inline]] static void take_quads(const constants& c, line_places<Parts, 2>& places,
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
    [[gnu::noinline]] static void run_row(const constants& c, line_places<Parts, 2>& given, std::int64_t first,
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

    /// Rows, or pairs of them, that each part takes of a range, and how far they are from the first part's.
    struct part_rows {
        std::int64_t count;
        std::int64_t apart[4];
    };

    template <int Parts>
    static void run_channels_as(const work& job, const packed_channels& from) noexcept {
        const convolution_problem& problem = job.problem;
        constants c;
        prepare<Parts>(problem, from, job.outside, c);
        for (std::int64_t i = job.begin; i < job.end;) {
            const std::int64_t plane = i / job.rows;
            const std::int64_t next = (plane + 1) * job.rows < job.end ? (plane + 1) * job.rows : job.end;
            const row_range range{plane, i - plane * job.rows, next - plane * job.rows};
            part_rows rows{(range.end - range.begin + Parts - 1) / Parts, {}};
            for (int part = 0; part < Parts; ++part) {
                const std::int64_t last = range.end - range.begin - rows.count;  // the parts may overlap
                rows.apart[part] = part * rows.count < last ? part * rows.count : last;
            }
            if (problem.shape.stride[2] == 1)
                run_pairs<Parts>(problem, c, range, rows);
            else
                run_rows<Parts>(problem, c, range, rows);
            i = next;
        }
    }

    /// From column `column` on; `rows` are those of the parts.
    template <int Parts>
    static target target_at(const convolution_problem& problem, const constants& c, std::int64_t plane,
                            const std::int64_t (&rows)[Parts], std::int64_t column) noexcept {
        const convolution_shape& s = problem.shape;
        const std::int64_t pixel = problem.output_pixel_stride;
        const std::int64_t row = s.out[2] * pixel;
        unsigned char* const to = static_cast<unsigned char*>(problem.output) + (plane * s.out[1] + rows[0]) * row +
                                  column * pixel + c.channel;
        target out{to, pixel, row, {}};
        for (int part = 0; part < Parts; ++part)
            out.apart[part] = (rows[part] - rows[0]) * row;
        return out;
    }

    template <int Parts>
    static void run_pairs(const convolution_problem& problem, const constants& c, const row_range& range,
                          const part_rows& pairs) noexcept {
        const convolution_shape& s = problem.shape;
        for (std::int64_t i = range.begin; i < range.begin + pairs.count; ++i) {
            std::int64_t rows[Parts];
            line_places<Parts, 1> places;
            for (int part = 0; part < Parts; ++part) {
                // An odd last row comes with the one before it, once more.
                const std::int64_t pair = i + pairs.apart[part];
                rows[part] = 2 * pair + 2 <= s.out[1] ? 2 * pair : s.out[1] - 2;
                places.find(problem, c, part, range.plane, rows[part] - s.pad_begin[1]);
            }
            run_two_rows<Parts>(c, places, s.pad_begin[2], s.out[2],
                                target_at<Parts>(problem, c, range.plane, rows, 0));
        }
    }

    template <int Parts>
    static void run_rows(const convolution_problem& problem, const constants& c, const row_range& range,
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
