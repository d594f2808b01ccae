// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>

namespace lpt::inline LPT_ABI {

/// Replaces what is computed from constants alone by its value, except where a node is marked as not to be folded.
struct constant_folding_step {
    static constexpr text_view name = "ConstantFolding";

    [[gnu::cold]] static constexpr void run(rewrite& r) { constant_folding(r.model, r.operations()); }
};

}  // namespace lpt::inline LPT_ABI
