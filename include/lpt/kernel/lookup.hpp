// SPDX-License-Identifier: Apache-2.0
// Any function of one 8-bit number, as a table.
#pragma once

#include <lpt/kernel/lanes.hpp>
#include <lpt/kernel/parallel.hpp>

namespace lpt::inline LPT_ABI::kernel {

template <class Isa>
struct lookup {
    static void run(const lookup_problem& problem, const parallel_for& parallel) noexcept {
        share_out<Isa>(parallel, problem.count, 4096, [&](std::int64_t begin, std::int64_t end, int) {
            const std::uint8_t* const table = problem.table;
            const std::int64_t vectors =
                lanes<Isa>::look_up(table, problem.input + begin, problem.output + begin, end - begin);
            for (std::int64_t i = begin + vectors; i < end; ++i)
                problem.output[i] = table[problem.input[i]];
        });
    }
};

} // namespace lpt::inline LPT_ABI::kernel
