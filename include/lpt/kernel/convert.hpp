// SPDX-License-Identifier: Apache-2.0
// Quantize, dequantize, requantize, with or without a change of layout.
#pragma once

#include <lpt/kernel/binary.hpp>

namespace lpt::inline LPT_ABI::kernel {

template <class Isa>
struct convert {
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    using ints = typename simd::ints;
    static constexpr std::int64_t width = simd::width;

    /// A conversion whose elements may be whole steps: round_half_even(fma(x, factor[c], summand[c]) / divisor[c]) takes the place of x
    /// where it `divides`. A quotient of two numbers is known to the last bit, so ties stay ties.
    struct counted_problem : convert_problem {
        bool divides = false;
        const float* factor = nullptr;
        float factor_all = 1;
        const float* summand = nullptr;
        float summand_all = -0.0f;
        const float* divisor = nullptr;
        float divisor_all = 1;
    };

    /// The same problem with post operations that divide, round and add taken for what is done to x.
    static counted_problem counted(const convert_problem& problem) noexcept {
        counted_problem p;
        static_cast<convert_problem&>(p) = problem;
        epilogue& e = p.finish;
        const post_operation* const post = e.post;
        if (p.input_type != element_kind::f32 || e.output_type == element_kind::f32 || e.post_count < 2 ||
            post[0].kind != post_kind::divide || post[1].kind != post_kind::unary ||
            post[1].function != unary_function::round_even)
            return p;
        p.divides = true;
        p.factor = e.scale;
        p.factor_all = e.scale_all;
        p.summand = e.bias;
        p.summand_all = e.bias_all;
        e.scale = e.bias = nullptr;
        e.scale_all = 1;
        e.bias_all = -0.0f;
        p.divisor = post[0].per_channel_a;
        p.divisor_all = post[0].alpha;
        int taken = 2;
        if (e.post_count > 2 && post[2].kind == post_kind::scale_shift && post[2].per_channel_a == nullptr &&
            post[2].alpha == 1) {
            e.bias = post[2].per_channel_b;
            e.bias_all = post[2].beta;
            taken = 3;
        }
        e.post += taken;
        e.post_count -= taken;
        return p;
    }

    [[gnu::always_inline]] static floats whole_steps(floats x, floats factor, floats summand, floats divisor) noexcept {
        return simd::round_even(simd::divide(simd::fma(x, factor, summand), divisor));
    }

    /// How far ahead of the loads: prefetchers of processors stop at the end of each page.
    static constexpr std::int64_t prefetched_bytes = 2048;

    /// What a line computes of x.
    enum class arithmetic : std::uint8_t {
        scaled,  ///< fma(x, scale, bias)
        counted,  ///< round_half_even(fma(x, factor, summand) / divisor) + bias
        centred,  ///< (x + bias) * scale
    };

    /// Elements that lie side by side in input and output, and that all constants are the same for. No post operations.
    struct line {
        const unsigned char* input = nullptr;
        unsigned char* output = nullptr;
        float scale = 1, bias = 0;
        float factor = 1, summand = 0, divisor = 1;
        float low = 0, high = 0;  // of the input
        float quant_low = 0, quant_high = 0;
        std::int64_t ahead = prefetched_bytes;
    };
    using line_function = void (*)(const line&, std::int64_t, bool) noexcept;

    /// How far ahead of wide stores, which else wait for their lines.
    static constexpr std::int64_t prefetched_output_bytes = 512;

    template <element_kind From>
    [[gnu::always_inline]] static floats load_vector(const unsigned char* from) noexcept {
        if constexpr (From == element_kind::u8)
            return simd::to_float(simd::load_u8(from));
        else if constexpr (From == element_kind::i8)
            return simd::to_float(simd::load_i8(reinterpret_cast<const std::int8_t*>(from)));
        else if constexpr (From == element_kind::i32)
            return simd::to_float(simd::load_int(reinterpret_cast<const std::int32_t*>(from)));
        else
            return simd::load(reinterpret_cast<const float*>(from));
    }

