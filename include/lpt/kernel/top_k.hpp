// SPDX-License-Identifier: Apache-2.0
// The greatest numbers along an axis, and where they are.
#pragma once

#include <lpt/kernel/parallel.hpp>
#include <lpt/kernel/sixteen.hpp>
#include <lpt/kernel/unary.hpp>

#include <utility>

namespace lpt::inline LPT_ABI::kernel {

/// `Least`: the least ones are looked for.
template <class Isa, bool Least, class Index>
struct top_k {
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    using ints = typename simd::ints;
    using mask = typename simd::mask;
    using numbers = sixteen<Isa>;
    static constexpr std::int64_t width = simd::width;
    static constexpr std::int64_t least_elements = 8192;  // worth a task

    static void run(const top_k_problem& p, const parallel_for& parallel) noexcept {
        const std::int64_t grain = 1 + least_elements / p.length;
        if (p.count == 1 && p.inner >= width) {
            const std::int64_t blocks = (p.inner + width - 1) / width;
            share_out<Isa>(parallel, p.outer * blocks, grain, [&](std::int64_t begin, std::int64_t end, int) {
                for (std::int64_t i = begin; i < end; ++i)
                    first_of_columns(p, i / blocks, i % blocks * width);
            });
            return;
        }
        share_out<Isa>(parallel, p.outer * p.inner, grain, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t i = begin; i < end; ++i) {
                line of{p, i / p.inner, i % p.inner};
                if (p.count == 1 && p.inner == 1)
                    first_of_row(of);
                else
                    select(of);
            }
        });
    }

