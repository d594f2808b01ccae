// SPDX-License-Identifier: Apache-2.0
// Networks whose shapes are known piece by piece: a plan for what is known, and the network that is left.
#pragma once

#include <lpt/plan/known_shapes.hpp>
#include <lpt/plan/plan.hpp>

#include <utility>

namespace lpt::inline LPT_ABI::plan {

/// A plan for all operations whose shapes are known, and what is left for when it was run.
struct stage {
    network net;
    bool complete = true;  // then the outputs of `net` are those of the network, and there is nothing else
    /// What is left: its inputs are those of this stage, then the outputs of `net`, then the outputs of the deferred steps, in order.
    graph rest;
    std::vector<bool> needs_value;  // by input of `rest`: shapes depend on its values
    graph whole;  // the network of this stage with all nodes of the deferred steps
};

namespace detail {

inline bool has_known_outputs(const node& each) {
    for (std::size_t port = 0; port < each.outputs(); ++port) {
        if (each.type(port) == dynamic || each.shape(port).is_dynamic()) {
            return false;
        }
    }
    return true;
}

/// True for inputs whose values say what shape an operation gives.
inline bool is_shape_port(const node& each, std::size_t port) {
    switch (each.kind()) {
        case op::kind::range: return true;
        case op::kind::convolution_backprop_data:
        case op::kind::group_convolution_backprop_data:
        case op::kind::gather: return port == 2;
        case op::kind::one_hot: return port == 1;
        case op::kind::pad: return port == 1 || port == 2;
        default: return port != 0 && op::has(op::row_of(each.attributes()).traits, op::trait::reads_values);
    }
}

/// Divides a network into a stage that can be planned and the rest.
class stage_maker {
    graph model_;
    const plan_options& options_;
    kept_order known_order_;
    const seq<node_id>& order_;
    std::vector<node_id> deferred_;  // evaluated at the end of the stage
    std::vector<output_ref> shape_values_;  // what shapes depend on
    std::vector<bool> computed_;  // by node: computed in this stage
    std::vector<output_ref> cuts_;  // what this stage gives to the rest

    /// The first operations with unknown outputs: each waits for the values of its shape ports, or is deferred.
    bool find_unknown() {
        std::vector<bool> known(model_.id_bound(), false);
        bool complete = true;
        for (const node_id id : order_) {
            const node& each = model_[id];
            bool inputs_known = true;
            for (std::size_t port = 0; port < each.inputs(); ++port) {
                inputs_known = inputs_known && known[index_of(model_.producer(id, port))];
            }
            known[index_of(id)] = inputs_known && has_known_outputs(each);
            complete = complete && known[index_of(id)];
            if (!inputs_known || known[index_of(id)]) {
                continue;
            }
            bool waits = false;
            for (std::size_t port = 0; port < each.inputs(); ++port) {
                if (is_shape_port(each, port) && model_.constant_value(each.input(port)) == nullptr) {
                    shape_values_.push_back(each.input(port));
                    waits = true;
                }
            }
            if (!waits) {
                deferred_.push_back(id);
            }
        }
        return complete;
    }
    void compute(output_ref source) {
        seq<node_id> waiting{source.node};
        while (!waiting.empty()) {
            const node_id id = waiting.back();
            waiting.pop_back();
            const node& each = model_[id];
            if (computed_[index_of(id)] || each.is<op::constant>() || each.is<op::parameter>()) {
                continue;
            }
            computed_[index_of(id)] = true;
            for (std::size_t port = 0; port < each.inputs(); ++port) {
                waiting.push_back(model_.producer(id, port));
            }
        }
    }
    void find_cuts() {
        computed_.assign(model_.id_bound(), false);
        for (const output_ref source : shape_values_) {
            compute(source);
        }
        for (const node_id id : deferred_) {
            for (std::size_t port = 0; port < model_[id].inputs(); ++port) {
                compute(model_[id].input(port));
            }
        }
        for (const node_id id : order_) {
            for (std::size_t port = 0; computed_[index_of(id)] && port < model_[id].outputs(); ++port) {
                const output_ref output(id, static_cast<std::int32_t>(port));
                bool read_later = false;
                for (const input_ref user : model_.uses(output)) {
                    read_later = read_later || !computed_[index_of(user.node)];
                }
                if (read_later) {
                    cuts_.push_back(output);
                }
            }
        }
    }

