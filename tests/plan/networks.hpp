// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/kernel/dispatch.hpp>
#include <lpt/plan/plan.hpp>

#include <string>
#include <utility>
#include <vector>

/// Small networks in the form that the transformations leave, and helpers to look at their plans.
namespace lpt::testing {

inline output_ref scalar(graph& model, double value) { return model.constant(make_scalar(f32, value)); }

inline tensor numbers(element type, const shape& dimensions, double first, double step, double limit) {
    tensor_builder result(type, dimensions);
    double value = first;
    for (std::size_t i = 0; i < result.elements(); ++i) {
        result.real(i, value);
        value += step;
        value = value > limit ? first + (value - limit) : value;
    }
    return result.finish();
}

/// A FakeQuantize that gives integers of a type, `q = round(x / scale) + zero_point`.
inline output_ref quantize(graph& model, output_ref data, element type, double scale, double zero_point) {
    const double low = facts(type).lowest;
    const double high = facts(type).highest;
    const output_ref ranges[4] = {scalar(model, (low - zero_point) * scale), scalar(model, (high - zero_point) * scale),
                                  scalar(model, low), scalar(model, high)};
    return model.add_relaxed(op::fake_quantize{256}, {data, ranges[0], ranges[1], ranges[2], ranges[3]},
                             {{f32, f32, f32, f32, f32}, {type}});
}

/// data - zero points, as f32; the zero points broadcast to the data.
inline output_ref shifted(graph& model, output_ref data, const tensor& zero_points) {
    return model.add_relaxed(op::subtract{}, {data, model.constant(zero_points)}, {{f32, f32}, {f32}});
}

inline output_ref convolved(graph& model, output_ref data, const tensor& weights, std::int64_t pad,
                            std::int64_t stride = 1) {
    const integers pads{pad, pad};
    const integers strides{stride, stride};
    return model.add_relaxed(op::convolution{strides, {1, 1}, pads, pads}, {data, model.constant(weights)},
                             {{f32, f32}, {f32}});
}

inline output_ref multiplied(graph& model, output_ref data, const tensor& by) {
    return model.add(op::multiply{}, {data, model.constant(by)});
}
inline output_ref added(graph& model, output_ref data, const tensor& bias) {
    return model.add(op::add{}, {data, model.constant(bias)});
}

inline plan::network plan_of(graph model) {
    return plan::make_plan(std::move(model), {&kernel::table_for(kernel::isa::scalar), 1});
}

/// The kernels of the steps, in order, without their suffixes.
inline std::vector<std::string> kernels_of(const plan::network& net) {
    std::vector<std::string> result;
    for (const plan::step& each : net.steps) {
        result.push_back(each.kernel);
    }
    return result;
}

}  // namespace lpt::testing
