// SPDX-License-Identifier: Apache-2.0
// What all sessions of a network share: its graph, its plans and its packed weights.
#pragma once

#include <lpt/kernel/dispatch.hpp>
#include <lpt/plan/stages.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace lpt::inline LPT_ABI::runtime {

/// What a network shares with the bodies inside it.
struct program_context {
    const kernel::kernel_table* kernels = nullptr;
    int threads = 1;  // that plans are made for; sessions may have others
    bool short_steps_alone = false;
    std::size_t most_plans = 1;
    std::size_t memory_limit = SIZE_MAX;
    plan::weight_store weights;
    std::uint64_t most_evaluated_bytes = reference::limits{}.bytes;
    folding_budget folding;  // left, of the network and its bodies
    bool needs_kernels = false;
    data_rounding dynamic_quantization = data_rounding::allowed;
    kernel::parallel_for parallel;  // that packs weights, while the network is compiled
    std::mutex planning;  // held while plans are looked up or made, which changes the weights, too

    plan::plan_options options() {
        return {kernels,       threads,  &weights, memory_limit,        short_steps_alone,
                needs_kernels, parallel, true,     dynamic_quantization};
    }
};

/// A stage that is planned for known shapes; nobody changes it any more.
struct planned_stage {
    plan::stage what;
    std::uint64_t number = 0;
};
using stage_pointer = std::shared_ptr<const planned_stage>;

/// A network with the plans for the shapes that it was run with lately.
///
/// A run goes through stages: the first is planned for the shapes of the inputs; where shapes depend on values, the next is planned
/// when these are computed. Plans are kept by shapes (and values that shapes depend on), the most recently used ones.
/// Any number of threads may ask for plans at once.
class network_program {
    struct kept_stage {
        stage_pointer stage;
        std::uint64_t last_use = 0;
    };

    program_context& context_;
    graph model_;
    std::vector<plan::port> inputs_;
    std::vector<plan::port> outputs_;
    seq<text> variables_;  // those that may change their shape
    seq<text> own_variables_;
    seq<text> all_variables_;  // those of bodies, too
    std::map<node_id, std::vector<std::unique_ptr<network_program>>> bodies_;
    std::map<std::string, kept_stage> stages_;
    stage_pointer first_;  // that was made ahead
    bool is_fixed_ = false;
    bool has_one_first_ = false;
    std::uint64_t made_ = 0;
    std::uint64_t uses_ = 0;

    // ---- what is fixed

