// SPDX-License-Identifier: Apache-2.0
// Functions of one or two tensors, element by element: quantization, dequantization, arithmetic, activations.
#pragma once

#include <lpt/plan/lookup.hpp>

#include <utility>

namespace lpt::inline LPT_ABI::plan {

namespace detail {

inline kernel::binary_function binary_function_of(op::kind kind) {
    switch (kind) {
        case op::kind::add: return kernel::binary_function::add;
        case op::kind::subtract: return kernel::binary_function::subtract;
        case op::kind::multiply: return kernel::binary_function::multiply;
        case op::kind::divide: return kernel::binary_function::divide;
        case op::kind::maximum: return kernel::binary_function::maximum;
        case op::kind::minimum: return kernel::binary_function::minimum;
        default: return kernel::binary_function::squared_difference;
    }
}

}  // namespace detail

/// Makes the step with an output of this layout; false if the kernels cannot run along the loops that it has.
inline bool planner::try_elementwise(const group& made, layout order) {
    const shape& dimensions = made.functions.dimensions;
    const std::size_t rank = dimensions.rank();
    const std::vector<std::size_t> axes = memory_order(rank, order);
    const auto numbers = [&](const spread& each) { return detail::numbers_in_order(each, axes); };
    elementwise_step work;
    step result;
    work.has_two = made.form == group_form::two_operands;
    for (const std::size_t axis : axes) {
        work.sizes.push_back(dimensions[axis]);
    }
    const auto read = [&](output_ref output) {
        const tensor_id tensor = tensor_of(output, model().shape(output).rank() == rank ? order : layout::plain);
        result.reads.push_back(tensor);
        return strided_tensor{tensor, detail::in_order(detail::broadcast_strides(at(tensor), dimensions), axes)};
    };
    work.operands[0] = read(made.operands[0].base);
    element data = at(work.operands[0].tensor).type;  // that the kernel's name ends with
    if (work.has_two) {
        work.operands[1] = read(made.operands[1].base);
        work.function = detail::binary_function_of(model()[made.anchor].kind());
        for (int i = 0; i < 2; ++i) {
            work.scales[i] = numbers(made.operands[i].scale);
            work.shifts[i] = numbers(made.operands[i].shift);
        }
        data = at(work.operands[1].tensor).type == f32 ? f32 : data;
    } else if (model()[made.anchor].is<op::fake_quantize>() && is_byte(made.functions.type)) {
        data = made.functions.type;
    }
    work.finish = finish_of(made.functions, numbers, read);
    work.output.strides = detail::in_order(strides_of(dimensions, order), axes);
    const bool same_places = detail::same_places(work.operands[0].strides, work.output.strides, work.sizes);
    if (!detail::settle_loops(work)) {
        return false;
    }
    work.output.tensor = add_tensor(made.functions.type, dimensions, order);
    result.may_overwrite = same_places && bit_width(at(work.operands[0].tensor).type) == bit_width(made.functions.type);
    result.nodes = made.functions.nodes;
    result.kernel = std::string(work.has_two ? "binary_" : "convert_") + kernel::name_of(kernels().instruction_set) +
                    suffix_of(data);
    result.writes = {work.output.tensor};
    define(made.functions.tail, work.output.tensor);
    result.work = std::move(work);
    if (!try_lookup(result)) {
        add_step(std::move(result));
    }
    return true;
}

inline void planner::make_elementwise(const group& made) {
    if (layout_of(made.functions.tail.node) == layout::channels_last && try_elementwise(made, layout::channels_last)) {
        return;
    }
    if (!try_elementwise(made, layout::plain)) {
        const node& each = model()[made.anchor];
        fail({each.operation(), " '", each.name(), "': no kernel runs along its loops"});
    }
}

inline void planner::make_dequantization(output_ref output, layout order) {
    const quantized_source& from = sources_.of(output);
    group made;
    made.anchor = output.node;
    made.operands[0] = plain_source(model(), from.base);
    made.functions.dimensions = model().shape(output);
    made.functions.dequantize(from);
    made.functions.tail = output;
    output_ref above = output;
    while (!(above == from.base)) {
        made.functions.nodes.push_back(above.node);
        const int port = detail::dequantization_port(model(), above.node);
        above = model()[above.node].input(static_cast<std::size_t>(port));
    }
    if (!try_elementwise(made, order) && !try_elementwise(made, layout::plain)) {
        const node& each = model()[output.node];
        fail({each.operation(), " '", each.name(), "': no kernel runs along its loops"});
    }
}

}  // namespace lpt::inline LPT_ABI::plan
