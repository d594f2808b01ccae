// SPDX-License-Identifier: Apache-2.0
// Images of i8 codes in another size.
#pragma once

#include <lpt/kernel/lanes.hpp>
#include <lpt/kernel/parallel.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// Vectors run along the channels. Sums are exact, so the four weights of a position may be multiplied first.
template <class Isa>
struct kernel_of<Isa, fixed_resize_problem> {
    using simd = lanes<Isa>;
    using ints = typename simd::ints;
    static constexpr std::int64_t width = simd::width;
    static constexpr std::int64_t least_elements = 4096;  // of a task

    static void run(const fixed_resize_problem& p, const parallel_for& parallel) noexcept {
        const std::int64_t line = p.out[1] * p.channels;
        const std::int64_t grain = line >= least_elements ? 1 : (least_elements + line - 1) / line;
        share_out<Isa>(parallel, p.batch * p.out[0], grain, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t row = begin; row < end; ++row)
                run_row(p, row / p.out[0], row % p.out[0]);
        });
    }

private:
    struct corners {
        const std::int8_t* at[4];
        ints weight[4];
    };

    static void run_row(const fixed_resize_problem& p, std::int64_t b, std::int64_t y) noexcept {
        const resize_neighbours& row = p.neighbours[0][y];
        const std::int8_t* const upper = p.input + (b * p.in[0] + row.lower) * p.in[1] * p.channels;
        const std::int8_t* const lower = p.input + (b * p.in[0] + row.upper) * p.in[1] * p.channels;
        std::int8_t* to = p.output + (b * p.out[0] + y) * p.out[1] * p.channels;
        for (std::int64_t x = 0; x < p.out[1]; ++x, to += p.channels) {
            const resize_neighbours& column = p.neighbours[1][x];
            const std::int64_t left = column.lower * p.channels, right = column.upper * p.channels;
            const std::int32_t v = row.weight, w = column.weight;
            const corners c{{upper + left, upper + right, lower + left, lower + right},
                            {simd::broadcast_int((1024 - v) * (1024 - w)), simd::broadcast_int((1024 - v) * w),
                             simd::broadcast_int(v * (1024 - w)), simd::broadcast_int(v * w)}};
            run_pixel(c, p.channels, reinterpret_cast<std::uint8_t*>(to));
        }
    }

    static void run_pixel(const corners& c, std::int64_t channels, std::uint8_t* to) noexcept {
        std::int64_t i = 0;
        for (; i + 4 * width <= channels; i += 4 * width)
            simd::template store_bytes<true>(to + i, code(c, i, width), code(c, i + width, width),
                                             code(c, i + 2 * width, width), code(c, i + 3 * width, width));
        for (; i < channels; i += width) {
            const ints q = code(c, i, channels - i);
            if (channels - i >= width) {
                simd::store_byte(to + i, q);
                continue;
            }
            std::uint8_t some[width];
            simd::store_byte(some, q);
            copy_few<Isa, width>(to + i, some, channels - i);
        }
    }

    [[gnu::always_inline]] static ints code(const corners& c, std::int64_t channel, std::int64_t count) noexcept {
        ints sum = simd::broadcast_int(0);
#pragma GCC unroll 4
        for (int k = 0; k < 4; ++k) {
            const auto* const at = reinterpret_cast<const unsigned char*>(c.at[k] + channel);
            sum = simd::add_int(sum, simd::multiply_int(load_part_of_bytes<Isa, true>(at, count), c.weight[k]));
        }
        const ints half = simd::add_int(simd::broadcast_int(1 << 19), simd::sign(sum));  // away from zero
        return simd::shift_right(simd::add_int(sum, half), simd::broadcast_int(20));
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
