// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/reference/activation.hpp>

namespace lpt::inline LPT_ABI::reference {

namespace detail {

/// A tensor that broadcasts to the scores; nothing where the node has no such input.
struct broadcast_values {
    seq<double> values;
    integers strides;

    constexpr broadcast_values(const tensor& from, const shape& to) {
        const shape padded = from.dimensions().padded_left(to.rank());
        strides = evaluation::strides_of(padded);
        for (std::size_t axis = 0; axis < to.rank(); ++axis) {
            if (padded[axis] == 1) {
                strides[axis] = 0;
            }
        }
        values = reals_of(from);
    }
    constexpr broadcast_values() = default;
};

/// Exponentials of one row of scores divided by their sum; a row in which everything is masked becomes zero.
constexpr void softmax_row(double* row, std::size_t count, bool has_sink, double sink) {
    double most = has_sink ? sink : -math::infinity;
    for (std::size_t i = 0; i < count; ++i) {
        most = math::maximum(most, row[i]);
    }
    if (most == -math::infinity) {
        for (std::size_t i = 0; i < count; ++i) {
            row[i] = 0;
        }
        return;
    }
    double sum = has_sink ? math::exp(sink - most) : 0;
    for (std::size_t i = 0; i < count; ++i) {
        row[i] = math::exp(row[i] - most);
        sum += row[i];
    }
    for (std::size_t i = 0; i < count; ++i) {
        row[i] /= sum;
    }
}

/// All axes of an operand but the last two.
constexpr shape leading_axes(const shape& dimensions) {
    shape result;
    for (std::size_t axis = 0; axis + 2 < dimensions.rank(); ++axis) {
        result.push_back(dimensions[axis]);
    }
    return result;
}

/// One query, key and value matrix.
struct attention_head {
    std::size_t queries = 0;
    std::size_t keys = 0;
    std::size_t depth = 0;
    std::size_t width = 0;  // of the values
    double scale = 1;
    bool causal = false;
};

/// `bias(row, column)` gives what is added to a score, `sink(row)` a further score of a row.
template <class Real, class Bias, class Sink>
constexpr void attend(const attention_head& head, const Real* query, const Real* key, const Real* value, Real* to,
                      Bias bias, bool has_sink, Sink sink) {
    using matrix = evaluation::detail::matrix<Real>;
    seq<Real> scores(head.queries * head.keys, Real(0));
    evaluation::multiply_matrices(matrix{query, head.depth, 1}, matrix{key, 1, head.depth}, scores.data(), head.queries,
                                  head.keys, head.depth);
    seq<double> row(head.keys, 0.0);
    for (std::size_t i = 0; i < head.queries; ++i) {
        for (std::size_t j = 0; j < head.keys; ++j) {
            const double score = static_cast<double>(scores[i * head.keys + j]) * head.scale + bias(i, j);
            row[j] = head.causal && j > i ? -math::infinity : score;
        }
        softmax_row(row.data(), head.keys, has_sink, sink(i));
        for (std::size_t j = 0; j < head.keys; ++j) {
            scores[i * head.keys + j] = static_cast<Real>(row[j]);
        }
    }
    evaluation::multiply_matrices(matrix{scores.data(), head.keys, 1}, matrix{value, head.width, 1}, to, head.queries,
                                  head.width, head.keys);
}

template <class Real>
constexpr tensor attention(const call& node) {
    const auto size = [](const shape& dimensions, std::size_t from_back) {
        return static_cast<std::size_t>(dimensions[dimensions.rank() - from_back]);
    };
    const shape& dimensions = node.output().dimensions;
    attention_head head{size(node.dimensions(0), 2),
                        size(node.dimensions(1), 2),
                        size(node.dimensions(0), 1),
                        size(node.dimensions(2), 1),
                        1,
                        node.as<op::scaled_dot_product_attention>().causal};
    head.scale = node.real_at(4, 1 / math::sqrt(static_cast<double>(head.depth)));
    const shape outer = leading_axes(dimensions);
    shape score_shape = outer;
    score_shape.push_back(static_cast<dimension>(head.queries));
    shape sink_shape = score_shape;
    sink_shape.push_back(1);
    score_shape.push_back(static_cast<dimension>(head.keys));
    operand<Real> query(node.input(0));
    operand<Real> key(node.input(1));
    operand<Real> value(node.input(2));
    outcome<Real> result(node.output());
    broadcast_values mask;
    broadcast_values sinks;
    if (node.has(3)) {
        mask = broadcast_values(node.input(3), score_shape);
    }
    if (node.has(5)) {
        sinks = broadcast_values(node.input(5), sink_shape);
    }
    const bool is_choice = node.has(3) && node.input(3).type() == boolean;
    const auto at = [&](const broadcast_values& from, std::size_t which, std::size_t i, std::size_t j) {
        const std::size_t last = outer.rank() + 1;
        std::int64_t place =
            static_cast<std::int64_t>(i) * from.strides[last - 1] + static_cast<std::int64_t>(j) * from.strides[last];
        auto rest = static_cast<std::int64_t>(which);
        for (std::size_t axis = outer.rank(); axis-- > 0;) {
            place += rest % outer[axis] * from.strides[axis];
            rest /= outer[axis];
        }
        return from.values[static_cast<std::size_t>(place)];
    };
    const shape outer_of[3] = {leading_axes(node.dimensions(0)), leading_axes(node.dimensions(1)),
                               leading_axes(node.dimensions(2))};
    const evaluation::broadcast_walk<3> walk(outer, {&outer_of[0], &outer_of[1], &outer_of[2]});
    walk.for_each_row([&](const evaluation::broadcast_walk<3>::row& row) {
        for (std::size_t i = 0; i < row.length; ++i) {
            const std::size_t which = row.output + i;
            const auto bias = [&](std::size_t r, std::size_t c) {
                if (!node.has(3)) {
                    return 0.0;
                }
                const double given = at(mask, which, r, c);
                return is_choice ? (given != 0 ? 0.0 : -math::infinity) : given;
            };
            const auto sink = [&](std::size_t r) { return node.has(5) ? at(sinks, which, r, 0) : 0.0; };
            attend(head, query.data() + (row.at[0] + i * row.step[0]) * head.queries * head.depth,
                   key.data() + (row.at[1] + i * row.step[1]) * head.keys * head.depth,
                   value.data() + (row.at[2] + i * row.step[2]) * head.keys * head.width,
                   result.data() + which * head.queries * head.width, bias, node.has(5), sink);
        }
    });
    return result.finish();
}

}  // namespace detail

/// ScaledDotProductAttention; products in the number type of the output, the softmax in double. A row in which everything is masked
/// gives zeros.
[[gnu::cold]] inline bool evaluate_attention(const call& node, seq<tensor>& outputs) {
    outputs.push_back(
        detail::with_real(node.output().type, [&](auto zero) { return detail::attention<decltype(zero)>(node); }));
    return true;
}

}  // namespace lpt::inline LPT_ABI::reference
