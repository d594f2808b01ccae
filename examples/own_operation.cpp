// SPDX-License-Identifier: Apache-2.0
// An operation type of one's own, from nothing to a run in 8 bits, without a change of the library; docs/plugins.md explains it.
//
// A network of two such operations between a quantization and a convolution is transformed and run, and the outputs are
// compared with those of the network as it was.
#include <lpt/lpt.hpp>

#include <lpt/reference.hpp>
#include <lpt/runtime.hpp>
#include <lpt/transformation/declared.hpp>

#include <cstdio>

namespace op = lpt::op;

namespace {

/// Moves a part of the channels (axis 1) of video one frame (axis 0) on: y[t, c] = x[t - 1, c] for c < moved, else x[t, c]. Frame 0
/// keeps its own.
///
/// Its values are those of its input, so the same integers mean the same: rule `same`. Data [frames, channels, …].
struct temporal_shift {
    static constexpr lpt::text_view name = "TemporalShift";
    static constexpr auto number = op::user_kind("TemporalShift");
    static constexpr op::versions opsets{1};
    static constexpr op::ports inputs{1, 1};
    static constexpr op::ports outputs{1, 1};
    static constexpr op::trait traits = op::trait::movement;
    static constexpr op::low_precision low_precision{.rule = op::dequantization_rule::same};

    std::int64_t moved = 0;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("moved", self.moved);
    }
    static constexpr void infer(const temporal_shift& self, op::inference& facts) {
        const lpt::shape& data = facts.dimensions(0);
        if (data.rank_is_static() && (data.rank() < 2 || (data.is_static(1) && self.moved > data[1]))) {
            facts.wrong({"needs frames and at least ", self.moved, " channels, not ", data});
        }
        facts.output(facts.type(0), data);
    }
    static void evaluate(const temporal_shift& self, lpt::view<lpt::tensor> data, lpt::view<op::output_facts> facts,
                         lpt::seq<lpt::tensor>& results) {
        const lpt::shape& sizes = facts[0].dimensions;
        lpt::tensor_builder result(facts[0].type, sizes);
        const std::size_t frame = result.elements() / static_cast<std::size_t>(sizes[0]);
        const std::size_t moved = frame / static_cast<std::size_t>(sizes[1]) * static_cast<std::size_t>(self.moved);
        for (std::size_t i = 0; i < result.elements(); ++i) {
            const bool from_before = i >= frame && i % frame < moved;
            result.real(i, data[0].real(from_before ? i - frame : i));
        }
        results.push_back(result.finish());
    }
    friend constexpr bool operator==(const temporal_shift&, const temporal_shift&) = default;
};

/// Smooths the last axis: y[i] = (x[i - 1] + 2 x[i] + x[i + 1]) / 4, with zeros outside.
///
/// f(s x) = s f(x), but the output is no integer: rule `scaled`. It reads u8 or i8 and gives real numbers.
struct smooth {
    static constexpr lpt::text_view name = "Smooth";
    static constexpr auto number = op::user_kind("Smooth");
    static constexpr op::versions opsets{1};
    static constexpr op::ports inputs{1, 1};
    static constexpr op::ports outputs{1, 1};
    static constexpr op::trait traits = op::trait::none;
    static constexpr op::low_precision low_precision{.rule = op::dequantization_rule::scaled};

    static constexpr void infer(const smooth&, op::inference& facts) {
        facts.output(facts.type(0), facts.dimensions(0));
    }
    static void evaluate(const smooth&, lpt::view<lpt::tensor> data, lpt::view<op::output_facts> facts,
                         lpt::seq<lpt::tensor>& results) {
        const lpt::shape& sizes = facts[0].dimensions;
        const auto length = static_cast<std::size_t>(sizes[sizes.rank() - 1]);
        lpt::tensor_builder result(facts[0].type, sizes);
        for (std::size_t i = 0; i < result.elements(); ++i) {
            const double before = i % length == 0 ? 0 : data[0].real(i - 1);
            const double after = i % length + 1 == length ? 0 : data[0].real(i + 1);
            result.real(i, (before + 2 * data[0].real(i) + after) / 4);
        }
        results.push_back(result.finish());
    }
    friend constexpr bool operator==(const smooth&, const smooth&) = default;
};

