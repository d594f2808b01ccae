// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/lanes.hpp>
#include <lpt/base/traits.hpp>
#include <lpt/graph/fold/broadcast.hpp>
#include <lpt/transformation/verdict.hpp>

/// What the ranges of a FakeQuantize say about the integer type that suits it.
namespace lpt::inline LPT_ABI {

inline constexpr std::int64_t levels_16 = 65536;
inline constexpr std::int64_t levels_32 = 4294967296;

/// True for the level counts that low precision types can represent: 15, 16, 255, 256, and 2^16, 2^32 and one less.
constexpr bool is_supported_level_count(std::int64_t levels) {
    return levels == 15 || levels == 16 || levels == 255 || levels == 256 || levels == levels_16 - 1 ||
           levels == levels_16 || levels == levels_32 - 1 || levels == levels_32;
}

/// True if a FakeQuantize with `levels` levels uses all values of `type` (or all but the least).
constexpr bool levels_fit(element type, std::int64_t levels) {
    switch (bit_width(type)) {
        case 4: return levels == 15 || levels == 16;
        case 8: return is_integral(type) && (levels == 255 || levels == 256);
        case 16: return is_integral(type) && (levels == levels_16 - 1 || levels == levels_16);
        case 32: return is_integral(type) && (levels == levels_32 - 1 || levels == levels_32);
        default: return false;
    }
}

/// An integer type with the range that a FakeQuantize uses of it; `type` is dynamic where there is none.
struct data_precision {
    element type = dynamic;
    float low = 0;
    float high = 0;
    bool has_zero_point = false;

