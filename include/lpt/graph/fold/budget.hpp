// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/fold/values.hpp>

namespace lpt::inline LPT_ABI::detail {

/// How many products a MatMul sums up for each element of its output; 0 for other operations.
constexpr double products_of(const node& each, view<tensor> inputs) {
    if (!each.is<op::mat_mul>() || inputs[0].dimensions().rank() == 0) {
        return 0;
    }
    const shape& left = inputs[0].dimensions();
    const bool from_rows = left.rank() > 1 && each.as<op::mat_mul>().transpose_a;
    return static_cast<double>(left[left.rank() - (from_rows ? 2 : 1)]);
}

/// True if the folding budget of the network allows to compute a node from these values; then it is charged.
[[gnu::noinline]] constexpr bool can_afford(graph& model, const node& each, view<tensor> inputs) {
    double elements = 0;
    double bytes = 0;
    for (std::size_t port = 0; port < each.outputs(); ++port) {
        if (each.type(port) == dynamic || each.shape(port).is_dynamic()) {
            return true;  // not for folding, or as many values as one of the inputs has
        }
        const std::size_t count = each.shape(port).elements();
        elements += static_cast<double>(count);
        bytes += static_cast<double>(byte_size(each.type(port), count));
        for (const dimension size : each.shape(port)) {
            bytes += 16.0 * static_cast<double>(size);
        }
    }
    double read_again = 0;  // elements of constants that have other readers, too
    double replaced = 0;    // elements of the largest constant that has none
    for (std::size_t port = 0; port < inputs.size(); ++port) {
        const auto count = static_cast<double>(inputs[port].elements());
        const bool is_shared = model.use_count(each.input(port)) > 1;
        read_again += is_shared ? count : 0;
        replaced = is_shared ? replaced : math::maximum(replaced, count);
    }
    const double steps = elements * products_of(each, inputs) + read_again;
    const bool keeps_bytes =
        each.is<op::reshape>() || each.is<op::squeeze>() || each.is<op::unsqueeze>();  // of its input
    if (keeps_bytes || elements + steps < static_cast<double>(evaluation::late_from)) {
        return true;
    }
    const bool grows = elements > replaced;
    return model.spend_for_folding(grows ? bytes : 0, steps + (grows ? elements : 0));
}

/// True if the folding budget of the network allows a Constant of so many elements in the place of a few; then it is charged.
constexpr bool can_afford_constant(graph& model, const shape& dimensions, element type) {
    const std::size_t count = dimensions.elements();
    return count < evaluation::late_from ||
           model.spend_for_folding(static_cast<double>(byte_size(type, count)), static_cast<double>(count));
}

/// True where arithmetic on these values would give more bytes than the folding budget has left, and more elements than any of them.
constexpr bool is_beyond_budget(const graph& model, view<tensor> inputs, view<op::output_facts> outputs) {
    std::size_t most = evaluation::late_from;
    for (const tensor& input : inputs) {
        most = math::maximum(most, input.elements());
    }
    for (const op::output_facts& output : outputs) {
        const std::size_t count = output.dimensions.elements();
        if (count > most && byte_size(output.type, count) > model.folding().bytes) {
            return true;
        }
    }
    return false;
}

}  // namespace lpt::inline LPT_ABI::detail