/// The published pipeline and the two operations.
using my_pipeline = lpt::default_pipeline::with_operations<temporal_shift, smooth>;

/// A target that takes u8 only in the shift, as its convolutions do.
constexpr auto my_target = lpt::cpu_x86.restricting<lpt::precisions<temporal_shift, lpt::on<0, lpt::u8>>>();

lpt::output_ref quantize(lpt::graph& model, lpt::output_ref data, double high) {
    const lpt::node_id least = model.constant(lpt::make_scalar(lpt::f32, 0));
    const lpt::node_id most = model.constant(lpt::make_scalar(lpt::f32, high));
    return model.add(op::fake_quantize{256}, {data, least, most, least, most});
}

/// in -> quantized -> TemporalShift -> Convolution -> quantized -> Smooth -> out.
lpt::graph example_network() {
    lpt::graph model;
    lpt::output_ref last = model.parameter(lpt::f32, lpt::shape{4, 8, 6, 6}, "in");
    last = model.add(temporal_shift{2}, {quantize(model, last, 2.55)}, "shift");
    lpt::tensor_builder values(lpt::i8, lpt::shape{8, 8, 3, 3});
    for (std::size_t i = 0; i < values.elements(); ++i) {
        values.integer(i, static_cast<std::int64_t>(i * 7 % 23) - 9);
    }
    const lpt::node_id stored = model.add(op::convert{lpt::f32}, {model.constant(values.finish())});
    const lpt::node_id weights =
        model.add(op::multiply{}, {stored, model.constant(lpt::make_scalar(lpt::f32, 0.015625))});
    const op::convolution window{.strides = {1, 1}, .dilations = {1, 1}, .pads_begin = {1, 1}, .pads_end = {1, 1}};
    last = model.add(window, {last, weights}, "convolution");
    last = model.add(smooth{}, {quantize(model, last, 5.1)}, "smooth");
    model.result(last);
    return model;
}

lpt::tensor input() {
    lpt::tensor_builder values(lpt::f32, lpt::shape{4, 8, 6, 6});
    for (std::size_t i = 0; i < values.elements(); ++i) {
        values.real(i, static_cast<double>(i * 37 % 101) * 0.024);
    }
    return values.finish();
}

bool run() {
    lpt::graph model = example_network();
    const lpt::tensor data = input();
    const lpt::tensor expected = lpt::reference::evaluate<float>(model, lpt::view<lpt::tensor>(&data, 1))[0];
    lpt::prepare(model);
    const lpt::report report = lpt::transform<my_pipeline>(model, my_target);
    std::fputs(lpt::to_text(report).c_str(), stdout);
    bool low_precision = true;
    for (const lpt::report_row& row : report.operations) {
        if (row.name == "shift" || row.name == "convolution" || row.name == "smooth") {
            low_precision = low_precision && row.precision == lpt::u8;
        }
    }
    lpt::executable net = lpt::compile(model);
    const lpt::tensor actual = net.run(lpt::view<lpt::tensor>(&data, 1))[0];
    const bool same_shape = actual.dimensions() == expected.dimensions();
    double largest = 0;
    for (std::size_t i = 0; same_shape && !lpt::math::is_nan(largest) && i < expected.elements(); ++i) {
        const double difference = lpt::math::absolute(expected.real(i) - actual.real(i));
        if (!(difference <= largest)) {  // also NaN, which is within no limit
            largest = difference;
        }
    }
    std::printf("largest difference to the network as it was: %g\n", largest);
    // One step of the second quantization, where its input lies on the edge between two integers.
    return low_precision && same_shape && largest <= 5.1 / 255;
}

}  // namespace

int main() {
    try {
        return run() ? 0 : 1;
    } catch (const lpt::error& wrong) {
        std::fprintf(stderr, "%s\n", wrong.what());
        return 1;
    }
}
