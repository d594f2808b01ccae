// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/pipeline/prepare.hpp>

#include "tests/optimization/networks.hpp"

/// Weights of few bits.
namespace lpt::testing {

/// Numbers from all of the type's range.
inline tensor codes_of(element type, const shape& dimensions) {
    tensor_builder values(type, dimensions);
    std::uint32_t state = 7;
    const int span = static_cast<int>(facts(type).highest - facts(type).lowest) + 1;
    for (std::size_t i = 0; i < values.elements(); ++i) {
        state = state * 1664525u + 1013904223u;
        values.real(i, facts(type).lowest + static_cast<double>(state >> 16) / 65536 * span);
    }
    return values.finish();
}
inline tensor scales_of(const shape& dimensions, double first = 0.01) {
    tensor_builder values(f32, dimensions);
    for (std::size_t i = 0; i < values.elements(); ++i) {
        values.real(i, first * (1 + static_cast<double>(i % 7)));
    }
    return values.finish();
}

}  // namespace lpt::testing
