// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/variables.hpp>

namespace lpt::inline LPT_ABI {

/// A cache of keys or values whose numbers are quantized on the way into it and dequantized behind it.
struct kv_cache {
    /// What makes 8-bit numbers of real ones.
    struct quantization {
        node_id multiply = node_id::none;
        node_id subtract = node_id::none;  // `none` where there is no shift
        node_id clamp = node_id::none;
        node_id convert = node_id::none;
        output_ref data;
        output_ref scale;
        output_ref shift;
    };

    node_id read = node_id::none;
    node_id gather = node_id::none;
    quantization kept;
    quantization added;
    node_id concat = node_id::none;
    // the dequantization behind it
    node_id convert = node_id::none;
    output_ref zero_point;  // no node where there is none
    output_ref factor;

    /// Looks for the cache that an Assign keeps; says what stands in the way.
    static constexpr verdict find_cache(const graph& model, node_id id, kv_cache& found) {
        if (model[id].version() < 6) {
            return refuse_value(reason::unsupported_version, -1, model[id].version());
        }
        return first_refusal([&] { return find_dequantization_above(model, id, found); },
                             [&] {
                                 found.concat = model.producer(found.convert, 0);
                                 const node& joined = model[found.concat];
                                 return joined.is<op::concat>() && joined.inputs() == 2 ? yes : no_cache(found.concat);
                             },
                             [&] { return find_quantization(model, model.producer(found.concat, 0), found.kept); },
                             [&] { return find_quantization(model, model.producer(found.concat, 1), found.added); },
                             [&] { return find_state(model, id, found); }, [&] { return are_equal(model, found); });
    }

private:
    /// Where the network is not that of a cache, and which operation it is about.
    static constexpr verdict no_cache(node_id about) { return refuse_because_of(reason::no_cache, 0, about); }

    static constexpr verdict find_dequantization_above(const graph& model, node_id id, kv_cache& found) {
        const detail::operands_with_constant operands = detail::operands_of(model, model.producer(id, 0));
        if (!operands) {
            return refuse(reason::no_dequantization, 0);
        }
        found.factor = operands.constant;
        found.convert = operands.data.node;
        if (const node& above = model[found.convert]; above.is<op::subtract>() && is_constant(model, above.input(1))) {
            found.zero_point = above.input(1);
            found.convert = above.input(0).node;
        }
        return model[found.convert].is<op::convert>() ? yes : refuse(reason::no_dequantization, 0);
    }
    static constexpr verdict find_quantization(const graph& model, node_id convert, quantization& found) {
        const node& last = model[convert];
        if (!last.is<op::convert>() || (last.type() != f8e4m3 && last.type() != f8e5m2)) {
            return refuse_type(reason::not_low_precision, 0, last.type(), convert);
        }
        found.convert = convert;
        found.clamp = model.producer(convert, 0);
        if (!model[found.clamp].is<op::clamp>()) {
            return no_cache(found.clamp);
        }
        found.multiply = model.producer(found.clamp, 0);
        if (model[found.multiply].is<op::subtract>()) {
            found.subtract = found.multiply;
            found.shift = model[found.subtract].input(1);
            found.multiply = model.producer(found.subtract, 0);
        }
        const bool multiplies = model[found.multiply].is<op::multiply>();
        const auto operands =
            multiplies ? detail::operands_of(model, found.multiply) : detail::operands_with_constant{};
        if (!operands) {
            return no_cache(found.multiply);
        }
        found.scale = operands.constant;
        found.data = operands.data;
        for (const output_ref each : {found.scale, found.shift}) {
            if (each && !is_constant(model, each)) {
                return refuse_because_of(reason::input_not_constant, 0, each.node);
            }
            if (each && model.shape(each).rank() != 0) {
                return refuse_because_of(reason::not_per_tensor, 0, each.node);
            }
        }
        return yes;
    }

    static constexpr verdict find_state(const graph& model, node_id id, kv_cache& found) {
        found.gather = found.kept.data.node;
        if (!model[found.gather].is<op::gather>()) {
            return no_cache(found.gather);
        }
        found.read = model.producer(found.gather, 0);
        const node_id old = model[found.gather].version() < 8 ? found.gather : found.read;
        return !model[found.read].is<op::read_value>() ? no_cache(found.read)
               : old == found.gather || model[old].version() < 6
                   ? refuse_value(reason::unsupported_version, 0, model[old].version(), old)
               : model[id].control_dependencies().size() != 1 || read_value_of(model, id) != found.read
                   ? no_cache(found.read)
               : is_variable_used_elsewhere(model, id, found.read) ? refuse(reason::shared_state)
                                                                   : have_one_reader(model, found);
    }
    /// What gets another type, or goes, is read by nothing else; the shape of it may be asked for.
    static constexpr verdict have_one_reader(const graph& model, const kv_cache& found) {
        const node_id way[] = {found.read, found.gather, found.kept.multiply, found.kept.subtract, found.kept.clamp};
        for (const node_id each : way) {
            std::size_t readers = 0;
            if (each != node_id::none) {
                for (const input_ref user : model.uses(each)) {
                    readers += model[user.node].is<op::shape_of>() ? 0u : 1u;
                }
            }
            if (readers > 1) {
                return refuse_because_of(reason::shared_producer, 0, each);
            }
        }
        return yes;
    }

    static constexpr verdict are_equal(const graph& model, const kv_cache& found) {
        if (static_cast<bool>(found.kept.shift) != static_cast<bool>(found.added.shift)) {
            return refuse_because_of(reason::quantizations_differ, 0,
                                     found.kept.shift ? found.kept.shift.node : found.added.shift.node);
        }
        const output_ref kept[] = {found.kept.scale, found.kept.shift};
        const output_ref added[] = {found.added.scale, found.added.shift};
        for (std::size_t i = 0; i < 2; ++i) {
            if (added[i] && constant_of(model, kept[i].node).real(0) != constant_of(model, added[i].node).real(0)) {
                return refuse_value(reason::quantizations_differ, 0, constant_of(model, added[i].node).real(0),
                                    added[i].node);
            }
        }
        return yes;
    }
};

}  // namespace lpt::inline LPT_ABI
