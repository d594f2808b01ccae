// SPDX-License-Identifier: Apache-2.0
// Arithmetic, comparisons and logic of any numbers, and the choice between two.
#pragma once

#include <lpt/kernel/numbers.hpp>
#include <lpt/kernel/parallel.hpp>

#include <cstring>

namespace lpt::inline LPT_ABI::kernel {

/// Where an element of the output has its inputs.
template <class Isa>
class pointwise_place {
    const pointwise_problem& p_;
    std::int64_t at_[pointwise_problem::most_axes] = {};

    void move(std::int64_t axis, std::int64_t by) noexcept {
        at_[axis] += by;
        condition += by * p_.condition_strides[axis];
        a += by * p_.a_strides[axis];
        b += by * p_.b_strides[axis];
    }

public:
    std::int64_t condition = 0;
    std::int64_t a = 0;
    std::int64_t b = 0;

    pointwise_place(const pointwise_problem& p, std::int64_t element) noexcept : p_(p) {
        for (std::int64_t axis = p.count; axis-- > 0; element /= p.sizes[axis])
            move(axis, element % p.sizes[axis]);
    }
    std::int64_t rest_of_row() const noexcept { return p_.sizes[p_.count - 1] - at_[p_.count - 1]; }
    /// At most the rest of a row.
    void advance(std::int64_t elements) noexcept {
        std::int64_t axis = p_.count - 1;
        for (move(axis, elements); axis > 0 && at_[axis] == p_.sizes[axis]; move(--axis, 1))
            move(axis, -at_[axis]);
    }
};

/// The functions, of one type of numbers.
template <class Isa, class Number>
struct pointwise_functions {
    static constexpr bool is_real = is_same<Number, float> || is_same<Number, double>;

    /// Unsigned where whole numbers may wrap around.
    [[gnu::always_inline]] static auto wrapping(Number value) noexcept {
        if constexpr (is_real)
            return value;
        else if constexpr (sizeof(Number) == 4)
            return static_cast<std::uint32_t>(value);
        else
            return static_cast<std::uint64_t>(value);
    }
    [[gnu::always_inline]] static Number plus(Number a, Number b) noexcept {
        return static_cast<Number>(wrapping(a) + wrapping(b));
    }
    [[gnu::always_inline]] static Number minus(Number a, Number b) noexcept {
        return static_cast<Number>(wrapping(a) - wrapping(b));
    }
    [[gnu::always_inline]] static Number times(Number a, Number b) noexcept {
        return static_cast<Number>(wrapping(a) * wrapping(b));
    }
    [[gnu::always_inline]] static Number negated(Number a) noexcept {
        if constexpr (is_real)
            return -a;
        else
            return minus(0, a);
    }
    [[gnu::always_inline]] static Number absolute(Number a) noexcept { return a < 0 ? negated(a) : a + Number{0}; }
    [[gnu::always_inline]] static Number sign(Number a) noexcept { return a < 0 ? Number{-1} : a > 0 ? Number{1} : a; }
    [[gnu::always_inline]] static Number quotient(Number a, Number b) noexcept {
        if constexpr (!is_real) {
            if (b == -1) return negated(a);  // dividing the least number by it would trap
        }
        return a / b;
    }
    [[gnu::always_inline]] static Number remainder(Number a, Number b) noexcept { return b == -1 ? 0 : a % b; }
    [[gnu::always_inline]] static Number quotient_downwards(Number a, Number b) noexcept {
        const Number whole = quotient(a, b);
        return remainder(a, b) != 0 && (a < 0) != (b < 0) ? whole - 1 : whole;
    }
    [[gnu::always_inline]] static Number remainder_downwards(Number a, Number b) noexcept {
        const Number rest = remainder(a, b);
        return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    }
    static Number power(Number base, Number exponent) noexcept {
        if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
        Number result = 1;
        for (; exponent != 0; exponent >>= 1) {
            if ((exponent & 1) != 0) result = times(result, base);
            base = times(base, base);
        }
        return result;
    }
};

template <class Isa>
struct kernel_of<Isa, pointwise_problem> {
    using numbers = numbers_of<Isa>;
    static constexpr std::int64_t block = 128;  // numbers at a time

