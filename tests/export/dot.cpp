// SPDX-License-Identifier: Apache-2.0
#include <lpt/export/dot.hpp>
#include <lpt/lpt.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace lpt;

namespace {

std::string words(const text& made) { return {made.view().data(), made.size()}; }
bool has(const std::string& picture, const std::string& piece) { return picture.find(piece) != std::string::npos; }
std::size_t count_of(const std::string& picture, const std::string& piece) {
    std::size_t count = 0;
    for (std::size_t at = picture.find(piece); at != std::string::npos; at = picture.find(piece, at + 1)) {
        ++count;
    }
    return count;
}

output_ref fake_quantize(graph& model, output_ref data, double low, double high, text_view name) {
    const node_id least = model.constant(make_scalar(f32, low));
    const node_id most = model.constant(make_scalar(f32, high));
    return model.add(op::fake_quantize{256}, {data, least, most, least, most}, name);
}

/// A quantized Relu, and a Sigmoid behind it.
graph small_network() {
    graph model;
    const output_ref x = model.parameter(f32, {1, 8}, "x");
    const output_ref relu = model.add(op::relu{}, {fake_quantize(model, x, 0, 2.55, "quantize")}, "relu");
    model.result(model.add(op::sigmoid{}, {relu}, "sigmoid"), "y");
    return model;
}

}  // namespace

TEST_CASE("A picture has a box an operation, an edge a connection, and leaves out constants") {
    const std::string picture = words(write_dot(small_network()));
    CHECK(picture.find("digraph network {\n") == 0);
    CHECK(picture.substr(picture.size() - 2) == "}\n");
    CHECK(count_of(picture, " [label=\"FakeQuantize\\nquantize\"") == 1);
    CHECK(count_of(picture, "fillcolor") == 5);
    CHECK(count_of(picture, " -> ") == 4);
    CHECK_FALSE(has(picture, "Constant"));
    CHECK(has(picture, "[label=\"f32[1,8]\"]"));
}

TEST_CASE("Boxes are coloured by the type in which operations compute") {
    graph model = small_network();
    CHECK_FALSE(has(words(write_dot(model)), "#8fd19e"));
    prepare(model);
    transform(model, cpu_x86);
    const std::string picture = words(write_dot(model));
    CHECK(has(picture, "[label=\"Relu\\nrelu\", fillcolor=\"#8fd19e\"]"));
    CHECK(has(picture, "[label=\"Sigmoid\\nsigmoid\", fillcolor=\"#f6c9a0\"]"));
    CHECK(count_of(picture, "[label=\"u8[1,8]\", color=\"#2f8f4e\", penwidth=2]") == 2);
}

TEST_CASE("With a report the reason stands at what stayed in real numbers") {
    graph model = small_network();
    prepare(model);
    const report told = transform(model, cpu_x86);
    const std::string picture = words(write_dot(model, told));
    CHECK(has(picture, "[label=\"Sigmoid\\nsigmoid\", fillcolor=\"#f6c9a0\", tooltip=\""));
    CHECK(count_of(picture, "tooltip") >= 1);
}

TEST_CASE("Constants of more than one element are named with port, type and shape") {
    graph model;
    const output_ref x = model.parameter(f32, {2, 3}, "x");
    const output_ref weights = model.constant(tensor_builder(i8, {3, 4}).finish());
    model.result(model.add(op::mat_mul{}, {x, model.add(op::convert{f32}, {weights})}, "product"));
    CHECK(has(words(write_dot(model)), "0: i8[3,4]"));
}

TEST_CASE("Names are any bytes, pictures are printable") {
    graph model;
    model.result(model.add(op::relu{}, {model.parameter(f32, {1}, "in")}, "a\"b\\c\n\x80"));
    CHECK(has(words(write_dot(model)), "Relu\\na\\\"b\\\\c??\""));
}

TEST_CASE("Bodies are frames, and their boxes have numbers of their own") {
    graph body;
    body.result(body.add(op::relu{}, {body.parameter(f32, {3}, "inside")}, "step"));
    graph model;
    op::tensor_iterator iterator;
    iterator.declared_outputs.push_back({f32, {3}});
    const node_id loop = model.add(iterator, {model.parameter(f32, {3})}, "loop");
    model.add_body(loop, lpt::move(body));
    model.result(loop);
    const std::string picture = words(write_dot(model));
    CHECK(has(picture, "subgraph cluster_0 {\n    label=\"body 0 of loop\";\n"));
    CHECK(count_of(picture, "Relu\\nstep") == 1);
    CHECK(count_of(picture, "\"n0\" [") == 1);
}
