// SPDX-License-Identifier: Apache-2.0
// Memory of tensors by liveness: what no two steps need at the same time lies in the same bytes.
#pragma once

#include <lpt/plan/free_memory.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lpt::inline LPT_ABI::specified {

/// From the step that writes a tensor to the last one that reads it; of 0 bytes if it shares no memory.
using plan::detail::lifetime;

/// Where tensors lie in memory that they share.
struct shared_places : plan::detail::arena_places {
    std::size_t bytes_apart = 0;  // of the tensors, if each had its own; 0: more than can be counted
};

inline shared_places places_of(const std::vector<lifetime>& tensors) {
    std::size_t apart = 0, rooms = 0;
    for (const lifetime& each : tensors) {
        if (each.bytes > SIZE_MAX / 4 - rooms) return {};
        rooms += each.bytes == 0 ? 0 : each.room();
        apart += each.bytes;
    }
    return {plan::detail::places_by_step(tensors), apart};
}

}  // namespace lpt::inline LPT_ABI::specified
