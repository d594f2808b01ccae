// SPDX-License-Identifier: Apache-2.0
// One row of floats times packed columns.
#pragma once

#include <lpt/kernel/dense_pack.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// A sum waits for the one before into the same column, and a panel alone has too few of them under way: several go side by side. Each column
/// adds in the order of k, as in a tile.
template <class Isa>
struct dense_row {
    using arithmetic = float_arithmetic<Isa>;
    using layout = dense_layout<arithmetic>;
    static constexpr int vectors = arithmetic::vectors;
    static constexpr int panels = vectors < 4 ? 8 / vectors : 2;
    static constexpr std::int64_t columns = panels * layout::panel_columns;

    /// The sums of the row's products with `panels` panels of full width that follow each other from `panel` on. `taps`: where the row's
    /// taps begin, `offset` bytes further.
    static void run(const layout& shape, const unsigned char* const* taps, std::int64_t offset,
                    const unsigned char* panel, float* sums) noexcept {
        constexpr std::int64_t vector_bytes = arithmetic::lanes * 4;
        const std::int64_t distance = layout::panel_columns * shape.column_bytes();
        typename arithmetic::accumulator sum[panels][vectors];
#pragma GCC unroll 8
        for (int p = 0; p < panels; ++p) {
#pragma GCC unroll 8
            for (int v = 0; v < vectors; ++v)
                sum[p][v] = arithmetic::zero();
        }
        for (std::int64_t t = 0; t < shape.taps; ++t) {
            const unsigned char* const row = taps[t] + offset;
            for (std::int64_t k = 0; k < shape.channels; ++k, panel += vectors * vector_bytes) {
                const auto value = arithmetic::load_row(row + 4 * k);
#pragma GCC unroll 8
                for (int p = 0; p < panels; ++p) {
#pragma GCC unroll 8
                    for (int v = 0; v < vectors; ++v) {
                        const auto column = arithmetic::load_columns(panel + p * distance + v * vector_bytes);
                        sum[p][v] = arithmetic::step(sum[p][v], value, column);
                    }
                }
            }
        }
#pragma GCC unroll 8
        for (int p = 0; p < panels; ++p) {
#pragma GCC unroll 8
            for (int v = 0; v < vectors; ++v)
                arithmetic::store(sums + (p * vectors + v) * arithmetic::lanes, sum[p][v]);
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
