// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/tflite/movement.hpp>

/// Pictures of other sizes, and pixels that become channels or batches.
namespace lpt::inline LPT_ABI::tflite {

inline void make_depth_to_space(network& net) {
    const output_ref data = net.real_input(0, axes::channels_first);
    net.give_moved(net.make().add(op::depth_to_space{net.op().integer("block_size")}, {data}), axes::channels_first, 0);
}
inline void make_space_to_depth(network& net) {
    const output_ref data = net.real_input(0, axes::channels_first);
    net.give_moved(net.make().add(op::space_to_depth{net.op().integer("block_size")}, {data}), axes::channels_first, 0);
}

/// SPACE_TO_BATCH_ND and its inverse: blocks of the axes behind the batch, and margins or crops of them.
template <class Operation>
void make_blocks(network& net) {
    const std::size_t rank = net.input_info(0).dimensions.rank();
    const axes order = movable_order(net, {0});
    integers block = net.integers_input(1, "block");
    const margins by = margins_input(net, 2, block.size());
    if (block.size() + 1 > rank) {
        net.wrong("its block has ", block.size(), " axes, its data ", rank);
    }
    integers sizes(shape::of_ones(rank).dimensions());
    integers begin;
    integers end;
    begin.resize(rank, 0);
    end.resize(rank, 0);
    for (std::size_t axis = 0; axis < block.size(); ++axis) {
        sizes[axis + 1] = block[axis];
        begin[axis + 1] = by.begin[axis];
        end[axis + 1] = by.end[axis];
    }
    net.give_moved(net.make().add(Operation{}, {net.real_input(0, order), net.make().indices(in_order(sizes, order)),
                                                net.make().indices(in_order(begin, order)),
                                                net.make().indices(in_order(end, order))}),
                   order, 0);
}

inline void make_resized(network& net, op::interpolate what) {
    const bool corners = net.op().flag("align_corners");
    const bool half_pixels = net.op().flag("half_pixel_centers");
    const bool nearest = what.mode == op::interpolate_mode::nearest;
    using mode = op::coordinate_transformation_mode;
    what.coordinate_transformation_mode = corners        ? mode::align_corners
                                          : !half_pixels ? mode::asymmetric
                                          : nearest      ? mode::tf_half_pixel_for_nn
                                                         : mode::half_pixel;
    what.nearest_mode = corners ? op::nearest_mode::round_prefer_ceil : op::nearest_mode::floor;
    const shape& numbers = net.input_info(1).dimensions;
    if (numbers.rank() != 1 || numbers[0] != 2) {
        net.wrong("its size has the shape ", numbers, ", expected 2 numbers");
    }
    const output_ref size = net.make().add(op::convert{i64}, {net.real_input(1)});
    const output_ref data = net.real_input(0, axes::channels_first);
    const output_ref result = net.make().add(what, {data, size, net.make().indices({2, 3})}, 11);
    if (nearest) {
        net.give_moved(result, axes::channels_first, 0);
    } else {
        net.give(result, axes::channels_first);
    }
}
inline void make_resize_bilinear(network& net) {
    op::interpolate what;
    what.mode = op::interpolate_mode::linear_onnx;
    make_resized(net, what);
}
inline void make_resize_nearest_neighbor(network& net) { make_resized(net, {}); }

}  // namespace lpt::inline LPT_ABI::tflite
