// SPDX-License-Identifier: Apache-2.0
#include <lpt/plan/extend.hpp>

#include <doctest/doctest.h>

#include <utility>

using namespace lpt;
using lpt::plan::chain;
using lpt::plan::chain_function;
using lpt::plan::spread;

namespace {

chain empty_chain() {
    chain result;
    result.dimensions = shape{1, 2, 2, 2};
    return result;
}

/// The chain of the operations above a Result, from the Parameter on.
chain chain_of(const graph& model, int axis) {
    chain result = empty_chain();
    result.axis = axis;
    result.tail = model.parameters()[0];
    result.dimensions = model.shape(model.parameters()[0]);
    plan::quantized_sources sources(model);
    plan::follow(result, sources, [](node_id) { return false; });
    return result;
}

output_ref constant(graph& model, const shape& dimensions, view<double> values) {
    return model.constant(make_tensor(f32, dimensions, values));
}

}  // namespace

TEST_CASE("Scalings and shifts in a row are one") {
    chain made = empty_chain();
    made.affine(spread::of(2), spread::of(1));
    made.affine(spread{shape{1, 2, 1, 1}, {10, 20}}, spread::of(3));
    REQUIRE(made.functions.size() == 1);
    CHECK(made.functions[0].scale.values == std::vector<double>{20, 40});
    CHECK(made.functions[0].shift.values == std::vector<double>{13, 23});
}

TEST_CASE("What adds nothing keeps the sign of zeros") {
    using plan::is_no_shift;
    using plan::no_shift;
    chain made = empty_chain();
    made.affine(spread::of(1), spread::of(no_shift));
    CHECK(made.functions.empty());
    made.affine(spread::of(-2), spread::of(no_shift));
    made.affine(spread::of(-3), spread::of(no_shift));
    REQUIRE(made.functions.size() == 1);
    CHECK(is_no_shift(made.functions[0].shift.one()));
    made.affine(spread::of(1), spread::of(0));  // -0 + 0 is 0
    REQUIRE(made.functions.size() == 1);
    CHECK_FALSE(is_no_shift(made.functions[0].shift.one()));
}

TEST_CASE("A clamp before a store narrows the range of the stored integers") {
    chain made = empty_chain();
    made.clamp(0, 6);
    made.affine(spread::of(20), spread::of(10));
    made.store(u8, 0, 255);
    CHECK(made.functions.size() == 1);
    CHECK(made.low == 10);
    CHECK(made.high == 130);
}

TEST_CASE("A clamp stays where the limit is not one integer for all channels") {
    chain made = empty_chain();
    made.clamp(0, 6);
    made.affine(spread{shape{1, 2, 1, 1}, {20, 30}}, spread::of(0));
    made.store(u8, 0, 255);
    CHECK(made.functions.size() == 2);
    chain lower = empty_chain();
    lower.clamp(0, math::infinity);
    lower.affine(spread{shape{1, 2, 1, 1}, {20, 30}}, spread::of(0));
    lower.store(i8, -128, 127);
    CHECK(lower.functions.size() == 1);
    CHECK(lower.low == 0);
    CHECK(lower.high == 127);
}

TEST_CASE("A clamp goes where the limits of all channels are beyond what is stored") {
    chain made = empty_chain();
    made.clamp(0, 6);
    made.affine(spread{shape{1, 2, 1, 1}, {50, 60}}, spread::of(0));
    made.store(u8, 0, 255);
    CHECK(made.functions.size() == 1);
    CHECK(made.low == 0);
    CHECK(made.high == 255);
}

TEST_CASE("Negative scales do not narrow the range") {
    chain made = empty_chain();
    made.clamp(0, 6);
    made.affine(spread::of(-20), spread::of(0));
    made.store(i8, -128, 127);
    CHECK(made.functions.size() == 2);
    CHECK(made.low == -128);
}

