// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/set.hpp>
#include <lpt/transformation/coverage.hpp>
#include <lpt/transformation/rewrite.hpp>

/// Mistakes in a pipeline that show when it is compiled: order, missing markup, repetition, rules that are never reached or
/// undo each other. Each is one compile error whose sentence names the transformations.
namespace lpt::inline LPT_ABI {

/// A list of transformations or steps, tried or run in this order; a Hana sequence of their types.
template <class... Members>
struct stage {
    using hana_tag = list_tag<stage>;
    static constexpr int size = sizeof...(Members);
};

namespace mistake {
// Put what writes the attribute before what reads it.
template <class Transformation, class Attribute, class Writer>
struct transformation_reads_attribute_before_its_writer;
// Without the attribute the transformation has no effect; add the markup that writes it.
template <class Transformation, class Attribute>
struct transformation_reads_attribute_that_nobody_writes;
// A stage tries each transformation once at a node; the second one would never find anything.
template <class Transformation>
struct transformation_is_twice_in_the_stage;
// The earlier one has no condition beyond its pattern, and its pattern covers the later one's.
template <class Transformation, class Earlier>
struct transformation_is_never_reached_because_of;
// Each matches what the other one makes, so rewriting would never end.
template <class First, class Second>
struct rules_undo_each_other;
// Members of a stage are transformations, which have a `pattern`, and steps over the whole graph, which have `run(rewrite&)` or
// `visit(rewrite&, node_id)`.
template <class Member>
struct pipeline_has_member_that_is_no_transformation;
// What is replaced or left out, or what something is put before or after, must be part of the pipeline.
template <class Transformation>
struct pipeline_has_no_such_transformation;
}  // namespace mistake

namespace detail {

/// Stands in a pipeline for what somebody wanted to replace and that is not there.
template <class Transformation>
struct missing_member {};
template <class Member>
inline constexpr bool is_missing = false;
template <class Transformation>
inline constexpr bool is_missing<missing_member<Transformation>> = true;

template <class Member>
concept pipeline_member = is_missing<Member> || requires { typename Member::pattern; } || requires(rewrite& r) {
    Member::run(r);
} || requires(rewrite& r, node_id id) { Member::visit(r, id); };

/// Attributes are compared by name: g++ compares no addresses in constant expressions when it compiles with sanitizers.
using attribute_keys = seq<text_view, 8>;

template <class... Attributes>
constexpr attribute_keys keys_of(attribute::set<Attributes...>) {
    return {Attributes::name...};
}

/// What a transformation or step declares of itself.
struct declared_facts {
    attribute_keys reads;  // something before it must write them
    attribute_keys may_read;  // nothing behind it may be the first to write them
    attribute_keys writes;
    bool unconditional = false;
    bool missing = false;
    bool foreign = false;  // no transformation
    int same = -1;  // an earlier member of the stage that is the same type
    pattern_parts pattern;  // empty: a step over the whole graph
    pattern_parts result;  // of a declarative rule
};

template <class Member>
constexpr declared_facts facts_of() {
    declared_facts facts;
    facts.missing = is_missing<Member>;
    facts.foreign = !pipeline_member<Member>;
    if constexpr (requires { typename Member::reads; }) {
        facts.reads = keys_of(typename Member::reads{});
    }
    if constexpr (requires { typename Member::may_read; }) {
        facts.may_read = keys_of(typename Member::may_read{});
    }
    if constexpr (requires { typename Member::writes; }) {
        facts.writes = keys_of(typename Member::writes{});
    }
    if constexpr (requires { Member::unconditional; }) {
        facts.unconditional = Member::unconditional;
    }
    if constexpr (requires { typename Member::pattern; }) {
        Member::pattern::describe(facts.pattern);
    }
    if constexpr (requires { Member::describe_result(facts.result); }) {
        Member::describe_result(facts.result);
    }
    return facts;
}

enum class pipeline_mistake {
    none,
    no_transformation,
    no_such,
    twice,
    never_reached,
    undo_each_other,
    before_writer,
    nobody_writes
};
/// A mistake of member number `first`; `second` is another member, `attribute` the place of an attribute in a list.
struct pipeline_finding {
    pipeline_mistake what = pipeline_mistake::none;
    int first = 0;
    int second = 0;
    int attribute = 0;
    bool optional = false;  // the attribute is in `may_read`
};

constexpr int writer_between(view<declared_facts> members, text_view key, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
        if (members[i].writes.contains(key)) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

/// The first attribute of a member that is read too early, or that nothing writes.
constexpr pipeline_finding find_early_reader(view<declared_facts> members, std::size_t place) {
    for (const bool optional : {false, true}) {
        const attribute_keys& keys = optional ? members[place].may_read : members[place].reads;
        for (std::size_t i = 0; i < keys.size(); ++i) {
            if (writer_between(members, keys[i], 0, place) >= 0) {
                continue;
            }
            const int later = writer_between(members, keys[i], place + 1, members.size());
            if (later >= 0) {
                return {pipeline_mistake::before_writer, static_cast<int>(place), later, static_cast<int>(i), optional};
            }
            if (!optional) {
                return {pipeline_mistake::nobody_writes, static_cast<int>(place), 0, static_cast<int>(i), false};
            }
        }
    }
    return {};
}
constexpr pipeline_finding find_in_order(view<declared_facts> members) {
    for (std::size_t place = 0; place < members.size(); ++place) {
        if (const pipeline_finding found = find_early_reader(members, place); found.what != pipeline_mistake::none) {
            return found;
        }
    }
    return {};
}

/// Mistakes among the members from `begin` to `end`, which are one rewrite: at a node the first of them that changes
/// something ends the visit.
constexpr pipeline_finding find_in_rewrite(view<declared_facts> members, std::size_t begin, std::size_t end) {
    for (std::size_t later = begin; later < end; ++later) {
        for (std::size_t earlier = begin; earlier < later; ++earlier) {
            const declared_facts& a = members[earlier];
            const declared_facts& b = members[later];
            const int i = static_cast<int>(later);
            const int j = static_cast<int>(earlier);
            if (a.unconditional && !a.pattern.empty() && !b.pattern.empty() && covers(a.pattern, b.pattern)) {
                return {pipeline_mistake::never_reached, i, j};
            }
            if (a.unconditional && b.unconditional && !a.result.empty() && !b.result.empty() &&
                covers(b.pattern, a.result) && covers(a.pattern, b.result)) {
                return {pipeline_mistake::undo_each_other, j, i};
            }
        }
    }
    return {};
}

struct no_type;

template <class Member, bool Optional, int Place>
struct read_attribute {
    using type = member_at<typename Member::reads, Place, no_type>;
};
template <class Member, int Place>
struct read_attribute<Member, true, Place> {
    using type = member_at<typename Member::may_read, Place, no_type>;
};

// Raising: the base class that a mistake leads to is a template that is never defined.
template <pipeline_mistake, class First, class Second, class Attribute>
struct checked_members {};
template <class First, class Second, class A>
struct checked_members<pipeline_mistake::before_writer, First, Second, A>
    : mistake::transformation_reads_attribute_before_its_writer<First, A, Second> {};
template <class First, class Second, class A>
struct checked_members<pipeline_mistake::nobody_writes, First, Second, A>
    : mistake::transformation_reads_attribute_that_nobody_writes<First, A> {};
template <class Member, class Second, class A>
struct checked_members<pipeline_mistake::no_transformation, Member, Second, A>
    : mistake::pipeline_has_member_that_is_no_transformation<Member> {};
template <class Transformation, class Second, class A>
struct checked_members<pipeline_mistake::no_such, missing_member<Transformation>, Second, A>
    : mistake::pipeline_has_no_such_transformation<Transformation> {};
template <class First, class Second, class A>
struct checked_members<pipeline_mistake::twice, First, Second, A>
    : mistake::transformation_is_twice_in_the_stage<First> {};
template <class First, class Second, class A>
struct checked_members<pipeline_mistake::never_reached, First, Second, A>
    : mistake::transformation_is_never_reached_because_of<First, Second> {};
template <class First, class Second, class A>
struct checked_members<pipeline_mistake::undo_each_other, First, Second, A>
    : mistake::rules_undo_each_other<First, Second> {};

/// The place of the first of the types that is the same as `Wanted`.
template <class Wanted, class... Members>
constexpr int first_same() {
    const bool same[] = {is_same<Wanted, Members>...};
    int place = 0;
    while (!same[place]) {
        ++place;
    }
    return place;
}
/// The facts of a stage; `same` counts from the beginning of the stage.
template <class... Members>
constexpr void add_facts(seq<declared_facts>& all, stage<Members...>) {
    const auto begin = static_cast<int>(all.size());
    (all.push_back(facts_of<Members>()), ...);
    int place = begin;
    ((all[static_cast<std::size_t>(place)].same = begin + first_same<Members, Members...>(), ++place), ...);
}

/// The first mistake of a pipeline; members are numbered through all its stages.
template <class Prerequisites, class Markup, class Main, class Cleanup, class Finishing>
consteval pipeline_finding find_in_pipeline() {
    seq<declared_facts> members;
    std::size_t bounds[6] = {};
    add_facts(members, Prerequisites{});
    bounds[1] = members.size();
    add_facts(members, Markup{});
    bounds[2] = members.size();
    add_facts(members, Main{});
    bounds[3] = members.size();
    add_facts(members, Cleanup{});
    bounds[4] = members.size();
    add_facts(members, Finishing{});
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (members[i].missing || members[i].foreign) {
            return {members[i].missing ? pipeline_mistake::no_such : pipeline_mistake::no_transformation,
                    static_cast<int>(i)};
        }
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (members[i].same != static_cast<int>(i)) {
            return {pipeline_mistake::twice, static_cast<int>(i)};
        }
    }
    for (const std::size_t rewrite : {0u, 2u, 3u}) {
        const pipeline_finding found = find_in_rewrite(members, bounds[rewrite], bounds[rewrite + 1]);
        if (found.what != pipeline_mistake::none) {
            return found;
        }
    }
    return find_in_order(members);
}
template <class... Stages>
inline constexpr pipeline_finding found_in_pipeline = find_in_pipeline<Stages...>();

/// The type that a finding is about; an empty pipeline has none.
template <class Members, int Place>
using member = member_at<Members, Place, no_type>;

template <class Member, pipeline_mistake What, int Attribute, bool Optional>
struct attribute_of_finding {
    using type = no_type;
};
template <class Member, pipeline_mistake What, int Attribute, bool Optional>
    requires(What == pipeline_mistake::before_writer || What == pipeline_mistake::nobody_writes)
struct attribute_of_finding<Member, What, Attribute, Optional> : read_attribute<Member, Optional, Attribute> {};

}  // namespace detail

}  // namespace lpt::inline LPT_ABI
