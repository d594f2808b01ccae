// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/set.hpp>
#include <lpt/transformation/markup/bodies.hpp>

namespace lpt::inline LPT_ABI {

/// Marks the input ports for which the target restricts the granularity of quantization. A mark that is there stays.
struct markup_quantization_granularity : step_over_operations<markup_quantization_granularity, true> {
    static constexpr text_view name = "MarkupQuantizationGranularity";
    using writes = attribute::set<attribute::quantization_granularity>;

    static constexpr bool needed(const rewrite& r) { return !r.restrictions.granularities.empty(); }

    static constexpr void visit(rewrite& r, node_id id) {
        for (const granularity_row& row : r.restrictions.granularities) {
            if (restriction_table::is_about(row.operation, row.version, r.model[id])) {
                restrict(r, id, row);
            }
        }
    }

private:
    static constexpr void restrict(rewrite& r, node_id id, const granularity_row& row) {
        auto granularity = attributes_of<attribute::quantization_granularity>(r);
        for (std::size_t port = 0; port < r.model[id].inputs(); ++port) {
            const bool meant = row.ports.empty() || row.ports.contains(static_cast<std::int32_t>(port));
            if (meant && !granularity.has(attribute::place::on_input(id, port))) {
                granularity.set_input(id, port, {row.value});
            }
        }
    }
};

}  // namespace lpt::inline LPT_ABI
