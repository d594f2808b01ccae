// SPDX-License-Identifier: Apache-2.0
// Sums and averages of i8 codes over windows.
#pragma once

#include <lpt/kernel/fixed_point.hpp>
#include <lpt/kernel/parallel.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// Vectors run along the channels; where there is one channel, along the columns of a window.
template <class Isa>
struct kernel_of<Isa, fixed_sum_problem> {
    using simd = lanes<Isa>;
    using ints = typename simd::ints;
    static constexpr std::int64_t width = simd::width;
    static constexpr std::int64_t block = 4 * width;  // channels that are summed up together
    static constexpr std::int64_t least_elements = 16384;  // of a task

    static void run(const fixed_sum_problem& p, const parallel_for& parallel) noexcept {
        const std::int64_t blocks = (p.channels + block - 1) / block;
        const std::int64_t pixels = p.batch * p.out[0] * p.out[1];
        const std::int64_t window = p.kernel[0] * p.kernel[1] * (p.channels < block ? p.channels : block);
        const std::int64_t grain = window >= least_elements ? 1 : (least_elements + window - 1) / window;
        share_out<Isa>(parallel, pixels * blocks, grain, [&](std::int64_t begin, std::int64_t end, int) {
            scaling to(p);
            for (std::int64_t unit = begin; unit < end; ++unit)
                run_block(p, to, unit / blocks, unit % blocks * block);
        });
    }

private:
    /// Positions of a window inside the image, along an axis.
    struct span {
        std::int64_t begin, end;

        span(const fixed_sum_problem& p, int axis, std::int64_t at) noexcept {
            const std::int64_t first = at * p.stride[axis] - p.pad_begin[axis];
            const std::int64_t past = first + p.kernel[axis];
            begin = first < 0 ? 0 : first;
            end = past < p.in[axis] ? past : p.in[axis];
            if (end < begin) end = begin;
        }
        std::int64_t size() const noexcept { return end - begin; }
    };

    /// What becomes of sums.
    struct scaling {
        fixed_columns<simd> columns;
        alignas(64) double real[width];
        std::int64_t count = -1;  // for which `real` stands
        ints low, high;

        explicit scaling(const fixed_sum_problem& p) noexcept
            : columns(fixed_columns<simd>::of_all(p.scale)),
              low(simd::broadcast_int(p.low)),
              high(simd::broadcast_int(p.high)) {
            set(p.real);
        }
        void set(double by) noexcept {
            for (double& each : real)
                each = by;
        }
        /// With e = 1 for even n, else 0: floor((|s| + floor(n / 2)) / n) is the integer next to (2 |s| + e) / 2n, which is no tie, and at
        /// least 1 / 2n from one: more than the product's error.
        [[gnu::always_inline]] ints average(ints sum, std::int64_t n) noexcept {
            if (n == 0) return simd::broadcast_int(0);
            if (n != count) set(0.5 / static_cast<double>(n));
            count = n;
            const std::int32_t even = n % 2 == 0 ? 1 : 0;
            const ints sign = simd::and_int(simd::sign(sum), simd::broadcast_int(-2 * even));
            const ints more = simd::add_int(simd::broadcast_int(even), sign);
            return simd::rounded_products(simd::add_int(simd::add_int(sum, sum), more), real);
        }
        [[gnu::always_inline]] ints code(const fixed_sum_problem& p, ints sum, std::int64_t n) noexcept {
            ints q;
            if (p.averages)
                q = average(sum, n);
            else if (p.real != 0)
                q = simd::add_int(simd::rounded_products(sum, real), columns.offset);
            else
                q = columns.scaled(sum);
            return simd::min_int(simd::max_int(q, low), high);
        }
    };

    /// Channels from `channel` on of an output pixel.
    static void run_block(const fixed_sum_problem& p, scaling& to, std::int64_t pixel, std::int64_t channel) noexcept {
        const std::int64_t x = pixel % p.out[1], y = pixel / p.out[1] % p.out[0], b = pixel / p.out[1] / p.out[0];
        const span rows(p, 0, y), columns(p, 1, x);
        const std::int64_t n = rows.size() * columns.size();
        const std::int8_t* const first =
            p.input + ((b * p.in[0] + rows.begin) * p.in[1] + columns.begin) * p.channels + channel;
        const std::int64_t left = p.channels - channel;
        const std::int32_t start = static_cast<std::int32_t>(-n * p.zero_point);
        auto* const output = reinterpret_cast<std::uint8_t*>(p.output + pixel * p.channels + channel);
        if (left >= block) {
            ints sum[4];
#pragma GCC unroll 4
            for (int v = 0; v < 4; ++v)
                sum[v] = simd::broadcast_int(start);
            for_each_position(p, first, rows.size(), columns.size(), [&](const std::int8_t* at) {
#pragma GCC unroll 4
                for (int v = 0; v < 4; ++v)
                    sum[v] = simd::add_int(sum[v], simd::load_i8(at + v * width));
            });
            simd::template store_bytes<true>(output, to.code(p, sum[0], n), to.code(p, sum[1], n),
                                             to.code(p, sum[2], n), to.code(p, sum[3], n));
            return;
        }
        if constexpr (requires { simd::sum_bytes(nullptr, std::int64_t{}, static_cast<unsigned char>(0)); }) {
            if (p.channels == 1) {
                const std::int32_t all = start + sum_line(p, first, rows.size(), columns.size());
                return store(output, to.code(p, simd::broadcast_int(all), n), 1);
            }
        }
        for (std::int64_t i = 0; i < left && i < block; i += width) {
            ints sum = simd::broadcast_int(start);
            for_each_position(p, first + i, rows.size(), columns.size(), [&](const std::int8_t* at) {
                sum = simd::add_int(
                    sum, load_part_of_bytes<Isa, true>(reinterpret_cast<const unsigned char*>(at), left - i));
            });
            store(output + i, to.code(p, sum, n), left - i);
        }
    }

    template <class Function>
    [[gnu::always_inline]] static void for_each_position(const fixed_sum_problem& p, const std::int8_t* from,
                                                         std::int64_t rows, std::int64_t columns,
                                                         const Function& f) noexcept {
        for (std::int64_t row = 0; row < rows; ++row, from += p.in[1] * p.channels) {
            for (std::int64_t column = 0; column < columns; ++column)
                f(from + column * p.channels);
        }
    }

    /// The sum of codes that lie side by side, of several lines.
    static std::int32_t sum_line(const fixed_sum_problem& p, const std::int8_t* from, std::int64_t rows,
                                 std::int64_t columns) noexcept {
        std::int64_t sum = -128 * rows * columns;  // codes are summed up as of u8
        for (std::int64_t row = 0; row < rows; ++row, from += p.in[1])
            sum += simd::sum_bytes(reinterpret_cast<const unsigned char*>(from), columns, 0x80);
        return static_cast<std::int32_t>(sum);
    }

    static void store(std::uint8_t* to, ints code, std::int64_t count) noexcept {
        if (count >= width) return simd::store_byte(to, code);
        std::uint8_t some[width];
        simd::store_byte(some, code);
        copy_few<Isa, width>(to, some, count);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
