// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/helpers.hpp"
#include "tests/support/bodies.hpp"

#include <string>

using namespace lpt;
using namespace lpt::test;

namespace {

tensor truth(bool value) { return make_integer_tensor(boolean, shape{}, {value ? 1 : 0}); }
tensor integer(std::int64_t value) { return make_integer_tensor(i64, shape{}, {value}); }

std::vector<tensor> results_of(const graph& model, const std::vector<tensor>& inputs) {
    return reference::evaluate<float>(model, view<tensor>(inputs.data(), inputs.size()));
}
/// Runs in float and in double, which must agree, and gives the results in float.
std::vector<tensor> both(const graph& model, const std::vector<tensor>& inputs) {
    const std::vector<tensor> narrow = results_of(model, inputs);
    const std::vector<tensor> wide = reference::evaluate<double>(model, view<tensor>(inputs.data(), inputs.size()));
    for (std::size_t i = 0; i < narrow.size(); ++i) {
        CHECK(wide[i].type() == (is_real(narrow[i].type()) ? f64 : narrow[i].type()));
        CHECK(wide[i].dimensions() == narrow[i].dimensions());
        CHECK(reals_of(wide[i]) == reals_of(narrow[i]));
    }
    return narrow;
}
std::string complaint(const graph& model, const std::vector<tensor>& inputs) {
    try {
        results_of(model, inputs);
    } catch (const error& raised) {
        return raised.what();
    }
    return {};
}

constexpr op::body_slice forwards{1, 0, 1, 1, -1};
constexpr op::body_slice backwards{1, -1, -1, 1, 0};

}  // namespace

TEST_CASE("TensorIterator runs its body once for each part, forwards and backwards") {
    const std::vector<tensor> inputs{counting({2, 4, 1}), f32_of({2, 1, 1}, {100})};
    std::vector<tensor> outputs = both(running_sums({2, 4, 1}, 1, forwards, forwards), inputs);
    check_values(outputs[0], {2, 1, 1}, {106, 122});
    check_values(outputs[1], {2, 4, 1}, {1000, 1010, 1030, 1060, 1040, 1090, 1150, 1220});
    outputs = both(running_sums({2, 4, 1}, 1, backwards, backwards), inputs);
    check_values(outputs[0], {2, 1, 1}, {106, 122});
    check_values(outputs[1], {2, 4, 1}, {1060, 1060, 1050, 1030, 1220, 1180, 1130, 1070});
    outputs = both(running_sums({2, 4, 1}, 1, backwards, forwards), inputs);
    check_values(outputs[1], {2, 4, 1}, {1030, 1050, 1060, 1060, 1070, 1130, 1180, 1220});
}

TEST_CASE("parts of several elements keep their order inside, also backwards") {
    const std::vector<tensor> inputs{counting({2, 4, 1}), f32_of({2, 2, 1}, {0})};
    std::vector<tensor> outputs = both(running_sums({2, 4, 1}, 2, {1, 0, 2, 2, -1}, {1, 0, 2, 2, -1}), inputs);
    check_values(outputs[1], {2, 4, 1}, {0, 10, 20, 40, 40, 50, 100, 120});
    outputs = both(running_sums({2, 4, 1}, 2, {1, -1, -2, 2, 0}, {1, -1, -2, 2, 0}), inputs);
    check_values(outputs[0], {2, 2, 1}, {2, 4, 10, 12});
    check_values(outputs[1], {2, 4, 1}, {20, 40, 20, 30, 100, 120, 60, 70});
}

TEST_CASE("a part of an axis is run over, with overlapping parts too") {
    graph model = running_sums({2, 5, 1}, 2, {1, 1, 1, 2, 3}, {1, 0, 2, 2, -1});
    const std::vector<tensor> outputs = both(model, {counting({2, 5, 1}), f32_of({2, 2, 1}, {0})});
    check_values(outputs[1], {2, 4, 1}, {10, 20, 30, 50, 60, 70, 130, 150});
}

