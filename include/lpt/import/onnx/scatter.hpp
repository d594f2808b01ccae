// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/composed/blocks_to_image.hpp>
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

/// Updates put to places along an axis that are computed.
inline output_ref scattered_along(operation& n, output_ref data, output_ref places, output_ref updates,
                                  std::int64_t axis) {
    using enum op::element_reduction;
    op::scatter_elements_update what;
    switch (scatter_reduction_of(n)) {
        case op::scatter_reduction::sum: what.reduction = sum; break;
        case op::scatter_reduction::prod: what.reduction = prod; break;
        case op::scatter_reduction::min: what.reduction = min; break;
        case op::scatter_reduction::max: what.reduction = max; break;
        default: break;
    }
    return n.make(what, {data, places, updates, n.integer_constant(axis)});
}

inline void read_scatter_elements(operation& n) {
    const output_ref x = n.in(0);
    if (n.shape(x).is_dynamic() || !n.is_known(1)) {
        return n.out(scattered_along(n, x, n.in(1), n.in(2), n.integer("axis", 0)));
    }
    const lpt::shape sizes = n.static_shape(x);
    const std::int64_t axis = n.axis_of(n.integer("axis", 0), sizes.rank());
    const output_ref places = n.reshape(flat_places(n, n.in(1), n.static_shape(n.in(1)), sizes, axis), {-1});
    const output_ref result = scattered(n, n.reshape(x, {-1, 1}), places, n.reshape(n.in(2), {-1, 1}));
    n.out(n.reshape(result, sizes.dimensions()));
}

inline void read_scatter_nd(operation& n) {
    const output_ref x = n.in(0);
    if (n.shape(x).is_dynamic() || !n.is_known(1)) {
        return n.out(n.make(op::scatter_nd_update{scatter_reduction_of(n)}, {x, n.in(1), n.in(2)}));
    }
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
    check_places(n, n.in(1), ends);
    const output_ref places = places_from_front(n, n.in(1), n.indices(ends));
    const output_ref flat = n.reduce<op::reduce_sum>(n.make(op::multiply{}, {places, n.indices(strides)}), {-1}, false);
    const output_ref result =
        scattered(n, n.reshape(x, {-1, columns}), n.reshape(flat, {-1}), n.reshape(n.in(2), {-1, columns}));
    n.out(n.reshape(result, sizes.dimensions()));
}

inline void read_blocks_to_image(operation& n) {
    n.out(composed::blocks_to_image(n, n.in(0), n.convert(n.in(1), i64), n.convert(n.in(2), i64), n.list("strides"),
                                    n.list("dilations"), n.list("pads")));
}

/// Maxima put back to the places that MaxPool gave.
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
    if (n.known(place) == nullptr) {
        place = n.broadcast(place, n.indices(update.dimensions()));
        return n.out(scattered_along(n, cache, place, n.in(1), axis));
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
