// SPDX-License-Identifier: Apache-2.0
// What tiles of the dense kernel fetch into the caches while they multiply.
#pragma once

#include <lpt/base/version.hpp>

#include <cstdint>

namespace lpt::inline LPT_ABI::kernel {

/// What tiles fetch between their k groups, a few lines every four groups: all at once, they would keep the tile's own loads waiting.
/// One for all tiles of a panel; the loops over k have no registers left for it.
struct tile_fetches {
    const unsigned char* result = nullptr;  // the next row of the tile's results of 32 bits: stores would wait for them
    std::int64_t row_bytes = 0;
    const unsigned char* residual = nullptr;  // what is added to that row, or null
    std::int64_t residual_bytes = 0;
    std::int64_t rows = 0;  // that are left
    const unsigned char* panel = nullptr;  // what is left of the panel that is needed next
    std::int64_t panel_bytes = 0;
    std::int64_t interval = 1;  // every so many tiles fetch a part of it
    std::int64_t wait = 0;  // tiles until the next one that does

    /// A tile fetches a quarter of a panel, less if it leaves out taps.
    [[gnu::always_inline]] void start_panel(const unsigned char* next, std::int64_t bytes,
                                            std::int64_t tiles) noexcept {
        panel = next;
        panel_bytes = next == nullptr || bytes < 8192 ? 0 : bytes;  // a few lines come soon enough
        interval = tiles / 5;
    }
    /// What is added to the rows of results that the next tile fetches.
    [[gnu::always_inline]] void start_residual(const unsigned char* from, std::int64_t bytes) noexcept {
        residual = from;
        residual_bytes = bytes;
    }
    /// Whether the next tile, which has `result_rows` rows of results to fetch, has to fetch something.
    [[gnu::always_inline]] bool start_tile(const unsigned char* to, std::int64_t result_bytes,
                                           std::int64_t result_rows) noexcept {
        result = to;
        row_bytes = result_bytes;
        rows = result_rows;
        if (panel_bytes <= 0) return result_rows > 0;
        if (--wait <= 0) wait = interval;
        return wait == interval || result_rows > 0;
    }
    /// A row of results, or as many bytes of the panel as a k group has, which is a quarter of what the tile reads meanwhile.
    template <std::int64_t RowBytes, std::int64_t GroupBytes>
    [[gnu::always_inline]] void fetch() noexcept {
        if (rows > 0) {
            for (std::int64_t at = 0; at < RowBytes; at += 64)
                __builtin_prefetch(result + at, 1);
            result += row_bytes;
            --rows;
            if (residual != nullptr) {
                for (std::int64_t at = 0; at < RowBytes; at += 64)
                    __builtin_prefetch(residual + at);
                residual += residual_bytes;
            }
        } else if (panel_bytes > 0) {
            for (std::int64_t at = 0; at < GroupBytes; at += 64)
                __builtin_prefetch(panel + at, 0, 2);
            panel += GroupBytes;
            panel_bytes -= GroupBytes;
        }
        __asm__ volatile("" : : : "memory");  // or members would be kept in registers after all
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
