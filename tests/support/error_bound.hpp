// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/differences.hpp"

#include <lpt/graph/graph.hpp>

#include <vector>

/// How far the results of a transformed network may lie from those of the network that it came from.
///
/// A running error analysis. Every value v of the network carries a radius r: the value that stands in its place in any network
/// that the transformations may give lies in [v - r, v + r]. Both are evaluated together, in double. Inputs have radius 0, and
/// an operation has three ways to give its output a radius:
///
/// 1. *It passes on what its inputs have.* Linear operations f give f(r) with the absolute values of their weights (products:
///    |a| r_b + |b| r_a + r_a r_b), movement moves r, monotone functions give f(v + r) - f(v) and f(v) - f(v - r), others their
///    Lipschitz constant times r.
/// 2. *Constants are rounded.* A rewrite computes scales, zero points and ranges anew, each from at most three constants, and
///    stores them in f32 (f16, where the network has f16 constants): with u = 2^-24 (2^-11) half the distance of two numbers
///    near 1, every operation adds `roundings` · u · (the sum of the absolute values of what it adds up). FakeQuantize adds up
///    its output bounds; its input is uncertain by the same multiple of what it subtracts.
/// 3. *It rounds to steps.* FakeQuantize is a step function: with an uncertain input x ± r it may give another step, but only if the
///    middle between two steps lies within r of x. The radius is therefore max(F(x + r) - F(x), F(x) - F(x - r)), which is 0
///    for nearly all elements and at most one step, plus the steps that r itself spans, for the others.
///
/// So each requantization on the way to a result contributes at most one of its steps (and r), times the gain of what follows: the
/// bound grows with the number of requantization steps, and is 0 but for rounded constants where no element lies on an edge.
/// What is not an identity by design adds to the radius of the operation that it is about; see `bounded_result::met`. So do upstream's
/// errors where they are followed: each only at the operation that may make it, and thereby in what depends on that operation.
///
/// Bodies of TensorIterator, Loop and If are analysed iteration by iteration, with the radii of what they get.
namespace lpt::support {

/// What changes how large the radii are.
struct bound_settings {
    bool has_f16_constants = false;  // dequantization constants may be stored in f16
    bool follows_upstream_errors = false;  // as the options that the network is transformed with
    bool updates_precisions = true;
    bool dequantizes_in_f16 = false;
};

struct bounded_result {
    tensor value;  // f64
    std::vector<double> radius;  // one an element; infinite where an error that is followed has no bound
    bool may_broadcast = false;  // may have another shape, to which this one broadcasts
};
struct bounded_results {
    std::vector<bounded_result> results;
    difference_set met;  // the differences by design that gave an operation a larger radius
};

/// The results of a network with their radii, run by run: `runs` holds the inputs of each, one tensor a parameter. Variables and their radii are
/// handed on.
std::vector<bounded_results> evaluate_with_bound(const graph& model, const std::vector<std::vector<tensor>>& runs,
                                                 const bound_settings& settings);

}  // namespace lpt::support
