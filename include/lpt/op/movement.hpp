// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/op/row.hpp>

namespace lpt::inline LPT_ABI::op {

/// The inputs one after another along `axis`.
///
/// Inputs: at least one, equal in all sizes but that of `axis`. `axis` in `[-rank, rank)`. Source: OpenVINO operation
/// set, Concat-1.
struct concat {
    static constexpr auto number = kind::concat;
    static constexpr text_view name = "Concat";
    static constexpr versions opsets{0};
    static constexpr ports inputs{1, ports::any};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits =
        trait::movement | trait::precision_preserved | trait::quantizable | trait::data_on_all_ports;

    std::int64_t axis = 0;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("axis", self.axis);
    }
    static constexpr void infer(const concat& self, inference& facts);
    friend constexpr bool operator==(const concat&, const concat&) = default;
};

/// Equal parts along an axis.
///
/// Inputs: x, axis (scalar in `[-rank, rank)`). `num_splits` >= 1 must divide the size of the axis. Source: OpenVINO
/// operation set, Split-1.
struct split {
    static constexpr auto number = kind::split;
    static constexpr text_view name = "Split";
    static constexpr versions opsets{1};
    static constexpr ports inputs{2, 2};
    static constexpr ports outputs{1, ports::any};
    static constexpr trait traits =
        trait::movement | trait::precision_preserved | trait::reads_values | trait::quantizable;

    std::int64_t num_splits = 0;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("num_splits", self.num_splits);
    }
    static constexpr void infer(const split& self, inference& facts);
    friend constexpr bool operator==(const split&, const split&) = default;
};

/// Parts of given lengths along an axis.
///
/// Inputs: x, axis (scalar in `[-rank, rank)`), lengths (one an output; at most one is -1 and takes what the others
/// leave). Source: OpenVINO operation set, VariadicSplit-1.
struct variadic_split {
    static constexpr auto number = kind::variadic_split;
    static constexpr text_view name = "VariadicSplit";
    static constexpr versions opsets{1};
    static constexpr ports inputs{3, 3};
    static constexpr ports outputs{1, ports::any};
    static constexpr trait traits =
        trait::movement | trait::precision_preserved | trait::reads_values | trait::quantizable;

    static constexpr void infer(const variadic_split& self, inference& facts);
    friend constexpr bool operator==(const variadic_split&, const variadic_split&) = default;
};

/// A part of the input, given by begins, ends and strides of the leading axes.
///
/// Inputs: x, begin, end, optional strides (1 when absent); negative places count from the back, places outside the
/// axis are clamped. Masks, one value 0 or 1 a position: `begin_mask`/`end_mask` 1 ignores the value and takes the
/// whole axis on that side, `new_axis_mask` inserts an axis of size 1, `shrink_axis_mask` takes one element and drops the axis,
/// `ellipsis_mask` (at most one) stands for all axes that nothing else names. Source: OpenVINO operation set,
/// StridedSlice-1.
struct strided_slice {
    static constexpr auto number = kind::strided_slice;
    static constexpr text_view name = "StridedSlice";
    static constexpr versions opsets{1};
    static constexpr ports inputs{3, 4};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits =
        trait::movement | trait::precision_preserved | trait::reads_values | trait::quantizable;

    integers begin_mask{};
    integers end_mask{};
    integers new_axis_mask{};
    integers shrink_axis_mask{};
    integers ellipsis_mask{};

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("begin_mask", self.begin_mask);
        visit("end_mask", self.end_mask);
        visit("new_axis_mask", self.new_axis_mask);
        visit("shrink_axis_mask", self.shrink_axis_mask);
        visit("ellipsis_mask", self.ellipsis_mask);
    }
    static constexpr void infer(const strided_slice& self, inference& facts);
    friend constexpr bool operator==(const strided_slice&, const strided_slice&) = default;
};

/// A part of the input, given by starts, stops and steps of some axes.
///
/// Inputs: x, start, stop, step, optional axes (the first ones when absent); negative places count from the back,
/// places outside the axis are clamped, a step of 0 is an error. Source: OpenVINO operation set, Slice-8.
struct slice {
    static constexpr auto number = kind::slice;
    static constexpr text_view name = "Slice";
    static constexpr versions opsets{8};
    static constexpr ports inputs{4, 5};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits =
        trait::movement | trait::precision_preserved | trait::reads_values | trait::quantizable;

    static constexpr void infer(const slice& self, inference& facts);
    friend constexpr bool operator==(const slice&, const slice&) = default;
};

/// Slices of the input along an axis, chosen by indices.
///
/// y[b…, o…, i…, r…] = x[b…, o…, indices[b…, i…], r…]
/// Inputs: x, indices, axis (scalar). `batch_dims` leading axes (from version 7 on, negative counts from the back of
/// indices) are common to x and indices; `batch_dims` <= axis. Source: OpenVINO operation set, Gather-1, -7, -8.
struct gather {
    static constexpr auto number = kind::gather;
    static constexpr text_view name = "Gather";
    static constexpr versions opsets{1, 7, 8};
    static constexpr ports inputs{3, 3};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits =
        trait::movement | trait::precision_preserved | trait::reads_values | trait::quantizable;

    std::int64_t batch_dims = 0;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("batch_dims", self.batch_dims, in_versions{7});
    }
    static constexpr void infer(const gather& self, inference& facts);
    friend constexpr bool operator==(const gather&, const gather&) = default;
};

/// Slices of the input, each chosen by a tuple of indices.
///
/// Inputs: x, indices `[b…, i…, K]` with K <= rank of x - `batch_dims`. Output: `[b…, i…, the rest of x's axes]`;
/// version 5 joins several batch axes into one. Source: OpenVINO operation set, GatherND-5, -8.
struct gather_nd {
    static constexpr auto number = kind::gather_nd;
    static constexpr text_view name = "GatherND";
    static constexpr versions opsets{5, 8};
    static constexpr ports inputs{2, 2};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::movement;

    std::int64_t batch_dims = 0;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("batch_dims", self.batch_dims);
    }
    static constexpr void infer(const gather_nd& self, inference& facts);
    friend constexpr bool operator==(const gather_nd&, const gather_nd&) = default;
};

/// The same elements with another shape.
///
/// Inputs: x, shape; one size may be -1 and follows from the others; with `special_zero` a size of 0 copies that of x.
/// Raises an error when the number of elements changes, unless every size is given and some are copied: what executes
/// the operation has to compare the numbers of elements then. Source: OpenVINO operation set, Reshape-1.
struct reshape {
    static constexpr auto number = kind::reshape;
    static constexpr text_view name = "Reshape";
    static constexpr versions opsets{1};
    static constexpr ports inputs{2, 2};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits =
        trait::movement | trait::precision_preserved | trait::reads_values | trait::quantizable;

    bool special_zero = false;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("special_zero", self.special_zero);
    }
    static constexpr void infer(const reshape& self, inference& facts);
    friend constexpr bool operator==(const reshape&, const reshape&) = default;
};

/// Without some axes of size 1, all of them when no axes are given.
///
/// Inputs: x, optional axes in `[-rank, rank)`. An axis of another size is an error, or with `allow_axis_skip`
/// (version 15 on) stays; the output rank is then only known when the sizes are. Source: OpenVINO operation set,
/// Squeeze-1, -15.
struct squeeze {
    static constexpr auto number = kind::squeeze;
    static constexpr text_view name = "Squeeze";
    static constexpr versions opsets{0, 15};
    static constexpr ports inputs{1, 2};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits =
        trait::movement | trait::precision_preserved | trait::reads_values | trait::quantizable;

    bool allow_axis_skip = false;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("allow_axis_skip", self.allow_axis_skip, in_versions{15});
    }
    static constexpr void infer(const squeeze& self, inference& facts);
    friend constexpr bool operator==(const squeeze&, const squeeze&) = default;
};

/// With axes of size 1 inserted.
///
/// Inputs: x, axes in `[-output rank, output rank)`, places in the output. Source: OpenVINO operation set, Unsqueeze-1.
struct unsqueeze {
    static constexpr auto number = kind::unsqueeze;
    static constexpr text_view name = "Unsqueeze";
    static constexpr versions opsets{0};
    static constexpr ports inputs{2, 2};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits =
        trait::movement | trait::precision_preserved | trait::reads_values | trait::quantizable;

    static constexpr void infer(const unsqueeze& self, inference& facts);
    friend constexpr bool operator==(const unsqueeze&, const unsqueeze&) = default;
};

