// SPDX-License-Identifier: Apache-2.0
// Epilogues of steps, made of the functions of a chain.
#pragma once

#include <lpt/plan/chain.hpp>
#include <lpt/plan/steps.hpp>

#include <utility>

namespace lpt::inline LPT_ABI::plan {

/// Numbers along the loop axes of a step whose last axis is that of the channels.
inline number_row channel_numbers(const spread& numbers) {
    number_row result;
    result.values.assign(numbers.values.begin(), numbers.values.end());
    if (!numbers.is_one()) {
        result.strides = {0, 1};
    }
    return result;
}

/// Turns the functions of a chain into an epilogue. `numbers(spread)` and `residual(output)` give operands along the loop axes.
template <class Numbers, class Residual>
planned_finish finish_of(const chain& functions, const Numbers& numbers, const Residual& residual) {
    planned_finish result;
    std::size_t first = 0;
    if (!functions.functions.empty() && functions.functions[0].what == chain_function::form::affine) {
        result.scale = numbers(functions.functions[0].scale);
        result.bias = numbers(functions.functions[0].shift);
        first = 1;
    }
    for (std::size_t i = first; i < functions.functions.size(); ++i) {
        const chain_function& each = functions.functions[i];
        planned_post post;
        post.a = number_row::of(each.low);
        post.b = number_row::of(each.high);
        switch (each.what) {
            case chain_function::form::affine:
                post.kind = kernel::post_kind::scale_shift;
                post.a = numbers(each.scale);
                post.b = numbers(each.shift);
                break;
            case chain_function::form::divide:
                post.kind = kernel::post_kind::divide;
                post.a = numbers(each.scale);
                break;
            case chain_function::form::clamp: post.kind = kernel::post_kind::clamp; break;
            case chain_function::form::prelu:
                post.kind = kernel::post_kind::prelu;
                post.a = numbers(each.scale);
                break;
            case chain_function::form::unary:
                post.kind = kernel::post_kind::unary;
                post.function = each.function;
                break;
            case chain_function::form::add:
                post.kind = kernel::post_kind::add_residual;
                post.residual = residual(each.other);
                break;
            case chain_function::form::multiply:
                post.kind = kernel::post_kind::multiply_residual;
                post.residual = residual(each.other);
                break;
        }
        result.posts.push_back(std::move(post));
    }
    result.type = functions.type;
    result.low = static_cast<float>(functions.low);
    result.high = static_cast<float>(functions.high);
    return result;
}

inline void read_residuals(step& made, const planned_finish& finish) {
    for (const planned_post& post : finish.posts) {
        if (post.residual.tensor != tensor_id::none) {
            made.reads.push_back(post.residual.tensor);
        }
    }
}

/// The chain with scale * v + shift before its first function.
inline chain after_affine(const chain& functions, const spread& scale, const spread& shift) {
    chain result = functions;
    result.functions.clear();
    result.affine(scale, shift);
    for (std::size_t i = 0; i < functions.functions.size(); ++i) {
        const chain_function& each = functions.functions[i];
        if (i == 0 && each.what == chain_function::form::affine) {
            result.affine(each.scale, each.shift);
        } else {
            result.functions.push_back(each);
        }
    }
    return result;
}

}  // namespace lpt::inline LPT_ABI::plan
