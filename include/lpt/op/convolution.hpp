// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/op/product_type.hpp>
#include <lpt/op/window.hpp>

namespace lpt::inline LPT_ABI::op {

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
    static constexpr trait traits = trait::relaxable | trait::quantizable | trait::byte_factors | data_on(0, 1);

    integers strides{};
    integers dilations{};
    integers pads_begin{};
    integers pads_end{};
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
    static constexpr trait traits = trait::relaxable | trait::quantizable | trait::byte_factors | data_on(0, 1);

    integers strides{};
    integers pads_begin{};
    integers pads_end{};
    integers dilations{};
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
/// Inputs: x `[N, C_in, spatial…]`, w `[C_in, C_out, kernel…]`, optional spatial output shape. Output: `[N, C_out,
/// spatial…]`.
/// `output_padding` >= 0, one value a spatial axis, is added at the end of the output; empty stands for all 0. With
/// an output shape the padding follows from it; `auto_pad` says at which end. Other attributes and errors like
/// Convolution.
/// Source: OpenVINO operation set, ConvolutionBackpropData-1.
struct convolution_backprop_data {
    static constexpr auto number = kind::convolution_backprop_data;
    static constexpr text_view name = "ConvolutionBackpropData";
    static constexpr versions opsets{1};
    static constexpr ports inputs{2, 3};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits =
        trait::relaxable | trait::reads_values | trait::quantizable | trait::byte_factors | data_on(0, 1);

    integers strides{};
    integers dilations{};
    integers pads_begin{};
    integers pads_end{};
    op::auto_pad auto_pad = op::auto_pad::explicit_pads;
    integers output_padding{};

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
/// Inputs: x `[N, G * I, spatial…]`, w `[G, I, O, kernel…]`, optional spatial output shape. Output: `[N, G * O,
/// spatial…]`.
/// Attributes and errors like ConvolutionBackpropData. Source: OpenVINO operation set, GroupConvolutionBackpropData-1.
struct group_convolution_backprop_data {
    static constexpr auto number = kind::group_convolution_backprop_data;
    static constexpr text_view name = "GroupConvolutionBackpropData";
    static constexpr versions opsets{1};
    static constexpr ports inputs{2, 3};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::reads_values;

