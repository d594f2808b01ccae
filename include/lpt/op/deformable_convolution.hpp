// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/op/sizes.hpp>
#include <lpt/op/window.hpp>

namespace lpt::inline LPT_ABI::op {

/// Convolution of images whose kernel elements are each moved by an offset of their own, and weighted by a mask.
///
/// y[n, o, p] = sum over c, k of w[o, c, k] * mask[n, d, k, p] * x[n, c, p * strides + k * dilations - pads_begin + offset[n, d, k, :, p]],
/// d the group of offsets of channel c; x between elements is their bilinear mean. Outside the image x is 0; with
/// `bilinear_interpolation_pad` it falls to 0 over one element, else elements of the border stand for those beyond.
/// Inputs: x [N, C, H, W], offsets [N, deformable_group * kernel * 2 (rows, columns), out_H, out_W], w [C_out, C / group, kernel_H,
/// kernel_W], perhaps mask [N, deformable_group * kernel, out_H, out_W] (from version 8 on). Output: [N, C_out, out_H, out_W].
/// Other attributes and errors like Convolution. Source: OpenVINO operation set, DeformableConvolution-1, -8.
struct deformable_convolution {
    static constexpr auto number = kind::deformable_convolution;
    static constexpr text_view name = "DeformableConvolution";
    static constexpr versions opsets{1, 8};
    static constexpr ports inputs{3, 4};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::none;

    integers strides{};
    integers pads_begin{};
    integers pads_end{};
    integers dilations{};
    op::auto_pad auto_pad = op::auto_pad::explicit_pads;
    std::int64_t group = 1;
    std::int64_t deformable_group = 1;
    bool bilinear_interpolation_pad = false;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("strides", self.strides);
        visit("pads_begin", self.pads_begin);
        visit("pads_end", self.pads_end);
        visit("dilations", self.dilations);
        visit("auto_pad", self.auto_pad);
        visit("group", self.group);
        visit("deformable_group", self.deformable_group);
        visit("bilinear_interpolation_pad", self.bilinear_interpolation_pad, in_versions{8});
    }
    static constexpr void infer(const deformable_convolution& self, inference& facts) {
        const detail::window_attributes window{self.strides, self.dilations, self.pads_begin, self.pads_end,
                                               self.auto_pad};
        window.check(facts, 2);
        facts.require("group", self.group, 1, most_step);
        facts.require("deformable_group", self.deformable_group, 1, most_step);
        for (std::size_t port = 0; port < facts.inputs(); ++port) {
            detail::require_real(facts, port);
        }
        facts.output(facts.type(0), dimensions(self, window, facts));
    }
    friend constexpr bool operator==(const deformable_convolution&, const deformable_convolution&) = default;

private:
    /// A size several times over; raises an error where that is no size.
    static constexpr dimension times(const inference& facts, dimension size, std::int64_t factor) {
        const checked product = checked(size) * factor;
        if (size != dynamic_dimension && !product.is_within(0, most_elements)) {
            facts.wrong({"a size of ", size, " times ", factor, " is too large"});
        }
        return size == dynamic_dimension ? dynamic_dimension : product.value();
    }
    static constexpr void agree(const inference& facts, std::size_t port, text_view what, shape wanted) {
        shape merged = wanted;
        if (port < facts.inputs() && !merge_shape(merged, facts.dimensions(port))) {
            facts.wrong({what, " (input ", port, ") must have shape ", wanted, ", not ", facts.dimensions(port)});
        }
    }
    static constexpr shape dimensions(const deformable_convolution& self, const detail::window_attributes& window,
                                      const inference& facts) {
        const shape& data = facts.dimensions(0);
        const shape& filters = facts.dimensions(2);
        if (data.rank_is_dynamic() || filters.rank_is_dynamic()) {
            return shape::of_rank(4);
        }
        if (data.rank() != 4 || filters.rank() != 4) {
            facts.wrong({"data of shape ", data, " and weights of shape ", filters, " must have 4 axes"});
        }
        agree(facts, 0, "data",
              shape{dynamic_dimension, times(facts, filters[1], self.group), dynamic_dimension, dynamic_dimension});
        for (const std::int64_t groups : {self.group, self.deformable_group}) {
            if (data.is_static(1) && data[1] % groups != 0) {
                facts.wrong({data[1], " channels cannot be divided into ", groups, " groups"});
            }
        }
        if (filters.is_static(0) && filters[0] % self.group != 0) {
            facts.wrong({filters[0], " filters cannot be divided into ", self.group, " groups"});
        }
        shape result{data[0], filters[0]};
        dimension kernel = 1;
        for (std::size_t axis = 0; axis < 2; ++axis) {
            const window_axis along = window.axis(axis, filters[axis + 2]);
            if (along.kernel == 0) {
                facts.wrong({"weights of shape ", filters, " have an empty kernel"});
            }
            detail::check_extent(facts, along, axis);
            result.push_back(
                detail::infer_positions(facts, along, self.auto_pad, rounding_type::floor, data[axis + 2], axis));
            kernel = along.kernel == dynamic_dimension || kernel == dynamic_dimension
                         ? dynamic_dimension
                         : times(facts, kernel, along.kernel);
        }
        const dimension places = times(facts, kernel, self.deformable_group);
        agree(facts, 1, "offsets", shape{data[0], times(facts, places, 2), result[2], result[3]});
        agree(facts, 3, "mask", shape{data[0], places, result[2], result[3]});
        return result;
    }
};

}  // namespace lpt::inline LPT_ABI::op
