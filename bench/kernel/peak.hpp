// SPDX-License-Identifier: Apache-2.0
// What the processor can do at most: dot products back to back, reading and copying memory. Processors change their frequency, and other
// programs take their share of caches, so this is measured next to each kernel.
#pragma once

#include <lpt/kernel/rows.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace bench {

namespace k = lpt::kernel;

inline double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The median time of one call, over the samples of a run: other programs make some samples long, and the mean of all with them.
class median_time {
    std::vector<double> samples_;

public:
    /// Measures `calls` calls as one sample.
    template <class Function>
    void sample(std::int64_t calls, const Function& function) {
        const double begin = seconds_now();
        for (std::int64_t call = 0; call < calls; ++call)
            function();
        samples_.push_back((seconds_now() - begin) / static_cast<double>(calls));
    }
    double seconds() {
        if (samples_.empty()) return 0;
        const auto middle = samples_.begin() + static_cast<std::ptrdiff_t>(samples_.size() / 2);
        std::nth_element(samples_.begin(), middle, samples_.end());
        return *middle;
    }
    /// So many calls last about 20 microseconds, long enough for the clock and short enough to be seldom interrupted.
    template <class Function>
    static std::int64_t calls_of(const Function& function) {
        function();
        const double begin = seconds_now();
        function();
        const double once = std::max(seconds_now() - begin, 1e-8);
        return std::max<std::int64_t>(1, static_cast<std::int64_t>(20e-6 / once));
    }
};

/// The least time of one call, over `rounds` measurements of `calls` calls.
template <class Function>
double least_seconds(int rounds, int calls, const Function& function) {
    double least = std::numeric_limits<double>::infinity();
    for (int round = 0; round < rounds; ++round) {
        const double begin = seconds_now();
        for (int call = 0; call < calls; ++call)
            function();
        least = std::min(least, (seconds_now() - begin) / calls);
    }
    return least;
}

