# SPDX-License-Identifier: Apache-2.0
# lpt::compiled: the default pipeline, the operation table and constant folding, compiled once as a static library. What links it
# sees them declared only, which compiles in a fraction of the time; everything else stays header-only. Built only where it is linked.

if(NOT TARGET lpt_compiled)
  set(lpt_compiled_source "${CMAKE_CURRENT_BINARY_DIR}/lpt_compiled/lpt_compiled.cpp")
  file(CONFIGURE OUTPUT "${lpt_compiled_source}" @ONLY CONTENT "// Generated for lpt::compiled.
#include <lpt/lpt.hpp>
")
  add_library(lpt_compiled STATIC EXCLUDE_FROM_ALL "${lpt_compiled_source}")
  add_library(lpt::compiled ALIAS lpt_compiled)
  target_link_libraries(lpt_compiled PUBLIC lpt::lpt)
  # What stands before the explicit instantiations: nothing defines them, `extern` declares them.
  target_compile_definitions(lpt_compiled PRIVATE "LPT_COMPILED=" INTERFACE LPT_COMPILED=extern)
endif()
