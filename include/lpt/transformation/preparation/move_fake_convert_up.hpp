// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a FakeConvert between a Concat and the keys or values of ScaledDotProductAttention above the Concat, so that a cache
/// of keys or values is held in 8 bits; not part of the default pipeline.
///
/// before: FakeConvert(Concat(cache, new)) -> attention;  after: Concat(FakeConvert(cache), FakeConvert(new)) -> attention
/// Everything else that reads the Concat (FakeConvert, Result, Assign, ShapeOf; refused for other operations) reads the new one.
/// Both keys and values must come this way, each from a Concat of two whose first input is a Parameter or a Gather;
/// scale and shift are constants without axes. The new operations are named `<name>_1` and `<name>_2`.
struct move_fake_convert_up_through_kv_cache_concat {
    static constexpr text_view name = "MoveFakeConvertUpThroughKVCacheConcat";
    using pattern = lpt::pattern<op::scaled_dot_product_attention>;

    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        if (!is_joined_cache(r.model, id, 1) || !is_joined_cache(r.model, id, 2)) {
            return false;
        }
        bool changed = false;
        for (const std::size_t port : {std::size_t{1}, std::size_t{2}}) {
            const node_id convert = r.model.producer(id, port);
            if (const verdict why = can_move(r.model, convert); !why) {
                r.refused(convert, name, why);
                continue;
            }
            move(r, convert);
            changed = true;
        }
        return changed;
    }

private:
    /// True if an input of the attention is a FakeConvert of a Concat of two, the first a Parameter or what Gather takes from a variable.
    static constexpr bool is_joined_cache(const graph& model, node_id id, std::size_t port) {
        const node_id convert = port < model[id].inputs() ? model.producer(id, port) : node_id::none;
        if (convert == node_id::none || !model[convert].is<op::fake_convert>()) {
            return false;
        }
        const node& concat = model[model.producer(convert, 0)];
        const op::kind cache = concat.is<op::concat>() ? model[concat.input(0).node].kind() : op::kind::none;
        return concat.inputs() == 2 && (cache == op::kind::parameter || cache == op::kind::gather);
    }
    static constexpr verdict can_move(const graph& model, node_id convert) {
        const output_ref source = model[convert].input(0);
        for (std::size_t port = 1; port < model[convert].inputs(); ++port) {
            const tensor* value = model.constant_value(model[convert].input(port));
            if (value == nullptr || value->dimensions().rank() != 0) {
                return refuse(reason::not_per_tensor, static_cast<int>(port));
            }
        }
        const auto needs_real = [&](node_id reader) {
            const node& each = model[reader];
            return !each.is<op::fake_convert>() && !each.is<op::result>() && !each.is<op::assign>() &&
                   !each.is<op::shape_of>();
        };
        return any_reader(model, source, needs_real) ? refuse(reason::shared_producer, 0) : yes;
    }
    static constexpr void move(rewrite& r, node_id convert) {
        graph& model = r.model;
        const node_id concat = model.producer(convert, 0);
        seq<output_ref, 2> parts;
        for (std::size_t part = 0; part < 2; ++part) {
            parts.push_back(clone_with_information(r, convert, inputs_of(model, convert, {model[concat].input(part)}),
                                                   join({model[convert].name(), "_", part + 1}).view()));
        }
        const node_id joined = clone_with_information(r, concat, parts, model[concat].name());
        model.replace(convert, joined);
        model.replace(concat, joined);
    }
};

}  // namespace lpt::inline LPT_ABI
