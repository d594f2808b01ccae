// SPDX-License-Identifier: Apache-2.0
// The file of the program that holds the default pipeline and what goes with it; the others are compiled with LPT_SHARED_IMPLEMENTATION.
#define LPT_IMPLEMENTATION
#include <lpt/lpt.hpp>
