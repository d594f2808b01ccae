// SPDX-License-Identifier: Apache-2.0
#include "checked_runs.hpp"
#include "tests/kernel/support.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

using namespace lpt;
using namespace lpt::testing;

namespace {

output_ref list(graph& model, const integers& values) { return output_ref(model.constant(make_indices(values))); }
output_ref axis_of(graph& model, std::int64_t axis) {
    return output_ref(model.constant(make_integer_tensor(i64, shape{}, {axis})));
}

/// A matrix product of f32 with weights, which writes and reads rows with gaps.
output_ref product(graph& model, output_ref data, dimension from, dimension to) {
    return model.add(op::mat_mul{}, {data, model.constant(numbers(f32, shape{from, to}, -1, 0.13, 1))});
}

/// The steps that copy: Splits and Concats whose parts lie elsewhere. Views of what a Split takes out have gaps in any plan.
std::ptrdiff_t copies(const plan::network& net) {
    return std::ranges::count_if(net.steps, [&](const plan::step& each) {
        const auto* const work = std::get_if<plan::concat_step>(&each.work);
        return work != nullptr && std::ranges::any_of(work->inputs, [&](plan::tensor_id input) {
                   return net[input].storage != net[work->output].storage;
               });
    });
}

/// What is done to columns that a Split gives, and that a Concat takes: `columns` of them.
struct row_operation {
    const char* name;
    std::function<output_ref(graph&, output_ref, dimension columns)> make;
    double tolerance = 1e-4;
};

/// The rows of a part of a product, worked on, beside those of another product; a product reads them.
void check_between_parts(const row_operation& each, const shape& rows, dimension columns) {
    CAPTURE(each.name);
    CAPTURE(columns);
    graph model;
    const output_ref input = model.parameter(f32, shape{rows[0], rows[1], 12}, "x");
    const node_id parts = model.add(
        op::variadic_split{}, {product(model, input, 12, columns + 9), axis_of(model, 2), list(model, {9, columns})});
    const output_ref made = each.make(model, output_ref(parts, 1), columns);
    const dimension width = model.shape(made)[2];
    const output_ref whole =
        model.add(op::concat{2}, {product(model, input, 12, 7), made, product(model, output_ref(parts, 0), 9, 3)});
    model.result(product(model, whole, width + 10, 5));
    const executable net = compile(model, options_for(kernel::isa::scalar));
    CHECK(copies(net.plan()) == 0);
    check(model, {numbers(f32, shape{rows[0], rows[1], 12}, -1, 0.0713, 1)}, each.tolerance);
}

output_ref in_heads(graph& model, output_ref rows, const shape& dimensions, dimension heads) {
    const dimension width = dimensions[2] / heads;
    const output_ref split =
        model.add(op::reshape{}, {rows, list(model, {dimensions[0], dimensions[1], heads, width})});
    return model.add(op::transpose{}, {split, list(model, {0, 2, 1, 3})});
}

}  // namespace

TEST_CASE("Functions of rows read what a Split gives and write what a Concat takes where it lies") {
    const row_operation operations[] = {
        {"softmax",
         [](graph& model, output_ref rows, dimension) { return output_ref(model.add(op::softmax{2}, {rows})); }},
        {"logarithm of softmax",
         [](graph& model, output_ref rows, dimension) { return output_ref(model.add(op::log_softmax{2}, {rows})); }},
        {"normalization",
         [](graph& model, output_ref rows, dimension) {
             return output_ref(model.add(op::mvn{0.01}, {rows, list(model, {2})}, {}, 6));
         }},
        {"normalization by length",
         [](graph& model, output_ref rows, dimension) {
             return output_ref(model.add(op::normalize_l2{0.01}, {rows, list(model, {2})}));
         }},
        {"transposition of columns and back",
         [](graph& model, output_ref rows, dimension) {
             const output_ref turned = model.add(op::transpose{}, {rows, list(model, {0, 2, 1})});
             const output_ref other = model.add(op::softmax{2}, {turned});
             return output_ref(model.add(op::transpose{}, {other, list(model, {0, 2, 1})}));
         }},
        {"greatest of a row",
         [](graph& model, output_ref rows, dimension) {
             op::top_k best;
             best.axis = 2;
             return output_ref(model.add(best, {rows, model.constant(make_scalar(i64, 2))}, {}, 11), 0);
         }},
        {"columns in another order",
         [](graph& model, output_ref rows, dimension columns) {
             integers places;
             for (std::int64_t i = 0; i < columns; ++i) {
                 places.push_back((i * i + 3) % columns);
             }
             return output_ref(model.add(op::gather{}, {rows, list(model, places), axis_of(model, 2)}, {}, 8));
         }},
        {"sums of rows",
         [](graph& model, output_ref rows, dimension) {
             const output_ref sums = model.add(op::reduce_sum{true}, {rows, list(model, {2})});
             return output_ref(model.add(op::concat{2}, {sums, sums}));
         }},
    };
    for (const row_operation& each : operations) {
        for (const dimension columns : {3, 17, 64}) {
            for (const shape& rows : {shape{1, 6}, shape{3, 35}}) {
                check_between_parts(each, rows, columns);
            }
        }
    }
}