    /// `count` elements, a multiple of four vectors, which stay in registers from load to store. `streams`: past the caches; the output
    /// is then aligned.
    template <element_kind From, element_kind To, bool Bounded, arithmetic By>
    static void convert_line(const line& l, std::int64_t count, bool streams) noexcept {
        constexpr std::int64_t from_bytes = bytes_of(From);
        constexpr std::int64_t to_bytes = bytes_of(To);
        const floats scale = simd::broadcast(l.scale);
        const floats bias = simd::broadcast(l.bias);
        const floats factor = simd::broadcast(l.factor);
        const floats summand = simd::broadcast(l.summand);
        const floats divisor = simd::broadcast(l.divisor);
        const floats low = simd::broadcast(l.low);
        const floats high = simd::broadcast(l.high);
        const floats quant_low = simd::broadcast(l.quant_low);
        const floats quant_high = simd::broadcast(l.quant_high);
        const std::int32_t lowest = static_cast<std::int32_t>(l.quant_low);
        const std::int32_t highest = static_cast<std::int32_t>(l.quant_high);
        const bool limited = highest - lowest < 255;
        const unsigned char* from = l.input;
        unsigned char* to = l.output;
        const unsigned char* const end = to + count * to_bytes;
        for (; to != end; from += 4 * width * from_bytes, to += 4 * width * to_bytes) {
#pragma GCC unroll 4
            for (std::int64_t j = 0; j < 4 * width * from_bytes; j += 64)
                __builtin_prefetch(from + l.ahead + j);
            if constexpr (To == element_kind::f32) {
                if (!streams) {
#pragma GCC unroll 4
                    for (std::int64_t j = 0; j < 4 * width * to_bytes; j += 64)
                        __builtin_prefetch(to + prefetched_output_bytes + j, 1);
                }
            }
            floats v[4];
#pragma GCC unroll 4
            for (int j = 0; j < 4; ++j) {
                v[j] = load_vector<From>(from + j * width * from_bytes);
                if constexpr (Bounded) v[j] = simd::at_most(simd::at_least(v[j], low), high);
                if constexpr (By == arithmetic::counted)
                    v[j] = simd::add(whole_steps(v[j], factor, summand, divisor), bias);
                else if constexpr (By == arithmetic::centred)
                    v[j] = simd::multiply(simd::add(v[j], bias), scale);
                else
                    v[j] = simd::fma(v[j], scale, bias);
            }
            if constexpr (To == element_kind::f32) {
                float* const at = reinterpret_cast<float*>(to);
#pragma GCC unroll 4
                for (int j = 0; j < 4; ++j) {
                    if (streams)
                        simd::stream(at + j * width, v[j]);
                    else
                        simd::store(at + j * width, v[j]);
                }
            } else {
                typename simd::ints q[4];
#pragma GCC unroll 4
                for (int j = 0; j < 4; ++j) {
                    // Integers are so small here that what packing saturates is all there is to clamp.
                    if constexpr (From == element_kind::f32)
                        q[j] = simd::round_for_packing(v[j], quant_low, quant_high);
                    else
                        q[j] = simd::round_to_int(v[j]);
                }
                constexpr bool is_signed = To == element_kind::i8;
                auto packed = simd::template pack<is_signed>(q[0], q[1], q[2], q[3]);
                if (limited) packed = simd::template limit<is_signed>(packed, lowest, highest);
                if (streams)
                    simd::stream_bytes(to, packed);
                else
                    simd::store_first(to, packed, 4 * width);
            }
        }
    }

