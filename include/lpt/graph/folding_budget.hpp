// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/version.hpp>

#include <cstdint>

namespace lpt::inline LPT_ABI {

/// What folding of constants may still make and do in one network; the user sets it with `graph::set_folding_budget`.
///
/// Only what grows counts: a result that has more elements than every constant that it takes the place of. What has fewer than
/// 4096 elements is always folded. An operation that there is no budget for stays as it is, and is computed when the network
/// runs. A few bytes of a file could otherwise ask for more memory than a machine has.
struct folding_budget {
    std::uint64_t bytes = std::uint64_t{1} << 30;  // of results, and 16 for each place along one of their axes
    std::uint64_t steps = std::uint64_t{1}
                          << 32;  // elements that are read or written, and products of matrices' elements

    /// Takes away what one result needs; false, and nothing changes, where not so much is left.
    constexpr bool spend(double needed_bytes, double needed_steps) {
        if (needed_bytes > static_cast<double>(bytes) || needed_steps > static_cast<double>(steps)) {
            return false;
        }
        bytes -= static_cast<std::uint64_t>(needed_bytes);
        steps -= static_cast<std::uint64_t>(needed_steps);
        return true;
    }
    friend constexpr bool operator==(const folding_budget&, const folding_budget&) = default;
};

}  // namespace lpt::inline LPT_ABI
