// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/convolution.hpp>

/// Operators of networks that find objects.
namespace lpt::inline LPT_ABI::onnx {

inline void read_non_max_suppression(operation& n) {
    op::non_max_suppression what;
    what.box_encoding = n.flag("center_point_box") ? op::box_encoding::center : op::box_encoding::corner;
    what.sort_result_descending = false;
    const output_ref boxes = n.in(0);
    const output_ref scores = n.in(1);
    const output_ref most = n.has(2) ? n.in(2) : n.integer_constant(0);
    const output_ref overlap = n.in_or(3, 0);
    const output_ref least = n.has(4) ? n.in(4) : n.like(scores, -math::infinity);
    n.out(n.make_node(what, {boxes, scores, most, overlap, least}));
}

inline void read_roi_align(operation& n) {
    op::roi_align what;
    what.pooled_h = n.integer("output_height", 1);
    what.pooled_w = n.integer("output_width", 1);
    what.sampling_ratio = math::maximum<std::int64_t>(n.integer("sampling_ratio", 0), 0);
    what.spatial_scale = n.real("spatial_scale", 1);
    const std::string_view mode = n.words("mode", "avg");
    const std::string_view corners =
        n.words("coordinate_transformation_mode", n.version() < 16 ? "output_half_pixel" : "half_pixel");
    if (mode != "avg" && mode != "max") {
        n.wrong({"mode '", shown(mode), "' is not known"});
    }
    if (corners != "half_pixel" && corners != "output_half_pixel") {
        n.wrong({"coordinate_transformation_mode '", shown(corners), "' is not known"});
    }
    what.mode = mode == "max" ? op::roi_pooling::max : op::roi_pooling::avg;
    what.aligned_mode =
        corners == "half_pixel" ? op::roi_aligned_mode::half_pixel_for_nn : op::roi_aligned_mode::asymmetric;
    n.out(n.make(what, {n.in(0), n.in(1), n.in(2)}));
}

inline void read_deformable_convolution(operation& n) {
    op::deformable_convolution what;
    read_window(n, what, 2);
    check_kernel(n, n.shape(n.in(1)));
    check_same_type(n, n.in(0), n.in(1));
    what.group = n.integer("group", 1);
    what.deformable_group = n.integer("offset_group", 1);
    what.bilinear_interpolation_pad = true;
    seq<output_ref> inputs{n.in(0), n.in(2), n.in(1)};
    if (n.has(4)) {
        inputs.push_back(n.in(4));
    }
    const output_ref result = n.make(what, inputs);
    n.out(n.has(3) ? with_bias(n, result, n.in(3), 2) : result);
}

inline constexpr operator_entry detection_operators[] = {
    {"", "NonMaxSuppression", read_non_max_suppression},
    {"", "RoiAlign", read_roi_align},
    {"", "DeformConv", read_deformable_convolution},
};

}  // namespace lpt::inline LPT_ABI::onnx
