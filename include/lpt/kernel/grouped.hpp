// SPDX-License-Identifier: Apache-2.0
// Convolution with few channels a group: vectors run along the channels of many groups, where panels of a group would stay empty.
#pragma once

#include <lpt/kernel/convolution_geometry.hpp>
#include <lpt/kernel/gemm.hpp>
#include <lpt/kernel/slot_store.hpp>

#include <utility>

namespace lpt::inline LPT_ABI::kernel {

/// Groups of 4, 8 or 16 channels, in and out, with weights that, less their zero points, are signed bytes. A vector of the image has
/// the bytes of 4 * lanes channels as they lie; its 128-bit parts are 16 channels, four words, of which each is repeated over its part and
/// multiplied by what the channels of its group make of it.
/// In memory: whether weights are packed so (int32), and if they are, sums of each block's slots (int32), then
/// [block][tap][word][vector of its group][slot][4].
template <class Isa>
struct grouped_convolution {
    using geometry = convolution_geometry<Isa>;
    using dot = dot_of_four<Isa>;
    using slots = slot_store<Isa>;
    using accumulator = typename dot::accumulator;
    static constexpr bool exists = dot::group == 4;
    static constexpr std::int64_t header_bytes = 64;
    static constexpr std::int64_t block = slots::block;
    static constexpr std::int64_t vector_bytes = block;
    static constexpr int most_taps = 49;
    static constexpr int tile_pixels = dot::rows * dot::vectors >= 16 ? 4 : 2;
    static constexpr std::int64_t most_blocks = 16;  // whose constants are kept
    static constexpr std::int64_t chunk_pixels =
        slots::staged_pixels;  // of a line, for which a block's weights stay in the L1 cache

    /// Whether the packed form has a header, which says who runs it. `type`: of the weights or the image.
    static constexpr bool has_header(const convolution_shape& s, element_kind type) noexcept {
        if constexpr (!exists) return false;
        const std::int64_t channels = geometry::group_in(s);
        const bool small = channels == 4 || channels == 8 || channels == 16;
        return small && s.groups > 1 && geometry::group_out(s) == channels && !s.transposed &&
               s.in_channels >= block / 2 && geometry::taps(s) <= most_taps && type != element_kind::f32;
    }
    static std::int64_t packed_bytes(const convolution_shape& s) noexcept {
        return header_bytes + blocks(s) * (4 * block + weights_bytes(s));
    }

    /// False if the weights are not signed bytes.
    static bool pack(const convolution_shape& s, const convolution_weights& weights, void* packed) noexcept {
        if (weights.type == element_kind::i4) return false;
        std::memset(packed, 0, static_cast<std::size_t>(packed_bytes(s)));
        unsigned char* const sums = static_cast<unsigned char*>(packed) + header_bytes;
        unsigned char* const at = sums + blocks(s) * 4 * block;
        for (std::int64_t c = 0; c < s.out_channels; ++c) {
            std::int32_t sum = 0;
            for (std::int64_t t = 0; t < geometry::taps(s); ++t) {
                for (std::int64_t i = 0; i < geometry::group_in(s); ++i) {
                    const std::int32_t value = value_of(s, weights, c, i, t);
                    if (value < -128 || value > 127) return false;
                    sum += value;
                    at[place_of(s, c, i, t)] = static_cast<unsigned char>(value & 0xff);
                }
            }
            std::memcpy(sums + c / block * 4 * block + slots::slot(c % block) * 4, &sum, sizeof sum);
        }
        const std::int32_t yes = 1;
        std::memcpy(packed, &yes, sizeof yes);
        return true;
    }
    static bool is_packed(const void* packed) noexcept {
        std::int32_t yes;
        std::memcpy(&yes, packed, sizeof yes);
        return yes != 0;
    }

    /// `outside` is a row of zero points.
    static void run(const convolution_problem& problem, const unsigned char* outside,
                    const parallel_for& parallel) noexcept {
        const convolution_shape& s = problem.shape;
        const std::int64_t lines = s.batch * s.out[0] * s.out[1];
        share_out<Isa>(parallel, lines, 1, [&](std::int64_t begin, std::int64_t end, int) {
            switch (geometry::group_in(s)) {
                case 4: return run_lines<4>(problem, outside, begin, end);
                case 8: return run_lines<8>(problem, outside, begin, end);
                default: return run_lines<16>(problem, outside, begin, end);
            }
        });
    }

private:
    static std::int64_t blocks(const convolution_shape& s) noexcept { return (s.in_channels + block - 1) / block; }
    static std::int64_t weights_bytes(const convolution_shape& s) noexcept {
        return geometry::taps(s) * geometry::group_in(s) * vector_bytes;
    }