TEST_CASE("Conversions and choices read what a Split gives and write what a Concat takes if rows are long") {
    const row_operation operations[] = {
        {"conversion",
         [](graph& model, output_ref rows, dimension) {
             return output_ref(model.add(op::convert{f32}, {model.add(op::convert{f16}, {rows})}));
         },
         1e-2},
        {"choice",
         [](graph& model, output_ref rows, dimension columns) {
             const output_ref limit = model.constant(numbers(f32, shape{columns}, -1, 0.3, 1));
             return output_ref(model.add(op::select{}, {model.add(op::greater{}, {rows, limit}), rows, limit}));
         }},
    };
    for (const row_operation& each : operations) {
        check_between_parts(each, shape{2, 5}, 512);
        check_between_parts(each, shape{3, 35}, 700);
    }
}

TEST_CASE("Attention reads queries, keys and values from one product and writes its heads beside others") {
    for (const bool in_bytes : {false, true}) {
        CAPTURE(in_bytes);
        graph model;
        const shape all{2, 37, 48};
        const output_ref input = model.parameter(f32, shape{2, 37, 12}, "x");
        output_ref wide = product(model, input, 12, 144);
        if (in_bytes) {
            wide = quantize(model, wide, u8, 0.05, 128);
        }
        const node_id parts = model.add(op::variadic_split{}, {wide, axis_of(model, 2), list(model, {48, 48, 48})});
        output_ref heads[3];
        for (std::int32_t i = 0; i < 3; ++i) {
            heads[i] = in_heads(model, output_ref(parts, i), all, 3);
            if (in_bytes) {
                heads[i] = multiplied(model, shifted(model, heads[i], make_scalar(u8, 128)), make_scalar(f32, 0.05));
            }
        }
        const node_id attention = model.add(op::scaled_dot_product_attention{}, {heads[0], heads[1], heads[2]}, {}, 13);
        const output_ref joined = model.add(op::transpose{}, {attention, list(model, {0, 2, 1, 3})});
        const output_ref rows = model.add(op::reshape{}, {joined, list(model, {2, 37, 48})});
        model.result(product(model, model.add(op::concat{2}, {rows, product(model, input, 12, 5)}), 53, 4));
        const executable net = compile(model, options_for(kernel::isa::scalar));
        CHECK(copies(net.plan()) == 0);
        check(model, {numbers(f32, shape{2, 37, 12}, -1, 0.0713, 1)}, 1e-3);
    }
}

TEST_CASE("Products read both operands from one product, matrix by matrix") {
    graph model;
    const output_ref input = model.parameter(f32, shape{2, 9, 12}, "x");
    const node_id parts =
        model.add(op::variadic_split{}, {product(model, input, 12, 60), axis_of(model, 2), list(model, {20, 40})});
    const node_id others =
        model.add(op::variadic_split{}, {product(model, input, 12, 50), axis_of(model, 2), list(model, {20, 30})});
    const output_ref scores = model.add(op::mat_mul{false, true}, {output_ref(parts, 0), output_ref(others, 0)});
    const output_ref sums = model.add(op::mat_mul{}, {scores, output_ref(parts, 1)});
    model.result(product(model, model.add(op::concat{2}, {sums, output_ref(others, 1)}), 70, 4));
    const executable net = compile(model, options_for(kernel::isa::scalar));
    CHECK(copies(net.plan()) == 1);  // what a Split gives goes to a Concat
    check(model, {numbers(f32, shape{2, 9, 12}, -1, 0.0713, 1)}, 1e-3);
}

