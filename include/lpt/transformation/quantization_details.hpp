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

namespace detail {

constexpr void append_floats(seq<float, 2>& to, const tensor& values) {
    if (values.type() == f32 && !lpt::is_constant_evaluated()) {
        return append_bytes_of_floats(to, values);
    }
    to.resize(values.elements());
    float* each = to.data();
    for (std::size_t i = 0; i < values.elements(); ++i) {
        each[i] = static_cast<float>(values.real(i));
    }
}
}  // namespace detail

/// The output ranges of a FakeQuantize whose output range is constant. Bounds of different shapes are broadcast to each other.
constexpr quantization_details details_of(const graph& model, node_id fake_quantize) {
    quantization_details result;
    result.levels = model[fake_quantize].as<op::fake_quantize>().levels;
    const tensor& low = *model.constant_value(model[fake_quantize].input(3));
    const tensor& high = *model.constant_value(model[fake_quantize].input(4));
    if (low.dimensions() == high.dimensions()) {
        detail::append_floats(result.lows, low);
        detail::append_floats(result.highs, high);
    } else {
        const shape dimensions = output_range_shape(model, fake_quantize);
        detail::append_floats(result.lows, broadcast_values(low, dimensions));
        detail::append_floats(result.highs, broadcast_values(high, dimensions));
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
