// SPDX-License-Identifier: Apache-2.0
// What an epilogue does between its scale and its rounding, on the registers of a tile: lists of post operations as types, each
// compiled into the store of the tile, and an interpreter for all other lists.
#pragma once

#include <lpt/kernel/epilogue.hpp>

#include <type_traits>

namespace lpt::inline LPT_ABI::kernel {

/// A post operation as a tile sees it: numbers of its panel's columns, readable up to the panel's width. Not initialised, since
/// panels are many and most have none.
struct column_step {
    post_kind kind;
    unary_function function;
    element_kind residual_type;
    float alpha;
    float beta;
    const float* a;
    const float* b;
    const unsigned char* residual;  // of row 0 and the first column
    std::int64_t residual_row_bytes;
};

/// Which list of post operations: those that most layers of networks end with are types of their own.
enum class step_form : std::uint8_t {
    clamp_scale,  ///< an activation, then a quantization per channel
    requantized,  ///< a quantization, then another one
    quantized_sum,  ///< a quantization, a residual that is added, the next quantization
    prelu,  ///< a slope per channel
    real_sum,  ///< a residual of f32 that is added, and f32 stored
    any,
};

/// A list of post operations that is known when the store is compiled; the only function in it is rounding to even.
template <post_kind... Kinds>
struct step_list {
    static constexpr int count = sizeof...(Kinds);
    /// Whether an epilogue has just these.
    [[gnu::always_inline]] static bool describes(const epilogue& e) noexcept {
        int k = 0;
        return e.post_count == count && (is(e.post[k++], Kinds) && ...);
    }

private:
    [[gnu::always_inline]] static bool is(const post_operation& post, post_kind kind) noexcept {
        if (kind == post_kind::unary && post.function != unary_function::round_even) return false;
        if (kind == post_kind::add_residual && post.residual_type == element_kind::i32) return false;
        return post.kind == kind;
    }
};
using clamp_scale = step_list<post_kind::clamp, post_kind::scale_shift>;
using requantized = step_list<post_kind::clamp, post_kind::unary, post_kind::scale_shift>;
using quantized_sum = step_list<post_kind::clamp, post_kind::unary, post_kind::scale_shift, post_kind::add_residual,
                                post_kind::scale_shift>;
using prelu_alone = step_list<post_kind::prelu>;
using residual_alone = step_list<post_kind::add_residual>;

[[gnu::always_inline]] inline step_form form_of(const epilogue& e) noexcept {
    if (e.output_type == element_kind::f32) {
        const bool is_sum = residual_alone::describes(e) && e.post[0].residual_type == element_kind::f32;
        return is_sum ? step_form::real_sum : step_form::any;
    }
    return clamp_scale::describes(e)     ? step_form::clamp_scale
           : requantized::describes(e)   ? step_form::requantized
           : quantized_sum::describes(e) ? step_form::quantized_sum
           : prelu_alone::describes(e)   ? step_form::prelu
                                         : step_form::any;
}

/// The post operations of a panel.
struct column_steps {
    static constexpr int most = 12;  // two quantizations, a residual and an activation between them are nine
    step_form form = step_form::any;
    int count = 0;
    column_step step[most];

    /// Row `row` of the residual of a real sum, from the panel's first column on.
    [[gnu::always_inline]] const unsigned char* residual_row(std::int64_t row) const noexcept {
        return step[0].residual + row * step[0].residual_row_bytes;
    }
};

/// The numbers of a panel's columns, a and b of each post operation.
template <int Columns>
struct step_numbers {
    alignas(64) float a[column_steps::most][Columns];
    alignas(64) float b[column_steps::most][Columns];
};

/// Rows of the output that a tile's rows are: `first`, `first + step`, …
struct row_places {
    std::int64_t first = 0;
    std::int64_t step = 1;
};

/// A vector of columns from `column` of the panel on, of which `left` are left.
struct column_place {
    std::int64_t column = 0;
    std::int64_t left = 0;
};

template <class Isa>
struct column_store {
    using simd = lanes<Isa>;
    using floats = typename simd::floats;

    static constexpr int width = simd::width;

    /// One number for all columns.
    template <std::size_t Columns>
    static void fill(float (&numbers)[Columns], float all) noexcept {
        for (float& number : numbers)
            number = all;
    }
    template <int Columns>
    static void fill(step_numbers<Columns>& numbers, const epilogue& e) noexcept {
        for (int k = 0; k < e.post_count; ++k) {
            fill(numbers.a[k], e.post[k].alpha);
            fill(numbers.b[k], e.post[k].beta);
        }
    }

