// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a per-tensor dequantization behind SpaceToBatch.
///
/// A zero point stays above margins, which are filled with 0. With `quirk::space_to_batch_margin` it moves, and a margin is filled with
/// the quantized value 0, which stands for -zero_point * scale.
struct space_to_batch_transformation {
    static constexpr text_view name = "SpaceToBatchTransformation";
    using pattern = lpt::pattern<op::space_to_batch>;

    [[gnu::cold]] static constexpr verdict can_transform(const auto& r, node_id id) {
        if (const verdict base = base_precondition(r, id); !base) {
            return base;
        }
        const dequantization found = find_dequantization(r, id);
        if (found.empty()) {
            return refuse(reason::no_dequantization, 0);
        }
        if (!is_per_tensor(r.model, found)) {
            return refuse_not_per_tensor(r.model, found);
        }
        const bool margins = has_margins(r.model, id);
        if (const verdict finite = margins ? constants_are_finite(r.model, found) : yes; !finite) {
            return finite;
        }
        const bool shifts_zero = found.has_subtract() && !is_zero(constant_of(r.model, found.zero_point));
        return shifts_zero && margins && !r.follows(quirk::space_to_batch_margin)
                   ? refuse(reason::unsupported_padding, 0)
                   : yes;
    }
    [[gnu::cold]] static constexpr bool transform(auto& r, node_id id) {
        if (const verdict why = can_transform(r, id); !why) {
            return r.refused(id, name, why);
        }
        const node_id moved = separate_in_standalone_branch(r, id);
        move_dequantization_after(r, moved, normalize_dequantization(r, find_dequantization(r, moved)));
        return true;
    }

private:
    /// False only if all margins are known to be 0.
    static constexpr bool has_margins(const auto& model, node_id id) {
        for (const std::size_t port : {std::size_t{2}, std::size_t{3}}) {
            const tensor* margin = model.constant_value(model[id].input(port));
            if (margin == nullptr || !is_zero(*margin)) {
                return true;
            }
        }
        return false;
    }
};

}  // namespace lpt::inline LPT_ABI
