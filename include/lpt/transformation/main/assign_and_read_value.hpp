// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization_constants.hpp>
#include <lpt/transformation/fake_quantize/fuse_above.hpp>
#include <lpt/transformation/guarded.hpp>
#include <lpt/transformation/variables.hpp>

namespace lpt::inline LPT_ABI {

/// Keeps a variable of the network in low precision: Assign takes the quantized data, and the dequantization moves behind ReadValue.
///
/// before: ReadValue(0) -> readers, Multiply(Convert(q), scale) -> Assign
/// after: ReadValue(0) -> Convert -> Multiply -> readers, q -> Assign
/// The variable gets the element type of q. It must begin with zeros, which mean the same in both types as there is no zero point, and
/// only these two operations may use it. A FakeQuantize that is the only reader takes up the new Multiply at once.
struct assign_and_read_value_transformation : guarded<assign_and_read_value_transformation> {
    static constexpr text_view name = "AssignAndReadValueTransformation";
    using pattern = lpt::pattern<op::assign, from<op::multiply>>;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        return first_refusal<base_precondition, state_begins_with_zeros, has_scale, has_no_zero_point,
                             constants_are_finite, variable_is_its_own>(r, id);
    }
    [[gnu::cold]] static constexpr bool apply(rewrite& r, node_id id) {
        const dequantization found = normalize_dequantization(r, find_dequantization(r, id));
        const node_id read = read_value_of(r.model, id);
        const element type = r.model.type(found.data);
        seq<output_ref, 5> first;
        if (r.model[read].inputs() != 0) {
            first.push_back(fold_convert(r.model, r.model[read].input(0), type));
        }
        const node_id made = add_read_value(r, read, first, type);
        dequantization behind = found;
        behind.data = made;
        const output_ref last = detail::clone_dequantization(r, behind);
        r.model.replace_uses(read, last);
        update_output_name(r, last.node, made);
        r.model.replace(read, made);
        const seq<node_id> waits_for = r.model[id].control_dependencies();
        replace_assign(r, id, found.data, waits_for);
        fuse_into_reader(r, last);
        return true;
    }

private:
    /// Without an initial value a variable begins with zeros.
    static constexpr verdict state_begins_with_zeros(const rewrite& r, node_id id, const dequantization&) {
        const node_id read = read_value_of(r.model, id);
        const bool has_value = read != node_id::none && r.model[read].inputs() != 0;
        const tensor* value = has_value ? r.model.constant_value(r.model[read].input(0)) : nullptr;
        return read != node_id::none && (!has_value || (value != nullptr && is_zero(*value)))
                   ? yes
                   : refuse(reason::state_not_zero_at_first);
    }
    static constexpr verdict variable_is_its_own(const rewrite& r, node_id id, const dequantization&) {
        return is_variable_used_elsewhere(r.model, id, read_value_of(r.model, id)) ? refuse(reason::shared_state) : yes;
    }
    static constexpr void fuse_into_reader(rewrite& r, output_ref last) {
        graph& model = r.model;
        const input_ref reader = model.first_use(last);
        if (model.use_count(last) == 1 && reader.port == 0 && model[reader.node].is<op::fake_quantize>() &&
            has_constant_ranges(model, reader.node)) {
            detail::fuse_one_above(r, reader.node);
        }
    }
};

}  // namespace lpt::inline LPT_ABI
