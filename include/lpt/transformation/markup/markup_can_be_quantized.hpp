// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/set.hpp>
#include <lpt/transformation/markup/bodies.hpp>
#include <lpt/transformation/markup/propagation.hpp>
#include <lpt/transformation/weightable.hpp>

namespace lpt::inline LPT_ABI {

/// Marks all inputs of convolutions whose weights are not quantized, and of Concats of unknown rank, as ones that must
/// not be quantized (an empty list of precisions each).
struct markup_can_be_quantized : step_over_operations<markup_can_be_quantized, true> {
    static constexpr text_view name = "MarkupCanBeQuantized";
    using writes = attribute::set<attribute::precisions>;

    static constexpr void visit(rewrite& r, node_id id) {
        if (!can_be_quantized(r, id)) {
            forbid_precisions(r, id);
        }
    }

private:
    static constexpr bool can_be_quantized(const rewrite& r, node_id id) {
        switch (r.model[id].kind()) {
            case op::kind::convolution:
            case op::kind::group_convolution:
            case op::kind::convolution_backprop_data:
                return static_cast<bool>(is_quantized_static(r.model, id, r.options.default_precisions));
            case op::kind::concat: return r.model[id].shape().rank_is_static();
            default: return true;
        }
    }
};

}  // namespace lpt::inline LPT_ABI
