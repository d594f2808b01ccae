// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/set.hpp>
#include <lpt/transformation/guarded.hpp>
#include <lpt/transformation/joined_dequantization.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

/// Moves the dequantizations of all inputs behind Concat; where a constant is missing it is 0 (zero point) or 1 (scale).
///
///     concat(s1 (q1 - z1), s2 (q2 - z2))  =  concat(s1, s2) (concat(q1, q2) - concat(z1, z2))
/// Constants may vary only over the concatenated axis. Where the size of this axis is not known, all inputs must have the same scale and zero
/// point. All data must have one type.
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
        for (std::size_t port = 0; port < r.model[concat].inputs(); ++port) {
            all.push_back(normalize_dequantization(r, find_dequantization(r, concat, port)));
        }
        rewriting joined(r, concat);
        joined.becomes_clone(data_of(r.model, all));
        detail::append_joined(r, joined, concat, all);
        share_alignment(r, joined.last().node, joined.operation());
        return joined.finish();
    }

private:
    /// The types that all inputs have in common; dynamic until there was one.
    struct common_types {
        element data = dynamic;
        element constants = dynamic;

        static constexpr bool agrees(element& common, element type) {
            common = common == dynamic ? type : common;
            return common == type;
        }
    };
    static constexpr verdict input_verdict(const rewrite& r, node_id id, int port, common_types& common) {
        const graph& model = r.model;
        const bool joins = model[id].shape().is_static(detail::concat_axis(model, id));
        const dequantization found = find_dequantization(r, id, static_cast<std::size_t>(port));
        return first_refusal(
            [&] { return is_dequantized(found, port); }, [&] { return has_low_precision(r, found, port); },
            [&] { return joins ? varies_over_axis_only(model, id, found, port) : is_as_first(r, id, found, port); },
            [&] {
                const element type = model.type(found.data);
                return common_types::agrees(common.data, type) ? yes
                                                               : refuse_type(reason::types_do_not_match, port, type);
            },
            [&] { return joins ? constants_have_type(model, found, port, common) : yes; });
    }
    static constexpr verdict varies_over_axis_only(const graph& model, node_id id, const dequantization& found,
                                                   int port) {
        const std::size_t rank = model[id].shape().rank();
        for (std::size_t axis = 0; axis < rank; ++axis) {
            if (axis != detail::concat_axis(model, id) && varies_over(model, found, axis, rank)) {
                return refuse_axis(reason::varies_over_axis, port, axis, varying_constant(model, found, axis, rank));
            }
        }
        return yes;
    }
    static constexpr verdict is_as_first(const rewrite& r, node_id id, const dequantization& found, int port) {
        const dequantization first = find_dequantization(r, id, 0);
        const auto is_equal = [&](node_id left, node_id right) {
            return left == right || constant_of(r.model, left).real(0) == constant_of(r.model, right).real(0);
        };
        return is_per_tensor(r.model, found) && found.has_subtract() == first.has_subtract() &&
                       found.has_multiply() == first.has_multiply() && is_equal(found.zero_point, first.zero_point) &&
                       is_equal(found.scale, first.scale)
                   ? yes
                   : refuse_because_of(reason::not_per_tensor, port, found.scale);
    }
    static constexpr verdict constants_have_type(const graph& model, const dequantization& found, int port,
                                                 common_types& common) {
        if (found.has_subtract()) {
            const element type = model.type(model[found.subtract].input(1));
            if (!common_types::agrees(common.constants, type)) {
                return {.why = reason::types_do_not_match, .port = port, .type = type, .about = found.zero_point};
            }
        }
        const element type = found.has_multiply() ? model[found.scale].type() : common.constants;
        return common_types::agrees(common.constants, type)
                   ? yes
                   : verdict{.why = reason::types_do_not_match, .port = port, .type = type, .about = found.scale};
    }

    /// What the Concat reads: the quantized data. (Upstream converts it beside real data, of which there is none: all data has one type.)
    static constexpr seq<output_ref, 5> data_of(const graph& model, const seq<dequantization, 4>& all) {
        bool any_real = false;
        for (const dequantization& each : all) {
            any_real = any_real || !is_low_precision(model, each);
        }
        seq<output_ref, 5> result;
        for (const dequantization& each : all) {
            const bool convert = each.has_convert() && is_low_precision(model, each) && any_real;
            result.push_back(convert ? output_ref(each.convert) : each.data);
        }
        return result;
    }

    /// The last operation of the dequantization shares the Concat's interval: a FakeQuantize below takes it from there when both are fused.
    static constexpr void share_alignment(rewrite& r, node_id last, node_id concat) {
        auto intervals = attributes_of<attribute::intervals_alignment>(r);
        const attribute::place of_concat = attribute::place::on_node(concat);
        if (last != concat && intervals.has(of_concat)) {
            intervals.share(attribute::place::on_node(last), of_concat);
        }
    }
};

}  // namespace lpt::inline LPT_ABI
