// SPDX-License-Identifier: Apache-2.0
// Groups of a tensor's elements that one number is made of, or that are normalized together: those that differ in the reduced axes only.
#pragma once

#include <lpt/kernel/rows/fields.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// What a reduction does with the values of a group.
enum class reduction_kind : std::uint8_t { sum, mean, maximum, minimum, product, l1, l2 };

/// A reduction of f32 over any axes; one number for each element of the kept axes, in their order. `output_rows`: where rows of these lie, of the
/// innermost kept axis if its stride is 1, else of one number.
/// An innermost axis, of stride 1, is in one of the lists, unless there is but one element.
/// Sums are kept in single precision, in parts of at most 64 rounded additions each, which are then added up: the error is below
/// (80 + count / 64) 2^-24 times the sum of the absolute values, and of a product that part of it. NaN is no maximum or minimum; without
/// any other value that is an infinity.
struct reduction_problem {
    reduction_kind kind = reduction_kind::sum;
    axis_list kept;
    axis_list reduced;
    const float* input = nullptr;
    float* output = nullptr;
    row_layout output_rows = {};

    static constexpr const char* name = "reduction";
    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit visit) {
        visit("kind", self.kind);
        visit("kept", self.kept);
        visit("reduced", self.reduced);
        visit("input", self.input);
        visit("output", self.output);
        visit("output_rows", self.output_rows);
    }
    template <class Self, class Visit>
    static constexpr void spaced(Self& self, Visit visit) {
        visit(self.output, self.output_rows, self.kept.dense_row(), 1);
    }
};

/// How a normalization treats the values of a group.
enum class normalization_kind : std::uint8_t {
    mean,  ///< x - mean
    mean_and_deviation,  ///< (x - mean) / sqrt(variance + epsilon)
    mean_and_shifted_deviation,  ///< (x - mean) / (sqrt(variance) + epsilon)
    length,  ///< x / sqrt(sum of squares + epsilon)
    limited_length,  ///< x / sqrt(max(sum of squares, epsilon))
};

/// A normalization of f32 over any axes; axes as those of a reduction, input and output alike.
/// Sums as those of a reduction. The mean is found twice, the second time as that of the distances from the first, so that a large mean
/// costs no accuracy. In place is allowed.
/// `input_rows`, `output_rows`: where the groups lie if the only reduced axis is the innermost; both are dense otherwise.
/// `scale` and `shift`, both or none: a number for each element of the only reduced axis, which is the innermost; results y become
/// fma(y, scale, shift).
struct normalization_problem {
    normalization_kind kind = normalization_kind::mean;
    float epsilon = 0;
    axis_list kept;
    axis_list reduced;
    const float* input = nullptr;
    float* output = nullptr;
    const float* scale = nullptr;
    const float* shift = nullptr;
    row_layout input_rows = {};
    row_layout output_rows = {};

    static constexpr const char* name = "normalization";
    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit visit) {
        visit("kind", self.kind);
        visit("epsilon", self.epsilon);
        visit("kept", self.kept);
        visit("reduced", self.reduced);
        visit("input", self.input);
        visit("output", self.output);
        visit("scale", self.scale);
        visit("shift", self.shift);
        visit("input_rows", self.input_rows);
        visit("output_rows", self.output_rows);
    }
    template <class Self, class Visit>
    static constexpr void spaced(Self& self, Visit visit) {
        if (self.reduced.count != 1 || self.reduced.dense_row() != self.reduced.sizes[0]) return;
        visit(self.input, self.input_rows, self.reduced.sizes[0], 1);
        visit(self.output, self.output_rows, self.reduced.sizes[0], 1);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