    template <class Number>
    struct buffers {
        alignas(64) Number a[block];
        alignas(64) Number b[block];
        alignas(64) Number condition[block];
        alignas(64) Number result[block];
    };

    template <class Number>
    [[gnu::always_inline]] static void compute(pointwise_function function, buffers<Number>& all,
                                               std::int64_t count) noexcept {
        using one = pointwise_functions<Isa, Number>;
        const auto with = [&](auto each) __attribute__((always_inline)) {
            numbers::for_each(count, [&](std::int64_t i)
                                         __attribute__((always_inline)) { all.result[i] = each(all.a[i], all.b[i]); });
        };
        const auto with_one = [&](auto each) __attribute__((always_inline)) {
            numbers::for_each(count,
                              [&](std::int64_t i) __attribute__((always_inline)) { all.result[i] = each(all.a[i]); });
        };
        switch (function) {
            case pointwise_function::add: return with([](Number a, Number b) { return one::plus(a, b); });
            case pointwise_function::subtract: return with([](Number a, Number b) { return one::minus(a, b); });
            case pointwise_function::multiply: return with([](Number a, Number b) { return one::times(a, b); });
            case pointwise_function::divide: return with([](Number a, Number b) { return one::quotient(a, b); });
            case pointwise_function::maximum: return with([](Number a, Number b) { return a < b ? b : a; });
            case pointwise_function::minimum: return with([](Number a, Number b) { return b < a ? b : a; });
            case pointwise_function::squared_difference:
                return with([](Number a, Number b) { return one::times(one::minus(a, b), one::minus(a, b)); });
            case pointwise_function::equal: return with([](Number a, Number b) { return Number(a == b); });
            case pointwise_function::not_equal: return with([](Number a, Number b) { return Number(a != b); });
            case pointwise_function::greater: return with([](Number a, Number b) { return Number(a > b); });
            case pointwise_function::greater_equal: return with([](Number a, Number b) { return Number(a >= b); });
            case pointwise_function::less: return with([](Number a, Number b) { return Number(a < b); });
            case pointwise_function::less_equal: return with([](Number a, Number b) { return Number(a <= b); });
            case pointwise_function::logical_and:
                return with([](Number a, Number b) { return Number((a != 0) & (b != 0)); });
            case pointwise_function::logical_or:
                return with([](Number a, Number b) { return Number((a != 0) | (b != 0)); });
            case pointwise_function::logical_xor:
                return with([](Number a, Number b) { return Number((a != 0) != (b != 0)); });
            case pointwise_function::logical_not: return with_one([](Number a) { return Number(a == 0); });
            case pointwise_function::abs: return with_one([](Number a) { return one::absolute(a); });
            case pointwise_function::negative: return with_one([](Number a) { return one::negated(a); });
            case pointwise_function::sign: return with_one([](Number a) { return one::sign(a); });
            case pointwise_function::select:
                return numbers::for_each(count, [&](std::int64_t i) __attribute__((always_inline)) {
                    all.result[i] = all.condition[i] != 0 ? all.a[i] : all.b[i];
                });
            default: break;
        }
        if constexpr (!one::is_real) {
            switch (function) {
                case pointwise_function::divide_downwards:
                    return with([](Number a, Number b) { return one::quotient_downwards(a, b); });
                case pointwise_function::remainder:
                    return with([](Number a, Number b) { return one::remainder(a, b); });
                case pointwise_function::remainder_downwards:
                    return with([](Number a, Number b) { return one::remainder_downwards(a, b); });
                default: return with([](Number a, Number b) { return one::power(a, b); });
            }
        }
    }

