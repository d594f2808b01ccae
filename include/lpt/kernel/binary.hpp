// SPDX-License-Identifier: Apache-2.0
// Elementwise functions of two operands.
#pragma once

#include <lpt/kernel/epilogue.hpp>
#include <lpt/kernel/parallel.hpp>

namespace lpt::inline LPT_ABI::kernel {

template <class Isa>
struct binary {
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    static constexpr std::int64_t width = simd::width;

    static bool is_flat(const binary_operand& o, std::int64_t channels) noexcept {
        return o.scale == nullptr && o.shift == nullptr && o.channel_stride == 1 && o.row_stride == channels;
    }
    static bool is_flat(const epilogue& e) noexcept {
        if (e.scale != nullptr || e.bias != nullptr) return false;
        for (int k = 0; k < e.post_count; ++k) {
            const post_operation& step = e.post[k];
            if (step.per_channel_a != nullptr || step.per_channel_b != nullptr || step.residual != nullptr)
                return false;
        }
        return true;
    }

    /// Values of an operand.
    static void load(const binary_operand& o, std::int64_t row, std::int64_t channel, std::int64_t columns,
                     float* v) noexcept {
        const std::int64_t first = row * o.row_stride + channel * o.channel_stride;
        if (o.channel_stride == 0) {
            const unsigned char* at = static_cast<const unsigned char*>(o.data) + first * bytes_of(o.type);
            float one[width];
            simd::store(one, finish<Isa>::load_elements(at, o.type, 0, 1));
            const floats value = simd::broadcast(one[0]);
            for (std::int64_t i = 0; i < columns; i += width)
                simd::store(v + i, value);
        } else {
            for (std::int64_t i = 0; i < columns; i += width)
                simd::store(v + i, finish<Isa>::load_elements(o.data, o.type, first + i, columns - i));
        }
        finish<Isa>::scale_and_shift(o.scale, o.scale_all, o.shift, o.shift_all, v, channel, columns);
    }

    template <class Function>
    [[gnu::always_inline]] static void each(float* a, const float* b, std::int64_t columns, Function f) noexcept {
        for (std::int64_t i = 0; i < columns; i += width)
            simd::store(a + i, f(simd::load(a + i), simd::load(b + i)));
    }

    static void combine(binary_function function, float* a, const float* b, std::int64_t columns) noexcept {
        switch (function) {
            case binary_function::add: each(a, b, columns, [](floats x, floats y) { return simd::add(x, y); }); break;
            case binary_function::subtract:
                each(a, b, columns, [](floats x, floats y) { return simd::subtract(x, y); });
                break;
            case binary_function::multiply:
                each(a, b, columns, [](floats x, floats y) { return simd::multiply(x, y); });
                break;
            case binary_function::divide:
                each(a, b, columns, [](floats x, floats y) { return simd::divide(x, y); });
                break;
            case binary_function::maximum:
                each(a, b, columns, [](floats x, floats y) { return simd::select(simd::less(y, x), x, y); });
                break;
            case binary_function::minimum:
                each(a, b, columns, [](floats x, floats y) { return simd::select(simd::less(x, y), x, y); });
                break;
            case binary_function::squared_difference:
                each(a, b, columns, [](floats x, floats y) {
                    const floats d = simd::subtract(x, y);
                    return simd::multiply(d, d);
                });
                break;
        }
    }

    static void run_part(const binary_problem& p, std::int64_t row, std::int64_t channel,
                         std::int64_t columns) noexcept {
        alignas(64) float a[finish_columns];
        alignas(64) float b[finish_columns];
        load(p.a, row, channel, columns, a);
        load(p.b, row, channel, columns, b);
        combine(p.function, a, b, columns);
        unsigned char* to = static_cast<unsigned char*>(p.output) +
                            (row * p.output_row_stride + channel) * bytes_of(p.finish.output_type);
        finish<Isa>::row(p.finish, a, row, channel, columns, to);
    }

    static void run(const binary_problem& problem, const parallel_for& parallel) noexcept {
        // Rows that follow each other without a gap and treat all channels alike are one long row.
        binary_problem flat = problem;
        if (is_flat(problem.a, problem.channels) && is_flat(problem.b, problem.channels) &&
            problem.output_row_stride == problem.channels && is_flat(problem.finish)) {
            flat.channels = problem.rows * problem.channels;
            flat.rows = 1;
        }
        const std::int64_t parts = (flat.channels + finish_columns - 1) / finish_columns;
        split<Isa>(parallel, flat.rows * parts, 8, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t i = begin; i < end; ++i) {
                const std::int64_t channel = i % parts * finish_columns;
                const std::int64_t rest = flat.channels - channel;
                run_part(flat, i / parts, channel, rest < finish_columns ? rest : finish_columns);
            }
        });
    }
};

} // namespace lpt::inline LPT_ABI::kernel
