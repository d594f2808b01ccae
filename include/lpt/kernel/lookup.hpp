// SPDX-License-Identifier: Apache-2.0
// Any function of one 8-bit number, as a table.
#pragma once

#include <lpt/kernel/lanes.hpp>
#include <lpt/kernel/parallel.hpp>

namespace lpt::inline LPT_ABI::kernel {

template <class Isa>
struct lookup {
    static void run(const lookup_problem& problem, const parallel_for& parallel) noexcept {
        if (problem.count <= 0) return;
        constexpr std::int64_t piece = 4096;  // bytes of a long row that a task takes
        const std::int64_t pieces = (problem.count + piece - 1) / piece;  // of a row
        const std::int64_t grain = pieces > 1 ? 1 : (piece + problem.count - 1) / problem.count;
        share_out<Isa>(parallel, problem.rows * pieces, grain, [&](std::int64_t begin, std::int64_t end, int) {
            alignas(64) std::uint8_t table[256];  // no output lies in it: it stays in registers from row to row
            std::memcpy(table, problem.table, sizeof table);
            for (std::int64_t i = begin; i < end; ++i) {
                const std::int64_t row = pieces > 1 ? i / pieces : i;
                const std::int64_t first = pieces > 1 ? i % pieces * piece : 0;
                const std::int64_t left = problem.count - first;
                look_up(table, problem.input + row * problem.input_row_stride + first,
                        problem.output + row * problem.output_row_stride + first, left < piece ? left : piece);
            }
        });
    }

private:
    [[gnu::always_inline]] static void look_up(const std::uint8_t* table, const std::uint8_t* from, std::uint8_t* to,
                                               std::int64_t count) noexcept {
        for (std::int64_t i = lanes<Isa>::look_up(table, from, to, count); i < count; ++i)
            to[i] = table[from[i]];
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
