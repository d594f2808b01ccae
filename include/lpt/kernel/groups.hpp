// SPDX-License-Identifier: Apache-2.0
// Reductions and normalizations over any axes.
#pragma once

#include <lpt/kernel/parallel.hpp>
#include <lpt/kernel/sixteen.hpp>
#include <lpt/kernel/unary.hpp>

#include <cstring>

namespace lpt::inline LPT_ABI::kernel {

/// The elements of some axes, one after the other; `count` of the outer ones of a list.
template <class Isa>
class axis_walk {
    const axis_list& axes_;
    std::int64_t count_;
    std::int64_t at_[axis_list::most] = {};
    std::int64_t offset_ = 0;

public:
    axis_walk(const axis_list& axes, std::int64_t count, std::int64_t first = 0) noexcept : axes_(axes), count_(count) {
        for (std::int64_t axis = count; axis-- > 0;) {
            at_[axis] = first % axes.sizes[axis];
            first /= axes.sizes[axis];
            offset_ += at_[axis] * axes.strides[axis];
        }
    }
    std::int64_t offset() const noexcept { return offset_; }
    void next() noexcept {
        for (std::int64_t axis = count_; axis-- > 0;) {
            offset_ += axes_.strides[axis];
            if (++at_[axis] < axes_.sizes[axis]) return;
            offset_ -= axes_.sizes[axis] * axes_.strides[axis];
            at_[axis] = 0;
        }
    }
    static std::int64_t elements(const axis_list& axes, std::int64_t count) noexcept {
        std::int64_t result = 1;
        for (std::int64_t axis = 0; axis < count; ++axis)
            result *= axes.sizes[axis];
        return result;
    }
};

/// Where the groups of a problem are. Their elements are rows (the innermost axis is reduced) or columns (it is kept).
template <class Isa>
struct group_layout {
    bool rows = true;
    std::int64_t length = 1;  // of the innermost axis
    std::int64_t kept_axes = 0;  // around it
    std::int64_t reduced_axes = 0;
    std::int64_t outer = 1;  // groups, or rows of groups
    std::int64_t pieces = 1;  // rows of a group, or its elements
    std::int64_t size = 1;  // of a group

    template <class Problem>
    explicit group_layout(const Problem& p) noexcept : kept_axes(p.kept.count), reduced_axes(p.reduced.count) {
        const auto is_inner = [](const axis_list& axes) {
            return axes.count != 0 && axes.strides[axes.count - 1] == 1;
        };
        rows = !is_inner(p.kept);
        if (is_inner(p.reduced))
            length = p.reduced.sizes[--reduced_axes];
        else if (!rows)
            length = p.kept.sizes[--kept_axes];
        outer = axis_walk<Isa>::elements(p.kept, kept_axes);
        pieces = axis_walk<Isa>::elements(p.reduced, reduced_axes);
        size = rows ? pieces * length : pieces;
    }
};

/// Sums and utmosts of groups; `Take` is what one more vector of values does: `take(sum, values)`.
template <class Isa>
struct group_sums {
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    using numbers = sixteen<Isa>;
    static constexpr std::int64_t piece = 64;  // vectors that are added before they join the others
    static constexpr int chains = 4;  // sums under way in a piece, which would otherwise wait for each other

