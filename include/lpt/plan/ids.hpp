// SPDX-License-Identifier: Apache-2.0
// Numbers of what a planned network consists of, each a type of its own.
#pragma once

#include <lpt/base/version.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace lpt::inline LPT_ABI::plan {

/// A tensor of a network: its place in `network::tensors`.
enum class tensor_id : std::int32_t { none = -1 };

/// A block of memory of a network: its place in `network::storages`.
enum class storage_id : std::int32_t { none = -1 };

/// A step of a network: its place in `network::steps`; one past the last is when the caller reads outputs.
enum class step_id : std::int32_t { none = -1 };

/// A variable of a network: its place in `network::states`.
enum class state_id : std::int32_t { none = -1 };

/// One of the types above.
template <class Id>
concept network_id = std::same_as<Id, tensor_id> || std::same_as<Id, storage_id> || std::same_as<Id, step_id> ||
                     std::same_as<Id, state_id>;

/// The place in the network's list; of `none` there is none.
template <network_id Id>
constexpr std::size_t index_of(Id id) noexcept {
    return static_cast<std::size_t>(id);
}

/// The id of what is at a place in the network's list.
template <network_id Id>
constexpr Id id_at(std::size_t index) noexcept {
    return static_cast<Id>(index);
}

/// The step behind a step.
constexpr step_id next_of(step_id id) noexcept { return static_cast<step_id>(static_cast<std::int32_t>(id) + 1); }

}  // namespace lpt::inline LPT_ABI::plan
