// SPDX-License-Identifier: Apache-2.0
// Convolutions of all kinds, and pooling: kernels over windows.
#pragma once

#include <lpt/plan/planner.hpp>

#include <utility>

namespace lpt::inline LPT_ABI::plan {

namespace detail {

/// How the weights of a convolution lie: [G, O, I] or [G, I, O] in front of the kernel.
struct convolution_axes {
    std::int64_t groups = 1;
    std::int64_t inputs = 1;   // of one group
    std::int64_t outputs = 1;  // of one group
    std::int64_t taps = 1;
    bool outputs_first = true;
    std::size_t first_kernel_axis = 2;

    std::size_t channel_of(std::size_t element) const {
        const auto index = static_cast<std::int64_t>(element) / taps;
        const std::int64_t group = index / (inputs * outputs);
        const std::int64_t inside = index % (inputs * outputs);
        return static_cast<std::size_t>(group * outputs + (outputs_first ? inside / inputs : inside % outputs));
    }
};

inline convolution_axes convolution_axes_of(op::kind kind, const shape& weights) {
    convolution_axes result;
    const bool grouped = is_grouped_convolution(kind);
    const std::size_t first = grouped ? 1 : 0;
    result.outputs_first = !is_transposed_convolution(kind);
    result.groups = grouped ? weights[0] : 1;
    result.outputs = weights[first + (result.outputs_first ? 0 : 1)];
    result.inputs = weights[first + (result.outputs_first ? 1 : 0)];
    result.first_kernel_axis = first + 2;
    for (std::size_t axis = result.first_kernel_axis; axis < weights.rank(); ++axis) {
        result.taps *= weights[axis];
    }
    return result;
}

template <class Op>
reference::detail::window_geometry forward_geometry(const node& each, const shape& data, const shape& kernel,
                                                    std::size_t first) {
    return reference::detail::make_geometry(data, each.shape(), kernel, first,
                                            reference::detail::window_of(each.as<Op>()));
}

template <class Op>
reference::detail::window_geometry transposed_geometry(const node& each, const shape& data, const shape& kernel,
                                                       std::size_t first) {
    const Op& self = each.as<Op>();
    const op::detail::window_attributes as_given{self.strides, self.dilations, self.pads_begin, self.pads_end,
                                                 op::auto_pad::explicit_pads};
    reference::detail::window_geometry result =
        reference::detail::make_geometry(data, each.shape(), kernel, first, as_given);
    reference::detail::pad_transposed(result, self.auto_pad, self.output_padding, data.rank() - 2);
    return result;
}

inline reference::detail::window_geometry geometry_of(const node& each, const shape& data, const shape& kernel,
                                                      std::size_t first) {
    switch (each.kind()) {
        case op::kind::convolution: return forward_geometry<op::convolution>(each, data, kernel, first);
        case op::kind::group_convolution: return forward_geometry<op::group_convolution>(each, data, kernel, first);
        case op::kind::convolution_backprop_data:
            return transposed_geometry<op::convolution_backprop_data>(each, data, kernel, first);
        default: return transposed_geometry<op::group_convolution_backprop_data>(each, data, kernel, first);
    }
}

inline kernel::convolution_shape convolution_shape_of(const node& each, const shape& data, const shape& weights) {
    const convolution_axes axes = convolution_axes_of(each.kind(), weights);
    const reference::detail::window_geometry geometry = geometry_of(each, data, weights, axes.first_kernel_axis);
    kernel::convolution_shape result;
    result.batch = data[0];
    result.groups = axes.groups;
    result.in_channels = axes.groups * axes.inputs;
    result.out_channels = axes.groups * axes.outputs;
    result.transposed = is_transposed_convolution(each.kind());
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const op::window_axis& window = geometry.window[axis];
        result.in[axis] = geometry.input[axis];
        result.out[axis] = geometry.output[axis];
        result.kernel[axis] = window.kernel;
        result.stride[axis] = window.stride;
        result.dilation[axis] = window.dilation;
        result.pad_begin[axis] = window.pad_begin;
    }
    return result;
}

}  // namespace detail