    /// The numbers of `columns` channels, readable up to `padded`: in place where they can be.
    static const float* of_columns(const float* array, const float* of_all, std::int64_t channel, std::int64_t columns,
                                   std::int64_t padded, float* copy) noexcept {
        if (array == nullptr) return of_all;
        if (columns == padded) return array + channel;
        for (std::int64_t i = 0; i < padded; ++i)
            copy[i] = i < columns ? array[channel + i] : 0.0f;
        return copy;
    }

    /// The post operations of a panel whose first column is `channel`; `copies` is for numbers that cannot be read up to `padded`.
    template <int Columns>
    static void find(const epilogue& e, const step_numbers<Columns>& of_all, std::int64_t channel, std::int64_t columns,
                     std::int64_t padded, step_numbers<Columns>& copies, column_steps& steps) noexcept {
        steps.form = form_of(e);
        steps.count = e.post_count;
        for (int k = 0; k < e.post_count; ++k) {
            const post_operation& post = e.post[k];
            column_step& step = steps.step[k];
            const std::int64_t size = bytes_of(post.residual_type);
            step.kind = post.kind;
            step.function = post.function;
            step.residual_type = post.residual_type;
            step.alpha = post.alpha;
            step.beta = post.beta;
            step.a = of_columns(post.per_channel_a, of_all.a[k], channel, columns, padded, copies.a[k]);
            step.b = of_columns(post.per_channel_b, of_all.b[k], channel, columns, padded, copies.b[k]);
            step.residual_row_bytes = post.residual_row_stride * size;
            const auto* const residual = static_cast<const unsigned char*>(post.residual);
            step.residual = residual == nullptr ? nullptr : residual + channel * size;
        }
    }

    /// All post operations of a list, on a vector of columns of `Rows` rows.
    template <class List, int Rows>
    [[gnu::always_inline]] static void apply(const column_steps& steps, const row_places& rows, const column_place& at,
                                             floats (&x)[Rows]) noexcept {
        apply_list(List{}, steps, rows, at, x);
    }

    /// A real sum, on a vector of whole columns from `column` of the panel on.
    template <int Rows>
    [[gnu::always_inline]] static void add_real(const column_steps& steps, const row_places& rows, std::int64_t column,
                                                floats (&x)[Rows]) noexcept {
        const floats alpha = simd::broadcast(steps.step[0].alpha);
        const unsigned char* const from = steps.residual_row(rows.first);
        const std::int64_t distance = rows.step * steps.step[0].residual_row_bytes;
        each(x, [&](floats v, int r) __attribute__((always_inline)) {
            return simd::fma(simd::load(reinterpret_cast<const float*>(from + r * distance) + column), alpha, v);
        });
    }

    /// Any post operations, functions included, on rows of scaled sums in memory, `stride` (a multiple of the width) apart; then
    /// rounding, saturation and the store of `columns` columns. A function and what lies between it and the next one is one pass.
    [[gnu::noinline]] static void finish_rows(const epilogue& e, const column_steps& steps, const row_places& rows,
                                              std::int64_t row_count, std::int64_t stride, float* x,
                                              std::int64_t columns, unsigned char* to,
                                              std::int64_t row_bytes) noexcept {
        const column_step* const end = steps.step + steps.count;
        const column_step* function = nullptr;  // before `step`
        const column_step* step = steps.step;
        target out{e.output_type, e.quant_high - e.quant_low < 255, e.quant_low, e.quant_high, nullptr, row_bytes};
        for (;;) {
            const column_step* past = step;
            while (past != end && !is_function(*past))
                ++past;
            const bool last = past == end;
            const auto pass = [&](auto f) __attribute__((always_inline)) {
                for (std::int64_t column = 0; column < columns; column += width) {
                    const column_place at{column, columns - column};
                    const auto run = [&](auto count, std::int64_t r) __attribute__((always_inline)) {
                        if (last) out.to = to + r * row_bytes + column * bytes_of(e.output_type);
                        apply_range<decltype(count)::value>(f, step, past, {rows.first + r * rows.step, rows.step}, at,
                                                            x + r * stride + column, stride, out);
                    };
                    std::int64_t r = 0;
                    for (; r + 4 <= row_count; r += 4)
                        run(std::integral_constant<int, 4>(), r);
                    for (; r < row_count; ++r)
                        run(std::integral_constant<int, 1>(), r);
                }
            };
            if (last || function != nullptr || step != past) with_function(function, x, row_count * stride, pass);
            if (last) return;
            function = past;
            step = past + 1;
        }
    }

private:
    /// Where finished numbers go, and as what; null: back to where they came from.
    struct target {
        element_kind type;
        bool limited;  // to less than the type's range
        float low;
        float high;
        unsigned char* to;
        std::int64_t row_bytes;
    };

