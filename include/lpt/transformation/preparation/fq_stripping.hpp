// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/fake_quantize/compose.hpp>

namespace lpt::inline LPT_ABI {

namespace detail {

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
        } else if (each.is<op::reshape>() || each.is<op::transpose>()) {
            divide_input(id, 0);
        } else if (each.is<op::convert>() && is_real(model().type(each.input(0)))) {
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
    constexpr division(auto& r, double divisor) : rewrite_(r), divisor_(divisor) {}

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

}  // namespace detail

/// Takes away FakeQuantize operations of 16 bits that change next to nothing: those with 65536 levels whose output range is their
/// input range, so that a network that was quantized to 16 bits runs in floating point.
///
/// Ranges count as equal where they differ by less than 1e-6, or, where they have different element types, by at most 1%.
/// With `weights_adjustment`, where a step of such a range, (high - low) / 65535, is larger than 1, the values above it are divided by
/// 10 times the step, so that they do not overflow f16: in scales of dequantizations, ranges and constants. This needs every path
/// below to end in MVN, which takes the factor out again, or Softmax, whose result does change, and only Add, Convert, Convolution,
/// FakeQuantize, MatMul, Multiply, Reshape and Transpose between; otherwise nothing is divided.
/// A FakeQuantize that feeds a Result stays there if its producer cannot take its name.
struct fq_stripping_transformation {
    static constexpr text_view name = "FQStrippingTransformation";

    static constexpr void run(auto& r) {
        graph& model = r.model;
        const bool adjusts = r.options.arguments_of(name).weights_adjustment;
        for (const node_id id : topological_order(model)) {
            if (model[id].is<op::fake_quantize>()) {
                visit(r, id, adjusts);
            }
        }
        model.collect();
    }

private:
    static constexpr double levels = 65536;

    static constexpr void visit(auto& r, node_id id, bool adjusts) {
        const verdict why = can_strip(r, id);
        if (!why) {
            r.refused(id, name, why);
            return;
        }
        if (adjusts) {
            if (const double step = greatest_step(r.model, id); step > 1) {
                detail::division(r, 10 * step).apply(id);
            }
        }
        strip(r, id);
    }

    static constexpr verdict can_strip(const auto& r, node_id id) {
        const graph& model = r.model;
        if (r.skips(name, id)) {
            return refuse(reason::skipped_by_callback);
        }
        const double own = static_cast<double>(model[id].as<op::fake_quantize>().levels);
        if (own != levels) {
            return {.why = reason::unsupported_levels, .value = own};
        }
        if (!has_constant_ranges(model, id)) {
            return refuse(reason::ranges_not_constant);
        }
        if (model.type(model[id].input(0)) != model[id].type()) {
            return {reason::types_do_not_match, 0, model[id].type()};
        }
        if (!is_same_bound(model, id, 1) || !is_same_bound(model, id, 2)) {
            return refuse(reason::nothing_to_do);
        }
        return yes;
    }
    /// True if a bound of the input range is that of the output range, two inputs further on.
    static constexpr bool is_same_bound(const auto& model, node_id id, std::size_t port) {
        const tensor& first = *model.constant_value(model[id].input(port));
        const tensor& second = *model.constant_value(model[id].input(port + 2));
        shape dimensions;
        if (!broadcast_shapes(first.dimensions(), second.dimensions(), dimensions)) {
            return false;
        }
        const tensor left = broadcast_values(first, dimensions);
        const tensor right = broadcast_values(second, dimensions);
        for (std::size_t i = 0; i < left.elements(); ++i) {
            const double difference = math::absolute(left.real(i) - right.real(i));
            const double size = math::maximum(math::absolute(left.real(i)), math::absolute(right.real(i)));
            const bool close = first.type() != second.type() && difference <= 0.01 * size;
            if (!(difference < 1e-6 || close)) {
                return false;
            }
        }
        return true;
    }
    static constexpr double greatest_step(const auto& model, node_id id) {
        const tensor& low = *model.constant_value(model[id].input(1));
        const tensor& high = *model.constant_value(model[id].input(2));
        shape dimensions;
        double result = 0;
        if (broadcast_shapes(low.dimensions(), high.dimensions(), dimensions)) {
            const tensor lows = broadcast_values(low, dimensions);
            const tensor highs = broadcast_values(high, dimensions);
            for (std::size_t i = 0; i < lows.elements(); ++i) {
                result = math::maximum(result, (highs.real(i) - lows.real(i)) / (levels - 1));
            }
        }
        return result;
    }

    static constexpr void strip(auto& r, node_id id) {
        graph& model = r.model;
        const output_ref data = model[id].input(0);
        if (detail::can_hand_name_on(model, id, data)) {
            if (detail::feeds_result(model, id)) {
                model.rename(data.node, model[id].name());
            }
            model.replace_uses(id, data);
            return;
        }
        for (const input_ref user : model.uses(id)) {
            if (!model[user.node].is<op::result>()) {
                model.set_input(user.node, static_cast<std::size_t>(user.port), data);
            }
        }
        r.refused(id, name, refuse(reason::name_has_no_place, 0));
    }
};

}  // namespace lpt::inline LPT_ABI
