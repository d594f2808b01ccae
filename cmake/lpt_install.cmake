# SPDX-License-Identifier: Apache-2.0
# Install rules, and the package that find_package(lpt [COMPONENTS import runtime tbb compiled]) finds: where it is installed, or, with
# lpt_DIR set to the build folder, where it was built. For others than CMake, lpt.pc, lpt-import.pc and lpt-runtime.pc.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
# No folder of a processor: these are headers.
set(LPT_INSTALL_CMAKEDIR "${CMAKE_INSTALL_DATADIR}/cmake/lpt" CACHE STRING "Folder of the CMake package, below the prefix")
set(LPT_INSTALL_PKGCONFIGDIR "${CMAKE_INSTALL_DATADIR}/pkgconfig" CACHE STRING "Folder of the files for pkg-config, below the prefix")
mark_as_advanced(LPT_INSTALL_CMAKEDIR LPT_INSTALL_PKGCONFIGDIR)

foreach(part IN ITEMS lpt import runtime tbb)
  if(part STREQUAL "lpt")
    set(target lpt)
  else()
    set(target lpt_${part})
  endif()
  if(TARGET ${target})
    # An export file a part, so that a part whose dependencies are missing does not spoil the others.
    install(TARGETS ${target} EXPORT lpt_${part}_export FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
    install(EXPORT lpt_${part}_export FILE lpt_${part}_targets.cmake NAMESPACE lpt:: DESTINATION "${LPT_INSTALL_CMAKEDIR}")
    export(EXPORT lpt_${part}_export FILE "${PROJECT_BINARY_DIR}/lpt_${part}_targets.cmake" NAMESPACE lpt::)
  endif()
endforeach()

configure_package_config_file(cmake/lptConfig.cmake.in "${PROJECT_BINARY_DIR}/lptConfig.cmake"
  INSTALL_DESTINATION "${LPT_INSTALL_CMAKEDIR}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/lptConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES "${PROJECT_BINARY_DIR}/lptConfig.cmake" "${PROJECT_BINARY_DIR}/lptConfigVersion.cmake"
  DESTINATION "${LPT_INSTALL_CMAKEDIR}")
# What the package includes, and the templates of translation units that some of them bring along.
file(GLOB lpt_package_files CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/cmake"
  cmake/lpt_dependencies.cmake cmake/lpt_processor.cmake cmake/lpt_embed.cmake cmake/lpt_kernel* cmake/lpt_compiled*)
foreach(file IN LISTS lpt_package_files)
  install(FILES "cmake/${file}" DESTINATION "${LPT_INSTALL_CMAKEDIR}")
  configure_file("cmake/${file}" "${PROJECT_BINARY_DIR}/${file}" COPYONLY)
endforeach()
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")

# lpt_install_pkg_config(<name> <description> <requires> <cflags> <libs>)
function(lpt_install_pkg_config name description requires cflags libs)
  set(prefix "\${pcfiledir}")  # the file may be moved with the rest
  cmake_path(SET folder "${LPT_INSTALL_PKGCONFIGDIR}")
  while(NOT folder STREQUAL "")
    cmake_path(GET folder PARENT_PATH folder)
    string(APPEND prefix "/..")
  endwhile()
  set(includedir "\${prefix}")
  cmake_path(APPEND includedir "${CMAKE_INSTALL_INCLUDEDIR}")
  set(fields "")
  if(requires)
    string(APPEND fields "Requires: ${requires}\n")
  endif()
  if(libs)
    string(APPEND fields "Libs: ${libs}\n")
  endif()
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/${name}.pc" @ONLY CONTENT "prefix=${prefix}
includedir=${includedir}

Name: ${name}
Description: ${description}
Version: ${PROJECT_VERSION}
Cflags: -I\${includedir}${cflags}
${fields}")
  install(FILES "${PROJECT_BINARY_DIR}/${name}.pc" DESTINATION "${LPT_INSTALL_PKGCONFIGDIR}")
endfunction()

# " -I<folder>" of a header library, unless compilers look there anyway.
function(lpt_include_flag target result)
  get_target_property(folder ${target} INTERFACE_INCLUDE_DIRECTORIES)
  set(${result} "" PARENT_SCOPE)
  if(folder AND NOT folder IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    set(${result} " -I${folder}" PARENT_SCOPE)
  endif()
endfunction()

lpt_include_flag(lpt::hana lpt_hana_flag)
lpt_install_pkg_config(lpt "${PROJECT_DESCRIPTION}" "" " ${lpt_no_contraction}${lpt_hana_flag}" "")
if(LPT_IMPORT)
  lpt_include_flag(lpt::flatbuffers lpt_flatbuffers_flag)
  lpt_include_flag(lpt::protozero lpt_protozero_flag)
  lpt_install_pkg_config(lpt-import "File formats of lpt" "lpt, pugixml" "${lpt_flatbuffers_flag}${lpt_protozero_flag}" "")
endif()
if(LPT_RUNTIME)
  lpt_include_flag(lpt::xsimd lpt_xsimd_flag)
  lpt_install_pkg_config(lpt-runtime "Kernels and executor of lpt; the program compiles lpt/kernels.hpp once an instruction set"
    "lpt" "${lpt_xsimd_flag} -pthread" "-pthread")
endif()
