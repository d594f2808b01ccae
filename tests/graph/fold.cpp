// SPDX-License-Identifier: Apache-2.0
#include <lpt/graph/fold.hpp>

#include <doctest/doctest.h>

#include <tuple>

using namespace lpt;

namespace {

using reals = seq<double>;

/// The single output of an operation on these inputs; an empty tensor where it is not evaluated.
constexpr tensor run(op::attributes what, view<tensor> inputs, int version = -1) {
    seq<tensor> outputs;
    const int used = version < 0 ? op::row_of(what.number()).opsets.newest() : version;
    if (!evaluate(what, used, inputs, {}, outputs) || outputs.size() != 1) {
        return {};
    }
    return outputs[0];
}
constexpr bool gives(const tensor& result, element type, const shape& dimensions, view<double> values) {
    return result == make_tensor(type, dimensions, values);
}
constexpr tensor f32_of(const shape& dimensions, view<double> values) { return make_tensor(f32, dimensions, values); }
constexpr tensor counting(element type, const shape& dimensions) {
    reals values;
    for (std::size_t i = 0; i < dimensions.elements(); ++i) {
        values.push_back(static_cast<double>(i));
    }
    return make_tensor(type, dimensions, values);
}

constexpr bool elementwise_works() {
    const tensor a = f32_of({2, 3}, {1, 2, 3, 4, 5, 6});
    const tensor column = f32_of({2, 1}, {10, 20});
    const tensor row = f32_of({3}, {1, 2, 4});
    return gives(run(op::add{}, {a, column}), f32, {2, 3}, {11, 12, 13, 24, 25, 26}) &&
           gives(run(op::subtract{}, {column, row}), f32, {2, 3}, {9, 8, 6, 19, 18, 16}) &&
           gives(run(op::multiply{}, {a, row}), f32, {2, 3}, {1, 4, 12, 4, 10, 24}) &&
           gives(run(op::divide{}, {a, row}), f32, {2, 3}, {1, 1, 0.75, 4, 2.5, 1.5}) &&
           gives(run(op::maximum{}, {a, row}), f32, {2, 3}, {1, 2, 4, 4, 5, 6}) &&
           gives(run(op::minimum{}, {a, row}), f32, {2, 3}, {1, 2, 3, 1, 2, 4}) &&
           gives(run(op::power{}, {row, make_scalar(f32, 3)}), f32, {3}, {1, 8, 64}) &&
           gives(run(op::squared_difference{}, {row, make_scalar(f32, 3)}), f32, {3}, {4, 1, 1}) &&
           gives(run(op::relu{}, {f32_of({2}, {-1, 2})}), f32, {2}, {0, 2}) &&
           gives(run(op::negative{}, {row}), f32, {3}, {-1, -2, -4}) &&
           gives(run(op::clamp{{}, 1.5, 3}, {row}), f32, {3}, {1.5, 2, 3}) &&
           gives(run(op::greater{}, {a, row}), boolean, {2, 3}, {0, 0, 0, 1, 1, 1}) &&
           gives(run(op::select{}, {make_tensor(boolean, {3}, {1, 0, 1}), row, make_scalar(f32, 9)}), f32, {3},
                 {1, 9, 4});
}
static_assert(elementwise_works());

constexpr bool integers_wrap_and_round_down() {
    const tensor a = make_tensor(u8, {3}, {200, 3, 255});
    const tensor b = make_tensor(i8, {2}, {-7, 7});
    return gives(run(op::add{}, {a, a}), u8, {3}, {144, 6, 254}) &&
           gives(run(op::multiply{}, {b, make_scalar(i8, 100)}), i8, {2}, {68, -68}) &&
           gives(run(op::power{}, {make_tensor(i8, {4}, {-1, -1, 1, 2}), make_tensor(i8, {4}, {-1, -2, -3, -1})}), i8,
                 {4}, {-1, 1, 1, 0}) &&
           gives(run(op::divide{}, {b, make_scalar(i8, 2)}), i8, {2}, {-4, 3}) &&
           gives(run(op::divide{{}, false}, {b, make_scalar(i8, 2)}), i8, {2}, {-3, 3}) &&
           gives(run(op::mod{}, {b, make_scalar(i8, 4)}), i8, {2}, {-3, 3}) &&
           gives(run(op::floor_mod{}, {b, make_scalar(i8, 4)}), i8, {2}, {1, 3}) &&
           !run(op::divide{}, {b, make_scalar(i8, 0)});
}
static_assert(integers_wrap_and_round_down());

constexpr bool convert_works() {
    const tensor reals_in = f32_of({5}, {-1.5, 2.7, 300, -300, 0.5});
    return gives(run(op::convert{i8}, {reals_in}), i8, {5}, {-1, 2, 127, -128, 0}) &&
           gives(run(op::convert{u8}, {reals_in}), u8, {5}, {0, 2, 255, 0, 0}) &&
           gives(run(op::convert{boolean}, {reals_in}), boolean, {5}, {1, 1, 1, 1, 1}) &&
           gives(run(op::convert{u8}, {make_tensor(i8, {2}, {-1, 5})}), u8, {2}, {255, 5}) &&
           gives(run(op::convert{f32}, {make_tensor(i4, {3}, {-8, 7, -1})}), f32, {3}, {-8, 7, -1}) &&
           gives(run(op::convert{f16}, {f32_of({3}, {65519, 1e-7, 2049})}), f16, {3},
                 {65504, 1.1920928955078125e-07, 2048}) &&
           gives(run(op::convert{f32}, {make_tensor(bf16, {2}, {1.5, -3})}), f32, {2}, {1.5, -3});
}
static_assert(convert_works());

constexpr bool fake_quantize_works() {
    const tensor x = f32_of({1, 2, 2}, {-1, 0.1, 1.26, 3});
    const tensor low = make_scalar(f32, 0);
    const tensor high = make_scalar(f32, 2.55);
    const tensor result = run(op::fake_quantize{256}, {x, low, high, low, make_scalar(f32, 255)});
    const tensor per_channel = run(op::fake_quantize{256}, {x, low, high, low, f32_of({1, 2, 1}, {255, 510})});
    return gives(result, f32, {1, 2, 2}, {0, 10, 126, 255}) && gives(per_channel, f32, {1, 2, 2}, {0, 10, 252, 510});
}
static_assert(fake_quantize_works());

constexpr bool movement_works() {
    const tensor x = counting(i8, {2, 3});
    const tensor nibbles = counting(i4, {2, 3});
    const tensor axis0 = make_indices({0});
    const tensor axis1 = make_scalar(i64, 1);
    seq<tensor> parts;
    const tensor inputs[] = {x, axis1, make_indices({2, -1})};
    const bool split = evaluate(op::variadic_split{}, 1, inputs, {}, parts) && parts.size() == 2 &&
                       gives(parts[0], i8, {2, 2}, {0, 1, 3, 4}) && gives(parts[1], i8, {2, 1}, {2, 5});
    return split && gives(run(op::transpose{}, {x, make_indices({1, 0})}), i8, {3, 2}, {0, 3, 1, 4, 2, 5}) &&
           gives(run(op::transpose{}, {nibbles, make_indices({})}), i4, {3, 2}, {0, 3, 1, 4, 2, 5}) &&
           gives(run(op::reshape{}, {x, make_indices({3, -1})}), i8, {3, 2}, {0, 1, 2, 3, 4, 5}) &&
           gives(run(op::unsqueeze{}, {x, axis0}), i8, {1, 2, 3}, {0, 1, 2, 3, 4, 5}) &&
           gives(run(op::concat{1}, {x, counting(i8, {2, 1})}), i8, {2, 4}, {0, 1, 2, 0, 3, 4, 5, 1}) &&
           gives(run(op::concat{0}, {nibbles, counting(i4, {1, 3})}), i4, {3, 3}, {0, 1, 2, 3, 4, 5, 0, 1, 2}) &&
           gives(run(op::gather{}, {x, make_indices({2, -3}), axis1}), i8, {2, 2}, {2, 0, 5, 3}) &&
           gives(run(op::tile{}, {x, make_indices({1, 2})}), i8, {2, 6}, {0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5}) &&
           gives(run(op::broadcast{}, {counting(i8, {3}), make_indices({2, 3})}), i8, {2, 3}, {0, 1, 2, 0, 1, 2}) &&
           gives(run(op::slice{}, {x, make_indices({2}), make_indices({-9}), make_indices({-1}), make_indices({1})}),
                 i8, {2, 3}, {2, 1, 0, 5, 4, 3});
}
static_assert(movement_works());

constexpr bool margins_and_blocks_work() {
    const tensor x = counting(f32, {1, 3});
    const tensor depth = counting(f32, {1, 4, 1, 2});
    const auto pad = [&](op::pad_mode mode) {
        return run(op::pad{mode}, {x, make_indices({0, 2}), make_indices({0, 1}), make_scalar(f32, 7)});
    };
    const tensor block = make_indices({1, 1, 1, 2});
    const tensor none = make_indices({0, 0, 0, 0});
    const tensor spread = run(op::space_to_batch{}, {depth, block, none, none});
    return gives(pad(op::pad_mode::constant), f32, {1, 6}, {7, 7, 0, 1, 2, 7}) &&
           gives(pad(op::pad_mode::edge), f32, {1, 6}, {0, 0, 0, 1, 2, 2}) &&
           gives(pad(op::pad_mode::reflect), f32, {1, 6}, {2, 1, 0, 1, 2, 1}) &&
           gives(pad(op::pad_mode::symmetric), f32, {1, 6}, {1, 0, 0, 1, 2, 2}) &&
           gives(run(op::depth_to_space{2}, {depth}), f32, {1, 1, 2, 4}, {0, 2, 1, 3, 4, 6, 5, 7}) &&
           run(op::space_to_depth{2}, {run(op::depth_to_space{2}, {depth})}) == depth &&
           gives(spread, f32, {2, 4, 1, 1}, {0, 2, 4, 6, 1, 3, 5, 7}) &&
           run(op::batch_to_space{}, {spread, block, none, none}) == depth &&
           gives(run(op::shuffle_channels{1, 2}, {depth}), f32, {1, 4, 1, 2}, {0, 1, 4, 5, 2, 3, 6, 7});
}
static_assert(margins_and_blocks_work());

constexpr bool reductions_work() {
    const tensor x = f32_of({2, 3}, {1, 2, 3, 4, 5, 9});
    const tensor axis0 = make_indices({0});
    const tensor last = make_indices({-1});
    return gives(run(op::reduce_sum{}, {x, axis0}), f32, {3}, {5, 7, 12}) &&
           gives(run(op::reduce_mean{}, {x, last}), f32, {2}, {2, 6}) &&
           gives(run(op::reduce_max{{true}}, {x, last}), f32, {2, 1}, {3, 9}) &&
           gives(run(op::reduce_min{}, {x, make_indices({0, 1})}), f32, {}, {1}) &&
           gives(run(op::reduce_prod{}, {make_tensor(i32, {3}, {2, 3, -4}), axis0}), i32, {}, {-24}) &&
           gives(run(op::reduce_mean{}, {make_tensor(i32, {2}, {-3, 0}), axis0}), i32, {}, {-1});
}
static_assert(reductions_work());

constexpr bool products_work() {
    const tensor a = counting(f32, {2, 3});
    const tensor b = counting(f32, {3, 2});
    return gives(run(op::mat_mul{}, {a, b}), f32, {2, 2}, {10, 13, 28, 40}) &&
           gives(run(op::mat_mul{true, true}, {a, b}), f32, {3, 3}, {3, 9, 15, 4, 14, 24, 5, 19, 33}) &&
           gives(run(op::mat_mul{}, {counting(i32, {3}), counting(i32, {2, 3, 1})}), i32, {2, 1}, {5, 14});
}
static_assert(products_work());

/// What a dequantization of constant weights folds to, all in a constant expression.
constexpr bool graph_folds() {
    graph model;
    const node_id weights = model.constant(make_tensor(i8, {2, 2}, {-1, 2, 3, -4}));
    const node_id convert = model.add(op::convert{f32}, {weights});
    const node_id subtract = model.add(op::subtract{}, {convert, model.constant(make_scalar(f32, 1))});
    const node_id scale = model.constant(f32_of({2, 1}, {0.5, 2}));
    const node_id product = model.add(op::multiply{}, {subtract, scale}, "weights");
    const node_id result = model.result(product);
    constant_folding(model);
    const output_ref folded = model[result].input(0);
    const tensor* value = model.constant_value(folded);
    return model.size() == 2 && value != nullptr && gives(*value, f32, {2, 2}, {-1, 0.5, 4, -10}) &&
           model[folded.node].name() == "weights";
}
static_assert(graph_folds());

}  // namespace

