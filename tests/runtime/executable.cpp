// SPDX-License-Identifier: Apache-2.0
#include "checked_runs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <optional>

using namespace lpt;
using namespace lpt::testing;

TEST_CASE("A quantized network gives what the reference gives, on every instruction set and with threads") {
    graph model;
    const output_ref input = model.parameter(f32, shape{2, 3, 7, 6}, "x");
    const output_ref data = quantize(model, input, u8, 0.1, 0);
    output_ref value = convolved(model, data, numbers(i8, shape{5, 3, 3, 3}, -100, 7, 100), 1, 2);
    value = multiplied(model, value, numbers(f32, shape{1, 5, 1, 1}, 0.001, 0.0005, 1));
    value = model.add(op::hswish{}, {added(model, value, numbers(f32, shape{1, 5, 1, 1}, -1, 0.7, 5))});
    model.result(value);
    value = quantize(model, value, u8, 0.05, 20);
    const output_ref pooled = model.add(op::max_pool{{2, 2}, {}, {0, 0}, {0, 0}, {2, 2}}, {value}, {}, 1);
    model.result(multiplied(model, shifted(model, pooled, make_scalar(u8, 20)), make_scalar(f32, 0.05)));
    check(model, {image(shape{2, 3, 7, 6})}, 1e-5);
}

TEST_CASE("Steps in either layout give what the reference gives") {
    graph model;
    const output_ref input = model.parameter(f32, shape{2, 3, 7, 6}, "x");
    const output_ref data = quantize(model, input, u8, 0.1, 0);
    const output_ref first = convolved(model, data, numbers(i8, shape{8, 3, 3, 3}, -100, 7, 100), 1);
    const output_ref scaled = multiplied(model, first, make_scalar(f32, 0.001));
    const output_ref parts = model.add(op::concat{1}, {model.add(op::tanh{}, {scaled}), scaled});
    const output_ref halves = model.add(op::split{2}, {parts, model.constant(make_scalar(i64, 1))});
    const output_ref sum = model.add(op::maximum{}, {{halves.node, 0}, {halves.node, 1}});
    const output_ref order = model.constant(make_tensor(i64, {4}, {0, 2, 3, 1}));
    model.result(model.add(op::abs{}, {model.add(op::transpose{}, {parts, order})}));
    model.result(model.add(op::concat{1}, {sum, input}));
    const output_ref offsets = model.constant(numbers(f32, shape{2, 8, 7, 6}, -1, 0.37, 5));
    model.result(convolved(model, quantize(model, model.add(op::multiply{}, {sum, offsets}), u8, 0.1, 20),
                           numbers(i8, shape{2, 8, 1, 1}, -9, 1, 9), 0));
    model.result(model.add(op::top_k{1, op::top_k_mode::max, op::top_k_sort::value, i32},
                           {sum, model.constant(make_scalar(i64, 2))}));
    check(model, {image(shape{2, 3, 7, 6})}, 1e-5);
}

TEST_CASE("A run takes its inputs in braces, as a vector and as a view") {
    graph model;
    model.result(model.add(op::relu{}, {model.parameter(f32, shape{2}, "x")}));
    executable net = compile(model);
    const tensor given = make_tensor(f32, {2}, {-1, 2});
    const std::vector<tensor> expected{make_tensor(f32, {2}, {0, 2})};
    CHECK(net.run({given}) == expected);
    CHECK(net.run(std::vector<tensor>{given}) == expected);
    CHECK(net.run(view<tensor>(&given, 1)) == expected);
}

TEST_CASE("Zero points of channels are padded with themselves") {
    graph model;
    const output_ref input = model.parameter(f32, shape{1, 3, 6, 5}, "x");
    const tensor zero_points = make_tensor(u8, shape{1, 3, 1, 1}, {3, 100, 255});
    const output_ref data = shifted(model, quantize(model, input, u8, 0.1, 7), zero_points);
    model.result(multiplied(model, convolved(model, data, numbers(i8, shape{4, 3, 3, 3}, -100, 7, 100), 1),
                            make_scalar(f32, 0.01)));
    check(model, {image(shape{1, 3, 6, 5})}, 1e-5);
}

TEST_CASE("Weights with a zero point run in 8 bits") {
    graph model;
    const output_ref input = model.parameter(f32, shape{1, 3, 6, 5}, "x");
    const output_ref data = shifted(model, quantize(model, input, u8, 0.1, 7), make_scalar(u8, 7));
    const output_ref raw = model.constant(numbers(i8, shape{4, 3, 3, 3}, -100, 7, 100));
    const output_ref weights = shifted(model, raw, make_tensor(i8, shape{4, 1, 1, 1}, {1, -20, 100, 0}));
    const node_id sum =
        model.add_relaxed(op::convolution{{1, 1}, {1, 1}, {1, 1}, {1, 1}}, {data, weights}, {{f32, f32}, {f32}});
    model.result(multiplied(model, sum, make_scalar(f32, 0.01)));
    check(model, {image(shape{1, 3, 6, 5})}, 1e-5);
    CHECK(compile(model).plan().steps[2].precision == u8);
}

TEST_CASE("Weights of 4 bits, signed or with a zero point, are packed two in a byte for few pixels") {
    for (const auto& [type, width] : {std::pair{i4, 2}, {u4, 4}, {i4, 5}}) {
        graph model;
        const output_ref input = model.parameter(f32, shape{1, 24, 2, width}, "x");
        const output_ref data = quantize(model, input, u8, 0.1, 0);
        const output_ref raw =
            model.constant(numbers(type, shape{20, 24, 1, 1}, type == i4 ? -8 : 0, 1, type == i4 ? 7 : 15));
        output_ref weights = model.add(op::convert{f32}, {raw});
        if (type == u4) weights = shifted(model, weights, make_scalar(f32, 7));
        const node_id sum =
            model.add_relaxed(op::convolution{{1, 1}, {1, 1}, {0, 0}, {0, 0}}, {data, weights}, {{f32, f32}, {f32}});
        model.result(multiplied(model, sum, make_scalar(f32, 0.01)));
        check(model, {image(shape{1, 24, 2, width})}, 1e-5);
        for (const kernel::isa set : support::available_instruction_sets()) {
            if (set == kernel::isa::scalar) continue;
            const executable net = compile(model, options_for(set));
            const auto& work = std::get<plan::convolution_step>(net.plan().steps[2].work);
            const std::size_t bytes =
                kernel::table_for(set).packed_convolution_bytes(work.shape, kernel::element_kind::i8);
            CHECK((work.weights->size() < bytes) == (2 * width <= 8));
        }
    }
}

TEST_CASE("Matrix products of two activations run in 8 bits, one for each batch") {
    graph model;
    const output_ref a = model.parameter(f32, shape{2, 3, 4, 6}, "a");
    const output_ref b = model.parameter(f32, shape{2, 1, 5, 6}, "b");
    const output_ref left = shifted(model, quantize(model, a, u8, 0.1, 128), make_scalar(u8, 128));
    const output_ref right = quantize(model, b, i8, 0.1, 0);
    const node_id product = model.add_relaxed(op::mat_mul{false, true}, {left, right}, {{f32, f32}, {f32}});
    model.result(multiplied(model, product, make_scalar(f32, 0.01)));
    check(model, {image(shape{2, 3, 4, 6}), image(shape{2, 1, 5, 6})}, 1e-5);
    const executable net = compile(model);
    CHECK(net.plan().steps[2].precision == u8);
}

