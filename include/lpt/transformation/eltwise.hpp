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
    if (const verdict base = base_precondition(r, id, branches[0]); !base) {
        return base;
    }
    if (r.model[id].inputs() != 2) {
        return refuse_value(reason::other_number_of_inputs, -1, static_cast<double>(r.model[id].inputs()));
    }
    for (const dequantization& found : branches) {
        if (!found.data) {
            return refuse(reason::no_dequantization, found.port);
        }
    }
    if (branches[0].empty() && branches[1].empty()) {
        return refuse(reason::no_dequantization);
    }
    node_id unfit = node_id::none;
    for (const dequantization& found : branches) {
        if (!found.empty() && is_per_channel(r.model, found, found.channel_axis)) {
            return yes;
        }
        unfit = unfit == node_id::none ? constant_of_many(r.model, found) : unfit;
    }
    return refuse_because_of(reason::not_per_tensor_or_per_channel, -1, unfit);
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

}  // namespace lpt::inline LPT_ABI
