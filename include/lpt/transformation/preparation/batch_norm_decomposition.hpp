// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

/// BatchNormInference with known numbers becomes a Multiply and an Add, which the transformations know:
/// y = x * s + (beta - mean * s), s = gamma / sqrt(variance + epsilon).
///
/// Results differ by the rounding of the intermediate values.
struct batch_norm_decomposition {
    static constexpr text_view name = "BatchNormDecomposition";
    using pattern = lpt::pattern<op::batch_norm_inference>;

    static constexpr bool transform(rewrite& r, node_id id) {
        const std::size_t data = op::batch_norm_inference::data_port(r.model[id].version());
        const output_ref x = r.model[id].input(data);
        const tensor* numbers[4]{};  // gamma, beta, mean, variance
        for (std::size_t port = 0, i = 0; port < 5; ++port) {
            if (port == data) {
                continue;
            }
            numbers[i] = r.model.constant_value(r.model[id].input(port));
            if (is_null(numbers[i++])) {
                return r.refused(id, name, refuse(reason::input_not_constant, static_cast<int>(port)));
            }
        }
        if (r.model.shape(x).rank_is_dynamic()) {
            return r.refused(id, name, refuse(reason::dynamic_rank));
        }
        const std::size_t channels = numbers[0]->elements();
        shape dimensions = shape::of_ones(r.model.shape(x).rank());
        dimensions[1] = static_cast<dimension>(channels);
        tensor_builder scales(r.model.type(x), dimensions), shifts(r.model.type(x), lpt::move(dimensions));
        const double epsilon = r.model[id].as<op::batch_norm_inference>().epsilon;
        for (std::size_t c = 0; c < channels; ++c) {
            const double variance = numbers[3]->real(c) + epsilon;
            if (!(variance > 0)) {
                return r.refused(id, name, refuse(reason::infinite_constant));
            }
            const double scale = numbers[0]->real(c) / math::sqrt(variance);
            scales.real(c, scale);
            shifts.real(c, numbers[1]->real(c) - numbers[2]->real(c) * scale);
        }
        const output_ref scaled = r.model.add(op::multiply{}, {x, r.model.constant(scales.finish())});
        return replace_and_name(r, id, r.model.add(op::add{}, {scaled, r.model.constant(shifts.finish())}));
    }
};

}  // namespace lpt::inline LPT_ABI
