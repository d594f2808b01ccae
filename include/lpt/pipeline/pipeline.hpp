// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/traits.hpp>
#include <lpt/pipeline/check.hpp>
#include <lpt/pipeline/driver.hpp>

/// Pipelines are types: five lists of transformations and of steps over the whole graph. `default_pipeline` is the
/// published one; `without`, `replace`, `before`, `after`, `with_main` and `with_cleanup` derive others from it. A mistake in a
/// pipeline does not compile, with a sentence of namespace `mistake` as the message.
namespace lpt::inline LPT_ABI {

namespace detail {

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

// Changes of a stage.

template <class... Gone>
struct leave_out {
    template <class Stage>
    constexpr auto operator()(Stage old) const {
        return hana::remove_if(old, is_any_of<Gone...>{});
    }
};
template <class Old, class New>
struct put_instead {
    template <class Member>
    constexpr auto operator()(hana::basic_type<Member>) const {
        return choose<is_same<Member, Old>, New, stage<Member>>{};
    }
    template <class... Members>
    constexpr auto operator()(stage<Members...> old) const {
        return hana::chain(old, *this);
    }
};
template <class Condition>
struct keep_where {
    template <class Stage>
    constexpr auto operator()(Stage old) const -> decltype(hana::filter(old, *static_cast<const Condition*>(nullptr))) {
        return {};
    }
};

template <class Change, class... Stages>
using changed = pipeline<decltype(Change{}(Stages{}))...>;

/// The changed pipeline, or the mistake that one of the members `Asked` for is not in it.
template <class Asked, class Change, class... Stages>
constexpr auto change_if_there() {
    using missing = decltype(hana::remove_if(Asked{}, typename types_of<joined<Stages...>>::template in<is_any_of>{}));
    if constexpr (decltype(hana::is_empty(missing{}))::value) {
        return hana::type_c<changed<Change, Stages...>>;
    } else {
        using none = stage<>;
        return hana::type_c<pipeline<stage<missing_member<member_at<missing, 0, void>>>, none, none, none, none>>;
    }
}

/// The base class of a pipeline raises what is wrong with it. The parts of a finding are separate arguments, because g++ 12 cannot
/// take them from one of class type.
template <class Members, pipeline_mistake What, int First, int Second, int Attribute, bool Optional>
struct mistake_in_pipeline {
    using first = member<Members, First>;
    using type = checked_members<What, first, member<Members, Second>,
                                 typename attribute_of_finding<first, What, Attribute, Optional>::type>;
};
struct no_mistake {};
template <class Members>
struct mistake_in_pipeline<Members, pipeline_mistake::none, 0, 0, 0, false> {
    using type = no_mistake;
};
template <class Members, pipeline_mistake What, int First, int Second, int Attribute, bool Optional>
using checked_pipeline = typename mistake_in_pipeline<Members, What, First, Second, Attribute, Optional>::type;

}  // namespace detail

/// In transformation/declared.hpp: the transformation of a user's operation type.
template <class Op>
struct declared_transformation;

/// A pipeline of five stages.
///
/// `Prerequisites`, `Main` and `Cleanup` are each one rewrite with several transformations: at a node the first of the list
/// that changes something ends the visit. `Markup` and `Finishing` are run one after the other; their members go over the
/// whole graph (`static void run(rewrite&)`, with `needed(const rewrite&)` if they may be left out), or are transformations.
/// What members declare of themselves (`lpt/attribute/set.hpp`) is checked.
template <class Prerequisites, class Markup, class Main, class Cleanup, class Finishing>
struct pipeline
    : detail::checked_pipeline<detail::joined<Prerequisites, Markup, Main, Cleanup, Finishing>,
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

    /// For Hana: the members of all stages, in their order; what filters them keeps the stages.
    static constexpr auto members() { return detail::joined<Prerequisites, Markup, Main, Cleanup, Finishing>{}; }
    using hana_tag = holder_tag<pipeline>;

private:
    template <class Asked, class Change>
    using changed_where_there = typename decltype(detail::change_if_there<Asked, Change, Prerequisites, Markup, Main,
                                                                          Cleanup, Finishing>())::type;

public:
    /// The members of which `condition(hana::type_c<Member>)` is true, in their stages; `hana::filter` and its like call it.
    template <class Condition>
    static constexpr auto filter(const Condition&) {
        return detail::changed<detail::keep_where<Condition>, Prerequisites, Markup, Main, Cleanup, Finishing>{};
    }
    /// Each stage with that of another pipeline behind it; `hana::concat` calls it.
    template <class P, class M, class R, class C, class F>
    static constexpr auto concat(pipeline<P, M, R, C, F>) {
        return pipeline<detail::joined<Prerequisites, P>, detail::joined<Markup, M>, detail::joined<Main, R>,
                        detail::joined<Cleanup, C>, detail::joined<Finishing, F>>{};
    }

    /// This pipeline without some transformations or steps, wherever they stand.
    template <class... Gone>
    using without = changed_where_there<stage<Gone...>, detail::leave_out<Gone...>>;
    /// This pipeline with other transformations or steps in the place of one.
    template <class Old, class... New>
    using replace = changed_where_there<stage<Old>, detail::put_instead<Old, stage<New...>>>;
    /// This pipeline with more transformations or steps before one.
    template <class Anchor, class... More>
    using before = replace<Anchor, More..., Anchor>;
    /// This pipeline with more transformations or steps after one.
    template <class Anchor, class... More>
    using after = replace<Anchor, Anchor, More...>;
    /// This pipeline with more main transformations, tried after the others.
    template <class... More>
    using with_main = pipeline<Prerequisites, Markup, detail::joined<Main, stage<More...>>, Cleanup, Finishing>;
    /// This pipeline with the main transformations of operation types of users (`#include <lpt/transformation/declared.hpp>`).
    template <class... Ops>
    using with_operations = with_main<declared_transformation<Ops>...>;
    /// This pipeline with more cleanup transformations, tried after the others.
    template <class... More>
    using with_cleanup = pipeline<Prerequisites, Markup, Main, detail::joined<Cleanup, stage<More...>>, Finishing>;

    /// True if the transformation or step is part of this pipeline.
    template <class Member>
    static constexpr bool has = !decltype(hana::is_empty(hana::filter(members(), detail::is_any_of<Member>{})))::value;

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

/// For `hana::empty`: a pipeline that does nothing.
constexpr auto empty_holder(holder_tag<pipeline>) { return pipeline<stage<>, stage<>, stage<>, stage<>, stage<>>{}; }

}  // namespace lpt::inline LPT_ABI
