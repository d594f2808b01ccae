// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/guarded.hpp>

namespace lpt::inline LPT_ABI {

/// MaxPool of a newer version to version 1, the one that low precision rules match: where nothing reads the indices, all
/// dilations are 1, and the rounding gives the shape that version 1 gives.
struct convert_max_pool : guarded<convert_max_pool> {
    static constexpr text_view name = "ConvertMaxPool8ToMaxPool1";
    using pattern = lpt::pattern<op::max_pool>;

    static constexpr bool is_about(const rewrite& r, node_id id) { return r.model[id].version() != 1; }
    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        const integers& dilations = r.model[id].as<op::max_pool>().dilations;
        const bool gives_indices = r.model[id].outputs() > 1 && r.model.use_count({id, 1}) != 0;
        return gives_indices || dilations != integers(dilations.size(), 1) ? refuse(reason::unsupported_mode) : yes;
    }
    [[gnu::cold]] static constexpr bool apply(rewrite& r, node_id id) {
        graph& model = r.model;
        op::max_pool pool = model[id].as<op::max_pool>();
        pool.dilations = {};
        pool.rounding_type =
            pool.rounding_type == op::rounding_type::floor ? pool.rounding_type : op::rounding_type::ceil;
        const node_id made = model.add(pool, {model[id].input(0)}, {}, 1);
        if (!(model[made].shape() == model[id].shape())) {
            return r.refused(id, name, refuse(reason::unsupported_mode));
        }
        return replace_first_output(r, id, made);
    }
};

}  // namespace lpt::inline LPT_ABI
