// SPDX-License-Identifier: Apache-2.0
// Runs a network: one session of its program.
#pragma once

#include <lpt/runtime/platform.hpp>
#include <lpt/runtime/program.hpp>
#include <lpt/runtime/run_step.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <utility>

namespace lpt::inline LPT_ABI {

/// How long a step took, in microseconds: by the clock, and by all processors together.
struct step_time {
    double real = 0;
    double processor = 0;
};

/// A graph inside a node: the node, and which of its bodies.
struct body_place {
    node_id node = node_id::none;
    int which = 0;
    friend auto operator<=>(const body_place&, const body_place&) = default;
};

/// A step of the last run, and its times summed over all timed runs.
///
/// `bodies`: where it is, from the network inwards, none for steps of the network itself; `path`: the same in names (`loop/body/`).
struct run_step_record {
    std::vector<body_place> bodies;
    text path;
    const plan::network* net = nullptr;
    const graph* model = nullptr;  // that the step's nodes are of
    std::size_t number = 0;  // of the step in `net`
    step_time time;
};

}  // namespace lpt::inline LPT_ABI

namespace lpt::inline LPT_ABI::runtime {

/// What a session of a network shares with those of the bodies inside it.
struct session_context {
    kernel::parallel_for parallel;
    state_table states;
    double planning_us = 0;  // spent on plans so far
    std::int64_t iterations_left = 0;  // of loops in this run
};

/// One session of a network: its memory, its variables (in `context`), the times of its steps. One run at a time.
class network_runner {
    /// A stage with what this session has of its own for it.
    struct bound_stage {
        stage_pointer stage;
        std::vector<state_value*> states;  // by number of the state
        std::vector<step_time> times;
        std::uint64_t last_use = 0;

        const plan::stage& what() const { return stage->what; }
    };
    using bound_pointer = std::shared_ptr<bound_stage>;

    network_program& program_;
    session_context& context_;
    std::map<node_id, std::vector<std::unique_ptr<network_runner>>> bodies_;
    std::map<std::uint64_t, bound_pointer> bound_;  // by the stage's number
    bound_pointer only_;  // where no shape depends on a run
    std::vector<bound_pointer> last_run_;
    std::uint64_t uses_ = 0;
    memory_block arena_;
    const bound_stage* running_ = nullptr;
    bool timed_ = false;
    std::vector<const void*> from_;  // where inputs of the run lie
    std::vector<kernel::post_operation> posts_;

    const kernel::kernel_table& kernels() const { return *program_.context().kernels; }
    void make_bodies() {
        for (const auto& [id, programs] : program_.bodies()) {
            for (const std::unique_ptr<network_program>& each : programs) {
                bodies_[id].push_back(std::make_unique<network_runner>(*each, context_));
            }
        }
    }

    // ---- plans

    std::vector<plan::known_variable> known_variables() const {
        std::vector<plan::known_variable> result;
        for (const text& each : program_.variables()) {
            const state_value* value = context_.states.find(each);
            if (value != nullptr && value->is_set) {
                result.push_back({each, value->type, value->dimensions});
            }
        }
        return result;
    }
    static std::vector<plan::known_input> known_inputs(const std::vector<tensor>& values,
                                                       const std::vector<bool>& needs_value) {
        std::vector<plan::known_input> result;
        for (std::size_t i = 0; i < values.size(); ++i) {
            result.push_back({values[i].type(), values[i].dimensions(),
                              i < needs_value.size() && needs_value[i] ? values[i] : tensor()});
        }
        return result;
    }
    void forget_oldest() {
        while (bound_.size() > program_.context().most_plans) {
            auto oldest = bound_.begin();
            for (auto each = bound_.begin(); each != bound_.end(); ++each) {
                oldest = each->second->last_use < oldest->second->last_use ? each : oldest;
            }
            bound_.erase(oldest);
        }
    }
    bound_pointer bind(stage_pointer stage) {
        bound_pointer& known = bound_[stage->number];
        if (known == nullptr) {
            known = std::make_shared<bound_stage>();
            for (const plan::state& each : stage->what.net.states) {
                known->states.push_back(&context_.states.named(each.name, each.type));
            }
            known->stage = std::move(stage);
        }
        known->last_use = ++uses_;
        bound_pointer result = known;
        forget_oldest();
        return result;
    }
    bound_pointer first_stage(const std::vector<tensor>& inputs) {
        return only_ ? only_ : bind(program_.first(known_inputs(inputs, {}), known_variables(), context_.planning_us));
    }
    bound_pointer stage_behind(const bound_stage& before, const std::vector<tensor>& values) {
        const std::vector<plan::known_input> inputs = known_inputs(values, before.what().needs_value);
        return bind(program_.next(*before.stage, inputs, known_variables(), context_.planning_us));
    }

    // ---- running

