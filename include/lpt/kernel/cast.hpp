// SPDX-License-Identifier: Apache-2.0
// Numbers of one type as numbers of another.
#pragma once

#include <lpt/kernel/numbers.hpp>
#include <lpt/kernel/parallel.hpp>

namespace lpt::inline LPT_ABI::kernel {

template <class Isa>
struct kernel_of<Isa, cast_problem> {
    using numbers = numbers_of<Isa>;

    /// Blocks go through `Middle`: each type has a loop that reads and one that writes, and not one for each other type.
    static constexpr std::int64_t block = 128;

    template <class Middle>
    static void run_through(const cast_problem& p, std::int64_t begin, std::int64_t end) noexcept {
        Middle middle[block];
        std::int64_t count = 0;
        for (std::int64_t first = begin; first < end; first += count) {
            const std::int64_t column = first % p.count;
            count = end - first < block ? end - first : block;
            count = p.count - column < count ? p.count - column : count;
            numbers::read(p.input_type, p.input, p.input_rows.begin(first / p.count, p.count) + column, 1, count,
                          middle);
            numbers::write(p.output_type, middle, count, p.output,
                           p.output_rows.begin(first / p.count, p.count) + column);
        }
    }

    static void run(const cast_problem& p, const parallel_for& parallel) noexcept {
        share_out<Isa>(parallel, p.rows * p.count, 64 * block, [&p](std::int64_t begin, std::int64_t end, int) {
            const bool from_whole = numbers::is_whole(p.input_type);
            if (from_whole && numbers::is_whole(p.output_type)) return run_through<std::int64_t>(p, begin, end);
            const bool is_single = !from_whole && p.input_type != number_type::f64;
            if (is_single || p.output_type == number_type::f32) return run_through<float>(p, begin, end);
            run_through<double>(p, begin, end);
        });
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
