// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/scales.hpp>

#include <algorithm>

/// MatMulNBits of ONNX Runtime's domain `com.microsoft`: products with weights of few bits.
namespace lpt::inline LPT_ABI::onnx {

/// Bytes seen as numbers of 2, 4 or 8 bits; those of 2 as numbers of 4.
inline tensor seen_as_numbers(operation& n, const tensor& bytes, int bits, const lpt::shape& dimensions) {
    const std::size_t wanted = (dimensions.elements() * static_cast<std::size_t>(bits) + 7) / 8;
    if (bytes.type() != u8 || bytes.elements() != wanted) {
        n.wrong({"has ", bytes.elements(), " numbers of type ", lpt::name(bytes.type()), " for ", dimensions, " of ",
                 bits, " bits, expected ", wanted, " bytes"});
    }
    if (bits == 2) {
        return two_bit_tensor({reinterpret_cast<const char*>(bytes.data()), bytes.elements()}, u4, dimensions);
    }
    tensor_builder result(bits == 4 ? u4 : u8, dimensions);
    std::copy_n(bytes.data(), bytes.elements(), result.data());
    return result.finish();
}

/// What the attributes of MatMulNBits say of its weights, [columns, blocks, numbers].
struct weights_in_blocks {
    std::int64_t rows;
    std::int64_t columns;
    int bits;
    std::int64_t block;
    std::int64_t blocks;

