// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/kernel/rows/fields.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// Softmax of f32 along one axis, or its logarithm; the tensor is `outer` x `length` x `inner`, and `input_rows` and `output_rows` say where each of
/// the `outer` begins. With m the largest x of the axis:
///   softmax: exp(x - m) / sum of exp(x - m);   logarithm: x - m - ln(sum of exp(x - m)).
/// In single precision, with the functions of `kernel/unary.hpp`. The relative error of a power over the sum is below (length + 200) 2^-24, and
/// what is below 2^-125 may be zero; of a logarithm that is the absolute error, beside four roundings. NaN or infinity in an axis makes all of it
/// NaN, but for negative infinities beside finite numbers, which give 0. In place is allowed.
struct softmax_problem {
    std::int64_t outer = 1;
    std::int64_t length = 1;
    std::int64_t inner = 1;
    bool logarithm = false;
    const float* input = nullptr;
    float* output = nullptr;
    row_layout input_rows = {};
    row_layout output_rows = {};

    static constexpr const char* name = "softmax";
    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit visit) {
        visit("outer", self.outer);
        visit("length", self.length);
        visit("inner", self.inner);
        visit("logarithm", self.logarithm);
        visit("input", self.input);
        visit("output", self.output);
        visit("input_rows", self.input_rows);
        visit("output_rows", self.output_rows);
    }
    template <class Self, class Visit>
    static constexpr void spaced(Self& self, Visit visit) {
        visit(self.input, self.input_rows, self.length * self.inner, 1);
        visit(self.output, self.output_rows, self.length * self.inner, 1);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
