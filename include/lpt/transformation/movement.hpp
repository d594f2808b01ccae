// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization_constants.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

/// The rewrite of an operation of one output that works on quantized data as on real data: its dequantization moves behind it.
///
///     f(s (q - z))  =  s' (f(q) - z')
/// `Rule` has a name, a pattern and `can_transform`, and may say the other three its own way.
template <class Rule>
struct movement {
    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        if (const verdict why = Rule::can_transform(r, id); !why) {
            return Rule::refused(r, id, why);
        }
        const node_id operation = unshare(r, id);
        const dequantization found = normalize_dequantization(r, find_dequantization(r, operation));
        move_dequantization_after(r, operation, Rule::moved(r, operation, found), Rule::settings(r, operation));
        return true;
    }

    /// The dequantization as it stands behind the operation: `s'`, `z'`.
    static constexpr const dequantization& moved(const auto&, node_id, const dequantization& found) { return found; }
    static constexpr move_settings settings(const auto&, node_id) { return {}; }
    static constexpr bool refused(rewrite& r, node_id id, const verdict& why) { return r.refused(id, Rule::name, why); }
};

/// What most movements ask: constants per tensor or per channel of data whose rank is known.
constexpr verdict can_move_behind(const rewrite& r, node_id id, const dequantization& found) {
    const verdict base = base_precondition(r, id);
    return base ? is_dequantized(found) : base;
}
/// The same for one scale and one zero point.
constexpr verdict can_move_per_tensor(const rewrite& r, node_id id, const dequantization& found) {
    return first_refusal([&] { return can_move_behind(r, id, found); }, [&] { return is_one_for_all(r, found); });
}

}  // namespace lpt::inline LPT_ABI
