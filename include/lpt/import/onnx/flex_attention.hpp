// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/attention.hpp>
#include <lpt/import/onnx/control_flow.hpp>

/// Attention whose scores and weights are changed by graphs that the file gives.
namespace lpt::inline LPT_ABI::onnx {

/// What a graph attribute of one input and one output makes of a tensor; the tensor itself where there is no such attribute.
inline output_ref changed_by(operation& n, std::string_view name, output_ref from) {
    if (!n.has_attribute(name)) {
        return from;
    }
    const graph_description body = body_of(n, name);
    if (body.inputs.size() != 1 || body.outputs.size() != 1) {
        n.wrong(
            {shown(name), " has ", body.inputs.size(), " inputs and ", body.outputs.size(), " outputs, not one each"});
    }
    scope inner;
    inner.outer = &n.names();
    inner.imported = n.names().imported;
    inner.prefix = n.builder().current().name + "/";
    inner.enter(n.names(), n.builder());
    inner.values[body.inputs[0].name] = n.reader().of(from);
    n.reader().read_initializers(body, inner);
    n.reader().read_nodes(body.nodes, inner);
    return n.convert(n.reader().result_of(body.outputs[0], inner), n.type(from));
}

inline void read_flex_attention(operation& n) {
    const output_ref query = n.in(0);
    const element type = n.type(query);
    const lpt::shape sizes = n.static_shape(query);
    const std::int64_t heads = n.static_size_of(n.in(1), 1);
    if (sizes.rank() != 4 || heads < 1 || sizes[1] % heads != 0) {
        n.wrong({"needs four axes and whole groups of heads, not ", sizes, " and ", n.shape(n.in(1))});
    }
    const auto repeated = [&](std::size_t port) { return repeated_heads(n, n.in(port), sizes[1] / heads); };
    const double scale = n.real("scale", 1 / math::sqrt(static_cast<double>(sizes[3])));
    const output_ref root = n.like(query, math::sqrt(static_cast<double>(static_cast<float>(scale))));
    const auto scaled = [&](output_ref from) { return n.make(op::multiply{}, {from, root}); };
    op::mat_mul product;
    product.transpose_b = true;
    const element computing = n.type_attribute("softmax_precision", bit_width(type) < 32 ? f32 : type);
    const output_ref plain = n.make(product, {scaled(query), scaled(repeated(1))});
    const output_ref scores = changed_by(n, "score_mod", n.convert(plain, computing));
    const output_ref weights = changed_by(n, "prob_mod", n.softmax(scores, -1));
    n.out(n.convert(n.make(op::mat_mul{}, {weights, n.convert(repeated(2), computing)}), type));
}

inline constexpr operator_entry flex_attention_operators[] = {
    {"ai.onnx.preview", "FlexAttention", read_flex_attention},
};

}  // namespace lpt::inline LPT_ABI::onnx
