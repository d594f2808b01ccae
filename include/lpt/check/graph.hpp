// SPDX-License-Identifier: Apache-2.0
// Holds a graph, of whatever format it came, against the TensorFlow Lite 8-bit quantization specification, as far as its rules apply.
#pragma once

#include <lpt/check/operand.hpp>
#include <lpt/check/operation.hpp>
#include <lpt/graph/traverse.hpp>

namespace lpt::inline LPT_ABI::check {

namespace detail {

/// Reads one operation of a graph as the checker takes it.
class operation_reader {
    const graph& model_;
    node_id id_;
    const spec::row& row_;
    reading how_;
    seq<read_operand, 0> inputs_;
    read_operand output_;

    bool reads_all_inputs() {
        for (const spec::requirement& asks : row_) {
            if (spec::port_of(asks.role) < 0) continue;
            const auto first = static_cast<std::size_t>(spec::port_of(asks.role));
            const std::size_t end = asks.role == spec::operand::every_input ? model_[id_].inputs() : first + 1;
            for (std::size_t port = first; port < end; ++port) {
                inputs_.push_back(asks.role == spec::operand::weight
                                      ? read_weights(model_, id_, asks.axis)
                                      : read_activation(model_, model_[id_].input(port), how_));
                if (!inputs_.back().is_present()) return false;
            }
        }
        return true;
    }
    /// Codes that are copied keep the dequantization that stands behind the copy.
    void share_quantization_behind() {
        if (!row_.same_quantization || !output_.is_present()) return;
        for (read_operand& each : inputs_) {
            if (!each.has_scale && is_code(output_.type)) each.takes_quantization_of(output_);
        }
    }
    bool has_input(bool with_scale) const {
        for (const read_operand& each : inputs_) {
            if (each.has_scale == with_scale) return true;
        }
        return false;
    }
    described_operation described(const read_operand& bias) const {
        described_operation result;
        result.index = static_cast<int>(index_of(id_));
        result.name = row_.name;
        for (const read_operand& each : inputs_)
            result.inputs.push_back(each.described());
        result.inputs.push_back(bias.described());
        result.outputs.push_back(output_.described());
        return result;
    }

public:
    operation_reader(const graph& model, node_id id, const spec::row& row, reading how)
        : model_(model), id_(id), row_(row), how_(how) {}

    /// Appends what the operation breaks. False where its operands are not quantized: it is none of the specification's.
    bool check(seq<violation, 0>& found) {
        if (!reads_all_inputs()) return false;
        const bool reads_codes = has_input(false);
        output_ = read_output(model_, id_, row_, how_);
        share_quantization_behind();
        if (how_ == reading::on_codes ? !reads_codes : !has_input(true)) return false;
        const bool may_have_bias = row_.names(spec::operand::bias) && how_ == reading::with_dequantization;
        const read_operand bias = may_have_bias ? read_bias(model_, id_) : read_operand();
        check_operation(described(bias), found);
        return true;
    }
};

inline std::size_t append_violations(const graph& model, reading how, seq<violation, 0>& found) {
    std::size_t checked = 0;
    for (const node_id id : topological_order(model)) {
        if (const spec::row* row = row_of_node(model, id); row != nullptr)
            checked += operation_reader(model, id, *row, how).check(found) ? 1 : 0;
        const body_list& bodies = model[id].bodies();
        for (std::size_t i = 0; i < bodies.size(); ++i)
            checked += append_violations(bodies[i], how, found);
    }
    return checked;
}

}  // namespace detail

/// What came of holding a graph against the specification.
struct graph_findings {
    std::size_t checked = 0;  // operations whose operands are quantized
    seq<violation, 0> violations;
};

/// Everything in which the operations of a graph break the specification, bodies included, in topological order; nothing: it conforms.
///
/// Checked are the operations that `spec::correspondences` names and whose inputs all are quantized, which `how` says; the output is checked
/// where a FakeQuantize or a dequantization stands behind it. Numbers of operations and tensors are those of nodes. Weights are those of
/// rank 4 (5 in groups) of convolutions and constant matrices of MatMul. Element types say nothing of a FakeQuantize: 256 levels and less are i8.
inline graph_findings hold_against_specification(const graph& model, reading how = reading::with_dequantization) {
    graph_findings result;
    result.checked = detail::append_violations(model, how, result.violations);
    return result;
}

/// The violations alone.
inline seq<violation, 0> violations_of(const graph& model, reading how = reading::with_dequantization) {
    return hold_against_specification(model, how).violations;
}

}  // namespace lpt::inline LPT_ABI::check
