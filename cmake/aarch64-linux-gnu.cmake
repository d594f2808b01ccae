# SPDX-License-Identifier: Apache-2.0
# Cross build for 64-bit ARM on a Debian x86-64 machine, its programs run under qemu.
# Header-only libraries are this machine's own; compiled ones are put into build/aarch64-libraries by .ci/aarch64_libraries.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++-12)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

cmake_path(SET lpt_aarch64_libraries NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../build/aarch64-libraries")
set(CMAKE_FIND_ROOT_PATH "${lpt_aarch64_libraries}" /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE BOTH)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)

# "max" has the dot products and the matrix products of bytes.
set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-aarch64;-cpu;max;-L;/usr/aarch64-linux-gnu")

# g++ 10.1 mended how it passes structures of one float or double; its notes about that would be 100 lines a file.
set(CMAKE_CXX_FLAGS_INIT "-Wno-psabi")
