// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/set.hpp>
#include <lpt/transformation/dequantization_constants.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

/// Moves the dequantizations of all inputs behind Concat: their constants are concatenated, where one is missing it is 0 (zero
/// point) or 1 (scale).
struct concat_transformation {
    static constexpr text_view name = "ConcatTransformation";
    using may_read = attribute::set<attribute::intervals_alignment>;
    using pattern = lpt::pattern<op::concat>;

    [[gnu::cold]] static constexpr verdict can_transform(const auto& r, node_id id) {
        const shape& result = r.model[id].shape();
        if (result.rank_is_dynamic()) {
            return refuse(reason::dynamic_rank);
        }
        return result.is_static(axis_of(r.model, id)) ? constants_can_be_joined(r, id) : constants_are_one(r, id);
    }
    [[gnu::cold]] static constexpr bool transform(auto& r, node_id id) {
        if (const verdict why = can_transform(r, id); !why) {
            return r.refused(id, name, why);
        }
        const node_id concat = separate_in_standalone_branch(r, id);
        seq<dequantization, 4> all;
        for (std::size_t port = 0; port < r.model[concat].inputs(); ++port) {
            all.push_back(normalize_dequantization(r, find_dequantization(r, concat, port)));
        }
        const node_id made = r.model.clone(concat, data_of(r.model, all));
        copy_information(r, concat, made);
        r.model.rename(made, r.model[concat].name());
        const node_id last = append_joined(r, concat, made, all);
        share_alignment(r, last, made);
        insert_dequantization_after(r, concat, last, made);
        r.model.replace(concat, made);
        update_output_name(r, last, made);
        return true;
    }

private:
    /// A FakeQuantize without an interval of its own that takes up the dequantization gets that of the Concat.
    static constexpr void share_alignment(auto& r, node_id last, node_id concat) {
        auto intervals = attributes_of<attribute::intervals_alignment>(r);
        const attribute::place from = attribute::place::on_node(concat);
        if (last != concat && intervals.has(from)) {
            intervals.share(attribute::place::on_node(last), from);
        }
    }
    static constexpr std::size_t axis_of(const graph& model, node_id id) {
        return static_cast<std::size_t>(normalized_axis(model[id].as<op::concat>().axis, model[id].shape().rank()));
    }

    /// The inputs' sizes along the axis are not all known: then all must have the same scale and zero point.
    static constexpr verdict constants_are_one(const auto& r, node_id id) {
        const dequantization first = find_dequantization(r, id, 0);
        for (std::size_t port = 0; port < r.model[id].inputs(); ++port) {
            const dequantization found = find_dequantization(r, id, port);
            if (found.empty()) {
                return refuse(reason::no_dequantization, static_cast<int>(port));
            }
            if (r.options.update_precisions && !is_low_precision(r.model, found)) {
                return refuse_type(reason::not_low_precision, static_cast<int>(port), r.model.type(found.data));
            }
            if (!is_per_tensor(r.model, found) || found.has_subtract() != first.has_subtract() ||
                found.has_multiply() != first.has_multiply() ||
                !equal_constants(r.model, found.zero_point, first.zero_point) ||
                !equal_constants(r.model, found.scale, first.scale)) {
                return refuse_because_of(reason::not_per_tensor, static_cast<int>(port), found.scale);
            }
            if (r.model.type(found.data) != r.model.type(first.data)) {
                return refuse_type(reason::types_do_not_match, static_cast<int>(port), r.model.type(found.data));
            }
        }
        return yes;
    }
    static constexpr bool equal_constants(const graph& model, node_id left, node_id right) {
        return left == right || constant_of(model, left).real(0) == constant_of(model, right).real(0);
    }
    /// Scales and zero points may vary over the axis of the concatenation only.
    static constexpr verdict constants_can_be_joined(const auto& r, node_id id) {
        const graph& model = r.model;
        const std::size_t axis = axis_of(model, id);
        const std::size_t rank = model[id].shape().rank();
        element data_type = dynamic;
        element constant_type = dynamic;
        const auto agrees = [](element& common, element type) {
            common = common == dynamic ? type : common;
            return common == type;
        };
        for (std::size_t port = 0; port < model[id].inputs(); ++port) {
            const dequantization found = find_dequantization(r, id, port);
            if (found.empty()) {
                return refuse(reason::no_dequantization, static_cast<int>(port));
            }
            if (r.options.update_precisions && !is_low_precision(model, found)) {
                return refuse_type(reason::not_low_precision, static_cast<int>(port), r.model.type(found.data));
            }
            for (std::size_t each = 0; each < rank; ++each) {
                if (each != axis && varies_over(model, found, each, rank)) {
                    return refuse_axis(reason::varies_over_axis, static_cast<int>(port), each,
                                       varying_constant(model, found, each, rank));
                }
            }
            const element type = model.type(found.data);
            if (!agrees(data_type, type)) {
                return refuse_type(reason::types_do_not_match, static_cast<int>(port), type);
            }
            for (const node_id constant : {found.zero_point, found.scale}) {
                const element own = constant == node_id::none ? constant_type
                                    : constant == found.scale ? model[constant].type()
                                                              : model.type(model[found.subtract].input(1));
                if (!agrees(constant_type, own)) {
                    return {.why = reason::types_do_not_match,
                            .port = static_cast<int>(port),
                            .type = own,
                            .about = constant};
                }
            }
        }
        return yes;
    }