    /// One group of rows. `start`: what a sum begins with.
    template <class Take, class Join>
    [[gnu::always_inline]] static numbers of_rows(const axis_list& reduced, const group_layout<Isa>& layout,
                                                  const float* from, float start, Take take, Join join) noexcept {
        numbers all = numbers::broadcast(start);
        numbers joined = all;
        std::int64_t parts_joined = 0;
        axis_walk<Isa> row(reduced, layout.reduced_axes);
        for (std::int64_t i = 0; i < layout.pieces; ++i, row.next()) {
            const float* const begin = from + row.offset();
            for (std::int64_t first = 0; first < layout.length; first += piece * numbers::width) {
                const std::int64_t rest = layout.length - first;
                const std::int64_t count = rest < piece * numbers::width ? rest : piece * numbers::width;
                std::int64_t at = 0;
                numbers parts[chains];
#pragma GCC unroll 4
                for (numbers& each : parts)
                    each = numbers::broadcast(start);
                for (; at + chains * numbers::width <= count; at += chains * numbers::width) {
#pragma GCC unroll 4
                    for (int chain = 0; chain < chains; ++chain)
                        parts[chain] =
                            parts[chain].map(numbers::load(begin + first + at + chain * numbers::width), take);
                }
                numbers part = parts[0].map(parts[1], join).map(parts[2].map(parts[3], join), join);
                for (; at + numbers::width <= count; at += numbers::width)
                    part = part.map(numbers::load(begin + first + at), take);
                if (at < count) {
                    const numbers last = numbers::load_first(begin + first + at, count - at, 0);
                    part = numbers::first_of(count - at, part.map(last, take), part);
                }
                joined = joined.map(part, join);
                if (++parts_joined == piece) {
                    all = all.map(joined, join);
                    joined = numbers::broadcast(start);
                    parts_joined = 0;
                }
            }
        }
        return all.map(joined, join);
    }
    /// The same for columns next to each other, one in each lane, of which `count` are inside.
    template <class Take, class Join>
    [[gnu::always_inline]] static floats of_columns(const axis_list& reduced, const group_layout<Isa>& layout,
                                                    const float* from, std::int64_t count, float start, Take take,
                                                    Join join) noexcept {
        floats all = simd::broadcast(start);
        axis_walk<Isa> at(reduced, layout.reduced_axes);
        for (std::int64_t i = 0; i < layout.pieces;) {
            const std::int64_t end = i + piece < layout.pieces ? i + piece : layout.pieces;
            floats part = simd::broadcast(start);
            for (; i < end; ++i, at.next())
                part = take(part, load_part<Isa>(from + at.offset(), count));
            all = join(all, part);
        }
        return all;
    }
    /// What elements of a group are changed to: `change(values)`.
    template <class Change>
    [[gnu::always_inline]] static void change_rows(const axis_list& reduced, const group_layout<Isa>& layout,
                                                   const float* from, float* to, const Change& change) noexcept {
        axis_walk<Isa> row(reduced, layout.reduced_axes);
        for (std::int64_t i = 0; i < layout.pieces; ++i, row.next()) {
            for (std::int64_t at = 0; at < layout.length; at += numbers::width) {
                const std::int64_t count = layout.length - at;
                const numbers x = numbers::load_first(from + row.offset() + at, count, 0);
                x.map(change).store_first(to + row.offset() + at, count);
            }
        }
    }
    /// The same for a row, then scaled and shifted.
    template <class Change>
    [[gnu::always_inline]] static void change_row(std::int64_t length, const float* from, float* to, const float* scale,
                                                  const float* shift, const Change& change) noexcept {
        for (std::int64_t at = 0; at < length; at += numbers::width) {
            const std::int64_t count = length - at;
            const numbers a = numbers::load_first(scale + at, count, 0);
            const numbers b = numbers::load_first(shift + at, count, 0);
            numbers x = numbers::load_first(from + at, count, 0).map(change);
#pragma GCC unroll 16
            for (int i = 0; i < numbers::parts; ++i)
                x.part[i] = simd::fma(x.part[i], a.part[i], b.part[i]);
            x.store_first(to + at, count);
        }
    }
    template <class Change>
    [[gnu::always_inline]] static void change_columns(const axis_list& reduced, const group_layout<Isa>& layout,
                                                      const float* from, float* to, std::int64_t count,
                                                      const Change& change) noexcept {
        axis_walk<Isa> at(reduced, layout.reduced_axes);
        for (std::int64_t i = 0; i < layout.pieces; ++i, at.next())
            store_part<Isa>(to + at.offset(), change(load_part<Isa>(from + at.offset(), count)), count);
    }
};

/// Calls `row(group, offset)` for each group of rows, and `columns(row of groups, column, offset, count)` for columns, up to a vector of them.
template <class Isa, class Problem, class Row, class Columns>
[[gnu::always_inline]] inline void for_each_group(const Problem& p, const group_layout<Isa>& layout,
                                                  const parallel_for& parallel, const Row& row,
                                                  const Columns& columns) noexcept {
    constexpr std::int64_t least_elements = 8192;  // worth a task
    constexpr std::int64_t width = lanes<Isa>::width;
    if (layout.rows) {
        share_out<Isa>(parallel, layout.outer, least_elements / (layout.size + 1) + 1,
                       [&](std::int64_t begin, std::int64_t end, int) {
                           axis_walk<Isa> at(p.kept, layout.kept_axes, begin);
                           for (std::int64_t i = begin; i < end; ++i, at.next())
                               row(i, at.offset());
                       });
        return;
    }
    const std::int64_t blocks = (layout.length + width - 1) / width;
    share_out<Isa>(parallel, layout.outer * blocks, least_elements / (layout.size * width + 1) + 1,
                   [&](std::int64_t begin, std::int64_t end, int) {
                       axis_walk<Isa> at(p.kept, layout.kept_axes, begin / blocks);
                       for (std::int64_t i = begin; i < end; ++i) {
                           const std::int64_t first = i % blocks * width;
                           columns(i / blocks, first, at.offset() + first, layout.length - first);
                           if ((i + 1) % blocks == 0) at.next();
                       }
                   });
}

template <class Isa>
struct kernel_of<Isa, reduction_problem> {
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    using sums = group_sums<Isa>;

