# SPDX-License-Identifier: Apache-2.0
# Settings of our own builds. Nothing of this reaches those who use the library.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Kind of build" FORCE)
endif()

# Our programs and benchmarks link the fastest pipeline that there is, wherever it can be built.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT CMAKE_CROSSCOMPILING)
  set(lpt_profiles ON)
else()
  set(lpt_profiles OFF)
endif()
option(LPT_COMPILED_PROFILE "Compile lpt::compiled with a profile (cmake/lpt_compiled_targets.cmake)" ${lpt_profiles})

if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  add_compile_options(-Wall -Wextra -Wpedantic -Wconversion -Wshadow)
  if(LPT_WARNINGS_AS_ERRORS)
    add_compile_options(-Werror)
  endif()
endif()

# Whether programs check themselves, which makes them slow to compile and to run.
if("${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_DEBUG}" MATCHES "-fsanitize")
  set(lpt_sanitized ON)
else()
  set(lpt_sanitized OFF)
endif()

find_program(LPT_CCACHE ccache)
if(LPT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${LPT_CCACHE}")
endif()