TEST_CASE("Matrix products take transposed operands and vectors") {
    for (const bool transposed : {false, true}) {
        graph model;
        const shape dimensions = transposed ? shape{2, 6, 4} : shape{2, 4, 6};
        const output_ref a = model.parameter(f32, dimensions, "a");
        const output_ref weights = model.constant(numbers(f32, shape{6, 5}, -1, 0.3, 1));
        model.result(model.add(op::mat_mul{transposed, false}, {a, weights}));
        model.result(
            model.add(op::mat_mul{transposed, false}, {a, model.constant(numbers(f32, shape{6}, -1, 0.3, 1))}));
        check(model, {image(dimensions)}, 1e-5);
    }
}

TEST_CASE("Elementwise operations broadcast over any axes, in both layouts") {
    graph model;
    const output_ref input = model.parameter(f32, shape{2, 3, 4, 5}, "x");
    const output_ref pixels = model.add(op::max_pool{{1, 1}, {}, {0, 0}, {0, 0}, {1, 1}}, {input}, {}, 1);
    const output_ref gate = model.parameter(f32, shape{2, 3, 1, 1}, "gate");
    const output_ref row = model.parameter(f32, shape{4, 1}, "row");
    model.result(model.add(op::multiply{}, {pixels, gate}));
    model.result(model.add(op::subtract{}, {row, input}));
    model.result(model.add(op::maximum{}, {pixels, row}));
    model.result(added(model, multiplied(model, input, numbers(f32, shape{3, 1, 5}, -2, 0.3, 4)),
                       numbers(f32, shape{1, 3, 4, 1}, 0, 0.1, 9)));
    model.result(model.add(op::add{}, {pixels, model.constant(numbers(f32, shape{3, 4, 5}, -2, 0.3, 4))}));
    check(model, {image(shape{2, 3, 4, 5}), image(shape{2, 3, 1, 1}), image(shape{4, 1})}, 1e-5);
}

TEST_CASE("Scales and zero points of channels keep their axis where a constant gives the tensor more axes") {
    graph model;
    const output_ref input = model.parameter(u8, shape{1, 3, 16, 16}, "x");
    const tensor zero_points = make_tensor(f32, shape{3, 1, 1}, {1, 20, 200});
    const output_ref centred = shifted(model, input, zero_points);
    model.result(multiplied(model, centred, make_tensor(f32, shape{1, 1, 1, 1, 1}, {1.27})));
    model.result(multiplied(model, multiplied(model, centred, numbers(f32, shape{3, 1, 1}, 0.1, 0.3, 1)),
                            make_tensor(f32, shape{1, 1, 1, 1, 1}, {-0.5})));
    check(model, {numbers(u8, shape{1, 3, 16, 16}, 0, 7, 255)}, 1e-5);
}

TEST_CASE("Operations that move elements keep them, in both layouts") {
    graph model;
    const output_ref input = quantize(model, model.parameter(f32, shape{1, 4, 4, 6}, "x"), u8, 0.1, 30);
    const output_ref pixels = model.add(op::max_pool{{1, 1}, {}, {0, 0}, {0, 0}, {1, 1}}, {input}, {}, 1);
    const output_ref axis = model.constant(make_indices({1}));
    const node_id halves = model.add(op::split{2}, {pixels, model.constant(make_integer_tensor(i64, shape{}, {1}))});
    model.result(model.add(op::concat{1}, {output_ref(halves, 1), output_ref(halves, 0), pixels}));
    model.result(model.add(op::concat{3}, {pixels, input}));
    model.result(model.add(op::shuffle_channels{1, 2}, {pixels}));
    model.result(model.add(op::transpose{}, {pixels, model.constant(make_indices({0, 2, 3, 1}))}));
    model.result(model.add(op::depth_to_space{2}, {pixels}));
    model.result(model.add(op::unsqueeze{}, {pixels, axis}));
    const output_ref pads[3] = {model.constant(make_indices({0, 1, 0, 2})), model.constant(make_indices({0, 0, 3, 0})),
                                model.constant(make_scalar(u8, 9))};
    model.result(model.add(op::pad{}, {pixels, pads[0], pads[1], pads[2]}, {}, 1));
    check(model, {image(shape{1, 4, 4, 6})}, 0);
}

TEST_CASE("TopK gives the values and places of the reference, in both layouts") {
    for (const std::int64_t count : {1, 3}) {
        for (const element indices : {i32, i64}) {
            graph model;
            const output_ref x = model.parameter(f32, shape{2, 3, 4, 5}, "x");
            const output_ref pixels = convolved(model, x, numbers(f32, shape{7, 3, 1, 1}, -1, 0.37, 1), 0);
            for (const output_ref data : {x, pixels}) {
                for (const std::int64_t axis : {1, -1}) {
                    op::top_k what;
                    what.axis = axis;
                    what.index_element_type = indices;
                    what.mode = axis == 1 ? op::top_k_mode::max : op::top_k_mode::min;
                    const node_id found =
                        model.add(what, {data, model.constant(make_scalar(i64, static_cast<double>(count)))}, {}, 11);
                    model.result({found, 0});
                    model.result({found, 1});
                }
            }
            check(model, {image(shape{2, 3, 4, 5})}, 1e-5);
        }
    }
}

namespace {

/// Gives what its state was and adds the input to it; the state begins with 10, 20.
graph running_sums() {
    graph model;
    const output_ref input = model.parameter(f32, shape{2}, "x");
    const output_ref start = model.constant(make_tensor(f32, shape{2}, {10, 20}));
    const node_id old = model.add(op::read_value{"sum", f32, shape{2}}, {start});
    const node_id sum = model.add(op::add{}, {old, input});
    const node_id write = model.add(op::assign{"sum", f32, shape{2}}, {sum});
    model.add_control_dependency(write, old);
    model.result(old);
    return model;
}

}  // namespace

TEST_CASE("Elements at equal distances are moved in runs, of any size, backwards and filled in") {
    for (const element type : {u8, u16, f32, i64}) {
        graph model;
        const output_ref input = model.parameter(type, shape{3, 90, 24}, "x");
        const auto list = [&](const integers& values) { return output_ref(model.constant(make_indices(values))); };
        const auto slice = [&](std::int64_t start, std::int64_t stop, std::int64_t step, std::int64_t axis) {
            model.result(model.add(op::slice{}, {input, list({start}), list({stop}), list({step}), list({axis})}));
        };
        slice(88, 1, -1, 1);
        slice(1, 90, 3, 1);
        slice(20, 2, -2, 2);
        model.result(model.add(op::pad{op::pad_mode::reflect}, {input, list({0, 17, 3}), list({0, 60, 20})}));
        model.result(model.add(op::pad{op::pad_mode::constant},
                               {input, list({0, 0, 30}), list({1, 2, 9}), model.constant(make_scalar(type, 7))}));
        check(model, {numbers(type, shape{3, 90, 24}, 0, 7, 250)}, 0);
    }
}

TEST_CASE("States live from run to run until they are reset") {
    executable net = compile(running_sums());
    const std::vector<tensor> one{make_tensor(f32, shape{2}, {1, 2})};
    CHECK(reals_of(run(net, one)[0]) == seq<double>{10, 20});
    CHECK(reals_of(run(net, one)[0]) == seq<double>{11, 22});
    net.reset();
    CHECK(reals_of(run(net, one)[0]) == seq<double>{10, 20});
}

TEST_CASE("A session has states of its own, and lives longer than the executable that made it") {
    const std::vector<tensor> one{make_tensor(f32, shape{2}, {1, 2})};
    std::optional<executable> net = compile(running_sums());
    run(*net, one);
    executable other = net->session();
    CHECK(reals_of(run(other, one)[0]) == seq<double>{10, 20});
    CHECK(reals_of(run(*net, one)[0]) == seq<double>{11, 22});
    net.reset();
    CHECK(reals_of(run(other, one)[0]) == seq<double>{11, 22});
}

