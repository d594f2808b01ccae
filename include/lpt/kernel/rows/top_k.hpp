// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/kernel/rows/fields.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// The `count` greatest (or least) f32 along one axis, and where they are; the input is `outer` x `length` x `inner`, the outputs
/// `outer` x `count` x `inner`; the `_rows` say where each of the `outer` begins. 1 <= count <= length < 2^31.
/// A number comes before another if it is greater (less); of equal ones the first comes first. NaN come last; of one that is looked for,
/// a NaN at the first place stays. The results stand in that order, or in that of their places.
/// `indices`: i32, or i64 where `wide_indices`. None of the outputs may be the input.
struct top_k_problem {
    std::int64_t outer = 1;
    std::int64_t length = 1;
    std::int64_t inner = 1;
    std::int64_t count = 1;
    bool least = false;
    bool by_place = false;
    bool wide_indices = false;
    const float* input = nullptr;
    float* values = nullptr;
    void* indices = nullptr;
    row_layout input_rows = {};
    row_layout value_rows = {};
    row_layout index_rows = {};

    static constexpr const char* name = "top_k";
    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit visit) {
        visit("outer", self.outer);
        visit("length", self.length);
        visit("inner", self.inner);
        visit("count", self.count);
        visit("least", self.least);
        visit("by_place", self.by_place);
        visit("wide_indices", self.wide_indices);
        visit("input", self.input);
        visit("values", self.values);
        visit("indices", self.indices);
        visit("input_rows", self.input_rows);
        visit("value_rows", self.value_rows);
        visit("index_rows", self.index_rows);
    }
    template <class Self, class Visit>
    static constexpr void spaced(Self& self, Visit visit) {
        visit(self.input, self.input_rows, self.length * self.inner, 1);
        visit(self.values, self.value_rows, self.count * self.inner, 1);
        visit(self.indices, self.index_rows, self.count * self.inner, 1);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
