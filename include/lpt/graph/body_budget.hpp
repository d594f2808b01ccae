// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/graph.hpp>

namespace lpt::inline LPT_ABI::detail {

/// Works on a graph inside a node, which spends the folding budget of the network around it meanwhile.
template <class Work>
constexpr void with_budget_of_network(graph& model, node_id id, std::size_t which, const Work& work) {
    graph& body = model.body(id, which);
    body.set_folding_budget(model.folding());
    work(body);
    model.set_folding_budget(body.folding());
}

}  // namespace lpt::inline LPT_ABI::detail
