// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

/// FakeQuantize -> Convert(low) -> Convert(real) -> [Subtract z] -> Multiply s  becomes one FakeQuantize whose output range is (out - z) * s.
///
/// Needs 256 or 65536 levels, an output range with equal values, the limits of the low type (i8, u8, i16, u16 by default),
/// one reader at each step behind the FakeQuantize, data of the product's type, and a new range that broadcasts to the data. What else reads the FakeQuantize
/// goes on reading the old one. A scale or zero point that is no Constant makes the new range computed at run time. 256 levels may
/// be spread over 16 bits: each is a whole number.
struct convert_quantize_dequantize {
    static constexpr text_view name = "ConvertQuantizeDequantize";
    using pattern = lpt::pattern<op::multiply>;

    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        graph& model = r.model;
        chain found;
        if (!find_chain(r, id, found)) {
            return false;
        }
        if (const verdict why = range_is_that_of_type(model, id, found); !why) {
            return r.refused(id, name, why);
        }
        const node& quantize = model[found.quantize];
        const output_ref new_low = dequantized(model, quantize.input(3), found);
        const output_ref new_high = dequantized(model, quantize.input(4), found);
        shape merged;
        const shape& data = model.shape(quantize.input(0));
        if (!broadcast_shapes(data, model.shape(new_low), merged) || (data.rank_is_static() && !(merged == data))) {
            return r.refused(id, name, refuse(reason::shapes_do_not_match));
        }
        const node_id made = model.add(quantize.attributes(),
                                       {quantize.input(0), quantize.input(1), quantize.input(2), new_low, new_high});
        return replace_and_name(r, id, made);
    }

private:
    struct chain {
        node_id quantize = node_id::none;
        element low_type = dynamic;
        output_ref zero_point;  // empty without Subtract
        output_ref scale;
    };

    static constexpr verdict range_is_that_of_type(const graph& model, node_id id, const chain& found) {
        const node& quantize = model[found.quantize];
        const double levels = static_cast<double>(quantize.as<op::fake_quantize>().levels);
        const tensor& low = constant_of(model, quantize.input(3).node);
        const tensor& high = constant_of(model, quantize.input(4).node);
        const element_facts& limits = facts(found.low_type);
        const bool fills_type = is_scalar_like(low) && is_scalar_like(high) && low.real(0) == limits.lowest &&
                                high.real(0) == limits.highest;
        return (levels != 256 && levels != 65536) || levels > limits.highest - limits.lowest + 1
                   ? verdict{reason::unsupported_levels, -1, found.low_type, -1, levels}
               : !fills_type
                   ? verdict{reason::not_per_tensor, -1, found.low_type, -1, low.elements() == 0 ? 0 : low.real(0)}
               : model.type(quantize.input(0)) != model[id].type()  // which readers of the product would get
                   ? refuse(reason::types_do_not_match)
                   : model.type(quantize.input(3)) != model.type(found.scale) && !is_stored(model, found)
                         ? refuse(reason::ranges_not_constant)
                         : yes;
    }
    static constexpr bool find_chain(const rewrite& r, node_id id, chain& found) {
        const graph& model = r.model;
        const seq<element, 8> wanted = r.options.precisions_of(name, {i8, u8, i16, u16});
        for (const std::size_t port : {0u, 1u}) {
            output_ref data = model[id].input(port);
            found = {};
            found.scale = model[id].input(1 - port);
            if (model[data.node].is<op::subtract>() && model.use_count(data) == 1) {
                found.zero_point = model[data.node].input(1);
                data = model[data.node].input(0);
            }
            const node_id real = data.node;
            const node_id low = model[real].is<op::convert>() ? model.producer(real, 0) : real;
            if (low == real || model.use_count(data) != 1 || !is_real(model[real].type()) ||
                !model[low].is<op::convert>() || model.use_count({low, 0}) != 1 ||
                !wanted.contains(model[low].type())) {
                continue;
            }
            found.quantize = model.producer(low, 0);
            found.low_type = model[low].type();
            if (model[found.quantize].is<op::fake_quantize>() && is_constant(model, model[found.quantize].input(3)) &&
                is_constant(model, model[found.quantize].input(4))) {
                return true;
            }
        }
        return false;
    }
    /// True if scale and zero point are Constants, perhaps below a Convert, whose mark against folding is meant for dequantizations that stay.
    static constexpr bool is_stored(const graph& model, const chain& found) {
        return stored_constant_of(model, found.scale) &&
               (!found.zero_point || stored_constant_of(model, found.zero_point));
    }
    /// (bound - z) * s: a Constant where zero point and scale are, else what computes it.
    static constexpr output_ref dequantized(graph& model, output_ref bound, const chain& found) {
        if (!is_stored(model, found)) {
            if (found.zero_point) {
                bound = model.add(op::subtract{}, {bound, found.zero_point});
            }
            return model.add(op::multiply{}, {bound, found.scale});
        }
        const output_ref zero_point = found.zero_point ? stored_constant_of(model, found.zero_point) : output_ref();
        return dequantized_bound(model, bound, zero_point, stored_constant_of(model, found.scale),
                                 model.type(found.scale));
    }
};

}  // namespace lpt::inline LPT_ABI
