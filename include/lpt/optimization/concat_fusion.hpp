// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

/// A Concat of what other Concats along the same axis give, and nobody else reads, takes their inputs itself: elements are copied once.
struct concat_fusion {
    static constexpr text_view name = "ConcatFusion";
    using pattern = lpt::pattern<op::concat>;

    static constexpr bool transform(rewrite& r, node_id id) {
        seq<output_ref, 8> inputs;
        bool changes = false;
        for (std::size_t port = 0; port < r.model[id].inputs(); ++port) {
            const output_ref source = r.model[id].input(port);
            if (!is_part_of(r.model, id, source)) {
                inputs.push_back(source);
                continue;
            }
            changes = true;
            for (std::size_t inner = 0; inner < r.model[source.node].inputs(); ++inner) {
                inputs.push_back(r.model[source.node].input(inner));
            }
        }
        if (changes) {
            replace_and_name(r, id, r.model.clone(id, inputs));
        }
        return changes;
    }

private:
    static constexpr std::int64_t axis_of(const graph& model, node_id id) {
        const shape& dimensions = model[id].shape();
        return dimensions.rank_is_static() ? normalized_axis(model[id].as<op::concat>().axis, dimensions.rank()) : -1;
    }
    static constexpr bool is_part_of(const graph& model, node_id outer, output_ref source) {
        const node& inner = model[source.node];
        return inner.is<op::concat>() && inner.type() == model.type(inner.input(0)) && axis_of(model, outer) >= 0 &&
               axis_of(model, outer) == axis_of(model, source.node) && model.uses(source).size() == 1;
    }
};

}  // namespace lpt::inline LPT_ABI
