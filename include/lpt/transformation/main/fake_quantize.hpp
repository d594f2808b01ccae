// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/fake_quantize/fuse_above.hpp>
#include <lpt/transformation/guarded.hpp>

namespace lpt::inline LPT_ABI {

/// Takes elementwise operations with constants, dequantizations above all, into the input range of the FakeQuantize below them.
struct fake_quantize_transformation : guarded<fake_quantize_transformation> {
    static constexpr text_view name = "FakeQuantizeTransformation";
    using pattern = lpt::pattern<op::fake_quantize>;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        const graph& model = r.model;
        const node_id above = model.producer(id, 0);
        const bool fusable = model[above].is<op::convert>() ? detail::is_skippable_convert(model, above)
                                                            : detail::inverse_of(model, above) != op::kind::count &&
                                                                  fusable_operands(model, above);
        return !has_constant_ranges(model, id)           ? refuse(reason::ranges_not_constant)
               : model[above].has(mark::disable_cleanup) ? refuse(reason::disabled_by_mark, 0)
               : fusable                                 ? yes
                                                         : refuse(reason::nothing_to_do, 0);
    }
    [[gnu::cold]] static constexpr bool apply(rewrite& r, node_id id) {
        if (!fuse_above_fake_quantize(r, id)) {
            return r.refused(id, name, refuse(reason::nothing_to_do, 0));
        }
        r.register_new_node(id);
        return true;
    }
};

}  // namespace lpt::inline LPT_ABI
