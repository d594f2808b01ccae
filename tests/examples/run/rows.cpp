// SPDX-License-Identifier: Apache-2.0
#include "examples/run/print.hpp"

#include "tests/support/bodies.hpp"

#include <lpt/optimization/optimize.hpp>
#include <lpt/pipeline/transform.hpp>
#include <lpt/target/cpu_x86.hpp>

#include <doctest/doctest.h>

using namespace lpt;

namespace {

tensor counting(element type, const shape& dimensions) {
    tensor_builder values(type, dimensions);
    for (std::size_t i = 0; i < values.elements(); ++i) {
        values.real(i, static_cast<double>(i % 7) * 0.25 - 0.75);
    }
    return values.finish();
}
output_ref fake_quantize(graph& model, output_ref data, double low, double high, text_view name) {
    const node_id least = model.constant(make_scalar(f32, low));
    const node_id most = model.constant(make_scalar(f32, high));
    return model.add(op::fake_quantize{low == 0 ? 256 : 255}, {data, least, most, least, most}, name);
}

/// The rows of a transformed network after one timed run.
struct executed {
    std::vector<run::row> rows;

    explicit executed(graph model, bool optimized = false) {
        const report became = transform(model, cpu_x86);
        if (optimized) optimize(model);
        executable net = compile(model);
        std::vector<tensor> inputs;
        for (const plan::port& each : net.inputs()) {
            inputs.push_back(counting(each.type, each.dimensions));
        }
        net.run(view<tensor>(inputs.data(), inputs.size()), true);
        rows = run::make_rows(became, net, 1);
    }
    const run::row& named(const std::string& name) const {
        for (const run::row& each : rows) {
            if (each.name == name) {
                return each;
            }
        }
        FAIL("no row of this name");
        return rows[0];
    }
};

/// Quantized data and weights, a Convolution, a Relu, and a sum of quantized tensors behind a function of bytes.
graph quantized_network() {
    graph model;
    const node_id x = model.parameter(f32, shape{1, 2, 4, 4}, "x");
    const output_ref data = fake_quantize(model, x, 0, 2.55, "data");
    const node_id values = model.constant(counting(f32, shape{2, 2, 1, 1}));
    const output_ref weights = fake_quantize(model, values, -1.27, 1.27, "weights");
    const op::convolution plain{.strides = {1, 1}, .dilations = {1, 1}, .pads_begin = {0, 0}, .pads_end = {0, 0}};
    const node_id layer = model.add(plain, {data, weights}, "layer");
    const node_id relu = model.add(op::relu{}, {layer}, "relu");
    const output_ref stored = fake_quantize(model, relu, 0, 5.1, "stored");
    const node_id pool =
        model.add(op::max_pool{.strides = {1, 1}, .pads_begin = {0, 0}, .pads_end = {0, 0}, .kernel = {2, 2}}, {stored},
                  "pool", 1);
    model.result(model.add(op::softmax{1}, {pool}, "soft"));
    return model;
}

}  // namespace

TEST_CASE("A row has the type that its own operation computes in, and the step that computes it") {
    const executed all(quantized_network());
    const run::row& data = all.named("data");
    CHECK(data.status == "EXECUTED");
    CHECK(data.what == role::quantization);
    CHECK(data.precision == "f32");
    CHECK(data.inputs == std::vector<std::string>{"f32"});
    CHECK(data.outputs == std::vector<std::string>{"u8"});
    CHECK(data.reason.empty());
    const run::row& layer = all.named("layer");
    CHECK(layer.precision == "u8");
    CHECK(layer.step == "layer");
    CHECK(layer.fused == std::vector<std::string>{"relu", "stored"});
    const run::row& relu = all.named("relu");
    CHECK(relu.status == "NOT_RUN");
    CHECK(relu.precision == "f32");
    CHECK(relu.inputs == std::vector<std::string>{"f32"});
    CHECK(relu.outputs == std::vector<std::string>{"f32"});
    CHECK(relu.step == "layer");
    CHECK_FALSE(relu.reason.empty());
    CHECK(relu.behind_integers);
    CHECK_FALSE(layer.behind_integers);
    const run::row& stored = all.named("stored");
    CHECK(stored.what == role::quantization);
    CHECK(stored.outputs == std::vector<std::string>{"u8"});
    const run::row& weights = all.named("weights");
    CHECK(weights.what == role::none);
    CHECK(weights.precision == "undef");
    CHECK(weights.step.empty());
    CHECK(all.named("soft").precision == "f32");
}

TEST_CASE("The summary counts arithmetic by class, quantizations apart, and the time of integer steps") {
    const executed all(quantized_network());
    const run::summary sum = run::summary_of(all.rows);
    CHECK(sum.quantizations == 2);
    CHECK(run::sentence_of(sum).rfind("on integers: 1 of 1 convolutions, 1 of 3 others; ", 0) == 0);
    double all_us = 0;
    for (const run::row& each : all.rows) {
        all_us += each.real_us;
    }
    CHECK(sum.all_us == doctest::Approx(all_us));
    CHECK(sum.integer_us == doctest::Approx(all.named("layer").real_us + all.named("pool").real_us));
    CHECK(run::sentence_of(run::summary()) == "on integers: there is no arithmetic");
}

TEST_CASE("Two 8-bit tensors that a kernel adds in real numbers say so") {
    graph model;
    const node_id x = model.parameter(u8, shape{1, 8}, "x");
    const node_id y = model.parameter(u8, shape{1, 8}, "y");
    model.result(model.add_relaxed(op::add{}, {x, y}, {{f32, f32}, {f32}}, "sum"));
    const executed all(std::move(model));
    CHECK(all.named("sum").precision == "f32");
    CHECK(all.named("sum").reason == "its kernel takes u8 and computes in f32");
}

