// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization/fold.hpp>
#include <lpt/transformation/fake_quantize/precision.hpp>

/// What the ranges of a FakeQuantize say, and whether they can be quantized.
namespace lpt::inline LPT_ABI {

/// True if inputs `first` to 4 of a FakeQuantize are Constants; 1: all ranges, 3: the output range.
constexpr bool has_constant_ranges(const graph& model, node_id fake_quantize, std::size_t first = 1) {
    return for_all(first, 5, [&](std::size_t port) { return is_constant(model, model[fake_quantize].input(port)); });
}

/// A refusal because of the levels of a FakeQuantize.
constexpr verdict refuse_levels(const graph& model, node_id fake_quantize, reason why, int port = -1) {
    return refuse_value(why, port, static_cast<double>(model[fake_quantize].as<op::fake_quantize>().levels),
                        fake_quantize);
}

/// Refuses a FakeQuantize without constant ranges, or with levels that no low precision type has; its reader reads it on `port`.
constexpr verdict quantize_is_supported(const graph& model, node_id fake_quantize, int port = -1) {
    return !has_constant_ranges(model, fake_quantize)
               ? refuse_because_of(reason::ranges_not_constant, port, fake_quantize)
           : is_supported_level_count(model[fake_quantize].as<op::fake_quantize>().levels)
               ? yes
               : refuse_levels(model, fake_quantize, reason::unsupported_levels, port);
}
/// True if nothing of that refuses it.
constexpr bool is_quantize_supported(const graph& model, node_id fake_quantize) {
    return static_cast<bool>(quantize_is_supported(model, fake_quantize));
}

/// The shape that both constant output bounds of a FakeQuantize broadcast to, of at most as many axes as the data, as scales have it.
constexpr shape output_range_shape(const graph& model, node_id fake_quantize) {
    const shape& low = model.shape(model[fake_quantize].input(3));
    const shape& high = model.shape(model[fake_quantize].input(4));
    shape result = low;
    if (!(low == high) && !broadcast_shapes(low, high, result)) {
        fail({"FakeQuantize '", model[fake_quantize].name(),
              "' has output bounds of shapes that do not broadcast to each other"});
    }
    const shape& data = model.shape(model[fake_quantize].input(0));
    return data.rank_is_static() ? result.trimmed_left(data.rank()) : result;
}

/// True if (q - z) s stays finite in the type of s for all values that the type of q, as it is stored, allows, or the output range of a FakeQuantize
/// that gives it; other real values count as at most 1 in magnitude.
[[gnu::noinline]] constexpr bool stays_finite(const graph& model, output_ref data, const tensor& zero_point,
                                              const tensor& scale) {
    const node& source = model[data.node];
    const element type = model.type(source.is<op::convert>() ? source.input(0) : data);
    double greatest = is_real(type) ? 1 : math::maximum(-facts(type).lowest, facts(type).highest);
    if (is_real(type) && source.is<op::fake_quantize>() && has_constant_ranges(model, data.node, 3)) {
        greatest = math::maximum(greatest, magnitude_bound(*model.constant_value(source.input(3))));
        greatest = math::maximum(greatest, magnitude_bound(*model.constant_value(source.input(4))));
    }
    return (greatest + magnitude_bound(zero_point)) * magnitude_bound(scale) < facts(scale.type()).highest;
}

/// The output ranges of a FakeQuantize whose output range is constant. Bounds of different shapes are broadcast to each other.
constexpr quantization_details details_of(const graph& model, node_id fake_quantize) {
    quantization_details result;
    result.levels = model[fake_quantize].as<op::fake_quantize>().levels;
    const tensor& low = *model.constant_value(model[fake_quantize].input(3));
    const tensor& high = *model.constant_value(model[fake_quantize].input(4));
    if (low.dimensions() == high.dimensions()) {
        detail::fill_with_values(result.lows, low);
        detail::fill_with_values(result.highs, high);
    } else {
        const shape dimensions = output_range_shape(model, fake_quantize);
        detail::fill_with_values(result.lows, broadcast_values(low, dimensions));
        detail::fill_with_values(result.highs, broadcast_values(high, dimensions));
    }
    // One pair says the same of all channels; what is computed from equal bounds depends on their number.
    if (!lpt::is_constant_evaluated() && result.lows.size() > 1 && result.lows[0] != result.highs[0] &&
        detail::are_same(result.lows) && detail::are_same(result.highs)) {
        result.lows.resize(1);
        result.highs.resize(1);
    }
    return result;
}

}  // namespace lpt::inline LPT_ABI
