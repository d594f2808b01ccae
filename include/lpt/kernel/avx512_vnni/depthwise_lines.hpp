// SPDX-License-Identifier: Apache-2.0
// Lines of bytes for depthwise convolution by 3 x 3 and 5 x 5 taps in 512 bits: where they lie, how they come into registers, and how
// their sums leave them.
#pragma once

#if defined(__AVX512VNNI__) && defined(__AVX512VL__) && defined(__AVX512BW__)

#include <lpt/kernel/avx512_vnni/dot.hpp>
#include <lpt/kernel/avx512_vnni/lanes.hpp>
#include <lpt/kernel/depthwise_dots.hpp>

namespace lpt::inline LPT_ABI::kernel::detail {

/// A vector holds 64 channels, or, in two or four `Parts`, fewer channels of as many rows of the output. A template to have the instruction
/// set in the names of its functions.
template <class Isa>
struct depthwise_lines;

template <>
struct depthwise_lines<on::avx512_vnni> {
    using isa_type = on::avx512_vnni;
    using dot = dot_product<isa_type>;
    using simd = lanes<isa_type>;
    using accumulator = dot::accumulator;

    static bool is_fixed(const epilogue& e) noexcept { return e.fixed != nullptr && e.fixed->real == nullptr; }

    /// Channels, and where their packed weights lie.
    struct packed_channels {
        const unsigned char* sums = nullptr;
        const unsigned char* weights = nullptr;
        std::int64_t vector_bytes = 0;
        std::int64_t part = 0;  // bytes of a vector before those of these channels
        std::int64_t channel = 0;
        std::int64_t count = 0;
        int parts = 1;  // of a vector
    };

    /// Calls f(channels) for 64 channels, or for 32 and for up to 16 at a time.
    template <class Function>
    static void for_each_part(packed_channels from, const Function& f) noexcept {
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
    static packed_channels channels_of(const convolution_shape& s, const channel_span& channels,
                                       const unsigned char* packed, std::int64_t b) noexcept {
        packed_channels from;
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
        alignas(64) std::int32_t start[64];
        alignas(64) float scale[64];
        alignas(64) float bias[64];
        fixed_slots<64> fixed_numbers;
        simd::fixed_factors factors[4];  // where all channels shift; then sums start with their bias
        const unsigned char* outside;
        std::int64_t channel;
        __mmask64 inside;  // of the first part
        unsigned char flip;
        bool is_signed;
        bool limited;
        bool fixed;
        bool shifts;
        std::int32_t zero_point;
        std::int32_t low;
        std::int32_t high;
    };

    /// Vector `v` of a block, where it lies in the packing; in all parts.
    template <int Parts>
    [[gnu::always_inline]] static __m512i load_slots(const packed_channels& from, const unsigned char* block,
                                                     int v) noexcept {
        const unsigned char* const at = block + v * from.vector_bytes + from.part;
        if constexpr (Parts == 1) return _mm512_loadu_si512(at);
        if constexpr (Parts == 4) return _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
        return _mm512_broadcast_i64x4(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)));
    }

