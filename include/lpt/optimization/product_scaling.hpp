// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/optimization/compressed_weights.hpp>

namespace lpt::inline LPT_ABI {

/// The scales of columns of weights move behind the product with quantized data, which then has two integer factors:
/// x * (scale * (codes - zero_point)) = (x * (codes - zero_point)) * scale.
///
/// For weights of 4 bits, which the transformations leave. Results differ by the rounding of the scaled weights.
struct product_scaling {
    static constexpr text_view name = "ProductScaling";
    using pattern = lpt::pattern<op::mat_mul>;

    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        graph& model = r.model;
        const op::mat_mul self = model[id].as<op::mat_mul>();
        const output_ref x = model[id].input(0);
        const shape& matrix = model.shape(model[id].input(1));
        if (model.type(x) != f32 || model.type(id) != f32 || matrix.rank() != 2 || !fusion::dequantizes_bytes(r, x)) {
            return false;
        }
        const fusion::compressed_weights weights =
            fusion::find_compressed_weights(model, model[id].input(1), self.transpose_b);
        if (!weights || !(model.shape(weights.centred) == matrix) || model.type(weights.centred) != f32) {
            return false;
        }
        const node_id product = model.clone(id, {x, weights.centred});
        const output_ref scale = model.constant(tensor(weights.scale, shape{weights.columns()}));
        replace_and_name(r, id, model.add(op::multiply{}, {product, scale}));
        return true;
    }
};

}  // namespace lpt::inline LPT_ABI
