// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization/constant.hpp>
#include <lpt/transformation/dequantization_constants.hpp>

/// The dequantization behind a Concat, joined of those of its inputs.
namespace lpt::inline LPT_ABI::detail {

/// The constants of all inputs (`part`: which) as one; `missing` stands for the values of an input that has none.
constexpr constant join_constants(const graph& model, node_id concat, const seq<dequantization, 4>& all,
                                  node_id dequantization::* part, element type, double missing) {
    const std::size_t axis = concat_axis(model, concat);
    if (!model[concat].shape().is_static(axis)) {
        return constant(model, all[0].*part).collapsed().as(type);
    }
    seq<tensor> parts;
    for (std::size_t port = 0; port < all.size(); ++port) {
        shape dimensions = shape::of_ones(model[concat].shape().rank());
        dimensions[axis] = model.shape(model[concat].input(port))[axis];
        tensor own = make_scalar(type, missing);
        if (all[port].*part != node_id::none) {
            own = evaluation::convert_tensor(constant_of(model, all[port].*part), type);
        }
        if (own.elements() == 1) {
            own = make_tensor(type, dimensions, {own.real(0)});
        }
        parts.push_back(tensor(own, dimensions));
    }
    return evaluate_values(op::concat{static_cast<std::int64_t>(axis)}, parts);
}
/// The Convert behind the zero points, if each zero point that there is has one, from the same type; else none.
constexpr node_id common_convert(const graph& model, const seq<dequantization, 4>& all) {
    node_id result = node_id::none;
    for (const dequantization& each : all) {
        if (!each.has_subtract()) {
            continue;
        }
        if (each.zero_point_convert == node_id::none ||
            (result != node_id::none && model[each.zero_point].type() != model.type(model[result].input(0)))) {
            return node_id::none;
        }
        result = result == node_id::none ? each.zero_point_convert : result;
    }
    return result;
}
/// The zero point of all inputs, behind a Convert where all have one.
constexpr output_ref joined_zero_point(rewrite& r, node_id concat, const seq<dequantization, 4>& all,
                                       element real_type) {
    graph& model = r.model;
    const node_id convert = common_convert(model, all);
    const element type = convert == node_id::none ? real_type : model.type(model[convert].input(0));
    const constant zero_point = join_constants(model, concat, all, &dequantization::zero_point, type, 0);
    if (convert == node_id::none) {
        return zero_point.collapsed().in(model);
    }
    return clone_with_information(r, convert, {zero_point.in(model)});
}
/// Appends Convert, Subtract and Multiply to a Concat, as far as one of its inputs has them.
constexpr void append_joined(rewrite& r, auto& joined, node_id concat, const seq<dequantization, 4>& all) {
    graph& model = r.model;
    const auto append = [&](node_id made, text_view suffix) {
        model.rename(made, joined.named(suffix));
        joined.then(made);
    };
    const auto first_with = [&](node_id dequantization::* part) {
        node_id result = node_id::none;
        for (std::size_t i = all.size(); i-- > 0;) {
            result = all[i].*part != node_id::none ? all[i].*part : result;
        }
        return result;
    };
    if (const node_id convert = first_with(&dequantization::convert); convert != node_id::none) {
        append(model.clone(convert, {joined.last()}), "/DequantizationConvert");
    }
    if (first_with(&dequantization::subtract) != node_id::none) {
        const output_ref zero_point = joined_zero_point(r, concat, all, model.type(joined.last()));
        append(model.add(op::subtract{}, {joined.last(), zero_point}), "/DequantizationSubtract");
        model.relax(joined.last().node);
    }
    if (const node_id multiply = first_with(&dequantization::multiply); multiply != node_id::none) {
        const element type = model[first_with(&dequantization::scale)].type();
        const constant scale = join_constants(model, concat, all, &dequantization::scale, type, 1).collapsed();
        append(model.add(op::multiply{}, {joined.last(), scale.in(model)}), "/DequantizationMultyply");
        model.relax_output(joined.last().node, model[multiply].type());
    }
}

}  // namespace lpt::inline LPT_ABI::detail
