// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/text.hpp>

namespace lpt::inline LPT_ABI::attribute {

/// True: the node gives the element type that it gets, with the same scale and zero point, so decisions about its
/// inputs and its outputs are one decision. Lives on nodes.
struct precision_preserved {
    static constexpr text_view name = "PrecisionPreserved";

    bool value = false;

    friend constexpr bool operator==(const precision_preserved&, const precision_preserved&) = default;
};

/// Nothing: the value is that of the first.
constexpr void merge(precision_preserved&, const precision_preserved&) {}

/// `value: true`
constexpr text to_text(const precision_preserved& flag) { return join({"value: ", flag.value}); }

}  // namespace lpt::inline LPT_ABI::attribute
