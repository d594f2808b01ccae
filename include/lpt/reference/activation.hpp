// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/fold.hpp>

#include <cmath>
#include <type_traits>

/// The meaning of every operation, as plain scalar code.
namespace lpt::inline LPT_ABI::reference {

using evaluation::call;

namespace detail {

using evaluation::elements_between;
using evaluation::operand;
using evaluation::outcome;
using evaluation::with_number;
using evaluation::with_real;

constexpr double sigmoid(double x) { return 1 / (1 + math::exp(-x)); }
constexpr double soft_plus(double x) { return math::maximum(x, 0.0) + math::log(1 + math::exp(-math::absolute(x))); }
constexpr double gelu(double x, bool by_tanh) {
    if (by_tanh) {
        return x / 2 * (1 + math::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
    }
    return x / 2 * (1 + math::erf(x * 0.7071067811865476));
}

/// A function of one element, computed in double and rounded once.
template <class Function>
constexpr tensor unary(const call& node, Function function) {
    return with_real(node.input(0).type(), [&](auto zero) {
        using real = decltype(zero);
        return evaluation::map_elements<real, real>(
            node, [&](real x) { return static_cast<real>(function(static_cast<double>(x))); });
    });
}

/// Whether something is true of each element.
template <class Predicate>
constexpr tensor question(const call& node, Predicate predicate) {
    return with_real(node.input(0).type(), [&](auto zero) {
        using real = decltype(zero);
        return evaluation::map_elements<real, std::uint8_t>(
            node, [&](real x) -> std::uint8_t { return predicate(static_cast<double>(x)) ? 1 : 0; });
    });
}

/// The slope of PRelu as it broadcasts to x: a slope a channel stands on axis 1.
constexpr shape slope_shape(const shape& data, const shape& slope) {
    if (slope.rank() != 1 || data.rank() < 2 || slope[0] != data[1]) {
        return slope;
    }
    shape result = shape::of_ones(data.rank() - 1);
    result[0] = slope[0];
    return result;
}

template <class Number>
constexpr tensor prelu(const call& node) {
    const auto function = [](auto x, auto slope) {
        return x < decltype(x){} ? evaluation::detail::times(x, slope) : x;
    };
    return evaluation::detail::binary<Number, Number>(
        node, node.dimensions(0), slope_shape(node.dimensions(0), node.dimensions(1)),
        &evaluation::detail::binary_row<std::remove_const_t<decltype(function)>, Number, Number>);
}

}  // namespace detail

/// Functions of one element that constant folding leaves to the reference, and PRelu. Real functions are computed in double and
/// rounded once; of integers the result is taken towards zero.
[[gnu::cold]] inline bool evaluate_activation(const call& node, seq<tensor>& outputs) {
    const auto give = [&](auto function) {
        outputs.push_back(detail::unary(node, function));
        return true;
    };
    const double first = node.real_at(1, 1);
    const double second = node.real_at(2, 1);
    switch (node.kind()) {
        case op::kind::prelu:
            outputs.push_back(detail::with_number(node.input(0).type(),
                                                  [&](auto zero) { return detail::prelu<decltype(zero)>(node); }));
            return true;
        case op::kind::sigmoid: return give([](double x) { return detail::sigmoid(x); });
        case op::kind::tanh: return give([](double x) { return math::tanh(x); });
        case op::kind::elu: {
            const double alpha = node.as<op::elu>().alpha;
            return give([alpha](double x) { return x < 0 ? alpha * (math::exp(x) - 1) : x; });
        }
        case op::kind::gelu: {
            const bool by_tanh =
                node.version >= 7 && node.as<op::gelu>().approximation_mode == op::gelu_approximation::tanh;
            return give([by_tanh](double x) { return detail::gelu(x, by_tanh); });
        }
        case op::kind::hswish:
            return give([](double x) { return x * math::minimum(math::maximum(x + 3, 0.0), 6.0) / 6; });
        case op::kind::hsigmoid:
            return give([](double x) { return math::minimum(math::maximum(x + 3, 0.0), 6.0) / 6; });
        case op::kind::hard_sigmoid:
            return give([=](double x) { return math::maximum(0.0, math::minimum(1.0, first * x + second)); });
        case op::kind::swish: return give([=](double x) { return x * detail::sigmoid(first * x); });
        case op::kind::mish: return give([](double x) { return x * math::tanh(detail::soft_plus(x)); });
        case op::kind::soft_plus: return give([](double x) { return detail::soft_plus(x); });
        case op::kind::soft_sign: return give([](double x) { return x / (1 + math::absolute(x)); });
        case op::kind::selu: return give([=](double x) { return second * (x > 0 ? x : first * (math::exp(x) - 1)); });
        case op::kind::exp: return give([](double x) { return math::exp(x); });
        case op::kind::log: return give([](double x) { return math::log(x); });
        case op::kind::sqrt: return give([](double x) { return math::sqrt(x); });
        case op::kind::erf: return give([](double x) { return math::erf(x); });
        case op::kind::sin: return give([](double x) { return __builtin_sin(x); });
        case op::kind::cos: return give([](double x) { return __builtin_cos(x); });
        case op::kind::tan: return give([](double x) { return std::tan(x); });
        case op::kind::asin: return give([](double x) { return std::asin(x); });
        case op::kind::acos: return give([](double x) { return std::acos(x); });
        case op::kind::atan: return give([](double x) { return std::atan(x); });
        case op::kind::sinh: return give([](double x) { return std::sinh(x); });
        case op::kind::cosh: return give([](double x) { return std::cosh(x); });
        case op::kind::asinh: return give([](double x) { return std::asinh(x); });
        case op::kind::acosh: return give([](double x) { return std::acosh(x); });
        case op::kind::atanh: return give([](double x) { return std::atanh(x); });
        case op::kind::is_nan:
            outputs.push_back(detail::question(node, [](double x) { return math::is_nan(x); }));
            return true;
        case op::kind::is_finite:
            outputs.push_back(detail::question(node, [](double x) { return math::is_finite(x); }));
            return true;
        case op::kind::is_inf: {
            const auto& self = node.as<op::is_inf>();
            outputs.push_back(detail::question(node, [&self](double x) {
                return math::is_infinite(x) && (x < 0 ? self.detect_negative : self.detect_positive);
            }));
            return true;
        }
        default: return false;
    }
}

}  // namespace lpt::inline LPT_ABI::reference
