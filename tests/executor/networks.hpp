// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/bodies.hpp"
#include "tests/support/random_network.hpp"

#include <cmath>
#include <string>
#include <vector>

/// Networks for the executor, and inputs of all magnitudes.
namespace lpt::testing {

/// A network and the inputs of its runs, one after the other.
struct runnable {
    std::string name;
    graph model;
    std::vector<std::vector<tensor>> runs;
};

/// The same shapes and types with other numbers. `how` 0: as they are; 1: all times one power of ten, 1e-30 to 1e30; 2: each times a power of
/// its own; 3: one in ten is a zero of either sign, infinite, or an end of the range of f32 or of its normal numbers.
inline tensor varied(const tensor& from, int how, support::random_numbers& random) {
    if (!is_real(from.type()) || how == 0) {
        return from;
    }
    const auto power = [&] { return std::pow(10.0, random.real(-30, 30)); };
    const double all = power();
    tensor_builder result(from.type(), from.dimensions());
    for (std::size_t i = 0; i < result.elements(); ++i) {
        const double value = from.real(i);
        switch (how) {
            case 1: result.real(i, value * all); break;
            case 2: result.real(i, value * power()); break;
            default:
                result.real(i, random.chance(90) ? value
                                                 : random.pick({0.0, -0.0, math::infinity, -math::infinity,
                                                                3.4028234663852886e38, -3.4028234663852886e38,
                                                                1.1754943508222875e-38, 1e-45, 1e30, -1e-30}));
        }
    }
    return result.finish();
}
inline std::vector<tensor> varied(const std::vector<tensor>& from, int how, support::random_numbers& random) {
    std::vector<tensor> result;
    for (const tensor& each : from) {
        result.push_back(varied(each, how, random));
    }
    return result;
}

inline std::vector<shape> result_shapes(const graph& model) {
    std::vector<shape> result;
    for (const node_id id : model.results()) {
        result.push_back(model.shape(model[id].input(0)));
    }
    return result;
}

/// A tensor along whose first axis copies of another one lie.
inline tensor repeated(const tensor& part, std::int64_t times) {
    shape dimensions = part.dimensions();
    dimensions[0] *= times;
    tensor_builder result(part.type(), dimensions);
    for (std::size_t i = 0; i < result.elements(); ++i) {
        const std::size_t from = i % part.elements();
        if (is_real(part.type())) {
            result.real(i, part.real(from) * (1 - 0.25 * static_cast<double>(i / part.elements())));
        } else {
            result.integer(i, part.integer(from));
        }
    }
    return result.finish();
}

/// True if a network can be a body: results, all shapes known, with a first axis, no states.
inline bool can_be_body(const graph& model) {
    if (model.results().empty()) {
        return false;
    }
    for (const node_id id : topological_order(model)) {
        for (std::size_t port = 0; port < model[id].outputs(); ++port) {
            if (model[id].shape(port).is_dynamic() || model[id].is<op::read_value>()) {
                return false;
            }
        }
    }
    for (const node_id id : model.parameters()) {
        if (model[id].shape().rank() == 0) {
            return false;
        }
    }
    for (const shape& each : result_shapes(model)) {
        if (each.rank() == 0) {
            return false;
        }
    }
    return true;
}

/// A TensorIterator, or a Loop, that runs the network on parts of its inputs along their first axis; the first result is added to a state
/// that is fed back, in f32.
inline runnable iterated(const graph& body_model, const std::vector<tensor>& inputs, bool as_loop) {
    constexpr std::int64_t times = 3;
    graph body = body_model;
    graph model;
    seq<op::body_input> input_map;
    seq<op::body_output> output_map;
    seq<op::declared_output> declared;
    std::vector<output_ref> sources;
    runnable result;
    result.runs.resize(1);
    const std::int64_t first_port = as_loop ? 2 : 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const std::int64_t part = inputs[i].dimensions()[0];
        op::body_slice slice;
        slice.stride = part;
        slice.part_size = part;
        input_map.push_back(
            test::sliced(first_port + static_cast<std::int64_t>(i), static_cast<std::int64_t>(i), slice));
        const tensor whole = repeated(inputs[i], times);
        sources.push_back(model.parameter(whole.type(), whole.dimensions(), join({"x", i})));
        result.runs[0].push_back(whole);
    }
    const std::vector<shape> shapes = result_shapes(body);
    const std::size_t results = shapes.size();
    for (std::size_t i = 0; i < results; ++i) {
        op::body_slice slice;
        slice.stride = shapes[i][0];
        slice.part_size = shapes[i][0];
        output_map.push_back(test::concatenated(static_cast<std::int64_t>(i), static_cast<std::int64_t>(i), slice));
        shape whole = shapes[i];
        whole[0] *= times;
        declared.push_back({body.type(body[body.results()[i]].input(0)), whole});
    }
    const output_ref first = body[body.results()[0]].input(0);
    if (body.type(first) == f32) {
        const auto number = static_cast<std::int64_t>(results);
        const node_id before = body.parameter(f32, shapes[0], "before");
        body.result(body.add(op::add{}, {before, first}, "after"), "sum");
        const auto parameter = static_cast<std::int64_t>(inputs.size());
        input_map.push_back(test::fed_back(first_port + parameter, parameter, number));
        output_map.push_back(test::last(number, number));
        declared.push_back({f32, shapes[0]});
        sources.push_back(model.parameter(f32, shapes[0], "start"));
        result.runs[0].push_back(make_tensor(f32, shapes[0], {0.5}));
    }
    node_id id;
    if (as_loop) {
        op::loop what;
        what.input_map = input_map;
        what.output_map = output_map;
        what.declared_outputs = declared;
        what.execution_condition = static_cast<std::int64_t>(body.results().size());
        body.result(body.constant(make_tensor(boolean, shape{}, {1})), "goes_on");
        sources.insert(sources.begin(), {model.constant(make_integer_tensor(i64, shape{}, {times})),
                                         model.constant(make_tensor(boolean, shape{}, {1}))});
        const graph bodies[] = {body};
        id = test::add_with_bodies(model, what, view<output_ref>(sources.data(), sources.size()), bodies, "loop");
    } else {
        op::tensor_iterator what;
        what.input_map = input_map;
        what.output_map = output_map;
        what.declared_outputs = declared;
        const graph bodies[] = {body};
        id = test::add_with_bodies(model, what, view<output_ref>(sources.data(), sources.size()), bodies, "iterator");
    }
    for (std::size_t port = 0; port < declared.size(); ++port) {
        model.result(output_ref(id, static_cast<std::int32_t>(port)));
    }
    result.model = std::move(model);
    return result;
}

