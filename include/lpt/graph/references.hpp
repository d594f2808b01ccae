// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/version.hpp>

#include <cstddef>
#include <cstdint>

namespace lpt::inline LPT_ABI {

/// The number of a node in its graph. Numbers of removed nodes are not given again.
enum class node_id : std::int32_t { none = -1 };

constexpr std::size_t index_of(node_id id) { return static_cast<std::size_t>(id); }
constexpr node_id id_at(std::size_t index) { return static_cast<node_id>(index); }

/// One output of a node: what an input is connected to.
struct output_ref {
    node_id node = node_id::none;
    std::int32_t port = 0;

    constexpr output_ref() = default;
    constexpr output_ref(node_id producer, std::int32_t output = 0) : node(producer), port(output) {}
    constexpr explicit operator bool() const { return node != node_id::none; }
    friend constexpr bool operator==(const output_ref&, const output_ref&) = default;
};

/// One input of a node.
struct input_ref {
    node_id node = node_id::none;
    std::int32_t port = 0;
    friend constexpr bool operator==(const input_ref&, const input_ref&) = default;
};

}  // namespace lpt::inline LPT_ABI
