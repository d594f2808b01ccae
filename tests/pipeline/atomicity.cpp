// SPDX-License-Identifier: Apache-2.0
// Whatever goes wrong in a run: the graph is afterwards what it was before.
#include <lpt/graph/compare.hpp>
#include <lpt/pipeline/prepare.hpp>
#include <lpt/pipeline/transform.hpp>

#include <doctest/doctest.h>

using namespace lpt;

namespace {

/// A Relu that reads a dequantization: the default pipeline changes it.
graph dequantized_relu() {
    graph model;
    const node_id data = model.add(op::convert{f32}, {model.parameter(u8, shape{1, 3, 4, 4}, "x")});
    const node_id scaled = model.add(op::multiply{}, {data, model.constant(make_scalar(f32, 0.5))}, "scaled");
    model.result(model.add(op::relu{}, {scaled}, "relu"));
    return model;
}
void check_unchanged(const graph& before, const graph& after) {
    verify(after);
    CHECK(before.id_bound() == after.id_bound());
    CHECK(before.size() == after.size());
    CHECK(difference(before, after).empty());
}

/// Changes the graph, then fails.
struct renaming_then_failing {
    static constexpr text_view name = "RenamingThenFailing";
    using pattern = lpt::pattern<op::relu>;
    static constexpr verdict can_transform(const rewrite&, node_id) { return yes; }
    static bool transform(rewrite& r, node_id id) {
        r.model.rename(id, "changed");
        r.model.add(op::relu{}, {id});
        fail({"it cannot go on"});
    }
};
/// Changes the graph for ever.
struct endless {
    static constexpr text_view name = "Endless";
    using pattern = lpt::pattern<op::relu>;
    static constexpr verdict can_transform(const rewrite&, node_id) { return yes; }
    static constexpr bool transform(rewrite& r, node_id id) {
        const node_id made = r.model.clone(id, {r.model[id].input(0)});
        r.model.replace(id, made);
        r.register_new_node(made);
        return true;
    }
};
/// Connects an input to a node that there is not.
struct out_of_bounds {
    static constexpr text_view name = "OutOfBounds";
    using pattern = lpt::pattern<op::relu>;
    static constexpr verdict can_transform(const rewrite&, node_id) { return yes; }
    static constexpr bool transform(rewrite& r, node_id id) {
        r.model.set_input(id, 0, output_ref(r.model.producer(id, 0), 7));
        return true;
    }
};
template <class Transformation>
using with = default_pipeline::with_cleanup<Transformation>;

}  // namespace

TEST_CASE("A transformation that raises an error leaves the graph as it was") {
    const graph before = dequantized_relu();
    graph model = before;
    CHECK_THROWS_AS(transform<with<renaming_then_failing>>(model), error);
    check_unchanged(before, model);
    CHECK_THROWS_AS(run_pipeline<with<renaming_then_failing>>(model), error);
    check_unchanged(before, model);
    CHECK_THROWS_AS(run_transformations<renaming_then_failing>(model), error);
    check_unchanged(before, model);
}

TEST_CASE("Rules without end and connections to nowhere leave the graph as it was") {
    const graph before = dequantized_relu();
    graph model = before;
    CHECK_THROWS_WITH_AS(run_transformations<endless>(model), doctest::Contains("the rewrite does not come to an end"),
                         error);
    check_unchanged(before, model);
    CHECK_THROWS_AS(run_transformations<out_of_bounds>(model), error);
    check_unchanged(before, model);
}

TEST_CASE("A graph that does not verify is refused before anything is changed") {
    graph model = dequantized_relu();
    const node_id relu = model.producer(model.results()[0], 0);
    const node_id other = model.parameter(f32, shape{2, 2}, "other");
    model.set_input(relu, 0, other);  // its output still has the shape of its old input
    const std::size_t size = model.size();
    const auto message = [](auto run) {
        try {
            run();
        } catch (const error& raised) {
            return raised.message();
        }
        return text("no error");
    };
    for (const text& each :
         {message([&] { transform(model); }), message([&] { run_pipeline(model); }), message([&] { prepare(model); }),
          message([&] { run_transformations<relu_transformation>(model); })}) {
        CHECK(each == "Relu 'relu' (node 4): output 0 is f32 [1,3,4,4], expected f32 [2,2]");
    }
    CHECK(model.size() == size);
    CHECK(model.producer(relu, 0) == other);
}

TEST_CASE("prepare leaves the graph as it was when a callback raises an error") {
    graph before = dequantized_relu();
    const node_id input = before.parameter(f32, shape{1, 2, 4, 4}, "y");
    before.result(
        before.add(op::max_pool{.strides = {1, 1}, .pads_begin = {0, 0}, .pads_end = {0, 0}, .kernel = {2, 2}}, {input},
                   "pool", 8));
    graph model = before;
    transformation_options options;
    const auto fails = [](const graph&, node_id, const void*) -> bool { fail({"a callback that fails"}); };
    options.callbacks.push_back({mark_dequantization::name, fails, nullptr});
    CHECK_THROWS_AS(prepare(model, options), error);
    check_unchanged(before, model);
}
