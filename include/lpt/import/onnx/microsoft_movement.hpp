// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/microsoft.hpp>
#include <lpt/import/onnx/movement.hpp>
#include <lpt/import/onnx/shape.hpp>

/// Operators of ONNX Runtime's domain `com.microsoft` that move elements, or make them of places.
namespace lpt::inline LPT_ABI::onnx {

/// Margins at all beginnings, then at all ends.
inline void read_pad_of_all_axes(operation& n) {
    const output_ref x = n.in(0);
    const auto rank = static_cast<std::int64_t>(n.rank(x));
    const output_ref pads = n.reshape(n.convert(n.in(1), i64), {-1});
    if (n.shape(pads).is_static() && n.shape(pads)[0] != 2 * rank) {
        n.wrong({"has ", n.shape(pads)[0], " margins for ", rank, " axes"});
    }
    op::pad what;
    what.pad_mode = pad_mode_of(n, n.words("mode", "constant"));
    seq<output_ref> inputs{x, n.slice(pads, 0, 0, rank), n.slice(pads, 0, rank, 2 * rank)};
    if (what.pad_mode == op::pad_mode::constant) {
        inputs.push_back(n.reshape(n.in_or(2, 0), view<std::int64_t>()));
    }
    n.out(n.make(what, inputs, 12));
}

inline void read_gather_nd_of_all_axes(operation& n) { n.out(n.make(op::gather_nd{}, {n.in(0), n.in(1)}, 8)); }

/// From a number on, up to another; the step is 1 where it is left out.
inline void read_range_of_numbers(operation& n) {
    op::range what;
    what.output_type = n.type(n.in(0));
    const auto number = [&](output_ref from) { return n.reshape(from, view<std::int64_t>()); };
    n.out(n.make(what, {number(n.in(0)), number(n.in(1)), number(n.in_or(2, 1))}));
}

inline void read_expand_dims(operation& n) {
    n.out(n.make(op::unsqueeze{}, {n.in(0), n.reshape(n.convert(n.in(1), i64), {1})}));
}

inline void read_inverse(operation& n) { n.out(n.make(op::inverse{}, {n.in(0)})); }

/// The distance of each row of one matrix from each of another.
inline void read_distances(operation& n) {
    const std::string_view metric = n.words("metric", "sqeuclidean");
    if (metric != "sqeuclidean" && metric != "euclidean") {
        n.wrong({"metric '", shown(metric), "' is not known"});
    }
    const output_ref a = n.in(0);
    const output_ref b = n.in(1);
    if (n.rank(a) != 2 || n.rank(b) != 2) {
        n.wrong({"needs two matrices, not ", n.shape(a), " and ", n.shape(b)});
    }
    op::mat_mul product;
    product.transpose_b = true;
    const auto squares = [&](output_ref of, bool keep) {
        const output_ref sum = n.reduce<op::reduce_sum>(n.make(op::multiply{}, {of, of}), {1}, keep);
        return sum;
    };
    const output_ref both = n.make(op::add{}, {squares(a, true), squares(b, false)});
    const output_ref shared = n.make(op::multiply{}, {n.make(product, {a, b}), n.like(a, 2)});
    const output_ref distance = n.make(op::maximum{}, {n.make(op::subtract{}, {both, shared}), n.like(a, 0)});
    n.out(metric == "euclidean" ? n.make(op::sqrt{}, {distance}) : distance);
}

/// Where the samples of regions lie along one axis of an image: in elements, [regions, samples].
inline output_ref crop_places(operation& n, output_ref begin, output_ref end, std::int64_t count, dimension size) {
    const auto number = [&](double value) { return n.builder().real(value); };
    const auto last = static_cast<double>(size - 1);
    const auto times = [&](output_ref a, output_ref b) { return n.make(op::multiply{}, {a, b}); };
    const output_ref extent = n.make(op::subtract{}, {end, begin});
    if (count < 2) {
        return times(n.make(op::add{}, {begin, end}), number(0.5 * last));
    }
    const output_ref step = n.make(op::divide{}, {times(extent, number(last)), number(static_cast<double>(count - 1))});
    const output_ref steps = n.unsqueeze(n.counted(n.indices({count}), f32), {0});
    return n.make(op::add{}, {times(begin, number(last)), times(steps, step)});
}

/// Regions of images, resampled to one size; places outside of the image have a value of their own.
inline void read_crop_and_resize(operation& n) {
    const output_ref x = n.in(0);
    const std::string_view mode = n.words("mode", "bilinear");
    if (mode != "bilinear" && mode != "nearest") {
        n.wrong({"mode '", shown(mode), "' is not known"});
    }
    const lpt::integers sizes = n.known_integers(3);
    constexpr std::int64_t most = 1 << 24;
    if (n.rank(x) != 4 || n.rank(n.in(1)) != 2 || sizes.size() != 2 || sizes[0] < 1 || sizes[1] < 1 ||
        sizes[0] > most || sizes[1] > most) {
        n.wrong({"needs images of four axes, regions of two and two positive sizes, not ", n.shape(x), ", ",
                 n.shape(n.in(1)), " and ", sizes.size(), " sizes"});
    }
    output_ref grid[2];  // x, y in [-1, 1]
    output_ref inside;
    for (const std::size_t axis : {0u, 1u}) {
        const dimension size = n.static_size_of(x, axis + 2);
        const auto column = [&](std::int64_t which) { return n.convert(n.slice(n.in(1), 1, which, which + 1), f32); };
        const auto first = static_cast<std::int64_t>(axis);
        output_ref places = crop_places(n, column(first), column(first + 2), sizes[axis], size);
        const auto last = static_cast<double>(size - 1);
        const output_ref is_inside =
            n.make(op::logical_and{}, {n.make(op::greater_equal{}, {places, n.builder().real(0)}),
                                       n.make(op::less_equal{}, {places, n.builder().real(last)})});
        if (mode == "nearest") {
            op::round what;
            what.mode = op::round_mode::half_away_from_zero;
            places = n.make(what, {places});
        }
        const output_ref scaled = n.make(op::multiply{}, {places, n.builder().real(size > 1 ? 2 / last : 0)});
        const output_ref part = n.make(op::subtract{}, {scaled, n.builder().real(1)});
        const lpt::integers as{0, axis == 0 ? sizes[0] : 1, axis == 0 ? 1 : sizes[1]};
        grid[1 - axis] = n.reshape(part, as, true);
        const output_ref shown_inside = n.reshape(is_inside, as, true);
        inside = inside ? n.make(op::logical_and{}, {inside, shown_inside}) : shown_inside;
    }
    const output_ref whole = n.concat({n.indices({1}), n.indices({sizes[0], sizes[1]})}, 0);
    const auto spread = [&](output_ref from) { return n.unsqueeze(n.broadcast(from, whole), {3}); };
    op::grid_sample what;
    what.align_corners = true;
    what.mode = mode == "nearest" ? op::grid_sample_mode::nearest : op::grid_sample_mode::bilinear;
    what.padding_mode = op::grid_sample_padding::border;
    const output_ref images = n.gather(x, n.in(2), 0);
    const output_ref samples = n.make(what, {images, n.concat({spread(grid[0]), spread(grid[1])}, 3)});
    const output_ref otherwise = n.like(samples, n.real("extrapolation_value", 0));
    n.out(n.make(op::select{}, {n.unsqueeze(inside, {1}), samples, otherwise}));
}

/// Parts of a tensor of 4 or 8 bits, of which blocks along another axis have their scale and, perhaps, zero point.
inline void read_gather_of_blocks(operation& n) {
    const std::int64_t bits = n.integer("bits", 4);
    const std::int64_t block = n.integer("block_size", 128);
    check_scale(n, 2, scale_use::dequantizes_blocks);
    output_ref data = n.in(0);
    const bool is_packed = n.type(data) == u8 && bits == 4;
    if ((bits != 4 && bits != 8) || block < 1 || block > (1 << 24)) {
        n.wrong({"blocks of ", block, " numbers of ", bits, " bits are not supported"});
    }
    // Two numbers of four bits to a byte along the last axis.
    const auto unpacked = [&](output_ref bytes) {
        const output_ref whole = n.unsqueeze(n.convert(bytes, i32), {static_cast<std::int64_t>(n.rank(bytes))});
        const output_ref low = n.make(op::bitwise_and{}, {whole, n.integer_constant(15, i32)});
        const output_ref high = n.make(op::bitwise_right_shift{}, {whole, n.integer_constant(4, i32)});
        const output_ref pairs = n.concat({low, high}, static_cast<std::int64_t>(n.rank(bytes)));
        lpt::integers sizes;
        sizes.resize(n.rank(bytes), 0);
        sizes[sizes.size() - 1] = -1;
        return n.reshape(pairs, sizes, true);
    };
    const std::size_t rank = n.rank(data);
    const std::int64_t along = n.axis_of(n.integer("gather_axis", 0), rank);
    const std::int64_t blocks = n.axis_of(n.integer("quantize_axis", 1), rank);
    const auto last = static_cast<std::int64_t>(rank) - 1;
    if (along == blocks || (is_packed && along == last)) {
        n.wrong({"parts along axis ", along, " cannot be taken from blocks along axis ", blocks});
    }
    const auto parts = [&](output_ref from) { return n.gather(from, n.in(1), along); };
    // Behind the gather, an axis that followed the gathered one has moved by the axes of the indices but one.
    const std::int64_t quantized = blocks < along ? blocks : blocks + static_cast<std::int64_t>(n.rank(n.in(1))) - 1;
    data = is_packed ? unpacked(parts(data)) : parts(data);
    const element type = n.type(n.in(2));
    const output_ref place = n.counted(n.size_along(data, quantized));
    const output_ref block_of = n.make(op::divide{}, {place, n.integer_constant(block)});
    const auto by_number = [&](output_ref numbers) { return n.gather(numbers, block_of, quantized); };
    output_ref zero = n.like(n.in(2), n.type(n.in(0)) != u8 ? 0 : bits == 4 ? 8 : 128);
    if (n.has(3)) {
        const output_ref stored = parts(n.in(3));
        zero = n.convert(by_number(is_packed ? unpacked(stored) : stored), type);
    }
    const output_ref centred = n.make(op::subtract{}, {n.convert(data, type), zero});
    n.out(n.make(op::multiply{}, {centred, by_number(parts(n.in(2)))}));
}

inline constexpr operator_entry microsoft_movement_operators[] = {
    {"com.microsoft", "Pad", read_pad_of_all_axes},
    {"com.microsoft", "GatherND", read_gather_nd_of_all_axes, true},
    {"com.microsoft", "Range", read_range_of_numbers},
    {"com.microsoft", "Trilu", read_triangle},
    {"com.microsoft", "ExpandDims", read_expand_dims, true},
    {"com.microsoft", "Inverse", read_inverse},
    {"com.microsoft", "CDist", read_distances},
    {"com.microsoft", "CropAndResize", read_crop_and_resize},
    {"com.microsoft", "GatherBlockQuantized", read_gather_of_blocks},
};

}  // namespace lpt::inline LPT_ABI::onnx
