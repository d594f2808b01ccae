// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/movement.hpp>

/// Losses, as networks that are evaluated have them.
namespace lpt::inline LPT_ABI::onnx {

/// Minus the logarithm of the probability of each target class, weighted by class; classes that are ignored count nothing.
inline output_ref negative_log_likelihood(operation& n, output_ref logarithms, output_ref target, output_ref weights) {
    const std::size_t rank = n.rank(logarithms);
    lpt::integers sizes{-1};
    for (std::size_t axis = 2; axis < rank; ++axis) {
        sizes.push_back(1);
    }
    const output_ref classes = n.reshape(n.counted(n.size_along(logarithms, 1)), sizes);
    const output_ref wanted = n.convert(target, i64);
    const output_ref chosen = n.make(op::equal{}, {n.unsqueeze(wanted, {1}), classes});
    const output_ref zero = n.like(logarithms, 0);
    const auto pick = [&](output_ref from) {
        return n.reduce<op::reduce_sum>(n.make(op::select{}, {chosen, from, zero}), {1}, false);
    };
    output_ref weight = pick(weights ? n.reshape(weights, sizes) : n.like(logarithms, 1));
    if (n.has_attribute("ignore_index")) {
        const output_ref ignored = n.make(op::equal{}, {wanted, n.integer_constant(n.integer("ignore_index", 0))});
        weight = n.make(op::select{}, {ignored, zero, weight});
    }
    const output_ref loss = n.make(op::multiply{}, {n.make(op::negative{}, {pick(logarithms)}), weight});
    const std::string_view reduction = n.words("reduction", "mean");
    if (reduction == "none") {
        return loss;
    }
    lpt::integers axes;
    for (std::size_t axis = 0; axis + 1 < rank; ++axis) {
        axes.push_back(static_cast<std::int64_t>(axis));
    }
    const output_ref sum = n.reduce<op::reduce_sum>(loss, axes, false);
    if (reduction == "sum") {
        return sum;
    }
    return n.make(op::divide{}, {sum, n.reduce<op::reduce_sum>(weight, axes, false)});
}

inline void read_negative_log_likelihood(operation& n) {
    n.out(negative_log_likelihood(n, n.in(0), n.in(1), n.has(2) ? n.in(2) : output_ref()));
}

inline void read_softmax_cross_entropy(operation& n) {
    op::log_softmax what;
    what.axis = 1;
    const output_ref logarithms = n.make(what, {n.in(0)});
    n.out(0, negative_log_likelihood(n, logarithms, n.in(1), n.has(2) ? n.in(2) : output_ref()));
    n.out(1, logarithms);
}

inline constexpr operator_entry loss_operators[] = {
    {"", "NegativeLogLikelihoodLoss", read_negative_log_likelihood},
    {"", "SoftmaxCrossEntropyLoss", read_softmax_cross_entropy},
};

}  // namespace lpt::inline LPT_ABI::onnx