    /// `shift`: how much further on than in a dense output the elements lie.
    template <class Number>
    static void run_through(const pointwise_problem& p, std::int64_t begin, std::int64_t end,
                            std::int64_t shift) noexcept {
        buffers<Number> all;
        pointwise_place<Isa> place(p, begin);
        const std::int64_t last = p.count - 1;
        std::int64_t count = 0;
        for (std::int64_t first = begin; first < end; first += count) {
            count = end - first < block ? end - first : block;
            count = place.rest_of_row() < count ? place.rest_of_row() : count;
            numbers::read(p.input_type, p.a, place.a, p.a_strides[last], count, all.a);
            if (p.b != nullptr) numbers::read(p.input_type, p.b, place.b, p.b_strides[last], count, all.b);
            if (p.condition != nullptr)
                numbers::read(number_type::boolean, p.condition, place.condition, p.condition_strides[last], count,
                              all.condition);
            compute(p.function, all, count);
            numbers::write(p.output_type, all.result, count, p.output, first + shift);
            place.advance(count);
        }
    }

    /// True where whole rows are chosen.
    static bool chooses_rows(const pointwise_problem& p) noexcept {
        const std::int64_t last = p.count - 1;
        return p.function == pointwise_function::select && p.input_type == p.output_type &&
               p.condition_strides[last] == 0 && p.a_strides[last] == 1 && p.b_strides[last] == 1;
    }
    /// Copies the chosen rows; those that follow one another where they come from are one copy.
    static void copy_rows(const pointwise_problem& p, std::int64_t begin, std::int64_t end,
                          std::int64_t shift) noexcept {
        std::int64_t size = 0;
        numbers::with_type(p.input_type, [&]<class Number>(Number) { size = sizeof(Number); });
        pointwise_place<Isa> place(p, begin);
        const auto takes_a = [&] { return static_cast<const unsigned char*>(p.condition)[place.condition] != 0; };
        const auto row_of = [&](bool a) {
            return static_cast<const unsigned char*>(a ? p.a : p.b) + (a ? place.a : place.b) * size;
        };
        auto* to = static_cast<unsigned char*>(p.output) + (begin + shift) * size;
        for (std::int64_t left = end - begin; left > 0;) {
            const bool of_a = takes_a();
            const unsigned char* const from = row_of(of_a);
            std::int64_t count = 0;
            do {
                const std::int64_t more = place.rest_of_row() < left - count ? place.rest_of_row() : left - count;
                place.advance(more);
                count += more;
            } while (count < left && takes_a() == of_a && row_of(of_a) == from + count * size);
            std::memcpy(to, from, static_cast<std::size_t>(count * size));
            to += count * size;
            left -= count;
        }
    }

    /// Whole numbers of 32 bits suffice for narrower ones: those are the lower bits of the result.
    static void run_part(const pointwise_problem& p, std::int64_t begin, std::int64_t end,
                         std::int64_t shift) noexcept {
        if (chooses_rows(p)) return copy_rows(p, begin, end, shift);
        switch (p.input_type) {
            case number_type::f64: return run_through<double>(p, begin, end, shift);
            case number_type::bf16:
            case number_type::f16:
            case number_type::f32: return run_through<float>(p, begin, end, shift);
            case number_type::u32:
            case number_type::i64: return run_through<std::int64_t>(p, begin, end, shift);
            default: return run_through<std::int32_t>(p, begin, end, shift);
        }
    }
    static void run(const pointwise_problem& p, const parallel_for& parallel) noexcept {
        std::int64_t elements = 1;
        for (std::int64_t axis = 0; axis < p.count; ++axis)
            elements *= p.sizes[axis];
        share_out<Isa>(parallel, elements, 64 * block, [&p](std::int64_t begin, std::int64_t end, int) {
            for_each_row_part(
                p.output_rows, p.sizes[p.count - 1], begin, end,
                [&p](std::int64_t first, std::int64_t last, std::int64_t shift) { run_part(p, first, last, shift); });
        });
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
