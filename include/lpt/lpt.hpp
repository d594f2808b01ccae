// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Graph, transformations, pipeline and restrictions: no SIMD, no file formats.
///
/// A program that transforms networks compiles thousands of functions of it, for which g++ at -O2 takes 22 s; the library
/// `lpt::compiled` holds them compiled once.

#include <lpt/base/version.hpp>
#include <lpt/graph/verify.hpp>
#include <lpt/pipeline/prepare.hpp>
#include <lpt/pipeline/transform.hpp>
#include <lpt/target/cpu_arm.hpp>
#include <lpt/target/cpu_x86.hpp>
#include <lpt/target/cpu_x86_amx.hpp>
#include <lpt/target/gpu.hpp>