    /// `finish(vector)` makes the result of what the values of a group came to.
    template <class Take, class Join, class Finish>
    static void reduce(const reduction_problem& p, const parallel_for& parallel, float start, Take take, Join join,
                       Finish finish) noexcept {
        const group_layout<Isa> layout(p);
        for_each_group<Isa>(
            p, layout, parallel,
            [&](std::int64_t group, std::int64_t offset) {
                const auto all = sums::of_rows(p.reduced, layout, p.input + offset, start, take, join);
                const float value = all.fold([join](auto a, auto b) { return join_two(a, b, join); });
                store_part<Isa>(p.output + p.output_rows.begin(group, 1), finish(simd::broadcast(value)), 1);
            },
            [&](std::int64_t row, std::int64_t column, std::int64_t offset, std::int64_t count) {
                const floats all = sums::of_columns(p.reduced, layout, p.input + offset, count, start, take, join);
                store_part<Isa>(p.output + p.output_rows.begin(row, layout.length) + column, finish(all), count);
            });
    }
    /// Joins two floats, or two vectors of four, in vectors of the instruction set.
    template <class Number, class Join>
    [[gnu::always_inline]] static Number join_two(Number a, Number b, Join join) noexcept {
        constexpr std::int64_t count = sizeof(Number) / sizeof(float);
        constexpr std::int64_t room = count < simd::width ? simd::width : count;
        float left[room] = {};
        float right[room] = {};
        std::memcpy(left, &a, sizeof a);
        std::memcpy(right, &b, sizeof b);
        for (std::int64_t i = 0; i < count; i += simd::width)
            simd::store(left + i, join(simd::load(left + i), simd::load(right + i)));
        std::memcpy(&a, left, sizeof a);
        return a;
    }

    static void run(const reduction_problem& p, const parallel_for& parallel) noexcept {
        const group_layout<Isa> layout(p);
        const floats size = simd::broadcast(static_cast<float>(layout.size));
        const float infinity = __builtin_inff();
        const auto add = [](floats a, floats b) { return simd::add(a, b); };
        const auto same = [](floats v) { return v; };
        const auto larger = [](floats sum, floats x) { return simd::at_least(x, sum); };
        const auto smaller = [](floats sum, floats x) { return simd::at_most(x, sum); };
        switch (p.kind) {
            case reduction_kind::sum: return reduce(p, parallel, 0, add, add, same);
            case reduction_kind::mean:
                return reduce(p, parallel, 0, add, add, [size](floats v) { return simd::divide(v, size); });
            case reduction_kind::maximum: return reduce(p, parallel, -infinity, larger, larger, same);
            case reduction_kind::minimum: return reduce(p, parallel, infinity, smaller, smaller, same);
            case reduction_kind::product: {
                const auto times = [](floats a, floats b) { return simd::multiply(a, b); };
                return reduce(p, parallel, 1, times, times, same);
            }
            case reduction_kind::l1:
                return reduce(
                    p, parallel, 0, [](floats sum, floats x) { return simd::add(sum, unary<Isa>::absolute(x)); }, add,
                    same);
            case reduction_kind::l2:
                return reduce(
                    p, parallel, 0, [](floats sum, floats x) { return simd::fma(x, x, sum); }, add,
                    [](floats v) { return simd::sqrt(v); });
        }
    }
};

template <class Isa>
struct kernel_of<Isa, normalization_problem> {
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    using numbers = sixteen<Isa>;
    using sums = group_sums<Isa>;

    struct plus {
        [[gnu::always_inline]] floats operator()(floats a, floats b) const noexcept { return simd::add(a, b); }
    };

    /// Arithmetic on the sums of columns, one in each lane.
    struct vector_arithmetic {
        using number = floats;
        static number from(float value) noexcept { return simd::broadcast(value); }
        static number add(number a, number b) noexcept { return simd::add(a, b); }
        static number divide(number a, number b) noexcept { return simd::divide(a, b); }
        static number sqrt(number value) noexcept { return simd::sqrt(value); }
        static number limited(number value, number least) noexcept {
            return simd::select(simd::less(value, least), least, value);  // NaN stays
        }
        static floats spread(number value) noexcept { return value; }
    };
    /// The same for one group of rows: division and square root of a number take half as long as those of a vector.
    struct scalar_arithmetic {
        using number = float;
        static number from(float value) noexcept { return value; }
        static number add(number a, number b) noexcept { return a + b; }
        static number divide(number a, number b) noexcept { return a / b; }
        static number sqrt(number value) noexcept { return __builtin_sqrtf(value); }
        static number limited(number value, number least) noexcept {
            return value < least ? least : value;
        }  // NaN stays
        static floats spread(number value) noexcept { return simd::broadcast(value); }
    };