    template <int Parts>
    static void prepare(const convolution_problem& problem, const packed_channels& from, const unsigned char* outside,
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
            c.shifts = e.fixed->shifts;
            c.zero_point = e.fixed->zero_point;
            if (c.shifts) start_fixed<simd>(c.fixed_numbers.view(), 0, 4, c.start, c.factors);
        } else {
            put_in_slots<Parts>(e.scale, e.scale_all, from, c.scale);
            put_in_slots<Parts>(e.bias, e.bias_all, from, c.bias);
        }
    }

    /// The numbers of channels, or one for all, in slot order; neighbouring four stay side by side.
    template <int Parts>
    static void put_in_slots(const float* array, float all, const packed_channels& from, float* slots) noexcept {
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

    /// A row of the image: column 0, and how far apart columns are; a row outside is one column of zero points.
    struct image_row {
        const unsigned char* start;
        std::int64_t pixel;
    };
    [[gnu::always_inline]] static image_row find_row(const convolution_problem& problem, const constants& c,
                                                     std::int64_t plane, std::int64_t h) noexcept {
        const convolution_shape& s = problem.shape;
        const bool inside = h >= 0 && h < s.in[1];
        const std::int64_t pixels = (plane * s.in[1] + h) * s.in[2];
        return {inside
                    ? static_cast<const unsigned char*>(problem.input) + c.channel + pixels * problem.input_pixel_stride
                    : c.outside,
                inside ? problem.input_pixel_stride : 0};
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

        /// The lines of a part, from row `h` of the image on.
        [[gnu::always_inline]] void find(const convolution_problem& problem, const constants& c, int part,
                                         std::int64_t plane, std::int64_t h) noexcept {
            width = problem.shape.in[2];
            outside = c.outside;
#pragma GCC unroll 4
            for (int j = 0; j < 4; ++j) {
                const image_row found = find_row(problem, c, plane, h + j / Stride);
                row[4 * part + j] = found.start;
                pixel[4 * part + j] = found.pixel;
            }
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

    /// The bytes of all parts of a vector, of which `at(part)` says where they are.
    template <int Parts, class At>
    [[gnu::always_inline]] static __m512i load(const constants& c, const At& at) noexcept {
        if constexpr (Parts == 1) {
            return _mm512_loadu_si512(at(0));
        } else if constexpr (Parts == 2) {
            const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at(0)));
            const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at(1)));
            return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
        } else {
            const auto first = static_cast<__mmask16>(c.inside);
            const auto part = [&](int i) __attribute__((always_inline)) { return _mm_maskz_loadu_epi8(first, at(i)); };
            const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(part(0)), part(1), 1);
            const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(part(2)), part(3), 1);
            const __m512i all = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
            return all;
        }
    }

    /// Four lines of bytes, of unsigned ones, interleaved.
    [[gnu::always_inline]] static void interleave(const constants& c, __m512i (&line)[4],
                                                  __m512i (&mixed)[4]) noexcept {
        if (c.flip != 0) {
#pragma GCC unroll 4
            for (int j = 0; j < 4; ++j)
                line[j] = _mm512_xor_si512(line[j], _mm512_set1_epi8(-128));
        }
        dot::interleave_lines(line, mixed);
    }

    /// The four lines, interleaved, one column further with each call.
    template <int Parts, int Stride>
    [[gnu::always_inline]] static void take_column(const constants& c, line_places<Parts, Stride>& places,
                                                   __m512i (&mixed)[4]) noexcept {
        __m512i line[4];
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) {
            line[j] = load<Parts>(c, [&](int part) __attribute__((always_inline)) { return places.at[4 * part + j]; });
        }
        places.advance();
        interleave(c, line, mixed);
    }

    [[gnu::always_inline]] static accumulator start(const constants& c, int v) noexcept {
        return dot::load(c.start + 16 * v);
    }

    /// The sums of a pixel in some output rows, scaled. Constants are settled, so that they are loaded once for all rows.
    template <int Rows>
    [[gnu::always_inline]] static void round(const constants& c, const accumulator (&sum)[Rows][4],
                                             simd::ints (&q)[Rows][4]) noexcept {
#pragma GCC unroll 4
        for (int v = 0; v < 4; ++v) {
            __m512 scale = _mm512_load_ps(c.scale + 16 * v);
            __m512 bias = _mm512_load_ps(c.bias + 16 * v);
            if constexpr (Rows > 1) __asm__("" : "+v"(scale), "+v"(bias));
#pragma GCC unroll 2
            for (int r = 0; r < Rows; ++r)
                q[r][v] = _mm512_cvtps_epi32(_mm512_fmadd_ps(_mm512_cvtepi32_ps(dot::bits(sum[r][v])), scale, bias));
        }
    }
    /// Codes in fixed point.
    template <int Rows>
    [[gnu::always_inline]] static void round_fixed(const constants& c, const accumulator (&sum)[Rows][4],
                                                   simd::ints (&q)[Rows][4]) noexcept {
#pragma GCC unroll 2
        for (int r = 0; r < Rows; ++r) {
            const simd::ints x[4] = {dot::bits(sum[r][0]), dot::bits(sum[r][1]), dot::bits(sum[r][2]),
                                     dot::bits(sum[r][3])};
            if (c.shifts) {
                codes_of<simd>(x, c.factors, simd::broadcast_int(c.zero_point), q[r]);
                continue;
            }
#pragma GCC unroll 4
            for (int v = 0; v < 4; ++v)
                q[r][v] = c.fixed_numbers.load<simd>(16 * v).code(x[v]);
        }
    }

    /// The sums of a pixel in some output rows to bytes.
    template <int Parts, int Rows>
    [[gnu::always_inline]] static void store(const constants& c, accumulator (&sum)[Rows][4], target& out) noexcept {
#pragma GCC unroll 2
        for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
            for (int v = 0; v < 4; ++v)
                dot::settle(sum[r][v]);
        }
        simd::ints q[Rows][4];
        if (c.fixed)
            round_fixed<Rows>(c, sum, q);
        else
            round<Rows>(c, sum, q);
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
};

}  // namespace lpt::inline LPT_ABI::kernel::detail

#endif
