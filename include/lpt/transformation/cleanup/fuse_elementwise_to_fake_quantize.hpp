// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/fake_quantize/compose.hpp>

/// What the fusions of Subtract and Multiply into the FakeQuantize above them have in common.
namespace lpt::inline LPT_ABI {

/// The FakeQuantize whose output, directly or through a Convert, input 0 of a node reads; `none` if there is none.
constexpr node_id fake_quantize_above(const graph& model, node_id id) {
    node_id above = model.producer(id, 0);
    if (model[above].is<op::convert>()) {
        above = model.producer(above, 0);
    }
    return model[above].is<op::fake_quantize>() ? above : node_id::none;
}

/// The greatest finite magnitude of a constant's values.
constexpr double greatest_magnitude(const tensor& values) {
    double result = 0;
    for (std::size_t i = 0; i < values.elements(); ++i) {
        const double each = math::absolute(values.real(i));
        result = math::is_finite(each) && each > result ? each : result;
    }
    return result;
}
/// True if a constant has finite values that are too large for a type, or nonzero ones too small for its normal numbers.
constexpr bool leaves_range(const tensor& values, element type) {
    const double least = type == f16 ? 0x1p-14 : 0;
    return any_value(values, [=](double value) {
        const double size = math::absolute(value);
        return math::is_finite(size) && size != 0 && (size < least || math::is_infinite(convert_value(type, size)));
    });
}
/// True if a FakeQuantize that takes up the elementwise operation `id` would get a bound that is infinite where its operands are
/// not, or, with `all_values`, one of its ranges or the constant does not fit `type`.
constexpr bool fusion_overflows(const graph& model, node_id fake_quantize, node_id id, element type, bool all_values) {
    const tensor& constant = *model.constant_value(model[id].input(1));
    const auto overflows = [&](const tensor& bound) {
        const double one = greatest_magnitude(bound);
        const double other = greatest_magnitude(constant);
        return math::is_infinite(convert_value(type, model[id].is<op::multiply>() ? one * other : one + other));
    };
    return (all_values && leaves_range(constant, type)) || for_any(1, 5, [&](std::size_t port) {
               const tensor* bound = model.constant_value(model[fake_quantize].input(port));
               return bound != nullptr &&
                      ((all_values && leaves_range(*bound, type)) || (port >= 3 && overflows(*bound)));
           });
}

/// The reason why an elementwise operation cannot be taken into the output range of the FakeQuantize above it.
constexpr verdict can_fuse_to_fake_quantize(const rewrite& r, node_id id) {
    const graph& model = r.model;
    const node_id fake_quantize = fake_quantize_above(model, id);
    const element type = r.options.dequantization_precision;
    const bool may_overflow = type != f32 && r.follows(quirk::overflowing_range);
    return model[id].has(mark::disable_cleanup)    ? refuse(reason::disabled_by_mark)
           : fusable_operands(model, id).port != 1 ? refuse(reason::nothing_to_do, 1)
           : fake_quantize == node_id::none        ? refuse(reason::nothing_to_do, 0)
           : !may_overflow && fusion_overflows(model, fake_quantize, id, type, type != f32)
               ? refuse(reason::infinite_constant, 0)
           : only_reader(model, fake_quantize) == node_id::none ? refuse(reason::shared_producer, 0)
                                                                : yes;
}

/// Takes an elementwise operation into the FakeQuantize above it, by giving that (a copy, if a Convert between them has other
/// readers) the output range `combine(bound, constant)`; all its ranges have the dequantization precision, its output the type of
/// the operation. Bounds that are too large for that precision keep the operation where it is; with
/// `quirk::overflowing_range` they become infinite. Gives the FakeQuantize. Where the operation feeds a Result, its name is kept.
[[gnu::noinline]] constexpr node_id fuse_to_fake_quantize(rewrite& r, node_id id, const op::attributes& combine) {
    graph& model = r.model;
    const node_id old = fake_quantize_above(model, id);
    const element type = r.options.dequantization_precision;
    seq<output_ref, 5> inputs{model[old].input(0)};
    for (std::size_t port = 1; port < 5; ++port) {
        const output_ref bound = model[old].input(port);
        inputs.push_back(is_constant(model, bound) ? fold_convert(model, bound, type)
                                                   : output_ref(model.add(op::convert{type}, {bound})));
    }
    const output_ref constant = fold_convert(model, model[id].input(1), type);
    node_id fused = old;
    if (model.use_count(model[id].input(0)) == 1) {
        model.renew(old, inputs);
    } else {  // a Convert with other readers
        fused = clone_with_information(r, old, inputs, model[old].name());
    }
    for (const std::size_t port : {std::size_t{3}, std::size_t{4}}) {
        if (tensor bound = evaluate_constants(model, combine, {inputs[port], constant})) {
            model.set_constant(fused, port, lpt::move(bound));
        } else {
            model.set_input(fused, port, fold_operation(model, combine, {inputs[port], constant}));
        }
    }
    if (feeds_result(model, id)) {
        model.rename(fused, model[id].name());
    }
    model.relax_output(fused, model[id].type());
    model.replace(id, fused);
    return fused;
}

}  // namespace lpt::inline LPT_ABI
