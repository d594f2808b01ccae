// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/plan/planner.hpp>
#include <lpt/reference/interpolate.hpp>

#include <algorithm>
#include <vector>

namespace lpt::inline LPT_ABI::plan {

namespace detail {

/// How Interpolate resamples each axis, if it pads nothing and says all but its data beforehand; false otherwise.
inline bool known_resamplings(const graph& model, const node& each, seq<reference::detail::resampling>& result) {
    constexpr dimension longest = 1 << 20;  // axes that are longer are left to the reference
    const auto& self = each.as<op::interpolate>();
    const auto value_of = [&](std::size_t port) {
        return port < each.inputs() ? model.constant_value(each.input(port)) : nullptr;
    };
    const shape& data = model.shape(each.input(0));
    bool is_known = true;
    for (const integers* pads : {&self.pads_begin, &self.pads_end}) {
        for (const std::int64_t pad : *pads) {
            is_known = is_known && pad == 0;
        }
    }
    for (const shape* dimensions : {&data, &each.shape()}) {
        for (const dimension size : *dimensions) {
            is_known = is_known && size <= longest;
        }
    }
    const std::size_t port = reference::detail::axes_port(each.version());
    const tensor* axes = value_of(port);
    is_known = is_known && (each.version() == 0 || port >= each.inputs() || axes != nullptr);
    const bool by_scales = reference::detail::is_resized_by_scales(self, each.version());
    const tensor* scales = by_scales ? value_of(reference::detail::scale_port(each.version())) : nullptr;
    if (!is_known || by_scales != (scales != nullptr)) {
        return false;
    }
    result = reference::detail::resamplings_of(reference::detail::rule_of(self, each.version()), data, each.shape(),
                                               reference::detail::resized_axes(self, each.version(), axes, data.rank()),
                                               scales);
    return true;
}

/// The taps of an axis as the kernel reads them.
struct listed_taps {
    tensor first_taps;
    tensor places;
    tensor weights;

    explicit listed_taps(const reference::detail::resampling& axis) {
        std::size_t count = 0;
        for (const seq<reference::detail::tap>& place : axis) {
            count += place.size();
        }
        tensor_builder first(i32, shape{static_cast<dimension>(axis.size() + 1)});
        tensor_builder where(i32, shape{static_cast<dimension>(count)});
        tensor_builder share(f32, shape{static_cast<dimension>(count)});
        std::size_t at = 0;
        for (std::size_t place = 0; place < axis.size(); ++place) {
            for (const reference::detail::tap& each : axis[place]) {
                where.integer(at, each.place);
                share.real(at, each.weight);
                ++at;
            }
            first.integer(place + 1, static_cast<std::int64_t>(at));
        }
        first_taps = first.finish();
        places = where.finish();
        weights = share.finish();
    }
};

}  // namespace detail

/// Interpolate by weights: a step for each axis whose sums are computed, in either layout.
inline bool planner::make_resampling(node_id id) {
    const node& each = model()[id];
    seq<reference::detail::resampling> taps;
    if (!detail::is_weighted_interpolate(each) || !detail::maps_f32(model(), each) ||
        !detail::known_resamplings(model(), each, taps)) {
        return false;
    }
    const reference::detail::resize_rule rule = reference::detail::rule_of(each.as<op::interpolate>(), each.version());
    shape now = model().shape(each.input(0));
    std::vector<std::size_t> resampled;
    for (std::size_t axis = 0; axis < now.rank(); ++axis) {
        if (reference::detail::is_resampled(rule, taps[axis], now[axis], each.shape()[axis])) {
            resampled.push_back(axis);
        }
    }
    if (resampled.empty()) {
        return false;
    }
    const output_ref input = each.input(0);
    const layout order = layout_of(id);
    const bool last = order == layout::channels_last;
    const std::vector<std::size_t> axes = memory_order(now.rank(), order);
    tensor_id from = make_f32(tensor_of(input, order));
    for (const std::size_t axis : resampled) {
        const detail::listed_taps listed(taps[axis]);
        kernel::resampling_problem problem;
        problem.input_length = now[axis];
        problem.length = each.shape()[axis];
        bool is_inside = false;
        for (const std::size_t other : axes) {
            is_inside = is_inside || other == axis;
            const bool is_pixel = is_inside && last && other != axes.back();
            if (other != axis) {
                (is_pixel ? problem.middle : is_inside ? problem.inner : problem.outer) *= now[other];
            }
        }
        now[axis] = problem.length;
        const bool is_last = axis == resampled.back();
        if (is_last && last && axis + 1 == now.rank() && detail::is_only_a_result(model(), id)) {
            problem.plane_rows = problem.outer / std::max<std::int64_t>(1, now[0]);
        }
        const tensor_id to = add_tensor(f32, now, problem.plane_rows != 0 ? layout::plain : order);
        if (is_last) {
            define(id, to);
        }
        add_kernel(
            is_last ? std::vector<node_id>{id} : std::vector<node_id>(), problem,
            {add_constant(listed.first_taps), add_constant(listed.places), add_constant(listed.weights), from, to});
        from = to;
    }
    return true;
}

}  // namespace lpt::inline LPT_ABI::plan
