// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization_constants.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt {

/// Moves a dequantization behind StridedSlice; constants that vary over an axis are sliced in the same way.
struct strided_slice_transformation {
    static constexpr text_view name = "StridedSliceTransformation";
    using pattern = lpt::pattern<op::strided_slice>;
    static constexpr bool precision_preserved = true;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        const dequantization found = find_dequantization(r, id);
        if (found.empty()) {
            return refuse(reason::no_dequantization, 0);
        }
        if (is_scalar_like(r.model, found)) {
            return yes;
        }
        if (r.model.shape(r.model[id].input(0)).rank_is_dynamic()) {
            return refuse(reason::dynamic_rank, 0);
        }
        for (std::size_t port = 1; port < r.model[id].inputs(); ++port) {
            if (!is_constant_path(r.model, r.model.producer(id, port))) {
                return refuse(reason::axes_not_constant, static_cast<int>(port));
            }
        }
        return yes;
    }
    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        if (const verdict why = can_transform(r, id); !why) {
            return r.refused(id, name, why);
        }
        const node_id slice = separate_in_standalone_branch(r, id);
        const dequantization found = normalize_dequantization(r, find_dequantization(r, slice));
        move_dequantization_after(r, slice, with_constants(r, found, [&](node_id constant) { return sliced(r, slice, constant); }));
        return true;
    }

private:
    static constexpr node_id sliced(rewrite& r, node_id slice, node_id constant) {
        if (constant_of(r.model, constant).elements() == 1) {
            return to_scalar_if_single(r, constant);
        }
        constant = pad_left(r, constant, r.model.shape(r.model[slice].input(0)).rank());
        op::strided_slice masks = r.model[slice].as<op::strided_slice>();
        const shape& dimensions = r.model[constant].shape();
        // An axis of size 1 stands for all elements of the data: it is taken whole, whatever places are asked for.
        for (std::size_t axis = 0; axis < dimensions.rank(); ++axis) {
            if (dimensions[axis] == 1) {
                take_whole(masks.begin_mask, axis);
                take_whole(masks.end_mask, axis);
            }
        }
        seq<output_ref, 4> inputs{constant};
        for (std::size_t port = 1; port < r.model[slice].inputs(); ++port) {
            inputs.push_back(try_fold(r.model, r.model.producer(slice, port)));
        }
        return to_scalar_if_equal(r, fold_to_constant(r, masks, inputs, r.model[slice].version()));
    }
    static constexpr void take_whole(integers& mask, std::size_t position) {
        mask.resize(mask.size() > position ? mask.size() : position + 1, 0);
        mask[position] = 1;
    }
};

}  // namespace lpt
