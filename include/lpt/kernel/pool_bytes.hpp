// SPDX-License-Identifier: Apache-2.0
// Maxima of bytes, for max pooling that gives what it takes, and sums, for average pooling.
#pragma once

#include <lpt/kernel/interleave.hpp>
#include <lpt/kernel/lanes.hpp>

#include <type_traits>
#include <utility>

namespace lpt::inline LPT_ABI::kernel {

/// Calls f(offset) for vectors of `Width` bytes that cover `bytes` >= Width; the last one overlaps the one before.
template <class Isa, std::int64_t Width, class Function>
[[gnu::always_inline]] inline void cover(std::int64_t bytes, const Function& f) noexcept {
    for (std::int64_t i = 0; i + Width <= bytes; i += Width)
        f(i);
    if (bytes % Width != 0) f(bytes - Width);
}

/// Compares whole vectors of bytes. A vector type of the compiler: all instruction sets have this maximum, xsimd's lanes are numbers of 32 bits.
template <class Isa, class Byte>
struct byte_maximum {
    static constexpr std::int64_t widest = lanes<Isa>::width * 4 < 16 ? 16 : lanes<Isa>::width * 4;

    /// The larger of each byte of a run of `Width` bytes at several places; `for_each_place(f)` calls f(address) for each.
    template <std::int64_t Width, class Places>
    [[gnu::always_inline]] static void vector(std::int64_t offset, unsigned char* to,
                                              const Places& for_each_place) noexcept {
        using bytes [[gnu::vector_size(Width)]] = Byte;
        bytes most;
        std::memset(&most, std::is_signed_v<Byte> ? 0x80 : 0, sizeof most);
        for_each_place([&](const unsigned char* at) {
            bytes each;
            std::memcpy(&each, at + offset, sizeof each);
            most = each > most ? each : most;
        });
        std::memcpy(to + offset, &most, sizeof most);
    }

    /// The same for `count` >= Width bytes.
    template <std::int64_t Width, class Places>
    [[gnu::always_inline]] static void vectors(std::int64_t count, unsigned char* to,
                                               const Places& for_each_place) noexcept {
        cover<Isa, Width>(count, [&](std::int64_t offset)
                                     __attribute__((always_inline)) { vector<Width>(offset, to, for_each_place); });
    }

    /// The same for any number of bytes. `to` overlaps no place.
    template <class Places>
    static void run(std::int64_t count, unsigned char* to, const Places& for_each_place) noexcept {
        if (count >= widest) return vectors<widest>(count, to, for_each_place);
        if (count >= 16) return vectors<16>(count, to, for_each_place);
        if (count >= 4) return vectors<4>(count, to, for_each_place);
        for (std::int64_t i = 0; i < count; ++i)
            vector<1>(i, to, for_each_place);
    }
};

/// Adds up bytes in lanes of 16 bits, even and odd ones apart; a lane holds the sum of at most `most_addends`.
template <class Isa, class Byte>
struct byte_sums {
    static constexpr bool is_signed = std::is_signed_v<Byte>;
    using half = std::conditional_t<is_signed, std::int16_t, std::uint16_t>;
    using word = std::conditional_t<is_signed, std::int32_t, std::uint32_t>;
    static constexpr std::int64_t most_addends = 255;
    static constexpr std::int64_t least_bytes = 16;
    static constexpr std::int64_t widest = byte_maximum<Isa, Byte>::widest;

    /// The lower bits of each lane of `Bits` bits, half of them, as a number of the whole lane.
    template <int Bits, class Lanes>
    [[gnu::always_inline]] static Lanes lower(Lanes x) noexcept {
        return (x << (Bits / 2)) >> (Bits / 2);
    }
    /// The same of the upper bits.
    template <int Bits, class Lanes>
    [[gnu::always_inline]] static Lanes upper(Lanes x) noexcept {
        return x >> (Bits / 2);
    }

    /// Sums of the `Width` bytes from `offset` on behind each of `count` addresses, plus `start` each.
    template <std::int64_t Width>
    [[gnu::always_inline]] static void vector(const unsigned char* const* addresses, std::int64_t count,
                                              std::int64_t offset, std::int32_t start, std::int32_t* to) noexcept {
        using halves [[gnu::vector_size(Width)]] = half;
        using words [[gnu::vector_size(Width)]] = word;
        using pairs [[gnu::vector_size(Width)]] = std::int64_t;
        using word_indices = std::make_integer_sequence<int, Width / 4>;
        using pair_indices = std::make_integer_sequence<int, Width / 8>;
        halves even{};
        halves odd{};
        for (std::int64_t i = 0; i < count; ++i) {
            halves x;
            std::memcpy(&x, addresses[i] + offset, sizeof x);
            even += lower<16>(x);
            odd += upper<16>(x);
        }
        const words quarters[4] = {lower<32>(words(even)), lower<32>(words(odd)), upper<32>(words(even)),
                                   upper<32>(words(odd))};
        const pairs low[2] = {pairs(interleave<Isa, false>(quarters[0], quarters[1], word_indices())),
                              pairs(interleave<Isa, false>(quarters[2], quarters[3], word_indices()))};
        const pairs high[2] = {pairs(interleave<Isa, true>(quarters[0], quarters[1], word_indices())),
                               pairs(interleave<Isa, true>(quarters[2], quarters[3], word_indices()))};
        const words sums[4] = {words(interleave<Isa, false>(low[0], low[1], pair_indices())),
                               words(interleave<Isa, true>(low[0], low[1], pair_indices())),
                               words(interleave<Isa, false>(high[0], high[1], pair_indices())),
                               words(interleave<Isa, true>(high[0], high[1], pair_indices()))};
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) {
            const words whole = sums[i] + static_cast<word>(start);
            std::memcpy(to + offset + i * (Width / 4), &whole, sizeof whole);
        }
    }

    /// The same for `bytes` >= least_bytes bytes behind each address.
    static void run(const unsigned char* const* addresses, std::int64_t count, std::int64_t bytes, std::int32_t start,
                    std::int32_t* to) noexcept {
        const auto add = [&]<std::int64_t Width>(std::integral_constant<std::int64_t, Width>)
                             __attribute__((always_inline)) {
                                 cover<Isa, Width>(bytes, [&](std::int64_t offset) __attribute__((always_inline)) {
                                     vector<Width>(addresses, count, offset, start, to);
                                 });
                             };
        if (bytes >= widest) return add(std::integral_constant<std::int64_t, widest>());
        add(std::integral_constant<std::int64_t, least_bytes>());
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
