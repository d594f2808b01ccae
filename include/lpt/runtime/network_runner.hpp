// SPDX-License-Identifier: Apache-2.0
// Runs a network with the shapes that come: a plan for each, kept for the next time.
#pragma once

#include <lpt/plan/stages.hpp>
#include <lpt/runtime/platform.hpp>
#include <lpt/runtime/run_step.hpp>

#include <chrono>
#include <map>
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

/// What a network shares with the bodies inside it.
struct run_context {
    const kernel::kernel_table* kernels = nullptr;
    kernel::parallel_for parallel;
    bool short_steps_alone = false;
    std::size_t most_plans = 1;
    double planning_us = 0;  // spent on plans so far
    std::size_t memory_limit = SIZE_MAX;
    plan::weight_store weights;
    state_table states;
    std::uint64_t most_evaluated_bytes = reference::limits{}.bytes;
    std::int64_t iterations_left = 0;  // of loops in this run
    folding_budget folding;  // left, of the network and its bodies

    plan::plan_options options() {
        return {kernels, parallel.run != nullptr ? parallel.threads : 1, &weights, memory_limit, short_steps_alone};
    }
};

/// A network with the plans for the shapes that it was run with lately.
///
/// A run goes through stages: the first is planned for the shapes of the inputs; where shapes depend on values, the next is planned
/// when these are computed. Plans are kept by shapes (and values that shapes depend on), the most recently used ones.
class network_runner {
    struct kept_stage {
        plan::stage what;
        std::uint64_t number = 0;
        std::uint64_t last_use = 0;
        std::vector<state_value*> states;  // by number of the state
        std::vector<step_time> times;
    };
    using stage_pointer = std::shared_ptr<kept_stage>;

    run_context& context_;
    graph model_;
    std::vector<plan::port> inputs_;
    std::vector<plan::port> outputs_;
    seq<text> variables_;  // those that may change their shape
    seq<text> own_variables_;
    seq<text> all_variables_;  // those of bodies, too
    std::map<node_id, std::vector<std::unique_ptr<network_runner>>> bodies_;
    std::map<std::string, stage_pointer> stages_;
    stage_pointer only_;  // where no shape depends on a run
    std::vector<stage_pointer> last_run_;
    std::uint64_t made_ = 0;
    std::uint64_t uses_ = 0;
    memory_block arena_;
    const kept_stage* running_ = nullptr;
    bool timed_ = false;

    // ---- what is fixed

    void describe_ports() {
        for (const node_id id : model_.parameters()) {
            const node& each = model_[id];
            inputs_.push_back({each.name(), each.tensor_names(), each.type(), each.shape(), -1});
        }
        for (const node_id id : model_.results()) {
            const node& each = model_[id];
            const node& source = model_[each.input(0).node];
            const auto port = static_cast<std::size_t>(each.input(0).port);
            outputs_.push_back({each.name().empty() ? source.name() : each.name(), source.tensor_names(port),
                                source.type(port), source.shape(port), -1});
        }
    }
    void find_variables(view<node_id> order) {
        for (const node_id id : order) {
            const node& each = model_[id];
            if (each.is<op::assign>()) {
                all_variables_.push_back(each.as<op::assign>().variable_id);
            }
            if (!each.is<op::read_value>()) {
                continue;
            }
            all_variables_.push_back(each.as<op::read_value>().variable_id);
            if (each.version() < 6 || each.shape().is_dynamic()) {
                variables_.push_back(each.as<op::read_value>().variable_id);
            }
        }
    }
    /// A network reads its variables where they lie: a body that writes them meanwhile would change what was read.
    void take_variables_of(const network_runner& body) {
        for (const text& each : body.all_variables_) {
            if (own_variables_.contains(each)) {
                fail({"variable '", each, "' belongs to the network around it, too"});
            }
            all_variables_.push_back(each);
        }
    }
    void make_bodies(view<node_id> order) {
        for (const node_id id : order) {
            const node& each = model_[id];
            if (!reference::runs_bodies(each.kind())) {
                continue;
            }
            reference::check_bodies(each);
            std::vector<std::unique_ptr<network_runner>>& runners = bodies_[id];
            for (std::size_t which = 0; which < each.bodies().size(); ++which) {
                try {
                    runners.push_back(std::make_unique<network_runner>(each.bodies()[which], context_));
                    take_variables_of(*runners.back());
                } catch (const error& raised) {
                    fail({each.operation(), " '", each.name(), "', ", op::body_name(each.kind(), which), ": ",
                          raised.message()});
                }
            }
        }
    }
    bool has_fixed_inputs() const {
        for (const plan::port& each : inputs_) {
            if (each.type == dynamic || each.dimensions.is_dynamic()) {
                return false;
            }
        }
        return true;
    }

