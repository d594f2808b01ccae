// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/optimization/product_quantization.hpp>

namespace lpt::inline LPT_ABI {

/// The scales of columns of weights move behind the product with quantized data, which then has two integer factors:
/// x * (scale * (codes - zero_point)) = (x * (codes - zero_point)) * scale.
///
/// For weights of 4 bits, and bytes with zero points, which the transformations leave. A FakeQuantize above gives bytes then.
/// Results differ by the rounding of the scaled weights.
struct product_scaling {
    static constexpr text_view name = "ProductScaling";
    using pattern = lpt::pattern<op::mat_mul>;

    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        graph& model = r.model;
        const op::mat_mul self = model[id].as<op::mat_mul>();
        const output_ref given = model[id].input(0);
        const bool quantizes = fusion::can_give_bytes(model, given.node);
        const shape& matrix = model.shape(model[id].input(1));
        if (model.type(given) != f32 || model.type(id) != f32 || matrix.rank() != 2 ||
            !(quantizes || fusion::dequantizes_bytes(r, given))) {
            return false;
        }
        const fusion::compressed_weights weights =
            fusion::find_compressed_weights(model, model[id].input(1), self.transpose_b);
        if (!weights || !(model.shape(weights.centred) == matrix) || model.type(weights.centred) != f32) {
            return false;
        }
        if (quantizes) {
            fusion::give_bytes(r, given.node, fusion::byte_precision_of(details_of(model, given.node)));
        }
        rewriting product(r, id);  // the node stays, so that a report counts it
        model.set_input(id, 1, weights.centred);
        const output_ref scale = model.constant(tensor(weights.scale, shape{weights.columns()}));
        return product.then(model.add(op::multiply{}, {id, scale})).finish();
    }
};

}  // namespace lpt::inline LPT_ABI
