// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/movement.hpp>
#include <lpt/import/onnx/pooling.hpp>

/// Reductions and normalizations.
namespace lpt::inline LPT_ABI::onnx {

inline lpt::integers all_axes(operation& n, output_ref x) {
    lpt::integers axes;
    for (std::size_t axis = 0; axis < n.rank(x); ++axis) {
        axes.push_back(static_cast<std::int64_t>(axis));
    }
    return axes;
}

/// The axes to reduce: all, or with `noop_with_empty_axes` none, where none are given.
inline output_ref reduced_axes(operation& n) {
    const output_ref axes = axes_input(n, 1);
    const bool given = axes && !(n.shape(axes).is_static() && n.shape(axes).elements() == 0);
    if (given || n.flag("noop_with_empty_axes")) {
        return given ? axes : n.indices(view<std::int64_t>());
    }
    return n.indices(all_axes(n, n.in(0)));
}

template <class Reduction>
output_ref reduced(operation& n, output_ref x) {
    Reduction what;
    what.keep_dims = n.flag("keepdims", true);
    return n.make(what, {x, reduced_axes(n)});
}
template <class Reduction>
void read_reduction(operation& n) {
    n.out(reduced<Reduction>(n, n.in(0)));
}
/// Greatest and least of booleans are "any" and "all".
template <class Reduction, class Logical>
void read_extreme(operation& n) {
    n.out(n.type(n.in(0)) == boolean ? reduced<Logical>(n, n.in(0)) : reduced<Reduction>(n, n.in(0)));
}
inline void read_sum_of_squares(operation& n) {
    n.out(reduced<op::reduce_sum>(n, n.make(op::multiply{}, {n.in(0), n.in(0)})));
}
inline void read_log_of_sum(operation& n) { n.out(n.make(op::log{}, {reduced<op::reduce_sum>(n, n.in(0))})); }
/// log(sum of exp(x - m)) + m with the greatest value m, so that nothing overflows.
inline void read_log_of_sum_of_exponentials(operation& n) {
    const output_ref x = n.in(0);
    const output_ref axes = reduced_axes(n);
    op::reduce_max most;
    most.keep_dims = true;
    const output_ref kept = n.make(most, {x, axes});
    const output_ref powers = n.make(op::exp{}, {n.make(op::subtract{}, {x, kept})});
    const output_ref sum = reduced<op::reduce_sum>(n, powers);
    most.keep_dims = n.flag("keepdims", true);
    n.out(n.make(op::add{}, {n.make(op::log{}, {sum}), n.make(most, {x, axes})}));
}

/// The place of the greatest or least value along an axis.
template <bool Greatest>
void read_place_of_extreme(operation& n) {
    output_ref x = n.in(0);
    const std::int64_t axis = n.axis_of(n.integer("axis", 0), n.rank(x));
    const bool last = n.flag("select_last_index");
    const output_ref size = n.size_along(x, axis);
    if (last) {
        // The first from the back.
        const output_ref back =
            n.make(op::subtract{}, {n.make(op::subtract{}, {size, n.integer_constant(1)}), n.counted(size)});
        x = n.gather(x, back, axis);
    }
    op::top_k top;
    top.axis = axis;
    top.mode = Greatest ? op::top_k_mode::max : op::top_k_mode::min;
    top.sort = op::top_k_sort::value;
    top.index_element_type = i64;
    top.stable = true;
    output_ref place(n.make_node(top, {x, n.integer_constant(1)}, 11), 1);
    if (last) {
        place = n.make(op::subtract{}, {n.make(op::subtract{}, {size, n.integer_constant(1)}), place});
    }
    n.out(n.flag("keepdims", true) ? place : n.squeeze(place, {axis}));
}

inline void read_top_k(operation& n) {
    op::top_k top;
    top.axis = n.integer("axis", -1);
    top.mode = n.flag("largest", true) ? op::top_k_mode::max : op::top_k_mode::min;
    top.sort = op::top_k_sort::value;
    top.index_element_type = i64;
    top.stable = true;
    const output_ref count = n.has(1) ? n.in(1) : n.indices({n.integer("k", 1)});
    const node_id made = n.make_node(top, {n.in(0), n.shape(count).rank() == 0 ? count : n.squeeze(count, {0})}, 11);
    n.out(0, made);
    n.out(1, output_ref(made, 1));
}

inline void read_cumulative_sum(operation& n) {
    op::cum_sum what;
    what.exclusive = n.flag("exclusive");
    what.reverse = n.flag("reverse");
    const output_ref axis = n.in(1);
    n.out(n.make(what, {n.in(0), n.shape(axis).rank() == 0 ? axis : n.squeeze(axis, {0})}));
}

// ---- normalization

/// Axes from `first` to the last.
inline lpt::integers last_axes(operation& n, output_ref x, std::int64_t first) {
    lpt::integers axes;
    for (auto axis = n.axis_of(first, n.rank(x)); axis < static_cast<std::int64_t>(n.rank(x)); ++axis) {
        axes.push_back(axis);
    }
    return axes;
}

inline output_ref normalized(operation& n, output_ref x, view<std::int64_t> axes, double epsilon) {
    op::mvn what;
    what.eps = epsilon;
    what.normalize_variance = true;
    what.eps_mode = op::mvn_eps_mode::inside_sqrt;
    return n.make(what, {x, n.indices(axes)}, 6);
}
inline double epsilon_of(operation& n, double otherwise = 1e-5) {
    return static_cast<double>(static_cast<float>(n.real("epsilon", otherwise)));
}

/// Mean and 1 / sqrt(variance + epsilon) as outputs `port` and `port + 1`, where they are wanted.
inline void out_statistics(operation& n, output_ref x, view<std::int64_t> axes, double epsilon, std::size_t port) {
    if (!n.wants(port) && !n.wants(port + 1)) {
        return;
    }
    const output_ref mean = n.reduce<op::reduce_mean>(x, axes, true);
    const output_ref difference = n.make(op::subtract{}, {x, mean});
    const output_ref variance = n.reduce<op::reduce_mean>(n.make(op::multiply{}, {difference, difference}), axes, true);
    const output_ref root = n.make(op::sqrt{}, {n.make(op::add{}, {variance, n.like(x, epsilon)})});
    n.out(port, mean);
    n.out(port + 1, n.make(op::divide{}, {n.like(x, 1), root}));
}

inline void read_layer_normalization(operation& n) {
    const output_ref x = n.in(0);
    const lpt::integers axes = last_axes(n, x, n.integer("axis", -1));
    output_ref result = n.make(op::multiply{}, {normalized(n, x, axes, epsilon_of(n)), n.in(1)});
    n.out(0, n.has(2) ? n.make(op::add{}, {result, n.in(2)}) : result);
    out_statistics(n, x, axes, epsilon_of(n), 1);
}

/// x / sqrt(mean of x^2 + epsilon)
inline output_ref root_mean_square_normalized(operation& n, output_ref x, view<std::int64_t> axes, double epsilon) {
    const output_ref squares = n.reduce<op::reduce_mean>(n.make(op::multiply{}, {x, x}), axes, true);
    const output_ref root = n.make(op::sqrt{}, {n.make(op::add{}, {squares, n.like(x, epsilon)})});
    return n.make(op::divide{}, {x, root});
}
inline void read_root_mean_square_normalization(operation& n) {
    const output_ref x = n.in(0);
    const output_ref in_f32 = n.type(x) == f64 ? x : n.convert(x, f32);
    const output_ref result =
        root_mean_square_normalized(n, in_f32, last_axes(n, x, n.integer("axis", -1)), epsilon_of(n));
    n.out(n.make(op::multiply{}, {n.convert(result, n.type(x)), n.in(1)}));
}

/// com.microsoft: layer normalization of x + skip + bias, which is the fourth output.
inline void read_skip_layer_normalization(operation& n) {
    const bool simplified = n.node().type == "SkipSimplifiedLayerNormalization";
    const std::size_t bias = simplified ? 3 : 4;
    output_ref sum = n.make(op::add{}, {n.in(0), n.in(1)});
    sum = n.has(bias) ? n.make(op::add{}, {sum, n.in(bias)}) : sum;
    const lpt::integers axes{-1};
    output_ref result = simplified ? root_mean_square_normalized(n, sum, axes, epsilon_of(n, 1e-12))
                                   : normalized(n, sum, last_axes(n, sum, -1), epsilon_of(n, 1e-12));
    result = n.make(op::multiply{}, {result, n.in(2)});
    n.out(0, !simplified && n.has(3) ? n.make(op::add{}, {result, n.in(3)}) : result);
    n.out(3, sum);
}

/// Numbers a channel, as they broadcast to data with channels on axis 1.
inline output_ref by_channel(operation& n, output_ref numbers, output_ref x) {
    lpt::integers sizes{-1};
    for (std::size_t axis = 2; axis < n.rank(x); ++axis) {
        sizes.push_back(1);
    }
    return n.reshape(numbers, sizes);
}

inline void read_instance_normalization(operation& n) {
    const output_ref x = n.in(0);
    const output_ref result = normalized(n, x, spatial_axes(n, x), epsilon_of(n));
    n.out(n.make(op::add{}, {n.make(op::multiply{}, {result, by_channel(n, n.in(1), x)}), by_channel(n, n.in(2), x)}));
}

/// Scales and biases are those of channels, before version 21 those of groups.
inline void read_group_normalization(operation& n) {
    const output_ref x = n.in(0);
    const std::int64_t groups = n.integer("num_groups", 1);
    const output_ref flat = n.reshape(x, {0, groups, -1}, true);
    output_ref result = normalized(n, flat, lpt::integers{2}, epsilon_of(n));
    if (n.version() < 21) {
        result = n.make(op::add{},
                        {n.make(op::multiply{}, {result, n.reshape(n.in(1), {-1, 1})}), n.reshape(n.in(2), {-1, 1})});
        return n.out(n.make(op::reshape{}, {result, n.shape_of(x)}));
    }
    result = n.make(op::reshape{}, {result, n.shape_of(x)});
    n.out(n.make(op::add{}, {n.make(op::multiply{}, {result, by_channel(n, n.in(1), x)}), by_channel(n, n.in(2), x)}));
}

/// Scale and shift of each channel; in training the mean and variance of the data count, and are given.
inline void read_batch_normalization(operation& n) {
    const output_ref x = n.in(0);
    const double epsilon = epsilon_of(n);
    output_ref mean = n.in(3);
    output_ref variance = n.in(4);
    if (n.flag("training_mode")) {
        lpt::integers axes = all_axes(n, x);
        axes.erase(1);
        const output_ref now = n.reduce<op::reduce_mean>(x, axes, true);
        const output_ref difference = n.make(op::subtract{}, {x, now});
        const output_ref spread =
            n.reduce<op::reduce_mean>(n.make(op::multiply{}, {difference, difference}), axes, false);
        const output_ref momentum = n.like(x, n.real("momentum", 0.9));
        const output_ref rest = n.make(op::subtract{}, {n.like(x, 1), momentum});
        const auto running = [&](output_ref before, output_ref fresh) {
            return n.make(op::add{},
                          {n.make(op::multiply{}, {before, momentum}), n.make(op::multiply{}, {fresh, rest})});
        };
        const output_ref flat = n.reshape(now, {-1});
        n.out(1, running(mean, flat));
        n.out(2, running(variance, spread));
        mean = flat;
        variance = spread;
    }
    const output_ref root = n.make(op::sqrt{}, {n.make(op::add{}, {variance, n.like(variance, epsilon)})});
    const output_ref scale = n.make(op::divide{}, {n.convert(n.in(1), n.type(root)), root});
    const output_ref shift =
        n.make(op::subtract{}, {n.convert(n.in(2), n.type(root)), n.make(op::multiply{}, {mean, scale})});
    const output_ref scaled = n.make(op::multiply{}, {x, by_channel(n, n.convert(scale, n.type(x)), x)});
    n.out(0, n.make(op::add{}, {scaled, by_channel(n, n.convert(shift, n.type(x)), x)}));
}

inline void read_local_response_normalization(operation& n) {
    op::lrn what;
    what.alpha = n.real("alpha", 0.0001);
    what.beta = n.real("beta", 0.75);
    what.bias = n.real("bias", 1);
    what.size = n.integer("size", 1);
    n.out(n.make(what, {n.in(0), n.indices({1})}));
}

inline void read_lp_normalization(operation& n) {
    const output_ref x = n.in(0);
    const lpt::integers axes{n.axis_of(n.integer("axis", -1), n.rank(x))};
    const output_ref norm = norm_of(n, x, norm_degree(n), axes);
    const output_ref quotient = n.make(op::divide{}, {x, norm});
    n.out(n.make(op::select{}, {n.make(op::equal{}, {norm, n.like(x, 0)}), n.like(x, 0), quotient}));
}

inline void read_mean_variance_normalization(operation& n) {
    const lpt::integers axes = n.has_attribute("axes") ? n.list("axes") : lpt::integers{0, 2, 3};
    n.out(normalized(n, n.in(0), axes, 1e-9));
}

inline constexpr operator_entry reduction_operators[] = {
    {"", "ReduceSum", read_reduction<op::reduce_sum>},
    {"", "ReduceMean", read_reduction<op::reduce_mean>},
    {"", "ReduceProd", read_reduction<op::reduce_prod>},
    {"", "ReduceL1", read_reduction<op::reduce_l1>},
    {"", "ReduceL2", read_reduction<op::reduce_l2>},
    {"", "ReduceMax", read_extreme<op::reduce_max, op::reduce_logical_or>},
    {"", "ReduceMin", read_extreme<op::reduce_min, op::reduce_logical_and>},
    {"", "ReduceSumSquare", read_sum_of_squares},
    {"", "ReduceLogSum", read_log_of_sum},
    {"", "ReduceLogSumExp", read_log_of_sum_of_exponentials},
    {"", "ArgMax", read_place_of_extreme<true>},
    {"", "ArgMin", read_place_of_extreme<false>},
    {"", "TopK", read_top_k},
    {"", "CumSum", read_cumulative_sum},
    {"", "LayerNormalization", read_layer_normalization},
    {"", "RMSNormalization", read_root_mean_square_normalization},
    {"", "SimplifiedLayerNormalization", read_root_mean_square_normalization},
    {"", "InstanceNormalization", read_instance_normalization},
    {"", "GroupNormalization", read_group_normalization},
    {"", "BatchNormalization", read_batch_normalization},
    {"", "LRN", read_local_response_normalization},
    {"", "LpNormalization", read_lp_normalization},
    {"", "MeanVarianceNormalization", read_mean_variance_normalization},
    {"com.microsoft", "LayerNormalization", read_layer_normalization},
    {"com.microsoft", "SkipLayerNormalization", read_skip_layer_normalization},
    {"com.microsoft", "SkipSimplifiedLayerNormalization", read_skip_layer_normalization},
};

}  // namespace lpt::inline LPT_ABI::onnx
