// SPDX-License-Identifier: Apache-2.0
// What the dense kernel needs from an instruction set: dot products of a few bytes with a few bytes, which xsimd does not have.
#pragma once

#include <lpt/kernel/isa.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// Each instruction set specialises this with
///   accumulator     a vector of `lanes` 32-bit integers. A compiler vector type, not a wrapper: g++ 12 keeps two copies of every
///                   accumulator when the type inside the loop differs from the one after it, three times slower;
///   group           consecutive k values that one step takes: 4, or 2 where bytes are widened to 16 bits first, or 8 where matrices of
///                   bytes are multiplied; those have a tile of their own, and `step` is for packing alone;
///   row_value_bytes bytes of a k value of a row as the step reads it: 1, or 2 where rows are widened;
///   row_group       `group` values of a row of A, repeated for all lanes; `load_row` reads their bytes, wherever they lie;
///   column_group    `group` bytes of each of `lanes` columns of B, [lane][group]; `load_columns` reads it;
///   load_halves     column groups of four unsigned bits: the low or (`High`) the high halves of `lanes * group` bytes;
///   step            sum[lane] += row[0..group) . column[lane][0..group), exact modulo 2^32;
///   rows, vectors   the tile: rows x (vectors * lanes) accumulators that fit in the registers;
///   unsigned_rows   whether rows are u8 (else i8), where they are not widened; columns are always i8;
///   widens_rows     whether rows are widened, and then may be of either sign;
///   either_sign     whether rows that are not widened may be of either sign;
///   prepare_rows    copies `count` values of a row, of the sign that it is told, into the form that `load_row` reads: widened, or
///                   with all top bits flipped when the sign is not the one of `unsigned_rows`. Writes nothing past the last group, whose
///                   end may have any value, and reads nothing past the last value;
///   row_block       optional: four k groups of a row; `load_row_block` reads their bytes, `step_picked<Group>` takes one of them;
///   interleave      16 columns of `group` rows of B, from column n on, as [column][group];
///   interleave_block  where `group` is 4: the same for the first `count` of 4 * lanes columns, with the bits of `flip` flipped, zeros
///                   after them, interleaved inside 128-bit parts;
///   settle          keeps an accumulator in its register between the loop and what follows (see accumulator);
///   bits            an accumulator as the register type that `lanes<Isa>::ints` is made from.
template <class Isa>
struct dot_product;

/// Dot products of four bytes where the instruction set has them besides longer ones; else `dot_product` itself.
template <class Isa>
struct dot_of_four : dot_product<Isa> {};

}  // namespace lpt::inline LPT_ABI::kernel
