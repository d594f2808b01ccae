// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/traverse.hpp>
#include <lpt/transformation/quantization_details.hpp>

#include <cmath>
#include <map>
#include <utility>
#include <vector>

/// Networks whose constants make every operation of a rewrite exact in float: scales are powers of two, zero points whole
/// numbers, steps of FakeQuantize powers of two, everything else small whole numbers times a power of two.
namespace lpt::proof {

/// The least power of two that is at least `size` / sqrt 2 … the nearest one on a logarithmic scale.
inline int nearest_exponent(double size) { return static_cast<int>(std::lround(std::log2(size))); }

inline bool is_ordinary(double value) { return std::isfinite(value) && value != 0; }

/// A value with five significant bits.
inline double with_few_bits(double value) {
    if (!is_ordinary(value)) {
        return value;
    }
    const double quantum = std::ldexp(1.0, std::ilogb(value) - 4);
    return std::nearbyint(value / quantum) * quantum;
}

/// Bounds that `levels` levels divide into steps of 2^k, 0 (or the nearest multiple of a step) among the levels.
struct bounds {
    double low;
    double high;
};
inline bounds dyadic_bounds(bounds old, std::int64_t levels) {
    const double steps = static_cast<double>(levels - 1);
    const double step = (old.high - old.low) / steps;
    if (!std::isfinite(step)) {
        return old;
    }
    if (step == 0) {
        return {with_few_bits(old.low), with_few_bits(old.low)};
    }
    const double scale = std::copysign(std::ldexp(1.0, nearest_exponent(std::abs(step))), step);
    const double zero = std::nearbyint(-old.low / step);
    if (zero == 0) {
        return {0, steps * scale};
    }
    return {-zero * scale, (steps - zero) * scale};
}

namespace detail {

template <class Change>
tensor changed(const tensor& values, Change&& change) {
    tensor_builder result(values.type(), values.dimensions());
    for (std::size_t i = 0; i < result.elements(); ++i) {
        result.real(i, change(values.real(i)));
    }
    return result.finish();
}

/// Powers of two with the signs of the values; different magnitudes stay different where there are few.
inline tensor powers_of_two(const tensor& values) {
    std::map<double, int> exponents;
    for (std::size_t i = 0; i < values.elements(); ++i) {
        if (is_ordinary(values.real(i))) {
            const double size = std::abs(values.real(i));
            exponents[size] = nearest_exponent(size);
        }
    }
    if (exponents.size() <= 16) {
        int least = -10000;
        for (auto& [size, exponent] : exponents) {
            exponent = exponent > least ? exponent : least + 1;
            least = exponent;
        }
    }
    return changed(values, [&](double value) {
        return is_ordinary(value) ? std::copysign(std::ldexp(1.0, exponents[std::abs(value)]), value) : value;
    });
}

/// Whole numbers; what is not 0 stays so.
inline tensor whole_numbers(const tensor& values) {
    return changed(values, [](double value) {
        const double whole = std::round(value);
        return is_ordinary(value) && whole == 0 ? std::copysign(1.0, value) : whole;
    });
}

/// Whole numbers of at most six bits times one power of two; what is not 0 stays so.
inline tensor small_numbers(const tensor& values) {
    double greatest = 0;
    for (std::size_t i = 0; i < values.elements(); ++i) {
        greatest = is_ordinary(values.real(i)) ? std::max(greatest, std::abs(values.real(i))) : greatest;
    }
    if (greatest == 0) {
        return values;
    }
    const double quantum = std::ldexp(1.0, std::ilogb(greatest) - 5);
    return changed(values, [&](double value) {
        if (!is_ordinary(value)) {
            return value;
        }
        const double count = std::nearbyint(value / quantum);
        return (count == 0 ? std::copysign(1.0, value) : count) * quantum;
    });
}

class dyadic_rewrite {
    graph& model_;

