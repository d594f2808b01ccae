// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution by 3 x 3 taps in 512 bits, at stride 1 and 2: interleaved bytes and sums stay in registers.
#pragma once

#if defined(__AVX512VNNI__) && defined(__AVX512VL__) && defined(__AVX512BW__)

#include <lpt/kernel/avx512_vnni/dot.hpp>
#include <lpt/kernel/avx512_vnni/half_blocks.hpp>
#include <lpt/kernel/avx512_vnni/lanes.hpp>
#include <lpt/kernel/depthwise_dots.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// Walks along the columns of the input; each column is interleaved once and added to every sum that it belongs to.
/// Stride 1: four input rows, side by side in the four bytes of a dot product, serve two output rows and three output columns.
/// Stride 2: four bytes are a quad, two rows of two columns. An output pixel takes four quads, two of its row of quads and two of
/// the next one, which is kept in memory for the output row below.
/// A vector holds 64 channels; or 32 of each of two rows of the output that are apart; or up to 16 of each of four.
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
               (is_fixed(problem.finish) || finish<isa_type>::requantizes_directly(problem.finish, 0, s.out_channels));
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
            const auto run_source = [&job](const source& from) {
                switch (from.parts) {
                    case 1: run_source_as<1>(job, from); break;
                    case 2: run_source_as<2>(job, from); break;
                    default: run_source_as<4>(job, from); break;
                }
            };
            for (std::int64_t b = 0; b < packing::blocks(full); ++b)
                for_each_source(source_of<packing>(s, full, packed_full, b), run_source);
            for (std::int64_t b = 0; b < half_packing::blocks(rest); ++b)
                for_each_source(source_of<half_packing>(s, rest, packed_rest, b), run_source);
        });
    }

