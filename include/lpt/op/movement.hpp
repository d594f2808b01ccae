// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/op/row.hpp>

namespace lpt::op {

/// The inputs one after another along `axis`.
///
/// Inputs: at least one, equal in all sizes but that of `axis`. `axis` in `[-rank, rank)`. Source: OpenVINO operation set, Concat-1.
struct concat {
    static constexpr auto number = kind::concat;
    static constexpr text_view name = "Concat";
    static constexpr versions opsets{0};
    static constexpr ports inputs{1, ports::any};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::movement | trait::precision_preserved;

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
/// Inputs: x, axis (scalar in `[-rank, rank)`). `num_splits` >= 1 must divide the size of the axis. Source: OpenVINO operation set, Split-1.
struct split {
    static constexpr auto number = kind::split;
    static constexpr text_view name = "Split";
    static constexpr versions opsets{1};
    static constexpr ports inputs{2, 2};
    static constexpr ports outputs{1, ports::any};
    static constexpr trait traits = trait::movement | trait::precision_preserved | trait::reads_values;

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
/// Inputs: x, axis (scalar in `[-rank, rank)`), lengths (one an output; at most one is -1 and takes what the others leave).
/// Source: OpenVINO operation set, VariadicSplit-1.
struct variadic_split {
    static constexpr auto number = kind::variadic_split;
    static constexpr text_view name = "VariadicSplit";
    static constexpr versions opsets{1};
    static constexpr ports inputs{3, 3};
    static constexpr ports outputs{1, ports::any};
    static constexpr trait traits = trait::movement | trait::precision_preserved | trait::reads_values;

    static constexpr void infer(const variadic_split& self, inference& facts);
    friend constexpr bool operator==(const variadic_split&, const variadic_split&) = default;
};

/// A part of the input, given by begins, ends and strides of the leading axes.
///
/// Inputs: x, begin, end, optional strides (1 when absent); negative places count from the back, places outside the axis are clamped.
/// Masks, one value 0 or 1 a position: `begin_mask`/`end_mask` 1 ignores the value and takes the whole axis on that side,
/// `new_axis_mask` inserts an axis of size 1, `shrink_axis_mask` takes one element and drops the axis, `ellipsis_mask` (at
/// most one) stands for all axes that nothing else names. Source: OpenVINO operation set, StridedSlice-1.
struct strided_slice {
    static constexpr auto number = kind::strided_slice;
    static constexpr text_view name = "StridedSlice";
    static constexpr versions opsets{1};
    static constexpr ports inputs{3, 4};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::movement | trait::precision_preserved | trait::reads_values;

    integers begin_mask;
    integers end_mask;
    integers new_axis_mask;
    integers shrink_axis_mask;
    integers ellipsis_mask;

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
/// Inputs: x, start, stop, step, optional axes (the first ones when absent); negative places count from the back, places outside the
/// axis are clamped, a step of 0 is an error. Source: OpenVINO operation set, Slice-8.
struct slice {
    static constexpr auto number = kind::slice;
    static constexpr text_view name = "Slice";
    static constexpr versions opsets{8};
    static constexpr ports inputs{4, 5};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::movement | trait::precision_preserved | trait::reads_values;

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
    static constexpr trait traits = trait::movement | trait::precision_preserved | trait::reads_values;

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
/// Inputs: x, indices `[b…, i…, K]` with K <= rank of x - `batch_dims`. Output: `[b…, i…, the rest of x's axes]`; version 5
/// joins several batch axes into one. Source: OpenVINO operation set, GatherND-5, -8.
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
/// Raises an error when the number of elements changes. Source: OpenVINO operation set, Reshape-1.
struct reshape {
    static constexpr auto number = kind::reshape;
    static constexpr text_view name = "Reshape";
    static constexpr versions opsets{1};
    static constexpr ports inputs{2, 2};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::movement | trait::precision_preserved | trait::reads_values;

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
/// Inputs: x, optional axes in `[-rank, rank)`. An axis of another size is an error, or with `allow_axis_skip` (version 15 on) stays; the output
/// rank is then only known when the sizes are. Source: OpenVINO operation set, Squeeze-1, -15.
struct squeeze {
    static constexpr auto number = kind::squeeze;
    static constexpr text_view name = "Squeeze";
    static constexpr versions opsets{0, 15};
    static constexpr ports inputs{1, 2};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::movement | trait::precision_preserved | trait::reads_values;

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
    static constexpr trait traits = trait::movement | trait::precision_preserved | trait::reads_values;

    static constexpr void infer(const unsqueeze& self, inference& facts);
    friend constexpr bool operator==(const unsqueeze&, const unsqueeze&) = default;
};

/// The axes in another order.
///
/// y's axis i is x's axis order[i]. Inputs: x, order (a permutation; empty reverses the axes). Source: OpenVINO operation set, Transpose-1.
struct transpose {
    static constexpr auto number = kind::transpose;
    static constexpr text_view name = "Transpose";
    static constexpr versions opsets{1};
    static constexpr ports inputs{2, 2};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::movement | trait::precision_preserved | trait::reads_values;