    /// Reads several pages of the memory in turn: the processor has a prefetcher for each, and one alone does not reach what memory can
    /// give. Gives how many elements that was, whole blocks of pages.
    static std::int64_t stream_pages(line_function function, line l, std::int64_t from_bytes, std::int64_t to_bytes,
                                     std::int64_t count) noexcept {
        constexpr std::int64_t pages = 12;
        constexpr std::int64_t visit = 64;  // elements: a cache line of bytes
        const std::int64_t page = 4096 / from_bytes;
        const unsigned char* const input = l.input;
        unsigned char* const output = l.output;
        l.ahead = visit * from_bytes;
        const std::int64_t whole = count / (pages * page) * (pages * page);
        for (std::int64_t block = 0; block < whole; block += pages * page) {
            for (std::int64_t i = 0; i < page; i += visit) {
                for (std::int64_t at = block + i; at < block + pages * page; at += page) {
                    l.input = input + at * from_bytes;
                    l.output = output + at * to_bytes;
                    function(l, visit, true);
                }
            }
        }
        return whole;
    }

    template <element_kind From, element_kind To>
    static line_function find_line(bool bounded, arithmetic by) noexcept {
        constexpr bool from_floats = From == element_kind::f32;
        constexpr bool to_floats = To == element_kind::f32;
        if constexpr (from_floats && !to_floats) {
            if (!bounded && by == arithmetic::counted) return &convert_line<From, To, false, arithmetic::counted>;
        }
        if constexpr (!from_floats && to_floats) {
            if (!bounded && by == arithmetic::centred) return &convert_line<From, To, false, arithmetic::centred>;
        }
        if (by != arithmetic::scaled) return nullptr;
        if constexpr (from_floats) {
            if (bounded) return &convert_line<From, To, true, arithmetic::scaled>;
        }
        return bounded ? nullptr : &convert_line<From, To, false, arithmetic::scaled>;
    }
    template <element_kind From>
    static line_function find_line(element_kind to, bool bounded, arithmetic by) noexcept {
        switch (to) {
            case element_kind::u8: return find_line<From, element_kind::u8>(bounded, by);
            case element_kind::i8: return find_line<From, element_kind::i8>(bounded, by);
            case element_kind::f32: return find_line<From, element_kind::f32>(bounded, by);
            default: return nullptr;
        }
    }
    /// Null where there is no such kernel.
    static line_function find_line(element_kind from, element_kind to, bool bounded, arithmetic by) noexcept {
        switch (from) {
            case element_kind::u8: return find_line<element_kind::u8>(to, bounded, by);
            case element_kind::i8: return find_line<element_kind::i8>(to, bounded, by);
            case element_kind::i32: return find_line<element_kind::i32>(to, bounded, by);
            case element_kind::f32: return find_line<element_kind::f32>(to, bounded, by);
            default: return nullptr;
        }
    }

    /// Whether all that follows a shift is a scaling: (q - zero point) * scale.
    static bool is_centred(const epilogue& e) noexcept {
        const post_operation* const post = e.post;
        return e.scale_all == 1 && e.post_count == 1 && post->kind == post_kind::scale_shift && post->beta == 0 &&
               __builtin_signbit(post->beta);
    }

    /// From so many bytes on, read and written, the output leaves the caches before anybody reads it: it goes past them, which saves
    /// reading it before it is overwritten.
    static constexpr std::int64_t streamed_bytes = std::int64_t{1} << 27;

    /// Whether what is rounded fits in 32 bits, where it is not clamped before.
    static bool rounds_directly(const convert_problem& p) noexcept {
        const epilogue& e = p.finish;
        if (p.input_type == element_kind::f32 || e.output_type == element_kind::f32) return true;
        const float most = p.input_type == element_kind::i32 ? 0.25f : 1048576.0f;
        return __builtin_fabsf(e.scale_all) <= most && __builtin_fabsf(e.bias_all) <= 536870912.0f;
    }

