// SPDX-License-Identifier: Apache-2.0
#include "tests/support/bodies.hpp"

#include <lpt/attribute/set.hpp>
#include <lpt/transformation/markup/bodies.hpp>

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::test;

namespace {

/// Spends 1000 bytes in each graph.
struct spending {
    static void run(rewrite& r) {
        r.model.spend_for_folding(1000, 0);
        for (const node_id id : seq<node_id>(r.order())) {
            run_on_bodies<spending>(r, id);
        }
    }
};

}  // namespace

TEST_CASE("graphs inside nodes spend the folding budget of the network") {
    graph outer;
    graph inner = running_sums({2, 4, 1}, 1, {1, 0, 1, 1, -1}, {1, 0, 1, 1, -1});
    for (const char* name : {"first", "second"}) {
        op::tensor_iterator what;
        what.input_map = {whole(0, 0), whole(1, 1)};
        what.output_map = {last(0, 0), last(1, 1)};
        what.declared_outputs = {unknown_output(), unknown_output()};
        const node_id x = outer.parameter(f32, shape{2, 4, 1});
        const node_id start = outer.parameter(f32, shape{2, 1, 1});
        const graph bodies[] = {inner};
        outer.result(add_with_bodies(outer, what, {x, start}, bodies, name));
    }
    outer.set_folding_budget({10000, 7});
    attribute::tables attributes;
    const transformation_options options;
    const restriction_table anywhere;
    rewrite changes(outer, attributes, options, anywhere);
    spending::run(changes);
    CHECK(outer.folding() == folding_budget{5000, 7});
}
