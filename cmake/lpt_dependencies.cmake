# SPDX-License-Identifier: Apache-2.0
# Finds what the library stands on. Shared by the build and by the installed package.

include_guard(GLOBAL)

# Makes an imported target for a header-only library that is known by one of its headers. Their own CMake packages sit
# in a folder of the processor they were packaged for, so that a cross build would not find them.
#   lpt_find_header_library(<target> <header> <result>)   <result> is "" or what is missing
function(lpt_find_header_library target header result)
  set(${result} "" PARENT_SCOPE)
  if(TARGET ${target})
    return()
  endif()
  string(MAKE_C_IDENTIFIER "${target}" name)
  string(TOUPPER "${name}_INCLUDE_DIR" variable)
  find_path(${variable} "${header}" DOC "Folder that holds ${header}")
  mark_as_advanced(${variable})
  if(NOT ${variable})
    set(${result} "the header <${header}> (set ${variable} to the folder that holds it)" PARENT_SCOPE)
    return()
  endif()
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${${variable}}")
endfunction()

# Finds the dependencies of one part of the library: core, import or runtime.
#   lpt_find_dependencies(<part> <result>)   <result> is "" or what is missing
macro(lpt_find_dependencies part result)
  set(${result} "")
  if("${part}" STREQUAL "core")
    lpt_find_header_library(lpt::hana boost/hana/version.hpp ${result})
  elseif("${part}" STREQUAL "import")
    find_package(pugixml CONFIG QUIET)
    if(NOT TARGET pugixml::pugixml)
      set(${result} "the package pugixml (set pugixml_DIR to the folder that holds pugixml-config.cmake)")
    endif()
  elseif("${part}" STREQUAL "runtime")
    lpt_find_header_library(lpt::xsimd xsimd/xsimd.hpp ${result})
    set(THREADS_PREFER_PTHREAD_FLAG ON)
    find_package(Threads QUIET)
    if(NOT TARGET Threads::Threads)
      set(${result} "a thread library")
    endif()
  elseif("${part}" STREQUAL "tbb")
    find_package(TBB CONFIG QUIET)
    if(NOT TARGET TBB::tbb)
      set(${result} "the package TBB")
    endif()
  endif()
endmacro()

# The same, and stops where something is missing.
macro(lpt_require_dependencies part)
  lpt_find_dependencies(${part} lpt_missing)
  if(lpt_missing)
    string(TOUPPER "LPT_${part}" lpt_option)
    if("${part}" STREQUAL "core")
      message(FATAL_ERROR "lpt needs ${lpt_missing}")
    endif()
    message(FATAL_ERROR "lpt: its part '${part}', which ${lpt_option}=OFF leaves out, needs ${lpt_missing}")
  endif()
endmacro()
