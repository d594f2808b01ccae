// SPDX-License-Identifier: Apache-2.0
// Memory by liveness: blocks that are not alive at the same time may share bytes.
#pragma once

#include <lpt/plan/steps.hpp>

#include <algorithm>
#include <utility>

namespace lpt::plan {

inline constexpr std::size_t block_alignment = 64;
/// Bytes after each block that a kernel may read, never write.
inline constexpr std::size_t block_slack = 64;

namespace detail {

inline std::size_t aligned(std::size_t size) {
    return (size + block_alignment - 1) / block_alignment * block_alignment;
}

inline void touch(storage& block, int step) {
    if (block.first_step < 0 || step < block.first_step) {
        block.first_step = step;
    }
    block.last_step = std::max(block.last_step, step);
}

inline void find_lifetimes(network& net) {
    for (int i = 0; i < static_cast<int>(net.steps.size()); ++i) {
        const step& each = net.steps[static_cast<std::size_t>(i)];
        for (const std::vector<int>* tensors : {&each.reads, &each.writes}) {
            for (const int id : *tensors) {
                touch(net.storages[static_cast<std::size_t>(net.tensors[static_cast<std::size_t>(id)].storage)], i);
            }
        }
    }
    for (const port& output : net.outputs) {
        touch(net.storages[static_cast<std::size_t>(net.tensors[static_cast<std::size_t>(output.tensor)].storage)],
              static_cast<int>(net.steps.size()));
    }
}

/// Lets a step write where it reads, if nothing reads that memory afterwards.
inline void share_in_place(network& net) {
    for (int i = 0; i < static_cast<int>(net.steps.size()); ++i) {
        step& each = net.steps[static_cast<std::size_t>(i)];
        if (!each.may_overwrite) {
            continue;
        }
        const int from = net.tensors[static_cast<std::size_t>(each.reads[0])].storage;
        const int to = net.tensors[static_cast<std::size_t>(each.writes[0])].storage;
        storage& read = net.storages[static_cast<std::size_t>(from)];
        storage& written = net.storages[static_cast<std::size_t>(to)];
        if (from == to || read.where != place::arena || written.where != place::arena || read.last_step != i ||
            written.first_step != i || read.bytes != written.bytes) {
            continue;
        }
        read.last_step = written.last_step;
        written.bytes = 0;
        for (stored_tensor& tensor : net.tensors) {
            if (tensor.storage == to) {
                tensor.storage = from;
            }
        }
    }
}

/// The lowest place where a block fits beside those that live at the same time, in the smallest gap.
inline std::size_t best_place(const network& net, const std::vector<int>& placed, const storage& block) {
    std::vector<std::pair<std::size_t, std::size_t>> taken;
    for (const int id : placed) {
        const storage& other = net.storages[static_cast<std::size_t>(id)];
        if (other.first_step <= block.last_step && block.first_step <= other.last_step) {
            taken.push_back({other.offset, other.offset + aligned(other.bytes + block_slack)});
        }
    }
    std::sort(taken.begin(), taken.end());
    const std::size_t size = aligned(block.bytes + block_slack);
    std::size_t best = SIZE_MAX;
    std::size_t best_gap = SIZE_MAX;
    std::size_t end = 0;
    for (const auto& [from, to] : taken) {
        if (from >= end + size && from - end < best_gap) {
            best = end;
            best_gap = from - end;
        }
        end = std::max(end, to);
    }
    return best == SIZE_MAX ? end : best;
}

}  // namespace detail

/// Gives every block of the arena its place: large blocks first, each into the smallest gap between those that live at the same time.
inline void plan_memory(network& net) {
    detail::find_lifetimes(net);
    detail::share_in_place(net);
    std::vector<int> order;
    for (int id = 0; id < static_cast<int>(net.storages.size()); ++id) {
        storage& block = net.storages[static_cast<std::size_t>(id)];
        if (block.where == place::arena && block.bytes != 0 && block.first_step >= 0) {
            order.push_back(id);
        }
    }
    std::sort(order.begin(), order.end(), [&](int a, int b) {
        const std::size_t left = net.storages[static_cast<std::size_t>(a)].bytes;
        const std::size_t right = net.storages[static_cast<std::size_t>(b)].bytes;
        return left != right ? left > right : a < b;
    });
    std::vector<int> placed;
    for (const int id : order) {
        storage& block = net.storages[static_cast<std::size_t>(id)];
        block.offset = detail::best_place(net, placed, block);
        net.arena_bytes = std::max(net.arena_bytes, block.offset + detail::aligned(block.bytes + block_slack));
        placed.push_back(id);
    }
}

}  // namespace lpt::plan
