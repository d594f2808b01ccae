// SPDX-License-Identifier: Apache-2.0
#include "../plan/networks.hpp"
#include "tests/support/bodies.hpp"
#include "tests/support/instruction_sets.hpp"
#include "tests/support/reference.hpp"

#include <lpt/runtime.hpp>

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::test;
using namespace lpt::testing;

namespace {

tensor truth(bool value) { return make_integer_tensor(boolean, shape{}, {value ? 1 : 0}); }
tensor integer(std::int64_t value) { return make_integer_tensor(i64, shape{}, {value}); }
tensor counting(const shape& dimensions) { return numbers(f32, dimensions, 1, 1, 1e9); }

constexpr op::body_slice forwards{1, 0, 1, 1, -1};
constexpr op::body_slice backwards{1, -1, -1, 1, 0};

/// The executable and the reference give the same, twice.
void check_run(executable& net, const graph& model, const std::vector<tensor>& inputs) {
    const std::vector<tensor> expected = reference::evaluate<float>(model, view<tensor>(inputs.data(), inputs.size()));
    CHECK(net.run(inputs) == expected);
    CHECK(net.run(inputs) == expected);
}
std::string complaint(executable& net, const std::vector<tensor>& inputs) {
    try {
        net.run(inputs);
    } catch (const error& raised) {
        return raised.what();
    }
    return {};
}
std::vector<std::string> paths_of(const executable& net) {
    std::vector<std::string> result;
    for (const run_step_record& each : net.records()) {
        const plan::step& step = each.net->steps[each.number];
        if (!step.nodes.empty()) {
            result.push_back(std::string(each.path.c_str()) + (*each.model)[step.nodes[0]].name().c_str() + " " +
                             step.kernel);
        }
    }
    return result;
}

/// A convolution of 8-bit data by one of 8-bit weights, dequantized, as the transformations leave it.
output_ref quantized_convolution(graph& model, output_ref input, const shape& weights, text_view name) {
    const output_ref sum = convolved(model, quantize(model, input, u8, 0.1, 0), numbers(i8, weights, -100, 7, 100), 1);
    model.rename(sum.node, text(name));
    return multiplied(model, sum, make_scalar(f32, 0.01));
}

}  // namespace

TEST_CASE("TensorIterator runs with plans made when the network is compiled") {
    for (const op::body_slice& slice : {forwards, backwards}) {
        const graph model = running_sums({2, 4, 1}, 1, slice, slice);
        executable net = compile(model);
        CHECK(net.is_fixed());
        check_run(net, model, {counting({2, 4, 1}), numbers(f32, shape{2, 1, 1}, 7, 1, 99)});
    }
}

TEST_CASE("loops run as often as trip count and condition say, also not at all") {
    const graph model = doubling_loop();
    executable net = compile(model);
    const tensor one = make_tensor(f32, shape{1}, {1});
    const tensor thousand = make_tensor(f32, shape{1}, {1000});
    for (const std::int64_t trips : {3, 0, -1, 5}) {
        check_run(net, model, {integer(trips), truth(true), one, thousand});
    }
    check_run(net, model, {integer(3), truth(false), one, thousand});
    CHECK(net.plans() <= 5);
}

TEST_CASE("loops may take so many iterations in a run as the user says, and those inside loops count") {
    const graph model = doubling_loop();
    compile_options options;
    options.most_iterations = 5;
    executable net = compile(model, options);
    const tensor one = make_tensor(f32, shape{1}, {1});
    const tensor thousand = make_tensor(f32, shape{1}, {1000});
    check_run(net, model, {integer(5), truth(true), one, thousand});  // twice: each run has its own
    const std::string refused = "Loop 'doubling': it would run more than 5 iterations";
    CHECK(complaint(net, {integer(6), truth(true), one, thousand}) == refused);
    CHECK(complaint(net, {integer(std::int64_t{1} << 62), truth(true), one, thousand}) == refused);
    CHECK(complaint(net, {integer(-1), truth(true), one, make_tensor(f32, shape{1}, {1e30})}) == refused);
    check_run(net, model, {integer(-1), truth(true), one, make_tensor(f32, shape{1}, {10})});
}