    /// Weight of output channel `c` for channel `i` of its group.
    static std::int32_t value_of(const convolution_shape& s, const convolution_weights& weights, std::int64_t c,
                                 std::int64_t i, std::int64_t tap) noexcept {
        const std::int64_t channels = geometry::group_in(s);
        const std::int64_t at = c / channels * weights.group_stride + c % channels * weights.out_stride +
                                i * weights.in_stride + tap * weights.tap_stride;
        const unsigned char byte = static_cast<const unsigned char*>(weights.data)[at];
        const std::int32_t raw = weights.type == element_kind::u8
                                     ? static_cast<std::int32_t>(byte)
                                     : static_cast<std::int32_t>(static_cast<std::int8_t>(byte));
        const std::int64_t zero_index = weights.zero_point_count > 1 ? c : 0;
        return weights.zero_point_count > 0 ? raw - weights.zero_points[zero_index] : raw;
    }
    static std::int64_t place_of(const convolution_shape& s, std::int64_t c, std::int64_t i,
                                 std::int64_t tap) noexcept {
        const std::int64_t channels = geometry::group_in(s);
        const std::int64_t words = channels / 4;
        const std::int64_t slot = slots::slot(c % block);
        const std::int64_t vector = slot / dot::lanes;
        const std::int64_t word = vector / words * words + i / 4;
        const std::int64_t in_tap = (word * words + vector % words) * vector_bytes + slot % dot::lanes * 4 + i % 4;
        return c / block * weights_bytes(s) + tap * channels * vector_bytes + in_tap;
    }

    /// Word `Word` of each 128-bit part, in all words of the part.
    template <int Word, int... Lane>
    [[gnu::always_inline]] static accumulator repeat(accumulator image, std::integer_sequence<int, Lane...>) noexcept {
        return __builtin_shufflevector(image, image, (Lane / 4 * 4 + Word)...);
    }

    /// A part of a line: the addresses of its pixels' taps, pointers[tap * chunk_pixels + pixel].
    struct chunk {
        std::int64_t row = 0;  // of the epilogue
        std::int64_t pixels = 0;
        const unsigned char* pointers[most_taps * chunk_pixels];
    };

    struct pixel_range {
        std::int64_t begin;
        std::int64_t end;
    };
    /// Those of `count` output pixels whose tap lies inside a line of the image; that of the first one lies at `x`.
    static pixel_range inside(const convolution_shape& s, std::int64_t x, std::int64_t count) noexcept {
        const std::int64_t stride = s.stride[2];
        const std::int64_t before = x < 0 ? (stride - 1 - x) / stride : 0;
        const std::int64_t until = x < s.in[2] ? (s.in[2] - x + stride - 1) / stride : 0;
        const std::int64_t end = until < count ? until : count;
        return {before < end ? before : end, end};
    }

    static void find(const convolution_problem& problem, const unsigned char* outside, std::int64_t line,
                     std::int64_t first, chunk& to) noexcept {
        const convolution_shape& s = problem.shape;
        to.row = line * s.out[2] + first;
        to.pixels = s.out[2] - first < chunk_pixels ? s.out[2] - first : chunk_pixels;
        const unsigned char* const input = static_cast<const unsigned char*>(problem.input);
        const typename geometry::coordinates c = geometry::locate(s, to.row);
        geometry::for_each_input_line(s, c, [&](std::int64_t kernel_line, std::int64_t input_line) {
            for (std::int64_t kw = 0; kw < s.kernel[2]; ++kw) {
                const unsigned char** const pointers = to.pointers + (kernel_line * s.kernel[2] + kw) * chunk_pixels;
                const std::int64_t x = first * s.stride[2] - s.pad_begin[2] + kw * s.dilation[2];
                const auto [begin, end] = input_line < 0 ? pixel_range{0, 0} : inside(s, x, to.pixels);
                for (std::int64_t p = 0; p < begin; ++p)
                    pointers[p] = outside;
                if (begin < end) {
                    const std::int64_t pixel = input_line * s.in[2] + x + begin * s.stride[2];
                    evenly_spaced<Isa>(pointers + begin, 1, end - begin, input + pixel * problem.input_pixel_stride,
                                       s.stride[2] * problem.input_pixel_stride);
                }
                for (std::int64_t p = end; p < to.pixels; ++p)
                    pointers[p] = outside;
            }
        });
    }

    /// What holds for a block of channels.
    struct channel_block {
        const unsigned char* weights = nullptr;
        unsigned char flip = 0;
        bool in_place = false;  // the image's bytes are read where they lie
        typename slots::constants finish;
    };

