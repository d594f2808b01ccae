// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/fake_quantize/compose.hpp>
#include <lpt/transformation/quantization_details.hpp>

/// Taking the operations above a FakeQuantize into its input range.
namespace lpt::inline LPT_ABI {

namespace detail {

/// A range constant whose rank lies between 2 and that of the data gets a leading axis: `[C, 1]` must not meet the last axes.
constexpr tensor align_range(tensor range, const shape& data) {
    const std::size_t rank = range.dimensions().rank();
    if (data.rank_is_dynamic() || rank < 2 || rank >= data.rank()) {
        return range;
    }
    shape longer = range.dimensions();
    longer.insert(0, 1);
    return tensor(range, longer);
}

constexpr bool is_all_positive(const tensor& values) {
    return !lpt::is_constant_evaluated() && values.type() == f32
               ? floats_are_positive(values.data(), values.elements())
               : !any_value(values, [](double value) { return !(value > 0); });
}

/// True if a Convert can be left out above a FakeQuantize: not one of i32, not one of the real values that another
/// FakeQuantize gives, and not one to a type that is not known, which its readers have, too.
constexpr bool is_skippable_convert(const graph& model, node_id convert) {
    const output_ref source = model[convert].input(0);
    const element from = model.type(source);
    const element to = model[convert].type();
    return to != dynamic && !(from == i32 && (to == f16 || to == f32)) &&
           !(model[source.node].is<op::fake_quantize>() && !is_low_precision(from));
}

/// The operation on the bounds of the input range that takes up an operation on the data; `count` where there is none.
constexpr op::kind inverse_of(const graph& model, node_id id) {
    switch (model[id].kind()) {
        case op::kind::multiply: return op::kind::divide;
        case op::kind::subtract: return is_constant(model, model[id].input(1)) ? op::kind::add : op::kind::count;
        case op::kind::add: return model[id].has(mark::bias) ? op::kind::count : op::kind::subtract;
        default: return op::kind::count;
    }
}
constexpr constant apply_inverse(op::kind inverse, const constant& bound, const constant& operand) {
    switch (inverse) {
        case op::kind::divide: return bound / operand;
        case op::kind::add: return bound + operand;
        default: return bound - operand;
    }
}

/// Connects a FakeQuantize to other data; it goes on computing in the type that it computed in, and gives the type that it gave.
constexpr void set_data(graph& model, node_id fake_quantize, output_ref data) {
    const element computed = model.type(model[fake_quantize].input(0));
    const element given = model[fake_quantize].type();
    const relaxation* own = model[fake_quantize].own_types();
    const bool has_input_type = own != nullptr && !own->input_types.empty() && own->input_types[0] != dynamic;
    const bool is_other_type = model.type(data) != computed;
    model.set_input(fake_quantize, 0, data);
    if (is_other_type) {
        relax_types(model, fake_quantize, 0, has_input_type ? dynamic : computed, given);
    } else {
        model.infer(fake_quantize);
    }
}

constexpr bool takes_one_type(const graph& model, node_id id) {
    return for_all(0, model[id].inputs(),
                   [&](std::size_t port) { return model.type(model[id].input(port)) == model[id].type(); });
}

/// One step of `fuse_above_fake_quantize`.
constexpr bool fuse_one_above(rewrite& r, node_id fake_quantize) {
    graph& model = r.model;
    const node_id above = model.producer(fake_quantize, 0);
    if (model[above].has(mark::disable_cleanup) || (!r.options.update_precisions && !takes_one_type(model, above))) {
        return false;
    }
    output_ref data;
    if (model[above].is<op::convert>()) {
        if (!is_skippable_convert(model, above)) {
            return false;
        }
        data = model[above].input(0);
    } else {
        const op::kind inverse = inverse_of(model, above);
        const auto operands = inverse == op::kind::count ? operands_with_constant{} : fusable_operands(model, above);
        if (!operands) {
            return false;
        }
        const constant operand = constant(model, operands.constant.node).as(f32);
        if (inverse == op::kind::divide && !is_all_positive(operand)) {
            return false;
        }
        tensor bounds[2];
        for (std::size_t i = 0; i < 2; ++i) {
            const constant bound = constant(model, model.producer(fake_quantize, i + 1)).as(f32);
            bounds[i] = apply_inverse(inverse, bound, operand);
            if (!is_finite(bounds[i])) {
                return false;
            }
        }
        for (std::size_t i = 0; i < 2; ++i) {
            model.set_constant(fake_quantize, i + 1, align_range(lpt::move(bounds[i]), model[fake_quantize].shape()));
        }
        data = operands.data;
    }
    for (std::size_t port = 1; port < 5; ++port) {
        if (const output_ref range = model[fake_quantize].input(port); model.type(range) != f32) {
            model.set_input(fake_quantize, port, fold_convert(model, range, f32));
        }
    }
    set_data(model, fake_quantize, data);
    take_alignment(r, fake_quantize, above);
    return true;
}

}  // namespace detail

/// Takes operations above a FakeQuantize with constant ranges into its input range, one after the other; false if there is none.
///
/// Multiply by c > 0: bound / c; Subtract c: bound + c; Add c, unless it is a bias: bound - c; Convert: left out, unless it comes
/// from i32 or from a FakeQuantize that gives real values. In float; all four ranges become f32. Stops at an operation marked with
/// `disable_cleanup`, where a bound would be infinite or NaN, and, without `update_precisions`, where types differ.
[[gnu::noinline]] constexpr bool fuse_above_fake_quantize(rewrite& r, node_id fake_quantize) {
    if (!has_constant_ranges(r.model, fake_quantize)) {
        return false;
    }
    bool changed = false;
    while (detail::fuse_one_above(r, fake_quantize)) {
        changed = true;
    }
    return changed;
}

}  // namespace lpt::inline LPT_ABI
