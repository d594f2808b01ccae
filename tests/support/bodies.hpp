// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/graph.hpp>

#include <utility>

/// Networks with graphs inside their nodes, as tests build them.
namespace lpt::test {

inline op::body_input whole(std::int64_t port, std::int64_t parameter) { return {port, parameter}; }
inline op::body_input fed_back(std::int64_t port, std::int64_t parameter, std::int64_t result) {
    return {port, parameter, op::body_input::form::merged, result};
}
inline op::body_input sliced(std::int64_t port, std::int64_t parameter, const op::body_slice& slice) {
    return {port, parameter, op::body_input::form::sliced, -1, slice};
}
inline op::body_output last(std::int64_t port, std::int64_t result) { return {port, result}; }
inline op::body_output of_iteration(std::int64_t port, std::int64_t result, std::int64_t iteration) {
    return {port, result, op::body_output::form::value, iteration};
}
inline op::body_output concatenated(std::int64_t port, std::int64_t result, const op::body_slice& slice) {
    return {port, result, op::body_output::form::concatenated, -1, slice};
}
inline op::declared_output unknown_output(element type = f32) { return {type, shape::of_dynamic_rank()}; }

/// Adds a node with one body, or two.
template <class Op>
node_id add_with_bodies(graph& model, Op what, view<output_ref> inputs, view<graph> bodies, text_view name) {
    const node_id id = model.add(std::move(what), inputs, name);
    for (const graph& body : bodies) {
        model.add_body(id, body);
    }
    return id;
}

/// A body of parameters x and sum, with results sum + x and 10 * (sum + x).
inline graph summing_body(element type, const shape& dimensions) {
    graph body;
    const node_id x = body.parameter(type, dimensions, "x");
    const node_id sum = body.parameter(type, dimensions, "sum");
    const node_id next = body.add(op::add{}, {x, sum}, "next");
    body.result(next, "sum_out");
    body.result(body.add(op::multiply{}, {next, body.constant(make_scalar(type, 10))}, "tenfold"), "part_out");
    return body;
}

/// x [2,length,1] -> running sums along axis 1: the last one, and ten times each of them.
inline graph running_sums(const shape& data, std::int64_t part, const op::body_slice& in, const op::body_slice& out) {
    graph model;
    const node_id x = model.parameter(f32, data, "x");
    const node_id start = model.parameter(f32, shape{2, part, 1}, "start");
    op::tensor_iterator what;
    what.input_map = {sliced(0, 0, in), fed_back(1, 1, 0)};
    what.output_map = {last(0, 0), concatenated(1, 1, out)};
    what.declared_outputs = {{f32, shape{2, part, 1}}, {f32, data}};
    const graph bodies[] = {summing_body(f32, shape{2, part, 1})};
    const node_id id = add_with_bodies(model, what, {x, start}, bodies, "sums");
    model.result(output_ref(id, 0));
    model.result(output_ref(id, 1));
    return model;
}

/// A loop that doubles `value` [1] and lists the numbers of its iterations, until the value exceeds `limit` [1].
/// Inputs: trips (i64, scalar), go (boolean, scalar), value, limit; outputs: the last value, all values, numbers (i64).
inline graph doubling_loop() {
    graph body;
    const node_id number = body.parameter(i64, shape{}, "number");
    const node_id value = body.parameter(f32, shape{1}, "value");
    const node_id limit = body.parameter(f32, shape{1}, "limit");
    const node_id twice = body.add(op::add{}, {value, value}, "twice");
    body.result(body.add(op::less_equal{}, {twice, limit}, "small"), "goes_on");
    body.result(twice, "value_out");
    body.result(body.add(op::reshape{}, {number, body.constant(make_indices({1}))}, "row"), "number_out");
    graph model;
    const node_id trips = model.parameter(i64, shape{}, "trips");
    const node_id go = model.parameter(boolean, shape{}, "go");
    const node_id first = model.parameter(f32, shape{1}, "value");
    const node_id most = model.parameter(f32, shape{1}, "limit");
    op::loop what;
    what.input_map = {fed_back(2, 1, 1), whole(3, 2)};
    what.output_map = {last(0, 1), concatenated(1, 1, {}), concatenated(2, 2, {})};
    what.current_iteration = 0;
    what.execution_condition = 0;
    what.declared_outputs = {{f32, shape{1}}, {f32, shape{dynamic_dimension}}, {i64, shape{dynamic_dimension}}};
    const graph bodies[] = {body};
    const node_id id = add_with_bodies(model, what, {trips, go, first, most}, bodies, "doubling");
    for (int port = 0; port < 3; ++port) {
        model.result(output_ref(id, port));
    }
    return model;
}

/// condition ? -x : x + x joined to itself (twice as long); the outputs have different lengths.
inline graph two_branches(const shape& data) {
    graph negated;
    negated.result(negated.add(op::negative{}, {negated.parameter(f32, data, "x")}, "negated"));
    graph doubled;
    const node_id x = doubled.parameter(f32, data, "x");
    const node_id sum = doubled.add(op::add{}, {x, x}, "sum");
    doubled.result(doubled.add(op::concat{0}, {sum, sum}, "twice"));
    graph model;
    const node_id condition = model.parameter(boolean, shape{}, "condition");
    const node_id given = model.parameter(f32, data, "x");
    op::if_else what;
    what.then_inputs = {whole(1, 0)};
    what.then_outputs = {last(0, 0)};
    what.else_inputs = {whole(1, 0)};
    what.else_outputs = {last(0, 0)};
    what.declared_outputs = {unknown_output()};
    const graph bodies[] = {negated, doubled};
    model.result(add_with_bodies(model, what, {condition, given}, bodies, "choice"));
    return model;
}

}  // namespace lpt::test
