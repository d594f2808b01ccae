# SPDX-License-Identifier: Apache-2.0
# Install rules, and the package that find_package(lpt [COMPONENTS import runtime tbb compiled]) finds.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(lpt_package_dir "${CMAKE_INSTALL_DATADIR}/cmake/lpt")  # no folder of a processor: these are headers

foreach(part IN ITEMS lpt import runtime tbb)
  if(part STREQUAL "lpt")
    set(target lpt)
  else()
    set(target lpt_${part})
  endif()
  if(TARGET ${target})
    # An export file a part, so that a part whose dependencies are missing does not spoil the others.
    install(TARGETS ${target} EXPORT lpt_${part}_export FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
    install(EXPORT lpt_${part}_export FILE lpt_${part}_targets.cmake NAMESPACE lpt:: DESTINATION "${lpt_package_dir}")
  endif()
endforeach()

configure_package_config_file(cmake/lptConfig.cmake.in "${PROJECT_BINARY_DIR}/lptConfig.cmake"
  INSTALL_DESTINATION "${lpt_package_dir}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/lptConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES "${PROJECT_BINARY_DIR}/lptConfig.cmake" "${PROJECT_BINARY_DIR}/lptConfigVersion.cmake"
  DESTINATION "${lpt_package_dir}")
# lpt_kernels.cmake and lpt_compiled_targets.cmake bring the templates of their translation units along.
install(DIRECTORY cmake/ DESTINATION "${lpt_package_dir}"
  FILES_MATCHING PATTERN "lpt_dependencies.cmake" PATTERN "lpt_processor.cmake"
    PATTERN "lpt_kernel*" PATTERN "lpt_compiled*" PATTERN "lpt_embed.cmake")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
