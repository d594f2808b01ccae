// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

/// Squeeze-15 to Squeeze-0, the one that low precision rules match, where it may not skip axes.
struct convert_squeeze {
    static constexpr text_view name = "ConvertSqueeze15ToSqueeze0";
    using pattern = lpt::pattern<op::squeeze>;

    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        if (r.model[id].version() != 15) {
            return false;
        }
        if (r.model[id].as<op::squeeze>().allow_axis_skip) {
            return r.refused(id, name, refuse(reason::unsupported_mode));
        }
        return replace_by_version(r, id, op::squeeze{}, inputs_of(r.model, id), 0);
    }
};

}  // namespace lpt::inline LPT_ABI
