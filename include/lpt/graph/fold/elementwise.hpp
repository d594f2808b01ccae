// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/lanes.hpp>
#include <lpt/base/traits.hpp>
#include <lpt/graph/fold/arithmetic.hpp>
#include <lpt/graph/fold/broadcast.hpp>

namespace lpt::inline LPT_ABI::evaluation {

namespace detail {

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

struct addition {
    constexpr auto operator()(auto a, auto b) const { return plus(a, b); }
};
struct subtraction {
    constexpr auto operator()(auto a, auto b) const { return minus(a, b); }
};
struct multiplication {
    constexpr auto operator()(auto a, auto b) const { return times(a, b); }
};
struct division_downwards {
    constexpr auto operator()(auto a, auto b) const { return quotient(a, b, true); }
};

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
    switch (kind) {
        case op::kind::add: return &binary_row<addition, Number, Number>;
        case op::kind::subtract: return &binary_row<subtraction, Number, Number>;
        case op::kind::multiply: return &binary_row<multiplication, Number, Number>;
        case op::kind::divide:
            if (downwards) {
                return &binary_row<division_downwards, Number, Number>;
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

/// The output of an operation that `evaluate_elementwise` knows.
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
