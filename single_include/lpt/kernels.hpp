// SPDX-License-Identifier: Apache-2.0
// lpt 0.1.0, kernels.hpp: The kernels of one instruction set, for a translation unit of its own. Needs xsimd.
// Generated from include/lpt by .ci/single_include; changes belong there.
#pragma once

#if !(__cplusplus >= 202002L || (defined(_MSVC_LANG) && _MSVC_LANG >= 202002L))
#error "lpt needs C++20: -std=c++20"
#else

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <xsimd/xsimd.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"

// ======== lpt/base/version.hpp
#ifndef LPT_HOLDS_BASE_VERSION_HPP
#define LPT_HOLDS_BASE_VERSION_HPP
// The one place of the version; CMake, Conan, pkg-config and the single headers read these lines.
#define LPT_VERSION_MAJOR 0
#define LPT_VERSION_MINOR 1
#define LPT_VERSION_PATCH 0

// Everything of the library lies in an inline namespace whose name carries the version, so that two versions in one program have symbols
// of their own and do not mix. Users write `lpt::` alone. No option changes a layout; one that ever does has to appear in this name.
#define LPT_ABI_OF(major, minor, patch) v##major##_##minor##_##patch
#define LPT_ABI_NAME(major, minor, patch) LPT_ABI_OF(major, minor, patch)
#define LPT_ABI LPT_ABI_NAME(LPT_VERSION_MAJOR, LPT_VERSION_MINOR, LPT_VERSION_PATCH)

namespace lpt::inline LPT_ABI {

/// Version of the library: major.minor.patch, by the rules of semantic versioning.
struct version_number {
    int major_part;
    int minor_part;
    int patch_part;
};

inline constexpr version_number library_version{LPT_VERSION_MAJOR, LPT_VERSION_MINOR, LPT_VERSION_PATCH};

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/kernel/avx2/interleave.hpp
#ifndef LPT_HOLDS_KERNEL_AVX2_INTERLEAVE_HPP
#define LPT_HOLDS_KERNEL_AVX2_INTERLEAVE_HPP
// Four rows of B, column by column, for the dot products of four bytes.

#if defined(__AVX2__)

#include <cstdint>

#include <immintrin.h>

namespace lpt::inline LPT_ABI::kernel::detail {

/// `Isa` makes the symbols ones of their own per instruction set.
template <class Isa>
struct interleave_four {
    /// 16 columns of 4 rows of B, from column `n` on, as [column][4].
    [[gnu::always_inline]] static void interleave(unsigned char* to, const unsigned char* const (&lines)[4],
                                                  std::int64_t n) noexcept {
        const auto load = [&](int j) __attribute__((always_inline)) {
            return _mm_loadu_si128(reinterpret_cast<const __m128i*>(lines[j] + n));
        };
        const __m128i low01 = _mm_unpacklo_epi8(load(0), load(1));
        const __m128i high01 = _mm_unpackhi_epi8(load(0), load(1));
        const __m128i low23 = _mm_unpacklo_epi8(load(2), load(3));
        const __m128i high23 = _mm_unpackhi_epi8(load(2), load(3));
        __m128i* const at = reinterpret_cast<__m128i*>(to);
        _mm_storeu_si128(at, _mm_unpacklo_epi16(low01, low23));
        _mm_storeu_si128(at + 1, _mm_unpackhi_epi16(low01, low23));
        _mm_storeu_si128(at + 2, _mm_unpacklo_epi16(high01, high23));
        _mm_storeu_si128(at + 3, _mm_unpackhi_epi16(high01, high23));
    }
};

}  // namespace lpt::inline LPT_ABI::kernel::detail

#endif
#endif

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

// ======== lpt/kernel/dot.hpp
#ifndef LPT_HOLDS_KERNEL_DOT_HPP
#define LPT_HOLDS_KERNEL_DOT_HPP
// What the dense kernel needs from an instruction set: dot products of a few bytes with a few bytes, which xsimd does not have.

namespace lpt::inline LPT_ABI::kernel {

/// Dot products of an instruction set, which specialises this with what `dot_products` asks for.
template <class Isa>
struct dot_product;

/// Dot products of four bytes where the instruction set has them besides longer ones; else `dot_product` itself.
template <class Isa>
struct dot_of_four : dot_product<Isa> {};

namespace detail {

/// The shape of a tile, and the form of the bytes that its loop reads.
template <class Dot>
concept dot_form = requires {
    // Consecutive k values that one step takes: 2, 4, or 8 where matrices of bytes are multiplied; those have a tile of their own, and `step` is
    // for packing alone.
    { Dot::group } -> std::convertible_to<std::int64_t>;
    // 32-bit integers in an accumulator.
    { Dot::lanes } -> std::convertible_to<int>;
    // The tile: rows x (vectors * lanes) accumulators that fit in the registers.
    { Dot::rows } -> std::convertible_to<int>;
    { Dot::vectors } -> std::convertible_to<int>;
    // Whether rows are u8 (else i8); columns are always i8.
    { Dot::unsigned_rows } -> std::convertible_to<bool>;
    // Whether rows may be of either sign.
    { Dot::either_sign } -> std::convertible_to<bool>;
    // `group` values of a row of A, repeated for all lanes.
    typename Dot::row_group;
    // `group` bytes of each of `lanes` columns of B, [lane][group].
    typename Dot::column_group;
} && (Dot::group == 2 || Dot::group == 4 || Dot::group == 8);

/// A compiler vector type, not a wrapper: g++ 12 keeps two copies of every accumulator when the type inside the loop differs from the
/// one after it, three times slower.
template <class Dot>
concept dot_accumulator = sizeof(typename Dot::accumulator) == 4u * static_cast<unsigned>(Dot::lanes) &&
                          requires(typename Dot::accumulator& sum) {
                              { sum[0] } -> std::convertible_to<std::int32_t>;
                              sum = sum + sum;
                          };

/// Packing of columns where `group` is 4.
template <class Dot>
concept packs_blocks = Dot::group != 4 || requires(unsigned char* to, const unsigned char* const (&lines)[4]) {
    // As `interleave`, for the first `count` of 4 * lanes columns, with the bits of `flip` flipped, zeros after them, interleaved inside
    // 128-bit parts.
    Dot::interleave_block(to, lines, std::int64_t{}, static_cast<unsigned char>(0));
};

/// Four k groups of a row at once, which an instruction set may take.
template <class Dot>
concept takes_row_blocks = !requires {
    typename Dot::row_block;
} || requires(typename Dot::accumulator& sum, const unsigned char* from, typename Dot::column_group column) {
    // `step` with one of the four.
    sum = Dot::template step_picked<3>(sum, Dot::load_row_block(from), column);
};

/// A quicker step for columns in whose pairs sums of products fit in 16 bits, which an instruction set may have: a k group has `pairings`
/// ways to pair its values, of which the first is as they stand.
template <class Dot>
concept takes_pairs =
    !requires { Dot::pairings; } ||
    requires(typename Dot::accumulator& sum, typename Dot::row_group& row, typename Dot::column_group column,
             const unsigned char* from, unsigned char* to, int pairing) {
        // Whether the columns of a group fit in a pairing.
        { Dot::fits_pairing(from, pairing) } -> std::convertible_to<bool>;
        // Puts the pairs of a column group, and of a row, next to each other.
        Dot::pair_columns(to, pairing);
        row = Dot::paired(row, Dot::neighbours(pairing));
        // `step` for these.
        sum = Dot::pair_step(sum, row, column);
    };

}  // namespace detail

/// What `dot_product` and `dot_of_four` of an instruction set have. Members that only some have: `row_block` with `load_row_block` and
/// `step_picked`, `pairings` with what `takes_pairs` asks for, and `keep`, which keeps columns that several rows read in their register.
template <class Dot>
concept dot_products =
    detail::dot_form<Dot> && detail::dot_accumulator<Dot> && detail::packs_blocks<Dot> &&
    detail::takes_row_blocks<Dot> && detail::takes_pairs<Dot> &&
    requires(typename Dot::accumulator& sum, typename Dot::row_group& row, typename Dot::column_group& column,
             const std::int32_t* numbers, std::int32_t* to_numbers, const unsigned char* from, unsigned char* to) {
        sum = Dot::load(numbers);
        Dot::store(to_numbers, sum);
        // Reads `group` values of a row, wherever they lie.
        row = Dot::load_row(from);
        column = Dot::load_columns(from);
        // sum[lane] += row[0..group) . column[lane][0..group), exact modulo 2^32.
        sum = Dot::step(sum, row, column);
        // Copies `count` values of a row, of the sign that it is told, into the form that `load_row` reads: with all top bits
        // flipped when the sign is not the one of `unsigned_rows`. Writes nothing past the last group, whose end may have any value, and
        // reads nothing past the last value.
        Dot::prepare_rows(to, from, std::int64_t{}, bool{});
        // Keeps an accumulator in its register between the loop and what follows.
        Dot::settle(sum);
        // An accumulator as the register type that `lanes<Isa>::ints` is made from.
        Dot::bits(sum);
    };

/// What `dot_product` has besides: the dense kernel packs columns in any order, and takes those of four bits.
template <class Dot>
concept dense_dot_products =
    dot_products<Dot> && requires(unsigned char* to, const unsigned char* from,
                                  const unsigned char* const (&lines)[static_cast<std::size_t>(Dot::group)]) {
        // 16 columns of `group` rows of B, from column n on, as [column][group].
        Dot::interleave(to, lines, std::int64_t{});
        // Column groups of unsigned four bits: the low or the high halves of `lanes * group` bytes.
        Dot::template load_halves<false>(from);
        Dot::template load_halves<true>(from);
    };

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/lanes.hpp
#ifndef LPT_HOLDS_KERNEL_LANES_HPP
#define LPT_HOLDS_KERNEL_LANES_HPP
// `lanes<Isa>`: a vector of single-precision numbers with exactly the operations that kernels use, each one correctly rounded, so
// that the same expression gives the same bits on every instruction set. This header has the scalar one (a vector of one number);
// the folders of the instruction sets have the others, made from xsimd.

namespace lpt::inline LPT_ABI::kernel {

template <class Isa>
struct lanes;

namespace detail {

/// Vectors in registers: made, loaded, stored.
template <class Lanes>
concept lane_memory = requires(typename Lanes::floats& v, typename Lanes::ints& i, const float* floats,
                               float* to_floats, const std::int32_t* ints, std::int32_t* to_ints,
                               const std::uint8_t* u8, const std::int8_t* i8, std::uint8_t* to) {
    { Lanes::width } -> std::convertible_to<int>;
    v = Lanes::broadcast(float{});
    i = Lanes::broadcast_int(std::int32_t{});
    v = Lanes::load(floats);
    i = Lanes::load_int(ints);
    i = Lanes::load_u8(u8);
    i = Lanes::load_i8(i8);
    Lanes::store(to_floats, v);
    Lanes::store_int(to_ints, i);
    Lanes::store_byte(to, i);
    Lanes::template store_bytes<true>(to, i, i, i, i);
    Lanes::template store_bytes<false>(to, i, i, i, i);
    { Lanes::look_up(u8, u8, to, std::int64_t{}) } -> std::same_as<std::int64_t>;
};

/// Arithmetic of real numbers.
template <class Lanes>
concept lane_arithmetic = requires(typename Lanes::floats& v, typename Lanes::mask& m) {
    v = Lanes::add(v, v);
    v = Lanes::subtract(v, v);
    v = Lanes::multiply(v, v);
    v = Lanes::divide(v, v);
    v = Lanes::fma(v, v, v);
    v = Lanes::at_least(v, v);
    v = Lanes::at_most(v, v);
    v = Lanes::sqrt(v);
    v = Lanes::floor(v);
    v = Lanes::ceiling(v);
    v = Lanes::round_even(v);
    m = Lanes::less(v, v);
    m = Lanes::equal(v, v);
    v = Lanes::select(m, v, v);
};

/// Arithmetic of integers, and from the one to the other.
template <class Lanes>
concept lane_integers = requires(typename Lanes::floats& v, typename Lanes::ints& i, const double* factors) {
    v = Lanes::to_float(i);
    i = Lanes::round_to_int(v);
    i = Lanes::bits(v);
    v = Lanes::from_bits(i);
    i = Lanes::add_int(i, i);
    i = Lanes::subtract_int(i, i);
    i = Lanes::multiply_int(i, i);
    i = Lanes::max_int(i, i);
    i = Lanes::min_int(i, i);
    i = Lanes::and_int(i, i);
    i = Lanes::or_int(i, i);
    i = Lanes::shift_left_23(i);
    i = Lanes::shift_right_23(i);
    i = Lanes::shift_right_1(i);
    i = Lanes::sign(i);
    i = Lanes::shift_left(i, int{});
    i = Lanes::shift_right(i, i);
    i = Lanes::doubling_high_product(i, i);
    i = Lanes::rounded_products(i, factors);
    i = Lanes::rounded_twice(i, Lanes::factors_of(i, i));
};

}  // namespace detail

/// What `lanes` of every instruction set has; `lanes<on::scalar>` says what each member means. Members that only some have: `load_first`
/// and `load_first_bytes`, which load the first elements of a vector, and `look_up_16`, elements of a table of 16 numbers.
template <class Lanes>
concept vector_lanes = detail::lane_memory<Lanes> && detail::lane_arithmetic<Lanes> && detail::lane_integers<Lanes>;

/// What kernels that put four vectors together as bytes need besides: all instruction sets but `scalar` have it.
template <class Lanes>
concept byte_lanes = vector_lanes<Lanes> && requires(typename Lanes::bytes& b, typename Lanes::floats& v,
                                                     typename Lanes::ints& i, typename Lanes::floats (&four)[4],
                                                     float* to_floats, std::uint8_t* to, const unsigned char* from) {
    // Four vectors as bytes, saturated to i8 (`true`) or u8: in order, and in the order in which packing inside 128-bit parts leaves them.
    b = Lanes::template pack<true>(i, i, i, i);
    b = Lanes::template pack_in_parts<false>(i, i, i, i);
    // Four vectors whose bytes `pack_in_parts` would leave in order, in that order themselves.
    Lanes::order_parts(four);
    // Rounds for packing with saturation to [low, high].
    i = Lanes::round_for_packing(v, v, v);
    b = Lanes::template limit<true>(b, std::int32_t{}, std::int32_t{});
    b = Lanes::template limit<false>(b, std::int32_t{}, std::int32_t{});
    // The first `count` of the packed bytes, and of a piece of them.
    Lanes::store_first(to, b, std::int64_t{});
    Lanes::template store_piece<0, Lanes::width>(to, b, std::int64_t{});
    // 16-bit halves (low of a, low of b), and the sum of their products with others.
    i = Lanes::multiply_pairs(i, Lanes::pair(i, i), i);
    { Lanes::sum_bytes(from, std::int64_t{}, static_cast<unsigned char>(0)) } -> std::same_as<std::uint32_t>;
    // Stores past the caches, at multiples of `stream_alignment`.
    { Lanes::stream_alignment } -> std::convertible_to<int>;
    Lanes::stream(to_floats, v);
    Lanes::stream_bytes(to, b);
    Lanes::end_stream();
};

/// One number. The meaning of every operation:
///   at_least(v, low)  = v > low ? v : low, so NaN becomes low;   at_most(v, high) = v < high ? v : high;
///   fma rounds once;  round_to_int rounds to nearest even and is defined for |v| < 2^31;  load_u8 / load_i8 widen exactly.
template <>
struct lanes<on::scalar> {
    using floats = float;
    using ints = std::int32_t;
    using mask = bool;
    static constexpr int width = 1;

    static floats broadcast(float value) noexcept { return value; }
    static ints broadcast_int(std::int32_t value) noexcept { return value; }
    static floats load(const float* from) noexcept {
        floats value;
        std::memcpy(&value, from, sizeof value);
        return value;
    }
    static ints load_int(const std::int32_t* from) noexcept {
        ints value;
        std::memcpy(&value, from, sizeof value);
        return value;
    }
    static ints load_u8(const std::uint8_t* from) noexcept { return *from; }
    static ints load_i8(const std::int8_t* from) noexcept { return *from; }
    static void store(float* to, floats value) noexcept { std::memcpy(to, &value, sizeof value); }
    static void store_int(std::int32_t* to, ints value) noexcept { std::memcpy(to, &value, sizeof value); }
    /// Stores the low byte of each number.
    static void store_byte(std::uint8_t* to, ints value) noexcept { *to = static_cast<std::uint8_t>(value); }

    /// to[i] = table[from[i]] for whole vectors of bytes, as many as there are in `count`; gives how many bytes that was.
    static std::int64_t look_up(const std::uint8_t* table, const std::uint8_t* from, std::uint8_t* to,
                                std::int64_t count) noexcept {
        for (std::int64_t i = 0; i < count; ++i)
            to[i] = table[from[i]];
        return count;
    }

    /// The same for the numbers of four vectors, which are all in the range of i8 (`Signed`) or u8.
    template <bool Signed>
    static void store_bytes(std::uint8_t* to, ints a, ints b, ints c, ints d) noexcept {
        store_byte(to, a);
        store_byte(to + 1, b);
        store_byte(to + 2, c);
        store_byte(to + 3, d);
    }

    static floats add(floats a, floats b) noexcept { return a + b; }
    static floats subtract(floats a, floats b) noexcept { return a - b; }
    static floats multiply(floats a, floats b) noexcept { return a * b; }
    static floats divide(floats a, floats b) noexcept { return a / b; }
    static floats fma(floats a, floats b, floats c) noexcept { return __builtin_fmaf(a, b, c); }
    static floats at_least(floats value, floats low) noexcept { return value > low ? value : low; }
    static floats at_most(floats value, floats high) noexcept { return value < high ? value : high; }
    static floats sqrt(floats value) noexcept { return __builtin_sqrtf(value); }
    static floats floor(floats value) noexcept { return __builtin_floorf(value); }
    static floats ceiling(floats value) noexcept { return __builtin_ceilf(value); }
    static floats round_even(floats value) noexcept { return __builtin_nearbyintf(value); }
    static mask less(floats a, floats b) noexcept { return a < b; }
    static mask equal(floats a, floats b) noexcept { return a == b; }
    static floats select(mask condition, floats yes, floats no) noexcept { return condition ? yes : no; }

    static floats to_float(ints value) noexcept { return static_cast<float>(value); }
    static ints round_to_int(floats value) noexcept { return static_cast<std::int32_t>(__builtin_nearbyintf(value)); }
    static ints bits(floats value) noexcept {
        ints result;
        std::memcpy(&result, &value, sizeof result);
        return result;
    }
    static floats from_bits(ints value) noexcept {
        floats result;
        std::memcpy(&result, &value, sizeof result);
        return result;
    }
    static ints add_int(ints a, ints b) noexcept {
        return static_cast<ints>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
    }
    static ints subtract_int(ints a, ints b) noexcept {
        return static_cast<ints>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
    }
    static ints multiply_int(ints a, ints b) noexcept {
        return static_cast<ints>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
    }
    static ints max_int(ints a, ints b) noexcept { return a > b ? a : b; }
    static ints min_int(ints a, ints b) noexcept { return a < b ? a : b; }
    static ints and_int(ints a, ints b) noexcept { return a & b; }
    static ints or_int(ints a, ints b) noexcept { return a | b; }
    static ints shift_left_23(ints value) noexcept {
        return static_cast<ints>(static_cast<std::uint32_t>(value) << 23);
    }
    static ints shift_right_23(ints value) noexcept { return value >> 23; }
    static ints shift_right_1(ints value) noexcept { return value >> 1; }
    /// -1 where a number is negative, else 0.
    static ints sign(ints value) noexcept { return value >> 31; }
    static ints shift_left(ints value, int by) noexcept {
        return static_cast<ints>(static_cast<std::uint32_t>(value) << by);
    }
    /// Each number by its own count, 0 to 31, to negative infinity.
    static ints shift_right(ints value, ints by) noexcept { return value >> by; }
    /// floor((a * b + 2^30) / 2^31), from the exact product; a and b are not both -2^31.
    static ints doubling_high_product(ints a, ints b) noexcept {
        return static_cast<ints>((std::int64_t{a} * b + (std::int64_t{1} << 30)) >> 31);
    }
    /// Multipliers and shifts in the form that `rounded_twice` takes.
    struct fixed_factors {
        ints multiplier, right;
    };
    static fixed_factors factors_of(ints multiplier, ints right) noexcept { return {multiplier, right}; }
    /// With h = floor((x * multiplier + 2^30) / 2^31):  h / 2^(right + 1), rounded half away from zero; multiplier >= 0, 0 <= right <= 30.
    static ints rounded_twice(ints x, const fixed_factors& by) noexcept {
        const std::int64_t high = doubling_high_product(x, by.multiplier);
        return static_cast<ints>((high + (std::int64_t{1} << by.right) - (high < 0 ? 1 : 0)) >> (by.right + 1));
    }
    /// The integers next to value * by in double precision, ties away from zero, limited to +-2^30.
    static ints rounded_products(ints value, const double* by) noexcept {
        double each;
        std::memcpy(&each, by, sizeof each);
        each *= value;
        // The largest number below 1/2 is what has to be added, so that what is below 1/2 stays below 1.
        each += each < 0 ? -0.49999999999999994 : 0.49999999999999994;
        each = each < 1073741824.0 ? each : 1073741824.0;
        return static_cast<ints>(each > -1073741824.0 ? each : -1073741824.0);
    }
};

/// Copies `count` (< Most <= 64) bytes in at most one move per bit; a loop over the bytes would cost more than the arithmetic.
template <class Isa, int Most>
[[gnu::always_inline]] inline void copy_few(unsigned char* to, const unsigned char* from, std::int64_t count) noexcept {
    std::int64_t done = 0;
    if constexpr (Most > 32) {
        if ((count & 32) != 0) {
            std::memcpy(to, from, 32);
            done = 32;
        }
    }
    if constexpr (Most > 16) {
        if ((count & 16) != 0) {
            std::memcpy(to + done, from + done, 16);
            done += 16;
        }
    }
    if constexpr (Most > 8) {
        if ((count & 8) != 0) {
            std::memcpy(to + done, from + done, 8);
            done += 8;
        }
    }
    if constexpr (Most > 4) {
        if ((count & 4) != 0) {
            std::memcpy(to + done, from + done, 4);
            done += 4;
        }
    }
    if constexpr (Most > 2) {
        if ((count & 2) != 0) {
            std::memcpy(to + done, from + done, 2);
            done += 2;
        }
    }
    if ((count & 1) != 0) to[done] = from[done];
}

/// The first `count` numbers, at most a vector of them, the rest zero; nothing past them is read.
template <class Isa>
[[gnu::always_inline]] inline typename lanes<Isa>::floats load_part(const float* from, std::int64_t count) noexcept {
    using simd = lanes<Isa>;
    if (count >= simd::width) return simd::load(from);
    if constexpr (requires { simd::load_first(from, count); }) {
        return simd::load_first(from, count);
    } else {
        float whole[simd::width] = {};
        for (std::int64_t i = 0; i < count; ++i)
            whole[i] = from[i];
        return simd::load(whole);
    }
}

/// The same for bytes, i8 (`Signed`) or u8, as integers.
template <class Isa, bool Signed>
[[gnu::always_inline]] inline typename lanes<Isa>::ints load_part_of_bytes(const unsigned char* from,
                                                                           std::int64_t count) noexcept {
    using simd = lanes<Isa>;
    const auto load = [](const unsigned char* at) __attribute__((always_inline)) {
        if constexpr (Signed)
            return simd::load_i8(reinterpret_cast<const std::int8_t*>(at));
        else
            return simd::load_u8(at);
    };
    if (count >= simd::width) return load(from);
    if constexpr (requires { simd::template load_first_bytes<Signed>(from, count); }) {
        return simd::template load_first_bytes<Signed>(from, count);
    } else {
        unsigned char whole[simd::width] = {};
        copy_few<Isa, simd::width>(whole, from, count);
        return load(whole);
    }
}

/// Stores the first `count` numbers, at most all of them.
template <class Isa>
[[gnu::always_inline]] inline void store_part(float* to, typename lanes<Isa>::floats value,
                                              std::int64_t count) noexcept {
    if (count >= lanes<Isa>::width) return lanes<Isa>::store(to, value);
    float whole[lanes<Isa>::width];
    lanes<Isa>::store(whole, value);
    for (std::int64_t i = 0; i < count; ++i)
        to[i] = whole[i];
}

/// The greatest magnitude of some numbers; NaN where one of them is NaN: without their sign, floats are ordered as integers are, NaN above all
/// numbers.
template <class Isa>
inline float greatest_magnitude(const float* from, std::int64_t count) noexcept {
    using simd = lanes<Isa>;
    const auto magnitude = simd::broadcast_int(0x7fffffff);
    auto most = simd::broadcast_int(0);
    for (std::int64_t i = 0; i < count; i += simd::width)
        most = simd::max_int(most, simd::and_int(simd::bits(load_part<Isa>(from + i, count - i)), magnitude));
    std::int32_t parts[simd::width];
    simd::store_int(parts, most);
    std::int32_t result = 0;
    for (const std::int32_t part : parts)
        result = part > result ? part : result;
    return __builtin_bit_cast(float, result);
}

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/avx2/dot_of_256.hpp
#ifndef LPT_HOLDS_KERNEL_AVX2_DOT_OF_256_HPP
#define LPT_HOLDS_KERNEL_AVX2_DOT_OF_256_HPP
// What the 4-element dot products of 256 bits share: AVX2, AVX-VNNI, and the same code with EVEX encodings.

#if defined(__AVX2__)

#include <immintrin.h>

namespace lpt::inline LPT_ABI::kernel {

namespace detail {

template <class Isa>
struct dot_of_256 : interleave_four<Isa> {
    typedef int accumulator __attribute__((vector_size(32)));
    using row_group = __m256i;
    using column_group = __m256i;
    static constexpr std::int64_t group = 4;
    static constexpr int lanes = 8;
    static constexpr int rows = 6;  // 12 accumulators, 2 column registers, 1 row register
    static constexpr int vectors = 2;
    static constexpr bool unsigned_rows = true;
    static constexpr bool either_sign = false;

    [[gnu::always_inline]] static accumulator load(const std::int32_t* from) noexcept {
        return reinterpret_cast<accumulator>(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
    }
    [[gnu::always_inline]] static void store(std::int32_t* to, accumulator value) noexcept {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), reinterpret_cast<__m256i>(value));
    }
    [[gnu::always_inline]] static void settle(accumulator& sum) noexcept { __asm__("" : "+x"(sum)); }
    [[gnu::always_inline]] static __m256i bits(accumulator value) noexcept { return reinterpret_cast<__m256i>(value); }
    [[gnu::always_inline]] static column_group load_columns(const unsigned char* from) noexcept {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    }
    /// A register, which each row reads, not memory: g++ would load it again for each of two or three rows.
    [[gnu::always_inline]] static void keep(column_group& columns) noexcept { __asm__("" : "+x"(columns)); }
    template <bool High>
    [[gnu::always_inline]] static column_group load_halves(const unsigned char* from) noexcept {
        const __m256i bytes = load_columns(from);
        return _mm256_and_si256(High ? _mm256_srli_epi16(bytes, 4) : bytes, _mm256_set1_epi8(15));
    }
    [[gnu::always_inline]] static row_group load_row(const unsigned char* from) noexcept {
        int four;
        __builtin_memcpy(&four, from, sizeof four);
        return _mm256_set1_epi32(four);
    }
    /// Four lines of 32 bytes byte by byte, [byte][line].
    [[gnu::always_inline]] static void store_interleaved(unsigned char* to, const __m256i (&line)[4]) noexcept {
        const __m256i low01 = _mm256_unpacklo_epi8(line[0], line[1]);
        const __m256i high01 = _mm256_unpackhi_epi8(line[0], line[1]);
        const __m256i low23 = _mm256_unpacklo_epi8(line[2], line[3]);
        const __m256i high23 = _mm256_unpackhi_epi8(line[2], line[3]);
        __m256i* const at = reinterpret_cast<__m256i*>(to);
        _mm256_storeu_si256(at, _mm256_unpacklo_epi16(low01, low23));
        _mm256_storeu_si256(at + 1, _mm256_unpackhi_epi16(low01, low23));
        _mm256_storeu_si256(at + 2, _mm256_unpacklo_epi16(high01, high23));
        _mm256_storeu_si256(at + 3, _mm256_unpackhi_epi16(high01, high23));
    }
    [[gnu::always_inline]] static void interleave_block(unsigned char* to, const unsigned char* const (&lines)[4],
                                                        std::int64_t count, unsigned char flip) noexcept {
        const __m256i bits = _mm256_set1_epi8(static_cast<char>(flip));
        __m256i line[4];
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) {
            unsigned char whole[32] = {};
            const unsigned char* from = lines[j];
            if (count < 32) {
                copy_few<Isa, 32>(whole, from, count);
                from = whole;
            }
            line[j] = _mm256_xor_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)), bits);
        }
        store_interleaved(to, line);
    }
    [[gnu::always_inline]] static void prepare_rows(unsigned char* to, const unsigned char* from, std::int64_t count,
                                                    bool is_signed) noexcept {
        const __m256i top_bits = _mm256_set1_epi8(static_cast<char>(is_signed ? -128 : 0));
        std::int64_t i = 0;
        for (; i + 32 <= count; i += 32) {
            const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i));
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), _mm256_xor_si256(bytes, top_bits));
        }
        for (; i < count; ++i)
            to[i] = static_cast<unsigned char>(from[i] ^ (is_signed ? 0x80 : 0));
    }
};

}  // namespace detail

}  // namespace lpt::inline LPT_ABI::kernel

#endif
#endif

// ======== lpt/kernel/avx2/dot.hpp
#ifndef LPT_HOLDS_KERNEL_AVX2_DOT_HPP
#define LPT_HOLDS_KERNEL_AVX2_DOT_HPP
// The 4-element dot product of unsigned rows and signed columns on AVX2, exact.

#if defined(__AVX2__)

namespace lpt::inline LPT_ABI::kernel {

/// pmaddubsw multiplies twice the bytes of pmaddwd, and saturates sums of two products in 16 bits. So packing looks, k group by k group,
/// for a way to pair its four k values in which no such sum can leave 16 bits (`fits_pairing`); `pair_step` is for these. What is left,
/// a tenth of usual weights, is split into words and multiplied with pmaddwd.
template <>
struct dot_product<on::avx2> : detail::dot_of_256<on::avx2> {
    /// Each sum stays in its register: g++ would add up the products of several k groups first, and keep all of them in memory until then.
    [[gnu::always_inline]] static accumulator add(accumulator sum, __m256i products) noexcept {
        sum = sum + reinterpret_cast<accumulator>(products);
        settle(sum);
        return sum;
    }
    [[gnu::always_inline]] static accumulator step(accumulator sum, row_group row, column_group column) noexcept {
        const __m256i even = _mm256_madd_epi16(_mm256_and_si256(row, _mm256_set1_epi16(0xff)),
                                               _mm256_srai_epi16(_mm256_slli_epi16(column, 8), 8));
        const __m256i odd = _mm256_madd_epi16(_mm256_srli_epi16(row, 8), _mm256_srai_epi16(column, 8));
        return add(add(sum, even), odd);
    }
    [[gnu::always_inline]] static accumulator pair_step(accumulator sum, row_group row, column_group column) noexcept {
        return add(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(row, column), _mm256_set1_epi16(1)));
    }

    /// The ways to pair four values: first with second, with third, with fourth.
    static constexpr int pairings = 3;
    /// The order of the bytes of each four in which the pairs of pairing `p` are neighbours.
    [[gnu::always_inline]] static __m256i neighbours(int p) noexcept {
        const __m256i fours =
            _mm256_set_epi32(0x0c0c0c0c, 0x08080808, 0x04040404, 0, 0x0c0c0c0c, 0x08080808, 0x04040404, 0);
        return _mm256_or_si256(fours, _mm256_set1_epi32(p == 0 ? 0x03020100 : p == 1 ? 0x03010200 : 0x02010300));
    }
    [[gnu::always_inline]] static __m256i paired(__m256i fours, __m256i order) noexcept {
        return _mm256_shuffle_epi8(fours, order);
    }
    /// Whether `255 (w0 + w1)` fits in 16 bits, of the positive and of the negative ones of each pair of a column group in pairing `p`.
    [[gnu::always_inline]] static bool fits_pairing(const unsigned char* from, int p) noexcept {
        const __m256i column = paired(load_columns(from), neighbours(p));
        const __m256i zero = _mm256_setzero_si256(), one = _mm256_set1_epi8(1), most = _mm256_set1_epi16(128);
        const __m256i above = _mm256_maddubs_epi16(_mm256_max_epi8(column, zero), one);
        const __m256i below = _mm256_maddubs_epi16(_mm256_sub_epi8(zero, _mm256_min_epi8(column, zero)), one);
        const __m256i beyond = _mm256_cmpgt_epi16(_mm256_max_epi16(above, below), most);
        return _mm256_testz_si256(beyond, beyond) != 0;
    }
    /// Puts the pairs of pairing `p` of a column group next to each other.
    [[gnu::always_inline]] static void pair_columns(unsigned char* columns, int p) noexcept {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(columns), paired(load_columns(columns), neighbours(p)));
    }
};

}  // namespace lpt::inline LPT_ABI::kernel

#endif
#endif

// ======== lpt/kernel/convolution_geometry.hpp
#ifndef LPT_HOLDS_KERNEL_CONVOLUTION_GEOMETRY_HPP
#define LPT_HOLDS_KERNEL_CONVOLUTION_GEOMETRY_HPP
// Where the taps of an output pixel lie in the input.

namespace lpt::inline LPT_ABI::kernel {

/// Pixels of an image, and a row of zero points that stands for all pixels outside.
struct pixel_image {
    const unsigned char* input = nullptr;
    std::int64_t pixel_bytes = 0;
    const unsigned char* outside = nullptr;
};

/// A template on the instruction set only to keep one copy per instruction set.
template <class Isa>
struct convolution_geometry {
    static constexpr std::int64_t taps(const convolution_shape& s) noexcept {
        return s.kernel[0] * s.kernel[1] * s.kernel[2];
    }
    static std::int64_t pixels(const convolution_shape& s) noexcept { return s.batch * s.out[0] * s.out[1] * s.out[2]; }
    static constexpr std::int64_t group_in(const convolution_shape& s) noexcept { return s.in_channels / s.groups; }
    static constexpr std::int64_t group_out(const convolution_shape& s) noexcept { return s.out_channels / s.groups; }

    static constexpr bool is_pointwise(const convolution_shape& s) noexcept {
        for (int axis = 0; axis < 3; ++axis) {
            if (s.kernel[axis] != 1 || s.stride[axis] != 1 || s.pad_begin[axis] != 0 || s.in[axis] != s.out[axis])
                return false;
        }
        return true;
    }

    static constexpr convolution_method method(const convolution_shape& s) noexcept {
        if (s.groups > 1 && group_in(s) == 1 && group_out(s) == 1 && !s.transposed)
            return convolution_method::depthwise;
        if (is_pointwise(s)) return convolution_method::gemm;
        // With few channels most of a tap would be padding of the 4-byte groups and pointer loads: merge taps and channels. Lines of
        // 16 channels gain by having fewer pointers (6 %), wider ones lose more by the copy of the image.
        const bool is_narrow = group_in(s) < 16 || (group_in(s) == 16 && s.groups == 1 && s.dilation[2] == 1);
        if (is_narrow && taps(s) > 1 && !s.transposed) {
            if (s.dilation[2] != 1) return convolution_method::im2col;
            return joins_lines(s) ? convolution_method::joined_lines : convolution_method::merged_lines;
        }
        return convolution_method::implicit_gemm;
    }

    /// Whether lines are so short that filling each of them up to whole groups of 4 bytes costs more than copying them together.
    static constexpr bool joins_lines(const convolution_shape& s) noexcept {
        const std::int64_t lines = s.kernel[0] * s.kernel[1];
        const std::int64_t line = s.kernel[2] * group_in(s);
        const std::int64_t apart = lines * ((line + 3) / 4);
        const std::int64_t joined = (lines * line + 3) / 4;
        return s.groups == 1 && line <= 16 && joined * 100 <= apart * 85;
    }

    /// Whether tap `k` of a transposed convolution leads to output position `o` along an axis, and from which input position; -1: none
    /// that there is.
    struct origin {
        bool leads;
        std::int64_t input;
    };
    static origin origin_of(const convolution_shape& s, int axis, std::int64_t o, std::int64_t k) noexcept {
        const std::int64_t scaled = o + s.pad_begin[axis] - k * s.dilation[axis];
        if (scaled % s.stride[axis] != 0) return {false, -1};
        const std::int64_t i = scaled / s.stride[axis];
        return {true, i >= 0 && i < s.in[axis] ? i : -1};
    }

    /// Where a window starts along an axis and which of its taps [begin, end) are inside the image (forward convolution).
    struct span {
        std::int64_t first;
        std::int64_t begin;
        std::int64_t end;
    };

    [[gnu::always_inline]] static span window(const convolution_shape& s, int axis, std::int64_t o) noexcept {
        const std::int64_t dilation = s.dilation[axis];
        span w{o * s.stride[axis] - s.pad_begin[axis], 0, s.kernel[axis]};
        if (w.first < 0) w.begin = (-w.first + dilation - 1) / dilation;
        if (w.first + (w.end - 1) * dilation >= s.in[axis]) {
            w.end = w.first < s.in[axis] ? (s.in[axis] - w.first + dilation - 1) / dilation : 0;
        }
        if (w.begin > w.end) w.begin = w.end;
        return w;
    }

    /// How many output pixels at both ends of a line have taps outside the image (forward convolution); they may be the same ones.
    struct columns_outside {
        std::int64_t left;
        std::int64_t right;
    };
    static columns_outside outside_columns(const convolution_shape& s) noexcept {
        const std::int64_t stride = s.stride[2];
        const std::int64_t reach =
            (s.kernel[2] - 1) * s.dilation[2] - s.pad_begin[2];  // from a scaled position to its last tap
        const std::int64_t left = (s.pad_begin[2] + stride - 1) / stride;
        const std::int64_t inside =
            s.in[2] > reach ? (s.in[2] - reach - 1) / stride + 1 : 0;  // pixels whose last tap is
        return {left < s.out[2] ? left : s.out[2], inside < s.out[2] ? s.out[2] - inside : 0};
    }

    struct coordinates {
        std::int64_t n;
        std::int64_t at[3];
    };

    [[gnu::always_inline]] static coordinates locate(const convolution_shape& s, std::int64_t row) noexcept {
        coordinates c{};
        c.at[2] = row % s.out[2];
        row /= s.out[2];
        c.at[1] = row % s.out[1];
        row /= s.out[1];
        c.at[0] = row % s.out[0];
        c.n = row / s.out[0];
        return c;
    }

    /// The part of one line of taps that lies inside the image: taps [line * kernel width + begin, ... + end), whose input pixels
    /// start at `pixel` and are dilation[2] apart. Calls f(line, begin, end, pixel) for each line of taps of output pixel `row`
    /// in order; begin == end when the whole line is outside. Forward convolution only.
    template <class Function>
    [[gnu::always_inline]] static void for_each_line(const convolution_shape& s, std::int64_t row,
                                                     const Function& f) noexcept {
        const coordinates c = locate(s, row);
        const span d = window(s, 0, c.at[0]);
        const span h = window(s, 1, c.at[1]);
        const span w = window(s, 2, c.at[2]);
        std::int64_t line = 0;
        for (std::int64_t kd = 0; kd < s.kernel[0]; ++kd) {
            const bool plane_inside = kd >= d.begin && kd < d.end;
            const std::int64_t plane = (c.n * s.in[0] + d.first + kd * s.dilation[0]) * s.in[1];
            for (std::int64_t kh = 0; kh < s.kernel[1]; ++kh, ++line) {
                if (!plane_inside || kh < h.begin || kh >= h.end) {
                    f(line, std::int64_t{0}, std::int64_t{0}, std::int64_t{0});
                    continue;
                }
                const std::int64_t start = (plane + h.first + kh * s.dilation[1]) * s.in[2] + w.first;
                f(line, w.begin, w.end, start + w.begin * s.dilation[2]);
            }
        }
    }

    /// Cuts output pixels [first, first + count) into parts of one line each; calls f(coordinates of the first, its place, count).
    template <class Function>
    [[gnu::always_inline]] static void for_each_part(const convolution_shape& s, std::int64_t first, std::int64_t count,
                                                     const Function& f) noexcept {
        for (std::int64_t done = 0; done < count;) {
            const coordinates c = locate(s, first + done);
            const std::int64_t left = count - done;
            const std::int64_t part = s.out[2] - c.at[2] < left ? s.out[2] - c.at[2] : left;
            f(c, done, part);
            done += part;
        }
    }

    /// Calls f(line, input line) for each line of taps of the output pixels in a line, in order; the index of the input line counts
    /// those of all planes and images and is -1 outside. Forward convolution only.
    template <class Function>
    [[gnu::always_inline]] static void for_each_input_line(const convolution_shape& s, const coordinates& c,
                                                           const Function& f) noexcept {
        const span d = window(s, 0, c.at[0]);
        const span h = window(s, 1, c.at[1]);
        std::int64_t line = 0;
        for (std::int64_t kd = 0; kd < s.kernel[0]; ++kd) {
            const bool inside = kd >= d.begin && kd < d.end;
            const std::int64_t plane = (c.n * s.in[0] + d.first + kd * s.dilation[0]) * s.in[1];
            for (std::int64_t kh = 0; kh < s.kernel[1]; ++kh, ++line)
                f(line, inside && kh >= h.begin && kh < h.end ? plane + h.first + kh * s.dilation[1] : -1);
        }
    }

    /// Calls f(tap, pixel) for every tap of output pixel `row` in order, in a transposed convolution for those that lead to it; pixel is the
    /// index of the input pixel or -1.
    template <class Function>
    [[gnu::always_inline]] static void for_each_tap(const convolution_shape& s, std::int64_t row,
                                                    const Function& f) noexcept {
        if (!s.transposed) {
            for_each_line(s, row, [&](std::int64_t line, std::int64_t begin, std::int64_t end, std::int64_t pixel) {
                const std::int64_t tap = line * s.kernel[2];
                std::int64_t kw = 0;
                for (; kw < begin; ++kw)
                    f(tap + kw, std::int64_t{-1});
                for (; kw < end; ++kw, pixel += s.dilation[2])
                    f(tap + kw, pixel);
                for (; kw < s.kernel[2]; ++kw)
                    f(tap + kw, std::int64_t{-1});
            });
            return;
        }
        const coordinates c = locate(s, row);
        std::int64_t tap = 0;
        for (std::int64_t kd = 0; kd < s.kernel[0]; ++kd) {
            const origin d = origin_of(s, 0, c.at[0], kd);
            for (std::int64_t kh = 0; kh < s.kernel[1]; ++kh) {
                const origin h = origin_of(s, 1, c.at[1], kh);
                const bool inside = d.input >= 0 && h.input >= 0;
                const std::int64_t line = ((c.n * s.in[0] + d.input) * s.in[1] + h.input) * s.in[2];
                for (std::int64_t kw = 0; kw < s.kernel[2]; ++kw, ++tap) {
                    const origin w = origin_of(s, 2, c.at[2], kw);
                    if (d.leads && h.leads && w.leads) f(tap, inside && w.input >= 0 ? line + w.input : -1);
                }
            }
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/parallel.hpp
#ifndef LPT_HOLDS_KERNEL_PARALLEL_HPP
#define LPT_HOLDS_KERNEL_PARALLEL_HPP
// Cutting a range of independent work into tasks.

namespace lpt::inline LPT_ABI::kernel {

/// The kernel of a problem of `problems` or `specified_problems`: `static void run(const Problem&, const parallel_for&) noexcept`.
/// Each is a specialization in a header of its own.
template <class Isa, class Problem>
struct kernel_of;

/// Calls f(begin, end, task) for at most `parallel.threads` consecutive parts of [0, count), whose borders are multiples of `grain`.
/// Task numbers count from 0, so a task can own the scratch memory of its number.
template <class Isa, class Function>
inline void split(const parallel_for& parallel, std::int64_t count, std::int64_t grain, const Function& f) noexcept {
    if (count <= 0) return;
    const std::int64_t grains = (count + grain - 1) / grain;
    const std::int64_t wanted = parallel.run != nullptr && parallel.threads > 1 ? parallel.threads : 1;
    const std::int64_t tasks = wanted < grains ? wanted : grains;
    if (tasks == 1) {
        f(std::int64_t{0}, count, 0);
        return;
    }
    struct job {
        const Function* f;
        std::int64_t count, grain, grains, tasks;
        static void run(void* context, int index) {
            const job& self = *static_cast<const job*>(context);
            const std::int64_t begin = self.grains * index / self.tasks * self.grain;
            const std::int64_t past = self.grains * (index + 1) / self.tasks * self.grain;
            (*self.f)(begin, past < self.count ? past : self.count, index);
        }
    };
    job work{&f, count, grain, grains, tasks};
    parallel.run(parallel.pool, static_cast<int>(tasks), &job::run, &work);
}

namespace detail {

/// A range of pieces that several tasks take from. Each begins with its own share, which is next to what it did in the layer before, and then helps
/// those whose share is not done.
template <class Isa>
struct shared_pieces {
    static constexpr std::int64_t most_tasks = 64;

    struct alignas(64) cursor {
        std::int64_t next;
        std::int64_t end;
    };
    cursor of_task[most_tasks];
    int tasks;

    void start(std::int64_t pieces, int count) noexcept {
        tasks = count;
        for (int task = 0; task < tasks; ++task)
            of_task[task] = {pieces * task / tasks, pieces * (task + 1) / tasks};
    }
    /// Calls f(piece) for every piece that nobody else takes.
    template <class Function>
    void take(int task, const Function& f) noexcept {
        for (int i = 0; i < tasks; ++i) {
            cursor& from = of_task[(task + i) % tasks];
            while (__atomic_load_n(&from.next, __ATOMIC_RELAXED) < from.end) {
                const std::int64_t piece = __atomic_fetch_add(&from.next, 1, __ATOMIC_RELAXED);
                if (piece >= from.end) break;
                f(piece);
            }
        }
    }
};

}  // namespace detail

/// As `split`, but where there is much to do, each task's part is cut into up to four pieces, which go to whoever is free: a thread that
/// comes late, or whose processor is slower, leaves some of its pieces to the others. f(begin, end, task) is called for each piece, never twice at once
/// with the same task. `worth`: how much of the range a piece has at least, some ten microseconds: pieces cost more than parts
/// that stay in one cache.
template <class Isa, class Function>
inline void share_out(const parallel_for& parallel, std::int64_t count, std::int64_t grain, std::int64_t worth,
                      const Function& f) noexcept {
    constexpr std::int64_t most_pieces = 4;  // of a task
    const std::int64_t threads = parallel.run == nullptr ? 1 : parallel.threads;
    const std::int64_t worth_of_task = count / (threads * (worth < grain ? grain : worth));
    if (threads < 2 || threads > detail::shared_pieces<Isa>::most_tasks || worth_of_task < 2) {
        split<Isa>(parallel, count, grain, f);
        return;
    }
    const std::int64_t pieces = threads * (worth_of_task < most_pieces ? worth_of_task : most_pieces);
    const std::int64_t grains = (count + grain - 1) / grain;
    detail::shared_pieces<Isa> all;
    all.start(pieces, parallel.threads);
    split<Isa>(parallel, threads, 1, [&](std::int64_t, std::int64_t, int task) {
        all.take(task, [&](std::int64_t piece) {
            const std::int64_t begin = grains * piece / pieces * grain;
            const std::int64_t past = grains * (piece + 1) / pieces * grain;
            f(begin, past < count ? past : count, task);
        });
    });
}
/// The same for a grain that is worth a task, a microsecond.
template <class Isa, class Function>
inline void share_out(const parallel_for& parallel, std::int64_t count, std::int64_t grain,
                      const Function& f) noexcept {
    share_out<Isa>(parallel, count, grain, 32 * grain, f);
}

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/dense_pack.hpp
#ifndef LPT_HOLDS_KERNEL_DENSE_PACK_HPP
#define LPT_HOLDS_KERNEL_DENSE_PACK_HPP
// Packed columns of the dense kernel: their layout in memory, and how they are made.

namespace lpt::inline LPT_ABI::kernel {

/// The tile arithmetic of 8-bit integers.
template <class Isa>
    requires dense_dot_products<dot_product<Isa>> && byte_lanes<lanes<Isa>>
struct integer_arithmetic : dot_product<Isa> {
    using sum_type = std::int32_t;
    static constexpr bool is_float = false;
    static constexpr std::int64_t column_group_bytes = dot_product<Isa>::group;
    static constexpr std::int64_t row_value_bytes = 1;

    [[gnu::always_inline]] static typename dot_product<Isa>::accumulator zero() noexcept {
        return typename dot_product<Isa>::accumulator{};
    }
};

/// The tile arithmetic of floats: the same loop with one k value in 4 bytes.
template <class Isa>
    requires dot_products<dot_of_four<Isa>> && byte_lanes<lanes<Isa>>
struct float_arithmetic {
    using sum_type = float;
    using simd = kernel::lanes<Isa>;
    using accumulator = typename simd::floats;
    using row_group = typename simd::floats;
    using column_group = typename simd::floats;
    static constexpr bool is_float = true;
    static constexpr std::int64_t group = 1;
    static constexpr std::int64_t row_value_bytes = 4;
    static constexpr std::int64_t column_group_bytes = 4;
    static constexpr int lanes = simd::width;
    static constexpr int rows = dot_of_four<Isa>::rows;
    static constexpr int vectors = dot_of_four<Isa>::vectors;
    static constexpr bool unsigned_rows = true;
    static constexpr bool either_sign = false;

    [[gnu::always_inline]] static accumulator zero() noexcept { return simd::broadcast(0.0f); }
    [[gnu::always_inline]] static accumulator load(const float* from) noexcept { return simd::load(from); }
    [[gnu::always_inline]] static void store(float* to, accumulator value) noexcept { simd::store(to, value); }
    [[gnu::always_inline]] static void settle(accumulator&) noexcept {}
    [[gnu::always_inline]] static column_group load_columns(const unsigned char* from) noexcept {
        return simd::load(reinterpret_cast<const float*>(from));
    }
    [[gnu::always_inline]] static row_group load_row(const unsigned char* from) noexcept {
        float value;
        std::memcpy(&value, from, sizeof value);
        return simd::broadcast(value);
    }
    [[gnu::always_inline]] static accumulator step(accumulator sum, row_group row, column_group column) noexcept {
        return simd::fma(row, column, sum);
    }
};

/// Sizes of packed columns: `groups` independent matrices of `columns` columns and taps * channels rows each.
/// In memory: a header, column sums, column zero points, panels (group by group). A panel holds `vectors * lanes` columns, the last
/// one as many vectors as are left; inside it [tap][k / group][column][group], k padded with zeros.
/// Columns of four bits: [tap][k / group / 2][column][group] bytes, whose low halves are one k group and whose high halves are the next;
/// they hold 8 more than the values, so that nothing is negative.
/// Where the dot product has a quicker form for columns whose pairs fit (`pair_step`), the k groups of a tap stand in an order of their own:
/// those that fit in the first pairing, in the second …, the others. Behind the panels lies for each tap of each panel how many fit in each
/// pairing, and which k group is where.
template <class Arithmetic>
struct dense_layout {
    std::int64_t groups = 1;
    std::int64_t columns = 1;
    std::int64_t taps = 1;
    std::int64_t channels = 1;
    bool four_bits = false;

    static constexpr std::int64_t header_bytes = 64;
    static constexpr std::int64_t panel_columns = Arithmetic::vectors * Arithmetic::lanes;

    std::int64_t padded_columns() const noexcept {
        return (columns + Arithmetic::lanes - 1) / Arithmetic::lanes * Arithmetic::lanes;
    }
    std::int64_t panels() const noexcept { return (columns + panel_columns - 1) / panel_columns; }
    std::int64_t groups_per_tap() const noexcept { return (channels + Arithmetic::group - 1) / Arithmetic::group; }
    std::int64_t column_bytes() const noexcept {
        const std::int64_t cells = four_bits ? (groups_per_tap() + 1) / 2 : groups_per_tap();
        return taps * cells * Arithmetic::column_group_bytes;
    }
    std::int64_t sums_offset() const noexcept { return header_bytes; }
    std::int64_t zero_points_offset() const noexcept { return sums_offset() + groups * padded_columns() * 4; }
    std::int64_t panels_offset() const noexcept {
        return (zero_points_offset() + groups * padded_columns() * 4 + 63) / 64 * 64;
    }
    std::int64_t group_bytes() const noexcept { return padded_columns() * column_bytes(); }
    std::int64_t orders_offset() const noexcept { return panels_offset() + groups * group_bytes(); }
    /// Numbers of 16 bits that tell the order of a panel's k groups.
    std::int64_t order_size() const noexcept { return is_ordered() ? taps * (pairings + groups_per_tap()) : 0; }
    std::int64_t bytes() const noexcept {
        return orders_offset() + groups * panels() * order_size() * std::int64_t{sizeof(std::uint16_t)};
    }
    static constexpr int pairings = [] {
        if constexpr (requires { Arithmetic::pairings; })
            return Arithmetic::pairings;
        else
            return 0;
    }();
    bool is_ordered() const noexcept { return pairings != 0 && !four_bits && groups_per_tap() <= 16384; }
    /// Columns of a panel including padding.
    std::int64_t panel_width(std::int64_t panel) const noexcept {
        const std::int64_t rest = padded_columns() - panel * panel_columns;
        return rest < panel_columns ? rest : panel_columns;
    }
};

/// What the header of packed columns says about them.
struct dense_header {
    std::int32_t differs = 0;  // columns have different zero points
    std::int32_t zero_point = 0;  // of all columns, if not
    std::int32_t four_bits = 0;
};

/// Where the elements to pack come from: element (group, column, tap, channel).
/// `merged_channels` > 0 says that a tap of the layout holds `merged_taps` taps with so many channels each.
struct dense_source {
    const void* data = nullptr;
    element_kind type = element_kind::i8;
    std::int64_t group_stride = 0;
    std::int64_t column_stride = 0;
    std::int64_t tap_stride = 0;
    std::int64_t channel_stride = 0;
    const std::int32_t* zero_points = nullptr;
    std::int64_t zero_point_count = 0;
    std::int64_t merged_channels = 0;
    std::int64_t merged_taps = 1;

    [[gnu::always_inline]] std::int64_t index(std::int64_t g, std::int64_t n, std::int64_t t,
                                              std::int64_t k) const noexcept {
        if (merged_channels > 0) {
            t = t * merged_taps + k / merged_channels;
            k = k % merged_channels;
        }
        return g * group_stride + n * column_stride + t * tap_stride + k * channel_stride;
    }
};

/// Makes packed columns. `Isa` only tags the symbols.
template <class Isa, class Arithmetic>
struct dense_pack {
    using layout = dense_layout<Arithmetic>;
    static constexpr bool is_float = Arithmetic::is_float;
    static constexpr std::int64_t group = Arithmetic::group;
    static constexpr std::int64_t cell = Arithmetic::column_group_bytes;
    static constexpr std::int64_t least_bytes = 32768;  // worth a task

    static void run(const layout& shape, const dense_source& from, void* packed,
                    const parallel_for& parallel) noexcept {
        unsigned char* const base = static_cast<unsigned char*>(packed);
        std::memset(base, 0, static_cast<std::size_t>(shape.panels_offset()));
        if constexpr (!is_float) pack_zero_points(shape, from, base);
        const std::int64_t panels_of_task = 1 + least_bytes / (layout::panel_columns * shape.column_bytes());
        split<Isa>(parallel, shape.groups * shape.panels(), panels_of_task,
                   [&](std::int64_t begin, std::int64_t end, int) {
                       for (std::int64_t i = begin; i < end; ++i) {
                           const std::int64_t g = i / shape.panels();
                           const std::int64_t panel = i % shape.panels();
                           pack_panel(shape, from, base, g, panel);
                           if constexpr (layout::pairings != 0) {
                               if (shape.is_ordered()) order_groups(shape, base, g, panel);
                           }
                       }
                   });
    }

private:
    /// Puts the k groups of each tap in the order of the pairings in which they fit.
    static void order_groups(const layout& shape, unsigned char* base, std::int64_t g, std::int64_t panel) noexcept {
        const std::int64_t width = shape.panel_width(panel);
        const std::int64_t size = width * cell;
        const std::int64_t count = shape.groups_per_tap();
        unsigned char* at = base + shape.panels_offset() + g * shape.group_bytes() +
                            panel * layout::panel_columns * shape.column_bytes();
        auto* order = reinterpret_cast<std::uint16_t*>(base + shape.orders_offset()) +
                      (g * shape.panels() + panel) * shape.order_size();
        for (std::int64_t t = 0; t < shape.taps; ++t, at += count * size, order += layout::pairings + count) {
            std::uint16_t* const number = order + layout::pairings;
            for (std::int64_t i = 0; i < count; ++i)
                number[i] = static_cast<std::uint16_t>(i);
            std::int64_t low = 0;
            for (int p = 0; p < layout::pairings; ++p) {
                const std::int64_t first = low;
                for (std::int64_t high = count; low < high;) {
                    if (fits(at + low * size, size, p)) {
                        for (std::int64_t i = 0; i < size; i += Arithmetic::lanes * cell)
                            Arithmetic::pair_columns(at + low * size + i, p);
                        ++low;
                    } else {
                        --high;
                        std::swap(number[low], number[high]);
                        swap_columns(at + low * size, at + high * size, size);
                    }
                }
                order[p] = static_cast<std::uint16_t>(low - first);
            }
        }
    }
    static void swap_columns(unsigned char* a, unsigned char* b, std::int64_t size) noexcept {
        constexpr std::int64_t step = Arithmetic::lanes * cell;
        unsigned char held[step];
        for (std::int64_t i = 0; i < size; i += step) {
            std::memcpy(held, a + i, step);
            std::memcpy(a + i, b + i, step);
            std::memcpy(b + i, held, step);
        }
    }
    /// Whether all columns of a k group fit in a pairing.
    static bool fits(const unsigned char* group_at, std::int64_t size, int pairing) noexcept {
        bool fitting = true;
        for (std::int64_t i = 0; i < size; i += Arithmetic::lanes * cell)
            fitting &= Arithmetic::fits_pairing(group_at + i, pairing);
        return fitting;
    }

    static void pack_zero_points(const layout& shape, const dense_source& from, unsigned char* base) noexcept {
        // u8 columns are stored as i8, those of four bits without a sign.
        const std::int32_t shift = from.type == element_kind::u8 ? 128 : from.type == element_kind::i4 ? -8 : 0;
        dense_header header;
        header.four_bits = shape.four_bits ? 1 : 0;
        header.zero_point = (from.zero_point_count > 0 ? from.zero_points[0] : 0) - shift;
        for (std::int64_t g = 0; g < shape.groups; ++g) {
            unsigned char* to = base + shape.zero_points_offset() + g * shape.padded_columns() * 4;
            for (std::int64_t n = 0; n < shape.columns; ++n) {
                std::int32_t zero = header.zero_point;
                if (from.zero_point_count > 1) zero = from.zero_points[g * shape.columns + n] - shift;
                if (zero != header.zero_point) header.differs = 1;
                std::memcpy(to + n * 4, &zero, sizeof zero);
            }
        }
        std::memcpy(base, &header, sizeof header);
    }

    /// Writes front to back.
    static void pack_panel(const layout& shape, const dense_source& from, unsigned char* base, std::int64_t g,
                           std::int64_t panel) noexcept {
        const std::int64_t first = panel * layout::panel_columns;
        const std::int64_t width = shape.panel_width(panel);
        const std::int64_t columns = shape.columns - first < width ? shape.columns - first : width;
        unsigned char* to = base + shape.panels_offset() + g * shape.group_bytes() + first * shape.column_bytes();
        typename Arithmetic::accumulator sums[Arithmetic::vectors];
        for (auto& sum : sums)
            sum = Arithmetic::zero();
        if constexpr (!is_float) {
            if (!shape.four_bits) fetch_columns(shape, from, g, first, columns);
            if (packs_taps_together(shape, from)) return pack_taps(shape, from, base, g, panel);
        }
        [[maybe_unused]] alignas(64) unsigned char cells[layout::panel_columns * cell];
        for (std::int64_t t = 0; t < shape.taps; ++t) {
            std::int64_t k = 0;
            if constexpr (!is_float) {
                if (packs_lines(shape, from)) {
                    k = shape.channels / group * group;
                    pack_lines(from, from.index(g, first, t, 0), k / group, columns, width, to, sums);
                    to += k * width;
                }
            }
            for (; k < shape.channels; k += group) {
                const std::int64_t rest = shape.channels - k;
                if constexpr (is_float) {
                    pack_floats(from, from.index(g, first, t, k), columns, width, to);
                } else {
                    unsigned char* const at = shape.four_bits ? cells : to;
                    const std::int64_t count = rest < group ? rest : group;
                    std::int64_t origins[group] = {};
                    for (std::int64_t j = 0; j < count; ++j)
                        origins[j] = from.index(g, first, t, k + j);
                    pack_bytes(from, origins, count, columns, width, at);
                    make_stored(from.type, count, width, at);
                    add_up(width, at, sums);
                    if (shape.four_bits) {
                        const bool is_high = k / group % 2 != 0;
                        put_halves(cells, width, is_high, to);
                        if (!is_high && rest > group) continue;  // the next k group goes to the same bytes
                    }
                }
                to += width * cell;
            }
        }
        if constexpr (!is_float) store_sums(shape, base, g, first, width, sums);
    }
    static void store_sums(const layout& shape, unsigned char* base, std::int64_t g, std::int64_t first,
                           std::int64_t width, const typename Arithmetic::accumulator* sums) noexcept {
        unsigned char* const at = base + shape.sums_offset() + (g * shape.padded_columns() + first) * 4;
        for (std::int64_t v = 0; v < width / Arithmetic::lanes; ++v)
            Arithmetic::store(reinterpret_cast<std::int32_t*>(at) + v * Arithmetic::lanes, sums[v]);
    }

    /// Reads one cache line after another of columns that lie side by side: the loops that pack them jump from column to column, and would
    /// wait for memory each time.
    static void fetch_columns(const layout& shape, const dense_source& from, std::int64_t g, std::int64_t first,
                              std::int64_t columns) noexcept {
        constexpr std::int64_t most_bytes = std::int64_t{1} << 20;  // more does not stay in a cache
        const std::int64_t bytes = columns * from.column_stride;
        if (from.column_stride != shape.taps * shape.channels || bytes > most_bytes) return;
        const volatile unsigned char* const at =
            static_cast<const unsigned char*>(from.data) + from.index(g, first, 0, 0);
        for (std::int64_t i = 0; i < bytes; i += 64)
            static_cast<void>(at[i]);
    }
    /// Whether the channels of a tap lie side by side.
    static bool packs_lines(const layout& shape, const dense_source& from) noexcept {
        return !shape.four_bits && from.merged_channels == 0 && from.channel_stride == 1;
    }
    /// Packs whole k groups of a tap, two cache lines of a column at a time: columns lie far apart, and to read all of them for each k group
    /// would fetch these lines anew.
    static void pack_lines(const dense_source& from, std::int64_t origin, std::int64_t groups, std::int64_t columns,
                           std::int64_t width, unsigned char* to,
                           typename Arithmetic::accumulator (&sums)[Arithmetic::vectors]) noexcept {
        constexpr std::int64_t most = 128 / group;
        const std::int64_t line = width * cell;
        const unsigned char* const data = static_cast<const unsigned char*>(from.data) + origin;
        for (std::int64_t done = 0; done < groups; done += most, to += most * line) {
            const std::int64_t count = groups - done < most ? groups - done : most;
            if (columns < width) std::memset(to, 0, static_cast<std::size_t>(count * line));
            const unsigned char* at = data + done * group;
            for (std::int64_t n = 0; n < columns; ++n, at += from.column_stride) {
                for (std::int64_t i = 0; i < count; ++i)
                    std::memcpy(to + i * line + n * cell, at + i * group, static_cast<std::size_t>(cell));
            }
            for (std::int64_t i = 0; i < count; ++i) {
                make_stored(from.type, group, width, to + i * line);
                add_up(width, to + i * line, sums);
            }
        }
    }

    static constexpr std::int64_t most_taps = 64;
    static constexpr std::int64_t mixed = 16;  // columns of `interleave`

    /// Whether the taps of a channel lie side by side: then all are read at once, a tap at a time would read the same memory so often.
    static bool packs_taps_together(const layout& shape, const dense_source& from) noexcept {
        return shape.taps > 1 && shape.taps <= most_taps && !shape.four_bits && from.merged_channels == 0 &&
               from.tap_stride == 1 && from.channel_stride == shape.taps;
    }
    /// The taps of a k group are put together in a small buffer first: where they go, they lie far apart, in the same sets of a cache.
    [[gnu::noinline]] static void pack_taps(const layout& shape, const dense_source& from, unsigned char* base,
                                            std::int64_t g, std::int64_t panel) noexcept {
        const std::int64_t first = panel * layout::panel_columns;
        const std::int64_t width = shape.panel_width(panel);
        const std::int64_t columns = shape.columns - first < width ? shape.columns - first : width;
        const std::int64_t taps = shape.taps;
        const std::int64_t line = width * cell;
        const std::int64_t tap_bytes = shape.groups_per_tap() * line;
        unsigned char* to = base + shape.panels_offset() + g * shape.group_bytes() + first * shape.column_bytes();
        typename Arithmetic::accumulator sums[Arithmetic::vectors];
        for (auto& sum : sums)
            sum = Arithmetic::zero();
        const unsigned char* const data = static_cast<const unsigned char*>(from.data);
        const std::int64_t end = from.index(shape.groups - 1, shape.columns - 1, taps - 1, shape.channels - 1) + 1;
        const std::int64_t reach = (group - 1) * taps + (taps + mixed - 1) / mixed * mixed;
        alignas(64) unsigned char cells[most_taps * layout::panel_columns * cell];
        for (std::int64_t k = 0; k < shape.channels; k += group, to += line) {
            const std::int64_t rest = shape.channels - k;
            const std::int64_t count = rest < group ? rest : group;
            if (columns < width || count < group) std::memset(cells, 0, static_cast<std::size_t>(taps * line));
            std::int64_t at = from.index(g, first, 0, k);
            for (std::int64_t n = 0; n < columns; ++n, at += from.column_stride) {
                if (count == group && at + reach <= end)
                    mix_taps(taps, data + at, line, cells + n * cell);
                else
                    copy_taps(taps, data + at, count, line, cells + n * cell);
            }
            for (std::int64_t t = 0; t < taps; ++t) {
                make_stored(from.type, count, width, cells + t * line);
                add_up(width, cells + t * line, sums);
                std::memcpy(to + t * tap_bytes, cells + t * line, static_cast<std::size_t>(line));
            }
        }
        store_sums(shape, base, g, first, width, sums);
    }
    /// [group][taps] of a column to [taps], `line` bytes from each other; reads whole `mixed` taps of each k value.
    static void mix_taps(std::int64_t taps, const unsigned char* at, std::int64_t line, unsigned char* to) noexcept {
        const unsigned char* values[group];
        for (std::int64_t j = 0; j < group; ++j)
            values[j] = at + j * taps;
        alignas(64) unsigned char together[mixed * cell];
        for (std::int64_t done = 0; done < taps; done += mixed) {
            Arithmetic::interleave(together, values, done);
            const std::int64_t count = taps - done < mixed ? taps - done : mixed;
            for (std::int64_t t = 0; t < count; ++t)
                std::memcpy(to + (done + t) * line, together + t * cell, static_cast<std::size_t>(cell));
        }
    }
    /// As `mix_taps`, for `count` k values, and reads nothing else.
    static void copy_taps(std::int64_t taps, const unsigned char* at, std::int64_t count, std::int64_t line,
                          unsigned char* to) noexcept {
        for (std::int64_t t = 0; t < taps; ++t) {
            for (std::int64_t j = 0; j < count; ++j)
                to[t * line + j] = at[j * taps + t];
        }
    }

    static void pack_floats(const dense_source& from, std::int64_t origin, std::int64_t columns, std::int64_t width,
                            unsigned char* to) noexcept {
        const unsigned char* at = static_cast<const unsigned char*>(from.data) + origin * 4;
        if (from.column_stride == 1) {
            std::memcpy(to, at, static_cast<std::size_t>(columns) * 4);
        } else {
            for (std::int64_t n = 0; n < columns; ++n)
                std::memcpy(to + n * 4, at + n * from.column_stride * 4, 4);
        }
        std::memset(to + columns * 4, 0, static_cast<std::size_t>(width - columns) * 4);
    }

    /// `count` (<= group) k values of `columns` columns; zeros up to `group` and `width`.
    static void pack_bytes(const dense_source& from, const std::int64_t (&origins)[group], std::int64_t count,
                           std::int64_t columns, std::int64_t width, unsigned char* to) noexcept {
        const unsigned char* const data = static_cast<const unsigned char*>(from.data);
        if (columns < width || count < group) std::memset(to, 0, static_cast<std::size_t>(width * cell));
        bool in_line = count == group;
        for (std::int64_t j = 1; j < count; ++j)
            in_line = in_line && origins[j] == origins[0] + j;
        if (in_line) {
            const unsigned char* at = data + origins[0];
            for (std::int64_t n = 0; n < columns; ++n, at += from.column_stride)
                std::memcpy(to + n * cell, at, static_cast<std::size_t>(cell));
            return;
        }
        std::int64_t done = 0;
        if (from.column_stride == 1 && count == group) {
            const unsigned char* rows[group];
            const std::int64_t ahead = 8 * group * (origins[1] - origins[0]);  // rows lie far apart
            for (std::int64_t j = 0; j < group; ++j) {
                rows[j] = data + origins[j];
                __builtin_prefetch(rows[j] + ahead);
            }
            for (; done + 16 <= columns; done += 16)
                Arithmetic::interleave(to + done * cell, rows, done);
        }
        for (std::int64_t j = 0; j < count; ++j) {
            const unsigned char* at = data + origins[j] + done * from.column_stride;
            for (std::int64_t n = done; n < columns; ++n, at += from.column_stride)
                to[n * cell + j] = *at;
        }
    }

    /// Makes u8 i8 by flipping the top bits (u8 minus 128), and four bits unsigned by flipping theirs (plus 8).
    static void make_stored(element_kind type, std::int64_t count, std::int64_t width, unsigned char* to) noexcept {
        if (type == element_kind::i8) return;
        unsigned char flip[cell] = {};
        for (std::int64_t j = 0; j < count; ++j)
            flip[j] = type == element_kind::u8 ? 0x80 : 0x08;
        flip_cells(to, width, flip, type == element_kind::u8 ? 0xff : 0x0f);
    }

    /// The low or the high halves of bytes.
    static void put_halves(const unsigned char* cells, std::int64_t width, bool is_high, unsigned char* to) noexcept {
        for (std::int64_t i = 0; i < width * cell; ++i)
            to[i] = is_high ? static_cast<unsigned char>(to[i] | cells[i] << 4) : cells[i];
    }

    /// Adds to the sums of the columns.
    static void add_up(std::int64_t width, const unsigned char* to, typename Arithmetic::accumulator* sums) noexcept {
        unsigned char ones[group] = {};
        for (std::int64_t j = 0; j < group; ++j)
            ones[j] = 1;
        const typename Arithmetic::row_group one = Arithmetic::load_row(ones);
        for (std::int64_t v = 0; v < width / Arithmetic::lanes; ++v) {
            const auto column = Arithmetic::load_columns(to + v * Arithmetic::lanes * cell);
            sums[v] = Arithmetic::step(sums[v], one, column);
        }
    }

    /// Flips the bits of `flip` in each cell and keeps those of `kept` in each byte.
    static void flip_cells(unsigned char* to, std::int64_t width, const unsigned char (&flip)[cell],
                           unsigned char kept) noexcept {
        std::uint64_t mask;  // every panel's line is a multiple of 8 bytes
        for (std::int64_t i = 0; i < 8; i += cell)
            std::memcpy(reinterpret_cast<unsigned char*>(&mask) + i, flip, static_cast<std::size_t>(cell));
        for (std::int64_t i = 0; i < width * cell; i += 8) {
            std::uint64_t eight;
            std::memcpy(&eight, to + i, sizeof eight);
            eight = (eight ^ mask) & (0x0101010101010101u * kept);
            std::memcpy(to + i, &eight, sizeof eight);
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/fixed_point.hpp
#ifndef LPT_HOLDS_KERNEL_FIXED_POINT_HPP
#define LPT_HOLDS_KERNEL_FIXED_POINT_HPP
// From sums to codes in fixed point: integers and explicit roundings, so that every instruction set gives the same bits.

namespace lpt::inline LPT_ABI::kernel {

/// The numbers of `fixed_point` for a vector of channels.
template <class Simd>
struct fixed_columns {
    using ints = typename Simd::ints;
    ints bias, multiplier, right, offset, below;

    [[gnu::always_inline]] static fixed_columns load(const fixed_point& f, std::int64_t channel) noexcept {
        return {Simd::load_int(f.bias + channel), Simd::load_int(f.multiplier + channel),
                Simd::load_int(f.right + channel), Simd::load_int(f.offset + channel),
                Simd::load_int(f.below + channel)};
    }
    /// The same numbers for all elements, and no bias.
    [[gnu::always_inline]] static fixed_columns of_all(const fixed_scale& f) noexcept {
        return {Simd::broadcast_int(0), Simd::broadcast_int(f.multiplier), Simd::broadcast_int(f.right),
                Simd::broadcast_int(f.offset), Simd::broadcast_int(f.below)};
    }
    /// What a sum that has its bias becomes.
    [[gnu::always_inline]] ints scaled(ints x) const noexcept {
        const ints high = Simd::doubling_high_product(x, multiplier);
        const ints twice = Simd::shift_right(Simd::add_int(high, Simd::and_int(Simd::sign(high), below)), right);
        const ints halves = Simd::subtract_int(Simd::broadcast_int(0), below);  // 1 or 0
        return Simd::add_int(Simd::shift_right(Simd::add_int(twice, halves), halves), offset);
    }
    [[gnu::always_inline]] ints code(ints sum) const noexcept { return scaled(Simd::add_int(sum, bias)); }
};

/// The numbers of a `fixed_point` all of whose channels shift.
template <class Simd>
struct shifted_columns {
    using ints = typename Simd::ints;
    ints bias, offset;
    typename Simd::fixed_factors factors;

    [[gnu::always_inline]] static shifted_columns load(const fixed_point& f, std::int64_t channel) noexcept {
        return {Simd::load_int(f.bias + channel), Simd::broadcast_int(f.zero_point),
                Simd::factors_of(Simd::load_int(f.multiplier + channel), Simd::load_int(f.right + channel))};
    }
    [[gnu::always_inline]] ints code(ints sum) const noexcept {
        return Simd::add_int(Simd::rounded_twice(Simd::add_int(sum, bias), factors), offset);
    }
};

// Codes by single precision, where instructions say how far numbers are from integers.
//
// With Y = x * multiplier / 2^(32 + right), `rounded_twice` is the integer next to Y + h, of negative x that next to Y - h, where h is
// `half_step`, half of what one step of the first rounding is worth: floors of floors move the bounds of the second rounding by as much.
// Single precision gives such a sum with a known error. Where none of some numbers comes as near to half way between two integers, their
// codes are known; else they are computed exactly, which few are: one of 8192 numbers comes so near.
template <class Simd>
concept rounds_noting = requires(typename Simd::floats value) { Simd::round_noting(value, value); };

/// The error of x * scale + h below 256, where codes are not limited: of four roundings by 2^-24.
inline constexpr float error_of_codes = 0.00006103515625f;  // 2^-14

/// The codes of sums that have their bias, vector v by by[v % Period]; |zero| <= 128. What is beyond all bytes stays beyond.
template <class Simd, int Count, int Period = Count>
[[gnu::always_inline]] inline void codes_of(const typename Simd::ints (&sum)[Count],
                                            const typename Simd::fixed_factors* by, typename Simd::ints zero,
                                            typename Simd::ints (&code)[Count]) noexcept {
    bool are_known = false;
    if constexpr (rounds_noting<Simd>) {
        auto farthest = Simd::broadcast(0);
#pragma GCC unroll 4
        for (int v = 0; v < Count; ++v) {
            const auto x = Simd::to_float(sum[v]);
            code[v] = Simd::round_noting(
                Simd::fma(x, by[v % Period].scale, Simd::with_sign_of(by[v % Period].half_step, x)), farthest);
        }
        are_known = Simd::all_below(farthest, Simd::broadcast(0.5f - error_of_codes));
    }
    if (!are_known) [[unlikely]] {
#pragma GCC unroll 4
        for (int v = 0; v < Count; ++v)
            code[v] = Simd::rounded_twice(sum[v], by[v % Period]);
    }
#pragma GCC unroll 4
    for (int v = 0; v < Count; ++v)
        code[v] = Simd::add_int(code[v], zero);
}

/// The factors of vectors of channels from `channel` on; `start`, with which sums begin, gets the bias.
template <class Simd>
void start_fixed(const fixed_point& f, std::int64_t channel, std::int64_t vectors, std::int32_t* start,
                 typename Simd::fixed_factors* factors) noexcept {
    for (std::int64_t v = 0; v < vectors; ++v) {
        const std::int64_t from = channel + v * Simd::width;
        std::int32_t* const at = start + v * Simd::width;
        Simd::store_int(at, Simd::add_int(Simd::load_int(at), Simd::load_int(f.bias + from)));
        factors[v] = Simd::factors_of(Simd::load_int(f.multiplier + from), Simd::load_int(f.right + from));
    }
}

/// A number that scales all elements.
template <class Simd>
class fixed_scaling {
    using ints = typename Simd::ints;
    enum class form : std::uint8_t { keeps, shifts, any };
    form form_ = form::any;
    int left_;
    fixed_columns<Simd> columns_;
    typename Simd::fixed_factors factors_;

public:
    [[gnu::always_inline]] explicit fixed_scaling(const fixed_scale& f) noexcept
        : left_(f.left),
          columns_(fixed_columns<Simd>::of_all(f)),
          factors_(Simd::factors_of(columns_.multiplier, columns_.right)) {
        if (f.below != 0) {
            form_ = form::shifts;
        } else if (f.multiplier == 1 << 30 && f.left > 0) {  // halves an even number
            form_ = form::keeps;
            --left_;
        }
    }
    [[gnu::always_inline]] ints with_offset(ints q) const noexcept { return Simd::add_int(q, columns_.offset); }
    /// The code of `fixed_scale` for a number; `HasLeft` is false where its shift to the left is none.
    template <bool HasLeft>
    [[gnu::always_inline]] ints code(ints x) const noexcept {
        if constexpr (HasLeft) x = Simd::shift_left(x, left_);
        if (form_ == form::keeps) return Simd::add_int(x, columns_.offset);
        if (form_ == form::any) return columns_.scaled(x);
        return Simd::add_int(Simd::rounded_twice(x, factors_), columns_.offset);
    }
};

/// The numbers of `fixed_point` for the channels of a block, in memory and in an order of their own.
template <int Columns>
struct fixed_slots {
    alignas(64) std::int32_t bias[Columns];
    alignas(64) std::int32_t multiplier[Columns];
    alignas(64) std::int32_t right[Columns];
    alignas(64) std::int32_t offset[Columns];
    alignas(64) std::int32_t below[Columns];

    /// `put(from, to)` writes the numbers of the block's channels from an array of `fixed_point` to their slots.
    template <class Put>
    void fill(const fixed_point& f, const Put& put) noexcept {
        put(f.bias, bias);
        put(f.multiplier, multiplier);
        put(f.right, right);
        put(f.offset, offset);
        put(f.below, below);
    }
    /// The same as an operand, of which nothing past the slots is readable.
    fixed_point view() const noexcept {
        fixed_point result;
        result.bias = bias;
        result.multiplier = multiplier;
        result.right = right;
        result.offset = offset;
        result.below = below;
        return result;
    }
    template <class Simd>
    [[gnu::always_inline]] fixed_columns<Simd> load(std::int64_t slot) const noexcept {
        return {Simd::load_int(bias + slot), Simd::load_int(multiplier + slot), Simd::load_int(right + slot),
                Simd::load_int(offset + slot), Simd::load_int(below + slot)};
    }
};

/// The store of i8 codes.
template <class Isa>
struct fixed_store {
    using simd = lanes<Isa>;
    using ints = typename simd::ints;
    static constexpr std::int64_t width = simd::width;

    /// Integers of 32 bits, limited and stored.
    struct limits {
        ints low, high;
        [[gnu::always_inline]] ints operator()(ints q) const noexcept {
            return simd::min_int(simd::max_int(q, low), high);
        }
    };

    [[gnu::always_inline]] static void store_one(std::uint8_t* to, ints q, std::int64_t count) noexcept {
        if (count >= width) return simd::store_byte(to, q);
        std::uint8_t tail[width];
        simd::store_byte(tail, q);
        copy_few<Isa, width>(to, tail, count);
    }

    /// `rows` rows of `columns` sums, `stride` apart and readable up to a multiple of the width, of channels from `channel` on.
    static void tile(const epilogue& e, const std::int32_t* sums, std::int64_t stride, std::int64_t rows,
                     std::int64_t channel, std::int64_t columns, unsigned char* output,
                     std::int64_t row_bytes) noexcept {
        const limits limit{simd::broadcast_int(static_cast<std::int32_t>(e.quant_low)),
                           simd::broadcast_int(static_cast<std::int32_t>(e.quant_high))};
        const fixed_point& f = *e.fixed;
        if (f.real != nullptr)
            rounded_once(f, limit, sums, stride, rows, channel, columns, output, row_bytes);
        else if (f.shifts)
            rounded_twice<shifted_columns<simd>>(f, limit, sums, stride, rows, channel, columns, output, row_bytes);
        else
            rounded_twice<fixed_columns<simd>>(f, limit, sums, stride, rows, channel, columns, output, row_bytes);
    }

private:
    template <class Column>
    static void rounded_twice(const fixed_point& f, const limits& limit, const std::int32_t* sums, std::int64_t stride,
                              std::int64_t rows, std::int64_t channel, std::int64_t columns, unsigned char* output,
                              std::int64_t row_bytes) noexcept {
        std::int64_t i = 0;
        for (; i + 4 * width <= columns; i += 4 * width) {
            Column column[4];
#pragma GCC unroll 4
            for (int v = 0; v < 4; ++v)
                column[v] = Column::load(f, channel + i + v * width);
            for (std::int64_t r = 0; r < rows; ++r) {
                const std::int32_t* const from = sums + r * stride + i;
                const auto code = [&](int v) __attribute__((always_inline)) {
                    return limit(column[v].code(simd::load_int(from + v * width)));
                };
                simd::template store_bytes<true>(output + r * row_bytes + i, code(0), code(1), code(2), code(3));
            }
        }
        for (; i < columns; i += width) {
            const Column column = Column::load(f, channel + i);
            for (std::int64_t r = 0; r < rows; ++r)
                store_one(output + r * row_bytes + i, limit(column.code(simd::load_int(sums + r * stride + i))),
                          columns - i);
        }
    }

    static void rounded_once(const fixed_point& f, const limits& limit, const std::int32_t* sums, std::int64_t stride,
                             std::int64_t rows, std::int64_t channel, std::int64_t columns, unsigned char* output,
                             std::int64_t row_bytes) noexcept {
        const ints zero = simd::broadcast_int(f.zero_point);
        for (std::int64_t i = 0; i < columns; i += width) {
            const ints bias = simd::load_int(f.bias + channel + i);
            for (std::int64_t r = 0; r < rows; ++r) {
                const ints x = simd::add_int(simd::load_int(sums + r * stride + i), bias);
                const ints q = simd::add_int(simd::rounded_products(x, f.real + channel + i), zero);
                store_one(output + r * row_bytes + i, limit(q), columns - i);
            }
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/unary.hpp
#ifndef LPT_HOLDS_KERNEL_UNARY_HPP
#define LPT_HOLDS_KERNEL_UNARY_HPP
// The functions of one number that an epilogue can apply: one definition for all instruction sets, made of correctly rounded
// operations in a fixed order, so every instruction set gives the same bits.

namespace lpt::inline LPT_ABI::kernel {

/// `unary<Isa>::apply(function, values, count, alpha, beta)`. For |v| < 80 results are within 4 ulp of the exact function of v, except:
/// gelu_erf (within 3e-7, absolute), gelu_tanh and swish (the rounding of their inner argument y adds |y| / 2 ulp), and results below
/// 2^-126, which may be zero; swish of numbers below -87.33 is. NaN gives NaN except where a clamp is part of the definition.
template <class Isa>
    requires vector_lanes<lanes<Isa>>
struct unary {
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    using ints = typename simd::ints;

    [[gnu::always_inline]] static floats constant(float value) noexcept { return simd::broadcast(value); }
    [[gnu::always_inline]] static floats absolute(floats v) noexcept {
        return simd::from_bits(simd::and_int(simd::bits(v), simd::broadcast_int(0x7fffffff)));
    }
    [[gnu::always_inline]] static floats sign_bit(floats v) noexcept {
        return simd::from_bits(simd::and_int(simd::bits(v), simd::broadcast_int(-0x7fffffff - 1)));
    }
    [[gnu::always_inline]] static floats with_sign(floats magnitude, floats sign) noexcept {
        return simd::from_bits(simd::or_int(simd::bits(magnitude), simd::bits(sign)));
    }
    [[gnu::always_inline]] static floats negate(floats v) noexcept { return simd::subtract(constant(-0.0f), v); }
    [[gnu::always_inline]] static floats keep_nan(floats v, floats result) noexcept {
        return simd::select(simd::equal(v, v), result, v);
    }
    /// c[0] x^n + ... + c[n]
    template <int Count>
    [[gnu::always_inline]] static floats polynomial(floats x, const float (&c)[Count]) noexcept {
        floats sum = constant(c[0]);
#pragma GCC unroll 16
        for (int i = 1; i < Count; ++i)
            sum = simd::fma(sum, x, constant(c[i]));
        return sum;
    }

    /// v = n ln 2 + r with |r| <= ln 2 / 2; gives exp(r) - 1 and n. v must be in [-88, 89].
    [[gnu::always_inline]] static floats reduced_expm1(floats v, floats& n) noexcept {
        n = simd::round_even(simd::multiply(v, constant(1.44269504f)));
        floats r = simd::fma(n, constant(-0.693359375f), v);  // exact: 9 bits of ln 2 times an integer below 2^8
        r = simd::fma(n, constant(2.12194440e-4f), r);  // the rest of ln 2
        const float c[] = {0.000198911034f, 0.00139337514f, 0.00833331082f, 0.0416664640f, 0.166666667f, 0.5f};
        const floats high = polynomial(r, c);  // (exp(r) - 1 - r) / r^2
        return simd::fma(simd::multiply(r, r), high, r);
    }
    /// 2^n for integral n in [-126, 127]
    [[gnu::always_inline]] static floats power_of_two(floats n) noexcept {
        return simd::from_bits(simd::shift_left_23(simd::add_int(simd::round_to_int(n), simd::broadcast_int(127))));
    }

    [[gnu::always_inline]] static floats exp(floats v) noexcept {
        const floats inside = simd::at_most(simd::at_least(v, constant(-87.0f)), constant(88.8f));
        floats n;
        const floats p = reduced_expm1(inside, n);
        // n can be 128, which is no exponent of a float: multiply by 2^(n - 1), then by 2.
        const floats half = power_of_two(simd::subtract(n, constant(1.0f)));
        floats result = simd::multiply(simd::fma(p, half, half), constant(2.0f));
        result = simd::select(simd::less(v, constant(-87.0f)), constant(0.0f), result);
        return keep_nan(v, result);
    }
    [[gnu::always_inline]] static floats expm1(floats v) noexcept {
        const floats inside = simd::at_most(simd::at_least(v, constant(-20.0f)), constant(88.0f));
        floats n;
        const floats p = reduced_expm1(inside, n);
        const floats scale = power_of_two(n);
        floats result = simd::fma(scale, p, simd::subtract(scale, constant(1.0f)));
        result = simd::select(simd::less(constant(88.0f), v), exp(v), result);
        return keep_nan(v, result);
    }
    /// ln(v); -infinity at 0, NaN below; v must be normal, smaller numbers count as 0.
    [[gnu::always_inline]] static floats log(floats v) noexcept {
        const ints whole = simd::bits(v);
        // Move the mantissa into [sqrt(1/2), sqrt(2)): subtract the bits of sqrt(1/2), what is above bit 23 is the exponent.
        const ints offset = simd::subtract_int(whole, simd::broadcast_int(0x3f3504f3));
        const ints exponent = simd::shift_right_23(offset);
        const floats m = simd::from_bits(simd::subtract_int(whole, simd::shift_left_23(exponent)));
        const floats n = simd::to_float(exponent);
        const floats f = simd::subtract(m, constant(1.0f));
        const floats s = simd::divide(f, simd::add(m, constant(1.0f)));
        const floats z = simd::multiply(s, s);
        const float c[] = {0.116684055f, 0.142752935f, 0.200000620f, 0.333333333f};
        // ln m = 2 atanh(s) = f - s (f - 2 z (1/3 + z/5 ...)) since 2 s = f - s f
        const floats tail = simd::multiply(simd::multiply(constant(2.0f), z), polynomial(z, c));
        const floats low = simd::fma(n, constant(-2.12194440e-4f), simd::multiply(s, simd::subtract(tail, f)));
        floats result = simd::fma(n, constant(0.693359375f), simd::add(f, low));
        result = simd::select(simd::less(v, constant(1.17549435e-38f)), constant(-__builtin_inff()), result);
        result = simd::select(simd::less(v, constant(0.0f)), constant(__builtin_nanf("")), result);
        result = simd::select(simd::equal(v, constant(__builtin_inff())), v, result);
        return keep_nan(v, result);
    }
    /// ln(1 + t) for t in [0, 1]
    [[gnu::always_inline]] static floats log1p_unit(floats t) noexcept {
        const floats u = simd::add(constant(1.0f), t);
        const floats lost = simd::subtract(t, simd::subtract(u, constant(1.0f)));
        return simd::add(log(u), simd::divide(lost, u));
    }
    [[gnu::always_inline]] static floats softplus(floats v) noexcept {
        const floats tail = log1p_unit(exp(negate(absolute(v))));
        return keep_nan(v, simd::add(simd::at_least(v, constant(0.0f)), tail));
    }
    /// exp(v) for v <= 0: what it need not know of large numbers is a fifth of `exp`. NaN stays.
    [[gnu::always_inline]] static floats exp_of_negative(floats v) noexcept {
        floats n;
        const floats p = reduced_expm1(simd::at_least(v, constant(-87.0f)), n);
        const floats scale = power_of_two(n);
        const floats result = simd::select(simd::less(v, constant(-87.0f)), constant(0.0f), simd::fma(p, scale, scale));
        return keep_nan(v, result);
    }
    [[gnu::always_inline]] static floats sigmoid(floats v) noexcept { return keep_nan(v, sigmoid_of_number(v)); }
    /// What it gives for NaN is a number.
    [[gnu::always_inline]] static floats sigmoid_of_number(floats v) noexcept {
        // Both tails keep their relative accuracy: 1 + e loses nothing of a large e, and the result nothing of a small one. At most 87.33, so
        // that no quotient is subnormal, not even in lanes that `select` drops: many processors take a hundred times as long for those.
        floats n;
        const floats inside = simd::at_most(simd::at_least(negate(v), constant(-87.0f)), constant(87.33f));
        const floats p = reduced_expm1(inside, n);
        const floats scale = power_of_two(n);
        const floats sum = simd::add(constant(1.0f), simd::fma(p, scale, scale));
        const floats result = simd::divide(constant(1.0f), sum);
        return simd::select(simd::less(v, constant(-87.33f)), constant(0.0f), result);
    }
    [[gnu::always_inline]] static floats tanh(floats v) noexcept {
        const floats magnitude = simd::at_most(absolute(v), constant(10.0f));  // tanh(10) rounds to 1
        const floats e = expm1(simd::add(magnitude, magnitude));
        return keep_nan(v, with_sign(simd::divide(e, simd::add(e, constant(2.0f))), sign_bit(v)));
    }
    [[gnu::always_inline]] static floats erf(floats v) noexcept {
        const floats x = simd::at_most(absolute(v), constant(4.0f));  // erf(4) rounds to 1
        const float small[] = {-9.66704457e-6f, 1.12659590e-4f, -8.48408041e-4f, 5.22103181e-3f,
                               -2.68654307e-2f, 1.12837825e-1f, -3.76126385e-1f, 1.12837917f};
        const float large[] = {1.63715141e-6f,  -4.60580427e-5f, 5.96805626e-4f, -4.75959629e-3f, 2.64211360e-2f,
                               -1.10080083e-1f, -6.31826052e-1f, -1.13023343f,   3.20138050e-4f};
        const floats near = simd::multiply(x, polynomial(simd::multiply(x, x), small));
        const floats far = simd::subtract(constant(1.0f), exp(polynomial(x, large)));  // 1 - erfc
        const floats result = simd::select(simd::less(x, constant(1.0f)), near, far);
        return keep_nan(v, with_sign(result, sign_bit(v)));
    }
    [[gnu::always_inline]] static floats ramp6(floats v) noexcept {
        return simd::at_most(simd::at_least(simd::add(v, constant(3.0f)), constant(0.0f)), constant(6.0f));
    }
    [[gnu::always_inline]] static floats hsigmoid(floats v) noexcept {
        return simd::multiply(ramp6(v), constant(0.166666667f));  // 1 from v = 3 on
    }
    [[gnu::always_inline]] static floats hswish(floats v) noexcept { return simd::multiply(v, hsigmoid(v)); }
    [[gnu::always_inline]] static floats swish(floats v, floats beta) noexcept {
        return simd::multiply(v, sigmoid_of_number(simd::multiply(beta, v)));  // NaN times a number stays
    }
    [[gnu::always_inline]] static floats gelu_erf(floats v) noexcept {
        // What is missing from max(v, 0) is |v| erfc(|v| / sqrt(2)) / 2; the polynomial is the eighth root of erfc / 2. Beyond 5.6, where less
        // than 1e-7 is missing, nothing is taken off.
        const floats x = absolute(v);
        const float c[] = {-2.958799712e-7f, 7.479527085e-6f,  -6.025749826e-5f, 3.429463322e-5f, 1.504363026e-3f,
                           -6.719562807e-4f, -3.192807734e-2f, -9.145741165e-2f, 9.170039892e-1f};
        floats power = polynomial(x, c);
        power = simd::multiply(power, power);
        power = simd::multiply(power, power);
        power = simd::multiply(power, power);
        const floats missing = simd::select(simd::less(constant(5.6f), x), constant(0.0f), simd::multiply(x, power));
        return keep_nan(v, simd::subtract(simd::at_least(v, constant(-0.0f)), missing));
    }
    [[gnu::always_inline]] static floats gelu_tanh(floats v) noexcept {
        // (1 + tanh(y)) / 2 = sigmoid(2 y), which does not cancel
        const floats cube = simd::multiply(simd::multiply(v, v), v);
        const floats twice = simd::multiply(constant(1.59576912f), simd::fma(cube, constant(0.044715f), v));
        const floats whole = simd::multiply(v, sigmoid(twice));
        return simd::select(simd::less(v, constant(-14.0f)), constant(-0.0f), whole);
    }
    [[gnu::always_inline]] static floats mish(floats v) noexcept {
        // tanh(ln(1 + e)) = (e^2 + 2 e) / (e^2 + 2 e + 2)
        const floats e = exp(simd::at_most(v, constant(20.0f)));
        const floats n = simd::multiply(e, simd::add(e, constant(2.0f)));
        const floats result = simd::multiply(v, simd::divide(n, simd::add(n, constant(2.0f))));
        return keep_nan(v, simd::select(simd::less(constant(20.0f), v), v, result));
    }
    [[gnu::always_inline]] static floats round_away(floats v) noexcept {
        const floats magnitude = absolute(v);
        const floats whole = simd::floor(magnitude);
        const floats rest = simd::subtract(magnitude, whole);
        const floats up = simd::select(simd::less(rest, constant(0.5f)), constant(0.0f), constant(1.0f));
        const floats result =
            simd::select(simd::less(magnitude, constant(8388608.0f)), simd::add(whole, up), magnitude);
        return with_sign(result, sign_bit(v));
    }
    [[gnu::always_inline]] static floats sign(floats v) noexcept {
        const floats positive = simd::select(simd::less(constant(0.0f), v), constant(1.0f), constant(0.0f));
        return simd::select(simd::less(v, constant(0.0f)), constant(-1.0f), positive);
    }

    /// Applies f to `count` numbers in place, `count` a multiple of the vector width.
    template <class Function>
    [[gnu::always_inline]] static void each(float* values, std::int64_t count, Function f) noexcept {
        for (std::int64_t i = 0; i < count; i += simd::width)
            simd::store(values + i, f(simd::load(values + i)));
    }

    /// Replaces `count` numbers by the function of them; `count` is a multiple of the vector width.
    static void apply(unary_function function, float* values, std::int64_t count, float alpha, float beta) noexcept {
        const floats a = constant(alpha);
        const floats b = constant(beta);
        switch (function) {
            case unary_function::sigmoid: each(values, count, [](floats v) { return sigmoid(v); }); break;
            case unary_function::tanh: each(values, count, [](floats v) { return tanh(v); }); break;
            case unary_function::hswish: each(values, count, [](floats v) { return hswish(v); }); break;
            case unary_function::hsigmoid: each(values, count, [](floats v) { return hsigmoid(v); }); break;
            case unary_function::hard_sigmoid:
                each(values, count, [a, b](floats v) {
                    return simd::at_most(simd::at_least(simd::fma(v, a, b), constant(0.0f)), constant(1.0f));
                });
                break;
            case unary_function::gelu_erf: each(values, count, [](floats v) { return gelu_erf(v); }); break;
            case unary_function::gelu_tanh: each(values, count, [](floats v) { return gelu_tanh(v); }); break;
            case unary_function::swish: each(values, count, [a](floats v) { return swish(v, a); }); break;
            case unary_function::mish: each(values, count, [](floats v) { return mish(v); }); break;
            case unary_function::elu:
                each(values, count, [a](floats v) {
                    return simd::select(simd::less(v, constant(0.0f)), simd::multiply(a, expm1(v)), v);
                });
                break;
            case unary_function::selu:
                each(values, count, [a, b](floats v) {
                    const floats negative = simd::multiply(b, simd::multiply(a, expm1(v)));
                    return simd::select(simd::less(constant(0.0f), v), simd::multiply(b, v), negative);
                });
                break;
            case unary_function::softplus: each(values, count, [](floats v) { return softplus(v); }); break;
            case unary_function::softsign:
                each(values, count, [](floats v) { return simd::divide(v, simd::add(constant(1.0f), absolute(v))); });
                break;
            case unary_function::exp: each(values, count, [](floats v) { return exp(v); }); break;
            case unary_function::log: each(values, count, [](floats v) { return log(v); }); break;
            case unary_function::erf: each(values, count, [](floats v) { return erf(v); }); break;
            case unary_function::sqrt: each(values, count, [](floats v) { return simd::sqrt(v); }); break;
            case unary_function::abs: each(values, count, [](floats v) { return absolute(v); }); break;
            case unary_function::negative:
                each(values, count, [](floats v) {
                    return simd::from_bits(simd::add_int(simd::bits(v), simd::broadcast_int(-0x7fffffff - 1)));
                });
                break;
            case unary_function::floor: each(values, count, [](floats v) { return simd::floor(v); }); break;
            case unary_function::ceiling: each(values, count, [](floats v) { return simd::ceiling(v); }); break;
            case unary_function::round_even: each(values, count, [](floats v) { return simd::round_even(v); }); break;
            case unary_function::round_away: each(values, count, [](floats v) { return round_away(v); }); break;
            case unary_function::sign: each(values, count, [](floats v) { return sign(v); }); break;
            case unary_function::reciprocal:
                each(values, count, [](floats v) { return simd::divide(constant(1.0f), v); });
                break;
            case unary_function::square: each(values, count, [](floats v) { return simd::multiply(v, v); }); break;
            case unary_function::cube:
                each(values, count, [](floats v) { return simd::multiply(simd::multiply(v, v), v); });
                break;
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/epilogue.hpp
#ifndef LPT_HOLDS_KERNEL_EPILOGUE_HPP
#define LPT_HOLDS_KERNEL_EPILOGUE_HPP
// From accumulators to memory: scale and bias, post operations, rounding, saturation, store.

namespace lpt::inline LPT_ABI::kernel {

template <class Isa>
    requires vector_lanes<lanes<Isa>>
struct finish {
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    using ints = typename simd::ints;
    static constexpr std::int64_t width = simd::width;

    /// Up to `width` elements from `index` on as floats; lanes past `count` are zero, nothing past them is read.
    [[gnu::always_inline]] static floats load_elements(const void* data, element_kind kind, std::int64_t index,
                                                       std::int64_t count) noexcept {
        const std::int64_t size = bytes_of(kind);
        const unsigned char* from = static_cast<const unsigned char*>(data) + index * size;
        unsigned char whole[width * 4] = {};
        if (count < width) {
            std::memcpy(whole, from, count > 0 ? static_cast<std::size_t>(count * size) : 0);
            from = whole;
        }
        switch (kind) {
            case element_kind::u8: return simd::to_float(simd::load_u8(from));
            case element_kind::i4:
            case element_kind::i8: return simd::to_float(simd::load_i8(reinterpret_cast<const std::int8_t*>(from)));
            case element_kind::i32: return simd::to_float(simd::load_int(reinterpret_cast<const std::int32_t*>(from)));
            case element_kind::f32: break;
        }
        return simd::load(reinterpret_cast<const float*>(from));
    }

    /// The same for u8 or i8 elements, as integers.
    [[gnu::always_inline]] static ints load_bytes(const void* data, element_kind kind, std::int64_t index,
                                                  std::int64_t count) noexcept {
        const unsigned char* from = static_cast<const unsigned char*>(data) + index;
        unsigned char whole[width];
        if (count < width) {
            for (std::int64_t i = 0; i < width; ++i)
                whole[i] = i < count ? from[i] : static_cast<unsigned char>(0);
            from = whole;
        }
        return kind == element_kind::u8 ? simd::load_u8(from)
                                        : simd::load_i8(reinterpret_cast<const std::int8_t*>(from));
    }

    /// The value of an operation at `index`: an array's elements, or one number for all.
    [[gnu::always_inline]] static floats load_or(const float* array, float all, std::int64_t index,
                                                 std::int64_t count) noexcept {
        return array != nullptr ? load_part<Isa>(array + index, count) : simd::broadcast(all);
    }

    /// A post operation with the numbers of one channel as numbers of all.
    static post_operation of_channel(post_operation step, std::int64_t channel) noexcept {
        if (step.per_channel_a != nullptr) step.alpha = step.per_channel_a[channel];
        if (step.per_channel_b != nullptr) step.beta = step.per_channel_b[channel];
        step.per_channel_a = step.per_channel_b = nullptr;
        return step;
    }

    /// v = fma(v, scale, bias) for `columns` channels from `channel` on.
    static void scale_and_shift(const float* scale, float scale_all, const float* shift, float shift_all, float* v,
                                std::int64_t channel, std::int64_t columns) noexcept {
        for (std::int64_t i = 0; i < columns; i += width) {
            const floats a = load_or(scale, scale_all, channel + i, columns - i);
            const floats b = load_or(shift, shift_all, channel + i, columns - i);
            simd::store(v + i, simd::fma(simd::load(v + i), a, b));
        }
    }

    /// Everything after x: `v` holds `columns` (<= finish_columns) values x of row `row` from channel `channel` on, with finite
    /// padding up to a multiple of the width.
    static void row(const epilogue& e, const float* v, std::int64_t row_index, std::int64_t channel,
                    std::int64_t columns, unsigned char* output) noexcept {
        finish_row(e, row_index, channel, columns, output,
                   [v](std::int64_t i) __attribute__((always_inline)) { return simd::load(v + i); });
    }

    /// `rows` rows of `columns` (<= finish_columns) integer accumulators, `stride` apart and readable up to a multiple of the width.
    /// `output` is the address of (row `first_row`, channel `channel`), `output_stride` counts elements.
    static void tile(const epilogue& e, const std::int32_t* sums, std::int64_t stride, std::int64_t rows,
                     std::int64_t first_row, std::int64_t channel, std::int64_t columns, unsigned char* output,
                     std::int64_t output_stride) noexcept {
        const std::int64_t row_bytes = output_stride * bytes_of(e.output_type);
        if (e.output_type == element_kind::i32) {
            for (std::int64_t r = 0; r < rows; ++r)
                std::memcpy(output + r * row_bytes, sums + r * stride,
                            static_cast<std::size_t>(columns) * sizeof(std::int32_t));
        } else if (e.fixed != nullptr) {
            fixed_store<Isa>::tile(e, sums, stride, rows, channel, columns, output, row_bytes);
        } else if (e.post_count == 0 && e.output_type != element_kind::f32) {
            requantize(e, sums, stride, rows, channel, columns, output, row_bytes);
        } else {
            for (std::int64_t r = 0; r < rows; ++r) {
                const std::int32_t* const from = sums + r * stride;
                finish_row(e, first_row + r, channel, columns, output + r * row_bytes,
                           [from](std::int64_t i)
                               __attribute__((always_inline)) { return simd::to_float(simd::load_int(from + i)); });
            }
        }
    }

    /// The same for float accumulators.
    static void tile(const epilogue& e, const float* sums, std::int64_t stride, std::int64_t rows,
                     std::int64_t first_row, std::int64_t channel, std::int64_t columns, unsigned char* output,
                     std::int64_t output_stride) noexcept {
        const std::int64_t row_bytes = output_stride * bytes_of(e.output_type);
        for (std::int64_t r = 0; r < rows; ++r)
            row(e, sums + r * stride, first_row + r, channel, columns, output + r * row_bytes);
    }

    /// Whether sums are stored as they are; those of floats with the sign of their zeros.
    template <bool AreFloats>
    static bool keeps_sums(const epilogue& e) noexcept {
        if (!AreFloats) return e.output_type == element_kind::i32;
        const bool scales = e.scale != nullptr || e.scale_all != 1;
        const bool shifts = e.bias != nullptr || e.bias_all != 0 || !__builtin_signbit(e.bias_all);
        return e.output_type == element_kind::f32 && e.post_count == 0 && !scales && !shifts;
    }

    /// Whether 32-bit sums of channels [begin, end) can become bytes without a clamp before they are rounded: no post operations, and
    /// scales and biases so small that what is rounded fits in 32 bits. `products`: how many a sum has at most, each of two bytes less
    /// their zero points.
    static bool requantizes_directly(const epilogue& e, std::int64_t begin, std::int64_t end,
                                     std::int64_t products) noexcept {
        constexpr float largest_product = 255.0f * 383.0f;
        const float largest_sum = largest_product * static_cast<float>(products);
        const float largest_scale =
            largest_sum < 4294967296.0f ? 1073741824.0f / largest_sum : 0.25f;  // sums are of 32 bits
        const bool bytes = e.output_type == element_kind::u8 || e.output_type == element_kind::i8;
        if (e.fixed != nullptr) return false;
        return e.post_count == 0 && bytes && stays_small(e.scale, e.scale_all, largest_scale, begin, end) &&
               stays_small(e.bias, e.bias_all, 536870912.0f, begin, end);
    }

private:
    /// Whether the magnitudes of all numbers of channels [begin, end) are at most `limit`.
    static bool stays_small(const float* array, float all, float limit, std::int64_t begin, std::int64_t end) noexcept {
        if (array == nullptr) return all >= -limit && all <= limit;
        return greatest_magnitude<Isa>(array + begin, end - begin) <= limit;
    }

    /// A part of a row: `columns` channels are left from `channel` on.
    struct row_part {
        std::int64_t row;
        std::int64_t channel;
        std::int64_t columns;
    };

    /// A row, four vectors at a time, which stay in registers from x to the store. `x(i)` is the vector of x from column i on.
    template <class Values>
    [[gnu::always_inline]] static void finish_row(const epilogue& e, std::int64_t row_index, std::int64_t channel,
                                                  std::int64_t columns, unsigned char* output,
                                                  const Values& x) noexcept {
        const std::int64_t size = bytes_of(e.output_type);
        std::int64_t i = 0;
        for (; i + 4 * width <= columns; i += 4 * width)
            finish_vectors<4, true>(e, {row_index, channel + i, columns - i}, output + i * size,
                                    [&x, i](int j) __attribute__((always_inline)) { return x(i + j * width); });
        for (; i < columns; i += width)
            finish_vectors<1, false>(e, {row_index, channel + i, columns - i}, output + i * size,
                                     [&x, i](int) __attribute__((always_inline)) { return x(i); });
    }

    template <int Count, bool Whole, class Values>
    [[gnu::always_inline]] static void finish_vectors(const epilogue& e, const row_part& at, unsigned char* output,
                                                      const Values& x) noexcept {
        floats v[Count];
#pragma GCC unroll 4
        for (int j = 0; j < Count; ++j)
            v[j] =
                simd::fma(x(j), number<Whole>(e.scale, e.scale_all, at, j), number<Whole>(e.bias, e.bias_all, at, j));
        for (int k = 0; k < e.post_count; ++k)
            apply<Count, Whole>(e.post[k], v, at);
        store<Count, Whole>(e, v, at.columns, output);
    }

    /// The numbers of vector j: an array's elements, or one number for all.
    template <bool Whole>
    [[gnu::always_inline]] static floats number(const float* array, float all, const row_part& at, int j) noexcept {
        if (array == nullptr) return simd::broadcast(all);
        const float* const from = array + at.channel + j * width;
        return Whole ? simd::load(from) : load_part<Isa>(from, at.columns - j * width);
    }
    template <bool Whole>
    [[gnu::always_inline]] static floats residual(const post_operation& step, const row_part& at, int j) noexcept {
        const std::int64_t index = at.row * step.residual_row_stride + at.channel + j * width;
        return load_elements(step.residual, step.residual_type, index, Whole ? width : at.columns - j * width);
    }

    /// One post operation.
    template <int Count, bool Whole>
    [[gnu::always_inline]] static void apply(const post_operation& step, floats (&v)[Count],
                                             const row_part& at) noexcept {
        const floats alpha = simd::broadcast(step.alpha);
        const floats beta = simd::broadcast(step.beta);
        switch (step.kind) {
            case post_kind::clamp:
#pragma GCC unroll 4
                for (int j = 0; j < Count; ++j)
                    v[j] = simd::at_most(simd::at_least(v[j], alpha), beta);
                break;
            case post_kind::prelu:
#pragma GCC unroll 4
                for (int j = 0; j < Count; ++j) {
                    const floats slope = number<Whole>(step.per_channel_a, step.alpha, at, j);
                    v[j] = simd::select(simd::less(v[j], simd::broadcast(0.0f)), simd::multiply(v[j], slope), v[j]);
                }
                break;
            case post_kind::divide:
#pragma GCC unroll 4
                for (int j = 0; j < Count; ++j)
                    v[j] = simd::divide(v[j], number<Whole>(step.per_channel_a, step.alpha, at, j));
                break;
            case post_kind::scale_shift:
#pragma GCC unroll 4
                for (int j = 0; j < Count; ++j) {
                    v[j] = simd::fma(v[j], number<Whole>(step.per_channel_a, step.alpha, at, j),
                                     number<Whole>(step.per_channel_b, step.beta, at, j));
                }
                break;
            case post_kind::add_residual:
#pragma GCC unroll 4
                for (int j = 0; j < Count; ++j)
                    v[j] = simd::fma(residual<Whole>(step, at, j), alpha, v[j]);
                break;
            case post_kind::multiply_residual:
#pragma GCC unroll 4
                for (int j = 0; j < Count; ++j)
                    v[j] = simd::multiply(v[j], simd::fma(residual<Whole>(step, at, j), alpha, beta));
                break;
            case post_kind::unary: {
                alignas(64) float values[Count * width];
#pragma GCC unroll 4
                for (int j = 0; j < Count; ++j)
                    simd::store(values + j * width, v[j]);
                unary<Isa>::apply(step.function, values, Count * width, step.alpha, step.beta);
#pragma GCC unroll 4
                for (int j = 0; j < Count; ++j)
                    v[j] = simd::load(values + j * width);
                break;
            }
        }
    }

    /// Rounds, saturates and stores. `columns` values are left.
    template <int Count, bool Whole>
    [[gnu::always_inline]] static void store(const epilogue& e, const floats (&v)[Count], std::int64_t columns,
                                             unsigned char* output) noexcept {
        if (e.output_type == element_kind::f32) {
            if (Whole || columns >= width) {
#pragma GCC unroll 4
                for (int j = 0; j < Count; ++j)
                    simd::store(reinterpret_cast<float*>(output) + j * width, v[j]);
            } else {
                float tail[width];
                simd::store(tail, v[0]);
                std::memcpy(output, tail, static_cast<std::size_t>(columns) * sizeof(float));
            }
            return;
        }
        const floats low = simd::broadcast(e.quant_low);
        const floats high = simd::broadcast(e.quant_high);
        ints q[Count];
#pragma GCC unroll 4
        for (int j = 0; j < Count; ++j)
            q[j] = simd::round_to_int(simd::at_most(simd::at_least(v[j], low), high));
        if constexpr (Count == 4) {
            if (e.output_type == element_kind::i8)
                simd::template store_bytes<true>(output, q[0], q[1], q[2], q[3]);
            else
                simd::template store_bytes<false>(output, q[0], q[1], q[2], q[3]);
        } else if (columns >= width) {
            simd::store_byte(output, q[0]);
        } else {
            std::uint8_t tail[width];
            simd::store_byte(tail, q[0]);
            copy_few<Isa, width>(output, tail, columns);
        }
    }

    [[gnu::always_inline]] static ints quantized(const std::int32_t* sums, floats scale, floats bias, floats low,
                                                 floats high) noexcept {
        const floats x = simd::to_float(simd::load_int(sums));
        return simd::round_to_int(simd::at_most(simd::at_least(simd::fma(x, scale, bias), low), high));
    }

    /// The case that matters most, without a detour through memory: scale, bias, round, saturate. Columns outermost, so that the
    /// constants of a column stay in registers.
    static void requantize(const epilogue& e, const std::int32_t* sums, std::int64_t stride, std::int64_t rows,
                           std::int64_t channel, std::int64_t columns, unsigned char* output,
                           std::int64_t row_bytes) noexcept {
        std::int64_t i = 0;
        for (; i + 4 * width <= columns; i += 4 * width) {
            if (e.output_type == element_kind::i8)
                requantize_four<true>(e, sums + i, stride, rows, channel + i, output + i, row_bytes);
            else
                requantize_four<false>(e, sums + i, stride, rows, channel + i, output + i, row_bytes);
        }
        const floats low = simd::broadcast(e.quant_low);
        const floats high = simd::broadcast(e.quant_high);
        for (; i < columns; i += width) {
            const std::int64_t count = columns - i;
            const floats scale = load_or(e.scale, e.scale_all, channel + i, count);
            const floats bias = load_or(e.bias, e.bias_all, channel + i, count);
            for (std::int64_t r = 0; r < rows; ++r) {
                const ints q = quantized(sums + r * stride + i, scale, bias, low, high);
                unsigned char* to = output + r * row_bytes + i;
                if (count >= width) {
                    simd::store_byte(to, q);
                } else {
                    std::uint8_t tail[width];
                    simd::store_byte(tail, q);
                    copy_few<Isa, width>(to, tail, count);
                }
            }
        }
    }

    /// Four vectors of columns, which one store takes.
    template <bool Signed>
    static void requantize_four(const epilogue& e, const std::int32_t* sums, std::int64_t stride, std::int64_t rows,
                                std::int64_t channel, unsigned char* output, std::int64_t row_bytes) noexcept {
        const floats low = simd::broadcast(e.quant_low);
        const floats high = simd::broadcast(e.quant_high);
        floats scale[4];
        floats bias[4];
#pragma GCC unroll 4
        for (int v = 0; v < 4; ++v) {
            scale[v] = load_or(e.scale, e.scale_all, channel + v * width, width);
            bias[v] = load_or(e.bias, e.bias_all, channel + v * width, width);
        }
        for (std::int64_t r = 0; r < rows; ++r) {
            const std::int32_t* from = sums + r * stride;
            const ints a = quantized(from, scale[0], bias[0], low, high);
            const ints b = quantized(from + width, scale[1], bias[1], low, high);
            const ints c = quantized(from + 2 * width, scale[2], bias[2], low, high);
            const ints d = quantized(from + 3 * width, scale[3], bias[3], low, high);
            simd::template store_bytes<Signed>(output + r * row_bytes, a, b, c, d);
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/store.hpp
#ifndef LPT_HOLDS_KERNEL_STORE_HPP
#define LPT_HOLDS_KERNEL_STORE_HPP
// What an epilogue does between its scale and its rounding, on the registers of a tile: lists of post operations as types, each
// compiled into the store of the tile, and an interpreter for all other lists.

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
#endif

// ======== lpt/kernel/slot_store.hpp
#ifndef LPT_HOLDS_KERNEL_SLOT_STORE_HPP
#define LPT_HOLDS_KERNEL_SLOT_STORE_HPP
// How sums of channels that do not lie side by side become results: convolutions whose vectors of bytes are put together inside
// 128-bit parts.

namespace lpt::inline LPT_ABI::kernel {

/// Some of the channels of a convolution.
struct channel_span {
    std::int64_t first = 0;
    std::int64_t count = 0;
};

/// Slot order of a block of 4 * lanes channels: slot (vector v, part l, element e) is channel 16 l + 4 v + e, which is the order that
/// packing to bytes takes back.
template <class Isa, dot_products Dot = dot_of_four<Isa>, byte_lanes Simd = lanes<Isa>>
struct slot_store {
    using simd = Simd;
    using floats = typename simd::floats;
    using ints = typename simd::ints;
    using dot = Dot;
    using accumulator = typename dot::accumulator;
    static constexpr std::int64_t block = 4 * dot::lanes;
    static constexpr std::int64_t staged_pixels = 16;  // of a buffer of scaled sums

    /// Place of a channel of a block.
    static std::int64_t slot(std::int64_t channel) noexcept {
        return channel % 16 / 4 * dot::lanes + channel / 16 * 4 + channel % 4;
    }

    /// What holds for a block of channels.
    struct constants {
        std::int64_t channel = 0;
        std::int64_t count = 0;
        bool bytes = false;  // sums go straight to bytes
        bool fixed = false;  // in fixed point
        bool activated = false;  // or through a function and a scale
        bool staged = false;  // or to a buffer, of which `column_store` takes them
        bool limited = false;
        std::int32_t low = 0;
        std::int32_t high = 0;
        alignas(64) std::int32_t start[block];  // of the sums
        alignas(64) float scale[block];
        alignas(64) float bias[block];
        typename simd::fixed_factors factors[4];  // in fixed point, whose bias is in `start`
        std::int32_t offset = 0;
        post_operation function;  // of what is activated, and then:
        alignas(64) float last_scale[block];
        alignas(64) float last_bias[block];
        column_steps steps;
    };

    /// The numbers of an epilogue that hold for all channels.
    static void fill(step_numbers<block>& of_all, const epilogue& e) noexcept {
        if (is_staged(e)) column_store<Isa>::fill(of_all, e);
    }

    /// `sums`: of each slot's weights; `zero_point`: of the image, as the dot product sees its bytes. `copies` is for numbers of the
    /// last block, which may not be whole.
    static void prepare(const epilogue& e, const channel_span& channels, const std::int32_t* sums,
                        std::int32_t zero_point, std::int64_t products, const step_numbers<block>& of_all,
                        step_numbers<block>& copies, constants& to) noexcept {
        to.channel = channels.first;
        to.count = channels.count;
        const ints factor = simd::broadcast_int(static_cast<std::int32_t>(0u - static_cast<std::uint32_t>(zero_point)));
        for (std::int64_t i = 0; i < block; i += simd::width)
            simd::store_int(to.start + i, simd::multiply_int(simd::load_int(sums + i), factor));
        to.fixed = e.fixed != nullptr && e.fixed->shifts;
        to.bytes = to.fixed || finish<Isa>::requantizes_directly(e, to.channel, to.channel + to.count, products);
        to.activated = !to.bytes && is_activation(e);
        to.staged = !to.bytes && !to.activated && is_staged(e);
        if (!to.bytes && !to.activated && !to.staged) return;
        if (to.staged) column_store<Isa>::find(e, of_all, to.channel, to.count, block, copies, to.steps);
        to.low = static_cast<std::int32_t>(e.quant_low);
        to.high = static_cast<std::int32_t>(e.quant_high);
        to.limited = to.high - to.low < 255;
        if (to.fixed) {
            prepare_fixed(*e.fixed, to);
            return;
        }
        put_in_slots<float>(e.scale, e.scale_all, to.channel, to.count, to.scale);
        put_in_slots<float>(e.bias, e.bias_all, to.channel, to.count, to.bias);
        if (to.activated) {
            const bool scales = e.post_count == 2;
            const post_operation& last = e.post[e.post_count - 1];
            to.function = e.post[0];
            put_in_slots<float>(scales ? last.per_channel_a : nullptr, scales ? last.alpha : 1.0f, to.channel, to.count,
                                to.last_scale);
            put_in_slots<float>(scales ? last.per_channel_b : nullptr, scales ? last.beta : -0.0f, to.channel, to.count,
                                to.last_bias);
        }
    }

    static void prepare_fixed(const fixed_point& f, constants& to) noexcept {
        alignas(64) std::int32_t bias[block], multiplier[block], right[block];
        put_in_slots<std::int32_t>(f.bias, 0, to.channel, to.count, bias);
        put_in_slots<std::int32_t>(f.multiplier, 0, to.channel, to.count, multiplier);
        put_in_slots<std::int32_t>(f.right, 0, to.channel, to.count, right);
#pragma GCC unroll 4
        for (int v = 0; v < 4; ++v) {
            const int at = v * dot::lanes;
            simd::store_int(to.start + at, simd::add_int(simd::load_int(to.start + at), simd::load_int(bias + at)));
            to.factors[v] = simd::factors_of(simd::load_int(multiplier + at), simd::load_int(right + at));
        }
        to.offset = f.zero_point;
    }

    /// The sums of `Pixels` pixels side by side, the first of which is `row` of the epilogue; what is staged goes to `staged`.
    template <int Pixels>
    [[gnu::always_inline]] static void store(const convolution_problem& problem, const constants& w,
                                             accumulator (&sum)[Pixels][4], std::int64_t row, float* staged) noexcept {
        const epilogue& e = problem.finish;
        unsigned char* const to = static_cast<unsigned char*>(problem.output) +
                                  (row * problem.output_pixel_stride + w.channel) * bytes_of(e.output_type);
#pragma GCC unroll 4
        for (int p = 0; p < Pixels; ++p) {
#pragma GCC unroll 4
            for (int v = 0; v < 4; ++v)
                dot::settle(sum[p][v]);
        }
        if (w.fixed) {
            store_fixed<Pixels>(w, sum, to, problem.output_pixel_stride);
            return;
        }
        if (w.bytes) {
            store_bytes<Pixels>(w, sum, e.output_type == element_kind::i8, to, problem.output_pixel_stride);
            return;
        }
        alignas(64) std::int32_t slots[Pixels * block];
#pragma GCC unroll 4
        for (int p = 0; p < Pixels; ++p) {
#pragma GCC unroll 4
            for (int v = 0; v < 4; ++v)
                dot::store(slots + p * block + v * dot::lanes, sum[p][v]);
        }
        if (w.activated)
            activate(w, slots, Pixels, e.output_type == element_kind::i8, to, problem.output_pixel_stride);
        else if (w.staged)
            stage(w, slots, Pixels, staged);
        else
            store_others(problem, w, slots, Pixels, row, to);
    }

    /// What was staged of `pixels` pixels from row `row` of the epilogue on.
    static void finish_staged(const convolution_problem& problem, const constants& w, float* staged, std::int64_t row,
                              std::int64_t pixels) noexcept {
        const epilogue& e = problem.finish;
        const std::int64_t element = bytes_of(e.output_type);
        const std::int64_t pixel_bytes = problem.output_pixel_stride * element;
        column_store<Isa>::finish_rows(
            e, w.steps, {row, 1}, pixels, block, staged, w.count,
            static_cast<unsigned char*>(problem.output) + row * pixel_bytes + w.channel * element, pixel_bytes);
    }

private:
    /// A function that most layers have, then at most a scale and a shift, to bytes.
    static bool is_activation(const epilogue& e) noexcept {
        if (e.output_type != element_kind::u8 && e.output_type != element_kind::i8) return false;
        const bool scales = e.post_count == 2 && e.post[1].kind == post_kind::scale_shift;
        if ((e.post_count != 1 && !scales) || e.post[0].kind != post_kind::unary) return false;
        const unary_function f = e.post[0].function;
        return f == unary_function::hswish || f == unary_function::swish || f == unary_function::gelu_erf;
    }

    static bool is_staged(const epilogue& e) noexcept {
        return e.fixed == nullptr && e.output_type != element_kind::i32 && e.post_count <= column_steps::most;
    }

    /// The numbers of a block's channels, or one for all, at the places of the channels; neighbouring four stay side by side.
    template <class Number>
    static void put_in_slots(const Number* array, Number all, std::int64_t channel, std::int64_t count,
                             Number* slots) noexcept {
        if (array == nullptr || count < block) {
            for (std::int64_t i = 0; i < block; ++i)
                slots[i] = all;
        }
        if (array == nullptr) return;
        if constexpr (block == 64) {  // 4 x 4 parts, of which rows become columns
            if (count == block) {
                floats x[4];
#pragma GCC unroll 4
                for (int v = 0; v < 4; ++v)
                    x[v] = simd::load(reinterpret_cast<const float*>(array + channel) + v * dot::lanes);
                simd::order_parts(x);
#pragma GCC unroll 4
                for (int v = 0; v < 4; ++v)
                    simd::store(reinterpret_cast<float*>(slots) + v * dot::lanes, x[v]);
                return;
            }
        }
        std::int64_t c = 0;
        for (; c + 4 <= count; c += 4)
            std::memcpy(slots + slot(c), array + channel + c, 16);
        for (; c < count; ++c)
            slots[slot(c)] = array[channel + c];
    }

    template <int Pixels>
    [[gnu::always_inline]] static void store_bytes(const constants& w, accumulator (&sum)[Pixels][4], bool is_signed,
                                                   unsigned char* to, std::int64_t stride) noexcept {
#pragma GCC unroll 4
        for (int p = 0; p < Pixels; ++p) {
            ints q[4];
#pragma GCC unroll 4
            for (int v = 0; v < 4; ++v) {
                const auto scale = simd::load(w.scale + v * dot::lanes);
                const auto bias = simd::load(w.bias + v * dot::lanes);
                q[v] = simd::round_to_int(simd::fma(simd::to_float(ints(dot::bits(sum[p][v]))), scale, bias));
            }
            store_packed(w, q, is_signed, to + p * stride);
        }
    }

    template <int Pixels>
    [[gnu::always_inline]] static void store_fixed(const constants& w, accumulator (&sum)[Pixels][4], unsigned char* to,
                                                   std::int64_t stride) noexcept {
        const ints offset = simd::broadcast_int(w.offset);
#pragma GCC unroll 4
        for (int p = 0; p < Pixels; ++p) {
            const ints x[4] = {ints(dot::bits(sum[p][0])), ints(dot::bits(sum[p][1])), ints(dot::bits(sum[p][2])),
                               ints(dot::bits(sum[p][3]))};
            ints q[4];
            codes_of<simd>(x, w.factors, offset, q);
            store_packed(w, q, true, to + p * stride);
        }
    }

    /// `slots`: of so many pixels side by side.
    [[gnu::noinline]] static void activate(const constants& w, const std::int32_t* slots, std::int64_t pixels,
                                           bool is_signed, unsigned char* to, std::int64_t stride) noexcept {
        using functions = unary<Isa>;
        using numbers = typename lanes<Isa>::floats;
        const numbers alpha = lanes<Isa>::broadcast(w.function.alpha);
        switch (w.function.function) {
            case unary_function::hswish:
                return activate_by(w, slots, pixels, is_signed, to, stride,
                                   [](numbers v) { return functions::hswish(v); });
            case unary_function::swish:
                return activate_by(w, slots, pixels, is_signed, to, stride,
                                   [alpha](numbers v) { return functions::swish(v, alpha); });
            default:
                return activate_by(w, slots, pixels, is_signed, to, stride,
                                   [](numbers v) { return functions::gelu_erf(v); });
        }
    }
    /// Functions are of vectors of full width, whatever that of a block's vectors is.
    template <class Function>
    [[gnu::always_inline]] static void activate_by(const constants& w, const std::int32_t* slots, std::int64_t pixels,
                                                   bool is_signed, unsigned char* to, std::int64_t stride,
                                                   const Function& f) noexcept {
        using full = lanes<Isa>;
        static_assert(block % full::width == 0);
        const auto low = full::broadcast(static_cast<float>(w.low));
        const auto high = full::broadcast(static_cast<float>(w.high));
        for (std::int64_t p = 0; p < pixels; ++p, slots += block, to += stride) {
            alignas(64) std::int32_t rounded[block];
#pragma GCC unroll 4
            for (int at = 0; at < block; at += full::width) {
                const auto x = full::fma(full::to_float(full::load_int(slots + at)), full::load(w.scale + at),
                                         full::load(w.bias + at));
                const auto last = full::fma(f(x), full::load(w.last_scale + at), full::load(w.last_bias + at));
                full::store_int(rounded + at, full::round_for_packing(last, low, high));
            }
            const ints q[4] = {simd::load_int(rounded), simd::load_int(rounded + dot::lanes),
                               simd::load_int(rounded + 2 * dot::lanes), simd::load_int(rounded + 3 * dot::lanes)};
            store_packed(w, q, is_signed, to);
        }
    }
    [[gnu::always_inline]] static void store_packed(const constants& w, const ints (&q)[4], bool is_signed,
                                                    unsigned char* to) noexcept {
        auto packed = is_signed ? simd::template pack_in_parts<true>(q[0], q[1], q[2], q[3])
                                : simd::template pack_in_parts<false>(q[0], q[1], q[2], q[3]);
        if (w.limited) {
            packed = is_signed ? simd::template limit<true>(packed, w.low, w.high)
                               : simd::template limit<false>(packed, w.low, w.high);
        }
        simd::store_first(to, packed, w.count);
    }

    /// Scaled sums, back in the order of the channels. `slots`: of so many pixels side by side.
    [[gnu::noinline]] static void stage(const constants& w, const std::int32_t* slots, std::int64_t pixels,
                                        float* to) noexcept {
        for (std::int64_t p = 0; p < pixels * block; p += block) {
            floats x[4];
#pragma GCC unroll 4
            for (int v = 0; v < 4; ++v) {
                const int at = v * dot::lanes;
                x[v] = simd::fma(simd::to_float(simd::load_int(slots + p + at)), simd::load(w.scale + at),
                                 simd::load(w.bias + at));
            }
            simd::order_parts(x);
#pragma GCC unroll 4
            for (int v = 0; v < 4; ++v)
                simd::store(to + p + v * dot::lanes, x[v]);
        }
    }

    /// Sums that stay sums, and epilogues of very many steps.
    [[gnu::noinline]] static void store_others(const convolution_problem& problem, const constants& w,
                                               const std::int32_t* slots, std::int64_t pixels, std::int64_t row,
                                               unsigned char* to) noexcept {
        alignas(64) std::int32_t sums[4 * block];
        for (std::int64_t i = 0; i < pixels * block; i += 4)
            std::memcpy(sums + i, slots + i / block * block + slot(i % block), 16);
        finish<Isa>::tile(problem.finish, sums, block, pixels, row, w.channel, w.count, to,
                          problem.output_pixel_stride);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/depthwise_dots.hpp
#ifndef LPT_HOLDS_KERNEL_DEPTHWISE_DOTS_HPP
#define LPT_HOLDS_KERNEL_DEPTHWISE_DOTS_HPP
// Depthwise convolution by dot products of four bytes: the bytes of a channel in four rows of the image lie side by side.

namespace lpt::inline LPT_ABI::kernel {

/// Channels that do not fill the half of a block go through vectors of half the width, where an instruction set specialises this with
/// `exist`, and `dot` and `simd` in the place of its own.
template <class Isa>
struct half_blocks {
    static constexpr bool exist = false;
};

/// Convolution by 3 x 3 taps, where an instruction set specialises this.
template <class Isa>
struct depthwise_3x3 {
    static constexpr bool exists = false;
};

/// The same by 5 x 5 taps.
template <class Isa>
struct depthwise_5x5 {
    static constexpr bool exists = false;
};

/// The dot product of depthwise convolution; an instruction set may specialise this with weights in a form of its own:
///   weight_group    the weights of four rows, of `lanes` channels; `load_weights` reads them and `step` takes them;
///   weight_bytes    bytes of a weight, of which the low one comes first;
///   weight_at       where the weight of a slot and a row lies in a block.
template <class Isa>
struct depthwise_dot : dot_of_four<Isa> {};

/// For weights that, less their zero points, are signed bytes. A window of input rows, a multiple of four, is interleaved once for a
/// block of channels and then serves all taps of a kernel line, and a second output row where the window has that row, too.
/// In memory, after the sums of each channel's weights (int32): [block][output row of the window][four rows][tap of a line][slot][4].
/// Interleaving works inside 128-bit parts, which gives slot order (`slot_store`).
template <class Isa, dot_products Dot = depthwise_dot<Isa>, byte_lanes Simd = lanes<Isa>>
struct depthwise_dots {
    using geometry = convolution_geometry<Isa>;
    using simd = Simd;
    using dot = Dot;
    using accumulator = typename dot::accumulator;
    using slots = slot_store<Isa, Dot, Simd>;
    static constexpr bool exists = dot::group == 4;
    static constexpr std::int64_t block = slots::block;
    static constexpr std::int64_t block_bytes = 4 * block;
    static constexpr bool splits_weights = requires { dot::weight_bytes; };
    static constexpr std::int64_t weight_bytes = [] {
        if constexpr (splits_weights)
            return dot::weight_bytes;
        else
            return std::int64_t{1};
    }();
    static constexpr std::int64_t window_bytes =
        16384;  // of interleaved rows, so that they stay in the L1 cache beside the image's

    static constexpr std::int64_t most_blocks = 16;  // whose constants are kept

    static std::int64_t lines(const convolution_shape& s) noexcept { return s.kernel[0] * s.kernel[1]; }
    static std::int64_t fours(const convolution_shape& s) noexcept { return (lines(s) + 3) / 4; }
    static std::int64_t blocks(const channel_span& channels) noexcept { return (channels.count + block - 1) / block; }

    /// Output rows that a window serves.
    static std::int64_t window_rows(const convolution_shape& s) noexcept {
        const bool two = s.kernel[0] == 1 && s.dilation[1] == 1 && s.kernel[1] + s.stride[1] <= 4 * fours(s);
        return two ? 2 : 1;
    }

    /// Output columns whose windows fit in the buffer; 0 says that this kernel cannot be used.
    static std::int64_t window_columns(const convolution_shape& s) noexcept {
        const std::int64_t columns = window_bytes / (block_bytes * fours(s));
        const std::int64_t first = (s.kernel[2] - 1) * s.dilation[2] + 1;
        return columns < first ? 0 : 1 + (columns - first) / s.stride[2];
    }

    static std::int64_t weights_bytes(const convolution_shape& s) noexcept {
        return window_rows(s) * fours(s) * s.kernel[2] * block_bytes * weight_bytes;
    }
    static std::int64_t packed_bytes(const convolution_shape& s, const channel_span& channels) noexcept {
        return blocks(channels) * (block_bytes + weights_bytes(s));
    }

    static std::int64_t weight_at(std::int64_t slot, std::int64_t row) noexcept {
        if constexpr (splits_weights)
            return dot::weight_at(slot, row);
        else
            return slot * 4 + row;
    }

    /// `value(channel, tap)` is a weight less its zero point. `packed` is zero.
    template <class Value>
    static void pack(const convolution_shape& s, const channel_span& channels, const Value& value,
                     unsigned char* packed) noexcept {
        const std::int64_t width = s.kernel[2];
        for (std::int64_t c = 0; c < channels.count; ++c) {
            const std::int64_t place = slots::slot(c % block);
            unsigned char* const weights = packed + blocks(channels) * block_bytes + c / block * weights_bytes(s);
            std::int32_t sum = 0;
            for (std::int64_t t = 0; t < geometry::taps(s); ++t) {
                const std::int32_t w = value(channels.first + c, t);
                sum += w;
                for (std::int64_t r = 0; r < window_rows(s); ++r) {
                    const std::int64_t row = t / width + r * s.stride[1];
                    const std::int64_t tap = (r * fours(s) + row / 4) * width + t % width;
                    const auto word = static_cast<std::uint16_t>(w & 0xffff);
                    std::memcpy(weights + tap * block_bytes * weight_bytes + weight_at(place, row % 4), &word,
                                weight_bytes);
                }
            }
            std::memcpy(packed + c / block * block_bytes + place * 4, &sum, sizeof sum);
        }
    }

    /// `outside` is a row of zero points, readable for all channels.
    static void run(const convolution_problem& problem, const channel_span& channels, const unsigned char* packed,
                    const unsigned char* outside, const parallel_for& parallel) noexcept {
        const convolution_shape& s = problem.shape;
        if (channels.count == 0) return;
        const std::int64_t pairs = (s.out[1] + window_rows(s) - 1) / window_rows(s);
        split<Isa>(parallel, s.batch * s.out[0] * pairs, 1, [&](std::int64_t begin, std::int64_t end, int) {
            // Blocks of channels inside windows, so that lines of the image are read as wholes.
            state blocks_at_once[most_blocks];
            window_place place;
            place.most_columns = window_columns(s);
            step_numbers<block> of_all, copies;
            slots::fill(of_all, problem.finish);
            for (std::int64_t b = 0; b < blocks(channels); b += most_blocks) {
                const std::int64_t left = blocks(channels) - b;
                const std::int64_t count = left < most_blocks ? left : most_blocks;
                for (std::int64_t k = 0; k < count; ++k)
                    prepare(problem, channels, packed, outside, b + k, of_all, copies, blocks_at_once[k]);
                for (std::int64_t i = begin; i < end; ++i) {
                    find_rows(s, i / pairs, i % pairs * window_rows(s), place);
                    for (std::int64_t k = 0; k < count; ++k)
                        run_window(problem, blocks_at_once[k], place);
                }
            }
        });
    }

private:
    /// What holds for a block of channels.
    struct state {
        const unsigned char* weights = nullptr;
        const unsigned char* outside = nullptr;
        unsigned char flip = 0;
        typename slots::constants finish;
    };

    /// `of_all` has the numbers that hold for all channels, `copies` is for those of the last block, which may not be whole.
    static void prepare(const convolution_problem& problem, const channel_span& channels, const unsigned char* packed,
                        const unsigned char* outside, std::int64_t b, const step_numbers<block>& of_all,
                        step_numbers<block>& copies, state& w) noexcept {
        const convolution_shape& s = problem.shape;
        const std::int64_t left = channels.count - b * block;
        const channel_span own{channels.first + b * block, left < block ? left : block};
        w.weights = packed + blocks(channels) * block_bytes + b * weights_bytes(s);
        w.outside = outside + own.first;
        const bool is_signed = problem.input_type == element_kind::i8;
        w.flip = is_signed == dot::unsigned_rows ? 0x80 : 0;
        const std::int32_t shift = w.flip == 0 ? 0 : dot::unsigned_rows ? 128 : -128;
        const auto* const sums = reinterpret_cast<const std::int32_t*>(packed + b * block_bytes);
        slots::prepare(problem.finish, own, sums, problem.input_zero_point + shift, geometry::taps(s), of_all, copies,
                       w.finish);
    }

    /// A window: where its rows lie.
    struct window_place {
        std::int64_t most_columns = 0;
        std::int64_t output_row = 0;  // counting those of all planes
        std::int64_t output_rows = 0;
        /// Input rows, counting those of all planes; -1: outside, or not needed.
        std::int64_t input_rows[4 * window_bytes / block_bytes];
    };

    /// The window of an output row. `plane` counts the planes of all images.
    static void find_rows(const convolution_shape& s, std::int64_t plane, std::int64_t row,
                          window_place& place) noexcept {
        const bool two = window_rows(s) == 2;
        const std::int64_t left = s.out[1] - row;
        place.output_row = plane * s.out[1] + row;
        place.output_rows = two && left > 1 ? 2 : 1;
        const std::int64_t n = plane / s.out[0];
        const std::int64_t depth = plane % s.out[0] * s.stride[0] - s.pad_begin[0];
        const std::int64_t height = row * s.stride[1] - s.pad_begin[1];
        const std::int64_t lines_of_plane = two ? s.kernel[1] + s.stride[1] : s.kernel[1];
        std::int64_t j = 0;
        for (std::int64_t kd = 0; kd < s.kernel[0]; ++kd) {
            const std::int64_t d = depth + kd * s.dilation[0];
            for (std::int64_t kh = 0; kh < lines_of_plane; ++kh, ++j) {
                const std::int64_t h = height + kh * s.dilation[1];
                const bool inside = d >= 0 && d < s.in[0] && h >= 0 && h < s.in[1];
                place.input_rows[j] = inside ? (n * s.in[0] + d) * s.in[1] + h : -1;
            }
        }
        for (; j < 4 * fours(s); ++j)
            place.input_rows[j] = -1;
    }

    /// The output rows of one window.
    static void run_window(const convolution_problem& problem, const state& w, const window_place& place) noexcept {
        const convolution_shape& s = problem.shape;
        alignas(64) unsigned char window[window_bytes];
        const std::int64_t most = place.most_columns;
        for (std::int64_t first = 0; first < s.out[2]; first += most) {
            const std::int64_t columns = s.out[2] - first < most ? s.out[2] - first : most;
            const std::int64_t wide = (columns - 1) * s.stride[2] + (s.kernel[2] - 1) * s.dilation[2] + 1;
            for (std::int64_t four = 0; four < fours(s); ++four)
                fill(problem, w, place, four, first * s.stride[2] - s.pad_begin[2], wide, window);
            const std::int64_t output_row = place.output_row * s.out[2] + first;
            if (place.output_rows == 2)
                sum_columns<2>(problem, w, window, columns, output_row);
            else
                sum_columns<1>(problem, w, window, columns, output_row);
        }
    }

    /// Interleaves four input rows of a window, `wide` columns from input column `column` on.
    static void fill(const convolution_problem& problem, const state& w, const window_place& place, std::int64_t four,
                     std::int64_t column, std::int64_t wide, unsigned char* window) noexcept {
        const convolution_shape& s = problem.shape;
        const unsigned char* at[4];  // column 0 of each row
        std::int64_t step[4];
        for (std::int64_t j = 0; j < 4; ++j) {
            const std::int64_t input_row = place.input_rows[four * 4 + j];
            at[j] = input_row < 0 ? w.outside
                                  : static_cast<const unsigned char*>(problem.input) +
                                        input_row * s.in[2] * problem.input_pixel_stride + w.finish.channel;
            step[j] = input_row < 0 ? 0 : problem.input_pixel_stride;
        }
        const unsigned char* const outside[4] = {w.outside, w.outside, w.outside, w.outside};
        const std::int64_t channels = w.finish.count;
        const unsigned char flip = w.flip;
        const std::int64_t to_step = fours(s) * block_bytes;
        unsigned char* to = window + four * block_bytes;
        std::int64_t i = 0;
        for (; i < wide && column + i < 0; ++i, to += to_step)
            dot::interleave_block(to, outside, channels, flip);
        for (std::int64_t j = 0; j < 4; ++j)
            at[j] += (column + i) * step[j];
        const std::int64_t end = s.in[2] - column < wide ? s.in[2] - column : wide;
        for (; i < end; ++i, to += to_step) {
            dot::interleave_block(to, at, channels, flip);
            at[0] += step[0];
            at[1] += step[1];
            at[2] += step[2];
            at[3] += step[3];
        }
        for (; i < wide; ++i, to += to_step)
            dot::interleave_block(to, outside, channels, flip);
    }

    /// All columns of a window. As many sums are under way as there are registers for.
    template <int Rows>
    static void sum_columns(const convolution_problem& problem, const state& w, const unsigned char* window,
                            std::int64_t columns, std::int64_t output_row) noexcept {
        constexpr int pixels = (dot::rows * dot::vectors >= 16 ? 4 : 2) / Rows;
        static_assert(slots::staged_pixels % pixels == 0);
        alignas(64) float staged[Rows * slots::staged_pixels * block];
        std::int64_t x = 0;
        std::int64_t first = 0;  // column in the buffer
        const auto finish_to = [&](std::int64_t past) {
            if (!w.finish.staged || (past < columns && past - first < slots::staged_pixels)) return;
            finish_staged<Rows>(problem, w, staged, output_row + first, past - first);
            first = past;
        };
        for (; x + pixels <= columns; x += pixels) {
            sum_pixels<Rows, pixels>(problem, w, window, x, output_row, staged + (x - first) * block);
            finish_to(x + pixels);
        }
        if (x < columns && columns >= pixels && w.finish.bytes) {
            sum_pixels<Rows, pixels>(problem, w, window, columns - pixels, output_row,
                                     staged);  // some of them once more
            return;
        }
        for (; x < columns; ++x) {
            sum_pixels<Rows, 1>(problem, w, window, x, output_row, staged + (x - first) * block);
            finish_to(x + 1);
        }
    }

    /// Settled, so that they are loaded once for all pixels; split ones are operands in memory.
    [[gnu::always_inline]] static auto load_weights(const unsigned char* from) noexcept {
        if constexpr (splits_weights) {
            return dot::load_weights(from);
        } else {
            accumulator settled = reinterpret_cast<accumulator>(dot::load_columns(from));
            dot::settle(settled);
            return reinterpret_cast<typename dot::column_group>(settled);
        }
    }

    /// The scaled sums of `pixels` columns from the row of the epilogue `first` on.
    template <int Rows>
    [[gnu::noinline]] static void finish_staged(const convolution_problem& problem, const state& w, float* staged,
                                                std::int64_t first, std::int64_t pixels) noexcept {
        for (int r = 0; r < Rows; ++r)
            slots::finish_staged(problem, w.finish, staged + r * slots::staged_pixels * block,
                                 first + r * problem.shape.out[2], pixels);
    }

    /// `Pixels` columns of `Rows` output rows, from column `x` on.
    template <int Rows, int Pixels>
    [[gnu::always_inline]] static void sum_pixels(const convolution_problem& problem, const state& w,
                                                  const unsigned char* window, std::int64_t x, std::int64_t output_row,
                                                  float* staged) noexcept {
        constexpr std::int64_t vector_bytes = dot::lanes * 4;
        const convolution_shape& s = problem.shape;
        const std::int64_t width = s.kernel[2];
        const std::int64_t four_count = fours(s);
        const std::int64_t column_bytes = four_count * block_bytes;
        accumulator sum[Rows][Pixels][4];
#pragma GCC unroll 4
        for (int v = 0; v < 4; ++v) {
            const accumulator first = dot::load(w.finish.start + v * dot::lanes);
#pragma GCC unroll 2
            for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
                for (int p = 0; p < Pixels; ++p)
                    sum[r][p][v] = first;
            }
        }
        const unsigned char* weights = w.weights;
        for (std::int64_t four = 0; four < four_count; ++four) {
            const unsigned char* from = window + x * s.stride[2] * column_bytes + four * block_bytes;
            for (std::int64_t k = 0; k < width; ++k) {
#pragma GCC unroll 4
                for (int v = 0; v < 4; ++v) {
                    decltype(load_weights(weights)) weight[Rows];
#pragma GCC unroll 2
                    for (int r = 0; r < Rows; ++r) {
                        const std::int64_t at = r * four_count * width * block_bytes + v * vector_bytes;
                        weight[r] = load_weights(weights + at * weight_bytes);
                    }
#pragma GCC unroll 4
                    for (int p = 0; p < Pixels; ++p) {
                        const auto data = dot::load_columns(from + p * s.stride[2] * column_bytes + v * vector_bytes);
#pragma GCC unroll 2
                        for (int r = 0; r < Rows; ++r)
                            sum[r][p][v] = dot::step(sum[r][p][v], data, weight[r]);
                    }
                }
                weights += block_bytes * weight_bytes;
                from += s.dilation[2] * column_bytes;
            }
        }
#pragma GCC unroll 2
        for (int r = 0; r < Rows; ++r) {
            slots::template store<Pixels>(problem, w.finish, sum[r], output_row + r * s.out[2] + x,
                                          staged + r * slots::staged_pixels * block);
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/avx2/depthwise_dot.hpp
#ifndef LPT_HOLDS_KERNEL_AVX2_DEPTHWISE_DOT_HPP
#define LPT_HOLDS_KERNEL_AVX2_DEPTHWISE_DOT_HPP
// The dot product of depthwise convolution on AVX2: its weights are split into words when they are packed.

#if defined(__AVX2__) && defined(__FMA__)

namespace lpt::inline LPT_ABI::kernel {

template <>
struct depthwise_dot<on::avx2> : dot_product<on::avx2> {
    /// The even and the odd ones of the weights of four rows.
    struct weight_group {
        __m256i even;
        __m256i odd;
    };
    using dot_product<on::avx2>::step;
    static constexpr std::int64_t weight_bytes = 2;
    /// Where the weight of a slot and one of four rows lies in a block.
    static std::int64_t weight_at(std::int64_t slot, std::int64_t row) noexcept {
        return slot / lanes * 64 + row % 2 * 32 + slot % lanes * 4 + row / 2 * 2;
    }
    [[gnu::always_inline]] static weight_group load_weights(const unsigned char* from) noexcept {
        const __m256i* const at = reinterpret_cast<const __m256i*>(from);
        return {_mm256_loadu_si256(at), _mm256_loadu_si256(at + 1)};
    }
    [[gnu::always_inline]] static accumulator step(accumulator sum, __m256i data,
                                                   const weight_group& weights) noexcept {
        const __m256i even = _mm256_and_si256(data, _mm256_set1_epi16(0xff));
        return add(add(sum, _mm256_madd_epi16(even, weights.even)),
                   _mm256_madd_epi16(_mm256_srli_epi16(data, 8), weights.odd));
    }
};

}  // namespace lpt::inline LPT_ABI::kernel

#endif
#endif

// ======== lpt/kernel/xsimd.hpp
#ifndef LPT_HOLDS_KERNEL_XSIMD_HPP
#define LPT_HOLDS_KERNEL_XSIMD_HPP
// The only include of xsimd. Smooths the differences between its versions 8.1 and 14.

namespace lpt::inline LPT_ABI::kernel::detail {

/// The same bits as integers. xsimd 10 changed the template argument from the batch to the element type.
template <class Arch>
[[gnu::always_inline]] inline xsimd::batch<std::int32_t, Arch>
bits_of(const xsimd::batch<float, Arch>& value) noexcept {
#if XSIMD_VERSION_MAJOR >= 10
    return xsimd::bitwise_cast<std::int32_t>(value);
#else
    return xsimd::bitwise_cast<xsimd::batch<std::int32_t, Arch>>(value);
#endif
}

/// The same bits as floats.
template <class Arch>
[[gnu::always_inline]] inline xsimd::batch<float, Arch>
float_of_bits(const xsimd::batch<std::int32_t, Arch>& value) noexcept {
#if XSIMD_VERSION_MAJOR >= 10
    return xsimd::bitwise_cast<float>(value);
#else
    return xsimd::bitwise_cast<xsimd::batch<float, Arch>>(value);
#endif
}

} // namespace lpt::inline LPT_ABI::kernel::detail
#endif

// ======== lpt/kernel/xsimd_lanes.hpp
#ifndef LPT_HOLDS_KERNEL_XSIMD_LANES_HPP
#define LPT_HOLDS_KERNEL_XSIMD_LANES_HPP
// The operations of `lanes` that xsimd has for every instruction set.

namespace lpt::inline LPT_ABI::kernel::detail {

/// `Isa` makes the type, and with it every symbol, one of its own per instruction set, also where two share `Arch`.
template <class Isa, class Arch>
struct xsimd_lanes {
    using arch = Arch;
    using floats = xsimd::batch<float, Arch>;
    using ints = xsimd::batch<std::int32_t, Arch>;
    using mask = xsimd::batch_bool<float, Arch>;
    static constexpr int width = static_cast<int>(floats::size);

    [[gnu::always_inline]] static floats broadcast(float value) noexcept { return floats(value); }
    [[gnu::always_inline]] static ints broadcast_int(std::int32_t value) noexcept { return ints(value); }
    [[gnu::always_inline]] static floats load(const float* from) noexcept { return floats::load_unaligned(from); }
    [[gnu::always_inline]] static ints load_int(const std::int32_t* from) noexcept {
        return ints::load_unaligned(from);
    }
    [[gnu::always_inline]] static void store(float* to, floats value) noexcept { value.store_unaligned(to); }
    [[gnu::always_inline]] static void store_int(std::int32_t* to, ints value) noexcept { value.store_unaligned(to); }

    [[gnu::always_inline]] static floats add(floats a, floats b) noexcept { return a + b; }
    [[gnu::always_inline]] static floats subtract(floats a, floats b) noexcept { return a - b; }
    [[gnu::always_inline]] static floats multiply(floats a, floats b) noexcept { return a * b; }
    [[gnu::always_inline]] static floats divide(floats a, floats b) noexcept { return a / b; }
    [[gnu::always_inline]] static floats sqrt(floats value) noexcept { return xsimd::sqrt(value); }
    [[gnu::always_inline]] static floats floor(floats value) noexcept { return xsimd::floor(value); }
    [[gnu::always_inline]] static floats ceiling(floats value) noexcept { return xsimd::ceil(value); }
    [[gnu::always_inline]] static floats round_even(floats value) noexcept { return xsimd::nearbyint(value); }
    [[gnu::always_inline]] static mask less(floats a, floats b) noexcept { return a < b; }
    [[gnu::always_inline]] static mask equal(floats a, floats b) noexcept { return a == b; }
    [[gnu::always_inline]] static floats select(mask condition, floats yes, floats no) noexcept {
        return xsimd::select(condition, yes, no);
    }

    [[gnu::always_inline]] static floats to_float(ints value) noexcept { return xsimd::to_float(value); }
    [[gnu::always_inline]] static ints round_to_int(floats value) noexcept { return xsimd::nearbyint_as_int(value); }
    [[gnu::always_inline]] static ints bits(floats value) noexcept { return bits_of(value); }
    [[gnu::always_inline]] static floats from_bits(ints value) noexcept { return float_of_bits(value); }
    [[gnu::always_inline]] static ints add_int(ints a, ints b) noexcept { return a + b; }
    [[gnu::always_inline]] static ints subtract_int(ints a, ints b) noexcept { return a - b; }
    [[gnu::always_inline]] static ints multiply_int(ints a, ints b) noexcept { return a * b; }
    [[gnu::always_inline]] static ints max_int(ints a, ints b) noexcept { return xsimd::max(a, b); }
    [[gnu::always_inline]] static ints min_int(ints a, ints b) noexcept { return xsimd::min(a, b); }
    [[gnu::always_inline]] static ints and_int(ints a, ints b) noexcept { return a & b; }
    [[gnu::always_inline]] static ints or_int(ints a, ints b) noexcept { return a | b; }
    [[gnu::always_inline]] static ints shift_left_23(ints value) noexcept { return value << 23; }
    [[gnu::always_inline]] static ints shift_right_23(ints value) noexcept { return value >> 23; }
    [[gnu::always_inline]] static ints shift_right_1(ints value) noexcept { return value >> 1; }
    [[gnu::always_inline]] static ints sign(ints value) noexcept { return value >> 31; }
    [[gnu::always_inline]] static ints shift_left(ints value, int by) noexcept { return value << by; }
};

} // namespace lpt::inline LPT_ABI::kernel::detail
#endif

// ======== lpt/kernel/avx2/lanes.hpp
#ifndef LPT_HOLDS_KERNEL_AVX2_LANES_HPP
#define LPT_HOLDS_KERNEL_AVX2_LANES_HPP
// `lanes` of 8 numbers, for AVX2 with FMA and for the two 256-bit forms of VNNI.

#if defined(__AVX2__) && defined(__FMA__)

#include <immintrin.h>

namespace lpt::inline LPT_ABI::kernel {

namespace detail {

template <class Isa>
struct lanes_256 : xsimd_lanes<Isa, xsimd::fma3<xsimd::avx2>> {
    using base = xsimd_lanes<Isa, xsimd::fma3<xsimd::avx2>>;
    using typename base::floats;
    using typename base::ints;

    [[gnu::always_inline]] static floats fma(floats a, floats b, floats c) noexcept { return _mm256_fmadd_ps(a, b, c); }
    // The second operand is the answer when a comparison with NaN is involved.
    [[gnu::always_inline]] static floats at_least(floats value, floats low) noexcept {
        return _mm256_max_ps(value, low);
    }
    [[gnu::always_inline]] static floats at_most(floats value, floats high) noexcept {
        return _mm256_min_ps(value, high);
    }
    [[gnu::always_inline]] static ints load_u8(const std::uint8_t* from) noexcept {
        return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
    }
    [[gnu::always_inline]] static ints load_i8(const std::int8_t* from) noexcept {
        return _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
    }
    /// 16-bit halves: (low of a, low of b).
    [[gnu::always_inline]] static ints pair(ints a, ints b) noexcept {
        return _mm256_blend_epi16(a, _mm256_slli_epi32(b, 16), 0xaa);
    }
    /// sum + a.low * b.low + a.high * b.high
    [[gnu::always_inline]] static ints multiply_pairs(ints sum, ints a, ints b) noexcept {
        return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
    }
    [[gnu::always_inline]] static ints shift_right(ints value, ints by) noexcept {
        return _mm256_srav_epi32(value, by);
    }
    [[gnu::always_inline]] static ints doubling_high_product(ints a, ints b) noexcept {
        const __m256i half = _mm256_set1_epi64x(std::int64_t{1} << 30);
        const __m256i even = _mm256_add_epi64(_mm256_mul_epi32(a, b), half);
        const __m256i odd =
            _mm256_add_epi64(_mm256_mul_epi32(_mm256_srli_epi64(a, 32), _mm256_srli_epi64(b, 32)), half);
        return _mm256_blend_epi32(_mm256_srli_epi64(even, 31), _mm256_add_epi64(odd, odd), 0xaa);
    }
    /// What is added to the products of the even and odd numbers stands for both roundings.
    struct fixed_factors {
        __m256i even, odd, even_up, odd_up, even_down, odd_down, right;
    };
    [[gnu::always_inline]] static fixed_factors factors_of(ints multiplier, ints right) noexcept {
        const __m256i one = _mm256_set1_epi64x(std::int64_t{1} << 31);
        const __m256i half = _mm256_set1_epi64x(std::int64_t{1} << 30);
        const __m256i even_right = _mm256_and_si256(right, _mm256_set1_epi64x(0xffffffff));
        const __m256i odd_right = _mm256_srli_epi64(right, 32);
        fixed_factors result;
        result.even = multiplier;
        result.odd = _mm256_srli_epi64(multiplier, 32);
        result.even_up = _mm256_add_epi64(_mm256_sllv_epi64(one, even_right), half);
        result.odd_up = _mm256_add_epi64(_mm256_sllv_epi64(one, odd_right), half);
        result.even_down = _mm256_sub_epi64(result.even_up, one);
        result.odd_down = _mm256_sub_epi64(result.odd_up, one);
        result.right = right;
        return result;
    }
    /// With p = x * multiplier that is floor((p + 2^30 + 2^(31 + right) - (p < 0 ? 2^31 : 0)) / 2^(32 + right)): floors of quotients by
    /// powers of two follow each other without a change, and where p < 0 but h = 0 both give 0. 64 bits hold the sum.
    [[gnu::always_inline]] static ints rounded_twice(ints x, const fixed_factors& by) noexcept {
        const __m256i even = _mm256_mul_epi32(x, by.even);
        const __m256i odd = _mm256_mul_epi32(_mm256_srli_epi64(x, 32), by.odd);
        const __m256i even_sum = _mm256_add_epi64(even, by_sign(even, by.even_up, by.even_down));
        const __m256i odd_sum = _mm256_add_epi64(odd, by_sign(odd, by.odd_up, by.odd_down));
        return _mm256_srav_epi32(_mm256_blend_epi32(_mm256_srli_epi64(even_sum, 32), odd_sum, 0xaa), by.right);
    }
    /// Numbers of 64 bits: `negative` where `value` is.
    [[gnu::always_inline]] static __m256i by_sign(__m256i value, __m256i other, __m256i negative) noexcept {
        return _mm256_castpd_si256(
            _mm256_blendv_pd(_mm256_castsi256_pd(other), _mm256_castsi256_pd(negative), _mm256_castsi256_pd(value)));
    }
    [[gnu::always_inline]] static __m128i rounded_products(__m128i value, const double* by) noexcept {
        const __m256d sign_bit = _mm256_set1_pd(-0.0), most = _mm256_set1_pd(1073741824.0);
        const __m256d product = _mm256_mul_pd(_mm256_cvtepi32_pd(value), _mm256_loadu_pd(by));
        const __m256d half = _mm256_or_pd(_mm256_and_pd(product, sign_bit), _mm256_set1_pd(0.49999999999999994));
        const __m256d limited = _mm256_min_pd(_mm256_add_pd(product, half), most);
        return _mm256_cvttpd_epi32(_mm256_max_pd(limited, _mm256_or_pd(most, sign_bit)));
    }
    [[gnu::always_inline]] static ints rounded_products(ints value, const double* by) noexcept {
        const __m256i all = value;
        return _mm256_setr_m128i(rounded_products(_mm256_castsi256_si128(all), by),
                                 rounded_products(_mm256_extracti128_si256(all, 1), by + 4));
    }
    using bytes = __m256i;
    /// The numbers of four vectors as bytes, saturated to i8 (`Signed`) or u8, in the order in which packing inside 128-bit halves
    /// leaves them: blocks of 4 bytes a0 b0 c0 d0 a1 b1 c1 d1.
    template <bool Signed>
    [[gnu::always_inline]] static bytes pack_in_parts(ints a, ints b, ints c, ints d) noexcept {
        const __m256i low = _mm256_packs_epi32(a, b);
        const __m256i high = _mm256_packs_epi32(c, d);
        return Signed ? _mm256_packs_epi16(low, high) : _mm256_packus_epi16(low, high);
    }
    /// The same in the order of the vectors.
    template <bool Signed>
    [[gnu::always_inline]] static bytes pack(ints a, ints b, ints c, ints d) noexcept {
        const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
        return _mm256_permutevar8x32_epi32(pack_in_parts<Signed>(a, b, c, d), order);
    }
    /// Four vectors whose bytes `pack_in_parts` would leave in order, in that order themselves.
    [[gnu::always_inline]] static void order_parts(floats (&x)[4]) noexcept {
        const __m256 low01 = _mm256_permute2f128_ps(x[0], x[1], 0x20),
                     high01 = _mm256_permute2f128_ps(x[0], x[1], 0x31);
        const __m256 low23 = _mm256_permute2f128_ps(x[2], x[3], 0x20),
                     high23 = _mm256_permute2f128_ps(x[2], x[3], 0x31);
        x[0] = low01;
        x[1] = low23;
        x[2] = high01;
        x[3] = high23;
    }
    /// Rounds for packing with saturation: what is below all bytes stays so, NaN is; `high` and `low` are what bytes are limited to.
    [[gnu::always_inline]] static ints round_for_packing(floats value, floats, floats high) noexcept {
        // The second operand is the answer for NaN; what does not fit in 32 bits becomes the lowest integer.
        return _mm256_cvtps_epi32(_mm256_min_ps(high, value));
    }
    static constexpr int stream_alignment = 32;
    /// Stores past the caches.
    [[gnu::always_inline]] static void stream(float* to, floats value) noexcept { _mm256_stream_ps(to, value); }
    [[gnu::always_inline]] static void stream_bytes(std::uint8_t* to, bytes value) noexcept {
        _mm256_stream_si256(reinterpret_cast<__m256i*>(to), value);
    }
    /// Other threads see what was streamed before whatever is stored from here on.
    [[gnu::always_inline]] static void end_stream() noexcept { _mm_sfence(); }
    /// Stores the first `count` (<= 32) of packed bytes.
    [[gnu::always_inline]] static void store_first(std::uint8_t* to, bytes value, std::int64_t count) noexcept {
        if (count == 32) {
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), value);
            return;
        }
        unsigned char whole[32];
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(whole), value);
        copy_few<Isa, 32>(to, whole, count);
    }
    /// Limits packed bytes to [low, high].
    template <bool Signed>
    [[gnu::always_inline]] static bytes limit(bytes value, std::int32_t low, std::int32_t high) noexcept {
        const __m256i from = _mm256_set1_epi8(static_cast<char>(low));
        const __m256i to = _mm256_set1_epi8(static_cast<char>(high));
        return Signed ? _mm256_min_epi8(_mm256_max_epi8(value, from), to)
                      : _mm256_min_epu8(_mm256_max_epu8(value, from), to);
    }
    /// Stores the first `count` (<= Size) bytes of the piece of packed bytes at [First, First + Size).
    template <int First, int Size>
    [[gnu::always_inline]] static void store_piece(std::uint8_t* to, bytes value, std::int64_t count) noexcept {
        const __m128i half = First < 16 ? _mm256_castsi256_si128(value) : _mm256_extracti128_si256(value, 1);
        const __m128i piece = First % 16 == 0 ? half : _mm_srli_si128(half, First % 16);
        if (count == Size) {
            if constexpr (Size == 16)
                _mm_storeu_si128(reinterpret_cast<__m128i*>(to), piece);
            else
                _mm_storel_epi64(reinterpret_cast<__m128i*>(to), piece);
        } else {
            store_few(to, piece, count);
        }
    }
    /// Stores the first `count` (< 16) bytes.
    [[gnu::noinline]] static void store_few(std::uint8_t* to, __m128i value, std::int64_t count) noexcept {
        unsigned char whole[16];
        _mm_storeu_si128(reinterpret_cast<__m128i*>(whole), value);
        copy_few<Isa, 16>(to, whole, count);
    }
    template <bool Signed>
    [[gnu::always_inline]] static void store_bytes(std::uint8_t* to, ints a, ints b, ints c, ints d) noexcept {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), pack<Signed>(a, b, c, d));
    }
    /// A table of 256 bytes is 16 rows of 16: shuffles look up the low four bits in each, the high ones choose the row, bit by bit.
    [[gnu::always_inline]] static std::int64_t look_up(const std::uint8_t* table, const std::uint8_t* from,
                                                       std::uint8_t* to, std::int64_t count) noexcept {
        __m256i row[16];
#pragma GCC unroll 16
        for (int k = 0; k < 16; ++k)
            row[k] = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table + 16 * k)));
        std::int64_t i = 0;
        for (; i + 32 <= count; i += 32) {
            const __m256i at = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i));
            const __m256i low = _mm256_and_si256(at, _mm256_set1_epi8(15));
            // The highest bit of a byte is what chooses.
            const __m256i high[4] = {_mm256_slli_epi16(at, 3), _mm256_slli_epi16(at, 2), _mm256_slli_epi16(at, 1), at};
            __m256i found[16];
#pragma GCC unroll 16
            for (int k = 0; k < 16; ++k)
                found[k] = _mm256_shuffle_epi8(row[k], low);
#pragma GCC unroll 4
            for (int bit = 0; bit < 4; ++bit) {
#pragma GCC unroll 8
                for (int k = 0; k < 8 >> bit; ++k)
                    found[k] = _mm256_blendv_epi8(found[2 * k], found[2 * k + 1], high[bit]);
            }
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), found[0]);
        }
        return i;
    }
    /// Sum of `count` unsigned bytes after flipping the bits of `flip` in each.
    [[gnu::always_inline]] static std::uint32_t sum_bytes(const unsigned char* from, std::int64_t count,
                                                          unsigned char flip) noexcept {
        const __m256i mask = _mm256_set1_epi8(static_cast<char>(flip));
        __m256i sum = _mm256_setzero_si256();
        std::int64_t i = 0;
        for (; i + 32 <= count; i += 32) {
            const __m256i value = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i));
            sum = _mm256_add_epi64(sum, _mm256_sad_epu8(_mm256_xor_si256(value, mask), _mm256_setzero_si256()));
        }
        std::uint64_t parts[4];
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(parts), sum);
        std::uint64_t total = parts[0] + parts[1] + parts[2] + parts[3];
        for (; i < count; ++i)
            total += static_cast<std::uint64_t>(from[i] ^ flip);
        return static_cast<std::uint32_t>(total);
    }
    [[gnu::always_inline]] static void store_byte(std::uint8_t* to, ints value) noexcept {
        const __m256i low_bytes = _mm256_and_si256(value, _mm256_set1_epi32(0xff));
        const __m128i words =
            _mm_packs_epi32(_mm256_castsi256_si128(low_bytes), _mm256_extracti128_si256(low_bytes, 1));
        _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_packus_epi16(words, words));
    }
};

}  // namespace detail

template <>
struct lanes<on::avx2> : detail::lanes_256<on::avx2> {};
template <>
struct lanes<on::avx_vnni> : detail::lanes_256<on::avx_vnni> {};
template <>
struct lanes<on::avx512_vnni_256> : detail::lanes_256<on::avx512_vnni_256> {};

}  // namespace lpt::inline LPT_ABI::kernel

#endif
#endif

// ======== lpt/kernel/avx512_vnni/dot.hpp
#ifndef LPT_HOLDS_KERNEL_AVX512_VNNI_DOT_HPP
#define LPT_HOLDS_KERNEL_AVX512_VNNI_DOT_HPP
// The 4-element dot product of unsigned rows and signed columns in 512 bits.

#if defined(__AVX512VNNI__)

#include <immintrin.h>

namespace lpt::inline LPT_ABI::kernel {

template <>
struct dot_product<on::avx512_vnni> : detail::interleave_four<on::avx512_vnni> {
    typedef int accumulator __attribute__((vector_size(64)));
    using row_group = __m512i;
    using column_group = __m512i;
    static constexpr std::int64_t group = 4;
    static constexpr int lanes = 16;
    static constexpr int rows = 6;  // 24 accumulators, 4 column registers, 1 row register
    static constexpr int vectors = 4;
    static constexpr bool unsigned_rows = true;
    static constexpr bool either_sign = false;

    [[gnu::always_inline]] static accumulator load(const std::int32_t* from) noexcept {
        return reinterpret_cast<accumulator>(_mm512_loadu_si512(from));
    }
    [[gnu::always_inline]] static void store(std::int32_t* to, accumulator value) noexcept {
        _mm512_storeu_si512(to, reinterpret_cast<__m512i>(value));
    }
    [[gnu::always_inline]] static void settle(accumulator& sum) noexcept { __asm__("" : "+v"(sum)); }
    [[gnu::always_inline]] static __m512i bits(accumulator value) noexcept { return reinterpret_cast<__m512i>(value); }
    [[gnu::always_inline]] static column_group load_columns(const unsigned char* from) noexcept {
        return _mm512_loadu_si512(from);
    }
    /// A register, which each row reads, not memory: g++ would load it again for each of two or three rows.
    [[gnu::always_inline]] static void keep(column_group& columns) noexcept { __asm__("" : "+v"(columns)); }
    template <bool High>
    [[gnu::always_inline]] static column_group load_halves(const unsigned char* from) noexcept {
        const __m512i bytes = _mm512_loadu_si512(from);
        return _mm512_and_si512(High ? _mm512_srli_epi16(bytes, 4) : bytes, _mm512_set1_epi8(15));
    }
    [[gnu::always_inline]] static row_group load_row(const unsigned char* from) noexcept {
        int four;
        __builtin_memcpy(&four, from, sizeof four);
        return _mm512_set1_epi32(four);
    }
    [[gnu::always_inline]] static accumulator step(accumulator sum, row_group row, column_group column) noexcept {
        return reinterpret_cast<accumulator>(_mm512_dpbusd_epi32(reinterpret_cast<__m512i>(sum), row, column));
    }
    [[gnu::always_inline]] static void interleave_block(unsigned char* to, const unsigned char* const (&lines)[4],
                                                        std::int64_t count, unsigned char flip) noexcept {
        const __mmask64 inside = count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
        __m512i line[4];
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j)
            line[j] = _mm512_maskz_loadu_epi8(inside, lines[j]);
        if (flip != 0) {
#pragma GCC unroll 4
            for (int j = 0; j < 4; ++j)
                line[j] = _mm512_xor_si512(line[j], _mm512_set1_epi8(static_cast<char>(flip)));
        }
        __m512i mixed[4];
        interleave_lines(line, mixed);
#pragma GCC unroll 4
        for (int v = 0; v < 4; ++v)
            _mm512_storeu_si512(to + v * 64, mixed[v]);
    }
    /// The bytes of four vectors, one of each side by side; inside 128-bit parts, so vector v, part l has bytes 4 v to 4 v + 3 of part l.
    [[gnu::always_inline]] static void interleave_lines(const __m512i (&line)[4], __m512i (&mixed)[4]) noexcept {
        const __m512i low01 = _mm512_unpacklo_epi8(line[0], line[1]);
        const __m512i high01 = _mm512_unpackhi_epi8(line[0], line[1]);
        const __m512i low23 = _mm512_unpacklo_epi8(line[2], line[3]);
        const __m512i high23 = _mm512_unpackhi_epi8(line[2], line[3]);
        mixed[0] = _mm512_unpacklo_epi16(low01, low23);
        mixed[1] = _mm512_unpackhi_epi16(low01, low23);
        mixed[2] = _mm512_unpacklo_epi16(high01, high23);
        mixed[3] = _mm512_unpackhi_epi16(high01, high23);
    }
    [[gnu::always_inline]] static void prepare_rows(unsigned char* to, const unsigned char* from, std::int64_t count,
                                                    bool is_signed) noexcept {
        const __m512i top_bits = _mm512_set1_epi8(static_cast<char>(is_signed ? -128 : 0));
        std::int64_t i = 0;
        for (; i + 64 <= count; i += 64)
            _mm512_storeu_si512(to + i, _mm512_xor_si512(_mm512_loadu_si512(from + i), top_bits));
        if (i < count) {
            const __mmask64 rest = (std::uint64_t{1} << (count - i)) - 1;
            const __mmask16 groups = static_cast<__mmask16>((std::uint32_t{1} << ((count - i + 3) / 4)) - 1);
            const __m512i last = _mm512_xor_si512(_mm512_maskz_loadu_epi8(rest, from + i), top_bits);
            _mm512_mask_storeu_epi32(to + i, groups, last);
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel

#endif
#endif

// ======== lpt/kernel/avx512_vnni/lanes.hpp
#ifndef LPT_HOLDS_KERNEL_AVX512_VNNI_LANES_HPP
#define LPT_HOLDS_KERNEL_AVX512_VNNI_LANES_HPP
// `lanes` of 16 numbers, for AVX-512.

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__)

#include <immintrin.h>

namespace lpt::inline LPT_ABI::kernel {

template <>
struct lanes<on::avx512_vnni> : detail::xsimd_lanes<on::avx512_vnni, xsimd::avx512bw> {
    // xsimd 8 to 10 have no fused multiply-add for AVX-512 and would round twice.
    [[gnu::always_inline]] static floats fma(floats a, floats b, floats c) noexcept { return _mm512_fmadd_ps(a, b, c); }
    [[gnu::always_inline]] static floats at_least(floats value, floats low) noexcept {
        return _mm512_max_ps(value, low);
    }
    [[gnu::always_inline]] static floats at_most(floats value, floats high) noexcept {
        return _mm512_min_ps(value, high);
    }
    [[gnu::always_inline]] static ints load_u8(const std::uint8_t* from) noexcept {
        return _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
    }
    [[gnu::always_inline]] static ints load_i8(const std::int8_t* from) noexcept {
        return _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
    }
    /// The first `count` (< 16) numbers, the rest zero; nothing past them is read.
    [[gnu::always_inline]] static floats load_first(const float* from, std::int64_t count) noexcept {
        return _mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << count) - 1u), from);
    }
    template <bool Signed>
    [[gnu::always_inline]] static ints load_first_bytes(const unsigned char* from, std::int64_t count) noexcept {
        const __m128i bytes = _mm_maskz_loadu_epi8(static_cast<__mmask16>((1u << count) - 1u), from);
        return Signed ? _mm512_cvtepi8_epi32(bytes) : _mm512_cvtepu8_epi32(bytes);
    }
    /// table[index mod 16]
    [[gnu::always_inline]] static floats look_up_16(floats table, ints index) noexcept {
        return _mm512_permutexvar_ps(index, table);
    }
    /// 16-bit halves: (low of a, low of b).
    [[gnu::always_inline]] static ints pair(ints a, ints b) noexcept {
        return _mm512_mask_blend_epi16(0xaaaaaaaau, a, _mm512_slli_epi32(b, 16));
    }
    /// sum + a.low * b.low + a.high * b.high
    [[gnu::always_inline]] static ints multiply_pairs(ints sum, ints a, ints b) noexcept {
        return _mm512_add_epi32(sum, _mm512_madd_epi16(a, b));
    }
    [[gnu::always_inline]] static ints shift_right(ints value, ints by) noexcept {
        return _mm512_srav_epi32(value, by);
    }
    [[gnu::always_inline]] static ints doubling_high_product(ints a, ints b) noexcept {
        const __m512i half = _mm512_set1_epi64(std::int64_t{1} << 30);
        const __m512i even = _mm512_add_epi64(_mm512_mul_epi32(a, b), half);
        const __m512i odd =
            _mm512_add_epi64(_mm512_mul_epi32(_mm512_srli_epi64(a, 32), _mm512_srli_epi64(b, 32)), half);
        return _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 31), _mm512_add_epi64(odd, odd));
    }
    struct fixed_factors {
        __m512i multiplier, right;
        __m512 scale;  // multiplier / 2^(32 + right)
        __m512 half_step;  // half of what one step of h is worth: 1 / 2^(2 + right)
    };
    [[gnu::always_inline]] static fixed_factors factors_of(ints multiplier, ints right) noexcept {
        const __m512 down = _mm512_cvtepi32_ps(_mm512_sub_epi32(_mm512_set1_epi32(-2), right));
        fixed_factors result;
        result.multiplier = multiplier;
        result.right = right;
        result.scale = _mm512_scalef_ps(_mm512_cvtepi32_ps(multiplier), _mm512_sub_ps(down, _mm512_set1_ps(30)));
        result.half_step = _mm512_scalef_ps(_mm512_set1_ps(1), down);
        return result;
    }
    /// As in `lanes_256`.
    [[gnu::always_inline]] static ints rounded_twice(ints x, const fixed_factors& by) noexcept {
        const __m512i one = _mm512_set1_epi64(std::int64_t{1} << 31);
        const __m512i half = _mm512_set1_epi64(std::int64_t{1} << 30);
        const __m512i even_right = _mm512_and_si512(by.right, _mm512_set1_epi64(0xffffffff));
        const __m512i odd_right = _mm512_srli_epi64(by.right, 32);
        const __m512i even = _mm512_mul_epi32(x, by.multiplier);
        const __m512i odd = _mm512_mul_epi32(_mm512_srli_epi64(x, 32), _mm512_srli_epi64(by.multiplier, 32));
        const __m512i even_sum = sum_by_sign(even, _mm512_add_epi64(_mm512_sllv_epi64(one, even_right), half));
        const __m512i odd_sum = sum_by_sign(odd, _mm512_add_epi64(_mm512_sllv_epi64(one, odd_right), half));
        const __m512i high = _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even_sum, 32), odd_sum);
        return _mm512_srav_epi32(high, by.right);
    }
    /// Numbers of 64 bits: the sum, less 2^31 where `value` is negative.
    [[gnu::always_inline]] static __m512i sum_by_sign(__m512i value, __m512i other) noexcept {
        const __m512i sum = _mm512_add_epi64(value, other);
        const __mmask8 negative = _mm512_cmplt_epi64_mask(value, _mm512_setzero_si512());
        return _mm512_mask_sub_epi64(sum, negative, sum, _mm512_set1_epi64(std::int64_t{1} << 31));
    }
    /// `magnitude` with the sign of `value`; it has none itself.
    [[gnu::always_inline]] static floats with_sign_of(floats magnitude, floats value) noexcept {
        const __m512i bits = _mm512_castps_si512(magnitude), of = _mm512_castps_si512(value);
        constexpr int a_or_b_and_c = 0xf8;
        return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(bits, of, _mm512_set1_epi32(INT32_MIN), a_or_b_and_c));
    }
    /// The next integers; `farthest` becomes the distance to these where it is less.
    [[gnu::always_inline]] static ints round_noting(floats value, floats& farthest) noexcept {
        constexpr int to_nearest = 8, largest_magnitude = 11;
        farthest = _mm512_range_ps(farthest, _mm512_reduce_ps(value, to_nearest), largest_magnitude);
        return _mm512_cvtps_epi32(value);
    }
    [[gnu::always_inline]] static bool all_below(floats value, floats limit) noexcept {
        return _mm512_cmp_ps_mask(value, limit, _CMP_NLT_UQ) == 0;
    }
    [[gnu::always_inline]] static __m256i rounded_products(__m256i value, const double* by) noexcept {
        const __m512d sign_bit = _mm512_set1_pd(-0.0), most = _mm512_set1_pd(1073741824.0);
        const __m512d product = _mm512_mul_pd(_mm512_cvtepi32_pd(value), _mm512_loadu_pd(by));
        const __m512d half = _mm512_or_pd(_mm512_and_pd(product, sign_bit), _mm512_set1_pd(0.49999999999999994));
        const __m512d limited = _mm512_min_pd(_mm512_add_pd(product, half), most);
        return _mm512_cvttpd_epi32(_mm512_max_pd(limited, _mm512_or_pd(most, sign_bit)));
    }
    [[gnu::always_inline]] static ints rounded_products(ints value, const double* by) noexcept {
        const __m512i all = value;
        const __m256i low = rounded_products(_mm512_castsi512_si256(all), by);
        return _mm512_inserti64x4(_mm512_castsi256_si512(low),
                                  rounded_products(_mm512_extracti64x4_epi64(all, 1), by + 8), 1);
    }
    using bytes = __m512i;
    /// The numbers of four vectors as bytes, saturated to i8 (`Signed`) or u8, in the order in which packing inside 128-bit quarters
    /// leaves them: blocks of 4 bytes a0 b0 c0 d0 a1 b1 c1 d1 a2 ... d3.
    template <bool Signed>
    [[gnu::always_inline]] static bytes pack_in_parts(ints a, ints b, ints c, ints d) noexcept {
        const __m512i low = _mm512_packs_epi32(a, b);
        const __m512i high = _mm512_packs_epi32(c, d);
        return Signed ? _mm512_packs_epi16(low, high) : _mm512_packus_epi16(low, high);
    }
    /// The same in the order of the vectors.
    template <bool Signed>
    [[gnu::always_inline]] static bytes pack(ints a, ints b, ints c, ints d) noexcept {
        const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
        return _mm512_permutexvar_epi32(order, pack_in_parts<Signed>(a, b, c, d));
    }
    /// Four vectors whose bytes `pack_in_parts` would leave in order, in that order themselves.
    [[gnu::always_inline]] static void order_parts(floats (&x)[4]) noexcept {
        const __m512 even01 = _mm512_shuffle_f32x4(x[0], x[1], 0x88), odd01 = _mm512_shuffle_f32x4(x[0], x[1], 0xdd);
        const __m512 even23 = _mm512_shuffle_f32x4(x[2], x[3], 0x88), odd23 = _mm512_shuffle_f32x4(x[2], x[3], 0xdd);
        x[0] = _mm512_shuffle_f32x4(even01, even23, 0x88);
        x[1] = _mm512_shuffle_f32x4(odd01, odd23, 0x88);
        x[2] = _mm512_shuffle_f32x4(even01, even23, 0xdd);
        x[3] = _mm512_shuffle_f32x4(odd01, odd23, 0xdd);
    }
    /// Rounds for packing with saturation: what is below all bytes stays so, NaN is; `high` and `low` are what bytes are limited to.
    [[gnu::always_inline]] static ints round_for_packing(floats value, floats, floats high) noexcept {
        // The second operand is the answer for NaN; what does not fit in 32 bits becomes the lowest integer.
        return _mm512_cvtps_epi32(_mm512_min_ps(high, value));
    }
    static constexpr int stream_alignment = 64;
    /// Stores past the caches.
    [[gnu::always_inline]] static void stream(float* to, floats value) noexcept { _mm512_stream_ps(to, value); }
    [[gnu::always_inline]] static void stream_bytes(std::uint8_t* to, bytes value) noexcept {
        _mm512_stream_si512(reinterpret_cast<__m512i*>(to), value);
    }
    /// Other threads see what was streamed before whatever is stored from here on.
    [[gnu::always_inline]] static void end_stream() noexcept { _mm_sfence(); }
    /// Stores the first `count` (<= 64) of packed bytes.
    [[gnu::always_inline]] static void store_first(std::uint8_t* to, bytes value, std::int64_t count) noexcept {
        store_piece<0, 64>(to, value, count);
    }
    /// Limits packed bytes to [low, high].
    template <bool Signed>
    [[gnu::always_inline]] static bytes limit(bytes value, std::int32_t low, std::int32_t high) noexcept {
        const __m512i from = _mm512_set1_epi8(static_cast<char>(low));
        const __m512i to = _mm512_set1_epi8(static_cast<char>(high));
        return Signed ? _mm512_min_epi8(_mm512_max_epi8(value, from), to)
                      : _mm512_min_epu8(_mm512_max_epu8(value, from), to);
    }
    /// Stores the first `count` (<= Size) bytes of the piece of packed bytes at [First, First + Size).
    template <int First, int Size>
    [[gnu::always_inline]] static void store_piece(std::uint8_t* to, bytes value, std::int64_t count) noexcept {
        if constexpr (Size == 16) {
            const __m128i piece = _mm512_extracti32x4_epi32(value, First / 16);
            if (count == 16)
                _mm_storeu_si128(reinterpret_cast<__m128i*>(to), piece);
            else
                _mm_mask_storeu_epi8(to, static_cast<__mmask16>((1u << count) - 1u), piece);
        } else if constexpr (Size == 32) {
            const __m256i piece = _mm512_extracti32x8_epi32(value, First / 32);
            if (count == 32)
                _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), piece);
            else
                _mm256_mask_storeu_epi8(to, (1u << count) - 1u, piece);
        } else if (count == 64) {
            _mm512_storeu_si512(to, value);
        } else {
            _mm512_mask_storeu_epi8(to, (std::uint64_t{1} << count) - 1u, value);
        }
    }
    /// The same for the numbers of four vectors, which are all in the range of i8 (`Signed`) or u8.
    template <bool Signed>
    [[gnu::always_inline]] static void store_bytes(std::uint8_t* to, ints a, ints b, ints c, ints d) noexcept {
        _mm512_storeu_si512(to, pack<Signed>(a, b, c, d));
    }
    /// A table of 256 bytes is 16 rows of 16: shuffles look up the low four bits in each, the high ones choose the row, bit by bit.
    [[gnu::always_inline]] static std::int64_t look_up(const std::uint8_t* table, const std::uint8_t* from,
                                                       std::uint8_t* to, std::int64_t count) noexcept {
        __m512i row[16];
#pragma GCC unroll 16
        for (int k = 0; k < 16; ++k)
            row[k] = _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table + 16 * k)));
        std::int64_t i = 0;
        for (; i + 64 <= count; i += 64) {
            const __m512i at = _mm512_loadu_si512(from + i);
            const __m512i low = _mm512_and_si512(at, _mm512_set1_epi8(15));
            const __mmask64 high[4] = {_mm512_test_epi8_mask(at, _mm512_set1_epi8(16)),
                                       _mm512_test_epi8_mask(at, _mm512_set1_epi8(32)),
                                       _mm512_test_epi8_mask(at, _mm512_set1_epi8(64)), _mm512_movepi8_mask(at)};
            __m512i found[8];
#pragma GCC unroll 8
            for (int k = 0; k < 8; ++k)
                found[k] = _mm512_mask_shuffle_epi8(_mm512_shuffle_epi8(row[2 * k], low), high[0], row[2 * k + 1], low);
#pragma GCC unroll 3
            for (int bit = 1; bit < 4; ++bit) {
#pragma GCC unroll 4
                for (int k = 0; k < 8 >> bit; ++k)
                    found[k] = _mm512_mask_blend_epi8(high[bit], found[2 * k], found[2 * k + 1]);
            }
            _mm512_storeu_si512(to + i, found[0]);
        }
        return i;
    }
    /// Sum of `count` unsigned bytes after flipping the bits of `flip` in each.
    [[gnu::always_inline]] static std::uint32_t sum_bytes(const unsigned char* from, std::int64_t count,
                                                          unsigned char flip) noexcept {
        const __m512i mask = _mm512_set1_epi8(static_cast<char>(flip));
        __m512i sum = _mm512_setzero_si512();
        for (std::int64_t i = 0; i < count; i += 64) {
            const std::int64_t rest = count - i;
            const __mmask64 inside = rest >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << rest) - 1;
            const __m512i value =
                _mm512_maskz_mov_epi8(inside, _mm512_xor_si512(_mm512_maskz_loadu_epi8(inside, from + i), mask));
            sum = _mm512_add_epi64(sum, _mm512_sad_epu8(value, _mm512_setzero_si512()));
        }
        return static_cast<std::uint32_t>(_mm512_reduce_add_epi64(sum));
    }
    [[gnu::always_inline]] static void store_byte(std::uint8_t* to, ints value) noexcept {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtepi32_epi8(value));
    }
};

}  // namespace lpt::inline LPT_ABI::kernel

#endif
#endif

// ======== lpt/kernel/avx512_vnni/depthwise_lines.hpp
#ifndef LPT_HOLDS_KERNEL_AVX512_VNNI_DEPTHWISE_LINES_HPP
#define LPT_HOLDS_KERNEL_AVX512_VNNI_DEPTHWISE_LINES_HPP
// Lines of bytes for depthwise convolution by 3 x 3 and 5 x 5 taps in 512 bits: where they lie, how they come into registers, and how
// their sums leave them.

#if defined(__AVX512VNNI__) && defined(__AVX512VL__) && defined(__AVX512BW__)

namespace lpt::inline LPT_ABI::kernel::detail {

/// A vector holds 64 channels, or, in two or four `Parts`, fewer channels of as many rows of the output. A template to have the instruction
/// set in the names of its functions.
template <class Isa>
struct depthwise_lines;

template <>
struct depthwise_lines<on::avx512_vnni> {
    using isa_type = on::avx512_vnni;
    using dot = dot_product<isa_type>;
    using simd = lanes<isa_type>;
    using accumulator = dot::accumulator;

    static bool is_fixed(const epilogue& e) noexcept { return e.fixed != nullptr && e.fixed->real == nullptr; }

    /// Channels, and where their packed weights lie.
    struct packed_channels {
        const unsigned char* sums = nullptr;
        const unsigned char* weights = nullptr;
        std::int64_t vector_bytes = 0;
        std::int64_t part = 0;  // bytes of a vector before those of these channels
        std::int64_t channel = 0;
        std::int64_t count = 0;
        int parts = 1;  // of a vector
    };

    /// Calls f(channels) for 64 channels, or for 32 and for up to 16 at a time.
    template <class Function>
    static void for_each_part(packed_channels from, const Function& f) noexcept {
        for (std::int64_t left = from.count; left > 0;) {
            from.parts = left == 64 ? 1 : left >= 32 ? 2 : 4;
            const std::int64_t most = 64 / from.parts;
            from.count = left < most ? left : most;
            f(from);
            from.channel += from.count;
            from.part += from.count;
            left -= from.count;
        }
    }

    template <class Packing>
    static packed_channels channels_of(const convolution_shape& s, const channel_span& channels,
                                       const unsigned char* packed, std::int64_t b) noexcept {
        packed_channels from;
        from.sums = packed + b * Packing::block_bytes;
        from.weights = packed + Packing::blocks(channels) * Packing::block_bytes + b * Packing::weights_bytes(s);
        from.vector_bytes = Packing::block_bytes / 4;
        from.channel = channels.first + b * Packing::block;
        const std::int64_t left = channels.count - b * Packing::block;
        from.count = left < Packing::block ? left : Packing::block;
        return from;
    }

    /// What holds for a vector of bytes, in slot order.
    struct constants {
        alignas(64) std::int32_t start[64];
        alignas(64) float scale[64];
        alignas(64) float bias[64];
        fixed_slots<64> fixed_numbers;
        simd::fixed_factors factors[4];  // where all channels shift; then sums start with their bias
        const unsigned char* outside;
        std::int64_t channel;
        __mmask64 inside;  // of the first part
        unsigned char flip;
        bool is_signed;
        bool limited;
        bool fixed;
        bool shifts;
        std::int32_t zero_point;
        std::int32_t low;
        std::int32_t high;
    };

    /// Vector `v` of a block, where it lies in the packing; in all parts.
    template <int Parts>
    [[gnu::always_inline]] static __m512i load_slots(const packed_channels& from, const unsigned char* block,
                                                     int v) noexcept {
        const unsigned char* const at = block + v * from.vector_bytes + from.part;
        if constexpr (Parts == 1) return _mm512_loadu_si512(at);
        if constexpr (Parts == 4) return _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
        return _mm512_broadcast_i64x4(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)));
    }

    template <int Parts>
    static void prepare(const convolution_problem& problem, const packed_channels& from, const unsigned char* outside,
                        constants& c) noexcept {
        const epilogue& e = problem.finish;
        c.outside = outside + from.channel;
        c.channel = from.channel;
        c.inside = from.count == 64 ? ~__mmask64{0} : (__mmask64{1} << from.count) - 1;
        c.flip = problem.input_type == element_kind::i8 ? 0x80 : 0;
        c.is_signed = e.output_type == element_kind::i8;
        c.low = static_cast<std::int32_t>(e.quant_low);
        c.high = static_cast<std::int32_t>(e.quant_high);
        c.limited = c.high - c.low < 255;
        const __m512i zero = _mm512_set1_epi32(-(problem.input_zero_point + c.flip));
#pragma GCC unroll 4
        for (int v = 0; v < 4; ++v) {
            const __m512i sum = load_slots<Parts>(from, from.sums, v);
            _mm512_store_si512(c.start + 16 * v, _mm512_mullo_epi32(sum, zero));
        }
        c.fixed = is_fixed(e);
        if (c.fixed) {
            c.fixed_numbers.fill(*e.fixed, [&](const std::int32_t* array, std::int32_t* slots) {
                put_in_slots<Parts>(reinterpret_cast<const float*>(array), 0, from, reinterpret_cast<float*>(slots));
            });
            c.shifts = e.fixed->shifts;
            c.zero_point = e.fixed->zero_point;
            if (c.shifts) start_fixed<simd>(c.fixed_numbers.view(), 0, 4, c.start, c.factors);
        } else {
            put_in_slots<Parts>(e.scale, e.scale_all, from, c.scale);
            put_in_slots<Parts>(e.bias, e.bias_all, from, c.bias);
        }
    }

    /// The numbers of channels, or one for all, in slot order; neighbouring four stay side by side.
    template <int Parts>
    static void put_in_slots(const float* array, float all, const packed_channels& from, float* slots) noexcept {
        __m512 numbers[4];  // of 16 channels each
#pragma GCC unroll 4
        for (int l = 0; l < 4; ++l) {
            const int part = l % (4 / Parts);
            const std::int64_t left = from.count - 16 * part;
            const __mmask16 inside = left >= 16 ? 0xffff : left <= 0 ? 0 : static_cast<__mmask16>((1u << left) - 1u);
            numbers[l] = _mm512_set1_ps(all);
            if (array != nullptr)
                numbers[l] = _mm512_mask_loadu_ps(numbers[l], inside, array + from.channel + 16 * part);
        }
        const __m512 even01 = _mm512_shuffle_f32x4(numbers[0], numbers[1], 0x88);
        const __m512 odd01 = _mm512_shuffle_f32x4(numbers[0], numbers[1], 0xdd);
        const __m512 even23 = _mm512_shuffle_f32x4(numbers[2], numbers[3], 0x88);
        const __m512 odd23 = _mm512_shuffle_f32x4(numbers[2], numbers[3], 0xdd);
        _mm512_store_ps(slots, _mm512_shuffle_f32x4(even01, even23, 0x88));
        _mm512_store_ps(slots + 16, _mm512_shuffle_f32x4(odd01, odd23, 0x88));
        _mm512_store_ps(slots + 32, _mm512_shuffle_f32x4(even01, even23, 0xdd));
        _mm512_store_ps(slots + 48, _mm512_shuffle_f32x4(odd01, odd23, 0xdd));
    }

    /// A row of the image: column 0, and how far apart columns are; a row outside is one column of zero points.
    struct image_row {
        const unsigned char* start;
        std::int64_t pixel;
    };
    [[gnu::always_inline]] static image_row find_row(const convolution_problem& problem, const constants& c,
                                                     std::int64_t plane, std::int64_t h) noexcept {
        const convolution_shape& s = problem.shape;
        const bool inside = h >= 0 && h < s.in[1];
        const std::int64_t pixels = (plane * s.in[1] + h) * s.in[2];
        return {inside
                    ? static_cast<const unsigned char*>(problem.input) + c.channel + pixels * problem.input_pixel_stride
                    : c.outside,
                inside ? problem.input_pixel_stride : 0};
    }

    /// Where four lines of bytes are, which are interleaved, and the four of each other part: at stride 1 four rows of the image, at
    /// stride 2 two columns of two rows.
    template <int Parts, int Stride>
    struct line_places {
        static constexpr int count = 4 * Parts;
        const unsigned char* at[count];
        const unsigned char* row[count];  // column 0
        std::int64_t pixel[count];  // from column to column; 0 outside
        std::int64_t width;
        const unsigned char* outside;

        /// The lines of a part, from row `h` of the image on.
        [[gnu::always_inline]] void find(const convolution_problem& problem, const constants& c, int part,
                                         std::int64_t plane, std::int64_t h) noexcept {
            width = problem.shape.in[2];
            outside = c.outside;
#pragma GCC unroll 4
            for (int j = 0; j < 4; ++j) {
                const image_row found = find_row(problem, c, plane, h + j / Stride);
                row[4 * part + j] = found.start;
                pixel[4 * part + j] = found.pixel;
            }
        }
        /// Goes to a column of the image, which may lie outside.
        [[gnu::always_inline]] void go_to(std::int64_t column) noexcept {
            point<0>(column);
            if constexpr (Stride == 2) point<1>(column + 1);
        }
        template <int First>
        [[gnu::always_inline]] void point(std::int64_t column) noexcept {
            const bool inside = column >= 0 && column < width;
#pragma GCC unroll 16
            for (int j = First; j < count; j += Stride)
                at[j] = row[j] + column * pixel[j];
            if (inside) return;
#pragma GCC unroll 16
            for (int j = First; j < count; j += Stride)
                at[j] = outside;
        }
        [[gnu::always_inline]] void advance() noexcept {
#pragma GCC unroll 16
            for (int j = 0; j < count; ++j)
                at[j] += Stride * pixel[j];
        }
    };

    /// Where results go: pixels of a row, for each part.
    struct target {
        unsigned char* to;
        std::int64_t pixel;
        std::int64_t row;  // distance of the second row
        std::int64_t apart[4];  // from the first part's
    };

    /// The bytes of all parts of a vector, of which `at(part)` says where they are.
    template <int Parts, class At>
    [[gnu::always_inline]] static __m512i load(const constants& c, const At& at) noexcept {
        if constexpr (Parts == 1) {
            return _mm512_loadu_si512(at(0));
        } else if constexpr (Parts == 2) {
            const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at(0)));
            const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at(1)));
            return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
        } else {
            const auto first = static_cast<__mmask16>(c.inside);
            const auto part = [&](int i) __attribute__((always_inline)) { return _mm_maskz_loadu_epi8(first, at(i)); };
            const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(part(0)), part(1), 1);
            const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(part(2)), part(3), 1);
            const __m512i all = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
            return all;
        }
    }

    /// Four lines of bytes, of unsigned ones, interleaved.
    [[gnu::always_inline]] static void interleave(const constants& c, __m512i (&line)[4],
                                                  __m512i (&mixed)[4]) noexcept {
        if (c.flip != 0) {
#pragma GCC unroll 4
            for (int j = 0; j < 4; ++j)
                line[j] = _mm512_xor_si512(line[j], _mm512_set1_epi8(-128));
        }
        dot::interleave_lines(line, mixed);
    }

    /// The four lines, interleaved, one column further with each call.
    template <int Parts, int Stride>
    [[gnu::always_inline]] static void take_column(const constants& c, line_places<Parts, Stride>& places,
                                                   __m512i (&mixed)[4]) noexcept {
        __m512i line[4];
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) {
            line[j] = load<Parts>(c, [&](int part) __attribute__((always_inline)) { return places.at[4 * part + j]; });
        }
        places.advance();
        interleave(c, line, mixed);
    }

    [[gnu::always_inline]] static accumulator start(const constants& c, int v) noexcept {
        return dot::load(c.start + 16 * v);
    }

    /// The sums of a pixel in some output rows, scaled. Constants are settled, so that they are loaded once for all rows.
    template <int Rows>
    [[gnu::always_inline]] static void round(const constants& c, const accumulator (&sum)[Rows][4],
                                             simd::ints (&q)[Rows][4]) noexcept {
#pragma GCC unroll 4
        for (int v = 0; v < 4; ++v) {
            __m512 scale = _mm512_load_ps(c.scale + 16 * v);
            __m512 bias = _mm512_load_ps(c.bias + 16 * v);
            if constexpr (Rows > 1) __asm__("" : "+v"(scale), "+v"(bias));
#pragma GCC unroll 2
            for (int r = 0; r < Rows; ++r)
                q[r][v] = _mm512_cvtps_epi32(_mm512_fmadd_ps(_mm512_cvtepi32_ps(dot::bits(sum[r][v])), scale, bias));
        }
    }
    /// Codes in fixed point.
    template <int Rows>
    [[gnu::always_inline]] static void round_fixed(const constants& c, const accumulator (&sum)[Rows][4],
                                                   simd::ints (&q)[Rows][4]) noexcept {
#pragma GCC unroll 2
        for (int r = 0; r < Rows; ++r) {
            const simd::ints x[4] = {dot::bits(sum[r][0]), dot::bits(sum[r][1]), dot::bits(sum[r][2]),
                                     dot::bits(sum[r][3])};
            if (c.shifts) {
                codes_of<simd>(x, c.factors, simd::broadcast_int(c.zero_point), q[r]);
                continue;
            }
#pragma GCC unroll 4
            for (int v = 0; v < 4; ++v)
                q[r][v] = c.fixed_numbers.load<simd>(16 * v).code(x[v]);
        }
    }

    /// The sums of a pixel in some output rows to bytes.
    template <int Parts, int Rows>
    [[gnu::always_inline]] static void store(const constants& c, accumulator (&sum)[Rows][4], target& out) noexcept {
#pragma GCC unroll 2
        for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
            for (int v = 0; v < 4; ++v)
                dot::settle(sum[r][v]);
        }
        simd::ints q[Rows][4];
        if (c.fixed)
            round_fixed<Rows>(c, sum, q);
        else
            round<Rows>(c, sum, q);
#pragma GCC unroll 2
        for (int r = 0; r < Rows; ++r) {
            __m512i bytes = c.is_signed ? simd::pack_in_parts<true>(q[r][0], q[r][1], q[r][2], q[r][3])
                                        : simd::pack_in_parts<false>(q[r][0], q[r][1], q[r][2], q[r][3]);
            if (c.limited) {
                bytes =
                    c.is_signed ? simd::limit<true>(bytes, c.low, c.high) : simd::limit<false>(bytes, c.low, c.high);
            }
            store_parts<Parts>(c, bytes, out.to + r * out.row, out.apart);
        }
        out.to += out.pixel;
    }

    template <int Parts>
    [[gnu::always_inline]] static void store_parts(const constants& c, __m512i bytes, unsigned char* to,
                                                   const std::int64_t (&apart)[4]) noexcept {
        if constexpr (Parts == 1) {
            _mm512_storeu_si512(to, bytes);
        } else if constexpr (Parts == 2) {
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_castsi512_si256(bytes));
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + apart[1]), _mm512_extracti64x4_epi64(bytes, 1));
        } else {
            const auto first = static_cast<__mmask16>(c.inside);
            _mm_mask_storeu_epi8(to, first, _mm512_castsi512_si128(bytes));
            _mm_mask_storeu_epi8(to + apart[1], first, _mm512_extracti32x4_epi32(bytes, 1));
            _mm_mask_storeu_epi8(to + apart[2], first, _mm512_extracti32x4_epi32(bytes, 2));
            _mm_mask_storeu_epi8(to + apart[3], first, _mm512_extracti32x4_epi32(bytes, 3));
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel::detail

#endif
#endif

// ======== lpt/kernel/avx_vnni/dot.hpp
#ifndef LPT_HOLDS_KERNEL_AVX_VNNI_DOT_HPP
#define LPT_HOLDS_KERNEL_AVX_VNNI_DOT_HPP
// The 4-element dot product of unsigned rows and signed columns in 256 bits: AVX-VNNI, and the same code with EVEX encodings.

#if defined(__AVXVNNI__) || (defined(__AVX512VNNI__) && defined(__AVX512VL__))

#include <immintrin.h>

namespace lpt::inline LPT_ABI::kernel {

#if defined(__AVXVNNI__)
template <>
struct dot_product<on::avx_vnni> : detail::dot_of_256<on::avx_vnni> {
    [[gnu::always_inline]] static accumulator step(accumulator sum, row_group row, column_group column) noexcept {
        return reinterpret_cast<accumulator>(_mm256_dpbusd_avx_epi32(reinterpret_cast<__m256i>(sum), row, column));
    }
};
#endif

#if defined(__AVX512VNNI__) && defined(__AVX512VL__)
template <>
struct dot_product<on::avx512_vnni_256> : detail::dot_of_256<on::avx512_vnni_256> {
    [[gnu::always_inline]] static accumulator step(accumulator sum, row_group row, column_group column) noexcept {
        return reinterpret_cast<accumulator>(_mm256_dpbusd_epi32(reinterpret_cast<__m256i>(sum), row, column));
    }
};
#endif

}  // namespace lpt::inline LPT_ABI::kernel

#endif
#endif

// ======== lpt/kernel/avx512_vnni/half_blocks.hpp
#ifndef LPT_HOLDS_KERNEL_AVX512_VNNI_HALF_BLOCKS_HPP
#define LPT_HOLDS_KERNEL_AVX512_VNNI_HALF_BLOCKS_HPP
// Depthwise convolution of up to 32 channels in 256 bits, of which AVX-512 has 32 registers.

#if defined(__AVX512VNNI__) && defined(__AVX512VL__) && defined(__AVX512BW__)

namespace lpt::inline LPT_ABI::kernel {

template <>
struct half_blocks<on::avx512_vnni> {
    static constexpr bool exist = true;

    [[gnu::always_inline]] static __mmask32 first(std::int64_t count) noexcept {
        return count >= 32 ? ~__mmask32{0} : (__mmask32{1} << count) - 1;
    }

    struct dot : detail::dot_of_256<on::avx512_vnni> {
        static constexpr int vectors = 4;

        [[gnu::always_inline]] static void settle(accumulator& sum) noexcept { __asm__("" : "+v"(sum)); }
        [[gnu::always_inline]] static accumulator step(accumulator sum, row_group row, column_group column) noexcept {
            return reinterpret_cast<accumulator>(_mm256_dpbusd_epi32(reinterpret_cast<__m256i>(sum), row, column));
        }
        [[gnu::always_inline]] static void interleave_block(unsigned char* to, const unsigned char* const (&lines)[4],
                                                            std::int64_t count, unsigned char flip) noexcept {
            const __mmask32 inside = first(count);
            __m256i line[4];
#pragma GCC unroll 4
            for (int j = 0; j < 4; ++j)
                line[j] = _mm256_maskz_loadu_epi8(inside, lines[j]);
            if (flip != 0) {
#pragma GCC unroll 4
                for (int j = 0; j < 4; ++j)
                    line[j] = _mm256_xor_si256(line[j], _mm256_set1_epi8(static_cast<char>(flip)));
            }
            store_interleaved(to, line);
        }
    };

    struct simd : detail::lanes_256<on::avx512_vnni> {
        /// Stores the first `count` (<= 32) of packed bytes.
        [[gnu::always_inline]] static void store_first(std::uint8_t* to, bytes value, std::int64_t count) noexcept {
            _mm256_mask_storeu_epi8(to, first(count), value);
        }
    };
};

}  // namespace lpt::inline LPT_ABI::kernel

#endif
#endif

// ======== lpt/kernel/avx512_vnni/depthwise_rows.hpp
#ifndef LPT_HOLDS_KERNEL_AVX512_VNNI_DEPTHWISE_ROWS_HPP
#define LPT_HOLDS_KERNEL_AVX512_VNNI_DEPTHWISE_ROWS_HPP
// How depthwise convolution in registers of 512 bits shares its work: output rows among tasks, and those of a task among the parts of
// vectors.

#if defined(__AVX512VNNI__) && defined(__AVX512VL__) && defined(__AVX512BW__)

namespace lpt::inline LPT_ABI::kernel::detail {

/// A template for the reason that `depthwise_lines` is one.
template <class Isa>
struct depthwise_rows;

template <>
struct depthwise_rows<on::avx512_vnni> : depthwise_lines<on::avx512_vnni> {
    using packing = depthwise_dots<isa_type>;
    using half_packing = depthwise_dots<isa_type, half_blocks<isa_type>::dot, half_blocks<isa_type>::simd>;

    /// Whether it is a convolution of planes, by `taps` x `taps` taps side by side, at stride 1 or 2, whose sums become bytes at once.
    static bool fits(const convolution_problem& problem, std::int64_t taps) noexcept {
        const convolution_shape& s = problem.shape;
        const bool plane = s.kernel[0] == 1 && s.stride[0] == 1 && s.pad_begin[0] == 0 && s.in[0] == s.out[0];
        const bool square = s.kernel[1] == taps && s.kernel[2] == taps && s.dilation[1] == 1 && s.dilation[2] == 1;
        const bool strides = s.stride[1] == s.stride[2] && (s.stride[2] == 1 || s.stride[2] == 2);
        return plane && square && strides &&
               (is_fixed(problem.finish) ||
                finish<isa_type>::requantizes_directly(problem.finish, 0, s.out_channels, taps * taps));
    }

    /// The channels of the two packings.
    struct packed_weights {
        channel_span full;
        const unsigned char* packed_full;
        channel_span rest;
        const unsigned char* packed_rest;
    };

    /// A task: output rows, or pairs of them, counting those of all planes, of which each has `rows`.
    struct work {
        std::int64_t rows;
        std::int64_t begin;
        std::int64_t end;
    };

    /// Output rows, or pairs of them, of one plane.
    struct row_range {
        std::int64_t plane;
        std::int64_t begin;
        std::int64_t end;
    };

    /// Rows, or pairs of them, that each part takes of a range, and how far they are from the first part's.
    struct part_rows {
        std::int64_t count;
        std::int64_t apart[4];
    };

    /// Calls f<Parts>(work, channels) on threads, for output rows or `pairs` of them.
    template <class Function>
    static void share(const convolution_problem& problem, bool pairs, const packed_weights& weights,
                      const parallel_for& parallel, const Function& f) noexcept {
        const convolution_shape& s = problem.shape;
        const std::int64_t rows = pairs ? (s.out[1] + 1) / 2 : s.out[1];
        // The last two pairs of an odd height share a row, and so a task: no byte is written by two threads.
        const std::int64_t units = pairs ? s.out[1] / 2 : s.out[1];
        split<isa_type>(parallel, s.batch * s.out[0] * units, 1, [&](std::int64_t begin, std::int64_t end, int) {
            const auto row_of = [&](std::int64_t unit) { return unit / units * rows + unit % units; };
            const work job{rows, row_of(begin), row_of(end)};
            const auto run_channels = [&](const packed_channels& from) {
                switch (from.parts) {
                    case 1: f.template operator()<1>(job, from); break;
                    case 2: f.template operator()<2>(job, from); break;
                    default: f.template operator()<4>(job, from); break;
                }
            };
            for (std::int64_t b = 0; b < packing::blocks(weights.full); ++b)
                for_each_part(channels_of<packing>(s, weights.full, weights.packed_full, b), run_channels);
            for (std::int64_t b = 0; b < half_packing::blocks(weights.rest); ++b)
                for_each_part(channels_of<half_packing>(s, weights.rest, weights.packed_rest, b), run_channels);
        });
    }

    /// Calls f(range, rows of the parts) for each plane of a task.
    template <int Parts, class Function>
    static void for_each_range(const work& job, const Function& f) noexcept {
        for (std::int64_t i = job.begin; i < job.end;) {
            const std::int64_t plane = i / job.rows;
            const std::int64_t next = (plane + 1) * job.rows < job.end ? (plane + 1) * job.rows : job.end;
            const row_range range{plane, i - plane * job.rows, next - plane * job.rows};
            part_rows rows{(range.end - range.begin + Parts - 1) / Parts, {}};
            for (int part = 0; part < Parts; ++part) {
                const std::int64_t last = range.end - range.begin - rows.count;  // the parts may overlap
                rows.apart[part] = part * rows.count < last ? part * rows.count : last;
            }
            f(range, rows);
            i = next;
        }
    }

    /// The first row of a pair; an odd last row comes with the one before it, once more.
    static std::int64_t row_of_pair(const convolution_shape& s, std::int64_t pair) noexcept {
        return 2 * pair + 2 <= s.out[1] ? 2 * pair : s.out[1] - 2;
    }

    /// From column `column` on; `rows` are those of the parts.
    template <int Parts>
    static target target_at(const convolution_problem& problem, const constants& c, std::int64_t plane,
                            const std::int64_t (&rows)[Parts], std::int64_t column) noexcept {
        const convolution_shape& s = problem.shape;
        const std::int64_t pixel = problem.output_pixel_stride;
        const std::int64_t row = s.out[2] * pixel;
        unsigned char* const to = static_cast<unsigned char*>(problem.output) + (plane * s.out[1] + rows[0]) * row +
                                  column * pixel + c.channel;
        target out{to, pixel, row, {}};
        for (int part = 0; part < Parts; ++part)
            out.apart[part] = (rows[part] - rows[0]) * row;
        return out;
    }
};

}  // namespace lpt::inline LPT_ABI::kernel::detail

#endif
#endif

// ======== lpt/kernel/avx512_vnni/depthwise_3x3.hpp
#ifndef LPT_HOLDS_KERNEL_AVX512_VNNI_DEPTHWISE_3X3_HPP
#define LPT_HOLDS_KERNEL_AVX512_VNNI_DEPTHWISE_3X3_HPP
// Depthwise convolution by 3 x 3 taps in 512 bits, at stride 1 and 2: interleaved bytes and sums stay in registers.

#if defined(__AVX512VNNI__) && defined(__AVX512VL__) && defined(__AVX512BW__)

namespace lpt::inline LPT_ABI::kernel {

/// Walks along the columns of the input; each column is interleaved once and added to every sum that it belongs to.
/// Stride 1: four input rows, side by side in the four bytes of a dot product, serve two output rows and three output columns.
/// Stride 2: four bytes are a quad, two rows of two columns. An output pixel takes four quads, two of its row of quads and two of
/// the next one, which is kept in memory for the output row below.
/// A vector holds 64 channels; or 32 of each of two rows of the output that are apart; or up to 16 of each of four.
/// Sums become bytes without a detour; what else an epilogue may ask for is left to `depthwise_dots`, whose packed weights this reads.
template <>
struct depthwise_3x3<on::avx512_vnni> : private detail::depthwise_rows<on::avx512_vnni> {
    static constexpr bool exists = true;

    static constexpr std::int64_t most_columns =
        63;  // at stride 2, whose quads and the ones beside them fit in the buffer

    static bool fits(const convolution_problem& problem) noexcept {
        const convolution_shape& s = problem.shape;
        const std::int64_t stride = s.stride[2];
        // At most the first and the last column lie outside.
        const std::int64_t past = (s.out[2] - 1) * stride + 3 - s.pad_begin[2] - s.in[2];
        return depthwise_rows::fits(problem, 3) && (stride == 2 || s.out[1] >= 2) && s.pad_begin[2] <= 1 && past <= 1;
    }

    /// `full` and `rest`: the channels of the two packings.
    static void run(const convolution_problem& problem, const channel_span& full, const unsigned char* packed_full,
                    const channel_span& rest, const unsigned char* packed_rest, const unsigned char* outside,
                    const parallel_for& parallel) noexcept {
        const bool pairs = problem.shape.stride[2] == 1;
        share(problem, pairs, {full, packed_full, rest, packed_rest}, parallel,
              [&]<int Parts>(const work& job, const packed_channels& from) {
                  weighted_constants c;
                  prepare<Parts>(problem, from, outside, c);
                  pack_weights<Parts>(problem, from, c.weights);
                  for_each_range<Parts>(job, [&](const row_range& range, const part_rows& rows) {
                      if (pairs)
                          run_pairs<Parts>(problem, c, range, rows);
                      else
                          run_rows<Parts>(problem, c, range, rows);
                  });
              });
    }

private:
    struct weighted_constants : constants {
        alignas(64) unsigned char weights[24 * 64];
    };

    [[gnu::always_inline]] static __m512i weight(const weighted_constants& c, int i) noexcept {
        return _mm512_load_si512(c.weights + i * 64);
    }

    /// In the order in which a stride takes them.
    template <int Parts>
    static void pack_weights(const convolution_problem& problem, const packed_channels& from,
                             unsigned char* to) noexcept {
        const auto packed = [&](int i) __attribute__((always_inline)) {
            return load_slots<Parts>(from, from.weights + i / 4 * 4 * from.vector_bytes, i % 4);
        };
        const auto put = [to](int i, __m512i value)
                             __attribute__((always_inline)) { _mm512_store_si512(to + i * 64, value); };
        if (problem.shape.stride[2] == 1) {
#pragma GCC unroll 4
            for (int i = 0; i < 24; ++i)
                put(i, packed(i));
            return;
        }
        const __m512i byte = _mm512_set1_epi32(0xff);
        for (int v = 0; v < 4; ++v) {
            const __m512i left = packed(v), middle = packed(4 + v), right = packed(8 + v);  // columns of taps
            // Bytes l0 m0 l1 m1, l2 m2, r0 - r1, r2.
            const __m512 low = _mm512_castsi512_ps(_mm512_unpacklo_epi8(left, middle));
            const __m512 high = _mm512_castsi512_ps(_mm512_unpackhi_epi8(left, middle));
            put(v, _mm512_castps_si512(_mm512_shuffle_ps(low, high, 0x88)));
            put(4 + v, _mm512_castps_si512(_mm512_shuffle_ps(low, high, 0xdd)));
            const __m512i moved = _mm512_slli_epi32(_mm512_and_si512(_mm512_srli_epi32(right, 8), byte), 16);
            put(8 + v, _mm512_or_si512(_mm512_and_si512(right, byte), moved));
            put(12 + v, _mm512_and_si512(_mm512_srli_epi32(right, 16), byte));
        }
    }

    /// The sums of a column of two output rows.
    using two_rows = accumulator[2][4];

    /// An input column at stride 1 ends the output column before, adds to the one at it, and begins the next one. Near the left edge
    /// there are none of the first (`Before` < 2) or second (< 1).
    template <int Parts, int Before>
    [[gnu::always_inline]] static void add_column(const weighted_constants& c, line_places<Parts, 1>& places,
                                                  two_rows& ends, two_rows& goes_on, two_rows& begins,
                                                  target& out) noexcept {
        __m512i mixed[4];
        take_column<Parts, 1>(c, places, mixed);
        if constexpr (Before >= 2) {
            // First what has the longest way to go.
            add_taps(c, mixed, 8, ends);
            store<Parts, 2>(c, ends, out);
        }
        if constexpr (Before >= 1) add_taps(c, mixed, 4, goes_on);
#pragma GCC unroll 4
        for (int v = 0; v < 4; ++v) {
            accumulator first = start(c, v);
            dot::settle(first);
            begins[0][v] = first;
            begins[1][v] = first;
        }
        add_taps(c, mixed, 0, begins);
    }

    /// The taps of a column, whose weights start at `first` for the first of two rows.
    [[gnu::always_inline]] static void add_taps(const weighted_constants& c, const __m512i (&mixed)[4], int first,
                                                two_rows& sum) noexcept {
#pragma GCC unroll 4
        for (int v = 0; v < 4; ++v) {
            sum[0][v] = dot::step(sum[0][v], mixed[v], weight(c, first + v));
            sum[1][v] = dot::step(sum[1][v], mixed[v], weight(c, 12 + first + v));
        }
    }

    /// Two output rows at stride 1.
    template <int Parts>
    [[gnu::noinline]] static void run_two_rows(const weighted_constants& c, line_places<Parts, 1>& given,
                                               std::int64_t pad, std::int64_t columns, target out) noexcept {
        line_places<Parts, 1> places = given;
        two_rows a, b, d;
        places.go_to(-pad);
        add_column<Parts, 0>(c, places, d, d, a, out);
        places.go_to(1 - pad);
        add_column<Parts, 1>(c, places, d, a, b, out);
        places.go_to(2 - pad);
        const std::int64_t last = columns + 1 - pad;
        for (std::int64_t left = columns;;) {
            if (left == 1) places.go_to(last);
            add_column<Parts, 2>(c, places, a, b, d, out);
            if (--left == 0) return;
            if (left == 1) places.go_to(last);
            add_column<Parts, 2>(c, places, b, d, a, out);
            if (--left == 0) return;
            if (left == 1) places.go_to(last);
            add_column<Parts, 2>(c, places, d, a, b, out);
            if (--left == 0) return;
        }
    }

    /// A row of quads, to memory.
    template <int Parts>
    [[gnu::noinline]] static void put_quads(const weighted_constants& c, line_places<Parts, 2>& given,
                                            std::int64_t first, std::int64_t columns, unsigned char* quads) noexcept {
        line_places<Parts, 2> places = given;
        places.go_to(first);
        for (std::int64_t i = 0; i <= columns; ++i) {
            if (i == 1 || i == columns) places.go_to(first + 2 * i);
            __m512i mixed[4];
            take_column<Parts, 2>(c, places, mixed);
#pragma GCC unroll 4
            for (int v = 0; v < 4; ++v)
                _mm512_store_si512(quads + i * 256 + 64 * v, mixed[v]);
        }
    }

    /// The next column of quads: the upper ones from memory, where the lower ones take their place.
    template <int Parts>
    [[gnu::always_inline]] static void take_quads(const weighted_constants& c, line_places<Parts, 2>& places,
                                                  unsigned char*& quads, __m512i (&upper)[4],
                                                  __m512i (&lower)[4]) noexcept {
        take_column<Parts, 2>(c, places, lower);
#pragma GCC unroll 4
        for (int v = 0; v < 4; ++v) {
            upper[v] = _mm512_load_si512(quads + 64 * v);
            _mm512_store_si512(quads + 64 * v, lower[v]);
        }
        quads += 256;
    }

    /// An output row at stride 2. `quads` has the upper row of quads, and then the lower one.
    template <int Parts>
    [[gnu::noinline]] static void run_row(const weighted_constants& c, line_places<Parts, 2>& given, std::int64_t first,
                                          std::int64_t columns, unsigned char* quads, target out) noexcept {
        line_places<Parts, 2> places = given;
        accumulator weights[16];  // settled, so that they are loaded once
#pragma GCC unroll 16
        for (int i = 0; i < 16; ++i) {
            weights[i] = reinterpret_cast<accumulator>(weight(c, i));
            dot::settle(weights[i]);
        }
        const auto add = [&weights](accumulator sum, __m512i bytes, int i)
                             __attribute__((always_inline)) { return dot::step(sum, bytes, dot::bits(weights[i])); };
        __m512i lower[4], upper[4];
        accumulator sum[1][4];
        const auto begin = [&]() __attribute__((always_inline)) {
#pragma GCC unroll 4
            for (int v = 0; v < 4; ++v)
                sum[0][v] = add(add(start(c, v), upper[v], v), lower[v], 4 + v);
        };
        const auto end = [&]() __attribute__((always_inline)) {
#pragma GCC unroll 4
            for (int v = 0; v < 4; ++v)
                sum[0][v] = add(add(sum[0][v], upper[v], 8 + v), lower[v], 12 + v);
            store<Parts, 1>(c, sum, out);
        };
        places.go_to(first);
        take_quads<Parts>(c, places, quads, upper, lower);
        begin();
        places.go_to(first + 2);
        for (std::int64_t i = 1; i < columns; ++i) {
            take_quads<Parts>(c, places, quads, upper, lower);
            end();
            begin();
        }
        places.go_to(first + 2 * columns);
        take_quads<Parts>(c, places, quads, upper, lower);
        end();
    }

    template <int Parts>
    static void run_pairs(const convolution_problem& problem, const weighted_constants& c, const row_range& range,
                          const part_rows& pairs) noexcept {
        const convolution_shape& s = problem.shape;
        for (std::int64_t i = range.begin; i < range.begin + pairs.count; ++i) {
            std::int64_t rows[Parts];
            line_places<Parts, 1> places;
            for (int part = 0; part < Parts; ++part) {
                rows[part] = row_of_pair(s, i + pairs.apart[part]);
                places.find(problem, c, part, range.plane, rows[part] - s.pad_begin[1]);
            }
            run_two_rows<Parts>(c, places, s.pad_begin[2], s.out[2],
                                target_at<Parts>(problem, c, range.plane, rows, 0));
        }
    }

    template <int Parts>
    static void run_rows(const convolution_problem& problem, const weighted_constants& c, const row_range& range,
                         const part_rows& part) noexcept {
        const convolution_shape& s = problem.shape;
        alignas(64) unsigned char quads[(most_columns + 1) * 256];
        std::int64_t rows[Parts];
        line_places<Parts, 2> places;
        const auto find = [&](std::int64_t quad_row) {
            for (int k = 0; k < Parts; ++k)
                places.find(problem, c, k, range.plane, 2 * (quad_row + part.apart[k]) - s.pad_begin[1]);
        };
        for (std::int64_t x = 0; x < s.out[2]; x += most_columns) {
            const std::int64_t columns = s.out[2] - x < most_columns ? s.out[2] - x : most_columns;
            const std::int64_t first = 2 * x - s.pad_begin[2];
            find(range.begin);
            put_quads<Parts>(c, places, first, columns, quads);
            for (std::int64_t i = range.begin; i < range.begin + part.count; ++i) {
                find(i + 1);
                for (int k = 0; k < Parts; ++k)
                    rows[k] = i + part.apart[k];
                run_row<Parts>(c, places, first, columns, quads, target_at<Parts>(problem, c, range.plane, rows, x));
            }
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel

#endif
#endif

// ======== lpt/kernel/avx512_vnni/depthwise_5x5.hpp
#ifndef LPT_HOLDS_KERNEL_AVX512_VNNI_DEPTHWISE_5X5_HPP
#define LPT_HOLDS_KERNEL_AVX512_VNNI_DEPTHWISE_5X5_HPP
// Depthwise convolution by 5 x 5 taps in 512 bits, at stride 1 and 2: sums stay in registers.

#if defined(__AVX512VNNI__) && defined(__AVX512VL__) && defined(__AVX512BW__)

namespace lpt::inline LPT_ABI::kernel {

/// Two output rows, four columns at a time, by dot products of four bytes. Both rows read input rows 1 to 4, whose bytes lie side by
/// side: five dot products, one for each column of taps. The first output row has a line of taps left, in input row 0. Of this one
/// four columns lie side by side, and five columns, wherever they begin, meet two such quads: two dot products.
/// Stride 1: the second output row has a line of taps left in input row 5, likewise. Seven dot products for each of the 25 taps' sums.
/// Stride 2: it has two lines left, in input rows 5 and 6, of which quads are two rows of two columns: three dot products.
/// Input columns are interleaved in groups of four, of which the last ones are kept in memory. The four vectors of interleaved bytes
/// have their turn one after the other: eight sums and ten weights of input rows 1 to 4, each for four columns, fit in the registers.
/// Parts of vectors, and what is left to `depthwise_dots`: as in `depthwise_3x3`.
template <>
struct depthwise_5x5<on::avx512_vnni> : private detail::depthwise_rows<on::avx512_vnni> {
    static constexpr bool exists = true;

    static bool fits(const convolution_problem& problem) noexcept {
        return depthwise_rows::fits(problem, 5) && problem.shape.out[1] >= 2;
    }

    /// `full` and `rest`: the channels of the two packings.
    static void run(const convolution_problem& problem, const channel_span& full, const unsigned char* packed_full,
                    const channel_span& rest, const unsigned char* packed_rest, const unsigned char* outside,
                    const parallel_for& parallel) noexcept {
        share(problem, true, {full, packed_full, rest, packed_rest}, parallel,
              [&]<int Parts>(const work& job, const packed_channels& from) {
                  if (problem.shape.stride[2] == 1)
                      run_channels<Parts, 1>(problem, job, from, outside);
                  else
                      run_channels<Parts, 2>(problem, job, from, outside);
              });
    }

private:
    /// The weights of one of four vectors. A line that is left over is read from `4 / Stride` places of a group of columns on.
    template <int Stride>
    struct vector_weights {
        static constexpr int places = 4 / Stride;
        __m512i middle[2][5];  // of input rows 1 to 4
        __m512i above[places][2];  // of input row 0
        __m512i below[Stride == 1 ? 2 * places : 3];
    };

    template <int Stride>
    struct weighted_constants : constants {
        vector_weights<Stride> weights[4];
    };

    /// Four input columns, interleaved.
    template <int Stride>
    struct group {
        __m512i middle[4][4];  // columns of input rows 1 to 4
        __m512i above[4];  // input row 0
        __m512i below[Stride][4];  // input row 5; or rows 5 and 6 of two columns and of two more
    };

    template <int Parts, int Stride>
    struct input_rows {
        static constexpr int count = 5 + Stride;
        image_row row[count][Parts];
        const unsigned char* outside;
        std::int64_t width;
    };

    /// Taps from packed weights, whose bytes are lines 0 to 3 of a column of taps, and line 4.
    template <int Parts, int Stride>
    static void pack_weights(const packed_channels& from, vector_weights<Stride> (&to)[4]) noexcept {
        const __m512i byte = _mm512_set1_epi32(0xff);
        for (int v = 0; v < 4; ++v) {
            __m512i first[5], last[5], top[5];
#pragma GCC unroll 5
            for (int k = 0; k < 5; ++k) {
                first[k] = load_slots<Parts>(from, from.weights + 4 * k * from.vector_bytes, v);
                last[k] = load_slots<Parts>(from, from.weights + 4 * (5 + k) * from.vector_bytes, v);
                top[k] = _mm512_and_si512(first[k], byte);
                to[v].middle[0][k] = join<8>(first[k], last[k]);
                to[v].middle[1][k] = Stride == 1 ? first[k] : _mm512_slli_epi32(first[k], 8);
            }
            pack_line<Stride>(top, to[v].above);
            if constexpr (Stride == 1) {
                __m512i quads[4][2];
                pack_line<Stride>(last, quads);
#pragma GCC unroll 8
                for (int i = 0; i < 8; ++i)
                    to[v].below[i] = quads[i / 2][i % 2];
            } else {
                __m512i pair[6];  // of lines 3 and 4
#pragma GCC unroll 5
                for (int k = 0; k < 5; ++k)
                    pair[k] = _mm512_or_si512(_mm512_srli_epi32(first[k], 24), _mm512_slli_epi32(last[k], 8));
                pair[5] = _mm512_setzero_si512();
#pragma GCC unroll 3
                for (int i = 0; i < 3; ++i)
                    to[v].below[i] = _mm512_or_si512(pair[2 * i], _mm512_slli_epi32(pair[2 * i + 1], 16));
            }
        }
    }

    /// `low`, less its first `Bits`, and behind it the first ones of `high`.
    template <int Bits>
    [[gnu::always_inline]] static __m512i join(__m512i low, __m512i high) noexcept {
        return _mm512_or_si512(_mm512_srli_epi32(low, Bits), _mm512_slli_epi32(high, 32 - Bits));
    }

    /// A line of taps, in the two quads that it meets from each place on.
    template <int Stride>
    static void pack_line(const __m512i (&tap)[5], __m512i (&to)[4 / Stride][2]) noexcept {
        const __m512i low = _mm512_or_si512(tap[0], _mm512_slli_epi32(tap[1], 8));
        const __m512i high = _mm512_or_si512(tap[2], _mm512_slli_epi32(tap[3], 8));
        const __m512i quad = _mm512_or_si512(low, _mm512_slli_epi32(high, 16));
        to[0][0] = quad;
        to[0][1] = tap[4];
#pragma GCC unroll 3
        for (int place = 1; place < 4 / Stride; ++place) {
            const unsigned bits = static_cast<unsigned>(8 * Stride * place);
            to[place][0] = _mm512_slli_epi32(quad, bits);
            to[place][1] = _mm512_or_si512(_mm512_srli_epi32(quad, 32 - bits), _mm512_slli_epi32(tap[4], bits));
        }
    }

    /// Lines of input rows and columns, from column `column` on, interleaved. `Inside`: no column is outside the image.
    template <int Parts, int Stride, bool Inside>
    [[gnu::always_inline]] static void mix(const constants& c, const input_rows<Parts, Stride>& rows,
                                           std::int64_t column, const int (&row)[4], const int (&place)[4],
                                           __m512i (&to)[4]) noexcept {
        __m512i line[4];
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) {
            const std::int64_t x = column + place[j];
            const auto at = [&](int part) __attribute__((always_inline)) {
                const image_row& from = rows.row[row[j]][part];
                const bool inside = Inside || (x >= 0 && x < rows.width);
                return inside ? from.start + x * from.pixel : rows.outside;
            };
            line[j] = load<Parts>(c, at);
        }
        interleave(c, line, to);
    }

    /// A quarter of a group: a column of input rows 1 to 4, and a share of the others.
    template <int Parts, int Stride, bool Inside>
    [[gnu::always_inline]] static void fill_quarter(const constants& c, const input_rows<Parts, Stride>& rows,
                                                    std::int64_t column, int quarter, group<Stride>& to) noexcept {
        const auto add =
            [&](const int(&row)[4], const int(&place)[4], __m512i(&mixed)[4])
                __attribute__((always_inline)) { mix<Parts, Stride, Inside>(c, rows, column, row, place, mixed); };
        add({1, 2, 3, 4}, {quarter, quarter, quarter, quarter}, to.middle[quarter]);
        if (quarter == 0) add({0, 0, 0, 0}, {0, 1, 2, 3}, to.above);
        if constexpr (Stride == 1) {
            if (quarter == 2) add({5, 5, 5, 5}, {0, 1, 2, 3}, to.below[0]);
        } else {
            if (quarter == 1) add({5, 6, 5, 6}, {0, 0, 1, 1}, to.below[0]);
            if (quarter == 3) add({5, 6, 5, 6}, {2, 2, 3, 3}, to.below[1]);
        }
    }

    template <int Parts, int Stride, bool Inside>
    [[gnu::noinline]] static void fill(const constants& c, const input_rows<Parts, Stride>& rows, std::int64_t column,
                                       group<Stride>& to) noexcept {
#pragma GCC unroll 4
        for (int quarter = 0; quarter < 4; ++quarter)
            fill_quarter<Parts, Stride, Inside>(c, rows, column, quarter, to);
    }

    template <int Parts, int Stride>
    static bool is_inside(const input_rows<Parts, Stride>& rows, std::int64_t column, std::int64_t count) noexcept {
        return column >= 0 && column + count <= rows.width;
    }

    template <int Parts, int Stride>
    static void fill(const constants& c, const input_rows<Parts, Stride>& rows, std::int64_t column,
                     group<Stride>& to) noexcept {
        if (is_inside(rows, column, 4))
            fill<Parts, Stride, true>(c, rows, column, to);
        else
            fill<Parts, Stride, false>(c, rows, column, to);
    }

    /// The groups that output columns read, and, behind them, as many as the next columns need in place of them.
    template <int Stride>
    struct group_ring {
        static constexpr int read = Stride + 1;
        group<Stride> memory[read + Stride];
        group<Stride>* at[read + Stride];

        group_ring() noexcept {
            for (int i = 0; i < read + Stride; ++i)
                at[i] = &memory[i];
        }
        void advance() noexcept {
            group<Stride>* free[Stride];
#pragma GCC unroll 2
            for (int i = 0; i < Stride; ++i)
                free[i] = at[i];
#pragma GCC unroll 3
            for (int i = 0; i < read; ++i)
                at[i] = at[Stride + i];
#pragma GCC unroll 2
            for (int i = 0; i < Stride; ++i)
                at[read + i] = free[i];
        }
    };

    /// The sums of one vector, of some columns of two output rows.
    template <int Columns>
    using sums = accumulator[2][Columns];

    template <int Stride, int Columns>
    [[gnu::always_inline]] static void add_middle(const vector_weights<Stride>& weights,
                                                  const group_ring<Stride>& groups, int v,
                                                  sums<Columns>& sum) noexcept {
        accumulator weight[2][5];  // settled, so that they are loaded once
#pragma GCC unroll 10
        for (int i = 0; i < 10; ++i) {
            weight[i / 5][i % 5] = reinterpret_cast<accumulator>(weights.middle[i / 5][i % 5]);
            dot::settle(weight[i / 5][i % 5]);
        }
#pragma GCC unroll 11
        for (int x = 0; x < (Columns - 1) * Stride + 5; ++x) {
            const __m512i bytes = groups.at[x / 4]->middle[x % 4][v];
#pragma GCC unroll 4
            for (int i = 0; i < Columns; ++i) {
                const int tap = x - i * Stride;
                if (tap < 0 || tap >= 5) continue;
                sum[0][i] = dot::step(sum[0][i], bytes, dot::bits(weight[0][tap]));
                sum[1][i] = dot::step(sum[1][i], bytes, dot::bits(weight[1][tap]));
            }
        }
    }

    template <int Stride, int Columns>
    [[gnu::always_inline]] static void add_outer(const vector_weights<Stride>& weights,
                                                 const group_ring<Stride>& groups, int v, sums<Columns>& sum) noexcept {
#pragma GCC unroll 4
        for (int i = 0; i < Columns; ++i) {
            const int quad = i * Stride / 4, place = i % (4 / Stride);
            sum[0][i] = dot::step(sum[0][i], groups.at[quad]->above[v], weights.above[place][0]);
            sum[0][i] = dot::step(sum[0][i], groups.at[quad + 1]->above[v], weights.above[place][1]);
            if constexpr (Stride == 1) {
                sum[1][i] = dot::step(sum[1][i], groups.at[quad]->below[0][v], weights.below[2 * place]);
                sum[1][i] = dot::step(sum[1][i], groups.at[quad + 1]->below[0][v], weights.below[2 * place + 1]);
            } else {
#pragma GCC unroll 3
                for (int k = 0; k < 3; ++k) {
                    const int pair = i + k;
                    sum[1][i] = dot::step(sum[1][i], groups.at[pair / 2]->below[pair % 2][v], weights.below[k]);
                }
            }
        }
    }

    /// The sums of a vector to bytes, of which those of four channels lie side by side for each column.
    template <int Columns>
    [[gnu::always_inline]] static __m512i bytes_of_columns(const constants& c, int v,
                                                           const accumulator (&sum)[Columns]) noexcept {
        simd::ints q[Columns];
        if (c.fixed) {
            simd::ints codes[Columns];  // in memory, unlike `q`
#pragma GCC unroll 4
            for (int i = 0; i < Columns; ++i)
                codes[i] = dot::bits(sum[i]);
            round_fixed<Columns>(c, v, codes);
#pragma GCC unroll 4
            for (int i = 0; i < Columns; ++i)
                q[i] = codes[i];
        } else {
            round<Columns>(c, v, sum, q);
        }
        constexpr int last = Columns - 1, second = last < 1 ? last : 1, third = last < 2 ? last : 2;
        __m512i bytes = c.is_signed ? simd::pack_in_parts<true>(q[0], q[second], q[third], q[last])
                                    : simd::pack_in_parts<false>(q[0], q[second], q[third], q[last]);
        if (c.limited)
            bytes = c.is_signed ? simd::limit<true>(bytes, c.low, c.high) : simd::limit<false>(bytes, c.low, c.high);
        return bytes;
    }

    template <int Columns>
    [[gnu::always_inline]] static void round(const constants& c, int v, const accumulator (&sum)[Columns],
                                             simd::ints (&q)[Columns]) noexcept {
        const __m512 scale = _mm512_load_ps(c.scale + 16 * v), bias = _mm512_load_ps(c.bias + 16 * v);
#pragma GCC unroll 4
        for (int i = 0; i < Columns; ++i)
            q[i] = _mm512_cvtps_epi32(_mm512_fmadd_ps(_mm512_cvtepi32_ps(dot::bits(sum[i])), scale, bias));
    }
    /// Sums become codes in fixed point. A function of its own: it is long, and what calls it is there many times.
    template <int Columns>
    [[gnu::noinline]] static void round_fixed(const constants& c, int v, simd::ints (&of_columns)[Columns]) noexcept {
        if (c.shifts) {
            simd::ints x[Columns];
            simd::fixed_factors factors[Columns];
#pragma GCC unroll 4
            for (int i = 0; i < Columns; ++i) {
                x[i] = of_columns[i];
                factors[i] = c.factors[v];
            }
            codes_of<simd>(x, factors, simd::broadcast_int(c.zero_point), of_columns);
            return;
        }
        const auto numbers = c.fixed_numbers.load<simd>(16 * v);
#pragma GCC unroll 4
        for (int i = 0; i < Columns; ++i)
            of_columns[i] = numbers.code(of_columns[i]);
    }

    /// From the bytes of four vectors, a column's after the other's, to those of each column.
    [[gnu::always_inline]] static void sort(const __m512i (&of_vector)[4], __m512i (&of_column)[4]) noexcept {
        const __m512i low01 = _mm512_unpacklo_epi32(of_vector[0], of_vector[1]);
        const __m512i high01 = _mm512_unpackhi_epi32(of_vector[0], of_vector[1]);
        const __m512i low23 = _mm512_unpacklo_epi32(of_vector[2], of_vector[3]);
        const __m512i high23 = _mm512_unpackhi_epi32(of_vector[2], of_vector[3]);
        of_column[0] = _mm512_unpacklo_epi64(low01, low23);
        of_column[1] = _mm512_unpackhi_epi64(low01, low23);
        of_column[2] = _mm512_unpacklo_epi64(high01, high23);
        of_column[3] = _mm512_unpackhi_epi64(high01, high23);
    }

    /// `Columns` columns of two output rows. `Fills`: the next groups, whose columns from `next` on are inside the image, are filled at
    /// the same time: interleaving and dot products keep different parts of a processor busy.
    template <int Parts, int Stride, int Columns, bool Fills>
    [[gnu::noinline]] static void run_columns(const weighted_constants<Stride>& c,
                                              const input_rows<Parts, Stride>& rows, std::int64_t next,
                                              const group_ring<Stride>& groups, target& out) noexcept {
        __m512i bytes[2][4];
        const auto run_vector = [&](int v) __attribute__((always_inline)) {
            sums<Columns> sum;
            const accumulator first = start(c, v);
#pragma GCC unroll 4
            for (int i = 0; i < Columns; ++i)
                sum[0][i] = sum[1][i] = first;
            add_middle<Stride, Columns>(c.weights[v], groups, v, sum);
            add_outer<Stride, Columns>(c.weights[v], groups, v, sum);
            bytes[0][v] = bytes_of_columns<Columns>(c, v, sum[0]);
            bytes[1][v] = bytes_of_columns<Columns>(c, v, sum[1]);
        };
        if constexpr (Fills) {
#pragma GCC unroll 4
            for (int v = 0; v < 4; ++v) {
#pragma GCC unroll 2
                for (int i = 0; i < Stride; ++i)
                    fill_quarter<Parts, Stride, true>(c, rows, next + 4 * i, v, *groups.at[groups.read + i]);
                run_vector(v);
            }
        } else {
#pragma GCC unroll 1
            for (int v = 0; v < 4; ++v)
                run_vector(v);
        }
#pragma GCC unroll 2
        for (int r = 0; r < 2; ++r) {
            __m512i pixels[4];
            sort(bytes[r], pixels);
#pragma GCC unroll 4
            for (int i = 0; i < Columns; ++i)
                store_parts<Parts>(c, pixels[i], out.to + r * out.row + i * out.pixel, out.apart);
        }
        out.to += Columns * out.pixel;
    }

    template <int Parts, int Stride>
    static void run_two_rows(const weighted_constants<Stride>& c, const input_rows<Parts, Stride>& rows,
                             std::int64_t pad, std::int64_t columns, target out) noexcept {
        group_ring<Stride> groups;
        const std::int64_t needed = ((columns - 1) * Stride + 5 + 3) / 4;
        std::int64_t filled = 0;
        for (; filled < needed && filled < groups.read; ++filled)
            fill(c, rows, 4 * filled - pad, *groups.at[filled]);
        for (std::int64_t left = columns; left > 0; left -= 4) {
            const std::int64_t next = 4 * filled - pad;
            if constexpr (Parts == 1) {  // all channels but the last few
                if (needed - filled >= Stride && is_inside(rows, next, 4 * Stride)) {
                    run_columns<Parts, Stride, 4, true>(c, rows, next, groups, out);
                    filled += Stride;
                    groups.advance();
                    continue;
                }
            }
            for (int i = 0; i < Stride && filled < needed; ++i, ++filled)
                fill(c, rows, 4 * filled - pad, *groups.at[groups.read + i]);
            switch (left) {
                case 1: run_columns<Parts, Stride, 1, false>(c, rows, next, groups, out); break;
                case 2: run_columns<Parts, Stride, 2, false>(c, rows, next, groups, out); break;
                case 3: run_columns<Parts, Stride, 3, false>(c, rows, next, groups, out); break;
                default: run_columns<Parts, Stride, 4, false>(c, rows, next, groups, out);
            }
            groups.advance();
        }
    }

    template <int Parts, int Stride>
    static void run_channels(const convolution_problem& problem, const work& job, const packed_channels& from,
                             const unsigned char* outside) noexcept {
        const convolution_shape& s = problem.shape;
        weighted_constants<Stride> c;
        prepare<Parts>(problem, from, outside, c);
        pack_weights<Parts, Stride>(from, c.weights);
        input_rows<Parts, Stride> input;
        input.outside = c.outside;
        input.width = s.in[2];
        for_each_range<Parts>(job, [&](const row_range& range, const part_rows& pairs) {
            for (std::int64_t i = range.begin; i < range.begin + pairs.count; ++i) {
                std::int64_t rows[Parts];
                for (int part = 0; part < Parts; ++part) {
                    rows[part] = row_of_pair(s, i + pairs.apart[part]);
                    const std::int64_t first = rows[part] * Stride - s.pad_begin[1];
                    for (int j = 0; j < input.count; ++j)
                        input.row[j][part] = find_row(problem, c, range.plane, first + j);
                }
                run_two_rows<Parts, Stride>(c, input, s.pad_begin[2], s.out[2],
                                            target_at<Parts>(problem, c, range.plane, rows, 0));
            }
        });
    }
};

}  // namespace lpt::inline LPT_ABI::kernel

#endif
#endif

// ======== lpt/kernel/neon/dot.hpp
#ifndef LPT_HOLDS_KERNEL_NEON_DOT_HPP
#define LPT_HOLDS_KERNEL_NEON_DOT_HPP
// Dot products of signed rows and signed columns on AArch64 without the dot-product extension, exact.

#if defined(__aarch64__)

#include <arm_neon.h>

namespace lpt::inline LPT_ABI::kernel {

namespace detail {

template <class Isa>
struct neon_base {
    typedef int accumulator __attribute__((vector_size(16)));
    using row_group = int8x16_t;
    using column_group = int8x16_t;
    static constexpr std::int64_t group = 4;
    static constexpr int lanes = 4;
    static constexpr bool unsigned_rows = false;
    static constexpr bool either_sign = false;

    [[gnu::always_inline]] static accumulator load(const std::int32_t* from) noexcept {
        return reinterpret_cast<accumulator>(vld1q_s32(from));
    }
    [[gnu::always_inline]] static void store(std::int32_t* to, accumulator value) noexcept {
        vst1q_s32(to, reinterpret_cast<int32x4_t>(value));
    }
    [[gnu::always_inline]] static void settle(accumulator& sum) noexcept { __asm__("" : "+w"(sum)); }
    [[gnu::always_inline]] static int32x4_t bits(accumulator value) noexcept {
        return reinterpret_cast<int32x4_t>(value);
    }
    [[gnu::always_inline]] static column_group load_columns(const unsigned char* from) noexcept {
        return vreinterpretq_s8_u8(vld1q_u8(from));
    }
    template <bool High>
    [[gnu::always_inline]] static column_group load_halves(const unsigned char* from) noexcept {
        const uint8x16_t bytes = vld1q_u8(from);
        return vreinterpretq_s8_u8(High ? vshrq_n_u8(bytes, 4) : vandq_u8(bytes, vdupq_n_u8(15)));
    }
    [[gnu::always_inline]] static row_group load_row(const unsigned char* from) noexcept {
        std::uint32_t four;
        __builtin_memcpy(&four, from, sizeof four);
        return vreinterpretq_s8_u32(vdupq_n_u32(four));
    }
    /// 16 columns of 4 rows of B, from column `n` on, as [column][4].
    [[gnu::always_inline]] static void interleave(unsigned char* to, const unsigned char* const (&lines)[4],
                                                  std::int64_t n) noexcept {
        // A variable, because clang's function is a macro.
        const uint8x16x4_t four = {
            {vld1q_u8(lines[0] + n), vld1q_u8(lines[1] + n), vld1q_u8(lines[2] + n), vld1q_u8(lines[3] + n)}};
        vst4q_u8(to, four);
    }
    [[gnu::always_inline]] static void interleave_block(unsigned char* to, const unsigned char* const (&lines)[4],
                                                        std::int64_t count, unsigned char flip) noexcept {
        uint8x16x4_t four;
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) {
            unsigned char whole[16] = {};
            const unsigned char* from = lines[j];
            if (count < 16) {
                copy_few<Isa, 16>(whole, from, count);
                from = whole;
            }
            four.val[j] = veorq_u8(vld1q_u8(from), vdupq_n_u8(flip));
        }
        vst4q_u8(to, four);
    }
    [[gnu::always_inline]] static void prepare_rows(unsigned char* to, const unsigned char* from, std::int64_t count,
                                                    bool is_signed) noexcept {
        const std::uint8_t top_bits = is_signed ? 0 : 0x80;
        std::int64_t i = 0;
        for (; i + 16 <= count; i += 16)
            vst1q_u8(to + i, veorq_u8(vld1q_u8(from + i), vdupq_n_u8(top_bits)));
        for (; i < count; ++i)
            to[i] = static_cast<unsigned char>(from[i] ^ top_bits);
    }
};

} // namespace detail

/// Products of two signed bytes fit in 16 bits, sums of two need not: pairs of products are widened to 32 bits as they are added. With
/// two k values a column, a vector of products takes one such addition, and its pairs are the columns.
template <>
struct dot_product<on::neon> : detail::neon_base<on::neon> {
    using row_group = int8x8_t;
    using column_group = int8x8_t;
    static constexpr std::int64_t group = 2;
    static constexpr int rows = 6;  // 24 accumulators, 4 column registers, 1 row register, 1 for products
    static constexpr int vectors = 4;

    [[gnu::always_inline]] static column_group load_columns(const unsigned char* from) noexcept {
        return vreinterpret_s8_u8(vld1_u8(from));
    }
    template <bool High>
    [[gnu::always_inline]] static column_group load_halves(const unsigned char* from) noexcept {
        const uint8x8_t bytes = vld1_u8(from);
        return vreinterpret_s8_u8(High ? vshr_n_u8(bytes, 4) : vand_u8(bytes, vdup_n_u8(15)));
    }
    [[gnu::always_inline]] static row_group load_row(const unsigned char* from) noexcept {
        std::uint16_t two;
        __builtin_memcpy(&two, from, sizeof two);
        return vreinterpret_s8_u16(vdup_n_u16(two));
    }
    [[gnu::always_inline]] static accumulator step(accumulator sum, row_group row, column_group column) noexcept {
        return reinterpret_cast<accumulator>(vpadalq_s16(reinterpret_cast<int32x4_t>(sum), vmull_s8(row, column)));
    }
    /// 16 columns of 2 rows of B, from column `n` on, as [column][2].
    [[gnu::always_inline]] static void interleave(unsigned char* to, const unsigned char* const (&lines)[2],
                                                  std::int64_t n) noexcept {
        const uint8x16x2_t two = {{vld1q_u8(lines[0] + n), vld1q_u8(lines[1] + n)}};
        vst2q_u8(to, two);
    }
};

/// Depthwise convolution: four k values, whose two sums are added at every step.
template <>
struct dot_of_four<on::neon> : detail::neon_base<on::neon> {
    static constexpr int rows = 4;  // 16 accumulators, 4 column registers, 1 row register and room for the products
    static constexpr int vectors = 4;

    [[gnu::always_inline]] static accumulator step(accumulator sum, row_group row, column_group column) noexcept {
        const int32x4_t low = vpaddlq_s16(vmull_s8(vget_low_s8(row), vget_low_s8(column)));
        const int32x4_t high = vpaddlq_s16(vmull_high_s8(row, column));
        return sum + reinterpret_cast<accumulator>(vpaddq_s32(low, high));
    }
};

}  // namespace lpt::inline LPT_ABI::kernel

#endif
#endif

// ======== lpt/kernel/neon/lanes.hpp
#ifndef LPT_HOLDS_KERNEL_NEON_LANES_HPP
#define LPT_HOLDS_KERNEL_NEON_LANES_HPP
// `lanes` of 4 numbers, for AArch64.

#if defined(__aarch64__)

#include <arm_neon.h>

namespace lpt::inline LPT_ABI::kernel {

namespace detail {

template <class Isa>
struct lanes_128 : xsimd_lanes<Isa, xsimd::neon64> {
    using base = xsimd_lanes<Isa, xsimd::neon64>;
    using typename base::floats;
    using typename base::ints;

    [[gnu::always_inline]] static floats fma(floats a, floats b, floats c) noexcept { return vfmaq_f32(c, a, b); }
    // Compare and select, because the minimum and maximum instructions keep NaN.
    [[gnu::always_inline]] static floats at_least(floats value, floats low) noexcept {
        return vbslq_f32(vcgtq_f32(value, low), value, low);
    }
    [[gnu::always_inline]] static floats at_most(floats value, floats high) noexcept {
        return vbslq_f32(vcltq_f32(value, high), value, high);
    }
    [[gnu::always_inline]] static ints load_u8(const std::uint8_t* from) noexcept {
        std::uint32_t four;
        __builtin_memcpy(&four, from, sizeof four);
        const uint8x8_t bytes = vreinterpret_u8_u32(vdup_n_u32(four));
        return vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(vmovl_u8(bytes))));
    }
    [[gnu::always_inline]] static ints load_i8(const std::int8_t* from) noexcept {
        std::uint32_t four;
        __builtin_memcpy(&four, from, sizeof four);
        const int8x8_t bytes = vreinterpret_s8_u32(vdup_n_u32(four));
        return vmovl_s16(vget_low_s16(vmovl_s8(bytes)));
    }
    // xsimd computes these for the 32-bit architecture too, by approximation; here they must be correctly rounded.
    [[gnu::always_inline]] static floats divide(floats a, floats b) noexcept { return vdivq_f32(a, b); }
    [[gnu::always_inline]] static floats sqrt(floats value) noexcept { return vsqrtq_f32(value); }
    [[gnu::always_inline]] static floats floor(floats value) noexcept { return vrndmq_f32(value); }
    [[gnu::always_inline]] static floats ceiling(floats value) noexcept { return vrndpq_f32(value); }
    [[gnu::always_inline]] static floats round_even(floats value) noexcept { return vrndnq_f32(value); }
    [[gnu::always_inline]] static ints round_to_int(floats value) noexcept { return vcvtnq_s32_f32(value); }
    [[gnu::always_inline]] static ints bits(floats value) noexcept { return vreinterpretq_s32_f32(value); }
    [[gnu::always_inline]] static floats from_bits(ints value) noexcept { return vreinterpretq_f32_s32(value); }
    /// 16-bit halves: (low of a, low of b).
    [[gnu::always_inline]] static ints pair(ints a, ints b) noexcept { return vsliq_n_s32(a, b, 16); }
    /// sum + a.low * b.low + a.high * b.high
    [[gnu::always_inline]] static ints multiply_pairs(ints sum, ints a, ints b) noexcept {
        const int16x8_t x = vreinterpretq_s16_s32(a);
        const int16x8_t y = vreinterpretq_s16_s32(b);
        const int32x4_t low = vmull_s16(vget_low_s16(x), vget_low_s16(y));
        return vaddq_s32(sum, vpaddq_s32(low, vmull_high_s16(x, y)));
    }
    // xsimd looks the count up in a list of all counts, and fails an assertion past its end.
    [[gnu::always_inline]] static ints shift_left_23(ints value) noexcept { return vshlq_n_s32(value, 23); }
    [[gnu::always_inline]] static ints shift_right_23(ints value) noexcept { return vshrq_n_s32(value, 23); }
    [[gnu::always_inline]] static ints shift_right_1(ints value) noexcept { return vshrq_n_s32(value, 1); }
    [[gnu::always_inline]] static ints sign(ints value) noexcept { return vshrq_n_s32(value, 31); }
    [[gnu::always_inline]] static ints shift_left(ints value, int by) noexcept {
        return vshlq_s32(value, vdupq_n_s32(by));
    }
    [[gnu::always_inline]] static ints shift_right(ints value, ints by) noexcept {
        return vshlq_s32(value, vnegq_s32(by));
    }
    [[gnu::always_inline]] static ints doubling_high_product(ints a, ints b) noexcept { return vqrdmulhq_s32(a, b); }
    /// Shifts are to the left.
    struct fixed_factors {
        int32x4_t multiplier, left;
    };
    [[gnu::always_inline]] static fixed_factors factors_of(ints multiplier, ints right) noexcept {
        return {multiplier, vsubq_s32(vdupq_n_s32(-1), right)};
    }
    /// The rounding shift rounds half up: negative numbers are one less before.
    [[gnu::always_inline]] static ints rounded_twice(ints x, const fixed_factors& by) noexcept {
        const int32x4_t high = vqrdmulhq_s32(x, by.multiplier);
        return vrshlq_s32(vsraq_n_s32(high, high, 31), by.left);
    }
    [[gnu::always_inline]] static int32x2_t rounded_products(int32x2_t value, const double* by) noexcept {
        const float64x2_t most = vdupq_n_f64(1073741824.0);
        const float64x2_t product = vmulq_f64(vcvtq_f64_s64(vmovl_s32(value)), vld1q_f64(by));
        const float64x2_t half =
            vbslq_f64(vdupq_n_u64(std::uint64_t{1} << 63), product, vdupq_n_f64(0.49999999999999994));
        const float64x2_t limited = vminq_f64(vaddq_f64(product, half), most);
        return vmovn_s64(vcvtq_s64_f64(vmaxq_f64(limited, vnegq_f64(most))));
    }
    [[gnu::always_inline]] static ints rounded_products(ints value, const double* by) noexcept {
        const int32x4_t all = value;
        return vcombine_s32(rounded_products(vget_low_s32(all), by), rounded_products(vget_high_s32(all), by + 2));
    }
    using bytes = uint8x16_t;
    /// The numbers of four vectors as bytes in order, saturated to i8 (`Signed`) or u8.
    template <bool Signed>
    [[gnu::always_inline]] static bytes pack(ints a, ints b, ints c, ints d) noexcept {
        const int16x8_t low = vqmovn_high_s32(vqmovn_s32(a), b);
        const int16x8_t high = vqmovn_high_s32(vqmovn_s32(c), d);
        if constexpr (Signed)
            return vreinterpretq_u8_s8(vqmovn_high_s16(vqmovn_s16(low), high));
        else
            return vqmovun_high_s16(vqmovun_s16(low), high);
    }
    /// The same: there are no parts to pack in.
    template <bool Signed>
    [[gnu::always_inline]] static bytes pack_in_parts(ints a, ints b, ints c, ints d) noexcept {
        return pack<Signed>(a, b, c, d);
    }
    /// Four vectors whose bytes `pack_in_parts` would leave in order are in that order themselves.
    [[gnu::always_inline]] static void order_parts(floats (&)[4]) noexcept {}
    /// Rounds for packing with saturation: NaN and what is below `low` becomes it; `high` and `low` are what bytes are limited to.
    [[gnu::always_inline]] static ints round_for_packing(floats value, floats low, floats high) noexcept {
        return round_to_int(at_most(at_least(value, low), high));
    }
    static constexpr int stream_alignment = 16;
    // There is no vector store past the caches; processors find out by themselves.
    [[gnu::always_inline]] static void stream(float* to, floats value) noexcept { base::store(to, value); }
    [[gnu::always_inline]] static void stream_bytes(std::uint8_t* to, bytes value) noexcept { vst1q_u8(to, value); }
    [[gnu::always_inline]] static void end_stream() noexcept {}
    /// Stores the first `count` (<= 16) of packed bytes.
    [[gnu::always_inline]] static void store_first(std::uint8_t* to, bytes value, std::int64_t count) noexcept {
        store_piece<0, 16>(to, value, count);
    }
    /// Limits packed bytes to [low, high].
    template <bool Signed>
    [[gnu::always_inline]] static bytes limit(bytes value, std::int32_t low, std::int32_t high) noexcept {
        if constexpr (Signed) {
            const int8x16_t from = vdupq_n_s8(static_cast<std::int8_t>(low));
            const int8x16_t to = vdupq_n_s8(static_cast<std::int8_t>(high));
            return vreinterpretq_u8_s8(vminq_s8(vmaxq_s8(vreinterpretq_s8_u8(value), from), to));
        } else {
            const uint8x16_t from = vdupq_n_u8(static_cast<std::uint8_t>(low));
            const uint8x16_t to = vdupq_n_u8(static_cast<std::uint8_t>(high));
            return vminq_u8(vmaxq_u8(value, from), to);
        }
    }
    /// Stores the first `count` (<= Size) bytes of the piece of packed bytes at [First, First + Size).
    template <int First, int Size>
    [[gnu::always_inline]] static void store_piece(std::uint8_t* to, bytes value, std::int64_t count) noexcept {
        unsigned char whole[16];
        vst1q_u8(whole, value);
        if (count == Size)
            __builtin_memcpy(to, whole + First, Size);
        else
            copy_few<Isa, Size>(to, whole + First, count);
    }
    template <bool Signed>
    [[gnu::always_inline]] static void store_bytes(std::uint8_t* to, ints a, ints b, ints c, ints d) noexcept {
        vst1q_u8(to, pack<Signed>(a, b, c, d));
    }
    /// An instruction looks up in 64 bytes, and leaves what lies outside of them.
    [[gnu::always_inline]] static std::int64_t look_up(const std::uint8_t* table, const std::uint8_t* from,
                                                       std::uint8_t* to, std::int64_t count) noexcept {
        const uint8x16x4_t part[4] = {vld1q_u8_x4(table), vld1q_u8_x4(table + 64), vld1q_u8_x4(table + 128),
                                      vld1q_u8_x4(table + 192)};
        std::int64_t i = 0;
        for (; i + 16 <= count; i += 16) {
            const uint8x16_t at = vld1q_u8(from + i);
            uint8x16_t found = vqtbl4q_u8(part[0], at);
            found = vqtbx4q_u8(found, part[1], vsubq_u8(at, vdupq_n_u8(64)));
            found = vqtbx4q_u8(found, part[2], vsubq_u8(at, vdupq_n_u8(128)));
            found = vqtbx4q_u8(found, part[3], vsubq_u8(at, vdupq_n_u8(192)));
            vst1q_u8(to + i, found);
        }
        return i;
    }
    /// Sum of `count` unsigned bytes after flipping the bits of `flip` in each.
    [[gnu::always_inline]] static std::uint32_t sum_bytes(const unsigned char* from, std::int64_t count,
                                                          unsigned char flip) noexcept {
        uint32x4_t sum = vdupq_n_u32(0);
        std::int64_t i = 0;
        for (; i + 16 <= count; i += 16)
            sum = vpadalq_u16(sum, vpaddlq_u8(veorq_u8(vld1q_u8(from + i), vdupq_n_u8(flip))));
        std::uint32_t total = vaddvq_u32(sum);
        for (; i < count; ++i)
            total += static_cast<std::uint32_t>(from[i] ^ flip);
        return total;
    }
    [[gnu::always_inline]] static void store_byte(std::uint8_t* to, ints value) noexcept {
        const int16x4_t words = vmovn_s32(value);
        const int8x8_t bytes = vmovn_s16(vcombine_s16(words, words));
        const std::uint32_t four = vget_lane_u32(vreinterpret_u32_s8(bytes), 0);
        __builtin_memcpy(to, &four, sizeof four);
    }
};

}  // namespace detail

template <>
struct lanes<on::neon> : detail::lanes_128<on::neon> {};
template <>
struct lanes<on::neon_dot> : detail::lanes_128<on::neon_dot> {};
template <>
struct lanes<on::neon_i8mm> : detail::lanes_128<on::neon_i8mm> {};

}  // namespace lpt::inline LPT_ABI::kernel

#endif
#endif

// ======== lpt/kernel/neon_dot/dot.hpp
#ifndef LPT_HOLDS_KERNEL_NEON_DOT_DOT_HPP
#define LPT_HOLDS_KERNEL_NEON_DOT_DOT_HPP
// The 4-element dot product of signed rows and signed columns on AArch64 with the dot-product extension.

#if defined(__aarch64__) && defined(__ARM_FEATURE_DOTPROD)

namespace lpt::inline LPT_ABI::kernel {

template <>
struct dot_product<on::neon_dot> : detail::neon_base<on::neon_dot> {
    static constexpr int rows = 6;  // 24 accumulators, 6 row registers, 1 column register
    static constexpr int vectors = 4;

    /// Four k groups of a row in one register: repeating each of them in all lanes takes an instruction of the multipliers' ports.
    using row_block = int8x16_t;
    [[gnu::always_inline]] static row_block load_row_block(const unsigned char* from) noexcept {
        return vreinterpretq_s8_u8(vld1q_u8(from));
    }
    template <int Group>
    [[gnu::always_inline]] static accumulator step_picked(accumulator sum, row_block block,
                                                          column_group column) noexcept {
        return reinterpret_cast<accumulator>(vdotq_laneq_s32(reinterpret_cast<int32x4_t>(sum), column, block, Group));
    }
    [[gnu::always_inline]] static accumulator step(accumulator sum, row_group row, column_group column) noexcept {
        return reinterpret_cast<accumulator>(vdotq_s32(reinterpret_cast<int32x4_t>(sum), row, column));
    }
};

}  // namespace lpt::inline LPT_ABI::kernel

#endif
#endif

// ======== lpt/kernel/neon_i8mm/dot.hpp
#ifndef LPT_HOLDS_KERNEL_NEON_I8MM_DOT_HPP
#define LPT_HOLDS_KERNEL_NEON_I8MM_DOT_HPP
// Products of 2 x 8 bytes with 8 x 2 bytes on AArch64 with the matrix multiplication extension of 8-bit integers.

#if defined(__aarch64__) && defined(__ARM_FEATURE_MATMUL_INT8) && defined(__ARM_FEATURE_DOTPROD)

namespace lpt::inline LPT_ABI::kernel {

/// Columns are packed as for dot products of eight bytes, so two of them side by side are one operand of a matrix product; two rows
/// are the other (`dense_tile` of this instruction set). A vector of the tile is 4 columns.
template <>
struct dot_product<on::neon_i8mm> : detail::neon_base<on::neon_i8mm> {
    using row_group = int8x8_t;
    using column_group = int8x16x2_t;
    static constexpr std::int64_t group = 8;
    static constexpr int rows =
        4;  // 2 pairs of rows x 12 pairs of columns: 24 accumulators, 2 registers of rows, some of columns
    static constexpr int vectors = 6;
    static constexpr bool either_sign = true;

    [[gnu::always_inline]] static row_group load_row(const unsigned char* from) noexcept {
        return vreinterpret_s8_u8(vld1_u8(from));
    }
    [[gnu::always_inline]] static column_group load_columns(const unsigned char* from) noexcept {
        return {{vreinterpretq_s8_u8(vld1q_u8(from)), vreinterpretq_s8_u8(vld1q_u8(from + 16))}};
    }
    /// sum[lane] += row . column[lane], for column sums.
    [[gnu::always_inline]] static accumulator step(accumulator sum, row_group row, column_group column) noexcept {
        const int8x16_t both = vcombine_s8(row, row);
        const int32x4_t first = vdotq_s32(vdupq_n_s32(0), both, column.val[0]);
        const int32x4_t second = vdotq_s32(vdupq_n_s32(0), both, column.val[1]);
        return sum + reinterpret_cast<accumulator>(vpaddq_s32(first, second));
    }
    /// 16 columns of 8 rows of B, from column `n` on, as [column][8].
    [[gnu::always_inline]] static void interleave(unsigned char* to, const unsigned char* const (&lines)[8],
                                                  std::int64_t n) noexcept {
        uint16x8_t pair[2][4];  // half of the columns, rows 2 j and 2 j + 1
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) {
            const uint8x16_t a = vld1q_u8(lines[2 * j] + n);
            const uint8x16_t b = vld1q_u8(lines[2 * j + 1] + n);
            pair[0][j] = vreinterpretq_u16_u8(vzip1q_u8(a, b));
            pair[1][j] = vreinterpretq_u16_u8(vzip2q_u8(a, b));
        }
#pragma GCC unroll 2
        for (int half = 0; half < 2; ++half) {
            const auto& p = pair[half];
            interleave_fours(to + half * 64, vzip1q_u16(p[0], p[1]), vzip1q_u16(p[2], p[3]));
            interleave_fours(to + half * 64 + 32, vzip2q_u16(p[0], p[1]), vzip2q_u16(p[2], p[3]));
        }
    }
    [[gnu::always_inline]] static void prepare_rows(unsigned char* to, const unsigned char* from, std::int64_t count,
                                                    bool) noexcept {
        __builtin_memcpy(to, from, static_cast<std::size_t>(count));
    }

private:
    /// Four columns: rows 0 to 3 and rows 4 to 7.
    [[gnu::always_inline]] static void interleave_fours(unsigned char* to, uint16x8_t low, uint16x8_t high) noexcept {
        const uint32x4_t a = vreinterpretq_u32_u16(low);
        const uint32x4_t b = vreinterpretq_u32_u16(high);
        vst1q_u8(to, vreinterpretq_u8_u32(vzip1q_u32(a, b)));
        vst1q_u8(to + 16, vreinterpretq_u8_u32(vzip2q_u32(a, b)));
    }
};

/// The instruction set has the dot products of four bytes as well: for depthwise convolution.
template <>
struct dot_of_four<on::neon_i8mm> : detail::neon_base<on::neon_i8mm> {
    static constexpr int rows = 6;
    static constexpr int vectors = 4;

    [[gnu::always_inline]] static accumulator step(accumulator sum, row_group row, column_group column) noexcept {
        return reinterpret_cast<accumulator>(vdotq_s32(reinterpret_cast<int32x4_t>(sum), row, column));
    }
};

}  // namespace lpt::inline LPT_ABI::kernel

#endif
#endif

// ======== lpt/kernel/tile_fetches.hpp
#ifndef LPT_HOLDS_KERNEL_TILE_FETCHES_HPP
#define LPT_HOLDS_KERNEL_TILE_FETCHES_HPP
// What tiles of the dense kernel fetch into the caches while they multiply.

namespace lpt::inline LPT_ABI::kernel {

/// What tiles fetch between their k groups, a few lines every four groups: all at once, they would keep the tile's own loads waiting.
/// One for all tiles of a panel; the loops over k have no registers left for it.
struct tile_fetches {
    const unsigned char* result = nullptr;  // the next row of the tile's results of 32 bits: stores would wait for them
    std::int64_t row_bytes = 0;
    const unsigned char* residual = nullptr;  // what is added to that row, or null
    std::int64_t residual_bytes = 0;
    std::int64_t rows = 0;  // that are left
    const unsigned char* panel = nullptr;  // what is left of the panel that is needed next
    std::int64_t panel_bytes = 0;
    std::int64_t interval = 1;  // every so many tiles fetch a part of it
    std::int64_t wait = 0;  // tiles until the next one that does

    /// A tile fetches a quarter of a panel, less if it leaves out taps.
    [[gnu::always_inline]] void start_panel(const unsigned char* next, std::int64_t bytes,
                                            std::int64_t tiles) noexcept {
        panel = next;
        panel_bytes = next == nullptr || bytes < 8192 ? 0 : bytes;  // a few lines come soon enough
        interval = tiles / 5;
    }
    /// What is added to the rows of results that the next tile fetches.
    [[gnu::always_inline]] void start_residual(const unsigned char* from, std::int64_t bytes) noexcept {
        residual = from;
        residual_bytes = bytes;
    }
    /// Whether the next tile, which has `result_rows` rows of results to fetch, has to fetch something.
    [[gnu::always_inline]] bool start_tile(const unsigned char* to, std::int64_t result_bytes,
                                           std::int64_t result_rows) noexcept {
        result = to;
        row_bytes = result_bytes;
        rows = result_rows;
        if (panel_bytes <= 0) return result_rows > 0;
        if (--wait <= 0) wait = interval;
        return wait == interval || result_rows > 0;
    }
    /// A row of results, or as many bytes of the panel as a k group has, which is a quarter of what the tile reads meanwhile.
    template <std::int64_t RowBytes, std::int64_t GroupBytes>
    [[gnu::always_inline]] void fetch() noexcept {
        if (rows > 0) {
            for (std::int64_t at = 0; at < RowBytes; at += 64)
                __builtin_prefetch(result + at, 1);
            result += row_bytes;
            --rows;
            if (residual != nullptr) {
                for (std::int64_t at = 0; at < RowBytes; at += 64)
                    __builtin_prefetch(residual + at);
                residual += residual_bytes;
            }
        } else if (panel_bytes > 0) {
            for (std::int64_t at = 0; at < GroupBytes; at += 64)
                __builtin_prefetch(panel + at, 0, 2);
            panel += GroupBytes;
            panel_bytes -= GroupBytes;
        }
        __asm__ volatile("" : : : "memory");  // or members would be kept in registers after all
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/dense_tile.hpp
#ifndef LPT_HOLDS_KERNEL_DENSE_TILE_HPP
#define LPT_HOLDS_KERNEL_DENSE_TILE_HPP
// The inner loop of the dense kernel: a tile of rows x columns whose sums stay in registers over the whole depth, and from there go
// to memory, as sums or as requantized bytes.

namespace lpt::inline LPT_ABI::kernel {

/// What a tile leaves in memory.
enum class tile_result : std::uint8_t {
    sums,  ///< the sums themselves
    floats,  ///< fma(float(sum), scale, bias)
    bytes,  ///< the same, after a known list of steps if there is one, rounded and saturated to u8 or i8; or codes in fixed point
};

/// Tiles of the same height below each other: which rows, which panel, where the results go. Rows are in the form that `load_row` reads,
/// and their last k group is readable as a whole.
template <class Sum, class Factors>
struct tile_work {
    std::int64_t tiles = 1;
    const unsigned char* const* pointers = nullptr;  // row r, tap t: pointers[r * row_pointers + t]
    std::int64_t row_pointers = 1;
    std::int64_t taps = 1;
    const unsigned char* zeros = nullptr;  // a row of zeros: taps for which all rows of a tile are this one add nothing
    std::int64_t offset = 0;  // bytes from a pointer to the first channel
    std::int64_t channels = 0;
    bool signed_rows = false;  // for tiles that take either sign
    const unsigned char* panel = nullptr;
    const std::uint16_t* order = nullptr;  // of the panel's k groups, or null: they stand as they are numbered
    tile_fetches* fetches = nullptr;
    const Sum* start = nullptr;  // first value of each column's sums
    const Sum* row_start = nullptr;  // what each row's sums start with in addition, or null

    tile_result result = tile_result::sums;
    bool signed_bytes = false;
    bool limited = false;  // the limits are narrower than the type
    std::int32_t low = 0;
    std::int32_t high = 0;
    const float* scale = nullptr;  // of the panel's columns, readable up to the panel's width
    const float* bias = nullptr;
    const column_steps* steps =
        nullptr;  // a known list, or null: then sums that become bytes need no clamp before they are rounded
    const Factors* factors = nullptr;  // of the vectors of a panel, for codes in fixed point: then sums have their bias
    std::int32_t zero_point = 0;  // of these codes
    row_places rows;  // of the output
    std::int64_t columns = 0;  // that are stored as bytes; of other results, all of the panel's width are
    unsigned char* to = nullptr;
    std::int64_t row_bytes = 0;

    /// Where tap `t` of row `r` begins.
    [[gnu::always_inline]] const unsigned char* row(std::int64_t r, std::int64_t t) const noexcept {
        return pointers[r * row_pointers + t] + offset;
    }
    /// Whether tap `t` of all rows of a tile is the row of zeros.
    template <int Rows>
    [[gnu::always_inline]] bool adds_nothing(std::int64_t t) const noexcept {
        if (pointers[t] != zeros) return false;
        bool all = true;
        for (int r = 1; r < Rows; ++r)
            all = all && pointers[r * row_pointers + t] == zeros;
        return all;
    }
    /// The tile below.
    template <int Rows>
    [[gnu::always_inline]] void move_down() noexcept {
        pointers += Rows * row_pointers;
        to += Rows * row_bytes;
        rows.first += Rows * rows.step;
        if (row_start != nullptr) row_start += Rows;
    }
};

template <class Isa, class Arithmetic>
struct dense_tile {
    using sum_type = typename Arithmetic::sum_type;
    using accumulator = typename Arithmetic::accumulator;
    using factors_type = typename lanes<Isa>::fixed_factors;
    using work = tile_work<sum_type, factors_type>;
    using function = void (*)(const work&) noexcept;
    static constexpr int lanes_per_vector = Arithmetic::lanes;
    static constexpr std::int64_t vector_bytes = Arithmetic::lanes * Arithmetic::column_group_bytes;
    static constexpr std::int64_t row_step = Arithmetic::group * Arithmetic::row_value_bytes;  // bytes of a k group

    /// Rows of the highest tile for panels of `vectors` vectors: narrow ones need more rows to have enough sums under way.
    static constexpr int rows_for(int vectors) noexcept {
        const int rows = Arithmetic::rows * Arithmetic::vectors / vectors;
        return rows < most_rows ? rows : most_rows;
    }
    static constexpr int most_rows = 12;

    /// The height of the next tile when `rows` (>= 1) rows are left. Panels of full width have tiles of all heights: as few as
    /// possible, as even as possible, since a low one waits for its columns. Narrow ones have few heights, each of which costs compile
    /// time, and take the highest that fits; so do columns of four bits.
    static constexpr int height_for(std::int64_t rows, int vectors, bool four_bits = false) noexcept {
        const int highest = rows_for(vectors);
        if (four_bits) return rows >= highest ? highest : rows >= 4 ? 4 : rows >= 2 ? 2 : 1;
        if (vectors == Arithmetic::vectors) {
            const std::int64_t tiles = (rows + highest - 1) / highest;
            return static_cast<int>((rows + tiles - 1) / tiles);
        }
        if (rows >= highest) return highest;
        return rows >= 8 ? 8 : rows >= 4 ? 4 : rows >= 2 ? 2 : 1;
    }

    /// How many tiles of that height are next.
    static constexpr std::int64_t tiles_for(std::int64_t rows, int vectors, bool four_bits = false) noexcept {
        const int height = height_for(rows, vectors, four_bits);
        if (four_bits || vectors != Arithmetic::vectors) return rows / height;
        const std::int64_t tiles = (rows + height - 1) / height;
        return rows - tiles * (height - 1);
    }

    /// Whether tiles apply the post operations of an epilogue. Columns of four bits have none that do, which would double their code.
    static bool takes_list(const epilogue& e, bool four_bits) noexcept {
        return !four_bits && form_of(e) != step_form::any;
    }

    /// The tile of a height that `height_for` gives and so many vectors (1 ... Arithmetic::vectors).
    static function find(int height, std::int64_t vectors, bool four_bits = false) noexcept {
        if constexpr (!Arithmetic::is_float) {
            if (four_bits) return find_halves<1>(height, vectors);
        }
        return find_from<1>(height, vectors);
    }

private:
    /// From here on tiles that do not fetch between their k groups fetch all results at once. Shorter ones would lose more than they
    /// gain.
    static constexpr std::int64_t long_depth = 768;

    template <int Vectors>
    static function find_from(int height, std::int64_t vectors) noexcept {
        if constexpr (Vectors < Arithmetic::vectors) {
            if (vectors != Vectors) return find_from<Vectors + 1>(height, vectors);
        }
        constexpr int highest = rows_for(Vectors);
        if constexpr (Vectors == Arithmetic::vectors) {
            return heights<Vectors>(height, std::make_integer_sequence<int, highest>());
        } else {
            if (height == highest) return &run<highest, Vectors>;
            if constexpr (highest > 8) {
                if (height == 8) return &run<8, Vectors>;
            }
            if (height == 4) return &run<4, Vectors>;
            return height == 2 ? &run<2, Vectors> : &run<1, Vectors>;
        }
    }
    template <int Vectors>
    static function find_halves(int height, std::int64_t vectors) noexcept {
        if constexpr (Vectors < Arithmetic::vectors) {
            if (vectors != Vectors) return find_halves<Vectors + 1>(height, vectors);
        }
        if (height == rows_for(Vectors)) return &run<rows_for(Vectors), Vectors, true>;
        return height == 4 ? &run<4, Vectors, true> : height == 2 ? &run<2, Vectors, true> : &run<1, Vectors, true>;
    }
    template <int Vectors, int... Heights>
    static function heights(int height, std::integer_sequence<int, Heights...>) noexcept {
        static constexpr function table[] = {&run<Heights + 1, Vectors>...};
        return table[height - 1];
    }

    /// Sums that are under way at once: the dot product has a latency of 4 to 5 cycles and a throughput of up to two a cycle, so a low
    /// tile takes several k groups at a time. The order of float sums is part of their definition.
    static constexpr int sets_for(int sums) noexcept {
        const int wanted = (10 + sums - 1) / sums;
        const int fitting = Arithmetic::rows * Arithmetic::vectors / sums;
        const int most = fitting < 4 ? fitting : 4;
        return Arithmetic::is_float || most < 1 ? 1 : wanted < most ? wanted : most;
    }
    template <int Rows, int Vectors>
    static constexpr int sets = sets_for(Rows * Vectors);

    static constexpr bool has_pairs = dense_layout<Arithmetic>::pairings != 0;
    /// Columns are any, or their pairs fit, as they stand or where `order` puts those of the rows next to each other.
    enum class pairs { any, fit, fit_in_order };

    template <pairs Pairs, int Rows, int Vectors>
    [[gnu::always_inline]] static void multiply(accumulator (&sum)[Rows][Vectors],
                                                const typename Arithmetic::column_group (&column)[Vectors], int r,
                                                typename Arithmetic::row_group row) noexcept {
#pragma GCC unroll 8
        for (int v = 0; v < Vectors; ++v) {
            if constexpr (Pairs == pairs::any)
                sum[r][v] = Arithmetic::step(sum[r][v], row, column[v]);
            else
                sum[r][v] = Arithmetic::pair_step(sum[r][v], row, column[v]);
        }
    }

    /// What a k group of columns is in memory: bytes, or their low or high halves.
    enum class columns_in { bytes, low_halves, high_halves };
    template <columns_in Where>
    [[gnu::always_inline]] static typename Arithmetic::column_group load_columns(const unsigned char* from) noexcept {
        if constexpr (Where == columns_in::bytes)
            return Arithmetic::load_columns(from);
        else
            return Arithmetic::template load_halves < Where == columns_in::high_halves > (from);
    }

    /// One k group: `at` bytes into each row.
    template <int Rows, int Vectors, columns_in Where = columns_in::bytes, pairs Pairs = pairs::any, class... Order>
    [[gnu::always_inline]] static void multiply_group(accumulator (&sum)[Rows][Vectors],
                                                      const unsigned char* const (&row)[Rows], std::int64_t at,
                                                      const unsigned char* panel, Order... order) noexcept {
        typename Arithmetic::column_group column[Vectors];
#pragma GCC unroll 8
        for (int v = 0; v < Vectors; ++v)
            column[v] = load_columns<Where>(panel + v * vector_bytes);
        if constexpr ((Rows == 2 || Rows == 3 || Pairs != pairs::any) && requires { Arithmetic::keep(column[0]); }) {
#pragma GCC unroll 8
            for (int v = 0; v < Vectors; ++v)
                Arithmetic::keep(column[v]);
        }
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r) {
            auto values = Arithmetic::load_row(row[r] + at);
            if constexpr (Pairs == pairs::fit_in_order) values = Arithmetic::paired(values, order...);
            multiply<Pairs, Rows, Vectors>(sum, column, r, values);
        }
    }

    /// All k groups of a tap in the order that packing gave them.
    template <int Rows, int Vectors>
    [[gnu::always_inline]] static const unsigned char*
    multiply_ordered(accumulator (&sum)[Rows][Vectors], const unsigned char* const (&row)[Rows],
                     const std::uint16_t* fitting, std::int64_t groups, const unsigned char* panel) noexcept {
        constexpr auto bytes = columns_in::bytes;
        const std::uint16_t* number = fitting + Arithmetic::pairings;
        const std::uint16_t* const end = number + groups;
        const std::uint16_t* past = number + fitting[0];
        for (; number < past; ++number, panel += Vectors * vector_bytes)
            multiply_group<Rows, Vectors, bytes, pairs::fit>(sum, row, *number * row_step, panel);
        for (int p = 1; p < Arithmetic::pairings; ++p) {
            const auto order = Arithmetic::neighbours(p);
            past = number + fitting[p];
            for (; number < past; ++number, panel += Vectors * vector_bytes)
                multiply_group<Rows, Vectors, bytes, pairs::fit_in_order>(sum, row, *number * row_step, panel, order);
        }
        for (; number < end; ++number, panel += Vectors * vector_bytes)
            multiply_group<Rows, Vectors>(sum, row, *number * row_step, panel);
        return panel;
    }

    /// Whether four k groups of a row are loaded at once, of which a dot product picks one.
    static constexpr bool takes_row_blocks = requires { typename Arithmetic::row_block; };

    /// One k group of four: `Group` of the rows' blocks.
    template <int Group, columns_in Where, int Rows, int Vectors, class Block>
    [[gnu::always_inline]] static void multiply_picked(accumulator (&sum)[Rows][Vectors], const Block (&row)[Rows],
                                                       const unsigned char* panel) noexcept {
#pragma GCC unroll 8
        for (int v = 0; v < Vectors; ++v) {
            const auto column = load_columns<Where>(panel + v * vector_bytes);
#pragma GCC unroll 16
            for (int r = 0; r < Rows; ++r)
                sum[r][v] = Arithmetic::template step_picked<Group>(sum[r][v], row[r], column);
        }
    }

    /// Four k groups at a time, as far as there are so many; gives how many bytes of the rows that was.
    template <bool FourBits, int Rows, int Vectors>
    [[gnu::always_inline]] static std::int64_t
    multiply_blocks(accumulator (&sum)[sets<Rows, Vectors>][Rows][Vectors], const unsigned char* const (&row)[Rows],
                    std::int64_t bytes, const unsigned char*& panel) noexcept {
        constexpr int count = sets<Rows, Vectors>;
        constexpr std::int64_t step = Vectors * vector_bytes;
        std::int64_t at = 0;
        for (; at + 4 * row_step <= bytes; at += 4 * row_step) {
            typename Arithmetic::row_block block[Rows];
#pragma GCC unroll 16
            for (int r = 0; r < Rows; ++r)
                block[r] = Arithmetic::load_row_block(row[r] + at);
            constexpr columns_in even = FourBits ? columns_in::low_halves : columns_in::bytes;
            constexpr columns_in odd = FourBits ? columns_in::high_halves : columns_in::bytes;
            constexpr std::int64_t next = FourBits ? 0 : step;
            multiply_picked<0, even>(sum[0], block, panel);
            multiply_picked<1, odd>(sum[1 % count], block, panel + next);
            panel += next + step;
            multiply_picked<2, even>(sum[2 % count], block, panel);
            multiply_picked<3, odd>(sum[3 % count], block, panel + next);
            panel += next + step;
        }
        return at;
    }

    /// The highest tiles take several k groups at a time, so that processors foresee the end of the loop.
    template <int Rows, int Vectors>
    static constexpr bool is_large =
        Vectors == Arithmetic::vectors && Rows + 1 >= Arithmetic::rows && !Arithmetic::is_float;

    /// Whether they fetch between them. Shorter vectors take so much longer that processors fetch soon enough.
    template <int Rows, int Vectors>
    static constexpr bool fetches_ahead = is_large<Rows, Vectors> && vector_bytes >= 64 && !takes_row_blocks;

    /// `bytes` bytes of the rows, whole k groups.
    template <int Rows, int Vectors>
    [[gnu::always_inline]] static const unsigned char*
    multiply_run(accumulator (&sum)[sets<Rows, Vectors>][Rows][Vectors], const unsigned char* const (&row)[Rows],
                 std::int64_t bytes, const unsigned char* panel, [[maybe_unused]] tile_fetches* fetches) noexcept {
        constexpr int count = sets<Rows, Vectors>;
        constexpr int groups = is_large<Rows, Vectors> ? 4 : count;
        std::int64_t at = 0;
        if constexpr (takes_row_blocks) {
            at = multiply_blocks<false, Rows, Vectors>(sum, row, bytes, panel);
        } else if constexpr (groups > 1) {
            for (; at + groups * row_step <= bytes; at += groups * row_step) {
                if constexpr (fetches_ahead<Rows, Vectors>) {
                    if (fetches != nullptr) fetches->fetch<Vectors * Arithmetic::lanes * 4, Vectors * vector_bytes>();
                }
#pragma GCC unroll 4
                for (int s = 0; s < groups; ++s)
                    multiply_group<Rows, Vectors>(sum[s % count], row, at + s * row_step,
                                                  panel + s * Vectors * vector_bytes);
                panel += groups * Vectors * vector_bytes;
            }
        }
        for (; at < bytes; at += row_step) {
            multiply_group<Rows, Vectors>(sum[0], row, at, panel);
            panel += Vectors * vector_bytes;
        }
        return panel;
    }

    /// All k groups of tap `t`, in the panel's order if it has one.
    template <int Rows, int Vectors>
    [[gnu::always_inline]] static const unsigned char*
    multiply_tap(accumulator (&sum)[sets<Rows, Vectors>][Rows][Vectors], const unsigned char* const (&row)[Rows],
                 [[maybe_unused]] const std::uint16_t* order, [[maybe_unused]] std::int64_t t, std::int64_t groups,
                 const unsigned char* panel, tile_fetches* fetches) noexcept {
        if constexpr (has_pairs) {
            if (order != nullptr)
                return multiply_ordered<Rows, Vectors>(sum[0], row, order + t * (Arithmetic::pairings + groups), groups,
                                                       panel);
        }
        return multiply_run<Rows, Vectors>(sum, row, groups * row_step, panel, fetches);
    }

    /// The same for columns of four bits.
    template <int Rows, int Vectors>
    [[gnu::always_inline]] static const unsigned char*
    multiply_halves(accumulator (&sum)[sets<Rows, Vectors>][Rows][Vectors], const unsigned char* const (&row)[Rows],
                    std::int64_t bytes, const unsigned char* panel) noexcept {
        constexpr int last = sets<Rows, Vectors> > 1 ? 1 : 0;
        constexpr pairs small = has_pairs ? pairs::fit : pairs::any;
        std::int64_t at = 0;
        if constexpr (takes_row_blocks) at = multiply_blocks<true, Rows, Vectors>(sum, row, bytes, panel);
        for (; at + 2 * row_step <= bytes; at += 2 * row_step, panel += Vectors * vector_bytes) {
            multiply_group<Rows, Vectors, columns_in::low_halves, small>(sum[0], row, at, panel);
            multiply_group<Rows, Vectors, columns_in::high_halves, small>(sum[last], row, at + row_step, panel);
        }
        if (at < bytes) {
            multiply_group<Rows, Vectors, columns_in::low_halves, small>(sum[0], row, at, panel);
            panel += Vectors * vector_bytes;
        }
        return panel;
    }

    template <int Rows, int Vectors, bool FourBits = false>
    static void run(const work& all) noexcept {
        work w = all;
        for (std::int64_t i = 0; i < all.tiles; ++i) {
            run_one<Rows, Vectors, FourBits>(w);
            w.template move_down<Rows>();
        }
    }

    template <int Rows, int Vectors, bool FourBits>
    [[gnu::always_inline]] static void run_one(const work& w) noexcept {
        constexpr int count = sets<Rows, Vectors>;
        const unsigned char* panel = w.panel;
        const std::int64_t groups = (w.channels + Arithmetic::group - 1) / Arithmetic::group;
        [[maybe_unused]] tile_fetches* fetches = nullptr;
        if constexpr (fetches_ahead<Rows, Vectors> && !FourBits) {
            // Rows of results that follow each other are foreseen by the processor.
            const bool apart = w.result != tile_result::bytes && w.row_bytes != Vectors * Arithmetic::lanes * 4;
            if (apart && w.steps != nullptr)
                w.fetches->start_residual(w.steps->residual_row(w.rows.first),
                                          w.rows.step * w.steps->step[0].residual_row_bytes);
            if (w.fetches->start_tile(w.to, w.row_bytes, apart ? Rows : 0)) fetches = w.fetches;
        } else if (w.result != tile_result::bytes && w.taps * w.channels >= long_depth) {
            prefetch_results<Rows, Vectors>(w);
        }
        accumulator sum[count][Rows][Vectors];
#pragma GCC unroll 8
        for (int v = 0; v < Vectors; ++v) {
            const accumulator first = Arithmetic::load(w.start + v * Arithmetic::lanes);
#pragma GCC unroll 16
            for (int r = 0; r < Rows; ++r) {
                sum[0][r][v] = first;
#pragma GCC unroll 4
                for (int s = 1; s < count; ++s)
                    sum[s][r][v] = Arithmetic::zero();
            }
        }
        if constexpr (!Arithmetic::is_float) {
            if (w.row_start != nullptr) add_row_start<Rows, Vectors>(sum[0], w.row_start);
        }
        for (std::int64_t t = 0; t < w.taps; ++t) {
            if constexpr (!Arithmetic::is_float) {
                if (w.template adds_nothing<Rows>(t)) {
                    panel += (FourBits ? (groups + 1) / 2 : groups) * Vectors * vector_bytes;
                    continue;
                }
            }
            const unsigned char* row[Rows];
#pragma GCC unroll 16
            for (int r = 0; r < Rows; ++r)
                row[r] = w.row(r, t);
            if constexpr (FourBits)
                panel = multiply_halves<Rows, Vectors>(sum, row, groups * row_step, panel);
            else
                panel = multiply_tap<Rows, Vectors>(sum, row, w.order, t, groups, panel, fetches);
        }
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
            for (int v = 0; v < Vectors; ++v) {
#pragma GCC unroll 4
                for (int s = 1; s < count; ++s)
                    sum[0][r][v] = sum[0][r][v] + sum[s][r][v];
                Arithmetic::settle(sum[0][r][v]);
            }
        }
        if constexpr (!Arithmetic::is_float) {
            if (w.result == tile_result::floats) {
                store_floats<!FourBits, Rows, Vectors>(w, sum[0]);
                return;
            }
            if (w.result == tile_result::bytes) {
                store_requantized<!FourBits>(w, sum[0]);
                return;
            }
        }
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r) {
            sum_type* const to = reinterpret_cast<sum_type*>(w.to + r * w.row_bytes);
#pragma GCC unroll 8
            for (int v = 0; v < Vectors; ++v)
                Arithmetic::store(to + v * Arithmetic::lanes, sum[0][r][v]);
        }
    }

    template <int Rows, int Vectors>
    [[gnu::always_inline]] static void prefetch_results(const work& w) noexcept {
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r) {
            for (std::int64_t at = 0; at < Vectors * Arithmetic::lanes * 4; at += 64)
                __builtin_prefetch(w.to + r * w.row_bytes + at, 1);
        }
    }

    template <int Rows, int Vectors>
    [[gnu::always_inline]] static void add_row_start(accumulator (&sum)[Rows][Vectors],
                                                     const sum_type* row_start) noexcept {
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r) {
            const accumulator value = accumulator{} + row_start[r];
#pragma GCC unroll 8
            for (int v = 0; v < Vectors; ++v)
                sum[r][v] = sum[r][v] + value;
        }
    }

    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    using ints = typename simd::ints;
    /// Vector `v` of the rows, scaled and shifted. The columns' numbers stay in registers.
    template <int Rows, int Vectors>
    [[gnu::always_inline]] static void scale_vector(const work& w, const accumulator (&sum)[Rows][Vectors], int v,
                                                    floats (&x)[Rows]) noexcept {
        const floats scale = simd::load(w.scale + v * Arithmetic::lanes);
        const floats bias = simd::load(w.bias + v * Arithmetic::lanes);
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r)
            x[r] = simd::fma(simd::to_float(ints(Arithmetic::bits(sum[r][v]))), scale, bias);
    }

    template <bool TakesList, int Rows, int Vectors>
    [[gnu::always_inline]] static void store_floats(const work& w, accumulator (&sum)[Rows][Vectors]) noexcept {
#pragma GCC unroll 8
        for (int v = 0; v < Vectors; ++v) {
            floats x[Rows];
            scale_vector<Rows, Vectors>(w, sum, v, x);
            if (TakesList && w.steps != nullptr)
                column_store<Isa>::add_real(*w.steps, w.rows, v * Arithmetic::lanes, x);
#pragma GCC unroll 16
            for (int r = 0; r < Rows; ++r)
                simd::store(reinterpret_cast<float*>(w.to + r * w.row_bytes) + v * Arithmetic::lanes, x[r]);
        }
    }

    /// Scale, bias, a list of steps and rounding.
    template <class List, int Rows, int Vectors>
    [[gnu::always_inline]] static void round_finished(const work& w, const accumulator (&sum)[Rows][Vectors],
                                                      ints (&q)[Rows][Vectors]) noexcept {
        const floats low = simd::broadcast(static_cast<float>(w.low));
        const floats high = simd::broadcast(static_cast<float>(w.high));
#pragma GCC unroll 8
        for (int v = 0; v < Vectors; ++v) {
            floats x[Rows];
            const std::int64_t left = v + 1 < Vectors ? Arithmetic::lanes : w.columns - v * Arithmetic::lanes;
            scale_vector<Rows, Vectors>(w, sum, v, x);
            column_store<Isa>::template apply<List>(*w.steps, w.rows, {v * Arithmetic::lanes, left}, x);
#pragma GCC unroll 16
            for (int r = 0; r < Rows; ++r)
                q[r][v] = simd::round_for_packing(x[r], low, high);
        }
    }

    /// Codes in fixed point, stored as soon as a store is full: their registers are needed for the next.
    template <int Rows, int Vectors>
    [[gnu::always_inline]] static void store_fixed(const work& w, const accumulator (&sum)[Rows][Vectors]) noexcept {
        constexpr int rows_at_once = 4 / Vectors;
        constexpr int count = rows_at_once * Vectors;
        const ints zero = simd::broadcast_int(w.zero_point);
#pragma GCC unroll 16
        for (int r = 0; r < Rows; r += rows_at_once) {
            ints x[count];
            ints q[count];
#pragma GCC unroll 4
            for (int i = 0; i < count; ++i) {
                const int row = r + i / Vectors < Rows ? r + i / Vectors : r;
                x[i] = ints(Arithmetic::bits(sum[row][i % Vectors]));
            }
            codes_of<simd, count, Vectors>(x, w.factors, zero, q);
            store_rows<Rows, Vectors>(w, r, q[0], q[1 % count], q[2 % count], q[3 % count]);
        }
    }

    /// Stores four vectors as bytes of the 4 / Vectors rows from `r` on; rows past the last are left out.
    template <int Rows, int Vectors>
    [[gnu::always_inline]] static void store_rows(const work& w, int r, ints a, ints b, ints c, ints d) noexcept {
        constexpr int rows_at_once = 4 / Vectors;
        constexpr int row_size = Vectors * Arithmetic::lanes;
        auto packed = w.signed_bytes ? simd::template pack<true>(a, b, c, d) : simd::template pack<false>(a, b, c, d);
        if (w.limited) {
            packed = w.signed_bytes ? simd::template limit<true>(packed, w.low, w.high)
                                    : simd::template limit<false>(packed, w.low, w.high);
        }
        unsigned char* const to = w.to + r * w.row_bytes;
        simd::template store_piece<0, row_size>(to, packed, w.columns);
        if constexpr (rows_at_once > 1) {
            if (r + 1 < Rows) simd::template store_piece<row_size, row_size>(to + w.row_bytes, packed, w.columns);
        }
        if constexpr (rows_at_once > 2) {
            if (r + 2 < Rows)
                simd::template store_piece<2 * row_size, row_size>(to + 2 * w.row_bytes, packed, w.columns);
            if (r + 3 < Rows)
                simd::template store_piece<3 * row_size, row_size>(to + 3 * w.row_bytes, packed, w.columns);
        }
    }

    /// Scale, bias, steps, rounding, saturation and store, without a detour through memory. Columns outermost, so that the constants
    /// of a column stay in registers; a store takes the bytes of four vectors, from several rows where the panel is narrow.
    template <bool TakesList, int Rows, int Vectors>
    [[gnu::always_inline]] static void store_requantized(const work& w, accumulator (&sum)[Rows][Vectors]) noexcept {
        static_assert(simd::width == Arithmetic::lanes && Vectors <= 4);
        if (TakesList && w.factors != nullptr) return store_fixed<Rows, Vectors>(w, sum);
        ints q[Rows][Vectors];
        if (!TakesList || w.steps == nullptr) {
#pragma GCC unroll 8
            for (int v = 0; v < Vectors; ++v) {
                floats x[Rows];
                scale_vector<Rows, Vectors>(w, sum, v, x);
#pragma GCC unroll 16
                for (int r = 0; r < Rows; ++r)
                    q[r][v] = simd::round_to_int(x[r]);
            }
        } else if (w.steps->form == step_form::clamp_scale) {
            round_finished<clamp_scale, Rows, Vectors>(w, sum, q);
        } else if (w.steps->form == step_form::prelu) {
            round_finished<prelu_alone, Rows, Vectors>(w, sum, q);
        } else if (w.steps->form == step_form::requantized) {
            round_finished<requantized, Rows, Vectors>(w, sum, q);
        } else {
            round_finished<quantized_sum, Rows, Vectors>(w, sum, q);
        }
        constexpr int rows_at_once = 4 / Vectors;
#pragma GCC unroll 16
        for (int r = 0; r < Rows; r += rows_at_once) {
            const auto part = [&](int i) __attribute__((always_inline)) -> ints {
                const int row = r + i / Vectors < Rows ? r + i / Vectors : r;
                return q[row][i % Vectors];
            };
            store_rows<Rows, Vectors>(w, r, part(0), part(1), part(2), part(3));
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/neon_i8mm/tile.hpp
#ifndef LPT_HOLDS_KERNEL_NEON_I8MM_TILE_HPP
#define LPT_HOLDS_KERNEL_NEON_I8MM_TILE_HPP
// The inner loop of the dense kernel where an instruction multiplies matrices of bytes.

#if defined(__aarch64__) && defined(__ARM_FEATURE_MATMUL_INT8) && defined(__ARM_FEATURE_DOTPROD)

namespace lpt::inline LPT_ABI::kernel {

/// Sums are blocks of 2 rows x 2 columns, which become vectors of 4 columns of a row at the end. A pair of rows is put together from two
/// loads and an insertion; a wide tile makes that one vector instruction in thirteen.
template <>
struct dense_tile<on::neon_i8mm, integer_arithmetic<on::neon_i8mm>> {
    using arithmetic = integer_arithmetic<on::neon_i8mm>;
    using accumulator = arithmetic::accumulator;
    using simd = lanes<on::neon_i8mm>;
    using factors_type = simd::fixed_factors;
    using work = tile_work<std::int32_t, factors_type>;
    using function = void (*)(const work&) noexcept;
    static constexpr std::int64_t vector_bytes = arithmetic::lanes * arithmetic::column_group_bytes;

    /// Pairs of rows of the highest tile for panels of `vectors` vectors.
    static constexpr int pairs_for(int vectors) noexcept { return vectors <= 3 ? 4 : 2; }

    /// The height of the next tile when `rows` (>= 1) rows are left.
    static constexpr int height_for(std::int64_t rows, int vectors, bool = false) noexcept {
        const int highest = 2 * pairs_for(vectors);
        if (rows >= highest) return highest;
        return rows >= 4 ? 4 : rows >= 2 ? 2 : 1;
    }
    /// How many tiles of that height are next.
    static constexpr std::int64_t tiles_for(std::int64_t rows, int vectors, bool four_bits = false) noexcept {
        return rows / height_for(rows, vectors, four_bits);
    }
    /// Whether tiles apply the post operations of an epilogue.
    static bool takes_list(const epilogue&, bool) noexcept { return false; }
    /// The tile of a height that `height_for` gives and so many vectors (1 ... 6), over columns of 8 or 4 bits.
    static function find(int height, std::int64_t vectors, bool four_bits = false) noexcept {
        return four_bits ? find_from<1, true>(height, vectors) : find_from<1, false>(height, vectors);
    }

private:
    template <int Vectors, bool FourBits>
    static function find_from(int height, std::int64_t vectors) noexcept {
        if constexpr (Vectors < arithmetic::vectors) {
            if (vectors != Vectors) return find_from<Vectors + 1, FourBits>(height, vectors);
        }
        if constexpr (pairs_for(Vectors) == 4) {
            if (height == 8) return &run<8, Vectors, FourBits>;
        }
        if (height == 4) return &run<4, Vectors, FourBits>;
        // A single row is computed twice and stored once.
        return height == 2 ? &run<2, Vectors, FourBits> : &run<1, Vectors, FourBits>;
    }

    template <int Rows, int Vectors, bool FourBits>
    static void run(const work& all) noexcept {
        work w = all;
        for (std::int64_t i = 0; i < all.tiles; ++i) {
            run_one<Rows, Vectors, FourBits>(w);
            w.move_down<Rows>();
        }
    }

    /// Two columns of 8 values: of a panel of 8 bits, or the low or high halves of bytes.
    enum class columns_in { bytes, low_halves, high_halves };
    template <columns_in Where>
    [[gnu::always_inline]] static int8x16_t load_pair(const unsigned char* from) noexcept {
        const uint8x16_t bytes = vld1q_u8(from);
        if constexpr (Where == columns_in::low_halves)
            return vreinterpretq_s8_u8(vandq_u8(bytes, vdupq_n_u8(15)));
        else if constexpr (Where == columns_in::high_halves)
            return vreinterpretq_s8_u8(vshrq_n_u8(bytes, 4));
        else
            return vreinterpretq_s8_u8(bytes);
    }

    template <bool Signed>
    [[gnu::always_inline]] static int32x4_t multiply(int32x4_t sum, int8x16_t rows, int8x16_t columns) noexcept {
        if constexpr (Signed)
            return vmmlaq_s32(sum, rows, columns);
        else
            return vusmmlaq_s32(sum, vreinterpretq_u8_s8(rows), columns);
    }

    /// One k group: `at` bytes into each row.
    template <int Pairs, int Vectors, bool Signed, columns_in Where>
    [[gnu::always_inline]] static void multiply_group(int32x4_t (&sum)[Pairs][2 * Vectors],
                                                      const unsigned char* const (&row)[2 * Pairs], std::int64_t at,
                                                      const unsigned char* panel) noexcept {
        int8x16_t rows[Pairs];
#pragma GCC unroll 4
        for (int p = 0; p < Pairs; ++p)
            rows[p] = vcombine_s8(vreinterpret_s8_u8(vld1_u8(row[2 * p] + at)),
                                  vreinterpret_s8_u8(vld1_u8(row[2 * p + 1] + at)));
#pragma GCC unroll 12
        for (int c = 0; c < 2 * Vectors; ++c) {
            const int8x16_t columns = load_pair<Where>(panel + c * 16);
#pragma GCC unroll 4
            for (int p = 0; p < Pairs; ++p)
                sum[p][c] = multiply<Signed>(sum[p][c], rows[p], columns);
        }
    }

    template <int Pairs, int Vectors, bool Signed, bool FourBits>
    [[gnu::always_inline]] static const unsigned char*
    multiply_run(int32x4_t (&sum)[Pairs][2 * Vectors], const unsigned char* const (&row)[2 * Pairs], std::int64_t bytes,
                 const unsigned char* panel) noexcept {
        constexpr std::int64_t step = Vectors * vector_bytes;
        std::int64_t at = 0;
        if constexpr (FourBits) {
            for (; at + 16 <= bytes; at += 16, panel += step) {
                multiply_group<Pairs, Vectors, Signed, columns_in::low_halves>(sum, row, at, panel);
                multiply_group<Pairs, Vectors, Signed, columns_in::high_halves>(sum, row, at + 8, panel);
            }
            if (at < bytes) {
                multiply_group<Pairs, Vectors, Signed, columns_in::low_halves>(sum, row, at, panel);
                panel += step;
            }
        } else {
            for (; at < bytes; at += 8, panel += step)
                multiply_group<Pairs, Vectors, Signed, columns_in::bytes>(sum, row, at, panel);
        }
        return panel;
    }

    template <int Rows, int Vectors, bool Signed, bool FourBits>
    [[gnu::always_inline]] static void multiply_taps(const work& w,
                                                     int32x4_t (&sum)[(Rows + 1) / 2][2 * Vectors]) noexcept {
        constexpr int pairs = (Rows + 1) / 2;
        const unsigned char* panel = w.panel;
        const std::int64_t groups = (w.channels + arithmetic::group - 1) / arithmetic::group;
        for (std::int64_t t = 0; t < w.taps; ++t) {
            if (w.adds_nothing<Rows>(t)) {
                panel += (FourBits ? (groups + 1) / 2 : groups) * Vectors * vector_bytes;
                continue;
            }
            const unsigned char* row[2 * pairs];
#pragma GCC unroll 8
            for (int r = 0; r < 2 * pairs; ++r)
                row[r] = w.row(r < Rows ? r : Rows - 1, t);
            panel = multiply_run<pairs, Vectors, Signed, FourBits>(sum, row, groups * arithmetic::group, panel);
        }
    }

    template <int Rows, int Vectors, bool FourBits>
    [[gnu::always_inline]] static void run_one(const work& w) noexcept {
        constexpr int pairs = (Rows + 1) / 2;
        int32x4_t sum[pairs][2 * Vectors];
#pragma GCC unroll 6
        for (int v = 0; v < Vectors; ++v) {
            const int64x2_t first = vreinterpretq_s64_s32(vld1q_s32(w.start + v * arithmetic::lanes));
            const int32x4_t low = vreinterpretq_s32_s64(vdupq_laneq_s64(first, 0));
            const int32x4_t high = vreinterpretq_s32_s64(vdupq_laneq_s64(first, 1));
#pragma GCC unroll 4
            for (int p = 0; p < pairs; ++p) {
                sum[p][2 * v] = low;
                sum[p][2 * v + 1] = high;
            }
        }
        if (w.signed_rows)
            multiply_taps<Rows, Vectors, true, FourBits>(w, sum);
        else
            multiply_taps<Rows, Vectors, false, FourBits>(w, sum);
        store_rows<Rows, Vectors>(w, sum);
    }

    /// Vectors of 4 columns of row `r`.
    template <int Pairs, int Vectors>
    [[gnu::always_inline]] static int32x4_t row_vector(const int32x4_t (&sum)[Pairs][2 * Vectors], int r,
                                                       int v) noexcept {
        const int64x2_t low = vreinterpretq_s64_s32(sum[r / 2][2 * v]);
        const int64x2_t high = vreinterpretq_s64_s32(sum[r / 2][2 * v + 1]);
        return vreinterpretq_s32_s64(r % 2 == 0 ? vtrn1q_s64(low, high) : vtrn2q_s64(low, high));
    }

    template <int Rows, int Vectors>
    [[gnu::always_inline]] static void store_rows(const work& w,
                                                  int32x4_t (&sum)[(Rows + 1) / 2][2 * Vectors]) noexcept {
#pragma GCC unroll 8
        for (int r = 0; r < Rows; ++r) {
            const int32x4_t added = vdupq_n_s32(w.row_start != nullptr ? w.row_start[r] : 0);
            int32x4_t row[Vectors];
#pragma GCC unroll 6
            for (int v = 0; v < Vectors; ++v)
                row[v] = vaddq_s32(row_vector<(Rows + 1) / 2, Vectors>(sum, r, v), added);
            unsigned char* const to = w.to + r * w.row_bytes;
            if (w.result == tile_result::sums) {
#pragma GCC unroll 6
                for (int v = 0; v < Vectors; ++v)
                    vst1q_s32(reinterpret_cast<std::int32_t*>(to) + v * arithmetic::lanes, row[v]);
            } else {
                store_scaled<Vectors>(w, row, to);
            }
        }
    }

    template <int Vectors>
    [[gnu::always_inline]] static void store_scaled(const work& w, const int32x4_t (&row)[Vectors],
                                                    unsigned char* to) noexcept {
        using ints = simd::ints;
        if (w.factors != nullptr) {
            ints code[Vectors];
#pragma GCC unroll 6
            for (int v = 0; v < Vectors; ++v)
                code[v] = simd::add_int(simd::rounded_twice(row[v], w.factors[v]), simd::broadcast_int(w.zero_point));
            store_codes<Vectors>(w, code, to);
            return;
        }
        simd::floats value[Vectors];
#pragma GCC unroll 6
        for (int v = 0; v < Vectors; ++v)
            value[v] = simd::fma(simd::to_float(ints(row[v])), simd::load(w.scale + v * arithmetic::lanes),
                                 simd::load(w.bias + v * arithmetic::lanes));
        if (w.result == tile_result::floats) {
#pragma GCC unroll 6
            for (int v = 0; v < Vectors; ++v)
                simd::store(reinterpret_cast<float*>(to) + v * arithmetic::lanes, value[v]);
            return;
        }
        ints code[Vectors];
#pragma GCC unroll 6
        for (int v = 0; v < Vectors; ++v)
            code[v] = simd::round_to_int(value[v]);
        store_codes<Vectors>(w, code, to);
    }

    template <int Vectors>
    [[gnu::always_inline]] static void store_codes(const work& w, const simd::ints (&code)[Vectors],
                                                   unsigned char* to) noexcept {
        // A store takes the bytes of four vectors.
#pragma GCC unroll 2
        for (int first = 0; first < Vectors; first += 4) {
            const auto part = [&](int i) __attribute__((always_inline)) -> simd::ints {
                return code[first + i < Vectors ? first + i : first];
            };
            auto packed = w.signed_bytes ? simd::pack<true>(part(0), part(1), part(2), part(3))
                                         : simd::pack<false>(part(0), part(1), part(2), part(3));
            if (w.limited) {
                packed = w.signed_bytes ? simd::limit<true>(packed, w.low, w.high)
                                        : simd::limit<false>(packed, w.low, w.high);
            }
            const std::int64_t columns = w.columns - first * arithmetic::lanes;
            const std::int64_t most = (Vectors - first < 4 ? Vectors - first : 4) * arithmetic::lanes;
            store_first(to + first * arithmetic::lanes, packed, columns < most ? columns : most);
        }
    }

    /// Stores the first `count` (<= 16) bytes.
    [[gnu::always_inline]] static void store_first(unsigned char* to, uint8x16_t value, std::int64_t count) noexcept {
        if (count == 16) {
            vst1q_u8(to, value);
        } else if (count > 0) {
            unsigned char whole[16];
            vst1q_u8(whole, value);
            copy_few<on::neon_i8mm, 16>(to, whole, count);
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel

#endif
#endif

// ======== lpt/kernel/dense_lines.hpp
#ifndef LPT_HOLDS_KERNEL_DENSE_LINES_HPP
#define LPT_HOLDS_KERNEL_DENSE_LINES_HPP
// Which rows of the dense kernel go through tiles together, where rows are the pixels of lines.

namespace lpt::inline LPT_ABI::kernel {

/// Rows that are the pixels of lines: at both ends of a line there are columns of pixels that have taps outside the image. A template on the
/// instruction set only to keep one copy per instruction set.
template <class Isa>
struct lines_with_ends {
    std::int64_t line = 0;  // rows of a line, or 0
    std::int64_t left = 0;  // columns
    std::int64_t right = 0;

    /// The most rows of a block of lines: as many lines as a tile has rows, or all of `rows`, if these are not many.
    std::int64_t most_rows(std::int64_t rows, std::int64_t tile_rows, std::int64_t many) const noexcept {
        return rows + line <= many ? rows + line : line * tile_rows;
    }

    /// Which columns at the ends of lines become strips, in blocks of so many lines: with those that have taps outside the image also what
    /// is left over from whole tiles in between, if that takes fewer tiles than one in each line.
    lines_with_ends with_leftovers(std::int64_t lines, std::int64_t tile_rows) const noexcept {
        lines_with_ends result = *this;
        const std::int64_t inside = line - left - right;
        const std::int64_t over = inside % tile_rows;
        if (inside > tile_rows && over * ((lines + tile_rows - 1) / tile_rows) < lines) result.right += over;
        return result;
    }

    /// Rows of a block that are equally far from each other: its `i`-th strip, first those between the ends of lines, then the columns
    /// at the ends. A block has `rows` rows from row `first` on.
    struct strip {
        std::int64_t begin = 0;
        std::int64_t count = 0;
        std::int64_t step = 1;
    };
    std::int64_t strips(std::int64_t first, std::int64_t rows) const noexcept {
        if (line == 0) return 1;
        return (first % line + rows + line - 1) / line + left + right;
    }
    strip strip_at(std::int64_t first, std::int64_t rows, std::int64_t i) const noexcept {
        if (line == 0) return {0, rows, 1};
        const std::int64_t before = first % line;  // rows of the first line that are not in the block
        const std::int64_t lines = (before + rows + line - 1) / line;
        if (i < lines) {
            const std::int64_t from = i * line + left - before;
            const std::int64_t to = (i + 1) * line - right - before;
            const std::int64_t begin = from < 0 ? 0 : from;
            const std::int64_t end = to < rows ? to : rows;
            return {begin, end > begin ? end - begin : 0, 1};
        }
        const std::int64_t column = i - lines < left ? i - lines : line - left - right + i - lines;
        const std::int64_t begin = column < before ? column + line - before : column - before;
        return {begin, begin < rows ? (rows - begin + line - 1) / line : 0, line};
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/dense_row.hpp
#ifndef LPT_HOLDS_KERNEL_DENSE_ROW_HPP
#define LPT_HOLDS_KERNEL_DENSE_ROW_HPP
// One row times packed columns.

namespace lpt::inline LPT_ABI::kernel {

/// A sum waits for the one before into the same column, and a panel alone has few of them under way: several go side by side. Each
/// column adds in the order of k, as in a tile.
template <class Isa, class Arithmetic>
struct dense_row {
    using layout = dense_layout<Arithmetic>;
    using sum_type = typename Arithmetic::sum_type;
    static constexpr int vectors = Arithmetic::vectors;
    static constexpr int panels = vectors < 4 ? 8 / vectors : 2;
    static constexpr std::int64_t columns = panels * layout::panel_columns;

    /// Adds the row's products with `panels` panels of full width, which follow each other from `panel` on, to `sums`. `taps`: where the
    /// row's taps begin, `offset` bytes further.
    static void run(const layout& shape, const unsigned char* const* taps, std::int64_t offset,
                    const unsigned char* panel, sum_type* sums) noexcept {
        constexpr std::int64_t vector_bytes = Arithmetic::lanes * Arithmetic::column_group_bytes;
        constexpr std::int64_t row_step = Arithmetic::group * Arithmetic::row_value_bytes;
        const std::int64_t distance = layout::panel_columns * shape.column_bytes();
        const std::int64_t bytes = (shape.channels + Arithmetic::group - 1) / Arithmetic::group * row_step;
        typename Arithmetic::accumulator sum[panels][vectors];
#pragma GCC unroll 8
        for (int p = 0; p < panels; ++p) {
#pragma GCC unroll 8
            for (int v = 0; v < vectors; ++v)
                sum[p][v] = Arithmetic::load(sums + (p * vectors + v) * Arithmetic::lanes);
        }
        for (std::int64_t t = 0; t < shape.taps; ++t) {
            const unsigned char* const row = taps[t] + offset;
            for (std::int64_t at = 0; at < bytes; at += row_step, panel += vectors * vector_bytes) {
                const auto value = Arithmetic::load_row(row + at);
#pragma GCC unroll 8
                for (int p = 0; p < panels; ++p) {
#pragma GCC unroll 8
                    for (int v = 0; v < vectors; ++v) {
                        const auto column = Arithmetic::load_columns(panel + p * distance + v * vector_bytes);
                        sum[p][v] = Arithmetic::step(sum[p][v], value, column);
                    }
                }
            }
        }
#pragma GCC unroll 8
        for (int p = 0; p < panels; ++p) {
#pragma GCC unroll 8
            for (int v = 0; v < vectors; ++v) {
                Arithmetic::settle(sum[p][v]);
                Arithmetic::store(sums + (p * vectors + v) * Arithmetic::lanes, sum[p][v]);
            }
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/dense.hpp
#ifndef LPT_HOLDS_KERNEL_DENSE_HPP
#define LPT_HOLDS_KERNEL_DENSE_HPP
// The dense kernel behind matrix multiplication and convolution: sums over taps and channels of row bytes times packed columns.
//
// A row of the result is a matrix row or an output pixel. For each tap (one for a matrix) it has a pointer to `channels` consecutive
// elements; taps outside an image point at a row of zero points. B is packed into panels of `vectors * lanes` columns with a few
// consecutive k per column, so one load feeds one dot product, and one panel is one forward stream.

namespace lpt::inline LPT_ABI::kernel {

template <class Isa, class Arithmetic>
struct dense {
    using layout = dense_layout<Arithmetic>;
    using sum_type = typename Arithmetic::sum_type;
    using tile = dense_tile<Isa, Arithmetic>;
    using store = column_store<Isa>;
    using line_ends = lines_with_ends<Isa>;
    static constexpr bool is_float = Arithmetic::is_float;
    static constexpr int tile_rows = Arithmetic::rows;
    static constexpr std::int64_t row_group_bytes = Arithmetic::group * Arithmetic::row_value_bytes;
    static constexpr std::int64_t block_tiles = 64;  // most tiles between two passes over all panels
    static constexpr std::int64_t usual_tiles = 16;
    static constexpr std::int64_t block_bytes = 1048576;  // of more rows than usual: they stay in the L2 cache
    static constexpr std::int64_t pointer_budget = 8192;  // pointers of a block
    static constexpr std::int64_t line_block_rows = block_tiles * tile_rows;  // of a block of lines, at most

    /// The most rows of a source that has a buffer for them.
    static constexpr std::int64_t copied_rows = usual_tiles * tile_rows;
    /// The most rows that are worked on together.
    static std::int64_t block_rows(std::int64_t taps) noexcept {
        const std::int64_t fitting = pointer_budget / (taps * tile_rows);
        const std::int64_t most = taps == 1 ? block_tiles : usual_tiles;
        return (fitting < 1 ? 1 : fitting > most ? most : fitting) * tile_rows;
    }
    /// The pointers that a task needs for the rows of a block.
    static std::int64_t pointer_count(std::int64_t taps) noexcept {
        const std::int64_t lines = line_block_rows * taps <= pointer_budget ? line_block_rows : 0;
        const std::int64_t rows = block_rows(taps);
        return (rows > lines ? rows : lines) * taps;
    }
    /// The rows of such a size that are worked on together.
    static std::int64_t block_rows(const layout& shape) noexcept {
        const std::int64_t most = block_rows(shape.taps);
        const std::int64_t usual = usual_tiles * tile_rows;
        const std::int64_t fitting = block_bytes / copied_bytes(shape.taps * shape.channels);
        return most <= usual || fitting >= most ? most : fitting > usual ? fitting / tile_rows * tile_rows : usual;
    }

    static void pack(const layout& shape, const dense_source& from, void* packed,
                     const parallel_for& parallel) noexcept {
        dense_pack<Isa, Arithmetic>::run(shape, from, packed, parallel);
    }

    /// One call: which rows, whose columns, and what to do with the sums.
    struct call {
        layout shape;
        const unsigned char* packed = nullptr;
        std::int64_t rows = 0;
        bool signed_rows = false;  // elements of A are i8
        std::int32_t zero_point = 0;  // of A
        std::int64_t group_row_bytes =
            0;  // distance of a group's channels in a row of A, when pointers serve all groups
        line_ends lines;
        const epilogue* finish = nullptr;
        unsigned char* output = nullptr;
        std::int64_t output_stride = 0;  // elements
    };

    /// Takes over what packed columns say about their own layout.
    static void read_layout(call& c) noexcept {
        if constexpr (!is_float) {
            dense_header header;
            std::memcpy(&header, c.packed, sizeof header);
            c.shape.four_bits = header.four_bits != 0;
        }
    }

    /// Whether rows of a problem have to be copied into the form that the dot product reads: flipped to the other sign, or
    /// with a last k group that is readable as a whole.
    static bool needs_copies(const layout& shape, bool signed_rows) noexcept {
        if constexpr (is_float) return false;
        return flips(signed_rows) || shape.channels % Arithmetic::group != 0;
    }
    /// Bytes of `channels` channels in that form.
    static std::int64_t copied_bytes(std::int64_t channels) noexcept {
        return (channels + Arithmetic::group - 1) / Arithmetic::group * row_group_bytes;
    }

    /// How far copied rows lie apart.
    static std::int64_t copied_distance(std::int64_t channels) noexcept {
        const std::int64_t lines = (copied_bytes(channels) + 63) / 64 * 64;
        return lines % meeting_distance == 0 ? lines + 64 : lines;
    }

    /// Computes rows [row_begin, row_end) x units [unit_begin, unit_end); a unit is a panel of a group. The source has
    ///   rows(first, count, group, pointers)  writes the pointer of tap t of row first + r to pointers[r * taps + t];
    ///   copies_rows      whether it copies them, into a buffer for `copied_rows`;
    ///   per_group        whether these pointers differ from group to group;
    ///   readable_ends    whether the last k group of a row is readable as a whole;
    ///   readable_rows(over)  how many rows, from the first one on, are if not all of them are, of `over` bytes past their end;
    ///   outside()        a row that stands for all taps outside an image, as the dot product reads it, or null;
    ///   copied_group     0, or its rows are already in the form of `needs_copies` and so many bytes apart from group to group.
    /// `pointers` has room for pointer_count(taps).
    template <class Source>
    static void run(const call& c, const Source& source, std::int64_t row_begin, std::int64_t row_end,
                    std::int64_t unit_begin, std::int64_t unit_end, const unsigned char** pointers) noexcept {
        const std::int64_t panels = c.shape.panels();
        std::int64_t block = block_rows(c.shape);
        if (Source::copies_rows && block > copied_rows) block = copied_rows;
        state s;
        prepare(c, unit_begin, unit_end, s);
        sum_type row_sums[block_tiles * tile_rows];
        s.row_sums = row_sums;
        s.pointers = pointers;
        alignas(64) unsigned char buffer[is_float ? 64 : copy_bytes];
        const bool in_form = source.copied_group != 0;
        bool copies = false;
        bool adds_rows = false;
        std::int64_t readable = row_end;  // rows from here on are copied for the end of their last k group
        if constexpr (!is_float) {
            const unsigned char* outside = source.outside();
            if (outside != nullptr) {
                std::uint32_t first;  // k group; its values are all the same
                std::memcpy(&first, outside, sizeof first);
                if (first == 0) s.zeros = outside;
            }
            adds_rows = s.header.differs != 0 || s.header.zero_point != 0;
            if (!in_form) {
                copies = flips(c.signed_rows) ||
                         meets_in_cache(c, source, row_begin, row_end, unit_end - unit_begin, pointers);
                if constexpr (!Source::readable_ends) {
                    const std::int64_t rest = c.shape.channels % Arithmetic::group;
                    if (!copies && rest != 0) readable = source.readable_rows(Arithmetic::group - rest);
                }
            }
        }
        const std::int64_t copied = copied_distance(c.shape.channels);
        const std::int64_t ends = row_end - (readable > row_begin ? readable : row_begin);
        if (readable < row_end && copied * (ends < block ? ends : block) > copy_bytes) copies = true;
        if (copies) {
            const std::int64_t fitting = copy_bytes / copied;
            if (fitting == 0) s.chunks = true;
            if (fitting < block) block = fitting < 1 ? 1 : fitting;
        }
        if (splits_lines(c, s)) {
            block = c.lines.most_rows(row_end - row_begin, tile_rows, 2 * usual_tiles * tile_rows);
            s.lines = c.lines.with_leftovers(block / c.lines.line, tile_rows);
        }
        // Blocks of equal heights, if there are lines, of whole ones: a low one would read all panels for a few rows.
        const std::int64_t unit_rows = s.lines.line != 0 ? s.lines.line : 1;
        const std::int64_t first_unit = row_begin / unit_rows;
        const std::int64_t row_units = (row_end + unit_rows - 1) / unit_rows - first_unit;
        const std::int64_t most_units = block / unit_rows;
        const std::int64_t blocks = (row_units + most_units - 1) / most_units;
        std::int64_t first = row_begin;
        for (std::int64_t i = 0; i < blocks; ++i, first += s.rows) {
            const std::int64_t end = (first_unit + row_units * (i + 1) / blocks) * unit_rows;
            s.first = first;
            s.rows = (end < row_end ? end : row_end) - first;
            bool filled = false;
            for (std::int64_t unit = unit_begin; unit < unit_end;) {
                const std::int64_t g = unit / panels;
                const std::int64_t past = (g + 1) * panels < unit_end ? (g + 1) * panels : unit_end;
                s.offset = in_form ? g * source.copied_group : Source::per_group ? 0 : g * c.group_row_bytes;
                if (!filled || Source::per_group || copies) {
                    source.rows(first, s.rows, g, pointers);
                    filled = true;
                }
                if constexpr (!is_float) {
                    if (adds_rows) sum_rows(c, s, in_form, row_sums);
                    if (copies && !s.chunks) copy_rows(c, s, buffer, copied);
                    if (!copies && readable < first + s.rows) {
                        copy_ends(c, s, readable < first ? 0 : readable - first, buffer, copied);
                        filled = false;
                    }
                }
                if (s.rows == 1 && takes_row(c, s)) unit = run_row(c, s, g, unit, past);
                for (; unit < past; ++unit) {
                    // The panel that follows; in the end the first one, for the next block.
                    const unsigned char* next = nullptr;
                    if (unit + 1 < past)
                        next = panel_of(c, g, unit + 1 - g * panels);
                    else if (past < unit_end)
                        next = panel_of(c, g + 1, 0);
                    else if (i + 1 < blocks && unit_end - unit_begin > 1)
                        next = panel_of(c, unit_begin / panels, unit_begin % panels);
                    run_panel(c, s, g, unit - g * panels, buffer, next);
                }
            }
        }
    }

    /// Cuts a call into tasks for the threads: work(row_begin, row_end, unit_begin, unit_end, task).
    template <class Function>
    static void share(const call& c, const parallel_for& parallel, const Function& work) noexcept {
        const std::int64_t units = c.shape.groups * c.shape.panels();
        parallel_for some = parallel;
        some.threads = threads_for(c, parallel.threads);
        const std::int64_t pieces = 1 + steps_of(c) / worth_of_piece;
        if (splits_rows(c, some.threads)) {
            const bool many = c.rows >= many_tiles * tile_rows * some.threads;
            share_out<Isa>(some, c.rows, many ? tile_rows : 1, many ? 1 + c.rows / pieces : c.rows,
                           [&](std::int64_t begin, std::int64_t end, int task) { work(begin, end, 0, units, task); });
        } else {
            share_out<Isa>(some, units, 1, 1 + units / pieces,
                           [&](std::int64_t begin, std::int64_t end, int task) { work(0, c.rows, begin, end, task); });
        }
    }

private:
    static constexpr std::int64_t least_steps =
        4096;  // multiply instructions of a task: about a microsecond, as a round of threads
    static constexpr std::int64_t worth_of_piece = 64 * least_steps;
    static constexpr std::int64_t many_tiles = 16;  // of a task, from where on a last low one does not matter

    static std::int64_t steps_of(const call& c) noexcept {
        const std::int64_t depth = c.shape.taps * c.shape.groups_per_tap();
        const std::int64_t vectors = c.shape.groups * c.shape.padded_columns() / Arithmetic::lanes;
        return c.rows * vectors * depth;
    }
    /// How many threads are worth their round.
    static int threads_for(const call& c, int threads) noexcept {
        const std::int64_t most = steps_of(c) / least_steps;
        return most < 1 ? 1 : most < threads ? static_cast<int>(most) : threads;
    }

    /// Threads share the rows: what a thread reads is then what it wrote in the layer before, and lies in its cache. They share the
    /// panels where these are evenly divided and many times more bytes than rows, or if there are too few rows.
    static bool splits_rows(const call& c, int threads) noexcept {
        constexpr std::int64_t times = 4;  // a byte from another thread's cache takes as long as so many weights
        const std::int64_t units = c.shape.groups * c.shape.panels();
        const std::int64_t read = c.shape.channels * Arithmetic::row_value_bytes;
        const std::int64_t written = c.shape.columns * bytes_of(c.finish->output_type);
        const std::int64_t moved = c.rows * c.shape.groups * (read + written);
        if (units % threads == 0 && c.shape.groups * c.shape.group_bytes() >= times * moved) return false;
        const std::int64_t row_tasks = (c.rows + tile_rows - 1) / tile_rows;
        return row_tasks >= 2 * threads || units < 2 || units < row_tasks;
    }

    static constexpr std::int64_t staged_tiles = 8;

    /// What holds for a whole call, and for the block of rows that is being worked on.
    struct state {
        dense_header header;
        tile_result result = tile_result::sums;  // of tiles
        bool staged = false;  // tiles go to a buffer, of which `column_store` takes them
        bool chunks = false;  // a row does not fit into the buffer and is copied in pieces, panel by panel
        alignas(64) float scale_of_all[layout::panel_columns];
        alignas(64) float bias_of_all[layout::panel_columns];
        step_numbers<layout::panel_columns> numbers_of_all;
        line_ends lines;  // those of the call, if its ends have tiles of their own
        std::int64_t first = 0;
        std::int64_t rows = 0;
        std::int64_t offset = 0;
        const unsigned char** pointers = nullptr;
        const unsigned char* zeros = nullptr;  // the row for taps outside, if it is zero
        const sum_type* row_sums = nullptr;  // times the columns' common zero point, negated, if they have one
    };

    /// Whether pixels at the ends of lines have tiles of their own, which leave out the taps outside the image for all of them.
    static bool splits_lines(const call& c, const state& s) noexcept {
        const std::int64_t ends = c.lines.left + c.lines.right;
        const bool is_plain = c.finish->post_count == 0 && c.finish->output_type == element_kind::f32;
        const bool by_strips = c.finish->fixed != nullptr || (s.result != tile_result::sums && !is_plain);
        return ends != 0 && s.zeros != nullptr && by_strips && s.header.zero_point == 0 && c.lines.line - ends >= 3 &&
               c.lines.line * tile_rows <= line_block_rows && line_block_rows * c.shape.taps <= pointer_budget;
    }
    static constexpr std::int64_t copy_bytes = 65536;  // of the rows of a block
    static constexpr std::int64_t meeting_distance = 2048;

    /// Whether rows lie so far apart that those of a tile have the same places in the L1 cache, and enough panels read them for copies
    /// to be worth it: a tile takes up to twice as long there. Only where copies of all fit: smaller blocks would read the weights more often.
    template <class Source>
    static bool meets_in_cache(const call& c, const Source& source, std::int64_t row_begin, std::int64_t row_end,
                               std::int64_t units, const unsigned char** pointers) noexcept {
        const std::int64_t rows = row_end - row_begin;
        if (Source::copies_rows || c.shape.taps != 1 || units < 4 || rows < 3) return false;
        if (rows * copied_distance(c.shape.channels) > copy_bytes) return false;
        source.rows(row_begin, 2, 0, pointers);
        return (pointers[1] - pointers[0]) % meeting_distance == 0 && pointers[1] != pointers[0];
    }

    /// Copies the rows of a block into the form that the tiles read and lets the pointers point there.
    static void copy_rows(const call& c, state& s, unsigned char* buffer, std::int64_t row_bytes) noexcept {
        for (std::int64_t r = 0; r < s.rows; ++r) {
            unsigned char* const to = buffer + r * row_bytes;
            Arithmetic::prepare_rows(to, s.pointers[r] + s.offset, c.shape.channels, c.signed_rows);
            s.pointers[r] = to;
        }
        s.offset = 0;
    }

    /// Copies the rows of a block from `begin` on, which stay as they are but for their ends.
    static void copy_ends(const call& c, const state& s, std::int64_t begin, unsigned char* buffer,
                          std::int64_t row_bytes) noexcept {
        for (std::int64_t r = begin; r < s.rows; ++r) {
            unsigned char* const to = buffer + (r - begin) * row_bytes;
            Arithmetic::prepare_rows(to, s.pointers[r] + s.offset, c.shape.channels, c.signed_rows);
            s.pointers[r] = to - s.offset;
        }
    }

    /// Rows are flipped to the sign that the dot product takes.
    static bool flips(bool signed_rows) noexcept {
        return !Arithmetic::either_sign && signed_rows == Arithmetic::unsigned_rows;
    }

    static void prepare(const call& c, std::int64_t unit_begin, std::int64_t unit_end, state& s) noexcept {
        if constexpr (!is_float) {
            std::memcpy(&s.header, c.packed, sizeof s.header);
            const epilogue& e = *c.finish;
            if (s.header.differs != 0) return;
            if (e.fixed != nullptr && e.fixed->shifts && !c.shape.four_bits) s.result = tile_result::bytes;
            if (e.fixed != nullptr || e.output_type == element_kind::i32 || e.post_count > column_steps::most) return;
            const auto [begin, end] = channels_of(c, unit_begin, unit_end);
            const bool takes_list = tile::takes_list(e, c.shape.four_bits);
            const bool direct = finish<Isa>::requantizes_directly(e, begin, end, c.shape.taps * c.shape.channels);
            const bool is_real = e.output_type == element_kind::f32;
            s.result = !is_real && (direct || takes_list) ? tile_result::bytes : tile_result::floats;
            s.staged = is_real ? e.post_count != 0 && !takes_list : !direct && !takes_list;
            store::fill(s.scale_of_all, e.scale_all);
            store::fill(s.bias_of_all, e.bias_all);
            store::fill(s.numbers_of_all, e);
        }
    }

    /// The output channels of units.
    struct channel_range {
        std::int64_t begin;
        std::int64_t end;
    };
    static channel_range channels_of(const call& c, std::int64_t unit_begin, std::int64_t unit_end) noexcept {
        const std::int64_t panels = c.shape.panels();
        const std::int64_t begin =
            (unit_begin / panels) * c.shape.columns + unit_begin % panels * layout::panel_columns;
        const std::int64_t last = unit_end - 1;
        const std::int64_t last_columns = (last % panels + 1) * layout::panel_columns;
        const std::int64_t columns = last_columns < c.shape.columns ? last_columns : c.shape.columns;
        return {begin, (last / panels) * c.shape.columns + columns};
    }

    /// Sums of the rows' elements as the tile sees them, for columns with a zero point. `in_form`: they have been copied into the form
    /// that it reads.
    static void sum_rows(const call& c, const state& s, bool in_form, sum_type* sums) noexcept {
        const bool seen_signed = Arithmetic::either_sign ? c.signed_rows : !Arithmetic::unsigned_rows;
        // Sums of i8 are taken as of u8, 128 more each.
        const unsigned char flip = (in_form ? seen_signed : c.signed_rows) ? 0x80 : 0;
        const std::uint32_t shift =
            seen_signed ? 128u * static_cast<std::uint32_t>(c.shape.taps * c.shape.channels) : 0u;
        const std::uint32_t factor = s.header.differs != 0 ? 1u : 0u - static_cast<std::uint32_t>(s.header.zero_point);
        for (std::int64_t r = 0; r < s.rows; ++r) {
            std::uint32_t sum = 0;
            for (std::int64_t t = 0; t < c.shape.taps; ++t) {
                const unsigned char* const row = s.pointers[r * c.shape.taps + t] + s.offset;
                sum += lanes<Isa>::sum_bytes(row, c.shape.channels, flip);
            }
            sums[r] = static_cast<std::int32_t>((sum - shift) * factor);
        }
    }
    static const unsigned char* panel_of(const call& c, std::int64_t g, std::int64_t panel) noexcept {
        return c.packed + c.shape.panels_offset() + g * c.shape.group_bytes() +
               panel * layout::panel_columns * c.shape.column_bytes();
    }

    /// The order of a panel's k groups, or null.
    static const std::uint16_t* order_of(const call& c, std::int64_t g, std::int64_t panel) noexcept {
        if (!c.shape.is_ordered()) return nullptr;
        return reinterpret_cast<const std::uint16_t*>(c.packed + c.shape.orders_offset()) +
               (g * c.shape.panels() + panel) * c.shape.order_size();
    }

    /// Whether one row takes panels side by side: what panels have of their own is left to each of them.
    static bool takes_row(const call& c, const state& s) noexcept {
        // A tile that takes either sign multiplies by another instruction for each.
        return !Arithmetic::either_sign && !s.chunks && !c.shape.four_bits && !c.shape.is_ordered() &&
               s.header.differs == 0;
    }
    /// One row: panels of full width, several at a time. Gives the unit that follows them.
    static std::int64_t run_row(const call& c, const state& s, std::int64_t g, std::int64_t unit,
                                std::int64_t past) noexcept {
        using row = dense_row<Isa, Arithmetic>;
        const epilogue& e = *c.finish;
        alignas(64) sum_type sums[row::columns];
        for (; unit + row::panels <= past; unit += row::panels) {
            const std::int64_t panel = unit - g * c.shape.panels();
            if (c.shape.panel_width(panel + row::panels - 1) != layout::panel_columns) break;
            const std::int64_t first = panel * layout::panel_columns;
            const std::int64_t left = c.shape.columns - first;
            const std::int64_t columns = left < row::columns ? left : row::columns;
            const std::int64_t channel = g * c.shape.columns + first;
            unsigned char* const to = c.output + (s.first * c.output_stride + channel) * bytes_of(e.output_type);
            const bool in_place = finish<Isa>::template keeps_sums<is_float>(e) && columns == row::columns;
            sum_type* const at = in_place ? reinterpret_cast<sum_type*>(to) : sums;
            start_row(c, s, g, first, at);
            row::run(c.shape, s.pointers, s.offset, panel_of(c, g, panel), at);
            if (!in_place) finish<Isa>::tile(e, sums, row::columns, 1, s.first, channel, columns, to, c.output_stride);
        }
        return unit;
    }
    static void start_row(const call& c, const state& s, std::int64_t g, std::int64_t first, sum_type* sums) noexcept {
        constexpr std::int64_t columns = dense_row<Isa, Arithmetic>::columns;
        if constexpr (is_float) {
            std::memset(sums, 0, columns * sizeof(sum_type));
        } else {
            fill_start(c, g, first, columns, s.header, sums, nullptr);
            if (s.header.zero_point == 0) return;
            const auto more = lanes<Isa>::broadcast_int(*s.row_sums);
            for (std::int64_t i = 0; i < columns; i += lanes<Isa>::width)
                lanes<Isa>::store_int(sums + i, lanes<Isa>::add_int(lanes<Isa>::load_int(sums + i), more));
        }
    }

    static void run_panel(const call& c, const state& s, std::int64_t g, std::int64_t panel, unsigned char* buffer,
                          const unsigned char* next) noexcept {
        constexpr std::int64_t most_columns = layout::panel_columns;
        const epilogue& e = *c.finish;
        const std::int64_t width = c.shape.panel_width(panel);
        const std::int64_t vectors = width / Arithmetic::lanes;
        const std::int64_t first_column = panel * most_columns;
        const std::int64_t rest = c.shape.columns - first_column;
        const std::int64_t columns = rest < width ? rest : width;
        const std::int64_t channel = g * c.shape.columns + first_column;
        alignas(64) sum_type start[most_columns];
        alignas(64) sum_type zero[most_columns];
        alignas(64) float scale[most_columns];
        alignas(64) float bias[most_columns];
        alignas(64) sum_type sums[tile_rows * most_columns];
        alignas(64) float scaled[staged_tiles * tile_rows * most_columns];
        step_numbers<layout::panel_columns> step_copies;
        column_steps steps;
        alignas(64) typename tile::factors_type factors[most_columns / Arithmetic::lanes];
        typename tile::work w;
        w.taps = c.shape.taps;
        w.offset = s.offset;
        w.zeros = s.zeros;
        w.channels = c.shape.channels;
        w.signed_rows = c.signed_rows;
        w.panel = panel_of(c, g, panel);
        w.order = order_of(c, g, panel);
        tile_fetches fetches;
        fetches.start_panel(next, layout::panel_columns * c.shape.column_bytes(), s.rows / tile_rows);
        w.fetches = &fetches;
        w.start = start;
        w.columns = columns;
        w.row_bytes = c.output_stride * bytes_of(e.output_type);
        unsigned char* const output = c.output + (s.first * c.output_stride + channel) * bytes_of(e.output_type);
        if constexpr (is_float) {
            for (std::int64_t i = 0; i < width; ++i)
                start[i] = 0;
        } else {
            fill_start(c, g, first_column, width, s.header, start, zero);
            w.result = s.result;
            if (w.result == tile_result::bytes && e.fixed != nullptr) {
                start_fixed<lanes<Isa>>(*e.fixed, channel, vectors, start, factors);
                w.factors = factors;
                w.zero_point = e.fixed->zero_point;
            }
        }
        if (w.result != tile_result::sums) {
            w.signed_bytes = e.output_type == element_kind::i8;
            w.low = static_cast<std::int32_t>(e.quant_low);
            w.high = static_cast<std::int32_t>(e.quant_high);
            w.limited = w.high - w.low < 255;
            w.scale = store::of_columns(e.scale, s.scale_of_all, channel, columns, width, scale);
            w.bias = store::of_columns(e.bias, s.bias_of_all, channel, columns, width, bias);
            store::find(e, s.numbers_of_all, channel, columns, width, step_copies, steps);
        }
        const bool staged = s.staged || (w.result == tile_result::floats && columns != width);
        if (w.result != tile_result::sums && e.post_count != 0 && !staged) w.steps = &steps;
        const bool in_place =
            finish<Isa>::template keeps_sums<is_float>(e) && columns == width && s.header.differs == 0;
        const bool direct = !staged && (w.result != tile_result::sums || in_place);
        const std::int64_t output_bytes = w.row_bytes;
        if (!direct) {
            w.to = staged ? reinterpret_cast<unsigned char*>(scaled) : reinterpret_cast<unsigned char*>(sums);
            w.row_bytes = width * 4;
        }
        const bool common_zero = s.header.differs == 0 && s.header.zero_point != 0;
        const std::int64_t row_bytes = w.row_bytes;
        const std::int64_t strips = s.lines.strips(s.first, s.rows);
        for (std::int64_t i = 0; i < strips; ++i) {
            const typename line_ends::strip part = s.lines.strip_at(s.first, s.rows, i);
            w.row_pointers = part.step * c.shape.taps;
            if (direct) w.row_bytes = part.step * row_bytes;
            w.rows.step = part.step;
            for (std::int64_t done = 0; done < part.count;) {
                const std::int64_t left = part.count - done;
                const std::int64_t begin = part.begin + done * part.step;
                const int height = tile::height_for(left, static_cast<int>(vectors), c.shape.four_bits);
                w.tiles = 1;
                if (direct || staged) w.tiles = tile::tiles_for(left, static_cast<int>(vectors), c.shape.four_bits);
                if (const std::int64_t most = staged_tiles * tile_rows * most_columns / (height * width);
                    staged && w.tiles > most)
                    w.tiles = most;
                w.pointers = s.pointers + begin * c.shape.taps;
                if (common_zero) w.row_start = s.row_sums + begin;
                if (direct) w.to = output + begin * row_bytes;
                w.rows.first = s.first + begin;
                if (s.chunks) {
                    if constexpr (!is_float) run_chunks(c, s, w, vectors, sums, buffer);
                } else {
                    tile::find(height, vectors, c.shape.four_bits)(w);
                }
                const std::int64_t rows = height * w.tiles;
                if (staged) {
                    store::finish_rows(e, steps, w.rows, rows, width, scaled, columns, output + begin * output_bytes,
                                       part.step * output_bytes);
                } else if (!direct) {
                    if constexpr (!is_float) {
                        if (s.header.differs != 0) subtract_zero_points(sums, width, rows, zero, s.row_sums + begin);
                    }
                    unsigned char* const to = output + begin * c.output_stride * bytes_of(e.output_type);
                    finish<Isa>::tile(e, sums, width, rows, s.first + begin, channel, columns, to,
                                      part.step * c.output_stride);
                }
                done += rows;
            }
        }
    }

    /// One row that is too long for the buffer: each piece starts with the sums of the one before.
    static void run_chunks(const call& c, const state& s, typename tile::work w, std::int64_t vectors, sum_type* sums,
                           unsigned char* buffer) noexcept {
        constexpr std::int64_t values = copy_bytes / Arithmetic::row_value_bytes;
        const typename tile::work last = w;
        const unsigned char* const from = *s.pointers + s.offset;
        const unsigned char* const piece = buffer;
        w.pointers = &piece;
        w.offset = 0;
        w.result = tile_result::sums;
        w.to = reinterpret_cast<unsigned char*>(sums);
        for (std::int64_t k = 0; k < c.shape.channels; k += values) {
            const std::int64_t rest = c.shape.channels - k;
            w.channels = rest < values ? rest : values;
            if (rest <= values) {
                w.result = last.result;
                w.to = last.to;
            }
            Arithmetic::prepare_rows(buffer, from + k, w.channels, c.signed_rows);
            tile::find(1, vectors, c.shape.four_bits)(w);
            w.panel += values / Arithmetic::group / (c.shape.four_bits ? 2 : 1) * vectors * tile::vector_bytes;
            w.start = sums;
            w.row_start = nullptr;
        }
    }

    /// sum (a - za)(b - zb) = sum a b - za sum b - zb sum a + K za zb: everything that does not depend on the row.
    static void fill_start(const call& c, std::int64_t g, std::int64_t first_column, std::int64_t width,
                           const dense_header& header, std::int32_t* start, std::int32_t* zero) noexcept {
        using simd = lanes<Isa>;
        const std::int64_t index = (g * c.shape.padded_columns() + first_column) * 4;
        const auto* const sums = reinterpret_cast<const std::int32_t*>(c.packed + c.shape.sums_offset() + index);
        const auto* const zeros =
            reinterpret_cast<const std::int32_t*>(c.packed + c.shape.zero_points_offset() + index);
        const std::int32_t shift = flips(c.signed_rows) ? (Arithmetic::unsigned_rows ? 128 : -128) : 0;
        const std::uint32_t row_zero = static_cast<std::uint32_t>(c.zero_point + shift);
        const std::uint32_t k = static_cast<std::uint32_t>(c.shape.taps * c.shape.channels);
        const auto per_sum = simd::broadcast_int(static_cast<std::int32_t>(0u - row_zero));
        if (header.differs == 0) {
            const std::uint32_t common = k * row_zero * static_cast<std::uint32_t>(header.zero_point);
            const auto all = simd::broadcast_int(static_cast<std::int32_t>(common));
            if (row_zero == 0) {
                for (std::int64_t i = 0; i < width; i += simd::width)
                    simd::store_int(start + i, all);
            } else {
                for (std::int64_t i = 0; i < width; i += simd::width)
                    simd::store_int(start + i,
                                    simd::add_int(all, simd::multiply_int(simd::load_int(sums + i), per_sum)));
            }
            return;
        }
        const auto per_zero = simd::broadcast_int(static_cast<std::int32_t>(k * row_zero));
        for (std::int64_t i = 0; i < width; i += simd::width) {
            const auto z = simd::load_int(zeros + i);
            simd::store_int(zero + i, z);
            simd::store_int(start + i, simd::add_int(simd::multiply_int(z, per_zero),
                                                     simd::multiply_int(simd::load_int(sums + i), per_sum)));
        }
    }

    static void subtract_zero_points(std::int32_t* sums, std::int64_t width, std::int64_t rows,
                                     const std::int32_t* zero, const std::int32_t* row_sums) noexcept {
        using simd = lanes<Isa>;
        for (std::int64_t r = 0; r < rows; ++r) {
            const typename simd::ints row_sum = simd::broadcast_int(row_sums[r]);
            for (std::int64_t i = 0; i < width; i += simd::width) {
                std::int32_t* at = sums + r * width + i;
                simd::store_int(
                    at, simd::subtract_int(simd::load_int(at), simd::multiply_int(simd::load_int(zero + i), row_sum)));
            }
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/gemm.hpp
#ifndef LPT_HOLDS_KERNEL_GEMM_HPP
#define LPT_HOLDS_KERNEL_GEMM_HPP
// Matrix multiplication.

namespace lpt::inline LPT_ABI::kernel {

/// Writes `count` pointers, `step` bytes apart, to every `distance`-th place.
template <class Isa>
[[gnu::always_inline]] inline void evenly_spaced(const unsigned char** pointers, std::int64_t distance,
                                                 std::int64_t count, const unsigned char* at,
                                                 std::int64_t step) noexcept {
    // Four at a time: additions one after the other would wait for each other.
    for (; count >= 4; count -= 4, at += 4 * step, pointers += 4 * distance) {
        pointers[0] = at;
        pointers[distance] = at + step;
        pointers[2 * distance] = at + 2 * step;
        pointers[3 * distance] = at + 3 * step;
    }
    for (; count > 0; --count, at += step, pointers += distance)
        *pointers = at;
}

/// Rows of a matrix, or pixels of an image under a 1x1 convolution without padding or stride.
template <class Isa>
struct matrix_rows {
    static constexpr bool copies_rows = false;
    static constexpr bool per_group = false;
    static constexpr bool readable_ends = false;
    static constexpr std::int64_t copied_group = 0;
    static constexpr const unsigned char* outside() noexcept { return nullptr; }
    const unsigned char* data = nullptr;
    std::int64_t row_bytes = 0;
    std::int64_t row_count = 0;

    /// Behind the end of a row lie the rows that follow it.
    std::int64_t readable_rows(std::int64_t over) const noexcept {
        if (row_bytes <= 0) return 0;
        const std::int64_t last = (over + row_bytes - 1) / row_bytes;
        return last < row_count ? row_count - last : 0;
    }

    void rows(std::int64_t first, std::int64_t count, std::int64_t, const unsigned char** pointers) const noexcept {
        evenly_spaced<Isa>(pointers, 1, count, data + first * row_bytes, row_bytes);
    }
};

template <class Isa>
struct gemm {
    template <class Arithmetic>
    static dense_layout<Arithmetic> shape_of(std::int64_t k, std::int64_t n) noexcept {
        dense_layout<Arithmetic> shape;
        shape.columns = n;
        shape.channels = k;
        return shape;
    }

    static std::size_t packed_bytes(element_kind type, std::int64_t k, std::int64_t n) noexcept {
        if (type == element_kind::f32) return static_cast<std::size_t>(shape_of<float_arithmetic<Isa>>(k, n).bytes());
        dense_layout<integer_arithmetic<Isa>> shape = shape_of<integer_arithmetic<Isa>>(k, n);
        shape.four_bits = type == element_kind::i4;
        return static_cast<std::size_t>(shape.bytes());
    }

    template <class Arithmetic>
    static void pack_as(const gemm_weights& weights, void* packed, const parallel_for& parallel) noexcept {
        dense_source from;
        from.data = weights.data;
        from.type = weights.type;
        from.column_stride = weights.n_stride;
        from.channel_stride = weights.k_stride;
        from.zero_points = weights.zero_points;
        from.zero_point_count = weights.zero_point_count;
        dense_layout<Arithmetic> shape = shape_of<Arithmetic>(weights.k, weights.n);
        shape.four_bits = weights.type == element_kind::i4;
        dense<Isa, Arithmetic>::pack(shape, from, packed, parallel);
    }

    static void pack(const gemm_weights& weights, void* packed, const parallel_for& parallel) noexcept {
        if (weights.type == element_kind::f32)
            pack_as<float_arithmetic<Isa>>(weights, packed, parallel);
        else
            pack_as<integer_arithmetic<Isa>>(weights, packed, parallel);
    }

    /// Multiplies rows that need no more than one pointer each; also the core of 1x1 convolutions.
    template <class Arithmetic>
    static void multiply_rows(const typename dense<Isa, Arithmetic>::call& call, const matrix_rows<Isa>& rows,
                              const parallel_for& parallel) noexcept {
        using engine = dense<Isa, Arithmetic>;
        engine::share(
            call, parallel,
            [&](std::int64_t row_begin, std::int64_t row_end, std::int64_t unit_begin, std::int64_t unit_end, int) {
                const unsigned char* pointers[engine::block_tiles * engine::tile_rows];
                engine::run(call, rows, row_begin, row_end, unit_begin, unit_end, pointers);
            });
    }

    template <class Arithmetic>
    static void run_as(const gemm_problem& problem, const parallel_for& parallel) noexcept {
        typename dense<Isa, Arithmetic>::call call;
        call.shape = shape_of<Arithmetic>(problem.k, problem.n);
        call.packed = static_cast<const unsigned char*>(problem.packed_b);
        dense<Isa, Arithmetic>::read_layout(call);
        call.rows = problem.m;
        call.signed_rows = problem.a_type == element_kind::i8;
        call.zero_point = problem.a_zero_point;
        call.finish = &problem.finish;
        call.output = static_cast<unsigned char*>(problem.c);
        call.output_stride = problem.c_row_stride;
        const matrix_rows<Isa> rows{static_cast<const unsigned char*>(problem.a),
                                    problem.a_row_stride * bytes_of(problem.a_type), problem.m};
        multiply_rows<Arithmetic>(call, rows, parallel);
    }

    static void run(const gemm_problem& problem, const parallel_for& parallel) noexcept {
        if (problem.a_type == element_kind::f32)
            run_as<float_arithmetic<Isa>>(problem, parallel);
        else
            run_as<integer_arithmetic<Isa>>(problem, parallel);
    }
};

} // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/sixteen.hpp
#ifndef LPT_HOLDS_KERNEL_SIXTEEN_HPP
#define LPT_HOLDS_KERNEL_SIXTEEN_HPP
// Sixteen numbers in as many vectors as that takes. Sums over memory are kept in sixteen partial ones and added up in one order, so that
// they have the same bits on every instruction set.

namespace lpt::inline LPT_ABI::kernel {

/// Element i of the sixteen is element i of memory.
template <class Isa>
    requires vector_lanes<lanes<Isa>>
struct sixteen {
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    static constexpr std::int64_t width = 16;
    static constexpr int parts = 16 / simd::width;
    floats part[parts];

    [[gnu::always_inline]] static sixteen broadcast(float value) noexcept {
        sixteen result;
#pragma GCC unroll 16
        for (int i = 0; i < parts; ++i)
            result.part[i] = simd::broadcast(value);
        return result;
    }
    [[gnu::always_inline]] static sixteen load(const float* from) noexcept {
        sixteen result;
#pragma GCC unroll 16
        for (int i = 0; i < parts; ++i)
            result.part[i] = simd::load(from + i * simd::width);
        return result;
    }
    /// The first `count` (<= 16) numbers, then `rest`; nothing past them is read.
    [[gnu::always_inline]] static sixteen load_first(const float* from, std::int64_t count, float rest) noexcept {
        if (count >= width) return load(from);
        float whole[width];
        for (std::int64_t i = 0; i < width; ++i)
            whole[i] = i < count ? from[i] : rest;
        return load(whole);
    }
    [[gnu::always_inline]] void store(float* to) const noexcept {
#pragma GCC unroll 16
        for (int i = 0; i < parts; ++i)
            simd::store(to + i * simd::width, part[i]);
    }
    [[gnu::always_inline]] void store_first(float* to, std::int64_t count) const noexcept {
        if (count >= width) return store(to);
        float whole[width];
        store(whole);
        for (std::int64_t i = 0; i < count; ++i)
            to[i] = whole[i];
    }

    /// f(vector) for each vector.
    template <class Function>
    [[gnu::always_inline]] sixteen map(const Function& f) const noexcept {
        sixteen result;
#pragma GCC unroll 16
        for (int i = 0; i < parts; ++i)
            result.part[i] = f(part[i]);
        return result;
    }
    /// f(vector, vector of the other) for each vector.
    template <class Function>
    [[gnu::always_inline]] sixteen map(const sixteen& other, const Function& f) const noexcept {
        sixteen result;
#pragma GCC unroll 16
        for (int i = 0; i < parts; ++i)
            result.part[i] = f(part[i], other.part[i]);
        return result;
    }
    [[gnu::always_inline]] friend sixteen operator+(const sixteen& a, const sixteen& b) noexcept {
        return a.map(b, [](floats x, floats y) { return simd::add(x, y); });
    }
    [[gnu::always_inline]] friend sixteen operator-(const sixteen& a, const sixteen& b) noexcept {
        return a.map(b, [](floats x, floats y) { return simd::subtract(x, y); });
    }
    [[gnu::always_inline]] friend sixteen operator*(const sixteen& a, const sixteen& b) noexcept {
        return a.map(b, [](floats x, floats y) { return simd::multiply(x, y); });
    }
    [[gnu::always_inline]] friend sixteen operator/(const sixteen& a, const sixteen& b) noexcept {
        return a.map(b, [](floats x, floats y) { return simd::divide(x, y); });
    }
    [[gnu::always_inline]] static sixteen larger(const sixteen& a, const sixteen& b) noexcept {
        return a.map(b, [](floats x, floats y) { return simd::at_least(x, y); });
    }

    /// The first `count` of one, the others of another.
    [[gnu::always_inline]] static sixteen first_of(std::int64_t count, const sixteen& first,
                                                   const sixteen& others) noexcept {
        static constexpr float inside[2 * width] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
        const sixteen mask = load(inside + width - count);
        sixteen result;
#pragma GCC unroll 16
        for (int i = 0; i < parts; ++i)
            result.part[i] = simd::select(simd::less(simd::broadcast(0), mask.part[i]), first.part[i], others.part[i]);
        return result;
    }

    /// One number: neighbours 8, then 4, 2 and 1 apart are joined by f, of two numbers or of two vectors of four.
    template <class Function>
    [[gnu::always_inline]] float fold(Function f) const noexcept {
        using four [[gnu::vector_size(16)]] = float;
        float whole[width];
        store(whole);
        four quarters[4];
        std::memcpy(quarters, whole, sizeof whole);
        const four all = f(f(quarters[0], quarters[2]), f(quarters[1], quarters[3]));
        return f(f(all[0], all[2]), f(all[1], all[3]));
    }
    [[gnu::always_inline]] float sum() const noexcept {
        return fold([](auto a, auto b) { return a + b; });
    }
    [[gnu::always_inline]] float largest() const noexcept {
        return fold([](auto a, auto b) { return a > b ? a : b; });
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/attention.hpp
#ifndef LPT_HOLDS_KERNEL_ATTENTION_HPP
#define LPT_HOLDS_KERNEL_ATTENTION_HPP
// Scaled dot product attention: a task has whole heads, whose keys it packs once.

namespace lpt::inline LPT_ABI::kernel {

/// Products of small matrices of floats whose right one has columns in multiples of 16: c[m, n] = a[m, k] b[k, n], each sum begun with 0 and
/// continued by fma for k = 0, 1, 2 …, so that no tile matters.
template <class Isa>
struct small_product {
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    static constexpr int most_columns = simd::width == 16 ? 64 : 16;

    template <int Rows, int Columns>
    [[gnu::always_inline]] static void tile(const float* a, std::int64_t a_stride, const float* b,
                                            std::int64_t b_stride, std::int64_t k, float* c,
                                            std::int64_t c_stride) noexcept {
        constexpr int vectors = Columns / simd::width;
        floats sums[Rows][vectors];
#pragma GCC unroll 4
        for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 16
            for (int v = 0; v < vectors; ++v)
                sums[r][v] = simd::broadcast(0);
        }
        for (std::int64_t i = 0; i < k; ++i, b += b_stride) {
            floats right[vectors];
#pragma GCC unroll 16
            for (int v = 0; v < vectors; ++v)
                right[v] = simd::load(b + v * simd::width);
#pragma GCC unroll 4
            for (int r = 0; r < Rows; ++r) {
                const floats left = simd::broadcast(a[r * a_stride + i]);
#pragma GCC unroll 16
                for (int v = 0; v < vectors; ++v)
                    sums[r][v] = simd::fma(left, right[v], sums[r][v]);
            }
        }
#pragma GCC unroll 4
        for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 16
            for (int v = 0; v < vectors; ++v)
                simd::store(c + r * c_stride + v * simd::width, sums[r][v]);
        }
    }

    template <int Columns>
    static void rows(const float* a, std::int64_t a_stride, const float* b, std::int64_t b_stride, std::int64_t m,
                     std::int64_t k, float* c, std::int64_t c_stride) noexcept {
        std::int64_t r = 0;
        for (; r + 4 <= m; r += 4)
            tile<4, Columns>(a + r * a_stride, a_stride, b, b_stride, k, c + r * c_stride, c_stride);
        for (; r < m; ++r)
            tile<1, Columns>(a + r * a_stride, a_stride, b, b_stride, k, c + r * c_stride, c_stride);
    }

    static void run(const float* a, std::int64_t a_stride, const float* b, std::int64_t b_stride, std::int64_t m,
                    std::int64_t n, std::int64_t k, float* c, std::int64_t c_stride) noexcept {
        std::int64_t column = 0;
        for (; column + most_columns <= n; column += most_columns)
            rows<most_columns>(a, a_stride, b + column, b_stride, m, k, c + column, c_stride);
        if constexpr (most_columns > 32) {
            for (; column + 32 <= n; column += 32)
                rows<32>(a, a_stride, b + column, b_stride, m, k, c + column, c_stride);
        }
        for (; column < n; column += 16)
            rows<16>(a, a_stride, b + column, b_stride, m, k, c + column, c_stride);
    }
};

template <class Isa>
struct kernel_of<Isa, attention_problem> {
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    using numbers = sixteen<Isa>;
    static constexpr std::int64_t block_rows = attention_scratch::block_rows;
    static constexpr std::int64_t panel = attention_scratch::panel;

    /// The memory of one task.
    struct parts {
        float* keys;
        float* values;
        float* rows;
        float* scores;
        float* bias;
        float* sums;
    };
    /// Where the matrices of one head begin, in elements.
    struct head {
        std::int64_t query = 0;
        std::int64_t key = 0;
        std::int64_t value = 0;
        std::int64_t mask = 0;
        std::int64_t output = 0;
    };

    static head head_at(const attention_problem& p, std::int64_t index) noexcept {
        head result;
        for (std::int64_t axis = p.head_axes; axis-- > 0;) {
            const std::int64_t place = index % p.heads[axis];
            index /= p.heads[axis];
            result.query += place * p.queries_at.strides[axis];
            result.key += place * p.keys_at.strides[axis];
            result.value += place * p.values_at.strides[axis];
            result.mask += place * p.mask_strides[axis];
            result.output += place * p.output_strides[axis];
        }
        return result;
    }

    /// The first `count` elements from `index` on as floats, zeros up to `padded`.
    static void to_floats(const void* data, const attention_matrix& at, std::int64_t index, std::int64_t count,
                          std::int64_t padded, float* to) noexcept {
        const floats zero_point = simd::broadcast(static_cast<float>(at.zero_point));
        const auto* const from = static_cast<const unsigned char*>(data) + index * bytes_of(at.type);
        std::int64_t i = 0;
        for (; i < count; i += simd::width) {
            const floats all = finish<Isa>::load_elements(from, at.type, i, count - i);
            const floats value = at.type == element_kind::f32 ? all : simd::subtract(all, zero_point);
            store_part<Isa>(to + i, value, count - i);
        }
        for (i = count; i < padded; ++i)
            to[i] = 0;
    }

    static constexpr bool has_tiles = simd::width > 1;

    /// Keys as the kernel of matrix products takes them, if queries and keys are bytes.
    static void pack_bytes(const attention_problem& p, const head& at, void* to) noexcept {
        gemm_weights weights;
        weights.data = static_cast<const unsigned char*>(p.key) + at.key;
        weights.type = p.keys_at.type;
        weights.k = p.depth;
        weights.n = p.keys;
        weights.k_stride = 1;
        weights.n_stride = p.keys_at.row_stride;
        weights.zero_points = &p.keys_at.zero_point;
        weights.zero_point_count = 1;
        gemm<Isa>::pack(weights, to, {});
    }
    /// The sums of bytes, which are exact as floats, for at least `reach` keys.
    static void score_bytes(const attention_problem& p, const head& at, const attention_scratch& sizes,
                            const parts& memory, std::int64_t first, std::int64_t count, std::int64_t reach) noexcept {
        using engine = dense<Isa, integer_arithmetic<Isa>>;
        epilogue plain;
        plain.output_type = element_kind::f32;
        typename engine::call call;
        call.shape = gemm<Isa>::template shape_of<integer_arithmetic<Isa>>(p.depth, p.keys);
        call.packed = reinterpret_cast<const unsigned char*>(memory.keys);
        call.rows = count;
        call.signed_rows = p.queries_at.type == element_kind::i8;
        call.zero_point = p.queries_at.zero_point;
        call.finish = &plain;
        call.output = reinterpret_cast<unsigned char*>(memory.scores);
        call.output_stride = sizes.keys_padded;
        const matrix_rows<Isa> rows{static_cast<const unsigned char*>(p.query) + at.query +
                                        first * p.queries_at.row_stride,
                                    p.queries_at.row_stride, count};
        const unsigned char* pointers[block_rows];
        constexpr std::int64_t columns = engine::layout::panel_columns;
        engine::run(call, rows, 0, count, 0, (reach + columns - 1) / columns, pointers);
    }

    /// Panels of up to 64 keys next to each other, [depth][keys of the panel]; what is missing from multiples of 16 is 0.
    static void pack_keys(const attention_problem& p, const head& at, std::int64_t padded,
                          const parts& memory) noexcept {
        for (std::int64_t first = 0; first < padded; first += panel) {
            const std::int64_t columns = padded - first < panel ? padded - first : panel;
            const std::int64_t count = p.keys - first < columns ? p.keys - first : columns;
            float* const packed = memory.keys + first * p.depth;
            if (count < columns) std::memset(packed, 0, static_cast<std::size_t>(columns * p.depth) * sizeof(float));
            for (std::int64_t r = 0; r < count; ++r) {
                const std::int64_t key = at.key + (first + r) * p.keys_at.row_stride;
                to_floats(p.key, p.keys_at, key, p.depth, p.depth, memory.rows);
                for (std::int64_t c = 0; c < p.depth; ++c)
                    packed[c * columns + r] = memory.rows[c];
            }
        }
    }
    static void pack_values(const attention_problem& p, const head& at, std::int64_t padded, float* to) noexcept {
        for (std::int64_t r = 0; r < p.keys; ++r)
            to_floats(p.value, p.values_at, at.value + r * p.values_at.row_stride, p.width, padded, to + r * padded);
    }

    /// What is added to the scores of a row; null for nothing.
    static const float* bias_of(const attention_problem& p, const head& at, std::int64_t row, float* to) noexcept {
        if (p.mask_use == attention_mask::none) return nullptr;
        const std::int64_t first = at.mask + row * p.mask_row_stride;
        if (p.mask_use == attention_mask::add) {
            const float* const from = static_cast<const float*>(p.mask) + first;
            if (p.mask_column_stride == 1) return from;
            for (std::int64_t i = 0; i < p.keys; ++i)
                to[i] = *from;
            return to;
        }
        const unsigned char* const from = static_cast<const unsigned char*>(p.mask) + first;
        for (std::int64_t i = 0; i < p.keys; ++i)
            to[i] = from[i * p.mask_column_stride] != 0 ? 0.0f : -__builtin_inff();
        return to;
    }

    /// Turns the first `count` scores into powers, zeros up to `padded`; gives their sum, 0 where none counts.
    static float powers(float* row, std::int64_t count, std::int64_t padded, float scale, const float* bias) noexcept {
        const float least = -__builtin_inff();
        const numbers factor = numbers::broadcast(scale);
        numbers most = numbers::broadcast(least);
        for (std::int64_t i = 0; i < count; i += numbers::width) {
            const std::int64_t rest = count - i;
            numbers s = numbers::load_first(row + i, rest, 0) * factor;
            if (bias != nullptr) s = s + numbers::load_first(bias + i, rest, least);
            s.store(row + i);
            if (rest < numbers::width) {
                for (std::int64_t j = rest; j < numbers::width; ++j)
                    row[i + j] = least;
                s = numbers::load(row + i);
            }
            most = numbers::larger(s, most);
        }
        const float largest = most.largest();
        const bool nothing = largest == least && !has_nan(row, count);
        numbers sum = numbers::broadcast(0);
        const numbers middle = numbers::broadcast(nothing ? 0 : largest);
        std::int64_t i = 0;
        for (; i < count; i += numbers::width) {
            const numbers power =
                (numbers::load(row + i) - middle).map([](floats v) { return unary<Isa>::exp_of_negative(v); });
            power.store(row + i);
            sum = sum + power;
        }
        for (; i < padded; i += numbers::width)
            numbers::broadcast(0).store(row + i);
        return nothing ? 0 : sum.sum();
    }
    static bool has_nan(const float* row, std::int64_t count) noexcept {
        bool result = false;
        for (std::int64_t i = 0; i < count; ++i)
            result = result || row[i] != row[i];
        return result;
    }

    /// The queries of a block as floats, and the distance of their rows.
    static const float* rows_of(const attention_problem& p, const head& at, std::int64_t first, std::int64_t count,
                                float* to, std::int64_t& stride) noexcept {
        const std::int64_t begin = at.query + first * p.queries_at.row_stride;
        if (p.queries_at.type == element_kind::f32) {
            stride = p.queries_at.row_stride;
            return static_cast<const float*>(p.query) + begin;
        }
        stride = p.depth;
        for (std::int64_t r = 0; r < count; ++r)
            to_floats(p.query, p.queries_at, begin + r * p.queries_at.row_stride, p.depth, p.depth, to + r * stride);
        return to;
    }

    /// The products of queries and the first `padded` keys as floats.
    static void score_floats(const attention_problem& p, const head& at, const attention_scratch& sizes,
                             const parts& memory, std::int64_t first, std::int64_t count,
                             std::int64_t padded) noexcept {
        std::int64_t stride = 0;
        const float* const rows = rows_of(p, at, first, count, memory.rows, stride);
        for (std::int64_t key = 0; key < padded; key += panel) {
            const std::int64_t columns = sizes.keys_padded - key < panel ? sizes.keys_padded - key : panel;
            const std::int64_t wanted = padded - key < columns ? padded - key : columns;
            small_product<Isa>::run(rows, stride, memory.keys + key * p.depth, columns, count, wanted, p.depth,
                                    memory.scores + key, sizes.keys_padded);
        }
    }

    static void run_block(const attention_problem& p, const head& at, const attention_scratch& sizes,
                          const parts& memory, std::int64_t first, std::int64_t count) noexcept {
        const std::int64_t reach = p.causal && first + count < p.keys ? first + count : p.keys;
        const std::int64_t padded = (reach + 15) / 16 * 16;
        bool scored = false;
        if constexpr (has_tiles) {
            scored = multiplies_bytes(p);
            if (scored) score_bytes(p, at, sizes, memory, first, count, reach);
        }
        if (!scored) score_floats(p, at, sizes, memory, first, count, padded);
        float sums[block_rows];
        for (std::int64_t r = 0; r < count; ++r) {
            const std::int64_t limit = p.causal && first + r + 1 < p.keys ? first + r + 1 : p.keys;
            sums[r] = powers(memory.scores + r * sizes.keys_padded, limit, padded, p.scale,
                             bias_of(p, at, first + r, memory.bias));
        }
        const bool direct = reads_values_directly(p);
        const float* const values = direct ? static_cast<const float*>(p.value) + at.value : memory.values;
        small_product<Isa>::run(memory.scores, sizes.keys_padded, values,
                                direct ? p.values_at.row_stride : sizes.width_padded, count, sizes.width_padded, reach,
                                memory.sums, sizes.width_padded);
        for (std::int64_t r = 0; r < count; ++r) {
            const bool nothing = sums[r] == 0;
            const numbers divisor = numbers::broadcast(sums[r]);
            const numbers scale = numbers::broadcast(p.value_scale);
            float* const to = p.output + at.output + (first + r) * p.output_row_stride;
            for (std::int64_t c = 0; c < p.width; c += numbers::width) {
                const numbers sum = numbers::load(memory.sums + r * sizes.width_padded + c);
                const numbers result = nothing ? numbers::broadcast(0) : sum / divisor * scale;
                result.store_first(to + c, p.width - c);
            }
        }
    }

    static constexpr std::int64_t worth_of_piece = 2097152;  // products: some ten microseconds

    static void run(const attention_problem& p, const parallel_for& parallel) noexcept {
        const attention_scratch sizes = scratch_of(p);
        std::int64_t heads = 1;
        for (std::int64_t axis = 0; axis < p.head_axes; ++axis)
            heads *= p.heads[axis];
        const std::int64_t products = p.queries * p.keys * (p.depth + p.width);
        share_out<Isa>(parallel, heads, 1, 1 + worth_of_piece / (1 + products),
                       [&](std::int64_t begin, std::int64_t end, int task) {
                           parts memory;
                           memory.keys = static_cast<float*>(p.scratch.data) + task * sizes.floats();
                           memory.values = memory.keys + sizes.packed_keys;
                           memory.rows = memory.values + sizes.packed_values;
                           memory.scores = memory.rows + sizes.rows;
                           memory.bias = memory.scores + sizes.scores;
                           memory.sums = memory.bias + sizes.bias;
                           head before;
                           for (std::int64_t i = begin; i < end; ++i) {
                               const head at = head_at(p, i);
                               // Heads that share keys or values follow each other where these broadcast along the last axes.
                               if (i == begin || at.key != before.key) {
                                   if (has_tiles && multiplies_bytes(p))
                                       pack_bytes(p, at, memory.keys);
                                   else
                                       pack_keys(p, at, sizes.keys_padded, memory);
                               }
                               if (!reads_values_directly(p) && (i == begin || at.value != before.value))
                                   pack_values(p, at, sizes.width_padded, memory.values);
                               for (std::int64_t first = 0; first < p.queries; first += block_rows) {
                                   const std::int64_t rest = p.queries - first;
                                   run_block(p, at, sizes, memory, first, rest < block_rows ? rest : block_rows);
                               }
                               before = at;
                           }
                       });
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/base/half.hpp
#ifndef LPT_HOLDS_BASE_HALF_HPP
#define LPT_HOLDS_BASE_HALF_HPP
// Floating point types of 16 bits: half precision (IEEE 754 binary16) and the upper half of single precision ("brain").
// Direct forms of what `lpt::detail::decode` and `encode` (`tensor/element.hpp`) say for any small format.

namespace lpt::inline LPT_ABI::detail {

[[gnu::always_inline]] constexpr float float_from_half(std::uint16_t code) {
    const std::uint32_t sign = static_cast<std::uint32_t>(code & 0x8000u) << 16;
    const std::uint32_t rest = code & 0x7FFFu;
    if (rest < 0x0400u) {
        const float size = static_cast<float>(rest) * (1.0f / 16777216.0f);
        return sign != 0 ? -size : size;
    }
    const std::uint32_t bits = rest < 0x7C00u ? (rest << 13) + 0x38000000u : (rest << 13) | 0x7F800000u;
    return __builtin_bit_cast(float, sign | bits);
}
/// To nearest even; too large becomes infinity, NaN the quiet one of its sign.
[[gnu::always_inline]] constexpr std::uint16_t half_from_float(float value) {
    const std::uint32_t all = __builtin_bit_cast(std::uint32_t, value);
    const std::uint32_t sign = (all >> 16) & 0x8000u;
    std::uint32_t bits = all & 0x7FFFFFFFu;
    if (bits >= 0x477FF000u) {  // what rounds up beyond the greatest value
        return static_cast<std::uint16_t>(sign | (bits > 0x7F800000u ? 0x7E00u : 0x7C00u));
    }
    if (bits < 0x38800000u) {  // below the least normal value steps are 2^-24, as those of single precision from 0.5 on
        const float stepped = __builtin_bit_cast(float, bits) + 0.5f;
        return static_cast<std::uint16_t>(sign | (__builtin_bit_cast(std::uint32_t, stepped) - 0x3F000000u));
    }
    bits += 0x0FFFu + ((bits >> 13) & 1u);
    return static_cast<std::uint16_t>(sign | ((bits - 0x38000000u) >> 13));
}

[[gnu::always_inline]] constexpr float float_from_brain(std::uint16_t code) {
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(code) << 16);
}
/// To nearest even; too large becomes infinity, NaN stays one.
[[gnu::always_inline]] constexpr std::uint16_t brain_from_float(float value) {
    const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, value);
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u) {
        return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
    }
    return static_cast<std::uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace lpt::inline LPT_ABI::detail
#endif

// ======== lpt/base/traits.hpp
#ifndef LPT_HOLDS_BASE_TRAITS_HPP
#define LPT_HOLDS_BASE_TRAITS_HPP
/// The few type traits that the core needs: <type_traits> takes a tenth of what <vector> takes to compile.
namespace lpt::inline LPT_ABI {

/// `std::is_constant_evaluated`.
constexpr bool is_constant_evaluated() noexcept { return __builtin_is_constant_evaluated(); }

template <class A, class B>
inline constexpr bool is_same = __is_same(A, B);
template <class T>
inline constexpr bool is_enumeration = __is_enum(T);
template <class T>
inline constexpr bool is_const_type = false;
template <class T>
inline constexpr bool is_const_type<const T> = true;

namespace detail {
template <bool Which, class Yes, class No>
struct choice {
    using type = Yes;
};
template <class Yes, class No>
struct choice<false, Yes, No> {
    using type = No;
};
template <class T>
struct referred {
    using type = T;
};
template <class T>
struct referred<T&> {
    using type = T;
};
template <class T>
struct referred<T&&> {
    using type = T;
};
}  // namespace detail

/// `std::conditional_t`.
template <bool Which, class Yes, class No>
using choose = typename detail::choice<Which, Yes, No>::type;
/// `std::remove_reference_t`.
template <class T>
using without_reference = typename detail::referred<T>::type;

/// The integer types of the language, `bool` and characters among them; `T` without const.
template <class T>
inline constexpr bool is_integer_type =
    is_same<T, bool> || is_same<T, char> || is_same<T, signed char> || is_same<T, unsigned char> || is_same<T, short> ||
    is_same<T, unsigned short> || is_same<T, int> || is_same<T, unsigned> || is_same<T, long> ||
    is_same<T, unsigned long> || is_same<T, long long> || is_same<T, unsigned long long>;
/// Of an integer type.
template <class T>
inline constexpr bool is_signed_type = T(-1) < T(0);

/// A number as a type.
template <auto Value>
struct constant_value {
    static constexpr auto value = Value;
    constexpr operator decltype(Value)() const noexcept { return Value; }
};

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/kernel/numbers.hpp
#ifndef LPT_HOLDS_KERNEL_NUMBERS_HPP
#define LPT_HOLDS_KERNEL_NUMBERS_HPP
// Numbers of any type as kernels read and write them.

namespace lpt::inline LPT_ABI::kernel {

/// Numbers that memory holds in a form of its own.
template <class Isa>
struct stored {
    struct truth {
        std::uint8_t value;
    };
    struct half {
        std::uint16_t code;
    };
    struct brain {
        std::uint16_t code;
    };
};

/// Numbers of any type, read as what C++ computes with, and written.
template <class Isa>
struct numbers_of {
    using truth = typename stored<Isa>::truth;
    using half = typename stored<Isa>::half;
    using brain = typename stored<Isa>::brain;
    template <class T>
    static constexpr bool is_real = is_same<T, float> || is_same<T, double>;

    /// A number as C++ computes with it.
    template <class From>
    [[gnu::always_inline]] static auto value_of(From number) noexcept {
        if constexpr (is_same<From, truth>)
            return number.value;
        else if constexpr (is_same<From, half>)
            return lpt::detail::float_from_half(number.code);
        else if constexpr (is_same<From, brain>)
            return lpt::detail::float_from_brain(number.code);
        else
            return number;
    }

    /// A float whose last bit says that something was cut off, so that it rounds further as the number itself would.
    [[gnu::always_inline]] static float rounded_to_odd(double value) noexcept {
        const float nearest = static_cast<float>(value);
        const double back = static_cast<double>(nearest);
        if (back == value || value != value) return nearest;
        std::uint32_t bits = __builtin_bit_cast(std::uint32_t, nearest);
        if (value > 0 ? back > value : back < value) --bits;
        return __builtin_bit_cast(float, bits | 1u);
    }
    [[gnu::always_inline]] static float single(float value) noexcept { return value; }
    template <class Value>
    [[gnu::always_inline]] static float single(Value value) noexcept {
        return rounded_to_odd(static_cast<double>(value));
    }

    /// Towards zero, saturating; NaN gives 0.
    template <class To, class Value>
    [[gnu::always_inline]] static To whole(Value value) noexcept {
        constexpr bool negative = static_cast<To>(-1) < To{0};
        constexpr To least = negative ? static_cast<To>(std::int64_t{-1} << (8 * sizeof(To) - 1)) : To{0};
        constexpr To most = static_cast<To>(~least);
        if (value >= static_cast<Value>(most)) return most;  // which may have been rounded up to what is too large
        if (value <= static_cast<Value>(least)) return least;
        return value == value ? static_cast<To>(value) : To{0};
    }

    template <class To, class Value>
    [[gnu::always_inline]] static To converted(Value value) noexcept {
        if constexpr (is_same<To, truth>)
            return {static_cast<std::uint8_t>(value != Value{0})};
        else if constexpr (is_same<To, half>)
            return {lpt::detail::half_from_float(single(value))};
        else if constexpr (is_same<To, brain>)
            return {lpt::detail::brain_from_float(single(value))};
        else if constexpr (is_real<Value> && !is_real<To>)
            return whole<To>(value);
        else
            return static_cast<To>(value);
    }

    /// Calls `visit` with a number of the type.
    template <class Visit>
    [[gnu::always_inline]] static void with_type(number_type type, const Visit& visit) noexcept {
        switch (type) {
            case number_type::boolean: return visit(truth{});
            case number_type::u8: return visit(std::uint8_t{});
            case number_type::i8: return visit(std::int8_t{});
            case number_type::u16: return visit(std::uint16_t{});
            case number_type::i16: return visit(std::int16_t{});
            case number_type::u32: return visit(std::uint32_t{});
            case number_type::i32: return visit(std::int32_t{});
            case number_type::u64: return visit(std::uint64_t{});
            case number_type::i64: return visit(std::int64_t{});
            case number_type::bf16: return visit(brain{});
            case number_type::f16: return visit(half{});
            case number_type::f32: return visit(float{});
            case number_type::f64: return visit(double{});
        }
    }

    static constexpr bool is_whole(number_type type) noexcept { return type < number_type::bf16; }

    /// Calls `body(i)` for each i below `count`; most of them in runs of a length that compilers know, so that they use vectors.
    template <class Body>
    [[gnu::always_inline]] static void for_each(std::int64_t count, const Body& body) noexcept {
        std::int64_t i = 0;
        for (; i + run_length <= count; i += run_length) {
            for (std::int64_t j = 0; j < run_length; ++j)
                body(i + j);
        }
        for (; i < count; ++i)
            body(i);
    }
    static constexpr std::int64_t run_length = 16;

    /// Numbers from `first` on, `stride` apart (0 or 1), converted to `Middle`.
    template <class Middle>
    [[gnu::always_inline]] static void read(number_type type, const void* data, std::int64_t first, std::int64_t stride,
                                            std::int64_t count, Middle* to) noexcept {
        with_type(type, [&]<class From>(From) __attribute__((always_inline)) {
            const auto* const from = static_cast<const From*>(data) + first;
            if (stride == 0) {
                const auto value = static_cast<Middle>(value_of(from[0]));
                for_each(count, [&](std::int64_t i) __attribute__((always_inline)) { to[i] = value; });
            } else {
                for_each(count, [&](std::int64_t i)
                                    __attribute__((always_inline)) { to[i] = static_cast<Middle>(value_of(from[i])); });
            }
        });
    }
    /// The converse, to `first` and what follows.
    template <class Middle>
    [[gnu::always_inline]] static void write(number_type type, const Middle* from, std::int64_t count, void* data,
                                             std::int64_t first) noexcept {
        with_type(type, [&]<class To>(To) __attribute__((always_inline)) {
            auto* const to = static_cast<To*>(data) + first;
            for_each(count, [&](std::int64_t i) __attribute__((always_inline)) { to[i] = converted<To>(from[i]); });
        });
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/cast.hpp
#ifndef LPT_HOLDS_KERNEL_CAST_HPP
#define LPT_HOLDS_KERNEL_CAST_HPP
// Numbers of one type as numbers of another.

namespace lpt::inline LPT_ABI::kernel {

template <class Isa>
struct kernel_of<Isa, cast_problem> {
    using numbers = numbers_of<Isa>;

    /// Blocks go through `Middle`: each type has a loop that reads and one that writes, and not one for each other type.
    static constexpr std::int64_t block = 128;

    /// `from_shift`, `to_shift`: how much further on than in dense rows the numbers lie.
    template <class Middle>
    static void run_through(const cast_problem& p, std::int64_t begin, std::int64_t end, std::int64_t from_shift,
                            std::int64_t to_shift) noexcept {
        Middle middle[block];
        for (std::int64_t first = begin; first < end; first += block) {
            const std::int64_t count = end - first < block ? end - first : block;
            numbers::read(p.input_type, p.input, first + from_shift, 1, count, middle);
            numbers::write(p.output_type, middle, count, p.output, first + to_shift);
        }
    }

    static void run_part(const cast_problem& p, std::int64_t begin, std::int64_t end, std::int64_t from_shift,
                         std::int64_t to_shift) noexcept {
        const bool from_whole = numbers::is_whole(p.input_type);
        if (from_whole && numbers::is_whole(p.output_type))
            return run_through<std::int64_t>(p, begin, end, from_shift, to_shift);
        const bool is_single = !from_whole && p.input_type != number_type::f64;
        if (is_single || p.output_type == number_type::f32)
            return run_through<float>(p, begin, end, from_shift, to_shift);
        run_through<double>(p, begin, end, from_shift, to_shift);
    }

    static void run(const cast_problem& p, const parallel_for& parallel) noexcept {
        share_out<Isa>(parallel, p.rows * p.count, 64 * block, [&p](std::int64_t begin, std::int64_t end, int) {
            const auto of_input = [&](std::int64_t first, std::int64_t last, std::int64_t from_shift) {
                for_each_row_part(p.output_rows, p.count, first, last,
                                  [&](std::int64_t from, std::int64_t to, std::int64_t to_shift) {
                                      run_part(p, from, to, from_shift, to_shift);
                                  });
            };
            for_each_row_part(p.input_rows, p.count, begin, end, of_input);
        });
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/compressed_weights_panel.hpp
#ifndef LPT_HOLDS_KERNEL_COMPRESSED_WEIGHTS_PANEL_HPP
#define LPT_HOLDS_KERNEL_COMPRESSED_WEIGHTS_PANEL_HPP
// A panel of weights of 4 or 8 bits, and the pieces in which products work on it.

namespace lpt::inline LPT_ABI::kernel {

/// Consecutive k of a block that are worked on together.
struct compressed_part {
    std::int64_t block;
    std::int64_t k;  // of the block's, a multiple of a word's codes
    std::int64_t size;
    bool is_first;
    bool is_last;
};

/// One panel of columns, and the first of the rows that are multiplied by it.
template <class Isa, int Bits>
struct compressed_weights_panel {
    using simd = lanes<Isa>;
    static constexpr std::int64_t columns = compressed_block::panel_columns;
    static constexpr std::int64_t codes_of_word = 32 / Bits;
    static constexpr int tile_rows = 4;
    static constexpr std::int64_t most_rows = 64;  // of a task at a time

    const compressed_product_problem& p;
    const compressed_block block;
    const unsigned char* const panel;
    const std::int64_t first_row;

    compressed_weights_panel(const compressed_product_problem& problem, std::int64_t number,
                             std::int64_t first) noexcept
        : p(problem),
          block(problem),
          panel(problem.packed + number * compressed_blocks(problem) * block.bytes),
          first_row(first) {}

    const unsigned char* block_at(std::int64_t b) const noexcept { return panel + b * block.bytes; }
    const float* scales(std::int64_t b) const noexcept { return reinterpret_cast<const float*>(block_at(b)); }
    const float* zero_points(std::int64_t b) const noexcept {
        return reinterpret_cast<const float*>(block_at(b) + block.zero_points_at);
    }
    const unsigned char* words(const compressed_part& at) const noexcept {
        return block_at(at.block) + block.words_at + at.k / codes_of_word * columns * compressed_block::word_bytes;
    }

    /// How many vectors of columns a tile has, so that its sums stay in registers.
    template <int Rows>
    static constexpr int vectors = simd::width == 8 && Rows > 2 ? 2 : 4;

    template <class Body>
    [[gnu::always_inline]] static void for_each_part(const compressed_product_problem& p, const Body& body) noexcept {
        constexpr std::int64_t most = compressed_block::most_part;
        const std::int64_t blocks = compressed_blocks(p);
        for (std::int64_t b = 0; b < blocks; ++b) {
            const std::int64_t left = p.inner - b * p.block;
            const std::int64_t count = left < p.block ? left : p.block;
            for (std::int64_t k = 0; k < count; k += most) {
                const bool is_last = count - k <= most;
                body(compressed_part{b, k, is_last ? count - k : most, k == 0, is_last});
            }
        }
    }
    /// Calls `body(rows, first)` for tiles of rows; `rows` is a constant.
    template <class Body>
    [[gnu::always_inline]] static void for_each_tile(std::int64_t rows, const Body& body) noexcept {
        std::int64_t r = 0;
        for (; r + tile_rows <= rows; r += tile_rows)
            body(std::integral_constant<int, tile_rows>(), r);
        switch (rows - r) {
            case 1: return body(std::integral_constant<int, 1>(), r);
            case 2: return body(std::integral_constant<int, 2>(), r);
            case 3: return body(std::integral_constant<int, 3>(), r);
            default: return;
        }
    }
    static void clear(float* sums, std::int64_t rows) noexcept {
        for (std::int64_t i = 0; i < rows * columns; ++i)
            sums[i] = 0;
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/digits.hpp
#ifndef LPT_HOLDS_KERNEL_DIGITS_HPP
#define LPT_HOLDS_KERNEL_DIGITS_HPP
// Real numbers as two digits of eight bits, for products with weights of bytes that should not lose what bytes cannot say.

namespace lpt::inline LPT_ABI::kernel {

/// How numbers become integers of which the greatest magnitude is `largest`: size = greatest / largest, and inverse = largest / greatest, each
/// rounded once. Where all numbers are below 1e-30 both are 0, so that they count as zeros; where there is an infinity or NaN the size is NaN.
template <class Isa>
struct rounding_unit {
    float size;
    float inverse;

    rounding_unit(float greatest, float largest) noexcept {
        const bool is_finite = greatest < __builtin_inff();
        inverse = is_finite && greatest >= 1e-30f ? largest / greatest : 0;
        size = !is_finite ? __builtin_nanf("") : inverse == 0 ? 0 : greatest / largest;
    }
};

/// x = scale * (256 * high + low), with digits in [-128, 127] and |256 * high + low| at most `largest`: x is rounded to the nearest such
/// number, ties to even, so that it moves by 0.506 * scale at most (x / scale and the scale are rounded, too). As u8, digits have the zero point 128.
template <class Isa>
struct digits {
    using simd = lanes<Isa>;
    static constexpr std::int32_t zero_point = 128;
    static constexpr float largest = 127 * 256 + 127;

    /// The digits of a row, and its scale: the greatest magnitude takes `largest`. Rows of nothing but magnitudes below 1e-30 count as
    /// zeros; those that hold an infinity or NaN have the scale NaN. Whole vectors of the digits are written.
    static float split(const float* from, std::int64_t count, std::uint8_t* high, std::uint8_t* low) noexcept {
        const rounding_unit<Isa> unit(greatest_magnitude<Isa>(from, count), largest);
        const auto offset = simd::broadcast_int(zero_point * 256 + zero_point);
        const auto byte = simd::broadcast_int(255);
        for (std::int64_t i = 0; i < count; i += simd::width) {
            const auto number = unit.inverse == 0 ? simd::broadcast(0) : load_part<Isa>(from + i, count - i);
            const auto code =
                simd::add_int(simd::round_to_int(simd::multiply(number, simd::broadcast(unit.inverse))), offset);
            simd::store_byte(high + i, simd::and_int(simd::shift_right(code, simd::broadcast_int(8)), byte));
            simd::store_byte(low + i, simd::and_int(code, byte));
        }
        return unit.size;
    }

    /// to = scale * fma(256, high, low). Whole vectors are read and written.
    static void join(const float* high, const float* low, float scale, std::int64_t count, float* to) noexcept {
        const auto base = simd::broadcast(256);
        const auto factor = simd::broadcast(scale);
        for (std::int64_t i = 0; i < count; i += simd::width)
            simd::store(to + i, simd::multiply(factor, simd::fma(base, simd::load(high + i), simd::load(low + i))));
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/compressed_product_of_bytes.hpp
#ifndef LPT_HOLDS_KERNEL_COMPRESSED_PRODUCT_OF_BYTES_HPP
#define LPT_HOLDS_KERNEL_COMPRESSED_PRODUCT_OF_BYTES_HPP
// Products of rows that are rounded to bytes with weights of 4 or 8 bits: a vector of words of codes is one or two operands of the dot products of
// four bytes, as it lies.

namespace lpt::inline LPT_ABI::kernel {

/// Rows of x in scratch memory.
template <class Isa, int Bits>
struct rows_as_bytes {
    using simd = lanes<Isa>;
    static constexpr float largest = 127;

    const compressed_product_problem& p;
    const compressed_parts parts;
    const compressed_block block;
    std::byte* const memory;

    explicit rows_as_bytes(const compressed_product_problem& problem) noexcept
        : p(problem), parts(problem), block(problem), memory(static_cast<std::byte*>(problem.scratch.data)) {}

    /// The unit of a part, and the sum of its integers, of the row.
    float* units(std::int64_t row) const noexcept { return reinterpret_cast<float*>(memory) + row * parts.of_row; }
    float* sums(std::int64_t row) const noexcept {
        return reinterpret_cast<float*>(memory + parts.sums_at) + row * parts.of_row;
    }
    unsigned char* integers(std::int64_t row, const compressed_part& at) const noexcept {
        return reinterpret_cast<unsigned char*>(memory + parts.integers_at + row * parts.row_bytes) +
               at.block * block.words * (32 / Bits) + at.k;
    }

    void round(const parallel_for& parallel) const noexcept {
        constexpr std::int64_t least_numbers = 32768;  // worth a task
        share_out<Isa>(parallel, p.rows, 1 + least_numbers / p.inner, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t row = begin; row < end; ++row)
                round_row(row);
        });
    }

private:
    void round_row(std::int64_t row) const noexcept {
        std::int64_t number = 0;
        compressed_weights_panel<Isa, Bits>::for_each_part(p, [&](const compressed_part& at) {
            const float* const from = p.input + p.input_rows.begin(row, p.inner) + at.block * p.block + at.k;
            units(row)[number] = round_part(from, at.size, integers(row, at), sums(row)[number]);
            ++number;
        });
    }
    static float round_part(const float* from, std::int64_t count, unsigned char* to, float& sum) noexcept {
        std::uint8_t bytes[compressed_block::most_part + 16] = {};
        const rounding_unit<Isa> unit(greatest_magnitude<Isa>(from, count), largest);
        auto total = simd::broadcast_int(0);
        if (unit.inverse != 0) {
            for (std::int64_t i = 0; i < count; i += simd::width) {
                const auto number = load_part<Isa>(from + i, count - i);
                const auto integer = simd::round_to_int(simd::multiply(number, simd::broadcast(unit.inverse)));
                total = simd::add_int(total, integer);
                simd::store_byte(bytes + i, integer);
            }
        }
        std::int32_t totals[simd::width];
        simd::store_int(totals, total);
        std::int32_t all = 0;
        for (const std::int32_t each : totals)
            all += each;
        sum = static_cast<float>(all);
        store_in_order(bytes, count, to);
        return unit.size;
    }
    /// Whole words, in the order in which dot products take the codes of weights.
    static void store_in_order(const std::uint8_t* from, std::int64_t count, unsigned char* to) noexcept {
        constexpr std::int64_t codes = 32 / Bits;
        for (std::int64_t i = 0; i < count; i += codes) {
            for (std::int64_t j = 0; j < codes; ++j)
                to[i + j] = from[i + (Bits == 8 ? j : j < 4 ? 2 * j : 2 * j - 7)];
        }
    }
};

/// Dot products of codes, which are unsigned, with integers of rows, which have a sign.
template <class Isa>
struct code_dots : dot_of_four<Isa> {
    using dot = dot_of_four<Isa>;
    using accumulator = typename dot::accumulator;
    using integers = typename dot::row_group;
    using codes = typename dot::column_group;
    static constexpr bool takes_unsigned = dot::unsigned_rows;  // else codes of 8 bits lose 128

    template <int Bits, int Group>
    [[gnu::always_inline]] static codes load_codes(const unsigned char* words) noexcept {
        constexpr bool is_high = Group == 1;
        if constexpr (Bits == 4) return dot::template load_halves<is_high>(words);
        codes all = dot::load_columns(words);
        if constexpr (!takes_unsigned) all ^= codes(dot::load_row(top_bits));
        return all;
    }
    template <int Bits>
    [[gnu::always_inline]] static accumulator add(accumulator sum, codes of_columns, integers of_row) noexcept {
        if constexpr (Bits == 4 && requires { dot::pairings; })
            return dot::pair_step(sum, of_columns, of_row);
        else
            return dot::step(sum, of_columns, of_row);
    }
    [[gnu::always_inline]] static accumulator broadcast(std::int32_t value) noexcept { return accumulator{} + value; }

private:
    static constexpr unsigned char top_bits[4] = {128, 128, 128, 128};
};
template <>
struct code_dots<on::scalar> {
    using accumulator = std::int32_t;
    struct four {
        unsigned char byte[4];
    };
    using integers = four;
    using codes = four;
    static constexpr int lanes = 1;
    static constexpr bool takes_unsigned = true;

    static four load_row(const unsigned char* from) noexcept { return {{from[0], from[1], from[2], from[3]}}; }
    template <int Bits, int Group>
    static four load_codes(const unsigned char* words) noexcept {
        four result = load_row(words);
        if (Bits == 4) {
            for (unsigned char& each : result.byte)
                each = static_cast<unsigned char>(each >> 4 * Group & 15);
        }
        return result;
    }
    template <int>
    static accumulator add(accumulator sum, four of_columns, four of_row) noexcept {
        for (int i = 0; i < 4; ++i)
            sum += of_columns.byte[i] * static_cast<std::int8_t>(of_row.byte[i]);
        return sum;
    }
    static accumulator broadcast(std::int32_t value) noexcept { return value; }
    static accumulator bits(accumulator value) noexcept { return value; }
    static void settle(accumulator&) noexcept {}
};

/// Rows of bytes times one panel of columns.
template <class Isa, int Bits>
struct compressed_panel_of_bytes : compressed_weights_panel<Isa, Bits> {
    using weights_panel = compressed_weights_panel<Isa, Bits>;
    using weights_panel::columns;
    using weights_panel::first_row;
    using weights_panel::p;
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    using ints = typename simd::ints;
    using dots = code_dots<Isa>;
    static constexpr int groups = 8 / Bits;  // of four codes, in a word
    static_assert(dots::lanes == simd::width);

    const rows_as_bytes<Isa, Bits> rows_of_bytes;

    compressed_panel_of_bytes(const compressed_product_problem& problem, std::int64_t number,
                              std::int64_t first) noexcept
        : weights_panel(problem, number, first), rows_of_bytes(problem) {}

    /// Adds up so many rows; `sums`: [rows][columns], written.
    void run(std::int64_t rows, float* sums) const noexcept {
        weights_panel::clear(sums, rows);
        std::int64_t number = 0;
        weights_panel::for_each_part(p, [&](const compressed_part& at) {
            fetch_ahead(weights_panel::words(at), at.size);
            weights_panel::for_each_tile(rows, [&](auto height, std::int64_t r) {
                for (std::int64_t column = 0; column < columns; column += vectors<height()> * simd::width)
                    add_part<height()>(at, number, first_row + r, column, sums + r * columns + column);
            });
            ++number;
        });
    }

private:
    template <int Rows>
    static constexpr int vectors = weights_panel::template vectors<Rows>;

    /// Begins to fetch weights that lie 8 KiB behind the words of a part, into the second cache: the processor does not by itself, or not far enough, and
    /// the first cache would lose what the rows need.
    static void fetch_ahead(const unsigned char* words, std::int64_t size) noexcept {
        constexpr std::uintptr_t distance = 8192;
        constexpr std::int64_t line = 64;
        constexpr int second_cache = 2;
        const std::int64_t bytes = columns * (8 + size * Bits / 8);  // with scales and zero points
        for (std::int64_t i = 0; i < bytes; i += line) {
            const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(words + i) + distance;
            __builtin_prefetch(reinterpret_cast<const void*>(address), 0, second_cache);
        }
    }
    /// A part of `Rows` rows times the columns of a tile; `number`: of the part in its row.
    template <int Rows>
    void add_part(const compressed_part& at, std::int64_t number, std::int64_t row, std::int64_t column,
                  float* sums) const noexcept {
        typename dots::accumulator sum[Rows][vectors<Rows>];
        const unsigned char* integers[Rows];
        float unit[Rows];
        float total[Rows];
#pragma GCC unroll 4
        for (int r = 0; r < Rows; ++r) {
            integers[r] = rows_of_bytes.integers(row + r, at);
            unit[r] = rows_of_bytes.units(row + r)[number];
            total[r] = rows_of_bytes.sums(row + r)[number];
            // What codes of 8 bits lose where they must have a sign.
            const auto start = Bits == 8 && !dots::takes_unsigned ? 128 * static_cast<std::int32_t>(total[r]) : 0;
#pragma GCC unroll 4
            for (int v = 0; v < vectors<Rows>; ++v)
                sum[r][v] = dots::broadcast(start);
        }
        const unsigned char* word = weights_panel::words(at) + column * compressed_block::word_bytes;
        for (std::int64_t k = 0; k < at.size; k += 4 * groups, word += columns * compressed_block::word_bytes) {
            add_groups<Rows, 0>(integers, k, word, sum);
            if constexpr (groups == 2) add_groups<Rows, 1>(integers, k + 4, word, sum);
        }
        finish<Rows>(at, column, unit, total, sum, sums);
    }
    template <int Rows, int Group>
    [[gnu::always_inline]] static void add_groups(const unsigned char* const (&integers)[Rows], std::int64_t k,
                                                  const unsigned char* word,
                                                  typename dots::accumulator (&sum)[Rows][vectors<Rows>]) noexcept {
#pragma GCC unroll 4
        for (int v = 0; v < vectors<Rows>; ++v) {
            const auto codes = dots::template load_codes<Bits, Group>(word + v * simd::width * 4);
#pragma GCC unroll 4
            for (int r = 0; r < Rows; ++r)
                sum[r][v] = dots::template add<Bits>(sum[r][v], codes, dots::load_row(integers[r] + k));
        }
    }
    /// Adds scale * unit * (sum - zero_point * total).
    template <int Rows>
    [[gnu::always_inline]] void
    finish(const compressed_part& at, std::int64_t column, const float (&unit)[Rows], const float (&total)[Rows],
           typename dots::accumulator (&sum)[Rows][vectors<Rows>], float* to) const noexcept {
#pragma GCC unroll 4
        for (int v = 0; v < vectors<Rows>; ++v) {
            const std::int64_t first = column + v * simd::width;
            const floats scale = simd::load(weights_panel::scales(at.block) + first);
            const floats zero = p.has_zero_points ? simd::load(weights_panel::zero_points(at.block) + first)
                                                  : simd::broadcast(p.zero_point);
#pragma GCC unroll 4
            for (int r = 0; r < Rows; ++r) {
                dots::settle(sum[r][v]);
                const floats of_codes = simd::to_float(ints(dots::bits(sum[r][v])));
                const floats difference = simd::fma(zero, simd::broadcast(-total[r]), of_codes);
                const floats factor = simd::multiply(scale, simd::broadcast(unit[r]));
                float* const at_sums = to + r * columns + v * simd::width;
                simd::store(at_sums, simd::fma(factor, difference, simd::load(at_sums)));
            }
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/compressed_product.hpp
#ifndef LPT_HOLDS_KERNEL_COMPRESSED_PRODUCT_HPP
#define LPT_HOLDS_KERNEL_COMPRESSED_PRODUCT_HPP
// Products of f32 with weights of 4 or 8 bits. Few rows expand the weights in registers, each time they read them: reading them bounds the time.
// More rows share a piece of weights that has been expanded once. Rows that may be rounded to bytes do not expand them (compressed_product_of_bytes.hpp).

namespace lpt::inline LPT_ABI::kernel {

/// Words of codes in registers; the lowest code of each is the next one.
template <class Isa, int Bits>
struct code_words {
    using simd = lanes<Isa>;
    using ints = typename simd::ints;
    static constexpr int codes = 32 / Bits;
    static constexpr std::int64_t bytes = compressed_block::word_bytes;

    [[gnu::always_inline]] static ints load(const unsigned char* from) noexcept {
        return simd::load_int(reinterpret_cast<const std::int32_t*>(from));
    }
    [[gnu::always_inline]] static ints next(ints words) noexcept {
        return simd::shift_right(words, simd::broadcast_int(Bits));
    }
    [[gnu::always_inline]] static ints code(ints words) noexcept {
        return simd::and_int(words, simd::broadcast_int((1 << Bits) - 1));
    }
};

/// Codes as numbers, less the zero point that all blocks have.
template <class Isa, int Bits, bool HasZeroPoints>
struct code_values {
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    using ints = typename simd::ints;
    static constexpr bool looks_up = Bits == 4 && requires(ints word, floats table) { simd::look_up_16(table, word); };

    floats numbers;  // a table of the 16 values, or the zero point

    explicit code_values(const compressed_product_problem& p) noexcept : numbers(simd::broadcast(p.zero_point)) {
        if constexpr (looks_up) {
            float values[16];
            for (int code = 0; code < 16; ++code)
                values[code] = static_cast<float>(code) - (HasZeroPoints ? 0.0f : p.zero_point);
            numbers = simd::load(values);
        }
    }
    [[gnu::always_inline]] floats operator()(ints words) const noexcept {
        if constexpr (looks_up) {
            return simd::look_up_16(numbers, words);
        } else {
            const floats code = simd::to_float(code_words<Isa, Bits>::code(words));
            return HasZeroPoints ? code : simd::subtract(code, numbers);
        }
    }
};

/// Rows of x times one panel of columns, in f32.
template <class Isa, int Bits, bool HasZeroPoints>
struct compressed_panel : compressed_weights_panel<Isa, Bits> {
    using weights_panel = compressed_weights_panel<Isa, Bits>;
    using part = compressed_part;
    using weights_panel::block;
    using weights_panel::columns;
    using weights_panel::first_row;
    using weights_panel::for_each_part;
    using weights_panel::for_each_tile;
    using weights_panel::most_rows;
    using weights_panel::p;
    using weights_panel::scales;
    using weights_panel::words;
    using weights_panel::zero_points;
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    using ints = typename simd::ints;
    using code = code_words<Isa, Bits>;
    static constexpr int few_rows = 8;  // expand weights in registers

    const code_values<Isa, Bits, HasZeroPoints> values;
    const std::int64_t row_step;  // of x

    compressed_panel(const compressed_product_problem& problem, std::int64_t number, std::int64_t first) noexcept
        : weights_panel(problem, number, first), values(problem), row_step(p.input_rows.step(p.inner)) {}

    /// Adds up so many rows; `sums`: [rows][columns], written.
    void run(std::int64_t rows, float* sums) const noexcept {
        alignas(64) float of_block[most_rows * columns];
        weights_panel::clear(sums, rows);
        const float* const x = p.input + p.input_rows.begin(first_row, p.inner);
        if (rows > few_rows)
            run_expanded(x, rows, of_block, sums);
        else
            run_few(x, rows, of_block, sums);
    }

private:
    template <int Rows>
    static constexpr int vectors = weights_panel::template vectors<Rows>;

    /// Sums of a tile in registers.
    template <int Rows>
    struct tile {
        static constexpr int width = vectors<Rows>;
        floats sum[Rows][width];

        [[gnu::always_inline]] void clear() noexcept {
#pragma GCC unroll 16
            for (auto& row : sum)
                for (floats& each : row)
                    each = simd::broadcast(0);
        }
        /// Begins with each row's number times each column's.
        [[gnu::always_inline]] void start(const float* of_rows, const float* of_columns) noexcept {
#pragma GCC unroll 4
            for (int v = 0; v < width; ++v) {
                const floats column = simd::load(of_columns + v * simd::width);
#pragma GCC unroll 16
                for (int r = 0; r < Rows; ++r)
                    sum[r][v] = simd::multiply(column, simd::broadcast(of_rows[r]));
            }
        }
        [[gnu::always_inline]] void load(const float* from) noexcept {
#pragma GCC unroll 16
            for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
                for (int v = 0; v < width; ++v)
                    sum[r][v] = simd::load(from + r * columns + v * simd::width);
        }
        [[gnu::always_inline]] void store(float* to) const noexcept {
#pragma GCC unroll 16
            for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
                for (int v = 0; v < width; ++v)
                    simd::store(to + r * columns + v * simd::width, sum[r][v]);
        }
        [[gnu::always_inline]] void add(const float* x, std::int64_t stride, int v, floats weight) noexcept {
#pragma GCC unroll 16
            for (int r = 0; r < Rows; ++r)
                sum[r][v] = simd::fma(simd::broadcast(x[r * stride]), weight, sum[r][v]);
        }
        /// Adds the sums of a block, times its scales.
        [[gnu::always_inline]] void finish(const float* scale, float* to) const noexcept {
#pragma GCC unroll 4
            for (int v = 0; v < width; ++v) {
                const floats factor = simd::load(scale + v * simd::width);
#pragma GCC unroll 16
                for (int r = 0; r < Rows; ++r) {
                    float* const at = to + r * columns + v * simd::width;
                    simd::store(at, simd::fma(factor, sum[r][v], simd::load(at)));
                }
            }
        }
    };

    /// What is multiplied by the zero points of a block, for each row.
    const float* starts(std::int64_t b) const noexcept {
        return static_cast<const float*>(p.scratch.data) + b * p.rows + first_row;
    }
    /// Begins the sums of a block, or goes on with those of the parts before.
    template <int Rows>
    [[gnu::always_inline]] void begin(tile<Rows>& t, const part& at, std::int64_t column, std::int64_t row,
                                      const float* of_block) const noexcept {
        if (!at.is_first)
            t.load(of_block);
        else if (HasZeroPoints)
            t.start(starts(at.block) + row, zero_points(at.block) + column);
        else
            t.clear();
    }
    template <int Rows>
    [[gnu::always_inline]] void end(const tile<Rows>& t, const part& at, std::int64_t column, float* of_block,
                                    float* sums) const noexcept {
        if (at.is_last)
            t.finish(scales(at.block) + column, sums);
        else
            t.store(of_block);
    }

    // ---- weights expanded in registers

    void run_few(const float* x, std::int64_t rows, float* of_block, float* sums) const noexcept {
        for_each_part(p, [&](const part& at) {
            const float* const from = x + at.block * p.block + at.k;
            for_each_tile(rows, [&](auto height, std::int64_t r) {
                add_few<height()>(from + r * row_step, at, r, of_block + r * columns, sums + r * columns);
            });
        });
    }
    template <int Rows>
    void add_few(const float* x, const part& at, std::int64_t row, float* of_block, float* sums) const noexcept {
        for (std::int64_t column = 0; column < columns; column += vectors<Rows> * simd::width) {
            tile<Rows> t;
            begin(t, at, column, row, of_block + column);
            const unsigned char* word = words(at) + column * code::bytes;
            std::int64_t k = 0;
            for (; k + code::codes <= at.size; k += code::codes, word += columns * code::bytes)
                add_words<Rows>(x + k, code::codes, word, t);
            if (k < at.size) add_words<Rows>(x + k, static_cast<int>(at.size - k), word, t);
            end(t, at, column, of_block + column, sums + column);
        }
    }
    template <int Rows>
    [[gnu::always_inline]] void add_words(const float* x, int count, const unsigned char* word,
                                          tile<Rows>& t) const noexcept {
        ints left[vectors<Rows>];
#pragma GCC unroll 4
        for (int v = 0; v < vectors<Rows>; ++v)
            left[v] = code::load(word + v * simd::width * code::bytes);
#pragma GCC unroll 8
        for (int i = 0; i < code::codes; ++i) {
            if (i >= count) break;
#pragma GCC unroll 4
            for (int v = 0; v < vectors<Rows>; ++v) {
                t.add(x + i, row_step, v, values(left[v]));
                left[v] = code::next(left[v]);
            }
        }
    }

    // ---- weights expanded to memory

    void run_expanded(const float* x, std::int64_t rows, float* of_block, float* sums) const noexcept {
        alignas(64) float weights[compressed_block::most_part * columns];
        // Rows of x that lie far apart share lines of the cache: those of the part are brought together.
        alignas(64) float near[most_rows * compressed_block::most_part];
        for_each_part(p, [&](const part& at) {
            expand(at, weights);
            for (std::int64_t r = 0; r < rows; ++r)
                std::memcpy(near + r * at.size, x + r * row_step + at.block * p.block + at.k,
                            static_cast<std::size_t>(at.size) * sizeof(float));
            for_each_tile(rows, [&](auto height, std::int64_t r) {
                add_expanded<height()>(near + r * at.size, weights, at, r, of_block + r * columns, sums + r * columns);
            });
        });
    }
    /// The weights of a part, as [k][column].
    void expand(const part& at, float* to) const noexcept {
        for (std::int64_t column = 0; column < columns; column += simd::width) {
            const unsigned char* word = words(at) + column * code::bytes;
            for (std::int64_t k = 0; k < at.size; k += code::codes, word += columns * code::bytes) {
                ints left = code::load(word);
#pragma GCC unroll 8
                for (int i = 0; i < code::codes; ++i, left = code::next(left)) {
                    if (k + i >= at.size) break;
                    simd::store(to + (k + i) * columns + column, values(left));
                }
            }
        }
    }
    template <int Rows>
    void add_expanded(const float* x, const float* weights, const part& at, std::int64_t row, float* of_block,
                      float* sums) const noexcept {
        for (std::int64_t column = 0; column < columns; column += vectors<Rows> * simd::width) {
            tile<Rows> t;
            begin(t, at, column, row, of_block + column);
            const float* weight = weights + column;
            for (std::int64_t k = 0; k < at.size; ++k, weight += columns) {
#pragma GCC unroll 4
                for (int v = 0; v < vectors<Rows>; ++v)
                    t.add(x + k, at.size, v, simd::load(weight + v * simd::width));
            }
            end(t, at, column, of_block + column, sums + column);
        }
    }
};

template <class Isa>
struct kernel_of<Isa, compressed_product_problem> {
    static constexpr std::int64_t least_products = 131072;  // worth a task

    static void run(const compressed_product_problem& p, const parallel_for& parallel) noexcept {
        if (p.bits == 4)
            run_bits<4>(p, parallel);
        else
            run_bits<8>(p, parallel);
    }

private:
    template <int Bits>
    static void run_bits(const compressed_product_problem& p, const parallel_for& parallel) noexcept {
        if (p.rounds_rows) {
            rows_as_bytes<Isa, Bits>(p).round(parallel);
            run_panels<compressed_panel_of_bytes<Isa, Bits>>(p, parallel);
        } else if (p.has_zero_points) {
            add_up_blocks(p);
            run_panels<compressed_panel<Isa, Bits, true>>(p, parallel);
        } else {
            run_panels<compressed_panel<Isa, Bits, false>>(p, parallel);
        }
    }
    /// The sum of each block of each row of x, with the other sign: [block][row].
    static void add_up_blocks(const compressed_product_problem& p) noexcept {
        using numbers = sixteen<Isa>;
        const std::int64_t blocks = compressed_blocks(p);
        for (std::int64_t i = 0; i < p.rows * blocks; ++i) {
            const std::int64_t begin = i % blocks * p.block;
            const std::int64_t count = p.inner - begin < p.block ? p.inner - begin : p.block;
            const float* const from = p.input + p.input_rows.begin(i / blocks, p.inner) + begin;
            numbers sum = numbers::broadcast(0);
            for (std::int64_t k = 0; k < count; k += numbers::width)
                sum = sum + numbers::load_first(from + k, count - k, 0);
            static_cast<float*>(p.scratch.data)[i % blocks * p.rows + i / blocks] = -sum.sum();
        }
    }
    template <class Panel>
    static void run_panels(const compressed_product_problem& p, const parallel_for& parallel) noexcept {
        const std::int64_t panels = compressed_panels(p);
        const std::int64_t row_blocks = (p.rows + Panel::most_rows - 1) / Panel::most_rows;
        const std::int64_t rows = p.rows < Panel::most_rows ? p.rows : Panel::most_rows;
        const std::int64_t grain = 1 + least_products / (rows * p.inner * Panel::columns);
        share_out<Isa>(parallel, panels * row_blocks, grain, [&](std::int64_t begin, std::int64_t end, int) {
            alignas(64) float sums[Panel::most_rows * Panel::columns];
            for (std::int64_t i = begin; i < end; ++i) {
                const std::int64_t first = i / panels * Panel::most_rows;
                const std::int64_t count = p.rows - first < Panel::most_rows ? p.rows - first : Panel::most_rows;
                Panel(p, i % panels, first).run(count, sums);
                store_columns(p, first, count, i % panels * Panel::columns, sums);
            }
        });
    }
    static void store_columns(const compressed_product_problem& p, std::int64_t first, std::int64_t rows,
                              std::int64_t column, const float* sums) noexcept {
        constexpr std::int64_t width = compressed_block::panel_columns;
        const std::int64_t rest = p.columns - column;
        const auto bytes = static_cast<std::size_t>(rest < width ? rest : width) * sizeof(float);
        for (std::int64_t r = 0; r < rows; ++r)
            std::memcpy(p.output + p.output_rows.begin(first + r, p.columns) + column, sums + r * width, bytes);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/binary.hpp
#ifndef LPT_HOLDS_KERNEL_BINARY_HPP
#define LPT_HOLDS_KERNEL_BINARY_HPP
// Elementwise functions of two operands.

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
#endif

// ======== lpt/kernel/convert_lines.hpp
#ifndef LPT_HOLDS_KERNEL_CONVERT_LINES_HPP
#define LPT_HOLDS_KERNEL_CONVERT_LINES_HPP
// Conversions of elements that lie side by side, from registers to registers.

namespace lpt::inline LPT_ABI::kernel {

template <class Isa>
struct convert_lines {
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    static constexpr std::int64_t width = simd::width;

    [[gnu::always_inline]] static floats whole_steps(floats x, floats factor, floats summand, floats divisor) noexcept {
        return simd::round_even(simd::divide(simd::fma(x, factor, summand), divisor));
    }

    /// How far ahead of the loads: prefetchers of processors stop at the end of each page.
    static constexpr std::int64_t prefetched_bytes = 2048;

    /// What a line computes of x.
    enum class arithmetic : std::uint8_t {
        scaled,  ///< fma(x, scale, bias)
        counted,  ///< round_half_even(fma(x, factor, summand) / divisor) + bias
        centred,  ///< (x + bias) * scale
    };

    /// Elements that lie side by side in input and output, and that all constants are the same for. No post operations.
    struct line {
        const unsigned char* input = nullptr;
        unsigned char* output = nullptr;
        float scale = 1, bias = 0;
        float factor = 1, summand = 0, divisor = 1;
        float low = 0, high = 0;  // of the input
        float quant_low = 0, quant_high = 0;
        std::int64_t ahead = prefetched_bytes;
    };
    using line_function = void (*)(const line&, std::int64_t, bool) noexcept;

    /// How far ahead of wide stores, which else wait for their lines.
    static constexpr std::int64_t prefetched_output_bytes = 512;

    /// `count` elements, a multiple of four vectors, which stay in registers from load to store. `streams`: past the caches; the output
    /// is then aligned.
    template <element_kind From, element_kind To, bool Bounded, arithmetic By>
    static void convert_line(const line& l, std::int64_t count, bool streams) noexcept {
        constexpr std::int64_t from_bytes = bytes_of(From);
        constexpr std::int64_t to_bytes = bytes_of(To);
        const floats scale = simd::broadcast(l.scale);
        const floats bias = simd::broadcast(l.bias);
        const floats factor = simd::broadcast(l.factor);
        const floats summand = simd::broadcast(l.summand);
        const floats divisor = simd::broadcast(l.divisor);
        const floats low = simd::broadcast(l.low);
        const floats high = simd::broadcast(l.high);
        const floats quant_low = simd::broadcast(l.quant_low);
        const floats quant_high = simd::broadcast(l.quant_high);
        const std::int32_t lowest = static_cast<std::int32_t>(l.quant_low);
        const std::int32_t highest = static_cast<std::int32_t>(l.quant_high);
        const bool limited = highest - lowest < 255;
        const unsigned char* from = l.input;
        unsigned char* to = l.output;
        const unsigned char* const end = to + count * to_bytes;
        for (; to != end; from += 4 * width * from_bytes, to += 4 * width * to_bytes) {
#pragma GCC unroll 4
            for (std::int64_t j = 0; j < 4 * width * from_bytes; j += 64)
                __builtin_prefetch(from + l.ahead + j);
            if constexpr (To == element_kind::f32) {
                if (!streams) {
#pragma GCC unroll 4
                    for (std::int64_t j = 0; j < 4 * width * to_bytes; j += 64)
                        __builtin_prefetch(to + prefetched_output_bytes + j, 1);
                }
            }
            floats v[4];
#pragma GCC unroll 4
            for (int j = 0; j < 4; ++j) {
                v[j] = binary<Isa>::template load_vector<From>(from + j * width * from_bytes);
                if constexpr (Bounded) v[j] = simd::at_most(simd::at_least(v[j], low), high);
                if constexpr (By == arithmetic::counted)
                    v[j] = simd::add(whole_steps(v[j], factor, summand, divisor), bias);
                else if constexpr (By == arithmetic::centred)
                    v[j] = simd::multiply(simd::add(v[j], bias), scale);
                else
                    v[j] = simd::fma(v[j], scale, bias);
            }
            if constexpr (To == element_kind::f32) {
                float* const at = reinterpret_cast<float*>(to);
#pragma GCC unroll 4
                for (int j = 0; j < 4; ++j) {
                    if (streams)
                        simd::stream(at + j * width, v[j]);
                    else
                        simd::store(at + j * width, v[j]);
                }
            } else {
                typename simd::ints q[4];
#pragma GCC unroll 4
                for (int j = 0; j < 4; ++j) {
                    // Integers are so small here that what packing saturates is all there is to clamp.
                    if constexpr (From == element_kind::f32)
                        q[j] = simd::round_for_packing(v[j], quant_low, quant_high);
                    else
                        q[j] = simd::round_to_int(v[j]);
                }
                constexpr bool is_signed = To == element_kind::i8;
                auto packed = simd::template pack<is_signed>(q[0], q[1], q[2], q[3]);
                if (limited) packed = simd::template limit<is_signed>(packed, lowest, highest);
                if (streams)
                    simd::stream_bytes(to, packed);
                else
                    simd::store_first(to, packed, 4 * width);
            }
        }
    }

    /// Reads several pages of the memory in turn: the processor has a prefetcher for each, and one alone does not reach what memory can
    /// give. Gives how many elements that was, whole blocks of pages.
    static std::int64_t stream_pages(line_function function, line l, std::int64_t from_bytes, std::int64_t to_bytes,
                                     std::int64_t count) noexcept {
        constexpr std::int64_t pages = 12;
        constexpr std::int64_t visit = 64;  // elements: a cache line of bytes
        const std::int64_t page = 4096 / from_bytes;
        const unsigned char* const input = l.input;
        unsigned char* const output = l.output;
        l.ahead = visit * from_bytes;
        const std::int64_t whole = count / (pages * page) * (pages * page);
        for (std::int64_t block = 0; block < whole; block += pages * page) {
            for (std::int64_t i = 0; i < page; i += visit) {
                for (std::int64_t at = block + i; at < block + pages * page; at += page) {
                    l.input = input + at * from_bytes;
                    l.output = output + at * to_bytes;
                    function(l, visit, true);
                }
            }
        }
        return whole;
    }

    template <element_kind From, element_kind To>
    static line_function find_line(bool bounded, arithmetic by) noexcept {
        constexpr bool from_floats = From == element_kind::f32;
        constexpr bool to_floats = To == element_kind::f32;
        if constexpr (from_floats && !to_floats) {
            if (!bounded && by == arithmetic::counted) return &convert_line<From, To, false, arithmetic::counted>;
        }
        if constexpr (!from_floats && to_floats) {
            if (!bounded && by == arithmetic::centred) return &convert_line<From, To, false, arithmetic::centred>;
        }
        if (by != arithmetic::scaled) return nullptr;
        if constexpr (from_floats) {
            if (bounded) return &convert_line<From, To, true, arithmetic::scaled>;
        }
        return bounded ? nullptr : &convert_line<From, To, false, arithmetic::scaled>;
    }
    template <element_kind From>
    static line_function find_line(element_kind to, bool bounded, arithmetic by) noexcept {
        switch (to) {
            case element_kind::u8: return find_line<From, element_kind::u8>(bounded, by);
            case element_kind::i8: return find_line<From, element_kind::i8>(bounded, by);
            case element_kind::f32: return find_line<From, element_kind::f32>(bounded, by);
            default: return nullptr;
        }
    }
    /// Null where there is no such kernel.
    static line_function find_line(element_kind from, element_kind to, bool bounded, arithmetic by) noexcept {
        switch (from) {
            case element_kind::u8: return find_line<element_kind::u8>(to, bounded, by);
            case element_kind::i8: return find_line<element_kind::i8>(to, bounded, by);
            case element_kind::i32: return find_line<element_kind::i32>(to, bounded, by);
            case element_kind::f32: return find_line<element_kind::f32>(to, bounded, by);
            default: return nullptr;
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/convert.hpp
#ifndef LPT_HOLDS_KERNEL_CONVERT_HPP
#define LPT_HOLDS_KERNEL_CONVERT_HPP
// Quantize, dequantize, requantize. Layouts may differ, but a step of its own that changes them (transpose.hpp) is faster, and what plans have.

namespace lpt::inline LPT_ABI::kernel {

template <class Isa>
struct convert {
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    using lines = convert_lines<Isa>;
    static constexpr std::int64_t width = simd::width;

    /// A conversion whose elements may be whole steps: round_half_even(fma(x, factor[c], summand[c]) / divisor[c]) takes the place of x
    /// where it `divides`. A quotient of two numbers is known to the last bit, so ties stay ties.
    struct counted_problem : convert_problem {
        bool divides = false;
        const float* factor = nullptr;
        float factor_all = 1;
        const float* summand = nullptr;
        float summand_all = -0.0f;
        const float* divisor = nullptr;
        float divisor_all = 1;
    };

    /// The same problem with post operations that divide, round and add taken for what is done to x.
    static counted_problem counted(const convert_problem& problem) noexcept {
        counted_problem p;
        static_cast<convert_problem&>(p) = problem;
        epilogue& e = p.finish;
        const post_operation* const post = e.post;
        if (p.input_type != element_kind::f32 || e.output_type == element_kind::f32 || e.post_count < 2 ||
            post[0].kind != post_kind::divide || post[1].kind != post_kind::unary ||
            post[1].function != unary_function::round_even)
            return p;
        p.divides = true;
        p.factor = e.scale;
        p.factor_all = e.scale_all;
        p.summand = e.bias;
        p.summand_all = e.bias_all;
        e.scale = e.bias = nullptr;
        e.scale_all = 1;
        e.bias_all = -0.0f;
        p.divisor = post[0].per_channel_a;
        p.divisor_all = post[0].alpha;
        int taken = 2;
        if (e.post_count > 2 && post[2].kind == post_kind::scale_shift && post[2].per_channel_a == nullptr &&
            post[2].alpha == 1) {
            e.bias = post[2].per_channel_b;
            e.bias_all = post[2].beta;
            taken = 3;
        }
        e.post += taken;
        e.post_count -= taken;
        return p;
    }

    /// Whether all that follows a shift is a scaling: (q - zero point) * scale.
    static bool is_centred(const epilogue& e) noexcept {
        const post_operation* const post = e.post;
        return e.scale_all == 1 && e.post_count == 1 && post->kind == post_kind::scale_shift && post->beta == 0 &&
               __builtin_signbit(post->beta);
    }

    /// From so many bytes on, read and written, the output leaves the caches before anybody reads it: it goes past them, which saves
    /// reading it before it is overwritten.
    static constexpr std::int64_t streamed_bytes = std::int64_t{1} << 27;

    /// Whether what is rounded fits in 32 bits, where it is not clamped before.
    static bool rounds_directly(const convert_problem& p) noexcept {
        const epilogue& e = p.finish;
        if (p.input_type == element_kind::f32 || e.output_type == element_kind::f32) return true;
        const float most = p.input_type == element_kind::i32 ? 0.25f : 1048576.0f;
        return __builtin_fabsf(e.scale_all) <= most && __builtin_fabsf(e.bias_all) <= 536870912.0f;
    }

    /// All of a problem that is one line; false if there is no kernel for it.
    static bool run_line(const counted_problem& p, const parallel_for& parallel) noexcept {
        if constexpr (width == 1) {
            return false;
        } else {
            constexpr std::int64_t step = 4 * width;
            const epilogue& e = p.finish;
            const bool bounded = p.input_low_all != -__builtin_inff() || p.input_high_all != __builtin_inff();
            const bool centred = !p.divides && is_centred(e);
            using arithmetic = typename lines::arithmetic;
            const arithmetic by = p.divides ? arithmetic::counted : centred ? arithmetic::centred : arithmetic::scaled;
            const typename lines::line_function function =
                e.post_count == 0 || centred ? lines::find_line(p.input_type, e.output_type, bounded, by) : nullptr;
            if (function == nullptr || !rounds_directly(p)) return false;
            const std::int64_t from_bytes = bytes_of(p.input_type);
            const std::int64_t to_bytes = bytes_of(e.output_type);
            typename lines::line all;
            all.input = static_cast<const unsigned char*>(p.input);
            all.output = static_cast<unsigned char*>(p.output);
            all.scale = centred ? e.post->alpha : e.scale_all;
            all.bias = e.bias_all;
            all.factor = p.factor_all;
            all.summand = p.summand_all;
            all.divisor = p.divisor_all;
            all.low = p.input_low_all;
            all.high = p.input_high_all;
            all.quant_low = e.quant_low;
            all.quant_high = e.quant_high;
            // Elements in front of the first aligned one, where streaming needs it.
            std::int64_t head = 0;
            const bool streams =
                simd::stream_alignment > 16 && p.channels * (from_bytes + to_bytes) >= streamed_bytes &&
                reinterpret_cast<std::uintptr_t>(all.output) % static_cast<std::uintptr_t>(to_bytes) == 0;
            if (streams) {
                const auto past = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(all.output) %
                                                            static_cast<std::uintptr_t>(simd::stream_alignment));
                head = past == 0 ? 0 : (simd::stream_alignment - past) / to_bytes;
                run_channels(p, 0, 0, 0, head);
            }
            const std::int64_t whole = (p.channels - head) / step * step;
            share_out<Isa>(parallel, whole, 64 * step, [&](std::int64_t begin, std::int64_t end, int) {
                typename lines::line part = all;
                part.input += (head + begin) * from_bytes;
                part.output += (head + begin) * to_bytes;
                const bool reads_most = streams && from_bytes > to_bytes;
                const std::int64_t done =
                    reads_most ? lines::stream_pages(function, part, from_bytes, to_bytes, end - begin) : 0;
                part.input += done * from_bytes;
                part.output += done * to_bytes;
                function(part, end - begin - done, streams);
                if (streams) simd::end_stream();
            });
            const std::int64_t done = head + whole;
            if (done < p.channels) run_channels(p, 0, 0, done, p.channels - done);
            return true;
        }
    }

    /// One run of elements whose positions differ by a constant: channels of a pixel, or pixels of a channel plane.
    struct run_of_elements {
        std::int64_t count = 0;
        std::int64_t input_step = 1;
        std::int64_t output_step = 1;
    };

    static void load(const convert_problem& p, std::int64_t at, const run_of_elements& part, float* v) noexcept {
        const std::int64_t size = bytes_of(p.input_type);
        const unsigned char* data = static_cast<const unsigned char*>(p.input) + at * size;
        alignas(64) unsigned char gathered[finish_columns * 4];
        if (part.input_step != 1) {
            for (std::int64_t i = 0; i < part.count; ++i) {
                if (size == 1)
                    gathered[i] = data[i * part.input_step];
                else
                    std::memcpy(gathered + i * 4, data + i * part.input_step * 4, 4);
            }
            data = gathered;
        }
        std::int64_t i = 0;
        if (p.input_type == element_kind::f32) {
            for (; i + width <= part.count; i += width)
                simd::store(v + i, simd::load(reinterpret_cast<const float*>(data) + i));
        }
        for (; i < part.count; i += width)
            simd::store(v + i, finish<Isa>::load_elements(data, p.input_type, i, part.count - i));
    }

    /// Whether inputs have limits.
    static bool is_limited(const convert_problem& p) noexcept {
        return p.input_low != nullptr || p.input_high != nullptr || p.input_low_all != -__builtin_inff() ||
               p.input_high_all != __builtin_inff();
    }
    static void clamp(const float* low, float low_all, const float* high, float high_all, std::int64_t channel,
                      std::int64_t columns, float* v) noexcept {
        if (low == nullptr && high == nullptr && low_all == -__builtin_inff() && high_all == __builtin_inff()) return;
        for (std::int64_t i = 0; i < columns; i += width) {
            const floats a = finish<Isa>::load_or(low, low_all, channel + i, columns - i);
            const floats b = finish<Isa>::load_or(high, high_all, channel + i, columns - i);
            simd::store(v + i, simd::at_most(simd::at_least(simd::load(v + i), a), b));
        }
    }

    /// Channels of a pixel.
    static void count_steps(const counted_problem& p, std::int64_t channel, std::int64_t columns, float* v) noexcept {
        if (!p.divides) return;
        for (std::int64_t i = 0; i < columns; i += width) {
            const auto number = [&](const float* array, float all) __attribute__((always_inline)) {
                return finish<Isa>::load_or(array, all, channel + i, columns - i);
            };
            simd::store(v + i, lines::whole_steps(simd::load(v + i), number(p.factor, p.factor_all),
                                                  number(p.summand, p.summand_all), number(p.divisor, p.divisor_all)));
        }
    }
    /// Pixels of a channel.
    static void count_steps_of(const counted_problem& p, std::int64_t channel, std::int64_t count, float* v) noexcept {
        if (!p.divides) return;
        const auto number = [channel](const float* array, float all) __attribute__((always_inline)) {
            return simd::broadcast(array != nullptr ? array[channel] : all);
        };
        const floats factor = number(p.factor, p.factor_all);
        const floats summand = number(p.summand, p.summand_all);
        const floats divisor = number(p.divisor, p.divisor_all);
        for (std::int64_t i = 0; i < count; i += width)
            simd::store(v + i, lines::whole_steps(simd::load(v + i), factor, summand, divisor));
    }

    static void scatter(const convert_problem& p, std::int64_t at, const run_of_elements& part,
                        const unsigned char* from) noexcept {
        const std::int64_t size = bytes_of(p.finish.output_type);
        unsigned char* to = static_cast<unsigned char*>(p.output) + at * size;
        for (std::int64_t i = 0; i < part.count; ++i) {
            if (size == 1)
                to[i * part.output_step] = from[i];
            else
                std::memcpy(to + i * part.output_step * 4, from + i * 4, 4);
        }
    }

    /// A row of the epilogue: `count` (<= finish_columns) channels of one pixel.
    static void run_channels(const counted_problem& p, std::int64_t n, std::int64_t pixel, std::int64_t channel,
                             std::int64_t count) noexcept {
        const element_layout& in = p.input_layout;
        const element_layout& out = p.output_layout;
        const run_of_elements part{count, in.channel_stride, out.channel_stride};
        const std::int64_t from = n * in.batch_stride + pixel * in.pixel_stride + channel * in.channel_stride;
        const std::int64_t to = n * out.batch_stride + pixel * out.pixel_stride + channel * out.channel_stride;
        alignas(64) float copy[finish_columns];
        const float* v = copy;
        if (p.input_type == element_kind::f32 && part.input_step == 1 && count % width == 0 && !is_limited(p) &&
            !p.divides) {
            v = static_cast<const float*>(p.input) + from;
        } else {
            load(p, from, part, copy);
            clamp(p.input_low, p.input_low_all, p.input_high, p.input_high_all, channel, count, copy);
            count_steps(p, channel, count, copy);
        }
        unsigned char* direct = static_cast<unsigned char*>(p.output) + to * bytes_of(p.finish.output_type);
        const std::int64_t row = n * p.pixels + pixel;
        if (part.output_step == 1) {
            finish<Isa>::row(p.finish, v, row, channel, count, direct);
        } else {
            alignas(64) unsigned char packed[finish_columns * 4];
            finish<Isa>::row(p.finish, v, row, channel, count, packed);
            scatter(p, to, part, packed);
        }
    }

    static constexpr int most_posts = 8;  // of a channel of pixels

    /// Whether an epilogue can go along the pixels of a channel: its numbers are those of the channel.
    static bool follows_pixels(const epilogue& e) noexcept {
        bool result = e.post_count <= most_posts;
        for (int k = 0; k < e.post_count; ++k)
            result = result && e.post[k].residual == nullptr;
        return result;
    }
    /// The numbers of one channel as numbers of all; `post` gets its post operations.
    static epilogue of_channel(const epilogue& e, std::int64_t channel, post_operation* post) noexcept {
        epilogue result = e;
        if (e.scale != nullptr) result.scale_all = e.scale[channel];
        if (e.bias != nullptr) result.bias_all = e.bias[channel];
        result.scale = result.bias = nullptr;
        for (int k = 0; k < e.post_count; ++k)
            post[k] = finish<Isa>::of_channel(e.post[k], channel);
        result.post = post;
        return result;
    }

    /// `count` pixels of one channel, side by side in the output; the constants of the channel are the same for all.
    static void run_pixels(const counted_problem& p, std::int64_t n, std::int64_t channel, std::int64_t pixel,
                           std::int64_t count) noexcept {
        const element_layout& in = p.input_layout;
        const element_layout& out = p.output_layout;
        const run_of_elements part{count, in.pixel_stride, 1};
        post_operation post[most_posts];
        const epilogue e = of_channel(p.finish, channel, post);
        alignas(64) float v[finish_columns];
        load(p, n * in.batch_stride + pixel * in.pixel_stride + channel * in.channel_stride, part, v);
        clamp(nullptr, p.input_low != nullptr ? p.input_low[channel] : p.input_low_all, nullptr,
              p.input_high != nullptr ? p.input_high[channel] : p.input_high_all, 0, count, v);
        count_steps_of(p, channel, count, v);
        const std::int64_t to = n * out.batch_stride + pixel * out.pixel_stride + channel * out.channel_stride;
        finish<Isa>::row(e, v, 0, 0, count,
                         static_cast<unsigned char*>(p.output) + to * bytes_of(p.finish.output_type));
    }

    static void copy_integers(const convert_problem& p) noexcept {
        const element_layout& in = p.input_layout;
        const element_layout& out = p.output_layout;
        for (std::int64_t n = 0; n < p.batch; ++n) {
            for (std::int64_t i = 0; i < p.pixels; ++i) {
                for (std::int64_t c = 0; c < p.channels; ++c) {
                    const std::int64_t from = n * in.batch_stride + i * in.pixel_stride + c * in.channel_stride;
                    const std::int64_t to = n * out.batch_stride + i * out.pixel_stride + c * out.channel_stride;
                    std::memcpy(static_cast<unsigned char*>(p.output) + to * 4,
                                static_cast<const unsigned char*>(p.input) + from * 4, 4);
                }
            }
        }
    }

    /// Whether both sides have their elements side by side, in the same order.
    static bool is_one_line(const convert_problem& p) noexcept {
        const auto is_dense = [&](const element_layout& l, bool planes) {
            const std::int64_t pixel = planes ? 1 : p.channels;
            const std::int64_t channel = planes ? p.pixels : 1;
            return (p.channels == 1 || l.channel_stride == channel) && (p.pixels == 1 || l.pixel_stride == pixel) &&
                   (p.batch == 1 || l.batch_stride == p.channels * p.pixels);
        };
        return (is_dense(p.input_layout, false) && is_dense(p.output_layout, false)) ||
               (is_dense(p.input_layout, true) && is_dense(p.output_layout, true));
    }
    static void run(const convert_problem& problem, const parallel_for& parallel) noexcept {
        if (problem.finish.output_type == element_kind::i32) {
            copy_integers(problem);
            return;
        }
        counted_problem p = counted(problem);
        const bool one_step = p.factor == nullptr && p.summand == nullptr && p.divisor == nullptr;
        const bool uniform =
            one_step && p.input_low == nullptr && p.input_high == nullptr && binary<Isa>::is_flat(p.finish);
        if (uniform && is_one_line(p)) {
            p.channels = p.batch * p.pixels * p.channels;
            p.pixels = p.batch = 1;
            p.input_layout.channel_stride = p.output_layout.channel_stride = 1;
            if (run_line(p, parallel)) return;
        }
        // Long runs along the pixels beat short ones along the channels, unless a residual lies along these.
        const bool to_planes = p.output_layout.pixel_stride == 1 && p.output_layout.channel_stride != 1;
        const bool planes = p.pixels > 1 && to_planes && follows_pixels(p.finish);
        const std::int64_t inner = planes ? p.pixels : p.channels;
        const std::int64_t outer = planes ? p.channels : p.pixels;
        const std::int64_t parts = (inner + finish_columns - 1) / finish_columns;
        share_out<Isa>(parallel, p.batch * outer * parts, 8, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t i = begin; i < end; ++i) {
                const std::int64_t first = i % parts * finish_columns;
                const std::int64_t count = inner - first < finish_columns ? inner - first : finish_columns;
                const std::int64_t o = i / parts % outer;
                const std::int64_t n = i / parts / outer;
                if (planes)
                    run_pixels(p, n, o, first, count);
                else
                    run_channels(p, n, o, first, count);
            }
        });
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/convolution_rows.hpp
#ifndef LPT_HOLDS_KERNEL_CONVOLUTION_ROWS_HPP
#define LPT_HOLDS_KERNEL_CONVOLUTION_ROWS_HPP
// The rows of the matrix that a convolution is to the dense kernel: pointers to pixels, or copies.

namespace lpt::inline LPT_ABI::kernel {

/// Rows of an implicit matrix: one pointer per tap, to the input pixel or to a row of zero points.
template <class Isa>
struct pixel_rows {
    static constexpr bool copies_rows = false;
    static constexpr bool per_group = false;
    static constexpr bool readable_ends = false;
    using geometry = convolution_geometry<Isa>;
    const convolution_shape* shape = nullptr;
    pixel_image image;
    std::int64_t copied_group = 0;

    const unsigned char* outside() const noexcept { return image.outside; }
    /// Images whose pixels do not end with a whole k group are copied.
    static constexpr std::int64_t readable_rows(std::int64_t) noexcept { return 0; }
    void rows(std::int64_t first, std::int64_t count, std::int64_t, const unsigned char** pointers) const noexcept {
        const std::int64_t taps = geometry::taps(*shape);
        geometry::for_each_part(
            *shape, first, count, [&](const typename geometry::coordinates& c, std::int64_t place, std::int64_t part) {
                geometry::for_each_input_line(*shape, c, [&](std::int64_t line, std::int64_t input_line) {
                    find(c.at[2], part, line, input_line, pointers + place * taps);
                });
            });
    }

private:
    /// The taps of one kernel line for `count` output pixels side by side, from column `column` on. Most of them are inside.
    void find(std::int64_t column, std::int64_t count, std::int64_t line, std::int64_t input_line,
              const unsigned char** pointers) const noexcept {
        const convolution_shape& s = *shape;
        const std::int64_t taps = geometry::taps(s);
        const std::int64_t width = s.kernel[2];
        const std::int64_t stride = s.stride[2];
        const unsigned char** const first = pointers + line * width;
        const std::int64_t x = column * stride - s.pad_begin[2];  // of the first tap of the first pixel
        const std::int64_t step = stride * image.pixel_bytes;
        const std::int64_t apart = s.dilation[2] * image.pixel_bytes;
        const unsigned char* at = image.input + (input_line * s.in[2] + x) * image.pixel_bytes;
        const unsigned char** to = first;
        if (input_line >= 0 && width == 3) {
            for (std::int64_t i = 0; i < count; ++i, to += taps, at += step) {
                to[0] = at;
                to[1] = at + apart;
                to[2] = at + 2 * apart;
            }
        } else {
            for (std::int64_t i = 0; i < count; ++i, to += taps, at += step) {
                for (std::int64_t kw = 0; kw < width; ++kw)
                    to[kw] = input_line < 0 ? image.outside : at + kw * apart;
            }
        }
        if (input_line < 0) return;
        for (std::int64_t kw = 0; kw < width; ++kw) {
            const std::int64_t tap = x + kw * s.dilation[2];
            for (std::int64_t i = 0; i < count && tap + i * stride < 0; ++i)
                first[i * taps + kw] = image.outside;
            for (std::int64_t i = count - 1; i >= 0 && tap + i * stride >= s.in[2]; --i)
                first[i * taps + kw] = image.outside;
        }
    }
};

/// Rows of an implicit matrix whose taps are lines of the kernel, over an image whose lines have their padding and hold group after
/// group; the first line is the one that stands for all lines outside.
template <class Isa>
struct line_rows {
    static constexpr bool copies_rows = false;
    static constexpr bool per_group = false;
    static constexpr bool readable_ends = true;
    using geometry = convolution_geometry<Isa>;
    const convolution_shape* shape = nullptr;
    const unsigned char* image = nullptr;
    std::int64_t line_bytes = 0;
    std::int64_t pixel_bytes = 0;  // of a group
    std::int64_t copied_group = 0;
    static constexpr const unsigned char* outside() noexcept { return nullptr; }

    void rows(std::int64_t first, std::int64_t count, std::int64_t, const unsigned char** pointers) const noexcept {
        const std::int64_t taps = shape->kernel[0] * shape->kernel[1];
        const std::int64_t step = shape->stride[2] * pixel_bytes;
        geometry::for_each_part(
            *shape, first, count, [&](const typename geometry::coordinates& c, std::int64_t place, std::int64_t part) {
                geometry::for_each_input_line(*shape, c, [&](std::int64_t line, std::int64_t input_line) {
                    const unsigned char* const at = image + (1 + input_line) * line_bytes + c.at[2] * step;
                    const unsigned char** const to = pointers + place * taps + line;
                    evenly_spaced<Isa>(to, taps, part, at, step);
                });
            });
    }
};

/// Rows that are copied together from such lines, `row_bytes` apart.
template <class Isa>
struct joined_rows {
    static constexpr bool copies_rows = true;
    static constexpr bool per_group = false;
    static constexpr bool readable_ends = true;
    using geometry = convolution_geometry<Isa>;
    const convolution_shape* shape = nullptr;
    const unsigned char* image = nullptr;
    std::int64_t line_bytes = 0;
    std::int64_t pixel_bytes = 0;
    std::int64_t copied_group = 0;
    std::int64_t row_bytes = 0;
    unsigned char* buffer = nullptr;
    static constexpr const unsigned char* outside() noexcept { return nullptr; }

    /// Blocks of 16 bytes that are copied for so many (<= 64) of a line.
    static std::int64_t blocks(std::int64_t piece) noexcept { return piece <= 16 ? 1 : piece <= 32 ? 2 : 4; }
    /// Distance of rows: no line reaches into the next row.
    static std::int64_t distance(const convolution_shape& s, std::int64_t pixel_bytes) noexcept {
        const std::int64_t piece = s.kernel[2] * pixel_bytes;
        return (s.kernel[0] * s.kernel[1] - 1) * piece + blocks(piece) * 16;
    }

    void rows(std::int64_t first, std::int64_t count, std::int64_t, const unsigned char** pointers) const noexcept {
        const std::int64_t piece = shape->kernel[2] * pixel_bytes;
        const std::int64_t step = shape->stride[2] * pixel_bytes;
        for (std::int64_t r = 0; r < count; ++r)
            pointers[r] = buffer + r * row_bytes;
        geometry::for_each_part(
            *shape, first, count, [&](const typename geometry::coordinates& c, std::int64_t place, std::int64_t part) {
                geometry::for_each_input_line(*shape, c, [&](std::int64_t line, std::int64_t input_line) {
                    const unsigned char* from = image + (1 + input_line) * line_bytes + c.at[2] * step;
                    unsigned char* to = buffer + place * row_bytes + line * piece;
                    switch (blocks(piece)) {
                        case 1: copy<1>(to, from, part, step); break;
                        case 2: copy<2>(to, from, part, step); break;
                        default: copy<4>(to, from, part, step); break;
                    }
                });
            });
    }

private:
    /// The taps of one kernel line for some output pixels side by side, `Blocks` times 16 bytes each; what is too much is overwritten
    /// by the next line, or meets columns of zeros.
    template <int Blocks>
    void copy(unsigned char* to, const unsigned char* from, std::int64_t count, std::int64_t step) const noexcept {
        for (std::int64_t i = 0; i < count; ++i, to += row_bytes, from += step)
            std::memcpy(to, from, Blocks * 16);
    }
};

/// Rows that are copied together from their taps, for few channels.
template <class Isa>
struct gathered_rows {
    static constexpr bool copies_rows = true;
    static constexpr bool per_group = true;
    static constexpr bool readable_ends = true;
    static constexpr std::int64_t copied_group = 0;
    static constexpr const unsigned char* outside() noexcept { return nullptr; }
    const convolution_shape* shape = nullptr;
    const unsigned char* input = nullptr;
    std::int64_t pixel_bytes = 0;
    std::int64_t tap_bytes = 0;  // channels of a group
    int fill = 0;
    std::int64_t row_bytes = 0;
    unsigned char* buffer = nullptr;

    void rows(std::int64_t first, std::int64_t count, std::int64_t group,
              const unsigned char** pointers) const noexcept {
        for (std::int64_t r = 0; r < count; ++r) {
            pointers[r] = buffer + r * row_bytes;
            gather(first + r, group, buffer + r * row_bytes);
        }
    }

private:
    void gather(std::int64_t index, std::int64_t group, unsigned char* to) const noexcept {
        const unsigned char* from = input + group * tap_bytes;
        const std::int64_t width = shape->kernel[2];
        const std::int64_t step = shape->dilation[2] * pixel_bytes;
        const auto copy_line = [&](std::int64_t, std::int64_t begin, std::int64_t end, std::int64_t pixel) {
            for (std::int64_t i = 0; i < begin * tap_bytes; ++i)
                to[i] = static_cast<unsigned char>(fill);
            const unsigned char* at = from + pixel * pixel_bytes;
            if (step == tap_bytes) {
                copy(to + begin * tap_bytes, at, (end - begin) * tap_bytes);
            } else {
                for (std::int64_t kw = begin; kw < end; ++kw, at += step)
                    copy(to + kw * tap_bytes, at, tap_bytes);
            }
            for (std::int64_t i = end * tap_bytes; i < width * tap_bytes; ++i)
                to[i] = static_cast<unsigned char>(fill);
            to += width * tap_bytes;
        };
        convolution_geometry<Isa>::for_each_line(*shape, index, copy_line);
    }

    /// Copies a few bytes; a call of memcpy would cost more than they do. Blocks of 8 bytes, the last one overlapping.
    [[gnu::always_inline]] static void copy(unsigned char* to, const unsigned char* from, std::int64_t count) noexcept {
        if (count >= 8) {
            for (std::int64_t i = 0; i + 8 <= count; i += 8)
                std::memcpy(to + i, from + i, 8);
            std::memcpy(to + count - 8, from + count - 8, 8);
        } else if (count >= 4) {
            std::memcpy(to, from, 4);
            std::memcpy(to + count - 4, from + count - 4, 4);
        } else {
            for (std::int64_t i = 0; i < count; ++i)
                to[i] = from[i];
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/depthwise.hpp
#ifndef LPT_HOLDS_KERNEL_DEPTHWISE_HPP
#define LPT_HOLDS_KERNEL_DEPTHWISE_HPP
// Depthwise convolution: one input channel per output channel, vectors run along the channels.

namespace lpt::inline LPT_ABI::kernel {

/// `depthwise_dots` for channels that do not fill the half of a block, if the instruction set has it.
template <class Isa, bool HasHalves>
struct half_block_dots {
    using type = depthwise_dots<Isa, typename half_blocks<Isa>::dot, typename half_blocks<Isa>::simd>;
};
template <class Isa>
struct half_block_dots<Isa, false> {
    using type = void;
};

/// Where dot products of bytes can compute it, `depthwise_dots` does; which form packed weights have stands in front of them.
/// Else weights are packed as pairs of taps in 16 bits, zero points already subtracted (|w - z| <= 383), so one 16-bit multiply-add
/// instruction takes two taps and stays exact for u8 and i8 data.
/// In memory: sums of each channel's weights (int32), then [pair of taps][channel][2] int16; floats: [tap][channel].
template <class Isa>
struct depthwise {
    using simd = lanes<Isa>;
    using ints = typename simd::ints;
    using floats = typename simd::floats;
    using geometry = convolution_geometry<Isa>;
    static constexpr std::int64_t width = simd::width;
    static constexpr int tile_pixels = 4;

    static std::int64_t padded(const convolution_shape& s) noexcept {
        return (s.in_channels + width - 1) / width * width;
    }
    static std::int64_t pairs(const convolution_shape& s) noexcept { return (geometry::taps(s) + 1) / 2; }

    static constexpr std::int64_t header_bytes = 64;  // int32: whether `depthwise_dots` packed what follows
    using dots = depthwise_dots<Isa>;
    using half_dots = typename half_block_dots<Isa, half_blocks<Isa>::exist>::type;

    /// The channels in blocks of full width, and those after them.
    static channel_span in_blocks(const convolution_shape& s) noexcept {
        const std::int64_t rest = s.in_channels % dots::block;
        return {0, half_blocks<Isa>::exist && rest <= dots::block / 2 ? s.in_channels - rest : s.in_channels};
    }
    static channel_span after_blocks(const convolution_shape& s) noexcept {
        const std::int64_t first = in_blocks(s).count;
        return {first, s.in_channels - first};
    }
    static std::int64_t dots_bytes(const convolution_shape& s) noexcept {
        std::int64_t bytes = dots::packed_bytes(s, in_blocks(s));
        if constexpr (half_blocks<Isa>::exist) bytes += half_dots::packed_bytes(s, after_blocks(s));
        return bytes;
    }

    static bool could_use_dots(const convolution_shape& s, element_kind type) noexcept {
        if constexpr (dots::exists) {
            // A dot product of several instructions is not worth it where both rows and channels of a window are partly empty.
            if (requires { dots::dot::pairings; } && dots::window_rows(s) == 1 && s.in_channels % dots::block != 0)
                return false;
            return type != element_kind::f32 && dots::window_columns(s) > 0;
        }
        return false;
    }

    static std::size_t packed_bytes(const convolution_shape& s, element_kind type) noexcept {
        const std::int64_t rows = type == element_kind::f32 ? geometry::taps(s) : 1 + pairs(s);
        std::int64_t bytes = rows * padded(s) * 4;
        if constexpr (dots::exists) {
            if (could_use_dots(s, type) && dots_bytes(s) > bytes) bytes = dots_bytes(s);
        }
        return static_cast<std::size_t>(header_bytes + bytes);
    }

    /// A weight less its zero point.
    static std::int32_t value_of(const convolution_weights& weights, std::int64_t channel, std::int64_t tap) noexcept {
        const unsigned char* data = static_cast<const unsigned char*>(weights.data);
        const unsigned char byte = data[channel * weights.group_stride + tap * weights.tap_stride];
        const std::int32_t raw = weights.type == element_kind::u8
                                     ? static_cast<std::int32_t>(byte)
                                     : static_cast<std::int32_t>(static_cast<std::int8_t>(byte));
        const std::int64_t zero_index = weights.zero_point_count > 1 ? channel : 0;
        return weights.zero_point_count > 0 ? raw - weights.zero_points[zero_index] : raw;
    }
    static bool fits_dots(const convolution_shape& s, const convolution_weights& weights) noexcept {
        for (std::int64_t c = 0; c < s.in_channels; ++c) {
            for (std::int64_t t = 0; t < geometry::taps(s); ++t) {
                const std::int32_t value = value_of(weights, c, t);
                if (value < -128 || value > 127) return false;
            }
        }
        return true;
    }

    static void pack(const convolution_shape& s, const convolution_weights& weights, void* packed) noexcept {
        std::memset(packed, 0, packed_bytes(s, weights.type));
        unsigned char* const base = static_cast<unsigned char*>(packed) + header_bytes;
        if constexpr (dots::exists) {
            if (could_use_dots(s, weights.type) && fits_dots(s, weights)) {
                const std::int32_t yes = 1;
                std::memcpy(packed, &yes, sizeof yes);
                const auto value = [&](std::int64_t c, std::int64_t t) { return value_of(weights, c, t); };
                dots::pack(s, in_blocks(s), value, base);
                if constexpr (half_blocks<Isa>::exist)
                    half_dots::pack(s, after_blocks(s), value, base + dots::packed_bytes(s, in_blocks(s)));
                return;
            }
        }
        const std::int64_t taps = geometry::taps(s);
        const unsigned char* data = static_cast<const unsigned char*>(weights.data);
        for (std::int64_t c = 0; c < s.in_channels; ++c) {
            std::int32_t sum = 0;
            for (std::int64_t t = 0; t < taps; ++t) {
                if (weights.type == element_kind::f32) {
                    const std::int64_t at = c * weights.group_stride + t * weights.tap_stride;
                    std::memcpy(base + (t * padded(s) + c) * 4, data + at * 4, 4);
                    continue;
                }
                const std::int16_t value = static_cast<std::int16_t>(value_of(weights, c, t));
                sum += value;
                std::memcpy(base + (padded(s) + (t / 2 * padded(s) + c)) * 4 + t % 2 * 2, &value, sizeof value);
            }
            if (weights.type != element_kind::f32) std::memcpy(base + c * 4, &sum, sizeof sum);
        }
    }

    static std::int64_t outside_bytes(const convolution_shape& s, element_kind type) noexcept {
        return (s.in_channels * bytes_of(type) + 63) / 64 * 64;
    }
    static std::int64_t pointer_count(const convolution_shape& s) noexcept { return pairs(s) * 2 * tile_pixels; }

    static std::size_t scratch_bytes(const convolution_shape& s, element_kind type, int threads) noexcept {
        const std::int64_t pointers = pointer_count(s) * static_cast<std::int64_t>(sizeof(void*));
        return static_cast<std::size_t>(64 + outside_bytes(s, type) + threads * pointers);
    }

    static void run(const convolution_problem& problem, const parallel_for& parallel) noexcept {
        const convolution_shape& s = problem.shape;
        const std::int64_t element = bytes_of(problem.input_type);
        unsigned char* scratch = static_cast<unsigned char*>(problem.scratch);
        scratch += (64 - static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(scratch) % 64)) % 64;
        unsigned char* const outside = scratch;
        std::memset(outside, problem.input_zero_point & 0xff, static_cast<std::size_t>(s.in_channels * element));
        if constexpr (dots::exists) {
            std::int32_t uses_dots;
            std::memcpy(&uses_dots, problem.packed_weights, sizeof uses_dots);
            if (uses_dots != 0) {
                const unsigned char* const packed_dots = packed_of(problem);
                if (run_in_registers<depthwise_3x3<Isa>>(problem, outside, parallel) ||
                    run_in_registers<depthwise_5x5<Isa>>(problem, outside, parallel))
                    return;
                dots::run(problem, in_blocks(s), packed_dots, outside, parallel);
                if constexpr (half_blocks<Isa>::exist) {
                    half_dots::run(problem, after_blocks(s), packed_dots + dots::packed_bytes(s, in_blocks(s)), outside,
                                   parallel);
                }
                return;
            }
        }
        const unsigned char** const all_pointers =
            reinterpret_cast<const unsigned char**>(scratch + outside_bytes(s, problem.input_type));
        split<Isa>(parallel, geometry::pixels(s), tile_pixels, [&](std::int64_t begin, std::int64_t end, int task) {
            const unsigned char** const pointers = all_pointers + task * pointer_count(s);
            for (std::int64_t i = 0; i < pointer_count(s); ++i)
                pointers[i] = outside;
            pixel_finder find(problem, begin, outside);
            for (std::int64_t first = begin; first < end; first += tile_pixels) {
                const std::int64_t count = end - first < tile_pixels ? end - first : tile_pixels;
                for (std::int64_t p = 0; p < count; ++p)
                    find.next(pointers, p);
                run_tile(problem, first, count, pointers);
            }
        });
    }

private:
    static const unsigned char* packed_of(const convolution_problem& problem) noexcept {
        return static_cast<const unsigned char*>(problem.packed_weights) + header_bytes;
    }

    /// Whether the kernel exists and fits; then it has run.
    template <class Kernel>
    static bool run_in_registers(const convolution_problem& problem, const unsigned char* outside,
                                 const parallel_for& parallel) noexcept {
        if constexpr (Kernel::exists) {
            if (!Kernel::fits(problem)) return false;
            const convolution_shape& s = problem.shape;
            const unsigned char* const packed = packed_of(problem);
            Kernel::run(problem, in_blocks(s), packed, after_blocks(s), packed + dots::packed_bytes(s, in_blocks(s)),
                        outside, parallel);
            return true;
        }
        return false;
    }

    /// Walks over the output pixels and writes the addresses of their taps to pointers[tap * tile_pixels + place]. A pixel whose
    /// window lies beside the one before takes over its addresses, one stride further: that is all the work inside an image.
    class pixel_finder {
        const convolution_shape& shape_;
        const unsigned char* input_;
        const unsigned char* outside_;
        std::int64_t pixel_bytes_;
        std::int64_t taps_;
        std::int64_t row_;
        std::int64_t column_;  // of the output
        bool previous_whole_ = false;

    public:
        pixel_finder(const convolution_problem& problem, std::int64_t first, const unsigned char* outside) noexcept
            : shape_(problem.shape),
              input_(static_cast<const unsigned char*>(problem.input)),
              outside_(outside),
              pixel_bytes_(problem.input_pixel_stride * bytes_of(problem.input_type)),
              taps_(geometry::taps(problem.shape)),
              row_(first),
              column_(first % problem.shape.out[2]) {}

        void next(const unsigned char** pointers, std::int64_t place) noexcept {
            const typename geometry::span w = geometry::window(shape_, 2, column_);
            const bool whole = w.begin == 0 && w.end == shape_.kernel[2];
            const unsigned char** to = pointers + place;
            if (whole && previous_whole_ && column_ > 0) {
                const unsigned char* const* from = pointers + (place + tile_pixels - 1) % tile_pixels;
                const std::int64_t step = shape_.stride[2] * pixel_bytes_;
                for (std::int64_t i = 0; i < taps_ * tile_pixels; i += tile_pixels)
                    to[i] = from[i] == outside_ ? outside_ : from[i] + step;
            } else {
                geometry::for_each_tap(shape_, row_, [&](std::int64_t tap, std::int64_t pixel) {
                    to[tap * tile_pixels] = pixel < 0 ? outside_ : input_ + pixel * pixel_bytes_;
                });
            }
            previous_whole_ = whole;
            ++row_;
            if (++column_ == shape_.out[2]) column_ = 0;
        }
    };

    static void run_tile(const convolution_problem& problem, std::int64_t first, std::int64_t count,
                         const unsigned char* const* pointers) noexcept {
        const convolution_shape& s = problem.shape;
        for (std::int64_t c = 0; c < s.in_channels; c += finish_columns) {
            const std::int64_t columns = s.in_channels - c < finish_columns ? s.in_channels - c : finish_columns;
            unsigned char* to = static_cast<unsigned char*>(problem.output) +
                                (first * problem.output_pixel_stride + c) * bytes_of(problem.finish.output_type);
            if (problem.input_type == element_kind::f32) {
                alignas(64) float sums[tile_pixels * finish_columns];
                for (std::int64_t i = 0; i < columns; i += width)
                    sum_floats(problem, c + i, columns - i, pointers, sums + i);
                finish<Isa>::tile(problem.finish, sums, finish_columns, count, first, c, columns, to,
                                  problem.output_pixel_stride);
            } else {
                alignas(64) std::int32_t sums[tile_pixels * finish_columns];
                if (problem.input_type == element_kind::u8)
                    sum_integers<false>(problem, c, columns, pointers, sums);
                else
                    sum_integers<true>(problem, c, columns, pointers, sums);
                finish<Isa>::tile(problem.finish, sums, finish_columns, count, first, c, columns, to,
                                  problem.output_pixel_stride);
            }
        }
    }

    template <bool Signed, bool Whole>
    [[gnu::always_inline]] static ints load_bytes(const unsigned char* from, std::int64_t count) noexcept {
        std::uint8_t whole[width];
        if constexpr (!Whole) {
            for (std::int64_t i = 0; i < width; ++i)
                whole[i] = i < count ? from[i] : std::uint8_t{0};
            from = whole;
        }
        if constexpr (Signed)
            return simd::load_i8(reinterpret_cast<const std::int8_t*>(from));
        else
            return simd::load_u8(from);
    }

    /// One vector of channels, from `c` on, of all pixels of a tile. `weights` is the first pair of taps of channel c.
    template <bool Signed, bool Whole>
    [[gnu::always_inline]] static void sum_vector(ints start, const std::int32_t* weights, std::int64_t row,
                                                  std::int64_t pair_count, std::int64_t c, std::int64_t count,
                                                  const unsigned char* const* pointers, std::int32_t* sums) noexcept {
        ints sum[tile_pixels] = {start, start, start, start};
        for (std::int64_t pair = 0; pair < pair_count; ++pair) {
            const ints weight = simd::load_int(weights + pair * row);
            const unsigned char* const* at = pointers + pair * 2 * tile_pixels;
#pragma GCC unroll 4
            for (int p = 0; p < tile_pixels; ++p) {
                const ints low = load_bytes<Signed, Whole>(at[p] + c, count);
                const ints high = load_bytes<Signed, Whole>(at[tile_pixels + p] + c, count);
                sum[p] = simd::multiply_pairs(sum[p], simd::pair(low, high), weight);
            }
        }
#pragma GCC unroll 4
        for (int p = 0; p < tile_pixels; ++p)
            simd::store_int(sums + p * finish_columns, sum[p]);
    }

    template <bool Signed>
    static void sum_integers(const convolution_problem& problem, std::int64_t c, std::int64_t columns,
                             const unsigned char* const* pointers, std::int32_t* sums) noexcept {
        const std::int64_t row = padded(problem.shape);
        const std::int64_t pair_count = pairs(problem.shape);
        const std::int32_t* weights = reinterpret_cast<const std::int32_t*>(packed_of(problem)) + c;
        const ints zero = simd::broadcast_int(-problem.input_zero_point);
        std::int64_t i = 0;
        for (; i + width <= columns; i += width) {
            const ints start = simd::multiply_int(simd::load_int(weights + i), zero);
            sum_vector<Signed, true>(start, weights + row + i, row, pair_count, c + i, width, pointers, sums + i);
        }
        if (i < columns) {
            const ints start = simd::multiply_int(simd::load_int(weights + i), zero);
            sum_vector<Signed, false>(start, weights + row + i, row, pair_count, c + i, columns - i, pointers,
                                      sums + i);
        }
    }

    static void sum_floats(const convolution_problem& problem, std::int64_t c, std::int64_t count,
                           const unsigned char* const* pointers, float* sums) noexcept {
        const convolution_shape& s = problem.shape;
        const std::int64_t row = padded(s);
        const float* weights = reinterpret_cast<const float*>(packed_of(problem));
        const floats start = simd::broadcast(0.0f);
        floats sum[tile_pixels] = {start, start, start, start};
        const std::int64_t taps = geometry::taps(s);
        for (std::int64_t t = 0; t < taps; ++t) {
            const floats weight = simd::load(weights + t * row + c);
            const unsigned char* const* at = pointers + t * tile_pixels;
#pragma GCC unroll 4
            for (int p = 0; p < tile_pixels; ++p) {
                sum[p] = simd::fma(finish<Isa>::load_elements(at[p], element_kind::f32, c, count), weight, sum[p]);
            }
        }
#pragma GCC unroll 4
        for (int p = 0; p < tile_pixels; ++p)
            simd::store(sums + p * finish_columns, sum[p]);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/grouped.hpp
#ifndef LPT_HOLDS_KERNEL_GROUPED_HPP
#define LPT_HOLDS_KERNEL_GROUPED_HPP
// Convolution with few channels a group: vectors run along the channels of many groups, where panels of a group would stay empty.

namespace lpt::inline LPT_ABI::kernel {

/// Groups of 4, 8 or 16 channels, in and out, with weights that, less their zero points, are signed bytes. A vector of the image has
/// the bytes of 4 * lanes channels as they lie; its 128-bit parts are 16 channels, four words, of which each is repeated over its part and
/// multiplied by what the channels of its group make of it.
/// In memory: whether weights are packed so (int32), and if they are, sums of each block's slots (int32), then
/// [block][tap][word][vector of its group][slot][4].
template <class Isa>
struct grouped_convolution {
    using geometry = convolution_geometry<Isa>;
    using dot = dot_of_four<Isa>;
    using slots = slot_store<Isa>;
    using accumulator = typename dot::accumulator;
    static constexpr bool exists = dot::group == 4;
    static constexpr std::int64_t header_bytes = 64;
    static constexpr std::int64_t block = slots::block;
    static constexpr std::int64_t vector_bytes = block;
    static constexpr int most_taps = 49;
    static constexpr int tile_pixels = dot::rows * dot::vectors >= 16 ? 4 : 2;
    static constexpr std::int64_t most_blocks = 16;  // whose constants are kept
    static constexpr std::int64_t chunk_pixels =
        slots::staged_pixels;  // of a line, for which a block's weights stay in the L1 cache

    /// Whether the packed form has a header, which says who runs it. `type`: of the weights or the image.
    static constexpr bool has_header(const convolution_shape& s, element_kind type) noexcept {
        if constexpr (!exists) return false;
        const std::int64_t channels = geometry::group_in(s);
        const bool small = channels == 4 || channels == 8 || channels == 16;
        return small && s.groups > 1 && geometry::group_out(s) == channels && !s.transposed &&
               s.in_channels >= block / 2 && geometry::taps(s) <= most_taps && type != element_kind::f32;
    }
    static std::int64_t packed_bytes(const convolution_shape& s) noexcept {
        return header_bytes + blocks(s) * (4 * block + weights_bytes(s));
    }

    /// False if the weights are not signed bytes.
    static bool pack(const convolution_shape& s, const convolution_weights& weights, void* packed) noexcept {
        if (weights.type == element_kind::i4) return false;
        std::memset(packed, 0, static_cast<std::size_t>(packed_bytes(s)));
        unsigned char* const sums = static_cast<unsigned char*>(packed) + header_bytes;
        unsigned char* const at = sums + blocks(s) * 4 * block;
        for (std::int64_t c = 0; c < s.out_channels; ++c) {
            std::int32_t sum = 0;
            for (std::int64_t t = 0; t < geometry::taps(s); ++t) {
                for (std::int64_t i = 0; i < geometry::group_in(s); ++i) {
                    const std::int32_t value = value_of(s, weights, c, i, t);
                    if (value < -128 || value > 127) return false;
                    sum += value;
                    at[place_of(s, c, i, t)] = static_cast<unsigned char>(value & 0xff);
                }
            }
            std::memcpy(sums + c / block * 4 * block + slots::slot(c % block) * 4, &sum, sizeof sum);
        }
        const std::int32_t yes = 1;
        std::memcpy(packed, &yes, sizeof yes);
        return true;
    }
    static bool is_packed(const void* packed) noexcept {
        std::int32_t yes;
        std::memcpy(&yes, packed, sizeof yes);
        return yes != 0;
    }

    /// `outside` is a row of zero points.
    static void run(const convolution_problem& problem, const unsigned char* outside,
                    const parallel_for& parallel) noexcept {
        const convolution_shape& s = problem.shape;
        const std::int64_t lines = s.batch * s.out[0] * s.out[1];
        share_out<Isa>(parallel, lines, 1, [&](std::int64_t begin, std::int64_t end, int) {
            switch (geometry::group_in(s)) {
                case 4: return run_lines<4>(problem, outside, begin, end);
                case 8: return run_lines<8>(problem, outside, begin, end);
                default: return run_lines<16>(problem, outside, begin, end);
            }
        });
    }

private:
    static std::int64_t blocks(const convolution_shape& s) noexcept { return (s.in_channels + block - 1) / block; }
    static std::int64_t weights_bytes(const convolution_shape& s) noexcept {
        return geometry::taps(s) * geometry::group_in(s) * vector_bytes;
    }

    /// Weight of output channel `c` for channel `i` of its group.
    static std::int32_t value_of(const convolution_shape& s, const convolution_weights& weights, std::int64_t c,
                                 std::int64_t i, std::int64_t tap) noexcept {
        const std::int64_t channels = geometry::group_in(s);
        const std::int64_t at = c / channels * weights.group_stride + c % channels * weights.out_stride +
                                i * weights.in_stride + tap * weights.tap_stride;
        const unsigned char byte = static_cast<const unsigned char*>(weights.data)[at];
        const std::int32_t raw = weights.type == element_kind::u8
                                     ? static_cast<std::int32_t>(byte)
                                     : static_cast<std::int32_t>(static_cast<std::int8_t>(byte));
        const std::int64_t zero_index = weights.zero_point_count > 1 ? c : 0;
        return weights.zero_point_count > 0 ? raw - weights.zero_points[zero_index] : raw;
    }
    static std::int64_t place_of(const convolution_shape& s, std::int64_t c, std::int64_t i,
                                 std::int64_t tap) noexcept {
        const std::int64_t channels = geometry::group_in(s);
        const std::int64_t words = channels / 4;
        const std::int64_t slot = slots::slot(c % block);
        const std::int64_t vector = slot / dot::lanes;
        const std::int64_t word = vector / words * words + i / 4;
        const std::int64_t in_tap = (word * words + vector % words) * vector_bytes + slot % dot::lanes * 4 + i % 4;
        return c / block * weights_bytes(s) + tap * channels * vector_bytes + in_tap;
    }

    /// Word `Word` of each 128-bit part, in all words of the part.
    template <int Word, int... Lane>
    [[gnu::always_inline]] static accumulator repeat(accumulator image, std::integer_sequence<int, Lane...>) noexcept {
        return __builtin_shufflevector(image, image, (Lane / 4 * 4 + Word)...);
    }

    /// A part of a line: the addresses of its pixels' taps, pointers[tap * chunk_pixels + pixel].
    struct chunk {
        std::int64_t row = 0;  // of the epilogue
        std::int64_t pixels = 0;
        const unsigned char* pointers[most_taps * chunk_pixels];
    };

    struct pixel_range {
        std::int64_t begin;
        std::int64_t end;
    };
    /// Those of `count` output pixels whose tap lies inside a line of the image; that of the first one lies at `x`.
    static pixel_range inside(const convolution_shape& s, std::int64_t x, std::int64_t count) noexcept {
        const std::int64_t stride = s.stride[2];
        const std::int64_t before = x < 0 ? (stride - 1 - x) / stride : 0;
        const std::int64_t until = x < s.in[2] ? (s.in[2] - x + stride - 1) / stride : 0;
        const std::int64_t end = until < count ? until : count;
        return {before < end ? before : end, end};
    }

    static void find(const convolution_problem& problem, const unsigned char* outside, std::int64_t line,
                     std::int64_t first, chunk& to) noexcept {
        const convolution_shape& s = problem.shape;
        to.row = line * s.out[2] + first;
        to.pixels = s.out[2] - first < chunk_pixels ? s.out[2] - first : chunk_pixels;
        const unsigned char* const input = static_cast<const unsigned char*>(problem.input);
        const typename geometry::coordinates c = geometry::locate(s, to.row);
        geometry::for_each_input_line(s, c, [&](std::int64_t kernel_line, std::int64_t input_line) {
            for (std::int64_t kw = 0; kw < s.kernel[2]; ++kw) {
                const unsigned char** const pointers = to.pointers + (kernel_line * s.kernel[2] + kw) * chunk_pixels;
                const std::int64_t x = first * s.stride[2] - s.pad_begin[2] + kw * s.dilation[2];
                const auto [begin, end] = input_line < 0 ? pixel_range{0, 0} : inside(s, x, to.pixels);
                for (std::int64_t p = 0; p < begin; ++p)
                    pointers[p] = outside;
                if (begin < end) {
                    const std::int64_t pixel = input_line * s.in[2] + x + begin * s.stride[2];
                    evenly_spaced<Isa>(pointers + begin, 1, end - begin, input + pixel * problem.input_pixel_stride,
                                       s.stride[2] * problem.input_pixel_stride);
                }
                for (std::int64_t p = end; p < to.pixels; ++p)
                    pointers[p] = outside;
            }
        });
    }

    /// What holds for a block of channels.
    struct channel_block {
        const unsigned char* weights = nullptr;
        unsigned char flip = 0;
        bool in_place = false;  // the image's bytes are read where they lie
        typename slots::constants finish;
    };

    template <int Channels>
    static void run_lines(const convolution_problem& problem, const unsigned char* outside, std::int64_t begin,
                          std::int64_t end) noexcept {
        const convolution_shape& s = problem.shape;
        const unsigned char* const sums = static_cast<const unsigned char*>(problem.packed_weights) + header_bytes;
        const bool is_signed = problem.input_type == element_kind::i8;
        const unsigned char flip = is_signed == dot::unsigned_rows ? 0x80 : 0;
        const std::int32_t shift = flip == 0 ? 0 : dot::unsigned_rows ? 128 : -128;
        step_numbers<block> of_all, copies;
        slots::fill(of_all, problem.finish);
        channel_block blocks_at_once[most_blocks];
        chunk place;
        for (std::int64_t done = 0; done < blocks(s); done += most_blocks) {
            const std::int64_t count = blocks(s) - done < most_blocks ? blocks(s) - done : most_blocks;
            for (std::int64_t b = done; b < done + count; ++b) {
                const std::int64_t left = s.in_channels - b * block;
                const channel_span own{b * block, left < block ? left : block};
                channel_block& w = blocks_at_once[b - done];
                w.weights = sums + blocks(s) * 4 * block + b * weights_bytes(s);
                w.flip = flip;
                w.in_place = flip == 0 && own.count == block;
                slots::prepare(problem.finish, own, reinterpret_cast<const std::int32_t*>(sums + b * 4 * block),
                               problem.input_zero_point + shift, geometry::taps(s) * geometry::group_in(s), of_all,
                               copies, w.finish);
            }
            for (std::int64_t line = begin; line < end; ++line) {
                for (std::int64_t first = 0; first < s.out[2]; first += chunk_pixels) {
                    find(problem, outside, line, first, place);
                    for (std::int64_t k = 0; k < count; ++k)
                        run_chunk<Channels>(problem, blocks_at_once[k], place);
                }
            }
        }
    }

    template <int Channels>
    static void run_chunk(const convolution_problem& problem, const channel_block& w, const chunk& place) noexcept {
        alignas(64) float staged[chunk_pixels * block];
        std::int64_t p = 0;
        for (; p + tile_pixels <= place.pixels; p += tile_pixels)
            sum_pixels<Channels, tile_pixels>(problem, w, place, p, staged + p * block);
        for (; p < place.pixels; ++p)
            sum_pixels<Channels, 1>(problem, w, place, p, staged + p * block);
        if (w.finish.staged) slots::finish_staged(problem, w.finish, staged, place.row, place.pixels);
    }

    /// The bytes of a pixel that are not read where they lie: of the other sign, or fewer than a vector.
    [[gnu::noinline]] static void copy(const channel_block& w, const unsigned char* from, unsigned char* to) noexcept {
        unsigned char whole[block];
        if (w.finish.count == block) {
            std::memcpy(whole, from, block);
        } else {
            std::memset(whole, 0, block);
            std::memcpy(whole, from, static_cast<std::size_t>(w.finish.count));
        }
        for (unsigned char& each : whole)
            each = static_cast<unsigned char>(each ^ w.flip);
        std::memcpy(to, whole, block);
    }

    template <int Channels, int Pixels>
    [[gnu::always_inline]] static void sum_pixels(const convolution_problem& problem, const channel_block& w,
                                                  const chunk& place, std::int64_t first, float* staged) noexcept {
        accumulator sum[Pixels][4];
#pragma GCC unroll 4
        for (int v = 0; v < 4; ++v) {
            const accumulator start = dot::load(w.finish.start + v * dot::lanes);
#pragma GCC unroll 4
            for (int p = 0; p < Pixels; ++p)
                sum[p][v] = start;
        }
        const unsigned char* weights = w.weights;
        const std::int64_t taps = geometry::taps(problem.shape);
        for (std::int64_t t = 0; t < taps; ++t, weights += Channels * vector_bytes) {
            const unsigned char* const* const pointers = place.pointers + t * chunk_pixels + first;
            accumulator image[Pixels];
            alignas(64) unsigned char bytes[vector_bytes];
#pragma GCC unroll 4
            for (int p = 0; p < Pixels; ++p) {
                const unsigned char* at = pointers[p] + w.finish.channel;
                if (!w.in_place) {
                    copy(w, at, bytes);
                    at = bytes;
                }
                image[p] = reinterpret_cast<accumulator>(dot::load_columns(at));
            }
            multiply_words<Channels, Pixels>(sum, image, weights, std::make_integer_sequence<int, 4>());
        }
        slots::template store<Pixels>(problem, w.finish, sum, place.row + first, staged);
    }

    template <int Channels, int Pixels, int... Word>
    [[gnu::always_inline]] static void multiply_words(accumulator (&sum)[Pixels][4], const accumulator (&image)[Pixels],
                                                      const unsigned char* weights,
                                                      std::integer_sequence<int, Word...>) noexcept {
        (multiply_word<Channels, Word>(sum, image, weights), ...);
    }
    /// What a word adds to the sums of its group's channels.
    template <int Channels, int Word, int Pixels>
    [[gnu::always_inline]] static void multiply_word(accumulator (&sum)[Pixels][4], const accumulator (&image)[Pixels],
                                                     const unsigned char* weights) noexcept {
        using group = typename dot::column_group;
        constexpr int words = Channels / 4;
        accumulator repeated[Pixels];
#pragma GCC unroll 4
        for (int p = 0; p < Pixels; ++p)
            repeated[p] = repeat<Word>(image[p], std::make_integer_sequence<int, dot::lanes>());
#pragma GCC unroll 4
        for (int k = 0; k < words; ++k) {
            constexpr int first = Word / words * words;
            const auto weight = dot::load_columns(weights + (Word * words + k) * vector_bytes);
#pragma GCC unroll 4
            for (int p = 0; p < Pixels; ++p)
                sum[p][first + k] = dot::step(sum[p][first + k], reinterpret_cast<group>(repeated[p]), weight);
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/transposed_convolution.hpp
#ifndef LPT_HOLDS_KERNEL_TRANSPOSED_CONVOLUTION_HPP
#define LPT_HOLDS_KERNEL_TRANSPOSED_CONVOLUTION_HPP
// Transposed convolutions over the dense kernel.
//
// An output pixel takes a tap only if the tap's position is a multiple of the stride. Which taps these are repeats along each axis with the stride,
// so the outputs of such a phase are a convolution of stride 1 with the taps of the phase, whose weights are packed for themselves.

namespace lpt::inline LPT_ABI::kernel {

/// Outputs of one phase along an axis: `first`, `first` + stride ... Tap t of output j, that of the kernel at phase + t * tap_step, takes input
/// `input` + j + t * input_step.
struct phase_outputs {
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::int64_t phase = -1;
    std::int64_t taps = 0;
    std::int64_t tap_step = 0;
    std::int64_t input = 0;
    std::int64_t input_step = 0;
};

/// The taps of phases along an axis. A template on the instruction set only to keep one copy per instruction set.
template <class Isa>
struct transposed_axis {
    std::int64_t kernel;
    std::int64_t stride;
    std::int64_t dilation;
    std::int64_t step;  // from tap to tap of a phase

    transposed_axis(const convolution_shape& s, int axis) noexcept
        : kernel(s.kernel[axis]), stride(s.stride[axis]), dilation(s.dilation[axis]) {
        std::int64_t divisor = stride;
        for (std::int64_t rest = dilation % stride; rest != 0;) {
            const std::int64_t next = divisor % rest;
            divisor = rest;
            rest = next;
        }
        step = stride / divisor;
    }
    /// Phases that have taps; the taps of phase p are p, p + step, p + 2 step ...
    std::int64_t phases() const noexcept { return kernel < step ? kernel : step; }
    std::int64_t taps(std::int64_t phase) const noexcept { return (kernel - phase + step - 1) / step; }
    /// Outputs of the phase of output `first` (< stride).
    static phase_outputs outputs_from(const convolution_shape& s, int axis, std::int64_t first) noexcept {
        const transposed_axis a(s, axis);
        phase_outputs result;
        result.first = first;
        result.count = (s.out[axis] - first + a.stride - 1) / a.stride;
        result.phase = a.phase_of(first + s.pad_begin[axis]);
        if (result.phase < 0) return result;
        result.taps = a.taps(result.phase);
        result.tap_step = a.step;
        result.input = (first + s.pad_begin[axis] - result.phase * a.dilation) / a.stride;
        result.input_step = -(a.step * a.dilation / a.stride);
        return result;
    }
    /// The phase of a position of the output in front of which the padding has been put, or -1 if it has no taps.
    std::int64_t phase_of(std::int64_t position) const noexcept {
        const std::int64_t rest = (position % stride + stride) % stride;
        for (std::int64_t phase = 0; phase < phases(); ++phase) {
            if (phase * dilation % stride == rest) return phase;
        }
        return -1;
    }
};

/// Rows of an implicit matrix: the taps of output pixels of a phase that lie side by side.
template <class Isa>
struct phase_rows {
    static constexpr bool copies_rows = false;
    static constexpr bool per_group = false;
    static constexpr bool readable_ends = false;
    const convolution_shape* shape = nullptr;
    pixel_image image;
    std::int64_t copied_group = 0;
    const phase_outputs* axes = nullptr;  // three
    std::int64_t batch = 0;
    std::int64_t plane = 0;  // of the phase
    std::int64_t line = 0;
    std::int64_t base = 0;  // number of the row that is the line's first pixel

    const unsigned char* outside() const noexcept { return image.outside; }
    static constexpr std::int64_t readable_rows(std::int64_t) noexcept { return 0; }

    void rows(std::int64_t first, std::int64_t count, std::int64_t, const unsigned char** pointers) const noexcept {
        const std::int64_t taps = axes[0].taps * axes[1].taps * axes[2].taps;
        const unsigned char** to = pointers;
        for (std::int64_t d = 0; d < axes[0].taps; ++d) {
            const std::int64_t z = axes[0].input + plane + d * axes[0].input_step;
            for (std::int64_t h = 0; h < axes[1].taps; ++h) {
                const std::int64_t y = axes[1].input + line + h * axes[1].input_step;
                const bool inside = z >= 0 && z < shape->in[0] && y >= 0 && y < shape->in[1];
                const std::int64_t at = inside ? ((batch * shape->in[0] + z) * shape->in[1] + y) * shape->in[2] : -1;
                for (std::int64_t w = 0; w < axes[2].taps; ++w, ++to)
                    find(at, axes[2].input + first - base + w * axes[2].input_step, count, taps, to);
            }
        }
    }

private:
    /// One tap of `count` pixels, from column `x` of the input on; `at`: the first pixel of its line, or -1.
    void find(std::int64_t at, std::int64_t x, std::int64_t count, std::int64_t taps,
              const unsigned char** to) const noexcept {
        std::int64_t begin = x < 0 ? -x : 0;
        std::int64_t end = shape->in[2] - x < count ? shape->in[2] - x : count;
        if (at < 0 || begin >= end) begin = end = count;
        for (std::int64_t i = 0; i < begin; ++i)
            to[i * taps] = image.outside;
        if (begin < end)
            evenly_spaced<Isa>(to + begin * taps, taps, end - begin, image.input + (at + x + begin) * image.pixel_bytes,
                               image.pixel_bytes);
        for (std::int64_t i = end; i < count; ++i)
            to[i * taps] = image.outside;
    }
};

template <class Isa, class Arithmetic>
struct transposed_convolution {
    using engine = dense<Isa, Arithmetic>;
    using layout = dense_layout<Arithmetic>;
    using geometry = convolution_geometry<Isa>;
    using axis_of = transposed_axis<Isa>;

    static constexpr std::int64_t aligned(std::int64_t bytes) noexcept { return (bytes + 63) / 64 * 64; }

    static layout layout_of(const convolution_shape& s, std::int64_t taps, bool four_bits) noexcept {
        layout shape;
        shape.groups = s.groups;
        shape.columns = geometry::group_out(s);
        shape.taps = taps;
        shape.channels = geometry::group_in(s);
        shape.four_bits = four_bits;
        return shape;
    }

    /// Calls f(phases of the axes, taps, bytes in front of its packed weights) for each phase with taps; gives all their bytes.
    template <class Function>
    static std::int64_t for_each_phase(const convolution_shape& s, bool four_bits, const Function& f) noexcept {
        const axis_of axes[3] = {{s, 0}, {s, 1}, {s, 2}};
        std::int64_t offset = 0;
        for (std::int64_t d = 0; d < axes[0].phases(); ++d) {
            for (std::int64_t h = 0; h < axes[1].phases(); ++h) {
                for (std::int64_t w = 0; w < axes[2].phases(); ++w) {
                    const std::int64_t phases[3] = {d, h, w};
                    const std::int64_t taps = axes[0].taps(d) * axes[1].taps(h) * axes[2].taps(w);
                    f(phases, taps, offset);
                    offset += aligned(layout_of(s, taps, four_bits).bytes());
                }
            }
        }
        return offset;
    }

    static std::int64_t most_taps(const convolution_shape& s) noexcept {
        return axis_of(s, 0).taps(0) * axis_of(s, 1).taps(0) * axis_of(s, 2).taps(0);
    }

    /// Behind the packed weights there is room for those of a phase, one after the other, from which they are packed.
    static std::int64_t packed_bytes(const convolution_shape& s, element_kind type) noexcept {
        const std::int64_t packed = for_each_phase(s, type == element_kind::i4, [](auto&&...) {});
        const std::int64_t taps = most_taps(s);
        return packed + (taps == 1 ? 0 : s.out_channels * geometry::group_in(s) * taps * bytes_of(type));
    }

    static void pack(const convolution_shape& s, const convolution_weights& weights, void* packed,
                     const parallel_for& parallel) noexcept {
        const bool four_bits = weights.type == element_kind::i4;
        unsigned char* const base = static_cast<unsigned char*>(packed);
        unsigned char* const together = base + for_each_phase(s, four_bits, [](auto&&...) {});
        for_each_phase(s, four_bits, [&](const std::int64_t(&phases)[3], std::int64_t taps, std::int64_t offset) {
            const std::int64_t size = bytes_of(weights.type);
            const std::int64_t tap = (phases[0] * s.kernel[1] + phases[1]) * s.kernel[2] + phases[2];
            dense_source from;
            from.data = static_cast<const unsigned char*>(weights.data) + tap * weights.tap_stride * size;
            from.type = weights.type;
            from.group_stride = weights.group_stride;
            from.column_stride = weights.out_stride;
            from.channel_stride = weights.in_stride;
            from.zero_points = weights.zero_points;
            from.zero_point_count = weights.zero_point_count;
            if (taps > 1) {
                put_together(s, weights, static_cast<const unsigned char*>(from.data), phases, together);
                from.data = together;
                from.tap_stride = 1;
                from.channel_stride = taps;
                from.column_stride = geometry::group_in(s) * taps;
                from.group_stride = geometry::group_out(s) * from.column_stride;
            }
            engine::pack(layout_of(s, taps, four_bits), from, base + offset, parallel);
        });
    }

    static std::int64_t pointer_count(const convolution_shape& s) noexcept {
        std::int64_t most = 0;
        for_each_phase(s, false, [&](const auto&, std::int64_t taps, std::int64_t) {
            const std::int64_t count = engine::pointer_count(taps);
            most = count > most ? count : most;
        });
        return most;
    }
    static std::int64_t pointer_bytes(const convolution_shape& s) noexcept {
        return aligned(pointer_count(s) * static_cast<std::int64_t>(sizeof(void*)));
    }
    /// Scratch memory of a task: pointers, and where there is one channel, a line of numbers and the whole vectors that it comes in.
    static std::int64_t line_bytes(const convolution_shape& s) noexcept { return aligned((s.out[2] + 16) * 4); }
    static std::int64_t task_bytes(const convolution_shape& s) noexcept {
        const std::int64_t vectors = aligned(axis_of::outputs_from(s, 2, 0).count * Arithmetic::lanes * 4);
        return pointer_bytes(s) + (s.out_channels == 1 ? line_bytes(s) + vectors : 0);
    }

    /// `call`: all but the weights. `scratch`: task_bytes for each task.
    static void run(const convolution_problem& problem, const typename engine::call& call, const pixel_image& image,
                    std::int64_t copied_group, unsigned char* scratch, const parallel_for& parallel) noexcept {
        const convolution_shape& s = problem.shape;
        const std::int64_t lines = s.batch * s.out[0] * s.out[1];
        const std::int64_t work = lines * s.out[2] * s.out_channels * geometry::group_in(s) * most_taps(s);
        parallel_for some = parallel;
        if (work / least_products < some.threads) some.threads = static_cast<int>(work / least_products);
        if (some.threads < 1) some.threads = 1;
        const bool joins = joins_pixels(problem);
        const std::int64_t own = task_bytes(s);
        const std::int64_t worth = 1 + lines * (8 * least_products) / (1 + work);
        share_out<Isa>(some, lines, 1, worth, [&](std::int64_t begin, std::int64_t end, int task) {
            phase_call of{problem, call, {}, {}, {}, scratch + task * own, {}};
            of.rows.shape = &s;
            of.rows.image = image;
            of.rows.copied_group = copied_group;
            of.rows.axes = of.axes;
            if (joins)
                run_joined(of, begin, end);
            else
                run_lines(of, begin, end);
        });
    }

private:
    static constexpr int most_posts = 16;  // that are copied
    static constexpr std::int64_t least_products = 262144;  // of a task: some microseconds

    /// One phase of a line of output pixels.
    struct phase_call {
        const convolution_problem& problem;
        typename engine::call call;
        phase_outputs axes[3];
        phase_rows<Isa> rows;
        post_operation posts[most_posts];
        unsigned char* scratch;
        epilogue finish;  // of the call
    };

    /// The weights of a phase as [group][out][in][tap].
    static void put_together(const convolution_shape& s, const convolution_weights& weights, const unsigned char* first,
                             const std::int64_t (&phases)[3], unsigned char* to) noexcept {
        const axis_of axes[3] = {{s, 0}, {s, 1}, {s, 2}};
        const std::int64_t size = bytes_of(weights.type);
        for (std::int64_t channel = 0; channel < s.out_channels; ++channel) {
            const std::int64_t g = channel / geometry::group_out(s);
            const std::int64_t o = channel % geometry::group_out(s);
            for (std::int64_t i = 0; i < geometry::group_in(s); ++i) {
                const std::int64_t at = g * weights.group_stride + o * weights.out_stride + i * weights.in_stride;
                for (std::int64_t d = 0; d < axes[0].taps(phases[0]); ++d) {
                    for (std::int64_t h = 0; h < axes[1].taps(phases[1]); ++h) {
                        for (std::int64_t w = 0; w < axes[2].taps(phases[2]); ++w, to += size) {
                            const std::int64_t tap =
                                (d * axes[0].step * s.kernel[1] + h * axes[1].step) * s.kernel[2] + w * axes[2].step;
                            std::memcpy(to, first + (at + tap * weights.tap_stride) * size,
                                        static_cast<std::size_t>(size));
                        }
                    }
                }
            }
        }
    }

    /// Whether one channel's pixels go through the epilogue side by side, as if they were channels.
    static bool joins_pixels(const convolution_problem& p) noexcept {
        const epilogue& e = p.finish;
        if (p.shape.out_channels != 1 || p.output_pixel_stride != 1 || e.output_type == element_kind::i32 ||
            e.fixed != nullptr || e.post_count > most_posts)
            return false;
        for (int i = 0; i < e.post_count; ++i) {
            if (e.post[i].residual != nullptr && e.post[i].residual_row_stride != 1) return false;
        }
        return true;
    }

    /// The output line `line` of all; sets what phases of it have in common.
    static void find_line(phase_call& of, std::int64_t line) noexcept {
        const convolution_shape& s = of.problem.shape;
        const std::int64_t y = line % s.out[1];
        const std::int64_t z = line / s.out[1] % s.out[0];
        of.axes[0] = axis_of::outputs_from(s, 0, z % s.stride[0]);
        of.axes[1] = axis_of::outputs_from(s, 1, y % s.stride[1]);
        of.rows.batch = line / (s.out[0] * s.out[1]);
        of.rows.plane = z / s.stride[0];
        of.rows.line = y / s.stride[1];
    }

    /// The phases of a line, one after the other: f(), with axes and weights set; without taps, `call.packed` is null.
    template <class Function>
    static void for_each_column_phase(phase_call& of, const Function& f) noexcept {
        const convolution_shape& s = of.problem.shape;
        const unsigned char* const packed = static_cast<const unsigned char*>(of.problem.packed_weights);
        bool four_bits = false;
        if constexpr (!Arithmetic::is_float) {
            dense_header header;
            std::memcpy(&header, packed, sizeof header);
            four_bits = header.four_bits != 0;
        }
        const std::int64_t phases = s.stride[2] < s.out[2] ? s.stride[2] : s.out[2];
        for (std::int64_t first = 0; first < phases; ++first) {
            of.axes[2] = axis_of::outputs_from(s, 2, first);
            of.call.packed = nullptr;
            for_each_phase(s, four_bits, [&](const std::int64_t(&each)[3], std::int64_t taps, std::int64_t offset) {
                if (each[0] != of.axes[0].phase || each[1] != of.axes[1].phase || each[2] != of.axes[2].phase) return;
                of.call.packed = packed + offset;
                of.call.shape = layout_of(s, taps, four_bits);
            });
            of.call.rows = of.axes[2].count;
            f();
        }
    }

    static void multiply(phase_call& of, std::int64_t begin, std::int64_t end) noexcept {
        of.rows.base = begin;
        engine::run(of.call, of.rows, begin, end, 0, of.call.shape.groups * of.call.shape.panels(),
                    reinterpret_cast<const unsigned char**>(of.scratch));
    }

    /// Pixels without taps: the epilogue of zero.
    static void finish_zeros(const epilogue& e, std::int64_t channels, std::int64_t row, unsigned char* to) noexcept {
        if (e.output_type == element_kind::i32) {
            std::memset(to, 0, static_cast<std::size_t>(channels * 4));
            return;
        }
        alignas(64) const float zeros[finish_columns] = {};
        for (std::int64_t c = 0; c < channels; c += finish_columns) {
            const std::int64_t columns = channels - c < finish_columns ? channels - c : finish_columns;
            unsigned char* const at = to + c * bytes_of(e.output_type);
            if (e.fixed != nullptr)
                finish_fixed_zeros(e, c, columns, at);
            else
                finish<Isa>::row(e, zeros, row, c, columns, at);
        }
    }
    static void finish_fixed_zeros(const epilogue& e, std::int64_t channel, std::int64_t columns,
                                   unsigned char* to) noexcept {
        alignas(64) const std::int32_t zeros[finish_columns] = {};
        finish<Isa>::tile(e, zeros, finish_columns, 1, 0, channel, columns, to, columns);
    }

    static void run_lines(phase_call& of, std::int64_t begin, std::int64_t end) noexcept {
        const convolution_problem& p = of.problem;
        const convolution_shape& s = p.shape;
        const std::int64_t element = bytes_of(p.finish.output_type);
        unsigned char* const output = static_cast<unsigned char*>(p.output);
        for (std::int64_t line = begin; line < end; ++line) {
            find_line(of, line);
            for_each_column_phase(of, [&] {
                const std::int64_t first = line * s.out[2] + of.axes[2].first;
                of.finish = p.finish;
                // Rows of residuals are those of the output; without any, all rows are alike.
                const bool by_line = move_residuals(of, first);
                of.call.finish = &of.finish;
                of.call.output = by_line ? output + first * p.output_pixel_stride * element : output;
                of.call.output_stride = p.output_pixel_stride * (by_line ? s.stride[2] : 1);
                const std::int64_t parts = by_line ? 1 : of.axes[2].count;
                for (std::int64_t i = 0; i < parts; ++i) {
                    const std::int64_t row = by_line ? 0 : first + i * s.stride[2];
                    const std::int64_t count = by_line ? of.axes[2].count : 1;
                    if (of.call.packed == nullptr) {
                        for (std::int64_t r = row; r < row + count; ++r)
                            finish_zeros(*of.call.finish, s.out_channels, r,
                                         of.call.output + r * of.call.output_stride * element);
                    } else {
                        multiply(of, row, row + count);
                        if (!by_line) ++of.axes[2].input;
                    }
                }
            });
        }
    }

    /// Lets the epilogue's row 0 be output row `first` and the next ones those of the phase; false if it has too many post operations.
    static bool move_residuals(phase_call& of, std::int64_t first) noexcept {
        epilogue& finish = of.finish;
        bool any = false;
        for (int i = 0; i < finish.post_count; ++i)
            any = any || finish.post[i].residual != nullptr;
        if (!any) return true;
        if (finish.post_count > most_posts) return false;
        for (int i = 0; i < finish.post_count; ++i) {
            post_operation& post = of.posts[i];
            post = finish.post[i];
            if (post.residual == nullptr) continue;
            post.residual = static_cast<const unsigned char*>(post.residual) +
                            first * post.residual_row_stride * bytes_of(post.residual_type);
            post.residual_row_stride *= of.problem.shape.stride[2];
        }
        finish.post = of.posts;
        return true;
    }

    /// One channel: all phases of a line give numbers, and their epilogue takes them side by side.
    static void run_joined(phase_call& of, std::int64_t begin, std::int64_t end) noexcept {
        const convolution_problem& p = of.problem;
        const convolution_shape& s = p.shape;
        const std::int64_t width = s.out[2];
        float* const numbers = reinterpret_cast<float*>(of.scratch + pointer_bytes(s));
        float* const vectors = numbers + line_bytes(s) / 4;
        std::memset(numbers, 0, static_cast<std::size_t>((width + 16) * 4));
        epilogue& sums = of.finish;
        sums = {};
        sums.scale_all = p.finish.scale != nullptr ? *p.finish.scale : p.finish.scale_all;
        sums.bias_all = p.finish.bias != nullptr ? *p.finish.bias : p.finish.bias_all;
        sums.output_type = element_kind::f32;
        epilogue rest = p.finish;
        rest.scale = rest.bias = nullptr;
        rest.scale_all = 1;
        rest.bias_all = -0.0f;
        rest.post = of.posts;
        of.call.finish = &sums;
        for (std::int64_t line = begin; line < end; ++line) {
            find_line(of, line);
            for_each_column_phase(of, [&] {
                float* const to = numbers + of.axes[2].first;
                if (of.call.packed == nullptr) {
                    for (std::int64_t i = 0; i < of.axes[2].count; ++i)
                        finish_zeros(sums, 1, 0, reinterpret_cast<unsigned char*>(to + i * s.stride[2]));
                    return;
                }
                // Packed columns fill a vector, which is stored without looking at single ones.
                of.call.shape.columns = Arithmetic::lanes;
                of.call.output = reinterpret_cast<unsigned char*>(vectors);
                of.call.output_stride = Arithmetic::lanes;
                multiply(of, 0, of.axes[2].count);
                for (std::int64_t i = 0; i < of.axes[2].count; ++i)
                    to[i * s.stride[2]] = vectors[i * Arithmetic::lanes];
            });
            for (int i = 0; i < rest.post_count; ++i) {
                post_operation& post = of.posts[i];
                post = finish<Isa>::of_channel(p.finish.post[i], 0);
                if (post.residual != nullptr)
                    post.residual =
                        static_cast<const unsigned char*>(post.residual) + line * width * bytes_of(post.residual_type);
            }
            const std::int64_t element = bytes_of(rest.output_type);
            unsigned char* const to = static_cast<unsigned char*>(p.output) + line * width * element;
            for (std::int64_t c = 0; c < width; c += finish_columns) {
                const std::int64_t columns = width - c < finish_columns ? width - c : finish_columns;
                finish<Isa>::row(rest, numbers + c, 0, c, columns, to + c * element);
            }
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/transposed_depthwise.hpp
#ifndef LPT_HOLDS_KERNEL_TRANSPOSED_DEPTHWISE_HPP
#define LPT_HOLDS_KERNEL_TRANSPOSED_DEPTHWISE_HPP
// Transposed depthwise convolutions of f32: one input channel per output channel, vectors run along the channels.
//
// The outputs of a phase (transposed_convolution.hpp) take the same taps; each is a sum over them in the order of the kernel.

namespace lpt::inline LPT_ABI::kernel {

/// In memory: weights as [tap][channel], channels padded to whole vectors.
template <class Isa>
struct transposed_depthwise {
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    using geometry = convolution_geometry<Isa>;
    using axis_of = transposed_axis<Isa>;
    static constexpr std::int64_t width = simd::width;
    static constexpr std::int64_t least_elements_of_task = 4096;

    static constexpr bool fits(const convolution_shape& s, element_kind type) noexcept {
        return s.transposed && s.groups > 1 && geometry::group_in(s) == 1 && geometry::group_out(s) == 1 &&
               type == element_kind::f32;
    }
    static std::int64_t padded(const convolution_shape& s) noexcept {
        return (s.out_channels + width - 1) / width * width;
    }
    static std::size_t packed_bytes(const convolution_shape& s) noexcept {
        return static_cast<std::size_t>(geometry::taps(s) * padded(s) * 4);
    }
    static void pack(const convolution_shape& s, const convolution_weights& weights, void* packed) noexcept {
        const auto* const from = static_cast<const float*>(weights.data);
        auto* const to = static_cast<float*>(packed);
        for (std::int64_t tap = 0; tap < geometry::taps(s); ++tap) {
            for (std::int64_t c = 0; c < padded(s); ++c)
                to[tap * padded(s) + c] =
                    c < s.out_channels ? from[c * weights.group_stride + tap * weights.tap_stride] : 0;
        }
    }

    static void run(const convolution_problem& p, const parallel_for& parallel) noexcept {
        const convolution_shape& s = p.shape;
        const std::int64_t line = s.out[2] * s.out_channels;
        const std::int64_t grain = line > 0 ? (least_elements_of_task + line - 1) / line : 1;
        split<Isa>(parallel, s.batch * s.out[0] * s.out[1], grain, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t i = begin; i < end; ++i)
                run_line(p, i);
        });
    }

private:
    static constexpr std::int64_t most_taps = 64;  // of a pixel, that are found before its channels

    /// The outputs of a phase, from the one that is `further` of them after the first on, without the taps that lead out of an input of `length`
    /// places.
    static phase_outputs inside(phase_outputs of, std::int64_t length, std::int64_t further) noexcept {
        of.input += further;
        for (; of.taps > 0 && of.input >= length; --of.taps, of.phase += of.tap_step)
            of.input += of.input_step;
        while (of.taps > 0 && of.input + (of.taps - 1) * of.input_step < 0)
            --of.taps;
        return of;
    }
    /// The taps of one output along an axis.
    static phase_outputs taps_of(const convolution_shape& s, int axis, std::int64_t position) noexcept {
        return inside(axis_of::outputs_from(s, axis, position % s.stride[axis]), s.in[axis], position / s.stride[axis]);
    }
    /// What an output pixel sums.
    struct window {
        const convolution_problem& problem;
        std::int64_t image;
        phase_outputs planes, lines, columns;
    };
    /// One tap of a pixel.
    struct tap_of_pixel {
        const float* input;
        const float* weights;
    };

    /// Adds taps to vectors of sums; of the last one `count` channels.
    template <int Vectors>
    [[gnu::always_inline]] static void add_vectors(const tap_of_pixel* taps, std::int64_t number, std::int64_t channel,
                                                   std::int64_t count, float* to) noexcept {
        floats sums[Vectors];
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v)
            sums[v] = simd::load(to + v * width);
        for (std::int64_t t = 0; t < number; ++t) {
#pragma GCC unroll 4
            for (int v = 0; v < Vectors; ++v) {
                const std::int64_t at = channel + v * width;
                const floats x = load_part<Isa>(taps[t].input + at, count);
                sums[v] = simd::fma(x, simd::load(taps[t].weights + at), sums[v]);
            }
        }
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v)
            simd::store(to + v * width, sums[v]);
    }
    static void add_taps(const tap_of_pixel* taps, std::int64_t number, std::int64_t channel, std::int64_t columns,
                         float* to) noexcept {
        std::int64_t c = 0;
        for (; c + 4 * width <= columns; c += 4 * width)
            add_vectors<4>(taps, number, channel + c, width, to + c);
        for (; c < columns; c += width)
            add_vectors<1>(taps, number, channel + c, columns - c, to + c);
    }

    static void run_line(const convolution_problem& p, std::int64_t line) noexcept {
        const convolution_shape& s = p.shape;
        window of{p,
                  line / (s.out[0] * s.out[1]),
                  taps_of(s, 0, line / s.out[1] % s.out[0]),
                  taps_of(s, 1, line % s.out[1]),
                  {}};
        for (std::int64_t first = 0; first < s.stride[2] && first < s.out[2]; ++first) {
            const phase_outputs phase = axis_of::outputs_from(s, 2, first);
            for (std::int64_t j = 0; j < phase.count; ++j) {
                of.columns = inside(phase, s.in[2], j);
                run_pixel(of, line * s.out[2] + first + j * s.stride[2]);
            }
        }
    }
    static void run_pixel(const window& of, std::int64_t row) noexcept {
        const convolution_problem& p = of.problem;
        const std::int64_t bytes = bytes_of(p.finish.output_type);
        const std::int64_t channels = p.shape.out_channels;
        unsigned char* const to = static_cast<unsigned char*>(p.output) + row * p.output_pixel_stride * bytes;
        for (std::int64_t c = 0; c < channels; c += finish_columns) {
            const std::int64_t count = channels - c < finish_columns ? channels - c : finish_columns;
            alignas(64) float sums[finish_columns];
            std::memset(sums, 0, static_cast<std::size_t>((count + width - 1) / width * width * 4));
            sum_window(of, c, count, sums);
            finish<Isa>::row(p.finish, sums, row, c, count, to + c * bytes);
        }
    }

    static void sum_window(const window& of, std::int64_t channel, std::int64_t count, float* sums) noexcept {
        const auto& [p, image, planes, lines, columns] = of;
        const convolution_shape& s = p.shape;
        const auto* const input = static_cast<const float*>(p.input);
        const auto* const weights = static_cast<const float*>(p.packed_weights);
        tap_of_pixel taps[most_taps];
        std::int64_t found = 0;
        for (std::int64_t d = 0; d < planes.taps; ++d) {
            const std::int64_t plane = image * s.in[0] + planes.input + d * planes.input_step;
            for (std::int64_t h = 0; h < lines.taps; ++h) {
                const std::int64_t line = plane * s.in[1] + lines.input + h * lines.input_step;
                const std::int64_t tap =
                    ((planes.phase + d * planes.tap_step) * s.kernel[1] + lines.phase + h * lines.tap_step) *
                    s.kernel[2];
                for (std::int64_t w = 0; w < columns.taps; ++w) {
                    const std::int64_t pixel = line * s.in[2] + columns.input + w * columns.input_step;
                    taps[found++] = {input + pixel * p.input_pixel_stride,
                                     weights + (tap + columns.phase + w * columns.tap_step) * padded(s)};
                    if (found < most_taps) continue;
                    add_taps(taps, found, channel, count, sums);
                    found = 0;
                }
            }
        }
        if (found != 0) add_taps(taps, found, channel, count, sums);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/convolution.hpp
#ifndef LPT_HOLDS_KERNEL_CONVOLUTION_HPP
#define LPT_HOLDS_KERNEL_CONVOLUTION_HPP
// Convolution and transposed convolution of any dimension, with groups: over the dense kernel, or one of those for few channels a group.

namespace lpt::inline LPT_ABI::kernel {

/// What packs and runs a convolution.
enum class convolution_form : std::uint8_t { transposed_depthwise, depthwise, grouped, floats, integers };

template <class Isa>
struct convolution {
    using geometry = convolution_geometry<Isa>;
    static constexpr std::int64_t alignment = 64;

    static constexpr std::int64_t aligned(std::int64_t bytes) noexcept {
        return (bytes + alignment - 1) / alignment * alignment;
    }

    /// Taps that are one run of channels to the dense kernel.
    static std::int64_t merged_taps(const convolution_shape& s) noexcept {
        switch (geometry::method(s)) {
            case convolution_method::im2col:
            case convolution_method::joined_lines: return geometry::taps(s);
            case convolution_method::merged_lines: return s.kernel[2];
            default: return 1;
        }
    }

    template <class Arithmetic>
    static dense_layout<Arithmetic> dense_shape(const convolution_shape& s) noexcept {
        dense_layout<Arithmetic> shape;
        shape.groups = s.groups;
        shape.columns = geometry::group_out(s);
        shape.taps = geometry::taps(s) / merged_taps(s);
        shape.channels = merged_taps(s) * geometry::group_in(s);
        return shape;
    }

    using grouped = grouped_convolution<Isa>;

    /// `type`: of the weights or the image.
    static constexpr convolution_form form_of(const convolution_shape& s, element_kind type) noexcept {
        if (transposed_depthwise<Isa>::fits(s, type)) return convolution_form::transposed_depthwise;
        if (geometry::method(s) == convolution_method::depthwise) return convolution_form::depthwise;
        if (grouped::has_header(s, type)) return convolution_form::grouped;
        return type == element_kind::f32 ? convolution_form::floats : convolution_form::integers;
    }

    static std::size_t packed_bytes(const convolution_shape& s, element_kind type) noexcept {
        switch (form_of(s, type)) {
            case convolution_form::transposed_depthwise: return transposed_depthwise<Isa>::packed_bytes(s);
            case convolution_form::depthwise: return depthwise<Isa>::packed_bytes(s, type);
            case convolution_form::grouped: return packed_groups(s, type);
            default: return packed_panels(s, type);
        }
    }
    static std::size_t packed_groups(const convolution_shape& s, element_kind type) noexcept {
        const std::size_t panels = grouped::header_bytes + packed_panels(s, type);
        const std::size_t most = static_cast<std::size_t>(grouped::packed_bytes(s));
        return panels < most ? most : panels;
    }
    static std::size_t packed_panels(const convolution_shape& s, element_kind type) noexcept {
        if (has_phases(s)) return packed_phases(s, type);
        if (type == element_kind::f32) return static_cast<std::size_t>(dense_shape<float_arithmetic<Isa>>(s).bytes());
        dense_layout<integer_arithmetic<Isa>> shape = dense_shape<integer_arithmetic<Isa>>(s);
        shape.four_bits = type == element_kind::i4;
        return static_cast<std::size_t>(shape.bytes());
    }

    /// Transposed convolutions are computed phase by phase.
    static bool has_phases(const convolution_shape& s) noexcept {
        return s.transposed && geometry::method(s) == convolution_method::implicit_gemm;
    }
    static std::size_t packed_phases(const convolution_shape& s, element_kind type) noexcept {
        const std::int64_t bytes = type == element_kind::f32
                                       ? transposed_convolution<Isa, float_arithmetic<Isa>>::packed_bytes(s, type)
                                       : transposed_convolution<Isa, integer_arithmetic<Isa>>::packed_bytes(s, type);
        return static_cast<std::size_t>(bytes);
    }

    template <class Arithmetic>
    static void pack_as(const convolution_shape& s, const convolution_weights& weights, void* packed,
                        const parallel_for& parallel) noexcept {
        if (has_phases(s)) return transposed_convolution<Isa, Arithmetic>::pack(s, weights, packed, parallel);
        dense_source from;
        from.data = weights.data;
        from.type = weights.type;
        from.group_stride = weights.group_stride;
        from.column_stride = weights.out_stride;
        from.tap_stride = weights.tap_stride;
        from.channel_stride = weights.in_stride;
        from.zero_points = weights.zero_points;
        from.zero_point_count = weights.zero_point_count;
        if (merged_taps(s) > 1) {
            from.merged_channels = geometry::group_in(s);
            from.merged_taps = merged_taps(s);
        }
        dense_layout<Arithmetic> shape = dense_shape<Arithmetic>(s);
        shape.four_bits = weights.type == element_kind::i4;
        dense<Isa, Arithmetic>::pack(shape, from, packed, parallel);
    }

    static void pack(const convolution_shape& s, const convolution_weights& weights, void* packed,
                     const parallel_for& parallel) noexcept {
        switch (form_of(s, weights.type)) {
            case convolution_form::transposed_depthwise: return transposed_depthwise<Isa>::pack(s, weights, packed);
            case convolution_form::depthwise: return depthwise<Isa>::pack(s, weights, packed);
            case convolution_form::grouped:
                return pack_groups(s, weights, static_cast<unsigned char*>(packed), parallel);
            case convolution_form::floats: return pack_as<float_arithmetic<Isa>>(s, weights, packed, parallel);
            case convolution_form::integers: return pack_as<integer_arithmetic<Isa>>(s, weights, packed, parallel);
        }
    }
    static void pack_groups(const convolution_shape& s, const convolution_weights& weights, unsigned char* packed,
                            const parallel_for& parallel) noexcept {
        if constexpr (grouped::exists) {
            if (grouped::pack(s, weights, packed)) return;
            std::memset(packed, 0, grouped::header_bytes);
            pack_as<integer_arithmetic<Isa>>(s, weights, packed + grouped::header_bytes, parallel);
        }
    }

    // Scratch memory: a row of zero points and the copied image for all, then per task the pointers of a block and its gathered rows.

    static std::int64_t outside_bytes(const convolution_shape& s, element_kind type) noexcept {
        return aligned(s.in_channels * bytes_of(type));
    }
    template <class Arithmetic>
    static std::int64_t pointer_bytes(const convolution_shape& s) noexcept {
        const std::int64_t taps = dense_shape<Arithmetic>(s).taps;
        return aligned(dense<Isa, Arithmetic>::pointer_count(taps) * static_cast<std::int64_t>(sizeof(void*)));
    }
    template <class Arithmetic>
    static std::int64_t joined_row_bytes(const convolution_shape& s) noexcept {
        return (joined_rows<Isa>::distance(s, geometry::group_in(s) * Arithmetic::row_value_bytes) + 15) / 16 * 16;
    }
    template <class Arithmetic>
    static std::int64_t gathered_bytes(const convolution_shape& s, element_kind type) noexcept {
        if (geometry::method(s) == convolution_method::joined_lines)
            return dense<Isa, Arithmetic>::copied_rows * joined_row_bytes<Arithmetic>(s);
        if (geometry::method(s) != convolution_method::im2col) return 0;
        const std::int64_t row = geometry::taps(s) * geometry::group_in(s) * bytes_of(type);
        return dense<Isa, Arithmetic>::copied_rows * aligned(row);
    }
    /// An image that is copied into the form of the dot product: `count` pieces, pixels or padded lines, after one that stands for all
    /// outside. A piece holds group after group.
    struct copied_image {
        std::int64_t group_bytes = 0;  // 0 when the image stays as it is
        std::int64_t piece_bytes = 0;
        std::int64_t count = 0;
        std::int64_t before = 0;  // pixels of padding in a line
        std::int64_t after = 0;

        std::int64_t bytes() const noexcept { return aligned((1 + count) * piece_bytes + (group_bytes > 0 ? 64 : 0)); }
    };

    /// Whether the image is copied as padded lines.
    static bool pads_lines(const convolution_shape& s) noexcept {
        const convolution_method method = geometry::method(s);
        return method == convolution_method::merged_lines || method == convolution_method::joined_lines;
    }

    template <class Arithmetic>
    static copied_image copied(const convolution_shape& s, element_kind type) noexcept {
        using engine = dense<Isa, Arithmetic>;
        copied_image image;
        if (pads_lines(s)) {
            const std::int64_t last =
                (s.out[2] - 1) * s.stride[2] - s.pad_begin[2] + s.kernel[2];  // past the last column
            image.before = s.pad_begin[2];
            image.after = last > s.in[2] ? last - s.in[2] : 0;
            const std::int64_t pixels = image.before + s.in[2] + image.after;
            const std::int64_t line = pixels * geometry::group_in(s) * Arithmetic::row_value_bytes;
            image.group_bytes =
                (line + engine::row_group_bytes + 3) / 4 * 4;  // its last k group is readable as a whole
            image.count = s.batch * s.in[0] * s.in[1];
        } else if (geometry::method(s) == convolution_method::implicit_gemm &&
                   engine::needs_copies(dense_shape<Arithmetic>(s), type == element_kind::i8)) {
            image.group_bytes = engine::copied_bytes(geometry::group_in(s));
            image.count = s.batch * s.in[0] * s.in[1] * s.in[2];
        }
        image.piece_bytes = s.groups * image.group_bytes;
        return image;
    }

    /// `count` values of one sign, in the form that the dot product reads.
    template <class Arithmetic>
    [[gnu::always_inline]] static void copy_values(unsigned char* to, const unsigned char* from, std::int64_t count,
                                                   bool is_signed) noexcept {
        if constexpr (Arithmetic::is_float)
            std::memcpy(to, from, static_cast<std::size_t>(count) * 4);
        else
            Arithmetic::prepare_rows(to, from, count, is_signed);
    }

    /// Pixels [first, first + count) of an image.
    template <class Arithmetic>
    static void copy_pixels(const convolution_shape& s, const copied_image& image, bool is_signed,
                            const unsigned char* from, std::int64_t pixel_bytes, std::int64_t count,
                            unsigned char* to) noexcept {
        const std::int64_t channels = geometry::group_in(s);
        const bool whole_groups = channels % Arithmetic::group == 0;
        if (whole_groups && pixel_bytes == s.in_channels) {
            copy_values<Arithmetic>(to, from, count * s.in_channels, is_signed);
            return;
        }
        for (std::int64_t i = 0; i < count; ++i, from += pixel_bytes, to += image.piece_bytes) {
            const std::int64_t parts = whole_groups ? 1 : s.groups;
            for (std::int64_t g = 0; g < parts; ++g)
                copy_values<Arithmetic>(to + g * image.group_bytes, from + g * channels, s.in_channels / parts,
                                        is_signed);
        }
    }

    /// One padded line, or, without `from`, the line outside. `outside` is a row of zero points.
    template <class Arithmetic>
    static void copy_line(const convolution_shape& s, const copied_image& image, bool is_signed,
                          const unsigned char* from, std::int64_t pixel_bytes, const unsigned char* outside,
                          unsigned char* to) noexcept {
        const std::int64_t channels = geometry::group_in(s);
        const std::int64_t value_bytes = Arithmetic::is_float ? 4 : 1;
        const std::int64_t pixels = image.before + s.in[2] + image.after;
        for (std::int64_t g = 0; g < s.groups; ++g, to += image.group_bytes) {
            unsigned char* at = to;
            const auto copy = [&](const unsigned char* values, std::int64_t count) {
                copy_values<Arithmetic>(at, values, count, is_signed);
                at += count * Arithmetic::row_value_bytes;
            };
            const std::int64_t before = from == nullptr ? pixels : image.before;
            for (std::int64_t i = 0; i < before; ++i)
                copy(outside, channels);
            if (from == nullptr) continue;
            const unsigned char* line = from + g * channels * value_bytes;
            if (pixel_bytes == channels * value_bytes) {
                copy(line, s.in[2] * channels);
            } else {
                for (std::int64_t i = 0; i < s.in[2]; ++i, line += pixel_bytes)
                    copy(line, channels);
            }
            for (std::int64_t i = 0; i < image.after; ++i)
                copy(outside, channels);
        }
    }

    /// Copies the image to scratch memory, piece 0 first.
    template <class Arithmetic>
    static void copy_image(const convolution_problem& problem, const copied_image& image, const unsigned char* outside,
                           unsigned char* to, const parallel_for& parallel) noexcept {
        const convolution_shape& s = problem.shape;
        const bool is_signed = problem.input_type == element_kind::i8;
        const std::int64_t pixel_bytes = problem.input_pixel_stride * bytes_of(problem.input_type);
        const unsigned char* const input = static_cast<const unsigned char*>(problem.input);
        if (!pads_lines(s)) {
            copy_pixels<Arithmetic>(s, image, is_signed, outside, 0, 1, to);
            split<Isa>(parallel, image.count, 16, [&](std::int64_t begin, std::int64_t end, int) {
                copy_pixels<Arithmetic>(s, image, is_signed, input + begin * pixel_bytes, pixel_bytes, end - begin,
                                        to + (1 + begin) * image.piece_bytes);
            });
            return;
        }
        copy_line<Arithmetic>(s, image, is_signed, nullptr, pixel_bytes, outside, to);
        split<Isa>(parallel, image.count, 4, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t i = begin; i < end; ++i)
                copy_line<Arithmetic>(s, image, is_signed, input + i * s.in[2] * pixel_bytes, pixel_bytes, outside,
                                      to + (1 + i) * image.piece_bytes);
        });
    }

    template <class Arithmetic>
    static std::int64_t scratch_as(const convolution_shape& s, element_kind type, int threads) noexcept {
        const std::int64_t task = has_phases(s) ? transposed_convolution<Isa, Arithmetic>::task_bytes(s)
                                                : pointer_bytes<Arithmetic>(s) + gathered_bytes<Arithmetic>(s, type);
        return alignment + outside_bytes(s, type) + copied<Arithmetic>(s, type).bytes() + threads * task;
    }

    static std::size_t scratch_bytes(const convolution_shape& s, element_kind type, int threads) noexcept {
        if (transposed_depthwise<Isa>::fits(s, type)) return 0;
        switch (geometry::method(s)) {
            case convolution_method::gemm: return 0;
            case convolution_method::depthwise: return depthwise<Isa>::scratch_bytes(s, type, threads);
            default: break;
        }
        const std::int64_t bytes = type == element_kind::f32 ? scratch_as<float_arithmetic<Isa>>(s, type, threads)
                                                             : scratch_as<integer_arithmetic<Isa>>(s, type, threads);
        return static_cast<std::size_t>(bytes);
    }

    static convolution_method method(const convolution_shape& s) noexcept { return geometry::method(s); }

    template <class Arithmetic>
    static void run_as(const convolution_problem& problem, const parallel_for& parallel) noexcept {
        using engine = dense<Isa, Arithmetic>;
        const convolution_shape& s = problem.shape;
        const std::int64_t element = bytes_of(problem.input_type);
        typename engine::call call;
        call.shape = dense_shape<Arithmetic>(s);
        call.packed = static_cast<const unsigned char*>(problem.packed_weights);
        if (!has_phases(s)) engine::read_layout(call);
        call.rows = geometry::pixels(s);
        call.signed_rows = problem.input_type == element_kind::i8;
        call.zero_point = problem.input_zero_point;
        call.group_row_bytes = geometry::group_in(s) * element;
        call.finish = &problem.finish;
        call.output = static_cast<unsigned char*>(problem.output);
        call.output_stride = problem.output_pixel_stride;
        const unsigned char* input = static_cast<const unsigned char*>(problem.input);
        const std::int64_t pixel_bytes = problem.input_pixel_stride * element;
        const convolution_method method = geometry::method(s);
        if (method == convolution_method::implicit_gemm && !s.transposed) {
            const typename geometry::columns_outside outside = geometry::outside_columns(s);
            call.lines = {s.out[2], outside.left, outside.right};
        }
        if (method == convolution_method::gemm) {
            gemm<Isa>::template multiply_rows<Arithmetic>(call, matrix_rows<Isa>{input, pixel_bytes, call.rows},
                                                          parallel);
            return;
        }

        unsigned char* const outside = outside_row(problem);
        const copied_image copy = copied<Arithmetic>(s, problem.input_type);
        unsigned char* const image = outside + outside_bytes(s, problem.input_type);
        unsigned char* const tasks = image + copy.bytes();
        if (copy.group_bytes != 0) copy_image<Arithmetic>(problem, copy, outside, image, parallel);
        pixel_image pixels{input, pixel_bytes, outside};
        if (copy.group_bytes != 0) pixels = {image + copy.piece_bytes, copy.piece_bytes, image};
        if (has_phases(s)) {
            transposed_convolution<Isa, Arithmetic>::run(problem, call, pixels, copy.group_bytes, tasks, parallel);
            return;
        }
        const std::int64_t for_pointers = pointer_bytes<Arithmetic>(s);
        const std::int64_t task_bytes = for_pointers + gathered_bytes<Arithmetic>(s, problem.input_type);
        const auto work = [&](std::int64_t row_begin, std::int64_t row_end, std::int64_t unit_begin,
                              std::int64_t unit_end, int task) {
            unsigned char* const own = tasks + task * task_bytes;
            const unsigned char** const pointers = reinterpret_cast<const unsigned char**>(own);
            if (method == convolution_method::im2col) {
                gathered_rows<Isa> rows;
                rows.shape = &s;
                rows.input = input;
                rows.pixel_bytes = pixel_bytes;
                rows.tap_bytes = geometry::group_in(s) * element;
                rows.fill = problem.input_zero_point & 0xff;
                rows.row_bytes = aligned(geometry::taps(s) * rows.tap_bytes);
                rows.buffer = own + for_pointers;
                engine::run(call, rows, row_begin, row_end, unit_begin, unit_end, pointers);
            } else if (method == convolution_method::joined_lines) {
                joined_rows<Isa> rows;
                rows.shape = &s;
                rows.image = image;
                rows.line_bytes = copy.piece_bytes;
                rows.pixel_bytes = geometry::group_in(s) * Arithmetic::row_value_bytes;
                rows.copied_group = copy.group_bytes;
                rows.row_bytes = joined_row_bytes<Arithmetic>(s);
                rows.buffer = own + for_pointers;
                engine::run(call, rows, row_begin, row_end, unit_begin, unit_end, pointers);
            } else if (method == convolution_method::merged_lines) {
                const std::int64_t pixel = geometry::group_in(s) * Arithmetic::row_value_bytes;
                const line_rows<Isa> rows{&s, image, copy.piece_bytes, pixel, copy.group_bytes};
                engine::run(call, rows, row_begin, row_end, unit_begin, unit_end, pointers);
            } else {
                const pixel_rows<Isa> rows{&s, pixels, copy.group_bytes};
                engine::run(call, rows, row_begin, row_end, unit_begin, unit_end, pointers);
            }
        };
        engine::share(call, parallel, work);
    }

    /// A row of zero points, at the begin of the scratch memory, which matrix products do not have.
    static unsigned char* outside_row(const convolution_problem& problem) noexcept {
        if (geometry::method(problem.shape) == convolution_method::gemm) return nullptr;
        unsigned char* const scratch = static_cast<unsigned char*>(problem.scratch);
        const std::int64_t past = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(scratch) % alignment);
        unsigned char* const outside = scratch + (alignment - past) % alignment;
        std::memset(outside, problem.input_zero_point & 0xff,
                    static_cast<std::size_t>(problem.shape.in_channels * bytes_of(problem.input_type)));
        return outside;
    }

    static void run_groups(convolution_problem problem, const parallel_for& parallel) noexcept {
        if constexpr (grouped::exists) {
            if (grouped::is_packed(problem.packed_weights))
                return grouped::run(problem, outside_row(problem), parallel);
            problem.packed_weights = static_cast<const unsigned char*>(problem.packed_weights) + grouped::header_bytes;
            run_as<integer_arithmetic<Isa>>(problem, parallel);
        }
    }

    template <convolution_form Form>
    static void run_form(const convolution_problem& problem, const parallel_for& parallel) noexcept {
        if constexpr (Form == convolution_form::transposed_depthwise)
            transposed_depthwise<Isa>::run(problem, parallel);
        else if constexpr (Form == convolution_form::depthwise)
            depthwise<Isa>::run(problem, parallel);
        else if constexpr (Form == convolution_form::grouped)
            run_groups(problem, parallel);
        else if constexpr (Form == convolution_form::floats)
            run_as<float_arithmetic<Isa>>(problem, parallel);
        else
            run_as<integer_arithmetic<Isa>>(problem, parallel);
    }
    static void run(const convolution_problem& problem, const parallel_for& parallel) noexcept {
        switch (form_of(problem.shape, problem.input_type)) {
            case convolution_form::transposed_depthwise:
                return run_form<convolution_form::transposed_depthwise>(problem, parallel);
            case convolution_form::depthwise: return run_form<convolution_form::depthwise>(problem, parallel);
            case convolution_form::grouped: return run_form<convolution_form::grouped>(problem, parallel);
            case convolution_form::floats: return run_form<convolution_form::floats>(problem, parallel);
            case convolution_form::integers: return run_form<convolution_form::integers>(problem, parallel);
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/fixed_binary.hpp
#ifndef LPT_HOLDS_KERNEL_FIXED_BINARY_HPP
#define LPT_HOLDS_KERNEL_FIXED_BINARY_HPP
// Sums and products of codes in fixed point.

namespace lpt::inline LPT_ABI::kernel {

template <class Isa>
struct kernel_of<Isa, fixed_binary_problem> {
    using simd = lanes<Isa>;
    using ints = typename simd::ints;
    using scaling = fixed_scaling<simd>;
    static constexpr std::int64_t width = simd::width;
    static constexpr std::int64_t least_elements = 4096;  // of a task

    static void run(const fixed_binary_problem& problem, const parallel_for& parallel) noexcept {
        fixed_binary_problem p = problem;
        const bool dense = p.a_step == 1 && p.b_step == 1 && p.a_row_stride == p.columns && p.b_row_stride == p.columns;
        if (dense || p.rows == 1) {
            p.columns *= p.rows;
            share_out<Isa>(parallel, p.columns, least_elements, [&](std::int64_t begin, std::int64_t end, int) {
                run_row(p, p.a + begin * p.a_step, p.b + begin * p.b_step, end - begin, p.output + begin);
            });
            return;
        }
        const std::int64_t grain = p.columns > 0 ? (least_elements + p.columns - 1) / p.columns : 1;
        share_out<Isa>(parallel, p.rows, grain, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t r = begin; r < end; ++r)
                run_row(p, p.a + r * p.a_row_stride, p.b + r * p.b_row_stride, p.columns, p.output + r * p.columns);
        });
    }

private:
    using floats = typename simd::floats;

    /// What a result is in single precision: of sums a * of_a + b * of_b + constant, which includes the zero point; of products
    /// a * b * of_a +- half_step.
    struct near_numbers {
        floats of_a, of_b, constant, half_step;
        floats limit;  // farther from an integer than this it may be wrong
        bool are_usable = false;

        near_numbers(const fixed_binary_problem& p) noexcept {
            const double of_result = real(p.of_result);
            const float half = p.of_result.below != 0 ? 1 / power_of_two(p.of_result.right + 2) : 0;
            double a = of_result, b = 0, error = static_cast<double>(error_of_codes);
            if (p.function != fixed_function::multiply) {
                a = real(p.of_a) * of_result;
                b = real(p.of_b) * (p.function == fixed_function::add ? of_result : -of_result);
                // Operands are at most one step from what they stand for; single precision rounds six numbers of up to 256 (a + b), and the zero
                // point with them, by 2^-24. The half step of sums, which have 20 bits more than codes, is not worth its instructions.
                error += 2 * of_result + (a + (b < 0 ? -b : b)) * error_of_codes * 2 + static_cast<double>(half);
            }
            of_a = simd::broadcast(static_cast<float>(a));
            of_b = simd::broadcast(static_cast<float>(b));
            constant =
                simd::broadcast(static_cast<float>(p.of_result.offset - (p.a_zero_point * a + p.b_zero_point * b)));
            half_step = simd::broadcast(half);
            limit = simd::broadcast(static_cast<float>(0.5 - error));
            are_usable = error < 1.0 / 64;
        }
        static float power_of_two(int exponent) noexcept { return static_cast<float>(std::int64_t{1} << exponent); }
        static double real(const fixed_scale& by) noexcept {
            const int right = 31 + (by.below != 0 ? by.right + 1 : 0);
            return by.multiplier * static_cast<double>(power_of_two(by.left)) /
                   static_cast<double>(power_of_two(right));
        }
    };
    struct numbers {
        scaling of_a, of_b, of_result;
        ints a_zero, b_zero;
        typename fixed_store<Isa>::limits limit;
    };

    template <fixed_function Function>
    [[gnu::always_inline]] static ints near_code(const numbers& n, const near_numbers& near, ints a, ints b,
                                                 floats& farthest) noexcept {
        if constexpr (Function == fixed_function::multiply) {
            const ints x = simd::multiply_int(simd::subtract_int(a, n.a_zero), simd::subtract_int(b, n.b_zero));
            const floats product = simd::multiply(simd::to_float(x), near.of_a);
            const floats moved = simd::add(product, simd::with_sign_of(near.half_step, product));
            return n.of_result.with_offset(simd::round_noting(moved, farthest));
        } else {
            const floats of_b = simd::fma(simd::to_float(b), near.of_b, near.constant);
            return simd::round_noting(simd::fma(simd::to_float(a), near.of_a, of_b), farthest);
        }
    }

    [[gnu::always_inline]] static ints load(const std::int8_t* from, std::int32_t step, std::int64_t count) noexcept {
        if (step == 0) return simd::broadcast_int(*from);
        return load_part_of_bytes<Isa, true>(reinterpret_cast<const unsigned char*>(from), count);
    }

    template <fixed_function Function>
    [[gnu::always_inline]] static ints code(const numbers& n, ints a, ints b) noexcept {
        a = simd::subtract_int(a, n.a_zero);
        b = simd::subtract_int(b, n.b_zero);
        ints x;
        if constexpr (Function == fixed_function::multiply) {
            x = simd::multiply_int(a, b);
        } else {
            a = n.of_a.template code<true>(a);
            b = n.of_b.template code<true>(b);
            x = Function == fixed_function::add ? simd::add_int(a, b) : simd::subtract_int(a, b);
        }
        return n.of_result.template code<false>(x);
    }

    /// Four vectors of codes by single precision; false where one of them may be another (fixed_point.hpp).
    template <fixed_function Function>
    [[gnu::always_inline]] static bool nearly(const fixed_binary_problem& p, const numbers& n, const near_numbers& near,
                                              const std::int8_t* a, const std::int8_t* b, ints (&q)[4]) noexcept {
        if constexpr (rounds_noting<simd>) {
            if (!near.are_usable) return false;
            floats farthest = simd::broadcast(0);
#pragma GCC unroll 4
            for (int v = 0; v < 4; ++v)
                q[v] = near_code<Function>(n, near, load(a + v * width * p.a_step, p.a_step, width),
                                           load(b + v * width * p.b_step, p.b_step, width), farthest);
            return simd::all_below(farthest, near.limit);
        } else {
            return false;
        }
    }

    /// Limited as bytes, where there are vectors of these.
    [[gnu::always_inline]] static void store_four(const fixed_binary_problem& p, const numbers& n, std::uint8_t* to,
                                                  const ints (&q)[4]) noexcept {
        if constexpr (byte_lanes<simd>) {
            const auto packed = simd::template pack<true>(q[0], q[1], q[2], q[3]);
            simd::store_first(to, simd::template limit<true>(packed, p.low, p.high), 4 * width);
        } else {
            simd::template store_bytes<true>(to, n.limit(q[0]), n.limit(q[1]), n.limit(q[2]), n.limit(q[3]));
        }
    }

    template <fixed_function Function>
    static void run_as(const fixed_binary_problem& p, const std::int8_t* a, const std::int8_t* b, std::int64_t count,
                       std::int8_t* output) noexcept {
        const numbers n{scaling(p.of_a),
                        scaling(p.of_b),
                        scaling(p.of_result),
                        simd::broadcast_int(p.a_zero_point),
                        simd::broadcast_int(p.b_zero_point),
                        {simd::broadcast_int(p.low), simd::broadcast_int(p.high)}};
        const near_numbers near(p);
        auto* const to = reinterpret_cast<std::uint8_t*>(output);
        std::int64_t i = 0;
        for (; i + 4 * width <= count; i += 4 * width) {
            ints q[4];
            if (!nearly<Function>(p, n, near, a + i * p.a_step, b + i * p.b_step, q)) {
#pragma GCC unroll 4
                for (int v = 0; v < 4; ++v) {
                    const std::int64_t at = i + v * width;
                    q[v] = code<Function>(n, load(a + at * p.a_step, p.a_step, width),
                                          load(b + at * p.b_step, p.b_step, width));
                }
            }
            store_four(p, n, to + i, q);
        }
        for (; i < count; i += width) {
            const ints q = code<Function>(n, load(a + i * p.a_step, p.a_step, count - i),
                                          load(b + i * p.b_step, p.b_step, count - i));
            fixed_store<Isa>::store_one(to + i, n.limit(q), count - i);
        }
    }

    static void run_row(const fixed_binary_problem& p, const std::int8_t* a, const std::int8_t* b, std::int64_t count,
                        std::int8_t* output) noexcept {
        switch (p.function) {
            case fixed_function::add: run_as<fixed_function::add>(p, a, b, count, output); break;
            case fixed_function::subtract: run_as<fixed_function::subtract>(p, a, b, count, output); break;
            case fixed_function::multiply: run_as<fixed_function::multiply>(p, a, b, count, output); break;
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/fixed_product.hpp
#ifndef LPT_HOLDS_KERNEL_FIXED_PRODUCT_HPP
#define LPT_HOLDS_KERNEL_FIXED_PRODUCT_HPP
// Small convolutions and matrix products of i8 codes, whose time would go into what the large ones prepare in each call.

namespace lpt::inline LPT_ABI::kernel {

/// Where a padded copy of an image has its pixels. Each line of a window is a run of bytes in it.
struct fixed_product_image {
    static constexpr std::int64_t most_size = 1 << 20;  // so that no product of two sizes leaves 64 bits

    std::int64_t before[2], after[2];  // pixels of padding
    std::int64_t pitch;  // bytes of a line
    std::int64_t lines;  // of an image

    explicit fixed_product_image(const fixed_product_shape& s) noexcept {
        for (int axis = 0; axis < 2; ++axis) {
            const std::int64_t past =
                (s.out[axis] - 1) * s.stride[axis] + (s.kernel[axis] - 1) * s.dilation[axis] + 1 - s.pad_begin[axis];
            before[axis] = s.pad_begin[axis];
            after[axis] = past > s.in[axis] ? past - s.in[axis] : 0;
        }
        pitch = (before[1] + s.in[1] + after[1]) * s.in_channels;
        lines = before[0] + s.in[0] + after[0];
    }
    bool is_padded() const noexcept { return before[0] + before[1] + after[0] + after[1] != 0; }
    /// Bytes from the beginning of the copy to the window of an output pixel.
    std::int64_t window(const fixed_product_shape& s, std::int64_t image, std::int64_t row,
                        std::int64_t column) const noexcept {
        return (image * lines + row * s.stride[0]) * pitch + column * s.stride[1] * s.in_channels;
    }
    /// Calls f(bytes from the beginning of the copy, bytes from the beginning of the input, count) for what is copied of an input.
    template <class Function>
    void for_each_run(const fixed_product_shape& s, const Function& f) const noexcept {
        const std::int64_t line = s.in[1] * s.in_channels;
        if (!is_padded()) return f(0, 0, s.batch * s.in[0] * line);
        for (std::int64_t b = 0; b < s.batch; ++b) {
            for (std::int64_t y = 0; y < s.in[0]; ++y)
                f((b * lines + before[0] + y) * pitch + before[1] * s.in_channels, (b * s.in[0] + y) * line, line);
        }
    }
    std::int64_t bytes(const fixed_product_shape& s) const noexcept { return s.batch * lines * pitch; }
};

/// Whether all sizes are so small that none of those that follow from them leaves 64 bits.
inline bool has_small_sizes(const fixed_product_shape& s) noexcept {
    bool result = true;
    for (const std::int64_t each : {s.batch, s.in_channels, s.out_channels})
        result = result && each <= fixed_product_image::most_size;
    for (int axis = 0; axis < 2; ++axis) {
        for (const std::int64_t each :
             {s.in[axis], s.out[axis], s.kernel[axis], s.stride[axis], s.dilation[axis], s.pad_begin[axis]})
            result = result && each <= fixed_product_image::most_size;
    }
    return result;
}

/// Codes of tiles of sums, and their way to memory. Vectors run along the channels.
template <class Isa, byte_lanes Simd = lanes<Isa>>
struct fixed_product_store {
    using ints = typename Simd::ints;
    static constexpr std::int64_t width = Simd::width;

    const fixed_product_problem& p;
    ints zero = Simd::broadcast_int(p.numbers->zero_point);

    /// The factors of vectors of channels from `channel` on, which all tiles of a panel read.
    template <int Vectors>
    struct columns {
        std::int64_t channel;
        typename Simd::fixed_factors factors[Vectors];

        columns(const fixed_point& f, std::int64_t first) noexcept : channel(first) {
            if (!f.shifts) return;
#pragma GCC unroll 4
            for (int v = 0; v < Vectors; ++v) {
                const std::int64_t at = channel + v * width;
                factors[v] = Simd::factors_of(Simd::load_int(f.multiplier + at), Simd::load_int(f.right + at));
            }
        }
    };

    /// Sums of `Rows` pixels, row by row. `to` is the first pixel's first channel of all.
    template <int Rows, int Vectors>
    [[gnu::always_inline]] void tile(const ints (&sum)[Rows * Vectors], const columns<Vectors>& column,
                                     std::int8_t* to) const noexcept {
        const fixed_point& f = *p.numbers;
        const std::int64_t channel = column.channel;
        ints code[Rows * Vectors];
        if (f.shifts) {
            constexpr int some = Rows * Vectors < 4 ? Rows * Vectors : 4;
#pragma GCC unroll 4
            for (int first = 0; first < Rows * Vectors; first += some) {
                typename Simd::fixed_factors factors[some];
                ints x[some], each[some];
#pragma GCC unroll 4
                for (int i = 0; i < some; ++i) {
                    factors[i] = column.factors[i % Vectors];
                    x[i] = sum[first + i];
                }
                codes_of<Simd>(x, factors, zero, each);
#pragma GCC unroll 4
                for (int i = 0; i < some; ++i)
                    code[first + i] = each[i];
            }
        } else if (f.real != nullptr) {
#pragma GCC unroll 16
            for (int i = 0; i < Rows * Vectors; ++i) {
                const double* const by = f.real + channel + i % Vectors * width;
                code[i] = Simd::add_int(Simd::rounded_products(sum[i], by), zero);
            }
        } else {
#pragma GCC unroll 16
            for (int i = 0; i < Rows * Vectors; ++i)
                code[i] = fixed_columns<Simd>::load(f, channel + i % Vectors * width).scaled(sum[i]);
        }
        const std::int64_t left = p.shape.out_channels - channel;
        const std::int64_t count = left < Vectors * width ? left : Vectors * width;
        auto* const first = reinterpret_cast<std::uint8_t*>(to + channel);
#pragma GCC unroll 4
        for (int r = 0; r < Rows; ++r) {
            constexpr auto last = [](int v) { return v < Vectors ? v : Vectors - 1; };
            const ints* const row = code + r * Vectors;
            const auto packed = Simd::template pack<true>(row[0], row[last(1)], row[last(2)], row[last(3)]);
            Simd::store_first(first + r * p.shape.out_channels, Simd::template limit<true>(packed, p.low, p.high),
                              count);
        }
    }
};

/// In memory: what follows from the shape, the first sums of all channels, where the window of each pixel begins in the padded copy of the input (int64), the weights, and that copy,
/// whose padding is written when weights are packed.
template <class Isa>
struct fixed_product {
    using simd = lanes<Isa>;
    using ints = typename simd::ints;
    using dot = dot_of_four<Isa>;
    using accumulator = typename dot::accumulator;
    static constexpr std::int64_t width = simd::width;
    static constexpr std::int64_t group = 4;
    static constexpr std::int64_t slack = 64;  // that loads may read behind what they need
    static constexpr std::int64_t most_vectors = 4;
    static constexpr int most_rows = dot::rows * dot::vectors >= 16 ? 4 : 2;
    static constexpr unsigned char flip = dot::unsigned_rows ? 0x80 : 0;
    static_assert(dot::lanes == simd::width && dot::group == group);

    /// Multiply instructions from which on the other kernels are faster: on several threads, or as what they prepare is little then.
    static constexpr std::int64_t most_steps = requires { dot::pairings; } ? 1024 : 8192;
    static constexpr std::int64_t most_depthwise_steps = 512;
    static constexpr std::int64_t most_image_bytes = 16384;
    static constexpr std::int64_t most_size = fixed_product_image::most_size;

    static constexpr std::int64_t aligned(std::int64_t bytes) noexcept { return (bytes + 63) / 64 * 64; }

    /// The runs of bytes that a window reads.
    struct runs {
        std::int64_t count, bytes, distance;

        runs(const fixed_product_shape& s, const fixed_product_image& image) noexcept
            : count(s.kernel[0]), bytes(s.kernel[1] * s.in_channels), distance(s.dilation[0] * image.pitch) {
            if (distance != bytes) return;  // else one run
            bytes *= count;
            count = 1;
        }
        std::int64_t groups() const noexcept { return (bytes + group - 1) / group; }
    };

    /// Vectors of channels; the last ones are 1, 2 or 4.
    static std::int64_t vectors(const fixed_product_shape& s) noexcept {
        const std::int64_t needed = (s.out_channels + width - 1) / width;
        return needed % most_vectors == 3 ? needed + 1 : needed;
    }
    static std::int64_t pixels(const fixed_product_shape& s) noexcept { return s.batch * s.out[0] * s.out[1]; }
    static std::int64_t pairs(const fixed_product_shape& s) noexcept { return (s.kernel[0] * s.kernel[1] + 1) / 2; }

    static bool is_fast(const fixed_product_shape& s) noexcept {
        if (!has_small_sizes(s)) return false;
        const fixed_product_image image(s);
        if (image.lines > most_size || image.pitch > most_size || s.batch * image.lines > most_size ||
            image.bytes(s) > most_image_bytes || pixels(s) > most_size || pixels(s) * vectors(s) > most_size)
            return false;
        const std::int64_t each = pixels(s) * vectors(s);
        if (s.depthwise) return pairs(s) <= most_size && each * pairs(s) <= most_depthwise_steps;
        const runs run(s, image);
        const std::int64_t steps = run.count * run.groups();
        return s.dilation[1] == 1 && steps <= most_size && each * steps <= most_steps;
    }

    /// What follows from a shape: the parts in memory, and how they are walked.
    struct plan {
        fixed_product_image image;
        runs run;
        std::int64_t steps;  // of a pixel and a vector of channels
        std::int64_t vectors, pixels;
        std::int64_t starts, windows, weights, copy, end;  // offsets

        explicit plan(const fixed_product_shape& s) noexcept
            : image(s),
              run(s, image),
              steps(s.depthwise ? pairs(s) : run.count * run.groups()),
              vectors(fixed_product::vectors(s)),
              pixels(fixed_product::pixels(s)) {
            starts = aligned(sizeof(plan));
            windows = starts + aligned(vectors * width * 4);
            weights = windows + aligned(pixels * 8);
            copy = weights + aligned(steps * vectors * width * 4);
            end = copy + aligned(image.bytes(s)) + slack;
        }
        static const plan& of(const unsigned char* base) noexcept {
            return *std::launder(reinterpret_cast<const plan*>(base));
        }
    };
    static unsigned char* begin_of(void* packed) noexcept {
        const auto address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(packed));
        return static_cast<unsigned char*>(packed) + (aligned(address) - address);
    }

    static std::size_t packed_bytes(const fixed_product_shape& s) noexcept {
        return is_fast(s) ? static_cast<std::size_t>(plan(s).end + 63) : 0;
    }

    static void pack(const fixed_product_shape& s, const fixed_product_weights& from, void* packed) noexcept {
        unsigned char* const base = begin_of(packed);
        const plan& made = *new (base) plan(s);
        std::memset(base + made.starts, 0, static_cast<std::size_t>(made.copy - made.starts));
        const std::int32_t outside = s.depthwise ? from.zero_point : from.zero_point ^ static_cast<std::int8_t>(flip);
        std::memset(base + made.copy, outside & 0xff, static_cast<std::size_t>(made.end - made.copy));
        std::int64_t pixel = 0;
        for (std::int64_t b = 0; b < s.batch; ++b) {
            for (std::int64_t y = 0; y < s.out[0]; ++y) {
                for (std::int64_t x = 0; x < s.out[1]; ++x) {
                    const std::int64_t window = made.image.window(s, b, y, x);
                    std::memcpy(base + made.windows + 8 * pixel++, &window, sizeof window);
                }
            }
        }
        for (std::int64_t o = 0; o < s.out_channels; ++o) {
            const std::int64_t sum = s.depthwise ? pack_channel(s, made, from, o, base + made.weights)
                                                 : pack_column(made, from, o, base + made.weights);
            // What a row holds is as much more than codes less their zero point.
            const std::int64_t more = from.zero_point + (s.depthwise ? 0 : flip);
            const auto start = static_cast<std::int32_t>(from.bias[o] - more * sum);  // wraps around
            std::memcpy(base + made.starts + 4 * o, &start, sizeof start);
        }
    }

    static void run(const fixed_product_problem& p) noexcept {
        unsigned char* const base = begin_of(p.packed);
        const plan& made = plan::of(base);
        const call c{p, made, base, {p}};
        if (p.shape.depthwise) {
            run_depthwise(c);
        } else {
            made.image.for_each_run(p.shape, [&](std::int64_t to, std::int64_t from, std::int64_t count) {
                copy_run(base + made.copy + to, reinterpret_cast<const unsigned char*>(p.input + from), count);
            });
            for_each_panel(made.vectors, [&]<int Vectors>(std::int64_t channel) { dense_panel<Vectors>(c, channel); });
        }
    }

private:
    struct call {
        const fixed_product_problem& p;
        const plan& made;
        unsigned char* base;
        fixed_product_store<Isa> store;

        [[gnu::always_inline]] std::int64_t window(std::int64_t pixel) const noexcept {
            std::int64_t result;
            std::memcpy(&result, base + made.windows + 8 * pixel, sizeof result);
            return result;
        }
        [[gnu::always_inline]] const std::int32_t* starts(std::int64_t channel) const noexcept {
            return reinterpret_cast<const std::int32_t*>(base + made.starts) + channel;
        }
        [[gnu::always_inline]] const unsigned char* panel(std::int64_t channel) const noexcept {
            return base + made.weights + channel * 4 * made.steps;
        }
    };

    /// [panel of vectors][run][group][channel of the panel][4]; gives the sum of the column.
    static std::int64_t pack_column(const plan& made, const fixed_product_weights& from, std::int64_t o,
                                    unsigned char* to) noexcept {
        const runs& run = made.run;
        const std::int64_t panel = o / (most_vectors * width) * most_vectors;
        const std::int64_t left = made.vectors - panel;
        const std::int64_t step = (left < most_vectors ? left : most_vectors) * width * group;
        unsigned char* at = to + panel * width * group * made.steps + (o - panel * width) * group;
        const std::int8_t* weight = from.data + o * run.count * run.bytes;
        std::int64_t sum = 0;
        for (std::int64_t r = 0; r < run.count; ++r) {
            for (std::int64_t k = 0; k < run.bytes; ++k, ++weight) {
                at[k / group * step + k % group] = static_cast<unsigned char>(*weight & 0xff);
                sum += *weight;
            }
            at += run.groups() * step;
        }
        return sum;
    }

    /// [panel of vectors][pair of taps][channel of the panel], the first tap of a pair in the low half.
    static std::int64_t pack_channel(const fixed_product_shape& s, const plan& made, const fixed_product_weights& from,
                                     std::int64_t c, unsigned char* to) noexcept {
        const std::int64_t panel = c / (most_vectors * width) * most_vectors;
        const std::int64_t left = made.vectors - panel;
        const std::int64_t step = (left < most_vectors ? left : most_vectors) * width * 4;
        unsigned char* const at = to + panel * width * 4 * made.steps + (c - panel * width) * 4;
        std::int64_t sum = 0;
        for (std::int64_t t = 0; t < s.kernel[0] * s.kernel[1]; ++t) {
            const std::int16_t weight = from.data[t * s.out_channels + c];
            std::memcpy(at + t / 2 * step + t % 2 * 2, &weight, sizeof weight);
            sum += weight;
        }
        return sum;
    }

    // -- products of rows and columns

    /// Copies bytes into the form that `load_row` reads, and writes nothing past them: there is padding.
    static void copy_run(unsigned char* to, const unsigned char* from, std::int64_t count) noexcept {
        const std::int64_t whole = count / group * group;
        dot::prepare_rows(to, from, whole, true);
        for (std::int64_t i = whole; i < count; ++i)
            to[i] = from[i] ^ flip;
    }

    template <int Vectors>
    using columns = typename fixed_product_store<Isa>::template columns<Vectors>;

    /// Sets of sums of a tile: a dot product waits for the one before into the same sum.
    template <int Sums>
    static constexpr int sets = Sums >= 4 ? 1 : 4 / Sums;

    template <int Rows, int Vectors>
    static void dense_tile(const call& c, const columns<Vectors>& of, std::int64_t pixel) noexcept {
        const std::int64_t channel = of.channel;
        const runs run = c.made.run;
        const unsigned char* panel = c.panel(channel);
        constexpr int count = sets<Rows * Vectors>;
        constexpr std::int64_t step = Vectors * width * group;
        accumulator sum[count][Rows][Vectors] = {};
        const unsigned char* row[Rows];
#pragma GCC unroll 4
        for (int r = 0; r < Rows; ++r) {
            row[r] = c.base + c.made.copy + c.window(pixel + r);
#pragma GCC unroll 4
            for (int v = 0; v < Vectors; ++v)
                sum[0][r][v] = dot::load(c.starts(channel) + v * width);
        }
        const auto multiply = [&](accumulator(&to)[Rows][Vectors], std::int64_t at) __attribute__((always_inline)) {
            typename dot::column_group column[Vectors];
#pragma GCC unroll 4
            for (int v = 0; v < Vectors; ++v)
                column[v] = dot::load_columns(panel + v * width * group);
#pragma GCC unroll 4
            for (int r = 0; r < Rows; ++r) {
                const auto values = dot::load_row(row[r] + at);
#pragma GCC unroll 4
                for (int v = 0; v < Vectors; ++v)
                    to[r][v] = dot::step(to[r][v], values, column[v]);
            }
            panel += step;
        };
        for (std::int64_t l = 0; l < run.count; ++l) {
            std::int64_t k = 0;
            for (; k + (count - 1) * group < run.bytes; k += count * group) {
#pragma GCC unroll 4
                for (int set = 0; set < count; ++set)
                    multiply(sum[set], k + set * group);
            }
            for (; k < run.bytes; k += group)
                multiply(sum[0], k);
#pragma GCC unroll 4
            for (int r = 0; r < Rows; ++r)
                row[r] += run.distance;
        }
        ints whole[Rows * Vectors];
#pragma GCC unroll 16
        for (int i = 0; i < Rows * Vectors; ++i) {
            accumulator all = sum[0][i / Vectors][i % Vectors];
#pragma GCC unroll 4
            for (int set = 1; set < count; ++set)
                all = all + sum[set][i / Vectors][i % Vectors];
            whole[i] = ints(dot::bits(all));
        }
        c.store.template tile<Rows, Vectors>(whole, of, c.p.output + pixel * c.p.shape.out_channels);
    }

    template <int Vectors>
    static void dense_panel(const call& c, std::int64_t channel) noexcept {
        const columns<Vectors> of(*c.p.numbers, channel);
        const std::int64_t all = c.made.pixels;
        std::int64_t pixel = 0;
        for (; pixel + most_rows <= all; pixel += most_rows)
            dense_tile<most_rows, Vectors>(c, of, pixel);
        for (; pixel < all; ++pixel)
            dense_tile<1, Vectors>(c, of, pixel);
    }

    /// Calls f<Vectors>(first channel) for the panels of `all` vectors.
    template <class Function>
    [[gnu::always_inline]] static void for_each_panel(std::int64_t all, const Function& f) noexcept {
        std::int64_t v = 0;
        for (; v + most_vectors <= all; v += most_vectors)
            f.template operator()<4>(v * width);
        if (v + 2 == all) f.template operator()<2>(v * width);
        if (v + 1 == all) f.template operator()<1>(v * width);
    }

    // -- depthwise

    static void run_depthwise(const call& c) noexcept {
        const fixed_product_shape& s = c.p.shape;
        const std::int8_t* from = c.p.input;
        if (c.made.image.is_padded()) {
            from = reinterpret_cast<const std::int8_t*>(c.base + c.made.copy);
            c.made.image.for_each_run(s, [&](std::int64_t to, std::int64_t of_input, std::int64_t count) {
                std::memcpy(c.base + c.made.copy + to, c.p.input + of_input, static_cast<std::size_t>(count));
            });
        }
        for_each_panel(c.made.vectors, [&]<int Vectors>(std::int64_t channel) {
            if (s.out_channels - channel >= Vectors * width)
                depthwise_panel<Vectors, true>(c, from, channel);
            else
                depthwise_panel<Vectors, false>(c, from, channel);
        });
    }

    template <int Vectors, bool Whole>
    static void depthwise_panel(const call& c, const std::int8_t* from, std::int64_t channel) noexcept {
        constexpr int most = most_rows * 2 / Vectors < 1   ? 1
                             : most_rows * 2 / Vectors < 4 ? most_rows * 2 / Vectors
                                                           : 4;
        const columns<Vectors> of(*c.p.numbers, channel);
        std::int64_t pixel = 0;
        for (; pixel + most <= c.made.pixels; pixel += most)
            depthwise_tile<most, Vectors, Whole>(c, of, from, pixel);
        for (; pixel < c.made.pixels; ++pixel)
            depthwise_tile<1, Vectors, Whole>(c, of, from, pixel);
    }

    template <bool Whole>
    [[gnu::always_inline]] static ints load_codes(const std::int8_t* from, std::int64_t count) noexcept {
        if constexpr (Whole) return simd::load_i8(from);
        if (count <= 0) return simd::broadcast_int(0);
        return load_part_of_bytes<Isa, true>(reinterpret_cast<const unsigned char*>(from), count);
    }

    template <int Rows, int Vectors, bool Whole>
    static void depthwise_tile(const call& c, const columns<Vectors>& of, const std::int8_t* from,
                               std::int64_t pixel) noexcept {
        const fixed_product_shape& s = c.p.shape;
        const std::int64_t left = s.out_channels - of.channel;
        const unsigned char* weights = c.panel(of.channel);
        const std::int8_t* window[Rows];
        ints sum[Rows * Vectors];
#pragma GCC unroll 4
        for (int r = 0; r < Rows; ++r) {
            window[r] = from + c.window(pixel + r) + of.channel;
#pragma GCC unroll 4
            for (int v = 0; v < Vectors; ++v)
                sum[r * Vectors + v] = simd::load_int(c.starts(of.channel) + v * width);
        }
        const auto multiply = [&](std::int64_t low, std::int64_t high) __attribute__((always_inline)) {
#pragma GCC unroll 4
            for (int v = 0; v < Vectors; ++v) {
                const ints weight = simd::load_int(reinterpret_cast<const std::int32_t*>(weights) + v * width);
#pragma GCC unroll 4
                for (int r = 0; r < Rows; ++r) {
                    ints& to = sum[r * Vectors + v];
                    const ints a = load_codes<Whole>(window[r] + low + v * width, left - v * width);
                    const ints b = load_codes<Whole>(window[r] + high + v * width, left - v * width);
                    to = simd::multiply_pairs(to, simd::pair(a, b), weight);
                }
            }
            weights += Vectors * width * 4;
        };
        const std::int64_t column = s.dilation[1] * s.in_channels;
        const std::int64_t line = s.dilation[0] * c.made.image.pitch;
        const std::int64_t taps = s.kernel[0] * s.kernel[1];
        std::int64_t tap = 0, x = 0, at = 0;
        const auto next = [&]() __attribute__((always_inline)) {
            const std::int64_t here = at;
            if (++x < s.kernel[1]) {
                at += column;
            } else {
                x = 0;
                at += line - (s.kernel[1] - 1) * column;
            }
            return here;
        };
        for (; tap + 2 <= taps; tap += 2) {
            const std::int64_t low = next();
            multiply(low, next());
        }
        if (tap < taps) multiply(at, at);  // the second one's weight is 0
        c.store.template tile<Rows, Vectors>(sum, of, c.p.output + pixel * s.out_channels);
    }
};

template <class Isa>
struct kernel_of<Isa, fixed_product_problem> {
    static void run(const fixed_product_problem& problem, const parallel_for&) noexcept {
        fixed_product<Isa>::run(problem);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/fixed_resize.hpp
#ifndef LPT_HOLDS_KERNEL_FIXED_RESIZE_HPP
#define LPT_HOLDS_KERNEL_FIXED_RESIZE_HPP
// Images of i8 codes in another size.

namespace lpt::inline LPT_ABI::kernel {

/// Vectors run along the channels. Sums are exact, so the four weights of a position may be multiplied first.
template <class Isa>
struct kernel_of<Isa, fixed_resize_problem> {
    using simd = lanes<Isa>;
    using ints = typename simd::ints;
    static constexpr std::int64_t width = simd::width;
    static constexpr std::int64_t least_elements = 4096;  // of a task

    static void run(const fixed_resize_problem& p, const parallel_for& parallel) noexcept {
        const std::int64_t line = p.out[1] * p.channels;
        const std::int64_t grain = line >= least_elements ? 1 : (least_elements + line - 1) / line;
        share_out<Isa>(parallel, p.batch * p.out[0], grain, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t row = begin; row < end; ++row)
                run_row(p, row / p.out[0], row % p.out[0]);
        });
    }

private:
    struct corners {
        const std::int8_t* at[4];
        ints weight[4];
    };

    static void run_row(const fixed_resize_problem& p, std::int64_t b, std::int64_t y) noexcept {
        const resize_neighbours& row = p.neighbours[0][y];
        const std::int8_t* const upper = p.input + (b * p.in[0] + row.lower) * p.in[1] * p.channels;
        const std::int8_t* const lower = p.input + (b * p.in[0] + row.upper) * p.in[1] * p.channels;
        std::int8_t* to = p.output + (b * p.out[0] + y) * p.out[1] * p.channels;
        for (std::int64_t x = 0; x < p.out[1]; ++x, to += p.channels) {
            const resize_neighbours& column = p.neighbours[1][x];
            const std::int64_t left = column.lower * p.channels, right = column.upper * p.channels;
            const std::int32_t v = row.weight, w = column.weight;
            const corners c{{upper + left, upper + right, lower + left, lower + right},
                            {simd::broadcast_int((1024 - v) * (1024 - w)), simd::broadcast_int((1024 - v) * w),
                             simd::broadcast_int(v * (1024 - w)), simd::broadcast_int(v * w)}};
            run_pixel(c, p.channels, reinterpret_cast<std::uint8_t*>(to));
        }
    }

    static void run_pixel(const corners& c, std::int64_t channels, std::uint8_t* to) noexcept {
        std::int64_t i = 0;
        for (; i + 4 * width <= channels; i += 4 * width)
            simd::template store_bytes<true>(to + i, code(c, i, width), code(c, i + width, width),
                                             code(c, i + 2 * width, width), code(c, i + 3 * width, width));
        for (; i < channels; i += width) {
            const ints q = code(c, i, channels - i);
            if (channels - i >= width) {
                simd::store_byte(to + i, q);
                continue;
            }
            std::uint8_t some[width];
            simd::store_byte(some, q);
            copy_few<Isa, width>(to + i, some, channels - i);
        }
    }

    [[gnu::always_inline]] static ints code(const corners& c, std::int64_t channel, std::int64_t count) noexcept {
        ints sum = simd::broadcast_int(0);
#pragma GCC unroll 4
        for (int k = 0; k < 4; ++k) {
            const auto* const at = reinterpret_cast<const unsigned char*>(c.at[k] + channel);
            sum = simd::add_int(sum, simd::multiply_int(load_part_of_bytes<Isa, true>(at, count), c.weight[k]));
        }
        const ints half = simd::add_int(simd::broadcast_int(1 << 19), simd::sign(sum));  // away from zero
        return simd::shift_right(simd::add_int(sum, half), simd::broadcast_int(20));
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/fixed_sum.hpp
#ifndef LPT_HOLDS_KERNEL_FIXED_SUM_HPP
#define LPT_HOLDS_KERNEL_FIXED_SUM_HPP
// Sums and averages of i8 codes over windows.

namespace lpt::inline LPT_ABI::kernel {

/// Vectors run along the channels; where there is one channel, along the columns of a window.
template <class Isa>
struct kernel_of<Isa, fixed_sum_problem> {
    using simd = lanes<Isa>;
    using ints = typename simd::ints;
    static constexpr std::int64_t width = simd::width;
    static constexpr std::int64_t block = 4 * width;  // channels that are summed up together
    static constexpr std::int64_t least_elements = 16384;  // of a task

    static void run(const fixed_sum_problem& p, const parallel_for& parallel) noexcept {
        const std::int64_t blocks = (p.channels + block - 1) / block;
        const std::int64_t pixels = p.batch * p.out[0] * p.out[1];
        const std::int64_t window = p.kernel[0] * p.kernel[1] * (p.channels < block ? p.channels : block);
        const std::int64_t grain = window >= least_elements ? 1 : (least_elements + window - 1) / window;
        share_out<Isa>(parallel, pixels * blocks, grain, [&](std::int64_t begin, std::int64_t end, int) {
            scaling to(p);
            for (std::int64_t unit = begin; unit < end; ++unit)
                run_block(p, to, unit / blocks, unit % blocks * block);
        });
    }

private:
    /// Positions of a window inside the image, along an axis.
    struct span {
        std::int64_t begin, end;

        span(const fixed_sum_problem& p, int axis, std::int64_t at) noexcept {
            const std::int64_t first = at * p.stride[axis] - p.pad_begin[axis];
            const std::int64_t past = first + p.kernel[axis];
            begin = first < 0 ? 0 : first;
            end = past < p.in[axis] ? past : p.in[axis];
            if (end < begin) end = begin;
        }
        std::int64_t size() const noexcept { return end - begin; }
    };

    /// What becomes of sums.
    struct scaling {
        fixed_columns<simd> columns;
        alignas(64) double real[width];
        std::int64_t count = -1;  // for which `real` stands
        ints low, high;

        explicit scaling(const fixed_sum_problem& p) noexcept
            : columns(fixed_columns<simd>::of_all(p.scale)),
              low(simd::broadcast_int(p.low)),
              high(simd::broadcast_int(p.high)) {
            set(p.real);
        }
        void set(double by) noexcept {
            for (double& each : real)
                each = by;
        }
        /// With e = 1 for even n, else 0: floor((|s| + floor(n / 2)) / n) is the integer next to (2 |s| + e) / 2n, which is no tie, and at
        /// least 1 / 2n from one: more than the product's error.
        [[gnu::always_inline]] ints average(ints sum, std::int64_t n) noexcept {
            if (n == 0) return simd::broadcast_int(0);
            if (n != count) set(0.5 / static_cast<double>(n));
            count = n;
            const std::int32_t even = n % 2 == 0 ? 1 : 0;
            const ints sign = simd::and_int(simd::sign(sum), simd::broadcast_int(-2 * even));
            const ints more = simd::add_int(simd::broadcast_int(even), sign);
            return simd::rounded_products(simd::add_int(simd::add_int(sum, sum), more), real);
        }
        [[gnu::always_inline]] ints code(const fixed_sum_problem& p, ints sum, std::int64_t n) noexcept {
            ints q;
            if (p.averages)
                q = average(sum, n);
            else if (p.real != 0)
                q = simd::add_int(simd::rounded_products(sum, real), columns.offset);
            else
                q = columns.scaled(sum);
            return simd::min_int(simd::max_int(q, low), high);
        }
    };

    /// Channels from `channel` on of an output pixel.
    static void run_block(const fixed_sum_problem& p, scaling& to, std::int64_t pixel, std::int64_t channel) noexcept {
        const std::int64_t x = pixel % p.out[1], y = pixel / p.out[1] % p.out[0], b = pixel / p.out[1] / p.out[0];
        const span rows(p, 0, y), columns(p, 1, x);
        const std::int64_t n = rows.size() * columns.size();
        const std::int8_t* const first =
            p.input + ((b * p.in[0] + rows.begin) * p.in[1] + columns.begin) * p.channels + channel;
        const std::int64_t left = p.channels - channel;
        const std::int32_t start = static_cast<std::int32_t>(-n * p.zero_point);
        auto* const output = reinterpret_cast<std::uint8_t*>(p.output + pixel * p.channels + channel);
        if (left >= block) {
            ints sum[4];
#pragma GCC unroll 4
            for (int v = 0; v < 4; ++v)
                sum[v] = simd::broadcast_int(start);
            for_each_position(p, first, rows.size(), columns.size(), [&](const std::int8_t* at) {
#pragma GCC unroll 4
                for (int v = 0; v < 4; ++v)
                    sum[v] = simd::add_int(sum[v], simd::load_i8(at + v * width));
            });
            simd::template store_bytes<true>(output, to.code(p, sum[0], n), to.code(p, sum[1], n),
                                             to.code(p, sum[2], n), to.code(p, sum[3], n));
            return;
        }
        if constexpr (requires { simd::sum_bytes(nullptr, std::int64_t{}, static_cast<unsigned char>(0)); }) {
            if (p.channels == 1) {
                const std::int32_t all = start + sum_line(p, first, rows.size(), columns.size());
                return store(output, to.code(p, simd::broadcast_int(all), n), 1);
            }
        }
        for (std::int64_t i = 0; i < left && i < block; i += width) {
            ints sum = simd::broadcast_int(start);
            for_each_position(p, first + i, rows.size(), columns.size(), [&](const std::int8_t* at) {
                sum = simd::add_int(
                    sum, load_part_of_bytes<Isa, true>(reinterpret_cast<const unsigned char*>(at), left - i));
            });
            store(output + i, to.code(p, sum, n), left - i);
        }
    }

    template <class Function>
    [[gnu::always_inline]] static void for_each_position(const fixed_sum_problem& p, const std::int8_t* from,
                                                         std::int64_t rows, std::int64_t columns,
                                                         const Function& f) noexcept {
        for (std::int64_t row = 0; row < rows; ++row, from += p.in[1] * p.channels) {
            for (std::int64_t column = 0; column < columns; ++column)
                f(from + column * p.channels);
        }
    }

    /// The sum of codes that lie side by side, of several lines.
    static std::int32_t sum_line(const fixed_sum_problem& p, const std::int8_t* from, std::int64_t rows,
                                 std::int64_t columns) noexcept {
        std::int64_t sum = -128 * rows * columns;  // codes are summed up as of u8
        for (std::int64_t row = 0; row < rows; ++row, from += p.in[1])
            sum += simd::sum_bytes(reinterpret_cast<const unsigned char*>(from), columns, 0x80);
        return static_cast<std::int32_t>(sum);
    }

    static void store(std::uint8_t* to, ints code, std::int64_t count) noexcept {
        if (count >= width) return simd::store_byte(to, code);
        std::uint8_t some[width];
        simd::store_byte(some, code);
        copy_few<Isa, width>(to, some, count);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/groups.hpp
#ifndef LPT_HOLDS_KERNEL_GROUPS_HPP
#define LPT_HOLDS_KERNEL_GROUPS_HPP
// Reductions and normalizations over any axes.

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
#endif

// ======== lpt/kernel/lookup.hpp
#ifndef LPT_HOLDS_KERNEL_LOOKUP_HPP
#define LPT_HOLDS_KERNEL_LOOKUP_HPP
// Any function of one 8-bit number, as a table.

namespace lpt::inline LPT_ABI::kernel {

template <class Isa>
struct lookup {
    static void run(const lookup_problem& problem, const parallel_for& parallel) noexcept {
        if (problem.count <= 0) return;
        constexpr std::int64_t piece = 4096;  // bytes of a long row that a task takes
        const std::int64_t pieces = (problem.count + piece - 1) / piece;  // of a row
        const std::int64_t grain = pieces > 1 ? 1 : (piece + problem.count - 1) / problem.count;
        share_out<Isa>(parallel, problem.rows * pieces, grain, [&](std::int64_t begin, std::int64_t end, int) {
            alignas(64) std::uint8_t table[256];  // no output lies in it: it stays in registers from row to row
            std::memcpy(table, problem.table, sizeof table);
            for (std::int64_t i = begin; i < end; ++i) {
                const std::int64_t row = pieces > 1 ? i / pieces : i;
                const std::int64_t first = pieces > 1 ? i % pieces * piece : 0;
                const std::int64_t left = problem.count - first;
                look_up(table, problem.input + row * problem.input_row_stride + first,
                        problem.output + row * problem.output_row_stride + first, left < piece ? left : piece);
            }
        });
    }

private:
    [[gnu::always_inline]] static void look_up(const std::uint8_t* table, const std::uint8_t* from, std::uint8_t* to,
                                               std::int64_t count) noexcept {
        for (std::int64_t i = lanes<Isa>::look_up(table, from, to, count); i < count; ++i)
            to[i] = table[from[i]];
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/pointwise.hpp
#ifndef LPT_HOLDS_KERNEL_POINTWISE_HPP
#define LPT_HOLDS_KERNEL_POINTWISE_HPP
// Arithmetic, comparisons and logic of any numbers, and the choice between two.

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
#endif

// ======== lpt/kernel/interleave.hpp
#ifndef LPT_HOLDS_KERNEL_INTERLEAVE_HPP
#define LPT_HOLDS_KERNEL_INTERLEAVE_HPP
// Interleaving of two vectors of the compiler: every processor has such moves.

namespace lpt::inline LPT_ABI::kernel {

/// a[0], b[0], a[1], b[1] … of the lower half of the lanes, or of the upper one. `indices`: of the lanes.
template <class Isa, bool Upper, class Vector, int... Indices>
[[gnu::always_inline]] inline Vector interleave(Vector a, Vector b,
                                                std::integer_sequence<int, Indices...> /*indices*/) noexcept {
    constexpr int size = sizeof...(Indices);
    return __builtin_shufflevector(a, b, (Indices / 2 + Indices % 2 * size + (Upper ? size / 2 : 0))...);
}

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/pool_bytes.hpp
#ifndef LPT_HOLDS_KERNEL_POOL_BYTES_HPP
#define LPT_HOLDS_KERNEL_POOL_BYTES_HPP
// Maxima of bytes, for max pooling that gives what it takes, and sums, for average pooling.

namespace lpt::inline LPT_ABI::kernel {

/// Calls f(offset) for vectors of `Width` bytes that cover `bytes` >= Width; the last one overlaps the one before.
template <class Isa, std::int64_t Width, class Function>
[[gnu::always_inline]] inline void cover(std::int64_t bytes, const Function& f) noexcept {
    for (std::int64_t i = 0; i + Width <= bytes; i += Width)
        f(i);
    if (bytes % Width != 0) f(bytes - Width);
}

/// Compares whole vectors of bytes. A vector type of the compiler: all instruction sets have this maximum, xsimd's lanes are numbers of 32 bits.
template <class Isa, class Byte>
struct byte_maximum {
    static constexpr std::int64_t widest = lanes<Isa>::width * 4 < 16 ? 16 : lanes<Isa>::width * 4;

    /// The larger of each byte of a run of `Width` bytes at several places; `for_each_place(f)` calls f(address) for each.
    template <std::int64_t Width, class Places>
    [[gnu::always_inline]] static void vector(std::int64_t offset, unsigned char* to,
                                              const Places& for_each_place) noexcept {
        using bytes [[gnu::vector_size(Width)]] = Byte;
        bytes most;
        std::memset(&most, std::is_signed_v<Byte> ? 0x80 : 0, sizeof most);
        for_each_place([&](const unsigned char* at) {
            bytes each;
            std::memcpy(&each, at + offset, sizeof each);
            most = each > most ? each : most;
        });
        std::memcpy(to + offset, &most, sizeof most);
    }

    /// The same for `count` >= Width bytes.
    template <std::int64_t Width, class Places>
    [[gnu::always_inline]] static void vectors(std::int64_t count, unsigned char* to,
                                               const Places& for_each_place) noexcept {
        cover<Isa, Width>(count, [&](std::int64_t offset)
                                     __attribute__((always_inline)) { vector<Width>(offset, to, for_each_place); });
    }

    /// The same for any number of bytes. `to` overlaps no place.
    template <class Places>
    static void run(std::int64_t count, unsigned char* to, const Places& for_each_place) noexcept {
        if (count >= widest) return vectors<widest>(count, to, for_each_place);
        if (count >= 16) return vectors<16>(count, to, for_each_place);
        if (count >= 4) return vectors<4>(count, to, for_each_place);
        for (std::int64_t i = 0; i < count; ++i)
            vector<1>(i, to, for_each_place);
    }
};

/// Adds up bytes in lanes of 16 bits, even and odd ones apart; a lane holds the sum of at most `most_addends`.
template <class Isa, class Byte>
struct byte_sums {
    static constexpr bool is_signed = std::is_signed_v<Byte>;
    using half = std::conditional_t<is_signed, std::int16_t, std::uint16_t>;
    using word = std::conditional_t<is_signed, std::int32_t, std::uint32_t>;
    static constexpr std::int64_t most_addends = 255;
    static constexpr std::int64_t least_bytes = 16;
    static constexpr std::int64_t widest = byte_maximum<Isa, Byte>::widest;

    /// The lower bits of each lane of `Bits` bits, half of them, as a number of the whole lane.
    template <int Bits, class Lanes>
    [[gnu::always_inline]] static Lanes lower(Lanes x) noexcept {
        return (x << (Bits / 2)) >> (Bits / 2);
    }
    /// The same of the upper bits.
    template <int Bits, class Lanes>
    [[gnu::always_inline]] static Lanes upper(Lanes x) noexcept {
        return x >> (Bits / 2);
    }

    /// Sums of the `Width` bytes from `offset` on behind each of `count` addresses, plus `start` each.
    template <std::int64_t Width>
    [[gnu::always_inline]] static void vector(const unsigned char* const* addresses, std::int64_t count,
                                              std::int64_t offset, std::int32_t start, std::int32_t* to) noexcept {
        using halves [[gnu::vector_size(Width)]] = half;
        using words [[gnu::vector_size(Width)]] = word;
        using pairs [[gnu::vector_size(Width)]] = std::int64_t;
        using word_indices = std::make_integer_sequence<int, Width / 4>;
        using pair_indices = std::make_integer_sequence<int, Width / 8>;
        halves even{};
        halves odd{};
        for (std::int64_t i = 0; i < count; ++i) {
            halves x;
            std::memcpy(&x, addresses[i] + offset, sizeof x);
            even += lower<16>(x);
            odd += upper<16>(x);
        }
        const words quarters[4] = {lower<32>(words(even)), lower<32>(words(odd)), upper<32>(words(even)),
                                   upper<32>(words(odd))};
        const pairs low[2] = {pairs(interleave<Isa, false>(quarters[0], quarters[1], word_indices())),
                              pairs(interleave<Isa, false>(quarters[2], quarters[3], word_indices()))};
        const pairs high[2] = {pairs(interleave<Isa, true>(quarters[0], quarters[1], word_indices())),
                               pairs(interleave<Isa, true>(quarters[2], quarters[3], word_indices()))};
        const words sums[4] = {words(interleave<Isa, false>(low[0], low[1], pair_indices())),
                               words(interleave<Isa, true>(low[0], low[1], pair_indices())),
                               words(interleave<Isa, false>(high[0], high[1], pair_indices())),
                               words(interleave<Isa, true>(high[0], high[1], pair_indices()))};
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) {
            const words whole = sums[i] + static_cast<word>(start);
            std::memcpy(to + offset + i * (Width / 4), &whole, sizeof whole);
        }
    }

    /// The same for `bytes` >= least_bytes bytes behind each address.
    static void run(const unsigned char* const* addresses, std::int64_t count, std::int64_t bytes, std::int32_t start,
                    std::int32_t* to) noexcept {
        const auto add = [&]<std::int64_t Width>(std::integral_constant<std::int64_t, Width>)
                             __attribute__((always_inline)) {
                                 cover<Isa, Width>(bytes, [&](std::int64_t offset) __attribute__((always_inline)) {
                                     vector<Width>(addresses, count, offset, start, to);
                                 });
                             };
        if (bytes >= widest) return add(std::integral_constant<std::int64_t, widest>());
        add(std::integral_constant<std::int64_t, least_bytes>());
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/pool.hpp
#ifndef LPT_HOLDS_KERNEL_POOL_HPP
#define LPT_HOLDS_KERNEL_POOL_HPP
// Max and average pooling.

namespace lpt::inline LPT_ABI::kernel {

/// Vectors run along the channels; the window's elements are taken in order d, h, w.
template <class Isa>
struct pool {
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    using ints = typename simd::ints;
    static constexpr std::int64_t width = simd::width;

    /// The window of an output position along one axis: taps [begin, end) are inside the image.
    struct span {
        std::int64_t first = 0;  // input position of tap 0
        std::int64_t begin = 0;
        std::int64_t end = 0;
        std::int64_t padded = 0; // taps inside the padded image
    };

    /// How many taps of a window whose first lies at `first` lie before `limit`: computed, as a window may be any size.
    static std::int64_t taps_before(const pool_problem& p, int axis, std::int64_t first, std::int64_t limit) noexcept {
        if (first >= limit) return 0;
        const std::int64_t reach = limit - first - 1;
        const std::int64_t taps = (p.dilation[axis] == 1 ? reach : reach / p.dilation[axis]) + 1;  // divisions are slow
        return taps < p.kernel[axis] ? taps : p.kernel[axis];
    }
    static span window(const pool_problem& p, int axis, std::int64_t o) noexcept {
        span w;
        w.first = o * p.stride[axis] - p.pad_begin[axis];
        w.begin = taps_before(p, axis, w.first, 0);
        w.end = taps_before(p, axis, w.first, p.in[axis]);
        w.padded = taps_before(p, axis, w.first, p.in[axis] + p.pad_end[axis]);
        return w;
    }

    /// Calls f(address of the pixel's channel 0) for each pixel of a window.
    template <class Function>
    [[gnu::always_inline]] static void for_each_pixel(const pool_problem& p, std::int64_t n, const span (&w)[3],
                                                      const Function& f) noexcept {
        const unsigned char* input = static_cast<const unsigned char*>(p.input);
        const std::int64_t pixel_bytes = p.input_pixel_stride * bytes_of(p.input_type);
        for (std::int64_t kd = w[0].begin; kd < w[0].end; ++kd) {
            const std::int64_t plane = (n * p.in[0] + w[0].first + kd * p.dilation[0]) * p.in[1];
            for (std::int64_t kh = w[1].begin; kh < w[1].end; ++kh) {
                const std::int64_t line = (plane + w[1].first + kh * p.dilation[1]) * p.in[2];
                for (std::int64_t kw = w[2].begin; kw < w[2].end; ++kw)
                    f(input + (line + w[2].first + kw * p.dilation[2]) * pixel_bytes);
            }
        }
    }

    /// How many pixels of a window are inside the image.
    static std::int64_t pixels_of(const span (&w)[3]) noexcept {
        return (w[0].end - w[0].begin) * (w[1].end - w[1].begin) * (w[2].end - w[2].begin);
    }

    [[gnu::always_inline]] static floats larger(floats a, floats b) noexcept {
        return simd::select(simd::less(a, b), b, a);
    }

    template <bool Signed>
    [[gnu::always_inline]] static ints load_bytes(const unsigned char* from) noexcept {
        if constexpr (Signed)
            return simd::load_i8(reinterpret_cast<const std::int8_t*>(from));
        else
            return simd::load_u8(from);
    }

    /// Largest element or sum of a window of bytes for `Vectors` vectors of channels from `channel` on, starting from `start`.
    template <bool Signed, bool Max, int Vectors>
    [[gnu::always_inline]] static void combine_vectors(const pool_problem& p, std::int64_t n, const span (&w)[3],
                                                       std::int64_t channel, std::int32_t start,
                                                       std::int32_t* result) noexcept {
        ints x[Vectors];
        for (int v = 0; v < Vectors; ++v)
            x[v] = simd::broadcast_int(start);
        for_each_pixel(p, n, w, [&](const unsigned char* at) {
#pragma GCC unroll 4
            for (int v = 0; v < Vectors; ++v) {
                const ints y = load_bytes<Signed>(at + channel + v * width);
                if constexpr (Max)
                    x[v] = simd::max_int(x[v], y);
                else
                    x[v] = simd::add_int(x[v], y);
            }
        });
        for (int v = 0; v < Vectors; ++v)
            simd::store_int(result + v * width, x[v]);
    }

    /// The same for `columns` elements; `result` has room up to a multiple of the width.
    template <bool Signed, bool Max>
    static void combine_bytes(const pool_problem& p, std::int64_t n, const span (&w)[3], std::int64_t channel,
                              std::int64_t columns, std::int32_t start, std::int32_t* result) noexcept {
        if constexpr (!Max) {
            using sums = byte_sums<Isa, std::conditional_t<Signed, std::int8_t, std::uint8_t>>;
            if (columns >= sums::least_bytes && pixels_of(w) <= sums::most_addends) {
                const unsigned char* at[sums::most_addends];
                std::int64_t count = 0;
                for_each_pixel(p, n, w, [&](const unsigned char* pixel) { at[count++] = pixel + channel; });
                sums::run(at, count, columns, start, result);
                for (std::int64_t rest = columns; rest % width != 0; ++rest)
                    result[rest] = 0;
                return;
            }
        }
        std::int64_t i = 0;
        for (; i + 4 * width <= columns; i += 4 * width)
            combine_vectors<Signed, Max, 4>(p, n, w, channel + i, start, result + i);
        for (; i + width <= columns; i += width)
            combine_vectors<Signed, Max, 1>(p, n, w, channel + i, start, result + i);
        if (i < columns) {
            ints x = simd::broadcast_int(start);
            for_each_pixel(p, n, w, [&](const unsigned char* at) {
                const ints y = finish<Isa>::load_bytes(at, p.input_type, channel + i, columns - i);
                if constexpr (Max)
                    x = simd::max_int(x, y);
                else
                    x = simd::add_int(x, y);
            });
            simd::store_int(result + i, x);
        }
    }

    /// The same for floats, which `load(pixel, column)` reads.
    template <bool Max, int Vectors, class Load>
    [[gnu::always_inline]] static void combine_float_vectors(const pool_problem& p, std::int64_t n, const span (&w)[3],
                                                             float* result, const Load& load) noexcept {
        floats x[Vectors];
        for (int v = 0; v < Vectors; ++v)
            x[v] = simd::broadcast(Max ? -__builtin_inff() : 0.0f);
        for_each_pixel(p, n, w, [&](const unsigned char* at) __attribute__((always_inline)) {
#pragma GCC unroll 4
            for (int v = 0; v < Vectors; ++v) {
                const floats y = load(at, v * width);
                if constexpr (Max)
                    x[v] = larger(x[v], y);
                else
                    x[v] = simd::add(x[v], y);
            }
        });
        for (int v = 0; v < Vectors; ++v)
            simd::store(result + v * width, x[v]);
    }
    template <bool Max>
    static void combine_floats(const pool_problem& p, std::int64_t n, const span (&w)[3], std::int64_t channel,
                               std::int64_t columns, float* v) noexcept {
        std::int64_t i = 0;
        const auto whole = [&](const unsigned char* at, std::int64_t column) __attribute__((always_inline)) {
            return simd::load(reinterpret_cast<const float*>(at) + channel + i + column);
        };
        for (; i + 4 * width <= columns; i += 4 * width)
            combine_float_vectors<Max, 4>(p, n, w, v + i, whole);
        for (; i + width <= columns; i += width)
            combine_float_vectors<Max, 1>(p, n, w, v + i, whole);
        if (i < columns)
            combine_float_vectors<Max, 1>(p, n, w, v + i, [&](const unsigned char* at, std::int64_t) {
                return finish<Isa>::load_elements(at, element_kind::f32, channel + i, columns - i);
            });
    }

    static void divide(float* v, std::int64_t columns, float divisor) noexcept {
        const floats by = simd::broadcast(divisor);
        for (std::int64_t i = 0; i < columns; i += width)
            simd::store(v + i, simd::divide(simd::load(v + i), by));
    }
    /// The same bits for whole numbers, without divisions, which take ten times as long: the remainder of x * (1 / divisor) is exact, and its share is
    /// added with one rounding (Markstein).
    static void divide_whole(float* v, std::int64_t columns, float divisor) noexcept {
        const floats negative = simd::broadcast(-divisor);
        const floats inverse = simd::broadcast(1.0f / divisor);
        for (std::int64_t i = 0; i < columns; i += width) {
            const floats x = simd::load(v + i);
            const floats near = simd::multiply(x, inverse);
            simd::store(v + i, simd::fma(simd::fma(near, negative, x), inverse, near));
        }
    }

    /// x of `columns` elements from `channel` of a pixel on, into the pixels behind it where these follow; v has room up to a multiple of the width.
    static void values(const pool_problem& p, std::int64_t n, const span (&w)[3], std::int64_t channel,
                       std::int64_t columns, float* v) noexcept {
        const std::int64_t inside = pixels_of(w);
        const std::int64_t padded = w[0].padded * w[1].padded * w[2].padded;
        const bool with_padding = p.kind == pool_kind::average_include_pad;
        if (p.input_type == element_kind::f32) {
            if (p.kind == pool_kind::max)
                combine_floats<true>(p, n, w, channel, columns, v);
            else
                combine_floats<false>(p, n, w, channel, columns, v);
        } else {
            const bool is_signed = p.input_type == element_kind::i8;
            alignas(64) std::int32_t x[finish_columns];
            if (p.kind == pool_kind::max) {
                if (is_signed)
                    combine_bytes<true, true>(p, n, w, channel, columns, -128, x);
                else
                    combine_bytes<false, true>(p, n, w, channel, columns, 0, x);
            } else {
                const std::int32_t start = with_padding && padded > inside
                                               ? static_cast<std::int32_t>(padded - inside) * p.input_zero_point
                                               : 0;
                if (is_signed)
                    combine_bytes<true, false>(p, n, w, channel, columns, start, x);
                else
                    combine_bytes<false, false>(p, n, w, channel, columns, start, x);
            }
            for (std::int64_t i = 0; i < columns; i += width)
                simd::store(v + i, simd::to_float(simd::load_int(x + i)));
        }
        if (p.kind == pool_kind::max) return;
        const std::int64_t count = with_padding ? padded : inside;
        const float divisor = static_cast<float>(count > 0 ? count : 1);
        if (p.input_type == element_kind::f32)
            divide(v, columns, divisor);
        else
            divide_whole(v, columns, divisor);
    }

    /// True where the output is the largest byte itself.
    static bool gives_bytes(const pool_problem& p) noexcept {
        const epilogue& f = p.finish;
        const bool is_signed = p.input_type == element_kind::i8;
        return p.kind == pool_kind::max && p.input_type != element_kind::f32 && f.output_type == p.input_type &&
               f.scale == nullptr && f.bias == nullptr && f.scale_all == 1.0f && f.bias_all == 0.0f &&
               f.post_count == 0 && f.quant_low <= (is_signed ? -128.0f : 0.0f) &&
               f.quant_high >= (is_signed ? 127.0f : 255.0f);
    }

    /// Where the output pixel `r` of all lies.
    struct position {
        std::int64_t n;
        std::int64_t at[3];

        position(const pool_problem& p, std::int64_t r) noexcept {
            for (int axis = 2; axis >= 0; --axis) {
                at[axis] = r % p.out[axis];
                r /= p.out[axis];
            }
            n = r;
        }
        /// Goes `pixels` further, at most to the next line.
        void advance(const pool_problem& p, std::int64_t pixels) noexcept {
            at[2] += pixels;
            for (int axis = 2; axis > 0 && at[axis] == p.out[axis]; --axis) {
                at[axis] = 0;
                ++at[axis - 1];
            }
            if (at[0] == p.out[0]) {
                at[0] = 0;
                ++n;
            }
        }
    };

    static void run(const pool_problem& problem, const parallel_for& parallel) noexcept {
        const std::int64_t rows = problem.batch * problem.out[0] * problem.out[1] * problem.out[2];
        parallel_for some = parallel;
        some.threads = threads_for(problem, rows, parallel.threads);
        if (gives_bytes(problem)) {
            split<Isa>(some, rows, 1, [&](std::int64_t begin, std::int64_t end, int) {
                if (problem.input_type == element_kind::i8)
                    largest_bytes<std::int8_t>(problem, begin, end);
                else
                    largest_bytes<std::uint8_t>(problem, begin, end);
            });
            return;
        }
        if (some.threads > 1 && rows < 4 * some.threads) return run_parts(problem, rows, some);
        const bool join = is_uniform(problem.finish);
        split<Isa>(some, rows, 1, [&](std::int64_t begin, std::int64_t end, int) {
            for_each_run(problem, begin, end, join,
                         [&](std::int64_t r, const position& o, const span(&w)[3], std::int64_t pixels) {
                             run_pixels(problem, o, w, r, 0, pixels * problem.channels);
                         });
        });
    }

    /// With few pixels, threads share channels, too.
    static void run_parts(const pool_problem& problem, std::int64_t rows, const parallel_for& parallel) noexcept {
        const std::int64_t parts = (problem.channels + shared_channels - 1) / shared_channels;
        split<Isa>(parallel, rows * parts, 1, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t i = begin; i < end; ++i) {
                const position o(problem, i / parts);
                const span w[3] = {window(problem, 0, o.at[0]), window(problem, 1, o.at[1]),
                                   window(problem, 2, o.at[2])};
                const std::int64_t first = i % parts * shared_channels;
                const std::int64_t left = problem.channels - first;
                run_pixels(problem, o, w, i / parts, first,
                           left < shared_channels ? problem.channels : first + shared_channels);
            }
        });
    }

    /// True where an epilogue does the same to every element.
    static bool is_uniform(const epilogue& e) noexcept {
        bool uniform = e.scale == nullptr && e.bias == nullptr;
        for (int k = 0; k < e.post_count; ++k)
            uniform = uniform && e.post[k].per_channel_a == nullptr && e.post[k].per_channel_b == nullptr &&
                      e.post[k].residual == nullptr;
        return uniform;
    }

    /// Elements [first, past) from output pixel `r` on, which lies at `o` and has the window w.
    static void run_pixels(const pool_problem& p, const position& o, const span (&w)[3], std::int64_t r,
                           std::int64_t first, std::int64_t past) noexcept {
        alignas(64) float v[finish_columns];
        unsigned char* to =
            static_cast<unsigned char*>(p.output) + r * p.output_pixel_stride * bytes_of(p.finish.output_type);
        for (std::int64_t c = first; c < past; c += finish_columns) {
            const std::int64_t columns = past - c < finish_columns ? past - c : finish_columns;
            values(p, o.n, w, c, columns, v);
            finish<Isa>::row(p.finish, v, r, c, columns, to + c * bytes_of(p.finish.output_type));
        }
    }

    /// Calls f(r, o, w, pixels) for runs of output pixels in [begin, end): pixel r lies at `o` and has the window w; the windows of the others follow,
    /// one pixel further each. Only where pixels may `join` are there more than one in a run.
    template <class Function>
    [[gnu::always_inline]] static void for_each_run(const pool_problem& p, std::int64_t begin, std::int64_t end,
                                                    bool join, const Function& f) noexcept {
        const bool is_dense =
            p.stride[2] == 1 && p.input_pixel_stride == p.channels && p.output_pixel_stride == p.channels;
        position o(p, begin);
        span w[3] = {window(p, 0, o.at[0]), window(p, 1, o.at[1]), {}};
        for (std::int64_t r = begin; r < end;) {
            w[2] = window(p, 2, o.at[2]);
            std::int64_t pixels = 1;
            if (join && is_dense && w[2].begin == 0 && w[2].end == p.kernel[2]) {
                const std::int64_t whole = p.in[2] - (p.kernel[2] - 1) * p.dilation[2] - w[2].first;
                const std::int64_t line = p.out[2] - o.at[2];
                pixels = whole < line ? whole : line;
                pixels = pixels < end - r ? pixels : end - r;
            }
            f(r, o, w, pixels);
            r += pixels;
            o.advance(p, pixels);
            if (o.at[2] == 0) {
                w[0] = window(p, 0, o.at[0]);
                w[1] = window(p, 1, o.at[1]);
            }
        }
    }

    /// Output pixels [begin, end).
    template <class Byte>
    static void largest_bytes(const pool_problem& p, std::int64_t begin, std::int64_t end) noexcept {
        for_each_run(p, begin, end, true,
                     [&](std::int64_t r, const position& o, const span(&w)[3], std::int64_t pixels) {
                         byte_maximum<Isa, Byte>::run(
                             pixels * p.channels, static_cast<unsigned char*>(p.output) + r * p.output_pixel_stride,
                             [&](const auto& take) __attribute__((always_inline)) { for_each_pixel(p, o.n, w, take); });
                     });
    }

private:
    static constexpr std::int64_t shared_channels = 64;
    static constexpr std::int64_t least_elements = 16384;  // of a task: about a microsecond, as a round of threads

    static int threads_for(const pool_problem& p, std::int64_t rows, int threads) noexcept {
        std::int64_t elements = rows * p.channels;
        for (int axis = 0; axis < 3; ++axis)
            elements *= p.kernel[axis] < p.in[axis] ? p.kernel[axis] : p.in[axis];
        const std::int64_t most = elements / least_elements;
        return most < 1 ? 1 : most < threads ? static_cast<int>(most) : threads;
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/real_prelu.hpp
#ifndef LPT_HOLDS_KERNEL_REAL_PRELU_HPP
#define LPT_HOLDS_KERNEL_REAL_PRELU_HPP
// PRELU of codes by way of real numbers.

namespace lpt::inline LPT_ABI::kernel {

template <class Isa>
struct kernel_of<Isa, real_prelu_problem> {
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    using ints = typename simd::ints;
    static constexpr std::int64_t width = simd::width;
    static constexpr std::int64_t least_elements = 4096;  // of a task

    static void run(const real_prelu_problem& p, const parallel_for& parallel) noexcept {
        const std::int64_t grain = p.channels > 0 ? (least_elements + p.channels - 1) / p.channels : 1;
        share_out<Isa>(parallel, p.rows, grain, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t c = 0; c < p.channels; c += vectors * width) {
                if (p.negative == nullptr)
                    run_columns<by_reals>(p, c, begin, end);
                else if (p.larger_is_code)
                    run_columns<by_lines<true>>(p, c, begin, end);
                else
                    run_columns<by_lines<false>>(p, c, begin, end);
            }
        });
    }

private:
    /// As the formula says.
    struct by_reals {
        ints zero, output_zero;
        floats scale, output_scale;

        explicit by_reals(const real_prelu_problem& p) noexcept
            : zero(simd::broadcast_int(p.zero_point)),
              output_zero(simd::broadcast_int(p.output_zero_point)),
              scale(simd::broadcast(p.scale)),
              output_scale(simd::broadcast(p.output_scale)) {}
        static floats numbers(const real_prelu_problem& p, std::int64_t channel, std::int64_t count) noexcept {
            return load_part<Isa>(p.slope + channel, count);
        }

        [[gnu::always_inline]] ints operator()(floats slope, ints q) const noexcept {
            const floats x = simd::multiply(scale, simd::to_float(simd::subtract_int(q, zero)));
            const floats y = simd::select(simd::less(x, simd::broadcast(0.0f)), simd::multiply(x, slope), x);
            const floats ratio = simd::divide(y, output_scale);
            const ints sign = simd::sign(simd::bits(ratio));
            const floats size = simd::from_bits(simd::and_int(simd::bits(ratio), simd::broadcast_int(0x7fffffff)));
            // The largest number below 1/2, so that what is below 1/2 stays below 1.
            const floats nearest =
                simd::floor(simd::add(simd::at_most(size, simd::broadcast(1000000.0f)), simd::broadcast(0.49999997f)));
            // Negated where the sign is -1: the bits flipped, + 1.
            const ints rounded = simd::round_to_int(nearest);
            const ints negated = simd::subtract_int(simd::broadcast_int(0), rounded);
            const ints signed_result =
                simd::add_int(rounded, simd::and_int(sign, simd::subtract_int(negated, rounded)));
            return simd::add_int(signed_result, output_zero);
        }
    };

    /// By one line for codes from the zero point on, and one for those below.
    template <bool LargerIsCode>
    struct by_lines {
        struct line {
            floats factor, offset;
            [[gnu::always_inline]] floats at(floats q) const noexcept { return simd::fma(q, factor, offset); }
        };
        line positive;
        floats zero;

        explicit by_lines(const real_prelu_problem& p) noexcept
            : positive{simd::broadcast(p.positive), simd::broadcast(p.positive_offset)},
              zero(simd::broadcast(static_cast<float>(p.zero_point))) {}
        static line numbers(const real_prelu_problem& p, std::int64_t channel, std::int64_t count) noexcept {
            return {load_part<Isa>(p.negative + channel, count),
                    load_part<Isa>(p.negative + p.channels + channel, count)};
        }

        [[gnu::always_inline]] ints operator()(const line& negative, ints code) const noexcept {
            const floats q = simd::to_float(code);
            const floats above = positive.at(q), below = negative.at(q);
            if constexpr (LargerIsCode)
                return simd::round_to_int(simd::at_least(above, below));
            else
                return simd::round_to_int(simd::select(simd::less(q, zero), below, above));
        }
    };

    static constexpr int vectors = 4;

    /// Rows [begin, end) of up to `vectors` vectors of channels from `channel` on.
    template <class Code>
    static void run_columns(const real_prelu_problem& p, std::int64_t channel, std::int64_t begin,
                            std::int64_t end) noexcept {
        const Code code(p);
        const std::int64_t left = p.channels - channel;
        decltype(Code::numbers(p, 0, 0)) number[vectors];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) {
            const std::int64_t rest = left - v * width;
            number[v] = Code::numbers(p, channel + v * width, rest > 0 ? rest : 0);
        }
        const ints low = simd::broadcast_int(-128), high = simd::broadcast_int(127);
        for (std::int64_t r = begin; r < end; ++r) {
            const std::int64_t at = r * p.channels + channel;
            const auto* const from = reinterpret_cast<const unsigned char*>(p.input) + at;
            auto* const to = reinterpret_cast<std::uint8_t*>(p.output) + at;
            const auto code_of = [&](int v) __attribute__((always_inline)) {
                return code(number[v], load_part_of_bytes<Isa, true>(from + v * width, left - v * width));
            };
            if constexpr (byte_lanes<simd>) {
                if (left >= vectors * width) {
                    const auto bytes = simd::template pack<true>(code_of(0), code_of(1), code_of(2), code_of(3));
                    simd::store_first(to, bytes, vectors * width);
                    continue;
                }
            }
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v) {
                if (left <= v * width) break;
                const ints q = simd::min_int(simd::max_int(code_of(v), low), high);
                fixed_store<Isa>::store_one(to + v * width, q, left - v * width);
            }
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/recurrent.hpp
#ifndef LPT_HOLDS_KERNEL_RECURRENT_HPP
#define LPT_HOLDS_KERNEL_RECURRENT_HPP
// LSTM and GRU cells, and sequences of their steps.

namespace lpt::inline LPT_ABI::kernel {

/// The products with all inputs come first, as one matrix product. A step then is a product of the states with the recurrent weights and
/// one pass over its sums. Vectors run along the hidden units; what lies behind the last one belongs to the sequence, and is not read.
template <class Isa>
struct kernel_of<Isa, recurrent_problem> {
    using simd = lanes<Isa>;
    using functions = unary<Isa>;
    using floats = typename simd::floats;
    static constexpr std::int64_t width = simd::width;

    /// Digits of the states of some sequences: a row of bytes and of sums for each digit, and a scale for both.
    struct state_digits {
        float* sums;
        float* scales;
        std::uint8_t* bytes;
    };

    /// The scratch memory of a call.
    struct memory {
        float* inputs;  // [batch][time][directions][gates * hidden]
        float* gates;  // these of [directions][batch]
        float* state;
        float* cell;
        float* reset;
        state_digits digits;  // where states are split

        explicit memory(const recurrent_problem& p) noexcept {
            const std::int64_t sequences = p.batch * p.directions;
            inputs = static_cast<float*>(p.scratch.data);
            gates = inputs + whole_vectors(p.batch * p.time * p.directions * gates_of(p.kind) * p.hidden + 16);
            state = gates + sequences * gate_row(p);
            cell = state + sequences * whole_vectors(p.hidden);
            reset = cell + sequences * whole_vectors(p.hidden);
            digits = {};
            if (!p.splits_states) return;
            digits.sums = reset + sequences * whole_vectors(p.hidden);
            digits.scales = digits.sums + 2 * sequences * gate_row(p);
            digits.bytes = reinterpret_cast<std::uint8_t*>(digits.scales + whole_vectors(sequences));
        }
    };

    /// Sequences [begin, end) of one direction.
    struct share_of_work {
        std::int64_t direction;
        std::int64_t begin;
        std::int64_t end;
    };

    /// A function with its numbers, and the limit of its argument.
    struct limited_function {
        gate_function is;
        float alpha;
        float beta;
        float limit;
    };
    static limited_function gate_of(const recurrent_problem& p) noexcept {
        return {p.gate, p.gate_alpha, p.gate_beta, p.limit};
    }
    static limited_function candidate_of(const recurrent_problem& p) noexcept {
        return {p.candidate, p.candidate_alpha, p.candidate_beta, p.limit};
    }
    static limited_function output_of(const recurrent_problem& p) noexcept {
        return {p.output, p.output_alpha, p.output_beta, __builtin_inff()};
    }

    [[gnu::always_inline]] static floats value_of(const limited_function& f, floats v) noexcept {
        if (f.limit != __builtin_inff())
            v = simd::at_most(simd::at_least(v, simd::broadcast(-f.limit)), simd::broadcast(f.limit));
        switch (f.is) {
            case gate_function::sigmoid: return functions::sigmoid(v);
            case gate_function::tanh: return functions::tanh(v);
            case gate_function::relu: return simd::at_least(v, simd::broadcast(0.0f));
            case gate_function::hard_sigmoid: break;
        }
        const floats line = simd::fma(v, simd::broadcast(f.alpha), simd::broadcast(f.beta));
        return simd::at_most(simd::at_least(line, simd::broadcast(0.0f)), simd::broadcast(1.0f));
    }

    [[gnu::always_inline]] static floats sum_at(const float* a, const float* b, std::int64_t i) noexcept {
        return simd::add(simd::load(a + i), simd::load(b + i));
    }

    /// `inputs`: W x + b of the step; `sums`: R h; both gate after gate.
    static void lstm(const recurrent_problem& p, const float* inputs, const float* sums, float* state,
                     float* cell) noexcept {
        const limited_function gate = gate_of(p);
        const limited_function candidate = candidate_of(p);
        const limited_function output = output_of(p);
        const std::int64_t f = p.gates[0] * p.hidden;
        const std::int64_t i = p.gates[1] * p.hidden;
        const std::int64_t c = p.gates[2] * p.hidden;
        const std::int64_t o = p.gates[3] * p.hidden;
        for (std::int64_t j = 0; j < p.hidden; j += width) {
            const floats open = value_of(gate, sum_at(inputs, sums, i + j));
            const floats keep = p.couples_forget ? simd::subtract(simd::broadcast(1.0f), open)
                                                 : value_of(gate, sum_at(inputs, sums, f + j));
            const floats added = simd::multiply(open, value_of(candidate, sum_at(inputs, sums, c + j)));
            const floats now = simd::fma(keep, simd::load(cell + j), added);
            const floats give = value_of(gate, sum_at(inputs, sums, o + j));
            simd::store(cell + j, now);
            simd::store(state + j, simd::multiply(give, value_of(output, now)));
        }
    }

    /// r * h, which the product with the candidate's weights reads.
    static void reset_state(const recurrent_problem& p, const float* inputs, const float* sums, const float* state,
                            float* reset) noexcept {
        for (std::int64_t j = 0; j < p.hidden; j += width) {
            const floats open = value_of(gate_of(p), sum_at(inputs, sums, p.hidden + j));
            simd::store(reset + j, simd::multiply(open, simd::load(state + j)));
        }
    }

    static void gru(const recurrent_problem& p, const float* hidden_bias, const float* inputs, const float* sums,
                    float* state) noexcept {
        const std::int64_t last = 2 * p.hidden;
        for (std::int64_t j = 0; j < p.hidden; j += width) {
            floats candidate;
            if (p.kind == recurrent_kind::gru) {
                candidate = sum_at(inputs, sums, last + j);
            } else {
                floats sum = simd::load(sums + last + j);
                if (hidden_bias != nullptr) sum = simd::add(sum, load_part<Isa>(hidden_bias + j, p.hidden - j));
                const floats open = value_of(gate_of(p), sum_at(inputs, sums, p.hidden + j));
                candidate = simd::fma(open, sum, simd::load(inputs + last + j));
            }
            candidate = value_of(candidate_of(p), candidate);
            const floats keep = value_of(gate_of(p), sum_at(inputs, sums, j));
            const floats added = simd::multiply(simd::subtract(simd::broadcast(1.0f), keep), candidate);
            simd::store(state + j, simd::fma(keep, simd::load(state + j), added));
        }
    }

    /// W x + b of all steps.
    static void multiply_inputs(const recurrent_problem& p, float* to, const parallel_for& parallel) noexcept {
        gemm_problem product;
        product.m = p.batch * p.time;
        product.n = p.directions * gates_of(p.kind) * p.hidden;
        product.k = p.inputs;
        product.a = p.input;
        product.a_type = p.input_type;
        product.a_row_stride = p.input_rows.step(p.inputs);
        product.a_zero_point = p.input_zero_point;
        product.packed_b = p.packed_input;
        product.c = to;
        product.c_row_stride = product.n;
        product.finish.scale = p.input_scale;
        product.finish.bias = p.input_bias;
        product.finish.output_type = element_kind::f32;
        gemm<Isa>::run(product, parallel);
    }

    /// One sequence in its share of the work.
    struct sequence {
        std::int64_t number;  // among all of all directions, as states lie
        float* gates;
        float* state;
        float* cell;
        float* reset;
        state_digits digits;

        sequence(const recurrent_problem& p, const memory& m, std::int64_t direction, std::int64_t which) noexcept
            : number(which * p.directions + direction) {
            const std::int64_t row = direction * p.batch + which;
            gates = m.gates + row * gate_row(p);
            state = m.state + row * whole_vectors(p.hidden);
            cell = m.cell + row * whole_vectors(p.hidden);
            reset = m.reset + row * whole_vectors(p.hidden);
            digits = {};
            if (!p.splits_states) return;
            digits.sums = m.digits.sums + 2 * row * gate_row(p);
            digits.scales = m.digits.scales + row;
            digits.bytes = m.digits.bytes + 2 * row * digit_row(p);
        }
    };

    /// Weights of states: `columns` columns, their scales where they are bytes.
    struct state_weights {
        const unsigned char* packed;
        const float* scale;
        std::int64_t columns;
    };

    /// Products of `rows` states, those of sequence `first` and of the ones that follow.
    static void multiply_states(const recurrent_problem& p, const sequence& first, const float* states,
                                std::int64_t rows, const state_weights& weights, float* to,
                                const parallel_for& parallel) noexcept {
        if (p.splits_states) return multiply_digits(p, first.digits, states, rows, weights, to, parallel);
        gemm_problem product;
        product.m = rows;
        product.n = weights.columns;
        product.k = p.hidden;
        product.a = states;
        product.a_type = element_kind::f32;
        product.a_row_stride = whole_vectors(p.hidden);
        product.packed_b = weights.packed;
        product.c = to;
        product.c_row_stride = gate_row(p);
        product.finish.output_type = element_kind::f32;
        product.finish.bias_all = -0.0f;  // sums stay as they are
        gemm<Isa>::run(product, parallel);
    }
    static void multiply_digits(const recurrent_problem& p, const state_digits& rows_of_digits, const float* states,
                                std::int64_t rows, const state_weights& weights, float* to,
                                const parallel_for& parallel) noexcept {
        const auto bytes_of_digit = [&](std::int64_t row) { return rows_of_digits.bytes + row * digit_row(p); };
        const auto sums_of_digit = [&](std::int64_t row) { return rows_of_digits.sums + row * gate_row(p); };
        for (std::int64_t row = 0; row < rows; ++row)
            rows_of_digits.scales[row] = digits<Isa>::split(states + row * whole_vectors(p.hidden), p.hidden,
                                                            bytes_of_digit(2 * row), bytes_of_digit(2 * row + 1));
        gemm_problem product;
        product.m = 2 * rows;
        product.n = weights.columns;
        product.k = p.hidden;
        product.a = rows_of_digits.bytes;
        product.a_type = element_kind::u8;
        product.a_zero_point = digits<Isa>::zero_point;
        product.a_row_stride = digit_row(p);
        product.packed_b = weights.packed;
        product.c = rows_of_digits.sums;
        product.c_row_stride = gate_row(p);
        product.finish.scale = weights.scale;
        product.finish.output_type = element_kind::f32;
        gemm<Isa>::run(product, parallel);
        for (std::int64_t row = 0; row < rows; ++row)
            digits<Isa>::join(sums_of_digit(2 * row), sums_of_digit(2 * row + 1), rows_of_digits.scales[row],
                              weights.columns, to + row * gate_row(p));
    }

    static std::int64_t length_of(const recurrent_problem& p, std::int64_t sequence) noexcept {
        if (p.lengths == nullptr) return p.time;
        const unsigned char* const at = static_cast<const unsigned char*>(p.lengths) + sequence * p.length_bytes;
        std::int64_t length = 0;
        if (p.length_bytes == 4) {
            std::int32_t narrow;
            std::memcpy(&narrow, at, sizeof narrow);
            length = narrow;
        } else {
            std::memcpy(&length, at, sizeof length);
        }
        return length < 0 ? 0 : length < p.time ? length : p.time;
    }

    /// Where the state of a step goes.
    static float* every_row(const recurrent_problem& p, std::int64_t number, std::int64_t time) noexcept {
        return p.every + p.every_rows.begin(number * p.time + time, p.hidden);
    }
    static void copy(float* to, const float* from, std::int64_t count) noexcept {
        std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(float));
    }

    /// All steps of a share of the sequences.
    static void walk(const recurrent_problem& p, const memory& m, const share_of_work& work,
                     const parallel_for& parallel) noexcept {
        const std::int64_t d = work.direction;
        const std::int64_t rows = work.end - work.begin;
        const std::int64_t h = p.hidden;
        const sequence first(p, m, d, work.begin);
        std::int64_t longest = 0;
        for (std::int64_t b = work.begin; b < work.end; ++b) {
            const sequence each(p, m, d, b);
            copy(each.state, p.first_hidden + each.number * h, h);
            if (p.kind == recurrent_kind::lstm) copy(each.cell, p.first_cell + each.number * h, h);
            const std::int64_t length = length_of(p, b);
            longest = length > longest ? length : longest;
            for (std::int64_t time = length; time < p.time && p.every != nullptr; ++time)
                std::memset(every_row(p, each.number, time), 0, static_cast<std::size_t>(h) * sizeof(float));
        }
        const bool apart = p.kind == recurrent_kind::gru;
        const float* const scale = p.splits_states ? p.hidden_scale + d * gates_of(p.kind) * h : nullptr;
        const state_weights together{p.packed_hidden + d * p.packed_hidden_bytes, scale,
                                     (apart ? 2 : gates_of(p.kind)) * h};
        const bool backwards = d == 1 || p.reverse;
        const auto inputs_of = [&](std::int64_t b, std::int64_t step) {
            const std::int64_t time = backwards ? length_of(p, b) - 1 - step : step;
            return m.inputs + ((b * p.time + time) * p.directions + d) * gates_of(p.kind) * h;
        };
        for (std::int64_t step = 0; step < longest; ++step) {
            multiply_states(p, first, first.state, rows, together, first.gates, parallel);
            if (apart) {
                for (std::int64_t b = work.begin; b < work.end; ++b) {
                    const sequence each(p, m, d, b);
                    if (step < length_of(p, b))
                        reset_state(p, inputs_of(b, step), each.gates, each.state, each.reset);
                    else
                        copy(each.reset, each.state, h);  // not used, but numbers
                }
                const state_weights candidate{p.packed_candidate + d * p.packed_candidate_bytes,
                                              p.splits_states ? scale + 2 * h : nullptr, h};
                multiply_states(p, first, first.reset, rows, candidate, first.gates + 2 * h, parallel);
            }
            for (std::int64_t b = work.begin; b < work.end; ++b) {
                if (step >= length_of(p, b)) continue;
                const sequence each(p, m, d, b);
                const float* const inputs = inputs_of(b, step);
                if (p.kind == recurrent_kind::lstm)
                    lstm(p, inputs, each.gates, each.state, each.cell);
                else
                    gru(p, p.hidden_bias == nullptr ? nullptr : p.hidden_bias + d * h, inputs, each.gates, each.state);
                const std::int64_t time = backwards ? length_of(p, b) - 1 - step : step;
                if (p.every != nullptr) copy(every_row(p, each.number, time), each.state, h);
            }
        }
        for (std::int64_t b = work.begin; b < work.end; ++b) {
            const sequence each(p, m, d, b);
            if (p.last_hidden != nullptr) copy(p.last_hidden + each.number * h, each.state, h);
            if (p.last_cell != nullptr) copy(p.last_cell + each.number * h, each.cell, h);
        }
    }

    /// Threads take sequences as a whole, or, where there are fewer than threads, share the products of each step.
    static void run(const recurrent_problem& p, const parallel_for& parallel) noexcept {
        const memory m(p);
        multiply_inputs(p, m.inputs, parallel);
        const std::int64_t sequences = p.batch * p.directions;
        if (sequences < parallel.threads || parallel.threads == 1 || steps_of(p) * sequences < least_steps) {
            for (std::int64_t d = 0; d < p.directions; ++d)
                walk(p, m, {d, 0, p.batch}, parallel);
            return;
        }
        split<Isa>(parallel, sequences, 1, [&](std::int64_t begin, std::int64_t end, int) {
            while (begin < end) {
                const std::int64_t d = begin / p.batch;
                const std::int64_t past = end < (d + 1) * p.batch ? end : (d + 1) * p.batch;
                walk(p, m, {d, begin - d * p.batch, past - d * p.batch}, {});
                begin = past;
            }
        });
    }

private:
    static constexpr std::int64_t least_steps =
        8192;  // multiply instructions: a few microseconds, as a round of threads

    /// Multiply instructions of a sequence.
    static std::int64_t steps_of(const recurrent_problem& p) noexcept {
        return p.time * gates_of(p.kind) * p.hidden * p.hidden / width;
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/few_lines.hpp
#ifndef LPT_HOLDS_KERNEL_FEW_LINES_HPP
#define LPT_HOLDS_KERNEL_FEW_LINES_HPP
// Transposing matrices of few rows or few columns: pictures, and channels of a pixel that change places with their groups.

namespace lpt::inline LPT_ABI::kernel {

/// Transposes matrices of `Few` rows or columns, 16 bytes of each line at a time, in the compiler's vectors.
template <class Isa, class Element, int Few>
struct few_lines {
    using vector [[gnu::vector_size(16)]] = Element;
    static constexpr std::int64_t size = 16 / static_cast<std::int64_t>(sizeof(Element));

    /// Whether lines are as long as one step takes.
    static bool fits(std::int64_t length) noexcept { return length >= size; }

    /// Columns `begin` to `end`, `size` at least, of a matrix of few rows, `distance` elements from row to row.
    static void run_rows(const Element* from, std::int64_t distance, std::int64_t begin, std::int64_t end,
                         Element* to) noexcept {
        for (std::int64_t c = begin; c < end; c += size) {
            const std::int64_t first = c + size <= end ? c : end - size;  // the last step overlaps the one before
            vector row[Few];
#pragma GCC unroll 4
            for (int r = 0; r < Few; ++r)
                std::memcpy(&row[r], from + r * distance + first, sizeof(vector));
            interleave(row, to + first * Few, lines());
        }
    }
    /// Rows `begin` to `end`, `size` at least, of a matrix of few columns to rows that are `distance` elements apart.
    static void run_columns(const Element* from, std::int64_t distance, std::int64_t begin, std::int64_t end,
                            Element* to) noexcept {
        for (std::int64_t r = begin; r < end; r += size) {
            const std::int64_t first = r + size <= end ? r : end - size;
            vector part[Few];
#pragma GCC unroll 4
            for (int i = 0; i < Few; ++i)
                std::memcpy(&part[i], from + first * Few + i * size, sizeof(vector));
            separate(part, distance, to + first, lines());
        }
    }

private:
    using lines = std::make_integer_sequence<int, Few>;
    using places = std::make_integer_sequence<int, static_cast<int>(size)>;

    template <int... Part>
    [[gnu::always_inline]] static void interleave(const vector (&row)[Few], Element* to,
                                                  std::integer_sequence<int, Part...>) noexcept {
        (store<from_rows<Part>>(row, to + Part * size), ...);
    }
    template <int... Column>
    [[gnu::always_inline]] static void separate(const vector (&part)[Few], std::int64_t distance, Element* to,
                                                std::integer_sequence<int, Column...>) noexcept {
        (store<from_column<Column>>(part, to + Column * distance), ...);
    }

    /// Place i of vector `Part` of the result is column (Part * size + i) / Few of row (Part * size + i) % Few.
    template <int Part>
    struct from_rows {
        static constexpr int vector_of(int place) noexcept { return (Part * static_cast<int>(size) + place) % Few; }
        static constexpr int place_of(int place) noexcept { return (Part * static_cast<int>(size) + place) / Few; }
    };
    /// Place i of a column is element i * Few + Column of the vectors, one behind the other.
    template <int Column>
    struct from_column {
        static constexpr int vector_of(int place) noexcept { return (place * Few + Column) / static_cast<int>(size); }
        static constexpr int place_of(int place) noexcept { return (place * Few + Column) % static_cast<int>(size); }
    };

    template <class Source>
    [[gnu::always_inline]] static void store(const vector (&from)[Few], Element* to) noexcept {
        vector result = merge<Source, 1>(from[0], from[1], places());
        if constexpr (Few > 2) result = merge<Source, 2>(result, from[2], places());
        if constexpr (Few > 3) result = merge<Source, 3>(result, from[3], places());
        std::memcpy(to, &result, sizeof result);
    }
    /// Puts the elements of vector `Next` into the places that come from it; the first time the others are vector 0 itself.
    template <class Source, int Next, int... Place>
    [[gnu::always_inline]] static vector merge(vector before, vector next,
                                               std::integer_sequence<int, Place...>) noexcept {
        return __builtin_shufflevector(before, next, chosen<Source, Next>(Place)...);
    }
    template <class Source, int Next>
    static constexpr int chosen(int place) noexcept {
        if (Source::vector_of(place) == Next) return static_cast<int>(size) + Source::place_of(place);
        return Next == 1 && Source::vector_of(place) == 0 ? Source::place_of(place) : place;
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/transpose.hpp
#ifndef LPT_HOLDS_KERNEL_TRANSPOSE_HPP
#define LPT_HOLDS_KERNEL_TRANSPOSE_HPP
// Swapping the two inner axes: the change between planes and channel-innermost layouts.

namespace lpt::inline LPT_ABI::kernel {

/// Squares of elements as rows of 16 bytes each, in the compiler's vectors: every processor has such moves.
template <class Isa, class Element>
struct transposed_square {
    using row [[gnu::vector_size(16)]] = Element;
    static constexpr int size = 16 / static_cast<int>(sizeof(Element));

    /// Rows i and i + size / 2 are interleaved; after as many rounds as the size has bits, rows are columns.
    [[gnu::always_inline]] static void run(const Element* from, std::int64_t from_stride, Element* to,
                                           std::int64_t to_stride) noexcept {
        using indices = std::make_integer_sequence<int, size>;
        row rows[size];
#pragma GCC unroll 16
        for (int i = 0; i < size; ++i)
            std::memcpy(&rows[i], from + i * from_stride, sizeof(row));
#pragma GCC unroll 4
        for (int round = 1; round < size; round *= 2) {
            row mixed[size];
#pragma GCC unroll 8
            for (int i = 0; i < size / 2; ++i) {
                mixed[2 * i] = interleave<Isa, false>(rows[i], rows[i + size / 2], indices());
                mixed[2 * i + 1] = interleave<Isa, true>(rows[i], rows[i + size / 2], indices());
            }
#pragma GCC unroll 16
            for (int i = 0; i < size; ++i)
                rows[i] = mixed[i];
        }
#pragma GCC unroll 16
        for (int i = 0; i < size; ++i)
            std::memcpy(to + i * to_stride, &rows[i], sizeof(row));
    }
};

template <class Isa>
struct transpose {
    static constexpr std::int64_t block = 32;  // a block of 32 x 32 elements of both matrices fits in the L1 cache

    static constexpr std::int64_t few_part = 2048;  // lines of two to four elements that are worth a task

    /// A part of a matrix, whose lines are `from_stride` apart, to lines that are `to_stride` apart.
    template <class Element>
    static void run_part(const Element* from, std::int64_t from_stride, Element* to, std::int64_t to_stride,
                         std::int64_t rows, std::int64_t columns) noexcept {
        using square = transposed_square<Isa, Element>;
        std::int64_t c = 0;
        for (; c + square::size <= columns; c += square::size) {
            std::int64_t r = 0;
            for (; r + square::size <= rows; r += square::size)
                square::run(from + r * from_stride + c, from_stride, to + c * to_stride + r, to_stride);
            if (r < rows)
                run_elements(from + r * from_stride + c, from_stride, to + c * to_stride + r, to_stride, rows - r,
                             square::size);
        }
        if (c < columns) run_elements(from + c, from_stride, to + c * to_stride, to_stride, rows, columns - c);
    }
    template <class Element>
    static void run_elements(const Element* from, std::int64_t from_stride, Element* to, std::int64_t to_stride,
                             std::int64_t rows, std::int64_t columns) noexcept {
        for (std::int64_t c = 0; c < columns; ++c) {
            for (std::int64_t r = 0; r < rows; ++r)
                std::memcpy(to + c * to_stride + r, from + r * from_stride + c, sizeof(Element));
        }
    }

    template <class Element>
    static const Element* input_of(const transpose_problem& p, std::int64_t matrix) noexcept {
        return static_cast<const Element*>(p.input) + p.input_rows.begin(matrix * p.rows, p.columns);
    }
    template <class Element>
    static Element* output_of(const transpose_problem& p, std::int64_t matrix) noexcept {
        return static_cast<Element*>(p.output) + p.output_rows.begin(matrix * p.columns, p.rows);
    }

    /// Whether the matrix whose rows are the short ones, input or output, has no gaps.
    static bool has_dense_columns(const transpose_problem& p) noexcept {
        return p.rows <= p.columns ? p.output_rows.step(p.rows) == p.rows : p.input_rows.step(p.columns) == p.columns;
    }
    /// Matrices of `Few` rows, or columns. Long ones are shared by threads in parts.
    template <class Element, int Few>
    static void run_few(const transpose_problem& p, const parallel_for& parallel) noexcept {
        using lines = few_lines<Isa, Element, Few>;
        const std::int64_t length = p.rows * p.columns / Few;
        const std::int64_t from_step = p.input_rows.step(p.columns);
        const std::int64_t to_step = p.output_rows.step(p.rows);
        const std::int64_t parts = length < 2 * few_part ? 1 : length / few_part;
        share_out<Isa>(parallel, p.batch * parts, 1 + few_part / length,
                       [&](std::int64_t begin, std::int64_t end, int) {
                           for (std::int64_t i = begin; i < end; ++i) {
                               const Element* const from = input_of<Element>(p, i / parts);
                               Element* const to = output_of<Element>(p, i / parts);
                               const std::int64_t part = i % parts;
                               const std::int64_t last = part + 1 == parts ? length : (part + 1) * few_part;
                               if (p.rows == Few)
                                   lines::run_rows(from, from_step, part * few_part, last, to);
                               else
                                   lines::run_columns(from, to_step, part * few_part, last, to);
                           }
                       });
    }

    template <class Element>
    static void run_as(const transpose_problem& p, const parallel_for& parallel) noexcept {
        const std::int64_t few = p.rows < p.columns ? p.rows : p.columns;
        const std::int64_t length = p.rows < p.columns ? p.columns : p.rows;
        if (few_lines<Isa, Element, 2>::fits(length) && has_dense_columns(p)) {
            switch (few) {
                case 2: return run_few<Element, 2>(p, parallel);
                case 3: return run_few<Element, 3>(p, parallel);
                case 4: return run_few<Element, 4>(p, parallel);
                default: break;
            }
        }
        const std::int64_t from_step = p.input_rows.step(p.columns);
        const std::int64_t to_step = p.output_rows.step(p.rows);
        // One large matrix is shared by threads in blocks.
        const std::int64_t row_blocks = (p.rows + block - 1) / block;
        const std::int64_t column_blocks = (p.columns + block - 1) / block;
        const std::int64_t blocks = row_blocks * column_blocks;
        share_out<Isa>(parallel, p.batch * blocks, 4, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t i = begin; i < end; ++i) {
                const std::int64_t n = i / blocks;
                const std::int64_t first_row = i % blocks / column_blocks * block;
                const std::int64_t first_column = i % column_blocks * block;
                const std::int64_t row_end = first_row + block < p.rows ? first_row + block : p.rows;
                const std::int64_t column_end = first_column + block < p.columns ? first_column + block : p.columns;
                run_part(input_of<Element>(p, n) + first_row * from_step + first_column, from_step,
                         output_of<Element>(p, n) + first_column * to_step + first_row, to_step, row_end - first_row,
                         column_end - first_column);
            }
        });
    }

    static void run(const transpose_problem& problem, const parallel_for& parallel) noexcept {
        if (problem.element_bytes == 1)
            run_as<std::uint8_t>(problem, parallel);
        else
            run_as<std::uint32_t>(problem, parallel);
    }
};

} // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/resampling.hpp
#ifndef LPT_HOLDS_KERNEL_RESAMPLING_HPP
#define LPT_HOLDS_KERNEL_RESAMPLING_HPP
// Weighted sums of places along an axis: Interpolate, one axis after the other.

namespace lpt::inline LPT_ABI::kernel {

template <class Isa>
struct kernel_of<Isa, resampling_problem> {
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    static constexpr std::int64_t width = simd::width;
    static constexpr std::int64_t block = 64;  // places, and what lies next to them, of a tile that is transposed
    static constexpr std::int64_t least_rows = 4;  // that are worth transposing

    /// What lies next to the places of the input from `first` on.
    struct source {
        const float* elements;
        std::int64_t stride;  // from place to place
        std::int64_t first = 0;

        [[gnu::always_inline]] const float* at(std::int64_t place) const noexcept {
            return elements + (place - first) * stride;
        }
        source advanced(std::int64_t count) const noexcept { return {elements + count, stride, first}; }
    };

    /// The places of outer row `outer` of the input, row `middle` of each.
    static source row_of(const resampling_problem& p, std::int64_t outer, std::int64_t middle = 0) noexcept {
        return {p.input + p.input_rows.begin(outer * p.input_length * p.middle + middle, p.inner),
                p.input_rows.begin(p.middle, p.inner)};
    }
    /// Where a place of an outer row goes; without planes and `middle`.
    static float* place_of(const resampling_problem& p, std::int64_t outer, std::int64_t place) noexcept {
        return p.output + p.output_rows.begin(outer * p.length + place, p.inner);
    }

    /// One place with the few elements next to it.
    static void sum_elements(const resampling_problem& p, std::int64_t place, const source& from, float* to) noexcept {
        for (std::int64_t i = 0; i < p.inner; ++i) {
            float sum = 0;
            for (std::int32_t tap = p.first_taps[place]; tap < p.first_taps[place + 1]; ++tap)
                sum += p.weights[tap] * from.at(p.places[tap])[i];
            to[i] = sum;
        }
    }
    /// Vectors of sums of one place; of the last one `count` elements.
    template <int Vectors>
    [[gnu::always_inline]] static void sum_vectors(const resampling_problem& p, std::int64_t place, const source& from,
                                                   std::int64_t count, float* to) noexcept {
        floats sums[Vectors];
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v)
            sums[v] = simd::broadcast(0);
        for (std::int32_t tap = p.first_taps[place]; tap < p.first_taps[place + 1]; ++tap) {
            const floats weight = simd::broadcast(p.weights[tap]);
            const float* const row = from.at(p.places[tap]);
#pragma GCC unroll 4
            for (int v = 0; v < Vectors; ++v)
                sums[v] = simd::add(sums[v], simd::multiply(weight, load_part<Isa>(row + v * width, count)));
        }
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v)
            store_part<Isa>(to + v * width, sums[v], count);
    }
    /// One place with `count` elements that are next to it.
    static void sum_rows(const resampling_problem& p, std::int64_t place, const source& from, std::int64_t count,
                         float* to) noexcept {
        std::int64_t i = 0;
        for (; i + 4 * width <= count; i += 4 * width)
            sum_vectors<4>(p, place, from.advanced(i), width, to + i);
        for (; i < count; i += width)
            sum_vectors<1>(p, place, from.advanced(i), count - i, to + i);
    }

    /// Some places of row `outer`, to planes.
    static void run_tile(const resampling_problem& p, std::int64_t outer, std::int64_t first) noexcept {
        const source from = row_of(p, outer);
        const std::int64_t plane = p.plane_rows * p.length;
        const std::int64_t row = outer / p.plane_rows * p.inner * plane + outer % p.plane_rows * p.length;
        const std::int64_t places = p.length - first < block ? p.length - first : block;
        alignas(64) float tile[block * block];
        for (std::int64_t i = 0; i < p.inner; i += block) {
            const std::int64_t count = p.inner - i < block ? p.inner - i : block;
            for (std::int64_t place = 0; place < places; ++place)
                sum_rows(p, first + place, from.advanced(i), count, tile + place * block);
            transpose<Isa>::template run_part<float>(tile, block, p.output + row + first + i * plane, plane, places,
                                                     count);
        }
    }

    /// Places [first, end) whose taps lie in [low, high).
    struct tile_places {
        std::int64_t end;
        std::int64_t low;
        std::int64_t high;
    };
    /// As many places of [first, last) as a tile holds together with what they read; none if even the first reads more than a tile holds.
    static tile_places places_of_tile(const resampling_problem& p, std::int64_t first, std::int64_t last) noexcept {
        const std::int64_t most = block / p.inner;
        tile_places result{first, p.input_length, 0};
        for (; result.end < last && result.end - first < most; ++result.end) {
            std::int64_t low = result.low;
            std::int64_t high = result.high;
            for (std::int32_t tap = p.first_taps[result.end]; tap < p.first_taps[result.end + 1]; ++tap) {
                low = p.places[tap] < low ? p.places[tap] : low;
                high = p.places[tap] >= high ? p.places[tap] + 1 : high;
            }
            if (high - low > most) break;
            result.low = low;
            result.high = high;
        }
        return result;
    }

    /// Elements from outer row to outer row, where that is the same for all.
    static std::int64_t row_step(const row_layout& places, std::int64_t length, std::int64_t inner) noexcept {
        return places.begin(length, inner);
    }
    static bool has_equal_rows(const resampling_problem& p) noexcept {
        const auto is_equal = [](const row_layout& places, std::int64_t length) {
            return places.together <= 1 || places.together == length;
        };
        return is_equal(p.input_rows, p.input_length) && is_equal(p.output_rows, p.length);
    }
    /// What a tile reads of `count` outer rows, transposed.
    static void collect(const resampling_problem& p, std::int64_t outer, std::int64_t count, const tile_places& part,
                        float* tile) noexcept {
        const source from = row_of(p, outer);
        const std::int64_t row = row_step(p.input_rows, p.input_length, p.inner);
        const std::int64_t together = from.stride == p.inner ? part.high - part.low : 1;
        for (std::int64_t place = part.low; place < part.high; place += together)
            transpose<Isa>::template run_part<float>(from.at(place), row, tile + (place - part.low) * p.inner * block,
                                                     block, count, together * p.inner);
    }
    /// Places [first, end) of a tile to `count` outer rows.
    static void spread(const resampling_problem& p, std::int64_t outer, std::int64_t count, std::int64_t first,
                       std::int64_t end, const float* tile) noexcept {
        const std::int64_t row = row_step(p.output_rows, p.length, p.inner);
        const std::int64_t together = p.output_rows.step(p.inner) == p.inner ? end - first : 1;
        for (std::int64_t place = first; place < end; place += together)
            transpose<Isa>::template run_part<float>(tile + (place - first) * p.inner * block, block,
                                                     place_of(p, outer, place), row, together * p.inner, count);
    }

    /// Places [first, last) of `count` outer rows with few elements next to each place: vectors run across the rows, which are transposed before and after.
    static void run_across(const resampling_problem& p, std::int64_t outer, std::int64_t count, std::int64_t first,
                           std::int64_t last) noexcept {
        alignas(64) float input[block * block];
        alignas(64) float output[block * block];
        while (first < last) {
            const tile_places part = places_of_tile(p, first, last);
            if (part.end == first) {
                for (std::int64_t row = outer; row < outer + count; ++row)
                    sum_elements(p, first, row_of(p, row), place_of(p, row, first));
                ++first;
                continue;
            }
            if (part.low < part.high) collect(p, outer, count, part, input);
            for (std::int64_t place = first; place < part.end; ++place) {
                for (std::int64_t i = 0; i < p.inner; ++i)
                    sum_rows(p, place, {input + i * block, p.inner * block, part.low}, count,
                             output + ((place - first) * p.inner + i) * block);
            }
            spread(p, outer, count, first, part.end, output);
            first = part.end;
        }
    }

    /// What is next to a place as one row, if there are no gaps in it.
    static resampling_problem joined(resampling_problem p) noexcept {
        const auto is_dense = [&p](const row_layout& rows, std::int64_t length) {
            return rows.together % (length * p.middle) == 0;
        };
        if (is_dense(p.input_rows, p.input_length) && is_dense(p.output_rows, p.length)) {
            p.input_rows.together /= p.middle;
            p.output_rows.together /= p.middle;
            p.inner *= p.middle;
            p.middle = 1;
        }
        return p;
    }

    static void run(const resampling_problem& problem, const parallel_for& parallel) noexcept {
        const resampling_problem p = joined(problem);
        const std::int64_t grain = 1 + 4096 / p.inner;
        if (p.plane_rows != 0) {
            const std::int64_t tiles = (p.length + block - 1) / block;
            share_out<Isa>(parallel, p.outer * tiles, 1 + grain / block,
                           [&p, tiles](std::int64_t begin, std::int64_t end, int) {
                               for (std::int64_t i = begin; i < end; ++i)
                                   run_tile(p, i / tiles, i % tiles * block);
                           });
            return;
        }
        if (p.middle == 1 && p.inner < width && p.outer >= least_rows && has_equal_rows(p)) {
            const std::int64_t rows = (p.outer + block - 1) / block;
            const std::int64_t places = block / p.inner;
            const std::int64_t parts = (p.length + places - 1) / places;
            share_out<Isa>(parallel, rows * parts, 1, [&p, places, parts](std::int64_t begin, std::int64_t end, int) {
                for (std::int64_t i = begin; i < end; ++i) {
                    const std::int64_t outer = i / parts * block;
                    const std::int64_t first = i % parts * places;
                    run_across(p, outer, p.outer - outer < block ? p.outer - outer : block, first,
                               p.length - first < places ? p.length : first + places);
                }
            });
            return;
        }
        share_out<Isa>(parallel, p.outer * p.length * p.middle, grain, [&p](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t i = begin; i < end; ++i) {
                const std::int64_t place = i / p.middle % p.length;
                const source from = row_of(p, i / p.middle / p.length, i % p.middle);
                float* const to = p.output + p.output_rows.begin(i, p.inner);
                if (p.inner == 1)
                    sum_elements(p, place, from, to);
                else
                    sum_rows(p, place, from, p.inner, to);
            }
        });
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/scalar/dense.hpp
#ifndef LPT_HOLDS_KERNEL_SCALAR_DENSE_HPP
#define LPT_HOLDS_KERNEL_SCALAR_DENSE_HPP
// The definition of matrix multiplication and convolution: one output after the other, one product after the other.

namespace lpt::inline LPT_ABI::kernel {

namespace detail {

/// Weights of one output, zero points subtracted: int16 values, or floats.
/// In memory: [output][k], 4 bytes per value for floats and 2 otherwise.
struct scalar_weights {
    static std::int64_t value_bytes(element_kind type) noexcept { return type == element_kind::f32 ? 4 : 2; }

    static void put(void* packed, std::int64_t index, const void* data, element_kind type, std::int64_t from,
                    std::int32_t zero_point) noexcept {
        const unsigned char* bytes = static_cast<const unsigned char*>(data) + from * bytes_of(type);
        unsigned char* to = static_cast<unsigned char*>(packed) + index * value_bytes(type);
        if (type == element_kind::f32) {
            std::memcpy(to, bytes, 4);
            return;
        }
        const std::int32_t raw = type == element_kind::u8 ? static_cast<std::int32_t>(*bytes)
                                                          : static_cast<std::int32_t>(static_cast<std::int8_t>(*bytes));
        const std::int16_t value = static_cast<std::int16_t>(raw - zero_point);
        std::memcpy(to, &value, sizeof value);
    }
};

/// One output's sum, integer or float; `add` takes the products in order.
struct scalar_sum {
    const unsigned char* input;
    element_kind type;
    std::int32_t zero_point;
    const unsigned char* weights;
    std::uint32_t integer = 0;
    float real = 0;

    /// Adds input[at] * weights[k]; `at` < 0 is padding.
    void add(std::int64_t at, std::int64_t k) noexcept {
        if (type == element_kind::f32) {
            float a = 0;
            float w;
            if (at >= 0) std::memcpy(&a, input + at * 4, sizeof a);
            std::memcpy(&w, weights + k * 4, sizeof w);
            real = __builtin_fmaf(a, w, real);
            return;
        }
        if (at < 0) return;
        std::int16_t w;
        std::memcpy(&w, weights + k * 2, sizeof w);
        const std::int32_t raw = type == element_kind::i8
                                     ? static_cast<std::int32_t>(static_cast<std::int8_t>(input[at]))
                                     : static_cast<std::int32_t>(input[at]);
        integer +=
            static_cast<std::uint32_t>(raw - zero_point) * static_cast<std::uint32_t>(static_cast<std::int32_t>(w));
    }

    void finish_into(const epilogue& e, std::int64_t row, std::int64_t channel, void* output,
                     std::int64_t output_stride) const noexcept {
        unsigned char* to =
            static_cast<unsigned char*>(output) + (row * output_stride + channel) * bytes_of(e.output_type);
        if (type == element_kind::f32) {
            finish<on::scalar>::tile(e, &real, 1, 1, row, channel, 1, to, output_stride);
        } else {
            const std::int32_t sum = static_cast<std::int32_t>(integer);
            finish<on::scalar>::tile(e, &sum, 1, 1, row, channel, 1, to, output_stride);
        }
    }
};

} // namespace detail

template <>
struct gemm<on::scalar> {
    static std::size_t packed_bytes(element_kind type, std::int64_t k, std::int64_t n) noexcept {
        return static_cast<std::size_t>(k * n * detail::scalar_weights::value_bytes(type));
    }

    static void pack(const gemm_weights& weights, void* packed, const parallel_for&) noexcept {
        for (std::int64_t n = 0; n < weights.n; ++n) {
            const std::int64_t zero_index = weights.zero_point_count > 1 ? n : 0;
            const std::int32_t zero = weights.zero_point_count > 0 ? weights.zero_points[zero_index] : 0;
            for (std::int64_t k = 0; k < weights.k; ++k) {
                detail::scalar_weights::put(packed, n * weights.k + k, weights.data, weights.type,
                                            k * weights.k_stride + n * weights.n_stride, zero);
            }
        }
    }

    static void run(const gemm_problem& problem, const parallel_for& parallel) noexcept {
        split<on::scalar>(parallel, problem.m, 1, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t m = begin; m < end; ++m) {
                for (std::int64_t n = 0; n < problem.n; ++n)
                    run_output(problem, m, n);
            }
        });
    }

    static void run_output(const gemm_problem& p, std::int64_t m, std::int64_t n) noexcept {
        const unsigned char* weights = static_cast<const unsigned char*>(p.packed_b);
        detail::scalar_sum sum{static_cast<const unsigned char*>(p.a), p.a_type, p.a_zero_point,
                               weights + n * p.k * detail::scalar_weights::value_bytes(p.a_type)};
        for (std::int64_t k = 0; k < p.k; ++k)
            sum.add(m * p.a_row_stride + k, k);
        sum.finish_into(p.finish, m, n, p.c, p.c_row_stride);
    }
};

template <>
struct convolution<on::scalar> {
    using geometry = convolution_geometry<on::scalar>;

    static std::int64_t values_per_output(const convolution_shape& s) noexcept {
        return geometry::taps(s) * geometry::group_in(s);
    }

    static std::size_t packed_bytes(const convolution_shape& s, element_kind type) noexcept {
        return static_cast<std::size_t>(s.out_channels * values_per_output(s) *
                                        detail::scalar_weights::value_bytes(type));
    }

    static void pack(const convolution_shape& s, const convolution_weights& weights, void* packed,
                     const parallel_for&) noexcept {
        std::int64_t index = 0;
        for (std::int64_t o = 0; o < s.out_channels; ++o) {
            const std::int64_t g = o / geometry::group_out(s);
            const std::int64_t zero_index = weights.zero_point_count > 1 ? o : 0;
            const std::int32_t zero = weights.zero_point_count > 0 ? weights.zero_points[zero_index] : 0;
            for (std::int64_t t = 0; t < geometry::taps(s); ++t) {
                for (std::int64_t i = 0; i < geometry::group_in(s); ++i, ++index) {
                    const std::int64_t from = g * weights.group_stride +
                                              o % geometry::group_out(s) * weights.out_stride + i * weights.in_stride +
                                              t * weights.tap_stride;
                    detail::scalar_weights::put(packed, index, weights.data, weights.type, from, zero);
                }
            }
        }
    }

    static std::size_t scratch_bytes(const convolution_shape&, element_kind, int) noexcept { return 0; }
    static convolution_method method(const convolution_shape&) noexcept { return convolution_method::direct; }

    static void run(const convolution_problem& problem, const parallel_for& parallel) noexcept {
        split<on::scalar>(parallel, geometry::pixels(problem.shape), 1, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t row = begin; row < end; ++row) {
                for (std::int64_t o = 0; o < problem.shape.out_channels; ++o)
                    run_output(problem, row, o);
            }
        });
    }

    static void run_output(const convolution_problem& p, std::int64_t row, std::int64_t o) noexcept {
        const convolution_shape& s = p.shape;
        const std::int64_t channels = geometry::group_in(s);
        const std::int64_t first = o / geometry::group_out(s) * channels;
        const unsigned char* weights = static_cast<const unsigned char*>(p.packed_weights);
        detail::scalar_sum sum{static_cast<const unsigned char*>(p.input), p.input_type, p.input_zero_point,
                               weights + o * values_per_output(s) * detail::scalar_weights::value_bytes(p.input_type)};
        geometry::for_each_tap(s, row, [&](std::int64_t tap, std::int64_t pixel) {
            for (std::int64_t i = 0; i < channels; ++i)
                sum.add(pixel < 0 ? -1 : pixel * p.input_pixel_stride + first + i, tap * channels + i);
        });
        sum.finish_into(p.finish, row, o, p.output, p.output_pixel_stride);
    }
};

} // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/scalar/fixed_product.hpp
#ifndef LPT_HOLDS_KERNEL_SCALAR_FIXED_PRODUCT_HPP
#define LPT_HOLDS_KERNEL_SCALAR_FIXED_PRODUCT_HPP
// The definition of small convolutions and matrix products of i8 codes.

namespace lpt::inline LPT_ABI::kernel {

/// In memory: the zero point, the bias, the weights.
template <>
struct fixed_product<on::scalar> {
    using simd = lanes<on::scalar>;
    static constexpr std::int64_t most_products = 32768;

    /// Products of one output.
    static std::int64_t depth(const fixed_product_shape& s) noexcept {
        return s.kernel[0] * s.kernel[1] * (s.depthwise ? 1 : s.in_channels);
    }
    static std::size_t packed_bytes(const fixed_product_shape& s) noexcept {
        if (!has_small_sizes(s)) return 0;
        std::int64_t products = 1;
        for (const std::int64_t each : {s.batch, s.out[0], s.out[1], s.out_channels, s.kernel[0], s.kernel[1],
                                        s.depthwise ? std::int64_t{1} : s.in_channels}) {
            products *= each;
            if (products > most_products) return 0;
        }
        return static_cast<std::size_t>(4 + s.out_channels * (4 + depth(s)));
    }
    static void pack(const fixed_product_shape& s, const fixed_product_weights& from, void* packed) noexcept {
        unsigned char* const to = static_cast<unsigned char*>(packed);
        std::memcpy(to, &from.zero_point, 4);
        std::memcpy(to + 4, from.bias, static_cast<std::size_t>(s.out_channels * 4));
        std::memcpy(to + 4 + s.out_channels * 4, from.data, static_cast<std::size_t>(s.out_channels * depth(s)));
    }

    static void run(const fixed_product_problem& p) noexcept {
        const fixed_product_shape& s = p.shape;
        std::int8_t* to = p.output;
        for (std::int64_t b = 0; b < s.batch; ++b) {
            for (std::int64_t y = 0; y < s.out[0]; ++y) {
                for (std::int64_t x = 0; x < s.out[1]; ++x) {
                    for (std::int64_t o = 0; o < s.out_channels; ++o)
                        *to++ = code_of(p, sum_of(p, b, y, x, o), o);
                }
            }
        }
    }

private:
    static std::int32_t sum_of(const fixed_product_problem& p, std::int64_t b, std::int64_t y, std::int64_t x,
                               std::int64_t o) noexcept {
        const fixed_product_shape& s = p.shape;
        const auto* const packed = static_cast<const unsigned char*>(p.packed);
        const auto* const weights = reinterpret_cast<const std::int8_t*>(packed + 4 + s.out_channels * 4);
        std::int32_t zero_point, sum;
        std::memcpy(&zero_point, packed, sizeof zero_point);
        std::memcpy(&sum, packed + 4 + 4 * o, sizeof sum);
        for (std::int64_t ky = 0; ky < s.kernel[0]; ++ky) {
            const std::int64_t row = y * s.stride[0] - s.pad_begin[0] + ky * s.dilation[0];
            if (row < 0 || row >= s.in[0]) continue;
            for (std::int64_t kx = 0; kx < s.kernel[1]; ++kx) {
                const std::int64_t column = x * s.stride[1] - s.pad_begin[1] + kx * s.dilation[1];
                if (column < 0 || column >= s.in[1]) continue;
                const std::int8_t* const pixel = p.input + ((b * s.in[0] + row) * s.in[1] + column) * s.in_channels;
                const std::int64_t tap = ky * s.kernel[1] + kx;
                if (s.depthwise) {
                    sum = simd::add_int(sum, (pixel[o] - zero_point) * weights[tap * s.out_channels + o]);
                    continue;
                }
                for (std::int64_t c = 0; c < s.in_channels; ++c)
                    sum = simd::add_int(sum, (pixel[c] - zero_point) * weights[o * depth(s) + tap * s.in_channels + c]);
            }
        }
        return sum;
    }

    static std::int8_t code_of(const fixed_product_problem& p, std::int32_t sum, std::int64_t o) noexcept {
        const fixed_point& f = *p.numbers;
        const std::int32_t code = f.real != nullptr
                                      ? simd::add_int(simd::rounded_products(sum, f.real + o), f.zero_point)
                                      : fixed_columns<simd>::load(f, o).scaled(sum);
        return static_cast<std::int8_t>(code < p.low ? p.low : code > p.high ? p.high : code);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/softmax.hpp
#ifndef LPT_HOLDS_KERNEL_SOFTMAX_HPP
#define LPT_HOLDS_KERNEL_SOFTMAX_HPP
// Softmax and its logarithm.

namespace lpt::inline LPT_ABI::kernel {

/// The softmax of rows that are dense in memory.
template <class Isa>
struct softmax_row {
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    using numbers = sixteen<Isa>;

    [[gnu::always_inline]] static float largest(const float* from, std::int64_t length) noexcept {
        const float least = -__builtin_inff();
        numbers most = numbers::broadcast(least);
        std::int64_t i = 0;
        for (; i + numbers::width <= length; i += numbers::width)
            most = numbers::larger(numbers::load(from + i), most);
        if (i < length) most = numbers::larger(numbers::load_first(from + i, length - i, least), most);
        return most.largest();
    }

    /// Writes exp(x - most), where `to` is not null, and gives their sum. Sums of 1024 are added up, so that long ones keep their last bits.
    [[gnu::always_inline]] static float exponentials(const float* from, float* to, std::int64_t length,
                                                     float most) noexcept {
        constexpr std::int64_t piece = 1024;
        const numbers middle = numbers::broadcast(most);
        numbers sum = numbers::broadcast(0);
        for (std::int64_t begin = 0; begin < length; begin += piece) {
            const std::int64_t end = begin + piece < length ? begin + piece : length;
            numbers part = numbers::broadcast(0);
            for (std::int64_t i = begin; i < end; i += numbers::width) {
                const std::int64_t count = end - i;
                const numbers x = numbers::load_first(from + i, count, -__builtin_inff());
                const numbers power = (x - middle).map([](floats v) { return unary<Isa>::exp_of_negative(v); });
                if (to != nullptr) power.store_first(to + i, count);
                part = part + power;
            }
            sum = sum + part;
        }
        return sum.sum();
    }

    static void run(const float* from, float* to, std::int64_t length) noexcept {
        const float sum = exponentials(from, to, length, largest(from, length));
        const numbers factor = numbers::broadcast(1.0f / sum);
        for (std::int64_t i = 0; i < length; i += numbers::width)
            (numbers::load_first(to + i, length - i, 0) * factor).store_first(to + i, length - i);
    }

    static void logarithm(const float* from, float* to, std::int64_t length) noexcept {
        const float most = largest(from, length);
        float sum[simd::width];
        simd::store(sum, unary<Isa>::log(simd::broadcast(exponentials(from, nullptr, length, most))));
        const numbers middle = numbers::broadcast(most);
        const numbers shift = numbers::broadcast(sum[0]);
        for (std::int64_t i = 0; i < length; i += numbers::width) {
            const numbers x = numbers::load_first(from + i, length - i, 0);
            (x - middle - shift).store_first(to + i, length - i);
        }
    }
};

template <class Isa>
struct kernel_of<Isa, softmax_problem> {
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    static constexpr std::int64_t least_elements = 4096;  // worth a task

    static void run(const softmax_problem& p, const parallel_for& parallel) noexcept {
        if (p.length <= 0) return;
        const std::int64_t rows_of_task = least_elements / p.length + 1;
        if (p.inner == 1) {
            share_out<Isa>(parallel, p.outer, rows_of_task, [&p](std::int64_t begin, std::int64_t end, int) {
                for (std::int64_t row = begin; row < end; ++row) {
                    const float* const from = p.input + p.input_rows.begin(row, p.length);
                    float* const to = p.output + p.output_rows.begin(row, p.length);
                    if (p.logarithm)
                        softmax_row<Isa>::logarithm(from, to, p.length);
                    else
                        softmax_row<Isa>::run(from, to, p.length);
                }
            });
            return;
        }
        const std::int64_t blocks = (p.inner + simd::width - 1) / simd::width;
        share_out<Isa>(
            parallel, p.outer * blocks, rows_of_task, [&p, blocks](std::int64_t begin, std::int64_t end, int) {
                for (std::int64_t i = begin; i < end; ++i) {
                    const std::int64_t first = i % blocks * simd::width;
                    const std::int64_t row = i / blocks;
                    run_columns(p, p.input + p.input_rows.begin(row, p.length * p.inner) + first,
                                p.output + p.output_rows.begin(row, p.length * p.inner) + first, p.inner - first);
                }
            });
    }

    /// Columns next to each other, one in each lane, of which `count` are inside.
    static void run_columns(const softmax_problem& p, const float* from, float* to, std::int64_t count) noexcept {
        floats most = simd::broadcast(-__builtin_inff());
        for (std::int64_t i = 0; i < p.length; ++i)
            most = simd::at_least(load_part<Isa>(from + i * p.inner, count), most);
        floats sum = simd::broadcast(0);
        for (std::int64_t i = 0; i < p.length; ++i) {
            const floats x = load_part<Isa>(from + i * p.inner, count);
            const floats power = unary<Isa>::exp_of_negative(simd::subtract(x, most));
            if (!p.logarithm) store_part<Isa>(to + i * p.inner, power, count);
            sum = simd::add(sum, power);
        }
        const floats shift = p.logarithm ? unary<Isa>::log(sum) : simd::divide(simd::broadcast(1.0f), sum);
        for (std::int64_t i = 0; i < p.length; ++i) {
            const floats x = load_part<Isa>((p.logarithm ? from : to) + i * p.inner, count);
            const floats result =
                p.logarithm ? simd::subtract(simd::subtract(x, most), shift) : simd::multiply(x, shift);
            store_part<Isa>(to + i * p.inner, result, count);
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/top_k.hpp
#ifndef LPT_HOLDS_KERNEL_TOP_K_HPP
#define LPT_HOLDS_KERNEL_TOP_K_HPP
// The greatest numbers along an axis, and where they are.

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
#endif

// ======== lpt/kernel/table.hpp
#ifndef LPT_HOLDS_KERNEL_TABLE_HPP
#define LPT_HOLDS_KERNEL_TABLE_HPP
// The table of one instruction set. Include it only in the translation unit that is compiled for that instruction set:
//   #include <lpt/kernel/table.hpp>
//   template const lpt::kernel::kernel_table& lpt::kernel::table_of<lpt::kernel::on::avx2>() noexcept;
// with -ffp-contract=off and the flags of `lpt_add_kernels` (cmake/lpt_kernels.cmake).

namespace lpt::inline LPT_ABI::kernel {

namespace detail {

template <class Isa, class... Problems>
constexpr kernel_entries<problem_list<Problems...>> entries_of(problem_list<Problems...>) noexcept {
    return {{&kernel_of<Isa, Problems>::run}...};
}

}  // namespace detail

/// All kernels of `Isa`.
template <class Isa>
const kernel_table& table_of() noexcept {
    static constexpr kernel_table table{
        .instruction_set = Isa::value,
        .packed_gemm_bytes = &gemm<Isa>::packed_bytes,
        .pack_gemm = &gemm<Isa>::pack,
        .gemm = &gemm<Isa>::run,
        .packed_convolution_bytes = &convolution<Isa>::packed_bytes,
        .pack_convolution = &convolution<Isa>::pack,
        .convolution_scratch_bytes = &convolution<Isa>::scratch_bytes,
        .convolution = &convolution<Isa>::run,
        .method_of_convolution = &convolution<Isa>::method,
        .packed_fixed_product_bytes = &fixed_product<Isa>::packed_bytes,
        .pack_fixed_product = &fixed_product<Isa>::pack,
        .pool = &pool<Isa>::run,
        .binary = &binary<Isa>::run,
        .convert = &convert<Isa>::run,
        .lookup = &lookup<Isa>::run,
        .transpose = &transpose<Isa>::run,
        .others = detail::entries_of<Isa>(problems()),
        .specified = detail::entries_of<Isa>(specified_problems()),
    };
    return table;
}

} // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernels.hpp
#ifndef LPT_HOLDS_KERNELS_HPP
#define LPT_HOLDS_KERNELS_HPP
// The kernels of one instruction set, for programs that are not built with CMake: one file for each instruction set of the architecture,
// which includes nothing else,
//
//   #define LPT_KERNEL_ISA avx2
//   #include <lpt/kernels.hpp>
//
// compiled with -std=c++20 -O2 -ffp-contract=off -fno-exceptions and
//
//   | architecture | LPT_KERNEL_ISA    | flags |
//   | all          | scalar            | |
//   | x86-64       | avx2              | -mavx2 -mfma |
//   |              | avx_vnni          | -mavx2 -mfma -mavxvnni |
//   |              | avx512_vnni_256   | -mavx2 -mfma -mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx512cd -mavx512vnni -mprfchw |
//   |              | avx512_vnni       | the same |
//   | AArch64      | neon              | g++: -fno-schedule-insns |
//   |              | neon_dot          | the same, -march=armv8.2-a+dotprod |
//   |              | neon_i8mm         | the same, -march=armv8.2-a+dotprod+i8mm |
//
// Without -fno-schedule-insns, which clang++ does not need, g++ moves loads to the front of the tiles' loops before it assigns
// registers, and then has too few for the sums.
//
// All of them belong into the program: which one runs is chosen at run time. Never compile other code with these flags beside them; the
// linker could take its functions for those of all processors.

#ifndef LPT_KERNEL_ISA
#define LPT_KERNEL_ISA scalar
#endif

template const lpt::kernel::kernel_table& lpt::kernel::table_of<lpt::kernel::on::LPT_KERNEL_ISA>() noexcept;
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

// ======== lpt/embedded/run.hpp
#ifndef LPT_HOLDS_EMBEDDED_RUN_HPP
#define LPT_HOLDS_EMBEDDED_RUN_HPP
// The steps of embedded networks. Include it only in the translation unit that is compiled for the network's instruction set:
//   #include <digits.hpp>
//   #include <lpt/embedded/run.hpp>
//   template void lpt::embedded::run_network<digits::isa, digits>(const lpt::embedded::memory&) noexcept;
// with the flags of `lpt_add_kernels`; the CMake function `lpt_embed` with EXECUTOR makes it. Everything here is a template on the
// instruction set, so that the linker never puts it in the place of other code.

namespace lpt::inline LPT_ABI::embedded {

/// Operands of a network's steps in the memory of a run, as `kernel/bind.hpp` asks for them.
template <class Isa, class Network>
class operands {
    const memory& where_;

public:
    [[gnu::always_inline]] explicit operands(const memory& where) noexcept : where_(where) {}

    /// The index of each loop of an elementwise step around its pixels and channels.
    template <int Count>
    struct position {
        std::int64_t index[Count + 1] = {};
        [[gnu::always_inline]] static constexpr std::size_t size() noexcept { return Count; }
        [[gnu::always_inline]] constexpr std::int64_t& operator[](std::size_t axis) noexcept { return index[axis]; }
        [[gnu::always_inline]] constexpr std::int64_t operator[](std::size_t axis) const noexcept {
            return index[axis];
        }
    };

    [[gnu::always_inline]] const std::byte* read(const place& at) const noexcept {
        switch (at.where) {
            case area::constants: return reinterpret_cast<const std::byte*>(Network::constants) + at.offset;
            case area::input: return static_cast<const std::byte*>(where_.inputs[at.offset]) + at.part;
            case area::state: return where_.states + at.offset;
            case area::output: return static_cast<const std::byte*>(where_.outputs[at.offset]) + at.part;
            case area::none: return nullptr;
            case area::arena: break;
        }
        return where_.arena + at.offset;
    }
    /// Steps write to the arena, to states and to outputs.
    [[gnu::always_inline]] std::byte* write(const place& at) const noexcept {
        switch (at.where) {
            case area::state: return where_.states + at.offset;
            case area::output: return static_cast<std::byte*>(where_.outputs[at.offset]) + at.part;
            case area::none: return nullptr;
            default: return where_.arena + at.offset;
        }
    }
    [[gnu::always_inline]] const std::byte* read(const operand& from) const noexcept { return read(from.at); }
    [[gnu::always_inline]] std::byte* write(const operand& to) const noexcept { return write(to.at); }
    [[gnu::always_inline]] static std::int64_t row_stride(const place& of, std::int64_t dense) noexcept {
        return of.row_stride == 0 ? dense : of.row_stride;
    }
    [[gnu::always_inline]] static std::int64_t row_stride(const operand& of, std::int64_t dense) noexcept {
        return row_stride(of.at, dense);
    }
    [[gnu::always_inline]] static kernel::element_kind type_of(const operand& of) noexcept { return of.type; }
    [[gnu::always_inline]] static kernel::element_kind kind_of(kernel::element_kind type) noexcept { return type; }
    [[gnu::always_inline]] static const void* packed(const unsigned char* weights) noexcept { return weights; }
    [[gnu::always_inline]] static std::int64_t batches(const product& step) noexcept { return step.batches; }

    template <int Count>
    [[gnu::always_inline]] static kernel::bound_numbers numbers(const embedded::numbers& row,
                                                                const position<Count>& at) noexcept {
        if (row.values == nullptr) return {nullptr, row.all};
        const float* const first = row.values + kernel::offset_at(row.outer, at);
        return row.per_channel ? kernel::bound_numbers{first, *first} : kernel::bound_numbers{nullptr, *first};
    }
    struct post_range {
        const post_step* first;
        const post_step* last;
        [[gnu::always_inline]] const post_step* begin() const noexcept { return first; }
        [[gnu::always_inline]] const post_step* end() const noexcept { return last; }
    };
    [[gnu::always_inline]] static post_range posts(const finish& from) noexcept {
        return {from.posts, from.posts + from.post_count};
    }
    [[gnu::always_inline]] static bool has_residual(const post_step& post) noexcept { return post.has_residual; }

    template <int Count>
    [[gnu::always_inline]] kernel::bound_operand strided(const strided_operand& from, const position<Count>& at,
                                                         std::int64_t more) const noexcept {
        const std::int64_t offset = kernel::offset_at(from.outer, at) + more;
        return {read(from.data) + offset * kernel::bytes_of(from.data.type), from.data.type, from.row, from.channel};
    }
    template <int Count>
    [[gnu::always_inline]] std::byte* target(const strided_operand& to, const position<Count>& at) const noexcept {
        return write(to.data) + kernel::offset_at(to.outer, at) * kernel::bytes_of(to.data.type);
    }
};

/// Runs steps: each calls the kernel that the plan names, with everything but addresses in constants.
template <class Isa, class Network>
class runner {
    static constexpr kernel::parallel_for serial{};
    /// The scalar kernels are one for all types.
    static constexpr bool is_scalar = Isa::value == kernel::isa::scalar;
    template <int Count>
    using position = typename operands<Isa, Network>::template position<Count>;

    const memory& where_;
    operands<Isa, Network> operands_;

    [[gnu::always_inline]] const std::byte* read(const place& at) const noexcept { return operands_.read(at); }
    [[gnu::always_inline]] std::byte* write(const place& at) const noexcept { return operands_.write(at); }

    // ---- steps with kernels

    template <const convolution& Step>
    void run() const noexcept {
        kernel::post_operation posts[Step.finish.post_count + 1];
        const kernel::convolution_problem problem = kernel::bind_convolution(operands_, Step, posts, position<0>());
        if constexpr (is_scalar) {
            kernel::convolution<Isa>::run(problem, serial);
        } else {
            using kernels = kernel::convolution<Isa>;
            kernels::template run_form<kernels::form_of(Step.shape, Step.input.type)>(problem, serial);
        }
    }

    template <const product& Step>
    void run() const noexcept {
        kernel::post_operation posts[Step.finish.post_count + 1];
        kernel::for_each_product(
            operands_, Step, posts, position<0>(), [this](std::int64_t offset) { pack<Step>(offset); },
            [](const kernel::gemm_problem& problem) {
                if constexpr (is_scalar) {
                    kernel::gemm<Isa>::run(problem, serial);
                } else if constexpr (Step.a.type == kernel::element_kind::f32) {
                    kernel::gemm<Isa>::template run_as<kernel::float_arithmetic<Isa>>(problem, serial);
                } else {
                    kernel::gemm<Isa>::template run_as<kernel::integer_arithmetic<Isa>>(problem, serial);
                }
            });
    }
    /// Packs the second operand, unless the step has it packed.
    template <const product& Step>
    void pack(std::int64_t offset) const noexcept {
        if constexpr (Step.packed_matrix_bytes == 0) {
            const kernel::gemm_weights weights = kernel::bind_columns(operands_, Step, offset);
            std::byte* const to = write(Step.scratch);
            if constexpr (is_scalar) {
                kernel::gemm<Isa>::pack(weights, to, {});
            } else if constexpr (Step.a.type == kernel::element_kind::f32) {
                kernel::gemm<Isa>::template pack_as<kernel::float_arithmetic<Isa>>(weights, to, {});
            } else {
                kernel::gemm<Isa>::template pack_as<kernel::integer_arithmetic<Isa>>(weights, to, {});
            }
        }
    }

    template <const pooling& Step>
    void run() const noexcept {
        kernel::post_operation posts[Step.finish.post_count + 1];
        kernel::pool<Isa>::run(kernel::bind_pool(operands_, Step, posts, position<0>()), serial);
    }

    template <const map& Step>
    void run() const noexcept {
        using loops = position<Step.outer_count>;
        kernel::for_each_position(Step.outer, loops(), [this](const loops& at) {
            kernel::post_operation posts[Step.finish.post_count + 1];
            kernel::convert<Isa>::run(kernel::bind_convert(operands_, Step.rows, Step.channels, Step.input, Step.output,
                                                           Step.finish, posts, at),
                                      serial);
        });
    }

    template <const combine& Step>
    void run() const noexcept {
        using loops = position<Step.outer_count>;
        kernel::for_each_position(Step.outer, loops(), [this](const loops& at) {
            kernel::post_operation posts[Step.finish.post_count + 1];
            const kernel::binary_operand a = kernel::bind_operand(operands_, Step.a, Step.a_scale, Step.a_shift, at);
            const kernel::binary_operand b = kernel::bind_operand(operands_, Step.b, Step.b_scale, Step.b_shift, at);
            kernel::binary<Isa>::run(kernel::bind_binary(operands_, Step.function, Step.rows, Step.channels, a, b,
                                                         Step.output, Step.finish, posts, at),
                                     serial);
        });
    }

    template <const lookup& Step>
    void run() const noexcept {
        kernel::lookup<Isa>::run(
            kernel::bind_lookup(operands_, Step.input, Step.output, Step.rows, Step.count, Step.table), serial);
    }

    template <const transpose& Step>
    void run() const noexcept {
        kernel::transpose<Isa>::run(kernel::bind_transpose(operands_, Step), serial);
    }

    template <const auto& Step, class Problem>
    void run_kernel(const kernel_step<Problem>&) const noexcept {
        kernel::kernel_of<Isa, Problem>::run(kernel::bind_problem(operands_, Step), serial);
    }

    // ---- steps that move bytes

    [[gnu::always_inline]] static void move_bytes(std::byte*& to, const void* from, std::int64_t count) noexcept {
        std::memcpy(to, from, static_cast<std::size_t>(count));
        to += count;
    }

    template <const gather& Step>
    void run() const noexcept {
        const std::byte* const from = read(Step.input);
        std::byte* to = write(Step.output);
        for (std::int64_t i = 0; i < Step.count; ++i) {
            if (Step.gap != 0 && i != 0 && i % Step.blocks_in_row == 0) {
                to += Step.gap;
            }
            if (Step.sources[i] >= 0) {
                move_bytes(to, from + Step.sources[i] * Step.element_bytes, Step.block_bytes);
                continue;
            }
            for (std::int64_t done = 0; done < Step.block_bytes; done += Step.element_bytes) {
                move_bytes(to, Step.fill, Step.element_bytes);
            }
        }
    }

    template <const margin& Step>
    void run() const noexcept {
        const std::byte* from = read(Step.input);
        std::byte* to = write(Step.output);
        const auto fill = [&to](std::int64_t pixels) {
            for (std::int64_t i = 0; i < pixels; ++i) {
                move_bytes(to, Step.pixel, Step.pixel_bytes);
            }
        };
        constexpr std::int64_t row = Step.in[2] * Step.pixel_bytes;
        kernel::for_each_part_of_margin(Step, fill, [&from, &to] {
            move_bytes(to, from, row);
            from += row;
        });
    }

    template <const concat& Step>
    void run() const noexcept {
        const std::byte* const place =
            read(Step.output);  // not write(): a part of a network's input has no address for that
        std::int64_t offset = 0;
        for (int i = 0; i < Step.part_count; ++i) {
            const concat_part& part = Step.parts[i];
            const std::byte* const from = read(part.input);
            const bool is_in_place = from == place + offset && (Step.rows == 1 || part.distance == Step.row_bytes);
            for (std::int64_t row = 0; row < Step.rows && !is_in_place; ++row) {
                std::memcpy(write(Step.output) + offset + row * Step.row_bytes, from + row * part.distance,
                            static_cast<std::size_t>(part.bytes));
            }
            offset += part.bytes;
        }
    }

    template <const copy& Step>
    void run() const noexcept {
        if constexpr (Step.state >= 0) {
            if (Step.first_time && where_.set[Step.state]) return;
            where_.set[Step.state] = !Step.first_time;
        }
        std::memmove(write(Step.output), read(Step.input), static_cast<std::size_t>(Step.bytes));
    }

    template <const auto& Step>
    void run_any() const noexcept {
        if constexpr (requires { run_kernel<Step>(Step); })
            run_kernel<Step>(Step);
        else
            run<Step>();
    }

public:
    explicit runner(const memory& where) noexcept : where_(where), operands_(where) {}

    template <const auto&... Steps>
    void run_all(steps<Steps...>) const noexcept {
        (run_any<Steps>(), ...);
    }
    void give_results() const noexcept {
        for (std::size_t i = 0; i < Network::outputs::count; ++i) {
            const std::byte* const from = read(Network::results[i].from);
            if (from != where_.outputs[i]) std::memcpy(where_.outputs[i], from, Network::results[i].bytes);
        }
    }
};

template <class Isa, class Network>
void run_network(const memory& where) noexcept {
    const runner<Isa, Network> all(where);
    all.run_all(typename Network::plan());
    all.give_results();
}

}  // namespace lpt::inline LPT_ABI::embedded
#endif

#pragma GCC diagnostic pop
#endif
