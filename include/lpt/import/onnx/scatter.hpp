// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/movement.hpp>
#include <lpt/tensor/checked.hpp>

/// Operators that put elements at places that other tensors give.
namespace lpt::inline LPT_ABI::onnx {

/// Rows of `updates` put into rows of `data` at known places: a gather with a table made here. The last one counts where several have one place.
inline output_ref rows_gathered(operation& n, output_ref data, const tensor& places, output_ref updates) {
    const dimension rows = n.shape(data)[0];
    lpt::integers from;
    for (dimension i = 0; i < rows; ++i) {
        from.push_back(i);
    }
    for (std::size_t i = 0; i < places.elements(); ++i) {
        const std::int64_t place = places.integer(i);
        if (place < 0 || place >= rows) {
            n.wrong({"place ", place, " is outside of ", rows});
        }
        from[static_cast<std::size_t>(place)] = rows + static_cast<std::int64_t>(i);
    }
    return n.gather(n.concat({data, updates}, 0), n.indices(from), 0);
}

/// What the attribute `reduction` says.
inline op::scatter_reduction scatter_reduction_of(operation& n) {
    using enum op::scatter_reduction;
    const std::string_view how = n.words("reduction", "none");
    for (const auto& [word, reduction] : {std::pair<std::string_view, op::scatter_reduction>{"none", none},
                                          {"add", sum},
                                          {"mul", prod},
                                          {"max", max},
                                          {"min", min}}) {
        if (how == word) {
            return reduction;
        }
    }
    n.wrong({"reduction '", shown(how), "' is not known"});
}

/// `data`, `updates`: [rows, columns].
inline output_ref scattered(operation& n, output_ref data, output_ref places, output_ref updates) {
    constexpr dimension most_rows = 1 << 24;
    const op::scatter_reduction how = scatter_reduction_of(n);
    const dimension rows = n.shape(data)[0];
    const tensor* known = n.known(places);
    if (how == op::scatter_reduction::none && known != nullptr && rows != dynamic_dimension && rows <= most_rows) {
        return rows_gathered(n, data, *known, updates);
    }
    return n.make(op::scatter_nd_update{how}, {data, n.unsqueeze(places, {1}), updates});
}

inline void read_scatter_elements(operation& n) {
    const output_ref x = n.in(0);
    const lpt::shape sizes = n.static_shape(x);
    const std::int64_t axis = n.axis_of(n.integer("axis", 0), sizes.rank());
    const output_ref places = n.reshape(flat_places(n, n.in(1), n.static_shape(n.in(1)), sizes, axis), {-1});
    const output_ref result = scattered(n, n.reshape(x, {-1, 1}), places, n.reshape(n.in(2), {-1, 1}));
    n.out(n.reshape(result, sizes.dimensions()));
}

inline void read_scatter_nd(operation& n) {
    const output_ref x = n.in(0);
    const lpt::shape sizes = n.static_shape(x);
    const lpt::shape indices = n.static_shape(n.in(1));
    const auto depth = static_cast<std::size_t>(indices.rank() == 0 ? 0 : indices[indices.rank() - 1]);
    if (depth > sizes.rank() || depth == 0) {
        n.wrong({"indices of shape ", indices, " do not fit data of shape ", sizes});
    }
    std::int64_t columns = 1;
    for (std::size_t axis = depth; axis < sizes.rank(); ++axis) {
        columns *= sizes[axis];
    }
    lpt::integers strides;
    strides.resize(depth, 1);
    for (std::size_t axis = depth - 1; axis-- > 0;) {
        strides[axis] = strides[axis + 1] * sizes[axis + 1];
    }
    lpt::integers ends;
    for (std::size_t axis = 0; axis < depth; ++axis) {
        ends.push_back(sizes[axis]);
    }
    const output_ref places = places_from_front(n, n.in(1), n.indices(ends));
    const output_ref flat = n.reduce<op::reduce_sum>(n.make(op::multiply{}, {places, n.indices(strides)}), {-1}, false);
    const output_ref result =
        scattered(n, n.reshape(x, {-1, columns}), n.reshape(flat, {-1}), n.reshape(n.in(2), {-1, columns}));
    n.out(n.reshape(result, sizes.dimensions()));
}

/// Maxima put back to the places that MaxPool gave.
/// 1 where a place of a block and the place of the block meet an element of the image, along one axis: [places in both, elements].
inline output_ref meetings(operation& n, output_ref block, output_ref blocks, output_ref size, std::int64_t stride,
                           std::int64_t dilation, std::int64_t pad) {
    const auto times = [&](output_ref from, std::int64_t factor) {
        return n.make(op::multiply{}, {n.counted(from), n.integer_constant(factor)});
    };
    const output_ref place =
        n.make(op::add{}, {n.unsqueeze(times(block, dilation), {1}), n.unsqueeze(times(blocks, stride), {0})});
    const output_ref element = n.make(op::add{}, {n.counted(size), n.integer_constant(pad)});
    const output_ref meets = n.make(op::equal{}, {n.unsqueeze(place, {2}), n.unsqueeze(element, {0, 1})});
    return n.make(op::reshape{}, {n.convert(meets, f32), n.concat({n.indices({-1}), size}, 0)});
}

/// Blocks of an image, one a column, added up where they lie over each other: the opposite of taking them from the image.
inline void read_blocks_to_image(operation& n) {
    const output_ref x = n.in(0);
    const output_ref image = n.convert(n.in(1), i64);
    const output_ref block = n.convert(n.in(2), i64);
    const auto axes = n.static_shape(image).elements();
    lpt::integers strides = n.list("strides");
    lpt::integers dilations = n.list("dilations");
    lpt::integers pads = n.list("pads");
    strides.resize(strides.empty() ? axes : strides.size(), 1);
    dilations.resize(dilations.empty() ? axes : dilations.size(), 1);
    pads.resize(pads.empty() ? 2 * axes : pads.size(), 0);
    constexpr std::size_t most = 4;
    if (n.rank(x) != 3 || axes == 0 || axes > most || strides.size() != axes || dilations.size() != axes ||
        pads.size() != 2 * axes || n.static_shape(block).elements() != axes) {
        n.wrong({"strides, dilations, pads and blocks must fit the ", axes,
                 " axes of the image, and data must have three"});
    }
    seq<output_ref> matrices;
    seq<output_ref> sizes{n.indices({0, -1}), block};
    lpt::integers order{0, 1};
    for (std::size_t i = 0; i < axes; ++i) {
        const auto at = static_cast<std::int64_t>(i);
        constexpr std::int64_t most_step = 1 << 30;
        const std::int64_t pad = math::minimum(pads[i], pads[i + axes]);
        const std::int64_t greatest =
            math::maximum(math::maximum(strides[i], dilations[i]), math::maximum(pads[i], pads[i + axes]));
        if (strides[i] < 1 || dilations[i] < 1 || pad < 0 || greatest > most_step) {
            n.wrong({"strides and dilations must be positive, pads not negative, and all at most ", most_step});
        }
        const output_ref size = n.slice(image, 0, at, at + 1);
        const output_ref own = n.slice(block, 0, at, at + 1);
        const auto number = [&](std::int64_t value) { return n.indices({value}); };
        const output_ref reach =
            n.make(op::multiply{}, {n.make(op::subtract{}, {own, number(1)}), number(dilations[i])});
        const output_ref room =
            n.make(op::subtract{}, {n.make(op::add{}, {size, number(pads[i] + pads[i + axes] - 1)}), reach});
        const output_ref blocks = n.make(op::add{}, {n.make(op::divide{}, {room, number(strides[i])}), number(1)});
        matrices.push_back(n.convert(meetings(n, own, blocks, size, strides[i], dilations[i], pads[i]), n.type(x)));
        sizes.push_back(blocks);
        order.push_back(at + 2);
        order.push_back(at + 2 + static_cast<std::int64_t>(axes));
    }
    output_ref result = n.transpose(n.make(op::reshape{true}, {x, n.concat(sizes, 0)}), order);
    for (std::size_t i = axes; i-- > 0;) {
        const std::size_t rank = n.rank(result);
        lpt::integers together(rank - 1, 0);
        together[rank - 2] = -1;
        lpt::integers moved{0, 1, static_cast<std::int64_t>(rank) - 2};
        for (std::size_t axis = 2; axis + 2 < rank; ++axis) {
            moved.push_back(static_cast<std::int64_t>(axis));
        }
        result = n.transpose(n.make(op::mat_mul{}, {n.reshape(result, together, true), matrices[i]}), moved);
    }
    n.out(result);
}

inline void read_max_unpool(operation& n) {
    const lpt::shape data = n.static_shape(n.in(0));
    const lpt::integers kernel = n.list("kernel_shape");
    lpt::integers strides = n.list("strides");
    lpt::integers pads = n.list("pads");
    strides.resize(kernel.size(), 1);
    pads.resize(2 * kernel.size(), 0);
    if (data.rank() != kernel.size() + 2) {
        n.wrong({"a kernel over ", kernel.size(), " axes does not fit data of shape ", data});
    }
    lpt::shape sizes = data;
    checked extent = checked(math::maximum(data[0], dimension{1})) * math::maximum(data[1], dimension{1});
    for (std::size_t i = 0; i < kernel.size(); ++i) {
        const checked size = (checked(data[i + 2]) - 1) * strides[i] + kernel[i] - pads[i] - pads[i + kernel.size()];
        extent = extent * math::maximum(size.value(), dimension{1});  // axes of size 0 left out
        if (!size.fits() || size.value() < 0 || !extent.is_within(1, std::int64_t{1} << 47)) {
            n.wrong({"kernel, strides and pads give no size that axis ", i + 2, " of the output can have"});
        }
        sizes[i + 2] = size.value();
    }
    if (n.has(2)) {
        const output_ref wanted = n.convert(n.in(2), i64);
        if (!(n.static_shape(wanted) == lpt::shape{static_cast<dimension>(sizes.rank())})) {
            n.wrong({"the output shape (input 2) must be ", sizes.rank(), " numbers, not a tensor of shape ",
                     n.shape(wanted)});
        }
        std::int64_t stride = 1;
        const output_ref place = n.reshape(n.in(1), {-1});
        output_ref moved = n.integer_constant(0);
        output_ref wide = n.indices({1});
        for (std::size_t axis = sizes.rank(); axis-- > 0;) {
            const auto at = static_cast<std::int64_t>(axis);
            const output_ref along = n.make(op::floor_mod{}, {n.make(op::divide{}, {place, n.integer_constant(stride)}),
                                                              n.integer_constant(sizes[axis])});
            moved = n.make(op::add{}, {moved, n.make(op::multiply{}, {along, wide})});
            stride *= sizes[axis];
            wide = n.make(op::multiply{}, {wide, n.slice(wanted, 0, at, at + 1)});
        }
        const output_ref zeros = n.broadcast(n.like(n.in(0), 0), n.concat({wide, n.indices({1})}, 0));
        return n.out(n.make(op::reshape{}, {scattered(n, zeros, moved, n.reshape(n.in(0), {-1, 1})), wanted}));
    }
    std::int64_t count = 1;
    for (const dimension size : sizes) {
        count *= size;
    }
    const output_ref zeros = n.broadcast(n.like(n.in(0), 0), n.indices({count, 1}));
    n.out(n.reshape(scattered(n, zeros, n.reshape(n.in(1), {-1}), n.reshape(n.in(0), {-1, 1})), sizes.dimensions()));
}

/// Places of a cache, along an axis, overwritten from a place on that each row of the batch has; `circular` begins anew at the end.
inline void read_tensor_scatter(operation& n) {
    const output_ref cache = n.in(0);
    const lpt::shape sizes = n.static_shape(cache);
    const std::int64_t axis = n.axis_of(n.integer("axis", -2), sizes.rank());
    const lpt::shape update = n.static_shape(n.in(1));
    if (sizes.rank() == 0 || update.rank() != sizes.rank()) {
        n.wrong({"needs a cache and an update with as many axes, not ", sizes, " and ", update});
    }
    lpt::integers as;
    as.resize(sizes.rank(), 1);
    lpt::integers along = as;
    as[0] = -1;
    along[static_cast<std::size_t>(axis)] = -1;
    output_ref place = n.reshape(n.counted(n.indices({update[static_cast<std::size_t>(axis)]})), along);
    if (n.has(2)) {
        place = n.make(op::add{}, {place, n.reshape(n.convert(n.in(2), i64), as)});
    }
    if (n.words("mode", "linear") == "circular") {
        place = n.make(op::floor_mod{}, {place, n.integer_constant(sizes[static_cast<std::size_t>(axis)])});
    }
    const output_ref places = n.reshape(flat_places(n, place, update, sizes, axis), {-1});
    const output_ref result = scattered(n, n.reshape(cache, {-1, 1}), places, n.reshape(n.in(1), {-1, 1}));
    n.out(n.reshape(result, sizes.dimensions()));
}

inline constexpr operator_entry scatter_operators[] = {
    {"", "ScatterElements", read_scatter_elements},
    {"", "Scatter", read_scatter_elements},
    {"", "ScatterND", read_scatter_nd},
    {"", "Col2Im", read_blocks_to_image},
    {"", "MaxUnpool", read_max_unpool},
    {"", "TensorScatter", read_tensor_scatter},
};

}  // namespace lpt::inline LPT_ABI::onnx
