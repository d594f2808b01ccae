// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution by dot products of four bytes: the bytes of a channel in four rows of the image lie side by side.
#pragma once

#include <lpt/kernel/convolution_geometry.hpp>
#include <lpt/kernel/dense_pack.hpp>
#include <lpt/kernel/parallel.hpp>
#include <lpt/kernel/slot_store.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// Channels that do not fill the half of a block go through vectors of half the width, where an instruction set specialises this with
/// `exist`, and `dot` and `simd` in the place of its own.
template <class Isa>
struct half_blocks {
    static constexpr bool exist = false;
};

/// Convolution by 3 x 3 taps, where an instruction set specialises this.
template <class Isa>
struct depthwise_3x3 {
    static constexpr bool exists = false;
};

/// The same by 5 x 5 taps.
template <class Isa>
struct depthwise_5x5 {
    static constexpr bool exists = false;
};

/// The dot product of depthwise convolution; an instruction set may specialise this with weights in a form of its own:
///   weight_group    the weights of four rows, of `lanes` channels; `load_weights` reads them and `step` takes them;
///   weight_bytes    bytes of a weight, of which the low one comes first;
///   weight_at       where the weight of a slot and a row lies in a block.
template <class Isa>
struct depthwise_dot : dot_of_four<Isa> {};

/// For weights that, less their zero points, are signed bytes. A window of input rows, a multiple of four, is interleaved once for a
/// block of channels and then serves all taps of a kernel line, and a second output row where the window has that row, too.
/// In memory, after the sums of each channel's weights (int32): [block][output row of the window][four rows][tap of a line][slot][4].
/// Interleaving works inside 128-bit parts, which gives slot order (`slot_store`).
template <class Isa, dot_products Dot = depthwise_dot<Isa>, byte_lanes Simd = lanes<Isa>>
struct depthwise_dots {
    using geometry = convolution_geometry<Isa>;
    using simd = Simd;
    using dot = Dot;
    using accumulator = typename dot::accumulator;
    using slots = slot_store<Isa, Dot, Simd>;
    static constexpr bool exists = dot::group == 4;
    static constexpr std::int64_t block = slots::block;
    static constexpr std::int64_t block_bytes = 4 * block;
    static constexpr bool splits_weights = requires { dot::weight_bytes; };
    static constexpr std::int64_t weight_bytes = [] {
        if constexpr (splits_weights)
            return dot::weight_bytes;
        else
            return std::int64_t{1};
    }();
    static constexpr std::int64_t window_bytes =
        16384;  // of interleaved rows, so that they stay in the L1 cache beside the image's

    static constexpr std::int64_t most_blocks = 16;  // whose constants are kept

    static std::int64_t lines(const convolution_shape& s) noexcept { return s.kernel[0] * s.kernel[1]; }
    static std::int64_t fours(const convolution_shape& s) noexcept { return (lines(s) + 3) / 4; }
    static std::int64_t blocks(const channel_span& channels) noexcept { return (channels.count + block - 1) / block; }

    /// Output rows that a window serves.
    static std::int64_t window_rows(const convolution_shape& s) noexcept {
        const bool two = s.kernel[0] == 1 && s.dilation[1] == 1 && s.kernel[1] + s.stride[1] <= 4 * fours(s);
        return two ? 2 : 1;
    }

    /// Output columns whose windows fit in the buffer; 0 says that this kernel cannot be used.
    static std::int64_t window_columns(const convolution_shape& s) noexcept {
        const std::int64_t columns = window_bytes / (block_bytes * fours(s));
        const std::int64_t first = (s.kernel[2] - 1) * s.dilation[2] + 1;
        return columns < first ? 0 : 1 + (columns - first) / s.stride[2];
    }

    static std::int64_t weights_bytes(const convolution_shape& s) noexcept {
        return window_rows(s) * fours(s) * s.kernel[2] * block_bytes * weight_bytes;
    }
    static std::int64_t packed_bytes(const convolution_shape& s, const channel_span& channels) noexcept {
        return blocks(channels) * (block_bytes + weights_bytes(s));
    }

    static std::int64_t weight_at(std::int64_t slot, std::int64_t row) noexcept {
        if constexpr (splits_weights)
            return dot::weight_at(slot, row);
        else
            return slot * 4 + row;
    }

