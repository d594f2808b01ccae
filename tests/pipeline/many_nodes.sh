#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A network of more than 400 nodes is transformed by the compiler at its default limits.
# Usage: many_nodes.sh COMPILER INCLUDE_DIRECTORY...
set -euo pipefail
compiler=$1
shift
"$compiler" -std=c++20 "${@/#/-I}" -fsyntax-only -x c++ - <<'code'
#include <lpt/pipeline/compile_time.hpp>
#include <lpt/target/cpu_x86.hpp>
using namespace lpt;

constexpr output_ref quantized(graph& model, output_ref data, double low, double high) {
  const output_ref bounds[] = {model.constant(make_scalar(f32, low)), model.constant(make_scalar(f32, high)),
                               model.constant(make_scalar(f32, low)), model.constant(make_scalar(f32, high))};
  return model.add(op::fake_quantize{256}, {data, bounds[0], bounds[1], bounds[2], bounds[3]});
}
/// 27 convolutions with quantized data and weights, bias and Relu.
struct deep {
  static constexpr graph make() {
    graph model;
    output_ref data = model.parameter(f32, {1, 2, 8, 8}, "data");
    for (int i = 0; i < 27; ++i) {
      const output_ref weights = model.constant(make_tensor(f32, {2, 2, 1, 1}, {1, -2, 3, 4}));
      data = model.add(op::convolution{{1, 1}, {1, 1}, {0, 0}, {0, 0}},
                       {quantized(model, data, 0, 2.55), quantized(model, weights, -12.8, 12.7)}, "convolution");
      data = model.add(op::add{}, {data, model.constant(make_tensor(f32, {1, 2, 1, 1}, {1, 2}))});
      data = model.add(op::relu{}, {data});
    }
    model.result(data);
    return model;
  }
};
static_assert(frozen<deep>::thaw().size() == 407);

constexpr auto transformed = transform(network<deep>{}, cpu_x86);
static_assert(transformed.int8_operations() == 54);  // FakeQuantize and Convolution of each layer
code
