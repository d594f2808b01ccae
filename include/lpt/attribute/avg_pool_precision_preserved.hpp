// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/precision_preserved.hpp>

namespace lpt::inline LPT_ABI::attribute {

/// Tells the operations behind an AvgPool whose mean could stay in low precision which value they decide about: it
/// shares the value of that AvgPool's `precision_preserved`. Lives on nodes.
struct avg_pool_precision_preserved {
    static constexpr text_view name = "AvgPoolPrecisionPreserved";
    using shared_value = precision_preserved;
};

}  // namespace lpt::inline LPT_ABI::attribute