private:
    static bool before(float a, float b) noexcept { return Least ? a < b : a > b; }
    [[gnu::always_inline]] static mask lanes_before(floats a, floats b) noexcept {
        return Least ? simd::less(a, b) : simd::less(b, a);
    }
    [[gnu::always_inline]] static ints choose(mask condition, ints yes, ints no) noexcept {
        return simd::bits(simd::select(condition, simd::from_bits(yes), simd::from_bits(no)));
    }

    /// One line along the axis, and where its results go.
    struct line {
        const float* from;
        float* values;
        Index* indices;
        std::int64_t length, count, step;
        bool by_place;

        line(const top_k_problem& p, std::int64_t outer, std::int64_t inner) noexcept
            : from(p.input + p.input_rows.begin(outer, p.length * p.inner) + inner),
              values(p.values + p.value_rows.begin(outer, p.count * p.inner) + inner),
              indices(static_cast<Index*>(p.indices) + p.index_rows.begin(outer, p.count * p.inner) + inner),
              length(p.length),
              count(p.count),
              step(p.inner),
              by_place(p.by_place) {}

        [[gnu::always_inline]] float number(std::int64_t i) const noexcept { return from[i * step]; }
        [[gnu::always_inline]] float& value(std::int64_t i) const noexcept { return values[i * step]; }
        [[gnu::always_inline]] Index& index(std::int64_t i) const noexcept { return indices[i * step]; }
        void put(std::int64_t i, std::int64_t place) const noexcept {
            value(i) = number(place);
            index(i) = static_cast<Index>(place);
        }
        void swap(std::int64_t a, std::int64_t b) const noexcept {
            std::swap(value(a), value(b));
            std::swap(index(a), index(b));
        }
    };

    // -- the first alone

    /// Columns next to each other, one in each lane.
    static void first_of_columns(const top_k_problem& p, std::int64_t outer, std::int64_t first) noexcept {
        const line of{p, outer, first};
        const std::int64_t count = p.inner - first;  // that are inside
        floats best = load_part<Isa>(of.from, count);
        ints place = simd::broadcast_int(0);
        for (std::int64_t i = 1; i < p.length; ++i) {
            const floats x = load_part<Isa>(of.from + i * p.inner, count);
            const mask better = lanes_before(x, best);
            best = simd::select(better, x, best);
            place = choose(better, simd::broadcast_int(static_cast<std::int32_t>(i)), place);
        }
        store_part<Isa>(of.values, best, count);
        std::int32_t places[width];
        simd::store_int(places, place);
        for (std::int64_t i = 0; i < width && i < count; ++i)
            of.indices[i] = static_cast<Index>(places[i]);
    }

    /// A dense row. Each lane keeps the first of its numbers; all begin with that of the row, so that a NaN there stays.
    static void first_of_row(const line& of) noexcept {
        floats best = simd::broadcast(of.from[0]);
        ints place = simd::broadcast_int(0);
        ints now = simd::load_int(lane_numbers().of);
        const ints step = simd::broadcast_int(static_cast<std::int32_t>(width));
        std::int64_t i = 0;
        for (; i + width <= of.length; i += width) {
            const floats x = simd::load(of.from + i);
            const mask better = lanes_before(x, best);
            best = simd::select(better, x, best);
            place = choose(better, now, place);
            now = simd::add_int(now, step);
        }
        float values[width];
        std::int32_t places[width];
        simd::store(values, best);
        simd::store_int(places, place);
        float value = of.from[0];
        std::int64_t found = 0;
        for (std::int64_t lane = 0; lane < width; ++lane) {
            if (before(values[lane], value) || (values[lane] == value && places[lane] < found)) {
                value = values[lane];
                found = places[lane];
            }
        }
        for (; i < of.length; ++i) {
            if (before(of.from[i], value)) {
                value = of.from[i];
                found = i;
            }
        }
        of.put(0, found);
    }
    struct numbered {
        std::int32_t of[width];
    };
    static constexpr numbered lane_numbers() noexcept {
        numbered result{};
        for (int i = 0; i < width; ++i)
            result.of[i] = i;
        return result;
    }

    // -- several: a heap in place of the results, whose root is the last of those found so far

    static bool before_or_no_number(float a, float b) noexcept { return before(a, b) || (a == a && b != b); }
    /// Whether result `a` comes behind result `b`.
    static bool is_behind(const line& of, std::int64_t a, std::int64_t b) noexcept {
        if (before_or_no_number(of.value(b), of.value(a))) return true;
        return !before_or_no_number(of.value(a), of.value(b)) && of.index(a) > of.index(b);
    }
    static bool has_later_place(const line& of, std::int64_t a, std::int64_t b) noexcept {
        return of.index(a) > of.index(b);
    }
    /// Moves result `at` down to where it belongs in a heap of the first `count`.
    template <class Behind>
    static void sink(const line& of, std::int64_t at, std::int64_t count, const Behind& behind) noexcept {
        for (std::int64_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
            if (child + 1 < count && behind(of, child + 1, child)) ++child;
            if (!behind(of, child, at)) return;
            of.swap(child, at);
            at = child;
        }
    }
    template <class Behind>
    static void build(const line& of, const Behind& behind) noexcept {
        for (std::int64_t i = of.count / 2; i-- > 0;)
            sink(of, i, of.count, behind);
    }
    template <class Behind>
    static void sort(const line& of, const Behind& behind) noexcept {
        for (std::int64_t left = of.count - 1; left > 0; --left) {
            of.swap(0, left);
            sink(of, 0, left, behind);
        }
    }

    static void select(const line& of) noexcept {
        for (std::int64_t i = 0; i < of.count; ++i)
            of.put(i, i);
        build(of, is_behind);
        std::int64_t i = of.count;
        if (of.step == 1) {
            for (; i + block <= of.length; i += block) {
                const float last = of.value(0);
                if (last != last || has_better(of.from + i, last)) offer(of, i, i + block);
            }
        }
        offer(of, i, of.length);
        if (of.by_place) {
            build(of, has_later_place);
            sort(of, has_later_place);
        } else {
            sort(of, is_behind);
        }
    }
    static void offer(const line& of, std::int64_t begin, std::int64_t end) noexcept {
        for (std::int64_t i = begin; i < end; ++i) {
            if (!before_or_no_number(of.number(i), of.value(0))) continue;
            of.put(0, i);
            sink(of, 0, of.count, is_behind);
        }
    }

    static constexpr std::int64_t block = 64;
    /// Whether one of the next numbers comes before `last`.
    static bool has_better(const float* from, float last) noexcept {
        numbers best = numbers::broadcast(last);
        for (std::int64_t i = 0; i < block; i += numbers::width) {
            const numbers x = numbers::load(from + i);
#pragma GCC unroll 16
            for (int part = 0; part < numbers::parts; ++part)
                best.part[part] = Least ? simd::at_most(x.part[part], best.part[part])
                                        : simd::at_least(x.part[part], best.part[part]);
        }
        float each[numbers::width];
        best.store(each);
        bool result = false;
        for (const float value : each)
            result |= before(value, last);
        return result;
    }
};

template <class Isa>
struct kernel_of<Isa, top_k_problem> {
    static void run(const top_k_problem& p, const parallel_for& parallel) noexcept {
        if (p.wide_indices)
            run_as<std::int64_t>(p, parallel);
        else
            run_as<std::int32_t>(p, parallel);
    }

private:
    template <class Index>
    static void run_as(const top_k_problem& p, const parallel_for& parallel) noexcept {
        if (p.least)
            top_k<Isa, true, Index>::run(p, parallel);
        else
            top_k<Isa, false, Index>::run(p, parallel);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
