// SPDX-License-Identifier: Apache-2.0
#include <lpt/graph/graph.hpp>

#include <lpt/graph/traverse.hpp>
#include <lpt/graph/verify.hpp>

#include <doctest/doctest.h>

namespace {

using namespace lpt;

/// data -> relu -> sigmoid -> result; relu -> tanh -> result
struct forked_network {
    graph model;
    node_id data = model.parameter(f32, {1, 3}, "data");
    node_id relu = model.add(op::relu{}, {data}, "relu");
    node_id sigmoid = model.add(op::sigmoid{}, {relu}, "sigmoid");
    node_id tanh = model.add(op::tanh{}, {relu}, "tanh");
    node_id first = model.result(sigmoid, "first");
    node_id second = model.result(tanh, "second");
};

constexpr bool is_valid(const graph& model) {
    verify(model);
    return true;
}

constexpr bool edits_keep_use_lists() {
    forked_network f;
    const node_id exp = f.model.add(op::exp{}, {f.data}, "exp");
    f.model.replace_uses(f.relu, exp);
    if (f.model.use_count(f.relu) != 0 || f.model.use_count(exp) != 2 || f.model.use_count(f.data) != 2) {
        return false;
    }
    const auto uses = f.model.uses(exp);
    if (uses[0].node != f.sigmoid || uses[1].node != f.tanh) {
        return false;
    }
    f.model.collect();
    return !f.model.contains(f.relu) && f.model.use_count(f.data) == 1 && is_valid(f.model);
}
static_assert(edits_keep_use_lists());

constexpr bool collect_removes_what_nothing_reads() {
    forked_network f;
    f.model.set_input(f.second, 0, f.data);
    f.model.collect();
    return !f.model.contains(f.tanh) && f.model.contains(f.relu) && f.model.contains(f.data) && f.model.size() == 5 &&
           is_valid(f.model);
}
static_assert(collect_removes_what_nothing_reads());

constexpr bool copies_are_independent() {
    forked_network f;
    graph copy = f.model;
    copy.set_input(f.sigmoid, 0, f.data);
    copy.rename(f.tanh, "other");
    return f.model.producer(f.sigmoid, 0) == f.relu && f.model[f.tanh].name() == "tanh" &&
           copy.producer(f.sigmoid, 0) == f.data && is_valid(copy) && is_valid(f.model);
}
static_assert(copies_are_independent());

constexpr bool order_is_depth_first_from_the_last_parameter() {
    graph model;
    const node_id a = model.parameter(f32, {1}, "a");
    const node_id b = model.parameter(f32, {1}, "b");
    const node_id sum = model.add(op::add{}, {a, b}, "sum");
    const node_id product = model.add(op::multiply{}, {b, sum}, "product");
    const node_id out = model.result(product);
    return topological_order(model) == seq<node_id>{b, a, sum, product, out};
}
static_assert(order_is_depth_first_from_the_last_parameter());

template <class Action>
text raised_by(Action&& action) {
    try {
        action();
    } catch (const error& raised) {
        return raised.message();
    }
    return "no error";
}

}  // namespace

TEST_CASE("replacing uses moves all readers and keeps their order") {
    CHECK(edits_keep_use_lists());
    forked_network f;
    const node_id exp = f.model.add(op::exp{}, {f.relu}, "exp");
    f.model.replace_uses_except(f.relu, exp, exp);
    CHECK(f.model.producer(exp, 0) == f.relu);
    CHECK(f.model.use_count(f.relu) == 1);
    CHECK(f.model.first_use(exp).node == f.sigmoid);
    CHECK_NOTHROW(verify(f.model));
}

TEST_CASE("a use list survives connecting and disconnecting at its ends and in its middle") {
    graph model;
    const node_id data = model.parameter(f32, {2});
    const node_id other = model.parameter(f32, {2});
    seq<node_id> readers;
    for (int i = 0; i < 5; ++i) {
        readers.push_back(model.add(op::add{}, {data, data}));
        model.result(readers.back());
    }
    REQUIRE(model.use_count(data) == 10);
    for (const std::size_t which : {2u, 0u, 4u, 1u, 3u}) {
        model.set_input(readers[which], which % 2, other);
        CHECK_NOTHROW(verify(model));
    }
    CHECK(model.use_count(data) == 5);
    CHECK(model.uses(other)[0].node == readers[2]);
    CHECK(model.uses(other)[4].node == readers[3]);
    for (const std::size_t which : {3u, 1u, 4u, 0u, 2u}) {
        model.set_input(readers[which], which % 2, data);
    }
    CHECK(model.use_count(data) == 10);
    CHECK(model.use_count(other) == 0);
    CHECK_NOTHROW(verify(model));
}

