// SPDX-License-Identifier: Apache-2.0
#include "networks.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>

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

TEST_CASE("A table whose rows are chosen in the run is read where the file has it, wherever that is") {
    alignas(8) static std::byte file[1 + 3 * 2 * sizeof(float)];
    const float values[] = {1, 2, 3, 4, 5, 6};
    std::memcpy(file + 1, values, sizeof values);
    for (const bool kernels_read_it : {false, true}) {
        graph model;
        const output_ref table =
            model.constant(tensor(f32, shape{3, 2}, bytes(file + 1, sizeof file - 1, nullptr, nullptr)));
        const auto choose = [&] {
            const output_ref rows = model.parameter(i64, shape{4});
            model.result(model.add(op::gather{}, {table, rows, model.constant(make_scalar(i64, 0))}, {}, 8));
        };
        choose();
        if (kernels_read_it) {
            model.result(model.add(op::maximum{}, {table, model.parameter(f32, shape{3, 2})}));
        }
        choose();
        const plan::network net = plan_of(model);
        std::size_t constants = 0;
        for (const plan::step& each : net.steps) {
            const bool copies = std::holds_alternative<plan::choice_step>(each.work);
            for (const plan::tensor_id read : each.reads) {
                if (net.storage_of(read).where == plan::area::constant) {
                    const std::byte* const at = net.storage_of(read).value.data();
                    CHECK((at == file + 1 || reinterpret_cast<std::uintptr_t>(at) % sizeof(float) == 0));
                    CHECK((at == file + 1) <= copies);  // nothing else reads it there
                    constants += at == file + 1 || !copies ? 1 : 0;
                }
            }
        }
        CHECK(constants >= 2);  // one choice at least, whatever is planned first
    }
}

TEST_CASE("Pixels of three values become planes by the kernel for matrices, and planes pixels") {
    for (const shape& dimensions : {shape{20, 3}, shape{3, 20}}) {
        graph model;
        model.result(transposed(model, model.parameter(u8, dimensions), {1, 0}));
        const plan::network net = plan_of(model);
        REQUIRE(net.steps.size() == 1);
        const auto& work = std::get<plan::transpose_step>(net.steps[0].work);
        CHECK(work.problem.rows == dimensions[0]);
        CHECK(work.problem.columns == dimensions[1]);
    }
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

TEST_CASE("Elements that lie at equal distances are moved in runs") {
    graph model;
    const output_ref input = model.parameter(f32, shape{2, 40}, "x");
    const auto amount = [&](std::int64_t count) { return model.constant(make_indices(integers{0, count})); };
    model.result(model.add(op::pad{op::pad_mode::reflect}, {input, amount(10), amount(20)}));
    const plan::network net = plan_of(model);
    const auto& work = std::get<plan::gather_step>(net.steps[0].work);
    REQUIRE(work.runs.size() == 6);
    CHECK(work.sources.empty());
    CHECK(work.runs[0].from == 10);
    CHECK(work.runs[0].distance == -1);
    CHECK(work.runs[0].count == 11);  // the first element of the row is the last of its reflection
    CHECK(work.runs[1].from == 1);
    CHECK(work.runs[1].distance == 1);
    CHECK(work.runs[1].to == 11);
    const std::vector<std::int32_t> order = plan::sources_of(work);
    REQUIRE(order.size() == 140);
    CHECK(order[69] == 19);
    CHECK(order[70] == 50);
    CHECK(order[139] == 59);
}

TEST_CASE("What is filled in is a run of its own") {
    const std::vector<std::int32_t> blocks{-1, -1, -1, -1, -1, -1, -1, -1, 0,  1,  2,  3,  4,  5,  6,  7,
                                           14, 12, 10, 8,  6,  4,  2,  0,  -1, -1, -1, -1, -1, -1, -1, -1};
    plan::gather_step work;
    work.runs = plan::detail::runs_of(blocks, 1);
    REQUIRE(work.runs.size() == 4);
    CHECK(work.runs[0].from == -1);
    CHECK(work.runs[2].distance == -2);
    CHECK(plan::sources_of(work) == blocks);
}

TEST_CASE("Short runs stay blocks") {
    std::vector<std::int32_t> blocks;
    for (std::int32_t i = 0; i < 64; ++i) {
        blocks.push_back(i * i % 37);
    }
    CHECK(plan::detail::runs_of(blocks, 1).empty());
}

TEST_CASE("A Transpose that moves the channels of a tensor with other axes in front moves elements") {
    graph model;
    const output_ref input = model.parameter(u8, shape{2, 6, 5}, "x");
    model.result(transposed(model, input, {2, 0, 1}));
    CHECK(kernels_of(plan_of(model)) == names{"gather_U8"});
}

TEST_CASE("Parts of a tensor that lie in one piece are read where they are") {
    graph model;
    const output_ref input = model.parameter(f32, shape{4, 3}, "x");
    const node_id parts = model.add(op::split{2}, {input, model.constant(make_integer_tensor(i64, shape{}, {0}))});
    const node_id quarters =
        model.add(op::split{2}, {output_ref(parts, 1), model.constant(make_integer_tensor(i64, shape{}, {0}))});
    model.result(output_ref(parts, 1));
    model.result(output_ref(quarters, 1));
    const plan::network net = plan_of(model);
    CHECK(net.steps.empty());
    const plan::tensor_id whole = net.inputs[0].tensor;
    CHECK((net[net.outputs[0].tensor].storage == net[whole].storage));
    CHECK(net[net.outputs[0].tensor].offset == 24);
    CHECK(net[net.outputs[1].tensor].offset == 36);
}

TEST_CASE("Parts that lie in pieces are moved") {
    graph model;
    const output_ref input = model.parameter(f32, shape{4, 6}, "x");
    const node_id parts = model.add(op::split{2}, {input, model.constant(make_integer_tensor(i64, shape{}, {1}))});
    model.result(output_ref(parts, 1));
    CHECK(kernels_of(plan_of(model)).size() == 2);
}

TEST_CASE("Roll by known shifts moves runs of elements") {
    graph model;
    const output_ref input = model.parameter(u8, shape{1, 8, 8, 16}, "x");
    model.result(
        model.add(op::roll{}, {input, model.constant(make_indices({-3, 3})), model.constant(make_indices({1, 2}))}));
    const plan::network net = plan_of(model);
    REQUIRE(kernels_of(net) == names{"gather_U8"});
    const auto& work = std::get<plan::gather_step>(net.steps[0].work);
    CHECK(work.block >= 16);
    CHECK(plan::sources_of(work)[0] == (3 * 8 + 5) * 16);
}

TEST_CASE("GatherElements moves elements where indices are known, and chooses them along the last axis where they are "
          "computed") {
    graph known;
    const tensor places = make_integer_tensor(i32, {2, 3}, {0, 1, 1, 0, 0, 1});
    known.result(known.add(op::gather_elements{0}, {known.parameter(f32, shape{2, 3}), known.constant(places)}));
    CHECK(kernels_of(plan_of(known)) == names{"gather_FP32"});
    const auto computed = [](std::int64_t axis, const shape& indices) {
        graph model;
        model.result(
            model.add(op::gather_elements{axis}, {model.parameter(f32, shape{2, 3}), model.parameter(i64, indices)}));
        return kernels_of(plan_of(model));
    };
    CHECK(computed(1, {2, 5}) == names{"gather_FP32"});
    CHECK(computed(0, {4, 3}) == names{"reference_FP32"});
}
