// SPDX-License-Identifier: Apache-2.0
// Operations that run the graphs inside them: TensorIterator, Loop, If.
#pragma once

#include <lpt/reference/bodies.hpp>
#include <lpt/reference/limits.hpp>
#include <lpt/reference/parts.hpp>

#include <vector>

namespace lpt::inline LPT_ABI::reference {

namespace detail {

inline bool is_true(const node& each, const tensor& condition, text_view what) {
    if (condition.elements() != 1) {
        wrong_body(each, join({what, " must be a single value, not a tensor of shape ", condition.dimensions()}));
    }
    return condition.real(0) != 0;
}

/// A run of a TensorIterator or Loop.
template <class RunBody>
class iterations {
    const node& node_;
    view<tensor> inputs_;
    RunBody& run_body_;
    limits limits_;
    port_maps maps_;
    double collected_bytes_ = 0;
    std::vector<slice_parts> parts_;  // by entry of the input map
    std::vector<tensor> parameters_;  // of the iteration that is run next
    std::vector<std::vector<tensor>> collected_;  // by entry of the output map: all parts, or the one value

    const graph& body() const { return node_.bodies()[0]; }

    void begin() {
        parameters_.resize(body().parameters().size());
        collected_.resize(maps_.outputs->size());
        for (const op::body_input& entry : *maps_.inputs) {
            const tensor& given = inputs_[static_cast<std::size_t>(entry.port)];
            slice_parts parts;
            if (entry.holds == op::body_input::form::sliced) {
                const std::int64_t axis = normalized_axis(entry.slice.axis, given.dimensions().rank());
                if (axis < 0 || !parts_of(entry.slice, given.dimensions()[static_cast<std::size_t>(axis)], parts)) {
                    wrong_body(node_, join({"input ", entry.port, " of shape ", given.dimensions(),
                                            " does not split along axis ", entry.slice.axis, " into parts of size ",
                                            entry.slice.part_size, " from ", entry.slice.start, " to ", entry.slice.end,
                                            " in steps of ", entry.slice.stride}));
                }
            } else {
                parameters_[static_cast<std::size_t>(entry.parameter)] = given;
            }
            parts_.push_back(parts);
        }
    }
    /// The iterations of a TensorIterator: as many as its slices have parts, else as its concatenated outputs have, else one.
    std::int64_t count_of_parts() const {
        std::int64_t count = -1;
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            if ((*maps_.inputs)[i].holds != op::body_input::form::sliced) {
                continue;
            }
            if (count >= 0 && parts_[i].count != count) {
                wrong_body(node_, join({"input ", (*maps_.inputs)[i].port, " has ", parts_[i].count,
                                        " parts, but other inputs have ", count}));
            }
            count = parts_[i].count;
        }
        for (const op::body_output& entry : *maps_.outputs) {
            const shape& declared = node_.shape(static_cast<std::size_t>(entry.port));
            const std::int64_t axis = normalized_axis(entry.slice.axis, declared.rank());
            slice_parts parts;
            if (count < 0 && entry.holds == op::body_output::form::concatenated && axis >= 0 &&
                declared.is_static(static_cast<std::size_t>(axis)) &&
                parts_of(entry.slice, declared[static_cast<std::size_t>(axis)], parts)) {
                count = parts.count;
            }
        }
        return count < 0 ? 1 : count;
    }
    /// The iterations of a Loop at most; -1: as long as its condition holds.
    std::int64_t trip_count() const {
        const tensor& given = inputs_[0];
        if (given.elements() != 1) {
            wrong_body(node_,
                       join({"the trip count must be a single value, not a tensor of shape ", given.dimensions()}));
        }
        const std::int64_t count = given.integer(0);
        if (count >= 0) {
            return count;
        }
        if (condition_always_holds()) {
            wrong_body(node_, "it would never end: it has no trip count, and its condition always holds");
        }
        return -1;
    }
    /// Whether the body's condition is known to hold behind every iteration: there is none, or it is a constant, or what came in.
    bool condition_always_holds() const {
        if (maps_.execution_condition < 0) {
            return true;
        }
        const auto condition = static_cast<std::size_t>(maps_.execution_condition);
        const output_ref source = body()[body().results()[condition]].input(0);
        if (const tensor* constant = body().constant_value(source)) {
            return is_true(node_, *constant, "its condition");
        }
        for (const op::body_input& entry : *maps_.inputs) {
            const bool stays =
                entry.holds == op::body_input::form::invariant ||
                (entry.holds == op::body_input::form::merged && entry.result == maps_.execution_condition);
            if (stays && body().parameters()[static_cast<std::size_t>(entry.parameter)] == source.node) {
                return is_true(node_, inputs_[static_cast<std::size_t>(entry.port)], "its condition");
            }
        }
        return false;
    }

