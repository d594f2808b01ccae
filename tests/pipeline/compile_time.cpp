// SPDX-License-Identifier: Apache-2.0
#include <lpt/pipeline/compile_time.hpp>

#include <lpt/graph/compare.hpp>

#include <doctest/doctest.h>

#include <type_traits>

using namespace lpt;

namespace {

constexpr output_ref quantized(graph& model, output_ref data, double low, double high) {
    const output_ref from = model.constant(make_scalar(f32, low));
    const output_ref to = model.constant(make_scalar(f32, high));
    return model.add(op::fake_quantize{256}, {data, from, to, from, to});
}

/// Convolution with quantized data and weights, bias, Relu; two branches with different intervals into a Concat.
constexpr graph make_branches() {
    graph model;
    const output_ref data = model.parameter(f32, {1, 2, 4, 4}, "data");
    const output_ref weights = model.constant(make_tensor(f32, {2, 2, 1, 1}, {1, -2, 3, 4}));
    output_ref sum =
        model.add(op::convolution{{1, 1}, {1, 1}, {0, 0}, {0, 0}},
                  {quantized(model, data, 0, 2.55), quantized(model, weights, -12.8, 12.7)}, "convolution");
    sum = model.add(op::add{}, {sum, model.constant(make_tensor(f32, {1, 2, 1, 1}, {1, 2}))}, "bias");
    sum = model.add(op::relu{}, {sum}, "relu");
    const output_ref first = quantized(model, sum, 0, 2.55);
    const output_ref second = quantized(model, data, 0, 5.1);
    const output_ref joined = model.add(op::concat{1}, {first, second}, "concat");
    model.result(model.add(op::max_pool{.strides = {1, 1}, .pads_begin = {0, 0}, .pads_end = {0, 0}, .kernel = {2, 2}},
                           {joined}, "pool", 1));
    return model;
}
struct branches {
    static constexpr graph make() { return make_branches(); }
};

/// Without callbacks: g++ compares no addresses in constant expressions of sanitized builds.
constexpr auto bytes_for_convolutions =
    restrictions<precisions<op::convolution, on<0, u8>, on<1, i8>>, per_tensor<op::convolution, 0>>{};

constexpr auto at_once = transform(network<branches>{}, bytes_for_convolutions);
static_assert(at_once.parts() == 1);
static_assert(at_once.int8_operations() == 2);  // the Convolution and the MaxPool; Concat only moves
static_assert(at_once.quantizations() == 3);

/// Little work in each constant expression: the attributes travel from one to the next.
using in_parts =
    transformed_network<branches, default_pipeline, std::remove_const_t<decltype(bytes_for_convolutions)>, 50000>;
static_assert(in_parts::parts() > 3);

constexpr std::byte stored_file[] = {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
/// A network whose constant is a window into data of the program.
struct with_window {
    static constexpr view<std::byte> data() { return stored_file; }
    static constexpr graph make() {
        graph model;
        const node_id constant = model.constant(tensor(u8, {4}, bytes(stored_file, 4, nullptr, nullptr)), "weights");
        model.result(model.add(op::convert{f32}, {constant}));
        return model;
    }
};

}  // namespace

TEST_CASE("a network transformed by the compiler is the one that a program transforms") {
    graph model = make_branches();
    const report all = transform(model, bytes_for_convolutions);
    CHECK(all.int8_operations() == at_once.int8_operations());
    CHECK(all.quantizations() == at_once.quantizations());
    CHECK(freeze(at_once.make()) == freeze(model));
}

TEST_CASE("in how many parts a pipeline runs changes nothing") {
    graph model = make_branches();
    transform(model, bytes_for_convolutions);
    CHECK(freeze(in_parts::make()) == freeze(model));
    CHECK(in_parts::int8_operations() == at_once.int8_operations());
}

TEST_CASE("constants that are windows stay windows") {
    using net = frozen<with_window>;
    const graph model = net::thaw();
    const tensor& weights = *model.constant_value(model[model.producer(model.results()[0], 0)].input(0));
    CHECK(weights.data() == stored_file);
    CHECK(weights.is_window());
    const seq<word> copied = freeze(model);
    const seq<word> windowed = freeze(model, stored_file);
    CHECK_FALSE(copied == windowed);
    CHECK(difference(thaw(copied), model).empty());
    CHECK_THROWS_AS(thaw(windowed), error);  // not without the data
}
