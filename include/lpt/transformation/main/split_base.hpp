// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/movement.hpp>

/// What the transformations of Split and VariadicSplit have in common. The second input of both is the axis.
namespace lpt::inline LPT_ABI {

/// Refuses data of unknown rank.
constexpr verdict data_has_rank(const rewrite& r, node_id split, const dequantization&) {
    return r.model.shape(r.model[split].input(0)).rank_is_static() ? yes : refuse(reason::dynamic_rank, 0);
}

namespace detail {

/// The constant of each output of a split: parts where it varies over the axis, else the same for all; scalars where possible.
constexpr seq<node_id, 4> split_constant(rewrite& r, node_id split, node_id constant) {
    const std::size_t outputs = r.model[split].outputs();
    const std::size_t rank = r.model.shape(r.model[split].input(0)).rank();
    const std::int64_t axis = normalized_axis(r.model.constant_value(r.model[split].input(1))->integer(0), rank);
    seq<node_id, 4> result;
    constant = pad_left(r, constant, rank);
    const tensor& value = constant_of(r.model, constant);
    if (value.elements() == 1 || value.dimensions()[static_cast<std::size_t>(axis)] == 1) {
        result.resize(outputs, to_scalar(r, constant));
        return result;
    }
    seq<output_ref> parts;
    if (!fold(r.model, r.model.clone(split, inputs_of(r.model, split, {constant})), parts)) {
        fail({"the dequantization constants above '", r.model[split].name(), "' cannot be split"});
    }
    for (const output_ref part : parts) {
        result.push_back(to_scalar(r, part.node));
    }
    return result;
}

/// Operations that took the place of the outputs of a split and feed Results are named after it: "<name>.<output>".
constexpr void name_outputs(rewrite& r, node_id split, view<output_ref> last) {
    text name;
    for (const node_id result : r.model.results()) {
        for (std::size_t port = 0; port < last.size(); ++port) {
            if (r.model.producer(result, 0) != last[port].node) {
                continue;
            }
            if (name.empty()) {
                name = r.model[split].name();
                r.model.rename(split, join({name, "_original"}));
            }
            r.model.rename(last[port].node, join({name, '.', port}));
        }
    }
}

}  // namespace detail

/// Moves the dequantization on input 0 of a split behind it: each output gets its own Convert, Subtract and Multiply.
template <class Rule>
struct split_movement : dequantized_rule<Rule, is_dequantized, data_has_rank> {
    [[gnu::cold]] static constexpr bool apply(rewrite& r, node_id old, const dequantization& found) {
        graph& model = r.model;
        const node_id split = clone_with_information(r, old, inputs_of(model, old, {found.data}), model[old].name());
        const seq<node_id, 4> zero_points =
            found.has_subtract() ? detail::split_constant(r, split, found.zero_point) : seq<node_id, 4>();
        const seq<node_id, 4> scales =
            found.has_multiply() ? detail::split_constant(r, split, found.scale) : seq<node_id, 4>();
        seq<output_ref, 5> last;
        for (std::size_t port = 0; port < model[split].outputs(); ++port) {
            const output_ref part(split, static_cast<std::int32_t>(port));
            dequantization own = found;
            if (found.has_subtract()) {
                set_zero_point(r, own, zero_points[port]);
            }
            if (found.has_multiply()) {
                own.scale = scales[port];
            }
            last.push_back(append_dequantization(r, part, own));
            hand_over(model, model.uses({old, part.port}), last.back(), part);
        }
        detail::name_outputs(r, split, last);
        return true;
    }
};

}  // namespace lpt::inline LPT_ABI