    /// What the values of groups are multiplied by, from the sums of the squares of their distances from the mean.
    template <class Arithmetic>
    static typename Arithmetic::number factor_of(const normalization_problem& p, typename Arithmetic::number squares,
                                                 typename Arithmetic::number size) noexcept {
        const auto epsilon = Arithmetic::from(p.epsilon);
        const auto one = Arithmetic::from(1);
        switch (p.kind) {
            case normalization_kind::mean: return one;
            case normalization_kind::mean_and_deviation:
                return Arithmetic::divide(
                    one, Arithmetic::sqrt(Arithmetic::add(Arithmetic::divide(squares, size), epsilon)));
            case normalization_kind::mean_and_shifted_deviation:
                return Arithmetic::divide(
                    one, Arithmetic::add(Arithmetic::sqrt(Arithmetic::divide(squares, size)), epsilon));
            case normalization_kind::length:
                return Arithmetic::divide(one, Arithmetic::sqrt(Arithmetic::add(squares, epsilon)));
            case normalization_kind::limited_length: break;
        }
        return Arithmetic::divide(one, Arithmetic::sqrt(Arithmetic::limited(squares, epsilon)));
    }

    /// `all(take)` gives the sum over each group; `change(function)` applies a function to its values.
    template <class Arithmetic, class All, class Change>
    [[gnu::always_inline]] static void normalize(const normalization_problem& p, std::int64_t count, const All& all,
                                                 const Change& change) noexcept {
        const auto size = Arithmetic::from(static_cast<float>(count));
        if (p.kind == normalization_kind::length || p.kind == normalization_kind::limited_length) {
            const auto squares = all([](floats sum, floats x) { return simd::fma(x, x, sum); });
            const floats factor = Arithmetic::spread(factor_of<Arithmetic>(p, squares, size));
            return change([factor](floats x) { return simd::multiply(x, factor); });
        }
        const floats mean = Arithmetic::spread(Arithmetic::divide(all(plus()), size));
        const auto distance = [mean](floats x) { return simd::subtract(x, mean); };
        const floats rest = Arithmetic::spread(
            Arithmetic::divide(all([distance](floats sum, floats x) { return simd::add(sum, distance(x)); }), size));
        const auto exact = [distance, rest](floats x) { return simd::subtract(distance(x), rest); };
        if (p.kind == normalization_kind::mean) return change(exact);
        const auto squares = all([exact](floats sum, floats x) {
            const floats d = exact(x);
            return simd::fma(d, d, sum);
        });
        const floats factor = Arithmetic::spread(factor_of<Arithmetic>(p, squares, size));
        change([exact, factor](floats x) { return simd::multiply(exact(x), factor); });
    }

    static void run(const normalization_problem& p, const parallel_for& parallel) noexcept {
        const group_layout<Isa> layout(p);
        for_each_group<Isa>(
            p, layout, parallel, [&](std::int64_t group, std::int64_t offset) { run_row(p, layout, group, offset); },
            [&](std::int64_t, std::int64_t, std::int64_t offset, std::int64_t count) {
                run_columns(p, layout, offset, count);
            });
    }
    static void run_row(const normalization_problem& p, const group_layout<Isa>& layout, std::int64_t group,
                        std::int64_t offset) noexcept {
        const auto place_in = [&](const row_layout& rows) {
            return rows.together == 0 ? offset : rows.begin(group, layout.length);
        };
        const float* const from = p.input + place_in(p.input_rows);
        float* const to = p.output + place_in(p.output_rows);
        normalize<scalar_arithmetic>(
            p, layout.size, [&](auto take) { return sums::of_rows(p.reduced, layout, from, 0, take, plus()).sum(); },
            [&](const auto& change) {
                if (p.scale != nullptr)
                    sums::change_row(layout.length, from, to, p.scale, p.shift, change);
                else
                    sums::change_rows(p.reduced, layout, from, to, change);
            });
    }
    static void run_columns(const normalization_problem& p, const group_layout<Isa>& layout, std::int64_t offset,
                            std::int64_t count) noexcept {
        const float* const from = p.input + offset;
        normalize<vector_arithmetic>(
            p, layout.size,
            [&](auto take) { return sums::of_columns(p.reduced, layout, from, count, 0, take, plus()); },
            [&](const auto& change) {
                sums::change_columns(p.reduced, layout, from, p.output + offset, count, change);
            });
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