TEST_CASE("Sessions share packed weights, and each has an arena") {
    graph model;
    const output_ref data = quantize(model, model.parameter(f32, shape{1, 3, 8, 8}, "x"), u8, 0.1, 0);
    model.result(convolved(model, data, numbers(i8, shape{5, 3, 3, 3}, -100, 7, 100), 1));
    executable net = compile(model);
    const executable other = net.session();
    CHECK(net.packed_weights().size() == 1);
    CHECK(&net.packed_weights() == &other.packed_weights());
    CHECK(&net.plan() == &other.plan());
    CHECK(other.arena_bytes() == net.arena_bytes());
}

TEST_CASE("Operations without a kernel are named, or refused") {
    graph model;
    const output_ref data = model.parameter(f32, shape{4}, "x");
    const output_ref axis = model.constant(make_integer_tensor(i64, shape{}, {0}));
    model.result(model.add(op::relu{}, {model.add(op::cum_sum{}, {data, axis}, "sums")}));
    CHECK(compile(model).on_reference() == std::vector<text>{"CumSum 'sums'"});
    compile_options options;
    options.on_reference = reference_use::refuse;
    CHECK_THROWS_WITH_AS(compile(model, options), doctest::Contains("CumSum 'sums' has no kernel"), error);
}

TEST_CASE("Converts between any types have a kernel") {
    graph model;
    const output_ref data = model.parameter(i64, shape{3}, "x");
    const node_id real = model.add(op::convert{f16}, {data});
    const node_id whole = model.add(op::convert{u16}, {real});
    model.result(real);
    model.result(model.add(op::convert{boolean}, {whole}));
    compile_options options;
    options.on_reference = reference_use::refuse;
    executable net = compile(model, options);
    const std::vector<tensor> given{make_integer_tensor(i64, shape{3}, {-5, 0, 2049})};
    const std::vector<tensor> got = run(net, given);
    CHECK(got[0].real(2) == 2048);
    CHECK(std::vector<std::int64_t>{got[1].integer(0), got[1].integer(1), got[1].integer(2)} ==
          std::vector<std::int64_t>{0, 0, 1});
}

TEST_CASE("Whole numbers are computed with, compared and chosen by a kernel") {
    graph model;
    const output_ref data = model.parameter(i64, shape{2, 3}, "x");
    const output_ref limit = model.constant(make_integer_tensor(i64, shape{3}, {1, 2, 3}));
    const node_id is_large = model.add(op::greater{}, {data, limit});
    const node_id rest = model.add(op::floor_mod{}, {data, limit});
    const node_id chosen = model.add(op::select{}, {is_large, rest, model.add(op::subtract{}, {limit, data})});
    model.result(chosen);
    model.result(model.add(op::logical_not{}, {is_large}));
    compile_options options;
    options.on_reference = reference_use::refuse;
    executable net = compile(model, options);
    const std::vector<tensor> given{make_integer_tensor(i64, shape{2, 3}, {5, 5, 5, -1, 2, 4})};
    const std::vector<tensor> got = run(net, given);
    CHECK(got[0] == make_integer_tensor(i64, shape{2, 3}, {0, 1, 2, 2, 0, 1}));
    CHECK(got[1] == make_tensor(boolean, shape{2, 3}, {0, 0, 0, 1, 1, 0}));
}

TEST_CASE("A divisor that may be zero is left to the reference, which says so") {
    graph model;
    const output_ref data = model.parameter(i32, shape{2}, "x");
    model.result(model.add(op::divide{}, {data, model.parameter(i32, shape{2}, "y")}, "quotient"));
    executable net = compile(model);
    const tensor values = make_integer_tensor(i32, shape{2}, {7, -7});
    const std::vector<tensor> got = run(net, std::vector<tensor>{values, make_integer_tensor(i32, shape{2}, {2, 2})});
    CHECK(got[0] == make_integer_tensor(i32, shape{2}, {3, -4}));
    CHECK_THROWS_AS(run(net, std::vector<tensor>{values, make_integer_tensor(i32, shape{2}, {1, 0})}), error);
}

TEST_CASE("Interpolate has a kernel in all modes, which gives what the reference gives") {
    tensor_builder values(f32, shape{2, 3, 9, 7});
    for (std::size_t i = 0; i < values.elements(); ++i) {
        values.real(i, static_cast<double>(i * 37 % 101) / 10 - 5);
    }
    const std::vector<tensor> given{values.finish()};
    using mode = op::interpolate_mode;
    for (const mode each :
         {mode::linear, mode::linear_onnx, mode::cubic, mode::bilinear_pillow, mode::bicubic_pillow, mode::area}) {
        for (const auto& [height, width] : {std::pair(20, 13), std::pair(4, 3), std::pair(18, 7)}) {
            CAPTURE(static_cast<int>(each));
            CAPTURE(height);
            graph model;
            op::interpolate what;
            what.mode = each;
            what.antialias = height == 4;
            const bool any_coordinates = each != mode::bilinear_pillow && each != mode::bicubic_pillow;
            what.coordinate_transformation_mode = any_coordinates && height == 20
                                                      ? op::coordinate_transformation_mode::align_corners
                                                      : op::coordinate_transformation_mode::half_pixel;
            const bool is_first_version = each == mode::area;
            seq<output_ref> inputs{model.parameter(f32, shape{2, 3, 9, 7}, "x"),
                                   model.constant(make_indices({height, width}))};
            if (is_first_version) {
                what.axes = {2, 3};
            } else {
                inputs.push_back(model.constant(make_indices({2, 3})));
            }
            model.result(model.add(what, inputs, {}, is_first_version ? 0 : 11));
            compile_options options;
            options.on_reference = reference_use::refuse;
            executable net = compile(model, options);
            const tensor got = run(net, given)[0];
            const tensor expected = reference::evaluate<float>(model, view<tensor>(given.data(), given.size()))[0];
            REQUIRE(got.dimensions() == expected.dimensions());
            for (std::size_t i = 0; i < got.elements(); ++i) {
                REQUIRE(got.real(i) == doctest::Approx(expected.real(i)).epsilon(1e-5));
            }
        }
    }
}

TEST_CASE(
    "Resampled data with channels side by side is what the reference gives, read by Results alone or by others, too") {
    const shape shapes[] = {{2, 5, 9}, {2, 5, 6, 9}, {2, 70, 3, 4, 9}};
    for (const shape& dimensions : shapes) {
        for (const bool has_other_reader : {false, true}) {
            CAPTURE(dimensions.rank());
            CAPTURE(has_other_reader);
            tensor_builder values(f32, dimensions);
            for (std::size_t i = 0; i < values.elements(); ++i) {
                values.real(i, static_cast<double>(i * 37 % 101) / 10 - 5);
            }
            const std::vector<tensor> given{values.finish()};
            const auto every = [&](std::int64_t number) { return integers(dimensions.rank() - 2, number); };
            graph model;
            const node_id x = model.parameter(f32, dimensions, "x");
            const node_id pool = model.add(
                op::max_pool{.strides = every(1), .pads_begin = every(0), .pads_end = every(0), .kernel = every(1)},
                {x}, {}, 1);
            op::interpolate what;
            what.mode = op::interpolate_mode::linear_onnx;
            if (dimensions.rank() == 3) what.mode = op::interpolate_mode::linear;
            integers sizes, axes;
            for (std::size_t axis = 2; axis < dimensions.rank(); ++axis) {
                sizes.push_back(2 * dimensions[axis] + 1);
                axes.push_back(static_cast<std::int64_t>(axis));
            }
            const node_id resized = model.add(
                what, {pool, model.constant(make_indices(sizes)), model.constant(make_indices(axes))}, {}, 11);
            model.result(resized);
            if (has_other_reader) {
                model.result(model.add(op::relu{}, {resized}));
            }
            executable net = compile(model);
            const std::vector<tensor> got = run(net, given);
            const auto expected = reference::evaluate<float>(model, view<tensor>(given.data(), given.size()));
            for (std::size_t k = 0; k < got.size(); ++k) {
                REQUIRE(got[k].dimensions() == expected[k].dimensions());
                for (std::size_t i = 0; i < got[k].elements(); ++i) {
                    REQUIRE(got[k].real(i) == doctest::Approx(expected[k].real(i)).epsilon(1e-5));
                }
            }
        }
    }
}