TEST_CASE("a body without effect and without end is refused at once") {
    graph body;
    const node_id x = body.parameter(f32, shape{1}, "x");
    body.result(body.add(op::relu{}, {x}));
    graph model;
    op::loop what;
    what.input_map = {fed_back(2, 0, 0)};
    what.output_map = {last(0, 0)};
    what.declared_outputs = {{f32, shape{1}}};
    const output_ref trips = model.constant(integer(std::int64_t{1} << 62));
    const output_ref always = model.constant(truth(true));
    const graph bodies[] = {body};
    model.result(add_with_bodies(model, what, {trips, always, model.parameter(f32, shape{1}, "x")}, bodies, "idle"));
    executable net = compile(model);
    CHECK(complaint(net, {make_tensor(f32, shape{1}, {1})}) ==
          "Loop 'idle': it would run more than 1048576 iterations");
}

TEST_CASE("If runs the body that its condition names; the outputs may differ in shape") {
    const graph model = two_branches({3});
    executable net = compile(model);
    check_run(net, model, {truth(true), counting({3})});
    check_run(net, model, {truth(false), counting({3})});
    CHECK(net.outputs()[0].dimensions.rank_is_dynamic());
}

TEST_CASE("what follows a loop is planned for the shapes that it gave") {
    graph model = doubling_loop();
    const output_ref all = model[model.results()[1]].input(0);
    const node_id row = model.add(op::reshape{}, {all, model.constant(make_indices({1, -1}))}, "row");
    model.result(model.add(op::relu{}, {model.add(op::add{}, {row, row})}, "twice"));
    executable net = compile(model);
    const tensor one = make_tensor(f32, shape{1}, {1});
    for (const std::int64_t trips : {3, 4, 3, 0}) {
        check_run(net, model, {integer(trips), truth(true), one, make_tensor(f32, shape{1}, {1000})});
    }
}

TEST_CASE("a body runs in 8 bits where the network around it does") {
    graph body;
    const node_id x = body.parameter(f32, shape{1, 3, 6, 5}, "x");
    const node_id sum = body.parameter(f32, shape{1, 4, 6, 5}, "sum");
    const node_id next = body.add(op::add{}, {quantized_convolution(body, x, {4, 3, 3, 3}, "inner"), sum});
    body.result(next);
    graph model;
    const node_id data = model.parameter(f32, shape{3, 3, 6, 5}, "data");
    const output_ref start = model.constant(make_tensor(f32, shape{1, 4, 6, 5}, {0}));
    op::tensor_iterator what;
    what.input_map = {sliced(0, 0, {0, 0, 1, 1, -1}), fed_back(1, 1, 0)};
    what.output_map = {concatenated(0, 0, {0, 0, 1, 1, -1})};
    what.declared_outputs = {{f32, shape{3, 4, 6, 5}}};
    const graph bodies[] = {body};
    const node_id sums = add_with_bodies(model, what, {data, start}, bodies, "sums");
    model.result(quantized_convolution(model, sums, {2, 4, 3, 3}, "outer"));
    const std::vector<tensor> inputs{numbers(f32, shape{3, 3, 6, 5}, -3, 0.3713, 12)};
    const std::vector<tensor> expected = reference::evaluate<float>(model, view<tensor>(inputs.data(), inputs.size()));
    std::vector<tensor> first;
    for (const kernel::isa set : support::available_instruction_sets()) {
        compile_options options;
        options.instruction_set = set;
        options.threads = 2;
        executable net = compile(model, options);
        const std::vector<tensor> outputs = net.run(inputs);
        first = first.empty() ? outputs : first;
        CHECK(outputs == first);
        for (std::size_t k = 0; k < outputs[0].elements(); ++k) {
            CHECK(outputs[0].real(k) == doctest::Approx(expected[0].real(k)).epsilon(1e-5).scale(1));
        }
        std::size_t in_bytes = 0;
        for (const run_step_record& each : net.records()) {
            const plan::step& step = each.net->steps[each.number];
            in_bytes += step.precision == u8 && std::holds_alternative<plan::convolution_step>(step.work) ? 1u : 0u;
        }
        CHECK(in_bytes == 2);
        CHECK(net.packed_weights().size() == 2);
    }
}