TEST_CASE("a chain of constants folds to one Constant") { CHECK(graph_folds()); }
TEST_CASE("elementwise operations broadcast by numpy's rule") { CHECK(elementwise_works()); }
TEST_CASE("integers wrap around, and divide downwards unless told otherwise") { CHECK(integers_wrap_and_round_down()); }
TEST_CASE("Convert saturates real values and wraps integers") { CHECK(convert_works()); }
TEST_CASE("FakeQuantize folds with one range and with a range per channel") { CHECK(fake_quantize_works()); }
TEST_CASE("movement operations copy elements of any type") { CHECK(movement_works()); }
TEST_CASE("pads, blocks and shuffles put elements where the specification says") { CHECK(margins_and_blocks_work()); }
TEST_CASE("reductions fold along any axes") { CHECK(reductions_work()); }
TEST_CASE("MatMul folds with transpositions, vectors and batches") { CHECK(products_work()); }

TEST_CASE("StridedSlice follows its masks") {
    const tensor x = counting(f32, {2, 3, 4});
    op::strided_slice shrink;
    shrink.shrink_axis_mask = {1};
    shrink.begin_mask = {0, 1};
    shrink.end_mask = {0, 1};
    CHECK(gives(run(shrink, {x, make_indices({1, 0, 0}), make_indices({2, 0, 4}), make_indices({1, 2, 3})}), f32,
                {2, 2}, {12, 15, 20, 23}));
    op::strided_slice one;
    one.shrink_axis_mask = {1, 1, 1};
    CHECK(gives(run(one, {x, make_indices({1, 0, -2}), make_indices({2, 1, 0}), make_indices({1, 1, 1})}), f32, {},
                {14}));
    op::strided_slice ellipsis;
    ellipsis.ellipsis_mask = {1};
    ellipsis.new_axis_mask = {0, 0, 1};
    CHECK(gives(run(ellipsis, {x, make_indices({0, 3, 0}), make_indices({0, 0, 0}), make_indices({1, -2, 1})}), f32,
                {2, 3, 0, 1}, {}) == false);
    op::strided_slice backwards;
    backwards.begin_mask = {1, 1, 0};
    backwards.end_mask = {1, 1, 0};
    const tensor result =
        run(backwards, {x, make_indices({0, 0, 3}), make_indices({0, 0, 0}), make_indices({1, 1, -2})});
    CHECK(gives(result, f32, {2, 3, 2}, {3, 1, 7, 5, 11, 9, 15, 13, 19, 17, 23, 21}));
}