TEST_CASE("Operations without a kernel that say their shape when they are evaluated are refused, too") {
    graph model;
    model.result(model.add(op::non_zero{}, {model.parameter(f32, shape{4}, "x")}, "places"));
    compile_options options;
    options.on_reference = reference_use::refuse;
    CHECK_THROWS_WITH_AS(compile(model, options), doctest::Contains("NonZero 'places' has no kernel"), error);
}

TEST_CASE("Two states that are exchanged do not overwrite each other") {
    graph model;
    const output_ref input = model.parameter(f32, shape{}, "x");
    const node_id a = model.add(op::read_value{"a", f32, shape{}}, {scalar(model, 1)});
    const node_id b = model.add(op::read_value{"b", f32, shape{}}, {scalar(model, 2)});
    model.add(op::assign{"a", f32, shape{}}, {b});
    model.add(op::assign{"b", f32, shape{}}, {a});
    model.result(model.add(op::subtract{}, {model.add(op::multiply{}, {a, input}), b}));
    executable net = compile(model);
    const std::vector<tensor> ten{make_tensor(f32, shape{}, {10})};
    CHECK(run(net, ten)[0].real(0) == 8);
    CHECK(run(net, ten)[0].real(0) == 19);
    CHECK(run(net, ten)[0].real(0) == 8);
}

TEST_CASE("Operations without a kernel run by the reference, with any element type") {
    graph model;
    const output_ref input = model.parameter(i64, shape{2, 3}, "x");
    model.result(model.add(op::convert{i32},
                           {model.add(op::add{}, {input, model.constant(make_integer_tensor(i64, shape{}, {1}))})}));
    model.result(model.add(op::softmax{1}, {model.add(op::convert{f32}, {input})}));
    check(model, {make_integer_tensor(i64, shape{2, 3}, {1, -2, 3, 4, 5, 6})}, 1e-6);
}

TEST_CASE("What is beyond the limit of evaluation is refused before it is computed") {
    const auto one_hot = [](std::int64_t depth) {
        graph model;
        model.result(model.add(op::one_hot{},
                               {model.parameter(i64, shape{1}, "x"), model.constant(make_scalar(i64, double(depth))),
                                model.constant(make_scalar(f32, 1)), model.constant(make_scalar(f32, 0))},
                               "hot"));
        return model;
    };
    const std::vector<tensor> three{make_integer_tensor(i64, shape{1}, {3})};
    executable large = compile(one_hot(std::int64_t{1} << 28));
    CHECK_THROWS_WITH_AS(run(large, three),
                         "OneHot 'hot' cannot be evaluated: output 0 has the type f32 and the shape [1,268435456], and "
                         "its outputs take more than 4294967296 bytes",
                         error);
    compile_options options;
    options.most_evaluated_bytes =
        36 * 100 + 32;  // four bytes and 32 for each place, and one place along the first axis
    executable within = compile(one_hot(100), options);
    CHECK(run(within, three)[0].real(3) == 1);
    executable beyond = compile(one_hot(101), options);
    CHECK_THROWS_AS(run(beyond, three), error);
}

TEST_CASE("Inputs of another type, shape or number are refused by name") {
    graph model;
    model.result(model.add(op::relu{}, {model.parameter(f32, shape{2}, "data")}));
    executable net = compile(model);
    CHECK_THROWS_WITH_AS(run(net, {}), "the network has 1 inputs, not 0", error);
    CHECK_THROWS_WITH_AS(run(net, {make_tensor(f32, shape{3}, {0})}), "input 0 'data' must be f32[2], not f32[3]",
                         error);
    CHECK_THROWS_WITH_AS(run(net, {make_tensor(u8, shape{2}, {0})}), "input 0 'data' must be f32[2], not u8[2]", error);
}

TEST_CASE("The user's own threads serve the kernels") {
    static int calls = 0;
    graph model;
    const output_ref a = model.parameter(f32, shape{64, 64}, "a");
    model.result(model.add(op::mat_mul{}, {a, model.constant(numbers(f32, shape{64, 256}, -1, 0.3, 1))}));
    compile_options options;
    options.parallel.threads = 4;
    options.parallel.run = [](void*, int tasks, void (*task)(void*, int), void* context) {
        ++calls;
        for (int i = tasks; i-- > 0;) {
            task(context, i);
        }
    };
    executable net = compile(model, options);
    executable alone = compile(model);
    const std::vector<tensor> inputs{image(shape{64, 64})};
    CHECK(run(net, inputs) == run(alone, inputs));
    CHECK(calls > 0);
}

namespace {

/// Networks of small whole numbers, on which kernels round nothing: they must give the bits of the reference, signs of zeros too.
void check_bits(const graph& model, const std::vector<tensor>& inputs) {
    const std::vector<tensor> expected = reference::evaluate<float>(model, view<tensor>(inputs.data(), inputs.size()));
    bool has_negative_zero = false;
    for (const kernel::isa set : support::available_instruction_sets()) {
        executable net = compile(model, options_for(set));
        const std::vector<tensor> results = run(net, inputs);
        REQUIRE(results.size() == expected.size());
        for (std::size_t k = 0; k < results.size(); ++k) {
            CAPTURE(k);
            CHECK(results[k] == expected[k]);
        }
    }
    for (const tensor& each : expected) {
        for (std::size_t i = 0; i < each.elements(); ++i) {
            has_negative_zero = has_negative_zero || (each.real(i) == 0 && math::sign_bit(each.real(i)));
        }
    }
    CHECK(has_negative_zero);
}
tensor zeros_and_numbers() {
    return make_tensor(f32, shape{1, 2, 2, 5},
                       {0.0, -0.0, 1, -1, 2, -3, 0.0, -0.0, 4, 5, -0.0, 0.0, -2, 7, 0.0, -0.0, 1, -0.0, 3, 0.0});
}

}  // namespace

TEST_CASE("Zeros have the sign that the reference gives them") {
    const tensor by = make_tensor(f32, shape{1, 2, 1, 1}, {-2, 4});
    graph model;
    const output_ref x = model.parameter(f32, shape{1, 2, 2, 5}, "x");
    const output_ref y = model.parameter(f32, shape{1, 2, 2, 5}, "y");
    const auto number = [&](double value) { return model.constant(make_scalar(f32, value)); };
    model.result(model.add(op::negative{}, {x}));
    model.result(model.add(op::negative{}, {model.add(op::negative{}, {x})}));
    model.result(multiplied(model, x, by));
    model.result(model.add(op::negative{}, {multiplied(model, x, by)}));
    model.result(model.add(op::divide{}, {x, number(-4)}));
    model.result(model.add(op::subtract{}, {x, number(0)}));
    model.result(model.add(op::subtract{}, {number(0), x}));
    model.result(model.add(op::subtract{}, {number(-0.0), x}));
    model.result(model.add(op::add{}, {x, number(0)}));
    model.result(model.add(op::add{}, {x, number(-0.0)}));
    model.result(model.add(op::round{}, {x}));
    for (const output_ref other : {y, output_ref(model.add(op::negative{}, {y}))}) {
        model.result(model.add(op::add{}, {x, other}));
        model.result(model.add(op::subtract{}, {x, other}));
        model.result(model.add(op::multiply{}, {x, other}));
        model.result(model.add(op::add{}, {model.add(op::negative{}, {x}), other}));
        model.result(model.add(op::subtract{}, {model.add(op::negative{}, {x}), other}));
        model.result(model.add(op::subtract{}, {other, model.add(op::negative{}, {x})}));
        model.result(model.add(op::multiply{}, {other, model.add(op::negative{}, {x})}));
    }
    const tensor first = zeros_and_numbers();
    tensor_builder second(f32, shape{1, 2, 2, 5});
    for (std::size_t i = 0; i < second.elements(); ++i) {
        second.real(i, i % 3 == 0 ? -0.0 : i % 3 == 1 ? 0.0 : static_cast<double>(i) - 9);
    }
    check_bits(model, {first, second.finish()});
}

