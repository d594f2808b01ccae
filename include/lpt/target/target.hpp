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
namespace lpt::inline LPT_ABI {

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

/// Conditions of Hana's sort about a setting: it keeps one of these transformations away from nodes; it switches one of them off.
template <class... Transformations>
struct skips_one_of {
    template <class Setting>
    constexpr auto operator()(hana::basic_type<Setting>) const {
        return hana::false_c;
    }
    template <class Transformation, skip_rule Rule>
    constexpr auto operator()(hana::basic_type<skip<Transformation, Rule>>) const {
        return hana::bool_c<(is_same<Transformation, Transformations> || ...)>;
    }
};
template <class... Transformations>
using disables_one_of = is_any_of<disable<Transformations>...>;

/// What a target restricts, as a list; computed restrictions are one member of it.
template <class Restrictions>
struct restriction_list {
    using members = type_list<Restrictions>;
    template <class Kept>
    using of = choose<is_same<Kept, members>, Restrictions, restrictions<>>;
};
template <class... Restrictions>
struct restriction_list<restrictions<Restrictions...>> {
    using members = type_list<Restrictions...>;
    template <class Kept>
    using of = typename Kept::template in<restrictions>;
};

}  // namespace detail

/// A target as a type without data. `Restrictions` is a `restrictions<…>` (or computed ones), each of `Settings` a `skip`, `disable` or `set_options`;
/// a later `set_options` goes before an earlier one. Its functions make other targets.
template <class Restrictions, class... Settings>
struct target_of {
    /// For Hana: the restrictions, then the settings.
    static constexpr auto members() {
        return hana::concat(typename detail::restriction_list<Restrictions>::members{}, settings{});
    }
    using hana_tag = holder_tag<target_of>;

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
        return with(hana::remove_if(settings{}, detail::skips_one_of<Transformations...>{}));
    }
    /// With these transformations switched off.
    template <class... Transformations>
    constexpr auto disabling() const {
        return target_of<Restrictions, Settings..., disable<Transformations>...>{};
    }
    /// With these transformations no longer switched off.
    template <class... Transformations>
    constexpr auto enabling() const {
        return with(hana::remove_if(settings{}, detail::disables_one_of<Transformations...>{}));
    }
    /// With other options.
    template <void (*Set)(transformation_options&)>
    constexpr auto with_options() const {
        return target_of<Restrictions, Settings..., set_options<Set>>{};
    }

    /// The restrictions and settings of which `condition(hana::type_c<Member>)` is true; `hana::filter` and its like call it.
    template <class Condition>
    static constexpr auto filter(const Condition& condition) {
        using list = detail::restriction_list<Restrictions>;
        using kept = decltype(hana::filter(typename list::members{}, condition));
        return target_of<typename list::template of<kept>>::with(hana::filter(settings{}, condition));
    }
    /// This target, overridden by another; `hana::concat` calls it.
    template <class New, class... More>
    static constexpr auto concat(target_of<New, More...>) {
        return target_of<detail::overridden_restrictions<Restrictions, New>, Settings..., More...>{};
    }

private:
    using settings = detail::type_list<Settings...>;
    template <class... Kept>
    static constexpr target_of<Restrictions, Kept...> with(detail::type_list<Kept...>) {
        return {};
    }
    template <class, class...>
    friend struct target_of;
};

/// For `hana::empty`: a target that restricts nothing.
constexpr auto empty_holder(holder_tag<target_of>) { return target_of<restrictions<>>{}; }

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

}  // namespace lpt::inline LPT_ABI
