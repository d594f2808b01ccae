// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/text.hpp>

namespace lpt::inline LPT_ABI::attribute {

/// True: all FakeQuantize operations that meet here must use one scale and zero point for the whole tensor.
/// Lives on nodes that preserve precision.
struct quantization_alignment {
    static constexpr text_view name = "QuantizationAlignment";

    bool value = false;

    friend constexpr bool operator==(const quantization_alignment&, const quantization_alignment&) = default;
};

/// True as soon as one of both is.
constexpr void merge(quantization_alignment& into, const quantization_alignment& from) {
    into.value = into.value || from.value;
}

/// `value: true`
constexpr text to_text(const quantization_alignment& flag) { return join({"value: ", flag.value}); }

}  // namespace lpt::inline LPT_ABI::attribute