TEST_CASE("Cells read columns of a product and write their states beside those of another") {
    graph model;
    const output_ref input = model.parameter(f32, shape{3, 5, 12}, "x");
    const node_id parts =
        model.add(op::variadic_split{}, {product(model, input, 12, 16), axis_of(model, 2), list(model, {6, 10})});
    const auto state = [&](dimension hidden) {
        return output_ref(model.constant(numbers(f32, shape{3, 1, hidden}, -0.5, 0.1, 1)));
    };
    output_ref outputs[2];
    for (std::int32_t i = 0; i < 2; ++i) {
        const dimension inputs = i == 0 ? 6 : 10;
        op::lstm_sequence what;
        what.hidden_size = 7;
        what.direction = i == 0 ? op::recurrent_direction::forward : op::recurrent_direction::reverse;
        const output_ref lengths = model.constant(make_integer_tensor(i64, shape{3}, {5, 2, 4}));
        const node_id cell = model.add(what, {output_ref(parts, i), state(7), state(7), lengths,
                                              model.constant(numbers(f32, shape{1, 28, inputs}, -1, 0.17, 1)),
                                              model.constant(numbers(f32, shape{1, 28, 7}, -1, 0.13, 1)),
                                              model.constant(numbers(f32, shape{1, 28}, -0.5, 0.1, 1))});
        outputs[i] = model.add(op::reshape{}, {output_ref(cell, 0), list(model, {3, 5, 7})});
    }
    model.result(product(model, model.add(op::concat{2}, {outputs[0], outputs[1]}), 14, 4));
    const executable net = compile(model, options_for(kernel::isa::scalar));
    CHECK(copies(net.plan()) == 0);
    check(model, {numbers(f32, shape{3, 5, 12}, -1, 0.0713, 1)}, 1e-4);
}

TEST_CASE("Rows that indices choose are written beside others") {
    graph model;
    const output_ref places = model.parameter(i64, shape{2, 21}, "places");
    output_ref parts[3];
    for (dimension i = 0; i < 3; ++i) {
        const output_ref table = model.constant(numbers(f32, shape{10, 4 + i}, -1, 0.17, 1));
        parts[i] = model.add(op::gather{}, {table, places, axis_of(model, 0)}, {}, 8);
    }
    model.result(product(model, model.add(op::concat{2}, view<output_ref>(parts, 3)), 15, 4));
    const executable net = compile(model, options_for(kernel::isa::scalar));
    CHECK(copies(net.plan()) == 0);
    seq<std::int64_t> chosen;
    for (std::int64_t i = 0; i < 42; ++i) {
        chosen.push_back(i * i % 20 - 10);
    }
    check(model, {make_integer_tensor(i64, shape{2, 21}, chosen)}, 1e-4);
}

TEST_CASE("Pixels that are resampled, pooled over or reordered lie between those of other channels") {
    for (const dimension channels : {1, 3, 20, 70}) {
        for (const dimension batch : {1, 2}) {
            CAPTURE(channels);
            CAPTURE(batch);
            graph model;
            const output_ref input = model.parameter(f32, shape{batch, 3, 6, 7}, "x");
            const output_ref small =
                convolved(model, input, numbers(f32, shape{channels + 5, 3, 3, 3}, -1, 0.13, 1), 1);
            const node_id parts =
                model.add(op::variadic_split{}, {small, axis_of(model, 1), list(model, {5, channels})});
            op::interpolate linear;
            linear.mode = op::interpolate_mode::linear_onnx;
            const output_ref high =
                model.add(linear, {output_ref(parts, 1), list(model, {12, 14}), list(model, {2, 3})}, {}, 11);
            op::interpolate cubic;
            cubic.mode = op::interpolate_mode::cubic;
            const output_ref other =
                model.add(cubic, {output_ref(parts, 0), list(model, {12, 14}), list(model, {2, 3})}, {}, 11);
            model.result(model.add(op::reduce_mean{true}, {output_ref(parts, 1), list(model, {2, 3})}));
            const output_ref whole = model.add(op::concat{1}, {other, high});
            model.result(convolved(model, whole, numbers(f32, shape{4, channels + 5, 1, 1}, -1, 0.17, 1), 0));
            const executable net = compile(model, options_for(kernel::isa::scalar));
            CHECK(copies(net.plan()) == 0);
            check(model, {numbers(f32, shape{batch, 3, 6, 7}, -1, 0.0713, 1)}, 1e-3);
        }
    }
}

