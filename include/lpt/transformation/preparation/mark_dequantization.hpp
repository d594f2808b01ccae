// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/preparation/stored_dequantization.hpp>

namespace lpt::inline LPT_ABI {

/// Marks the dequantizations that a file has, so that nothing folds quantized weights back to floating point.
///
/// Subtract and Multiply become dequantization nodes; constant folding is switched off for the Convert of the data and, unless
/// `fold_subtract` (default false) or `fold_multiply` (default true) is set, for the Converts of zero point and scale from one of the
/// types that are looked for (u8, i8 by default). A Reshape or Unsqueeze below such a Convert moves above it, where it folds.
struct mark_dequantization {
    static constexpr text_view name = "MarkDequantization";
    using pattern = lpt::pattern<op::multiply>;

    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        const transformation_arguments set = r.options.arguments_of(name);
        const seq<element, 8> precisions = r.options.precisions_of(name, int8_precisions);
        const stored_dequantization found = find_stored_dequantization(r.model, id, precisions);
        if (!found) {
            return false;
        }
        r.model.set_mark(found.convert, mark::disabled_constant_folding);
        r.model.set_mark(id, mark::dequantization_node);
        if (found.subtract != node_id::none) {
            r.model.set_mark(found.subtract, mark::dequantization_node);
            mark_constant(r, found.zero_point, precisions, set.fold_subtract);
        }
        mark_constant(r, found.scale, precisions, set.fold_multiply);
        return false;
    }

private:
    static constexpr void mark_constant(rewrite& r, const stored_constant& constant, const seq<element, 8>& precisions,
                                        bool fold) {
        if (constant.convert == node_id::none) {
            return;
        }
        const node_id convert = constant.reshape == node_id::none ? constant.convert : move_reshape_up(r, constant);
        if (!precisions.contains(r.model.type(constant.value))) {
            return;
        }
        if (fold) {
            r.model.clear_mark(convert, mark::disabled_constant_folding);
        } else {
            r.model.set_mark(convert, mark::disabled_constant_folding);
        }
    }
    /// Reshape(Convert(x)) -> Convert(Reshape(x)), if nothing else reads the Convert, or only operations that give one shape.
    static constexpr node_id move_reshape_up(rewrite& r, const stored_constant& constant) {
        graph& model = r.model;
        if (any_reader(model, constant.convert,
                       [&](node_id reader) { return !(model[reader].shape() == model[constant.reshape].shape()); })) {
            return constant.convert;
        }
        const node_id reshape = model.clone(constant.reshape, inputs_of(model, constant.reshape, {constant.value}),
                                            model[constant.reshape].name());
        const node_id convert = model.clone(constant.convert, {reshape});
        copy_information(r, constant.reshape, reshape);
        replace_and_name(r, constant.convert, convert);
        for (const input_ref user : model.uses(convert)) {
            if (model[user.node].kind() == model[constant.reshape].kind()) {
                model.replace_uses(user.node, convert);
            }
        }
        return convert;
    }
};

}  // namespace lpt::inline LPT_ABI
