// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/movement.hpp>

/// What the transformations of MVN and NormalizeL2 have in common: operations that divide a scale of their input out again.
namespace lpt::inline LPT_ABI {

/// -1 for values below zero, 1 for all others.
constexpr tensor signs_of(const tensor& values) {
    tensor_builder result(values.type(), values.dimensions());
    for (std::size_t i = 0; i < result.elements(); ++i) {
        result.real(i, values.real(i) < 0 ? -1.0 : 1.0);
    }
    return result.finish();
}

/// eps / scale^power: what keeps a normalization of unscaled data as far from a division by zero as that of scaled data.
constexpr double rescaled_eps(double eps, double scale, int power) {
    const double size = math::absolute(scale);
    return power == 2 ? eps / size / size : eps / size;
}
/// A scale that eps can be divided by: one finite value that is not (nearly) zero.
constexpr bool can_rescale_eps(const tensor& scale) {
    return is_scalar_like(scale) && math::absolute(scale.real(0)) >= 1e-32 && !math::is_infinite(scale.real(0));
}

/// Lets a normalization read quantized data; `scale` stands behind it, in the type of computations, or with `keeps_type` its own.
[[gnu::cold]] constexpr bool move_scale_after_normalization(rewrite& r, node_id normalization,
                                                            const dequantization& found, tensor scale,
                                                            bool keeps_type) {
    graph& model = r.model;
    const element result = model[normalization].type();
    const element computed = r.computed_type();
    const element type = keeps_type ? scale.type() : computed;
    rewriting normalized(r, normalization);
    normalized.becomes_clone(inputs_of(model, normalization, {found.data}));
    compute_in(model, normalized.operation(), 0, computed);
    model.relax_output(normalized.operation(), computed);
    return normalized.times(constant(lpt::move(scale)).as(type).in(model), {{computed, computed}, {result}}).finish();
}

}  // namespace lpt::inline LPT_ABI
