// SPDX-License-Identifier: Apache-2.0
// Where the code is that all files of a program need alike: the default pipeline, the table of operations, folding of constants, reports.
//
//   nothing defined            each file compiles what it uses; the linker keeps one copy
//   LPT_SHARED_IMPLEMENTATION  one file of the program holds it, and the others compile in a tenth of the time; for the whole program
//   LPT_IMPLEMENTATION         this file is the one that holds it
//
// The same by names of their own for planning and running networks, what lpt/runtime.hpp adds, LPT_SHARED_RUNTIME and
// LPT_RUNTIME_IMPLEMENTATION, and for the readers of files, LPT_SHARED_IMPORT and LPT_IMPORT_IMPLEMENTATION. Who links lpt::compiled,
// lpt::compiled_runtime and lpt::compiled_import need not define anything: these libraries are such files.
#pragma once

#include <lpt/base/version.hpp>

/// Stands before the explicit instantiations of such code: it defines them, or declares them for other files to define.
#if defined(LPT_IMPLEMENTATION)
#define LPT_COMPILED
#elif defined(LPT_SHARED_IMPLEMENTATION)
#define LPT_COMPILED extern
#endif
#if defined(LPT_RUNTIME_IMPLEMENTATION)
#define LPT_COMPILED_RUNTIME
#elif defined(LPT_SHARED_RUNTIME)
#define LPT_COMPILED_RUNTIME extern
#endif
#if defined(LPT_IMPORT_IMPLEMENTATION)
#define LPT_COMPILED_IMPORT
#elif defined(LPT_SHARED_IMPORT)
#define LPT_COMPILED_IMPORT extern
#endif

namespace lpt::inline LPT_ABI {

/// Makes a function a template, `template <compiled = once>`, so that one file of a program can hold it by an explicit instantiation.
enum class compiled { once };
inline constexpr compiled once = compiled::once;

}  // namespace lpt::inline LPT_ABI
