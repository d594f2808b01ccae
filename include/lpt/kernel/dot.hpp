// SPDX-License-Identifier: Apache-2.0
// What the dense kernel needs from an instruction set: dot products of a few bytes with a few bytes, which xsimd does not have.
#pragma once

#include <lpt/kernel/isa.hpp>

#include <concepts>

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
