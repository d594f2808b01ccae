// SPDX-License-Identifier: Apache-2.0
// Which steps are so short that other threads would join too late.
#pragma once

#include <lpt/plan/steps.hpp>

namespace lpt::inline LPT_ABI::plan {

/// What one thread does in about the time that calling others takes, a microsecond: multiply-accumulates of bytes on vectors, and bytes that
/// are read and written.
inline constexpr std::int64_t fewest_products = std::int64_t{1} << 18;
inline constexpr std::size_t fewest_bytes = std::size_t{1} << 13;

namespace detail {

/// Multiply-accumulates of a step, those of f32 counted as four of bytes; -1: it is not made of them.
inline std::int64_t products_of(const network& net, const step& of) {
    const auto weight = [&](tensor_id data) { return net[data].type == f32 ? std::int64_t{4} : std::int64_t{1}; };
    checked all = -1;
    if (const auto* convolution = std::get_if<convolution_step>(&of.work)) {
        const kernel::convolution_shape& s = convolution->shape;
        all = checked(s.batch) * (s.in_channels / s.groups) * s.out_channels * weight(convolution->input);
        for (int axis = 0; axis < 3; ++axis) {
            all = all * (s.transposed ? s.in[axis] : s.out[axis]) * s.kernel[axis];
        }
    } else if (const auto* product = std::get_if<product_step>(&of.work)) {
        all = checked(static_cast<std::int64_t>(product->a_offsets.size())) * product->m * product->n * product->k *
              weight(product->a);
    }
    return all.is_within(-1, fewest_products) ? all.value() : fewest_products;
}

}  // namespace detail

/// True for a step that one thread finishes before another could help.
inline bool is_short(const network& net, const step& of) {
    const std::int64_t products = detail::products_of(net, of);
    if (products >= fewest_products) {
        return false;
    }
    std::size_t bytes = 0;
    for (const std::vector<tensor_id>* tensors : {&of.reads, &of.writes}) {
        for (const tensor_id each : *tensors) {
            bytes += net[each].bytes();
        }
    }
    return products >= 0 || bytes < fewest_bytes;
}

}  // namespace lpt::inline LPT_ABI::plan
