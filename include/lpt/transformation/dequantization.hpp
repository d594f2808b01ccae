// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/lanes.hpp>
#include <lpt/graph/fold.hpp>
#include <lpt/transformation/rewrite.hpp>

/// Finding, moving, folding and normalising dequantization operations: what nearly every transformation stands on.
///
/// A dequantization is the chain  data -> [Convert] -> [Subtract zero_point] -> [Multiply scale]:
/// real value = scale * (quantized value - zero_point).
namespace lpt::inline LPT_ABI {

/// The parts of one dequantization; parts that are absent are `none`.
struct dequantization {
    output_ref data;                              // what is dequantized
    node_id convert = node_id::none;
    node_id subtract = node_id::none;
    node_id zero_point_convert = node_id::none;   // Convert between the zero point constant and the Subtract
    node_id zero_point = node_id::none;           // Constant
    node_id multiply = node_id::none;
    node_id scale = node_id::none;                // Constant
    std::size_t channel_axis = 1;

    /// True if there is neither Subtract nor Multiply; a lone Convert dequantizes nothing.
    constexpr bool empty() const { return subtract == node_id::none && multiply == node_id::none; }
    constexpr bool has_convert() const { return convert != node_id::none; }
    constexpr bool has_subtract() const { return subtract != node_id::none; }
    constexpr bool has_multiply() const { return multiply != node_id::none; }
    /// The last node of the chain; `none` if it has no node.
    constexpr node_id last() const { return has_multiply() ? multiply : has_subtract() ? subtract : convert; }
};

// ---- constants

constexpr const tensor& constant_of(const graph& model, node_id id) { return model[id].as<op::constant>().value; }

namespace detail {

/// The extent of the values of a tensor that are numbers.
struct value_extent {
    double least = math::infinity;
    double greatest = -math::infinity;
    double least_magnitude = math::infinity;
    bool has_nan = false;

