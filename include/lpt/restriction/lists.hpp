// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/traits.hpp>
#include <lpt/restriction/restriction.hpp>

/// Lists of restrictions made of others.
namespace lpt::inline LPT_ABI {

/// In restriction/composition.hpp: what comes of restrictions of which some are computed.
template <class How, class... Parts>
struct composed_restrictions;

namespace detail {

/// True if two restrictions of the same sort are about the same versions of one operation.
template <class One, class Other>
inline constexpr bool same_subject =
    subject_of<One>::type::number == subject_of<Other>::type::number &&
    subject_of<One>::about_granularity == subject_of<Other>::about_granularity &&
    (subject_of<One>::version == subject_of<Other>::version || subject_of<One>::version == any_version ||
     subject_of<Other>::version == any_version);

/// Conditions of Hana's sort: about what one of `New` is about; about one of the operations.
template <class... New>
struct is_about_what {
    template <class Restriction>
    constexpr auto operator()(hana::basic_type<Restriction>) const {
        return hana::bool_c<(same_subject<Restriction, New> || ...)>;
    }
};
template <class... Ops>
struct is_about_operation {
    template <class Restriction>
    constexpr auto operator()(hana::basic_type<Restriction>) const {
        return hana::bool_c<((subject_of<Restriction>::type::number == Ops::number) || ...)>;
    }
};

/// How `composed_restrictions` come about.
struct overriding {};
struct intersecting {};
template <class... Ops>
struct leaving_out {};

template <class Old, class New>
struct overriding_of {
    using type = composed_restrictions<overriding, Old, New>;
};
// Hana works on lists that nobody checks: a mistake in a restriction is then one error, without a trace through Hana.
template <class... Old, class... New>
struct overriding_of<restrictions<Old...>, restrictions<New...>> {
    using kept = decltype(hana::remove_if(type_list<Old...>{}, is_about_what<New...>{}));
    using type = typename joined<kept, type_list<New...>>::template in<restrictions>;
};
template <class Old, class... Ops>
struct remainder_of {
    using type = composed_restrictions<leaving_out<Ops...>, Old>;
};
template <class... Old, class... Ops>
struct remainder_of<restrictions<Old...>, Ops...> {
    using kept = decltype(hana::remove_if(type_list<Old...>{}, is_about_operation<Ops...>{}));
    using type = typename kept::template in<restrictions>;
};

/// `New`, and what `Old` says about other operations, or about the other of precisions and granularity.
template <class Old, class New>
using overridden_restrictions = typename overriding_of<Old, New>::type;
/// What `Old` says about other operations than these.
template <class Old, class... Ops>
using remaining_restrictions = typename remainder_of<Old, Ops...>::type;

}  // namespace detail

}  // namespace lpt::inline LPT_ABI
