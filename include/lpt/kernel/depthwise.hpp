// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution: one input channel per output channel, vectors run along the channels.
#pragma once

#include <lpt/kernel/depthwise_dots.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// `depthwise_dots` for channels that do not fill the half of a block, if the instruction set has it.
template <class Isa, bool HasHalves>
struct half_block_dots {
    using type = depthwise_dots<Isa, typename half_blocks<Isa>::dot, typename half_blocks<Isa>::simd>;
};
template <class Isa>
struct half_block_dots<Isa, false> {
    using type = void;
};

/// Where dot products of bytes can compute it, `depthwise_dots` does; which form packed weights have stands in front of them.
/// Else weights are packed as pairs of taps in 16 bits, zero points already subtracted (|w - z| <= 383), so one 16-bit multiply-add
/// instruction takes two taps and stays exact for u8 and i8 data.
/// In memory: sums of each channel's weights (int32), then [pair of taps][channel][2] int16; floats: [tap][channel].
template <class Isa>
struct depthwise {
    using simd = lanes<Isa>;
    using ints = typename simd::ints;
    using floats = typename simd::floats;
    using geometry = convolution_geometry<Isa>;
    static constexpr std::int64_t width = simd::width;
    static constexpr int tile_pixels = 4;

    static std::int64_t padded(const convolution_shape& s) noexcept {
        return (s.in_channels + width - 1) / width * width;
    }
    static std::int64_t pairs(const convolution_shape& s) noexcept { return (geometry::taps(s) + 1) / 2; }

    static constexpr std::int64_t header_bytes = 64;  // int32: whether `depthwise_dots` packed what follows
    using dots = depthwise_dots<Isa>;
    using half_dots = typename half_block_dots<Isa, half_blocks<Isa>::exist>::type;

    /// The channels in blocks of full width, and those after them.
    static channel_span in_blocks(const convolution_shape& s) noexcept {
        const std::int64_t rest = s.in_channels % dots::block;
        return {0, half_blocks<Isa>::exist && rest <= dots::block / 2 ? s.in_channels - rest : s.in_channels};
    }
    static channel_span after_blocks(const convolution_shape& s) noexcept {
        const std::int64_t first = in_blocks(s).count;
        return {first, s.in_channels - first};
    }
    static std::int64_t dots_bytes(const convolution_shape& s) noexcept {
        std::int64_t bytes = dots::packed_bytes(s, in_blocks(s));
        if constexpr (half_blocks<Isa>::exist) bytes += half_dots::packed_bytes(s, after_blocks(s));
        return bytes;
    }

    static bool could_use_dots(const convolution_shape& s, element_kind type) noexcept {
        if constexpr (dots::exists) {
            // A dot product of several instructions is not worth it where both rows and channels of a window are partly empty.
            if (requires { dots::dot::pairings; } && dots::window_rows(s) == 1 && s.in_channels % dots::block != 0)
                return false;
            return type != element_kind::f32 && dots::window_columns(s) > 0;
        }
        return false;
    }

    static std::size_t packed_bytes(const convolution_shape& s, element_kind type) noexcept {
        const std::int64_t rows = type == element_kind::f32 ? geometry::taps(s) : 1 + pairs(s);
        std::int64_t bytes = rows * padded(s) * 4;
        if constexpr (dots::exists) {
            if (could_use_dots(s, type) && dots_bytes(s) > bytes) bytes = dots_bytes(s);
        }
        return static_cast<std::size_t>(header_bytes + bytes);
    }

    /// A weight less its zero point.
    static std::int32_t value_of(const convolution_weights& weights, std::int64_t channel, std::int64_t tap) noexcept {
        const unsigned char* data = static_cast<const unsigned char*>(weights.data);
        const unsigned char byte = data[channel * weights.group_stride + tap * weights.tap_stride];
        const std::int32_t raw = weights.type == element_kind::u8
                                     ? static_cast<std::int32_t>(byte)
                                     : static_cast<std::int32_t>(static_cast<std::int8_t>(byte));
        const std::int64_t zero_index = weights.zero_point_count > 1 ? channel : 0;
        return weights.zero_point_count > 0 ? raw - weights.zero_points[zero_index] : raw;
    }
    static bool fits_dots(const convolution_shape& s, const convolution_weights& weights) noexcept {
        for (std::int64_t c = 0; c < s.in_channels; ++c) {
            for (std::int64_t t = 0; t < geometry::taps(s); ++t) {
                const std::int32_t value = value_of(weights, c, t);
                if (value < -128 || value > 127) return false;
            }
        }
        return true;
    }

