// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization/questions.hpp>

/// The conditions that rules share.
namespace lpt::inline LPT_ABI {

/// What a rule asks of an operation and of the dequantization that it reads; `found.port` says where.
using rule_condition = verdict (*)(const rewrite& r, node_id id, const dequantization& found);

/// The first refusal of conditions, which are asked in order and no further; yes where all hold.
template <rule_condition... Conditions>
constexpr verdict first_refusal(const rewrite& r, node_id id, const dequantization& found) {
    verdict answer = yes;
    static_cast<void>(((answer = Conditions(r, id, found), static_cast<bool>(answer)) && ...));
    return answer;
}
/// The same of the dequantization on input 0.
template <rule_condition... Conditions>
constexpr verdict first_refusal(const rewrite& r, node_id id) {
    return first_refusal<Conditions...>(r, id, find_dequantization(r, id));
}

/// Refuses an operation of another version.
template <int Version>
constexpr verdict is_version(const rewrite& r, node_id id, const dequantization&) {
    const int own = r.model[id].version();
    return own == Version ? yes : refuse_value(reason::unsupported_version, -1, own);
}
/// Refuses an output of unknown rank.
constexpr verdict output_rank_is_known(const rewrite& r, node_id id, const dequantization&) {
    for (std::size_t port = 0; port < r.model[id].outputs(); ++port) {
        if (r.model[id].shape(port).rank_is_dynamic()) {
            return refuse(reason::dynamic_rank, static_cast<int>(port));
        }
    }
    return yes;
}

/// Refuses an input without a dequantization, or without a scale.
constexpr verdict is_dequantized(const rewrite&, node_id, const dequantization& found) {
    return found.empty() ? refuse(reason::no_dequantization, found.port) : yes;
}
constexpr verdict has_scale(const rewrite&, node_id, const dequantization& found) {
    return found.has_multiply() ? yes : refuse(reason::no_dequantization, found.port);
}
/// Refuses data that has no low precision, where precisions are updated.
constexpr verdict has_low_precision(const rewrite& r, node_id, const dequantization& found) {
    return !r.options.update_precisions || is_low_precision(r.model, found)
               ? yes
               : refuse_type(reason::not_low_precision, found.port, r.model.type(found.data));
}
/// Refuses constants of more than one element.
constexpr verdict is_one_for_all(const rewrite& r, node_id, const dequantization& found) {
    return is_per_tensor(r.model, found) ? yes : refuse_not_per_tensor(r.model, found);
}
/// Refuses constants with different values.
constexpr verdict is_uniform(const rewrite& r, node_id, const dequantization& found) {
    return is_scalar_like(r.model, found) ? yes : refuse_not_per_tensor(r.model, found);
}
/// Refuses a zero point.
constexpr verdict has_no_zero_point(const rewrite& r, node_id, const dequantization& found) {
    return found.has_subtract() ? refuse_zero_point(r.model, found) : yes;
}
/// Refuses a scale with a negative value.
constexpr verdict scale_is_not_negative(const rewrite& r, node_id, const dequantization& found) {
    if (!found.has_multiply() || !(detail::extent_of(constant_of(r.model, found.scale)).least < 0)) {
        return yes;
    }
    const tensor& scale = constant_of(r.model, found.scale);
    const std::size_t first = first_value(scale, [](double value) { return value < 0; });
    return refuse_value(reason::negative_scale, found.port, scale.real(first), found.scale);
}
/// Refuses a scale with a value that is 0 or smaller than 1e-32 in magnitude.
constexpr verdict scale_is_not_zero(const rewrite& r, node_id, const dequantization& found) {
    if (!found.has_multiply()) {
        return yes;
    }
    const tensor& scale = constant_of(r.model, found.scale);
    if (!lpt::is_constant_evaluated() && scale.type() == f32 &&
        detail::floats_are_at_least(scale.data(), scale.elements(), 1e-32f)) {
        return yes;
    }
    const std::size_t first = first_value(scale, [](double value) { return math::absolute(value) < 1e-32; });
    return first == scale.elements()
               ? yes
               : refuse_value(reason::zero_or_denormal_scale, found.port, scale.real(first), found.scale);
}
/// Refuses infinite and NaN constants: operations that put other values beside the data, or compare it, would make NaN of them.
constexpr verdict constants_are_finite(const rewrite& r, node_id, const dequantization& found) {
    const node_id infinite =
        first_constant(found, [&](node_id each) { return !is_finite(constant_of(r.model, each)); });
    return infinite == node_id::none ? yes : refuse_because_of(reason::infinite_constant, found.port, infinite);
}

namespace detail {

/// True if a constant of a dequantization has one element, or varies over the channel axis, which is not the first, alone.
constexpr bool fits_channels(const graph& model, node_id elementwise, node_id constant, std::size_t channel_axis) {
    const shape& own = model[constant].shape();
    const shape& data = model[elementwise].shape();
    if (own.elements() == 1 || data.rank_is_dynamic() || own.rank() > data.rank()) {
        return own.elements() == 1;
    }
    const shape dimensions = own.rank() + 1 == data.rank() ? own.padded_left(data.rank()) : own;
    return dimensions.rank() == 1 ||
           varies_only_where(dimensions, [&](std::size_t axis) { return axis != 0 && axis == channel_axis; });
}

[[gnu::noinline]] constexpr verdict base_precondition_of(const rewrite& r, node_id id, const dequantization& found) {
    const auto fits = [&](node_id elementwise, node_id constant) {
        return constant == node_id::none || fits_channels(r.model, elementwise, constant, found.channel_axis);
    };
    const verdict ranks = output_rank_is_known(r, id, found);
    return !ranks || (fits(found.subtract, found.zero_point) && fits(found.multiply, found.scale))
               ? ranks
               : refuse_because_of(reason::not_per_tensor_or_per_channel, 0, constant_of_many(r.model, found));
}

}  // namespace detail

/// Output ranks are static, and the dequantization on port 0, found with upstream's precisions for it, is per-tensor or per-channel.
constexpr verdict base_precondition(const rewrite& r, node_id id) {
    const bool any = r.model[id].inputs() != 0 && may_be_dequantized(r.model, r.model[id].input(0));
    return detail::base_precondition_of(r, id,
                                        any ? find_dequantization(r.model, id, int8_precisions) : dequantization{});
}
/// The same where `found` is the dequantization with the default precisions, which are mostly the same.
constexpr verdict base_precondition(const rewrite& r, node_id id, const dequantization& found) {
    const bool same = r.options.default_precisions == view<element>(int8_precisions);
    return same ? detail::base_precondition_of(r, id, found) : base_precondition(r, id);
}

}  // namespace lpt::inline LPT_ABI
