// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution by 3 x 3 taps in 512 bits, at stride 1 and 2: interleaved bytes and sums stay in registers.
#pragma once

#if defined(__AVX512VNNI__) && defined(__AVX512VL__) && defined(__AVX512BW__)

#include <lpt/kernel/avx512_vnni/dot.hpp>
#include <lpt/kernel/avx512_vnni/half_blocks.hpp>
#include <lpt/kernel/avx512_vnni/lanes.hpp>
#include <lpt/kernel/depthwise_dots.hpp>

namespace lpt::kernel {

/// Walks along the columns of the input; each column is interleaved once and added to every sum that it belongs to.
/// Stride 1: four input rows, side by side in the four bytes of a dot product, serve two output rows and three output columns.
/// Stride 2: four bytes are a quad, two rows of two columns. An output pixel takes four quads, two of its row of quads and two of
/// the next one, which is kept in memory for the output row below.
/// Sums become bytes without a detour; what else an epilogue may ask for is left to `depthwise_dots`, whose packed weights this reads.
template <>
struct depthwise_3x3<on::avx512_vnni> {
    static constexpr bool exists = true;
    using isa_type = on::avx512_vnni;
    using dot = dot_product<isa_type>;
    using simd = lanes<isa_type>;
    using accumulator = dot::accumulator;
    using packing = depthwise_dots<isa_type>;
    using half_packing = depthwise_dots<isa_type, half_blocks<isa_type>::dot, half_blocks<isa_type>::simd>;

    /// What a vector of bytes holds: 64 channels; or 32, or fewer, of each of two rows of the output that are apart.
    enum class filling { whole, halves, part_halves };

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
               finish<isa_type>::requantizes_directly(problem.finish, 0, s.out_channels);
    }

    /// `full` and `rest`: the channels of the two packings.
    static void run(const convolution_problem& problem, const channel_span& full, const unsigned char* packed_full,
                    const channel_span& rest, const unsigned char* packed_rest, const unsigned char* outside,
                    const parallel_for& parallel) noexcept {
        const convolution_shape& s = problem.shape;
        const std::int64_t rows = s.stride[2] == 1 ? (s.out[1] + 1) / 2 : s.out[1];  // or pairs of them
        split<isa_type>(parallel, s.batch * s.out[0] * rows, 1, [&](std::int64_t begin, std::int64_t end, int) {
            const auto run_source = [&](const source& from) {
                constants c;
                prepare(problem, from, outside, c);
                for (std::int64_t i = begin; i < end;) {
                    const std::int64_t plane = i / rows;
                    const std::int64_t next = (plane + 1) * rows < end ? (plane + 1) * rows : end;
                    const row_range range{plane, i - plane * rows, next - plane * rows};
                    switch (from.fill) {
                        case filling::whole: run_range<filling::whole>(problem, c, range); break;
                        case filling::halves: run_range<filling::halves>(problem, c, range); break;
                        case filling::part_halves: run_range<filling::part_halves>(problem, c, range); break;
                    }
                    i = next;
                }
            };
            for (std::int64_t b = 0; b < packing::blocks(full); ++b) {
                source from = source_of<packing>(s, full, packed_full, b);
                if (from.count == packing::block) {
                    run_source(from);
                    continue;
                }
                const std::int64_t count = from.count;  // > 32
                from.count = 32;
                from.fill = filling::halves;
                run_source(from);
                from.channel += 32;
                from.count = count - 32;
                from.fill = filling::part_halves;
                from.part = 32;
                run_source(from);
            }
            for (std::int64_t b = 0; b < half_packing::blocks(rest); ++b) {
                source from = source_of<half_packing>(s, rest, packed_rest, b);
                from.fill = from.count == 32 ? filling::halves : filling::part_halves;
                run_source(from);
            }
        });
    }

private:
    /// Output rows, or pairs of them, of one plane.
    struct row_range {
        std::int64_t plane;
        std::int64_t begin;
        std::int64_t end;
    };