TEST_CASE("without a part there is no iteration: outputs are empty, or as they began") {
    const graph model = running_sums({2, dynamic_dimension, 1}, 1, forwards, forwards);
    const std::vector<tensor> outputs = both(model, {f32_of({2, 0, 1}, {}), f32_of({2, 1, 1}, {7})});
    check_values(outputs[0], {2, 1, 1}, {7, 7});
    check_values(outputs[1], {2, 0, 1}, {});
}

TEST_CASE("Loop ends with its trip count or its condition; the iteration that ends it counts") {
    const graph model = doubling_loop();
    const tensor one = f32_of({1}, {1});
    std::vector<tensor> outputs = both(model, {integer(3), truth(true), one, f32_of({1}, {1000})});
    check_values(outputs[0], {1}, {8});
    check_values(outputs[1], {3}, {2, 4, 8});
    check_values(outputs[2], {3}, {0, 1, 2});
    outputs = both(model, {integer(-1), truth(true), one, f32_of({1}, {20})});
    check_values(outputs[0], {1}, {32});
    check_values(outputs[2], {5}, {0, 1, 2, 3, 4});
}

TEST_CASE("Loop runs no iteration for a trip count of zero and for a condition that is false at first") {
    const graph model = doubling_loop();
    const tensor five = f32_of({1}, {5});
    for (const bool condition : {true, false}) {
        const std::vector<tensor> outputs =
            both(model, {integer(condition ? 0 : 4), truth(condition), five, f32_of({1}, {1000})});
        check_values(outputs[0], {1}, {5});
        check_values(outputs[1], {0}, {});
        CHECK(outputs[2].type() == i64);
        CHECK(outputs[2].dimensions() == shape{0});
    }
}

TEST_CASE("the number of the iteration starts at the input that feeds it") {
    graph model = doubling_loop();
    const node_id loop = model.producer(model.results()[0], 0);
    op::loop what = model[loop].as<op::loop>();
    what.input_map.push_back(whole(4, 0));
    model.add_input(loop, model.constant(integer(40)));
    model.set_attributes(loop, what);
    const std::vector<tensor> outputs = both(model, {integer(3), truth(true), f32_of({1}, {1}), f32_of({1}, {1000})});
    check_values(outputs[2], {3}, {40, 41, 42});
}

TEST_CASE("an output may be that of one iteration") {
    graph model = doubling_loop();
    const node_id loop = model.producer(model.results()[0], 0);
    op::loop what = model[loop].as<op::loop>();
    what.output_map[0] = of_iteration(0, 1, 1);
    model.set_attributes(loop, what);
    const tensor one = f32_of({1}, {1});
    const tensor thousand = f32_of({1}, {1000});
    check_values(both(model, {integer(4), truth(true), one, thousand})[0], {1}, {4});
    CHECK(complaint(model, {integer(1), truth(true), one, thousand}) ==
          "Loop 'doubling': output 0 is that of iteration 1, but only 1 were run");
}

TEST_CASE("If runs one of its bodies") {
    const graph model = two_branches({3});
    const tensor x = counting({3});
    check_values(both(model, {truth(true), x})[0], {3}, {0, -1, -2});
    check_values(both(model, {truth(false), x})[0], {6}, {0, 2, 4, 0, 2, 4});
    CHECK(complaint(model, {make_integer_tensor(boolean, shape{2}, {1, 1}), x}) != "");
}

