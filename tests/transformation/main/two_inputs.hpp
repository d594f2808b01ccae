// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dequantized.hpp"

#include <utility>

/// Small networks of one operation that two dequantized tensors meet at: activations and weights, or two branches.
namespace lpt::testing {

struct two_inputs {
    graph model;
    graph before;  // as it was before `run`
    attribute::tables attributes;
    transformation_options options;
    restriction_table restrictions;
    seq<refusal> refusals;
    node_id operation = node_id::none;

    /// source -> Convert -> [Subtract] -> [Multiply]
    constexpr output_ref dequantize(output_ref source, const scale_and_zero_point& constants) {
        const element type = model.type(source);
        output_ref end = source;
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
        return end;
    }
    constexpr output_ref activations(shape dimensions, const scale_and_zero_point& constants, element type = u8) {
        return dequantize(model.parameter(type, std::move(dimensions)), constants);
    }
    /// A Constant of small numbers in disorder.
    constexpr output_ref numbers(shape dimensions, element type = i8) {
        tensor_builder values(type, std::move(dimensions));
        for (std::size_t i = 0; i < values.elements(); ++i) {
            const double spread = static_cast<double>((i * 37 + 11) % 64);
            values.real(i, is_signed(type) ? spread - 32 : spread);
        }
        return model.constant(values.finish());
    }
    constexpr output_ref weights(shape dimensions, const scale_and_zero_point& constants, element type = i8) {
        return dequantize(numbers(std::move(dimensions), type), constants);
    }
    /// Real weights through a FakeQuantize to `[low, high]`, one pair for each entry, with ranges of `range_shape`.
    constexpr output_ref fake_quantized(output_ref data, std::int64_t levels, view<double> low, view<double> high,
                                        shape range_shape = {}) {
        const auto range = [&](view<double> values) { return model.constant(make_tensor(f32, range_shape, values)); };
        const node_id made =
            model.add(op::fake_quantize{levels}, {data, range(low), range(high), range(low), range(high)}, "fq");
        model.relax(made);
        return made;
    }

    /// Adds the operation that the test is about, and a Result.
    constexpr node_id add(op::attributes what, view<output_ref> inputs) {
        operation = model.add(std::move(what), inputs, "operation");
        if (op::has(op::row_of(model[operation].kind()).traits, op::trait::relaxable)) {
            model.relax(operation);
        }
        model.result(operation);
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
    constexpr reason why() const { return refusals.empty() ? reason::none : refusals.back().why.why; }

    constexpr node_id output(std::size_t which = 0) const { return model.producer(model.results()[which], 0); }
    /// What input `port` of a node reads.
    constexpr const node& input(node_id id, std::size_t port) const { return model[model.producer(id, port)]; }
    /// The Constant on an input of a node.
    constexpr const tensor& value(node_id id, std::size_t port) const {
        return *model.constant_value(model[id].input(port));
    }

    /// The greatest difference between what the network gives now and what it gave before `run`.
    support::tensor_difference difference() const {
        std::vector<tensor> inputs;
        for (std::size_t which = 0; which < before.parameters().size(); ++which) {
            const node& parameter = before[before.parameters()[which]];
            tensor_builder data(parameter.type(), parameter.shape());
            for (std::size_t i = 0; i < data.elements(); ++i) {
                const double spread = static_cast<double>((i * 73 + 29 + which * 5) % 256);
                data.real(i, is_signed(parameter.type()) ? spread - 128 : spread);
            }
            inputs.push_back(data.finish());
        }
        return support::difference_of<double>(before, model, inputs, support::measure::relative);
    }
};

}  // namespace lpt::testing
