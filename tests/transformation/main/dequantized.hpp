// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/tensor_difference.hpp"
#include <lpt/transformation/dequantization.hpp>

#include <utility>

/// Small networks of one operation behind a dequantization, for tests at run time and in constant expressions.
namespace lpt::testing {

/// The constants of a dequantization; no values: it has none.
struct scale_and_zero_point {
    seq<double, 4> scale;
    shape scale_shape{};
    seq<double, 4> zero_point{};
    shape zero_point_shape{};
    bool zero_point_converts = false;  // the zero point has the type of the data, and a Convert behind it
};
constexpr scale_and_zero_point single(double scale) { return {{scale}}; }
constexpr scale_and_zero_point single(double scale, double zero_point) { return {{scale}, {}, {zero_point}}; }
/// Three channels.
constexpr scale_and_zero_point channels() { return {{0.1, 0.2, 0.3}, {1, 3, 1, 1}}; }
constexpr scale_and_zero_point channels_with_zero_points() {
    return {{0.1, 0.2, 0.3}, {1, 3, 1, 1}, {128, 64, 3}, {1, 3, 1, 1}};
}

/// Parameter -> Convert -> [Subtract] -> [Multiply] -> what a test adds -> Results.
struct dequantized {
    graph model;
    graph before;  // as it was before `run`
    attribute::tables attributes;
    transformation_options options;
    restriction_table restrictions;
    seq<refusal> refusals;
    output_ref end;  // what the next operation reads
    node_id operation = node_id::none;

    constexpr explicit dequantized(shape dimensions, const scale_and_zero_point& constants, element type = u8) {
        end = model.parameter(type, std::move(dimensions), "in");
        if (is_integral(type)) {
            end = model.add(op::convert{f32}, {end});
        }
        if (!constants.zero_point.empty()) {
            output_ref zero_point = model.constant(make_tensor(constants.zero_point_converts ? type : f32,
                                                               constants.zero_point_shape, constants.zero_point));
            if (constants.zero_point_converts) {
                zero_point = model.add(op::convert{f32}, {zero_point});
            }
            end = model.add(op::subtract{}, {end, zero_point});
            model.relax(end.node);
        }
        if (!constants.scale.empty()) {
            end = model.add(op::multiply{},
                            {end, model.constant(make_tensor(f32, constants.scale_shape, constants.scale))});
            model.relax(end.node);
        }
    }

    constexpr output_ref indices(view<std::int64_t> values) { return model.constant(make_indices(values)); }
    constexpr output_ref number(double value) { return model.constant(make_scalar(f32, value)); }

    /// Adds the operation that the test is about, behind the dequantization, and Results of its outputs.
    constexpr node_id add(op::attributes what, view<output_ref> more = {}, int version = -1) {
        seq<output_ref> inputs{end};
        inputs.append(more);
        operation = model.add(std::move(what), inputs, "operation", version);
        if (op::has(op::row_of(model[operation].kind()).traits, op::trait::relaxable)) {
            model.relax(operation);
        }
        for (std::size_t port = 0; port < model[operation].outputs(); ++port) {
            model.result({operation, static_cast<std::int32_t>(port)});
        }
        return operation;
    }
    /// Applies the transformation to that operation, as the driver does.
    template <class Transformation>
    constexpr bool run() {
        before = model;
        if (!Transformation::pattern::matches(model, operation)) {
            return false;
        }
        rewrite r(model, attributes, options, restrictions);
        const bool changed = Transformation::transform(r, operation);
        refusals = r.refusals();
        model.collect();
        return changed;
    }
    /// Why the last run left the operation as it was.
    constexpr reason why() const { return refusals.empty() ? reason::none : refusals.back().why.why; }

    constexpr node_id output(std::size_t which = 0) const { return model.producer(model.results()[which], 0); }
    /// The dequantization that ends at a result.
    constexpr dequantization found(std::size_t which = 0) const {
        return find_dequantization_at(model, output(which), options.default_precisions);
    }
    /// The operation above that dequantization.
    constexpr node_id quantized(std::size_t which = 0) const { return found(which).data.node; }
    constexpr element quantized_type(std::size_t which = 0) const { return model.type(found(which).data); }
    constexpr const tensor& scale(std::size_t which = 0) const { return constant_of(model, found(which).scale); }
    constexpr const tensor& zero_point(std::size_t which = 0) const {
        return constant_of(model, found(which).zero_point);
    }

    /// The greatest difference between what the network gives now and what it gave before `run`.
    support::tensor_difference difference(integers dynamic_sizes = {}) const {
        shape dimensions = before[before.parameters()[0]].shape();
        for (std::size_t axis = 0, next = 0; axis < dimensions.rank(); ++axis) {
            if (!dimensions.is_static(axis)) {
                dimensions[axis] = dynamic_sizes[next++];
            }
        }
        const element type = before[before.parameters()[0]].type();
        tensor_builder data(type, dimensions);
        for (std::size_t i = 0; i < data.elements(); ++i) {
            const double spread = static_cast<double>((i * 73 + 29) % 256);  // all of 0 … 255 in disorder
            data.real(i, is_signed(type) ? spread - 128 : spread);
        }
        return support::difference_of<double>(before, model, std::vector<tensor>{data.finish()});
    }
    support::tensor_difference difference(std::initializer_list<std::int64_t> dynamic_sizes) const {
        return difference(integers(dynamic_sizes));
    }
};

}  // namespace lpt::testing
