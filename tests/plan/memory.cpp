// SPDX-License-Identifier: Apache-2.0
#include <lpt/plan/memory.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace lpt;

namespace {

/// A network of blocks in the arena that live from one step to another.
class block_network {
    plan::network net_;

    void touch(plan::tensor_id block, int step) { net_.steps[static_cast<std::size_t>(step)].reads.push_back(block); }

public:
    explicit block_network(int steps) { net_.steps.resize(static_cast<std::size_t>(steps)); }

    void add(std::size_t bytes, int first, int last) {
        const auto block = plan::id_at<plan::storage_id>(net_.storages.size());
        const auto tensor = plan::id_at<plan::tensor_id>(net_.tensors.size());
        net_.storages.push_back({plan::area::arena, bytes, 0, plan::step_id::none, plan::step_id::none, {}});
        net_.tensors.push_back({u8, shape{static_cast<dimension>(bytes)}, plan::layout::plain, block});
        touch(tensor, first);
        touch(tensor, last);
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
    for (std::size_t i = 0; i < net.steps.size(); ++i) {
        const auto step = plan::id_at<plan::step_id>(i);
        std::size_t alive = 0;
        for (const plan::storage& each : net.storages) {
            alive += each.first_step <= step && step <= each.last_step ? each.bytes : 0;
        }
        result = std::max(result, alive);
    }
    return result;
}

/// Large blocks first, each into the smallest gap between those that it meets, found by looking at all of them.
std::vector<std::size_t> simple_places(const plan::network& net) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < net.storages.size(); ++i) {
        order.push_back(i);
    }
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const std::size_t left = net.storages[a].bytes;
        const std::size_t right = net.storages[b].bytes;
        return left != right ? left > right : a < b;
    });
    const auto room = [&](std::size_t i) {
        const std::size_t size = net.storages[i].bytes + plan::block_slack + plan::block_alignment - 1;
        return size / plan::block_alignment * plan::block_alignment;
    };
    std::vector<std::size_t> places(net.storages.size(), SIZE_MAX);
    for (const std::size_t i : order) {
        std::vector<std::pair<std::size_t, std::size_t>> taken;
        for (std::size_t k = 0; k < net.storages.size(); ++k) {
            if (places[k] != SIZE_MAX && meet(net.storages[i], net.storages[k])) {
                taken.push_back({places[k], places[k] + room(k)});
            }
        }
        std::sort(taken.begin(), taken.end());
        std::size_t end = 0;
        std::size_t least = SIZE_MAX;
        for (const auto& [from, to] : taken) {
            if (from >= end + room(i) && from - end < least) {
                least = from - end;
                places[i] = end;
            }
            end = std::max(end, to);
        }
        places[i] = least == SIZE_MAX ? end : places[i];
    }
    return places;
}

}  // namespace

TEST_CASE("Blocks that meet share no bytes, whatever their lives") {
    for (std::uint32_t seed = 1; seed < 6; ++seed) {
        CHECK(mistakes_of(random_network(300, 200, 40, seed)) == 0);
        CHECK(mistakes_of(random_network(300, 7, 7, seed)) == 0);
    }
}

TEST_CASE("Blocks lie where looking at all pairs puts them") {
    for (std::uint32_t seed = 1; seed < 6; ++seed) {
        for (const int longest : {3, 40, 200}) {
            const plan::network net = random_network(300, 200, longest, seed);
            std::vector<std::size_t> places;
            for (const plan::storage& each : net.storages) {
                places.push_back(each.offset);
            }
            CHECK(places == simple_places(net));
        }
    }
}

TEST_CASE("Pairs of blocks that live at the same time are counted, those that begin together too") {
    plan::network net;
    net.steps.resize(3);
    const auto block = [&](int first, int last) {
        plan::storage made;
        made.where = plan::area::arena;
        made.bytes = 64;
        made.first_step = plan::step_id{first};
        made.last_step = plan::step_id{last};
        net.storages.push_back(made);
    };
    block(0, 0);
    block(0, 1);
    block(0, 2);  // three pairs
    block(1, 2);  // two more, with the blocks that live on
    block(2, 2);  // two more
    CHECK(plan::detail::count_meetings(net, plan::detail::blocks_of_arena(net)) == 7);
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

TEST_CASE("An arena whose bytes cannot be counted, or are more than the limit, is refused with its size") {
    block_network huge(2);
    huge.add(std::size_t{1} << 61, 0, 1);
    huge.add(std::size_t{1} << 61, 0, 1);
    CHECK_THROWS_WITH_AS(huge.planned(), "intermediate tensors: 15.9 EiB of memory cannot be allocated", error);
    plan::network net = random_network(3, 2, 2, 1);
    net.arena_bytes = 0;
    CHECK_THROWS_WITH_AS(plan::plan_memory(net, 64),
                         doctest::Contains(" of memory would be needed, and the limit is 64 bytes"), error);
}

TEST_CASE("Results that no step reads are written where the caller wants them, others are not") {
    block_network made(2);
    made.add(100, 0, 0);
    made.add(100, 0, 0);
    made.add(100, 0, 1);
    made.add(100, 0, 0);
    plan::network net = made.planned();
    for (plan::step& each : net.steps) {
        std::swap(each.reads, each.writes);
    }
    net.steps[1].reads = {plan::tensor_id{2}};
    net.storages[3].bytes = 200;  // of which the result is a part
    for (const int tensor : {0, 1, 1, 2, 3}) {
        net.outputs.push_back({"", {}, u8, shape{100}, plan::tensor_id{tensor}});
    }
    plan::place_outputs(net);
    CHECK(net.storages[0].where == plan::area::output);
    CHECK(net.storages[0].offset == 0);
    CHECK(net.storages[1].where == plan::area::output);
    CHECK(net.storages[1].offset == 1);
    CHECK(net.storages[2].where == plan::area::arena);
    CHECK(net.storages[3].where == plan::area::arena);
}