TEST_CASE("A quotient that is rounded next, or is a single number, is divided, unless its reciprocal is exact behind a "
          "scaling") {
    const auto forms = [](double divisor, bool rounds, bool scales, dimension size = 2) {
        graph model;
        output_ref input = model.parameter(f32, shape{1, size, size, size}, "x");
        if (scales) {
            input = model.add(op::multiply{}, {input, constant(model, shape{}, {3})});
        }
        const node_id quotient = model.add(op::divide{}, {input, constant(model, shape{}, {divisor})});
        model.result(rounds ? model.add(op::round{}, {quotient}) : model.add(op::relu{}, {quotient}));
        std::vector<chain_function::form> result;
        for (const chain_function& each : chain_of(model, 1).functions) {
            result.push_back(each.what);
        }
        return result;
    };
    using form = chain_function::form;
    CHECK(forms(0.3, true, false) == std::vector{form::divide, form::unary});
    CHECK(forms(0.25, true, false) == std::vector{form::divide, form::unary});
    CHECK(forms(0.3, true, true) == std::vector{form::affine, form::divide, form::unary});
    CHECK(forms(0.25, true, true) == std::vector{form::affine, form::unary});
    CHECK(forms(0.3, false, false) == std::vector{form::affine, form::clamp});
    CHECK(forms(0.3, false, false, 1) == std::vector{form::divide, form::clamp});
}

TEST_CASE("A dequantization takes its zero point off before it scales, unless integers are stored") {
    plan::quantized_source from;
    from.scale = spread::of(0.1);
    from.shift = spread::of(-0.7);
    from.zero_points = {7};
    chain made = empty_chain();
    made.dequantize(from);
    made.affine(spread::of(2), spread::of(plan::no_shift));
    REQUIRE(made.functions.size() == 2);
    CHECK(made.functions[0].scale.one() == 1);
    CHECK(made.functions[0].shift.one() == -7);
    CHECK(made.functions[1].scale.one() == doctest::Approx(0.2));
    CHECK(made.functions[1].shift.is_nothing_to_add());
    made.store(u8, 0, 255);
    REQUIRE(made.functions.size() == 1);
    CHECK(made.functions[0].scale.one() == doctest::Approx(0.2));
    CHECK(made.functions[0].shift.one() == doctest::Approx(-1.4));
}

TEST_CASE("What is taken off converted integers stays apart from the scaling, so that the zero point gives 0") {
    for (const element type : {u16, f32}) {
        graph model;
        const output_ref input = model.parameter(type, shape{1, 2, 2, 2}, "x");
        const output_ref real = model.add(op::convert{f32}, {input});
        const output_ref centred = model.add(op::subtract{}, {real, constant(model, shape{}, {32780})});
        model.result(model.add(op::multiply{}, {centred, constant(model, shape{}, {0.1})}));
        chain made = empty_chain();
        made.axis = 1;
        made.tail = real;
        plan::quantized_sources sources(model);
        plan::follow(made, sources, [](node_id) { return false; });
        REQUIRE(made.nodes.size() == 2);
        REQUIRE(made.functions.size() == (type == u16 ? 2 : 1));
        CHECK(made.functions[0].shift.one() == doctest::Approx(type == u16 ? -32780 : -3278));
        CHECK(made.functions[0].scale.one() == doctest::Approx(type == u16 ? 1 : 0.1));
        CHECK(made.functions.back().scale.one() == doctest::Approx(0.1));
    }
}

TEST_CASE("Constants along other axes than that of the kernel end a chain") {
    graph model;
    const output_ref input = model.parameter(f32, shape{1, 2, 2, 2}, "x");
    const node_id scaled = model.add(op::multiply{}, {input, constant(model, shape{2, 1, 1}, {1, 2})});
    model.result(model.add(op::add{}, {constant(model, shape{2}, {1, 2}), scaled}));
    CHECK(chain_of(model, 1).nodes.size() == 1);
    CHECK(chain_of(model, chain::no_axis).nodes.empty());
    CHECK(chain_of(model, chain::any_axis).nodes.size() == 2);
}

TEST_CASE("A FakeQuantize with float output rounds between two scalings, one to integers ends the chain") {
    graph model;
    const output_ref input = model.parameter(f32, shape{1, 2, 2, 2}, "x");
    const auto number = [&](double value) { return constant(model, shape{}, view<double>(&value, 1)); };
    output_ref value = model.add(op::fake_quantize{256}, {input, number(0), number(25.5), number(-1), number(254)});
    value = model.add_relaxed(op::fake_quantize{256}, {value, number(0), number(255), number(0), number(255)},
                              {{f32, f32, f32, f32, f32}, {u8}});
    model.result(value);
    const chain made = chain_of(model, 1);
    CHECK(made.nodes.size() == 2);
    CHECK(made.type == u8);
    REQUIRE(made.functions.size() == 4);
    CHECK(made.functions[0].scale.one() == doctest::Approx(10));
    CHECK(made.functions[1].what == chain_function::form::clamp);
    CHECK(made.functions[2].function == kernel::unary_function::round_even);
    CHECK(made.functions[3].shift.one() == doctest::Approx(-1));
}

