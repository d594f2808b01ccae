// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/op/recurrent.hpp>
#include <lpt/reference/activation.hpp>

namespace lpt::inline LPT_ABI::reference::detail {

/// One of the functions that a recurrent operation names, with its parameters and the limit of what goes into it.
struct gate_function {
    op::gate_form is = op::gate_form::sigmoid;
    double alpha = 0;
    double beta = 0;
    double clip = 0;

    constexpr double operator()(double x) const {
        const double in = clip > 0 ? math::minimum(math::maximum(x, -clip), clip) : x;
        switch (is) {
            case op::gate_form::sigmoid: return detail::sigmoid(in);
            case op::gate_form::tanh: return math::tanh(in);
            case op::gate_form::relu: return math::maximum(in, 0.0);
            case op::gate_form::hard_sigmoid: return math::maximum(0.0, math::minimum(1.0, alpha * in + beta));
            case op::gate_form::soft_sign: return in / (1 + math::absolute(in));
            case op::gate_form::soft_plus: return detail::soft_plus(in);
            case op::gate_form::elu: return in < 0 ? alpha * (math::exp(in) - 1) : in;
            case op::gate_form::leaky_relu: return in < 0 ? alpha * in : in;
            case op::gate_form::thresholded_relu: return in > alpha ? in : 0;
            case op::gate_form::affine: return alpha * in + beta;
            default: return alpha * math::tanh(beta * in);
        }
    }
};

constexpr gate_function gate_function_at(const op::detail::recurrent_attributes& self, std::size_t place, double clip) {
    const op::gate_function_word* const found = op::find_gate_function(self.activations[place]);
    if (found == nullptr) {
        fail({"activation '", self.activations[place], "' is not known"});
    }
    const auto given = [place](const seq<double>& all, double otherwise) {
        return place < all.size() ? all[place] : otherwise;
    };
    return {found->is, given(self.activations_alpha, found->alpha), given(self.activations_beta, found->beta), clip};
}

}  // namespace lpt::inline LPT_ABI::reference::detail
