// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/guarded.hpp>
#include <lpt/transformation/kv_cache.hpp>

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
struct kv_cache_concat : guarded<kv_cache_concat, kv_cache> {
    static constexpr text_view name = "KVCacheConcat";
    using pattern = lpt::pattern<op::assign, from<op::multiply>>;

    [[gnu::cold]] static constexpr verdict find(const rewrite& r, node_id id, kv_cache& found) {
        if (const verdict why = kv_cache::find_cache(r.model, id, found); !why) {
            return why;
        }
        return r.follows(quirk::requantized_cache) ? yes : gives_values_back(r.model, found);
    }
    [[gnu::cold]] static constexpr bool apply(rewrite& r, node_id id, const kv_cache& found) {
        const element low = r.model[found.concat].type();
        seq<output_ref, 1> first;
        if (r.model[found.read].inputs() != 0) {
            first.push_back(r.model.add(op::convert{low}, {r.model[found.read].input(0)}));
            copy_information(r, found.read, first[0].node);
        }
        const node_id read = add_read_value(r, found.read, first, low);
        r.model.replace(found.read, read);
        r.model.infer(found.gather);
        replace_and_name(r, found.kept.convert, requantize(r, found, found.gather));
        const seq<node_id> waits_for{read};
        replace_assign(r, id, requantize(r, found, found.concat), waits_for);
        return true;
    }

private:
    /// Every number of the type stands for the same real number when it has been dequantized and quantized again.
    static constexpr verdict gives_values_back(const graph& model, const kv_cache& found) {
        const verdict no = refuse_because_of(reason::quantizations_differ, 0, found.factor.node);
        if (!is_scalar_like(model, found.factor.node) ||
            (found.zero_point && !is_scalar_like(model, found.zero_point.node))) {
            return no;
        }
        const element low = model[found.concat].type();
        const element real = model[found.convert].type();
        const auto value_of = [&](output_ref one) { return one ? constant_of(model, one.node).real(0) : 0.0; };
        const double factor = value_of(found.factor);
        const double zero_point = value_of(found.zero_point);
        const double scale = value_of(found.kept.scale);
        const double shift = value_of(found.kept.shift);
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

    static constexpr node_id requantize(rewrite& r, const kv_cache& found, node_id data) {
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
};

}  // namespace lpt::inline LPT_ABI