    /// All of a problem that is one line; false if there is no kernel for it.
    static bool run_line(const counted_problem& p, const parallel_for& parallel) noexcept {
        if constexpr (width == 1) {
            return false;
        } else {
            constexpr std::int64_t step = 4 * width;
            const epilogue& e = p.finish;
            const bool bounded = p.input_low_all != -__builtin_inff() || p.input_high_all != __builtin_inff();
            const bool centred = !p.divides && is_centred(e);
            const arithmetic by = p.divides ? arithmetic::counted : centred ? arithmetic::centred : arithmetic::scaled;
            const line_function function =
                e.post_count == 0 || centred ? find_line(p.input_type, e.output_type, bounded, by) : nullptr;
            if (function == nullptr || !rounds_directly(p)) return false;
            const std::int64_t from_bytes = bytes_of(p.input_type);
            const std::int64_t to_bytes = bytes_of(e.output_type);
            line all;
            all.input = static_cast<const unsigned char*>(p.input);
            all.output = static_cast<unsigned char*>(p.output);
            all.scale = centred ? e.post->alpha : e.scale_all;
            all.bias = e.bias_all;
            all.factor = p.factor_all;
            all.summand = p.summand_all;
            all.divisor = p.divisor_all;
            all.low = p.input_low_all;
            all.high = p.input_high_all;
            all.quant_low = e.quant_low;
            all.quant_high = e.quant_high;
            // Elements in front of the first aligned one, where streaming needs it.
            std::int64_t head = 0;
            const bool streams =
                simd::stream_alignment > 16 && p.channels * (from_bytes + to_bytes) >= streamed_bytes &&
                reinterpret_cast<std::uintptr_t>(all.output) % static_cast<std::uintptr_t>(to_bytes) == 0;
            if (streams) {
                const auto past = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(all.output) %
                                                            static_cast<std::uintptr_t>(simd::stream_alignment));
                head = past == 0 ? 0 : (simd::stream_alignment - past) / to_bytes;
                run_channels(p, 0, 0, 0, head);
            }
            const std::int64_t whole = (p.channels - head) / step * step;
            split<Isa>(parallel, whole, 64 * step, [&](std::int64_t begin, std::int64_t end, int) {
                line part = all;
                part.input += (head + begin) * from_bytes;
                part.output += (head + begin) * to_bytes;
                const bool reads_most = streams && from_bytes > to_bytes;
                const std::int64_t done =
                    reads_most ? stream_pages(function, part, from_bytes, to_bytes, end - begin) : 0;
                part.input += done * from_bytes;
                part.output += done * to_bytes;
                function(part, end - begin - done, streams);
                if (streams) simd::end_stream();
            });
            const std::int64_t done = head + whole;
            if (done < p.channels) run_channels(p, 0, 0, done, p.channels - done);
            return true;
        }
    }

    /// One run of elements whose positions differ by a constant: channels of a pixel, or pixels of a channel plane.
    struct run_of_elements {
        std::int64_t count = 0;
        std::int64_t input_step = 1;
        std::int64_t output_step = 1;
    };

    static void load(const convert_problem& p, std::int64_t at, const run_of_elements& part, float* v) noexcept {
        const std::int64_t size = bytes_of(p.input_type);
        const unsigned char* data = static_cast<const unsigned char*>(p.input) + at * size;
        alignas(64) unsigned char gathered[finish_columns * 4];
        if (part.input_step != 1) {
            for (std::int64_t i = 0; i < part.count; ++i) {
                if (size == 1)
                    gathered[i] = data[i * part.input_step];
                else
                    std::memcpy(gathered + i * 4, data + i * part.input_step * 4, 4);
            }
            data = gathered;
        }
        std::int64_t i = 0;
        if (p.input_type == element_kind::f32) {
            for (; i + width <= part.count; i += width)
                simd::store(v + i, load_vector<element_kind::f32>(data + i * size));
        }
        for (; i < part.count; i += width)
            simd::store(v + i, finish<Isa>::load_elements(data, p.input_type, i, part.count - i));
    }

    /// Whether inputs have limits.
    static bool is_limited(const convert_problem& p) noexcept {
        return p.input_low != nullptr || p.input_high != nullptr || p.input_low_all != -__builtin_inff() ||
               p.input_high_all != __builtin_inff();
    }
    static void clamp(const float* low, float low_all, const float* high, float high_all, std::int64_t channel,
                      std::int64_t columns, float* v) noexcept {
        if (low == nullptr && high == nullptr && low_all == -__builtin_inff() && high_all == __builtin_inff()) return;
        for (std::int64_t i = 0; i < columns; i += width) {
            const floats a = finish<Isa>::load_or(low, low_all, channel + i, columns - i);
            const floats b = finish<Isa>::load_or(high, high_all, channel + i, columns - i);
            simd::store(v + i, simd::at_most(simd::at_least(simd::load(v + i), a), b));
        }
    }

