// SPDX-License-Identifier: Apache-2.0
// Compiled once for each instruction set, with its flags and -DLPT_KERNEL_ISA=<name> (Makefile).
#include <lpt/kernels.hpp>