    void set_parameters(std::int64_t iteration) {
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            const op::body_input& entry = (*maps_.inputs)[i];
            if (entry.holds != op::body_input::form::sliced) {
                continue;
            }
            if (iteration >= parts_[i].count) {
                wrong_body(node_, join({"input ", entry.port, " has ", parts_[i].count,
                                        " parts, too few for iteration ", iteration}));
            }
            const tensor& given = inputs_[static_cast<std::size_t>(entry.port)];
            const auto axis = static_cast<std::size_t>(normalized_axis(entry.slice.axis, given.dimensions().rank()));
            parameters_[static_cast<std::size_t>(entry.parameter)] =
                part_of(given, axis, parts_[i].first + iteration * parts_[i].step, parts_[i].size);
        }
        set_current_iteration(iteration);
    }
    /// The number of the iteration counts from the input that feeds its parameter, or from 0.
    void set_current_iteration(std::int64_t iteration) {
        if (maps_.current_iteration < 0) {
            return;
        }
        std::int64_t first = 0;
        for (const op::body_input& entry : *maps_.inputs) {
            if (entry.parameter != maps_.current_iteration) {
                continue;
            }
            if (entry.holds != op::body_input::form::invariant) {
                return;
            }
            first = inputs_[static_cast<std::size_t>(entry.port)].integer(0);
        }
        const node_id id = body().parameters()[static_cast<std::size_t>(maps_.current_iteration)];
        const auto& wanted = body()[id].template as<op::parameter>();
        const shape dimensions = wanted.dimensions.is_static()        ? wanted.dimensions
                                 : wanted.dimensions.rank_is_static() ? shape::of_ones(wanted.dimensions.rank())
                                                                      : shape{};
        tensor_builder number(wanted.element_type == dynamic ? i64 : wanted.element_type, dimensions);
        for (std::size_t i = 0; i < number.elements(); ++i) {
            number.integer(i, first + iteration);
        }
        parameters_[static_cast<std::size_t>(maps_.current_iteration)] = number.finish();
    }

