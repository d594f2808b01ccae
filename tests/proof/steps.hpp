// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "examples/conformance/case_runner.hpp"
#include "tests/support/reference.hpp"

#include <lpt/pipeline/registry.hpp>

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

/// What single rewrites do to the values that a network computes.
namespace lpt::proof {

/// Where two values first differ; empty where they are equal. NaN equals NaN.
inline std::string first_difference(const tensor& before, const tensor& after) {
    if (!(before.dimensions() == after.dimensions())) {
        return std::string("shape ") + to_text(before.dimensions()).c_str() + " becomes " +
               to_text(after.dimensions()).c_str();
    }
    for (std::size_t i = 0; i < before.elements(); ++i) {
        const double x = before.real(i);
        const double y = after.real(i);
        if (!(x == y || (std::isnan(x) && std::isnan(y)))) {
            return "value " + std::to_string(i) + ": " + std::to_string(x) + " becomes " + std::to_string(y);
        }
    }
    return {};
}
inline std::string first_difference(const std::vector<tensor>& before, const std::vector<tensor>& after) {
    for (std::size_t i = 0; i < before.size() && i < after.size(); ++i) {
        if (std::string found = first_difference(before[i], after[i]); !found.empty()) {
            return "output " + std::to_string(i) + ", " + found;
        }
    }
    return before.size() == after.size() ? std::string() : std::string("another number of outputs");
}

/// What a network gives in several runs, each of which reads the variables that the one before has written.
inline std::vector<tensor> values_of(const graph& model, const std::vector<tensor>& inputs, int runs) {
    reference::state variables;
    std::vector<tensor> values;
    for (int run = 0; run < runs; ++run) {
        const std::vector<tensor> next =
            reference::evaluate<double>(model, view<tensor>(inputs.data(), inputs.size()), variables);
        values.insert(values.end(), next.begin(), next.end());
    }
    return values;
}

/// One application of one transformation that changed what the network computes.
struct step {
    std::string transformation;
    node_id node = node_id::none;
    graph before;
    graph after;
    std::string found;
};

/// Runs the pipeline of a case and keeps the steps after which the network computes other values than before.
class step_recorder {
    struct watched {
        step_recorder* recorder;
        std::string transformation;
    };
    const std::vector<tensor>& inputs_;
    const int runs_;
    std::vector<tensor> values_;
    graph latest_;
    std::string transformation_;
    node_id node_ = node_id::none;
    std::vector<step> steps_;
    std::vector<watched> watched_;

    void look(const graph& model) {
        std::vector<tensor> now = values_of(model, inputs_, runs_);
        if (std::string found = first_difference(values_, now); !found.empty()) {
            steps_.push_back({transformation_, node_, latest_, model, std::move(found)});
            values_ = std::move(now);
        }
        latest_ = model;
    }
    static bool before_transformation(const graph& model, node_id id, const void* context) {
        const auto& self = *static_cast<const watched*>(context);
        self.recorder->look(model);
        self.recorder->transformation_ = self.transformation;
        self.recorder->node_ = id;
        return false;
    }

public:
    step_recorder(const graph& model, const std::vector<tensor>& inputs, int runs)
        : inputs_(inputs), runs_(runs), latest_(model) {
        values_ = values_of(model, inputs, runs);
        watched_.reserve(std::size(pass_rows<all_transformations>));
    }
    void watch(transformation_options& options) {
        seq<transformation_callback> all;
        for (const pass_row& each : pass_rows<all_transformations>) {
            watched_.push_back({this, std::string(each.name.data(), each.name.size())});
            all.push_back({each.name, &before_transformation, &watched_.back()});
        }
        all.append(options.callbacks);
        options.callbacks = all;
    }
    const std::vector<step>& finish(const graph& model) {
        look(model);
        return steps_;
    }
};

}  // namespace lpt::proof