    static void pack(const convolution_shape& s, const convolution_weights& weights, void* packed) noexcept {
        std::memset(packed, 0, packed_bytes(s, weights.type));
        unsigned char* const base = static_cast<unsigned char*>(packed) + header_bytes;
        if constexpr (dots::exists) {
            if (could_use_dots(s, weights.type) && fits_dots(s, weights)) {
                const std::int32_t yes = 1;
                std::memcpy(packed, &yes, sizeof yes);
                const auto value = [&](std::int64_t c, std::int64_t t) { return value_of(weights, c, t); };
                dots::pack(s, in_blocks(s), value, base);
                if constexpr (half_blocks<Isa>::exist)
                    half_dots::pack(s, after_blocks(s), value, base + dots::packed_bytes(s, in_blocks(s)));
                return;
            }
        }
        const std::int64_t taps = geometry::taps(s);
        const unsigned char* data = static_cast<const unsigned char*>(weights.data);
        for (std::int64_t c = 0; c < s.in_channels; ++c) {
            std::int32_t sum = 0;
            for (std::int64_t t = 0; t < taps; ++t) {
                if (weights.type == element_kind::f32) {
                    const std::int64_t at = c * weights.group_stride + t * weights.tap_stride;
                    std::memcpy(base + (t * padded(s) + c) * 4, data + at * 4, 4);
                    continue;
                }
                const std::int16_t value = static_cast<std::int16_t>(value_of(weights, c, t));
                sum += value;
                std::memcpy(base + (padded(s) + (t / 2 * padded(s) + c)) * 4 + t % 2 * 2, &value, sizeof value);
            }
            if (weights.type != element_kind::f32) std::memcpy(base + c * 4, &sum, sizeof sum);
        }
    }

    static std::int64_t outside_bytes(const convolution_shape& s, element_kind type) noexcept {
        return (s.in_channels * bytes_of(type) + 63) / 64 * 64;
    }
    static std::int64_t pointer_count(const convolution_shape& s) noexcept { return pairs(s) * 2 * tile_pixels; }

    static std::size_t scratch_bytes(const convolution_shape& s, element_kind type, int threads) noexcept {
        const std::int64_t pointers = pointer_count(s) * static_cast<std::int64_t>(sizeof(void*));
        return static_cast<std::size_t>(64 + outside_bytes(s, type) + threads * pointers);
    }

    static void run(const convolution_problem& problem, const parallel_for& parallel) noexcept {
        const convolution_shape& s = problem.shape;
        const std::int64_t element = bytes_of(problem.input_type);
        unsigned char* scratch = static_cast<unsigned char*>(problem.scratch);
        scratch += (64 - static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(scratch) % 64)) % 64;
        unsigned char* const outside = scratch;
        std::memset(outside, problem.input_zero_point & 0xff, static_cast<std::size_t>(s.in_channels * element));
        if constexpr (dots::exists) {
            std::int32_t uses_dots;
            std::memcpy(&uses_dots, problem.packed_weights, sizeof uses_dots);
            if (uses_dots != 0) {
                const unsigned char* const packed_dots = packed_of(problem);
                if (run_in_registers<depthwise_3x3<Isa>>(problem, outside, parallel) ||
                    run_in_registers<depthwise_5x5<Isa>>(problem, outside, parallel))
                    return;
                dots::run(problem, in_blocks(s), packed_dots, outside, parallel);
                if constexpr (half_blocks<Isa>::exist) {
                    half_dots::run(problem, after_blocks(s), packed_dots + dots::packed_bytes(s, in_blocks(s)), outside,
                                   parallel);
                }
                return;
            }
        }
        const unsigned char** const all_pointers =
            reinterpret_cast<const unsigned char**>(scratch + outside_bytes(s, problem.input_type));
        split<Isa>(parallel, geometry::pixels(s), tile_pixels, [&](std::int64_t begin, std::int64_t end, int task) {
            const unsigned char** const pointers = all_pointers + task * pointer_count(s);
            for (std::int64_t i = 0; i < pointer_count(s); ++i)
                pointers[i] = outside;
            pixel_finder find(problem, begin, outside);
            for (std::int64_t first = begin; first < end; first += tile_pixels) {
                const std::int64_t count = end - first < tile_pixels ? end - first : tile_pixels;
                for (std::int64_t p = 0; p < count; ++p)
                    find.next(pointers, p);
                run_tile(problem, first, count, pointers);
            }
        });
    }

