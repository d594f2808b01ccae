// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/null.hpp>
#include <lpt/base/traits.hpp>
#include <lpt/graph/fold/elementwise.hpp>
#include <lpt/graph/fold/fake_quantize.hpp>
#include <lpt/graph/fold/few_floats.hpp>
#include <lpt/graph/fold/indexing.hpp>
#include <lpt/graph/fold/mat_mul.hpp>
#include <lpt/graph/fold/movement.hpp>
#include <lpt/graph/fold/reduction.hpp>

namespace lpt::inline LPT_ABI {

/// True for the operations that constant folding evaluates.
constexpr bool can_evaluate(op::kind kind) {
    switch (kind) {
        case op::kind::convert:
        case op::kind::convert_like:
        case op::kind::fake_quantize:
        case op::kind::mat_mul:
        case op::kind::shape_of:
        case op::kind::range: return true;
        default:
            return evaluation::is_elementwise(kind) || evaluation::is_movement(kind) || evaluation::is_reduction(kind);
    }
}

/// The same for operation types of users, too: those that have a function for it.
constexpr bool can_evaluate(const op::attributes& what) {
    return op::is_of_user(what.number()) ? !is_null(what.facts_of_user()->evaluate) : can_evaluate(what.number());
}

namespace evaluation {

/// Types and shapes of the outputs for these inputs; false unless all are known. Raises what inference raises.
constexpr bool infer_outputs(const op::attributes& what, int version, view<tensor> inputs,
                             seq<op::output_facts, 2>& outputs, text_view node = {}) {
    const op::row& facts = op::row_of(what);
    seq<op::input_facts, 5> known;
    known.reserve(inputs.size());
    for (const tensor& input : inputs) {
        known.push_back({input.type(), &input.dimensions(), &input, nullptr});
    }
    op::inference inference(facts.name, node, version, known);
    facts.infer(what, inference);
    outputs = inference.take_outputs();
    for (const op::output_facts& output : outputs) {
        if (output.type == dynamic || output.dimensions.is_dynamic()) {
            return false;
        }
    }
    return true;
}

/// True if an element is too large for the signed numbers in which integers are computed.
constexpr bool exceeds_numbers(const tensor& values) {
    if (values.type() != u64) {
        return false;
    }
    for (std::size_t i = 0; i < values.elements(); ++i) {
        if (values.integer(i) < 0) {
            return true;
        }
    }
    return false;
}

/// Evaluates an operation of a user's type; raises an error where it does not give what it inferred.
[[gnu::cold]] constexpr bool evaluate_user(const op::user_row& own, const call& node, seq<tensor>& outputs) {
    if (is_null(own.evaluate)) {
        return false;
    }
    own.evaluate(node.what, node.inputs, node.outputs, outputs);
    bool agrees = outputs.size() == node.outputs.size();
    for (std::size_t port = 0; agrees && port < outputs.size(); ++port) {
        agrees = outputs[port] && outputs[port].type() == node.output(port).type &&
                 outputs[port].dimensions() == node.output(port).dimensions;
    }
    if (!agrees) {
        fail({own.name, " was evaluated to outputs of other types or shapes than it infers"});
    }
    return true;
}

/// Evaluates one operation that `can_evaluate` names; false where its values have no result.
constexpr bool evaluate_known(const call& node, seq<tensor>& outputs) {
    const op::kind kind = node.kind();
    if (op::is_of_user(kind)) {
        return evaluate_user(*node.what.facts_of_user(), node, outputs);
    }
    if (give_empty(node, outputs)) {
        return true;
    }
    switch (kind) {
        case op::kind::convert:
        case op::kind::convert_like: outputs.push_back(convert_tensor(node.input(0), node.output().type)); return true;
        case op::kind::shape_of: outputs.push_back(shape_values(node.dimensions(0), node.output().type)); return true;
        case op::kind::fake_quantize:
            outputs.push_back(evaluate_fake_quantize(node.inputs, node.as<op::fake_quantize>(),
                                                     node.output().dimensions, node.output().type, false));
            return true;
        default: break;
    }
    if (is_movement(kind)) {
        return evaluate_movement(node, outputs);
    }
    for (const tensor& input : node.inputs) {
        if (exceeds_numbers(input)) {
            return false;
        }
    }
    if (kind == op::kind::mat_mul) {
        return evaluate_mat_mul(node, outputs);
    }
    if (kind == op::kind::range) {
        return evaluate_range(node, outputs);
    }
    return is_reduction(kind) ? evaluate_reduction(node, outputs) : evaluate_elementwise(node, outputs);
}

}  // namespace evaluation

/// Evaluates an operation on known values.
///
/// `inputs` as many as the operation takes, none empty; `output_types`: the element types to give, `dynamic` or a missing entry for
/// what the inputs imply (a FakeQuantize with an integral type of its own rounds, halves to even). Results are appended to `outputs`. False for an operation that is not `can_evaluate`, and where there is no
/// result (integer division by zero, unsigned 64-bit numbers from 2^63 on). Raises what inference raises, and an error for an
/// index outside its axis. Arithmetic and rounding: see `lpt::evaluation`.
template <compiled = once>
[[gnu::noinline, gnu::cold]] constexpr bool evaluate(const op::attributes& what, int version, view<tensor> inputs,
                                                     view<element> output_types, seq<tensor>& outputs) {
    if (output_types.empty() || output_types[0] == dynamic || output_types[0] == f32) {
        if (inputs.size() == 2) {
            if (tensor number = evaluation::evaluate_few_floats(what, inputs[0], inputs[1])) {
                outputs.push_back(lpt::move(number));
                return true;
            }
        }
    }
    seq<op::output_facts, 2> facts;
    if (!can_evaluate(what) || !evaluation::infer_outputs(what, version, inputs, facts)) {
        return false;
    }
    seq<tensor> results;
    if (what.is<op::fake_quantize>() && !output_types.empty() && is_integral(output_types[0])) {
        outputs.push_back(evaluation::evaluate_fake_quantize(inputs, what.as<op::fake_quantize>(), facts[0].dimensions,
                                                             output_types[0], true));
        return true;
    }
    if (!evaluation::evaluate_known({what, version, inputs, facts}, results)) {
        return false;
    }
    for (std::size_t port = 0; port < results.size(); ++port) {
        if (port < output_types.size() && output_types[port] != dynamic) {
            outputs.push_back(evaluation::convert_tensor(results[port], output_types[port]));
        } else {
            outputs.push_back(results[port]);
        }
    }
    return true;
}

}  // namespace lpt::inline LPT_ABI
