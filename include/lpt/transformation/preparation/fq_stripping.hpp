// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/fake_quantize/compose.hpp>
#include <lpt/transformation/preparation/division.hpp>

namespace lpt::inline LPT_ABI {

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

    static constexpr void run(rewrite& r) {
        const bool adjusts = r.options.arguments_of(name).weights_adjustment;
        for (const node_id id : topological_order(r.model)) {
            if (r.model[id].is<op::fake_quantize>()) {
                visit(r, id, adjusts);
            }
        }
        r.model.collect();
    }

private:
    static constexpr double levels = 65536;

    static constexpr void visit(rewrite& r, node_id id, bool adjusts) {
        if (const verdict why = can_strip(r, id); !why) {
            r.refused(id, name, why);
            return;
        }
        const double step = adjusts ? greatest_step(r.model, id) : 0;
        if (step > 1) {
            detail::division(r, 10 * step).apply(id);
        }
        strip(r, id);
    }

    static constexpr verdict can_strip(const rewrite& r, node_id id) {
        const graph& model = r.model;
        const element type = model[id].type();
        const double own = static_cast<double>(model[id].as<op::fake_quantize>().levels);
        return r.skips(name, id)                        ? refuse(reason::skipped_by_callback)
               : own != levels                          ? refuse_value(reason::unsupported_levels, -1, own)
               : !has_constant_ranges(model, id)        ? refuse(reason::ranges_not_constant)
               : model.type(model[id].input(0)) != type ? refuse_type(reason::types_do_not_match, 0, type)
               : is_same_bound(model, id, 1) && is_same_bound(model, id, 2) ? yes
                                                                            : refuse(reason::nothing_to_do);
    }
    /// Gives the constants of two inputs of a node in the shape that they broadcast to; false where they do not.
    static constexpr bool broadcast_pair(const graph& model, node_id id, const std::size_t (&ports)[2],
                                         tensor (&result)[2]) {
        const tensor& first = *model.constant_value(model[id].input(ports[0]));
        const tensor& second = *model.constant_value(model[id].input(ports[1]));
        shape dimensions;
        if (!broadcast_shapes(first.dimensions(), second.dimensions(), dimensions)) {
            return false;
        }
        result[0] = broadcast_values(first, dimensions);
        result[1] = broadcast_values(second, dimensions);
        return true;
    }
    /// True if a bound of the input range is that of the output range, two inputs further on.
    static constexpr bool is_same_bound(const graph& model, node_id id, std::size_t port) {
        tensor bounds[2];
        bool same = broadcast_pair(model, id, {port, port + 2}, bounds);
        for (std::size_t i = 0; same && i < bounds[0].elements(); ++i) {
            const double difference = math::absolute(bounds[0].real(i) - bounds[1].real(i));
            const double size = math::maximum(math::absolute(bounds[0].real(i)), math::absolute(bounds[1].real(i)));
            same = difference < 1e-6 || (bounds[0].type() != bounds[1].type() && difference <= 0.01 * size);
        }
        return same;
    }
    static constexpr double greatest_step(const graph& model, node_id id) {
        tensor bounds[2];
        double result = 0;
        if (broadcast_pair(model, id, {1, 2}, bounds)) {
            for (std::size_t i = 0; i < bounds[0].elements(); ++i) {
                result = math::maximum(result, (bounds[1].real(i) - bounds[0].real(i)) / (levels - 1));
            }
        }
        return result;
    }

    static constexpr void strip(rewrite& r, node_id id) {
        graph& model = r.model;
        const output_ref data = model[id].input(0);
        if (detail::can_hand_name_on(model, id, data)) {
            return detail::give_way(model, id, data);
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
