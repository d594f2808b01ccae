// SPDX-License-Identifier: Apache-2.0
#include "networks.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::testing;
using names = std::vector<std::string>;

namespace {

output_ref transposed(graph& model, output_ref data, std::initializer_list<std::int64_t> order) {
    return model.add(op::transpose{}, {data, model.constant(make_indices(view<std::int64_t>(order)))});
}

}  // namespace

TEST_CASE("A convolution reads pixels whose channels are last as they lie, and its output is read so") {
    graph model;
    const output_ref input = model.parameter(u8, shape{1, 6, 6, 3}, "x");
    const tensor weights = numbers(i8, shape{4, 3, 3, 3}, -100, 7, 100);
    const output_ref value = convolved(model, transposed(model, input, {0, 3, 1, 2}), weights, 1);
    model.result(transposed(model, quantize(model, value, u8, 0.05, 0), {0, 2, 3, 1}));
    const plan::network net = plan_of(model);
    REQUIRE(net.steps.size() == 1);
    const auto& work = std::get<plan::convolution_step>(net.steps[0].work);
    CHECK((net[work.input].storage == net[net.inputs[0].tensor].storage));
    CHECK((net[work.output].storage == net[net.outputs[0].tensor].storage));
}

TEST_CASE("Elements of 16 bits, which no kernel puts into another layout, are moved") {
    graph model;
    const output_ref input = model.parameter(u16, shape{1, 6, 6, 3}, "x");
    model.result(transposed(model, input, {0, 3, 1, 2}));
    CHECK(plan_of(model).steps.size() == 1);
}

TEST_CASE("Other orders of axes move the elements") {
    graph model;
    const output_ref input = model.parameter(u8, shape{1, 6, 5, 3}, "x");
    model.result(transposed(model, input, {0, 2, 1, 3}));
    CHECK(kernels_of(plan_of(model)) == names{"gather_U8"});
}

TEST_CASE("Channels that change places with few groups are matrices that the kernel transposes") {
    graph model;
    const output_ref input = model.parameter(u8, shape{2, 5, 3, 20}, "x");
    model.result(transposed(model, input, {0, 1, 3, 2}));
    const plan::network net = plan_of(model);
    REQUIRE(kernels_of(net) == names{"gather_U8"});
    const auto* work = std::get_if<plan::transpose_step>(&net.steps[0].work);
    REQUIRE(work != nullptr);
    CHECK(work->problem.batch == 10);
    CHECK(work->problem.rows == 3);
    CHECK(work->problem.columns == 20);
}

TEST_CASE("Narrow matrices that change their axes are moved element by element") {
    graph model;
    const output_ref input = model.parameter(u8, shape{2, 5, 3, 7}, "x");
    model.result(transposed(model, input, {0, 1, 3, 2}));
    const plan::network net = plan_of(model);
    REQUIRE(kernels_of(net) == names{"gather_U8"});
    CHECK(std::holds_alternative<plan::gather_step>(net.steps[0].work));
}

TEST_CASE("A Transpose that moves the channels of a tensor with other axes in front moves elements") {
    graph model;
    const output_ref input = model.parameter(u8, shape{2, 6, 5}, "x");
    model.result(transposed(model, input, {2, 0, 1}));
    CHECK(kernels_of(plan_of(model)) == names{"gather_U8"});
}