    constexpr explicit operator bool() const { return type != dynamic; }
    friend constexpr bool operator==(const data_precision&, const data_precision&) = default;
};

namespace detail {

/// The least value of a signed type at a level count; 0 where there is none.
constexpr float signed_low(element type, std::int64_t levels) {
    switch (type) {
        case i4: return levels == 16 ? -8.0f : levels == 15 ? -7.0f : 0.0f;
        case i8:
            return levels == 16    ? -8.0f
                   : levels == 15  ? -7.0f
                   : levels == 256 ? -128.0f
                   : levels == 255 ? -127.0f
                                   : 0.0f;
        case i16: return levels == levels_16 ? -32768.0f : levels == levels_16 - 1 ? -32767.0f : 0.0f;
        case i32: return levels == levels_32 || levels == levels_32 - 1 ? -2147483648.0f : 0.0f;
        default: return 0.0f;
    }
}
constexpr float integer_high(element type, std::int64_t levels) {
    switch (type) {
        case u4: return 15.0f;
        case i4: return 7.0f;
        case u8: return levels == 16 ? 15.0f : 255.0f;
        case i8: return levels == 16 ? 7.0f : 127.0f;
        case u16: return 65535.0f;
        case i16: return 32767.0f;
        case u32: return 4294967296.0f;
        default: return 2147483648.0f;
    }
}

}  // namespace detail

/// The range of an integer type that a FakeQuantize with `levels` levels uses; no type if it cannot use this type.
///
/// u8: [0, 255], [0, 15] at 16 levels; i8: [-128, 127] at 256 levels, [-127, 127] at 255, [-8, 7] at 16, [-7, 127] at 15;
/// 4, 16 and 32 bits likewise; the bounds of 32 bits are the nearest floats.
constexpr data_precision range_of_type(element type, std::int64_t levels) {
    if (!is_integral(type) || bit_width(type) > 32) {
        return {};
    }
    const float low = is_signed(type) ? detail::signed_low(type, levels) : 0.0f;
    if (is_signed(type) && low == 0.0f) {
        return {};
    }
    return {type, low, detail::integer_high(type, levels), false};
}

/// The same range cut to as many whole numbers as there are levels, so that each level is one of them: what levels fewer than
/// the values of the range, or spread over a range of 15 or 255 levels, ask for to lose nothing. More levels than values: as it is.
constexpr data_precision with_whole_steps(data_precision range, std::int64_t levels) {
    const float steps = static_cast<float>(levels - 1);
    if (range && steps < range.high - range.low) {
        range.high = range.low + steps;
    }
    return range;
}

/// The output ranges of a FakeQuantize, one pair of bounds for each channel (one pair for all where it is per-tensor, or where
/// all pairs are the same).
struct quantization_details {
    std::int64_t levels = 0;
    seq<float, 2> lows;
    seq<float, 2> highs;
};

/// The integer type that suits output ranges best, and whether they need a zero point.
struct precision_details {
    element preferred = dynamic;  // dynamic: none suits better than the others
    bool has_negative_values = false;
    bool has_zero_point = false;
};

namespace detail {

constexpr bool is_tiny(float value) { return math::absolute(value) < 1e-6f; }

/// The ratio of the bounds of a signed type.
constexpr float ratio_of_bounds(std::int64_t levels) {
    const bool full_range = levels == 16 || levels == 256 || levels == levels_16 || levels == levels_32;
    return full_range ? -static_cast<float>(levels) / static_cast<float>(levels - 2) : -1.0f;
}
/// True if low / high differs by more than 0.2 % from the ratio of the bounds of a signed type.
constexpr bool is_asymmetric(std::int64_t levels, float low, float high) {
    const float expected = ratio_of_bounds(levels);
    const float actual = low / high;
    return math::absolute((actual - expected) / math::minimum(actual, expected)) > 0.002f;
}
constexpr element integer_type(std::int64_t levels, bool is_signed) {
    if (levels == 16 || levels == 255 || levels == 256) {
        return is_signed ? i8 : u8;
    }
    if (levels == levels_16 - 1 || levels == levels_16) {
        return is_signed ? i16 : u16;
    }
    if (levels == levels_32 - 1 || levels == levels_32) {
        return is_signed ? i32 : u32;
    }
    return dynamic;
}

/// How many ranges from the first on, in fours, are for sure of the kind that the loop of `precision_details_of` has seen: they
/// begin at 0, or else lie around it in the ratio of a signed type's bounds, within 0.1 %.
template <int Once = 0>
[[gnu::noinline]] std::size_t count_plain_ranges(const float* lows, const float* highs, std::size_t count,
                                                 bool around_zero, float ratio) {
    std::size_t done = 0;
    for (; done + lane_count <= count; done += lane_count) {
        const float_lanes low = load_lanes(lows + done);
        const float_lanes high = load_lanes(highs + done);
        mask_lanes plain = (low == 0.0f) & (high >= 1e-6f);
        if (around_zero) {
            const float_lanes error = low - high * ratio;
            const float_lanes limit = high * 0.001f;
            plain = (low <= -1e-6f) & (high > 0.0f) & (error < limit) & (-error < limit);
        }
        if (!holds(plain)) {
            break;
        }
    }
    return done;
}

}  // namespace detail

/// Finds the type whose own range has the shape of the output ranges: signed for bounds around zero in the ratio of the
/// type's bounds, unsigned for bounds that begin at zero. Ranges with both bounds below 1e-6 in magnitude say nothing.
template <int Once = 0>
constexpr precision_details precision_details_of(std::int64_t levels, view<float> lows, view<float> highs) {
    precision_details result;
    bool can_be_signed = true;
    bool can_be_unsigned = true;
    bool all_tiny = true;
    bool any_negative = false;
    for (std::size_t i = 0; i < lows.size(); ++i) {
        const float low = lows[i];
        const float high = highs[i];
        any_negative = any_negative || low < 0.0f;
        if (detail::is_tiny(low) && detail::is_tiny(high)) {
            continue;
        }
        all_tiny = false;
        if (math::sign_bit(low) != math::sign_bit(high) && !detail::is_tiny(low)) {
            can_be_unsigned = false;
            result.has_negative_values = true;
            result.has_zero_point = result.has_zero_point || high == 0.0f || detail::is_asymmetric(levels, low, high);
        } else {
            can_be_signed = false;
            result.has_zero_point = result.has_zero_point || !detail::is_tiny(low);
        }
        if (result.has_zero_point && result.has_negative_values) {
            return result;  // whatever the other ranges are
        }
        if (!lpt::is_constant_evaluated() && can_be_signed != can_be_unsigned) {
            i += detail::count_plain_ranges(lows.data() + i + 1, highs.data() + i + 1, lows.size() - i - 1,
                                            can_be_signed, detail::ratio_of_bounds(levels));
        }
    }
    if (all_tiny) {
        can_be_signed = any_negative;
        can_be_unsigned = !any_negative;
    }
    if (!result.has_zero_point && can_be_signed != can_be_unsigned) {
        result.preferred = detail::integer_type(levels, can_be_signed);
    }
    return result;
}
template <int Once = 0>
constexpr precision_details precision_details_of(const quantization_details& details) {
    return precision_details_of(details.levels, details.lows, details.highs);
}

/// The type for quantized weights: the preferred one if `allowed` has it, else the first of `allowed`, with a zero point.
///
/// No type if `allowed` is empty and none is preferred, or if the levels do not fit the type.
template <int Once = 0>
constexpr data_precision precision_of_weights(const quantization_details& details, view<element> allowed) {
    const element preferred = precision_details_of(details).preferred;
    element chosen = allowed.empty() ? preferred : allowed.front();
    for (const element each : allowed) {
        chosen = each == preferred ? preferred : chosen;
    }
    if (!levels_fit(chosen, details.levels)) {
        return {};
    }
    data_precision result = range_of_type(chosen, details.levels);
    result.has_zero_point = chosen != preferred;
    return result;
}

/// True if a type of activations belongs to a level count: 16 and 32 bits to 2^16 and 2^32 levels (or one less), 8 bits to
/// all others.
constexpr bool is_candidate(element type, std::int64_t levels) {
    if (levels == levels_16 || levels == levels_16 - 1) {
        return type == u16 || type == i16;
    }
    if (levels == levels_32 || levels == levels_32 - 1) {
        return type == u32 || type == i32;
    }
    return type == u8 || type == i8;
}

/// The type for quantized activations among the `allowed` ones: the only candidate, else the preferred one, else the first
/// candidate. A single allowed type is taken whatever the levels; dynamic where there is no candidate.
template <int Once = 0>
constexpr element precision_of_activations(const quantization_details& details, view<element> allowed) {
    if (allowed.size() == 1) {
        return allowed.front();
    }
    const element preferred = precision_details_of(details).preferred;
    element chosen = dynamic;
    for (const element each : allowed) {
        if (is_candidate(each, details.levels) && (chosen == dynamic || each == preferred)) {
            chosen = each;
        }
    }
    return chosen;
}

/// True if inputs `first` to 4 of a FakeQuantize are Constants; 1: all ranges, 3: the output range.
constexpr bool has_constant_ranges(const graph& model, node_id fake_quantize, std::size_t first = 1) {
    for (std::size_t port = first; port < 5; ++port) {
        if (model.constant_value(model[fake_quantize].input(port)) == nullptr) {
            return false;
        }
    }
    return true;
}

/// A refusal because of the levels of a FakeQuantize.
constexpr verdict refuse_levels(const graph& model, node_id fake_quantize, reason why, int port = -1) {
    return refuse_value(why, port, static_cast<double>(model[fake_quantize].as<op::fake_quantize>().levels),
                        fake_quantize);
}

/// True if a FakeQuantize can be quantized: constant ranges and a level count that a low precision type represents.
constexpr bool is_quantize_supported(const graph& model, node_id fake_quantize) {
    return has_constant_ranges(model, fake_quantize) &&
           is_supported_level_count(model[fake_quantize].as<op::fake_quantize>().levels);
}

/// Refuses a FakeQuantize that cannot be quantized; `port` is where its reader reads it.
constexpr verdict quantize_is_supported(const graph& model, node_id fake_quantize, int port = -1) {
    if (!has_constant_ranges(model, fake_quantize)) {
        return refuse_because_of(reason::ranges_not_constant, port, fake_quantize);
    }
    return is_quantize_supported(model, fake_quantize)
               ? yes
               : refuse_levels(model, fake_quantize, reason::unsupported_levels, port);
}

/// The values of a tensor repeated along the axes in which it has size 1; axes of size 1 before those of `dimensions` do not
/// count. Raises an error where it does not broadcast to `dimensions`.
template <int Once = 0>
constexpr tensor broadcast_values(const tensor& values, const shape& dimensions) {
    if (values.dimensions() == dimensions) {
        return values;
    }
    const shape own = values.dimensions().trimmed_left(dimensions.rank());
    shape merged;
    if (!broadcast_shapes(own, dimensions, merged) || !(merged == dimensions)) {
        fail({"values of shape ", values.dimensions(), " do not broadcast to shape ", dimensions});
    }
    if (values.elements() == 1) {
        return make_tensor(values.type(), dimensions, view<double>({values.real(0)}));
    }
    tensor_builder result(values.type(), dimensions);
    const evaluation::broadcast_walk<1> walk(dimensions, {&own});
    walk.for_each_row([&](const evaluation::broadcast_walk<1>::row& row) {
        for (std::size_t i = 0; i < row.length; ++i) {
            result.real(row.output + i, values.real(row.at[0] + i * row.step[0]));
        }
    });
    return result.finish();
}

/// The shape that both bounds of a FakeQuantize's constant output range broadcast to; it has no more axes than the data, which a
/// scale of this shape must not give more.
template <int Once = 0>
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

template <int Once = 0>
inline void append_bytes_of_floats(seq<float, 2>& to, const tensor& values) {
    const void* from = values.data();
    if (__builtin_bit_cast(std::uintptr_t, from) % alignof(float) == 0) {
        return to.append(view<float>(static_cast<const float*>(from), values.elements()));
    }
    to.resize_for_overwrite(values.elements());
    __builtin_memcpy(to.data(), from, values.size_in_bytes());
}
template <int Once = 0>
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
/// True if all of at least one number have the same bits.
template <int Once = 0>
inline bool are_same(view<float> values) {
    return __builtin_memcmp(values.data(), values.data() + 1, (values.size() - 1) * sizeof(float)) == 0;
}

}  // namespace detail

/// The output ranges of a FakeQuantize whose output range is constant. Bounds of different shapes are broadcast to each other.
template <int Once = 0>
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
