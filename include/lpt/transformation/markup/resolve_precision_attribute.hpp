// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/set.hpp>
#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/markup/bodies.hpp>
#include <lpt/transformation/quantization_details.hpp>

namespace lpt::inline LPT_ABI {

/// Chooses one precision for each FakeQuantize output that has several, among those that belong to its levels: the one that
/// its output range prefers, else the first. No such precision: the list becomes empty, and nothing that shares it is
/// quantized. Of FakeQuantizes that share a list the first one, in topological order, decides for all.
///
/// Weights (FakeQuantize on constants) and output ranges that are not constant decide nothing.
struct resolve_precision_attribute : step_over_operations<resolve_precision_attribute> {
    static constexpr text_view name = "ResolvePrecisionAttribute";
    using reads = attribute::set<attribute::precisions>;
    using writes = attribute::set<attribute::precisions>;

    static constexpr void visit(rewrite& r, node_id id) {
        if (!r.model[id].is<op::fake_quantize>()) {
            return;
        }
        attribute::precisions* allowed = attributes_of<attribute::precisions>(r).find_output(id, 0);
        if (allowed == nullptr || allowed->types.size() < 2 || !has_constant_ranges(r.model, id, 3) ||
            is_constant_path(r.model, id)) {
            return;
        }
        const element chosen = precision_of_activations(details_of(r.model, id), allowed->types);
        allowed->types.clear();
        if (chosen != dynamic) {
            allowed->types.push_back(chosen);
        } else {
            allowed->last_reader = id;
        }
    }
};

}  // namespace lpt::inline LPT_ABI
