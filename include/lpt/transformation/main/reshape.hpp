// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/movement.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a dequantization behind Reshape. Constants per channel are repeated where Reshape splits each channel into several
/// ones; axes beyond the last one over which they vary may change freely.
struct reshape_transformation : movement<reshape_transformation> {
    static constexpr text_view name = "ReshapeTransformation";
    using pattern = lpt::pattern<op::reshape, from<op::multiply>, anything>;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        return first_refusal<reads_data, can_move_behind, channels_may_move>(r, id);
    }
    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        if (!is_constant(r.model, r.model[id].input(1)) && !has_single_scale(r.model, id)) {
            return r.refused(id, name, refuse_not_per_tensor(r.model, find_dequantization(r, id)));
        }
        return movement::transform(r, id);
    }
    static constexpr node_id constant_behind(rewrite& r, node_id reshape, node_id constant) {
        const tensor& value = constant_of(r.model, constant);
        if (is_scalar_like(value)) {
            return to_scalar(r, constant);
        }
        const shape& after = r.model[reshape].shape();
        const shape own = aligned_shape(r.model, constant, r.model.shape(r.model[reshape].input(0)).rank());
        return own[1] != 1 ? r.model.constant(repeated(value, own[1], after))
                           : r.model.constant(extended(value, own, after.rank()));
    }

private:
    static constexpr verdict reads_data(const rewrite& r, node_id id, const dequantization&) {
        return is_constant_path(r.model, id) ? refuse(reason::constant_path) : yes;
    }
    /// The scale of the Multiply above has one element. (It may have two constant inputs: then either will do.)
    static constexpr bool has_single_scale(const graph& model, node_id id) {
        const node& multiply = model[model.producer(id, 0)];
        return for_any(0, multiply.inputs(), [&](std::size_t port) {
            const tensor* value = model.constant_value(multiply.input(port));
            return value != nullptr && value->elements() == 1;
        });
    }
    /// The user may want a Reshape whose only reader is MatMul to stay in floating point, unless constants per channel can follow it.
    static constexpr verdict channels_may_move(const rewrite& r, node_id id, const dequantization& found) {
        if (!is_scalar_like(r.model, found)) {
            return channels_stay(r.model, id, found);
        }
        const node_id reader = only_reader(r.model, id);
        const bool stays =
            r.options.reshape_ignore_per_tensor_check && reader != node_id::none && r.model[reader].is<op::mat_mul>();
        return !stays || channels_stay(r.model, id, found) ? yes : refuse(reason::disabled_by_option);
    }
    /// True if every element stays in its batch: the target must copy a number of batches that is not known, or it follows from all other sizes.
    static constexpr bool batch_stays(const graph& model, node_id id) {
        const shape& before = model.shape(model[id].input(0));
        const shape& after = model[id].shape();
        if (before[0] != after[0] || before.is_static(0)) {
            return before[0] == after[0];
        }
        const tensor* target = model.constant_value(model[id].input(1));
        if (target != nullptr && model[id].as<op::reshape>().special_zero && target->integer(0) == 0) {
            return true;
        }
        const dimension left = product_behind_batch(before);
        return left != dynamic_dimension && left == product_behind_batch(after);
    }
    static constexpr dimension product_behind_batch(const shape& dimensions) {
        dimension result = 1;
        for (std::size_t axis = 1; axis < dimensions.rank(); ++axis) {
            if (!dimensions.is_static(axis)) {
                return dynamic_dimension;
            }
            result *= dimensions[axis];
        }
        return result;
    }
    static constexpr verdict channels_stay(const graph& model, node_id id, const dequantization& found) {
        const shape& before = model.shape(model[id].input(0));
        const shape& after = model[id].shape();
        const verdict shapes = before.rank_is_dynamic()                ? refuse(reason::dynamic_rank, 0)
                               : after.rank() < 2 || before.rank() < 2 ? refuse(reason::shapes_do_not_match, 0)
                               : !after.is_static(1)                   ? refuse_axis(reason::dynamic_axis, 0, 1)
                               : !batch_stays(model, id)               ? refuse_axis(reason::varies_over_axis, 0, 0)
                                                                       : yes;
        if (!shapes) {
            return shapes;
        }
        std::size_t last_varying = 0;
        for (const node_id constant : {found.zero_point, found.scale}) {
            if (constant == node_id::none || constant_of(model, constant).elements() == 1) {
                continue;
            }
            const shape own = aligned_shape(model, constant, before.rank());
            if (after[1] < own[1] || after[1] % own[1] != 0) {
                return refuse_axis(reason::varies_over_axis, 0, 1, constant);
            }
            for (std::size_t axis = 0; axis < own.rank(); ++axis) {
                last_varying = own[axis] != 1 && axis > last_varying ? axis : last_varying;
            }
        }
        std::size_t first_changed = 0;
        while (first_changed < before.rank() && first_changed < after.rank() &&
               before[first_changed] == after[first_changed]) {
            ++first_changed;
        }
        const bool only_channels_change = last_varying == 1 && first_changed == 1;
        return last_varying < first_changed || only_channels_change
                   ? yes
                   : uniform_where(model, found, before.rank(), [=](std::size_t axis) { return axis == last_varying; });
    }
    /// Every channel value as often as Reshape makes channels of one: [1, C_out, 1...].
    static constexpr tensor repeated(const tensor& value, dimension channels, const shape& after) {
        shape dimensions = shape::of_ones(after.rank());
        dimensions[1] = after[1];
        return tensor(first_of_every(value, 1, static_cast<std::size_t>(after[1] / channels)), dimensions);
    }
    /// Values along an axis that Reshape leaves where it is: only the axes of size 1 after it change their number.
    static constexpr tensor extended(const tensor& value, const shape& own, std::size_t rank) {
        shape dimensions = shape::of_ones(rank);
        for (std::size_t axis = 0; axis < own.rank() && axis < rank; ++axis) {
            dimensions[axis] = own[axis];
        }
        return tensor(value, dimensions);
    }
};

}  // namespace lpt::inline LPT_ABI
