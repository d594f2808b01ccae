// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/operation.hpp>

/// Operators that move elements.
namespace lpt::inline LPT_ABI::onnx {

inline void read_reshape(operation& n) {
    op::reshape what;
    what.special_zero = !n.flag("allowzero");
    n.out(n.make(what, {n.in(0), n.in(1)}));
}

/// Two axes: those before `axis`, and the others.
inline void read_flatten(operation& n) {
    const output_ref x = n.in(0);
    const std::int64_t axis = n.integer("axis", 1);
    const auto rank = static_cast<std::int64_t>(n.rank(x));
    const std::int64_t at = axis < 0 ? axis + rank : axis;
    if (at < 0 || at > rank) {
        n.wrong({"axis ", axis, " is outside the ", rank, " axes of the input"});
    }
    if (n.shape(x).is_static()) {
        std::int64_t rows = 1;
        std::int64_t columns = 1;
        for (std::size_t i = 0; i < n.shape(x).rank(); ++i) {
            (static_cast<std::int64_t>(i) < at ? rows : columns) *= n.shape(x)[i];
        }
        if (rows != 0 && columns != 0 && at == 1) {
            return n.out(n.reshape(x, {0, -1}, true));  // whatever the size of the batch
        }
        return n.out(n.reshape(x, {rows, columns}));
    }
    if (at == 1) {
        return n.out(n.reshape(x, {0, -1}, true));
    }
    const output_ref sizes = n.shape_of(x);
    const output_ref front = at == 0 ? n.indices({1}) : n.reduce<op::reduce_prod>(n.slice(sizes, 0, 0, at), {0}, true);
    n.out(n.make(op::reshape{}, {x, n.concat({front, n.indices({-1})}, 0)}));
}

/// Axes as an input from version 13 on, as an attribute before.
inline output_ref axes_input(operation& n, std::size_t port) {
    if (n.has(port)) {
        return n.convert(n.in(port), i64);
    }
    return n.has_attribute("axes") ? n.indices(n.list("axes")) : output_ref();
}

inline void read_squeeze(operation& n) {
    const output_ref axes = axes_input(n, 1);
    n.out(axes ? n.make(op::squeeze{}, {n.in(0), axes}, 0) : n.make(op::squeeze{}, {n.in(0)}, 0));
}
inline void read_unsqueeze(operation& n) {
    const output_ref axes = axes_input(n, 1);
    if (!axes) {
        n.wrong({"has no axes"});
    }
    n.out(n.make(op::unsqueeze{}, {n.in(0), axes}));
}

inline void read_transpose(operation& n) {
    lpt::integers order = n.list("perm");
    if (order.empty()) {
        for (std::size_t axis = n.rank(n.in(0)); axis-- > 0;) {
            order.push_back(static_cast<std::int64_t>(axis));
        }
    }
    n.out(order.empty() ? n.in(0) : n.transpose(n.in(0), order));
}

inline void read_concat(operation& n) {
    if (n.version() >= 4 && !n.has_attribute("axis")) {
        n.wrong({"attribute axis is missing"});
    }
    seq<output_ref> parts;
    for (std::size_t port = 0; port < n.inputs(); ++port) {
        parts.push_back(n.in(port));
    }
    n.out(n.concat(parts, n.integer("axis", 1)));
}

inline void read_split(operation& n) {
    const output_ref x = n.in(0);
    const std::int64_t axis = n.axis_of(n.integer("axis", 0), n.rank(x));
    const auto count = static_cast<std::int64_t>(n.outputs());
    const dimension size = n.shape(x)[static_cast<std::size_t>(axis)];
    lpt::integers lengths = n.list("split");
    if (lengths.empty() && !n.has(1)) {
        if (size == dynamic_dimension || count == 0) {
            op::split what;
            what.num_splits = count;
            const node_id made = n.make_node(what, {x, n.integer_constant(axis)});
            for (std::int32_t port = 0; port < count; ++port) {
                n.out(static_cast<std::size_t>(port), output_ref(made, port));
            }
            return;
        }
        const std::int64_t length = (size + count - 1) / count;
        for (std::int64_t i = 0; i < count; ++i) {
            lengths.push_back(math::maximum<std::int64_t>(0, math::minimum(length, size - i * length)));
        }
    }
    const output_ref parts = lengths.empty() ? n.in(1) : n.indices(lengths);
    const node_id made = n.make_node(op::variadic_split{}, {x, n.integer_constant(axis), parts});
    if (n.builder().model()[made].outputs() < n.outputs()) {
        n.wrong({"has ", n.outputs(), " outputs, but is split into ", n.builder().model()[made].outputs()});
    }
    for (std::int32_t port = 0; port < count; ++port) {
        n.out(static_cast<std::size_t>(port), output_ref(made, port));
    }
}

inline void read_slice(operation& n) {
    const output_ref x = n.in(0);
    if (n.version() < 10) {
        const lpt::integers starts = n.list("starts");
        const output_ref steps = n.indices(lpt::integers(starts.size(), 1));
        if (n.has_attribute("axes")) {
            n.out(n.make(op::slice{},
                         {x, n.indices(starts), n.indices(n.list("ends")), steps, n.indices(n.list("axes"))}));
        } else {
            n.out(n.make(op::slice{}, {x, n.indices(starts), n.indices(n.list("ends")), steps}));
        }
        return;
    }
    const output_ref starts = n.in(1);
    output_ref steps;
    if (n.has(4)) {
        steps = n.in(4);
    } else {
        steps = n.broadcast(n.like(starts, 1), n.shape_of(starts));
    }
    if (n.has(3)) {
        n.out(n.make(op::slice{}, {x, starts, n.in(2), steps, n.in(3)}));
    } else {
        n.out(n.make(op::slice{}, {x, starts, n.in(2), steps}));
    }
}

inline void read_gather(operation& n) { n.out(n.gather(n.in(0), n.in(1), n.integer("axis", 0))); }

inline void read_gather_nd(operation& n) {
    op::gather_nd what;
    what.batch_dims = n.integer("batch_dims", 0);
    n.out(n.make(what, {n.in(0), n.in(1)}, 8));
}

/// Places along an axis, counted from the front.
inline output_ref places_from_front(operation& n, output_ref places, output_ref size) {
    places = n.convert(places, i64);
    const output_ref below = n.make(op::less{}, {places, n.integer_constant(0)});
    return n.make(op::select{}, {below, n.make(op::add{}, {places, size}), places});
}

/// Raises an error for known places of which some lie outside of their axis, on either side. `sizes`: of the axes that places in a row count along.
inline void check_places(operation& n, output_ref places, view<dimension> sizes) {
    const tensor* const known = n.known(places);
    for (std::size_t i = 0; known != nullptr && i < known->elements(); ++i) {
        const std::int64_t place = known->integer(i);
        const dimension size = sizes[i % sizes.size()];
        if (place < -size || place >= size) {
            n.wrong({"index ", place, " is outside an axis of size ", size});
        }
    }
}

/// The place in a flat tensor of shape `sizes` of each element of `places`, which are known and give the place along one axis: where they are
/// computed, one beyond its axis would be taken for one of the next row.
inline output_ref flat_places(operation& n, output_ref places, const lpt::shape& own, const lpt::shape& sizes,
                              std::int64_t axis) {
    check_places(n, places, {sizes[static_cast<std::size_t>(axis)]});
    std::int64_t stride = 1;
    output_ref sum;
    for (std::size_t i = sizes.rank(); i-- > 0;) {
        output_ref along;
        if (static_cast<std::int64_t>(i) == axis) {
            along = places_from_front(n, places, n.integer_constant(sizes[i]));
        } else {
            lpt::integers as;
            as.resize(sizes.rank(), 1);
            as[i] = own[i];
            along = n.reshape(n.counted(n.indices({own[i]})), as);
        }
        along = n.make(op::multiply{}, {along, n.integer_constant(stride)});
        sum = sum ? n.make(op::add{}, {sum, along}) : along;
        stride *= sizes[i];
    }
    return sum;
}

/// The part of the data that indices of a smaller shape choose from, along all axes but the one that they count along.
inline output_ref part_for_indices(operation& n, output_ref data, output_ref indices, std::int64_t axis) {
    const lpt::shape sizes = n.shape(data);
    const lpt::shape own = n.shape(indices);
    if (sizes.is_dynamic() || own.is_dynamic() || own.rank() != sizes.rank()) {
        return data;
    }
    for (std::size_t i = 0; i < sizes.rank(); ++i) {
        if (static_cast<std::int64_t>(i) != axis && own[i] < sizes[i]) {
            data = n.slice(data, static_cast<std::int64_t>(i), 0, own[i]);
        }
    }
    return data;
}

inline void read_gather_elements(operation& n) {
    const output_ref x = n.in(0);
    if (n.shape(x).is_dynamic() || !n.is_known(1)) {
        const std::int64_t given = n.integer("axis", 0);
        const std::int64_t axis = n.shape(x).rank_is_static() ? n.axis_of(given, n.rank(x)) : given;
        const output_ref part = part_for_indices(n, x, n.in(1), axis);
        return n.out(n.make(op::gather_elements{axis}, {part, n.in(1)}));
    }
    const lpt::shape sizes = n.static_shape(x);
    const std::int64_t axis = n.axis_of(n.integer("axis", 0), sizes.rank());
    const output_ref places = flat_places(n, n.in(1), n.static_shape(n.in(1)), sizes, axis);
    n.out(n.gather(n.reshape(x, {-1}), places, 0));
}

inline void read_depth_to_space(operation& n) {
    op::depth_to_space what;
    what.block_size = n.integer("blocksize", 1);
    what.mode =
        n.words("mode", "DCR") == "CRD" ? op::depth_space_mode::depth_first : op::depth_space_mode::blocks_first;
    n.out(n.make(what, {n.in(0)}));
}
inline void read_space_to_depth(operation& n) {
    op::space_to_depth what;
    what.block_size = n.integer("blocksize", 1);
    what.mode =
        n.words("mode", "DCR") == "CRD" ? op::depth_space_mode::depth_first : op::depth_space_mode::blocks_first;
    n.out(n.make(what, {n.in(0)}));
}

inline void read_expand(operation& n) { n.out(n.broadcast(n.in(0), n.convert(n.in(1), i64))); }
inline void read_tile(operation& n) { n.out(n.make(op::tile{}, {n.in(0), n.in(1)})); }

inline op::pad_mode pad_mode_of(operation& n, std::string_view mode) {
    for (std::size_t i = 0; i < std::size(op::pad_mode_words); ++i) {
        if (op::pad_mode_words[i] == shown(mode)) {
            return static_cast<op::pad_mode>(i);
        }
    }
    n.wrong({"mode '", shown(mode), "' is not supported"});
}

/// The data as often as its margins need it, one behind the other along each axis: places count round the axis.
inline output_ref repeated_around(operation& n, output_ref begin, output_ref end) {
    output_ref result = n.in(0);
    for (std::int64_t axis = 0; axis < static_cast<std::int64_t>(n.rank(n.in(0))); ++axis) {
        const output_ref before = n.slice(n.convert(begin, i64), 0, axis, axis + 1);
        const output_ref behind = n.slice(n.convert(end, i64), 0, axis, axis + 1);
        const tensor* first = n.known(before);
        const tensor* last = n.known(behind);
        if (first != nullptr && last != nullptr && first->integer(0) == 0 && last->integer(0) == 0) {
            continue;
        }
        if (n.shape(n.in(0))[static_cast<std::size_t>(axis)] == 0) {
            n.wrong({"an axis without elements cannot be wrapped round"});
        }
        const output_ref size = n.size_along(n.in(0), axis);
        const output_ref wanted = n.make(op::add{}, {n.make(op::add{}, {before, size}), behind});
        const output_ref place = n.make(op::subtract{}, {n.counted(wanted), before});
        result = n.gather(result, n.make(op::floor_mod{}, {place, size}), axis);
    }
    return result;
}

/// Margins that are known only when the network runs; those of axes that are not named are 0.
inline void read_pad_of_computed_margins(operation& n) {
    const output_ref x = n.in(0);
    const auto rank = static_cast<std::int64_t>(n.rank(x));
    output_ref begin = n.slice(n.in(1), 0, 0, rank);
    output_ref end = n.slice(n.in(1), 0, rank, 2 * rank);
    if (n.has(3) && !n.is_known(3)) {
        const output_ref axes = n.unsqueeze(places_from_front(n, n.in(3), n.integer_constant(rank)), {1});
        const output_ref here = n.make(op::equal{}, {axes, n.counted(n.indices({rank}))});
        const auto count = static_cast<std::int64_t>(n.static_shape(n.in(3)).elements());
        const auto spread = [&](std::int64_t first) {
            const output_ref margins = n.unsqueeze(n.convert(n.slice(n.in(1), 0, first, first + count), i64), {1});
            const output_ref chosen = n.make(op::select{}, {here, margins, n.integer_constant(0)});
            return n.reduce<op::reduce_sum>(chosen, {0}, false);
        };
        begin = spread(0);
        end = spread(count);
    } else if (n.has(3)) {
        const lpt::integers axes = n.known_integers(3);
        const auto count = static_cast<std::int64_t>(axes.size());
        const output_ref all = n.concat({n.indices({0}), n.in(1)}, 0);
        lpt::integers first;
        first.resize(n.rank(x), 0);
        lpt::integers last = first;
        for (std::int64_t i = 0; i < count; ++i) {
            const auto axis = static_cast<std::size_t>(n.axis_of(axes[static_cast<std::size_t>(i)], n.rank(x)));
            first[axis] = i + 1;
            last[axis] = i + 1 + count;
        }
        begin = n.gather(all, n.indices(first), 0);
        end = n.gather(all, n.indices(last), 0);
    }
    if (n.words("mode", "constant") == "wrap") {
        return n.out(repeated_around(n, begin, end));
    }
    op::pad what;
    what.pad_mode = pad_mode_of(n, n.words("mode", "constant"));
    if (what.pad_mode != op::pad_mode::constant) {
        return n.out(n.make(what, {x, begin, end}, 12));
    }
    n.out(n.make(what, {x, begin, end, n.reshape(n.in_or(2, 0), view<std::int64_t>())}, 12));
}

/// Margins at all beginnings, then at all ends; for some axes only where these are given.
inline void read_pad(operation& n) {
    const output_ref x = n.in(0);
    const std::size_t rank = n.rank(x);
    if (n.version() >= 11 && n.known(n.in(1)) == nullptr) {
        return read_pad_of_computed_margins(n);
    }
    const lpt::integers pads = n.version() < 11 ? n.list("pads") : n.known_integers(1);
    lpt::integers axes;
    if (n.has(3)) {
        axes = n.known_integers(3);
    } else {
        for (std::size_t axis = 0; axis < rank; ++axis) {
            axes.push_back(static_cast<std::int64_t>(axis));
        }
    }
    if (pads.size() != 2 * axes.size()) {
        n.wrong({"has ", pads.size(), " margins for ", axes.size(), " axes"});
    }
    lpt::integers begin;
    lpt::integers end;
    begin.resize(rank, 0);
    end.resize(rank, 0);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const auto axis = static_cast<std::size_t>(n.axis_of(axes[i], rank));
        begin[axis] = pads[i];
        end[axis] = pads[axes.size() + i];
    }
    const std::string_view mode = n.words("mode", "constant");
    if (mode == "wrap") {
        return n.out(repeated_around(n, n.indices(begin), n.indices(end)));
    }
    op::pad what;
    what.pad_mode = pad_mode_of(n, mode);
    if (what.pad_mode != op::pad_mode::constant) {
        return n.out(n.make(what, {x, n.indices(begin), n.indices(end)}, 12));
    }
    const output_ref filling = n.version() < 11 ? n.like(x, n.real("value", 0)) : n.in_or(2, 0);
    n.out(n.make(what,
                 {x, n.indices(begin), n.indices(end),
                  n.shape(filling).rank() == 0 ? filling : n.reshape(filling, view<std::int64_t>())},
                 12));
}

