// SPDX-License-Identifier: Apache-2.0
// A transformed graph as explanations need it: which of its values are numbers of a low precision that still lack their scale.
#pragma once

#include <lpt/pipeline/pipeline.hpp>
#include <lpt/pipeline/refusals.hpp>

namespace lpt::inline LPT_ABI {

namespace detail {

inline constexpr element all_low_precisions[] = {u8, i8, u16, i16, u32, i32, f8e4m3, f8e5m2};

/// The element type of quantized data that an input reads, directly or through a zero point's Subtract that computes on it
/// (an engine makes that a part of the operation); `dynamic` where it is real.
constexpr element quantized_type(const graph& model, output_ref source) {
    const element type = model.type(source);
    if (is_low_precision(type)) {
        return type;
    }
    const node& above = model[source.node];
    if (above.is<op::subtract>() && above.relaxed() && is_low_precision(model.type(above.input(0))) &&
        model.constant_value(above.input(1)) != nullptr) {
        return model.type(above.input(0));
    }
    return dynamic;
}

/// Which nodes give values that still lack the scale of the low precision data that they come from, by node.
///
/// Operations on low precision data with a real result, and what stands between them and the Multiply by the scale.
constexpr seq<bool, 8> find_unscaled(const graph& model, view<node_id> order) {
    seq<bool, 8> result(model.id_bound(), false);
    for (const node_id id : order) {
        const node& each = model[id];
        if (each.is<op::multiply>() || each.is<op::fake_quantize>() || each.outputs() == 0) {
            continue;
        }
        for (std::size_t port = 0; port < each.inputs(); ++port) {
            const bool carries = each.is<op::convert>() || carries_data(each.kind(), static_cast<int>(port));
            const output_ref source = each.input(port);
            result[index_of(id)] =
                result[index_of(id)] || (carries && is_real(each.type()) &&
                                         (result[index_of(source.node)] || is_low_precision(model.type(source))));
        }
    }
    return result;
}

}  // namespace detail

/// What `explain` goes by, for all graphs of a network.
struct explanation_source {
    view<refusal> refusals;  // of the run
    dispatch_view main;  // the main transformations of the pipeline
    const transformation_options& options;
};

/// A transformed graph, or one inside its nodes, as `explain` needs it.
struct explained_graph {
    const explanation_source& source;
    const graph& after;
    detail::refusals_of_graph refusals;
    seq<bool, 8> unscaled;
    const graph& original;
    seq<node_id> before;  // by node: the number that its operation had in the original graph; none: it was not there

    /// `order`: that of the transformed graph; `numbers`: refusals of this graph and of those inside it; `depth`: how many are around it.
    constexpr explained_graph(const explanation_source& run, const graph& untransformed, const graph& transformed,
                              view<node_id> order, detail::refusal_numbers numbers, std::size_t depth)
        : source(run),
          after(transformed),
          refusals(transformed, run.refusals, lpt::move(numbers), depth),
          unscaled(detail::find_unscaled(transformed, order)),
          original(untransformed),
          before(transformed.id_bound(), node_id::none) {}
};

}  // namespace lpt::inline LPT_ABI
