// SPDX-License-Identifier: Apache-2.0
// Memory of tensors by liveness: what no two steps need at the same time lies in the same bytes.
#pragma once

#include <lpt/plan/free_memory.hpp>
#include <lpt/specified/value.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace lpt::inline LPT_ABI::specified {

/// From the step that writes a tensor to the last one that reads it.
struct lifetime {
    std::size_t bytes = 0;  // 0: it shares no memory
    std::size_t first = 0, last = 0;

    void reach(std::size_t until) { last = std::max(last, until); }
};

/// Where tensors lie in memory that they share.
struct shared_places {
    std::vector<std::size_t> offsets;  // by tensor
    std::size_t bytes = 0;
    std::size_t bytes_apart = 0;  // of the tensors, if each had its own; 0: more than can be counted
};

/// As the steps come, each into the smallest gap that those leave that live at the same time.
inline shared_places places_of(const std::vector<lifetime>& tensors) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < tensors.size(); ++i)
        if (tensors[i].bytes != 0) order.push_back(i);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return tensors[a].first != tensors[b].first ? tensors[a].first < tensors[b].first : a < b;
    });
    const auto room = [&](std::size_t i) { return plan::detail::aligned(tensors[i].bytes + plan::block_slack); };
    shared_places result{std::vector<std::size_t>(tensors.size())};
    std::size_t rooms = 0;
    for (const std::size_t i : order) {
        if (tensors[i].bytes > SIZE_MAX / 4 - rooms) return {};
        rooms += room(i);
        result.bytes_apart += tensors[i].bytes;
    }
    plan::detail::free_memory memory;
    std::set<std::pair<std::size_t, std::size_t>> alive;  // last step, tensor
    for (const std::size_t i : order) {
        while (!alive.empty() && alive.begin()->first < tensors[i].first) {
            const std::size_t over = alive.begin()->second;
            memory.give_back(result.offsets[over], room(over));
            alive.erase(alive.begin());
        }
        result.offsets[i] = memory.take(room(i));
        alive.insert({tensors[i].last, i});
    }
    result.bytes = memory.end();
    return result;
}

}  // namespace lpt::inline LPT_ABI::specified
