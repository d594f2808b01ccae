// SPDX-License-Identifier: Apache-2.0
// PRELU of codes by way of real numbers.
#pragma once

#include <lpt/kernel/fixed_point.hpp>
#include <lpt/kernel/parallel.hpp>

namespace lpt::inline LPT_ABI::kernel {

template <class Isa>
struct kernel_of<Isa, real_prelu_problem> {
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    using ints = typename simd::ints;
    static constexpr std::int64_t width = simd::width;
    static constexpr std::int64_t least_elements = 4096;  // of a task

    static void run(const real_prelu_problem& p, const parallel_for& parallel) noexcept {
        const std::int64_t grain = p.channels > 0 ? (least_elements + p.channels - 1) / p.channels : 1;
        split<Isa>(parallel, p.rows, grain, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t c = 0; c < p.channels; c += vectors * width)
                run_columns(p, c, begin, end);
        });
    }

private:
    struct numbers {
        ints zero, output_zero, low, high;
        floats scale, output_scale;

        explicit numbers(const real_prelu_problem& p) noexcept
            : zero(simd::broadcast_int(p.zero_point)),
              output_zero(simd::broadcast_int(p.output_zero_point)),
              low(simd::broadcast_int(-128)),
              high(simd::broadcast_int(127)),
              scale(simd::broadcast(p.scale)),
              output_scale(simd::broadcast(p.output_scale)) {}
    };

    [[gnu::always_inline]] static ints code(const numbers& n, floats slope, ints q) noexcept {
        const floats x = simd::multiply(n.scale, simd::to_float(simd::subtract_int(q, n.zero)));
        const floats y = simd::select(simd::less(x, simd::broadcast(0.0f)), simd::multiply(x, slope), x);
        const floats ratio = simd::divide(y, n.output_scale);
        const ints sign = simd::sign(simd::bits(ratio));
        const floats size = simd::from_bits(simd::and_int(simd::bits(ratio), simd::broadcast_int(0x7fffffff)));
        // The largest number below 1/2, so that what is below 1/2 stays below 1.
        const floats nearest =
            simd::floor(simd::add(simd::at_most(size, simd::broadcast(1000000.0f)), simd::broadcast(0.49999997f)));
        // Negated where the sign is -1: the bits flipped, + 1.
        const ints rounded = simd::round_to_int(nearest);
        const ints negated = simd::subtract_int(simd::broadcast_int(0), rounded);
        const ints signed_result = simd::add_int(rounded, simd::and_int(sign, simd::subtract_int(negated, rounded)));
        return simd::min_int(simd::max_int(simd::add_int(signed_result, n.output_zero), n.low), n.high);
    }

    static constexpr int vectors = 4;

    /// Rows [begin, end) of up to `vectors` vectors of channels from `channel` on.
    static void run_columns(const real_prelu_problem& p, std::int64_t channel, std::int64_t begin,
                            std::int64_t end) noexcept {
        const numbers n(p);
        floats slope[vectors];
        std::int64_t left[vectors];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) {
            left[v] = p.channels - channel - v * width;
            slope[v] = load_part<Isa>(p.slope + channel + v * width, left[v] > 0 ? left[v] : 0);
        }
        for (std::int64_t r = begin; r < end; ++r) {
            const std::int64_t at = r * p.channels + channel;
            const auto* const from = reinterpret_cast<const unsigned char*>(p.input) + at;
            auto* const to = reinterpret_cast<std::uint8_t*>(p.output) + at;
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v) {
                if (left[v] <= 0) break;
                const ints q = load_part_of_bytes<Isa, true>(from + v * width, left[v]);
                fixed_store<Isa>::store_one(to + v * width, code(n, slope[v], q), left[v]);
            }
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
