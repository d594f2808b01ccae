// SPDX-License-Identifier: Apache-2.0
#include <lpt/graph/print.hpp>

#include <doctest/doctest.h>

#include <utility>

namespace {

using namespace lpt;

constexpr graph make() {
    graph model;
    const node_id data = model.parameter(u8, {1, dynamic_dimension}, "data");
    const node_id scale = model.constant(make_tensor(f32, {2}, view<double>({0.5, 0.25})));
    const node_id product = model.add_relaxed(op::multiply{}, {data, scale}, {{f32, f32}, {f32}}, "a \"product\"\\");
    model.set_mark(product, mark::bias);
    model.result(product);
    return model;
}

static_assert(to_text(make()) ==
              "%0 = Parameter-0 'data'() -> u8[1,?] element_type=u8 shape=[1,?]\n"
              "%1 = Constant-0() -> f32[2] value=f32[2]{0.5, 0.25}\n"
              "%2 = Multiply-1 'a \"product\"\\'(%0, %1) -> f32[1,2] auto_broadcast=numpy relaxed #bias\n"
              "%3 = Result-0(%2) -> f32[1,2]\n");

bool contains(const text& where, text_view what) {
    for (std::size_t i = 0; i + what.size() <= where.size(); ++i) {
        if (where.view().substr(i, what.size()) == what) {
            return true;
        }
    }
    return false;
}

}  // namespace

TEST_CASE("the text of a graph has a line for each node, with types, attributes and marks") {
    const text dump = to_text(make());
    CHECK(contains(dump, "%2 = Multiply-1 'a \"product\"\\'(%0, %1) -> f32[1,2] auto_broadcast=numpy relaxed #bias\n"));
}

TEST_CASE("outputs other than the first are written with their number, long constants are cut") {
    graph model;
    const node_id data = model.parameter(f32, {2, 10});
    const node_id axis = model.constant(make_integer_tensor(i64, {}, {0}));
    const node_id split = model.add(op::split{2}, {data, axis});
    const node_id table = model.constant(make_tensor(f32, {1, 10}, view<double>({1.5})));
    model.result(model.add(op::add{}, {output_ref{split, 1}, table}));
    const text dump = to_text(model);
    CHECK(contains(dump, "= Add-1(%2.1, %3)"));
    CHECK(contains(dump, "{1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, …}"));
}

TEST_CASE("graphs inside nodes are printed behind their node") {
    graph body;
    body.result(body.parameter(f32, {3}, "inside"));
    graph model;
    op::tensor_iterator iterator;
    iterator.declared_outputs.push_back({f32, {3}});
    const node_id loop = model.add(iterator, {model.parameter(f32, {3})});
    model.add_body(loop, std::move(body));
    model.result(loop);
    CHECK(contains(to_text(model), "{\n%0 = Parameter-0 'inside'() -> f32[3] element_type=f32 shape=[3]\n"));
}
