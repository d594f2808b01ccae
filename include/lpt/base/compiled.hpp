// SPDX-License-Identifier: Apache-2.0
// Where the code is that all files of a program need alike: the default pipeline, the table of operations, folding of constants, reports;
// of lpt/runtime.hpp planner and executor, of lpt/import.hpp the readers of files.
//
//   nothing defined            each file compiles what it uses; the linker keeps one copy
//   LPT_SHARED_IMPLEMENTATION  one file of the program holds it, and the others compile in a tenth of the time; for the whole program
//   LPT_IMPLEMENTATION         this file is the one that holds it, of all headers that it includes
//
// Who links lpt::compiled, lpt::compiled_runtime or lpt::compiled_import need not define anything: each holds its part, and defines
// LPT_<part>_IMPLEMENTATION for itself and LPT_SHARED_<part> for its users, so that a program may link some of them.
#pragma once

#include <lpt/base/version.hpp>

// What stands before the explicit instantiations of such code: it defines them, or declares them for other files to define.
#if defined(LPT_IMPLEMENTATION) || defined(LPT_CORE_IMPLEMENTATION)
#define LPT_COMPILED
#elif defined(LPT_SHARED_IMPLEMENTATION) || defined(LPT_SHARED_CORE)
#define LPT_COMPILED extern
#endif
#if defined(LPT_IMPLEMENTATION) || defined(LPT_RUNTIME_IMPLEMENTATION)
#define LPT_COMPILED_RUNTIME
#elif defined(LPT_SHARED_IMPLEMENTATION) || defined(LPT_SHARED_RUNTIME)
#define LPT_COMPILED_RUNTIME extern
#endif
#if defined(LPT_IMPLEMENTATION) || defined(LPT_IMPORT_IMPLEMENTATION)
#define LPT_COMPILED_IMPORT
#elif defined(LPT_SHARED_IMPLEMENTATION) || defined(LPT_SHARED_IMPORT)
#define LPT_COMPILED_IMPORT extern
#endif

namespace lpt::inline LPT_ABI {

/// Makes a function a template, `template <compiled = once>`, so that one file of a program can hold it by an explicit instantiation.
enum class compiled { once };
inline constexpr compiled once = compiled::once;

}  // namespace lpt::inline LPT_ABI
