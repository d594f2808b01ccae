// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/fake_quantize/compose.hpp>
#include <lpt/transformation/guarded.hpp>

namespace lpt::inline LPT_ABI {

/// Removes a FakeQuantize that gives what it gets: integers in, the same integers out.
///
/// Input and output type are one; both ranges are the range of this type at the FakeQuantize's levels. For integer types the
/// input range may lie off by less than half a step, (high - low) / levels: rounding takes every integer back to itself then.
/// With `quirk::eliminated_limit` by up to one step, though integers next to the end that is off would move by one; and also where
/// there are fewer levels than the type has values, which drops a limit on values.
struct eliminate_fake_quantize_transformation : guarded<eliminate_fake_quantize_transformation> {
    static constexpr text_view name = "EliminateFakeQuantizeTransformation";
    using pattern = lpt::pattern<op::fake_quantize>;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        const output_ref data = r.model[id].input(0);
        const element type = r.model[id].type();
        return r.model[id].has(mark::disable_cleanup)         ? refuse(reason::disabled_by_mark)
               : !has_constant_ranges(r.model, id)            ? refuse(reason::ranges_not_constant)
               : r.model.type(data) != type                   ? refuse_type(reason::types_do_not_match, 0, type)
               : !covers_type(r, id, type)                    ? refuse(reason::nothing_to_do)
               : !detail::can_hand_name_on(r.model, id, data) ? refuse(reason::name_has_no_place, 0)
                                                              : yes;
    }
    [[gnu::cold]] static constexpr bool apply(rewrite& r, node_id id) {
        detail::give_way(r.model, id, r.model[id].input(0));
        return true;
    }

private:
    /// The range of a type; without a type where nothing counts as such.
    static constexpr data_precision whole_range(element type, std::int64_t levels) {
        const auto lowest = static_cast<float>(facts(type).lowest);
        const auto highest = static_cast<float>(facts(type).highest);
        return is_integral(type)             ? range_of_type(type, levels)
               : type == f16                 ? data_precision{type, -1e15f, 1e15f}
               : type == f32 || type == bf16 ? data_precision{type, lowest, highest}
                                             : data_precision{};
    }

    /// The largest distance of a constant's values from a bound.
    static constexpr float distance(const graph& model, output_ref constant, float bound) {
        const tensor& values = *model.constant_value(constant);
        float result = 0;
        for (std::size_t i = 0; i < values.elements(); ++i) {
            const float each = math::absolute(static_cast<float>(values.real(i)) - bound);
            result = each <= result ? result : each;  // NaN counts as far away
        }
        return result;
    }

    /// True if an integer type has values outside a range of it.
    static constexpr bool limits(const data_precision& range) {
        return is_integral(range.type) && (facts(range.type).lowest < static_cast<double>(range.low) ||
                                           facts(range.type).highest > static_cast<double>(range.high));
    }
    static constexpr bool covers_type(const rewrite& r, node_id id, element type) {
        const graph& model = r.model;
        const std::int64_t levels = model[id].as<op::fake_quantize>().levels;
        const data_precision range = whole_range(type, levels);
        if (!range || (limits(range) && !r.follows(quirk::eliminated_limit))) {
            return false;
        }
        constexpr float exact = 1.1920929e-7f;
        const float step = (range.high - range.low) / static_cast<float>(levels);
        const auto is_near = [&](std::size_t port, float bound) {
            const float off = distance(model, model[id].input(port), bound);
            return !is_integral(type)                   ? off <= exact
                   : r.follows(quirk::eliminated_limit) ? off <= step
                                                        : off < step / 2;
        };
        const node& each = model[id];
        return is_near(1, range.low) && is_near(2, range.high) && distance(model, each.input(3), range.low) <= exact &&
               distance(model, each.input(4), range.high) <= exact;
    }
};

}  // namespace lpt::inline LPT_ABI
