// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/pipeline/checks.hpp>
#include <lpt/pipeline/report.hpp>
#include <lpt/target/target.hpp>

namespace lpt {

/// Runs a pipeline on a graph and gives every refusal, in the order in which they were made.
///
/// `restrictions` are those of the target, none by default; `options` what the user sets. The graph should have gone through
/// `prepare`. Raises an error, before anything is changed, for what `check_options` and `check_restrictions` refuse, and for
/// a graph with a cycle; and one for rules that do not come to an end.
template <class Pipeline = default_pipeline>
constexpr seq<refusal> run_pipeline(graph& model, const restriction_table& restrictions = {},
                                    const transformation_options& options = {}) {
    check_options<Pipeline>(options);
    check_restrictions(restrictions);
    attribute::tables attributes;
    rewrite changes(model, attributes, options, restrictions);
    Pipeline::run(changes);
    return changes.refusals();
}

/// Runs a pipeline on a graph and reports what became of each operation. Parameters and errors: see `run_pipeline`.
template <class Pipeline = default_pipeline>
constexpr report transform(graph& model, const restriction_table& restrictions = {},
                           const transformation_options& options = {}) {
    const seq<listed_operation> original = list_operations(model);
    const seq<refusal> refusals = run_pipeline<Pipeline>(model, restrictions, options);
    return make_report(original, model, refusals, handled_operations<Pipeline>());
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

}  // namespace lpt
