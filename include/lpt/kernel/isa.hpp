// SPDX-License-Identifier: Apache-2.0
// Instruction sets as types, and what the processor that runs this program has.
#pragma once

#include <lpt/kernel/rows.hpp>

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif
#if defined(__aarch64__) && defined(__APPLE__)
#include <sys/sysctl.h>
#endif
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace lpt::inline LPT_ABI::kernel::on {

/// One type per instruction set; everything that is compiled with special flags is a template on one of these, so that the
/// linker never merges code of two instruction sets.
struct scalar {
    static constexpr isa value = isa::scalar;
};
struct avx2 {
    static constexpr isa value = isa::avx2;
};
struct avx_vnni {
    static constexpr isa value = isa::avx_vnni;
};
struct avx512_vnni_256 {
    static constexpr isa value = isa::avx512_vnni_256;
};
struct avx512_vnni {
    static constexpr isa value = isa::avx512_vnni;
};
struct neon {
    static constexpr isa value = isa::neon;
};
struct neon_dot {
    static constexpr isa value = isa::neon_dot;
};
struct neon_i8mm {
    static constexpr isa value = isa::neon_i8mm;
};

}  // namespace lpt::inline LPT_ABI::kernel::on

namespace lpt::inline LPT_ABI::kernel {

/// Whether this build contains code for an instruction set (the target architecture decides).
constexpr bool is_built(isa set) noexcept {
#if defined(__x86_64__)
    return set == isa::scalar || set == isa::avx2 || set == isa::avx_vnni || set == isa::avx512_vnni_256 ||
           set == isa::avx512_vnni;
#elif defined(__aarch64__)
    return set == isa::scalar || set == isa::neon || set == isa::neon_dot || set == isa::neon_i8mm;
#else
    return set == isa::scalar;
#endif
}

namespace detail {

#if defined(__x86_64__)
/// Feature bits of the processor, already reduced by what the operating system saves on a context switch.
struct x86_features {
    bool avx2 = false;  // with FMA
    bool avx_vnni = false;
    bool avx512 = false;  // F, BW, VL, DQ
    bool avx512_vnni = false;
};

inline x86_features read_x86_features() noexcept {
    x86_features found;
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid(1, &a, &b, &c, &d) == 0) return found;
    const bool os_saves_state = (c >> 27 & 1u) != 0;
    const bool has_avx = (c >> 28 & 1u) != 0;
    const bool has_fma = (c >> 12 & 1u) != 0;
    if (!os_saves_state || !has_avx) return found;
    unsigned low = 0, high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    const bool ymm_saved = (low & 0x06u) == 0x06u;
    const bool zmm_saved = (low & 0xe6u) == 0xe6u;
    if (!ymm_saved || __get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return found;
    const unsigned leaf7_subleaves = a;
    found.avx2 = (b >> 5 & 1u) != 0 && has_fma;
    const unsigned foundation = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31;  // F, DQ, BW, VL
    found.avx512 = found.avx2 && zmm_saved && (b & foundation) == foundation;
    found.avx512_vnni = found.avx512 && (c >> 11 & 1u) != 0;
    if (leaf7_subleaves >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0)
        found.avx_vnni = found.avx2 && (a >> 4 & 1u) != 0;
    return found;
}
#endif

}  // namespace detail

/// Whether this processor and operating system can execute an instruction set, and this build contains it.
inline bool is_available(isa set) noexcept {
    if (!is_built(set)) return false;
    if (set == isa::scalar) return true;
#if defined(__x86_64__)
    static const detail::x86_features found =
        detail::read_x86_features();  // a virtual machine takes 20 us for each cpuid
    switch (set) {
        case isa::avx2: return found.avx2;
        case isa::avx_vnni: return found.avx_vnni;
        case isa::avx512_vnni_256:
        case isa::avx512_vnni: return found.avx512_vnni;
        default: return false;
    }
#elif defined(__aarch64__)
    if (set == isa::neon) return true; // part of the base architecture
#if defined(__linux__)
    const unsigned long dot_product_bit = 1ul << 20;  // HWCAP_ASIMDDP
    const unsigned long matrix_product_bit = 1ul << 13;  // HWCAP2_I8MM
    if ((getauxval(AT_HWCAP) & dot_product_bit) == 0) return false;
    return set == isa::neon_dot || (getauxval(AT_HWCAP2) & matrix_product_bit) != 0;
#elif defined(__APPLE__)
    if (set == isa::neon_dot) return true;  // every 64-bit Apple processor since 2018; macOS runs on no older one
    int found = 0;
    std::size_t size = sizeof found;
    return sysctlbyname("hw.optional.arm.FEAT_I8MM", &found, &size, nullptr, 0) == 0 && found != 0;
#else
    return false;
#endif
#else
    return false;
#endif
}

}  // namespace lpt::inline LPT_ABI::kernel