/// An If of two networks with the same inputs and results; it is run with one and the other.
inline runnable chosen(const graph& then_body, const graph& else_body, const std::vector<tensor>& inputs) {
    graph model;
    op::if_else what;
    std::vector<output_ref> sources{model.parameter(boolean, shape{}, "condition")};
    std::vector<tensor> run{make_tensor(boolean, shape{}, {1})};
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        what.then_inputs.push_back(test::whole(static_cast<std::int64_t>(i) + 1, static_cast<std::int64_t>(i)));
        sources.push_back(model.parameter(inputs[i].type(), inputs[i].dimensions(), join({"x", i})));
        run.push_back(inputs[i]);
    }
    const std::vector<shape> shapes = result_shapes(then_body);
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        what.then_outputs.push_back(test::last(static_cast<std::int64_t>(i), static_cast<std::int64_t>(i)));
        what.declared_outputs.push_back({then_body.type(then_body[then_body.results()[i]].input(0)), shapes[i]});
    }
    what.else_inputs = what.then_inputs;
    what.else_outputs = what.then_outputs;
    const graph bodies[] = {then_body, else_body};
    const node_id id =
        test::add_with_bodies(model, what, view<output_ref>(sources.data(), sources.size()), bodies, "choice");
    for (std::size_t port = 0; port < shapes.size(); ++port) {
        model.result(output_ref(id, static_cast<std::int32_t>(port)));
    }
    runnable result{{}, std::move(model), {run, run}};
    result.runs[1][0] = make_tensor(boolean, shape{}, {0});
    return result;
}

/// The network behind a Slice of its first input whose end is an input, too: sizes follow from a value. Its batch must be open. It is run with
/// one, all and two of `inputs`' images.
inline runnable sliced_by_value(graph model, const std::vector<tensor>& inputs) {
    runnable result;
    const node_id data = model.parameters()[0];
    const node_id count = model.parameter(i64, shape{1}, "count");
    const node_id zero = model.constant(make_integer_tensor(i64, shape{1}, {0}));
    const node_id one = model.constant(make_integer_tensor(i64, shape{1}, {1}));
    const node_id part = model.add(op::slice{}, {data, zero, count, one, zero}, "part");
    model.replace_uses(data, part);
    model.set_input(part, 0, data);
    infer_all(model);
    const std::int64_t times = 3;
    for (const std::int64_t images : {std::int64_t{1}, times, std::int64_t{2}}) {
        std::vector<tensor> run;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            run.push_back(repeated(inputs[i], i == 0 ? times : images));
        }
        const std::int64_t part_size = inputs[0].dimensions()[0] * images;
        run.push_back(make_integer_tensor(i64, shape{1}, {part_size}));
        result.runs.push_back(run);
    }
    result.model = std::move(model);
    return result;
}

}  // namespace lpt::testing
