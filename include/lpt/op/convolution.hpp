// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/op/window.hpp>

namespace lpt::op {

/// Convolution over one to three spatial axes.
///
/// y[n, o, p] = sum over c, k of x[n, c, p * strides + k * dilations - pads_begin] * w[o, c, k]
/// Inputs: x `[N, C_in, spatial…]`, w `[C_out, C_in, kernel…]`. Output: `[N, C_out, spatial…]`.
/// `strides`, `dilations` >= 1, `pads_begin`, `pads_end`: one value a spatial axis; empty stands for all 1 or all 0.
/// Raises an error when the shapes cannot fit. Source: OpenVINO operation set, Convolution-1.
struct convolution {
    static constexpr auto number = kind::convolution;
    static constexpr text_view name = "Convolution";
    static constexpr versions opsets{1};
    static constexpr ports inputs{2, 2};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::relaxable;

    integers strides;
    integers dilations;
    integers pads_begin;
    integers pads_end;
    op::auto_pad auto_pad = op::auto_pad::explicit_pads;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("strides", self.strides);
        visit("dilations", self.dilations);
        visit("pads_begin", self.pads_begin);
        visit("pads_end", self.pads_end);
        visit("auto_pad", self.auto_pad);
    }
    static constexpr void infer(const convolution& self, inference& facts);
    friend constexpr bool operator==(const convolution&, const convolution&) = default;
};

/// Convolution in which each group of output channels sees its own group of input channels.
///
/// y[n, g * O + o, p] = sum over c, k of x[n, g * I + c, p * strides + k * dilations - pads_begin] * w[g, o, c, k]
/// Inputs: x `[N, G * I, spatial…]`, w `[G, O, I, kernel…]`. Output: `[N, G * O, spatial…]`.
/// Attributes and errors like Convolution. Source: OpenVINO operation set, GroupConvolution-1.
struct group_convolution {
    static constexpr auto number = kind::group_convolution;
    static constexpr text_view name = "GroupConvolution";
    static constexpr versions opsets{1};
    static constexpr ports inputs{2, 2};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::relaxable;

    integers strides;
    integers pads_begin;
    integers pads_end;
    integers dilations;
    op::auto_pad auto_pad = op::auto_pad::explicit_pads;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("strides", self.strides);
        visit("pads_begin", self.pads_begin);
        visit("pads_end", self.pads_end);
        visit("dilations", self.dilations);
        visit("auto_pad", self.auto_pad);
    }
    static constexpr void infer(const group_convolution& self, inference& facts);
    friend constexpr bool operator==(const group_convolution&, const group_convolution&) = default;
};

/// Transposed convolution: what Convolution would pass back to its input.
///
/// y[n, o, p * strides + k * dilations - pads_begin] += x[n, c, p] * w[c, o, k]
/// Inputs: x `[N, C_in, spatial…]`, w `[C_in, C_out, kernel…]`, optional spatial output shape. Output: `[N, C_out, spatial…]`.
/// `output_padding` >= 0, one value a spatial axis, is added at the end of the output; empty stands for all 0. With an output
/// shape the padding follows from it; `auto_pad` says at which end. Other attributes and errors like Convolution.
/// Source: OpenVINO operation set, ConvolutionBackpropData-1.
struct convolution_backprop_data {
    static constexpr auto number = kind::convolution_backprop_data;
    static constexpr text_view name = "ConvolutionBackpropData";
    static constexpr versions opsets{1};
    static constexpr ports inputs{2, 3};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::relaxable | trait::reads_values;

    integers strides;
    integers dilations;
    integers pads_begin;
    integers pads_end;
    op::auto_pad auto_pad = op::auto_pad::explicit_pads;
    integers output_padding;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("strides", self.strides);
        visit("dilations", self.dilations);
        visit("pads_begin", self.pads_begin);
        visit("pads_end", self.pads_end);
        visit("auto_pad", self.auto_pad);
        visit("output_padding", self.output_padding);
    }
    static constexpr void infer(const convolution_backprop_data& self, inference& facts);
    friend constexpr bool operator==(const convolution_backprop_data&, const convolution_backprop_data&) = default;
};

/// Transposed convolution in groups.
///
/// Inputs: x `[N, G * I, spatial…]`, w `[G, I, O, kernel…]`, optional spatial output shape. Output: `[N, G * O, spatial…]`.
/// Attributes and errors like ConvolutionBackpropData. Source: OpenVINO operation set, GroupConvolutionBackpropData-1.
struct group_convolution_backprop_data {
    static constexpr auto number = kind::group_convolution_backprop_data;
    static constexpr text_view name = "GroupConvolutionBackpropData";
    static constexpr versions opsets{1};
    static constexpr ports inputs{2, 3};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::reads_values;

    integers strides;
    integers pads_begin;
    integers pads_end;
    integers dilations;
    op::auto_pad auto_pad = op::auto_pad::explicit_pads;
    integers output_padding;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("strides", self.strides);
        visit("pads_begin", self.pads_begin);
        visit("pads_end", self.pads_end);
        visit("dilations", self.dilations);
        visit("auto_pad", self.auto_pad);
        visit("output_padding", self.output_padding);
    }
    static constexpr void infer(const group_convolution_backprop_data& self, inference& facts);
    friend constexpr bool operator==(const group_convolution_backprop_data&, const group_convolution_backprop_data&) = default;
};

/// Matrix product over the last two axes; the axes before them broadcast.
///
/// y[…, i, j] = sum over k of a[…, i, k] * b[…, k, j]
/// Inputs: a `[…, I, K]`, `[…, K, I]` with `transpose_a`; b `[…, K, J]`, `[…, J, K]` with `transpose_b`. A vector is a row
/// on the left and a column on the right, is not transposed, and its axis is left out of the output.
/// Raises an error when the inner sizes differ or the outer axes do not broadcast. Source: OpenVINO operation set, MatMul-1.
struct mat_mul {
    static constexpr auto number = kind::mat_mul;
    static constexpr text_view name = "MatMul";
    static constexpr versions opsets{0};
    static constexpr ports inputs{2, 2};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::none;

    bool transpose_a = false;
    bool transpose_b = false;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("transpose_a", self.transpose_a);
        visit("transpose_b", self.transpose_b);
    }
    static constexpr void infer(const mat_mul& self, inference& facts);
    friend constexpr bool operator==(const mat_mul&, const mat_mul&) = default;
};

constexpr void convolution::infer(const convolution&, inference& facts) { facts.output(facts.type(0), shape::of_dynamic_rank()); }
constexpr void group_convolution::infer(const group_convolution&, inference& facts) { facts.output(facts.type(0), shape::of_dynamic_rank()); }
constexpr void convolution_backprop_data::infer(const convolution_backprop_data&, inference& facts) { facts.output(facts.type(0), shape::of_dynamic_rank()); }
constexpr void group_convolution_backprop_data::infer(const group_convolution_backprop_data&, inference& facts) { facts.output(facts.type(0), shape::of_dynamic_rank()); }
constexpr void mat_mul::infer(const mat_mul&, inference& facts) { facts.output(facts.type(0), shape::of_dynamic_rank()); }

}  // namespace lpt::op
