// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/restriction/composition.hpp>
#include <lpt/target/target.hpp>

/// Targets made of others. Settings (callbacks, disabled transformations, options) of both are kept, those of the second
/// behind those of the first.
namespace lpt::inline LPT_ABI {

/// The target with restrictions in the place of those of the same operations and sort (precisions or granularity).
template <class Old, class... Settings, restrictions_type New>
constexpr auto operator|(target_of<Old, Settings...>, New) {
    return target_of<detail::overridden_restrictions<Old, New>, Settings...>{};
}
/// The first target, overridden by the second.
template <class Old, class... Settings, class New, class... More>
constexpr auto operator|(target_of<Old, Settings...> old, target_of<New, More...> with) {
    return hana::concat(old, with);
}

/// What both targets accept: for networks that have to run on either.
template <class One, class... Settings, class Other, class... More>
constexpr auto intersect(target_of<One, Settings...>, target_of<Other, More...>) {
    return target_of<detail::intersected_restrictions<One, Other>, Settings..., More...>{};
}
/// The target without restrictions of some operations.
template <class... Ops, class Old, class... Settings>
constexpr auto without(target_of<Old, Settings...>) {
    return target_of<detail::remaining_restrictions<Old, Ops...>, Settings...>{};
}

}  // namespace lpt::inline LPT_ABI
