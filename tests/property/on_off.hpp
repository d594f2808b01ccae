// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/differences.hpp"
#include "tests/support/random_network.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// The property that every network must have: transformation on and off give equal results.
namespace lpt::support {

enum class outcome {
    equal,           // within the bound of rounded constants, nothing else
    within_bound,    // needs what the network has of the differences by design
    known_error,  // some results depend on operations whose error is followed and has no bound; all others are within theirs
    failed
};

/// What became of the operations of one kind.
struct transformed_kind {
    std::string name;
    std::uint64_t before = 0;
    std::uint64_t in_8_bits =
        0;  // those of the transformed network that compute on integers of 8 bits, or quantize to them
};

struct on_off_result {
    outcome how = outcome::equal;
    std::string what;  // of a failure: one line
    difference_set met;  // the listed differences that the network meets
    std::vector<transformed_kind> kinds;
};

/// `prepare`, and the default pipeline: compiled once for all files.
void prepare_for(graph& model, const random_setting& setting);
void run_default_pipeline(graph& model, const random_setting& setting);

/// Transforms a network with a setting and compares it with itself.
///
/// Checked are: the pipeline ends; the result verifies, and its results have the types and shapes that they had; no dequantization
/// stays below a FakeQuantize that can take it back; a copy at other addresses gives the same network, node by node; the values of
/// three runs, if the network has variables, lie within the bound of error_bound.hpp.
on_off_result check_on_off(const random_network& network, const random_setting& setting, std::uint64_t seed);

/// The smallest network that fails in the same way, found by leaving out operations one at a time.
random_network shrink(const random_network& network, const random_setting& setting, std::uint64_t seed);

}  // namespace lpt::support
