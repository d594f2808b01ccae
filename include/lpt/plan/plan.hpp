// SPDX-License-Identifier: Apache-2.0
// From a graph to the steps that run it.
#pragma once

#include <lpt/base/compiled.hpp>
#include <lpt/plan/computed_convolution.hpp>
#include <lpt/plan/effort.hpp>
#include <lpt/plan/elementwise.hpp>
#include <lpt/plan/folding.hpp>
#include <lpt/plan/kernels.hpp>
#include <lpt/plan/memory.hpp>
#include <lpt/plan/movement.hpp>
#include <lpt/plan/product.hpp>

#include <utility>

namespace lpt::inline LPT_ABI::plan {

namespace detail {

/// Raises an error where an operation without a kernel is not to be left to the scalar reference.
inline void require_kernel(const plan_options& options, const node& each) {
    if (options.needs_kernels) {
        fail({each.operation(), " '", each.name(),
              "' has no kernel, and the scalar reference is refused (on_reference)"});
    }
}

}  // namespace detail

inline void planner::make_parameter(node_id id, std::size_t position) {
    const node& each = model()[id];
    if (!each.shape().is_static() || each.type() == dynamic) {
        fail({"input ", position, " '", each.name(), "' has the type ", name(each.type()), " and the shape ",
              each.shape(), "; a network is planned for known types and sizes"});
    }
    const tensor_id tensor = add_tensor(each.type(), each.shape(), layout::plain, area::input);
    net_.storage_of(tensor).offset = position;
    net_.inputs.push_back({each.name(), each.tensor_names(), each.type(), each.shape(), tensor});
    define(id, tensor);
}

inline state_id planner::state_of(const text& variable, element type) {
    const auto [known, is_new] = states_.emplace(variable.c_str(), id_at<state_id>(net_.states.size()));
    if (is_new) {
        const storage_id made = add_storage(area::state, 0);
        net_[made].offset = net_.states.size();
        net_.states.push_back({variable, type, made});
    }
    const state& each = net_[known->second];
    if (each.type != type) {
        fail({"variable '", variable, "' has the type ", name(each.type), ", and elsewhere ", name(type)});
    }
    return known->second;
}

/// The state of a ReadValue or Assign. No type but the variable's comes to it or from it; type-relaxed ones could have others.
inline state_id planner::state_of(const node& each, const text& variable) {
    const state_id result = state_of(variable, each.type());
    if (each.inputs() != 0) {
        state_of(variable, model().type(each.input(0)));
    }
    return result;
}

/// A state seen with a shape.
inline tensor_id planner::state_view(state_id number, const shape& dimensions) {
    const state& each = net_[number];
    if (!dimensions.is_static() || each.type == dynamic) {
        fail({"variable '", each.name, "' has the type ", name(each.type), " and the shape ", dimensions,
              "; a network is planned for known types and sizes"});
    }
    return add_view(each.type, dimensions, layout::plain, each.storage);
}

/// A tensor that stays what it is when states are written: a copy of one that is a state.
inline tensor_id planner::away_from_states(tensor_id tensor) {
    const stored_tensor value = at(tensor);
    if (net_.storage_of(tensor).where != area::state) {
        return tensor;
    }
    copy_step work;
    work.input = tensor;
    work.output = add_tensor(value.type, value.dimensions, value.order);
    step made;
    made.kernel = "copy";
    made.precision = value.type;
    made.reads = {tensor};
    made.writes = {work.output};
    made.work = work;
    add_step(std::move(made));
    return work.output;
}

/// States are written when all steps that read the old values are over.
inline void planner::make_assign(node_id id) {
    const node& each = model()[id];
    const output_ref input = each.input(0);
    copy_step work;
    work.state = state_of(each, each.as<op::assign>().variable_id);
    work.input = away_from_states(tensor_of(input, layout::plain));
    work.output = state_view(work.state, model().shape(input));
    define(id, work.input);
    step made;
    made.nodes = {id};
    made.kernel = "copy";
    made.precision = each.type();
    made.reads = {work.input};
    made.writes = {work.output};
    made.work = work;
    last_steps_.push_back(std::move(made));
}

/// Tensors for all outputs of a node.
inline void planner::add_outputs(node_id id, std::vector<tensor_id>& outputs) {
    const node& each = model()[id];
    for (std::size_t port = 0; port < each.outputs(); ++port) {
        if (!each.shape(port).is_static() || each.type(port) == dynamic) {
            fail({each.operation(), " '", each.name(), "' gives a tensor of type ", name(each.type(port)),
                  " and shape ", each.shape(port), "; a network is planned for known types and sizes"});
        }
        outputs.push_back(add_tensor(each.type(port), each.shape(port), layout::plain));
        define(output_ref(id, static_cast<std::int32_t>(port)), outputs.back());
    }
}

inline void planner::make_reference(node_id id) {
    const node& each = model()[id];
    reference_step work;
    work.node = id;
    step made;
    if (!reference::can_evaluate(each.attributes())) {
        fail({each.operation(), " '", each.name(), "' cannot be run: its type has no function that evaluates it"});
    }
    detail::require_kernel(options_, each);
    for (std::size_t port = 0; port < each.inputs(); ++port) {
        work.inputs.push_back(tensor_of(each.input(port), layout::plain));
    }
    add_outputs(id, work.outputs);
    made.nodes = {id};
    made.precision = reference_type(model(), each);
    made.kernel = std::string("reference") + suffix_of(is_byte(made.precision) ? made.precision : f32);
    made.reads = work.inputs;
    made.writes = work.outputs;
    made.work = std::move(work);
    add_step(std::move(made));
}

/// A node with bodies: they are planned for themselves, when it is known what comes to them.
inline void planner::make_control_flow(node_id id) {
    const node& each = model()[id];
    reference::check_bodies(each);
    control_flow_step work;
    work.node = id;
    for (std::size_t port = 0; port < each.inputs(); ++port) {
        work.inputs.push_back(tensor_of(each.input(port), layout::plain));
    }
    add_outputs(id, work.outputs);
    step made;
    made.nodes = {id};
    made.precision = each.outputs() != 0 ? each.type() : f32;
    made.kernel = "bodies";
    made.reads = work.inputs;
    made.writes = work.outputs;
    made.work = std::move(work);
    add_step(std::move(made));
}

inline void planner::make_group(const group& made) {
    switch (made.form) {
        case group_form::convolution: return make_convolution(made);
        case group_form::product: return make_product(made);
        case group_form::pool: return make_pool(made);
        case group_form::one_operand:
        case group_form::two_operands: return make_elementwise(made);
    }
}

inline void planner::make_node(node_id id) {
    const node& each = model()[id];
    if (each.is<op::constant>() || each.is<op::result>() || each.is<op::parameter>() || is_joined_[index_of(id)]) {
        return;
    }
    if (each.is<op::read_value>()) {
        const state_id number = state_of(each, each.as<op::read_value>().variable_id);
        const tensor_id tensor = state_view(number, each.shape());
        std::size_t& bytes = net_[number].bytes;
        bytes = std::max(bytes, at(tensor).bytes());
        if (each.inputs() != 0) {
            copy_step work{tensor_of(each.input(0), layout::plain), tensor, true, number};
            step made;
            made.nodes = {id};
            made.kernel = "copy";
            made.precision = each.type();
            made.reads = {work.input};
            made.writes = {tensor};
            made.work = work;
            add_step(std::move(made));
        }
        define(id, tensor);
        return;
    }
    if (each.is<op::assign>()) {
        return make_assign(id);
    }
    const int number = grouping_.of_node[index_of(id)];
    if (number >= 0) {
        const group& mine = grouping_.groups[static_cast<std::size_t>(number)];
        if (mine.functions.nodes.back() == id) {
            make_group(mine);
        }
        return;
    }
    if (each.outputs() == 1 && sources_.is_dequantization(id)) {
        return;
    }
    if (reference::runs_bodies(each.kind())) {
        return make_control_flow(id);
    }
    if (!make_movement(id) && !make_kernel(id)) {
        make_reference(id);
    }
}

inline void planner::make_results() {
    for (const node_id id : model().results()) {
        const node& each = model()[id];
        const output_ref source = each.input(0);
        const tensor_id tensor = away_from_states(tensor_of(source, layout::plain));
        net_.outputs.push_back({each.name().empty() ? model()[source.node].name() : each.name(),
                                model()[source.node].tensor_names(static_cast<std::size_t>(source.port)),
                                at(tensor).type, at(tensor).dimensions, tensor});
    }
}

inline network planner::plan(kept_order known_order) {
    const seq<node_id>& order = known_order.of(model());
    grouping_ = find_groups(sources_, order);
    join_to_attentions(order);
    for (std::size_t i = 0; i < model().parameters().size(); ++i) {
        make_parameter(model().parameters()[i], i);
    }
    layouts_ = chosen_layouts(sources_, grouping_, order).by_node();
    for (const node_id id : order) {
        lpt::detail::naming_errors_of(model()[id], [&] { make_node(id); });
    }
    make_results();
    for (step& each : last_steps_) {
        add_step(std::move(each));
    }
    drop_unread_lookups();
    for (step& each : net_.steps) {
        each.is_short = options_.short_steps_alone && is_short(net_, each);
    }
    const std::size_t packed = packed_weights().bytes();
    if (options_.writes_outputs) {
        place_outputs(net_);
    }
    plan_memory(net_, options_.memory_limit - std::min(packed, options_.memory_limit));
    return std::move(net_);
}

/// Plans a network for one table of kernels.
///
/// Types and sizes of all inputs, and of what all operations give, must be known. Raises an error that names the input or operation
/// where they are not, and one that names the operation where intermediate tensors and packed weights need more memory than the
/// limit, or than there is. The plan belongs to the table that packed its weights.
template <compiled = once>
[[gnu::noinline]] network make_plan(graph model, const plan_options& options) {
    fold_known(model);
    return planner(std::move(model), options).plan();
}

#ifdef LPT_COMPILED_RUNTIME
LPT_COMPILED_RUNTIME template network make_plan<>(graph, const plan_options&);
#endif

}  // namespace lpt::inline LPT_ABI::plan