TEST_CASE("evaluation at run time and in constant expressions gives the same values for all element types") {
    for (const element type : {u8, i8, u16, i16, u32, i32, u64, i64, bf16, f16, f32, f64}) {
        CAPTURE(name(type).data());
        const tensor a = counting(type, {3, 5});
        const tensor sum = run(op::add{}, {a, make_scalar(type, 1)});
        REQUIRE(sum);
        CHECK(sum.type() == type);
        CHECK(sum.real(14) == 15);
        CHECK(run(op::transpose{}, {run(op::transpose{}, {a, make_indices({})}), make_indices({})}) == a);
    }
}

TEST_CASE("rounding by a shift equals the general rounding") {
    for (const float value :
         {0.0f, 0.5f, 1.5f, 2.5f, -0.5f, -3.5f, 0.49999997f, 8388607.5f, 3145727.5f, 3145728.5f, 1e20f}) {
        CHECK(evaluation::detail::rounded(value) == math::round_half_even(value));
        CHECK(evaluation::detail::rounded(static_cast<double>(value)) ==
              math::round_half_even(static_cast<double>(value)));
    }
}

TEST_CASE("FakeQuantize on weights stays, as it says how they are quantized") {
    graph model;
    const node_id limits[] = {model.constant(make_scalar(f32, 0)), model.constant(make_scalar(f32, 1))};
    const node_id weights = model.constant(f32_of({2}, {0.1, 0.9}));
    const node_id quantize = model.add(op::fake_quantize{2}, {weights, limits[0], limits[1], limits[0], limits[1]});
    model.result(quantize);
    constant_folding(model);
    CHECK(model.contains(quantize));
    const output_ref folded = try_fold(model, quantize);
    REQUIRE(model.constant_value(folded) != nullptr);
    CHECK(gives(*model.constant_value(folded), f32, {2}, {0, 1}));
}

