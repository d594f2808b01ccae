// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/quantization_details.hpp>

/// Which operations the ranges of a FakeQuantize can take up; taking operations behind it back into it.
namespace lpt::inline LPT_ABI {

/// The inputs of an elementwise operation whose Constant a range of a FakeQuantize can take up; no outputs where it cannot.
///
/// Exactly two inputs, one of them constant, which has no more axes than the data: the operation would give it more. One element is
/// taken up; more only if data, input 0 and output have one shape of static rank, and the constant varies over the first two axes.
constexpr detail::operands_with_constant fusable_operands(const graph& model, node_id id) {
    const node& each = model[id];
    const auto operands = each.inputs() == 2 ? detail::operands_of(model, id) : detail::operands_with_constant{};
    if (!operands || is_constant(model, operands.data)) {
        return {};
    }
    const shape& constant = model.shape(operands.constant);
    const shape& data = model.shape(operands.data);
    const auto varies_over_first = [&] {
        return each.shape().rank_is_static() && data == each.shape() && model.shape(each.input(0)) == each.shape() &&
               varies_only_where(constant.padded_left(data.rank()), [](std::size_t axis) { return axis < 2; });
    };
    const bool adds_axes = data.rank_is_static() && constant.rank() > data.rank();
    const bool fits = !adds_axes && (constant.elements() == 1 || varies_over_first());
    return fits ? operands : detail::operands_with_constant{};
}

namespace detail {

/// A node that feeds a Result can only give way to one that can take its name: no Parameter, one output, no Result of its own.
constexpr bool can_hand_name_on(const graph& model, node_id id, output_ref to) {
    if (!feeds_result(model, id)) {
        return true;
    }
    const node& producer = model[to.node];
    return !producer.is<op::parameter>() && producer.outputs() == 1 && !feeds_result(model, to.node);
}
/// Lets what reads a node read other data, which takes its name where that feeds a Result. Needs `can_hand_name_on`.
constexpr void give_way(graph& model, node_id id, output_ref to) {
    if (feeds_result(model, id)) {
        model.rename(to.node, model[id].name());
    }
    model.replace_uses(id, to);
}

}  // namespace detail

/// The Convert to u8 or i8 that alone reads a FakeQuantize: the quantizing half of a Q/DQ pair; `none` if there is none.
constexpr node_id quantizing_convert(const graph& model, node_id fake_quantize) {
    const node_id reader = only_reader(model, fake_quantize);
    const bool quantizes = reader != node_id::none && model[reader].is<op::convert>() &&
                           (model[reader].type() == u8 || model[reader].type() == i8);
    return quantizes ? reader : node_id::none;
}

/// Gives a FakeQuantize type, name and place of the Convert to u8 or i8 that alone reads it; false if there is none.
constexpr bool merge_quantizing_convert(rewrite& r, node_id fake_quantize) {
    graph& model = r.model;
    const node_id convert = quantizing_convert(model, fake_quantize);
    if (convert == node_id::none) {
        return false;
    }
    model.relax_output(fake_quantize, model[convert].type());
    model.rename(fake_quantize, model[convert].name());
    model.replace_uses(convert, fake_quantize);
    model.remove(convert);  // at once: it must not count as a reader of the FakeQuantize
    return true;
}

/// True if the dequantization below a FakeQuantize can be taken back into it: no operation but the last has a second reader.
constexpr bool can_compose(const graph& model, node_id fake_quantize, const dequantization& below) {
    const auto is_read_once = [&](node_id each) {
        return each == node_id::none || each == below.last() || model.use_count(output_ref(each)) == 1;
    };
    return !below.empty() && is_read_once(fake_quantize) && is_read_once(below.convert) && is_read_once(below.subtract);
}

/// Takes the dequantization below a FakeQuantize back into its output range and type.
///
/// bound := (bound - zero_point) * scale, in the type of bounds and scale, in float where they differ; the Convert goes. Zero point or
/// scale may be missing. The FakeQuantize then gives what the last operation gave and is read by its readers; where one is a
/// Result it takes that name. Needs `can_compose`.
[[gnu::noinline]] constexpr void compose_fake_quantize(rewrite& r, node_id fake_quantize, const dequantization& below) {
    graph& model = r.model;
    for (const std::size_t port : {std::size_t{3}, std::size_t{4}}) {
        const element own = model.type(model[fake_quantize].input(port));
        const element computed = !below.has_multiply() || own == model[below.scale].type() ? own : f32;
        const node_id zero_point = below.has_subtract() ? below.zero_point : node_id::none;
        const node_id scale = below.has_multiply() ? below.scale : node_id::none;
        model.set_input(fake_quantize, port,
                        dequantized_bound(model, model[fake_quantize].input(port), zero_point, scale, computed));
    }
    const element type = model[below.last()].type();
    const bool loses_name = !below.has_multiply() && r.follows(quirk::lost_name);
    if (!loses_name && feeds_result(model, below.last())) {
        model.rename(fake_quantize, model[below.last()].name());
    }
    model.replace_uses(below.last(), fake_quantize);
    model.relax_output(fake_quantize, type);
}

}  // namespace lpt::inline LPT_ABI
