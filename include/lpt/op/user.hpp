// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/op/fields.hpp>

/// Operation types of users. Such a type is declared like those of the library: `number` (`user_kind("Name")`), `name`, `opsets`,
/// `inputs`, `outputs`, `traits`, `infer(const Op&, inference&)`, equality, and, if it has attributes, `fields(self, visit)`. It may
/// also have
///   `static void evaluate(const Op&, view<tensor> data, view<op::output_facts> facts, seq<tensor>& results)`, which makes it
///   run (constexpr if graphs with it are folded in constant expressions), and
///   `static constexpr op::low_precision low_precision{…}`, which makes it part of the transformations.
namespace lpt::inline LPT_ABI::op {

namespace detail {

template <class Op>
constexpr void evaluate_user(const attributes& values, view<tensor> inputs, view<output_facts> facts,
                             seq<tensor>& outputs) {
    Op::evaluate(values.as<Op>(), inputs, facts, outputs);
}
template <class Op>
inline constexpr field_row user_fields = make_field_row<Op>();

template <class Op>
constexpr user_row make_user_row() {
    static_assert(Op::number >= kind::count, "the number of a user's operation type is user_kind(\"Name\")");
    user_row result{make_row<Op>(), &user_fields<Op>, nullptr, {}};
    if constexpr (requires { &Op::evaluate; }) {
        result.evaluate = &evaluate_user<Op>;
    }
    if constexpr (requires { Op::low_precision; }) {
        result.low_precision = Op::low_precision;
    }
    return result;
}

}  // namespace detail

template <class Op>
struct user_row_of {
    static constexpr user_row value = detail::make_user_row<Op>();
};

/// Operation types of users by name: what reading files and thawing graphs need. Made by `user_operations_of<my_op, …>`.
class user_operations {
    view<const user_row*> rows_;

public:
    constexpr user_operations() = default;
    constexpr explicit user_operations(view<const user_row*> known) : rows_(known) {}

    /// Null where there is none.
    constexpr const user_row* find(text_view name) const {
        for (const user_row* each : rows_) {
            if (each->name == name) {
                return each;
            }
        }
        return nullptr;
    }
    constexpr const user_row* find(kind number) const {
        for (const user_row* each : rows_) {
            if (each->number == number) {
                return each;
            }
        }
        return nullptr;
    }
};

namespace detail {

template <class... Ops>
struct user_rows {
    static_assert(sizeof...(Ops) > 0, "name at least one operation type");
    static constexpr const user_row* values[] = {&user_row_of<Ops>::value...};
    static constexpr bool differ() {
        int same = 0;
        for (const user_row* each : values) {
            for (const user_row* other : values) {
                same += each->number == other->number ? 1 : 0;
            }
        }
        return same == sizeof...(Ops);
    }
    static_assert(differ(), "two operation types have the same number: rename one of them");
};

}  // namespace detail

template <class... Ops>
inline constexpr user_operations user_operations_of{
    view<const user_row*>(detail::user_rows<Ops...>::values, sizeof...(Ops))};

}  // namespace lpt::inline LPT_ABI::op
