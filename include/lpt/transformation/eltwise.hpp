// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/dequantization/constant.hpp>
#include <lpt/transformation/full_path.hpp>

/// What Add and Multiply of two branches have in common: one branch keeps its dequantization, the other one gives it up.
namespace lpt::inline LPT_ABI {

/// Both branches can be found, and at least one has a dequantization with per-tensor or per-channel constants.
///
/// `branches` are the dequantizations on both inputs.
[[gnu::noinline]] constexpr verdict eltwise_precondition(const rewrite& r, node_id id, view<dequantization> branches) {
    if (const verdict base = base_precondition_of(r, id, branches[0]); !base) {
        return base;
    }
    if (r.model[id].inputs() != 2) {
        return refuse_value(reason::other_number_of_inputs, -1, static_cast<double>(r.model[id].inputs()));
    }
    bool any_quantized = false;
    bool any_fits = false;
    node_id unfit = node_id::none;
    for (std::size_t port = 0; port < 2; ++port) {
        const dequantization& found = branches[port];
        if (!found.data) {
            return refuse(reason::no_dequantization, static_cast<int>(port));
        }
        any_quantized = any_quantized || !found.empty();
        unfit = unfit == node_id::none ? constant_of_many(r.model, found) : unfit;
        any_fits =
            any_fits || (!found.empty() &&
                         (!found.has_multiply() ||
                          is_per_channel_constant(r.model, found.multiply, found.scale, found.channel_axis)) &&
                         (!found.has_subtract() ||
                          is_per_channel_constant(r.model, found.subtract, found.zero_point, found.channel_axis)));
    }
    if (!any_quantized) {
        return refuse(reason::no_dequantization);
    }
    return any_fits ? yes : refuse_because_of(reason::not_per_tensor_or_per_channel, -1, unfit);
}

/// Where one branch of an operation is constant and the other a Multiply by a constant, and the refusal where it is not like this.
struct constant_branch {
    verdict why;
    std::size_t port = 0;  // of the constant branch
    output_ref operand;  // its Constant, dequantized
    node_id multiply = node_id::none;  // the other branch
    output_ref data;  // what it multiplies
    output_ref scale;  // by what
};

/// Finds the constant branch and folds its dequantization; `branches` are the dequantizations on both inputs.
constexpr constant_branch fold_constant_branch(rewrite& r, node_id id, view<dequantization> branches) {
    graph& model = r.model;
    constant_branch result;
    for (const std::size_t port : {std::size_t{0}, std::size_t{1}}) {
        const node_id multiply = model.producer(id, 1 - port);
        const output_ref data = branches[port].empty() ? model[id].input(port) : branches[port].data;
        if (!is_constant(model, data) || !model[multiply].is<op::multiply>()) {
            continue;
        }
        const std::size_t scale_port = is_constant(model, model[multiply].input(1)) ? 1 : 0;
        if (is_constant(model, model[multiply].input(scale_port))) {
            result = {
                yes, port, {}, multiply, model[multiply].input(1 - scale_port), model[multiply].input(scale_port)};
        }
        break;
    }
    if (result.multiply == node_id::none) {
        fold_dequantization(r, id, 0);
        fold_dequantization(r, id, 1);
        result.why = refuse(reason::nothing_to_do);
        return result;
    }
    fold_dequantization(r, id, result.port);
    result.operand = model[id].input(result.port);
    if (!is_constant(model, result.operand)) {
        result.why = refuse_type(reason::types_do_not_match, static_cast<int>(result.port), model.type(result.operand));
    }
    return result;
}

/// The linear function scale * (x - zero_point), as values of one type.
struct affine {
    constant zero_point;
    constant scale;
};
/// What a dequantization does, in the type of computations; zero point 0 and scale 1 where it has none.
constexpr affine affine_of(const rewrite& r, const dequantization& found) {
    const auto value_of = [&](node_id id, double otherwise) -> constant {
        if (id == node_id::none) {
            return make_scalar(r.computed_type(), otherwise);
        }
        return constant(r.model, id).as(r.computed_type());
    };
    return {value_of(found.zero_point, 0), value_of(found.scale, 1)};
}
/// Appends Convert, Subtract and Multiply, as far as they do something to the data, but always the Multiply.
constexpr output_ref append_affine(rewrite& r, output_ref data, const affine& what) {
    graph& model = r.model;
    if (model.type(data) != r.computed_type()) {
        data = model.add(op::convert{r.computed_type()}, {data});
    }
    if (!is_zero(what.zero_point)) {
        data = model.add(op::subtract{}, {data, what.zero_point.in(model)});
    }
    return model.add(op::multiply{}, {data, what.scale.in(model)});
}

/// Refuses a branch with a dequantization of data that has no low precision, where precisions are updated.
constexpr verdict gives_low_precision(const rewrite& r, const dequantization& found, std::size_t port) {
    return !r.options.update_precisions || found.empty() ? yes : has_low_precision(r, found, static_cast<int>(port));
}

}  // namespace lpt::inline LPT_ABI
