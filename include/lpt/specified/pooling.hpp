// SPDX-License-Identifier: Apache-2.0
// AVERAGE_POOL_2D and MAX_POOL_2D: the part of each window that lies inside the input. Codes keep their quantization.
#pragma once

#include <lpt/specified/window.hpp>

namespace lpt::inline LPT_ABI::specified {

/// AVERAGE_POOL_2D: the sum of codes divided by their number, rounded half away from zero. MAX_POOL_2D: the largest code. Both clamped by
/// the fused activation.
inline step make_pooling(const operation& op) {
    op.expect_codes(1);
    const bool averages = op.code() == tflite::builtin::average_pool_2d;
    const window of = window_of(op, op.positive_option("filter_height"), op.positive_option("filter_width"));
    const code_range range = op.activated();
    return [=](const operands& run) {
        const value& input = run.in(0);
        expect_image(input.dimensions);
        expect_positive(input.dimensions);
        const std::int64_t height = input.dimensions[1], width = input.dimensions[2], channels = input.dimensions[3];
        const std::int64_t rows = of.rows.outputs(height), columns = of.columns.outputs(width);
        const std::int64_t top = of.rows.padding(height), left = of.columns.padding(width);
        value& output = run.out();
        output.reshape(shape{input.dimensions[0], rows, columns, channels});
        const std::int8_t* codes = input.as<std::int8_t>();
        std::int8_t* result = output.to<std::int8_t>();
        std::vector<std::int32_t> pooled(static_cast<std::size_t>(channels));
        const auto pool = [&](std::int64_t b, std::int64_t y, std::int64_t x) {
            const std::int64_t first_row = std::max<std::int64_t>(0, y * of.rows.stride - top);
            const std::int64_t last_row = std::min(height, y * of.rows.stride - top + of.rows.size);
            const std::int64_t first = std::max<std::int64_t>(0, x * of.columns.stride - left);
            const std::int64_t last = std::min(width, x * of.columns.stride - left + of.columns.size);
            std::fill(pooled.begin(), pooled.end(), averages ? 0 : -128);
            for (std::int64_t row = first_row; row < last_row; ++row) {
                const std::int8_t* q = codes + ((b * height + row) * width + first) * channels;
                for (std::int64_t column = first; column < last; ++column, q += channels) {
                    for (std::int64_t c = 0; c < channels; ++c) {
                        std::int32_t& mine = pooled[static_cast<std::size_t>(c)];
                        mine = averages ? mine + q[c] : std::max<std::int32_t>(mine, q[c]);
                    }
                }
            }
            const auto count = static_cast<std::int32_t>((last_row - first_row) * (last - first));
            for (std::int32_t each : pooled) {
                if (averages) each = count == 0 ? 0 : (each > 0 ? each + count / 2 : each - count / 2) / count;
                *result++ = static_cast<std::int8_t>(range.clamp(each));
            }
        };
        for (std::int64_t b = 0; b < input.dimensions[0]; ++b) {
            for (std::int64_t y = 0; y < rows; ++y) {
                for (std::int64_t x = 0; x < columns; ++x)
                    pool(b, y, x);
            }
        }
    };
}

}  // namespace lpt::inline LPT_ABI::specified