    // ---- plans

    static void append(std::string& key, std::int64_t number) {
        key.append(reinterpret_cast<const char*>(&number), sizeof number);
    }
    static void append(std::string& key, const shape& dimensions) {
        append(key, static_cast<std::int64_t>(dimensions.rank()));
        for (const dimension each : dimensions) {
            append(key, each);
        }
    }
    std::vector<plan::known_variable> known_variables() const {
        std::vector<plan::known_variable> result;
        for (const text& each : variables_) {
            const state_value* value = context_.states.find(each);
            if (value != nullptr && value->is_set) {
                result.push_back({each, value->type, value->dimensions});
            }
        }
        return result;
    }
    std::string key_of(std::uint64_t before, const std::vector<plan::known_input>& inputs,
                       const std::vector<plan::known_variable>& variables) const {
        std::string key;
        append(key, static_cast<std::int64_t>(before));
        for (const plan::known_input& each : inputs) {
            append(key, static_cast<std::int64_t>(each.type));
            append(key, each.dimensions);
            if (each.value) {
                key.append(reinterpret_cast<const char*>(each.value.data()), each.value.size_in_bytes());
            }
        }
        for (const plan::known_variable& each : variables) {
            key.append(each.name.c_str(), each.name.size() + 1);
            append(key, each.dimensions);
        }
        return key;
    }
    void forget_oldest() {
        if (stages_.size() <= context_.most_plans) {
            return;
        }
        while (stages_.size() > context_.most_plans) {
            auto oldest = stages_.begin();
            for (auto each = stages_.begin(); each != stages_.end(); ++each) {
                oldest = each->second->last_use < oldest->second->last_use ? each : oldest;
            }
            stages_.erase(oldest);
        }
        context_.weights.forget_unused();
    }
    void keep_constants(view<node_id> order) {
        for (const node_id id : order) {
            if (model_[id].is<op::constant>()) {
                context_.weights.keep(model_[id].as<op::constant>().value);
            }
        }
    }
    /// The plan of a network for these inputs; `before`: the number of the stage that leaves the network, 0 for the first.
    template <class Graph>
    stage_pointer stage_for(Graph&& model, std::uint64_t before, const std::vector<plan::known_input>& inputs) {
        const std::vector<plan::known_variable> variables = known_variables();
        const std::string key = key_of(before, inputs, variables);
        if (const auto found = stages_.find(key); found != stages_.end()) {
            found->second->last_use = ++uses_;
            return found->second;
        }
        const auto begin = std::chrono::steady_clock::now();
        const auto made = std::make_shared<kept_stage>();
        made->what = plan::make_stage(std::forward<Graph>(model), inputs, variables, context_.options());
        context_.planning_us +=
            std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
        made->number = ++made_;
        made->last_use = ++uses_;
        for (const plan::state& each : made->what.net.states) {
            made->states.push_back(&context_.states.named(each.name, each.type));
        }
        stages_.emplace(key, made);
        forget_oldest();
        return made;
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
    /// With fixed inputs the first plan is made at once: then a network that cannot be planned is found when it is compiled.
    void plan_ahead() {
        if (!has_fixed_inputs()) {
            return;
        }
        std::vector<plan::known_input> inputs;
        for (const plan::port& each : inputs_) {
            inputs.push_back({each.type, each.dimensions, {}});
        }
        if (variables_.empty()) {
            only_ = stage_for(std::move(model_), 0, inputs);  // the network has no other first stage
        }
        last_run_ = {only_ ? only_ : stage_for(model_, 0, inputs)};
        if (only_ && only_->what.complete) {
            stages_.clear();
            outputs_ = only_->what.net.outputs;
        }
    }

    // ---- running

    static void run_timed(step_runner& runner, kept_stage& stage) {
        const plan::network& net = stage.what.net;
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
    static void begin_states(const kept_stage& stage) {
        for (std::size_t i = 0; i < stage.states.size(); ++i) {
            state_value& value = *stage.states[i];
            if (!value.is_set) {
                lpt::detail::naming_memory([&] { value.bytes.grow(stage.what.net.states[i].bytes); },
                                           [&] { return join({"variable '", value.name, "'"}); });
                std::memset(value.bytes.data(), 0, stage.what.net.states[i].bytes);
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
        const plan::stage& stage = running_->what;
        const graph& model = stage.net.model.contains(id) ? stage.net.model : stage.whole;
        const node& each = model[id];
        if (!reference::runs_bodies(each.kind())) {
            reference::state none;
            return reference::evaluate_node<float>(model, id, inputs, none, {.bytes = context_.most_evaluated_bytes});
        }
        std::vector<std::unique_ptr<network_runner>>& runners = bodies_.at(id);
        const bool counts = counts_iterations(each);
        const auto run_body = [&](std::size_t which, const std::vector<tensor>& parameters) {
            context_.iterations_left -= counts ? 1 : 0;
            return runners[which]->run(parameters, timed_);
        };
        const reference::limits most = {.bytes = context_.most_evaluated_bytes,
                                        .iterations = math::maximum<std::int64_t>(0, context_.iterations_left)};
        return reference::evaluate_control_flow(each, inputs, run_body, most);
    }
    /// Runs the steps of a stage; what deferred steps give is appended to `deferred`.
    void run_steps(kept_stage& stage, const void* const* inputs, std::vector<tensor>& deferred, bool timed) {
        lpt::detail::naming_memory([&] { arena_.grow(stage.what.net.arena_bytes); },
                                   [&] { return plan::detail::largest_of(stage.what.net); });
        begin_states(stage);
        const memory where{arena_.data(), inputs, stage.states.data(), {this, &evaluate_inside}, &deferred};
        step_runner runner(stage.what.net, *context_.kernels, context_.parallel, where);
        running_ = &stage;
        timed_ = timed;
        if (timed) {
            run_timed(runner, stage);
        } else {
            for (const plan::step& each : stage.what.net.steps) {
                runner.run(each);
            }
        }
    }
    /// Where an output of a stage lies after its steps.
    const std::byte* output_of(const kept_stage& stage, const void* const* inputs, std::size_t which) const {
        const memory where{arena_.data(), inputs, stage.states.data(), {}, nullptr};
        return step_runner(stage.what.net, *context_.kernels, context_.parallel, where)
            .read(stage.what.net.outputs[which].tensor);
    }
    void append_outputs(const kept_stage& stage, const void* const* inputs, std::vector<tensor>& to) const {
        for (std::size_t i = 0; i < stage.what.net.outputs.size(); ++i) {
            const plan::port& each = stage.what.net.outputs[i];
            const auto copy = [&] {
                tensor_builder value(each.type, each.dimensions);
                const std::size_t size = byte_size(each.type, each.dimensions.elements());
                if (size != 0) {
                    std::memcpy(value.data(), output_of(stage, inputs, i), size);
                }
                return value.finish();
            };
            to.push_back(lpt::detail::naming_memory(copy, [&] { return join({"output ", i, " '", each.name, "'"}); }));
        }
    }
    void check_inputs(const std::vector<tensor>& inputs) const {
        if (inputs.size() != inputs_.size()) {
            fail({"the network has ", inputs_.size(), " inputs, not ", inputs.size()});
        }
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const plan::port& wanted = inputs_[i];
            shape merged = wanted.dimensions;
            if ((inputs[i].type() != wanted.type && wanted.type != dynamic) ||
                !merge_shape(merged, inputs[i].dimensions())) {
                fail({"input ", i, " '", wanted.name, "' must be ", name(wanted.type), wanted.dimensions, ", not ",
                      name(inputs[i].type()), inputs[i].dimensions()});
            }
        }
    }

public:
    /// `context` must live as long as the runner.
    network_runner(graph model, run_context& context) : context_(context), model_(std::move(model)) {
        model_.set_folding_budget(context_.folding);
        plan::fold_known(model_);
        context_.folding = model_.folding();
        const seq<node_id> order = topological_order(model_);
        keep_constants(order);
        describe_ports();
        find_variables(order);
        own_variables_ = all_variables_;
        make_bodies(order);
        plan_ahead();
    }
    network_runner(const network_runner&) = delete;
    network_runner& operator=(const network_runner&) = delete;

    const std::vector<plan::port>& inputs() const { return inputs_; }
    const std::vector<plan::port>& outputs() const { return outputs_; }
    /// Plans that are kept now, of the network itself.
    std::size_t plans() const { return only_ && only_->what.complete ? 1 : stages_.size(); }
    std::size_t arena_bytes() const {
        return arena_.size() != 0 || last_run_.empty() ? arena_.size() : last_run_[0]->what.net.arena_bytes;
    }
    /// The plan of the last stage of the last run; before the first run the one that was made ahead. Null if there is none.
    const plan::network* last_plan() const { return last_run_.empty() ? nullptr : &last_run_.back()->what.net; }
    /// Times of the steps of `last_plan`.
    const std::vector<step_time>* last_times() const { return last_run_.empty() ? nullptr : &last_run_.back()->times; }

    /// Whether all shapes were known when the network was compiled.
    bool is_fixed() const { return only_ && only_->what.complete; }

    /// Runs a network that `is_fixed` on raw memory.
    void run(const void* const* inputs, void* const* outputs, bool timed) {
        std::vector<tensor> none;
        run_steps(*only_, inputs, none, timed);
        for (std::size_t i = 0; i < only_->what.net.outputs.size(); ++i) {
            const plan::port& each = only_->what.net.outputs[i];
            const std::size_t size = byte_size(each.type, each.dimensions.elements());
            if (size != 0) {
                std::memcpy(outputs[i], output_of(*only_, inputs, i), size);
            }
        }
    }
    std::vector<tensor> run(const std::vector<tensor>& inputs, bool timed) {
        check_inputs(inputs);
        std::vector<tensor> values = inputs;
        stage_pointer stage = only_ ? only_ : stage_for(model_, 0, known_inputs(values, {}));
        std::vector<stage_pointer> stages;
        while (true) {
            std::vector<const void*> from;
            for (const tensor& each : values) {
                from.push_back(each.data());
            }
            std::vector<tensor> deferred;
            run_steps(*stage, from.data(), deferred, timed);
            std::vector<tensor> outputs;
            append_outputs(*stage, from.data(), outputs);
            stages.push_back(stage);
            if (stage->what.complete) {
                last_run_ = std::move(stages);
                return outputs;
            }
            values.insert(values.end(), outputs.begin(), outputs.end());
            values.insert(values.end(), deferred.begin(), deferred.end());
            const stage_pointer before = stage;
            stage = stage_for(before->what.rest, before->number, known_inputs(values, before->what.needs_value));
        }
    }
    /// The steps of the last run with those of bodies behind the node that they are in.
    void append_records(const std::vector<body_place>& bodies, const text& path,
                        std::vector<run_step_record>& to) const {
        for (const stage_pointer& stage : last_run_) {
            const plan::network& net = stage->what.net;
            for (std::size_t i = 0; i < net.steps.size(); ++i) {
                const std::vector<node_id>& nodes = net.steps[i].nodes;
                const bool inside = nodes.empty() || net.model.contains(nodes[0]);
                const step_time time = i < stage->times.size() ? stage->times[i] : step_time();
                to.push_back({bodies, path, &net, inside ? &net.model : &stage->what.whole, i, time});
                const auto runners = nodes.empty() ? bodies_.end() : bodies_.find(nodes[0]);
                if (runners == bodies_.end()) {
                    continue;
                }
                const node& each = (inside ? net.model : stage->what.whole)[nodes[0]];
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
