// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/markup/bodies.hpp>
#include <lpt/transformation/markup/propagation.hpp>

namespace lpt {

/// Finds the AvgPools whose output can stay in low precision: those that reach an operation that computes in low precision
/// through operations that preserve precision. Their `precision_preserved` becomes true.
struct markup_avg_pool_precision_preserved {
    static constexpr text_view name = "MarkupAvgPoolPrecisionPreserved";

    /// False if a pipeline may leave the step out.
    static constexpr bool needed(const rewrite& r) { return has_operation(r.model, op::kind::avg_pool, 1); }

    [[gnu::cold]] static constexpr void run(rewrite& r) {
        using avg_pool_attribute = attribute::avg_pool_precision_preserved;
        for (const node_id id : topological_order(r.model)) {
            run_on_bodies<markup_avg_pool_precision_preserved>(r, id);
            if (r.skips(name, id)) {
                continue;
            }
            if (r.model[id].is<op::avg_pool>() && r.model[id].version() == 1) {
                const attribute::place here = attribute::place::on_node(id);
                r.attributes.of<attribute::precision_preserved>().set(here, {false});
                r.attributes.of<avg_pool_attribute>().share_from(r.attributes.of<attribute::precision_preserved>(),
                                                                 here, here);
            } else if (!propagate_through_precision_preserved<avg_pool_attribute>(r, id)) {
                update_shared_precision_preserved<avg_pool_attribute, void>(r, id, nullptr);
            }
        }
    }
};

}  // namespace lpt