    static void run_timed(step_runner& runner, bound_stage& stage) {
        const plan::network& net = stage.what().net;
        stage.times.resize(net.steps.size());
        for (std::size_t i = 0; i < net.steps.size(); ++i) {
            const auto begin = std::chrono::steady_clock::now();
            const double processor = processor_seconds();
            runner.run(net.steps[i]);
            stage.times[i].processor += (processor_seconds() - processor) * 1e6;
            stage.times[i].real +=
                std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
        }
    }
    static void begin_states(const bound_stage& stage) {
        for (std::size_t i = 0; i < stage.states.size(); ++i) {
            state_value& value = *stage.states[i];
            if (!value.is_set) {
                lpt::detail::naming_memory([&] { value.bytes.grow(stage.what().net.states[i].bytes); },
                                           [&] { return join({"variable '", value.name, "'"}); });
                std::memset(value.bytes.data(), 0, stage.what().net.states[i].bytes);
            }
        }
    }
    static seq<tensor> evaluate_inside(void* self, node_id id, view<tensor> inputs) {
        return static_cast<network_runner*>(self)->evaluate_node(id, inputs);
    }
    /// False for If, and for loops that take a part of an input in each iteration: there are no more than the input has parts.
    static bool counts_iterations(const node& each) {
        if (each.is<op::if_else>()) {
            return false;
        }
        for (const op::body_input& entry : *reference::detail::port_maps_of(each, 0).inputs) {
            if (entry.holds == op::body_input::form::sliced) {
                return false;
            }
        }
        return true;
    }
    seq<tensor> evaluate_node(node_id id, view<tensor> inputs) {
        const plan::stage& stage = running_->what();
        const graph& model = stage.net.model.contains(id) ? stage.net.model : stage.whole;
        const node& each = model[id];
        if (!reference::runs_bodies(each.kind())) {
            reference::state none;
            return reference::evaluate_node<float>(model, id, inputs, none,
                                                   {.bytes = program_.context().most_evaluated_bytes});
        }
        std::vector<std::unique_ptr<network_runner>>& runners = bodies_.at(id);
        const bool counts = counts_iterations(each);
        const auto run_body = [&](std::size_t which, const std::vector<tensor>& parameters) {
            context_.iterations_left -= counts ? 1 : 0;
            return runners[which]->run(view<tensor>(parameters.data(), parameters.size()), timed_);
        };
        const reference::limits most = {.bytes = program_.context().most_evaluated_bytes,
                                        .iterations = math::maximum<std::int64_t>(0, context_.iterations_left)};
        return reference::evaluate_control_flow(each, inputs, run_body, most);
    }
    /// Runs the steps of a stage, then copies to `outputs` what steps do not write there; what deferred steps give is appended to `deferred`.
    void run_steps(bound_stage& stage, const void* const* inputs, void* const* outputs, std::vector<tensor>& deferred,
                   bool timed) {
        lpt::detail::naming_memory([&] { arena_.grow(stage.what().net.arena_bytes); },
                                   [&] { return plan::detail::largest_of(stage.what().net); });
        begin_states(stage);
        const memory where{arena_.data(), inputs, outputs, stage.states.data(), {this, &evaluate_inside},
                           &deferred,     &posts_};
        step_runner runner(stage.what().net, kernels(), context_.parallel, where);
        running_ = &stage;
        timed_ = timed;
        if (timed) {
            run_timed(runner, stage);
        } else {
            for (const plan::step& each : stage.what().net.steps) {
                runner.run(each);
            }
        }
        copy_outputs(stage.what().net, runner, outputs);
    }
    static void copy_outputs(const plan::network& net, const step_runner& runner, void* const* outputs) {
        for (std::size_t i = 0; i < net.outputs.size(); ++i) {
            const plan::port& each = net.outputs[i];
            const std::size_t size = byte_size(each.type, each.dimensions.elements());
            const std::byte* const from = runner.read(each.tensor);
            if (size != 0 && from != outputs[i]) {
                std::memcpy(outputs[i], from, size);
            }
        }
    }
    /// Runs the steps of a stage with memory for its outputs, which are appended to `to`.
    void run_with_outputs(bound_stage& stage, const void* const* inputs, std::vector<tensor>& to,
                          std::vector<tensor>& deferred, bool timed) {
        const std::vector<plan::port>& ports = stage.what().net.outputs;
        std::vector<tensor_builder> values;
        values.reserve(ports.size());  // what is put there must stay where it is
        std::vector<void*> places;
        places.reserve(ports.size());
        for (std::size_t i = 0; i < ports.size(); ++i) {
            lpt::detail::naming_memory([&] { values.emplace_back(ports[i].type, ports[i].dimensions); },
                                       [&] { return join({"output ", i, " '", ports[i].name, "'"}); });
            places.push_back(values.back().data());
        }
        run_steps(stage, inputs, places.data(), deferred, timed);
        for (tensor_builder& each : values) {
            to.push_back(each.finish());
        }
    }
    void check_inputs(view<tensor> inputs) const {
        const std::vector<plan::port>& all = program_.inputs();
        if (inputs.size() != all.size()) {
            fail({"the network has ", all.size(), " inputs, not ", inputs.size()});
        }
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const plan::port& wanted = all[i];
            if (inputs[i].type() == wanted.type && inputs[i].dimensions() == wanted.dimensions) {
                continue;
            }
            shape merged = wanted.dimensions;
            if ((inputs[i].type() != wanted.type && wanted.type != dynamic) ||
                !merge_shape(merged, inputs[i].dimensions())) {
                fail({"input ", i, " '", wanted.name, "' must be ", name(wanted.type), wanted.dimensions, ", not ",
                      name(inputs[i].type()), inputs[i].dimensions()});
            }
        }
    }

