// SPDX-License-Identifier: Apache-2.0
#include <lpt/import/model_builder.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using namespace lpt;

TEST_CASE("The operation that does the work of a node takes its name, the others names made of it") {
    model_builder to("net.file");
    const output_ref x = to.model().parameter(f32, shape{1, 2}, "x");
    const output_ref weights = to.model().parameter(f32, shape{2, 3}, "w");
    for (int i = 0; i < 2; ++i) {
        to.begin({"dense", "Gemm", 12});
        const output_ref negative = to.add(op::negative{}, view<output_ref>(&x, 1));
        const output_ref product = to.add(op::mat_mul{}, view<output_ref>({negative, weights}));
        const output_ref sum = to.add(op::add{}, view<output_ref>({product, product}));
        to.finish();
        CHECK(to.model()[product.node].name() == (i == 0 ? "dense" : "dense_1"));
        CHECK(to.model()[negative.node].name() == (i == 0 ? "dense/Negative" : "dense/Negative_1"));
        CHECK(to.model()[sum.node].name() == (i == 0 ? "dense/Add" : "dense/Add_1"));
    }
}

TEST_CASE("Errors say file, node and byte") {
    model_builder to("net.file");
    const output_ref x = to.model().parameter(f32, shape{1, 2}, "x");
    to.begin({"dense", "Gemm", 12});
    CHECK_THROWS_WITH_AS(to.wrong({"needs input ", 1}), "net.file: node 'dense' (Gemm) at byte 12: needs input 1",
                         error);
    try {
        static_cast<void>(to.add(op::mat_mul{}, view<output_ref>({x, x})));
        FAIL("no error");
    } catch (const error& raised) {
        CHECK(std::string(raised.what()).starts_with("net.file: node 'dense' (Gemm) at byte 12: MatMul: "));
    }
}

TEST_CASE("What few constants give is computed at once") {
    model_builder to("net.file");
    const output_ref sum = to.add(op::add{}, view<output_ref>({to.integer(2), to.integer(3)}));
    REQUIRE(to.value_of(sum) != nullptr);
    CHECK(to.value_of(sum)->integer(0) == 5);
}

TEST_CASE("Numbers are ordered by what they read, in their own order where that will do") {
    const auto order = [](const std::vector<std::vector<std::size_t>>& sources) {
        return order_by_sources(
            sources.size(),
            [&](std::size_t each, auto&& visit) {
                for (const std::size_t source : sources[each]) {
                    visit(source);
                }
            },
            [](std::size_t each) { fail({"circle through ", each}); });
    };
    CHECK(order({{}, {0}, {0, 1}}) == std::vector<std::size_t>{0, 1, 2});
    CHECK(order({{2, 1}, {2}, {}}) == std::vector<std::size_t>{2, 1, 0});
    CHECK_THROWS_WITH_AS(order({{1}, {2}, {0}}), "circle through 0", error);
    CHECK_THROWS_WITH_AS(order({{0}}), "circle through 0", error);
}

}  // namespace