#if defined(__x86_64__)
#define LPT_BENCH_TWELVE(instruction)                                                                              \
    __asm__ volatile(instruction(0) instruction(1) instruction(2) instruction(3) instruction(4) instruction(5)     \
                         instruction(6) instruction(7) instruction(8) instruction(9) instruction(10)               \
                             instruction(11) "vzeroupper\n\t" ::                                                   \
                                 : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", \
                                   "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15")
#define LPT_BENCH_VNNI_512(r) "vpdpbusd %%zmm14, %%zmm15, %%zmm" #r "\n\t"
#define LPT_BENCH_VNNI_256(r) "vpdpbusd %%ymm14, %%ymm15, %%ymm" #r "\n\t"
#define LPT_BENCH_AVX_VNNI(r) "%{vex%} vpdpbusd %%ymm14, %%ymm15, %%ymm" #r "\n\t"
#define LPT_BENCH_AVX2(r) "vpmaddwd %%ymm14, %%ymm15, %%ymm13\n\tvpaddd %%ymm13, %%ymm" #r ", %%ymm" #r "\n\t"
#define LPT_BENCH_FMA_512(r) "vfmadd231ps %%zmm14, %%zmm15, %%zmm" #r "\n\t"
#define LPT_BENCH_FMA_256(r) "vfmadd231ps %%ymm14, %%ymm15, %%ymm" #r "\n\t"
#elif defined(__aarch64__)
#define LPT_BENCH_TWELVE(instruction)                                                                                  \
    __asm__ volatile(instruction(0) instruction(1) instruction(2) instruction(3) instruction(4) instruction(5)         \
                         instruction(6) instruction(7) instruction(8) instruction(9) instruction(10) instruction(11):: \
                             : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", \
                               "v14", "v15")
#define LPT_BENCH_SDOT(r) ".arch_extension dotprod\n\tsdot v" #r ".4s, v14.16b, v15.16b\n\t"
#define LPT_BENCH_SMMLA(r) ".arch_extension i8mm\n\tsmmla v" #r ".4s, v14.16b, v15.16b\n\t"
#define LPT_BENCH_SMULL(r) "smull v13.8h, v14.8b, v15.8b\n\tsadalp v" #r ".4s, v13.8h\n\t"
#define LPT_BENCH_FMLA(r) "fmla v" #r ".4s, v14.4s, v15.4s\n\t"
#endif

/// Twelve independent multiply-add instructions of an instruction set, and how many products they are; 0 if it has none.
/// Where there is no dot product, the shortest exact sequence counts: pmaddwd and paddd, or smull and sadalp.
inline double multiply_twelve(k::isa set, bool is_float) {
    switch (set) {
#if defined(__x86_64__)
        case k::isa::avx512_vnni:
            if (is_float) {
                LPT_BENCH_TWELVE(LPT_BENCH_FMA_512);
                return 12 * 16;
            }
            LPT_BENCH_TWELVE(LPT_BENCH_VNNI_512);
            return 12 * 64;
        case k::isa::avx512_vnni_256:
        case k::isa::avx_vnni:
        case k::isa::avx2:
            if (is_float) {
                LPT_BENCH_TWELVE(LPT_BENCH_FMA_256);
                return 12 * 8;
            }
            if (set == k::isa::avx2) {
                LPT_BENCH_TWELVE(LPT_BENCH_AVX2);
                return 12 * 16;
            }
            if (set == k::isa::avx_vnni)
                LPT_BENCH_TWELVE(LPT_BENCH_AVX_VNNI);
            else
                LPT_BENCH_TWELVE(LPT_BENCH_VNNI_256);
            return 12 * 32;
#elif defined(__aarch64__)
        case k::isa::neon_i8mm:
        case k::isa::neon_dot:
        case k::isa::neon:
            if (is_float) {
                LPT_BENCH_TWELVE(LPT_BENCH_FMLA);
                return 12 * 4;
            }
            if (set == k::isa::neon_i8mm) {
                LPT_BENCH_TWELVE(LPT_BENCH_SMMLA);
                return 12 * 32;
            }
            if (set == k::isa::neon_dot) {
                LPT_BENCH_TWELVE(LPT_BENCH_SDOT);
                return 12 * 16;
            }
            LPT_BENCH_TWELVE(LPT_BENCH_SMULL);
            return 12 * 8;
#endif
        default: return 0;
    }
}

/// Zeros, because numbers that happen to be denormal make floating-point multiplication slow.
inline void clear_registers(k::isa set) {
#if defined(__x86_64__)
    if (set != k::isa::scalar) {
        __asm__ volatile("vzeroall" ::
                             : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
                               "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
    }
#elif defined(__aarch64__)
    if (set != k::isa::scalar) __asm__ volatile("movi v14.16b, #0\n\tmovi v15.16b, #0" ::: "v14", "v15");
#endif
}

/// Multiplies twelve thousand times; the number of products.
inline double multiply_often(k::isa set, bool is_float) {
    clear_registers(set);
    double macs = 0;
    for (int i = 0; i < 1000; ++i)
        macs = 1000 * multiply_twelve(set, is_float);
    return macs;
}

/// Most multiply-accumulates a second of one thread, measured for about half a millisecond; 0 where `multiply_twelve` has none.
inline double peak_macs_per_second(k::isa set, bool is_float) {
    const double macs = multiply_often(set, is_float);
    if (macs == 0) return 0;
    return macs / least_seconds(80, 1, [&] { multiply_often(set, is_float); });
}

/// Loads 256 bytes with the widest loads of an instruction set.
inline void load_256_bytes(k::isa set, const unsigned char* from) {
#if defined(__x86_64__)
    if (set == k::isa::avx512_vnni) {
        __asm__ volatile("vmovdqu64 (%0), %%zmm0\n\tvmovdqu64 64(%0), %%zmm1\n\tvmovdqu64 128(%0), %%zmm2\n\t"
                         "vmovdqu64 192(%0), %%zmm3" ::"r"(from)
                         : "xmm0", "xmm1", "xmm2", "xmm3");
        return;
    }
    if (set != k::isa::scalar) {
        __asm__ volatile("vmovdqu (%0), %%ymm0\n\tvmovdqu 32(%0), %%ymm1\n\tvmovdqu 64(%0), %%ymm2\n\t"
                         "vmovdqu 96(%0), %%ymm3\n\tvmovdqu 128(%0), %%ymm0\n\tvmovdqu 160(%0), %%ymm1\n\t"
                         "vmovdqu 192(%0), %%ymm2\n\tvmovdqu 224(%0), %%ymm3" ::"r"(from)
                         : "xmm0", "xmm1", "xmm2", "xmm3");
        return;
    }
#endif
    for (int i = 0; i < 256; i += 8) {
        std::uint64_t value;
        std::memcpy(&value, from + i, sizeof value);
        __asm__ volatile("" ::"r"(value));
    }
}

/// Bytes a second that one thread reads from a buffer that was read before, so from the cache level that holds so many bytes.
inline double read_bytes_per_second(k::isa set, const unsigned char* from, std::size_t bytes, int rounds = 5) {
    const std::size_t count = bytes / 256 * 256;
    if (count == 0) return 0;
    const int calls = static_cast<int>(std::max<std::size_t>(1, (std::size_t{1} << 18) / count));
    const double seconds = least_seconds(rounds, calls, [&] {
        for (std::size_t i = 0; i < count; i += 256)
            load_256_bytes(set, from + i);
    });
#if defined(__x86_64__)
    if (set != k::isa::scalar) __asm__ volatile("vzeroupper" ::: "xmm0", "xmm1", "xmm2", "xmm3");
#endif
    return static_cast<double>(count) / seconds;
}

}  // namespace bench
