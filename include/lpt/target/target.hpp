// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/traits.hpp>
#include <lpt/restriction/lists.hpp>
#include <lpt/transformation/rewrite.hpp>

/// Targets: what an engine restricts, which transformations it keeps away from which nodes or switches off, and its options.
///
/// A target is data (`target`), or a type that makes this data (`target_of`). The ready ones are constants of such types, from which
/// others are made: `cpu_x86.restricting<precisions<op::mat_mul, on<0, u8>, on<1, i8>>>().enabling<recurrent_cell_transformation>()`;
/// `lpt/target/composition.hpp` composes whole targets.
namespace lpt {

/// Everything that an engine says about itself.
struct target {
    restriction_table restrictions;
    transformation_options options;  // with its callbacks and disabled transformations
};

/// True where a target keeps a transformation away from a node.
using skip_rule = bool (*)(const rewrite&, node_id);

/// Keeps a transformation away from the nodes for which the rule holds.
template <class Transformation, skip_rule Rule>
struct skip {
    using transformation = Transformation;
    static constexpr void write(transformation_options& options) {
        options.callbacks.push_back({Transformation::name, nullptr, nullptr, Rule});
    }
};

/// Switches a transformation off.
template <class Transformation>
struct disable {
    using transformation = Transformation;
    static constexpr void write(transformation_options& options) { options.disabled.push_back(Transformation::name); }
};

/// Sets options: `static constexpr void set(transformation_options& o) { o.scaling_mode = true; }` as `set_options<&set>`.
template <void (*Set)(transformation_options&)>
struct set_options {
    using transformation = void;
    static constexpr void write(transformation_options& options) { Set(options); }
};

template <class Restrictions, class... Settings>
struct target_of;

namespace detail {

template <class Setting>
inline constexpr bool is_disable = false;
template <class Transformation>
inline constexpr bool is_disable<disable<Transformation>> = true;

/// A target with the settings of a list that are not about the transformations `Gone`: of all, or only those that disable.
template <bool OnlyDisabled, class Target, class Settings, class... Gone>
struct target_without;
template <bool OnlyDisabled, class Restrictions, class... Kept, class... Gone>
struct target_without<OnlyDisabled, target_of<Restrictions, Kept...>, target_of<void>, Gone...> {
    using type = target_of<Restrictions, Kept...>;
};
template <bool OnlyDisabled, class Restrictions, class... Kept, class First, class... Rest, class... Gone>
struct target_without<OnlyDisabled, target_of<Restrictions, Kept...>, target_of<void, First, Rest...>, Gone...> {
    static constexpr bool gone =
        is_disable<First> == OnlyDisabled && (is_same<typename First::transformation, Gone> || ...);
    using next = choose<gone, target_of<Restrictions, Kept...>, target_of<Restrictions, Kept..., First>>;
    using type = typename target_without<OnlyDisabled, next, target_of<void, Rest...>, Gone...>::type;
};

}  // namespace detail

/// A target as a type without data. `Restrictions` is a `restrictions<…>` (or computed ones), each of `Settings` a `skip`, `disable` or `set_options`;
/// a later `set_options` goes before an earlier one. Its functions make other targets.
template <class Restrictions, class... Settings>
struct target_of {
    constexpr restriction_table table() const { return Restrictions{}.table(); }
    constexpr transformation_options options() const {
        transformation_options result;
        (Settings::write(result), ...);
        return result;
    }
    constexpr operator restriction_table() const { return table(); }
    constexpr operator target() const { return {table(), options()}; }

    /// With these restrictions in the place of those of the same operations and sort (precisions or granularity).
    template <class... New>
    constexpr auto restricting() const {
        return target_of<detail::overridden_restrictions<Restrictions, restrictions<New...>>, Settings...>{};
    }
    /// Without any restriction of these operations.
    template <class... Ops>
    constexpr auto not_restricting() const {
        return target_of<detail::remaining_restrictions<Restrictions, Ops...>, Settings...>{};
    }
    /// With one callback more.
    template <class Transformation, skip_rule Rule>
    constexpr auto skipping() const {
        return target_of<Restrictions, Settings..., skip<Transformation, Rule>>{};
    }
    /// Without the callbacks for these transformations.
    template <class... Transformations>
    constexpr auto not_skipping() const {
        return typename detail::target_without<false, target_of<Restrictions>, target_of<void, Settings...>,
                                               Transformations...>::type{};
    }
    /// With these transformations switched off.
    template <class... Transformations>
    constexpr auto disabling() const {
        return target_of<Restrictions, Settings..., disable<Transformations>...>{};
    }
    /// With these transformations no longer switched off.
    template <class... Transformations>
    constexpr auto enabling() const {
        return typename detail::target_without<true, target_of<Restrictions>, target_of<void, Settings...>,
                                               Transformations...>::type{};
    }
    /// With other options.
    template <void (*Set)(transformation_options&)>
    constexpr auto with_options() const {
        return target_of<Restrictions, Settings..., set_options<Set>>{};
    }
};

/// What a user sets, together with the callbacks and disabled transformations of a target.
constexpr transformation_options with_rules_of(transformation_options options,
                                               const transformation_options& of_target) {
    for (const transformation_callback& each : of_target.callbacks) {
        options.callbacks.push_back(each);
    }
    for (const text_view each : of_target.disabled) {
        if (!options.disabled.contains(each)) {
            options.disabled.push_back(each);
        }
    }
    return options;
}

}  // namespace lpt
