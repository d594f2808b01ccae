// SPDX-License-Identifier: Apache-2.0
#include <lpt/pipeline/role.hpp>

#include <doctest/doctest.h>

using namespace lpt;

namespace {

constexpr op::fake_quantize many_levels{256};

/// A FakeQuantize of data of one type that gives another.
constexpr node_id fake_quantize(graph& model, output_ref data, element gives) {
    const output_ref low = model.constant(make_scalar(f32, 0));
    const output_ref high = model.constant(make_scalar(f32, 255));
    return model.add_relaxed(many_levels, {data, low, high, low, high}, {{f32, f32, f32, f32, f32}, {gives}});
}
constexpr role role_of(const graph& model, node_id id) { return lpt::role_of(model, model[id]); }
constexpr element type_of(const graph& model, node_id id) { return computing_type(model, model[id]); }

}  // namespace

TEST_CASE(
    "A FakeQuantize that gives integers quantizes and computes in the type that it takes, another one is arithmetic") {
    graph model;
    const node_id data = model.parameter(f32, shape{1, 4}, "x");
    const node_id to_bytes = fake_quantize(model, data, u8);
    const node_id to_reals = fake_quantize(model, data, f32);
    const node_id of_bytes = fake_quantize(model, to_bytes, u8);
    CHECK(role_of(model, to_bytes) == role::quantization);
    CHECK(type_of(model, to_bytes) == f32);
    CHECK(role_of(model, to_reals) == role::arithmetic);
    CHECK(type_of(model, to_reals) == f32);
    CHECK(role_of(model, of_bytes) == role::quantization);
    CHECK(type_of(model, of_bytes) == u8);
}

TEST_CASE("Convert, and Subtract and Multiply with constants, dequantize low precision data") {
    graph model;
    const node_id data = model.parameter(i8, shape{1, 4}, "x");
    const node_id real = model.parameter(f32, shape{1, 4}, "y");
    const node_id two = model.constant(make_scalar(f32, 2));
    const node_id convert = model.add(op::convert{f32}, {data});
    const node_id shifted = model.add_relaxed(op::subtract{}, {data, two}, {{f32, f32}, {f32}});
    const node_id scaled = model.add_relaxed(op::multiply{}, {two, data}, {{f32, f32}, {f32}});
    for (const node_id each : {convert, shifted, scaled}) {
        CHECK(role_of(model, each) == role::dequantization);
        CHECK(type_of(model, each) == f32);
    }
    CHECK(role_of(model, model.add(op::convert{u8}, {real})) == role::quantization);
    CHECK(role_of(model, model.add(op::convert{i64}, {real})) == role::movement);
    CHECK(role_of(model, model.add(op::multiply{}, {real, two})) == role::arithmetic);
    CHECK(role_of(model, model.add_relaxed(op::multiply{}, {real, data}, {{f32, f32}, {f32}})) == role::arithmetic);
}

TEST_CASE("Arithmetic is on integers if all its data is; weights may be real numbers") {
    graph model;
    const node_id bytes = model.parameter(u8, shape{4, 4}, "x");
    const node_id real = model.parameter(f32, shape{4, 4}, "y");
    const node_id weights = model.constant(make_tensor(f32, shape{4, 1}, {1, 2, 3, 4}));
    const auto relaxed = [&](auto what, node_id a, node_id b) {
        return model.add_relaxed(what, {a, b}, {{f32, f32}, {f32}});
    };
    CHECK(type_of(model, relaxed(op::add{}, bytes, bytes)) == u8);
    CHECK(type_of(model, relaxed(op::add{}, bytes, real)) == f32);
    CHECK(type_of(model, relaxed(op::add{}, real, bytes)) == f32);
    CHECK(type_of(model, relaxed(op::mat_mul{}, bytes, weights)) == u8);
    CHECK(type_of(model, relaxed(op::mat_mul{}, bytes, real)) == f32);
    CHECK(type_of(model, model.add(op::relu{}, {bytes})) == u8);
    CHECK(type_of(model, model.add(op::greater{}, {real, real})) == f32);
    CHECK(type_of(model, model.add(op::shape_of{i64}, {real})) == i64);
}

TEST_CASE("What only moves values is no arithmetic, whatever type they have") {
    graph model;
    const node_id bytes = model.parameter(u8, shape{2, 4}, "x");
    const node_id joined = model.add(op::concat{0}, {bytes, bytes});
    CHECK(role_of(model, joined) == role::movement);
    CHECK(type_of(model, joined) == u8);
    CHECK(role_of(model, model.add(op::transpose{}, {bytes, model.constant(make_indices({1, 0}))})) == role::movement);
    CHECK(role_of(model, model.add(op::softmax{0}, {model.parameter(f32, shape{2}, "y")})) == role::arithmetic);
}
