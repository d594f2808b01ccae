// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Graph, transformations, pipeline and restrictions: no SIMD, no file formats.
///
/// What a program compiles of it without `lpt::compiled` is thousands of functions, for which g++ at -O2 takes 22 s. Between here and
/// the end of this header g++ therefore optimises lightly, in a third of the time, and the transformations take 1.7 times as long.
/// Where LPT_OPTIMIZE_TRANSFORMATIONS is defined, they are compiled with the options of the program: `lpt::runtime` defines it for its
/// users, because executing networks calls what lies here, too; the library `lpt::compiled` is compiled so as well.

// Standard headers are read first: what they define is the program's.
#include <lpt/base/version.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <new>
#if __has_include(<sched.h>)
#include <sched.h>
#endif
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__) && !defined(LPT_COMPILED) && \
    !defined(LPT_OPTIMIZE_TRANSFORMATIONS)
#define LPT_OPTIMIZES_LIGHTLY
#pragma GCC push_options
// -Og, without passes that take a twelfth of the time and whose absence no measurement of the pipeline shows.
#pragma GCC optimize( \
    "Og,no-forward-propagate,no-cprop-registers,no-compare-elim,no-combine-stack-adjustments,no-split-wide-types,no-shrink-wrap,no-reorder-blocks,no-guess-branch-probability,ira-algorithm=priority,ira-region=one")
#endif

#include <lpt/graph/verify.hpp>
#include <lpt/pipeline/prepare.hpp>
#include <lpt/pipeline/transform.hpp>
#include <lpt/target/cpu_arm.hpp>
#include <lpt/target/cpu_x86.hpp>
#include <lpt/target/cpu_x86_amx.hpp>
#include <lpt/target/gpu.hpp>

#ifdef LPT_OPTIMIZES_LIGHTLY
#pragma GCC pop_options
#undef LPT_OPTIMIZES_LIGHTLY
#endif
