// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/tensor_difference.hpp"
#include <lpt/transformation/rewrite.hpp>

#include <utility>

/// A network on which tests apply single transformations, at run time and in constant expressions.
namespace lpt::testing {

struct rewritten {
    graph model;
    graph before;  // as it was before `run`
    attribute::tables attributes;
    transformation_options options;
    restriction_table restrictions;
    seq<refusal> refusals;

    constexpr node_id input(shape dimensions, element type = f32) {
        return model.parameter(type, std::move(dimensions), "in");
    }
    constexpr node_id constant(view<double> values, shape dimensions = {}, element type = f32) {
        return model.constant(make_tensor(type, std::move(dimensions), values));
    }
    constexpr node_id indices(view<std::int64_t> values) { return model.constant(make_indices(values)); }
    /// [Subtract] and Multiply behind the Convert of a Constant or another output; without a zero point: `none`.
    constexpr node_id dequantize(output_ref data, node_id zero_point, node_id scale) {
        output_ref last = model.add(op::convert{f32}, {data});
        if (zero_point != node_id::none) {
            last = model.add(op::subtract{}, {last, zero_point});
        }
        return model.add(op::multiply{}, {last, scale}, "dequantized");
    }
    /// Applies a transformation to one node, as the driver does.
    template <class Transformation>
    constexpr bool run(node_id id) {
        before = model;
        refusals = {};
        if (!Transformation::pattern::matches(model, id)) {
            return false;
        }
        rewrite r(model, attributes, options, restrictions);
        const bool changed = Transformation::transform(r, id);
        refusals = r.refusals();
        model.collect();
        return changed;
    }
    /// Why the last run left the node as it was.
    constexpr reason why() const { return refusals.empty() ? reason::none : refusals.back().why.why; }
    /// The node that feeds a result, and nodes above others.
    constexpr node_id output(std::size_t which = 0) const { return model.producer(model.results()[which], 0); }
    constexpr node_id above(node_id id, std::size_t port = 0) const { return model.producer(id, port); }
    constexpr const tensor& value(node_id id, std::size_t port) const {
        return *model.constant_value(model[id].input(port));
    }

    /// The greatest difference between what the network gives now and what it gave before `run`, on values from -3 to 3.
    support::tensor_difference difference() const {
        std::vector<tensor> inputs;
        for (const node_id id : before.parameters()) {
            tensor_builder values(before[id].type(), before[id].shape());
            for (std::size_t i = 0; i < values.elements(); ++i) {
                values.real(i, static_cast<double>((i * 37) % 61) * 0.1 - 3.03);
            }
            inputs.push_back(values.finish());
        }
        return support::difference_of<float>(before, model, inputs);
    }
};

}  // namespace lpt::testing