inline void read_reverse_sequence(operation& n) {
    op::reverse_sequence what;
    what.batch_axis = n.integer("batch_axis", 1);
    what.seq_axis = n.integer("time_axis", 0);
    n.out(n.make(what, {n.in(0), n.in(1)}));
}

/// The upper or lower triangle of matrices.
inline void read_triangle(operation& n) {
    const output_ref x = n.in(0);
    const output_ref rows = n.unsqueeze(n.counted(n.size_along(x, -2)), {1});
    const output_ref columns = n.unsqueeze(n.counted(n.size_along(x, -1)), {0});
    const output_ref shift = n.has(1) ? n.convert(n.in(1), i64) : n.integer_constant(0);
    const output_ref diagonal = n.make(op::add{}, {rows, shift});
    const output_ref kept = n.flag("upper", true) ? n.make(op::greater_equal{}, {columns, diagonal})
                                                  : n.make(op::less_equal{}, {columns, diagonal});
    n.out(n.make(op::select{}, {kept, x, n.like(x, 0)}));
}

inline constexpr operator_entry movement_operators[] = {
    {"", "Reshape", read_reshape, true},
    {"", "Flatten", read_flatten, true},
    {"", "Squeeze", read_squeeze, true},
    {"", "Unsqueeze", read_unsqueeze, true},
    {"", "Transpose", read_transpose, true},
    {"", "Concat", read_concat, true},
    {"", "Split", read_split, true},
    {"", "Slice", read_slice, true},
    {"", "Gather", read_gather, true},
    {"", "GatherND", read_gather_nd, true},
    {"", "GatherElements", read_gather_elements, true},
    {"", "DepthToSpace", read_depth_to_space, true},
    {"", "SpaceToDepth", read_space_to_depth, true},
    {"", "Expand", read_expand, true},
    {"", "Tile", read_tile, true},
    {"", "Pad", read_pad},
    {"", "ReverseSequence", read_reverse_sequence},
    {"", "Trilu", read_triangle},
};

}  // namespace lpt::inline LPT_ABI::onnx