TEST_CASE("bodies have bodies") {
    graph inner = two_branches({1});
    graph body;
    const node_id x = body.parameter(f32, shape{1}, "x");
    const node_id number = body.parameter(i64, shape{}, "number");
    const node_id odd = body.add(op::mod{}, {number, body.constant(integer(2))}, "odd");
    op::if_else choice = inner[inner.producer(inner.results()[0], 0)].as<op::if_else>();
    const body_list& branches = inner[inner.producer(inner.results()[0], 0)].bodies();
    const graph both_branches[] = {branches[0], branches[1]};
    const node_id picked =
        add_with_bodies(body, choice, {body.add(op::convert{boolean}, {odd}), x}, both_branches, "choice");
    body.result(body.add(op::reduce_sum{true}, {picked, body.constant(make_indices({0}))}, "total"));
    graph model;
    const node_id data = model.parameter(f32, shape{4}, "data");
    op::loop what;
    what.input_map = {sliced(2, 0, {})};
    what.output_map = {concatenated(0, 0, {})};
    what.current_iteration = 1;
    what.declared_outputs = {{f32, shape{4}}};
    const graph bodies[] = {body};
    model.result(
        add_with_bodies(model, what, {model.constant(integer(4)), model.constant(truth(true)), data}, bodies, "outer"));
    check_values(both(model, {f32_of({4}, {1, 2, 3, 4})})[0], {4}, {4, -2, 12, -4});
    CHECK(complaint(model, {f32_of({5}, {1, 2, 3, 4, 5})}) != "");
}

TEST_CASE("variables inside a body live from iteration to iteration, and from run to run") {
    graph body;
    const node_id x = body.parameter(f32, shape{1}, "x");
    const node_id old = body.add(op::read_value{"sum", f32, shape{1}}, {body.constant(f32_of({1}, {100}))});
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
    reference::state variables;
    const tensor inputs[] = {f32_of({3}, {1, 2, 3})};
    check_values(reference::evaluate<float>(model, inputs, variables)[0], {3}, {101, 103, 106});
    check_values(reference::evaluate<float>(model, inputs, variables)[0], {3}, {107, 109, 112});
}

TEST_CASE("types of less than a byte are sliced and concatenated") {
    graph body;
    body.result(body.parameter(u4, shape{1, 1}, "x"));
    graph model;
    op::tensor_iterator what;
    what.input_map = {sliced(0, 0, backwards)};
    what.output_map = {concatenated(0, 0, forwards)};
    what.declared_outputs = {{u4, shape{1, 3}}};
    const graph bodies[] = {body};
    model.result(add_with_bodies(model, what, {model.parameter(u4, shape{1, 3}, "x")}, bodies, "turned"));
    check_values(results_of(model, {make_integer_tensor(u4, shape{1, 3}, {1, 2, 15})})[0], {1, 3}, {15, 2, 1});
}

TEST_CASE("slices that do not divide their axis are refused") {
    const std::vector<tensor> inputs{counting({2, 5, 1}), f32_of({2, 2, 1}, {0})};
    CHECK(
        complaint(running_sums({2, 5, 1}, 2, {1, 0, 2, 2, -1}, forwards), inputs) ==
        "TensorIterator 'sums': input 0 of shape [2,5,1] does not split along axis 1 into parts of size 2 from 0 to -1 "
        "in steps of 2");
    for (const op::body_slice& wrong :
         {op::body_slice{1, 0, 1, 2, 5}, op::body_slice{1, -6, 1, 2, -1}, op::body_slice{1, -1, 1, 2, 0},
          op::body_slice{1, 0, -1, 2, -1}, op::body_slice{1, 0, 1, 6, -1}}) {
        CHECK(complaint(running_sums({2, 5, 1}, 2, wrong, forwards), inputs).find("does not split") !=
              std::string::npos);
    }
}