/// True if the convolution can be computed on 8-bit integers; gives its weights.
inline bool planner::integer_convolution(const group& made, integer_weights& weights) const {
    const node& each = model()[made.anchor];
    const quantized_source& data = made.operands[0];
    if (data.zero_points.empty() || (!data.has_one_zero_point() && detail::is_transposed_convolution(each.kind()))) {
        return false;
    }
    const tensor& values = *model().constant_value(each.input(1));
    const detail::convolution_axes axes = detail::convolution_axes_of(each.kind(), values.dimensions());
    return integer_weights_of(
        values, static_cast<std::size_t>(axes.groups * axes.outputs), [&](std::size_t i) { return axes.channel_of(i); },
        weights);
}

/// Puts pixels of zero points around the data where windows reach over its border; the convolution then has no padding.
inline tensor_id planner::make_margin(tensor_id input, kernel::convolution_shape& shape,
                                      const std::vector<std::int32_t>& zero_points) {
    margin_step work;
    const stored_tensor data = at(input);
    lpt::shape dimensions = data.dimensions;
    bool needed = false;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::int64_t reach =
            (shape.out[axis] - 1) * shape.stride[axis] + (shape.kernel[axis] - 1) * shape.dilation[axis] + 1;
        work.in[axis] = shape.in[axis];
        work.begin[axis] = shape.pad_begin[axis];
        work.out[axis] = math::maximum(reach, shape.in[axis] + shape.pad_begin[axis]);
        needed = needed || work.out[axis] != work.in[axis];
        shape.in[axis] = work.out[axis];
        shape.pad_begin[axis] = 0;
        const std::size_t own = dimensions.rank() + axis - 3;
        if (own > 1 && own < dimensions.rank()) {
            dimensions[own] = work.out[axis];
        }
    }
    if (!needed) {
        return input;
    }
    if (!dimensions.is_possible()) {
        lpt::detail::raise_no_memory(SIZE_MAX);
    }
    work.batch = shape.batch;
    for (const std::int32_t each : zero_points) {
        work.fill.push_back(static_cast<std::byte>(each));
    }
    work.input = input;
    work.output = add_tensor(data.type, dimensions, layout::channels_last);
    step made;
    made.kernel = std::string("margin") + suffix_of(data.type);
    made.precision = data.type;
    made.reads = {input};
    made.writes = {work.output};
    const tensor_id result = work.output;
    made.work = std::move(work);
    add_step(std::move(made));
    return result;
}

namespace detail {

/// What the zero points of the channels add to each output channel: the sum of zero point * weight.
inline spread sums_of_zero_points(const integer_weights& weights, const convolution_axes& axes, std::size_t rank,
                                  const std::vector<std::int32_t>& zero_points) {
    spread result{shape::of_ones(rank), std::vector<double>(static_cast<std::size_t>(axes.groups * axes.outputs), 0.0)};
    result.dimensions[1] = axes.groups * axes.outputs;
    for (std::size_t i = 0; i < weights.values.elements(); ++i) {
        const std::size_t output = axes.channel_of(i);
        const auto group = static_cast<std::int64_t>(output) / axes.outputs;
        const auto input =
            static_cast<std::size_t>(group * axes.inputs + static_cast<std::int64_t>(i) / axes.taps % axes.inputs);
        const std::size_t which = weights.zero_points.size() > 1 ? output : 0;
        const double zero = weights.zero_points.empty() ? 0 : weights.zero_points[which];
        result.values[output] += (weights.values.real(i) - zero) * zero_points[input];
    }
    return result;
}

}  // namespace detail

namespace detail {

/// What the packed weights of a convolution depend on besides their values; not on the sizes of the image, but for the choice of
/// the method.
inline std::string form_of(op::kind kind, const kernel::convolution_shape& shape,
                           const kernel::convolution_weights& packing, kernel::convolution_method method) {
    std::string result = "convolution " + std::to_string(static_cast<int>(method)) + " " +
                         std::to_string(static_cast<int>(kind)) + " " + std::to_string(static_cast<int>(packing.type)) +
                         " " + std::to_string(packing.zero_point_count);
    for (const std::int64_t each : {shape.groups, shape.in_channels, shape.out_channels}) {
        result += " " + std::to_string(each);
    }
    for (int axis = 0; axis < 3; ++axis) {
        for (const std::int64_t each : {shape.kernel[axis], shape.stride[axis], shape.dilation[axis]}) {
            result += " " + std::to_string(each);
        }
    }
    return result;
}

}  // namespace detail

