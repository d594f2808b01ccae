// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/rewrite.hpp>

#include <utility>

/// Small networks around a FakeQuantize, for tests at run time and in constant expressions.
namespace lpt::testing {

/// A graph with everything that a transformation works on. `options` may be changed before `run`.
struct small_network {
    graph model;
    attribute::tables attributes;
    transformation_options options;
    restriction_table restrictions;
    bool changed = false;
    seq<refusal> refusals;

    constexpr node_id constant(view<double> values, element type = f32) {
        const shape dimensions = values.size() == 1 ? shape{} : shape{1, static_cast<dimension>(values.size()), 1, 1};
        return model.constant(make_tensor(type, dimensions, values));
    }
    /// A relaxed FakeQuantize, as the first steps of the pipeline leave it.
    constexpr node_id fake_quantize(output_ref data, std::int64_t levels, view<double> in_low, view<double> in_high,
                                    view<double> low, view<double> high, text_view name = "fq") {
        const node_id made =
            model.add(op::fake_quantize{levels},
                      {data, constant(in_low), constant(in_high), constant(low), constant(high)}, name);
        model.relax(made);
        return made;
    }
    constexpr void allow(node_id fake_quantize, seq<element, 8> types) {
        attributes.of<attribute::precisions>().set_output(fake_quantize, 0, {std::move(types)});
    }
    /// Applies a transformation to one node, as the driver does.
    template <class Transformation>
    constexpr bool run(node_id id) {
        rewrite r(model, attributes, options, restrictions);
        changed = Transformation::transform(r, id);
        refusals = r.refusals();
        model.collect();
        return changed;
    }
    /// Why the last run left the node as it was.
    constexpr reason why() const { return refusals.empty() ? reason::none : refusals.back().why.why; }
    /// The node that feeds a result.
    constexpr node_id output(std::size_t which = 0) const { return model.producer(model.results()[which], 0); }
    constexpr node_id above(node_id id, std::size_t port = 0) const { return model.producer(id, port); }
    constexpr const tensor& value(node_id id, std::size_t port) const {
        return *model.constant_value(model[id].input(port));
    }
};

/// Parameter f32[1,3,2,2] -> FakeQuantize -> Result.
constexpr small_network quantized_input(std::int64_t levels, view<double> low, view<double> high) {
    small_network result;
    const node_id data = result.model.parameter(f32, shape{1, 3, 2, 2}, "in");
    result.model.result(result.fake_quantize(data, levels, low, high, low, high));
    return result;
}

}  // namespace lpt::testing
