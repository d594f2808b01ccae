# SPDX-License-Identifier: Apache-2.0
# The library's targets. A header belongs to exactly one of them, by its folder, and each compiles alone
# (.ci/headers).

file(GLOB_RECURSE lpt_headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/lpt/*.hpp")
set(lpt_import_headers "${lpt_headers}")
list(FILTER lpt_import_headers INCLUDE REGEX "/include/lpt/(import|check|specified)(/|\\.hpp$)")
set(lpt_runtime_headers "${lpt_headers}")
list(FILTER lpt_runtime_headers INCLUDE REGEX "/include/lpt/(kernel|plan|runtime|embedded)(/|\\.hpp$)")
set(lpt_core_headers "${lpt_headers}")
list(REMOVE_ITEM lpt_core_headers ${lpt_import_headers} ${lpt_runtime_headers})

# lpt_add_part(<name> <header>...): target lpt_<name>, known as lpt::<name>, that offers these headers.
function(lpt_add_part name)
  if(name STREQUAL "lpt")
    set(target lpt)
  else()
    set(target lpt_${name})
  endif()
  add_library(${target} INTERFACE)
  add_library(lpt::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  if(NOT PROJECT_IS_TOP_LEVEL)
    set_target_properties(${target} PROPERTIES SYSTEM ON)  # a program's warnings are about its own code
  endif()
  target_sources(${target} INTERFACE FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/include" FILES ${ARGN})
endfunction()

lpt_require_dependencies(core)
lpt_add_part(lpt ${lpt_core_headers})
target_compile_features(lpt INTERFACE cxx_std_20)
target_link_libraries(lpt INTERFACE lpt::hana)
# Results are defined bit for bit. By default compilers may fuse a*b+c where the processor can, which changes them;
# where a fused operation is meant, the code says so.
set(lpt_no_contraction -ffp-contract=off)
if(CMAKE_CXX_COMPILER_FRONTEND_VARIANT STREQUAL "MSVC")
  set(lpt_no_contraction /clang:-ffp-contract=off)
endif()
target_compile_options(lpt INTERFACE "$<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang,AppleClang>:${lpt_no_contraction}>")

if(LPT_IMPORT)
  lpt_require_dependencies(import)
  lpt_add_part(import ${lpt_import_headers})
  target_link_libraries(lpt_import INTERFACE lpt pugixml::pugixml lpt::flatbuffers lpt::protozero)
endif()

if(LPT_RUNTIME)
  lpt_require_dependencies(runtime)
  lpt_add_part(runtime ${lpt_runtime_headers})
  target_link_libraries(lpt_runtime INTERFACE lpt lpt::xsimd Threads::Threads)

  # oneTBB as the thread pool is a choice: this target, or LPT_TBB defined by hand.
  lpt_find_dependencies(tbb lpt_tbb_missing)
  if(NOT lpt_tbb_missing)
    lpt_add_part(tbb)
    target_link_libraries(lpt_tbb INTERFACE lpt_runtime TBB::tbb)
    target_compile_definitions(lpt_tbb INTERFACE LPT_TBB=1)
  endif()
endif()