    /// Channels of a pixel.
    static void count_steps(const counted_problem& p, std::int64_t channel, std::int64_t columns, float* v) noexcept {
        if (!p.divides) return;
        for (std::int64_t i = 0; i < columns; i += width) {
            const auto number = [&](const float* array, float all) __attribute__((always_inline)) {
                return finish<Isa>::load_or(array, all, channel + i, columns - i);
            };
            simd::store(v + i, whole_steps(simd::load(v + i), number(p.factor, p.factor_all),
                                           number(p.summand, p.summand_all), number(p.divisor, p.divisor_all)));
        }
    }
    /// Pixels of a channel.
    static void count_steps_of(const counted_problem& p, std::int64_t channel, std::int64_t count, float* v) noexcept {
        if (!p.divides) return;
        const channel_numbers with = numbers_of(p, channel);
        for (std::int64_t i = 0; i < count; i += width)
            simd::store(v + i, whole_steps(simd::load(v + i), with.factor, with.summand, with.divisor));
    }

    static void scatter(const convert_problem& p, std::int64_t at, const run_of_elements& part,
                        const unsigned char* from) noexcept {
        const std::int64_t size = bytes_of(p.finish.output_type);
        unsigned char* to = static_cast<unsigned char*>(p.output) + at * size;
        for (std::int64_t i = 0; i < part.count; ++i) {
            if (size == 1)
                to[i * part.output_step] = from[i];
            else
                std::memcpy(to + i * part.output_step * 4, from + i * 4, 4);
        }
    }

    /// A row of the epilogue: `count` (<= finish_columns) channels of one pixel.
    static void run_channels(const counted_problem& p, std::int64_t n, std::int64_t pixel, std::int64_t channel,
                             std::int64_t count) noexcept {
        const element_layout& in = p.input_layout;
        const element_layout& out = p.output_layout;
        const run_of_elements part{count, in.channel_stride, out.channel_stride};
        const std::int64_t from = n * in.batch_stride + pixel * in.pixel_stride + channel * in.channel_stride;
        const std::int64_t to = n * out.batch_stride + pixel * out.pixel_stride + channel * out.channel_stride;
        alignas(64) float copy[finish_columns];
        const float* v = copy;
        if (p.input_type == element_kind::f32 && part.input_step == 1 && count % width == 0 && !is_limited(p) &&
            !p.divides) {
            v = static_cast<const float*>(p.input) + from;
        } else {
            load(p, from, part, copy);
            clamp(p.input_low, p.input_low_all, p.input_high, p.input_high_all, channel, count, copy);
            count_steps(p, channel, count, copy);
        }
        unsigned char* direct = static_cast<unsigned char*>(p.output) + to * bytes_of(p.finish.output_type);
        const std::int64_t row = n * p.pixels + pixel;
        if (part.output_step == 1) {
            finish<Isa>::row(p.finish, v, row, channel, count, direct);
        } else {
            alignas(64) unsigned char packed[finish_columns * 4];
            finish<Isa>::row(p.finish, v, row, channel, count, packed);
            scatter(p, to, part, packed);
        }
    }

