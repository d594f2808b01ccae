// SPDX-License-Identifier: Apache-2.0
// lpt 0.1.0, runtime.hpp: Plans and the executor. Needs lpt/extend.hpp and lpt/lpt.hpp, threads, and the kernels (lpt/kernels.hpp).
// Generated from include/lpt by .ci/single_include; changes belong there.
#pragma once

#if !(__cplusplus >= 202002L || (defined(_MSVC_LANG) && _MSVC_LANG >= 202002L))
#error "lpt needs C++20: -std=c++20"
#else

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <exception>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <lpt/extend.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"

// ======== lpt/kernel/rows/element_kind.hpp
#ifndef LPT_HOLDS_KERNEL_ROWS_ELEMENT_KIND_HPP
#define LPT_HOLDS_KERNEL_ROWS_ELEMENT_KIND_HPP
namespace lpt::inline LPT_ABI::kernel {

/// The element types that kernels load and store.
/// `i4` is for weights alone: signed bytes in [-8, 7], of which packed weights hold two in a byte; dot products take them apart again.
enum class element_kind : std::uint8_t { u8, i8, i32, f32, i4 };

/// Bytes of one element, before it is packed.
[[gnu::always_inline]] constexpr std::int64_t bytes_of(element_kind kind) noexcept {
    return kind == element_kind::i32 || kind == element_kind::f32 ? 4 : 1;
}

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/rows/fields.hpp
#ifndef LPT_HOLDS_KERNEL_ROWS_FIELDS_HPP
#define LPT_HOLDS_KERNEL_ROWS_FIELDS_HPP
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
#endif

// ======== lpt/kernel/rows/attention.hpp
#ifndef LPT_HOLDS_KERNEL_ROWS_ATTENTION_HPP
#define LPT_HOLDS_KERNEL_ROWS_ATTENTION_HPP
namespace lpt::inline LPT_ABI::kernel {

/// What a mask does to the scores of an attention.
enum class attention_mask : std::uint8_t {
    none,  ///< nothing
    add,  ///< f32: is added to the score
    choose,  ///< bytes: places where it is 0 do not count
};

/// Matrices of an attention's heads: `type` u8, i8 or f32, a row each `row_stride` elements, dense rows; of head (h0, h1, …) the first is
/// sum of h * strides[axis] elements behind the beginning.
/// Bytes mean (byte - zero_point) * a scale that the problem holds for all.
struct attention_matrix {
    element_kind type = element_kind::f32;
    std::int32_t zero_point = 0;
    std::int64_t row_stride = 0;
    std::int64_t strides[8] = {};

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit visit) {
        visit("type", self.type);
        visit("zero_point", self.zero_point);
        visit("row_stride", self.row_stride);
        visit("strides", self.strides);
    }
};

/// For each head, with q [queries, depth], k [keys, depth] and v [keys, width]:
///   s = scale * q kᵀ, + mask;  p = exp(s - largest of the row);   out = value_scale * (p v) / (sum of p over the row).
/// `causal`: places with column > row do not count. A row of which no place counts gives zeros.
/// Products are fma(a, b, sum) for k = 0, 1, 2 … from 0; bytes are exact. Where a size is 0 nothing is written.
/// Mask: element (row, column) of a head is mask_row_stride * row + mask_column_stride * column behind its beginning; column stride 0 or 1.
/// `scratch`: `attention_scratch_bytes(problem)` for each of the tasks, as many as `parallel.threads`.
struct attention_problem {
    static constexpr int most_axes = 8;
    std::int64_t head_axes = 0;
    std::int64_t heads[most_axes] = {};  // sizes
    std::int64_t queries = 0;
    std::int64_t keys = 0;
    std::int64_t depth = 0;
    std::int64_t width = 0;
    float scale = 1;
    float value_scale = 1;
    bool causal = false;
    attention_mask mask_use = attention_mask::none;
    std::int64_t mask_row_stride = 0;
    std::int64_t mask_column_stride = 0;
    std::int64_t mask_strides[most_axes] = {};
    attention_matrix queries_at;
    attention_matrix keys_at;
    attention_matrix values_at;
    std::int64_t output_row_stride = 0;
    std::int64_t output_strides[most_axes] = {};
    const void* query = nullptr;
    const void* key = nullptr;
    const void* value = nullptr;
    const void* mask = nullptr;
    float* output = nullptr;
    scratch_memory scratch = {};

    static constexpr const char* name = "attention";
    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit visit) {
        visit("head_axes", self.head_axes);
        visit("heads", self.heads);
        visit("queries", self.queries);
        visit("keys", self.keys);
        visit("depth", self.depth);
        visit("width", self.width);
        visit("scale", self.scale);
        visit("value_scale", self.value_scale);
        visit("causal", self.causal);
        visit("mask_use", self.mask_use);
        visit("mask_row_stride", self.mask_row_stride);
        visit("mask_column_stride", self.mask_column_stride);
        visit("mask_strides", self.mask_strides);
        visit("queries_at", self.queries_at);
        visit("keys_at", self.keys_at);
        visit("values_at", self.values_at);
        visit("output_row_stride", self.output_row_stride);
        visit("output_strides", self.output_strides);
        visit("query", self.query);
        visit("key", self.key);
        visit("value", self.value);
        visit("mask", self.mask);
        visit("output", self.output);
        visit("scratch", self.scratch);
    }
};

/// True where values are read where they lie; others are copied as floats, with columns in multiples of 16.
constexpr bool reads_values_directly(const attention_problem& p) noexcept {
    return p.values_at.type == element_kind::f32 && p.width % 16 == 0;
}

/// True where scores are sums of products of bytes, so few that they are exact as floats, too: one order of summation for all.
constexpr bool multiplies_bytes(const attention_problem& p) noexcept {
    constexpr std::int64_t most_depth = 256;  // times 255 * 255: below 2^24
    const auto is_bytes = [](element_kind type) { return type == element_kind::u8 || type == element_kind::i8; };
    return is_bytes(p.queries_at.type) && is_bytes(p.keys_at.type) && p.depth <= most_depth;
}

/// How a task of an attention divides its scratch memory, in floats; each part is a multiple of 16.
struct attention_scratch {
    static constexpr std::int64_t block_rows = 32;  // queries at a time
    static constexpr std::int64_t panel = 64;  // keys next to each other in packed ones
    std::int64_t keys_padded = 0;
    std::int64_t width_padded = 0;
    std::int64_t packed_keys = 0;
    std::int64_t packed_values = 0;
    std::int64_t rows = 0;  // of queries
    std::int64_t scores = 0;
    std::int64_t bias = 0;
    std::int64_t sums = 0;  // of the block's products with values

    constexpr std::int64_t floats() const noexcept { return packed_keys + packed_values + rows + scores + bias + sums; }
};

constexpr attention_scratch scratch_of(const attention_problem& p) noexcept {
    const auto padded = [](std::int64_t count) { return (count + 15) / 16 * 16; };
    attention_scratch result;
    result.keys_padded = padded(p.keys);
    result.width_padded = padded(p.width);
    // Packed bytes: a header, a sum and a zero point of each key, and groups of up to eight elements.
    const std::int64_t bytes = 128 + result.keys_padded * (8 + (p.depth + 7) / 8 * 8);
    const std::int64_t floats = p.depth * result.keys_padded;  // of instruction sets without tiles, too
    result.packed_keys = multiplies_bytes(p) && bytes > floats * 4 ? padded((bytes + 3) / 4) : floats;
    result.packed_values = reads_values_directly(p) ? 0 : p.keys * result.width_padded;
    result.rows = padded(result.block_rows * p.depth);
    result.scores = result.block_rows * result.keys_padded;
    result.bias = result.keys_padded;
    result.sums = result.block_rows * result.width_padded;
    return result;
}

/// Bytes of scratch memory of one task.
constexpr std::int64_t attention_scratch_bytes(const attention_problem& p) noexcept {
    return scratch_of(p).floats() * 4;
}

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/rows/number_type.hpp
#ifndef LPT_HOLDS_KERNEL_ROWS_NUMBER_TYPE_HPP
#define LPT_HOLDS_KERNEL_ROWS_NUMBER_TYPE_HPP
namespace lpt::inline LPT_ABI::kernel {

/// The types of numbers that memory holds one after the other; a boolean is a byte, 0 or 1.
enum class number_type : std::uint8_t { boolean, u8, i8, u16, i16, u32, i32, u64, i64, bf16, f16, f32, f64 };

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/rows/cast.hpp
#ifndef LPT_HOLDS_KERNEL_ROWS_CAST_HPP
#define LPT_HOLDS_KERNEL_ROWS_CAST_HPP
namespace lpt::inline LPT_ABI::kernel {

/// out[i] = in[i] as a number of another type, for `rows` rows of `count` numbers, which lie where `input_rows` and
/// `output_rows` say. Source: OpenVINO operation set, Convert-1.
/// Integer to integer: modulo 2^bits. Real to integer: towards zero, saturating; NaN gives 0. To real: to nearest even, too large becomes infinity.
/// To boolean: 1 unless 0. `input` and `output` are aligned to their numbers and do not overlap.
struct cast_problem {
    std::int64_t count = 0;
    number_type input_type = number_type::f32;
    number_type output_type = number_type::f32;
    const void* input = nullptr;
    void* output = nullptr;
    std::int64_t rows = 1;
    row_layout input_rows = {};
    row_layout output_rows = {};

    static constexpr const char* name = "cast";
    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit visit) {
        visit("count", self.count);
        visit("input_type", self.input_type);
        visit("output_type", self.output_type);
        visit("input", self.input);
        visit("output", self.output);
        visit("rows", self.rows);
        visit("input_rows", self.input_rows);
        visit("output_rows", self.output_rows);
    }
    template <class Self, class Visit>
    static constexpr void spaced(Self& self, Visit visit) {
        visit(self.input, self.input_rows, self.count, 1);
        visit(self.output, self.output_rows, self.count, 1);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/rows/compressed_product.hpp
#ifndef LPT_HOLDS_KERNEL_ROWS_COMPRESSED_PRODUCT_HPP
#define LPT_HOLDS_KERNEL_ROWS_COMPRESSED_PRODUCT_HPP
namespace lpt::inline LPT_ABI::kernel {

/// The product of rows of f32 with weights of 4 or 8 bits, of which each block of a column has its scale and zero point:
///   y[i][n] = sum over blocks b of scale[n][b] * (sum over k of block b of x[i][k] * (code[n][k] - zero_point[n][b])).
/// Both sums are chains of fused multiply-adds in the order of b and of k, the outer one from 0 on. With one zero point for all blocks the
/// inner one begins with 0 and multiplies by code - zero_point, rounded to single precision; with one for each it begins with
/// zero_point * -(sum of x over the block), added up as `sixteen` does, and multiplies by code.
/// With `rounds_rows` x is rounded to 8 bits first, in parts t of at most `most_part` consecutive k of a block:
///   unit[i][t] = max |x| / 127;  q = x * (127 / max |x|) to the nearest integer, ties to even;
///   y[i][n] = sum over t of scale[n][b] * unit[i][t] * (sum of q * code - zero_point[n][b] * sum of q),
/// with sums of integers; the quotients, products and the difference (a fused multiply-add) are each rounded, the outer sum is a chain of fused
/// multiply-adds. Parts of nothing but magnitudes below 1e-30 count as zeros; those that hold an infinity or NaN give NaN.
/// The same bits on every instruction set and for any number of rows.
///   rows, inner, columns: sizes of x[rows][inner] and y[rows][columns]; at least 1. `input_rows`, `output_rows`: where their rows lie,
///     equally far apart.
///   block: elements of a block, the last one may be shorter; bits: 4 or 8; codes are unsigned.
///   zero_point: of all blocks, unless `has_zero_points`: then the packed weights have one for each block.
///   packed: `compressed_bytes(problem)` bytes, as `compressed_block` says. scratch: `compressed_scratch_bytes(problem)` bytes. Outputs overlap
///   nothing.
struct compressed_product_problem {
    std::int64_t rows = 1;
    std::int64_t inner = 1;
    std::int64_t columns = 1;
    std::int64_t block = 1;
    std::int64_t bits = 4;
    bool has_zero_points = false;
    float zero_point = 0;
    bool rounds_rows = false;
    const float* input = nullptr;
    const unsigned char* packed = nullptr;
    float* output = nullptr;
    scratch_memory scratch = {};
    row_layout input_rows = {};
    row_layout output_rows = {};

    static constexpr const char* name = "compressed_product";
    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit visit) {
        visit("rows", self.rows);
        visit("inner", self.inner);
        visit("columns", self.columns);
        visit("block", self.block);
        visit("bits", self.bits);
        visit("has_zero_points", self.has_zero_points);
        visit("zero_point", self.zero_point);
        visit("rounds_rows", self.rounds_rows);
        visit("input", self.input);
        visit("packed", self.packed);
        visit("output", self.output);
        visit("scratch", self.scratch);
        visit("input_rows", self.input_rows);
        visit("output_rows", self.output_rows);
    }
    template <class Self, class Visit>
    static constexpr void spaced(Self& self, Visit visit) {
        visit(self.input, self.input_rows, self.inner, self.rows);
        visit(self.output, self.output_rows, self.columns, self.rows);
    }
};

/// Where the parts of a packed block lie. Panels of `panel_columns` columns follow each other; a panel is its blocks one behind the other, and a
/// block has the scales of the panel's columns, their zero points if there are any, and words of 32 bits: [k / codes_of_word][column], the first
/// code in the lowest bits. What is behind the last k or column is 0.
struct compressed_block {
    static constexpr std::int64_t panel_columns = 64;
    static constexpr std::int64_t word_bytes = 4;
    static constexpr std::int64_t most_part = 128;  // k that are worked on together

    std::int64_t codes_of_word = 8;
    std::int64_t words = 1;  // of a column
    std::int64_t zero_points_at = 0;  // bytes from the block's beginning
    std::int64_t words_at = 0;
    std::int64_t bytes = 0;

    constexpr explicit compressed_block(const compressed_product_problem& p) noexcept
        : codes_of_word(32 / p.bits),
          words((p.block + codes_of_word - 1) / codes_of_word),
          zero_points_at(panel_columns * 4),
          words_at(panel_columns * (p.has_zero_points ? 8 : 4)),
          bytes(words_at + words * panel_columns * word_bytes) {}
};

constexpr std::int64_t compressed_blocks(const compressed_product_problem& p) noexcept {
    return (p.inner + p.block - 1) / p.block;
}
constexpr std::int64_t compressed_panels(const compressed_product_problem& p) noexcept {
    return (p.columns + compressed_block::panel_columns - 1) / compressed_block::panel_columns;
}
/// Bytes of packed weights.
constexpr std::size_t compressed_bytes(const compressed_product_problem& p) noexcept {
    return static_cast<std::size_t>(compressed_panels(p) * compressed_blocks(p) * compressed_block(p).bytes);
}
/// Rows that were rounded to bytes, and where they lie in scratch memory: the units of all parts, [row][part], the sums of their integers,
/// alike, and the integers, [row][k]. Each block begins a part, and has whole words. Of the integers that belong to a word of eight codes, those at
/// even k come before those at odd k: so a vector of words becomes two of bytes.
struct compressed_parts {
    std::int64_t of_block = 1;
    std::int64_t of_row = 1;
    std::int64_t row_bytes = 8;
    std::int64_t sums_at = 0;  // bytes from the beginning
    std::int64_t integers_at = 0;
    std::int64_t bytes = 0;

    constexpr explicit compressed_parts(const compressed_product_problem& p) noexcept
        : of_block((p.block + compressed_block::most_part - 1) / compressed_block::most_part),
          of_row(compressed_blocks(p) * of_block),
          row_bytes(compressed_blocks(p) * compressed_block(p).words * compressed_block(p).codes_of_word),
          sums_at(p.rows * of_row * 4),
          integers_at(2 * sums_at),
          bytes(integers_at + p.rows * row_bytes) {}
};
/// Scratch memory: rows as bytes, or, for zero points of their own, the sum of each block of each row of x.
constexpr std::size_t compressed_scratch_bytes(const compressed_product_problem& p) noexcept {
    if (p.rounds_rows) return static_cast<std::size_t>(compressed_parts(p).bytes);
    return p.has_zero_points ? static_cast<std::size_t>(p.rows * compressed_blocks(p)) * sizeof(float) : 0;
}

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/rows/groups.hpp
#ifndef LPT_HOLDS_KERNEL_ROWS_GROUPS_HPP
#define LPT_HOLDS_KERNEL_ROWS_GROUPS_HPP
// Groups of a tensor's elements that one number is made of, or that are normalized together: those that differ in the reduced axes only.

namespace lpt::inline LPT_ABI::kernel {

/// What a reduction does with the values of a group.
enum class reduction_kind : std::uint8_t { sum, mean, maximum, minimum, product, l1, l2 };

/// A reduction of f32 over any axes; one number for each element of the kept axes, in their order. `output_rows`: where rows of these lie, of the
/// innermost kept axis if its stride is 1, else of one number.
/// An innermost axis, of stride 1, is in one of the lists, unless there is but one element.
/// Sums are kept in single precision, in parts of at most 64 rounded additions each, which are then added up: the error is below
/// (80 + count / 64) 2^-24 times the sum of the absolute values, and of a product that part of it. NaN is no maximum or minimum; without
/// any other value that is an infinity.
struct reduction_problem {
    reduction_kind kind = reduction_kind::sum;
    axis_list kept;
    axis_list reduced;
    const float* input = nullptr;
    float* output = nullptr;
    row_layout output_rows = {};

    static constexpr const char* name = "reduction";
    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit visit) {
        visit("kind", self.kind);
        visit("kept", self.kept);
        visit("reduced", self.reduced);
        visit("input", self.input);
        visit("output", self.output);
        visit("output_rows", self.output_rows);
    }
    template <class Self, class Visit>
    static constexpr void spaced(Self& self, Visit visit) {
        visit(self.output, self.output_rows, self.kept.dense_row(), 1);
    }
};

/// How a normalization treats the values of a group.
enum class normalization_kind : std::uint8_t {
    mean,  ///< x - mean
    mean_and_deviation,  ///< (x - mean) / sqrt(variance + epsilon)
    mean_and_shifted_deviation,  ///< (x - mean) / (sqrt(variance) + epsilon)
    length,  ///< x / sqrt(sum of squares + epsilon)
    limited_length,  ///< x / sqrt(max(sum of squares, epsilon))
};

/// A normalization of f32 over any axes; axes as those of a reduction, input and output alike.
/// Sums as those of a reduction. The mean is found twice, the second time as that of the distances from the first, so that a large mean
/// costs no accuracy. In place is allowed.
/// `input_rows`, `output_rows`: where the groups lie if the only reduced axis is the innermost; both are dense otherwise.
/// `scale` and `shift`, both or none: a number for each element of the only reduced axis, which is the innermost; results y become
/// fma(y, scale, shift).
struct normalization_problem {
    normalization_kind kind = normalization_kind::mean;
    float epsilon = 0;
    axis_list kept;
    axis_list reduced;
    const float* input = nullptr;
    float* output = nullptr;
    const float* scale = nullptr;
    const float* shift = nullptr;
    row_layout input_rows = {};
    row_layout output_rows = {};

    static constexpr const char* name = "normalization";
    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit visit) {
        visit("kind", self.kind);
        visit("epsilon", self.epsilon);
        visit("kept", self.kept);
        visit("reduced", self.reduced);
        visit("input", self.input);
        visit("output", self.output);
        visit("scale", self.scale);
        visit("shift", self.shift);
        visit("input_rows", self.input_rows);
        visit("output_rows", self.output_rows);
    }
    template <class Self, class Visit>
    static constexpr void spaced(Self& self, Visit visit) {
        if (self.reduced.count != 1 || self.reduced.dense_row() != self.reduced.sizes[0]) return;
        visit(self.input, self.input_rows, self.reduced.sizes[0], 1);
        visit(self.output, self.output_rows, self.reduced.sizes[0], 1);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/rows/movement.hpp
#ifndef LPT_HOLDS_KERNEL_ROWS_MOVEMENT_HPP
#define LPT_HOLDS_KERNEL_ROWS_MOVEMENT_HPP
namespace lpt::inline LPT_ABI::kernel {

/// out[r][i] = table[in[r][i]] for `rows` rows of `count` bytes; an i8 value indexes with its bits as u8. In place is allowed.
/// `input_row_stride`, `output_row_stride`: bytes from row to row (>= count); of one row they do not matter.
struct lookup_problem {
    const std::uint8_t* input = nullptr;
    std::uint8_t* output = nullptr;
    std::int64_t count = 0;
    const std::uint8_t* table = nullptr;
    std::int64_t rows = 1;
    std::int64_t input_row_stride = 0;
    std::int64_t output_row_stride = 0;
};

/// out[n][c][r] = in[n][r][c] for `batch` matrices of rows x columns elements of 1 or 4 bytes.
/// `input_rows`, `output_rows`: where the rows of all matrices lie, of `columns` and of `rows` elements, those of a matrix equally far apart.
/// NCHW to NHWC: rows = C, columns = H * W; NHWC to NCHW: rows = H * W, columns = C. Input and output must not overlap.
struct transpose_problem {
    std::int64_t batch = 1;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    int element_bytes = 1;
    const void* input = nullptr;
    void* output = nullptr;
    row_layout input_rows = {};
    row_layout output_rows = {};
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/rows/pointwise.hpp
#ifndef LPT_HOLDS_KERNEL_ROWS_POINTWISE_HPP
#define LPT_HOLDS_KERNEL_ROWS_POINTWISE_HPP
namespace lpt::inline LPT_ABI::kernel {

/// What a pointwise kernel computes of a and b. Whole numbers wrap around; they are divided by anything but 0.
enum class pointwise_function : std::uint8_t {
    add,  ///< a + b
    subtract,  ///< a - b
    multiply,  ///< a * b
    divide,  ///< a / b; whole numbers towards zero
    divide_downwards,  ///< a / b; whole numbers downwards
    remainder,  ///< of whole numbers, with the sign of a
    remainder_downwards,  ///< of whole numbers, with the sign of b
    power,  ///< a ^ b of whole numbers; of a negative b the whole part
    maximum,  ///< a < b ? b : a
    minimum,  ///< b < a ? b : a
    squared_difference,  ///< (a - b)^2
    equal,  ///< a == b
    not_equal,  ///< a != b
    greater,  ///< a > b
    greater_equal,  ///< a >= b
    less,  ///< a < b
    less_equal,  ///< a <= b
    logical_and,  ///< a and b
    logical_or,  ///< a or b
    logical_xor,  ///< a or b, not both
    logical_not,  ///< not a
    abs,  ///< |a|
    negative,  ///< -a
    sign,  ///< -1, 0 or 1, and NaN of NaN
    select,  ///< condition ? a : b
};

/// out = function(a, b), element by element, of any types of numbers and with any broadcasting.
/// `sizes`: `count` (1 to 8) axes of the output, the outermost first, whose innermost rows lie where `output_rows` says; strides of the
/// inputs along them in elements, along the last axis 0 or 1. `input_type`: of a and b, not u64. `output_type`: boolean of comparisons and logic, else that of the input.
/// Half precision is computed in f32, and the result rounded. Functions of one number leave b out; only select has a condition, a boolean.
/// The output does not overlap an input.
/// Source: OpenVINO operation set, Add-1 and the like, Equal-1 and the like, LogicalAnd-1 and the like, Select-1.
struct pointwise_problem {
    static constexpr int most_axes = 8;
    pointwise_function function = pointwise_function::add;
    number_type input_type = number_type::f32;
    number_type output_type = number_type::f32;
    std::int64_t count = 0;
    std::int64_t sizes[most_axes] = {};
    std::int64_t condition_strides[most_axes] = {};
    std::int64_t a_strides[most_axes] = {};
    std::int64_t b_strides[most_axes] = {};
    const void* condition = nullptr;
    const void* a = nullptr;
    const void* b = nullptr;
    void* output = nullptr;
    row_layout output_rows = {};

    static constexpr const char* name = "pointwise";
    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit visit) {
        visit("function", self.function);
        visit("input_type", self.input_type);
        visit("output_type", self.output_type);
        visit("count", self.count);
        visit("sizes", self.sizes);
        visit("condition_strides", self.condition_strides);
        visit("a_strides", self.a_strides);
        visit("b_strides", self.b_strides);
        visit("condition", self.condition);
        visit("a", self.a);
        visit("b", self.b);
        visit("output", self.output);
        visit("output_rows", self.output_rows);
    }
    template <class Self, class Visit>
    static constexpr void spaced(Self& self, Visit visit) {
        visit(self.output, self.output_rows, self.count == 0 ? 1 : self.sizes[self.count - 1], 1);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/rows/recurrent.hpp
#ifndef LPT_HOLDS_KERNEL_ROWS_RECURRENT_HPP
#define LPT_HOLDS_KERNEL_ROWS_RECURRENT_HPP
namespace lpt::inline LPT_ABI::kernel {

/// Which cell. The gates of a GRU lie in its weights as they are listed, those of an LSTM where `recurrent_problem::gates` says.
///   lstm: i, f, o = gate(…), c~ = candidate(…), c' = fma(f, c, i * c~), h' = o * output(c');
///   gru:  z, r = gate(…), h~ = candidate((W x + b) + R (r * h)), h' = fma(z, h, (1 - z) * h~);
///   gru_linear: the same with h~ = candidate(fma(r, R h + b', W x + b)).
/// Each `…` is (W x + b) + R h, where R h is a sum as in `gemm_problem`.
enum class recurrent_kind : std::uint8_t { lstm, gru, gru_linear };

/// How many gates a cell has.
constexpr std::int64_t gates_of(recurrent_kind kind) noexcept { return kind == recurrent_kind::lstm ? 4 : 3; }

/// A function of a gate: sigmoid and tanh as in `unary_function`; relu: max(v, 0); hard_sigmoid: min(max(fma(v, alpha, beta), 0), 1).
enum class gate_function : std::uint8_t { sigmoid, tanh, relu, hard_sigmoid };

/// A cell that walks along time, or one step of it (time 1). With G gates, D directions and H = `hidden`:
///   gate, candidate, output: functions, with their numbers; arguments are limited to [-limit, limit] first, but for that of output.
///   input: x[batch][time][inputs], u8, i8 or f32, where `input_rows` says, equally far apart; u8 and i8 mean (x - input_zero_point).
///   packed_input: W[inputs, D * G * H] of `pack_gemm`, bytes where x are; W x + b = fma(float(sum), scale, bias) with `input_scale` and
///     `input_bias` of D * G * H elements, or null: 1 and 0.
///   packed_hidden: R[H, N] of f32 for each direction, `packed_hidden_bytes` apart; N = G * H, but for `gru` 2 * H (z and r), and
///     packed_candidate has R[H, H] of its candidate, `packed_candidate_bytes` apart.
///   splits_states: R are bytes, with `hidden_scale` of D * G * H elements; states are then numbers of 16 bits in the products with
///     them, split into `digits` with a scale for each sequence and step, and R h = scale * fma(256, high, low) of both sums in f32. All sums
///     with a state that is not finite are NaN.
///   hidden_bias: b'[D][H] of `gru_linear`, or null: 0.
///   first_hidden, first_cell: [batch][D][H]. lengths: steps of each batch, integers of `length_bytes` (4 or 8), taken into [0, time];
///     null: all of them.
///   every: [batch][D][time][H], rows of H where `every_rows` says, zero behind a sequence's length, or null; last_hidden,
///     last_cell: [batch][D][H], each may be null.
///   cells, their output function, gates (where f, i, c, o lie in the weights) and couples_forget (f = 1 - i) are those of an LSTM alone.
/// Direction 0 walks backwards, from the last step of the sequence, if `reverse`; direction 1 always does.
/// `scratch`: `recurrent_scratch_bytes(problem)` bytes. Outputs overlap nothing.
struct recurrent_problem {
    recurrent_kind kind = recurrent_kind::lstm;
    std::int64_t batch = 1;
    std::int64_t time = 1;
    std::int64_t directions = 1;
    std::int64_t inputs = 1;
    std::int64_t hidden = 1;
    bool reverse = false;
    bool couples_forget = false;
    bool splits_states = false;
    std::int64_t gates[4] = {0, 1, 2, 3};
    gate_function gate = gate_function::sigmoid;
    float gate_alpha = 0;
    float gate_beta = 0;
    gate_function candidate = gate_function::tanh;
    float candidate_alpha = 0;
    float candidate_beta = 0;
    gate_function output = gate_function::tanh;
    float output_alpha = 0;
    float output_beta = 0;
    float limit = __builtin_inff();
    element_kind input_type = element_kind::f32;
    std::int32_t input_zero_point = 0;
    std::int64_t packed_hidden_bytes = 0;
    std::int64_t packed_candidate_bytes = 0;
    std::int64_t length_bytes = 8;
    const void* input = nullptr;
    const unsigned char* packed_input = nullptr;
    const float* input_scale = nullptr;
    const float* input_bias = nullptr;
    const unsigned char* packed_hidden = nullptr;
    const unsigned char* packed_candidate = nullptr;
    const float* hidden_scale = nullptr;
    const float* hidden_bias = nullptr;
    const float* first_hidden = nullptr;
    const float* first_cell = nullptr;
    const void* lengths = nullptr;
    float* every = nullptr;
    float* last_hidden = nullptr;
    float* last_cell = nullptr;
    scratch_memory scratch = {};
    row_layout input_rows = {};
    row_layout every_rows = {};

    static constexpr const char* name = "recurrent";
    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit visit) {
        visit("kind", self.kind);
        visit("batch", self.batch);
        visit("time", self.time);
        visit("directions", self.directions);
        visit("inputs", self.inputs);
        visit("hidden", self.hidden);
        visit("reverse", self.reverse);
        visit("couples_forget", self.couples_forget);
        visit("splits_states", self.splits_states);
        visit("gates", self.gates);
        visit("gate", self.gate);
        visit("gate_alpha", self.gate_alpha);
        visit("gate_beta", self.gate_beta);
        visit("candidate", self.candidate);
        visit("candidate_alpha", self.candidate_alpha);
        visit("candidate_beta", self.candidate_beta);
        visit("output", self.output);
        visit("output_alpha", self.output_alpha);
        visit("output_beta", self.output_beta);
        visit("limit", self.limit);
        visit("input_type", self.input_type);
        visit("input_zero_point", self.input_zero_point);
        visit("packed_hidden_bytes", self.packed_hidden_bytes);
        visit("packed_candidate_bytes", self.packed_candidate_bytes);
        visit("length_bytes", self.length_bytes);
        visit("input", self.input);
        visit("packed_input", self.packed_input);
        visit("input_scale", self.input_scale);
        visit("input_bias", self.input_bias);
        visit("packed_hidden", self.packed_hidden);
        visit("packed_candidate", self.packed_candidate);
        visit("hidden_scale", self.hidden_scale);
        visit("hidden_bias", self.hidden_bias);
        visit("first_hidden", self.first_hidden);
        visit("first_cell", self.first_cell);
        visit("lengths", self.lengths);
        visit("every", self.every);
        visit("last_hidden", self.last_hidden);
        visit("last_cell", self.last_cell);
        visit("scratch", self.scratch);
        visit("input_rows", self.input_rows);
        visit("every_rows", self.every_rows);
    }
    template <class Self, class Visit>
    static constexpr void spaced(Self& self, Visit visit) {
        visit(self.input, self.input_rows, self.inputs, self.batch * self.time);
        visit(self.every, self.every_rows, self.hidden, 1);
    }
};

/// Floats of a row that whole vectors of any instruction set cover.
constexpr std::int64_t whole_vectors(std::int64_t floats) noexcept { return (floats + 15) / 16 * 16; }

/// Floats of a row of sums of all gates, with room behind it for a vector that begins in its last gate.
constexpr std::int64_t gate_row(const recurrent_problem& p) noexcept {
    return whole_vectors(gates_of(p.kind) * p.hidden) + 16;
}

/// Bytes of a row of digits of a state.
constexpr std::int64_t digit_row(const recurrent_problem& p) noexcept { return (p.hidden + 63) / 64 * 64; }

/// Scratch memory of a recurrent cell: the products with all inputs, and of each sequence gates, state, cell and reset state; of states
/// that are split, the sums and bytes of both digits, and a scale.
constexpr std::size_t recurrent_scratch_bytes(const recurrent_problem& p) noexcept {
    const std::int64_t inputs = p.batch * p.time * p.directions * gates_of(p.kind) * p.hidden + 16;
    const std::int64_t sequences = p.batch * p.directions;
    const std::int64_t sequence = 4 * (gate_row(p) + 3 * whole_vectors(p.hidden));
    const std::int64_t digits = 4 * whole_vectors(sequences) + sequences * 2 * (4 * gate_row(p) + digit_row(p));
    return static_cast<std::size_t>(4 * whole_vectors(inputs) + sequences * sequence + (p.splits_states ? digits : 0));
}

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/rows/resampling.hpp
#ifndef LPT_HOLDS_KERNEL_ROWS_RESAMPLING_HPP
#define LPT_HOLDS_KERNEL_ROWS_RESAMPLING_HPP
namespace lpt::inline LPT_ABI::kernel {

/// One axis of f32 resampled, of a tensor of `outer` x `input_length` x `middle` x `inner` elements; the output has `length` places along the axis:
///   out[o, p, m, i] = sum over t of weights[t] * in[o, places[t], m, i], t from first_taps[p] up to first_taps[p + 1].
/// With `plane_rows`, a number that divides `outer`, the inner axes go to the front of so many of the outer ones:
///   out[o / plane_rows, i, o % plane_rows, p]; `middle` is then 1.
/// `input_rows`, `output_rows`: where rows of `inner` elements lie, those of an axis and what is inside of it equally far apart;
/// without `plane_rows`.
/// Places are those of the input, 0 to input_length - 1. Each product and each sum is rounded once, in the order of t, the first sum from 0.
/// The output does not overlap the input.
struct resampling_problem {
    std::int64_t outer = 1;
    std::int64_t input_length = 1;
    std::int64_t length = 1;
    std::int64_t middle = 1;
    std::int64_t inner = 1;
    std::int64_t plane_rows = 0;
    const std::int32_t* first_taps = nullptr;
    const std::int32_t* places = nullptr;
    const float* weights = nullptr;
    const float* input = nullptr;
    float* output = nullptr;
    row_layout input_rows = {};
    row_layout output_rows = {};

    static constexpr const char* name = "resampling";
    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit visit) {
        visit("outer", self.outer);
        visit("input_length", self.input_length);
        visit("length", self.length);
        visit("middle", self.middle);
        visit("inner", self.inner);
        visit("plane_rows", self.plane_rows);
        visit("first_taps", self.first_taps);
        visit("places", self.places);
        visit("weights", self.weights);
        visit("input", self.input);
        visit("output", self.output);
        visit("input_rows", self.input_rows);
        visit("output_rows", self.output_rows);
    }
    template <class Self, class Visit>
    static constexpr void spaced(Self& self, Visit visit) {
        if (self.plane_rows != 0) return;
        visit(self.input, self.input_rows, self.inner, self.input_length * self.middle);
        visit(self.output, self.output_rows, self.inner, self.length * self.middle);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/rows/softmax.hpp
#ifndef LPT_HOLDS_KERNEL_ROWS_SOFTMAX_HPP
#define LPT_HOLDS_KERNEL_ROWS_SOFTMAX_HPP
namespace lpt::inline LPT_ABI::kernel {

/// Softmax of f32 along one axis, or its logarithm; the tensor is `outer` x `length` x `inner`, and `input_rows` and `output_rows` say where each of
/// the `outer` begins. With m the largest x of the axis:
///   softmax: exp(x - m) / sum of exp(x - m);   logarithm: x - m - ln(sum of exp(x - m)).
/// In single precision, with the functions of `kernel/unary.hpp`. The relative error of a power over the sum is below (length + 200) 2^-24, and
/// what is below 2^-125 may be zero; of a logarithm that is the absolute error, beside four roundings. NaN or infinity in an axis makes all of it
/// NaN, but for negative infinities beside finite numbers, which give 0. In place is allowed.
struct softmax_problem {
    std::int64_t outer = 1;
    std::int64_t length = 1;
    std::int64_t inner = 1;
    bool logarithm = false;
    const float* input = nullptr;
    float* output = nullptr;
    row_layout input_rows = {};
    row_layout output_rows = {};

    static constexpr const char* name = "softmax";
    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit visit) {
        visit("outer", self.outer);
        visit("length", self.length);
        visit("inner", self.inner);
        visit("logarithm", self.logarithm);
        visit("input", self.input);
        visit("output", self.output);
        visit("input_rows", self.input_rows);
        visit("output_rows", self.output_rows);
    }
    template <class Self, class Visit>
    static constexpr void spaced(Self& self, Visit visit) {
        visit(self.input, self.input_rows, self.length * self.inner, 1);
        visit(self.output, self.output_rows, self.length * self.inner, 1);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/rows/fixed_point.hpp
#ifndef LPT_HOLDS_KERNEL_ROWS_FIXED_POINT_HPP
#define LPT_HOLDS_KERNEL_ROWS_FIXED_POINT_HPP
// Requantization in fixed point, and functions of codes that are specified in it.

namespace lpt::inline LPT_ABI::kernel {

/// How sums become i8 codes where an operation specifies it to the bit. With x = sum + bias[c]:
///   rounded twice:  h = floor((x * multiplier[c] + 2^30) / 2^31);   t = floor((h + (h < 0 ? below[c] : 0)) / 2^right[c]);
///                   q = floor((t - below[c]) / 2^-below[c]) + offset[c];
///   rounded once (`real` is not null):  q = zero_point + the integer next to x * real[c], ties away from zero, the product in double precision.
/// The code is q limited to [quant_low, quant_high] of the epilogue.
/// Where `below` is -1, that is h / 2^(right + 1), rounded half away from zero; where it is 0, `right` is 0, and h stays as it is. `offset` is
/// the zero point. All arrays are readable `padding` elements past the last channel.
/// Rounded twice: x any, multiplier >= 0, 0 <= right <= 30. Rounded once: |zero_point| < 2^29.
struct fixed_point {
    static constexpr std::int64_t padding = 64;

    const std::int32_t* bias = nullptr;
    const std::int32_t* multiplier = nullptr;
    const std::int32_t* right = nullptr;
    const std::int32_t* offset = nullptr;
    const std::int32_t* below = nullptr;
    const double* real = nullptr;
    std::int32_t zero_point = 0;
    bool shifts = false;  ///< `below` is -1 and `offset` is `zero_point` for all channels, and `real` is null
};

/// A number that scales all elements, as `fixed_point` has one for each channel; the shift to the left comes first.
struct fixed_scale {
    std::int32_t left = 0;
    std::int32_t multiplier = 0;
    std::int32_t right = 0;
    std::int32_t offset = 0;
    std::int32_t below = 0;
};

/// Which function of two codes.
enum class fixed_function : std::uint8_t { add, subtract, multiply };

/// Sums, differences or products of i8 codes: element (r, c) of an operand is data[r * row_stride + c * step], step 0 or 1.
///   add, subtract: x_k = S_k(q_k - z_k);  S(x_a +- x_b);   multiply: S((q_a - z_a) (q_b - z_b)).
/// S(v) is the code of `fixed_point` for x = v * 2^left; that of the result has no shift to the left, and the zero point as its offset.
struct fixed_binary_problem {
    fixed_function function = fixed_function::add;
    std::int64_t rows = 1;
    std::int64_t columns = 0;
    std::int64_t a_row_stride = 0;
    std::int64_t b_row_stride = 0;
    std::int32_t a_step = 1;
    std::int32_t b_step = 1;
    std::int32_t a_zero_point = 0;
    std::int32_t b_zero_point = 0;
    fixed_scale of_a;
    fixed_scale of_b;
    fixed_scale of_result;
    std::int32_t low = -128;
    std::int32_t high = 127;
    const std::int8_t* a = nullptr;
    const std::int8_t* b = nullptr;
    std::int8_t* output = nullptr;
};

/// i8 codes to real numbers, PRELU of these with a slope for each channel, and back to codes; rows of `channels`, dense:
///   x = scale * float(q - zero_point);   y = x >= 0 ? x : x * slope[c];
///   the integer next to y / output_scale, ties away from zero, + output_zero_point, limited to [-128, 127]. All in single precision.
struct real_prelu_problem {
    std::int64_t rows = 1;
    std::int64_t channels = 0;
    std::int32_t zero_point = 0;
    float scale = 1;
    float output_scale = 1;
    std::int32_t output_zero_point = 0;
    const std::int8_t* input = nullptr;
    const float* slope = nullptr;
    /// Null, or lines that give the same codes: the integer next to fma(float(q), factor, offset), ties to even, limited, where the line is
    /// `positive` for q >= zero_point, else negative[c], with offsets from negative[channels] on.
    const float* negative = nullptr;
    float positive = 0;
    float positive_offset = 0;
    bool larger_is_code = false;  // the larger of both lines gives the code
    std::int8_t* output = nullptr;
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/rows/fixed_product.hpp
#ifndef LPT_HOLDS_KERNEL_ROWS_FIXED_PRODUCT_HPP
#define LPT_HOLDS_KERNEL_ROWS_FIXED_PRODUCT_HPP
// Convolutions and matrix products of i8 codes that take less than a microsecond or two: all that does not depend on the input is done
// before, and one thread runs them.

namespace lpt::inline LPT_ABI::kernel {

/// A convolution over [batch, height, width, channels]; a matrix product is one of kernel 1 over a line of pixels. Axes are rows, columns.
/// All sizes, strides and dilations >= 1; 0 <= pad_begin < kernel * dilation. Depthwise: out_channels == in_channels.
struct fixed_product_shape {
    bool depthwise = false;
    std::int64_t batch = 1;
    std::int64_t in[2] = {1, 1};
    std::int64_t out[2] = {1, 1};
    std::int64_t kernel[2] = {1, 1};
    std::int64_t stride[2] = {1, 1};
    std::int64_t dilation[2] = {1, 1};
    std::int64_t pad_begin[2] = {0, 0};
    std::int64_t in_channels = 1;
    std::int64_t out_channels = 1;
};

/// Weights [out][kernel rows][kernel columns][in], or, depthwise, [kernel rows][kernel columns][channel]; positions outside an image hold
/// `zero_point`. `bias` has out_channels numbers.
struct fixed_product_weights {
    const std::int8_t* data = nullptr;
    const std::int32_t* bias = nullptr;
    std::int32_t zero_point = 0;
};

/// output[pixel][o] = the code of `fixed_point` for bias[o] + sum((q - zero_point) w), limited to [low, high]; the bias of `numbers` is
/// in the packed weights. Input and output are dense.
/// `packed` is what `pack_fixed_product` wrote for the shape; runs write to a part of it, so one at a time.
struct fixed_product_problem {
    fixed_product_shape shape;
    void* packed = nullptr;
    const fixed_point* numbers = nullptr;
    std::int32_t low = -128;
    std::int32_t high = 127;
    const std::int8_t* input = nullptr;
    std::int8_t* output = nullptr;
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/rows/fixed_resize.hpp
#ifndef LPT_HOLDS_KERNEL_ROWS_FIXED_RESIZE_HPP
#define LPT_HOLDS_KERNEL_ROWS_FIXED_RESIZE_HPP
// Images of i8 codes in another size, between neighbours, in the arithmetic that operations specify.

namespace lpt::inline LPT_ABI::kernel {

/// Two positions along an axis of an input, and how much of the second one counts, in 1024ths: 0 to 1024.
struct resize_neighbours {
    std::int64_t lower = 0;
    std::int64_t upper = 0;
    std::int32_t weight = 0;
};

/// [batch, in rows, in columns, channels] to [batch, out rows, out columns, channels], dense; axes are rows, columns. With the weights v of a row and w of
/// a column:
///   sum = (1024 - v) ((1024 - w) q[lower][lower] + w q[lower][upper]) + v ((1024 - w) q[upper][lower] + w q[upper][upper]);
/// the code is sum / 2^20, rounded half away from zero. `neighbours` has an element for each position of an output's axis.
struct fixed_resize_problem {
    std::int64_t batch = 1;
    std::int64_t in[2] = {1, 1};
    std::int64_t out[2] = {1, 1};
    std::int64_t channels = 1;
    const resize_neighbours* neighbours[2] = {nullptr, nullptr};
    const std::int8_t* input = nullptr;
    std::int8_t* output = nullptr;
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/rows/fixed_sum.hpp
#ifndef LPT_HOLDS_KERNEL_ROWS_FIXED_SUM_HPP
#define LPT_HOLDS_KERNEL_ROWS_FIXED_SUM_HPP
// Sums and averages of i8 codes over windows, in the arithmetic that operations specify.

namespace lpt::inline LPT_ABI::kernel {

/// Windows over [batch, rows, columns, channels], dense; the parts of them that lie inside an image count. Axes are rows, columns; all sizes >= 1.
/// n is the number of positions of a window inside the image, s the sum of their codes less n * zero_point.
///   averages:  q = s / n, rounded half away from zero, 0 where n is 0;
///   else:      q = the code of `fixed_scale`, without its shift to the left, for x = s, or, where `real` is not 0, the integer next to s * real, ties away
///              from zero, + offset of `scale`.
/// The result is q limited to [low, high]. Preconditions: n * 256 < 2^31;  |offset| < 2^29.
struct fixed_sum_problem {
    std::int64_t batch = 1;
    std::int64_t in[2] = {1, 1};
    std::int64_t out[2] = {1, 1};
    std::int64_t kernel[2] = {1, 1};
    std::int64_t stride[2] = {1, 1};
    std::int64_t pad_begin[2] = {0, 0};
    std::int64_t channels = 1;
    bool averages = false;
    std::int32_t zero_point = 0;
    fixed_scale scale;
    double real = 0;
    std::int32_t low = -128;
    std::int32_t high = 127;
    const std::int8_t* input = nullptr;
    std::int8_t* output = nullptr;
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/rows/specified.hpp
#ifndef LPT_HOLDS_KERNEL_ROWS_SPECIFIED_HPP
#define LPT_HOLDS_KERNEL_ROWS_SPECIFIED_HPP
// All problems of specified arithmetic.

namespace lpt::inline LPT_ABI::kernel {

/// The problems of operations in the arithmetic that they specify, which no plan has.
using specified_problems = problem_list<fixed_binary_problem, fixed_product_problem, fixed_resize_problem,
                                        fixed_sum_problem, real_prelu_problem>;

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/rows/top_k.hpp
#ifndef LPT_HOLDS_KERNEL_ROWS_TOP_K_HPP
#define LPT_HOLDS_KERNEL_ROWS_TOP_K_HPP
namespace lpt::inline LPT_ABI::kernel {

/// The `count` greatest (or least) f32 along one axis, and where they are; the input is `outer` x `length` x `inner`, the outputs
/// `outer` x `count` x `inner`; the `_rows` say where each of the `outer` begins. 1 <= count <= length < 2^31.
/// A number comes before another if it is greater (less); of equal ones the first comes first. NaN come last; of one that is looked for,
/// a NaN at the first place stays. The results stand in that order, or in that of their places.
/// `indices`: i32, or i64 where `wide_indices`. None of the outputs may be the input.
struct top_k_problem {
    std::int64_t outer = 1;
    std::int64_t length = 1;
    std::int64_t inner = 1;
    std::int64_t count = 1;
    bool least = false;
    bool by_place = false;
    bool wide_indices = false;
    const float* input = nullptr;
    float* values = nullptr;
    void* indices = nullptr;
    row_layout input_rows = {};
    row_layout value_rows = {};
    row_layout index_rows = {};

    static constexpr const char* name = "top_k";
    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit visit) {
        visit("outer", self.outer);
        visit("length", self.length);
        visit("inner", self.inner);
        visit("count", self.count);
        visit("least", self.least);
        visit("by_place", self.by_place);
        visit("wide_indices", self.wide_indices);
        visit("input", self.input);
        visit("values", self.values);
        visit("indices", self.indices);
        visit("input_rows", self.input_rows);
        visit("value_rows", self.value_rows);
        visit("index_rows", self.index_rows);
    }
    template <class Self, class Visit>
    static constexpr void spaced(Self& self, Visit visit) {
        visit(self.input, self.input_rows, self.length * self.inner, 1);
        visit(self.values, self.value_rows, self.count * self.inner, 1);
        visit(self.indices, self.index_rows, self.count * self.inner, 1);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/rows.hpp
#ifndef LPT_HOLDS_KERNEL_ROWS_HPP
#define LPT_HOLDS_KERNEL_ROWS_HPP
// The contract between whoever plans a network and the kernels: plain data, no SIMD, no graph.

namespace lpt::inline LPT_ABI::kernel {

/// An instruction set that the kernels are compiled for.
/// `scalar` is the definition; every other one gives the same bits.
/// `neon_i8mm` has the matrix products of bytes and the dot products.
/// `avx512_vnni_256` is the 256-bit AVX-VNNI code in EVEX encoding, for processors that have AVX-512 VNNI but not AVX-VNNI.
enum class isa : std::uint8_t { scalar, avx2, avx_vnni, avx512_vnni_256, avx512_vnni, neon, neon_dot, neon_i8mm };

/// Number of instruction sets in `isa`.
inline constexpr int isa_count = 8;

/// The name of an instruction set as command lines and reports spell it.
constexpr const char* name_of(isa set) noexcept {
    switch (set) {
        case isa::scalar: return "scalar";
        case isa::avx2: return "avx2";
        case isa::avx_vnni: return "avx_vnni";
        case isa::avx512_vnni_256: return "avx512_vnni_256";
        case isa::avx512_vnni: return "avx512_vnni";
        case isa::neon: return "neon";
        case isa::neon_dot: return "neon_dot";
        case isa::neon_i8mm: return "neon_i8mm";
    }
    return "";
}

/// Something that can run independent tasks; all zero means: run them one after the other on the caller's thread.
/// `run` calls `task(context, i)` once for each i in [0, tasks), on any threads, and returns when all are done.
/// `threads` (>= 1) is how many tasks a kernel should cut its work into. No result depends on it.
struct parallel_for {
    void* pool = nullptr;
    void (*run)(void* pool, int tasks, void (*task)(void* context, int index), void* context) = nullptr;
    int threads = 1;
};

// ---------------------------------------------------------------------------------------------------------------------
// Epilogue

/// Functions of one number that an epilogue can apply.
/// Each has one definition, an expression of IEEE single precision operations without contraction (`kernel/unary.hpp`, accuracy
/// there), so all instruction sets give the same bits.
enum class unary_function : std::uint8_t {
    sigmoid,  ///< 1 / (1 + exp(-v))
    tanh,  ///< tanh(v)
    hswish,  ///< v * (min(max(v + 3, 0), 6) / 6)
    hsigmoid,  ///< min(max(v + 3, 0), 6) / 6
    hard_sigmoid,  ///< min(max(fma(v, alpha, beta), 0), 1)
    gelu_erf,  ///< v * (1 + erf(v / sqrt(2))) / 2
    gelu_tanh,  ///< v * (1 + tanh(sqrt(2 / pi) * (v + 0.044715 v^3))) / 2
    swish,  ///< v / (1 + exp(-alpha * v)); alpha is 1 for SiLU
    mish,  ///< v * tanh(softplus(v))
    elu,  ///< v >= 0 ? v : alpha * (exp(v) - 1)
    selu,  ///< v > 0 ? beta * v : beta * alpha * (exp(v) - 1)
    softplus,  ///< ln(1 + exp(v))
    softsign,  ///< v / (1 + |v|)
    exp,  ///< exp(v)
    log,  ///< ln(v)
    erf,  ///< erf(v)
    sqrt,  ///< sqrt(v)
    abs,  ///< |v|
    negative,  ///< -v
    floor,  ///< the largest integer not above v
    ceiling,  ///< the smallest integer not below v
    round_even,  ///< the nearest integer, ties to even
    round_away,  ///< the nearest integer, ties away from zero
    sign,  ///< -1, 0 or 1
    reciprocal,  ///< 1 / v
    square,  ///< v * v
    cube,  ///< v * v * v
};

/// What a step of an epilogue does to v, the value of one output element in channel c of row r.
enum class post_kind : std::uint8_t {
    clamp,  ///< v = min(max(v, alpha), beta); NaN becomes alpha. ReLU is clamp(0, infinity)
    prelu,  ///< v = v < 0 ? v * a : v with a = per_channel_a[c], or alpha when that is null
    divide,  ///< v = v / a with a = per_channel_a[c], or alpha when that is null; one rounding
    scale_shift,  ///< v = fma(v, a, b) with a = per_channel_a[c] or alpha, b = per_channel_b[c] or beta
    add_residual,  ///< v = fma(float(residual[r, c]), alpha, v); fold zero points into the bias or a scale_shift before
    multiply_residual,  ///< v = v * fma(float(residual[r, c]), alpha, beta)
    unary,  ///< v = function(v), see unary_function for the meaning of alpha and beta
};

/// One step of an epilogue.
/// Arrays have one element per output channel and need neither padding nor alignment.
/// `residual` points at element (row 0, channel 0) of an array of type u8, i8, i32 or f32 with `residual_row_stride` elements
/// from row to row (0 repeats one row); rows are those of the problem's output.
struct post_operation {
    post_kind kind = post_kind::clamp;
    unary_function function = unary_function::abs;
    element_kind residual_type = element_kind::u8;
    float alpha = 0;
    float beta = 0;
    const float* per_channel_a = nullptr;
    const float* per_channel_b = nullptr;
    const void* residual = nullptr;
    std::int64_t residual_row_stride = 0;
};

/// What happens to an accumulator on its way to memory.
///   v = fma(float(accumulator), scale[c], bias[c]); then each post operation in order; then
///   u8, i8: round_half_even(min(max(v, quant_low), quant_high));   f32: v;   i32: the accumulator itself (everything else is ignored).
/// `scale` and `bias` have one element per output channel, or are null: then `scale_all` / `bias_all` holds for all channels.
/// `quant_low`, `quant_high`: integers inside the range of `output_type`; they saturate, and can be narrower to clamp for free.
/// Rounding: to nearest, ties to even; the fma rounds once. NaN becomes quant_low; as f32 it stays some quiet NaN.
/// float(accumulator) of a 32-bit integer rounds to nearest even.
/// `fixed`, of matrix products and convolutions of bytes with output i8: the code is that of `fixed_point`, of all else only the limits count.
struct epilogue {
    const float* scale = nullptr;
    const float* bias = nullptr;
    float scale_all = 1;
    float bias_all = 0;
    const post_operation* post = nullptr;
    int post_count = 0;
    element_kind output_type = element_kind::u8;
    float quant_low = 0;
    float quant_high = 255;
    const fixed_point* fixed = nullptr;
};

// ---------------------------------------------------------------------------------------------------------------------
// Matrix multiplication

/// The second operand of a matrix multiplication before packing: B[k, n] = data[k * k_stride + n * n_stride].
/// Strides are in elements, so row-major (n, 1) and transposed (1, k) matrices need no copy.
/// `type`: u8, i8, i4, or f32. `zero_points`: `zero_point_count` (0, 1 or n) values, each in [-128, 255]; B means B - zero_point.
struct gemm_weights {
    const void* data = nullptr;
    element_kind type = element_kind::i8;
    std::int64_t k = 0;
    std::int64_t n = 0;
    std::int64_t k_stride = 0;
    std::int64_t n_stride = 0;
    const std::int32_t* zero_points = nullptr;
    std::int64_t zero_point_count = 0;
};

/// C[m, n] = epilogue(sum over k of (A[m, k] - a_zero_point) * (B[k, n] - b_zero_point[n])).
/// A is u8 or i8 with `a_row_stride` elements from row to row, any alignment, and `a_zero_point` a value of its type; B comes from `pack_gemm` of the same table.
/// Accumulators are exact 32-bit integers (modulo 2^32 when K is so long that the sum does not fit).
/// A of type f32 goes with f32 weights only: the accumulator is then float, starts at 0 and takes fma(a, b, accumulator) for
/// k = 0, 1, 2 … in this order; it replaces float(accumulator), and output type i32 is not allowed.
/// Batches are calls with other pointers. m >= 0, n >= 1, k >= 1.
struct gemm_problem {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    const void* a = nullptr;
    element_kind a_type = element_kind::u8;
    std::int64_t a_row_stride = 0;
    std::int32_t a_zero_point = 0;
    const void* packed_b = nullptr;
    void* c = nullptr;
    std::int64_t c_row_stride = 0;
    epilogue finish;
};

// ---------------------------------------------------------------------------------------------------------------------
// Convolution

/// The geometry of a convolution. Spatial axes are depth, height, width; a 2-D convolution has depth 1, a 1-D one also height 1.
/// Channels are totals over all groups. Output sizes are given (they imply the padding at the end).
///   forward:    out[o] = sum over taps t of in[o * stride + t * dilation - pad_begin] * w[t], taps outside the image contribute 0;
///   transposed: in[i] * w[t] is added to out[i * stride + t * dilation - pad_begin] (positions outside are dropped).
struct convolution_shape {
    std::int64_t batch = 1;
    std::int64_t in[3] = {1, 1, 1};
    std::int64_t out[3] = {1, 1, 1};
    std::int64_t kernel[3] = {1, 1, 1};
    std::int64_t stride[3] = {1, 1, 1};
    std::int64_t dilation[3] = {1, 1, 1};
    std::int64_t pad_begin[3] = {0, 0, 0};
    std::int64_t in_channels = 1;
    std::int64_t out_channels = 1;
    std::int64_t groups = 1;
    bool transposed = false;
};

/// How a convolution is computed; its shape decides, and an instruction set may have a choice of its own.
enum class convolution_method : std::uint8_t {
    direct,  ///< sums as their definition says, one by one
    gemm,  ///< a matrix product as it is
    depthwise,  ///< one channel a group, not transposed
    implicit_gemm,  ///< sums over taps and channels, through pointers
    merged_lines,  ///< the same with the taps of a kernel line as one run of channels, over a padded copy of the image
    joined_lines,  ///< rows copied together from such lines
    im2col,  ///< rows copied together from their taps
};

/// The name of a method as reports spell it; copies of lines count as what they are a form of.
constexpr const char* name_of(convolution_method method) noexcept {
    switch (method) {
        case convolution_method::direct: return "direct";
        case convolution_method::gemm: return "gemm";
        case convolution_method::depthwise: return "depthwise";
        case convolution_method::implicit_gemm:
        case convolution_method::merged_lines: return "implicit_gemm";
        case convolution_method::joined_lines:
        case convolution_method::im2col: return "im2col";
    }
    return "";
}

/// Weights of a convolution before packing.
/// w[g, o, i, t] = data[g * group_stride + o * out_stride + i * in_stride + t * tap_stride]; o and i count inside the group, t is
/// the tap (kd * kernel[1] + kh) * kernel[2] + kw; strides are in elements. `type`: u8, i8, i4, or f32.
/// `zero_points`: `zero_point_count` (0, 1 or out_channels) values in [-128, 255]; w means w - zero_point.
struct convolution_weights {
    const void* data = nullptr;
    element_kind type = element_kind::i8;
    std::int64_t group_stride = 0;
    std::int64_t out_stride = 0;
    std::int64_t in_stride = 0;
    std::int64_t tap_stride = 1;
    const std::int32_t* zero_points = nullptr;
    std::int64_t zero_point_count = 0;
};

/// A convolution over channel-innermost (N D H W C) data:
///   out = epilogue(sum over taps and input channels of (in - input_zero_point) * (w - weights_zero_point)).
/// `input_pixel_stride`, `output_pixel_stride`: elements from pixel to pixel (>= channels, so slices of wider tensors work); pixels are
/// dense otherwise. The output's row of the epilogue is ((n * D + d) * H + h) * W + w.
/// `input_zero_point` must be a value of the input type (it is what padding reads as); for f32 it is 0.
/// `scratch`: `convolution_scratch_bytes(shape, input_type, threads)` bytes, any alignment, contents irrelevant; may be null when that is 0.
/// f32 input goes with f32 weights only, see gemm_problem; the order of the sum is taps, then input channels; taps outside the image
/// are added as zeros (fma(0, w, accumulator)), but for those of a transposed convolution that lead to no input position for their output.
struct convolution_problem {
    convolution_shape shape;
    const void* input = nullptr;
    element_kind input_type = element_kind::u8;
    std::int64_t input_pixel_stride = 0;
    std::int32_t input_zero_point = 0;
    const void* packed_weights = nullptr;
    void* output = nullptr;
    std::int64_t output_pixel_stride = 0;
    void* scratch = nullptr;
    epilogue finish;
};

// ---------------------------------------------------------------------------------------------------------------------
// Pooling

/// Which pooling.
enum class pool_kind : std::uint8_t {
    max,  ///< largest element of the window inside the image (the lowest value of the type if there is none)
    average_exclude_pad,  ///< sum inside the image / number of elements inside the image (0 / 1 if there is none)
    average_include_pad,  ///< (sum inside + zero_point * rest) / number of elements inside the padded image
};

/// Max or average pooling over channel-innermost (N D H W C) data of type u8, i8 or f32.
///   max:     x = float(largest);   average: x = float(sum) / float(count), one rounding each;
///   v = fma(x, scale[c], bias[c]), post operations and store as in `epilogue` (output i32 is not allowed).
/// f32 input: sums start at 0 and add in the order d, h, w of the window; NaN compares as not larger.
/// `pad_end` matters only to average_include_pad: the window is cut to [-pad_begin, in + pad_end).
/// A pass-through max pooling (same type, scale 1, bias 0, no post operation, full quantization range) copies values exactly.
struct pool_problem {
    pool_kind kind = pool_kind::max;
    std::int64_t batch = 1;
    std::int64_t channels = 1;
    std::int64_t in[3] = {1, 1, 1};
    std::int64_t out[3] = {1, 1, 1};
    std::int64_t kernel[3] = {1, 1, 1};
    std::int64_t stride[3] = {1, 1, 1};
    std::int64_t dilation[3] = {1, 1, 1};
    std::int64_t pad_begin[3] = {0, 0, 0};
    std::int64_t pad_end[3] = {0, 0, 0};
    const void* input = nullptr;
    element_kind input_type = element_kind::u8;
    std::int64_t input_pixel_stride = 0;
    std::int32_t input_zero_point = 0;
    void* output = nullptr;
    std::int64_t output_pixel_stride = 0;
    epilogue finish;
};

// ---------------------------------------------------------------------------------------------------------------------
// Elementwise

/// Elements of a row that elementwise kernels and pooling take at a time; their buffers live on the stack.
inline constexpr int finish_columns = 256;

/// Functions of two numbers.
enum class binary_function : std::uint8_t { add, subtract, multiply, divide, maximum, minimum, squared_difference };

/// One operand of `binary`: element (r, c) is data[r * row_stride + c * channel_stride], of type u8, i8, i32 or f32;
/// its value is fma(float(element), scale, shift) with per-channel arrays, or `scale_all` / `shift_all` where they are null.
/// row_stride 0 repeats one row; channel_stride is 1, or 0 for one value a row.
struct binary_operand {
    const void* data = nullptr;
    element_kind type = element_kind::u8;
    std::int64_t row_stride = 0;
    std::int64_t channel_stride = 1;
    const float* scale = nullptr;
    const float* shift = nullptr;
    float scale_all = 1;
    float shift_all = 0;
};

/// out[r, c] = epilogue with x = function(a[r, c], b[r, c]) in place of float(accumulator); output i32 is not allowed.
/// add, subtract, multiply, divide round once; maximum is a > b ? a : b, minimum is a < b ? a : b;
/// squared_difference is (a - b) * (a - b).
struct binary_problem {
    binary_function function = binary_function::add;
    std::int64_t rows = 0;
    std::int64_t channels = 0;
    binary_operand a;
    binary_operand b;
    void* output = nullptr;
    std::int64_t output_row_stride = 0;
    epilogue finish;
};

// ---------------------------------------------------------------------------------------------------------------------
// Conversion: quantize, dequantize, requantize, any of them with a change of layout

/// Where element (batch n, pixel p, channel c) is: data[n * batch_stride + p * pixel_stride + c * channel_stride], in elements.
/// Channel innermost: {pixels * channels, channels, 1}; planes (NCHW): {channels * pixels, 1, pixels}.
struct element_layout {
    std::int64_t batch_stride = 0;
    std::int64_t pixel_stride = 0;
    std::int64_t channel_stride = 0;
};

/// Quantize (f32 to u8/i8), dequantize (u8/i8 to f32), requantize (i32/u8/i8 to u8/i8), and plain f32 arithmetic:
///   x = min(max(float(input), input_low[c]), input_high[c]);   v and the store as in `epilogue` with x in place of float(accumulator).
/// `input_low` / `input_high`: per channel arrays, or null: `input_low_all` / `input_high_all`, whose defaults do not clamp.
/// NaN becomes the channel's input_low; without bounds (no arrays, infinite `_all`) it is not touched here. Any input and output type (output i32 only for input i32, a copy).
/// Rows of post operations are n * pixels + p. Input and output must not overlap unless type and layout agree.
struct convert_problem {
    std::int64_t batch = 1;
    std::int64_t pixels = 1;
    std::int64_t channels = 1;
    const void* input = nullptr;
    element_kind input_type = element_kind::f32;
    element_layout input_layout;
    const float* input_low = nullptr;
    const float* input_high = nullptr;
    float input_low_all = -__builtin_inff();
    float input_high_all = __builtin_inff();
    void* output = nullptr;
    element_layout output_layout;
    epilogue finish;
};

// ---------------------------------------------------------------------------------------------------------------------
// The table

/// The problems that say their fields themselves (`kernel/rows/`); `kernel_of<Isa, Problem>` has the kernel of each.
using problems =
    problem_list<softmax_problem, attention_problem, normalization_problem, reduction_problem, recurrent_problem,
                 cast_problem, pointwise_problem, resampling_problem, compressed_product_problem, top_k_problem>;

namespace detail {

template <class Problem>
struct kernel_entry {
    void (*run)(const Problem& problem, const parallel_for& parallel) = nullptr;
};
template <class Problems>
struct kernel_entries;
template <class... Problems>
struct kernel_entries<problem_list<Problems...>> : kernel_entry<Problems>... {};

}  // namespace detail

/// All kernels of one instruction set. Kernels never allocate, never throw, keep no state and check nothing: the problem must keep
/// the preconditions that its struct states. Packed data belongs to the table that packed it. Buffers of packed data are best aligned
/// to 64 bytes, but need not be.
struct kernel_table {
    isa instruction_set = isa::scalar;

    /// Bytes that `pack_gemm` writes for weights of this type.
    std::size_t (*packed_gemm_bytes)(element_kind type, std::int64_t k, std::int64_t n) = nullptr;
    void (*pack_gemm)(const gemm_weights& weights, void* packed, const parallel_for& parallel) = nullptr;
    void (*gemm)(const gemm_problem& problem, const parallel_for& parallel) = nullptr;

    /// Bytes that `pack_convolution` writes for weights of this type.
    std::size_t (*packed_convolution_bytes)(const convolution_shape& shape, element_kind type) = nullptr;
    void (*pack_convolution)(const convolution_shape& shape, const convolution_weights& weights, void* packed,
                             const parallel_for& parallel) = nullptr;
    /// Bytes of scratch memory for an input of this type; grows with `threads`, which must be the one of `parallel` in the call.
    std::size_t (*convolution_scratch_bytes)(const convolution_shape& shape, element_kind input_type,
                                             int threads) = nullptr;
    void (*convolution)(const convolution_problem& problem, const parallel_for& parallel) = nullptr;
    /// How the shape is computed.
    convolution_method (*method_of_convolution)(const convolution_shape& shape) = nullptr;

    /// Bytes that `pack_fixed_product` writes; 0 where the other kernels are faster.
    std::size_t (*packed_fixed_product_bytes)(const fixed_product_shape& shape) = nullptr;
    void (*pack_fixed_product)(const fixed_product_shape& shape, const fixed_product_weights& weights,
                               void* packed) = nullptr;

    void (*pool)(const pool_problem& problem, const parallel_for& parallel) = nullptr;
    void (*binary)(const binary_problem& problem, const parallel_for& parallel) = nullptr;
    void (*convert)(const convert_problem& problem, const parallel_for& parallel) = nullptr;
    void (*lookup)(const lookup_problem& problem, const parallel_for& parallel) = nullptr;
    void (*transpose)(const transpose_problem& problem, const parallel_for& parallel) = nullptr;

    /// The kernels of `problems` and of `specified_problems`.
    detail::kernel_entries<problems> others = {};
    detail::kernel_entries<specified_problems> specified = {};

    /// Runs the kernel of one of these problems.
    template <class Problem>
    void run(const Problem& problem, const parallel_for& parallel) const {
        if constexpr (requires { static_cast<const detail::kernel_entry<Problem>&>(others); })
            static_cast<const detail::kernel_entry<Problem>&>(others).run(problem, parallel);
        else
            static_cast<const detail::kernel_entry<Problem>&>(specified).run(problem, parallel);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/isa.hpp
#ifndef LPT_HOLDS_KERNEL_ISA_HPP
#define LPT_HOLDS_KERNEL_ISA_HPP
// Instruction sets as types, and what the processor that runs this program has.

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif
#if defined(__aarch64__) && defined(__APPLE__)
#include <sys/sysctl.h>
#endif
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace lpt::inline LPT_ABI::kernel::on {

/// One type per instruction set; everything that is compiled with special flags is a template on one of these, so that the
/// linker never merges code of two instruction sets.
struct scalar {
    static constexpr isa value = isa::scalar;
};
struct avx2 {
    static constexpr isa value = isa::avx2;
};
struct avx_vnni {
    static constexpr isa value = isa::avx_vnni;
};
struct avx512_vnni_256 {
    static constexpr isa value = isa::avx512_vnni_256;
};
struct avx512_vnni {
    static constexpr isa value = isa::avx512_vnni;
};
struct neon {
    static constexpr isa value = isa::neon;
};
struct neon_dot {
    static constexpr isa value = isa::neon_dot;
};
struct neon_i8mm {
    static constexpr isa value = isa::neon_i8mm;
};

}  // namespace lpt::inline LPT_ABI::kernel::on

namespace lpt::inline LPT_ABI::kernel {

/// Whether this build contains code for an instruction set (the target architecture decides).
constexpr bool is_built(isa set) noexcept {
#if defined(__x86_64__)
    return set == isa::scalar || set == isa::avx2 || set == isa::avx_vnni || set == isa::avx512_vnni_256 ||
           set == isa::avx512_vnni;
#elif defined(__aarch64__)
    return set == isa::scalar || set == isa::neon || set == isa::neon_dot || set == isa::neon_i8mm;
#else
    return set == isa::scalar;
#endif
}

namespace detail {

#if defined(__x86_64__)
/// Feature bits of the processor, already reduced by what the operating system saves on a context switch.
struct x86_features {
    bool avx2 = false;  // with FMA
    bool avx_vnni = false;
    bool avx512 = false;  // F, BW, VL, DQ
    bool avx512_vnni = false;
};

inline x86_features read_x86_features() noexcept {
    x86_features found;
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid(1, &a, &b, &c, &d) == 0) return found;
    const bool os_saves_state = (c >> 27 & 1u) != 0;
    const bool has_avx = (c >> 28 & 1u) != 0;
    const bool has_fma = (c >> 12 & 1u) != 0;
    if (!os_saves_state || !has_avx) return found;
    unsigned low = 0, high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    const bool ymm_saved = (low & 0x06u) == 0x06u;
    const bool zmm_saved = (low & 0xe6u) == 0xe6u;
    if (!ymm_saved || __get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return found;
    const unsigned leaf7_subleaves = a;
    found.avx2 = (b >> 5 & 1u) != 0 && has_fma;
    const unsigned foundation = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31;  // F, DQ, BW, VL
    found.avx512 = found.avx2 && zmm_saved && (b & foundation) == foundation;
    found.avx512_vnni = found.avx512 && (c >> 11 & 1u) != 0;
    if (leaf7_subleaves >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0)
        found.avx_vnni = found.avx2 && (a >> 4 & 1u) != 0;
    return found;
}
#endif

}  // namespace detail

/// Whether this processor and operating system can execute an instruction set, and this build contains it.
inline bool is_available(isa set) noexcept {
    if (!is_built(set)) return false;
    if (set == isa::scalar) return true;
#if defined(__x86_64__)
    static const detail::x86_features found =
        detail::read_x86_features();  // a virtual machine takes 20 us for each cpuid
    switch (set) {
        case isa::avx2: return found.avx2;
        case isa::avx_vnni: return found.avx_vnni;
        case isa::avx512_vnni_256:
        case isa::avx512_vnni: return found.avx512_vnni;
        default: return false;
    }
#elif defined(__aarch64__)
    if (set == isa::neon) return true; // part of the base architecture
#if defined(__linux__)
    const unsigned long dot_product_bit = 1ul << 20;  // HWCAP_ASIMDDP
    const unsigned long matrix_product_bit = 1ul << 13;  // HWCAP2_I8MM
    if ((getauxval(AT_HWCAP) & dot_product_bit) == 0) return false;
    return set == isa::neon_dot || (getauxval(AT_HWCAP2) & matrix_product_bit) != 0;
#elif defined(__APPLE__)
    if (set == isa::neon_dot) return true;  // every 64-bit Apple processor since 2018; macOS runs on no older one
    int found = 0;
    std::size_t size = sizeof found;
    return sysctlbyname("hw.optional.arm.FEAT_I8MM", &found, &size, nullptr, 0) == 0 && found != 0;
#else
    return false;
#endif
#else
    return false;
#endif
}

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/dispatch.hpp
#ifndef LPT_HOLDS_KERNEL_DISPATCH_HPP
#define LPT_HOLDS_KERNEL_DISPATCH_HPP
// Choosing the kernels at run time.

namespace lpt::inline LPT_ABI::kernel {

/// Defined in the translation units that the CMake function `lpt_add_kernels` generates, one per instruction set.
template <class Isa>
const kernel_table& table_of() noexcept;

extern template const kernel_table& table_of<on::scalar>() noexcept;
#if defined(__x86_64__)
extern template const kernel_table& table_of<on::avx2>() noexcept;
extern template const kernel_table& table_of<on::avx_vnni>() noexcept;
extern template const kernel_table& table_of<on::avx512_vnni_256>() noexcept;
extern template const kernel_table& table_of<on::avx512_vnni>() noexcept;
#elif defined(__aarch64__)
extern template const kernel_table& table_of<on::neon>() noexcept;
extern template const kernel_table& table_of<on::neon_dot>() noexcept;
extern template const kernel_table& table_of<on::neon_i8mm>() noexcept;
#endif

/// The fastest instruction set that this processor has.
inline isa best_isa() noexcept {
    const isa order[] = {isa::avx512_vnni, isa::avx_vnni, isa::avx2, isa::neon_i8mm, isa::neon_dot, isa::neon};
    for (const isa set : order) {
        if (is_available(set)) return set;
    }
    return isa::scalar;
}

/// The kernels of an instruction set.
/// Errors: lpt::error when the build or the processor lacks it.
inline const kernel_table& table_for(isa set) {
    if (!is_available(set)) {
        fail({"instruction set ", name_of(set), is_built(set) ? ": this processor lacks it" : ": not in this build",
              "; the best available is ", name_of(best_isa())});
    }
    switch (set) {
#if defined(__x86_64__)
        case isa::avx2: return table_of<on::avx2>();
        case isa::avx_vnni: return table_of<on::avx_vnni>();
        case isa::avx512_vnni_256: return table_of<on::avx512_vnni_256>();
        case isa::avx512_vnni: return table_of<on::avx512_vnni>();
#elif defined(__aarch64__)
        case isa::neon: return table_of<on::neon>();
        case isa::neon_dot: return table_of<on::neon_dot>();
        case isa::neon_i8mm: return table_of<on::neon_i8mm>();
#endif
        default: return table_of<on::scalar>();
    }
}

/// The instruction set of this name.
/// Errors: lpt::error for an unknown name, with the known ones.
inline isa isa_named(const char* name) {
    for (int i = 0; i < isa_count; ++i) {
        const char* known = name_of(static_cast<isa>(i));
        if (__builtin_strcmp(known, name) == 0) return static_cast<isa>(i);
    }
    fail({"unknown instruction set ", name,
          ": expected scalar, avx2, avx_vnni, avx512_vnni_256, avx512_vnni, neon, neon_dot or neon_i8mm"});
}

} // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/runtime/platform.hpp
#ifndef LPT_HOLDS_RUNTIME_PLATFORM_HPP
#define LPT_HOLDS_RUNTIME_PLATFORM_HPP
// What the executor asks of the operating system; each question has an answer on every system.

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

namespace lpt::inline LPT_ABI::runtime {

/// Bytes of memory that this machine has; SIZE_MAX where the system does not tell.
inline std::size_t memory_of_machine() noexcept {
#if defined(_SC_PHYS_PAGES) && defined(_SC_PAGESIZE)
    const long pages = ::sysconf(_SC_PHYS_PAGES);
    const long size = ::sysconf(_SC_PAGESIZE);
    if (pages > 0 && size > 0) {
        return static_cast<std::size_t>(pages) * static_cast<std::size_t>(size);
    }
#endif
    return SIZE_MAX;
}

/// Seconds that all processors together have worked for this process, from some moment on.
inline double processor_seconds() noexcept {
#if defined(CLOCK_PROCESS_CPUTIME_ID)
    ::timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
#else
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
#endif
}

}  // namespace lpt::inline LPT_ABI::runtime
#endif

// ======== lpt/plan/spread.hpp
#ifndef LPT_HOLDS_PLAN_SPREAD_HPP
#define LPT_HOLDS_PLAN_SPREAD_HPP
namespace lpt::inline LPT_ABI::plan {

/// What changes nothing when it is added, not even the sign of a zero.
inline constexpr double no_shift = -0.0;
inline bool is_no_shift(double value) { return value == 0 && math::sign_bit(value); }
/// A shift that comes before a scaling as one that comes behind it.
inline double scaled_shift(double shift, double scale) { return is_no_shift(shift) ? no_shift : shift * scale; }

/// Numbers that belong to the elements of a tensor by numpy's rule: sizes are the tensor's or 1. One number has no axes.
struct spread {
    lpt::shape dimensions;
    std::vector<double> values{0.0};

    static spread of(double value) { return {lpt::shape{}, {value}}; }

    bool is_one() const { return values.size() == 1; }
    double one() const { return values[0]; }
    bool is(double value) const { return is_one() && values[0] == value; }
    bool is_nothing_to_add() const { return is_one() && is_no_shift(values[0]); }

    /// Equal numbers become one.
    void simplify() {
        for (const double each : values) {
            if (!(each == values[0]) || math::sign_bit(each) != math::sign_bit(values[0])) {
                return;
            }
        }
        values.resize(1);
        dimensions = lpt::shape{};
    }
    /// True if the numbers differ along no axis but `axis`.
    bool varies_only_along(std::size_t axis) const {
        for (std::size_t each = 0; each < dimensions.rank(); ++each) {
            if (each != axis && dimensions[each] != 1) {
                return false;
            }
        }
        return true;
    }
    template <class Function>
    spread map(Function function) const {
        spread result = *this;
        for (double& each : result.values) {
            each = function(each);
        }
        result.simplify();
        return result;
    }
    template <class Test>
    bool all(Test test) const {
        for (const double each : values) {
            if (!test(each)) {
                return false;
            }
        }
        return true;
    }
    /// The stride of each axis in `values`; 0 where the numbers do not vary. `rank` is that of a tensor that has these axes last.
    std::vector<std::int64_t> strides(std::size_t rank) const {
        std::vector<std::int64_t> result(rank, 0);
        std::int64_t stride = 1;
        const std::size_t before = rank - dimensions.rank();
        for (std::size_t axis = dimensions.rank(); axis-- > 0;) {
            result[before + axis] = dimensions[axis] == 1 ? 0 : stride;
            stride *= dimensions[axis];
        }
        return result;
    }
};

/// The numbers of a constant that belong to a tensor of this shape; false if it would enlarge the tensor.
inline bool spread_of(const tensor& constant, const shape& data, spread& result) {
    const shape& own = constant.dimensions();
    const std::size_t rank = data.rank();
    shape aligned = shape::of_ones(rank);
    for (std::size_t i = 0; i < own.rank(); ++i) {
        const dimension size = own[own.rank() - 1 - i];
        if (size == 1) {
            continue;
        }
        if (i >= rank || size != data[rank - 1 - i]) {
            return false;
        }
        aligned[rank - 1 - i] = size;
    }
    const std::size_t count = constant.elements();
    if (count == 0) {
        return false;
    }
    result.dimensions = aligned;
    result.values.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        result.values[i] = constant.real(i);
    }
    result.simplify();
    return true;
}

/// function(left, right), element by element; false if that has more numbers than both, as a row and a column.
template <class Function>
bool combine(const spread& left, const spread& right, spread& result, Function function) {
    if (left.is_one() || right.is_one()) {
        const spread& larger = left.is_one() ? right : left;
        spread made = larger;
        for (std::size_t i = 0; i < made.values.size(); ++i) {
            made.values[i] = function(left.values[left.is_one() ? 0 : i], right.values[right.is_one() ? 0 : i]);
        }
        made.simplify();
        result = std::move(made);
        return true;
    }
    shape merged;
    if (!broadcast_shapes(left.dimensions, right.dimensions, merged)) {
        return false;
    }
    const std::size_t count = merged.elements();
    if (count > left.values.size() && count > right.values.size()) {
        return false;
    }
    const std::size_t rank = merged.rank();
    const std::vector<std::int64_t> a = left.strides(rank);
    const std::vector<std::int64_t> b = right.strides(rank);
    std::vector<std::int64_t> at(rank, 0);
    spread made{merged, std::vector<double>(count)};
    for (std::size_t i = 0; i < count; ++i) {
        std::int64_t from_a = 0;
        std::int64_t from_b = 0;
        for (std::size_t axis = 0; axis < rank; ++axis) {
            from_a += at[axis] * a[axis];
            from_b += at[axis] * b[axis];
        }
        made.values[i] =
            function(left.values[static_cast<std::size_t>(from_a)], right.values[static_cast<std::size_t>(from_b)]);
        for (std::size_t axis = rank; axis-- > 0;) {
            if (++at[axis] < merged[axis]) {
                break;
            }
            at[axis] = 0;
        }
    }
    made.simplify();
    result = std::move(made);
    return true;
}

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/plan/source.hpp
#ifndef LPT_HOLDS_PLAN_SOURCE_HPP
#define LPT_HOLDS_PLAN_SOURCE_HPP
// Which outputs are quantized tensors in disguise.

namespace lpt::inline LPT_ABI::plan {

inline bool is_byte(element type) { return type == u8 || type == i8; }

/// Zero points that all are 0 are none.
inline void drop_zeros(std::vector<std::int32_t>& zero_points) {
    for (const std::int32_t each : zero_points) {
        if (each != 0) {
            return;
        }
    }
    zero_points.clear();
}

/// What an output of the graph is: scale * base + shift, element by element.
///
/// A dequantization is not computed where its readers can take the low precision tensor and its constants instead.
struct quantized_source {
    output_ref base;
    spread scale = spread::of(1);
    spread shift = spread::of(no_shift);
    /// Of a base of bytes with one scale: scale * (base - zero_point), all in the range of its type; one, or one for each channel (axis
    /// 1). Empty where it is not of this form.
    std::vector<std::int32_t> zero_points;

    bool has_one_zero_point() const { return zero_points.size() == 1; }
    std::int32_t zero_point() const { return has_one_zero_point() ? zero_points[0] : 0; }
};

/// The number of the input of an elementwise operation of two inputs that is not the Constant with these numbers; -1 if there is
/// no such Constant.
inline int data_port(const graph& model, const node& each, spread& constant) {
    for (const int port : {1, 0}) {
        const tensor* value = model.constant_value(each.input(static_cast<std::size_t>(port)));
        if (value != nullptr && spread_of(*value, each.shape(), constant) &&
            model.shape(each.input(static_cast<std::size_t>(1 - port))) == each.shape()) {
            return 1 - port;
        }
    }
    return -1;
}

namespace detail {

/// Puts one more operation behind a source; false if it is not a sum or product with known numbers.
inline bool apply_to_source(const graph& model, node_id id, quantized_source& of) {
    const node& each = model[id];
    if (each.is<op::convert>()) {
        return true;
    }
    spread constant;
    const int port = data_port(model, each, constant);
    if (port < 0) {
        return false;
    }
    const auto product = [](double a, double b) { return a * b; };
    const auto sum = [](double a, double b) { return a + b; };
    switch (each.kind()) {
        case op::kind::multiply:
            return combine(of.scale, constant, of.scale, product) &&
                   combine(of.shift, constant, of.shift, scaled_shift);
        case op::kind::add: return combine(of.shift, constant, of.shift, sum);
        case op::kind::subtract:
            return port == 0 && combine(of.shift, constant.map([](double v) { return -v; }), of.shift, sum);
        default: return false;
    }
}

/// The input of a node that may be a step of a dequantization; -1 if it cannot be, or has no elements, which no kernel takes.
inline int dequantization_port(const graph& model, node_id id) {
    const node& each = model[id];
    if (each.outputs() != 1 || each.type() != f32 || each.shape().dimensions().contains(0)) {
        return -1;
    }
    switch (each.kind()) {
        case op::kind::convert: return 0;
        case op::kind::multiply:
        case op::kind::add:
        case op::kind::subtract: {
            spread constant;
            return data_port(model, each, constant);
        }
        default: return -1;
    }
}

/// Zero points come as shifts, -scale * zero_point, rounded: within 1e-5 of a whole number they are meant to be that.
inline bool zero_point_of(element type, double scale, double shift, std::int32_t& result) {
    const double value = -shift / scale;
    const double rounded = math::round_half_even(value);
    if (!(math::absolute(value - rounded) < 1e-5) || rounded < facts(type).lowest || rounded > facts(type).highest) {
        return false;
    }
    result = static_cast<std::int32_t>(rounded);
    return true;
}

inline std::vector<std::int32_t> zero_points_of(element type, const spread& scale, const spread& shift) {
    std::vector<std::int32_t> result;
    if (!is_byte(type) || !scale.is_one() || scale.one() == 0 || (!shift.is_one() && !shift.varies_only_along(1))) {
        return result;
    }
    result.resize(shift.values.size());
    for (std::size_t i = 0; i < result.size(); ++i) {
        if (!zero_point_of(type, scale.one(), shift.values[i], result[i])) {
            return {};
        }
    }
    return result;
}

}  // namespace detail

/// So many operations in a row may be one dequantization: everybody who asks for its source walks up to it.
inline constexpr std::size_t longest_dequantization = 16;

/// An output as it is.
inline quantized_source plain_source(const graph& model, output_ref output) {
    quantized_source result{output, spread::of(1), spread::of(no_shift), {}};
    result.zero_points = detail::zero_points_of(model.type(output), result.scale, result.shift);
    return result;
}

/// The u8 or i8 tensor that an output is a dequantization of, and its constants; the output itself where it is none.
inline quantized_source source_of(const graph& model, output_ref output) {
    std::vector<node_id> above;
    output_ref base = output;
    while (!is_byte(model.type(base))) {
        const int port = above.size() < longest_dequantization ? detail::dequantization_port(model, base.node) : -1;
        if (port < 0) {
            return plain_source(model, output);
        }
        above.push_back(base.node);
        base = model[base.node].input(static_cast<std::size_t>(port));
    }
    quantized_source result{base, spread::of(1), spread::of(no_shift), {}};
    for (std::size_t i = above.size(); i-- > 0;) {
        if (!detail::apply_to_source(model, above[i], result)) {
            return plain_source(model, output);
        }
    }
    result.zero_points = detail::zero_points_of(model.type(base), result.scale, result.shift);
    return result;
}

/// True if the output is a dequantization: it is made only for readers that cannot take the low precision tensor.
inline bool is_dequantization(const graph& model, output_ref output) {
    return !(source_of(model, output).base == output);
}

/// The sources of a graph's outputs, each found once, when somebody first asks. The graph must stay as it is, and where it is.
class quantized_sources {
    const graph& model_;
    std::map<std::pair<std::size_t, std::int32_t>, quantized_source> known_;

public:
    explicit quantized_sources(const graph& model) : model_(model) {}

    const graph& model() const { return model_; }
    /// What an output is; the reference holds as long as the sources do.
    const quantized_source& of(output_ref output) {
        const std::pair key(index_of(output.node), output.port);
        const auto known = known_.find(key);
        return known != known_.end() ? known->second : known_.emplace(key, source_of(model_, output)).first->second;
    }
    bool is_dequantization(output_ref output) { return !(of(output).base == output); }
};

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/plan/recurrent_weights.hpp
#ifndef LPT_HOLDS_PLAN_RECURRENT_WEIGHTS_HPP
#define LPT_HOLDS_PLAN_RECURRENT_WEIGHTS_HPP
// Weights of recurrent operations: bytes with a scale for each row, where the network has them, or real numbers.

namespace lpt::inline LPT_ABI::plan {

/// What a recurrent operation is, and where its inputs are.
struct recurrent_form {
    const op::detail::recurrent_attributes* attributes = nullptr;  // null: the operation is not recurrent
    kernel::recurrent_kind kind = kernel::recurrent_kind::lstm;
    std::size_t weights = 0;  // port of W; R and b follow
    bool is_sequence = false;
    op::recurrent_direction direction = op::recurrent_direction::forward;

    bool is_recurrent() const { return attributes != nullptr; }
    /// True for the port of W or R.
    bool has_weights(std::size_t port) const { return is_recurrent() && (port == weights || port == weights + 1); }
};

namespace detail {

inline kernel::recurrent_kind gru_kind(bool linear_before_reset) {
    return linear_before_reset ? kernel::recurrent_kind::gru_linear : kernel::recurrent_kind::gru;
}

}  // namespace detail

inline recurrent_form recurrent_form_of(const node& each) {
    constexpr auto lstm = kernel::recurrent_kind::lstm;
    switch (each.kind()) {
        case op::kind::lstm_cell: return {&each.as<op::lstm_cell>(), lstm, 3};
        case op::kind::gru_cell: {
            const auto& self = each.as<op::gru_cell>();
            return {&self, detail::gru_kind(self.linear_before_reset), 2};
        }
        case op::kind::lstm_sequence: {
            const auto& self = each.as<op::lstm_sequence>();
            return {&self, lstm, 4, true, self.direction};
        }
        case op::kind::gru_sequence: {
            const auto& self = each.as<op::gru_sequence>();
            return {&self, detail::gru_kind(self.linear_before_reset), 3, true, self.direction};
        }
        default: return {};
    }
}

/// True for an operation without peepholes and types of its own, whose bias is known.
inline bool is_plain_recurrent(const graph& model, const node& each, const recurrent_form& form) {
    const std::size_t bias = form.weights + 2;
    return each.own_types() == nullptr && each.inputs() <= bias + 1 &&
           (each.inputs() <= bias || model.constant_value(each.input(bias)) != nullptr);
}

/// Rows of weights, W or R: scale * (value - zero_point), with one of each for every row. `zero_points`: none where all are 0; `scales`:
/// none of real numbers.
struct recurrent_weights {
    tensor values;
    std::vector<float> scales;
    std::vector<std::int32_t> zero_points;

    bool are_bytes() const { return !scales.empty(); }
};

namespace detail {

/// The numbers of each row of a tensor, all axes but the last together being rows; false if they vary inside of rows.
inline bool numbers_of_rows(const spread& numbers, const shape& dimensions, std::vector<double>& result) {
    const std::size_t rank = dimensions.rank();
    const std::vector<std::int64_t> strides = numbers.strides(rank);
    if (strides[rank - 1] != 0) {
        return false;
    }
    result.assign(dimensions.elements() / static_cast<std::size_t>(dimensions[rank - 1]), 0);
    for (std::size_t row = 0; row < result.size(); ++row) {
        std::int64_t at = 0;
        std::size_t rest = row;
        for (std::size_t axis = rank - 1; axis-- > 0;) {
            const auto size = static_cast<std::size_t>(dimensions[axis]);
            at += static_cast<std::int64_t>(rest % size) * strides[axis];
            rest /= size;
        }
        result[row] = numbers.values[static_cast<std::size_t>(at)];
    }
    return true;
}

}  // namespace detail

/// Sums of so many products of bytes less their zero points, of magnitudes to 255 each, fit into 32 bits.
inline constexpr dimension most_inner = 32768;

/// Constant bytes that an input dequantizes, one scale and zero point a row of at most `most_inner`; no values where it does something
/// else.
inline recurrent_weights bytes_of_weights(const graph& model, output_ref input) {
    const quantized_source source = source_of(model, input);
    const tensor* values = model.constant_value(source.base);
    if (values == nullptr || !is_byte(values->type()) || values->dimensions().rank() < 2 || values->elements() == 0 ||
        values->dimensions()[values->dimensions().rank() - 1] > most_inner) {
        return {};
    }
    std::vector<double> scales;
    std::vector<double> shifts;
    if (!detail::numbers_of_rows(source.scale, values->dimensions(), scales) ||
        !detail::numbers_of_rows(source.shift, values->dimensions(), shifts)) {
        return {};
    }
    recurrent_weights result;
    for (std::size_t row = 0; row < scales.size(); ++row) {
        std::int32_t zero_point = 0;
        if (shifts[row] != 0 && !detail::zero_point_of(values->type(), scales[row], shifts[row], zero_point)) {
            return {};
        }
        result.scales.push_back(static_cast<float>(scales[row]));
        result.zero_points.push_back(zero_point);
    }
    drop_zeros(result.zero_points);
    result.values = *values;
    return result;
}

/// The operation that begins what may be a dequantization of Constant bytes above an output; none where there is no such Constant.
inline node_id first_of_dequantization(const graph& model, output_ref output) {
    for (std::size_t i = 0; i < longest_dequantization; ++i) {
        const node& each = model[output.node];
        if (!each.is<op::convert>() && !each.is<op::multiply>() && !each.is<op::subtract>()) {
            return node_id::none;
        }
        const tensor* values = model.constant_value(each.input(0));
        if (values != nullptr) {
            return is_byte(values->type()) ? output.node : node_id::none;
        }
        output = each.input(0);
    }
    return node_id::none;
}

/// True if the gates keep hidden states that were in [-1, 1] there: then 16 bits say of each what matters. Real data have no such
/// range, and are not split.
inline bool has_bounded_states(const recurrent_form& form) {
    const seq<text>& functions = form.attributes->activations;
    const text& last = functions[form.kind == kernel::recurrent_kind::lstm ? 2 : 1];
    return functions[0] == "sigmoid" && (last == "tanh" || last == "sigmoid");
}

/// True if the kernel of a recurrent operation without peepholes multiplies the bytes of this port: R where states are bounded, W where data
/// are bytes. Both weights and the bias must be known.
inline bool multiplies_bytes(const graph& model, const node& each, std::size_t port) {
    const recurrent_form form = recurrent_form_of(each);
    const bool is_state = port == form.weights + 1;
    if (!form.has_weights(port) || !is_plain_recurrent(model, each, form) || (is_state && !has_bounded_states(form))) {
        return false;
    }
    const output_ref other = each.input(is_state ? form.weights : form.weights + 1);
    const bool is_other_known = model.constant_value(other) != nullptr || bytes_of_weights(model, other).are_bytes();
    return is_other_known && (is_state || source_of(model, each.input(0)).has_one_zero_point()) &&
           bytes_of_weights(model, each.input(port)).are_bytes();
}

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/reference/activation.hpp
#ifndef LPT_HOLDS_REFERENCE_ACTIVATION_HPP
#define LPT_HOLDS_REFERENCE_ACTIVATION_HPP
/// The meaning of every operation, as plain scalar code.
namespace lpt::inline LPT_ABI::reference {

using evaluation::call;

namespace detail {

using evaluation::elements_between;
using evaluation::operand;
using evaluation::outcome;
using evaluation::with_number;
using evaluation::with_real;

constexpr double sigmoid(double x) { return 1 / (1 + math::exp(-x)); }
constexpr double soft_plus(double x) { return math::maximum(x, 0.0) + math::log(1 + math::exp(-math::absolute(x))); }
constexpr double gelu(double x, bool by_tanh) {
    if (by_tanh) {
        return x / 2 * (1 + math::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
    }
    return x / 2 * (1 + math::erf(x * 0.7071067811865476));
}

/// A function of one element, computed in double and rounded once.
template <class Function>
constexpr tensor unary(const call& node, Function function) {
    return with_real(node.input(0).type(), [&](auto zero) {
        using real = decltype(zero);
        return evaluation::map_elements<real, real>(
            node, [&](real x) { return static_cast<real>(function(static_cast<double>(x))); });
    });
}

/// Whether something is true of each element.
template <class Predicate>
constexpr tensor question(const call& node, Predicate predicate) {
    return with_real(node.input(0).type(), [&](auto zero) {
        using real = decltype(zero);
        return evaluation::map_elements<real, std::uint8_t>(
            node, [&](real x) -> std::uint8_t { return predicate(static_cast<double>(x)) ? 1 : 0; });
    });
}

/// The slope of PRelu as it broadcasts to x: a slope a channel stands on axis 1.
constexpr shape slope_shape(const shape& data, const shape& slope) {
    if (slope.rank() != 1 || data.rank() < 2 || slope[0] != data[1]) {
        return slope;
    }
    shape result = shape::of_ones(data.rank() - 1);
    result[0] = slope[0];
    return result;
}

template <class Number>
constexpr tensor prelu(const call& node) {
    const auto function = [](auto x, auto slope) {
        return x < decltype(x){} ? evaluation::detail::times(x, slope) : x;
    };
    return evaluation::detail::binary<Number, Number>(
        node, node.dimensions(0), slope_shape(node.dimensions(0), node.dimensions(1)),
        &evaluation::detail::binary_row<std::remove_const_t<decltype(function)>, Number, Number>);
}

}  // namespace detail

/// Functions of one element that constant folding leaves to the reference, and PRelu. Real functions are computed in double and
/// rounded once; of integers the result is taken towards zero.
[[gnu::cold]] inline bool evaluate_activation(const call& node, seq<tensor>& outputs) {
    const auto give = [&](auto function) {
        outputs.push_back(detail::unary(node, function));
        return true;
    };
    const double first = node.real_at(1, 1);
    const double second = node.real_at(2, 1);
    switch (node.kind()) {
        case op::kind::prelu:
            outputs.push_back(detail::with_number(node.input(0).type(),
                                                  [&](auto zero) { return detail::prelu<decltype(zero)>(node); }));
            return true;
        case op::kind::sigmoid: return give([](double x) { return detail::sigmoid(x); });
        case op::kind::tanh: return give([](double x) { return math::tanh(x); });
        case op::kind::elu: {
            const double alpha = node.as<op::elu>().alpha;
            return give([alpha](double x) { return x < 0 ? alpha * (math::exp(x) - 1) : x; });
        }
        case op::kind::gelu: {
            const bool by_tanh =
                node.version >= 7 && node.as<op::gelu>().approximation_mode == op::gelu_approximation::tanh;
            return give([by_tanh](double x) { return detail::gelu(x, by_tanh); });
        }
        case op::kind::hswish:
            return give([](double x) { return x * math::minimum(math::maximum(x + 3, 0.0), 6.0) / 6; });
        case op::kind::hsigmoid:
            return give([](double x) { return math::minimum(math::maximum(x + 3, 0.0), 6.0) / 6; });
        case op::kind::hard_sigmoid:
            return give([=](double x) { return math::maximum(0.0, math::minimum(1.0, first * x + second)); });
        case op::kind::swish: return give([=](double x) { return x * detail::sigmoid(first * x); });
        case op::kind::mish: return give([](double x) { return x * math::tanh(detail::soft_plus(x)); });
        case op::kind::soft_plus: return give([](double x) { return detail::soft_plus(x); });
        case op::kind::soft_sign: return give([](double x) { return x / (1 + math::absolute(x)); });
        case op::kind::selu: return give([=](double x) { return second * (x > 0 ? x : first * (math::exp(x) - 1)); });
        case op::kind::exp: return give([](double x) { return math::exp(x); });
        case op::kind::log: return give([](double x) { return math::log(x); });
        case op::kind::sqrt: return give([](double x) { return math::sqrt(x); });
        case op::kind::erf: return give([](double x) { return math::erf(x); });
        case op::kind::sin: return give([](double x) { return __builtin_sin(x); });
        case op::kind::cos: return give([](double x) { return __builtin_cos(x); });
        case op::kind::tan: return give([](double x) { return std::tan(x); });
        case op::kind::asin: return give([](double x) { return std::asin(x); });
        case op::kind::acos: return give([](double x) { return std::acos(x); });
        case op::kind::atan: return give([](double x) { return std::atan(x); });
        case op::kind::sinh: return give([](double x) { return std::sinh(x); });
        case op::kind::cosh: return give([](double x) { return std::cosh(x); });
        case op::kind::asinh: return give([](double x) { return std::asinh(x); });
        case op::kind::acosh: return give([](double x) { return std::acosh(x); });
        case op::kind::atanh: return give([](double x) { return std::atanh(x); });
        case op::kind::is_nan:
            outputs.push_back(detail::question(node, [](double x) { return math::is_nan(x); }));
            return true;
        case op::kind::is_finite:
            outputs.push_back(detail::question(node, [](double x) { return math::is_finite(x); }));
            return true;
        case op::kind::is_inf: {
            const auto& self = node.as<op::is_inf>();
            outputs.push_back(detail::question(node, [&self](double x) {
                return math::is_infinite(x) && (x < 0 ? self.detect_negative : self.detect_positive);
            }));
            return true;
        }
        default: return false;
    }
}

}  // namespace lpt::inline LPT_ABI::reference
#endif

// ======== lpt/reference/adaptive_pooling.hpp
#ifndef LPT_HOLDS_REFERENCE_ADAPTIVE_POOLING_HPP
#define LPT_HOLDS_REFERENCE_ADAPTIVE_POOLING_HPP
namespace lpt::inline LPT_ABI::reference {

namespace detail {

/// The elements of an axis that a bin has: from `begin` to before `end`.
struct axis_bin {
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// Along an axis bin i of `count` begins at floor(i * size / count) and ends before ceil((i + 1) * size / count).
inline std::vector<axis_bin> bins_of(std::size_t size, std::size_t count) {
    std::vector<axis_bin> result;
    for (std::size_t i = 0; i < count; ++i) {
        result.push_back({i * size / count, ((i + 1) * size + count - 1) / count});
    }
    return result;
}

/// Calls `visit(bin, places)` for each bin of a channel in row-major order; `places(visit)` calls that with each element of the bin.
template <class Visit>
void for_each_bin(const shape& data, const shape& output, Visit visit) {
    std::size_t size[3] = {1, 1, 1};
    std::vector<axis_bin> bins[3] = {{{0, 1}}, {{0, 1}}, {{0, 1}}};
    const std::size_t axes = data.rank() - 2;
    for (std::size_t i = 0; i < axes; ++i) {
        size[3 - axes + i] = static_cast<std::size_t>(data[i + 2]);
        bins[3 - axes + i] = bins_of(size[3 - axes + i], static_cast<std::size_t>(output[i + 2]));
    }
    std::size_t bin = 0;
    for (const axis_bin& depth : bins[0]) {
        for (const axis_bin& row : bins[1]) {
            for (const axis_bin& column : bins[2]) {
                visit(bin++, [&](auto each) {
                    for (std::size_t d = depth.begin; d < depth.end; ++d) {
                        for (std::size_t h = row.begin; h < row.end; ++h) {
                            for (std::size_t w = column.begin; w < column.end; ++w) {
                                each((d * size[1] + h) * size[2] + w);
                            }
                        }
                    }
                });
            }
        }
    }
}

template <class Number>
void adaptive_max_pool(const call& node, seq<tensor>& outputs) {
    const shape& data = node.dimensions(0);
    const shape& output = node.output().dimensions;
    const std::size_t from_size = elements_between(data, 2, data.rank());
    const std::size_t to_size = elements_between(output, 2, output.rank());
    const operand<Number> x(node.input(0));
    outcome<Number> values(node.output(0));
    outcome<std::int64_t> places(node.output(1));
    for (std::size_t channel = 0; channel < elements_between(data, 0, 2); ++channel) {
        const Number* from = x.data() + channel * from_size;
        for_each_bin(data, output, [&](std::size_t bin, auto for_each_place) {
            std::size_t most = from_size;  // none yet
            for_each_place([&](std::size_t place) {
                if (most == from_size || from[place] > from[most]) {
                    most = place;
                }
            });
            values[channel * to_size + bin] = from[most];
            places[channel * to_size + bin] = static_cast<std::int64_t>(most);
        });
    }
    outputs.push_back(values.finish());
    outputs.push_back(places.finish());
}

template <class Number>
tensor adaptive_avg_pool(const call& node) {
    const shape& data = node.dimensions(0);
    const shape& output = node.output().dimensions;
    const std::size_t from_size = elements_between(data, 2, data.rank());
    const std::size_t to_size = elements_between(output, 2, output.rank());
    const operand<Number> x(node.input(0));
    outcome<Number> result(node.output());
    for (std::size_t channel = 0; channel < elements_between(data, 0, 2); ++channel) {
        const Number* from = x.data() + channel * from_size;
        for_each_bin(data, output, [&](std::size_t bin, auto for_each_place) {
            double sum = 0;
            double count = 0;
            for_each_place([&](std::size_t place) {
                sum += static_cast<double>(from[place]);
                ++count;
            });
            result[channel * to_size + bin] = static_cast<Number>(sum / count);
        });
    }
    return result.finish();
}

}  // namespace detail

/// AdaptiveMaxPool and AdaptiveAvgPool. A mean is summed in double, and rounded towards zero where it is whole; the first of equal greatest values wins.
[[gnu::cold]] inline bool evaluate_adaptive_pooling(const call& node, seq<tensor>& outputs) {
    detail::with_number(node.input(0).type(), [&](auto zero) {
        if (node.kind() == op::kind::adaptive_max_pool) {
            detail::adaptive_max_pool<decltype(zero)>(node, outputs);
        } else {
            outputs.push_back(detail::adaptive_avg_pool<decltype(zero)>(node));
        }
    });
    return true;
}

}  // namespace lpt::inline LPT_ABI::reference
#endif

// ======== lpt/reference/attention.hpp
#ifndef LPT_HOLDS_REFERENCE_ATTENTION_HPP
#define LPT_HOLDS_REFERENCE_ATTENTION_HPP
namespace lpt::inline LPT_ABI::reference {

namespace detail {

/// A tensor that broadcasts to the scores; nothing where the node has no such input.
struct broadcast_values {
    seq<double> values;
    integers strides;

    constexpr broadcast_values(const tensor& from, const shape& to) {
        const shape padded = from.dimensions().padded_left(to.rank());
        strides = evaluation::strides_of(padded);
        for (std::size_t axis = 0; axis < to.rank(); ++axis) {
            if (padded[axis] == 1) {
                strides[axis] = 0;
            }
        }
        values = reals_of(from);
    }
    constexpr broadcast_values() = default;
};

/// Exponentials of one row of scores divided by their sum; a row in which everything is masked becomes zero.
constexpr void softmax_row(double* row, std::size_t count, bool has_sink, double sink) {
    double most = has_sink ? sink : -math::infinity;
    for (std::size_t i = 0; i < count; ++i) {
        most = math::maximum(most, row[i]);
    }
    if (most == -math::infinity) {
        for (std::size_t i = 0; i < count; ++i) {
            row[i] = 0;
        }
        return;
    }
    double sum = has_sink ? math::exp(sink - most) : 0;
    for (std::size_t i = 0; i < count; ++i) {
        row[i] = math::exp(row[i] - most);
        sum += row[i];
    }
    for (std::size_t i = 0; i < count; ++i) {
        row[i] /= sum;
    }
}

/// All axes of an operand but the last two.
constexpr shape leading_axes(const shape& dimensions) {
    shape result;
    for (std::size_t axis = 0; axis + 2 < dimensions.rank(); ++axis) {
        result.push_back(dimensions[axis]);
    }
    return result;
}

/// One query, key and value matrix.
struct attention_head {
    std::size_t queries = 0;
    std::size_t keys = 0;
    std::size_t depth = 0;
    std::size_t width = 0;  // of the values
    double scale = 1;
    bool causal = false;
};

/// `bias(row, column)` gives what is added to a score, `sink(row)` a further score of a row.
template <class Real, class Bias, class Sink>
constexpr void attend(const attention_head& head, const Real* query, const Real* key, const Real* value, Real* to,
                      Bias bias, bool has_sink, Sink sink) {
    using matrix = evaluation::detail::matrix<Real>;
    seq<Real> scores(head.queries * head.keys, Real(0));
    evaluation::multiply_matrices(matrix{query, head.depth, 1}, matrix{key, 1, head.depth}, scores.data(), head.queries,
                                  head.keys, head.depth);
    seq<double> row(head.keys, 0.0);
    for (std::size_t i = 0; i < head.queries; ++i) {
        for (std::size_t j = 0; j < head.keys; ++j) {
            const double score = static_cast<double>(scores[i * head.keys + j]) * head.scale + bias(i, j);
            row[j] = head.causal && j > i ? -math::infinity : score;
        }
        softmax_row(row.data(), head.keys, has_sink, sink(i));
        for (std::size_t j = 0; j < head.keys; ++j) {
            scores[i * head.keys + j] = static_cast<Real>(row[j]);
        }
    }
    evaluation::multiply_matrices(matrix{scores.data(), head.keys, 1}, matrix{value, head.width, 1}, to, head.queries,
                                  head.width, head.keys);
}

template <class Real>
constexpr tensor attention(const call& node) {
    const auto size = [](const shape& dimensions, std::size_t from_back) {
        return static_cast<std::size_t>(dimensions[dimensions.rank() - from_back]);
    };
    const shape& dimensions = node.output().dimensions;
    attention_head head{size(node.dimensions(0), 2),
                        size(node.dimensions(1), 2),
                        size(node.dimensions(0), 1),
                        size(node.dimensions(2), 1),
                        1,
                        node.as<op::scaled_dot_product_attention>().causal};
    head.scale = node.real_at(4, 1 / math::sqrt(static_cast<double>(head.depth)));
    const shape outer = leading_axes(dimensions);
    shape score_shape = outer;
    score_shape.push_back(static_cast<dimension>(head.queries));
    shape sink_shape = score_shape;
    sink_shape.push_back(1);
    score_shape.push_back(static_cast<dimension>(head.keys));
    operand<Real> query(node.input(0));
    operand<Real> key(node.input(1));
    operand<Real> value(node.input(2));
    outcome<Real> result(node.output());
    broadcast_values mask;
    broadcast_values sinks;
    if (node.has(3)) {
        mask = broadcast_values(node.input(3), score_shape);
    }
    if (node.has(5)) {
        sinks = broadcast_values(node.input(5), sink_shape);
    }
    const bool is_choice = node.has(3) && node.input(3).type() == boolean;
    const auto at = [&](const broadcast_values& from, std::size_t which, std::size_t i, std::size_t j) {
        const std::size_t last = outer.rank() + 1;
        std::int64_t place =
            static_cast<std::int64_t>(i) * from.strides[last - 1] + static_cast<std::int64_t>(j) * from.strides[last];
        auto rest = static_cast<std::int64_t>(which);
        for (std::size_t axis = outer.rank(); axis-- > 0;) {
            place += rest % outer[axis] * from.strides[axis];
            rest /= outer[axis];
        }
        return from.values[static_cast<std::size_t>(place)];
    };
    const shape outer_of[3] = {leading_axes(node.dimensions(0)), leading_axes(node.dimensions(1)),
                               leading_axes(node.dimensions(2))};
    const evaluation::broadcast_walk<3> walk(outer, {&outer_of[0], &outer_of[1], &outer_of[2]});
    walk.for_each_row([&](const evaluation::broadcast_walk<3>::row& row) {
        for (std::size_t i = 0; i < row.length; ++i) {
            const std::size_t which = row.output + i;
            const auto bias = [&](std::size_t r, std::size_t c) {
                if (!node.has(3)) {
                    return 0.0;
                }
                const double given = at(mask, which, r, c);
                return is_choice ? (given != 0 ? 0.0 : -math::infinity) : given;
            };
            const auto sink = [&](std::size_t r) { return node.has(5) ? at(sinks, which, r, 0) : 0.0; };
            attend(head, query.data() + (row.at[0] + i * row.step[0]) * head.queries * head.depth,
                   key.data() + (row.at[1] + i * row.step[1]) * head.keys * head.depth,
                   value.data() + (row.at[2] + i * row.step[2]) * head.keys * head.width,
                   result.data() + which * head.queries * head.width, bias, node.has(5), sink);
        }
    });
    return result.finish();
}

}  // namespace detail

/// ScaledDotProductAttention; products in the number type of the output, the softmax in double. A row in which everything is masked
/// gives zeros.
[[gnu::cold]] inline bool evaluate_attention(const call& node, seq<tensor>& outputs) {
    outputs.push_back(
        detail::with_real(node.output().type, [&](auto zero) { return detail::attention<decltype(zero)>(node); }));
    return true;
}

}  // namespace lpt::inline LPT_ABI::reference
#endif

// ======== lpt/reference/bitwise.hpp
#ifndef LPT_HOLDS_REFERENCE_BITWISE_HPP
#define LPT_HOLDS_REFERENCE_BITWISE_HPP
namespace lpt::inline LPT_ABI::reference {

namespace detail {

/// A function of the bits of two tensors, as 64-bit integers; of the result the type keeps the lowest bits.
template <class Function>
constexpr tensor of_bits(const call& node, Function function) {
    operand<std::int64_t> a(node.input(0));
    operand<std::int64_t> b(node.input(1));
    outcome<std::int64_t> result(node.output());
    const evaluation::broadcast_walk<2> walk(node.output().dimensions, {&node.dimensions(0), &node.dimensions(1)});
    walk.for_each_row([&](const evaluation::broadcast_walk<2>::row& row) {
        for (std::size_t i = 0; i < row.length; ++i) {
            result[row.output + i] = function(a[row.at[0] + i * row.step[0]], b[row.at[1] + i * row.step[1]]);
        }
    });
    return result.finish();
}

constexpr std::int64_t shifted_left(std::int64_t value, std::int64_t count, int width) {
    return count < 0 || count >= width ? 0 : static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << count);
}
/// `value` is what 64 bits hold, those of an unsigned type seen as signed.
constexpr std::int64_t shifted_right(std::int64_t value, std::int64_t count, element type) {
    if (count < 0 || count >= bit_width(type)) {
        return is_signed(type) && value < 0 ? -1 : 0;
    }
    return is_signed(type) ? value >> count : static_cast<std::int64_t>(static_cast<std::uint64_t>(value) >> count);
}

constexpr tensor bitwise_not(const call& node) {
    const bool is_truth = node.input(0).type() == boolean;
    return evaluation::map_elements<std::int64_t, std::int64_t>(
        node, [is_truth](std::int64_t x) -> std::int64_t { return is_truth ? x == 0 : ~x; });
}

}  // namespace detail

/// Functions of bits; integers of all types are computed in 64 bits.
[[gnu::cold]] inline bool evaluate_bitwise(const call& node, seq<tensor>& outputs) {
    const element type = node.input(0).type();
    const auto give = [&](auto function) {
        outputs.push_back(detail::of_bits(node, function));
        return true;
    };
    switch (node.kind()) {
        case op::kind::bitwise_and: return give([](std::int64_t a, std::int64_t b) { return a & b; });
        case op::kind::bitwise_or: return give([](std::int64_t a, std::int64_t b) { return a | b; });
        case op::kind::bitwise_xor: return give([](std::int64_t a, std::int64_t b) { return a ^ b; });
        case op::kind::bitwise_left_shift:
            return give([type](std::int64_t a, std::int64_t b) { return detail::shifted_left(a, b, bit_width(type)); });
        case op::kind::bitwise_right_shift:
            return give([type](std::int64_t a, std::int64_t b) { return detail::shifted_right(a, b, type); });
        case op::kind::bitwise_not: outputs.push_back(detail::bitwise_not(node)); return true;
        default: return false;
    }
}

}  // namespace lpt::inline LPT_ABI::reference
#endif

// ======== lpt/reference/bodies.hpp
#ifndef LPT_HOLDS_REFERENCE_BODIES_HPP
#define LPT_HOLDS_REFERENCE_BODIES_HPP
// Graphs inside of operations, and the port maps that connect them with what is outside.

namespace lpt::inline LPT_ABI::reference {

/// True for operations that run graphs inside them: TensorIterator, Loop, If.
constexpr bool runs_bodies(op::kind kind) {
    return kind == op::kind::tensor_iterator || kind == op::kind::loop || kind == op::kind::if_else;
}

namespace detail {

[[noreturn, gnu::cold]] inline void wrong_body(const node& each, const text_view why) {
    fail({each.operation(), " '", each.name(), "': ", why});
}

inline void check_inputs_of_body(const node& each, std::size_t which, const seq<op::body_input>& map,
                                 std::int64_t current_iteration) {
    const graph& body = each.bodies()[which];
    const auto parameters = static_cast<std::int64_t>(body.parameters().size());
    const auto results = static_cast<std::int64_t>(body.results().size());
    const text_view name = op::body_name(each.kind(), which);
    std::vector<bool> fed(body.parameters().size(), false);
    for (const op::body_input& entry : map) {
        if (entry.port < 0 || entry.port >= static_cast<std::int64_t>(each.inputs())) {
            wrong_body(each,
                       join({"its port map names input ", entry.port, ", but it has ", each.inputs(), " inputs"}));
        }
        if (entry.parameter < 0 || entry.parameter >= parameters) {
            wrong_body(each, join({"its port map names parameter ", entry.parameter, " of ", name, ", which has ",
                                   parameters, " parameters"}));
        }
        if (entry.holds == op::body_input::form::merged && (entry.result < 0 || entry.result >= results)) {
            wrong_body(each, join({"parameter ", entry.parameter, " of ", name, " is fed back by result ", entry.result,
                                   ", but it has ", results, " results"}));
        }
        if (each.is<op::if_else>() && entry.holds != op::body_input::form::invariant) {
            wrong_body(each, join({"parameter ", entry.parameter, " of ", name, " must get a whole input"}));
        }
        if (fed[static_cast<std::size_t>(entry.parameter)]) {
            wrong_body(each, join({"parameter ", entry.parameter, " of ", name, " is fed twice"}));
        }
        fed[static_cast<std::size_t>(entry.parameter)] = true;
    }
    if (current_iteration < -1 || current_iteration >= parameters) {
        wrong_body(each, join({"the number of the iteration goes to parameter ", current_iteration, " of ", name,
                               ", which has ", parameters, " parameters"}));
    }
    for (std::int64_t i = 0; i < parameters; ++i) {
        if (!fed[static_cast<std::size_t>(i)] && i != current_iteration) {
            wrong_body(each, join({"nothing feeds parameter ", i, " of ", name}));
        }
    }
}

inline void check_outputs_of_body(const node& each, std::size_t which, const seq<op::body_output>& map) {
    const graph& body = each.bodies()[which];
    std::vector<bool> given(each.outputs(), false);
    for (const op::body_output& entry : map) {
        if (entry.port < 0 || entry.port >= static_cast<std::int64_t>(each.outputs())) {
            wrong_body(each,
                       join({"its port map names output ", entry.port, ", but it has ", each.outputs(), " outputs"}));
        }
        if (entry.result < 0 || entry.result >= static_cast<std::int64_t>(body.results().size())) {
            wrong_body(each,
                       join({"its port map names result ", entry.result, " of ", op::body_name(each.kind(), which),
                             ", which has ", body.results().size(), " results"}));
        }
        if (each.is<op::if_else>() && entry.holds != op::body_output::form::value) {
            wrong_body(each,
                       join({"output ", entry.port, " must be a whole result of ", op::body_name(each.kind(), which)}));
        }
        if (given[static_cast<std::size_t>(entry.port)]) {
            wrong_body(each, join({"output ", entry.port, " is given twice"}));
        }
        given[static_cast<std::size_t>(entry.port)] = true;
    }
    for (std::size_t port = 0; port < each.outputs(); ++port) {
        if (!given[port]) {
            wrong_body(each, join({"nothing gives output ", port}));
        }
    }
}

/// The port maps of a node, whatever its operation.
struct port_maps {
    const seq<op::body_input>* inputs = nullptr;
    const seq<op::body_output>* outputs = nullptr;
    std::int64_t current_iteration = -1;
    std::int64_t execution_condition = -1;
};

inline port_maps port_maps_of(const node& each, std::size_t which) {
    if (each.is<op::tensor_iterator>()) {
        const auto& self = each.as<op::tensor_iterator>();
        return {&self.input_map, &self.output_map};
    }
    if (each.is<op::loop>()) {
        const auto& self = each.as<op::loop>();
        return {&self.input_map, &self.output_map, self.current_iteration, self.execution_condition};
    }
    const auto& self = each.as<op::if_else>();
    if (which == 0) {
        return {&self.then_inputs, &self.then_outputs};
    }
    return {&self.else_inputs, &self.else_outputs};
}

}  // namespace detail

/// Checks that a node has its bodies, and that its port maps fit them: each parameter is fed once, each output given once,
/// and all numbers are those of ports, parameters and results that there are. Raises an error that names the node.
inline void check_bodies(const node& each) {
    const std::size_t wanted = each.is<op::if_else>() ? 2 : 1;
    if (each.bodies().size() != wanted) {
        detail::wrong_body(
            each, join({"it needs ", wanted, wanted == 1 ? " body" : " bodies", ", and has ", each.bodies().size()}));
    }
    for (std::size_t which = 0; which < wanted; ++which) {
        const detail::port_maps maps = detail::port_maps_of(each, which);
        detail::check_inputs_of_body(each, which, *maps.inputs, maps.current_iteration);
        detail::check_outputs_of_body(each, which, *maps.outputs);
        const auto results = static_cast<std::int64_t>(each.bodies()[which].results().size());
        if (maps.execution_condition < -1 || maps.execution_condition >= results) {
            detail::wrong_body(each, join({"its condition is result ", maps.execution_condition, " of ",
                                           op::body_name(each.kind(), which), ", which has ", results, " results"}));
        }
    }
}

}  // namespace lpt::inline LPT_ABI::reference
#endif

// ======== lpt/reference/limits.hpp
#ifndef LPT_HOLDS_REFERENCE_LIMITS_HPP
#define LPT_HOLDS_REFERENCE_LIMITS_HPP
namespace lpt::inline LPT_ABI::reference {

/// What an evaluation may take before it is given up with an error that names the operation.
struct limits {
    std::uint64_t bytes = std::uint64_t{1}
                          << 32;  // of one node's outputs, and 32 for each place along one of their axes
    std::int64_t iterations = std::int64_t{1} << 20;  // of a loop, unless a sliced input has more parts
};

namespace detail {

/// Raises an error where the outputs of a node take more memory than the limits allow.
inline void check_memory(const node& each, view<op::output_facts> outputs, const limits& most) {
    double bytes = 0;
    for (const op::output_facts& output : outputs) {
        if (output.dimensions.is_dynamic() || output.dimensions.dimensions().contains(0)) {
            continue;
        }
        bytes += static_cast<double>(byte_size(output.type, output.dimensions.elements()));
        for (const dimension size : output.dimensions) {
            bytes += 32.0 * static_cast<double>(size);
        }
    }
    if (bytes > static_cast<double>(most.bytes)) {
        fail({each.operation(), " '", each.name(), "' cannot be evaluated: output 0 has the type ",
              name(outputs[0].type), " and the shape ", outputs[0].dimensions, ", and its outputs take more than ",
              static_cast<std::int64_t>(most.bytes), " bytes"});
    }
}

}  // namespace detail

}  // namespace lpt::inline LPT_ABI::reference
#endif

// ======== lpt/reference/parts.hpp
#ifndef LPT_HOLDS_REFERENCE_PARTS_HPP
#define LPT_HOLDS_REFERENCE_PARTS_HPP
// Parts of a tensor along an axis, taken and put together.

namespace lpt::inline LPT_ABI::reference::detail {

/// Where the parts of a slice begin: part k is `size` elements from `first` + k * `step` on.
struct slice_parts {
    std::int64_t count = 0;
    std::int64_t first = 0;
    std::int64_t step = 1;
    std::int64_t size = 1;
};

/// The parts of a slice of an axis with `length` elements. Parts are taken from `start` towards `end`, which is the last
/// element, and must reach it exactly; an empty axis has none. False if they do not.
inline bool parts_of(const op::body_slice& slice, std::int64_t length, slice_parts& result) {
    result = {0, 0, slice.stride, slice.part_size};
    if (slice.stride == 0 || slice.stride == INT64_MIN || slice.part_size < 1) {
        return false;
    }
    if (length == 0) {
        return true;
    }
    const std::int64_t start = slice.start < 0 ? slice.start + length : slice.start;
    const std::int64_t end = slice.end < 0 ? slice.end + length : slice.end;
    const bool backwards = slice.stride < 0;
    if (start < 0 || start >= length || end < 0 || end >= length || (backwards ? start < end : end < start)) {
        return false;
    }
    const std::int64_t way = (backwards ? start - end : end - start) + 1 - slice.part_size;
    const std::int64_t stride = backwards ? -slice.stride : slice.stride;
    if (way < 0 || way % stride != 0) {
        return false;
    }
    result.count = way / stride + 1;
    result.first = backwards ? start - slice.part_size + 1 : start;
    return true;
}

inline std::size_t product_of(const shape& dimensions, std::size_t first, std::size_t last) {
    std::size_t result = 1;
    for (std::size_t axis = first; axis < last; ++axis) {
        result *= static_cast<std::size_t>(dimensions[axis]);
    }
    return result;
}

/// Copies rows of `count` elements between packed elements; `from` and `to` are the first elements.
inline void copy_elements(element type, std::byte* target, std::size_t to, const std::byte* source, std::size_t from,
                          std::size_t count) {
    if (bit_width(type) >= 8) {
        const auto width = static_cast<std::size_t>(bit_width(type)) / 8;
        copy_bytes(target + to * width, source + from * width, count * width);
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        store_integer(type, target, to + i, load_integer(type, source, from + i));
    }
}

/// The same values in bytes of their own.
inline tensor copy_of(const tensor& value) {
    tensor_builder result(value.type(), value.dimensions());
    copy_bytes(result.data(), value.data(), value.size_in_bytes());
    return result.finish();
}

inline void let_tensor_go(void* keeper) { delete static_cast<tensor*>(keeper); }

/// `size` elements of an axis from `first` on. Where they lie together the result is a window on the tensor.
inline tensor part_of(const tensor& value, std::size_t axis, std::int64_t first, std::int64_t size) {
    const shape& whole = value.dimensions();
    shape dimensions = whole;
    dimensions[axis] = size;
    const std::size_t rows = product_of(whole, 0, axis);
    const std::size_t inner = product_of(whole, axis + 1, whole.rank());
    const std::size_t count = static_cast<std::size_t>(size) * inner;
    const std::size_t offset = static_cast<std::size_t>(first) * inner;
    if (rows == 1 && count != 0 && bit_width(value.type()) >= 8) {
        const auto width = static_cast<std::size_t>(bit_width(value.type())) / 8;
        return tensor(value.type(), dimensions,
                      bytes(value.data() + offset * width, count * width, &let_tensor_go, new tensor(value)));
    }
    tensor_builder result(value.type(), dimensions);
    for (std::size_t row = 0; row < rows; ++row) {
        copy_elements(value.type(), result.data(), row * count, value.data(),
                      row * static_cast<std::size_t>(whole[axis]) * inner + offset, count);
    }
    return result.finish();
}

/// Parts one after the other along an axis, the last one first if `backwards`. False if their other sizes differ.
inline bool concatenate(const std::vector<tensor>& parts, std::size_t axis, bool backwards, tensor& result) {
    shape dimensions = parts[0].dimensions();
    std::int64_t length = 0;
    for (const tensor& part : parts) {
        shape merged = part.dimensions();
        length += merged.rank() > axis ? merged[axis] : 0;
        dimensions[axis] = merged.rank() > axis ? merged[axis] : dimension{-1};
        if (!(merged == dimensions) || part.type() != parts[0].type()) {
            return false;
        }
    }
    dimensions[axis] = length;
    tensor_builder whole(parts[0].type(), dimensions);
    const std::size_t rows = product_of(dimensions, 0, axis);
    const std::size_t inner = product_of(dimensions, axis + 1, dimensions.rank());
    std::size_t place = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const tensor& part = parts[backwards ? parts.size() - 1 - i : i];
        const std::size_t count = static_cast<std::size_t>(part.dimensions()[axis]) * inner;
        for (std::size_t row = 0; row < rows; ++row) {
            copy_elements(whole.type(), whole.data(), row * static_cast<std::size_t>(length) * inner + place,
                          part.data(), row * count, count);
        }
        place += count;
    }
    result = whole.finish();
    return true;
}

}  // namespace lpt::inline LPT_ABI::reference::detail
#endif

// ======== lpt/reference/control_flow.hpp
#ifndef LPT_HOLDS_REFERENCE_CONTROL_FLOW_HPP
#define LPT_HOLDS_REFERENCE_CONTROL_FLOW_HPP
// Operations that run the graphs inside them: TensorIterator, Loop, If.

namespace lpt::inline LPT_ABI::reference {

namespace detail {

inline bool is_true(const node& each, const tensor& condition, text_view what) {
    if (condition.elements() != 1) {
        wrong_body(each, join({what, " must be a single value, not a tensor of shape ", condition.dimensions()}));
    }
    return condition.real(0) != 0;
}

/// A run of a TensorIterator or Loop.
template <class RunBody>
class iterations {
    const node& node_;
    view<tensor> inputs_;
    RunBody& run_body_;
    limits limits_;
    port_maps maps_;
    double collected_bytes_ = 0;
    std::vector<slice_parts> parts_;  // by entry of the input map
    std::vector<tensor> parameters_;  // of the iteration that is run next
    std::vector<std::vector<tensor>> collected_;  // by entry of the output map: all parts, or the one value

    const graph& body() const { return node_.bodies()[0]; }

    void begin() {
        parameters_.resize(body().parameters().size());
        collected_.resize(maps_.outputs->size());
        for (const op::body_input& entry : *maps_.inputs) {
            const tensor& given = inputs_[static_cast<std::size_t>(entry.port)];
            slice_parts parts;
            if (entry.holds == op::body_input::form::sliced) {
                const std::int64_t axis = normalized_axis(entry.slice.axis, given.dimensions().rank());
                if (axis < 0 || !parts_of(entry.slice, given.dimensions()[static_cast<std::size_t>(axis)], parts)) {
                    wrong_body(node_, join({"input ", entry.port, " of shape ", given.dimensions(),
                                            " does not split along axis ", entry.slice.axis, " into parts of size ",
                                            entry.slice.part_size, " from ", entry.slice.start, " to ", entry.slice.end,
                                            " in steps of ", entry.slice.stride}));
                }
            } else {
                parameters_[static_cast<std::size_t>(entry.parameter)] = given;
            }
            parts_.push_back(parts);
        }
    }
    /// The iterations of a TensorIterator: as many as its slices have parts, else as its concatenated outputs have, else one.
    std::int64_t count_of_parts() const {
        std::int64_t count = -1;
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            if ((*maps_.inputs)[i].holds != op::body_input::form::sliced) {
                continue;
            }
            if (count >= 0 && parts_[i].count != count) {
                wrong_body(node_, join({"input ", (*maps_.inputs)[i].port, " has ", parts_[i].count,
                                        " parts, but other inputs have ", count}));
            }
            count = parts_[i].count;
        }
        for (const op::body_output& entry : *maps_.outputs) {
            const shape& declared = node_.shape(static_cast<std::size_t>(entry.port));
            const std::int64_t axis = normalized_axis(entry.slice.axis, declared.rank());
            slice_parts parts;
            if (count < 0 && entry.holds == op::body_output::form::concatenated && axis >= 0 &&
                declared.is_static(static_cast<std::size_t>(axis)) &&
                parts_of(entry.slice, declared[static_cast<std::size_t>(axis)], parts)) {
                count = parts.count;
            }
        }
        return count < 0 ? 1 : count;
    }
    /// The iterations of a Loop at most; -1: as long as its condition holds.
    std::int64_t trip_count() const {
        const tensor& given = inputs_[0];
        if (given.elements() != 1) {
            wrong_body(node_,
                       join({"the trip count must be a single value, not a tensor of shape ", given.dimensions()}));
        }
        const std::int64_t count = given.integer(0);
        if (count >= 0) {
            return count;
        }
        if (condition_always_holds()) {
            wrong_body(node_, "it would never end: it has no trip count, and its condition always holds");
        }
        return -1;
    }
    /// Whether the body's condition is known to hold behind every iteration: there is none, or it is a constant, or what came in.
    bool condition_always_holds() const {
        if (maps_.execution_condition < 0) {
            return true;
        }
        const auto condition = static_cast<std::size_t>(maps_.execution_condition);
        const output_ref source = body()[body().results()[condition]].input(0);
        if (const tensor* constant = body().constant_value(source)) {
            return is_true(node_, *constant, "its condition");
        }
        for (const op::body_input& entry : *maps_.inputs) {
            const bool stays =
                entry.holds == op::body_input::form::invariant ||
                (entry.holds == op::body_input::form::merged && entry.result == maps_.execution_condition);
            if (stays && body().parameters()[static_cast<std::size_t>(entry.parameter)] == source.node) {
                return is_true(node_, inputs_[static_cast<std::size_t>(entry.port)], "its condition");
            }
        }
        return false;
    }

    void set_parameters(std::int64_t iteration) {
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            const op::body_input& entry = (*maps_.inputs)[i];
            if (entry.holds != op::body_input::form::sliced) {
                continue;
            }
            if (iteration >= parts_[i].count) {
                wrong_body(node_, join({"input ", entry.port, " has ", parts_[i].count,
                                        " parts, too few for iteration ", iteration}));
            }
            const tensor& given = inputs_[static_cast<std::size_t>(entry.port)];
            const auto axis = static_cast<std::size_t>(normalized_axis(entry.slice.axis, given.dimensions().rank()));
            parameters_[static_cast<std::size_t>(entry.parameter)] =
                part_of(given, axis, parts_[i].first + iteration * parts_[i].step, parts_[i].size);
        }
        set_current_iteration(iteration);
    }
    /// The number of the iteration counts from the input that feeds its parameter, or from 0.
    void set_current_iteration(std::int64_t iteration) {
        if (maps_.current_iteration < 0) {
            return;
        }
        std::int64_t first = 0;
        for (const op::body_input& entry : *maps_.inputs) {
            if (entry.parameter != maps_.current_iteration) {
                continue;
            }
            if (entry.holds != op::body_input::form::invariant) {
                return;
            }
            first = inputs_[static_cast<std::size_t>(entry.port)].integer(0);
        }
        const node_id id = body().parameters()[static_cast<std::size_t>(maps_.current_iteration)];
        const auto& wanted = body()[id].template as<op::parameter>();
        const shape dimensions = wanted.dimensions.is_static()        ? wanted.dimensions
                                 : wanted.dimensions.rank_is_static() ? shape::of_ones(wanted.dimensions.rank())
                                                                      : shape{};
        tensor_builder number(wanted.element_type == dynamic ? i64 : wanted.element_type, dimensions);
        for (std::size_t i = 0; i < number.elements(); ++i) {
            number.integer(i, first + iteration);
        }
        parameters_[static_cast<std::size_t>(maps_.current_iteration)] = number.finish();
    }

    void collect(const std::vector<tensor>& results, std::int64_t iteration) {
        for (std::size_t i = 0; i < collected_.size(); ++i) {
            const op::body_output& entry = (*maps_.outputs)[i];
            const tensor& value = results[static_cast<std::size_t>(entry.result)];
            if (entry.holds == op::body_output::form::value) {
                if (entry.iteration < 0 || entry.iteration == iteration) {
                    collected_[i].assign(1, value);
                }
                continue;
            }
            const std::int64_t axis = normalized_axis(entry.slice.axis, value.dimensions().rank());
            const std::int64_t stride = entry.slice.stride < 0 ? -entry.slice.stride : entry.slice.stride;
            if (axis < 0 || value.dimensions()[static_cast<std::size_t>(axis)] != entry.slice.part_size ||
                stride != entry.slice.part_size) {
                wrong_body(node_,
                           join({"iteration ", iteration, " gives output ", entry.port, " a part of shape ",
                                 value.dimensions(), ", which has not ", entry.slice.part_size, " elements along axis ",
                                 entry.slice.axis, ", as many as the step of ", entry.slice.stride}));
            }
            collected_[i].push_back(value);
            collected_bytes_ += static_cast<double>(value.size_in_bytes());
        }
        if (collected_bytes_ > static_cast<double>(limits_.bytes)) {
            wrong_body(node_, join({"after ", iteration + 1, " iterations its outputs take more than ",
                                    static_cast<std::int64_t>(limits_.bytes), " bytes"}));
        }
    }
    /// How many iterations there may be: as many as the limit says, or as slices of the inputs have parts.
    std::int64_t most_iterations() const {
        std::int64_t most = limits_.iterations;
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            const auto port = static_cast<std::size_t>((*maps_.inputs)[i].port);
            most = math::maximum(most, inputs_[port].elements() == 0 ? 0 : parts_[i].count);
        }
        return most;
    }
    void check_iterations(std::int64_t count, std::int64_t most) const {
        if (count > most) {
            wrong_body(node_, join({"it would run more than ", most, " iterations"}));
        }
    }
    void feed_back(const std::vector<tensor>& results) {
        for (const op::body_input& entry : *maps_.inputs) {
            if (entry.holds == op::body_input::form::merged) {
                parameters_[static_cast<std::size_t>(entry.parameter)] =
                    results[static_cast<std::size_t>(entry.result)];
            }
        }
    }

    tensor initial_value(const op::body_input& input, const op::body_output& output) const {
        const tensor& value = inputs_[static_cast<std::size_t>(input.port)];
        const shape& declared = node_.shape(static_cast<std::size_t>(output.port));
        if (shape merged = declared; !merge_shape(merged, value.dimensions())) {
            wrong_body(node_,
                       join({"output ", output.port, " is declared as ", declared,
                             ", but without iterations it is input ", input.port, ", of shape ", value.dimensions()}));
        }
        return value;
    }
    /// What an output is after no iteration: nothing along its axis, or the initial value of what is fed back.
    tensor without_iteration(const op::body_output& entry) const {
        if (entry.holds == op::body_output::form::value) {
            for (const op::body_input& input : *maps_.inputs) {
                if (input.holds == op::body_input::form::merged && input.result == entry.result) {
                    return initial_value(input, entry);
                }
            }
            wrong_body(node_, join({"output ", entry.port, " has no value, because no iteration was run"}));
        }
        graph model = body();
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            const op::body_input& input = (*maps_.inputs)[i];
            shape dimensions = inputs_[static_cast<std::size_t>(input.port)].dimensions();
            if (input.holds == op::body_input::form::sliced) {
                dimensions[static_cast<std::size_t>(normalized_axis(input.slice.axis, dimensions.rank()))] =
                    input.slice.part_size;
            }
            const node_id id = model.parameters()[static_cast<std::size_t>(input.parameter)];
            model.set_attributes(id, op::parameter{model[id].type(), dimensions});
        }
        infer_all(model);
        const node& result = model[model.results()[static_cast<std::size_t>(entry.result)]];
        shape dimensions = result.shape();
        const std::int64_t axis = normalized_axis(entry.slice.axis, dimensions.rank());
        if (axis < 0 || result.type() == dynamic) {
            wrong_body(node_, join({"output ", entry.port, " has no shape, because no iteration was run"}));
        }
        dimensions[static_cast<std::size_t>(axis)] = 0;
        for (std::size_t i = 0; i < dimensions.rank(); ++i) {
            dimensions[i] = dimensions[i] == dynamic_dimension ? 0 : dimensions[i];  // there are no elements to ask
        }
        return tensor_builder(result.type(), dimensions).finish();
    }
    tensor output_of(std::size_t i, std::int64_t count) const {
        const op::body_output& entry = (*maps_.outputs)[i];
        if (count == 0) {
            return without_iteration(entry);
        }
        if (collected_[i].empty()) {
            wrong_body(node_, join({"output ", entry.port, " is that of iteration ", entry.iteration, ", but only ",
                                    count, " were run"}));
        }
        if (entry.holds == op::body_output::form::value) {
            return collected_[i][0];
        }
        const tensor& first = collected_[i][0];
        const auto axis = static_cast<std::size_t>(normalized_axis(entry.slice.axis, first.dimensions().rank()));
        tensor result;
        if (!concatenate(collected_[i], axis, entry.slice.stride < 0, result)) {
            wrong_body(node_, join({"output ", entry.port, " is made of parts of different shapes"}));
        }
        return result;
    }

public:
    iterations(const node& each, view<tensor> inputs, RunBody& run_body, const limits& most)
        : node_(each), inputs_(inputs), run_body_(run_body), limits_(most), maps_(port_maps_of(each, 0)) {}

    seq<tensor> run() {
        begin();
        const bool is_loop = node_.is<op::loop>();
        const std::int64_t most = is_loop ? trip_count() : count_of_parts();
        bool goes_on = !is_loop || is_true(node_, inputs_[1], "the condition (input 1)");
        const std::int64_t limit = most_iterations();
        if (goes_on && condition_always_holds()) {
            check_iterations(most, limit);
        }
        std::int64_t count = 0;
        for (; goes_on && (most < 0 || count < most); ++count) {
            check_iterations(count + 1, limit);
            set_parameters(count);
            const std::vector<tensor> results = run_body_(0, parameters_);
            collect(results, count);
            feed_back(results);
            if (maps_.execution_condition >= 0) {
                goes_on = is_true(node_, results[static_cast<std::size_t>(maps_.execution_condition)], "its condition");
            }
        }
        seq<tensor> outputs;
        outputs.resize(node_.outputs());
        for (std::size_t i = 0; i < collected_.size(); ++i) {
            outputs[static_cast<std::size_t>((*maps_.outputs)[i].port)] = output_of(i, count);
        }
        return outputs;
    }
};

template <class RunBody>
seq<tensor> run_branch(const node& each, view<tensor> inputs, RunBody& run_body) {
    const std::size_t which = is_true(each, inputs[0], "the condition (input 0)") ? 0 : 1;
    const port_maps maps = port_maps_of(each, which);
    std::vector<tensor> parameters(each.bodies()[which].parameters().size());
    for (const op::body_input& entry : *maps.inputs) {
        parameters[static_cast<std::size_t>(entry.parameter)] = inputs[static_cast<std::size_t>(entry.port)];
    }
    const std::vector<tensor> results = run_body(which, parameters);
    seq<tensor> outputs;
    outputs.resize(each.outputs());
    for (const op::body_output& entry : *maps.outputs) {
        outputs[static_cast<std::size_t>(entry.port)] = results[static_cast<std::size_t>(entry.result)];
    }
    return outputs;
}

}  // namespace detail

/// The outputs of a TensorIterator, Loop or If, whose bodies `run_body(which, parameters)` runs.
///
/// TensorIterator: iteration k gives each sliced input's part k to the body; an input that is fed back gets the body's result of
/// the iteration before; the others stay. There are as many iterations as parts, which must be equally many for all sliced inputs;
/// without sliced inputs as many as the declared sizes of concatenated outputs have, else one.
/// Loop: at most `trip count` iterations (negative: no limit) while the condition holds, which is input 1 before the first and the
/// body's result behind each; the iteration that ends it counts. Its number starts at 0, or at the input that feeds it.
/// If: one run of the first body if the condition is true, else of the second.
/// Concatenated outputs stand in the order of iterations, or backwards for a negative stride. Without any iteration they are empty along
/// their axis, and an output that is fed back has its initial value.
/// `inputs`: one tensor a port; `run_body` takes the number of the body and a vector of tensors, one a parameter, and gives one a
/// result. Raises an error that names the node for port maps that do not fit the bodies, slices that do not divide their axis, a loop
/// that would never end, more iterations or bytes of concatenated outputs than `most`, outputs of iterations that were not run; and
/// names the node in front of what `run_body` raises.
/// OpenVINO operation specifications TensorIterator-1, Loop-5, If-8.
template <class RunBody>
seq<tensor> evaluate_control_flow(const node& each, view<tensor> inputs, RunBody&& run_body, const limits& most = {}) {
    check_bodies(each);
    const auto run_named = [&](std::size_t which, const std::vector<tensor>& parameters) -> std::vector<tensor> {
        try {
            return run_body(which, parameters);
        } catch (const error& raised) {
            fail({each.operation(), " '", each.name(), "', ", op::body_name(each.kind(), which), ": ",
                  raised.message()});
        }
    };
    if (each.is<op::if_else>()) {
        return detail::run_branch(each, inputs, run_named);
    }
    return detail::iterations(each, inputs, run_named, most).run();
}

}  // namespace lpt::inline LPT_ABI::reference
#endif

// ======== lpt/reference/convolution.hpp
#ifndef LPT_HOLDS_REFERENCE_CONVOLUTION_HPP
#define LPT_HOLDS_REFERENCE_CONVOLUTION_HPP
namespace lpt::inline LPT_ABI::reference {

namespace detail {

inline constexpr std::size_t spatial_axes = 3;

/// A convolution or pooling over exactly three spatial axes; shorter ones have axes of size 1 in front.
struct window_geometry {
    std::int64_t input[spatial_axes] = {1, 1, 1};
    std::int64_t output[spatial_axes] = {1, 1, 1};
    op::window_axis window[spatial_axes];

    constexpr std::size_t input_size() const { return static_cast<std::size_t>(input[0] * input[1] * input[2]); }
    constexpr std::size_t output_size() const { return static_cast<std::size_t>(output[0] * output[1] * output[2]); }
    constexpr std::size_t kernel_size() const {
        return static_cast<std::size_t>(window[0].kernel * window[1].kernel * window[2].kernel);
    }
    /// True if the output's places are the input's places: a product of matrices needs no rearrangement.
    constexpr bool is_pointwise() const {
        bool result = kernel_size() == 1;
        for (std::size_t axis = 0; axis < spatial_axes; ++axis) {
            const op::window_axis& each = window[axis];
            result = result && each.stride == 1 && each.pad_begin == 0 && input[axis] == output[axis];
        }
        return result;
    }
};

/// `kernel_first` is the place of the first kernel axis in `kernel`.
constexpr window_geometry make_geometry(const shape& data, const shape& result, const shape& kernel,
                                        std::size_t kernel_first, const op::detail::window_attributes& window) {
    window_geometry geometry;
    const std::size_t axes = data.rank() - 2;
    for (std::size_t axis = 0; axis < axes; ++axis) {
        const std::size_t to = spatial_axes - axes + axis;
        geometry.input[to] = data[axis + 2];
        geometry.output[to] = result[axis + 2];
        geometry.window[to] =
            op::padded_window(window.axis(axis, kernel[kernel_first + axis]), window.rule, data[axis + 2]);
    }
    return geometry;
}

/// Writes `count` elements of a row of `size`, from place `first` on, each `stride` after the one before; zero outside the row.
template <class Number>
constexpr void copy_places(const Number* row, std::int64_t first, std::int64_t stride, std::int64_t size,
                           std::int64_t count, Number* to) {
    const std::int64_t begin = first < 0 ? math::minimum(count, (-first + stride - 1) / stride) : 0;
    const std::int64_t end = first < size ? math::minimum(count, (size - first + stride - 1) / stride) : 0;
    for (std::int64_t i = 0; i < begin; ++i) {
        to[i] = 0;
    }
    if (stride == 1) {
        for (std::int64_t i = begin; i < end; ++i) {
            to[i] = row[first + i];
        }
    } else {
        for (std::int64_t i = begin; i < end; ++i) {
            to[i] = row[first + i * stride];
        }
    }
    for (std::int64_t i = math::maximum(begin, end); i < count; ++i) {
        to[i] = 0;
    }
}

/// Writes what one kernel element of one channel meets at output places `first` to before `last`, zero for padding.
template <class Number>
constexpr void unfold_row(const Number* channel, const window_geometry& g, const std::int64_t (&k)[spatial_axes],
                          std::size_t first, std::size_t last, Number* to) {
    const op::window_axis& w = g.window[2];
    const std::int64_t shift = k[2] * w.dilation - w.pad_begin;
    auto place = static_cast<std::int64_t>(first);
    const auto end = static_cast<std::int64_t>(last);
    while (place < end) {
        const std::int64_t row = place / g.output[2];
        const std::int64_t begin = place % g.output[2];
        const std::int64_t count = math::minimum(g.output[2] - begin, end - place);
        const std::int64_t d =
            row / g.output[1] * g.window[0].stride + k[0] * g.window[0].dilation - g.window[0].pad_begin;
        const std::int64_t h =
            row % g.output[1] * g.window[1].stride + k[1] * g.window[1].dilation - g.window[1].pad_begin;
        if (d < 0 || d >= g.input[0] || h < 0 || h >= g.input[1]) {
            for (std::int64_t i = 0; i < count; ++i) {
                to[i] = 0;
            }
        } else {
            copy_places(channel + (d * g.input[1] + h) * g.input[2], begin * w.stride + shift, w.stride, g.input[2],
                        count, to);
        }
        to += count;
        place += count;
    }
}

/// Writes what the windows at output places `first` to before `last` see: `channels * kernel` rows, one place a column.
template <class Number>
constexpr void unfold(const Number* data, std::size_t channels, const window_geometry& g, std::size_t first,
                      std::size_t last, Number* to) {
    for (std::size_t channel = 0; channel < channels; ++channel) {
        std::int64_t k[spatial_axes] = {};
        for (std::size_t i = 0; i < g.kernel_size(); ++i) {
            unfold_row(data + channel * g.input_size(), g, k, first, last, to);
            to += last - first;
            for (std::size_t axis = spatial_axes; axis-- > 0;) {
                if (++k[axis] < g.window[axis].kernel) {
                    break;
                }
                k[axis] = 0;
            }
        }
    }
}

/// Memory that one convolution uses again for each sample and group.
template <class Number>
struct convolution_memory {
    seq<Number> columns;
    seq<Number> sums;

    static constexpr Number* at_least(seq<Number>& values, std::size_t count) {
        if (values.size() < count) {
            values.resize(count);
        }
        return values.data();
    }
};

/// One sample and one group: `outputs` channels of `inputs` channels. Sums run over input channels, then kernel elements in row-major order.
template <class Number>
constexpr void convolve(const Number* data, const Number* weights, Number* to, std::size_t inputs, std::size_t outputs,
                        const window_geometry& g, convolution_memory<Number>& memory) {
    const std::size_t depth = inputs * g.kernel_size();
    const std::size_t places = g.output_size();
    using matrix = evaluation::detail::matrix<Number>;
    if (g.is_pointwise()) {
        return evaluation::multiply_matrices(matrix{weights, depth, 1}, matrix{data, places, 1}, to, outputs, places,
                                             depth);
    }
    // As many places at a time as stay in the cache with all that they see, in whole tiles.
    const std::size_t wanted = 65536 / math::maximum<std::size_t>(depth, 1) / 64 * 64;
    const std::size_t block = math::minimum(places, math::maximum<std::size_t>(wanted, 64));
    Number* columns = memory.at_least(memory.columns, depth * block);
    Number* sums = block == places ? to : memory.at_least(memory.sums, outputs * block);
    for (std::size_t first = 0; first < places; first += block) {
        const std::size_t count = math::minimum(block, places - first);
        unfold(data, inputs, g, first, first + count, columns);
        evaluation::multiply_matrices(matrix{weights, depth, 1}, matrix{columns, count, 1}, sums, outputs, count,
                                      depth);
        for (std::size_t channel = 0; block != places && channel < outputs; ++channel) {
            for (std::size_t i = 0; i < count; ++i) {
                to[channel * places + first + i] = sums[channel * count + i];
            }
        }
    }
}

template <class Number>
constexpr tensor convolution(const call& node, const op::detail::window_attributes& window, bool grouped) {
    const shape& data = node.dimensions(0);
    const shape& weights = node.dimensions(1);
    const shape& dimensions = node.output().dimensions;
    const window_geometry geometry = make_geometry(data, dimensions, weights, grouped ? 3 : 2, window);
    const auto groups = static_cast<std::size_t>(grouped ? weights[0] : 1);
    const auto outputs = static_cast<std::size_t>(weights[grouped ? 1 : 0]);
    const auto inputs = static_cast<std::size_t>(weights[grouped ? 2 : 1]);
    operand<Number> x(node.input(0));
    operand<Number> w(node.input(1));
    outcome<Number> result(node.output());
    convolution_memory<Number> memory;
    for (std::size_t i = 0; i < static_cast<std::size_t>(data[0]) * groups; ++i) {
        convolve(x.data() + i * inputs * geometry.input_size(),
                 w.data() + i % groups * outputs * inputs * geometry.kernel_size(),
                 result.data() + i * outputs * geometry.output_size(), inputs, outputs, geometry, memory);
    }
    return result.finish();
}

/// Adds what one kernel element gives to the places of one output channel.
template <class Number>
constexpr void fold_back(const Number* values, const window_geometry& g, const std::int64_t (&k)[spatial_axes],
                         Number* channel) {
    for (std::int64_t d = 0; d < g.input[0]; ++d) {
        for (std::int64_t h = 0; h < g.input[1]; ++h) {
            for (std::int64_t x = 0; x < g.input[2]; ++x, ++values) {
                const std::int64_t at[spatial_axes] = {d, h, x};
                std::int64_t place = 0;
                bool inside = true;
                for (std::size_t axis = 0; axis < spatial_axes; ++axis) {
                    const op::window_axis& w = g.window[axis];
                    const std::int64_t p = at[axis] * w.stride + k[axis] * w.dilation - w.pad_begin;
                    inside = inside && p >= 0 && p < g.output[axis];
                    place = place * g.output[axis] + p;
                }
                if (inside) {
                    channel[place] = evaluation::detail::plus(channel[place], *values);
                }
            }
        }
    }
}

/// One sample and one group of a transposed convolution.
template <class Number>
constexpr void convolve_back(const Number* data, const Number* weights, Number* to, std::size_t inputs,
                             std::size_t outputs, const window_geometry& g) {
    using matrix = evaluation::detail::matrix<Number>;
    const std::size_t places = g.input_size();
    const std::size_t kernel = g.kernel_size();
    for (std::size_t i = 0; i < outputs * g.output_size(); ++i) {
        to[i] = 0;
    }
    if (inputs == 0) {  // then neither data nor weights say how large the loops below may be
        return;
    }
    seq<Number> columns(kernel * places, Number(0));
    for (std::size_t channel = 0; channel < outputs; ++channel) {
        evaluation::multiply_matrices(matrix{weights + channel * kernel, 1, outputs * kernel}, matrix{data, places, 1},
                                      columns.data(), kernel, places, inputs);
        std::int64_t k[spatial_axes] = {};
        for (std::size_t i = 0; i < kernel; ++i) {
            fold_back(columns.data() + i * places, g, k, to + channel * g.output_size());
            for (std::size_t axis = spatial_axes; axis-- > 0;) {
                if (++k[axis] < g.window[axis].kernel) {
                    break;
                }
                k[axis] = 0;
            }
        }
    }
}

/// The padding of a transposed convolution: as given, none (valid), or what the sizes leave, the odd element at the beginning (`same_upper`)
/// or at the end (`same_lower`): the other way round than for a convolution, whose reverse this is.
constexpr void pad_transposed(window_geometry& geometry, op::auto_pad rule, const integers& output_padding,
                              std::size_t axes) {
    for (std::size_t axis = 0; axis < axes; ++axis) {
        const std::size_t at = spatial_axes - axes + axis;
        op::window_axis& window = geometry.window[at];
        if (rule == op::auto_pad::valid) {
            window.pad_begin = 0;
        } else if (rule != op::auto_pad::explicit_pads) {
            const std::int64_t total = math::maximum<std::int64_t>(
                0, (geometry.input[at] - 1) * window.stride + window.extent() +
                       op::detail::spatial_value(output_padding, axis, 0) - geometry.output[at]);
            window.pad_begin = rule == op::auto_pad::same_upper ? total - total / 2 : total / 2;
        }
    }
}

template <class Number>
constexpr tensor transposed_convolution(const call& node, const op::detail::window_attributes& window,
                                        const integers& output_padding, bool grouped) {
    const shape& data = node.dimensions(0);
    const shape& weights = node.dimensions(1);
    const op::detail::window_attributes as_given{window.strides, window.dilations, window.pads_begin, window.pads_end,
                                                 op::auto_pad::explicit_pads};
    window_geometry geometry = make_geometry(data, node.output().dimensions, weights, grouped ? 3 : 2, as_given);
    pad_transposed(geometry, window.rule, output_padding, data.rank() - 2);
    const auto groups = static_cast<std::size_t>(grouped ? weights[0] : 1);
    const auto inputs = static_cast<std::size_t>(weights[grouped ? 1 : 0]);
    const auto outputs = static_cast<std::size_t>(weights[grouped ? 2 : 1]);
    operand<Number> x(node.input(0));
    operand<Number> w(node.input(1));
    outcome<Number> result(node.output());
    for (std::size_t i = 0; i < static_cast<std::size_t>(data[0]) * groups; ++i) {
        convolve_back(x.data() + i * inputs * geometry.input_size(),
                      w.data() + i % groups * outputs * inputs * geometry.kernel_size(),
                      result.data() + i * outputs * geometry.output_size(), inputs, outputs, geometry);
    }
    return result.finish();
}

template <class Op>
constexpr op::detail::window_attributes window_of(const Op& self) {
    return {self.strides, self.dilations, self.pads_begin, self.pads_end, self.auto_pad};
}

template <class Op>
constexpr tensor convolution_of(const call& node, bool grouped) {
    return with_number(node.output().type,
                       [&](auto zero) { return convolution<decltype(zero)>(node, window_of(node.as<Op>()), grouped); });
}
template <class Op>
constexpr tensor transposed_convolution_of(const call& node, bool grouped) {
    return with_number(node.output().type, [&](auto zero) {
        return transposed_convolution<decltype(zero)>(node, window_of(node.as<Op>()), node.as<Op>().output_padding,
                                                      grouped);
    });
}

}  // namespace detail

/// Convolutions in the number type of their output. Sums run over input channels, then kernel elements in row-major order; integers
/// wrap around.
[[gnu::cold]] inline bool evaluate_convolution(const call& node, seq<tensor>& outputs) {
    switch (node.kind()) {
        case op::kind::convolution:
            outputs.push_back(detail::convolution_of<op::convolution>(node, false));
            return true;
        case op::kind::group_convolution:
            outputs.push_back(detail::convolution_of<op::group_convolution>(node, true));
            return true;
        case op::kind::convolution_backprop_data:
            outputs.push_back(detail::transposed_convolution_of<op::convolution_backprop_data>(node, false));
            return true;
        case op::kind::group_convolution_backprop_data:
            outputs.push_back(detail::transposed_convolution_of<op::group_convolution_backprop_data>(node, true));
            return true;
        default: return false;
    }
}

}  // namespace lpt::inline LPT_ABI::reference
#endif

// ======== lpt/reference/deformable_convolution.hpp
#ifndef LPT_HOLDS_REFERENCE_DEFORMABLE_CONVOLUTION_HPP
#define LPT_HOLDS_REFERENCE_DEFORMABLE_CONVOLUTION_HPP
namespace lpt::inline LPT_ABI::reference {

namespace detail {

/// The number between the elements of an image, at a place that may lie outside.
template <class Real>
constexpr Real sampled(const Real* image, const std::int64_t (&sizes)[2], Real row, Real column, bool fades_out) {
    const auto height = static_cast<Real>(sizes[0]);
    const auto width = static_cast<Real>(sizes[1]);
    const bool inside = fades_out ? row > -1 && row < height && column > -1 && column < width
                                  : row >= 0 && row < height && column >= 0 && column < width;
    if (!inside) {  // NaN, too
        return 0;
    }
    const auto top = static_cast<std::int64_t>(math::floor(row));
    const auto left = static_cast<std::int64_t>(math::floor(column));
    const Real down = row - static_cast<Real>(top);
    const Real right = column - static_cast<Real>(left);
    const auto element = [&](std::int64_t y, std::int64_t x) -> Real {
        if (!fades_out) {
            y = math::minimum(y, sizes[0] - 1);
            x = math::minimum(x, sizes[1] - 1);
        }
        return y < 0 || x < 0 || y >= sizes[0] || x >= sizes[1] ? Real(0) : image[y * sizes[1] + x];
    };
    return (1 - down) * ((1 - right) * element(top, left) + right * element(top, left + 1)) +
           down * ((1 - right) * element(top + 1, left) + right * element(top + 1, left + 1));
}

template <class Real>
constexpr tensor deformable_convolution(const call& node) {
    const auto& self = node.as<op::deformable_convolution>();
    const op::detail::window_attributes window{self.strides, self.dilations, self.pads_begin, self.pads_end,
                                               self.auto_pad};
    const shape& data = node.dimensions(0);
    const shape& filters = node.dimensions(2);
    const shape& all = node.output().dimensions;
    const std::int64_t sizes[2] = {data[2], data[3]};
    op::window_axis along[2];
    for (std::size_t axis = 0; axis < 2; ++axis) {
        along[axis] = op::padded_window(window.axis(axis, filters[axis + 2]), self.auto_pad, data[axis + 2]);
    }
    const operand<Real> x(node.input(0));
    const operand<Real> offsets(node.input(1));
    const operand<Real> weights(node.input(2));
    const operand<Real> mask(node.input(node.has(3) ? 3 : 0));
    outcome<Real> result(node.output());
    const auto channels = static_cast<std::size_t>(data[1]);
    const auto outputs = static_cast<std::size_t>(all[1]);
    const std::size_t kernel = elements_between(filters, 2, 4);
    const std::size_t plane = elements_between(all, 2, 4);
    const std::size_t columns = elements_between(filters, 1, 4);
    const std::size_t outputs_in_group = outputs / static_cast<std::size_t>(self.group);
    const auto deformable = static_cast<std::size_t>(self.deformable_group);
    const bool fades_out = node.version >= 8 && self.bilinear_interpolation_pad;
    seq<Real> seen(channels * kernel, Real(0));
    for (std::size_t place = 0; place < static_cast<std::size_t>(all[0]) * plane; ++place) {
        const std::size_t image = place / plane;
        const std::size_t pixel = place % plane;
        const auto row = static_cast<std::int64_t>(pixel) / all[3] * along[0].stride - along[0].pad_begin;
        const auto column = static_cast<std::int64_t>(pixel) % all[3] * along[1].stride - along[1].pad_begin;
        for (std::size_t i = 0; i < seen.size(); ++i) {
            const std::size_t channel = i / kernel;
            const std::size_t k = i % kernel;
            const std::size_t moved = (image * deformable + channel / (channels / deformable)) * kernel + k;
            const std::int64_t y = row + static_cast<std::int64_t>(k) / filters[3] * along[0].dilation;
            const std::int64_t z = column + static_cast<std::int64_t>(k) % filters[3] * along[1].dilation;
            const Real value =
                sampled<Real>(x.data() + (image * channels + channel) * elements_between(data, 2, 4), sizes,
                              static_cast<Real>(y) + offsets[2 * moved * plane + pixel],
                              static_cast<Real>(z) + offsets[(2 * moved + 1) * plane + pixel], fades_out);
            seen[i] = node.has(3) ? value * mask[moved * plane + pixel] : value;
        }
        for (std::size_t output = 0; output < outputs; ++output) {
            const Real* from = seen.data() + output / outputs_in_group * columns;
            Real sum = 0;
            for (std::size_t i = 0; i < columns; ++i) {
                sum += weights[output * columns + i] * from[i];
            }
            result[(image * outputs + output) * plane + pixel] = sum;
        }
    }
    return result.finish();
}

}  // namespace detail

/// DeformableConvolution: sums of products in the number type of the data, in the order of channels and kernel elements.
[[gnu::cold]] inline bool evaluate_deformable_convolution(const call& node, seq<tensor>& outputs) {
    outputs.push_back(detail::with_real(
        node.output().type, [&](auto zero) { return detail::deformable_convolution<decltype(zero)>(node); }));
    return true;
}

}  // namespace lpt::inline LPT_ABI::reference
#endif

// ======== lpt/reference/detection.hpp
#ifndef LPT_HOLDS_REFERENCE_DETECTION_HPP
#define LPT_HOLDS_REFERENCE_DETECTION_HPP
namespace lpt::inline LPT_ABI::reference {

namespace detail {

// ---- NonMaxSuppression

template <class Real>
struct kept_box {
    Real score = 0;
    std::int64_t image = 0;
    std::int64_t kind = 0;  // class
    std::int64_t index = 0;
};

/// A box by its least and greatest coordinates.
template <class Real>
struct box_corners {
    Real y1, x1, y2, x2;

    static box_corners of(const Real* from, op::box_encoding encoding) {
        if (encoding == op::box_encoding::corner) {
            return {std::min(from[0], from[2]), std::min(from[1], from[3]), std::max(from[0], from[2]),
                    std::max(from[1], from[3])};
        }
        const Real width = from[2] / 2;
        const Real height = from[3] / 2;
        return {from[1] - height, from[0] - width, from[1] + height, from[0] + width};
    }
    Real area() const { return (y2 - y1) * (x2 - x1); }
};

template <class Real>
Real intersection_over_union(const box_corners<Real>& a, const box_corners<Real>& b) {
    const Real height = std::min(a.y2, b.y2) - std::max(a.y1, b.y1);
    const Real width = std::min(a.x2, b.x2) - std::max(a.x1, b.x1);
    if (!(height > 0) || !(width > 0) || !(a.area() > 0) || !(b.area() > 0)) {
        return 0;
    }
    const Real both = height * width;
    return both / (a.area() + b.area() - both);
}

/// What decides which boxes of one image and class are kept.
template <class Real>
struct suppression {
    std::int64_t most = 0;
    Real overlap = 0;
    Real least_score = 0;
    Real sigma = 0;

    /// A box that waits for its turn, and how many of the kept ones it was compared with.
    struct candidate {
        Real score;
        std::int64_t index;
        std::size_t compared = 0;

        bool operator<(const candidate& other) const {  // the greatest of a heap comes first
            return score != other.score ? score < other.score : index > other.index;
        }
    };

    void operator()(const std::vector<box_corners<Real>>& boxes, const Real* scores, std::int64_t image,
                    std::int64_t kind, std::vector<kept_box<Real>>& kept) const {
        std::vector<candidate> waiting;
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            if (scores[i] > least_score) {
                waiting.push_back({scores[i], static_cast<std::int64_t>(i)});
            }
        }
        std::make_heap(waiting.begin(), waiting.end());
        const std::size_t first = kept.size();
        while (!waiting.empty() && static_cast<std::int64_t>(kept.size() - first) < most) {
            std::pop_heap(waiting.begin(), waiting.end());
            candidate next = waiting.back();
            waiting.pop_back();
            const Real before = next.score;
            if (!survives(next, boxes, kept, first)) {
                continue;
            }
            if (next.score == before) {
                kept.push_back({next.score, image, kind, next.index});
            } else if (next.score > least_score) {
                waiting.push_back(next);
                std::push_heap(waiting.begin(), waiting.end());
            }
        }
    }

private:
    /// False for a box that lies over a kept one; lowers its score otherwise.
    bool survives(candidate& next, const std::vector<box_corners<Real>>& boxes, const std::vector<kept_box<Real>>& kept,
                  std::size_t first) const {
        for (std::size_t i = kept.size(); i > first + next.compared; --i) {
            const Real shared = intersection_over_union(boxes[static_cast<std::size_t>(next.index)],
                                                        boxes[static_cast<std::size_t>(kept[i - 1].index)]);
            if (shared > overlap) {
                return false;
            }
            if (sigma > 0) {
                const double weight =
                    math::exp(-0.5 / static_cast<double>(sigma) * static_cast<double>(shared * shared));
                next.score = static_cast<Real>(static_cast<double>(next.score) * weight);
            }
        }
        next.compared = kept.size() - first;
        return true;
    }
};

template <class Real>
void non_max_suppression(const call& node, seq<tensor>& outputs) {
    const auto& self = node.as<op::non_max_suppression>();
    const auto count = static_cast<std::size_t>(node.dimensions(0)[1]);
    const auto classes = static_cast<std::size_t>(node.dimensions(1)[1]);
    const operand<Real> boxes(node.input(0));
    const operand<Real> scores(node.input(1));
    const suppression<Real> choose{node.integer_at(2), static_cast<Real>(node.real_at(3)),
                                   static_cast<Real>(node.real_at(4)), static_cast<Real>(node.real_at(5))};
    std::vector<kept_box<Real>> kept;
    for (std::size_t image = 0; image < static_cast<std::size_t>(node.dimensions(0)[0]); ++image) {
        std::vector<box_corners<Real>> corners;
        for (std::size_t i = 0; i < count; ++i) {
            corners.push_back(box_corners<Real>::of(boxes.data() + (image * count + i) * 4, self.box_encoding));
        }
        for (std::size_t kind = 0; kind < classes; ++kind) {
            choose(corners, scores.data() + (image * classes + kind) * count, static_cast<std::int64_t>(image),
                   static_cast<std::int64_t>(kind), kept);
        }
    }
    if (self.sort_result_descending) {
        std::sort(kept.begin(), kept.end(), [](const kept_box<Real>& a, const kept_box<Real>& b) {
            return a.score != b.score   ? a.score > b.score
                   : a.image != b.image ? a.image < b.image
                   : a.kind != b.kind   ? a.kind < b.kind
                                        : a.index < b.index;
        });
    }
    const shape dimensions{static_cast<dimension>(kept.size()), 3};
    tensor_builder indices(self.output_type, dimensions);
    outcome<Real> values(node.output(1).type, dimensions);
    for (std::size_t i = 0; i < kept.size(); ++i) {
        indices.integer(3 * i, kept[i].image);
        indices.integer(3 * i + 1, kept[i].kind);
        indices.integer(3 * i + 2, kept[i].index);
        values[3 * i] = static_cast<Real>(kept[i].image);
        values[3 * i + 1] = static_cast<Real>(kept[i].kind);
        values[3 * i + 2] = kept[i].score;
    }
    tensor_builder number(self.output_type, shape{1});
    number.integer(0, static_cast<std::int64_t>(kept.size()));
    outputs.push_back(indices.finish());
    outputs.push_back(values.finish());
    outputs.push_back(number.finish());
}

// ---- ROIAlign

/// The samples of the bins of one region along one axis: the two elements that each lies between, and how near the second one is.
template <class Real>
struct sampled_axis {
    struct sample {
        std::size_t low = 0;
        std::size_t high = 0;
        Real rest = 0;
        bool is_outside = false;
    };
    std::vector<sample> samples;  // bin by bin
    std::size_t in_bin = 0;

    sampled_axis(Real begin, Real end, std::int64_t bins, std::int64_t size, const op::roi_align& self) {
        constexpr Real most_samples = 65536;  // along one axis
        Real extent = end - begin;
        if (self.aligned_mode == op::roi_aligned_mode::asymmetric) {
            extent = std::max(extent, Real(1));
        }
        const Real width = extent / static_cast<Real>(bins);
        const Real wanted = self.sampling_ratio > 0 ? static_cast<Real>(self.sampling_ratio) : math::ceil(width);
        if (!math::is_finite(begin) || !math::is_finite(end) || wanted * static_cast<Real>(bins) > most_samples) {
            fail({"ROIAlign: a region from ", static_cast<double>(begin), " to ", static_cast<double>(end), " in ",
                  bins, " bins cannot be sampled"});
        }
        in_bin = wanted > 0 ? static_cast<std::size_t>(wanted) : 0;
        for (std::int64_t bin = 0; bin < bins; ++bin) {
            for (std::size_t i = 0; i < in_bin; ++i) {
                samples.push_back(at(begin + static_cast<Real>(bin) * width +
                                         (static_cast<Real>(i) + Real(0.5)) * width / static_cast<Real>(in_bin),
                                     size));
            }
        }
    }

private:
    static sample at(Real place, std::int64_t size) {
        sample result;
        if (size == 0 || !(place >= -1) || place > static_cast<Real>(size)) {
            result.is_outside = true;
            return result;
        }
        place = std::max(place, Real(0));
        const std::int64_t low = static_cast<std::int64_t>(place);
        const bool is_last = low >= size - 1;
        result.low = static_cast<std::size_t>(is_last ? size - 1 : low);
        result.high = is_last ? result.low : result.low + 1;
        result.rest = is_last ? Real(0) : place - static_cast<Real>(low);
        return result;
    }
};

/// One bin of one channel.
template <class Real>
Real pooled(const Real* channel, std::size_t columns, const typename sampled_axis<Real>::sample* y, std::size_t rows,
            const typename sampled_axis<Real>::sample* x, std::size_t places, op::roi_pooling mode) {
    Real sum = 0;
    Real most = 0;
    bool is_first = true;
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t k = 0; k < places; ++k) {
            Real parts[4] = {};
            if (!y[i].is_outside && !x[k].is_outside) {
                const Real up = 1 - y[i].rest;
                const Real left = 1 - x[k].rest;
                parts[0] = up * left * channel[y[i].low * columns + x[k].low];
                parts[1] = up * x[k].rest * channel[y[i].low * columns + x[k].high];
                parts[2] = y[i].rest * left * channel[y[i].high * columns + x[k].low];
                parts[3] = y[i].rest * x[k].rest * channel[y[i].high * columns + x[k].high];
            }
            sum += parts[0] + parts[1] + parts[2] + parts[3];
            const Real here = std::max(std::max(parts[0], parts[1]), std::max(parts[2], parts[3]));
            most = is_first ? here : std::max(most, here);
            is_first = false;
        }
    }
    return mode == op::roi_pooling::max ? most : sum / static_cast<Real>(std::max<std::size_t>(rows * places, 1));
}

template <class Real>
tensor roi_align(const call& node) {
    const auto& self = node.as<op::roi_align>();
    const shape& data = node.dimensions(0);
    const std::size_t channels = static_cast<std::size_t>(data[1]);
    const std::size_t plane = elements_between(data, 2, 4);
    const operand<Real> x(node.input(0));
    const operand<Real> regions(node.input(1));
    const operand<std::int64_t> images(node.input(2));
    outcome<Real> result(node.output());
    const Real scale = static_cast<Real>(self.spatial_scale);
    const Real before = self.aligned_mode == op::roi_aligned_mode::half_pixel ? Real(0.5) : Real(0);
    const Real behind = self.aligned_mode == op::roi_aligned_mode::asymmetric ? Real(0) : Real(0.5);
    const auto rows = static_cast<std::size_t>(self.pooled_h);
    const auto places = static_cast<std::size_t>(self.pooled_w);
    for (std::size_t region = 0; region < static_cast<std::size_t>(node.output().dimensions[0]); ++region) {
        const std::int64_t image = images[region];
        if (image < 0 || image >= data[0]) {
            fail({"ROIAlign: region ", region, " is of image ", image, ", but there are ", data[0]});
        }
        const auto corner = [&](std::size_t which) { return (regions[region * 4 + which] + before) * scale - behind; };
        const sampled_axis<Real> down(corner(1), corner(3), self.pooled_h, data[2], self);
        const sampled_axis<Real> across(corner(0), corner(2), self.pooled_w, data[3], self);
        for (std::size_t channel = 0; channel < channels; ++channel) {
            const Real* from = x.data() + (static_cast<std::size_t>(image) * channels + channel) * plane;
            for (std::size_t bin = 0; bin < rows * places; ++bin) {
                result[(region * channels + channel) * rows * places + bin] = pooled<Real>(
                    from, static_cast<std::size_t>(data[3]), down.samples.data() + bin / places * down.in_bin,
                    down.in_bin, across.samples.data() + bin % places * across.in_bin, across.in_bin, self.mode);
            }
        }
    }
    return result.finish();
}

}  // namespace detail

/// NonMaxSuppression and ROIAlign, in the number type of the scores or the data.
[[gnu::cold]] inline bool evaluate_detection(const call& node, seq<tensor>& outputs) {
    if (node.kind() == op::kind::roi_align) {
        outputs.push_back(
            detail::with_real(node.output().type, [&](auto zero) { return detail::roi_align<decltype(zero)>(node); }));
        return true;
    }
    detail::with_real(node.output(1).type,
                      [&](auto zero) { detail::non_max_suppression<decltype(zero)>(node, outputs); });
    return true;
}

}  // namespace lpt::inline LPT_ABI::reference
#endif

// ======== lpt/reference/fake_convert.hpp
#ifndef LPT_HOLDS_REFERENCE_FAKE_CONVERT_HPP
#define LPT_HOLDS_REFERENCE_FAKE_CONVERT_HPP
namespace lpt::inline LPT_ABI::reference {

/// FakeConvert: y = (to_8_bits(x * scale - shift) + shift) / scale, where to_8_bits saturates to the greatest finite value of the type
/// and rounds to nearest even. Products in the number type of x.
[[gnu::cold]] inline bool evaluate_fake_convert(const call& node, seq<tensor>& outputs) {
    const element type = node.as<op::fake_convert>().destination_type;
    const double most = facts(type).highest;
    const tensor zero = make_scalar(node.input(0).type(), 0);
    const tensor& shifts = node.has(2) ? node.input(2) : zero;
    outputs.push_back(detail::with_real(node.output().type, [&](auto number) {
        using real = decltype(number);
        detail::operand<real> x(node.input(0));
        detail::operand<real> scale(node.input(1));
        detail::operand<real> shift(shifts);
        detail::outcome<real> result(node.output());
        const evaluation::broadcast_walk<3> walk(node.output().dimensions,
                                                 {&node.dimensions(0), &node.dimensions(1), &shifts.dimensions()});
        walk.for_each_row([&](const evaluation::broadcast_walk<3>::row& row) {
            for (std::size_t i = 0; i < row.length; ++i) {
                const real factor = scale[row.at[1] + i * row.step[1]];
                const real offset = shift[row.at[2] + i * row.step[2]];
                const auto moved = static_cast<double>(x[row.at[0] + i * row.step[0]] * factor - offset);
                const double limited = math::minimum(math::maximum(moved, -most), most);
                result[row.output + i] = (static_cast<real>(round_to_real(type, limited)) + offset) / factor;
            }
        });
        return result.finish();
    }));
    return true;
}

}  // namespace lpt::inline LPT_ABI::reference
#endif

// ======== lpt/reference/fully_connected.hpp
#ifndef LPT_HOLDS_REFERENCE_FULLY_CONNECTED_HPP
#define LPT_HOLDS_REFERENCE_FULLY_CONNECTED_HPP
namespace lpt::inline LPT_ABI::reference {

namespace detail {

/// The weights as numbers, [columns][inner].
template <class Number>
constexpr seq<Number> expanded_weights(const evaluation::call& node, std::size_t inner) {
    const tensor& codes = node.input(1);
    const auto columns = static_cast<std::size_t>(codes.dimensions()[0]);
    const auto blocks = static_cast<std::size_t>(codes.dimensions()[1]);
    const auto block = static_cast<std::size_t>(codes.dimensions()[2]);
    seq<Number> result(columns * inner, Number(0));
    for (std::size_t n = 0; n < columns; ++n) {
        for (std::size_t k = 0; k < inner; ++k) {
            const std::size_t at = n * blocks + k / block;
            const double zero = node.has(3) ? node.input(3).real(at) : 0;
            const double code = codes.real(at * block + k % block);
            result[n * inner + k] = static_cast<Number>((code - zero) * node.input(2).real(at));
        }
    }
    return result;
}

template <class Number>
constexpr tensor fully_connected_compressed(const evaluation::call& node) {
    const shape& data = node.dimensions(0);
    const auto inner = static_cast<std::size_t>(data[data.rank() - 1]);
    const seq<Number> weights = expanded_weights<Number>(node, inner);
    const evaluation::operand<Number> x(node.input(0));
    evaluation::outcome<Number> result(node.output());
    using matrix = evaluation::detail::matrix<Number>;
    evaluation::multiply_matrices(matrix{x.data(), inner, 1}, matrix{weights.data(), 1, inner}, result.data(),
                                  node.input(0).elements() / inner, weights.size() / inner, inner);
    return result.finish();
}

}  // namespace detail

/// FullyConnectedCompressed in the number type of its output.
[[gnu::noinline, gnu::cold]] constexpr bool evaluate_fully_connected(const evaluation::call& node,
                                                                     seq<tensor>& outputs) {
    outputs.push_back(evaluation::with_number(
        node.output().type, [&](auto zero) { return detail::fully_connected_compressed<decltype(zero)>(node); }));
    return true;
}

}  // namespace lpt::inline LPT_ABI::reference
#endif

// ======== lpt/reference/grid_sample.hpp
#ifndef LPT_HOLDS_REFERENCE_GRID_SAMPLE_HPP
#define LPT_HOLDS_REFERENCE_GRID_SAMPLE_HPP
namespace lpt::inline LPT_ABI::reference {

namespace detail {

/// The elements along one axis that a sample is made of, and their weights; -1 for an element that counts as 0.
template <class Real>
struct grid_taps {
    std::int64_t places[4] = {};
    Real weights[4] = {};
    std::size_t count = 0;
};

/// What stands for an element outside of an axis.
constexpr std::int64_t padded_place(std::int64_t place, std::int64_t size, const op::grid_sample& self) {
    if (place >= 0 && place < size) {
        return place;
    }
    if (self.padding_mode == op::grid_sample_padding::zeros) {
        return -1;
    }
    if (self.padding_mode == op::grid_sample_padding::border) {
        return place < 0 ? 0 : size - 1;
    }
    // Mirrored at the outermost elements, or at their outer edges.
    const std::int64_t period = self.align_corners ? math::maximum<std::int64_t>(2 * (size - 1), 1) : 2 * size;
    const std::int64_t turn = (place % period + period) % period;
    return turn < size ? turn : period - turn - (self.align_corners ? 0 : 1);
}

template <class Real>
constexpr grid_taps<Real> taps_at(Real given, std::int64_t size, const op::grid_sample& self) {
    constexpr Real farthest = Real(1 << 30);  // beyond it, every element is outside
    const Real length = static_cast<Real>(size);
    Real place = self.align_corners ? (given + 1) / 2 * (length - 1) : ((given + 1) * length - 1) / 2;
    place = math::is_nan(place) ? -farthest : math::minimum(math::maximum(place, -farthest), farthest);
    grid_taps<Real> result;
    const auto add = [&](std::int64_t at, Real weight) {
        result.places[result.count] = padded_place(at, size, self);
        result.weights[result.count++] = weight;
    };
    if (self.mode == op::grid_sample_mode::nearest) {
        add(static_cast<std::int64_t>(math::round_half_even(place)), 1);
        return result;
    }
    const auto below = static_cast<std::int64_t>(math::floor(place));
    const Real rest = place - static_cast<Real>(below);
    if (self.mode == op::grid_sample_mode::bilinear) {
        add(below, 1 - rest);
        add(below + 1, rest);
        return result;
    }
    constexpr Real a = Real(-0.75);
    const auto near = [](Real t) { return ((a + 2) * t - (a + 3)) * t * t + 1; };
    const auto far = [](Real t) { return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a; };
    add(below - 1, far(1 + rest));
    add(below, near(rest));
    add(below + 1, near(1 - rest));
    add(below + 2, far(2 - rest));
    return result;
}

/// The elements of a plane that some samples are made of: those of sample i stand from `begin[i]` to before `begin[i + 1]`.
template <class Real>
struct plane_taps {
    std::vector<std::size_t> begin{0};
    std::vector<std::size_t> places;
    std::vector<Real> weights;

    void add(const grid_taps<Real>& down, const grid_taps<Real>& across, std::int64_t columns) {
        for (std::size_t row = 0; row < down.count; ++row) {
            for (std::size_t column = 0; column < across.count; ++column) {
                if (down.places[row] >= 0 && across.places[column] >= 0) {
                    places.push_back(static_cast<std::size_t>(down.places[row] * columns + across.places[column]));
                    weights.push_back(down.weights[row] * across.weights[column]);
                }
            }
        }
        begin.push_back(places.size());
    }
    void write(const Real* from, Real* to) const {
        for (std::size_t i = 0; i + 1 < begin.size(); ++i) {
            Real sum = 0;
            for (std::size_t tap = begin[i]; tap < begin[i + 1]; ++tap) {
                sum += weights[tap] * from[places[tap]];
            }
            to[i] = sum;
        }
    }
};

template <class Real>
tensor grid_sample(const call& node) {
    constexpr std::size_t block = 1024;  // samples whose taps are kept for all channels
    const auto& self = node.as<op::grid_sample>();
    const shape& data = node.dimensions(0);
    const shape& grid = node.dimensions(1);
    const operand<Real> x(node.input(0));
    const operand<Real> given(node.input(1));
    outcome<Real> result(node.output());
    const auto channels = static_cast<std::size_t>(data[1]);
    const std::size_t plane = elements_between(data, 2, 4);
    const std::size_t samples = elements_between(grid, 1, 3);
    for (std::size_t image = 0; image < static_cast<std::size_t>(data[0]); ++image) {
        for (std::size_t first = 0; first < samples; first += block) {
            plane_taps<Real> taps;
            for (std::size_t i = first; i < math::minimum(first + block, samples); ++i) {
                const Real* const place = given.data() + 2 * (image * samples + i);
                taps.add(taps_at(place[1], data[2], self), taps_at(place[0], data[3], self), data[3]);
            }
            for (std::size_t channel = image * channels; channel < (image + 1) * channels; ++channel) {
                taps.write(x.data() + channel * plane, result.data() + channel * samples + first);
            }
        }
    }
    return result.finish();
}

}  // namespace detail

/// GridSample, in the number type of the data. A place that is not a number lies before the image.
[[gnu::cold]] inline bool evaluate_grid_sample(const call& node, seq<tensor>& outputs) {
    outputs.push_back(
        detail::with_real(node.output().type, [&](auto zero) { return detail::grid_sample<decltype(zero)>(node); }));
    return true;
}

}  // namespace lpt::inline LPT_ABI::reference
#endif

// ======== lpt/reference/indexing.hpp
#ifndef LPT_HOLDS_REFERENCE_INDEXING_HPP
#define LPT_HOLDS_REFERENCE_INDEXING_HPP
namespace lpt::inline LPT_ABI::reference {

namespace detail {

/// The first number of each line in an order, and where it is; lines that lie side by side are walked together.
template <class Number, class Before>
void find_first(const operand<Number>& x, std::size_t outer, std::size_t size, std::size_t inner, const Before& before,
                outcome<Number>& values, outcome<std::int64_t>& indices) {
    for (std::size_t o = 0; o < outer; ++o) {
        const Number* const from = x.data() + o * size * inner;
        Number* const best = values.data() + o * inner;
        std::int64_t* const place = indices.data() + o * inner;
        std::copy(from, from + inner, best);
        std::fill(place, place + inner, 0);
        for (std::size_t i = 1; i < size; ++i) {
            for (std::size_t line = 0; line < inner; ++line) {
                const Number value = from[i * inner + line];
                const bool is_better = before(value, best[line]);
                best[line] = is_better ? value : best[line];
                place[line] = is_better ? static_cast<std::int64_t>(i) : place[line];
            }
        }
    }
}

template <class Number>
void top_k(const call& node, seq<tensor>& outputs) {
    const auto& self = node.as<op::top_k>();
    const shape& data = node.dimensions(0);
    const std::size_t axis = evaluation::detail::axis_of(self.axis, data.rank());
    const auto size = static_cast<std::size_t>(data[axis]);
    const auto count = static_cast<std::size_t>(node.output().dimensions[axis]);
    const std::size_t inner = elements_between(data, axis + 1, data.rank());
    const std::size_t outer = elements_between(data, 0, axis);
    const bool greatest = self.mode == op::top_k_mode::max;
    const auto comes_before = [greatest](Number left, Number right) { return greatest ? left > right : left < right; };
    operand<Number> x(node.input(0));
    outcome<Number> values(node.output());
    outcome<std::int64_t> indices(node.output(1).type, node.output(1).dimensions);
    if (count == 1 && size != 0) {
        find_first(x, outer, size, inner, comes_before, values, indices);
        outputs.push_back(values.finish());
        outputs.push_back(indices.finish());
        return;
    }
    std::vector<std::size_t> order(size);
    for (std::size_t line = 0; line < outer * inner; ++line) {
        const std::size_t base = line / inner * size * inner + line % inner;
        const auto before = [&](std::size_t a, std::size_t b) {
            const Number left = x[base + a * inner];
            const Number right = x[base + b * inner];
            const bool is_number = left == left;
            if (is_number != (right == right)) {
                return is_number;  // NaN come last
            }
            return is_number && left != right ? comes_before(left, right) : a < b;
        };
        for (std::size_t i = 0; i < size; ++i) {
            order[i] = i;
        }
        const auto end = order.begin() + static_cast<std::ptrdiff_t>(count);
        std::partial_sort(order.begin(), end, order.end(), before);
        if (self.sort == op::top_k_sort::index) {
            std::sort(order.begin(), end);
        }
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t to = (line / inner * count + i) * inner + line % inner;
            values[to] = x[base + order[i] * inner];
            indices[to] = static_cast<std::int64_t>(order[i]);
        }
    }
    outputs.push_back(values.finish());
    outputs.push_back(indices.finish());
}

template <class Number>
constexpr tensor cum_sum(const call& node) {
    const auto& self = node.as<op::cum_sum>();
    const shape& data = node.dimensions(0);
    const std::size_t axis = evaluation::detail::axis_of(node.integer_at(1), data.rank());
    const auto size = static_cast<std::size_t>(data[axis]);
    const std::size_t inner = elements_between(data, axis + 1, data.rank());
    const std::size_t outer = elements_between(data, 0, axis);
    operand<Number> x(node.input(0));
    outcome<Number> result(node.output());
    for (std::size_t line = 0; line < outer * inner; ++line) {
        evaluation::sum_of<Number> sum = 0;
        for (std::size_t i = 0; i < size; ++i) {
            const std::size_t place = self.reverse ? size - 1 - i : i;
            const std::size_t at = (line / inner * size + place) * inner + line % inner;
            const evaluation::sum_of<Number> before = sum;
            sum = evaluation::detail::plus(sum, static_cast<evaluation::sum_of<Number>>(x[at]));
            result[at] = static_cast<Number>(self.exclusive ? before : sum);
        }
    }
    return result.finish();
}

template <class Number>
constexpr tensor one_hot(const call& node) {
    const auto& self = node.as<op::one_hot>();
    const shape& dimensions = node.output().dimensions;
    const std::size_t axis = evaluation::detail::axis_of(self.axis, dimensions.rank());
    const dimension depth = dimensions[axis];
    const std::size_t inner = elements_between(dimensions, axis + 1, dimensions.rank());
    const bool wraps = node.version >= 16 && self.negative_indices_mode == op::one_hot_negative_indices::normalize;
    operand<std::int64_t> indices(node.input(0));
    operand<Number> on(node.input(2));
    operand<Number> off(node.input(3));
    outcome<Number> result(node.output());
    for (std::size_t i = 0; i < result.elements(); ++i) {
        result[i] = off[0];
    }
    for (std::size_t i = 0; i < node.input(0).elements(); ++i) {
        const std::int64_t place = indices[i] < 0 && wraps ? indices[i] + depth : indices[i];
        if (place >= 0 && place < depth) {
            result[(i / inner * static_cast<std::size_t>(depth) + static_cast<std::size_t>(place)) * inner +
                   i % inner] = on[0];
        }
    }
    return result.finish();
}

constexpr tensor non_zero(const call& node) {
    const shape& data = node.dimensions(0);
    const integers strides = evaluation::strides_of(data);
    seq<std::int64_t> found;
    for (std::size_t i = 0; i < data.elements(); ++i) {
        if (node.input(0).real(i) != 0) {
            found.push_back(static_cast<std::int64_t>(i));
        }
    }
    // A scalar has no axis to tell the place on; it counts as a tensor of one element.
    const std::size_t rank = data.rank();
    seq<std::int64_t> places;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        for (const std::int64_t at : found) {
            places.push_back(at / strides[axis] % data[axis]);
        }
    }
    const shape dimensions{static_cast<dimension>(rank), static_cast<dimension>(found.size())};
    tensor_builder result(node.as<op::non_zero>().output_type, dimensions);
    for (std::size_t i = 0; i < places.size(); ++i) {
        result.integer(i, places[i]);
    }
    return result.finish();
}

}  // namespace detail

/// TopK (of equal values the one with the lower index comes first), CumSum, OneHot (indices outside the depth give off values only) and NonZero.
[[gnu::cold]] inline bool evaluate_indexing(const call& node, seq<tensor>& outputs) {
    switch (node.kind()) {
        case op::kind::top_k:
            detail::with_number(node.input(0).type(), [&](auto zero) { detail::top_k<decltype(zero)>(node, outputs); });
            return true;
        case op::kind::cum_sum:
            outputs.push_back(detail::with_number(node.input(0).type(),
                                                  [&](auto zero) { return detail::cum_sum<decltype(zero)>(node); }));
            return true;
        case op::kind::one_hot:
            outputs.push_back(detail::with_number(node.output().type,
                                                  [&](auto zero) { return detail::one_hot<decltype(zero)>(node); }));
            return true;
        case op::kind::non_zero: outputs.push_back(detail::non_zero(node)); return true;
        default: return false;
    }
}

}  // namespace lpt::inline LPT_ABI::reference
#endif

// ======== lpt/reference/interpolate.hpp
#ifndef LPT_HOLDS_REFERENCE_INTERPOLATE_HPP
#define LPT_HOLDS_REFERENCE_INTERPOLATE_HPP
namespace lpt::inline LPT_ABI::reference {

namespace detail {

/// One input place that an output place is made of, and its share.
struct tap {
    std::int64_t place = 0;
    double weight = 0;
};
/// For each place along an output axis the input places that it is made of.
using resampling = seq<seq<tap>>;

/// Sizes and scale of one axis.
struct axis_resize {
    std::int64_t input = 0;
    std::int64_t output = 0;
    float scale = 1;
};

/// What Interpolate does, in the terms of version 4 (version 0 says the same in other words).
struct resize_rule {
    op::interpolate_mode mode = op::interpolate_mode::nearest;
    op::coordinate_transformation_mode coordinates = op::coordinate_transformation_mode::half_pixel;
    op::nearest_mode nearest = op::nearest_mode::round_prefer_floor;
    bool antialias = false;
    double cube_coeff = -0.75;
};

/// The place in the input that an output place shows by the rule; may be anything where the scale is tiny.
constexpr float free_place(const resize_rule& rule, const axis_resize& axis, std::int64_t place) {
    using enum op::coordinate_transformation_mode;
    const auto x = static_cast<float>(place);
    if (axis.scale == 1.0f || axis.input == axis.output) {
        return x;
    }
    switch (rule.coordinates) {
        case half_pixel: return (x + 0.5f) / axis.scale - 0.5f;
        case pytorch_half_pixel: return axis.output > 1 ? (x + 0.5f) / axis.scale - 0.5f : 0.0f;
        case asymmetric: return x / axis.scale;
        case tf_half_pixel_for_nn: return (x + 0.5f) / axis.scale;
        default:
            return axis.output == 1 ? 0.0f
                                    : x * static_cast<float>(axis.input - 1) / static_cast<float>(axis.output - 1);
    }
}

/// The place in the input that an output place shows; computed in float, as the places that `nearest` takes depend on it.
/// Beyond 2^48, where no input has places, it stops; where a scale is too small for a float, 0 / 0 is 0.
constexpr float source_place(const resize_rule& rule, const axis_resize& axis, std::int64_t place) {
    constexpr float limit = 281474976710656.0f;
    const float free = free_place(rule, axis, place);
    return math::is_nan(free) ? 0.0f : math::maximum(math::minimum(free, limit), -limit);
}

constexpr std::int64_t nearest_place(op::nearest_mode mode, float x, bool shrinks) {
    const float below = math::floor(x);
    switch (mode) {
        case op::nearest_mode::round_prefer_floor:
            return static_cast<std::int64_t>(x - below <= 0.5f ? below : below + 1);
        case op::nearest_mode::round_prefer_ceil:
            return static_cast<std::int64_t>(x - below < 0.5f ? below : below + 1);
        case op::nearest_mode::floor: return static_cast<std::int64_t>(below);
        case op::nearest_mode::ceil: return static_cast<std::int64_t>(math::ceil(x));
        default: return static_cast<std::int64_t>(shrinks ? math::ceil(x) : math::truncate(x));
    }
}

constexpr std::int64_t inside(std::int64_t place, std::int64_t size) {
    return math::minimum(math::maximum<std::int64_t>(place, 0), size - 1);
}

constexpr seq<tap> linear_onnx_taps(float x, std::int64_t size) {
    const float place = math::minimum(math::maximum(x, 0.0f), static_cast<float>(size - 1));
    const std::int64_t low = inside(static_cast<std::int64_t>(place), size);
    const double part = static_cast<double>(place - static_cast<float>(low));
    return {{low, 1 - part}, {inside(low + 1, size), part}};
}

constexpr seq<tap> linear_taps(float x, const axis_resize& axis, bool antialias) {
    const double slope = antialias ? static_cast<double>(axis.scale) : 1.0;
    const auto reach = static_cast<std::int64_t>(
        axis.scale > 1 ? 2.0 : math::minimum(math::ceil(2.0 / slope), static_cast<double>(most_elements)));
    const auto middle = static_cast<std::int64_t>(math::round_half_away(x));
    const std::int64_t first = math::maximum<std::int64_t>(0, middle - reach);
    const std::int64_t last = math::minimum(axis.input - 1, middle + reach);
    seq<tap> taps;
    double sum = 0;
    for (std::int64_t place = first; place <= last; ++place) {
        const double weight = 1 - math::absolute(slope * static_cast<double>(x - static_cast<float>(place)));
        if (weight > 0) {
            taps.push_back({place, weight});
            sum += weight;
        }
    }
    for (tap& each : taps) {
        each.weight /= sum;
    }
    return taps;
}

constexpr double cubic_weight(double distance, double a) {
    const double x = math::absolute(distance);
    if (x <= 1) {
        return ((a + 2) * x - (a + 3)) * x * x + 1;
    }
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

constexpr seq<tap> cubic_taps(float x, std::int64_t size, double a) {
    const float below = math::floor(x);
    const double part = static_cast<double>(x - below);
    seq<tap> taps;
    for (int i = -1; i <= 2; ++i) {
        taps.push_back({inside(static_cast<std::int64_t>(below) + i, size), cubic_weight(part - i, a)});
    }
    return taps;
}

/// The filters of the image library Pillow: the filter is widened when the image shrinks, and cut off at the border.
constexpr seq<tap> pillow_taps(std::int64_t place, const axis_resize& axis, bool cubic, double a) {
    const double step = static_cast<double>(axis.input) / static_cast<double>(axis.output);
    const double width = math::maximum(step, 1.0);
    const double reach = (cubic ? 2.0 : 1.0) * width;
    const double middle = (static_cast<double>(place) + 0.5) * step;
    const auto first = math::maximum<std::int64_t>(0, static_cast<std::int64_t>(math::truncate(middle - reach + 0.5)));
    const auto last = math::minimum(axis.input, static_cast<std::int64_t>(math::truncate(middle + reach + 0.5)));
    seq<tap> taps;
    double sum = 0;
    for (std::int64_t i = first; i < last; ++i) {
        const double distance = (static_cast<double>(i) - middle + 0.5) / width;
        const double weight = cubic ? cubic_weight(distance, a) : math::maximum(0.0, 1 - math::absolute(distance));
        taps.push_back({i, weight});
        sum += weight;
    }
    for (tap& each : taps) {
        each.weight /= sum;
    }
    return taps;
}

/// The mean of the input that an output place covers.
constexpr seq<tap> area_taps(std::int64_t place, const axis_resize& axis) {
    const double step = static_cast<double>(axis.input) / static_cast<double>(axis.output);
    const double begin = static_cast<double>(place) * step;
    const double end = begin + step;
    seq<tap> taps;
    for (auto i = static_cast<std::int64_t>(begin); i < axis.input && static_cast<double>(i) < end; ++i) {
        const double covered =
            math::minimum(end, static_cast<double>(i + 1)) - math::maximum(begin, static_cast<double>(i));
        taps.push_back({i, covered / step});
    }
    return taps;
}

constexpr seq<tap> taps_of(const resize_rule& rule, const axis_resize& axis, std::int64_t place) {
    const float x = source_place(rule, axis, place);
    switch (rule.mode) {
        case op::interpolate_mode::nearest:
            return {{inside(nearest_place(rule.nearest, x, axis.scale < 1), axis.input), 1.0}};
        case op::interpolate_mode::linear: return linear_taps(x, axis, rule.antialias);
        case op::interpolate_mode::linear_onnx: return linear_onnx_taps(x, axis.input);
        case op::interpolate_mode::cubic: return cubic_taps(x, axis.input, rule.cube_coeff);
        case op::interpolate_mode::bilinear_pillow: return pillow_taps(place, axis, false, rule.cube_coeff);
        case op::interpolate_mode::bicubic_pillow: return pillow_taps(place, axis, true, rule.cube_coeff);
        default: return area_taps(place, axis);
    }
}

constexpr resize_rule rule_of(const op::interpolate& self, int version) {
    if (version >= 4) {
        return {self.mode, self.coordinate_transformation_mode, self.nearest_mode, self.antialias, self.cube_coeff};
    }
    const auto mode = self.mode == op::interpolate_mode::linear ? op::interpolate_mode::linear_onnx : self.mode;
    const auto coordinates = self.align_corners ? op::coordinate_transformation_mode::align_corners
                                                : op::coordinate_transformation_mode::asymmetric;
    return {mode, coordinates, op::nearest_mode::simple, self.antialias, -0.75};
}

/// The input that says which axes are resampled; version 0 has an attribute.
constexpr std::size_t axes_port(int version) { return version >= 11 ? 2 : 3; }

/// The axes that are resampled, in the order of sizes and scales. `named`: the values of `axes_port`, null where there is no such input: then it
/// is all axes, as for a version 0 without axes.
constexpr integers resized_axes(const op::interpolate& self, int version, const tensor* named, std::size_t rank) {
    if (version != 0 && named != nullptr) {
        return integers_of(*named);
    }
    if (version == 0 && !self.axes.empty()) {
        return self.axes;
    }
    integers all;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        all.push_back(static_cast<std::int64_t>(axis));
    }
    return all;
}

constexpr tensor with_margin(const call& node, const op::interpolate& self) {
    integers begin = self.pads_begin;
    integers end = self.pads_end;
    shape dimensions = node.dimensions(0);
    begin.resize(dimensions.rank(), 0);
    end.resize(dimensions.rank(), 0);
    for (std::size_t axis = 0; axis < dimensions.rank(); ++axis) {
        dimensions[axis] += begin[axis] + end[axis];
    }
    if (dimensions == node.dimensions(0)) {
        return node.input(0);
    }
    constexpr std::size_t most = std::size_t{1} << 29;  // elements that have room in double beside a large output
    if (!dimensions.is_possible() || dimensions.elements() > most) {
        fail({"Interpolate pads its input to the shape ", dimensions, ", more than ", most,
              " elements, which is too large to be evaluated"});
    }
    return evaluation::detail::padded(node.input(0), begin, dimensions, op::pad_mode::constant, nullptr);
}

/// Resamples one axis of `from`, whose other axes are `outer` before and `inner` after it.
constexpr seq<double> resample_axis(const seq<double>& from, const resampling& taps, std::size_t outer,
                                    std::size_t inner, std::size_t input) {
    seq<double> to(outer * taps.size() * inner, 0.0);
    double* row = to.data();
    for (std::size_t i = 0; i < outer; ++i) {
        for (const seq<tap>& place : taps) {
            for (const tap& each : place) {
                const double* source = from.data() + (i * input + static_cast<std::size_t>(each.place)) * inner;
                for (std::size_t k = 0; k < inner; ++k) {
                    row[k] += each.weight * source[k];
                }
            }
            row += inner;
        }
    }
    return to;
}

constexpr tensor interpolate_nearest(const tensor& data, const shape& dimensions, const seq<resampling>& taps) {
    const integers strides = evaluation::strides_of(data.dimensions());
    seq<evaluation::axis_source> sources = evaluation::detail::identity_sources(data.dimensions());
    for (std::size_t axis = 0; axis < taps.size(); ++axis) {
        if (taps[axis].empty()) {
            continue;
        }
        sources[axis].clear();
        for (const seq<tap>& place : taps[axis]) {
            sources[axis].push_back(place[0].place * strides[axis]);
        }
    }
    return evaluation::rearrange(data, dimensions, sources);
}

/// How each axis is resampled; nothing for axes that are not. `data`: the input with its margin; `scales`: the input that says them, null where
/// sizes do.
constexpr seq<resampling> resamplings_of(const resize_rule& rule, const shape& data, const shape& output,
                                         const integers& axes, const tensor* scales) {
    seq<resampling> taps(output.rank(), resampling{});
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::size_t axis = evaluation::detail::axis_of(axes[i], output.rank());
        axis_resize resize{data[axis], output[axis], 1};
        resize.scale = scales != nullptr ? static_cast<float>(scales->real(i))
                                         : static_cast<float>(resize.output) / static_cast<float>(resize.input);
        for (std::int64_t place = 0; place < resize.output; ++place) {
            taps[axis].push_back(taps_of(rule, resize, place));
        }
    }
    return taps;
}
constexpr bool is_resized_by_scales(const op::interpolate& self, int version) {
    return version >= 4 && self.shape_calculation_mode == op::shape_calculation_mode::scales;
}
/// The input that says scales, or sizes for them.
constexpr std::size_t scale_port(int version) { return version >= 11 ? 1 : 2; }

/// True if the sums of an axis are computed.
constexpr bool is_resampled(const resize_rule& rule, const resampling& taps, std::int64_t input, std::int64_t output) {
    return !taps.empty() && (input != output || rule.mode != op::interpolate_mode::linear_onnx);
}

constexpr tensor interpolate(const call& node) {
    const auto& self = node.as<op::interpolate>();
    const shape& dimensions = node.output().dimensions;
    const resize_rule rule = rule_of(self, node.version);
    const tensor data = with_margin(node, self);
    const tensor* scales = is_resized_by_scales(self, node.version) ? &node.input(scale_port(node.version)) : nullptr;
    const std::size_t port = axes_port(node.version);
    const integers axes =
        resized_axes(self, node.version, node.has(port) ? &node.input(port) : nullptr, data.dimensions().rank());
    const seq<resampling> taps = resamplings_of(rule, data.dimensions(), dimensions, axes, scales);
    for (std::size_t axis = 0; axis < dimensions.rank(); ++axis) {
        // Version 0 pads without telling the output's shape.
        if (taps[axis].empty() && data.dimensions()[axis] != dimensions[axis]) {
            fail({"Interpolate pads axis ", axis, ", which it does not resize, from ", dimensions[axis], " to ",
                  data.dimensions()[axis], " elements, but its output has ", dimensions[axis]});
        }
    }
    if (rule.mode == op::interpolate_mode::nearest || dimensions.elements() == 0) {
        return interpolate_nearest(data, dimensions, taps);
    }
    seq<double> values = reals_of(data);
    shape now = data.dimensions();
    for (std::size_t axis = 0; axis < dimensions.rank(); ++axis) {
        if (is_resampled(rule, taps[axis], now[axis], dimensions[axis])) {
            values = resample_axis(values, taps[axis], elements_between(now, 0, axis),
                                   elements_between(now, axis + 1, now.rank()), static_cast<std::size_t>(now[axis]));
            now[axis] = dimensions[axis];
        }
    }
    evaluation::raw_output to(node.output().type, dimensions);
    if (is_integral(node.output().type)) {
        for (double& value : values) {
            value = math::round_half_even(value);
        }
    }
    evaluation::store_values(values.data(), values.size(), to.type(), to.data());
    return to.finish();
}

}  // namespace detail

/// Interpolate in all modes. Each axis is resampled in turn: every mode is a product of weights along the axes.
///
/// Coordinates are computed in float, weights and sums in double; of integers the result is rounded, halves to even. Version 0: `linear` is
/// `linear_onnx`, `nearest` takes `simple`, coordinates are `align_corners` or `asymmetric`, `area` is the mean of what an output place covers.
[[gnu::cold]] inline bool evaluate_interpolate(const call& node, seq<tensor>& outputs) {
    outputs.push_back(detail::interpolate(node));
    return true;
}

}  // namespace lpt::inline LPT_ABI::reference
#endif

// ======== lpt/reference/linear_algebra.hpp
#ifndef LPT_HOLDS_REFERENCE_LINEAR_ALGEBRA_HPP
#define LPT_HOLDS_REFERENCE_LINEAR_ALGEBRA_HPP
namespace lpt::inline LPT_ABI::reference {

namespace detail {

/// Turns a matrix of n rows into its inverse, by elimination in its place with the greatest number of each column.
inline void invert(double* matrix, std::size_t n) {
    std::vector<std::size_t> exchanged(n);
    for (std::size_t column = 0; column < n; ++column) {
        std::size_t best = column;
        for (std::size_t row = column + 1; row < n; ++row) {
            const bool is_greater =
                math::absolute(matrix[row * n + column]) > math::absolute(matrix[best * n + column]);
            best = is_greater ? row : best;
        }
        exchanged[column] = best;
        for (std::size_t i = 0; best != column && i < n; ++i) {
            std::swap(matrix[best * n + i], matrix[column * n + i]);
        }
        const double pivot = matrix[column * n + column];
        matrix[column * n + column] = 1;
        for (std::size_t i = 0; i < n; ++i) {
            matrix[column * n + i] /= pivot;
        }
        for (std::size_t row = 0; row < n; ++row) {
            const double factor = row == column ? 0 : std::exchange(matrix[row * n + column], 0.0);
            for (std::size_t i = 0; row != column && i < n; ++i) {
                matrix[row * n + i] -= factor * matrix[column * n + i];
            }
        }
    }
    for (std::size_t column = n; column-- > 0;) {
        for (std::size_t row = 0; exchanged[column] != column && row < n; ++row) {
            std::swap(matrix[row * n + exchanged[column]], matrix[row * n + column]);
        }
    }
}

template <class Real>
tensor inverse(const call& node) {
    const shape& data = node.dimensions(0);
    const auto n = static_cast<std::size_t>(data[data.rank() - 1]);
    const bool is_adjoint = node.as<op::inverse>().adjoint;
    const operand<Real> x(node.input(0));
    outcome<Real> result(node.output());
    std::vector<double> matrix(n * n);
    for (std::size_t at = 0; at < result.elements(); at += n * n) {
        for (std::size_t i = 0; i < n * n; ++i) {
            matrix[i] = static_cast<double>(x[at + i]);
        }
        invert(matrix.data(), n);
        for (std::size_t i = 0; i < n * n; ++i) {
            result[at + i] = static_cast<Real>(matrix[is_adjoint ? i % n * n + i / n : i]);
        }
    }
    return result.finish();
}

}  // namespace detail

/// Inverse, computed in double and rounded once.
[[gnu::cold]] inline bool evaluate_linear_algebra(const call& node, seq<tensor>& outputs) {
    outputs.push_back(
        detail::with_real(node.output().type, [&](auto zero) { return detail::inverse<decltype(zero)>(node); }));
    return true;
}

}  // namespace lpt::inline LPT_ABI::reference
#endif

// ======== lpt/reference/movement.hpp
#ifndef LPT_HOLDS_REFERENCE_MOVEMENT_HPP
#define LPT_HOLDS_REFERENCE_MOVEMENT_HPP
namespace lpt::inline LPT_ABI::reference {

namespace detail {

constexpr tensor gather_nd(const call& node) {
    const shape& data = node.dimensions(0);
    const shape& indices = node.dimensions(1);
    const auto batch = static_cast<std::size_t>(node.as<op::gather_nd>().batch_dims);
    const auto tuple = static_cast<std::size_t>(indices[indices.rank() - 1]);
    const element type = evaluation::detail::byte_type(node.input(0).type());
    const tensor from = evaluation::convert_tensor(node.input(0), type);
    const operand<std::int64_t> places(node.input(1));
    const std::size_t inner =
        elements_between(data, batch + tuple, data.rank()) * static_cast<std::size_t>(bit_width(type)) / 8;
    const std::size_t batch_size = elements_between(data, batch, batch + tuple);
    const std::size_t batches = elements_between(data, 0, batch);
    const std::size_t slices = elements_between(indices, batch, indices.rank() - 1);
    evaluation::raw_output to(type, node.output().dimensions);
    for (std::size_t i = 0; i < batches * slices; ++i) {
        std::size_t place = 0;
        for (std::size_t axis = 0; axis < tuple; ++axis) {
            const std::int64_t index = places[i * tuple + axis];
            const dimension size = data[batch + axis];
            if (index < -size || index >= size) {
                fail({"GatherND: index ", index, " is outside an axis of size ", size});
            }
            place = place * static_cast<std::size_t>(size) + static_cast<std::size_t>(index < 0 ? index + size : index);
        }
        copy_bytes(to.data() + i * inner, from.data() + (i / slices * batch_size + place) * inner, inner);
    }
    return evaluation::convert_tensor(to.finish(), node.input(0).type());
}

constexpr tensor reverse_sequence(const call& node) {
    const auto& self = node.as<op::reverse_sequence>();
    const shape& data = node.dimensions(0);
    const std::size_t batch_axis = evaluation::detail::axis_of(self.batch_axis, data.rank());
    const std::size_t time_axis = evaluation::detail::axis_of(self.seq_axis, data.rank());
    const integers lengths = node.integers_at(1);
    const integers strides = evaluation::strides_of(data);
    const element type = evaluation::detail::byte_type(node.input(0).type());
    const tensor from = evaluation::convert_tensor(node.input(0), type);
    const auto width = static_cast<std::size_t>(bit_width(type)) / 8;
    evaluation::raw_output to(type, data);
    for (std::size_t i = 0; i < data.elements(); ++i) {
        const auto place = static_cast<std::int64_t>(i);
        const auto batch = static_cast<std::size_t>(place / strides[batch_axis] % data[batch_axis]);
        const std::int64_t time = place / strides[time_axis] % data[time_axis];
        const std::int64_t length = lengths[batch];
        if (length < 0 || length > data[time_axis]) {
            fail({"ReverseSequence: length ", length, " is outside an axis of size ", data[time_axis]});
        }
        const std::int64_t source = time < length ? place + (length - 1 - 2 * time) * strides[time_axis] : place;
        copy_bytes(to.data() + i * width, from.data() + static_cast<std::size_t>(source) * width, width);
    }
    return evaluation::convert_tensor(to.finish(), node.input(0).type());
}

/// By how much Roll moves the elements along each axis, from 0 to below its size.
constexpr integers shifts_of_axes(const call& node) {
    const shape& data = node.dimensions(0);
    const integers shifts = node.integers_at(1);
    const integers axes = node.integers_at(2);
    integers result;
    result.resize(data.rank(), 0);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::size_t axis = evaluation::detail::axis_of(axes[i], data.rank());
        const std::int64_t size = math::maximum<std::int64_t>(data[axis], 1);
        const std::int64_t shift = shifts[shifts.size() == 1 ? 0 : i] % size;
        result[axis] = (result[axis] + shift + size) % size;
    }
    return result;
}

constexpr tensor roll(const call& node) {
    const shape& data = node.dimensions(0);
    const integers shifts = shifts_of_axes(node);
    const integers strides = evaluation::strides_of(data);
    const element type = evaluation::detail::byte_type(node.input(0).type());
    const tensor from = evaluation::convert_tensor(node.input(0), type);
    const auto width = static_cast<std::size_t>(bit_width(type)) / 8;
    // Along the last axis two blocks move together; a scalar is one block.
    const std::int64_t length = data.rank() == 0 ? 1 : data[data.rank() - 1];
    const std::int64_t cut = data.rank() == 0 ? 0 : shifts[data.rank() - 1];
    const auto block = [&](std::int64_t count) { return static_cast<std::size_t>(count) * width; };
    evaluation::raw_output to(type, data);
    for (std::size_t row = 0; row < data.elements() / static_cast<std::size_t>(length); ++row) {
        const auto begin = static_cast<std::int64_t>(row) * length;
        std::int64_t target = begin;
        for (std::size_t axis = 0; axis + 1 < data.rank(); ++axis) {
            const std::int64_t place = begin / strides[axis] % data[axis];
            target += ((place + shifts[axis]) % data[axis] - place) * strides[axis];
        }
        copy_bytes(to.data() + block(target + cut), from.data() + block(begin), block(length - cut));
        copy_bytes(to.data() + block(target), from.data() + block(begin + length - cut), block(cut));
    }
    return evaluation::convert_tensor(to.finish(), node.input(0).type());
}

constexpr tensor gather_elements(const call& node) {
    const shape& data = node.dimensions(0);
    const shape& indices = node.dimensions(1);
    const std::size_t axis = evaluation::detail::axis_of(node.as<op::gather_elements>().axis, data.rank());
    const auto size = static_cast<std::int64_t>(data[axis]);
    const std::size_t inner = elements_between(indices, axis + 1, indices.rank());
    const auto count = static_cast<std::size_t>(indices[axis]);
    const element type = evaluation::detail::byte_type(node.input(0).type());
    const tensor from = evaluation::convert_tensor(node.input(0), type);
    const operand<std::int64_t> places(node.input(1));
    const auto width = static_cast<std::size_t>(bit_width(type)) / 8;
    evaluation::raw_output to(type, node.output().dimensions);
    for (std::size_t i = 0; i < to.elements(); ++i) {
        const std::int64_t index = places[i];
        if (index < -size || index >= size) {
            fail({"GatherElements: index ", index, " is outside an axis of size ", size});
        }
        const std::size_t outer = i / inner / count * static_cast<std::size_t>(size);
        const std::size_t place = outer + static_cast<std::size_t>(index < 0 ? index + size : index);
        copy_bytes(to.data() + i * width, from.data() + (place * inner + i % inner) * width, width);
    }
    return evaluation::convert_tensor(to.finish(), node.input(0).type());
}

}  // namespace detail

/// GatherND, GatherElements, ReverseSequence and Roll. Negative indices count from the end; one outside its axis is an error.
[[gnu::cold]] inline bool evaluate_rare_movement(const call& node, seq<tensor>& outputs) {
    switch (node.kind()) {
        case op::kind::gather_nd: outputs.push_back(detail::gather_nd(node)); return true;
        case op::kind::reverse_sequence: outputs.push_back(detail::reverse_sequence(node)); return true;
        case op::kind::roll: outputs.push_back(detail::roll(node)); return true;
        case op::kind::gather_elements: outputs.push_back(detail::gather_elements(node)); return true;
        default: return false;
    }
}

}  // namespace lpt::inline LPT_ABI::reference
#endif

// ======== lpt/reference/naming.hpp
#ifndef LPT_HOLDS_REFERENCE_NAMING_HPP
#define LPT_HOLDS_REFERENCE_NAMING_HPP
namespace lpt::inline LPT_ABI::detail {

/// Does some work for a node; where memory cannot be had for it, raises an error that names the node.
template <class Work>
auto naming_memory_of(const node& each, const Work& work) -> decltype(work()) {
    const auto name = [&] { return join({each.operation(), " '", each.name(), "'"}); };
    try {
        return naming_memory(work, name);
    } catch (const std::length_error&) {  // of the standard library's containers
        fail({name(), ": it needs more memory than there can be"});
    }
}

/// What an error says, with the node that it is about in front, unless it names one of that operation itself.
[[gnu::cold]] inline text naming(const node& each, const text& message) {
    const text_view operation = each.operation();
    const text name = each.name().empty() ? text(operation) : join({operation, " '", each.name(), "'"});
    if (message.view().starts_with(join({operation, " '"}))) {
        return message;
    }
    const text alone = join({operation, ": "});
    const text_view rest = message.view().starts_with(alone)
                               ? message.view().substr(alone.size(), message.size() - alone.size())
                               : message.view();
    return join({name, ": ", rest});
}

/// Does some work for a node; what it raises names the node.
template <class Work>
auto naming_errors_of(const node& each, const Work& work) -> decltype(work()) {
    try {
        return naming_memory_of(each, work);
    } catch (const error& raised) {
        fail({naming(each, raised.message())});
    }
}

}  // namespace lpt::inline LPT_ABI::detail
#endif

// ======== lpt/reference/normalization.hpp
#ifndef LPT_HOLDS_REFERENCE_NORMALIZATION_HPP
#define LPT_HOLDS_REFERENCE_NORMALIZATION_HPP
namespace lpt::inline LPT_ABI::reference {

namespace detail {

/// For each element of a tensor the number of the group that it is normalised with: elements that differ in the reduced axes only.
class element_groups {
    const shape& data_;
    seq<bool, 8> reduced_;
    std::size_t count_ = 1;

public:
    constexpr element_groups(const shape& data, const integers& axes)
        : data_(data), reduced_(evaluation::detail::reduced_axes(axes, data.rank())) {
        for (std::size_t axis = 0; axis < data.rank(); ++axis) {
            count_ *= reduced_[axis] ? 1 : static_cast<std::size_t>(data[axis]);
        }
    }
    constexpr std::size_t count() const { return count_; }
    /// The number of elements of one group.
    constexpr double size() const { return static_cast<double>(data_.elements()) / static_cast<double>(count_); }
    /// Calls `visit(element, group)` for each element in order.
    template <class Visit>
    constexpr void for_each(Visit visit) const {
        evaluation::detail::for_each_reduced_row(
            data_, reduced_, [&](std::size_t at, std::size_t group, std::size_t length, std::size_t step) {
                for (std::size_t i = 0; i < length; ++i) {
                    visit(at + i, group + i * step);
                }
            });
    }
};

struct moments {
    seq<double> mean;
    seq<double> variance;
};

template <class Real>
constexpr moments moments_of(const operand<Real>& x, const element_groups& groups) {
    moments result{seq<double>(groups.count(), 0.0), seq<double>(groups.count(), 0.0)};
    groups.for_each([&](std::size_t i, std::size_t group) { result.mean[group] += static_cast<double>(x[i]); });
    for (double& mean : result.mean) {
        mean /= groups.size();
    }
    groups.for_each([&](std::size_t i, std::size_t group) {
        const double distance = static_cast<double>(x[i]) - result.mean[group];
        result.variance[group] += distance * distance;
    });
    for (double& variance : result.variance) {
        variance /= groups.size();
    }
    return result;
}

/// The axes of MVN: an input from version 6 on; in version 0 an attribute, or what `across_channels` says.
constexpr integers mvn_axes(const call& node) {
    const auto& self = node.as<op::mvn>();
    if (node.version >= 6) {
        return node.integers_at(1);
    }
    integers axes = self.reduction_axes;
    for (std::size_t axis = self.across_channels ? 1 : 2;
         self.reduction_axes.empty() && axis < node.dimensions(0).rank(); ++axis) {
        axes.push_back(static_cast<std::int64_t>(axis));
    }
    return axes;
}

template <class Real>
constexpr tensor mvn(const call& node) {
    const auto& self = node.as<op::mvn>();
    const bool outside_root = node.version >= 6 && self.eps_mode == op::mvn_eps_mode::outside_sqrt;
    const element_groups groups(node.dimensions(0), mvn_axes(node));
    operand<Real> x(node.input(0));
    outcome<Real> result(node.output());
    const moments all = moments_of(x, groups);
    seq<double> divisor(groups.count(), 1.0);
    for (std::size_t i = 0; self.normalize_variance && i < divisor.size(); ++i) {
        divisor[i] = outside_root ? math::sqrt(all.variance[i]) + self.eps : math::sqrt(all.variance[i] + self.eps);
    }
    groups.for_each([&](std::size_t i, std::size_t group) {
        result[i] = static_cast<Real>((static_cast<double>(x[i]) - all.mean[group]) / divisor[group]);
    });
    return result.finish();
}

template <class Real>
constexpr tensor normalize_l2(const call& node) {
    const auto& self = node.as<op::normalize_l2>();
    const element_groups groups(node.dimensions(0), node.integers_at(1));
    operand<Real> x(node.input(0));
    outcome<Real> result(node.output());
    seq<double> norm(groups.count(), 0.0);
    groups.for_each([&](std::size_t i, std::size_t group) {
        norm[group] += static_cast<double>(x[i]) * static_cast<double>(x[i]);
    });
    for (double& each : norm) {
        each =
            math::sqrt(self.eps_mode == op::normalize_eps_mode::add ? each + self.eps : math::maximum(each, self.eps));
    }
    groups.for_each([&](std::size_t i, std::size_t group) {
        result[i] = static_cast<Real>(static_cast<double>(x[i]) / norm[group]);
    });
    return result.finish();
}

template <class Real>
constexpr tensor softmax(const call& node, std::int64_t axis_value, bool logarithm) {
    const shape& data = node.dimensions(0);
    const element_groups groups(data,
                                data.rank() == 0 ? integers{} : integers{normalized_axis(axis_value, data.rank())});
    operand<Real> x(node.input(0));
    outcome<Real> result(node.output());
    seq<double> most(groups.count(), -math::infinity);
    seq<double> sum(groups.count(), 0.0);
    seq<double> powers(result.elements(), 0.0);
    groups.for_each(
        [&](std::size_t i, std::size_t group) { most[group] = math::maximum(most[group], static_cast<double>(x[i])); });
    groups.for_each([&](std::size_t i, std::size_t group) {
        powers[i] = math::exp(static_cast<double>(x[i]) - most[group]);
        sum[group] += powers[i];
    });
    groups.for_each([&](std::size_t i, std::size_t group) {
        result[i] = static_cast<Real>(logarithm ? static_cast<double>(x[i]) - most[group] - math::log(sum[group])
                                                : powers[i] / sum[group]);
    });
    return result.finish();
}

template <class Real>
constexpr tensor batch_norm(const call& node) {
    const bool data_first = node.version >= 5;
    const std::size_t port = data_first ? 0 : 2;
    const shape& data = node.dimensions(port);
    operand<Real> x(node.input(port));
    operand<Real> gamma(node.input(data_first ? 1 : 0));
    operand<Real> beta(node.input(data_first ? 2 : 1));
    operand<Real> mean(node.input(3));
    operand<Real> variance(node.input(4));
    outcome<Real> result(node.output());
    const std::size_t inner = elements_between(data, 2, data.rank());
    for (std::size_t i = 0; i < result.elements(); ++i) {
        const std::size_t channel = i / inner % static_cast<std::size_t>(data[1]);
        const double root =
            math::sqrt(static_cast<double>(variance[channel]) + node.as<op::batch_norm_inference>().epsilon);
        const double centred = static_cast<double>(x[i]) - static_cast<double>(mean[channel]);
        result[i] = static_cast<Real>(static_cast<double>(gamma[channel]) * (centred / root) +
                                      static_cast<double>(beta[channel]));
    }
    return result.finish();
}

/// Adds up the squares in a window of `size` places around each place of one axis.
constexpr seq<double> window_sums(const seq<double>& squares, const shape& data, std::size_t axis, std::int64_t size) {
    const std::int64_t stride = evaluation::strides_of(data)[axis];
    const std::int64_t before = (size - 1) / 2;
    seq<double> result(squares.size(), 0.0);
    for (std::size_t i = 0; i < squares.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        const std::int64_t place = at / stride % data[axis];
        const std::int64_t first = math::maximum<std::int64_t>(0, place - before);
        const std::int64_t last = math::minimum(data[axis], place - before + size);
        for (std::int64_t other = first; other < last; ++other) {
            result[i] += squares[static_cast<std::size_t>(at + (other - place) * stride)];
        }
    }
    return result;
}

template <class Real>
constexpr tensor lrn(const call& node) {
    const auto& self = node.as<op::lrn>();
    const shape& data = node.dimensions(0);
    const seq<bool, 8> windowed = evaluation::detail::reduced_axes(node.integers_at(1), data.rank());
    operand<Real> x(node.input(0));
    outcome<Real> result(node.output());
    seq<double> sums;
    for (std::size_t i = 0; i < result.elements(); ++i) {
        sums.push_back(static_cast<double>(x[i]) * static_cast<double>(x[i]));
    }
    double volume = 1;
    for (std::size_t axis = 0; axis < data.rank(); ++axis) {
        if (windowed[axis]) {
            sums = window_sums(sums, data, axis, self.size);
            volume *= static_cast<double>(self.size);
        }
    }
    for (std::size_t i = 0; i < result.elements(); ++i) {
        const double base = self.bias + self.alpha / volume * sums[i];
        result[i] = static_cast<Real>(static_cast<double>(x[i]) / math::power(base, self.beta));
    }
    return result.finish();
}

template <class Real>
constexpr tensor group_normalization(const call& node) {
    const auto& self = node.as<op::group_normalization>();
    const shape& data = node.dimensions(0);
    const dimension batches = data[0] * self.num_groups;
    const shape grouped{batches, batches == 0 ? 0 : static_cast<dimension>(data.elements()) / batches};
    const element_groups groups(grouped, {1});
    operand<Real> x(node.input(0));
    operand<Real> scale(node.input(1));
    operand<Real> bias(node.input(2));
    outcome<Real> result(node.output());
    const moments all = moments_of(x, groups);
    const std::size_t inner = elements_between(data, 2, data.rank());
    groups.for_each([&](std::size_t i, std::size_t group) {
        const std::size_t channel = i / inner % static_cast<std::size_t>(data[1]);
        const double centred = static_cast<double>(x[i]) - all.mean[group];
        const double normal = centred / math::sqrt(all.variance[group] + self.epsilon);
        result[i] =
            static_cast<Real>(normal * static_cast<double>(scale[channel]) + static_cast<double>(bias[channel]));
    });
    return result.finish();
}

template <class Real>
constexpr bool normalization(const call& node, seq<tensor>& outputs) {
    switch (node.kind()) {
        case op::kind::mvn: outputs.push_back(mvn<Real>(node)); return true;
        case op::kind::normalize_l2: outputs.push_back(normalize_l2<Real>(node)); return true;
        case op::kind::softmax: outputs.push_back(softmax<Real>(node, node.as<op::softmax>().axis, false)); return true;
        case op::kind::log_softmax:
            outputs.push_back(softmax<Real>(node, node.as<op::log_softmax>().axis, true));
            return true;
        case op::kind::batch_norm_inference: outputs.push_back(batch_norm<Real>(node)); return true;
        case op::kind::lrn: outputs.push_back(lrn<Real>(node)); return true;
        case op::kind::group_normalization: outputs.push_back(group_normalization<Real>(node)); return true;
        default: return false;
    }
}

}  // namespace detail

/// Normalizations and softmaxes; sums and functions in double, results rounded once.
[[gnu::cold]] inline bool evaluate_normalization(const call& node, seq<tensor>& outputs) {
    return detail::with_real(node.output().type,
                             [&](auto zero) { return detail::normalization<decltype(zero)>(node, outputs); });
}

}  // namespace lpt::inline LPT_ABI::reference
#endif

// ======== lpt/reference/pooling.hpp
#ifndef LPT_HOLDS_REFERENCE_POOLING_HPP
#define LPT_HOLDS_REFERENCE_POOLING_HPP
namespace lpt::inline LPT_ABI::reference {

namespace detail {

/// The part of a window along one axis that lies in the input: kernel elements from `first` to before `last`.
struct window_part {
    std::int64_t start = 0;  // input place of kernel element 0, negative in the padding
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::int64_t padded =
        0;  // kernel elements in the input or its padding: what lies beyond the padding does not count
};

/// How many elements of a kernel whose first lies at `start` lie before `limit`.
constexpr std::int64_t elements_before(const op::window_axis& window, std::int64_t start, std::int64_t limit) {
    return start >= limit ? 0 : math::minimum(window.kernel, (limit - start - 1) / window.dilation + 1);
}

constexpr window_part part_of_window(const op::window_axis& window, std::int64_t place, std::int64_t input) {
    window_part part;
    part.start = place * window.stride - window.pad_begin;
    part.first = elements_before(window, part.start, 0);
    part.last = math::maximum(part.first, elements_before(window, part.start, input));
    part.padded = elements_before(window, part.start, input + window.pad_end);
    return part;
}

/// Calls `visit(output place, parts)` for each output place of one channel.
template <class Visit>
constexpr void for_each_window(const window_geometry& g, Visit visit) {
    std::size_t place = 0;
    window_part parts[spatial_axes];
    seq<window_part> columns;
    for (std::int64_t w = 0; w < g.output[2]; ++w) {
        columns.push_back(part_of_window(g.window[2], w, g.input[2]));
    }
    for (std::int64_t d = 0; d < g.output[0]; ++d) {
        parts[0] = part_of_window(g.window[0], d, g.input[0]);
        for (std::int64_t h = 0; h < g.output[1]; ++h) {
            parts[1] = part_of_window(g.window[1], h, g.input[1]);
            for (const window_part& column : columns) {
                parts[2] = column;
                visit(place++, parts);
            }
        }
    }
}

/// Calls `visit(input place)` for each element of a window that lies in the input, in row-major order.
template <class Visit>
constexpr void for_each_seen(const window_geometry& g, const window_part (&parts)[spatial_axes], Visit visit) {
    for (std::int64_t d = parts[0].first; d < parts[0].last; ++d) {
        for (std::int64_t h = parts[1].first; h < parts[1].last; ++h) {
            const std::int64_t row =
                ((parts[0].start + d * g.window[0].dilation) * g.input[1] + parts[1].start + h * g.window[1].dilation) *
                    g.input[2] +
                parts[2].start;
            for (std::int64_t w = parts[2].first; w < parts[2].last; ++w) {
                visit(static_cast<std::size_t>(row + w * g.window[2].dilation));
            }
        }
    }
}

constexpr shape kernel_shape(const integers& kernel) { return shape(kernel); }

template <class Number>
constexpr void max_pool(const call& node, seq<tensor>& outputs) {
    const auto& self = node.as<op::max_pool>();
    const shape& data = node.dimensions(0);
    const integers none;
    const window_geometry g = make_geometry(
        data, node.output().dimensions, kernel_shape(self.kernel), 0,
        {self.strides, node.version >= 8 ? self.dilations : none, self.pads_begin, self.pads_end, self.auto_pad});
    const std::size_t channels = elements_between(data, 0, 2);
    const bool has_places = node.outputs.size() > 1;
    const std::size_t axis = has_places ? evaluation::detail::axis_of(self.axis, data.rank()) : 0;
    const std::size_t counted =
        elements_between(data, axis, data.rank());  // places are counted inside blocks of so many elements
    operand<Number> from(node.input(0));
    outcome<Number> result(node.output());
    seq<std::int64_t> places(has_places ? result.elements() : 0, 0);
    for (std::size_t channel = 0; channel < channels; ++channel) {
        const std::size_t base = channel * g.input_size();
        for_each_window(g, [&](std::size_t place, const window_part(&parts)[spatial_axes]) {
            Number most = evaluation::detail::utmost<Number>(false);
            std::size_t where = 0;
            bool any = false;
            for_each_seen(g, parts, [&](std::size_t at) {
                const Number value = from[base + at];
                if (!any || value > most) {
                    most = value;
                    where = at;
                    any = true;
                }
            });
            result[channel * g.output_size() + place] = most;
            if (has_places) {
                places[channel * g.output_size() + place] = static_cast<std::int64_t>((base + where) % counted);
            }
        });
    }
    outputs.push_back(result.finish());
    if (has_places) {
        outputs.push_back(make_integer_tensor(self.index_element_type, node.output(1).dimensions, places));
    }
}

template <class Number>
constexpr tensor avg_pool(const call& node) {
    const auto& self = node.as<op::avg_pool>();
    const shape& data = node.dimensions(0);
    const integers none;
    const window_geometry g = make_geometry(
        data, node.output().dimensions, kernel_shape(self.kernel), 0,
        {self.strides, node.version >= 16 ? self.dilations : none, self.pads_begin, self.pads_end, self.auto_pad});
    const std::size_t channels = elements_between(data, 0, 2);
    operand<Number> from(node.input(0));
    outcome<Number> result(node.output());
    for (std::size_t channel = 0; channel < channels; ++channel) {
        const Number* values = from.data() + channel * g.input_size();
        for_each_window(g, [&](std::size_t place, const window_part(&parts)[spatial_axes]) {
            double sum = 0;
            double seen = 1;  // beyond 64 bits for the largest kernels
            double padded = 1;
            for (const window_part& part : parts) {
                seen *= static_cast<double>(part.last - part.first);
                padded *= static_cast<double>(part.padded);
            }
            for_each_seen(g, parts, [&](std::size_t at) { sum += static_cast<double>(values[at]); });
            const double count = self.exclude_pad ? seen : padded;
            double mean = count == 0 ? 0 : sum / count;
            if constexpr (std::is_integral_v<Number>) {
                mean = math::round_half_even(mean);
            }
            result[channel * g.output_size() + place] = static_cast<Number>(mean);
        });
    }
    return result.finish();
}

}  // namespace detail

/// MaxPool and AvgPool. A mean is summed in double; of integers it is rounded, halves to even. Without `exclude_pad` the padding counts,
/// but not what a window covers beyond it. The first of equal greatest values wins.
[[gnu::cold]] inline bool evaluate_pooling(const call& node, seq<tensor>& outputs) {
    detail::with_number(node.input(0).type(), [&](auto zero) {
        if (node.kind() == op::kind::max_pool) {
            detail::max_pool<decltype(zero)>(node, outputs);
        } else {
            outputs.push_back(detail::avg_pool<decltype(zero)>(node));
        }
    });
    return true;
}

}  // namespace lpt::inline LPT_ABI::reference
#endif

// ======== lpt/reference/gate_function.hpp
#ifndef LPT_HOLDS_REFERENCE_GATE_FUNCTION_HPP
#define LPT_HOLDS_REFERENCE_GATE_FUNCTION_HPP
namespace lpt::inline LPT_ABI::reference::detail {

/// One of the functions that a recurrent operation names, with its parameters and the limit of what goes into it.
struct gate_function {
    op::gate_form is = op::gate_form::sigmoid;
    double alpha = 0;
    double beta = 0;
    double clip = 0;

    constexpr double operator()(double x) const {
        const double in = clip > 0 ? math::minimum(math::maximum(x, -clip), clip) : x;
        switch (is) {
            case op::gate_form::sigmoid: return detail::sigmoid(in);
            case op::gate_form::tanh: return math::tanh(in);
            case op::gate_form::relu: return math::maximum(in, 0.0);
            case op::gate_form::hard_sigmoid: return math::maximum(0.0, math::minimum(1.0, alpha * in + beta));
            case op::gate_form::soft_sign: return in / (1 + math::absolute(in));
            case op::gate_form::soft_plus: return detail::soft_plus(in);
            case op::gate_form::elu: return in < 0 ? alpha * (math::exp(in) - 1) : in;
            case op::gate_form::leaky_relu: return in < 0 ? alpha * in : in;
            case op::gate_form::thresholded_relu: return in > alpha ? in : 0;
            case op::gate_form::affine: return alpha * in + beta;
            default: return alpha * math::tanh(beta * in);
        }
    }
};

constexpr gate_function gate_function_at(const op::detail::recurrent_attributes& self, std::size_t place, double clip) {
    const op::gate_function_word* const found = op::find_gate_function(self.activations[place]);
    if (found == nullptr) {
        fail({"activation '", self.activations[place], "' is not known"});
    }
    const auto given = [place](const seq<double>& all, double otherwise) {
        return place < all.size() ? all[place] : otherwise;
    };
    return {found->is, given(self.activations_alpha, found->alpha), given(self.activations_beta, found->beta), clip};
}

}  // namespace lpt::inline LPT_ABI::reference::detail
#endif

// ======== lpt/reference/recurrent.hpp
#ifndef LPT_HOLDS_REFERENCE_RECURRENT_HPP
#define LPT_HOLDS_REFERENCE_RECURRENT_HPP
namespace lpt::inline LPT_ABI::reference {

namespace detail {

/// The weights of one direction: W `[gates, input]`, R `[gates, hidden]`, both row-major, and what is added.
template <class Real>
struct recurrent_weights {
    const Real* input = nullptr;
    const Real* hidden = nullptr;
    const Real* bias = nullptr;      // null: none
    const Real* peephole = nullptr;  // null: none
    std::size_t inputs = 0;
    std::size_t size = 0;  // hidden
};

/// to[i] += sum over k of matrix[i, k] * vector[k]; four sums at a time keep the processor busy, each in the order of k.
template <class Real>
constexpr void add_product(const Real* matrix, const Real* vector, std::size_t rows, std::size_t columns, Real* to) {
    std::size_t row = 0;
    for (; row + 4 <= rows; row += 4) {
        const Real* from = matrix + row * columns;
        Real sums[4] = {};
        for (std::size_t k = 0; k < columns; ++k) {
            for (std::size_t i = 0; i < 4; ++i) {
                sums[i] += from[i * columns + k] * vector[k];
            }
        }
        for (std::size_t i = 0; i < 4; ++i) {
            to[row + i] += sums[i];
        }
    }
    for (; row < rows; ++row) {
        Real sum = 0;
        for (std::size_t k = 0; k < columns; ++k) {
            sum += matrix[row * columns + k] * vector[k];
        }
        to[row] += sum;
    }
}

/// Where the gates f, i, c, o lie in the weights.
constexpr std::size_t gate_place(op::lstm_weights_format order, char gate) {
    const text_view letters = op::words_of(order)[static_cast<std::size_t>(order)];
    for (std::size_t i = 0; i < 4; ++i) {
        if (letters[i] == gate) {
            return i;
        }
    }
    return 0;
}

/// One step of an LSTM for one sample; `h` and `c` are replaced.
template <class Real>
struct lstm_step {
    recurrent_weights<Real> weights;
    gate_function gate;
    gate_function candidate;
    gate_function output;
    op::lstm_weights_format order = op::lstm_weights_format::fico;
    bool input_forget = false;

    constexpr double peephole(std::size_t which, std::size_t i, double c) const {
        return weights.peephole == nullptr ? 0 : static_cast<double>(weights.peephole[which * weights.size + i]) * c;
    }
    constexpr void operator()(const Real* x, Real* h, Real* c) const {
        const std::size_t size = weights.size;
        seq<Real> sums(4 * size, Real(0));
        for (std::size_t i = 0; weights.bias != nullptr && i < sums.size(); ++i) {
            sums[i] = weights.bias[i];
        }
        add_product(weights.input, x, 4 * size, weights.inputs, sums.data());
        add_product(weights.hidden, h, 4 * size, size, sums.data());
        const auto at = [&](char letter, std::size_t i) {
            return static_cast<double>(sums[gate_place(order, letter) * size + i]);
        };
        for (std::size_t i = 0; i < size; ++i) {
            const double before = static_cast<double>(c[i]);
            const double open = gate(at('i', i) + peephole(0, i, before));
            const double keep = input_forget ? 1 - open : gate(at('f', i) + peephole(2, i, before));
            const double now = keep * before + open * candidate(at('c', i));
            const double give = gate(at('o', i) + peephole(1, i, now));
            gate_function unclipped = output;
            unclipped.clip = 0;
            c[i] = static_cast<Real>(now);
            h[i] = static_cast<Real>(give * unclipped(now));
        }
    }
};

/// One step of a GRU for one sample; `h` is replaced.
template <class Real>
struct gru_step {
    recurrent_weights<Real> weights;
    gate_function gate;
    gate_function candidate;
    bool linear_before_reset = false;

    constexpr void operator()(const Real* x, Real* h, Real*) const {
        const std::size_t size = weights.size;
        seq<Real> from_input(3 * size, Real(0));
        seq<Real> from_hidden(3 * size, Real(0));
        seq<Real> reset(size, Real(0));
        for (std::size_t i = 0; weights.bias != nullptr && i < 3 * size; ++i) {
            from_input[i] = weights.bias[i];
        }
        for (std::size_t i = 0; linear_before_reset && weights.bias != nullptr && i < size; ++i) {
            from_hidden[2 * size + i] = weights.bias[3 * size + i];
        }
        add_product(weights.input, x, 3 * size, weights.inputs, from_input.data());
        add_product(weights.hidden, h, (linear_before_reset ? 3 : 2) * size, size, from_hidden.data());
        const auto sum = [&](std::size_t i) {
            return static_cast<double>(from_input[i]) + static_cast<double>(from_hidden[i]);
        };
        for (std::size_t i = 0; i < size; ++i) {
            const double open = gate(sum(size + i));
            if (linear_before_reset) {
                from_hidden[2 * size + i] = static_cast<Real>(open * static_cast<double>(from_hidden[2 * size + i]));
            } else {
                reset[i] = static_cast<Real>(open * static_cast<double>(h[i]));
            }
        }
        if (!linear_before_reset) {
            add_product(weights.hidden + 2 * size * size, reset.data(), size, size, from_hidden.data() + 2 * size);
        }
        for (std::size_t i = 0; i < size; ++i) {
            const double keep = gate(sum(i));
            h[i] = static_cast<Real>((1 - keep) * candidate(sum(2 * size + i)) + keep * static_cast<double>(h[i]));
        }
    }
};

/// The first ports of a recurrent operation's weights, recurrent weights and bias.
template <class Real>
struct recurrent_operands {
    operand<Real> input;
    operand<Real> hidden;
    operand<Real> bias;
    std::size_t gates;  // rows of the weights
    std::size_t bias_size;
    std::size_t inputs;
    std::size_t size;

    constexpr recurrent_operands(const call& node, std::size_t first)
        : input(node.input(first)),
          hidden(node.input(first + 1)),
          bias(node.has(first + 2) ? node.input(first + 2) : node.input(first)),
          gates(from_back(node.dimensions(first), 2)),
          bias_size(node.has(first + 2) ? from_back(node.dimensions(first + 2), 1) : 0),
          inputs(from_back(node.dimensions(first), 1)),
          size(from_back(node.dimensions(first + 1), 1)) {}

    constexpr recurrent_weights<Real> direction(std::size_t which) const {
        return {input.data() + which * gates * inputs,
                hidden.data() + which * gates * size,
                bias_size == 0 ? nullptr : bias.data() + which * bias_size,
                nullptr,
                inputs,
                size};
    }

private:
    static constexpr std::size_t from_back(const shape& dimensions, std::size_t place) {
        return static_cast<std::size_t>(dimensions[dimensions.rank() - place]);
    }
};

/// Walks along time: data `[batch, time, input]`, states `[batch, directions, hidden]`. `step_of(direction)` gives the step of a direction.
/// What lies beyond a sequence's length stays zero in the outputs.
template <class Real, class StepOf>
constexpr void walk_sequence(const call& node, op::recurrent_direction direction, std::size_t states, StepOf step_of,
                             seq<tensor>& outputs) {
    const shape& all = node.output().dimensions;  // [batch, directions, time, hidden]
    const auto batches = static_cast<std::size_t>(all[0]);
    const auto directions = static_cast<std::size_t>(all[1]);
    const auto times = static_cast<std::size_t>(all[2]);
    const auto size = static_cast<std::size_t>(all[3]);
    const auto inputs = static_cast<std::size_t>(node.dimensions(0)[2]);
    operand<Real> x(node.input(0));
    operand<Real> first_h(node.input(1));
    operand<Real> first_c(node.input(states));  // the same as h where there is one state
    const integers lengths = node.integers_at(states + 1);
    outcome<Real> every(node.output(0));
    outcome<Real> last_h(node.output(1));
    outcome<Real> last_c(node.output(states));
    for (std::size_t i = 0; i < every.elements(); ++i) {
        every[i] = 0;
    }
    seq<Real> h(size, Real(0));
    seq<Real> c(size, Real(0));
    for (std::size_t lane = 0; lane < batches * directions; ++lane) {
        const std::size_t batch = lane / directions;
        const std::size_t which = lane % directions;
        const bool reverse = direction == op::recurrent_direction::reverse || which == 1;
        const auto step = step_of(which);
        for (std::size_t i = 0; i < size; ++i) {
            h[i] = first_h[lane * size + i];
            c[i] = first_c[lane * size + i];
        }
        const auto length = static_cast<std::size_t>(
            math::minimum(math::maximum<std::int64_t>(lengths[batch], 0), static_cast<std::int64_t>(times)));
        for (std::size_t t = 0; t < length; ++t) {
            const std::size_t time = reverse ? length - 1 - t : t;
            step(x.data() + (batch * times + time) * inputs, h.data(), c.data());
            for (std::size_t i = 0; i < size; ++i) {
                every[(lane * times + time) * size + i] = h[i];
            }
        }
        for (std::size_t i = 0; i < size; ++i) {
            last_h[lane * size + i] = h[i];
            last_c[lane * size + i] = c[i];
        }
    }
    outputs.push_back(every.finish());
    outputs.push_back(last_h.finish());
    if (states == 2) {
        outputs.push_back(last_c.finish());
    }
}

/// One step for each sample of a cell.
template <class Real, class Step>
constexpr void walk_cell(const call& node, std::size_t states, const Step& step, seq<tensor>& outputs) {
    const auto batches = static_cast<std::size_t>(node.dimensions(0)[0]);
    const auto inputs = static_cast<std::size_t>(node.dimensions(0)[1]);
    const auto size = static_cast<std::size_t>(node.output().dimensions[1]);
    operand<Real> x(node.input(0));
    operand<Real> first_h(node.input(1));
    operand<Real> first_c(node.input(states));
    outcome<Real> h(node.output(0));
    outcome<Real> c(node.output(states - 1));
    for (std::size_t i = 0; i < batches * size; ++i) {
        h[i] = first_h[i];
        c[i] = first_c[i];
    }
    for (std::size_t batch = 0; batch < batches; ++batch) {
        step(x.data() + batch * inputs, h.data() + batch * size, c.data() + batch * size);
    }
    outputs.push_back(h.finish());
    if (states == 2) {
        outputs.push_back(c.finish());
    }
}

template <class Real, class Op>
constexpr lstm_step<Real> lstm_step_of(const Op& self, const recurrent_weights<Real>& weights) {
    lstm_step<Real> step;
    step.weights = weights;
    step.gate = gate_function_at(self, 0, self.clip);
    step.candidate = gate_function_at(self, 1, self.clip);
    step.output = gate_function_at(self, 2, self.clip);
    return step;
}
template <class Real, class Op>
constexpr gru_step<Real> gru_step_of(const Op& self, const recurrent_weights<Real>& weights) {
    gru_step<Real> step;
    step.weights = weights;
    step.gate = gate_function_at(self, 0, self.clip);
    step.candidate = gate_function_at(self, 1, self.clip);
    step.linear_before_reset = self.linear_before_reset;
    return step;
}

template <class Real>
constexpr bool recurrent(const call& node, seq<tensor>& outputs) {
    switch (node.kind()) {
        case op::kind::lstm_cell: {
            const auto& self = node.as<op::lstm_cell>();
            const recurrent_operands<Real> weights(node, 3);
            const operand<Real> peephole(node.input(node.has(6) ? 6 : 0));
            lstm_step<Real> step = lstm_step_of(self, weights.direction(0));
            step.order = self.gate_order(node.version);
            step.input_forget = node.version < 4 && self.input_forget;
            step.weights.peephole = node.has(6) ? peephole.data() : nullptr;
            walk_cell<Real>(node, 2, step, outputs);
            return true;
        }
        case op::kind::gru_cell: {
            const recurrent_operands<Real> weights(node, 2);
            walk_cell<Real>(node, 1, gru_step_of(node.as<op::gru_cell>(), weights.direction(0)), outputs);
            return true;
        }
        case op::kind::lstm_sequence: {
            const auto& self = node.as<op::lstm_sequence>();
            const recurrent_operands<Real> weights(node, 4);
            walk_sequence<Real>(
                node, self.direction, 2,
                [&](std::size_t which) { return lstm_step_of(self, weights.direction(which)); }, outputs);
            return true;
        }
        case op::kind::gru_sequence: {
            const auto& self = node.as<op::gru_sequence>();
            const recurrent_operands<Real> weights(node, 3);
            walk_sequence<Real>(
                node, self.direction, 1, [&](std::size_t which) { return gru_step_of(self, weights.direction(which)); },
                outputs);
            return true;
        }
        default: return false;
    }
}

}  // namespace detail

/// LSTMCell, GRUCell, LSTMSequence and GRUSequence. Sums of products in the number type of the data, in the order bias, input, state; functions in
/// double. Peephole weights lie in the order i, o, f.
[[gnu::cold]] inline bool evaluate_recurrent(const call& node, seq<tensor>& outputs) {
    return detail::with_real(node.output().type,
                             [&](auto zero) { return detail::recurrent<decltype(zero)>(node, outputs); });
}

}  // namespace lpt::inline LPT_ABI::reference
#endif

// ======== lpt/reference/scatter.hpp
#ifndef LPT_HOLDS_REFERENCE_SCATTER_HPP
#define LPT_HOLDS_REFERENCE_SCATTER_HPP
namespace lpt::inline LPT_ABI::reference {

namespace detail {

/// Where the slices of ScatterNDUpdate begin, in elements of the data.
constexpr seq<std::size_t> scatter_places(const call& node) {
    const shape& data = node.dimensions(0);
    const shape& indices = node.dimensions(1);
    const auto tuple = static_cast<std::size_t>(indices[indices.rank() - 1]);
    const operand<std::int64_t> places(node.input(1));
    const std::size_t inner = elements_between(data, tuple, data.rank());
    seq<std::size_t> result;
    for (std::size_t i = 0; i < elements_between(indices, 0, indices.rank() - 1); ++i) {
        std::size_t place = 0;
        for (std::size_t axis = 0; axis < tuple; ++axis) {
            const std::int64_t index = places[i * tuple + axis];
            const dimension size = data[axis];
            if (index < -size || index >= size) {
                fail({"ScatterNDUpdate: index ", index, " is outside an axis of size ", size});
            }
            place = place * static_cast<std::size_t>(size) + static_cast<std::size_t>(index < 0 ? index + size : index);
        }
        result.push_back(place * inner);
    }
    return result;
}

template <class Number>
constexpr tensor scatter_nd_update(const call& node) {
    const op::scatter_reduction how = node.as<op::scatter_nd_update>().reduction;
    const seq<std::size_t> places = scatter_places(node);
    const std::size_t inner = places.empty() ? 0 : node.input(2).elements() / places.size();
    const operand<Number> x(node.input(0));
    const operand<Number> updates(node.input(2));
    outcome<Number> y(node.output());
    for (std::size_t i = 0; i < y.elements(); ++i) {
        y[i] = x[i];
    }
    const auto combined = [how](Number before, Number update) -> Number {
        switch (how) {
            case op::scatter_reduction::sum: return evaluation::detail::plus(before, update);
            case op::scatter_reduction::sub: return evaluation::detail::minus(before, update);
            case op::scatter_reduction::prod: return evaluation::detail::times(before, update);
            case op::scatter_reduction::min: return math::minimum(before, update);
            case op::scatter_reduction::max: return math::maximum(before, update);
            default: return update;
        }
    };
    for (std::size_t i = 0; i < places.size(); ++i) {
        for (std::size_t k = 0; k < inner; ++k) {
            y[places[i] + k] = combined(y[places[i] + k], updates[i * inner + k]);
        }
    }
    return y.finish();
}

/// An index along an axis, counted from the front.
constexpr std::size_t checked_index(text_view operation, std::int64_t index, std::int64_t size) {
    if (index < -size || index >= size) {
        fail({operation, ": index ", index, " is outside an axis of size ", size});
    }
    return static_cast<std::size_t>(index < 0 ? index + size : index);
}

constexpr tensor scatter_update(const call& node) {
    const shape& data = node.dimensions(0);
    const std::size_t axis = evaluation::detail::axis_of(node.integer_at(3), data.rank());
    const element type = evaluation::detail::byte_type(node.input(0).type());
    const tensor from = evaluation::convert_tensor(node.input(0), type);
    const tensor updates = evaluation::convert_tensor(node.input(2), type);
    const operand<std::int64_t> places(node.input(1));
    const std::size_t count = node.input(1).elements();
    const auto size = static_cast<std::size_t>(data[axis]);
    const std::size_t outer = elements_between(data, 0, axis);
    const std::size_t row =
        elements_between(data, axis + 1, data.rank()) * static_cast<std::size_t>(bit_width(type)) / 8;
    evaluation::raw_output to(type, data);
    copy_bytes(to.data(), from.data(), from.size_in_bytes());
    for (std::size_t i = 0; i < outer * count; ++i) {
        const std::size_t place = checked_index("ScatterUpdate", places[i % count], data[axis]);
        copy_bytes(to.data() + (i / count * size + place) * row, updates.data() + i * row, row);
    }
    return evaluation::convert_tensor(to.finish(), node.input(0).type());
}

template <class Number>
tensor scatter_elements_update(const call& node) {
    const auto& self = node.as<op::scatter_elements_update>();
    const shape& data = node.dimensions(0);
    const shape& indices = node.dimensions(1);
    const std::size_t axis = evaluation::detail::axis_of(node.integer_at(3), data.rank());
    const integers strides = evaluation::strides_of(data);
    const operand<Number> x(node.input(0));
    const operand<std::int64_t> places(node.input(1));
    const operand<Number> updates(node.input(2));
    outcome<Number> y(node.output());
    std::copy_n(x.data(), y.elements(), y.data());
    const bool counts = self.reduction == op::element_reduction::mean || !self.use_init_val;
    std::vector<std::int64_t> taken(counts ? y.elements() : 0, self.use_init_val ? 1 : 0);
    const auto combined = [&self](Number before, Number update) -> Number {
        switch (self.reduction) {
            case op::element_reduction::sum:
            case op::element_reduction::mean: return evaluation::detail::plus(before, update);
            case op::element_reduction::prod: return evaluation::detail::times(before, update);
            case op::element_reduction::min: return math::minimum(before, update);
            case op::element_reduction::max: return math::maximum(before, update);
            default: return update;
        }
    };
    for (std::size_t i = 0; i < node.input(1).elements(); ++i) {
        std::size_t rest = i;
        std::size_t place = 0;
        for (std::size_t along = data.rank(); along-- > 0;) {
            const auto size = static_cast<std::size_t>(indices[along]);
            const std::size_t index =
                along == axis ? checked_index("ScatterElementsUpdate", places[i], data[axis]) : rest % size;
            place += index * static_cast<std::size_t>(strides[along]);
            rest /= size;
        }
        y[place] = counts && taken[place] == 0 ? updates[i] : combined(y[place], updates[i]);
        if (counts) {
            ++taken[place];
        }
    }
    if (self.reduction == op::element_reduction::mean) {
        for (std::size_t i = 0; i < y.elements(); ++i) {
            y[i] = taken[i] > 1 ? evaluation::detail::quotient(y[i], static_cast<Number>(taken[i]), false) : y[i];
        }
    }
    return y.finish();
}

}  // namespace detail

/// ScatterNDUpdate, ScatterUpdate and ScatterElementsUpdate: updates in the order of their indices. An index outside its axis is an error.
[[gnu::cold]] inline bool evaluate_scatter(const call& node, seq<tensor>& outputs) {
    switch (node.kind()) {
        case op::kind::scatter_update: outputs.push_back(detail::scatter_update(node)); return true;
        case op::kind::scatter_elements_update:
            outputs.push_back(detail::with_number(
                node.output().type, [&](auto zero) { return detail::scatter_elements_update<decltype(zero)>(node); }));
            return true;
        default:
            outputs.push_back(detail::with_number(
                node.output().type, [&](auto zero) { return detail::scatter_nd_update<decltype(zero)>(node); }));
            return true;
    }
}

}  // namespace lpt::inline LPT_ABI::reference
#endif

// ======== lpt/reference/signal.hpp
#ifndef LPT_HOLDS_REFERENCE_SIGNAL_HPP
#define LPT_HOLDS_REFERENCE_SIGNAL_HPP
namespace lpt::inline LPT_ABI::reference {

namespace detail {

struct complex_number {
    double real = 0;
    double imaginary = 0;

    friend constexpr complex_number operator*(complex_number a, complex_number b) {
        return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
    }
    friend constexpr complex_number operator+(complex_number a, complex_number b) {
        return {a.real + b.real, a.imaginary + b.imaginary};
    }
};

/// The Fourier transform of one length, by the prime factors of that length.
class fourier_transform {
    static constexpr std::size_t greatest_factor = 16384;

    std::size_t length_;
    std::vector<complex_number> roots_;

    static std::size_t least_factor(std::size_t number) {
        std::size_t factor = 2;
        while (factor * factor <= number && number % factor != 0) {
            ++factor;
        }
        return factor * factor <= number ? factor : number;
    }
    /// `count` numbers, each `step` after the one before.
    void transform(const complex_number* from, std::size_t step, std::size_t count, complex_number* to) const {
        if (count == 1) {
            *to = *from;
            return;
        }
        const std::size_t factor = least_factor(count);
        const std::size_t inner = count / factor;
        std::vector<complex_number> parts(count);
        for (std::size_t i = 0; i < factor; ++i) {
            transform(from + i * step, step * factor, inner, parts.data() + i * inner);
        }
        for (std::size_t k = 0; k < count; ++k) {
            complex_number sum;
            for (std::size_t i = 0; i < factor; ++i) {
                sum = sum + parts[i * inner + k % inner] * roots_[i * k % count * step];
            }
            to[k] = sum;
        }
    }

public:
    fourier_transform(std::size_t length, bool is_inverse) : length_(length), roots_(length) {
        for (std::size_t rest = length; rest > 1; rest /= least_factor(rest)) {
            if (least_factor(rest) > greatest_factor) {
                fail({"a Fourier transform of length ", length, " has the prime factor ", least_factor(rest),
                      ", expected at most ", greatest_factor});
            }
        }
        for (std::size_t i = 0; i < length; ++i) {
            const double angle = 6.283185307179586 * static_cast<double>(i) / static_cast<double>(length);
            roots_[i] = {std::cos(angle), is_inverse ? std::sin(angle) : -std::sin(angle)};
        }
    }
    std::size_t length() const { return length_; }
    void operator()(const complex_number* from, complex_number* to) const { transform(from, 1, length_, to); }
};

/// Complex numbers along axes.
struct complex_tensor {
    shape dimensions;
    std::vector<complex_number> values;

    /// Calls `line(from, to, whole)` for each line along an axis that gets another size: copies of it, and where it goes.
    template <class Line>
    void along(std::size_t axis, dimension new_size, const Line& line) {
        const auto before = static_cast<std::size_t>(dimensions[axis]);
        const auto after = static_cast<std::size_t>(new_size);
        const std::size_t inner = elements_between(dimensions, axis + 1, dimensions.rank());
        const std::size_t outer = elements_between(dimensions, 0, axis);
        std::vector<complex_number> result(outer * inner * after);
        std::vector<complex_number> from(before);
        std::vector<complex_number> to(after);
        for (std::size_t i = 0; i < outer * inner; ++i) {
            for (std::size_t k = 0; k < before; ++k) {
                from[k] = values[(i / inner * before + k) * inner + i % inner];
            }
            line(from, to);
            for (std::size_t k = 0; k < after; ++k) {
                result[(i / inner * after + k) * inner + i % inner] = to[k];
            }
        }
        values = std::move(result);
        dimensions[axis] = new_size;
    }
};

/// Transforms lines along an axis, cut off or continued with zeros to a length.
///
/// `is_half_in`: a line is the first half of a spectrum whose other half is its mirror; `is_half_out`: only that half is kept.
inline void transform_axis(complex_tensor& data, std::size_t axis, dimension length, bool is_inverse, bool is_half_in,
                           bool is_half_out) {
    const fourier_transform transform(static_cast<std::size_t>(length), is_inverse);
    const std::size_t size = transform.length();
    std::vector<complex_number> whole(size);
    std::vector<complex_number> result(size);
    const double scale = is_inverse ? 1.0 / static_cast<double>(size) : 1.0;
    data.along(axis, is_half_out ? length / 2 + 1 : length,
               [&](const std::vector<complex_number>& from, std::vector<complex_number>& to) {
                   std::fill(whole.begin(), whole.end(), complex_number{});
                   const std::size_t given = std::min(from.size(), is_half_in ? size / 2 + 1 : size);
                   std::copy_n(from.begin(), given, whole.begin());
                   for (std::size_t k = 1; is_half_in && k < given; ++k) {
                       if (2 * k != size) {
                           whole[size - k] = {from[k].real, -from[k].imaginary};
                       }
                   }
                   if (is_half_in) {  // real numbers have real ones there
                       whole[0].imaginary = 0;
                       whole[size / 2].imaginary *= size % 2 == 0 ? 0 : 1;
                   }
                   transform(whole.data(), result.data());
                   for (std::size_t k = 0; k < to.size(); ++k) {
                       to[k] = {result[k].real * scale, result[k].imaginary * scale};
                   }
               });
}

template <class Real>
tensor fourier(const call& node) {
    const bool is_inverse = node.kind() == op::kind::idft || node.kind() == op::kind::irdft;
    const bool is_real_in = node.kind() == op::kind::rdft;
    const bool is_real_out = node.kind() == op::kind::irdft;
    const shape& given = node.dimensions(0);
    complex_tensor data;
    data.dimensions = is_real_in ? given : shape(view<dimension>(given.dimensions().data(), given.rank() - 1));
    const operand<Real> x(node.input(0));
    for (std::size_t i = 0; i < data.dimensions.elements(); ++i) {
        data.values.push_back(is_real_in
                                  ? complex_number{static_cast<double>(x[i]), 0}
                                  : complex_number{static_cast<double>(x[2 * i]), static_cast<double>(x[2 * i + 1])});
    }
    const integers axes = node.integers_at(1);
    const integers lengths = node.integers_at(2);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        // Real numbers become complex, and complex ones real, along the last axis: first of all, or at the end.
        const std::size_t which = is_real_in ? axes.size() - 1 - i : i;
        const std::size_t axis = evaluation::detail::axis_of(axes[which], data.dimensions.rank());
        const bool is_last = which + 1 == axes.size();
        const bool to_real = is_last && is_real_out;
        const dimension own = to_real ? 2 * (data.dimensions[axis] - 1) : data.dimensions[axis];
        const dimension length = which < lengths.size() && lengths[which] != -1 ? lengths[which] : own;
        transform_axis(data, axis, length, is_inverse, to_real, is_last && is_real_in);
    }
    outcome<Real> result(node.output());
    for (std::size_t i = 0; i < data.values.size(); ++i) {
        if (is_real_out) {
            result[i] = static_cast<Real>(data.values[i].real);
        } else {
            result[2 * i] = static_cast<Real>(data.values[i].real);
            result[2 * i + 1] = static_cast<Real>(data.values[i].imaginary);
        }
    }
    return result.finish();
}

}  // namespace detail

/// DFT, IDFT, RDFT and IRDFT, in double. Lengths with a prime factor above 16384 are an error.
[[gnu::cold]] inline bool evaluate_signal(const call& node, seq<tensor>& outputs) {
    outputs.push_back(
        detail::with_real(node.output().type, [&](auto zero) { return detail::fourier<decltype(zero)>(node); }));
    return true;
}

}  // namespace lpt::inline LPT_ABI::reference
#endif

// ======== lpt/reference/evaluate.hpp
#ifndef LPT_HOLDS_REFERENCE_EVALUATE_HPP
#define LPT_HOLDS_REFERENCE_EVALUATE_HPP
namespace lpt::inline LPT_ABI::reference {

/// Whether an operation can be evaluated: all of the library can, and those of users that have a function for it.
constexpr bool can_evaluate(const op::attributes& what) {
    return what.number() > op::kind::none && (!op::is_of_user(what.number()) || lpt::can_evaluate(what));
}

/// The values of the variables of a network between two runs.
class state {
    struct variable {
        text name;
        tensor value;
    };
    std::vector<variable> variables_;

public:
    /// Null while nothing has written the variable.
    const tensor* find(text_view name) const {
        for (const variable& each : variables_) {
            if (each.name == name) {
                return &each.value;
            }
        }
        return nullptr;
    }
    void write(text_view name, tensor value) {
        for (variable& each : variables_) {
            if (each.name == name) {
                each.value = std::move(value);
                return;
            }
        }
        variables_.push_back({text(name), std::move(value)});
    }
    /// All variables start anew.
    void clear() { variables_.clear(); }
};

namespace detail {

/// The type in which tensors of `type` are held while a network is evaluated in `Number`: in double all real types of 16 bits and more are f64.
template <class Number>
constexpr element held_type(element type) {
    const bool widens = std::is_same_v<Number, double> && is_real(type) && bit_width(type) >= 16;
    return widens ? f64 : type;
}
template <class Number>
tensor held(const tensor& value) {
    return evaluation::convert_tensor(value, held_type<Number>(value.type()));
}

/// Evaluates an operation on inputs of the types in which it computes.
inline bool evaluate_any(const call& node, seq<tensor>& outputs) {
    if (!op::is_of_user(node.kind()) && evaluation::give_empty(node, outputs)) {
        return true;
    }
    switch (node.kind()) {
        case op::kind::convolution:
        case op::kind::group_convolution:
        case op::kind::convolution_backprop_data:
        case op::kind::group_convolution_backprop_data: return evaluate_convolution(node, outputs);
        case op::kind::max_pool:
        case op::kind::avg_pool: return evaluate_pooling(node, outputs);
        case op::kind::adaptive_max_pool:
        case op::kind::adaptive_avg_pool: return evaluate_adaptive_pooling(node, outputs);
        case op::kind::bitwise_and:
        case op::kind::bitwise_or:
        case op::kind::bitwise_xor:
        case op::kind::bitwise_left_shift:
        case op::kind::bitwise_right_shift:
        case op::kind::bitwise_not: return evaluate_bitwise(node, outputs);
        case op::kind::interpolate: return evaluate_interpolate(node, outputs);
        case op::kind::gather_nd:
        case op::kind::reverse_sequence:
        case op::kind::roll:
        case op::kind::gather_elements: return evaluate_rare_movement(node, outputs);
        case op::kind::grid_sample: return evaluate_grid_sample(node, outputs);
        case op::kind::top_k:
        case op::kind::cum_sum:
        case op::kind::one_hot:
        case op::kind::non_zero: return evaluate_indexing(node, outputs);
        case op::kind::fully_connected_compressed: return evaluate_fully_connected(node, outputs);
        case op::kind::deformable_convolution: return evaluate_deformable_convolution(node, outputs);
        case op::kind::scatter_nd_update:
        case op::kind::scatter_update:
        case op::kind::scatter_elements_update: return evaluate_scatter(node, outputs);
        case op::kind::non_max_suppression:
        case op::kind::roi_align: return evaluate_detection(node, outputs);
        case op::kind::dft:
        case op::kind::idft:
        case op::kind::rdft:
        case op::kind::irdft: return evaluate_signal(node, outputs);
        case op::kind::inverse: return evaluate_linear_algebra(node, outputs);
        case op::kind::scaled_dot_product_attention: return evaluate_attention(node, outputs);
        case op::kind::lstm_cell:
        case op::kind::gru_cell:
        case op::kind::lstm_sequence:
        case op::kind::gru_sequence: return evaluate_recurrent(node, outputs);
        case op::kind::fake_convert: return evaluate_fake_convert(node, outputs);
        default: break;
    }
    if (lpt::can_evaluate(node.what)) {
        return evaluation::evaluate_known(node, outputs);
    }
    return evaluate_activation(node, outputs) || evaluate_normalization(node, outputs);
}

/// True where inputs and weights are small integers: their products are summed in double, which is exact.
inline bool sums_integers(const node& each, const seq<tensor>& inputs) {
    switch (each.kind()) {
        case op::kind::convolution:
        case op::kind::group_convolution:
        case op::kind::convolution_backprop_data:
        case op::kind::group_convolution_backprop_data:
        case op::kind::mat_mul: break;
        default: return false;
    }
    return is_real(each.type()) && is_integral(inputs[0].type()) && is_integral(inputs[1].type());
}

/// The inputs of a node in the types in which it computes.
template <class Number>
seq<tensor> computed_inputs(const node& each, view<tensor> inputs) {
    seq<tensor> result(inputs);
    const relaxation* own = each.own_types();
    for (std::size_t port = 0; port < result.size(); ++port) {
        if (own != nullptr && port < own->input_types.size() && own->input_types[port] != dynamic) {
            result[port] = evaluation::convert_tensor(result[port], held_type<Number>(own->input_types[port]));
        }
    }
    if (sums_integers(each, seq<tensor>(inputs))) {
        result[0] = evaluation::convert_tensor(inputs[0], f64);
        result[1] = evaluation::convert_tensor(inputs[1], f64);
    }
    return result;
}

[[noreturn, gnu::cold]] inline void cannot_evaluate(const node& each, text_view why) {
    fail({each.operation(), " '", each.name(), "' of version ", each.version(), " cannot be evaluated: ", why});
}

}  // namespace detail

template <class Number>
std::vector<tensor> evaluate(const graph& model, view<tensor> inputs, state& variables, const limits& most = {});

/// The outputs of one node for these inputs.
///
/// `Number` float: values are held in the element types of their tensors, and a node computes in the number type of its inputs
/// (`lpt::evaluation`). `Number` double: real values of 16 bits and more are held and computed in double throughout, whatever their type.
/// Shapes follow from the inputs, not from what was inferred for the node. A type-relaxed node computes in its input types and
/// converts to its output types; a FakeQuantize with an integral type of its own rounds, halves to even; products of integers are summed exactly.
/// `inputs`: one tensor a port, of the port's type (or, in double, f64). Parameter and ReadValue give their input. `variables`: those of
/// ReadValue and Assign inside the bodies of the node. Raises an error that names the node for wrong inputs, values without a result, and
/// what is beyond the limits.
template <class Number>
seq<tensor> evaluate_node(const graph& model, node_id id, view<tensor> inputs, state& variables,
                          const limits& most = {}) {
    const node& each = model[id];
    if (each.is<op::constant>()) {
        return {detail::held<Number>(each.as<op::constant>().value)};
    }
    if (!can_evaluate(each.attributes())) {
        detail::cannot_evaluate(each, "it is no operation of the library");
    }
    if (inputs.size() != each.inputs() && !each.is<op::parameter>()) {
        detail::cannot_evaluate(each, join({"it has ", each.inputs(), " inputs, not ", inputs.size()}));
    }
    seq<tensor> outputs;
    if (each.is<op::parameter>() || each.is<op::result>() || each.is<op::read_value>() || each.is<op::assign>()) {
        if (inputs.empty()) {
            detail::cannot_evaluate(each, "it has no value");
        }
        outputs.push_back(inputs[0]);
    } else if (runs_bodies(each.kind())) {
        const auto run_body = [&](std::size_t which, const std::vector<tensor>& parameters) {
            return evaluate<Number>(each.bodies()[which], view<tensor>(parameters.data(), parameters.size()), variables,
                                    most);
        };
        outputs = evaluate_control_flow(each, inputs, run_body, most);
    } else {
        const seq<tensor> computed = detail::computed_inputs<Number>(each, inputs);
        if (each.is<op::convert>() || each.is<op::convert_like>()) {
            outputs.push_back(evaluation::convert_tensor(computed[0], detail::held_type<Number>(each.type())));
            return outputs;
        }
        seq<op::output_facts, 2> facts;
        if (!evaluation::infer_outputs(each.attributes(), each.version(), computed, facts, each.name()) &&
            !each.is<op::non_zero>() && !each.is<op::non_max_suppression>()) {
            detail::cannot_evaluate(each, "its output shape does not follow from its inputs");
        }
        detail::check_memory(each, facts, most);
        if (each.is<op::fake_quantize>() && is_integral(each.type())) {
            outputs.push_back(evaluation::evaluate_fake_quantize(computed, each.as<op::fake_quantize>(),
                                                                 facts[0].dimensions, each.type(), true));
            return outputs;
        }
        const auto evaluate_it = [&] {
            return detail::evaluate_any({each.attributes(), each.version(), computed, facts}, outputs);
        };
        if (!lpt::detail::naming_errors_of(each, evaluate_it)) {
            detail::cannot_evaluate(each, "these values have no result");
        }
    }
    for (std::size_t port = 0; port < outputs.size(); ++port) {
        const element type = each.type(port) == dynamic ? outputs[port].type() : each.type(port);
        outputs[port] = evaluation::convert_tensor(outputs[port], detail::held_type<Number>(type));
    }
    return outputs;
}
/// The same with variables that begin anew.
template <class Number>
seq<tensor> evaluate_node(const graph& model, node_id id, view<tensor> inputs) {
    state variables;
    return evaluate_node<Number>(model, id, inputs, variables);
}

namespace detail {

/// One run of a network.
template <class Number>
class run {
    const graph& model_;
    view<tensor> inputs_;
    state& state_;
    limits limits_;
    std::vector<seq<tensor>> values_;  // by node
    std::vector<std::size_t> readers_left_;  // by node: a tensor is let go after its last reader
    std::vector<std::pair<text, tensor>> writes_;  // seen by the next run

    void count_readers(const seq<node_id>& order) {
        for (const node_id id : order) {
            for (std::size_t port = 0; port < model_[id].inputs(); ++port) {
                ++readers_left_[index_of(model_.producer(id, port))];
            }
        }
    }
    void let_inputs_go(const node& each) {
        for (std::size_t port = 0; port < each.inputs(); ++port) {
            const std::size_t producer = index_of(each.input(port).node);
            if (--readers_left_[producer] == 0) {
                values_[producer] = {};
            }
        }
    }
    tensor parameter_value(node_id id) const {
        const node& each = model_[id];
        for (std::size_t i = 0; i < inputs_.size(); ++i) {
            if (model_.parameters()[i] != id) {
                continue;
            }
            const tensor& given = inputs_[i];
            shape merged = each.as<op::parameter>().dimensions;
            const element type = each.as<op::parameter>().element_type;
            const bool fits = given.type() == type || given.type() == held_type<Number>(type) || type == dynamic;
            if (!fits || !merge_shape(merged, given.dimensions())) {
                fail({"input ", i, " '", each.name(), "' must be ", name(type), each.as<op::parameter>().dimensions,
                      ", not ", name(given.type()), given.dimensions()});
            }
            return held<Number>(given);
        }
        fail({"input '", each.name(), "' has no value"});
    }
    tensor variable_value(const node& each, const seq<tensor>& initial) const {
        const auto& self = each.as<op::read_value>();
        if (const tensor* known = state_.find(self.variable_id)) {
            return held<Number>(*known);
        }
        if (!initial.empty()) {
            return initial[0];
        }
        if (self.variable_type == dynamic || self.variable_shape.is_dynamic()) {
            cannot_evaluate(each, "its variable has neither a value nor a static shape to begin with");
        }
        const element type = held_type<Number>(self.variable_type);
        const op::output_facts facts{type, self.variable_shape};
        check_memory(each, view<op::output_facts>(&facts, 1), limits_);
        return make_scalar_filled(type, self.variable_shape);
    }
    static tensor make_scalar_filled(element type, const shape& dimensions) {
        return tensor_builder(type, dimensions).finish();
    }
    seq<tensor> values_of(node_id id) {
        const node& each = model_[id];
        seq<tensor> inputs;
        for (std::size_t port = 0; port < each.inputs(); ++port) {
            const output_ref source = each.input(port);
            inputs.push_back(values_[index_of(source.node)][static_cast<std::size_t>(source.port)]);
        }
        let_inputs_go(each);
        if (each.is<op::parameter>()) {
            return {parameter_value(id)};
        }
        if (each.is<op::read_value>()) {
            return {variable_value(each, inputs)};
        }
        if (each.is<op::assign>()) {
            writes_.emplace_back(each.as<op::assign>().variable_id, inputs[0]);
        }
        return evaluate_node<Number>(model_, id, inputs, state_, limits_);
    }

public:
    run(const graph& model, view<tensor> inputs, state& variables, const limits& most)
        : model_(model),
          inputs_(inputs),
          state_(variables),
          limits_(most),
          values_(model.id_bound()),
          readers_left_(model.id_bound(), 0) {}

    std::vector<tensor> results() {
        if (inputs_.size() != model_.parameters().size()) {
            fail({"the network has ", model_.parameters().size(), " inputs, not ", inputs_.size()});
        }
        const seq<node_id> order = topological_order(model_);
        count_readers(order);
        for (const node_id id : order) {
            values_[index_of(id)] = values_of(id);
        }
        std::vector<tensor> outputs;
        for (const node_id id : model_.results()) {
            outputs.push_back(values_[index_of(id)][0]);
        }
        for (auto& [name, value] : writes_) {
            state_.write(name, std::move(value));
        }
        return outputs;
    }
};

}  // namespace detail

/// Runs a network and gives its outputs in the order of its results.
///
/// `inputs`: one tensor a parameter, in order, of its type and a shape that fits; `variables`: what ReadValue gives and, at the end of the run,
/// takes from Assign. For `Number` see `evaluate_node`; with double real outputs are f64. Tensors are let go after their last reader. Raises an
/// error that names the input or node.
template <class Number>
std::vector<tensor> evaluate(const graph& model, view<tensor> inputs, state& variables, const limits& most) {
    return detail::run<Number>(model, inputs, variables, most).results();
}
/// The same with variables that begin anew.
template <class Number>
std::vector<tensor> evaluate(const graph& model, view<tensor> inputs) {
    state variables;
    return evaluate<Number>(model, inputs, variables);
}

}  // namespace lpt::inline LPT_ABI::reference
#endif

// ======== lpt/plan/folding.hpp
#ifndef LPT_HOLDS_PLAN_FOLDING_HPP
#define LPT_HOLDS_PLAN_FOLDING_HPP
// Constants of a network before it is planned: what is known is computed, by the reference where it takes that.

namespace lpt::inline LPT_ABI::plan {

namespace detail {

/// Every node of known inputs becomes Constants, but for those whose marks `clear_folding_marks` left.
inline void fold_with_reference(graph& model, node_id id) {
    const node& each = model[id];
    const bool stays = each.inputs() == 0 || each.has(mark::disabled_constant_folding) || each.is<op::result>() ||
                       each.is<op::read_value>() || each.is<op::assign>() ||
                       !reference::can_evaluate(each.attributes()) ||
                       reference::runs_bodies(each.kind());  // variables in bodies live from run to run
    if (stays) {
        return;
    }
    seq<tensor> inputs;
    for (std::size_t port = 0; port < each.inputs(); ++port) {
        const tensor* value = model.constant_value(each.input(port));
        if (value == nullptr) {
            return;
        }
        inputs.push_back(*value);
    }
    if (!lpt::detail::can_afford(model, model[id], inputs)) {
        return;
    }
    const seq<tensor> values =
        lpt::detail::naming_memory_of(each, [&] { return reference::evaluate_node<float>(model, id, inputs); });
    for (std::size_t port = 0; port < values.size(); ++port) {
        model.replace_uses(output_ref(id, static_cast<std::int32_t>(port)),
                           model.constant(values[port], model[id].name()));
    }
}

/// Calls `visit(id, port, first)` for the weights of recurrent operations above which a dequantization of bytes may begin with `first`. Nodes
/// that are gone are passed over.
template <class Visit>
void for_each_dequantized_weights(const graph& model, view<node_id> nodes, const Visit& visit) {
    for (const node_id id : nodes) {
        const recurrent_form form = model.contains(id) ? recurrent_form_of(model[id]) : recurrent_form();
        for (std::size_t port = form.weights; form.has_weights(port); ++port) {
            const node_id first = first_of_dequantization(model, model[id].input(port));
            if (first != node_id::none) {
                visit(id, port, first);
            }
        }
    }
}

/// The first operations of those dequantizations that are marked: nothing is to fold these weights back to real numbers.
inline seq<node_id> marked_dequantizations(const graph& model, view<node_id> nodes) {
    seq<node_id> result;
    for_each_dequantized_weights(model, nodes, [&](node_id, std::size_t, node_id first) {
        if (model[first].has(mark::disabled_constant_folding)) {
            result.push_back(first);
        }
    });
    return result;
}

/// Folding takes no notice of marks in plans: they guide transformations, which are over. Those of `kept` stay.
inline void clear_folding_marks(graph& model, view<node_id> nodes, view<node_id> kept) {
    for (const node_id id : nodes) {
        if (model[id].has(mark::disabled_constant_folding)) {
            model.clear_mark(id, mark::disabled_constant_folding);
        }
    }
    for (const node_id id : kept) {
        model.set_mark(id, mark::disabled_constant_folding);
    }
}

/// Takes the marks from dequantizations, whose constants are folded now, that no kernel reads as bytes; true if there are any.
inline bool release_unread_bytes(graph& model, view<node_id> nodes) {
    bool any = false;
    for_each_dequantized_weights(model, nodes, [&](node_id id, std::size_t port, node_id first) {
        if (!multiplies_bytes(model, model[id], port)) {
            model.clear_mark(first, mark::disabled_constant_folding);
            any = true;
        }
    });
    return any;
}

}  // namespace detail

/// Folds everything that is known whatever the inputs are: what is planned has been folded before.
inline void fold_known(graph& model) {
    const seq<node_id> order = topological_order(model);
    const seq<node_id> kept = detail::marked_dequantizations(model, order);
    detail::clear_folding_marks(model, order, kept);
    constant_folding(model, order);
    if (!kept.empty() && detail::release_unread_bytes(model, order)) {
        constant_folding(model);
    }
    for (const node_id id : order) {
        if (model.contains(id)) {
            detail::fold_with_reference(model, id);
        }
    }
    model.collect();
}

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/plan/known_shapes.hpp
#ifndef LPT_HOLDS_PLAN_KNOWN_SHAPES_HPP
#define LPT_HOLDS_PLAN_KNOWN_SHAPES_HPP
// What the shapes and values of inputs and variables say about the shapes inside a network.

namespace lpt::inline LPT_ABI::plan {

/// What is known of an input of a network when it is planned.
struct known_input {
    element type = dynamic;
    lpt::shape dimensions;
    tensor value;  // only if the plan may depend on it
};

/// A variable of a network that was written, and the shape that it has.
struct known_variable {
    text name;
    element type = dynamic;
    lpt::shape dimensions;
};

namespace detail {

// ---- shapes

inline void give_inputs(graph& model, const std::vector<known_input>& inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const node_id id = model.parameters()[i];
        model.set_attributes(id, op::parameter{inputs[i].type, inputs[i].dimensions});
        if (inputs[i].value) {
            model.replace_uses(id, model.constant(inputs[i].value, model[id].name()));
        }
    }
}

/// A ReadValue takes the shape of its variable, before it was written that of its initial value.
inline void give_variable(graph& model, node_id id, const std::vector<known_variable>& variables) {
    const node& each = model[id];
    op::read_value self = each.as<op::read_value>();
    for (const known_variable& known : variables) {
        if (!(known.name == self.variable_id)) {
            continue;
        }
        self.variable_type = known.type;
        self.variable_shape = known.dimensions;
        if (each.version() >= 6) {
            model.truncate_inputs(id, 0);
            model.set_attributes(id, self);
        } else if (!(each.shape() == known.dimensions)) {
            model.replace(id, model.add(self, view<output_ref>(), each.name(), 6));
        }
        return;
    }
    if (each.version() < 6 || each.shape().is_static()) {
        return;
    }
    if (each.inputs() == 0) {
        fail({each.operation(), " '", each.name(), "': variable '", self.variable_id,
              "' has neither a value nor a static shape to begin with"});
    }
    self.variable_type = model.type(each.input(0));
    self.variable_shape = model.shape(each.input(0));
    model.set_attributes(id, self);
}

// ---- shapes of what bodies give

/// The shapes of a body's results for these shapes of its parameters; dynamic ranks where they do not fit: the run says why.
inline std::vector<shape> result_shapes(graph body, const std::vector<shape>& parameters) {
    std::vector<shape> result;
    try {
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            const node_id id = body.parameters()[i];
            op::parameter self = body[id].as<op::parameter>();
            merge_shape(self.dimensions, parameters[i]);
            body.set_attributes(id, self);
        }
        infer_all(body);
        for (const node_id id : body.results()) {
            result.push_back(body[id].shape());
        }
    } catch (const error&) {
        result.assign(body.results().size(), shape::of_dynamic_rank());
    }
    return result;
}

/// The shapes that come to the parameters of a body; dynamic ranks for those that nothing is known of.
inline std::vector<shape> parameter_shapes(const graph& model, const node& each, std::size_t which) {
    const reference::detail::port_maps maps = reference::detail::port_maps_of(each, which);
    std::vector<shape> result(each.bodies()[which].parameters().size(), shape::of_dynamic_rank());
    for (const op::body_input& entry : *maps.inputs) {
        shape dimensions = model.shape(each.input(static_cast<std::size_t>(entry.port)));
        if (entry.holds == op::body_input::form::sliced) {
            const std::int64_t axis = normalized_axis(entry.slice.axis, dimensions.rank());
            if (axis >= 0) {
                dimensions[static_cast<std::size_t>(axis)] = entry.slice.part_size;
            }
        }
        result[static_cast<std::size_t>(entry.parameter)] = dimensions;
    }
    return result;
}

/// True if what is fed back keeps the shape with which it begins.
inline bool keeps_shapes(const reference::detail::port_maps& maps, const std::vector<shape>& parameters,
                         const std::vector<shape>& results) {
    for (const op::body_input& entry : *maps.inputs) {
        if (entry.holds == op::body_input::form::merged && !(parameters[static_cast<std::size_t>(entry.parameter)] ==
                                                             results[static_cast<std::size_t>(entry.result)])) {
            return false;
        }
    }
    return true;
}

inline bool is_constant_true(const graph& model, output_ref source) {
    const tensor* value = model.constant_value(source);
    return value != nullptr && value->elements() == 1 && value->real(0) != 0;
}

/// How many iterations a node runs, as far as that is known; -1 if it is not.
inline std::int64_t known_iterations(const graph& model, const node& each) {
    const reference::detail::port_maps maps = reference::detail::port_maps_of(each, 0);
    if (each.is<op::loop>()) {
        const graph& body = each.bodies()[0];
        const tensor* trips = model.constant_value(each.input(0));
        const bool goes_on =
            is_constant_true(model, each.input(1)) &&
            (maps.execution_condition < 0 ||
             is_constant_true(body, body[body.results()[static_cast<std::size_t>(maps.execution_condition)]].input(0)));
        return goes_on && trips != nullptr && trips->elements() == 1 ? trips->integer(0) : -1;
    }
    for (const op::body_input& entry : *maps.inputs) {
        const shape& data = model.shape(each.input(static_cast<std::size_t>(entry.port)));
        const std::int64_t axis = normalized_axis(entry.slice.axis, data.rank());
        reference::detail::slice_parts parts;
        if (entry.holds == op::body_input::form::sliced && axis >= 0 &&
            data.is_static(static_cast<std::size_t>(axis)) &&
            reference::detail::parts_of(entry.slice, data[static_cast<std::size_t>(axis)], parts)) {
            return parts.count;
        }
    }
    return -1;
}

inline void declare(seq<op::declared_output>& outputs, const op::body_output& entry, shape dimensions,
                    std::int64_t iterations) {
    if (entry.holds == op::body_output::form::concatenated) {
        const std::int64_t axis = normalized_axis(entry.slice.axis, dimensions.rank());
        if (axis < 0) {
            return;
        }
        const checked size = checked(iterations) * entry.slice.part_size;
        dimensions[static_cast<std::size_t>(axis)] =
            iterations >= 0 && size.is_within(0, most_elements) ? size.value() : dynamic_dimension;  // the run says why
    }
    shape merged = outputs[static_cast<std::size_t>(entry.port)].dimensions;
    if (merge_shape(merged, dimensions)) {
        outputs[static_cast<std::size_t>(entry.port)].dimensions = merged;
    }
}

/// Inference does not look into bodies: what they give is declared. Where that is not known, the bodies say it for the shapes
/// that come to them.
inline void declare_outputs(graph& model, node_id id) {
    const node& each = model[id];
    reference::check_bodies(each);
    bool known = true;
    for (std::size_t port = 0; port < each.outputs(); ++port) {
        known = known && each.shape(port).is_static();
    }
    if (known) {
        return;
    }
    if (each.is<op::if_else>()) {
        op::if_else self = each.as<op::if_else>();
        const tensor* condition = model.constant_value(each.input(0));
        const std::vector<shape> taken = result_shapes(each.bodies()[0], parameter_shapes(model, each, 0));
        const std::vector<shape> other = result_shapes(each.bodies()[1], parameter_shapes(model, each, 1));
        for (const op::body_output& entry : self.then_outputs) {
            const shape& one = taken[static_cast<std::size_t>(entry.result)];
            for (const op::body_output& otherwise : self.else_outputs) {
                const shape& two = other[static_cast<std::size_t>(otherwise.result)];
                if (otherwise.port == entry.port && condition == nullptr && one == two) {
                    declare(self.declared_outputs, entry, one, 1);
                } else if (otherwise.port == entry.port && condition != nullptr && condition->elements() == 1) {
                    declare(self.declared_outputs, entry, condition->real(0) != 0 ? one : two, 1);
                }
            }
        }
        model.set_attributes(id, self);
        return;
    }
    const reference::detail::port_maps maps = reference::detail::port_maps_of(each, 0);
    const std::vector<shape> parameters = parameter_shapes(model, each, 0);
    const std::vector<shape> results = result_shapes(each.bodies()[0], parameters);
    if (!keeps_shapes(maps, parameters, results)) {
        return;
    }
    const std::int64_t iterations = known_iterations(model, each);
    const auto declare_all = [&](auto self) {
        for (const op::body_output& entry : self.output_map) {
            declare(self.declared_outputs, entry, results[static_cast<std::size_t>(entry.result)], iterations);
        }
        model.set_attributes(id, self);
    };
    if (each.is<op::loop>()) {
        declare_all(each.as<op::loop>());
    } else {
        declare_all(each.as<op::tensor_iterator>());
    }
}

/// Infers all shapes anew and folds what becomes known on the way, in one pass.
inline void settle(graph& model, const std::vector<known_variable>& variables, kept_order& order) {
    for (const node_id id : order.of(model)) {
        if (model[id].is<op::constant>() || model[id].is<op::parameter>()) {
            continue;
        }
        model.infer(id);
        if (model[id].is<op::read_value>()) {
            give_variable(model, id, variables);
            continue;
        }
        if (reference::runs_bodies(model[id].kind())) {
            declare_outputs(model, id);
            continue;
        }
        seq<output_ref> values;
        if (model[id].is<op::shape_of>() && fold(model, id, values)) {
            model.replace_uses(id, values[0]);
        } else {
            fold_with_reference(model, id);
        }
    }
    model.collect();
}

}  // namespace detail

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/plan/chain.hpp
#ifndef LPT_HOLDS_PLAN_CHAIN_HPP
#define LPT_HOLDS_PLAN_CHAIN_HPP
// Chains of elementwise operations that one step computes together.

namespace lpt::inline LPT_ABI::plan {

/// One function of a chain; v is the value so far.
struct chain_function {
    enum class form {
        affine,    // scale * v + shift
        divide,    // v / scale
        clamp,     // between low and high
        prelu,     // v < 0 ? scale * v : v
        unary,     // function with low and high as its alpha and beta
        add,       // v + low * other
        multiply,  // v * (low * other + high)
    };
    form what = form::affine;
    spread scale = spread::of(1);
    spread shift = spread::of(no_shift);
    double low = 0;
    double high = 0;
    kernel::unary_function function = kernel::unary_function::abs;
    bool is_zero_point =
        false;  // an affine function that takes one off, exactly: it stays apart from the scaling behind it
    output_ref other;  // a stored tensor of the chain's shape, or one with size 1 on all axes from 2 on

    bool rounds_to_even() const { return what == form::unary && function == kernel::unary_function::round_even; }
};

/// What a step computes after its kernel proper: functions one after the other, and the type that is stored.
struct chain {
    lpt::shape dimensions;
    /// The axis along which constants may vary; -1: none, -2: any.
    int axis = any_axis;
    bool channels_last = false;  // one number a channel and image may come from another tensor
    std::vector<chain_function> functions;
    std::vector<node_id> nodes;
    output_ref tail;
    element type = f32;
    double low = 0;   // of a stored integer
    double high = 0;

    static constexpr int any_axis = -2;
    static constexpr int no_axis = -1;

    bool allows(const spread& numbers) const {
        return numbers.is_one() || axis == any_axis ||
               (axis >= 0 && numbers.varies_only_along(static_cast<std::size_t>(axis)));
    }

    /// v = scale * v + shift, joined with the function before where that is of the same form. A shift of `no_shift` keeps the sign
    /// of zeros: 0 times a negative number is -0.
    void affine(const spread& scale, const spread& shift) {
        if (scale.is(1) && shift.is_nothing_to_add()) {
            return;
        }
        if (!functions.empty() && functions.back().what == chain_function::form::affine &&
            !functions.back().is_zero_point) {
            chain_function& before = functions.back();
            spread joined_scale;
            spread moved;
            spread joined_shift;
            const auto product = [](double a, double b) { return a * b; };
            if (combine(before.scale, scale, joined_scale, product) &&
                combine(before.shift, scale, moved, scaled_shift) &&
                combine(moved, shift, joined_shift, [](double a, double b) { return a + b; })) {
                before.scale = std::move(joined_scale);
                before.shift = std::move(joined_shift);
                return;
            }
        }
        chain_function made;
        made.scale = scale;
        made.shift = shift;
        functions.push_back(std::move(made));
    }
    /// What the elements of a dequantization's base are: (q - zero point) * scale where that is its form, so that q = zero point gives 0.
    void dequantize(const quantized_source& from) {
        const bool has_zero_point = from.has_one_zero_point() && from.zero_point() != 0;
        if (!has_zero_point || !functions.empty() || !from.shift.is_one()) {
            affine(from.scale, from.shift);
            return;
        }
        take_off(spread::of(-from.zero_point()));
        affine(from.scale, spread::of(no_shift));
    }
    /// v + shift, apart from what follows: where the sum is 0, so is what it is scaled to.
    void take_off(const spread& shift) {
        chain_function taken_off;
        taken_off.shift = shift;
        taken_off.is_zero_point = true;
        functions.push_back(std::move(taken_off));
    }
    /// One function where a whole number is taken off what was rounded, which is then scaled: sums have kernels for that, and no last digit to lose.
    void join_rounded() {
        const std::size_t count = functions.size();
        if (count < 3 || !functions[count - 3].rounds_to_even() || !functions[count - 2].is_zero_point ||
            functions[count - 1].what != chain_function::form::affine) {
            return;
        }
        const chain_function last = std::move(functions.back());
        functions.pop_back();
        functions.back().is_zero_point = false;
        affine(last.scale, last.shift);
    }
    /// v / divisor, rounded once: not the product with a reciprocal, which was rounded before.
    void divide(const spread& divisor) {
        chain_function made;
        made.what = chain_function::form::divide;
        made.scale = divisor;
        functions.push_back(std::move(made));
    }
    void clamp(double least, double greatest) {
        chain_function made;
        made.what = chain_function::form::clamp;
        made.low = least;
        made.high = greatest;
        functions.push_back(std::move(made));
    }
    void unary(kernel::unary_function which, double alpha = 0, double beta = 0) {
        chain_function made;
        made.what = chain_function::form::unary;
        made.function = which;
        made.low = alpha;
        made.high = beta;
        functions.push_back(std::move(made));
    }
    /// Stores integers of a type, no smaller than `least` and no greater than `greatest`.
    void store(element as, double least, double greatest) {
        type = as;
        low = least;
        high = greatest;
        join_zero_point();
        narrow_by_clamp();
        complete_sum();
    }
    /// Goes on with the integers that would be stored.
    void compute_with_stored() {
        clamp(low, high);
        unary(kernel::unary_function::round_even);
        type = f32;
    }

private:
    /// Between integers a last digit does not count: one function where there are two.
    void join_zero_point() {
        if (functions.size() < 2 || !functions[0].is_zero_point || functions[1].what != chain_function::form::affine) {
            return;
        }
        for (const chain_function& each : functions) {
            if (each.what != chain_function::form::affine && each.what != chain_function::form::clamp) {
                return;
            }
        }
        const std::vector<chain_function> all = std::move(functions);
        functions.clear();
        for (const chain_function& each : all) {
            if (each.what == chain_function::form::affine) {
                affine(each.scale, each.shift);
            } else {
                functions.push_back(each);
            }
        }
    }
    /// A clamp before the last scaling, or at the end, can be done by narrowing the range of the stored integers, because
    /// rounding and scaling keep the order.
    void narrow_by_clamp() {
        const std::size_t count = functions.size();
        const bool scaled = count > 1 && functions.back().what == chain_function::form::affine;
        if (count < (scaled ? 2u : 1u)) {
            return;
        }
        const chain_function& clamp = functions[count - (scaled ? 2 : 1)];
        if (clamp.what != chain_function::form::clamp) {
            return;
        }
        spread least = spread::of(clamp.low);
        spread greatest = spread::of(clamp.high);
        if (scaled) {
            const chain_function& last = functions.back();
            if (!last.scale.all([](double v) { return v > 0 && v < 1e30; }) ||
                !scaled_limit(last, clamp.low, low, least) || !scaled_limit(last, clamp.high, high, greatest)) {
                return;
            }
        }
        const double narrow_low = math::round_half_even(math::minimum(math::maximum(least.one(), low), high));
        const double narrow_high = math::round_half_even(math::maximum(math::minimum(greatest.one(), high), low));
        low = narrow_low;
        high = narrow_high;
        const chain_function last = functions.back();
        functions.resize(count - (scaled ? 2 : 1));
        if (scaled) {
            affine(last.scale, last.shift);
        }
    }
    /// Tiles have a list for a quantized value plus a tensor, then the next scale. A scale of 1 is written out to fit it.
    void complete_sum() {
        using form = chain_function::form;
        const std::size_t first = !functions.empty() && functions[0].what == form::affine ? 1 : 0;
        if (functions.size() == first + 4 && functions[first].what == form::clamp &&
            functions[first + 1].rounds_to_even() && functions[first + 2].what == form::affine &&
            functions[first + 3].what == form::add) {
            functions.push_back({});
        }
    }
    /// The stored integer that a limit becomes; false if that is not one for all channels. Limits beyond what is stored are all the same.
    bool scaled_limit(const chain_function& last, double limit, double outside, spread& result) const {
        if (math::is_infinite(limit)) {
            result = spread::of(outside);
            return true;
        }
        const auto scaled = [&](double scale, double shift) {
            const double stored = math::round_half_even(static_cast<double>(
                __builtin_fmaf(static_cast<float>(limit), static_cast<float>(scale), static_cast<float>(shift))));
            return math::minimum(math::maximum(stored, low), high);
        };
        return combine(last.scale, last.shift, result, scaled) && result.is_one();
    }
};

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/plan/ids.hpp
#ifndef LPT_HOLDS_PLAN_IDS_HPP
#define LPT_HOLDS_PLAN_IDS_HPP
// Numbers of what a planned network consists of, each a type of its own.

namespace lpt::inline LPT_ABI::plan {

/// A tensor of a network: its place in `network::tensors`.
enum class tensor_id : std::int32_t { none = -1 };

/// A block of memory of a network: its place in `network::storages`.
enum class storage_id : std::int32_t { none = -1 };

/// A step of a network: its place in `network::steps`; one past the last is when the caller reads outputs.
enum class step_id : std::int32_t { none = -1 };

/// A variable of a network: its place in `network::states`.
enum class state_id : std::int32_t { none = -1 };

/// One of the types above.
template <class Id>
concept network_id = std::same_as<Id, tensor_id> || std::same_as<Id, storage_id> || std::same_as<Id, step_id> ||
                     std::same_as<Id, state_id>;

/// The place in the network's list; of `none` there is none.
template <network_id Id>
constexpr std::size_t index_of(Id id) noexcept {
    return static_cast<std::size_t>(id);
}

/// The id of what is at a place in the network's list.
template <network_id Id>
constexpr Id id_at(std::size_t index) noexcept {
    return static_cast<Id>(index);
}

/// The step behind a step.
constexpr step_id next_of(step_id id) noexcept { return static_cast<step_id>(static_cast<std::int32_t>(id) + 1); }

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/plan/moving_steps.hpp
#ifndef LPT_HOLDS_PLAN_MOVING_STEPS_HPP
#define LPT_HOLDS_PLAN_MOVING_STEPS_HPP
// Steps that move bytes from one tensor to another.

namespace lpt::inline LPT_ABI::plan {

/// Rows of a tensor, of pixels or of a matrix, that are parts of wider rows: `length` elements next to each other, and `distance` elements from
/// one row to the next. A tensor without gaps has none.
struct spaced_rows {
    std::int64_t count = 0;
    std::int64_t length = 0;
    std::int64_t distance = 0;

    bool exist() const { return count != 0; }
};

/// Output blocks `to`, `to` + 1, …, `count` of them: the input blocks that begin at elements `from`, `from` + `distance`, …, or filled where
/// `from` is -1.
struct block_run {
    std::int32_t to = 0;
    std::int32_t from = 0;  // elements
    std::int32_t distance = 1;  // elements
    std::int32_t count = 1;
};

/// Blocks of the input's elements in another order: output block i is the input block that begins at element `sources[i]`, or `fill` where that
/// is -1. Where few runs say the same, `runs` stands in its place.
struct gather_step {
    tensor_id input = tensor_id::none;
    tensor_id output = tensor_id::none;
    std::int64_t element_bytes = 1;
    std::int64_t block = 1;  // elements
    std::vector<std::int32_t> sources;
    std::vector<block_run> runs;
    std::vector<std::byte> fill;  // one element
};
/// Where the input block of each output block begins, or -1: `sources`, or what `runs` stand for.
inline std::vector<std::int32_t> sources_of(const gather_step& work) {
    std::vector<std::int32_t> result = work.sources;
    for (const block_run& run : work.runs) {
        for (std::int32_t i = 0; i < run.count; ++i) {
            result.push_back(run.from + i * run.distance);
        }
    }
    return result;
}

/// Blocks of bytes that indices choose: block k of part i of the output is block indices[i / parts_of_batch * count + k] of part i of the
/// input; a negative index counts from the back. Raises an error for one outside.
struct choice_step {
    tensor_id input = tensor_id::none;
    tensor_id indices = tensor_id::none;  // i32 or i64
    tensor_id output = tensor_id::none;
    std::int64_t parts = 1;
    std::int64_t parts_of_batch = 1;
    std::int64_t size = 1;  // blocks of a part of the input
    std::int64_t count = 1;  // indices of a batch
    std::size_t block_bytes = 1;
};

/// A margin around the pixels, of one value a channel; channels innermost.
struct margin_step {
    tensor_id input = tensor_id::none;
    tensor_id output = tensor_id::none;
    std::int64_t batch = 1;
    std::int64_t in[3] = {1, 1, 1};
    std::int64_t begin[3] = {0, 0, 0};
    std::int64_t out[3] = {1, 1, 1};
    std::vector<std::byte> fill;  // one pixel
};

/// Tensors next to each other: input i fills `lengths[i]` bytes of each of `rows` rows of the output.
/// `takes_part`: the only input is a part of each row of a wider tensor, as a Split gives it.
struct concat_step {
    std::vector<tensor_id> inputs;
    std::vector<std::size_t> lengths;
    std::size_t rows = 1;
    bool takes_part = false;
    tensor_id output = tensor_id::none;
};

/// Batches of matrices transposed: a change between the two layouts, or a Transpose of that form.
struct transpose_step {
    kernel::transpose_problem problem;  // without pointers
    tensor_id input = tensor_id::none;
    tensor_id output = tensor_id::none;
};

/// Copies a tensor; into a state that was never written before only when `first_time`.
struct copy_step {
    tensor_id input = tensor_id::none;
    tensor_id output = tensor_id::none;
    bool first_time = false;
    state_id state = state_id::none;  // that is written, or none
};

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/plan/large_pages.hpp
#ifndef LPT_HOLDS_PLAN_LARGE_PAGES_HPP
#define LPT_HOLDS_PLAN_LARGE_PAGES_HPP
// Pages of 2 MiB, where the system has them: fewer faults when memory is first touched, and fewer addresses to translate.

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

namespace lpt::inline LPT_ABI::plan::detail {

/// At least `size` zeroed bytes at the beginning of a large page; null where the system has none, or where a sanitizer watches memory.
inline std::shared_ptr<std::byte> large_pages([[maybe_unused]] std::size_t size) {
#if defined(MADV_HUGEPAGE) && defined(MAP_ANONYMOUS)
    if constexpr (lpt::detail::keeps_small_memory) {
        constexpr std::size_t page = std::size_t{2} << 20;
        const std::size_t whole = (size + page - 1) / page * page + page;  // one more for the alignment
        void* const mapped = ::mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (mapped != MAP_FAILED) {
            const auto address = reinterpret_cast<std::uintptr_t>(mapped);
            std::byte* const first = static_cast<std::byte*>(mapped) + (page - address % page) % page;
            ::madvise(first, whole - page, MADV_HUGEPAGE);
            return {first, [mapped, whole](std::byte*) { ::munmap(mapped, whole); }};
        }
    }
#endif
    return nullptr;
}

}  // namespace lpt::inline LPT_ABI::plan::detail
#endif

// ======== lpt/plan/zeroed_memory.hpp
#ifndef LPT_HOLDS_PLAN_ZEROED_MEMORY_HPP
#define LPT_HOLDS_PLAN_ZEROED_MEMORY_HPP
namespace lpt::inline LPT_ABI::plan {

inline constexpr std::size_t block_alignment = 64;
/// Bytes after each block that a kernel may read, never write.
inline constexpr std::size_t block_slack = 64;

/// Zeroed memory at an address that vectors like, with room behind it that kernels may read. The system gives pages of large blocks
/// when they are touched, large ones where it has them. Raises a `memory_error` for what cannot be had.
class zeroed_memory {
    struct give_back {
        std::shared_ptr<std::byte> chunk;  // the block is a part of it; null: it stands alone
        void operator()(std::byte* memory) const noexcept {
            if (!chunk) {
                std::free(memory);
            }
        }
    };
    static constexpr std::size_t large_size = std::size_t{4} << 20;  // from here on a block has pages of its own

    std::unique_ptr<std::byte, give_back> own_;
    std::byte* first_ = nullptr;
    std::size_t size_ = 0;

    static std::unique_ptr<std::byte, give_back> take(std::size_t size) {
        constexpr std::size_t beside = block_alignment + block_slack;
        if (size >= large_size && size <= SIZE_MAX / 2) {
            if (std::shared_ptr<std::byte> pages = detail::large_pages(size + block_slack)) {
                std::byte* const first = pages.get();
                return {first, give_back{std::move(pages)}};
            }
        }
        void* result = size > SIZE_MAX - beside ? nullptr : std::calloc(size + beside, 1);
        if (result == nullptr) {
            lpt::detail::raise_no_memory(size);
        }
        return {static_cast<std::byte*>(result), give_back{}};
    }

public:
    zeroed_memory() = default;
    explicit zeroed_memory(std::size_t size) : own_(take(size)), size_(size) {
        const auto address = reinterpret_cast<std::uintptr_t>(own_.get());
        first_ = own_.get() + (block_alignment - address % block_alignment) % block_alignment;
    }
    /// `size` bytes at `first`, zeroed and aligned, with their room behind them, of a chunk that is kept as long.
    zeroed_memory(std::byte* first, std::size_t size, std::shared_ptr<std::byte> chunk)
        : own_(first, give_back{std::move(chunk)}), first_(first), size_(size) {}
    zeroed_memory(zeroed_memory&& other) noexcept
        : own_(std::move(other.own_)),
          first_(std::exchange(other.first_, nullptr)),
          size_(std::exchange(other.size_, 0)) {}
    zeroed_memory& operator=(zeroed_memory&& other) noexcept {
        own_ = std::move(other.own_);
        first_ = std::exchange(other.first_, nullptr);
        size_ = std::exchange(other.size_, 0);
        return *this;
    }
    ~zeroed_memory() = default;

    std::byte* data() const { return first_; }
    std::size_t size() const { return size_; }
    /// Makes it at least so large; what it held is lost if it grows.
    void grow(std::size_t size) {
        if (first_ == nullptr || size > size_) {
            *this = zeroed_memory();
            *this = zeroed_memory(size);
        }
    }
};

/// Many blocks next to each other, so that they share large pages; a chunk lives as long as one of its blocks.
class zeroed_blocks {
    static constexpr std::size_t alone_at_first = std::size_t{1}
                                                  << 20;  // so many bytes, which large pages would not pay for
    static constexpr std::size_t chunk_size = std::size_t{32}
                                              << 20;  // of addresses; memory is given when it is touched
    std::shared_ptr<std::byte> chunk_;
    std::size_t left_ = 0;
    std::byte* next_ = nullptr;
    std::size_t alone_ = 0;

public:
    /// Raises a `memory_error` for what cannot be had.
    zeroed_memory take(std::size_t size) {
        const std::size_t needed = (size / block_alignment + 1) * block_alignment + block_slack;
        if (alone_ < alone_at_first || size > chunk_size / 2) {
            alone_ += size < alone_at_first ? size : alone_at_first;
            return zeroed_memory(size);
        }
        if (needed > left_) {
            chunk_ = detail::large_pages(chunk_size);
            left_ = chunk_ ? chunk_size : 0;
            next_ = chunk_.get();
        }
        if (!chunk_) {
            return zeroed_memory(size);
        }
        zeroed_memory result(next_, size, chunk_);
        next_ += needed;
        left_ -= needed;
        return result;
    }
};

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/plan/steps.hpp
#ifndef LPT_HOLDS_PLAN_STEPS_HPP
#define LPT_HOLDS_PLAN_STEPS_HPP
// A planned network as data: tensors, where they live, and the steps that make them.

namespace lpt::inline LPT_ABI::plan {

/// The order of a tensor's elements in memory: as its axes stand, or with axis 1 (the channels) innermost.
enum class layout : unsigned char { plain, channels_last };

/// Where a tensor's bytes are.
enum class area : unsigned char {
    arena,     // memory that steps share, planned by liveness
    constant,  // known when the network was planned
    input,     // what the caller gives
    state,     // kept from run to run
    output,    // what the caller gives for results, which no step reads but a Concat that puts them together
};

/// A block of memory that one or more tensors see.
struct storage {
    area where = area::arena;
    std::size_t bytes = 0;
    std::size_t offset = 0;  // arena: from the beginning of that memory; input, output: its position; state: its number
    step_id first_step = step_id::none;  // arena: the first step that touches it
    step_id last_step = step_id::none;  // and the last; one past all steps for what the caller reads
    lpt::tensor value;  // constant
};

/// A tensor in memory: a storage, or a part of one, that begins `offset` bytes behind its beginning.
struct stored_tensor {
    element type = dynamic;
    lpt::shape dimensions;
    layout order = layout::plain;
    storage_id storage = storage_id::none;
    std::size_t offset = 0;
    spaced_rows rows = {};  // where it is a part of each row of a wider one (parts.hpp)

    std::size_t bytes() const { return byte_size(type, dimensions.elements()); }
    /// Bytes from row to row: `dense`, which is what a row has, where there are no gaps.
    std::size_t row_bytes(std::size_t dense) const {
        return rows.exist() ? byte_size(type, static_cast<std::size_t>(rows.distance)) : dense;
    }
};

/// Numbers of an epilogue: one for all, or an array.
/// `strides`: for each loop axis of its step, how far the array moves with it; empty: it is one number.
struct number_row {
    std::vector<float> values{0.0f};
    std::vector<std::int64_t> strides;

    static number_row of(double value) { return {{static_cast<float>(value)}, {}}; }

    bool is_one() const { return strides.empty(); }
};

/// A tensor that an elementwise step or an epilogue reads, with its strides (elements) along the loop axes.
struct strided_tensor {
    tensor_id tensor = tensor_id::none;
    std::vector<std::int64_t> strides;
};

/// A post operation of an epilogue (kernel::post_operation) before its pointers are known.
struct planned_post {
    kernel::post_kind kind = kernel::post_kind::clamp;
    kernel::unary_function function = kernel::unary_function::abs;
    number_row a;
    number_row b;
    strided_tensor residual;
};

/// An epilogue (kernel::epilogue) before its pointers are known.
struct planned_finish {
    number_row scale{{1.0f}, {}};
    number_row bias{{-0.0f}, {}};  // adds nothing, and keeps the sign of zeros
    std::vector<planned_post> posts;
    element type = f32;
    float low = 0;
    float high = 0;
};

/// Packed weights.
using packed_bytes = zeroed_memory;

/// Convolution, grouped, depthwise or transposed, of 8-bit or f32 data; channels innermost. Loop axes: pixels, channels.
struct convolution_step {
    kernel::convolution_shape shape;
    kernel::convolution_method method = kernel::convolution_method::direct;
    tensor_id input = tensor_id::none;
    std::int32_t zero_point = 0;
    std::shared_ptr<const packed_bytes> weights;  // null: they are computed
    tensor_id computed_weights = tensor_id::none;
    tensor_id packed = tensor_id::none;  // where a run packs them
    kernel::convolution_weights packing;  // without pointers
    tensor_id scratch = tensor_id::none;  // a tensor of bytes, or none
    tensor_id output = tensor_id::none;
    planned_finish finish;
};

/// Matrix products, one for each batch. Loop axes: rows, columns.
struct product_step {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    tensor_id a = tensor_id::none;
    tensor_id b = tensor_id::none;  // none: the weights are packed
    std::int32_t a_zero_point = 0;
    std::int32_t b_zero_point = 0;
    std::int64_t a_row_stride = 0;
    std::int64_t b_k_stride = 0;
    std::int64_t b_n_stride = 0;
    std::shared_ptr<const packed_bytes> weights;  // packed matrices one after the other, `packed_matrix_bytes` apart
    std::size_t packed_matrix_bytes = 0;
    tensor_id scratch = tensor_id::none;  // where `b` is packed
    std::vector<std::int64_t> a_offsets;  // of each batch, in elements
    std::vector<std::int64_t> b_offsets;  // of each batch, in elements of `b`, or the number of the packed matrix
    tensor_id output = tensor_id::none;
    planned_finish finish;
};

/// Max or average pooling; channels innermost. Loop axes: pixels, channels.
struct pool_step {
    kernel::pool_problem problem;  // without pointers
    tensor_id input = tensor_id::none;
    tensor_id output = tensor_id::none;
    planned_finish finish;
};

/// A function of one or two tensors, element by element.
/// The loop axes are the output's, merged where all operands allow; the last but one is the kernel's rows (pixels), the last its
/// channels, all before are looped over.
struct elementwise_step {
    bool has_two = false;
    kernel::binary_function function = kernel::binary_function::add;
    std::vector<std::int64_t> sizes;
    strided_tensor operands[2];
    number_row scales[2];  // of two operands; one operand has the epilogue's
    number_row shifts[2];
    strided_tensor output;
    planned_finish finish;
};

/// A function of one byte for each byte, of `rows` rows of `count`.
struct lookup_step {
    tensor_id input = tensor_id::none;
    tensor_id output = tensor_id::none;
    std::int64_t rows = 1;
    std::int64_t count = 0;
    std::vector<std::uint8_t> table;
};

/// A kernel whose problem says its fields itself (kernel/rows/).
/// `operands`: the tensor of each operand, in the order of the fields; none for what is left out.
template <class Problem>
struct kernel_step {
    Problem problem;  // without pointers
    std::vector<tensor_id> operands;
};

/// An operation that the scalar reference evaluates.
struct reference_step {
    node_id node = node_id::none;
    std::vector<tensor_id> inputs;
    std::vector<tensor_id> outputs;
};

/// A node with bodies.
struct control_flow_step {
    node_id node = node_id::none;
    std::vector<tensor_id> inputs;
    std::vector<tensor_id> outputs;
};

/// A node whose output shapes are known when it has been evaluated: its outputs are no tensors of this network, but inputs of the
/// one that is planned for them.
struct deferred_step {
    node_id node = node_id::none;
    std::vector<tensor_id> inputs;
};

namespace detail {

template <class Problems>
struct step_work_of;
template <class... Problems>
struct step_work_of<kernel::problem_list<Problems...>> {
    using type = std::variant<convolution_step, product_step, pool_step, elementwise_step, lookup_step, gather_step,
                              choice_step, margin_step, concat_step, transpose_step, reference_step, control_flow_step,
                              deferred_step, copy_step, kernel_step<Problems>...>;
};

}  // namespace detail

using step_work = detail::step_work_of<kernel::problems>::type;

/// One step and what it does for whom.
struct step {
    step_work work;
    std::vector<node_id>
        nodes;  // of the graph, the one that gives the step its name first; none for changes of layout, and for all but the last of several steps; a node may be one of several tables
    std::string kernel;  // what computes it, for reports
    element precision = f32;  // the element type that the first node's kernel computes in, or moves
    std::vector<tensor_id> reads;  // tensors
    std::vector<tensor_id> writes;
    bool may_overwrite = false;  // the first tensor read and the first written may be the same memory
    bool is_short = false;  // one thread finishes it before another could help
};

/// Whether the scalar reference computes a step, for want of a kernel.
inline bool is_on_reference(const step& each) { return each.kernel.starts_with("reference"); }

/// The element type in which a step computes one of its nodes, by their order.
///
/// The first one's kernel: 8-bit integers of convolutions, matrix products and pooling, whatever type the sums have; of elementwise functions
/// f32, also of 8-bit operands. What follows in the step is its epilogue, in f32. A lookup table is all of its nodes on 8 bits. What only moves
/// elements has their type.
inline element computing_type(const step& of, std::size_t which) {
    return which == 0 || std::holds_alternative<lookup_step>(of.work) ? of.precision : f32;
}

/// Something that lives from run to run. A step that writes it may give it another shape, which the next run reads.
struct state {
    text name;
    element type = dynamic;
    storage_id storage = storage_id::none;
    std::size_t bytes = 0;  // that are read
};

/// An input or output of the network.
struct port {
    text name;
    seq<text> names;  // of the tensor
    element type = dynamic;
    lpt::shape dimensions;
    tensor_id tensor = tensor_id::none;
};

/// A network, ready to run.
struct network {
    graph model;  // what reference steps evaluate, constants folded
    std::vector<stored_tensor> tensors;
    std::vector<storage> storages;
    std::vector<step> steps;
    std::vector<port> inputs;
    std::vector<port> outputs;
    std::vector<state> states;
    std::size_t arena_bytes = 0;

    stored_tensor& operator[](tensor_id id) { return tensors[index_of(id)]; }
    const stored_tensor& operator[](tensor_id id) const { return tensors[index_of(id)]; }
    storage& operator[](storage_id id) { return storages[index_of(id)]; }
    const storage& operator[](storage_id id) const { return storages[index_of(id)]; }
    step& operator[](step_id id) { return steps[index_of(id)]; }
    const step& operator[](step_id id) const { return steps[index_of(id)]; }
    state& operator[](state_id id) { return states[index_of(id)]; }
    const state& operator[](state_id id) const { return states[index_of(id)]; }

    /// The memory that a tensor sees.
    storage& storage_of(tensor_id id) { return storages[index_of(tensors[index_of(id)].storage)]; }
    const storage& storage_of(tensor_id id) const { return storages[index_of(tensors[index_of(id)].storage)]; }
};

/// The type of a tensor's elements as kernels call it.
inline kernel::element_kind kind_of(element type) {
    switch (type) {
        case u8: return kernel::element_kind::u8;
        case i8: return kernel::element_kind::i8;
        case i32: return kernel::element_kind::i32;
        default: return kernel::element_kind::f32;
    }
}

/// The same where kernels take numbers of any type; false for numbers that share bytes, and floats of 8 bits.
constexpr bool number_type_of(element type, kernel::number_type& result) {
    using kernel::number_type;
    switch (type) {
        case boolean: result = number_type::boolean; return true;
        case u8: result = number_type::u8; return true;
        case i8: result = number_type::i8; return true;
        case u16: result = number_type::u16; return true;
        case i16: result = number_type::i16; return true;
        case u32: result = number_type::u32; return true;
        case i32: result = number_type::i32; return true;
        case u64: result = number_type::u64; return true;
        case i64: result = number_type::i64; return true;
        case bf16: result = number_type::bf16; return true;
        case f16: result = number_type::f16; return true;
        case f32: result = number_type::f32; return true;
        case f64: result = number_type::f64; return true;
        default: return false;
    }
}

/// `_I8`, `_U8` or `_FP32`, as names of kernels in reports end.
inline const char* suffix_of(element type) { return type == u8 ? "_U8" : type == i8 ? "_I8" : "_FP32"; }

/// The strides of a tensor's axes, in elements.
inline std::vector<std::int64_t> strides_of(const lpt::shape& dimensions, layout order) {
    const std::size_t rank = dimensions.rank();
    std::vector<std::int64_t> result(rank, 1);
    std::int64_t stride = 1;
    const auto place_axis = [&](std::size_t axis) {
        result[axis] = stride;
        stride *= dimensions[axis];
    };
    if (order == layout::channels_last && rank > 2) {
        place_axis(1);
        for (std::size_t axis = rank; axis-- > 2;) {
            place_axis(axis);
        }
        place_axis(0);
    } else {
        for (std::size_t axis = rank; axis-- > 0;) {
            place_axis(axis);
        }
    }
    return result;
}

inline layout other_layout(layout order) { return order == layout::plain ? layout::channels_last : layout::plain; }

/// The axes of a tensor from the outermost in memory to the innermost.
inline std::vector<std::size_t> memory_order(std::size_t rank, layout order) {
    std::vector<std::size_t> result;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        if (axis != 1 || order == layout::plain || rank < 3) {
            result.push_back(axis);
        }
    }
    if (order == layout::channels_last && rank > 2) {
        result.push_back(1);
    }
    return result;
}

/// True if both layouts put the elements of such a tensor into the same order.
inline bool layouts_agree(const lpt::shape& dimensions) {
    std::int64_t pixels = 1;
    for (std::size_t axis = 2; axis < dimensions.rank(); ++axis) {
        pixels *= dimensions[axis];
    }
    return dimensions.rank() < 3 || pixels == 1 || dimensions[1] == 1;
}

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/plan/finish.hpp
#ifndef LPT_HOLDS_PLAN_FINISH_HPP
#define LPT_HOLDS_PLAN_FINISH_HPP
// Epilogues of steps, made of the functions of a chain.

namespace lpt::inline LPT_ABI::plan {

/// Numbers along the loop axes of a step whose last axis is that of the channels.
inline number_row channel_numbers(const spread& numbers) {
    number_row result;
    result.values.assign(numbers.values.begin(), numbers.values.end());
    if (!numbers.is_one()) {
        result.strides = {0, 1};
    }
    return result;
}

/// Turns the functions of a chain into an epilogue. `numbers(spread)` and `residual(output)` give operands along the loop axes.
template <class Numbers, class Residual>
planned_finish finish_of(const chain& functions, const Numbers& numbers, const Residual& residual) {
    planned_finish result;
    std::size_t first = 0;
    if (!functions.functions.empty() && functions.functions[0].what == chain_function::form::affine) {
        result.scale = numbers(functions.functions[0].scale);
        result.bias = numbers(functions.functions[0].shift);
        first = 1;
    }
    for (std::size_t i = first; i < functions.functions.size(); ++i) {
        const chain_function& each = functions.functions[i];
        planned_post post;
        post.a = number_row::of(each.low);
        post.b = number_row::of(each.high);
        switch (each.what) {
            case chain_function::form::affine:
                post.kind = kernel::post_kind::scale_shift;
                post.a = numbers(each.scale);
                post.b = numbers(each.shift);
                break;
            case chain_function::form::divide:
                post.kind = kernel::post_kind::divide;
                post.a = numbers(each.scale);
                break;
            case chain_function::form::clamp: post.kind = kernel::post_kind::clamp; break;
            case chain_function::form::prelu:
                post.kind = kernel::post_kind::prelu;
                post.a = numbers(each.scale);
                break;
            case chain_function::form::unary:
                post.kind = kernel::post_kind::unary;
                post.function = each.function;
                break;
            case chain_function::form::add:
                post.kind = kernel::post_kind::add_residual;
                post.residual = residual(each.other);
                break;
            case chain_function::form::multiply:
                post.kind = kernel::post_kind::multiply_residual;
                post.residual = residual(each.other);
                break;
        }
        result.posts.push_back(std::move(post));
    }
    result.type = functions.type;
    result.low = static_cast<float>(functions.low);
    result.high = static_cast<float>(functions.high);
    return result;
}

inline void read_residuals(step& made, const planned_finish& finish) {
    for (const planned_post& post : finish.posts) {
        if (post.residual.tensor != tensor_id::none) {
            made.reads.push_back(post.residual.tensor);
        }
    }
}

/// The chain with scale * v + shift before its first function.
inline chain after_affine(const chain& functions, const spread& scale, const spread& shift) {
    chain result = functions;
    result.functions.clear();
    result.affine(scale, shift);
    for (std::size_t i = 0; i < functions.functions.size(); ++i) {
        const chain_function& each = functions.functions[i];
        if (i == 0 && each.what == chain_function::form::affine) {
            result.affine(each.scale, each.shift);
        } else {
            result.functions.push_back(each);
        }
    }
    return result;
}

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/plan/quantization.hpp
#ifndef LPT_HOLDS_PLAN_QUANTIZATION_HPP
#define LPT_HOLDS_PLAN_QUANTIZATION_HPP
// A FakeQuantize as functions of a chain.

namespace lpt::inline LPT_ABI::plan::detail {

inline bool finite(const spread& numbers) {
    return numbers.all([](double v) { return math::is_finite(static_cast<float>(v)); });
}

/// A factor of at most 9 digits that lies as near as the rounding of bounds to floats makes it, or the factor itself.
///
/// Only such factors can put integers in the middle between two others; products with longer ones do so only where they are too large for what
/// is stored.
struct short_factor {
    double value;
    bool is_short;

    explicit short_factor(double factor) {
        constexpr int most_digits = 9;
        int exponent = 0;
        const double digits = std::frexp(factor, &exponent);
        const double rounded = std::ldexp(std::round(std::ldexp(digits, most_digits)), -most_digits);
        is_short = math::absolute(rounded - digits) <= 0x1p-22;
        value = is_short ? std::ldexp(rounded, exponent) : factor;
    }
};
/// A whole number that lies as near as the rounding of bounds makes it, or the number itself.
inline double settled_shift(double shift) {
    const double whole = std::round(shift);
    return math::absolute(shift - whole) <= 0x1p-14 ? whole : shift;
}

/// The map from numbers to levels or the stored integers that these are, joined with what is scaled before, so that halves are found where the
/// definition has them. With `odd_halves` one is added, which is to be taken off behind the rounding; gives whether that was done.
inline bool append_level_map(chain& to, const spread& scale, const spread& shift, bool odd_halves) {
    to.affine(scale, shift);
    const bool is_joined = !to.functions.empty() && to.functions.back().what == chain_function::form::affine &&
                           !to.functions.back().is_zero_point;
    if (!is_joined && !odd_halves) {
        return false;
    }
    if (!is_joined) {
        to.functions.emplace_back();  // numbers are levels already, but perhaps not whole ones
    }
    chain_function& map = to.functions.back();
    const std::size_t count = to.functions.size();
    const bool is_whole = count > 1 && map.scale.is(1) && to.functions[count - 2].rounds_to_even();
    const bool gives_halves = !map.scale.all([](double v) { return !short_factor(v).is_short; });
    map.scale = map.scale.map([](double v) { return short_factor(v).value; });
    map.shift = map.shift.map([](double v) { return settled_shift(v); });
    if (!odd_halves || !gives_halves || is_whole) {
        return false;
    }
    map.shift = map.shift.map([](double v) { return v + 1; });
    return true;
}

/// What the ranges of a FakeQuantize say: the number of x's level is scale * x + shift, and that of level q is step * q + low.
struct level_maps {
    double steps;
    spread scale;
    spread shift;
    spread step;
    spread low;
    spread high;

    /// True if levels are whole numbers in the order of integers, up or down.
    bool are_integers() const {
        return low.is_one() && step.is_one() && (step.one() == 1 || step.one() == -1) &&
               math::truncate(low.one()) == low.one();
    }
};

/// False for ranges that no chain computes with.
inline bool read_level_maps(const chain& to, const graph& model, const node& each, level_maps& result) {
    spread range[4];
    for (std::size_t i = 0; i < 4; ++i) {
        const tensor* value = model.constant_value(each.input(i + 1));
        if (value == nullptr || !spread_of(*value, each.shape(), range[i]) || !to.allows(range[i]) ||
            !finite(range[i])) {
            return false;
        }
    }
    const double steps = static_cast<double>(each.as<op::fake_quantize>().levels - 1);
    const auto difference = [](double low, double high) { return high - low; };
    spread in_width;
    spread out_width;
    if (!combine(range[0], range[1], in_width, difference) || !combine(range[2], range[3], out_width, difference) ||
        !in_width.all([](double v) { return v > 1e-30; }) ||
        !out_width.all([](double v) { return v == 0 || math::absolute(v) > 1e-30; })) {  // a step of few digits
        return false;
    }
    result.steps = steps;
    result.scale = in_width.map([&](double width) { return steps / width; });
    result.step = out_width.map([&](double width) { return width / steps; });
    result.low = range[2];
    result.high = range[3];
    return combine(range[0], result.scale, result.shift, [](double low, double by) { return -low * by; }) &&
           finite(result.scale) && finite(result.shift);
}

/// Levels as integers of the stored type.
inline void store_levels(chain& to, const level_maps& maps, element type, bool odd_halves) {
    const double sign = maps.step.one();
    const double low = maps.low.one();
    const spread scale = maps.scale.map([&](double v) { return v * sign; });
    const auto of_integers = [&](double v) { return v * sign + low; };
    const spread shift = maps.shift.map([&](double v) { return of_integers(v) == 0 ? no_shift : of_integers(v); });
    const bool are_even = math::truncate(low / 2) * 2 == low;  // integers where levels are
    if (append_level_map(to, scale, shift, odd_halves == are_even)) {
        to.unary(kernel::unary_function::round_even);
        to.affine(spread::of(1), spread::of(-1));
    }
    const double high = maps.high.one();
    to.store(type, math::maximum(math::minimum(low, high), facts(type).lowest),
             math::minimum(math::maximum(low, high), facts(type).highest));
}

/// Whether a level stands for 0, as near as bounds say it.
inline bool stands_for_zero(const level_maps& maps, double level) {
    spread rest;
    const auto distance = [&](double low, double step) { return math::absolute((low + level * step) / step); };
    return level >= 0 && combine(maps.low, maps.step, rest, distance) &&
           rest.all([](double v) { return v <= 0x1p-12; });
}

/// q = round(clamp((x - il) / (ih - il) * (levels - 1))), y = q * (oh - ol) / (levels - 1) + ol
///
/// Halves that go to the odd level are rounded one level higher, which is then taken off. A zero level gives 0 exactly: what functions make of it often
/// lies next to the middle between two integers.
inline bool extend_by_fake_quantize(chain& to, const graph& model, const node& each) {
    const op::fake_quantize& what = each.as<op::fake_quantize>();
    const bool odd_halves = what.zero_level % 2 == 1;
    level_maps maps;
    if (!read_level_maps(to, model, each, maps)) {
        return false;
    }
    if (is_byte(each.type()) && maps.are_integers()) {
        store_levels(to, maps, each.type(), odd_halves);
        return true;
    }
    const double raised = append_level_map(to, maps.scale, maps.shift, odd_halves) ? 1 : 0;
    to.clamp(raised, maps.steps + raised);
    to.unary(kernel::unary_function::round_even);
    const double zero_level = static_cast<double>(what.zero_level);
    if (stands_for_zero(maps, zero_level)) {
        if (zero_level + raised != 0) {
            to.take_off(spread::of(-zero_level - raised));
        }
        to.affine(maps.step, spread::of(no_shift));
    } else {
        to.affine(spread::of(1), spread::of(raised != 0 ? -raised : no_shift));
        to.affine(maps.step, maps.low);
    }
    if (is_byte(each.type())) {
        to.store(each.type(), facts(each.type()).lowest, facts(each.type()).highest);
    }
    return true;
}

}  // namespace lpt::inline LPT_ABI::plan::detail
#endif

// ======== lpt/plan/extend.hpp
#ifndef LPT_HOLDS_PLAN_EXTEND_HPP
#define LPT_HOLDS_PLAN_EXTEND_HPP
// Which operations of the graph become functions of a chain.

namespace lpt::inline LPT_ABI::plan {

namespace detail {

/// A number that an input of the node gives.
inline bool one_number(const graph& model, const node& each, std::size_t port, double& result) {
    const tensor* value = model.constant_value(each.input(port));
    if (value == nullptr || value->elements() != 1) {
        return false;
    }
    result = value->real(0);
    return true;
}

/// Relu, Clamp … of one input without arrays of numbers.
inline bool extend_by_unary(chain& to, const graph& model, const node& each) {
    using kernel::unary_function;
    double alpha = 0;
    double beta = 0;
    switch (each.kind()) {
        case op::kind::relu: to.clamp(0, math::infinity); return true;
        case op::kind::clamp: to.clamp(each.as<op::clamp>().min, each.as<op::clamp>().max); return true;
        case op::kind::sigmoid: to.unary(unary_function::sigmoid); return true;
        case op::kind::tanh: to.unary(unary_function::tanh); return true;
        case op::kind::elu: to.unary(unary_function::elu, each.as<op::elu>().alpha); return true;
        case op::kind::gelu:
            to.unary(each.as<op::gelu>().approximation_mode == op::gelu_approximation::erf ? unary_function::gelu_erf
                                                                                           : unary_function::gelu_tanh);
            return true;
        case op::kind::hswish: to.unary(unary_function::hswish); return true;
        case op::kind::hsigmoid: to.unary(unary_function::hsigmoid); return true;
        case op::kind::hard_sigmoid:
            if (!one_number(model, each, 1, alpha) || !one_number(model, each, 2, beta)) {
                return false;
            }
            to.unary(unary_function::hard_sigmoid, alpha, beta);
            return true;
        case op::kind::swish:
            alpha = 1;
            if (each.inputs() > 1 && !one_number(model, each, 1, alpha)) {
                return false;
            }
            to.unary(unary_function::swish, alpha);
            return true;
        case op::kind::mish: to.unary(unary_function::mish); return true;
        case op::kind::soft_plus: to.unary(unary_function::softplus); return true;
        case op::kind::soft_sign: to.unary(unary_function::softsign); return true;
        case op::kind::selu:
            if (!one_number(model, each, 1, alpha) || !one_number(model, each, 2, beta)) {
                return false;
            }
            to.unary(unary_function::selu, alpha, beta);
            return true;
        case op::kind::exp: to.unary(unary_function::exp); return true;
        case op::kind::log: to.unary(unary_function::log); return true;
        case op::kind::sqrt: to.unary(unary_function::sqrt); return true;
        case op::kind::abs: to.unary(unary_function::abs); return true;
        case op::kind::negative: to.affine(spread::of(-1), spread::of(no_shift)); return true;
        case op::kind::sign: to.unary(unary_function::sign); return true;
        case op::kind::erf: to.unary(unary_function::erf); return true;
        case op::kind::floor: to.unary(unary_function::floor); return true;
        case op::kind::ceiling: to.unary(unary_function::ceiling); return true;
        case op::kind::round:
            to.unary(each.as<op::round>().mode == op::round_mode::half_to_even ? unary_function::round_even
                                                                               : unary_function::round_away);
            return true;
        default: return false;
    }
}

inline bool extend_by_prelu(chain& to, const graph& model, const node& each) {
    const tensor* slope = model.constant_value(each.input(1));
    if (slope == nullptr) {
        return false;
    }
    chain_function made;
    made.what = chain_function::form::prelu;
    const bool of_channels = slope->dimensions().rank() == 1 && each.shape().rank() > 1 && slope->elements() > 1 &&
                             slope->dimensions()[0] == each.shape()[1];
    shape wanted = slope->dimensions();
    if (of_channels) {
        wanted = shape::of_ones(each.shape().rank() - 1);
        wanted[0] = slope->dimensions()[0];
    }
    if (!spread_of(tensor(*slope, wanted), each.shape(), made.scale) || !to.allows(made.scale) || !finite(made.scale)) {
        return false;
    }
    to.functions.push_back(std::move(made));
    return true;
}

/// Power with a known exponent that has a function of its own.
inline bool extend_by_power(chain& to, const graph& model, const node& each, int port) {
    double exponent = 0;
    if (port != 0 || !one_number(model, each, 1, exponent)) {
        return false;
    }
    if (exponent == 1) {
        return true;
    }
    if (exponent == 2) {
        to.unary(kernel::unary_function::square);
    } else if (exponent == 3) {
        to.unary(kernel::unary_function::cube);
    } else if (exponent == 0.5) {
        to.unary(kernel::unary_function::sqrt);
    } else if (exponent == -1) {
        to.unary(kernel::unary_function::reciprocal);
    } else {
        return false;
    }
    return true;
}

/// True if what a node gives is only read to be rounded to whole numbers: a last digit decides about a whole step there.
inline bool is_rounded_next(const graph& model, node_id id) {
    return model.use_count(id) == 1 && model[model.first_use(id).node].is<op::round>();
}

/// True if a division by constants is one in the plan, too, not a product with their reciprocals, which may give another last digit: where
/// that decides about a step, as behind a single number, which is the scale or the mean of others.
inline bool is_divided_exactly(const graph& model, node_id id) {
    const shape& dimensions = model[id].shape();
    return is_rounded_next(model, id) || (dimensions.is_static() && dimensions.elements() == 1);
}

/// True if a node reads what a Convert makes of integers: what it subtracts is their zero point.
inline bool reads_converted_integers(const graph& model, node_id id) {
    const node& above = model[model[id].input(0).node];
    return above.is<op::convert>() && is_integral(model.type(above.input(0)));
}

/// True if multiplying by 1 / v divides by v to the last bit.
inline bool has_exact_reciprocal(double v) {
    const auto inverse = static_cast<float>(1 / v);
    return static_cast<double>(inverse) * v == 1 && math::absolute(v) < 1e30 && math::absolute(v) > 1e-30;
}

/// Arithmetic with numbers that are known; `port` is the one where the chain comes in.
inline bool extend_by_constant(chain& to, const graph& model, node_id id, const spread& numbers, int port) {
    const node& each = model[id];
    if (!to.allows(numbers) || !finite(numbers)) {
        return false;
    }
    const auto negated = [&] { return numbers.map([](double v) { return -v; }); };
    switch (each.kind()) {
        case op::kind::add: to.affine(spread::of(1), numbers); return true;
        case op::kind::multiply: to.affine(numbers, spread::of(no_shift)); return true;
        case op::kind::subtract:
            if (port == 0 && to.functions.empty() && reads_converted_integers(model, id)) {
                to.take_off(negated());
            } else if (port == 0) {
                to.affine(spread::of(1), negated());
            } else {
                to.affine(spread::of(-1), numbers);
            }
            return true;
        case op::kind::divide:
            if (port == 1) {
                to.unary(kernel::unary_function::reciprocal);
                to.affine(numbers, spread::of(no_shift));
                return true;
            }
            if (!numbers.all([](double v) { return v != 0; })) {
                return false;
            }
            // An exact reciprocal joins the scaling before it; at the start a division is the form that conversions know.
            if (is_divided_exactly(model, id) && (to.functions.empty() || !numbers.all(has_exact_reciprocal))) {
                to.divide(numbers);
                return true;
            }
            to.affine(numbers.map([](double v) { return 1 / v; }), spread::of(no_shift));
            return true;
        case op::kind::maximum:
        case op::kind::minimum: {
            if (!numbers.is_one()) {
                return false;
            }
            const bool lower = each.is<op::maximum>();
            to.clamp(lower ? numbers.one() : -math::infinity, lower ? math::infinity : numbers.one());
            return true;
        }
        default: return false;
    }
}

/// Arithmetic with another tensor.
inline bool extend_by_tensor(chain& to, quantized_sources& sources, const node& each, int port) {
    const graph& model = sources.model();
    const output_ref other = each.input(static_cast<std::size_t>(1 - port));
    quantized_source from = sources.of(other);
    if (!from.scale.is_one() || !from.shift.is_one()) {
        from = plain_source(model, other);
    }
    const shape& dimensions = model.shape(from.base);
    bool fits = dimensions == to.dimensions;
    if (!fits && to.channels_last && to.dimensions[0] == 1 && dimensions.rank() == to.dimensions.rank()) {
        fits = dimensions[1] == to.dimensions[1];
        for (std::size_t axis = 2; axis < dimensions.rank(); ++axis) {
            fits = fits && dimensions[axis] == 1;
        }
    }
    if (!fits || (model.type(from.base) != f32 && !is_byte(model.type(from.base)))) {
        return false;
    }
    chain_function made;
    made.other = from.base;
    made.low = from.scale.one();
    made.high = from.shift.one();
    switch (each.kind()) {
        case op::kind::add: break;
        case op::kind::subtract:
            if (port == 1) {
                to.affine(spread::of(-1), spread::of(no_shift));
            } else {
                made.low = -made.low;
                made.high = scaled_shift(made.high, -1);
            }
            break;
        case op::kind::multiply: made.what = chain_function::form::multiply; break;
        default: return false;
    }
    if (!each.is<op::multiply>()) {
        made.what = chain_function::form::add;
        to.join_rounded();
        to.affine(spread::of(1), spread::of(made.high));
        made.high = 0;
    }
    to.functions.push_back(std::move(made));
    return true;
}

}  // namespace detail

/// Adds the operation that reads the chain's last value on input `port`; false, and no change, if a chain cannot compute it.
inline bool extend(chain& to, quantized_sources& sources, node_id id, int port) {
    const graph& model = sources.model();
    const node& each = model[id];
    if (each.outputs() != 1 || !(each.shape() == to.dimensions) || to.type != f32 ||
        (each.type() != f32 && !is_byte(each.type()))) {
        return false;
    }
    const bool first = to.nodes.empty();
    // Relu and the like on integers: they stay what they are.
    const bool keeps_integers = first && is_byte(each.type()) &&
                                model.type(each.input(static_cast<std::size_t>(port))) == each.type() &&
                                (each.is<op::relu>() || each.is<op::clamp>());
    if (is_byte(each.type()) && !keeps_integers && !each.is<op::fake_quantize>()) {
        return false;
    }
    bool extended = false;
    spread numbers;
    switch (each.kind()) {
        case op::kind::fake_quantize: extended = port == 0 && detail::extend_by_fake_quantize(to, model, each); break;
        case op::kind::prelu: extended = port == 0 && detail::extend_by_prelu(to, model, each); break;
        case op::kind::power: extended = detail::extend_by_power(to, model, each, port); break;
        case op::kind::convert: extended = each.type() == f32 && model.type(each.input(0)) == f32; break;
        case op::kind::add:
        case op::kind::subtract:
        case op::kind::multiply:
        case op::kind::divide:
        case op::kind::maximum:
        case op::kind::minimum: {
            const tensor* other = model.constant_value(each.input(static_cast<std::size_t>(1 - port)));
            extended = other != nullptr ? spread_of(*other, each.shape(), numbers) &&
                                              detail::extend_by_constant(to, model, id, numbers, port)
                                        : !first && detail::extend_by_tensor(to, sources, each, port);
            break;
        }
        default: extended = port == 0 && detail::extend_by_unary(to, model, each); break;
    }
    if (!extended) {
        return false;
    }
    if (keeps_integers) {
        to.store(each.type(), facts(each.type()).lowest, facts(each.type()).highest);
    }
    to.nodes.push_back(id);
    to.tail = id;
    return true;
}

/// Follows the only reader of the chain's last value as long as it can join. `taken(node)`: it belongs to another step.
template <class Taken>
void follow(chain& to, quantized_sources& sources, const Taken& taken) {
    const graph& model = sources.model();
    while (to.type == f32 && model.use_count(to.tail) == 1) {
        const input_ref user = model.first_use(to.tail);
        if (taken(user.node) || !extend(to, sources, user.node, user.port)) {
            return;
        }
    }
}

/// Takes the quantization to other integers that alone reads those of the chain, as before a Concat, into it.
template <class Taken>
void requantize(chain& to, quantized_sources& sources, const Taken& taken) {
    const graph& model = sources.model();
    if (!is_byte(to.type) || model.use_count(to.tail) != 1) {
        return;
    }
    const input_ref user = model.first_use(to.tail);
    if (taken(user.node) || !model[user.node].is<op::fake_quantize>() || !is_byte(model[user.node].type())) {
        return;
    }
    chain longer = to;
    longer.compute_with_stored();
    if (extend(longer, sources, user.node, user.port)) {
        to = std::move(longer);
    }
}

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/plan/groups.hpp
#ifndef LPT_HOLDS_PLAN_GROUPS_HPP
#define LPT_HOLDS_PLAN_GROUPS_HPP
// Which operations of a graph one step computes together.

namespace lpt::inline LPT_ABI::plan {

/// The kind of kernel that a group begins with.
enum class group_form : unsigned char { convolution, product, pool, one_operand, two_operands };

/// Operations that one step computes: the first, and those that only read each other.
struct group {
    group_form form = group_form::one_operand;
    node_id anchor = node_id::none;
    quantized_source operands[2];
    chain functions;
};

/// What an attention reads for one of its matrices: a tensor, the order that it sees its axes in, and scale and zero point of bytes.
struct attention_input {
    output_ref from;
    double scale = 1;
    std::int32_t zero_point = 0;
    std::vector<std::size_t> order;  // of its axes; one that heads are repeated along is left out
    std::int64_t times = 1;  // heads of queries that read the same head
    std::vector<node_id> joined;  // what gives that order, or repeats heads
};

namespace detail {

inline bool is_convolution(op::kind kind) {
    return kind == op::kind::convolution || kind == op::kind::group_convolution ||
           kind == op::kind::convolution_backprop_data || kind == op::kind::group_convolution_backprop_data;
}
inline bool is_transposed_convolution(op::kind kind) {
    return kind == op::kind::convolution_backprop_data || kind == op::kind::group_convolution_backprop_data;
}
inline bool is_grouped_convolution(op::kind kind) {
    return kind == op::kind::group_convolution || kind == op::kind::group_convolution_backprop_data;
}

inline bool has_kernel_type(const graph& model, output_ref output) {
    return model.type(output) == f32 || is_byte(model.type(output));
}

/// A tensor with elements, all sizes known.
inline bool has_elements(const shape& dimensions) { return dimensions.is_static() && dimensions.elements() != 0; }

/// An operation that takes one tensor with elements, of f32 or of bytes that it computes with as f32, and gives one of f32.
inline bool maps_f32(const graph& model, const node& each) {
    if (each.inputs() == 0 || each.outputs() != 1 || each.type() != f32 || !has_elements(each.shape()) ||
        !has_elements(model.shape(each.input(0)))) {
        return false;
    }
    const relaxation* own = each.own_types();
    const element given = model.type(each.input(0));
    const bool is_typed = own != nullptr && !own->input_types.empty() && own->input_types[0] != dynamic;
    return is_typed ? own->input_types[0] == f32 && has_kernel_type(model, each.input(0)) : given == f32;
}

inline chain chain_at(const graph& model, node_id anchor, int axis) {
    chain result;
    result.dimensions = model[anchor].shape();
    result.axis = axis;
    result.nodes.push_back(anchor);
    result.tail = anchor;
    return result;
}

/// A convolution that the kernels take: one to three spatial axes.
inline bool begin_convolution(quantized_sources& sources, node_id id, group& result) {
    const graph& model = sources.model();
    const node& each = model[id];
    if (!is_convolution(each.kind()) || each.type() != f32 || !has_elements(each.shape()) ||
        !has_elements(model.shape(each.input(0))) || !has_elements(model.shape(each.input(1))) ||
        each.shape().rank() < 3 || each.shape().rank() > 5) {
        return false;
    }
    const bool is_known = model.constant_value(each.input(1)) != nullptr;
    if (!is_known && !(has_kernel_type(model, each.input(0)) && has_kernel_type(model, each.input(1)))) {
        return false;
    }
    result.operands[0] = sources.of(each.input(0));
    result.form = group_form::convolution;
    result.functions = chain_at(model, id, 1);
    result.functions.channels_last = true;
    return has_kernel_type(model, result.operands[0].base);
}

inline bool begin_product(quantized_sources& sources, node_id id, group& result) {
    const graph& model = sources.model();
    const node& each = model[id];
    if (!each.is<op::mat_mul>() || each.type() != f32 || !has_elements(each.shape())) {
        return false;
    }
    for (std::size_t port = 0; port < 2; ++port) {
        result.operands[port] = sources.of(each.input(port));
        if (!has_kernel_type(model, result.operands[port].base) || !has_elements(model.shape(each.input(port)))) {
            return false;
        }
    }
    const bool columns = model.shape(each.input(1)).rank() > 1;
    result.form = group_form::product;
    result.functions = chain_at(model, id, columns ? static_cast<int>(each.shape().rank()) - 1 : chain::no_axis);
    return true;
}

/// True for a reduction of all axes but the first two.
inline bool reduces_pixels(const graph& model, const node& each) {
    const tensor* axes = model.constant_value(each.input(1));
    const std::size_t rank = model.shape(each.input(0)).rank();
    if (axes == nullptr || rank < 3 || rank > 5) {
        return false;
    }
    std::vector<bool> reduced(rank, false);
    for (std::size_t i = 0; i < axes->elements(); ++i) {
        const std::int64_t axis = normalized_axis(axes->integer(i), rank);
        if (axis < 0) {
            return false;
        }
        reduced[static_cast<std::size_t>(axis)] = true;
    }
    for (std::size_t axis = 0; axis < rank; ++axis) {
        if (reduced[axis] != (axis > 1)) {
            return false;
        }
    }
    return true;
}

/// True for a window whose bytes kernels sum in 32 bits; larger ones are the reference's.
inline bool has_kernel_window(const graph& model, const node& each) {
    constexpr std::int64_t most_taps = std::int64_t{1} << 23;  // * 255 is below 2^31
    checked taps = 1;
    if (each.is<op::max_pool>() || each.is<op::avg_pool>()) {
        const integers& kernel =
            each.is<op::max_pool>() ? each.as<op::max_pool>().kernel : each.as<op::avg_pool>().kernel;
        for (const std::int64_t size : kernel) {
            taps = taps * size;
        }
        return taps.is_within(1, most_taps);
    }
    const shape& data = model.shape(each.input(0));
    for (std::size_t axis = 2; axis < data.rank(); ++axis) {
        taps = taps * data[axis];
    }
    return model.type(each.input(0)) == f32 || taps.is_within(1, most_taps);
}

inline bool begin_pool(const graph& model, node_id id, group& result) {
    const node& each = model[id];
    const bool windows = each.is<op::max_pool>() || each.is<op::avg_pool>();
    const bool reduction = each.is<op::reduce_mean>() || each.is<op::reduce_max>();
    if ((!windows && !reduction) || !has_elements(each.shape()) || !has_elements(model.shape(each.input(0))) ||
        (each.outputs() > 1 && model.use_count(output_ref(id, 1)) != 0) ||
        (reduction && !reduces_pixels(model, each))) {
        return false;
    }
    quantized_source& from = result.operands[0];
    from = plain_source(model, each.input(0));
    const element type = model.type(from.base);
    if (!has_kernel_type(model, from.base) || (each.type() != f32 && each.type() != type) ||
        model.shape(from.base).rank() > 5) {
        return false;
    }
    if (!has_kernel_window(model, each)) {
        return false;
    }
    result.form = group_form::pool;
    result.functions = chain_at(model, id, 1);
    if (is_byte(each.type())) {
        result.functions.store(each.type(), facts(each.type()).lowest, facts(each.type()).highest);
    }
    return true;
}

/// Arithmetic on two tensors that must both be read.
inline bool begin_two_operands(quantized_sources& sources, node_id id, group& result) {
    const graph& model = sources.model();
    const node& each = model[id];
    switch (each.kind()) {
        case op::kind::add:
        case op::kind::subtract:
        case op::kind::multiply:
        case op::kind::divide:
        case op::kind::maximum:
        case op::kind::minimum:
        case op::kind::squared_difference: break;
        default: return false;
    }
    if (each.type() != f32 || !has_elements(each.shape())) {
        return false;
    }
    for (std::size_t port = 0; port < 2; ++port) {
        result.operands[port] = sources.of(each.input(port));
        if (!has_kernel_type(model, result.operands[port].base)) {
            return false;
        }
    }
    result.form = group_form::two_operands;
    result.functions = chain_at(model, id, chain::any_axis);
    return true;
}

/// A function of one tensor, perhaps with known numbers.
inline bool begin_one_operand(quantized_sources& sources, node_id id, group& result) {
    const graph& model = sources.model();
    const node& each = model[id];
    if (each.outputs() != 1 || !has_elements(each.shape())) {
        return false;
    }
    for (int port = 0; port < static_cast<int>(each.inputs()) && port < 2; ++port) {
        const quantized_source& from = sources.of(each.input(static_cast<std::size_t>(port)));
        if (!has_kernel_type(model, from.base) || !(model.shape(from.base) == each.shape()) ||
            model.constant_value(from.base) != nullptr) {
            continue;
        }
        result.form = group_form::one_operand;
        result.operands[0] = plain_source(model, from.base);
        result.functions = chain();
        result.functions.dimensions = each.shape();
        result.functions.dequantize(from);
        if (extend(result.functions, sources, id, port)) {
            return true;
        }
    }
    return false;
}

inline bool begin(quantized_sources& sources, node_id id, group& result) {
    result.anchor = id;
    return begin_convolution(sources, id, result) || begin_product(sources, id, result) ||
           begin_pool(sources.model(), id, result) || begin_one_operand(sources, id, result) ||
           begin_two_operands(sources, id, result);
}

/// Where a function of two tensors gives real numbers, operands with a zero point are dequantized before it: what is 0 is read as 0.
inline void show_zeros(quantized_sources& sources, group& made) {
    if (made.form != group_form::two_operands || made.functions.type != f32) {
        return;
    }
    const node& each = sources.model()[made.anchor];
    for (std::size_t port = 0; port < 2; ++port) {
        if (made.operands[port].has_one_zero_point() && made.operands[port].zero_point() != 0) {
            made.operands[port] = plain_source(sources.model(), each.input(port));
        }
    }
}

inline int turn_of(op::kind kind) {
    return is_convolution(kind) || kind == op::kind::mat_mul          ? 0
           : kind == op::kind::max_pool || kind == op::kind::avg_pool ? 1
                                                                      : 2;
}

}  // namespace detail

/// The groups of a graph, and the group of each node by its number (-1: none).
struct grouping {
    std::vector<group> groups;
    std::vector<int> of_node;
};

/// Finds the groups. Those that begin with a convolution or matrix product choose first, then pooling, then the others, each in
/// topological order. Dequantizations belong to no group: their readers take the low precision tensor where they can.
inline grouping find_groups(quantized_sources& sources, const seq<node_id>& order) {
    const graph& model = sources.model();
    grouping result;
    result.of_node.assign(model.id_bound(), -1);
    for (int turn = 0; turn < 3; ++turn) {
        for (const node_id id : order) {
            const node& each = model[id];
            if (detail::turn_of(each.kind()) != turn || result.of_node[index_of(id)] >= 0 || each.outputs() == 0 ||
                each.is<op::constant>() || each.is<op::result>() || sources.is_dequantization(id)) {
                continue;
            }
            group made;
            if (!detail::begin(sources, id, made)) {
                continue;
            }
            const auto is_taken = [&](node_id user) { return result.of_node[index_of(user)] >= 0; };
            follow(made.functions, sources, is_taken);
            if (made.form == group_form::convolution || made.form == group_form::product) {
                requantize(made.functions, sources, is_taken);
            }
            detail::show_zeros(sources, made);
            for (const node_id member : made.functions.nodes) {
                result.of_node[index_of(member)] = static_cast<int>(result.groups.size());
            }
            result.groups.push_back(std::move(made));
        }
    }
    return result;
}

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/plan/layout_choice.hpp
#ifndef LPT_HOLDS_PLAN_LAYOUT_CHOICE_HPP
#define LPT_HOLDS_PLAN_LAYOUT_CHOICE_HPP
// A choice of layouts that changes few bytes.

namespace lpt::inline LPT_ABI::plan {

/// The layouts that a step can read and give; tensors by number.
struct layout_use {
    bool chooses = false;  // it computes in either layout
    layout order = layout::plain;  // in which it reads its tensors
    bool swaps = false;  // it gives the other layout without moving a byte: a Transpose of channels
    std::vector<int> reads;
    std::vector<int> gives;

    /// The layout of what it gives.
    layout given() const { return swaps ? other_layout(order) : order; }
};

/// Chooses the `order` of all uses that choose, so that few bytes are laid out anew.
///
/// The cost is the number of bytes of all tensors that some step wants in the layout in which they were not made. Steps that choose and share tensors
/// start in layouts that cost nothing between them. Each walk visits them in order, backwards and forwards in turn: it flips the leading ones, as many
/// as save most, which finds the smallest tensor between two steps, then any single one that saves bytes. Walks end when they save nothing, or after
/// `most_walks`. In networks of many branches fewer bytes may be possible; the least cut that would find them takes more than linear time.
///
/// A step could read the one layout and give the other. Its loops stride then, which takes longer than a change of the smaller of both tensors.
class layout_chooser {
public:
    /// `bytes`: by tensor; 0 where both layouts put the elements into the same order.
    layout_chooser(std::vector<layout_use>& uses, const std::vector<std::int64_t>& bytes)
        : uses_(uses), tensors_(bytes.size()), is_seen_(uses.size(), false) {
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            tensors_[i].bytes = bytes[i];
        }
        for (std::size_t i = 0; i < uses.size(); ++i) {
            enter(static_cast<int>(i));
        }
    }

    void choose() {
        for (std::size_t i = 0; i < uses_.size(); ++i) {
            if (!uses_[i].chooses || is_seen_[i]) {
                continue;
            }
            std::vector<int> around = neighbours_of(static_cast<int>(i));
            std::sort(around.begin(), around.end());
            int idle = 0;
            for (int walk = 0; idle < 2 && walk < most_walks; ++walk) {
                std::reverse(around.begin(), around.end());
                const bool some = flip_first(around);
                const bool single = flip_each(around);
                idle = some || single ? 0 : idle + 1;
            }
        }
    }

    std::int64_t cost() const {
        std::int64_t sum = 0;
        for (const tensor_use& each : tensors_) {
            sum += cost_of(each);
        }
        return sum;
    }

    static constexpr int most_walks = 8;

private:
    struct tensor_use {
        std::int64_t bytes = 0;
        layout made = layout::plain;
        int readers[2] = {};  // by the layout that they want
        int maker = -1;
        std::vector<int> choosing;  // its maker and readers, where they choose
        std::int64_t last_visit = -1;
    };

    static std::size_t index_of_layout(layout order) { return order == layout::plain ? 0 : 1; }
    tensor_use& tensor(int number) { return tensors_[static_cast<std::size_t>(number)]; }
    layout_use& use(int number) { return uses_[static_cast<std::size_t>(number)]; }
    static std::int64_t cost_of(const tensor_use& each) {
        return each.readers[index_of_layout(other_layout(each.made))] != 0 ? each.bytes : 0;
    }

    template <class Function>
    void for_each_tensor(const layout_use& each, Function function) {
        for (const std::vector<int>* numbers : {&each.reads, &each.gives}) {
            for (const int number : *numbers) {
                function(tensor(number));
            }
        }
    }

    /// Adds what a use wants, times 1, or takes it away, times -1.
    void count(const layout_use& each, int times) {
        for (const int number : each.reads) {
            tensor(number).readers[index_of_layout(each.order)] += times;
        }
        for (const int number : each.gives) {
            tensor(number).made = each.given();
        }
    }
    void enter(int number) {
        const layout_use& each = use(number);
        count(each, 1);
        for (const int given : each.gives) {
            tensor(given).maker = number;
        }
        if (each.chooses) {
            for_each_tensor(each, [&](tensor_use& tensor) { tensor.choosing.push_back(number); });
        }
    }
    std::int64_t cost_around(const layout_use& of) {
        std::int64_t sum = 0;
        ++visit_;
        for_each_tensor(of, [&](tensor_use& each) {
            sum += each.last_visit != visit_ ? cost_of(each) : 0;
            each.last_visit = visit_;
        });
        return sum;
    }
    /// Flips a use; what that adds to the cost.
    std::int64_t flip(int number) {
        layout_use& each = use(number);
        const std::int64_t before = cost_around(each);
        count(each, -1);
        each.order = other_layout(each.order);
        count(each, 1);
        return cost_around(each) - before;
    }
    /// Flips each of some uses that saves bytes; false if none does.
    bool flip_each(const std::vector<int>& numbers) {
        bool saves = false;
        for (const int number : numbers) {
            if (flip(number) < 0) {
                saves = true;
            } else {
                flip(number);
            }
        }
        return saves;
    }
    /// Flips the first few of some uses, as many as save most; false if that is none.
    bool flip_first(const std::vector<int>& numbers) {
        std::int64_t cost = 0;
        std::int64_t least = 0;
        std::size_t kept = 0;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            cost += flip(numbers[i]);
            if (cost < least) {
                least = cost;
                kept = i + 1;
            }
        }
        for (std::size_t i = numbers.size(); i-- > kept;) {
            flip(numbers[i]);
        }
        return kept != 0;
    }

    /// The uses that choose and are connected to one, in the layouts that cost nothing between them.
    std::vector<int> neighbours_of(int first) {
        std::vector<int> found;
        reach(first, use(first).order, found);
        for (std::size_t next = 0; next < found.size(); ++next) {
            const layout_use& each = use(found[next]);
            for (const int number : each.gives) {
                reach_around(number, each.given(), found);
            }
            for (const int number : each.reads) {
                reach_around(number, each.order, found);
            }
        }
        return found;
    }
    void reach_around(int number, layout order, std::vector<int>& found) {
        std::vector<int> around;
        std::swap(around, tensor(number).choosing);  // nobody asks again
        for (const int each : around) {
            const bool swaps = each == tensor(number).maker && use(each).swaps;
            reach(each, swaps ? other_layout(order) : order, found);
        }
    }
    void reach(int number, layout order, std::vector<int>& found) {
        if (is_seen_[static_cast<std::size_t>(number)]) {
            return;
        }
        is_seen_[static_cast<std::size_t>(number)] = true;
        found.push_back(number);
        if (use(number).order != order) {
            flip(number);
        }
    }

    std::vector<layout_use>& uses_;
    std::vector<tensor_use> tensors_;
    std::vector<bool> is_seen_;  // by use
    std::int64_t visit_ = -1;
};

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/plan/movement_kinds.hpp
#ifndef LPT_HOLDS_PLAN_MOVEMENT_KINDS_HPP
#define LPT_HOLDS_PLAN_MOVEMENT_KINDS_HPP
// Operations that move elements, and the layouts in which they can.

namespace lpt::inline LPT_ABI::plan::detail {

/// Elements of which whole tensors change their layout in one step.
inline bool may_change_layout(element type) { return bit_width(type) == 8 || bit_width(type) == 32; }

/// True for a Transpose whose output has, in the one layout, the bytes that its input has in the other, `from`.
inline bool moves_channels(const graph& model, const node& each, layout from) {
    const tensor* order = each.is<op::transpose>() ? model.constant_value(each.input(1)) : nullptr;
    if (order == nullptr || !each.shape().is_static() || !may_change_layout(each.type())) {
        return false;
    }
    const std::size_t rank = each.shape().rank();
    if (rank < 3 || order->elements() != rank) {
        return false;
    }
    const std::vector<std::size_t> last = memory_order(rank, layout::channels_last);
    for (std::size_t i = 0; i < rank; ++i) {
        const std::size_t at = from == layout::channels_last ? i : last[i];
        const std::size_t axis = from == layout::channels_last ? last[i] : i;
        if (order->integer(at) != static_cast<std::int64_t>(axis)) {
            return false;
        }
    }
    return true;
}

/// An operation that only says which element goes where.
inline bool moves_elements(op::kind kind) {
    switch (kind) {
        case op::kind::split:
        case op::kind::variadic_split:
        case op::kind::strided_slice:
        case op::kind::slice:
        case op::kind::gather:
        case op::kind::transpose:
        case op::kind::depth_to_space:
        case op::kind::space_to_depth:
        case op::kind::batch_to_space:
        case op::kind::space_to_batch:
        case op::kind::shuffle_channels:
        case op::kind::broadcast:
        case op::kind::tile:
        case op::kind::pad:
        case op::kind::reverse_sequence:
        case op::kind::roll:
        case op::kind::gather_elements:
        case op::kind::interpolate: return true;
        default: return false;
    }
}

inline bool has_constant_parameters(const graph& model, const node& each) {
    for (std::size_t port = 1; port < each.inputs(); ++port) {
        if (model.constant_value(each.input(port)) == nullptr) {
            return false;
        }
    }
    return true;
}

inline bool have_one_type(const graph& model, const node& each) {
    for (std::size_t port = 0; port < each.inputs(); ++port) {
        if (model.type(each.input(port)) != each.type()) {
            return false;
        }
    }
    return true;
}

/// Whether nothing but Results read a node: outputs of a network are planes.
inline bool is_only_a_result(const graph& model, node_id id) {
    const auto uses = model.uses(id);
    return !uses.empty() && std::all_of(uses.begin(), uses.end(),
                                        [&](const input_ref& user) { return model[user.node].is<op::result>(); });
}

inline bool is_weighted_interpolate(const node& each) {
    return each.is<op::interpolate>() && each.as<op::interpolate>().mode != op::interpolate_mode::nearest;
}

/// True for an Interpolate that writes planes itself, whichever layout it reads.
inline bool gives_planes(const graph& model, node_id id) {
    return is_weighted_interpolate(model[id]) && is_only_a_result(model, id);
}

/// True for an operation that moves or mixes elements between the same axes, in either layout.
inline bool keeps_axes(const graph& model, const node& each) {
    if (each.inputs() == 0 || each.outputs() == 0 || !may_change_layout(each.type())) {
        return false;
    }
    const shape& data = model.shape(each.input(0));
    for (std::size_t port = 0; port < each.outputs(); ++port) {
        if (data.rank() < 3 || each.shape(port).rank() != data.rank() || !each.shape(port).is_static()) {
            return false;
        }
    }
    switch (each.kind()) {
        case op::kind::concat: return have_one_type(model, each);
        case op::kind::transpose:
        case op::kind::gather:
        case op::kind::gather_elements: return false;
        // Pixels whose channels lie side by side are lines. No step changes the layout of wide indices.
        case op::kind::top_k:
            return model.type(each.input(0)) == f32 && normalized_axis(each.as<op::top_k>().axis, data.rank()) == 1 &&
                   (each.shape()[1] == 1 || each.as<op::top_k>().index_element_type != i64);
        default:
            return moves_elements(each.kind()) && has_constant_parameters(model, each) &&
                   (!is_weighted_interpolate(each) || maps_f32(model, each));
    }
}

}  // namespace lpt::inline LPT_ABI::plan::detail
#endif

// ======== lpt/plan/layout_uses.hpp
#ifndef LPT_HOLDS_PLAN_LAYOUT_USES_HPP
#define LPT_HOLDS_PLAN_LAYOUT_USES_HPP
// Which layouts the operations of a graph can compute in.

namespace lpt::inline LPT_ABI::plan {

/// The layouts of what can choose in a graph.
///
/// Convolutions and pooling take channels innermost. Functions of elements, Concat, movements that keep the axes, Interpolate and TopK over channels
/// take either, and a Transpose of channels turns one into the other. All else takes its axes in order, as inputs, results and states do.
class chosen_layouts {
    quantized_sources& sources_;
    const grouping& grouping_;
    std::vector<int> first_tensor_;  // by node: the number of its first output
    std::vector<std::int64_t> bytes_;
    std::vector<layout_use> uses_;
    std::vector<std::size_t> user_;  // by use: the node

    const graph& model() const { return sources_.model(); }

    void number_outputs(const seq<node_id>& order) {
        first_tensor_.assign(model().id_bound(), -1);
        for (const node_id id : order) {
            const node& each = model()[id];
            first_tensor_[index_of(id)] = static_cast<int>(bytes_.size());
            for (std::size_t port = 0; port < each.outputs(); ++port) {
                const shape& dimensions = each.shape(port);
                const bool is_known = dimensions.is_static() && each.type(port) != dynamic;
                bytes_.push_back(!is_known || layouts_agree(dimensions)
                                     ? 0
                                     : static_cast<std::int64_t>(byte_size(each.type(port), dimensions.elements())));
            }
        }
    }
    /// The number of the tensor that stands for an output, the low precision one of a dequantization, which keeps its layout; -1 for constants,
    /// which are laid out while planning.
    int number_of(output_ref output) {
        const output_ref base = sources_.of(output).base;
        return model()[base.node].is<op::constant>() ? -1 : first_tensor_[index_of(base.node)] + base.port;
    }
    static void add(std::vector<int>& numbers, int number) {
        if (number >= 0) {
            numbers.push_back(number);
        }
    }
    void enter(node_id id, layout_use use) {
        uses_.push_back(std::move(use));
        user_.push_back(index_of(id));
    }

    void enter_group(const group& made) {
        layout_use use;
        layout_use in_order;  // what it broadcasts from fewer axes
        const std::size_t rank = made.functions.dimensions.rank();
        const auto read = [&](output_ref output) {
            const bool has_axes = model().shape(output).rank() == rank || made.form == group_form::product;
            add(has_axes ? use.reads : in_order.reads, number_of(output));
        };
        const bool by_elements = made.form == group_form::one_operand || made.form == group_form::two_operands;
        use.chooses = by_elements && rank > 2;
        use.order = made.form == group_form::convolution || made.form == group_form::pool ? layout::channels_last
                                                                                          : layout::plain;
        const bool has_two = made.form == group_form::two_operands || made.form == group_form::product;
        read(made.operands[0].base);
        if (has_two) {
            read(made.operands[1].base);
        }
        for (const chain_function& each : made.functions.functions) {
            if (each.what == chain_function::form::add || each.what == chain_function::form::multiply) {
                read(each.other);
            }
        }
        add(use.gives, number_of(made.functions.tail));
        enter(made.functions.tail.node, std::move(use));
        if (!in_order.reads.empty()) {
            enter(made.anchor, std::move(in_order));
        }
    }

    void enter_node(node_id id) {
        const node& each = model()[id];
        layout_use use;
        const bool from_last = detail::moves_channels(model(), each, layout::channels_last);
        const bool from_plain = detail::moves_channels(model(), each, layout::plain);
        use.swaps = from_last || from_plain;
        use.chooses = (from_last && from_plain) || (!use.swaps && detail::keeps_axes(model(), each));
        use.order = from_last ? layout::channels_last : layout::plain;
        for (std::size_t port = 0; port < each.inputs(); ++port) {
            add(use.reads, number_of(each.input(port)));
        }
        const bool gives = !each.is<op::result>() && !detail::gives_planes(model(), id);
        for (std::size_t port = 0; port < each.outputs() && gives; ++port) {
            add(use.gives, number_of({id, static_cast<std::int32_t>(port)}));
        }
        enter(id, std::move(use));
    }

public:
    chosen_layouts(quantized_sources& sources, const grouping& groups, const seq<node_id>& order)
        : sources_(sources), grouping_(groups) {
        number_outputs(order);
        for (const node_id id : order) {
            const node& each = model()[id];
            const int number = grouping_.of_node[index_of(id)];
            if (number >= 0) {
                const group& mine = grouping_.groups[static_cast<std::size_t>(number)];
                if (mine.functions.nodes.back() == id) {
                    enter_group(mine);
                }
            } else if (!each.is<op::constant>() && !(each.outputs() == 1 && sources_.is_dequantization(id))) {
                enter_node(id);
            }
        }
        layout_chooser(uses_, bytes_).choose();
    }

    /// By node: the layout of what can choose, or of the group that ends with it; plain for all else.
    std::vector<layout> by_node() const {
        std::vector<layout> result(model().id_bound(), layout::plain);
        for (std::size_t i = 0; i < uses_.size(); ++i) {
            if (uses_[i].chooses) {
                result[user_[i]] = uses_[i].order;
            }
        }
        return result;
    }
};

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/plan/weight_store.hpp
#ifndef LPT_HOLDS_PLAN_WEIGHT_STORE_HPP
#define LPT_HOLDS_PLAN_WEIGHT_STORE_HPP
// Packed weights, each kept once however many plans use them.

namespace lpt::inline LPT_ABI::plan {

/// Packed weights by the constant that they were packed from and the form in which they are packed.
///
/// A network that runs with several shapes has a plan for each; the weights belong to all of them. Those packed from constants of the
/// network stay as long as the store; those of constants that a plan computed for its shapes go with the last plan that uses them.
class weight_store {
    struct entry {
        tensor source;  // keeps the bytes whose address is the key, not the memory behind a window on a file
        std::shared_ptr<const packed_bytes> packed;
    };
    std::map<std::pair<const std::byte*, std::string>, entry> entries_;
    std::map<const std::byte*, tensor> kept_;
    zeroed_blocks blocks_;
    std::size_t bytes_ = 0;
    std::size_t limit_ = SIZE_MAX;

public:
    weight_store() = default;
    /// `limit`: the most bytes that packed weights may take; a `memory_error` is raised before more are packed.
    explicit weight_store(std::size_t limit) : limit_(limit) {}

    /// Weights packed from this constant stay when no plan uses them.
    void keep(const tensor& constant) { kept_.insert_or_assign(constant.data(), constant); }
    /// Lets weights go that no plan uses, but for those of constants that are kept.
    void forget_unused() {
        for (auto each = entries_.begin(); each != entries_.end();) {
            const bool unused = each->second.packed.use_count() == 1 && !kept_.contains(each->first.first);
            bytes_ -= unused ? each->second.packed->size() : 0;
            each = unused ? entries_.erase(each) : std::next(each);
        }
    }
    /// The packed weights of a constant; `pack(bytes)` writes `size` bytes if there are none of this form yet.
    ///
    /// `form`: everything that the packed bytes depend on besides the constant's values, in words.
    template <class Pack>
    std::shared_ptr<const packed_bytes> find_or_pack(const tensor& source, const std::string& form, std::size_t size,
                                                     const Pack& pack) {
        const text kind = join({name(source.type()), source.dimensions()});
        const std::pair<const std::byte*, std::string> key{source.data(), kind.c_str() + (" " + form)};
        if (const auto found = entries_.find(key); found != entries_.end()) {
            return found->second.packed;
        }
        if (size > limit_ - bytes_) {
            lpt::detail::raise_beyond_limit(size > SIZE_MAX - bytes_ ? SIZE_MAX : bytes_ + size, limit_);
        }
        const auto packed = std::make_shared<packed_bytes>(blocks_.take(size));
        pack(packed->data());
        source.put_aside();
        entries_.emplace(key, entry{source, packed});
        bytes_ += size;
        return packed;
    }
    /// How many packed weights there are.
    std::size_t size() const { return entries_.size(); }
    /// Their bytes.
    std::size_t bytes() const { return bytes_; }
};

namespace detail {

/// Bytes of packed weights as a constant, which keeps them.
inline tensor tensor_of_packed(std::shared_ptr<const packed_bytes> packed) {
    const shape dimensions{static_cast<dimension>(packed->size())};
    auto* keeper = new std::shared_ptr<const packed_bytes>(std::move(packed));
    const auto release = [](void* kept) { delete static_cast<std::shared_ptr<const packed_bytes>*>(kept); };
    return tensor(u8, dimensions, bytes((*keeper)->data(), (*keeper)->size(), release, keeper));
}

}  // namespace detail

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/plan/weights.hpp
#ifndef LPT_HOLDS_PLAN_WEIGHTS_HPP
#define LPT_HOLDS_PLAN_WEIGHTS_HPP
namespace lpt::inline LPT_ABI::plan {

/// Weights as integers of 8 bits: a weight is value - zero_point. `zero_points`: none, one, or one for each output channel.
struct integer_weights {
    tensor values;
    std::vector<std::int32_t> zero_points;
    bool four_bits = false;  // all values are in [-8, 7]

    /// True if they should be packed two in a byte, for a matrix of so many rows. Reading them bounds the time of few rows, which
    /// half the bytes make shorter; of many rows it is arithmetic, which taking them apart makes a quarter longer.
    bool packs_four_bits(std::int64_t rows) const { return four_bits && rows <= 8; }
};

namespace detail {

struct value_range {
    double low = 0;
    double high = 0;
};

inline bool fits(const value_range& range, element type) {
    return range.low >= facts(type).lowest && range.high <= facts(type).highest;
}

/// The zero point next to 0 that moves a range into that of i8 or i4; false if there is none in [-128, 255].
inline bool zero_point_for(const value_range& range, element type, std::int32_t& result) {
    const double lowest = facts(type).lowest;
    const double highest = facts(type).highest;
    const double moved = range.low < lowest ? lowest - range.low : math::minimum(0.0, highest - range.high);
    result = static_cast<std::int32_t>(moved);
    return fits({range.low + moved, range.high + moved}, type) && moved >= -128 && moved <= 255;
}

/// The zero points that move the ranges of all channels into that of i8 or i4; false if there are none.
inline bool zero_points_for(const std::vector<value_range>& ranges, element type, std::vector<std::int32_t>& result) {
    result.assign(ranges.size(), 0);
    for (std::size_t channel = 0; channel < ranges.size(); ++channel) {
        if (!zero_point_for(ranges[channel], type, result[channel])) {
            return false;
        }
    }
    return true;
}

/// The same for i4, one zero point for all channels if there is one.
inline bool four_bit_zero_points_for(const std::vector<value_range>& ranges, const value_range& all,
                                     std::vector<std::int32_t>& result) {
    std::int32_t common = 0;
    if (zero_point_for(all, i4, common)) {
        result.assign(ranges.size(), common);
        return true;
    }
    return zero_points_for(ranges, i4, result);
}

/// True if all bytes are in the range of i4.
inline bool are_four_bits(const tensor& bytes) {
    for (std::size_t i = 0; i < bytes.elements(); ++i) {
        const double value = bytes.real(i);
        if (!(value >= facts(i4).lowest && value <= facts(i4).highest)) {
            return false;
        }
    }
    return bytes.elements() != 0;
}

template <class ChannelOf>
bool ranges_of(const tensor& weights, std::vector<value_range>& ranges, const ChannelOf& channel_of) {
    std::vector<bool> seen(ranges.size(), false);
    for (std::size_t i = 0; i < weights.elements(); ++i) {
        const double value = weights.real(i);
        if (!(math::absolute(value) <= 512) || math::truncate(value) != value) {
            return false;
        }
        const std::size_t channel = channel_of(i);
        value_range& range = ranges[channel];
        range.low = seen[channel] ? math::minimum(range.low, value) : value;
        range.high = seen[channel] ? math::maximum(range.high, value) : value;
        seen[channel] = true;
    }
    return true;
}

}  // namespace detail

/// Weights whose values are integers that fit into 8 bits, perhaps after a shift for each output channel. Those that fit into 4 are
/// found by their values: a Convert or a zero point, folded, leaves nothing else of i4 and u4.
///
/// `channel_of(i)`: the output channel, below `channels`, of element i. False for weights that are not of this form.
template <class ChannelOf>
bool integer_weights_of(const tensor& weights, std::size_t channels, const ChannelOf& channel_of,
                        integer_weights& result) {
    if (is_byte(weights.type())) {
        result = {weights, {}, detail::are_four_bits(weights)};
        return true;
    }
    if (weights.elements() == 0 || !(is_real(weights.type()) || is_integral(weights.type()))) {
        return false;
    }
    std::vector<detail::value_range> ranges(channels);
    if (!detail::ranges_of(weights, ranges, channel_of)) {
        return false;
    }
    detail::value_range all = ranges[0];
    for (const detail::value_range& each : ranges) {
        all = {math::minimum(all.low, each.low), math::maximum(all.high, each.high)};
    }
    std::vector<std::int32_t> zero_points;
    result.four_bits = detail::four_bit_zero_points_for(ranges, all, zero_points);
    const element type = !result.four_bits && !detail::fits(all, i8) && detail::fits(all, u8) ? u8 : i8;
    if (type == u8) {
        zero_points.assign(channels, 0);
    } else if (!result.four_bits && !detail::zero_points_for(ranges, i8, zero_points)) {
        return false;
    }
    tensor_builder values(type, weights.dimensions());
    for (std::size_t i = 0; i < weights.elements(); ++i) {
        values.real(i, weights.real(i) + static_cast<double>(zero_points[channel_of(i)]));
    }
    result.values = values.finish();
    drop_zeros(zero_points);
    result.zero_points = std::move(zero_points);
    return true;
}

/// The values as f32.
inline tensor as_f32(const tensor& values) {
    return values.type() == f32 ? values : evaluation::convert_tensor(values, f32);
}

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/plan/planner.hpp
#ifndef LPT_HOLDS_PLAN_PLANNER_HPP
#define LPT_HOLDS_PLAN_PLANNER_HPP
// What the makers of steps share: the tensors of the network that is being planned, in the layouts that exist so far.

namespace lpt::inline LPT_ABI {

/// Which products of real numbers with weights of 4 or 8 bits (FullyConnectedCompressed, which `optimize` makes of large constant weights) round
/// their data to 8 bits as they run, in groups of at most 128 numbers of a row, each scaled by its greatest magnitude: none, those whose file allows
/// it (ONNX: MatMulNBits with the `accuracy_level` 4), or all.
enum class data_rounding { none, allowed, all };

}  // namespace lpt::inline LPT_ABI

namespace lpt::inline LPT_ABI::plan {

/// A byte for each byte.
using byte_table = std::array<std::uint8_t, 256>;

/// What a plan is made for.
struct plan_options {
    const kernel::kernel_table* kernels = nullptr;
    int threads = 1;
    weight_store* weights = nullptr;  // packed weights of other plans; none: the plan packs its own
    std::size_t memory_limit = SIZE_MAX;  // bytes of intermediate tensors and packed weights together
    bool short_steps_alone = false;  // calling for threads takes about a microsecond
    bool needs_kernels = false;  // an operation that only the scalar reference computes is an error
    kernel::parallel_for parallel{};  // that packs weights
    bool writes_outputs = false;  // results that no step reads are written where the caller wants them
    data_rounding dynamic_quantization = data_rounding::allowed;
};

/// Makes the steps of one network.
class planner {
public:
    planner(graph model, const plan_options& options) : options_(options), own_weights_(options.memory_limit) {
        net_.model = std::move(model);
    }

    /// `known_order`: of the graph, where somebody found it before.
    network plan(kept_order known_order = {});

private:
    /// How a byte of `from` becomes one of another tensor.
    struct byte_function {
        tensor_id from = tensor_id::none;
        byte_table table{};
    };
    struct versions {
        tensor_id plain = tensor_id::none;
        tensor_id channels_last = tensor_id::none;
    };

    const graph& model() const { return net_.model; }
    const kernel::kernel_table& kernels() const { return *options_.kernels; }
    stored_tensor& at(tensor_id tensor) { return net_[tensor]; }

    // ---- tensors

    storage_id add_storage(area where, std::size_t bytes) {
        storage made;
        made.where = where;
        made.bytes = bytes;
        net_.storages.push_back(std::move(made));
        return id_at<storage_id>(net_.storages.size() - 1);
    }
    tensor_id add_view(element type, const shape& dimensions, layout order, storage_id storage,
                       std::size_t offset = 0) {
        net_.tensors.push_back({type, dimensions, dimensions.rank() > 2 ? order : layout::plain, storage, offset});
        return id_at<tensor_id>(net_.tensors.size() - 1);
    }
    /// The bytes of a tensor seen another way, from `offset` bytes on.
    tensor_id add_view_of(tensor_id whole, const shape& dimensions, layout order, std::size_t offset = 0) {
        const stored_tensor of = at(whole);
        return add_view(of.type, dimensions, order, of.storage, of.offset + offset);
    }
    tensor_id add_tensor(element type, const shape& dimensions, layout order, area where = area::arena) {
        return add_view(type, dimensions, order, add_storage(where, byte_size(type, dimensions.elements())));
    }
    /// Kernels read values at multiples of their size; files keep constants anywhere.
    static tensor aligned_constant(const tensor& value) {
        const auto width = static_cast<std::uintptr_t>(bit_width(value.type()) < 8 ? 1 : bit_width(value.type()) / 8);
        const bool is_aligned = reinterpret_cast<std::uintptr_t>(value.data()) % width == 0;
        return is_aligned ? value : reference::detail::copy_of(value);
    }
    tensor_id add_constant(const tensor& given) { return add_constant_as_it_lies(aligned_constant(given)); }
    tensor_id add_constant_as_it_lies(const tensor& value) {
        const tensor_id result = add_tensor(value.type(), value.dimensions(), layout::plain, area::constant);
        net_.storage_of(result).value = value;
        return result;
    }
    /// For steps that copy bytes: a constant where the file has it, since a table of embeddings is large. It is not defined as the output's tensor:
    /// kernels need theirs aligned.
    tensor_id tensor_at_any_address(output_ref output) {
        const tensor* const constant = model().constant_value(output);
        return constant != nullptr && !exists(output, layout::plain) ? add_constant_as_it_lies(*constant)
                                                                     : tensor_of(output, layout::plain);
    }
    versions& versions_of(output_ref output) { return values_[{index_of(output.node), output.port}]; }
    tensor_id& version_in(output_ref output, layout order) {
        versions& all = versions_of(output);
        return order == layout::channels_last ? all.channels_last : all.plain;
    }
    /// Says where the value of an output is.
    void define(output_ref output, tensor_id tensor) {
        versions& all = versions_of(output);
        const stored_tensor value = at(tensor);
        (value.order == layout::channels_last ? all.channels_last : all.plain) = tensor;
        if (layouts_agree(value.dimensions)) {
            const layout other = other_layout(value.order);
            version_in(output, other) = add_view_of(tensor, value.dimensions, other);
        }
    }
    /// The layout that was chosen for an operation, or for the group that ends with it.
    layout layout_of(node_id id) const { return layouts_[index_of(id)]; }
    bool exists(output_ref output, layout order) { return version_in(output, order) != tensor_id::none; }

    /// The tensor of an output in a layout; makes it if there is none yet.
    tensor_id tensor_of(output_ref output, layout order) {
        if (model().shape(output).rank() < 3) {
            order = layout::plain;
        }
        if (exists(output, order)) {
            return version_in(output, order);
        }
        if (!exists(output, layout::plain) && !exists(output, layout::channels_last)) {
            make_value(output, order);
        }
        if (!exists(output, order)) {
            change_layout(output, order);
        }
        return version_in(output, order);
    }

    /// Constants and dequantizations come into being with their first reader.
    void make_value(output_ref output, layout order) {
        if (const tensor* constant = model().constant_value(output)) {
            define(output, add_constant(*constant));
            return;
        }
        if (!sources_.is_dequantization(output)) {
            const node& each = model()[output.node];
            fail({each.operation(), " '", each.name(), "' is read before it is computed"});
        }
        make_dequantization(output, order);
    }

    /// Batches of matrices transposed, as a new tensor of the same shape.
    tensor_id make_transposed(tensor_id from, std::int64_t batch, std::int64_t rows, std::int64_t columns) {
        const stored_tensor value = at(from);
        transpose_step work;
        work.problem.batch = batch;
        work.problem.rows = rows;
        work.problem.columns = columns;
        work.problem.element_bytes = bit_width(value.type) / 8;
        work.input = from;
        work.output = add_tensor(value.type, value.dimensions, layout::plain);
        step made;
        made.kernel = "reorder";
        made.precision = value.type;
        made.reads = {from};
        made.writes = {work.output};
        made.work = work;
        add_step(std::move(made));
        return work.output;
    }

    /// Bytes as f32 in the same order; a tensor of f32 as it is. Kernels that compute on f32 read nothing else.
    tensor_id make_f32(tensor_id from) {
        const stored_tensor value = at(from);
        if (value.type == f32) {
            return from;
        }
        elementwise_step work;
        const auto count = static_cast<std::int64_t>(value.dimensions.elements());
        work.sizes = {1, count};
        work.operands[0] = {from, {count, 1}};
        work.output = {add_tensor(f32, value.dimensions, value.order), {count, 1}};
        step made;
        made.kernel = std::string("convert_") + kernel::name_of(kernels().instruction_set) + "_FP32";
        made.reads = {from};
        made.writes = {work.output.tensor};
        const tensor_id result = work.output.tensor;
        made.work = std::move(work);
        add_step(std::move(made));
        return result;
    }

    void add_step(step made) {
        std::vector<tensor_id> distinct;
        for (const tensor_id tensor : made.reads) {
            if (tensor != tensor_id::none) {
                distinct.push_back(tensor);
            }
        }
        made.reads = std::move(distinct);
        net_.steps.push_back(std::move(made));
    }

    void change_layout(output_ref output, layout order) {
        const tensor_id from = version_in(output, other_layout(order));
        const stored_tensor value = at(from);
        if (!detail::may_change_layout(value.type)) {
            const node& each = model()[output.node];
            fail({each.operation(), " '", each.name(), "': elements of type ", name(value.type),
                  " cannot change their layout"});
        }
        const bool to_plain = order == layout::plain;
        std::int64_t pixels = 1;
        for (std::size_t axis = 2; axis < value.dimensions.rank(); ++axis) {
            pixels *= value.dimensions[axis];
        }
        transpose_step work;
        work.problem.batch = value.dimensions[0];
        work.problem.rows = to_plain ? pixels : value.dimensions[1];
        work.problem.columns = to_plain ? value.dimensions[1] : pixels;
        work.problem.element_bytes = bit_width(value.type) / 8;
        if (net_.storage_of(from).where == area::constant) {
            version_in(output, order) = add_transposed_constant(from, work.problem, order);
            return;
        }
        work.input = from;
        work.output = add_tensor(value.type, value.dimensions, order);
        version_in(output, order) = work.output;
        step made;
        made.work = work;
        made.kernel = "reorder";
        made.precision = value.type;
        made.reads = {from};
        made.writes = {work.output};
        add_step(std::move(made));
    }
    /// A constant in its other layout, which no run has to make.
    tensor_id add_transposed_constant(tensor_id from, kernel::transpose_problem problem, layout order) {
        const stored_tensor value = at(from);
        tensor_builder transposed(value.type, value.dimensions);
        problem.input = net_.storage_of(from).value.data() + value.offset;
        problem.output = transposed.data();
        kernels().transpose(problem, {});
        const tensor_id result = add_tensor(value.type, value.dimensions, order, area::constant);
        net_.storage_of(result).value = transposed.finish();
        return result;
    }

    /// The step of a kernel whose problem says its fields itself. `operands`: a tensor for each, in the order of the fields, or none.
    template <class Problem>
    void add_kernel(std::vector<node_id> nodes, const Problem& problem, std::vector<tensor_id> operands,
                    element precision = f32, bool may_overwrite = false) {
        step made;
        std::size_t slot = 0;
        kernel::for_each_operand(problem, [&]<class Operand>(const Operand&) {
            const tensor_id tensor = operands[slot++];
            if (tensor != tensor_id::none) {
                (kernel::is_read<Operand> ? made.reads : made.writes).push_back(tensor);
            }
        });
        made.nodes = std::move(nodes);
        made.kernel = std::string(Problem::name) + "_" + kernel::name_of(kernels().instruction_set) +
                      suffix_of(is_byte(precision) ? precision : f32);
        made.precision = precision;
        made.may_overwrite = may_overwrite;
        made.work = kernel_step<Problem>{problem, std::move(operands)};
        add_step(std::move(made));
    }

    // ---- epilogues

    /// The epilogue of a step over pixels and channels, both dense.
    planned_finish channel_finish(const chain& functions, layout order, std::int64_t channels) {
        return finish_of(functions, &channel_numbers, [&](output_ref other) {
            const bool full = model().shape(other) == functions.dimensions;
            return strided_tensor{tensor_of(other, order), {full ? channels : 0, 1}};
        });
    }

    // ---- makers of steps, each in a header of its own

    void make_convolution(const group& made);
    void make_product(const group& made);
    void make_pool(const group& made);
    void make_elementwise(const group& made);
    void make_dequantization(output_ref output, layout order);
    bool make_movement(node_id id);
    bool make_kernel(node_id id);
    void make_reference(node_id id);
    void make_control_flow(node_id id);
    void add_outputs(node_id id, std::vector<tensor_id>& outputs);
    weight_store& packed_weights() { return options_.weights != nullptr ? *options_.weights : own_weights_; }
    void make_group(const group& made);
    void make_node(node_id id);

    bool integer_convolution(const group& made, integer_weights& weights) const;
    tensor_id make_margin(tensor_id input, kernel::convolution_shape& shape,
                          const std::vector<std::int32_t>& zero_points);
    bool try_elementwise(const group& made, layout order);
    bool try_lookup(step& made);
    byte_function function_of(tensor_id tensor) const;
    std::vector<bool> unread_lookups();
    void drop_unread_lookups();
    bool make_view(node_id id);
    bool make_concat(node_id id);
    tensor_id add_row_part(node_id id, tensor_id from, const spaced_rows& rows, std::int32_t first,
                           const shape& dimensions, layout order);
    bool make_gather(node_id id);
    bool make_choice(node_id id);
    bool add_choice(node_id id, choice_step work);
    void make_parameter(node_id id, std::size_t position);
    void make_results();
    void make_states();
    void make_assign(node_id id);
    tensor_id away_from_states(tensor_id tensor);
    state_id state_of(const text& variable, element type);
    state_id state_of(const node& each, const text& variable);
    tensor_id state_view(state_id number, const shape& dimensions);
    bool make_softmax(node_id id);
    bool make_recurrent(node_id id);
    recurrent_weights recurrent_weights_of(const node& each, std::size_t port);
    tensor_id pack_matrices(const recurrent_weights& weights, std::int64_t directions, std::int64_t rows,
                            std::int64_t first, std::int64_t n, std::int64_t& distance);
    tensor_id sequence_lengths(output_ref given, std::int64_t time);
    attention_input input_of_attention(node_id id, std::size_t port, bool may_share);
    std::array<attention_input, 3> inputs_of_attention(node_id id);
    void join_to_attentions(const seq<node_id>& order);
    bool make_attention(node_id id);
    bool make_compressed_product(node_id id);
    const group* affine_behind(node_id id, const kernel::normalization_problem& problem) const;
    tensor_id numbers_along(const spread& numbers, std::int64_t length);
    bool make_normalization(node_id id);
    bool make_reduction(node_id id);
    bool make_cast(node_id id);
    bool make_pointwise(node_id id);
    bool make_resampling(node_id id);
    bool make_top_k(node_id id);
    void make_computed_convolution(const group& made);
    void add_convolution(convolution_step work, const chain& functions, element precision);

    network net_;
    quantized_sources sources_{net_.model};
    plan_options options_;
    grouping grouping_;
    std::vector<layout> layouts_;  // by node
    std::vector<bool> is_joined_;  // by node: another step does what it does
    std::map<std::pair<std::size_t, std::int32_t>, versions> values_;
    std::vector<step> last_steps_;  // writes of states
    std::map<std::string, state_id> states_;  // by name
    std::map<tensor_id, byte_function> byte_functions_;  // by output of a lookup
    // By operand: outputs of the lookups whose tables include its own.
    std::map<tensor_id, std::set<tensor_id>> lookups_through_;
    weight_store own_weights_;
};

/// The type in which the reference computes an operation: that of its data if it is real (then it may give integers: a FakeQuantize, a
/// comparison), else that of what it gives.
inline element reference_type(const graph& model, const node& each) {
    const bool real = each.inputs() != 0 && !each.is<op::shape_of>() && is_real(model.type(each.input(0)));
    return real ? model.type(each.input(0)) : each.outputs() != 0 && each.type() != dynamic ? each.type() : f32;
}

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/plan/convolution.hpp
#ifndef LPT_HOLDS_PLAN_CONVOLUTION_HPP
#define LPT_HOLDS_PLAN_CONVOLUTION_HPP
// Convolutions of all kinds, and pooling: kernels over windows.

namespace lpt::inline LPT_ABI::plan {

namespace detail {

/// How the weights of a convolution lie: [G, O, I] or [G, I, O] in front of the kernel.
struct convolution_axes {
    std::int64_t groups = 1;
    std::int64_t inputs = 1;   // of one group
    std::int64_t outputs = 1;  // of one group
    std::int64_t taps = 1;
    bool outputs_first = true;
    std::size_t first_kernel_axis = 2;

    std::size_t channel_of(std::size_t element) const {
        const auto index = static_cast<std::int64_t>(element) / taps;
        const std::int64_t group = index / (inputs * outputs);
        const std::int64_t inside = index % (inputs * outputs);
        return static_cast<std::size_t>(group * outputs + (outputs_first ? inside / inputs : inside % outputs));
    }
};

inline convolution_axes convolution_axes_of(op::kind kind, const shape& weights) {
    convolution_axes result;
    const bool grouped = is_grouped_convolution(kind);
    const std::size_t first = grouped ? 1 : 0;
    result.outputs_first = !is_transposed_convolution(kind);
    result.groups = grouped ? weights[0] : 1;
    result.outputs = weights[first + (result.outputs_first ? 0 : 1)];
    result.inputs = weights[first + (result.outputs_first ? 1 : 0)];
    result.first_kernel_axis = first + 2;
    for (std::size_t axis = result.first_kernel_axis; axis < weights.rank(); ++axis) {
        result.taps *= weights[axis];
    }
    return result;
}

template <class Op>
reference::detail::window_geometry forward_geometry(const node& each, const shape& data, const shape& kernel,
                                                    std::size_t first) {
    return reference::detail::make_geometry(data, each.shape(), kernel, first,
                                            reference::detail::window_of(each.as<Op>()));
}

template <class Op>
reference::detail::window_geometry transposed_geometry(const node& each, const shape& data, const shape& kernel,
                                                       std::size_t first) {
    const Op& self = each.as<Op>();
    const op::detail::window_attributes as_given{self.strides, self.dilations, self.pads_begin, self.pads_end,
                                                 op::auto_pad::explicit_pads};
    reference::detail::window_geometry result =
        reference::detail::make_geometry(data, each.shape(), kernel, first, as_given);
    reference::detail::pad_transposed(result, self.auto_pad, self.output_padding, data.rank() - 2);
    return result;
}

inline reference::detail::window_geometry geometry_of(const node& each, const shape& data, const shape& kernel,
                                                      std::size_t first) {
    switch (each.kind()) {
        case op::kind::convolution: return forward_geometry<op::convolution>(each, data, kernel, first);
        case op::kind::group_convolution: return forward_geometry<op::group_convolution>(each, data, kernel, first);
        case op::kind::convolution_backprop_data:
            return transposed_geometry<op::convolution_backprop_data>(each, data, kernel, first);
        default: return transposed_geometry<op::group_convolution_backprop_data>(each, data, kernel, first);
    }
}

inline kernel::convolution_shape convolution_shape_of(const node& each, const shape& data, const shape& weights) {
    const convolution_axes axes = convolution_axes_of(each.kind(), weights);
    const reference::detail::window_geometry geometry = geometry_of(each, data, weights, axes.first_kernel_axis);
    kernel::convolution_shape result;
    result.batch = data[0];
    result.groups = axes.groups;
    result.in_channels = axes.groups * axes.inputs;
    result.out_channels = axes.groups * axes.outputs;
    result.transposed = is_transposed_convolution(each.kind());
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const op::window_axis& window = geometry.window[axis];
        result.in[axis] = geometry.input[axis];
        result.out[axis] = geometry.output[axis];
        result.kernel[axis] = window.kernel;
        result.stride[axis] = window.stride;
        result.dilation[axis] = window.dilation;
        result.pad_begin[axis] = window.pad_begin;
    }
    return result;
}

}  // namespace detail

/// True if the convolution can be computed on 8-bit integers; gives its weights.
inline bool planner::integer_convolution(const group& made, integer_weights& weights) const {
    const node& each = model()[made.anchor];
    const quantized_source& data = made.operands[0];
    if (data.zero_points.empty() || (!data.has_one_zero_point() && detail::is_transposed_convolution(each.kind()))) {
        return false;
    }
    const tensor& values = *model().constant_value(each.input(1));
    const detail::convolution_axes axes = detail::convolution_axes_of(each.kind(), values.dimensions());
    return integer_weights_of(
        values, static_cast<std::size_t>(axes.groups * axes.outputs), [&](std::size_t i) { return axes.channel_of(i); },
        weights);
}

/// Puts pixels of zero points around the data where windows reach over its border; the convolution then has no padding.
inline tensor_id planner::make_margin(tensor_id input, kernel::convolution_shape& shape,
                                      const std::vector<std::int32_t>& zero_points) {
    margin_step work;
    const stored_tensor data = at(input);
    lpt::shape dimensions = data.dimensions;
    bool needed = false;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::int64_t reach =
            (shape.out[axis] - 1) * shape.stride[axis] + (shape.kernel[axis] - 1) * shape.dilation[axis] + 1;
        work.in[axis] = shape.in[axis];
        work.begin[axis] = shape.pad_begin[axis];
        work.out[axis] = math::maximum(reach, shape.in[axis] + shape.pad_begin[axis]);
        needed = needed || work.out[axis] != work.in[axis];
        shape.in[axis] = work.out[axis];
        shape.pad_begin[axis] = 0;
        const std::size_t own = dimensions.rank() + axis - 3;
        if (own > 1 && own < dimensions.rank()) {
            dimensions[own] = work.out[axis];
        }
    }
    if (!needed) {
        return input;
    }
    if (!dimensions.is_possible()) {
        lpt::detail::raise_no_memory(SIZE_MAX);
    }
    work.batch = shape.batch;
    for (const std::int32_t each : zero_points) {
        work.fill.push_back(static_cast<std::byte>(each));
    }
    work.input = input;
    work.output = add_tensor(data.type, dimensions, layout::channels_last);
    step made;
    made.kernel = std::string("margin") + suffix_of(data.type);
    made.precision = data.type;
    made.reads = {input};
    made.writes = {work.output};
    const tensor_id result = work.output;
    made.work = std::move(work);
    add_step(std::move(made));
    return result;
}

namespace detail {

/// What the zero points of the channels add to each output channel: the sum of zero point * weight.
inline spread sums_of_zero_points(const integer_weights& weights, const convolution_axes& axes, std::size_t rank,
                                  const std::vector<std::int32_t>& zero_points) {
    spread result{shape::of_ones(rank), std::vector<double>(static_cast<std::size_t>(axes.groups * axes.outputs), 0.0)};
    result.dimensions[1] = axes.groups * axes.outputs;
    for (std::size_t i = 0; i < weights.values.elements(); ++i) {
        const std::size_t output = axes.channel_of(i);
        const auto group = static_cast<std::int64_t>(output) / axes.outputs;
        const auto input =
            static_cast<std::size_t>(group * axes.inputs + static_cast<std::int64_t>(i) / axes.taps % axes.inputs);
        const std::size_t which = weights.zero_points.size() > 1 ? output : 0;
        const double zero = weights.zero_points.empty() ? 0 : weights.zero_points[which];
        result.values[output] += (weights.values.real(i) - zero) * zero_points[input];
    }
    return result;
}

}  // namespace detail

namespace detail {

/// What the packed weights of a convolution depend on besides their values; not on the sizes of the image, but for the choice of
/// the method.
inline std::string form_of(op::kind kind, const kernel::convolution_shape& shape,
                           const kernel::convolution_weights& packing, kernel::convolution_method method) {
    std::string result = "convolution " + std::to_string(static_cast<int>(method)) + " " +
                         std::to_string(static_cast<int>(kind)) + " " + std::to_string(static_cast<int>(packing.type)) +
                         " " + std::to_string(packing.zero_point_count);
    for (const std::int64_t each : {shape.groups, shape.in_channels, shape.out_channels}) {
        result += " " + std::to_string(each);
    }
    for (int axis = 0; axis < 3; ++axis) {
        for (const std::int64_t each : {shape.kernel[axis], shape.stride[axis], shape.dilation[axis]}) {
            result += " " + std::to_string(each);
        }
    }
    return result;
}

}  // namespace detail

namespace detail {

/// Raises a `memory_error` where kernels could not count the bytes of an image that they copy with its padding, line by line.
inline void check_scratch(const kernel::convolution_shape& s) {
    const checked line = checked(s.out[2]) * s.stride[2] + s.pad_begin[2] + s.kernel[2] + s.in[2];
    const checked lines = checked(s.batch) * s.in[0] * s.in[1] + 1;
    if (!(line * lines * s.in_channels).is_within(0, most_elements)) {
        lpt::detail::raise_no_memory(SIZE_MAX);
    }
}

/// How weights of these axes lie in memory.
inline kernel::convolution_weights packing_of(const convolution_axes& axes) {
    kernel::convolution_weights result;
    result.group_stride = axes.inputs * axes.outputs * axes.taps;
    result.out_stride = axes.outputs_first ? axes.inputs * axes.taps : axes.taps;
    result.in_stride = axes.outputs_first ? axes.taps : axes.outputs * axes.taps;
    result.tap_stride = 1;
    return result;
}

}  // namespace detail

inline void planner::make_convolution(const group& made) {
    const node& each = model()[made.anchor];
    const output_ref given = each.input(0);
    if (model().constant_value(each.input(1)) == nullptr) {
        return make_computed_convolution(made);
    }
    const tensor values = *model().constant_value(each.input(1));
    const detail::convolution_axes axes = detail::convolution_axes_of(each.kind(), values.dimensions());
    convolution_step work;
    work.shape = detail::convolution_shape_of(each, model().shape(given), values.dimensions());
    integer_weights integers;
    const quantized_source& data = made.operands[0];
    const bool is_integer = integer_convolution(made, integers);
    const bool has_channel_zero_points = is_integer && !data.has_one_zero_point();
    work.zero_point = is_integer ? data.zero_point() : 0;
    spread scale = spread::of(is_integer ? data.scale.one() : 1);
    spread shift = spread::of(no_shift);
    if (has_channel_zero_points) {
        const double by = scale.one();
        shift = detail::sums_of_zero_points(integers, axes, each.shape().rank(), data.zero_points).map([&](double v) {
            return -v * by;
        });
    }
    const chain functions = after_affine(made.functions, scale, shift);
    const element precision = is_integer ? model().type(data.base) : f32;
    const tensor weights = is_integer ? integers.values : as_f32(values);
    kernel::convolution_weights packing = detail::packing_of(axes);
    packing.data = weights.data();
    const std::int64_t pixels = work.shape.batch * work.shape.out[0] * work.shape.out[1] * work.shape.out[2];
    packing.type = integers.packs_four_bits(pixels) ? kernel::element_kind::i4 : kind_of(weights.type());
    packing.zero_points = integers.zero_points.data();
    packing.zero_point_count = static_cast<std::int64_t>(integers.zero_points.size());
    work.input = tensor_of(is_integer ? data.base : given, layout::channels_last);
    work.input = is_integer ? work.input : make_f32(work.input);
    if (has_channel_zero_points) {
        work.input = make_margin(work.input, work.shape, data.zero_points);
    }
    detail::check_scratch(work.shape);
    work.method = kernels().method_of_convolution(work.shape);
    work.weights =
        packed_weights().find_or_pack(values, detail::form_of(each.kind(), work.shape, packing, work.method),
                                      kernels().packed_convolution_bytes(work.shape, packing.type), [&](std::byte* to) {
                                          kernels().pack_convolution(work.shape, packing, to, options_.parallel);
                                      });
    add_convolution(std::move(work), functions, precision);
}

/// The step of a convolution whose input and weights are known, with its output and scratch memory.
inline void planner::add_convolution(convolution_step work, const chain& functions, element precision) {
    work.finish = channel_finish(functions, layout::channels_last, work.shape.out_channels);
    work.output = add_tensor(functions.type, functions.dimensions, layout::channels_last);
    step result;
    result.nodes = functions.nodes;
    result.kernel = std::string(kernel::name_of(work.method)) + "_" + kernel::name_of(kernels().instruction_set) +
                    suffix_of(precision == f32 ? f32 : i8);
    result.precision = precision;
    result.reads = {work.input};
    if (work.computed_weights != tensor_id::none) {
        result.reads.push_back(work.computed_weights);
        result.writes.push_back(work.packed);
    }
    read_residuals(result, work.finish);
    const std::size_t scratch = kernels().convolution_scratch_bytes(work.shape, kind_of(precision), options_.threads);
    if (scratch != 0) {
        work.scratch = add_tensor(u8, shape{static_cast<dimension>(scratch)}, layout::plain);
        result.writes.push_back(work.scratch);
    }
    result.writes.insert(result.writes.begin(), work.output);
    define(functions.tail, work.output);
    result.work = std::move(work);
    add_step(std::move(result));
}

namespace detail {

/// A pooling problem without pointers; false for attributes that the kernels do not know.
inline bool pool_problem_of(const node& each, const shape& data, kernel::pool_problem& result) {
    using reference::detail::window_geometry;
    window_geometry geometry;
    const integers none;
    result.kind = kernel::pool_kind::max;
    if (each.is<op::max_pool>()) {
        const auto& self = each.as<op::max_pool>();
        geometry = reference::detail::make_geometry(
            data, each.shape(), shape(self.kernel), 0,
            {self.strides, each.version() >= 8 ? self.dilations : none, self.pads_begin, self.pads_end, self.auto_pad});
    } else if (each.is<op::avg_pool>()) {
        const auto& self = each.as<op::avg_pool>();
        geometry = reference::detail::make_geometry(data, each.shape(), shape(self.kernel), 0,
                                                    {self.strides, each.version() >= 16 ? self.dilations : none,
                                                     self.pads_begin, self.pads_end, self.auto_pad});
        result.kind =
            self.exclude_pad ? kernel::pool_kind::average_exclude_pad : kernel::pool_kind::average_include_pad;
    } else {
        for (std::size_t axis = 2; axis < data.rank(); ++axis) {
            const std::size_t to = 3 - data.rank() + axis;
            geometry.input[to] = data[axis];
            geometry.window[to].kernel = data[axis];
        }
        result.kind = each.is<op::reduce_mean>() ? kernel::pool_kind::average_exclude_pad : kernel::pool_kind::max;
    }
    result.batch = data[0];
    result.channels = data[1];
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const op::window_axis& window = geometry.window[axis];
        result.in[axis] = geometry.input[axis];
        result.out[axis] = geometry.output[axis];
        result.kernel[axis] = window.kernel;
        result.stride[axis] = window.stride;
        result.dilation[axis] = window.dilation;
        result.pad_begin[axis] = window.pad_begin;
        result.pad_end[axis] = window.pad_end;
    }
    return true;
}

}  // namespace detail

inline void planner::make_pool(const group& made) {
    const node& each = model()[made.anchor];
    const output_ref given = made.operands[0].base;
    pool_step work;
    detail::pool_problem_of(each, model().shape(given), work.problem);
    work.input = tensor_of(given, layout::channels_last);
    work.problem.input_type = kind_of(model().type(given));
    work.finish = channel_finish(made.functions, layout::channels_last, work.problem.channels);
    work.output = add_tensor(made.functions.type, made.functions.dimensions, layout::channels_last);
    step result;
    result.nodes = made.functions.nodes;
    result.precision = model().type(given);
    result.kernel = std::string(work.problem.kind == kernel::pool_kind::max ? "max_pool_" : "average_pool_") +
                    kernel::name_of(kernels().instruction_set) + suffix_of(result.precision);
    result.reads = {work.input};
    read_residuals(result, work.finish);
    result.writes = {work.output};
    define(made.functions.tail, work.output);
    result.work = std::move(work);
    add_step(std::move(result));
}

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/plan/computed_convolution.hpp
#ifndef LPT_HOLDS_PLAN_COMPUTED_CONVOLUTION_HPP
#define LPT_HOLDS_PLAN_COMPUTED_CONVOLUTION_HPP
// Convolutions whose weights other operations compute: they are packed in every run, as f32, whatever type they are stored in.

namespace lpt::inline LPT_ABI::plan {

inline void planner::make_computed_convolution(const group& made) {
    const node& each = model()[made.anchor];
    const shape& weights = model().shape(each.input(1));
    convolution_step work;
    work.shape = detail::convolution_shape_of(each, model().shape(each.input(0)), weights);
    detail::check_scratch(work.shape);
    work.packing = detail::packing_of(detail::convolution_axes_of(each.kind(), weights));
    work.packing.type = kernel::element_kind::f32;
    work.method = kernels().method_of_convolution(work.shape);
    work.input = make_f32(tensor_of(each.input(0), layout::channels_last));
    work.computed_weights = make_f32(tensor_of(each.input(1), layout::plain));
    const std::size_t bytes = kernels().packed_convolution_bytes(work.shape, work.packing.type);
    work.packed = add_tensor(u8, shape{static_cast<dimension>(bytes)}, layout::plain);
    add_convolution(std::move(work), made.functions, f32);
}

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/plan/effort.hpp
#ifndef LPT_HOLDS_PLAN_EFFORT_HPP
#define LPT_HOLDS_PLAN_EFFORT_HPP
// Which steps are so short that other threads would join too late.

namespace lpt::inline LPT_ABI::plan {

/// What one thread does in about the time that calling others takes, a microsecond: multiply-accumulates of bytes on vectors, and bytes that
/// are read and written.
inline constexpr std::int64_t fewest_products = std::int64_t{1} << 18;
inline constexpr std::size_t fewest_bytes = std::size_t{1} << 13;

namespace detail {

/// Multiply-accumulates of a step, those of f32 counted as four of bytes; -1: it is not made of them.
inline std::int64_t products_of(const network& net, const step& of) {
    const auto weight = [&](tensor_id data) { return net[data].type == f32 ? std::int64_t{4} : std::int64_t{1}; };
    checked all = -1;
    if (const auto* convolution = std::get_if<convolution_step>(&of.work)) {
        const kernel::convolution_shape& s = convolution->shape;
        all = checked(s.batch) * (s.in_channels / s.groups) * s.out_channels * weight(convolution->input);
        for (int axis = 0; axis < 3; ++axis) {
            all = all * (s.transposed ? s.in[axis] : s.out[axis]) * s.kernel[axis];
        }
    } else if (const auto* product = std::get_if<product_step>(&of.work)) {
        all = checked(static_cast<std::int64_t>(product->a_offsets.size())) * product->m * product->n * product->k *
              weight(product->a);
    }
    return all.is_within(-1, fewest_products) ? all.value() : fewest_products;
}

}  // namespace detail

/// True for a step that one thread finishes before another could help.
inline bool is_short(const network& net, const step& of) {
    const std::int64_t products = detail::products_of(net, of);
    if (products >= fewest_products) {
        return false;
    }
    std::size_t bytes = 0;
    for (const std::vector<tensor_id>* tensors : {&of.reads, &of.writes}) {
        for (const tensor_id each : *tensors) {
            bytes += net[each].bytes();
        }
    }
    return products >= 0 || bytes < fewest_bytes;
}

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/plan/loops.hpp
#ifndef LPT_HOLDS_PLAN_LOOPS_HPP
#define LPT_HOLDS_PLAN_LOOPS_HPP
// The loops of elementwise steps: how far operands and numbers move along them, and which of them are one.

namespace lpt::inline LPT_ABI::plan::detail {

/// True if strides lead to the same places along all axes of more than one element.
inline bool same_places(const std::vector<std::int64_t>& left, const std::vector<std::int64_t>& right,
                        const std::vector<std::int64_t>& sizes) {
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
        if (sizes[axis] != 1 && left[axis] != right[axis]) {
            return false;
        }
    }
    return true;
}

/// The loops of an elementwise step: axes of the output from the outermost in memory to the innermost, and how far each operand
/// moves along them. Axes that all operands walk without a gap become one.
struct loops {
    std::vector<std::int64_t> sizes;
    std::vector<std::vector<std::int64_t>*> operands;  // strides by axis, in the order of `sizes`

    void merge() {
        std::size_t kept = 0;
        for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
            if (sizes[axis] == 1) {
                continue;
            }
            if (kept != 0 && continues(kept - 1, axis)) {
                sizes[kept - 1] *= sizes[axis];
                for (std::vector<std::int64_t>* each : operands) {
                    (*each)[kept - 1] = (*each)[axis];
                }
            } else {
                sizes[kept] = sizes[axis];
                for (std::vector<std::int64_t>* each : operands) {
                    (*each)[kept] = (*each)[axis];
                }
                ++kept;
            }
        }
        resize(kept);
        while (sizes.size() < 2) {
            insert(0);
        }
    }
    void insert(std::size_t axis) {
        const auto at = static_cast<std::ptrdiff_t>(axis);
        sizes.insert(sizes.begin() + at, 1);
        for (std::vector<std::int64_t>* each : operands) {
            each->insert(each->begin() + at, 0);
        }
    }
    void move_to_end(std::size_t axis) {
        move(sizes, axis);
        for (std::vector<std::int64_t>* each : operands) {
            move(*each, axis);
        }
    }

private:
    bool continues(std::size_t outer, std::size_t inner) const {
        for (const std::vector<std::int64_t>* each : operands) {
            if ((*each)[outer] != (*each)[inner] * sizes[inner]) {
                return false;
            }
        }
        return true;
    }
    void resize(std::size_t count) {
        sizes.resize(count);
        for (std::vector<std::int64_t>* each : operands) {
            each->resize(count);
        }
    }
    static void move(std::vector<std::int64_t>& values, std::size_t axis) {
        const std::int64_t value = values[axis];
        values.erase(values.begin() + static_cast<std::ptrdiff_t>(axis));
        values.push_back(value);
    }
};

inline std::vector<std::int64_t> in_order(const std::vector<std::int64_t>& by_axis,
                                          const std::vector<std::size_t>& order) {
    std::vector<std::int64_t> result;
    for (const std::size_t axis : order) {
        result.push_back(by_axis[axis]);
    }
    return result;
}

/// Strides of a tensor that broadcasts to `dimensions`, by axis of those.
inline std::vector<std::int64_t> broadcast_strides(const shape& from, layout order, const shape& dimensions) {
    const std::vector<std::int64_t> own = strides_of(from, order);
    std::vector<std::int64_t> result(dimensions.rank(), 0);
    for (std::size_t i = 0; i < own.size() && i < result.size(); ++i) {
        const std::size_t axis = own.size() - 1 - i;
        result[result.size() - 1 - i] = from[axis] == 1 ? 0 : own[axis];
    }
    return result;
}
inline std::vector<std::int64_t> broadcast_strides(const stored_tensor& tensor, const shape& dimensions) {
    return broadcast_strides(tensor.dimensions, tensor.order, dimensions);
}

/// Numbers in the order of memory, with their strides by loop axis.
inline number_row numbers_in_order(const spread& numbers, const std::vector<std::size_t>& order) {
    number_row result;
    if (numbers.is_one()) {
        result.values = {static_cast<float>(numbers.one())};
        return result;
    }
    const std::vector<std::int64_t> from = in_order(numbers.strides(order.size()), order);
    const lpt::shape dimensions =
        numbers.dimensions.padded_left(order.size());  // the tensor of the loops may have more axes
    std::vector<std::int64_t> sizes;
    for (const std::size_t axis : order) {
        sizes.push_back(dimensions[axis]);
    }
    result.values.resize(numbers.values.size());
    result.strides.assign(order.size(), 0);
    std::int64_t stride = 1;
    for (std::size_t i = order.size(); i-- > 0;) {
        result.strides[i] = sizes[i] == 1 ? 0 : stride;
        stride *= sizes[i];
    }
    std::vector<std::int64_t> at(order.size(), 0);
    for (float& value : result.values) {
        std::int64_t index = 0;
        for (std::size_t i = 0; i < at.size(); ++i) {
            index += at[i] * from[i];
        }
        value = static_cast<float>(numbers.values[static_cast<std::size_t>(index)]);
        for (std::size_t i = at.size(); i-- > 0;) {
            if (++at[i] < sizes[i]) {
                break;
            }
            at[i] = 0;
        }
    }
    return result;
}

inline std::vector<number_row*> number_rows_of(elementwise_step& work) {
    std::vector<number_row*> result{&work.finish.scale, &work.finish.bias};
    for (planned_post& post : work.finish.posts) {
        result.push_back(&post.a);
        result.push_back(&post.b);
    }
    for (int i = 0; i < 2; ++i) {
        result.push_back(&work.scales[i]);
        result.push_back(&work.shifts[i]);
    }
    return result;
}

/// The tensors that an elementwise step reads.
inline std::vector<strided_tensor> operands_of(const elementwise_step& work) {
    std::vector<strided_tensor> result{work.operands[0]};
    if (work.has_two) {
        result.push_back(work.operands[1]);
    }
    for (const planned_post& post : work.finish.posts) {
        if (post.residual.tensor != tensor_id::none) {
            result.push_back(post.residual);
        }
    }
    return result;
}

/// True if an elementwise step does the same to all its elements.
inline bool treats_all_alike(const elementwise_step& work) {
    bool result = work.finish.scale.is_one() && work.finish.bias.is_one();
    for (int i = 0; i < 2; ++i) {
        result = result && work.scales[i].is_one() && work.shifts[i].is_one();
    }
    return result && std::all_of(work.finish.posts.begin(), work.finish.posts.end(),
                                 [](const planned_post& post) { return post.a.is_one() && post.b.is_one(); });
}

/// Merges the loops and puts them into the form of the kernels; false if these cannot run along them.
inline bool settle_loops(elementwise_step& work) {
    loops all;
    all.sizes = work.sizes;
    all.operands = {&work.operands[0].strides, &work.output.strides};
    if (work.has_two) {
        all.operands.push_back(&work.operands[1].strides);
    }
    bool residual = false;
    for (planned_post& post : work.finish.posts) {
        if (post.residual.tensor != tensor_id::none) {
            all.operands.push_back(&post.residual.strides);
            residual = true;
        }
    }
    std::vector<number_row*> arrays;
    for (number_row* each : number_rows_of(work)) {
        if (!each->is_one()) {
            arrays.push_back(each);
            all.operands.push_back(&each->strides);
        }
    }
    all.merge();
    const auto varies = [&](std::size_t axis) {
        for (const number_row* each : arrays) {
            if (each->strides[axis] != 0) {
                return true;
            }
        }
        return false;
    };
    std::size_t varying = 0;
    std::size_t last_varying = 0;
    for (std::size_t axis = 0; axis < all.sizes.size(); ++axis) {
        if (varies(axis)) {
            ++varying;
            last_varying = axis;
        }
    }
    const std::size_t last = all.sizes.size() - 1;
    if (!work.has_two && !residual && varying == 1 && last_varying != last) {
        all.move_to_end(last_varying);
    } else if (varies(last - 1)) {
        all.insert(last);
    }
    work.sizes = all.sizes;
    const std::size_t channels = work.sizes.size() - 1;
    bool fits = true;
    if (work.has_two) {
        fits = work.output.strides[channels] == 1 || work.sizes[channels] == 1;
        for (const strided_tensor& operand : work.operands) {
            fits = fits && (operand.strides[channels] == 1 || operand.strides[channels] == 0);
        }
    }
    for (const planned_post& post : work.finish.posts) {
        fits = fits && (post.residual.tensor == tensor_id::none || post.residual.strides[channels] == 1 ||
                        work.sizes[channels] == 1);
    }
    for (const number_row* each : arrays) {
        fits = fits && (each->strides[channels] == 1 || each->strides[channels] == 0);
    }
    return fits;
}

}  // namespace lpt::inline LPT_ABI::plan::detail
#endif

// ======== lpt/plan/lookup.hpp
#ifndef LPT_HOLDS_PLAN_LOOKUP_HPP
#define LPT_HOLDS_PLAN_LOOKUP_HPP
// Functions of one byte are tables, also such that read it several times and through other tables: x * hsigmoid(x), quantized in between.

namespace lpt::inline LPT_ABI::plan {

namespace detail {

/// Runs an elementwise step that treats all elements alike on 256 of them; `bytes_of(tensor)`: where those of an operand are, of `type_of(tensor)`.
template <class Bytes, class Type>
byte_table table_of(const elementwise_step& work, const kernel::kernel_table& kernels, const Bytes& bytes_of,
                    const Type& type_of) {
    constexpr auto count = static_cast<std::int64_t>(byte_table().size());
    byte_table result;
    std::vector<kernel::post_operation> posts;
    for (const planned_post& post : work.finish.posts) {
        kernel::post_operation one;
        one.kind = post.kind;
        one.function = post.function;
        one.alpha = post.a.values[0];
        one.beta = post.b.values[0];
        if (post.residual.tensor != tensor_id::none) {
            one.residual = bytes_of(post.residual.tensor);
            one.residual_type = type_of(post.residual.tensor);
            one.residual_row_stride = count;
        }
        posts.push_back(one);
    }
    kernel::epilogue finish;
    finish.scale_all = work.finish.scale.values[0];
    finish.bias_all = work.finish.bias.values[0];
    finish.post = posts.data();
    finish.post_count = static_cast<int>(posts.size());
    finish.output_type = kind_of(work.finish.type);
    finish.quant_low = work.finish.low;
    finish.quant_high = work.finish.high;
    if (!work.has_two) {
        kernel::convert_problem problem;
        problem.channels = count;
        problem.input = bytes_of(work.operands[0].tensor);
        problem.input_type = type_of(work.operands[0].tensor);
        problem.input_layout = {count, count, 1};
        problem.output = result.data();
        problem.output_layout = {count, count, 1};
        problem.finish = finish;
        kernels.convert(problem, kernel::parallel_for{});
        return result;
    }
    const auto operand = [&](int which) {
        kernel::binary_operand one;
        one.data = bytes_of(work.operands[which].tensor);
        one.type = type_of(work.operands[which].tensor);
        one.row_stride = count;
        one.scale_all = work.scales[which].values[0];
        one.shift_all = work.shifts[which].values[0];
        return one;
    };
    kernel::binary_problem problem;
    problem.function = work.function;
    problem.rows = 1;
    problem.channels = count;
    problem.a = operand(0);
    problem.b = operand(1);
    problem.output = result.data();
    problem.output_row_stride = count;
    problem.finish = finish;
    kernels.binary(problem, kernel::parallel_for{});
    return result;
}

}  // namespace detail

/// The tensor that `tensor` is computed from by tables, and the table that does it at once; else `tensor` and the identity.
inline planner::byte_function planner::function_of(tensor_id tensor) const {
    const auto known = byte_functions_.find(tensor);
    if (known != byte_functions_.end()) {
        return known->second;
    }
    byte_function result{tensor, {}};
    for (std::size_t i = 0; i < result.table.size(); ++i) {
        result.table[i] = static_cast<std::uint8_t>(i);
    }
    return result;
}

/// Adds an elementwise step as a table, if it is a function of one byte tensor.
inline bool planner::try_lookup(step& made) {
    const auto& work = std::get<elementwise_step>(made.work);
    const std::vector<strided_tensor> operands = detail::operands_of(work);
    if (!is_byte(work.finish.type) || !detail::treats_all_alike(work)) {
        return false;
    }
    const tensor_id from = function_of(operands[0].tensor).from;
    for (const strided_tensor& each : operands) {
        const tensor_id source = function_of(each.tensor).from;
        if (!is_byte(at(each.tensor).type) || source != from || at(each.tensor).order != at(from).order ||
            !detail::same_places(each.strides, work.output.strides, work.sizes)) {
            return false;
        }
    }
    std::deque<byte_function> functions;  // a deque leaves them where they are
    const auto bytes_of = [&](tensor_id tensor) { return functions.emplace_back(function_of(tensor)).table.data(); };
    lookup_step table;
    table.input = from;
    table.output = work.output.tensor;
    table.count = static_cast<std::int64_t>(at(from).dimensions.elements());
    const byte_table values =
        detail::table_of(work, kernels(), bytes_of, [&](tensor_id tensor) { return kind_of(at(tensor).type); });
    table.table.assign(values.begin(), values.end());
    byte_functions_[table.output] = {from, values};
    for (const strided_tensor& each : operands) {
        lookups_through_[each.tensor].insert(table.output);
    }
    made.reads = {from};
    made.precision = at(from).type;
    made.kernel = std::string("lookup_") + kernel::name_of(kernels().instruction_set) + suffix_of(made.precision);
    made.work = std::move(table);
    add_step(std::move(made));
    return true;
}

/// Steps whose outputs nothing reads, since later tables include theirs.
inline std::vector<bool> planner::unread_lookups() {
    std::vector<std::size_t> readers(net_.storages.size(), 0);
    for (const step& each : net_.steps) {
        for (const tensor_id tensor : each.reads) {
            ++readers[index_of(at(tensor).storage)];
        }
    }
    for (const port& output : net_.outputs) {
        ++readers[index_of(at(output.tensor).storage)];
    }
    std::vector<bool> result(net_.steps.size(), false);
    for (std::size_t i = net_.steps.size(); i-- > 0;) {
        const auto* const table = std::get_if<lookup_step>(&net_.steps[i].work);
        result[i] = table != nullptr && lookups_through_.count(table->output) != 0 &&
                    readers[index_of(at(table->output).storage)] == 0;
        if (result[i]) {
            --readers[index_of(at(table->input).storage)];
        }
    }
    return result;
}

/// Drops tables that nothing reads; all that include them take over their operations.
inline void planner::drop_unread_lookups() {
    const std::vector<bool> is_dropped = unread_lookups();
    // Dropped steps, by the output of a table that reads theirs.
    std::map<tensor_id, std::vector<std::size_t>> included;
    for (std::size_t i = 0; i < net_.steps.size(); ++i) {
        if (is_dropped[i]) {
            for (const tensor_id through : lookups_through_.at(std::get<lookup_step>(net_.steps[i].work).output)) {
                included[through].push_back(i);
            }
        }
    }
    std::vector<step> kept;
    // By dropped step: the last one that took over its operations.
    std::vector<std::size_t> taken_by(net_.steps.size(), net_.steps.size());
    const auto take_over = [&](std::size_t i, tensor_id output) {
        std::vector<tensor_id> open{output};  // of tables, from this step's upwards
        while (!open.empty()) {
            const std::vector<std::size_t>& above = included[open.back()];
            open.pop_back();
            for (const std::size_t other : above) {
                if (std::exchange(taken_by[other], i) != i) {
                    const step& gone = net_.steps[other];
                    net_.steps[i].nodes.insert(net_.steps[i].nodes.end(), gone.nodes.begin(), gone.nodes.end());
                    open.push_back(std::get<lookup_step>(gone.work).output);
                }
            }
        }
    };
    for (std::size_t i = 0; i < net_.steps.size(); ++i) {
        if (is_dropped[i]) {
            continue;
        }
        if (const auto* const table = std::get_if<lookup_step>(&net_.steps[i].work)) {
            take_over(i, table->output);
        }
        kept.push_back(std::move(net_.steps[i]));
    }
    net_.steps = std::move(kept);
}

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/plan/elementwise.hpp
#ifndef LPT_HOLDS_PLAN_ELEMENTWISE_HPP
#define LPT_HOLDS_PLAN_ELEMENTWISE_HPP
// Functions of one or two tensors, element by element: quantization, dequantization, arithmetic, activations.

namespace lpt::inline LPT_ABI::plan {

namespace detail {

inline kernel::binary_function binary_function_of(op::kind kind) {
    switch (kind) {
        case op::kind::add: return kernel::binary_function::add;
        case op::kind::subtract: return kernel::binary_function::subtract;
        case op::kind::multiply: return kernel::binary_function::multiply;
        case op::kind::divide: return kernel::binary_function::divide;
        case op::kind::maximum: return kernel::binary_function::maximum;
        case op::kind::minimum: return kernel::binary_function::minimum;
        default: return kernel::binary_function::squared_difference;
    }
}

}  // namespace detail

/// Makes the step with an output of this layout; false if the kernels cannot run along the loops that it has.
inline bool planner::try_elementwise(const group& made, layout order) {
    const shape& dimensions = made.functions.dimensions;
    const std::size_t rank = dimensions.rank();
    const std::vector<std::size_t> axes = memory_order(rank, order);
    const auto numbers = [&](const spread& each) { return detail::numbers_in_order(each, axes); };
    elementwise_step work;
    step result;
    work.has_two = made.form == group_form::two_operands;
    for (const std::size_t axis : axes) {
        work.sizes.push_back(dimensions[axis]);
    }
    const auto read = [&](output_ref output) {
        const tensor_id tensor = tensor_of(output, model().shape(output).rank() == rank ? order : layout::plain);
        result.reads.push_back(tensor);
        return strided_tensor{tensor, detail::in_order(detail::broadcast_strides(at(tensor), dimensions), axes)};
    };
    work.operands[0] = read(made.operands[0].base);
    element data = at(work.operands[0].tensor).type;  // that the kernel's name ends with
    if (work.has_two) {
        work.operands[1] = read(made.operands[1].base);
        work.function = detail::binary_function_of(model()[made.anchor].kind());
        for (int i = 0; i < 2; ++i) {
            work.scales[i] = numbers(made.operands[i].scale);
            work.shifts[i] = numbers(made.operands[i].shift);
        }
        data = at(work.operands[1].tensor).type == f32 ? f32 : data;
    } else if (model()[made.anchor].is<op::fake_quantize>() && is_byte(made.functions.type)) {
        data = made.functions.type;
    }
    work.finish = finish_of(made.functions, numbers, read);
    work.output.strides = detail::in_order(strides_of(dimensions, order), axes);
    const bool same_places = detail::same_places(work.operands[0].strides, work.output.strides, work.sizes);
    if (!detail::settle_loops(work)) {
        return false;
    }
    work.output.tensor = add_tensor(made.functions.type, dimensions, order);
    result.may_overwrite = same_places && bit_width(at(work.operands[0].tensor).type) == bit_width(made.functions.type);
    result.nodes = made.functions.nodes;
    result.kernel = std::string(work.has_two ? "binary_" : "convert_") + kernel::name_of(kernels().instruction_set) +
                    suffix_of(data);
    result.writes = {work.output.tensor};
    define(made.functions.tail, work.output.tensor);
    result.work = std::move(work);
    if (!try_lookup(result)) {
        add_step(std::move(result));
    }
    return true;
}

inline void planner::make_elementwise(const group& made) {
    if (layout_of(made.functions.tail.node) == layout::channels_last && try_elementwise(made, layout::channels_last)) {
        return;
    }
    if (!try_elementwise(made, layout::plain)) {
        const node& each = model()[made.anchor];
        fail({each.operation(), " '", each.name(), "': no kernel runs along its loops"});
    }
}

inline void planner::make_dequantization(output_ref output, layout order) {
    const quantized_source& from = sources_.of(output);
    group made;
    made.anchor = output.node;
    made.operands[0] = plain_source(model(), from.base);
    made.functions.dimensions = model().shape(output);
    made.functions.dequantize(from);
    made.functions.tail = output;
    output_ref above = output;
    while (!(above == from.base)) {
        made.functions.nodes.push_back(above.node);
        const int port = detail::dequantization_port(model(), above.node);
        above = model()[above.node].input(static_cast<std::size_t>(port));
    }
    if (!try_elementwise(made, order) && !try_elementwise(made, layout::plain)) {
        const node& each = model()[output.node];
        fail({each.operation(), " '", each.name(), "': no kernel runs along its loops"});
    }
}

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/plan/attention.hpp
#ifndef LPT_HOLDS_PLAN_ATTENTION_HPP
#define LPT_HOLDS_PLAN_ATTENTION_HPP
namespace lpt::inline LPT_ABI::plan {

namespace detail {

/// A tensor as an attention sees it: sizes and strides of its axes.
struct strided_view {
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> strides;

    explicit strided_view(const shape& dimensions) : strides(strides_of(dimensions, layout::plain)) {
        for (std::size_t axis = 0; axis < dimensions.rank(); ++axis) {
            sizes.push_back(dimensions[axis]);
        }
    }
    /// Some of its axes, or all, in another order.
    strided_view(const shape& dimensions, const std::vector<std::size_t>& order) {
        const strided_view whole(dimensions);
        for (const std::size_t axis : order) {
            sizes.push_back(whole.sizes[axis]);
            strides.push_back(whole.strides[axis]);
        }
    }
    /// The stride of the axis that is `distance` from the end; 0 where the tensor repeats along it.
    std::int64_t from_back(std::size_t distance) const {
        const bool repeats = sizes.size() < distance || sizes[sizes.size() - distance] == 1;
        return repeats ? 0 : strides[sizes.size() - distance];
    }
    /// Those of the `axes` axes in front of the last two.
    void leading(std::int64_t axes, std::int64_t* result) const {
        for (std::int64_t axis = 0; axis < axes; ++axis) {
            result[axis] = from_back(static_cast<std::size_t>(axes - axis) + 2);
        }
    }
};

/// A Broadcast of [..., heads, 1, rows, columns] along the axis of size 1, and the Reshape to [..., heads * times, rows, columns] behind it: language
/// models repeat heads of keys and values so for the heads of queries that share them.
struct repeated_heads {
    std::int64_t times = 1;  // 1: there is nothing of that kind
    node_id reshape = node_id::none;
    node_id broadcast = node_id::none;
    output_ref heads;  // in front of both

    repeated_heads(const graph& model, output_ref output) {
        const node& last = model[output.node];
        if (!last.is<op::reshape>() || !model[last.input(0).node].is<op::broadcast>()) {
            return;
        }
        const output_ref wide = last.input(0);
        const output_ref from = model[wide.node].input(0);
        const op::broadcast_mode mode = model[wide.node].as<op::broadcast>().mode;
        const bool aligns_at_right = mode == op::broadcast_mode::numpy || mode == op::broadcast_mode::bidirectional;
        const bool converts = model.type(from) != model.type(wide) || model.type(wide) != last.type();
        const std::size_t rank = last.shape().rank();
        if (!aligns_at_right || converts || model.use_count(output) != 1 || model.use_count(wide) != 1 || rank < 3 ||
            model.shape(wide).rank() != rank + 1) {
            return;
        }
        const std::size_t new_axis = rank - 2;
        shape narrow = model.shape(wide);
        narrow[new_axis] = 1;
        shape merged = narrow;
        merged.erase(new_axis);
        merged[new_axis - 1] *= model.shape(wide)[new_axis];
        if (!(narrow == model.shape(from)) || !(merged == last.shape())) {
            return;
        }
        times = model.shape(wide)[new_axis];
        reshape = output.node;
        broadcast = wide.node;
        heads = from;
    }
};

/// Sizes, scale and mask of an attention that the kernel takes.
inline bool attention_of(const graph& model, const node& each, kernel::attention_problem& result) {
    const shape& output = each.shape();
    if (each.type() != f32 || each.own_types() != nullptr || each.inputs() > 5 || !has_elements(output) ||
        output.rank() > 2 + static_cast<std::size_t>(kernel::attention_problem::most_axes)) {
        return false;
    }
    for (std::size_t port = 0; port < each.inputs(); ++port) {
        if (!has_elements(model.shape(each.input(port)))) {
            return false;
        }
    }
    const shape& query = model.shape(each.input(0));
    const shape& value = model.shape(each.input(2));
    result.queries = query[query.rank() - 2];
    result.depth = query[query.rank() - 1];
    result.keys = value[value.rank() - 2];
    result.width = value[value.rank() - 1];
    result.causal = each.as<op::scaled_dot_product_attention>().causal;
    const tensor* scale = each.inputs() > 4 ? model.constant_value(each.input(4)) : nullptr;
    if (each.inputs() > 4 && scale == nullptr) {
        return false;
    }
    result.scale =
        static_cast<float>(scale != nullptr ? scale->real(0) : 1 / math::sqrt(static_cast<double>(result.depth)));
    result.head_axes = static_cast<std::int64_t>(output.rank()) - 2;
    for (std::int64_t axis = 0; axis < result.head_axes; ++axis) {
        result.heads[axis] = output[static_cast<std::size_t>(axis)];
    }
    strided_view(output).leading(result.head_axes, result.output_strides);
    result.output_row_stride = result.width;
    if (each.inputs() < 4) {
        return true;
    }
    const strided_view mask(model.shape(each.input(3)));
    const element type = model.type(each.input(3));
    result.mask_use = type == boolean ? kernel::attention_mask::choose : kernel::attention_mask::add;
    mask.leading(result.head_axes, result.mask_strides);
    result.mask_row_stride = mask.from_back(2);
    result.mask_column_stride = mask.from_back(1);
    return type == boolean || type == f32;
}

/// Splits the axis of heads into [heads / times, times]; keys and values do not move along the second. With one query a head the second becomes the
/// rows, one product for all of them, where enough heads are left for the threads. Not where it is causal: row r would see key r.
inline void share_heads(kernel::attention_problem& problem, std::int64_t times, int threads) {
    const std::int64_t last = problem.head_axes - 1;
    const auto split = [&](std::int64_t* strides) {
        strides[last + 1] = strides[last];
        strides[last] *= times;
    };
    problem.heads[last] /= times;
    split(problem.queries_at.strides);
    split(problem.output_strides);
    split(problem.mask_strides);
    std::int64_t tasks = 1;
    for (std::int64_t axis = 0; axis <= last; ++axis) {
        tasks *= problem.heads[axis];
    }
    if (problem.queries == 1 && !problem.causal && tasks >= threads) {
        problem.queries = times;
        problem.queries_at.row_stride = problem.queries_at.strides[last + 1];
        problem.output_row_stride = problem.output_strides[last + 1];
        problem.mask_row_stride = problem.mask_strides[last + 1];
        return;
    }
    problem.heads[last + 1] = times;
    problem.keys_at.strides[last + 1] = 0;
    problem.values_at.strides[last + 1] = 0;
    ++problem.head_axes;
}

}  // namespace detail

/// What an attention reads for one of its matrices. It passes, where nobody else reads them: a dequantization with one scale (products of bytes are
/// exact in single precision), then either what repeats heads, or Transposes.
inline attention_input planner::input_of_attention(node_id id, std::size_t port, bool may_share) {
    const output_ref input = model()[id].input(port);
    attention_input result;
    result.from = input;
    const quantized_source& dequantized = sources_.of(input);
    bool is_only_reader = true;
    if (dequantized.has_one_zero_point()) {
        result.scale = dequantized.scale.one();
        result.zero_point = dequantized.zero_point();
        result.from = dequantized.base;
        for (output_ref at = input; !(at == dequantized.base);) {
            is_only_reader = is_only_reader && model().use_count(at) == 1;
            at = model()[at.node].input(static_cast<std::size_t>(detail::dequantization_port(model(), at.node)));
        }
    }
    const std::size_t rank = model().shape(result.from).rank();
    std::vector<std::size_t> order(rank);
    for (std::size_t axis = 0; axis < rank; ++axis) {
        order[axis] = axis;
    }
    result.order = order;
    const detail::repeated_heads repeated(model(), result.from);
    if (may_share && is_only_reader && repeated.times > 1) {
        result.from = repeated.heads;
        result.times = repeated.times;
        result.order[rank - 2] = rank - 1;  // all but the axis that is repeated
        result.order[rank - 1] = rank;
        result.joined = {repeated.reshape, repeated.broadcast};
        return result;
    }
    std::vector<node_id> passed;
    for (output_ref at = result.from; is_only_reader && model().use_count(at) == 1;) {
        const node& each = model()[at.node];
        const tensor* axes = each.is<op::transpose>() ? model().constant_value(each.input(1)) : nullptr;
        if (axes == nullptr || each.type() != model().type(each.input(0))) {
            break;
        }
        for (std::size_t& axis : order) {
            axis = axes->elements() == 0 ? rank - 1 - axis : static_cast<std::size_t>(axes->integer(axis));
        }
        passed.push_back(at.node);
        at = each.input(0);
        if (order[rank - 1] == rank - 1) {  // rows are dense
            result.from = at;
            result.order = order;
            result.joined = passed;
        }
    }
    return result;
}

/// Queries, keys and values of an attention. The kernel has one set of axes for the heads of keys and values, so both are repeated as often, or are read
/// behind what repeats them.
inline std::array<attention_input, 3> planner::inputs_of_attention(node_id id) {
    const bool has_room = model()[id].shape().rank() < 2 + kernel::attention_problem::most_axes;
    const auto read = [&](bool may_share) {
        return std::array{input_of_attention(id, 0, false), input_of_attention(id, 1, may_share),
                          input_of_attention(id, 2, may_share)};
    };
    const std::array<attention_input, 3> result = read(has_room);
    return result[1].times == result[2].times ? result : read(false);
}

/// What attentions take with what they read.
inline void planner::join_to_attentions(const seq<node_id>& order) {
    is_joined_.assign(model().id_bound(), false);
    for (const node_id id : order) {
        kernel::attention_problem problem;
        if (!model()[id].is<op::scaled_dot_product_attention>() ||
            !detail::attention_of(model(), model()[id], problem)) {
            continue;
        }
        for (const attention_input& each : inputs_of_attention(id)) {
            for (const node_id joined : each.joined) {
                is_joined_[index_of(joined)] = true;
            }
        }
    }
}

/// ScaledDotProductAttention.
inline bool planner::make_attention(node_id id) {
    const node& each = model()[id];
    kernel::attention_problem problem;
    if (!each.is<op::scaled_dot_product_attention>() || !detail::attention_of(model(), each, problem)) {
        return false;
    }
    std::vector<node_id> nodes{id};
    std::vector<tensor_id> operands;
    double scales[3];
    kernel::attention_matrix* const matrices[3] = {&problem.queries_at, &problem.keys_at, &problem.values_at};
    const std::array<attention_input, 3> inputs = inputs_of_attention(id);
    for (std::size_t port = 0; port < 3; ++port) {
        const attention_input& from = inputs[port];
        const detail::strided_view seen(model().shape(from.from), from.order);
        operands.push_back(tensor_of(from.from, layout::plain));
        scales[port] = from.scale;
        matrices[port]->type = kind_of(model().type(from.from));
        matrices[port]->zero_point = from.zero_point;
        matrices[port]->row_stride = seen.from_back(2);
        seen.leading(problem.head_axes, matrices[port]->strides);
        nodes.insert(nodes.end(), from.joined.begin(), from.joined.end());
    }
    if (inputs[1].times > 1) {
        detail::share_heads(problem, inputs[1].times, options_.threads);
    }
    problem.scale = static_cast<float>(static_cast<double>(problem.scale) * scales[0] * scales[1]);
    problem.value_scale = static_cast<float>(scales[2]);
    operands.push_back(each.inputs() > 3 ? tensor_of(each.input(3), layout::plain) : tensor_id::none);
    const auto scratch = static_cast<dimension>(kernel::attention_scratch_bytes(problem) * options_.threads);
    operands.push_back(add_tensor(f32, each.shape(), layout::plain));
    define(id, operands.back());
    operands.push_back(add_tensor(u8, shape{scratch}, layout::plain));
    add_kernel(std::move(nodes), problem, std::move(operands));
    return true;
}

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/plan/axes.hpp
#ifndef LPT_HOLDS_PLAN_AXES_HPP
#define LPT_HOLDS_PLAN_AXES_HPP
// Reductions and normalizations over any axes.

namespace lpt::inline LPT_ABI::plan {

namespace detail {

/// Which axes of a tensor an operation works along; false where they are not known.
using axis_set = std::vector<bool>;

inline bool axes_of_input(const graph& model, const node& each, axis_set& result) {
    const tensor* axes = each.inputs() > 1 ? model.constant_value(each.input(1)) : nullptr;
    const std::size_t rank = model.shape(each.input(0)).rank();
    result.assign(rank, false);
    for (std::size_t i = 0; axes != nullptr && i < axes->elements() && rank != 0; ++i) {
        const std::int64_t axis = normalized_axis(axes->integer(i), rank);
        if (axis < 0) {
            return false;
        }
        result[static_cast<std::size_t>(axis)] = true;
    }
    return axes != nullptr;
}

/// The axes of MVN: an input from version 6 on; before, an attribute, or what `across_channels` says.
inline bool axes_of_mvn(const graph& model, const node& each, axis_set& result) {
    if (each.version() >= 6) {
        return axes_of_input(model, each, result);
    }
    const auto& self = each.as<op::mvn>();
    const std::size_t rank = model.shape(each.input(0)).rank();
    result.assign(rank, false);
    for (const std::int64_t axis : self.reduction_axes) {
        result[static_cast<std::size_t>(normalized_axis(axis, rank))] = true;
    }
    for (std::size_t axis = self.across_channels ? 1 : 2; self.reduction_axes.empty() && axis < rank; ++axis) {
        result[axis] = true;
    }
    return true;
}

/// Those axes of a dense tensor that are in a set, or that are not; neighbours are one. False for more than kernels take.
inline bool listed_axes(const shape& dimensions, const axis_set& set, bool inside, kernel::axis_list& result) {
    const std::vector<std::int64_t> strides = strides_of(dimensions, layout::plain);
    for (std::size_t axis = 0; axis < dimensions.rank(); ++axis) {
        if (set[axis] != inside || dimensions[axis] == 1) {
            continue;
        }
        const std::int64_t size = dimensions[axis];
        if (result.count != 0 && result.strides[result.count - 1] == size * strides[axis]) {
            result.sizes[result.count - 1] *= size;
            result.strides[result.count - 1] = strides[axis];
        } else if (result.count == kernel::axis_list::most) {
            return false;
        } else {
            result.sizes[result.count] = size;
            result.strides[result.count] = strides[axis];
            ++result.count;
        }
    }
    return true;
}

inline bool reduction_of(op::kind kind, kernel::reduction_kind& result) {
    switch (kind) {
        case op::kind::reduce_sum: result = kernel::reduction_kind::sum; return true;
        case op::kind::reduce_mean: result = kernel::reduction_kind::mean; return true;
        case op::kind::reduce_max: result = kernel::reduction_kind::maximum; return true;
        case op::kind::reduce_min: result = kernel::reduction_kind::minimum; return true;
        case op::kind::reduce_prod: result = kernel::reduction_kind::product; return true;
        case op::kind::reduce_l1: result = kernel::reduction_kind::l1; return true;
        case op::kind::reduce_l2: result = kernel::reduction_kind::l2; return true;
        default: return false;
    }
}

/// How MVN or NormalizeL2 normalizes; false for other operations, and for an epsilon that single precision cannot tell from squares that
/// it loses.
inline bool normalization_of(const node& each, kernel::normalization_problem& result) {
    constexpr double least_epsilon = 1e-30;
    double epsilon = 0;
    if (each.is<op::mvn>()) {
        const auto& self = each.as<op::mvn>();
        const bool outside = each.version() >= 6 && self.eps_mode == op::mvn_eps_mode::outside_sqrt;
        epsilon = self.eps;
        result.kind = !self.normalize_variance ? kernel::normalization_kind::mean
                      : outside                ? kernel::normalization_kind::mean_and_shifted_deviation
                                               : kernel::normalization_kind::mean_and_deviation;
    } else if (each.is<op::normalize_l2>()) {
        const auto& self = each.as<op::normalize_l2>();
        epsilon = self.eps;
        result.kind = self.eps_mode == op::normalize_eps_mode::add ? kernel::normalization_kind::length
                                                                   : kernel::normalization_kind::limited_length;
    } else {
        return false;
    }
    result.epsilon = static_cast<float>(epsilon);
    return result.kind == kernel::normalization_kind::mean || epsilon >= least_epsilon;
}

}  // namespace detail

/// Reductions but those of truth values.
inline bool planner::make_reduction(node_id id) {
    const node& each = model()[id];
    kernel::reduction_problem problem;
    detail::axis_set axes;
    if (!detail::reduction_of(each.kind(), problem.kind) || !detail::maps_f32(model(), each) ||
        !detail::axes_of_input(model(), each, axes)) {
        return false;
    }
    const shape& data = model().shape(each.input(0));
    if (!detail::listed_axes(data, axes, false, problem.kept) ||
        !detail::listed_axes(data, axes, true, problem.reduced)) {
        return false;
    }
    const tensor_id from = make_f32(tensor_of(each.input(0), layout::plain));
    const tensor_id to = add_tensor(f32, each.shape(), layout::plain);
    define(id, to);
    add_kernel({id}, problem, {from, to});
    return true;
}

/// The group that scales and shifts the elements of a normalization's only axis, if nobody else reads the normalization; null: there is none.
inline const group* planner::affine_behind(node_id id, const kernel::normalization_problem& problem) const {
    const output_ref output(id, 0);
    const shape& dimensions = model()[id].shape();
    const bool one_axis = problem.reduced.count == 1 && dimensions.rank() != 0 && problem.reduced.strides[0] == 1 &&
                          problem.reduced.sizes[0] == dimensions[dimensions.rank() - 1];
    if (!one_axis || model().use_count(output) != 1) {
        return nullptr;
    }
    const node_id user = model().uses(output)[0].node;
    const int number = grouping_.of_node[index_of(user)];
    if (number < 0) {
        return nullptr;
    }
    const group& made = grouping_.groups[static_cast<std::size_t>(number)];
    const chain& behind = made.functions;
    const auto fits = [&](const spread& numbers) {
        return numbers.is_one() || (numbers.varies_only_along(dimensions.rank() - 1) &&
                                    static_cast<std::int64_t>(numbers.values.size()) == problem.reduced.sizes[0]);
    };
    const bool is_affine = made.form == group_form::one_operand && made.operands[0].base == output &&
                           behind.type == f32 && behind.dimensions == dimensions && behind.functions.size() == 1 &&
                           behind.functions[0].what == chain_function::form::affine;
    return is_affine && fits(behind.functions[0].scale) && fits(behind.functions[0].shift) ? &made : nullptr;
}
/// The numbers along the innermost axis as a constant.
inline tensor_id planner::numbers_along(const spread& numbers, std::int64_t length) {
    tensor_builder result(f32, shape{static_cast<dimension>(length)});
    for (std::size_t i = 0; i < result.elements(); ++i) {
        result.real(i, numbers.values[numbers.is_one() ? 0 : i]);
    }
    return add_constant(result.finish());
}

/// MVN and NormalizeL2, with a scale and a shift of each element behind them.
inline bool planner::make_normalization(node_id id) {
    const node& each = model()[id];
    kernel::normalization_problem problem;
    detail::axis_set axes;
    if (!detail::normalization_of(each, problem) || !detail::maps_f32(model(), each) ||
        !(each.is<op::mvn>() ? detail::axes_of_mvn(model(), each, axes) : detail::axes_of_input(model(), each, axes)) ||
        !detail::listed_axes(each.shape(), axes, false, problem.kept) ||
        !detail::listed_axes(each.shape(), axes, true, problem.reduced)) {
        return false;
    }
    const tensor_id from = make_f32(tensor_of(each.input(0), layout::plain));
    const tensor_id to = add_tensor(f32, each.shape(), layout::plain);
    const group* const behind = affine_behind(id, problem);
    if (behind == nullptr) {
        define(id, to);
        add_kernel({id}, problem, {from, to, tensor_id::none, tensor_id::none}, f32, true);
        return true;
    }
    std::vector<node_id> nodes{id};
    for (const node_id member : behind->functions.nodes) {
        is_joined_[index_of(member)] = true;
        nodes.push_back(member);
    }
    const chain_function& affine = behind->functions.functions[0];
    const tensor_id scale = numbers_along(affine.scale, problem.reduced.sizes[0]);
    const tensor_id shift = numbers_along(affine.shift, problem.reduced.sizes[0]);
    define(behind->functions.tail, to);
    add_kernel(std::move(nodes), problem, {from, to, scale, shift}, f32, true);
    return true;
}

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/plan/cast.hpp
#ifndef LPT_HOLDS_PLAN_CAST_HPP
#define LPT_HOLDS_PLAN_CAST_HPP
namespace lpt::inline LPT_ABI::plan {

/// Convert and ConvertLike that are no part of a quantization.
inline bool planner::make_cast(node_id id) {
    const node& each = model()[id];
    kernel::cast_problem problem;
    if ((!each.is<op::convert>() && !each.is<op::convert_like>()) || !each.shape().is_static() ||
        each.shape().elements() == 0 || !number_type_of(model().type(each.input(0)), problem.input_type) ||
        !number_type_of(each.type(), problem.output_type)) {
        return false;
    }
    problem.count = static_cast<std::int64_t>(each.shape().elements());
    const tensor_id from = tensor_of(each.input(0), layout::plain);
    const tensor_id to = add_tensor(each.type(), each.shape(), layout::plain);
    define(id, to);
    add_kernel({id}, problem, {from, to}, reference_type(model(), each));
    return true;
}

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/plan/compressed_product.hpp
#ifndef LPT_HOLDS_PLAN_COMPRESSED_PRODUCT_HPP
#define LPT_HOLDS_PLAN_COMPRESSED_PRODUCT_HPP
// Products with weights of few bits.

namespace lpt::inline LPT_ABI::plan {

namespace detail {

/// Codes of weights, [columns][blocks][elements of a block], without a sign.
class weight_codes {
    const std::byte* data_;
    std::int64_t bits_;
    std::int64_t block_;  // elements; the last block may have some that no row has
    std::uint32_t sign_;  // flips it in all codes of a word

public:
    explicit weight_codes(const tensor& weights)
        : data_(weights.data()),
          bits_(static_cast<std::int64_t>(bit_width(weights.type()))),
          block_(weights.dimensions()[2]),
          sign_(weights.type() == i4   ? 0x88888888u
                : weights.type() == i8 ? 0x80808080u
                                       : 0u) {}

    /// What has to be added to a code to have none below zero.
    double shift() const { return sign_ == 0 ? 0 : bits_ == 4 ? 8 : 128; }

    /// The codes of a block from element `k` on, at most a word of them, the first one in the lowest bits.
    std::uint32_t word(std::int64_t block, std::int64_t k, std::int64_t count) const {
        const std::int64_t first = block * block_ + k;
        std::uint32_t result = 0;
        if (first * bits_ % 8 == 0 && count * bits_ == 32) {
            std::memcpy(&result, data_ + first * bits_ / 8, sizeof result);
            return result ^ sign_;
        }
        for (std::int64_t i = 0; i < count; ++i) {
            const std::int64_t at = (first + i) * bits_;
            const auto byte = std::to_integer<std::uint32_t>(data_[at / 8]) >> at % 8;
            result |= ((byte ^ sign_) & ((1u << bits_) - 1u)) << i * bits_;
        }
        return result;
    }
};

/// One panel of packed weights. `zero_points`: null where the problem has one for all.
inline void pack_compressed_panel(const kernel::compressed_product_problem& p, const weight_codes& codes,
                                  const tensor& scales, const tensor* zero_points, std::int64_t panel, std::byte* to) {
    const kernel::compressed_block form(p);
    constexpr std::int64_t width = kernel::compressed_block::panel_columns;
    const std::int64_t blocks = kernel::compressed_blocks(p);
    const std::int64_t first = panel * width;
    const std::int64_t columns = std::min(width, p.columns - first);
    const auto put = [](std::byte* at, auto value) { std::memcpy(at, &value, sizeof value); };
    for (std::int64_t b = 0; b < blocks; ++b, to += form.bytes) {
        const std::int64_t size = std::min(p.block, p.inner - b * p.block);
        for (std::int64_t i = 0; i < columns; ++i) {
            const std::int64_t at = (first + i) * blocks + b;
            put(to + i * 4, static_cast<float>(scales.real(static_cast<std::size_t>(at))));
            if (zero_points != nullptr) {
                const double zero = zero_points->real(static_cast<std::size_t>(at)) + codes.shift();
                put(to + form.zero_points_at + i * 4, static_cast<float>(zero));
            }
            for (std::int64_t word = 0; word * form.codes_of_word < size; ++word) {
                const std::int64_t k = word * form.codes_of_word;
                const std::uint32_t value = codes.word(at, k, std::min(form.codes_of_word, size - k));
                put(to + form.words_at + (word * width + i) * form.word_bytes, value);
            }
        }
    }
}

/// Calls `work(i)` for each i in [0, count), on as many threads as there are.
template <class Work>
void for_each_part(const kernel::parallel_for& parallel, std::int64_t count, const Work& work) {
    const std::int64_t tasks = parallel.run == nullptr ? 1 : std::min<std::int64_t>(parallel.threads, count);
    struct job {
        const Work& work;
        std::int64_t count, tasks;
        static void run(void* context, int task) {
            const job& self = *static_cast<const job*>(context);
            for (std::int64_t i = self.count * task / self.tasks; i < self.count * (task + 1) / self.tasks; ++i) {
                self.work(i);
            }
        }
    };
    job all{work, count, tasks};
    if (tasks > 1) {
        parallel.run(parallel.pool, static_cast<int>(tasks), &job::run, &all);
    } else {
        job::run(&all, 0);
    }
}

inline bool rounds_data(const node& product, data_rounding which) {
    return which == data_rounding::all || (which == data_rounding::allowed && product.has(mark::may_round_data));
}

/// The numbers of weights besides their codes, as a word that differs where they do.
inline std::string hash_of(const tensor& numbers) {
    const std::string_view all(reinterpret_cast<const char*>(numbers.data()), numbers.size_in_bytes());
    return std::to_string(std::hash<std::string_view>()(all));
}

/// True if all numbers are the same.
inline bool is_one_number(const tensor& numbers) {
    for (std::size_t i = 1; i < numbers.elements(); ++i) {
        if (numbers.real(i) != numbers.real(0)) {
            return false;
        }
    }
    return numbers.elements() != 0;
}

}  // namespace detail

/// FullyConnectedCompressed with known weights.
inline bool planner::make_compressed_product(node_id id) {
    const node& each = model()[id];
    if (!each.is<op::fully_connected_compressed>() || !detail::maps_f32(model(), each)) {
        return false;
    }
    for (std::size_t port = 1; port < each.inputs(); ++port) {
        if (model().constant_value(each.input(port)) == nullptr) {
            return false;
        }
    }
    const tensor weights = *model().constant_value(each.input(1));
    const tensor scales = *model().constant_value(each.input(2));
    const tensor* zero_points = each.inputs() > 3 ? model().constant_value(each.input(3)) : nullptr;
    const shape& data = model().shape(each.input(0));
    const detail::weight_codes codes(weights);
    kernel::compressed_product_problem problem;
    problem.inner = data[data.rank() - 1];
    problem.rows = static_cast<std::int64_t>(data.elements()) / problem.inner;
    problem.columns = weights.dimensions()[0];
    problem.block = std::min<std::int64_t>(weights.dimensions()[2], problem.inner);
    problem.bits = static_cast<std::int64_t>(bit_width(weights.type()));
    problem.rounds_rows = detail::rounds_data(each, options_.dynamic_quantization);
    if (zero_points != nullptr && detail::is_one_number(*zero_points)) {
        problem.zero_point = static_cast<float>(zero_points->real(0) + codes.shift());
        zero_points = nullptr;
    } else {
        problem.has_zero_points = zero_points != nullptr;
        problem.zero_point = static_cast<float>(codes.shift());
    }
    std::string form = "compressed " + std::to_string(problem.inner);
    for (std::size_t port = 2; port < each.inputs(); ++port) {
        form += " " + detail::hash_of(*model().constant_value(each.input(port)));
    }
    const auto packed =
        packed_weights().find_or_pack(weights, form, kernel::compressed_bytes(problem), [&](std::byte* to) {
            const std::int64_t panels = kernel::compressed_panels(problem);
            const auto size = static_cast<std::int64_t>(kernel::compressed_bytes(problem)) / panels;
            detail::for_each_part(options_.parallel, panels, [&](std::int64_t panel) {
                detail::pack_compressed_panel(problem, codes, scales, zero_points, panel, to + panel * size);
            });
        });
    const tensor_id from = make_f32(tensor_of(each.input(0), layout::plain));
    const tensor_id constant = add_constant(detail::tensor_of_packed(packed));
    const tensor_id to = add_tensor(f32, each.shape(), layout::plain);
    const auto scratch = static_cast<dimension>(kernel::compressed_scratch_bytes(problem));
    define(id, to);
    add_kernel({id}, problem,
               {from, constant, to, scratch == 0 ? tensor_id::none : add_tensor(u8, shape{scratch}, layout::plain)},
               problem.rounds_rows ? i8 : f32);
    return true;
}

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/plan/pointwise.hpp
#ifndef LPT_HOLDS_PLAN_POINTWISE_HPP
#define LPT_HOLDS_PLAN_POINTWISE_HPP
// Arithmetic of numbers that no epilogue computes with, comparisons, logic, Select.

namespace lpt::inline LPT_ABI::plan {

namespace detail {

/// What the kernel computes for an operation; false where it has no function.
inline bool pointwise_function_of(const node& each, bool is_real, kernel::pointwise_function& result) {
    using kernel::pointwise_function;
    switch (each.kind()) {
        case op::kind::add: result = pointwise_function::add; return true;
        case op::kind::subtract: result = pointwise_function::subtract; return true;
        case op::kind::multiply: result = pointwise_function::multiply; return true;
        case op::kind::divide:
            result = !is_real && each.as<op::divide>().m_pythondiv ? pointwise_function::divide_downwards
                                                                   : pointwise_function::divide;
            return true;
        case op::kind::mod: result = pointwise_function::remainder; return !is_real;
        case op::kind::floor_mod: result = pointwise_function::remainder_downwards; return !is_real;
        case op::kind::power: result = pointwise_function::power; return !is_real;
        case op::kind::maximum: result = pointwise_function::maximum; return true;
        case op::kind::minimum: result = pointwise_function::minimum; return true;
        case op::kind::squared_difference: result = pointwise_function::squared_difference; return true;
        case op::kind::equal: result = pointwise_function::equal; return true;
        case op::kind::not_equal: result = pointwise_function::not_equal; return true;
        case op::kind::greater: result = pointwise_function::greater; return true;
        case op::kind::greater_equal: result = pointwise_function::greater_equal; return true;
        case op::kind::less: result = pointwise_function::less; return true;
        case op::kind::less_equal: result = pointwise_function::less_equal; return true;
        case op::kind::logical_and: result = pointwise_function::logical_and; return true;
        case op::kind::logical_or: result = pointwise_function::logical_or; return true;
        case op::kind::logical_xor: result = pointwise_function::logical_xor; return true;
        case op::kind::logical_not: result = pointwise_function::logical_not; return true;
        case op::kind::bitwise_and: result = pointwise_function::logical_and; return each.type() == boolean;
        case op::kind::bitwise_or: result = pointwise_function::logical_or; return each.type() == boolean;
        case op::kind::bitwise_xor: result = pointwise_function::logical_xor; return each.type() == boolean;
        case op::kind::bitwise_not: result = pointwise_function::logical_not; return each.type() == boolean;
        case op::kind::abs: result = pointwise_function::abs; return true;
        case op::kind::negative: result = pointwise_function::negative; return true;
        case op::kind::sign: result = pointwise_function::sign; return true;
        case op::kind::select: result = pointwise_function::select; return true;
        default: return false;
    }
}

/// Whole numbers as wide as a type: what is only moved keeps its bits.
inline kernel::number_type whole_numbers_like(element type) {
    using kernel::number_type;
    switch (bit_width(type)) {
        case 8: return number_type::u8;
        case 16: return number_type::u16;
        case 32: return number_type::i32;
        default: return number_type::i64;
    }
}

/// The types that the kernel computes in; false where it does not know them. `type`: of a and b.
inline bool set_types(const node& each, element type, kernel::pointwise_problem& problem) {
    if (!number_type_of(type, problem.input_type) || !number_type_of(each.type(), problem.output_type)) {
        return false;
    }
    if (each.is<op::select>()) {
        problem.input_type = problem.output_type = whole_numbers_like(type);
    }
    return true;
}

/// True if a and b have elements of one type, and no divisor can be zero. Numbers of u64 are left to the reference, which refuses those that it
/// cannot compute with.
inline bool can_be_pointwise(const graph& model, const node& each, std::size_t first) {
    const element type = model.type(each.input(first));
    bool result = each.own_types() == nullptr && (type != u64 || each.is<op::select>()) && has_elements(each.shape());
    for (std::size_t port = 0; port < each.inputs(); ++port) {
        result = result && has_elements(model.shape(each.input(port))) &&
                 (port < first || model.type(each.input(port)) == type);
    }
    const bool divides = each.is<op::divide>() || each.is<op::mod>() || each.is<op::floor_mod>();
    if (result && divides && !is_real(type)) {
        const tensor* divisor = model.constant_value(each.input(1));
        result = divisor != nullptr && !evaluation::detail::has_zero(*divisor);
    }
    return result;
}

/// The loops over an output, joined where the strides of all tensors allow it; false for more than the kernel has.
inline bool settle_axes(const shape& dimensions, std::vector<std::vector<std::int64_t>>& strides,
                        kernel::pointwise_problem& problem) {
    loops all;
    for (std::size_t axis = 0; axis < dimensions.rank(); ++axis) {
        all.sizes.push_back(dimensions[axis]);
    }
    for (std::vector<std::int64_t>& of : strides) {
        all.operands.push_back(&of);
    }
    all.merge();
    if (all.sizes.size() > kernel::pointwise_problem::most_axes) {
        return false;
    }
    problem.count = static_cast<std::int64_t>(all.sizes.size());
    std::copy(all.sizes.begin(), all.sizes.end(), problem.sizes);
    return true;
}

}  // namespace detail

/// Operations on each element that are part of no group: an integer division whose divisor is known, arithmetic of other types than f32.
inline bool planner::make_pointwise(node_id id) {
    const node& each = model()[id];
    kernel::pointwise_problem problem;
    const std::size_t first = each.is<op::select>() ? 1 : 0;
    if (each.inputs() <= first ||
        !detail::pointwise_function_of(each, is_real(model().type(each.input(0))), problem.function) ||
        !detail::set_types(each, model().type(each.input(first)), problem) ||
        !detail::can_be_pointwise(model(), each, first)) {
        return false;
    }
    const shape& dimensions = each.shape();
    std::vector<std::vector<std::int64_t>> strides;
    for (std::size_t port = 0; port < each.inputs(); ++port) {
        strides.push_back(detail::broadcast_strides(model().shape(each.input(port)), layout::plain, dimensions));
    }
    strides.push_back(strides_of(dimensions, layout::plain));
    if (!detail::settle_axes(dimensions, strides, problem)) {
        return false;
    }
    std::int64_t* const strides_of_slots[] = {problem.condition_strides, problem.a_strides, problem.b_strides};
    std::vector<tensor_id> operands(3, tensor_id::none);
    for (std::size_t port = 0; port < each.inputs(); ++port) {
        const std::size_t slot = port + 1 - first;
        std::copy(strides[port].begin(), strides[port].end(), strides_of_slots[slot]);
        operands[slot] = tensor_of(each.input(port), layout::plain);
    }
    operands.push_back(add_tensor(each.type(), dimensions, layout::plain));
    define(id, operands.back());
    add_kernel({id}, problem, operands, reference_type(model(), each));
    return true;
}

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/plan/recurrent.hpp
#ifndef LPT_HOLDS_PLAN_RECURRENT_HPP
#define LPT_HOLDS_PLAN_RECURRENT_HPP
// LSTM and GRU cells and sequences with known weights.

namespace lpt::inline LPT_ABI::plan {

namespace detail {

/// The functions of the gates; false where the kernel does not know one.
inline bool set_gate_functions(const op::detail::recurrent_attributes& self, kernel::recurrent_problem& problem) {
    using form = op::gate_form;
    const std::size_t count = problem.kind == kernel::recurrent_kind::lstm ? 3 : 2;
    for (std::size_t i = 0; i < count; ++i) {
        if (op::find_gate_function(self.activations[i]) == nullptr) {
            return false;
        }
        const reference::detail::gate_function from = reference::detail::gate_function_at(self, i, self.clip);
        if (from.is != form::sigmoid && from.is != form::tanh && from.is != form::relu &&
            from.is != form::hard_sigmoid) {
            return false;
        }
        const kernel::gate_function is = from.is == form::sigmoid ? kernel::gate_function::sigmoid
                                         : from.is == form::tanh  ? kernel::gate_function::tanh
                                         : from.is == form::relu  ? kernel::gate_function::relu
                                                                  : kernel::gate_function::hard_sigmoid;
        const auto alpha = static_cast<float>(from.alpha);
        const auto beta = static_cast<float>(from.beta);
        (i == 0 ? problem.gate : i == 1 ? problem.candidate : problem.output) = is;
        (i == 0 ? problem.gate_alpha : i == 1 ? problem.candidate_alpha : problem.output_alpha) = alpha;
        (i == 0 ? problem.gate_beta : i == 1 ? problem.candidate_beta : problem.output_beta) = beta;
    }
    if (self.clip > 0) {
        problem.limit = static_cast<float>(self.clip);
    }
    return true;
}

/// Some numbers of each row of a matrix, as a tensor of f32.
inline tensor columns_of(const tensor& rows, std::size_t row, std::size_t first, std::size_t count) {
    const std::size_t all = rows.elements() / row;
    tensor_builder result(f32, shape{static_cast<dimension>(all * count)});
    for (std::size_t i = 0; i < all * count; ++i) {
        result.real(i, rows.real(i / count * row + first + i % count));
    }
    return result.finish();
}

}  // namespace detail

/// A constant of packed matrices, one for each direction: from row `first` on, `n` rows of the `rows` of each are its columns.
inline tensor_id planner::pack_matrices(const recurrent_weights& weights, std::int64_t directions, std::int64_t rows,
                                        std::int64_t first, std::int64_t n, std::int64_t& distance) {
    const tensor values = weights.are_bytes() ? weights.values : as_f32(weights.values);
    kernel::gemm_weights packing;
    packing.type = kind_of(values.type());
    packing.n = n;
    packing.k = values.dimensions()[values.dimensions().rank() - 1];
    packing.k_stride = 1;
    packing.n_stride = packing.k;
    packing.zero_point_count = weights.zero_points.empty() ? 0 : n;
    const std::size_t size = kernels().packed_gemm_bytes(packing.type, packing.k, n);
    distance = static_cast<std::int64_t>((size + 63) / 64 * 64);
    std::string form = "recurrent";
    for (const std::int64_t number : {static_cast<std::int64_t>(packing.type), directions, rows, first, n}) {
        form += " " + std::to_string(number);
    }
    for (const std::int32_t zero_point : weights.zero_points) {
        form += " " + std::to_string(zero_point);
    }
    const auto packed = packed_weights().find_or_pack(
        weights.values, form, static_cast<std::size_t>(distance * directions), [&](std::byte* to) {
            for (std::int64_t d = 0; d < directions; ++d) {
                const std::int64_t row = d * rows + first;
                packing.data = values.data() + byte_size(values.type(), static_cast<std::size_t>(row * packing.k));
                packing.zero_points = weights.zero_points.empty() ? nullptr : weights.zero_points.data() + row;
                kernels().pack_gemm(packing, to + d * distance, options_.parallel);
            }
        });
    return add_constant(detail::tensor_of_packed(packed));
}

namespace detail {

/// What rows of bytes stand for, as f32.
inline tensor dequantized(const recurrent_weights& from) {
    tensor_builder result(f32, from.values.dimensions());
    const std::size_t row_size = from.values.elements() / from.scales.size();
    for (std::size_t i = 0; i < result.elements(); ++i) {
        const std::size_t row = i / row_size;
        const double zero_point = from.zero_points.empty() ? 0 : from.zero_points[row];
        result.real(i, (from.values.real(i) - zero_point) * static_cast<double>(from.scales[row]));
    }
    return result.finish();
}

}  // namespace detail

/// The weights of a recurrent operation at a port; no values where they are not known.
inline recurrent_weights planner::recurrent_weights_of(const node& each, std::size_t port) {
    if (const tensor* known = model().constant_value(each.input(port))) {
        return {*known, {}, {}};
    }
    const recurrent_weights bytes = bytes_of_weights(model(), each.input(port));
    if (!bytes.are_bytes() || multiplies_bytes(model(), each, port)) {
        return bytes;
    }
    return {detail::dequantized(bytes), {}, {}};
}

/// The number of steps of each sequence: no tensor where all sequences have all steps.
inline tensor_id planner::sequence_lengths(output_ref given, std::int64_t time) {
    const tensor* known = model().constant_value(given);
    bool all = known != nullptr;
    for (std::size_t i = 0; all && i < known->elements(); ++i) {
        all = known->integer(i) >= time;
    }
    return all ? tensor_id::none : tensor_of(given, layout::plain);
}

namespace detail {

/// The sizes, directions and functions of a recurrent operation; false where the kernel does not know a function.
inline bool recurrent_problem_of(const graph& model, const node& each, const recurrent_form& form,
                                 kernel::recurrent_problem& problem) {
    problem.kind = form.kind;
    if (!set_gate_functions(*form.attributes, problem)) {
        return false;
    }
    const shape& data = model.shape(each.input(0));
    problem.batch = data[0];
    problem.time = form.is_sequence ? data[1] : 1;
    problem.inputs = data[form.is_sequence ? 2 : 1];
    problem.directions = form.direction == op::recurrent_direction::bidirectional ? 2 : 1;
    problem.reverse = form.direction == op::recurrent_direction::reverse;
    problem.hidden = form.attributes->hidden_size;
    if (form.kind == kernel::recurrent_kind::lstm) {
        const auto order = each.is<op::lstm_cell>() ? each.as<op::lstm_cell>().gate_order(each.version())
                                                    : op::lstm_weights_format::fico;
        const char letters[] = {'f', 'i', 'c', 'o'};
        for (std::size_t i = 0; i < 4; ++i) {
            problem.gates[i] = static_cast<std::int64_t>(reference::detail::gate_place(order, letters[i]));
        }
        problem.couples_forget =
            each.is<op::lstm_cell>() && each.version() < 4 && each.as<op::lstm_cell>().input_forget;
    }
    return true;
}

/// True where data, states and results are f32 and have elements.
inline bool has_real_elements(const graph& model, const node& each, std::size_t states) {
    if (each.type() != f32 || !has_elements(each.shape())) {
        return false;
    }
    for (std::size_t port = 0; port <= states; ++port) {
        if (model.type(each.input(port)) != f32 || !has_elements(model.shape(each.input(port)))) {
            return false;
        }
    }
    return true;
}

/// `numbers` times `factor`, as f32.
inline tensor scaled(const std::vector<float>& numbers, double factor) {
    tensor_builder result(f32, shape{static_cast<dimension>(numbers.size())});
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        result.real(i, static_cast<double>(numbers[i]) * factor);
    }
    return result.finish();
}

}  // namespace detail

/// LSTMCell, GRUCell, LSTMSequence and GRUSequence of f32, with known weights and without peepholes. Weights that `multiplies_bytes` tells are multiplied as they are.
inline bool planner::make_recurrent(node_id id) {
    const node& each = model()[id];
    const recurrent_form form = recurrent_form_of(each);
    if (!form.is_recurrent()) {
        return false;
    }
    const bool is_lstm = form.kind == kernel::recurrent_kind::lstm;
    const std::size_t states = is_lstm ? 2 : 1;
    const std::size_t weights = form.weights;
    const bool has_bias = each.inputs() > weights + 2;
    kernel::recurrent_problem problem;
    if (!is_plain_recurrent(model(), each, form) || !detail::has_real_elements(model(), each, states) ||
        !detail::recurrent_problem_of(model(), each, form, problem)) {
        return false;
    }
    const recurrent_weights of_data = recurrent_weights_of(each, weights);
    const recurrent_weights of_state = recurrent_weights_of(each, weights + 1);
    if (!of_data.values || !of_state.values) {
        return false;
    }
    tensor_id lengths = tensor_id::none;
    if (form.is_sequence) {
        const output_ref given = each.input(states + 1);
        const element type = model().type(given);
        if (type != i32 && type != i64) {
            return false;
        }
        problem.length_bytes = type == i32 ? 4 : 8;
        lengths = sequence_lengths(given, problem.time);
    }
    const std::int64_t rows = kernel::gates_of(form.kind) * problem.hidden;
    const bool apart = form.kind == kernel::recurrent_kind::gru;
    std::int64_t unused = 0;
    std::vector<tensor_id> operands;
    tensor_id input_scale = tensor_id::none;
    element precision = f32;
    if (of_data.are_bytes()) {
        const quantized_source& data = sources_.of(each.input(0));
        precision = model().type(data.base);
        problem.input_type = kind_of(precision);
        problem.input_zero_point = data.zero_point();
        operands.push_back(tensor_of(data.base, layout::plain));
        input_scale = add_constant(detail::scaled(of_data.scales, data.scale.one()));
    } else {
        operands.push_back(tensor_of(each.input(0), layout::plain));
    }
    operands.push_back(pack_matrices(of_data, 1, 0, 0, problem.directions * rows, unused));
    operands.push_back(input_scale);
    tensor_id bias = tensor_id::none;
    tensor_id hidden_bias = tensor_id::none;
    if (has_bias) {
        const tensor given = *model().constant_value(each.input(weights + 2));
        const auto row = static_cast<std::size_t>(given.dimensions()[given.dimensions().rank() - 1]);
        const auto gates = static_cast<std::size_t>(rows);
        bias = add_constant(detail::columns_of(given, row, 0, gates));
        if (form.kind == kernel::recurrent_kind::gru_linear) {
            hidden_bias = add_constant(detail::columns_of(given, row, gates, row - gates));
        }
    }
    operands.push_back(bias);
    operands.push_back(pack_matrices(of_state, problem.directions, rows, 0, apart ? 2 * problem.hidden : rows,
                                     problem.packed_hidden_bytes));
    operands.push_back(apart ? pack_matrices(of_state, problem.directions, rows, 2 * problem.hidden, problem.hidden,
                                             problem.packed_candidate_bytes)
                             : tensor_id::none);
    problem.splits_states = of_state.are_bytes();
    operands.push_back(of_state.are_bytes() ? add_constant(detail::scaled(of_state.scales, 1)) : tensor_id::none);
    operands.push_back(hidden_bias);
    operands.push_back(tensor_of(each.input(1), layout::plain));
    operands.push_back(is_lstm ? tensor_of(each.input(2), layout::plain) : tensor_id::none);
    operands.push_back(lengths);
    std::vector<tensor_id> outputs;
    add_outputs(id, outputs);
    if (!form.is_sequence) {
        operands.push_back(tensor_id::none);
    }
    operands.insert(operands.end(), outputs.begin(), outputs.end());
    if (!is_lstm) {
        operands.push_back(tensor_id::none);
    }
    operands.push_back(
        add_tensor(u8, shape{static_cast<dimension>(kernel::recurrent_scratch_bytes(problem))}, layout::plain));
    add_kernel({id}, problem, std::move(operands), precision);
    return true;
}

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/plan/resampling.hpp
#ifndef LPT_HOLDS_PLAN_RESAMPLING_HPP
#define LPT_HOLDS_PLAN_RESAMPLING_HPP
namespace lpt::inline LPT_ABI::plan {

namespace detail {

/// How Interpolate resamples each axis, if it pads nothing and says all but its data beforehand; false otherwise.
inline bool known_resamplings(const graph& model, const node& each, seq<reference::detail::resampling>& result) {
    constexpr dimension longest = 1 << 20;  // axes that are longer are left to the reference
    const auto& self = each.as<op::interpolate>();
    const auto value_of = [&](std::size_t port) {
        return port < each.inputs() ? model.constant_value(each.input(port)) : nullptr;
    };
    const shape& data = model.shape(each.input(0));
    bool is_known = true;
    for (const integers* pads : {&self.pads_begin, &self.pads_end}) {
        for (const std::int64_t pad : *pads) {
            is_known = is_known && pad == 0;
        }
    }
    for (const shape* dimensions : {&data, &each.shape()}) {
        for (const dimension size : *dimensions) {
            is_known = is_known && size <= longest;
        }
    }
    const std::size_t port = reference::detail::axes_port(each.version());
    const tensor* axes = value_of(port);
    is_known = is_known && (each.version() == 0 || port >= each.inputs() || axes != nullptr);
    const bool by_scales = reference::detail::is_resized_by_scales(self, each.version());
    const tensor* scales = by_scales ? value_of(reference::detail::scale_port(each.version())) : nullptr;
    if (!is_known || by_scales != (scales != nullptr)) {
        return false;
    }
    result = reference::detail::resamplings_of(reference::detail::rule_of(self, each.version()), data, each.shape(),
                                               reference::detail::resized_axes(self, each.version(), axes, data.rank()),
                                               scales);
    return true;
}

/// The taps of an axis as the kernel reads them.
struct listed_taps {
    tensor first_taps;
    tensor places;
    tensor weights;

    explicit listed_taps(const reference::detail::resampling& axis) {
        std::size_t count = 0;
        for (const seq<reference::detail::tap>& place : axis) {
            count += place.size();
        }
        tensor_builder first(i32, shape{static_cast<dimension>(axis.size() + 1)});
        tensor_builder where(i32, shape{static_cast<dimension>(count)});
        tensor_builder share(f32, shape{static_cast<dimension>(count)});
        std::size_t at = 0;
        for (std::size_t place = 0; place < axis.size(); ++place) {
            for (const reference::detail::tap& each : axis[place]) {
                where.integer(at, each.place);
                share.real(at, each.weight);
                ++at;
            }
            first.integer(place + 1, static_cast<std::int64_t>(at));
        }
        first_taps = first.finish();
        places = where.finish();
        weights = share.finish();
    }
};

}  // namespace detail

/// Interpolate by weights: a step for each axis whose sums are computed, in either layout.
inline bool planner::make_resampling(node_id id) {
    const node& each = model()[id];
    seq<reference::detail::resampling> taps;
    if (!detail::is_weighted_interpolate(each) || !detail::maps_f32(model(), each) ||
        !detail::known_resamplings(model(), each, taps)) {
        return false;
    }
    const reference::detail::resize_rule rule = reference::detail::rule_of(each.as<op::interpolate>(), each.version());
    shape now = model().shape(each.input(0));
    std::vector<std::size_t> resampled;
    for (std::size_t axis = 0; axis < now.rank(); ++axis) {
        if (reference::detail::is_resampled(rule, taps[axis], now[axis], each.shape()[axis])) {
            resampled.push_back(axis);
        }
    }
    if (resampled.empty()) {
        return false;
    }
    const output_ref input = each.input(0);
    const layout order = layout_of(id);
    const bool last = order == layout::channels_last;
    const std::vector<std::size_t> axes = memory_order(now.rank(), order);
    tensor_id from = make_f32(tensor_of(input, order));
    for (const std::size_t axis : resampled) {
        const detail::listed_taps listed(taps[axis]);
        kernel::resampling_problem problem;
        problem.input_length = now[axis];
        problem.length = each.shape()[axis];
        bool is_inside = false;
        for (const std::size_t other : axes) {
            is_inside = is_inside || other == axis;
            const bool is_pixel = is_inside && last && other != axes.back();
            if (other != axis) {
                (is_pixel ? problem.middle : is_inside ? problem.inner : problem.outer) *= now[other];
            }
        }
        now[axis] = problem.length;
        const bool is_last = axis == resampled.back();
        if (is_last && last && axis + 1 == now.rank() && detail::is_only_a_result(model(), id)) {
            problem.plane_rows = problem.outer / std::max<std::int64_t>(1, now[0]);
        }
        const tensor_id to = add_tensor(f32, now, problem.plane_rows != 0 ? layout::plain : order);
        if (is_last) {
            define(id, to);
        }
        add_kernel(
            is_last ? std::vector<node_id>{id} : std::vector<node_id>(), problem,
            {add_constant(listed.first_taps), add_constant(listed.places), add_constant(listed.weights), from, to});
        from = to;
    }
    return true;
}

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/plan/softmax.hpp
#ifndef LPT_HOLDS_PLAN_SOFTMAX_HPP
#define LPT_HOLDS_PLAN_SOFTMAX_HPP
namespace lpt::inline LPT_ABI::plan {

/// Softmax and LogSoftmax.
inline bool planner::make_softmax(node_id id) {
    const node& each = model()[id];
    const bool logarithm = each.is<op::log_softmax>();
    if ((!each.is<op::softmax>() && !logarithm) || !detail::maps_f32(model(), each)) {
        return false;
    }
    const shape& data = each.shape();
    const std::int64_t given = logarithm ? each.as<op::log_softmax>().axis : each.as<op::softmax>().axis;
    const std::int64_t along = data.rank() == 0 ? 0 : normalized_axis(given, data.rank());
    kernel::softmax_problem problem;
    problem.logarithm = logarithm;
    for (std::size_t axis = 0; axis < data.rank(); ++axis) {
        const auto at = static_cast<std::int64_t>(axis);
        (at < along ? problem.outer : at == along ? problem.length : problem.inner) *= data[axis];
    }
    const tensor_id from = make_f32(tensor_of(each.input(0), layout::plain));
    const tensor_id to = add_tensor(f32, data, layout::plain);
    define(id, to);
    add_kernel({id}, problem, {from, to}, f32, true);
    return true;
}

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/plan/top_k.hpp
#ifndef LPT_HOLDS_PLAN_TOP_K_HPP
#define LPT_HOLDS_PLAN_TOP_K_HPP
namespace lpt::inline LPT_ABI::plan {

/// TopK of f32, and with it ArgMax and ArgMin.
inline bool planner::make_top_k(node_id id) {
    const node& each = model()[id];
    if (!each.is<op::top_k>() || model().type(each.input(0)) != f32) {
        return false;
    }
    const auto& self = each.as<op::top_k>();
    const shape& data = model().shape(each.input(0));
    const std::int64_t along = normalized_axis(self.axis, data.rank());
    const shape& given = model().shape(output_ref{id, 0});
    const auto axis_of = [&](std::size_t axis) { return static_cast<std::int64_t>(axis); };
    kernel::top_k_problem problem;
    problem.least = self.mode == op::top_k_mode::min;
    problem.by_place = self.sort == op::top_k_sort::index;
    problem.wide_indices = self.index_element_type == i64;
    problem.length = data[static_cast<std::size_t>(along)];
    problem.count = given[static_cast<std::size_t>(along)];
    if (problem.count < 1 || problem.length > std::numeric_limits<std::int32_t>::max()) {
        return false;
    }
    const layout order = layout_of(id);
    const bool last = order == layout::channels_last;
    for (std::size_t axis = 0; axis < data.rank(); ++axis) {
        if (axis_of(axis) != along) {
            (axis_of(axis) < along || last ? problem.outer : problem.inner) *= data[axis];
        }
    }
    const tensor_id from = tensor_of(each.input(0), order);
    const tensor_id values = add_tensor(f32, given, order);
    const tensor_id indices = add_tensor(self.index_element_type, given, order);
    define({id, 0}, values);
    define({id, 1}, indices);
    add_kernel({id}, problem, {from, values, indices});
    return true;
}

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/plan/kernels.hpp
#ifndef LPT_HOLDS_PLAN_KERNELS_HPP
#define LPT_HOLDS_PLAN_KERNELS_HPP
// Operations that one kernel computes each, without an epilogue.

namespace lpt::inline LPT_ABI::plan {

/// The step of an operation that has a kernel of its own; false where it has none for these types and shapes.
inline bool planner::make_kernel(node_id id) {
    return make_softmax(id) || make_recurrent(id) || make_attention(id) || make_normalization(id) ||
           make_reduction(id) || make_cast(id) || make_pointwise(id) || make_resampling(id) ||
           make_compressed_product(id) || make_top_k(id);
}

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/plan/free_memory.hpp
#ifndef LPT_HOLDS_PLAN_FREE_MEMORY_HPP
#define LPT_HOLDS_PLAN_FREE_MEMORY_HPP
// Places in an arena for blocks that come and go, in the gaps between those that are there.

namespace lpt::inline LPT_ABI::plan::detail {

inline std::size_t aligned(std::size_t size) {
    return (size + block_alignment - 1) / block_alignment * block_alignment;
}

/// Memory that no living block has, step by step.
class free_memory {
    std::map<std::size_t, std::size_t> gaps_;  // size of each by its place; none touches another
    std::set<std::pair<std::size_t, std::size_t>> by_size_;  // size, place
    std::size_t end_ = 0;

    void drop(std::map<std::size_t, std::size_t>::iterator gap) {
        by_size_.erase({gap->second, gap->first});
        gaps_.erase(gap);
    }
    void put(std::size_t place, std::size_t size) {
        gaps_.emplace(place, size);
        by_size_.emplace(size, place);
    }

public:
    /// The smallest gap where it fits, else the end.
    std::size_t take(std::size_t size) {
        std::size_t place = end_;
        std::size_t room = 0;
        if (const auto fits = by_size_.lower_bound({size, 0}); fits != by_size_.end()) {
            room = fits->first;
            place = fits->second;
            drop(gaps_.find(place));
        } else if (!gaps_.empty() && gaps_.rbegin()->first + gaps_.rbegin()->second == end_) {
            place = gaps_.rbegin()->first;
            drop(std::prev(gaps_.end()));
        }
        if (room > size) {
            put(place + size, room - size);
        }
        end_ = std::max(end_, place + size);
        return place;
    }
    void give_back(std::size_t place, std::size_t size) {
        auto behind = gaps_.lower_bound(place);
        if (behind != gaps_.end() && behind->first == place + size) {
            size += behind->second;
            drop(behind);
        }
        behind = gaps_.lower_bound(place);
        if (behind != gaps_.begin()) {
            const auto before = std::prev(behind);
            if (before->first + before->second == place) {
                place = before->first;
                size += before->second;
                drop(before);
            }
        }
        put(place, size);
    }
    std::size_t end() const { return end_; }
};

/// How large a block of memory is, and the steps from the first to the last that need it.
struct lifetime {
    std::size_t bytes = 0;
    std::size_t first = 0, last = 0;

    void reach(std::size_t until) { last = std::max(last, until); }
    /// With what kernels may read behind it.
    std::size_t room() const { return aligned(bytes + block_slack); }
};

/// Where blocks lie, and what they take together.
struct arena_places {
    std::vector<std::size_t> offsets;
    std::size_t bytes = 0;
};

/// As the steps come, the large blocks of a step first, each into the smallest gap: the time does not depend on how many live at the same time.
/// Blocks of 0 bytes get no place.
inline arena_places places_by_step(const std::vector<lifetime>& blocks) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (blocks[i].bytes != 0) {
            order.push_back(i);
        }
    }
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return blocks[a].first != blocks[b].first   ? blocks[a].first < blocks[b].first
               : blocks[a].bytes != blocks[b].bytes ? blocks[a].bytes > blocks[b].bytes
                                                    : a < b;
    });
    arena_places result{std::vector<std::size_t>(blocks.size()), 0};
    free_memory memory;
    std::set<std::pair<std::size_t, std::size_t>> alive;  // last step, block
    for (const std::size_t i : order) {
        while (!alive.empty() && alive.begin()->first < blocks[i].first) {
            const std::size_t over = alive.begin()->second;
            memory.give_back(result.offsets[over], blocks[over].room());
            alive.erase(alive.begin());
        }
        result.offsets[i] = memory.take(blocks[i].room());
        alive.insert({blocks[i].last, i});
    }
    result.bytes = memory.end();
    return result;
}

}  // namespace lpt::inline LPT_ABI::plan::detail
#endif

// ======== lpt/plan/places.hpp
#ifndef LPT_HOLDS_PLAN_PLACES_HPP
#define LPT_HOLDS_PLAN_PLACES_HPP
// Where elements lie that an operation moves: the order in which a step takes them, and what that order is.

namespace lpt::inline LPT_ABI::plan::detail {

/// The place in memory of each element of a tensor, in row-major order of its axes.
inline std::vector<std::int32_t> places_of(const shape& dimensions, layout order) {
    std::vector<std::int32_t> result(dimensions.elements());
    if (order == layout::plain) {
        std::iota(result.begin(), result.end(), 0);
        return result;
    }
    const std::vector<std::int64_t> strides = strides_of(dimensions, order);
    std::vector<std::int64_t> index(dimensions.rank(), 0);
    std::int64_t place = 0;
    for (std::int32_t& each : result) {
        each = static_cast<std::int32_t>(place);
        for (std::size_t axis = index.size(); axis-- > 0;) {
            place += strides[axis];
            if (++index[axis] < dimensions[axis]) {
                break;
            }
            place -= dimensions[axis] * strides[axis];
            index[axis] = 0;
        }
    }
    return result;
}

/// 1, 2, 3 … in a tensor: 0 is what is filled in.
template <class Number>
tensor numbers_from_one(element type, const shape& dimensions) {
    tensor_builder result(type, dimensions);
    for (std::size_t i = 0; i < result.elements(); ++i) {
        lpt::detail::store(result.data() + i * sizeof(Number), static_cast<Number>(i + 1));
    }
    return result.finish();
}
/// The numbers that a movement left of `numbers_from_one<Number>`.
template <class Number>
std::vector<std::int32_t> numbers_in(const tensor& moved) {
    std::vector<std::int32_t> result(moved.elements());
    for (std::size_t i = 0; i < result.size(); ++i) {
        result[i] = static_cast<std::int32_t>(lpt::detail::load<Number>(moved.data() + i * sizeof(Number)));
    }
    return result;
}

/// The largest block such that whole blocks of the output are whole blocks of the input.
inline std::int64_t block_of(const std::vector<std::int32_t>& from) {
    const auto count = static_cast<std::int64_t>(from.size());
    std::int64_t block = 0;
    std::int64_t run = 0;
    const auto common = [](std::int64_t a, std::int64_t b) {
        while (b != 0) {
            a %= b;
            std::swap(a, b);
        }
        return a;
    };
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t here = from[static_cast<std::size_t>(i)];
        const std::int64_t before = i == 0 ? -2 : from[static_cast<std::size_t>(i - 1)];
        const bool follows = i != 0 && (here < 0 ? before < 0 : before >= 0 && here == before + 1);
        if (!follows) {
            block = common(block, run);
            block = here < 0 ? block : common(block, here);
            run = 0;
        }
        ++run;
        if (block == 1) {
            return 1;
        }
    }
    block = common(block, run);
    return block == 0 ? 1 : block;
}

/// A movement of blocks as runs, if there are at most an eighth as many of them as blocks; else none. `block`: elements of a block.
inline std::vector<block_run> runs_of(const std::vector<std::int32_t>& blocks, std::int64_t block) {
    std::vector<block_run> result;
    const auto count = static_cast<std::int32_t>(blocks.size());
    const auto at = [&](std::int32_t i) { return blocks[static_cast<std::size_t>(i)]; };
    for (std::int32_t i = 0; i < count;) {
        if (result.size() == blocks.size() / 8) {
            return {};
        }
        const bool fills = at(i) < 0;
        block_run run{i, at(i), fills ? 0 : static_cast<std::int32_t>(block), 1};
        if (!fills && i + 1 < count && at(i + 1) >= 0) {
            run.distance = at(i + 1) - run.from;
        }
        while (++i < count && (at(i) < 0) == fills && at(i) == at(i - 1) + run.distance) {
            ++run.count;
        }
        result.push_back(run);
    }
    return result;
}

/// Sets where the blocks of a gather come from: as runs where these are few.
inline void set_sources(gather_step& work, std::vector<std::int32_t> sources) {
    work.runs = runs_of(sources, work.block);
    work.sources = work.runs.empty() ? std::move(sources) : std::vector<std::int32_t>();
}

/// The rows that a movement takes out of wider ones; none if that is not all it does, or if they are of one element.
inline spaced_rows rows_taken_out(const std::vector<std::int32_t>& from) {
    std::size_t length = 1;
    while (length < from.size() && from[length] == from[length - 1] + 1) {
        ++length;
    }
    if (length < 2 || length == from.size() || from.size() % length != 0 || from[0] < 0 || from[length] <= from[0]) {
        return {};
    }
    const std::int64_t distance = std::int64_t{from[length]} - from[0];
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (from[i] !=
            from[0] + static_cast<std::int64_t>(i / length) * distance + static_cast<std::int64_t>(i % length)) {
            return {};
        }
    }
    return {static_cast<std::int64_t>(from.size() / length), static_cast<std::int64_t>(length), distance};
}

/// True if the sources of all elements lie one behind the other: they are a part of the input as it is.
inline bool follow_one_another(const std::vector<std::int32_t>& from) {
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (from[0] < 0 || from[i] != from[0] + static_cast<std::int32_t>(i)) {
            return false;
        }
    }
    return !from.empty();
}

/// Dense matrices of blocks of 1 or 4 bytes whose transposition this order is, with so many rows and columns that the kernel moves
/// 16 bytes at a time; 0 rows if there are none.
inline kernel::transpose_problem transposition_of(const std::vector<std::int32_t>& from, std::int64_t block,
                                                  std::int64_t element_bytes) {
    kernel::transpose_problem result;
    const std::int64_t bytes = block * element_bytes;
    const std::int64_t count = static_cast<std::int64_t>(from.size()) / block;
    const auto source = [&](std::int64_t i) {
        const std::int64_t first = from[static_cast<std::size_t>(i * block)];
        return first < 0 ? -1 : first / block;
    };
    if ((bytes != 1 && bytes != 4) || count < 4 || source(0) != 0 || source(1) < 2) {
        return result;
    }
    const std::int64_t columns = source(1);
    std::int64_t rows = 1;
    while (rows < count && source(rows) == rows * columns) {
        ++rows;
    }
    const std::int64_t whole = 16 / bytes;
    const auto fits = [&](std::int64_t lines, std::int64_t length) {
        return length >= whole && (lines >= whole || (lines >= 2 && lines <= 4));
    };
    if (!(fits(rows, columns) || fits(columns, rows)) || count % (rows * columns) != 0) {
        return result;
    }
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t inside = i % (rows * columns);
        if (source(i) != i - inside + inside % rows * columns + inside / rows) {
            return result;
        }
    }
    result.batch = count / (rows * columns);
    result.rows = rows;
    result.columns = columns;
    result.element_bytes = static_cast<int>(bytes);
    return result;
}

}  // namespace lpt::inline LPT_ABI::plan::detail
#endif

// ======== lpt/plan/spaced_strides.hpp
#ifndef LPT_HOLDS_PLAN_SPACED_STRIDES_HPP
#define LPT_HOLDS_PLAN_SPACED_STRIDES_HPP
// Strides of loops over a tensor whose rows are moved apart.

namespace lpt::inline LPT_ABI::plan::detail {

/// One loop of a step over a tensor.
struct loop_axis {
    std::int64_t size = 1;
    std::int64_t stride = 0;
};

/// What strides over a dense tensor become when its rows have gaps between them. A loop either stays in a row or goes from row to row.
class spaced_strides {
    spaced_rows rows_;

    bool goes_from_row_to_row(const loop_axis& axis) const { return axis.size > 1 && axis.stride >= rows_.length; }

public:
    explicit spaced_strides(const spaced_rows& rows) : rows_(rows) {}

    std::int64_t operator()(std::int64_t stride) const {
        return stride / rows_.length * rows_.distance + stride % rows_.length;
    }

    /// True if these loops, with `unit` elements side by side at each place, walk such a tensor from element `first` on.
    bool fit(const std::vector<loop_axis>& axes, std::int64_t unit, std::int64_t first = 0) const {
        std::int64_t last = first % rows_.length + unit - 1;  // of the row
        for (const loop_axis& axis : axes) {
            if (goes_from_row_to_row(axis)) {
                if (axis.stride % rows_.length != 0) {
                    return false;
                }
            } else {
                last += (axis.size - 1) * axis.stride;
            }
        }
        return last < rows_.length;
    }
    bool fit_at(const std::vector<std::int64_t>& firsts, const std::vector<loop_axis>& axes, std::int64_t unit) const {
        bool result = true;
        for (const std::int64_t first : firsts) {
            result = result && fit(axes, unit, first);
        }
        return result;
    }

    /// The axes of a dense tensor, each in one of two lists; an axis that goes through a row and on to the next becomes two. False if a
    /// list has no room, an axis ends inside of a row, or rows are of one element: then no axis would have the stride 1.
    bool divide(kernel::axis_list& some, kernel::axis_list& others) const {
        return rows_.length > 1 && divide(some) && divide(others);
    }

private:
    bool divide(kernel::axis_list& axes) const {
        kernel::axis_list result;
        const auto add = [&](std::int64_t size, std::int64_t stride) {
            if (result.count < kernel::axis_list::most) {
                result.sizes[result.count] = size;
                result.strides[result.count] = stride;
            }
            ++result.count;
        };
        for (std::int64_t i = 0; i < axes.count; ++i) {
            const loop_axis axis{axes.sizes[i], axes.strides[i]};
            const std::int64_t reach = axis.size * axis.stride;
            if (axis.size == 1 || reach <= rows_.length) {
                add(axis.size, axis.stride);
            } else if (axis.stride >= rows_.length && axis.stride % rows_.length == 0) {
                add(axis.size, (*this)(axis.stride));
            } else if (rows_.length % axis.stride == 0 && reach % rows_.length == 0) {
                add(reach / rows_.length, rows_.distance);
                add(rows_.length / axis.stride, axis.stride);
            } else {
                return false;
            }
        }
        axes = result;
        return result.count <= kernel::axis_list::most;
    }
};

}  // namespace lpt::inline LPT_ABI::plan::detail
#endif

// ======== lpt/plan/spaced_operands.hpp
#ifndef LPT_HOLDS_PLAN_SPACED_OPERANDS_HPP
#define LPT_HOLDS_PLAN_SPACED_OPERANDS_HPP
// How steps walk operands whose rows are moved apart.

namespace lpt::inline LPT_ABI::plan::detail {

/// Where rows of `length` elements lie if a tensor is these rows; no rows if they do not go into them.
inline kernel::row_layout places_in(const spaced_rows& rows, std::int64_t length) {
    return length > 0 && rows.length % length == 0 ? kernel::row_layout{rows.length / length, rows.distance}
                                                   : kernel::row_layout();
}

/// The same rows counted in elements of `other_bytes`; none if a row or a gap is no whole number of them.
inline spaced_rows in_elements_of(const spaced_rows& rows, std::int64_t bytes, std::int64_t other_bytes) {
    if (rows.length * bytes % other_bytes != 0 || rows.distance * bytes % other_bytes != 0) {
        return {};
    }
    return {rows.count, rows.length * bytes / other_bytes, rows.distance * bytes / other_bytes};
}

/// True if an elementwise step has one loop over all elements of these rows, which can be divided.
inline bool is_one_loop(const elementwise_step& work, const spaced_rows& rows) {
    return work.sizes.size() == 2 && work.sizes[0] == 1 && work.sizes[1] == rows.count * rows.length &&
           treats_all_alike(work);
}

/// `count` loops over an operand.
inline std::vector<loop_axis> axes_of(std::int64_t count, const std::int64_t* sizes, const std::int64_t* strides) {
    std::vector<loop_axis> result;
    for (std::int64_t axis = 0; axis < count; ++axis) {
        result.push_back({sizes[axis], strides[axis]});
    }
    return result;
}

/// How an attention walks one of its operands.
struct attention_operand {
    std::int64_t unit = 0;  // elements side by side; 0: it is no matrix of heads
    std::int64_t rows = 0;
    std::int64_t* row_stride = nullptr;
    std::int64_t* head_strides = nullptr;

    attention_operand(kernel::attention_problem& p, std::size_t slot) {
        const auto set = [&](std::int64_t width, std::int64_t count, std::int64_t& stride, std::int64_t* strides) {
            unit = width;
            rows = count;
            row_stride = &stride;
            head_strides = strides;
        };
        if (slot == kernel::slot_of(p, p.query)) {
            set(p.depth, p.queries, p.queries_at.row_stride, p.queries_at.strides);
        } else if (slot == kernel::slot_of(p, p.key)) {
            set(p.depth, p.keys, p.keys_at.row_stride, p.keys_at.strides);
        } else if (slot == kernel::slot_of(p, p.value)) {
            set(p.width, p.keys, p.values_at.row_stride, p.values_at.strides);
        } else if (slot == kernel::slot_of(p, p.output)) {
            set(p.width, p.queries, p.output_row_stride, p.output_strides);
        }
    }
    std::vector<loop_axis> axes(const kernel::attention_problem& p) const {
        std::vector<loop_axis> result = axes_of(p.head_axes, p.heads, head_strides);
        result.push_back({rows, *row_stride});
        return result;
    }
};

/// The strides of an operand that a pointwise kernel reads; null for its output.
inline std::int64_t* strides_of_operand(kernel::pointwise_problem& p, std::size_t slot) {
    return slot == kernel::slot_of(p, p.condition) ? p.condition_strides
           : slot == kernel::slot_of(p, p.a)       ? p.a_strides
           : slot == kernel::slot_of(p, p.b)       ? p.b_strides
                                                   : nullptr;
}

/// A step whose one loop over all elements becomes rows and columns; others stay as they are.
inline kernel_step<kernel::cast_problem> divided(kernel_step<kernel::cast_problem> work, const spaced_rows& rows) {
    kernel::cast_problem& p = work.problem;
    if (p.rows == 1 && p.count == rows.count * rows.length) {
        p.rows = rows.count;
        p.count = rows.length;
    }
    return work;
}
inline kernel_step<kernel::pointwise_problem> divided(kernel_step<kernel::pointwise_problem> work,
                                                      const spaced_rows& rows) {
    kernel::pointwise_problem& p = work.problem;
    if (p.count == 2 && p.sizes[0] == 1 && p.sizes[1] == rows.count * rows.length) {
        p.sizes[0] = rows.count;
        p.sizes[1] = rows.length;
        for (std::int64_t* const strides : {p.condition_strides, p.a_strides, p.b_strides}) {
            strides[0] = strides[1] * rows.length;
        }
    }
    return work;
}

/// One loop over all elements becomes rows and columns.
inline void divide_loop(elementwise_step& work, const spaced_rows& rows) {
    const auto divide = [&](strided_tensor& operand) {
        if (operand.tensor != tensor_id::none) {
            operand.strides[0] = operand.strides[1] * rows.length;
        }
    };
    work.sizes = {rows.count, rows.length};
    divide(work.operands[0]);
    divide(work.operands[1]);
    divide(work.output);
    for (planned_post& post : work.finish.posts) {
        divide(post.residual);
    }
}

}  // namespace lpt::inline LPT_ABI::plan::detail
#endif

// ======== lpt/plan/spaced_rows.hpp
#ifndef LPT_HOLDS_PLAN_SPACED_ROWS_HPP
#define LPT_HOLDS_PLAN_SPACED_ROWS_HPP
// Which steps read and write tensors whose rows are parts of wider rows.
//
// Convolutions, products, pooling, tables, and gathers and choices that write, find the gaps with the tensor (`stored_tensor::rows`). All others
// have them in themselves: in strides, in places, or in the `row_layout`s of their problem.

namespace lpt::inline LPT_ABI::plan::detail {

/// Bytes from row to row of what a Concat gives.
inline std::size_t row_bytes_of(const network& net, const concat_step& work) {
    std::size_t dense = 0;
    for (const std::size_t length : work.lengths) {
        dense += length;
    }
    return net[work.output].row_bytes(dense);
}

/// Elementwise kernels take so many elements at a time: to begin shorter rows one by one takes longer than to copy them (bench/README.md).
inline constexpr std::int64_t shortest_elementwise_row = kernel::finish_columns;

/// Conversions and pointwise functions take 128 numbers at a time: rows of fewer than four times as many leave too many of them part empty.
inline constexpr std::int64_t shortest_pointwise_row = 512;

/// Lookups take 64 bytes at a time; rows of other lengths would leave vectors part empty.
inline constexpr std::int64_t lookup_row_unit = 64;

inline std::int64_t pixels_of(std::int64_t batch, const std::int64_t (&sizes)[3]) {
    return batch * sizes[0] * sizes[1] * sizes[2];
}

/// Gathers keep the places of their blocks in 32 bits.
inline constexpr std::int64_t most_gathered_elements = 0x7FFFFFF0;

/// Whether a step can read or write `tensor` when it lies as these rows, with gaps between them. Steps without a function here cannot.
class row_reader {
    tensor_id tensor_;
    spaced_rows rows_;
    std::int64_t element_bytes_;

    bool is_other(tensor_id operand) const { return operand != tensor_; }
    bool has_rows(std::int64_t count, std::int64_t length) const {
        return count == rows_.count && length == rows_.length;
    }
    bool takes(tensor_id operand, std::int64_t count, std::int64_t length) const {
        return is_other(operand) || has_rows(count, length);
    }
    /// For kernels with a `row_layout`: rows of `length` elements, of which `alike` one behind the other must be equally far apart.
    bool takes_places(std::int64_t length, std::int64_t alike) const {
        const std::int64_t together = places_in(rows_, length).together;
        return together != 0 && (together == 1 || together % alike == 0);
    }
    bool walks_rows(const strided_tensor& operand, std::int64_t length) const {
        return operand.strides.size() == 2 && operand.strides[0] == length && operand.strides[1] == 1;
    }
    bool fits(const elementwise_step& work, const strided_tensor& operand) const {
        const auto count = static_cast<std::int64_t>(work.sizes.size());
        return spaced_strides(rows_).fit(axes_of(count, work.sizes.data(), operand.strides.data()), 1);
    }
    bool takes_residuals(const planned_finish& finish, std::int64_t count, std::int64_t length) const {
        return std::ranges::all_of(finish.posts, [&](const planned_post& post) {
            return is_other(post.residual.tensor) || (has_rows(count, length) && walks_rows(post.residual, length));
        });
    }
    /// True if each operand that is this tensor can have gaps: by its `row_layout`, or where `has_gaps(slot)` says so.
    template <class Problem, class HasGaps>
    bool takes_operands(const kernel_step<Problem>& work, const HasGaps& has_gaps) const {
        std::vector<bool> taken;
        for (const tensor_id operand : work.operands) {
            taken.push_back(is_other(operand));
        }
        for_each_spaced(work.problem, [&](std::size_t slot, const auto&, std::int64_t length, std::int64_t alike) {
            taken[slot] = taken[slot] || takes_places(length, alike);
        });
        for (std::size_t slot = 0; slot < taken.size(); ++slot) {
            if (!taken[slot] && !has_gaps(slot)) {
                return false;
            }
        }
        return true;
    }

public:
    row_reader(tensor_id tensor, const spaced_rows& rows, std::int64_t element_bytes)
        : tensor_(tensor), rows_(rows), element_bytes_(element_bytes) {}

    bool operator()(const convolution_step& work) const {
        const kernel::convolution_shape& s = work.shape;
        const std::int64_t pixels = pixels_of(s.batch, s.out);
        return is_other(work.scratch) && is_other(work.computed_weights) && is_other(work.packed) &&
               takes(work.input, pixels_of(s.batch, s.in), s.in_channels) &&
               takes(work.output, pixels, s.out_channels) && takes_residuals(work.finish, pixels, s.out_channels);
    }
    bool operator()(const product_step& work) const {
        const auto batches = static_cast<std::int64_t>(work.a_offsets.size());
        const spaced_strides strides(rows_);
        const bool takes_a =
            is_other(work.a) || (work.a_row_stride == rows_.length &&
                                 strides.fit_at(work.a_offsets, {{work.m, work.a_row_stride}}, work.k));
        const bool takes_b = is_other(work.b) ||
                             strides.fit_at(work.b_offsets, {{work.k, work.b_k_stride}, {work.n, work.b_n_stride}}, 1);
        return is_other(work.scratch) && takes_a && takes_b && takes(work.output, batches * work.m, work.n) &&
               takes_residuals(work.finish, work.m, work.n);
    }
    bool operator()(const pool_step& work) const {
        const kernel::pool_problem& p = work.problem;
        const std::int64_t pixels = pixels_of(p.batch, p.out);
        return takes(work.input, pixels_of(p.batch, p.in), p.channels) && takes(work.output, pixels, p.channels) &&
               takes_residuals(work.finish, pixels, p.channels);
    }
    bool operator()(const elementwise_step& work) const {
        const auto walks = [&](const strided_tensor& operand) {
            return is_other(operand.tensor) ||
                   (is_one_loop(work, rows_) ? operand.strides[1] == 1 : fits(work, operand));
        };
        return rows_.length >= shortest_elementwise_row && std::ranges::all_of(operands_of(work), walks) &&
               walks(work.output);
    }
    bool operator()(const lookup_step& work) const {
        const bool is_one_row = work.rows == 1 && work.count == rows_.count * rows_.length;
        return (is_one_row || has_rows(work.rows, work.count)) && rows_.length % lookup_row_unit == 0;
    }
    bool operator()(const gather_step& work) const {
        return rows_.length % work.block == 0 &&
               (is_other(work.input) || rows_.count * rows_.distance <= most_gathered_elements);
    }
    bool operator()(const choice_step& work) const {
        const auto block = static_cast<std::int64_t>(work.block_bytes);
        return is_other(work.input) && is_other(work.indices) && rows_.length * element_bytes_ % block == 0;
    }
    bool operator()(const concat_step& work) const { return static_cast<std::int64_t>(work.rows) == rows_.count; }
    bool operator()(const transpose_step& work) const {
        const kernel::transpose_problem& p = work.problem;
        const spaced_rows rows = in_elements_of(rows_, element_bytes_, p.element_bytes);
        const row_reader reader(tensor_, rows, p.element_bytes);
        return rows.exist() && (is_other(work.input) || reader.takes_places(p.columns, p.rows)) &&
               (is_other(work.output) || reader.takes_places(p.rows, p.columns));
    }
    bool operator()(const kernel_step<kernel::attention_problem>& work) const {
        return takes_operands(work, [&](std::size_t slot) {
            kernel::attention_problem problem = work.problem;
            const attention_operand operand(problem, slot);
            return operand.unit != 0 && spaced_strides(rows_).fit(operand.axes(problem), operand.unit);
        });
    }
    bool operator()(const kernel_step<kernel::reduction_problem>& work) const {
        kernel::reduction_problem problem = work.problem;
        return takes_operands(work, [&](std::size_t slot) {
            return slot == kernel::slot_of(problem, problem.input) &&
                   spaced_strides(rows_).divide(problem.kept, problem.reduced);
        });
    }
    bool operator()(const kernel_step<kernel::cast_problem>& work) const {
        return rows_.length >= shortest_pointwise_row &&
               takes_operands(divided(work, rows_), [](std::size_t) { return false; });
    }
    bool operator()(const kernel_step<kernel::pointwise_problem>& work) const {
        const kernel_step<kernel::pointwise_problem> loops = divided(work, rows_);
        const bool is_divided = loops.problem.sizes[0] != work.problem.sizes[0];
        return rows_.length >= (is_divided ? shortest_pointwise_row : 2) &&
               takes_operands(loops, [&](std::size_t slot) {
                   kernel::pointwise_problem problem = loops.problem;
                   const std::int64_t* const strides = strides_of_operand(problem, slot);
                   return strides != nullptr &&
                          spaced_strides(rows_).fit(axes_of(problem.count, problem.sizes, strides), 1);
               });
    }
    template <class Problem>
    bool operator()(const kernel_step<Problem>& work) const {
        return takes_operands(work, [](std::size_t) { return false; });
    }
    template <class Other>
    bool operator()(const Other&) const {
        return false;
    }
};

/// Puts the gaps into the strides of steps that have strides of their own; other steps find them with the tensor.
class row_spacer {
    tensor_id tensor_;
    spaced_rows rows_;
    std::int64_t element_bytes_;

    bool is_mine(tensor_id operand) const { return operand == tensor_; }
    void space_all(std::int64_t* strides, std::int64_t count) const {
        for (std::int64_t i = 0; i < count; ++i) {
            strides[i] = spaced_strides(rows_)(strides[i]);
        }
    }
    void space(std::vector<std::int64_t>& strides) const {
        space_all(strides.data(), static_cast<std::int64_t>(strides.size()));
    }
    void space(strided_tensor& operand) const {
        if (is_mine(operand.tensor)) {
            space(operand.strides);
        }
    }
    void space_residuals(planned_finish& finish) const {
        for (planned_post& post : finish.posts) {
            space(post.residual);
        }
    }
    template <class Problem>
    void space_operands(kernel_step<Problem>& work) const {
        for_each_spaced(work.problem, [&](std::size_t slot, auto& places, std::int64_t length, std::int64_t) {
            if (is_mine(work.operands[slot])) {
                places = places_in(rows_, length);
            }
        });
    }
    template <class Problem, class Space>
    void space_slots(const kernel_step<Problem>& work, const Space& space_slot) const {
        for (std::size_t slot = 0; slot < work.operands.size(); ++slot) {
            if (is_mine(work.operands[slot])) {
                space_slot(slot);
            }
        }
    }

public:
    row_spacer(tensor_id tensor, const spaced_rows& rows, std::int64_t element_bytes)
        : tensor_(tensor), rows_(rows), element_bytes_(element_bytes) {}

    void operator()(product_step& work) const {
        const spaced_strides strides(rows_);
        if (is_mine(work.a)) {
            space(work.a_offsets);
        }
        if (is_mine(work.b)) {
            work.b_k_stride = strides(work.b_k_stride);
            work.b_n_stride = strides(work.b_n_stride);
            space(work.b_offsets);
        }
        space_residuals(work.finish);
    }
    void operator()(elementwise_step& work) const {
        if (is_one_loop(work, rows_)) {
            divide_loop(work, rows_);
        }
        space(work.operands[0]);
        space(work.operands[1]);
        space(work.output);
        space_residuals(work.finish);
    }
    void operator()(lookup_step& work) const {
        work.rows = rows_.count;
        work.count = rows_.length;
    }
    void operator()(gather_step& work) const {
        if (is_mine(work.input)) {
            std::vector<std::int32_t> sources = sources_of(work);
            for (std::int32_t& place : sources) {
                place = place < 0 ? place : static_cast<std::int32_t>(spaced_strides(rows_)(place));
            }
            set_sources(work, std::move(sources));
        }
    }
    void operator()(transpose_step& work) const {
        kernel::transpose_problem& p = work.problem;
        const spaced_rows rows = in_elements_of(rows_, element_bytes_, p.element_bytes);
        if (is_mine(work.input)) {
            p.input_rows = places_in(rows, p.columns);
        }
        if (is_mine(work.output)) {
            p.output_rows = places_in(rows, p.rows);
        }
    }
    void operator()(kernel_step<kernel::attention_problem>& work) const {
        space_slots(work, [&](std::size_t slot) {
            const attention_operand operand(work.problem, slot);
            *operand.row_stride = spaced_strides(rows_)(*operand.row_stride);
            space_all(operand.head_strides, work.problem.head_axes);
        });
    }
    void operator()(kernel_step<kernel::reduction_problem>& work) const {
        space_operands(work);
        if (is_mine(work.operands[kernel::slot_of(work.problem, work.problem.input)])) {
            const std::int64_t row = work.problem.kept.dense_row();
            spaced_strides(rows_).divide(work.problem.kept, work.problem.reduced);
            work.problem.output_rows.together *=
                row / work.problem.kept.dense_row();  // rows of the output become shorter
        }
    }
    void operator()(kernel_step<kernel::cast_problem>& work) const {
        work = divided(work, rows_);
        space_operands(work);
    }
    void operator()(kernel_step<kernel::pointwise_problem>& work) const {
        work = divided(work, rows_);
        space_operands(work);
        space_slots(work, [&](std::size_t slot) {
            if (std::int64_t* const strides = strides_of_operand(work.problem, slot)) {
                space_all(strides, work.problem.count);
            }
        });
    }
    template <class Problem>
    void operator()(kernel_step<Problem>& work) const {
        space_operands(work);
    }
    template <class Other>
    void operator()(Other& work) const {
        if constexpr (requires { work.finish; }) {
            space_residuals(work.finish);
        }
    }
};

/// True if a step can read and write a tensor that lies as these rows. `element_bytes`: of the tensor, since some steps count in other elements.
inline bool can_space(const step& each, tensor_id tensor, const spaced_rows& rows, std::int64_t element_bytes) {
    return std::visit(row_reader(tensor, rows, element_bytes), each.work);
}
inline void space(step& each, tensor_id tensor, const spaced_rows& rows, std::int64_t element_bytes) {
    std::visit(row_spacer(tensor, rows, element_bytes), each.work);
}

}  // namespace lpt::inline LPT_ABI::plan::detail
#endif

// ======== lpt/plan/parts.hpp
#ifndef LPT_HOLDS_PLAN_PARTS_HPP
#define LPT_HOLDS_PLAN_PARTS_HPP
// Parts of tensors where the whole lies: what a Concat joins is written where it would put it, what a Split takes out is read where it is.

namespace lpt::inline LPT_ABI::plan::detail {

/// Finds which blocks become parts of others. Lifetimes are known; steps that may write where they read do.
///
/// A block becomes a part where a Concat reads the whole of it once, the Concat's output is that block and others next to each other, and
/// nothing that reads either finds bytes of the other's. Where they lie one behind the other, that is all; where each row of the output has a
/// part of each, all steps that touch the block must take rows with gaps between them. Concats are visited from the last to the first, so
/// that a part of a part is placed in the outermost block at once: time grows with the number of tensors that steps read and write.
///
/// What a Split or Slice takes out of each row becomes a part of its input in the same way, where nothing writes either afterwards. A Concat that
/// gives a result of the network gets those parts that nothing else reads.
class part_planner {
    struct use {
        step_id step;
        tensor_id tensor;
    };
    struct history {
        std::vector<step_id> writers;
        std::vector<step_id> readers;
        std::vector<use> uses;  // of its tensors, each once a step
        storage_id whole = storage_id::none;  // the block that this one became a part of
        std::size_t offset = 0;
        bool is_rewritten = false;  // it, or a block around it, behind the Concat that gives it
        bool needs_dense_rows = false;  // a step does
    };

    network& net_;
    std::vector<history> blocks_;  // by storage

    history& of(storage_id id) { return blocks_[index_of(id)]; }
    storage_id outermost_of(storage_id block) {
        while (of(block).whole != storage_id::none) {
            block = of(block).whole;
        }
        return block;
    }
    storage_id whole_of(tensor_id tensor) { return outermost_of(net_[tensor].storage); }
    void enter(step_id step, const std::vector<tensor_id>& tensors, std::vector<step_id> history::* steps) {
        for (const tensor_id tensor : tensors) {
            history& block = of(net_[tensor].storage);
            std::vector<step_id>& entered = block.*steps;
            if (entered.empty() || entered.back() != step) {
                entered.push_back(step);
            }
        }
    }
    void find_history() {
        for (std::size_t i = 0; i < net_.steps.size(); ++i) {
            enter(id_at<step_id>(i), net_.steps[i].reads, &history::readers);
            enter(id_at<step_id>(i), net_.steps[i].writes, &history::writers);
            std::set<tensor_id> tensors(net_.steps[i].reads.begin(), net_.steps[i].reads.end());
            tensors.insert(net_.steps[i].writes.begin(), net_.steps[i].writes.end());
            for (const tensor_id tensor : tensors) {
                of(net_[tensor].storage).uses.push_back({id_at<step_id>(i), tensor});
            }
        }
    }
    bool is_whole(tensor_id tensor, std::size_t bytes) const {
        const storage& block = net_[net_[tensor].storage];
        return block.where == area::arena && net_[tensor].offset == 0 && block.bytes == bytes;
    }
    /// Kernels may read, and drop, some bytes behind their input: no other thread of the same step may write them meanwhile.
    bool has_readers_that_write(storage_id part, storage_id whole, step_id concat) {
        const auto is_inside = [&](tensor_id tensor) { return whole_of(tensor) == whole; };
        for (const step_id writer : of(part).writers) {
            if (std::ranges::any_of(net_[writer].reads, is_inside)) {
                return true;
            }
        }
        return std::ranges::any_of(of(part).readers, [&](step_id reader) {
            return reader != concat && std::ranges::any_of(net_[reader].writes, is_inside);
        });
    }

    // ---- rows with gaps between them

    std::int64_t element_bytes_of(tensor_id tensor) const {
        return static_cast<std::int64_t>(byte_size(net_[tensor].type, 1));
    }
    /// Rows of so many bytes in elements of a tensor; none if they are not whole, or not all of it.
    spaced_rows in_elements(tensor_id tensor, std::size_t count, std::size_t length, std::size_t distance) const {
        const stored_tensor& all = net_[tensor];
        const auto size = static_cast<std::size_t>(element_bytes_of(tensor));
        if (bit_width(all.type) < 8 || length % size != 0 || distance % size != 0 || all.bytes() != count * length) {
            return {};
        }
        return {static_cast<std::int64_t>(count), static_cast<std::int64_t>(length / size),
                static_cast<std::int64_t>(distance / size)};
    }
    /// Whether gaps may be between the rows of a block: for all steps but the one that asks, and for the caller, who takes results without gaps.
    bool can_have_gaps(storage_id block, step_id asking, std::size_t count, std::size_t length, std::size_t distance) {
        history& mine = of(block);
        if (mine.needs_dense_rows || net_[block].last_step >= id_at<step_id>(net_.steps.size())) {
            return false;
        }
        for (const use& each : mine.uses) {
            const spaced_rows rows = in_elements(each.tensor, count, length, distance);
            const bool has_own = net_[each.tensor].rows.exist();  // a part of it is taken out
            if (has_own || !rows.exist() ||
                (each.step != asking &&
                 !can_space(net_[each.step], each.tensor, rows, element_bytes_of(each.tensor)))) {
                mine.needs_dense_rows = true;
                return false;
            }
        }
        return true;
    }
    void space_out(storage_id block, std::size_t count, std::size_t length, std::size_t distance) {
        for (const use& each : of(block).uses) {
            net_[each.tensor].rows = in_elements(each.tensor, count, length, distance);
            space(net_[each.step], each.tensor, net_[each.tensor].rows, element_bytes_of(each.tensor));
        }
    }

    // ---- Concat

    bool may_join(const concat_step& work, std::size_t input, std::size_t distance, step_id concat) {
        const storage_id block = net_[work.inputs[input]].storage;
        const storage& part = net_[block];
        const history& mine = of(block);
        if (!is_whole(work.inputs[input], work.lengths[input] * work.rows) || mine.whole != storage_id::none ||
            block == net_[work.output].storage || mine.writers.empty() || mine.writers.back() >= concat) {
            return false;
        }
        const bool stays = part.last_step <= concat || !of(net_[work.output].storage).is_rewritten;
        const bool is_result = net_[whole_of(work.output)].where == area::output;
        const bool is_read_safely =  // other steps may read beyond its end
            !is_result || mine.readers == std::vector<step_id>{concat};
        return stays && is_read_safely &&
               (work.rows == 1 || can_have_gaps(block, concat, work.rows, work.lengths[input], distance)) &&
               !has_readers_that_write(block, whole_of(work.output), concat);
    }
    void join(storage_id part, storage_id around, std::size_t offset) {
        history& mine = of(part);
        const storage_id outermost = outermost_of(around);
        mine.whole = outermost;
        mine.offset = of(around).offset + offset;
        mine.is_rewritten = of(around).is_rewritten;
        storage& whole = net_[outermost];
        whole.first_step = std::min(whole.first_step, net_[part].first_step);
        whole.last_step = std::max(whole.last_step, net_[part].last_step);
        net_[part].bytes = 0;
    }
    void visit_concat(const concat_step& work, step_id concat) {
        const storage_id around = net_[work.output].storage;
        const area where = net_[around].where;
        if ((where != area::arena && where != area::output) || of(around).writers.front() != concat) {
            return;
        }
        of(around).is_rewritten = of(around).is_rewritten || of(around).writers.back() > concat;
        const std::size_t row = row_bytes_of(net_, work);
        std::size_t offset = 0;
        for (std::size_t i = 0; i < work.inputs.size(); offset += work.lengths[i], ++i) {
            if (may_join(work, i, row, concat)) {
                const storage_id block = net_[work.inputs[i]].storage;
                if (work.rows != 1) {
                    space_out(block, work.rows, work.lengths[i], row);
                }
                join(block, around, offset);
            }
        }
    }

    // ---- Split

    /// True for a block that has all its values before a step, and keeps them: an input of the network, or what is not written again.
    bool is_ready(storage_id block, step_id step) {
        const std::vector<step_id>& writers = of(block).writers;
        return net_[block].where == area::input ||
               (net_[block].where == area::arena && !writers.empty() && writers.back() < step);
    }
    void visit_split(const concat_step& work, step_id split) {
        const stored_tensor& from = net_[work.inputs[0]];
        const storage_id part = net_[work.output].storage;
        const history& mine = of(part);
        const std::size_t length = work.lengths[0];
        const std::size_t distance = from.row_bytes(length);
        if (!is_ready(from.storage, split) || of(from.storage).whole != storage_id::none ||
            !is_whole(work.output, length * work.rows) || mine.writers.back() != split ||
            mine.writers.front() != split || !can_have_gaps(part, split, work.rows, length, distance)) {
            return;
        }
        space_out(part, work.rows, length, distance);
        join(part, from.storage, from.offset);
        std::vector<step_id>& readers = of(from.storage).readers;  // of a part, of the whole
        readers.insert(readers.end(), mine.readers.begin(), mine.readers.end());
    }

public:
    explicit part_planner(network& net) : net_(net), blocks_(net.storages.size()) { find_history(); }

    void place() {
        for (std::size_t i = 0; i < net_.steps.size(); ++i) {
            const auto* const work = std::get_if<concat_step>(&net_.steps[i].work);
            if (work != nullptr && work->takes_part) {
                visit_split(*work, id_at<step_id>(i));
            }
        }
        for (std::size_t i = net_.steps.size(); i-- > 0;) {
            const auto* const work = std::get_if<concat_step>(&net_.steps[i].work);
            if (work != nullptr && !work->takes_part) {
                visit_concat(*work, id_at<step_id>(i));
            }
        }
        for (stored_tensor& each : net_.tensors) {
            while (of(each.storage).whole != storage_id::none) {
                each.offset += of(each.storage).offset;
                each.storage = of(each.storage).whole;
            }
        }
    }
};

/// Lets steps write their part of what a Concat gives, and read what a Split takes out of rows; of such parts nothing is left to be copied.
inline void place_parts(network& net) { part_planner(net).place(); }

}  // namespace lpt::inline LPT_ABI::plan::detail
#endif

// ======== lpt/plan/memory.hpp
#ifndef LPT_HOLDS_PLAN_MEMORY_HPP
#define LPT_HOLDS_PLAN_MEMORY_HPP
// Memory by liveness: blocks that are not alive at the same time may share bytes.

namespace lpt::inline LPT_ABI::plan {

namespace detail {

inline void touch(storage& block, step_id step) {
    if (block.first_step == step_id::none || step < block.first_step) {
        block.first_step = step;
    }
    block.last_step = std::max(block.last_step, step);
}

inline void find_lifetimes(network& net) {
    for (std::size_t i = 0; i < net.steps.size(); ++i) {
        const step& each = net.steps[i];
        for (const std::vector<tensor_id>* tensors : {&each.reads, &each.writes}) {
            for (const tensor_id id : *tensors) {
                touch(net.storage_of(id), id_at<step_id>(i));
            }
        }
    }
    for (const port& output : net.outputs) {
        touch(net.storage_of(output.tensor), id_at<step_id>(net.steps.size()));
    }
}

/// The rows that each block, by storage, takes out of wider ones; none for all but what a Split gives.
inline std::vector<spaced_rows> rows_of_parts(const network& net) {
    std::vector<spaced_rows> result(net.storages.size());
    for (const step& each : net.steps) {
        const auto* const work = std::get_if<concat_step>(&each.work);
        if (work != nullptr && work->takes_part) {
            result[index_of(net[work->output].storage)] = net[work->inputs[0]].rows;
        }
    }
    return result;
}

/// Lets a step write where it reads, if nothing reads that memory afterwards. What a Split gives may be read where it is, if nothing writes there.
inline void share_in_place(network& net) {
    const std::vector<spaced_rows> parts = rows_of_parts(net);
    std::vector<storage_id> joined(net.storages.size(), storage_id::none);  // by block: the one that took its place
    const auto block_of = [&](tensor_id tensor) {
        const storage_id block = net[tensor].storage;
        const storage_id other = joined[index_of(block)];
        return other == storage_id::none ? block : other;
    };
    const auto reads_part = [&](const step& each) {  // that the step would overwrite before it is read
        const stored_tensor& first = net[each.reads[0]];
        return std::any_of(each.reads.begin(), each.reads.end(), [&](tensor_id other) {
            return block_of(other) == block_of(each.reads[0]) &&
                   (net[other].offset != first.offset || net[other].bytes() != first.bytes());
        });
    };
    const auto reads_rows_of_another = [&](const step& each) {
        const stored_tensor& first = net[each.reads[0]];
        const spaced_rows& rows = parts[index_of(first.storage)];
        return rows.exist() &&
               can_space(each, each.reads[0], rows, static_cast<std::int64_t>(byte_size(first.type, 1)));
    };
    for (std::size_t at = 0; at < net.steps.size(); ++at) {
        const step& each = net.steps[at];
        if (!each.may_overwrite || reads_part(each) || reads_rows_of_another(each)) {
            continue;
        }
        const step_id i = id_at<step_id>(at);
        const storage_id from = block_of(each.reads[0]);
        const storage_id to = block_of(each.writes[0]);
        storage& read = net[from];
        storage& written = net[to];
        if (from == to || read.where != area::arena || written.where != area::arena || read.last_step != i ||
            written.first_step != i || read.bytes != written.bytes) {
            continue;
        }
        read.last_step = written.last_step;
        written.bytes = 0;
        joined[index_of(to)] = from;  // which no step writes first later: it never moves itself
    }
    for (std::size_t tensor = 0; tensor < net.tensors.size(); ++tensor) {
        net.tensors[tensor].storage = block_of(id_at<tensor_id>(tensor));
    }
}

inline std::size_t room_of(const storage& block) { return aligned(block.bytes + block_slack); }

/// The step that writes the largest block of the arena, as an error names it.
inline text largest_of(const network& net) {
    const node* largest = nullptr;
    std::size_t most = 0;
    for (const step& each : net.steps) {
        for (const tensor_id tensor : each.writes) {
            const std::size_t bytes = net[tensor].bytes();
            if (bytes > most && !each.nodes.empty() && net.model.contains(each.nodes[0])) {
                most = bytes;
                largest = &net.model[each.nodes[0]];
            }
        }
    }
    return largest == nullptr ? text("intermediate tensors")
                              : join({"intermediate tensors, of which that of ", largest->operation(), " '",
                                      largest->name(), "' is the largest"});
}

/// Raises an error where the bytes of all blocks cannot even be counted.
inline void check_total(const network& net, const std::vector<storage_id>& blocks) {
    std::size_t total = 0;
    for (const storage_id id : blocks) {
        const std::size_t bytes = net[id].bytes;
        if (bytes > SIZE_MAX / 4 - total) {
            lpt::detail::naming_memory([] { lpt::detail::raise_no_memory(SIZE_MAX); }, [&] { return largest_of(net); });
        }
        total += room_of(net[id]);
    }
}

/// The blocks that need a place, in the order of their numbers.
inline std::vector<storage_id> blocks_of_arena(const network& net) {
    std::vector<storage_id> result;
    for (std::size_t i = 0; i < net.storages.size(); ++i) {
        const storage& block = net.storages[i];
        if (block.where == area::arena && block.bytes != 0 && block.first_step != step_id::none) {
            result.push_back(id_at<storage_id>(i));
        }
    }
    return result;
}

/// How many pairs of blocks live at the same time.
inline std::size_t count_meetings(const network& net, const std::vector<storage_id>& blocks) {
    std::vector<std::ptrdiff_t> begins(net.steps.size() + 1, 0);
    std::vector<std::ptrdiff_t> ends(net.steps.size() + 1, 0);
    for (const storage_id id : blocks) {
        ++begins[index_of(net[id].first_step)];
        ++ends[index_of(net[id].last_step)];
    }
    std::size_t result = 0;
    std::ptrdiff_t alive = 0;
    for (std::size_t i = 0; i < begins.size(); ++i) {
        result += static_cast<std::size_t>(begins[i] * alive + begins[i] * (begins[i] - 1) / 2);
        alive += begins[i] - ends[i];
    }
    return result;
}

/// Blocks that have a place, found by the steps in which they live.
///
/// A block meets another if it begins while that lives, or lives when that begins. The first are found by their first step. For the
/// second, steps are divided in halves again and again, and a block is listed at the few parts that its life consists of.
class placed_blocks {
    const network& net_;
    std::size_t leaves_ = 1;
    std::vector<std::vector<storage_id>> alive_;  // by part: 1 is all steps, the halves of k are 2 k and 2 k + 1
    std::set<std::pair<step_id, storage_id>> begins_;  // first step, block

public:
    explicit placed_blocks(const network& net) : net_(net) {
        while (leaves_ <= net.steps.size()) {
            leaves_ *= 2;
        }
        alive_.resize(2 * leaves_);
    }
    void add(storage_id id) {
        const storage& block = net_[id];
        begins_.insert({block.first_step, id});
        std::size_t first = index_of(block.first_step) + leaves_;
        std::size_t last = index_of(block.last_step) + leaves_ + 1;
        for (; first < last; first /= 2, last /= 2) {
            if (first % 2 != 0) {
                alive_[first++].push_back(id);
            }
            if (last % 2 != 0) {
                alive_[--last].push_back(id);
            }
        }
    }
    /// Calls `take(other)` for each that lives in a step in which the block does.
    template <class Take>
    void each_that_meets(const storage& block, const Take& take) const {
        for (std::size_t part = index_of(block.first_step) + leaves_; part != 0; part /= 2) {
            for (const storage_id id : alive_[part]) {
                take(net_[id]);
            }
        }
        const auto end = begins_.lower_bound({next_of(block.last_step), storage_id::none});
        for (auto each = begins_.lower_bound({next_of(block.first_step), storage_id::none}); each != end; ++each) {
            take(net_[each->second]);
        }
    }
};

/// The lowest place where a block fits beside those that live at the same time, in the smallest gap.
inline std::size_t best_place(const placed_blocks& placed, const storage& block,
                              std::vector<std::pair<std::size_t, std::size_t>>& taken) {
    taken.clear();
    placed.each_that_meets(
        block, [&](const storage& other) { taken.push_back({other.offset, other.offset + room_of(other)}); });
    std::sort(taken.begin(), taken.end());
    const std::size_t size = room_of(block);
    std::size_t best = SIZE_MAX;
    std::size_t best_gap = SIZE_MAX;
    std::size_t end = 0;
    for (const auto& [from, to] : taken) {
        if (from >= end + size && from - end < best_gap) {
            best = end;
            best_gap = from - end;
        }
        end = std::max(end, to);
    }
    return best == SIZE_MAX ? end : best;
}

/// Large blocks first, each into the smallest gap between those that live at the same time.
inline void place_by_size(network& net, std::vector<storage_id> blocks) {
    const auto bytes = [&](storage_id id) { return net[id].bytes; };
    std::sort(blocks.begin(), blocks.end(),
              [&](storage_id a, storage_id b) { return bytes(a) != bytes(b) ? bytes(a) > bytes(b) : a < b; });
    placed_blocks placed(net);
    std::vector<std::pair<std::size_t, std::size_t>> taken;
    for (const storage_id id : blocks) {
        storage& block = net[id];
        block.offset = best_place(placed, block, taken);
        net.arena_bytes = std::max(net.arena_bytes, block.offset + room_of(block));
        placed.add(id);
    }
}

/// As the steps come; `blocks` are in the order of their numbers.
inline void place_by_step(network& net, const std::vector<storage_id>& blocks) {
    std::vector<lifetime> all;
    for (const storage_id id : blocks) {
        all.push_back({net[id].bytes, index_of(net[id].first_step), index_of(net[id].last_step)});
    }
    const arena_places at = places_by_step(all);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        net[blocks[i]].offset = at.offsets[i];
    }
    net.arena_bytes = at.bytes;
}

/// So many pairs of blocks that live at the same time are looked at, and so many more for each block: some 50 ns a pair.
inline constexpr std::size_t most_meetings = std::size_t{1} << 21;
inline constexpr std::size_t more_meetings_a_block = 32;

}  // namespace detail

/// Takes results out of the arena that no step reads, and that are the whole of their block: steps write them where the caller wants them.
/// A block that is read stays: kernels may read beyond its end.
inline void place_outputs(network& net) {
    std::vector<bool> is_read(net.storages.size(), false);
    for (const step& each : net.steps) {
        for (const tensor_id tensor : each.reads) {
            is_read[index_of(net[tensor].storage)] = true;
        }
    }
    for (std::size_t i = 0; i < net.outputs.size(); ++i) {
        const stored_tensor& result = net[net.outputs[i].tensor];
        storage& block = net[result.storage];
        if (block.where == area::arena && !is_read[index_of(result.storage)] && result.bytes() == block.bytes) {
            block.where = area::output;
            block.offset = i;
        }
    }
}

/// Gives every block of the arena its place.
///
/// Large blocks first, each into the smallest gap between those that live at the same time. Where too many live at the same time for
/// that (more than 2^21 pairs and 32 a block), in the order of steps, each into the smallest gap: time then grows with the number of
/// blocks and its logarithm, and the arena may become larger by gaps in which nothing fits.
/// Raises an error that names the largest block for more than `limit` bytes.
inline void plan_memory(network& net, std::size_t limit = SIZE_MAX) {
    detail::find_lifetimes(net);
    detail::share_in_place(net);
    detail::place_parts(net);
    const std::vector<storage_id> blocks = detail::blocks_of_arena(net);
    detail::check_total(net, blocks);
    const std::size_t most = detail::most_meetings + detail::more_meetings_a_block * blocks.size();
    if (detail::count_meetings(net, blocks) <= most) {
        detail::place_by_size(net, blocks);
    } else {
        detail::place_by_step(net, blocks);
    }
    if (net.arena_bytes > limit) {
        lpt::detail::naming_memory([&] { lpt::detail::raise_beyond_limit(net.arena_bytes, limit); },
                                   [&] { return detail::largest_of(net); });
    }
}

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/plan/movement.hpp
#ifndef LPT_HOLDS_PLAN_MOVEMENT_HPP
#define LPT_HOLDS_PLAN_MOVEMENT_HPP
// Operations that only move elements: they move bytes of any type.

namespace lpt::inline LPT_ABI::plan {

/// Another shape for the same elements in the same order, or, for a Transpose that only moves the channels, the same bytes in the other layout.
inline bool planner::make_view(node_id id) {
    const node& each = model()[id];
    const op::kind kind = each.kind();
    const output_ref input = each.inputs() != 0 ? each.input(0) : output_ref();
    for (const layout from : {layout_of(id), other_layout(layout_of(id))}) {
        if (detail::moves_channels(model(), each, from) &&
            (exists(input, from) || !exists(input, other_layout(from)))) {
            define(id, add_view_of(tensor_of(input, from), each.shape(), other_layout(from)));
            return true;
        }
    }
    const bool reshapes = kind == op::kind::reshape || kind == op::kind::squeeze || kind == op::kind::unsqueeze ||
                          (kind == op::kind::convert && model().type(input) == each.type()) ||
                          (kind == op::kind::broadcast && model().shape(input) == each.shape());
    if (!reshapes || model().type(input) != each.type() || !each.shape().is_static()) {
        return false;
    }
    const tensor_id from = tensor_of(input, layout::plain);
    if (at(from).dimensions.elements() !=
        each.shape().elements()) {  // a pattern that copies sizes is taken at its word
        fail({each.operation(), " '", each.name(), "': an input of shape ", at(from).dimensions, " cannot be seen as ",
              each.shape()});
    }
    define(id, add_view_of(from, each.shape(), layout::plain));
    return true;
}

inline bool planner::make_concat(node_id id) {
    const node& each = model()[id];
    if (!each.is<op::concat>() || !each.shape().is_static() || bit_width(each.type()) < 8) {
        return false;
    }
    const std::size_t rank = each.shape().rank();
    const std::int64_t axis = normalized_axis(each.as<op::concat>().axis, rank);
    for (std::size_t port = 0; port < each.inputs(); ++port) {
        const output_ref input = each.input(port);
        if (model().type(input) != each.type() || axis < 0) {
            return false;
        }
    }
    const layout order = layout_of(id);
    concat_step work;
    step made;
    const auto inner_of = [&](const shape& dimensions) {
        std::size_t inner = byte_size(each.type(), 1);
        bool inside = false;
        for (const std::size_t one : memory_order(rank, order)) {
            inside = inside || one == static_cast<std::size_t>(axis);
            inner *= inside ? static_cast<std::size_t>(dimensions[one]) : 1;
        }
        return inner;
    };
    for (std::size_t port = 0; port < each.inputs(); ++port) {
        if (model().shape(each.input(port)).elements() == 0) {
            continue;
        }
        work.inputs.push_back(tensor_of(each.input(port), order));
        work.lengths.push_back(inner_of(model().shape(each.input(port))));
    }
    work.output = add_tensor(each.type(), each.shape(), order);
    const std::size_t row = inner_of(each.shape());
    work.rows = row == 0 ? 0 : at(work.output).bytes() / row;
    made.nodes = {id};
    made.kernel = std::string("concat") + suffix_of(each.type());
    made.precision = each.type();
    made.reads = work.inputs;
    made.writes = {work.output};
    define(id, work.output);
    made.work = std::move(work);
    add_step(std::move(made));
    return true;
}

namespace detail {

/// The bytes that making the tables of a gather takes for each element: numbers, their copies in the order of memory, and the blocks.
inline constexpr std::size_t gather_bytes_per_element = 16;

/// True if the tables for all outputs of a node can be made with so much memory.
inline bool fits_gather(const node& each, std::size_t memory_limit) {
    std::size_t left = memory_limit / gather_bytes_per_element;
    for (std::size_t port = 0; port < each.outputs(); ++port) {
        const std::size_t elements = each.shape(port).elements();
        if (elements > left) {
            return false;
        }
        left -= elements;
    }
    return true;
}

}  // namespace detail

/// A step that takes a part out of each row of a tensor, from element `first` on; gives its output.
inline tensor_id planner::add_row_part(node_id id, tensor_id from, const spaced_rows& rows, std::int32_t first,
                                       const shape& dimensions, layout order) {
    const element type = at(from).type;
    concat_step work;
    work.takes_part = true;
    const std::size_t element_bytes = byte_size(type, 1);
    work.inputs = {add_view_of(from, dimensions, order, static_cast<std::size_t>(first) * element_bytes)};
    at(work.inputs[0]).rows = rows;
    work.lengths = {static_cast<std::size_t>(rows.length) * element_bytes};
    work.rows = static_cast<std::size_t>(rows.count);
    work.output = add_tensor(type, dimensions, order);
    step made;
    made.nodes = {id};
    made.kernel = std::string("gather") + suffix_of(type);
    made.precision = type;
    made.reads = work.inputs;
    made.writes = {work.output};
    const tensor_id result = work.output;
    made.work = std::move(work);
    add_step(std::move(made));
    return result;
}

/// Learns where each output element comes from by moving the numbers of the input's elements.
inline bool planner::make_gather(node_id id) {
    const node& each = model()[id];
    const op::kind kind = each.kind();
    if (!detail::moves_elements(kind)) {
        return false;
    }
    const output_ref input = each.input(0);
    const shape& dimensions = model().shape(input);
    const element type = model().type(input);
    const std::size_t count = dimensions.is_static() ? dimensions.elements() : 0;
    const bool interpolates = kind == op::kind::interpolate;  // on real numbers alone
    if (count == 0 || count > 0x7FFFFFF0 || bit_width(type) < 8 || detail::is_weighted_interpolate(each)) {
        return false;
    }
    const bool constant_pad = kind != op::kind::pad || each.as<op::pad>().pad_mode == op::pad_mode::constant;
    for (std::size_t port = 0; port < each.outputs(); ++port) {
        if (each.type(port) != type || !detail::has_elements(each.shape(port))) {
            return false;
        }
    }
    if (!detail::fits_gather(each, options_.memory_limit)) {
        return false;
    }
    // The numbers of a large table take time and memory: not before all else is known to be constant.
    seq<tensor> inputs;
    inputs.push_back({});
    for (std::size_t port = 1; port < each.inputs(); ++port) {
        const tensor* value = model().constant_value(each.input(port));
        if (value == nullptr) {
            return false;
        }
        inputs.push_back(*value);
    }
    inputs[0] = interpolates ? detail::numbers_from_one<double>(f64, dimensions)
                             : detail::numbers_from_one<std::int32_t>(i32, dimensions);
    std::vector<std::byte> fill(byte_size(type, 1));
    if (kind == op::kind::pad && constant_pad) {
        if (inputs.size() > 3) {
            for (std::size_t i = 0; i < fill.size(); ++i) {
                fill[i] = inputs[3].data()[i];
            }
            inputs.pop_back();
        }
        inputs.push_back(make_scalar(i32, 0));
    }
    seq<tensor> moved;
    seq<op::output_facts, 2> outputs;
    if (!evaluation::infer_outputs(each.attributes(), each.version(), inputs, outputs, each.name()) ||
        !reference::detail::evaluate_any({each.attributes(), each.version(), inputs, outputs}, moved)) {
        return false;
    }
    for (std::size_t port = 0; port < moved.size(); ++port) {
        const output_ref output(id, static_cast<std::int32_t>(port));
        const shape& result = each.shape(port);
        const layout order = layout_of(id);
        gather_step work;
        work.input = tensor_of(input, order);
        work.element_bytes = bit_width(type) / 8;
        work.fill = fill;
        const std::vector<std::int32_t> from = detail::places_of(dimensions, at(work.input).order);
        const std::vector<std::int32_t> to = detail::places_of(result, order);
        const std::vector<std::int32_t> numbers =
            interpolates ? detail::numbers_in<double>(moved[port]) : detail::numbers_in<std::int32_t>(moved[port]);
        std::vector<std::int32_t> sources(to.size());
        for (std::size_t i = 0; i < to.size(); ++i) {
            const std::int32_t number = numbers[i];
            sources[static_cast<std::size_t>(to[i])] = number == 0 ? -1 : from[static_cast<std::size_t>(number - 1)];
        }
        if (detail::follow_one_another(sources)) {
            const auto first = static_cast<std::size_t>(sources[0]) * static_cast<std::size_t>(work.element_bytes);
            define(output, add_view_of(work.input, result, order, first));
            continue;
        }
        if (const spaced_rows rows = detail::rows_taken_out(sources); rows.exist()) {
            define(output, add_row_part(id, work.input, rows, sources[0], result, order));
            continue;
        }
        work.output = add_tensor(type, result, order);
        work.block = detail::block_of(sources);
        const kernel::transpose_problem matrices = detail::transposition_of(sources, work.block, work.element_bytes);
        step made;
        made.nodes = {id};
        made.kernel = std::string("gather") + suffix_of(type);
        made.precision = type;
        made.reads = {work.input};
        made.writes = {work.output};
        define(output, work.output);
        if (matrices.rows > 0) {
            made.work = transpose_step{matrices, work.input, work.output};
        } else {
            std::vector<std::int32_t> of_blocks;
            for (std::size_t i = 0; i < sources.size(); i += static_cast<std::size_t>(work.block)) {
                of_blocks.push_back(sources[i]);
            }
            detail::set_sources(work, std::move(of_blocks));
            made.work = std::move(work);
        }
        add_step(std::move(made));
    }
    return true;
}

namespace detail {

/// What GatherElements along the last axis chooses, where the other axes of data and indices are the same: for each row elements of that row.
inline bool choose_elements(const node& each, const shape& data, const shape& indices, choice_step& work) {
    const std::size_t last = data.rank() == 0 ? 0 : data.rank() - 1;
    if (data.rank() == 0 || indices.rank() != data.rank() ||
        normalized_axis(each.as<op::gather_elements>().axis, data.rank()) != static_cast<std::int64_t>(last)) {
        return false;
    }
    for (std::size_t axis = 0; axis < last; ++axis) {
        if (data[axis] != indices[axis]) {
            return false;
        }
        work.parts *= data[axis];
    }
    work.size = data[last];
    work.count = indices[last];
    return true;
}

}  // namespace detail

/// Gather, and GatherElements along the last axis, with indices that are computed.
inline bool planner::make_choice(node_id id) {
    const node& each = model()[id];
    if (each.is<op::gather_elements>()) {
        const element type = each.type();
        const element index_type = model().type(each.input(1));
        choice_step work;
        work.block_bytes = byte_size(type, 1);
        return type == model().type(each.input(0)) && bit_width(type) >= 8 &&
               (index_type == i32 || index_type == i64) && detail::has_elements(each.shape()) &&
               detail::has_elements(model().shape(each.input(0))) &&
               detail::choose_elements(each, model().shape(each.input(0)), model().shape(each.input(1)), work) &&
               add_choice(id, work);
    }
    const tensor* where = each.is<op::gather>() ? model().constant_value(each.input(2)) : nullptr;
    if (where == nullptr || each.type() != model().type(each.input(0)) || bit_width(each.type()) < 8 ||
        !detail::has_elements(each.shape()) || !detail::has_elements(model().shape(each.input(0)))) {
        return false;
    }
    const element type = model().type(each.input(1));
    const shape& data = model().shape(each.input(0));
    const shape& indices = model().shape(each.input(1));
    const std::int64_t axis = normalized_axis(where->integer(0), data.rank());
    const std::int64_t given = each.version() >= 7 ? each.as<op::gather>().batch_dims : 0;
    const std::int64_t batch = given < 0 ? given + static_cast<std::int64_t>(indices.rank()) : given;
    if ((type != i32 && type != i64) || axis < 0) {
        return false;
    }
    choice_step work;
    work.block_bytes = byte_size(each.type(), 1);
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(data.rank()); ++i) {
        const dimension size = data[static_cast<std::size_t>(i)];
        work.parts *= i < axis ? size : 1;
        work.parts_of_batch *= i >= batch && i < axis ? size : 1;
        work.block_bytes *= i > axis ? static_cast<std::size_t>(size) : 1;
    }
    work.size = data[static_cast<std::size_t>(axis)];
    for (std::size_t i = static_cast<std::size_t>(batch); i < indices.rank(); ++i) {
        work.count *= indices[i];
    }
    return add_choice(id, work);
}

/// The step of a choice among the blocks of input 0 by the indices of input 1.
inline bool planner::add_choice(node_id id, choice_step work) {
    const node& each = model()[id];
    work.input = tensor_at_any_address(each.input(0));
    work.indices = tensor_of(each.input(1), layout::plain);
    work.output = add_tensor(each.type(), each.shape(), layout::plain);
    define(id, work.output);
    step made;
    made.nodes = {id};
    made.kernel = std::string("gather") + suffix_of(each.type());
    made.precision = each.type();
    made.reads = {work.input, work.indices};
    made.writes = {work.output};
    made.work = work;
    add_step(std::move(made));
    return true;
}

inline bool planner::make_movement(node_id id) {
    return make_view(id) || make_concat(id) || make_gather(id) || make_choice(id);
}

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/plan/product.hpp
#ifndef LPT_HOLDS_PLAN_PRODUCT_HPP
#define LPT_HOLDS_PLAN_PRODUCT_HPP
// Matrix products.

namespace lpt::inline LPT_ABI::plan {

namespace detail {

/// One operand of a matrix product: sizes and strides (elements) of its two inner axes, and of the outer ones.
struct matrix_operand {
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    std::int64_t row_stride = 0;
    std::int64_t column_stride = 0;
    shape outer;
};

inline matrix_operand matrix_operand_of(const shape& dimensions, bool transposed, bool is_left) {
    matrix_operand result;
    const std::size_t rank = dimensions.rank();
    if (rank == 1) {
        result.rows = is_left ? 1 : dimensions[0];
        result.columns = is_left ? dimensions[0] : 1;
        result.row_stride = is_left ? dimensions[0] : 1;
        result.column_stride = 1;
        return result;
    }
    result.rows = dimensions[rank - 2];
    result.columns = dimensions[rank - 1];
    result.row_stride = result.columns;
    result.column_stride = 1;
    if (transposed) {
        std::swap(result.rows, result.columns);
        std::swap(result.row_stride, result.column_stride);
    }
    for (std::size_t axis = 0; axis + 2 < rank; ++axis) {
        result.outer.push_back(dimensions[axis]);
    }
    return result;
}

/// Where the matrices of each batch begin, in elements, for outer axes that broadcast to `batch`.
inline std::vector<std::int64_t> batch_offsets(const shape& outer, const shape& batch, std::int64_t matrix) {
    std::vector<std::int64_t> strides(batch.rank(), 0);
    std::int64_t stride = matrix;
    for (std::size_t i = 0; i < outer.rank(); ++i) {
        const dimension size = outer[outer.rank() - 1 - i];
        strides[batch.rank() - 1 - i] = size == 1 ? 0 : stride;
        stride *= size;
    }
    std::vector<std::int64_t> result(batch.elements(), 0);
    std::vector<std::int64_t> at(batch.rank(), 0);
    for (std::int64_t& each : result) {
        for (std::size_t axis = 0; axis < batch.rank(); ++axis) {
            each += at[axis] * strides[axis];
        }
        for (std::size_t axis = batch.rank(); axis-- > 0;) {
            if (++at[axis] < batch[axis]) {
                break;
            }
            at[axis] = 0;
        }
    }
    return result;
}

}  // namespace detail

inline void planner::make_product(const group& made) {
    const node& each = model()[made.anchor];
    const auto& self = each.as<op::mat_mul>();
    detail::matrix_operand a = detail::matrix_operand_of(model().shape(each.input(0)), self.transpose_a, true);
    const detail::matrix_operand b = detail::matrix_operand_of(model().shape(each.input(1)), self.transpose_b, false);
    const std::int64_t a_matrix = a.rows * a.columns;
    product_step work;
    work.m = a.rows;
    work.k = a.columns;
    work.n = b.columns;
    work.b_k_stride = b.row_stride;
    work.b_n_stride = b.column_stride;

    const quantized_source& left = made.operands[0];
    const quantized_source& right = made.operands[1];
    const tensor* constant = model().constant_value(each.input(1));
    integer_weights integers;
    bool is_integer = constant == nullptr && left.has_one_zero_point() && right.has_one_zero_point();
    if (constant != nullptr && left.has_one_zero_point()) {
        const auto column = [&](std::size_t i) {
            const std::int64_t inside = static_cast<std::int64_t>(i) % (work.k * work.n);
            return static_cast<std::size_t>(b.column_stride == 1 && work.n != 1 ? inside % work.n : inside / work.k);
        };
        is_integer = integer_weights_of(*constant, static_cast<std::size_t>(work.n), column, integers);
    }
    const double scale = is_integer ? left.scale.one() * (constant == nullptr ? right.scale.one() : 1) : 1;
    const chain functions = after_affine(made.functions, spread::of(scale), spread::of(no_shift));
    step result;
    result.precision = is_integer ? model().type(left.base) : f32;
    work.a = tensor_of(is_integer ? left.base : each.input(0), layout::plain);
    work.a = is_integer ? work.a : make_f32(work.a);
    result.reads = {work.a};
    if (a.column_stride != 1 && a.columns != 1) {
        work.a = make_transposed(
            work.a, a_matrix == 0 ? 1 : static_cast<std::int64_t>(at(work.a).dimensions.elements()) / a_matrix,
            a.columns, a.rows);
        result.reads = {work.a};
        a.row_stride = a.columns;
    }
    work.a_row_stride = a.columns == 1 ? 1 : a.row_stride;
    if (a.columns == 1) {
        work.a_row_stride = 1;
    }
    work.a_zero_point = is_integer ? left.zero_point() : 0;

    shape batch;
    broadcast_shapes(a.outer, b.outer, batch);
    const bool one_b = b.outer.elements() == 1;
    if (one_b && a.row_stride == a.columns) {
        work.m *= static_cast<std::int64_t>(batch.elements());
        work.a_offsets = {0};
        work.b_offsets = {0};
    } else {
        work.a_offsets = detail::batch_offsets(a.outer, batch, a_matrix);
        work.b_offsets = detail::batch_offsets(b.outer, batch, work.k * work.n);
    }
    kernel::gemm_weights packing;
    packing.k = work.k;
    packing.n = work.n;
    packing.k_stride = work.b_k_stride;
    packing.n_stride = work.b_n_stride;
    if (constant != nullptr) {
        const tensor weights = is_integer ? integers.values : as_f32(*constant);
        packing.type = integers.packs_four_bits(work.m) ? kernel::element_kind::i4 : kind_of(weights.type());
        packing.zero_points = integers.zero_points.data();
        packing.zero_point_count = static_cast<std::int64_t>(integers.zero_points.size());
        const std::size_t size = kernels().packed_gemm_bytes(packing.type, work.k, work.n);
        work.packed_matrix_bytes = (size + 63) / 64 * 64;
        const auto matrices = static_cast<std::size_t>(b.outer.elements());
        std::string form = "matrix";
        for (const std::int64_t number : {static_cast<std::int64_t>(packing.type), work.k, work.n, work.b_k_stride,
                                          work.b_n_stride, packing.zero_point_count}) {
            form += " " + std::to_string(number);
        }
        work.weights =
            packed_weights().find_or_pack(*constant, form, work.packed_matrix_bytes * matrices, [&](std::byte* to) {
                const std::size_t matrix = byte_size(weights.type(), static_cast<std::size_t>(work.k * work.n));
                for (std::size_t i = 0; i < matrices; ++i) {
                    packing.data = weights.data() + i * matrix;
                    kernels().pack_gemm(packing, to + i * work.packed_matrix_bytes, options_.parallel);
                }
            });
        for (std::int64_t& offset : work.b_offsets) {
            offset /= work.k * work.n;
        }
    } else {
        work.b = tensor_of(is_integer ? right.base : each.input(1), layout::plain);
        work.b = is_integer ? work.b : make_f32(work.b);
        result.reads.push_back(work.b);
        work.b_zero_point = is_integer ? right.zero_point() : 0;
        const std::size_t size = kernels().packed_gemm_bytes(kind_of(at(work.b).type), work.k, work.n);
        work.scratch = add_tensor(u8, shape{static_cast<dimension>(size)}, layout::plain);
    }
    work.finish = channel_finish(functions, layout::plain, work.n);
    read_residuals(result, work.finish);
    work.output = add_tensor(functions.type, functions.dimensions, layout::plain);
    result.nodes = functions.nodes;
    result.kernel =
        std::string("gemm_") + kernel::name_of(kernels().instruction_set) + suffix_of(is_integer ? i8 : f32);
    result.writes = {work.output};
    if (work.scratch != tensor_id::none) {
        result.writes.push_back(work.scratch);
    }
    define(functions.tail, work.output);
    result.work = std::move(work);
    add_step(std::move(result));
}

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/plan/plan.hpp
#ifndef LPT_HOLDS_PLAN_PLAN_HPP
#define LPT_HOLDS_PLAN_PLAN_HPP
// From a graph to the steps that run it.

namespace lpt::inline LPT_ABI::plan {

namespace detail {

/// Raises an error where an operation without a kernel is not to be left to the scalar reference.
inline void require_kernel(const plan_options& options, const node& each) {
    if (options.needs_kernels) {
        fail({each.operation(), " '", each.name(),
              "' has no kernel, and the scalar reference is refused (on_reference)"});
    }
}

}  // namespace detail

inline void planner::make_parameter(node_id id, std::size_t position) {
    const node& each = model()[id];
    if (!each.shape().is_static() || each.type() == dynamic) {
        fail({"input ", position, " '", each.name(), "' has the type ", name(each.type()), " and the shape ",
              each.shape(), "; a network is planned for known types and sizes"});
    }
    const tensor_id tensor = add_tensor(each.type(), each.shape(), layout::plain, area::input);
    net_.storage_of(tensor).offset = position;
    net_.inputs.push_back({each.name(), each.tensor_names(), each.type(), each.shape(), tensor});
    define(id, tensor);
}

inline state_id planner::state_of(const text& variable, element type) {
    const auto [known, is_new] = states_.emplace(variable.c_str(), id_at<state_id>(net_.states.size()));
    if (is_new) {
        const storage_id made = add_storage(area::state, 0);
        net_[made].offset = net_.states.size();
        net_.states.push_back({variable, type, made});
    }
    const state& each = net_[known->second];
    if (each.type != type) {
        fail({"variable '", variable, "' has the type ", name(each.type), ", and elsewhere ", name(type)});
    }
    return known->second;
}

/// The state of a ReadValue or Assign. No type but the variable's comes to it or from it; type-relaxed ones could have others.
inline state_id planner::state_of(const node& each, const text& variable) {
    const state_id result = state_of(variable, each.type());
    if (each.inputs() != 0) {
        state_of(variable, model().type(each.input(0)));
    }
    return result;
}

/// A state seen with a shape.
inline tensor_id planner::state_view(state_id number, const shape& dimensions) {
    const state& each = net_[number];
    if (!dimensions.is_static() || each.type == dynamic) {
        fail({"variable '", each.name, "' has the type ", name(each.type), " and the shape ", dimensions,
              "; a network is planned for known types and sizes"});
    }
    return add_view(each.type, dimensions, layout::plain, each.storage);
}

/// A tensor that stays what it is when states are written: a copy of one that is a state.
inline tensor_id planner::away_from_states(tensor_id tensor) {
    const stored_tensor value = at(tensor);
    if (net_.storage_of(tensor).where != area::state) {
        return tensor;
    }
    copy_step work;
    work.input = tensor;
    work.output = add_tensor(value.type, value.dimensions, value.order);
    step made;
    made.kernel = "copy";
    made.precision = value.type;
    made.reads = {tensor};
    made.writes = {work.output};
    made.work = work;
    add_step(std::move(made));
    return work.output;
}

/// States are written when all steps that read the old values are over.
inline void planner::make_assign(node_id id) {
    const node& each = model()[id];
    const output_ref input = each.input(0);
    copy_step work;
    work.state = state_of(each, each.as<op::assign>().variable_id);
    work.input = away_from_states(tensor_of(input, layout::plain));
    work.output = state_view(work.state, model().shape(input));
    define(id, work.input);
    step made;
    made.nodes = {id};
    made.kernel = "copy";
    made.precision = each.type();
    made.reads = {work.input};
    made.writes = {work.output};
    made.work = work;
    last_steps_.push_back(std::move(made));
}

/// Tensors for all outputs of a node.
inline void planner::add_outputs(node_id id, std::vector<tensor_id>& outputs) {
    const node& each = model()[id];
    for (std::size_t port = 0; port < each.outputs(); ++port) {
        if (!each.shape(port).is_static() || each.type(port) == dynamic) {
            fail({each.operation(), " '", each.name(), "' gives a tensor of type ", name(each.type(port)),
                  " and shape ", each.shape(port), "; a network is planned for known types and sizes"});
        }
        outputs.push_back(add_tensor(each.type(port), each.shape(port), layout::plain));
        define(output_ref(id, static_cast<std::int32_t>(port)), outputs.back());
    }
}

inline void planner::make_reference(node_id id) {
    const node& each = model()[id];
    reference_step work;
    work.node = id;
    step made;
    if (!reference::can_evaluate(each.attributes())) {
        fail({each.operation(), " '", each.name(), "' cannot be run: its type has no function that evaluates it"});
    }
    detail::require_kernel(options_, each);
    for (std::size_t port = 0; port < each.inputs(); ++port) {
        work.inputs.push_back(tensor_of(each.input(port), layout::plain));
    }
    add_outputs(id, work.outputs);
    made.nodes = {id};
    made.precision = reference_type(model(), each);
    made.kernel = std::string("reference") + suffix_of(is_byte(made.precision) ? made.precision : f32);
    made.reads = work.inputs;
    made.writes = work.outputs;
    made.work = std::move(work);
    add_step(std::move(made));
}

/// A node with bodies: they are planned for themselves, when it is known what comes to them.
inline void planner::make_control_flow(node_id id) {
    const node& each = model()[id];
    reference::check_bodies(each);
    control_flow_step work;
    work.node = id;
    for (std::size_t port = 0; port < each.inputs(); ++port) {
        work.inputs.push_back(tensor_of(each.input(port), layout::plain));
    }
    add_outputs(id, work.outputs);
    step made;
    made.nodes = {id};
    made.precision = each.outputs() != 0 ? each.type() : f32;
    made.kernel = "bodies";
    made.reads = work.inputs;
    made.writes = work.outputs;
    made.work = std::move(work);
    add_step(std::move(made));
}

inline void planner::make_group(const group& made) {
    switch (made.form) {
        case group_form::convolution: return make_convolution(made);
        case group_form::product: return make_product(made);
        case group_form::pool: return make_pool(made);
        case group_form::one_operand:
        case group_form::two_operands: return make_elementwise(made);
    }
}

inline void planner::make_node(node_id id) {
    const node& each = model()[id];
    if (each.is<op::constant>() || each.is<op::result>() || each.is<op::parameter>() || is_joined_[index_of(id)]) {
        return;
    }
    if (each.is<op::read_value>()) {
        const state_id number = state_of(each, each.as<op::read_value>().variable_id);
        const tensor_id tensor = state_view(number, each.shape());
        std::size_t& bytes = net_[number].bytes;
        bytes = std::max(bytes, at(tensor).bytes());
        if (each.inputs() != 0) {
            copy_step work{tensor_of(each.input(0), layout::plain), tensor, true, number};
            step made;
            made.nodes = {id};
            made.kernel = "copy";
            made.precision = each.type();
            made.reads = {work.input};
            made.writes = {tensor};
            made.work = work;
            add_step(std::move(made));
        }
        define(id, tensor);
        return;
    }
    if (each.is<op::assign>()) {
        return make_assign(id);
    }
    const int number = grouping_.of_node[index_of(id)];
    if (number >= 0) {
        const group& mine = grouping_.groups[static_cast<std::size_t>(number)];
        if (mine.functions.nodes.back() == id) {
            make_group(mine);
        }
        return;
    }
    if (each.outputs() == 1 && sources_.is_dequantization(id)) {
        return;
    }
    if (reference::runs_bodies(each.kind())) {
        return make_control_flow(id);
    }
    if (!make_movement(id) && !make_kernel(id)) {
        make_reference(id);
    }
}

inline void planner::make_results() {
    for (const node_id id : model().results()) {
        const node& each = model()[id];
        const output_ref source = each.input(0);
        const tensor_id tensor = away_from_states(tensor_of(source, layout::plain));
        net_.outputs.push_back({each.name().empty() ? model()[source.node].name() : each.name(),
                                model()[source.node].tensor_names(static_cast<std::size_t>(source.port)),
                                at(tensor).type, at(tensor).dimensions, tensor});
    }
}

inline network planner::plan(kept_order known_order) {
    const seq<node_id>& order = known_order.of(model());
    grouping_ = find_groups(sources_, order);
    join_to_attentions(order);
    for (std::size_t i = 0; i < model().parameters().size(); ++i) {
        make_parameter(model().parameters()[i], i);
    }
    layouts_ = chosen_layouts(sources_, grouping_, order).by_node();
    for (const node_id id : order) {
        lpt::detail::naming_errors_of(model()[id], [&] { make_node(id); });
    }
    make_results();
    for (step& each : last_steps_) {
        add_step(std::move(each));
    }
    drop_unread_lookups();
    for (step& each : net_.steps) {
        each.is_short = options_.short_steps_alone && is_short(net_, each);
    }
    const std::size_t packed = packed_weights().bytes();
    if (options_.writes_outputs) {
        place_outputs(net_);
    }
    plan_memory(net_, options_.memory_limit - std::min(packed, options_.memory_limit));
    return std::move(net_);
}

/// Plans a network for one table of kernels.
///
/// Types and sizes of all inputs, and of what all operations give, must be known. Raises an error that names the input or operation
/// where they are not, and one that names the operation where intermediate tensors and packed weights need more memory than the
/// limit, or than there is. The plan belongs to the table that packed its weights.
template <compiled = once>
[[gnu::noinline]] network make_plan(graph model, const plan_options& options) {
    fold_known(model);
    return planner(std::move(model), options).plan();
}

#ifdef LPT_COMPILED_RUNTIME
LPT_COMPILED_RUNTIME template network make_plan<>(graph, const plan_options&);
#endif

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/plan/stages.hpp
#ifndef LPT_HOLDS_PLAN_STAGES_HPP
#define LPT_HOLDS_PLAN_STAGES_HPP
// Networks whose shapes are known piece by piece: a plan for what is known, and the network that is left.

namespace lpt::inline LPT_ABI::plan {

/// A plan for all operations whose shapes are known, and what is left for when it was run.
struct stage {
    network net;
    bool complete = true;  // then the outputs of `net` are those of the network, and there is nothing else
    /// What is left: its inputs are those of this stage, then the outputs of `net`, then the outputs of the deferred steps, in order.
    graph rest;
    std::vector<bool> needs_value;  // by input of `rest`: shapes depend on its values
    graph whole;  // the network of this stage with all nodes of the deferred steps
};

namespace detail {

inline bool has_known_outputs(const node& each) {
    for (std::size_t port = 0; port < each.outputs(); ++port) {
        if (each.type(port) == dynamic || each.shape(port).is_dynamic()) {
            return false;
        }
    }
    return true;
}

/// True for inputs whose values say what shape an operation gives.
inline bool is_shape_port(const node& each, std::size_t port) {
    switch (each.kind()) {
        case op::kind::range: return true;
        case op::kind::convolution_backprop_data:
        case op::kind::group_convolution_backprop_data:
        case op::kind::gather: return port == 2;
        case op::kind::one_hot: return port == 1;
        case op::kind::pad: return port == 1 || port == 2;
        default: return port != 0 && op::has(op::row_of(each.attributes()).traits, op::trait::reads_values);
    }
}

/// Divides a network into a stage that can be planned and the rest.
class stage_maker {
    graph model_;
    const plan_options& options_;
    kept_order known_order_;
    const seq<node_id>& order_;
    std::vector<node_id> deferred_;  // evaluated at the end of the stage
    std::vector<output_ref> shape_values_;  // what shapes depend on
    std::vector<bool> computed_;  // by node: computed in this stage
    std::vector<output_ref> cuts_;  // what this stage gives to the rest

    /// The first operations with unknown outputs: each waits for the values of its shape ports, or is deferred.
    bool find_unknown() {
        std::vector<bool> known(model_.id_bound(), false);
        bool complete = true;
        for (const node_id id : order_) {
            const node& each = model_[id];
            bool inputs_known = true;
            for (std::size_t port = 0; port < each.inputs(); ++port) {
                inputs_known = inputs_known && known[index_of(model_.producer(id, port))];
            }
            known[index_of(id)] = inputs_known && has_known_outputs(each);
            complete = complete && known[index_of(id)];
            if (!inputs_known || known[index_of(id)]) {
                continue;
            }
            bool waits = false;
            for (std::size_t port = 0; port < each.inputs(); ++port) {
                if (is_shape_port(each, port) && model_.constant_value(each.input(port)) == nullptr) {
                    shape_values_.push_back(each.input(port));
                    waits = true;
                }
            }
            if (!waits) {
                deferred_.push_back(id);
            }
        }
        return complete;
    }
    void compute(output_ref source) {
        seq<node_id> waiting{source.node};
        while (!waiting.empty()) {
            const node_id id = waiting.back();
            waiting.pop_back();
            const node& each = model_[id];
            if (computed_[index_of(id)] || each.is<op::constant>() || each.is<op::parameter>()) {
                continue;
            }
            computed_[index_of(id)] = true;
            for (std::size_t port = 0; port < each.inputs(); ++port) {
                waiting.push_back(model_.producer(id, port));
            }
        }
    }
    void find_cuts() {
        computed_.assign(model_.id_bound(), false);
        for (const output_ref source : shape_values_) {
            compute(source);
        }
        for (const node_id id : deferred_) {
            for (std::size_t port = 0; port < model_[id].inputs(); ++port) {
                compute(model_[id].input(port));
            }
        }
        for (const node_id id : order_) {
            for (std::size_t port = 0; computed_[index_of(id)] && port < model_[id].outputs(); ++port) {
                const output_ref output(id, static_cast<std::int32_t>(port));
                bool read_later = false;
                for (const input_ref user : model_.uses(output)) {
                    read_later = read_later || !computed_[index_of(user.node)];
                }
                if (read_later) {
                    cuts_.push_back(output);
                }
            }
        }
    }

    /// A step for each deferred operation behind the others; `first` is the output of `net` that is the first one's first input.
    void add_deferred_steps(network& net, std::size_t first) const {
        for (const node_id id : deferred_) {
            const node& each = model_[id];
            deferred_step work;
            work.node = id;
            if (!reference::runs_bodies(each.kind())) {
                require_kernel(options_, each);
            }
            for (std::size_t port = 0; port < each.inputs(); ++port) {
                work.inputs.push_back(net.outputs[first++].tensor);
            }
            step made;
            made.nodes = {id};
            made.precision = reference_type(model_, each);
            made.kernel = reference::runs_bodies(each.kind())
                              ? std::string("bodies")
                              : std::string("reference") + suffix_of(is_byte(made.precision) ? made.precision : f32);
            made.reads = work.inputs;
            made.work = std::move(work);
            net.steps.push_back(std::move(made));
        }
        net.outputs.resize(cuts_.size());
    }
    network plan_known() const {
        graph known = model_;
        for (const node_id id : seq<node_id>(known.results())) {
            known.remove(id);
        }
        for (const node_id id : seq<node_id>(known.sinks())) {
            known.replace_uses(id, known[id].input(0));
            known.remove(id);
        }
        for (const output_ref each : cuts_) {
            known.result(each);
        }
        for (const node_id id : deferred_) {
            for (std::size_t port = 0; port < model_[id].inputs(); ++port) {
                known.result(model_[id].input(port));
            }
        }
        known.collect();
        plan_options options = options_;
        options.writes_outputs = false;  // some of its results are inputs of deferred steps, and no caller's
        network net = planner(std::move(known), options).plan();
        add_deferred_steps(net, cuts_.size());
        return net;
    }
    void take_rest(stage& result) const {
        graph& rest = result.rest;
        rest = model_;
        const auto replace = [&](output_ref output) {
            const node& each = model_[output.node];
            rest.replace_uses(output, rest.parameter(model_.type(output), model_.shape(output), each.name()));
        };
        for (const output_ref each : cuts_) {
            replace(each);
        }
        for (const node_id id : deferred_) {
            for (std::size_t port = 0; port < model_[id].outputs(); ++port) {
                replace(output_ref(id, static_cast<std::int32_t>(port)));
            }
        }
        result.needs_value.assign(rest.parameters().size(), false);
        const std::size_t before = model_.parameters().size();
        for (const output_ref value : shape_values_) {
            for (std::size_t i = 0; i < before; ++i) {
                if (model_.parameters()[i] == value.node) {
                    result.needs_value[i] = true;
                }
            }
            for (std::size_t i = 0; i < cuts_.size(); ++i) {
                if (cuts_[i] == value) {
                    result.needs_value[before + i] = true;
                }
            }
        }
        rest.collect();
    }

public:
    stage_maker(graph model, const plan_options& options, kept_order known_order)
        : model_(std::move(model)),
          options_(options),
          known_order_(std::move(known_order)),
          order_(known_order_.of(model_)) {}

    stage make() {
        stage result;
        result.complete = find_unknown();
        if (result.complete) {
            result.net = planner(std::move(model_), options_).plan(std::move(known_order_));
            return result;
        }
        find_cuts();
        result.net = plan_known();
        take_rest(result);
        result.whole = std::move(model_);
        return result;
    }
};

}  // namespace detail

/// Plans what is known of a network for these inputs; the rest is for when the stage was run.
///
/// `inputs`: one a Parameter, of static shapes, with the values of those that `needs_value` of the stage before names; `variables`: those that
/// were written. Operations whose output shapes depend on values (Reshape to a computed shape, Slice with computed bounds, Range …)
/// wait for these values and are then planned like others; operations that say their shapes only when they are evaluated (NonZero, loops
/// whose outputs grow) are the last steps of the stage. Raises an error that names the node for shapes that an operation cannot take.
inline stage make_stage(graph model, const std::vector<known_input>& inputs,
                        const std::vector<known_variable>& variables, const plan_options& options) {
    detail::give_inputs(model, inputs);
    kept_order order;
    detail::settle(model, variables, order);
    return detail::stage_maker(std::move(model), options, std::move(order)).make();
}

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/runtime/program.hpp
#ifndef LPT_HOLDS_RUNTIME_PROGRAM_HPP
#define LPT_HOLDS_RUNTIME_PROGRAM_HPP
// What all sessions of a network share: its graph, its plans and its packed weights.

namespace lpt::inline LPT_ABI::runtime {

/// What a network shares with the bodies inside it.
struct program_context {
    const kernel::kernel_table* kernels = nullptr;
    int threads = 1;  // that plans are made for; sessions may have others
    bool short_steps_alone = false;
    std::size_t most_plans = 1;
    std::size_t memory_limit = SIZE_MAX;
    plan::weight_store weights;
    std::uint64_t most_evaluated_bytes = reference::limits{}.bytes;
    folding_budget folding;  // left, of the network and its bodies
    bool needs_kernels = false;
    data_rounding dynamic_quantization = data_rounding::allowed;
    kernel::parallel_for parallel;  // that packs weights, while the network is compiled
    std::mutex planning;  // held while plans are looked up or made, which changes the weights, too

    plan::plan_options options() {
        return {kernels,       threads,  &weights, memory_limit,        short_steps_alone,
                needs_kernels, parallel, true,     dynamic_quantization};
    }
};

/// A stage that is planned for known shapes; nobody changes it any more.
struct planned_stage {
    plan::stage what;
    std::uint64_t number = 0;
};
using stage_pointer = std::shared_ptr<const planned_stage>;

/// A network with the plans for the shapes that it was run with lately.
///
/// A run goes through stages: the first is planned for the shapes of the inputs; where shapes depend on values, the next is planned
/// when these are computed. Plans are kept by shapes (and values that shapes depend on), the most recently used ones.
/// Any number of threads may ask for plans at once.
class network_program {
    struct kept_stage {
        stage_pointer stage;
        std::uint64_t last_use = 0;
    };

    program_context& context_;
    graph model_;
    std::vector<plan::port> inputs_;
    std::vector<plan::port> outputs_;
    seq<text> variables_;  // those that may change their shape
    seq<text> own_variables_;
    seq<text> all_variables_;  // those of bodies, too
    std::map<node_id, std::vector<std::unique_ptr<network_program>>> bodies_;
    std::map<std::string, kept_stage> stages_;
    stage_pointer first_;  // that was made ahead
    bool is_fixed_ = false;
    bool has_one_first_ = false;
    std::uint64_t made_ = 0;
    std::uint64_t uses_ = 0;

    // ---- what is fixed

    void describe_ports() {
        for (const node_id id : model_.parameters()) {
            const node& each = model_[id];
            inputs_.push_back({each.name(), each.tensor_names(), each.type(), each.shape(), plan::tensor_id::none});
        }
        for (const node_id id : model_.results()) {
            const node& each = model_[id];
            const node& source = model_[each.input(0).node];
            const auto port = static_cast<std::size_t>(each.input(0).port);
            outputs_.push_back({each.name().empty() ? source.name() : each.name(), source.tensor_names(port),
                                source.type(port), source.shape(port), plan::tensor_id::none});
        }
    }
    void find_variables(view<node_id> order) {
        for (const node_id id : order) {
            const node& each = model_[id];
            if (each.is<op::assign>()) {
                all_variables_.push_back(each.as<op::assign>().variable_id);
            }
            if (!each.is<op::read_value>()) {
                continue;
            }
            all_variables_.push_back(each.as<op::read_value>().variable_id);
            if (each.version() < 6 || each.shape().is_dynamic()) {
                variables_.push_back(each.as<op::read_value>().variable_id);
            }
        }
    }
    /// A network reads its variables where they lie: a body that writes them meanwhile would change what was read.
    void take_variables_of(const network_program& body) {
        for (const text& each : body.all_variables_) {
            if (own_variables_.contains(each)) {
                fail({"variable '", each, "' belongs to the network around it, too"});
            }
            all_variables_.push_back(each);
        }
    }
    void make_bodies(view<node_id> order, double& planning_us) {
        for (const node_id id : order) {
            const node& each = model_[id];
            if (!reference::runs_bodies(each.kind())) {
                continue;
            }
            reference::check_bodies(each);
            std::vector<std::unique_ptr<network_program>>& programs = bodies_[id];
            for (std::size_t which = 0; which < each.bodies().size(); ++which) {
                try {
                    programs.push_back(std::make_unique<network_program>(each.bodies()[which], context_, planning_us));
                    take_variables_of(*programs.back());
                } catch (const error& raised) {
                    fail({each.operation(), " '", each.name(), "', ", op::body_name(each.kind(), which), ": ",
                          raised.message()});
                }
            }
        }
    }
    bool has_fixed_inputs() const {
        for (const plan::port& each : inputs_) {
            if (each.type == dynamic || each.dimensions.is_dynamic()) {
                return false;
            }
        }
        return true;
    }

    // ---- plans

    static void append(std::string& key, std::int64_t number) {
        key.append(reinterpret_cast<const char*>(&number), sizeof number);
    }
    static void append(std::string& key, const shape& dimensions) {
        append(key, static_cast<std::int64_t>(dimensions.rank()));
        for (const dimension each : dimensions) {
            append(key, each);
        }
    }
    static std::string key_of(std::uint64_t before, const std::vector<plan::known_input>& inputs,
                              const std::vector<plan::known_variable>& variables) {
        std::string key;
        append(key, static_cast<std::int64_t>(before));
        for (const plan::known_input& each : inputs) {
            append(key, static_cast<std::int64_t>(each.type));
            append(key, each.dimensions);
            if (each.value) {
                key.append(reinterpret_cast<const char*>(each.value.data()), each.value.size_in_bytes());
            }
        }
        for (const plan::known_variable& each : variables) {
            key.append(each.name.c_str(), each.name.size() + 1);
            append(key, each.dimensions);
        }
        return key;
    }
    void forget_oldest() {
        if (stages_.size() <= context_.most_plans) {
            return;
        }
        while (stages_.size() > context_.most_plans) {
            auto oldest = stages_.begin();
            for (auto each = stages_.begin(); each != stages_.end(); ++each) {
                oldest = each->second.last_use < oldest->second.last_use ? each : oldest;
            }
            stages_.erase(oldest);
        }
        context_.weights.forget_unused();
    }
    void keep_constants(view<node_id> order) {
        for (const node_id id : order) {
            if (model_[id].is<op::constant>()) {
                context_.weights.keep(model_[id].as<op::constant>().value);
            }
        }
    }
    template <class Graph>
    stage_pointer stage_for(Graph&& model, std::uint64_t before, const std::vector<plan::known_input>& inputs,
                            const std::vector<plan::known_variable>& variables, double& planning_us) {
        const std::lock_guard lock(context_.planning);
        const std::string key = key_of(before, inputs, variables);
        if (const auto found = stages_.find(key); found != stages_.end()) {
            found->second.last_use = ++uses_;
            return found->second.stage;
        }
        const auto begin = std::chrono::steady_clock::now();
        const auto made = std::make_shared<planned_stage>();
        made->what = plan::make_stage(std::forward<Graph>(model), inputs, variables, context_.options());
        planning_us += std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
        made->number = ++made_;
        stages_.emplace(key, kept_stage{made, ++uses_});
        forget_oldest();
        return made;
    }
    /// With fixed inputs the first plan is made at once: then a network that cannot be planned is found when it is compiled.
    void plan_ahead(double& planning_us) {
        if (!has_fixed_inputs()) {
            return;
        }
        std::vector<plan::known_input> inputs;
        for (const plan::port& each : inputs_) {
            inputs.push_back({each.type, each.dimensions, {}});
        }
        has_one_first_ = variables_.empty();
        first_ = has_one_first_ ? stage_for(std::move(model_), 0, inputs, {}, planning_us)
                                : stage_for(model_, 0, inputs, {}, planning_us);
        is_fixed_ = has_one_first_ && first_->what.complete;
        if (is_fixed_) {
            stages_.clear();
            outputs_ = first_->what.net.outputs;
        }
    }

public:
    /// `context` must live as long as the program; `planning_us` grows by the microseconds that plans took.
    network_program(graph model, program_context& context, double& planning_us)
        : context_(context), model_(std::move(model)) {
        model_.set_folding_budget(context_.folding);
        plan::fold_known(model_);
        context_.folding = model_.folding();
        const seq<node_id> order = topological_order(model_);
        keep_constants(order);
        describe_ports();
        find_variables(order);
        own_variables_ = all_variables_;
        make_bodies(order, planning_us);
        plan_ahead(planning_us);
    }
    network_program(const network_program&) = delete;
    network_program& operator=(const network_program&) = delete;

    program_context& context() const { return context_; }
    const std::vector<plan::port>& inputs() const { return inputs_; }
    const std::vector<plan::port>& outputs() const { return outputs_; }
    /// Variables that may change their shape: plans depend on it.
    const seq<text>& variables() const { return variables_; }
    /// The programs of the bodies, by the node that has them.
    const std::map<node_id, std::vector<std::unique_ptr<network_program>>>& bodies() const { return bodies_; }

    /// Whether all shapes were known when the network was compiled: `first` is its only plan.
    bool is_fixed() const { return is_fixed_; }
    /// The stage that each run begins with, or null if that depends on inputs or variables.
    stage_pointer only_first() const { return has_one_first_ ? first_ : nullptr; }
    /// The stage that was planned when the network was compiled, or null.
    const stage_pointer& planned_ahead() const { return first_; }
    /// Plans that are kept now, of the network itself.
    std::size_t plans() const {
        const std::lock_guard lock(context_.planning);
        return is_fixed_ ? 1 : stages_.size();
    }

    /// The first stage for these inputs and variables; `planning_us` grows by the time that a new plan took.
    stage_pointer first(const std::vector<plan::known_input>& inputs,
                        const std::vector<plan::known_variable>& variables, double& planning_us) {
        return stage_for(model_, 0, inputs, variables, planning_us);
    }
    /// The stage behind `before`.
    stage_pointer next(const planned_stage& before, const std::vector<plan::known_input>& inputs,
                       const std::vector<plan::known_variable>& variables, double& planning_us) {
        return stage_for(before.what.rest, before.number, inputs, variables, planning_us);
    }
};

}  // namespace lpt::inline LPT_ABI::runtime
#endif

// ======== lpt/kernel/bind.hpp
#ifndef LPT_HOLDS_KERNEL_BIND_HPP
#define LPT_HOLDS_KERNEL_BIND_HPP
// From planned steps to the problems of kernels, in one way for plans that are data (lpt/plan) and plans that are types (lpt/embedded).
//
// `Memory` knows where the operands of a plan lie; what these are is its own affair:
//   read(operand), write(operand)      their addresses, null for one that is left out; type_of(operand), kind_of(type): element kinds;
//   row_stride(operand, dense)         elements from row to row (from pixel to pixel), `dense` where there is no gap;
//   packed(weights)                    the bytes of packed weights;
//   numbers(row, at)                   numbers of an epilogue where the loops around pixels and channels are `at`;
//   strided(operand, at, more)         a tensor there, `more` elements on; target(operand, at): the same to be written;
//   posts(finish), has_residual(post)  the post operations of an epilogue as a range, and whether one reads a tensor;
//   batches(step)                      how many matrix products there are.
// A position `at` has the index of each loop: at[axis], at.size(). All is inlined, so that what a compiler knows of a step stays known.

namespace lpt::inline LPT_ABI::kernel {

/// Numbers of an epilogue: an array, or, without one, `all`.
struct bound_numbers {
    const float* array = nullptr;
    float all = 0;
};

/// A tensor with its strides, in elements, along pixels and channels.
struct bound_operand {
    const void* data = nullptr;
    element_kind type = element_kind::f32;
    std::int64_t row_stride = 0;
    std::int64_t channel_stride = 1;
};

/// Calls `body(at)` for each position of loops of these sizes, which begin at `at`.
template <class Sizes, class Position, class Body>
[[gnu::always_inline]] inline void for_each_position(const Sizes& sizes, Position at, const Body& body) {
    while (true) {
        body(at);
        std::size_t axis = at.size();
        while (axis > 0 && ++at[axis - 1] == sizes[axis - 1]) {
            at[--axis] = 0;
        }
        if (axis == 0) return;
    }
}

/// How far a position is along strides.
template <class Strides, class Position>
[[gnu::always_inline]] inline std::int64_t offset_at(const Strides& strides, const Position& at) {
    std::int64_t offset = 0;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
        offset += at[axis] * strides[axis];
    }
    return offset;
}

/// An epilogue. `posts` has room for its post operations; residuals are read from `more` elements on.
template <class Memory, class Finish, class Position>
[[gnu::always_inline]] inline epilogue bind_finish(const Memory& memory, const Finish& from, post_operation* posts,
                                                   const Position& at, std::int64_t more = 0) {
    epilogue result;
    const bound_numbers scale = memory.numbers(from.scale, at);
    const bound_numbers bias = memory.numbers(from.bias, at);
    result.scale = scale.array;
    result.scale_all = scale.all;
    result.bias = bias.array;
    result.bias_all = bias.all;
    for (const auto& each : memory.posts(from)) {
        post_operation post;
        const bound_numbers a = memory.numbers(each.a, at);
        const bound_numbers b = memory.numbers(each.b, at);
        post.kind = each.kind;
        post.function = each.function;
        post.alpha = a.all;
        post.beta = b.all;
        post.per_channel_a = a.array;
        post.per_channel_b = b.array;
        if (memory.has_residual(each)) {
            const bound_operand residual = memory.strided(each.residual, at, more);
            post.residual_type = residual.type;
            post.residual = residual.data;
            post.residual_row_stride = residual.row_stride;
        }
        posts[result.post_count++] = post;
    }
    result.post = posts;
    result.output_type = memory.kind_of(from.type);
    result.quant_low = from.low;
    result.quant_high = from.high;
    return result;
}

template <class Memory, class Step, class Position>
[[gnu::always_inline]] inline convolution_problem bind_convolution(const Memory& memory, const Step& step,
                                                                   post_operation* posts, const Position& none) {
    convolution_problem problem;
    problem.shape = step.shape;
    problem.input = memory.read(step.input);
    problem.input_type = memory.type_of(step.input);
    problem.input_pixel_stride = memory.row_stride(step.input, step.shape.in_channels);
    problem.input_zero_point = step.zero_point;
    problem.packed_weights = memory.packed(step.weights);
    problem.output = memory.write(step.output);
    problem.output_pixel_stride = memory.row_stride(step.output, step.shape.out_channels);
    problem.scratch = memory.write(step.scratch);
    problem.finish = bind_finish(memory, step.finish, posts, none);
    return problem;
}

/// The second operand of a product before packing, from element `offset` on.
template <class Memory, class Step>
[[gnu::always_inline]] inline gemm_weights bind_columns(const Memory& memory, const Step& step, std::int64_t offset) {
    gemm_weights weights;
    weights.type = memory.type_of(step.b);
    weights.data = memory.read(step.b) + offset * bytes_of(weights.type);
    weights.k = step.k;
    weights.n = step.n;
    weights.k_stride = step.b_k_stride;
    weights.n_stride = step.b_n_stride;
    weights.zero_points = &step.b_zero_point;
    weights.zero_point_count = step.b_zero_point == 0 ? 0 : 1;
    return weights;
}

/// Calls `run(problem)` for each product, before that `pack(offset)` where the second operand is packed now: from element `offset` on, to
/// the step's scratch memory.
template <class Memory, class Step, class Position, class Pack, class Run>
[[gnu::always_inline]] inline void for_each_product(const Memory& memory, const Step& step, post_operation* posts,
                                                    const Position& none, const Pack& pack, const Run& run) {
    gemm_problem problem;
    problem.m = step.m;
    problem.n = step.n;
    problem.k = step.k;
    problem.a_type = memory.type_of(step.a);
    problem.a_row_stride = memory.row_stride(step.a, step.a_row_stride);
    problem.a_zero_point = step.a_zero_point;
    problem.c_row_stride = memory.row_stride(step.output, step.n);
    std::int64_t packed = -1;
    for (std::int64_t batch = 0; batch < memory.batches(step); ++batch) {
        const std::int64_t first_row = batch * step.m;
        const std::int64_t a_offset = step.a_offsets[static_cast<std::size_t>(batch)];
        const std::int64_t b_offset = step.b_offsets[static_cast<std::size_t>(batch)];
        problem.a = memory.read(step.a) + a_offset * bytes_of(problem.a_type);
        problem.c =
            memory.write(step.output) + first_row * problem.c_row_stride * bytes_of(memory.kind_of(step.finish.type));
        if (step.packed_matrix_bytes != 0) {
            problem.packed_b = static_cast<const std::byte*>(memory.packed(step.weights)) +
                               b_offset * static_cast<std::int64_t>(step.packed_matrix_bytes);
        } else {
            if (packed != b_offset) pack(b_offset);
            packed = b_offset;
            problem.packed_b = memory.read(step.scratch);
        }
        problem.finish = bind_finish(memory, step.finish, posts, none, first_row * step.n);
        run(problem);
    }
}

template <class Memory, class Step, class Position>
[[gnu::always_inline]] inline pool_problem bind_pool(const Memory& memory, const Step& step, post_operation* posts,
                                                     const Position& none) {
    pool_problem problem = step.problem;
    problem.input = memory.read(step.input);
    problem.input_pixel_stride = memory.row_stride(step.input, problem.channels);
    problem.output = memory.write(step.output);
    problem.output_pixel_stride = memory.row_stride(step.output, problem.channels);
    problem.finish = bind_finish(memory, step.finish, posts, none);
    return problem;
}

/// A function of one tensor; `rows` and `channels` are the inner loops.
template <class Memory, class Operand, class Finish, class Position>
[[gnu::always_inline]] inline convert_problem
bind_convert(const Memory& memory, std::int64_t rows, std::int64_t channels, const Operand& input,
             const Operand& output, const Finish& finish, post_operation* posts, const Position& at) {
    convert_problem problem;
    const bound_operand from = memory.strided(input, at, 0);
    const bound_operand to = memory.strided(output, at, 0);
    problem.pixels = rows;
    problem.channels = channels;
    problem.input_type = from.type;
    problem.input = from.data;
    problem.input_layout = {0, from.row_stride, from.channel_stride};
    problem.output = memory.target(output, at);
    problem.output_layout = {0, to.row_stride, to.channel_stride};
    problem.finish = bind_finish(memory, finish, posts, at);
    return problem;
}

/// An operand of a function of two tensors.
template <class Memory, class Operand, class Numbers, class Position>
[[gnu::always_inline]] inline binary_operand bind_operand(const Memory& memory, const Operand& from,
                                                          const Numbers& scales, const Numbers& shifts,
                                                          const Position& at) {
    const bound_operand tensor = memory.strided(from, at, 0);
    const bound_numbers scale = memory.numbers(scales, at);
    const bound_numbers shift = memory.numbers(shifts, at);
    binary_operand result;
    result.type = tensor.type;
    result.data = tensor.data;
    result.row_stride = tensor.row_stride;
    result.channel_stride = tensor.channel_stride;
    result.scale = scale.array;
    result.scale_all = scale.all;
    result.shift = shift.array;
    result.shift_all = shift.all;
    return result;
}

/// A function of two tensors, whose operands are bound.
template <class Memory, class Operand, class Finish, class Position>
[[gnu::always_inline]] inline binary_problem
bind_binary(const Memory& memory, binary_function function, std::int64_t rows, std::int64_t channels,
            const binary_operand& a, const binary_operand& b, const Operand& output, const Finish& finish,
            post_operation* posts, const Position& at) {
    binary_problem problem;
    problem.function = function;
    problem.rows = rows;
    problem.channels = channels;
    problem.a = a;
    problem.b = b;
    problem.output = memory.target(output, at);
    problem.output_row_stride = memory.strided(output, at, 0).row_stride;
    problem.finish = bind_finish(memory, finish, posts, at);
    return problem;
}

template <class Memory, class Operand>
[[gnu::always_inline]] inline lookup_problem bind_lookup(const Memory& memory, const Operand& input,
                                                         const Operand& output, std::int64_t rows, std::int64_t count,
                                                         const std::uint8_t* table) {
    lookup_problem problem;
    problem.input = reinterpret_cast<const std::uint8_t*>(memory.read(input));
    problem.output = reinterpret_cast<std::uint8_t*>(memory.write(output));
    problem.rows = rows;
    problem.count = count;
    problem.input_row_stride = memory.row_stride(input, count);
    problem.output_row_stride = memory.row_stride(output, count);
    problem.table = table;
    return problem;
}

template <class Memory, class Step>
[[gnu::always_inline]] inline transpose_problem bind_transpose(const Memory& memory, const Step& step) {
    transpose_problem problem = step.problem;
    problem.input = memory.read(step.input);
    problem.output = memory.write(step.output);
    return problem;
}

/// A problem that says its fields itself, with the operands of its step.
template <class Memory, class Step>
[[gnu::always_inline]] inline auto bind_problem(const Memory& memory, const Step& step) {
    auto problem = step.problem;
    point_operands(
        problem, [&](int slot) { return memory.read(step.operands[static_cast<std::size_t>(slot)]); },
        [&](int slot) { return memory.write(step.operands[static_cast<std::size_t>(slot)]); });
    return problem;
}

// ---- Without a kernel

/// The parts of an image with a margin around its pixels, in their order: `fill(pixels)` for so many pixels of the margin, `copy()` for a line
/// of the image.
template <class Step, class Fill, class Copy>
[[gnu::always_inline]] inline void for_each_part_of_margin(const Step& step, const Fill& fill, const Copy& copy) {
    const auto inside = [&step](std::int64_t at, int axis) __attribute__((always_inline)) {
        return at >= step.begin[axis] && at < step.begin[axis] + step.in[axis];
    };
    for (std::int64_t n = 0; n < step.batch; ++n) {
        for (std::int64_t d = 0; d < step.out[0]; ++d) {
            for (std::int64_t h = 0; h < step.out[1]; ++h) {
                if (!inside(d, 0) || !inside(h, 1)) {
                    fill(step.out[2]);
                    continue;
                }
                fill(step.begin[2]);
                copy();
                fill(step.out[2] - step.begin[2] - step.in[2]);
            }
        }
    }
}

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/runtime/states.hpp
#ifndef LPT_HOLDS_RUNTIME_STATES_HPP
#define LPT_HOLDS_RUNTIME_STATES_HPP
// Memory, and what lives in it from run to run.

namespace lpt::inline LPT_ABI::runtime {

using memory_block = plan::zeroed_memory;

/// A variable of a network (ReadValue, Assign).
struct state_value {
    text name;
    element type = dynamic;
    shape dimensions;
    bool is_set = false;  // Assign wrote it since the last reset
    memory_block bytes;
};

/// The variables of a network and of the bodies inside it.
class state_table {
    std::deque<state_value> values_;  // they do not move
    std::map<std::string, state_value*> by_name_;

public:
    /// The variable of this name, which is made if there is none.
    state_value& named(text_view name, element type) {
        state_value*& known = by_name_[std::string(name.data(), name.size())];
        if (known == nullptr) {
            values_.push_back({text(name), type, {}, false, {}});
            known = &values_.back();
        }
        return *known;
    }
    const state_value* find(text_view name) const {
        const auto known = by_name_.find(std::string(name.data(), name.size()));
        return known == by_name_.end() ? nullptr : known->second;
    }
    /// All variables begin anew.
    void reset() {
        for (state_value& each : values_) {
            each.is_set = false;
        }
    }
};

}  // namespace lpt::inline LPT_ABI::runtime
#endif

// ======== lpt/runtime/run_memory.hpp
#ifndef LPT_HOLDS_RUNTIME_RUN_MEMORY_HPP
#define LPT_HOLDS_RUNTIME_RUN_MEMORY_HPP
// Where the operands of a plan lie in a run.

namespace lpt::inline LPT_ABI::runtime {

/// What steps leave to the owner of their network: nodes that run bodies, or that say their shapes only when they are evaluated.
struct node_evaluator {
    void* owner = nullptr;
    seq<tensor> (*evaluate)(void* owner, node_id id, view<tensor> inputs) = nullptr;
};

/// Memory of one run.
struct memory {
    std::byte* arena = nullptr;
    const void* const* inputs = nullptr;
    void* const* outputs = nullptr;
    state_value* const* states = nullptr;  // by number of the state
    node_evaluator nodes;
    std::vector<tensor>* deferred = nullptr;  // what deferred steps give, one after the other
    std::vector<kernel::post_operation>* posts = nullptr;  // of the step that runs
};

/// Tensors of a plan in the memory of a run, as `kernel/bind.hpp` asks for them.
class run_memory {
    const plan::network& net_;
    const memory& memory_;

public:
    run_memory(const plan::network& net, const memory& where) : net_(net), memory_(where) {}

    /// The index of each loop of an elementwise step around its pixels and channels.
    using position = seq<std::int64_t, 8>;  // a run asks for no memory unless there are more loops

    const std::byte* read(plan::tensor_id tensor) const {
        if (tensor == plan::tensor_id::none) {
            return nullptr;
        }
        const plan::storage& block = net_.storage_of(tensor);
        const std::size_t offset = net_[tensor].offset;
        switch (block.where) {
            case plan::area::arena: return memory_.arena + block.offset + offset;
            case plan::area::constant: return block.value.data() + offset;
            case plan::area::input: return static_cast<const std::byte*>(memory_.inputs[block.offset]) + offset;
            case plan::area::state: return memory_.states[block.offset]->bytes.data() + offset;
            case plan::area::output: return static_cast<const std::byte*>(memory_.outputs[block.offset]) + offset;
        }
        return nullptr;
    }
    /// Steps write to the arena, to states and to outputs.
    std::byte* write(plan::tensor_id tensor) const {
        if (tensor == plan::tensor_id::none) {
            return nullptr;
        }
        const plan::storage& block = net_.storage_of(tensor);
        const std::size_t offset = net_[tensor].offset;
        switch (block.where) {
            case plan::area::state: return memory_.states[block.offset]->bytes.data() + offset;
            case plan::area::output: return static_cast<std::byte*>(memory_.outputs[block.offset]) + offset;
            default: return memory_.arena + block.offset + offset;
        }
    }
    const plan::spaced_rows& rows_of(plan::tensor_id tensor) const { return net_[tensor].rows; }
    std::int64_t row_stride(plan::tensor_id tensor, std::int64_t dense) const {
        const plan::spaced_rows& rows = rows_of(tensor);
        return rows.exist() ? rows.distance : dense;
    }
    /// Where rows of so many bytes lie, in bytes, each a part of those that have gaps between them.
    kernel::row_layout places_of(plan::tensor_id tensor, std::size_t bytes) const {
        const plan::spaced_rows& rows = rows_of(tensor);
        const auto size_of = [&](std::int64_t elements) {
            return static_cast<std::int64_t>(byte_size(net_[tensor].type, static_cast<std::size_t>(elements)));
        };
        return rows.exist()
                   ? kernel::row_layout{size_of(rows.length) / static_cast<std::int64_t>(bytes), size_of(rows.distance)}
                   : kernel::row_layout();
    }
    std::size_t row_bytes(plan::tensor_id tensor, std::size_t dense) const { return net_[tensor].row_bytes(dense); }
    kernel::element_kind type_of(plan::tensor_id tensor) const { return plan::kind_of(net_[tensor].type); }
    static kernel::element_kind kind_of(element type) { return plan::kind_of(type); }
    static const void* packed(const std::shared_ptr<const plan::packed_bytes>& weights) {
        return weights == nullptr ? nullptr : weights->data();
    }
    static std::int64_t batches(const plan::product_step& work) {
        return static_cast<std::int64_t>(work.a_offsets.size());
    }

    static kernel::bound_numbers numbers(const plan::number_row& row, const position& at) {
        if (row.is_one()) {
            return {nullptr, row.values[0]};
        }
        const float* const first = row.values.data() + kernel::offset_at(row.strides, at);
        return row.strides.back() == 0 ? kernel::bound_numbers{nullptr, *first} : kernel::bound_numbers{first, *first};
    }
    static const std::vector<plan::planned_post>& posts(const plan::planned_finish& finish) { return finish.posts; }
    static bool has_residual(const plan::planned_post& post) { return post.residual.tensor != plan::tensor_id::none; }
    /// Room for the post operations of an epilogue.
    kernel::post_operation* room_for(const plan::planned_finish& finish) const {
        memory_.posts->resize(finish.posts.size());
        return memory_.posts->data();
    }

    kernel::bound_operand strided(const plan::strided_tensor& from, const position& at, std::int64_t more) const {
        const kernel::element_kind type = type_of(from.tensor);
        const std::int64_t offset = kernel::offset_at(from.strides, at) + more;
        return {read(from.tensor) + offset * kernel::bytes_of(type), type, from.strides[at.size()],
                from.strides[at.size() + 1]};
    }
    std::byte* target(const plan::strided_tensor& to, const position& at) const {
        return write(to.tensor) + kernel::offset_at(to.strides, at) * kernel::bytes_of(type_of(to.tensor));
    }
};

}  // namespace lpt::inline LPT_ABI::runtime
#endif

// ======== lpt/runtime/moves.hpp
#ifndef LPT_HOLDS_RUNTIME_MOVES_HPP
#define LPT_HOLDS_RUNTIME_MOVES_HPP
// Steps that move bytes from one tensor to another.

namespace lpt::inline LPT_ABI::runtime {

namespace detail {

/// Calls work(begin, end) for parts of [0, count), one for each thread that is worth its round; `bytes`: of all.
template <class Work>
void in_parts(const kernel::parallel_for& parallel, std::size_t count, std::size_t bytes, const Work& work) {
    constexpr std::size_t least_bytes = 16384;  // of a part
    const std::size_t threads =
        parallel.run != nullptr && parallel.threads > 1 ? static_cast<std::size_t>(parallel.threads) : 1;
    const std::size_t worth = bytes / least_bytes < threads ? bytes / least_bytes : threads;
    const std::size_t parts = worth < count ? worth : count;
    if (parts < 2) {
        return work(std::size_t{0}, count);
    }
    struct job {
        const Work& work;
        std::size_t count;
        std::size_t parts;
        static void run(void* context, int index) {
            const job& self = *static_cast<const job*>(context);
            const auto at = static_cast<std::size_t>(index);
            self.work(self.count * at / self.parts, self.count * (at + 1) / self.parts);
        }
    };
    job all{work, count, parts};
    parallel.run(parallel.pool, static_cast<int>(parts), &job::run, &all);
}

/// Copies few bytes, two overlapping moves of one size at a time: a call for each piece would cost more.
inline void copy_piece(std::byte* to, const std::byte* from, std::size_t size) {
    const auto copy = [&](auto block) {
        constexpr std::size_t each = decltype(block)::value;
        for (std::size_t i = 0; i + each <= size; i += each) {
            std::memcpy(to + i, from + i, each);
        }
        std::memcpy(to + size - each, from + size - each, each);
    };
    if (size > 256) {
        std::memcpy(to, from, size);
    } else if (size >= 16) {
        copy(std::integral_constant<std::size_t, 16>());
    } else if (size >= 4) {
        copy(std::integral_constant<std::size_t, 4>());
    } else {
        for (std::size_t i = 0; i < size; ++i) {
            to[i] = from[i];
        }
    }
}

/// Where the blocks of an output lie: `in_row` of them side by side, `distance` bytes from row to row.
struct block_rows {
    std::byte* to;
    std::size_t size;  // bytes of a block
    std::size_t in_row;
    std::size_t distance;

    /// Calls visit(number, count, place) for the blocks from `begin` to before `end` that lie side by side.
    template <class Visit>
    void for_each_part(std::size_t begin, std::size_t end, const Visit& visit) const {
        std::size_t row = begin / in_row;
        for (std::size_t column = begin % in_row; begin < end; column = 0, ++row) {
            const std::size_t count = in_row - column < end - begin ? in_row - column : end - begin;
            visit(begin, count, to + row * distance + column * size);
            begin += count;
        }
    }
};

template <class Block>
void gather_elements(const plan::gather_step& work, const std::byte* from, std::byte* to, std::size_t begin,
                     std::size_t count) {
    Block fill{};
    std::memcpy(&fill, work.fill.data(), sizeof fill);
    const std::int32_t* const sources =
        work.sources.data() + begin;  // bytes that are written might be the vector's own
    for (std::size_t i = 0; i < count; ++i) {
        Block value = fill;
        if (sources[i] >= 0) {
            std::memcpy(&value, from + static_cast<std::size_t>(sources[i]) * sizeof value, sizeof value);
        }
        std::memcpy(to + i * sizeof value, &value, sizeof value);
    }
}

/// Calls work(type) with an unsigned integer as large as an element.
template <class Work>
void with_element(std::int64_t bytes, const Work& work) {
    switch (bytes) {
        case 1: return work(std::uint8_t{});
        case 2: return work(std::uint16_t{});
        case 4: return work(std::uint32_t{});
        default: return work(std::uint64_t{});
    }
}

/// One element again and again.
inline void fill_bytes(const std::vector<std::byte>& element, std::byte* to, std::size_t size) {
    if (element.size() == 1) {
        std::memset(to, static_cast<int>(element[0]), size);
        return;
    }
    for (std::size_t i = 0; i < size; i += element.size()) {
        std::memcpy(to + i, element.data(), element.size());
    }
}

/// Elements at equal distances next to each other.
template <class Element>
void collect(const std::byte* from, std::ptrdiff_t distance, std::byte* to, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        std::memcpy(to + i * sizeof(Element), from + static_cast<std::ptrdiff_t>(i) * distance, sizeof(Element));
    }
}

/// The runs from number `begin` to before `end`.
inline void gather_runs(const plan::gather_step& work, const std::byte* from, const block_rows& rows, std::size_t begin,
                        std::size_t end) {
    const std::size_t size = rows.size;
    for (std::size_t at = begin; at < end; ++at) {
        const plan::block_run run = work.runs[at];
        const std::ptrdiff_t distance = run.distance * work.element_bytes;
        const std::byte* source = from + run.from * work.element_bytes;
        const auto copy = [&](std::size_t, std::size_t count, std::byte* to) {
            if (run.from < 0) {
                fill_bytes(work.fill, to, count * size);
            } else if (run.distance == work.block) {
                copy_piece(to, source, count * size);
            } else if (work.block == 1) {
                with_element(work.element_bytes,
                             [=](auto element) { collect<decltype(element)>(source, distance, to, count); });
            } else {
                for (std::size_t i = 0; i < count; ++i) {
                    copy_piece(to + i * size, source + static_cast<std::ptrdiff_t>(i) * distance, size);
                }
            }
            source += static_cast<std::ptrdiff_t>(count) * distance;
        };
        const auto first = static_cast<std::size_t>(run.to);
        rows.for_each_part(first, first + static_cast<std::size_t>(run.count), copy);
    }
}

/// The blocks from number `begin` to before `end`.
inline void gather_blocks(const plan::gather_step& work, const std::byte* from, const block_rows& rows,
                          std::size_t begin, std::size_t end) {
    const auto copy_blocks = [&](std::size_t number, std::size_t count, std::byte* to) {
        for (std::size_t i = 0; i < count; ++i, to += rows.size) {
            const std::int32_t source = work.sources[number + i];
            if (source >= 0) {
                copy_piece(to, from + source * work.element_bytes, rows.size);
            } else {
                fill_bytes(work.fill, to, rows.size);
            }
        }
    };
    const auto copy_elements = [&](std::size_t number, std::size_t count, std::byte* to) {
        with_element(work.element_bytes,
                     [&](auto element) { gather_elements<decltype(element)>(work, from, to, number, count); });
    };
    if (work.block == 1) {
        rows.for_each_part(begin, end, copy_elements);
    } else {
        rows.for_each_part(begin, end, copy_blocks);
    }
}

}  // namespace detail

/// Blocks of the input in another order.
inline void gather(const plan::gather_step& work, const run_memory& operands, const kernel::parallel_for& parallel) {
    const bool in_runs = !work.runs.empty();
    const std::size_t blocks =
        in_runs ? static_cast<std::size_t>(work.runs.back().to + work.runs.back().count) : work.sources.size();
    const auto size = static_cast<std::size_t>(work.block * work.element_bytes);
    // An element takes as long as a few bytes of a block.
    const std::size_t effort = (work.block == 1 && !in_runs ? 4 : 1) * blocks * size;
    const plan::spaced_rows& rows = operands.rows_of(work.output);
    const std::size_t in_row = rows.exist() ? static_cast<std::size_t>(rows.length / work.block) : blocks;
    const detail::block_rows to{operands.write(work.output), size, in_row,
                                operands.row_bytes(work.output, blocks * size)};
    const std::byte* const from = operands.read(work.input);
    detail::in_parts(parallel, in_runs ? work.runs.size() : blocks, effort, [&](std::size_t begin, std::size_t end) {
        if (in_runs) {
            detail::gather_runs(work, from, to, begin, end);
        } else {
            detail::gather_blocks(work, from, to, begin, end);
        }
    });
}

/// Rows of several tensors next to each other. What lies where it belongs is not copied.
inline void concatenate(const plan::concat_step& work, const run_memory& operands,
                        const kernel::parallel_for& parallel) {
    std::size_t length = 0;  // of a row of the output
    for (const std::size_t each : work.lengths) {
        length += each;
    }
    const std::size_t row_bytes = operands.row_bytes(work.output, length);
    const auto each_to_copy = [&](const auto& visit) {
        const std::byte* const place =
            operands.read(work.output);  // not write(): a part of a network's input has no address for that
        std::size_t offset = 0;
        for (std::size_t i = 0; i < work.inputs.size(); offset += work.lengths[i], ++i) {
            const std::byte* const from = operands.read(work.inputs[i]);
            const std::size_t distance = operands.row_bytes(work.inputs[i], work.lengths[i]);
            if (from != place + offset || (work.rows != 1 && distance != row_bytes)) {
                visit(from, distance, operands.write(work.output) + offset, work.lengths[i]);
            }
        }
    };
    std::size_t bytes = 0;
    each_to_copy([&](const std::byte*, std::size_t, std::byte*, std::size_t size) { bytes += work.rows * size; });
    if (bytes == 0) {
        return;
    }
    detail::in_parts(parallel, work.rows, bytes, [&](std::size_t begin, std::size_t end) {
        each_to_copy([&](const std::byte* from, std::size_t distance, std::byte* to, std::size_t size) {
            for (std::size_t row = begin; row < end; ++row) {
                detail::copy_piece(to + row * row_bytes, from + row * distance, size);
            }
        });
    });
}

/// Blocks of the input that indices choose.
template <class Index>
void choose(const plan::choice_step& work, const run_memory& operands) {
    const auto part = static_cast<std::size_t>(work.size) * work.block_bytes;
    const auto block_bytes = static_cast<std::int64_t>(work.block_bytes);
    const kernel::row_layout places = operands.places_of(work.output, work.block_bytes);
    const std::byte* from = operands.read(work.input);
    const std::byte* const indices = operands.read(work.indices);
    std::byte* const to = operands.write(work.output);
    for (std::int64_t i = 0; i < work.parts; ++i, from += part) {
        const std::byte* at = indices + static_cast<std::size_t>(i / work.parts_of_batch * work.count) * sizeof(Index);
        for (std::int64_t k = 0; k < work.count; ++k, at += sizeof(Index)) {
            Index index;
            std::memcpy(&index, at, sizeof index);
            const std::int64_t block = index < 0 ? index + work.size : index;
            if (block < 0 || block >= work.size) {
                fail({"Gather: index ", static_cast<std::int64_t>(index), " is outside an axis of size ", work.size});
            }
            std::memcpy(to + places.begin(i * work.count + k, block_bytes),
                        from + static_cast<std::size_t>(block) * work.block_bytes, work.block_bytes);
        }
    }
}

/// The input with a margin around its pixels.
inline void add_margin(const plan::margin_step& work, const std::byte* from, std::byte* to) {
    const std::size_t pixel = work.fill.size();
    const auto fill = [&](std::int64_t pixels) {
        for (std::int64_t i = 0; i < pixels; ++i, to += pixel) {
            std::memcpy(to, work.fill.data(), pixel);
        }
    };
    const std::size_t row = static_cast<std::size_t>(work.in[2]) * pixel;
    kernel::for_each_part_of_margin(work, fill, [&] {
        std::memcpy(to, from, row);
        from += row;
        to += row;
    });
}

}  // namespace lpt::inline LPT_ABI::runtime
#endif

// ======== lpt/runtime/run_step.hpp
#ifndef LPT_HOLDS_RUNTIME_RUN_STEP_HPP
#define LPT_HOLDS_RUNTIME_RUN_STEP_HPP
// Runs planned steps: each calls its kernel with its operands where they lie.

namespace lpt::inline LPT_ABI::runtime {

/// Runs steps one after the other.
class step_runner {
    using position = run_memory::position;

    const plan::network& net_;
    const kernel::kernel_table& kernels_;
    const kernel::parallel_for& threads_;
    kernel::parallel_for parallel_;  // of the step that runs
    const memory& memory_;
    run_memory operands_;

    const plan::stored_tensor& at(plan::tensor_id tensor) const { return net_[tensor]; }

    // ---- steps with kernels

    void operator()(const plan::convolution_step& work) {
        kernel::convolution_problem problem =
            kernel::bind_convolution(operands_, work, operands_.room_for(work.finish), position());
        if (work.weights == nullptr) {
            problem.packed_weights = pack_computed_weights(work);
        }
        kernels_.convolution(problem, parallel_);
    }
    const std::byte* pack_computed_weights(const plan::convolution_step& work) const {
        std::byte* const packed = write(work.packed);
        kernel::convolution_weights weights = work.packing;
        weights.data = read(work.computed_weights);
        std::memset(packed, 0, at(work.packed).bytes());  // packing leaves gaps as they are
        kernels_.pack_convolution(work.shape, weights, packed, parallel_);
        return packed;
    }
    void operator()(const plan::product_step& work) {
        kernel::for_each_product(
            operands_, work, operands_.room_for(work.finish), position(),
            [&](std::int64_t offset) {
                kernels_.pack_gemm(kernel::bind_columns(operands_, work, offset), write(work.scratch), parallel_);
            },
            [&](const kernel::gemm_problem& problem) { kernels_.gemm(problem, parallel_); });
    }
    void operator()(const plan::pool_step& work) {
        kernels_.pool(kernel::bind_pool(operands_, work, operands_.room_for(work.finish), position()), parallel_);
    }
    void operator()(const plan::elementwise_step& work) {
        const std::size_t outer = work.sizes.size() - 2;
        const std::int64_t rows = work.sizes[outer];
        const std::int64_t channels = work.sizes[outer + 1];
        kernel::post_operation* const posts = operands_.room_for(work.finish);
        kernel::for_each_position(work.sizes, position(outer, 0), [&](const position& at) {
            if (!work.has_two) {
                return kernels_.convert(kernel::bind_convert(operands_, rows, channels, work.operands[0], work.output,
                                                             work.finish, posts, at),
                                        parallel_);
            }
            const auto operand = [&](int which) {
                return kernel::bind_operand(operands_, work.operands[which], work.scales[which], work.shifts[which],
                                            at);
            };
            kernels_.binary(kernel::bind_binary(operands_, work.function, rows, channels, operand(0), operand(1),
                                                work.output, work.finish, posts, at),
                            parallel_);
        });
    }
    void operator()(const plan::lookup_step& work) {
        kernels_.lookup(
            kernel::bind_lookup(operands_, work.input, work.output, work.rows, work.count, work.table.data()),
            parallel_);
    }
    void operator()(const plan::transpose_step& work) {
        kernels_.transpose(kernel::bind_transpose(operands_, work), parallel_);
    }
    template <class Problem>
    void operator()(const plan::kernel_step<Problem>& work) {
        kernels_.run(kernel::bind_problem(operands_, work), parallel_);
    }

    // ---- steps that move bytes

    void operator()(const plan::gather_step& work) { gather(work, operands_, parallel_); }
    void operator()(const plan::choice_step& work) {
        const bool is_wide = at(work.indices).type == i64;
        (is_wide ? &choose<std::int64_t> : &choose<std::int32_t>)(work, operands_);
    }
    void operator()(const plan::margin_step& work) { add_margin(work, read(work.input), write(work.output)); }
    void operator()(const plan::concat_step& work) { concatenate(work, operands_, parallel_); }

    // ---- steps on the reference

    /// The tensors of a step's inputs; only what is in the arena or a state changes afterwards.
    seq<tensor> tensors_of(const std::vector<plan::tensor_id>& tensors) const {
        seq<tensor> result;
        for (const plan::tensor_id each : tensors) {
            const plan::stored_tensor& value = at(each);
            const plan::storage& block = net_.storage_of(each);
            if (block.where == plan::area::constant && block.value.dimensions() == value.dimensions) {
                result.push_back(block.value);
            } else {
                result.push_back(
                    tensor(value.type, value.dimensions, bytes(read(each), value.bytes(), nullptr, nullptr)));
            }
        }
        return result;
    }
    void take_results(node_id id, const seq<tensor>& results, const std::vector<plan::tensor_id>& outputs) const {
        for (std::size_t port = 0; port < outputs.size(); ++port) {
            const plan::stored_tensor& wanted = at(outputs[port]);
            if (results[port].type() != wanted.type || !(results[port].dimensions() == wanted.dimensions)) {
                const node& each = net_.model[id];
                fail({each.operation(), " '", each.name(), "' gave ", name(results[port].type()),
                      results[port].dimensions(), " instead of ", name(wanted.type), wanted.dimensions});
            }
            if (wanted.bytes() != 0) {
                std::memcpy(write(outputs[port]), results[port].data(), wanted.bytes());
            }
        }
    }
    void operator()(const plan::reference_step& work) {
        take_results(work.node, memory_.nodes.evaluate(memory_.nodes.owner, work.node, tensors_of(work.inputs)),
                     work.outputs);
    }
    void operator()(const plan::control_flow_step& work) {
        take_results(work.node, memory_.nodes.evaluate(memory_.nodes.owner, work.node, tensors_of(work.inputs)),
                     work.outputs);
    }
    void operator()(const plan::deferred_step& work) {
        for (const tensor& each : memory_.nodes.evaluate(memory_.nodes.owner, work.node, tensors_of(work.inputs))) {
            memory_.deferred->push_back(reference::detail::copy_of(each));  // it may be a window on the arena
        }
    }

    void operator()(const plan::copy_step& work) {
        state_value* const state = work.state == plan::state_id::none ? nullptr : memory_.states[index_of(work.state)];
        if (work.first_time && state->is_set) {
            return;
        }
        const plan::stored_tensor& value = at(work.output);
        if (state != nullptr) {
            state->bytes.grow(value.bytes());
            state->dimensions = value.dimensions;
            state->is_set = !work.first_time;
        }
        if (value.bytes() != 0) {
            std::memmove(write(work.output), read(work.input), value.bytes());
        }
    }

    /// The node that a message is about: the one whose operation it names, else the one that gives the step its name.
    [[gnu::cold]] const node& node_of(const plan::step& each, const text& message) const {
        for (const node_id id : each.nodes) {
            if (net_.model.contains(id) && message.view().starts_with(net_.model[id].operation())) {
                return net_.model[id];
            }
        }
        return net_.model[each.nodes[0]];
    }

public:
    step_runner(const plan::network& net, const kernel::kernel_table& kernels, const kernel::parallel_for& parallel,
                const memory& where)
        : net_(net), kernels_(kernels), threads_(parallel), memory_(where), operands_(net, where) {}

    const std::byte* read(plan::tensor_id tensor) const { return operands_.read(tensor); }
    std::byte* write(plan::tensor_id tensor) const { return operands_.write(tensor); }
    void run(const plan::step& each) {
        parallel_ = each.is_short ? kernel::parallel_for() : threads_;
        const auto work_on = [&] { std::visit([this](const auto& work) { (*this)(work); }, each.work); };
        if (each.nodes.empty() || !net_.model.contains(each.nodes[0])) {
            return work_on();
        }
        try {
            lpt::detail::naming_memory_of(net_.model[each.nodes[0]], work_on);
        } catch (const error& raised) {
            fail({lpt::detail::naming(node_of(each, raised.message()), raised.message())});
        }
    }
};

}  // namespace lpt::inline LPT_ABI::runtime
#endif

// ======== lpt/runtime/network_runner.hpp
#ifndef LPT_HOLDS_RUNTIME_NETWORK_RUNNER_HPP
#define LPT_HOLDS_RUNTIME_NETWORK_RUNNER_HPP
// Runs a network: one session of its program.

namespace lpt::inline LPT_ABI {

/// How long a step took, in microseconds: by the clock, and by all processors together.
struct step_time {
    double real = 0;
    double processor = 0;
};

/// A graph inside a node: the node, and which of its bodies.
struct body_place {
    node_id node = node_id::none;
    int which = 0;
    friend auto operator<=>(const body_place&, const body_place&) = default;
};

/// A step of the last run, and its times summed over all timed runs.
///
/// `bodies`: where it is, from the network inwards, none for steps of the network itself; `path`: the same in names (`loop/body/`).
struct run_step_record {
    std::vector<body_place> bodies;
    text path;
    const plan::network* net = nullptr;
    const graph* model = nullptr;  // that the step's nodes are of
    std::size_t number = 0;  // of the step in `net`
    step_time time;
};

}  // namespace lpt::inline LPT_ABI

namespace lpt::inline LPT_ABI::runtime {

/// What a session of a network shares with those of the bodies inside it.
struct session_context {
    kernel::parallel_for parallel;
    state_table states;
    double planning_us = 0;  // spent on plans so far
    std::int64_t iterations_left = 0;  // of loops in this run
};

/// One session of a network: its memory, its variables (in `context`), the times of its steps. One run at a time.
class network_runner {
    /// A stage with what this session has of its own for it.
    struct bound_stage {
        stage_pointer stage;
        std::vector<state_value*> states;  // by number of the state
        std::vector<step_time> times;
        std::uint64_t last_use = 0;

        const plan::stage& what() const { return stage->what; }
    };
    using bound_pointer = std::shared_ptr<bound_stage>;

    network_program& program_;
    session_context& context_;
    std::map<node_id, std::vector<std::unique_ptr<network_runner>>> bodies_;
    std::map<std::uint64_t, bound_pointer> bound_;  // by the stage's number
    bound_pointer only_;  // where no shape depends on a run
    std::vector<bound_pointer> last_run_;
    std::uint64_t uses_ = 0;
    memory_block arena_;
    const bound_stage* running_ = nullptr;
    bool timed_ = false;
    std::vector<const void*> from_;  // where inputs of the run lie
    std::vector<kernel::post_operation> posts_;

    const kernel::kernel_table& kernels() const { return *program_.context().kernels; }
    void make_bodies() {
        for (const auto& [id, programs] : program_.bodies()) {
            for (const std::unique_ptr<network_program>& each : programs) {
                bodies_[id].push_back(std::make_unique<network_runner>(*each, context_));
            }
        }
    }

    // ---- plans

    std::vector<plan::known_variable> known_variables() const {
        std::vector<plan::known_variable> result;
        for (const text& each : program_.variables()) {
            const state_value* value = context_.states.find(each);
            if (value != nullptr && value->is_set) {
                result.push_back({each, value->type, value->dimensions});
            }
        }
        return result;
    }
    static std::vector<plan::known_input> known_inputs(const std::vector<tensor>& values,
                                                       const std::vector<bool>& needs_value) {
        std::vector<plan::known_input> result;
        for (std::size_t i = 0; i < values.size(); ++i) {
            result.push_back({values[i].type(), values[i].dimensions(),
                              i < needs_value.size() && needs_value[i] ? values[i] : tensor()});
        }
        return result;
    }
    void forget_oldest() {
        while (bound_.size() > program_.context().most_plans) {
            auto oldest = bound_.begin();
            for (auto each = bound_.begin(); each != bound_.end(); ++each) {
                oldest = each->second->last_use < oldest->second->last_use ? each : oldest;
            }
            bound_.erase(oldest);
        }
    }
    bound_pointer bind(stage_pointer stage) {
        bound_pointer& known = bound_[stage->number];
        if (known == nullptr) {
            known = std::make_shared<bound_stage>();
            for (const plan::state& each : stage->what.net.states) {
                known->states.push_back(&context_.states.named(each.name, each.type));
            }
            known->stage = std::move(stage);
        }
        known->last_use = ++uses_;
        bound_pointer result = known;
        forget_oldest();
        return result;
    }
    bound_pointer first_stage(const std::vector<tensor>& inputs) {
        return only_ ? only_ : bind(program_.first(known_inputs(inputs, {}), known_variables(), context_.planning_us));
    }
    bound_pointer stage_behind(const bound_stage& before, const std::vector<tensor>& values) {
        const std::vector<plan::known_input> inputs = known_inputs(values, before.what().needs_value);
        return bind(program_.next(*before.stage, inputs, known_variables(), context_.planning_us));
    }

    // ---- running

    static void run_timed(step_runner& runner, bound_stage& stage) {
        const plan::network& net = stage.what().net;
        stage.times.resize(net.steps.size());
        for (std::size_t i = 0; i < net.steps.size(); ++i) {
            const auto begin = std::chrono::steady_clock::now();
            const double processor = processor_seconds();
            runner.run(net.steps[i]);
            stage.times[i].processor += (processor_seconds() - processor) * 1e6;
            stage.times[i].real +=
                std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
        }
    }
    static void begin_states(const bound_stage& stage) {
        for (std::size_t i = 0; i < stage.states.size(); ++i) {
            state_value& value = *stage.states[i];
            if (!value.is_set) {
                lpt::detail::naming_memory([&] { value.bytes.grow(stage.what().net.states[i].bytes); },
                                           [&] { return join({"variable '", value.name, "'"}); });
                std::memset(value.bytes.data(), 0, stage.what().net.states[i].bytes);
            }
        }
    }
    static seq<tensor> evaluate_inside(void* self, node_id id, view<tensor> inputs) {
        return static_cast<network_runner*>(self)->evaluate_node(id, inputs);
    }
    /// False for If, and for loops that take a part of an input in each iteration: there are no more than the input has parts.
    static bool counts_iterations(const node& each) {
        if (each.is<op::if_else>()) {
            return false;
        }
        for (const op::body_input& entry : *reference::detail::port_maps_of(each, 0).inputs) {
            if (entry.holds == op::body_input::form::sliced) {
                return false;
            }
        }
        return true;
    }
    seq<tensor> evaluate_node(node_id id, view<tensor> inputs) {
        const plan::stage& stage = running_->what();
        const graph& model = stage.net.model.contains(id) ? stage.net.model : stage.whole;
        const node& each = model[id];
        if (!reference::runs_bodies(each.kind())) {
            reference::state none;
            return reference::evaluate_node<float>(model, id, inputs, none,
                                                   {.bytes = program_.context().most_evaluated_bytes});
        }
        std::vector<std::unique_ptr<network_runner>>& runners = bodies_.at(id);
        const bool counts = counts_iterations(each);
        const auto run_body = [&](std::size_t which, const std::vector<tensor>& parameters) {
            context_.iterations_left -= counts ? 1 : 0;
            return runners[which]->run(view<tensor>(parameters.data(), parameters.size()), timed_);
        };
        const reference::limits most = {.bytes = program_.context().most_evaluated_bytes,
                                        .iterations = math::maximum<std::int64_t>(0, context_.iterations_left)};
        return reference::evaluate_control_flow(each, inputs, run_body, most);
    }
    /// Runs the steps of a stage, then copies to `outputs` what steps do not write there; what deferred steps give is appended to `deferred`.
    void run_steps(bound_stage& stage, const void* const* inputs, void* const* outputs, std::vector<tensor>& deferred,
                   bool timed) {
        lpt::detail::naming_memory([&] { arena_.grow(stage.what().net.arena_bytes); },
                                   [&] { return plan::detail::largest_of(stage.what().net); });
        begin_states(stage);
        const memory where{arena_.data(), inputs, outputs, stage.states.data(), {this, &evaluate_inside},
                           &deferred,     &posts_};
        step_runner runner(stage.what().net, kernels(), context_.parallel, where);
        running_ = &stage;
        timed_ = timed;
        if (timed) {
            run_timed(runner, stage);
        } else {
            for (const plan::step& each : stage.what().net.steps) {
                runner.run(each);
            }
        }
        copy_outputs(stage.what().net, runner, outputs);
    }
    static void copy_outputs(const plan::network& net, const step_runner& runner, void* const* outputs) {
        for (std::size_t i = 0; i < net.outputs.size(); ++i) {
            const plan::port& each = net.outputs[i];
            const std::size_t size = byte_size(each.type, each.dimensions.elements());
            const std::byte* const from = runner.read(each.tensor);
            if (size != 0 && from != outputs[i]) {
                std::memcpy(outputs[i], from, size);
            }
        }
    }
    /// Runs the steps of a stage with memory for its outputs, which are appended to `to`.
    void run_with_outputs(bound_stage& stage, const void* const* inputs, std::vector<tensor>& to,
                          std::vector<tensor>& deferred, bool timed) {
        const std::vector<plan::port>& ports = stage.what().net.outputs;
        std::vector<tensor_builder> values;
        values.reserve(ports.size());  // what is put there must stay where it is
        std::vector<void*> places;
        places.reserve(ports.size());
        for (std::size_t i = 0; i < ports.size(); ++i) {
            lpt::detail::naming_memory([&] { values.emplace_back(ports[i].type, ports[i].dimensions); },
                                       [&] { return join({"output ", i, " '", ports[i].name, "'"}); });
            places.push_back(values.back().data());
        }
        run_steps(stage, inputs, places.data(), deferred, timed);
        for (tensor_builder& each : values) {
            to.push_back(each.finish());
        }
    }
    void check_inputs(view<tensor> inputs) const {
        const std::vector<plan::port>& all = program_.inputs();
        if (inputs.size() != all.size()) {
            fail({"the network has ", all.size(), " inputs, not ", inputs.size()});
        }
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const plan::port& wanted = all[i];
            if (inputs[i].type() == wanted.type && inputs[i].dimensions() == wanted.dimensions) {
                continue;
            }
            shape merged = wanted.dimensions;
            if ((inputs[i].type() != wanted.type && wanted.type != dynamic) ||
                !merge_shape(merged, inputs[i].dimensions())) {
                fail({"input ", i, " '", wanted.name, "' must be ", name(wanted.type), wanted.dimensions, ", not ",
                      name(inputs[i].type()), inputs[i].dimensions()});
            }
        }
    }

    /// Runs the only stage there is, without memory of its own but for the outputs.
    std::vector<tensor> run_fixed(view<tensor> inputs, bool timed) {
        from_.clear();
        for (const tensor& each : inputs) {
            from_.push_back(each.data());
        }
        std::vector<tensor> none;
        std::vector<tensor> outputs;
        outputs.reserve(only_->what().net.outputs.size());
        run_with_outputs(*only_, from_.data(), outputs, none, timed);
        if (last_run_.empty()) {
            last_run_ = {only_};
        }
        return outputs;
    }
    std::vector<tensor> run_stages(view<tensor> inputs, bool timed) {
        std::vector<tensor> values(inputs.begin(), inputs.end());
        bound_pointer stage = first_stage(values);
        std::vector<bound_pointer> stages;
        while (true) {
            std::vector<const void*> from;
            for (const tensor& each : values) {
                from.push_back(each.data());
            }
            std::vector<tensor> deferred;
            std::vector<tensor> outputs;
            run_with_outputs(*stage, from.data(), outputs, deferred, timed);
            stages.push_back(stage);
            if (stage->what().complete) {
                last_run_ = std::move(stages);
                return outputs;
            }
            values.insert(values.end(), outputs.begin(), outputs.end());
            values.insert(values.end(), deferred.begin(), deferred.end());
            stage = stage_behind(*stage, values);
        }
    }

public:
    /// `program` and `context` must live as long as the runner.
    network_runner(network_program& program, session_context& context) : program_(program), context_(context) {
        make_bodies();
        if (const stage_pointer first = program_.only_first()) {
            only_ = bind(first);
        }
        if (program_.planned_ahead()) {
            last_run_ = {bind(program_.planned_ahead())};
        }
    }
    network_runner(const network_runner&) = delete;
    network_runner& operator=(const network_runner&) = delete;

    std::size_t arena_bytes() const {
        return arena_.size() != 0 || last_run_.empty() ? arena_.size() : last_run_[0]->what().net.arena_bytes;
    }
    /// The plan of the last stage of the last run; before the first run the one that was made ahead. Null if there is none.
    const plan::network* last_plan() const { return last_run_.empty() ? nullptr : &last_run_.back()->what().net; }
    /// Times of the steps of `last_plan`.
    const std::vector<step_time>* last_times() const { return last_run_.empty() ? nullptr : &last_run_.back()->times; }

    /// Runs a network that `is_fixed` on raw memory; outputs do not overlap with one another or with inputs.
    void run(const void* const* inputs, void* const* outputs, bool timed) {
        std::vector<tensor> none;
        run_steps(*only_, inputs, outputs, none, timed);
    }
    std::vector<tensor> run(view<tensor> inputs, bool timed) {
        check_inputs(inputs);
        return only_ && only_->what().complete ? run_fixed(inputs, timed) : run_stages(inputs, timed);
    }
    /// The steps of the last run with those of bodies behind the node that they are in.
    void append_records(const std::vector<body_place>& bodies, const text& path,
                        std::vector<run_step_record>& to) const {
        for (const bound_pointer& stage : last_run_) {
            const plan::network& net = stage->what().net;
            for (std::size_t i = 0; i < net.steps.size(); ++i) {
                const std::vector<node_id>& nodes = net.steps[i].nodes;
                const bool inside = nodes.empty() || net.model.contains(nodes[0]);
                const step_time time = i < stage->times.size() ? stage->times[i] : step_time();
                to.push_back({bodies, path, &net, inside ? &net.model : &stage->what().whole, i, time});
                const auto runners = nodes.empty() ? bodies_.end() : bodies_.find(nodes[0]);
                if (runners == bodies_.end()) {
                    continue;
                }
                const node& each = (inside ? net.model : stage->what().whole)[nodes[0]];
                for (std::size_t which = 0; which < runners->second.size(); ++which) {
                    std::vector<body_place> inside_bodies = bodies;
                    inside_bodies.push_back({nodes[0], static_cast<int>(which)});
                    runners->second[which]->append_records(
                        inside_bodies, join({path, each.name(), "/", op::body_name(each.kind(), which), "/"}), to);
                }
            }
        }
    }
};

}  // namespace lpt::inline LPT_ABI::runtime
#endif

// ======== lpt/runtime/processor_affinity.hpp
#ifndef LPT_HOLDS_RUNTIME_PROCESSOR_AFFINITY_HPP
#define LPT_HOLDS_RUNTIME_PROCESSOR_AFFINITY_HPP
#if defined(__linux__) && __has_include(<features.h>)
#include <features.h>
#endif
#if defined(__GLIBC__)
#define LPT_HAS_AFFINITY 1
#include <pthread.h>
#include <sched.h>
#else
#define LPT_HAS_AFFINITY 0
#endif

namespace lpt::inline LPT_ABI::runtime {

/// The processor that this thread runs on, or -1 where the system does not tell.
inline int current_processor() {
#if LPT_HAS_AFFINITY
    return sched_getcpu();
#else
    return -1;
#endif
}

/// The processors that some thread may use.
class processor_set {
#if LPT_HAS_AFFINITY
    cpu_set_t set_{};
#endif

public:
    /// Those of this thread; none where the system does not tell.
    static processor_set of_this_thread() {
        processor_set result;
#if LPT_HAS_AFFINITY
        if (sched_getaffinity(0, sizeof result.set_, &result.set_) != 0) {
            CPU_ZERO(&result.set_);
        }
#endif
        return result;
    }

    /// Lets a thread use this set without one processor; changes nothing if that leaves none, or where threads have no such sets.
    void assign_without([[maybe_unused]] int processor, [[maybe_unused]] std::thread& thread) const {
#if LPT_HAS_AFFINITY
        cpu_set_t rest = set_;
        CPU_CLR(static_cast<std::size_t>(processor), &rest);
        if (CPU_COUNT(&rest) != 0) {
            // A refusal leaves the thread where it was, which costs time alone.
            static_cast<void>(pthread_setaffinity_np(thread.native_handle(), sizeof rest, &rest));
        }
#endif
    }
};

}  // namespace lpt::inline LPT_ABI::runtime

#undef LPT_HAS_AFFINITY
#endif

// ======== lpt/runtime/thread_pool.hpp
#ifndef LPT_HOLDS_RUNTIME_THREAD_POOL_HPP
#define LPT_HOLDS_RUNTIME_THREAD_POOL_HPP
namespace lpt::inline LPT_ABI {

/// A few threads that wait for work: a kernel::parallel_for that owns its threads.
///
/// `threads` (>= 1) counts the caller's thread, which works, too. Who finishes the last task does not wait for threads that have not begun: a
/// call lasts as long as its tasks, also when the other threads sleep. Threads that have nothing to do look for work for a short
/// time and then sleep: waking one takes about as long as a small layer. Systems like to wake a thread on the
/// processor of the one that calls for it, where it waits for milliseconds; one that was last there is kept away from it.
/// A call from within a task, or while another thread's call is running, runs its tasks one after the other on its own thread.
/// Errors: the first exception that a task throws comes out of `run`, after all tasks that have begun; the others are left out.
class thread_pool {
    // The state is one number: the round, whether threads may still enter it, and how many are inside.
    static constexpr std::uint32_t one_inside = 1;
    static constexpr std::uint32_t inside_bits = 0xffff;
    static constexpr std::uint32_t open_bit = 1u << 16;
    static constexpr std::uint32_t caller_sleeps_bit = 1u << 17;
    static constexpr std::uint32_t stopping_bit = 1u << 18;
    static constexpr std::uint32_t one_round = 1u << 19;

    static constexpr std::chrono::microseconds longest_look{500};
    static constexpr int looks_between_times = 16;
    static constexpr int looks_before_giving_way = 512;  // of the caller, about 20 microseconds

    struct worker {
        std::thread thread;
        std::atomic<int> processor{-1};  // where it was last seen; -1: not since it was sent away
        int forbidden = -1;  // the processor that it was sent away from
    };

    alignas(64) std::atomic<std::uint32_t> state_{0};
    alignas(64) std::atomic<int> next_{0};
    std::atomic<bool> failed_{false};
    alignas(64) std::atomic<bool> busy_{false};
    // Of the current round; written while nobody is inside.
    void (*task_)(void* context, int index) = nullptr;
    void* context_ = nullptr;
    int tasks_ = 0;
    std::exception_ptr error_;
    std::vector<worker> workers_;
    const runtime::processor_set processors_ = runtime::processor_set::of_this_thread();

    static void pause() {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        __asm__ volatile("yield");
#endif
    }
    /// Looks at the state until `is_over(state)`, for a limited time; gives what it saw last. `between(looks)` is called now and then.
    template <class Condition, class Between>
    std::uint32_t look_until(const Condition& is_over, const Between& between) const {
        std::uint32_t state = state_.load(std::memory_order_acquire);
        if (is_over(state)) {
            return state;
        }
        const auto begin = std::chrono::steady_clock::now();
        for (int i = 1; !is_over(state); ++i) {
            if (i % looks_between_times == 0) {
                if (std::chrono::steady_clock::now() - begin > longest_look) {
                    break;
                }
                between(i);
            }
            pause();
            state = state_.load(std::memory_order_acquire);
        }
        return state;
    }

    void take_tasks() {
        try {
            for (int index = next_.fetch_add(1, std::memory_order_relaxed); index < tasks_;
                 index = next_.fetch_add(1, std::memory_order_relaxed)) {
                task_(context_, index);
            }
        } catch (...) {
            next_.store(tasks_, std::memory_order_relaxed);
            if (!failed_.exchange(true, std::memory_order_relaxed)) {
                error_ = std::current_exception();
            }
        }
    }

    // -- the other threads

    static bool is_new(std::uint32_t state, std::uint32_t seen) {
        const bool is_other_round = state / one_round != seen / one_round;
        return (state & stopping_bit) != 0 || ((state & open_bit) != 0 && is_other_round);
    }
    void work(std::atomic<int>& processor) {
        const auto report = [&](int) {
            const int now = runtime::current_processor();
            if (processor.load(std::memory_order_relaxed) != now) {
                processor.store(now, std::memory_order_relaxed);
            }
        };
        std::uint32_t seen = 0;
        while (true) {
            report(0);
            std::uint32_t state = look_until([&](std::uint32_t now) { return is_new(now, seen); }, report);
            while (!is_new(state, seen)) {
                state_.wait(state, std::memory_order_acquire);
                state = state_.load(std::memory_order_acquire);
            }
            if ((state & stopping_bit) != 0) {
                return;
            }
            if (state_.compare_exchange_strong(state, state + one_inside, std::memory_order_acquire,
                                               std::memory_order_relaxed)) {
                seen = state;
                take_tasks();
                leave();
            }
        }
    }
    void leave() {
        const std::uint32_t state = state_.fetch_sub(one_inside, std::memory_order_release) - one_inside;
        if ((state & inside_bits) == 0 && (state & caller_sleeps_bit) != 0) {
            state_.notify_all();
        }
    }
    void stop() {
        state_.fetch_or(stopping_bit, std::memory_order_release);
        state_.notify_all();
        for (worker& each : workers_) {
            if (each.thread.joinable()) {
                each.thread.join();
            }
        }
    }

    // -- the caller

    void keep_processor_free() {
        const int here = runtime::current_processor();
        for (worker& each : workers_) {
            if (each.forbidden == here) {
                continue;
            }
            const int there = each.processor.load(std::memory_order_relaxed);
            if (there == here || there < 0) {
                each.processor.store(-1, std::memory_order_relaxed);
                each.forbidden = here;
                processors_.assign_without(here, each.thread);
            }
        }
    }
    void open_round() {
        const std::uint32_t round = state_.load(std::memory_order_relaxed) / one_round + 1;
        state_.store(round * one_round + open_bit, std::memory_order_release);
        state_.notify_all();
    }
    /// No thread enters any more; waits for those inside.
    void close_round() {
        state_.fetch_and(~open_bit, std::memory_order_relaxed);
        const auto is_empty = [](std::uint32_t state) { return (state & inside_bits) == 0; };
        // A thread that is inside for much longer may wait for this very processor. Threads that look for work do not give way: with
        // other programs around, they would come back milliseconds later.
        const auto give_way = [](int looks) {
            if (looks > looks_before_giving_way) {
                std::this_thread::yield();
            }
        };
        if (is_empty(look_until(is_empty, give_way))) {
            return;
        }
        std::uint32_t state = state_.fetch_or(caller_sleeps_bit, std::memory_order_relaxed) | caller_sleeps_bit;
        while (!is_empty(state)) {
            state_.wait(state, std::memory_order_acquire);
            state = state_.load(std::memory_order_acquire);
        }
    }
    static int checked(int threads) {
        if (threads < 1 || threads > static_cast<int>(inside_bits)) {
            fail({"thread pool: expected 1 to ", static_cast<int>(inside_bits), " threads, not ", threads});
        }
        return threads;
    }
    static void run_alone(int tasks, void (*task)(void* context, int index), void* context) {
        for (int i = 0; i < tasks; ++i) {
            task(context, i);
        }
    }
    static void run_tasks(void* pool, int tasks, void (*task)(void* context, int index), void* context) {
        static_cast<thread_pool*>(pool)->run(tasks, task, context);
    }

public:
    explicit thread_pool(int threads) : workers_(static_cast<std::size_t>(checked(threads) - 1)) {
        try {
            for (worker& each : workers_) {
                each.thread = std::thread([this, &each] { work(each.processor); });
            }
        } catch (...) {
            stop();
            throw;
        }
    }
    thread_pool(const thread_pool&) = delete;
    thread_pool& operator=(const thread_pool&) = delete;
    ~thread_pool() { stop(); }

    int threads() const { return static_cast<int>(workers_.size()) + 1; }

    /// Calls task(context, i) once for each i in [0, tasks) and returns when all are done.
    void run(int tasks, void (*task)(void* context, int index), void* context) {
        if (workers_.empty() || tasks < 2 || busy_.exchange(true, std::memory_order_acquire)) {
            run_alone(tasks, task, context);
            return;
        }
        task_ = task;
        context_ = context;
        tasks_ = tasks;
        next_.store(0, std::memory_order_relaxed);
        keep_processor_free();
        open_round();
        take_tasks();
        close_round();
        std::exception_ptr error;
        if (failed_.load(std::memory_order_relaxed)) {
            error = std::move(error_);
            error_ = nullptr;
            failed_.store(false, std::memory_order_relaxed);
        }
        busy_.store(false, std::memory_order_release);
        if (error != nullptr) {
            std::rethrow_exception(error);
        }
    }

    /// What kernels take; valid as long as this pool.
    kernel::parallel_for parallel() { return {this, &run_tasks, threads()}; }
};

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/runtime/executable.hpp
#ifndef LPT_HOLDS_RUNTIME_EXECUTABLE_HPP
#define LPT_HOLDS_RUNTIME_EXECUTABLE_HPP
// Networks that run.

namespace lpt::inline LPT_ABI {

/// What becomes of operations that no kernel computes: the scalar reference, many times slower, computes them, or they are an error.
enum class reference_use { allow, refuse };

/// How a network is to be run.
struct compile_options {
    /// >= 1; no result depends on it. Steps that are over before another thread could help run on one.
    int threads = 1;
    std::optional<kernel::isa> instruction_set;  // none: the best that this processor has; no result depends on it
    /// The user's own threads instead of `threads` new ones, if `run` is set; they are called for in every step.
    kernel::parallel_for parallel;
    std::size_t most_plans = 32;  // >= 1: plans for different shapes that are kept, of the network and of each body
    /// Bytes that the intermediate tensors of a plan and all packed weights may take together; none: as much as the machine has.
    std::optional<std::size_t> memory_limit;
    /// >= 0: iterations of all loops in a run, but for those that take a part of an input each.
    std::int64_t most_iterations = reference::limits{}.iterations;
    /// Bytes that the outputs of one operation without a kernel may take, and 32 for each place along one of their axes: beyond it the
    /// scalar reference does not compute it.
    std::uint64_t most_evaluated_bytes = reference::limits{}.bytes;
    /// `executable::on_reference` names the operations that it allowed.
    reference_use on_reference = reference_use::allow;
    /// Products with weights of 4 or 8 bits take half the time for one row and a third for several, and numbers move by up to 1/254 of the greatest one
    /// in their group.
    data_rounding dynamic_quantization = data_rounding::allowed;
};

namespace runtime {

/// What `compile` makes once, and sessions share: plans and packed weights.
struct program {
    program_context context;
    compile_options options;
    double planning_us = 0;  // of the plans that were made at once
    std::unique_ptr<network_program> network;

    /// `parallel`: threads that pack weights meanwhile.
    program(graph model, const compile_options& given, const kernel::kernel_table& kernels,
            const kernel::parallel_for& parallel)
        : options(given) {
        if (options.most_plans < 1) {
            fail({"at least one plan must be kept, not ", options.most_plans});
        }
        const bool own_threads = options.parallel.run == nullptr && options.threads > 1;
        context.kernels = &kernels;
        context.threads =
            options.parallel.run != nullptr ? options.parallel.threads : math::maximum(options.threads, 1);
        context.short_steps_alone = own_threads && context.kernels->instruction_set != kernel::isa::scalar;
        context.most_plans = options.most_plans;
        context.memory_limit = options.memory_limit.value_or(memory_of_machine());
        context.weights = plan::weight_store(context.memory_limit);
        context.most_evaluated_bytes = options.most_evaluated_bytes;
        context.folding = model.folding();
        context.needs_kernels = options.on_reference == reference_use::refuse;
        context.dynamic_quantization = options.dynamic_quantization;
        context.parallel = parallel;
        network = std::make_unique<network_program>(std::move(model), context, planning_us);
        context.parallel = {};
    }
};

// What lpt::compiled_runtime holds: all that packs weights, plans and runs is reached through these.

template <compiled = once>
[[gnu::noinline]] std::shared_ptr<program> make_program(graph model, const compile_options& options,
                                                        const kernel::kernel_table& kernels,
                                                        const kernel::parallel_for& parallel) {
    return std::make_shared<program>(std::move(model), options, kernels, parallel);
}
template <compiled = once>
[[gnu::noinline]] std::unique_ptr<network_runner> make_runner(network_program& network, session_context& context) {
    return std::make_unique<network_runner>(network, context);
}
template <compiled = once>
[[gnu::noinline]] void run_network(network_runner& runner, const void* const* inputs, void* const* outputs,
                                   bool timed) {
    runner.run(inputs, outputs, timed);
}
template <compiled = once>
[[gnu::noinline]] std::vector<tensor> run_network(network_runner& runner, view<tensor> inputs, bool timed) {
    return runner.run(inputs, timed);
}

#ifdef LPT_COMPILED_RUNTIME
LPT_COMPILED_RUNTIME template std::shared_ptr<program>
make_program<>(graph, const compile_options&, const kernel::kernel_table&, const kernel::parallel_for&);
LPT_COMPILED_RUNTIME template std::unique_ptr<network_runner> make_runner<>(network_program&, session_context&);
LPT_COMPILED_RUNTIME template void run_network<>(network_runner&, const void* const*, void* const*, bool);
LPT_COMPILED_RUNTIME template std::vector<tensor> run_network<>(network_runner&, view<tensor>, bool);
#endif

}  // namespace runtime

/// A network with packed weights, fused steps and planned memory. Its states (ReadValue, Assign) live as long as it does.
///
/// Shapes that are not known when it is compiled follow from the inputs of each run, or from values that are computed in it. There
/// is a plan for each combination of shapes; the most recently used ones are kept, and share packed weights and memory.
/// One run at a time. Several threads that run the network at once take a `session` each, which shares plans and packed weights.
/// It can be moved.
class executable {
    std::shared_ptr<runtime::program> program_;
    std::unique_ptr<thread_pool> pool_;
    std::unique_ptr<runtime::session_context> context_;
    std::unique_ptr<runtime::network_runner> network_;

    /// Takes the threads of the user, or makes new ones.
    executable(const kernel::parallel_for& parallel, int threads)
        : context_(std::make_unique<runtime::session_context>()) {
        if (parallel.run == nullptr && threads > 1) {
            pool_ = std::make_unique<thread_pool>(threads);
        }
        context_->parallel = pool_ ? pool_->parallel() : parallel;
    }
    void begin(std::shared_ptr<runtime::program> shared) {
        program_ = std::move(shared);
        context_->planning_us = program_->planning_us;
        network_ = runtime::make_runner(*program_->network, *context_);
    }

public:
    /// Use `compile`.
    executable(graph model, const compile_options& options) : executable(options.parallel, options.threads) {
        // Not in make_program: lpt::compiled_runtime must not need the kernels, or the order of static libraries would matter.
        const kernel::kernel_table& kernels = kernel::table_for(options.instruction_set.value_or(kernel::best_isa()));
        begin(runtime::make_program(std::move(model), options, kernels, context_->parallel));
    }

    /// Another session of the same network, cheap to make: it shares plans and packed weights, and has memory, states, times and threads of
    /// its own. Sessions run at the same time, each by one thread, and give the same bits.
    ///
    /// `parallel`: the user's own threads for this session; without, as many new ones as the network was compiled for. The
    /// network's program lives as long as its last session.
    executable session(const kernel::parallel_for& parallel = {}) const {
        executable result(parallel, program_->options.threads);
        result.begin(program_);
        return result;
    }

    /// Inputs and outputs in order; sizes that follow from each run are dynamic.
    const std::vector<plan::port>& inputs() const { return program_->network->inputs(); }
    const std::vector<plan::port>& outputs() const { return program_->network->outputs(); }
    /// True if all shapes were known when the network was compiled: there is one plan, made then.
    bool is_fixed() const { return program_->network->is_fixed(); }
    /// The plan of the last run, of its last part where shapes depend on values; before the first run the one that was made when the
    /// network was compiled. Raises an error if there is none yet. Valid until the next run.
    const plan::network& plan() const {
        const plan::network* last = network_->last_plan();
        if (last == nullptr) {
            fail({"there is no plan before the first run, because the shapes of the inputs are not known"});
        }
        return *last;
    }
    /// Plans that are kept now, of the network without its bodies, for all sessions.
    std::size_t plans() const { return program_->network->plans(); }
    kernel::isa instruction_set() const { return program_->context.kernels->instruction_set; }
    /// Bytes of memory for intermediate tensors: as much as the largest plan that was run needs.
    std::size_t arena_bytes() const { return network_->arena_bytes(); }
    /// Packed weights of all plans, and of the bodies' plans: how many, and their bytes. All sessions share them; not to be asked while
    /// another session may make a plan.
    const plan::weight_store& packed_weights() const { return program_->context.weights; }

    /// Microseconds spent on plans so far, by `compile` and in this session, those of bodies among them; most of it when a shape comes
    /// for the first time.
    double planning_us() const { return context_->planning_us; }

    /// Runs a network that `is_fixed` once on raw memory: a pointer for each input and output, of their types and sizes. Outputs are aligned
    /// to their numbers, and overlap neither inputs nor one another. No other check. Most results are written there by the steps that
    /// compute them, without a copy; where a run raises an error, outputs may hold a part of them.
    void run(const void* const* inputs, void* const* outputs, bool timed = false) {
        if (!is_fixed()) {
            fail({"raw memory has no shapes, and this network needs those of its inputs"});
        }
        context_->iterations_left = program_->options.most_iterations;
        runtime::run_network(*network_, inputs, outputs, timed);
    }
    /// Runs once. Raises an error that names the input for one of another type or shape, and one that names the operation for shapes that
    /// it cannot take, for memory that cannot be had, and for what is beyond `most_iterations` or `most_evaluated_bytes`.
    std::vector<tensor> run(view<tensor> inputs, bool timed = false) {
        context_->iterations_left = program_->options.most_iterations;
        return runtime::run_network(*network_, inputs, timed);
    }
    std::vector<tensor> run(const std::vector<tensor>& inputs) {
        return run(view<tensor>(inputs.data(), inputs.size()));
    }
    std::vector<tensor> run(std::initializer_list<tensor> inputs) {
        return run(view<tensor>(inputs.begin(), inputs.size()));
    }
    /// The same; `outputs` gets one tensor for each output of the network.
    void run(view<tensor> inputs, std::vector<tensor>& outputs) { outputs = run(inputs); }

    /// All states begin anew.
    void reset() { context_->states.reset(); }
    /// Times of the steps of `plan().steps`, summed over all timed runs; empty before the first.
    const std::vector<step_time>& times() const {
        static const std::vector<step_time> none;
        const std::vector<step_time>* last = network_->last_times();
        return last != nullptr ? *last : none;
    }
    /// All steps of the last run, those inside bodies behind the node that has the body. Before the first run those of the plan that
    /// was made when the network was compiled. Valid until the next run.
    std::vector<run_step_record> records() const {
        std::vector<run_step_record> result;
        network_->append_records({}, {}, result);
        return result;
    }
    /// The operations of `records()` that the scalar reference computes, as `MVN 'block/norm'`, in order.
    std::vector<text> on_reference() const {
        std::vector<text> result;
        for (const run_step_record& each : records()) {
            if (plan::is_on_reference(each.net->steps[each.number])) {
                const node& first = (*each.model)[each.net->steps[each.number].nodes[0]];
                result.push_back(join({first.operation(), " '", each.path, first.name(), "'"}));
            }
        }
        return result;
    }
};

/// Makes a network run: fuses its operations into steps, packs weights, plans memory.
///
/// Any graph, transformed or not, with bodies, with sizes or ranks that are only known when it runs; what has no kernel is computed by
/// the scalar reference. Raises an error for an instruction set that the processor lacks, and one that names the operation for what cannot be
/// run, has no kernel where `on_reference` refuses the scalar reference, or needs more memory than the limit or than there is.
inline executable compile(const graph& model, const compile_options& options = {}) {
    return executable(model, options);
}

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/runtime.hpp
#ifndef LPT_HOLDS_RUNTIME_HPP
#define LPT_HOLDS_RUNTIME_HPP
// Running networks: lpt::compile and lpt::executable. Needs lpt::runtime, and the kernels that lpt_add_kernels makes.

#endif

// ======== lpt/reference.hpp
#ifndef LPT_HOLDS_REFERENCE_HPP
#define LPT_HOLDS_REFERENCE_HPP
#endif

// ======== lpt/embedded/plan.hpp
#ifndef LPT_HOLDS_EMBEDDED_PLAN_HPP
#define LPT_HOLDS_EMBEDDED_PLAN_HPP
// A planned network as a type: descriptions of its steps that the compiler knows, written by lpt_embed. No SIMD, no graph, no memory.

namespace lpt::inline LPT_ABI::embedded {

/// The layout of generated headers; they check that they fit to the library.
inline constexpr int plan_format = 7;

/// Loops of an elementwise step around its pixels and channels, and axes of the other steps that have lists of them: at most so many.
inline constexpr int most_axes = 8;

/// Memory that a tensor can be in.
enum class area : std::uint8_t {
    arena,  ///< shared by steps, planned by liveness
    constants,  ///< known to the compiler
    input,  ///< what the caller gives
    state,  ///< kept from run to run
    output,  ///< what the caller gives for results
    none,  ///< an operand that is left out
};

/// Where a tensor begins: `offset` bytes into its area; in an input or output, `offset` is its number, and the tensor begins `part` bytes into it.
/// `row_stride`: elements from row to row where its rows are parts of wider ones; 0: there is no gap between them.
struct place {
    area where = area::arena;
    std::size_t offset = 0;
    std::size_t part = 0;
    std::int64_t row_stride = 0;
};

/// A tensor that kernels read or write.
struct operand {
    place at = {};
    kernel::element_kind type = kernel::element_kind::f32;
};

/// Numbers of an epilogue: `all`, or, if there are `values`, those: one per channel, or the first for all channels.
/// `outer`: elements that the array moves by with each loop of an elementwise step around its pixels and channels.
struct numbers {
    const float* values = nullptr;
    float all = 0;
    bool per_channel = false;
    std::int64_t outer[most_axes] = {};
};

/// A tensor with its strides, in elements, along the loops of an elementwise step: those around, then pixels and channels.
struct strided_operand {
    operand data = {};
    std::int64_t outer[most_axes] = {};
    std::int64_t row = 0;
    std::int64_t channel = 1;
};

/// A post operation of an epilogue, see kernel::post_operation; `residual` counts for those that read one.
struct post_step {
    kernel::post_kind kind = kernel::post_kind::clamp;
    kernel::unary_function function = kernel::unary_function::abs;
    numbers a = {};
    numbers b = {};
    bool has_residual = false;
    strided_operand residual = {};
};

/// An epilogue, see kernel::epilogue.
struct finish {
    numbers scale{.all = 1};
    numbers bias = {};
    const post_step* posts = nullptr;
    int post_count = 0;
    kernel::element_kind type = kernel::element_kind::f32;
    float low = 0;
    float high = 0;
};

/// An enumerator of any type by its number, as generated headers write those of problems.
struct enumerator {
    int number = 0;
    template <class Enumeration>
    constexpr operator Enumeration() const {
        return static_cast<Enumeration>(number);
    }
};

// ---- Steps: the problems of the kernels, and of what has no kernel ----

/// Convolution, grouped, depthwise or transposed; channels innermost.
struct convolution {
    kernel::convolution_shape shape = {};
    operand input = {};
    std::int32_t zero_point = 0;
    const unsigned char* weights = nullptr;  // packed for the instruction set of the plan
    place scratch = {};
    operand output = {};
    embedded::finish finish = {};
};

/// Matrix products, one for each batch.
struct product {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    operand a = {};
    std::int64_t a_row_stride = 0;
    std::int32_t a_zero_point = 0;
    const unsigned char* weights = nullptr;  // packed matrices
    std::int64_t packed_matrix_bytes = 0;  // 0: there are none, and `b` is packed into `scratch` when the step runs
    operand b = {};
    std::int64_t b_k_stride = 0;
    std::int64_t b_n_stride = 0;
    std::int32_t b_zero_point = 0;
    place scratch = {};
    std::int64_t batches = 1;
    const std::int64_t* a_offsets = nullptr;  // of each batch, in elements
    const std::int64_t* b_offsets = nullptr;  // in elements of `b`, or the number of the packed matrix
    operand output = {};
    embedded::finish finish = {};
};

/// Max or average pooling; channels innermost. `problem` has no pointers.
struct pooling {
    kernel::pool_problem problem = {};
    place input = {};
    operand output = {};
    embedded::finish finish = {};
};

/// A function of one tensor, element by element: its epilogue, with any broadcast and change of layout.
struct map {
    int outer_count = 0;
    std::int64_t outer[most_axes] = {};
    std::int64_t rows = 0;
    std::int64_t channels = 0;
    strided_operand input = {};
    strided_operand output = {};
    embedded::finish finish = {};
};

/// A function of two tensors, element by element.
struct combine {
    kernel::binary_function function = kernel::binary_function::add;
    int outer_count = 0;
    std::int64_t outer[most_axes] = {};
    std::int64_t rows = 0;
    std::int64_t channels = 0;
    strided_operand a = {};
    numbers a_scale{.all = 1};
    numbers a_shift = {};
    strided_operand b = {};
    numbers b_scale{.all = 1};
    numbers b_shift = {};
    strided_operand output = {};
    embedded::finish finish = {};
};

/// A function of one byte for each byte, of `rows` rows of `count`.
struct lookup {
    place input = {};
    place output = {};
    std::int64_t rows = 1;
    std::int64_t count = 0;
    const unsigned char* table = nullptr;
};

/// Blocks of `block_bytes` in another order: output block i is the input block that begins at element `sources[i]`, or `fill`, one element again and
/// again, where that is -1. `gap`: bytes between rows of `blocks_in_row` output blocks.
struct gather {
    place input = {};
    place output = {};
    std::int64_t element_bytes = 1;
    std::int64_t block_bytes = 1;
    const std::int32_t* sources = nullptr;
    std::int64_t count = 0;
    std::int64_t blocks_in_row = 0;
    std::int64_t gap = 0;
    const unsigned char* fill = nullptr;
};

/// A margin around the pixels, of one value a channel; channels innermost. `pixel` is a pixel of the margin.
struct margin {
    place input = {};
    place output = {};
    std::int64_t batch = 1;
    std::int64_t in[3] = {1, 1, 1};
    std::int64_t begin[3] = {0, 0, 0};
    std::int64_t out[3] = {1, 1, 1};
    const unsigned char* pixel = nullptr;
    std::int64_t pixel_bytes = 1;
};

/// A part of each row of a concatenation; the input's rows are `distance` bytes apart.
struct concat_part {
    place input = {};
    std::int64_t bytes = 0;
    std::int64_t distance = 0;
};

/// Tensors next to each other: parts of each of `rows` rows of `row_bytes` bytes.
struct concat {
    const concat_part* parts = nullptr;
    int part_count = 0;
    std::int64_t rows = 1;
    std::int64_t row_bytes = 0;
    place output = {};
};

/// Batches of matrices transposed. `problem` has no pointers.
struct transpose {
    kernel::transpose_problem problem = {};
    place input = {};
    place output = {};
};

/// A kernel whose problem says its fields itself (kernel/rows/). `problem` has no pointers; `operands` are in the order of its fields.
template <class Problem>
struct kernel_step {
    Problem problem = {};
    place operands[kernel::operand_count<Problem>] = {};
};

/// Copies bytes. Of a state, `state` is its number: `first_time` only while nothing has written it, otherwise it counts as written.
struct copy {
    place input = {};
    place output = {};
    std::int64_t bytes = 0;
    int state = -1;
    bool first_time = false;
};

// ---- The plan ----

/// What the caller reads: `bytes` bytes.
struct result {
    place from = {};
    std::size_t bytes = 0;
};

/// The steps of a network, one after the other; each is a constexpr object of a type above.
template <const auto&... Steps>
struct steps {
    static constexpr int count = sizeof...(Steps);
};

/// An input or output: `Count` elements of type `Element`, dense, in the order of the tensor's axes.
template <class Element, std::size_t Count>
struct port {
    using element = Element;
    static constexpr std::size_t count = Count;
};

/// The inputs or the outputs of a network, in its order.
template <class... Ports>
struct ports {
    static constexpr std::size_t count = sizeof...(Ports);
};

}  // namespace lpt::inline LPT_ABI::embedded
#endif

// ======== lpt/embedded/executor.hpp
#ifndef LPT_HOLDS_EMBEDDED_EXECUTOR_HPP
#define LPT_HOLDS_EMBEDDED_EXECUTOR_HPP
// Runs a network whose plan is known to the compiler: no heap, no exceptions, no choice at run time. Needs no SIMD: the steps are compiled
// in one translation unit, for one instruction set (lpt/embedded/run.hpp).

namespace lpt::inline LPT_ABI::embedded {

/// Memory of a run. `set[i]`: state i was written since the last reset.
struct memory {
    std::byte* arena = nullptr;
    std::byte* states = nullptr;
    bool* set = nullptr;
    const void* const* inputs = nullptr;
    void* const* outputs = nullptr;
};

/// Runs all steps of a network and copies the outputs that no step writes. Defined in lpt/embedded/run.hpp, compiled once for a network.
template <class Isa, class Network>
void run_network(const memory& where) noexcept;

/// The memory of a network, and `run` with one parameter for each input and output.
template <class Network, class Inputs, class Outputs>
class executor_of;

template <class Network, class... Inputs, class... Outputs>
class executor_of<Network, ports<Inputs...>, ports<Outputs...>> {
    static constexpr std::size_t at_least_one(std::size_t size) { return size == 0 ? 1 : size; }

    // Kernels may read a little past the end of what they are given.
    alignas(64) std::byte arena_[at_least_one(Network::arena_bytes)];
    alignas(64) std::byte states_[at_least_one(Network::state_bytes)] = {};
    bool set_[at_least_one(Network::state_count)] = {};

public:
    /// Memory for intermediate tensors is left as it is, so that an executor that lies in static memory costs the program no bytes.
    executor_of() noexcept {}
    executor_of(const executor_of&) = delete;
    executor_of& operator=(const executor_of&) = delete;

    /// Runs the network once.
    ///
    /// Each input and output is an array, std::array or std::span of exactly its elements and type; anything else does not compile. Elements
    /// are in the order of the tensor's axes. Outputs may overlap neither inputs nor one another. The processor must have the instruction set
    /// `Network::isa`. Not from two threads at once: each takes an executor of its own.
    void run(std::span<const typename Inputs::element, Inputs::count>... inputs,
             std::span<typename Outputs::element, Outputs::count>... outputs) noexcept {
        const void* const from[] = {static_cast<const void*>(inputs.data())..., nullptr};
        void* const to[] = {static_cast<void*>(outputs.data())..., nullptr};
        run_network<typename Network::isa, Network>({arena_, states_, set_, from, to});
    }

    /// All states begin anew, as zeros or with what the network gives them.
    void reset() noexcept {
        for (std::byte& each : states_) {
            each = std::byte{0};
        }
        for (bool& each : set_) {
            each = false;
        }
    }
};

}  // namespace lpt::inline LPT_ABI::embedded

namespace lpt::inline LPT_ABI {

/// Runs a network of `lpt_embed --executor`; all its memory lies in the object: `Network::arena_bytes` for intermediate tensors and
/// `Network::state_bytes` for what lives from run to run. See `run` and `reset` of its base.
///
///     static lpt::static_executor<digits> network;
///     network.run(image, logits);   // float image[64], logits[10]
template <class Network>
class static_executor : public embedded::executor_of<Network, typename Network::inputs, typename Network::outputs> {
    static_assert(Network::plan_format == embedded::plan_format, "made by another version of lpt_embed: make it again");
};

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/runtime/tbb.hpp
#ifndef LPT_HOLDS_RUNTIME_TBB_HPP
#define LPT_HOLDS_RUNTIME_TBB_HPP
// oneTBB's threads for the kernels. Empty unless LPT_TBB is defined, as linking lpt::tbb does.

#if defined(LPT_TBB)

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace lpt::inline LPT_ABI {

/// A kernel::parallel_for that runs tasks on oneTBB's threads, for `compile_options::parallel`.
///
/// `threads`: how many tasks a kernel cuts its work into; by default as many as the calling thread's arena has. No result depends on it.
inline kernel::parallel_for tbb_parallel(int threads = tbb::this_task_arena::max_concurrency()) {
    const auto run = [](void*, int tasks, void (*task)(void* context, int index), void* context) {
        tbb::parallel_for(0, tasks, [&](int index) { task(context, index); });
    };
    return {nullptr, run, threads < 1 ? 1 : threads};
}

}  // namespace lpt::inline LPT_ABI

#endif
#endif

#pragma GCC diagnostic pop
#endif
