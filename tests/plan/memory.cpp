// SPDX-License-Identifier: Apache-2.0
#include <lpt/plan/memory.hpp>

#include <doctest/doctest.h>

#include <cstdint>

using namespace lpt;

namespace {

/// A network of blocks in the arena that live from one step to another.
class block_network {
    plan::network net_;

    void touch(int block, int step) { net_.steps[static_cast<std::size_t>(step)].reads.push_back(block); }

public:
    explicit block_network(int steps) { net_.steps.resize(static_cast<std::size_t>(steps)); }

    void add(std::size_t bytes, int first, int last) {
        const int number = static_cast<int>(net_.storages.size());
        net_.storages.push_back({plan::place::arena, bytes, 0, -1, -1, {}});
        net_.tensors.push_back({u8, shape{static_cast<dimension>(bytes)}, plan::layout::plain, number});
        touch(number, first);
        touch(number, last);
    }
    plan::network planned() {
        plan::plan_memory(net_);
        return net_;
    }
};

bool meet(const plan::storage& a, const plan::storage& b) {
    return a.first_step <= b.last_step && b.first_step <= a.last_step;
}
bool overlap(const plan::storage& a, const plan::storage& b) {
    return a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

/// Pairs of blocks that live at the same time and share bytes, and blocks that leave the arena.
std::size_t mistakes_of(const plan::network& net) {
    std::size_t result = 0;
    for (std::size_t i = 0; i < net.storages.size(); ++i) {
        const plan::storage& block = net.storages[i];
        result += block.offset % plan::block_alignment != 0 ||
                          block.offset + block.bytes + plan::block_slack > net.arena_bytes
                      ? 1u
                      : 0u;
        for (std::size_t k = 0; k < i; ++k) {
            result += meet(block, net.storages[k]) && overlap(block, net.storages[k]) ? 1u : 0u;
        }
    }
    return result;
}

/// Blocks of random sizes and lives.
plan::network random_network(int blocks, int steps, int longest, std::uint32_t seed) {
    block_network made(steps);
    const auto random = [&](int below) {
        seed = seed * 1664525u + 1013904223u;
        return static_cast<int>((seed >> 8) % static_cast<std::uint32_t>(below));
    };
    for (int i = 0; i < blocks; ++i) {
        const int first = random(steps);
        const int last = std::min(steps - 1, first + random(longest));
        made.add(static_cast<std::size_t>(1 + random(5000)), first, last);
    }
    return made.planned();
}

/// The most bytes that live at the same time: no arena is smaller.
std::size_t least_arena(const plan::network& net) {
    std::size_t result = 0;
    for (int step = 0; step < static_cast<int>(net.steps.size()); ++step) {
        std::size_t alive = 0;
        for (const plan::storage& each : net.storages) {
            alive += each.first_step <= step && step <= each.last_step ? each.bytes : 0;
        }
        result = std::max(result, alive);
    }
    return result;
}

}  // namespace

TEST_CASE("Blocks that meet share no bytes, whatever their lives") {
    for (std::uint32_t seed = 1; seed < 6; ++seed) {
        CHECK(mistakes_of(random_network(300, 200, 40, seed)) == 0);
        CHECK(mistakes_of(random_network(300, 7, 7, seed)) == 0);
    }
}

TEST_CASE("Blocks have places when too many live at the same time to look at all pairs") {
    const plan::network net = random_network(4000, 3000, 3000, 1);
    CHECK(mistakes_of(net) == 0);
    CHECK(net.arena_bytes < least_arena(net) * 6 / 5);
}

TEST_CASE("A large block is placed before small ones, and those fill its gaps") {
    block_network made(4);
    made.add(100, 0, 1);
    made.add(10000, 1, 2);
    made.add(100, 2, 3);
    const plan::network net = made.planned();
    CHECK(net.storages[1].offset == 0);
    CHECK(net.storages[0].offset == net.storages[2].offset);
    CHECK(mistakes_of(net) == 0);
}
