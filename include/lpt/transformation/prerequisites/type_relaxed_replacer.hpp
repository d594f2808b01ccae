// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/set.hpp>
#include <lpt/transformation/markup/bodies.hpp>

namespace lpt::inline LPT_ABI {

/// Makes the operations that may compute on low precision inputs and give another type type-relaxed, without changing
/// anything else. MatMul is relaxed by its own transformation.
struct type_relaxed_replacer : step_over_operations<type_relaxed_replacer> {
    static constexpr text_view name = "TypeRelaxedReplacer";
    using writes = attribute::set<attribute::relaxed_types>;

    static constexpr void visit(rewrite& r, node_id id) {
        if (!r.model[id].relaxed() && is_relaxable(r.model[id])) {
            r.model.relax(id);
        }
    }

private:
    static constexpr bool is_relaxable(const node& each) {
        switch (each.kind()) {
            case op::kind::avg_pool: return each.version() == 1;
            case op::kind::interpolate: return each.version() <= 4;
            default: return op::has(op::row_of(each.attributes()).traits, op::trait::relaxable);
        }
    }
};

}  // namespace lpt::inline LPT_ABI
