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
            if (pads == nullptr || any_value(*pads, [](double pad) { return pad < 0; })) {
                const reason why = pads == nullptr ? reason::axes_not_constant : reason::unsupported_padding;
                return r.refused(id, name, refuse(why, static_cast<int>(port)));
            }
        }
        return replace_by_version(r, id, r.model[id].attributes(), inputs_of(r.model, id), 1);
    }
};

}  // namespace lpt::inline LPT_ABI
