// SPDX-License-Identifier: Apache-2.0
// Functions of the elements along axes: MEAN, SUM, REDUCE_MAX, REDUCE_MIN, REDUCE_PROD, ARG_MAX, ARG_MIN.
#pragma once

#include <lpt/specified/broadcast.hpp>

#include <memory>

namespace lpt::inline LPT_ABI::specified {

namespace detail {

/// Where the elements of an input go in the output of a reduction.
class reduction {
    walk<1> walk_;  // of the output, element by element of the input
    std::vector<std::int64_t> index_;

public:
    shape result;  // of the output
    std::int64_t reduced = 1;  // elements for each of the output
    std::vector<std::int64_t> sums;  // for those who need them

    reduction() = default;
    reduction(const shape& from, const std::vector<std::int64_t>& axes, bool keeps) {
        std::vector<bool> is_reduced(from.rank(), false);
        for (const std::int64_t axis : axes)
            is_reduced[axis_of(axis, from.rank())] = true;
        shape output = from;
        for (std::size_t axis = 0; axis < from.rank(); ++axis) {
            if (is_reduced[axis]) {
                output[axis] = 1;
                reduced *= from[axis];
            }
            if (keeps || !is_reduced[axis]) result.push_back(output[axis]);
        }
        if (from.elements() == 0) return;
        const std::vector<std::int64_t> strides = strides_of(output);
        for (std::size_t axis = 0; axis < from.rank(); ++axis) {
            const std::int64_t step = is_reduced[axis] ? 0 : strides[axis];
            if (from[axis] != 1) walk_.add_axis(from[axis], &step);
        }
        const std::int64_t none = 0;
        if (walk_.sizes.empty()) walk_.add_axis(1, &none);
        index_.assign(walk_.sizes.size() - 1, 0);
    }

