// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/helpers.hpp"
#include "tests/support/bodies.hpp"

#include <string>

using namespace lpt;
using namespace lpt::test;

namespace {

/// What an evaluation within these limits complains about; empty if it gives results.
std::string complaint(const graph& model, const std::vector<tensor>& inputs, const reference::limits& most) {
    reference::state variables;
    try {
        reference::evaluate<float>(model, view<tensor>(inputs.data(), inputs.size()), variables, most);
    } catch (const error& raised) {
        return raised.what();
    }
    return {};
}
tensor index(std::int64_t value) { return make_integer_tensor(i64, shape{}, {value}); }

/// A Loop without a condition of its own, which adds 1 to its value as often as input 0 says.
graph counting_loop() {
    graph body;
    const node_id value = body.add(op::parameter{i64, shape{}}, {});
    const node_id sum = body.add(op::add{}, {value, body.constant(make_scalar(i64, 1))});
    body.add(op::result{}, {sum});
    graph model;
    const node_id times = model.add(op::parameter{i64, shape{}}, {});
    op::loop self;
    self.input_map = {{2, 0, op::body_input::form::merged, 0, {}}};
    self.output_map = {{0, 0, op::body_output::form::value, -1, {}}};
    self.declared_outputs = {{i64, {}}};
    const node_id loop =
        model.add(self, {times, model.constant(make_scalar(boolean, 1)), model.constant(make_scalar(i64, 0))}, "again");
    model.add_body(loop, body);
    model.add(op::result{}, {loop});
    return model;
}
graph of_one_hot() {
    graph model;
    const node_id depth = model.add(op::parameter{i64, shape{}}, {});
    const node_id hot = model.add(op::one_hot{},
                                  {model.constant(make_indices({1})), depth, model.constant(make_scalar(u8, 1)),
                                   model.constant(make_scalar(u8, 0))},
                                  "hot");
    model.add(op::result{}, {hot});
    return model;
}

}  // namespace

TEST_CASE(
    "a loop runs as many iterations as the limits allow, and is refused before the first where it would run more") {
    CHECK(complaint(counting_loop(), {index(100)}, {.iterations = 100}).empty());
    CHECK(complaint(counting_loop(), {index(101)}, {.iterations = 100}) ==
          "Loop 'again': it would run more than 100 iterations");
    CHECK(complaint(counting_loop(), {index(INT64_MAX)}, {}) ==
          "Loop 'again': it would run more than 1048576 iterations");
}

TEST_CASE("a loop whose condition is known to hold is refused before its first iteration, too") {
    enum class condition { constant, fed_back, whole };
    for (const condition kind : {condition::constant, condition::fed_back, condition::whole}) {
        graph body;
        const node_id holds = body.parameter(boolean, shape{}, "holds");
        const output_ref constant = body.constant(make_scalar(boolean, 1));
        body.result(kind == condition::constant ? constant : output_ref(holds));
        graph model;
        op::loop self;
        self.execution_condition = 0;
        self.input_map = {kind == condition::fed_back ? fed_back(2, 0, 0) : whole(2, 0)};
        self.output_map = {last(0, 0)};
        self.declared_outputs = {{boolean, shape{}}};
        const node_id times = model.parameter(i64, shape{}, "times");
        const node_id first = model.parameter(boolean, shape{}, "first");
        const graph bodies[] = {body};
        const node_id loop = add_with_bodies(model, self, {times, first, first}, bodies, "again");
        int runs = 0;
        const auto count_runs = [&](std::size_t, const std::vector<tensor>& parameters) {
            ++runs;
            return parameters;
        };
        const auto complaint_about = [&](std::int64_t trips) -> std::string {
            const tensor yes = make_scalar(boolean, 1);
            const tensor inputs[] = {index(trips), yes, yes};
            try {
                reference::evaluate_control_flow(model[loop], inputs, count_runs, {.iterations = 5});
            } catch (const error& raised) {
                return raised.what();
            }
            return {};
        };
        CHECK(complaint_about(6) == "Loop 'again': it would run more than 5 iterations");
        CHECK(complaint_about(-1) ==
              "Loop 'again': it would never end: it has no trip count, and its condition always holds");
        CHECK(runs == 0);
        CHECK(complaint_about(5).empty());
        CHECK(runs == 5);
    }
}

