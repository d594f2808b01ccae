// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/fake_quantize/compose.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

namespace fusion {

/// Positions from `begin` to before `end` on each spatial axis.
struct spatial_region {
    integers begin;
    integers end;

    /// Grows until it holds the other one, too.
    constexpr void include(const spatial_region& other) {
        for (std::size_t axis = 0; axis < other.begin.size(); ++axis) {
            begin[axis] = math::minimum(begin[axis], other.begin[axis]);
            end[axis] = math::maximum(end[axis], other.end[axis]);
        }
    }
    constexpr bool is_all_of(const shape& dimensions) const {
        for (std::size_t axis = 0; axis < begin.size(); ++axis) {
            if (begin[axis] != 0 || end[axis] != dimensions[axis + 2]) {
                return false;
            }
        }
        return true;
    }
};

/// A Slice that takes elements of constant places, in their order: where it begins and ends on each axis that it names.
struct constant_slice {
    integers axes;
    integers start;
    integers stop;
    integers step;

    /// Fills everything in for a Slice whose input has these dimensions; false where a place is unknown, an axis runs backwards or nothing
    /// is taken.
    constexpr bool read(const graph& model, node_id id, const shape& dimensions) {
        integers* const values[] = {&start, &stop, &step, &axes};
        for (std::size_t port = 1; port < model[id].inputs(); ++port) {
            const tensor* const constant = model.constant_value(model[id].input(port));
            if (is_null(constant)) {
                return false;
            }
            *values[port - 1] = integers_of(*constant);
        }
        for (std::size_t axis = axes.size(); axis < start.size(); ++axis) {
            axes.push_back(static_cast<std::int64_t>(axis));
        }
        for (std::size_t i = 0; i < axes.size(); ++i) {
            axes[i] = normalized_axis(axes[i], dimensions.rank());
            if (!clamp(i, dimensions[static_cast<std::size_t>(axes[i])])) {
                return false;
            }
        }
        return true;
    }
    constexpr spatial_region region(const shape& dimensions) const {
        spatial_region result;
        for (std::size_t axis = 2; axis < dimensions.rank(); ++axis) {
            result.begin.push_back(0);
            result.end.push_back(dimensions[axis]);
        }
        for (std::size_t i = 0; i < axes.size(); ++i) {
            if (axes[i] >= 2) {
                result.begin[static_cast<std::size_t>(axes[i]) - 2] = start[i];
                result.end[static_cast<std::size_t>(axes[i]) - 2] = stop[i];
            }
        }
        return result;
    }

private:
    /// Makes the places of one axis absolute, and `stop` the one behind the last element.
    constexpr bool clamp(std::size_t i, dimension size) {
        const dimension count = op::detail::sliced_size(size, {start[i], stop[i], step[i], false, false});
        if (step[i] <= 0 || count <= 0) {
            return false;
        }
        start[i] = op::detail::clamped_place(start[i], size, 0, size);
        stop[i] = start[i] + (count - 1) * step[i] + 1;
        return true;
    }
};

/// True for an operation that computes a position of its output from the same position of `data` and from constants that are the same at
/// all positions.
constexpr bool is_position_wise(const graph& model, node_id id, output_ref data) {
    const op::trait traits = op::row_of(model[id].attributes()).traits;
    if (!op::has(traits, op::trait::elementwise_unary) && !op::has(traits, op::trait::elementwise_binary) &&
        !model[id].is<op::fake_quantize>()) {
        return false;
    }
    const std::size_t rank = model.shape(data).rank();
    for (std::size_t port = 0; port < model[id].inputs(); ++port) {
        if (model[id].input(port) == data) {
            continue;
        }
        const shape& dimensions = model.shape(model[id].input(port));
        if (!is_constant(model, model[id].input(port)) || dimensions.rank() > rank) {
            return false;
        }
        for (std::size_t axis = dimensions.rank(); axis-- > 0 && rank + axis >= dimensions.rank() + 2;) {
            if (dimensions[axis] != 1) {
                return false;
            }
        }
    }
    return true;
}

/// The operations behind a node, up to Slices, each of which is the only reader of the one before.
constexpr seq<node_id> position_wise_operations_behind(const graph& model, node_id id) {
    seq<node_id> result;
    output_ref data(id);
    while (model.use_count(data) == 1 && is_position_wise(model, model.first_use(data).node, data)) {
        result.push_back(model.first_use(data).node);
        data = output_ref(result.back());
    }
    return result;
}

/// The part that Slices read of a tensor that nothing else reads; false where something else reads it, or the whole of it.
constexpr bool read_region(const graph& model, output_ref data, spatial_region& region) {
    const shape& dimensions = model.shape(data);
    for (input_ref user = model.first_use(data); user.node != node_id::none; user = model.next_use(user)) {
        constant_slice places;
        if (!model[user.node].is<op::slice>() || user.port != 0 || !places.read(model, user.node, dimensions)) {
            return false;
        }
        if (region.begin.empty()) {
            region = places.region(dimensions);
        }
        region.include(places.region(dimensions));
    }
    return !region.begin.empty() && !region.is_all_of(dimensions);
}

/// The part of its input that a convolution needs for a region of its output, and the padding that is left of its own; false where a
/// position needs nothing but padding.
template <class Convolution>
constexpr bool crop_window(const graph& model, node_id id, const spatial_region& region, Convolution& self,
                           spatial_region& needed) {
    const shape& data = model.shape(model[id].input(0));
    const shape& weights = model.shape(model[id].input(1));
    const std::size_t axes = region.begin.size();
    const op::detail::window_attributes window{self.strides, self.dilations, self.pads_begin, self.pads_end,
                                               self.auto_pad};
    integers pads_begin;
    integers pads_end;
    for (std::size_t axis = 0; axis < axes; ++axis) {
        const dimension size = data[axis + 2];
        const op::window_axis along =
            op::padded_window(window.axis(axis, weights[weights.rank() - axes + axis]), self.auto_pad, size);
        const std::int64_t first = region.begin[axis] * along.stride - along.pad_begin;
        const std::int64_t behind = (region.end[axis] - 1) * along.stride - along.pad_begin + along.extent();
        if (first >= size || behind <= 0) {
            return false;
        }
        pads_begin.push_back(math::maximum<std::int64_t>(-first, 0));
        pads_end.push_back(math::maximum<std::int64_t>(behind - size, 0));
        needed.begin.push_back(math::maximum<std::int64_t>(first, 0));
        needed.end.push_back(math::minimum(behind, size));
    }
    self.pads_begin = lpt::move(pads_begin);
    self.pads_end = lpt::move(pads_end);
    self.auto_pad = op::auto_pad::explicit_pads;
    return true;
}

/// A Slice of the spatial axes; the tensor itself where all of it is taken.
constexpr output_ref crop(rewrite& r, output_ref data, const spatial_region& region) {
    if (region.is_all_of(r.model.shape(data))) {
        return data;
    }
    const integers step(region.begin.size(), 1);
    integers axes;
    for (std::size_t axis = 0; axis < region.begin.size(); ++axis) {
        axes.push_back(static_cast<std::int64_t>(axis + 2));
    }
    const auto constant = [&](const integers& values) { return output_ref(r.model.constant(make_indices(values))); };
    return r.model.add(op::slice{},
                       {data, constant(region.begin), constant(region.end), constant(step), constant(axes)});
}

/// Lets a Slice of the whole tensor, which had these dimensions, take the same elements of a region of it; it goes away where these are all.
constexpr void slice_region(rewrite& r, node_id id, const shape& whole, const spatial_region& region) {
    constant_slice places;
    places.read(r.model, id, whole);
    for (std::size_t i = 0; i < places.axes.size(); ++i) {
        if (places.axes[i] >= 2) {
            const std::int64_t begin = region.begin[static_cast<std::size_t>(places.axes[i]) - 2];
            places.start[i] -= begin;
            places.stop[i] -= begin;
        }
    }
    r.model.set_constant(id, 1, make_indices(places.start));
    r.model.set_constant(id, 2, make_indices(places.stop));
    r.model.infer(id);
    const output_ref data = r.model[id].input(0);
    if (r.model.shape(id) == r.model.shape(data) && !feeds_result(r.model, id)) {
        r.model.replace_uses(output_ref(id), data);
    }
}

template <class Convolution>
constexpr bool crop_convolution(rewrite& r, node_id id) {
    graph& model = r.model;
    if (!model.shape(id).is_static() || !model.shape(model[id].input(0)).is_static() ||
        !model.shape(model[id].input(1)).is_static()) {
        return false;
    }
    const seq<node_id> behind = position_wise_operations_behind(model, id);
    const node_id last = behind.empty() ? id : behind.back();
    const shape whole = model.shape(last);
    spatial_region region;
    spatial_region needed;
    Convolution self = model[id].as<Convolution>();
    if (!read_region(model, last, region) || !crop_window(model, id, region, self, needed)) {
        return false;
    }
    const output_ref data = crop(r, model[id].input(0), needed);
    model.set_input(id, 0, data);
    model.set_attributes(id, lpt::move(self));
    for (const node_id each : behind) {
        model.infer(each);
    }
    for (const input_ref user : model.uses(last)) {
        slice_region(r, user.node, whole, region);
    }
    return true;
}

}  // namespace fusion

/// A Convolution of whose output Slices read a part of the positions, and nothing else reads any, computes only the part that holds these:
/// its input is sliced instead.
///
/// Operations between them that compute each position for itself may be passed. A part without elements is left alone.
struct convolution_cropping {
    static constexpr text_view name = "ConvolutionCropping";
    using pattern = lpt::pattern<op::convolution>;

    static constexpr bool transform(rewrite& r, node_id id) { return fusion::crop_convolution<op::convolution>(r, id); }
};

/// The same with a GroupConvolution.
struct group_convolution_cropping {
    static constexpr text_view name = "GroupConvolutionCropping";
    using pattern = lpt::pattern<op::group_convolution>;

    static constexpr bool transform(rewrite& r, node_id id) {
        return fusion::crop_convolution<op::group_convolution>(r, id);
    }
};

}  // namespace lpt::inline LPT_ABI