    template <int Rows>
    [[gnu::always_inline]] static void store(const target& out, const floats (&v)[Rows], std::int64_t left) noexcept {
        const std::int64_t count = left < width ? left : width;
        if (out.type == element_kind::f32) {
#pragma GCC unroll 4
            for (int r = 0; r < Rows; ++r) {
                float* const to = reinterpret_cast<float*>(out.to + r * out.row_bytes);
                if (count == width) {
                    simd::store(to, v[r]);
                } else {
                    float whole[width];
                    simd::store(whole, v[r]);
                    std::memcpy(to, whole, static_cast<std::size_t>(count) * sizeof(float));
                }
            }
        } else if (out.type == element_kind::i8) {
            store_bytes<true>(out, v, count);
        } else {
            store_bytes<false>(out, v, count);
        }
    }
    template <bool Signed, int Rows>
    [[gnu::always_inline]] static void store_bytes(const target& out, const floats (&v)[Rows],
                                                   std::int64_t count) noexcept {
        const floats low = simd::broadcast(out.low);
        const floats high = simd::broadcast(out.high);
        const auto part = [&](int r) __attribute__((always_inline)) {
            return simd::round_for_packing(v[r < Rows ? r : 0], low, high);
        };
        auto packed = simd::template pack<Signed>(part(0), part(1), part(2), part(3));
        if (out.limited)
            packed = simd::template limit<Signed>(packed, static_cast<std::int32_t>(out.low),
                                                  static_cast<std::int32_t>(out.high));
        simd::template store_piece<0, width>(out.to, packed, count);
        if constexpr (Rows == 4) {
            simd::template store_piece<width, width>(out.to + out.row_bytes, packed, count);
            simd::template store_piece<2 * width, width>(out.to + 2 * out.row_bytes, packed, count);
            simd::template store_piece<3 * width, width>(out.to + 3 * out.row_bytes, packed, count);
        }
    }

    /// Runs a pass that applies a function first, which is done beforehand, to all numbers, if it is none of those that most layers have.
    template <class Pass>
    [[gnu::always_inline]] static void with_function(const column_step* function, float* x, std::int64_t count,
                                                     const Pass& pass) noexcept {
        using functions = unary<Isa>;
        if (function != nullptr) {
            const floats alpha = simd::broadcast(function->alpha);
            switch (function->function) {
                case unary_function::hswish:
                    return pass([](floats v) __attribute__((always_inline)) { return functions::hswish(v); });
                case unary_function::swish:
                    return pass([alpha](floats v)
                                    __attribute__((always_inline)) { return functions::swish(v, alpha); });
                case unary_function::gelu_erf:
                    return pass([](floats v) __attribute__((always_inline)) { return functions::gelu_erf(v); });
                default: unary<Isa>::apply(function->function, x, count, function->alpha, function->beta);
            }
        }
        pass([](floats v) __attribute__((always_inline)) { return v; });
    }

    /// Rounding needs no constants: it is done like the other steps.
    static bool is_function(const column_step& step) noexcept {
        return step.kind == post_kind::unary && step.function != unary_function::round_even;
    }

    template <int Rows, post_kind... Kinds>
    [[gnu::always_inline]] static void apply_list(step_list<Kinds...>, const column_steps& steps,
                                                  const row_places& rows, const column_place& at,
                                                  floats (&x)[Rows]) noexcept {
        const column_step* step = steps.step;
        (apply_step<Kinds>(*step++, rows, at, x), ...);
    }