TEST_CASE("setting an input to what it is already keeps its place in the list of uses") {
    forked_network f;
    f.model.set_input(f.sigmoid, 0, f.relu);
    CHECK(f.model.uses(f.relu)[0].node == f.sigmoid);
}

TEST_CASE("a node that is read cannot be removed") {
    forked_network f;
    CHECK(raised_by([&] { f.model.remove(f.relu); }) == "node 'relu' cannot be removed: 2 inputs read it");
    CHECK_NOTHROW(verify(f.model));
}

TEST_CASE("numbers of removed nodes are not given again") {
    forked_network f;
    const node_id unused = f.model.add(op::exp{}, {f.data});
    f.model.remove(unused);
    const node_id next = f.model.add(op::exp{}, {f.data});
    CHECK(next != unused);
    CHECK_FALSE(f.model.contains(unused));
    CHECK_FALSE(f.model.contains(node_id::none));
}

TEST_CASE("names of tensors that a copy gets or loses are its own") {
    forked_network f;
    f.model.name_tensor(f.relu, "first");
    graph copy = f.model;
    copy.name_tensor(f.relu, "second");
    CHECK(copy[f.relu].tensor_names() == seq<text>{"first", "second"});
    CHECK(f.model[f.relu].tensor_names() == seq<text>{"first"});
    copy.set_tensor_names(f.relu, {});
    CHECK(copy[f.relu].tensor_names().empty());
    CHECK(f.model[f.relu].tensor_names() == seq<text>{"first"});
    CHECK(f.model[f.tanh].tensor_names().empty());
}

TEST_CASE("a new node in the place of a removed one has nothing of it") {
    forked_network f;
    f.model.set_mark(f.tanh, mark::disable_cleanup);
    f.model.annotate(f.tanh, "key", "value");
    f.model.relax(f.tanh, {{f16}, {f16}});
    f.model.set_tensor_names(f.tanh, {text("name")});
    const graph before = f.model;
    f.model.set_input(f.second, 0, f.data);
    f.model.collect();
    CHECK_FALSE(f.model.contains(f.tanh));
    const node_id sum = f.model.add(op::add{}, {f.data, f.relu});
    const node& made = f.model[sum];
    CHECK(index_of(sum) == before.id_bound());
    CHECK(made.name().empty());
    CHECK(made.marks() == mark::none);
    CHECK(made.annotations().empty());
    CHECK_FALSE(made.relaxed());
    CHECK(made.own_types() == nullptr);
    CHECK(made.tensor_names().empty());
    CHECK(made.inputs() == 2);
    CHECK(f.model.use_count(sum) == 0);
    CHECK(before[f.tanh].annotations()[0].value == "value");  // the copy has its own
    CHECK(is_valid(f.model));
    const graph copy = f.model;
    CHECK_FALSE(copy.contains(f.tanh));
    CHECK(copy.id_bound() == f.model.id_bound());
    CHECK(is_valid(copy));
}

TEST_CASE("a node that is made new on other inputs keeps its marks, but cleanup takes it up again") {
    forked_network network;
    network.model.set_mark(network.sigmoid, mark::bias | mark::disable_cleanup);
    network.model.renew(network.sigmoid, {network.data});
    CHECK(network.model[network.sigmoid].marks() == mark::bias);
    CHECK(network.model.producer(network.sigmoid, 0) == network.data);
    CHECK(network.model.use_count({network.relu, 0}) == 1);
    CHECK(is_valid(network.model));
}

TEST_CASE("inputs that there are not raise an error and leave the graph as it was") {
    forked_network f;
    CHECK_THROWS_AS(f.model.add(op::relu{}, {output_ref{f.data, 1}}), error);
    CHECK_THROWS_AS(f.model.add(op::relu{}, {output_ref{id_at(99), 0}}), error);
    CHECK_THROWS_AS(f.model.add(op::relu{}, {f.data, f.data}), error);
    CHECK_THROWS_AS(f.model.set_input(f.relu, 0, output_ref{f.sigmoid, 3}), error);
    CHECK_NOTHROW(verify(f.model));
}