    /// Channels, and where their packed weights lie.
    struct source {
        const unsigned char* sums = nullptr;
        const unsigned char* weights = nullptr;
        std::int64_t vector_bytes = 0;
        std::int64_t part = 0;  // bytes of each vector before those of these channels
        std::int64_t channel = 0;
        std::int64_t count = 0;
        filling fill = filling::whole;
    };

    template <class Packing>
    static source source_of(const convolution_shape& s, const channel_span& channels, const unsigned char* packed,
                            std::int64_t b) noexcept {
        source from;
        from.sums = packed + b * Packing::block_bytes;
        from.weights = packed + Packing::blocks(channels) * Packing::block_bytes + b * Packing::weights_bytes(s);
        from.vector_bytes = Packing::block_bytes / 4;
        from.channel = channels.first + b * Packing::block;
        const std::int64_t left = channels.count - b * Packing::block;
        from.count = left < Packing::block ? left : Packing::block;
        return from;
    }

    /// What holds for a vector of bytes, in slot order.
    struct constants {
        alignas(64) unsigned char weights[24 * 64];
        alignas(64) std::int32_t start[64];
        alignas(64) float scale[64];
        alignas(64) float bias[64];
        const unsigned char* outside;
        std::int64_t channel;
        __mmask32 inside;  // of a half
        unsigned char flip;
        bool is_signed;
        bool limited;
        std::int32_t low;
        std::int32_t high;
    };

