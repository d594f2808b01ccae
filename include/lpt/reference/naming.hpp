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

/// What an error says, with the node that it is about in front, unless it names one of that operation itself.
[[gnu::cold]] inline text naming(const node& each, const text& message) {
    const text_view operation = each.operation();
    const text name = each.name().empty() ? text(operation) : join({operation, " '", each.name(), "'"});
    if (message.view().starts_with(join({operation, " '"}))) {
        return message;
    }
    const text alone = join({operation, ": "});
    const text_view rest = message.view().starts_with(alone)
                               ? message.view().substr(alone.size(), message.size() - alone.size())
                               : message.view();
    return join({name, ": ", rest});
}

/// Does some work for a node; what it raises names the node.
template <class Work>
auto naming_errors_of(const node& each, const Work& work) -> decltype(work()) {
    try {
        return naming_memory_of(each, work);
    } catch (const error& raised) {
        fail({naming(each, raised.message())});
    }
}

}  // namespace lpt::inline LPT_ABI::detail