TEST_CASE("inference that refuses its inputs names the node") {
    graph model;
    const node_id left = model.parameter(f32, {2, 3});
    const node_id right = model.parameter(f32, {4, 3});
    CHECK(raised_by([&] { model.add(op::add{}, {left, right}, "sum"); }) ==
          "Add 'sum': shapes [2,3] and [4,3] do not broadcast to each other");
}

TEST_CASE("parameters, results and sinks stay although nothing reads them, with the nodes that sinks depend on") {
    graph model;
    const node_id data = model.parameter(f32, {1, 2});
    const node_id read = model.add(op::read_value{"state", f32, {1, 2}}, {data});
    const node_id write = model.add(op::assign{"state", f32, {1, 2}}, {data});
    model.add_control_dependency(write, read);
    model.collect();
    CHECK(model.contains(read));
    CHECK(model.sinks() == seq<node_id>{write});
    CHECK_NOTHROW(verify(model));
    const node_id other = model.add(op::read_value{"state", f32, {1, 2}}, {data});
    model.replace(read, other);
    model.collect();
    CHECK_FALSE(model.contains(read));
    CHECK(model[write].control_dependencies()[0] == other);
    CHECK_NOTHROW(verify(model));
}

TEST_CASE("the place of a parameter or a result in its list can be given to another one") {
    forked_network f;
    const node_id again = f.model.result(f.data, "again");
    f.model.replace_in_lists(f.first, again);
    CHECK(f.model.results() == seq<node_id>{again, f.second});
}

TEST_CASE("a relaxed node computes in its own types and has its own output type") {
    graph model;
    const node_id data = model.parameter(u8, {1, 3});
    const node_id scale = model.constant(make_scalar(f32, 0.5));
    const node_id product = model.add_relaxed(op::multiply{}, {data, scale}, {{f32, f32}, {f32}}, "product");
    CHECK(model.type(product) == f32);
    CHECK(model[product].relaxed());
    model.relax_output(product, f16);
    CHECK(model.type(product) == f16);
    CHECK(model[product].own_types()->input_types == seq<element, 2>{f32, f32});
    const node_id copy = model.clone(product, {data, scale});
    CHECK(model.type(copy) == f16);
    CHECK_NOTHROW(verify(model));
}

TEST_CASE("a cycle raises an error that names a node on it") {
    forked_network f;
    f.model.set_input(f.relu, 0, f.tanh);
    CHECK(raised_by([&] { topological_order(f.model); }).view().starts_with("the graph has a cycle through node '"));
}

TEST_CASE("shapes change everywhere when all nodes are inferred anew") {
    forked_network f;
    f.model.set_attributes(f.data, op::parameter{f16, {5, dynamic_dimension}});
    CHECK(f.model.shape(f.sigmoid) == shape{1, 3});
    infer_all(f.model);
    CHECK(f.model.shape(f.sigmoid) == shape{5, dynamic_dimension});
    CHECK(f.model.type(f.second) == f16);
    CHECK_NOTHROW(verify(f.model));
}

TEST_CASE("a node knows whether it reads data, also after edits above it") {
    graph model;
    const node_id data = model.parameter(f32, {2, 2}, "data");
    const node_id weights = model.constant(make_tensor(f32, {2, 2}, {1, 2, 3, 4}));
    const node_id above = model.add(op::relu{}, {weights});
    const node_id below = model.add(op::exp{}, {above});
    const node_id product = model.add(op::mat_mul{}, {weights, weights});
    CHECK(model[data].reads_data());
    CHECK_FALSE(model[weights].reads_data());
    CHECK_FALSE(model[below].reads_data());
    CHECK(model[product].reads_data());  // it is one of the operations that end the search for constants
    model.set_input(above, 0, data);
    CHECK(model[above].reads_data());
    CHECK(model[below].reads_data());
    model.result(below, "result");
    verify(model);
    model.replace_uses(data, weights);
    CHECK_FALSE(model[below].reads_data());
    verify(model);
}

TEST_CASE("the number of edits changes with nodes and connections and not otherwise") {
    forked_network f;
    const std::uint64_t before = f.model.edits();
    f.model.rename(f.relu, "other");
    f.model.infer(f.relu);
    CHECK(f.model.edits() == before);
    f.model.set_input(f.tanh, 0, f.data);
    CHECK(f.model.edits() != before);
}
