// SPDX-License-Identifier: Apache-2.0
#include <lpt/pipeline/driver.hpp>

#include <lpt/graph/verify.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <utility>

namespace {

using namespace lpt;

/// What the transformations below did, in order.
struct journal {
    seq<node_id> visited;
    seq<node_id> second;
};
journal* current = nullptr;  // transformations are types without data

struct remove_relu {
    static constexpr text_view name = "RemoveRelu";
    using pattern = lpt::pattern<op::relu>;
    static constexpr bool transform(rewrite& r, node_id id) {
        r.model.replace(id, r.model.producer(id, 0));
        return true;
    }
};
struct note_any {
    static constexpr text_view name = "NoteAny";
    using pattern = any_of<lpt::pattern<op::exp>, lpt::pattern<op::tanh>, lpt::pattern<op::exp, from<op::tanh>>>;
    static bool transform(rewrite&, node_id id) {
        current->visited.push_back(id);
        return false;
    }
};
struct note_second {
    static constexpr text_view name = "NoteSecond";
    using pattern = lpt::pattern<op::exp>;
    static bool transform(rewrite&, node_id id) {
        current->second.push_back(id);
        return true;
    }
};
/// Puts two Exp behind a Sigmoid and registers them, the upper one twice; says that nothing changed.
struct grow_quietly {
    static constexpr text_view name = "GrowQuietly";
    using pattern = lpt::pattern<op::sigmoid>;
    static bool transform(rewrite& r, node_id id) {
        const node_id upper = r.model.add(op::exp{}, {id}, "upper");
        const node_id lower = r.model.add(op::exp{}, {upper}, "lower");
        r.model.replace_uses_except(id, lower, upper);
        r.register_new_node(upper);
        r.register_new_node(lower);
        r.register_new_node(upper);
        return false;
    }
};
struct note_sigmoid {
    static constexpr text_view name = "NoteSigmoid";
    using pattern = lpt::pattern<op::sigmoid>;
    static bool transform(rewrite&, node_id id) {
        current->visited.push_back(id);
        return true;
    }
};
struct for_ever {
    static constexpr text_view name = "ForEver";
    using pattern = lpt::pattern<op::relu>;
    static constexpr bool transform(rewrite& r, node_id id) {
        r.register_new_node(id);
        return true;
    }
};

struct setting {
    graph model;
    attribute::tables attributes;
    transformation_options options;
    restriction_table restrictions;

    constexpr rewrite changes() { return rewrite(model, attributes, options, restrictions); }
    constexpr void run(dispatch_view table) {
        rewrite all = changes();
        drive(all, table);
    }
};

constexpr bool works_at_compile_time() {
    setting s;
    const node_id data = s.model.parameter(f32, {1});
    const node_id one = s.model.add(op::relu{}, {data});
    const node_id two = s.model.add(op::relu{}, {one});
    s.model.result(two);
    s.run(dispatch_table<remove_relu>);
    verify(s.model);
    return s.model.size() == 2;
}
static_assert(works_at_compile_time());

static_assert(dispatch_table<note_any, note_second>.rows.size() == 3);

}  // namespace

TEST_CASE("candidates of one root stand together, those named first come first") {
    const dispatch_view table = dispatch_table<note_second, note_any, remove_relu>;
    const std::size_t exp = dispatch_bucket(op::kind::exp);
    REQUIRE(table.first[exp + 1] - table.first[exp] == 2);
    CHECK(table.rows[static_cast<std::size_t>(table.first[exp])].name == note_second::name);
    CHECK(table.rows[static_cast<std::size_t>(table.first[exp]) + 1].name == note_any::name);
    const std::size_t relu = dispatch_bucket(op::kind::relu);
    CHECK(table.first[relu + 1] - table.first[relu] == 1);
}

TEST_CASE("a table made at run time equals the one made when compiled") {
    seq<dispatch_row> rows;
    rows.append(rows_of<note_second>);
    rows.append(rows_of<note_any>);
    const dynamic_dispatch_table dynamic(rows);
    const dispatch_view left = dynamic;
    const dispatch_view right = dispatch_table<note_second, note_any>;
    REQUIRE(left.rows.size() == right.rows.size());
    for (std::size_t i = 0; i < left.rows.size(); ++i) {
        CHECK(left.rows[i].name == right.rows[i].name);
        CHECK(left.rows[i].root == right.rows[i].root);
    }
    for (std::size_t i = 0; i <= dispatch_buckets; ++i) {
        CHECK(left.first[i] == right.first[i]);
    }
}

