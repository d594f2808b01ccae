// SPDX-License-Identifier: Apache-2.0
// Which outputs are quantized tensors in disguise.
#pragma once

#include <lpt/plan/spread.hpp>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace lpt::inline LPT_ABI::plan {

inline bool is_byte(element type) { return type == u8 || type == i8; }

/// Zero points that all are 0 are none.
inline void drop_zeros(std::vector<std::int32_t>& zero_points) {
    for (const std::int32_t each : zero_points) {
        if (each != 0) {
            return;
        }
    }
    zero_points.clear();
}

/// What an output of the graph is: scale * base + shift, element by element.
///
/// A dequantization is not computed where its readers can take the low precision tensor and its constants instead.
struct quantized_source {
    output_ref base;
    spread scale = spread::of(1);
    spread shift = spread::of(no_shift);
    /// Of a base of bytes with one scale: scale * (base - zero_point), all in the range of its type; one, or one for each channel (axis
    /// 1). Empty where it is not of this form.
    std::vector<std::int32_t> zero_points;

    bool has_one_zero_point() const { return zero_points.size() == 1; }
    std::int32_t zero_point() const { return has_one_zero_point() ? zero_points[0] : 0; }
};

/// The number of the input of an elementwise operation of two inputs that is not the Constant with these numbers; -1 if there is
/// no such Constant.
inline int data_port(const graph& model, const node& each, spread& constant) {
    for (const int port : {1, 0}) {
        const tensor* value = model.constant_value(each.input(static_cast<std::size_t>(port)));
        if (value != nullptr && spread_of(*value, each.shape(), constant) &&
            model.shape(each.input(static_cast<std::size_t>(1 - port))) == each.shape()) {
            return 1 - port;
        }
    }
    return -1;
}

namespace detail {

/// Puts one more operation behind a source; false if it is not a sum or product with known numbers.
inline bool apply_to_source(const graph& model, node_id id, quantized_source& of) {
    const node& each = model[id];
    if (each.is<op::convert>()) {
        return true;
    }
    spread constant;
    const int port = data_port(model, each, constant);
    if (port < 0) {
        return false;
    }
    const auto product = [](double a, double b) { return a * b; };
    const auto sum = [](double a, double b) { return a + b; };
    switch (each.kind()) {
        case op::kind::multiply:
            return combine(of.scale, constant, of.scale, product) &&
                   combine(of.shift, constant, of.shift, scaled_shift);
        case op::kind::add: return combine(of.shift, constant, of.shift, sum);
        case op::kind::subtract:
            return port == 0 && combine(of.shift, constant.map([](double v) { return -v; }), of.shift, sum);
        default: return false;
    }
}

/// The input of a node that may be a step of a dequantization; -1 if it cannot be, or has no elements, which no kernel takes.
inline int dequantization_port(const graph& model, node_id id) {
    const node& each = model[id];
    if (each.outputs() != 1 || each.type() != f32 || each.shape().dimensions().contains(0)) {
        return -1;
    }
    switch (each.kind()) {
        case op::kind::convert: return 0;
        case op::kind::multiply:
        case op::kind::add:
        case op::kind::subtract: {
            spread constant;
            return data_port(model, each, constant);
        }
        default: return -1;
    }
}

/// Zero points come as shifts, -scale * zero_point, rounded: within 1e-5 of a whole number they are meant to be that.
inline bool zero_point_of(element type, double scale, double shift, std::int32_t& result) {
    const double value = -shift / scale;
    const double rounded = math::round_half_even(value);
    if (!(math::absolute(value - rounded) < 1e-5) || rounded < facts(type).lowest || rounded > facts(type).highest) {
        return false;
    }
    result = static_cast<std::int32_t>(rounded);
    return true;
}

inline std::vector<std::int32_t> zero_points_of(element type, const spread& scale, const spread& shift) {
    std::vector<std::int32_t> result;
    if (!is_byte(type) || !scale.is_one() || scale.one() == 0 || (!shift.is_one() && !shift.varies_only_along(1))) {
        return result;
    }
    result.resize(shift.values.size());
    for (std::size_t i = 0; i < result.size(); ++i) {
        if (!zero_point_of(type, scale.one(), shift.values[i], result[i])) {
            return {};
        }
    }
    return result;
}

}  // namespace detail

/// So many operations in a row may be one dequantization: everybody who asks for its source walks up to it.
inline constexpr std::size_t longest_dequantization = 16;

/// An output as it is.
inline quantized_source plain_source(const graph& model, output_ref output) {
    quantized_source result{output, spread::of(1), spread::of(no_shift), {}};
    result.zero_points = detail::zero_points_of(model.type(output), result.scale, result.shift);
    return result;
}

/// The u8 or i8 tensor that an output is a dequantization of, and its constants; the output itself where it is none.
inline quantized_source source_of(const graph& model, output_ref output) {
    std::vector<node_id> above;
    output_ref base = output;
    while (!is_byte(model.type(base))) {
        const int port = above.size() < longest_dequantization ? detail::dequantization_port(model, base.node) : -1;
        if (port < 0) {
            return plain_source(model, output);
        }
        above.push_back(base.node);
        base = model[base.node].input(static_cast<std::size_t>(port));
    }
    quantized_source result{base, spread::of(1), spread::of(no_shift), {}};
    for (std::size_t i = above.size(); i-- > 0;) {
        if (!detail::apply_to_source(model, above[i], result)) {
            return plain_source(model, output);
        }
    }
    result.zero_points = detail::zero_points_of(model.type(base), result.scale, result.shift);
    return result;
}

/// True if the output is a dequantization: it is made only for readers that cannot take the low precision tensor.
inline bool is_dequantization(const graph& model, output_ref output) {
    return !(source_of(model, output).base == output);
}

/// The sources of a graph's outputs, each found once, when somebody first asks. The graph must stay as it is, and where it is.
class quantized_sources {
    const graph& model_;
    std::map<std::pair<std::size_t, std::int32_t>, quantized_source> known_;

public:
    explicit quantized_sources(const graph& model) : model_(model) {}

    const graph& model() const { return model_; }
    /// What an output is; the reference holds as long as the sources do.
    const quantized_source& of(output_ref output) {
        const std::pair key(index_of(output.node), output.port);
        const auto known = known_.find(key);
        return known != known_.end() ? known->second : known_.emplace(key, source_of(model_, output)).first->second;
    }
    bool is_dequantization(output_ref output) { return !(of(output).base == output); }
};

}  // namespace lpt::inline LPT_ABI::plan