private:
    static const unsigned char* packed_of(const convolution_problem& problem) noexcept {
        return static_cast<const unsigned char*>(problem.packed_weights) + header_bytes;
    }

    /// Whether the kernel exists and fits; then it has run.
    template <class Kernel>
    static bool run_in_registers(const convolution_problem& problem, const unsigned char* outside,
                                 const parallel_for& parallel) noexcept {
        if constexpr (Kernel::exists) {
            if (!Kernel::fits(problem)) return false;
            const convolution_shape& s = problem.shape;
            const unsigned char* const packed = packed_of(problem);
            Kernel::run(problem, in_blocks(s), packed, after_blocks(s), packed + dots::packed_bytes(s, in_blocks(s)),
                        outside, parallel);
            return true;
        }
        return false;
    }

    /// Walks over the output pixels and writes the addresses of their taps to pointers[tap * tile_pixels + place]. A pixel whose
    /// window lies beside the one before takes over its addresses, one stride further: that is all the work inside an image.
    class pixel_finder {
        const convolution_shape& shape_;
        const unsigned char* input_;
        const unsigned char* outside_;
        std::int64_t pixel_bytes_;
        std::int64_t taps_;
        std::int64_t row_;
        std::int64_t column_;  // of the output
        bool previous_whole_ = false;

    public:
        pixel_finder(const convolution_problem& problem, std::int64_t first, const unsigned char* outside) noexcept
            : shape_(problem.shape),
              input_(static_cast<const unsigned char*>(problem.input)),
              outside_(outside),
              pixel_bytes_(problem.input_pixel_stride * bytes_of(problem.input_type)),
              taps_(geometry::taps(problem.shape)),
              row_(first),
              column_(first % problem.shape.out[2]) {}

        void next(const unsigned char** pointers, std::int64_t place) noexcept {
            const typename geometry::span w = geometry::window(shape_, 2, column_);
            const bool whole = w.begin == 0 && w.end == shape_.kernel[2];
            const unsigned char** to = pointers + place;
            if (whole && previous_whole_ && column_ > 0) {
                const unsigned char* const* from = pointers + (place + tile_pixels - 1) % tile_pixels;
                const std::int64_t step = shape_.stride[2] * pixel_bytes_;
                for (std::int64_t i = 0; i < taps_ * tile_pixels; i += tile_pixels)
                    to[i] = from[i] == outside_ ? outside_ : from[i] + step;
            } else {
                geometry::for_each_tap(shape_, row_, [&](std::int64_t tap, std::int64_t pixel) {
                    to[tap * tile_pixels] = pixel < 0 ? outside_ : input_ + pixel * pixel_bytes_;
                });
            }
            previous_whole_ = whole;
            ++row_;
            if (++column_ == shape_.out[2]) column_ = 0;
        }
    };

    static void run_tile(const convolution_problem& problem, std::int64_t first, std::int64_t count,
                         const unsigned char* const* pointers) noexcept {
        const convolution_shape& s = problem.shape;
        for (std::int64_t c = 0; c < s.in_channels; c += finish_columns) {
            const std::int64_t columns = s.in_channels - c < finish_columns ? s.in_channels - c : finish_columns;
            unsigned char* to = static_cast<unsigned char*>(problem.output) +
                                (first * problem.output_pixel_stride + c) * bytes_of(problem.finish.output_type);
            if (problem.input_type == element_kind::f32) {
                alignas(64) float sums[tile_pixels * finish_columns];
                for (std::int64_t i = 0; i < columns; i += width)
                    sum_floats(problem, c + i, columns - i, pointers, sums + i);
                finish<Isa>::tile(problem.finish, sums, finish_columns, count, first, c, columns, to,
                                  problem.output_pixel_stride);
            } else {
                alignas(64) std::int32_t sums[tile_pixels * finish_columns];
                if (problem.input_type == element_kind::u8)
                    sum_integers<false>(problem, c, columns, pointers, sums);
                else
                    sum_integers<true>(problem, c, columns, pointers, sums);
                finish<Isa>::tile(problem.finish, sums, finish_columns, count, first, c, columns, to,
                                  problem.output_pixel_stride);
            }
        }
    }

    template <bool Signed, bool Whole>
    [[gnu::always_inline]] static ints load_bytes(const unsigned char* from, std::int64_t count) noexcept {
        std::uint8_t whole[width];
        if constexpr (!Whole) {
            for (std::int64_t i = 0; i < width; ++i)
                whole[i] = i < count ? from[i] : std::uint8_t{0};
            from = whole;
        }
        if constexpr (Signed)
            return simd::load_i8(reinterpret_cast<const std::int8_t*>(from));
        else
            return simd::load_u8(from);
    }

    /// One vector of channels, from `c` on, of all pixels of a tile. `weights` is the first pair of taps of channel c.
    template <bool Signed, bool Whole>
    [[gnu::always_inline]] static void sum_vector(ints start, const std::int32_t* weights, std::int64_t row,
                                                  std::int64_t pair_count, std::int64_t c, std::int64_t count,
                                                  const unsigned char* const* pointers, std::int32_t* sums) noexcept {
        ints sum[tile_pixels] = {start, start, start, start};
        for (std::int64_t pair = 0; pair < pair_count; ++pair) {
            const ints weight = simd::load_int(weights + pair * row);
            const unsigned char* const* at = pointers + pair * 2 * tile_pixels;
#pragma GCC unroll 4
            for (int p = 0; p < tile_pixels; ++p) {
                const ints low = load_bytes<Signed, Whole>(at[p] + c, count);
                const ints high = load_bytes<Signed, Whole>(at[tile_pixels + p] + c, count);
                sum[p] = simd::multiply_pairs(sum[p], simd::pair(low, high), weight);
            }
        }
#pragma GCC unroll 4
        for (int p = 0; p < tile_pixels; ++p)
            simd::store_int(sums + p * finish_columns, sum[p]);
    }

    template <bool Signed>
    static void sum_integers(const convolution_problem& problem, std::int64_t c, std::int64_t columns,
                             const unsigned char* const* pointers, std::int32_t* sums) noexcept {
        const std::int64_t row = padded(problem.shape);
        const std::int64_t pair_count = pairs(problem.shape);
        const std::int32_t* weights = reinterpret_cast<const std::int32_t*>(packed_of(problem)) + c;
        const ints zero = simd::broadcast_int(-problem.input_zero_point);
        std::int64_t i = 0;
        for (; i + width <= columns; i += width) {
            const ints start = simd::multiply_int(simd::load_int(weights + i), zero);
            sum_vector<Signed, true>(start, weights + row + i, row, pair_count, c + i, width, pointers, sums + i);
        }
        if (i < columns) {
            const ints start = simd::multiply_int(simd::load_int(weights + i), zero);
            sum_vector<Signed, false>(start, weights + row + i, row, pair_count, c + i, columns - i, pointers,
                                      sums + i);
        }
    }

    static void sum_floats(const convolution_problem& problem, std::int64_t c, std::int64_t count,
                           const unsigned char* const* pointers, float* sums) noexcept {
        const convolution_shape& s = problem.shape;
        const std::int64_t row = padded(s);
        const float* weights = reinterpret_cast<const float*>(packed_of(problem));
        const floats start = simd::broadcast(0.0f);
        floats sum[tile_pixels] = {start, start, start, start};
        const std::int64_t taps = geometry::taps(s);
        for (std::int64_t t = 0; t < taps; ++t) {
            const floats weight = simd::load(weights + t * row + c);
            const unsigned char* const* at = pointers + t * tile_pixels;
#pragma GCC unroll 4
            for (int p = 0; p < tile_pixels; ++p) {
                sum[p] = simd::fma(finish<Isa>::load_elements(at[p], element_kind::f32, c, count), weight, sum[p]);
            }
        }
#pragma GCC unroll 4
        for (int p = 0; p < tile_pixels; ++p)
            simd::store(sums + p * finish_columns, sum[p]);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
