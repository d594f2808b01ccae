// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/op/row.hpp>

namespace lpt::inline LPT_ABI::op {

struct field_row;  // in op/fields.hpp

/// What becomes of the dequantization of an operation's data.
enum class dequantization_rule : unsigned char {
    stays,  // it stays above, the operation computes with real numbers
    same,  // f(s (x - z)) = s (f(x) - z): it moves behind, the output has the type of the data (values are moved or chosen)
    scaled  // f(s x) = s f(x): the scale moves behind, the output is real; of several ports all scales, f(s x, t y) = s t f(x, y)
};

/// Some numbers of input ports or element types, at most eight.
template <class Value>
struct short_list {
    Value values[8] = {};
    int count = 0;

    template <class... Values>
    constexpr short_list(Values... all) : values{static_cast<Value>(all)...}, count(sizeof...(all)) {
        static_assert(sizeof...(all) <= 8, "at most eight values");
    }
    constexpr bool contains(Value value) const {
        for (int i = 0; i < count; ++i) {
            if (values[i] == value) {
                return true;
            }
        }
        return false;
    }
};

/// How a user's operation type takes part in low precision.
struct low_precision {
    dequantization_rule rule = dequantization_rule::stays;
    short_list<int> ports{0};  // input ports whose data may be quantized
    short_list<element> types{u8, i8};  // element types that they take, best first
    bool per_channel =
        false;  // scales and zero points may differ between the channels of axis 1, which stay where they are
    bool negative_scale = true;  // false: f is not symmetric, scales must be positive (it chooses a maximum, say)
};

/// A row of a user's operation type: what the library finds in tables for its own types.
struct user_row : row {
    const field_row* fields = nullptr;
    void (*evaluate)(const attributes&, view<tensor> inputs, view<output_facts> facts,
                     seq<tensor>& outputs) = nullptr;  // null: cannot be evaluated
    op::low_precision low_precision;
};

}  // namespace lpt::inline LPT_ABI::op
