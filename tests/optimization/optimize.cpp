// SPDX-License-Identifier: Apache-2.0
#include "tests/optimization/networks.hpp"

#include <lpt/pipeline/transform.hpp>

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::testing;

namespace {

constexpr graph gated() {
    graph model;
    const output_ref data = model.parameter(f32, {1, 8}, "data");
    model.result(model.add(op::multiply{}, {data, model.add(op::sigmoid{}, {data})}, "gated"));
    return model;
}
constexpr bool is_fused() {
    graph model = gated();
    optimize(model);
    const node_id last = model.producer(model.results()[0], 0);
    return model[last].is<op::swish>() && model[last].name() == text("gated");
}
static_assert(is_fused());

struct raising_rule {
    static constexpr text_view name = "RaisingRule";
    using pattern = lpt::pattern<op::swish>;
    static bool transform(rewrite&, node_id) { fail({"no"}); }
};

}  // namespace

TEST_CASE("What an operation becomes keeps its name, in constant expressions, too") { CHECK(is_fused()); }

TEST_CASE("Rules of the user take the place of the library's, and those that are switched off rest") {
    graph model = gated();
    optimize<stage<>>(model);
    CHECK(operations_of(model) == kinds{op::kind::sigmoid, op::kind::multiply});
    transformation_options options;
    options.disabled.push_back(swish_fusion::name);
    const seq<refusal> refusals = optimize(model, options);
    CHECK(operations_of(model) == kinds{op::kind::sigmoid, op::kind::multiply});
    REQUIRE(refusals.size() == 1);
    CHECK(refusals[0].why.why == reason::disabled_by_user);
}

TEST_CASE("Where a rule raises an error, the graph is as it was") {
    graph model = gated();
    using rules = stage<swish_fusion, raising_rule>;
    CHECK_THROWS_AS(optimize<rules>(model), error);
    CHECK(operations_of(model) == kinds{op::kind::sigmoid, op::kind::multiply});
}