TEST_CASE("fold adds Constants and leaves the node alone") {
    graph model;
    const node_id a = model.constant(make_tensor(i8, {2}, {3, -4}));
    const node_id convert = model.add(op::convert{f32}, {a});
    seq<output_ref> outputs;
    REQUIRE(fold(model, convert, outputs));
    CHECK(model.contains(convert));
    CHECK(gives(*model.constant_value(outputs[0]), f32, {2}, {3, -4}));
    model.set_mark(convert, mark::disabled_constant_folding);
    CHECK(try_fold(model, convert) == output_ref(convert));
}

TEST_CASE("a relaxed node folds in its own types") {
    graph model;
    const node_id data = model.constant(make_tensor(u8, {2}, {3, 200}));
    const node_id zero_point = model.constant(make_tensor(u8, {}, {128}));
    const node_id subtract = model.add(op::subtract{}, {data, zero_point});
    relaxation types;
    types.input_types = {f32, f32};
    types.output_types = {f32};
    model.relax(subtract, types);
    const output_ref folded = try_fold(model, subtract);
    REQUIRE(model.constant_value(folded) != nullptr);
    CHECK(gives(*model.constant_value(folded), f32, {2}, {-125, 72}));
}

TEST_CASE("constant_folding keeps names, folds ShapeOf of static shapes and passes marked nodes over") {
    graph model;
    const node_id input = model.parameter(f32, {2, 3}, "input");
    const node_id sizes = model.add(op::shape_of{}, {input}, "sizes");
    const node_id scale = model.add(op::convert{f32}, {model.constant(make_tensor(i8, {}, {2}))}, "scale");
    model.set_mark(scale, mark::disabled_constant_folding);
    const node_id product = model.add(op::multiply{}, {input, scale}, "product");
    const node_id reshape = model.add(op::reshape{}, {product, sizes}, "reshape");
    const node_id sum =
        model.add(op::add{}, {model.constant(make_scalar(f32, 1)), model.constant(make_scalar(f32, 2))}, "sum");
    const node_id split =
        model.add(op::split{2}, {model.constant(counting(f32, {4})), model.constant(make_scalar(i64, 0))}, "split");
    model.result(reshape);
    model.result(sum);
    model.result(output_ref(split, 1));
    constant_folding(model);
    CHECK(model.contains(scale));
    CHECK_FALSE(model.contains(sizes));
    const output_ref target = model[reshape].input(1);
    CHECK(model[target.node].name() == "sizes");
    CHECK(*model.constant_value(target) == make_indices({2, 3}));
    const output_ref folded_sum = model[model.results()[1]].input(0);
    CHECK(model[folded_sum.node].name() == "sum");
    CHECK(gives(*model.constant_value(folded_sum), f32, {}, {3}));
    const output_ref part = model[model.results()[2]].input(0);
    CHECK(model[part.node].name() == "split.1");
    CHECK(gives(*model.constant_value(part), f32, {2}, {2, 3}));
}