TEST_CASE("The time of bodies is theirs, not that of the node around them") {
    const executed all(test::running_sums({2, 4, 1}, 1, {1, 0, 1, 1, -1}, {1, 0, 1, 1, -1}));
    const run::row& around = all.named("sums");
    CHECK(around.what == role::bodies);
    CHECK(around.own_us == doctest::Approx(around.real_us - all.named("sums/body/next").real_us -
                                           all.named("sums/body/tenfold").real_us));
    double outermost = 0;
    for (const run::row& each : all.rows) {
        outermost += each.name.find('/') == std::string::npos ? each.real_us : 0;
    }
    CHECK(run::summary_of(all.rows).all_us == doctest::Approx(outermost));
}

TEST_CASE("Reasons are grouped by what they say in general, those in epilogues of integer kernels apart, the most "
          "frequent first") {
    std::vector<run::row> rows(4);
    for (std::size_t i = 0; i < 4; ++i) {
        rows[i].step = "step";
        rows[i].type = i == 3 ? "Relu" : "Add";
        rows[i].reason = "input " + std::to_string(i) + " is not quantized";
        rows[i].reason_in_general = i == 0 ? "another" : "an input is not quantized";
    }
    rows[2].behind_integers = true;
    const std::vector<run::reason_group> behind = run::reasons_of(rows, true);
    REQUIRE(behind.size() == 1);
    CHECK(behind[0].count == 1);
    const std::vector<run::reason_group> groups = run::reasons_of(rows, false);
    REQUIRE(groups.size() == 2);
    CHECK(groups[0].count == 2);
    CHECK(groups[0].reason == "an input is not quantized");
    CHECK(groups[0].types.at("Add") == 1);
    CHECK(groups[0].types.at("Relu") == 1);
    CHECK(groups[1].count == 1);
}

TEST_CASE("Control characters of names are not printed") {
    CHECK(run::printable("a\x1b[31m\tb\x7f\u00e4") == "a?[31m?b?\u00e4");
}

TEST_CASE("Long names are shortened in the middle, by characters") {
    CHECK(run::shortened("abcdef", 6) == "abcdef");
    CHECK(run::shortened("abcdefg", 6) == "abc\u2026fg");
    CHECK(run::shortened("abcdefg", 5) == "ab\u2026fg");
    CHECK(run::shortened("abcdefg", 1) == "\u2026");
    CHECK(run::shortened("\u00e4\u00f6\u00fc\u00df\u00e9\u00e8\u00ea", 5) == "\u00e4\u00f6\u2026\u00e8\u00ea");
    CHECK(run::characters(run::shortened("\u00e4\u00f6\u00fc\u00df\u00e9\u00e8\u00ea", 6)) == 6);
}

TEST_CASE("Sentences break between their words, and between nothing else") {
    using lines = std::vector<std::string>;
    CHECK(run::wrapped(run::words_in("its data is not quantized"), 12) == lines{"its data is", "not", "quantized"});
    CHECK(run::wrapped({"12 MatMul,", "3 Add"}, 10) == lines{"12 MatMul,", "3 Add"});
    CHECK(run::wrapped({"12 MatMul,", "3 Add"}, 16) == lines{"12 MatMul, 3 Add"});
    CHECK(run::wrapped({"a", "bcdefgh"}, 5) == lines{"a", "bc\u2026gh"});
    CHECK(run::wrapped({}, 5).empty());
}

TEST_CASE("The label of a step has its type whole, and as much of its name as there is room for") {
    run::row step;
    step.type = "ConvolutionBackpropData";
    step.name = "decoder/upsample/conv";
    step.fused = {"bias", "relu"};
    CHECK(run::label_of(step, 60) == "ConvolutionBackpropData decoder/upsample/conv +2");
    CHECK(run::label_of(step, 37) == "ConvolutionBackpropData decod\u2026conv +2");
    CHECK(run::label_of(step, 30) == "ConvolutionBackpropData +2");
    step.added = true;
    CHECK(run::label_of(step, 46) == "ConvolutionBackpropData decod\u2026/conv (added) +2");
}

TEST_CASE("Kernels give way to types where both have no room") {
    run::row step;
    step.status = "EXECUTED";
    step.precision = "boolean";
    step.type = "GroupConvolutionBackpropData";
    step.execution_type = "implicit_gemm_avx512_vnni_with_many_words_I8";
    step.fused = {"bias"};
    const run::step_columns columns({step}, "avx512_vnni", 80);
    CHECK(columns.types == 7);
    CHECK(columns.operations >= run::characters(step.type) + 3);
    CHECK(columns.kernels + columns.types + columns.operations + 19 == 80);
    CHECK(run::short_kernel(step, "avx512_vnni") == "implicit_gemm_with_many_words_I8");
    CHECK(run::short_kernel(step, "avx2") == step.execution_type);
}

TEST_CASE("What the optimizations made of operations is the row of the one whose name it has") {
    graph model;
    const node_id x = model.parameter(f32, shape{1, 8}, "x");
    const node_id gate = model.add(op::sigmoid{}, {x}, "gate");
    model.result(model.add(op::multiply{}, {x, gate}, "swish"));
    const executed all(std::move(model), true);
    const run::row& swish = all.named("swish");
    CHECK(swish.status == "EXECUTED");
    CHECK(swish.type == "Multiply");
    CHECK_FALSE(swish.added);
    CHECK(all.named("gate").step.empty());
    CHECK(run::sentence_of(run::summary_of(all.rows)).rfind("on integers: 0 of 1 others; ", 0) == 0);
}
