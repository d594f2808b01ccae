// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/pattern.hpp>
#include <lpt/transformation/variables.hpp>

namespace lpt::inline LPT_ABI {

/// Keeps a cache of keys or values in 8-bit floating point from run to run; not part of the default pipeline.
///
/// before: ReadValue -> Gather -> quantize -> Concat <- quantize <- new;  Concat -> dequantize -> Assign
/// after:  ReadValue -> Gather -> requantize -> Concat <- quantize <- new;  Concat -> requantize -> Assign
/// quantize: convert(clamp(x * scale - shift)); dequantize: (convert(q) - zero_point) * factor, without the Subtract where there
/// is no shift; requantize: convert(dequantize(q) * scale - shift), which keeps scale and shift in sight of an engine and gives q
/// back where both constants are inverse to those of the dequantization.
/// The variable gets the type of the Concat (f8e4m3 or f8e5m2). Both inputs of the Concat must have the same scale and the same
/// shift, Constants without axes. ReadValue, Gather and what quantizes behind it may have no other readers than ShapeOf, the
/// variable no other ReadValue or Assign, and Assign waits for the ReadValue alone. This is what
/// MoveFakeConvertUpThroughKVCacheConcat, FakeConvertDecomposition and ConcatTransformation leave. A cache
/// stays where two dequantizations would give other values than one, unless `quirk::requantized_cache` is followed.
struct kv_cache_concat {
    static constexpr text_view name = "KVCacheConcat";
    using pattern = lpt::pattern<op::assign, from<op::multiply>>;

    [[gnu::cold]] static constexpr verdict can_transform(const auto& r, node_id id) {
        cache found;
        return find(r, id, found);
    }
    [[gnu::cold]] static constexpr bool transform(auto& r, node_id id) {
        cache found;
        if (const verdict why = find(r, id, found); !why) {
            return r.refused(id, name, why);
        }
        graph& model = r.model;
        const element low = model[found.concat].type();
        const node_id read = add_read(r, found.read, low);
        model.replace(found.read, read);
        model.infer(found.gather);
        replace_and_name(r, found.kept.convert, requantize(r, found, found.gather));
        replace_assign(r, id, requantize(r, found, found.concat), read);
        return true;
    }

private:
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
    struct cache {
        node_id read = node_id::none;
        node_id gather = node_id::none;
        quantization kept;
        quantization added;
        node_id concat = node_id::none;
        // the dequantization behind it
        node_id convert = node_id::none;
        output_ref zero_point;  // no node where there is none
        output_ref factor;
    };

    /// Where the network is not that of a cache, and which operation it is about.
    static constexpr verdict no_cache(node_id about) { return refuse_because_of(reason::no_cache, 0, about); }

    static constexpr verdict find(const auto& r, node_id id, cache& found) {
        const graph& model = r.model;
        if (model[id].version() < 6) {
            return refuse_value(reason::unsupported_version, -1, model[id].version());
        }
        if (const verdict why = find_dequantization_above(model, id, found); !why) {
            return why;
        }
        found.concat = model.producer(found.convert, 0);
        if (!model[found.concat].is<op::concat>() || model[found.concat].inputs() != 2) {
            return no_cache(found.concat);
        }
        if (const verdict why = find_quantization(model, model.producer(found.concat, 0), found.kept); !why) {
            return why;
        }
        if (const verdict why = find_quantization(model, model.producer(found.concat, 1), found.added); !why) {
            return why;
        }
        if (const verdict why = find_state(model, id, found); !why) {
            return why;
        }
        if (const verdict why = are_equal(model, found); !why) {
            return why;
        }
        return r.follows(quirk::requantized_cache) ? yes : gives_values_back(model, found);
    }

