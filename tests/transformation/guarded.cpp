// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/guarded.hpp>
#include <lpt/transformation/pattern.hpp>

#include <doctest/doctest.h>

namespace {

using namespace lpt;

/// Renames each Relu that is not called "kept".
struct renaming : guarded<renaming> {
    static constexpr text_view name = "Renaming";
    using pattern = lpt::pattern<op::relu>;
    static constexpr verdict can_transform(const rewrite& r, node_id id) {
        return r.model[id].name() == text_view("kept") ? refuse(reason::disabled_by_mark, 0) : yes;
    }
    static constexpr bool apply(rewrite& r, node_id id) {
        r.model.rename(id, "renamed");
        return true;
    }
};
/// The same with a name that the conditions find.
struct renaming_to_found : guarded<renaming_to_found, text> {
    static constexpr text_view name = "RenamingToFound";
    using pattern = lpt::pattern<op::relu>;
    static constexpr verdict find(const rewrite& r, node_id id, text& found) {
        found = join({r.model[id].name(), "_found"});
        return renaming::can_transform(r, id);
    }
    static constexpr bool apply(rewrite& r, node_id id, const text& found) {
        r.model.rename(id, found);
        return true;
    }
};
/// The same, but of nodes called "other" it says nothing, and those that stay are called "refused".
struct renaming_its_own_way : guarded<renaming_its_own_way, text> {
    static constexpr text_view name = "RenamingItsOwnWay";
    static constexpr bool is_about(const rewrite& r, node_id id) { return r.model[id].name() != text_view("other"); }
    static constexpr verdict find(const rewrite& r, node_id id, text& found) {
        return renaming_to_found::find(r, id, found);
    }
    static constexpr bool apply(rewrite& r, node_id id, const text& found) {
        return renaming_to_found::apply(r, id, found);
    }
    static constexpr bool refused(rewrite& r, node_id id, const verdict& why) {
        r.model.rename(id, "refused");
        return r.refused(id, name, why);
    }
};

struct relu_network {
    graph model;
    attribute::tables attributes;
    transformation_options options;
    restriction_table restrictions;
    node_id relu;

    explicit relu_network(text_view name) : relu(model.add(op::relu{}, {model.parameter(f32, {1})}, name)) {}
    rewrite changes() { return rewrite(model, attributes, options, restrictions); }
};

}  // namespace

TEST_CASE("a guarded rule is applied where its conditions hold") {
    relu_network net("old");
    rewrite r = net.changes();
    CHECK(renaming::transform(r, net.relu));
    CHECK(net.model[net.relu].name() == text_view("renamed"));
    CHECK(r.refusals().empty());
}

TEST_CASE("a guarded rule that refuses leaves the node, and the refusal is kept with its name") {
    relu_network net("kept");
    rewrite r = net.changes();
    CHECK_FALSE(renaming::transform(r, net.relu));
    CHECK(net.model[net.relu].name() == text_view("kept"));
    REQUIRE(r.refusals().size() == 1);
    CHECK(r.refusals()[0].node == net.relu);
    CHECK(r.refusals()[0].transformation == renaming::name);
    CHECK(r.refusals()[0].why.why == reason::disabled_by_mark);
}

TEST_CASE("a guarded rule gets what its conditions found, and answers without it, too") {
    relu_network net("old");
    rewrite r = net.changes();
    CHECK(renaming_to_found::can_transform(r, net.relu));
    CHECK(renaming_to_found::transform(r, net.relu));
    CHECK(net.model[net.relu].name() == text_view("old_found"));
    relu_network other("kept");
    rewrite unchanged = other.changes();
    CHECK_FALSE(renaming_to_found::can_transform(unchanged, other.relu));
    CHECK_FALSE(renaming_to_found::transform(unchanged, other.relu));
    CHECK(unchanged.refusals().size() == 1);
}

TEST_CASE("a guarded rule passes over what it is not about, and says its own way what becomes of what it refuses") {
    relu_network other("other");
    rewrite untouched = other.changes();
    CHECK_FALSE(renaming_its_own_way::transform(untouched, other.relu));
    CHECK(other.model[other.relu].name() == text_view("other"));
    CHECK(untouched.refusals().empty());
    relu_network kept("kept");
    rewrite refusing = kept.changes();
    CHECK_FALSE(renaming_its_own_way::transform(refusing, kept.relu));
    CHECK(kept.model[kept.relu].name() == text_view("refused"));
    CHECK(refusing.refusals().size() == 1);
    relu_network old("old");
    rewrite r = old.changes();
    CHECK(renaming_its_own_way::transform(r, old.relu));
    CHECK(old.model[old.relu].name() == text_view("old_found"));
}
