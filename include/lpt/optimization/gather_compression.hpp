// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/optimization/compressed_weights.hpp>

namespace lpt::inline LPT_ABI {

/// Gather of rows of constant weights of 4 or 8 bits gathers these bits, and dequantizes what it found: an embedding of few bits stays one.
///
/// y = (gather(codes, i) - gather(zero_point, i)) * gather(scale, i), where each row, or each block of it, has its scale and zero point. Results
/// keep their bits.
struct gather_compression {
    static constexpr text_view name = "GatherCompression";
    using pattern = lpt::pattern<op::gather>;

    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        graph& model = r.model;
        const shape& table = model.shape(model[id].input(0));
        const tensor* axis = model.constant_value(model[id].input(2));
        const shape& places = model.shape(model[id].input(1));
        if (model.type(id) != f32 || table.rank() != 2 || !table.is_static() || places.rank_is_dynamic() ||
            table.elements() < fusion::least_compressed || is_null(axis) || axis->integer(0) != 0 ||
            model[id].as<op::gather>().batch_dims != 0) {
            return false;
        }
        const fusion::compressed_weights weights = fusion::find_compressed_weights(model, model[id].input(0), true);
        if (!weights || weights.columns() != table[0] || weights.blocks() * weights.block() != table[1]) {
            return false;
        }
        const auto gathered = [&](tensor rows) {
            return output_ref(
                model.clone(id, {model.constant(lpt::move(rows)), model[id].input(1), model[id].input(2)}));
        };
        const auto numbers = [&](const tensor& by_block) {
            return gathered(tensor(by_block, shape{weights.columns(), weights.blocks(), 1}));
        };
        output_ref real = model.add(op::convert{f32}, {gathered(weights.by_column())});
        if (weights.zero_point) {
            real = model.add(op::subtract{}, {real, numbers(weights.zero_point)});
        }
        real = model.add(op::multiply{}, {real, numbers(weights.scale)});
        integers sizes(places.rank(), 0);  // as they are
        sizes.push_back(table[1]);
        replace_and_name(r, id, model.add(op::reshape{true}, {real, model.constant(make_indices(sizes))}));
        return true;
    }
};

}  // namespace lpt::inline LPT_ABI
