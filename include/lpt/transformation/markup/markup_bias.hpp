// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/set.hpp>
#include <lpt/transformation/markup/bodies.hpp>

namespace lpt::inline LPT_ABI {

/// Marks the Adds that add a bias to a convolution or matrix product: a constant of one element, or one that varies over one axis.
struct markup_bias {
    static constexpr text_view name = "MarkupBias";
    using writes = attribute::set<attribute::bias>;

    [[gnu::cold]] static constexpr void run(rewrite& r) {
        for (const node_id id : r.operations()) {
            run_on_bodies<markup_bias>(r, id);
            if (r.model[id].is<op::add>() && !r.skips(name, id) && is_bias(r.model, id)) {
                r.model.set_mark(id, mark::bias);
            }
        }
    }

private:
    static constexpr bool has_bias(op::kind operation) {
        switch (operation) {
            case op::kind::convolution:
            case op::kind::group_convolution:
            case op::kind::convolution_backprop_data:
            case op::kind::group_convolution_backprop_data:
            case op::kind::mat_mul: return true;
            default: return false;
        }
    }
    static constexpr bool is_bias(const graph& model, node_id id) {
        return is_layer_plus_bias(model, model[id].input(0), model[id].input(1)) ||
               is_layer_plus_bias(model, model[id].input(1), model[id].input(0));
    }
    static constexpr bool is_layer_plus_bias(const graph& model, output_ref layer, output_ref bias) {
        const tensor* constant = model.constant_value(bias);
        if (!has_bias(model[layer.node].kind()) || constant == nullptr || model.shape(layer).rank_is_dynamic()) {
            return false;
        }
        std::size_t long_axes = 0;
        for (const dimension size : constant->dimensions()) {
            long_axes += size > 1 ? 1u : 0u;
        }
        return constant->elements() == 1 || long_axes == 1;
    }
};

}  // namespace lpt::inline LPT_ABI
