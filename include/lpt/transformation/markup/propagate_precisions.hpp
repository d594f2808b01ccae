// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/set.hpp>
#include <lpt/transformation/markup/bodies.hpp>
#include <lpt/transformation/markup/propagation.hpp>

namespace lpt::inline LPT_ABI {

/// Brings together what each FakeQuantize can give and what the operations below it accept: a FakeQuantize output, the
/// precision preserved nodes behind it and the input ports that it reaches share one list of precisions.
struct propagate_precisions {
    static constexpr text_view name = "PropagatePrecisions";
    using may_read = attribute::set<attribute::precision_preserved, attribute::avg_pool_precision_preserved>;
    using writes = attribute::set<attribute::precisions>;

    [[gnu::cold]] static constexpr void run(rewrite& r) {
        for (const node_id id : r.operations()) {
            run_on_bodies<propagate_precisions>(r, id);
            if (r.skips(name, id)) {
                continue;
            }
            if (r.model[id].is<op::fake_quantize>()) {
                const view<element> types = r.options.default_precisions;
                attributes_of<attribute::precisions>(r).set_output(id, 0, {seq<element, 8>(types)});
                continue;
            }
            const bool passed_on = propagate_through_precision_preserved<attribute::precisions>(r, id);
            if (!passed_on || op::is_of_user(r.model[id].kind())) {  // which may take fewer types than they are given
                propagate_to_input<attribute::precisions>(r, id);
            }
        }
    }
};

}  // namespace lpt::inline LPT_ABI