TEST_CASE("a FakeQuantize over weights can round its result") {
    const tensor x = f32_of({2}, {0.5, 1.0});
    const tensor inputs[] = {x, make_scalar(f32, 0), make_scalar(f32, 1), make_scalar(f32, 0), make_scalar(f32, 127.5)};
    CHECK(gives(evaluation::evaluate_fake_quantize(inputs, op::fake_quantize{256}, {2}, i8, true), i8, {2}, {64, 127}));
    CHECK(
        gives(evaluation::evaluate_fake_quantize(inputs, op::fake_quantize{256}, {2}, u8, false), u8, {2}, {64, 127}));
    CHECK(gives(evaluation::evaluate_fake_quantize(inputs, op::fake_quantize{256}, {2}, f32, false), f32, {2},
                {64, 127.5}));
}

TEST_CASE("a FakeQuantize with a zero level counts steps from it, so that halves go to the even step") {
    const tensor x = f32_of({6}, {-2.5, -0.5, 0.5, 1.5, 2.5, 300});
    const tensor inputs[] = {x, make_scalar(f32, -3), make_scalar(f32, 252), make_scalar(f32, 0),
                             make_scalar(f32, 255)};
    const op::fake_quantize counted{.levels = 256, .zero_level = 3};
    CHECK(gives(evaluation::evaluate_fake_quantize(inputs, counted, {6}, f32, false), f32, {6}, {1, 3, 3, 5, 5, 255}));
    CHECK(gives(evaluation::evaluate_fake_quantize(inputs, counted, {6}, u8, true), u8, {6}, {1, 3, 3, 5, 5, 255}));
    CHECK(gives(evaluation::evaluate_fake_quantize(inputs, op::fake_quantize{256}, {6}, u8, true), u8, {6},
                {0, 2, 4, 4, 6, 255}));
}