    void collect(const std::vector<tensor>& results, std::int64_t iteration) {
        for (std::size_t i = 0; i < collected_.size(); ++i) {
            const op::body_output& entry = (*maps_.outputs)[i];
            const tensor& value = results[static_cast<std::size_t>(entry.result)];
            if (entry.holds == op::body_output::form::value) {
                if (entry.iteration < 0 || entry.iteration == iteration) {
                    collected_[i].assign(1, value);
                }
                continue;
            }
            const std::int64_t axis = normalized_axis(entry.slice.axis, value.dimensions().rank());
            const std::int64_t stride = entry.slice.stride < 0 ? -entry.slice.stride : entry.slice.stride;
            if (axis < 0 || value.dimensions()[static_cast<std::size_t>(axis)] != entry.slice.part_size ||
                stride != entry.slice.part_size) {
                wrong_body(node_,
                           join({"iteration ", iteration, " gives output ", entry.port, " a part of shape ",
                                 value.dimensions(), ", which has not ", entry.slice.part_size, " elements along axis ",
                                 entry.slice.axis, ", as many as the step of ", entry.slice.stride}));
            }
            collected_[i].push_back(value);
            collected_bytes_ += static_cast<double>(value.size_in_bytes());
        }
        if (collected_bytes_ > static_cast<double>(limits_.bytes)) {
            wrong_body(node_, join({"after ", iteration + 1, " iterations its outputs take more than ",
                                    static_cast<std::int64_t>(limits_.bytes), " bytes"}));
        }
    }
    /// How many iterations there may be: as many as the limit says, or as slices of the inputs have parts.
    std::int64_t most_iterations() const {
        std::int64_t most = limits_.iterations;
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            const auto port = static_cast<std::size_t>((*maps_.inputs)[i].port);
            most = math::maximum(most, inputs_[port].elements() == 0 ? 0 : parts_[i].count);
        }
        return most;
    }
    void check_iterations(std::int64_t count, std::int64_t most) const {
        if (count > most) {
            wrong_body(node_, join({"it would run more than ", most, " iterations"}));
        }
    }
    void feed_back(const std::vector<tensor>& results) {
        for (const op::body_input& entry : *maps_.inputs) {
            if (entry.holds == op::body_input::form::merged) {
                parameters_[static_cast<std::size_t>(entry.parameter)] =
                    results[static_cast<std::size_t>(entry.result)];
            }
        }
    }

    tensor initial_value(const op::body_input& input, const op::body_output& output) const {
        const tensor& value = inputs_[static_cast<std::size_t>(input.port)];
        const shape& declared = node_.shape(static_cast<std::size_t>(output.port));
        if (shape merged = declared; !merge_shape(merged, value.dimensions())) {
            wrong_body(node_,
                       join({"output ", output.port, " is declared as ", declared,
                             ", but without iterations it is input ", input.port, ", of shape ", value.dimensions()}));
        }
        return value;
    }
    /// What an output is after no iteration: nothing along its axis, or the initial value of what is fed back.
    tensor without_iteration(const op::body_output& entry) const {
        if (entry.holds == op::body_output::form::value) {
            for (const op::body_input& input : *maps_.inputs) {
                if (input.holds == op::body_input::form::merged && input.result == entry.result) {
                    return initial_value(input, entry);
                }
            }
            wrong_body(node_, join({"output ", entry.port, " has no value, because no iteration was run"}));
        }
        graph model = body();
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            const op::body_input& input = (*maps_.inputs)[i];
            shape dimensions = inputs_[static_cast<std::size_t>(input.port)].dimensions();
            if (input.holds == op::body_input::form::sliced) {
                dimensions[static_cast<std::size_t>(normalized_axis(input.slice.axis, dimensions.rank()))] =
                    input.slice.part_size;
            }
            const node_id id = model.parameters()[static_cast<std::size_t>(input.parameter)];
            model.set_attributes(id, op::parameter{model[id].type(), dimensions});
        }
        infer_all(model);
        const node& result = model[model.results()[static_cast<std::size_t>(entry.result)]];
        shape dimensions = result.shape();
        const std::int64_t axis = normalized_axis(entry.slice.axis, dimensions.rank());
        if (axis < 0 || result.type() == dynamic) {
            wrong_body(node_, join({"output ", entry.port, " has no shape, because no iteration was run"}));
        }
        dimensions[static_cast<std::size_t>(axis)] = 0;
        for (std::size_t i = 0; i < dimensions.rank(); ++i) {
            dimensions[i] = dimensions[i] == dynamic_dimension ? 0 : dimensions[i];  // there are no elements to ask
        }
        return tensor_builder(result.type(), dimensions).finish();
    }
    tensor output_of(std::size_t i, std::int64_t count) const {
        const op::body_output& entry = (*maps_.outputs)[i];
        if (count == 0) {
            return without_iteration(entry);
        }
        if (collected_[i].empty()) {
            wrong_body(node_, join({"output ", entry.port, " is that of iteration ", entry.iteration, ", but only ",
                                    count, " were run"}));
        }
        if (entry.holds == op::body_output::form::value) {
            return collected_[i][0];
        }
        const tensor& first = collected_[i][0];
        const auto axis = static_cast<std::size_t>(normalized_axis(entry.slice.axis, first.dimensions().rank()));
        tensor result;
        if (!concatenate(collected_[i], axis, entry.slice.stride < 0, result)) {
            wrong_body(node_, join({"output ", entry.port, " is made of parts of different shapes"}));
        }
        return result;
    }

