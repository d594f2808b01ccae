// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/traits.hpp>
#include <lpt/pipeline/check.hpp>
#include <lpt/pipeline/driver.hpp>

/// Pipelines are types: four lists of transformations and of steps over the whole graph. `default_pipeline` is the
/// published one; `without`, `replace`, `before`, `after`, `with_main` and `with_cleanup` derive others from it. A mistake in a
/// pipeline does not compile, with a sentence of namespace `mistake` as the message.
namespace lpt {

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

/// `Stage` with the members of `New` in the place of `Old`.
template <class Stage, class Old, class New>
struct stage_with;
template <class... Members, class Old, class New>
struct stage_with<stage<Members...>, Old, New> {
    template <class Member>
    using put = choose<is_same<Member, Old>, New, stage<Member>>;
    using type = typename joined_stages<stage<>, put<Members>...>::type;
};

template <class Stage, class Member>
inline constexpr bool stage_has = false;
template <class... Members, class Member>
inline constexpr bool stage_has<stage<Members...>, Member> = (is_same<Members, Member> || ...);

template <class... Transformations>
constexpr void run_as_one_rewrite(rewrite& r, stage<Transformations...>) {
    if constexpr (sizeof...(Transformations) != 0) {
        drive(r, dispatch_table<Transformations...>);
    }
}

/// Infers all shapes anew where some are open, in bodies too: the constants of a dequantization, or folded ones, may say more than the
/// data did.
constexpr void infer_open_shapes(graph& model) {
    for (std::size_t i = 0; !model.is_plain() && i < model.id_bound(); ++i) {
        for (std::size_t body = 0; model.contains(id_at(i)) && body < model[id_at(i)].bodies().size(); ++body) {
            infer_open_shapes(model.body(id_at(i), body));
        }
    }
    for (std::size_t i = 0; model.may_have_open_shapes() && i < model.id_bound(); ++i) {
        if (!model.contains(id_at(i))) {
            continue;
        }
        const node& each = model[id_at(i)];
        for (std::size_t port = 0; port < each.outputs(); ++port) {
            if (each.shape(port).is_dynamic()) {
                infer_all(model);
                return;
            }
        }
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

template <class Prerequisites, class Markup, class Main, class Cleanup, class Finishing>
struct pipeline;

namespace detail {

template <class Prerequisites, class Markup, class Main, class Cleanup, class Finishing>
using members_of = typename joined_stages<Prerequisites, Markup, Main, Cleanup, Finishing>::type;

/// The stages of a pipeline, without a check: those of a pipeline that is still being changed.
template <class Prerequisites, class Markup, class Main, class Cleanup, class Finishing>
struct pipeline_stages {
    /// The members of `New` in the place of `Old`, wherever it stands.
    template <class Old, class New>
    using with = choose<
        stage_has<members_of<Prerequisites, Markup, Main, Cleanup, Finishing>, Old>,
        pipeline_stages<typename stage_with<Prerequisites, Old, New>::type, typename stage_with<Markup, Old, New>::type,
                        typename stage_with<Main, Old, New>::type, typename stage_with<Cleanup, Old, New>::type,
                        typename stage_with<Finishing, Old, New>::type>,
        pipeline_stages<stage<missing_member<Old>>, Markup, Main, Cleanup, Finishing>>;
    using checked = pipeline<Prerequisites, Markup, Main, Cleanup, Finishing>;
};
template <class Stages, class... Gone>
struct pipeline_without {
    using type = typename Stages::checked;
};
template <class Stages, class First, class... Rest>
struct pipeline_without<Stages, First, Rest...>
    : pipeline_without<typename Stages::template with<First, stage<>>, Rest...> {};

/// A pipeline is one of these; the base class raises what is wrong with it. The parts of a finding are separate arguments,
/// because g++ 12 cannot take them from one of class type.
template <class Members, pipeline_mistake What, int First, int Second, int Attribute, bool Optional>
using checked_pipeline =
    checked_members<What, member<Members, First>, member<Members, Second>,
                    typename attribute_of_finding<member<Members, First>, What, Attribute, Optional>::type>;
}  // namespace detail

/// In transformation/declared.hpp: the transformation of a user's operation type.
template <class Op>
struct declared_transformation;

/// A pipeline of four steps.
///
/// `Prerequisites`, `Main` and `Cleanup` are each one rewrite with several transformations: at a node the first of the list
/// that changes something ends the visit. `Markup` and `Finishing` are run one after the other; their members go over the
/// whole graph (`static void run(rewrite&)`, with `needed(const rewrite&)` if they may be left out), or are transformations.
/// What members declare of themselves (`lpt/attribute/set.hpp`) is checked.
template <class Prerequisites, class Markup, class Main, class Cleanup, class Finishing>
struct pipeline
    : detail::checked_pipeline<detail::members_of<Prerequisites, Markup, Main, Cleanup, Finishing>,
                               detail::found_in_pipeline<Prerequisites, Markup, Main, Cleanup, Finishing>.what,
                               detail::found_in_pipeline<Prerequisites, Markup, Main, Cleanup, Finishing>.first,
                               detail::found_in_pipeline<Prerequisites, Markup, Main, Cleanup, Finishing>.second,
                               detail::found_in_pipeline<Prerequisites, Markup, Main, Cleanup, Finishing>.attribute,
                               detail::found_in_pipeline<Prerequisites, Markup, Main, Cleanup, Finishing>.optional> {
    using prerequisites = Prerequisites;
    using markup = Markup;
    using main = Main;
    using cleanup = Cleanup;
    using finishing = Finishing;

    /// This pipeline without some transformations or steps, wherever they stand.
    template <class... Gone>
    using without =
        typename detail::pipeline_without<detail::pipeline_stages<Prerequisites, Markup, Main, Cleanup, Finishing>,
                                          Gone...>::type;
    /// This pipeline with other transformations or steps in the place of one.
    template <class Old, class... New>
    using replace = typename detail::pipeline_stages<Prerequisites, Markup, Main, Cleanup,
                                                     Finishing>::template with<Old, stage<New...>>::checked;
    /// This pipeline with more transformations or steps before one.
    template <class Anchor, class... More>
    using before = replace<Anchor, More..., Anchor>;
    /// This pipeline with more transformations or steps after one.
    template <class Anchor, class... More>
    using after = replace<Anchor, Anchor, More...>;
    /// This pipeline with more main transformations, tried after the others.
    template <class... More>
    using with_main =
        pipeline<Prerequisites, Markup, typename detail::joined_stages<Main, stage<More...>>::type, Cleanup, Finishing>;
    /// This pipeline with the main transformations of operation types of users (`#include <lpt/transformation/declared.hpp>`).
    template <class... Ops>
    using with_operations = with_main<declared_transformation<Ops>...>;
    /// This pipeline with more cleanup transformations, tried after the others.
    template <class... More>
    using with_cleanup =
        pipeline<Prerequisites, Markup, Main, typename detail::joined_stages<Cleanup, stage<More...>>::type, Finishing>;

    /// True if the transformation or step is part of this pipeline.
    template <class Member>
    static constexpr bool has =
        detail::stage_has<detail::members_of<Prerequisites, Markup, Main, Cleanup, Finishing>, Member>;

    static constexpr void run(rewrite& r) {
        detail::run_as_one_rewrite(r, Prerequisites{});
        detail::run_one_by_one(r, Markup{});
        detail::run_as_one_rewrite(r, Main{});
        detail::infer_open_shapes(r.model);
        detail::run_as_one_rewrite(r, Cleanup{});
        detail::run_one_by_one(r, Finishing{});
        detail::infer_open_shapes(r.model);
    }
};

}  // namespace lpt