    /// Runs the only stage there is, without memory of its own but for the outputs.
    std::vector<tensor> run_fixed(view<tensor> inputs, bool timed) {
        from_.clear();
        for (const tensor& each : inputs) {
            from_.push_back(each.data());
        }
        std::vector<tensor> none;
        std::vector<tensor> outputs;
        outputs.reserve(only_->what().net.outputs.size());
        run_with_outputs(*only_, from_.data(), outputs, none, timed);
        if (last_run_.empty()) {
            last_run_ = {only_};
        }
        return outputs;
    }
    std::vector<tensor> run_stages(view<tensor> inputs, bool timed) {
        std::vector<tensor> values(inputs.begin(), inputs.end());
        bound_pointer stage = first_stage(values);
        std::vector<bound_pointer> stages;
        while (true) {
            std::vector<const void*> from;
            for (const tensor& each : values) {
                from.push_back(each.data());
            }
            std::vector<tensor> deferred;
            std::vector<tensor> outputs;
            run_with_outputs(*stage, from.data(), outputs, deferred, timed);
            stages.push_back(stage);
            if (stage->what().complete) {
                last_run_ = std::move(stages);
                return outputs;
            }
            values.insert(values.end(), outputs.begin(), outputs.end());
            values.insert(values.end(), deferred.begin(), deferred.end());
            stage = stage_behind(*stage, values);
        }
    }

public:
    /// `program` and `context` must live as long as the runner.
    network_runner(network_program& program, session_context& context) : program_(program), context_(context) {
        make_bodies();
        if (const stage_pointer first = program_.only_first()) {
            only_ = bind(first);
        }
        if (program_.planned_ahead()) {
            last_run_ = {bind(program_.planned_ahead())};
        }
    }
    network_runner(const network_runner&) = delete;
    network_runner& operator=(const network_runner&) = delete;

    std::size_t arena_bytes() const {
        return arena_.size() != 0 || last_run_.empty() ? arena_.size() : last_run_[0]->what().net.arena_bytes;
    }
    /// The plan of the last stage of the last run; before the first run the one that was made ahead. Null if there is none.
    const plan::network* last_plan() const { return last_run_.empty() ? nullptr : &last_run_.back()->what().net; }
    /// Times of the steps of `last_plan`.
    const std::vector<step_time>* last_times() const { return last_run_.empty() ? nullptr : &last_run_.back()->times; }

    /// Runs a network that `is_fixed` on raw memory; outputs do not overlap with one another or with inputs.
    void run(const void* const* inputs, void* const* outputs, bool timed) {
        std::vector<tensor> none;
        run_steps(*only_, inputs, outputs, none, timed);
    }
    std::vector<tensor> run(view<tensor> inputs, bool timed) {
        check_inputs(inputs);
        return only_ && only_->what().complete ? run_fixed(inputs, timed) : run_stages(inputs, timed);
    }
    /// The steps of the last run with those of bodies behind the node that they are in.
    void append_records(const std::vector<body_place>& bodies, const text& path,
                        std::vector<run_step_record>& to) const {
        for (const bound_pointer& stage : last_run_) {
            const plan::network& net = stage->what().net;
            for (std::size_t i = 0; i < net.steps.size(); ++i) {
                const std::vector<node_id>& nodes = net.steps[i].nodes;
                const bool inside = nodes.empty() || net.model.contains(nodes[0]);
                const step_time time = i < stage->times.size() ? stage->times[i] : step_time();
                to.push_back({bodies, path, &net, inside ? &net.model : &stage->what().whole, i, time});
                const auto runners = nodes.empty() ? bodies_.end() : bodies_.find(nodes[0]);
                if (runners == bodies_.end()) {
                    continue;
                }
                const node& each = (inside ? net.model : stage->what().whole)[nodes[0]];
                for (std::size_t which = 0; which < runners->second.size(); ++which) {
                    std::vector<body_place> inside_bodies = bodies;
                    inside_bodies.push_back({nodes[0], static_cast<int>(which)});
                    runners->second[which]->append_records(
                        inside_bodies, join({path, each.name(), "/", op::body_name(each.kind(), which), "/"}), to);
                }
            }
        }
    }
};

}  // namespace lpt::inline LPT_ABI::runtime
