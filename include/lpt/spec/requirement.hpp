// SPDX-License-Identifier: Apache-2.0
// What the TensorFlow Lite 8-bit quantization specification can say of a tensor and of an operation, as plain data.
#pragma once

#include <lpt/tensor/element.hpp>

namespace lpt::inline LPT_ABI::spec {

/// A tensor's part in an operation. `every_input` stands for each input of an operation that takes any number of them.
enum class operand : unsigned char { input_0, input_1, input_2, every_input, weight, bias, output_0 };

/// Whether a tensor has one scale or one for each slice of an axis. `per_axis` allows one for the whole tensor, too: equal scales.
enum class granularity : unsigned char { per_tensor, per_axis };

/// Which zero points a tensor may have.
enum class zero_point_rule : unsigned char {
    within_type,  ///< any value of the data type: asymmetric
    zero,  ///< 0: symmetric
    fixed,  ///< the one that `requirement::fixed_zero_point` names
};

/// Which scales a tensor may have.
enum class scale_rule : unsigned char {
    any,  ///< any that is finite and positive
    product,  ///< input0_scale * input1_scale[i] for each i
    fixed,  ///< numerator / denominator
};

/// Where the specification says something.
enum class section : unsigned char {
    summary,  ///< "Specification summary"
    per_axis_per_tensor,  ///< "Per-axis vs per-tensor"
    symmetric_asymmetric,  ///< "Symmetric vs asymmetric"
    operator_specifications  ///< "int8 quantized operator specifications"
};

/// The heading of a section.
constexpr text_view name(section which) {
    constexpr text_view names[] = {"Specification summary", "Per-axis vs per-tensor", "Symmetric vs asymmetric",
                                   "int8 quantized operator specifications"};
    return names[static_cast<int>(which)];
}

/// The word of the specification's rows for a part.
constexpr text_view name(operand which) {
    constexpr text_view names[] = {"Input 0",          "Input 1",        "Input 2", "Input ...",
                                   "Input 1 (Weight)", "Input 2 (Bias)", "Output 0"};
    return names[static_cast<int>(which)];
}

constexpr text_view name(granularity which) { return which == granularity::per_tensor ? "per-tensor" : "per-axis"; }

/// What an operation's row asks of one tensor.
struct requirement {
    operand role = operand::input_0;
    element type = i8;
    std::int64_t lowest = -128;  // of the values, both included
    std::int64_t highest = 127;
    spec::granularity granularity = spec::granularity::per_tensor;
    int axis = -1;  // the quantized dimension; -1 where the row names none
    zero_point_rule zero_point = zero_point_rule::within_type;
    scale_rule scale = scale_rule::any;
    int fixed_numerator = 0;  // of the fixed scale
    int fixed_denominator = 1;
    int fixed_zero_point = 0;
    bool implied = false;  // the row does not name the tensor, but its values meet those of input 0 without any scaling

    constexpr double fixed_scale() const { return static_cast<double>(fixed_numerator) / fixed_denominator; }
    constexpr bool is_symmetric() const { return zero_point == zero_point_rule::zero; }
    friend constexpr bool operator==(const requirement&, const requirement&) = default;
};

/// An activation: int8 in [-128, 127], one scale, and a zero point anywhere within the type.
constexpr requirement activation(operand role) {
    requirement result;
    result.role = role;
    return result;
}

/// An activation that the row leaves out although its values are compared with those of input 0, or copied beside them.
constexpr requirement implied_activation(operand role) {
    requirement result = activation(role);
    result.implied = true;
    return result;
}

/// Weights: int8 in [-127, 127], symmetric, a scale for each slice of `axis`.
constexpr requirement symmetric_weight(int axis) {
    requirement result;
    result.role = operand::weight;
    result.lowest = -127;
    result.granularity = granularity::per_axis;
    result.axis = axis;
    result.zero_point = zero_point_rule::zero;
    return result;
}

/// A bias: int32, symmetric, with the scale of the products that it is added to.
constexpr requirement product_bias(granularity scales) {
    requirement result;
    result.role = operand::bias;
    result.type = i32;
    result.lowest = -2147483648LL;
    result.highest = 2147483647LL;
    result.granularity = scales;
    result.zero_point = zero_point_rule::zero;
    result.scale = scale_rule::product;
    return result;
}

/// An output whose quantization is given: scale numerator / denominator, and the zero point.
constexpr requirement fixed_output(int numerator, int denominator, int zero_point) {
    requirement result = activation(operand::output_0);
    result.zero_point = zero_point_rule::fixed;
    result.scale = scale_rule::fixed;
    result.fixed_numerator = numerator;
    result.fixed_denominator = denominator;
    result.fixed_zero_point = zero_point;
    return result;
}

/// The most tensors that a row is about.
inline constexpr int most_requirements = 4;

/// What the specification says of one operation.
struct row {
    text_view name;  // as the TensorFlow Lite schema spells it
    text_view note;  // what the document writes behind the name
    int number = 0;  // place in the document: the row of "int8 quantized operator specifications", from 1
    int count = 0;  // of `tensors`
    requirement tensors[most_requirements] = {};
    bool same_quantization = false;  // "Input and outputs must all have same scale/zero_point"

    constexpr const requirement* begin() const { return tensors; }
    constexpr const requirement* end() const { return tensors + count; }

    /// The index in `tensors` of what is asked of a part; -1 where the row does not name it.
    constexpr int index_of(operand role) const {
        for (int i = 0; i < count; ++i) {
            if (tensors[i].role == role) return i;
        }
        return -1;
    }

    /// Whether the row names a part. (With sanitizers g++ does not compare `find`'s pointers while it compiles.)
    constexpr bool names(operand role) const { return index_of(role) >= 0; }

    /// What is asked of a part, or null where the row does not name it.
    constexpr const requirement* find(operand role) const {
        const int index = index_of(role);
        return index < 0 ? nullptr : &tensors[index];
    }
};

}  // namespace lpt::inline LPT_ABI::spec
