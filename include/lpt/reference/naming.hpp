// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/memory_errors.hpp>
#include <lpt/graph/graph.hpp>

#include <stdexcept>

namespace lpt::inline LPT_ABI::detail {

/// Does some work for a node; where memory cannot be had for it, raises an error that names the node.
template <class Work>
auto naming_memory_of(const node& each, const Work& work) -> decltype(work()) {
    const auto name = [&] { return join({each.operation(), " '", each.name(), "'"}); };
    try {
        return naming_memory(work, name);
    } catch (const std::length_error&) {  // of the standard library's containers
        fail({name(), ": it needs more memory than there can be"});
    }
}

}  // namespace lpt::inline LPT_ABI::detail