TEST_CASE("nodes are visited in topological order; a candidate that changes nothing gives way to the next") {
    journal notes;
    current = &notes;
    setting s;
    const node_id data = s.model.parameter(f32, {1});
    const node_id exp = s.model.add(op::exp{}, {data});
    const node_id tanh = s.model.add(op::tanh{}, {exp});
    const node_id last = s.model.add(op::exp{}, {tanh});
    s.model.result(last);
    s.run(dispatch_table<note_any, note_second>);
    CHECK(notes.visited == seq<node_id>{exp, tanh, last});
    CHECK(notes.second == seq<node_id>{exp, last});
    notes = {};
    s.run(dispatch_table<note_second, note_any>);
    CHECK(notes.visited == seq<node_id>{tanh});
}

TEST_CASE("registered nodes are visited next, each time they were registered, also without a change") {
    journal notes;
    current = &notes;
    setting s;
    const node_id data = s.model.parameter(f32, {1});
    const node_id sigmoid = s.model.add(op::sigmoid{}, {data});
    const node_id tanh = s.model.add(op::tanh{}, {sigmoid});
    s.model.result(tanh);
    s.run(dispatch_table<grow_quietly, note_sigmoid, note_any>);
    const node_id lower = s.model.producer(tanh, 0);
    const node_id upper = s.model.producer(lower, 0);
    CHECK(notes.visited == seq<node_id>{sigmoid, upper, lower, upper, tanh});
    CHECK_NOTHROW(verify(s.model));
}

TEST_CASE("the user's callback keeps a transformation away, and the report hears of it") {
    setting s;
    const node_id data = s.model.parameter(f32, {1});
    const node_id one = s.model.add(op::relu{}, {data}, "keep");
    const node_id two = s.model.add(op::relu{}, {one}, "drop");
    s.model.result(two);
    s.options.callbacks.push_back(
        {remove_relu::name, [](const graph& model, node_id id, const void*) { return model[id].name() == "keep"; }});
    rewrite changes = s.changes();
    drive(changes, dispatch_table<remove_relu>);
    CHECK(s.model.contains(one));
    CHECK_FALSE(s.model.contains(two));
    REQUIRE(changes.refusals().size() == 1);
    CHECK(changes.refusals()[0].node == one);
    CHECK(changes.refusals()[0].why.why == reason::skipped_by_callback);
}

TEST_CASE("graphs inside a node are rewritten before the node") {
    graph body;
    const node_id inside = body.parameter(f32, {3});
    body.result(body.add(op::relu{}, {inside}));
    setting s;
    op::tensor_iterator iterator;
    iterator.declared_outputs.push_back({f32, {3}});
    const node_id loop = s.model.add(iterator, {s.model.parameter(f32, {3})});
    s.model.add_body(loop, std::move(body));
    s.model.result(loop);
    s.run(dispatch_table<remove_relu>);
    CHECK(s.model[loop].bodies()[0].size() == 2);
}

TEST_CASE("a rewrite that does not end raises an error that names the transformations") {
    setting s;
    s.model.result(s.model.add(op::relu{}, {s.model.parameter(f32, {1})}));
    try {
        s.run(dispatch_table<note_second, for_ever>);
        FAIL("no error");
    } catch (const error& raised) {
        CHECK(raised.message() == "the rewrite does not come to an end; still changing: ForEver");
    }
}

TEST_CASE("a rewrite of a million nodes takes linear time") {
    setting s;
    node_id last = s.model.parameter(f32, {1});
    for (int i = 0; i < 500000; ++i) {
        last = s.model.add(op::exp{}, {s.model.add(op::relu{}, {last})});
    }
    s.model.result(last);
    const auto start = std::chrono::steady_clock::now();
    s.run(dispatch_table<remove_relu>);
    MESSAGE("rewrite: ", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), " s");
    CHECK(s.model.size() == 500002);
}