/// The axes in another order.
///
/// y's axis i is x's axis order[i]. Inputs: x, order (a permutation; empty reverses the axes). Source: OpenVINO
/// operation set, Transpose-1.
struct transpose {
    static constexpr auto number = kind::transpose;
    static constexpr text_view name = "Transpose";
    static constexpr versions opsets{1};
    static constexpr ports inputs{2, 2};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits =
        trait::movement | trait::precision_preserved | trait::reads_values | trait::quantizable;

    static constexpr void infer(const transpose& self, inference& facts);
    friend constexpr bool operator==(const transpose&, const transpose&) = default;
};

/// Which part of the channel axis holds the block when channels and space are exchanged.
enum class depth_space_mode { blocks_first, depth_first };
inline constexpr text_view depth_space_mode_words[] = {"blocks_first", "depth_first"};
constexpr view<text_view> words_of(depth_space_mode) { return depth_space_mode_words; }

/// Channels rearranged into spatial blocks.
///
/// `[N, C * block_size^K, D…]` becomes `[N, C, D * block_size…]` with K spatial axes. Source: OpenVINO operation set,
/// DepthToSpace-1.
struct depth_to_space {
    static constexpr auto number = kind::depth_to_space;
    static constexpr text_view name = "DepthToSpace";
    static constexpr versions opsets{0};
    static constexpr ports inputs{1, 1};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits =
        trait::movement | trait::precision_preserved | trait::relaxable | trait::quantizable;

    std::int64_t block_size = 1;
    op::depth_space_mode mode = op::depth_space_mode::blocks_first;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("block_size", self.block_size);
        visit("mode", self.mode);
    }
    static constexpr void infer(const depth_to_space& self, inference& facts);
    friend constexpr bool operator==(const depth_to_space&, const depth_to_space&) = default;
};

/// Spatial blocks rearranged into channels, the inverse of DepthToSpace.
///
/// `[N, C, D * block_size…]` becomes `[N, C * block_size^K, D…]` with K spatial axes. Source: OpenVINO operation set,
/// SpaceToDepth-1.
struct space_to_depth {
    static constexpr auto number = kind::space_to_depth;
    static constexpr text_view name = "SpaceToDepth";
    static constexpr versions opsets{0};
    static constexpr ports inputs{1, 1};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::movement;

    std::int64_t block_size = 1;
    op::depth_space_mode mode = op::depth_space_mode::blocks_first;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("block_size", self.block_size);
        visit("mode", self.mode);
    }
    static constexpr void infer(const space_to_depth& self, inference& facts);
    friend constexpr bool operator==(const space_to_depth&, const space_to_depth&) = default;
};

/// Batch rearranged into blocks of the other axes, then cropped.
///
/// Inputs: x `[batch, D…]`, block_shape, crops_begin, crops_end, one value an axis of x, the first ones 1, 0, 0.
/// Output: `[batch / product of block_shape, D * block - crops_begin - crops_end…]`. Source: OpenVINO operation set,
/// BatchToSpace-2.
struct batch_to_space {
    static constexpr auto number = kind::batch_to_space;
    static constexpr text_view name = "BatchToSpace";
    static constexpr versions opsets{1};
    static constexpr ports inputs{4, 4};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits =
        trait::movement | trait::precision_preserved | trait::reads_values | trait::quantizable;

    static constexpr void infer(const batch_to_space& self, inference& facts);
    friend constexpr bool operator==(const batch_to_space&, const batch_to_space&) = default;
};

/// Padded, then blocks of the other axes rearranged into the batch, the inverse of BatchToSpace.
///
/// Inputs: x `[batch, D…]`, block_shape, pads_begin, pads_end, one value an axis of x, the first ones 1, 0, 0.
/// Output: `[batch * product of block_shape, (D + pads_begin + pads_end) / block…]`. Source: OpenVINO operation set,
/// SpaceToBatch-2.
struct space_to_batch {
    static constexpr auto number = kind::space_to_batch;
    static constexpr text_view name = "SpaceToBatch";
    static constexpr versions opsets{1};
    static constexpr ports inputs{4, 4};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits =
        trait::movement | trait::precision_preserved | trait::reads_values | trait::quantizable;

    static constexpr void infer(const space_to_batch& self, inference& facts);
    friend constexpr bool operator==(const space_to_batch&, const space_to_batch&) = default;
};

/// The axis seen as `[group, size / group]` is transposed to `[size / group, group]`.
///
/// `axis` in `[-rank, rank)`; `group` >= 1 must divide its size. Source: OpenVINO operation set, ShuffleChannels-1.
struct shuffle_channels {
    static constexpr auto number = kind::shuffle_channels;
    static constexpr text_view name = "ShuffleChannels";
    static constexpr versions opsets{0};
    static constexpr ports inputs{1, 1};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::movement | trait::precision_preserved | trait::quantizable;

    std::int64_t axis = 1;
    std::int64_t group = 1;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("axis", self.axis);
        visit("group", self.group);
    }
    static constexpr void infer(const shuffle_channels& self, inference& facts);
    friend constexpr bool operator==(const shuffle_channels&, const shuffle_channels&) = default;
};

/// How Broadcast places the axes of its input; `none` is version 1's word for `explicit`.
enum class broadcast_mode { none, explicit_axes, numpy, pdpd, bidirectional };
inline constexpr text_view broadcast_mode_words[] = {"none", "explicit", "numpy", "pdpd", "bidirectional"};
constexpr view<text_view> words_of(broadcast_mode) { return broadcast_mode_words; }

/// The input repeated until it has the target shape.
///
/// Inputs: x, target shape, axes (places of x's axes in the output; mode explicit only). `numpy` aligns at the right,
/// `pdpd` at the left of an inner block, `bidirectional` (version 3 on) lets the input widen the target too. Source:
/// OpenVINO operation set, Broadcast-1, -3.
struct broadcast {
    static constexpr auto number = kind::broadcast;
    static constexpr text_view name = "Broadcast";
    static constexpr versions opsets{1, 3};
    static constexpr ports inputs{2, 3};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits =
        trait::movement | trait::precision_preserved | trait::reads_values | trait::quantizable;

    op::broadcast_mode mode = op::broadcast_mode::numpy;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("mode", self.mode);
    }
    static constexpr void infer(const broadcast& self, inference& facts);
    friend constexpr bool operator==(const broadcast&, const broadcast&) = default;
};

/// The input repeated along its axes.
///
/// Inputs: x, repeats; the shorter of the two is extended by ones at the left; a negative
/// repeat counts as 0. Source: OpenVINO operation set, Tile-1.
struct tile {
    static constexpr auto number = kind::tile;
    static constexpr text_view name = "Tile";
    static constexpr versions opsets{0};
    static constexpr ports inputs{2, 2};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::movement | trait::reads_values;

    static constexpr void infer(const tile& self, inference& facts);
    friend constexpr bool operator==(const tile&, const tile&) = default;
};

/// Where the values of the padding come from.
enum class pad_mode { constant, edge, reflect, symmetric };
inline constexpr text_view pad_mode_words[] = {"constant", "edge", "reflect", "symmetric"};
constexpr view<text_view> words_of(pad_mode) { return pad_mode_words; }

/// The input with a margin.
///
/// Inputs: x, pads_begin, pads_end (one value an axis; negative values crop), optional value (scalar, mode constant).
/// `reflect` needs margins < size, `symmetric` margins <= size. Source: OpenVINO operation set, Pad-1, -12.
struct pad {
    static constexpr auto number = kind::pad;
    static constexpr text_view name = "Pad";
    static constexpr versions opsets{1, 12};
    static constexpr ports inputs{3, 4};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits =
        trait::movement | trait::precision_preserved | trait::reads_values | trait::quantizable;

    op::pad_mode pad_mode = op::pad_mode::constant;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("pad_mode", self.pad_mode);
    }
    static constexpr void infer(const pad& self, inference& facts);
    friend constexpr bool operator==(const pad&, const pad&) = default;
};

/// The interpolation formula.
enum class interpolate_mode { nearest, linear, linear_onnx, cubic, area, bilinear_pillow, bicubic_pillow };
inline constexpr text_view interpolate_mode_words[] = {"nearest", "linear",          "linear_onnx",   "cubic",
                                                       "area",    "bilinear_pillow", "bicubic_pillow"};
constexpr view<text_view> words_of(interpolate_mode) { return interpolate_mode_words; }

/// Which input the output size follows from.
enum class shape_calculation_mode { sizes, scales };
inline constexpr text_view shape_calculation_mode_words[] = {"sizes", "scales"};
constexpr view<text_view> words_of(shape_calculation_mode) { return shape_calculation_mode_words; }