TEST_CASE("steps inside bodies are listed with their path") {
    const graph model = running_sums({2, 4, 1}, 1, forwards, forwards);
    executable net = compile(model);
    net.run({counting({2, 4, 1}), numbers(f32, shape{2, 1, 1}, 7, 1, 99)}, true);
    const std::vector<std::string> paths = paths_of(net);
    REQUIRE(paths.size() == 3);
    CHECK(paths[0] == "sums bodies");
    CHECK(paths[1].substr(0, 15) == "sums/body/next ");
    CHECK(paths[2].substr(0, 18) == "sums/body/tenfold ");
    for (const run_step_record& each : net.records()) {
        CHECK(each.time.real > 0);
    }
}

TEST_CASE("bodies inside bodies run") {
    const graph choice = two_branches({1});
    const node& inner = choice[choice.producer(choice.results()[0], 0)];
    graph body;
    const node_id x = body.parameter(f32, shape{1}, "x");
    const node_id number = body.parameter(i64, shape{}, "number");
    const node_id odd = body.add(op::mod{}, {number, body.constant(integer(2))}, "odd");
    const graph branches[] = {inner.bodies()[0], inner.bodies()[1]};
    const node_id picked =
        add_with_bodies(body, inner.as<op::if_else>(), {body.add(op::convert{boolean}, {odd}), x}, branches, "choice");
    body.result(body.add(op::reduce_sum{true}, {picked, body.constant(make_indices({0}))}, "total"));
    graph model;
    const node_id trips = model.parameter(i64, shape{}, "trips");
    op::loop what;
    what.input_map = {sliced(2, 0, {})};
    what.output_map = {concatenated(0, 0, {})};
    what.current_iteration = 1;
    what.declared_outputs = {unknown_output()};
    const graph bodies[] = {body};
    const node_id data = model.parameter(f32, shape{4}, "data");
    model.result(add_with_bodies(model, what, {trips, model.constant(truth(true)), data}, bodies, "outer"));
    executable net = compile(model);
    for (const std::int64_t count : {4, 2, 4}) {
        check_run(net, model, {integer(count), make_tensor(f32, shape{4}, {1, 2, 3, 4})});
    }
    CHECK(complaint(net, {integer(5), counting({4})}) == "Loop 'outer': input 2 has 4 parts, too few for iteration 4");
}

TEST_CASE("without iterations, an initial value of another shape than the output's is an error") {
    graph body;
    body.result(body.parameter(f32, shape{}, "x"));
    graph model;
    const node_id trips = model.parameter(i64, shape{}, "trips");
    op::loop what;
    what.input_map = {fed_back(2, 0, 0)};
    what.output_map = {last(0, 0)};
    what.declared_outputs = {{f32, shape{}}};
    const graph bodies[] = {body};
    const node_id data = model.parameter(f32, shape{2}, "data");
    model.result(add_with_bodies(model, what, {trips, model.constant(truth(true)), data}, bodies, "none"));
    executable net = compile(model);
    CHECK(complaint(net, {integer(0), counting({2})}) ==
          "Loop 'none': output 0 is declared as [], but without iterations it is input 2, of shape [2]");
}

TEST_CASE("a value that is fed back may grow from iteration to iteration") {
    graph body;
    const node_id list = body.parameter(f32, shape{dynamic_dimension}, "list");
    const node_id sum = body.add(op::reduce_sum{true}, {list, body.constant(make_indices({0}))}, "sum");
    body.result(body.add(op::concat{0}, {list, sum}, "longer"));
    graph model;
    op::loop what;
    what.input_map = {fed_back(2, 0, 0)};
    what.output_map = {last(0, 0)};
    what.declared_outputs = {unknown_output()};
    const graph bodies[] = {body};
    const output_ref trips = model.constant(integer(4));
    const node_id start = model.parameter(f32, shape{1}, "start");
    model.result(add_with_bodies(model, what, {trips, model.constant(truth(true)), start}, bodies, "growing"));
    executable net = compile(model);
    const std::vector<tensor> inputs{make_tensor(f32, shape{1}, {1})};
    check_run(net, model, inputs);
    CHECK(reals_of(net.run(inputs)[0]) == seq<double>{1, 1, 2, 4, 8});
}

