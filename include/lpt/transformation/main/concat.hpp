// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/set.hpp>
#include <lpt/transformation/dequantization_constants.hpp>
#include <lpt/transformation/guarded.hpp>

namespace lpt::inline LPT_ABI {

namespace detail {

/// The constants of all inputs (`part`: which) as one; `missing` stands for the values of an input that has none.
constexpr constant join_constants(const graph& model, node_id concat, const seq<dequantization, 4>& all,
                                  node_id dequantization::* part, element type, double missing) {
    const std::size_t axis = concat_axis(model, concat);
    if (!model[concat].shape().is_static(axis)) {
        return constant(model, all[0].*part).to_scalar().as(type);
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
/// The zero points of all inputs as one constant, which the common Convert reads where there is one.
constexpr output_ref joined_zero_point(rewrite& r, node_id concat, const seq<dequantization, 4>& all,
                                       element real_type) {
    graph& model = r.model;
    const node_id convert = common_convert(model, all);
    const element type = convert == node_id::none ? real_type : model.type(model[convert].input(0));
    const constant zero_point = join_constants(model, concat, all, &dequantization::zero_point, type, 0);
    if (convert == node_id::none) {
        return zero_point.to_scalar().in(model);
    }
    return clone_with_information(r, convert, {zero_point.in(model)});
}
/// Appends Convert, Subtract and Multiply to a Concat, as far as one of its inputs has them.
constexpr void append_joined(rewrite& r, rewriting& joined, node_id concat, const seq<dequantization, 4>& all) {
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
        const constant scale = join_constants(model, concat, all, &dequantization::scale, type, 1).to_scalar();
        append(model.add(op::multiply{}, {joined.last(), scale.in(model)}),
               "/DequantizationMultyply");  // spelled as upstream spells it
        model.relax_output(joined.last().node, model[multiply].type());
    }
}

}  // namespace detail

/// Moves the dequantizations of all inputs behind Concat. Each input needs one, of low precision data; a missing zero point is 0, a scale 1.
///
///     concat(s1 (q1 - z1), s2 (q2 - z2))  =  concat(s1, s2) (concat(q1, q2) - concat(z1, z2))
/// All data must have one type, and all zero points (as the Subtract reads them) and scales together one; they may vary only over the concatenated
/// axis. Where the size of this axis is not known, each input must have a scale, the same for all, and the same zero point or none.
struct concat_transformation : guarded<concat_transformation> {
    static constexpr text_view name = "ConcatTransformation";
    using may_read = attribute::set<attribute::intervals_alignment>;
    using pattern = lpt::pattern<op::concat>;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        if (r.model[id].shape().rank_is_dynamic()) {
            return refuse(reason::dynamic_rank);
        }
        common_types common;
        for (std::size_t port = 0; port < r.model[id].inputs(); ++port) {
            if (const verdict input = input_verdict(r, id, static_cast<int>(port), common); !input) {
                return input;
            }
        }
        return yes;
    }
    [[gnu::cold]] static constexpr bool apply(rewrite& r, node_id id) {
        const node_id concat = unshare(r, id);
        seq<dequantization, 4> all;
        seq<output_ref, 5> data;
        for (std::size_t port = 0; port < r.model[concat].inputs(); ++port) {
            all.push_back(normalize_dequantization(r, find_dequantization(r, concat, port)));
            data.push_back(all.back().data);
        }
        rewriting joined(r, concat);
        joined.becomes_clone(data);
        detail::append_joined(r, joined, concat, all);
        // A FakeQuantize that takes the dequantization up later belongs to the group of the Concat.
        take_alignment(r, joined.last().node, joined.operation());
        return joined.finish();
    }

private:
    /// The types that all inputs have in common; dynamic until there was one.
    struct common_types {
        element data = dynamic;
        element constants = dynamic;
    };
    static constexpr verdict input_verdict(const rewrite& r, node_id id, int port, common_types& common) {
        const bool size_is_known = r.model[id].shape().is_static(concat_axis(r.model, id));
        const dequantization found = find_dequantization(r, id, static_cast<std::size_t>(port));
        return first_refusal(
            [&] { return first_refusal<is_dequantized, has_low_precision>(r, id, found); },
            [&] { return size_is_known ? varies_over_axis_only(r, id, found) : is_as_first(r, id, found); },
            [&] { return has_type(common.data, port, r.model.type(found.data)); },
            [&] {
                return size_is_known && found.has_subtract()
                           ? has_type(common.constants, port, r.model.type(r.model[found.subtract].input(1)),
                                      found.zero_point)
                           : yes;
            },
            [&] {
                return size_is_known && found.has_multiply()
                           ? has_type(common.constants, port, r.model[found.scale].type(), found.scale)
                           : yes;
            });
    }
    static constexpr verdict has_type(element& common, int port, element type, node_id about = node_id::none) {
        common = common == dynamic ? type : common;
        return common == type ? yes : refuse_type(reason::types_do_not_match, port, type, about);
    }
    static constexpr verdict varies_over_axis_only(const rewrite& r, node_id id, const dequantization& found) {
        const std::size_t concatenated = concat_axis(r.model, id);
        return uniform_where(r.model, found, r.model[id].shape().rank(),
                             [=](std::size_t axis) { return axis != concatenated; });
    }
    static constexpr verdict is_as_first(const rewrite& r, node_id id, const dequantization& found) {
        const dequantization first = find_dequantization(r, id, 0);
        const auto is_equal = [&](node_id left, node_id right) {
            return left == right || constant_of(r.model, left).real(0) == constant_of(r.model, right).real(0);
        };
        return is_per_tensor(r.model, found) && found.has_subtract() == first.has_subtract() &&
                       found.has_multiply() == first.has_multiply() && is_equal(found.zero_point, first.zero_point) &&
                       is_equal(found.scale, first.scale)
                   ? yes
                   : refuse_because_of(reason::not_per_tensor, found.port, found.scale);
    }
};

}  // namespace lpt::inline LPT_ABI