    integers strides{};
    integers pads_begin{};
    integers pads_end{};
    integers dilations{};
    op::auto_pad auto_pad = op::auto_pad::explicit_pads;
    integers output_padding{};

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
    friend constexpr bool operator==(const group_convolution_backprop_data&,
                                     const group_convolution_backprop_data&) = default;
};

namespace detail {

/// What the shapes of the inputs of a convolution say, in one form for those with groups and those without.
struct convolution_sizes {
    std::size_t axes = 0;  // spatial
    bool axes_known = false;
    dimension batch = dynamic_dimension;
    dimension channels = dynamic_dimension;    // of input 0
    dimension groups = 1;
    dimension inputs = dynamic_dimension;      // channels of input 0 that one group sees
    dimension outputs = dynamic_dimension;     // channels that one group makes
    shape spatial;                             // of input 0
    shape kernel;
};

constexpr void check_convolution_rank(const inference& facts, std::size_t port, std::size_t least) {
    const std::size_t rank = facts.dimensions(port).rank();
    if (facts.dimensions(port).rank_is_static() && (rank < least || rank > least + 2)) {
        facts.wrong(
            {"input ", port, " must have ", least, " to ", least + 2, " axes, not the shape ", facts.dimensions(port)});
    }
}

/// `output_axis` is the place of the output channels among the channel axes of the weights, 0 or 1.
constexpr convolution_sizes read_convolution(const inference& facts, bool grouped, std::size_t output_axis) {
    const shape& data = facts.dimensions(0);
    const shape& weights = facts.dimensions(1);
    const std::size_t first = grouped ? 1 : 0;
    check_convolution_rank(facts, 0, 3);
    check_convolution_rank(facts, 1, 3 + first);
    convolution_sizes sizes;
    if (data.rank_is_static()) {
        sizes.axes = data.rank() - 2;
        sizes.axes_known = true;
        sizes.batch = data[0];
        sizes.channels = data[1];
    }
    if (weights.rank_is_static()) {
        if (sizes.axes_known && sizes.axes != weights.rank() - 2 - first) {
            facts.wrong(
                {"data of shape ", data, " and weights of shape ", weights, " have different numbers of spatial axes"});
        }
        sizes.axes = weights.rank() - 2 - first;
        sizes.axes_known = true;
        sizes.outputs = weights[first + output_axis];
        sizes.inputs = weights[first + 1 - output_axis];
    }
    if (grouped) {
        sizes.groups = weights.rank_is_static() ? weights[0] : dynamic_dimension;
    }
    for (std::size_t axis = 0; axis < sizes.axes; ++axis) {
        sizes.spatial.push_back(data.rank_is_static() ? data[axis + 2] : dynamic_dimension);
        sizes.kernel.push_back(weights.rank_is_static() ? weights[axis + 2 + first] : dynamic_dimension);
    }
    return sizes;
}

/// Derives the number of groups where the weights do not say it, and checks the channels.
constexpr void check_convolution_channels(const inference& facts, convolution_sizes& sizes) {
    if (sizes.channels == dynamic_dimension || sizes.inputs == dynamic_dimension) {
        return;
    }
    if (sizes.groups == dynamic_dimension && sizes.inputs != 0 && sizes.channels % sizes.inputs == 0) {
        sizes.groups = sizes.channels / sizes.inputs;
    }
    const checked channels = checked(sizes.groups) * sizes.inputs;
    if (sizes.groups == dynamic_dimension || !channels.is_within(sizes.channels, sizes.channels)) {
        facts.wrong({"weights of shape ", facts.dimensions(1), " do not fit data of shape ", facts.dimensions(0),
                     ": the numbers of input channels differ"});
    }
}

/// The output shape but for its spatial axes.
constexpr shape convolution_head(const convolution_sizes& sizes) {
    const bool known = sizes.groups != dynamic_dimension && sizes.outputs != dynamic_dimension;
    const checked channels = checked(sizes.groups) * sizes.outputs;
    // Too many channels are left to the check of outputs.
    return {sizes.batch, !known ? dynamic_dimension : channels.fits() ? channels.value() : INT64_MAX};
}

constexpr void infer_convolution(inference& facts, const window_attributes& window, bool grouped) {
    const element type = infer_product_type(facts);
    convolution_sizes sizes = read_convolution(facts, grouped, 0);
    if (!sizes.axes_known) {
        facts.output(type, shape::of_dynamic_rank());
        return;
    }
    window.check(facts, sizes.axes);
    check_convolution_channels(facts, sizes);
    shape result = convolution_head(sizes);
    for (std::size_t axis = 0; axis < sizes.axes; ++axis) {
        if (sizes.kernel[axis] == 0) {
            facts.wrong({"weights of shape ", facts.dimensions(1), " have an empty kernel"});
        }
        result.push_back(infer_positions(facts, window.axis(axis, sizes.kernel[axis]), window.rule,
                                         rounding_type::floor, sizes.spatial[axis], axis));
    }
    facts.output(type, result);
}

/// The spatial sizes that input 2 of a transposed convolution asks for; empty where the node has no such input.
constexpr shape requested_spatial(const inference& facts, std::size_t axes) {
    if (facts.inputs() < 3) {
        return {};
    }
    integers values;
    if (!facts.values(2, values)) {
        return shape::of_rank(axes);
    }
    if (values.size() != axes) {
        facts.wrong({"input 2 has ", values.size(), " sizes for ", axes, " spatial axes"});
    }
    shape result;
    for (const std::int64_t value : values) {
        if (value != unknown_value && value < 1) {
            facts.wrong({"input 2 asks for a spatial size of ", value});
        }
        result.push_back(value == unknown_value ? dynamic_dimension : value);
    }
    return result;
}

/// The number of spatial axes where only input 2 says it.
constexpr void read_axes_of_request(const inference& facts, convolution_sizes& sizes) {
    integers values;
    if (sizes.axes_known || !facts.values(2, values)) {
        return;
    }
    sizes.axes = values.size();
    sizes.axes_known = true;
    sizes.spatial = shape::of_rank(sizes.axes);
    sizes.kernel = shape::of_rank(sizes.axes);
}

/// size = (input - 1) * stride + extent - pad_begin - pad_end + output_padding; raises an error where it is beyond `most_elements`
/// before the padding is taken away, and, unless it was `requested`, where it is below 1.
constexpr dimension transposed_size(const inference& facts, const window_axis& window, std::int64_t output_padding,
                                    dimension input, bool requested) {
    if (input == dynamic_dimension || window.kernel == dynamic_dimension) {
        return dynamic_dimension;
    }
    const checked whole = (checked(input) - 1) * window.stride + window.extent();
    if (!whole.is_within(INT64_MIN, most_elements)) {
        facts.wrong({"an input of size ", input, " with stride ", window.stride, " and a window over ", window.extent(),
                     " elements gives too large an output"});
    }
    const std::int64_t size = whole.value() - window.pad_begin - window.pad_end + output_padding;
    if (size < 1 && !requested) {
        facts.wrong({"the padding leaves an output of size ", size, " for an input of size ", input});
    }
    return size;
}

constexpr void infer_transposed_convolution(inference& facts, const window_attributes& window,
                                            const integers& output_padding, bool grouped) {
    const element type = infer_product_type(facts);
    convolution_sizes sizes = read_convolution(facts, grouped, 1);
    read_axes_of_request(facts, sizes);
    if (!sizes.axes_known) {
        facts.output(type, shape::of_dynamic_rank());
        return;
    }
    window.check(facts, sizes.axes);
    check_spatial(facts, "output_padding", output_padding, sizes.axes, 0);
    check_convolution_channels(facts, sizes);
    const shape requested = requested_spatial(facts, sizes.axes);
    shape result = convolution_head(sizes);
    for (std::size_t axis = 0; axis < sizes.axes; ++axis) {
        window_axis one = window.axis(axis, sizes.kernel[axis]);
        if (window.rule == auto_pad::valid) {
            one.pad_begin = 0;
            one.pad_end = 0;
        }
        check_extent(facts, one, axis);
        const bool is_requested = facts.inputs() > 2;
        const dimension size =
            transposed_size(facts, one, spatial_value(output_padding, axis, 0), sizes.spatial[axis], is_requested);
        result.push_back(is_requested ? requested[axis] : size);
    }
    facts.output(type, result);
}

}  // namespace detail

constexpr void convolution::infer(const convolution& self, inference& facts) {
    detail::infer_convolution(facts, {self.strides, self.dilations, self.pads_begin, self.pads_end, self.auto_pad},
                              false);
}
constexpr void group_convolution::infer(const group_convolution& self, inference& facts) {
    detail::infer_convolution(facts, {self.strides, self.dilations, self.pads_begin, self.pads_end, self.auto_pad},
                              true);
}
constexpr void convolution_backprop_data::infer(const convolution_backprop_data& self, inference& facts) {
    detail::infer_transposed_convolution(facts,
                                         {self.strides, self.dilations, self.pads_begin, self.pads_end, self.auto_pad},
                                         self.output_padding, false);
}
constexpr void group_convolution_backprop_data::infer(const group_convolution_backprop_data& self, inference& facts) {
    detail::infer_transposed_convolution(facts,
                                         {self.strides, self.dilations, self.pads_begin, self.pads_end, self.auto_pad},
                                         self.output_padding, true);
}

}  // namespace lpt::inline LPT_ABI::op
