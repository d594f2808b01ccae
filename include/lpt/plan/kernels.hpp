// SPDX-License-Identifier: Apache-2.0
// Operations that one kernel computes each, without an epilogue.
#pragma once

#include <lpt/plan/attention.hpp>
#include <lpt/plan/axes.hpp>
#include <lpt/plan/cast.hpp>
#include <lpt/plan/compressed_product.hpp>
#include <lpt/plan/pointwise.hpp>
#include <lpt/plan/recurrent.hpp>
#include <lpt/plan/resampling.hpp>
#include <lpt/plan/softmax.hpp>
#include <lpt/plan/top_k.hpp>

namespace lpt::inline LPT_ABI::plan {

/// The step of an operation that has a kernel of its own; false where it has none for these types and shapes.
inline bool planner::make_kernel(node_id id) {
    return make_softmax(id) || make_recurrent(id) || make_attention(id) || make_normalization(id) ||
           make_reduction(id) || make_cast(id) || make_pointwise(id) || make_resampling(id) ||
           make_compressed_product(id) || make_top_k(id);
}

}  // namespace lpt::inline LPT_ABI::plan
