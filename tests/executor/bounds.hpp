// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/reference.hpp"

#include <lpt/graph/traverse.hpp>
#include <lpt/plan/steps.hpp>

#include <functional>
#include <map>
#include <optional>

/// What a step of the executor may give for the inputs that it got.
///
/// Interval arithmetic in double. A step joins operations, so it may round where the network does not and leave out roundings of the network:
/// constants are joined and rounded to f32 once, a product and a sum round together. With u = 2^-24, every operation therefore widens its
/// interval by 4 u times the sum of the absolute values of what it adds up, and by a few of the smallest numbers of f32; a sum of n products of
/// f32 by (n + 2) u times that, as its order is the kernel's. Sums of products of bytes are exact, and so are movement, maxima, Relu and Clamp.
/// FakeQuantize takes the interval to the steps at its ends: another step than the one in the middle is allowed only where a tie
/// between two steps lies within the interval. What passes the largest number of f32 may be infinite. What may be NaN makes all that is computed
/// of it unknown: comparisons drop NaN or keep it.
namespace lpt::testing {

/// True if an operation takes or gives f16, or converts to it what it takes; kernels then compute in f32.
bool computes_in_f16(const graph& model, node_id id);

/// Elements between `low` and `high`; where one of them is infinite, or a known value is NaN, NaN is possible, too.
struct bounds {
    tensor low;  // f64, or the tensor's own type where both are the same
    tensor high;

    static bounds exactly(const tensor& value) { return {value, value}; }
    bool allow(std::size_t i, double value) const;
    bool is_open(std::size_t i) const;  // nothing, or only one end, is known
};

/// The bounds of what one step computes. `known(output)`: the tensor that the step reads there, of the network's type; null where
/// the step computes the output itself.
class step_bounds {
public:
    using known_values = std::function<const tensor*(output_ref)>;

    step_bounds(const graph& model, const plan::step& what, known_values known)
        : model_(model), is_integer_(is_integral(what.precision)), known_(std::move(known)) {}

    /// For a whole network, of which only the inputs are known; where an operation has no bounds here, its output may be anything.
    step_bounds(const graph& model, known_values known)
        : model_(model), is_integer_(false), is_whole_(true), known_(std::move(known)) {}

    bounds of(output_ref output);

private:
    const graph& model_;
    const bool is_integer_;
    const bool is_whole_ = false;
    known_values known_;
    std::map<std::pair<std::size_t, std::int32_t>, bounds> made_;

    bounds compute(output_ref output);
    std::optional<bounds> of_elements(node_id id, const std::vector<bounds>& inputs) const;
    bounds in_whole_network(output_ref output, const std::vector<bounds>& inputs) const;
    tensor evaluate(node_id id, const seq<tensor>& inputs, std::int32_t port = 0) const;
    seq<tensor> lows(const std::vector<bounds>& inputs) const;
    seq<tensor> highs(const std::vector<bounds>& inputs) const;

    double unit_of(node_id id) const;
    bounds monotone(node_id id, const std::vector<bounds>& inputs, double roundings, double absolute_error = 0) const;
    bounds sum(node_id id, const std::vector<bounds>& inputs) const;
    double whole_zero_point_error(node_id id, const bounds& zero_points) const;
    bounds best_of_corners(node_id id, const std::vector<bounds>& inputs) const;
    bounds product(node_id id, const std::vector<bounds>& inputs) const;
    bounds average(node_id id, const std::vector<bounds>& inputs) const;
    bounds smooth(node_id id, const std::vector<bounds>& inputs, double slope, double absolute_error) const;
    bounds softmax(node_id id, const std::vector<bounds>& inputs) const;
    bounds interpolate(node_id id, const std::vector<bounds>& inputs) const;
    bounds recurrent(output_ref output, const std::vector<bounds>& inputs) const;
    bounds reduction(node_id id, const std::vector<bounds>& inputs) const;
    bounds normalization(node_id id, const std::vector<bounds>& inputs) const;
    bounds attention(node_id id, const std::vector<bounds>& inputs) const;
    bounds fake_quantize(node_id id, const std::vector<bounds>& inputs) const;
    double terms_of(const node& each, const std::vector<bounds>& inputs) const;
    double error_of_zero_point(const node& each, std::size_t port) const;
};

}  // namespace lpt::testing