    explicit weights_in_blocks(operation& n)
        : rows(n.integer("K", 0)),
          columns(n.integer("N", 0)),
          bits(static_cast<int>(n.integer("bits", 4))),
          block(n.integer("block_size", 32)) {
        constexpr std::int64_t most = 1 << 24;
        const bool has_size =
            rows >= 1 && columns >= 1 && block >= 1 && rows <= most && columns <= most && block <= most;
        if (!has_size || (bits != 2 && bits != 4 && bits != 8) || block * bits % 8 != 0) {
            n.wrong({"weights of ", rows, " x ", columns, " numbers of ", bits, " bits in blocks of ", block,
                     " are not supported"});
        }
        blocks = (rows + block - 1) / block;
    }
};

/// The zero points as f32, [columns, blocks, 1], or one number for all. Packed ones fill whole bytes in each column.
inline output_ref zero_points_of_blocks(operation& n, const weights_in_blocks& of) {
    if (!n.has(3)) {
        return n.builder().real(1 << (of.bits - 1));
    }
    if (n.type(n.in(3)) != u8) {
        return n.reshape(n.convert(n.in(3), f32), {of.columns, of.blocks, 1});
    }
    const std::int64_t in_byte = 8 / of.bits;
    const std::int64_t stored = (of.blocks + in_byte - 1) / in_byte * in_byte;
    const tensor all = seen_as_numbers(n, n.known_input(3), of.bits, lpt::shape{of.columns, stored, 1});
    return n.convert(n.slice(n.builder().constant(all), 1, 0, of.blocks), f32);
}

/// The block that each row belongs to, which input 4 says: i32 [rows], or as many as the blocks have.
inline output_ref blocks_of_rows(operation& n, const weights_in_blocks& of) {
    const lpt::integers all = n.known_integers(4);
    const auto count = static_cast<std::int64_t>(all.size());
    if (count != of.rows && count != of.blocks * of.block) {
        n.wrong({"input 4 has ", count, " numbers, expected one for each of ", of.rows, " rows"});
    }
    lpt::integers places;
    for (std::int64_t row = 0; row < of.rows; ++row) {
        const std::int64_t block = all[static_cast<std::size_t>(row)];
        if (block < 0 || block >= of.blocks) {
            n.wrong({"row ", row, " belongs to block ", block, ", but there are ", of.blocks});
        }
        places.push_back(block);
    }
    return n.indices(places);
}

/// (number - zero point) * scale, [columns, rows].
inline output_ref dequantized_blocks(operation& n, const weights_in_blocks& of) {
    const tensor numbers = seen_as_numbers(n, n.known_input(1), of.bits, lpt::shape{of.columns, of.blocks, of.block});
    check_scale(n, 2, scale_use::dequantizes_blocks);
    output_ref scales = n.reshape(n.convert(n.in(2), f32), {of.columns, of.blocks, 1});
    output_ref zeros = zero_points_of_blocks(n, of);
    const auto centred = [&](const tensor& stored) {
        return n.make(op::subtract{}, {n.convert(n.builder().constant(stored), f32), zeros});
    };
    if (n.has(4)) {
        const output_ref places = blocks_of_rows(n, of);
        const auto by_rows = [&](output_ref from) {
            return n.gather(n.reshape(from, {of.columns, of.blocks}), places, 1);
        };
        scales = by_rows(scales);
        zeros = n.rank(zeros) == 0 ? zeros : by_rows(zeros);
        const output_ref whole = n.builder().constant(tensor(numbers, lpt::shape{of.columns, of.blocks * of.block}));
        const output_ref real = n.convert(n.slice(whole, 1, 0, of.rows), f32);
        return n.make(op::multiply{}, {n.make(op::subtract{}, {real, zeros}), scales});
    }
    const output_ref weights =
        n.reshape(n.make(op::multiply{}, {centred(numbers), scales}), {of.columns, of.blocks * of.block});
    return of.blocks * of.block == of.rows ? weights : n.slice(weights, 1, 0, of.rows);
}

/// A product with weights of 2, 4 or 8 bits, of which each block of a column has its scale and zero point.
inline void read_product_of_blocks(operation& n) {
    const weights_in_blocks of(n);
    op::mat_mul product;
    product.transpose_b = true;
    const element type = n.type(n.in(0));
    const output_ref weights = dequantized_blocks(n, of);
    output_ref result = n.make(product, {n.convert(n.in(0), f32), weights});
    constexpr std::int64_t level_of_bytes = 4;
    if (n.integer("accuracy_level", 0) == level_of_bytes) {
        n.builder().model().set_mark(result.node, mark::may_round_data);
    }
    result = n.has(5) ? n.make(op::add{}, {result, n.convert(n.in(5), f32)}) : result;
    n.out(n.convert(result, type));
}

/// The numbers that the sixteen codes of a type stand for.
///
/// Source: ONNX Runtime's operator MatMulBnb4; the quantiles of a normal distribution and the floats of four bits of the QLoRA paper.
inline tensor numbers_of_codes(operation& n) {
    constexpr float floats[] = {
        0.0f,  5.208333333e-03f,  0.66666667f,  1.0f,  0.33333333f,  0.5f,  0.16666667f,  0.25f,
        -0.0f, -5.208333333e-03f, -0.66666667f, -1.0f, -0.33333333f, -0.5f, -0.16666667f, -0.25f};
    constexpr float quantiles[] = {-1.0f,
                                   -0.6961928009986877f,
                                   -0.5250730514526367f,
                                   -0.39491748809814453f,
                                   -0.28444138169288635f,
                                   -0.18477343022823334f,
                                   -0.09105003625154495f,
                                   0.0f,
                                   0.07958029955625534f,
                                   0.16093020141124725f,
                                   0.24611230194568634f,
                                   0.33791524171829224f,
                                   0.44070982933044434f,
                                   0.5626170039176941f,
                                   0.7229568362236023f,
                                   1.0f};
    const std::int64_t type = n.integer("quant_type", 1);
    if (type != 0 && type != 1) {
        n.wrong({"quant_type must be 0 (floats of 4 bits) or 1 (quantiles), but is ", type});
    }
    tensor_builder result(f32, lpt::shape{16});
    for (std::size_t i = 0; i < result.elements(); ++i) {
        result.real(i, static_cast<double>(type == 0 ? floats[i] : quantiles[i]));
    }
    return result.finish();
}

/// A product with weights in codes of 4 bits, the first of a byte in its upper half, whose blocks each have a factor.
inline void read_product_of_codes(operation& n) {
    constexpr std::int64_t most = 1 << 24;
    const std::int64_t rows = n.integer("K", 0);
    const std::int64_t columns = n.integer("N", 0);
    const std::int64_t block = n.integer("block_size", 64);
    const tensor& bytes = n.known_input(1);
    const bool has_size = rows >= 1 && columns >= 1 && block >= 1 && rows <= most && columns <= most && block <= most;
    if (!has_size || rows * columns % block != 0 || rows * columns % 2 != 0) {
        n.wrong({"weights of ", rows, " x ", columns, " codes in blocks of ", block, " are not supported"});
    }
    const auto count = static_cast<std::size_t>(rows * columns);
    if (bytes.type() != u8 || bytes.elements() != count / 2) {
        n.wrong({"has ", bytes.elements(), " numbers of type ", lpt::name(bytes.type()), " for ", count,
                 " codes, expected ", count / 2, " bytes"});
    }
    const tensor meaning = numbers_of_codes(n);
    tensor_builder numbers(f32, lpt::shape{rows * columns / block, block});
    for (std::size_t i = 0; i < count; ++i) {
        const auto pair = static_cast<unsigned>(bytes.integer(i / 2));
        numbers.real(i, meaning.real(i % 2 == 0 ? pair >> 4 : pair & 15));
    }
    const output_ref scales = n.reshape(n.convert(n.in(2), f32), {-1, 1});
    const output_ref weights =
        n.reshape(n.make(op::multiply{}, {n.builder().constant(numbers.finish()), scales}), {columns, rows});
    op::mat_mul product;
    product.transpose_b = n.integer("transB", 1) != 0;
    const output_ref data = n.convert(n.in(0), f32);
    n.out(n.convert(n.make(product, {data, weights}), n.type(n.in(0))));
}

inline constexpr operator_entry block_operators[] = {
    {"com.microsoft", "MatMulBnb4", read_product_of_codes},
    {"com.microsoft", "MatMulNBits", read_product_of_blocks},
};

}  // namespace lpt::inline LPT_ABI::onnx
