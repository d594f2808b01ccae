// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization/questions.hpp>

/// What nearly every transformation asks for first.
namespace lpt::inline LPT_ABI {

/// Every output rank is static, and the dequantization on port 0, which is `found`, is per-tensor or per-channel.
[[gnu::noinline]] constexpr verdict base_precondition(const graph& model, node_id id, const dequantization& found) {
    for (std::size_t port = 0; port < model[id].outputs(); ++port) {
        if (model[id].shape(port).rank_is_dynamic()) {
            return refuse(reason::dynamic_rank, static_cast<int>(port));
        }
    }
    const auto fits = [&](node_id elementwise, node_id constant) {
        if (model[constant].shape().elements() == 1) {
            return true;
        }
        shape dimensions = model[constant].shape();
        const shape& data = model[elementwise].shape();
        if (data.rank_is_dynamic() || dimensions.rank() > data.rank()) {
            return false;
        }
        if (data.rank() - dimensions.rank() == 1) {
            dimensions.insert(0, 1);
        }
        if (dimensions.rank() == 1) {
            return true;
        }
        if (dimensions[0] != 1) {
            return false;
        }
        for (std::size_t axis = 0; axis < dimensions.rank(); ++axis) {
            if (dimensions[axis] != 1 && axis != found.channel_axis) {
                return false;
            }
        }
        return true;
    };
    if ((found.has_subtract() && !fits(found.subtract, found.zero_point)) ||
        (found.has_multiply() && !fits(found.multiply, found.scale))) {
        return refuse_because_of(reason::not_per_tensor_or_per_channel, 0, constant_of_many(model, found));
    }
    return yes;
}
constexpr verdict base_precondition(const graph& model, node_id id, view<element> default_precisions) {
    const bool any = model[id].inputs() != 0 && may_be_dequantized(model, model[id].input(0));
    return base_precondition(model, id, any ? find_dequantization(model, id, default_precisions) : dequantization{});
}
/// `base_precondition` with the precisions that upstream always uses for it.
constexpr verdict base_precondition(const rewrite& r, node_id id) {
    return base_precondition(r.model, id, int8_precisions);
}
/// The same where `found` is the dequantization with the default precisions, which are mostly the same.
constexpr verdict base_precondition_of(const rewrite& r, node_id id, const dequantization& found) {
    const bool same = r.options.default_precisions == view<element>(int8_precisions);
    return same ? base_precondition(r.model, id, found) : base_precondition(r, id);
}
/// Refuses an operation of another version.
constexpr verdict is_version(const rewrite& r, node_id id, int version) {
    return r.model[id].version() == version ? yes
                                            : refuse_value(reason::unsupported_version, -1, r.model[id].version());
}
/// Every output rank is static; constants may vary over any axis.
constexpr verdict spatial_precondition(const rewrite& r, node_id id) {
    for (std::size_t port = 0; port < r.model[id].outputs(); ++port) {
        if (r.model[id].shape(port).rank_is_dynamic()) {
            return refuse(reason::dynamic_rank, static_cast<int>(port));
        }
    }
    return yes;
}

/// True if a Subtract of this dequantization is one that low precision arithmetic can take: u8 or i8 data, and a zero
/// point that is a Constant, or a Convert of a Constant of the data's type.
constexpr bool can_subtract_be_handled(const rewrite& r, const dequantization& found) {
    if (!found.has_subtract() || !r.options.update_precisions) {
        return true;
    }
    const element type = r.model.type(found.data);
    if (type != u8 && type != i8) {
        return false;
    }
    return found.zero_point_convert == node_id::none || r.model[found.zero_point].type() == type;
}

/// True if every zero point of the Subtract, rounded, lies in the data's type (u8, i8: within half a step of its range).
constexpr bool zero_point_fits(const graph& model, const dequantization& found) {
    if (!found.has_subtract() || found.zero_point_convert != node_id::none) {
        return true;
    }
    const element type = model.type(found.data);
    if (type != u8 && type != i8) {
        return type == f32 || type == f16;
    }
    const tensor& values = constant_of(model, found.zero_point);
    for (std::size_t i = 0; i < values.elements(); ++i) {
        if (!(values.real(i) >= facts(type).lowest - 0.5 && values.real(i) <= facts(type).highest + 0.5)) {
            return false;
        }
    }
    return true;
}

/// A refusal of the first zero point that lies outside the range of the data's type.
constexpr verdict refuse_unfit_zero_point(const graph& model, const dequantization& found, int port) {
    const element type = model.type(found.data);
    const tensor& values = constant_of(model, found.zero_point);
    std::size_t first = 0;
    while (first + 1 < values.elements() && values.real(first) >= facts(type).lowest - 0.5 &&
           values.real(first) <= facts(type).highest + 0.5) {
        ++first;
    }
    verdict result = refuse_value(reason::zero_point_does_not_fit, port, values.real(first), found.zero_point);
    result.type = type;
    return result;
}

}  // namespace lpt::inline LPT_ABI
