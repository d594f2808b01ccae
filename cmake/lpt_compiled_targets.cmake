# SPDX-License-Identifier: Apache-2.0
# lpt::compiled: the default pipeline, the operation table and constant folding, compiled once as a static library. What links it
# sees them declared only, which compiles in a fraction of the time; everything else stays header-only. Built only where it is linked.
# lpt::compiled_runtime and lpt::compiled_import are the same of planning and running networks and of the readers of files.

option(LPT_COMPILED_PROFILE "Compile lpt::compiled twice with g++: what the first build does with generated networks tells the second what to make fast" OFF)

# One translation unit can afford more than the program around it: g++ at -O3 takes a fifth longer for it than at -O2, and the default
# pipeline a tenth less. Where the build's own level is lower on purpose, LPT_COMPILED_OPTIMIZATION is set to nothing.

if(NOT TARGET lpt_compiled)
  set(LPT_COMPILED_OPTIMIZATION "$<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release,RelWithDebInfo>>:-O3>"
    CACHE STRING "Compiler option in place of the build's optimisation level, for lpt::compiled")
  set(lpt_compiled_source "${CMAKE_CURRENT_BINARY_DIR}/lpt_compiled/lpt_compiled.cpp")
  set(lpt_compiled_text "// Generated for lpt::compiled.
#include <lpt/lpt.hpp>
")
  file(CONFIGURE OUTPUT "${lpt_compiled_source}" @ONLY CONTENT "${lpt_compiled_text}")
  add_library(lpt_compiled STATIC EXCLUDE_FROM_ALL "${lpt_compiled_source}")
  add_library(lpt::compiled ALIAS lpt_compiled)
  target_link_libraries(lpt_compiled PUBLIC lpt::lpt)
  target_compile_options(lpt_compiled PRIVATE ${LPT_COMPILED_OPTIMIZATION})
  # The explicit instantiations are definitions here, declarations for who links it (base/compiled.hpp).
  target_compile_definitions(lpt_compiled PRIVATE LPT_CORE_IMPLEMENTATION INTERFACE LPT_SHARED_CORE)

  if(LPT_COMPILED_PROFILE)
    if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR CMAKE_CROSSCOMPILING)
      message(FATAL_ERROR "LPT_COMPILED_PROFILE: expected g++ and a build for this machine, which runs a program while it builds; "
        "the compiler is ${CMAKE_CXX_COMPILER_ID} for ${CMAKE_SYSTEM_PROCESSOR}")
    endif()
    set(lpt_profile_dir "${CMAKE_CURRENT_BINARY_DIR}/lpt_compiled/profile")
    set(lpt_profile "${lpt_profile_dir}/lpt_compiled.gcda")
    # Both objects say by these names where the profile is.
    set(lpt_profile_names -dumpdir "${lpt_profile_dir}/" -dumpbase lpt_compiled.cpp -dumpbase-ext .cpp)
    set(lpt_profiled_source "${lpt_profile_dir}/lpt_compiled.cpp")
    file(CONFIGURE OUTPUT "${lpt_profiled_source}" @ONLY CONTENT "${lpt_compiled_text}")
    set_source_files_properties("${lpt_profiled_source}" PROPERTIES COMPILE_DEFINITIONS LPT_CORE_IMPLEMENTATION
      COMPILE_OPTIONS "${LPT_COMPILED_OPTIMIZATION};-fprofile-generate;${lpt_profile_names}")
    set(lpt_training_source "${CMAKE_CURRENT_LIST_DIR}/lpt_compiled_training.cpp")
    set_source_files_properties("${lpt_training_source}" PROPERTIES COMPILE_DEFINITIONS LPT_SHARED_CORE)
    add_executable(lpt_compiled_training EXCLUDE_FROM_ALL "${lpt_training_source}" "${lpt_profiled_source}")
    target_link_libraries(lpt_compiled_training PRIVATE lpt::lpt)
    target_link_options(lpt_compiled_training PRIVATE -fprofile-generate)
    add_custom_command(OUTPUT "${lpt_profile}"
      COMMAND "${CMAKE_COMMAND}" -E rm -f "${lpt_profile}"  # runs would add up
      COMMAND lpt_compiled_training
      DEPENDS lpt_compiled_training COMMENT "Profiling lpt::compiled" VERBATIM)
    add_custom_target(lpt_compiled_profile DEPENDS "${lpt_profile}")
    add_dependencies(lpt_compiled lpt_compiled_profile)
    set_source_files_properties("${lpt_compiled_source}" PROPERTIES OBJECT_DEPENDS "${lpt_profile}")
    # What the generated networks do not do is optimised as it would be without a profile.
    target_compile_options(lpt_compiled PRIVATE -fprofile-use -fprofile-partial-training -Wno-error=coverage-mismatch
      ${lpt_profile_names})
    # Compiler caches that rewrite the paths of sources would make a function of one build unknown to the other.
    set_target_properties(lpt_compiled lpt_compiled_training PROPERTIES CXX_COMPILER_LAUNCHER "")
  endif()
endif()

# lpt_add_compiled_part(<part>): lpt::compiled_<part>, where lpt::<part> is there. A function, as packages are included in their users' scope.
function(lpt_add_compiled_part part)
  if(NOT TARGET lpt::${part} OR TARGET lpt_compiled_${part})
    return()
  endif()
  set(source "${CMAKE_CURRENT_BINARY_DIR}/lpt_compiled/lpt_compiled_${part}.cpp")
  file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT "// Generated for lpt::compiled_${part}.
#include <lpt/${part}.hpp>
")
  add_library(lpt_compiled_${part} STATIC EXCLUDE_FROM_ALL "${source}")
  add_library(lpt::compiled_${part} ALIAS lpt_compiled_${part})
  target_link_libraries(lpt_compiled_${part} PUBLIC lpt::compiled lpt::${part})
  string(TOUPPER "${part}" name)
  target_compile_definitions(lpt_compiled_${part} PRIVATE LPT_${name}_IMPLEMENTATION INTERFACE LPT_SHARED_${name})
endfunction()
lpt_add_compiled_part(runtime)
lpt_add_compiled_part(import)
