// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/text.hpp>

namespace lpt::inline LPT_ABI::attribute {

/// Which scales and zero points an operation accepts on an input.
enum class granularity : unsigned char {
    per_channel,  // one for each channel, or one for the whole tensor
    per_tensor,   // one for the whole tensor
};

/// The granularity that a target asks for on an input port. Lives on input ports; never changes.
struct quantization_granularity {
    static constexpr text_view name = "QuantizationGranularity";
    static constexpr bool prints_class = false;

    granularity value = granularity::per_channel;

    friend constexpr bool operator==(const quantization_granularity&, const quantization_granularity&) = default;
};

/// Nothing: the value is that of the first.
constexpr void merge(quantization_granularity&, const quantization_granularity&) {}

/// `PerTensor` or `PerChannel`
constexpr text to_text(const quantization_granularity& asked) {
    return asked.value == granularity::per_tensor ? "PerTensor" : "PerChannel";
}

}  // namespace lpt::inline LPT_ABI::attribute
