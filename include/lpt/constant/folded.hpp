// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/fold.hpp>

/// Constants of a graph computed from its constants.
namespace lpt::inline LPT_ABI {

/// Adds an operation and folds it: the folded Constant, or the operation itself where it cannot be folded. Where the
/// inputs are Constants only the result enters the graph.
[[gnu::noinline]] constexpr output_ref fold_operation(graph& model, op::attributes what, view<output_ref> inputs,
                                                      int version = -1) {
    if (tensor known = evaluate_constants(model, what, inputs, version)) {
        return model.constant(lpt::move(known));
    }
    return try_fold(model, model.add(lpt::move(what), inputs, {}, version));
}
/// A constant converted to another element type; the very same output if it has that type.
constexpr output_ref fold_convert(graph& model, output_ref source, element type) {
    if (model.type(source) == type) {
        return source;
    }
    if (const tensor* known = model.constant_value(source); known != nullptr && *known && type != dynamic) {
        return model.constant(evaluation::convert_late(*known, type));
    }
    return fold_operation(model, op::convert{type}, {source});
}
/// True if values of one shape broadcast to another shape, as it is.
constexpr bool broadcasts_to(const shape& values, const shape& dimensions) {
    shape merged;
    return broadcast_shapes(values, dimensions, merged) && merged == dimensions;
}
/// The values of a tensor repeated along the axes in which it has size 1; axes of size 1 before those of `dimensions` do not
/// count. Raises an error where it does not broadcast to `dimensions`.
constexpr tensor broadcast_values(const tensor& values, const shape& dimensions) {
    if (values.dimensions() == dimensions) {
        return values;
    }
    const shape own = values.dimensions().trimmed_left(dimensions.rank());
    if (!broadcasts_to(own, dimensions)) {
        fail({"values of shape ", values.dimensions(), " do not broadcast to shape ", dimensions});
    }
    if (values.elements() == 1) {
        return make_tensor(values.type(), dimensions, view<double>({values.real(0)}));
    }
    tensor_builder result(values.type(), dimensions);
    const evaluation::broadcast_walk<1> walk(dimensions, {&own});
    walk.for_each_row([&](const evaluation::broadcast_walk<1>::row& row) {
        for (std::size_t i = 0; i < row.length; ++i) {
            result.real(row.output + i, values.real(row.at[0] + i * row.step[0]));
        }
    });
    return result.finish();
}

}  // namespace lpt::inline LPT_ABI
