// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/pipeline/driver.hpp>

namespace lpt::inline LPT_ABI {

/// A transformation or a step over the whole graph, as data. Either `run` is set, or `rows`.
struct pass_row {
    text_view name;                    // published name
    void (*run)(rewrite&) = nullptr;   // a step over the whole graph
    view<dispatch_row> rows{};         // a transformation that visits nodes
};

namespace detail {
template <class Pass>
[[gnu::cold]] constexpr void run_pass(rewrite& changes) {
    Pass::run(changes);
}
}  // namespace detail

/// The row of a transformation type.
template <class Pass>
constexpr pass_row make_pass() {
    if constexpr (requires(rewrite& changes) { Pass::run(changes); }) {
        return {Pass::name, &detail::run_pass<Pass>, {}};
    } else {
        return {Pass::name, nullptr, rows_of<Pass>};
    }
}

}  // namespace lpt::inline LPT_ABI