/// How places in the output map to places in the input.
enum class coordinate_transformation_mode {
    half_pixel,
    pytorch_half_pixel,
    asymmetric,
    tf_half_pixel_for_nn,
    align_corners
};
inline constexpr text_view coordinate_transformation_mode_words[] = {"half_pixel", "pytorch_half_pixel", "asymmetric",
                                                                     "tf_half_pixel_for_nn", "align_corners"};
constexpr view<text_view> words_of(coordinate_transformation_mode) { return coordinate_transformation_mode_words; }

/// Which neighbour `nearest` takes.
enum class nearest_mode { round_prefer_floor, round_prefer_ceil, floor, ceil, simple };
inline constexpr text_view nearest_mode_words[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil",
                                                   "simple"};
constexpr view<text_view> words_of(nearest_mode) { return nearest_mode_words; }

/// The input resampled along some axes to another size.
///
/// Inputs, version 0: x, output sizes of `axes`; version 4: x, sizes, scales, optional axes; version 11: x, sizes or
/// scales, optional axes. All axes when none are given. The input is padded by `pads_begin`, `pads_end` (0 when
/// short) first; with `scales` the size is floor(padded size * scale). `cube_coeff` belongs to mode cubic. Source:
/// OpenVINO operation set, Interpolate-1, -4, -11.
struct interpolate {
    static constexpr auto number = kind::interpolate;
    static constexpr text_view name = "Interpolate";
    static constexpr versions opsets{0, 4, 11};
    static constexpr ports inputs{2, 4};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits =
        trait::precision_preserved | trait::relaxable | trait::reads_values | trait::quantizable;

    bool align_corners = true;
    integers axes{};
    op::interpolate_mode mode = op::interpolate_mode::nearest;
    op::shape_calculation_mode shape_calculation_mode = op::shape_calculation_mode::sizes;
    op::coordinate_transformation_mode coordinate_transformation_mode = op::coordinate_transformation_mode::half_pixel;
    op::nearest_mode nearest_mode = op::nearest_mode::round_prefer_floor;
    bool antialias = false;
    integers pads_begin{};
    integers pads_end{};
    double cube_coeff = -0.75;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("align_corners", self.align_corners, in_versions{0, 3});
        visit("axes", self.axes, in_versions{0, 3});
        visit("mode", self.mode);
        visit("shape_calculation_mode", self.shape_calculation_mode, in_versions{4});
        visit("coordinate_transformation_mode", self.coordinate_transformation_mode, in_versions{4});
        visit("nearest_mode", self.nearest_mode, in_versions{4});
        visit("antialias", self.antialias);
        visit("pads_begin", self.pads_begin);
        visit("pads_end", self.pads_end);
        visit("cube_coeff", self.cube_coeff, in_versions{4});
    }
    static constexpr void infer(const interpolate& self, inference& facts);
    friend constexpr bool operator==(const interpolate&, const interpolate&) = default;
};

/// The first elements of each sequence in reverse order.
///
/// Inputs: x, lengths `[size of batch_axis]` of integers. `batch_axis`, `seq_axis` in `[-rank, rank)`. Source:
/// OpenVINO operation set, ReverseSequence-1.
struct reverse_sequence {
    static constexpr auto number = kind::reverse_sequence;
    static constexpr text_view name = "ReverseSequence";
    static constexpr versions opsets{0};
    static constexpr ports inputs{2, 2};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::movement;

    std::int64_t batch_axis = 0;
    std::int64_t seq_axis = 1;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("batch_axis", self.batch_axis);
        visit("seq_axis", self.seq_axis);
    }
    static constexpr void infer(const reverse_sequence& self, inference& facts);
    friend constexpr bool operator==(const reverse_sequence&, const reverse_sequence&) = default;
};

namespace detail {

/// `axis` counted from the front; raises an error if the input has no such axis.
constexpr std::size_t checked_axis(const inference& facts, std::int64_t axis, std::size_t rank) {
    const std::int64_t result = normalized_axis(axis, rank);
    if (result < 0) {
        facts.wrong({"axis ", axis, " is outside the ", rank, " axes of the input"});
    }
    return static_cast<std::size_t>(result);
}

/// The one integer that arrives at `port`; `unknown_value` if it is not known.
constexpr std::int64_t scalar_value(const inference& facts, std::size_t port) {
    integers values;
    if (!facts.values(port, values)) {
        return unknown_value;
    }
    if (values.size() != 1) {
        facts.wrong({"input ", port, " must be one value, not ", values.size()});
    }
    return values[0];
}

/// How many values arrive at `port`, from the values or from the shape; false if that is not known.
constexpr bool value_count(const inference& facts, std::size_t port, std::size_t& count) {
    integers values;
    if (facts.values(port, values)) {
        count = values.size();
        return true;
    }
    if (port >= facts.inputs() || !facts.dimensions(port).is_static()) {
        return false;
    }
    count = facts.dimensions(port).elements();
    return true;
}

/// The values of `port`, all unknown if only their number is known; false if not even that is known. Raises an error where there are
/// more than `most`, which are those of axes unless the caller says otherwise.
constexpr bool counted_values(const inference& facts, std::size_t port, integers& result,
                              std::size_t most = most_axes) {
    const bool known = facts.values(port, result);
    std::size_t count = result.size();
    if (!known && !value_count(facts, port, count)) {
        return false;
    }
    if (count > most) {
        facts.wrong({"input ", port, " has ", count, " values, more than ", most});
    }
    result.resize(count, unknown_value);
    return true;
}

/// Like `counted_values` for places that are clamped: in a Constant the least integer is a place, not an unknown value.
constexpr bool counted_places(const inference& facts, std::size_t port, integers& result) {
    if (!counted_values(facts, port, result)) {
        return false;
    }
    for (std::int64_t& value : result) {
        value = value == unknown_value && facts.constant(port) != nullptr ? unknown_value + 1 : value;
    }
    return true;
}

constexpr dimension known_or_dynamic(std::int64_t value) { return value == unknown_value ? dynamic_dimension : value; }

/// A shape that is only known to have as many axes as `like`.
constexpr shape same_rank(const shape& like) {
    return like.rank_is_static() ? shape::of_rank(like.rank()) : shape::of_dynamic_rank();
}

/// The axes that `port` names, counted from the front; false if not all are known.
constexpr bool known_axes(const inference& facts, std::size_t port, std::size_t rank, integers& result) {
    if (!facts.known_values(port, result)) {
        return false;
    }
    for (std::int64_t& axis : result) {
        axis = static_cast<std::int64_t>(checked_axis(facts, axis, rank));
    }
    return true;
}

/// Of axes; some may be `unknown_value`.
constexpr bool has_duplicates(const integers& values) {
    if (values.size() > most_axes) {
        return true;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        for (std::size_t j = i + 1; j < values.size(); ++j) {
            if (values[i] == values[j] && values[i] != unknown_value) {
                return true;
            }
        }
    }
    return false;
}

/// Raises an error unless `port` has one value for each axis of an input of `rank` axes.
constexpr void check_one_an_axis(const inference& facts, std::size_t port, std::size_t count, std::size_t rank) {
    if (count != rank) {
        facts.wrong({"input ", port, " has ", count, " values for the ", rank, " axes of the input"});
    }
}

constexpr void add_part(dimension& sum, dimension part) {
    const bool known = sum != dynamic_dimension && part != dynamic_dimension;
    sum = !known ? dynamic_dimension : sum > most_elements ? sum : sum + part;  // too much stays too much
}

constexpr void infer_concat(inference& facts, std::int64_t axis_value) {
    element type = dynamic;
    shape merged = shape::of_dynamic_rank();
    dimension sum = 0;
    for (std::size_t port = 0; port < facts.inputs(); ++port) {
        const element one = facts.type(port);
        if (type != dynamic && one != dynamic && type != one) {
            facts.wrong({"inputs must have one element type, not ", lpt::name(type), " and ", lpt::name(one)});
        }
        type = one == dynamic ? type : one;
        shape part = facts.dimensions(port);
        if (part.rank_is_dynamic()) {
            sum = dynamic_dimension;
            continue;
        }
        const std::size_t axis = checked_axis(facts, axis_value, part.rank());
        add_part(sum, part[axis]);
        part[axis] = dynamic_dimension;
        const shape before = merged;
        if (!merge_shape(merged, part)) {
            facts.wrong(
                {"input ", port, " of shape ", facts.dimensions(port), " does not fit the others of shape ", before});
        }
    }
    if (merged.rank_is_static()) {
        merged[checked_axis(facts, axis_value, merged.rank())] = sum;
    }
    facts.output(type, merged);
}

constexpr void infer_split(inference& facts, std::int64_t parts) {
    facts.require("num_splits", parts, 1, most_outputs);
    shape part = facts.dimensions(0);
    const std::int64_t axis_value = scalar_value(facts, 1);
    if (part.rank_is_static() && axis_value == unknown_value) {
        part = same_rank(part);
    } else if (part.rank_is_static()) {
        dimension& size = part[checked_axis(facts, axis_value, part.rank())];
        if (size != dynamic_dimension && size % parts != 0) {
            facts.wrong({"an axis of size ", size, " cannot be split into ", parts, " equal parts"});
        }
        size = size == dynamic_dimension ? size : size / parts;
    }
    for (std::int64_t i = 0; i < parts; ++i) {
        facts.output(facts.type(0), part);
    }
}

/// Replaces a length of -1 by what the others leave of `size`, as far as that is known, and checks the sum.
constexpr void complete_lengths(const inference& facts, integers& lengths, dimension size) {
    checked sum = 0;
    std::size_t rest = lengths.size();
    bool known = true;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        if (lengths[i] == -1) {
            if (rest != lengths.size()) {
                facts.wrong({"more than one length is -1"});
            }
            rest = i;
        } else if (lengths[i] == unknown_value) {
            known = false;
        } else if (lengths[i] < 0) {
            facts.wrong({"a length cannot be ", lengths[i]});
        } else {
            sum = sum + lengths[i];
        }
    }
    const bool has_rest = rest != lengths.size();
    if (!sum.fits()) {
        facts.wrong({"the sum of the lengths leaves 64 bits"});
    }
    if (size != dynamic_dimension && (has_rest || !known ? sum.value() > size : sum.value() != size)) {
        facts.wrong({"the lengths add up to ", sum.value(), ", the axis has size ", size});
    }
    if (has_rest) {
        lengths[rest] = known && size != dynamic_dimension ? size - sum.value() : unknown_value;
    }
}

