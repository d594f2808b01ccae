// SPDX-License-Identifier: Apache-2.0
#include "../prerequisites/rewritten.hpp"

#include <lpt/graph/verify.hpp>
#include <lpt/transformation/preparation/keep_const_precision.hpp>
#include <lpt/transformation/preparation/mark_compressed_weights.hpp>
#include <lpt/transformation/preparation/mark_dequantization.hpp>

#include <doctest/doctest.h>

using namespace lpt;
using testing::rewritten;

namespace {

/// i8 Constant -> Convert -> Subtract(Convert(i8 zero point)) -> Multiply(Convert(f16 scale)) -> Result.
struct stored : rewritten {
    node_id weights = node_id::none;
    node_id convert = node_id::none;
    node_id zero_point = node_id::none;
    node_id zero_point_convert = node_id::none;
    node_id subtract = node_id::none;
    node_id scale = node_id::none;
    node_id scale_convert = node_id::none;
    node_id multiply = node_id::none;

    constexpr explicit stored(bool reshaped_scale = false, element scale_type = i8, element type = i8) {
        weights = constant({1, 2, 3, 4, 5, 6}, {2, 3}, type);
        convert = model.add(op::convert{f32}, {weights});
        zero_point = constant({1}, {}, type);
        zero_point_convert = model.add(op::convert{f32}, {zero_point});
        subtract = model.add(op::subtract{}, {convert, zero_point_convert});
        scale = constant({2, 3}, {2}, scale_type);
        scale_convert = model.add(op::convert{f32}, {scale});
        output_ref factor = model.add(op::unsqueeze{}, {scale_convert, indices({1})});
        if (!reshaped_scale) {
            scale = constant({2, 3}, {2, 1}, scale_type);
            scale_convert = model.add(op::convert{f32}, {scale});
            factor = scale_convert;
        }
        multiply = model.add(op::multiply{}, {subtract, factor});
        model.result(multiply);
        model.collect();
    }
    constexpr bool folds(node_id id) const { return !model[id].has(mark::disabled_constant_folding); }
};

constexpr bool marks_what_the_file_has() {
    stored net;
    net.run<mark_dequantization>(net.multiply);
    return !net.folds(net.convert) && !net.folds(net.zero_point_convert) && net.folds(net.scale_convert) &&
           net.model[net.subtract].has(mark::dequantization_node) &&
           net.model[net.multiply].has(mark::dequantization_node);
}
static_assert(marks_what_the_file_has());

constexpr transformation_arguments told(text_view name, bool fold_subtract, bool fold_multiply) {
    return {name, {}, fold_subtract, fold_multiply, false};
}

}  // namespace

TEST_CASE("whether zero point and scale fold is what the user sets") {
    for (const bool fold : {false, true}) {
        stored net;
        net.options.arguments.push_back(told(mark_dequantization::name, fold, fold));
        CHECK_FALSE(net.run<mark_dequantization>(net.multiply));
        CHECK_FALSE(net.folds(net.convert));
        CHECK(net.folds(net.zero_point_convert) == fold);
        CHECK(net.folds(net.scale_convert) == fold);
    }
}

TEST_CASE("a scale of a type that is not looked for is left without a mark") {
    stored net(false, f16);
    net.options.arguments.push_back(told(mark_dequantization::name, false, false));
    net.run<mark_dequantization>(net.multiply);
    CHECK(net.folds(net.scale_convert));
}

TEST_CASE("a Reshape or Unsqueeze of a constant moves above its Convert, the values stay") {
    stored net(true);
    net.run<mark_dequantization>(net.multiply);
    verify(net.model);
    const node_id convert = net.above(net.multiply, 1);
    REQUIRE(net.model[convert].is<op::convert>());
    CHECK(net.model[net.above(convert)].is<op::unsqueeze>());
    CHECK(net.difference() == 0);
}

TEST_CASE("it stays below a Convert that operations of other shapes read") {
    stored net(true);
    net.model.result(net.model.add(op::relu{}, {net.scale_convert}));
    net.run<mark_dequantization>(net.multiply);
    CHECK(net.model[net.above(net.multiply, 1)].is<op::unsqueeze>());
}

TEST_CASE("types that are not looked for and Converts with other readers get no marks") {
    stored type(false, f16, i16);
    type.run<mark_dequantization>(type.multiply);
    CHECK(type.folds(type.convert));
    CHECK_FALSE(type.model[type.multiply].has(mark::dequantization_node));
    type.options.arguments.push_back({mark_dequantization::name, {i16}});
    type.run<mark_dequantization>(type.multiply);
    CHECK_FALSE(type.folds(type.convert));
    stored shared;
    shared.model.result(shared.convert);
    shared.run<mark_dequantization>(shared.multiply);
    CHECK(shared.folds(shared.convert));
}

TEST_CASE("constants of dequantizations keep their precision: data, zero point, and the scale if it is asked for") {
    const auto kept = [](const stored& net, node_id id) { return net.model[id].has(mark::keep_const_precision); };
    stored net;
    CHECK_FALSE(net.run<keep_const_precision>(net.multiply));
    CHECK(kept(net, net.weights));
    CHECK(kept(net, net.zero_point));
    CHECK_FALSE(kept(net, net.scale));
    stored other;
    other.options.arguments.push_back(told(keep_const_precision::name, true, false));
    other.run<keep_const_precision>(other.multiply);
    CHECK(kept(other, other.weights));
    CHECK_FALSE(kept(other, other.zero_point));
    CHECK(kept(other, other.scale));
    stored real(false, f16);
    real.options.arguments.push_back(told(keep_const_precision::name, false, false));
    real.run<keep_const_precision>(real.multiply);
    CHECK_FALSE(kept(real, real.scale));
}

namespace {

/// Constant -> Convert -> Multiply -> second operand of a MatMul, or first.
struct weights_of_product : rewritten {
    node_id convert = node_id::none;

    constexpr explicit weights_of_product(element type, bool is_second = true) {
        convert = model.add(op::convert{f32}, {constant({1, 2, 3, 4}, {2, 2}, type)});
        const node_id scaled = model.add(op::multiply{}, {convert, constant({2, 3}, {2, 1}, f32)});
        const output_ref x = model.parameter(f32, {2, 2}, "x");
        seq<output_ref> operands{x, scaled};
        if (!is_second) {
            operands = {scaled, x};
        }
        model.result(model.add(op::mat_mul{}, operands));
    }
    constexpr bool stays() {
        run<mark_compressed_weights>(convert);
        return model[convert].has(mark::disabled_constant_folding);
    }
};

}  // namespace

TEST_CASE("MarkCompressedWeights: weights of 4 bits that a MatMul reads stay") {
    CHECK(weights_of_product(u4).stays());
    CHECK(weights_of_product(i4).stays());
}

TEST_CASE("MarkCompressedWeights: other types, and what is no second operand, may be folded") {
    CHECK_FALSE(weights_of_product(i8).stays());
    CHECK_FALSE(weights_of_product(u4, false).stays());
}
