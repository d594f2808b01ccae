// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/cleanup/fuse_elementwise_to_fake_quantize.hpp>
#include <lpt/transformation/guarded.hpp>

namespace lpt::inline LPT_ABI {

/// Takes a Subtract with a constant into the output range of the FakeQuantize above it: bound := bound - constant.
struct fuse_subtract_to_fake_quantize_transformation : guarded<fuse_subtract_to_fake_quantize_transformation> {
    static constexpr text_view name = "FuseSubtractToFakeQuantizeTransformation";
    using pattern = lpt::pattern<op::subtract, from<op::fake_quantize, op::convert>, from_constant>;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        return can_fuse_to_fake_quantize(r, id);
    }
    [[gnu::cold]] static constexpr bool apply(rewrite& r, node_id id) {
        fuse_to_fake_quantize(r, id, op::subtract{});
        return true;
    }
};

}  // namespace lpt::inline LPT_ABI
