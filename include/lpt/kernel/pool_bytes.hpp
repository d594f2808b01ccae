// SPDX-License-Identifier: Apache-2.0
// Maxima of bytes, for max pooling that gives what it takes, and sums, for average pooling.
#pragma once

#include <lpt/kernel/lanes.hpp>

#include <type_traits>
#include <utility>

namespace lpt::inline LPT_ABI::kernel {

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

    /// The same for `count` >= Width bytes; the last vector overlaps the one before.
    template <std::int64_t Width, class Places>
    [[gnu::always_inline]] static void vectors(std::int64_t count, unsigned char* to,
                                               const Places& for_each_place) noexcept {
        for (std::int64_t i = 0; i + Width <= count; i += Width)
            vector<Width>(i, to, for_each_place);
        if (count % Width != 0) vector<Width>(count - Width, to, for_each_place);
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

/// Adds up bytes, every other one in a lane of 16 bits, which holds the sum of at most `most_places`.
template <class Isa, class Byte>
struct byte_sums {
    static constexpr bool is_signed = std::is_signed_v<Byte>;
    using half = std::conditional_t<is_signed, std::int16_t, std::uint16_t>;
    using word = std::conditional_t<is_signed, std::int32_t, std::uint32_t>;
    static constexpr std::int64_t most_places = 255;
    static constexpr std::int64_t least_bytes = 16;
    static constexpr std::int64_t widest = byte_maximum<Isa, Byte>::widest;

    /// The lower and the upper half of each lane, which has so many bits.
    template <int Bits, class Lanes>
    [[gnu::always_inline]] static Lanes lower(Lanes x) noexcept {
        return (x << (Bits / 2)) >> (Bits / 2);
    }
    template <int Bits, class Lanes>
    [[gnu::always_inline]] static Lanes upper(Lanes x) noexcept {
        return x >> (Bits / 2);
    }
    /// a[0], b[0], a[1], b[1] … of the lower half of the lanes, or of the upper one.
    template <bool Upper, class Lanes, int... Places>
    [[gnu::always_inline]] static Lanes interleave(Lanes a, Lanes b, std::integer_sequence<int, Places...>) noexcept {
        constexpr int size = sizeof...(Places);
        return __builtin_shufflevector(a, b, (Places / 2 + Places % 2 * size + (Upper ? size / 2 : 0))...);
    }

    /// Width sums over `count` places, plus `start` each.
    template <std::int64_t Width>
    [[gnu::always_inline]] static void vector(const unsigned char* const* places, std::int64_t count,
                                              std::int64_t offset, std::int32_t start, std::int32_t* to) noexcept {
        using halves [[gnu::vector_size(Width)]] = half;
        using words [[gnu::vector_size(Width)]] = word;
        using pairs [[gnu::vector_size(Width)]] = std::int64_t;
        using word_places = std::make_integer_sequence<int, Width / 4>;
        using pair_places = std::make_integer_sequence<int, Width / 8>;
        halves even{};
        halves odd{};
        for (std::int64_t place = 0; place < count; ++place) {
            halves x;
            std::memcpy(&x, places[place] + offset, sizeof x);
            even += lower<16>(x);
            odd += upper<16>(x);
        }
        const words quarters[4] = {lower<32>(words(even)), lower<32>(words(odd)), upper<32>(words(even)),
                                   upper<32>(words(odd))};
        const pairs low[2] = {pairs(interleave<false>(quarters[0], quarters[1], word_places())),
                              pairs(interleave<false>(quarters[2], quarters[3], word_places()))};
        const pairs high[2] = {pairs(interleave<true>(quarters[0], quarters[1], word_places())),
                               pairs(interleave<true>(quarters[2], quarters[3], word_places()))};
        const words sums[4] = {words(interleave<false>(low[0], low[1], pair_places())),
                               words(interleave<true>(low[0], low[1], pair_places())),
                               words(interleave<false>(high[0], high[1], pair_places())),
                               words(interleave<true>(high[0], high[1], pair_places()))};
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) {
            const words whole = sums[i] + static_cast<word>(start);
            std::memcpy(to + offset + i * (Width / 4), &whole, sizeof whole);
        }
    }
    /// `bytes` >= Width sums; the last vector overlaps the one before.
    template <std::int64_t Width>
    [[gnu::always_inline]] static void vectors(const unsigned char* const* places, std::int64_t count,
                                               std::int64_t bytes, std::int32_t start, std::int32_t* to) noexcept {
        for (std::int64_t i = 0; i + Width <= bytes; i += Width)
            vector<Width>(places, count, i, start, to);
        if (bytes % Width != 0) vector<Width>(places, count, bytes - Width, start, to);
    }

    /// Sums of `bytes` >= least_bytes bytes that follow each of `count` places, plus `start` each.
    static void run(const unsigned char* const* places, std::int64_t count, std::int64_t bytes, std::int32_t start,
                    std::int32_t* to) noexcept {
        if (bytes >= widest) return vectors<widest>(places, count, bytes, start, to);
        vectors<least_bytes>(places, count, bytes, start, to);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
