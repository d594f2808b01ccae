// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution of up to 32 channels in 256 bits, of which AVX-512 has 32 registers.
#pragma once

#if defined(__AVX512VNNI__) && defined(__AVX512VL__) && defined(__AVX512BW__)

#include <lpt/kernel/avx2/lanes.hpp>
#include <lpt/kernel/avx_vnni/dot.hpp>
#include <lpt/kernel/depthwise_dots.hpp>

namespace lpt::inline LPT_ABI::kernel {

template <>
struct half_blocks<on::avx512_vnni> {
    static constexpr bool exist = true;

    [[gnu::always_inline]] static __mmask32 first(std::int64_t count) noexcept {
        return count >= 32 ? ~__mmask32{0} : (__mmask32{1} << count) - 1;
    }

    struct dot : detail::dot_of_256<on::avx512_vnni> {
        static constexpr int vectors = 4;

        [[gnu::always_inline]] static void settle(accumulator& sum) noexcept { __asm__("" : "+v"(sum)); }
        [[gnu::always_inline]] static accumulator step(accumulator sum, row_group row, column_group column) noexcept {
            return reinterpret_cast<accumulator>(_mm256_dpbusd_epi32(reinterpret_cast<__m256i>(sum), row, column));
        }
        [[gnu::always_inline]] static void interleave_block(unsigned char* to, const unsigned char* const (&lines)[4],
                                                            std::int64_t count, unsigned char flip) noexcept {
            const __mmask32 inside = first(count);
            __m256i line[4];
#pragma GCC unroll 4
            for (int j = 0; j < 4; ++j)
                line[j] = _mm256_maskz_loadu_epi8(inside, lines[j]);
            if (flip != 0) {
#pragma GCC unroll 4
                for (int j = 0; j < 4; ++j)
                    line[j] = _mm256_xor_si256(line[j], _mm256_set1_epi8(static_cast<char>(flip)));
            }
            store_interleaved(to, line);
        }
    };

    struct simd : detail::lanes_256<on::avx512_vnni> {
        /// Stores the first `count` (<= 32) of packed bytes.
        [[gnu::always_inline]] static void store_first(std::uint8_t* to, bytes value, std::int64_t count) noexcept {
            _mm256_mask_storeu_epi8(to, first(count), value);
        }
    };
};

}  // namespace lpt::inline LPT_ABI::kernel

#endif
