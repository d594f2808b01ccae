// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/set.hpp>
#include <lpt/transformation/markup/bodies.hpp>
#include <lpt/transformation/markup/propagation.hpp>

namespace lpt::inline LPT_ABI {

/// Finds the AvgPools whose output can stay in low precision: those that reach an operation that computes in low precision
/// through operations that preserve precision. Their `precision_preserved` becomes true.
struct markup_avg_pool_precision_preserved : step_over_operations<markup_avg_pool_precision_preserved> {
    static constexpr text_view name = "MarkupAvgPoolPrecisionPreserved";
    using may_read = attribute::set<attribute::precision_preserved>;
    using writes = attribute::set<attribute::avg_pool_precision_preserved, attribute::precision_preserved>;

    static constexpr bool needed(const rewrite& r) { return has_operation(r.model, op::kind::avg_pool, 1); }

    static constexpr void visit(rewrite& r, node_id id) {
        using avg_pool_attribute = attribute::avg_pool_precision_preserved;
        if (r.model[id].is<op::avg_pool>() && r.model[id].version() == 1) {
            const attribute::place here = attribute::place::on_node(id);
            attributes_of<attribute::precision_preserved>(r).set(here, {false});
            attributes_of<avg_pool_attribute>(r).share_from(attributes_of<attribute::precision_preserved>(r), here,
                                                            here);
        } else if (!propagate_through_precision_preserved<avg_pool_attribute>(r, id) && !r.model[id].is<op::result>()) {
            update_shared_precision_preserved<avg_pool_attribute>(r, id, [](std::size_t) { return true; });
        }
    }
};

}  // namespace lpt::inline LPT_ABI
