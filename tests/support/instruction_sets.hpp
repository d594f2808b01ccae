// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/kernel/dispatch.hpp>

#include <cstdio>
#include <vector>

namespace lpt::support {

/// The instruction sets that kernels are compiled for and this processor has, `scalar` first. Prints the others that were built, once
/// a program, as `skipped: …`, which the scripts list at their end.
inline const std::vector<kernel::isa>& available_instruction_sets() {
    static const std::vector<kernel::isa> sets = [] {
        std::vector<kernel::isa> found;
        for (int i = 0; i < kernel::isa_count; ++i) {
            const auto set = static_cast<kernel::isa>(i);
            if (kernel::is_available(set)) {
                found.push_back(set);
            } else if (kernel::is_built(set)) {
                std::printf("skipped: %s kernels (this processor lacks it)\n", kernel::name_of(set));
            }
        }
        std::fflush(stdout);
        return found;
    }();
    return sets;
}

}  // namespace lpt::support