constexpr void infer_variadic_split(inference& facts) {
    integers lengths;
    if (!counted_values(facts, 2, lengths, most_outputs)) {
        facts.wrong({"the number of lengths, and with it the number of outputs, is not known"});
    }
    const std::int64_t axis_value = scalar_value(facts, 1);
    shape part = facts.dimensions(0);
    const bool placed = part.rank_is_static() && axis_value != unknown_value;
    const std::size_t axis = placed ? checked_axis(facts, axis_value, part.rank()) : 0;
    complete_lengths(facts, lengths, placed ? part[axis] : dynamic_dimension);
    part = placed ? part : same_rank(part);
    for (const std::int64_t length : lengths) {
        if (placed) {
            part[axis] = known_or_dynamic(length);
        }
        facts.output(facts.type(0), part);
    }
}

/// One axis of a slice. `begin` and `end` count from the back when negative; without them the whole axis is taken on
/// that side.
struct axis_slice {
    std::int64_t begin = unknown_value;
    std::int64_t end = unknown_value;
    std::int64_t step = 1;
    bool whole_begin = false;
    bool whole_end = false;
};

/// The number of elements that a slice of an axis of size `size` has.
constexpr dimension sliced_size(dimension size, const axis_slice& slice) {
    const bool known =
        (slice.whole_begin || slice.begin != unknown_value) && (slice.whole_end || slice.end != unknown_value);
    if (size == 0) {
        return 0;
    }
    if (size == dynamic_dimension || slice.step == unknown_value || !known) {
        return dynamic_dimension;
    }
    const bool forward = slice.step > 0;
    const std::int64_t low = forward ? 0 : -1;
    const std::int64_t high = forward ? size : size - 1;
    std::int64_t begin = slice.begin < 0 ? slice.begin + size : slice.begin;
    std::int64_t end = slice.end < 0 ? slice.end + size : slice.end;
    begin = slice.whole_begin ? (forward ? low : high) : math::minimum(math::maximum(begin, low), high);
    end = slice.whole_end ? (forward ? high : low) : math::minimum(math::maximum(end, low), high);
    const std::int64_t distance = forward ? end - begin : begin - end;
    if (distance <= 0) {
        return 0;
    }
    return (distance - 1) / math::absolute(slice.step) + 1;
}

constexpr bool mask_at(const integers& mask, std::size_t place) { return place < mask.size() && mask[place] != 0; }
constexpr bool any_in(const integers& mask) {
    for (const std::int64_t value : mask) {
        if (value != 0) {
            return true;
        }
    }
    return false;
}

/// Begins, ends and strides of a StridedSlice, brought to one length.
struct slice_places {
    integers begin;
    integers end;
    integers strides;
};

constexpr bool read_places(const inference& facts, slice_places& places) {
    const bool has_begin = counted_places(facts, 1, places.begin);
    const bool has_end = counted_places(facts, 2, places.end);
    const bool has_strides = facts.inputs() > 3 && counted_values(facts, 3, places.strides);
    std::size_t count = places.begin.size();
    count = math::maximum(count, places.end.size());
    count = math::maximum(count, places.strides.size());
    if ((has_begin && places.begin.size() != count) || (has_end && places.end.size() != count) ||
        (has_strides && places.strides.size() != count)) {
        facts.wrong({"begin, end and strides have ", places.begin.size(), ", ", places.end.size(), " and ",
                     places.strides.size(), " values; they must have the same number"});
    }
    places.begin.resize(count, unknown_value);
    places.end.resize(count, unknown_value);
    places.strides.resize(count, facts.inputs() > 3 ? unknown_value : 1);
    if (places.strides.contains(0)) {
        facts.wrong({"a stride is 0"});
    }
    return has_begin || has_end || has_strides;
}

/// How many axes of the input the positions name, and where the ellipsis stands (`count` for none).
struct slice_layout {
    std::size_t ellipsis = 0;
    std::size_t named = 0;
};

constexpr slice_layout read_layout(const inference& facts, const strided_slice& self, std::size_t count) {
    slice_layout layout{count, 0};
    for (std::size_t i = 0; i < count; ++i) {
        if (mask_at(self.ellipsis_mask, i)) {
            if (layout.ellipsis != count) {
                facts.wrong({"ellipsis_mask names more than one position"});
            }
            layout.ellipsis = i;
        } else if (!mask_at(self.new_axis_mask, i)) {
            ++layout.named;
        }
    }
    return layout;
}

constexpr void check_shrunk_place(const inference& facts, std::int64_t place, dimension size) {
    if (place != unknown_value && size != dynamic_dimension && (place < -size || place >= size)) {
        facts.wrong({"place ", place, " is outside an axis of size ", size});
    }
}

constexpr shape infer_strided_slice(const inference& facts, const strided_slice& self) {
    const shape& data = facts.dimensions(0);
    slice_places places;
    if (!read_places(facts, places)) {
        return any_in(self.new_axis_mask) || any_in(self.shrink_axis_mask) ? shape::of_dynamic_rank() : same_rank(data);
    }
    const std::size_t count = places.begin.size();
    const slice_layout layout = read_layout(facts, self, count);
    if (data.rank_is_dynamic()) {
        return shape::of_dynamic_rank();
    }
    if (layout.named > data.rank()) {
        facts.wrong({"names ", layout.named, " axes of an input of shape ", data});
    }
    shape result;
    std::size_t axis = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (i == layout.ellipsis) {
            for (std::size_t skipped = layout.named; skipped < data.rank(); ++skipped) {
                result.push_back(data[axis++]);
            }
        } else if (mask_at(self.new_axis_mask, i)) {
            result.push_back(1);
        } else if (mask_at(self.shrink_axis_mask, i)) {
            check_shrunk_place(facts, mask_at(self.begin_mask, i) ? 0 : places.begin[i], data[axis++]);
        } else {
            result.push_back(sliced_size(data[axis++], {places.begin[i], places.end[i], places.strides[i],
                                                        mask_at(self.begin_mask, i), mask_at(self.end_mask, i)}));
        }
    }
    while (axis < data.rank()) {
        result.push_back(data[axis++]);
    }
    return result;
}

/// The axes that a Slice names; false if they are not known.
constexpr bool read_slice_axes(const inference& facts, std::size_t rank, std::size_t count, integers& axes) {
    if (facts.inputs() > 4) {
        if (!known_axes(facts, 4, rank, axes)) {
            return false;
        }
        if (has_duplicates(axes)) {
            facts.wrong({"an axis is named twice"});
        }
        return true;
    }
    for (std::size_t axis = 0; axis < count; ++axis) {
        axes.push_back(static_cast<std::int64_t>(checked_axis(facts, static_cast<std::int64_t>(axis), rank)));
    }
    return true;
}

