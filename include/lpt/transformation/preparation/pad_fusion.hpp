// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

namespace detail {

/// Margins at the beginnings or ends of all axes, as a convolution has them: none on the batch and channel axes, none negative.
constexpr bool are_spatial_margins(const tensor* margins) {
    return !is_null(margins) && margins->elements() >= 3 && margins->integer(0) == 0 && margins->integer(1) == 0 &&
           !any_value(*margins, [](double margin) { return margin < 0; });
}

/// Whether a node pads with zeros around the spatial axes.
constexpr bool pads_with_zeros(const graph& model, node_id id) {
    const node& pad = model[id];
    if (!pad.is<op::pad>() || pad.as<op::pad>().pad_mode != op::pad_mode::constant) {
        return false;
    }
    const tensor* const value = pad.inputs() == 4 ? model.constant_value(pad.input(3)) : nullptr;
    const bool fills_zeros = pad.inputs() < 4 || (!is_null(value) && value->elements() == 1 && value->real(0) == 0);
    return fills_zeros && are_spatial_margins(model.constant_value(pad.input(1))) &&
           are_spatial_margins(model.constant_value(pad.input(2)));
}

template <class Rule, class Convolution>
struct pad_fusion {
    static constexpr bool transform(rewrite& r, node_id id) {
        const node_id pad = r.model.producer(id, 0);
        if (!pads_with_zeros(r.model, pad)) {
            return r.refused(id, Rule::name, refuse(reason::pattern_does_not_match));
        }
        const tensor begin = *r.model.constant_value(r.model[pad].input(1));
        const tensor end = *r.model.constant_value(r.model[pad].input(2));
        Convolution made = r.model[id].as<Convolution>();
        const bool keeps_own = made.auto_pad == op::auto_pad::explicit_pads;
        const std::size_t axes = begin.elements() - 2;
        if ((!keeps_own && made.auto_pad != op::auto_pad::valid) || end.elements() != begin.elements() ||
            made.pads_begin.size() != axes || made.pads_end.size() != axes) {
            return r.refused(id, Rule::name, refuse(reason::unsupported_padding));
        }
        for (std::size_t i = 0; i < axes; ++i) {
            const lpt::checked first = lpt::checked(keeps_own ? made.pads_begin[i] : 0) + begin.integer(i + 2);
            const lpt::checked last = lpt::checked(keeps_own ? made.pads_end[i] : 0) + end.integer(i + 2);
            if (!first.fits() || !last.fits()) {
                return r.refused(id, Rule::name, refuse(reason::unsupported_padding));
            }
            made.pads_begin[i] = first.value();
            made.pads_end[i] = last.value();
        }
        made.auto_pad = op::auto_pad::explicit_pads;
        return replace_and_name(r, id, r.model.add(lpt::move(made), {r.model[pad].input(0), r.model[id].input(1)}));
    }
};

}  // namespace detail

/// A Pad with zeros around the spatial axes goes into the Convolution that reads it: pads = pads + margins of the Pad.
struct pad_fusion_convolution : detail::pad_fusion<pad_fusion_convolution, op::convolution> {
    static constexpr text_view name = "PadFusionConvolution";
    using pattern = lpt::pattern<op::convolution>;
};

/// The same with a GroupConvolution.
struct pad_fusion_group_convolution : detail::pad_fusion<pad_fusion_group_convolution, op::group_convolution> {
    static constexpr text_view name = "PadFusionGroupConvolution";
    using pattern = lpt::pattern<op::group_convolution>;
};

}  // namespace lpt::inline LPT_ABI
