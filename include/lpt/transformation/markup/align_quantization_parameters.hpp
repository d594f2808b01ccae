// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/set.hpp>
#include <lpt/transformation/markup/bodies.hpp>
#include <lpt/transformation/markup/propagation.hpp>

namespace lpt::inline LPT_ABI {

/// Finds the FakeQuantizes that must share one scale and zero point: those that meet before an input that accepts
/// per-tensor quantization only.
struct align_quantization_parameters {
    static constexpr text_view name = "AlignQuantizationParameters";
    using may_read = attribute::set<attribute::precision_preserved, attribute::quantization_granularity>;
    using writes = attribute::set<attribute::quantization_alignment>;

    /// False if a pipeline may leave the step out.
    static constexpr bool needed(const rewrite& r) { return has_operation(r.model, op::kind::concat, any_version); }

    [[gnu::cold]] static constexpr void run(rewrite& r) {
        using alignment = attribute::quantization_alignment;
        using granularity = attribute::quantization_granularity;
        const auto asks_for_alignment = [](const granularity& asked) {
            return asked.value == attribute::granularity::per_tensor;
        };
        for (const node_id id : r.operations()) {
            run_on_bodies<align_quantization_parameters>(r, id);
            if (r.skips(name, id)) {
                continue;
            }
            if (is_where_quantized_data_meets(r, id)) {
                attributes_of<alignment>(r).set_node(id, {false});
            } else if (!propagate_through_precision_preserved<alignment>(r, id)) {
                update_shared_precision_preserved<alignment, granularity>(r, id, asks_for_alignment);
            }
        }
    }

private:
    /// A precision preserved node that reads FakeQuantizes, perhaps constants, and nothing else.
    static constexpr bool is_where_quantized_data_meets(const rewrite& r, node_id id) {
        if (!is_precision_preserved(r, id)) {
            return false;
        }
        bool any = false;
        for (std::size_t port = 0; port < r.model[id].inputs(); ++port) {
            const node_id source = quantized_source(r, id, port, int8_precisions).node;
            if (r.model[source].is<op::constant>()) {
                continue;
            }
            if (!r.model[source].is<op::fake_quantize>()) {
                return false;
            }
            any = true;
        }
        return any;
    }
};

}  // namespace lpt::inline LPT_ABI
