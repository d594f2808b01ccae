// SPDX-License-Identifier: Apache-2.0
// Places in an arena for blocks that come and go, in the gaps between those that are there.
#pragma once

#include <lpt/plan/zeroed_memory.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace lpt::inline LPT_ABI::plan::detail {

inline std::size_t aligned(std::size_t size) {
    return (size + block_alignment - 1) / block_alignment * block_alignment;
}

/// Memory that no living block has, step by step.
class free_memory {
    std::map<std::size_t, std::size_t> gaps_;  // size of each by its place; none touches another
    std::set<std::pair<std::size_t, std::size_t>> by_size_;  // size, place
    std::size_t end_ = 0;

    void drop(std::map<std::size_t, std::size_t>::iterator gap) {
        by_size_.erase({gap->second, gap->first});
        gaps_.erase(gap);
    }
    void put(std::size_t place, std::size_t size) {
        gaps_.emplace(place, size);
        by_size_.emplace(size, place);
    }

public:
    /// The smallest gap where it fits, else the end.
    std::size_t take(std::size_t size) {
        std::size_t place = end_;
        std::size_t room = 0;
        if (const auto fits = by_size_.lower_bound({size, 0}); fits != by_size_.end()) {
            room = fits->first;
            place = fits->second;
            drop(gaps_.find(place));
        } else if (!gaps_.empty() && gaps_.rbegin()->first + gaps_.rbegin()->second == end_) {
            place = gaps_.rbegin()->first;
            drop(std::prev(gaps_.end()));
        }
        if (room > size) {
            put(place + size, room - size);
        }
        end_ = std::max(end_, place + size);
        return place;
    }
    void give_back(std::size_t place, std::size_t size) {
        auto behind = gaps_.lower_bound(place);
        if (behind != gaps_.end() && behind->first == place + size) {
            size += behind->second;
            drop(behind);
        }
        behind = gaps_.lower_bound(place);
        if (behind != gaps_.begin()) {
            const auto before = std::prev(behind);
            if (before->first + before->second == place) {
                place = before->first;
                size += before->second;
                drop(before);
            }
        }
        put(place, size);
    }
    std::size_t end() const { return end_; }
};

/// How large a block of memory is, and the steps from the first to the last that need it.
struct lifetime {
    std::size_t bytes = 0;
    std::size_t first = 0, last = 0;

    void reach(std::size_t until) { last = std::max(last, until); }
    /// With what kernels may read behind it.
    std::size_t room() const { return aligned(bytes + block_slack); }
};

/// Where blocks lie, and what they take together.
struct arena_places {
    std::vector<std::size_t> offsets;
    std::size_t bytes = 0;
};

/// As the steps come, the large blocks of a step first, each into the smallest gap: the time does not depend on how many live at the same time.
/// Blocks of 0 bytes get no place.
inline arena_places places_by_step(const std::vector<lifetime>& blocks) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (blocks[i].bytes != 0) {
            order.push_back(i);
        }
    }
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return blocks[a].first != blocks[b].first   ? blocks[a].first < blocks[b].first
               : blocks[a].bytes != blocks[b].bytes ? blocks[a].bytes > blocks[b].bytes
                                                    : a < b;
    });
    arena_places result{std::vector<std::size_t>(blocks.size()), 0};
    free_memory memory;
    std::set<std::pair<std::size_t, std::size_t>> alive;  // last step, block
    for (const std::size_t i : order) {
        while (!alive.empty() && alive.begin()->first < blocks[i].first) {
            const std::size_t over = alive.begin()->second;
            memory.give_back(result.offsets[over], blocks[over].room());
            alive.erase(alive.begin());
        }
        result.offsets[i] = memory.take(blocks[i].room());
        alive.insert({blocks[i].last, i});
    }
    result.bytes = memory.end();
    return result;
}

}  // namespace lpt::inline LPT_ABI::plan::detail