constexpr shape infer_slice(const inference& facts) {
    shape result = facts.dimensions(0);
    std::size_t count = 0;
    bool counted = false;
    for (std::size_t port = 1; port < facts.inputs(); ++port) {
        std::size_t here = 0;
        if (!value_count(facts, port, here)) {
            continue;
        }
        if (counted && here != count) {
            facts.wrong({"input ", port, " has ", here, " values where others have ", count});
        }
        counted = true;
        count = here;
    }
    integers start;
    integers stop;
    integers step;
    integers axes;
    if (facts.values(3, step) && step.contains(0)) {
        facts.wrong({"a step is 0"});
    }
    if (result.rank_is_dynamic()) {
        return result;
    }
    if (!counted || !read_slice_axes(facts, result.rank(), count, axes)) {
        return same_rank(result);
    }
    counted_places(facts, 1, start);
    counted_places(facts, 2, stop);
    counted_places(facts, 3, step);
    start.resize(count, unknown_value);
    stop.resize(count, unknown_value);
    step.resize(count, unknown_value);
    for (std::size_t i = 0; i < count; ++i) {
        dimension& size = result[static_cast<std::size_t>(axes[i])];
        size = sliced_size(size, {start[i], stop[i], step[i], false, false});
    }
    return result;
}

/// The number of leading axes that data and indices have in common; the rank of indices is known.
constexpr std::size_t checked_batch(const inference& facts, std::int64_t batch_dims) {
    const auto rank = static_cast<std::int64_t>(facts.dimensions(1).rank());
    const std::int64_t batch = batch_dims < 0 ? batch_dims + rank : batch_dims;
    if (batch < 0 || batch > rank) {
        facts.wrong({"batch_dims ", batch_dims, " does not fit indices of shape ", facts.dimensions(1)});
    }
    return static_cast<std::size_t>(batch);
}

constexpr void check_indices(const inference& facts, std::size_t port) {
    if (facts.type(port) != dynamic && !is_integral(facts.type(port))) {
        facts.wrong({"input ", port, " must be integers, not ", lpt::name(facts.type(port))});
    }
}

/// The axes that data and indices have in common, merged.
constexpr shape merged_batch(const inference& facts, std::size_t batch) {
    shape result;
    for (std::size_t i = 0; i < batch; ++i) {
        dimension size = facts.dimensions(0)[i];
        if (!merge_dimension(size, facts.dimensions(1)[i])) {
            facts.wrong({"data of shape ", facts.dimensions(0), " and indices of shape ", facts.dimensions(1),
                         " differ in their first ", batch, " axes"});
        }
        result.push_back(size);
    }
    return result;
}

constexpr shape infer_gather(const inference& facts, std::int64_t batch_dims) {
    const shape& data = facts.dimensions(0);
    const shape& indices = facts.dimensions(1);
    check_indices(facts, 1);
    const std::int64_t axis_value = scalar_value(facts, 2);
    if (data.rank_is_static() && axis_value != unknown_value) {
        checked_axis(facts, axis_value, data.rank());
    }
    if (data.rank_is_dynamic() || indices.rank_is_dynamic()) {
        return shape::of_dynamic_rank();
    }
    const std::size_t batch = checked_batch(facts, facts.version() >= 7 ? batch_dims : 0);
    if (data.rank() == 0 || batch >= data.rank()) {
        facts.wrong({"data of shape ", data, " has no axis to gather along after ", batch, " batch axes"});
    }
    if (axis_value == unknown_value) {
        return shape::of_rank(data.rank() + indices.rank() - 1 - batch);
    }
    const std::size_t axis = checked_axis(facts, axis_value, data.rank());
    if (batch > axis) {
        facts.wrong({"batch_dims ", batch_dims, " is greater than axis ", axis_value});
    }
    shape result = merged_batch(facts, batch);
    for (std::size_t i = batch; i < axis; ++i) {
        result.push_back(data[i]);
    }
    for (std::size_t i = batch; i < indices.rank(); ++i) {
        result.push_back(indices[i]);
    }
    for (std::size_t i = axis + 1; i < data.rank(); ++i) {
        result.push_back(data[i]);
    }
    return result;
}

/// The batch axes of version 5, of which several become one.
constexpr shape joined_batch(const shape& batch) {
    if (batch.rank() < 2) {
        return batch;
    }
    return {batch.is_static() ? static_cast<dimension>(batch.elements()) : dynamic_dimension};
}

constexpr shape infer_gather_nd(const inference& facts, std::int64_t batch_dims) {
    const shape& data = facts.dimensions(0);
    const shape& indices = facts.dimensions(1);
    check_indices(facts, 1);
    if (data.rank_is_dynamic() || indices.rank_is_dynamic()) {
        return shape::of_dynamic_rank();
    }
    if (batch_dims < 0 || static_cast<std::size_t>(batch_dims) >= indices.rank() ||
        static_cast<std::size_t>(batch_dims) >= data.rank()) {
        facts.wrong(
            {"batch_dims ", batch_dims, " does not fit data of shape ", data, " and indices of shape ", indices});
    }
    const auto batch = static_cast<std::size_t>(batch_dims);
    const dimension tuple = indices[indices.rank() - 1];
    const shape common = merged_batch(facts, batch);
    if (tuple == dynamic_dimension) {
        return shape::of_dynamic_rank();
    }
    if (batch + static_cast<std::size_t>(tuple) > data.rank()) {
        facts.wrong(
            {"indices of shape ", to_text(indices), " name more axes than data of shape ", to_text(data), " has"});
    }
    shape result = facts.version() < 8 ? joined_batch(common) : common;
    for (std::size_t i = batch; i + 1 < indices.rank(); ++i) {
        result.push_back(indices[i]);
    }
    for (std::size_t i = batch + static_cast<std::size_t>(tuple); i < data.rank(); ++i) {
        result.push_back(data[i]);
    }
    return result;
}

/// What is left of two element counts that must be equal, after sizes that stand on both sides are taken away.
struct element_balance {
    checked before = 1;  // product of the known sizes of the input
    checked after = 1;  // product of the known sizes of the output
    std::size_t open_before = 0;  // sizes of the input that are not known
    std::size_t open_after = 0;  // sizes of the output that are not known
    std::size_t open_axis = 0;  // the last of them
};

constexpr void weigh(checked& product, std::size_t& open, dimension size) {
    if (size == dynamic_dimension) {
        ++open;
    } else {
        product = product * size;
    }
}

/// `copied` are the axes whose size is, known or not, the same before and after.
constexpr element_balance balance(const shape& before, const shape& after, const seq<bool, 8>& copied) {
    element_balance result;
    for (std::size_t axis = 0; axis < after.rank(); ++axis) {
        if (copied[axis]) {
            continue;
        }
        weigh(result.after, result.open_after, after[axis]);
        result.open_axis = after[axis] == dynamic_dimension ? axis : result.open_axis;
    }
    result.open_before = before.rank_is_dynamic() ? 1 : 0;
    for (std::size_t axis = 0; axis < before.rank(); ++axis) {
        if (axis >= copied.size() || !copied[axis]) {
            weigh(result.before, result.open_before, before[axis]);
        }
    }
    return result;
}

/// The sizes that `pattern` asks for, with -1 and unknown values as dynamic; `copied` says which were copied from the
/// input.
constexpr shape read_pattern(const inference& facts, const integers& pattern, bool special_zero, seq<bool, 8>& copied) {
    const shape& data = facts.dimensions(0);
    shape result;
    bool inferred = false;
    for (std::size_t axis = 0; axis < pattern.size(); ++axis) {
        const std::int64_t value = pattern[axis];
        const bool copies = value == 0 && special_zero;
        if (value < -1 && value != unknown_value) {
            facts.wrong({"asks for a size of ", value});
        }
        if (value == -1 && inferred) {
            facts.wrong({"asks for more than one size of -1"});
        }
        inferred = inferred || value == -1;
        if (copies && data.rank_is_static() && axis >= data.rank()) {
            facts.wrong({"copies axis ", axis, ", which an input of shape ", data, " does not have"});
        }
        copied.push_back(copies);
        result.push_back(copies ? (data.rank_is_static() ? data[axis] : dynamic_dimension)
                                : (value == -1 ? dynamic_dimension : known_or_dynamic(value)));
    }
    return result;
}

