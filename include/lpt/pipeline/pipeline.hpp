// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/pipeline/driver.hpp>

/// Pipelines are types: four lists of transformations and of steps over the whole graph. `default_pipeline` is the
/// published one; `without`, `with_main` and `with_cleanup` derive others from it.
namespace lpt {

/// A list of transformations or steps, tried or run in this order.
template <class... Members>
struct stage {
    static constexpr int size = sizeof...(Members);
};

namespace detail {

template <class... Stages>
struct joined_stages {
    using type = stage<>;
};
template <class... Members>
struct joined_stages<stage<Members...>> {
    using type = stage<Members...>;
};
template <class... First, class... Second, class... Rest>
struct joined_stages<stage<First...>, stage<Second...>, Rest...> {
    using type = typename joined_stages<stage<First..., Second...>, Rest...>::type;
};

template <class Stage, class... Gone>
struct stage_without;
template <class... Members, class... Gone>
struct stage_without<stage<Members...>, Gone...> {
    template <class Member>
    using kept = std::conditional_t<(std::is_same_v<Member, Gone> || ...), stage<>, stage<Member>>;
    using type = typename joined_stages<stage<>, kept<Members>...>::type;
};

template <class Stage, class Member>
inline constexpr bool stage_has = false;
template <class... Members, class Member>
inline constexpr bool stage_has<stage<Members...>, Member> = (std::is_same_v<Members, Member> || ...);

template <class... Transformations>
constexpr void run_as_one_rewrite(rewrite& r, stage<Transformations...>) {
    if constexpr (sizeof...(Transformations) != 0) {
        drive(r, dispatch_table<Transformations...>);
    }
}

template <class Step>
constexpr void run_step(rewrite& r) {
    if constexpr (requires { Step::run(r); }) {
        if (r.options.disabled.contains(Step::name)) {
            return;
        }
        if constexpr (requires { Step::needed(r); }) {
            if (!Step::needed(r)) {
                return;
            }
        }
        Step::run(r);
    } else {
        drive(r, dispatch_table<Step>);
    }
}
template <class... Steps>
constexpr void run_one_by_one(rewrite& r, stage<Steps...>) {
    (run_step<Steps>(r), ...);
}

}  // namespace detail

/// A pipeline of four steps.
///
/// `Prerequisites`, `Main` and `Cleanup` are each one rewrite with several transformations: at a node the first of the list
/// that changes something ends the visit. `Markup` and `Finishing` are run one after the other; their members go over the
/// whole graph (`static void run(rewrite&)`, with `needed(const rewrite&)` if they may be left out), or are transformations.
template <class Prerequisites, class Markup, class Main, class Cleanup, class Finishing>
struct pipeline {
    using prerequisites = Prerequisites;
    using markup = Markup;
    using main = Main;
    using cleanup = Cleanup;
    using finishing = Finishing;

    /// This pipeline without some transformations or steps, wherever they stand.
    template <class... Gone>
    using without = pipeline<typename detail::stage_without<Prerequisites, Gone...>::type,
                             typename detail::stage_without<Markup, Gone...>::type,
                             typename detail::stage_without<Main, Gone...>::type,
                             typename detail::stage_without<Cleanup, Gone...>::type,
                             typename detail::stage_without<Finishing, Gone...>::type>;
    /// This pipeline with more main transformations, tried after the others.
    template <class... More>
    using with_main =
        pipeline<Prerequisites, Markup, typename detail::joined_stages<Main, stage<More...>>::type, Cleanup, Finishing>;
    /// This pipeline with more cleanup transformations, tried after the others.
    template <class... More>
    using with_cleanup =
        pipeline<Prerequisites, Markup, Main, typename detail::joined_stages<Cleanup, stage<More...>>::type, Finishing>;

    /// True if the transformation or step is part of this pipeline.
    template <class Member>
    static constexpr bool has =
        detail::stage_has<Prerequisites, Member> || detail::stage_has<Markup, Member> ||
        detail::stage_has<Main, Member> || detail::stage_has<Cleanup, Member> || detail::stage_has<Finishing, Member>;

    static constexpr void run(rewrite& r) {
        detail::run_as_one_rewrite(r, Prerequisites{});
        detail::run_one_by_one(r, Markup{});
        detail::run_as_one_rewrite(r, Main{});
        detail::run_as_one_rewrite(r, Cleanup{});
        detail::run_one_by_one(r, Finishing{});
    }
};

}  // namespace lpt