TEST_CASE("Bytes that change their layout, and pixels that are repeated, come from between other channels") {
    for (const dimension channels : {3, 8, 20, 64}) {
        CAPTURE(channels);
        graph model;
        const output_ref input = model.parameter(f32, shape{2, 3, 6, 8}, "x");
        const output_ref data = quantize(model, input, u8, 0.03125, 100);
        const output_ref sums = convolved(model, data, numbers(i8, shape{channels + 8, 3, 1, 1}, -90, 11, 90), 0);
        const output_ref whole = quantize(model, multiplied(model, sums, make_scalar(f32, 0.0011731)), u8, 0.05, 128);
        const node_id parts = model.add(op::variadic_split{}, {whole, axis_of(model, 1), list(model, {8, channels})});
        const output_ref repeated =
            model.add(op::interpolate{}, {output_ref(parts, 1), list(model, {12, 16}), list(model, {2, 3})}, {}, 11);
        const output_ref largest = model.add(op::max_pool{{2, 2}, {}, {0, 0}, {0, 0}, {1, 1}}, {repeated}, {}, 1);
        const output_ref other =
            model.add(op::max_pool{{1, 1}, {}, {0, 0}, {0, 0}, {1, 1}}, {output_ref(parts, 0)}, {}, 1);
        const output_ref joined = model.add(op::concat{1}, {largest, other});
        model.result(convolved(model, joined, numbers(i8, shape{4, channels + 8, 1, 1}, -90, 11, 90), 0));
        model.result(output_ref(parts, 1));  // in planes
        const executable net = compile(model, options_for(kernel::isa::scalar));
        CHECK(copies(net.plan()) == 0);
        check(model, {image(shape{2, 3, 6, 8})}, 1e-3);
    }
}

TEST_CASE("What a network gives as a Concat is written there, and what it splits is read there") {
    graph model;
    const output_ref input = model.parameter(f32, shape{2, 5, 20}, "x");
    const node_id parts = model.add(op::variadic_split{}, {input, axis_of(model, 2), list(model, {12, 8})});
    const output_ref first = product(model, output_ref(parts, 0), 12, 6);
    const output_ref second = model.add(op::softmax{2}, {output_ref(parts, 1)});
    const output_ref third = product(model, second, 8, 7);
    model.result(model.add(op::concat{2}, {first, third, second}));
    const executable net = compile(model, options_for(kernel::isa::scalar));
    const auto lies_in = [&](plan::area where, output_ref value) {
        return std::ranges::any_of(net.plan().steps, [&](const plan::step& each) {
            return each.nodes[0] == value.node &&
                   net.plan().storage_of(where == plan::area::input ? each.reads[0] : each.writes[0]).where == where;
        });
    };
    CHECK(lies_in(plan::area::input, first));
    CHECK(lies_in(plan::area::input, second));
    CHECK(lies_in(plan::area::output, first));
    CHECK(lies_in(plan::area::output, third));
    CHECK_FALSE(lies_in(plan::area::output, second));  // a step reads it, and may read beyond its end
    check(model, {numbers(f32, shape{2, 5, 20}, -1, 0.0713, 1)}, 1e-4);
}

TEST_CASE("A reduction whose output has gaps before its input gets them writes rows that have become shorter") {
    graph model;
    const auto powers = [&](const char* name, dimension columns) {
        return output_ref(model.add(op::softmax{3}, {model.parameter(f32, shape{4, 8, 4, columns}, name)}));
    };
    const output_ref data = powers("x", 16);
    const output_ref first = model.add(op::concat{3}, {data, powers("y", 9)});
    const output_ref sums = model.add(op::reduce_sum{false}, {data, list(model, {1})});
    const output_ref others = model.add(op::reduce_max{false}, {first, list(model, {1})});
    integers places;
    for (std::int64_t i = 0; i < 16; ++i) {
        places.push_back(i * i % 25);
    }
    const output_ref maxima = model.add(op::gather{}, {others, list(model, places), axis_of(model, 2)}, {}, 8);
    model.result(product(model, model.add(op::concat{1}, {sums, maxima}), 16, 3));
    const executable net = compile(model, options_for(kernel::isa::scalar));
    CHECK(copies(net.plan()) == 0);
    check(model, {numbers(f32, shape{4, 8, 4, 16}, -1, 0.0713, 1), numbers(f32, shape{4, 8, 4, 9}, -1, 0.0513, 1)},
          1e-4);
}