    /// `count` pixels of one channel, side by side; the constants of the channel are the same for all, and there are no post operations.
    static void finish_pixels(const counted_problem& p, std::int64_t n, std::int64_t channel, std::int64_t pixel,
                              std::int64_t count, unsigned char* output) noexcept {
        const element_layout& in = p.input_layout;
        const run_of_elements part{count, in.pixel_stride, 1};
        epilogue e = p.finish;
        e.scale_all = e.scale != nullptr ? e.scale[channel] : e.scale_all;
        e.bias_all = e.bias != nullptr ? e.bias[channel] : e.bias_all;
        e.scale = nullptr;
        e.bias = nullptr;
        alignas(64) float v[finish_columns];
        load(p, n * in.batch_stride + pixel * in.pixel_stride + channel * in.channel_stride, part, v);
        clamp(nullptr, p.input_low != nullptr ? p.input_low[channel] : p.input_low_all, nullptr,
              p.input_high != nullptr ? p.input_high[channel] : p.input_high_all, 0, count, v);
        count_steps_of(p, channel, count, v);
        finish<Isa>::row(e, v, 0, 0, count, output);
    }
    static void run_pixels(const counted_problem& p, std::int64_t n, std::int64_t channel, std::int64_t pixel,
                           std::int64_t count) noexcept {
        const element_layout& out = p.output_layout;
        const std::int64_t to = n * out.batch_stride + pixel * out.pixel_stride + channel * out.channel_stride;
        if (out.pixel_stride == 1) {
            finish_pixels(p, n, channel, pixel, count,
                          static_cast<unsigned char*>(p.output) + to * bytes_of(p.finish.output_type));
        } else {
            alignas(64) unsigned char packed[finish_columns * 4];
            finish_pixels(p, n, channel, pixel, count, packed);
            scatter(p, to, {count, 1, out.pixel_stride}, packed);
        }
    }

    /// Pixels of so few channels that one number holds a pixel: pictures, which come in planes.
    static constexpr std::int64_t few_channels = 4;

    static bool interleaves(const convert_problem& p) noexcept {
        const bool bytes = p.finish.output_type == element_kind::u8 || p.finish.output_type == element_kind::i8;
        return bytes && p.channels > 1 && p.channels <= few_channels && p.input_layout.pixel_stride == 1 &&
               p.output_layout.channel_stride == 1 && p.output_layout.pixel_stride == p.channels;
    }
    /// Words to pixels of so many bytes.
    template <int Channels>
    static void put_pixels(const std::int32_t* words, std::int64_t count, unsigned char* to) noexcept {
        constexpr int size = Channels == 2 ? 2 : 4;
        for (std::int64_t i = 0; i + 1 < count; ++i)  // what is past a pixel is the next one's
            std::memcpy(to + i * Channels, words + i, size);
        std::memcpy(to + (count - 1) * Channels, words + count - 1, Channels);
    }
    /// What the pixels of one channel go through.
    struct channel_numbers {
        floats low, high, factor, summand, divisor, scale, bias;
    };
    static channel_numbers numbers_of(const counted_problem& p, std::int64_t channel) noexcept {
        const auto number = [channel](const float* array, float all) __attribute__((always_inline)) {
            return simd::broadcast(array != nullptr ? array[channel] : all);
        };
        return {number(p.input_low, p.input_low_all),    number(p.input_high, p.input_high_all),
                number(p.factor, p.factor_all),          number(p.summand, p.summand_all),
                number(p.divisor, p.divisor_all),        number(p.finish.scale, p.finish.scale_all),
                number(p.finish.bias, p.finish.bias_all)};
    }
    static void run_few_channels(const counted_problem& p, std::int64_t n, std::int64_t pixel,
                                 std::int64_t count) noexcept {
        const bool limited = is_limited(p);
        const floats low = simd::broadcast(p.finish.quant_low);
        const floats high = simd::broadcast(p.finish.quant_high);
        alignas(64) std::int32_t words[finish_columns];
        for (std::int64_t c = 0; c < p.channels; ++c) {
            const channel_numbers with = numbers_of(p, c);
            const ints shift = simd::broadcast_int(1 << (8 * c));
            const std::int64_t first = n * p.input_layout.batch_stride + pixel + c * p.input_layout.channel_stride;
            const auto* const from = static_cast<const unsigned char*>(p.input) + first * bytes_of(p.input_type);
            for (std::int64_t i = 0; i < count; i += width) {
                floats v;
                if (p.input_type == element_kind::f32 && i + width <= count)
                    v = load_vector<element_kind::f32>(from + i * 4);
                else
                    v = finish<Isa>::load_elements(from, p.input_type, i, count - i);
                if (limited) v = simd::at_most(simd::at_least(v, with.low), with.high);
                if (p.divides) v = whole_steps(v, with.factor, with.summand, with.divisor);
                v = simd::at_most(simd::at_least(simd::fma(v, with.scale, with.bias), low), high);
                const ints byte = simd::and_int(simd::round_to_int(v), simd::broadcast_int(255));
                const ints part = simd::multiply_int(byte, shift);
                simd::store_int(words + i, c == 0 ? part : simd::or_int(simd::load_int(words + i), part));
            }
        }
        unsigned char* const to =
            static_cast<unsigned char*>(p.output) + n * p.output_layout.batch_stride + pixel * p.channels;
        switch (p.channels) {
            case 2: return put_pixels<2>(words, count, to);
            case 3: return put_pixels<3>(words, count, to);
            default: return put_pixels<4>(words, count, to);
        }
    }