    static constexpr seq<output_ref, 5> data_of(const auto& model, const seq<dequantization, 4>& all) {
        seq<output_ref, 5> result;
        for (const dequantization& each : all) {
            // Quantized data beside real data enters converted.
            const bool convert = each.has_convert() && is_low_precision(model, each) && has_real_data(model, all);
            result.push_back(convert ? output_ref(each.convert) : each.data);
        }
        return result;
    }
    static constexpr bool has_real_data(const auto& model, const seq<dequantization, 4>& all) {
        for (const dequantization& each : all) {
            if (!is_low_precision(model, each)) {
                return true;
            }
        }
        return false;
    }

    /// The constants of all inputs as one of element type `type`; `missing` stands for the values of an input that has no constant.
    static constexpr node_id joined(auto& r, node_id concat, const seq<node_id, 4>& constants, element type,
                                    double missing) {
        const std::size_t axis = axis_of(r.model, concat);
        if (!r.model[concat].shape().is_static(axis)) {
            return fold_convert(r.model, to_scalar_if_single(r, constants[0]), type).node;
        }
        seq<output_ref, 5> parts;
        for (std::size_t port = 0; port < constants.size(); ++port) {
            shape part = shape::of_ones(r.model[concat].shape().rank());
            part[axis] = r.model.shape(r.model[concat].input(port))[axis];
            if (constants[port] == node_id::none) {
                parts.push_back(r.model.constant(make_tensor(type, part, {missing})));
                continue;
            }
            const tensor own = evaluation::convert_tensor(constant_of(r.model, constants[port]), type);
            parts.push_back(own.elements() == 1 ? r.model.constant(make_tensor(type, part, {own.real(0)}))
                                                : r.model.constant(tensor(own, part)));
        }
        return fold_to_constant(r, op::concat{static_cast<std::int64_t>(axis)}, parts);
    }
    /// The Convert behind the zero points, if each zero point that there is has one, from the same type; else none.
    static constexpr node_id common_zero_point_convert(const auto& model, const seq<dequantization, 4>& all) {
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
    static constexpr output_ref joined_zero_point(auto& r, node_id concat, const seq<dequantization, 4>& all,
                                                  element real_type) {
        seq<node_id, 4> constants;
        for (const dequantization& each : all) {
            constants.push_back(each.zero_point);
        }
        const node_id convert = common_zero_point_convert(r.model, all);
        if (convert == node_id::none) {
            return to_scalar_if_equal(r, joined(r, concat, constants, real_type, 0));
        }
        const element type = r.model.type(r.model[convert].input(0));
        const node_id made = r.model.clone(convert, {joined(r, concat, constants, type, 0)});
        copy_information(r, convert, made);
        return made;
    }
    static constexpr node_id append_joined(auto& r, node_id concat, node_id made, const seq<dequantization, 4>& all) {
        graph& model = r.model;
        const text prefix = model[concat].name();
        output_ref last = made;
        const dequantization* with_convert = nullptr;
        const dequantization* with_subtract = nullptr;
        const dequantization* with_multiply = nullptr;
        seq<node_id, 4> scales;
        for (const dequantization& each : all) {
            with_convert = with_convert == nullptr && each.has_convert() ? &each : with_convert;
            with_subtract = with_subtract == nullptr && each.has_subtract() ? &each : with_subtract;
            with_multiply = with_multiply == nullptr && each.has_multiply() ? &each : with_multiply;
            scales.push_back(each.scale);
        }
        if (with_convert != nullptr) {
            last = model.clone(with_convert->convert, {last});
            model.rename(last.node, join({prefix, "/DequantizationConvert"}));
        }
        if (with_subtract != nullptr) {
            last = model.add(op::subtract{}, {last, joined_zero_point(r, concat, all, model.type(last))});
            model.relax(last.node);
            model.rename(last.node, join({prefix, "/DequantizationSubtract"}));
        }
        if (with_multiply != nullptr) {
            const element type = model[with_multiply->scale].type();
            last = model.add(op::multiply{}, {last, to_scalar_if_equal(r, joined(r, concat, scales, type, 1))});
            model.relax_output(last.node, model[with_multiply->multiply].type());
            model.rename(last.node, join({prefix, "/DequantizationMultyply"}));
        }
        return last.node;
    }
};

}  // namespace lpt::inline LPT_ABI
