// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/quantized.hpp>
#include <lpt/import/onnx/scales.hpp>

#include <optional>

/// QuantizeLinear, DequantizeLinear, and operators on integers with scales and zero points.
namespace lpt::inline LPT_ABI::onnx {

/// The element type of an input, integers where it is quantized.
inline element stored_type_at(operation& n, std::size_t port) {
    const value x = n.value_at(port);
    return x.quantized ? x.quantized->how.type : n.type(n.in(port));
}

/// Raises an error for a zero point of another type than the integers that it belongs to.
inline void check_zero_point(operation& n, std::size_t port, std::size_t zero_point) {
    if (!n.has(zero_point)) {
        return;
    }
    const element integers = stored_type_at(n, port);
    const element given = stored_type_at(n, zero_point);
    if (given != integers) {
        n.wrong({"input ", zero_point, ", the zero point, has the type ", lpt::name(given), ", expected ",
                 lpt::name(integers), ", that of input ", port});
    }
}
/// Raises an error for what is no real number of 16 or 32 bits: the standard has no other scales, and quantizes no others.
inline void check_real_of_standard(operation& n, std::size_t port) {
    const element type = n.type(n.in(port));
    if (type != f32 && type != f16 && type != bf16 && type != dynamic) {
        n.wrong({"input ", port, " has the type ", lpt::name(type), ", expected f32, f16 or bf16"});
    }
}
/// True for what DequantizeLinear takes.
inline bool is_quantized_type(element type) {
    return type == i32 || type == f8e4m3 || type == f8e5m2 ||
           (is_integral(type) && type != boolean && bit_width(type) <= 16);
}
/// Raises an error for more or less than one number.
inline void check_is_one_number(operation& n, std::size_t port) {
    if (n.has(port) && n.shape(n.in(port)).is_static() && n.shape(n.in(port)).elements() != 1) {
        n.wrong({"input ", port, " has the shape ", n.shape(n.in(port)), ", expected one number"});
    }
}

/// Scale and zero point at two ports, where both are known. Raises an error for a known scale that has no meaning for its use.
inline std::optional<quantization> known_quantization(operation& n, std::size_t scale, std::size_t zero_point,
                                                      std::int64_t axis, element type, scale_use use) {
    check_scale(n, scale, use);
    if (!n.is_known(scale) || (n.has(zero_point) && !n.is_known(zero_point))) {
        return std::nullopt;
    }
    quantization how;
    how.type = type;
    how.scale = n.known_input(scale);
    if (how.scale.elements() == 0) {
        n.wrong({"has no scale"});
    }
    how.axis = axis;
    if (n.has(zero_point)) {
        how.zero_point = n.known_input(zero_point);
        if (how.zero_point.elements() != how.scale.elements() && how.zero_point.elements() != 1 &&
            how.scale.elements() != 1) {
            n.wrong({"has ", how.scale.elements(), " scales and ", how.zero_point.elements(), " zero points"});
        }
    }
    for (std::size_t i = 0; i < how.scale.elements(); ++i) {
        if (how.scale.real(i) > 3e38) {
            return std::nullopt;  // no bounds: computed as it is written
        }
    }
    return how;
}

/// True if so many scales fit the axis of the data.
inline void check_axis(operation& n, output_ref data, quantization& how) {
    const std::size_t count = math::maximum(how.scale.elements(), how.zero_point ? how.zero_point.elements() : 1);
    if (count == 1) {
        return;
    }
    how.axis = n.axis_of(how.axis, n.rank(data));
    const dimension size = n.shape(data)[static_cast<std::size_t>(how.axis)];
    if (size != dynamic_dimension && size != static_cast<dimension>(count)) {
        n.wrong({"has ", count, " scales or zero points for an axis of size ", size});
    }
}

/// Raises an error unless the numbers of a shape stand for blocks of `block` elements along an axis of the data.
inline void check_blocks(operation& n, const lpt::shape& numbers, const lpt::shape& data, std::size_t axis,
                         std::int64_t block) {
    if (block < 0) {
        n.wrong({"block_size must not be negative, but is ", block});
    }
    if (!numbers.is_static() || !data.is_static()) {
        return;
    }
    lpt::shape expected = data;
    expected[axis] = data[axis] == 0 ? 0 : (data[axis] - 1) / block + 1;
    if (!(numbers == expected)) {
        n.wrong({"has scales or zero points of shape ", numbers, " for blocks of ", block, " along axis ", axis,
                 " of data of shape ", data, ", expected ", expected});
    }
}

/// A scale or zero point that may be computed, in the form that broadcasts to the data.
inline output_ref broadcast_along(operation& n, output_ref numbers, output_ref data, std::int64_t axis,
                                  std::int64_t block) {
    const lpt::shape& own = n.shape(numbers);
    if (block != 0) {
        // Each number stands for a block of elements: gathered by the number of the block.
        const std::int64_t at = n.axis_of(axis, n.rank(data));
        check_blocks(n, own, n.shape(data), static_cast<std::size_t>(at), block);
        const output_ref place = n.counted(n.size_along(data, at));
        op::divide quotient;
        quotient.m_pythondiv = false;
        return n.gather(numbers, n.make(quotient, {place, n.integer_constant(block)}), at);
    }
    if (own.rank_is_static() && (own.rank() == 0 || (own.is_static() && own.elements() == 1))) {
        return own.rank() == 0 ? numbers : n.reshape(numbers, view<std::int64_t>());
    }
    if (own.rank() != 1) {
        return numbers;
    }
    lpt::integers sizes;
    sizes.resize(n.rank(data), 1);
    sizes[static_cast<std::size_t>(n.axis_of(axis, n.rank(data)))] = -1;
    return n.reshape(numbers, sizes);
}

inline value quantized_value(operation& n, output_ref real, const quantization& how) {
    quantized_tensor tensor{how, real, false, false, {}, {}};
    // A FakeQuantize rounds the number of the level, and what transformations join with it; this is divided and rounded first.
    const graph& model = n.builder().model();
    if (!model[real.node].is<op::constant>() && n.reader().reals().is_real(model, real)) {
        const std::size_t rank = detail::rank_of(n.builder(), real);
        const output_ref scale = n.builder().constant(detail::along_axis(how.scale, how.axis, rank));
        tensor.real = n.make(op::round{}, {n.make(op::divide{}, {real, scale})});
        tensor.is_counted = true;
    }
    auto made = std::make_shared<quantized_tensor>(std::move(tensor));
    return {&n.reader(), {}, std::move(made), nullptr};
}

/// Whole numbers limited to those of a type of 8 bits: a FakeQuantize, for which there are kernels that give bytes.
inline output_ref in_bytes(operation& n, output_ref whole, element type) {
    op::fake_quantize what;
    what.levels = 256;
    const output_ref least = n.builder().real(facts(type).lowest);
    const output_ref most = n.builder().real(facts(type).highest);
    return n.convert(n.make(what, {n.convert(whole, f32), least, most, least, most}), f32);
}

/// saturate(round_half_even(x / scale) + zero point), written out.
inline output_ref quantize_as_written(operation& n, output_ref x, output_ref scale, output_ref zero_point, element type,
                                      bool has_two_bits = false) {
    output_ref rounded = n.make(op::round{}, {n.make(op::divide{}, {x, scale})});
    if (zero_point) {
        rounded = n.make(op::add{}, {rounded, zero_point});
    }
    if (bit_width(type) == 8) {
        return n.make(op::convert{type}, {in_bytes(n, rounded, type)});
    }
    const double least = has_two_bits && is_signed(type) ? -2 : facts(type).lowest;
    const double most = has_two_bits ? least + 3 : facts(type).highest;
    return n.convert(n.clamp(rounded, least, most), type);
}

/// Raises an error for what is not quantized to: all but integers of at most 16 bits.
inline void check_quantized_type(operation& n, element type) {
    if (!is_integral(type) || bit_width(type) > 16) {
        n.wrong({"quantizes to ", lpt::name(type), ", expected integers of at most 16 bits"});
    }
}

/// The type that QuantizeLinear gives: that of its zero point, which `output_dtype` must not contradict.
inline element quantized_type_of(operation& n) {
    const std::int64_t declared = n.integer("output_dtype", 0);
    const element type = n.has(2) ? n.type(n.in(2)) : n.type_attribute("output_dtype", u8);
    check_quantized_type(n, type);
    if (declared != 0 && n.has(2) &&
        (element_of(declared) != type || (packed_bits(declared) == 2) != n.value_at(2).has_two_bits)) {
        n.wrong({"output_dtype is ", name_of_type(declared).c_str(), ", but the zero point has the type ",
                 lpt::name(type)});
    }
    return type;
}

inline void read_quantize(operation& n) {
    const std::int64_t axis = n.integer("axis", 1);
    const std::int64_t block = n.integer("block_size", 0);
    const element type = quantized_type_of(n);
    output_ref x = n.in(0);
    for (const std::size_t port : {0u, 1u}) {
        if (n.type(n.in(port)) != i32) {
            check_real_of_standard(n, port);
        }
    }
    const std::int64_t precision = n.integer("precision", 0);
    const element computing = precision != 0                                  ? known_element_of(precision, n.builder())
                              : n.type(n.in(1)) == f32 || !is_real(n.type(x)) ? f32
                                                                              : n.type(n.in(1));
    const bool has_two_bits = n.has(2) ? n.value_at(2).has_two_bits : packed_bits(n.integer("output_dtype", 0)) == 2;
    check_zero_point_shape(n, 1, 2);
    std::optional<quantization> how = known_quantization(n, 1, 2, axis, type, scale_use::quantizes);
    if (how && !has_two_bits && block == 0 && n.type(x) == f32 && computing == f32 && bit_width(type) <= 16 &&
        how->scale.dimensions().rank() < 2) {
        check_axis(n, x, *how);
        n.out_value(0, quantized_value(n, x, *how));
        return;
    }
    x = n.convert(x, computing);
    const output_ref scale = broadcast_along(n, n.convert(n.in(1), computing), x, axis, block);
    const output_ref zero = n.has(2) ? broadcast_along(n, n.convert(n.in(2), computing), x, axis, block) : output_ref();
    value result = n.reader().of(quantize_as_written(n, x, scale, zero, type, has_two_bits));
    result.has_two_bits = has_two_bits;
    n.out_value(0, result);
}

/// What reads quantized data: the second operand of a product of two that are computed, or anything else.
enum class operand { any, second };

/// The real numbers that input `port` stands for with this quantization.
inline output_ref dequantized_input(operation& n, std::size_t port, quantization how, operand as = operand::any) {
    const value x = n.value_at(port);
    if (x.quantized && x.quantized->how == how) {
        return as == operand::second ? n.reader().real_operand_of(x) : n.reader().real_of(x);
    }
    const output_ref integers = n.reader().plain_of(x);
    check_axis(n, integers, how);
    const output_ref real = detail::dequantized(n.builder(), integers, how, f32);
    if (n.known(integers) == nullptr) {
        n.reader().reals().stands_for_integers(n.builder().model(), real);
    }
    return real;
}

/// Known data whose whole blocks along an axis get an axis of their own behind it; else none: numbers are then gathered for each element.
struct data_in_blocks {
    output_ref data;
    lpt::integers numbers;  // the shape of scales and zero points
};
inline std::optional<data_in_blocks> in_blocks(operation& n, output_ref data, std::int64_t axis, std::int64_t block) {
    const tensor* known = n.known(data);
    if (block <= 0 || known == nullptr) {
        return std::nullopt;
    }
    const lpt::shape& whole = known->dimensions();
    const auto at = static_cast<std::size_t>(n.axis_of(axis, whole.rank()));
    if (whole[at] == 0 || whole[at] % block != 0 || whole.rank() + 1 > most_axes) {
        return std::nullopt;
    }
    lpt::shape split = whole;
    split[at] = whole[at] / block;
    data_in_blocks result;
    for (std::size_t i = 0; i < split.rank(); ++i) {
        result.numbers.push_back(split[i]);
    }
    split.insert(at + 1, block);
    result.numbers.insert(at + 1, 1);
    result.data = n.builder().constant(tensor(*known, split));
    return result;
}

/// Known integers of which each block along an axis has its scale and zero point.
inline void read_dequantize_blocks(operation& n, const data_in_blocks& blocks, element result) {
    output_ref real = n.convert(blocks.data, result);
    if (n.has(2)) {
        real = n.make(op::subtract{}, {real, n.reshape(n.convert(n.in(2), result), blocks.numbers)});
    }
    real = n.make(op::multiply{}, {real, n.reshape(n.convert(n.in(1), result), blocks.numbers)});
    lpt::integers sizes;
    for (const dimension size : n.shape(n.in(0)).dimensions()) {
        sizes.push_back(size);
    }
    n.out(n.reshape(real, sizes));
}

inline void read_dequantize(operation& n) {
    const std::int64_t axis = n.integer("axis", 1);
    const std::int64_t block = n.integer("block_size", 0);
    const value x = n.value_at(0);
    const element type = stored_type_at(n, 0);
    if (type != dynamic && !is_quantized_type(type)) {
        n.wrong({"input 0 has the type ", lpt::name(type), ", expected quantized integers or floats of 8 bits"});
    }
    check_zero_point(n, 0, 2);
    check_real_of_standard(n, 1);
    check_zero_point_shape(n, 1, 2);
    const element result = n.type_attribute("output_dtype", n.type(n.in(1)));
    std::optional<quantization> how =
        known_quantization(n, 1, 2, axis, type, block == 0 ? scale_use::dequantizes : scale_use::dequantizes_blocks);
    const bool is_bias = type == i32;
    if (how && block == 0 && !is_bias && result == f32 && is_integral(type) && how->scale.dimensions().rank() < 2) {
        n.out(dequantized_input(n, 0, *how));
        return;
    }
    const output_ref integers = n.in(0);
    if (const std::optional<data_in_blocks> blocks = in_blocks(n, integers, axis, block)) {
        for (std::size_t port = 1; port < (n.has(2) ? 3u : 2u); ++port) {
            check_blocks(n, n.shape(n.in(port)), n.shape(integers),
                         static_cast<std::size_t>(n.axis_of(axis, n.rank(integers))), block);
        }
        read_dequantize_blocks(n, *blocks, result);
        return;
    }
    const output_ref scale = broadcast_along(n, n.convert(n.in(1), result), integers, axis, block);
    output_ref real = n.convert(integers, result);
    if (n.has(2)) {
        const output_ref zero = broadcast_along(n, n.convert(n.in(2), result), integers, axis, block);
        real = n.make(op::subtract{}, {real, zero});
    }
    n.out(n.make(op::multiply{}, {real, scale}));
}

struct dynamically_quantized {
    output_ref bytes;
    output_ref scale;
    output_ref zero_point;  // f32
};

/// Scale and zero point of the range of the data, which always holds 0; the data as u8.
inline dynamically_quantized quantize_by_range(operation& n, output_ref x) {
    const output_ref zero = n.like(x, 0);
    const bool has_rank = n.shape(x).rank_is_static();
    const output_ref all = has_rank ? x : n.reshape(x, view<std::int64_t>({-1}));
    lpt::integers axes;
    for (std::size_t axis = 0; axis < n.rank(all); ++axis) {
        axes.push_back(static_cast<std::int64_t>(axis));
    }
    const output_ref greatest = n.make(op::maximum{}, {n.reduce<op::reduce_max>(all, axes, false), zero});
    const output_ref least = n.make(op::minimum{}, {n.reduce<op::reduce_min>(all, axes, false), zero});
    const output_ref width = n.make(op::subtract{}, {greatest, least});
    const output_ref quotient = n.make(op::divide{}, {width, n.like(x, 255)});
    const output_ref scale = n.make(op::select{}, {n.make(op::equal{}, {quotient, zero}), n.like(x, 1), quotient});
    const output_ref below = n.make(op::divide{}, {n.make(op::subtract{}, {zero, least}), scale});
    const output_ref zero_point = n.clamp(n.make(op::round{}, {below}), 0, 255);
    return {quantize_as_written(n, x, scale, zero_point, u8), scale, zero_point};
}
inline void read_dynamic_quantize(operation& n) {
    const dynamically_quantized made = quantize_by_range(n, n.in(0));
    n.out(0, made.bytes);
    n.out(1, made.scale);
    value zero_point = n.reader().of(n.convert(made.zero_point, u8));
    zero_point.whole = made.zero_point;
    n.out_value(2, zero_point);
}

/// Dequantizes the tensor at `port` with the scale and zero point at two other ports, which may be known only when the network runs.
inline output_ref real_at(operation& n, std::size_t port, std::size_t scale, std::size_t zero_point,
                          std::int64_t axis = 0, operand as = operand::any) {
    check_zero_point(n, port, zero_point);
    check_real_of_standard(n, scale);
    std::optional<quantization> how =
        known_quantization(n, scale, zero_point, axis, stored_type_at(n, port), scale_use::dequantizes);
    if (how) {
        how->scale = evaluation::convert_tensor(how->scale, f32);
        return dequantized_input(n, port, *how, as);
    }
    const output_ref integers = n.in(port);
    output_ref real = n.convert(integers, f32);
    if (n.has(zero_point)) {
        real = n.make(op::subtract{}, {real, broadcast_along(n, n.convert(n.in(zero_point), f32), integers, axis, 0)});
    }
    return n.make(op::multiply{}, {real, broadcast_along(n, n.convert(n.in(scale), f32), integers, axis, 0)});
}

/// Gives a real tensor quantized with the scale and zero point at two ports.
inline void out_quantized(operation& n, output_ref real, std::size_t scale, std::size_t zero_point,
                          element otherwise = u8) {
    const element type = n.has(zero_point) ? n.type(n.in(zero_point)) : otherwise;
    check_real_of_standard(n, scale);
    check_quantized_type(n, type);
    std::optional<quantization> how = known_quantization(n, scale, zero_point, 1, type, scale_use::quantizes);
    if (how) {
        how->scale = evaluation::convert_tensor(how->scale, f32);
        n.out_value(0, quantized_value(n, real, *how));
        return;
    }
    const output_ref zero =
        n.has(zero_point) ? broadcast_along(n, n.convert(n.in(zero_point), f32), real, 1, 0) : output_ref();
    const output_ref step = broadcast_along(n, n.convert(n.in(scale), f32), real, 1, 0);
    n.out(quantize_as_written(n, real, step, zero, type));
}

inline constexpr operator_entry quantization_operators[] = {
    {"", "QuantizeLinear", read_quantize},
    {"", "DequantizeLinear", read_dequantize},
    {"", "DynamicQuantizeLinear", read_dynamic_quantize},
    {"com.microsoft", "QuantizeLinear", read_quantize},
    {"com.microsoft", "DequantizeLinear", read_dequantize},
    {"com.microsoft", "DynamicQuantizeLinear", read_dynamic_quantize},
};

}  // namespace lpt::inline LPT_ABI::onnx
