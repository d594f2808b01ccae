// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/guarded.hpp>

namespace lpt::inline LPT_ABI {

/// Takes the Convert to f16 or f32 above an elementwise operation with a constant away: the operation becomes a
/// type-relaxed one that reads the low precision tensor itself. The Convert of a Constant is folded instead.
///
/// A Subtract from unsigned data needs a constant without negative values: an engine may compute in the unsigned type.
struct fuse_convert_transformation : guarded<fuse_convert_transformation> {
    static constexpr text_view name = "FuseConvertTransformation";
    using pattern = any_of<lpt::pattern<op::multiply, from<op::convert>, from_constant>,
                           lpt::pattern<op::subtract, from<op::convert>, from_constant>,
                           lpt::pattern<op::add, from<op::convert>, from_constant>,
                           lpt::pattern<op::fake_quantize, from<op::convert>, anything, anything, anything, anything>>;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        const graph& model = r.model;
        if (model[id].has(mark::disable_cleanup)) {
            return refuse(reason::disabled_by_mark);
        }
        const output_ref converted = model[id].input(0);
        if (!model[converted.node].is<op::convert>()) {
            return refuse(reason::nothing_to_do, 0);
        }
        const element type = model.type(converted);
        const output_ref data = model[converted.node].input(0);
        const bool is_shift = model[id].is<op::subtract>();
        return type != f16 && type != f32          ? refuse_type(reason::types_do_not_match, 0, type)
               : is_constant(model, data)          ? yes
               : model[id].is<op::fake_quantize>() ? refuse(reason::nothing_to_do, 0)
               : is_shift && has_negative_constant_for(model, id, model.type(data))
                   ? refuse(reason::zero_point_does_not_fit, 1)
                   : yes;
    }
    [[gnu::cold]] static constexpr bool apply(rewrite& r, node_id id) {
        const node_id convert = r.model.producer(id, 0);
        const output_ref data = r.model[convert].input(0);
        const element type = r.model[convert].type();
        if (is_constant(r.model, data)) {
            const output_ref folded = fold_convert(r.model, data, type);
            if (folded != data) {
                copy_information(r, data.node, folded.node);
            }
            r.model.replace_uses(convert, folded);
            return true;
        }
        const element given = r.model[id].type();
        const element constant_type = r.model.type(r.model[id].input(1));
        renew_relaxed(r, id, {data, r.model[id].input(1)}, {{type, constant_type == type ? dynamic : type}, {given}});
        r.attributes.drop_ports(id);
        r.register_new_node(id);
        return true;
    }

private:
    static constexpr bool has_negative_constant_for(const graph& model, node_id id, element data_type) {
        const tensor* constant = model.constant_value(model[id].input(1));
        return !is_signed(data_type) && constant != nullptr &&
               any_value(*constant, [](double value) { return value < 0; });
    }
};

}  // namespace lpt::inline LPT_ABI
