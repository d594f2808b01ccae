// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/kernel/rows/number_type.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// out[i] = in[i] as a number of another type, for `rows` rows of `count` numbers, which lie where `input_rows` and
/// `output_rows` say. Source: OpenVINO operation set, Convert-1.
/// Integer to integer: modulo 2^bits. Real to integer: towards zero, saturating; NaN gives 0. To real: to nearest even, too large becomes infinity.
/// To boolean: 1 unless 0. `input` and `output` are aligned to their numbers and do not overlap.
struct cast_problem {
    std::int64_t count = 0;
    number_type input_type = number_type::f32;
    number_type output_type = number_type::f32;
    const void* input = nullptr;
    void* output = nullptr;
    std::int64_t rows = 1;
    row_layout input_rows = {};
    row_layout output_rows = {};

    static constexpr const char* name = "cast";
    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit visit) {
        visit("count", self.count);
        visit("input_type", self.input_type);
        visit("output_type", self.output_type);
        visit("input", self.input);
        visit("output", self.output);
        visit("rows", self.rows);
        visit("input_rows", self.input_rows);
        visit("output_rows", self.output_rows);
    }
    template <class Self, class Visit>
    static constexpr void spaced(Self& self, Visit visit) {
        visit(self.input, self.input_rows, self.count, 1);
        visit(self.output, self.output_rows, self.count, 1);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
