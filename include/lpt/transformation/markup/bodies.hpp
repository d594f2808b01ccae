// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/rewrite.hpp>

namespace lpt {

/// Runs a whole-graph step on the graphs inside a node, with the same options and restrictions and the attribute tables
/// of those graphs.
template <class Step>
constexpr void run_on_bodies(rewrite& r, node_id id) {
    for (std::size_t which = 0; which < r.model[id].bodies().size(); ++which) {
        rewrite inside(r.model.body(id, which), r.attributes.body(id, which), r.options, r.restrictions);
        Step::run(inside);
    }
}

}  // namespace lpt