namespace detail {

/// Raises a `memory_error` where kernels could not count the bytes of an image that they copy with its padding, line by line.
inline void check_scratch(const kernel::convolution_shape& s) {
    const checked line = checked(s.out[2]) * s.stride[2] + s.pad_begin[2] + s.kernel[2] + s.in[2];
    const checked lines = checked(s.batch) * s.in[0] * s.in[1] + 1;
    if (!(line * lines * s.in_channels).is_within(0, most_elements)) {
        lpt::detail::raise_no_memory(SIZE_MAX);
    }
}

/// How weights of these axes lie in memory.
inline kernel::convolution_weights packing_of(const convolution_axes& axes) {
    kernel::convolution_weights result;
    result.group_stride = axes.inputs * axes.outputs * axes.taps;
    result.out_stride = axes.outputs_first ? axes.inputs * axes.taps : axes.taps;
    result.in_stride = axes.outputs_first ? axes.taps : axes.outputs * axes.taps;
    result.tap_stride = 1;
    return result;
}

}  // namespace detail

inline void planner::make_convolution(const group& made) {
    const node& each = model()[made.anchor];
    const output_ref given = each.input(0);
    if (model().constant_value(each.input(1)) == nullptr) {
        return make_computed_convolution(made);
    }
    const tensor values = *model().constant_value(each.input(1));
    const detail::convolution_axes axes = detail::convolution_axes_of(each.kind(), values.dimensions());
    convolution_step work;
    work.shape = detail::convolution_shape_of(each, model().shape(given), values.dimensions());
    integer_weights integers;
    const quantized_source& data = made.operands[0];
    const bool is_integer = integer_convolution(made, integers);
    const bool has_channel_zero_points = is_integer && !data.has_one_zero_point();
    work.zero_point = is_integer ? data.zero_point() : 0;
    spread scale = spread::of(is_integer ? data.scale.one() : 1);
    spread shift = spread::of(no_shift);
    if (has_channel_zero_points) {
        const double by = scale.one();
        shift = detail::sums_of_zero_points(integers, axes, each.shape().rank(), data.zero_points).map([&](double v) {
            return -v * by;
        });
    }
    const chain functions = after_affine(made.functions, scale, shift);
    const element precision = is_integer ? model().type(data.base) : f32;
    const tensor weights = is_integer ? integers.values : as_f32(values);
    kernel::convolution_weights packing = detail::packing_of(axes);
    packing.data = weights.data();
    const std::int64_t pixels = work.shape.batch * work.shape.out[0] * work.shape.out[1] * work.shape.out[2];
    packing.type = integers.packs_four_bits(pixels) ? kernel::element_kind::i4 : kind_of(weights.type());
    packing.zero_points = integers.zero_points.data();
    packing.zero_point_count = static_cast<std::int64_t>(integers.zero_points.size());
    work.input = tensor_of(is_integer ? data.base : given, layout::channels_last);
    work.input = is_integer ? work.input : make_f32(work.input);
    if (has_channel_zero_points) {
        work.input = make_margin(work.input, work.shape, data.zero_points);
    }
    detail::check_scratch(work.shape);
    work.method = kernels().method_of_convolution(work.shape);
    work.weights =
        packed_weights().find_or_pack(values, detail::form_of(each.kind(), work.shape, packing, work.method),
                                      kernels().packed_convolution_bytes(work.shape, packing.type), [&](std::byte* to) {
                                          kernels().pack_convolution(work.shape, packing, to, options_.parallel);
                                      });
    add_convolution(std::move(work), functions, precision);
}

