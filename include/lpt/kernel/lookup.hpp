// SPDX-License-Identifier: Apache-2.0
// Any function of one 8-bit number, as a table.
#pragma once

#include <lpt/kernel/parallel.hpp>

namespace lpt::inline LPT_ABI::kernel {

template <class Isa>
struct lookup {
    static void run(const lookup_problem& problem, const parallel_for& parallel) noexcept {
        split<Isa>(parallel, problem.count, 4096, [&](std::int64_t begin, std::int64_t end, int) {
            const std::uint8_t* table = problem.table;
            std::int64_t i = begin;
            for (; i + 4 <= end; i += 4) { // four independent loads in flight; byte gathers do not exist
                const std::uint8_t a = table[problem.input[i]];
                const std::uint8_t b = table[problem.input[i + 1]];
                const std::uint8_t c = table[problem.input[i + 2]];
                const std::uint8_t d = table[problem.input[i + 3]];
                problem.output[i] = a;
                problem.output[i + 1] = b;
                problem.output[i + 2] = c;
                problem.output[i + 3] = d;
            }
            for (; i < end; ++i)
                problem.output[i] = table[problem.input[i]];
        });
    }
};

} // namespace lpt::inline LPT_ABI::kernel