    static constexpr void infer(const transpose& self, inference& facts);
    friend constexpr bool operator==(const transpose&, const transpose&) = default;
};

/// Which part of the channel axis holds the block when channels and space are exchanged.
enum class depth_space_mode { blocks_first, depth_first };
inline constexpr text_view depth_space_mode_words[] = {"blocks_first", "depth_first"};
constexpr view<text_view> words_of(depth_space_mode) { return depth_space_mode_words; }

/// Channels rearranged into spatial blocks.
///
/// `[N, C * block_size^K, D…]` becomes `[N, C, D * block_size…]` with K spatial axes. Source: OpenVINO operation set, DepthToSpace-1.
struct depth_to_space {
    static constexpr auto number = kind::depth_to_space;
    static constexpr text_view name = "DepthToSpace";
    static constexpr versions opsets{0};
    static constexpr ports inputs{1, 1};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::movement | trait::precision_preserved | trait::relaxable;

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
/// `[N, C, D * block_size…]` becomes `[N, C * block_size^K, D…]` with K spatial axes. Source: OpenVINO operation set, SpaceToDepth-1.
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
/// Output: `[batch / product of block_shape, D * block - crops_begin - crops_end…]`. Source: OpenVINO operation set, BatchToSpace-2.
struct batch_to_space {
    static constexpr auto number = kind::batch_to_space;
    static constexpr text_view name = "BatchToSpace";
    static constexpr versions opsets{1};
    static constexpr ports inputs{4, 4};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::movement | trait::precision_preserved | trait::reads_values;

    static constexpr void infer(const batch_to_space& self, inference& facts);
    friend constexpr bool operator==(const batch_to_space&, const batch_to_space&) = default;
};

/// Padded, then blocks of the other axes rearranged into the batch, the inverse of BatchToSpace.
///
/// Inputs: x `[batch, D…]`, block_shape, pads_begin, pads_end, one value an axis of x, the first ones 1, 0, 0.
/// Output: `[batch * product of block_shape, (D + pads_begin + pads_end) / block…]`. Source: OpenVINO operation set, SpaceToBatch-2.
struct space_to_batch {
    static constexpr auto number = kind::space_to_batch;
    static constexpr text_view name = "SpaceToBatch";
    static constexpr versions opsets{1};
    static constexpr ports inputs{4, 4};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::movement | trait::precision_preserved | trait::reads_values;

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
    static constexpr trait traits = trait::movement | trait::precision_preserved;

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
/// Inputs: x, target shape, axes (places of x's axes in the output; mode explicit only). `numpy` aligns at the right, `pdpd` at the left
/// of an inner block, `bidirectional` (version 3 on) lets the input widen the target too. Source: OpenVINO operation set, Broadcast-1, -3.
struct broadcast {
    static constexpr auto number = kind::broadcast;
    static constexpr text_view name = "Broadcast";
    static constexpr versions opsets{1, 3};
    static constexpr ports inputs{2, 3};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::movement | trait::precision_preserved | trait::reads_values;

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
/// Inputs: x, repeats; the shorter of the two is extended by ones at the left. Source: OpenVINO operation set, Tile-1.
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
/// Inputs: x, pads_begin, pads_end (one value an axis; negative values crop, from version 12 on), optional value (scalar, mode constant).
/// `reflect` needs margins < size, `symmetric` margins <= size. Source: OpenVINO operation set, Pad-1, -12.
struct pad {
    static constexpr auto number = kind::pad;
    static constexpr text_view name = "Pad";
    static constexpr versions opsets{1, 12};
    static constexpr ports inputs{3, 4};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::movement | trait::precision_preserved | trait::reads_values;

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
inline constexpr text_view interpolate_mode_words[] = {"nearest", "linear", "linear_onnx", "cubic", "area", "bilinear_pillow", "bicubic_pillow"};
constexpr view<text_view> words_of(interpolate_mode) { return interpolate_mode_words; }

/// Which input the output size follows from.
enum class shape_calculation_mode { sizes, scales };
inline constexpr text_view shape_calculation_mode_words[] = {"sizes", "scales"};
constexpr view<text_view> words_of(shape_calculation_mode) { return shape_calculation_mode_words; }

/// How places in the output map to places in the input.
enum class coordinate_transformation_mode { half_pixel, pytorch_half_pixel, asymmetric, tf_half_pixel_for_nn, align_corners };
inline constexpr text_view coordinate_transformation_mode_words[] = {"half_pixel", "pytorch_half_pixel", "asymmetric", "tf_half_pixel_for_nn", "align_corners"};
constexpr view<text_view> words_of(coordinate_transformation_mode) { return coordinate_transformation_mode_words; }

/// Which neighbour `nearest` takes.
enum class nearest_mode { round_prefer_floor, round_prefer_ceil, floor, ceil, simple };
inline constexpr text_view nearest_mode_words[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "simple"};
constexpr view<text_view> words_of(nearest_mode) { return nearest_mode_words; }

/// The input resampled along some axes to another size.
///
/// Inputs, version 0: x, output sizes of `axes`; version 4: x, sizes, scales, optional axes; version 11: x, sizes or scales, optional
/// axes. All axes when none are given. The input is padded by `pads_begin`, `pads_end` (0 when short) first; with `scales` the size is
/// floor(padded size * scale). `cube_coeff` belongs to mode cubic. Source: OpenVINO operation set, Interpolate-1, -4, -11.
struct interpolate {
    static constexpr auto number = kind::interpolate;
    static constexpr text_view name = "Interpolate";
    static constexpr versions opsets{0, 4, 11};
    static constexpr ports inputs{2, 4};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::precision_preserved | trait::relaxable | trait::reads_values;

