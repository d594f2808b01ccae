// SPDX-License-Identifier: Apache-2.0
// What an engine's plugin does with the library, step by step:
//  1. ask whether the network is quantized at all;
//  2. bring it into the form that the transformations expect, but keep the pairs of quantize and dequantize that they can use;
//  3. say what the engine can do (restrictions, callbacks) and run the transformations;
//  4. read in the report what every operation became, and why one stayed in floating point.
// Without arguments it does so with a small network, prints the report, and fails if an operation did not become what it should.
#include <lpt/lpt.hpp>

#include <lpt/pipeline/queries.hpp>
#include <lpt/transformation/preparation/keep_const_precision.hpp>

#include <cstdio>
#include <utility>

namespace op = lpt::op;

namespace {

// ---- 1 and 2: before the transformations

/// Not part of the library: what many engines do to all networks, x - c becomes x + (-c).
struct convert_subtract {
    static constexpr lpt::text_view name = "ConvertSubtract";
    using pattern = lpt::pattern<op::subtract, lpt::anything, lpt::from_constant>;
    static bool transform(lpt::rewrite& r, lpt::node_id id) {
        lpt::graph& model = r.model;
        const lpt::output_ref negative = lpt::fold_operation(model, op::negative{}, {model[id].input(1)});
        const lpt::node_id sum = model.add(op::add{}, {model[id].input(0), negative});
        lpt::replace_and_name(r, id, sum);
        return true;
    }
};

/// The engine's own preparation. Marks come first, so that folding leaves quantized weights alone.
using preparation = lpt::pipeline<lpt::stage<lpt::mark_dequantization>, lpt::stage<>,
                                  lpt::stage<lpt::convert_quantize_dequantize, convert_subtract>, lpt::stage<>,
                                  lpt::stage<lpt::constant_folding_step, lpt::convert_subtract_constant>>;

/// Pairs of quantize and dequantize that the transformations can use must reach them.
bool is_supported_pair(const lpt::rewrite& r, lpt::node_id id) {
    return lpt::are_quantize_and_dequantize_supported_for_multiply(r.model, id, r.options.default_precisions);
}
bool is_supported_zero_point(const lpt::rewrite& r, lpt::node_id id) {
    return lpt::are_quantize_and_dequantize_supported_for_subtract(r.model, id, r.options.default_precisions);
}

constexpr auto before = lpt::target_of<lpt::restrictions<>>{}
                            .skipping<lpt::convert_quantize_dequantize, is_supported_pair>()
                            .skipping<convert_subtract, is_supported_zero_point>();

// ---- 3: what the engine can do

bool is_no_convolution(const lpt::rewrite& r, lpt::node_id id) {
    return r.model[id].is<op::multiply>() && !lpt::can_be_transformed_to_group_convolution(r.model, id);
}
bool has_zero_point(const lpt::rewrite& r, lpt::node_id id) {
    return lpt::is_asymmetric_quantization(r.model, id, r.options.default_precisions) ||
           lpt::is_asymmetric_on_weights(r, id);
}
bool needs_no_convolution(const lpt::rewrite& r, lpt::node_id id) { return lpt::is_dynamic_or_scalar(r.model, id); }

using supported =
    lpt::restrictions<lpt::precisions<op::convolution, lpt::on<0, lpt::u8>, lpt::on<1, lpt::i8>>,
                      lpt::precisions<op::convolution_backprop_data, lpt::on<0, lpt::u8, lpt::i8>, lpt::on<1, lpt::i8>>,
                      lpt::precisions<op::group_convolution, lpt::on<0, lpt::u8>, lpt::on<1, lpt::i8>>,
                      lpt::precisions<op::multiply, lpt::on<0, lpt::u8>, lpt::on<1, lpt::i8>>,
                      lpt::per_tensor<op::convolution, 0>, lpt::per_tensor<op::convolution_backprop_data, 0>>;

constexpr auto engine = lpt::target_of<supported>{}
                            .skipping<lpt::markup_precisions, is_no_convolution>()
                            .skipping<lpt::convolution_backprop_data_transformation, has_zero_point>()
                            .skipping<lpt::multiply_to_group_convolution_transformation, needs_no_convolution>();

lpt::report compile_for_engine(lpt::graph& model) {
    if (!lpt::is_function_quantized(model)) {
        return lpt::make_report(model, model, {}, lpt::dispatch_view());
    }
    lpt::transform<preparation>(model, before);
    return lpt::transform(model, engine);
    // From here on the engine's own passes turn the graph into what it runs.
}

// ---- a network to try it with

lpt::output_ref quantize(lpt::graph& model, lpt::output_ref data, std::int64_t levels, double low, double high) {
    const lpt::node_id least = model.constant(lpt::make_scalar(lpt::f32, low));
    const lpt::node_id most = model.constant(lpt::make_scalar(lpt::f32, high));
    return model.add(op::fake_quantize{levels}, {data, least, most, least, most});
}
lpt::tensor some_values(lpt::element type, lpt::shape dimensions) {
    lpt::tensor_builder values(type, std::move(dimensions));
    for (std::size_t i = 0; i < values.elements(); ++i) {
        values.real(i, static_cast<double>((i * 5) % 7) - 3.0);
    }
    return values.finish();
}
/// 8-bit weights with their scale and zero point, as a file has them.
lpt::output_ref stored_weights(lpt::graph& model, lpt::shape dimensions, double zero_point) {
    lpt::output_ref last =
        model.add(op::convert{lpt::f32}, {model.constant(some_values(lpt::i8, std::move(dimensions)))});
    if (zero_point != 0) {
        last = model.add(op::subtract{}, {last, model.constant(lpt::make_scalar(lpt::f32, zero_point))});
    }
    return model.add(op::multiply{}, {last, model.constant(lpt::make_scalar(lpt::f32, 0.02))});
}

lpt::graph example_network() {
    lpt::graph model;
    lpt::output_ref data = model.parameter(lpt::f32, lpt::shape{1, 3, 8, 8}, "in");
    data = quantize(model, data, 256, 0, 2.55);
    const op::convolution window{.strides = {1, 1}, .dilations = {1, 1}, .pads_begin = {0, 0}, .pads_end = {0, 0}};
    const lpt::output_ref weights =
        quantize(model, model.constant(some_values(lpt::f32, lpt::shape{4, 3, 1, 1})), 255, -1.27, 1.27);
    data = model.add(window, {data, weights}, "convolution");
    data = quantize(model, data, 256, -1.28, 1.27);
    const op::convolution_backprop_data larger{
        .strides = {2, 2}, .dilations = {1, 1}, .pads_begin = {0, 0}, .pads_end = {0, 0}};
    const lpt::output_ref one =
        model.add(larger, {data, stored_weights(model, lpt::shape{4, 2, 2, 2}, 0)}, "symmetric upsampling");
    const lpt::output_ref other =
        model.add(larger, {data, stored_weights(model, lpt::shape{4, 2, 2, 2}, 3)}, "asymmetric upsampling");
    model.result(one);
    model.result(other);
    // A scale for each channel that no operation can take up, and one for all.
    const op::max_pool pool{.strides = {2, 2}, .pads_begin = {0, 0}, .pads_end = {0, 0}, .kernel = {2, 2}};
    for (const bool each_channel : {true, false}) {
        lpt::output_ref last =
            quantize(model, model.parameter(lpt::f32, lpt::shape{1, 3, 8, 8}), 256, 0, each_channel ? 5.1 : 1.275);
        last = model.add(pool, {last}, each_channel ? "pool" : "other pool", 1);
        lpt::tensor scale = lpt::make_scalar(lpt::f32, 0.5);
        if (each_channel) {
            scale = lpt::make_tensor(lpt::f32, lpt::shape{1, 3, 1, 1}, {0.5, 0.25, 2});
        }
        model.result(
            model.add(op::multiply{}, {last, model.constant(scale)}, each_channel ? "scale of channels" : "scale"));
    }
    return model;
}

int failures = 0;
void expect(bool holds, const char* what) {
    if (!holds) {
        std::fprintf(stderr, "not so: %s\n", what);
        ++failures;
    }
}

}  // namespace

