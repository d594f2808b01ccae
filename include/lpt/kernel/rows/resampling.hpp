// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/kernel/rows/fields.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// One axis of f32 resampled, of a tensor of `outer` x `input_length` x `middle` x `inner` elements; the output has `length` places along the axis:
///   out[o, p, m, i] = sum over t of weights[t] * in[o, places[t], m, i], t from first_taps[p] up to first_taps[p + 1].
/// With `plane_rows`, a number that divides `outer`, the inner axes go to the front of so many of the outer ones:
///   out[o / plane_rows, i, o % plane_rows, p]; `middle` is then 1.
/// `input_rows`, `output_rows`: where rows of `inner` elements lie, those of an axis and what is inside of it equally far apart;
/// without `plane_rows`.
/// Places are those of the input, 0 to input_length - 1. Each product and each sum is rounded once, in the order of t, the first sum from 0.
/// The output does not overlap the input.
struct resampling_problem {
    std::int64_t outer = 1;
    std::int64_t input_length = 1;
    std::int64_t length = 1;
    std::int64_t middle = 1;
    std::int64_t inner = 1;
    std::int64_t plane_rows = 0;
    const std::int32_t* first_taps = nullptr;
    const std::int32_t* places = nullptr;
    const float* weights = nullptr;
    const float* input = nullptr;
    float* output = nullptr;
    row_layout input_rows = {};
    row_layout output_rows = {};

    static constexpr const char* name = "resampling";
    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit visit) {
        visit("outer", self.outer);
        visit("input_length", self.input_length);
        visit("length", self.length);
        visit("middle", self.middle);
        visit("inner", self.inner);
        visit("plane_rows", self.plane_rows);
        visit("first_taps", self.first_taps);
        visit("places", self.places);
        visit("weights", self.weights);
        visit("input", self.input);
        visit("output", self.output);
        visit("input_rows", self.input_rows);
        visit("output_rows", self.output_rows);
    }
    template <class Self, class Visit>
    static constexpr void spaced(Self& self, Visit visit) {
        if (self.plane_rows != 0) return;
        visit(self.input, self.input_rows, self.inner, self.input_length * self.middle);
        visit(self.output, self.output_rows, self.inner, self.length * self.middle);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
