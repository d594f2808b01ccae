// SPDX-License-Identifier: Apache-2.0
#include <lpt/plan/layout_choice.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace lpt;
using plan::layout;
using plan::layout_use;

namespace {

layout_use fixed(layout order, std::vector<int> reads, std::vector<int> gives) {
    return {false, order, false, std::move(reads), std::move(gives)};
}
layout_use free_use(std::vector<int> reads, std::vector<int> gives) {
    return {true, layout::plain, false, std::move(reads), std::move(gives)};
}

struct choice {
    std::string orders;  // a letter a use: p, or c for channels last
    std::int64_t bytes = 0;
};

choice chosen(std::vector<layout_use> uses, const std::vector<std::int64_t>& bytes) {
    plan::layout_chooser chooser(uses, bytes);
    chooser.choose();
    choice result{"", chooser.cost()};
    for (const layout_use& each : uses) {
        result.orders += each.order == layout::plain ? 'p' : 'c';
    }
    return result;
}

constexpr layout in_planes = layout::plain;
constexpr layout in_pixels = layout::channels_last;

}  // namespace

TEST_CASE("What stands between equal layouts has that layout") {
    for (const layout order : {in_planes, in_pixels}) {
        const choice made = chosen({fixed(order, {}, {0}), free_use({0}, {1}), fixed(order, {1}, {})}, {8, 8});
        CHECK(made.orders == (order == in_planes ? "ppp" : "ccc"));
        CHECK(made.bytes == 0);
    }
}

TEST_CASE("Between different layouts the smallest tensor is laid out anew, wherever it stands") {
    for (const int smallest : {0, 1, 2, 3}) {
        std::vector<std::int64_t> bytes{7, 9, 8, 7};
        bytes[static_cast<std::size_t>(smallest)] = 3;
        const choice made = chosen({fixed(in_planes, {}, {0}), free_use({0}, {1}), free_use({1}, {2}),
                                    free_use({2}, {3}), fixed(in_pixels, {3}, {})},
                                   bytes);
        CHECK(made.bytes == 3);
        CHECK(made.orders == std::string("pppp").substr(0, static_cast<std::size_t>(smallest) + 1) +
                                 std::string("cccc").substr(0, 4 - static_cast<std::size_t>(smallest)));
    }
}

TEST_CASE("A tensor with many readers in the other layout is laid out anew once") {
    std::vector<layout_use> uses{fixed(in_planes, {}, {0})};
    for (int i = 0; i < 5; ++i) {
        uses.push_back(fixed(in_pixels, {0}, {}));
    }
    CHECK(chosen(uses, {8}).bytes == 8);
}

TEST_CASE("A sum of two tensors goes with the larger one") {
    for (const bool larger_is_plain : {false, true}) {
        const std::vector<std::int64_t> bytes{larger_is_plain ? 9 : 2, larger_is_plain ? 2 : 9, 0};
        const choice made =
            chosen({fixed(in_planes, {}, {0}), fixed(in_pixels, {}, {1}), free_use({0, 1}, {2})}, bytes);
        CHECK(made.orders == (larger_is_plain ? "pcp" : "pcc"));
        CHECK(made.bytes == 2);
    }
}

TEST_CASE("A Transpose of channels swaps the layouts, and moves nothing where that fits") {
    layout_use swap = free_use({1}, {2});
    swap.swaps = true;
    const choice made =
        chosen({fixed(in_pixels, {}, {0}), free_use({0}, {1}), swap, free_use({2}, {3}), fixed(in_planes, {3}, {})},
               {8, 8, 8, 8});
    CHECK(made.orders == "cccpp");
    CHECK(made.bytes == 0);
}

TEST_CASE(
    "In random networks of many branches most choices are the best, and all together move at most 5 % more bytes") {
    std::uint32_t state = 1;
    const auto random = [&](std::size_t bound) {
        state = state * 1664525u + 1013904223u;
        return static_cast<int>((state >> 8) % static_cast<std::uint32_t>(bound));
    };
    int best = 0;
    std::int64_t bytes_moved = 0;
    std::int64_t fewest_bytes = 0;
    constexpr int networks = 300;
    for (int network = 0; network < networks; ++network) {
        std::vector<layout_use> uses{fixed(in_planes, {}, {0})};
        std::vector<std::int64_t> bytes{random(100)};
        std::vector<std::size_t> choosing;
        for (int i = 1; i < 14; ++i) {
            const std::vector<int> reads{random(bytes.size()), random(bytes.size())};
            layout_use use =
                random(3) == 0 ? fixed(random(2) == 0 ? in_planes : in_pixels, reads, {i}) : free_use(reads, {i});
            use.swaps = use.chooses && random(8) == 0;
            if (use.chooses) {
                choosing.push_back(uses.size());
            }
            uses.push_back(use);
            bytes.push_back(random(100));
        }
        std::int64_t fewest = plan::layout_chooser(uses, bytes).cost();
        const std::int64_t made = chosen(uses, bytes).bytes;
        for (std::size_t orders = 0; orders < (std::size_t{1} << choosing.size()); ++orders) {
            for (std::size_t i = 0; i < choosing.size(); ++i) {
                uses[choosing[i]].order = (orders >> i & 1) != 0 ? in_pixels : in_planes;
            }
            fewest = std::min(fewest, plan::layout_chooser(uses, bytes).cost());
        }
        best += made == fewest ? 1 : 0;
        bytes_moved += made;
        fewest_bytes += fewest;
    }
    CAPTURE(best);
    CAPTURE(bytes_moved);
    CAPTURE(fewest_bytes);
    CHECK(best > networks * 4 / 5);
    CHECK(bytes_moved < fewest_bytes + fewest_bytes / 20);
}
