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
    /// Whether rows can be joined: nothing depends on the channel, and residuals, where `channels` says how far apart, follow each other, too.
    static bool is_flat(const epilogue& e, std::int64_t channels = -1) noexcept {
        if (e.scale != nullptr || e.bias != nullptr) return false;
        for (int k = 0; k < e.post_count; ++k) {
            const post_operation& step = e.post[k];
            if (step.per_channel_a != nullptr || step.per_channel_b != nullptr) return false;
            if (step.residual != nullptr && step.residual_row_stride != channels) return false;
        }
        return true;
    }

    template <element_kind Type>
    [[gnu::always_inline]] static floats load_vector(const unsigned char* from) noexcept {
        if constexpr (Type == element_kind::u8)
            return simd::to_float(simd::load_u8(from));
        else if constexpr (Type == element_kind::i8)
            return simd::to_float(simd::load_i8(reinterpret_cast<const std::int8_t*>(from)));
        else if constexpr (Type == element_kind::i32)
            return simd::to_float(simd::load_int(reinterpret_cast<const std::int32_t*>(from)));
        else
            return simd::load(reinterpret_cast<const float*>(from));
    }

    /// The values of an operand in a row, from one of its channels on.
    template <element_kind Type>
    struct row_values {
        const binary_operand& from;
        std::int64_t channel;
        std::int64_t first;  // the element of that channel
        floats repeated;  // where one is there for all channels

        row_values(const binary_operand& o, std::int64_t row, std::int64_t begin) noexcept
            : from(o), channel(begin), first(row * o.row_stride + begin * o.channel_stride) {
            if (o.channel_stride == 0) {
                float one[width];
                simd::store(one, finish<Isa>::load_elements(o.data, Type, first, 1));
                repeated = simd::broadcast(one[0]);
            }
        }
        /// Those of the vector from column i on, of which `count` are left.
        [[gnu::always_inline]] floats at(std::int64_t i, std::int64_t count) const noexcept {
            floats v = repeated;
            if (from.channel_stride != 0) {
                v = count >= width
                        ? load_vector<Type>(static_cast<const unsigned char*>(from.data) + (first + i) * bytes_of(Type))
                        : finish<Isa>::load_elements(from.data, Type, first + i, count);
            }
            return simd::fma(v, finish<Isa>::load_or(from.scale, from.scale_all, channel + i, count),
                             finish<Isa>::load_or(from.shift, from.shift_all, channel + i, count));
        }
    };

    [[gnu::always_inline]] static floats combine(binary_function function, floats x, floats y) noexcept {
        switch (function) {
            case binary_function::add: return simd::add(x, y);
            case binary_function::subtract: return simd::subtract(x, y);
            case binary_function::multiply: return simd::multiply(x, y);
            case binary_function::divide: return simd::divide(x, y);
            case binary_function::maximum: return simd::select(simd::less(y, x), x, y);
            case binary_function::minimum: return simd::select(simd::less(x, y), x, y);
            case binary_function::squared_difference: break;
        }
        const floats d = simd::subtract(x, y);
        return simd::multiply(d, d);
    }

    /// The function of both operands for some columns of a row.
    using part_function = void (*)(const binary_problem&, std::int64_t row, std::int64_t channel, std::int64_t columns,
                                   float* v) noexcept;
    template <element_kind A, element_kind B>
    static void combine_part(const binary_problem& p, std::int64_t row, std::int64_t channel, std::int64_t columns,
                             float* v) noexcept {
        const row_values<A> a(p.a, row, channel);
        const row_values<B> b(p.b, row, channel);
        for (std::int64_t i = 0; i < columns; i += width)
            simd::store(v + i, combine(p.function, a.at(i, columns - i), b.at(i, columns - i)));
    }

    /// Where both operands have an element for each channel and one scale and shift for all, sums and products take no decision in the
    /// loop.
    static bool is_plain(const binary_operand& o) noexcept {
        return o.channel_stride == 1 && o.scale == nullptr && o.shift == nullptr;
    }
    template <element_kind A, element_kind B, binary_function Function>
    static void combine_plain(const binary_problem& p, std::int64_t row, std::int64_t channel, std::int64_t columns,
                              float* v) noexcept {
        const std::int64_t first_a = row * p.a.row_stride + channel;
        const std::int64_t first_b = row * p.b.row_stride + channel;
        const auto* a = static_cast<const unsigned char*>(p.a.data) + first_a * bytes_of(A);
        const auto* b = static_cast<const unsigned char*>(p.b.data) + first_b * bytes_of(B);
        const floats scale_a = simd::broadcast(p.a.scale_all);
        const floats shift_a = simd::broadcast(p.a.shift_all);
        const floats scale_b = simd::broadcast(p.b.scale_all);
        const floats shift_b = simd::broadcast(p.b.shift_all);
        const auto combined = [&](floats x, floats y) __attribute__((always_inline)) {
            return combine(Function, simd::fma(x, scale_a, shift_a), simd::fma(y, scale_b, shift_b));
        };
        std::int64_t i = 0;
        for (; i + width <= columns; i += width) {
            simd::store(v + i, combined(load_vector<A>(a), load_vector<B>(b)));
            a += width * bytes_of(A);
            b += width * bytes_of(B);
        }
        if (i < columns) {
            simd::store(v + i, combined(finish<Isa>::load_elements(a, A, 0, columns - i),
                                        finish<Isa>::load_elements(b, B, 0, columns - i)));
        }
    }

    template <element_kind A, element_kind B>
    static part_function part_for(const binary_problem& p) noexcept {
        if (is_plain(p.a) && is_plain(p.b)) {
            if (p.function == binary_function::multiply) return &combine_plain<A, B, binary_function::multiply>;
            if (p.function == binary_function::add) return &combine_plain<A, B, binary_function::add>;
        }
        return &combine_part<A, B>;
    }
    template <element_kind A>
    static part_function part_for(const binary_problem& p) noexcept {
        switch (p.b.type) {
            case element_kind::u8: return part_for<A, element_kind::u8>(p);
            case element_kind::i32: return part_for<A, element_kind::i32>(p);
            case element_kind::f32: return part_for<A, element_kind::f32>(p);
            default: return part_for<A, element_kind::i8>(p);
        }
    }
    static part_function part_for(const binary_problem& p) noexcept {
        switch (p.a.type) {
            case element_kind::u8: return part_for<element_kind::u8>(p);
            case element_kind::i32: return part_for<element_kind::i32>(p);
            case element_kind::f32: return part_for<element_kind::f32>(p);
            default: return part_for<element_kind::i8>(p);
        }
    }

    static void run_part(const binary_problem& p, part_function combined, std::int64_t row, std::int64_t channel,
                         std::int64_t columns) noexcept {
        alignas(64) float v[finish_columns];
        combined(p, row, channel, columns, v);
        finish<Isa>::row(p.finish, v, row, channel, columns, output_of(p, row, channel));
    }
    /// Whole rows that one call finishes as if they were one.
    static void run_rows(const binary_problem& p, part_function combined, std::int64_t row,
                         std::int64_t rows) noexcept {
        alignas(64) float v[finish_columns + width];  // each row is stored in whole vectors
        for (std::int64_t i = 0; i < rows; ++i)
            combined(p, row + i, 0, p.channels, v + i * p.channels);
        finish<Isa>::row(p.finish, v, row, 0, rows * p.channels, output_of(p, row, 0));
    }
    /// A row that all rows of the first operand meet, scaled and shifted, as often as fits.
    struct repeated_row {
        static constexpr std::int64_t most = finish_columns;
        std::int64_t times;
        alignas(64) float values[most + width];

        explicit repeated_row(const binary_operand& o, std::int64_t channels) noexcept : times(most / channels) {
            for (std::int64_t i = 0; i < channels; i += width) {
                const std::int64_t left = channels - i;
                const floats v = finish<Isa>::load_elements(o.data, o.type, i, left);
                simd::store(values + i, simd::fma(v, finish<Isa>::load_or(o.scale, o.scale_all, i, left),
                                                  finish<Isa>::load_or(o.shift, o.shift_all, i, left)));
            }
            for (std::int64_t k = 1; k < times; ++k)
                std::memcpy(values + k * channels, values, static_cast<std::size_t>(channels) * sizeof(float));
        }
        binary_operand operand() const noexcept {
            binary_operand o;
            o.type = element_kind::f32;
            o.data = values;
            o.row_stride = 0;
            o.channel_stride = 1;
            o.scale_all = 1;
            o.shift_all = -0.0f;  // keeps the sign of zeros
            return o;
        }
    };
    static bool is_one_row(const binary_operand& o) noexcept { return o.row_stride == 0 && o.channel_stride == 1; }

    /// Rows of few channels, several of them side by side, with one row.
    static void run_repeated(const binary_problem& problem, const parallel_for& parallel) noexcept {
        const repeated_row row(problem.b, problem.channels);
        binary_problem wide = problem;
        wide.b = row.operand();
        const part_function combined = part_for(wide);
        split<Isa>(parallel, problem.rows, row.times, [&](std::int64_t begin, std::int64_t end, int) {
            alignas(64) float v[finish_columns];
            for (std::int64_t first = begin; first < end; first += row.times) {
                const std::int64_t rows = end - first < row.times ? end - first : row.times;
                const std::int64_t columns = rows * problem.channels;
                combined(wide, first, 0, columns, v);
                finish<Isa>::row(problem.finish, v, first, 0, columns, output_of(problem, first, 0));
            }
        });
    }

    static unsigned char* output_of(const binary_problem& p, std::int64_t row, std::int64_t channel) noexcept {
        return static_cast<unsigned char*>(p.output) +
               (row * p.output_row_stride + channel) * bytes_of(p.finish.output_type);
    }

    static void run(const binary_problem& problem, const parallel_for& parallel) noexcept {
        // Rows that follow each other without a gap and treat all channels alike are one long row.
        binary_problem flat = problem;
        const bool dense = problem.output_row_stride == problem.channels && is_flat(problem.finish, problem.channels);
        if (dense && is_flat(problem.a, problem.channels) && is_flat(problem.b, problem.channels)) {
            flat.channels = problem.rows * problem.channels;
            flat.rows = 1;
        }
        const bool is_narrow = problem.channels > 0 && problem.channels <= finish_columns / 2;
        if (dense && is_narrow && is_flat(problem.a, problem.channels) && is_one_row(problem.b))
            return run_repeated(problem, parallel);
        const part_function combined = part_for(problem);
        if (dense && flat.channels > 0 && flat.channels <= finish_columns / 2) {
            const std::int64_t together = finish_columns / flat.channels;
            split<Isa>(parallel, flat.rows, together, [&](std::int64_t begin, std::int64_t end, int) {
                for (std::int64_t row = begin; row < end; row += together)
                    run_rows(flat, combined, row, end - row < together ? end - row : together);
            });
            return;
        }
        const std::int64_t parts = (flat.channels + finish_columns - 1) / finish_columns;
        split<Isa>(parallel, flat.rows * parts, 8, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t i = begin; i < end; ++i) {
                const std::int64_t channel = i % parts * finish_columns;
                const std::int64_t rest = flat.channels - channel;
                run_part(flat, combined, i / parts, channel, rest < finish_columns ? rest : finish_columns);
            }
        });
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
