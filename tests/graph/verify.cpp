// SPDX-License-Identifier: Apache-2.0
#include "tests/support/bodies.hpp"

#include <lpt/graph/verify.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <string_view>

namespace {

using namespace lpt;
using lpt::detail::graph_access;

text message_of(const graph& model) {
    try {
        verify(model);
    } catch (const error& raised) {
        return raised.message();
    }
    return "no error";
}

struct chain {
    graph model;
    node_id data = model.parameter(f32, {2, 3}, "data");
    node_id relu = model.add(op::relu{}, {data}, "relu");
    node_id sum = model.add(op::add{}, {relu, data}, "sum");
    node_id out = model.result(sum, "out");
};

constexpr bool a_good_graph_passes() {
    chain c;
    verify(c.model);
    return true;
}
static_assert(a_good_graph_passes());

/// Spoils the number of uses of a node's first output.
struct miscounter {
    void operator()(seq<graph_access::output_slot, 1>& outputs) { ++outputs[0].use_count; }
    template <class Part>
    void operator()(Part&) {}
};

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

TEST_CASE("a graph that was built and edited by its functions is right") {
    CHECK(message_of(chain().model) == "no error");
}

TEST_CASE("a type that inference does not give is found") {
    chain c;
    c.model.set_attributes(c.data, op::parameter{f16, {2, 3}});
    CHECK(message_of(c.model) == "Relu 'relu' (node 1): output 0 is f32 [2,3], expected f16 [2,3]");
}

TEST_CASE("outputs that are declared otherwise than their body gives them are found") {
    graph model = test::running_sums({2, 4, 1}, 1, {1, 0, 1, 1, -1}, {1, 0, 1, 1, -1});
    const node_id id = model.producer(model.results()[0], 0);
    const auto declare = [&](std::size_t port, const op::declared_output& output) {
        op::tensor_iterator what = model[id].as<op::tensor_iterator>();
        what.declared_outputs[port] = output;
        graph changed = model;
        changed.set_attributes(id, what);
        infer_all(changed);
        return message_of(changed);
    };
    const std::string_view where = "TensorIterator 'sums' (node 2): ";
    CHECK(declare(0, {f32, shape{2, 1, 1}}) == "no error");
    CHECK(declare(0, {dynamic, shape::of_dynamic_rank()}) == "no error");
    CHECK(declare(1, {f32, shape{2, 100, 1}}) == "no error");  // parts of all iterations
    CHECK(declare(0, {f32, shape{2, 4, 1}}).view() ==
          join({where.data(), "output 0 is declared as f32 [2,4,1], but body gives f32 [2,1,1]"}).view());
    CHECK(declare(0, {i64, shape{2, 1, 1}}).view() ==
          join({where.data(), "output 0 is declared as i64 [2,1,1], but body gives f32 [2,1,1]"}).view());
    CHECK(declare(1, {f32, shape{3, 4, 1}}).view() ==
          join({where.data(), "output 1 is declared as f32 [3,4,1], but body gives f32 [2,1,1]"}).view());
}

TEST_CASE("an output that is declared otherwise than what a Loop without iterations passes on is found") {
    const auto with_initial_value = [](std::int64_t iterations, const shape& initial) {
        graph body;
        const node_id sum = body.parameter(f32, {});
        body.result(body.add(op::add{}, {sum, sum}));
        body.result(body.constant(make_scalar(boolean, 1)));
        graph model;
        op::loop what;
        what.input_map.push_back({2, 0, op::body_input::form::merged, 0});
        what.output_map.push_back({0, 0});
        what.execution_condition = 1;
        what.declared_outputs.push_back({dynamic, {}});
        const node_id count = model.constant(make_scalar(i64, static_cast<double>(iterations)));
        const node_id condition = model.constant(make_scalar(boolean, 1));
        const node_id loop = model.add(what, {count, condition, model.parameter(f32, initial)}, "loop");
        model.add_body(loop, body);
        model.result(loop);
        return message_of(model);
    };
    CHECK(with_initial_value(3, {1}) == "no error");
    CHECK(with_initial_value(0, {}) == "no error");
    CHECK(with_initial_value(0, {1}) ==
          "Loop 'loop' (node 3): output 0 is declared as [], but without iterations it is input 2, of shape [1]");
}

TEST_CASE("a shape that inference does not give is found") {
    chain c;
    c.model.set_attributes(c.data, op::parameter{f32, {2, 4}});
    CHECK(message_of(c.model) == "Relu 'relu' (node 1): output 0 is f32 [2,3], expected f32 [2,4]");
}

TEST_CASE("a cycle is found, also where no end of the graph reaches it") {
    chain c;
    c.model.set_input(c.relu, 0, c.sum);
    CHECK(message_of(c.model) == "Relu 'relu' (node 1) is on a cycle or behind one");
    chain hidden;
    const node_id one = hidden.model.add(op::exp{}, {hidden.data}, "one");
    const node_id two = hidden.model.add(op::exp{}, {one}, "two");
    hidden.model.set_input(one, 0, two);
    CHECK(message_of(hidden.model) == "Exp 'one' (node 4) is on a cycle or behind one");
}

TEST_CASE("a broken list of uses is found") {
    chain c;
    graph_access::show_parts(graph_access::writable(c.model, c.relu), miscounter{});
    CHECK(message_of(c.model) == "Relu 'relu' (node 1): the list of uses of output 0 should have 2 inputs");
}

TEST_CASE("a list of parameters without one of them is found") {
    chain c;
    struct forgetter {
        int lists = 0;
        void operator()(seq<node_id>& list) {
            if (lists++ == 0) {
                list.clear();
            }
        }
        void operator()(text&) {}
    };
    graph_access::show_lists(c.model, forgetter{});
    CHECK(message_of(c.model) == "Parameter 'data' (node 0) is not in the list of parameters");
}

TEST_CASE("graphs inside nodes are checked too") {
    graph body;
    const node_id data = body.parameter(f32, {2}, "inner");
    body.result(data);
    graph model;
    op::tensor_iterator iterator;
    iterator.declared_outputs.push_back({f32, {2}});
    const node_id loop = model.add(iterator, {model.parameter(f32, {2})}, "loop");
    model.add_body(loop, body);
    model.result(loop);
    CHECK(message_of(model) == "no error");
    model.body(loop, 0).set_attributes(data, op::parameter{f32, {3}});
    CHECK(message_of(model) == "Result '' (node 1): output 0 is f32 [2], expected f32 [3]");
}

TEST_CASE("a million nodes in one chain are built, sorted, copied and verified without recursion") {
    constexpr int nodes = 1000000;
    auto start = std::chrono::steady_clock::now();
    graph model;
    node_id last = model.parameter(f32, {1, 8});
    for (int i = 0; i < nodes; ++i) {
        last = model.add(op::relu{}, {last});
    }
    model.result(last);
    MESSAGE("build: ", seconds_since(start), " s");
    start = std::chrono::steady_clock::now();
    const seq<node_id> order = topological_order(model);
    MESSAGE("sort: ", seconds_since(start), " s");
    CHECK(order.size() == static_cast<std::size_t>(nodes) + 2);
    CHECK(order.back() == model.results()[0]);
    start = std::chrono::steady_clock::now();
    verify(model);
    MESSAGE("verify: ", seconds_since(start), " s");
    start = std::chrono::steady_clock::now();
    graph copy = model;
    MESSAGE("copy: ", seconds_since(start), " s");
    copy.set_input(copy.results()[0], 0, copy.parameters()[0]);
    start = std::chrono::steady_clock::now();
    copy.collect();
    MESSAGE("collect: ", seconds_since(start), " s");
    CHECK(copy.size() == 2);
    CHECK(model.size() == static_cast<std::size_t>(nodes) + 2);
}

TEST_CASE("a million readers of one node are connected, moved and verified in linear time") {
    constexpr int nodes = 1000000;
    const auto start = std::chrono::steady_clock::now();
    graph model;
    const node_id data = model.parameter(f32, {1});
    const node_id other = model.parameter(f32, {1});
    for (int i = 0; i < nodes; ++i) {
        model.result(data);
    }
    model.replace_uses(data, other);
    CHECK(model.use_count(data) == 0);
    CHECK(model.use_count(other) == nodes);
    verify(model);
    MESSAGE("all: ", seconds_since(start), " s");
}

TEST_CASE("a graph needs verification once something was changed that can make it wrong, and not before") {
    graph model;
    const node_id data = model.parameter(f32, {2, 3});
    const node_id relu = model.add(op::relu{}, {data});
    const node_id unused = model.add(op::relu{}, {data});
    model.result(relu);
    model.collect();
    CHECK(!model.contains(unused));
    CHECK(!model.needs_verification());
    verify(model);
    graph connected = model;
    connected.set_input(relu, 0, connected.parameter(f32, {4}));
    CHECK(connected.needs_verification());
    CHECK_THROWS_AS(verify(connected), error);
    graph copy = connected;
    CHECK(copy.needs_verification());
    graph failed = model;
    CHECK_THROWS_AS(failed.add(op::concat{5}, {data, relu}), error);
    CHECK(failed.needs_verification());
    graph dependent = model;
    dependent.add_control_dependency(data, relu);
    CHECK(dependent.needs_verification());
    CHECK_THROWS_AS(verify(dependent), error);
}
