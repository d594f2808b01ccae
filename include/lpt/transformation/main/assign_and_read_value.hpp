// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization_constants.hpp>
#include <lpt/transformation/fake_quantize/fuse_above.hpp>
#include <lpt/transformation/guarded.hpp>
#include <lpt/transformation/pattern.hpp>
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
        const graph& model = r.model;
        const node_id read = read_value_of(model, id);
        const dequantization found = find_dequantization(r, id);
        return first_refusal(
            [&] { return base_precondition(r, id); },
            [&] {
                return read != node_id::none && is_zero_at_first(model, read) ? yes
                                                                              : refuse(reason::state_not_zero_at_first);
            },
            [&] { return has_scale(found); }, [&] { return has_no_zero_point(model, found); },
            [&] { return constants_are_finite(model, found); },  // what the state begins with, zero, would become NaN
            [&] { return is_variable_used_elsewhere(model, id, read) ? refuse(reason::shared_state) : yes; });
    }
    [[gnu::cold]] static constexpr bool apply(rewrite& r, node_id id) {
        const dequantization found = normalize_dequantization(r, find_dequantization(r, id));
        const node_id read = read_value_of(r.model, id);
        const node_id made = add_read(r, read, r.model.type(found.data));
        dequantization behind = found;
        behind.data = made;
        const output_ref last = detail::clone_dequantization(r, behind);
        r.model.replace_uses(read, last);
        update_output_name(r, last.node, made);
        replace_assign(r, id, found.data, {read, made});
        fuse_into_reader(r, last);
        return true;
    }

private:
    struct read_pair {
        node_id before = node_id::none;
        node_id after = node_id::none;
    };

    /// Without an initial value a variable begins with zeros.
    static constexpr bool is_zero_at_first(const graph& model, node_id read) {
        if (model[read].inputs() == 0) {
            return true;
        }
        const tensor* value = model.constant_value(model[read].input(0));
        return value != nullptr && is_zero(*value);
    }
    static constexpr node_id add_read(rewrite& r, node_id read, element type) {
        graph& model = r.model;
        seq<output_ref, 5> inputs;
        if (model[read].inputs() != 0) {
            inputs.push_back(fold_convert(model, model[read].input(0), type));
        }
        op::read_value facts = model[read].as<op::read_value>();
        if (model[read].version() >= 6) {
            facts.variable_type = type;
        }
        const node_id made = model.add(lpt::move(facts), inputs, model[read].name(), model[read].version());
        copy_information(r, read, made);
        return made;
    }
    /// A new Assign in the place of the old one; what waited for the old ReadValue waits for the new one.
    static constexpr void replace_assign(rewrite& r, node_id id, output_ref data, read_pair reads) {
        graph& model = r.model;
        model.replace(reads.before, reads.after);
        op::assign facts = model[id].as<op::assign>();
        if (model[id].version() >= 6) {
            facts.variable_type = model.type(data);
        }
        const node_id made = model.add(lpt::move(facts), {data}, model[id].name(), model[id].version());
        copy_information(r, id, made);
        for (const node_id on : model[id].control_dependencies()) {
            model.add_control_dependency(made, on);
        }
        model.replace_uses(id, model[id].input(0));
        model.remove(id);  // the new one stands last among the sinks
    }
    static constexpr void fuse_into_reader(rewrite& r, output_ref last) {
        graph& model = r.model;
        if (model.use_count(last) != 1) {
            return;
        }
        const input_ref reader = model.first_use(last);
        if (reader.port == 0 && model[reader.node].is<op::fake_quantize>() && has_constant_ranges(model, reader.node)) {
            detail::fuse_one_above(r, reader.node);
        }
    }
};

}  // namespace lpt::inline LPT_ABI
