// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/model_builder.hpp>

#include <vector>

/// Which values of a graph are real numbers that nothing quantized before.
namespace lpt::inline LPT_ABI::onnx {

/// Knows of each output whether all that it is computed from is real: then no transformation computes it on integers, whatever operations there are, and
/// what it is quantized to is decided by a division. Functions of quantized values are real, too, because they become tables.
class real_values {
    enum class state : unsigned char { real, quantized, dequantized };
    std::vector<state> states_;  // by node

    static bool is_function(op::kind kind) {
        switch (kind) {
            case op::kind::sigmoid:
            case op::kind::tanh:
            case op::kind::exp:
            case op::kind::log:
            case op::kind::sqrt:
            case op::kind::erf:
            case op::kind::sin:
            case op::kind::cos:
            case op::kind::elu:
            case op::kind::selu:
            case op::kind::gelu:
            case op::kind::swish:
            case op::kind::mish:
            case op::kind::hswish:
            case op::kind::hsigmoid:
            case op::kind::hard_sigmoid:
            case op::kind::soft_plus:
            case op::kind::soft_sign: return true;
            default: return false;
        }
    }
    bool reads_real(const graph& model, const node& each) const {
        if (each.is<op::fake_quantize>()) {
            return model.constant_value(each.input(0)) != nullptr;
        }
        if (each.bodies().size() != 0) {
            return false;
        }
        for (std::size_t port = 0; port < each.inputs(); ++port) {
            const node_id source = each.input(port).node;
            const bool is_table =
                port == 0 && is_function(each.kind()) &&
                (model[source].is<op::fake_quantize>() || states_[index_of(source)] == state::dequantized);
            if (!is_table && states_[index_of(source)] != state::real) {
                return false;
            }
        }
        return true;
    }

    /// Nodes are looked at once, in the order in which they were made, which is behind what they read.
    void look_at(const graph& model) {
        const std::size_t seen = states_.size();
        states_.resize(model.id_bound(), state::quantized);
        for (std::size_t i = seen; i < states_.size(); ++i) {
            if (model.contains(id_at(i)) && reads_real(model, model[id_at(i)])) {
                states_[i] = state::real;
            }
        }
    }

public:
    bool is_real(const graph& model, output_ref value) {
        look_at(model);
        return model.type(value) == f32 && states_[index_of(value.node)] == state::real;
    }
    /// Says that what a node gives stands for integers, whatever it reads: it dequantizes them.
    void stands_for_integers(const graph& model, output_ref value) {
        look_at(model);
        states_[index_of(value.node)] = state::dequantized;
    }
};

}  // namespace lpt::inline LPT_ABI::onnx