    template <int Rows, class Function>
    [[gnu::always_inline]] static void apply_range(const Function& f, const column_step* step, const column_step* end,
                                                   const row_places& rows, const column_place& at, float* x,
                                                   std::int64_t stride, const target& out) noexcept {
        floats v[Rows];
#pragma GCC unroll 4
        for (int r = 0; r < Rows; ++r)
            v[r] = f(simd::load(x + r * stride));
        for (; step != end; ++step) {
            switch (step->kind) {
                case post_kind::clamp: apply_step<post_kind::clamp>(*step, rows, at, v); break;
                case post_kind::prelu: apply_step<post_kind::prelu>(*step, rows, at, v); break;
                case post_kind::divide: apply_step<post_kind::divide>(*step, rows, at, v); break;
                case post_kind::scale_shift: apply_step<post_kind::scale_shift>(*step, rows, at, v); break;
                case post_kind::add_residual: apply_step<post_kind::add_residual>(*step, rows, at, v); break;
                case post_kind::multiply_residual: apply_step<post_kind::multiply_residual>(*step, rows, at, v); break;
                case post_kind::unary: apply_step<post_kind::unary>(*step, rows, at, v); break;
            }
        }
        if (out.to != nullptr) {
            store(out, v, at.left);
            return;
        }
#pragma GCC unroll 4
        for (int r = 0; r < Rows; ++r)
            simd::store(x + r * stride, v[r]);
    }

    template <post_kind Kind, int Rows>
    [[gnu::always_inline]] static void apply_step(const column_step& step, const row_places& rows,
                                                  const column_place& at, floats (&x)[Rows]) noexcept {
        if constexpr (Kind == post_kind::clamp) {
            const floats low = simd::broadcast(step.alpha);
            const floats high = simd::broadcast(step.beta);
            each(x, [&](floats v, int)
                        __attribute__((always_inline)) { return simd::at_most(simd::at_least(v, low), high); });
        } else if constexpr (Kind == post_kind::prelu) {
            const floats slope = simd::load(step.a + at.column);
            const floats zero = simd::broadcast(0.0f);
            each(x, [&](floats v, int) __attribute__((always_inline)) {
                return simd::select(simd::less(v, zero), simd::multiply(v, slope), v);
            });
        } else if constexpr (Kind == post_kind::divide) {
            const floats divisor = simd::load(step.a + at.column);
            each(x, [&](floats v, int) __attribute__((always_inline)) { return simd::divide(v, divisor); });
        } else if constexpr (Kind == post_kind::scale_shift) {
            const floats a = simd::load(step.a + at.column);
            const floats b = simd::load(step.b + at.column);
            each(x, [&](floats v, int) __attribute__((always_inline)) { return simd::fma(v, a, b); });
        } else if constexpr (Kind == post_kind::unary) {
            each(x, [](floats v, int) __attribute__((always_inline)) { return simd::round_even(v); });
        } else {
            floats other[Rows];
            load_residuals(step, rows, at, other);
            const floats alpha = simd::broadcast(step.alpha);
            const floats beta = simd::broadcast(step.beta);
            each(x, [&](floats v, int r) __attribute__((always_inline)) {
                if constexpr (Kind == post_kind::add_residual)
                    return simd::fma(other[r], alpha, v);
                else
                    return simd::multiply(v, simd::fma(other[r], alpha, beta));
            });
        }
    }

    template <int Rows, class Function>
    [[gnu::always_inline]] static void each(floats (&x)[Rows], const Function& f) noexcept {
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r)
            x[r] = f(x[r], r);
    }

    template <int Rows>
    [[gnu::always_inline]] static void load_residuals(const column_step& step, const row_places& rows,
                                                      const column_place& at, floats (&other)[Rows]) noexcept {
        const unsigned char* const from =
            step.residual + rows.first * step.residual_row_bytes + at.column * bytes_of(step.residual_type);
        const std::int64_t distance = rows.step * step.residual_row_bytes;
        const std::int64_t count = at.left;
        const auto load_as = [&](auto load) __attribute__((always_inline)) {
#pragma GCC unroll 16
            for (int r = 0; r < Rows; ++r)
                other[r] = load(from + r * distance);
        };
        if (step.residual_type == element_kind::u8) {
            load_as([count](const unsigned char* p) __attribute__((always_inline)) {
                return simd::to_float(load_part_of_bytes<Isa, false>(p, count));
            });
        } else if (step.residual_type == element_kind::i8) {
            load_as([count](const unsigned char* p) __attribute__((always_inline)) {
                return simd::to_float(load_part_of_bytes<Isa, true>(p, count));
            });
        } else if (step.residual_type == element_kind::i32) {
            load_as([count](const unsigned char* p) __attribute__((always_inline)) {
                return finish<Isa>::load_elements(p, element_kind::i32, 0, count);
            });
        } else {
            load_as([count](const unsigned char* p) __attribute__((always_inline)) {
                return load_part<Isa>(reinterpret_cast<const float*>(p), count);
            });
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
