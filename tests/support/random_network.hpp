// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/graph.hpp>
#include <lpt/target/target.hpp>

#include "tests/support/random_numbers.hpp"

#include <string_view>
#include <vector>

/// Quantized networks as varied as those of users, made from a seed: the same seed gives the same network everywhere.
namespace lpt::support {

struct random_network {
    graph model;
    std::vector<shape> input_shapes;  // one a parameter; static also where the parameter's shape is not
};

/// A network of up to `steps` layers behind one to three inputs.
///
/// Layers are convolutions of all kinds, MatMul, elementwise operations with constants and with other branches, Concat and
/// Split, pooling, movement, reductions, normalizations, recurrent sequences, states, caches that grow from run to run, and TensorIterator, Loop and If with layers inside;
/// activations are quantized by FakeQuantize
/// of many ranges and levels or by pairs of quantize and dequantize operations, weights by FakeQuantize or dequantization of
/// 8-bit and 4-bit constants, or not at all. All values that nobody reads are results.
random_network make_random_network(std::uint64_t seed, std::size_t steps);
/// The number of layers that a seed has by itself.
std::size_t steps_of(std::uint64_t seed);

/// Input data for a network: mostly within a few units of zero.
std::vector<tensor> make_random_inputs(const random_network& network, std::uint64_t seed);

/// With which target and options a network is transformed.
struct random_setting {
    std::string_view name;  // of the target
    target where;
};
/// The setting that goes with a seed; default options and a ready target for most of them.
random_setting make_random_setting(std::uint64_t seed);

}  // namespace lpt::support