    template <int Channels>
    static void run_lines(const convolution_problem& problem, const unsigned char* outside, std::int64_t begin,
                          std::int64_t end) noexcept {
        const convolution_shape& s = problem.shape;
        const unsigned char* const sums = static_cast<const unsigned char*>(problem.packed_weights) + header_bytes;
        const bool is_signed = problem.input_type == element_kind::i8;
        const unsigned char flip = is_signed == dot::unsigned_rows ? 0x80 : 0;
        const std::int32_t shift = flip == 0 ? 0 : dot::unsigned_rows ? 128 : -128;
        step_numbers<block> of_all, copies;
        slots::fill(of_all, problem.finish);
        channel_block blocks_at_once[most_blocks];
        chunk place;
        for (std::int64_t done = 0; done < blocks(s); done += most_blocks) {
            const std::int64_t count = blocks(s) - done < most_blocks ? blocks(s) - done : most_blocks;
            for (std::int64_t b = done; b < done + count; ++b) {
                const std::int64_t left = s.in_channels - b * block;
                const channel_span own{b * block, left < block ? left : block};
                channel_block& w = blocks_at_once[b - done];
                w.weights = sums + blocks(s) * 4 * block + b * weights_bytes(s);
                w.flip = flip;
                w.in_place = flip == 0 && own.count == block;
                slots::prepare(problem.finish, own, reinterpret_cast<const std::int32_t*>(sums + b * 4 * block),
                               problem.input_zero_point + shift, geometry::taps(s) * geometry::group_in(s), of_all,
                               copies, w.finish);
            }
            for (std::int64_t line = begin; line < end; ++line) {
                for (std::int64_t first = 0; first < s.out[2]; first += chunk_pixels) {
                    find(problem, outside, line, first, place);
                    for (std::int64_t k = 0; k < count; ++k)
                        run_chunk<Channels>(problem, blocks_at_once[k], place);
                }
            }
        }
    }

    template <int Channels>
    static void run_chunk(const convolution_problem& problem, const channel_block& w, const chunk& place) noexcept {
        alignas(64) float staged[chunk_pixels * block];
        std::int64_t p = 0;
        for (; p + tile_pixels <= place.pixels; p += tile_pixels)
            sum_pixels<Channels, tile_pixels>(problem, w, place, p, staged + p * block);
        for (; p < place.pixels; ++p)
            sum_pixels<Channels, 1>(problem, w, place, p, staged + p * block);
        if (w.finish.staged) slots::finish_staged(problem, w.finish, staged, place.row, place.pixels);
    }

    /// The bytes of a pixel that are not read where they lie: of the other sign, or fewer than a vector.
    [[gnu::noinline]] static void copy(const channel_block& w, const unsigned char* from, unsigned char* to) noexcept {
        unsigned char whole[block];
        if (w.finish.count == block) {
            std::memcpy(whole, from, block);
        } else {
            std::memset(whole, 0, block);
            std::memcpy(whole, from, static_cast<std::size_t>(w.finish.count));
        }
        for (unsigned char& each : whole)
            each = static_cast<unsigned char>(each ^ w.flip);
        std::memcpy(to, whole, block);
    }

    template <int Channels, int Pixels>
    [[gnu::always_inline]] static void sum_pixels(const convolution_problem& problem, const channel_block& w,
                                                  const chunk& place, std::int64_t first, float* staged) noexcept {
        accumulator sum[Pixels][4];
#pragma GCC unroll 4
        for (int v = 0; v < 4; ++v) {
            const accumulator start = dot::load(w.finish.start + v * dot::lanes);
#pragma GCC unroll 4
            for (int p = 0; p < Pixels; ++p)
                sum[p][v] = start;
        }
        const unsigned char* weights = w.weights;
        const std::int64_t taps = geometry::taps(problem.shape);
        for (std::int64_t t = 0; t < taps; ++t, weights += Channels * vector_bytes) {
            const unsigned char* const* const pointers = place.pointers + t * chunk_pixels + first;
            accumulator image[Pixels];
            alignas(64) unsigned char bytes[vector_bytes];
#pragma GCC unroll 4
            for (int p = 0; p < Pixels; ++p) {
                const unsigned char* at = pointers[p] + w.finish.channel;
                if (!w.in_place) {
                    copy(w, at, bytes);
                    at = bytes;
                }
                image[p] = reinterpret_cast<accumulator>(dot::load_columns(at));
            }
            multiply_words<Channels, Pixels>(sum, image, weights, std::make_integer_sequence<int, 4>());
        }
        slots::template store<Pixels>(problem, w.finish, sum, place.row + first, staged);
    }

    template <int Channels, int Pixels, int... Word>
    [[gnu::always_inline]] static void multiply_words(accumulator (&sum)[Pixels][4], const accumulator (&image)[Pixels],
                                                      const unsigned char* weights,
                                                      std::integer_sequence<int, Word...>) noexcept {
        (multiply_word<Channels, Word>(sum, image, weights), ...);
    }
    /// What a word adds to the sums of its group's channels.
    template <int Channels, int Word, int Pixels>
    [[gnu::always_inline]] static void multiply_word(accumulator (&sum)[Pixels][4], const accumulator (&image)[Pixels],
                                                     const unsigned char* weights) noexcept {
        using group = typename dot::column_group;
        constexpr int words = Channels / 4;
        accumulator repeated[Pixels];
#pragma GCC unroll 4
        for (int p = 0; p < Pixels; ++p)
            repeated[p] = repeat<Word>(image[p], std::make_integer_sequence<int, dot::lanes>());
#pragma GCC unroll 4
        for (int k = 0; k < words; ++k) {
            constexpr int first = Word / words * words;
            const auto weight = dot::load_columns(weights + (Word * words + k) * vector_bytes);
#pragma GCC unroll 4
            for (int p = 0; p < Pixels; ++p)
                sum[p][first + k] = dot::step(sum[p][first + k], reinterpret_cast<group>(repeated[p]), weight);
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