    /// Calls `visit(k, i)` for each element i of the input, k its place in the output; those of one k in order of i.
    template <class Visit>
    void run(Visit visit) {
        if (walk_.sizes.empty()) return;
        const std::int64_t count = walk_.sizes.back(), step = walk_.steps[0].back();
        std::int64_t first = 0;
        for (bool done = false; !done; first += count) {
            std::int64_t at = 0;
            for (std::size_t axis = 0; axis < index_.size(); ++axis)
                at += index_[axis] * walk_.steps[0][axis];
            for (std::int64_t i = 0; i < count; ++i)
                visit(static_cast<std::size_t>(at + i * step), static_cast<std::size_t>(first + i));
            done = true;
            for (std::size_t axis = index_.size(); axis-- > 0;) {
                if (++index_[axis] < walk_.sizes[axis]) {
                    done = false;
                    break;
                }
                index_[axis] = 0;
            }
        }
    }
};

/// The reduction that an operation does to its input, and the output's shape; axes are its second input.
class known_reduction {
    std::shared_ptr<for_shapes<reduction>> known_ =
        std::make_shared<for_shapes<reduction>>(std::vector<std::size_t>{1});
    bool keeps_;

public:
    explicit known_reduction(bool keeps) : keeps_(keeps) {}
    reduction& of(const operands& run) const {
        return known_->of(run, [&](reduction& made) {
            made = reduction(run.in(0).dimensions, run.in(1).integers(), keeps_);
            run.out().reshape(made.result);
        });
    }
};

/// sum(q - z) for each element of the output.
inline const std::vector<std::int64_t>& centred_sums(const value& input, const value& output, reduction& of,
                                                     std::int32_t zero_point) {
    of.sums.assign(static_cast<std::size_t>(output.elements()), 0);
    const std::int8_t* codes = input.as<std::int8_t>();
    std::int64_t* sums = of.sums.data();
    of.run([=](std::size_t to, std::size_t from) { sums[to] += codes[from] - zero_point; });
    return of.sums;
}

/// The multiplier of a mean over n elements: the significand shifted as far as 64 bits allow, then divided by n.
inline arithmetic::multiplier divided(arithmetic::multiplier by, std::int64_t n) {
    if (n <= 0) return by;
    const int log = 63 - __builtin_clzll(static_cast<unsigned long long>(n));
    const int shift = std::max(0, std::min(std::min(log, 32), 31 + by.exponent));
    return {static_cast<std::int32_t>((std::int64_t{by.significand} << shift) / n), by.exponent - shift};
}

}  // namespace detail

/// MEAN: T(sum(q - z_i), M(s_i / s_o) / n) + z_o.
template <class Arithmetic>
step make_mean(const operation& op) {
    op.expect_codes(1);
    const quantized from = op.in(0), to = op.out();
    const arithmetic::multiplier by = Arithmetic::of(static_cast<double>(from.scale) / static_cast<double>(to.scale));
    const detail::known_reduction known(op.option("keep_dims") != 0);
    return [=](const operands& run) {
        detail::reduction& of = known.of(run);
        value& output = run.out();
        const std::vector<std::int64_t>& sums = detail::centred_sums(run.in(0), output, of, from.zero_point);
        const arithmetic::multiplier mean = detail::divided(by, of.reduced);
        for (std::size_t i = 0; i < sums.size(); ++i) {
            const std::int32_t scaled = Arithmetic::scale(static_cast<std::int32_t>(sums[i]), mean);
            output.to<std::int8_t>()[i] =
                static_cast<std::int8_t>(code_range().clamp(std::int64_t{scaled} + to.zero_point));
        }
    };
}

/// SUM: round_half_away(sum(q - z_i) (s_i / s_o)) + z_o; where the arithmetic rounds twice, T(sum(q - z_i), M(s_i / s_o)) + z_o.
template <class Arithmetic>
step make_total(const operation& op) {
    op.expect_codes(1);
    const quantized from = op.in(0), to = op.out();
    const double exactly = static_cast<double>(from.scale) / static_cast<double>(to.scale);
    const arithmetic::multiplier by = Arithmetic::of(exactly);
    const auto scaled = [=](std::int64_t sum) -> std::int64_t {
        if constexpr (Arithmetic::rounds_once) return Arithmetic::scale_once(sum, exactly);
        return Arithmetic::scale(static_cast<std::int32_t>(sum), by);
    };
    const detail::known_reduction known(op.option("keep_dims") != 0);
    return [=](const operands& run) {
        detail::reduction& of = known.of(run);
        value& output = run.out();
        const std::vector<std::int64_t>& sums = detail::centred_sums(run.in(0), output, of, from.zero_point);
        for (std::size_t i = 0; i < sums.size(); ++i)
            output.to<std::int8_t>()[i] = static_cast<std::int8_t>(code_range().clamp(scaled(sums[i]) + to.zero_point));
    };
}

/// REDUCE_MAX, REDUCE_MIN: the largest or smallest code.
inline step make_extreme_along(const operation& op) {
    op.expect_codes(1);
    const bool largest = op.code() == tflite::builtin::reduce_max;
    const detail::known_reduction known(op.option("keep_dims") != 0);
    return [=](const operands& run) {
        detail::reduction& of = known.of(run);
        value& output = run.out();
        const std::int8_t* codes = run.in(0).template as<std::int8_t>();
        std::int8_t* result = output.to<std::int8_t>();
        std::fill(result, result + output.elements(), static_cast<std::int8_t>(largest ? -128 : 127));
        of.run([&](std::size_t to, std::size_t from) {
            result[to] = largest ? std::max(result[to], codes[from]) : std::min(result[to], codes[from]);
        });
    };
}

namespace detail {

/// value * by with the upper 16 bits of the significand, rounded once, half up; what 32 bits cannot hold wraps around.
inline std::int32_t scaled_coarsely(std::int64_t value, arithmetic::multiplier by) {
    const std::int64_t significand = by.significand < 0x7FFF0000 ? (by.significand + (1 << 15)) >> 16 : 0x7FFF;
    const int right = std::min(62, std::max(1, 15 - by.exponent));
    return static_cast<std::int32_t>((value * significand + (std::int64_t{1} << (right - 1))) >> right);
}

}  // namespace detail

/// REDUCE_PROD of n elements: p = q - z_i of the first, then p = p (q - z_i) m for each other, at the end p m + z_o, with
/// m = s_i / s_o^(1 / n) in 16 bits.
template <class Arithmetic>
step make_product_along(const operation& op) {
    op.expect_codes(1);
    const quantized from = op.in(0), to = op.out();
    const detail::known_reduction known(op.option("keep_dims") != 0);
    return [=](const operands& run) {
        detail::reduction& of = known.of(run);
        const double root =
            std::pow(static_cast<double>(to.scale), 1.0 / static_cast<double>(std::max<std::int64_t>(1, of.reduced)));
        const arithmetic::multiplier by = Arithmetic::of(static_cast<double>(from.scale) / root);
        value& output = run.out();
        std::vector<std::int32_t> products(static_cast<std::size_t>(output.elements()), 0);
        std::vector<bool> begun(products.size(), false);
        const std::int8_t* codes = run.in(0).template as<std::int8_t>();
        of.run([&](std::size_t k, std::size_t i) {
            const std::int32_t factor = codes[i] - from.zero_point;
            products[k] = begun[k] ? detail::scaled_coarsely(std::int64_t{products[k]} * factor, by) : factor;
            begun[k] = true;
        });
        for (std::size_t i = 0; i < products.size(); ++i) {
            const std::int64_t code = std::int64_t{detail::scaled_coarsely(products[i], by)} + to.zero_point;
            output.to<std::int8_t>()[i] = static_cast<std::int8_t>(code_range().clamp(code));
        }
    };
}

/// ARG_MAX, ARG_MIN: the first position of the largest or smallest code along an axis, which is the second input.
inline step make_position(const operation& op) {
    op.expect_type(op.input(0), i8);
    const element type = op.type_of_output(0);
    if (type != i32 && type != i64) op.wrong("positions of type ", tflite::name(op.output(0).type));
    const bool largest = op.code() == tflite::builtin::arg_max;
    return [=](const operands& run) {
        const value& input = run.in(0);
        if (run.in(1).elements() != 1) fail({"ARG_MAX and ARG_MIN: expected one axis"});
        const std::size_t axis = axis_of(run.in(1).integer(0), input.dimensions.rank());
        shape wanted = input.dimensions;
        wanted.erase(axis);
        value& output = run.out();
        output.reshape(move(wanted));
        const std::int64_t outer = product(input.dimensions, 0, axis);
        const std::int64_t length = input.dimensions[axis];
        const std::int64_t inner = product(input.dimensions, axis + 1, input.dimensions.rank());
        if (length == 0 && outer * inner != 0) fail({"ARG_MAX and ARG_MIN: axis ", axis, " has no elements"});
        const std::int8_t* codes = input.as<std::int8_t>();
        for (std::int64_t i = 0; i < outer * inner; ++i) {
            const std::int8_t* from = codes + i / inner * length * inner + i % inner;
            std::int64_t best = 0;
            for (std::int64_t k = 1; k < length; ++k) {
                const bool is_better =
                    largest ? from[k * inner] > from[best * inner] : from[k * inner] < from[best * inner];
                if (is_better) best = k;
            }
            store_integer(type, output.to<std::byte>(), static_cast<std::size_t>(i), best);
        }
    };
}

}  // namespace lpt::inline LPT_ABI::specified
