// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/optimization/compressed_weights.hpp>

namespace lpt::inline LPT_ABI {

/// The product of real numbers with constant weights of 4 or 8 bits becomes FullyConnectedCompressed, which reads these bits: scale and zero point
/// are of a column, or of a block of it.
///
/// For matrices that a core's second cache would not hold as f32: to read them bounds the time of few rows, and they take 4 to 8 times the memory.
/// Products of quantized data with weights of one scale a column stay: both factors are integers. Results differ by the rounding of intermediate values.
struct fully_connected_compression {
    static constexpr text_view name = "FullyConnectedCompression";
    using pattern = lpt::pattern<op::mat_mul>;

    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        graph& model = r.model;
        const op::mat_mul self = model[id].as<op::mat_mul>();
        const output_ref x = model[id].input(0);
        const shape& matrix = model.shape(model[id].input(1));
        if (self.transpose_a || model.type(x) != f32 || model.type(id) != f32 || matrix.rank() != 2 ||
            !matrix.is_static() || matrix.elements() < fusion::least_compressed) {
            return false;
        }
        const fusion::compressed_weights weights =
            fusion::find_compressed_weights(model, model[id].input(1), self.transpose_b);
        const dimension columns = matrix[self.transpose_b ? 0 : 1];
        const dimension inner = matrix[self.transpose_b ? 1 : 0];
        if (!weights || weights.columns() != columns || weights.blocks() != (inner - 1) / weights.block() + 1 ||
            (weights.blocks() == 1 && fusion::dequantizes_bytes(r, x))) {
            return false;
        }
        seq<output_ref> inputs{x, model.constant(weights.by_column()), model.constant(weights.scale)};
        if (weights.zero_point) {
            inputs.push_back(model.constant(weights.zero_point));
        }
        const node_id made = model.add(op::fully_connected_compressed{}, inputs);
        model.set_mark(made, model[id].marks() & mark::may_round_data);
        replace_and_name(r, id, made);
        return true;
    }
};

}  // namespace lpt::inline LPT_ABI
