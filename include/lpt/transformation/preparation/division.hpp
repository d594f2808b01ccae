// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/fake_quantize/compose.hpp>

namespace lpt::inline LPT_ABI::detail {

/// Divides the values of a tensor by a number without changing what the network gives: scales, ranges and constants above are
/// divided, and everything below is followed until a normalization takes the factor out again.
///
/// First everything that would change is collected; then, if every path ends well, it is changed. Tensors are known by their
/// producers, which have one output.
class division {
    rewrite& rewrite_;
    double divisor_;
    seq<node_id> divided_;  // nodes whose output is divided
    seq<input_ref> constants_;  // inputs that get a divided constant
    seq<input_ref> factors_;  // inputs of products that carry the divisor
    bool possible_ = true;

    constexpr const graph& model() const { return rewrite_.model; }

    constexpr void divide_input(node_id user, std::size_t port) {
        const input_ref input{user, static_cast<std::int32_t>(port)};
        const output_ref source = model()[user].input(port);
        if (!is_constant(model(), source)) {
            divide_output(source.node);
        } else if (!is_real(model().type(source))) {
            possible_ = false;
        } else if (!constants_.contains(input)) {
            constants_.push_back(input);
        }
    }
    constexpr void divide_output(node_id id) {
        if (!divided_.contains(id)) {
            divided_.push_back(id);
        }
    }
    constexpr bool is_product(node_id id) const {
        return model()[id].is<op::multiply>() || model()[id].is<op::mat_mul>() || model()[id].is<op::convolution>();
    }
    /// The operand of a product that is divided, where it can be chosen: a constant, else weights, else the first.
    constexpr std::size_t preferred_factor(node_id id) const {
        for (const std::size_t port : {std::size_t{1}, std::size_t{0}}) {
            if (is_constant(model(), model()[id].input(port)) && is_real(model().type(model()[id].input(port)))) {
                return port;
            }
        }
        return is_constant_path(model(), model().producer(id, 1)) ? 1 : 0;
    }
    /// The operand of a product that carries the divisor; -1: none so far.
    constexpr std::int32_t factor_of(node_id id) const {
        for (const input_ref each : factors_) {
            if (each.node == id) {
                return each.port;
            }
        }
        return -1;
    }
    /// Sees to it that the output of a node is divided: through its inputs.
    constexpr void divide_above(node_id id) {
        const node& each = model()[id];
        if (is_product(id)) {
            if (factor_of(id) < 0) {
                const std::size_t port = preferred_factor(id);
                factors_.push_back({id, static_cast<std::int32_t>(port)});
                divide_input(id, port);
            }
        } else if (each.is<op::add>()) {
            divide_input(id, 0);
            divide_input(id, 1);
        } else if (each.is<op::reshape>() || each.is<op::transpose>() ||
                   (each.is<op::convert>() && is_real(model().type(each.input(0))))) {
            divide_input(id, 0);
        } else if (each.is<op::fake_quantize>() && has_constant_ranges(model(), id)) {
            divide_input(id, 3);
            divide_input(id, 4);
        } else {
            possible_ = false;
        }
    }
    /// Sees to it that the readers of a divided output can take it.
    constexpr void divide_below(node_id id) {
        for (const input_ref user : model().uses(id)) {
            const node& reader = model()[user.node];
            if (reader.is<op::mvn>() || reader.is<op::softmax>()) {
                continue;
            }
            if (is_product(user.node)) {
                const std::int32_t factor = factor_of(user.node);
                possible_ = possible_ && (factor < 0 || factor == user.port);
                if (factor < 0) {
                    factors_.push_back(user);
                }
                divide_output(user.node);
            } else if (reader.is<op::fake_quantize>() && user.port == 0 && has_constant_ranges(model(), user.node)) {
                divide_input(user.node, 1);
                divide_input(user.node, 2);
                divide_output(user.node);
            } else if (user.port == 0 && (reader.is<op::reshape>() || reader.is<op::transpose>() ||
                                          (reader.is<op::convert>() && is_real(reader.type())))) {
                divide_output(user.node);
            } else if (reader.is<op::add>()) {
                divide_output(user.node);
            } else {
                possible_ = false;
            }
        }
        possible_ = possible_ && model()[id].outputs() == 1;
    }

public:
    constexpr division(rewrite& r, double divisor) : rewrite_(r), divisor_(divisor) {}

    /// Divides what input 0 of a FakeQuantize reads. Gives false, and changes nothing, where this cannot be done.
    constexpr bool apply(node_id fake_quantize) {
        divide_input(fake_quantize, 0);
        for (std::size_t next = 0; possible_ && next < divided_.size(); ++next) {
            divide_below(divided_[next]);
            divide_above(divided_[next]);
        }
        if (!possible_) {
            return false;
        }
        for (const input_ref each : constants_) {
            const std::size_t port = static_cast<std::size_t>(each.port);
            const tensor& old = constant_of(model(), model().producer(each.node, port));
            tensor_builder values(old.type(), old.dimensions());
            for (std::size_t i = 0; i < values.elements(); ++i) {
                values.real(i, old.real(i) / divisor_);
            }
            const node_id made =
                rewrite_.model.constant(values.finish(), model()[model().producer(each.node, port)].name());
            copy_information(rewrite_, model().producer(each.node, port), made);
            rewrite_.model.set_input(each.node, port, made);
        }
        return true;
    }
};

}  // namespace lpt::inline LPT_ABI::detail
