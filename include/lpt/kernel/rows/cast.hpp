// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/kernel/rows/number_type.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// out[i] = in[i] as a number of another type, for `count` numbers. Source: OpenVINO operation set, Convert-1.
/// Integer to integer: modulo 2^bits. Real to integer: towards zero, saturating; NaN gives 0. To real: to nearest even, too large becomes infinity.
/// To boolean: 1 unless 0. `input` and `output` are aligned to their numbers and do not overlap.
struct cast_problem {
    std::int64_t count = 0;
    number_type input_type = number_type::f32;
    number_type output_type = number_type::f32;
    const void* input = nullptr;
    void* output = nullptr;

    static constexpr const char* name = "cast";
    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit visit) {
        visit("count", self.count);
        visit("input_type", self.input_type);
        visit("output_type", self.output_type);
        visit("input", self.input);
        visit("output", self.output);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