    bool align_corners = true;
    integers axes;
    op::interpolate_mode mode = op::interpolate_mode::nearest;
    op::shape_calculation_mode shape_calculation_mode = op::shape_calculation_mode::sizes;
    op::coordinate_transformation_mode coordinate_transformation_mode = op::coordinate_transformation_mode::half_pixel;
    op::nearest_mode nearest_mode = op::nearest_mode::round_prefer_floor;
    bool antialias = false;
    integers pads_begin;
    integers pads_end;
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
/// Inputs: x, lengths `[size of batch_axis]` of integers. `batch_axis`, `seq_axis` in `[-rank, rank)`. Source: OpenVINO operation set, ReverseSequence-1.
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

constexpr void concat::infer(const concat&, inference& facts) { facts.output(facts.type(0), shape::of_dynamic_rank()); }
constexpr void split::infer(const split&, inference& facts) { facts.output(facts.type(0), shape::of_dynamic_rank()); }
constexpr void variadic_split::infer(const variadic_split&, inference& facts) { facts.output(facts.type(0), shape::of_dynamic_rank()); }
constexpr void strided_slice::infer(const strided_slice&, inference& facts) { facts.output(facts.type(0), shape::of_dynamic_rank()); }
constexpr void slice::infer(const slice&, inference& facts) { facts.output(facts.type(0), shape::of_dynamic_rank()); }
constexpr void gather::infer(const gather&, inference& facts) { facts.output(facts.type(0), shape::of_dynamic_rank()); }
constexpr void gather_nd::infer(const gather_nd&, inference& facts) { facts.output(facts.type(0), shape::of_dynamic_rank()); }
constexpr void reshape::infer(const reshape&, inference& facts) { facts.output(facts.type(0), shape::of_dynamic_rank()); }
constexpr void squeeze::infer(const squeeze&, inference& facts) { facts.output(facts.type(0), shape::of_dynamic_rank()); }
constexpr void unsqueeze::infer(const unsqueeze&, inference& facts) { facts.output(facts.type(0), shape::of_dynamic_rank()); }
constexpr void transpose::infer(const transpose&, inference& facts) { facts.output(facts.type(0), shape::of_dynamic_rank()); }
constexpr void depth_to_space::infer(const depth_to_space&, inference& facts) { facts.output(facts.type(0), shape::of_dynamic_rank()); }
constexpr void space_to_depth::infer(const space_to_depth&, inference& facts) { facts.output(facts.type(0), shape::of_dynamic_rank()); }
constexpr void batch_to_space::infer(const batch_to_space&, inference& facts) { facts.output(facts.type(0), shape::of_dynamic_rank()); }
constexpr void space_to_batch::infer(const space_to_batch&, inference& facts) { facts.output(facts.type(0), shape::of_dynamic_rank()); }
constexpr void shuffle_channels::infer(const shuffle_channels&, inference& facts) { facts.output(facts.type(0), shape::of_dynamic_rank()); }
constexpr void broadcast::infer(const broadcast&, inference& facts) { facts.output(facts.type(0), shape::of_dynamic_rank()); }
constexpr void tile::infer(const tile&, inference& facts) { facts.output(facts.type(0), shape::of_dynamic_rank()); }
constexpr void pad::infer(const pad&, inference& facts) { facts.output(facts.type(0), shape::of_dynamic_rank()); }
constexpr void interpolate::infer(const interpolate&, inference& facts) { facts.output(facts.type(0), shape::of_dynamic_rank()); }
constexpr void reverse_sequence::infer(const reverse_sequence&, inference& facts) { facts.output(facts.type(0), shape::of_dynamic_rank()); }

}  // namespace lpt::op
