// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/main/convolution.hpp>

namespace lpt::inline LPT_ABI {

/// Moves scales of activations and weights behind a GroupConvolution, like ConvolutionTransformation.
///
/// Scales of activations may differ between groups, scales of weights between groups and output channels. Weights may come
/// through a Reshape, which is folded where they have no zero point.
struct group_convolution_transformation : convolution_rule<group_convolution_transformation> {
    static constexpr text_view name = "GroupConvolutionTransformation";
    using pattern = lpt::pattern<op::group_convolution>;
};

}  // namespace lpt::inline LPT_ABI
