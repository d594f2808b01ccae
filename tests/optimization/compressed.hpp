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

/// Codes of a type, dequantized by scales of a shape and, where it has them, zero points of the same one, as a matrix.
inline output_ref dequantized_weights(graph& model, element type, const shape& codes, const shape& scale,
                                      bool has_zero_points, const integers& matrix, double first_scale = 0.01) {
    output_ref weights = model.add(op::convert{f32}, {model.constant(codes_of(type, codes))});
    if (has_zero_points) {
        const output_ref zeros = model.add(op::convert{f32}, {model.constant(codes_of(type, scale))});
        weights = model.add(op::subtract{}, {weights, zeros});
    }
    weights = model.add(op::multiply{}, {weights, model.constant(scales_of(scale, first_scale))});
    if (codes.rank() != matrix.size()) {
        weights = model.add(op::reshape{}, {weights, model.constant(make_indices(matrix))});
    }
    return weights;
}

}  // namespace lpt::testing
