// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/main/batch_to_space.hpp>
#include <lpt/transformation/main/broadcast.hpp>
#include <lpt/transformation/main/depth_to_space.hpp>
#include <lpt/transformation/main/interpolate.hpp>
#include <lpt/transformation/main/max_pool.hpp>
#include <lpt/transformation/main/pad.hpp>
#include <lpt/transformation/main/reduce_max.hpp>
#include <lpt/transformation/main/reduce_min.hpp>
#include <lpt/transformation/main/relu.hpp>
#include <lpt/transformation/main/reshape.hpp>
#include <lpt/transformation/main/shuffle_channels.hpp>
#include <lpt/transformation/main/space_to_batch.hpp>
#include <lpt/transformation/main/squeeze.hpp>
#include <lpt/transformation/main/strided_slice.hpp>
#include <lpt/transformation/main/transpose.hpp>
#include <lpt/transformation/main/unsqueeze.hpp>

namespace lpt::inline LPT_ABI::detail {

/// Moves a dequantization behind an operation that gives the values that it gets, by that operation's own rules.
template <class... Transformations>
struct move_behind_first_of {
    static constexpr bool knows(const graph& model, node_id id) {
        return ((Transformations::pattern::roots[0] == model[id].kind()) || ...);
    }
    static constexpr bool apply(rewrite& r, node_id id) { return (try_one<Transformations>(r, id) || ...); }

private:
    template <class Transformation>
    static constexpr bool try_one(rewrite& r, node_id id) {
        return Transformation::pattern::matches(r.model, id) && !r.skips(Transformation::name, id) &&
               Transformation::transform(r, id);
    }
};

using move_behind = move_behind_first_of<
    batch_to_space_transformation, broadcast_transformation, depth_to_space_transformation, interpolate_transformation,
    max_pool_transformation, pad_transformation, reduce_max_transformation, reduce_min_transformation,
    relu_transformation, reshape_transformation, shuffle_channels_transformation, space_to_batch_transformation,
    squeeze_transformation, strided_slice_transformation, transpose_transformation, unsqueeze_transformation>;

}  // namespace lpt::inline LPT_ABI::detail