TEST_CASE("a zero level that stands for 0 gives it exactly, and its neighbours whole steps") {
    const auto step = static_cast<double>(0.1F);
    const double high = static_cast<double>(static_cast<float>((255 - 115) * step));
    const tensor low = make_scalar(f32, high - 255 * step);
    const tensor inputs[] = {f32_of({3}, {0, step, -3 * step}), low, make_scalar(f32, high), low,
                             make_scalar(f32, high)};
    const op::fake_quantize counted{.levels = 256, .zero_level = 115};
    const double third = static_cast<double>(-3 * 0.1F);
    CHECK(gives(evaluation::evaluate_fake_quantize(inputs, counted, {3}, f32, false), f32, {3}, {0, step, third}));
}

TEST_CASE("steps of a zero level are those of a division, although the bounds were rounded") {
    const auto step = static_cast<double>(0.2F);
    const double high = static_cast<double>(static_cast<float>((255 - 113) * step));
    const tensor inputs[] = {make_scalar(f32, 1.5), make_scalar(f32, high - 255 * step), make_scalar(f32, high),
                             make_scalar(f32, 0), make_scalar(f32, 255)};
    const op::fake_quantize counted{.levels = 256, .zero_level = 113};
    REQUIRE(1.5F / 0.2F == 7.5F);
    CHECK(gives(evaluation::evaluate_fake_quantize(inputs, counted, {}, u8, true), u8, {}, {121}));
}

