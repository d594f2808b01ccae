// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/graph.hpp>

namespace lpt::inline LPT_ABI {

/// Gives a graph back what it was when something goes wrong before `keep_changes` is called.
///
/// Holds a copy, which shares attributes and tensors with the graph. Where an error takes the changes back, references to
/// nodes end; their numbers are those of before.
class graph_backup {
    graph& model_;
    graph before_;
    bool keeps_changes_ = false;

public:
    constexpr explicit graph_backup(graph& model) : model_(model), before_(model) {}
    constexpr graph_backup(const graph_backup&) = delete;
    constexpr graph_backup& operator=(const graph_backup&) = delete;
    constexpr ~graph_backup() {
        if (!keeps_changes_) {
            model_.swap(before_);
        }
    }
    constexpr void keep_changes() { keeps_changes_ = true; }
    /// The graph as it was.
    constexpr const graph& before() const { return before_; }
};

}  // namespace lpt::inline LPT_ABI
