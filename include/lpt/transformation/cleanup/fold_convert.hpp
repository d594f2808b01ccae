// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/guarded.hpp>

namespace lpt::inline LPT_ABI {

/// Folds the Converts of Constants that a Subtract reads: zero points that were stored in a low precision type.
struct fold_convert_transformation : guarded<fold_convert_transformation> {
    static constexpr text_view name = "FoldConvertTransformation";
    using pattern = lpt::pattern<op::subtract>;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        const bool any = is_converted_constant(r.model, r.model[id].input(0)) ||
                         is_converted_constant(r.model, r.model[id].input(1));
        return r.model[id].has(mark::disable_cleanup) ? refuse(reason::disabled_by_mark)
               : any                                  ? yes
                                                      : refuse(reason::nothing_to_do);
    }
    [[gnu::cold]] static constexpr bool apply(rewrite& r, node_id id) {
        for (std::size_t port = 0; port < 2; ++port) {
            const output_ref source = r.model[id].input(port);
            if (!is_converted_constant(r.model, source)) {
                continue;
            }
            const output_ref folded = fold_convert(r.model, r.model[source.node].input(0), r.model.type(source));
            if (folded != r.model[source.node].input(0)) {
                copy_information_and_name(r, source.node, folded.node);
            }
            r.model.replace_uses(source, folded);
        }
        if (!r.follows(quirk::forgotten_subtract)) {
            r.register_new_node(id);  // a FakeQuantize above may take it up now
        }
        return true;
    }
};

}  // namespace lpt::inline LPT_ABI