public:
    iterations(const node& each, view<tensor> inputs, RunBody& run_body, const limits& most)
        : node_(each), inputs_(inputs), run_body_(run_body), limits_(most), maps_(port_maps_of(each, 0)) {}

    seq<tensor> run() {
        begin();
        const bool is_loop = node_.is<op::loop>();
        const std::int64_t most = is_loop ? trip_count() : count_of_parts();
        bool goes_on = !is_loop || is_true(node_, inputs_[1], "the condition (input 1)");
        const std::int64_t limit = most_iterations();
        if (goes_on && condition_always_holds()) {
            check_iterations(most, limit);
        }
        std::int64_t count = 0;
        for (; goes_on && (most < 0 || count < most); ++count) {
            check_iterations(count + 1, limit);
            set_parameters(count);
            const std::vector<tensor> results = run_body_(0, parameters_);
            collect(results, count);
            feed_back(results);
            if (maps_.execution_condition >= 0) {
                goes_on = is_true(node_, results[static_cast<std::size_t>(maps_.execution_condition)], "its condition");
            }
        }
        seq<tensor> outputs;
        outputs.resize(node_.outputs());
        for (std::size_t i = 0; i < collected_.size(); ++i) {
            outputs[static_cast<std::size_t>((*maps_.outputs)[i].port)] = output_of(i, count);
        }
        return outputs;
    }
};

template <class RunBody>
seq<tensor> run_branch(const node& each, view<tensor> inputs, RunBody& run_body) {
    const std::size_t which = is_true(each, inputs[0], "the condition (input 0)") ? 0 : 1;
    const port_maps maps = port_maps_of(each, which);
    std::vector<tensor> parameters(each.bodies()[which].parameters().size());
    for (const op::body_input& entry : *maps.inputs) {
        parameters[static_cast<std::size_t>(entry.parameter)] = inputs[static_cast<std::size_t>(entry.port)];
    }
    const std::vector<tensor> results = run_body(which, parameters);
    seq<tensor> outputs;
    outputs.resize(each.outputs());
    for (const op::body_output& entry : *maps.outputs) {
        outputs[static_cast<std::size_t>(entry.port)] = results[static_cast<std::size_t>(entry.result)];
    }
    return outputs;
}

}  // namespace detail

/// The outputs of a TensorIterator, Loop or If, whose bodies `run_body(which, parameters)` runs.
///
/// TensorIterator: iteration k gives each sliced input's part k to the body; an input that is fed back gets the body's result of
/// the iteration before; the others stay. There are as many iterations as parts, which must be equally many for all sliced inputs;
/// without sliced inputs as many as the declared sizes of concatenated outputs have, else one.
/// Loop: at most `trip count` iterations (negative: no limit) while the condition holds, which is input 1 before the first and the
/// body's result behind each; the iteration that ends it counts. Its number starts at 0, or at the input that feeds it.
/// If: one run of the first body if the condition is true, else of the second.
/// Concatenated outputs stand in the order of iterations, or backwards for a negative stride. Without any iteration they are empty along
/// their axis, and an output that is fed back has its initial value.
/// `inputs`: one tensor a port; `run_body` takes the number of the body and a vector of tensors, one a parameter, and gives one a
/// result. Raises an error that names the node for port maps that do not fit the bodies, slices that do not divide their axis, a loop
/// that would never end, more iterations or bytes of concatenated outputs than `most`, outputs of iterations that were not run; and
/// names the node in front of what `run_body` raises.
/// OpenVINO operation specifications TensorIterator-1, Loop-5, If-8.
template <class RunBody>
seq<tensor> evaluate_control_flow(const node& each, view<tensor> inputs, RunBody&& run_body, const limits& most = {}) {
    check_bodies(each);
    const auto run_named = [&](std::size_t which, const std::vector<tensor>& parameters) -> std::vector<tensor> {
        try {
            return run_body(which, parameters);
        } catch (const error& raised) {
            fail({each.operation(), " '", each.name(), "', ", op::body_name(each.kind(), which), ": ",
                  raised.message()});
        }
    };
    if (each.is<op::if_else>()) {
        return detail::run_branch(each, inputs, run_named);
    }
    return detail::iterations(each, inputs, run_named, most).run();
}

}  // namespace lpt::inline LPT_ABI::reference
