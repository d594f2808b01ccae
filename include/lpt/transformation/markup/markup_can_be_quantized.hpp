// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/set.hpp>
#include <lpt/transformation/markup/bodies.hpp>
#include <lpt/transformation/weightable.hpp>

namespace lpt::inline LPT_ABI {

/// Marks all inputs of convolutions whose weights are not quantized, and of Concats of unknown rank, as ones that must
/// not be quantized (an empty list of precisions each).
struct markup_can_be_quantized {
    static constexpr text_view name = "MarkupCanBeQuantized";
    using writes = attribute::set<attribute::precisions>;

    [[gnu::cold]] static constexpr void run(rewrite& r) {
        for (const node_id id : r.operations()) {
            if (r.model[id].inputs() == 0 || r.skips(name, id)) {
                continue;
            }
            run_on_bodies<markup_can_be_quantized>(r, id);
            if (!can_be_quantized(r, id)) {
                forbid(r, id);
            }
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
    static constexpr void forbid(rewrite& r, node_id id) {
        attribute::table<attribute::precisions> precisions = attributes_of<attribute::precisions>(r);
        for (std::size_t port = 0; port < r.model[id].inputs(); ++port) {
            if (!precisions.has(attribute::place::on_input(id, port))) {
                precisions.set_input(id, port, {});
            }
        }
    }
};

}  // namespace lpt::inline LPT_ABI
