// SPDX-License-Identifier: Apache-2.0
// Functions of the elements along axes: MEAN, SUM, REDUCE_MAX, REDUCE_MIN, REDUCE_PROD, ARG_MAX, ARG_MIN.
#pragma once

#include <lpt/specified/operation.hpp>

namespace lpt::inline LPT_ABI::specified {

namespace detail {

/// Where the elements of an input go in the output of a reduction.
struct reduction {
    shape input;
    shape output;  // with axes of size 1 where axes were reduced
    shape result;  // as the operation's output has it
    std::int64_t reduced = 1;  // elements for each of the output

    reduction(const shape& from, const std::vector<std::int64_t>& axes, bool keeps) : input(from), output(from) {
        std::vector<bool> is_reduced(from.rank(), false);
        for (const std::int64_t axis : axes)
            is_reduced[axis_of(axis, from.rank())] = true;
        for (std::size_t axis = 0; axis < from.rank(); ++axis) {
            if (is_reduced[axis]) {
                output[axis] = 1;
                reduced *= from[axis];
            }
            if (keeps || !is_reduced[axis]) result.push_back(output[axis]);
        }
    }

    /// Calls `visit(k, i)` for each element i of the input, k its place in the output; those of one k in order of i.
    template <class Visit>
    void run(Visit visit) const {
        const std::vector<std::int64_t> strides = strides_of(output);
        std::int64_t i = 0;
        for_each_position(input, [&](const std::vector<std::int64_t>& index) {
            std::int64_t at = 0;
            for (std::size_t axis = 0; axis < index.size(); ++axis)
                at += output[axis] == 1 ? 0 : index[axis] * strides[axis];
            visit(static_cast<std::size_t>(at), static_cast<std::size_t>(i++));
        });
    }
};

/// The reduction that an operation does to its input; axes are its second input.
inline reduction reduction_of(const operands& run, bool keeps) {
    return {run.in(0).dimensions, run.in(1).integers(), keeps};
}

inline std::vector<std::int64_t> centred_sums(const value& input, const reduction& of, std::int32_t zero_point) {
    std::vector<std::int64_t> sums(of.output.elements(), 0);
    const std::int8_t* codes = input.as<std::int8_t>();
    of.run([&](std::size_t to, std::size_t from) { sums[to] += codes[from] - zero_point; });
    return sums;
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
    const bool keeps = op.option("keep_dims") != 0;
    return [=](const operands& run) {
        const detail::reduction of = detail::reduction_of(run, keeps);
        const std::vector<std::int64_t> sums = detail::centred_sums(run.in(0), of, from.zero_point);
        const arithmetic::multiplier mean = detail::divided(by, of.reduced);
        value& output = run.out();
        output.reshape(of.result);
        for (std::size_t i = 0; i < sums.size(); ++i) {
            const std::int32_t scaled = Arithmetic::scale(static_cast<std::int32_t>(sums[i]), mean);
            output.to<std::int8_t>()[i] =
                static_cast<std::int8_t>(code_range().clamp(std::int64_t{scaled} + to.zero_point));
        }
    };
}

/// SUM: round_half_away(sum(q - z_i) (s_i / s_o)) + z_o.
template <class Arithmetic>
step make_total(const operation& op) {
    op.expect_codes(1);
    const quantized from = op.in(0), to = op.out();
    const double by = static_cast<double>(from.scale) / static_cast<double>(to.scale);
    const bool keeps = op.option("keep_dims") != 0;
    return [=](const operands& run) {
        const detail::reduction of = detail::reduction_of(run, keeps);
        const std::vector<std::int64_t> sums = detail::centred_sums(run.in(0), of, from.zero_point);
        value& output = run.out();
        output.reshape(of.result);
        for (std::size_t i = 0; i < sums.size(); ++i) {
            const std::int64_t scaled = Arithmetic::scale_once(sums[i], by);
            output.to<std::int8_t>()[i] = static_cast<std::int8_t>(code_range().clamp(scaled + to.zero_point));
        }
    };
}

/// REDUCE_MAX, REDUCE_MIN: the largest or smallest code.
inline step make_extreme_along(const operation& op) {
    op.expect_codes(1);
    const bool largest = op.code() == tflite::builtin::reduce_max;
    const bool keeps = op.option("keep_dims") != 0;
    return [=](const operands& run) {
        const detail::reduction of = detail::reduction_of(run, keeps);
        value& output = run.out();
        output.reshape(of.result);
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
    const bool keeps = op.option("keep_dims") != 0;
    return [=](const operands& run) {
        const detail::reduction of = detail::reduction_of(run, keeps);
        const double root =
            std::pow(static_cast<double>(to.scale), 1.0 / static_cast<double>(std::max<std::int64_t>(1, of.reduced)));
        const arithmetic::multiplier by = Arithmetic::of(static_cast<double>(from.scale) / root);
        std::vector<std::int32_t> products(of.output.elements(), 0);
        std::vector<bool> begun(products.size(), false);
        const std::int8_t* codes = run.in(0).template as<std::int8_t>();
        of.run([&](std::size_t k, std::size_t i) {
            const std::int32_t factor = codes[i] - from.zero_point;
            products[k] = begun[k] ? detail::scaled_coarsely(std::int64_t{products[k]} * factor, by) : factor;
            begun[k] = true;
        });
        value& output = run.out();
        output.reshape(of.result);
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