constexpr shape infer_reshape(const inference& facts, bool special_zero) {
    const shape& data = facts.dimensions(0);
    integers pattern;
    if (!counted_values(facts, 1, pattern)) {
        return shape::of_dynamic_rank();
    }
    seq<bool, 8> copied;
    shape result = read_pattern(facts, pattern, special_zero, copied);
    const element_balance sides = balance(data, result, copied);
    if (sides.open_before != 0) {
        return result;
    }
    const std::int64_t before = sides.before.value();
    const std::int64_t after = sides.after.value();
    const bool counts = sides.before.fits() && sides.after.fits();
    const bool divides = after != 0 ? before % after == 0 : before == 0;
    // A pattern that copies sizes and leaves none open is taken at its word, as the published inference does.
    const bool is_checked = sides.open_after != 0 || !copied.contains(true);
    if (!counts || (is_checked && (sides.open_after == 0 ? before != after : !divides))) {
        facts.wrong({"an input of shape ", data, " cannot get the shape ", result});
    }
    const bool is_certain = after != 0 && (before != 0 || pattern[sides.open_axis] == -1);
    if (sides.open_after == 1 && is_certain) {
        result[sides.open_axis] = before / after;
    } else if (sides.open_after == 1 && after == 0 && pattern[sides.open_axis] == -1) {
        result[sides.open_axis] = 0;
    }
    return result;
}

/// Without all axes of size 1.
constexpr shape squeezed_everywhere(const shape& data) {
    if (data.is_dynamic()) {
        return shape::of_dynamic_rank();
    }
    shape result;
    for (const dimension size : data) {
        if (size != 1) {
            result.push_back(size);
        }
    }
    return result;
}

constexpr shape infer_squeeze(const inference& facts, bool allow_axis_skip) {
    const shape& data = facts.dimensions(0);
    std::size_t count = 0;
    const bool counted = value_count(facts, 1, count);
    if (facts.inputs() < 2 || (counted && count == 0)) {
        return squeezed_everywhere(data);
    }
    integers axes;
    if (data.rank_is_dynamic()) {
        return data;
    }
    if (!known_axes(facts, 1, data.rank(), axes)) {
        const bool one = counted && count == 1 && !allow_axis_skip && data.rank() != 0;
        return one ? shape::of_rank(data.rank() - 1) : shape::of_dynamic_rank();
    }
    shape result;
    for (std::size_t axis = 0; axis < data.rank(); ++axis) {
        const bool named = axes.contains(static_cast<std::int64_t>(axis));
        if (named && allow_axis_skip && data[axis] == dynamic_dimension) {
            return shape::of_dynamic_rank();
        }
        if (named && !allow_axis_skip && data[axis] != 1 && data[axis] != dynamic_dimension) {
            facts.wrong({"axis ", axis, " of shape ", data, " has not size 1"});
        }
        if (!named || (data[axis] != 1 && allow_axis_skip)) {
            result.push_back(data[axis]);
        }
    }
    return result;
}

constexpr shape infer_unsqueeze(const inference& facts) {
    const shape& data = facts.dimensions(0);
    std::size_t count = 0;
    if (data.rank_is_dynamic() || !value_count(facts, 1, count)) {
        return shape::of_dynamic_rank();
    }
    const std::size_t rank = data.rank() + count;
    integers axes;
    if (!known_axes(facts, 1, rank, axes)) {
        return shape::of_rank(rank);
    }
    if (has_duplicates(axes)) {
        facts.wrong({"an axis is named twice"});
    }
    shape result;
    std::size_t from = 0;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        result.push_back(axes.contains(static_cast<std::int64_t>(axis)) ? 1 : data[from++]);
    }
    return result;
}

constexpr shape infer_transpose(const inference& facts) {
    const shape& data = facts.dimensions(0);
    integers order;
    if (!counted_values(facts, 1, order)) {
        return same_rank(data);
    }
    const std::size_t rank = data.rank_is_static() ? data.rank() : order.size();
    if (order.empty()) {
        shape reversed = same_rank(data);
        for (std::size_t axis = 0; axis < data.rank(); ++axis) {
            reversed[axis] = data[rank - 1 - axis];
        }
        return reversed;
    }
    check_one_an_axis(facts, 1, order.size(), rank);
    shape result = shape::of_rank(rank);
    for (std::size_t axis = 0; axis < rank; ++axis) {
        if (order[axis] == unknown_value) {
            continue;
        }
        if (order[axis] < 0 || order[axis] >= static_cast<std::int64_t>(rank)) {
            facts.wrong({"order names axis ", order[axis], " of ", rank});
        }
        if (data.rank_is_static()) {
            result[axis] = data[static_cast<std::size_t>(order[axis])];
        }
    }
    if (has_duplicates(order)) {
        facts.wrong({"order names an axis twice"});
    }
    return result;
}

/// block_size to the power of the number of spatial axes; raises an error where the input cannot have blocks.
constexpr std::int64_t checked_block(const inference& facts, std::int64_t block_size) {
    const shape& data = facts.dimensions(0);
    facts.require("block_size", block_size, 1, most_step);
    if (data.rank_is_static() && data.rank() < 3) {
        facts.wrong({"an input of shape ", data, " has no spatial axes"});
    }
    checked volume = 1;
    for (std::size_t axis = 2; axis < data.rank(); ++axis) {
        volume = volume * block_size;
    }
    if (!volume.fits()) {
        facts.wrong({"a block of ", block_size, " along each spatial axis of shape ", data, " leaves 64 bits"});
    }
    return volume.value();
}

constexpr dimension multiplied(const inference& facts, dimension size, std::int64_t factor) {
    if (size == dynamic_dimension || factor == unknown_value) {
        return dynamic_dimension;
    }
    const checked product = checked(size) * factor;
    if (!product.fits()) {
        facts.wrong({"an axis of size ", size, " times ", factor, " leaves 64 bits"});
    }
    return product.value();
}

/// `size` / `divisor`; raises an error unless it is whole.
constexpr dimension divided(const inference& facts, dimension size, std::int64_t divisor, text_view what) {
    if (size == dynamic_dimension || divisor == unknown_value) {
        return dynamic_dimension;
    }
    if (size % divisor != 0) {
        facts.wrong({what, " ", size, " is not a multiple of ", divisor});
    }
    return size / divisor;
}

constexpr shape infer_depth_to_space(const inference& facts, std::int64_t block_size) {
    shape result = facts.dimensions(0);
    const std::int64_t volume = checked_block(facts, block_size);
    if (result.rank_is_static()) {
        result[1] = divided(facts, result[1], volume, "the number of channels");
    }
    for (std::size_t axis = 2; axis < result.rank(); ++axis) {
        result[axis] = multiplied(facts, result[axis], block_size);
    }
    return result;
}

constexpr shape infer_space_to_depth(const inference& facts, std::int64_t block_size) {
    shape result = facts.dimensions(0);
    const std::int64_t volume = checked_block(facts, block_size);
    if (result.rank_is_static()) {
        result[1] = multiplied(facts, result[1], volume);
    }
    for (std::size_t axis = 2; axis < result.rank(); ++axis) {
        result[axis] = divided(facts, result[axis], block_size, "the spatial size");
    }
    return result;
}

/// The rank that the input of BatchToSpace or SpaceToBatch has, from its shape or from the number of blocks; false if
/// unknown.
constexpr bool blocked_rank(const inference& facts, std::size_t& rank) {
    bool known = facts.dimensions(0).rank_is_static();
    rank = facts.dimensions(0).rank();
    for (std::size_t port = 1; port < 4; ++port) {
        std::size_t count = 0;
        if (!value_count(facts, port, count)) {
            continue;
        }
        if (known) {
            check_one_an_axis(facts, port, count, rank);
        }
        known = true;
        rank = count;
    }
    return known;
}

/// The inputs of BatchToSpace and SpaceToBatch after the first, each with one value an axis.
struct space_blocks {
    integers block;
    integers begin;
    integers end;
    std::int64_t volume = 1;  // `unknown_value` if a block size is
};

/// `volume` * `block`, `unknown_value` if the block is.
constexpr std::int64_t known_product(const inference& facts, std::int64_t volume, std::int64_t block) {
    return block == unknown_value ? unknown_value : multiplied(facts, volume, block);
}

constexpr void read_blocks(const inference& facts, std::size_t rank, space_blocks& result) {
    counted_values(facts, 1, result.block);
    counted_values(facts, 2, result.begin);
    counted_values(facts, 3, result.end);
    result.block.resize(rank, unknown_value);
    result.begin.resize(rank, unknown_value);
    result.end.resize(rank, unknown_value);
    for (std::size_t axis = 0; axis < rank; ++axis) {
        const std::int64_t block = result.block[axis];
        if (block != unknown_value && block < 1) {
            facts.wrong({"a block size must be at least 1, not ", block});
        }
        for (const std::int64_t margin : {result.begin[axis], result.end[axis]}) {
            if (margin != unknown_value && margin < 0) {
                facts.wrong({"crops and pads must be at least 0, not ", margin});
            }
        }
        result.volume = result.volume == unknown_value ? unknown_value : known_product(facts, result.volume, block);
    }
}

