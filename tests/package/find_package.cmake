# SPDX-License-Identifier: Apache-2.0
# Installs the build into a fresh prefix, then configures, builds and runs a project that finds it there.
# Takes: source_dir binary_dir generator compiler

set(work_dir "${binary_dir}/package_test")
file(REMOVE_RECURSE "${work_dir}")

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(STRINGS "${source_dir}/include/lpt/base/version.hpp" version REGEX "^#define LPT_VERSION_(MAJOR|MINOR|PATCH) [0-9]+$")
list(TRANSFORM version REPLACE ".* " "")
list(JOIN version "." version)

run("${CMAKE_COMMAND}" --install "${binary_dir}" --prefix "${work_dir}/prefix")
# Moved after installation, because a package must not depend on where it was installed first.
file(RENAME "${work_dir}/prefix" "${work_dir}/moved")
run("${CMAKE_COMMAND}" -S "${source_dir}/tests/package" -B "${work_dir}/build" -G "${generator}"
  "-DCMAKE_CXX_COMPILER=${compiler}" "-DCMAKE_PREFIX_PATH=${work_dir}/moved" "-DLPT_EXPECTED_VERSION=${version}")

# The kernels bring their own flags, whatever the project's are.
file(STRINGS "${work_dir}/build/compile_commands.json" command REGEX "\"command\".*consumer_scalar\\.cpp")
if(NOT command MATCHES " -O2 .*-ffp-contract=off ")
  message(FATAL_ERROR "the scalar kernels are not compiled with -O2 -ffp-contract=off, but with: ${command}")
endif()

run("${CMAKE_COMMAND}" --build "${work_dir}/build")
run("${work_dir}/build/consumer")
run("${work_dir}/build/compiled_consumer")
