// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/rule_pieces.hpp>

namespace lpt::inline LPT_ABI {

namespace batch_norm {

/// Numbers of the rules: x, gamma, beta, mean, variance.
inline constexpr int x = 0, gamma = 1, beta = 2, mean = 3, variance = 4;

/// A value for each channel, which is along the second axis of x.
template <class Value>
constexpr tensor per_channel(const match& found, const Value& value) {
    const std::size_t channels = found.constant(gamma).elements();
    shape dimensions = shape::of_ones(found.dimensions(x).rank());
    dimensions[1] = static_cast<dimension>(channels);
    tensor_builder result(found.type(x), lpt::move(dimensions));
    for (std::size_t c = 0; c < channels; ++c) {
        result.real(c, value(c));
    }
    return result.finish();
}
constexpr double scale_of(const match& found, std::size_t channel) {
    const double epsilon = found.model()[found.root()].as<op::batch_norm_inference>().epsilon;
    return found.constant(gamma).real(channel) / math::sqrt(found.constant(variance).real(channel) + epsilon);
}
constexpr tensor scales(const match& found) {
    return per_channel(found, [&](std::size_t c) { return scale_of(found, c); });
}
constexpr tensor shifts(const match& found) {
    return per_channel(found, [&](std::size_t c) {
        return found.constant(beta).real(c) - found.constant(mean).real(c) * scale_of(found, c);
    });
}

/// The version of the operation, which says in what order its inputs come.
template <int Version>
struct has_version {
    static constexpr text_view name = "HasVersion";
    static constexpr bool holds(const match& found) { return found.model()[found.root()].version() == Version; }
};
struct has_a_scale_for_each_channel {
    static constexpr text_view name = "HasAScaleForEachChannel";
    static constexpr bool holds(const match& found) {
        if (found.dimensions(x).rank_is_dynamic() || found.dimensions(x).rank() < 2) {
            return false;
        }
        for (std::size_t c = 0; c < found.constant(gamma).elements(); ++c) {
            const double scale = scale_of(found, c);
            if (!(math::absolute(scale) <= 3.4028234663852886e38)) {
                return false;
            }
        }
        return true;
    }
};
using scale_and_shift =
    expression<op::add, expression<op::multiply, any<x>, made_constant<&scales>>, made_constant<&shifts>>;

}  // namespace batch_norm

/// BatchNormInference with known numbers becomes a Multiply and an Add, which the transformations know:
/// y = x * s + (beta - mean * s), s = gamma / sqrt(variance + epsilon).
///
/// Results differ by the rounding of the intermediate values.
struct batch_norm_decomposition
    : rule<"BatchNormDecomposition",
           expression<op::batch_norm_inference, any<batch_norm::x>, literal<batch_norm::gamma>,
                      literal<batch_norm::beta>, literal<batch_norm::mean>, literal<batch_norm::variance>>,
           batch_norm::scale_and_shift, when<batch_norm::has_version<5>, batch_norm::has_a_scale_for_each_channel>> {};

/// The same in version 0, where x comes third.
struct batch_norm_decomposition_of_version_0
    : rule<"BatchNormDecompositionOfVersion0",
           expression<op::batch_norm_inference, literal<batch_norm::gamma>, literal<batch_norm::beta>,
                      any<batch_norm::x>, literal<batch_norm::mean>, literal<batch_norm::variance>>,
           batch_norm::scale_and_shift, when<batch_norm::has_version<0>, batch_norm::has_a_scale_for_each_channel>> {};

}  // namespace lpt::inline LPT_ABI
