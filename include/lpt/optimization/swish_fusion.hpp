// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/optimization/numbers.hpp>

namespace lpt::inline LPT_ABI {

/// x * sigmoid(x) becomes Swish.
struct swish_fusion : rule<"SwishFusion", expression<op::multiply, any<0>, expression<op::sigmoid, any<0>>>,
                           expression<op::swish, any<0>>, when<is_f32<0>>> {};

/// x * sigmoid(beta * x) becomes Swish with beta.
struct swish_fusion_with_beta
    : rule<"SwishFusionWithBeta",
           expression<op::multiply, any<0>, expression<op::sigmoid, expression<op::multiply, any<0>, literal<1>>>>,
           expression<op::swish, any<0>, literal<1>>, when<is_f32<0>, has_one_element<1>>> {};

namespace fusion {

/// min(max(x + 3, 0), 6)
using ramp_to_six = labelled<0, expression<op::clamp, expression<op::add, any<0>, literal<1>>>>;

struct clamps_from_zero_to_six {
    static constexpr text_view name = "ClampsFromZeroToSix";
    static constexpr bool holds(const match& found) {
        const node_id clamp = found.labelled_node(0);
        return clamp == node_id::none || !found.model()[clamp].is<op::clamp>() ||
               (found.as<op::clamp>(0).min == 0 && found.as<op::clamp>(0).max == 6);
    }
};
using hswish_numbers = when<is_f32<0>, clamps_from_zero_to_six, is_number<1, number::three>, is_number<2, number::six>,
                            is_number<3, number::sixth>, is_number<4, number::half>>;

}  // namespace fusion

/// x * min(max(x + 3, 0), 6) / 6 becomes HSwish: the division last, by 6 or by its inverse, or at the ramp, which may be a HardSigmoid.
struct hswish_fusion_division_last
    : rule<"HSwishFusionDivisionLast",
           expression<op::divide, expression<op::multiply, any<0>, fusion::ramp_to_six>, literal<2>>,
           expression<op::hswish, any<0>>, fusion::hswish_numbers> {};
struct hswish_fusion_product_last
    : rule<"HSwishFusionProductLast",
           expression<op::multiply, expression<op::multiply, any<0>, fusion::ramp_to_six>, literal<3>>,
           expression<op::hswish, any<0>>, fusion::hswish_numbers> {};
struct hswish_fusion
    : rule<"HSwishFusion",
           expression<
               op::multiply, any<0>,
               either<expression<op::divide, fusion::ramp_to_six, literal<2>>,
                      expression<op::multiply, fusion::ramp_to_six, literal<3>>,
                      expression<op::hard_sigmoid, any<0>, literal<3>, literal<4>>, expression<op::hsigmoid, any<0>>>>,
           expression<op::hswish, any<0>>, fusion::hswish_numbers> {};

/// x * tanh(log(1 + exp(x))) becomes Mish.
struct mish_fusion
    : rule<"MishFusion",
           expression<
               op::multiply, any<0>,
               expression<op::tanh,
                          either<expression<op::soft_plus, any<0>>,
                                 expression<op::log, expression<op::add, expression<op::exp, any<0>>, literal<1>>>>>>,
           expression<op::mish, any<0>>, when<is_f32<0>, is_number<1, number::one>>> {};

}  // namespace lpt::inline LPT_ABI