    /// `value(channel, tap)` is a weight less its zero point. `packed` is zero.
    template <class Value>
    static void pack(const convolution_shape& s, const channel_span& channels, const Value& value,
                     unsigned char* packed) noexcept {
        const std::int64_t width = s.kernel[2];
        for (std::int64_t c = 0; c < channels.count; ++c) {
            const std::int64_t place = slots::slot(c % block);
            unsigned char* const weights = packed + blocks(channels) * block_bytes + c / block * weights_bytes(s);
            std::int32_t sum = 0;
            for (std::int64_t t = 0; t < geometry::taps(s); ++t) {
                const std::int32_t w = value(channels.first + c, t);
                sum += w;
                for (std::int64_t r = 0; r < window_rows(s); ++r) {
                    const std::int64_t row = t / width + r * s.stride[1];
                    const std::int64_t tap = (r * fours(s) + row / 4) * width + t % width;
                    const auto word = static_cast<std::uint16_t>(w & 0xffff);
                    std::memcpy(weights + tap * block_bytes * weight_bytes + weight_at(place, row % 4), &word,
                                weight_bytes);
                }
            }
            std::memcpy(packed + c / block * block_bytes + place * 4, &sum, sizeof sum);
        }
    }

    /// `outside` is a row of zero points, readable for all channels.
    static void run(const convolution_problem& problem, const channel_span& channels, const unsigned char* packed,
                    const unsigned char* outside, const parallel_for& parallel) noexcept {
        const convolution_shape& s = problem.shape;
        if (channels.count == 0) return;
        const std::int64_t pairs = (s.out[1] + window_rows(s) - 1) / window_rows(s);
        split<Isa>(parallel, s.batch * s.out[0] * pairs, 1, [&](std::int64_t begin, std::int64_t end, int) {
            // Blocks of channels inside windows, so that lines of the image are read as wholes.
            state blocks_at_once[most_blocks];
            window_place place;
            place.most_columns = window_columns(s);
            step_numbers<block> of_all, copies;
            slots::fill(of_all, problem.finish);
            for (std::int64_t b = 0; b < blocks(channels); b += most_blocks) {
                const std::int64_t left = blocks(channels) - b;
                const std::int64_t count = left < most_blocks ? left : most_blocks;
                for (std::int64_t k = 0; k < count; ++k)
                    prepare(problem, channels, packed, outside, b + k, of_all, copies, blocks_at_once[k]);
                for (std::int64_t i = begin; i < end; ++i) {
                    find_rows(s, i / pairs, i % pairs * window_rows(s), place);
                    for (std::int64_t k = 0; k < count; ++k)
                        run_window(problem, blocks_at_once[k], place);
                }
            }
        });
    }

private:
    /// What holds for a block of channels.
    struct state {
        const unsigned char* weights = nullptr;
        const unsigned char* outside = nullptr;
        unsigned char flip = 0;
        typename slots::constants finish;
    };

    /// `of_all` has the numbers that hold for all channels, `copies` is for those of the last block, which may not be whole.
    static void prepare(const convolution_problem& problem, const channel_span& channels, const unsigned char* packed,
                        const unsigned char* outside, std::int64_t b, const step_numbers<block>& of_all,
                        step_numbers<block>& copies, state& w) noexcept {
        const convolution_shape& s = problem.shape;
        const std::int64_t left = channels.count - b * block;
        const channel_span own{channels.first + b * block, left < block ? left : block};
        w.weights = packed + blocks(channels) * block_bytes + b * weights_bytes(s);
        w.outside = outside + own.first;
        const bool is_signed = problem.input_type == element_kind::i8;
        w.flip = is_signed == dot::unsigned_rows ? 0x80 : 0;
        const std::int32_t shift = w.flip == 0 ? 0 : dot::unsigned_rows ? 128 : -128;
        const auto* const sums = reinterpret_cast<const std::int32_t*>(packed + b * block_bytes);
        slots::prepare(problem.finish, own, sums, problem.input_zero_point + shift, geometry::taps(s), of_all, copies,
                       w.finish);
    }

    /// A window: where its rows lie.
    struct window_place {
        std::int64_t most_columns = 0;
        std::int64_t output_row = 0;  // counting those of all planes
        std::int64_t output_rows = 0;
        /// Input rows, counting those of all planes; -1: outside, or not needed.
        std::int64_t input_rows[4 * window_bytes / block_bytes];
    };

