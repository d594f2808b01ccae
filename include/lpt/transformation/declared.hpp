// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/op/user.hpp>
#include <lpt/transformation/dequantization_constants.hpp>
#include <lpt/transformation/guarded.hpp>

namespace lpt::inline LPT_ABI {

namespace detail {

/// "<name>Transformation" as an array.
template <class Op>
struct name_of_declared {
    static constexpr text_view ending = "Transformation";
    struct letters {
        char values[Op::name.size() + ending.size() + 1] = {};
    };
    static constexpr letters value = [] {
        letters result;
        std::size_t count = 0;
        for (const text_view part : {Op::name, ending}) {
            for (std::size_t i = 0; i < part.size(); ++i) {
                result.values[count++] = part[i];
            }
        }
        return result;
    }();
};

}  // namespace detail

/// Moves the dequantization of a user's operation as its `low_precision` declares it; it is called "<operation>Transformation".
///
/// Rule `same`:   y = f(scale * (x - zero_point))         becomes  y = scale * (f(x) - zero_point)
/// Rule `scaled`: y = f(scale_1 * x_1, scale_2 * x_2 …)   becomes  y = scale_1 * scale_2 * … * f(x_1, x_2 …)
/// Every declared port that the node has needs a dequantization, of data of a declared type that the target takes. For `same` all of them must
/// have equal scales, zero points and types. For `scaled` there must be no zero point; f computes in the dequantization
/// precision on what it reads. One scale for the tensor, unless `per_channel` is declared.
template <class Op>
struct declared_transformation : guarded<declared_transformation<Op>> {
    static constexpr text_view name{detail::name_of_declared<Op>::value.values,
                                    Op::name.size() + detail::name_of_declared<Op>::ending.size()};
    using pattern = lpt::pattern<Op>;
    static constexpr const op::low_precision& declared = op::user_row_of<Op>::value.low_precision;
    static_assert(declared.rule != op::dequantization_rule::stays, "the operation declares nothing to transform");
    static_assert(Op::outputs.least == 1 && Op::outputs.most == 1, "a dequantization moves behind one output");
    static_assert(declared.rule == op::dequantization_rule::same || !declared.per_channel || declared.ports.count == 1,
                  "scales of several ports are multiplied, so each is one number");

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        if (const verdict base = base_precondition(r, id); !base) {
            return base;
        }
        const dequantization first = find_dequantization(r, id, static_cast<std::size_t>(declared.ports.values[0]));
        for (int i = 0; i < declared.ports.count; ++i) {
            const int port = declared.ports.values[i];
            if (static_cast<std::size_t>(port) >= r.model[id].inputs()) {
                continue;
            }
            if (const verdict one = port_verdict(r, id, port); !one) {
                return one;
            }
            const dequantization found = find_dequantization(r, id, static_cast<std::size_t>(port));
            if (declared.rule == op::dequantization_rule::same && !are_equal(r.model, first, found)) {
                return refuse_not_per_tensor(r.model, found);
            }
        }
        return yes;
    }
    [[gnu::cold]] static constexpr bool apply(rewrite& r, node_id id) {
        graph& model = r.model;
        const node_id operation = unshare(r, id);
        seq<output_ref, 5> inputs = inputs_of(model, operation);
        dequantization behind;
        relaxation types{seq<element, 2>(inputs.size(), dynamic), {r.computed_type()}};
        for (int i = 0; i < declared.ports.count; ++i) {
            const auto port = static_cast<std::size_t>(declared.ports.values[i]);
            if (port >= inputs.size()) {
                continue;
            }
            const dequantization found = normalize_dequantization(r, find_dequantization(r, operation, port));
            inputs[port] = found.data;
            types.input_types[port] = r.computed_type();
            if (behind.empty()) {
                behind = found;
            } else if (declared.rule == op::dequantization_rule::scaled) {
                behind.scale = (constant(model, behind.scale) * constant(model, found.scale)).in(model);
            }
        }
        rewriting rewritten(r, operation);
        const node_id made = add_operation(r, operation, inputs, types);
        copy_information_and_name(r, operation, made, false);
        const output_ref last = append_dequantization(r, made, behind);
        return rewritten.becomes(made).then(last).finish();
    }

private:
    static constexpr verdict port_verdict(const rewrite& r, node_id id, int port) {
        const graph& model = r.model;
        const dequantization found = find_dequantization(r, id, static_cast<std::size_t>(port));
        if (const verdict scaled = has_scale(r, id, found); !scaled) {
            return scaled;
        }
        const element type = model.type(found.data);
        const bool updates = r.options.update_precisions;
        const auto* marked = attributes_of<attribute::precisions>(r).find_input(id, static_cast<std::size_t>(port));
        const bool is_restricted =
            marked != nullptr && (marked->types.empty() || (updates && !marked->types.contains(type)));
        const verdict sign = declared.negative_scale ? yes : scale_is_not_negative(r, id, found);
        return updates && !declared.types.contains(type) ? refuse_type(reason::not_low_precision, port, type)
               : is_restricted                           ? refuse_type(reason::restricted_by_target, port, type)
               : !declared.per_channel && !is_scalar_like(model, found) ? refuse_not_per_tensor(model, found)
               : declared.per_channel && !is_per_channel(model, found, 1)
                   ? refuse_because_of(reason::not_per_tensor_or_per_channel, port, found.scale)
               : !sign                                            ? sign
               : declared.rule == op::dequantization_rule::scaled ? has_no_zero_point(r, id, found)
                                                                  : yes;
    }
    static constexpr bool are_equal(const graph& model, const dequantization& left, const dequantization& right) {
        return model.type(left.data) == model.type(right.data) && left.has_subtract() == right.has_subtract() &&
               same_values(constant_of(model, left.scale), constant_of(model, right.scale)) &&
               (!left.has_subtract() ||
                same_values(constant_of(model, left.zero_point), constant_of(model, right.zero_point)));
    }
    static constexpr bool same_values(const tensor& left, const tensor& right) {
        if (is_scalar_like(left) && is_scalar_like(right)) {
            return left.real(0) == right.real(0);
        }
        std::size_t place = 0;
        return left.elements() == right.elements() &&
               !any_value(left, [&](double value) { return value != right.real(place++); });
    }
    static constexpr node_id add_operation(rewrite& r, node_id like, view<output_ref> inputs, const relaxation& types) {
        return declared.rule == op::dequantization_rule::same
                   ? r.model.clone(like, inputs)
                   : r.model.add_relaxed(r.model[like].attributes(), inputs, types, {}, r.model[like].version());
    }
};

}  // namespace lpt::inline LPT_ABI
