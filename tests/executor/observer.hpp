// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/reference.hpp"

#include <lpt/runtime.hpp>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/// Looks at every step that the executor runs.
namespace lpt::testing {

/// What was run.
struct run_counts {
    std::map<std::string, std::size_t> kernels;  // steps by the first word of their kernel
    std::size_t integer_steps = 0;  // of those on kernels: computed on integers
    std::size_t on_kernels = 0;
    std::size_t on_reference = 0;
    std::size_t elements = 0;  // of kernels' outputs
    std::size_t same_bits = 0;  // of these: had to have the bits of the reference
    std::size_t without_bound = 0;  // of these: could be anything
    std::size_t unseen_runs = 0;  // the stages were not found
};

/// Both tensors, bit for bit; all NaN are equal.
bool same_bits(const tensor& left, const tensor& right);
/// The same for the outputs of two runs; says where they differ.
std::string difference_of_runs(const std::vector<tensor>& expected, const std::vector<tensor>& results);

/// Runs a network and then its plan once more, step by step, on memory of its own: each step must give what the network says for what
/// the step read, and the last ones what the executable gave. Steps are judged one by one, so the first that fails is the smallest network
/// that does.
class observer {
    graph model_;
    executable net_;
    const kernel::kernel_table& kernels_;
    run_counts& counts_;
    std::string failure_;
    bool is_lost_ = false;  // a run had a stage that was not found, so states are not known
    runtime::state_table states_;
    std::map<std::string, tensor> variables_;  // by name: values before this run
    std::map<std::string, tensor> written_;
    std::map<std::pair<node_id, std::size_t>, std::unique_ptr<observer>> bodies_;

    // the stage that is being run
    const plan::network* stage_ = nullptr;
    const graph* whole_ = nullptr;
    std::map<std::pair<std::size_t, std::int32_t>, tensor> values_;
    std::map<node_id, std::int32_t> gathered_;  // ports that are done, of nodes with a step for each port

    static seq<tensor> evaluate_inside(void* self, node_id id, view<tensor> inputs);
    std::vector<std::pair<const plan::network*, const graph*>> stages_of_last_run() const;
    std::vector<tensor> run_stage(const plan::network& stage, const graph& whole, const std::vector<tensor>& inputs,
                                  std::vector<tensor>& deferred);
    const tensor& value_of(output_ref output);
    tensor state_value_of(node_id id);
    void take(const plan::step& each, const runtime::step_runner& runner);
    void check(const plan::step& each, output_ref output, const tensor& got);
    bool has_bits_of_reference(const plan::step& each) const;
    void fail_at(const plan::step& each, const std::string& how);

public:
    observer(const graph& model, kernel::isa set, run_counts& counts);

    std::vector<tensor> run(const std::vector<tensor>& inputs);
    void reset();
    /// The first step that gave something else, and how; empty if all were right.
    const std::string& failure() const { return failure_; }
};

}  // namespace lpt::testing
