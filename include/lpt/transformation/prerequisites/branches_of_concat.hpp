// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>

namespace lpt::inline LPT_ABI {

/// Divides a constant that is applied behind a Concat into one for each of its inputs.
struct branches_of_concat {
    static constexpr std::size_t axis_of(const graph& model, node_id concat) {
        return static_cast<std::size_t>(
            normalized_axis(model[concat].as<op::concat>().axis, model[concat].shape().rank()));
    }
    /// The shape of a constant with the rank of the data; a range of FakeQuantize may have more axes, of size 1.
    static constexpr shape aligned(const tensor& values, std::size_t rank) {
        return values.dimensions().trimmed_left(rank).padded_left(rank);
    }
    static constexpr bool varies_over(const tensor& values, std::size_t rank, std::size_t axis) {
        return aligned(values, rank)[axis] != 1;
    }

    /// False for a constant that varies over the axis of a Concat where it is not known which part goes to which input.
    static constexpr bool can_split(const graph& model, node_id constant, node_id concat) {
        const std::size_t axis = axis_of(model, concat);
        if (!varies_over(constant_of(model, constant), model[concat].shape().rank(), axis)) {
            return true;
        }
        for (std::size_t input = 0; input < model[concat].inputs(); ++input) {
            const shape& branch = model.shape(model[concat].input(input));
            if (branch.rank_is_dynamic() || !branch.is_static(axis)) {
                return false;
            }
        }
        return true;
    }

    /// The constants of the branches: parts along the concat axis where the constant varies over it, copies otherwise.
    static constexpr seq<output_ref> split_constant(rewrite& r, node_id constant, node_id concat) {
        graph& model = r.model;
        const std::size_t rank = model[concat].shape().rank();
        const std::size_t axis = axis_of(model, concat);
        const tensor values = constant_of(model, constant);
        seq<output_ref> parts;
        if (!varies_over(values, rank, axis)) {
            for (std::size_t input = 0; input < model[concat].inputs(); ++input) {
                parts.push_back(model.constant(values));
            }
            return parts;
        }
        const tensor full(values, aligned(values, rank));
        integers lengths;
        for (std::size_t input = 0; input < model[concat].inputs(); ++input) {
            lengths.push_back(model.shape(model[concat].input(input))[axis]);
        }
        const integers axes{static_cast<std::int64_t>(axis)};
        const node_id split = model.add(op::variadic_split{},
                                        {model.constant(full), model.constant(make_integer_tensor(i64, shape{}, axes)),
                                         model.constant(make_indices(lengths))});
        fold(model, split, parts);
        return parts;
    }
};

}  // namespace lpt::inline LPT_ABI