TEST_CASE("Zeros of 8-bit products have the sign of their scale") {
    graph model;
    const output_ref x = model.parameter(u8, shape{1, 2, 4, 4}, "x");
    const output_ref q = model.add(op::convert{f32}, {x});
    const tensor scale = make_tensor(f32, shape{1, 3, 1, 1}, {-0.5, 2, -4});
    model.result(multiplied(model, q, make_scalar(f32, -0.5)));
    const tensor weights = numbers(i8, shape{3, 2, 1, 1}, -1, 1, 1);
    model.result(multiplied(model, convolved(model, x, weights, 0), scale));
    const node_id product =
        model.add_relaxed(op::mat_mul{}, {x, model.constant(numbers(i8, shape{4, 4}, -1, 1, 1))}, {{f32, f32}, {f32}});
    model.result(multiplied(model, product, make_scalar(f32, -0.25)));
    tensor_builder data(u8, shape{1, 2, 4, 4});
    for (std::size_t i = 0; i < data.elements(); ++i) {
        data.integer(i, static_cast<std::int64_t>(i % 3 == 0 ? 0 : i % 5));
    }
    check_bits(model, {data.finish()});
}

TEST_CASE("Bytes that meet real weights or a real matrix are computed on in f32") {
    for (const element type : {u8, i8}) {
        graph model;
        const output_ref image_data = quantize(model, model.parameter(f32, shape{1, 3, 4, 5}, "x"), type, 0.1, 0);
        model.result(convolved(model, image_data, numbers(f32, shape{4, 3, 2, 2}, -1, 0.13, 1), 0));
        const output_ref rows = quantize(model, model.parameter(f32, shape{2, 4, 6}, "rows"), type, 0.1, 0);
        const output_ref columns = model.parameter(f32, shape{2, 6, 5}, "columns");
        model.result(model.add_relaxed(op::mat_mul{}, {rows, columns}, {{f32, f32}, {f32}}));
        const output_ref right = quantize(model, columns, type, 0.1, 0);
        const output_ref left = model.parameter(f32, shape{2, 4, 6}, "left");
        model.result(model.add_relaxed(op::mat_mul{}, {left, right}, {{f32, f32}, {f32}}));
        const output_ref weights = model.constant(numbers(f32, shape{6, 5}, -1, 0.3, 1));
        model.result(model.add_relaxed(op::mat_mul{}, {rows, weights}, {{f32, f32}, {f32}}));
        check(model, {image(shape{1, 3, 4, 5}), image(shape{2, 4, 6}), image(shape{2, 6, 5}), image(shape{2, 4, 6})},
              1e-5);
    }
}

TEST_CASE("A dequantization without elements gives none") {
    graph model;
    const output_ref bytes = model.parameter(u8, shape{0, 3, 4, 4}, "bytes");
    const output_ref shifted_bytes = shifted(model, bytes, numbers(f32, shape{3, 1, 1}, 1, 1, 3));
    model.result(multiplied(model, shifted_bytes, numbers(f32, shape{3, 1, 1}, 11, 11, 33)));
    executable net = compile(model);
    const std::vector<tensor> inputs{tensor_builder(u8, shape{0, 3, 4, 4}).finish()};
    const std::vector<tensor> outputs = net.run(inputs);
    REQUIRE(outputs.size() == 1);
    CHECK(outputs[0].type() == f32);
    CHECK(outputs[0].dimensions() == shape{0, 3, 4, 4});
}

TEST_CASE("HSwish of numbers near the largest is the number itself") {
    graph model;
    model.result(model.add(op::hswish{}, {model.parameter(f32, shape{4}, "x")}));
    check(model, {make_tensor(f32, shape{4}, {3e38, 1e38, -3e38, 5})}, 0);
}

TEST_CASE(
    "Intermediate tensors and packed weights stay within the limit, or an error names the operation and the size") {
    graph model;
    const output_ref data = model.parameter(f32, shape{1, 4, 64, 64}, "x");
    op::convolution what;
    what.strides = what.dilations = {1, 1};
    what.pads_begin = what.pads_end = {0, 0};
    const output_ref kernels = model.constant(numbers(f32, shape{64, 4, 1, 1}, -1, 0.01, 1));
    const output_ref axis = model.constant(make_integer_tensor(i64, shape{}, {1}));
    model.result(model.add(op::cum_sum{}, {model.add(what, {data, kernels}, "wide"), axis}, "sums"));
    compile_options options;
    options.memory_limit = std::size_t{8} << 20;
    CHECK(compile(model, options).arena_bytes() > std::size_t{2} << 20);
    options.memory_limit = std::size_t{1} << 20;
    CHECK_THROWS_WITH_AS(
        compile(model, options),
        doctest::Contains("intermediate tensors, of which that of Convolution 'wide' is the largest: "), error);
    CHECK_THROWS_WITH_AS(compile(model, options),
                         doctest::Contains(" MiB of memory would be needed, and the limit is "), error);
    options.memory_limit = 100;
    CHECK_THROWS_WITH_AS(compile(model, options), doctest::Contains("Convolution 'wide': "), error);
    CHECK_THROWS_WITH_AS(compile(model, options), doctest::Contains(", and the limit is 100 bytes"), error);
}

TEST_CASE("Constants that lie anywhere in a file are copied to where kernels can read them") {
    alignas(8) static const std::byte raw[9] = {std::byte{9},    std::byte{0},    std::byte{0},
                                                std::byte{0x80}, std::byte{0x3F}, std::byte{0},
                                                std::byte{0},    std::byte{0},    std::byte{0x40}};
    graph model;
    const tensor odd(f32, shape{1, 2}, bytes(raw + 1, 8, nullptr, nullptr));  // 1, 2
    const output_ref data = model.parameter(f32, shape{2, 1}, "x");
    model.result(model.add(op::maximum{}, {data, model.constant(odd)}));
    executable net = compile(model);
    for (const plan::storage& each : net.plan().storages) {
        if (each.where == plan::area::constant) {
            CHECK(reinterpret_cast<std::uintptr_t>(each.value.data()) % 4 == 0);
        }
    }
    CHECK(run(net, {make_tensor(f32, shape{2, 1}, {1.5, 3})})[0] == make_tensor(f32, shape{2, 2}, {1.5, 2, 3, 3}));
}

TEST_CASE("Tensors large enough for several threads are concatenated, split and shuffled, in pieces of any size") {
    for (const dimension channels : {1, 3, 6, 20, 70, 300}) {
        CAPTURE(channels);
        graph model;
        const output_ref input = model.parameter(f32, shape{1, channels, 61, 47}, "x");
        const output_ref data = quantize(model, input, u8, 0.0625, 120);
        const output_ref other = model.add(op::max_pool{{1, 1}, {}, {1, 1}, {1, 1}, {3, 3}}, {data}, {}, 1);
        const output_ref both = model.add(op::concat{1}, {data, other, data});
        const node_id parts = model.add(op::split{3}, {both, model.constant(make_integer_tensor(i64, shape{}, {1}))});
        const output_ref shuffled = model.add(op::shuffle_channels{1, 3}, {both});
        for (const output_ref each : {both, output_ref(parts, 1), shuffled}) {
            model.result(multiplied(model, shifted(model, each, make_scalar(u8, 120)), make_scalar(f32, 0.0625)));
        }
        check(model, {image(shape{1, channels, 61, 47})}, 1e-5);
    }
}