/// `size` + `sign` * (`begin` + `end`); raises an error where that is negative.
constexpr dimension with_margins(const inference& facts, dimension size, std::int64_t begin, std::int64_t end,
                                 int sign) {
    if (size == dynamic_dimension || begin == unknown_value || end == unknown_value) {
        return dynamic_dimension;
    }
    facts.require("a margin", begin, -most_elements, most_elements);
    facts.require("a margin", end, -most_elements, most_elements);
    const checked result = checked(size) + (checked(begin) + end) * sign;
    if (!result.fits()) {
        facts.wrong({"an axis of size ", size, " with margins of ", begin, " and ", end, " leaves 64 bits"});
    }
    if (result.value() < 0) {
        facts.wrong({"nothing is left of an axis of size ", size, " with ", begin, " and ", end, " taken away"});
    }
    return result.value();
}

constexpr shape infer_space_blocks(const inference& facts, bool to_space) {
    std::size_t rank = 0;
    if (!blocked_rank(facts, rank)) {
        return shape::of_dynamic_rank();
    }
    if (rank == 0) {
        facts.wrong({"the input must not be a scalar"});
    }
    shape result = facts.dimensions(0);
    space_blocks blocks;
    read_blocks(facts, rank, blocks);
    if (result.rank_is_dynamic()) {
        return result;
    }
    for (std::size_t axis = 0; axis < rank; ++axis) {
        dimension& size = result[axis];
        if (axis == 0) {
            size = to_space ? divided(facts, size, blocks.volume, "the batch size")
                            : multiplied(facts, size, blocks.volume);
        } else if (to_space) {
            size = with_margins(facts, multiplied(facts, size, blocks.block[axis]), blocks.begin[axis],
                                blocks.end[axis], -1);
        } else {
            size = divided(facts, with_margins(facts, size, blocks.begin[axis], blocks.end[axis], 1),
                           blocks.block[axis], "the padded size");
        }
    }
    return result;
}

constexpr void check_shuffle(const inference& facts, std::int64_t axis, std::int64_t group) {
    const shape& data = facts.dimensions(0);
    facts.require("group", group, 1, most_step);
    if (data.rank_is_static()) {
        divided(facts, data[checked_axis(facts, axis, data.rank())], group, "the size of the axis");
    }
}

/// Output of Broadcast in which the input's axes are the last ones, each equal to the target's or 1.
constexpr shape broadcast_to_target(const inference& facts, const shape& target) {
    const shape& data = facts.dimensions(0);
    shape result = target;
    if (data.rank_is_static() && data.rank() > target.rank()) {
        facts.wrong({"an input of shape ", data, " does not broadcast to ", target});
    }
    for (std::size_t i = 0; i < data.rank(); ++i) {
        const dimension size = data[data.rank() - 1 - i];
        dimension& goal = result[target.rank() - 1 - i];
        if (size != 1 && !merge_dimension(goal, size)) {
            facts.wrong({"an input of shape ", data, " does not broadcast to ", target});
        }
    }
    return result;
}

/// Output of Broadcast in which input 2 places the input's axes.
constexpr shape broadcast_along_axes(const inference& facts, const shape& target) {
    const shape& data = facts.dimensions(0);
    integers axes;
    if (facts.inputs() < 3) {
        facts.wrong({"mode explicit needs the axes as input 2"});
    }
    if (data.rank_is_dynamic() || !known_axes(facts, 2, target.rank(), axes)) {
        return target;
    }
    if (axes.size() != data.rank() && data != shape{1} && data.rank() != 0) {
        check_one_an_axis(facts, 2, axes.size(), data.rank());
    }
    for (std::size_t i = 0; i < data.rank() && i < axes.size(); ++i) {
        const dimension goal = target[static_cast<std::size_t>(axes[i])];
        if (data[i] != 1 && data[i] != goal && data[i] != dynamic_dimension && goal != dynamic_dimension) {
            facts.wrong(
                {"axis ", i, " of an input of shape ", to_text(data), " does not broadcast to ", to_text(target)});
        }
    }
    return target;
}

constexpr shape infer_broadcast_to(const inference& facts, broadcast_mode mode) {
    integers values;
    if (!counted_values(facts, 1, values)) {
        return shape::of_dynamic_rank();
    }
    shape target;
    for (const std::int64_t value : values) {
        if (value < 0 && value != unknown_value) {
            facts.wrong({"asks for a size of ", value});
        }
        target.push_back(known_or_dynamic(value));
    }
    if (mode == broadcast_mode::numpy) {
        return broadcast_to_target(facts, target);
    }
    if (mode == broadcast_mode::none || mode == broadcast_mode::explicit_axes) {
        return broadcast_along_axes(facts, target);
    }
    shape result = target;
    if (mode == broadcast_mode::bidirectional && !broadcast_shapes(facts.dimensions(0), target, result)) {
        facts.wrong(
            {"an input of shape ", facts.dimensions(0), " and the target ", target, " do not broadcast to each other"});
    }
    return result;
}

constexpr shape infer_tile(const inference& facts) {
    const shape& data = facts.dimensions(0);
    integers repeats;
    if (data.rank_is_dynamic() || !counted_values(facts, 1, repeats)) {
        return shape::of_dynamic_rank();
    }
    const std::size_t rank = math::maximum(data.rank(), repeats.size());
    shape result = data.padded_left(rank);
    for (std::size_t i = 0; i < repeats.size(); ++i) {
        dimension& size = result[rank - repeats.size() + i];
        size = multiplied(facts, size,
                          repeats[i] == unknown_value ? unknown_value : math::maximum<std::int64_t>(repeats[i], 0));
    }
    return result;
}

/// Raises an error where the margin of an axis does not go with the mode.
constexpr void check_margin(const inference& facts, pad_mode mode, std::int64_t margin, dimension size) {
    // A margin that is not known is the least integer, hence negative.
    if (size == dynamic_dimension || mode == pad_mode::constant || margin <= 0) {
        return;
    }
    const bool fits = mode == pad_mode::reflect     ? margin < size
                      : mode == pad_mode::symmetric ? margin <= size
                                                    : size > 0;
    if (!fits) {
        facts.wrong({"a margin of ", margin, " is too large for an axis of size ", size, " with pad_mode ",
                     words_of(mode)[static_cast<std::size_t>(mode)]});
    }
}

constexpr shape infer_pad(const inference& facts, pad_mode mode) {
    const shape& data = facts.dimensions(0);
    integers begin;
    integers end;
    const bool has_begin = counted_values(facts, 1, begin);
    const bool has_end = counted_values(facts, 2, end);
    if (has_begin && has_end && begin.size() != end.size()) {
        facts.wrong({"there are ", begin.size(), " margins at the beginnings and ", end.size(), " at the ends"});
    }
    if (data.rank_is_dynamic()) {
        return data;
    }
    const std::size_t rank = data.rank();
    if (has_begin) {
        check_one_an_axis(facts, 1, begin.size(), rank);
    }
    if (has_end) {
        check_one_an_axis(facts, 2, end.size(), rank);
    }
    begin.resize(rank, unknown_value);
    end.resize(rank, unknown_value);
    shape result = data;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        check_margin(facts, mode, begin[axis], result[axis]);
        check_margin(facts, mode, end[axis], result[axis]);
        result[axis] = with_margins(facts, result[axis], begin[axis], end[axis], 1);
    }
    return result;
}

/// The axes that Interpolate resizes, at `port` or all; false if they are not known.
constexpr bool resized_axes(const inference& facts, std::size_t port, std::size_t rank, integers& axes) {
    if (port < facts.inputs()) {
        if (!known_axes(facts, port, rank, axes)) {
            return false;
        }
        if (has_duplicates(axes)) {
            facts.wrong({"an axis is named twice"});
        }
        return true;
    }
    for (std::size_t axis = 0; axis < rank; ++axis) {
        axes.push_back(static_cast<std::int64_t>(axis));
    }
    return true;
}

constexpr void check_resize_count(const inference& facts, std::size_t port, std::size_t count, std::size_t axes) {
    // Version 0 takes the first sizes of a longer list.
    if (facts.version() < 4 ? count < axes : count != axes) {
        facts.wrong({"input ", port, " has ", count, " values for ", axes, " axes"});
    }
}

