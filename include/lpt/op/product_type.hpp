// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/op/row.hpp>

namespace lpt::inline LPT_ABI::op {

namespace detail {

/// The element type of a sum of products.
///
/// Types that differ are not refused: activations and weights are often quantized, or compressed, differently. The
/// activations' type counts then.
constexpr element infer_product_type(const inference& facts) {
    return facts.type(0) == dynamic ? facts.type(1) : facts.type(0);
}

}  // namespace detail

}  // namespace lpt::inline LPT_ABI::op
