#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A network of more than 400 nodes is transformed by the compiler at its default limits.
# Usage: many_nodes.sh COMPILER INCLUDE_DIRECTORY...
set -euo pipefail
compiler=$1
shift
"$compiler" -std=c++20 "${@/#/-I}" -fsyntax-only -x c++ - <<'code'
#include <bench/compile/network.hpp>
using namespace lpt;

/// 27 convolutions with quantized data and weights, bias and Relu.
struct deep {
  static constexpr graph make() { return bench::make_network(27); }
};
static_assert(frozen<deep>::thaw().size() == 407);

constexpr auto transformed = transform(network<deep>{}, cpu_x86);
static_assert(transformed.int8_operations() == 27);  // the Convolution of each layer
static_assert(transformed.quantizations() == 27);
code
