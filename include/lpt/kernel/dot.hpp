// SPDX-License-Identifier: Apache-2.0
// What the dense kernel needs from an instruction set: the dot product of 4 bytes with 4 bytes, which xsimd does not have.
#pragma once

#include <lpt/kernel/isa.hpp>

namespace lpt::kernel {

/// Each instruction set specialises this with
///   accumulator     a vector of `lanes` 32-bit integers. A compiler vector type, not a wrapper: g++ 12 keeps two copies of every
///                   accumulator when the type inside the loop differs from the one after it, three times slower;
///   row_group       4 bytes of a row of A, repeated for all lanes; `repeat` makes it;
///   column_group    4 bytes of each of `lanes` columns of B, [lane][4]; `load_columns` reads it;
///   step            sum[lane] += row[0..3] . column[lane][0..3], exact modulo 2^32;
///   rows, vectors   the tile: rows x (vectors * lanes) accumulators that fit in the registers;
///   unsigned_rows   whether rows are u8 (else i8); columns are always i8. Data of the other kind gets its top bit flipped.
template <class Isa>
struct dot_product;

}  // namespace lpt::kernel
