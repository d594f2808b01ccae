// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/operation.hpp>

#include <cmath>

/// Which scales and zero points a file may have.
namespace lpt::inline LPT_ABI::onnx {

/// Raises an error for a zero point of another shape than its scale, as QuantizeLinear and DequantizeLinear ask it. One number may have no axis or
/// one of size 1.
inline void check_zero_point_shape(operation& n, std::size_t scale, std::size_t zero_point) {
    if (!n.has(zero_point)) {
        return;
    }
    const lpt::shape& scales = n.shape(n.in(scale));
    const lpt::shape& zeros = n.shape(n.in(zero_point));
    const bool is_one_number =
        scales.is_static() && zeros.is_static() && scales.elements() == 1 && zeros.elements() == 1;
    lpt::shape merged = scales;
    if (!is_one_number && !merge_shape(merged, zeros)) {
        n.wrong({"input ", zero_point, ", the zero point, has the shape ", zeros, ", expected ", scales,
                 ", that of the scale"});
    }
}

/// What a scale does, which decides whether it may be 0, which divides nothing, and turns to 0 what it multiplies; or negative, which those of blocks are
/// whose largest number is positive.
enum class scale_use { quantizes, dequantizes, dequantizes_blocks };

/// Raises an error for a known scale that has no meaning for its use.
inline void check_scale(operation& n, std::size_t port, scale_use use) {
    const tensor* const scale = n.has(port) ? n.known(n.in(port)) : nullptr;
    for (std::size_t i = 0; scale != nullptr && i < scale->elements(); ++i) {
        const double value = scale->real(i);
        const bool has_meaning = use == scale_use::quantizes     ? value > 0
                                 : use == scale_use::dequantizes ? value >= 0
                                                                 : true;
        if (std::isfinite(value) && has_meaning) {
            continue;
        }
        n.wrong({"input ", port, ", the scale, has the value ", value, ", expected a finite number",
                 use == scale_use::quantizes     ? " above 0"
                 : use == scale_use::dequantizes ? " from 0 on"
                                                 : ""});
    }
}

}  // namespace lpt::inline LPT_ABI::onnx
