// SPDX-License-Identifier: Apache-2.0
// Conversions of elements that lie side by side, from registers to registers.
#pragma once

#include <lpt/kernel/binary.hpp>

namespace lpt::inline LPT_ABI::kernel {

template <class Isa>
struct convert_lines {
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    static constexpr std::int64_t width = simd::width;

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
                v[j] = binary<Isa>::template load_vector<From>(from + j * width * from_bytes);
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
};

}  // namespace lpt::inline LPT_ABI::kernel
