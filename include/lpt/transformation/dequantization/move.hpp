// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization/fold.hpp>
#include <lpt/transformation/dequantization/rewriting.hpp>
#include <lpt/transformation/dequantization/separate.hpp>

/// Moving a dequantization behind an operation.
namespace lpt::inline LPT_ABI {

namespace detail {

/// The data that meets a dequantization constant: converted where the constant has more bits, so that nothing is lost.
constexpr output_ref data_for(rewrite& r, output_ref data, node_id constant) {
    const element own = r.model[constant].type();
    return bit_width(r.model.type(data)) < bit_width(own) ? output_ref(r.model.add(op::convert{own}, {data})) : data;
}
/// The types of its own that an operation has, with this one for output 0.
constexpr relaxation own_types_with_output(const graph& model, node_id operation, element output) {
    relaxation types = model[operation].own_types() != nullptr ? *model[operation].own_types() : relaxation{};
    if (types.output_types.empty()) {
        types.output_types.push_back(output);
    }
    types.output_types[0] = output;
    return types;
}
/// Both at once: an input type, unless it is `dynamic`, and the type of output 0; infers the outputs anew.
constexpr void relax_types(graph& model, node_id operation, std::size_t port, element input, element output) {
    relaxation types = own_types_with_output(model, operation, output);
    if (input != dynamic) {
        types.input_types.resize(math::maximum(types.input_types.size(), port + 1), dynamic);
        types.input_types[port] = input;
    }
    model.relax(operation, lpt::move(types));
}

}  // namespace detail

/// Appends the operations of `found` to an output that has low precision (or, after a relaxed operation, real) values:
/// Convert if the type differs from the scale's, Subtract, Multiply with the output type of the old Multiply.
[[gnu::noinline]] constexpr output_ref append_dequantization(rewrite& r, output_ref parent,
                                                             const dequantization& found) {
    graph& model = r.model;
    const element converted = found.has_convert() ? model[found.convert].type() : model.type(parent);
    const element real_type = found.has_multiply() ? model[found.scale].type() : converted;
    if (model.type(parent) != real_type) {
        parent = model.add(op::convert{found.has_convert() ? converted : real_type}, {parent});
    }
    if (found.has_subtract()) {
        const bool keeps_convert = found.zero_point_convert != node_id::none;
        output_ref zero_point(found.zero_point_convert);
        if (!keeps_convert) {
            parent = detail::data_for(r, parent, found.zero_point);
            zero_point = fold_convert(model, found.zero_point, model.type(parent));
        } else if (model.type(zero_point) != model.type(parent)) {
            zero_point = model.add(op::convert{model.type(parent)}, {found.zero_point});
        }
        parent = model.add(op::subtract{}, {parent, zero_point});
        if (!keeps_convert) {
            model.relax(parent.node);
            if (!found.has_multiply() && model.type(parent) != model[found.subtract].type()) {
                model.relax_output(parent.node, model[found.subtract].type());
            }
        }
    }
    if (found.has_multiply()) {
        parent = detail::data_for(r, parent, found.scale);
        parent = model.add_relaxed(op::multiply{}, {parent, fold_convert(model, found.scale, model.type(parent))},
                                   {{}, {model[found.multiply].type()}});
    }
    return parent;
}

/// Moves a dequantization from an input of a one-output operation behind it, which then works on the quantized data. Gives its output there.
///
/// The constants of `found` may have been rewritten for their new place (set `zero_point`, `scale`); data with fewer bits than
/// a constant is converted to its type. A relaxed operation gives the type of its data if it `updates_type`, else that of the scale. Raises an error
/// for an operation with several outputs.
[[gnu::noinline]] constexpr output_ref
move_dequantization_after(rewrite& r, node_id operation, const dequantization& found, bool updates_type = true) {
    graph& model = r.model;
    if (model[operation].outputs() != 1) {
        fail({"a dequantization can only be moved behind an operation with one output, not behind '",
              model[operation].name(), "'"});
    }
    const node_id last = found.last();
    seq<output_ref, 5> inputs = inputs_of(model, operation);
    std::size_t place = 0;
    while (place < inputs.size() && inputs[place].node != last) {
        ++place;
    }
    if (place < inputs.size()) {
        inputs[place] = found.data;
    }
    rewriting moved(r, operation);
    model.renew(operation, inputs);
    r.attributes.drop_ports(operation);  // what was asked of its inputs is settled: they are low precision data now
    if (model[operation].relaxed()) {
        const element type = updates_type ? model.type(found.data) : model[found.scale].type();
        const bool converts = is_real(type) && !is_real(model.type(model[operation].input(place)));
        detail::relax_types(model, operation, place, converts ? type : dynamic, type);
    } else {
        model.infer(operation);
    }
    const output_ref dequantized = append_dequantization(r, operation, found);
    for (node_id each = dequantized.node; each != operation; each = model.producer(each, 0)) {
        r.attributes.copy_node(operation, each);  // what takes it up later belongs to the operation's group
    }
    moved.then(dequantized).finish();
    return dequantized;
}

}  // namespace lpt::inline LPT_ABI
