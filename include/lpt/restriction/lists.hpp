// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/traits.hpp>
#include <lpt/restriction/restriction.hpp>

/// Lists of restrictions made of others.
namespace lpt {

/// In restriction/composition.hpp: what comes of restrictions of which some are computed.
template <class How, class... Parts>
struct composed_restrictions;

namespace detail {

template <class First, class Second>
struct joined_restrictions;
template <class... First, class... Second>
struct joined_restrictions<restrictions<First...>, restrictions<Second...>> {
    using type = restrictions<First..., Second...>;
};

/// True if two restrictions of the same sort are about the same versions of one operation.
template <class One, class Other>
inline constexpr bool same_subject =
    subject_of<One>::type::number == subject_of<Other>::type::number &&
    subject_of<One>::about_granularity == subject_of<Other>::about_granularity &&
    (subject_of<One>::version == subject_of<Other>::version || subject_of<One>::version == any_version ||
     subject_of<Other>::version == any_version);

/// Conditions for `restrictions_but`: about what one of `New` is about; about one of the operations.
template <class... New>
struct about_what {
    template <class Restriction>
    static constexpr bool holds = (same_subject<Restriction, New> || ...);
};
template <class... Ops>
struct about_operation {
    template <class Restriction>
    static constexpr bool holds = ((subject_of<Restriction>::type::number == Ops::number) || ...);
};

/// The restrictions for which the condition does not hold.
template <class Old, class Condition>
struct restrictions_but {
    using type = restrictions<>;
};
template <class First, class... Rest, class Condition>
struct restrictions_but<restrictions<First, Rest...>, Condition> {
    using kept = choose<Condition::template holds<First>, restrictions<>, restrictions<First>>;
    using type =
        typename joined_restrictions<kept, typename restrictions_but<restrictions<Rest...>, Condition>::type>::type;
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
template <class... Old, class... New>
struct overriding_of<restrictions<Old...>, restrictions<New...>>
    : joined_restrictions<typename restrictions_but<restrictions<Old...>, about_what<New...>>::type,
                          restrictions<New...>> {};
template <class Old, class... Ops>
struct remainder_of {
    using type = composed_restrictions<leaving_out<Ops...>, Old>;
};
template <class... Old, class... Ops>
struct remainder_of<restrictions<Old...>, Ops...> : restrictions_but<restrictions<Old...>, about_operation<Ops...>> {};

/// `New`, and what `Old` says about other operations, or about the other of precisions and granularity.
template <class Old, class New>
using overridden_restrictions = typename overriding_of<Old, New>::type;
/// What `Old` says about other operations than these.
template <class Old, class... Ops>
using remaining_restrictions = typename remainder_of<Old, Ops...>::type;

}  // namespace detail

}  // namespace lpt
