// SPDX-License-Identifier: Apache-2.0
// Steps that move bytes from one tensor to another.
#pragma once

#include <lpt/plan/steps.hpp>

#include <cstring>

namespace lpt::inline LPT_ABI::runtime {

namespace detail {

template <class Block>
void gather_blocks(const plan::gather_step& work, const std::byte* from, std::byte* to) {
    Block fill{};
    std::memcpy(&fill, work.fill.data(), sizeof fill);
    for (const std::int32_t block : work.blocks) {
        Block value = fill;
        if (block >= 0) {
            std::memcpy(&value, from + static_cast<std::size_t>(block) * sizeof value, sizeof value);
        }
        std::memcpy(to, &value, sizeof value);
        to += sizeof value;
    }
}

}  // namespace detail

/// Blocks of the input in another order.
inline void gather(const plan::gather_step& work, const std::byte* from, std::byte* to) {
    const auto size = static_cast<std::size_t>(work.block * work.element_bytes);
    if (work.block == 1) {
        switch (work.element_bytes) {
            case 1: return detail::gather_blocks<std::uint8_t>(work, from, to);
            case 2: return detail::gather_blocks<std::uint16_t>(work, from, to);
            case 4: return detail::gather_blocks<std::uint32_t>(work, from, to);
            default: return detail::gather_blocks<std::uint64_t>(work, from, to);
        }
    }
    for (const std::int32_t block : work.blocks) {
        if (block >= 0) {
            std::memcpy(to, from + static_cast<std::size_t>(block) * size, size);
        } else {
            for (std::size_t i = 0; i < size; i += work.fill.size()) {
                std::memcpy(to + i, work.fill.data(), work.fill.size());
            }
        }
        to += size;
    }
}

/// Blocks of the input that indices choose.
template <class Index>
void choose(const plan::choice_step& work, const std::byte* from, const std::byte* indices, std::byte* to) {
    const auto part = static_cast<std::size_t>(work.size) * work.block_bytes;
    for (std::int64_t i = 0; i < work.parts; ++i, from += part) {
        const std::byte* at = indices + static_cast<std::size_t>(i / work.parts_of_batch * work.count) * sizeof(Index);
        for (std::int64_t k = 0; k < work.count; ++k, at += sizeof(Index), to += work.block_bytes) {
            Index index;
            std::memcpy(&index, at, sizeof index);
            const std::int64_t place = index < 0 ? index + work.size : index;
            if (place < 0 || place >= work.size) {
                fail({"Gather: index ", static_cast<std::int64_t>(index), " is outside an axis of size ", work.size});
            }
            std::memcpy(to, from + static_cast<std::size_t>(place) * work.block_bytes, work.block_bytes);
        }
    }
}

/// The input with a margin around its pixels.
inline void add_margin(const plan::margin_step& work, const std::byte* from, std::byte* to) {
    const std::size_t pixel = work.fill.size();
    const auto fill = [&](std::int64_t pixels) {
        for (std::int64_t i = 0; i < pixels; ++i, to += pixel) {
            std::memcpy(to, work.fill.data(), pixel);
        }
    };
    const auto inside = [&](std::int64_t place, std::size_t axis) {
        return place >= work.begin[axis] && place < work.begin[axis] + work.in[axis];
    };
    const std::size_t row = static_cast<std::size_t>(work.in[2]) * pixel;
    for (std::int64_t n = 0; n < work.batch; ++n) {
        for (std::int64_t d = 0; d < work.out[0]; ++d) {
            for (std::int64_t h = 0; h < work.out[1]; ++h) {
                if (!inside(d, 0) || !inside(h, 1)) {
                    fill(work.out[2]);
                    continue;
                }
                fill(work.begin[2]);
                std::memcpy(to, from, row);
                from += row;
                to += row;
                fill(work.out[2] - work.begin[2] - work.in[2]);
            }
        }
    }
}

}  // namespace lpt::inline LPT_ABI::runtime
