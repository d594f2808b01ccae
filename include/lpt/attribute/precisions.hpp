// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/graph.hpp>

namespace lpt::inline LPT_ABI::attribute {

/// The element types that a quantized tensor may have, best first; an empty list means that it must not be quantized.
///
/// Lives on output ports of FakeQuantize, on input ports (what the operation accepts), and on nodes that hand the
/// precision of their inputs on.
struct precisions {
    static constexpr text_view name = "Precisions";

    seq<element, 8> types;
    node_id last_reader =
        node_id::none;  // who took the last type away: a reader on `last_port`, or a FakeQuantize; for the report
    std::int32_t last_port = -1;

    friend constexpr bool operator==(const precisions& left, const precisions& right) {
        return left.types == right.types;
    }
};

/// Keeps the types that both lists have, in the order of `into`.
constexpr void merge(precisions& into, const precisions& from) {
    seq<element, 8> common;
    for (const element type : into.types) {
        if (from.types.contains(type)) {
            common.push_back(type);
        }
    }
    if (common.empty() && into.last_reader == node_id::none) {
        into.last_reader = from.last_reader;
        into.last_port = from.last_port;
    }
    into.types = lpt::move(common);
}

/// `u8, i8`
constexpr text list_of(view<element> types) {
    text result;
    for (std::size_t i = 0; i < types.size(); ++i) {
        result.append(i == 0 ? text_view() : text_view(", ")).append(lpt::name(types[i]));
    }
    return result;
}

/// `precisions: {u8, i8}`
constexpr text to_text(const precisions& value) { return join({"precisions: {", list_of(value.types), "}"}); }

}  // namespace lpt::inline LPT_ABI::attribute
