# SPDX-License-Identifier: Apache-2.0
# An overlay port, which installs the checkout that it lies in: vcpkg install lpt --overlay-ports=<checkout>/ports
cmake_path(SET SOURCE_PATH NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../..")
set(VCPKG_BUILD_TYPE release)  # headers alone

vcpkg_check_features(OUT_FEATURE_OPTIONS feature_options
  FEATURES
    import LPT_IMPORT
    runtime LPT_RUNTIME
  INVERTED_FEATURES
    tbb CMAKE_DISABLE_FIND_PACKAGE_TBB)

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    ${feature_options}
    -DLPT_INSTALL=ON
    -DLPT_INSTALL_CMAKEDIR=share/lpt
    -DLPT_BUILD_TESTS=OFF
    -DLPT_BUILD_EXAMPLES=OFF
  MAYBE_UNUSED_VARIABLES
    CMAKE_DISABLE_FIND_PACKAGE_TBB)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup()
vcpkg_fixup_pkgconfig()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/lib" "${CURRENT_PACKAGES_DIR}/debug" "${CURRENT_PACKAGES_DIR}/share/doc")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
