// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

/// AvgPool of a newer version to version 1, which low precision rules match: where all dilations are 1 and the shape stays.
struct convert_avg_pool {
    static constexpr text_view name = "ConvertAvgPool14ToAvgPool1";
    using pattern = lpt::pattern<op::avg_pool>;

    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        graph& model = r.model;
        if (model[id].version() == 1) {
            return false;
        }
        op::avg_pool pool = model[id].as<op::avg_pool>();
        if (pool.dilations != integers(pool.dilations.size(), 1)) {
            return r.refused(id, name, refuse(reason::unsupported_mode));
        }
        // ceil_torch counts its divisor in another way than ceil where windows begin in the padding on the right.
        const bool torch = pool.rounding_type == op::rounding_type::ceil_torch;
        pool.dilations = {};
        pool.rounding_type = torch ? op::rounding_type::floor : pool.rounding_type;
        const node_id made = model.add(pool, {model[id].input(0)}, {}, 1);
        if (!(model[made].shape() == model[id].shape()) || (torch && model[id].shape().is_dynamic())) {
            return r.refused(id, name, refuse(reason::unsupported_mode));
        }
        return replace_first_output(r, id, made);
    }
};

}  // namespace lpt::inline LPT_ABI
