// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/movement.hpp>

namespace lpt::inline LPT_ABI {

/// Refuses constants of several values where it is not known what is taken.
constexpr verdict sliced_places_are_known(const rewrite& r, node_id id, const dequantization& found) {
    const node& slice = r.model[id];
    if (is_scalar_like(r.model, found)) {
        return yes;
    }
    if (r.model.shape(slice.input(0)).rank_is_dynamic()) {
        return refuse(reason::dynamic_rank, 0);
    }
    for (std::size_t port = 1; port < slice.inputs(); ++port) {
        integers places;
        if (!known_values(r.model, slice.input(port), places) || places.contains(op::unknown_value)) {
            return refuse(reason::axes_not_constant, static_cast<int>(port));
        }
    }
    return yes;
}

/// Moves a dequantization behind StridedSlice; constants that vary over an axis are sliced in the same way.
struct strided_slice_transformation : movement<strided_slice_transformation, is_dequantized, sliced_places_are_known> {
    static constexpr text_view name = "StridedSliceTransformation";
    using pattern = lpt::pattern<op::strided_slice>;

    static constexpr node_id constant_behind(rewrite& r, node_id slice, node_id constant) {
        graph& model = r.model;
        if (constant_of(model, constant).elements() == 1) {
            return to_scalar(r, constant);
        }
        constant = pad_left(r, constant, model.shape(model[slice].input(0)).rank());
        op::strided_slice masks = model[slice].as<op::strided_slice>();
        seq<output_ref, 5> inputs{constant};
        std::size_t positions = 0;
        for (std::size_t port = 1; port < model[slice].inputs(); ++port) {
            integers places;
            known_values(model, model[slice].input(port), places);
            positions = places.size();
            inputs.push_back(model.constant(make_indices(places)));
        }
        take_single_elements_whole(masks, positions, model[constant].shape());
        return to_scalar(r, fold_to_constant(r, masks, inputs, model[slice].version()));
    }

private:
    /// An axis of size 1 stands for all elements of the data: it is taken whole, whatever places are asked for. Each position of
    /// the masks is about the next axis, but for new axes, and for the ellipsis, which is about all axes that the others leave.
    static constexpr void take_single_elements_whole(op::strided_slice& masks, std::size_t positions,
                                                     const shape& dimensions) {
        const auto is_set = [](const integers& mask, std::size_t position) {
            return position < mask.size() && mask[position] != 0;
        };
        std::size_t named = 0;
        for (std::size_t position = 0; position < positions; ++position) {
            named += is_set(masks.ellipsis_mask, position) || is_set(masks.new_axis_mask, position) ? 0u : 1u;
        }
        std::size_t axis = 0;
        for (std::size_t position = 0; position < positions && axis < dimensions.rank(); ++position) {
            if (is_set(masks.ellipsis_mask, position)) {
                axis += dimensions.rank() - named;
            } else if (!is_set(masks.new_axis_mask, position) && dimensions[axis++] == 1) {
                for (integers* mask : {&masks.begin_mask, &masks.end_mask}) {
                    mask->resize(math::maximum(mask->size(), position + 1), 0);
                    (*mask)[position] = 1;
                }
            }
        }
    }
};

}  // namespace lpt::inline LPT_ABI
