// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../plan/networks.hpp"

/// Small networks that between them have every step that a static plan can have. A build-time program writes their plans
/// (embed_networks.cpp), and tests compare them with the dynamic executor.
namespace lpt::testing {

/// Quantized convolutions of all forms, pooling, residuals, activations of bytes, concatenation, softmax; two inputs, two outputs.
inline graph embedded_image() {
    graph model;
    const output_ref input = model.parameter(f32, shape{2, 3, 9, 7}, "image");
    const output_ref gate = model.parameter(f32, shape{2, 8, 1, 1}, "gate");
    // Zero points of channels: pixels of them are put around the data.
    const tensor zero_points = make_tensor(u8, shape{1, 3, 1, 1}, {3, 100, 255});
    output_ref value = shifted(model, quantize(model, input, u8, 0.1, 7), zero_points);
    value = convolved(model, value, numbers(i8, shape{8, 3, 3, 3}, -100, 7, 100), 1, 2);
    value = multiplied(model, value, numbers(f32, shape{1, 8, 1, 1}, 0.001, 0.0005, 1));
    value = model.add(op::hswish{}, {added(model, value, numbers(f32, shape{1, 8, 1, 1}, -1, 0.7, 5))});
    const output_ref first = quantize(model, value, u8, 0.05, 20);
    // Bytes to bytes: a table.
    const output_ref real = multiplied(model, shifted(model, first, make_scalar(u8, 20)), make_scalar(f32, 0.05));
    const output_ref sigmoid = quantize(model, model.add(op::sigmoid{}, {real}), u8, 0.004, 0);
    // Depthwise, then with all channels and a residual, then transposed.
    const integers ones{1, 1};
    const node_id depthwise =
        model.add_relaxed(op::group_convolution{ones, ones, ones, ones},
                          {first, model.constant(numbers(i8, shape{8, 1, 1, 3, 3}, -90, 11, 90))}, {{f32, f32}, {f32}});
    const output_ref signed_bytes =
        quantize(model, multiplied(model, depthwise, make_scalar(f32, 0.0007)), i8, 0.03, 0);
    const output_ref mixed =
        multiplied(model, convolved(model, signed_bytes, numbers(i8, shape{8, 8, 1, 1}, -70, 13, 70), 0),
                   numbers(f32, shape{1, 8, 1, 1}, 0.0002, 0.0001, 1));
    const output_ref sum = model.add(op::relu{}, {model.add(op::add{}, {mixed, real})});
    const output_ref bytes = quantize(model, sum, u8, 0.04, 0);
    const output_ref joined = model.add(op::concat{1}, {sigmoid, bytes});
    const output_ref largest = model.add(op::max_pool{{2, 2}, {}, {0, 0}, {1, 1}, {2, 2}}, {joined}, {}, 1);
    const output_ref average = model.add(
        op::avg_pool{.kernel = {2, 2}, .strides = {1, 1}, .pads_begin = {1, 1}, .pads_end = {0, 0}}, {sum}, {}, 1);
    const node_id up = model.add(op::convolution_backprop_data{.strides = {2, 2}},
                                 {sum, model.constant(numbers(f32, shape{8, 4, 2, 2}, -1, 0.17, 1))});
    model.result(model.add(op::multiply{}, {average, gate}));
    model.result(multiplied(model, shifted(model, largest, make_scalar(u8, 3)), make_scalar(f32, 0.05)));
    model.result(model.add(op::softmax{1}, {up}));
    return model;
}

/// Convolutions of few channels a group: bytes, packed for that; transposed ones of f32 with one.
inline graph embedded_groups() {
    graph model;
    const integers ones{1, 1};
    const output_ref input = model.parameter(f32, shape{1, 64, 5, 6}, "image");
    const output_ref bytes = quantize(model, input, u8, 0.05, 0);
    const node_id groups =
        model.add_relaxed(op::group_convolution{ones, ones, ones, ones},
                          {bytes, model.constant(numbers(i8, shape{8, 8, 8, 3, 3}, -90, 11, 90))}, {{f32, f32}, {f32}});
    const output_ref real = multiplied(model, groups, make_scalar(f32, 0.0001));
    model.result(model.add(
        op::group_convolution_backprop_data{.strides = {2, 2}, .pads_begin = ones, .pads_end = ones, .dilations = ones},
        {real, model.constant(numbers(f32, shape{64, 1, 1, 4, 4}, -1, 0.17, 1))}));
    return model;
}

/// A Split and a Concat of channels that leave nothing to copy: convolutions, pooling, tables, moved pixels and sums read and write their channels of the whole.
inline graph embedded_parts() {
    graph model;
    const output_ref input = model.parameter(f32, shape{1, 3, 5, 6}, "image");
    const auto bytes_of = [&](output_ref sums, element type) {
        return quantize(model, multiplied(model, sums, make_scalar(f32, 0.001)), type, 0.05, 0);
    };
    const output_ref data = quantize(model, input, u8, 0.05, 30);
    const output_ref whole = bytes_of(convolved(model, data, numbers(i8, shape{68, 3, 3, 3}, -90, 11, 90), 1), i8);
    const node_id parts =
        model.add(op::variadic_split{}, {whole, model.constant(make_integer_tensor(i64, shape{}, {1})),
                                         model.constant(make_indices({64, 4}))});
    const output_ref wide(parts, 0);
    const output_ref narrow(parts, 1);
    const output_ref dense = bytes_of(convolved(model, wide, numbers(i8, shape{4, 64, 1, 1}, -70, 13, 70), 0), i8);
    const output_ref largest = model.add(op::max_pool{{1, 1}, {}, {1, 1}, {1, 1}, {3, 3}}, {narrow}, {}, 1);
    const output_ref real = multiplied(model, convolved(model, narrow, numbers(i8, shape{64, 4, 1, 1}, -70, 13, 70), 0),
                                       make_scalar(f32, 0.001));
    const output_ref stored = shifted(model, quantize(model, real, i8, 0.05, 0), make_scalar(i8, 0));
    const output_ref curve = model.add(op::tanh{}, {multiplied(model, stored, make_scalar(f32, 0.05))});
    const output_ref table = quantize(model, curve, i8, 0.05, 0);
    const auto list = [&](const integers& values) { return output_ref(model.constant(make_indices(values))); };
    const output_ref few = model.add(op::max_pool{{5, 3}, {}, {0, 0}, {0, 0}, {5, 3}}, {narrow}, {}, 1);
    const output_ref repeated = model.add(op::interpolate{}, {few, list({5, 6}), list({2, 3})}, {}, 11);
    const output_ref inner = model.add(op::max_pool{{1, 1}, {}, {0, 0}, {0, 0}, {2, 2}}, {narrow}, {}, 1);
    const output_ref framed = model.add(op::pad{op::pad_mode::constant}, {inner, list({0, 0, 1, 0}), list({0, 0, 0, 1}),
                                                                          model.constant(make_scalar(i8, 7))});
    const output_ref channels[] = {dense, largest, table, repeated, framed};
    const output_ref joined = model.add(op::concat{1}, view<output_ref>(channels, 5));
    model.result(multiplied(model, convolved(model, joined, numbers(i8, shape{5, 80, 1, 1}, -70, 13, 70), 0),
                            make_scalar(f32, 0.001)));
    const output_ref rows = model.parameter(f32, shape{7, 6}, "rows");
    const auto product = [&](output_ref value, dimension from, dimension to) {
        return model.add(op::mat_mul{}, {value, model.constant(numbers(f32, shape{from, to}, -1, 0.13, 1))});
    };
    const output_ref given = product(rows, 6, 5);  // the caller's rows have no gaps
    model.result(given);
    model.result(product(model.add(op::concat{1}, {product(rows, 6, 4), product(rows, 6, 3), given}), 12, 2));
    const output_ref sums[] = {added(model, product(rows, 6, 260), numbers(f32, shape{1}, 0.5, 1, 1)),
                               model.add(op::tanh{}, {product(rows, 6, 256)})};
    model.result(product(model.add(op::concat{1}, view<output_ref>(sums, 2)), 516, 2));
    return model;
}

/// Rows that functions of rows, attention, cells, movements and resampling read out of wider ones and write into them; an input that is read in
/// parts, a result that is written in parts.
inline graph embedded_rows() {
    graph model;
    const output_ref input = model.parameter(f32, shape{2, 5, 22}, "rows");
    const auto list = [&](const integers& values) { return output_ref(model.constant(make_indices(values))); };
    const auto split = [&](output_ref data, std::int64_t axis, const integers& lengths) {
        return model.add(op::variadic_split{},
                         {data, model.constant(make_integer_tensor(i64, shape{}, {axis})), list(lengths)});
    };
    const auto product = [&](output_ref value, dimension from, dimension to) {
        return output_ref(
            model.add(op::mat_mul{}, {value, model.constant(numbers(f32, shape{from, to}, -1, 0.13, 1))}));
    };
    const node_id given = split(input, 2, {10, 12});
    const node_id parts = split(product(output_ref(given, 1), 12, 48), 2, {12, 12, 12, 12});
    const auto in_heads = [&](output_ref rows) {
        return output_ref(
            model.add(op::transpose{}, {model.add(op::reshape{}, {rows, list({2, 5, 3, 4})}), list({0, 2, 1, 3})}));
    };
    const node_id attention = model.add(
        op::scaled_dot_product_attention{},
        {in_heads(output_ref(parts, 0)), in_heads(output_ref(parts, 1)), in_heads(output_ref(parts, 2))}, {}, 13);
    const output_ref attended =
        model.add(op::reshape{}, {model.add(op::transpose{}, {attention, list({0, 2, 1, 3})}), list({2, 5, 12})});
    const output_ref powers = model.add(op::softmax{2}, {output_ref(parts, 3)});
    const output_ref unit = model.add(op::mvn{0.001}, {output_ref(parts, 3), list({2})}, {}, 6);
    const output_ref moved = model.add(op::roll{}, {output_ref(parts, 3), list({5}), list({2})});
    op::lstm_sequence cell;
    cell.hidden_size = 6;
    const output_ref state = model.constant(numbers(f32, shape{2, 1, 6}, -0.5, 0.1, 1));
    const node_id walked =
        model.add(cell, {output_ref(given, 0), state, state, model.constant(make_integer_tensor(i64, shape{2}, {5, 3})),
                         model.constant(numbers(f32, shape{1, 24, 10}, -1, 0.17, 1)),
                         model.constant(numbers(f32, shape{1, 24, 6}, -1, 0.13, 1)),
                         model.constant(numbers(f32, shape{1, 24}, -0.5, 0.1, 1))});
    const output_ref states = model.add(op::reshape{}, {output_ref(walked, 0), list({2, 5, 6})});
    const output_ref few_bits = model.constant(numbers(u4, shape{7, 3, 4}, 0, 7, 15));
    const output_ref scales = model.constant(numbers(f32, shape{7, 3}, 0.01, 0.003, 1));
    const output_ref compressed = model.add(op::fully_connected_compressed{}, {output_ref(parts, 3), few_bits, scales});
    const output_ref joined[] = {attended, powers, unit, moved, states, compressed};
    const output_ref first = product(model.add(op::concat{2}, view<output_ref>(joined, 6)), 61, 4);
    model.result(model.add(op::concat{2}, {first, product(output_ref(given, 1), 12, 3)}));
    const output_ref image = model.parameter(f32, shape{2, 3, 4, 5}, "image");
    const node_id channels =
        split(convolved(model, image, numbers(f32, shape{12, 3, 1, 1}, -1, 0.13, 1), 0), 1, {8, 4});
    op::interpolate linear;
    linear.mode = op::interpolate_mode::linear_onnx;
    const output_ref larger = model.add(linear, {output_ref(channels, 0), list({8, 10}), list({2, 3})}, {}, 11);
    const output_ref repeated =
        model.add(op::interpolate{}, {output_ref(channels, 1), list({8, 10}), list({2, 3})}, {}, 11);
    model.result(convolved(model, model.add(op::concat{1}, {repeated, larger}),
                           numbers(f32, shape{3, 12, 1, 1}, -1, 0.17, 1), 0));
    model.result(output_ref(channels, 1));  // in planes
    return model;
}

/// Matrix products of weights and of two activations, in bytes and floats; reductions, normalizations and softmaxes of any axes; TopK; attention, recurrent cells of f32 and of bytes.
inline graph embedded_matrix() {
    graph model;
    const output_ref a = model.parameter(f32, shape{2, 3, 4, 6}, "a");
    const output_ref b = model.parameter(f32, shape{2, 1, 5, 6}, "b");
    const output_ref left = shifted(model, quantize(model, a, u8, 0.1, 128), make_scalar(u8, 128));
    const output_ref right = quantize(model, b, i8, 0.1, 0);
    const node_id product = model.add_relaxed(op::mat_mul{false, true}, {left, right}, {{f32, f32}, {f32}});
    const output_ref scores = multiplied(model, product, make_scalar(f32, 0.01));
    const node_id dense = model.add_relaxed(
        op::mat_mul{}, {left, model.constant(numbers(i8, shape{6, 5}, -100, 17, 100))}, {{f32, f32}, {f32}});
    const output_ref real =
        model.add(op::mat_mul{true, false}, {a, model.constant(numbers(f32, shape{4, 3}, -1, 0.3, 1))});
    const auto axes = [&](const seq<std::int64_t>& values) {
        return model.constant(make_integer_tensor(i64, shape{static_cast<dimension>(values.size())}, values));
    };
    model.result(model.add(op::softmax{3}, {scores}));
    model.result(model.add(op::softmax{1}, {scores}));
    model.result(model.add(op::log_softmax{2}, {model.add(op::add{}, {scores, dense})}));
    op::top_k best;
    best.index_element_type = i64;
    const node_id found = model.add(best, {scores, model.constant(make_scalar(i64, 2))}, {}, 11);
    model.result({found, 0});
    model.result({found, 1});
    model.result(real);
    model.result(model.add(op::reduce_sum{}, {scores, axes({1, 2})}));
    model.result(model.add(op::reduce_mean{}, {scores, axes({0, 2})}));
    model.result(model.add(op::reduce_max{}, {scores, axes({3})}));
    model.result(model.add(op::reduce_min{}, {scores, axes({0, 1, 2, 3})}));
    model.result(model.add(op::reduce_prod{}, {scores, axes({2})}));
    model.result(model.add(op::reduce_l1{}, {scores, axes({1})}));
    model.result(model.add(op::reduce_l2{}, {scores, axes({0})}));
    model.result(model.add(op::mvn{0.001}, {scores, axes({2, 3})}, {}, 6));
    model.result(model.add(op::normalize_l2{0.01}, {scores, axes({1, 3})}));
    const output_ref mask = model.constant(make_tensor(boolean, shape{5}, {1, 0, 1, 1, 1}));
    model.result(model.add(op::scaled_dot_product_attention{}, {a, b, b}, {}, 13));
    const output_ref real_left = multiplied(model, left, make_scalar(f32, 0.1));
    model.result(model.add(op::scaled_dot_product_attention{}, {real_left, b, b, mask}, {}, 13));
    const output_ref few_bits = model.constant(numbers(u4, shape{5, 2, 4}, 0, 7, 15));
    const output_ref scales = model.constant(numbers(f32, shape{5, 2}, 0.01, 0.003, 1));
    const output_ref zeros = model.constant(numbers(f32, shape{5, 2}, 4, 1, 9));
    model.result(model.add(op::fully_connected_compressed{}, {a, few_bits, scales}));
    model.result(model.add(op::fully_connected_compressed{}, {a, few_bits, scales, zeros}));
    const node_id rounding = model.add(op::fully_connected_compressed{}, {a, few_bits, scales});
    model.set_mark(rounding, mark::may_round_data);
    model.result(rounding);
    const output_ref rows = model.add(op::reduce_mean{false}, {scores, axes({1, 2})});
    const output_ref old = model.add(op::reduce_mean{false}, {a, axes({2, 3})});
    op::lstm_cell cell;
    cell.hidden_size = 3;
    const node_id next = model.add(cell, {rows, old, old, model.constant(numbers(f32, shape{12, 5}, -1, 0.13, 1)),
                                          model.constant(numbers(f32, shape{12, 3}, -1, 0.17, 1)),
                                          model.constant(numbers(f32, shape{12}, -0.5, 0.1, 1))});
    model.result(output_ref(next, 0));
    model.result(output_ref(next, 1));
    const output_ref row_scales = model.constant(numbers(f32, shape{9, 1}, 0.001, 0.0007, 0.01));
    const auto of_bytes = [&](dimension columns) {
        const output_ref bytes = model.constant(numbers(i8, shape{9, columns}, -100, 17, 100));
        const node_id converted = model.add(op::convert{f32}, {bytes});
        model.set_mark(converted, mark::disabled_constant_folding);
        return model.add(op::multiply{}, {converted, row_scales});
    };
    op::gru_cell unit;
    unit.hidden_size = 3;
    const output_ref data = multiplied(model, shifted(model, quantize(model, rows, u8, 0.1, 128), make_scalar(u8, 128)),
                                       make_scalar(f32, 0.1));
    model.result(model.add(
        unit, {data, old, of_bytes(5), of_bytes(3), model.constant(numbers(f32, shape{9}, -0.5, 0.1, 1))}, {}, 3));
    return model;
}

/// Operations that move elements, arithmetic of whole numbers, conversions, resampling, broadcasts, and states.
inline graph embedded_movement() {
    graph model;
    const output_ref input = model.parameter(f32, shape{1, 4, 4, 6}, "x");
    const output_ref places = model.parameter(i64, shape{1, 2, 3}, "places");
    const output_ref bytes = quantize(model, input, u8, 0.1, 30);
    const output_ref pixels = model.add(op::max_pool{{1, 1}, {}, {0, 0}, {0, 0}, {1, 1}}, {bytes}, {}, 1);
    const node_id halves = model.add(op::split{2}, {pixels, model.constant(make_integer_tensor(i64, shape{}, {1}))});
    model.result(model.add(op::concat{1}, {output_ref(halves, 1), output_ref(halves, 0), pixels}));
    model.result(model.add(op::concat{3}, {pixels, bytes}));
    const node_id parts = model.add(op::split{2}, {input, model.constant(make_integer_tensor(i64, shape{}, {1}))});
    model.result(model.add(op::concat{1}, {model.add(op::exp{}, {output_ref(parts, 1)}),
                                           model.add(op::softmax{3}, {output_ref(parts, 0)}), input}));
    const output_ref order = model.constant(make_integer_tensor(i64, shape{3}, {2, 0, 1}));
    model.result(model.add(op::transpose{}, {places, order}));
    model.result(model.add(op::convert{f32}, {places}));
    const output_ref limit = model.constant(make_integer_tensor(i64, shape{2, 1}, {2, 0}));
    const node_id is_far = model.add(op::greater{}, {places, limit});
    model.result(model.add(op::select{},
                           {is_far, model.add(op::floor_mod{}, {places, model.constant(make_scalar(i64, 3))}), limit}));
    model.result(model.add(op::convert{f32}, {model.add(op::convert{f16}, {input})}));
    const output_ref pads = model.constant(make_integer_tensor(i64, shape{4}, {0, 0, 1, 2}));
    model.result(model.add(op::pad{op::pad_mode::constant}, {input, pads, pads, scalar(model, 7)}));
    op::interpolate linear;
    linear.mode = op::interpolate_mode::linear_onnx;
    model.result(
        model.add(linear, {input, model.constant(make_indices({7, 5})), model.constant(make_indices({2, 3}))}, {}, 11));
    model.result(model.add(op::subtract{}, {model.constant(numbers(f32, shape{4, 1}, -2, 0.3, 4)), input}));
    model.result(added(model, multiplied(model, input, numbers(f32, shape{4, 1, 6}, -2, 0.3, 4)),
                       numbers(f32, shape{1, 4, 4, 1}, 0, 0.1, 9)));
    const shape row{4, 6};
    const output_ref start = model.constant(numbers(f32, row, 1, 2, 50));
    const node_id old = model.add(op::read_value{"sum", f32, row}, {start});
    const node_id other = model.add(op::read_value{"other", f32, row}, view<output_ref>());
    model.add(
        op::assign{"sum", f32, row},
        {model.add(op::add{}, {old, model.add(op::reduce_max{}, {input, model.constant(make_indices({0, 1}))})})});
    model.add(op::assign{"other", f32, row}, {old});
    model.result(model.add(op::subtract{}, {old, other}));
    return model;
}

}  // namespace lpt::testing
