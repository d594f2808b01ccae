// SPDX-License-Identifier: Apache-2.0
// Choosing the kernels at run time.
#pragma once

#include <lpt/base/error.hpp>
#include <lpt/kernel/isa.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// Defined in the translation units that the CMake function `lpt_add_kernels` generates, one per instruction set.
template <class Isa>
const kernel_table& table_of() noexcept;

extern template const kernel_table& table_of<on::scalar>() noexcept;
#if defined(__x86_64__)
extern template const kernel_table& table_of<on::avx2>() noexcept;
extern template const kernel_table& table_of<on::avx_vnni>() noexcept;
extern template const kernel_table& table_of<on::avx512_vnni_256>() noexcept;
extern template const kernel_table& table_of<on::avx512_vnni>() noexcept;
#elif defined(__aarch64__)
extern template const kernel_table& table_of<on::neon>() noexcept;
extern template const kernel_table& table_of<on::neon_dot>() noexcept;
extern template const kernel_table& table_of<on::neon_i8mm>() noexcept;
#endif

/// The fastest instruction set that this processor has.
inline isa best_isa() noexcept {
    const isa order[] = {isa::avx512_vnni, isa::avx_vnni, isa::avx2, isa::neon_i8mm, isa::neon_dot, isa::neon};
    for (const isa set : order) {
        if (is_available(set)) return set;
    }
    return isa::scalar;
}

/// The kernels of an instruction set.
/// Errors: lpt::error when the build or the processor lacks it.
inline const kernel_table& table_for(isa set) {
    if (!is_available(set)) {
        fail({"instruction set ", name_of(set), is_built(set) ? ": this processor lacks it" : ": not in this build",
              "; the best available is ", name_of(best_isa())});
    }
    switch (set) {
#if defined(__x86_64__)
        case isa::avx2: return table_of<on::avx2>();
        case isa::avx_vnni: return table_of<on::avx_vnni>();
        case isa::avx512_vnni_256: return table_of<on::avx512_vnni_256>();
        case isa::avx512_vnni: return table_of<on::avx512_vnni>();
#elif defined(__aarch64__)
        case isa::neon: return table_of<on::neon>();
        case isa::neon_dot: return table_of<on::neon_dot>();
        case isa::neon_i8mm: return table_of<on::neon_i8mm>();
#endif
        default: return table_of<on::scalar>();
    }
}

/// The instruction set of this name.
/// Errors: lpt::error for an unknown name, with the known ones.
inline isa isa_named(const char* name) {
    for (int i = 0; i < isa_count; ++i) {
        const char* known = name_of(static_cast<isa>(i));
        if (__builtin_strcmp(known, name) == 0) return static_cast<isa>(i);
    }
    fail({"unknown instruction set ", name,
          ": expected scalar, avx2, avx_vnni, avx512_vnni_256, avx512_vnni, neon, neon_dot or neon_i8mm"});
}

} // namespace lpt::inline LPT_ABI::kernel