TEST_CASE("Parts in one piece, of parts and of what was joined, have the values that moving them gives") {
    graph model;
    const output_ref input = model.parameter(f32, shape{4, 50, 70}, "x");
    const output_ref axis = model.constant(make_integer_tensor(i64, shape{}, {0}));
    const node_id halves = model.add(op::split{2}, {input, axis});
    const output_ref early = model.add(op::softmax{2}, {output_ref(halves, 1)});
    const output_ref late = model.add(op::softmax{2}, {output_ref(halves, 0)});
    const output_ref last = model.add(op::exp{}, {late});
    const output_ref inner = model.add(op::concat{0}, {early, late});
    const output_ref outer = model.add(op::concat{0}, {last, inner, input, last});
    const node_id sixths = model.add(op::split{6}, {outer, axis});
    for (int i = 0; i < 6; ++i) {
        model.result(model.add(op::softmax{1}, {output_ref(sixths, i)}));
    }
    model.result(model.add(op::add{}, {outer, output_ref(model.add(op::split{12}, {outer, axis}), 3)}));
    model.result(model.add(op::exp{}, {inner}));
    model.result(early);
    check(model, {image(shape{4, 50, 70})}, 1e-5);
}

TEST_CASE("Parts of every pixel have the values that moving them gives, whatever writes and reads them") {
    for (const dimension channels : {1, 2, 3, 5, 16, 20, 64, 100}) {
        CAPTURE(channels);
        graph model;
        const output_ref data = quantize(model, model.parameter(f32, shape{2, channels, 9, 7}, "x"), u8, 0.03125, 100);
        const auto bytes_of = [&](output_ref sums, double scale) {
            return quantize(model, multiplied(model, sums, make_scalar(f32, scale)), u8, 0.03125, 20);
        };
        const auto real_of = [&](output_ref value) {
            return multiplied(model, shifted(model, value, make_scalar(u8, 20)), make_scalar(f32, 0.03125));
        };
        const auto depthwise = [&](output_ref value, std::int64_t stride) {
            const integers ones{1, 1};
            const tensor weights = numbers(i8, shape{channels, 1, 1, 3, 3}, -90, 11, 90);
            return model.add_relaxed(op::group_convolution{{stride, stride}, ones, ones, ones},
                                     {value, model.constant(weights)}, {{f32, f32}, {f32}});
        };
        const auto dense = [&](output_ref value, dimension from, dimension to, std::int64_t size) {
            return convolved(model, value, numbers(i8, shape{to, from, size, size}, -70, 13, 70), size / 2);
        };
        const auto pooled = [&](output_ref value) {
            return model.add(op::max_pool{{1, 1}, {}, {1, 1}, {1, 1}, {3, 3}}, {value}, {}, 1);
        };
        op::avg_pool window;
        window.kernel = {3, 3};
        window.strides = window.pads_begin = window.pads_end = {1, 1};
        const output_ref pointwise = bytes_of(dense(data, channels, channels, 1), 0x1p-10);
        const output_ref sigmoid = quantize(model, model.add(op::sigmoid{}, {real_of(pointwise)}), u8, 0.03125, 20);
        const output_ref wide = bytes_of(dense(data, channels, 2 * channels, 3), 0x1p-12);
        const output_ref by_channel = bytes_of(depthwise(data, 1), 0x1p-11);
        const output_ref again = quantize(model, real_of(by_channel), u8, 0.0625, 3);
        const node_id transposed = model.add_relaxed(
            op::convolution_backprop_data{.strides = {1, 1}, .pads_begin = {1, 1}, .pads_end = {1, 1}},
            {data, model.constant(numbers(i8, shape{channels, 3, 3, 3}, -70, 13, 70))}, {{f32, f32}, {f32}});
        const output_ref parts[] = {
            sigmoid, wide, again, pooled(data), pooled(pointwise), bytes_of(transposed, 0x1p-12)};
        const output_ref whole = model.add(op::concat{1}, view<output_ref>(parts, 6));
        const node_id split =
            model.add(op::variadic_split{}, {whole, model.constant(make_integer_tensor(i64, shape{}, {1})),
                                             model.constant(make_indices({channels, 2 * channels, 3 * channels + 3}))});
        const output_ref first{split, 0};
        const output_ref second{split, 1};
        const output_ref third{split, 2};
        model.result(real_of(bytes_of(dense(second, 2 * channels, 5, 3), 0x1p-12)));
        model.result(real_of(bytes_of(depthwise(first, 2), 0x1p-12)));
        model.result(real_of(bytes_of(dense(pooled(first), channels, channels, 1), 0x1p-10)));
        model.result(real_of(bytes_of(dense(pooled(third), 3 * channels + 3, 4, 1), 0x1p-12)));
        // Real numbers, with a residual that is a part of another tensor.
        const output_ref reals[] = {real_of(first), model.add(window, {real_of(wide)}, {}, 1)};
        const output_ref joined = model.add(op::concat{1}, view<output_ref>(reals, 2));
        const node_id thirds =
            model.add(op::split{3}, {joined, model.constant(make_integer_tensor(i64, shape{}, {1}))});
        const output_ref sum = model.add(
            op::add{},
            {convolved(model, output_ref(thirds, 1), numbers(f32, shape{channels, channels, 1, 1}, -1, 0.25, 1), 0),
             output_ref(thirds, 2)});
        model.result(model.add(op::concat{1}, {sum, output_ref(thirds, 0)}));
        const executable net = compile(model, options_for(kernel::isa::scalar));
        CHECK(std::ranges::count_if(net.plan().tensors, [](const auto& each) { return each.rows.exist(); }) > 6);
        check(model, {image(shape{2, channels, 9, 7})}, 1e-5);
    }
}

TEST_CASE("Integers that are only read to be quantized anew are never stored") {
    for (const bool is_read : {false, true}) {
        CAPTURE(is_read);
        graph model;
        const output_ref data = quantize(model, model.parameter(f32, shape{2, 8, 9, 7}, "x"), u8, 0.03125, 100);
        const auto again = [&](output_ref stored, element type) {
            const output_ref ranges[4] = {scalar(model, 20), scalar(model, 150.5), scalar(model, facts(type).lowest),
                                          scalar(model, facts(type).highest)};
            return model.add_relaxed(op::fake_quantize{256}, {stored, ranges[0], ranges[1], ranges[2], ranges[3]},
                                     {{f32, f32, f32, f32, f32}, {type}});
        };
        const output_ref sums = convolved(model, data, numbers(i8, shape{70, 8, 3, 3}, -70, 13, 70), 1);
        const output_ref scaled = multiplied(model, sums, make_scalar(f32, 0x1p-9));
        const output_ref stored = quantize(model, scaled, u8, 0.03125, 20);
        const output_ref narrow = again(stored, i8);
        model.result(narrow);
        if (is_read) {
            model.result(stored);
        }
        const executable net = compile(model, options_for(kernel::isa::scalar));
        const auto is_table = [](const plan::step& each) {
            return std::holds_alternative<plan::lookup_step>(each.work);
        };
        CHECK(std::ranges::any_of(net.plan().steps, is_table) == is_read);
        check(model, {image(shape{2, 8, 9, 7})}, 0);
    }
}

