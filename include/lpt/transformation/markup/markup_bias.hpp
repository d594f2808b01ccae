// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/set.hpp>
#include <lpt/constant/facts.hpp>
#include <lpt/transformation/markup/bodies.hpp>

namespace lpt::inline LPT_ABI {

/// Marks the Adds that add a bias to a convolution or matrix product: a constant of one element, or one that varies over one axis.
struct markup_bias : step_over_operations<markup_bias> {
    static constexpr text_view name = "MarkupBias";
    using writes = attribute::set<attribute::bias>;

    static constexpr void visit(rewrite& r, node_id id) {
        if (r.model[id].is<op::add>() && (adds_bias(r.model, id, 0) || adds_bias(r.model, id, 1))) {
            r.model.set_mark(id, mark::bias);
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
    /// True if input `port` is a layer and the other one its bias.
    static constexpr bool adds_bias(const graph& model, node_id id, std::size_t port) {
        const output_ref layer = model[id].input(port);
        const tensor* constant = model.constant_value(model[id].input(1 - port));
        if (!has_bias(model[layer.node].kind()) || constant == nullptr || model.shape(layer).rank_is_dynamic()) {
            return false;
        }
        return constant->elements() == 1 || count_long_axes(constant->dimensions()) == 1;
    }
};

}  // namespace lpt::inline LPT_ABI
