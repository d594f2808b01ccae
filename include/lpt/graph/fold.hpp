// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/compiled.hpp>
#include <lpt/base/memory_errors.hpp>
#include <lpt/base/traits.hpp>
#include <lpt/graph/body_budget.hpp>
#include <lpt/graph/evaluate.hpp>
#include <lpt/graph/fold/budget.hpp>
#include <lpt/graph/traverse.hpp>

namespace lpt::inline LPT_ABI {

namespace detail {

/// The values that arrive at a node, in the types in which it computes; false unless all are constant.
constexpr bool constant_inputs(const graph& model, const node& each, seq<tensor>& inputs) {
    const relaxation* own = each.own_types();
    for (std::size_t port = 0; port < each.inputs(); ++port) {
        const tensor* value = model.constant_value(each.input(port));
        if (value == nullptr || !*value) {
            return false;
        }
        const bool converts = own != nullptr && port < own->input_types.size() && own->input_types[port] != dynamic;
        if (converts) {
            inputs.push_back(evaluation::convert_late(*value, own->input_types[port]));
        } else {
            inputs.push_back(*value);
        }
    }
    return !inputs.empty();
}

/// True for arithmetic on so many real numbers, and conversions to them, that it should wait until somebody reads its result; it
/// always has one.
constexpr bool can_fold_late(const node& each, view<tensor> inputs) {
    if (!is_real(each.type()) || each.shape().is_dynamic() || each.shape().elements() < evaluation::late_from) {
        return false;
    }
    for (const tensor& input : inputs) {
        if (!is_real(input.type()) && !each.is<op::convert>()) {
            return false;
        }
    }
    switch (each.kind()) {
        case op::kind::convert:
        case op::kind::add:
        case op::kind::subtract:
        case op::kind::multiply:
        case op::kind::divide: return true;
        default: return false;
    }
}

constexpr bool fold_values(graph& model, const node& each, seq<tensor>& values) {
    if (!can_evaluate(each.attributes()) || each.has(mark::disabled_constant_folding)) {
        return false;
    }
    if (each.is<op::shape_of>()) {
        const shape& dimensions = model.shape(each.input(0));
        if (dimensions.is_static()) {
            values.push_back(evaluation::shape_values(dimensions, each.type()));
        }
        return dimensions.is_static();
    }
    seq<tensor> inputs;
    if (!constant_inputs(model, each, inputs)) {
        return false;
    }
    seq<element, 2> types;
    for (std::size_t port = 0; port < each.outputs(); ++port) {
        types.push_back(each.type(port));
    }
    if (!lpt::is_constant_evaluated() && can_fold_late(each, inputs)) {
        values.push_back(evaluation::late_tensor(each.type(), each.shape(), inputs,
                                                 [what = each.attributes(), version = each.version(), inputs, types] {
                                                     seq<tensor> results;
                                                     evaluate(what, version, inputs, types, results);
                                                     return results[0];
                                                 }));
        return true;
    }
    return can_afford(model, each, inputs) && evaluate(each.attributes(), each.version(), inputs, types, values);
}

}  // namespace detail

/// Adds Constants with the values of a node's outputs, without names; the node stays as it is.
///
/// All inputs must be Constants (for ShapeOf: the input's shape must be static), the network's folding budget must allow it, and the
/// node must not be marked `disabled_constant_folding`; else false. A type-relaxed node computes in its input types and converts to its output types.
/// Raises what `evaluate` raises, and an error that names the node where memory cannot be had.
template <compiled = once>
[[gnu::noinline, gnu::cold]] constexpr bool fold(graph& model, node_id id, seq<output_ref>& outputs) {
    seq<tensor> values;
    const node& each = model[id];
    if (!detail::naming_memory([&] { return detail::fold_values(model, each, values); },
                               [&] { return join({each.operation(), " '", each.name(), "'"}); })) {
        return false;
    }
    for (tensor& value : values) {
        outputs.push_back(model.constant(lpt::move(value)));
    }
    return true;
}

namespace detail {

/// True for arithmetic that always has a result, on real numbers of which some have yet to be computed: then it waits for them.
constexpr bool should_wait(op::kind kind, view<tensor> inputs) {
    if (kind != op::kind::add && kind != op::kind::subtract && kind != op::kind::multiply && kind != op::kind::divide &&
        kind != op::kind::negative) {
        return false;
    }
    bool any_waits = false;
    for (const tensor& input : inputs) {
        if (!is_real(input.type())) {
            return false;
        }
        any_waits = any_waits || input.waits();
    }
    return any_waits;
}

/// What is known of an operand of floats, for the first two elements of a result of `elements` elements.
inline late_facts facts_of_operand(const tensor& value, std::size_t elements) {
    late_facts result;
    const bool spreads = value.elements() == 1;
    if (value.waits()) {
        result = value.facts_while_waiting();
    } else if (value.elements() != 0 && value.elements() < evaluation::late_from) {
        const evaluation::operand<float> floats(value);
        std::int32_t greatest = 0;  // magnitudes are in the order of their bits, and NaN is greater than all numbers
        for (std::size_t i = 0; i < value.elements(); ++i) {
            const std::int32_t size = __builtin_bit_cast(std::int32_t, floats[i]) & 0x7FFFFFFF;
            greatest = size > greatest ? size : greatest;
        }
        const float bound = __builtin_bit_cast(float, greatest);
        result = {bound != bound ? math::infinity : static_cast<double>(bound), static_cast<double>(floats[0]),
                  static_cast<double>(floats[spreads ? 0 : 1])};
    }
    if (!spreads && value.elements() != elements) {  // then its elements are not those of the result, one by one
        result.first = result.second = math::not_a_number;
    }
    return result;
}

/// What is known of the sum, difference or product of two tensors of floats; nothing of other operations.
inline late_facts facts_of_arithmetic(op::kind kind, view<tensor> inputs, std::size_t elements) {
    const bool multiplies = kind == op::kind::multiply;
    if (inputs.size() != 2 || inputs[0].type() != f32 || inputs[1].type() != f32 ||
        (!multiplies && kind != op::kind::add && kind != op::kind::subtract)) {
        return {};
    }
    const late_facts a = facts_of_operand(inputs[0], elements);
    const late_facts b = facts_of_operand(inputs[1], elements);
    const auto value_of = [&](double left, double right) {
        return static_cast<double>(
            evaluation::detail::value_of(kind, static_cast<float>(left), static_cast<float>(right)));
    };
    const bool bounded = a.bound < math::infinity && b.bound < math::infinity;
    return {!bounded     ? math::infinity
            : multiplies ? a.bound * b.bound
                         : a.bound + b.bound,
            value_of(a.first, b.first), value_of(a.second, b.second)};
}

}  // namespace detail

/// The value that an operation of one output gives for known values; no tensor where `evaluate` has no result. Sums, differences, products
/// and quotients of real numbers that have yet to be computed wait for them. `version` -1: the newest. Raises what `evaluate` raises.
template <compiled = once>
[[gnu::noinline]] constexpr tensor evaluate_values(const op::attributes& what, view<tensor> values, int version = -1) {
    const int chosen = version < 0 ? op::row_of(what.number()).opsets.newest() : version;
    if (!lpt::is_constant_evaluated() && detail::should_wait(what.number(), values)) {
        seq<op::output_facts, 2> outputs;
        if (!evaluation::infer_outputs(what, chosen, values, outputs)) {
            return {};
        }
        const auto compute = [what, chosen, values = seq<tensor>(values)] {
            seq<tensor> results;
            evaluate(what, chosen, values, {}, results);
            return results[0];
        };
        return evaluation::late_tensor(
            outputs[0].type, outputs[0].dimensions, values, compute,
            detail::facts_of_arithmetic(what.number(), values, outputs[0].dimensions.elements()));
    }
    seq<tensor> results;
    if (!evaluate(what, chosen, values, {}, results) || results.size() != 1) {
        return {};
    }
    return results[0];
}

/// `evaluate_values` of Constants; no tensor where an input is none, and where the folding budget does not allow it.
template <compiled = once>
[[gnu::noinline]] constexpr tensor evaluate_constants(const graph& model, const op::attributes& what,
                                                      view<output_ref> inputs, int version = -1) {
    const op::row& facts = op::row_of(what.number());
    const auto count = static_cast<int>(inputs.size());
    // What a FakeQuantize of integers gives depends on whether the node has a type of its own.
    if (count == 0 || count < facts.inputs.least || count > facts.inputs.most || what.is<op::fake_quantize>()) {
        return {};
    }
    const tensor* known[2] = {};
    for (std::size_t port = 0; port < inputs.size(); ++port) {
        const tensor* value = model.constant_value(inputs[port]);
        if (value == nullptr || !*value) {
            return {};
        }
        if (port < 2) {
            known[port] = value;
        }
    }
    if (count == 2 && !known[0]->waits() && !known[1]->waits()) {
        if (tensor number = evaluation::evaluate_few_floats(what, *known[0], *known[1])) {
            return number;
        }
    }
    seq<tensor> values;
    values.reserve(inputs.size());
    double most = 1;  // elements of a result
    for (const output_ref input : inputs) {
        values.push_back(*model.constant_value(input));
        most *= static_cast<double>(values.back().elements());
    }
    if (most > static_cast<double>(model.folding().bytes / 8) &&
        (lpt::is_constant_evaluated() || !detail::should_wait(what.number(), values))) {
        seq<op::output_facts, 2> outputs;
        const int chosen = version < 0 ? facts.opsets.newest() : version;
        if (!evaluation::infer_outputs(what, chosen, values, outputs) ||
            detail::is_beyond_budget(model, values, outputs)) {
            return {};
        }
    }
    return evaluate_values(what, values, version);
}

/// The Constant that a node of one output folds to, or the node's own output where it does not fold.
constexpr output_ref try_fold(graph& model, node_id id) {
    seq<output_ref> outputs;
    return model[id].outputs() == 1 && fold(model, id, outputs) ? outputs[0] : output_ref(id);
}

namespace detail {

/// Nodes that read what is known better now: with the values of a Constant an operation may give another shape, or refuse them.
class readers_to_infer {
    seq<bool, 8> waits_;  // by node

public:
    constexpr void add_readers(const graph& model, output_ref output) {
        if (lpt::is_constant_evaluated()) {
            return;  // a network of the compiler was built of constants that were known
        }
        waits_.resize(math::maximum(waits_.size(), model.id_bound()), false);
        for (const input_ref user : model.uses(output)) {
            waits_[index_of(user.node)] = true;
        }
    }
    /// Infers a node that waits for it; those that read what changed wait then.
    constexpr void infer(graph& model, node_id id) {
        if (index_of(id) >= waits_.size() || !waits_[index_of(id)]) {
            return;
        }
        seq<op::output_facts, 2> before;
        for (std::size_t port = 0; port < model[id].outputs(); ++port) {
            before.push_back({model[id].type(port), model[id].shape(port)});
        }
        model.infer(id);
        for (std::size_t port = 0; port < model[id].outputs(); ++port) {
            if (port >= before.size() || before[port].type != model[id].type(port) ||
                !(before[port].dimensions == model[id].shape(port))) {
                add_readers(model, {id, static_cast<std::int32_t>(port)});
            }
        }
    }
};

}  // namespace detail

template <compiled = once>
constexpr void constant_folding(graph& model);

/// `constant_folding` of a graph with these nodes, in topological order; Constants may be left out.
template <compiled = once>
[[gnu::noinline, gnu::cold]] constexpr void constant_folding(graph& model, view<node_id> nodes) {
    detail::readers_to_infer better_known;
    for (const node_id id : nodes) {
        better_known.infer(model, id);
        for (std::size_t body = 0; !model.is_plain() && body < model[id].bodies().size(); ++body) {
            detail::with_budget_of_network(model, id, body, [](graph& inside) { constant_folding(inside); });
        }
        seq<output_ref> outputs;
        if (model[id].is<op::fake_quantize>() || !fold(model, id, outputs)) {
            continue;
        }
        for (std::size_t port = 0; port < outputs.size(); ++port) {
            const output_ref from(id, static_cast<std::int32_t>(port));
            const node& old = model[id];
            text name = old.name();
            if (outputs.size() > 1) {
                name.append('.').append(port);
            }
            model.rename(outputs[port].node, lpt::move(name));
            model.set_tensor_names(outputs[port], old.tensor_names(port));
            for (const annotation& each : old.annotations()) {
                model.annotate(outputs[port].node, each.key, each.value);
            }
            model.replace_uses(from, outputs[port]);
            better_known.add_readers(model, outputs[port]);
        }
    }
    model.collect();
}

/// Replaces everything that can be folded by Constants, in topological order, in the bodies of nodes too.
///
/// The Constant of a node with one output takes its name, of a node with several outputs the name with `.` and the port.
/// FakeQuantize stays: on constants it says how weights are quantized, which its folded values would not. So does what the network's
/// folding budget, which its bodies share, does not allow. Raises what inference raises for the values. Linear time.
template <compiled>
constexpr void constant_folding(graph& model) {
    constant_folding(model, topological_order(model));
}

#ifdef LPT_COMPILED
LPT_COMPILED template bool evaluate<>(const op::attributes&, int, view<tensor>, view<element>, seq<tensor>&);
LPT_COMPILED template bool fold<>(graph&, node_id, seq<output_ref>&);
LPT_COMPILED template tensor evaluate_values<>(const op::attributes&, view<tensor>, int);
LPT_COMPILED template tensor evaluate_constants<>(const graph&, const op::attributes&, view<output_ref>, int);
LPT_COMPILED template void constant_folding<>(graph&, view<node_id>);
#endif

}  // namespace lpt::inline LPT_ABI
