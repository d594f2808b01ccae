// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/set.hpp>
#include <lpt/transformation/markup/bodies.hpp>
#include <lpt/transformation/markup/propagation.hpp>

namespace lpt::inline LPT_ABI {

/// Finds the FakeQuantizes that must share one scale and zero point: those that meet before an input that takes per-tensor ones only.
struct align_quantization_parameters : step_over_operations<align_quantization_parameters> {
    static constexpr text_view name = "AlignQuantizationParameters";
    using may_read = attribute::set<attribute::precision_preserved, attribute::quantization_granularity>;
    using writes = attribute::set<attribute::quantization_alignment>;

    static constexpr bool needed(const rewrite& r) { return has_operation(r.model, op::kind::concat, any_version); }

    static constexpr void visit(rewrite& r, node_id id) {
        using alignment = attribute::quantization_alignment;
        const auto asks = [&](std::size_t port) {
            const auto* granularity = attributes_of<attribute::quantization_granularity>(r).find_input(id, port);
            return granularity != nullptr && granularity->value == attribute::granularity::per_tensor;
        };
        if (is_where_quantized_data_meets(r, id)) {
            attributes_of<alignment>(r).set_node(id, {false});
        } else if (!propagate_through_precision_preserved<alignment>(r, id)) {
            update_shared_precision_preserved<alignment>(r, id, asks);
        }
    }

private:
    /// A precision preserved node that reads FakeQuantizes, perhaps constants, and nothing else.
    static constexpr bool is_where_quantized_data_meets(const rewrite& r, node_id id) {
        bool any = false;
        bool only = is_precision_preserved(r, id);
        for (std::size_t port = 0; only && port < r.model[id].inputs(); ++port) {
            const node& source = r.model[quantized_source(r, id, port, int8_precisions).node];
            any = any || source.is<op::fake_quantize>();
            only = source.is<op::fake_quantize>() || source.is<op::constant>();
        }
        return only && any;
    }
};

}  // namespace lpt::inline LPT_ABI
