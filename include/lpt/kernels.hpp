// SPDX-License-Identifier: Apache-2.0
// The kernels of one instruction set, for programs that are not built with CMake: one file for each instruction set of the architecture,
// which includes nothing else,
//
//   #define LPT_KERNEL_ISA avx2
//   #include <lpt/kernels.hpp>
//
// compiled with -std=c++20 -O2 -ffp-contract=off -fno-exceptions and
//
//   | architecture | LPT_KERNEL_ISA    | flags |
//   | all          | scalar            | |
//   | x86-64       | avx2              | -mavx2 -mfma |
//   |              | avx_vnni          | -mavx2 -mfma -mavxvnni |
//   |              | avx512_vnni_256   | -mavx2 -mfma -mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx512cd -mavx512vnni -mprfchw |
//   |              | avx512_vnni       | the same |
//   | AArch64      | neon              | g++: -fno-schedule-insns |
//   |              | neon_dot          | the same, -march=armv8.2-a+dotprod |
//   |              | neon_i8mm         | the same, -march=armv8.2-a+dotprod+i8mm |
//
// Without -fno-schedule-insns, which clang++ does not need, g++ moves loads to the front of the tiles' loops before it assigns
// registers, and then has too few for the sums.
//
// All of them belong into the program: which one runs is chosen at run time. Never compile other code with these flags beside them; the
// linker could take its functions for those of all processors.
#pragma once

#include <lpt/kernel/table.hpp>

#ifndef LPT_KERNEL_ISA
#define LPT_KERNEL_ISA scalar
#endif

template const lpt::kernel::kernel_table& lpt::kernel::table_of<lpt::kernel::on::LPT_KERNEL_ISA>() noexcept;
