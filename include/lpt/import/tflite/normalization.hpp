// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/tflite/network.hpp>

namespace lpt::inline LPT_ABI::tflite {

/// The order of axes of an operator that works along the last one, and where that is.
inline std::int64_t last_axis(network& net, axes order) {
    const std::size_t rank = net.input_info(0).dimensions.rank();
    return rank == 0 ? 0 : net.axis_in(-1, rank, order);
}

inline void make_softmax(network& net) {
    const axes order = net.order_for_all({0});
    output_ref data = net.real_input(0, order);
    const double beta = net.op().real("beta");
    if (beta != 1) {
        data = net.make().add(op::multiply{}, {data, net.make().real(beta)});
    }
    op::softmax what;
    what.axis = last_axis(net, order);
    net.give(net.make().add(what, {data}), order);
}
inline void make_log_softmax(network& net) {
    const axes order = net.order_for_all({0});
    op::log_softmax what;
    what.axis = last_axis(net, order);
    net.give(net.make().add(what, {net.real_input(0, order)}), order);
}
inline void make_l2_normalization(network& net) {
    constexpr double least_sum = 1e-12;  // of squares
    const axes order = net.order_for_all({0});
    op::normalize_l2 what;
    what.eps = least_sum;
    what.eps_mode = op::normalize_eps_mode::max;
    net.give(net.make().add(what, {net.real_input(0, order), net.make().indices({last_axis(net, order)})}), order);
}
/// y = x / (bias + alpha * sum of the squares of 2 * radius + 1 neighbours) ^ beta
inline void make_local_response_normalization(network& net) {
    const axes order = net.order_for_all({0});
    op::lrn what;
    what.size = 2 * net.op().integer("radius") + 1;
    what.alpha = net.op().real("alpha") * static_cast<double>(what.size);
    what.beta = net.op().real("beta");
    what.bias = net.op().real("bias");
    net.give(net.make().add(what, {net.real_input(0, order), net.make().indices({last_axis(net, order)})}), order);
}

}  // namespace lpt::inline LPT_ABI::tflite
