// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>

/// Elementwise operations with a constant that can be expressed by the ranges of a FakeQuantize.
namespace lpt::inline LPT_ABI {

/// The input of an elementwise operation that holds a Constant which a range of a FakeQuantize can take up; -1 if there is none.
///
/// Exactly two inputs, one of them constant (input 1 where both could be asked), which has no more axes than the data: the
/// operation would give it more. One element is always taken up. More only if data, input 0 and output have one shape, the
/// rank is static, and the constant varies over the first two axes alone.
constexpr int fusable_constant_port(const graph& model, node_id id) {
    const node& each = model[id];
    if (each.inputs() != 2) {
        return -1;
    }
    const bool first = is_constant(model, each.input(0));
    const bool second = is_constant(model, each.input(1));
    if (first == second) {
        return -1;
    }
    const int port = second ? 1 : 0;
    const shape& constant = model.shape(each.input(static_cast<std::size_t>(port)));
    const shape& data = model.shape(each.input(second ? 0 : 1));
    if (data.rank_is_static() && constant.rank() > data.rank()) {
        return -1;
    }
    if (constant.elements() == 1) {
        return port;
    }
    if (each.shape().rank_is_dynamic() || !(data == each.shape()) || !(model.shape(each.input(0)) == each.shape())) {
        return -1;
    }
    const auto is_first = [](std::size_t axis) { return axis < 2; };
    return varies_only_where(constant.padded_left(each.shape().rank()), is_first) ? port : -1;
}

}  // namespace lpt::inline LPT_ABI
