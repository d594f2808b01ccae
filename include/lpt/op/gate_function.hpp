// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/text.hpp>

/// The functions that recurrent operations name for their gates.
namespace lpt::inline LPT_ABI::op {

/// The functions of gates, with their parameters alpha and beta.
enum class gate_form {
    sigmoid,
    tanh,
    relu,
    hard_sigmoid,      // max(0, min(1, alpha * x + beta))
    soft_sign,         // x / (1 + |x|)
    soft_plus,         // log(1 + exp(x))
    elu,               // x < 0 ? alpha * (exp(x) - 1) : x
    leaky_relu,        // x < 0 ? alpha * x : x
    thresholded_relu,  // x > alpha ? x : 0
    affine,            // alpha * x + beta
    scaled_tanh,       // alpha * tanh(beta * x)
};

/// A function by the word that stands for it, with the parameters that it has where none are given, and how many those are.
struct gate_function_word {
    text_view word;
    gate_form is;
    double alpha = 0;
    double beta = 0;
    int parameters = 0;
};
inline constexpr gate_function_word gate_function_words[] = {
    {"sigmoid", gate_form::sigmoid},
    {"tanh", gate_form::tanh},
    {"relu", gate_form::relu},
    {"hardsigmoid", gate_form::hard_sigmoid, 0.2, 0.5, 2},
    {"hard_sigmoid", gate_form::hard_sigmoid, 0.2, 0.5, 2},
    {"softsign", gate_form::soft_sign},
    {"softplus", gate_form::soft_plus},
    {"elu", gate_form::elu, 1, 0, 1},
    {"leakyrelu", gate_form::leaky_relu, 0.01, 0, 1},
    {"thresholdedrelu", gate_form::thresholded_relu, 1, 0, 1},
    {"affine", gate_form::affine, 1, 0, 2},
    {"scaledtanh", gate_form::scaled_tanh, 1, 1, 2},
};

/// The function that a word stands for, or null.
constexpr const gate_function_word* find_gate_function(text_view word) {
    for (const gate_function_word& each : gate_function_words) {
        if (each.word == word) {
            return &each;
        }
    }
    return nullptr;
}

}  // namespace lpt::inline LPT_ABI::op