    /// Vector `v` of a block, where it lies in the packing; that of a half twice.
    [[gnu::always_inline]] static __m512i load_slots(const source& from, const unsigned char* block, int v) noexcept {
        const unsigned char* const at = block + v * from.vector_bytes + from.part;
        if (from.fill == filling::whole) return _mm512_loadu_si512(at);
        return _mm512_broadcast_i64x4(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)));
    }

    static void prepare(const convolution_problem& problem, const source& from, const unsigned char* outside,
                        constants& c) noexcept {
        const epilogue& e = problem.finish;
        c.outside = outside + from.channel;
        c.channel = from.channel;
        c.inside = half_blocks<isa_type>::first(from.count);
        c.flip = problem.input_type == element_kind::i8 ? 0x80 : 0;
        c.is_signed = e.output_type == element_kind::i8;
        c.low = static_cast<std::int32_t>(e.quant_low);
        c.high = static_cast<std::int32_t>(e.quant_high);
        c.limited = c.high - c.low < 255;
        const std::int32_t zero = problem.input_zero_point + c.flip;
        for (int v = 0; v < 4; ++v) {
            const __m512i sum = load_slots(from, from.sums, v);
            _mm512_store_si512(c.start + 16 * v, _mm512_mullo_epi32(sum, _mm512_set1_epi32(-zero)));
        }
        put_in_slots(e.scale, e.scale_all, from, c.scale);
        put_in_slots(e.bias, e.bias_all, from, c.bias);
        const auto packed = [&](int i) __attribute__((always_inline)) {
            return load_slots(from, from.weights + i / 4 * 4 * from.vector_bytes, i % 4);
        };
        const auto put = [&c](int i, __m512i value)
                             __attribute__((always_inline)) { _mm512_store_si512(c.weights + i * 64, value); };
        if (problem.shape.stride[2] == 1) {
            for (int i = 0; i < 24; ++i)
                put(i, packed(i));
            return;
        }
        const __m512i byte = _mm512_set1_epi32(0xff);
        for (int v = 0; v < 4; ++v) {
            const __m512i left = packed(v), middle = packed(4 + v), right = packed(8 + v);  // columns of taps
            // Bytes l0 m0 l1 m1, l2 m2, r0 - r1, r2.
            const __m512i first = _mm512_unpacklo_epi8(left, middle), second = _mm512_unpackhi_epi8(left, middle);
            const __m512 low = _mm512_castsi512_ps(first), high = _mm512_castsi512_ps(second);
            const __m512i upper = _mm512_castps_si512(_mm512_shuffle_ps(low, high, 0x88));
            const __m512i lower = _mm512_castps_si512(_mm512_shuffle_ps(low, high, 0xdd));
            put(v, upper);
            put(4 + v, lower);
            const __m512i moved = _mm512_slli_epi32(_mm512_and_si512(_mm512_srli_epi32(right, 8), byte), 16);
            put(8 + v, _mm512_or_si512(_mm512_and_si512(right, byte), moved));
            put(12 + v, _mm512_and_si512(_mm512_srli_epi32(right, 16), byte));
        }
    }

    /// The numbers of channels, or one for all, in slot order; neighbouring four stay side by side.
    static void put_in_slots(const float* array, float all, const source& from, float* slots) noexcept {
        for (std::int64_t i = 0; i < 64; i += 4) {
            const std::int64_t lane = i % 16 / 4;
            const std::int64_t c = (from.fill == filling::whole ? lane : lane % 2) * 16 + i / 16 * 4;
            if (array != nullptr && c + 4 <= from.count) {
                std::memcpy(slots + i, array + from.channel + c, 16);
                continue;
            }
            for (std::int64_t j = 0; j < 4; ++j)
                slots[i + j] = array != nullptr && c + j < from.count ? array[from.channel + c + j] : all;
        }
    }

    /// Where four lines of bytes are, which are interleaved, and the four of the second half: at stride 1 four rows of the image, at
    /// stride 2 two columns of two rows.
    template <filling Filling, int Stride>
    struct line_places {
        static constexpr int count = Filling == filling::whole ? 4 : 8;
        const unsigned char* at[count];
        const unsigned char* row[count];  // column 0
        std::int64_t pixel[count];  // from column to column; 0 outside
        std::int64_t width;
        const unsigned char* outside;

        /// Finds row `h` of the image for the lines that read it.
        [[gnu::always_inline]] void find_row(const convolution_problem& problem, const constants& c, int line,
                                             std::int64_t plane, std::int64_t h) noexcept {
            const convolution_shape& s = problem.shape;
            const bool inside = h >= 0 && h < s.in[1];
            const std::int64_t pixels = (plane * s.in[1] + h) * s.in[2];
            row[line] = inside ? static_cast<const unsigned char*>(problem.input) + c.channel +
                                     pixels * problem.input_pixel_stride
                               : c.outside;
            pixel[line] = inside ? problem.input_pixel_stride : 0;
        }
        /// The lines from row `h` of the image on, for the first or second half.
        [[gnu::always_inline]] void find(const convolution_problem& problem, const constants& c, int half,
                                         std::int64_t plane, std::int64_t h) noexcept {
            width = problem.shape.in[2];
            outside = c.outside;
#pragma GCC unroll 4
            for (int j = 0; j < 4; ++j)
                find_row(problem, c, 4 * half + j, plane, h + j / Stride);
        }
        /// Goes to a column of the image, which may lie outside.
        [[gnu::always_inline]] void go_to(std::int64_t column) noexcept {
#pragma GCC unroll 8
            for (int j = 0; j < count; ++j) {
                const std::int64_t x = Stride == 1 ? column : column + j % 2;
                at[j] = x >= 0 && x < width ? row[j] + x * pixel[j] : outside;
            }
        }
        [[gnu::always_inline]] void advance() noexcept {
#pragma GCC unroll 8
            for (int j = 0; j < count; ++j)
                at[j] += Stride * pixel[j];
        }
    };

    /// Where results go: pixels of a row, and as many of the second half.
    struct target {
        unsigned char* to;
        std::int64_t pixel;
        std::int64_t row;  // distance of the second row
        std::int64_t half;
    };

    template <filling Filling>
    [[gnu::always_inline]] static __m512i load(const constants& c, const unsigned char* first,
                                               const unsigned char* second) noexcept {
        if constexpr (Filling == filling::whole) {
            return _mm512_loadu_si512(first);
        } else if constexpr (Filling == filling::halves) {
            const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(first));
            const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(second));
            return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
        } else {
            const __m512i low = _mm512_maskz_loadu_epi8(__mmask64{c.inside}, first);
            return _mm512_mask_loadu_epi8(low, __mmask64{c.inside} << 32, second - 32);
        }
    }

    /// The four lines, interleaved, one column further with each call.
    template <filling Filling, int Stride>
    [[gnu::always_inline]] static void take_column(const constants& c, line_places<Filling, Stride>& places,
                                                   __m512i (&mixed)[4]) noexcept {
        __m512i line[4];
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j)
            line[j] = load<Filling>(c, places.at[j], places.at[places.count - 4 + j]);
        places.advance();
        if (c.flip != 0) {
#pragma GCC unroll 4
            for (int j = 0; j < 4; ++j)
                line[j] = _mm512_xor_si512(line[j], _mm512_set1_epi8(-128));
        }
        dot::interleave_lines(line, mixed);
    }

    [[gnu::always_inline]] static __m512i weight(const constants& c, int i) noexcept {
        return _mm512_load_si512(c.weights + i * 64);
    }
    [[gnu::always_inline]] static accumulator start(const constants& c, int v) noexcept {
        return dot::load(c.start + 16 * v);
    }

    /// Sums to bytes.
    template <filling Filling>
    [[gnu::always_inline]] static void store(const constants& c, accumulator (&sum)[4], unsigned char* to,
                                             std::int64_t half) noexcept {
        __m512i q[4];
#pragma GCC unroll 4
        for (int v = 0; v < 4; ++v) {
            dot::settle(sum[v]);
            const __m512 x = _mm512_cvtepi32_ps(dot::bits(sum[v]));
            q[v] = _mm512_cvtps_epi32(
                _mm512_fmadd_ps(x, _mm512_load_ps(c.scale + 16 * v), _mm512_load_ps(c.bias + 16 * v)));
        }
        __m512i bytes = c.is_signed ? simd::pack_in_parts<true>(q[0], q[1], q[2], q[3])
                                    : simd::pack_in_parts<false>(q[0], q[1], q[2], q[3]);
        if (c.limited) {
            bytes = c.is_signed ? simd::limit<true>(bytes, c.low, c.high) : simd::limit<false>(bytes, c.low, c.high);
        }
        if constexpr (Filling == filling::whole) {
            _mm512_storeu_si512(to, bytes);
        } else {
            const __m256i low = _mm512_castsi512_si256(bytes);
            const __m256i high = _mm512_extracti64x4_epi64(bytes, 1);
            if constexpr (Filling == filling::halves) {
                _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), low);
                _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + half), high);
            } else {
                _mm256_mask_storeu_epi8(to, c.inside, low);
                _mm256_mask_storeu_epi8(to + half, c.inside, high);
            }
        }
    }

    /// The sums of a column of two output rows.
    using two_rows = accumulator[2][4];

    /// An input column at stride 1 ends the output column before, adds to the one at it, and begins the next one. Near the left edge
    /// there are none of the first (`Before` < 2) or second (< 1).
    template <filling Filling, int Before>
    [[gnu::always_inline]] static void add_column(const constants& c, line_places<Filling, 1>& places, two_rows& ends,
                                                  two_rows& goes_on, two_rows& begins, target& out) noexcept {
        __m512i mixed[4];
        take_column<Filling, 1>(c, places, mixed);
#pragma GCC unroll 4
        for (int v = 0; v < 4; ++v) {
#pragma GCC unroll 2
            for (int r = 0; r < 2; ++r) {
                if constexpr (Before >= 2) ends[r][v] = dot::step(ends[r][v], mixed[v], weight(c, 12 * r + 8 + v));
                if constexpr (Before >= 1)
                    goes_on[r][v] = dot::step(goes_on[r][v], mixed[v], weight(c, 12 * r + 4 + v));
                begins[r][v] = dot::step(start(c, v), mixed[v], weight(c, 12 * r + v));
            }
        }
        if constexpr (Before >= 2) {
            store<Filling>(c, ends[0], out.to, out.half);
            store<Filling>(c, ends[1], out.to + out.row, out.half);
            out.to += out.pixel;
        }
    }

    /// Two output rows at stride 1.
    template <filling Filling>
    [[gnu::noinline]] static void run_two_rows(const constants& c, line_places<Filling, 1>& given, std::int64_t pad,
                                               std::int64_t columns, target out) noexcept {
        line_places<Filling, 1> places = given;
        two_rows a, b, d;
        places.go_to(-pad);
        add_column<Filling, 0>(c, places, d, d, a, out);
        places.go_to(1 - pad);
        add_column<Filling, 1>(c, places, d, a, b, out);
        places.go_to(2 - pad);
        const std::int64_t last = columns + 1 - pad;
        for (std::int64_t left = columns;;) {
            if (left == 1) places.go_to(last);
            add_column<Filling, 2>(c, places, a, b, d, out);
            if (--left == 0) return;
            if (left == 1) places.go_to(last);
            add_column<Filling, 2>(c, places, b, d, a, out);
            if (--left == 0) return;
            if (left == 1) places.go_to(last);
            add_column<Filling, 2>(c, places, d, a, b, out);
            if (--left == 0) return;
        }
    }

    /// A row of quads, to memory.
    template <filling Filling>
    [[gnu::noinline]] static void put_quads(const constants& c, line_places<Filling, 2>& given, std::int64_t first,
                                            std::int64_t columns, unsigned char* quads) noexcept {
        line_places<Filling, 2> places = given;
        places.go_to(first);
        for (std::int64_t i = 0; i <= columns; ++i) {
            if (i == 1 || i == columns) places.go_to(first + 2 * i);
            __m512i mixed[4];
            take_column<Filling, 2>(c, places, mixed);
#pragma GCC unroll 4
            for (int v = 0; v < 4; ++v)
                _mm512_store_si512(quads + i * 256 + 64 * v, mixed[v]);
        }
    }

    /// The next column of quads: the upper ones from memory, where the lower ones take their place.
    template <filling Filling>
    [[gnu::always_inline]] static void take_quads(const constants& c, line_places<Filling, 2>& places,
                                                  unsigned char*& quads, __m512i (&upper)[4],
                                                  __m512i (&lower)[4]) noexcept {
        take_column<Filling, 2>(c, places, lower);
#pragma GCC unroll 4
        for (int v = 0; v < 4; ++v) {
            upper[v] = _mm512_load_si512(quads + 64 * v);
            _mm512_store_si512(quads + 64 * v, lower[v]);
        }
        quads += 256;
    }

    /// An output row at stride 2. `quads` has the upper row of quads, and then the lower one.
    template <filling Filling>
    [[gnu::noinline]] static void run_row(const constants& c, line_places<Filling, 2>& given, std::int64_t first,
                                          std::int64_t columns, unsigned char* quads, target out) noexcept {
        line_places<Filling, 2> places = given;
        accumulator weights[16];  // settled, so that they are loaded once
#pragma GCC unroll 16
        for (int i = 0; i < 16; ++i) {
            weights[i] = reinterpret_cast<accumulator>(weight(c, i));
            dot::settle(weights[i]);
        }
        const auto add = [&weights](accumulator sum, __m512i bytes, int i)
                             __attribute__((always_inline)) { return dot::step(sum, bytes, dot::bits(weights[i])); };
        __m512i lower[4], upper[4];
        accumulator sum[4];
        const auto begin = [&]() __attribute__((always_inline)) {
#pragma GCC unroll 4
            for (int v = 0; v < 4; ++v)
                sum[v] = add(add(start(c, v), upper[v], v), lower[v], 4 + v);
        };
        const auto end = [&]() __attribute__((always_inline)) {
#pragma GCC unroll 4
            for (int v = 0; v < 4; ++v)
                sum[v] = add(add(sum[v], upper[v], 8 + v), lower[v], 12 + v);
            store<Filling>(c, sum, out.to, out.half);
            out.to += out.pixel;
        };
        places.go_to(first);
        take_quads<Filling>(c, places, quads, upper, lower);
        begin();
        places.go_to(first + 2);
        for (std::int64_t i = 1; i < columns; ++i) {
            take_quads<Filling>(c, places, quads, upper, lower);
            end();
            begin();
        }
        places.go_to(first + 2 * columns);
        take_quads<Filling>(c, places, quads, upper, lower);
        end();
    }

    template <filling Filling>
    static void run_range(const convolution_problem& problem, const constants& c, const row_range& range) noexcept {
        const convolution_shape& s = problem.shape;
        const std::int64_t halves = Filling == filling::whole ? 1 : 2;
        const std::int64_t rows = (range.end - range.begin + halves - 1) / halves;
        const std::int64_t apart = range.end - rows - range.begin;  // of the halves, which may overlap
        if (s.stride[2] == 1)
            run_pairs<Filling>(problem, c, range, rows, apart);
        else
            run_rows<Filling>(problem, c, range, rows, apart);
    }

    /// From `row` on, and the second half from `second` on.
    static target target_at(const convolution_problem& problem, const constants& c, std::int64_t plane,
                            std::int64_t row, std::int64_t second, std::int64_t column) noexcept {
        const convolution_shape& s = problem.shape;
        const std::int64_t pixel = problem.output_pixel_stride;
        unsigned char* const to = static_cast<unsigned char*>(problem.output) +
                                  ((plane * s.out[1] + row) * s.out[2] + column) * pixel + c.channel;
        return {to, pixel, s.out[2] * pixel, (second - row) * s.out[2] * pixel};
    }

    template <filling Filling>
    static void run_pairs(const convolution_problem& problem, const constants& c, const row_range& range,
                          std::int64_t pairs, std::int64_t apart) noexcept {
        const convolution_shape& s = problem.shape;
        // An odd last row comes with the one before it, once more.
        const auto row_of = [&s](std::int64_t pair) { return 2 * pair + 2 <= s.out[1] ? 2 * pair : s.out[1] - 2; };
        for (std::int64_t i = range.begin; i < range.begin + pairs; ++i) {
            const std::int64_t row = row_of(i);
            const std::int64_t second = row_of(i + apart);
            line_places<Filling, 1> places;
            places.find(problem, c, 0, range.plane, row - s.pad_begin[1]);
            if constexpr (Filling != filling::whole) places.find(problem, c, 1, range.plane, second - s.pad_begin[1]);
            run_two_rows<Filling>(c, places, s.pad_begin[2], s.out[2],
                                  target_at(problem, c, range.plane, row, second, 0));
        }
    }

    template <filling Filling>
    static void run_rows(const convolution_problem& problem, const constants& c, const row_range& range,
                         std::int64_t rows, std::int64_t apart) noexcept {
        const convolution_shape& s = problem.shape;
        alignas(64) unsigned char quads[(most_columns + 1) * 256];
        const auto find = [&](line_places<Filling, 2>& places, std::int64_t row) {
            places.find(problem, c, 0, range.plane, 2 * row - s.pad_begin[1]);
            if constexpr (Filling != filling::whole)
                places.find(problem, c, 1, range.plane, 2 * (row + apart) - s.pad_begin[1]);
        };
        for (std::int64_t x = 0; x < s.out[2]; x += most_columns) {
            const std::int64_t columns = s.out[2] - x < most_columns ? s.out[2] - x : most_columns;
            const std::int64_t first = 2 * x - s.pad_begin[2];
            line_places<Filling, 2> places;
            find(places, range.begin);
            put_quads<Filling>(c, places, first, columns, quads);
            for (std::int64_t i = range.begin; i < range.begin + rows; ++i) {
                find(places, i + 1);
                run_row<Filling>(c, places, first, columns, quads, target_at(problem, c, range.plane, i, i + apart, x));
            }
        }
    }
};

}  // namespace lpt::kernel

#endif
