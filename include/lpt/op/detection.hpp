// SPDX-License-Identifier: Apache-2.0
// What networks that find objects do with boxes.
#pragma once

#include <lpt/op/indexing.hpp>
#include <lpt/op/sizes.hpp>

namespace lpt::inline LPT_ABI::op {

/// The four numbers of a box: `corner` y1, x1, y2, x2 of two opposite corners; `center` x and y of the middle, width, height.
enum class box_encoding { corner, center };
inline constexpr text_view box_encoding_words[] = {"corner", "center"};
constexpr view<text_view> words_of(box_encoding) { return box_encoding_words; }

/// Of boxes that lie over each other the one with the greatest score, for each image and class.
///
/// Boxes are taken in the order of their scores, as far as these are greater than the score threshold, equal ones in the order of their
/// indices. One is dropped whose intersection over union with a box that was kept is greater than the IoU threshold; with
/// sigma > 0 its score is multiplied by exp(-0.5 * IoU^2 / sigma) for each box that was kept, and it is looked at anew.
/// Inputs: boxes [batch, N, 4], scores [batch, classes, N], and perhaps the most boxes to keep a class (0 if absent or less: none),
/// IoU threshold, score threshold, sigma (single numbers, 0 if absent). Outputs: [kept, 3] image, class and index of each box;
/// [kept, 3] image, class and score; [1] the number of boxes. Integers are of `output_type` (i32 or i64). In the order of
/// images, classes and scores; `sort_result_descending`: of scores over all images and classes.
/// Source: OpenVINO operation set, NonMaxSuppression-5, -9.
struct non_max_suppression {
    static constexpr auto number = kind::non_max_suppression;
    static constexpr text_view name = "NonMaxSuppression";
    static constexpr versions opsets{5, 9};
    static constexpr ports inputs{2, 6};
    static constexpr ports outputs{3, 3};
    static constexpr trait traits = trait::none;

    op::box_encoding box_encoding = op::box_encoding::corner;
    bool sort_result_descending = true;
    element output_type = i64;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("box_encoding", self.box_encoding);
        visit("sort_result_descending", self.sort_result_descending);
        visit("output_type", self.output_type);
    }
    static constexpr void infer(const non_max_suppression& self, inference& facts) {
        detail::require_index_type(facts, "output_type", self.output_type);
        dimension batch = dynamic_dimension;
        dimension count = dynamic_dimension;
        dimension classes = dynamic_dimension;
        dimension numbers = 4;
        detail::require_sizes(facts, 0, "boxes", {&batch, &count, &numbers});
        detail::require_sizes(facts, 1, "scores", {&batch, &classes, &count});
        for (std::size_t port = 0; port < facts.inputs(); ++port) {
            if (port != 2) {
                detail::require_real(facts, port);
            } else {
                facts.require_integers(2);
            }
            if (port >= 2 && facts.dimensions(port).is_static() && facts.dimensions(port).elements() != 1) {
                facts.wrong(
                    {"input ", port, " must be a single number, not a tensor of shape ", facts.dimensions(port)});
            }
        }
        facts.output(self.output_type, shape{dynamic_dimension, 3});
        facts.output(facts.type(1), shape{dynamic_dimension, 3});
        facts.output(self.output_type, shape{1});
    }
    friend constexpr bool operator==(const non_max_suppression&, const non_max_suppression&) = default;
};

/// What ROIAlign makes of the samples of a bin.
enum class roi_pooling { avg, max };
inline constexpr text_view roi_pooling_words[] = {"avg", "max"};
constexpr view<text_view> words_of(roi_pooling) { return roi_pooling_words; }

/// Where a corner c of a region lies on the feature map: c * scale; (c + 0.5) * scale - 0.5; c * scale - 0.5.
enum class roi_aligned_mode { asymmetric, half_pixel, half_pixel_for_nn };
inline constexpr text_view roi_aligned_mode_words[] = {"asymmetric", "half_pixel", "half_pixel_for_nn"};
constexpr view<text_view> words_of(roi_aligned_mode) { return roi_aligned_mode_words; }

/// Regions of feature maps, each cut into bins, with the average or maximum of samples in each bin.
///
/// A bin has `sampling_ratio` samples along each axis, ceil(its size) with 0 or -1, evenly spread, each the bilinear mean of four
/// elements; `max` takes the greatest of the four weighted elements. Samples more than 1 outside are 0. Sizes below 1 count as 1
/// in `asymmetric`. Inputs: x [N, C, H, W], regions [R, 4] of x1, y1, x2, y2, images [R] (integers in [0, N)). Output:
/// [R, C, pooled_h, pooled_w]. `aligned_mode` from version 9 on, before it `asymmetric`.
/// Source: OpenVINO operation set, ROIAlign-3, -9.
struct roi_align {
    static constexpr auto number = kind::roi_align;
    static constexpr text_view name = "ROIAlign";
    static constexpr versions opsets{3, 9};
    static constexpr ports inputs{3, 3};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::none;

    std::int64_t pooled_h = 1;
    std::int64_t pooled_w = 1;
    std::int64_t sampling_ratio = 0;
    double spatial_scale = 1;
    roi_pooling mode = roi_pooling::avg;
    roi_aligned_mode aligned_mode = roi_aligned_mode::asymmetric;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("pooled_h", self.pooled_h);
        visit("pooled_w", self.pooled_w);
        visit("sampling_ratio", self.sampling_ratio);
        visit("spatial_scale", self.spatial_scale);
        visit("mode", self.mode);
        visit("aligned_mode", self.aligned_mode, in_versions{9});
    }
    static constexpr void infer(const roi_align& self, inference& facts) {
        constexpr std::int64_t most_samples = 4096;
        facts.require("pooled_h", self.pooled_h, 1, most_step);
        facts.require("pooled_w", self.pooled_w, 1, most_step);
        facts.require("sampling_ratio", self.sampling_ratio, -1, most_samples);
        dimension images = dynamic_dimension;
        dimension channels = dynamic_dimension;
        dimension rows = dynamic_dimension;
        dimension columns = dynamic_dimension;
        dimension regions = dynamic_dimension;
        dimension numbers = 4;
        detail::require_sizes(facts, 0, "data", {&images, &channels, &rows, &columns});
        detail::require_sizes(facts, 1, "regions", {&regions, &numbers});
        detail::require_sizes(facts, 2, "images", {&regions});
        detail::require_real(facts, 0);
        detail::require_real(facts, 1);
        facts.require_integers(2);
        facts.output(facts.type(0), shape{regions, channels, self.pooled_h, self.pooled_w});
    }
    friend constexpr bool operator==(const roi_align&, const roi_align&) = default;
};

}  // namespace lpt::inline LPT_ABI::op