    constexpr void add(double value) {
        const double magnitude = value < 0 ? -value : value;
        least = value < least ? value : least;
        greatest = value > greatest ? value : greatest;
        least_magnitude = magnitude < least_magnitude ? magnitude : least_magnitude;
        has_nan = has_nan || value != value;
    }
};

/// Adds floats, four at a time, to an extent; gives how many there were of them.
template <int Once = 0>
[[gnu::noinline]] std::size_t add_lanes(const float* values, std::size_t count, value_extent& result) {
    constexpr auto infinite = static_cast<float>(math::infinity);
    float_lanes least = {infinite, infinite, infinite, infinite};
    float_lanes magnitude = least;
    float_lanes greatest = -least;
    mask_lanes no_number{};
    std::size_t done = 0;
    for (; done + lane_count <= count; done += lane_count) {
        const float_lanes value = load_lanes(values + done);
        const float_lanes opposite = -value;
        const float_lanes size = value < opposite ? opposite : value;
        least = value < least ? value : least;
        greatest = value > greatest ? value : greatest;
        magnitude = size < magnitude ? size : magnitude;
        no_number |= value != value;
    }
    for (std::size_t k = 0; k < lane_count; ++k) {
        result.least = math::minimum(result.least, static_cast<double>(least[k]));
        result.greatest = math::maximum(result.greatest, static_cast<double>(greatest[k]));
        result.least_magnitude = math::minimum(result.least_magnitude, static_cast<double>(magnitude[k]));
        result.has_nan = result.has_nan || no_number[k] != 0;
    }
    return done;
}

/// True if no float is infinite or NaN: that is, has an exponent of ones.
template <int Once = 0>
[[gnu::noinline]] bool floats_are_finite(const std::byte* data, std::size_t count) {
    return holds_for_none(data, count, [](auto codes) { return (codes & 0x7FFFFFFF) >= 0x7F800000; });
}
/// True if all magnitudes are at least as great as a positive one, or NaN.
template <int Once = 0>
[[gnu::noinline]] bool floats_are_at_least(const std::byte* data, std::size_t count, float magnitude) {
    const auto least = __builtin_bit_cast(std::int32_t, magnitude);
    return holds_for_none(data, count, [least](auto codes) { return (codes & 0x7FFFFFFF) < least; });
}
/// True if all floats are greater than 0: positive as integers too, but not so great as NaN.
template <int Once = 0>
[[gnu::noinline]] bool floats_are_positive(const std::byte* data, std::size_t count) {
    return holds_for_none(data, count, [](auto codes) { return (codes <= 0) | (codes > 0x7F800000); });
}

/// The extent of all values of a tensor.
template <int Once = 0>
constexpr value_extent extent_of(const tensor& values) {
    value_extent result;
    const std::size_t count = values.elements();
    std::size_t done = 0;
    if (!lpt::is_constant_evaluated() && values.type() == f32) {
        const evaluation::operand<float> floats(values);
        done = add_lanes(floats.data(), count, result);
        for (; done < count; ++done) {
            result.add(static_cast<double>(floats[done]));
        }
        return result;
    }
    for (; done < count; ++done) {
        result.add(values.real(done));
    }
    return result;
}

/// True if the first two values are known to differ.
inline bool vary(const late_facts& facts) { return facts.first < facts.second || facts.first > facts.second; }

/// Compares each of at least two values of a tensor, of whole bytes, with the one before it, as bits: quickly.
inline bool all_bits_equal(const tensor& values) {
    const auto size = static_cast<std::size_t>(bit_width(values.type()) / 8);
    return __builtin_memcmp(values.data(), values.data() + size, size * (values.elements() - 1)) == 0;
}
/// True for types of which other bits are another value as a double; floats but for zeros.
constexpr bool differs_as_bits(element type) {
    return type == f32 || (is_integral(type) && bit_width(type) >= 8 && bit_width(type) <= 32);
}

}  // namespace detail

/// True for one value, or values that are all equal; NaN equals nothing.
constexpr bool is_scalar_like(const tensor& values) {
    const std::size_t count = values.elements();
    if (count == 0) {
        return false;
    }
    if (!lpt::is_constant_evaluated() && values.waits() && detail::vary(values.facts_while_waiting())) {
        return false;
    }
    const double first = values.real(0);
    if (count > 1 && !lpt::is_constant_evaluated() && detail::differs_as_bits(values.type()) &&
        (values.type() != f32 || first != 0)) {
        return first == first && detail::all_bits_equal(values);
    }
    for (std::size_t i = 1; i < count; ++i) {
        if (values.real(i) != first) {
            return false;
        }
    }
    return true;
}
constexpr bool is_scalar_like(const graph& model, node_id constant) {
    return is_scalar_like(constant_of(model, constant));
}
/// The value of a scalar-like tensor as a tensor without axes; other tensors come back as they are.
constexpr tensor to_scalar(const tensor& values) {
    if (values.dimensions().rank() == 0 ||
        !is_scalar_like(values)) {  // not a conditional expression: g++ 12 loses its owners in constant expressions
        return values;
    }
    return make_scalar(values.type(), values.real(0));
}
/// True if no value is infinite or NaN.
constexpr bool is_finite(const tensor& values) {
    if (!lpt::is_constant_evaluated() && values.type() == f32) {
        return (values.waits() && values.facts_while_waiting().bound < 1e38) ||
               detail::floats_are_finite(values.data(), values.elements());
    }
    for (std::size_t i = 0; i < values.elements(); ++i) {
        if (!math::is_finite(values.real(i))) {
            return false;
        }
    }
    return true;
}
/// True if a constant computed from two others is infinite or NaN somewhere and neither of those is: a product in its place
/// would make NaN of zeros.
constexpr bool overflows(const tensor& computed, const tensor& first, const tensor& second) {
    return !is_finite(computed) && is_finite(first) && is_finite(second);
}
/// True for a scalar-like tensor of zeros.
constexpr bool is_zero(const tensor& values) { return is_scalar_like(values) && values.real(0) == 0; }

constexpr bool is_constant(const graph& model, output_ref source) { return model[source.node].is<op::constant>(); }
constexpr bool is_converted_constant(const graph& model, output_ref source) {
    return model[source.node].is<op::convert>() && is_constant(model, model[source.node].input(0));
}

/// Adds an operation and folds it: the folded Constant, or the operation itself where it cannot be folded. Where the
/// inputs are Constants only the result enters the graph.
template <int Once = 0>
[[gnu::noinline]] constexpr output_ref fold_operation(graph& model, op::attributes what, view<output_ref> inputs,
                                                      int version = -1) {
    if (tensor known = evaluate_constants(model, what, inputs, version)) {
        return model.constant(lpt::move(known));
    }
    return try_fold(model, model.add(lpt::move(what), inputs, {}, version));
}
/// A constant converted to another element type; the very same output if it has that type.
template <int Once = 0>
constexpr output_ref fold_convert(graph& model, output_ref source, element type) {
    if (model.type(source) == type) {
        return source;
    }
    if (const tensor* known = model.constant_value(source); known != nullptr && *known && type != dynamic) {
        return model.constant(evaluation::convert_late(*known, type));
    }
    return fold_operation(model, op::convert{type}, {source});
}
/// Zero points as values of the data's type: rounded to the nearest integer, halves away from zero.
///
/// `wraps`: what lies outside the range of an integer type wraps around, -28 to 228 in u8, as in upstream; otherwise it saturates.
template <int Once = 0>
constexpr tensor round_zero_points(const tensor& values, element type, bool wraps) {
    tensor_builder result(type, values.dimensions());
    for (std::size_t i = 0; i < result.elements(); ++i) {
        const double whole = math::round_half_away(values.real(i));
        if (wraps && is_integral(type)) {
            const bool is_small = math::absolute(whole) < 1e9;
            result.integer(i, static_cast<std::int64_t>(is_small ? whole : convert_value(i64, whole)));
        } else {
            result.real(i, whole);
        }
    }
    return result.finish();
}
constexpr tensor round_zero_points(const auto& r, const tensor& values, element type) {
    return round_zero_points(values, type, r.follows(quirk::wrapped_zero_point));
}
namespace detail {

/// True if floats are known to round to one small integer; not in constant expressions.
template <int Once = 0>
constexpr bool round_alike(const tensor& values) {
    if (lpt::is_constant_evaluated() || values.type() != f32 || values.elements() == 0) {
        return false;
    }
    const evaluation::operand<float> floats(values);
    const auto whole = static_cast<float>(math::round_half_away(values.real(0)));
    const float low = whole - 0.5f;
    const float high = whole + 0.5f;
    const float* each = floats.data();
    bool alike = math::absolute(whole) < 1e6f;
    for (std::size_t i = 0; i < values.elements(); ++i) {
        alike = alike & (each[i] > low) & (each[i] < high);
    }
    return alike;
}

}  // namespace detail

/// True if a zero point says nothing to integers of a type; with `quirk::wrapped_zero_point` multiples of 256 say nothing to u8, too.
constexpr bool is_negligible_zero_point(const auto& r, const tensor& values, element type) {
    return is_zero(r.follows(quirk::wrapped_zero_point) ? round_zero_points(values, type, true)
                                                        : round_zero_points(values, f64, false));
}

// ---- names and attributes

/// What a replacement takes over from the node that it replaces: run-time attributes (those of the ports only if it is the
/// same operation, and reads the same inputs), marks (not `disable_cleanup`), annotations.
constexpr void copy_information(auto& r, node_id from, node_id to, bool with_ports = true) {
    if (with_ports && r.model[from].kind() == r.model[to].kind()) {
        r.attributes.copy(from, to);
    } else {
        r.attributes.copy_node(from, to);
    }
    r.model.set_mark(to, r.model[from].marks() & ~mark::disable_cleanup);
    for (const annotation& each : r.model[from].annotations()) {
        bool known = false;
        for (const annotation& mine : r.model[to].annotations()) {
            known = known || mine.key == each.key;
        }
        if (!known) {
            r.model.annotate(to, each.key, each.value);
        }
    }
}
/// Puts `to` in the place of `from`: its readers, its name and what `copy_information` takes over.
constexpr void replace_and_name(auto& r, node_id from, node_id to) {
    copy_information(r, from, to);
    r.model.rename(to, r.model[from].name());
    r.model.replace(from, to);
}
/// Where the last node of a moved dequantization feeds a Result, it takes the name of the operation, which becomes "<name>_original".
constexpr void update_output_name(auto& r, node_id last, node_id operation) {
    graph& model = r.model;
    for (std::size_t port = 0; port < model[last].outputs(); ++port) {
        for (input_ref user = model.first_use({last, static_cast<std::int32_t>(port)}); user.node != node_id::none;
             user = model.next_use(user)) {
            if (model[user.node].is<op::result>()) {
                const text original = model[operation].name();
                model.rename(operation, join({original, "_original"}));
                model.rename(last, original);
                return;
            }
        }
    }
}

// ---- finding

namespace detail {

/// The input of an elementwise node that holds its constant: 1, then 0; -1 if neither does.
constexpr int constant_port(const auto& model, node_id id, bool through_convert) {
    const node& each = model[id];
    for (int port = 1; port >= 0; --port) {
        const output_ref source = each.input(static_cast<std::size_t>(port));
        if (is_constant(model, source) ||
            (through_convert && is_converted_constant(model, source) && is_real(model.type(source)))) {
            return port;
        }
    }
    return -1;
}

/// True if the constant does not broadcast the data to a larger shape.
constexpr bool keeps_data_shape(const auto& model, node_id id, int constant) {
    const node& each = model[id];
    const shape& data = model.shape(each.input(constant == 1 ? 0 : 1));
    const shape& result = each.shape();
    if (data.rank_is_dynamic() || result.rank_is_dynamic()) {
        return data.rank_is_dynamic() == result.rank_is_dynamic();
    }
    if (data.rank() != result.rank()) {
        return false;
    }
    const dimension* mine = data.begin();
    const dimension* theirs = result.begin();
    for (std::size_t axis = 0; axis < data.rank(); ++axis) {
        if (mine[axis] != theirs[axis] && mine[axis] != dynamic_dimension) {
            return false;
        }
    }
    return true;
}

constexpr std::size_t channel_axis_of(const graph& model, output_ref data) {
    const shape& dimensions = model.shape(data);
    if (dimensions.rank_is_static() && dimensions.rank() == 1) {
        return 0;
    }
    if (model[data.node].is<op::mat_mul>() && dimensions.rank_is_static() && dimensions.rank() > 0) {
        return dimensions.rank() - 1;
    }
    return 1;
}

}  // namespace detail

/// The dequantization whose last operation produces `source`; empty where there is none.
///
/// A Convert belongs to it only if its input has one of the `default_precisions`, or is i4, u4, f16 or f32. A Multiply
/// needs a Constant of a floating point type on an input, a Subtract one of a floating point type or a converted one on
/// input 1 (a Subtract of integers belongs to the operation that reads it); constants must not broadcast the data.
template <int Once = 0>
[[gnu::noinline]] constexpr dequantization find_dequantization_at(const graph& model, output_ref source,
                                                                  view<element> default_precisions) {
    dequantization result;
    output_ref data = source;
    const node* last = &model[data.node];
    if (last->is<op::multiply>()) {
        const int port = detail::constant_port(model, data.node, false);
        if (port < 0 || !detail::keeps_data_shape(model, data.node, port)) {
            return {};
        }
        const node_id scale = last->input(static_cast<std::size_t>(port)).node;
        if (!is_real(model[scale].type())) {
            return {};
        }
        result.multiply = data.node;
        result.scale = scale;
        data = last->input(port == 1 ? 0 : 1);
        last = &model[data.node];
    }
    if (last->is<op::subtract>()) {
        const int port = detail::constant_port(model, data.node, true);
        // A constant from which the data is subtracted is no zero point.
        const bool is_real_shift = port == 1 && is_real(model.type(last->input(1)));
        if (!is_real_shift || !detail::keeps_data_shape(model, data.node, port)) {
            result.data = data;
            result.channel_axis = detail::channel_axis_of(model, data);
            return result;
        }
        const node_id zero_point = last->input(1).node;
        result.subtract = data.node;
        if (model[zero_point].is<op::convert>()) {
            result.zero_point_convert = zero_point;
            result.zero_point = model.producer(zero_point, 0);
        } else {
            result.zero_point = zero_point;
        }
        data = last->input(0);
        last = &model[data.node];
    }
    if (last->is<op::convert>()) {
        const element from = model.type(last->input(0));
        bool accepted = from == i4 || from == u4 || from == f32 || from == f16;
        for (const element each : default_precisions) {
            accepted = accepted || each == from;
        }
        if (accepted) {
            result.convert = data.node;
            data = last->input(0);
        }
    }
    result.data = data;
    result.channel_axis = detail::channel_axis_of(model, data);
    return result;
}
/// The dequantization above an input port; empty where there is none or the node has no such port.
template <int Once = 0>
constexpr dequantization find_dequantization(const graph& model, node_id id, view<element> default_precisions,
                                             std::size_t port = 0) {
    if (port >= model[id].inputs()) {
        return {};
    }
    return find_dequantization_at(model, model[id].input(port), default_precisions);
}
constexpr dequantization find_dequantization(const auto& r, node_id id, std::size_t port = 0) {
    return find_dequantization(r.model, id, r.options.default_precisions, port);
}

/// False if the dequantization above an output is empty for sure: quicker than to look for it.
constexpr bool may_be_dequantized(const graph& model, output_ref source) {
    return model[source.node].is<op::multiply>() || model[source.node].is<op::subtract>();
}

/// A dequantization below an output, found by following its only consumers; empty where there is none.
///
/// Convert (from i8 or u8, or to f32) -> Subtract constant -> Multiply constant, each optional, each read by one consumer only;
/// constants must not broadcast the data.
template <int Once = 0>
[[gnu::noinline]] constexpr dequantization find_dequantization_below(const graph& model, output_ref source,
                                                                     bool convert_is_mandatory = false) {
    dequantization result;
    const input_ref first = model.first_use(source);
    if (first.node == node_id::none) {
        return {};
    }
    result.data = source;
    node_id at = first.node;
    // The next operation, if what we stand on has this single consumer.
    const auto step_down = [&](node_id from) {
        if (model.use_count({from, 0}) != 1) {
            return node_id::none;
        }
        return model.first_use({from, 0}).node;
    };
    if (model[at].is<op::convert>()) {
        const element from = model.type(model[at].input(0));
        if (from != i8 && from != u8 && model[at].type() != f32) {
            return {};
        }
        result.convert = at;
        at = step_down(at);
        if (at == node_id::none) {
            return {};
        }
    } else if (convert_is_mandatory) {
        return {};
    }
    if (model[at].is<op::subtract>()) {
        if (detail::constant_port(model, at, true) != 1 || !detail::keeps_data_shape(model, at, 1)) {
            return {};
        }
        const node_id zero_point = model[at].input(1).node;
        result.subtract = at;
        result.zero_point_convert = model[zero_point].is<op::convert>() ? zero_point : node_id::none;
        result.zero_point = model[zero_point].is<op::convert>() ? model.producer(zero_point, 0) : zero_point;
        at = step_down(at);
        if (at == node_id::none) {
            return {};
        }
    }
    if (model[at].is<op::multiply>()) {
        const int port = detail::constant_port(model, at, false);
        if (port < 0 || !detail::keeps_data_shape(model, at, port)) {
            return {};
        }
        result.multiply = at;
        result.scale = model[at].input(static_cast<std::size_t>(port)).node;
    } else if (!result.has_subtract()) {
        return {};
    }
    result.channel_axis = detail::channel_axis_of(model, source);
    return result;
}

// ---- questions about a dequantization

/// True if the data has a low precision type.
constexpr bool is_low_precision(const graph& model, const dequantization& found) {
    return is_low_precision(model.type(found.data));
}
/// True if one of its operations has more than one consumer.
constexpr bool is_shared(const auto& model, const dequantization& found) {
    for (const node_id each : {found.convert, found.subtract, found.multiply}) {
        if (each != node_id::none && model.use_count({each, 0}) > 1) {
            return true;
        }
    }
    return false;
}
/// True if the scale constant has exactly one element and so has the zero point constant, if there is one.
constexpr bool is_per_tensor(const graph& model, const dequantization& found) {
    return found.has_multiply() && constant_of(model, found.scale).elements() == 1 &&
           (!found.has_subtract() || constant_of(model, found.zero_point).elements() == 1);
}
/// The constant of a dequantization that has more than one element; the zero point if both have, `none` if neither has.
constexpr node_id constant_of_many(const auto& model, const dequantization& found) {
    for (const node_id each : {found.zero_point, found.scale}) {
        if (each != node_id::none && constant_of(model, each).elements() != 1) {
            return each;
        }
    }
    return node_id::none;
}
/// A refusal of a dequantization that is not one scale and one zero point for the whole tensor.
constexpr verdict refuse_not_per_tensor(const auto& model, const dequantization& found, int port = 0) {
    return refuse_because_of(reason::not_per_tensor, port, constant_of_many(model, found));
}
/// A refusal of the zero point that a dequantization has.
constexpr verdict refuse_zero_point(const auto& model, const dequantization& found, int port = 0) {
    return refuse_value(reason::has_zero_point, port, constant_of(model, found.zero_point).real(0), found.zero_point);
}
/// True if scale and zero point, as far as there are any, are scalar-like.
constexpr bool is_scalar_like(const graph& model, const dequantization& found) {
    return (!found.has_multiply() || is_scalar_like(model, found.scale)) &&
           (!found.has_subtract() || is_scalar_like(model, found.zero_point));
}
/// Refuses a scale with a negative value.
constexpr verdict scale_is_not_negative(const auto& model, const dequantization& found, int port = 0) {
    if (!found.has_multiply()) {
        return yes;
    }
    const tensor& scale = constant_of(model, found.scale);
    const bool any_negative = detail::extent_of(scale).least < 0;
    for (std::size_t i = 0; any_negative && i < scale.elements(); ++i) {
        if (scale.real(i) < 0) {
            return refuse_value(reason::negative_scale, port, scale.real(i), found.scale);
        }
    }
    return yes;
}
/// Refuses scales and zero points that are infinite or NaN: operations that put other values beside those of the data, or
/// compare with them, would make NaN of them.
constexpr verdict constants_are_finite(const auto& model, const dequantization& found, int port = 0) {
    for (const node_id each : {found.zero_point, found.scale}) {
        if (each != node_id::none && !is_finite(constant_of(model, each))) {
            return refuse_because_of(reason::infinite_constant, port, each);
        }
    }
    return yes;
}
/// Refuses a scale with a value that is 0 or smaller than 1e-32 in magnitude.
constexpr verdict scale_is_not_zero(const auto& model, const dequantization& found, int port = 0) {
    if (!found.has_multiply()) {
        return yes;
    }
    const tensor& scale = constant_of(model, found.scale);
    if (!lpt::is_constant_evaluated() && scale.type() == f32 &&
        detail::floats_are_at_least(scale.data(), scale.elements(), 1e-32f)) {
        return yes;
    }
    for (std::size_t i = 0; i < scale.elements(); ++i) {
        if (math::absolute(scale.real(i)) < 1e-32) {
            return refuse_value(reason::zero_or_denormal_scale, port, scale.real(i), found.scale);
        }
    }
    return yes;
}

/// True if a constant of an elementwise operation has one element, or varies over the channel axis of the data alone.
constexpr bool is_per_channel_constant(const auto& model, node_id elementwise, node_id constant,
                                       std::size_t channel_axis) {
    const shape& dimensions = model[constant].shape();
    if (dimensions.rank() > 5) {
        return false;
    }
    if (dimensions.elements() == 1) {
        return true;
    }
    const shape& result = model[elementwise].shape();
    if (result.rank_is_dynamic() || channel_axis >= result.rank() || !result.is_static(channel_axis)) {
        return false;
    }
    const dimension channels = result[channel_axis];
    if (dimensions.rank() == 1) {
        return dimensions[0] == channels;
    }
    if (dimensions.rank() > result.rank()) {
        return false;
    }
    const shape aligned = dimensions.padded_left(result.rank());
    for (std::size_t axis = 0; axis < aligned.rank(); ++axis) {
        if (aligned[axis] != (axis == channel_axis ? channels : 1)) {
            return false;
        }
    }
    return true;
}

/// True if the output is computed from constants only: upwards there is no Parameter, convolution, MatMul or ReadValue.
constexpr bool is_constant_path(const graph& model, node_id id) { return !model[id].reads_data(); }

// ---- preconditions

/// Every output rank is static, and the dequantization on port 0, which is `found`, is per-tensor or per-channel.
[[gnu::noinline]] constexpr verdict base_precondition(const auto& model, node_id id, const dequantization& found) {
    for (std::size_t port = 0; port < model[id].outputs(); ++port) {
        if (model[id].shape(port).rank_is_dynamic()) {
            return refuse(reason::dynamic_rank, static_cast<int>(port));
        }
    }
    const auto fits = [&](node_id elementwise, node_id constant) {
        if (model[constant].shape().elements() == 1) {
            return true;
        }
        shape dimensions = model[constant].shape();
        const shape& data = model[elementwise].shape();
        if (data.rank_is_dynamic() || dimensions.rank() > data.rank()) {
            return false;
        }
        if (data.rank() - dimensions.rank() == 1) {
            dimensions.insert(0, 1);
        }
        if (dimensions.rank() == 1) {
            return true;
        }
        if (dimensions[0] != 1) {
            return false;
        }
        for (std::size_t axis = 0; axis < dimensions.rank(); ++axis) {
            if (dimensions[axis] != 1 && axis != found.channel_axis) {
                return false;
            }
        }
        return true;
    };
    if ((found.has_subtract() && !fits(found.subtract, found.zero_point)) ||
        (found.has_multiply() && !fits(found.multiply, found.scale))) {
        return refuse_because_of(reason::not_per_tensor_or_per_channel, 0, constant_of_many(model, found));
    }
    return yes;
}
constexpr verdict base_precondition(const auto& model, node_id id, view<element> default_precisions) {
    const bool any = model[id].inputs() != 0 && may_be_dequantized(model, model[id].input(0));
    return base_precondition(model, id, any ? find_dequantization(model, id, default_precisions) : dequantization{});
}
/// `base_precondition` with the precisions that upstream always uses for it.
constexpr verdict base_precondition(const auto& r, node_id id) {
    return base_precondition(r.model, id, int8_precisions);
}
/// The same where `found` is the dequantization with the default precisions, which are mostly the same.
constexpr verdict base_precondition_of(const auto& r, node_id id, const dequantization& found) {
    const bool same = r.options.default_precisions == view<element>(int8_precisions);
    return same ? base_precondition(r.model, id, found) : base_precondition(r, id);
}
/// Every output rank is static; constants may vary over any axis.
constexpr verdict spatial_precondition(const auto& r, node_id id) {
    for (std::size_t port = 0; port < r.model[id].outputs(); ++port) {
        if (r.model[id].shape(port).rank_is_dynamic()) {
            return refuse(reason::dynamic_rank, static_cast<int>(port));
        }
    }
    return yes;
}

/// True if a Subtract of this dequantization is one that low precision arithmetic can take: u8 or i8 data, and a zero
/// point that is a Constant, or a Convert of a Constant of the data's type.
constexpr bool can_subtract_be_handled(const auto& r, const dequantization& found) {
    if (!found.has_subtract() || !r.options.update_precisions) {
        return true;
    }
    const element type = r.model.type(found.data);
    if (type != u8 && type != i8) {
        return false;
    }
    return found.zero_point_convert == node_id::none || r.model[found.zero_point].type() == type;
}

/// True if every zero point of the Subtract, rounded, lies in the data's type (u8, i8: within half a step of its range).
constexpr bool zero_point_fits(const auto& model, const dequantization& found) {
    if (!found.has_subtract() || found.zero_point_convert != node_id::none) {
        return true;
    }
    const element type = model.type(found.data);
    if (type != u8 && type != i8) {
        return type == f32 || type == f16;
    }
    const tensor& values = constant_of(model, found.zero_point);
    for (std::size_t i = 0; i < values.elements(); ++i) {
        if (!(values.real(i) >= facts(type).lowest - 0.5 && values.real(i) <= facts(type).highest + 0.5)) {
            return false;
        }
    }
    return true;
}

/// A refusal of the first zero point that lies outside the range of the data's type.
constexpr verdict refuse_unfit_zero_point(const auto& model, const dequantization& found, int port) {
    const element type = model.type(found.data);
    const tensor& values = constant_of(model, found.zero_point);
    std::size_t first = 0;
    while (first + 1 < values.elements() && values.real(first) >= facts(type).lowest - 0.5 &&
           values.real(first) <= facts(type).highest + 0.5) {
        ++first;
    }
    verdict result = refuse_value(reason::zero_point_does_not_fit, port, values.real(first), found.zero_point);
    result.type = type;
    return result;
}

// ---- changing

/// Puts the constant of a Multiply on input 1; gives the node that has it there.
constexpr node_id normalize_elementwise(auto& r, node_id id) {
    if (detail::constant_port(r.model, id, false) != 0) {
        return id;
    }
    const output_ref constant = r.model[id].input(0);
    const output_ref data = r.model[id].input(1);
    const node_id made = r.model.clone(id, {data, constant});
    replace_and_name(r, id, made);
    return made;
}
/// The dequantization with its scale on input 1 of the Multiply; a zero point is there anyway.
constexpr dequantization normalize_dequantization(auto& r, dequantization found) {
    if (found.empty()) {
        return found;
    }
    if (found.has_multiply()) {
        found.multiply = normalize_elementwise(r, found.multiply);
    }
    return found;
}
/// Pads the shape of the constant on input 1 of an elementwise node with 1s on the left to the rank of the node, in the graph.
constexpr node_id normalize_constant_shape(auto& r, node_id elementwise) {
    graph& model = r.model;
    const int port = detail::constant_port(model, elementwise, true);
    output_ref source = model[elementwise].input(static_cast<std::size_t>(port));
    const bool converted = model[source.node].is<op::convert>();
    const node_id constant = converted ? model.producer(source.node, 0) : source.node;
    const shape& result = model[elementwise].shape();
    const tensor& value = constant_of(model, constant);
    if (result.rank_is_dynamic() || value.dimensions().rank() >= result.rank()) {
        return constant;
    }
    const node_id made = model.constant(tensor(value, value.dimensions().padded_left(result.rank())));
    copy_information(r, constant, made);
    if (converted) {
        const node_id convert = model.clone(source.node, {made});
        copy_information(r, source.node, convert);
        source = convert;
    } else {
        source = made;
    }
    model.set_input(elementwise, static_cast<std::size_t>(port), source);
    return made;
}

namespace detail {

/// Clones the operations and constants of a dequantization; gives the output of the last clone.
constexpr output_ref clone_dequantization(auto& r, const dequantization& found) {
    const auto clone_constant = [&](output_ref source) -> output_ref {
        const node& producer = r.model[source.node];
        seq<output_ref, 5> inputs;
        for (std::size_t port = 0; port < producer.inputs(); ++port) {
            inputs.push_back(producer.input(port));
        }
        const node_id made = r.model.clone(source.node, inputs);
        copy_information(r, source.node, made);
        return made;
    };
    output_ref parent = found.data;
    if (found.has_convert()) {
        const node_id made = r.model.clone(found.convert, {parent});
        copy_information(r, found.convert, made);
        parent = made;
    }
    for (const node_id each : {found.subtract, found.multiply}) {
        if (each != node_id::none) {
            const node_id made = r.model.clone(each, {parent, clone_constant(r.model[each].input(1))});
            copy_information(r, each, made);
            parent = made;
        }
    }
    return parent;
}

}  // namespace detail

/// Gives a node its own copy of each dequantization on its inputs that other nodes use too; gives the node (a clone, if
/// anything was separated), which keeps its name. Where one dequantization is on several inputs the first of them gets the copy.
///
/// What input ports asked for concerns the branch that was left, so a clone's ports ask for nothing.
///
/// `takes_scales` false: for a node whose scales go into constants of its own, so that only zero points need a copy.
[[gnu::noinline]] constexpr node_id separate_in_standalone_branch(auto& r, node_id id, bool takes_scales = true) {
    seq<output_ref, 5> inputs;
    for (std::size_t port = 0; port < r.model[id].inputs(); ++port) {
        inputs.push_back(r.model[id].input(port));
    }
    bool separated = false;
    for (std::size_t port = 0; port < inputs.size(); ++port) {
        if (!may_be_dequantized(r.model, inputs[port])) {
            continue;
        }
        const dequantization found = normalize_dequantization(r, find_dequantization(r, id, port));
        inputs[port] = r.model[id].input(port);
        if (!found.empty() && (takes_scales || found.has_subtract()) && is_shared(r.model, found)) {
            std::size_t first = 0;
            while (!(r.model[id].input(first) == r.model[id].input(port))) {
                ++first;
            }
            inputs[first] = detail::clone_dequantization(r, found);
            separated = true;
        }
    }
    if (!separated) {
        return id;
    }
    const node_id made = r.model.clone(id, inputs);
    copy_information(r, id, made, false);
    r.model.rename(made, r.model[id].name());
    r.model.replace(id, made);
    return made;
}

/// True if nothing is to be separated or normalised: no part of the dequantization above an input has other readers, and its
/// scale is on input 1. `takes_scales`: see `separate_in_standalone_branch`.
constexpr bool stands_alone(const auto& model, const dequantization& found, bool takes_scales = true) {
    if (found.empty()) {
        return true;
    }
    const bool is_normal = !found.has_multiply() || is_constant(model, model[found.multiply].input(1));
    return is_normal && ((!takes_scales && !found.has_subtract()) || !is_shared(model, found));
}

/// Lets a relaxed operation that reads quantized data on an input compute as if it had been converted to `type` before. A type
/// that is not real changes nothing: the operation computes with the quantized values.
constexpr void compute_in(graph& model, node_id operation, std::size_t port, element type) {
    if (is_real(type) && !is_real(model.type(model[operation].input(port)))) {
        model.relax_input(operation, type, port);
    }
}

/// Makes an operation, in its place, one like it that reads other inputs and has these types of its own.
constexpr void renew_relaxed(auto& r, node_id id, view<output_ref> inputs, relaxation types) {
    r.model.renew(id, inputs);
    r.model.relax(id, lpt::move(types));
}

/// What `move_dequantization_after` made.
struct moved_dequantization {
    node_id operation = node_id::none;  // the operation on low precision data
    node_id last = node_id::none;  // the last operation of the dequantization behind it
};

/// How `move_dequantization_after` deals with types and zero points.
struct move_settings {
    bool update_output_type = true;  // a relaxed operation gives the type of its input; false: the type of the scale
    bool move_subtract = true;  // false: the Subtract stays above the operation
};

namespace detail {

/// The data that meets a dequantization constant: converted where the constant has more bits, so that nothing is lost.
constexpr output_ref data_for(auto& r, output_ref data, node_id constant) {
    const element own = r.model[constant].type();
    return bit_width(r.model.type(data)) < bit_width(own) ? output_ref(r.model.add(op::convert{own}, {data})) : data;
}

}  // namespace detail

/// Appends the operations of `found` to an output that has low precision (or, after a relaxed operation, real) values:
/// Convert if the type differs from the scale's, Subtract, Multiply with the output type of the old Multiply.
[[gnu::noinline]] constexpr output_ref append_dequantization(auto& r, output_ref parent, const dequantization& found,
                                                             bool with_subtract = true) {
    graph& model = r.model;
    const element converted = found.has_convert() ? model[found.convert].type() : model.type(parent);
    const element real_type = found.has_multiply() ? model[found.scale].type() : converted;
    if (model.type(parent) != real_type) {
        parent = model.add(op::convert{found.has_convert() ? converted : real_type}, {parent});
    }
    if (with_subtract && found.has_subtract()) {
        const bool keeps_convert = found.zero_point_convert != node_id::none;
        output_ref zero_point(found.zero_point_convert);
        if (!keeps_convert) {
            parent = detail::data_for(r, parent, found.zero_point);
            zero_point = fold_convert(model, found.zero_point, model.type(parent));
        }
        parent = model.add(op::subtract{}, {parent, zero_point});
        if (!keeps_convert) {
            model.relax(parent.node);
            if (!found.has_multiply() && model.type(parent) != model[found.subtract].type()) {
                model.relax_output(parent.node, model[found.subtract].type());
            }
        }
    }
    if (found.has_multiply()) {
        parent = detail::data_for(r, parent, found.scale);
        parent = model.add_relaxed(op::multiply{}, {parent, fold_convert(model, found.scale, model.type(parent))},
                                   {{}, {model[found.multiply].type()}});
    }
    return parent;
}

/// Lets everything that read output 0 of `operation` read `dequantized` instead, except ShapeOf, which reads `replacement`:
/// a dequantization does not enter the computation of shapes.
constexpr void insert_dequantization_after(auto& r, node_id operation, output_ref dequantized, node_id replacement) {
    graph& model = r.model;
    for (const input_ref user : model.uses({operation, 0})) {
        const bool reads_shape = model[user.node].is<op::shape_of>() && model[user.node].version() == 0;
        if (user.node != dequantized.node) {
            model.set_input(user.node, static_cast<std::size_t>(user.port),
                            reads_shape ? output_ref(replacement) : dequantized);
        }
    }
}

/// Lets those who read output 0 of an operation that was rewritten in its place read `dequantized` instead, except ShapeOf, which
/// comes to read the operation behind the dequantization. `readers` are those of before.
constexpr void insert_dequantization(auto& r, view<input_ref> readers, output_ref dequantized, node_id operation) {
    graph& model = r.model;
    for (const input_ref user : readers) {
        const bool reads_shape = model[user.node].template is<op::shape_of>() && model[user.node].version() == 0;
        model.set_input(user.node, static_cast<std::size_t>(user.port), dequantized);
        if (reads_shape) {
            model.set_input(user.node, static_cast<std::size_t>(user.port), operation);
        }
    }
}

namespace detail {

/// Both at once: an input type, unless it is `dynamic`, and the type of output 0; infers the outputs anew.
constexpr void relax_types(graph& model, node_id operation, std::size_t port, element input, element output) {
    relaxation types = model[operation].own_types() != nullptr ? *model[operation].own_types() : relaxation{};
    if (input != dynamic) {
        if (types.input_types.size() <= port) {
            types.input_types.resize(port + 1, dynamic);
        }
        types.input_types[port] = input;
    }
    if (types.output_types.empty()) {
        types.output_types.push_back(output);
    }
    types.output_types[0] = output;
    model.relax(operation, lpt::move(types));
}

}  // namespace detail

/// Moves a dequantization from an input of a one-output operation behind it: the operation then works on the quantized data.
///
/// The constants of `found` may have been rewritten for their new place (set `zero_point`, `scale`); data with fewer bits than
/// a constant is converted to its type. Raises an error for an operation with several outputs.
[[gnu::noinline]] constexpr moved_dequantization
move_dequantization_after(auto& r, node_id operation, const dequantization& found, move_settings settings = {}) {
    graph& model = r.model;
    if (model[operation].outputs() != 1) {
        fail({"a dequantization can only be moved behind an operation with one output, not behind '",
              model[operation].name(), "'"});
    }
    const node_id last = found.last();
    const output_ref source = !settings.move_subtract && found.has_subtract() ? output_ref(found.subtract) : found.data;
    seq<output_ref, 5> inputs;
    std::size_t place = model[operation].inputs();
    for (std::size_t port = 0; port < model[operation].inputs(); ++port) {
        const output_ref input = model[operation].input(port);
        const bool here = input.node == last && place == model[operation].inputs();
        place = here ? port : place;
        inputs.push_back(here ? source : input);
    }
    const seq<input_ref, 4> readers = model.uses({operation, 0});
    model.renew(operation, inputs);
    r.attributes.drop_ports(operation);  // what was asked of its inputs is settled: they are low precision data now
    if (model[operation].relaxed()) {
        const element type = settings.update_output_type ? model.type(source) : model[found.scale].type();
        const bool converts = is_real(type) && !is_real(model.type(model[operation].input(place)));
        detail::relax_types(model, operation, place, converts ? type : dynamic, type);
    } else {
        model.infer(operation);
    }
    const output_ref dequantized = append_dequantization(r, operation, found, settings.move_subtract);
    for (node_id each = dequantized.node; each != operation; each = model.producer(each, 0)) {
        r.attributes.copy_node(operation,
                               each);  // what takes the dequantization up later belongs to the operation's group
    }
    insert_dequantization(r, readers, dequantized, operation);
    update_output_name(r, dequantized.node, operation);
    return {operation, dequantized.node};
}

/// Folds the Convert of a zero point where there is a scale too. While the data of the dequantization on `port` is constant,
/// folds its Convert, Subtract and Multiply into it. Stops where the inputs of an operation differ in type.
[[gnu::noinline]] constexpr dequantization fold_dequantization_at(auto& r, node_id id, std::size_t port,
                                                                  output_ref last) {
    graph& model = r.model;
    const auto find = [&] {
        return id == node_id::none ? find_dequantization_at(model, last, r.options.default_precisions)
                                   : find_dequantization(r, id, port);
    };
    dequantization found = find();
    if (found.empty() || !found.has_multiply()) {
        return found;
    }
    if (found.zero_point_convert != node_id::none &&
        model.type(model[found.subtract].input(0)) == model[found.zero_point_convert].type()) {
        model.replace_uses(found.zero_point_convert,
                           fold_convert(model, found.zero_point, model[found.zero_point_convert].type()));
        found = find();
    }
    if (!is_constant(model, found.data)) {
        return found;
    }
    const auto replace_by = [&](node_id old, output_ref folded) {
        copy_information(r, old, folded.node);
        model.rename(folded.node, model[old].name());
        model.replace_uses(old, folded);
        if (last == output_ref(old)) {
            last = folded;
        }
        found = find();
        return !found.empty();
    };
    if (found.has_convert()) {
        const output_ref folded = fold_convert(model, found.data, model[found.convert].type());
        if (is_constant(model, folded) && !replace_by(found.convert, folded)) {
            return found;
        }
    }
    for (const bool subtract : {true, false}) {
        const node_id each = subtract ? found.subtract : found.multiply;
        if (each == node_id::none) {
            continue;
        }
        output_ref left = model[each].input(0);
        output_ref right = model[each].input(1);
        if (model.type(left) != model.type(right)) {
            return found;
        }
        left = try_fold(model, left.node);
        right = try_fold(model, right.node);
        const output_ref folded = fold_operation(
            model, subtract ? op::attributes(op::subtract{}) : op::attributes(op::multiply{}), {left, right});
        if (!is_constant(model, folded) || !replace_by(each, fold_convert(model, folded, model[each].type()))) {
            return found;
        }
    }
    return found;
}
constexpr dequantization fold_dequantization(auto& r, node_id id, std::size_t port) {
    return fold_dequantization_at(r, id, port, {});
}

/// Turns Subtract(Convert(data), constant) into a Subtract of low precision data and constant that still gives the
/// Convert's type. The zero point is rounded, halves away from zero, and made a scalar where all its values are equal; a
/// zero point of zero takes the Subtract away.
///
/// Gives the Subtract that is there afterwards; `none` if it went away. Without such a Convert nothing changes. A zero point that
/// is the same everywhere gets the shape `spread`, if there is one.
[[gnu::noinline]] constexpr node_id optimize_subtract(auto& r, node_id subtract, const shape* spread = nullptr) {
    graph& model = r.model;
    const node_id convert = model.producer(subtract, 0);
    if (!model[convert].is<op::convert>() || !is_real(model[convert].type())) {
        return subtract;
    }
    const output_ref data = model[convert].input(0);
    const element real_type = model[convert].type();
    const output_ref constant = try_fold(model, model[subtract].input(1).node);
    if (!is_constant(model, constant)) {
        return subtract;
    }
    const tensor& shifts = constant_of(model, constant.node);
    tensor zero_point;
    if (detail::round_alike(shifts)) {  // one value of many is quickly rounded
        zero_point = round_zero_points(r, make_scalar(f32, shifts.real(0)), model.type(data));
    } else {
        zero_point = to_scalar(round_zero_points(r, shifts, model.type(data)));
    }
    if (zero_point.elements() == 1 && zero_point.real(0) == 0) {
        model.replace_uses(subtract, data);
        return node_id::none;
    }
    if (spread != nullptr && zero_point.dimensions().rank() == 0) {
        zero_point = make_tensor(zero_point.type(), *spread, view<double>({zero_point.real(0)}));
    }
    renew_relaxed(r, subtract, {data, model.constant(lpt::move(zero_point))}, {{real_type, real_type}, {real_type}});
    return subtract;
}

}  // namespace lpt::inline LPT_ABI
