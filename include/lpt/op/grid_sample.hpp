// SPDX-License-Identifier: Apache-2.0
// Samples of an image at places that another tensor gives.
#pragma once

#include <lpt/op/sizes.hpp>

namespace lpt::inline LPT_ABI::op {

/// How GridSample takes a sample from the elements around its place.
enum class grid_sample_mode { bilinear, bicubic, nearest };
inline constexpr text_view grid_sample_mode_words[] = {"bilinear", "bicubic", "nearest"};
constexpr view<text_view> words_of(grid_sample_mode) { return grid_sample_mode_words; }

/// What GridSample takes for elements outside of the image: 0, the nearest one, or its mirror image.
enum class grid_sample_padding { zeros, border, reflection };
inline constexpr text_view grid_sample_padding_words[] = {"zeros", "border", "reflection"};
constexpr view<text_view> words_of(grid_sample_padding) { return grid_sample_padding_words; }

/// Samples of an image at the places of a grid.
///
/// Inputs: x [N, C, H, W], grid [N, H', W', 2] of x and y in [-1, 1], from one end of an axis of `size` elements to the other: place
/// = (g + 1) / 2 * (size - 1) with `align_corners`, else ((g + 1) * size - 1) / 2. Output: [N, C, H', W'], of the type of x. `bicubic` has the
/// coefficient -0.75; `nearest` rounds halves to even. Mirrors stand at the middles of the outermost elements with `align_corners`, else at
/// their outer edges. Source: OpenVINO operation set, GridSample-9.
struct grid_sample {
    static constexpr auto number = kind::grid_sample;
    static constexpr text_view name = "GridSample";
    static constexpr versions opsets{9};
    static constexpr ports inputs{2, 2};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::none;

    bool align_corners = false;
    grid_sample_mode mode = grid_sample_mode::bilinear;
    grid_sample_padding padding_mode = grid_sample_padding::zeros;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("align_corners", self.align_corners);
        visit("mode", self.mode);
        visit("padding_mode", self.padding_mode);
    }
    static constexpr void infer(const grid_sample&, inference& facts) {
        dimension images = dynamic_dimension;
        dimension channels = dynamic_dimension;
        dimension height = dynamic_dimension;
        dimension width = dynamic_dimension;
        dimension rows = dynamic_dimension;
        dimension columns = dynamic_dimension;
        dimension numbers = 2;
        detail::require_sizes(facts, 0, "data", {&images, &channels, &height, &width});
        detail::require_sizes(facts, 1, "the grid", {&images, &rows, &columns, &numbers});
        detail::require_real(facts, 1);
        if (height == 0 || width == 0) {
            facts.wrong({"an image of shape ", facts.dimensions(0), " has nothing to sample"});
        }
        facts.output(facts.type(0), shape{images, channels, rows, columns});
    }
    friend constexpr bool operator==(const grid_sample&, const grid_sample&) = default;
};

}  // namespace lpt::inline LPT_ABI::op