    /// The window of an output row. `plane` counts the planes of all images.
    static void find_rows(const convolution_shape& s, std::int64_t plane, std::int64_t row,
                          window_place& place) noexcept {
        const bool two = window_rows(s) == 2;
        const std::int64_t left = s.out[1] - row;
        place.output_row = plane * s.out[1] + row;
        place.output_rows = two && left > 1 ? 2 : 1;
        const std::int64_t n = plane / s.out[0];
        const std::int64_t depth = plane % s.out[0] * s.stride[0] - s.pad_begin[0];
        const std::int64_t height = row * s.stride[1] - s.pad_begin[1];
        const std::int64_t lines_of_plane = two ? s.kernel[1] + s.stride[1] : s.kernel[1];
        std::int64_t j = 0;
        for (std::int64_t kd = 0; kd < s.kernel[0]; ++kd) {
            const std::int64_t d = depth + kd * s.dilation[0];
            for (std::int64_t kh = 0; kh < lines_of_plane; ++kh, ++j) {
                const std::int64_t h = height + kh * s.dilation[1];
                const bool inside = d >= 0 && d < s.in[0] && h >= 0 && h < s.in[1];
                place.input_rows[j] = inside ? (n * s.in[0] + d) * s.in[1] + h : -1;
            }
        }
        for (; j < 4 * fours(s); ++j)
            place.input_rows[j] = -1;
    }

    /// The output rows of one window.
    static void run_window(const convolution_problem& problem, const state& w, const window_place& place) noexcept {
        const convolution_shape& s = problem.shape;
        alignas(64) unsigned char window[window_bytes];
        const std::int64_t most = place.most_columns;
        for (std::int64_t first = 0; first < s.out[2]; first += most) {
            const std::int64_t columns = s.out[2] - first < most ? s.out[2] - first : most;
            const std::int64_t wide = (columns - 1) * s.stride[2] + (s.kernel[2] - 1) * s.dilation[2] + 1;
            for (std::int64_t four = 0; four < fours(s); ++four)
                fill(problem, w, place, four, first * s.stride[2] - s.pad_begin[2], wide, window);
            const std::int64_t output_row = place.output_row * s.out[2] + first;
            if (place.output_rows == 2)
                sum_columns<2>(problem, w, window, columns, output_row);
            else
                sum_columns<1>(problem, w, window, columns, output_row);
        }
    }

    /// Interleaves four input rows of a window, `wide` columns from input column `column` on.
    static void fill(const convolution_problem& problem, const state& w, const window_place& place, std::int64_t four,
                     std::int64_t column, std::int64_t wide, unsigned char* window) noexcept {
        const convolution_shape& s = problem.shape;
        const unsigned char* at[4];  // column 0 of each row
        std::int64_t step[4];
        for (std::int64_t j = 0; j < 4; ++j) {
            const std::int64_t input_row = place.input_rows[four * 4 + j];
            at[j] = input_row < 0 ? w.outside
                                  : static_cast<const unsigned char*>(problem.input) +
                                        input_row * s.in[2] * problem.input_pixel_stride + w.finish.channel;
            step[j] = input_row < 0 ? 0 : problem.input_pixel_stride;
        }
        const unsigned char* const outside[4] = {w.outside, w.outside, w.outside, w.outside};
        const std::int64_t channels = w.finish.count;
        const unsigned char flip = w.flip;
        const std::int64_t to_step = fours(s) * block_bytes;
        unsigned char* to = window + four * block_bytes;
        std::int64_t i = 0;
        for (; i < wide && column + i < 0; ++i, to += to_step)
            dot::interleave_block(to, outside, channels, flip);
        for (std::int64_t j = 0; j < 4; ++j)
            at[j] += (column + i) * step[j];
        const std::int64_t end = s.in[2] - column < wide ? s.in[2] - column : wide;
        for (; i < end; ++i, to += to_step) {
            dot::interleave_block(to, at, channels, flip);
            at[0] += step[0];
            at[1] += step[1];
            at[2] += step[2];
            at[3] += step[3];
        }
        for (; i < wide; ++i, to += to_step)
            dot::interleave_block(to, outside, channels, flip);
    }

