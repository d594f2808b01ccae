// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/rule/facts.hpp>

/// Which operations of an expression have labels.
namespace lpt::inline LPT_ABI::detail {

template <class E>
struct operation_type {
    using type = void;
};
template <class Op, class... In>
struct operation_type<expression<Op, In...>> {
    using type = Op;
};
template <class E>
struct operation_type<many_readers<E>> : operation_type<E> {};
template <class E, element... Types>
struct operation_type<of_type<E, Types...>> : operation_type<E> {};
template <int Label, class E>
struct operation_type<labelled<Label, E>> : operation_type<E> {};

template <int Label, class Op>
struct labelled_operation {};
/// The operations with labels in an expression, as a list.
template <class E>
struct labelled_operations {
    using type = type_list<>;
};
template <class Op, class... In>
struct labelled_operations<expression<Op, In...>> {
    using type = joined<type_list<>, typename labelled_operations<In>::type...>;
};
template <class E>
struct labelled_operations<many_readers<E>> : labelled_operations<E> {};
template <class E, element... Types>
struct labelled_operations<of_type<E, Types...>> : labelled_operations<E> {};
template <int Label, class E>
struct labelled_operations<labelled<Label, E>> {
    using type = joined<type_list<labelled_operation<Label, typename operation_type<E>::type>>,
                        typename labelled_operations<E>::type>;
};

template <int Label>
struct has_label {
    template <int Other, class Op>
    constexpr auto operator()(hana::basic_type<labelled_operation<Other, Op>>) const {
        return hana::bool_c < Label == Other > ;
    }
};
template <class Found>
struct operation_of_label {
    using type = void;
};
template <int Label, class Op>
struct operation_of_label<labelled_operation<Label, Op>> {
    using type = Op;
};
/// The operation with a label; void where there is none.
template <int Label, class E>
using operation_with_label = typename operation_of_label<
    member_at<decltype(hana::filter(typename labelled_operations<E>::type{}, has_label<Label>{})), 0, void>>::type;

}  // namespace lpt::inline LPT_ABI::detail