TEST_CASE("A sum of something quantized ends with the scale of the next quantization, also where that is 1") {
    for (const double scale : {1.0, 2.0}) {
        graph model;
        const output_ref input = model.parameter(f32, shape{1, 2, 2, 2}, "x");
        const auto number = [&](double value) { return constant(model, shape{}, view<double>(&value, 1)); };
        output_ref value =
            model.add(op::fake_quantize{256}, {input, number(0), number(25.5), number(0), number(127.5)});
        value = model.add(op::add{}, {value, model.parameter(f32, shape{1, 2, 2, 2}, "y")});
        value =
            model.add_relaxed(op::fake_quantize{256}, {value, number(0), number(255 / scale), number(0), number(255)},
                              {{f32, f32, f32, f32, f32}, {u8}});
        model.result(value);
        const chain made = chain_of(model, 1);
        REQUIRE(made.functions.size() == 6);
        CHECK(made.functions[4].what == chain_function::form::add);
        CHECK(made.functions[5].what == chain_function::form::affine);
        CHECK(made.functions[5].scale.one() == scale);
        CHECK(made.functions[5].shift.one() == 0);
    }
}

TEST_CASE("Levels are counted from the zero level, but in sums, for which there are kernels with fewer functions") {
    const auto functions_behind = [](bool is_sum) {
        graph model;
        const output_ref input = model.parameter(f32, shape{1, 2, 2, 2}, "x");
        const auto number = [&](double value) { return constant(model, shape{}, view<double>(&value, 1)); };
        const auto low = static_cast<double>(-115 * 0.1F);
        const auto high = static_cast<double>(140 * 0.1F);
        const output_ref scaled = model.add(op::multiply{}, {input, number(0.37)});
        output_ref value = model.add(op::fake_quantize{.levels = 256, .zero_level = 115},
                                     {scaled, number(low), number(high), number(low), number(high)});
        value = is_sum ? model.add(op::add{}, {value, model.parameter(f32, shape{1, 2, 2, 2}, "y")})
                       : model.add(op::sigmoid{}, {value});
        model.result(value);
        return chain_of(model, 1).functions;
    };
    const std::vector<chain_function> counted = functions_behind(false);
    REQUIRE(counted.size() == 6);
    CHECK(counted[3].shift.one() == -115);
    CHECK(plan::is_no_shift(counted[4].shift.one()));
    CHECK(counted[5].function == kernel::unary_function::sigmoid);
    const std::vector<chain_function> sum = functions_behind(true);
    REQUIRE(sum.size() == 5);
    CHECK(sum[3].shift.one() == doctest::Approx(-11.5));
    CHECK(sum[4].what == chain_function::form::add);
}

TEST_CASE("Empty input ranges of a FakeQuantize are left to the reference") {
    graph model;
    const output_ref input = model.parameter(f32, shape{1, 2, 2, 2}, "x");
    const auto number = [&](double value) { return constant(model, shape{}, view<double>(&value, 1)); };
    model.result(model.add(op::fake_quantize{256}, {input, number(1), number(1), number(0), number(255)}));
    CHECK(chain_of(model, 1).nodes.empty());
}

TEST_CASE(
    "A FakeQuantize whose steps would have few digits in f32 is left to the reference, one of a single value is not") {
    for (const auto& [width, is_chain] :
         {std::pair(1e-38, false), std::pair(-1e-38, false), std::pair(0.0, true), std::pair(1e-29, true)}) {
        graph model;
        const output_ref input = model.parameter(f32, shape{1, 2, 2, 2}, "x");
        const auto number = [&](double value) { return constant(model, shape{}, view<double>(&value, 1)); };
        model.result(model.add(op::fake_quantize{256}, {input, number(0), number(25.5), number(0), number(width)}));
        CAPTURE(width);
        CHECK(chain_of(model, 1).nodes.empty() != is_chain);
    }
}
