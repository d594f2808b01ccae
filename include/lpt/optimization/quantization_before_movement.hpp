// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/optimization/compressed_weights.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

namespace fusion {

/// True for an operation that gives all elements of its data once, each as it is.
constexpr bool only_moves(const node& each) {
    return each.is<op::transpose>() || each.is<op::reshape>() || each.is<op::squeeze>() || each.is<op::unsqueeze>();
}

/// True for a FakeQuantize that makes bytes of real numbers, with one constant range for all.
constexpr bool makes_bytes(const graph& model, node_id id) {
    return is_byte(model.type(output_ref(id))) && is_real(model.type(model[id].input(0))) && has_one_range(model, id);
}

/// Bounds without axes fit data of any rank.
constexpr void take_axes_off_bounds(graph& model, node_id id) {
    for (std::size_t port = 1; port < model[id].inputs(); ++port) {
        const tensor bound = *model.constant_value(model[id].input(port));
        if (bound.dimensions().rank() != 0) {
            model.set_constant(id, port, tensor(bound, shape{}));
        }
    }
}

}  // namespace fusion

/// A FakeQuantize that makes bytes behind a movement, which nothing else reads, becomes one in front of it: a quarter is moved, and a
/// product in front of both quantizes its sums itself.
struct quantization_before_movement {
    static constexpr text_view name = "QuantizationBeforeMovement";
    using pattern = lpt::pattern<op::fake_quantize>;

    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        graph& model = r.model;
        if (!fusion::makes_bytes(model, id) || feeds_result(model, id)) {
            return false;
        }
        bool changed = false;
        while (fusion::only_moves(model[model[id].input(0).node]) && model.use_count(model[id].input(0)) == 1) {
            const output_ref moved = model[id].input(0);
            if (!changed) {
                fusion::take_axes_off_bounds(model, id);
                changed = true;
            }
            const output_ref data = model[moved.node].input(0);
            model.replace_uses(output_ref(id), moved);
            model.set_input(moved.node, 0, output_ref(id));
            model.set_input(id, 0, data);
            model.infer(id);
            model.infer(moved.node);
        }
        return changed;
    }
};

}  // namespace lpt::inline LPT_ABI
