// SPDX-License-Identifier: Apache-2.0
// One row times packed columns.
#pragma once

#include <lpt/kernel/dense_pack.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// A sum waits for the one before into the same column, and a panel alone has few of them under way: several go side by side. Each
/// column adds in the order of k, as in a tile.
template <class Isa, class Arithmetic>
struct dense_row {
    using layout = dense_layout<Arithmetic>;
    using sum_type = typename Arithmetic::sum_type;
    static constexpr int vectors = Arithmetic::vectors;
    static constexpr int panels = vectors < 4 ? 8 / vectors : 2;
    static constexpr std::int64_t columns = panels * layout::panel_columns;

    /// Adds the row's products with `panels` panels of full width, which follow each other from `panel` on, to `sums`. `taps`: where the
    /// row's taps begin, `offset` bytes further.
    static void run(const layout& shape, const unsigned char* const* taps, std::int64_t offset,
                    const unsigned char* panel, sum_type* sums) noexcept {
        constexpr std::int64_t vector_bytes = Arithmetic::lanes * Arithmetic::column_group_bytes;
        constexpr std::int64_t row_step = Arithmetic::group * Arithmetic::row_value_bytes;
        const std::int64_t distance = layout::panel_columns * shape.column_bytes();
        const std::int64_t bytes = (shape.channels + Arithmetic::group - 1) / Arithmetic::group * row_step;
        typename Arithmetic::accumulator sum[panels][vectors];
#pragma GCC unroll 8
        for (int p = 0; p < panels; ++p) {
#pragma GCC unroll 8
            for (int v = 0; v < vectors; ++v)
                sum[p][v] = Arithmetic::load(sums + (p * vectors + v) * Arithmetic::lanes);
        }
        for (std::int64_t t = 0; t < shape.taps; ++t) {
            const unsigned char* const row = taps[t] + offset;
            for (std::int64_t at = 0; at < bytes; at += row_step, panel += vectors * vector_bytes) {
                const auto value = Arithmetic::load_row(row + at);
#pragma GCC unroll 8
                for (int p = 0; p < panels; ++p) {
#pragma GCC unroll 8
                    for (int v = 0; v < vectors; ++v) {
                        const auto column = Arithmetic::load_columns(panel + p * distance + v * vector_bytes);
                        sum[p][v] = Arithmetic::step(sum[p][v], value, column);
                    }
                }
            }
        }
#pragma GCC unroll 8
        for (int p = 0; p < panels; ++p) {
#pragma GCC unroll 8
            for (int v = 0; v < vectors; ++v) {
                Arithmetic::settle(sum[p][v]);
                Arithmetic::store(sums + (p * vectors + v) * Arithmetic::lanes, sum[p][v]);
            }
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
