// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

/// Pad-12 to Pad-1 where no padding is negative: version 12 only adds those.
struct convert_pad {
    static constexpr text_view name = "ConvertPad12ToPad1";
    using pattern = lpt::pattern<op::pad>;

    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        if (r.model[id].version() != 12) {
            return false;
        }
        for (const std::size_t port : {1u, 2u}) {
            const tensor* pads = r.model.constant_value(r.model[id].input(port));
            for (std::size_t i = 0; pads != nullptr && i < pads->elements(); ++i) {
                if (pads->integer(i) < 0) {
                    return r.refused(id, name, refuse(reason::unsupported_padding, static_cast<int>(port)));
                }
            }
            if (pads == nullptr) {
                return r.refused(id, name, refuse(reason::axes_not_constant, static_cast<int>(port)));
            }
        }
        replace_by_version(r, id, r.model[id].attributes(), inputs_of(r.model, id), 1);
        return true;
    }
};

}  // namespace lpt::inline LPT_ABI
