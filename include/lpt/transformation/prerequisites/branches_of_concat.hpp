// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization_constants.hpp>

namespace lpt::inline LPT_ABI {

/// Dividing a constant that is applied behind a Concat into one for each of its inputs.

/// True if a constant behind a Concat varies over the joined axis; a range of FakeQuantize may have more axes, of size 1.
constexpr bool varies_over_joined_axis(const graph& model, node_id constant, node_id concat) {
    const std::size_t rank = model[concat].shape().rank();
    return model[constant].shape().trimmed_left(rank).padded_left(rank)[concat_axis(model, concat)] != 1;
}
/// False for a constant that varies over the axis of a Concat where it is not known which part goes to which input.
constexpr bool can_split_constant(const graph& model, node_id constant, node_id concat) {
    return !varies_over_joined_axis(model, constant, concat) ||
           for_all(0, model[concat].inputs(), [&](std::size_t input) {
               const shape& branch = model.shape(model[concat].input(input));
               return branch.rank_is_static() && branch.is_static(concat_axis(model, concat));
           });
}
/// The constants of the branches: parts along the joined axis where the constant varies over it, copies otherwise.
constexpr seq<output_ref> constants_of_branches(rewrite& r, node_id constant, node_id concat) {
    graph& model = r.model;
    const tensor values = constant_of(model, constant);
    const std::size_t rank = model[concat].shape().rank();
    const std::size_t axis = concat_axis(model, concat);
    const bool varies = varies_over_joined_axis(model, constant, concat);
    seq<output_ref> parts;
    integers lengths;
    for (std::size_t input = 0; input < model[concat].inputs(); ++input) {
        if (varies) {
            lengths.push_back(model.shape(model[concat].input(input))[axis]);
        } else {
            parts.push_back(model.constant(values));
        }
    }
    if (varies) {
        const tensor full(values, values.dimensions().trimmed_left(rank).padded_left(rank));
        const integers axes{static_cast<std::int64_t>(axis)};
        const node_id split = model.add(op::variadic_split{},
                                        {model.constant(full), model.constant(make_integer_tensor(i64, shape{}, axes)),
                                         model.constant(make_indices(lengths))});
        fold(model, split, parts);
    }
    return parts;
}

}  // namespace lpt::inline LPT_ABI
