// SPDX-License-Identifier: Apache-2.0
// Problems that say themselves what they consist of, so that planner, executors and lpt_embed need not know them.
//
// Such a problem has a name and one function that visits its fields in order:
//   static constexpr const char* name = "softmax";
//   template <class Self, class Visit>
//   static constexpr void fields(Self& self, Visit visit) { visit("length", self.length); visit("input", self.input); … }
// Fields are whole numbers, truth values, enumerators, floats, arrays of whole numbers, structures with fields, and operands. The type of an operand says what the
// kernel does with it: a pointer to const is read, any other pointer is written, and `scratch_memory` is used while the kernel runs.
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

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit visit) {
        visit("count", self.count);
        visit("sizes", self.sizes);
        visit("strides", self.strides);
    }
};

/// Problems, as a type.
template <class... Problems>
struct problem_list {};

}  // namespace lpt::inline LPT_ABI::kernel
