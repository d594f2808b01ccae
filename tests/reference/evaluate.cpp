// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/helpers.hpp"

using namespace lpt;
using lpt::test::check_values;
using lpt::test::f32_of;

TEST_CASE("a network runs in topological order and gives its results in order") {
    graph model;
    const node_id a = model.parameter(f32, {2}, "a");
    const node_id b = model.parameter(f32, {2}, "b");
    const node_id sum = model.add(op::add{}, {a, b});
    model.result(model.add(op::multiply{}, {sum, sum}));
    model.result(sum);
    const tensor inputs[] = {f32_of({2}, {1, 2}), f32_of({2}, {10, 20})};
    const std::vector<tensor> outputs = reference::evaluate<float>(model, inputs);
    REQUIRE(outputs.size() == 2);
    check_values(outputs[0], {2}, {121, 484});
    check_values(outputs[1], {2}, {11, 22});
    CHECK(outputs[0].type() == f32);
}

TEST_CASE("in double real values are held in double throughout") {
    graph model;
    const node_id a = model.parameter(f32, {}, "a");
    const node_id half = model.add(op::convert{f16}, {a});
    const node_id third = model.constant(make_scalar(f16, 3));
    model.result(model.add(op::convert{f32}, {model.add(op::divide{}, {half, third})}));
    const tensor inputs[] = {make_scalar(f32, 1)};
    const std::vector<tensor> wide = reference::evaluate<double>(model, inputs);
    const std::vector<tensor> narrow = reference::evaluate<float>(model, inputs);
    CHECK(wide[0].type() == f64);
    CHECK(wide[0].real(0) == 1.0 / 3);
    CHECK(narrow[0].real(0) == 0.333251953125);
}

TEST_CASE("shapes follow from the inputs where the network leaves them open") {
    graph model;
    const node_id x = model.parameter(f32, shape{dynamic_dimension, 2}, "x");
    const node_id sizes = model.add(op::shape_of{}, {x});
    model.result(model.add(op::broadcast{}, {model.constant(make_scalar(f32, 4)), sizes}));
    const tensor inputs[] = {f32_of({3, 2}, {0})};
    check_values(reference::evaluate<float>(model, inputs)[0], {3, 2}, {4, 4, 4, 4, 4, 4});
}

TEST_CASE("a relaxed FakeQuantize with an integral type rounds") {
    graph model;
    const node_id x = model.parameter(f32, {3}, "x");
    const auto limit = [&](double value) { return model.constant(make_scalar(f32, value)); };
    const node_id quantize = model.add(op::fake_quantize{256}, {x, limit(0), limit(2.55), limit(0), limit(255)});
    model.relax_output(quantize, u8);
    model.result(quantize);
    const tensor inputs[] = {f32_of({3}, {0.63, 1.999, 7})};
    const tensor result = reference::evaluate<float>(model, inputs)[0];
    CHECK(result.type() == u8);
    check_values(result, {3}, {63, 200, 255});
}

TEST_CASE("products of integers are summed exactly before they become f32") {
    graph model;
    const node_id a = model.parameter(u8, {1, 1041}, "a");
    const node_id b = model.constant(make_tensor(i8, {1041, 1}, {127}));
    const node_id product = model.add(op::mat_mul{}, {a, b});
    relaxation types;
    types.input_types = {f32, f32};
    types.output_types = {f32};
    model.relax(product, types);
    model.result(product);
    const tensor inputs[] = {make_tensor(u8, {1, 1041}, {255})};
    const tensor result = reference::evaluate<float>(model, inputs)[0];
    CHECK(result.type() == f32);
    CHECK(result.real(0) == static_cast<double>(static_cast<float>(1041 * 255 * 127)));
}

TEST_CASE("variables keep their values from run to run") {
    graph model;
    const node_id step = model.parameter(f32, {1}, "step");
    op::read_value read;
    read.variable_id = "counter";
    read.variable_type = f32;
    read.variable_shape = shape{1};
    op::assign write;
    write.variable_id = "counter";
    write.variable_type = f32;
    write.variable_shape = shape{1};
    const node_id before = model.add(read, {model.constant(f32_of({1}, {100}))});
    const node_id after = model.add(op::add{}, {before, step});
    const node_id sink = model.add(write, {after});
    model.add_control_dependency(sink, before);
    model.result(before);
    const tensor inputs[] = {f32_of({1}, {1})};
    reference::state variables;
    check_values(reference::evaluate<float>(model, inputs, variables)[0], {1}, {100});
    check_values(reference::evaluate<float>(model, inputs, variables)[0], {1}, {101});
    REQUIRE(variables.find("counter") != nullptr);
    check_values(*variables.find("counter"), {1}, {102});
    variables.clear();
    check_values(reference::evaluate<float>(model, inputs, variables)[0], {1}, {100});
}

TEST_CASE("a variable without a first value begins with zeros") {
    graph model;
    op::read_value read;
    read.variable_id = "v";
    read.variable_type = f32;
    read.variable_shape = shape{2};
    model.result(model.add(read, {}));
    check_values(reference::evaluate<float>(model, {})[0], {2}, {0, 0});
}

TEST_CASE("wrong inputs are errors that name the input") {
    graph model;
    const node_id x = model.parameter(f32, shape{dynamic_dimension, 2}, "x");
    model.result(x);
    CHECK_THROWS_WITH_AS(reference::evaluate<float>(model, {}), "the network has 1 inputs, not 0", lpt::error);
    const tensor wrong_shape[] = {f32_of({2, 3}, {0})};
    CHECK_THROWS_WITH_AS(reference::evaluate<float>(model, wrong_shape), "input 0 'x' must be f32[?,2], not f32[2,3]",
                         lpt::error);
    const tensor wrong_type[] = {make_tensor(i32, {2, 2}, {0})};
    CHECK_THROWS_WITH_AS(reference::evaluate<float>(model, wrong_type), "input 0 'x' must be f32[?,2], not i32[2,2]",
                         lpt::error);
}

TEST_CASE("values without a result are errors that name the node") {
    graph model;
    const node_id x = model.parameter(i32, {1}, "x");
    model.result(model.add(op::divide{}, {x, x}, "ratio"));
    const tensor inputs[] = {make_tensor(i32, {1}, {0})};
    CHECK_THROWS_WITH_AS(reference::evaluate<float>(model, inputs),
                         "Divide 'ratio' of version 1 cannot be evaluated: these values have no result", lpt::error);
}

/// The operation types that cannot be evaluated, by name.
template <class... Ops>
text without_evaluation(op::list<Ops...>) {
    text names;
    ((reference::can_evaluate(op::attributes(Ops{})) ? names : names.append(Ops::name).append(" ")), ...);
    return names;
}

TEST_CASE("all operations of the library can be evaluated") { CHECK(without_evaluation(op::all{}) == text()); }