    /// Gives two ports of a FakeQuantize the dyadic bounds that belong to theirs.
    void change_bounds(node_id id, std::size_t low_port) {
        const tensor* low = model_.constant_value(model_[id].input(low_port));
        const tensor* high = model_.constant_value(model_[id].input(low_port + 1));
        shape merged;
        if (low == nullptr || high == nullptr || !broadcast_shapes(low->dimensions(), high->dimensions(), merged)) {
            return;
        }
        const std::int64_t levels = model_[id].as<op::fake_quantize>().levels;
        const tensor lows = broadcast_values(*low, merged);
        const tensor highs = broadcast_values(*high, merged);
        tensor_builder new_lows(low->type(), merged);
        tensor_builder new_highs(high->type(), merged);
        for (std::size_t i = 0; i < lows.elements(); ++i) {
            const bounds next = dyadic_bounds({lows.real(i), highs.real(i)}, levels);
            new_lows.real(i, next.low);
            new_highs.real(i, next.high);
        }
        set(id, low_port, new_lows.finish());
        set(id, low_port + 1, new_highs.finish());
    }
    void set(node_id id, std::size_t port, tensor value) {
        const output_ref old = model_[id].input(port);
        if (!(*model_.constant_value(old) == value)) {
            model_.set_input(id, port, model_.constant(std::move(value), model_[old.node].name()));
        }
    }

    /// The first operation that computes with a constant, and the port where it arrives.
    input_ref reader_of(output_ref source) const {
        for (const input_ref user : model_.uses(source)) {
            switch (model_[user.node].kind()) {
                case op::kind::convert:
                case op::kind::reshape:
                case op::kind::transpose:
                case op::kind::squeeze:
                case op::kind::unsqueeze:
                case op::kind::concat:
                case op::kind::gather:
                    if (user.port == 0 || model_[user.node].is<op::concat>()) {
                        return reader_of(user.node);
                    }
                    return user;
                default: return user;
            }
        }
        return {};
    }
    tensor replacement(const tensor& value, input_ref reader) const {
        if (!is_real(value.type()) || reader.node == node_id::none) {
            return value;
        }
        const auto port = static_cast<std::size_t>(reader.port);
        switch (model_[reader.node].kind()) {
            case op::kind::multiply:
            case op::kind::fake_convert: return powers_of_two(value);
            case op::kind::subtract: return port == 1 ? whole_numbers(value) : small_numbers(value);
            case op::kind::fake_quantize: return port == 0 ? small_numbers(value) : value;
            case op::kind::add:
            case op::kind::divide:
            case op::kind::convolution:
            case op::kind::group_convolution:
            case op::kind::mat_mul:
            case op::kind::prelu: return small_numbers(value);
            case op::kind::convolution_backprop_data:
            case op::kind::group_convolution_backprop_data: return port < 2 ? small_numbers(value) : value;
            case op::kind::pad: return port == 3 ? small_numbers(value) : value;
            default: return value;
        }
    }

public:
    explicit dyadic_rewrite(graph& model) : model_(model) {}

    void run() {
        for (const node_id id : topological_order(model_)) {
            if (model_[id].is<op::fake_quantize>()) {
                change_bounds(id, 1);
                change_bounds(id, 3);
            } else if (model_[id].is<op::clamp>()) {
                op::clamp limits = model_[id].as<op::clamp>();
                limits.min = with_few_bits(limits.min);
                limits.max = with_few_bits(limits.max);
                model_.set_attributes(id, limits);
            } else if (model_[id].is<op::constant>()) {
                const tensor& old = model_[id].as<op::constant>().value;
                tensor next = replacement(old, reader_of(id));
                if (!(next == old)) {
                    model_.set_attributes(id, op::constant{std::move(next)});
                }
            }
        }
        model_.collect();
        infer_all(model_);
    }
};

}  // namespace detail

/// Replaces the constants of a network by the nearest ones of the dyadic family.
inline void make_dyadic(graph& model) { detail::dyadic_rewrite(model).run(); }

}  // namespace lpt::proof