    /// The input of a Multiply that a Constant gives, the second one first; -1 if there is none.
    static constexpr int constant_port(const auto& model, node_id id) {
        return is_constant(model, model[id].input(1)) ? 1 : is_constant(model, model[id].input(0)) ? 0 : -1;
    }
    static constexpr verdict find_dequantization_above(const auto& model, node_id id, cache& found) {
        const node_id multiply = model.producer(id, 0);
        const int port = constant_port(model, multiply);
        if (port < 0) {
            return refuse(reason::no_dequantization, 0);
        }
        found.factor = model[multiply].input(static_cast<std::size_t>(port));
        node_id above = model.producer(multiply, static_cast<std::size_t>(1 - port));
        if (model[above].template is<op::subtract>() && is_constant(model, model[above].input(1))) {
            found.zero_point = model[above].input(1);
            above = model.producer(above, 0);
        }
        if (!model[above].template is<op::convert>()) {
            return refuse(reason::no_dequantization, 0);
        }
        found.convert = above;
        return yes;
    }
    static constexpr verdict find_quantization(const auto& model, node_id convert, quantization& found) {
        const node& last = model[convert];
        if (!last.is<op::convert>() || (last.type() != f8e4m3 && last.type() != f8e5m2)) {
            return {.why = reason::not_low_precision, .port = 0, .type = last.type(), .about = convert};
        }
        found.convert = convert;
        found.clamp = model.producer(convert, 0);
        if (!model[found.clamp].template is<op::clamp>()) {
            return no_cache(found.clamp);
        }
        found.multiply = model.producer(found.clamp, 0);
        if (model[found.multiply].template is<op::subtract>()) {
            found.subtract = found.multiply;
            found.shift = model[found.subtract].input(1);
            found.multiply = model.producer(found.subtract, 0);
        }
        if (!model[found.multiply].template is<op::multiply>() || constant_port(model, found.multiply) < 0) {
            return no_cache(found.multiply);
        }
        const auto port = static_cast<std::size_t>(constant_port(model, found.multiply));
        found.scale = model[found.multiply].input(port);
        found.data = model[found.multiply].input(1 - port);
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

    static constexpr verdict find_state(const auto& model, node_id id, cache& found) {
        found.gather = found.kept.data.node;
        if (!model[found.gather].template is<op::gather>()) {
            return no_cache(found.gather);
        }
        found.read = model.producer(found.gather, 0);
        if (!model[found.read].template is<op::read_value>()) {
            return no_cache(found.read);
        }
        if (model[found.gather].version() < 8 || model[found.read].version() < 6) {
            const node_id old = model[found.gather].version() < 8 ? found.gather : found.read;
            return {.why = reason::unsupported_version,
                    .port = 0,
                    .value = static_cast<double>(model[old].version()),
                    .about = old};
        }
        if (model[id].control_dependencies().size() != 1 || read_value_of(model, id) != found.read) {
            return no_cache(found.read);
        }
        if (is_variable_used_elsewhere(model, id, found.read)) {
            return refuse(reason::shared_state);
        }
        return have_one_reader(model, found);
    }
    /// What gets another type, or goes, is read by nothing else; the shape of it may be asked for.
    static constexpr verdict have_one_reader(const graph& model, const cache& found) {
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

    static constexpr verdict are_equal(const auto& model, const cache& found) {
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

    /// Every number of the type stands for the same real number when it has been dequantized and quantized again.
    static constexpr verdict gives_values_back(const auto& model, const cache& found) {
        const verdict no = refuse_because_of(reason::quantizations_differ, 0, found.factor.node);
        if (!is_scalar_like(model, found.factor.node) ||
            (found.zero_point && !is_scalar_like(model, found.zero_point.node))) {
            return no;
        }
        const element low = model[found.concat].type();
        const element real = model[found.convert].type();
        const double factor = constant_of(model, found.factor.node).real(0);
        const double zero_point = found.zero_point ? constant_of(model, found.zero_point.node).real(0) : 0;
        const double scale = constant_of(model, found.kept.scale.node).real(0);
        const double shift = found.kept.shift ? constant_of(model, found.kept.shift.node).real(0) : 0;
        const auto dequantized = [&](double q) {
            return convert_value(real, convert_value(real, q - zero_point) * factor);
        };
        const double rounding = real == f16 ? 0x1p-8 : 0x1p-20;  // eight roundings of the sum of both summands
        for (std::uint32_t code = 0; code < 256; ++code) {
            const double q = detail::decode(detail::format_of(low), code);
            if (!math::is_finite(q)) {
                continue;
            }
            const double again =
                convert_value(low, convert_value(real, convert_value(real, dequantized(q) * scale) - shift));
            const double size = (math::absolute(q) + math::absolute(zero_point)) * math::absolute(factor);
            if (!(math::absolute(dequantized(again) - dequantized(q)) <= rounding * size)) {
                return no;
            }
        }
        return yes;
    }

    static constexpr node_id add_read(auto& r, node_id read, element type) {
        graph& model = r.model;
        seq<output_ref, 1> inputs;
        if (model[read].inputs() != 0) {
            inputs.push_back(model.add(op::convert{type}, {model[read].input(0)}));
            copy_information(r, read, inputs[0].node);
        }
        op::read_value facts = model[read].as<op::read_value>();
        facts.variable_type = type;
        const node_id made = model.add(lpt::move(facts), inputs, model[read].name(), model[read].version());
        copy_information(r, read, made);
        return made;
    }
    static constexpr node_id requantize(auto& r, const cache& found, node_id data) {
        graph& model = r.model;
        output_ref last = data;
        const auto append = [&](node_id made) {
            copy_information(r, data, made);
            last = made;
        };
        append(model.clone(found.convert, {last}));
        if (found.zero_point) {
            append(model.add(op::subtract{}, {last, found.zero_point}));
        }
        append(model.add(op::multiply{}, {last, found.factor}));
        append(model.add(op::multiply{}, {last, found.kept.scale}));
        if (found.kept.shift) {
            append(model.add(op::subtract{}, {last, found.kept.shift}));
        }
        append(model.clone(found.kept.convert, {last}));
        return last.node;
    }
    static constexpr void replace_assign(auto& r, node_id id, node_id data, node_id read) {
        graph& model = r.model;
        op::assign facts = model[id].as<op::assign>();
        facts.variable_type = model[data].type();
        const node_id made = model.add(lpt::move(facts), {data}, model[id].name(), model[id].version());
        copy_information(r, id, made);
        model.add_control_dependency(made, read);
        model.replace_uses(id, model[id].input(0));
        model.remove(id);  // the new one stands last among the sinks
    }
};

}  // namespace lpt::inline LPT_ABI