    /// A step for each deferred operation behind the others; `first` is the output of `net` that is the first one's first input.
    void add_deferred_steps(network& net, std::size_t first) const {
        for (const node_id id : deferred_) {
            const node& each = model_[id];
            deferred_step work;
            work.node = id;
            if (!reference::runs_bodies(each.kind())) {
                require_kernel(options_, each);
            }
            for (std::size_t port = 0; port < each.inputs(); ++port) {
                work.inputs.push_back(net.outputs[first++].tensor);
            }
            step made;
            made.nodes = {id};
            made.precision = reference_type(model_, each);
            made.kernel = reference::runs_bodies(each.kind())
                              ? std::string("bodies")
                              : std::string("reference") + suffix_of(is_byte(made.precision) ? made.precision : f32);
            made.reads = work.inputs;
            made.work = std::move(work);
            net.steps.push_back(std::move(made));
        }
        net.outputs.resize(cuts_.size());
    }
    network plan_known() const {
        graph known = model_;
        for (const node_id id : seq<node_id>(known.results())) {
            known.remove(id);
        }
        for (const node_id id : seq<node_id>(known.sinks())) {
            known.replace_uses(id, known[id].input(0));
            known.remove(id);
        }
        for (const output_ref each : cuts_) {
            known.result(each);
        }
        for (const node_id id : deferred_) {
            for (std::size_t port = 0; port < model_[id].inputs(); ++port) {
                known.result(model_[id].input(port));
            }
        }
        known.collect();
        plan_options options = options_;
        options.writes_outputs = false;  // some of its results are inputs of deferred steps, and no caller's
        network net = planner(std::move(known), options).plan();
        add_deferred_steps(net, cuts_.size());
        return net;
    }
    void take_rest(stage& result) const {
        graph& rest = result.rest;
        rest = model_;
        const auto replace = [&](output_ref output) {
            const node& each = model_[output.node];
            rest.replace_uses(output, rest.parameter(model_.type(output), model_.shape(output), each.name()));
        };
        for (const output_ref each : cuts_) {
            replace(each);
        }
        for (const node_id id : deferred_) {
            for (std::size_t port = 0; port < model_[id].outputs(); ++port) {
                replace(output_ref(id, static_cast<std::int32_t>(port)));
            }
        }
        result.needs_value.assign(rest.parameters().size(), false);
        const std::size_t before = model_.parameters().size();
        for (const output_ref value : shape_values_) {
            for (std::size_t i = 0; i < before; ++i) {
                if (model_.parameters()[i] == value.node) {
                    result.needs_value[i] = true;
                }
            }
            for (std::size_t i = 0; i < cuts_.size(); ++i) {
                if (cuts_[i] == value) {
                    result.needs_value[before + i] = true;
                }
            }
        }
        rest.collect();
    }

public:
    stage_maker(graph model, const plan_options& options, kept_order known_order)
        : model_(std::move(model)),
          options_(options),
          known_order_(std::move(known_order)),
          order_(known_order_.of(model_)) {}

    stage make() {
        stage result;
        result.complete = find_unknown();
        if (result.complete) {
            result.net = planner(std::move(model_), options_).plan(std::move(known_order_));
            return result;
        }
        find_cuts();
        result.net = plan_known();
        take_rest(result);
        result.whole = std::move(model_);
        return result;
    }
};

}  // namespace detail

/// Plans what is known of a network for these inputs; the rest is for when the stage was run.
///
/// `inputs`: one a Parameter, of static shapes, with the values of those that `needs_value` of the stage before names; `variables`: those that
/// were written. Operations whose output shapes depend on values (Reshape to a computed shape, Slice with computed bounds, Range …)
/// wait for these values and are then planned like others; operations that say their shapes only when they are evaluated (NonZero, loops
/// whose outputs grow) are the last steps of the stage. Raises an error that names the node for shapes that an operation cannot take.
inline stage make_stage(graph model, const std::vector<known_input>& inputs,
                        const std::vector<known_variable>& variables, const plan_options& options) {
    detail::give_inputs(model, inputs);
    kept_order order;
    detail::settle(model, variables, order);
    return detail::stage_maker(std::move(model), options, std::move(order)).make();
}

}  // namespace lpt::inline LPT_ABI::plan
