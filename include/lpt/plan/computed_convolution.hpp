// SPDX-License-Identifier: Apache-2.0
// Convolutions whose weights other operations compute: they are packed in every run, as f32, whatever type they are stored in.
#pragma once

#include <lpt/plan/convolution.hpp>

#include <utility>

namespace lpt::inline LPT_ABI::plan {

inline void planner::make_computed_convolution(const group& made) {
    const node& each = model()[made.anchor];
    const shape& weights = model().shape(each.input(1));
    convolution_step work;
    work.shape = detail::convolution_shape_of(each, model().shape(each.input(0)), weights);
    detail::check_scratch(work.shape);
    work.packing = detail::packing_of(detail::convolution_axes_of(each.kind(), weights));
    work.packing.type = kernel::element_kind::f32;
    work.method = kernels().method_of_convolution(work.shape);
    work.input = make_f32(tensor_of(each.input(0), layout::channels_last));
    work.computed_weights = make_f32(tensor_of(each.input(1), layout::plain));
    const std::size_t bytes = kernels().packed_convolution_bytes(work.shape, work.packing.type);
    work.packed = add_tensor(u8, shape{static_cast<dimension>(bytes)}, layout::plain);
    add_convolution(std::move(work), made.functions, f32);
}

}  // namespace lpt::inline LPT_ABI::plan
