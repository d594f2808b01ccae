// SPDX-License-Identifier: Apache-2.0
// Running networks: lpt::compile and lpt::executable. Needs lpt::runtime, and the kernels that lpt_add_kernels makes.
#pragma once

#include <lpt/runtime/executable.hpp>
