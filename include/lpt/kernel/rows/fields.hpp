// SPDX-License-Identifier: Apache-2.0
// Problems that say themselves what they consist of, so that planner, executors and lpt_embed need not know them.
//
// Such a problem has a name and one function that visits its fields in order:
//   static constexpr const char* name = "softmax";
//   template <class Self, class Visit>
//   static constexpr void fields(Self& self, Visit visit) { visit("length", self.length); visit("input", self.input); … }
// Fields are whole numbers, truth values, enumerators, floats, arrays of whole numbers, structures with fields, and operands. The type of an
// operand says what the kernel does with it: a pointer to const is read, any other pointer is written, and `scratch_memory` is used while the
// kernel runs.
//
// Operands whose rows may have gaps between them are visited by a second function, `spaced`: the operand, its `row_layout`, the length of a row,
// and how many rows, one behind the other, must be equally far apart.
#pragma once

#include <lpt/base/version.hpp>

#include <cstddef>
#include <cstdint>

namespace lpt::inline LPT_ABI::kernel {

/// Memory that a kernel uses while it runs; what is in it before and afterwards is irrelevant. Aligned to 64 bytes.
struct scratch_memory {
    void* data = nullptr;
};

namespace detail {

template <class Field>
struct operand_traits {
    static constexpr bool is_operand = false;
};
template <class Field>
struct operand_traits<const Field> : operand_traits<Field> {};  // of a problem that is const
template <class Element>
struct operand_traits<Element*> {
    static constexpr bool is_operand = true;
    static constexpr bool is_read = false;
};
template <class Element>
struct operand_traits<const Element*> {
    static constexpr bool is_operand = true;
    static constexpr bool is_read = true;
};
template <>
struct operand_traits<scratch_memory> {
    static constexpr bool is_operand = true;
    static constexpr bool is_read = false;
};

}  // namespace detail

/// True for fields that are operands.
template <class Field>
inline constexpr bool is_operand = detail::operand_traits<Field>::is_operand;

/// True for operands that a kernel only reads.
template <class Field>
inline constexpr bool is_read = detail::operand_traits<Field>::is_read;

/// Calls `visit(operand)` for each operand of a problem, in the order of its fields.
template <class Problem, class Visit>
constexpr void for_each_operand(Problem& problem, const Visit& visit) {
    Problem::fields(problem, [&visit]<class Field>(const char*, Field& field) {
        if constexpr (is_operand<Field>) visit(field);
    });
}

/// How many operands a problem has.
template <class Problem>
inline constexpr int operand_count = [] {
    Problem problem;
    int count = 0;
    for_each_operand(problem, [&count](const auto&) { ++count; });
    return count;
}();

template <class Element>
constexpr void point(const Element*& operand, const void* at) noexcept {
    operand = static_cast<const Element*>(at);
}
template <class Element>
constexpr void point(Element*& operand, void* at) noexcept {
    operand = static_cast<Element*>(at);
}
constexpr void point(scratch_memory& operand, void* at) noexcept { operand.data = at; }

/// Which operand of a problem, in the order of its fields, a field is; the number of operands if it is none.
template <class Problem, class Operand>
constexpr std::size_t slot_of(const Problem& problem, const Operand& operand) {
    std::size_t slot = 0;
    std::size_t result = operand_count<Problem>;
    for_each_operand(problem, [&](const auto& each) {
        if (static_cast<const void*>(&each) == static_cast<const void*>(&operand)) result = slot;
        ++slot;
    });
    return result;
}

/// Calls `visit(slot, places, length, alike)` for each operand whose rows may have gaps: which it is, where its rows lie, their length, and how
/// many the kernel takes to be equally far apart.
template <class Problem, class Visit>
constexpr void for_each_spaced(Problem& problem, const Visit& visit) {
    const auto visit_operand = [&](const auto& operand, auto& places, std::int64_t length, std::int64_t alike) {
        visit(slot_of(problem, operand), places, length, alike);
    };
    if constexpr (requires { Problem::spaced(problem, visit_operand); }) Problem::spaced(problem, visit_operand);
}

/// Gives each operand its address: `read(slot)` for those that are read, `write(slot)` for the others; null for one that is left out.
template <class Problem, class Read, class Write>
constexpr void point_operands(Problem& problem, const Read& read, const Write& write) {
    int slot = 0;
    for_each_operand(problem, [&]<class Operand>(Operand& operand) {
        if constexpr (is_read<Operand>)
            point(operand, read(slot++));
        else
            point(operand, write(slot++));
    });
}

/// Axes of a tensor, the outermost first: sizes, and strides in elements.
struct axis_list {
    static constexpr int most = 8;
    std::int64_t count = 0;
    std::int64_t sizes[most] = {};
    std::int64_t strides[most] = {};

    /// The size of the innermost axis if its elements are side by side, else 1.
    constexpr std::int64_t dense_row() const noexcept {
        return count != 0 && strides[count - 1] == 1 ? sizes[count - 1] : 1;
    }

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit visit) {
        visit("count", self.count);
        visit("sizes", self.sizes);
        visit("strides", self.strides);
    }
};

/// Where the rows of an operand lie: all side by side, or in groups of `together` rows side by side, whose beginnings are `distance` elements
/// apart.
struct row_layout {
    std::int64_t together = 0;  // 0: all
    std::int64_t distance = 0;

    /// The place of a row's first element.
    constexpr std::int64_t begin(std::int64_t row, std::int64_t length) const noexcept {
        return together == 0 ? row * length : row / together * distance + row % together * length;
    }
    /// Elements from row to row within a group; between all rows if `together` is 0 or 1.
    constexpr std::int64_t step(std::int64_t length) const noexcept { return together == 1 ? distance : length; }

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit visit) {
        visit("together", self.together);
        visit("distance", self.distance);
    }
};

/// Calls `visit(first, last, shift)` for the elements from `begin` to before `end` as if rows of `length` lay side by side, row by row where they do
/// not: `shift` says how much further on they lie.
template <class Visit>
constexpr void for_each_row_part(const row_layout& rows, std::int64_t length, std::int64_t begin, std::int64_t end,
                                 const Visit& visit) {
    if (rows.together == 0) return visit(begin, end, std::int64_t{0});
    while (begin < end) {
        const std::int64_t row = begin / length;
        const std::int64_t next = (row + 1) * length < end ? (row + 1) * length : end;
        visit(begin, next, rows.begin(row, length) - row * length);
        begin = next;
    }
}

/// Problems, as a type.
template <class... Problems>
struct problem_list {};

}  // namespace lpt::inline LPT_ABI::kernel
