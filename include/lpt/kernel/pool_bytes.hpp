// SPDX-License-Identifier: Apache-2.0
// Maxima of bytes, for max pooling that gives what it takes.
#pragma once

#include <lpt/kernel/lanes.hpp>

#include <type_traits>

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

}  // namespace lpt::inline LPT_ABI::kernel
