// SPDX-License-Identifier: Apache-2.0
// The gaps of an arena while blocks come and go.
#pragma once

#include <lpt/plan/zeroed_memory.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <utility>

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

}  // namespace lpt::inline LPT_ABI::plan::detail
