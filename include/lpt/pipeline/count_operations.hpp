// SPDX-License-Identifier: Apache-2.0
// What a report counts, without the report: names are compared by their hashes, which costs a compiler little.
#pragma once

#include <lpt/pipeline/role.hpp>

namespace lpt::inline LPT_ABI::detail {

/// An operation of the network as it was, without its name's letters.
struct original_operation {
    std::uint64_t name = 0;  // hashes; 0: it has none
    std::uint64_t moved_name = 0;
    node_id node = node_id::none;
    op::kind kind = op::kind::none;
};
constexpr std::uint64_t hash_on(std::uint64_t hash, text_view letters) {
    const char* letter = letters.data();
    const char* end = letter + letters.size();
    while (letter != end) {
        hash = (hash ^ static_cast<unsigned char>(*letter++)) * 1099511628211u;
    }
    return hash;
}
inline constexpr std::uint64_t hash_of_nothing = 1469598103934665603u;

template <std::size_t Room>
struct original_operations {
    original_operation values[Room]{};
    std::size_t size = 0;
};
template <std::size_t Room>
constexpr original_operations<Room> operations_of(const graph& model) {
    original_operations<Room> result;
    for (std::size_t i = 0; i < model.id_bound(); ++i) {
        if (!model.contains(id_at(i))) {
            continue;
        }
        const node& each = model[id_at(i)];
        if (each.is<op::parameter>() || each.is<op::constant>() || each.is<op::result>()) {
            continue;
        }
        original_operation& made = result.values[result.size++];
        made.node = id_at(i);
        made.kind = each.kind();
        if (!each.name().empty()) {
            made.name = hash_on(hash_of_nothing, each.name());
            made.moved_name = hash_on(made.name, "_original");
        }
    }
    return result;
}
/// What `report` counts of the operations outside of bodies.
struct operation_counts {
    std::size_t int8 = 0;
    std::size_t quantizations = 0;
};
constexpr operation_counts count_operations(view<original_operation> before, const graph& after) {
    seq<original_operation> now;
    now.reserve(after.size());
    for (std::size_t i = 0; i < after.id_bound(); ++i) {
        if (after.contains(id_at(i)) && !after[id_at(i)].is<op::constant>() && !after[id_at(i)].name().empty()) {
            now.push_back({hash_on(hash_of_nothing, after[id_at(i)].name()), 0, id_at(i), after[id_at(i)].kind()});
        }
    }
    operation_counts result;
    for (const original_operation& each : before) {
        node_id found = node_id::none;
        if (each.name == 0 && after.contains(each.node) && after[each.node].kind() == each.kind) {
            found = each.node;
        }
        for (std::size_t i = 0; each.name != 0 && i < now.size(); ++i) {
            if (now[i].kind == each.kind && (now[i].name == each.moved_name || now[i].name == each.name)) {
                found = now[i].node;
                if (now[i].name == each.moved_name) {
                    break;
                }
            }
        }
        if (found != node_id::none) {
            const role what = role_of(after, after[found]);
            result.quantizations += what == role::quantization ? 1u : 0u;
            result.int8 += what == role::arithmetic && is_8_bit_integer(computing_type(after, after[found])) ? 1u : 0u;
        }
    }
    return result;
}

}  // namespace lpt::inline LPT_ABI::detail