TEST_CASE("Convolutions pack weights that are computed in the run, and end in their functions") {
    const integers ones{1, 1};
    for (const bool is_transposed : {false, true}) {
        for (const dimension groups : {1, 4, 8}) {
            CAPTURE(is_transposed);
            CAPTURE(groups);
            graph model;
            const output_ref input = model.parameter(f32, shape{2, 8, 9, 7}, "x");
            const output_ref given = model.parameter(f32, shape{groups, 16 / groups, 8 / groups, 3, 3}, "w");
            const output_ref weights = multiplied(model, given, make_scalar(f32, 0.5));
            const output_ref alone =
                groups == 1 ? model.add(op::squeeze{}, {weights, model.constant(make_indices({0}))}) : weights;
            const auto convolved = [&](output_ref data) -> output_ref {
                if (is_transposed) {
                    return groups == 1
                               ? model.add(op::convolution_backprop_data{.strides = {2, 1}}, {data, alone})
                               : model.add(op::group_convolution_backprop_data{.strides = {2, 1}}, {data, weights});
                }
                return groups == 1 ? model.add(op::convolution{ones, ones, ones, ones}, {data, alone})
                                   : model.add(op::group_convolution{ones, ones, ones, ones}, {data, weights});
            };
            const output_ref data = is_transposed ? model.parameter(f32, shape{2, 16, 9, 7}, "t") : input;
            model.result(model.add(op::tanh{}, {multiplied(model, convolved(data), make_scalar(f32, 0.01))}));
            const output_ref bytes = quantize(model, data, u8, 0.05, 128);
            model.result(
                convolved(multiplied(model, shifted(model, bytes, make_scalar(u8, 128)), make_scalar(f32, 0.05))));
            const executable net = compile(model, options_for(kernel::isa::scalar));
            for (const plan::step& each : net.plan().steps) {
                CHECK(!plan::is_on_reference(each));
            }
            std::vector<tensor> inputs{image(shape{2, 8, 9, 7}),
                                       numbers(f32, shape{groups, 16 / groups, 8 / groups, 3, 3}, -1, 0.37, 1)};
            if (is_transposed) {
                inputs.push_back(image(shape{2, 16, 9, 7}));
            }
            check(model, inputs, 1e-4);
        }
    }
}

TEST_CASE("Columns of matrices have the values that moving them gives") {
    for (const dimension columns : {3, 16, 70, 300}) {
        CAPTURE(columns);
        graph model;
        const output_ref data = model.parameter(f32, shape{33, 12}, "x");
        const auto product = [&](output_ref value, dimension from, dimension to) {
            return model.add(op::mat_mul{}, {value, model.constant(numbers(f32, shape{from, to}, -1, 0.13, 1))});
        };
        const auto reshaped = [&](output_ref value, const shape& to) {
            return model.add(op::reshape{}, {value, model.constant(make_indices({to[0], to[1], to[2]}))});
        };
        const output_ref left = product(data, 12, columns);
        const output_ref right = product(data, 12, columns + 1);
        const output_ref tanh = model.add(op::tanh{}, {right});
        const output_ref both = model.add(op::concat{1}, {left, tanh, left});
        const node_id parts =
            model.add(op::variadic_split{}, {product(both, 3 * columns + 1, 3 * columns + 5),
                                             model.constant(make_integer_tensor(i64, shape{}, {1})),
                                             model.constant(make_indices({5, columns, 2 * columns}))});
        model.result(product(output_ref(parts, 0), 5, 7));
        // Sums of parts, one of which is written where a Concat puts it.
        const output_ref sum = model.add(op::add{}, {output_ref(parts, 1), left});
        const output_ref scaled =
            model.add(op::abs{}, {multiplied(model, output_ref(parts, 2), make_scalar(f32, 0.5))});
        const output_ref seen = reshaped(product(data, 12, columns), shape{3, 11, columns});
        const output_ref planes[] = {reshaped(sum, shape{3, 11, columns}), seen,
                                     reshaped(scaled, shape{3, 11, 2 * columns})};
        model.result(model.add(op::concat{2}, view<output_ref>(planes, 3)));
        model.result(product(model.add(op::concat{1}, {scaled, sum}), 3 * columns, 3));
        const executable net = compile(model, options_for(kernel::isa::scalar));
        CHECK(std::ranges::count_if(net.plan().tensors, [](const auto& each) { return each.rows.exist(); }) > 2);
        check(model, {numbers(f32, shape{33, 12}, -1, 0.0713, 1)}, 1e-4);
    }
}

TEST_CASE("Pixels that are repeated or filled in go where a Concat puts them") {
    for (const dimension channels : {1, 3, 20, 64}) {
        for (const element type : {u8, f32}) {
            CAPTURE(channels);
            CAPTURE(type == u8);
            graph model;
            const output_ref input = model.parameter(f32, shape{2, channels, 9, 12}, "x");
            const output_ref data = type == u8 ? quantize(model, input, u8, 0.03125, 100) : input;
            const auto list = [&](const integers& values) { return output_ref(model.constant(make_indices(values))); };
            const auto largest = [&](std::int64_t size, std::int64_t stride) {
                return model.add(op::max_pool{{stride, stride}, {}, {0, 0}, {0, 0}, {size, size}}, {data}, {}, 1);
            };
            const op::interpolate nearest;
            const output_ref repeated = model.add(nearest, {largest(3, 3), list({9, 12}), list({2, 3})}, {}, 11);
            const output_ref seven = model.constant(make_scalar(type, 7));
            const output_ref framed = model.add(op::pad{op::pad_mode::constant},
                                                {largest(2, 1), list({0, 0, 1, 0}), list({0, 0, 0, 1}), seven});
            const output_ref columns = model.add(nearest, {largest(1, 1), list({9, 48}), list({2, 3})}, {}, 11);
            const output_ref strided = model.add(op::max_pool{{1, 4}, {}, {0, 0}, {0, 0}, {1, 1}}, {columns}, {}, 1);
            const output_ref parts[] = {repeated, strided, framed};
            const output_ref whole = model.add(op::concat{1}, view<output_ref>(parts, 3));
            const shape pointwise{5, 3 * channels, 1, 1};
            const tensor weights =
                type == u8 ? numbers(i8, pointwise, -70, 13, 70) : numbers(f32, pointwise, -1, 0.13, 1);
            model.result(convolved(model, whole, weights, 0));
            const executable net = compile(model, options_for(kernel::isa::scalar));
            CHECK(std::ranges::count_if(net.plan().tensors, [](const auto& each) { return each.rows.exist(); }) >= 3);
            check(model, {image(shape{2, channels, 9, 12})}, 1e-4);
        }
    }
}

TEST_CASE("Columns that are chosen, moved or filled in go where a Concat puts them") {
    for (const dimension columns : {4, 24, 200}) {
        CAPTURE(columns);
        graph model;
        const output_ref input = model.parameter(f32, shape{85, columns}, "x");  // with 200 columns worth two threads
        const output_ref data = quantize(model, input, u8, 0.03125, 100);
        const auto list = [&](const integers& values) { return output_ref(model.constant(make_indices(values))); };
        integers places;
        for (std::int64_t i = 0; i < columns; ++i) {
            places.push_back((i * i + 3) % columns);
        }
        const output_ref axis = model.constant(make_scalar(i64, 1));
        const output_ref chosen = model.add(op::gather{}, {data, list(places), axis}, {}, 8);
        const output_ref moved = model.add(op::roll{}, {data, list({columns - 1}), list({1})});
        const output_ref framed = model.add(op::pad{op::pad_mode::constant}, {data, list({0, columns}), list({0, 1}),
                                                                              model.constant(make_scalar(u8, 7))});
        const output_ref parts[] = {chosen, framed, moved};
        const output_ref whole = model.add(op::concat{1}, view<output_ref>(parts, 3));
        const output_ref weights = model.constant(numbers(i8, shape{4 * columns + 1, 6}, -70, 13, 70));
        model.result(model.add_relaxed(op::mat_mul{}, {whole, weights}, {{f32, f32}, {f32}}));
        const executable net = compile(model, options_for(kernel::isa::scalar));
        CHECK(std::ranges::count_if(net.plan().tensors, [](const auto& each) { return each.rows.exist(); }) == 3);
        check(model, {numbers(f32, shape{85, columns}, -1, 0.0713, 1)}, 1e-4);
    }
}

