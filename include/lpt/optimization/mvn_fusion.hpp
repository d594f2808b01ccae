// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/optimization/numbers.hpp>

namespace lpt::inline LPT_ABI {

namespace fusion {

using mean = many_readers<labelled<0, expression<op::reduce_mean, any<0>, literal<1>>>>;
using centered = many_readers<expression<op::subtract, any<0>, mean>>;
/// The mean of the squares of what is left without the mean, and a small number.
using shifted_variance = expression<op::add,
                                    labelled<1, expression<op::reduce_mean,
                                                           either<expression<op::power, centered, literal<4>>,
                                                                  expression<op::multiply, centered, centered>,
                                                                  expression<op::squared_difference, any<0>, mean>>,
                                                           literal<2>>>,
                                    literal<3>>;
using deviation = either<expression<op::sqrt, shifted_variance>, expression<op::power, shifted_variance, literal<5>>>;
using inverse_deviation = either<expression<op::power, shifted_variance, literal<6>>,
                                 expression<op::divide, literal<7>, expression<op::sqrt, shifted_variance>>>;

/// Both means are taken along the same axes, which stay with size 1.
struct means_agree {
    static constexpr text_view name = "MeansAgree";
    static constexpr bool holds(const match& found) {
        const tensor& first = found.constant(1);
        const tensor& second = found.constant(2);
        if (!found.as<op::reduce_mean>(0).keep_dims || !found.as<op::reduce_mean>(1).keep_dims ||
            first.elements() != second.elements() || first.elements() == 0) {
            return false;
        }
        for (std::size_t i = 0; i < first.elements(); ++i) {
            if (first.integer(i) != second.integer(i)) {
                return false;
            }
        }
        return true;
    }
};
struct has_positive_epsilon {
    static constexpr text_view name = "HasPositiveEpsilon";
    static constexpr bool holds(const match& found) {
        return found.constant(3).elements() == 1 && found.constant(3).real(0) > 0;
    }
};
using mvn_numbers = when<is_f32<0>, means_agree, has_positive_epsilon, is_number<4, number::two>,
                         is_number<5, number::half>, is_number<6, number::minus_half>, is_number<7, number::one>>;

constexpr op::mvn mvn_of(const match& found) {
    op::mvn result;
    result.eps = found.constant(3).real(0);
    return result;
}
constexpr tensor axes_of_means(const match& found) {
    const tensor& axes = found.constant(1);
    tensor_builder result(i64, shape{static_cast<dimension>(axes.elements())});
    for (std::size_t i = 0; i < axes.elements(); ++i) {
        result.integer(i, axes.integer(i));
    }
    return result.finish();
}

}  // namespace fusion

/// (x - mean(x)) / sqrt(mean((x - mean(x))^2) + epsilon) becomes MVN; a scale and a shift behind it stay what they are.
///
/// Results differ by the rounding of the intermediate values.
struct mvn_fusion : rule<"MVNFusion", expression<op::divide, fusion::centered, fusion::deviation>,
                         made<&fusion::mvn_of, any<0>, made_constant<&fusion::axes_of_means>>, fusion::mvn_numbers> {};
/// The same as a product with the inverse of the root.
struct mvn_fusion_by_product
    : rule<"MVNFusionByProduct", expression<op::multiply, fusion::centered, fusion::inverse_deviation>,
           made<&fusion::mvn_of, any<0>, made_constant<&fusion::axes_of_means>>, fusion::mvn_numbers> {};

}  // namespace lpt::inline LPT_ABI
