// SPDX-License-Identifier: Apache-2.0
#include <lpt/plan/zeroed_memory.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <vector>

using namespace lpt;

namespace {

bool is_zero(const std::byte* from, std::size_t size) {
    return std::all_of(from, from + size, [](std::byte each) { return each == std::byte{0}; });
}

}  // namespace

TEST_CASE("blocks of any size are aligned, zeroed, apart from each other, and have room behind them") {
    plan::zeroed_blocks blocks;
    std::vector<plan::zeroed_memory> taken;
    // Up to a megabyte they stand alone, then they share chunks, of which the last ones need a second.
    const std::size_t sizes[] = {1,       0,       64,      600000,  600001,  65,       4096,
                                 3000000, 1000001, 9000000, 1000000, 9999999, 20000000, 12000000};
    for (const std::size_t size : sizes) {
        taken.push_back(blocks.take(size));
        const plan::zeroed_memory& block = taken.back();
        CAPTURE(size);
        CHECK(block.size() == size);
        CHECK(reinterpret_cast<std::uintptr_t>(block.data()) % plan::block_alignment == 0);
        CHECK(is_zero(block.data(), size + plan::block_slack));
        std::memset(block.data(), static_cast<int>(taken.size()), size);
    }
    for (std::size_t i = 0; i < taken.size(); ++i) {
        const std::byte own{static_cast<unsigned char>(i + 1)};
        const std::byte* const first = taken[i].data();
        CHECK(std::all_of(first, first + sizes[i], [own](std::byte each) { return each == own; }));
        CHECK(is_zero(first + sizes[i], plan::block_slack));
    }
}

TEST_CASE("a block outlives the others of its chunk and what gave it") {
    plan::zeroed_memory last;
    {
        plan::zeroed_blocks blocks;
        const plan::zeroed_memory first = blocks.take(2000000);
        const plan::zeroed_memory second = blocks.take(2000000);
        last = blocks.take(1000000);
        std::memset(second.data(), 1, second.size());
    }
    CHECK(is_zero(last.data(), last.size()));
    std::memset(last.data(), 2, last.size());
    last.grow(8000000);
    CHECK(is_zero(last.data(), last.size()));
}
