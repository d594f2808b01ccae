// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/lanes.hpp>
#include <lpt/base/traits.hpp>
#include <lpt/graph/fold/broadcast.hpp>

namespace lpt::inline LPT_ABI::evaluation {

namespace detail {

// Integer arithmetic wraps around; it is done on unsigned numbers, where that is defined.
constexpr std::uint64_t bits_of(std::int64_t value) { return static_cast<std::uint64_t>(value); }
constexpr std::int64_t plus(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(bits_of(a) + bits_of(b));
}
constexpr std::int64_t minus(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(bits_of(a) - bits_of(b));
}
constexpr std::int64_t times(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(bits_of(a) * bits_of(b));
}
template <class Real>
constexpr Real plus(Real a, Real b) {
    return a + b;
}
template <class Real>
constexpr Real minus(Real a, Real b) {
    return a - b;
}
template <class Real>
constexpr Real times(Real a, Real b) {
    return a * b;
}
constexpr std::int64_t negated(std::int64_t value) { return minus(0, value); }
template <class Real>
constexpr Real negated(Real value) {
    return -value;
}
constexpr std::int64_t quotient(std::int64_t a, std::int64_t b, bool downwards) {
    if (b == -1) {
        return negated(a);
    }
    const std::int64_t whole = a / b;
    return downwards && a % b != 0 && (a < 0) != (b < 0) ? whole - 1 : whole;
}
template <class Real>
constexpr Real quotient(Real a, Real b, bool) {
    return a / b;
}
constexpr std::int64_t power(std::int64_t base, std::int64_t exponent) {
    if (exponent < 0) {
        return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
    }
    std::int64_t result = 1;
    for (; exponent != 0; exponent >>= 1) {
        if ((exponent & 1) != 0) {
            result = times(result, base);
        }
        base = times(base, base);
    }
    return result;
}
template <class Real>
constexpr Real power(Real base, Real exponent) {
    if (exponent == Real(2)) {
        return base * base;
    }
    if (exponent == Real(0.5) && base >= 0) {
        return static_cast<Real>(math::sqrt(static_cast<double>(base)));
    }
    return static_cast<Real>(math::power(static_cast<double>(base), static_cast<double>(exponent)));
}
constexpr std::int64_t remainder(std::int64_t a, std::int64_t b) { return b == -1 ? 0 : a % b; }
template <class Real>
constexpr Real remainder(Real a, Real b) {  // exact, and with the sign of a: what the C library's fmod gives
    if (math::is_nan(a) || math::is_nan(b) || math::is_infinite(a) || b == 0) {
        return static_cast<Real>(math::not_a_number);
    }
    const Real divisor = math::absolute(b);
    Real rest = math::absolute(a);
    if (math::is_infinite(divisor)) {
        return a;
    }
    while (rest >= divisor) {
        Real part = divisor;
        while (part <= rest / 2) {
            part *= 2;
        }
        rest -= part;
    }
    return math::sign_bit(a) ? -rest : rest;
}
template <class Number>
constexpr Number remainder_downwards(Number a, Number b) {
    const Number rest = remainder(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

// A loop of its own for each operation and number type is fast, but all of them together take as long to compile as all
// other folding. Only the operations that large tensors go through have one; for the others there is one loop that looks
// at the operation for each element.

/// One row of an elementwise operation on two inputs. The three ways to step have loops of their own: the compiler unrolls them.
template <class Function, class In, class Out>
constexpr void binary_row(const In* a, std::size_t step_a, const In* b, std::size_t step_b, Out* to, std::size_t count,
                          op::kind) {
    const Function function{};
    using namespace lpt::detail;
    if constexpr (is_same<Out, float> && requires(float_lanes x) { function(x, x); }) {
        std::size_t done = 0;
        for (; !lpt::is_constant_evaluated() && done + lane_count <= count; done += lane_count) {
            store_lanes(to + done, function(load_lanes(a, step_a, done), load_lanes(b, step_b, done)));
        }
        a += done * step_a;
        b += done * step_b;
        to += done;
        count -= done;
    }
    if (step_a == step_b) {
        for (std::size_t i = 0; i < count; ++i) {
            to[i] = function(a[i * step_a], b[i * step_b]);
        }
    } else if (step_a == 0) {
        const In left = a[0];
        for (std::size_t i = 0; i < count; ++i) {
            to[i] = function(left, b[i]);
        }
    } else {
        const In right = b[0];
        for (std::size_t i = 0; i < count; ++i) {
            to[i] = function(a[i], right);
        }
    }
}

// Functions differ in the loop over a row only: all else is compiled once for a number type.
template <class In, class Out>
using binary_row_function = void (*)(const In*, std::size_t, const In*, std::size_t, Out*, std::size_t, op::kind);
template <class In, class Out>
using unary_row_function = void (*)(const In*, Out*, std::size_t, op::kind);

/// The same for operations that share a loop.
template <class In, class Out, Out (*Function)(op::kind, In, In)>
constexpr void binary_row_by_kind(const In* a, std::size_t step_a, const In* b, std::size_t step_b, Out* to,
                                  std::size_t count, op::kind kind) {
    for (std::size_t i = 0; i < count; ++i) {
        to[i] = Function(kind, a[i * step_a], b[i * step_b]);
    }
}

template <class Function, class In, class Out>
constexpr void unary_row(const In* from, Out* to, std::size_t count, op::kind) {
    const Function function{};
    for (std::size_t i = 0; i < count; ++i) {
        to[i] = function(from[i]);
    }
}

template <class In, class Out>
[[gnu::noinline]] constexpr tensor binary(const call& node, const shape& left, const shape& right,
                                          binary_row_function<In, Out> function) {
    operand<In> a(node.input(0));
    operand<In> b(node.input(1));
    outcome<Out> result(node.output());
    const broadcast_walk<2> walk(node.output().dimensions, {&left, &right});
    Out* to = result.data();
    walk.for_each_row([&](const broadcast_walk<2>::row& row) {
        function(a.data() + row.at[0], row.step[0], b.data() + row.at[1], row.step[1], to + row.output, row.length,
                 node.kind());
    });
    return result.finish();
}

template <class In, class Out>
[[gnu::noinline]] constexpr tensor unary(const call& node, unary_row_function<In, Out> function) {
    operand<In> from(node.input(0));
    outcome<Out> result(node.output());
    function(from.data(), result.data(), result.elements(), node.kind());
    return result.finish();
}

template <class Number>
constexpr Number arithmetic_value(op::kind kind, Number a, Number b) {
    switch (kind) {
        case op::kind::divide: return quotient(a, b, false);
        case op::kind::power: return power(a, b);
        case op::kind::maximum: return math::maximum(a, b);
        case op::kind::minimum: return math::minimum(a, b);
        case op::kind::squared_difference: return times(minus(a, b), minus(a, b));
        case op::kind::mod: return remainder(a, b);
        default: return remainder_downwards(a, b);
    }
}

/// The loop over a row of an arithmetic operation; `downwards`: how integers are divided.
template <class Number>
constexpr binary_row_function<Number, Number> arithmetic_row(op::kind kind, bool downwards) {
    const auto with = [](auto function) { return &binary_row<decltype(function), Number, Number>; };
    switch (kind) {
        case op::kind::add: return with([](auto a, auto b) { return plus(a, b); });
        case op::kind::subtract: return with([](auto a, auto b) { return minus(a, b); });
        case op::kind::multiply: return with([](auto a, auto b) { return times(a, b); });
        case op::kind::divide:
            if (downwards) {
                return with([](auto a, auto b) { return quotient(a, b, true); });
            }
            break;
        default: break;
    }
    return &binary_row_by_kind<Number, Number, &arithmetic_value<Number>>;
}
template <class Number>
constexpr tensor arithmetic(const call& node) {
    const bool downwards = node.kind() == op::kind::divide && node.as<op::divide>().m_pythondiv;
    return binary<Number, Number>(node, node.dimensions(0), node.dimensions(1),
                                  arithmetic_row<Number>(node.kind(), downwards));
}

template <class Number>
constexpr std::uint8_t comparison_value(op::kind kind, Number a, Number b) {
    switch (kind) {
        case op::kind::equal: return a == b;
        case op::kind::not_equal: return a != b;
        case op::kind::greater: return a > b;
        case op::kind::greater_equal: return a >= b;
        case op::kind::less: return a < b;
        default: return a <= b;
    }
}

template <class Number>
constexpr tensor comparison(const call& node) {
    return binary<Number, std::uint8_t>(node, node.dimensions(0), node.dimensions(1),
                                        &binary_row_by_kind<Number, std::uint8_t, &comparison_value<Number>>);
}

constexpr std::uint8_t logic_value(op::kind kind, std::uint8_t a, std::uint8_t b) {
    switch (kind) {
        case op::kind::logical_and: return a != 0 && b != 0;
        case op::kind::logical_or: return a != 0 || b != 0;
        default: return (a != 0) != (b != 0);
    }
}

template <int Once = 0>
constexpr tensor logic(const call& node) {
    using truth = std::uint8_t;
    return binary<truth, truth>(node, node.dimensions(0), node.dimensions(1),
                                &binary_row_by_kind<truth, truth, &logic_value>);
}

template <class Number>
constexpr tensor selection(const call& node) {
    operand<std::uint8_t> condition(node.input(0));
    operand<Number> a(node.input(1));
    operand<Number> b(node.input(2));
    outcome<Number> result(node.output());
    const broadcast_walk<3> walk(node.output().dimensions,
                                 {&node.dimensions(0), &node.dimensions(1), &node.dimensions(2)});
    walk.for_each_row([&](const broadcast_walk<3>::row& row) {
        for (std::size_t i = 0; i < row.length; ++i) {
            const bool first = condition[row.at[0] + i * row.step[0]] != 0;
            result[row.output + i] = first ? a[row.at[1] + i * row.step[1]] : b[row.at[2] + i * row.step[2]];
        }
    });
    return result.finish();
}

}  // namespace detail

/// One element of one input for each element of the output.
template <class In, class Out, class Function>
constexpr tensor map_elements(const call& node, Function function) {
    operand<In> from(node.input(0));
    outcome<Out> result(node.output());
    Out* to = result.data();
    for (std::size_t i = 0; i < result.elements(); ++i) {
        to[i] = function(from[i]);
    }
    return result.finish();
}

namespace detail {

/// The limits of Clamp in the number type; for integers they are rounded inwards.
template <class Number>
constexpr Number clamp_limit(double limit, bool is_lower) {
    if constexpr (is_integer_type<Number>) {
        const double whole = is_lower ? math::ceil(limit) : math::floor(limit);
        return static_cast<Number>(lpt::detail::whole_number(whole));
    } else {
        return static_cast<Number>(limit);
    }
}

template <class Number>
constexpr tensor clamped(const call& node) {
    const Number low = clamp_limit<Number>(node.as<op::clamp>().min, true);
    const Number high = clamp_limit<Number>(node.as<op::clamp>().max, false);
    return map_elements<Number, Number>(node,
                                        [low, high](Number x) { return math::minimum(math::maximum(x, low), high); });
}

template <class Number>
constexpr Number function_value(op::kind kind, Number x) {
    switch (kind) {
        case op::kind::negative: return negated(x);
        case op::kind::abs: return x < 0 ? negated(x) : x + 0;
        case op::kind::sign: return x < 0 ? Number(-1) : x > 0 ? Number(1) : x;
        default: break;
    }
    if constexpr (is_integer_type<Number>) {
        return x;  // floor, ceiling and round leave integers alone
    } else {
        switch (kind) {
            case op::kind::floor: return math::floor(x);
            case op::kind::ceiling: return math::ceil(x);
            default: return math::round_half_even(x);
        }
    }
}

template <class Number>
constexpr void function_row(const Number* from, Number* to, std::size_t count, op::kind kind) {
    for (std::size_t i = 0; i < count; ++i) {
        to[i] = function_value(kind, from[i]);
    }
}

template <class Number>
constexpr tensor simple_function(const call& node) {
    const auto with = [&](auto function) {
        return unary<Number, Number>(node, &unary_row<decltype(function), Number, Number>);
    };
    constexpr bool whole = is_integer_type<Number>;
    switch (node.kind()) {
        case op::kind::relu: return with([](Number x) { return x < 0 ? Number(0) : x; });
        case op::kind::clamp: return clamped<Number>(node);
        case op::kind::round:
            if constexpr (!whole) {
                if (node.as<op::round>().mode == op::round_mode::half_away_from_zero) {
                    return with([](Number x) { return math::round_half_away(x); });
                }
            }
            break;
        default: break;
    }
    return unary<Number, Number>(node, &function_row<Number>);
}

constexpr bool has_zero(const tensor& values) {
    for (std::size_t i = 0; i < values.elements(); ++i) {
        if (values.integer(i) == 0) {
            return true;
        }
    }
    return false;
}

}  // namespace detail

/// True for the elementwise operations that `evaluate_elementwise` knows.
constexpr bool is_elementwise(op::kind kind) {
    switch (kind) {
        case op::kind::relu:
        case op::kind::negative:
        case op::kind::abs:
        case op::kind::sign:
        case op::kind::clamp:
        case op::kind::floor:
        case op::kind::ceiling:
        case op::kind::round:
        case op::kind::select: return true;
        default: return kind >= op::kind::add && kind <= op::kind::logical_not;
    }
}

namespace detail {

template <int Once = 0>
constexpr float value_of(op::kind kind, float a, float b) {
    switch (kind) {
        case op::kind::add: return a + b;
        case op::kind::subtract: return a - b;
        case op::kind::multiply: return a * b;
        default: return a / b;
    }
}

/// How an operation on two tensors broadcasts; `none` for all but sums, differences, products and quotients.
template <int Once = 0>
constexpr op::auto_broadcast rule_of(const op::attributes& what) {
    switch (what.number()) {
        case op::kind::add: return what.as<op::add>().auto_broadcast;
        case op::kind::subtract: return what.as<op::subtract>().auto_broadcast;
        case op::kind::multiply: return what.as<op::multiply>().auto_broadcast;
        case op::kind::divide: return what.as<op::divide>().auto_broadcast;
        default: return op::auto_broadcast::none;
    }
}

}  // namespace detail

/// The sum, difference, product or quotient of two small tensors of floats of one shape, or of one of them and a single number,
/// by numpy's rule, without asking for shapes: most constants of dequantizations are such. No tensor for anything else.
template <int Once = 0>
[[gnu::noinline]] constexpr tensor combine_few_floats(op::kind kind, const tensor& a, const tensor& b) {
    std::size_t few = 64;
    if (!lpt::is_constant_evaluated()) {  // more are not computed at once
        few = late_from - 1;
    }
    if (a.type() != f32 || b.type() != f32 || a.elements() > few || b.elements() > few) {
        return {};
    }
    const shape& left = a.dimensions();
    const shape& right = b.dimensions();
    const bool left_spreads = a.elements() == 1 && left.rank() <= right.rank();
    const bool right_spreads = b.elements() == 1 && right.rank() <= left.rank();
    if (!left_spreads && !right_spreads && !(left == right)) {
        const std::size_t rank = math::maximum(left.rank(), right.rank());
        if (lpt::is_constant_evaluated() || left.rank() == right.rank()) {
            return {};
        }
        return combine_few_floats(kind, tensor(a, left.padded_left(rank)), tensor(b, right.padded_left(rank)));
    }
    const shape& dimensions = right_spreads ? left : right;
    const std::byte* from_a = a.data();
    const std::byte* from_b = b.data();
    if (a.elements() == 1 && b.elements() == 1) {
        const auto x = lpt::detail::load<float>(from_a);
        return tensor::of_float(detail::value_of(kind, x, lpt::detail::load<float>(from_b)), dimensions);
    }
    if (!lpt::is_constant_evaluated()) {
        const operand<float> first(a);
        const operand<float> second(b);
        outcome<float> result(f32, dimensions);
        detail::arithmetic_row<float>(kind, true)(first.data(), left_spreads ? 0 : 1, second.data(),
                                                  right_spreads ? 0 : 1, result.data(), result.elements(), kind);
        return result.finish();
    }
    tensor_builder result(f32, dimensions);
    const std::size_t step_a = left_spreads ? 0 : 4;
    const std::size_t step_b = right_spreads ? 0 : 4;
    for (std::size_t i = 0; i < result.elements(); ++i) {
        const auto x = lpt::detail::load<float>(from_a + i * step_a);
        const auto y = lpt::detail::load<float>(from_b + i * step_b);
        lpt::detail::store(result.data() + 4 * i, detail::value_of(kind, x, y));
    }
    return result.finish();
}
/// `combine_few_floats` of an operation; no tensor where it is another operation, or does not broadcast by numpy's rule.
template <int Once = 0>
constexpr tensor evaluate_few_floats(const op::attributes& what, const tensor& a, const tensor& b) {
    if (detail::rule_of(what) != op::auto_broadcast::numpy) {
        return {};
    }
    return combine_few_floats(what.number(), a, b);
}

namespace detail {

/// The output of an operation that `evaluate_elementwise` knows.
template <int Once = 0>
[[gnu::noinline]] constexpr tensor elementwise(const call& node) {
    const op::kind kind = node.kind();
    const element type = node.input(0).type();
    if (kind == op::kind::logical_not) {
        return map_elements<std::uint8_t, std::uint8_t>(node, [](std::uint8_t x) -> std::uint8_t { return x == 0; });
    }
    if (kind >= op::kind::logical_and && kind <= op::kind::logical_xor) {
        return logic(node);
    }
    if (kind == op::kind::select) {
        return with_number(node.input(1).type(), [&](auto zero) { return selection<decltype(zero)>(node); });
    }
    if (kind >= op::kind::add && kind <= op::kind::floor_mod) {
        return with_number(type, [&](auto zero) { return arithmetic<decltype(zero)>(node); });
    }
    if (kind >= op::kind::equal && kind <= op::kind::less_equal) {
        return with_number(type, [&](auto zero) { return comparison<decltype(zero)>(node); });
    }
    return with_number(type, [&](auto zero) { return simple_function<decltype(zero)>(node); });
}

}  // namespace detail

/// Arithmetic, comparisons, logic, Select and the functions of one element that need no series.
///
/// Integer division rounds as `m_pythondiv` says; false for an integer division by zero.
template <int Once = 0>
[[gnu::cold]] constexpr bool evaluate_elementwise(const call& node, seq<tensor>& outputs) {
    const op::kind kind = node.kind();
    const bool divides = kind == op::kind::divide || kind == op::kind::mod || kind == op::kind::floor_mod;
    if (divides && !is_real(node.input(0).type()) && detail::has_zero(node.input(1))) {
        return false;
    }
    outputs.push_back(detail::elementwise(node));
    return true;
}

}  // namespace lpt::inline LPT_ABI::evaluation
