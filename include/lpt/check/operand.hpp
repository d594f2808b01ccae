// SPDX-License-Identifier: Apache-2.0
// The operands of an operation of a graph, with the scales and zero points that the checker of the specification compares.
#pragma once

#include <lpt/check/described.hpp>
#include <lpt/check/quantization.hpp>
#include <lpt/spec/correspondence.hpp>

namespace lpt::inline LPT_ABI::check {

/// Which operations of a graph count as quantized.
enum class reading : unsigned char {
    with_dequantization,  ///< those that read dequantized numbers, as quantized networks are written
    on_codes,  ///< those that read integers themselves, as the transformations leave them; others compute in floating point
};

namespace detail {

/// An operand, with the memory that `described_tensor` looks at.
struct read_operand {
    int index = -1;  // of the node that gives it
    text_view name;
    element type = dynamic;
    seq<std::int64_t, 0> dimensions;
    seq<float, 0> scales;
    seq<std::int64_t, 0> zero_points;
    double broken_zero_point = 0;
    std::int64_t axis = 0;
    const tensor* codes = nullptr;
    bool has_scale = false;

    bool is_present() const { return index >= 0; }

    void append_zero_point(double value) {
        if (value != math::round_half_away(value)) broken_zero_point = value;
        zero_points.push_back(static_cast<std::int64_t>(convert_value(i32, value)));
    }
    void takes_quantization_of(const read_operand& other) {
        scales = other.scales;
        zero_points = other.zero_points;
        broken_zero_point = other.broken_zero_point;
        has_scale = true;
    }
    described_tensor described() const {
        described_tensor result;
        result.index = index;
        result.name = name;
        result.type = type;
        result.dimensions = view<std::int64_t>(dimensions.data(), dimensions.size());
        result.scales = view<float>(scales.data(), scales.size());
        result.zero_points = view<std::int64_t>(zero_points.data(), zero_points.size());
        result.broken_zero_point = broken_zero_point;
        result.axis = axis;
        if (codes != nullptr && codes->type() == i8) {
            result.constant = codes->data();
            result.constant_bytes = codes->size_in_bytes();
        }
        return result;
    }
};

inline read_operand operand_of(const graph& model, output_ref source, const quantization& found) {
    read_operand result;
    if (!found.is_quantized()) return result;
    result.index = static_cast<int>(index_of(source.node));
    result.name = model[source.node].name();
    result.type = found.type;
    result.has_scale = found.has_scale;
    if (found.codes) result.codes = model.constant_value(found.codes);
    return result;
}

/// As many scales and zero points as there are different ones at most: one where all are equal.
inline read_operand per_tensor_operand(const graph& model, output_ref source, const quantization& found) {
    read_operand result = operand_of(model, source, found);
    if (!result.is_present()) return result;
    const std::size_t scales = is_one_value(found.scale) ? 1 : found.scale.elements();
    const std::size_t zero_points = is_one_value(found.zero_point) ? 1 : found.zero_point.elements();
    const std::size_t count = scales > zero_points ? scales : zero_points;
    for (std::size_t i = 0; i < count; ++i) {
        result.scales.push_back(static_cast<float>(found.scale.real(i % scales)));
        result.append_zero_point(found.zero_point.real(i % zero_points));
    }
    return result;
}

/// An activation; Transposes between it and its dequantization change nothing.
inline read_operand read_activation(const graph& model, output_ref source, reading how) {
    quantization found = quantization_of(model, source);
    for (output_ref at = source; !found.is_quantized() && model[at.node].is<op::transpose>();) {
        at = model[at.node].input(0);
        found = quantization_of(model, at);
    }
    if (found.type == i32 || found.type == u32) return {};  // sums, indices and sizes
    if (how == reading::on_codes && !found.codes) return {};  // a FakeQuantize that gives real numbers
    return per_tensor_operand(model, source, found);
}

/// Weights as a constant, the axes of output channels in bits, and the axes of TensorFlow Lite's layout that those of the graph are.
struct weight_layout {
    unsigned channel_axes = 0;
    seq<std::int64_t, 8> axes;
};
inline weight_layout layout_of_weights(const node& operation, std::int64_t axis) {
    if (operation.is<op::convolution>()) return {1u, {axis, 3, 1, 2}};
    if (operation.is<op::group_convolution>()) return {3u, {axis, axis, axis == 0 ? 3 : 0, 1, 2}};
    if (operation.as<op::mat_mul>().transpose_b) return {1u, {0, 1}};
    return {2u, {1, 0}};
}

inline std::int64_t channels_of(const shape& weights, unsigned channel_axes) {
    std::int64_t result = 1;
    for (std::size_t axis = 0; axis < weights.rank(); ++axis)
        result *= (channel_axes >> axis & 1u) != 0 ? weights[axis] : 1;
    return result;
}

/// The first axis that is none of output channels and that a constant varies over; -1 if there is none.
inline int foreign_axis(const tensor& constant, const shape& weights, unsigned channel_axes) {
    if (is_one_value(constant) || constant.dimensions().rank() > weights.rank()) return -1;
    const shape aligned = constant.dimensions().padded_left(weights.rank());
    for (std::size_t axis = 0; axis < aligned.rank(); ++axis) {
        if (aligned[axis] != 1 && (channel_axes >> axis & 1u) == 0) return static_cast<int>(axis);
    }
    return -1;
}

/// Value `channel` of a constant that varies over the axes of output channels, or over groups alone.
inline double value_of_channel(const tensor& constant, std::int64_t channel, std::int64_t channels) {
    const auto count = static_cast<std::int64_t>(constant.elements());
    if (count == 0 || channels % count != 0) return constant.real(0);
    return constant.real(static_cast<std::size_t>(channel / (channels / count)));
}

/// The weights on input 1, below the Reshape of grouped ones; scales are those of output channels, along `axis` of TensorFlow Lite's layout.
inline read_operand read_weights(const graph& model, node_id id, int axis) {
    output_ref source = model[id].input(1);
    const shape& weights = model.shape(source);
    weight_layout layout = layout_of_weights(model[id], axis);
    const std::int64_t channels = channels_of(weights, layout.channel_axes);
    if (model[id].is<op::group_convolution>() && model[source.node].is<op::reshape>()) {
        source = model[source.node].input(0);
        layout = {1u, {axis, axis == 0 ? 3 : 0, 1, 2, 0}};
    }
    const shape& stored = model.shape(source);
    if (stored.rank_is_dynamic() || stored.rank() > layout.axes.size()) return {};
    const quantization found = quantization_of(model, source);
    read_operand result = operand_of(model, source, found);
    if (!result.is_present()) return result;
    result.axis = axis;
    result.dimensions.resize(4, 1);
    result.dimensions[static_cast<std::size_t>(axis)] = channels;
    for (const tensor* each : {&found.scale, &found.zero_point}) {
        const int foreign = foreign_axis(*each, stored, layout.channel_axes);
        if (foreign < 0) continue;
        const std::int64_t of_document = layout.axes[static_cast<std::size_t>(foreign)];
        result = per_tensor_operand(model, source, found);
        result.axis = of_document;
        return result;
    }
    const bool is_one = is_one_value(found.scale) && is_one_value(found.zero_point);
    for (std::int64_t i = 0; i < (is_one ? 1 : channels); ++i) {
        result.scales.push_back(static_cast<float>(value_of_channel(found.scale, i, channels)));
        result.append_zero_point(value_of_channel(found.zero_point, i, channels));
    }
    return result;
}

/// The only reader of an output; `none` if there are several, or none.
inline input_ref only_use(const graph& model, output_ref source) {
    return model.use_count(source) == 1 ? model.first_use(source) : input_ref();
}

/// True for an Add of something that no input of the network changes.
inline bool adds_constant(const graph& model, input_ref use) {
    return model[use.node].is<op::add>() && !model[model[use.node].input(use.port == 0 ? 1 : 0).node].reads_data();
}

/// The bias that an Add behind a product adds, where it is dequantized.
inline read_operand read_bias(const graph& model, node_id id) {
    const input_ref use = only_use(model, {id, 0});
    if (use.node == node_id::none || !adds_constant(model, use)) return {};
    const output_ref bias = model[use.node].input(use.port == 0 ? 1 : 0);
    const quantization found = quantization_of(model, bias);
    return found.has_scale ? per_tensor_operand(model, bias, found) : read_operand();
}

/// The dequantization that begins at a tensor of codes; where they are copied first, behind the copies.
inline quantization quantization_behind(const graph& model, output_ref codes) {
    constexpr int most_steps = 64;
    output_ref first = codes;
    output_ref at = codes;
    for (int step = 0; step < most_steps && model.use_count(at) != 0; ++step) {
        const node_id user = model.first_use(at).node;
        const node& each = model[user];
        at = {user, 0};
        if (each.is<op::multiply>()) {
            const quantization found = quantization_of(model, at);
            return found.codes == first && found.has_scale ? found : quantization();
        }
        if (each.is<op::convert>() || each.is<op::subtract>()) continue;
        const spec::row* row = spec::find(each.kind());
        if (row == nullptr || !row->same_quantization || !is_code(each.type())) return {};
        first = at;
    }
    return {};
}

/// The quantization of an operation's output: of its codes, or of the FakeQuantize behind a bias, a rectifier and Transposes.
inline read_operand read_output(const graph& model, node_id id, const spec::row& row, reading how) {
    if (!row.names(spec::operand::output_0)) return {};
    output_ref at{id, 0};
    if (is_code(model.type(at))) return per_tensor_operand(model, at, quantization_behind(model, at));
    if (how == reading::on_codes) return {};
    bool may_have_bias = row.names(spec::operand::bias);
    for (;;) {
        const input_ref use = only_use(model, at);
        if (use.node == node_id::none) return {};
        at = {use.node, 0};
        const node& each = model[use.node];
        if (each.is<op::fake_quantize>() && use.port == 0) break;
        const bool is_bias = may_have_bias && adds_constant(model, use);
        if (is_bias) may_have_bias = false;
        if (!is_bias && !each.is<op::relu>() && !each.is<op::clamp>() && !(each.is<op::transpose>() && use.port == 0))
            return {};
    }
    const quantization found = is_code(model.type(at)) ? quantization_behind(model, at) : quantization_of(model, at);
    return per_tensor_operand(model, at, found);
}

/// The row that a node of a graph corresponds to; null where there is none, or where it is not what the row is about: other numbers of spatial
/// axes, products of two activations, resampling that is not linear.
inline const spec::row* row_of_node(const graph& model, node_id id) {
    const node& each = model[id];
    const spec::row* row = spec::find(each.kind());
    if (row == nullptr || each.inputs() == 0) return row;
    const auto has_rank = [&](std::size_t port, std::size_t rank) {
        const shape& dimensions = model.shape(each.input(port));
        return dimensions.rank_is_static() && dimensions.rank() == rank;
    };
    const auto has_static_weights = [&](std::size_t rank) {
        return has_rank(1, rank) && !model.shape(each.input(1)).is_dynamic() && !model[each.input(1).node].reads_data();
    };
    switch (each.kind()) {
        case op::kind::convolution: return has_static_weights(4) ? row : nullptr;
        case op::kind::mat_mul: return has_static_weights(2) ? row : nullptr;
        case op::kind::group_convolution:
            if (!has_static_weights(5)) return nullptr;
            return model.shape(each.input(1))[2] == 1 ? row : &spec::row_of<spec::op::conv_2d>();
        case op::kind::max_pool:
        case op::kind::avg_pool: return has_rank(0, 4) ? row : nullptr;
        case op::kind::interpolate: {
            const op::interpolate_mode mode = each.as<op::interpolate>().mode;
            return mode == op::interpolate_mode::linear || mode == op::interpolate_mode::linear_onnx ? row : nullptr;
        }
        default: return row;
    }
}

}  // namespace detail

}  // namespace lpt::inline LPT_ABI::check
