// SPDX-License-Identifier: Apache-2.0
// Any function of one 8-bit number, as a table.
#pragma once

#include <lpt/kernel/lanes.hpp>
#include <lpt/kernel/parallel.hpp>

namespace lpt::inline LPT_ABI::kernel {

template <class Isa>
struct lookup {
    static void run(const lookup_problem& problem, const parallel_for& parallel) noexcept {
        constexpr std::int64_t least_bytes = 4096;  // of a task
        const bool is_one_row = problem.rows == 1;
        const std::int64_t least = is_one_row ? least_bytes : (least_bytes + problem.count - 1) / problem.count;
        share_out<Isa>(
            parallel, is_one_row ? problem.count : problem.rows, least, [&](std::int64_t begin, std::int64_t end, int) {
                if (is_one_row)
                    look_up_rows(problem, problem.input + begin, problem.output + begin, 1, end - begin);
                else
                    look_up_rows(problem, problem.input + begin * problem.input_row_stride,
                                 problem.output + begin * problem.output_row_stride, end - begin, problem.count);
            });
    }

private:
    static void look_up_rows(const lookup_problem& problem, const std::uint8_t* from, std::uint8_t* to,
                             std::int64_t rows, std::int64_t count) noexcept {
        alignas(64) std::uint8_t table[256];  // no output lies in it: it stays in registers from row to row
        std::memcpy(table, problem.table, sizeof table);
        for (std::int64_t r = 0; r < rows; ++r, from += problem.input_row_stride, to += problem.output_row_stride) {
            for (std::int64_t i = lanes<Isa>::look_up(table, from, to, count); i < count; ++i)
                to[i] = table[from[i]];
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