TEST_CASE("inputs with different numbers of parts, and parts of another size than declared, are refused") {
    graph model = running_sums({2, 4, 1}, 1, forwards, forwards);
    const node_id id = model.producer(model.results()[0], 0);
    op::tensor_iterator what = model[id].as<op::tensor_iterator>();
    what.input_map[1] = sliced(1, 1, forwards);
    model.set_attributes(id, what);
    CHECK(complaint(model, {counting({2, 4, 1}), f32_of({2, 1, 1}, {0})}) ==
          "TensorIterator 'sums': input 1 has 1 parts, but other inputs have 4");
    model = running_sums({2, 4, 1}, 1, forwards, {1, 0, 2, 2, -1});
    CHECK(complaint(model, {counting({2, 4, 1}), f32_of({2, 1, 1}, {0})}) ==
          "TensorIterator 'sums': iteration 0 gives output 1 a part of shape [2,1,1], which has not 2 elements along "
          "axis 1, as many as the step of 2");
}

TEST_CASE("a loop that never ends, or outlasts its slices, is refused") {
    graph model = doubling_loop();
    const node_id id = model.producer(model.results()[0], 0);
    op::loop what = model[id].as<op::loop>();
    what.execution_condition = -1;
    model.set_attributes(id, what);
    const tensor one = f32_of({1}, {1});
    CHECK(complaint(model, {integer(-1), truth(true), one, one}) ==
          "Loop 'doubling': it would never end: it has no trip count, and its condition always holds");
    what.input_map[1] = sliced(3, 2, {});
    model.set_attributes(id, what);
    CHECK(complaint(model, {integer(2), truth(true), one, one}) ==
          "Loop 'doubling': input 3 has 1 parts, too few for iteration 1");
}

TEST_CASE("wrong data inside a body is reported with the body") {
    graph model = running_sums({2, 4, 1}, 1, forwards, forwards);
    const node_id id = model.producer(model.results()[0], 0);
    op::tensor_iterator what = model[id].as<op::tensor_iterator>();
    what.input_map[0].slice = {1, 0, 2, 2, -1};
    model.set_attributes(id, what);
    CHECK(complaint(model, {counting({2, 4, 1}), f32_of({2, 1, 1}, {0})}) ==
          "TensorIterator 'sums', body: input 0 'x' must be f32[2,1,1], not f32[2,2,1]");
}

TEST_CASE("port maps that do not fit the bodies are refused") {
    const std::vector<tensor> inputs{counting({2, 4, 1}), f32_of({2, 1, 1}, {0})};
    const auto with = [&](auto&& change) {
        graph model = running_sums({2, 4, 1}, 1, forwards, forwards);
        const node_id id = model.producer(model.results()[0], 0);
        op::tensor_iterator what = model[id].as<op::tensor_iterator>();
        change(what);
        model.set_attributes(id, what);
        return complaint(model, inputs);
    };
    CHECK(with([](auto& what) { what.input_map[0].parameter = 2; }) ==
          "TensorIterator 'sums': its port map names parameter 2 of body, which has 2 parameters");
    CHECK(with([](auto& what) { what.input_map[0].parameter = 1; }) ==
          "TensorIterator 'sums': parameter 1 of body is fed twice");
    CHECK(with([](auto& what) { what.input_map.pop_back(); }) ==
          "TensorIterator 'sums': nothing feeds parameter 1 of body");
    CHECK(with([](auto& what) { what.input_map[1].result = 2; }) ==
          "TensorIterator 'sums': parameter 1 of body is fed back by result 2, but it has 2 results");
    CHECK(with([](auto& what) { what.output_map[0].result = 2; }) ==
          "TensorIterator 'sums': its port map names result 2 of body, which has 2 results");
    CHECK(with([](auto& what) { what.output_map[1].port = 0; }) == "TensorIterator 'sums': output 0 is given twice");
    CHECK(with([](auto& what) { what.output_map.pop_back(); }) == "TensorIterator 'sums': nothing gives output 1");
    graph bare;
    const node_id x = bare.parameter(f32, shape{2}, "x");
    op::tensor_iterator what;
    what.declared_outputs = {unknown_output()};
    bare.result(bare.add(what, {x}, "bare"));
    CHECK(complaint(bare, {counting({2})}) == "TensorIterator 'bare': it needs 1 body, and has 0");
}
