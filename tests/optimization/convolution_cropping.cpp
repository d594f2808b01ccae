// SPDX-License-Identifier: Apache-2.0
#include "tests/optimization/networks.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::testing;

namespace {

output_ref weights_of(graph& model, const shape& dimensions) {
    tensor_builder values(f32, dimensions);
    for (std::size_t i = 0; i < values.elements(); ++i) {
        values.real(i, static_cast<double>(i % 7) - 3.0);
    }
    return model.constant(values.finish());
}

/// A part of axis 2 or 3 of a tensor of four axes.
struct part {
    std::int64_t axis = 3;
    std::int64_t start = 0;
    std::int64_t stop = 0;
    std::int64_t step = 1;
};
output_ref slice_of(graph& model, output_ref data, const part& taken) {
    return model.add(op::slice{}, {data, indices(model, {taken.start}), indices(model, {taken.stop}),
                                   indices(model, {taken.step}), indices(model, {taken.axis})});
}

/// Convolution of 20 x 30 pixels, Slices of it: a network's first convolution, as it is when it has been optimized.
graph sliced(const op::convolution& attributes, const std::vector<part>& parts) {
    graph model;
    const output_ref x = model.parameter(f32, {2, 3, 20, 30}, "x");
    const output_ref made = model.add(attributes, {x, weights_of(model, {4, 3, 3, 3})}, "convolution");
    for (const part& each : parts) {
        model.result(model.add(op::abs{}, {slice_of(model, made, each)}), "result");
    }
    return model;
}
shape computed_in(graph model) {
    optimize(model);
    verify(model);
    for (const node_id id : topological_order(model)) {
        if (model[id].is<op::convolution>() || model[id].is<op::group_convolution>()) {
            return model[id].shape();
        }
    }
    return {};
}
op::convolution same_size() { return {.pads_begin = {1, 1}, .pads_end = {1, 1}}; }
op::convolution every_second() {
    return {.strides = {2, 2}, .dilations = {1, 2}, .pads_begin = {1, 3}, .pads_end = {2, 0}};
}

}  // namespace

TEST_CASE("A convolution computes only the positions that a Slice reads") {
    const graph model = sliced(same_size(), {{3, 4, 11}});
    CHECK(computed_in(model) == shape{2, 4, 20, 7});
    CHECK(optimized_operations_of(model) == kinds{op::kind::slice, op::kind::convolution, op::kind::abs});
    CHECK(change_of_results(model) == 0);
}

TEST_CASE("Padding stays where the positions that are read touch it") {
    for (const part& each : {part{3, 0, 5}, part{3, -4, 1000}, part{2, 0, -1}, part{2, 19, 20}, part{3, 1, -1, 5}}) {
        const graph model = sliced(same_size(), {each});
        CHECK(!(computed_in(model) == shape{2, 4, 20, 30}));
        CHECK(change_of_results(model) == 0);
    }
}

TEST_CASE("Strides, dilations and automatic padding say what a position needs") {
    op::convolution automatic{.strides = {3, 2}, .auto_pad = op::auto_pad::same_lower};
    for (const op::convolution& each : {every_second(), automatic}) {
        for (const part& taken : {part{3, 0, 3}, part{3, 2, 9, 2}, part{2, 3, 4}, part{3, -1, 100}}) {
            const graph model = sliced(each, {taken});
            CHECK(!(computed_in(model) == computed_in(sliced(each, {}))));
            CHECK(change_of_results(model) == 0);
        }
    }
}

TEST_CASE("Several Slices need what lies between the first and the last position that one of them reads") {
    const graph model = sliced(same_size(), {{3, 2, 5}, {3, 8, 12, 2}});
    CHECK(computed_in(model) == shape{2, 4, 20, 9});
    CHECK(change_of_results(model) == 0);
}

TEST_CASE("A convolution of which a Slice reads all positions, none, or in reverse, stays as it is") {
    for (const part& each : {part{1, 0, 2}, part{3, 5, 5}, part{3, 9, 2, -1}}) {
        const graph model = sliced(same_size(), {each});
        CHECK(computed_in(model) == shape{2, 4, 20, 30});
        CHECK(change_of_results(model) == 0);
    }
}

TEST_CASE("A convolution that something else reads, too, stays as it is") {
    graph model;
    const output_ref x = model.parameter(f32, {1, 3, 8, 8}, "x");
    const output_ref made = model.add(same_size(), {x, weights_of(model, {4, 3, 3, 3})});
    model.result(slice_of(model, made, {3, 0, 4}), "part");
    model.result(made, "whole");
    CHECK(computed_in(model) == shape{1, 4, 8, 8});
}

TEST_CASE("Positions that need nothing but padding are not cut out") {
    const graph model = sliced({.pads_begin = {1, 5}, .pads_end = {1, 5}}, {{3, 0, 2}});
    CHECK(computed_in(model) == shape{2, 4, 20, 38});
    CHECK(change_of_results(model) == 0);
}

TEST_CASE("Bias, activation and quantization between a causal convolution and its Slice are passed") {
    graph model;
    const output_ref x = model.parameter(f32, {1, 6, 40}, "x");
    const output_ref made = model.add(op::group_convolution{.pads_begin = {8}, .pads_end = {8}, .dilations = {4}},
                                      {x, weights_of(model, {2, 2, 3, 3})});
    const output_ref biased = model.add(op::add{}, {made, weights_of(model, {1, 4, 1})});
    const output_ref relu = model.add(op::relu{}, {biased});
    const output_ref quantized =
        model.add(op::fake_quantize{.levels = 256},
                  {relu, scalar_of(model, 0), scalar_of(model, 100), scalar_of(model, 0), scalar_of(model, 100)});
    const output_ref cut = model.add(
        op::slice{}, {quantized, indices(model, {0}), indices(model, {-8}), indices(model, {1}), indices(model, {2})});
    model.result(model.add(op::negative{}, {cut}), "result");
    CHECK(computed_in(model) == shape{1, 4, 40});
    CHECK(optimized_operations_of(model) == kinds{op::kind::group_convolution, op::kind::add, op::kind::relu,
                                                  op::kind::fake_quantize, op::kind::negative});
    CHECK(change_of_results(model) == 0);
}

TEST_CASE("A term that differs from position to position is not passed") {
    graph model;
    const output_ref x = model.parameter(f32, {1, 3, 8, 8}, "x");
    const output_ref made = model.add(same_size(), {x, weights_of(model, {4, 3, 3, 3})});
    const output_ref shifted = model.add(op::add{}, {made, weights_of(model, {8})});
    model.result(slice_of(model, shifted, {3, 0, 4}), "part");
    CHECK(computed_in(model) == shape{1, 4, 8, 8});
    CHECK(change_of_results(model) == 0);
}
