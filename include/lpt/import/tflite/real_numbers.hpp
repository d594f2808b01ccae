// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/model_builder.hpp>
#include <lpt/import/tflite/quantized.hpp>

#include <algorithm>
#include <array>

/// Between integers and the real numbers that they stand for, in a graph.
namespace lpt::inline LPT_ABI::tflite {

/// Real numbers out of codes, with one scale and zero point for each index of an axis (or of it and the next one together), or one for all.
inline output_ref dequantized(model_builder& make, output_ref codes, const std::vector<double>& scales,
                              const std::vector<double>& zero_points, std::size_t axis) {
    const shape& dimensions = make.shape_of(codes);
    output_ref result = make.add_node(op::convert{f32}, {codes});
    if (std::any_of(zero_points.begin(), zero_points.end(), [](double each) { return each != 0; })) {
        result = make.add_node(op::subtract{}, {result, make.constant(along_axis(zero_points, axis, dimensions))});
    }
    return make.add_node(op::multiply{}, {result, make.constant(along_axis(scales, axis, dimensions))});
}

/// Real numbers out of a tensor's codes: (q - z) * s. Its scales lie along `axis`.
inline output_ref dequantized(model_builder& make, const tensor_info& info, output_ref codes, std::size_t axis) {
    std::vector<double> scales;
    std::vector<double> zero_points;
    for (std::size_t i = 0; i < info.quantized.scales.size(); ++i) {
        scales.push_back(scale_of(info, i));
        zero_points.push_back(zero_point_of(info, i));
    }
    return dequantized(make, codes, scales, zero_points, axis);
}

/// Real numbers rounded to those that a tensor's codes stand for, or (`to_codes`) the codes, as real numbers still.
inline output_ref quantized(model_builder& make, const tensor_info& info, output_ref source, std::size_t axis,
                            bool to_codes, const place& where) {
    const element_facts& limits = facts(element_of(info.type));
    if (limits.bits > 32) {
        wrong(where, "tensors that are computed have quantized codes of at most 32 bits, not ", name(info.type));
    }
    std::array<std::vector<double>, 4> bounds;
    for (std::size_t i = 0; i < info.quantized.scales.size(); ++i) {
        const double zero = zero_point_of(info, i);
        bounds[0].push_back((limits.lowest - zero) * scale_of(info, i));
        bounds[1].push_back((limits.highest - zero) * scale_of(info, i));
    }
    bounds[2] = to_codes ? std::vector<double>{limits.lowest} : bounds[0];
    bounds[3] = to_codes ? std::vector<double>{limits.highest} : bounds[1];
    seq<output_ref, 5> inputs{source};
    for (const std::vector<double>& each : bounds) {
        inputs.push_back(make.constant(along_axis(each, axis, make.shape_of(source))));
    }
    const auto levels = static_cast<std::int64_t>(limits.highest - limits.lowest) + 1;
    // Its name is the tensor's, whichever reader asked for it.
    return make.model().add(op::fake_quantize{levels}, inputs,
                            text(info.name.view(), to_codes ? "/Quantize" : "/FakeQuantize"));
}

/// What a variable tensor holds before the first run, where that is not real zero: in types other than int8 the code is 0,
/// whatever it stands for.
inline seq<output_ref, 5> first_value(model_builder& make, const tensor_info& info) {
    seq<output_ref, 5> result;
    if (is_quantized(info) && info.type != tensor_type::int8 && zero_point_of(info) != 0) {
        const output_ref first = make.real(-zero_point_of(info) * scale_of(info));
        result.push_back(make.add_node(op::broadcast{}, {first, make.indices(info.dimensions.dimensions())}, 3));
    }
    return result;
}

}  // namespace lpt::inline LPT_ABI::tflite