    static void copy_integers(const convert_problem& p) noexcept {
        const element_layout& in = p.input_layout;
        const element_layout& out = p.output_layout;
        for (std::int64_t n = 0; n < p.batch; ++n) {
            for (std::int64_t i = 0; i < p.pixels; ++i) {
                for (std::int64_t c = 0; c < p.channels; ++c) {
                    const std::int64_t from = n * in.batch_stride + i * in.pixel_stride + c * in.channel_stride;
                    const std::int64_t to = n * out.batch_stride + i * out.pixel_stride + c * out.channel_stride;
                    std::memcpy(static_cast<unsigned char*>(p.output) + to * 4,
                                static_cast<const unsigned char*>(p.input) + from * 4, 4);
                }
            }
        }
    }

    static bool is_dense(const convert_problem& p, const element_layout& l) noexcept {
        return l.channel_stride == 1 && l.pixel_stride == p.channels &&
               (p.batch == 1 || l.batch_stride == p.channels * p.pixels);
    }
    static void run(const convert_problem& problem, const parallel_for& parallel) noexcept {
        if (problem.finish.output_type == element_kind::i32) {
            copy_integers(problem);
            return;
        }
        counted_problem p = counted(problem);
        const bool one_step = p.factor == nullptr && p.summand == nullptr && p.divisor == nullptr;
        const bool uniform =
            one_step && p.input_low == nullptr && p.input_high == nullptr && binary<Isa>::is_flat(p.finish);
        if (uniform && is_dense(p, p.input_layout) && is_dense(p, p.output_layout)) {
            p.channels = p.batch * p.pixels * p.channels;
            p.pixels = p.batch = 1;
            if (run_line(p, parallel)) return;
        }
        // Long runs along the pixels beat short ones along the channels, unless post operations need whole rows.
        const bool planes = p.finish.post_count == 0 && p.pixels > 1 &&
                            (p.input_layout.pixel_stride == 1 || p.output_layout.pixel_stride == 1) &&
                            !(p.input_layout.channel_stride == 1 && p.output_layout.channel_stride == 1);
        const bool few = planes && interleaves(p);
        const std::int64_t inner = planes ? p.pixels : p.channels;
        const std::int64_t outer = few ? 1 : planes ? p.channels : p.pixels;
        const std::int64_t parts = (inner + finish_columns - 1) / finish_columns;
        split<Isa>(parallel, p.batch * outer * parts, 8, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t i = begin; i < end; ++i) {
                const std::int64_t first = i % parts * finish_columns;
                const std::int64_t count = inner - first < finish_columns ? inner - first : finish_columns;
                const std::int64_t o = i / parts % outer;
                const std::int64_t n = i / parts / outer;
                if (few)
                    run_few_channels(p, n, first, count);
                else if (planes)
                    run_pixels(p, n, o, first, count);
                else
                    run_channels(p, n, o, first, count);
            }
        });
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
