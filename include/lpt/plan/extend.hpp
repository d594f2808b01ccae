// SPDX-License-Identifier: Apache-2.0
// Which operations of the graph become functions of a chain.
#pragma once

#include <lpt/plan/quantization.hpp>

#include <utility>

namespace lpt::inline LPT_ABI::plan {

namespace detail {

/// A number that an input of the node gives.
inline bool one_number(const graph& model, const node& each, std::size_t port, double& result) {
    const tensor* value = model.constant_value(each.input(port));
    if (value == nullptr || value->elements() != 1) {
        return false;
    }
    result = value->real(0);
    return true;
}

/// Relu, Clamp … of one input without arrays of numbers.
inline bool extend_by_unary(chain& to, const graph& model, const node& each) {
    using kernel::unary_function;
    double alpha = 0;
    double beta = 0;
    switch (each.kind()) {
        case op::kind::relu: to.clamp(0, math::infinity); return true;
        case op::kind::clamp: to.clamp(each.as<op::clamp>().min, each.as<op::clamp>().max); return true;
        case op::kind::sigmoid: to.unary(unary_function::sigmoid); return true;
        case op::kind::tanh: to.unary(unary_function::tanh); return true;
        case op::kind::elu: to.unary(unary_function::elu, each.as<op::elu>().alpha); return true;
        case op::kind::gelu:
            to.unary(each.as<op::gelu>().approximation_mode == op::gelu_approximation::erf ? unary_function::gelu_erf
                                                                                           : unary_function::gelu_tanh);
            return true;
        case op::kind::hswish: to.unary(unary_function::hswish); return true;
        case op::kind::hsigmoid: to.unary(unary_function::hsigmoid); return true;
        case op::kind::hard_sigmoid:
            if (!one_number(model, each, 1, alpha) || !one_number(model, each, 2, beta)) {
                return false;
            }
            to.unary(unary_function::hard_sigmoid, alpha, beta);
            return true;
        case op::kind::swish:
            alpha = 1;
            if (each.inputs() > 1 && !one_number(model, each, 1, alpha)) {
                return false;
            }
            to.unary(unary_function::swish, alpha);
            return true;
        case op::kind::mish: to.unary(unary_function::mish); return true;
        case op::kind::soft_plus: to.unary(unary_function::softplus); return true;
        case op::kind::soft_sign: to.unary(unary_function::softsign); return true;
        case op::kind::selu:
            if (!one_number(model, each, 1, alpha) || !one_number(model, each, 2, beta)) {
                return false;
            }
            to.unary(unary_function::selu, alpha, beta);
            return true;
        case op::kind::exp: to.unary(unary_function::exp); return true;
        case op::kind::log: to.unary(unary_function::log); return true;
        case op::kind::sqrt: to.unary(unary_function::sqrt); return true;
        case op::kind::abs: to.unary(unary_function::abs); return true;
        case op::kind::negative: to.affine(spread::of(-1), spread::of(no_shift)); return true;
        case op::kind::sign: to.unary(unary_function::sign); return true;
        case op::kind::erf: to.unary(unary_function::erf); return true;
        case op::kind::floor: to.unary(unary_function::floor); return true;
        case op::kind::ceiling: to.unary(unary_function::ceiling); return true;
        case op::kind::round:
            to.unary(each.as<op::round>().mode == op::round_mode::half_to_even ? unary_function::round_even
                                                                               : unary_function::round_away);
            return true;
        default: return false;
    }
}

inline bool extend_by_prelu(chain& to, const graph& model, const node& each) {
    const tensor* slope = model.constant_value(each.input(1));
    if (slope == nullptr) {
        return false;
    }
    chain_function made;
    made.what = chain_function::form::prelu;
    const bool of_channels = slope->dimensions().rank() == 1 && each.shape().rank() > 1 && slope->elements() > 1 &&
                             slope->dimensions()[0] == each.shape()[1];
    shape wanted = slope->dimensions();
    if (of_channels) {
        wanted = shape::of_ones(each.shape().rank() - 1);
        wanted[0] = slope->dimensions()[0];
    }
    if (!spread_of(tensor(*slope, wanted), each.shape(), made.scale) || !to.allows(made.scale) || !finite(made.scale)) {
        return false;
    }
    to.functions.push_back(std::move(made));
    return true;
}

/// Power with a known exponent that has a function of its own.
inline bool extend_by_power(chain& to, const graph& model, const node& each, int port) {
    double exponent = 0;
    if (port != 0 || !one_number(model, each, 1, exponent)) {
        return false;
    }
    if (exponent == 1) {
        return true;
    }
    if (exponent == 2) {
        to.unary(kernel::unary_function::square);
    } else if (exponent == 3) {
        to.unary(kernel::unary_function::cube);
    } else if (exponent == 0.5) {
        to.unary(kernel::unary_function::sqrt);
    } else if (exponent == -1) {
        to.unary(kernel::unary_function::reciprocal);
    } else {
        return false;
    }
    return true;
}

/// True if what a node gives is only read to be rounded to whole numbers: a last digit decides about a whole step there.
inline bool is_rounded_next(const graph& model, node_id id) {
    return model.use_count(id) == 1 && model[model.first_use(id).node].is<op::round>();
}

/// True if a division by constants is one in the plan, too, not a product with their reciprocals, which may give another last digit: where
/// that decides about a step, as behind a single number, which is the scale or the mean of others.
inline bool is_divided_exactly(const graph& model, node_id id) {
    const shape& dimensions = model[id].shape();
    return is_rounded_next(model, id) || (dimensions.is_static() && dimensions.elements() == 1);
}

/// True if a node reads what a Convert makes of integers: what it subtracts is their zero point.
inline bool reads_converted_integers(const graph& model, node_id id) {
    const node& above = model[model[id].input(0).node];
    return above.is<op::convert>() && is_integral(model.type(above.input(0)));
}

/// True if multiplying by 1 / v divides by v to the last bit.
inline bool has_exact_reciprocal(double v) {
    const auto inverse = static_cast<float>(1 / v);
    return static_cast<double>(inverse) * v == 1 && math::absolute(v) < 1e30 && math::absolute(v) > 1e-30;
}

/// Arithmetic with numbers that are known; `port` is the one where the chain comes in.
inline bool extend_by_constant(chain& to, const graph& model, node_id id, const spread& numbers, int port) {
    const node& each = model[id];
    if (!to.allows(numbers) || !finite(numbers)) {
        return false;
    }
    const auto negated = [&] { return numbers.map([](double v) { return -v; }); };
    switch (each.kind()) {
        case op::kind::add: to.affine(spread::of(1), numbers); return true;
        case op::kind::multiply: to.affine(numbers, spread::of(no_shift)); return true;
        case op::kind::subtract:
            if (port == 0 && to.functions.empty() && reads_converted_integers(model, id)) {
                to.take_off(negated());
            } else if (port == 0) {
                to.affine(spread::of(1), negated());
            } else {
                to.affine(spread::of(-1), numbers);
            }
            return true;
        case op::kind::divide:
            if (port == 1) {
                to.unary(kernel::unary_function::reciprocal);
                to.affine(numbers, spread::of(no_shift));
                return true;
            }
            if (!numbers.all([](double v) { return v != 0; })) {
                return false;
            }
            // An exact reciprocal joins the scaling before it; at the start a division is the form that conversions know.
            if (is_divided_exactly(model, id) && (to.functions.empty() || !numbers.all(has_exact_reciprocal))) {
                to.divide(numbers);
                return true;
            }
            to.affine(numbers.map([](double v) { return 1 / v; }), spread::of(no_shift));
            return true;
        case op::kind::maximum:
        case op::kind::minimum: {
            if (!numbers.is_one()) {
                return false;
            }
            const bool lower = each.is<op::maximum>();
            to.clamp(lower ? numbers.one() : -math::infinity, lower ? math::infinity : numbers.one());
            return true;
        }
        default: return false;
    }
}

/// Arithmetic with another tensor.
inline bool extend_by_tensor(chain& to, quantized_sources& sources, const node& each, int port) {
    const graph& model = sources.model();
    const output_ref other = each.input(static_cast<std::size_t>(1 - port));
    quantized_source from = sources.of(other);
    if (!from.scale.is_one() || !from.shift.is_one()) {
        from = plain_source(model, other);
    }
    const shape& dimensions = model.shape(from.base);
    bool fits = dimensions == to.dimensions;
    if (!fits && to.channels_last && to.dimensions[0] == 1 && dimensions.rank() == to.dimensions.rank()) {
        fits = dimensions[1] == to.dimensions[1];
        for (std::size_t axis = 2; axis < dimensions.rank(); ++axis) {
            fits = fits && dimensions[axis] == 1;
        }
    }
    if (!fits || (model.type(from.base) != f32 && !is_byte(model.type(from.base)))) {
        return false;
    }
    chain_function made;
    made.other = from.base;
    made.low = from.scale.one();
    made.high = from.shift.one();
    switch (each.kind()) {
        case op::kind::add: break;
        case op::kind::subtract:
            if (port == 1) {
                to.affine(spread::of(-1), spread::of(no_shift));
            } else {
                made.low = -made.low;
                made.high = scaled_shift(made.high, -1);
            }
            break;
        case op::kind::multiply: made.what = chain_function::form::multiply; break;
        default: return false;
    }
    if (!each.is<op::multiply>()) {
        made.what = chain_function::form::add;
        to.join_rounded();
        to.affine(spread::of(1), spread::of(made.high));
        made.high = 0;
    }
    to.functions.push_back(std::move(made));
    return true;
}

}  // namespace detail

/// Adds the operation that reads the chain's last value on input `port`; false, and no change, if a chain cannot compute it.
inline bool extend(chain& to, quantized_sources& sources, node_id id, int port) {
    const graph& model = sources.model();
    const node& each = model[id];
    if (each.outputs() != 1 || !(each.shape() == to.dimensions) || to.type != f32 ||
        (each.type() != f32 && !is_byte(each.type()))) {
        return false;
    }
    const bool first = to.nodes.empty();
    // Relu and the like on integers: they stay what they are.
    const bool keeps_integers = first && is_byte(each.type()) &&
                                model.type(each.input(static_cast<std::size_t>(port))) == each.type() &&
                                (each.is<op::relu>() || each.is<op::clamp>());
    if (is_byte(each.type()) && !keeps_integers && !each.is<op::fake_quantize>()) {
        return false;
    }
    bool extended = false;
    spread numbers;
    switch (each.kind()) {
        case op::kind::fake_quantize: extended = port == 0 && detail::extend_by_fake_quantize(to, model, each); break;
        case op::kind::prelu: extended = port == 0 && detail::extend_by_prelu(to, model, each); break;
        case op::kind::power: extended = detail::extend_by_power(to, model, each, port); break;
        case op::kind::convert: extended = each.type() == f32 && model.type(each.input(0)) == f32; break;
        case op::kind::add:
        case op::kind::subtract:
        case op::kind::multiply:
        case op::kind::divide:
        case op::kind::maximum:
        case op::kind::minimum: {
            const tensor* other = model.constant_value(each.input(static_cast<std::size_t>(1 - port)));
            extended = other != nullptr ? spread_of(*other, each.shape(), numbers) &&
                                              detail::extend_by_constant(to, model, id, numbers, port)
                                        : !first && detail::extend_by_tensor(to, sources, each, port);
            break;
        }
        default: extended = port == 0 && detail::extend_by_unary(to, model, each); break;
    }
    if (!extended) {
        return false;
    }
    if (keeps_integers) {
        to.store(each.type(), facts(each.type()).lowest, facts(each.type()).highest);
    }
    to.nodes.push_back(id);
    to.tail = id;
    return true;
}

/// Follows the only reader of the chain's last value as long as it can join. `taken(node)`: it belongs to another step.
template <class Taken>
void follow(chain& to, quantized_sources& sources, const Taken& taken) {
    const graph& model = sources.model();
    while (to.type == f32 && model.use_count(to.tail) == 1) {
        const input_ref user = model.first_use(to.tail);
        if (taken(user.node) || !extend(to, sources, user.node, user.port)) {
            return;
        }
    }
}

/// Takes the quantization to other integers that alone reads those of the chain, as before a Concat, into it.
template <class Taken>
void requantize(chain& to, quantized_sources& sources, const Taken& taken) {
    const graph& model = sources.model();
    if (!is_byte(to.type) || model.use_count(to.tail) != 1) {
        return;
    }
    const input_ref user = model.first_use(to.tail);
    if (taken(user.node) || !model[user.node].is<op::fake_quantize>() || !is_byte(model[user.node].type())) {
        return;
    }
    chain longer = to;
    longer.compute_with_stored();
    if (extend(longer, sources, user.node, user.port)) {
        to = std::move(longer);
    }
}

}  // namespace lpt::inline LPT_ABI::plan
