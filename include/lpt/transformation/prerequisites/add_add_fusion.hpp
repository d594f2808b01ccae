// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/prerequisites/linear_operands.hpp>

namespace lpt::inline LPT_ABI {

/// (x + a) + b  ->  x + (a + b)
struct add_add_fusion : linear_fusion<add_add_fusion, op::add> {
    static constexpr text_view name = "AddAddFusion";
    using pattern = lpt::pattern<op::add>;

    [[gnu::cold]] static constexpr bool fuse(rewrite& r, node_id id, const linear_operands& found) {
        const output_ref sum = fold_operation(r.model, op::add{}, {found.first, found.second});
        const node_id add = r.model.add(op::add{}, {found.data, sum});
        replace_and_name(r, id, add);
        r.register_new_node(add);
        return true;
    }
};

}  // namespace lpt::inline LPT_ABI
