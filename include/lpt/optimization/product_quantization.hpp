// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/optimization/compressed_weights.hpp>
#include <lpt/transformation/fake_quantize/compose.hpp>
#include <lpt/transformation/fake_quantize/decompose.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

namespace fusion {

/// A FakeQuantize with so many levels as bytes have values, one constant output range for all, that gives real numbers.
constexpr bool quantizes_to_bytes(const graph& model, node_id id) {
    const node& each = model[id];
    if (!each.is<op::fake_quantize>() || each.type() != f32 || each.as<op::fake_quantize>().levels != 256 ||
        !has_constant_ranges(model, id) || !has_one_range(model, id, 3)) {
        return false;
    }
    const quantization_details details = details_of(model, id);
    return details.lows[0] < details.highs[0];
}

/// u8 or i8 where the output range suits it, else u8 with a zero point.
constexpr data_precision byte_precision_of(const quantization_details& details) {
    const element preferred = precision_details_of(details).preferred;
    data_precision result = range_of_type(is_byte(preferred) ? preferred : u8, details.levels);
    result.has_zero_point = !is_byte(preferred);
    return result;
}

/// A zero point counts as whole if it is so to 1/1000 of a step: bounds are floats.
constexpr double furthest_from_whole = 1e-3;

constexpr bool has_whole_zero_point(const graph& model, node_id id, const data_precision& precision) {
    const channel_maps maps = channel_maps_of(model, id, details_of(model, id), precision, true);
    if (!maps.zero_points) {
        return true;
    }
    const double zero_point = maps.zero_points.real(0);
    return maps.zero_points_fit && math::absolute(zero_point - math::round_half_even(zero_point)) < furthest_from_whole;
}

/// Lets a FakeQuantize give bytes, with their dequantization behind it; a zero point becomes the whole number that it stands for.
constexpr void give_bytes(rewrite& r, node_id id, const data_precision& precision) {
    graph& model = r.model;
    const fake_quantize_parts parts = decompose_fake_quantize(r, id, precision);
    const node_id shifted = parts ? model[parts.dequantize].input(0).node : node_id::none;
    if (shifted != node_id::none && model[shifted].is<op::subtract>()) {
        const double zero_point = model.constant_value(model[shifted].input(1))->real(0);
        model.set_constant(shifted, 1, make_scalar(f32, math::round_half_even(zero_point)));
    }
}

/// True for a FakeQuantize that can give bytes, as `byte_precision_of` says.
constexpr bool can_give_bytes(const graph& model, node_id id) {
    return quantizes_to_bytes(model, id) && has_whole_zero_point(model, id, byte_precision_of(details_of(model, id)));
}

}  // namespace fusion

/// A FakeQuantize that finds a level for each value of the bytes that it reads becomes their dequantization.
///
/// Its input range is that of the type, to 1/1000 of a step, and its zero point whole.
struct quantization_of_bytes {
    static constexpr text_view name = "QuantizationOfBytes";
    using pattern = lpt::pattern<op::fake_quantize>;

    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        graph& model = r.model;
        const output_ref data = model[id].input(0);
        const element type = model.type(data);
        if (!fusion::is_byte(type) || !fusion::quantizes_to_bytes(model, id) || feeds_result(model, id)) {
            return false;
        }
        data_precision precision = range_of_type(type, 256);
        precision.has_zero_point = true;
        const auto is_near = [&](std::size_t port, float bound) {
            const tensor& given = *model.constant_value(model[id].input(port));
            return given.elements() == 1 &&
                   math::absolute(given.real(0) - static_cast<double>(bound)) < fusion::furthest_from_whole;
        };
        if (!is_near(1, precision.low) || !is_near(2, precision.high) ||
            !fusion::has_whole_zero_point(model, id, precision)) {
            return false;
        }
        fusion::give_bytes(r, id, precision);
        model.replace_uses(output_ref(id), data);
        return true;
    }
};

/// Lets the product of two quantized tensors compute with their bytes, whatever their zero points are.
///
/// Both come from FakeQuantize operations that only such products read, or one of them from bytes already. Each FakeQuantize then gives
/// bytes, with a dequantization behind it, which the step of the product takes as it is. The transformations of OpenVINO leave such a
/// product in floats where its second operand has a zero point; this is for what they leave.
struct product_quantization {
    static constexpr text_view name = "ProductQuantization";
    using pattern = lpt::pattern<op::mat_mul>;

    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        const output_ref a = r.model[id].input(0);
        const output_ref b = r.model[id].input(1);
        const bool quantizes_a = fusion::can_give_bytes(r.model, a.node);
        const bool quantizes_b = fusion::can_give_bytes(r.model, b.node);
        if (!(quantizes_a && (quantizes_b || has_bytes(r, b))) && !(quantizes_b && has_bytes(r, a))) {
            return false;
        }
        // Last, because each of many products that share their weights would look through all the others.
        if ((quantizes_a && !only_products_read(r.model, a)) || (quantizes_b && !only_products_read(r.model, b))) {
            return false;
        }
        if (quantizes_a) {
            fusion::give_bytes(r, a.node, fusion::byte_precision_of(details_of(r.model, a.node)));
        }
        if (quantizes_b && !(a == b)) {
            fusion::give_bytes(r, b.node, fusion::byte_precision_of(details_of(r.model, b.node)));
        }
        return true;
    }

private:
    static constexpr bool only_products_read(const graph& model, output_ref from) {
        for (input_ref user = model.first_use(from); user.node != node_id::none; user = model.next_use(user)) {
            if (!model[user.node].is<op::mat_mul>()) {
                return false;
            }
        }
        return true;
    }
    /// True for a dequantization of bytes by one scale and zero point.
    static constexpr bool has_bytes(const rewrite& r, output_ref from) {
        const dequantization found = find_dequantization_at(r.model, from, r.options.default_precisions);
        const auto is_one = [&](node_id constant) {
            return constant == node_id::none || constant_of(r.model, constant).elements() == 1;
        };
        return !found.empty() && fusion::is_byte(r.model.type(found.data)) && !is_constant(r.model, found.data) &&
               is_one(found.zero_point) && is_one(found.scale);
    }
};

}  // namespace lpt::inline LPT_ABI
