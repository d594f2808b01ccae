// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/preparation/stored_dequantization.hpp>

namespace lpt::inline LPT_ABI {

/// Marks the constants of the dequantizations that a file has, so that a later conversion of precision leaves them their type.
///
/// Data; the zero point that a Convert reads, unless `fold_subtract` (default false); the scale that a Convert reads, unless `fold_multiply`
/// (default true): each if its own type is one of those that are looked for (u8, i8 by default).
struct keep_const_precision {
    static constexpr text_view name = "KeepConstPrecision";
    using pattern = lpt::pattern<op::multiply>;

    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        const transformation_arguments set = r.options.arguments_of(name);
        const seq<element, 8> precisions = r.options.precisions_of(name, int8_precisions);
        const stored_dequantization found = find_stored_dequantization(r.model, id, precisions);
        if (!found) {
            return false;
        }
        const auto keep = [&](output_ref value) {
            if (is_constant(r.model, value) && precisions.contains(r.model.type(value))) {
                r.model.set_mark(value.node, mark::keep_const_precision);
            }
        };
        keep(r.model[found.convert].input(0));
        if (found.subtract != node_id::none && found.zero_point.convert != node_id::none && !set.fold_subtract) {
            keep(found.zero_point.value);
        }
        if (found.scale.convert != node_id::none && !set.fold_multiply) {
            keep(found.scale.value);
        }
        return false;
    }
};

}  // namespace lpt::inline LPT_ABI
