// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/guarded.hpp>
#include <lpt/transformation/main/convolution.hpp>

namespace lpt::inline LPT_ABI {

/// Moves scales of activations and weights behind a GroupConvolution, like ConvolutionTransformation.
///
/// Scales of activations may differ between groups, scales of weights between groups and output channels. Weights may come
/// through a Reshape, which is folded where they have no zero point.
struct group_convolution_transformation : guarded<group_convolution_transformation, convolution_facts> {
    static constexpr text_view name = "GroupConvolutionTransformation";
    using pattern = lpt::pattern<op::group_convolution>;

    [[gnu::cold]] static constexpr verdict find(const rewrite& r, node_id id, convolution_facts& facts) {
        return convolution_verdict(r, id, facts);
    }
    [[gnu::cold]] static constexpr bool apply(rewrite& r, node_id id, const convolution_facts& facts) {
        return detail::transform_convolution(r, id, name, facts);
    }
};

}  // namespace lpt::inline LPT_ABI