TEST_CASE("variables inside bodies live from iteration to iteration and from run to run") {
    graph body;
    const node_id x = body.parameter(f32, shape{1}, "x");
    const node_id old =
        body.add(op::read_value{"sum", f32, shape{1}}, {body.constant(make_tensor(f32, shape{1}, {100}))});
    const node_id next = body.add(op::add{}, {old, x});
    body.add(op::assign{"sum", f32, shape{1}}, {next});
    body.result(next);
    graph model;
    op::tensor_iterator what;
    what.input_map = {sliced(0, 0, {})};
    what.output_map = {concatenated(0, 0, {})};
    what.declared_outputs = {{f32, shape{3}}};
    const graph bodies[] = {body};
    model.result(add_with_bodies(model, what, {model.parameter(f32, shape{3}, "x")}, bodies, "sums"));
    executable net = compile(model);
    const std::vector<tensor> inputs{make_tensor(f32, shape{3}, {1, 2, 3})};
    CHECK(reals_of(net.run(inputs)[0]) == seq<double>{101, 103, 106});
    CHECK(reals_of(net.run(inputs)[0]) == seq<double>{107, 109, 112});
    net.reset();
    CHECK(reals_of(net.run(inputs)[0]) == seq<double>{101, 103, 106});
    model.result(model.add(op::read_value{"sum", f32, shape{1}}, view<output_ref>()));
    CHECK_THROWS_WITH_AS(compile(model),
                         "TensorIterator 'sums', body: variable 'sum' belongs to the network around it, too", error);
}

TEST_CASE("bodies that are missing or do not fit are refused when the network is compiled") {
    graph bare;
    op::tensor_iterator nothing;
    nothing.declared_outputs = {unknown_output()};
    bare.result(bare.add(nothing, {bare.parameter(f32, shape{2}, "x")}, "bare"));
    CHECK_THROWS_WITH_AS(compile(bare), "TensorIterator 'bare': it needs 1 body, and has 0", error);
    graph model = running_sums({2, 4, 1}, 1, forwards, forwards);
    const node_id id = model.producer(model.results()[0], 0);
    op::tensor_iterator what = model[id].as<op::tensor_iterator>();
    what.input_map[0].parameter = 5;
    model.set_attributes(id, what);
    CHECK_THROWS_WITH_AS(
        compile(model), "TensorIterator 'sums': its port map names parameter 5 of body, which has 2 parameters", error);
}

TEST_CASE("parts that do not fit their parameter are refused with the name of the body") {
    graph model = running_sums({2, 4, 1}, 1, forwards, forwards);
    const node_id id = model.producer(model.results()[0], 0);
    op::tensor_iterator what = model[id].as<op::tensor_iterator>();
    what.input_map[0].slice = {1, 0, 2, 2, -1};
    model.set_attributes(id, what);
    executable net = compile(model);
    CHECK(complaint(net, {counting({2, 4, 1}), counting({2, 1, 1})}) ==
          "TensorIterator 'sums', body: input 0 'x' must be f32[2,1,1], not f32[2,2,1]");
}

TEST_CASE("outputs of another shape than declared are refused") {
    graph model = running_sums({2, 4, 1}, 1, forwards, forwards);
    const node_id id = model.producer(model.results()[0], 0);
    op::tensor_iterator what = model[id].as<op::tensor_iterator>();
    what.declared_outputs[1].dimensions = shape{2, 3, 1};
    model.set_attributes(id, what);
    executable net = compile(model);
    CHECK(complaint(net, {counting({2, 4, 1}), counting({2, 1, 1})}) ==
          "TensorIterator 'sums' gave f32[2,4,1] instead of f32[2,3,1]");
}