/// Gives `axes` of `result` the sizes that arrive at `port`.
constexpr void resize_to(const inference& facts, std::size_t port, const integers& axes, shape& result) {
    integers sizes;
    const bool counted = counted_values(facts, port, sizes);
    if (counted) {
        check_resize_count(facts, port, sizes.size(), axes.size());
    }
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::int64_t size = counted ? sizes[i] : unknown_value;
        if (size != unknown_value && size < 1) {
            facts.wrong({"asks for a size of ", size});
        }
        result[static_cast<std::size_t>(axes[i])] = known_or_dynamic(size);
    }
}

/// Raises an error where an axis that gets a size has no elements to take it from.
constexpr void check_resizable(const inference& facts, const shape& padded, const integers& axes) {
    for (const std::int64_t axis : axes) {
        if (padded[static_cast<std::size_t>(axis)] == 0) {
            facts.wrong({"axis ", axis, " has no elements to resize"});
        }
    }
}

/// Multiplies `axes` of `result` by the scales that arrive at `port`, rounded down.
constexpr void resize_by(const inference& facts, std::size_t port, const integers& axes, shape& result) {
    const tensor* scales = facts.constant(port);
    if (scales != nullptr) {
        check_resize_count(facts, port, scales->elements(), axes.size());
    }
    for (std::size_t i = 0; i < axes.size(); ++i) {
        dimension& size = result[static_cast<std::size_t>(axes[i])];
        if (scales == nullptr) {
            size = dynamic_dimension;
            continue;
        }
        const double scale = scales->real(i);
        if (!(scale > 0)) {
            facts.wrong({"a scale must be positive, not ", scale});
        }
        // A scale is often a rounded quotient of two sizes; the small addend lets it reach the size that was meant.
        if (size != dynamic_dimension) {
            const double resized = math::floor(static_cast<double>(size) * (scale + 1e-6));
            if (!(resized <= static_cast<double>(most_elements))) {
                facts.wrong({"an axis of size ", size, " cannot be scaled by ", scale});
            }
            size = static_cast<dimension>(resized);
        }
    }
}

/// `data` with the padding of Interpolate; lists shorter than the rank go on with 0.
constexpr shape padded_for_resize(const inference& facts, const shape& data, const integers& begin,
                                  const integers& end) {
    if (begin.size() > data.rank() || end.size() > data.rank()) {
        facts.wrong(
            {"pads_begin and pads_end have ", begin.size(), " and ", end.size(), " values for ", data.rank(), " axes"});
    }
    shape result = data;
    for (std::size_t axis = 0; axis < data.rank(); ++axis) {
        result[axis] = with_margins(facts, data[axis], axis < begin.size() ? begin[axis] : 0,
                                    axis < end.size() ? end[axis] : 0, 1);
    }
    return result;
}

/// Version 0: the axes are an attribute, the padding does not change the shape.
constexpr shape infer_first_interpolate(const inference& facts, const interpolate& self) {
    shape result = facts.dimensions(0);
    if (result.rank_is_dynamic()) {
        return result;
    }
    if (self.axes.empty()) {
        facts.wrong({"has no axes"});
    }
    integers axes;
    for (const std::int64_t axis : self.axes) {
        axes.push_back(static_cast<std::int64_t>(checked_axis(facts, axis, result.rank())));
    }
    if (has_duplicates(axes)) {
        facts.wrong({"an axis is named twice"});
    }
    check_resizable(facts, padded_for_resize(facts, result, self.pads_begin, self.pads_end), axes);
    resize_to(facts, 1, axes, result);
    return result;
}

constexpr shape infer_interpolate(const inference& facts, const interpolate& self) {
    const bool has_one_target = facts.version() >= 11;
    const std::size_t axes_port = has_one_target ? 2 : 3;
    if (facts.inputs() < axes_port || facts.inputs() > axes_port + 1) {
        facts.wrong({"has ", facts.inputs(), " inputs, not ", axes_port, " or ", axes_port + 1});
    }
    const shape& data = facts.dimensions(0);
    if (data.rank_is_dynamic()) {
        return data;
    }
    integers axes;
    if (!resized_axes(facts, axes_port, data.rank(), axes)) {
        return same_rank(data);
    }
    shape result = padded_for_resize(facts, data, self.pads_begin, self.pads_end);
    if (self.shape_calculation_mode == shape_calculation_mode::sizes) {
        check_resizable(facts, result, axes);
        resize_to(facts, 1, axes, result);
    } else {
        resize_by(facts, has_one_target ? 1 : 2, axes, result);
    }
    return result;
}

constexpr shape infer_reverse_sequence(const inference& facts, std::int64_t batch_axis, std::int64_t seq_axis) {
    shape result = facts.dimensions(0);
    const shape& lengths = facts.dimensions(1);
    if (lengths.rank_is_static() && lengths.rank() != 1) {
        facts.wrong({"the lengths must have one axis, not the shape ", lengths});
    }
    if (result.rank_is_dynamic()) {
        return result;
    }
    if (result.rank() < 2) {
        facts.wrong({"an input of shape ", result, " has no batch and sequence axes"});
    }
    const std::size_t batch = checked_axis(facts, batch_axis, result.rank());
    checked_axis(facts, seq_axis, result.rank());
    if (lengths.rank_is_static() && !merge_dimension(result[batch], lengths[0])) {
        facts.wrong({"there are ", lengths[0], " lengths for a batch of ", result[batch]});
    }
    return result;
}

}  // namespace detail

constexpr void concat::infer(const concat& self, inference& facts) { detail::infer_concat(facts, self.axis); }
constexpr void split::infer(const split& self, inference& facts) { detail::infer_split(facts, self.num_splits); }
constexpr void variadic_split::infer(const variadic_split&, inference& facts) { detail::infer_variadic_split(facts); }
constexpr void strided_slice::infer(const strided_slice& self, inference& facts) {
    facts.output(facts.type(0), detail::infer_strided_slice(facts, self));
}
constexpr void slice::infer(const slice&, inference& facts) { facts.output(facts.type(0), detail::infer_slice(facts)); }
constexpr void gather::infer(const gather& self, inference& facts) {
    facts.output(facts.type(0), detail::infer_gather(facts, self.batch_dims));
}
constexpr void gather_nd::infer(const gather_nd& self, inference& facts) {
    facts.output(facts.type(0), detail::infer_gather_nd(facts, self.batch_dims));
}
constexpr void reshape::infer(const reshape& self, inference& facts) {
    facts.output(facts.type(0), detail::infer_reshape(facts, self.special_zero));
}
constexpr void squeeze::infer(const squeeze& self, inference& facts) {
    facts.output(facts.type(0), detail::infer_squeeze(facts, self.allow_axis_skip && facts.version() >= 15));
}
constexpr void unsqueeze::infer(const unsqueeze&, inference& facts) {
    facts.output(facts.type(0), detail::infer_unsqueeze(facts));
}
constexpr void transpose::infer(const transpose&, inference& facts) {
    facts.output(facts.type(0), detail::infer_transpose(facts));
}
constexpr void depth_to_space::infer(const depth_to_space& self, inference& facts) {
    facts.output(facts.type(0), detail::infer_depth_to_space(facts, self.block_size));
}
constexpr void space_to_depth::infer(const space_to_depth& self, inference& facts) {
    facts.output(facts.type(0), detail::infer_space_to_depth(facts, self.block_size));
}
constexpr void batch_to_space::infer(const batch_to_space&, inference& facts) {
    facts.output(facts.type(0), detail::infer_space_blocks(facts, true));
}
constexpr void space_to_batch::infer(const space_to_batch&, inference& facts) {
    facts.output(facts.type(0), detail::infer_space_blocks(facts, false));
}
constexpr void shuffle_channels::infer(const shuffle_channels& self, inference& facts) {
    detail::check_shuffle(facts, self.axis, self.group);
    facts.output(facts.type(0), facts.dimensions(0));
}
constexpr void broadcast::infer(const broadcast& self, inference& facts) {
    facts.output(facts.type(0), detail::infer_broadcast_to(facts, self.mode));
}
constexpr void tile::infer(const tile&, inference& facts) { facts.output(facts.type(0), detail::infer_tile(facts)); }
constexpr void pad::infer(const pad& self, inference& facts) {
    facts.output(facts.type(0), detail::infer_pad(facts, self.pad_mode));
}
constexpr void interpolate::infer(const interpolate& self, inference& facts) {
    facts.output(facts.type(0), facts.version() < 4 ? detail::infer_first_interpolate(facts, self)
                                                    : detail::infer_interpolate(facts, self));
}
constexpr void reverse_sequence::infer(const reverse_sequence& self, inference& facts) {
    facts.output(facts.type(0), detail::infer_reverse_sequence(facts, self.batch_axis, self.seq_axis));
}

}  // namespace lpt::inline LPT_ABI::op