TEST_CASE(
    "outputs that take more than the limits allow are an error that names operation and shape, before they are made") {
    const std::uint64_t bytes = 1000 + 32 * (1 + 1000);
    CHECK(complaint(of_one_hot(), {index(1000)}, {.bytes = bytes}).empty());
    CHECK(
        complaint(of_one_hot(), {index(1000)}, {.bytes = bytes - 1}) ==
        "OneHot 'hot' cannot be evaluated: output 0 has the type u8 and the shape [1,1000], and its outputs take more "
        "than 33031 bytes");
    CHECK(complaint(of_one_hot(), {index(std::int64_t{1} << 45)}, {}).find("OneHot 'hot' cannot be evaluated") == 0);
}

TEST_CASE("parts that a loop collects count against the limit of bytes") {
    const op::body_slice one_by_one{1, 0, 1, 1, -1};
    const graph model = running_sums({2, 100, 1}, 1, one_by_one, one_by_one);
    const std::vector<tensor> inputs{counting({2, 100, 1}), f32_of({2, 1, 1}, {100})};
    CHECK(complaint(model, inputs, {}).empty());
    CHECK(complaint(model, inputs, {.bytes = 500}).find("take more than 500 bytes") != std::string::npos);
}

TEST_CASE("an output without elements is given at once, however long its other axes are") {
    const shape long_axis{0, std::int64_t{1} << 40};
    const tensor empty(f32, long_axis, bytes(seq<std::byte>{}));
    CHECK(run(op::transpose{}, {empty, make_indices({1, 0})})[0].dimensions() == shape{std::int64_t{1} << 40, 0});
    CHECK(run(op::tile{}, {empty, make_indices({1, 64})})[0].dimensions() == shape{0, std::int64_t{1} << 46});
    CHECK(run(op::softmax{1}, {empty})[0].dimensions() == long_axis);
}

TEST_CASE("a window much larger than its input costs what the input has") {
    const std::int64_t most = INT32_MAX;
    const op::avg_pool mean{.kernel = {most, most}, .exclude_pad = true, .auto_pad = op::auto_pad::same_upper};
    check_first(mean, {counting({1, 1, 2, 2})}, {1, 1, 2, 2}, {1.5, 1.5, 1.5, 1.5});
    const op::max_pool greatest{.dilations = {most}, .kernel = {65}, .auto_pad = op::auto_pad::same_upper};
    check_first(greatest, {counting({1, 1, 3})}, {1, 1, 3}, {0, 1, 2});
}

TEST_CASE("a transposed convolution of no channels gives zeros, however large its kernel is") {
    const tensor data(f32, shape{1, 0, 1 << 20}, bytes(seq<std::byte>{}));
    const tensor weights(f32, shape{0, 1, std::int64_t{1} << 30}, bytes(seq<std::byte>{}));
    const tensor wanted = make_indices({2});
    check_first(op::convolution_backprop_data{}, {data, weights, wanted}, {1, 1, 2}, {0, 0});
}

TEST_CASE("an input shrunk by a tiny scale with antialias costs what the input has") {
    const op::interpolate self{.mode = op::interpolate_mode::linear,
                               .shape_calculation_mode = op::shape_calculation_mode::scales,
                               .antialias = true};
    CHECK(run(self, {counting({1, 8}), make_tensor(f32, shape{2}, {1, 1e-30})}, 11)[0].elements() == 0);
    check_first(self, {counting({1, 8}), make_tensor(f32, shape{2}, {1, 0.125})}, {1, 1}, {3.5}, 11);
}

TEST_CASE("Interpolate refuses a margin that is too large to be made") {
    const op::interpolate self{.shape_calculation_mode = op::shape_calculation_mode::sizes,
                               .pads_end = {0, std::int64_t{1} << 40}};
    CHECK_THROWS_WITH_AS(run(self, {counting({1, 2}), make_indices({1, 4})}, 11),
                         doctest::Contains("Interpolate pads its input to the shape [1,1099511627778]"), error);
}

TEST_CASE("FakeConvert refuses a scale that does not broadcast to the data") {
    CHECK_THROWS_WITH_AS(run(op::fake_convert{}, {counting({2, 3}), counting({2})}),
                         doctest::Contains("input 1 of shape [2] does not broadcast to [2,3]"), error);
}
