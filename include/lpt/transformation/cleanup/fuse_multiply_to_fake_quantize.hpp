// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/set.hpp>
#include <lpt/transformation/cleanup/fuse_elementwise_to_fake_quantize.hpp>
#include <lpt/transformation/guarded.hpp>

namespace lpt::inline LPT_ABI {

/// Takes a Multiply with a constant into the output range of the FakeQuantize above it: bound := bound * constant.
///
/// Levels stay. With `quirk::levels_of_neighbour` a FakeQuantize that was aligned with others gets back the levels that it had before;
/// so does, wrongly, one that was never aligned but has taken up the dequantization of an aligned one.
struct fuse_multiply_to_fake_quantize_transformation : guarded<fuse_multiply_to_fake_quantize_transformation> {
    static constexpr text_view name = "FuseMultiplyToFakeQuantizeTransformation";
    using may_read = attribute::set<attribute::intervals_alignment>;
    using pattern = lpt::pattern<op::multiply, from<op::fake_quantize, op::convert>, from_constant>;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        return can_fuse_to_fake_quantize(r, id);
    }
    [[gnu::cold]] static constexpr bool apply(rewrite& r, node_id id) {
        const node_id made = fuse_to_fake_quantize(r, id, op::multiply{});
        const auto* alignment =
            attributes_of<attribute::intervals_alignment>(r).find_own(attribute::place::on_node(made));
        if (r.follows(quirk::levels_of_neighbour) && alignment != nullptr && alignment->levels != 0) {
            const op::fake_quantize& old = r.model[made].as<op::fake_quantize>();
            r.model.set_attributes(made, old.with_levels(static_cast<std::int64_t>(alignment->levels)));
        }
        return true;
    }
};

}  // namespace lpt::inline LPT_ABI
