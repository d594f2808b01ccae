// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/op/row.hpp>

namespace lpt::inline LPT_ABI::op {

namespace detail {

/// What all functions of one tensor that keep its shape and element type have in common.
struct elementwise_function {
    static constexpr versions opsets{0};
    static constexpr ports inputs{1, 1};
    static constexpr ports outputs{1, 1};

    static constexpr void infer(const elementwise_function&, inference& facts) {
        facts.output(facts.type(0), facts.dimensions(0));
    }
    friend constexpr bool operator==(const elementwise_function&, const elementwise_function&) = default;
};

/// Raises an error unless the input can be one single number.
constexpr void require_one_number(const inference& facts, std::size_t port) {
    const shape& dimensions = facts.dimensions(port);
    if (dimensions.is_static() && dimensions.elements() != 1) {
        facts.wrong({"input ", port, " must be a single number, not a tensor of shape ", dimensions});
    }
}

/// Raises an error where two inputs have different element types.
constexpr void require_same_type(const inference& facts, std::size_t port, std::size_t other) {
    const element a = facts.type(port);
    const element b = facts.type(other);
    if (a != b && a != dynamic && b != dynamic) {
        facts.wrong({"input ", other, " must have the element type ", lpt::name(a), " of input ", port, ", not ",
                     lpt::name(b)});
    }
}

}  // namespace detail

/// y = max(x, 0)
struct relu : detail::elementwise_function {
    static constexpr auto number = kind::relu;
    static constexpr text_view name = "Relu";
    static constexpr trait traits = trait::elementwise_unary | trait::precision_preserved | trait::quantizable;
};

/// y = x where x >= 0, slope * x elsewhere.
///
/// Inputs: x, slope. A slope with one axis of the size of axis 1 of x belongs to the channels; any other slope broadcasts
/// to x by numpy's rule. The slope has the element type of x. Raises an error where the slope fits neither way.
struct prelu {
    static constexpr auto number = kind::prelu;
    static constexpr text_view name = "PRelu";
    static constexpr versions opsets{0};
    static constexpr ports inputs{2, 2};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::relaxable | trait::quantizable;

    static constexpr void infer(const prelu&, inference& facts) {
        const shape& data = facts.dimensions(0);
        const shape& slope = facts.dimensions(1);
        if (data.rank_is_static() && slope.rank_is_static() && !fits(data, slope)) {
            facts.wrong({"a slope of shape ", slope, " does not fit data of shape ", data});
        }
        facts.output(facts.type(0), data);
    }
    friend constexpr bool operator==(const prelu&, const prelu&) = default;

private:
    static constexpr bool fits(const shape& data, const shape& slope) {
        if (slope.rank() == 1 && data.rank() > 1) {
            dimension channels = data[1];
            if (merge_dimension(channels, slope[0])) {
                return true;
            }
        }
        shape merged;
        if (slope.rank() > data.rank() || !broadcast_shapes(data, slope, merged)) {
            return slope.is_static() && slope.elements() == 1;
        }
        for (std::size_t axis = 0; axis < data.rank(); ++axis) {
            if (data.is_static(axis) && merged[axis] != data[axis]) {
                return false;
            }
        }
        return true;
    }
};

/// y = min(max(x, min), max); min <= max. For integer types the limits are rounded inwards.
struct clamp : detail::elementwise_function {
    static constexpr auto number = kind::clamp;
    static constexpr text_view name = "Clamp";
    static constexpr trait traits = trait::elementwise_unary | trait::relaxable | trait::quantizable;

    double min = 0;
    double max = 0;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("min", self.min);
        visit("max", self.max);
    }
    static constexpr void infer(const clamp& self, inference& facts) {
        if (self.min > self.max) {
            facts.wrong({"min ", self.min, " must not be greater than max ", self.max});
        }
        facts.output(facts.type(0), facts.dimensions(0));
    }
    friend constexpr bool operator==(const clamp&, const clamp&) = default;
};

/// y = 1 / (1 + exp(-x))
struct sigmoid : detail::elementwise_function {
    static constexpr auto number = kind::sigmoid;
    static constexpr text_view name = "Sigmoid";
    static constexpr trait traits = trait::elementwise_unary;
};

