// SPDX-License-Identifier: Apache-2.0
// The file of the program that holds the default pipeline, the readers of files, planner and executor; the others only declare them (Makefile).
#define LPT_IMPLEMENTATION
#define LPT_IMPORT_IMPLEMENTATION
#define LPT_RUNTIME_IMPLEMENTATION
#include <lpt/import.hpp>
#include <lpt/lpt.hpp>
#include <lpt/runtime.hpp>