    void describe_ports() {
        for (const node_id id : model_.parameters()) {
            const node& each = model_[id];
            inputs_.push_back({each.name(), each.tensor_names(), each.type(), each.shape(), plan::tensor_id::none});
        }
        for (const node_id id : model_.results()) {
            const node& each = model_[id];
            const node& source = model_[each.input(0).node];
            const auto port = static_cast<std::size_t>(each.input(0).port);
            outputs_.push_back({each.name().empty() ? source.name() : each.name(), source.tensor_names(port),
                                source.type(port), source.shape(port), plan::tensor_id::none});
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
    void take_variables_of(const network_program& body) {
        for (const text& each : body.all_variables_) {
            if (own_variables_.contains(each)) {
                fail({"variable '", each, "' belongs to the network around it, too"});
            }
            all_variables_.push_back(each);
        }
    }
    void make_bodies(view<node_id> order, double& planning_us) {
        for (const node_id id : order) {
            const node& each = model_[id];
            if (!reference::runs_bodies(each.kind())) {
                continue;
            }
            reference::check_bodies(each);
            std::vector<std::unique_ptr<network_program>>& programs = bodies_[id];
            for (std::size_t which = 0; which < each.bodies().size(); ++which) {
                try {
                    programs.push_back(std::make_unique<network_program>(each.bodies()[which], context_, planning_us));
                    take_variables_of(*programs.back());
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
    static std::string key_of(std::uint64_t before, const std::vector<plan::known_input>& inputs,
                              const std::vector<plan::known_variable>& variables) {
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
                oldest = each->second.last_use < oldest->second.last_use ? each : oldest;
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
    template <class Graph>
    stage_pointer stage_for(Graph&& model, std::uint64_t before, const std::vector<plan::known_input>& inputs,
                            const std::vector<plan::known_variable>& variables, double& planning_us) {
        const std::lock_guard lock(context_.planning);
        const std::string key = key_of(before, inputs, variables);
        if (const auto found = stages_.find(key); found != stages_.end()) {
            found->second.last_use = ++uses_;
            return found->second.stage;
        }
        const auto begin = std::chrono::steady_clock::now();
        const auto made = std::make_shared<planned_stage>();
        made->what = plan::make_stage(std::forward<Graph>(model), inputs, variables, context_.options());
        planning_us += std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
        made->number = ++made_;
        stages_.emplace(key, kept_stage{made, ++uses_});
        forget_oldest();
        return made;
    }
    /// With fixed inputs the first plan is made at once: then a network that cannot be planned is found when it is compiled.
    void plan_ahead(double& planning_us) {
        if (!has_fixed_inputs()) {
            return;
        }
        std::vector<plan::known_input> inputs;
        for (const plan::port& each : inputs_) {
            inputs.push_back({each.type, each.dimensions, {}});
        }
        has_one_first_ = variables_.empty();
        first_ = has_one_first_ ? stage_for(std::move(model_), 0, inputs, {}, planning_us)
                                : stage_for(model_, 0, inputs, {}, planning_us);
        is_fixed_ = has_one_first_ && first_->what.complete;
        if (is_fixed_) {
            stages_.clear();
            outputs_ = first_->what.net.outputs;
        }
    }

public:
    /// `context` must live as long as the program; `planning_us` grows by the microseconds that plans took.
    network_program(graph model, program_context& context, double& planning_us)
        : context_(context), model_(std::move(model)) {
        model_.set_folding_budget(context_.folding);
        plan::fold_known(model_);
        context_.folding = model_.folding();
        const seq<node_id> order = topological_order(model_);
        keep_constants(order);
        describe_ports();
        find_variables(order);
        own_variables_ = all_variables_;
        make_bodies(order, planning_us);
        plan_ahead(planning_us);
    }
    network_program(const network_program&) = delete;
    network_program& operator=(const network_program&) = delete;

    program_context& context() const { return context_; }
    const std::vector<plan::port>& inputs() const { return inputs_; }
    const std::vector<plan::port>& outputs() const { return outputs_; }
    /// Variables that may change their shape: plans depend on it.
    const seq<text>& variables() const { return variables_; }
    /// The programs of the bodies, by the node that has them.
    const std::map<node_id, std::vector<std::unique_ptr<network_program>>>& bodies() const { return bodies_; }

    /// Whether all shapes were known when the network was compiled: `first` is its only plan.
    bool is_fixed() const { return is_fixed_; }
    /// The stage that each run begins with, or null if that depends on inputs or variables.
    stage_pointer only_first() const { return has_one_first_ ? first_ : nullptr; }
    /// The stage that was planned when the network was compiled, or null.
    const stage_pointer& planned_ahead() const { return first_; }
    /// Plans that are kept now, of the network itself.
    std::size_t plans() const {
        const std::lock_guard lock(context_.planning);
        return is_fixed_ ? 1 : stages_.size();
    }

    /// The first stage for these inputs and variables; `planning_us` grows by the time that a new plan took.
    stage_pointer first(const std::vector<plan::known_input>& inputs,
                        const std::vector<plan::known_variable>& variables, double& planning_us) {
        return stage_for(model_, 0, inputs, variables, planning_us);
    }
    /// The stage behind `before`.
    stage_pointer next(const planned_stage& before, const std::vector<plan::known_input>& inputs,
                       const std::vector<plan::known_variable>& variables, double& planning_us) {
        return stage_for(before.what.rest, before.number, inputs, variables, planning_us);
    }
};

}  // namespace lpt::inline LPT_ABI::runtime
