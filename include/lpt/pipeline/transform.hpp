// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/compiled.hpp>
#include <lpt/graph/backup.hpp>
#include <lpt/graph/verify.hpp>
#include <lpt/pipeline/checks.hpp>
#include <lpt/pipeline/low_precision.hpp>
#include <lpt/pipeline/report.hpp>
#include <lpt/target/target.hpp>

namespace lpt::inline LPT_ABI {

namespace detail {

template <class Pipeline>
constexpr seq<refusal> run_on(graph& model, const restriction_table& restrictions,
                              const transformation_options& options) {
    attribute::tables attributes;
    if (!lpt::is_constant_evaluated()) {
        attributes.expect(2 * model.id_bound());  // the nodes that a run makes, too
    }
    rewrite changes(model, attributes, options, restrictions);
    Pipeline::run(changes);
    return changes.take_refusals();
}

template <class... Transformations>
constexpr dispatch_view table_of(stage<Transformations...>) {
    if constexpr (sizeof...(Transformations) == 0) {
        return {};
    } else {
        return dispatch_table<Transformations...>;
    }
}

}  // namespace detail

/// The main transformations of a pipeline, which bring operations to low precision.
template <class Pipeline>
constexpr dispatch_view main_transformations() {
    return detail::table_of(typename Pipeline::main{});
}

/// Runs a pipeline on a graph and gives every refusal, in the order in which they were made.
///
/// `restrictions` are those of the target, none by default; `options` what the user sets. The graph should have gone through
/// `prepare`. Raises an error for what `check_options`, `check_restrictions` and `verify` refuse, for rules that do not come to an end,
/// and what transformations of the user raise; whatever it is, the graph is then as it was.
template <class Pipeline = default_pipeline>
[[gnu::noinline]] constexpr seq<refusal> run_pipeline(graph& model, const restriction_table& restrictions = {},
                                                      const transformation_options& options = {}) {
    check_options<Pipeline>(options);
    check_restrictions(restrictions);
    if (model.needs_verification()) {
        verify(model);
    }
    graph_backup backup(model);
    seq<refusal> result = detail::run_on<Pipeline>(model, restrictions, options);
    backup.keep_changes();
    return result;
}

/// Runs some transformations or whole-graph steps, one after the other, each over the whole graph. Refusals, parameters and errors:
/// see `run_pipeline`.
template <class... Transformations>
constexpr seq<refusal> run_transformations(graph& model, const restriction_table& restrictions = {},
                                           const transformation_options& options = {}) {
    using steps = pipeline<stage<>, stage<>, stage<>, stage<>, stage<Transformations...>>;
    return run_pipeline<steps>(model, restrictions, options);
}

/// The report of a run of `run_pipeline` on a graph that was `before` and is `after` now.
template <class Pipeline = default_pipeline>
[[gnu::noinline]] constexpr report make_report(const graph& before, const graph& after, view<refusal> refusals,
                                               const transformation_options& options = {}) {
    return make_report(before, after, refusals, main_transformations<Pipeline>(), options);
}

/// Runs a pipeline on a graph and reports what became of each operation. Parameters and errors: see `run_pipeline`.
template <class Pipeline = default_pipeline>
[[gnu::noinline]] constexpr report transform(graph& model, const restriction_table& restrictions = {},
                                             const transformation_options& options = {}) {
    check_options<Pipeline>(options);
    check_restrictions(restrictions);
    if (model.needs_verification()) {
        verify(model);
    }
    graph_backup backup(model);
    const seq<refusal> refusals = detail::run_on<Pipeline>(model, restrictions, options);
    report result = make_report<Pipeline>(backup.before(), model, refusals, options);
    backup.keep_changes();
    return result;
}

namespace detail {
constexpr const target& as_target(const target& where) { return where; }
template <class Restrictions, class... Settings>
constexpr target as_target(const target_of<Restrictions, Settings...>& where) {
    return where;
}
template <class Target>
concept is_target = requires(const Target& where) { as_target(where); };
}  // namespace detail

/// Runs a pipeline for a target (`target`, or one of the ready ones): with its restrictions, callbacks, disabled
/// transformations and options. Parameters and errors: see `run_pipeline`.
template <class Pipeline = default_pipeline, detail::is_target Target>
constexpr report transform(graph& model, const Target& where) {
    const target all = detail::as_target(where);
    return transform<Pipeline>(model, all.restrictions, all.options);
}
/// The same with options of the user in the place of the target's; its callbacks and disabled transformations stay.
template <class Pipeline = default_pipeline, detail::is_target Target>
constexpr report transform(graph& model, const Target& where, const transformation_options& options) {
    const target all = detail::as_target(where);
    return transform<Pipeline>(model, all.restrictions, with_rules_of(options, all.options));
}

#ifdef LPT_COMPILED
LPT_COMPILED template seq<refusal> run_pipeline<default_pipeline>(graph&, const restriction_table&,
                                                                  const transformation_options&);
LPT_COMPILED template report make_report<default_pipeline>(const graph&, const graph&, view<refusal>,
                                                           const transformation_options&);
LPT_COMPILED template report transform<default_pipeline>(graph&, const restriction_table&,
                                                         const transformation_options&);
#endif

}  // namespace lpt::inline LPT_ABI
