# SPDX-License-Identifier: Apache-2.0
# lpt_target_processor(<result>): x86_64, aarch64 or other. The headers choose instruction sets by the compiler's macros, so it is asked
# for these: CMAKE_SYSTEM_PROCESSOR may be that of another machine, of a toolchain file that lacks it, or one of two (macOS).

include_guard(GLOBAL)
include(CheckCXXSourceCompiles)

function(lpt_target_processor result)
  list(LENGTH CMAKE_OSX_ARCHITECTURES architectures)
  if(architectures GREATER 1)
    message(FATAL_ERROR "lpt: kernels are compiled for one architecture at a time, not for CMAKE_OSX_ARCHITECTURES=${CMAKE_OSX_ARCHITECTURES}; "
      "build for each, and join the programs with lipo")
  endif()
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
  set(CMAKE_REQUIRED_QUIET TRUE)
  set(${result} other PARENT_SCOPE)
  foreach(name IN ITEMS x86_64 aarch64)
    check_cxx_source_compiles("#ifndef __${name}__\n#error another processor\n#endif\n" LPT_COMPILES_FOR_${name})
    if(LPT_COMPILES_FOR_${name})
      set(${result} ${name} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()
