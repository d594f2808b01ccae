// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/set.hpp>
#include <lpt/transformation/markup/bodies.hpp>
#include <lpt/transformation/markup/propagation.hpp>

namespace lpt::inline LPT_ABI {

/// Brings together what each FakeQuantize can give and what the operations below it accept: a FakeQuantize output, the
/// precision preserved nodes behind it and the input ports that it reaches share one list of precisions.
struct propagate_precisions : step_over_operations<propagate_precisions> {
    static constexpr text_view name = "PropagatePrecisions";
    using may_read = attribute::set<attribute::precision_preserved, attribute::avg_pool_precision_preserved>;
    using writes = attribute::set<attribute::precisions>;

    static constexpr void visit(rewrite& r, node_id id) {
        if (r.model[id].is<op::fake_quantize>()) {
            const view<element> types = r.options.default_precisions;
            attributes_of<attribute::precisions>(r).set_output(id, 0, {seq<element, 8>(types)});
        } else if (!propagate_through_precision_preserved<attribute::precisions>(r, id) ||
                   op::is_of_user(r.model[id].kind())) {  // which may take fewer types than they are given
            propagate_to_input(r, id);
        }
    }
};

}  // namespace lpt::inline LPT_ABI
