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
        share_out<Isa>(parallel, p.rows, grain, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t c = 0; c < p.channels; c += vectors * width) {
                if (p.negative == nullptr)
                    run_columns<by_reals>(p, c, begin, end);
                else if (p.larger_is_code)
                    run_columns<by_lines<true>>(p, c, begin, end);
                else
                    run_columns<by_lines<false>>(p, c, begin, end);
            }
        });
    }

private:
    /// As the formula says.
    struct by_reals {
        ints zero, output_zero;
        floats scale, output_scale;

        explicit by_reals(const real_prelu_problem& p) noexcept
            : zero(simd::broadcast_int(p.zero_point)),
              output_zero(simd::broadcast_int(p.output_zero_point)),
              scale(simd::broadcast(p.scale)),
              output_scale(simd::broadcast(p.output_scale)) {}
        static floats numbers(const real_prelu_problem& p, std::int64_t channel, std::int64_t count) noexcept {
            return load_part<Isa>(p.slope + channel, count);
        }

        [[gnu::always_inline]] ints operator()(floats slope, ints q) const noexcept {
            const floats x = simd::multiply(scale, simd::to_float(simd::subtract_int(q, zero)));
            const floats y = simd::select(simd::less(x, simd::broadcast(0.0f)), simd::multiply(x, slope), x);
            const floats ratio = simd::divide(y, output_scale);
            const ints sign = simd::sign(simd::bits(ratio));
            const floats size = simd::from_bits(simd::and_int(simd::bits(ratio), simd::broadcast_int(0x7fffffff)));
            // The largest number below 1/2, so that what is below 1/2 stays below 1.
            const floats nearest =
                simd::floor(simd::add(simd::at_most(size, simd::broadcast(1000000.0f)), simd::broadcast(0.49999997f)));
            // Negated where the sign is -1: the bits flipped, + 1.
            const ints rounded = simd::round_to_int(nearest);
            const ints negated = simd::subtract_int(simd::broadcast_int(0), rounded);
            const ints signed_result =
                simd::add_int(rounded, simd::and_int(sign, simd::subtract_int(negated, rounded)));
            return simd::add_int(signed_result, output_zero);
        }
    };

    /// By one line for codes from the zero point on, and one for those below.
    template <bool LargerIsCode>
    struct by_lines {
        struct line {
            floats factor, offset;
            [[gnu::always_inline]] floats at(floats q) const noexcept { return simd::fma(q, factor, offset); }
        };
        line positive;
        floats zero;

        explicit by_lines(const real_prelu_problem& p) noexcept
            : positive{simd::broadcast(p.positive), simd::broadcast(p.positive_offset)},
              zero(simd::broadcast(static_cast<float>(p.zero_point))) {}
        static line numbers(const real_prelu_problem& p, std::int64_t channel, std::int64_t count) noexcept {
            return {load_part<Isa>(p.negative + channel, count),
                    load_part<Isa>(p.negative + p.channels + channel, count)};
        }

        [[gnu::always_inline]] ints operator()(const line& negative, ints code) const noexcept {
            const floats q = simd::to_float(code);
            const floats above = positive.at(q), below = negative.at(q);
            if constexpr (LargerIsCode)
                return simd::round_to_int(simd::at_least(above, below));
            else
                return simd::round_to_int(simd::select(simd::less(q, zero), below, above));
        }
    };

    static constexpr int vectors = 4;

    /// Rows [begin, end) of up to `vectors` vectors of channels from `channel` on.
    template <class Code>
    static void run_columns(const real_prelu_problem& p, std::int64_t channel, std::int64_t begin,
                            std::int64_t end) noexcept {
        const Code code(p);
        const std::int64_t left = p.channels - channel;
        decltype(Code::numbers(p, 0, 0)) number[vectors];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) {
            const std::int64_t rest = left - v * width;
            number[v] = Code::numbers(p, channel + v * width, rest > 0 ? rest : 0);
        }
        const ints low = simd::broadcast_int(-128), high = simd::broadcast_int(127);
        for (std::int64_t r = begin; r < end; ++r) {
            const std::int64_t at = r * p.channels + channel;
            const auto* const from = reinterpret_cast<const unsigned char*>(p.input) + at;
            auto* const to = reinterpret_cast<std::uint8_t*>(p.output) + at;
            const auto code_of = [&](int v) __attribute__((always_inline)) {
                return code(number[v], load_part_of_bytes<Isa, true>(from + v * width, left - v * width));
            };
            if constexpr (byte_lanes<simd>) {
                if (left >= vectors * width) {
                    const auto bytes = simd::template pack<true>(code_of(0), code_of(1), code_of(2), code_of(3));
                    simd::store_first(to, bytes, vectors * width);
                    continue;
                }
            }
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v) {
                if (left <= v * width) break;
                const ints q = simd::min_int(simd::max_int(code_of(v), low), high);
                fixed_store<Isa>::store_one(to + v * width, q, left - v * width);
            }
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
