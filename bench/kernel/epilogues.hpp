// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/kernel/rows.hpp>

namespace bench {

/// Registers convolutions with what layers of networks end with: activations, residuals, quantizations per channel.
void register_epilogues(lpt::kernel::isa set, const lpt::kernel::parallel_for& parallel);

}  // namespace bench
