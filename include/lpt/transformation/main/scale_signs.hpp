// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization_constants.hpp>
#include <lpt/transformation/pattern.hpp>

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

/// Lets a normalization read quantized data and give real values, which are multiplied by `scale` behind it. The scale has the type
/// of computations, or with `keeps_type` its own.
[[gnu::cold]] constexpr void move_scale_after_normalization(auto& r, node_id normalization, const dequantization& found,
                                                            tensor scale, bool keeps_type) {
    graph& model = r.model;
    const element result = model[normalization].type();
    seq<output_ref, 5> inputs{found.data};
    for (std::size_t port = 1; port < model[normalization].inputs(); ++port) {
        inputs.push_back(model[normalization].input(port));
    }
    const node_id made = model.clone(normalization, inputs);
    copy_information(r, normalization, made);
    model.rename(made, model[normalization].name());
    compute_in(model, made, 0, r.computed_type());
    model.relax_output(made, r.computed_type());
    const element computed = model[made].type();
    const element type = keeps_type ? scale.type() : computed;
    const output_ref factor = fold_convert(model, model.constant(lpt::move(scale)), type);
    const node_id multiply = model.add_relaxed(op::multiply{}, {made, factor}, {{computed, computed}, {result}});
    insert_dequantization_after(r, normalization, multiply, made);
    model.replace(normalization, made);
    update_output_name(r, multiply, made);
}

}  // namespace lpt::inline LPT_ABI