private:
    static bool is_fixed(const epilogue& e) noexcept { return e.fixed != nullptr && e.fixed->real == nullptr; }

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

    /// Channels, and where their packed weights lie.
    struct source {
        const unsigned char* sums = nullptr;
        const unsigned char* weights = nullptr;
        std::int64_t vector_bytes = 0;
        std::int64_t part = 0;  // bytes of a vector before those of these channels
        std::int64_t channel = 0;
        std::int64_t count = 0;
        int parts = 1;  // of a vector
    };

    /// Calls f(source) for 64 channels, or for 32 and for up to 16 at a time.
    template <class Function>
    static void for_each_source(source from, const Function& f) noexcept {
        for (std::int64_t left = from.count; left > 0;) {
            from.parts = left == 64 ? 1 : left >= 32 ? 2 : 4;
            const std::int64_t most = 64 / from.parts;
            from.count = left < most ? left : most;
            f(from);
            from.channel += from.count;
            from.part += from.count;
            left -= from.count;
        }
    }

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
        fixed_slots<64> fixed_numbers;
        const unsigned char* outside;
        std::int64_t channel;
        __mmask64 inside;  // of the first part
        unsigned char flip;
        bool is_signed;
        bool limited;
        bool fixed;
        std::int32_t low;
        std::int32_t high;
    };

    /// Vector `v` of a block, where it lies in the packing; in all parts.
    template <int Parts>
    [[gnu::always_inline]] static __m512i load_slots(const source& from, const unsigned char* block, int v) noexcept {
        const unsigned char* const at = block + v * from.vector_bytes + from.part;
        if constexpr (Parts == 1) return _mm512_loadu_si512(at);
        if constexpr (Parts == 4) return _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
        return _mm512_broadcast_i64x4(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)));
    }

    template <int Parts>
    static void prepare(const convolution_problem& problem, const source& from, const unsigned char* outside,
                        constants& c) noexcept {
        const epilogue& e = problem.finish;
        c.outside = outside + from.channel;
        c.channel = from.channel;
        c.inside = from.count == 64 ? ~__mmask64{0} : (__mmask64{1} << from.count) - 1;
        c.flip = problem.input_type == element_kind::i8 ? 0x80 : 0;
        c.is_signed = e.output_type == element_kind::i8;
        c.low = static_cast<std::int32_t>(e.quant_low);
        c.high = static_cast<std::int32_t>(e.quant_high);
        c.limited = c.high - c.low < 255;
        const __m512i zero = _mm512_set1_epi32(-(problem.input_zero_point + c.flip));
#pragma GCC unroll 4
        for (int v = 0; v < 4; ++v) {
            const __m512i sum = load_slots<Parts>(from, from.sums, v);
            _mm512_store_si512(c.start + 16 * v, _mm512_mullo_epi32(sum, zero));
        }
        c.fixed = is_fixed(e);
        if (c.fixed) {
            c.fixed_numbers.fill(*e.fixed, [&](const std::int32_t* array, std::int32_t* slots) {
                put_in_slots<Parts>(reinterpret_cast<const float*>(array), 0, from, reinterpret_cast<float*>(slots));
            });
        } else {
            put_in_slots<Parts>(e.scale, e.scale_all, from, c.scale);
            put_in_slots<Parts>(e.bias, e.bias_all, from, c.bias);
        }
        const auto packed = [&](int i) __attribute__((always_inline)) {
            return load_slots<Parts>(from, from.weights + i / 4 * 4 * from.vector_bytes, i % 4);
        };
        const auto put = [&c](int i, __m512i value)
                             __attribute__((always_inline)) { _mm512_store_si512(c.weights + i * 64, value); };
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

    /// The numbers of channels, or one for all, in slot order; neighbouring four stay side by side.
    template <int Parts>
    static void put_in_slots(const float* array, float all, const source& from, float* slots) noexcept {
        __m512 numbers[4];  // of 16 channels each
#pragma GCC unroll 4
        for (int l = 0; l < 4; ++l) {
            const int part = l % (4 / Parts);
            const std::int64_t left = from.count - 16 * part;
            const __mmask16 inside = left >= 16 ? 0xffff : left <= 0 ? 0 : static_cast<__mmask16>((1u << left) - 1u);
            numbers[l] = _mm512_set1_ps(all);
            if (array != nullptr)
                numbers[l] = _mm512_mask_loadu_ps(numbers[l], inside, array + from.channel + 16 * part);
        }
        const __m512 even01 = _mm512_shuffle_f32x4(numbers[0], numbers[1], 0x88);
        const __m512 odd01 = _mm512_shuffle_f32x4(numbers[0], numbers[1], 0xdd);
        const __m512 even23 = _mm512_shuffle_f32x4(numbers[2], numbers[3], 0x88);
        const __m512 odd23 = _mm512_shuffle_f32x4(numbers[2], numbers[3], 0xdd);
        _mm512_store_ps(slots, _mm512_shuffle_f32x4(even01, even23, 0x88));
        _mm512_store_ps(slots + 16, _mm512_shuffle_f32x4(odd01, odd23, 0x88));
        _mm512_store_ps(slots + 32, _mm512_shuffle_f32x4(even01, even23, 0xdd));
        _mm512_store_ps(slots + 48, _mm512_shuffle_f32x4(odd01, odd23, 0xdd));
    }

    /// Where four lines of bytes are, which are interleaved, and the four of each other part: at stride 1 four rows of the image, at
    /// stride 2 two columns of two rows.
    template <int Parts, int Stride>
    struct line_places {
        static constexpr int count = 4 * Parts;
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
        /// The lines of a part, from row `h` of the image on.
        [[gnu::always_inline]] void find(const convolution_problem& problem, const constants& c, int part,
                                         std::int64_t plane, std::int64_t h) noexcept {
            width = problem.shape.in[2];
            outside = c.outside;
#pragma GCC unroll 4
            for (int j = 0; j < 4; ++j)
                find_row(problem, c, 4 * part + j, plane, h + j / Stride);
        }
        /// Goes to a column of the image, which may lie outside.
        [[gnu::always_inline]] void go_to(std::int64_t column) noexcept {
            point<0>(column);
            if constexpr (Stride == 2) point<1>(column + 1);
        }
        template <int First>
        [[gnu::always_inline]] void point(std::int64_t column) noexcept {
            const bool inside = column >= 0 && column < width;
#pragma GCC unroll 16
            for (int j = First; j < count; j += Stride)
                at[j] = row[j] + column * pixel[j];
            if (inside) return;
#pragma GCC unroll 16
            for (int j = First; j < count; j += Stride)
                at[j] = outside;
        }
        [[gnu::always_inline]] void advance() noexcept {
#pragma GCC unroll 16
            for (int j = 0; j < count; ++j)
                at[j] += Stride * pixel[j];
        }
    };

    /// Where results go: pixels of a row, for each part.
    struct target {
        unsigned char* to;
        std::int64_t pixel;
        std::int64_t row;  // distance of the second row
        std::int64_t apart[4];  // from the first part's
    };

    /// The bytes of a line, of all parts.
    template <int Parts, int Stride>
    [[gnu::always_inline]] static __m512i load(const constants& c, const line_places<Parts, Stride>& places,
                                               int line) noexcept {
        if constexpr (Parts == 1) {
            return _mm512_loadu_si512(places.at[line]);
        } else if constexpr (Parts == 2) {
            const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(places.at[line]));
            const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(places.at[4 + line]));
            return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
        } else {
            const auto first = static_cast<__mmask16>(c.inside);
            const auto part = [&](int i) __attribute__((always_inline)) {
                return _mm_maskz_loadu_epi8(first, places.at[4 * i + line]);
            };
            const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(part(0)), part(1), 1);
            const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(part(2)), part(3), 1);
            const __m512i all = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
            return all;
        }
    }

    /// The four lines, interleaved, one column further with each call.
    template <int Parts, int Stride>
    [[gnu::always_inline]] static void take_column(const constants& c, line_places<Parts, Stride>& places,
                                                   __m512i (&mixed)[4]) noexcept {
        __m512i line[4];
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j)
            line[j] = load<Parts, Stride>(c, places, j);
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

    /// The sums of a pixel in some output rows to bytes. Constants are settled, so that they are loaded once for all rows.
    template <int Parts, int Rows>
    [[gnu::always_inline]] static void store(const constants& c, accumulator (&sum)[Rows][4], target& out) noexcept {
        __m512i q[Rows][4];
#pragma GCC unroll 4
        for (int v = 0; v < 4; ++v) {
            if (c.fixed) {
                const fixed_columns<simd> column = c.fixed_numbers.load<simd>(16 * v);
#pragma GCC unroll 2
                for (int r = 0; r < Rows; ++r) {
                    dot::settle(sum[r][v]);
                    q[r][v] = column.code(dot::bits(sum[r][v]));
                }
                continue;
            }
            __m512 scale = _mm512_load_ps(c.scale + 16 * v);
            __m512 bias = _mm512_load_ps(c.bias + 16 * v);
            if constexpr (Rows > 1) __asm__("" : "+v"(scale), "+v"(bias));
#pragma GCC unroll 2
            for (int r = 0; r < Rows; ++r) {
                dot::settle(sum[r][v]);
                q[r][v] = _mm512_cvtps_epi32(_mm512_fmadd_ps(_mm512_cvtepi32_ps(dot::bits(sum[r][v])), scale, bias));
            }
        }
#pragma GCC unroll 2
        for (int r = 0; r < Rows; ++r) {
            __m512i bytes = c.is_signed ? simd::pack_in_parts<true>(q[r][0], q[r][1], q[r][2], q[r][3])
                                        : simd::pack_in_parts<false>(q[r][0], q[r][1], q[r][2], q[r][3]);
            if (c.limited) {
                bytes =
                    c.is_signed ? simd::limit<true>(bytes, c.low, c.high) : simd::limit<false>(bytes, c.low, c.high);
            }
            store_parts<Parts>(c, bytes, out.to + r * out.row, out.apart);
        }
        out.to += out.pixel;
    }

    template <int Parts>
    [[gnu::always_inline]] static void store_parts(const constants& c, __m512i bytes, unsigned char* to,
                                                   const std::int64_t (&apart)[4]) noexcept {
        if constexpr (Parts == 1) {
            _mm512_storeu_si512(to, bytes);
        } else if constexpr (Parts == 2) {
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_castsi512_si256(bytes));
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + apart[1]), _mm512_extracti64x4_epi64(bytes, 1));
        } else {
            const auto first = static_cast<__mmask16>(c.inside);
            _mm_mask_storeu_epi8(to, first, _mm512_castsi512_si128(bytes));
            _mm_mask_storeu_epi8(to + apart[1], first, _mm512_extracti32x4_epi32(bytes, 1));
            _mm_mask_storeu_epi8(to + apart[2], first, _mm512_extracti32x4_epi32(bytes, 2));
            _mm_mask_storeu_epi8(to + apart[3], first, _mm512_extracti32x4_epi32(bytes, 3));
        }
    }

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
    static void run_source_as(const work& job, const source& from) noexcept {
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
