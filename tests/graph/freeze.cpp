// SPDX-License-Identifier: Apache-2.0
#include <lpt/graph/freeze.hpp>

#include <lpt/graph/compare.hpp>
#include <lpt/graph/verify.hpp>
#include <lpt/op/fields.hpp>

#include <doctest/doctest.h>

#include <utility>

namespace {

using namespace lpt;

constexpr tensor ramp(element type, shape dimensions) {
    tensor_builder values(type, std::move(dimensions));
    for (std::size_t i = 0; i < values.elements(); ++i) {
        values.real(i, static_cast<double>(i % 7) * 0.25 - 0.5);
    }
    return values.finish();
}

/// A little of everything: strings, lists, marks, relaxation, control dependencies, several outputs, removed nodes.
constexpr graph make_mixed_graph() {
    graph model;
    model.set_name("mixed \"graph\"");
    const node_id data = model.parameter(u8, {1, 3, dynamic_dimension, 8}, "data");
    const node_id unknown = model.parameter(f32, shape::of_dynamic_rank(), "unknown");
    const node_id weights = model.constant(ramp(f32, {4, 3, 1, 1}), "weights");
    const node_id small = model.constant(ramp(i4, {5}));
    const node_id convolution = model.add_relaxed(op::convolution{{1, 1}, {1, 1}, {0, 0}, {0, 0}}, {data, weights},
                                                  {{f32, f32}, {f32}}, "conv");
    model.set_mark(convolution, mark::bias | mark::disable_cleanup);
    model.annotate(convolution, "key", "a value of more than eight letters");
    const node_id axis = model.constant(make_integer_tensor(i64, {}, {1}));
    const node_id split = model.add(op::split{2}, {convolution, axis}, "split");
    model.name_tensor({split, 1}, "second half");
    const node_id unused = model.add(op::relu{}, {convolution});
    const node_id sum = model.add(op::add{}, {output_ref{split, 1}, output_ref{split, 0}}, "sum");
    const node_id read = model.add(op::read_value{"variable", f32, shape::of_dynamic_rank()}, {unknown}, "read");
    const node_id write = model.add(op::assign{"variable", f32, shape::of_dynamic_rank()}, {read}, "write");
    model.add_control_dependency(write, read);
    model.result(sum, "first");
    model.result(split, "second");
    model.result(small, "third");
    model.remove(unused);
    return model;
}

constexpr graph make_graph_with_body() {
    graph body;
    const node_id element_of_body = body.parameter(f32, {1, 2}, "x");
    body.result(body.add(op::relu{}, {element_of_body}, "inner"));
    graph model;
    const node_id data = model.parameter(f32, {4, 2}, "data");
    op::tensor_iterator iterator;
    iterator.input_map.push_back({0, 0, op::body_input::form::sliced, -1, {0, 0, 1, 1, -1}});
    iterator.output_map.push_back({0, 0, op::body_output::form::concatenated, -1, {0, 0, 1, 1, -1}});
    iterator.declared_outputs.push_back({f32, {4, 2}});
    const node_id loop = model.add(iterator, {data}, "loop");
    model.add_body(loop, std::move(body));
    model.result(loop);
    return model;
}

constexpr comparison everything{.names = true};

struct mixed {
    static constexpr graph make() { return make_mixed_graph(); }
};
struct with_body {
    static constexpr graph make() { return make_graph_with_body(); }
};
/// A stage of its own on a graph that another constant expression made.
struct after_edit {
    static constexpr graph make() {
        graph model = frozen<mixed>::thaw();
        const output_ref source = model[model.results()[0]].input(0);
        const node_id relu = model.add(op::relu{}, {source}, "relu");
        model.replace_uses_except(source, relu, relu);
        model.collect();
        return model;
    }
};

static_assert(difference(make_mixed_graph(), frozen<mixed>::thaw(), everything).empty());
static_assert([] {
    verify(frozen<mixed>::thaw());
    return true;
}());
static_assert(difference(make_graph_with_body(), frozen<with_body>::thaw(), everything).empty());
static_assert(frozen<after_edit>::thaw().size() == make_mixed_graph().size() + 1);
static_assert(
    frozen<after_edit>::thaw()[frozen<after_edit>::thaw().producer(frozen<after_edit>::thaw().results()[0], 0)]
        .is<op::relu>());

}  // namespace

TEST_CASE("a thawed graph equals the frozen one, numbers of nodes and orders of uses among it") {
    const graph model = make_mixed_graph();
    const graph copy = thaw(freeze(model));
    CHECK(difference(model, copy, everything).empty());
    CHECK_NOTHROW(verify(copy));
    CHECK(copy.id_bound() == model.id_bound());
    CHECK(copy.name() == model.name());
    CHECK(topological_order(copy) == topological_order(model));
    for (std::size_t i = 0; i < model.id_bound(); ++i) {
        REQUIRE(copy.contains(id_at(i)) == model.contains(id_at(i)));
        for (std::size_t port = 0; model.contains(id_at(i)) && port < model[id_at(i)].outputs(); ++port) {
            const output_ref output{id_at(i), static_cast<std::int32_t>(port)};
            CHECK(copy.uses(output) == model.uses(output));
            CHECK(copy[id_at(i)].tensor_names(port) == model[id_at(i)].tensor_names(port));
        }
    }
    CHECK(freeze(copy) == freeze(model));
}

TEST_CASE("graphs inside nodes travel with their node") {
    const graph model = make_graph_with_body();
    const graph copy = thaw(freeze(model));
    CHECK(difference(model, copy, everything).empty());
    CHECK(copy[copy.producer(copy.results()[0], 0)].bodies().size() == 1);
}

TEST_CASE("annotations, relaxations and marks survive freezing") {
    const graph copy = thaw(freeze(make_mixed_graph()));
    const node& convolution = copy[id_at(4)];
    REQUIRE(convolution.is<op::convolution>());
    CHECK(convolution.annotations().size() == 1);
    CHECK(convolution.annotations()[0].value == "a value of more than eight letters");
    REQUIRE(convolution.own_types() != nullptr);
    CHECK(convolution.own_types()->output_types == seq<element, 2>{f32});
    CHECK(convolution.has(mark::bias));
    CHECK(convolution.relaxed());
}

TEST_CASE("attributes of every operation survive freezing") {
    seq<word> words;
    for (const op::row& row : op::rows.values) {
        for (int i = 0; i < row.opsets.count; ++i) {
            const int version = row.opsets.values[i];
            const op::attributes made = op::fields_of(row.number).make(view<op::named_value>(), version, row.name);
            words.clear();
            detail::word_sink sink(words);
            detail::word_writer writer(sink);
            detail::freeze_rows.rows[static_cast<int>(row.number)].save(made, writer);
            sink.finish();
            detail::word_reader reader(words);
            INFO(row.name.data());
            CHECK(detail::freeze_rows.rows[static_cast<int>(row.number)].load(reader) == made);
            CHECK(reader.at_end());
        }
    }
}

TEST_CASE("a truncated word list raises an error, wherever it ends") {
    const seq<word> words = freeze(make_mixed_graph());
    for (std::size_t size = 0; size < words.size(); ++size) {
        CHECK_THROWS_AS(thaw(view<word>(words.data(), size)), error);
    }
}
