// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/prerequisites/linear_operands.hpp>

namespace lpt::inline LPT_ABI {

/// (x * a) * b  ->  x * (a b)
struct multiply_multiply_fusion : linear_fusion<multiply_multiply_fusion, op::multiply> {
    static constexpr text_view name = "MultiplyMultiplyFusion";
    using pattern = lpt::pattern<op::multiply>;

    [[gnu::cold]] static constexpr bool fuse(rewrite& r, node_id id, const linear_operands& found) {
        if (r.model[found.inner].relaxed()) {
            return r.refused(id, name, refuse(reason::types_do_not_match));
        }
        const output_ref product = fold_operation(r.model, op::multiply{}, {found.first, found.second});
        if (is_constant(r.model, product) &&
            overflows(constant_of(r.model, product.node), *r.model.constant_value(found.first),
                      *r.model.constant_value(found.second))) {
            return r.refused(id, name, refuse(reason::infinite_constant));
        }
        const node_id multiply = r.model.add(op::multiply{}, {found.data, product});
        replace_and_name(r, id, multiply);
        r.register_new_node(multiply);
        return true;
    }
};

}  // namespace lpt::inline LPT_ABI
