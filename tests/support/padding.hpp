// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/graph.hpp>

namespace lpt::support {

/// True for a Pad in mode constant that fills a margin along one axis, of one element.
inline bool fills_axis_of_one(const graph& model, node_id id) {
    const node& pad = model[id];
    const tensor* const begin = pad.inputs() > 3 ? model.constant_value(pad.input(1)) : nullptr;
    const tensor* const end = pad.inputs() > 3 ? model.constant_value(pad.input(2)) : nullptr;
    const shape& data = model.shape(pad.input(0));
    if (!pad.is<op::pad>() || pad.as<op::pad>().pad_mode != op::pad_mode::constant || begin == nullptr ||
        end == nullptr || !data.rank_is_static()) {
        return false;
    }
    int filled = 0;
    bool is_one = false;
    for (std::size_t axis = 0; axis < data.rank(); ++axis) {
        if (begin->integer(axis) > 0 || end->integer(axis) > 0) {
            ++filled;
            is_one = data[axis] == 1;
        }
    }
    return filled == 1 && is_one;
}

}  // namespace lpt::support
