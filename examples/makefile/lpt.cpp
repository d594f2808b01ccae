// SPDX-License-Identifier: Apache-2.0
// The file of the program that holds the default pipeline, the readers of files, planner and executor; the others are compiled with LPT_SHARED_IMPLEMENTATION.
// Leave out the headers that your program does not use.
#define LPT_IMPLEMENTATION
#include <lpt/import.hpp>
#include <lpt/lpt.hpp>
#include <lpt/runtime.hpp>