/// The step of a convolution whose input and weights are known, with its output and scratch memory.
inline void planner::add_convolution(convolution_step work, const chain& functions, element precision) {
    work.finish = channel_finish(functions, layout::channels_last, work.shape.out_channels);
    work.output = add_tensor(functions.type, functions.dimensions, layout::channels_last);
    step result;
    result.nodes = functions.nodes;
    result.kernel = std::string(kernel::name_of(work.method)) + "_" + kernel::name_of(kernels().instruction_set) +
                    suffix_of(precision == f32 ? f32 : i8);
    result.precision = precision;
    result.reads = {work.input};
    if (work.computed_weights != tensor_id::none) {
        result.reads.push_back(work.computed_weights);
        result.writes.push_back(work.packed);
    }
    read_residuals(result, work.finish);
    const std::size_t scratch = kernels().convolution_scratch_bytes(work.shape, kind_of(precision), options_.threads);
    if (scratch != 0) {
        work.scratch = add_tensor(u8, shape{static_cast<dimension>(scratch)}, layout::plain);
        result.writes.push_back(work.scratch);
    }
    result.writes.insert(result.writes.begin(), work.output);
    define(functions.tail, work.output);
    result.work = std::move(work);
    add_step(std::move(result));
}

namespace detail {

/// A pooling problem without pointers; false for attributes that the kernels do not know.
inline bool pool_problem_of(const node& each, const shape& data, kernel::pool_problem& result) {
    using reference::detail::window_geometry;
    window_geometry geometry;
    const integers none;
    result.kind = kernel::pool_kind::max;
    if (each.is<op::max_pool>()) {
        const auto& self = each.as<op::max_pool>();
        geometry = reference::detail::make_geometry(
            data, each.shape(), shape(self.kernel), 0,
            {self.strides, each.version() >= 8 ? self.dilations : none, self.pads_begin, self.pads_end, self.auto_pad});
    } else if (each.is<op::avg_pool>()) {
        const auto& self = each.as<op::avg_pool>();
        geometry = reference::detail::make_geometry(data, each.shape(), shape(self.kernel), 0,
                                                    {self.strides, each.version() >= 16 ? self.dilations : none,
                                                     self.pads_begin, self.pads_end, self.auto_pad});
        result.kind =
            self.exclude_pad ? kernel::pool_kind::average_exclude_pad : kernel::pool_kind::average_include_pad;
    } else {
        for (std::size_t axis = 2; axis < data.rank(); ++axis) {
            const std::size_t to = 3 - data.rank() + axis;
            geometry.input[to] = data[axis];
            geometry.window[to].kernel = data[axis];
        }
        result.kind = each.is<op::reduce_mean>() ? kernel::pool_kind::average_exclude_pad : kernel::pool_kind::max;
    }
    result.batch = data[0];
    result.channels = data[1];
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const op::window_axis& window = geometry.window[axis];
        result.in[axis] = geometry.input[axis];
        result.out[axis] = geometry.output[axis];
        result.kernel[axis] = window.kernel;
        result.stride[axis] = window.stride;
        result.dilation[axis] = window.dilation;
        result.pad_begin[axis] = window.pad_begin;
        result.pad_end[axis] = window.pad_end;
    }
    return true;
}

}  // namespace detail

inline void planner::make_pool(const group& made) {
    const node& each = model()[made.anchor];
    const output_ref given = made.operands[0].base;
    pool_step work;
    detail::pool_problem_of(each, model().shape(given), work.problem);
    work.input = tensor_of(given, layout::channels_last);
    work.problem.input_type = kind_of(model().type(given));
    work.finish = channel_finish(made.functions, layout::channels_last, work.problem.channels);
    work.output = add_tensor(made.functions.type, made.functions.dimensions, layout::channels_last);
    step result;
    result.nodes = made.functions.nodes;
    result.precision = model().type(given);
    result.kernel = std::string(work.problem.kind == kernel::pool_kind::max ? "max_pool_" : "average_pool_") +
                    kernel::name_of(kernels().instruction_set) + suffix_of(result.precision);
    result.reads = {work.input};
    read_residuals(result, work.finish);
    result.writes = {work.output};
    define(made.functions.tail, work.output);
    result.work = std::move(work);
    add_step(std::move(result));
}

}  // namespace lpt::inline LPT_ABI::plan
