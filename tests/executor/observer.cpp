// SPDX-License-Identifier: Apache-2.0
#include "tests/executor/observer.hpp"

#include "tests/executor/bounds.hpp"

#include <lpt/graph/print.hpp>
#include <lpt/plan/source.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <variant>

namespace lpt::testing {

namespace {

std::string number(double value) {
    char words[32];
    std::snprintf(words, sizeof words, "%.9g", value);
    return words;
}
std::string words_of(const text& from) { return from.c_str(); }
bool is_float_nan(const tensor& of, std::size_t i) { return is_real(of.type()) && std::isnan(of.real(i)); }

/// A tensor as it lies in memory, its axes in their order.
tensor in_plain_order(const plan::stored_tensor& what, const std::byte* from) {
    tensor_builder result(what.type, what.dimensions);
    const std::size_t size = bit_width(what.type) < 8 ? 0 : static_cast<std::size_t>(bit_width(what.type)) / 8;
    if (what.rows.exist()) {
        plan::stored_tensor dense = what;
        dense.rows = {};
        const std::size_t length = static_cast<std::size_t>(what.rows.length) * size;
        std::vector<std::byte> all(what.bytes());
        for (std::size_t row = 0; row * length < all.size(); ++row) {
            std::memcpy(all.data() + row * length, from + row * static_cast<std::size_t>(what.rows.distance) * size,
                        length);
        }
        return in_plain_order(dense, all.data());
    }
    if (what.order == plan::layout::plain || size == 0 || what.dimensions.rank() < 3) {
        if (what.bytes() != 0) {
            std::memcpy(result.data(), from, what.bytes());
        }
        return result.finish();
    }
    const std::vector<std::int64_t> strides = plan::strides_of(what.dimensions, what.order);
    std::vector<std::int64_t> place(what.dimensions.rank(), 0);
    for (std::size_t i = 0; i < result.elements(); ++i) {
        std::int64_t at = 0;
        for (std::size_t axis = 0; axis < place.size(); ++axis) {
            at += place[axis] * strides[axis];
        }
        std::memcpy(result.data() + i * size, from + static_cast<std::size_t>(at) * size, size);
        for (std::size_t axis = place.size(); axis-- > 0;) {
            if (++place[axis] < what.dimensions[axis]) {
                break;
            }
            place[axis] = 0;
        }
    }
    return result.finish();
}

compile_options options_of(kernel::isa set) {
    compile_options result;
    result.instruction_set = set;
    return result;
}

/// True if one of the nodes reads what another gives, perhaps with a dequantization between.
bool reads_inside(const graph& model, const std::vector<node_id>& nodes, node_id id) {
    bool result = false;
    for (const input_ref user : model.uses(id)) {
        const bool is_inside = user.node != id && std::find(nodes.begin(), nodes.end(), user.node) != nodes.end();
        result =
            result || is_inside || (plan::is_dequantization(model, user.node) && reads_inside(model, nodes, user.node));
    }
    return result;
}

/// True for kernels whose problems say their fields themselves: they read the tensors of the network, dequantized ones, too.
bool is_kernel_step(const plan::step_work& work) {
    return std::visit([]<class Work>(const Work&) { return requires(Work step) { step.problem.name; }; }, work);
}

bool is_on_kernel(const plan::step_work& work) {
    return is_kernel_step(work) || std::holds_alternative<plan::convolution_step>(work) ||
           std::holds_alternative<plan::product_step>(work) || std::holds_alternative<plan::pool_step>(work) ||
           std::holds_alternative<plan::elementwise_step>(work) || std::holds_alternative<plan::lookup_step>(work);
}

/// True for kernels whose every bit is defined, also what they make of NaN.
bool is_exact(const plan::step_work& work) {
    return std::holds_alternative<plan::kernel_step<kernel::cast_problem>>(work) ||
           std::holds_alternative<plan::kernel_step<kernel::pointwise_problem>>(work);
}

}  // namespace

bool same_bits(const tensor& left, const tensor& right) {
    if (left == right) {
        return true;
    }
    if (left.type() != right.type() || !(left.dimensions() == right.dimensions()) || !is_real(left.type())) {
        return false;
    }
    const std::size_t size = byte_size(left.type(), 1);
    for (std::size_t i = 0; i < left.elements(); ++i) {
        const bool same = std::memcmp(left.data() + i * size, right.data() + i * size, size) == 0;
        if (!same && !(is_float_nan(left, i) && is_float_nan(right, i))) {
            return false;
        }
    }
    return true;
}

std::string difference_of_runs(const std::vector<tensor>& expected, const std::vector<tensor>& results) {
    if (expected.size() != results.size()) {
        return "another number of outputs";
    }
    for (std::size_t k = 0; k < results.size(); ++k) {
        if (results[k].type() != expected[k].type() || !(results[k].dimensions() == expected[k].dimensions())) {
            return "output " + std::to_string(k) + " has another type or shape";
        }
        if (same_bits(expected[k], results[k])) {
            continue;
        }
        for (std::size_t i = 0; i < results[k].elements(); ++i) {
            const double wanted = expected[k].real(i);
            const double got = results[k].real(i);
            if ((wanted != got || std::signbit(wanted) != std::signbit(got)) &&
                !(std::isnan(wanted) && std::isnan(got))) {
                return "output " + std::to_string(k) + ", element " + std::to_string(i) + ": " + number(got) +
                       ", not " + number(wanted);
            }
        }
    }
    return {};
}

observer::observer(const graph& model, kernel::isa set, run_counts& counts)
    : model_(model), net_(compile(model, options_of(set))), kernels_(kernel::table_for(set)), counts_(counts) {}

void observer::reset() {
    is_lost_ = false;
    net_.reset();
    states_.reset();
    variables_.clear();
    for (const auto& [place, body] : bodies_) {
        body->reset();
    }
}

void observer::fail_at(const plan::step& each, const std::string& how) {
    if (!failure_.empty()) {
        return;
    }
    failure_ = "step " + std::to_string(&each - stage_->steps.data()) + ", " + each.kernel + ", of";
    for (const node_id id : each.nodes) {
        const graph& model = stage_->model.contains(id) ? stage_->model : *whole_;
        failure_ += " " + words_of(join({model[id].operation(), " ", model[id].shape()})) + " of";
        for (std::size_t port = 0; port < model[id].inputs(); ++port) {
            const output_ref input = model[id].input(port);
            failure_ += " " + words_of(join({name(model.type(input)), model.shape(input)}));
            if (const tensor* value = model.constant_value(input); value != nullptr && value->elements() == 1) {
                failure_ += " = " + number(value->real(0));
            }
        }
        failure_ += ";";
    }
    failure_ += " " + how;
}

// ---- values

tensor observer::state_value_of(node_id id) {
    const node& each = stage_->model[id];
    const auto& self = each.as<op::read_value>();
    if (const auto known = variables_.find(words_of(self.variable_id)); known != variables_.end()) {
        return known->second;
    }
    return each.inputs() != 0 ? value_of(each.input(0)) : tensor_builder(each.type(), each.shape()).finish();
}

/// What the executor holds for an output: what a step wrote, or the same under another shape or order of axes.
const tensor& observer::value_of(output_ref output) {
    const auto key = std::pair(index_of(output.node), output.port);
    if (const auto found = values_.find(key); found != values_.end()) {
        return found->second;
    }
    const graph& model = stage_->model;
    const node& each = model[output.node];
    if (const tensor* constant = model.constant_value(output)) {
        return values_.emplace(key, *constant).first->second;
    }
    if (each.is<op::read_value>()) {
        return values_.emplace(key, state_value_of(output.node)).first->second;
    }
    if (op::has(op::row_of(each.attributes()).traits,
                op::trait::movement)) {  // the same bytes in another layout, or a part of them
        seq<tensor> inputs;
        for (std::size_t port = 0; port < each.inputs(); ++port) {
            inputs.push_back(value_of(each.input(port)));
        }
        const seq<tensor> all = reference::evaluate_node<float>(model, output.node, inputs);
        return values_.emplace(key, all[static_cast<std::size_t>(output.port)]).first->second;
    }
    if (!each.is<op::convert>()) {
        fail({each.operation(), " '", each.name(), "' has no value"});
    }
    return values_.emplace(key, tensor(value_of(each.input(0)), each.shape())).first->second;
}

// ---- one step

/// True for steps that round nothing, or only as the network itself does.
bool observer::has_bits_of_reference(const plan::step& each) const {
    const graph& model = stage_->model;
    if (is_exact(each.work)) {
        return true;
    }
    if (each.nodes.size() != 1 || computes_in_f16(model, each.nodes[0])) {
        return false;
    }
    const node& only = model[each.nodes[0]];
    bool all_integers = is_integral(only.type());
    for (std::size_t port = 0; port < only.inputs(); ++port) {
        const output_ref input = only.input(port);
        const bool is_constant = model.constant_value(input) != nullptr;
        if (is_real(model.type(input)) && model.type(input) != f32) {
            return false;
        }
        all_integers = all_integers && (is_integral(model.type(input)) || (port != 0 && is_constant));
        if (!is_constant && plan::is_dequantization(model, input)) {
            return false;
        }
    }
    switch (only.kind()) {
        case op::kind::add:
        case op::kind::subtract:
        case op::kind::multiply:
        case op::kind::floor:
        case op::kind::ceiling:
        case op::kind::abs:
        case op::kind::negative:
        case op::kind::sqrt:
        case op::kind::max_pool: return true;
        case op::kind::relu:
        case op::kind::clamp:  // of floats they may change the sign of a zero
        case op::kind::avg_pool: return all_integers;
        default: return false;
    }
}

/// Holds what a kernel gave against the bounds.
void observer::check(const plan::step& each, output_ref output, const tensor& got) {
    counts_.elements += got.elements();
    if (has_bits_of_reference(each)) {
        seq<tensor> inputs;
        const node& only = stage_->model[output.node];
        bool has_nan = false;
        for (std::size_t port = 0; port < only.inputs(); ++port) {
            inputs.push_back(value_of(only.input(port)));
            for (std::size_t i = 0; i < inputs[port].elements(); ++i) {
                has_nan = has_nan || is_float_nan(inputs[port], i);
            }
        }
        const tensor wanted =
            reference::evaluate_node<float>(stage_->model, output.node, inputs)[static_cast<std::size_t>(output.port)];
        if (!has_nan || is_exact(each.work)) {  // what comparisons make of NaN is not defined
            counts_.same_bits += got.elements();
            if (const std::string how = difference_of_runs({wanted}, {got}); !how.empty()) {
                fail_at(each, "not the bits of the reference: " + how);
            }
            return;
        }
    }
    step_bounds all(stage_->model, each, [&](output_ref of) -> const tensor* {
        const bool own = std::find(each.nodes.begin(), each.nodes.end(), of.node) != each.nodes.end();
        const bool is_made = values_.count(std::pair(index_of(of.node), of.port)) != 0;
        const bool is_read = (is_kernel_step(each.work) && is_made) || !plan::is_dequantization(stage_->model, of);
        return own || !is_read ? nullptr : &value_of(of);
    });
    const bounds allowed = all.of(output);
    for (std::size_t i = 0; i < got.elements(); ++i) {
        const double low = allowed.low.real(i);
        const double high = allowed.high.real(i);
        const double value = got.real(i);
        counts_.without_bound += allowed.is_open(i) ? 1 : 0;
        if (!allowed.allow(i, value)) {
            fail_at(each, "element " + std::to_string(i) + " is " + number(value) + ", expected " + number(low) +
                              " to " + number(high));
            return;
        }
    }
}

/// Takes and judges what a step wrote.
void observer::take(const plan::step& each, const runtime::step_runner& runner) {
    const auto written = [&](plan::tensor_id id) { return in_plain_order((*stage_)[id], runner.read(id)); };
    const auto define = [&](output_ref output, const tensor& value) {
        values_[std::pair(index_of(output.node), output.port)] = value;
    };
    ++counts_.kernels[each.kernel.substr(0, each.kernel.find('_'))];
    if (each.nodes.empty()) {
        return;  // a change of layout
    }
    if (is_on_kernel(each.work)) {
        output_ref tail;
        for (const node_id id : each.nodes) {  // the node that no other of them reads
            tail = reads_inside(stage_->model, each.nodes, id) ? tail : output_ref(id);
        }
        ++counts_.on_kernels;
        counts_.integer_steps += is_integral(each.precision) ? 1 : 0;
        const std::size_t ports = is_kernel_step(each.work) ? stage_->model[tail.node].outputs() : 1;
        for (std::size_t port = 0; port < ports; ++port) {
            const tensor value = written(each.writes[port]);
            check(each, {tail.node, static_cast<std::int32_t>(port)}, value);
            define({tail.node, static_cast<std::int32_t>(port)}, value);
        }
    } else if (std::holds_alternative<plan::copy_step>(each.work)) {
        const node& node = stage_->model[each.nodes[0]];
        if (node.is<op::assign>()) {
            written_[words_of(node.as<op::assign>().variable_id)] = value_of(node.input(0));
            define(each.nodes[0], value_of(node.input(0)));
        }
    } else if (std::holds_alternative<plan::deferred_step>(each.work)) {
        ++counts_.on_reference;
    } else if (std::holds_alternative<plan::control_flow_step>(each.work)) {
        for (std::size_t port = 0; port < each.writes.size(); ++port) {
            define({each.nodes[0], static_cast<std::int32_t>(port)}, written(each.writes[port]));
        }
    } else {  // movement and the reference: the bits that the operation gives
        const node_id id = each.nodes[0];
        const node& node = stage_->model[id];
        seq<tensor> inputs;
        for (std::size_t port = 0; port < node.inputs(); ++port) {
            inputs.push_back(value_of(node.input(port)));
        }
        const seq<tensor> wanted = reference::evaluate_node<float>(stage_->model, id, inputs);
        const bool is_reference = std::holds_alternative<plan::reference_step>(each.work);
        counts_.on_reference += is_reference ? 1 : 0;
        for (const plan::tensor_id made : each.writes) {
            const std::int32_t port = gathered_[id]++;
            const tensor value = written(made);
            if (!same_bits(value, wanted[static_cast<std::size_t>(port)])) {
                fail_at(each, difference_of_runs({wanted[static_cast<std::size_t>(port)]}, {value}));
            }
            define({id, port}, value);
        }
    }
}

// ---- a run

seq<tensor> observer::evaluate_inside(void* given, node_id id, view<tensor> inputs) {
    observer& self = *static_cast<observer*>(given);
    const graph& model = self.stage_->model.contains(id) ? self.stage_->model : *self.whole_;
    const node& each = model[id];
    if (!reference::runs_bodies(each.kind())) {
        return reference::evaluate_node<float>(model, id, inputs);
    }
    return reference::evaluate_control_flow(
        each, inputs, [&](std::size_t which, const std::vector<tensor>& parameters) {
            std::unique_ptr<observer>& body = self.bodies_[std::pair(id, which)];
            if (!body) {
                body = std::make_unique<observer>(each.bodies()[which], self.kernels_.instruction_set, self.counts_);
            }
            std::vector<tensor> results = body->run(parameters);
            if (self.failure_.empty() && !body->failure().empty()) {
                self.failure_ = "in a body: " + body->failure();
            }
            return results;
        });
}

std::vector<std::pair<const plan::network*, const graph*>> observer::stages_of_last_run() const {
    std::vector<std::pair<const plan::network*, const graph*>> result;
    for (const run_step_record& each : net_.records()) {
        if (!each.bodies.empty()) {
            continue;
        }
        if (result.empty() || result.back().first != each.net) {
            result.emplace_back(each.net, each.model);
        }
        result.back().second = each.model != &each.net->model ? each.model : result.back().second;
    }
    if (result.empty()) {
        result.emplace_back(&net_.plan(), &net_.plan().model);
    }
    return result;
}

std::vector<tensor> observer::run_stage(const plan::network& stage, const graph& whole,
                                        const std::vector<tensor>& inputs, std::vector<tensor>& deferred) {
    stage_ = &stage;
    whole_ = &whole;
    values_.clear();
    gathered_.clear();
    std::vector<const void*> from;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        from.push_back(inputs[i].data());
        values_[std::pair(index_of(stage.model.parameters()[i]), 0)] = inputs[i];
    }
    std::vector<runtime::state_value*> states;
    for (const plan::state& each : stage.states) {
        states.push_back(&states_.named(each.name, each.type));
        if (!states.back()->is_set) {
            states.back()->bytes.grow(each.bytes);
            std::memset(states.back()->bytes.data(), 0, each.bytes);
        }
    }
    const runtime::memory_block arena(stage.arena_bytes);
    std::memset(arena.data(), 0xA5, stage.arena_bytes);  // nobody may count on zeros
    std::vector<kernel::post_operation> posts;
    std::vector<std::vector<std::byte>> results;
    std::vector<void*> to;
    for (const plan::port& each : stage.outputs) {
        results.emplace_back(stage[each.tensor].bytes());
        to.push_back(results.back().data());
    }
    const runtime::memory where{arena.data(), from.data(), to.data(), states.data(), {this, &evaluate_inside},
                                &deferred,    &posts};
    const kernel::parallel_for serial;
    runtime::step_runner runner(stage, kernels_, serial, where);
    for (const plan::step& each : stage.steps) {
        if (const auto* copy = std::get_if<plan::copy_step>(&each.work)) {
            if (!each.nodes.empty() && stage.model[each.nodes[0]].is<op::read_value>() && copy->first_time) {
                value_of(each.nodes[0]);
            }
        }
        runner.run(each);
        stage_ = &stage;  // bodies are observers of their own
        take(each, runner);
    }
    std::vector<tensor> outputs;
    for (const plan::port& each : stage.outputs) {
        const plan::stored_tensor& stored = stage[each.tensor];
        const output_ref source = stage.model[stage.model.results()[outputs.size()]].input(0);
        outputs.push_back(in_plain_order(stored, runner.read(each.tensor)));
        if (failure_.empty() && !same_bits(outputs.back(), value_of(source))) {
            failure_ = "output " + std::to_string(outputs.size() - 1) + " is not what its step wrote";
        }
    }
    return outputs;
}

std::vector<tensor> observer::run(const std::vector<tensor>& inputs) {
    std::vector<tensor> results = net_.run(inputs);
    std::vector<tensor> values = inputs;
    std::vector<tensor> outputs;
    written_.clear();
    for (const auto& [stage, whole] : stages_of_last_run()) {
        is_lost_ = is_lost_ || stage->inputs.size() != values.size();
        if (is_lost_) {  // a stage without steps leaves no record
            break;
        }
        std::vector<tensor> deferred;
        outputs = run_stage(*stage, *whole, values, deferred);
        values.insert(values.end(), outputs.begin(), outputs.end());
        values.insert(values.end(), deferred.begin(), deferred.end());
    }
    counts_.unseen_runs += is_lost_ ? 1 : 0;
    for (const auto& [variable, value] : written_) {
        variables_[variable] = value;
    }
    if (!is_lost_ && failure_.empty()) {
        if (const std::string how = difference_of_runs(results, outputs); !how.empty()) {
            failure_ = "step by step another result than at once: " + how;
        }
    }
    return results;
}

}  // namespace lpt::testing
