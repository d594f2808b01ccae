// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/elementwise.hpp>

/// Activation functions.
namespace lpt::inline LPT_ABI::onnx {

inline void read_leaky_relu(operation& n) {
    n.out(n.make(op::prelu{},
                 {n.in(0), n.like(n.in(0), static_cast<double>(static_cast<float>(n.real("alpha", 0.01))))}));
}

/// The slope broadcasts to the data from the right; a slope of one axis would be one of channels.
inline void read_prelu(operation& n) {
    output_ref slope = n.in(1);
    const std::size_t rank = n.rank(n.in(0));
    lpt::integers axes;
    for (std::size_t axis = n.rank(slope); axis < rank; ++axis) {
        axes.push_back(static_cast<std::int64_t>(axes.size()));
    }
    if (!axes.empty()) {
        slope = n.make(op::unsqueeze{}, {slope, n.indices(axes)});
    }
    n.out(n.make(op::prelu{}, {n.in(0), slope}));
}

inline void read_elu(operation& n) {
    op::elu what;
    what.alpha = n.real("alpha", 1);
    n.out(n.make(what, {n.in(0)}));
}

inline void read_selu(operation& n) {
    const output_ref x = n.in(0);
    n.out(n.make(op::selu{}, {x, n.like(x, n.real("alpha", 1.67326319217681884765625)),
                              n.like(x, n.real("gamma", 1.05070102214813232421875))}));
}

/// max(0, x) + min(0, alpha * (exp(x / alpha) - 1)), whose difference is rounded once where Elu has that alpha.
inline void read_celu(operation& n) {
    const output_ref x = n.in(0);
    const output_ref zero = n.like(x, 0);
    const double alpha = n.real("alpha", 1);
    const output_ref quotient = n.make(op::divide{}, {x, n.like(x, alpha)});
    const auto composed = [&] {
        const output_ref power = n.make(op::exp{}, {quotient});
        return n.make(op::multiply{}, {n.make(op::subtract{}, {power, n.like(x, 1)}), n.like(x, alpha)});
    };
    const output_ref below = alpha > 0 ? n.make(op::elu{{}, alpha}, {quotient}) : composed();
    n.out(n.make(op::add{}, {n.make(op::maximum{}, {x, zero}), n.make(op::minimum{}, {below, zero})}));
}

inline void read_hard_sigmoid(operation& n) {
    const output_ref x = n.in(0);
    n.out(n.make(op::hard_sigmoid{}, {x, n.like(x, n.real("alpha", 0.2)), n.like(x, n.real("beta", 0.5))}));
}

/// x * sigmoid(alpha * x)
inline void read_swish(operation& n) {
    const output_ref x = n.in(0);
    const double alpha = n.real("alpha", n.node().type == "QuickGelu" ? 1.702 : 1);
    const output_ref gate = n.make(op::sigmoid{}, {alpha == 1 ? x : n.make(op::multiply{}, {x, n.like(x, alpha)})});
    n.out(n.make(op::multiply{}, {x, gate}));
}

inline output_ref gelu_of(operation& n, output_ref x, bool by_tanh) {
    op::gelu what;
    what.approximation_mode = by_tanh ? op::gelu_approximation::tanh : op::gelu_approximation::erf;
    return n.make(what, {x});
}
inline void read_gelu(operation& n) { n.out(gelu_of(n, n.in(0), n.words("approximate", "none") == "tanh")); }
/// com.microsoft: Gelu of a sum with a bias.
inline void read_bias_gelu(operation& n) {
    const bool by_tanh = n.node().type == "FastGelu";
    n.out(gelu_of(n, n.has(1) ? n.make(op::add{}, {n.in(0), n.in(1)}) : n.in(0), by_tanh));
}

inline void read_thresholded_relu(operation& n) {
    const output_ref x = n.in(0);
    const output_ref above = n.make(op::greater{}, {x, n.like(x, n.real("alpha", 1))});
    n.out(n.make(op::select{}, {above, x, n.like(x, 0)}));
}

inline void read_shrink(operation& n) {
    const output_ref x = n.in(0);
    const double lambda = n.real("lambd", 0.5);
    const double bias = n.real("bias", 0);
    const output_ref below = n.make(op::less{}, {x, n.like(x, -lambda)});
    const output_ref above = n.make(op::greater{}, {x, n.like(x, lambda)});
    const output_ref up = n.make(op::add{}, {x, n.like(x, bias)});
    const output_ref down = n.make(op::subtract{}, {x, n.like(x, bias)});
    const output_ref middle = n.make(op::select{}, {above, down, n.like(x, 0)});
    n.out(n.make(op::select{}, {below, up, middle}));
}

/// The bound that input `port`, or before version 11 an attribute, gives; nothing where there is none.
inline output_ref bound_of(operation& n, std::size_t port, std::string_view name) {
    if (n.has(port)) {
        return n.in(port);
    }
    return n.version() < 11 && n.has_attribute(name) ? n.like(n.in(0), n.real(name, 0)) : output_ref();
}

inline void read_clip(operation& n) {
    const output_ref x = n.in(0);
    const output_ref least = bound_of(n, 1, "min");
    const output_ref most = bound_of(n, 2, "max");
    const tensor* low = least ? n.known(least) : nullptr;
    const tensor* high = most ? n.known(most) : nullptr;
    const bool both = low != nullptr && high != nullptr && low->elements() == 1 && high->elements() == 1;
    if (both && is_real(n.type(x)) && low->real(0) <= high->real(0)) {
        n.out(n.clamp(x, low->real(0), high->real(0)));
        return;
    }
    output_ref result = least ? n.make(op::maximum{}, {x, least}) : x;
    result = most ? n.make(op::minimum{}, {result, most}) : result;
    n.out(result);
}

/// What `along(x, axis)` makes along an axis; before version 13 along all axes from that one on, seen as one.
template <class Along>
void read_along_axis(operation& n, const Along& along) {
    const output_ref x = n.in(0);
    const bool flattens = n.version() < 13;
    const std::int64_t axis = n.integer("axis", flattens ? 1 : -1);
    const auto rank = static_cast<std::int64_t>(n.rank(x));
    const std::int64_t first = rank == 0 ? 0 : n.axis_of(axis, n.rank(x));
    if (rank == 0 || !flattens || first == rank - 1) {
        n.out(along(x, first));
        return;
    }
    lpt::integers sizes;
    for (std::int64_t i = 0; i < first; ++i) {
        sizes.push_back(0);
    }
    sizes.push_back(-1);
    const output_ref flat = n.reshape(x, sizes, true);
    n.out(n.make(op::reshape{}, {along(flat, first), n.shape_of(x)}));
}

template <bool Log>
void read_softmax(operation& n) {
    read_along_axis(n, [&](output_ref x, std::int64_t axis) {
        if constexpr (Log) {
            op::log_softmax what;
            what.axis = axis;
            return n.make(what, {x});
        } else {
            return n.softmax(x, axis);
        }
    });
}

/// 1 at the first of the greatest values along an axis, 0 elsewhere.
inline void read_hardmax(operation& n) {
    read_along_axis(n, [&](output_ref x, std::int64_t axis) {
        op::top_k top;
        top.axis = axis;
        top.sort = op::top_k_sort::value;
        top.index_element_type = i64;
        top.stable = true;
        const node_id found = n.make_node(top, {x, n.integer_constant(1)}, 11);
        op::one_hot ones;
        ones.axis = axis;
        const output_ref depth = n.squeeze(n.size_along(x, axis), {0});
        const output_ref places = n.squeeze(output_ref(found, 1), {axis});
        return n.make(ones, {places, depth, n.like(x, 1), n.like(x, 0)}, 1);
    });
}

/// Nothing is dropped where a network runs; the mask says so.
inline void read_dropout(operation& n) {
    if (n.has(2)) {
        const bool trains = n.known_input(2).integer(0) != 0;
        const double ratio = n.has(1) ? n.known_input(1).real(0) : 0.5;
        if (trains && ratio != 0) {
            n.wrong({"drops at random, as in training, which is not supported"});
        }
    }
    const output_ref x = n.in(0);
    n.out(x);
    if (n.wants(1)) {
        n.out(1, n.make(op::logical_or{}, {n.make(op::equal{}, {x, x}), n.make(op::not_equal{}, {x, x})}));
    }
}

inline void read_identity(operation& n) { n.out_value(0, n.value_at(0)); }

inline constexpr operator_entry activation_operators[] = {
    {"", "Relu", read_unary<op::relu>},
    {"", "LeakyRelu", read_leaky_relu},
    {"", "PRelu", read_prelu},
    {"", "Elu", read_elu},
    {"", "Selu", read_selu},
    {"", "Celu", read_celu},
    {"", "Sigmoid", read_unary<op::sigmoid>},
    {"", "Tanh", read_unary<op::tanh>},
    {"", "HardSigmoid", read_hard_sigmoid},
    {"", "HardSwish", read_unary<op::hswish>},
    {"", "Swish", read_swish},
    {"", "Mish", read_unary<op::mish>},
    {"", "Gelu", read_gelu},
    {"", "Softplus", read_unary<op::soft_plus>},
    {"", "Softsign", read_unary<op::soft_sign>},
    {"", "ThresholdedRelu", read_thresholded_relu},
    {"", "Shrink", read_shrink},
    {"", "Clip", read_clip},
    {"", "Softmax", read_softmax<false>},
    {"", "LogSoftmax", read_softmax<true>},
    {"", "Hardmax", read_hardmax},
    {"", "Dropout", read_dropout},
    {"", "Identity", read_identity},
    {"com.microsoft", "Gelu", read_gelu},
    {"com.microsoft", "QuickGelu", read_swish},
    {"com.microsoft", "BiasGelu", read_bias_gelu},
    {"com.microsoft", "FastGelu", read_bias_gelu},
};

}  // namespace lpt::inline LPT_ABI::onnx
