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

    /// `from_shift`, `to_shift`: how much further on than in dense rows the numbers lie.
    template <class Middle>
    static void run_through(const cast_problem& p, std::int64_t begin, std::int64_t end, std::int64_t from_shift,
                            std::int64_t to_shift) noexcept {
        Middle middle[block];
        for (std::int64_t first = begin; first < end; first += block) {
            const std::int64_t count = end - first < block ? end - first : block;
            numbers::read(p.input_type, p.input, first + from_shift, 1, count, middle);
            numbers::write(p.output_type, middle, count, p.output, first + to_shift);
        }
    }

    static void run_part(const cast_problem& p, std::int64_t begin, std::int64_t end, std::int64_t from_shift,
                         std::int64_t to_shift) noexcept {
        const bool from_whole = numbers::is_whole(p.input_type);
        if (from_whole && numbers::is_whole(p.output_type))
            return run_through<std::int64_t>(p, begin, end, from_shift, to_shift);
        const bool is_single = !from_whole && p.input_type != number_type::f64;
        if (is_single || p.output_type == number_type::f32)
            return run_through<float>(p, begin, end, from_shift, to_shift);
        run_through<double>(p, begin, end, from_shift, to_shift);
    }

    static void run(const cast_problem& p, const parallel_for& parallel) noexcept {
        share_out<Isa>(parallel, p.rows * p.count, 64 * block, [&p](std::int64_t begin, std::int64_t end, int) {
            const auto of_input = [&](std::int64_t first, std::int64_t last, std::int64_t from_shift) {
                for_each_row_part(p.output_rows, p.count, first, last,
                                  [&](std::int64_t from, std::int64_t to, std::int64_t to_shift) {
                                      run_part(p, from, to, from_shift, to_shift);
                                  });
            };
            for_each_row_part(p.input_rows, p.count, begin, end, of_input);
        });
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