int main() {
    try {
        lpt::graph model = example_network();
        const lpt::report report = compile_for_engine(model);
        lpt::verify(model);
        std::fputs(lpt::to_text(report).c_str(), stdout);
        for (const lpt::report_row& row : report.operations) {
            if (row.name == "convolution" || row.name == "pool" || row.name == "other pool") {
                expect(row.precision == lpt::u8, "convolution and pooling compute in u8");
            } else if (row.name == "symmetric upsampling") {
                expect(row.precision == lpt::i8, "a transposed convolution without zero points computes in i8");
            } else if (row.name == "asymmetric upsampling") {
                expect(row.precision == lpt::f32, "a transposed convolution with zero points stays in floating point");
                expect(row.reason == "a callback keeps ConvolutionBackpropDataTransformation away",
                       "the report says that the callback is why");
            }
        }
        int grouped = 0;
        for (const lpt::node_id id : lpt::topological_order(model)) {
            grouped += model[id].is<op::group_convolution>() ? 1 : 0;
        }
        expect(grouped == 1, "the scale of channels becomes a GroupConvolution, the scale of the tensor does not");
    } catch (const lpt::error& wrong) {
        std::fprintf(stderr, "%s\n", wrong.what());
        return 1;
    }
    return failures == 0 ? 0 : 1;
}