TEST_CASE("a FakeQuantize gives the same bytes in blocks and one by one") {
    reals values;
    for (int i = 0; i < 3 * 37; ++i) {
        values.push_back(static_cast<double>((i * 53) % 97) / 16 - 3);
    }
    values[40] = math::not_a_number;
    const shape dimensions{3, 37};
    const tensor data = f32_of(dimensions, values);
    const shape per_row{3, 1};
    for (const auto& [type, low, high] : {std::tuple{i8, -127.0, 127.0}, std::tuple{u8, 0.0, 255.0}}) {
        const tensor inputs[] = {data, f32_of(per_row, {-1, -2, -2.5}), f32_of(per_row, {1, 2, 2.5}),
                                 make_scalar(f32, low), make_scalar(f32, high)};
        const tensor bytes = evaluation::evaluate_fake_quantize(inputs, op::fake_quantize{255}, dimensions, type, true);
        for (std::size_t i = 0; i < bytes.elements(); ++i) {
            tensor one[] = {make_scalar(f32, data.real(i)), {}, {}, inputs[3], inputs[4]};
            one[1] = make_scalar(f32, inputs[1].real(i / 37));
            one[2] = make_scalar(f32, inputs[2].real(i / 37));
            const tensor real = evaluation::evaluate_fake_quantize(one, op::fake_quantize{255}, {}, f32, true);
            CHECK(bytes.integer(i) == evaluation::convert_tensor(real, type).integer(0));
        }
    }
}

TEST_CASE("what many values fold to is computed when it is read, and is what it would have been") {
    graph model;
    const node_id data = model.constant(counting(u8, {100, 100}));
    const node_id converted = model.add(op::convert{f32}, {data});
    const node_id scaled = model.add(op::multiply{}, {converted, model.constant(make_scalar(f32, 0.5))});
    model.result(scaled);
    constant_folding(model);
    const tensor& folded = *model.constant_value(model[model.results()[0]].input(0));
    REQUIRE(folded.elements() == 10000);
    CHECK(folded.real(0) == 0);
    CHECK(folded.real(3) == 1.5);
    CHECK(folded.real(200) == 100);
    CHECK(folded.real(9999) == 127.5);  // saturated
}

TEST_CASE("arithmetic on a value that nobody has read yet waits with it, also where it has few elements") {
    graph model;
    const tensor many = counting(u8, {100, 100});
    const node_id late = model.constant(evaluation::convert_late(many, f32));
    const node_id half = model.constant(make_scalar(f32, 0.5));
    const tensor product = evaluate_constants(model, op::multiply{}, {late, half});
    CHECK(product.waits());
    CHECK(model.constant_value(late)->waits());
    CHECK(product.real(200) == 100);
    CHECK_FALSE(model.constant_value(late)->waits());
    CHECK_FALSE(evaluate_constants(model, op::multiply{}, {half, half}).waits());
    CHECK_THROWS_AS(evaluate_constants(model, op::add{}, {late, model.constant(f32_of({3}, {1, 2, 3}))}), error);
}

TEST_CASE("sums, differences, products, quotients and negated numbers wait, other functions compute at once") {
    graph model;
    const node_id late = model.constant(evaluation::convert_late(counting(u8, {100, 100}), f32));
    const node_id half = model.constant(make_scalar(f32, 0.5));
    CHECK(evaluate_constants(model, op::add{}, {late, half}).waits());
    CHECK(evaluate_constants(model, op::subtract{}, {late, half}).waits());
    CHECK(evaluate_constants(model, op::divide{}, {late, half}).waits());
    CHECK(evaluate_constants(model, op::negative{}, {late}).waits());
    CHECK_FALSE(evaluate_constants(model, op::maximum{}, {late, half}).waits());
}

TEST_CASE("depth to space and back, with other numbers of images than channels") {
    const tensor data = counting(f32, {2, 12, 1, 2});
    const tensor wide = run(op::depth_to_space{2}, {data});
    CHECK(wide.dimensions() == shape{2, 3, 2, 4});
    CHECK(run(op::space_to_depth{2}, {wide}) == data);
}