TEST_CASE("Columns that the caller reads, too, are given without gaps") {
    for (const bool is_split : {false, true}) {
        CAPTURE(is_split);
        graph model;
        const output_ref data = model.parameter(f32, shape{9, 12}, "x");
        const auto product = [&](output_ref value, dimension from, dimension to) {
            return model.add(op::mat_mul{}, {value, model.constant(numbers(f32, shape{from, to}, -1, 0.13, 1))});
        };
        const output_ref first = product(data, 12, 5);
        if (is_split) {
            const node_id parts =
                model.add(op::split{2}, {product(data, 12, 8), model.constant(make_integer_tensor(i64, shape{}, {1}))});
            model.result(product(output_ref(parts, 1), 4, 3));
            model.result(output_ref(parts, 1));
        } else {
            model.result(product(model.add(op::concat{1}, {first, product(data, 12, 7)}), 12, 3));
            model.result(first);
        }
        check(model, {numbers(f32, shape{9, 12}, -1, 0.0713, 1)}, 1e-4);
    }
}

TEST_CASE("Planes that the caller reads, too, are given without gaps") {
    graph model;
    const output_ref data = model.parameter(f32, shape{2, 16, 4, 4}, "x");
    const output_ref first = model.add(op::relu{}, {data});
    model.result(first);
    model.result(model.add(op::concat{1}, {first, model.add(op::abs{}, {data})}));
    model.result(model.add(op::sqrt{}, {model.add(op::concat{1}, {first, model.add(op::abs{}, {data})})}));
    check(model, {image(shape{2, 16, 4, 4})}, 1e-6);
}

TEST_CASE("Rows that overlap are taken out as they are, whatever becomes of what they are taken from") {
    graph model;
    const output_ref data = model.parameter(f32, shape{2, 4}, "x");
    const output_ref whole = model.add(op::mat_mul{}, {data, model.constant(numbers(f32, shape{4, 3}, -1, 0.13, 1))});
    const output_ref flat = model.add(op::reshape{}, {whole, model.constant(make_indices({6}))});
    const output_ref places = model.constant(make_integer_tensor(i64, shape{2, 3}, {0, 1, 2, 2, 3, 4}));
    const output_ref taken = model.add(op::gather{}, {flat, places, model.constant(make_scalar(i64, 0))}, {}, 8);
    model.result(model.add(op::softmax{1}, {taken}));
    const output_ref both = model.add(op::concat{1}, {whole, taken});
    model.result(model.add(op::mat_mul{}, {both, model.constant(numbers(f32, shape{6, 2}, -1, 0.17, 1))}));
    check(model, {numbers(f32, shape{2, 4}, -1, 0.3, 1)}, 1e-5);
}

TEST_CASE("Scale and shift behind a normalization of the last axis are part of its step, unless others read it") {
    for (const bool is_read : {false, true}) {
        CAPTURE(is_read);
        graph model;
        const output_ref input = model.parameter(f32, shape{2, 5, 37}, "x");
        op::mvn across;
        across.eps = 1e-5;
        const output_ref normal = model.add(across, {input, model.constant(make_indices({2}))});
        output_ref value = multiplied(model, normal, numbers(f32, shape{1, 1, 37}, -1, 0.07, 2));
        value = added(model, value, numbers(f32, shape{37}, -0.5, 0.031, 1));
        model.result(value);
        if (is_read) {
            model.result(normal);
        }
        const executable net = compile(model, options_for(kernel::isa::scalar));
        CHECK(net.plan().steps.size() == (is_read ? 2 : 1));
        check(model, {image(shape{2, 5, 37})}, 1e-5);
    }
}

TEST_CASE("Bytes are normalized and reduced as the numbers that they are, by kernels") {
    graph model;
    const output_ref data = quantize(model, model.parameter(f32, shape{2, 5, 37}, "x"), i8, 0.0625, 3);
    const output_ref axis = model.constant(make_indices({2}));
    op::mvn across;
    across.eps = 1e-5;
    const output_ref normal = model.add_relaxed(across, {data, axis}, {{f32}, {f32}});
    model.result(multiplied(model, normal, numbers(f32, shape{1, 1, 37}, -1, 0.07, 2)));
    model.result(model.add_relaxed(op::reduce_sum{}, {data, axis}, {{f32}, {f32}}));
    model.result(model.add_relaxed(op::softmax{2}, {data}, {{f32}, {f32}}));
    const executable net = compile(model, options_for(kernel::isa::scalar));
    for (const plan::step& each : net.plan().steps) {
        CHECK(each.kernel.find("reference") == std::string::npos);
    }
    check(model, {image(shape{2, 5, 37})}, 1e-5);
}

TEST_CASE("Raw memory gets what tensors get: results given twice, read by others, and given as they came") {
    graph model;
    const output_ref input = model.parameter(f32, shape{3, 37}, "x");
    const output_ref first = model.add(op::exp{}, {input});
    const output_ref second = model.add(op::sqrt{}, {first});
    const output_ref third = model.add(op::concat{1}, {first, second});
    for (const output_ref each : {first, second, second, input, third}) {
        model.result(each);
    }
    for (const kernel::isa set : support::available_instruction_sets()) {
        executable net = compile(model, options_for(set));
        const tensor data = image(shape{3, 37});
        const std::vector<tensor> expected = run(net, {data});
        std::vector<std::vector<float>> memory;
        std::vector<void*> places;
        for (const tensor& each : expected) {
            memory.emplace_back(each.elements(), 99.0f);
            places.push_back(memory.back().data());
        }
        const void* const inputs[] = {data.data()};
        net.run(inputs, places.data());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            CHECK(std::memcmp(memory[i].data(), expected[i].data(), expected[i].elements() * sizeof(float)) == 0);
        }
    }
}

TEST_CASE("An error of a run names the node that it is of, whether a step or the reference computes it") {
    graph model;
    const output_ref data = model.parameter(f32, shape{3, 4}, "data");
    const output_ref where = model.parameter(i64, shape{2, 1}, "where");
    const output_ref axis = model.constant(make_scalar(i64, 0));
    const output_ref row = model.add(op::reshape{}, {where, model.constant(make_indices({2}))}, "row");
    model.result(model.add(op::gather{}, {data, row, axis}, "rows", 8));
    executable step = compile(model);
    const tensor numbers = image(shape{3, 4});
    CHECK_THROWS_WITH_AS(run(step, {numbers, make_integer_tensor(i64, {2, 1}, {0, 3})}),
                         "Gather 'rows': index 3 is outside an axis of size 3", lpt::error);
    graph one;
    const output_ref from = one.parameter(f32, shape{3, 4}, "data");
    const output_ref places = one.parameter(i64, shape{2, 1}, "where");
    one.result(one.add(op::gather_nd{}, {from, places}, "places", 8));
    executable by_reference = compile(one);
    CHECK_THROWS_WITH_AS(run(by_reference, {numbers, make_integer_tensor(i64, {2, 1}, {0, 3})}),
                         "GatherND 'places': index 3 is outside an axis of size 3", lpt::error);
}
