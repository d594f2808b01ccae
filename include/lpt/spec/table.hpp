// SPDX-License-Identifier: Apache-2.0
// The TensorFlow Lite 8-bit quantization specification as one table, asked while a program is compiled or while it runs:
//
//   static_assert(spec::rule<spec::op::conv_2d>(spec::operand::weight).axis == 0);
//   const spec::row* row = spec::find("CONV_2D");
#pragma once

#include <lpt/spec/operations.hpp>

namespace lpt::inline LPT_ABI::spec {

/// The operations in the order of the document.
template <class... Operations>
struct operation_list {
    static constexpr int size = sizeof...(Operations);
};

using operations =
    operation_list<op::add, op::average_pool_2d, op::concatenation, op::conv_2d, op::depthwise_conv_2d,
                   op::fully_connected, op::l2_normalization, op::logistic, op::max_pool_2d, op::mul, op::reshape,
                   op::resize_bilinear, op::softmax, op::space_to_depth, op::tanh, op::pad, op::gather,
                   op::batch_to_space_nd, op::space_to_batch_nd, op::transpose, op::mean, op::sub, op::sum, op::squeeze,
                   op::log_softmax, op::maximum, op::arg_max, op::minimum, op::less, op::padv2, op::greater,
                   op::greater_equal, op::less_equal, op::slice, op::equal, op::not_equal, op::shape, op::quantize>;

namespace detail {

template <class Operation>
constexpr row row_of(int number) {
    static_assert(Operation::count <= most_requirements);
    row result;
    result.name = Operation::name;
    result.note = Operation::note;
    result.number = number;
    result.count = Operation::count;
    for (int i = 0; i < Operation::count; ++i)
        result.tensors[i] = Operation::tensors[i];
    result.same_quantization = Operation::same_quantization;
    return result;
}

struct rows {
    row of[operations::size];

    constexpr const row* begin() const { return of; }
    constexpr const row* end() const { return of + operations::size; }
    constexpr const row& operator[](int index) const { return of[index]; }
    static constexpr int size() { return operations::size; }
};

template <class... Operations>
constexpr rows rows_of(operation_list<Operations...>) {
    int number = 0;
    return {{row_of<Operations>(++number)...}};
}

/// Numbers of rows, in the order of their names.
struct row_order {
    unsigned char of[operations::size] = {};
};

constexpr row_order order_by_name(const rows& all) {
    row_order result;
    for (int i = 0; i < all.size(); ++i) {
        int place = i;
        for (; place > 0 && all[i].name < all[result.of[place - 1]].name; --place)
            result.of[place] = result.of[place - 1];
        result.of[place] = static_cast<unsigned char>(i);
    }
    return result;
}

}  // namespace detail

/// The rows of the document, in its order.
inline constexpr detail::rows table = detail::rows_of(operations());

namespace detail {
inline constexpr row_order by_name = order_by_name(table);

template <class Operation>
consteval int index_of() {
    for (int i = 0; i < table.size(); ++i) {
        if (table[i].name == Operation::name) return i;
    }
    return -1;
}
}  // namespace detail

/// The row of the operation with this name in the TensorFlow Lite schema; null where the document has none.
constexpr const row* find(text_view name) {
    int first = 0;
    int last = table.size();
    while (first < last) {
        const int middle = (first + last) / 2;
        const row& candidate = table[detail::by_name.of[middle]];
        if (candidate.name == name) return &candidate;
        if (candidate.name < name) {
            first = middle + 1;
        } else {
            last = middle;
        }
    }
    return nullptr;
}

/// The row of an operation type.
template <class Operation>
constexpr const row& row_of() {
    static_assert(detail::index_of<Operation>() >= 0, "this operation has no row in the specification");
    return table[detail::index_of<Operation>()];
}

/// What the specification asks of a tensor of an operation.
/// Asking for a part that the row does not name does not compile in constant expressions; at run time it is an lpt::error.
template <class Operation>
constexpr const requirement& rule(operand role) {
    const row& operation = row_of<Operation>();
    if (!operation.names(role)) fail({Operation::name, ": the specification says nothing of ", name(role)});
    return operation.tensors[operation.index_of(role)];
}

namespace detail {

/// The list of the document, read from its headings, to prove that the table has each of them and nothing else.
inline constexpr text_view headings =
    "ADD AVERAGE_POOL_2D CONCATENATION CONV_2D DEPTHWISE_CONV_2D FULLY_CONNECTED L2_NORMALIZATION LOGISTIC MAX_POOL_2D "
    "MUL RESHAPE RESIZE_BILINEAR SOFTMAX SPACE_TO_DEPTH TANH PAD GATHER BATCH_TO_SPACE_ND SPACE_TO_BATCH_ND TRANSPOSE "
    "MEAN SUB SUM SQUEEZE LOG_SOFTMAX MAXIMUM ARG_MAX MINIMUM LESS PADV2 GREATER GREATER_EQUAL LESS_EQUAL SLICE EQUAL "
    "NOT_EQUAL SHAPE QUANTIZE";

constexpr bool has_all_headings() {
    std::size_t at = 0;
    for (const row& each : table) {
        if (headings.substr(at, each.name.size()) != each.name) return false;
        at += each.name.size();
        if (at < headings.size() && headings[at] != ' ') return false;
        ++at;
    }
    return at == headings.size() + 1;
}

constexpr bool all_names_are_found() {
    for (const row& each : table) {
        if (find(each.name) != &each) return false;
    }
    return true;
}

template <class Condition>
constexpr int count_rows(Condition condition) {
    int result = 0;
    for (const row& each : table)
        result += condition(each) ? 1 : 0;
    return result;
}

static_assert(has_all_headings());
static_assert(all_names_are_found());
static_assert(find("") == nullptr && find("CONV") == nullptr && find("ZEROS_LIKE") == nullptr);
static_assert(count_rows([](const row& each) { return each.same_quantization; }) == 16);
static_assert(count_rows([](const row& each) { return each.names(operand::weight); }) == 3);
static_assert(count_rows([](const row& each) { return !each.names(operand::output_0); }) == 8);
static_assert(count_rows([](const row& each) {
                  return each.names(operand::output_0) && each.find(operand::output_0)->scale == scale_rule::fixed;
              }) == 5);

}  // namespace detail

}  // namespace lpt::inline LPT_ABI::spec
