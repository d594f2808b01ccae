# SPDX-License-Identifier: Apache-2.0
# lpt::compiled: the default pipeline, the operation table and constant folding, compiled once as a static library. What links it
# sees them declared only, which compiles in a fraction of the time; everything else stays header-only. Built only where it is linked.

# One translation unit can afford more than the program around it: g++ at -O3 takes a fifth longer for it than at -O2, and the default
# pipeline a tenth less. Where the build's own level is lower on purpose, LPT_COMPILED_OPTIMIZATION is set to nothing.

if(NOT TARGET lpt_compiled)
  set(LPT_COMPILED_OPTIMIZATION "$<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release,RelWithDebInfo>>:-O3>"
    CACHE STRING "Compiler option in place of the build's optimisation level, for lpt::compiled")
  set(lpt_compiled_source "${CMAKE_CURRENT_BINARY_DIR}/lpt_compiled/lpt_compiled.cpp")
  file(CONFIGURE OUTPUT "${lpt_compiled_source}" @ONLY CONTENT "// Generated for lpt::compiled.
#include <lpt/lpt.hpp>
")
  add_library(lpt_compiled STATIC EXCLUDE_FROM_ALL "${lpt_compiled_source}")
  add_library(lpt::compiled ALIAS lpt_compiled)
  target_link_libraries(lpt_compiled PUBLIC lpt::lpt)
  target_compile_options(lpt_compiled PRIVATE ${LPT_COMPILED_OPTIMIZATION})
  # What stands before the explicit instantiations: nothing defines them, `extern` declares them.
  target_compile_definitions(lpt_compiled PRIVATE "LPT_COMPILED=" INTERFACE LPT_COMPILED=extern)
endif()