/// y = (exp(x) - exp(-x)) / (exp(x) + exp(-x))
struct tanh : detail::elementwise_function {
    static constexpr auto number = kind::tanh;
    static constexpr text_view name = "Tanh";
    static constexpr trait traits = trait::elementwise_unary;
};

/// y = x where x >= 0, alpha * (exp(x) - 1) elsewhere.
struct elu : detail::elementwise_function {
    static constexpr auto number = kind::elu;
    static constexpr text_view name = "Elu";
    static constexpr trait traits = trait::elementwise_unary;

    double alpha = 1;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("alpha", self.alpha);
    }
    friend constexpr bool operator==(const elu&, const elu&) = default;
};

/// The way in which Gelu is calculated.
enum class gelu_approximation { erf, tanh };
inline constexpr text_view gelu_approximation_words[] = {"ERF", "TANH"};
constexpr view<text_view> words_of(gelu_approximation) { return gelu_approximation_words; }

/// y = x * P(X <= x) for a standard normal X.
///
/// `erf`: y = x / 2 * (1 + erf(x / sqrt(2))); `tanh`: y = x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))).
/// Version 0 has no mode and means `erf`.
struct gelu : detail::elementwise_function {
    static constexpr auto number = kind::gelu;
    static constexpr text_view name = "Gelu";
    static constexpr versions opsets{0, 7};
    static constexpr trait traits = trait::elementwise_unary;

    gelu_approximation approximation_mode = gelu_approximation::erf;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("approximation_mode", self.approximation_mode, in_versions{7});
    }
    friend constexpr bool operator==(const gelu&, const gelu&) = default;
};

/// y = x * min(max(x + 3, 0), 6) / 6
struct hswish : detail::elementwise_function {
    static constexpr auto number = kind::hswish;
    static constexpr text_view name = "HSwish";
    static constexpr versions opsets{4};
    static constexpr trait traits = trait::elementwise_unary;
};

/// y = min(max(x + 3, 0), 6) / 6
struct hsigmoid : detail::elementwise_function {
    static constexpr auto number = kind::hsigmoid;
    static constexpr text_view name = "HSigmoid";
    static constexpr versions opsets{5};
    static constexpr trait traits = trait::elementwise_unary;
};

/// y = max(0, min(1, alpha * x + beta)).
///
/// Inputs: x, alpha, beta; the last two are single numbers of the element type of x.
struct hard_sigmoid : detail::elementwise_function {
    static constexpr auto number = kind::hard_sigmoid;
    static constexpr text_view name = "HardSigmoid";
    static constexpr ports inputs{3, 3};
    static constexpr trait traits = trait::elementwise_unary;

    static constexpr void infer(const hard_sigmoid&, inference& facts) {
        for (std::size_t port = 1; port < 3; ++port) {
            detail::require_one_number(facts, port);
            detail::require_same_type(facts, 0, port);
        }
        facts.output(facts.type(0), facts.dimensions(0));
    }
};

/// y = x / (1 + exp(-beta * x)).
///
/// Inputs: x, and perhaps beta: a single number of the element type of x, 1 if absent.
struct swish : detail::elementwise_function {
    static constexpr auto number = kind::swish;
    static constexpr text_view name = "Swish";
    static constexpr versions opsets{4};
    static constexpr ports inputs{1, 2};
    static constexpr trait traits = trait::elementwise_unary;

    static constexpr void infer(const swish&, inference& facts) {
        if (facts.inputs() > 1) {
            detail::require_one_number(facts, 1);
            detail::require_same_type(facts, 0, 1);
        }
        facts.output(facts.type(0), facts.dimensions(0));
    }
};

/// y = x * tanh(log(1 + exp(x)))
struct mish : detail::elementwise_function {
    static constexpr auto number = kind::mish;
    static constexpr text_view name = "Mish";
    static constexpr versions opsets{4};
    static constexpr trait traits = trait::elementwise_unary;
};

/// y = log(1 + exp(x))
struct soft_plus : detail::elementwise_function {
    static constexpr auto number = kind::soft_plus;
    static constexpr text_view name = "SoftPlus";
    static constexpr versions opsets{4};
    static constexpr trait traits = trait::elementwise_unary;
};

