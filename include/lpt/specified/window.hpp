// SPDX-License-Identifier: Apache-2.0
// Windows over two axes of a tensor [batch, height, width, channels]: strides, dilations and padding.
#pragma once

#include <lpt/specified/operation.hpp>

namespace lpt::inline LPT_ABI::specified {

/// A window along one axis.
struct window_axis {
    std::int64_t size = 1;
    std::int64_t stride = 1;
    std::int64_t dilation = 1;
    bool same = false;  // SAME: as many outputs as input / stride, rounded up; VALID: only whole windows

    std::int64_t outputs(std::int64_t input) const {
        const std::int64_t reach = (size - 1) * dilation + 1;
        const std::int64_t result = same ? (input + stride - 1) / stride : (input - reach + stride) / stride;
        return result < 0 ? 0 : result;
    }
    /// Positions in front of the input that the first window covers: half of all padding, rounded down.
    std::int64_t padding(std::int64_t input) const {
        const std::int64_t total = (outputs(input) - 1) * stride + (size - 1) * dilation + 1 - input;
        return same && total > 0 ? total / 2 : 0;
    }
};

struct window {
    window_axis rows;
    window_axis columns;
};

inline window window_of(const operation& op, std::int64_t rows, std::int64_t columns) {
    const bool same = static_cast<tflite::padding>(op.option("padding")) == tflite::padding::same;
    window result;
    result.rows = {rows, op.positive_option("stride_h"), 1, same};
    result.columns = {columns, op.positive_option("stride_w"), 1, same};
    if (op.has_option("dilation_h_factor")) result.rows.dilation = op.positive_option("dilation_h_factor");
    if (op.has_option("dilation_w_factor")) result.columns.dilation = op.positive_option("dilation_w_factor");
    return result;
}

/// Raises an error unless a tensor has four axes.
inline void expect_image(const shape& dimensions) {
    if (dimensions.rank() != 4) fail({"shape ", dimensions, ", expected [batch, height, width, channels]"});
}

/// Raises an error where the elements of sizes would not be countable or sizes are not positive.
inline void expect_positive(const shape& dimensions) {
    for (const dimension each : dimensions) {
        if (each <= 0) fail({"shape ", dimensions, ", expected positive sizes"});
    }
}

}  // namespace lpt::inline LPT_ABI::specified
