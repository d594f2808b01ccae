// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/rule_pieces.hpp>

namespace lpt::inline LPT_ABI {

namespace padding {

constexpr bool are_zero_before_space(const tensor& margins) {
    return margins.elements() > 2 && margins.integer(0) == 0 && margins.integer(1) == 0;
}
constexpr bool are_not_negative(const tensor& margins) {
    for (std::size_t i = 0; i < margins.elements(); ++i) {
        if (margins.integer(i) < 0) {
            return false;
        }
    }
    return true;
}

/// Zeros around the spatial axes, as a convolution pads.
struct is_of_zeros_in_space {
    static constexpr text_view name = "IsOfZerosInSpace";
    static constexpr bool holds(const match& found) {
        const node& pad = found.model()[found.labelled_node(0)];
        if (pad.as<op::pad>().pad_mode != op::pad_mode::constant) {
            return false;
        }
        if (pad.inputs() == 4) {
            const tensor* const value = found.model().constant_value(pad.input(3));
            if (is_null(value) || value->elements() != 1 || value->real(0) != 0) {
                return false;
            }
        }
        const tensor& begin = found.constant(1);
        const tensor& end = found.constant(2);
        return begin.elements() == end.elements() && are_zero_before_space(begin) && are_zero_before_space(end) &&
               are_not_negative(begin) && are_not_negative(end);
    }
};

/// The margins of the convolution are in its attributes.
template <class Convolution>
struct has_margins_of_its_own {
    static constexpr text_view name = "HasMarginsOfItsOwn";
    static constexpr bool holds(const match& found) {
        const auto& convolution = found.model()[found.root()].as<Convolution>();
        const std::size_t axes = found.constant(1).elements() - 2;
        return (convolution.auto_pad == op::auto_pad::explicit_pads || convolution.auto_pad == op::auto_pad::valid) &&
               convolution.strides.size() == axes && convolution.pads_begin.size() == axes &&
               convolution.pads_end.size() == axes;
    }
};

/// The convolution with the margins of the Pad besides its own.
template <class Convolution>
constexpr Convolution padded(const match& found) {
    Convolution result = found.model()[found.root()].as<Convolution>();
    const bool keeps_own = result.auto_pad == op::auto_pad::explicit_pads;
    for (std::size_t i = 0; i < result.pads_begin.size(); ++i) {
        result.pads_begin[i] = (keeps_own ? result.pads_begin[i] : 0) + found.constant(1).integer(i + 2);
        result.pads_end[i] = (keeps_own ? result.pads_end[i] : 0) + found.constant(2).integer(i + 2);
    }
    result.auto_pad = op::auto_pad::explicit_pads;
    return result;
}

template <class... Value>
using pad_with = many_readers<labelled<0, expression<op::pad, any<0>, literal<1>, literal<2>, Value...>>>;
using pad = either<pad_with<>, pad_with<any<4>>>;

template <class Convolution>
using rule_of = when<is_of_zeros_in_space, has_margins_of_its_own<Convolution>>;

}  // namespace padding

/// A Pad with zeros around the spatial axes goes into the Convolution that reads it: pads = pads + margins of the Pad.
struct pad_fusion_convolution
    : rule<"PadFusionConvolution", expression<op::convolution, padding::pad, any<3>>,
           made<&padding::padded<op::convolution>, any<0>, any<3>>, padding::rule_of<op::convolution>> {};

/// The same with a GroupConvolution.
struct pad_fusion_group_convolution
    : rule<"PadFusionGroupConvolution", expression<op::group_convolution, padding::pad, any<3>>,
           made<&padding::padded<op::group_convolution>, any<0>, any<3>>, padding::rule_of<op::group_convolution>> {};

}  // namespace lpt::inline LPT_ABI