/// y = x / (1 + |x|)
struct soft_sign : detail::elementwise_function {
    static constexpr auto number = kind::soft_sign;
    static constexpr text_view name = "SoftSign";
    static constexpr versions opsets{9};
    static constexpr trait traits = trait::elementwise_unary;
};

/// y = lambda * x where x > 0, lambda * alpha * (exp(x) - 1) elsewhere.
///
/// Inputs: x, alpha, lambda; the last two are single numbers of the element type of x.
struct selu : detail::elementwise_function {
    static constexpr auto number = kind::selu;
    static constexpr text_view name = "Selu";
    static constexpr ports inputs{3, 3};
    static constexpr trait traits = trait::elementwise_unary;

    static constexpr void infer(const selu&, inference& facts) {
        for (std::size_t port = 1; port < 3; ++port) {
            detail::require_one_number(facts, port);
            detail::require_same_type(facts, 0, port);
        }
        facts.output(facts.type(0), facts.dimensions(0));
    }
};

/// y = e^x
struct exp : detail::elementwise_function {
    static constexpr auto number = kind::exp;
    static constexpr text_view name = "Exp";
    static constexpr trait traits = trait::elementwise_unary;
};

/// y = ln x; NaN below 0
struct log : detail::elementwise_function {
    static constexpr auto number = kind::log;
    static constexpr text_view name = "Log";
    static constexpr trait traits = trait::elementwise_unary;
};

/// y = x^(1/2); NaN below 0
struct sqrt : detail::elementwise_function {
    static constexpr auto number = kind::sqrt;
    static constexpr text_view name = "Sqrt";
    static constexpr trait traits = trait::elementwise_unary;
};

/// y = |x|
struct abs : detail::elementwise_function {
    static constexpr auto number = kind::abs;
    static constexpr text_view name = "Abs";
    static constexpr trait traits = trait::elementwise_unary;
};

/// y = -x
struct negative : detail::elementwise_function {
    static constexpr auto number = kind::negative;
    static constexpr text_view name = "Negative";
    static constexpr trait traits = trait::elementwise_unary;
};

/// y = -1, 0 or 1, as x is below, equal to or above 0
struct sign : detail::elementwise_function {
    static constexpr auto number = kind::sign;
    static constexpr text_view name = "Sign";
    static constexpr trait traits = trait::elementwise_unary;
};

/// y = 2 / sqrt(pi) * (integral of exp(-t^2) from 0 to x)
struct erf : detail::elementwise_function {
    static constexpr auto number = kind::erf;
    static constexpr text_view name = "Erf";
    static constexpr trait traits = trait::elementwise_unary;
};

/// y = the greatest whole number that is not greater than x
struct floor : detail::elementwise_function {
    static constexpr auto number = kind::floor;
    static constexpr text_view name = "Floor";
    static constexpr trait traits = trait::elementwise_unary;
};

/// y = the least whole number that is not less than x
struct ceiling : detail::elementwise_function {
    static constexpr auto number = kind::ceiling;
    static constexpr text_view name = "Ceiling";
    static constexpr trait traits = trait::elementwise_unary;
};

/// Where Round takes values that lie halfway between two whole numbers.
enum class round_mode { half_to_even, half_away_from_zero };
inline constexpr text_view round_mode_words[] = {"half_to_even", "half_away_from_zero"};
constexpr view<text_view> words_of(round_mode) { return round_mode_words; }

/// y = the whole number nearest to x; `mode` decides halves.
struct round : detail::elementwise_function {
    static constexpr auto number = kind::round;
    static constexpr text_view name = "Round";
    static constexpr versions opsets{5};
    static constexpr trait traits = trait::elementwise_unary;

    round_mode mode = round_mode::half_to_even;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("mode", self.mode);
    }
    friend constexpr bool operator==(const round&, const round&) = default;
};

/// y = sin x; x in radians
struct sin : detail::elementwise_function {
    static constexpr auto number = kind::sin;
    static constexpr text_view name = "Sin";
    static constexpr trait traits = trait::elementwise_unary;
};

/// y = cos x; x in radians
struct cos : detail::elementwise_function {
    static constexpr auto number = kind::cos;
    static constexpr text_view name = "Cos";
    static constexpr trait traits = trait::elementwise_unary;
};

}  // namespace lpt::inline LPT_ABI::op
