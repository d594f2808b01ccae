// SPDX-License-Identifier: Apache-2.0
// Sizes that several inputs of an operation share.
#pragma once

#include <lpt/op/row.hpp>

namespace lpt::inline LPT_ABI::op::detail {

/// Raises an error unless the input can have these sizes; takes the sizes that were not known before.
constexpr void require_sizes(const inference& facts, std::size_t port, text_view what, view<dimension*> sizes) {
    const shape& dimensions = facts.dimensions(port);
    if (dimensions.rank_is_dynamic()) {
        return;
    }
    bool agrees = dimensions.rank() == sizes.size();
    shape wanted;
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
        wanted.push_back(*sizes[axis]);
        agrees = agrees && merge_dimension(*sizes[axis], dimensions[axis]);
    }
    if (!agrees) {
        facts.wrong({what, " (input ", port, ") must have shape ", wanted, ", not ", dimensions});
    }
}

/// Raises an error unless an input can have real numbers.
constexpr void require_real(const inference& facts, std::size_t port) {
    if (facts.type(port) != dynamic && !is_real(facts.type(port))) {
        facts.wrong({"input ", port, " must be of a floating point type, not ", lpt::name(facts.type(port))});
    }
}

}  // namespace lpt::inline LPT_ABI::op::detail
