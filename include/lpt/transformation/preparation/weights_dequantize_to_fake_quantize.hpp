// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

/// Dequantized i8 weights as a FakeQuantize: Constant -> Convert -> [Subtract z] -> Multiply s  becomes Constant -> Convert -> FakeQuantize,
/// for engines that know weights only in that form.
///
/// Where -128 occurs: 256 levels on [-128, 127]; else 255 on [-127, 127]. Output range: (bound - z) * s. The values stay as they
/// were: each weight is a level. Refuses a scale or zero point that would broadcast the weights to a larger shape.
struct weights_dequantize_to_fake_quantize {
    static constexpr text_view name = "WeightsDequantizeToFakeQuantize";
    using pattern = lpt::pattern<op::multiply>;

    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        graph& model = r.model;
        auto [scale_port, scale, data] = detail::operands_of(model, id);
        output_ref zero_point;
        if (scale && model[data.node].is<op::subtract>()) {
            zero_point = model[data.node].input(1);
            data = model[data.node].input(0);
        }
        if (!scale || (zero_point && !stored_constant_of(model, zero_point)) || !is_converted_constant(model, data) ||
            !is_real(model.type(data)) || model.type(model[data.node].input(0)) != i8) {
            return false;
        }
        if (!broadcasts_to(model.shape(scale), model.shape(data)) ||
            (zero_point && !broadcasts_to(model.shape(zero_point), model.shape(data)))) {
            return r.refused(id, name, refuse(reason::shapes_do_not_match));
        }
        const element type = model.type(data);
        const tensor& weights = constant_of(model, model.producer(data.node, 0));
        const bool has_lowest = any_value(weights, [](double value) { return value == -128; });
        const double low = has_lowest ? -128 : -127;
        const output_ref in_low = model.constant(make_scalar(type, low));
        const output_ref in_high = model.constant(make_scalar(type, 127));
        const node_id made = model.add(op::fake_quantize{has_lowest ? 256 : 255},
                                       {data, in_low, in_high, dequantized(model, in_low, zero_point, scale),
                                        dequantized(model, in_high, zero_point, scale)});
        return replace_and_name(r, id, made);
    }

private:
    static constexpr output_ref dequantized(graph& model, output_ref bound, output_ref zero_point, output_ref scale) {
        // Not `try_fold`: a zero point's Convert may be marked as one that stays.
        const output_ref stored = zero_point ? stored_constant_of(model, zero_point) : zero_point;
        return dequantized_bound(model, bound, stored, scale, model.type(bound));
    }
};

}  // namespace lpt::inline LPT_ABI
