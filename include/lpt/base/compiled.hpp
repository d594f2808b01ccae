// SPDX-License-Identifier: Apache-2.0
// Where the code is that all files of a program need alike: the default pipeline, the table of operations, folding of constants, reports.
//
//   nothing defined            each file compiles what it uses; the linker keeps one copy
//   LPT_SHARED_IMPLEMENTATION  one file of the program holds it, and the others compile in a tenth of the time; for the whole program
//   LPT_IMPLEMENTATION         this file is the one that holds it
//
// Who links lpt::compiled need not define anything: that library is such a file.
#pragma once

#include <lpt/base/version.hpp>

/// Stands before the explicit instantiations of such code: it defines them, or declares them for other files to define.
#if defined(LPT_IMPLEMENTATION)
#define LPT_COMPILED
#elif defined(LPT_SHARED_IMPLEMENTATION)
#define LPT_COMPILED extern
#endif

namespace lpt::inline LPT_ABI {

/// Makes a function a template, `template <compiled = once>`, so that one file of a program can hold it by an explicit instantiation.
enum class compiled { once };
inline constexpr compiled once = compiled::once;

}  // namespace lpt::inline LPT_ABI
