// SPDX-License-Identifier: Apache-2.0
#include "../plan/networks.hpp"
#include "tests/support/reference.hpp"

#include <lpt/runtime.hpp>

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::testing;

namespace {

constexpr dimension open = dynamic_dimension;

tensor image(const shape& dimensions) { return numbers(f32, dimensions, -3, 0.3713, 12); }
std::vector<tensor> expected_of(const graph& model, const std::vector<tensor>& inputs) {
    return reference::evaluate<float>(model, view<tensor>(inputs.data(), inputs.size()));
}
std::vector<tensor> run(executable& net, const std::vector<tensor>& inputs) { return net.run(inputs); }
/// Runs twice, so that plans that are kept are used, too.
void check_run(executable& net, const graph& model, const std::vector<tensor>& inputs) {
    const std::vector<tensor> expected = expected_of(model, inputs);
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

/// A quantized convolution, pooling and a flattened matrix product, on images of this shape.
graph classifier(const shape& images) {
    graph model;
    const output_ref input = model.parameter(f32, images, "images");
    const output_ref data = quantize(model, input, u8, 0.1, 0);
    output_ref value = convolved(model, data, numbers(i8, shape{5, 3, 3, 3}, -100, 7, 100), 1);
    value = multiplied(model, value, numbers(f32, shape{1, 5, 1, 1}, 0.001, 0.0005, 1));
    value = quantize(model, model.add(op::relu{}, {value}), u8, 0.05, 0);
    value = model.add(op::reduce_mean{false},
                      {multiplied(model, shifted(model, value, make_scalar(u8, 0)), make_scalar(f32, 0.05)),
                       model.constant(make_indices({2, 3}))});
    const output_ref sizes = model.add(op::shape_of{}, {input});
    const output_ref batch = model.add(op::gather{}, {sizes, model.constant(make_indices({0})),
                                                      model.constant(make_integer_tensor(i64, shape{}, {0}))});
    const output_ref target = model.add(op::concat{0}, {batch, model.constant(make_indices({-1}))});
    value = model.add(op::reshape{}, {value, target}, "flat");
    model.result(model.add(op::mat_mul{}, {value, model.constant(numbers(f32, shape{5, 4}, -1, 0.3, 1))}, "classes"));
    return model;
}

}  // namespace

TEST_CASE("The same network with dynamic and with static shapes gives the same bits") {
    for (const shape& unknown : {shape{open, 3, open, open}, shape{2, 3, open, 6}, shape::of_dynamic_rank()}) {
        executable net = compile(classifier(unknown));
        CHECK_FALSE(net.is_fixed());
        for (const shape& known : {shape{2, 3, 7, 6}, shape{2, 3, 4, 6}, shape{2, 3, 7, 6}, shape{2, 3, 1, 6}}) {
            executable fixed = compile(classifier(known));
            CHECK(fixed.is_fixed());
            CHECK(run(net, {image(known)}) == run(fixed, {image(known)}));
            CHECK(net.plan().steps.size() == fixed.plan().steps.size());
        }
        CHECK(net.plans() == 3);
    }
}

TEST_CASE("Weights are packed once for all plans, which share their memory") {
    executable net = compile(classifier({open, 3, open, open}));
    run(net, {image({1, 3, 20, 20})});
    const std::size_t count = net.packed_weights().size();
    const std::size_t bytes = net.packed_weights().bytes();
    const std::size_t arena = net.arena_bytes();
    CHECK(count == 2);
    for (dimension size = 3; size < 20; ++size) {
        run(net, {image({1, 3, size, 20})});
    }
    CHECK(net.packed_weights().size() == count);
    CHECK(net.packed_weights().bytes() == bytes);
    CHECK(net.arena_bytes() == arena);
    run(net, {image({4, 3, 20, 20})});
    CHECK(net.arena_bytes() > 2 * arena);
}

TEST_CASE("Weights that are computed for a shape go with the plans for it") {
    graph model;
    const node_id x = model.parameter(f32, shape{2, open}, "x");
    const output_ref width = model.add(op::gather{}, {model.add(op::shape_of{}, {x}), model.constant(make_indices({1})),
                                                      model.constant(make_integer_tensor(i64, shape{}, {0}))});
    const output_ref target = model.add(op::concat{0}, {width, model.constant(make_indices({3}))});
    const output_ref weights =
        model.add(op::broadcast{}, {model.constant(numbers(f32, shape{1, 3}, -1, 0.3, 1)), target});
    model.result(model.add(op::mat_mul{}, {x, weights}));
    compile_options options;
    options.most_plans = 4;
    executable net = compile(model, options);
    for (dimension size = 1; size < 30; ++size) {
        check_run(net, model, {make_tensor(f32, shape{2, size}, {2})});
        CHECK(net.packed_weights().size() <= 5);
    }
    CHECK(net.plan().steps.size() == 1);
}

TEST_CASE("No more plans are kept than the options say; the one used longest ago goes first") {
    compile_options options;
    options.most_plans = 3;
    const graph model = classifier({open, 3, open, open});
    executable net = compile(model, options);
    for (dimension size = 3; size < 40; ++size) {
        run(net, {image({1, 3, 3, 3})});
        const plan::network* const kept = &net.plan();
        run(net, {image({1, 3, size, 4})});
        run(net, {image({1, 3, 3, 3})});
        CHECK(&net.plan() == kept);
        CHECK(net.plans() <= 3);
    }
    CHECK(net.plans() == 3);
    options.most_plans = 0;
    CHECK_THROWS_WITH_AS(compile(model, options), "at least one plan must be kept, not 0", error);
}

TEST_CASE("Inputs that contradict what is known, or that an operation cannot take, are refused by name") {
    executable net = compile(classifier({open, 3, open, open}));
    CHECK(complaint(net, {image({1, 4, 5, 5})}) == "input 0 'images' must be f32[?,3,?,?], not f32[1,4,5,5]");
    CHECK(complaint(net, {image({3, 5, 5})}) == "input 0 'images' must be f32[?,3,?,?], not f32[3,5,5]");
    CHECK_THROWS_WITH_AS(
        net.plan(), "there is no plan before the first run, because the shapes of the inputs are not known", error);
    graph model;
    const node_id a = model.parameter(f32, shape{open}, "a");
    model.result(model.add(op::add{}, {a, model.parameter(f32, shape{open}, "b")}, "sum"));
    executable sum = compile(model);
    CHECK(complaint(sum, {image({2}), image({3})}).substr(0, 9) == "Add 'sum'");
    check_run(sum, model, {image({2}), image({2})});
    const void* from[2] = {nullptr, nullptr};
    void* to[1] = {nullptr};
    CHECK_THROWS_AS(sum.run(from, to), error);
}

TEST_CASE("Shapes may depend on values that the network computes") {
    graph model;
    const node_id x = model.parameter(f32, shape{open, open}, "x");
    const node_id wanted = model.parameter(i64, shape{2}, "wanted");
    const node_id swapped = model.add(op::gather{}, {wanted, model.constant(make_indices({1, 0})),
                                                     model.constant(make_integer_tensor(i64, shape{}, {0}))});
    const node_id reshaped = model.add(op::reshape{}, {model.add(op::relu{}, {x}), swapped}, "reshaped");
    model.result(model.add(op::add{}, {reshaped, reshaped}, "twice"));
    model.result(model.add(op::multiply{}, {x, x}, "square"));
    executable net = compile(model);
    const tensor data = image({3, 4});
    check_run(net, model, {data, make_indices({2, 6})});
    check_run(net, model, {data, make_indices({6, 2})});
    check_run(net, model, {data, make_indices({4, 3})});
    CHECK(complaint(net, {data, make_indices({5, 3})}).find("Reshape 'reshaped'") != std::string::npos);
    check_run(net, model, {data, make_indices({4, 3})});
}

TEST_CASE("Slices and ranges with computed bounds follow their values") {
    graph model;
    const node_id x = model.parameter(f32, shape{8, open}, "x");
    const node_id count = model.parameter(i64, shape{1}, "count");
    const output_ref one = model.constant(make_indices({1}));
    const output_ref zero = model.constant(make_indices({0}));
    const node_id twice = model.add(op::add{}, {count, count});
    const node_id part = model.add(op::slice{}, {x, count, twice, one, zero}, "part");
    model.result(model.add(op::sin{}, {part}));
    const auto scalar_of = [&](output_ref vector) {
        return model.add(op::squeeze{}, {vector, model.constant(make_indices({0}))});
    };
    const output_ref begin = model.constant(make_integer_tensor(i64, shape{}, {0}));
    const output_ref step = model.constant(make_integer_tensor(i64, shape{}, {1}));
    const node_id rows = model.add(op::range{f32}, {begin, scalar_of(twice), step}, "rows");
    model.result(model.add(op::add{}, {rows, rows}));
    executable net = compile(model);
    for (const std::int64_t value : {2, 3, 2, 0}) {
        check_run(net, model, {image({8, 5}), make_indices({value})});
    }
}

TEST_CASE("Operations that say their shape when they are evaluated run between two plans") {
    graph model;
    const node_id x = model.parameter(f32, shape{2, open}, "x");
    const node_id positive = model.add(op::relu{}, {x}, "positive");
    const node_id places = model.add(op::non_zero{i64}, {positive}, "places");
    const node_id columns = model.add(op::gather{}, {places, model.constant(make_integer_tensor(i64, shape{}, {1})),
                                                     model.constant(make_integer_tensor(i64, shape{}, {0}))});
    const node_id chosen =
        model.add(op::gather{}, {positive, columns, model.constant(make_integer_tensor(i64, shape{}, {1}))});
    model.result(model.add(op::add{}, {chosen, chosen}, "sum"));
    model.result(places);
    executable net = compile(model);
    check_run(net, model, {make_tensor(f32, shape{2, 3}, {1, -1, 0, 0, 5, -2})});
    check_run(net, model, {make_tensor(f32, shape{2, 2}, {1, 2, 3, 4})});
    check_run(net, model, {make_tensor(f32, shape{2, 2}, {-1, -2, -3, -4})});
    std::vector<std::string> executed;
    for (const run_step_record& each : net.records()) {
        const plan::step& step = each.net->steps[each.number];
        executed.push_back(step.nodes.empty() ? "" : (*each.model)[step.nodes[0]].name().c_str());
    }
    REQUIRE(executed.size() >= 3);
    CHECK(executed[0] == "positive");
    CHECK(executed[1] == "places");
}

TEST_CASE("A state may change its shape from run to run") {
    graph model;
    const node_id x = model.parameter(f32, shape{open, 2}, "x");
    const output_ref nothing = model.constant(make_tensor(f32, shape{0, 2}, {0}));
    const node_id old = model.add(op::read_value{"cache", f32, shape{open, 2}}, {nothing});
    const node_id all = model.add(op::concat{0}, {old, x}, "all");
    const node_id write = model.add(op::assign{"cache", f32, shape{open, 2}}, {all});
    model.add_control_dependency(write, old);
    model.result(model.add(op::relu{}, {all}));
    executable net = compile(model);
    for (int pass = 0; pass < 2; ++pass) {
        reference::state variables;
        for (const dimension length : {2, 1, 3}) {
            const std::vector<tensor> inputs{image({length, 2})};
            const std::vector<tensor> expected =
                reference::evaluate<float>(model, view<tensor>(inputs.data(), inputs.size()), variables);
            CHECK(net.run(inputs) == expected);
        }
        net.reset();
    }
}

TEST_CASE("A state is written when all parts of a run that read it are over") {
    graph model;
    const node_id x = model.parameter(f32, shape{open}, "x");
    const node_id old =
        model.add(op::read_value{"sum", f32, shape{1}}, {model.constant(make_tensor(f32, shape{1}, {100}))});
    const node_id next =
        model.add(op::add{}, {old, model.add(op::reduce_sum{true}, {x, model.constant(make_indices({0}))})});
    model.add(op::assign{"sum", f32, shape{1}}, {next});
    const node_id places = model.add(op::non_zero{i64}, {x}, "places");
    const node_id count = model.add(op::convert{f32}, {model.add(op::shape_of{}, {places})});
    model.result(model.add(op::add{}, {count, old}));
    executable net = compile(model);
    reference::state variables;
    for (int i = 0; i < 3; ++i) {
        const std::vector<tensor> inputs{make_tensor(f32, shape{3}, {1, 0, 2})};
        const std::vector<tensor> expected =
            reference::evaluate<float>(model, view<tensor>(inputs.data(), inputs.size()), variables);
        CHECK(net.run(inputs) == expected);
    }
}

TEST_CASE("Columns that a Concat joins are read without gaps by what waits for the shapes of others") {
    graph model;
    const output_ref x = model.parameter(f32, shape{2, 3}, "x");
    const auto product = [&](dimension columns) {
        return model.add(op::mat_mul{}, {x, model.constant(numbers(f32, shape{3, columns}, -3, 1, 4))});
    };
    const output_ref first = product(2);
    const output_ref joined = model.add(op::concat{1}, {first, product(3)});
    model.result(joined);
    const output_ref places = model.add(op::non_zero{i64}, {joined});
    const output_ref sizes = model.add(op::convert{f32}, {model.add(op::shape_of{}, {places})});
    model.result(model.add(op::add{}, {first, sizes}));
    executable net = compile(model);
    check_run(net, model, {make_tensor(f32, shape{2, 3}, {1, -1, 0, 0, 5, -2})});
}

TEST_CASE("Roll, and GatherElements with computed indices, of sizes that the inputs decide") {
    graph model;
    const output_ref x = model.parameter(f32, shape{open, 6}, "x");
    const output_ref places = model.parameter(i64, shape{open, 4}, "places");
    const output_ref rolled =
        model.add(op::roll{}, {x, model.constant(make_indices({2, 1})), model.constant(make_indices({1, 0}))});
    model.result(model.add(op::gather_elements{1}, {rolled, places}));
    executable net = compile(model);
    for (const dimension rows : {2, 5}) {
        seq<std::int64_t> indices;
        for (dimension i = 0; i < rows * 4; ++i) {
            indices.push_back(i * 5 % 12 - 6);
        }
        check_run(net, model, {image({rows, 6}), make_integer_tensor(i64, shape{rows, 4}, indices)});
    }
    CHECK(complaint(net, {image({1, 6}), make_integer_tensor(i64, {1, 4}, {0, 1, 2, 6})}) != "");
}
