// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/kernel/rows.hpp>

namespace bench {

namespace k = lpt::kernel;

/// Registers the kernels that move memory: pooling, elementwise arithmetic, conversion, lookup, transposition.
void register_others(k::isa set, const k::parallel_for& parallel);

}  // namespace bench
