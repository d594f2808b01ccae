// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/prerequisites/linear_operands.hpp>

namespace lpt::inline LPT_ABI {

/// (x + a) * b  ->  x * b + a b, so that the Multiply can meet what is above it.
struct add_multiply_fusion : linear_fusion<add_multiply_fusion, op::add> {
    static constexpr text_view name = "AddMultiplyFusion";
    using pattern = lpt::pattern<op::multiply>;

    [[gnu::cold]] static constexpr bool fuse(rewrite& r, node_id id, const linear_operands& found) {
        graph& model = r.model;
        if (model.type(found.data) != model.type(found.second) || model.type(found.first) != model.type(found.second)) {
            return r.refused(id, name, refuse(reason::types_do_not_match));
        }
        const node_id multiply = model.add(op::multiply{}, {found.data, found.second});
        const output_ref shift = fold_operation(model, op::multiply{}, {found.first, found.second});
        const node_id add = model.add(op::add{}, {multiply, shift});
        copy_information(r, found.inner, multiply);
        copy_information(r, id, multiply);
        replace_and_name(r, id, add);
        r.register_new_node(multiply);
        return true;
    }
};

}  // namespace lpt::inline LPT_ABI