TEST_CASE("A step that reads a tensor twice and another view of it between finds its rows where they are") {
    SUBCASE("attention") {
        graph model;
        const output_ref input = model.parameter(f32, shape{1, 3, 6, 60}, "x");
        const node_id parts =
            model.add(op::variadic_split{}, {model.add(op::exp{}, {input}), axis_of(model, 3), list(model, {20, 40})});
        const output_ref part(parts, 1);
        const output_ref view = model.add(op::reshape{}, {part, list(model, {3, 6, 40})});
        model.result(model.add(op::scaled_dot_product_attention{}, {part, view, part}, {}, 13));
        check(model, {numbers(f32, shape{1, 3, 6, 60}, -1, 0.0713, 1)}, 1e-4);
    }
    SUBCASE("sums of products") {
        graph model;
        const output_ref input = model.parameter(f32, shape{6, 1024}, "x");
        const node_id parts = model.add(op::variadic_split{},
                                        {model.add(op::exp{}, {input}), axis_of(model, 1), list(model, {512, 512})});
        const output_ref part(parts, 1);
        const output_ref view = model.add(op::unsqueeze{}, {part, list(model, {0})});
        model.result(model.add(op::add{}, {model.add(op::multiply{}, {view, part}), view}));
        check(model, {numbers(f32, shape{6, 1024}, -1, 0.0713, 1)}, 1e-4);
    }
}

TEST_CASE("Sums over rows of a few elements each keep their accuracy") {
    graph model;
    const output_ref input = model.parameter(f32, shape{1, 200000, 8}, "x");
    const node_id parts = model.add(op::variadic_split{}, {input, axis_of(model, 2), list(model, {4, 4})});
    model.result(model.add(op::reduce_sum{false}, {output_ref(parts, 1), list(model, {1, 2})}));
    executable net = compile(model, options_for(kernel::isa::scalar));
    CHECK(copies(net.plan()) == 0);
    const tensor data = numbers(f32, shape{1, 200000, 8}, 0.1, 0.0000713, 1);
    double expected = 0;
    for (std::size_t i = 0; i < data.elements(); ++i) {
        expected += i % 8 < 4 ? 0 : data.real(i);
    }
    CHECK(math::absolute(run(net, {data})[0].real(0) - expected) <= 1e-4 * expected);
}

TEST_CASE("No step reads or writes beyond the caller's memory, or writes into inputs") {
    graph model;
    const output_ref input = model.parameter(f32, shape{2, 5, 37}, "x");
    const node_id parts = model.add(op::variadic_split{}, {input, axis_of(model, 2), list(model, {20, 17})});
    const output_ref last(parts, 1);
    const output_ref unit = model.add(op::mvn{0.01}, {last, list(model, {2})}, {}, 6);
    const output_ref turned = model.add(op::transpose{}, {last, list(model, {0, 2, 1})});
    model.result(model.add(op::concat{2}, {product(model, output_ref(parts, 0), 20, 3), product(model, last, 17, 5)}));
    model.result(model.add(op::concat{2}, {model.add(op::softmax{2}, {last}), unit}));
    model.result(model.add(op::concat{1}, {turned, model.add(op::exp{}, {turned})}));
    const tensor data = numbers(f32, shape{2, 5, 37}, -1, 0.0713, 1);
    const std::vector<tensor> expected = reference::evaluate<float>(model, view<tensor>(&data, 1));
    for (const kernel::isa set : support::available_instruction_sets()) {
        executable net = compile(model, options_for(set));
        kernel_test::guarded<std::byte> given(data.size_in_bytes());
        std::memcpy(given.data(), data.data(), data.size_in_bytes());
        std::vector<kernel_test::guarded<std::byte>> results;
        std::vector<void*> places;
        for (const tensor& each : expected) {
            results.emplace_back(each.size_in_bytes());
            places.push_back(results.back().data());
        }
        const void* const inputs[] = {given.data()};
        net.run(inputs, places.data());
        CHECK(std::memcmp(given.data(), data.data(), data.size_in_bytes()) == 0);
        for (std::size_t k = 0; k < results.size(); ++k) {
            CHECK(results[k].front_is_intact());
            float worst = 0;
            for (std::size_t i = 0; i < expected[k].elements(); ++i) {
                float value = 0;
                std::memcpy(&value, results[k].data() + i * sizeof value, sizeof value);
                worst = std::max(worst, std::abs(value - static_cast<float>(expected[k].real(i))));
            }
            CHECK(worst <= 1e-4f);
        }
    }
}
