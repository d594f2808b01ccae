// SPDX-License-Identifier: Apache-2.0
// Images of i8 codes in another size, between neighbours, in the arithmetic that operations specify.
#pragma once

#include <lpt/base/version.hpp>

#include <cstdint>

namespace lpt::inline LPT_ABI::kernel {

/// Two positions along an axis of an input, and how much of the second one counts, in 1024ths: 0 to 1024.
struct resize_neighbours {
    std::int64_t lower = 0;
    std::int64_t upper = 0;
    std::int32_t weight = 0;
};

/// [batch, in rows, in columns, channels] to [batch, out rows, out columns, channels], dense; axes are rows, columns. With the weights v of a row and w of
/// a column:
///   sum = (1024 - v) ((1024 - w) q[lower][lower] + w q[lower][upper]) + v ((1024 - w) q[upper][lower] + w q[upper][upper]);
/// the code is sum / 2^20, rounded half away from zero. `neighbours` has an element for each position of an output's axis.
struct fixed_resize_problem {
    std::int64_t batch = 1;
    std::int64_t in[2] = {1, 1};
    std::int64_t out[2] = {1, 1};
    std::int64_t channels = 1;
    const resize_neighbours* neighbours[2] = {nullptr, nullptr};
    const std::int8_t* input = nullptr;
    std::int8_t* output = nullptr;
};

}  // namespace lpt::inline LPT_ABI::kernel