    /// All columns of a window. As many sums are under way as there are registers for.
    template <int Rows>
    static void sum_columns(const convolution_problem& problem, const state& w, const unsigned char* window,
                            std::int64_t columns, std::int64_t output_row) noexcept {
        constexpr int pixels = (dot::rows * dot::vectors >= 16 ? 4 : 2) / Rows;
        static_assert(slots::staged_pixels % pixels == 0);
        alignas(64) float staged[Rows * slots::staged_pixels * block];
        std::int64_t x = 0;
        std::int64_t first = 0;  // column in the buffer
        const auto finish_to = [&](std::int64_t past) {
            if (!w.finish.staged || (past < columns && past - first < slots::staged_pixels)) return;
            finish_staged<Rows>(problem, w, staged, output_row + first, past - first);
            first = past;
        };
        for (; x + pixels <= columns; x += pixels) {
            sum_pixels<Rows, pixels>(problem, w, window, x, output_row, staged + (x - first) * block);
            finish_to(x + pixels);
        }
        if (x < columns && columns >= pixels && w.finish.bytes) {
            sum_pixels<Rows, pixels>(problem, w, window, columns - pixels, output_row,
                                     staged);  // some of them once more
            return;
        }
        for (; x < columns; ++x) {
            sum_pixels<Rows, 1>(problem, w, window, x, output_row, staged + (x - first) * block);
            finish_to(x + 1);
        }
    }

    /// Settled, so that they are loaded once for all pixels; split ones are operands in memory.
    [[gnu::always_inline]] static auto load_weights(const unsigned char* from) noexcept {
        if constexpr (splits_weights) {
            return dot::load_weights(from);
        } else {
            accumulator settled = reinterpret_cast<accumulator>(dot::load_columns(from));
            dot::settle(settled);
            return reinterpret_cast<typename dot::column_group>(settled);
        }
    }

    /// The scaled sums of `pixels` columns from the row of the epilogue `first` on.
    template <int Rows>
    [[gnu::noinline]] static void finish_staged(const convolution_problem& problem, const state& w, float* staged,
                                                std::int64_t first, std::int64_t pixels) noexcept {
        for (int r = 0; r < Rows; ++r)
            slots::finish_staged(problem, w.finish, staged + r * slots::staged_pixels * block,
                                 first + r * problem.shape.out[2], pixels);
    }

    /// `Pixels` columns of `Rows` output rows, from column `x` on.
    template <int Rows, int Pixels>
    [[gnu::always_inline]] static void sum_pixels(const convolution_problem& problem, const state& w,
                                                  const unsigned char* window, std::int64_t x, std::int64_t output_row,
                                                  float* staged) noexcept {
        constexpr std::int64_t vector_bytes = dot::lanes * 4;
        const convolution_shape& s = problem.shape;
        const std::int64_t width = s.kernel[2];
        const std::int64_t four_count = fours(s);
        const std::int64_t column_bytes = four_count * block_bytes;
        accumulator sum[Rows][Pixels][4];
#pragma GCC unroll 4
        for (int v = 0; v < 4; ++v) {
            const accumulator first = dot::load(w.finish.start + v * dot::lanes);
#pragma GCC unroll 2
            for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
                for (int p = 0; p < Pixels; ++p)
                    sum[r][p][v] = first;
            }
        }
        const unsigned char* weights = w.weights;
        for (std::int64_t four = 0; four < four_count; ++four) {
            const unsigned char* from = window + x * s.stride[2] * column_bytes + four * block_bytes;
            for (std::int64_t k = 0; k < width; ++k) {
#pragma GCC unroll 4
                for (int v = 0; v < 4; ++v) {
                    decltype(load_weights(weights)) weight[Rows];
#pragma GCC unroll 2
                    for (int r = 0; r < Rows; ++r) {
                        const std::int64_t at = r * four_count * width * block_bytes + v * vector_bytes;
                        weight[r] = load_weights(weights + at * weight_bytes);
                    }
#pragma GCC unroll 4
                    for (int p = 0; p < Pixels; ++p) {
                        const auto data = dot::load_columns(from + p * s.stride[2] * column_bytes + v * vector_bytes);
#pragma GCC unroll 2
                        for (int r = 0; r < Rows; ++r)
                            sum[r][p][v] = dot::step(sum[r][p][v], data, weight[r]);
                    }
                }
                weights += block_bytes * weight_bytes;
                from += s.dilation[2] * column_bytes;
            }
        }
#pragma GCC unroll 2
        for (int r = 0; r < Rows; ++r) {
            slots::template store<Pixels>(problem, w.finish, sum[r], output_row + r * s.out[2] + x,
                                          staged + r * slots::staged_pixels * block);
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
