// SPDX-License-Identifier: Apache-2.0
// Blocks of space in exchange for channels or for the batch.
#pragma once

#include <lpt/op/movement/port_values.hpp>

namespace lpt::inline LPT_ABI::op {

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

namespace detail {

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

}  // namespace detail

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

}  // namespace lpt::inline LPT_ABI::op
